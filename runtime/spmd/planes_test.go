package spmd

import (
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// planes repeats the exchange with both neighbours of one plane of an array, with
// nothing else that orders PEs: of plane number plane(step). wrong is told of values
// that have not come.
func planes(wrong func(format string, args ...any), plane func(step int) int) func(*PE) {
	return func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 16, 0), whole(1, 3)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}, {0, 0}})
		left, right := NewPlanes(pe, 0, a, 2).Sync(Elided), NewPlanes(pe, 1, a, 2).Sync(Elided)
		pe.Start()
		for step := range 6 {
			set(a, step)
			at := plane(step)
			left.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0), dist.Single(at)) })
			left.Post()
			right.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(0, 1), dist.Single(at)) })
			right.Post()
			left.Wait()
			right.Wait()
			own := a.Owned(0)
			for _, i := range []int{own.Lo - 1, own.Hi() + 1} {
				if i >= 1 && i <= 16 && a.Data[a.At2(i, at)] != value(step, i, at) {
					wrong("PE %d step %d: a(%d,%d) = %g, want %g", pe.ID(), step, i, at, a.Data[a.At2(i, at)], value(step, i, at))
				}
			}
			left.Done()
			right.Done()
		}
	}
}

// TestPlanes: an exchange with both neighbours is free when each fills another plane
// than the one before, be there two of them or more. When one stays in its plane, once,
// a PE that is held is overtaken, which the check finds, though its puts have slots
// alternately.
func TestPlanes(t *testing.T) {
	turns := map[string]func(step int) int{
		"two":   func(step int) int { return 1 + step%2 },
		"three": func(step int) int { return 1 + step%3 },
	}
	for name, plane := range turns {
		for _, np := range []int{2, 3, 4} {
			for _, holds := range []string{"1", "0", "random,1 random,2", "1,2,2"} {
				if err := heldRun(t, np, holds, "", planes(t.Errorf, plane)); err != nil {
					t.Errorf("%s planes, %d PEs, held %s: %v", name, np, holds, err)
				}
			}
		}
	}
	elided := func(string, ...any) {} // values that come too early are wrong
	wantEarly(t, heldRun(t, 2, "1,1,3", "", planes(elided, func(int) int { return 1 })), "in the overlap of a")
	wantEarly(t, heldRun(t, 2, "1,1,3", "", planes(elided, func(step int) int { return 1 + min(step, 2)%2 })), "in the overlap of a")
}
