package examples_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
)

// barrierReport is what spmdc barriers report writes as JSON.
type barrierReport struct {
	Total       barrierCounts
	Subcontexts []struct {
		Path     []string
		Contexts int
		barrierCounts
	}
	Contexts []struct {
		Path  []string
		State string
	}
}

type barrierCounts struct {
	Barriers, Executed, Redundant, Table1 uint64
}

func (c barrierCounts) elided() uint64 { return c.Barriers - c.Executed }

// readLog makes a report of the log that a run has written.
func readLog(t *testing.T, log string) (r barrierReport) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	spmdc(t, "barriers", "report", "-o", report, log)
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return r
}

// TestElision: every example with barriers prints the same when barriers are left
// out, as the run learns and by plan, and the checks of --check find each put ordered
// by what is left. A plan elides what training found always redundant.
func TestElision(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	counts := []int{3}
	builds := [][]string{nil}
	if effort.All() {
		counts, builds = []int{1, 3, 7}, append(builds, []string{"--check"})
	}
	for _, e := range examples(t) {
		if e.name != "jacobi" && !effort.Share(e.name, 2) {
			continue
		}
		for _, flags := range builds {
			t.Run(e.name+strings.Join(flags, ""), func(t *testing.T) {
				t.Parallel()
				program := build(t, e.source, "barrier", flags...)
				counts := counts
				if flags != nil {
					counts = []int{2}
				}
				dir := t.TempDir()
				log, plan, profile := filepath.Join(dir, "log"), filepath.Join(dir, "plan"), filepath.Join(dir, "profile")
				for _, n := range counts {
					learn := []string{"-barriers=learn", "-barriers-log=" + log}
					if flags == nil { // it measures itself too
						learn = append(learn, "-profile="+profile)
					}
					e.check(t, program, n, learn...)
					online := readLog(t, log)
					if flags == nil {
						var p measuredRun
						readJSON(t, profile, &p)
						if got := p.times("elided barrier"); got != int64(n)*int64(online.Total.elided()) {
							t.Errorf("%d PEs: the profile has %d elided barriers, each PE elides %d", n, got, online.Total.elided())
						}
					}
					e.check(t, program, n, "-barriers-log="+log)
					audit := readLog(t, log)
					spmdc(t, "barriers", "classify", "--accept", "-o", plan, log)
					e.check(t, program, n, "-barriers=plan:"+plan, "-barriers-log="+log)
					planned := readLog(t, log)

					// One PE alone may execute loops without their barriers.
					if n > 1 && audit.Total.Barriers == 0 || audit.Total.elided() != 0 {
						t.Errorf("%d PEs: an audit executes %d of %d barriers", n, audit.Total.Executed, audit.Total.Barriers)
					}
					var always uint64
					for _, s := range audit.Subcontexts {
						always += s.Barriers
					}
					if got := planned.Total.elided(); got != always || planned.Total.Barriers != audit.Total.Barriers {
						t.Errorf("%d PEs: the plan elides %d of %d barriers, training found %d of %d always redundant", n, got, planned.Total.Barriers, always, audit.Total.Barriers)
					}
					if got := online.Total.elided(); got > audit.Total.Redundant || audit.Total.Redundant > audit.Total.Table1 {
						t.Errorf("%d PEs: %d elided online, %d redundant by Table 3, %d by Table 1", n, got, audit.Total.Redundant, audit.Total.Table1)
					}
					if e.name == "jacobi" && n > 1 && (planned.Total.Executed*20 > planned.Total.Barriers || online.Total.Executed*5 > online.Total.Barriers) {
						t.Errorf("%d PEs: executed online %d, by plan %d of %d barriers, each behind a reduction", n, online.Total.Executed, planned.Total.Executed, planned.Total.Barriers)
					}
				}
			})
		}
	}
}

