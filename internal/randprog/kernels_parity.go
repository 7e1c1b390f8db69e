package randprog

import (
	"fmt"
	"slices"
)

// remainder writes that of a sum by m, of one that may be negative only if signed is set.
func (k *kern) remainder(e string, m int, signed bool) string {
	forms := []string{"mod", "modulo", "quotient"}
	if m == 2 {
		forms = append(forms, "iand")
	}
	form := oneOf(k.u, forms...)
	if signed {
		form = "modulo"
	}
	k.feat("colours:" + form)
	switch form {
	case "quotient":
		return fmt.Sprintf("(%s) - %d*((%s)/%d)", e, m, e, m)
	case "iand":
		return fmt.Sprintf("iand(%s, 1)", e)
	}
	return fmt.Sprintf("%s(%s, %d)", form, e, m)
}

// redBlack updates the elements of an array in place, those of one colour after those of
// another: of two colours, such that neighbours have different ones, or of three.
func redBlack(k *kern) {
	u := k.u
	a := k.arr(realKind, 2)
	c, m := k.fresh("ic"), 2
	k.private(intKind, c, tier{})
	if u.chance(1, 4) {
		m = 3
		k.feat("colours:three")
	}
	// The loop over x, whose values make the colours, is inside of that over y.
	x, y := 0, 1
	if u.chance(1, 3) {
		x, y = 1, 0
		k.feat("colours:rows inside")
	}
	names := []string{"i", "j"}
	at := func(di, dj int) val {
		return k.elem(a, affine(1, "i", fmt.Sprint(abs(di)), di), affine(1, "j", fmt.Sprint(abs(dj)), dj))
	}
	near := []val{at(-1, 0), at(1, 0), at(0, -1), at(0, 1)}
	near = near[u.pick(2) : 3+u.pick(2)]
	if u.chance(1, 4) { // of the same colour, if there are two
		near = append(near, at(oneOf(u, -1, 1), oneOf(u, -1, 1)))
		k.feat("colours:a neighbour of the same")
	}
	lines := []string{k.set(a, at(0, 0), u.combine(near))}
	lo, hi := a.dims[x].lo+1, k.spell(u, a.dims[x].hi-1)
	colour := c
	one := u.chance(1, 6)
	if one {
		colour = fmt.Sprint(u.pick(m))
		k.feat("colours:one")
	}
	var inner, before []string
	switch {
	case m == 2 && u.chance(1, 4):
		k.feat("colours:alternating")
		s := k.fresh("is")
		k.private(intKind, s, tier{})
		least := u.pick(3)
		before = []string{fmt.Sprintf("%s = %d + %s", s, least, colour)}
		if !one {
			before[0] = fmt.Sprintf("%s = %d + mod(%s, 2)", s, least, colour)
		}
		header := fmt.Sprintf("do %s = %d + %s, %s, 2", names[x], lo-least, s, hi)
		inner = append(doBlock(header, lines), fmt.Sprintf("%s = %d - %s", s, 2*least+1, s))
	case u.chance(1, 2):
		inner = k.colouredByBounds(lines, names[x], names[y], lo, hi, colour, m, a.dims[y].lo < 0)
	default:
		signed := a.dims[0].lo+a.dims[1].lo < 0
		inner = doBlock(fmt.Sprintf("do %s = %d, %s", names[x], lo, hi), k.colouredByIf(lines, colour, m, signed, at(0, 0)))
	}
	sweep := doBlock(fmt.Sprintf("do %s = %d, %s", names[y], a.dims[y].lo+1, k.spell(u, a.dims[y].hi-1)), inner)
	sweep = append(before, sweep...)
	switch {
	case one:
		k.emit(sweep...)
	case m == 2 && u.chance(1, 4):
		k.feat("colours:flipped")
		it := k.fresh("it")
		k.private(intKind, it, tier{})
		k.emit(fmt.Sprintf("%s = %d", c, u.pick(2)))
		k.emit(doBlock(fmt.Sprintf("do %s = 1, %d", it, 2+u.pick(3)), slices.Concat([]string{fmt.Sprintf("%s = 1 - %s", c, c)}, sweep))...)
	default:
		k.emit(doBlock(fmt.Sprintf("do %s = 0, %d", c, m-2+u.pick(3)), sweep)...)
	}
}

