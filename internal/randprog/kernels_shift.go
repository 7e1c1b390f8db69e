package randprog

import "fmt"

// shift reads neighbours of other arrays, corners among them.
func shift(rank int) func(k *kern) {
	return func(k *kern) {
		u := k.u
		kd := k.numeric()
		vs := k.vars(rank)
		a, b := k.arr(kd, rank), k.arr(kd, rank)
		lhs := k.ref(a, vs)
		src := []*array{b}
		if u.chance(1, 3) {
			src = append(src, k.arr(kd, rank))
		}
		leaves := k.neighbours(src, vs, 2+u.pick(rank+2))
		if u.chance(1, 4) {
			leaves = append(leaves, lhs)
		}
		lines := []string{k.set(a, lhs, u.combine(leaves))}
		lines = k.guard(lines, vs, k.ref(src[len(src)-1], vs))
		k.emit(k.nest(vs, lines, how{parallel: true})...)
	}
}

// neighbours are n elements of the arrays at random distances up to 2.
func (k *kern) neighbours(src []*array, vs []*lvar, n int) []val {
	var out []val
	for i := range n {
		shifts := make([]int, len(vs))
		moved := 0
		for d := range shifts {
			shifts[d] = oneOf(k.u, -1, 0, 1, 0, -1, 1, 2, -2)
			if len(vs) == 3 && abs(shifts[d]) > 1 {
				shifts[d] = 0
			}
			if shifts[d] != 0 {
				moved++
			}
		}
		if i == 1 && len(vs) > 1 {
			// One that surely crosses a corner.
			shifts[0], shifts[1] = oneOf(k.u, 1, -1), oneOf(k.u, 1, -1)
			moved = 2
		}
		if moved > 1 {
			k.feat("shift:corner")
		}
		out = append(out, k.ref(src[i%len(src)], vs, shifts...))
	}
	return out
}

// copyBack is the Jacobi scheme: new from old, old from new, a few times.
func copyBack(k *kern) {
	u := k.u
	rank := 1 + u.pick(2)
	a, b := k.arr(realKind, rank), k.arr(realKind, rank)
	vs := k.vars(rank)
	lhs := k.ref(b, vs)
	leaves := k.neighbours([]*array{a}, vs, 2+2*u.pick(2))
	sweep := k.nest(vs, []string{k.set(b, lhs, u.combine(leaves))}, how{parallel: true})
	ws := k.vars(rank)
	back := k.set(a, k.ref(a, ws), k.ref(b, ws))
	it := k.fresh("it")
	k.private(intKind, it, tier{})
	k.feat("loop:time loop")
	k.emit(doBlock(fmt.Sprintf("do %s = 1, %d", it, 1+u.pick(4)), append(sweep, k.nest(ws, []string{back}, how{parallel: true})...))...)
}

// box reads all neighbours, those of the corners too, and some that are farther: in one
// array of the same shape or in another plane of the same array, a few times. A second
// nest reads some of them again.
func box(k *kern) {
	u := k.u
	vs := k.vars(2)
	var a, b *array
	planes := u.chance(2, 3)
	at := func(x, y int) val { return k.ref(a, vs, x, y) }
	lhs := func() val { return k.ref(b, vs) }
	if planes {
		// The third subscript keeps what is read apart from what is written.
		a = k.arr(realKind, 3)
		b = a
		d := a.dims[2]
		one, two := fmt.Sprint(d.lo), fmt.Sprint(d.hi)
		in := func(plane string, x, y int) val {
			return k.elem(a, k.sub(a, 0, vs[0], x), k.sub(a, 1, vs[1], y), plane)
		}
		at = func(x, y int) val { return in(one, x, y) }
		lhs = func() val { return in(two, 0, 0) }
	} else {
		a, b = k.arr(realKind, 2), k.arr(realKind, 2)
	}
	far := 1 + u.pick(2)
	target := lhs()
	near := []val{at(-1, -1), at(-1, 0), at(-1, 1), at(0, -1), at(0, 1), at(1, -1), at(1, 0), at(1, 1)}
	if far > 1 {
		near = append(near, at(oneOf(u, -2, 2), oneOf(u, -2, 0, 1)), at(0, oneOf(u, -2, 2)))
	}
	k.feat("shift:corner")
	apart := !planes || a.dims[2].lo != a.dims[2].hi
	sweep := k.nest(vs, []string{k.set(b, target, u.combine(near))}, how{parallel: apart})
	again := k.nest(vs, []string{k.set(b, target, u.combine([]val{target, near[u.pick(8)], near[u.pick(8)]}))}, how{parallel: apart})
	it := k.fresh("it")
	k.private(intKind, it, tier{})
	k.feat("loop:time loop")
	k.emit(doBlock(fmt.Sprintf("do %s = 1, %d", it, 1+u.pick(3)), append(sweep, again...))...)
}

