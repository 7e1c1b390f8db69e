package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/rounds"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// measuredSum is what a PE did in a region or an activity.
type measuredSum struct {
	Count                int64
	Seconds, Least, Most float64
	Self, Blocked        float64
}

// measuredRun is a profile, as -profile=FILE writes it.
type measuredRun struct {
	Program string
	PEs     int
	Seconds float64
	Sites   []struct {
		countedSite
		Activities []measuredActivity
	}
	Other   struct{ Activities []measuredActivity }
	Total   countedSite
	Regions []struct {
		ID, Parent, Line, Last int
		Kind, Name             string
		PEs                    []measuredSum
	}
}

type measuredActivity struct {
	Activity string
	PEs      []measuredSum
}

// countedSite is a site as -stats-json writes it.
type countedSite struct {
	Line, Column                     int
	Kind, Reference                  string
	Times, Data, Ready, Bytes, Waits int64
	Elided                           int64 // ready messages
}

// times is how often all PEs did something.
func (p *measuredRun) times(activity string) (n int64) {
	for _, s := range p.Sites {
		for _, a := range s.Activities {
			for _, sum := range a.PEs {
				if a.Activity == activity {
					n += sum.Count
				}
			}
		}
	}
	return n
}

// TestReadyElided: what is said to be left out is what a handshake sends.
func TestReadyElided(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			var runs [2]struct{ Total countedSite }
			for i, plan := range []string{plans[0], "handshake"} {
				file := filepath.Join(t.TempDir(), "stats")
				e.check(t, build(t, e.source, plan), 4, "-stats-json="+file)
				readJSON(t, file, &runs[i])
			}
			if elide, handshake := runs[0].Total, runs[1].Total; elide.Ready+elide.Elided != handshake.Ready || handshake.Elided != 0 {
				t.Errorf("%d ready messages and %d elided ones; a handshake sends %d, and elides %d", elide.Ready, elide.Elided, handshake.Ready, handshake.Elided)
			}
		})
	}
}

func readJSON(t testing.TB, file string, v any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestProfile: what a profile counts is what -stats counts, and its times add up; a trace has
// the same executions, and each message has its partner.
func TestProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("long: the bundle of a second plan")
	}
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			program := build(t, e.source, measuredPlan)
			for _, n := range []int{1, 4, 2, 7}[:effort.Of(4, 2)] {
				measuredIn(t, n, 1e-3, func(flags ...string) { e.check(t, program, n, flags...) })
			}
		})
	}
}

// measuredIn checks what a run on n PEs measures, which gets further flags. They begin within so many
// seconds.
func measuredIn(t *testing.T, n int, begin float64, run func(flags ...string)) {
	t.Helper()
	dir := t.TempDir()
	profile, stats, trace := filepath.Join(dir, "profile"), filepath.Join(dir, "stats"), filepath.Join(dir, "trace")
	run("-profile="+profile, "-stats-json="+stats, "-trace="+trace)
	var p measuredRun
	var s struct {
		Sites []countedSite
		Total countedSite
	}
	readJSON(t, profile, &p)
	readJSON(t, stats, &s)
	p.check(t, n, begin)
	p.checkTrace(t, trace)
	if effort.All() {
		p.checkOTF2(t, trace)
	}
	if len(s.Sites) != len(p.Sites) || s.Total != p.Total {
		t.Fatalf("%d PEs: %d sites and %+v in the profile, %d and %+v in the statistics", n, len(p.Sites), p.Total, len(s.Sites), s.Total)
	}
	for i, site := range p.Sites {
		if site.countedSite != s.Sites[i] {
			t.Errorf("%d PEs: %+v in the profile, %+v in the statistics", n, site.countedSite, s.Sites[i])
		}
	}
}