// colouredByBounds is the loop over every m-th value of x from lo on.
func (k *kern) colouredByBounds(lines []string, x, y string, lo int, hi, colour string, m int, negative bool) []string {
	e := y + " + " + colour
	if negative {
		e += " + 12"
	}
	rest := k.remainder(e, m, false)
	first := fmt.Sprintf("%d + %s", lo, rest)
	if !k.u.chance(1, 4) {
		return doBlock(fmt.Sprintf("do %s = %s, %s, %d", x, first, hi, m), lines)
	}
	k.feat("colours:in a scalar")
	s := k.fresh("is")
	k.private(intKind, s, tier{})
	return append([]string{s + " = " + rest}, doBlock(fmt.Sprintf("do %s = %d + %s, %s, %d", x, lo, s, hi, m), lines)...)
}

// colouredByIf puts lines under the condition that i + j has a colour.
func (k *kern) colouredByIf(lines []string, colour string, m int, signed bool, data val) []string {
	u := k.u
	e := "i + j"
	if signed && u.chance(1, 2) {
		e, signed = e+" + 12", false
	}
	rest := ""
	if m == 2 && u.chance(1, 4) {
		rest = "mod(i - j, 2)" // -1, 0 or 1
		k.feat("colours:of either sign")
	} else {
		rest = k.remainder(e, m, signed)
	}
	switch u.pick(4) {
	case 0:
		k.feat("colours:IF and more")
		return ifBlock(fmt.Sprintf("%s == %s .and. %s", rest, colour, u.compare(data).text), lines, nil)
	case 1:
		k.feat("colours:cycle")
		return append([]string{fmt.Sprintf("if (%s /= %s) cycle", rest, colour)}, lines...)
	case 2:
		k.feat("colours:IF, not the others")
		return ifBlock(fmt.Sprintf("%s /= 1 - %s", rest, colour), lines, nil)
	}
	k.feat("colours:IF")
	return ifBlock(fmt.Sprintf("%s == %s", rest, colour), lines, nil)
}

// oddEven exchanges the elements of pairs that are in the wrong order, of those that begin
// at odd places and of those that begin at even ones in turn.
func oddEven(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.arr(kd, 1)
	d := a.dims[0]
	far := 1
	if u.chance(1, 4) {
		far = 2 // triples, of which the middle stays
		k.feat("exchange:three apart")
	}
	t := k.fresh("keep")
	k.private(kd, t, a.tier)
	low, high := k.elem(a, "i"), k.elem(a, fmt.Sprintf("i+%d", far))
	swap := []string{t + " = " + low.text, target(low) + " = " + high.text, target(high) + " = " + t}
	if u.chance(1, 3) {
		k.feat("exchange:with data")
		swap[1] = k.set(a, low, u.combine([]val{low, high}))
	}
	if u.chance(1, 4) {
		k.feat("exchange:counted")
		n := k.scalarVar(intKind, "nx", "0", tier{bound: 1 << 12})
		swap = append(swap, fmt.Sprintf("%s = mod(%s + 1, 4096)", n.name, n.name))
	}
	body := ifBlock(fmt.Sprintf("%s > %s", low.text, high.text), swap, nil)
	last := k.spell(u, d.hi-far)
	it := k.fresh("it")
	k.private(intKind, it, tier{})
	var sweep []string
	if u.chance(1, 2) {
		k.feat("exchange:by remainder")
		sweep = doBlock(fmt.Sprintf("do i = %d + mod(%s, %d), %s, %d", d.lo, it, far+1, last, far+1), body)
	} else {
		k.feat("exchange:two loops")
		for n := range 2 {
			sweep = append(sweep, doBlock(fmt.Sprintf("do i = %d, %s, %d", d.lo+n, last, far+1), body)...)
		}
	}
	k.emit(doBlock(fmt.Sprintf("do %s = 1, %d", it, 2+u.pick(3)), sweep)...)
}
