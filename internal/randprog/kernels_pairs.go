package randprog

import "fmt"

// pairs sums over pairs of elements, under conditions on the indices of the loops and on
// private scalars.
func pairs(k *kern) {
	u := k.u
	kd := k.numeric()
	x, f := k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(2)
	lhs := k.ref(f, vs[:1])
	d := u.fit(u.combine([]val{k.ref(x, vs[:1]), k.ref(x, vs[1:])}), tempTier)
	count := max(1, vs[0].hi-vs[0].lo+1) * max(1, vs[1].hi-vs[1].lo+1)
	t := k.temp(kd, 0)
	s := k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: count << 10})
	m := k.scalarVar(intKind, "m", "0", tier{bound: 4 * count})
	adds := func(n int) string { return fmt.Sprintf("%s = %s + %d", m.name, m.name, n) }

	near := []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, t.name), k.set(f, lhs, u.combine([]val{t.val, lhs}))}
	var far []string
	if u.chance(1, 2) {
		near = append(near, adds(1))
	}
	if u.chance(1, 2) {
		far = []string{adds(2)}
	}
	lines := append([]string{fmt.Sprintf("%s = %s", t.name, d.text)}, ifBlock(u.compare(t.val).text, near, far)...)
	same := fmt.Sprintf("%s == %s", vs[0].name, vs[1].name)
	var other []string
	if u.chance(1, 2) {
		other = []string{adds(3)}
	}
	switch u.pick(3) {
	case 0:
		k.feat("pairs:if")
		lines = ifBlock(fmt.Sprintf("%s /= %s", vs[0].name, vs[1].name), lines, other)
	case 1:
		k.feat("pairs:cycle")
		lines = append(ifBlock(same, append(other, "cycle"), nil), lines...)
	default:
		k.feat("pairs:else")
		lines = ifBlock(k.condition(vs), append(other, fmt.Sprintf("%s = %s + 1", s.name, s.name)), lines)
	}
	if u.chance(1, 2) {
		lines = append(lines, ifBlock(fmt.Sprintf("mod(%s, 2) == 0", vs[1].name), []string{adds(1)}, nil)...)
	}
	k.emit(fmt.Sprintf("%s = %s", s.name, zero(kd)), fmt.Sprintf("%s = 0", m.name))
	k.emit(k.nest(vs, lines, how{})...)
}

// intoBoth adds what two elements give to the one and subtracts it from the other.
func intoBoth(k *kern) {
	u := k.u
	kd := k.numeric()
	x := k.arr(kd, 1)
	vs := k.vars(2)
	d := u.fit(u.combine([]val{k.ref(x, vs[:1]), k.ref(x, vs[1:])}), tempTier)
	acc := k.accumulator(x, 4*x.dims[0].extent()*x.dims[0].extent())
	t := k.temp(kd, 0)
	lines := []string{k.accumulate("+", k.ref(acc, vs[:1]), t.val), k.accumulate("-", k.ref(acc, vs[1:]), t.val)}
	if u.chance(1, 2) {
		k.feat("both:under a condition")
		lines = ifBlock(u.compare(t.val).text, lines, nil)
	}
	lines = append([]string{fmt.Sprintf("%s = %s", t.name, d.text)}, lines...)
	if u.chance(1, 2) {
		k.feat("both:half of the pairs")
		lines = ifBlock(fmt.Sprintf("%s > %s", vs[1].name, vs[0].name), lines, nil)
	}
	k.emit(k.nest(vs, lines, how{})...)
}

// ownerless counts iterations for which an array has no element.
func ownerless(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	v := k.vars(1)[0]
	k.sub(a, 0, v, 0)
	s, d := oneOf(u, -1, 1, 2), b.dims[0]
	x := k.elem(b, affine(1, v.name, fmt.Sprint(abs(s)), s))
	m := k.scalarVar(intKind, "m", "0", tier{bound: 4 * max(1, v.hi-v.lo+1)})
	exists := fmt.Sprintf("%s >= %s .and. %s <= %s", v.name, k.spell(u, d.lo-s), v.name, k.spell(u, d.hi-s))
	sets, counts := []string{k.set(b, x, u.unary(x))}, []string{fmt.Sprintf("%s = %s + 2", m.name, m.name)}
	if u.chance(1, 2) {
		sets = append(sets, fmt.Sprintf("%s = %s + 1", m.name, m.name))
	}
	lines := ifBlock(exists, sets, counts)
	if u.chance(1, 2) {
		k.feat("ownerless:cycle")
		lines = append(ifBlock(".not. ("+exists+")", append(counts, "cycle"), nil), sets...)
	}
	k.emit(fmt.Sprintf("%s = 0", m.name))
	k.emit(k.nest([]*lvar{v}, lines, how{})...)
}

// steps has loops whose steps are variables.
func steps(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	v := k.vars(1)[0]
	lhs := k.ref(a, []*lvar{v})
	x := k.ref(b, []*lvar{v}, oneOf(u, 0, 1, -1))
	m := k.scalarVar(intKind, "m", "1", tier{bound: 16})
	lo, hi, by := k.spell(u, v.lo), k.spell(u, v.hi), m.name
	if u.chance(1, 4) {
		k.feat("steps:backward")
		lo, hi, by = hi, lo, "-"+by
	}
	loop := doBlock(fmt.Sprintf("do %s = %s, %s, %s", v.name, lo, hi, by), []string{k.set(a, lhs, u.combine([]val{lhs, x}))})
	k.emit(fmt.Sprintf("%s = %d", m.name, 1+u.pick(3)))
	if u.chance(1, 2) {
		k.feat("steps:doubled")
		k.emit(k.inTime(append(loop, fmt.Sprintf("%s = 2*%s", m.name, m.name)))...)
		m.val.bound = 24 // 3, doubled three times
		return
	}
	k.emit(loop...)
}
