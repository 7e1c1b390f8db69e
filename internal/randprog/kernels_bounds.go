package randprog

import "fmt"

// accumulatorIsBound has a scalar that is the bound or the step of a loop and is
// changed in it. Bounds and steps are evaluated once, before the first iteration.
func accumulatorIsBound(k *kern) {
	u := k.u
	a := k.arr(intKind, 1)
	d := a.dims[0]
	x := k.elem(a, "i")
	m := k.scalarVar(intKind, "m", "0", tier{bound: 4096})
	lo, hi := k.spell(u, d.lo), k.spell(u, d.hi)
	start := d.lo + u.pick(d.extent())
	var header string
	switch u.pick(6) {
	case 0:
		header = fmt.Sprintf("do i = %s, %s", lo, m.name)
		k.feat("bound:accumulator, upper")
	case 1:
		header = fmt.Sprintf("do i = %s, %s", m.name, hi)
		k.feat("bound:accumulator, lower")
	case 2:
		header = fmt.Sprintf("do i = %s, min(%s, %s)", lo, m.name, hi)
		k.feat("bound:accumulator in an expression")
	case 3:
		start = 1 + u.pick(3)
		header = fmt.Sprintf("do i = %s, %s, %s", lo, hi, m.name)
		k.feat("bound:accumulator, step")
	case 4:
		header = fmt.Sprintf("do i = %s, %s, -1", m.name, lo)
		k.feat("bound:accumulator, backward")
	default:
		k.boundOfNest(m)
		return
	}
	k.emit(fmt.Sprintf("%s = %d", m.name, start))
	k.emit(doBlock(header, k.changes(m, x))...)
	if u.chance(1, 3) {
		lhs := k.point(a)
		k.emit(k.set(a, lhs, u.combine([]val{m.val, lhs})))
	}
}

// changes are statements that accumulate into m in a loop over i.
func (k *kern) changes(m *scalar, x val) []string {
	u := k.u
	term := u.fit(x, tier{bound: 4}).text
	switch u.pick(7) {
	case 1:
		return []string{fmt.Sprintf("%s = %s - (%s)", m.name, m.name, term)}
	case 2:
		return []string{fmt.Sprintf("%s = %s(%s, %s)", m.name, oneOf(u, "max", "min"), m.name, x.text)}
	case 3:
		return []string{fmt.Sprintf("%s = %s*sign(1, %s)", m.name, m.name, x.text)}
	case 4:
		k.feat("bound:accumulator is guard")
		return []string{fmt.Sprintf("if (%s > %s) %s = %s", x.text, m.name, m.name, x.text)}
	case 5:
		k.feat("bound:accumulator is guard")
		return []string{fmt.Sprintf("if (%s < %d) %s = %s + abs(%s)", m.name, 3+u.pick(9), m.name, m.name, term)}
	case 6:
		k.feat("bound:accumulator is guard")
		return []string{fmt.Sprintf("if (%s < %s) %s = %s + %s", x.text, m.name, m.name, m.name, oneOf(u, "1", "i"))}
	}
	return []string{fmt.Sprintf("%s = %s + %s", m.name, m.name, term)}
}

// boundOfNest is accumulatorIsBound for one of two loops.
func (k *kern) boundOfNest(m *scalar) {
	u := k.u
	a := k.arr(intKind, 2)
	p, q := a.dims[0], a.dims[1]
	body := k.changes(m, k.elem(a, "i", "j"))
	if u.chance(3, 7) {
		// Of the outer loop: evaluated once.
		k.feat("bound:accumulator, outer")
		k.emit(fmt.Sprintf("%s = %d", m.name, q.lo+u.pick(q.extent())))
		inner := doBlock(fmt.Sprintf("do i = %d, %s", p.lo, k.spell(u, p.hi)), body)
		k.emit(doBlock(fmt.Sprintf("do j = %d, %s", q.lo, m.name), inner)...)
		return
	}
	// Of the inner loop: once in each iteration of the outer one.
	k.feat("bound:accumulator, inner")
	start := fmt.Sprintf("%s = %d", m.name, p.lo+u.pick(p.extent()))
	inner := doBlock(fmt.Sprintf("do i = %d, min(%s, %s)", p.lo, m.name, k.spell(u, p.hi)), body)
	if u.chance(1, 2) {
		inner = append([]string{start}, inner...)
	} else {
		k.emit(start)
	}
	k.emit(doBlock(fmt.Sprintf("do j = %d, %s", q.lo, k.spell(u, q.hi)), inner)...)
}

