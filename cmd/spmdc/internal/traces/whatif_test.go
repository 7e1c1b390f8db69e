package traces

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// delayed is the trace of a random program on a few PEs, and how long it takes: rounds of a loop,
// a put to the next PE, for which it may have to wait for a ready message, the wait for that of the
// PE before, a reduction or broadcast now and then. One PE executes region 2, which takes delay, in
// each fourth round.
func delayed(seed uint64, delay int64) (*Trace, int64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	n, late := 2+rnd.IntN(4), 0
	late = rnd.IntN(n)
	handshake := rnd.IntN(2) == 0
	d := tracefile.Definitions{Program: "p", PEs: n,
		Regions: []tracefile.RegionDef{{Parent: -1, Kind: "program", Name: "p", File: "p.hpf", Line: 1, Last: 99}, {Kind: "loop", Name: "i", File: "p.hpf", Line: 10, Last: 20},
			{Kind: "region", Name: "late", File: "p.hpf", Line: 30, Last: 33}},
		Sites: []tracefile.SiteDef{{Kind: "shift", Reference: "u(i-1)", Line: 12}, {Kind: "sum", Reference: "s", Line: 40}}, Kept: make([]tracefile.Kept, n)}
	t := &Trace{File: &tracefile.File{Definitions: d}, PE: make([][]tracefile.Event, n)}
	now := make([]int64, n)
	add := func(pe int, kind tracefile.Kind, id, peer, number int, until int64) {
		t.PE[pe] = append(t.PE[pe], tracefile.Event{Kind: kind, ID: id, Began: now[pe], Took: until - now[pe], Number: uint64(number), Peer: peer})
		now[pe] = until
	}
	each := func(f func(pe, before, behind int)) {
		for pe := range n {
			f(pe, (pe+n-1)%n, (pe+1)%n)
		}
	}
	const lag = 20 // of a wait
	for round := range 40 {
		each(func(pe, _, _ int) {
			add(pe, tracefile.Region, 1, -1, round, now[pe]+500+rnd.Int64N(1500))
			if pe == late && round%4 == 1 && delay > 0 {
				add(pe, tracefile.Region, 2, -1, round, now[pe]+delay)
			}
			now[pe] += 30
		})
		if handshake && round > 0 {
			readied := slices.Clone(now) // below, in the round before
			each(func(pe, _, behind int) {
				s := t.PE[behind][slices.IndexFunc(t.PE[behind], func(e tracefile.Event) bool { return e.Kind == tracefile.Ready && e.Number == uint64(round-1) })]
				readied[pe] = max(now[pe], s.Began+s.Took) + lag
			})
			each(func(pe, _, behind int) { add(pe, tracefile.WaitReady, 0, behind, round-1, readied[pe]) })
		}
		each(func(pe, _, behind int) { add(pe, tracefile.Put, 0, behind, round, now[pe]+100) })
		sent := slices.Clone(now)
		each(func(pe, before, _ int) { add(pe, tracefile.Arrival, 0, before, round, max(now[pe], sent[before])+lag) })
		if handshake {
			each(func(pe, before, _ int) { add(pe, tracefile.Ready, 0, before, round, now[pe]+40) })
		}
		switch rnd.IntN(5) {
		case 0:
			last := slices.Max(now)
			each(func(pe, _, _ int) { add(pe, tracefile.Reduction, 1, -1, round, last+60) })
		case 1:
			root := now[round%n]
			each(func(pe, _, _ int) {
				until := max(now[pe], root) + lag
				if pe == round%n {
					until = now[pe] + 10
				}
				add(pe, tracefile.Broadcast, 1, round%n, round, until)
			})
		}
	}
	each(func(pe, _, _ int) {
		t.PE[pe] = append([]tracefile.Event{{Kind: tracefile.Region, Took: now[pe], Peer: -1}}, t.PE[pe]...)
	})
	t.match()
	return t, slices.Max(now)
}

// TestWhatIf: of random programs with a delay, what the run would take without the delayed region
// is what it takes without the delay; the delay is on the path with its length, and to blame.
func TestWhatIf(t *testing.T) {
	for seed := range uint64(50) {
		const delay = 40_000
		trace, _ := delayed(seed, delay)
		_, undelayed := delayed(seed, 0)
		c := trace.Critical()
		at := slices.IndexFunc(c.Parts, func(x *Part) bool { return x.What == "region late" })
		if at < 0 || c.Parts[at].Lines != "30-33 of p.hpf" && c.Parts[at].Lines != "30-33" || c.Parts[at].Without == nil {
			t.Fatalf("seed %d: the delay is not there: %+v", seed, c.Notes)
		}
		x := c.Parts[at]
		if got, want := *x.Without*1e9, float64(undelayed); math.Abs(got-want) > 0.01*want {
			t.Errorf("seed %d: without the delay %.0f ns, want %.0f", seed, got, want)
		}
		if want := 10 * delay * 1e-9; math.Abs(x.Path-want) > 0.05*want || at != 0 {
			t.Errorf("seed %d: %g s of the delay are on the path, want %g", seed, x.Path, want)
		}
		for _, y := range c.Parts {
			if y.Blame > x.Blame {
				t.Errorf("seed %d: %s is more to blame than the delay", seed, y.What)
			}
		}
	}
}

// TestWithoutReady: a run that waits for ready messages is shorter without them, and Text says so.
func TestWithoutReady(t *testing.T) {
	for seed := range uint64(20) {
		trace, _ := delayed(seed, 0)
		handshake := slices.ContainsFunc(trace.PE[0], func(e tracefile.Event) bool { return e.Kind == tracefile.WaitReady })
		c := trace.Critical()
		if (c.WithoutReady != nil) != handshake || handshake && *c.WithoutReady >= c.Length {
			t.Errorf("seed %d: %g s, without ready messages %v", seed, c.Length, c.WithoutReady)
		}
		var b strings.Builder
		if err := c.Text(&b); err != nil || strings.Contains(b.String(), "without waits for ready messages") != handshake {
			t.Errorf("seed %d: %v\n%s", seed, err, b.String())
		}
	}
}
