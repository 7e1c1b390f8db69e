package randprog

import "fmt"

// bitFunctions computes with the bits of integers.
func bitFunctions(k *kern) {
	u := k.u
	rank := 1 + u.pick(2)
	a, b := k.arr(intKind, rank), k.arr(intKind, rank)
	vs := k.vars(rank)
	lhs, x, y := k.ref(a, vs), k.ref(b, vs), k.ref(b, vs, oneOf(u, 1, -1, 0))
	const most = 1<<31 - 1
	f := func(name, format string, args ...any) val {
		k.feat("bits:" + name)
		return val{text: fmt.Sprintf(format, args...), kind: intKind, bound: most}
	}
	bits := func() val {
		switch u.pick(8) {
		case 0:
			return f("iand", "iand(%s, %d)", x.text, 1+u.pick(63))
		case 1:
			return f("ior", "ior(%s, %s)", x.text, y.text)
		case 2:
			return f("ieor", "ieor(%s, %s)", x.text, y.text)
		case 3:
			return f("not", "not(%s)", x.text)
		case 4:
			return f("ishft", "ishft(%s, %d)", x.text, u.pick(9)-4)
		case 5:
			return f("ibset", "ibset(%s, %d)", x.text, u.pick(12))
		case 6:
			return f("ibclr", "ibclr(%s, %d)", x.text, u.pick(12))
		}
		return f("variable shift", "ishft(%s, mod(%s, 5))", x.text, y.text)
	}
	e := u.fit(bits(), tier{bound: 1 << 12})
	if u.chance(1, 2) {
		e = sum("+", e, u.fit(bits(), tier{bound: 1 << 12}))
	}
	lines := []string{k.set(a, lhs, e)}
	if u.chance(1, 3) {
		k.feat("bits:btest")
		lines = ifBlock(fmt.Sprintf("btest(%s, %d)", y.text, u.pick(5)), lines, nil)
	}
	k.emit(k.nest(vs, lines, how{parallel: true})...)
}

// longIntegers computes in INTEGER(8), beyond 2**31, between integers of both kinds.
func longIntegers(k *kern) {
	u := k.u
	a := k.arr(intKind, 1)
	d := a.dims[0]
	w := &array{name: k.fresh("long"), kind: intKind, long: true, u: u.fork(), dims: []bounds{{lo: d.lo, hi: d.hi}}, tier: tier{bound: 1 << 40}}
	k.use(w)
	vs := k.vars(1)
	lhs := k.ref(w, vs).text
	x := fmt.Sprintf("int(%s, 8)", k.ref(a, vs, oneOf(u, 0, 1, -1)).text)
	if u.chance(1, 3) {
		x = k.ref(a, vs).text // of mixed kinds
	}
	e := oneOf(u,
		fmt.Sprintf("mod(%s*3000000007_8 + %s, 1099511627776_8)", lhs, x),
		fmt.Sprintf("%s*4294967297_8", x),
		fmt.Sprintf("mod(%s, 1000003_8)*1000003_8 - %s", lhs, x),
		fmt.Sprintf("ieor(%s, ishft(int(%s, 8), 33))/4", lhs, x),
		fmt.Sprintf("max(%s, int(%s, 8)*2147483648_8)", lhs, x))
	k.emit(k.nest(vs, []string{lhs + " = " + e}, how{parallel: true})...)
	s := k.scalarVar(intKind, "sl", "0", tier{bound: 1 << 50})
	s.decl = "integer(8)"
	ws := k.vars(1)
	y := k.ref(w, ws, oneOf(u, 0, 1)).text
	switch u.pick(4) {
	case 0:
		k.emit(s.name + " = 0")
		k.emit(k.nest(ws, []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, y)}, how{reduction: []string{s.name}})...)
		k.feat("integer(8):sum")
	case 1:
		k.emit(s.name + " = -5000000000_8")
		k.emit(k.nest(ws, []string{fmt.Sprintf("%s = %s(%s, %s)", s.name, oneOf(u, "max", "min"), s.name, y)}, how{reduction: []string{s.name}})...)
		k.feat("integer(8):extremum")
	case 2:
		// As loop variable and subscript.
		l := k.private(intKind, "il", tier{})
		l.decl = "integer(8)"
		at := k.elem(a, l.name)
		k.emit(doBlock(fmt.Sprintf("do %s = %d, %s", l.name, d.lo, k.spell(u, d.hi)), []string{k.set(a, at, u.fit(val{text: fmt.Sprintf("int(mod(%s(%s), 97_8))", w.name, l.name), kind: intKind, bound: 96}, a.tier))})...)
		k.feat("integer(8):subscript")
	case 3:
		k.emit(fmt.Sprintf("%s = %s*3 + 1", s.name, k.point(w).text))
		k.feat("integer(8):scalar")
	}
	out := k.vars(1)
	back := k.ref(a, out)
	k.emit(k.nest(out, []string{k.set(a, back, val{text: fmt.Sprintf("int(mod(%s, 1009_8))", k.ref(w, out).text), kind: intKind, bound: 1008})}, how{parallel: true})...)
}

