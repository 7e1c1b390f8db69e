package spmd

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
)

// heldRun runs body in a check build in which PEs are held, and messages late, at
// places separated by blanks, and returns the error.
func heldRun(t testing.TB, np int, holds, lates string, body func(*PE)) error {
	t.Helper()
	p := sites(4)
	p.Holds, p.Lates = &check.Holds{}, &check.Lates{}
	for _, h := range strings.Fields(holds) {
		if err := p.Holds.Set(h); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range strings.Fields(lates) {
		if err := p.Lates.Set(l); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Run(p, np, nil, nil, body)
	return err
}

// wantError compares an error's text; "" is none.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("error:\n%s\nwant:\n%s", got, want)
	}
}

// shifts repeats a shift to the right, with use of what came, without ready
// messages; answer, if not nil, comes after each use.
func shifts(mode Mode, answer func(pe *PE) func()) func(*PE) {
	return func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
		c := NewComm(pe, 0, a, nil).Sync(mode)
		reply := func() {}
		if answer != nil {
			reply = answer(pe)
		}
		pe.Start()
		for step := range 5 {
			set(a, step)
			c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			c.Post()
			c.Wait()
			c.Done()
			reply()
		}
	}
}

const earlyShift = `prog.hpf:100: PE 0: put of #1 test r0(i) (line 100) to PE 1 in epoch 3 comes too early: PE 1 is not done with epoch 2 in the overlap of a
  nothing makes PE 0 wait for that: the plan lacks a ready message of #1`

// The hold makes the wrong order happen; with ready messages, a barrier or a
// reduction in between there is none to happen.
func TestPutsAreChecked(t *testing.T) {
	barrier := func(pe *PE) func() { return func() { pe.Barrier(1) } }
	sum := func(pe *PE) func() { return func() { Sum(pe, 1, 1) } }
	for range 5 {
		// With an answer after the first use, the first is over for certain.
		first := func(pe *PE) func() {
			n := 0
			return func() {
				if n++; n == 1 {
					pe.Barrier(1)
				}
			}
		}
		wantError(t, heldRun(t, 2, "1,1,2", "", shifts(Elided, first)), earlyShift)
		wantError(t, heldRun(t, 2, "1,1,2", "", shifts(Handshake, nil)), "")
		wantError(t, heldRun(t, 2, "1,1,2", "", shifts(Elided, barrier)), "")
		wantError(t, heldRun(t, 3, "random,1 random,2", "", shifts(Elided, sum)), "")
		wantError(t, heldRun(t, 3, "random,3", "0,1,2 1,1,3", shifts(Handshake, nil)), "")
		wantError(t, heldRun(t, 3, "2,1,4", "0,1,1 0,1,5", shifts(Elided, barrier)), "")
	}
}

// Two communications into one overlap, as in row 12 of the table of defects: the
// second put comes into the cells of the first. Cells on the other side of the
// block, or further out, are other cells.
func TestPutsIntoOneOverlap(t *testing.T) {
	body := func(second func(t dist.Triplet) dist.Triplet) func(*PE) {
		return func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
			a := NewArray[float64](pe, "a", l, [][2]int{{2, 2}})
			x, y := NewComm(pe, 0, a, nil).Sync(Elided), NewComm(pe, 1, a, nil).Sync(Elided)
			pe.Start()
			x.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			x.Post()
			x.Wait()
			x.Done()
			y.Needs(func(q int) Box { return pe.Box(second(l.Owned(q, 0))) })
			y.Post()
			y.Wait()
			y.Done()
		}
	}
	same := func(t dist.Triplet) dist.Triplet { return t.Grow(1, 0) }
	wider := func(t dist.Triplet) dist.Triplet { return t.Grow(2, 0) }
	above := func(t dist.Triplet) dist.Triplet { return t.Grow(0, 2) }
	further := func(t dist.Triplet) dist.Triplet { return dist.Range(t.Lo-2, t.Lo-2, 1) }
	const early = `prog.hpf:101: PE 0: put of #2 test r1(i) (line 101) to PE 1 in epoch 1 comes too early: PE 1 is not done with epoch 1 of #1 test r0(i) (line 100) in the overlap of a
  nothing makes PE 0 wait for that: the plan lacks a ready message of #2`
	for range 5 {
		wantError(t, heldRun(t, 2, "1,1,1", "", body(same)), early)
		wantError(t, heldRun(t, 2, "1,1,1", "", body(wider)), early)
		wantError(t, heldRun(t, 2, "1,1,1", "", body(above)), "")
		wantError(t, heldRun(t, 2, "1,1,1", "", body(further)), "")
	}
}

