package ir

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
)

// The ends of a dimension not known before run time are numbers too, beyond all those that
// declarations may have (2**48), so that a mapping is one of numbers everywhere. Each
// stands for a scalar of Program.Ends:
//
//	allocate(a(n), b(0:m))      a(1:ω₀), b(0:ω₁)
//
// with the values that the scalars have when the array is allocated. So two open ends
// are equal exactly if they are the same scalar with the same offset, and a range with an
// open end holds every range that the run may make of it. No other fact may be taken out
// of such a number: nothing is known to lie inside of an open range, one open end is
// neither less nor greater than another, and a difference of two is no extent.
const (
	openBase = 1 << 50
	openStep = 1 << 24 // room for an offset
)

// OpenEnd stands for Ends[k] of the program, as a lower or an upper end.
func OpenEnd(k int, upper bool) int {
	n := openBase + openStep/2 + k*openStep
	if !upper {
		return -n
	}
	return n
}

// Open reports whether n is an open end: the value of Ends[k] plus off.
func Open(n int) (k, off int, ok bool) {
	at, sign := n, 1
	if n < 0 {
		at, sign = -n, -1
	}
	if at < openBase {
		return 0, 0, false
	}
	at -= openBase
	return at / openStep, sign * (at%openStep - openStep/2), true
}

// IsOpen reports whether n is an open end.
func IsOpen(n int) bool {
	_, _, ok := Open(n)
	return ok
}

// EndString is an end of a dimension as a number, or as "ω2" or "ω2+1" where it is open.
func EndString(n int) string {
	k, off, open := Open(n)
	switch {
	case !open:
		return fmt.Sprint(n)
	case off == 0:
		return fmt.Sprintf("ω%d", k)
	}
	return fmt.Sprintf("ω%d%+d", k, off)
}

// AtMost reports whether a <= b holds in every run.
func AtMost(a, b int) bool {
	i, x, openA := Open(a)
	k, y, openB := Open(b)
	switch {
	case !openA && !openB:
		return a <= b
	case openA && openB:
		return i == k && x <= y
	}
	return false
}

// Open reports whether an end of b is known to the run only.
func (b Bound) Open() bool { return IsOpen(b.Lo) || IsOpen(b.Hi) }

// IsOpen reports whether a bound of s is known to the run only: then s has memory where an
// Allocate has given it some.
func (s *Symbol) IsOpen() bool { return slices.ContainsFunc(s.Dims, Bound.Open) }

// Placed reports whether s has its layout where an Allocate has given it one: a bound of it, or of what
// it is aligned with, is known to the run only.
func (s *Symbol) Placed() bool { return s.IsOpen() || s.Mapping != nil && len(s.Mapping.Ends) > 0 }

// EachEnds is m with what f makes of the two ends of each range in it: those of a dimension, and
// those of the dimension of the template that it lies on.
func EachEnds(m dist.Map, f func(lo, hi int) (int, int)) dist.Map {
	out := dist.Map{Axes: slices.Clone(m.Axes), Fixed: slices.Clone(m.Fixed)}
	for d := range out.Axes {
		ax := &out.Axes[d]
		ax.Lo, ax.Hi = f(ax.Lo, ax.Hi)
		ax.TLo, ax.THi = f(ax.TLo, ax.THi)
	}
	for i := range out.Fixed {
		x := &out.Fixed[i]
		x.TLo, x.THi = f(x.TLo, x.THi)
	}
	return out
}

// nominalExtent is what estimates take for an extent not known before run time.
const nominalExtent = 512

// Nominal is the extent of b, or one of no meaning where it is not known before run time: for
// estimates of costs alone.
func (b Bound) Nominal() int {
	if b.Open() {
		return nominalExtent
	}
	return b.Extent()
}

// Allocate gives the array Sym, which has open bounds, memory with the values that Ends,
// the scalars of these, have; with Free it takes the memory. What the elements were is lost
// in any case. All PEs execute it together.
type Allocate struct {
	S
	Sym  *Symbol
	Free bool
	Keep bool   // the last dimension grows, and the elements keep their values
	Ends []Expr // *Var
	// Followers are the allocatable arrays that are aligned with it, which may not be allocated
	// while it gets other bounds.
	Followers []*Symbol
}