// check checks that the times of a profile add up, and that each message was measured.
func (p *measuredRun) check(t *testing.T, n int, begin float64) {
	t.Helper()
	if p.PEs != n || len(p.Regions) == 0 || p.Regions[0].Kind != "program" || p.Regions[0].Name != p.Program {
		t.Fatalf("%d PEs: %d PEs, %d regions", n, p.PEs, len(p.Regions))
	}
	sum := make([]float64, n)
	for i, r := range p.Regions {
		if r.ID != i || r.Parent >= i || r.Line < 1 || r.Last < r.Line {
			t.Errorf("region %d: %+v", i, r)
		}
		for pe, s := range r.PEs {
			sum[pe] += s.Self
			if s.Self < 0 || s.Seconds < s.Self || s.Least > s.Most || s.Most > s.Seconds+1e-9 {
				t.Errorf("region %d, PE %d: %+v", i, pe, s)
			}
		}
	}
	add := func(list []measuredActivity) map[string]int64 {
		counts := map[string]int64{}
		for _, a := range list {
			for pe, s := range a.PEs {
				sum[pe] += s.Seconds
				counts[a.Activity] += s.Count
			}
		}
		return counts
	}
	for _, s := range p.Sites {
		did := add(s.Activities)
		data := did["put"] + did["get"]
		switch s.Kind {
		case "sum", "product", "max", "min", "and", "or", "read": // no puts of the transport
			continue
		case "irregular":
			// The lists of what is wanted are no data, and the agreement whether they have
			// changed is a reduction: a message of each other PE, and one to it.
			data = did["put"] + 2*int64(n-1)*did["reduction"]/int64(n)
		}
		if data != s.Data || did["ready"] != s.Ready {
			t.Errorf("line %d, %s %s: %d messages and %d ready messages were measured, %d and %d counted", s.Line, s.Kind, s.Reference, data, did["ready"], s.Data, s.Ready)
		}
	}
	add(p.Other.Activities)
	for pe, all := range p.Regions[0].PEs {
		if all.Count != 1 || all.Seconds > p.Seconds+begin || math.Abs(all.Seconds-sum[pe]) > 1e-6+1e-6*all.Seconds {
			t.Errorf("PE %d: the program took %.9f s of %.9f, its parts %.9f", pe, all.Seconds, p.Seconds, sum[pe])
		}
	}
}

// checkTrace checks that a trace has every execution that the profile of the same run counted,
// and of each message both ends.
func (p *measuredRun) checkTrace(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Read(bytes.NewReader(text), int64(len(text)))
	if err != nil || f.Cut != "" || f.Program != p.Program || len(f.Regions) != len(p.Regions) {
		t.Fatalf("%v: cut %q, program %q, %d regions", err, f.Cut, f.Program, len(f.Regions))
	}
	type identity struct {
		buffer   int
		epoch    uint64
		from, to int
		ready    bool
	}
	sent, awaited := map[identity]int{}, map[identity]int{}
	left, arrived := map[identity]int64{}, map[identity]int64{} // when
	regions := make([][]int64, len(p.Regions))                  // executions, by PE
	for i := range regions {
		regions[i] = make([]int64, p.PEs)
	}
	type activity struct {
		site int
		kind string
	}
	activities := map[activity]int64{}
	whole := map[int]int64{} // by PE: when the last message was sent, to which further parts belong
	for _, c := range f.Chunks {
		events, err := f.Events(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			id := identity{e.Buffer, e.Number, c.PE, e.Peer, e.Kind == tracefile.Ready || e.Kind == tracefile.ReadyPart || e.Kind == tracefile.WaitReady}
			switch e.Kind {
			case tracefile.Region:
				regions[e.ID][c.PE]++
				continue
			case tracefile.Put, tracefile.PutPart, tracefile.Ready, tracefile.ReadyPart:
				sent[id]++
				if e.Kind == tracefile.Put || e.Kind == tracefile.Ready {
					whole[c.PE] = e.Began
				}
				left[id] = whole[c.PE]
			case tracefile.Arrival, tracefile.WaitReady:
				id.from, id.to = id.to, id.from
				awaited[id]++
				arrived[id] = e.Began + e.Took
			}
			activities[activity{e.ID, e.Kind.String()}]++
		}
	}
	for i, r := range p.Regions {
		for pe, s := range r.PEs {
			if regions[i][pe] != s.Count {
				t.Errorf("region %d, PE %d: %d executions in the trace, %d in the profile", i, pe, regions[i][pe], s.Count)
			}
		}
	}
	for i, s := range f.Sites {
		for _, q := range p.Sites {
			if q.Line != s.Line || q.Kind != s.Kind || q.Reference != s.Reference || repeated(f, s) {
				continue
			}
			for _, a := range q.Activities {
				var n int64
				for _, x := range a.PEs {
					n += x.Count
				}
				if got := activities[activity{i, a.Activity}]; got != n {
					t.Errorf("line %d, %s %s: %d times %s in the trace, %d in the profile", s.Line, s.Kind, s.Reference, got, a.Activity, n)
				}
			}
		}
	}
	for id, n := range awaited {
		if arrived[id] < left[id] {
			t.Errorf("message %+v arrived %d ns before it was sent", id, left[id]-arrived[id])
		}
		if n != 1 || sent[id] != 1 {
			t.Fatalf("message %+v was awaited %d times and sent %d times", id, n, sent[id])
		}
	}
	for id, n := range sent {
		if !id.ready && n != 1 {
			t.Fatalf("message %+v was sent %d times", id, n)
		}
	}
}