// A wavefront gives each epoch cells of its own, but all share one flag per pair
// of PEs: the next put must not come before the arrival of the last is seen.
func TestFlagsAreSlotsToo(t *testing.T) {
	body := func(pe *PE) {
		l := dist.NewLayout(axes(whole(1, 4), block(1, 4, 0)), pe.Grid(2))
		a := NewArray[float64](pe, "a", l, [][2]int{{0, 0}, {1, 0}})
		c := NewComm(pe, 0, a, nil).Sync(Elided)
		d := NewComm(pe, 1, a, nil).Sync(Elided)
		pe.Start()
		d.Needs(func(q int) Box { return nil })
		d.Post()
		d.Wait() // PE 1 is held here
		for row := 1; row <= 4; row++ {
			c.Needs(func(q int) Box { return pe.Box(dist.Single(row), l.Owned(q, 1).Grow(1, 0)) })
			c.Post()
			c.Wait()
			c.Done()
		}
		d.Done()
	}
	const early = `prog.hpf:100: PE 0: put of #1 test r0(i) (line 100) to PE 1 in epoch 2 comes too early: PE 1 has not yet seen that epoch 1 arrived
  nothing makes PE 0 wait for that: the plan lacks a ready message of #1`
	for range 5 {
		wantError(t, heldRun(t, 2, "1,2,1", "", body), early)
	}
}

// Row 13 of the table of defects: where CO does not lie on every path, an arrival
// is never awaited, and the next put overtakes it. The flag, or the check of the
// put, tells; nothing goes on with wrong data.
func TestRow13SkippedArrival(t *testing.T) {
	body := func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(2))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
		c := NewComm(pe, 0, a, nil).Sync(Elided)
		pe.Start()
		for step := range 3 {
			c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			c.Post()
			if step != 1 { // as in: if (mask) use
				c.Wait()
			}
			c.Done()
			pe.Barrier(1) // the uses themselves are ordered
		}
	}
	for range 5 {
		wantError(t, heldRun(t, 2, "", "", body),
			`prog.hpf:100: PE 0: put of #1 test r0(i) (line 100) to PE 1 in epoch 3 comes too early: PE 1 has not yet seen that epoch 2 arrived
  nothing makes PE 0 wait for that: the plan lacks a ready message of #1`)
		// Without checks the consumer of epoch 1 may find another epoch.
		p := sites(1)
		p.Check = false
		_, err := Run(p, 2, nil, nil, func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(2))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
			c := NewComm(pe, 0, a, nil).Sync(Elided)
			pe.Start()
			for range 2 {
				c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				c.Post()
			}
			pe.Barrier(0)
			c.epoch = 1
			c.Wait()
		})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, "overrun: expected the put of epoch 1 from PE 0, found epoch 2") {
			t.Errorf("an overtaken arrival: %v", err)
		}
	}
}

// Row 14 of the table of defects: a reduction orders all PEs, whatever messages it
// is made of: nobody leaves it before all have entered.
func TestRow14ReductionOrdersAll(t *testing.T) {
	for _, np := range peCounts {
		var entered atomic.Int64
		err := heldRun(t, np, "random,1 random,2", "", func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(np))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
			c := NewComm(pe, 0, a, nil).Sync(Elided)
			pe.Start()
			for round := 1; round <= 8; round++ {
				c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				c.Post()
				c.Wait() // some are held here
				c.Done()
				entered.Add(1)
				Max(pe, 1, pe.ID())
				if got := entered.Load(); got < int64(np*round) {
					t.Errorf("%d PEs, round %d: left the reduction when %d had entered", np, round, got)
				}
			}
		})
		if err != nil {
			t.Errorf("%d PEs: %v", np, err)
		}
	}
}