// dataBounds has bounds and steps that are computed from elements.
func dataBounds(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, c := k.arr(kd, 1), k.arr(kd, 1), k.arr(intKind, 1)
	v := k.vars(1)[0]
	vs := []*lvar{v}
	lhs := k.ref(a, vs)
	rhs := k.ref(b, vs, oneOf(u, -1, 1, 0))
	lines := []string{k.set(a, lhs, u.combine([]val{rhs, lhs}))}
	at := func() string { return k.point(c).text }
	outer := u.chance(1, 3)
	if outer {
		at = func() string { return k.elem(c, "j").text }
	}
	first := fmt.Sprintf("%d + mod(abs(%s), 3)", v.lo, at())
	last := fmt.Sprintf("min(%s, %d + abs(%s))", k.spell(u, v.hi), v.lo, at())
	step := fmt.Sprintf("1 + mod(abs(%s), 3)", at())
	var before []string
	if u.chance(1, 2) {
		for _, x := range []*string{&first, &last, &step} {
			m := k.scalarVar(intKind, "m", "1", tier{bound: 4096})
			before = append(before, fmt.Sprintf("%s = %s", m.name, *x))
			*x = m.name
		}
		k.feat("bound:data by way of a scalar")
	}
	header := fmt.Sprintf("do i = %s, %s", first, last)
	switch u.pick(3) {
	case 1:
		header += ", " + step
		k.feat("bound:step from data")
	case 2:
		header = fmt.Sprintf("do i = %s, %s, -(%s)", last, first, step)
		k.feat("bound:step from data")
	}
	body := append(before, doBlock(header, lines)...)
	if outer {
		body = doBlock(fmt.Sprintf("do j = %d, min(%s, %d)", c.dims[0].lo, k.spell(u, c.dims[0].hi), c.dims[0].lo+3), body)
		k.feat("bound:data in a loop")
	}
	k.feat("bound:data")
	k.emit(body...)
}

// guardedDivision divides where the divisor is not zero, which it sometimes is.
func guardedDivision(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, c := k.plain(kd, 1), k.plain(kd, 1), k.plain(kd, 1)
	vs := k.vars(1)
	lhs, x, y := k.ref(a, vs), k.ref(b, vs, oneOf(u, 0, 1, -1)), k.ref(c, vs, oneOf(u, 0, 1, -1))
	var before []string
	if u.chance(1, 3) {
		// The divisor is the same in all iterations.
		y = k.scalarVar(kd, "s", zero(kd), c.tier).val
		before = []string{fmt.Sprintf("%s = %s", y.text, k.point(c).text)}
		if u.chance(1, 2) {
			before[0] = fmt.Sprintf("%s = %s", y.text, zero(kd))
		}
		k.feat("guard:divisor outside of the loop")
	}
	var quotient val
	if kd == intKind {
		quotient = val{text: fmt.Sprintf("%s/%s", x.paren(), y.paren()), kind: kd, bound: x.bound, loose: true}
		if u.chance(1, 2) {
			quotient = val{text: fmt.Sprintf("%s(%s, %s)", oneOf(u, "mod", "modulo"), x.text, y.text), kind: kd, bound: y.bound}
		}
	} else {
		// The quotient is rounded in the same way everywhere, and cut to few digits.
		quotient = val{text: fmt.Sprintf("aint(8.0d0*(%s/%s))*0.125d0", x.paren(), y.paren()), frac: 3, bound: x.bound << y.frac, loose: true}
	}
	use := []string{k.set(a, lhs, u.combine([]val{quotient, lhs}))}
	other := []string{k.set(a, lhs, u.unary(lhs))}
	is, not := fmt.Sprintf("%s /= %s", y.text, zero(kd)), fmt.Sprintf("%s == %s", y.text, zero(kd))
	switch u.pick(4) {
	case 0:
		use = ifBlock(is, use, nil)
	case 1:
		use = ifBlock(not, other, use)
		k.feat("guard:else")
	case 2:
		use = append(ifBlock(not, []string{"cycle"}, nil), use...)
		k.feat("guard:cycle")
	case 3:
		use = ifBlock(u.compare(x).text, ifBlock(is, use, nil), nil)
		k.feat("guard:nested")
	}
	k.feat("guard:division")
	k.emit(before...)
	k.emit(k.nest(vs, use, how{parallel: true})...)
}