// TestMisspeculation: a program begins to need barriers after they have been
// elided. Where that is wrong each run says so, with exit status 4; where all PEs
// break consensus together, or nobody comes to another barrier, the answer is right.
// With a blacklist a run that follows is right.
func TestMisspeculation(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	repeat := effort.Of(15, 3)
	program := build(t, "testdata/elide/lateborder.hpf", "barrier", "--check")
	dir := t.TempDir()
	for _, test := range []struct {
		name                  string
		n, steps, limit, rest int
		byPlan                bool
		want                  string // of the message; empty: the answer is right
	}{
		{name: "some go to the end", n: 4, steps: 31, limit: 17, rest: 0, want: "a PE went to the end of the program"},
		{name: "some go to the end long before", n: 4, steps: 600, limit: 17, rest: 0, want: "a PE went to the end of the program"},
		{name: "some go to a collective", n: 4, steps: 31, limit: 17, rest: 1, want: "other PEs did not come"},
		{name: "some go to another barrier", n: 4, steps: 31, limit: 17, rest: 2, want: "consensus was broken by some PEs only"},
		{name: "by plan", n: 3, steps: 40, limit: 24, rest: 2, byPlan: true, want: "a PE went to the end of the program"},
		{name: "all PEs", n: 4, steps: 40, limit: 64, rest: 1},
		{name: "all of two PEs", n: 2, steps: 40, limit: 40, rest: 2},
		{name: "no barrier follows", n: 4, steps: 30, limit: 17, rest: 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			input := filepath.Join(t.TempDir(), "input")
			write := func(first int) {
				if err := os.WriteFile(input, fmt.Appendf(nil, "%d %d %d %d\n", test.steps, first, test.limit, test.rest), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			n := fmt.Sprint(test.n)
			mode := "-barriers=learn"
			if test.byPlan {
				log, plan := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "plan")
				write(10000) // training does not see what comes
				run(t, input, program, "-n", n, "-barriers-log="+log)
				spmdc(t, "barriers", "classify", "--accept", "-o", plan, log)
				mode = "-barriers=plan:" + plan
			}
			write(30)
			want := run(t, input, program, "-n", n)
			for range repeat {
				got, err := tryRun(input, program, "-n", n, mode)
				if test.want == "" {
					if err != nil || got != want {
						t.Fatalf("%v, %q, want %q", err, got, want)
					}
					continue
				}
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 4 {
					t.Fatalf("exit status 4 wanted: %v", err)
				}
				for _, part := range []string{"misspeculation at barrier 31", test.want, "PE 0 waits at barrier 31 in lateborder.hpf:19", "PE " + fmt.Sprint(test.n-1) + " elided it "} {
					if !strings.Contains(err.Error(), part) {
						t.Fatalf("%q is missing in %v", part, err)
					}
				}
			}
			if test.want == "" {
				return
			}
			list := filepath.Join(dir, "blacklist"+strings.ReplaceAll(test.name, " ", "-"))
			runs := 0
			for ; ; runs++ { // each run adds a context that none before it had
				got, err := tryRun(input, program, "-n", n, mode, "-barriers-blacklist="+list)
				if err == nil {
					if got != want {
						t.Fatalf("with a blacklist: %q, want %q", got, want)
					}
					break
				}
				if runs == 3 || !strings.Contains(err.Error(), "1 contexts added") {
					t.Fatalf("with the blacklist of %d runs: %v", runs, err)
				}
			}
			if runs == 0 {
				t.Error("no run failed")
			}
		})
	}
}

// TestCoarrayElision: programs with coarrays print the same when barriers are left
// out; the checks of --check find nothing, and the race detector finds every access
// ordered by what is left.
func TestCoarrayElision(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	counts, builds := []int{3}, [][]string{nil}
	if effort.All() {
		counts, builds = []int{1, 3, 7}, append(builds, []string{"--check"}, []string{"--race"})
	}
	for _, source := range coarrayPrograms(t) {
		if filepath.Dir(source) == "testdata/coarray" && !effort.Share(filepath.Base(source), 2) {
			continue
		}
		for i, flags := range builds {
			t.Run(source+strings.Join(flags, ""), func(t *testing.T) {
				t.Parallel()
				counts := counts
				if flags != nil {
					counts = []int{2 * i} // 2 images checked, 4 under the race detector
				}
				want := images(t, source)
				input := beside(source, ".in")
				program := build(t, source, plans[0], flags...)
				if _, err := tryRun(input, program, "-n", "2", "-barriers=learn"); err != nil && strings.Contains(err.Error(), "no barriers to leave out") {
					return // all its synchronisations are of other kinds
				}
				dir := t.TempDir()
				log, plan := filepath.Join(dir, "log"), filepath.Join(dir, "plan")
				for _, n := range counts {
					if _, is := want[n]; !is {
						continue
					}
					check := func(args ...string) {
						t.Helper()
						args = append([]string{"-n", fmt.Sprint(n), "-barriers-log=" + log}, args...)
						if err := compare.Lines(want[n], run(t, input, program, args...), compare.Default); err != nil {
							t.Errorf("%v: %v", args, err)
						}
					}
					if err := compare.Lines(want[n], run(t, input, program, "-n", fmt.Sprint(n), "-barriers=off"), compare.Default); err != nil {
						t.Errorf("%d images, all barriers: %v", n, err)
					}
					check("-barriers=learn")
					online := readLog(t, log)
					check()
					audit := readLog(t, log)
					spmdc(t, "barriers", "classify", "--accept", "-o", plan, log)
					check("-barriers=plan:" + plan)
					planned := readLog(t, log)
					if _, name := filepath.Split(source); !slices.ContainsFunc(layered, func(l layeredExample) bool { return l.name+".f90" == name }) {
						continue
					}
					if planned.Total.elided()*100 < 95*audit.Total.Redundant {
						t.Errorf("%d images: the plan elides %d of %d redundant barriers, less than 95 %%", n, planned.Total.elided(), audit.Total.Redundant)
					}
					// figure9 as it is here is too short to learn.
					if online.Total.elided()*100 < 80*audit.Total.Redundant && !strings.Contains(source, "figure9") {
						t.Errorf("%d images: %d of %d redundant barriers are elided as learned, less than 80 %%", n, online.Total.elided(), audit.Total.Redundant)
					}
				}
			})
		}
	}
}

