package trace

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/spmd"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

// twoProcesses runs body on three PEs, of which the observer of one process has the first and that
// of another one the others, and returns the trace and the profile of the first.
func twoProcesses(t *testing.T, set func(*observer), body func(r *Recorder)) (*tracefile.File, map[string]any) {
	t.Helper()
	dir := t.TempDir()
	program := &spmd.Program{Name: "p", File: "p.hpf", Sites: []spmd.Site{{Line: 3, Kind: "sum", Ref: "s"}}}
	const n = 3
	var all [2]*observer
	for i, firstCount := range [][2]int{{0, 1}, {1, 2}} {
		o := &observer{regions: []Region{{-1, "program", "p", 1, 9}, {0, "loop", "t", 4, 8}, {1, "loop", "i", 5, 7}}, memory: 1, selected: selection{every: 1}}
		o.trace, o.profile.on, o.profile.file = filepath.Join(dir, "trace"), true, filepath.Join(dir, "profile")
		set(o)
		if on, err := o.Begin(program, n, firstCount[0], firstCount[1]); !on || err != nil {
			t.Fatal(on, err)
		}
		all[i] = o
	}
	err := inproc.Run(n, func([]transport.Wait) error { return nil }, func(tr transport.Transport) {
		observed, end := all[min(tr.PE(), 1)].PE(tr)
		observed.Start()
		r := observed.(*locking).Recorder
		body(r)
		end()
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := all[1].Report()
	if err == nil {
		for _, damaged := range [][]byte{nil, report[:7], report[:100], append(slices.Clone(report[:8]), make([]byte, len(report)-8)...)} {
			if err := all[0].Add(damaged); !errors.Is(err, errReport) {
				t.Errorf("%v of a report that is damaged", err)
			}
		}
		err = all[0].Add(report)
	}
	if err == nil {
		err = all[0].End(&spmd.Stats{Sites: program.Sites, PEs: slices.Repeat([][]spmd.Counts{make([]spmd.Counts, 2)}, n)}, time.Second, os.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(all[0].trace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	st, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Read(file, st.Size())
	if err != nil || f.Cut != "" {
		t.Fatal(err, f.Cut)
	}
	text, err := os.ReadFile(all[0].profile.file)
	var profile map[string]any
	if err == nil {
		err = json.Unmarshal(text, &profile)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f, profile
}

// numbers are the executions of a region that the trace has of each PE.
func numbers(t *testing.T, f *tracefile.File, region int) [][]uint64 {
	t.Helper()
	all := make([][]uint64, f.PEs)
	for _, c := range f.Chunks {
		list, err := f.Events(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Kind == tracefile.Region && e.ID == region {
				all[c.PE] = append(all[c.PE], e.Number)
			}
		}
	}
	return all
}

// TestReports: one profile and one trace have what the PEs of two processes measured. Of iterations they
// keep the same, also of the last ones, about which they have not agreed.
func TestReports(t *testing.T) {
	const n = 1000
	planted := map[int]int{100: 0, 500: 2, 997: 1} // iteration and PE
	began := ticks()
	body := func(r *Recorder) {
		now := began
		r.enter(1, now)
		for i := range n {
			r.next(now)
			r.enter(2, now)
			now += 1000 + int64(7*i%13)
			if pe, ok := planted[i]; ok && pe == r.PE() {
				now += 2000
			}
			r.leave(now)
			if i%10 == 0 {
				r.Barrier(0)
			}
		}
		r.leave(now)
	}
	f, profile := twoProcesses(t, func(o *observer) { o.selected.outliers = 3 }, body)
	for pe, got := range numbers(t, f, 2) {
		if want := []uint64{100, 500, 997}; !slices.Equal(got, want) {
			t.Errorf("PE %d keeps iterations %v, want %v", pe, got, want)
		}
		if k := f.Kept[pe]; k.Unselected != n-3+n/10-2 || len(k.Dropped) > 0 {
			t.Errorf("PE %d: %+v", pe, k)
		}
	}
	f, _ = twoProcesses(t, func(*observer) {}, body)
	for pe, got := range numbers(t, f, 2) {
		if len(got) != n || !slices.IsSorted(got) {
			t.Errorf("PE %d: %d iterations", pe, len(got))
		}
	}
	regions := profile["regions"].([]any)
	if got := regions[2].(map[string]any)["pes"].([]any); len(got) != 3 || got[2].(map[string]any)["count"] != float64(n) {
		t.Errorf("%v", got)
	}
}

// TestAlign: of clocks that are behind, and run at other rates, the messages between all hosts say how
// far, within less than what the shortest of them take; and no message arrives before it is sent.
func TestAlign(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, drift := range []float64{0, 40e-6, -3e-5} {
		clock := func(host int, t float64) float64 { // of a host
			return (t + 7.5e9*float64(host)) / (1 + drift*float64(host))
		}
		orders := map[[2]int][]order{}
		for i := range 6000 {
			sent := 1e5 * float64(i)
			arrives := sent + 5000 + 1e5*rnd.Float64()*rnd.Float64()
			g := i % 3
			h := (g + 1 + i/3%2) % 3
			key := [2]int{g, h}
			orders[key] = append(orders[key], order{clock(g, sent), clock(h, arrives)})
		}
		tight := map[[2]int][]order{}
		for key, list := range orders {
			tight[key] = tightest(slices.Clone(list))
			if len(tight[key]) > len(list)/4 {
				t.Errorf("%d of %d orders are left", len(tight[key]), len(list))
			}
		}
		set := align([]int{0, 1, 2}, tight)
		for h := range 3 {
			for _, now := range []float64{0, 1e8, 6e8} {
				if got := set[h].of(clock(h, now)); math.Abs(got-now) > 5000 {
					t.Errorf("drift %g, host %d: time %.0f is taken for %.0f", drift, h, now, got)
				}
			}
		}
		for key, list := range orders {
			for _, o := range list {
				if first, then := set[key[0]].of(o.first), set[key[1]].of(o.then); first > then {
					t.Fatalf("drift %g, hosts %v: %.0f comes before %.0f", drift, key, first, then)
				}
			}
		}
	}
	// A few rounds alone say nothing of the rate.
	few := map[[2]int][]order{{0, 1}: {{100, 50}, {300, 250}}, {1, 0}: {{60, 200}, {260, 400}}}
	if got := align([]int{0, 1}, few)[1]; got != (behind{95, 0}) {
		t.Errorf("%+v", got)
	}
}

// TestClocks: times of hosts whose clocks differ become those of PE 0's; processes of one host have one clock.
func TestClocks(t *testing.T) {
	d := &tracefile.Definitions{PEs: 4, Regions: make([]tracefile.RegionDef, 1), Sites: make([]tracefile.SiteDef, 1)}
	message := func(pe, peer int, kind tracefile.Kind, at int64) chunks {
		var c chunks
		c.add(pe, tracefile.Messages, []tracefile.Event{{Kind: kind, Began: at, Peer: peer, Number: 1}})
		return c
	}
	// Host B's ticks are two nanoseconds, of host A one; a tick of B at 5000 is 1_000_000 of A.
	a := &apart{count: 1, reports: []*report{
		{Clock: 1_000_000, Rate: 1, PEs: make([]measured, 1), Rounds: []round{{1_000_100, 1_000_300}}, Events: message(0, 2, tracefile.Put, 1000)},
		{First: 1, Clock: 1_000_050, Rate: 1, PEs: make([]measured, 1)},
		{First: 2, Head: 2, Clock: 5000, Rate: 2, PEs: make([]measured, 1), Rounds: []round{{5050, 5150}}, Events: message(2, 0, tracefile.Arrival, 490)},
		{First: 3, Head: 2, Clock: 5010, Rate: 2.1, PEs: make([]measured, 1)},
	}}
	clocks, err := a.clocks(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	// The round says between -200 and 200, the message, which arrives at 980 by B's clock, 20 at least.
	want := []affine{{0, 1}, {50, 1}, {110, 2}, {130, 2}}
	if !reflect.DeepEqual(clocks, want) {
		t.Errorf("%v, want %v", clocks, want)
	}
}
