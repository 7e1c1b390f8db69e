package spmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/replay"
	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
)

// A put that finds its cells free by luck is reported all the same, at the end of
// the run: which PE was fast makes no difference to what is said.
func TestPutsThatAreFreeByLuck(t *testing.T) {
	const want = `prog.hpf:100: PE 0: put of #1 test r0(i) (line 100) to PE 1 in epoch 2 is not ordered: PE 0 cannot know that PE 1 is done with epoch 1 in the overlap of a; 3 more such puts
  nothing makes PE 0 wait for that: the plan lacks a ready message of #1
  the plan says of #1: for luck`
	p := sites(2)
	p.Sites[0].Why = "for luck"
	slow := func(pe *PE) func() {
		return func() { // PE 0 comes later than PE 1, by no message
			if pe.id == 0 {
				pe.orders.Stall(holdLimit)
			}
		}
	}
	for range 3 {
		_, err := Run(p, 2, nil, nil, shifts(Elided, slow))
		if err == nil || strings.Contains(err.Error(), "too early") {
			t.Fatalf("no stray put: %v", err)
		}
		wantError(t, err, want)
	}
}

// A reduction orders what comes behind it; without the clocks of its contributions
// the checker has nothing to go by.
func TestMuted(t *testing.T) {
	sum := func(pe *PE) func() { return func() { Sum(pe, 1, 1) } }
	p := sites(4)
	if _, err := Run(p, 3, nil, nil, shifts(Elided, sum)); err != nil {
		t.Error(err)
	}
	p.Mute = []int{1}
	if _, err := Run(p, 3, nil, nil, shifts(Elided, sum)); err == nil || strings.Count(err.Error(), "is not ordered") != 2 {
		t.Errorf("want 2 pairs of PEs with puts that are not ordered: %v", err)
	}
	p.Mute = []int{0}
	if _, err := Run(p, 3, nil, nil, shifts(Elided, sum)); err != nil {
		t.Error(err)
	}
}

// Messages come from the same execution of the same communication, in the same
// iteration; PEs in one reduction have come there by the same way.
func TestDivergence(t *testing.T) {
	type step = func(pe *PE, c, d *Comm[float64])
	around := func(pe *PE) func(int) Box {
		return func(q int) Box { return pe.Box(dist.Range(max(1, 4*q), min(8, 4*q+4), 1)) }
	}
	do := func(pe *PE, c *Comm[float64]) {
		c.Needs(around(pe))
		c.Post()
		c.Wait()
		c.Done()
	}
	for name, test := range map[string]struct {
		body step
		want []string
	}{
		"iterations": {func(pe *PE, c, d *Comm[float64]) {
			pe.Loop(0, 7)
			pe.Loop(1, 3+pe.id)
			do(pe, c)
		}, []string{"control diverged: PE ", "#1 test r0(i) (line 100) in iteration 7,3", "in iteration 7,4"}},
		"turns": {func(pe *PE, c, d *Comm[float64]) {
			for range 1 + pe.id {
				pe.Turn(0)
			}
			do(pe, c)
		}, []string{"control diverged", "in iteration 1", "in iteration 2"}},
		"ways": {func(pe *PE, c, d *Comm[float64]) {
			// PE 1 comes by a communication in which it needs nothing.
			if pe.id == 1 {
				d.Needs(func(int) Box { return nil })
				d.Post()
				d.Wait()
				d.Done()
			}
			do(pe, c)
		}, []string{"have come to #1 test r0(i) (line 100) by different ways"}},
		"reductions": {func(pe *PE, c, d *Comm[float64]) {
			if pe.id == 1 {
				d.Needs(func(int) Box { return nil })
				d.Post()
				d.Wait()
				d.Done()
			}
			Sum(pe, 2, 1)
		}, []string{"have come to #3 test r2(i) (line 102) by different ways"}},
		"barriers": {func(pe *PE, c, d *Comm[float64]) { pe.Barrier(2 + pe.id) }, []string{"#3 test r2(i) (line 102)", "#4 test r3(i) (line 103)"}},
		"broadcasts": {func(pe *PE, c, d *Comm[float64]) {
			pe.Loop(0, pe.id)
			Bcast(pe, 2, 0, 1)
		}, []string{"#3 test r2(i) (line 102) in iteration 1", "in iteration 0"}},
		"none": {func(pe *PE, c, d *Comm[float64]) {
			for i := range 3 {
				pe.Loop(0, i)
				for range i {
					pe.Turn(1)
					do(pe, d)
				}
				pe.Leave(1)
				do(pe, c)
				Sum(pe, 2, 1)
			}
			pe.Leave(0)
			pe.Barrier(3)
		}, nil},
	} {
		_, err := Run(sites(4), 2, nil, nil, func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(2))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
			c, d := NewComm(pe, 0, a, nil), NewComm(pe, 1, a, nil)
			pe.Start()
			set(a, 1)
			test.body(pe, c, d)
		})
		if (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, w := range test.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v\nwant %q", name, err, w)
			}
		}
	}
}