// alternating keeps old and new values in two planes of one array, whose
// numbers change places.
func alternating(k *kern) {
	u := k.u
	a := k.arr(realKind, 3)
	d := a.dims[2]
	one, two := d.lo, d.lo+u.pick(d.extent())
	old, cur := k.fresh("iold"), k.fresh("inew")
	for _, s := range []string{old, cur} {
		k.private(intKind, s, tier{})
	}
	vs := k.vars(2)
	at := func(plane string, x, y int) val {
		return k.elem(a, k.sub(a, 0, vs[0], x), k.sub(a, 1, vs[1], y), plane)
	}
	lhs := at(cur, 0, 0)
	e := u.combine([]val{at(old, -1, -1), at(old, 1, 0), at(old, 0, 1), at(old, 1, -1)})
	it := k.fresh("it")
	k.private(intKind, it, tier{})
	lines := []string{k.set(a, lhs, e)}
	if c := k.arr(realKind, 3); c != a && u.chance(1, 3) {
		k.feat("planes:read behind the store")
		into := k.elem(c, k.sub(c, 0, vs[0], 0), k.sub(c, 1, vs[1], 0), fmt.Sprint(c.dims[2].hi))
		lines = append(lines, k.set(c, into, u.combine([]val{lhs, at(old, 0, 0), at(old, 1, 0)})))
	}
	// With one plane only, reads and writes meet: never called independent.
	body := k.nest(vs, lines, how{parallel: one != two})
	swap := k.private(intKind, "isw", tier{}).name
	turn := []string{fmt.Sprintf("%s = %s", swap, old), fmt.Sprintf("%s = %s", old, cur), fmt.Sprintf("%s = %s", cur, swap)}
	second := fmt.Sprintf("%s == 2", it)
	form := oneOf(u, "swapped", "flipped", "by remainder", "once left", "once swapped twice", "once skipped")
	switch form {
	case "flipped":
		body = append(body, fmt.Sprintf("%s = %d - %s", old, one+two, old), fmt.Sprintf("%s = %d - %s", cur, one+two, cur))
	case "by remainder":
		body = append([]string{fmt.Sprintf("%s = %d + %d*mod(%s, 2)", old, one, two-one, it), fmt.Sprintf("%s = %d - %s", cur, one+two, old)}, body...)
	case "once left": // once the planes stay
		body = append(body, ifBlock(fmt.Sprintf("%s /= 2", it), turn, nil)...)
	case "once swapped twice": // once they change places twice
		body = append(append(body, turn...), ifBlock(second, turn, nil)...)
	case "once skipped": // once the iteration ends before they do
		body = append(append(body, fmt.Sprintf("if (%s) cycle", second)), turn...)
	default:
		body = append(body, turn...)
	}
	k.feat("planes:" + form)
	if c := k.arr(realKind, 3); c != a && u.chance(1, 4) {
		// The other plane is exchanged too.
		k.feat("planes:both exchanged")
		ws := k.vars(2)
		other := k.elem(a, k.sub(a, 0, ws[0], 1), k.sub(a, 1, ws[1], -1), cur)
		into := k.elem(c, k.sub(c, 0, ws[0], 0), k.sub(c, 1, ws[1], 0), fmt.Sprint(c.dims[2].lo))
		body = append(body, k.nest(ws, []string{k.set(c, into, u.combine([]val{other}))}, how{parallel: true})...)
	}
	k.emit(fmt.Sprintf("%s = %d", old, one), fmt.Sprintf("%s = %d", cur, two))
	k.emit(doBlock(fmt.Sprintf("do %s = 1, %d", it, 2+u.pick(3)), body)...)
}

