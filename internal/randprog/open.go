package randprog

import (
	"fmt"
	"slices"
	"strings"
)

// Arrays whose bounds are not known before run time. They are ALLOCATABLE, and allocated at the start
// with bounds that are computed from what the program has read:
//
//	double precision, allocatable :: a(:)
//	!HPF$ DISTRIBUTE a(BLOCK)
//	read *, n1
//	allocate (a(0:n1+2))

// openArrays chooses the arrays of the program that are such ones, and returns the lines
// that allocate them. An array is open if, and only if, the one that it is aligned with is:
// that one is allocated first, as arrays are aligned with earlier ones. Those are not open that
// begin with another subscript than 1 and are assigned to by their names: where it is not
// known that the value has their shape, they might get other bounds, which is refused.
func (g *gen) openArrays(u *unit) (lines []string) {
	if !u.chance(1, 6) {
		return nil
	}
	never := map[*array]bool{}
	for _, a := range g.arrays {
		if a.private || a.named && !a.own && slices.ContainsFunc(a.dims, func(b bounds) bool { return b.lo != 1 }) {
			for ; a != nil; a = a.place.base {
				never[a] = true
			}
		}
	}
	for _, a := range g.arrays {
		may := u.chance(3, 4)
		if base := a.place.base; base != nil {
			may = base.open
		}
		if !may || a.own || never[a] {
			continue
		}
		a.open = true
		g.feat("array:bounds of the run")
		if a.place.kind != replicated {
			g.feat("array:distributed, bounds of the run")
		}
		lines = append(lines, g.allocate(u, a))
	}
	return lines
}

// allocate writes the ALLOCATE of an array that is open, with the bounds that it has in dims.
func (g *gen) allocate(u *unit, a *array) string {
	var dims []string
	for d, b := range a.dims {
		lo := ""
		if b.lo != 1 || u.chance(1, 8) {
			lo = fmt.Sprint(b.lo) + ":"
		}
		// One end that is read is enough for none to be known.
		hi := g.readEnd(u, b.hi)
		if d > 0 && u.chance(1, 3) {
			hi = g.spell(u, b.hi)
		}
		dims = append(dims, lo+hi)
	}
	return fmt.Sprintf("allocate (%s(%s))", a.name, strings.Join(dims, ", "))
}

// readEnd writes x with a variable that is read.
func (g *gen) readEnd(u *unit, x int) string {
	shift := oneOf(u, 0, 0, 1, -2)
	return offset(g.runtime(x-shift), shift)
}

// declareOpen writes the declaration of an open array.
func (a *array) declareOpen() string {
	colons := ":" + strings.Repeat(", :", a.rank()-1)
	t := a.typeName(a.u)
	switch a.u.pick(3) {
	case 1:
		return fmt.Sprintf("%s, dimension(%s), allocatable :: %s", t, colons, a.name)
	case 2:
		return fmt.Sprintf("%s %s(%s)\nallocatable %s", t, a.name, colons, a.name)
	}
	return fmt.Sprintf("%s, allocatable :: %s(%s)", t, a.name, colons)
}