// Layered libraries whose clients need few of their barriers: a run that is long
// enough to learn leaves out most of those that are redundant.
func TestCoarrayElisionOnline(t *testing.T) {
	program := build(t, "figure9/figure9.f90", plans[0])
	input, log := filepath.Join(t.TempDir(), "input"), filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(input, []byte("60 80\n"), 0o666); err != nil { // 60 % of 1,000 contexts, 80 rounds
		t.Fatal(err)
	}
	run(t, input, program, "-n", "2", "-barriers=learn", "-barriers-log="+log)
	r := readLog(t, log).Total
	if elided := r.elided(); r.Redundant != 600*80 || elided != 600*70 {
		t.Errorf("%d elided of %d redundant of %d barriers, 60 %% of 80,000 are redundant, and ten rounds are for learning", elided, r.Redundant, r.Barriers)
	}
}

// Images that come to barriers in ways that training did not see, with other
// operations in which they wait for each other: each misspeculation is reported, and
// with a blacklist the answer is right.
func TestCoarrayMisspeculation(t *testing.T) {
	repeat := effort.Of(15, 3)
	program := build(t, "testdata/elide/divergence.f90", plans[0])
	for choice, want := range map[int]string{
		1: "consensus was broken by some images only",
		2: "", // all images broke it
		3: "images are at different barriers",
		4: "other images did not come",
		5: "other images did not come",
		6: "an image went to the end of the program",
	} {
		t.Run(fmt.Sprint(choice), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			input, list := filepath.Join(dir, "input"), filepath.Join(dir, "blacklist")
			if err := os.WriteFile(input, fmt.Appendln(nil, choice), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, n := range []string{"2", "3", "4"} {
				right := run(t, input, program, "-n", n)
				for range repeat {
					got, err := tryRun(input, program, "-n", n, "-barriers=learn")
					var exit *exec.ExitError
					switch {
					case want == "":
						if err != nil || compare.Lines(right, got, compare.Default) != nil {
							t.Fatalf("%s images: %v, %s", n, err, got)
						}
					case !errors.As(err, &exit) || exit.ExitCode() != 4 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "divergence.f90:10"):
						t.Fatalf("%s images, exit status 4 and %q wanted: %v", n, want, err)
					}
				}
			}
			if want == "" {
				return
			}
			for runs := 0; ; runs++ {
				got, err := tryRun(input, program, "-n", "3", "-barriers=learn", "-barriers-blacklist="+list)
				if err == nil {
					if right := run(t, input, program, "-n", "3"); runs == 0 || compare.Lines(right, got, compare.Default) != nil {
						t.Errorf("after %d runs: %s, want %s", runs, got, right)
					}
					return
				}
				if runs == 5 {
					t.Fatalf("the blacklist of %d runs is not enough: %v", runs, err)
				}
			}
		})
	}
}

// A run that another error ends, while a PE waits in a barrier that others have
// elided, tells of both and does not hang.
func TestMisspeculationInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	program := build(t, "testdata/elide/lateborder.hpf", "barrier")
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	cmd := program.CommandContext(ctx, "-n", "4", "-barriers=learn")
	cmd.Stdin = strings.NewReader("31 30 17") // READ fails on all PEs: not enough numbers
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Contains(string(out), "misspeculation") {
		t.Errorf("%v\n%s", err, out)
	}
}