// Row 15 of the table of defects: a loop that runs until a sum is small enough
// takes the same number of rounds everywhere, since all PEs get the same bits.
func TestRow15OneAnswerForAll(t *testing.T) {
	for _, np := range peCounts {
		bits, rounds := make([]uint64, np), make([]int, np)
		err := heldRun(t, np, "random,1", "", func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(np))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
			c := NewComm(pe, 0, a, nil).Sync(Elided)
			pe.Start()
			x := 1 / float64(3+pe.ID())
			for sum := 1.0; sum > 1e-3; {
				c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				c.Post()
				c.Wait()
				c.Done()
				x *= 0.7 + 0.01*float64(pe.ID()%7)
				sum = Sum(pe, 1, x)
				bits[pe.ID()] = math.Float64bits(sum)
				rounds[pe.ID()]++
			}
		})
		if err != nil {
			t.Errorf("%d PEs: %v", np, err)
		}
		for q := range np {
			if bits[q] != bits[0] || rounds[q] != rounds[0] {
				t.Errorf("%d PEs: PE %d has %x after %d rounds, PE 0 %x after %d", np, q, bits[q], rounds[q], bits[0], rounds[0])
			}
		}
	}
}

// The late message carries what the source held when it was put.
func TestLateMessagesAreCopies(t *testing.T) {
	err := heldRun(t, 2, "", "0,1,1 0,1,2 0,1,3", func(pe *PE) {
		l := dist.NewLayout(axes(whole(1, 3), block(1, 4, 0)), pe.Grid(2))
		a := NewArray[float64](pe, "a", l, nil)
		tmp := NewTemp[float64](pe, 2, 6)
		c := NewComm(pe, 0, a, tmp)
		pe.Start()
		for step := range 3 {
			set(a, step)
			// Two rows, of which one is left out, in both columns of PE 0.
			box := Box{dist.Range(1, 3, 2), dist.Range(1, 2, 1)}
			c.Needs(func(q int) Box {
				if q == 1 {
					return box
				}
				return nil
			})
			c.Post()
			set(a, 77)
			c.Wait()
			if pe.ID() == 1 {
				each(box, func(x []int) {
					if got := tmp.Data[tmp.At(x...)]; got != value(step, x...) {
						t.Errorf("step %d: element %v is %g, want %g", step, x, got, value(step, x...))
					}
				})
			}
			c.Done()
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// What travels together is checked part by part, and may be late part by part.
func TestPutsInCompany(t *testing.T) {
	body := func(second Mode) func(*PE) {
		return func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
			b := NewArray[int](pe, "b", l, [][2]int{{1, 0}})
			x, y := NewComm(pe, 0, a, nil), NewComm(pe, 1, b, nil).Sync(second)
			both := pe.MessageGroup(x, y)
			z := NewComm(pe, 2, a, NewTemp[float64](pe, 1, 1))
			pe.Start()
			for step := range 3 {
				set(a, step)
				x.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				y.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				both.Post()
				x.Wait()
				x.Done() // and the use of y lasts
				z.Needs(func(q int) Box { return nil })
				z.Post()
				z.Wait() // PE 1 is held here
				z.Done()
				y.Wait()
				if pe.ID() == 1 && a.Data[a.At1(4)] != value(step, 4) {
					t.Errorf("step %d: %g", step, a.Data[a.At1(4)])
				}
				y.Done()
				if second == Elided && step == 0 {
					continue
				}
				pe.Barrier(3)
			}
		}
	}
	for range 5 {
		// x has its ready message, which does not come while PE 1 is held: so
		// nothing of the next message comes, and the group keeps y right.
		wantError(t, heldRun(t, 2, "1,3,1", "", body(Elided)), "")
		wantError(t, heldRun(t, 2, "1,3,2", "0,1,1 0,2,2 0,1,3 0,2,3", body(Handshake)), "")
	}
	// Both without ready messages: x is done with, y is not.
	elided := func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
		b := NewArray[int](pe, "b", l, [][2]int{{1, 0}})
		x, y := NewComm(pe, 0, a, nil).Sync(Elided), NewComm(pe, 1, b, nil).Sync(Elided)
		both := pe.MessageGroup(x, y)
		pe.Start()
		for range 3 {
			x.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			y.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			both.Post()
			x.Wait()
			x.Done()
			pe.Barrier(3)
			y.Wait() // PE 1 is held here
			y.Done()
		}
	}
	for range 5 {
		wantError(t, heldRun(t, 2, "1,2,1", "", elided), `prog.hpf:101: PE 0: put of #2 test r1(i) (line 101) to PE 1 in epoch 2 comes too early: PE 1 is not done with epoch 1 in the overlap of b
  nothing makes PE 0 wait for that: the plan lacks a ready message of #2`)
	}
}
