package dataflow_test

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/replay"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/ir/blockcyclic"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/procfunc"
)

// stripped is plan elide with temporaries in strips.
func (a *analysis) stripped(size int) *plan.Plan {
	return search.Make(a.program, plan.Elide, a.functions, search.Options{Strip: size})
}

// TestGetsAreUses is row 20: what comes in strips is read in the owner's memory, and
// the owner waits until all are done before it overwrites it. Without the messages
// that tell so the plan does not verify, and the checker reports each run, whoever is
// fast; a PE that is slow makes it happen.
func TestGetsAreUses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	a := analyze(t, "testdata/defects/20-strips.hpf")
	mains := map[string][]byte{}
	for _, size := range []int{1, 5} {
		sound := a.stripped(size)
		if err := verify.Plan(sound); err != nil {
			t.Fatal(err)
		}
		wrong := a.stripped(size)
		if !wrong.Slots[0].Strip.Completes {
			t.Fatalf("nobody tells the owners:\n%s", wrong.Explain())
		}
		wrong.Slots[0].Strip.Completes = false
		if err := verify.Plan(wrong); err == nil || !strings.Contains(err.Error(), "#1 comes in strips, and its source may be overwritten too early: there is no proof that gets are over") {
			t.Errorf("strips of %d without messages that gets are over: %v", size, err)
		}
		for name, p := range map[string]*plan.Plan{"sound": sound, "wrong": wrong} {
			code, err := emit(p)
			if err != nil {
				t.Fatal(err)
			}
			mains[fmt.Sprint(name, size)] = code
		}
	}
	handshake, err := emit(a.plan(plan.Handshake))
	if err != nil {
		t.Fatal(err)
	}
	mains["handshake"] = handshake
	b, err := build(t.TempDir(), mains)
	if err != nil {
		t.Fatal(err)
	}
	want := b.run(t, "handshake").stdout
	for _, size := range []string{"1", "5"} {
		for _, n := range []string{"3", "2", "4", "7"}[:effort.Of(4, 1)] {
			if r := b.run(t, "sound"+size, "-n", n, "-hold", "1"); !r.clean() || r.stdout != want {
				t.Errorf("strips of %s on %s PEs: %v", size, n, r)
			}
			// Without the clocks of these messages there is as much to report as without
			// the messages.
			whole, _, ok1 := b.traced(t, "sound"+size, "-n", n)
			muted, _, ok2 := b.traced(t, "sound"+size, "-n", n, "-mute", "1")
			if !ok1 || !ok2 || len(whole.Reported()) > 0 || len(muted.Reported()) == 0 {
				t.Fatalf("strips of %s on %s PEs: with clocks and without %v, %v", size, n, ok1, ok2)
			}
			if got, want := muted.Reported(), whole.Unordered(replay.Options{Mute: map[int]bool{1: true}}); !slices.Equal(got, want) {
				t.Errorf("strips of %s on %s PEs, without clocks: reported %v, the replay finds %v", size, n, got, want)
			}
			r := b.run(t, "wrong"+size, "-n", n)
			if r.status != 1 || !strings.Contains(r.stderr, "overwriting, in line 24, the elements of a that others get, for #1 allgather a(j,i) (line 19) in epoch ") {
				t.Errorf("strips of %s on %s PEs, without messages that gets are over: %v", size, n, r)
			}
			r = b.run(t, "wrong"+size, "-n", n, "-hold", "1")
			if r.status != 1 || !strings.Contains(r.stderr, " comes too early: PE ") {
				t.Errorf("strips of %s on %s PEs, without messages that gets are over, PE 1 held: %v", size, n, r)
			}
			if tr, _, ok := b.traced(t, "wrong"+size, "-n", n); ok {
				if got, want := tr.Reported(), tr.Unordered(replay.Options{}); !slices.Equal(got, want) || len(got) == 0 {
					t.Errorf("strips of %s on %s PEs: reported %v, the replay finds %v", size, n, got, want)
				}
			}
		}
	}
}

// TestRandomStrips: many random programs have temporaries that can be in strips, some
// of which nobody has to tell of; the plans verify.
func TestRandomStrips(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many programs")
	}
	programs := effort.Of(150, 30)
	with, proved := 0, 0
	for seed := range uint64(programs) {
		source := randprog.Sample(seed + 1).Source
		tree, diags := parser.Parse("in.hpf", []byte(source))
		p := lower.Lower(tree, diags)
		mapping.Resolve(p, diags)
		if diags.HasErrors() {
			t.Fatalf("%v\n%s", diags.Err(), source)
		}
		blockcyclic.Divide(p, diags)
		c := comm.Analyze(p, scalar.Analyze(p))
		made := search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{Strip: 2})
		if err := verify.Plan(made); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, source)
		}
		for i := range made.Slots {
			if s := made.Slots[i].Strip; s != nil {
				with++
				if !s.Completes {
					proved++
				}
			}
		}
	}
	t.Logf("%d temporaries in strips, %d without messages that gets are over", with, proved)
	if with < programs/4 || proved < programs/10 || proved == with {
		t.Errorf("%d temporaries in strips, %d without messages that gets are over", with, proved)
	}
}

// TestPanels: where two slots do not fit, the program of the README has two that hold a
// strip, sends no ready message, and prints what gfortran's program prints; and so in
// strips of other sizes.
func TestPanels(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	effort.Tool(t, "gfortran", "gfortran")
	a := analyze(t, "testdata/strips/panels.hpf")
	mains := map[string][]byte{}
	for name, o := range map[string]search.Options{"short": {Memory: -1}, "7": {Strip: 7}, "1000": {Strip: 1000}} {
		p := search.Make(a.program, plan.Elide, a.functions, o)
		if err := verify.Plan(p); err != nil {
			t.Fatal(err)
		}
		if s := p.Slots[0]; s.Ready != plan.Never || s.Strip == nil || s.Strip.Completes {
			t.Fatalf("%s: %s", name, p.Explain())
		}
		code, err := emit(p)
		if err != nil {
			t.Fatal(err)
		}
		mains[name] = code
	}
	b, err := build(t.TempDir(), mains)
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "panels")
	if out, err := exec.Command("gfortran", "-fwrapv", "-ffree-form", "-x", "f95", "-o", bin, "testdata/strips/panels.hpf").CombinedOutput(); err != nil {
		t.Fatalf("gfortran: %v\n%s", err, out)
	}
	want, err := strconv.ParseFloat(strings.TrimSpace(execute(t, bin).stdout), 64)
	if err != nil {
		t.Fatal(err)
	}
	for name := range mains {
		for _, n := range []string{"1", "3", "2", "4", "7"}[:effort.Of(5, 2)] {
			r := b.run(t, name, "-n", n, "-hold", "0")
			got, err := strconv.ParseFloat(strings.TrimSpace(r.stdout), 64)
			if !r.clean() || err != nil || math.Abs(got-want) > 1e-10*math.Abs(want) {
				t.Errorf("strips %s on %s PEs: %v, want %v", name, n, r, want)
			}
		}
	}
}
