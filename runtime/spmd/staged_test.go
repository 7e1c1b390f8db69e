package spmd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestStagedCorners is TestForwardedCorners by way of stages: what comes from all
// PEs finds its place, whoever sends it, and later phases find it in the overlap.
func TestStagedCorners(t *testing.T) {
	for _, c := range shadowCases {
		for _, np := range peCounts {
			for slots := 1; slots <= 3; slots++ {
				mode := []Mode{Handshake, Elided}[slots%2]
				t.Run(fmt.Sprintf("%s/%d/%d", c.name, np, slots), func(t *testing.T) {
					spmd(t, np, "", func(pe *PE) {
						l := dist.NewLayout(c.m, pe.Grid(c.grid...))
						a := NewArray[float64](pe, "a", l, c.shadow)
						var phases []*Comm[float64]
						var before []int
						for axis := range l.Rank() {
							phases = append(phases, NewStaged(pe, 0, a, slots, -1).Forward(before...).Sync(mode))
							before = append(before, axis)
						}
						pe.Start()
						for step := range 5 {
							fillOverlap(t, pe, a, c.shadow, phases, mode, step)
						}
					})
				})
			}
		}
	}
}

// neighbours repeats the exchange with both neighbours, as a Jacobi iteration
// does, with nothing else that orders PEs. make makes the two communications.
func neighbours(t *testing.T, inTurn bool, make func(pe *PE, site int, a *Array[float64]) *Comm[float64]) func(*PE) {
	return func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
		left, right := make(pe, 0, a), make(pe, 1, a)
		pe.Start()
		for step := range 6 {
			set(a, step)
			left.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			left.Post()
			if inTurn {
				left.Wait()
			}
			right.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(0, 1)) })
			right.Post()
			if !inTurn {
				left.Wait()
			}
			right.Wait()
			own := a.Owned(0)
			for _, i := range []int{own.Lo - 1, own.Hi() + 1} {
				if i >= 1 && i <= 16 && a.Data[a.At1(i)] != value(step, i) {
					t.Errorf("PE %d step %d: a(%d) = %g, want %g", pe.ID(), step, i, a.Data[a.At1(i)], value(step, i))
				}
			}
			left.Done()
			right.Done()
		}
	}
}

// TestExchangesWithoutReadyMessages: an exchange with both neighbours is free with
// two stages, or with one when one side completes before the other starts; with
// one for both at once a PE that is held is overtaken, which the check finds.
func TestExchangesWithoutReadyMessages(t *testing.T) {
	staged := func(slots int) func(pe *PE, site int, a *Array[float64]) *Comm[float64] {
		return func(pe *PE, site int, a *Array[float64]) *Comm[float64] {
			return NewStaged(pe, site, a, slots, 0).Sync(Elided)
		}
	}
	direct := func(pe *PE, site int, a *Array[float64]) *Comm[float64] {
		return NewComm(pe, site, a, nil).Sync(Elided)
	}
	for range 3 {
		for _, np := range []int{2, 3, 4} {
			for _, holds := range []string{"1", "0", "random,1 random,2", "1,2,2"} {
				wantError(t, heldRun(t, np, holds, "", neighbours(t, false, staged(2))), "")
				wantError(t, heldRun(t, np, holds, "", neighbours(t, false, staged(3))), "")
				wantError(t, heldRun(t, np, holds, "", neighbours(t, true, staged(1))), "")
			}
		}
		wantEarly(t, heldRun(t, 2, "1,2,3", "", neighbours(t, true, direct)), "in the overlap of a")
		wantEarly(t, heldRun(t, 2, "1,1,3", "", neighbours(t, false, staged(1))), "in the stage for a")
	}
}

// wantEarly wants the error of some put that came too early, into that memory.
func wantEarly(t *testing.T, err error, memory string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "comes too early") || !strings.Contains(err.Error(), memory+"\n") {
		t.Errorf("error %v, want of a put that comes too early %s", err, memory)
	}
}

// reversal repeats b(i) = a(17-i), whose messages answer each other.
func reversal(t *testing.T, slots int) func(*PE) {
	return func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, nil)
		tmp := NewTemps[float64](pe, 1, 16, slots)
		c := NewComm(pe, 0, a, tmp).Sync(Elided)
		pe.Start()
		for step := range 6 {
			set(a, step)
			c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0)) }, Sub{0, -1, 17})
			c.Post()
			c.Wait()
			own := a.Owned(0)
			for k := range own.N {
				if i := own.Lo + k; tmp.Data[tmp.At1(i)] != value(step, 17-i) {
					t.Errorf("PE %d step %d: b(%d) = %g, want %g", pe.ID(), step, i, tmp.Data[tmp.At1(i)], value(step, 17-i))
				}
			}
			c.Done()
		}
	}
}

// TestTemporariesInTurn: a reversal acknowledges itself, one execution later: it is
// free with two temporaries, and not with one.
func TestTemporariesInTurn(t *testing.T) {
	for range 3 {
		for _, np := range []int{2, 3, 4} {
			for _, holds := range []string{"1", "random,1 random,5"} {
				wantError(t, heldRun(t, np, holds, "", reversal(t, 2)), "")
			}
		}
		wantEarly(t, heldRun(t, 2, "1,1,2", "", reversal(t, 1)), "in the temporary")
	}
}

// TestElidedOn: ready messages are left out on the numbers of PEs named, and on no
// other, those on demand included; a run with ready messages for all has them there too.
func TestElidedOn(t *testing.T) {
	const steps = 5
	for _, np := range []int{2, 3, 4} {
		for _, c := range []struct {
			elided   []int
			onDemand bool
		}{{nil, false}, {[]int{2, 4}, false}, {[]int{2, 4}, true}, {[]int{3}, true}} {
			want := int64(steps * (np - 1))
			switch {
			case slices.Contains(c.elided, np), c.onDemand: // the barrier tells all
				want = 0
			}
			_, stats := spmd(t, np, "", func(pe *PE) {
				l := dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(pe.N()))
				a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
				right, none := NewStaged(pe, 0, a, 1, 0), NewStaged(pe, 1, a, 1, 0)
				right.ElidedOn(c.elided...)
				if c.onDemand {
					right.OnDemand()
				}
				pe.Start()
				for range steps {
					none.Needs(func(q int) Box { return pe.Box(dist.Range(1, 0, 1)) })
					none.Post()
					right.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
					right.Post()
					right.Wait()
					none.Wait()
					right.Done()
					none.Done()
					pe.Barrier(1)
				}
			})
			if got := stats.Site(0).Ready; got != want {
				t.Errorf("%d PEs, elided on %v, on demand %t: %d ready messages, want %d", np, c.elided, c.onDemand, got, want)
			}
		}
	}
}