// checkOTF2 checks that the two readers of OTF2 find in the export of a trace what its CSV has, that
// the times of a PE do not go back, and that regions have their lines.
func (p *measuredRun) checkOTF2(t *testing.T, trace string) {
	t.Helper()
	folder := trace + ".otf2"
	spmdc(t, "trace", "export", "--format=otf2", "-o", folder, trace)
	rows := strings.Split(strings.TrimSpace(string(spmdc(t, "trace", "export", "--format=csv", trace))), "\n")[1:]
	counts := map[string]int{}
	for _, row := range rows {
		counts[strings.Split(row, ",")[1]]++
	}
	want := fmt.Sprintln(len(rows), len(rows), counts["put"], counts["get"])
	printed, err := exec.Command("otf2-print", filepath.Join(folder, "traces.otf2")).Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for line := range strings.SplitSeq(string(printed), "\n") {
		if words := strings.Fields(line); len(words) > 2 && strings.Trim(words[1]+words[2], "0123456789") == "" {
			names[words[0]]++
		}
	}
	if got := fmt.Sprintln(names["ENTER"], names["LEAVE"], names["RMA_PUT"], names["RMA_GET"]); got != want {
		t.Errorf("otf2-print finds %s, want %s", got, want)
	}
	out, err := exec.Command("/usr/bin/python3", "-c", `
import otf2, sys, collections
n, last = collections.Counter(), {}
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        n[type(event).__name__] += 1
        assert event.time >= last.get(location.name, 0)
        last[location.name] = event.time
    for r in trace.definitions.regions: assert r.begin_line_number > 0 and r.source_file
    assert len({l.name for l in trace.definitions.locations}) == int(sys.argv[2])
print(n["Enter"], n["Leave"], n["RmaPut"], n["RmaGet"])`, filepath.Join(folder, "traces.otf2"), fmt.Sprint(p.PEs)).CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("python3-otf2: %v, %s, want %s", err, out, want)
	}
}

// repeated reports whether two sites look the same.
func repeated(f *tracefile.File, s tracefile.SiteDef) bool {
	n := 0
	for _, x := range f.Sites {
		if x.Line == s.Line && x.Kind == s.Kind && x.Reference == s.Reference {
			n++
		}
	}
	return n > 1
}

// sized says how BenchmarkProfile changes an example, so that it takes a tenth of a second and more, and most of its regions
// 10 us or more: as longer does. Those of figures 1, 6 and 9 stay short.
var sized = map[string][]string{
	"adi":       {"n = 48, steps = 12, every = 4", "n = 256, steps = 24, every = 8"},
	"cg":        {"width = 30", "width = 400"},
	"fft3d":     {"n = 16", "n = 64"},
	"fig3":      {"high = 10,", "high = 200000,", "rounds = 3", "rounds = 100", "i = 1, n)", "i = 1, n, 50000)"},
	"fig5":      {"n = 12, rounds = 3", "n = 1000, rounds = 60"},
	"fig6":      {"n = 100, rounds = 5", "n = 1000000, rounds = 400"},
	"figure1":   {"rounds = 200", "rounds = 20000"},
	"figure6":   {"phases = 120", "phases = 6000"},
	"floyd":     {"n = 32,", "n = 1200,"},
	"grid":      {"n = 30, ncycles = 12", "n = 800, ncycles = 400"},
	"halo":      {"total = 420, steps = 200", "total = 420000, steps = 1000"},
	"heat3d":    {"n = 13, steps = 20, every = 5", "n = 64, steps = 800, every = 200"},
	"irregular": {"n = 60, width = 4, rounds = 6", "n = 300000, width = 4, rounds = 60"},
	"jacobi":    {"n = 28, maxit = 1000", "n = 400, maxit = 4000", "tol = 1.0d-5", "tol = -1.0d0"},
	"lbm":       {"nx = 60, ny = 24, steps = 120, every = 40", "nx = 240, ny = 96, steps = 480, every = 160"},
	"life":      {"n = 12", "n = 800", "generation = 1, 4 * n", "generation = 1, n"},
	"linpack":   {"n = 100", "n = 1000"},
	"lu":        {"n = 40", "n = 1500"},
	"matmul":    {"n = 48", "n = 1000"},
	"md":        {"side = 5,", "side = 9,"},
	"multigrid": {"n = 64,", "n = 1024,"},
	"plate":     {"n = 48", "n = 400", "s < steps", "s < 10 * steps", "limit = 120.0d0", "limit = 1.0d9"},
	"redblack":  {"n = 20, maxsweep = 1000", "n = 400, maxsweep = 1000", "tol = 1.0d-4", "tol = -1.0d0"},
	"shallow":   {"n = 20, steps = 30, every = 10", "n = 300, steps = 360, every = 120"},
	"shapes":    {"it = 1, 2", "it = 1, 4000"},
	"sw":        {"M=24, N=20", "M=300, N=300"},
	"sweep":     {"n = 24, rounds = 4", "n = 20000, rounds = 400"},
	"transpose": {"n = 20, m = 6", "n = 700, m = 80", "it = 1, 3", "it = 1, 40"},
	"wavefront": {"n = 32", "n = 4000"},
}