// guardedElement uses elements that exist only where a condition says so.
func guardedElement(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.plain(kd, 1), k.plain(kd, 1)
	v := k.vars(1)[0]
	vs := []*lvar{v}
	lhs := k.ref(a, vs)
	other := []string{k.set(a, lhs, u.unary(lhs))}
	if u.chance(1, 2) {
		other = nil
	}
	switch u.pick(4) {
	case 0: // a neighbour, where there is one
		d := b.dims[0]
		s := oneOf(u, 1, -1, 2)
		sub := affine(1, "i", fmt.Sprint(abs(s)), s)
		if u.chance(1, 2) {
			s = oneOf(u, 1, -1, 3, -4)
			sub = fmt.Sprintf("i + (%s)", k.runtime(s))
			k.feat("guard:distance that is read")
		}
		use := []string{k.set(a, lhs, u.combine([]val{k.elem(b, sub), lhs}))}
		cond := fmt.Sprintf("i < %s", k.spell(u, d.hi-s+1))
		v.lo = max(v.lo, d.lo-s)
		if s < 0 {
			cond = fmt.Sprintf("i > %s", k.spell(u, d.lo-s-1))
			v.lo, v.hi = a.dims[0].lo, min(v.hi, d.hi-s)
		}
		k.feat("guard:neighbour")
		k.emit(k.nest(vs, ifBlock(cond, use, other), how{parallel: true})...)
	case 1: // an index of 0 stands for no element
		ix := k.arr(intKind, 1)
		ref := k.ref(ix, vs)
		n := min(b.dims[0].extent(), 9)
		t := k.temp(intKind, 0)
		lines := []string{fmt.Sprintf("%s = mod(abs(%s), %d)", t.name, ref.text, n+1)}
		use := []string{k.set(a, lhs, u.combine([]val{k.elem(b, affine(1, t.name, fmt.Sprint(abs(b.dims[0].lo-1)), b.dims[0].lo-1)), lhs}))}
		lines = append(lines, ifBlock(t.name+" > 0", use, other)...)
		k.feat("guard:index")
		k.emit(k.nest(vs, lines, how{parallel: true, private: []string{t.name}})...)
	case 2: // one element for all, or none
		m := k.scalarVar(intKind, "m", "0", tier{bound: 99})
		k.emit(fmt.Sprintf("%s = mod(abs(%s), 3)*%d", m.name, k.point(k.arr(intKind, 1)).text, 1+u.pick(2)*99))
		d := b.dims[0]
		cond := fmt.Sprintf("%s >= %d .and. %s <= %s", m.name, d.lo, m.name, k.spell(u, d.hi))
		use := []string{k.set(a, lhs, u.combine([]val{k.elem(b, m.name), lhs}))}
		k.feat("guard:scalar subscript")
		if u.chance(1, 2) {
			k.emit(ifBlock(cond, k.nest(vs, use, how{parallel: true}), nil)...)
		} else {
			k.emit(k.nest(vs, ifBlock(cond, use, other), how{parallel: true})...)
		}
	case 3: // the left side too
		d := b.dims[0]
		v.lo, v.hi = min(v.lo, d.lo-2), max(v.hi, d.hi+2)
		inside := func(x *array) string {
			return fmt.Sprintf("i >= %d .and. i <= %s", x.dims[0].lo, k.spell(u, x.dims[0].hi))
		}
		x, y := k.elem(a, "i"), k.elem(b, "i")
		use := []string{k.set(a, x, u.combine([]val{x, y}))}
		k.feat("guard:left side")
		k.emit(k.nest(vs, ifBlock(inside(a), ifBlock(inside(b), use, nil), nil), how{parallel: true})...)
	}
}