// wrapForms are the variants of wrapping.
var wrapForms = []string{"wrap:linear congruential", "wrap:xorshift", "wrap:sum and difference", "wrap:in parallel", "wrap:reduction"}

// wrapping is generators of random numbers, as they are found in old programs: the
// arithmetic of INTEGER(4) wraps.
func wrapping(k *kern) {
	u := k.u
	k.wraps = true
	a := k.arr(intKind, 1)
	vs := k.vars(1)
	lhs := k.ref(a, vs)
	seed := k.scalarVar(intKind, "iseed", fmt.Sprint(12345+u.pick(1<<20)), tier{bound: 1<<31 - 1})
	next := func(x string) []string {
		switch u.pick(4) {
		case 0:
			k.feat("wrap:linear congruential")
			return []string{fmt.Sprintf("%s = %s*1103515245 + 12345", x, x)}
		case 1:
			k.feat("wrap:xorshift")
			return []string{fmt.Sprintf("%s = ieor(%s, ishft(%s, 13))", x, x, x), fmt.Sprintf("%s = ieor(%s, ishft(%s, -17))", x, x, x), fmt.Sprintf("%s = ieor(%s, ishft(%s, 5))", x, x, x)}
		case 2:
			k.feat("wrap:linear congruential")
			return []string{fmt.Sprintf("%s = iand(%s*69069 + 1, 2147483647)", x, x)}
		}
		k.feat("wrap:sum and difference")
		return []string{fmt.Sprintf("%s = (%s + 2000000011) - %s/3 + 1500000001", x, x, x)}
	}
	use := fmt.Sprintf("%s = mod(%s, %d)", lhs.text, seed.name, a.tier.bound+1)
	if u.chance(1, 2) {
		// Each element has a generator of its own.
		t := k.temp(intKind, 0)
		lines := append([]string{fmt.Sprintf("%s = %s*1000003 + i*7654321", t.name, k.ref(a, vs).text)}, next(t.name)...)
		lines = append(lines, fmt.Sprintf("%s = mod(%s, %d)", lhs.text, t.name, a.tier.bound+1))
		k.feat("wrap:in parallel")
		k.emit(k.nest(vs, lines, how{parallel: true, private: []string{t.name}})...)
	} else {
		k.emit(k.nest(vs, append(next(seed.name), use), how{})...)
	}
	if u.chance(1, 2) {
		h := k.scalarVar(intKind, "ihash", "0", tier{bound: 1<<31 - 1})
		ws := k.vars(1)
		x := k.ref(a, ws).text
		k.feat("wrap:reduction")
		k.emit(h.name + " = 17")
		k.emit(k.nest(ws, []string{oneOf(u, fmt.Sprintf("%s = %s + %s*40503001", h.name, h.name, x), fmt.Sprintf("%s = %s*(2*%s + 1000001)", h.name, h.name, x), fmt.Sprintf("%s = %s*31 + %s", h.name, h.name, x))}, how{})...)
	}
}
