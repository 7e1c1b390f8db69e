package randprog

import "fmt"

// complexTier is the invariant of both parts of complex arrays.
var complexTier = tier{frac: 4, bound: 64}

// complexArray makes a complex array that is long enough for vectors.
func (k *kern) complexArray(rank int) *array {
	u := k.u.fork()
	a := &array{name: k.fresh("z"), kind: complexKind, single: u.chance(1, 4), u: u, tier: complexTier}
	for d := range rank {
		lo := oneOf(u, 1, 1, 0, -1)
		n := 9 + u.pick(24)
		if d > 0 {
			n = 3 + u.pick(6)
		}
		a.dims = append(a.dims, bounds{lo: lo, hi: lo + n - 1})
	}
	return k.use(a)
}

// complexNumbers computes elements of complex arrays, and sums of them.
func complexNumbers(k *kern) {
	u := k.u
	rank := 1 + u.pick(2)
	a, b := k.complexArray(rank), k.complexArray(rank)
	vs := k.vars(rank)
	lhs := k.ref(a, vs)
	list := []val{lhs, k.ref(b, vs, u.pick(3)-1)}
	if rank == 1 && u.chance(1, 4) {
		k.feat("complex:gather")
		ix := k.indexArray(a.dims[0], b.dims[0], false)
		list = append(list, k.elem(b, k.ref(ix, vs).text))
	}
	e := k.complexValue(list)
	zt := k.complexScalar("zt")
	fit := func(part string) string {
		return u.fit(val{text: part + "(zt)", frac: e.frac, bound: e.bound}, a.tier).text
	}
	kind := 8
	if a.single {
		kind = 4
	}
	store := fmt.Sprintf("%s = cmplx(%s, %s, kind=%d)", target(lhs), fit("real"), fit("aimag"), kind)
	lines := []string{zt + " = " + e.text, store}
	if u.chance(1, 3) {
		k.feat("complex:under a condition")
		cond := oneOf(u, fmt.Sprintf("dble(%s) > 0.5d0", lhs.text), fmt.Sprintf("aimag(%s) /= 0", list[1].text), fmt.Sprintf("%s /= %s", lhs.text, list[1].text))
		lines = ifBlock(cond, lines, nil)
	}
	k.emit(k.nest(vs, lines, how{private: []string{zt}, plain: u.chance(1, 2)})...)
	if u.chance(2, 3) {
		k.complexSum(a, b)
	}
}

// complexScalar declares a complex variable that is set before it is used.
func (k *kern) complexScalar(name string) string {
	return k.private(complexKind, name, tier{}).name
}

// complexValue makes an expression of complex operands. What is known of a value holds for
// both parts of it.
func (k *kern) complexValue(list []val) val {
	u := k.u
	for i, x := range list {
		switch u.pick(5) {
		case 1:
			k.feat("complex:conjg")
			list[i].text = "conjg(" + x.text + ")"
		case 2:
			k.feat("complex:parts")
			list[i].text = fmt.Sprintf("cmplx(aimag(%s), -dble(%s), kind=8)", x.text, x.text)
		case 3:
			k.feat("complex:abs")
			// Never near the step of aint: squares of such numbers are rational.
			list[i] = val{text: fmt.Sprintf("cmplx(aint(8.0d0*abs(%s) + 0.03125d0), 0.5d0, kind=8)", x.text), kind: complexKind, frac: 1, bound: 16*x.bound + 1}
		}
	}
	e := list[0]
	for _, x := range list[1:] {
		if u.chance(1, 2) && e.size()+x.size() < exactBits-2 {
			k.feat("complex:product")
			e = product(e, x)
			e.bound *= 2
		} else {
			e = sum(oneOf(u, "+", "-"), e, x)
		}
	}
	switch u.pick(4) {
	case 1:
		e.text, e.loose = "-"+e.paren(), true
	case 2:
		e = sum("+", e, val{text: "(0.5d0, -1.25d0)", frac: 2, bound: 2})
	case 3:
		k.feat("complex:times a real")
		e = val{text: "0.25d0*" + e.paren(), frac: e.frac + 2, bound: e.bound, loose: true}
	}
	e.kind = complexKind
	return e
}

// complexSum adds up elements, or products of them.
func (k *kern) complexSum(a, b *array) {
	u := k.u
	vs := k.vars(a.rank())
	x := k.ref(a, vs)
	term := x.text
	switch u.pick(4) {
	case 1:
		term = fmt.Sprintf("conjg(%s)*%s", x.text, k.ref(b, vs).text)
	case 2:
		k.feat("complex:sum of parts")
		s := k.scalarVar(realKind, "s", "0.0d0", tier{})
		line := fmt.Sprintf("%s = %s + dble(%s)*aimag(%s)", s.name, s.name, x.text, k.ref(b, vs).text)
		k.emit(s.name + " = 0.0d0")
		k.emit(k.nest(vs, []string{line}, how{reduction: []string{s.name}})...)
		return
	}
	k.feat("complex:sum")
	zs := k.scalarVar(complexKind, "zs", "(0.0d0, 0.0d0)", tier{})
	k.emit(zs.name + " = (0.0d0, 0.0d0)")
	k.emit(k.nest(vs, []string{fmt.Sprintf("%s = %s + %s", zs.name, zs.name, term)}, how{reduction: []string{zs.name}})...)
}
