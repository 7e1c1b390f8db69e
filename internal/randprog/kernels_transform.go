package randprog

import "fmt"

// updateAndCopy updates a matrix and, in the loop around, moves rows of it about,
// as in Householder's method: its statements have different owners, and can have
// loops of their own.
func updateAndCopy(k *kern) {
	u := k.u
	kd := k.numeric()
	z, d, e := k.arr(kd, 2), k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(2)
	i, j := vs[0], vs[1]
	lhs := k.elem(z, k.sub(z, 0, i, 0), k.sub(z, 1, j, 0))
	list := []val{lhs, k.elem(e, k.sub(e, 0, i, 0))}
	kept := k.elem(d, k.sub(d, 0, j, 0))
	column := k.sub(z, 1, j, 0)
	row := func() val { return k.elem(z, k.inside(z.dims[0]), column) }
	header := k.header(j, false)

	var body []string
	if u.chance(1, 2) {
		t := k.temp(kd, 0)
		body = append(body, fmt.Sprintf("%s = %s", t.name, u.fit(kept, tempTier).text))
		list = append(list, t.val)
	}
	inner := k.header(i, false)
	if j.step != 0 && u.chance(1, 2) {
		inner = k.triangular(j, i)
	}
	body = append(body, doBlock(inner, []string{k.set(z, lhs, u.combine(list))})...)
	body = append(body, k.set(d, kept, row()))
	switch u.pick(3) {
	case 1:
		body = append(body, target(row())+" = "+zero(kd))
	case 2:
		body = append(body, k.set(z, row(), kept))
	}
	k.emit(doBlock(header, body)...)
}

// guardedReduction has a reduction under the condition that its loop runs, or
// under one that is a little wider or narrower.
func guardedReduction(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, c := k.arr(kd, 2), k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(2)
	i, j := vs[0], vs[1]
	x := k.elem(a, k.sub(a, 0, i, 0), k.sub(a, 1, j, 0))
	if u.chance(2, 3) {
		b = c // the loop writes what later iterations start from
	}
	lhs := k.elem(b, k.sub(b, 0, i, 0))
	out := k.elem(c, k.sub(c, 0, j, 0))
	limit := tier{frac: 12, bound: 1 << 10}
	s := k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: (max(1, i.hi-i.lo+1) + 1) << 10})
	header := k.header(j, false)

	// From the diagonal on; the distance keeps the start in bounds.
	by := max(i.lo-min(j.first, j.last), 0) + u.pick(2)
	lo, hi := affine(1, j.name, fmt.Sprint(by), by), k.spell(u, i.hi)
	loop := []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, u.fit(x, limit).paren())}
	if u.chance(3, 4) {
		loop = append(loop, k.set(b, lhs, u.combine([]val{lhs, x})))
	}
	cond := fmt.Sprintf(oneOf(u, "%s <= %s", "%s < %s + 1", ".not. %s > %s", "%s < %s", "%s <= %s + 1"), lo, hi)
	body := []string{fmt.Sprintf("%s = %s", s.name, u.fit(out, limit).text)}
	body = append(body, ifBlock(cond, doBlock(fmt.Sprintf("do %s = %s, %s", i.name, lo, hi), loop), nil)...)
	body = append(body, k.set(c, out, s.val))
	k.emit(doBlock(header, body)...)
}

// lastIsDifferent has a condition that only the last or the first iteration
// decides otherwise.
func lastIsDifferent(k *kern) {
	u := k.u
	kd := k.numeric()
	d, e := k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(2)
	i, n := vs[0], vs[1]
	x := k.elem(d, k.sub(d, 0, n, 0))
	here, out := k.elem(d, k.sub(d, 0, i, 0)), k.elem(e, k.sub(e, 0, i, 0))
	limit := tier{frac: 12, bound: 1 << 10}
	count := max(1, n.hi-n.lo+1)
	s := k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: count << 10})

	first, last, step := k.bound(i.lo, u.chance(1, 3)), k.bound(i.hi, u.chance(1, 3)), oneOf(u, 1, 1, 2)
	if u.chance(1, 2) {
		first, last, step = last, first, -step
	}
	header := fmt.Sprintf("do %s = %s, %s, %d", i.name, first, last, step)
	end := oneOf(u, first, last, last)
	cond := fmt.Sprintf("%s %s %s", i.name, oneOf(u, "/=", ">", "<"), end)
	sum := doBlock(k.header(n, true), []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, u.fit(x, limit).paren())})
	body := []string{fmt.Sprintf("%s = %s", s.name, zero(kd))}
	body = append(body, ifBlock(cond, sum, nil)...)
	body = append(body, ifBlock(s.name+" > "+zero(kd),
		[]string{k.set(e, out, s.val)},
		[]string{k.set(e, out, here), k.set(d, here, out)})...)
	k.emit(doBlock(header, body)...)
	if u.chance(1, 2) {
		m := k.scalarVar(intKind, "m", "0", tier{bound: 60})
		k.emit(fmt.Sprintf("%s = %s", m.name, i.name))
		k.feat("loop:index used afterwards")
	}
}