// profiled are the programs of BenchmarkProfile: all examples.
func profiled(t testing.TB) []example {
	t.Helper()
	all := examples(t)
	for _, pattern := range []string{"*/*.f90", "programs/*/*.[hf]*"} {
		sources, err := filepath.Glob(pattern)
		if err != nil || len(sources) == 0 {
			t.Fatalf("%s: %d programs, %v", pattern, len(sources), err)
		}
		for _, source := range sources {
			base := strings.TrimSuffix(source, filepath.Ext(source))
			e := example{name: filepath.Base(base), source: source}
			if in := base + ".in"; exists(in) {
				e.input = in
			}
			if e.name == filepath.Base(filepath.Dir(source)) {
				all = append(all, e)
			}
		}
	}
	return all
}

// BenchmarkProfile says what measuring costs each example on 2 PEs. As in BenchmarkSync the programs run in rounds, linked in
// several orders, and what is told are medians over rounds and orders of ratios of times:
//
//	ratio   a run with a profile over one of the same program without; ± is about its error
//	regions the program with regions, which measures nothing, over that without regions
//	noise   the program without regions over itself, linked another way
//	us      from one region or activity of a PE to the next
//
// The times are those from the first statement to the last.
//
//	go test ./examples -run - -bench Profile
func BenchmarkProfile(b *testing.B) {
	const pes = 2
	for _, e := range profiled(b) {
		b.Run(e.name, func(b *testing.B) {
			source := lengthen(b, e, sized[e.name])
			dir := b.TempDir()
			profile, stats := filepath.Join(dir, "profile"), filepath.Join(dir, "stats")
			runs := map[string]func(int) time.Duration{}
			add := func(name, program string, args ...string) {
				runs[name] = func(int) time.Duration {
					timed(b, e, program, fmt.Sprint(pes), append(args, "-stats-json="+stats)...)
					var s struct{ Seconds float64 }
					readJSON(b, stats, &s)
					return time.Duration(s.Seconds * 1e9)
				}
			}
			const with, off, without = "with", "off", "without"
			for name, flags := range map[string][]string{off: {"--profile"}, without: nil} {
				module := filepath.Join(dir, name)
				spmdc(b, append(append([]string{"compile"}, flags...), "--pes="+fmt.Sprint(pes), "-o", module, source)...)
				for layout, program := range link(b, module) {
					add(fmt.Sprint(name, layout), program)
					if flags != nil {
						add(fmt.Sprint(with, layout), program, "-profile="+profile)
					}
				}
			}
			times := inRounds(b, runs)
			ratio := func(a, b string, shift int) (median, noise float64) {
				var of, to []float64
				for layout := range layouts {
					of = append(of, times[fmt.Sprint(a, (layout+shift)%layouts)]...)
					to = append(to, times[fmt.Sprint(b, layout)]...)
				}
				return paired(of, to)
			}
			measuring, noise := ratio(with, off, 0)
			regions, _ := ratio(off, without, 0)
			layout, _ := ratio(without, without, 1)
			var p measuredRun
			readJSON(b, profile, &p)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(1e3*rounds.Quantile(times[fmt.Sprint(without, 0)], 0.5), "ms")
			b.ReportMetric(measuring, "ratio")
			b.ReportMetric(noise, "±")
			b.ReportMetric(regions, "regions")
			b.ReportMetric(layout, "noise")
			b.ReportMetric(1e6*p.Seconds*pes/float64(p.events()), "us")
		})
	}
}

// events is how often all PEs were in regions and activities.
func (p *measuredRun) events() (n int64) {
	add := func(list []measuredSum) {
		for _, s := range list {
			n += s.Count
		}
	}
	for _, r := range p.Regions {
		add(r.PEs)
	}
	for _, s := range p.Sites {
		for _, a := range s.Activities {
			add(a.PEs)
		}
	}
	for _, a := range p.Other.Activities {
		add(a.PEs)
	}
	return n
}