// chase follows subscripts that the elements give.
func chase(k *kern) {
	u := k.u
	a := k.arr(intKind, 1)
	d := a.dims[0]
	m := k.scalarVar(intKind, "m", "0", tier{bound: 4096})
	at := k.elem(a, m.name)
	lines := []string{fmt.Sprintf("%s = %s", m.name, affine(1, fmt.Sprintf("mod(abs(%s + %s), %d)", m.name, at.text, d.extent()), fmt.Sprint(abs(d.lo)), d.lo))}
	if u.chance(1, 2) {
		lines = append(lines, k.set(a, at, u.unary(at)))
	}
	k.feat("bound:accumulator is subscript")
	k.emit(fmt.Sprintf("%s = %d", m.name, d.lo+u.pick(d.extent())))
	k.emit(doBlock(fmt.Sprintf("do i = 1, %d", 2+u.pick(5)), lines)...)
}

// wander is DO WHILE around nests that communicate, until data say that it is over.
func wander(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	m := k.scalarVar(intKind, "m", "0", tier{bound: 99})
	sweep := func(x, y *array) []string {
		vs := k.vars(1)
		lhs := k.ref(x, vs)
		return k.nest(vs, []string{k.set(x, lhs, u.combine([]val{k.ref(y, vs, oneOf(u, 1, -1, 2, -2)), lhs}))}, how{parallel: true})
	}
	body := append(sweep(a, b), fmt.Sprintf("%s = %s + 1", m.name, m.name))
	if u.chance(1, 2) {
		body = append(body, sweep(b, a)...)
	}
	limit := fmt.Sprintf("%s < %d", m.name, 2+u.pick(4))
	switch u.pick(4) {
	case 1:
		limit += " .and. " + u.compare(k.point(a)).text
		k.feat("while:on an element")
	case 2:
		s := k.scalarVar(intKind, "s", "0", tier{bound: 99})
		vs := k.vars(1)
		body = append(body, s.name+" = 0")
		body = append(body, k.nest(vs, ifBlock(u.compare(k.ref(a, vs)).text, []string{fmt.Sprintf("%s = %s + 1", s.name, s.name)}, nil), how{reduction: []string{s.name}})...)
		limit += fmt.Sprintf(" .and. %s /= %d", s.name, u.pick(4))
		k.emit(s.name + " = -1")
		k.feat("while:on a reduction")
	case 3:
		t := k.scalarVar(intKind, "m", "0", tier{bound: 99})
		inner := append(sweep(a, b), fmt.Sprintf("%s = %s + 1", t.name, t.name))
		body = append(body, t.name+" = 0")
		body = append(body, doBlock(fmt.Sprintf("do while (%s < mod(%s, 3))", t.name, m.name), inner)...)
		k.feat("while:nested")
	}
	k.feat("while:communications")
	k.emit(m.name + " = 0")
	k.emit(doBlock(fmt.Sprintf("do while (%s)", limit), body)...)
}

// leap leaves nests, or cycles outer loops, from within, between communications.
func leap(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	outer, middle := k.fresh("outer"), k.fresh("middle")
	m := k.scalarVar(intKind, "m", "0", tier{bound: 99})
	sweep := func(x, y *array) []string {
		vs := k.vars(1)
		lhs := k.ref(x, vs)
		return k.nest(vs, []string{k.set(x, lhs, u.combine([]val{k.ref(y, vs, oneOf(u, 1, -1, 2)), lhs}))}, how{parallel: true})
	}
	jump := func(names ...string) []string {
		verb, name := oneOf(u, "exit", "cycle"), oneOf(u, names...)
		k.feat("leap:" + verb + map[bool]string{true: " outer", false: " inner"}[name == outer])
		cond := oneOf(u, fmt.Sprintf("mod(j + k, %d) == %d", 2+u.pick(2), u.pick(2)), fmt.Sprintf("%s > %d", m.name, 1+u.pick(4)), u.compare(k.point(oneOf(u, a, b))).text)
		return ifBlock(cond, []string{verb + " " + name}, nil)
	}
	inner := append(sweep(a, b), jump(outer, middle)...)
	inner = append(inner, sweep(b, a)...)
	inner = append(inner, fmt.Sprintf("%s = %s + 1", m.name, m.name))
	if u.chance(1, 2) {
		inner = append(inner, jump(middle, outer)...)
	}
	body := doBlock(middle+": do k = 1, "+fmt.Sprint(2+u.pick(2)), inner)
	if u.chance(1, 2) {
		body = append(body, sweep(a, b)...)
	}
	k.emit(m.name + " = 0")
	k.emit(doBlock(outer+": do j = 1, "+fmt.Sprint(2+u.pick(3)), body)...)
}