// What has come stays as it is until its use is over, and epochs are counted.
func TestSlotsAreWatched(t *testing.T) {
	body := func(wrong func(pe *PE, a *Array[float64], c *Comm[float64])) func(*PE) {
		return func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(2))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
			c := NewComm(pe, 0, a, nil)
			pe.Start()
			set(a, 1)
			for range 3 {
				c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				c.Post()
				c.Wait()
				wrong(pe, a, c)
				c.Done()
			}
		}
	}
	fails(t, 2, "", body(func(pe *PE, a *Array[float64], c *Comm[float64]) {
		if pe.id == 1 && c.epoch == 2 {
			a.Data[a.At1(4)]++
		}
	}), "prog.hpf:100: PE 1: what PE 0 put for #1 test r0(i) (line 100) in epoch 2 has changed in the overlap of a before its use was over")
	fails(t, 2, "", body(func(pe *PE, a *Array[float64], c *Comm[float64]) { c.epoch++ }), "#1 test r0(i) (line 100)", "internal error", "is in execution 2")
	spmd(t, 2, "", body(func(*PE, *Array[float64], *Comm[float64]) {}))
}

// The freeze test runs a program once more for each PE, with the input of the first
// run, and compares what they print.
func TestFreeze(t *testing.T) {
	runs := 0
	body := func(mode Mode, print func(pe *PE, x int)) func(*PE) {
		shift := shifts(mode, nil)
		return func(pe *PE) {
			if pe.id == 0 {
				runs++
			}
			shift(pe)
			var x int
			pe.Read(2, nil, &x)
			if pe.id == 0 {
				print(pe, x)
			}
		}
	}
	var out bytes.Buffer
	stats, err := frozen(sites(4), 3, strings.NewReader("17\n"), &out, body(Handshake, func(pe *PE, x int) { pe.Print(x) }))
	if err != nil || strings.TrimSpace(out.String()) != "17" || runs != 4 || stats.Held != 15 { // five epochs each
		t.Errorf("%v: %q, %d runs, %+v", err, out.String(), runs, stats)
	}
	runs = 0
	_, err = frozen(sites(4), 3, strings.NewReader("17\n"), nil, body(Handshake, func(pe *PE, x int) { pe.Print(x + runs/3) }))
	if err == nil || !strings.Contains(err.Error(), "the output is another one when PE 1 is held") {
		t.Errorf("a program that prints something else: %v", err)
	}
	if _, err = frozen(sites(4), 2, nil, nil, shifts(Elided, nil)); err == nil {
		t.Error("nothing orders the puts, and the freeze test is content")
	}
	for epoch, want := range map[uint64]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: false, 7: false, 8: true, 9: true, 10: false, 1 << 20: true, 1<<20 + 2: false} {
		stops := 0
		if got := check.Freeze(2).Here(2, 5, epoch, &stops); got != want || check.Freeze(1).Here(2, 5, epoch, &stops) {
			t.Errorf("epoch %d: %v, want %v", epoch, got, want)
		}
	}
}

// A trace can be replayed: what it finds is what the run has reported.
func TestTraceIsReplayed(t *testing.T) {
	for _, muted := range []bool{false, true} {
		var text bytes.Buffer
		p := sites(4)
		p.Trace = &text
		if muted {
			p.Mute = []int{1}
		}
		sum := func(pe *PE) func() { return func() { Sum(pe, 1, 1) } }
		_, err := Run(p, 3, nil, nil, shifts(Elided, sum))
		tr, terr := replay.Read(&text)
		if terr != nil {
			t.Fatal(terr)
		}
		if !tr.Replay(replay.Options{}).Complete {
			t.Error("the trace is not complete")
		}
		want := 0
		if muted {
			want = 8 // four of PE 0 and four of PE 1
		}
		found := len(tr.Unordered(replay.Options{Mute: map[int]bool{2: muted}}))
		if got := len(tr.Reported()); got != want || found != want || (err == nil) != (want == 0) {
			t.Errorf("muted %v: %d reported, %d in the replay, want %d: %v", muted, got, found, want, err)
		}
	}
}
