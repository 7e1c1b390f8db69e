package spmd

import (
	"fmt"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestForwardedCorners fills the whole overlap, corners included, one axis after
// the other: the exchange along an axis takes with it what those before brought.
// The cases have blocks narrower than the overlap, PEs that own nothing, and
// reversed, permuted and replicated mappings.
func TestForwardedCorners(t *testing.T) {
	for _, c := range shadowCases {
		for _, np := range peCounts {
			for _, mode := range []Mode{Handshake, Elided} {
				t.Run(fmt.Sprintf("%s/%d/%d", c.name, np, mode), func(t *testing.T) {
					_, stats := spmd(t, np, "", func(pe *PE) {
						l := dist.NewLayout(c.m, pe.Grid(c.grid...))
						a := NewArray[float64](pe, "a", l, c.shadow)
						phases := forwardingPhases(pe, a, mode)
						pe.Start()
						for step := range 3 {
							fillOverlap(t, pe, a, c.shadow, phases, mode, step)
							pe.Barrier(1) // nobody assigns what another still compares
						}
					})
					if counts := stats.Site(0); np == 1 && counts.Data != 0 {
						t.Errorf("one PE sent %d messages", counts.Data)
					}
				})
			}
		}
	}
}

// fillOverlap makes the exchanges, one for each axis, with the values of a step, and
// compares what is in the overlap then.
func fillOverlap(t *testing.T, pe *PE, a *Array[float64], shadow [][2]int, phases []*Comm[float64], mode Mode, step int) {
	set(a, step)
	for axis, exchange := range phases {
		if mode == Elided {
			pe.Barrier(1)
		}
		exchange.Needs(func(q int) Box { return phaseBox(a.Layout, q, axis, shadow) })
		exchange.Post()
		exchange.Wait()
	}
	each(overlapBox(a.Layout, pe.ID(), shadow), func(x []int) {
		if inside(a.Layout, x) && a.Data[a.At(x...)] != value(step, x...) {
			t.Errorf("PE %d step %d: a%v = %g, want %g", pe.ID(), step, x, a.Data[a.At(x...)], value(step, x...))
		}
	})
	for _, exchange := range phases {
		exchange.Done()
	}
}

// forwardingPhases makes one communication for each axis.
func forwardingPhases(pe *PE, a *Array[float64], mode Mode) []*Comm[float64] {
	var phases []*Comm[float64]
	var before []int
	for axis := range a.Layout.Rank() {
		phases = append(phases, NewComm(pe, 0, a, nil).Forward(before...).Sync(mode))
		before = append(before, axis)
	}
	return phases
}

// phaseBox is what q gets along one axis: the overlap there, of those before too,
// and of those behind what q owns.
func phaseBox(l *dist.Layout, q, axis int, shadow [][2]int) Box {
	box := ownedBox(l, q)
	for d := range axis + 1 {
		box[d] = box[d].Grow(shadow[d][0], shadow[d][1])
	}
	return box
}

// On a 3x3 grid the middle has 8 neighbours. Sides alone take 12 messages along
// each axis, where corners of their own take 16 more.
func TestForwardedCornersSaveMessages(t *testing.T) {
	shadow := [][2]int{{1, 1}, {1, 1}}
	count := func(forward bool) Counts {
		_, stats := spmd(t, 9, "", func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 9, 0), block(1, 9, 1)), pe.Grid(3, 3))
			a := NewArray[float64](pe, "a", l, shadow)
			if !forward {
				c := NewComm(pe, 0, a, nil)
				pe.Start()
				c.Needs(func(q int) Box { return overlapBox(l, q, shadow) })
				c.Post()
				c.Wait()
				return
			}
			phases := forwardingPhases(pe, a, Handshake)
			pe.Start()
			for axis, c := range phases {
				c.Needs(func(q int) Box { return phaseBox(l, q, axis, shadow) })
				c.Post()
				c.Wait()
			}
		})
		c := stats.Site(0)
		c.Waits = 0
		return c
	}
	if got, want := count(false), (Counts{Calls: 9, Data: 40, Ready: 40, Bytes: 8 * (24*3 + 16)}); got != want {
		t.Errorf("directly: %+v, want %+v", got, want)
	}
	// 12 messages of 3 cells, then 12 of 3 cells and the corners.
	if got, want := count(true), (Counts{Calls: 18, Data: 24, Ready: 24, Bytes: 8 * (24*3 + 16)}); got != want {
		t.Errorf("forwarding: %+v, want %+v", got, want)
	}
}

// TestForwardNeedsOverlap: a need beyond the overlap is an error of the
// compiler, reported and not copied.
func TestForwardNeedsOverlap(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a need outside the overlap of its producer was accepted")
		}
	}()
	pe := &PE{id: 0, n: 4, prog: &Program{}}
	l := dist.NewLayout(axes(block(1, 8, 0), block(1, 8, 1)), dist.Grid{2, 2})
	a := NewArray[float64](pe, "a", l, [][2]int{{0, 0}, {1, 1}})
	s := newSchedule(pe, 0, &a.geo, 2, true, 8)
	s.forward = []bool{true, false}
	s.refresh(0, 0, func(q int) Box { return Box{dist.Range(1, 8, 1), l.Owned(q, 1).Grow(1, 1)} }, nil, false)
	s.started()
}