// broadcastElement uses one element, picked by a constant or an outer index,
// in a whole loop.
func broadcastElement(k *kern) {
	u := k.u
	kd := k.numeric()
	if u.chance(1, 2) {
		a, b := k.arr(kd, 1), k.arr(kd, 1)
		vs := k.vars(1)
		lhs := k.ref(a, vs)
		e := u.combine([]val{lhs, k.point(b)})
		k.emit(k.nest(vs, []string{k.set(a, lhs, e)}, how{parallel: true})...)
		return
	}
	// do k; do i: a(i) from a(i) and b(k)
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, 1)
	vs := k.vars(3)
	lhs := k.ref(a, vs[:rank])
	e := u.combine([]val{lhs, k.elem(b, k.sub(b, 0, vs[2], 0))})
	lines := k.guard([]string{k.set(a, lhs, e)}, vs[:rank], lhs)
	inner := k.nest(vs[:rank], lines, how{parallel: true})
	k.emit(doBlock(k.header(vs[2], false), inner)...)
}

// rankOne combines a row and a column of other arrays, picked by an outer
// index, into a third.
func rankOne(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, c := k.arr(kd, 2), k.arr(kd, 2), k.arr(kd, 2)
	vs := k.vars(3)
	i, j, kk := vs[0], vs[1], vs[2]
	lhs := k.ref(c, vs[:2])
	col := k.elem(a, k.sub(a, 0, i, 0), k.sub(a, 1, kk, 0))
	row := k.elem(b, k.sub(b, 0, kk, 0), k.sub(b, 1, j, 0))
	lines := []string{k.set(c, lhs, u.combine([]val{lhs, col, row}))}
	inner := k.nest(vs[:2], lines, how{parallel: true})
	k.emit(doBlock(k.header(kk, false), inner)...)
}

// floyd updates an array from its own row and column.
func floyd(k *kern) {
	u := k.u
	kd := oneOf(u, intKind, realKind)
	a := k.arr(kd, 2)
	vs := k.vars(3)
	i, j, kk := vs[0], vs[1], vs[2]
	lhs := k.ref(a, vs[:2])
	col := k.elem(a, k.sub(a, 0, i, 0), k.sub(a, 1, kk, 0))
	row := k.elem(a, k.sub(a, 0, kk, 0), k.sub(a, 1, j, 0))
	path := u.fit(sum("+", col, row), a.tier)
	inner := k.nest(vs[:2], []string{k.set(a, lhs, extremum("min", lhs, path))}, how{})
	k.emit(doBlock(k.header(kk, true), inner)...)
}

// eliminate subtracts multiples of a pivot row from the rows below.
func eliminate(k *kern) {
	u := k.u
	a := k.arr(realKind, 2)
	vs := k.vars(3)
	i, j, kk := vs[0], vs[1], vs[2]
	// The same index runs over rows and columns.
	for d := range 2 {
		for _, v := range vs {
			v.narrow(1, 0, a.dims[d].lo, a.dims[d].hi)
		}
	}
	lhs := k.elem(a, i.name, j.name)
	col := k.elem(a, i.name, kk.name)
	row := k.elem(a, kk.name, j.name)
	hi := k.spell(u, i.hi)
	update := k.set(a, lhs, sum("-", lhs, product(u.small(col), u.small(row))))
	scale := k.set(a, col, scaled(col, 1))
	inner := doBlock(fmt.Sprintf("do j = %s, %s", "k+1", hi), doBlock("do i = k+1, "+hi, []string{update}))
	first := doBlock("do i = k+1, "+hi, []string{scale})
	k.feat("loop:triangular")
	k.emit(doBlock(fmt.Sprintf("do k = %d, %s", kk.lo, k.spell(u, kk.hi-1)), append(first, inner...))...)
}

// singleElements moves single elements outside of all loops.
func singleElements(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1+u.pick(2)), k.arr(kd, 1+u.pick(3))
	for range 1 + u.pick(3) {
		p := k.point(a)
		k.emit(k.set(a, p, u.combine([]val{k.point(b), p})))
	}
	if u.chance(1, 2) {
		// Exchange through a scalar.
		t := k.scalarVar(kd, "sw", zero(kd), a.tier)
		p, q := k.point(a), k.point(a)
		k.emit(fmt.Sprintf("%s = %s", t.name, p.text), target(p)+" = "+target(q), fmt.Sprintf("%s = %s", target(q), t.name))
		k.feat("scalar:exchange of elements")
	}
}

func zero(kd kind) string { return [...]string{"0.0d0", "0", ".false."}[kd] }
