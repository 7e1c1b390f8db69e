package randprog

import "fmt"

// transpose copies or combines with the subscripts exchanged.
func transpose(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 2), k.arr(kd, 2)
	vs := k.vars(2)
	lhs := k.ref(a, vs)
	e := k.elem(b, k.sub(b, 0, vs[1], 0), k.sub(b, 1, vs[0], oneOf(u, 0, 0, 1, -1)))
	list := []val{e}
	if u.chance(1, 3) {
		list = append(list, lhs)
	}
	if u.chance(1, 5) {
		// In place: the upper triangle from the lower one.
		x := k.elem(a, vs[1].name, vs[0].name)
		for d := range 2 {
			for _, v := range vs {
				v.narrow(1, 0, a.dims[d].lo, a.dims[d].hi)
			}
		}
		k.emit(k.nest(vs, []string{k.set(a, k.elem(a, vs[0].name, vs[1].name), u.combine([]val{x, e}))}, how{})...)
		return
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine(list))}, how{parallel: true})...)
}

// permute3 copies with three subscripts permuted.
func permute3(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 3), k.arr(kd, 3-u.pick(2))
	vs := k.vars(3)
	lhs := k.ref(a, vs)
	p := [][]int{{1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}[u.pick(5)]
	var subs []string
	for d := range b.dims {
		subs = append(subs, k.sub(b, d, vs[p[d]], 0))
	}
	if b.rank() == 2 {
		k.feat("permute:lower rank")
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{k.elem(b, subs...), lhs}))}, how{parallel: true})...)
}

// strided uses coefficients 2 and 3 on either side.
func strided(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	vs := k.vars(rank)
	c := oneOf(u, 2, 2, 3)
	subs := func(x *array, d, c int) []string {
		var out []string
		for e := range x.dims {
			if e == d {
				out = append(out, k.subBy(x, e, vs[e], c, u.pick(2)))
			} else {
				out = append(out, k.sub(x, e, vs[e], 0))
			}
		}
		return out
	}
	d := u.pick(rank)
	var lhs, rhs val
	switch u.pick(3) {
	case 0:
		lhs, rhs = k.ref(a, vs), k.elem(b, subs(b, d, c)...)
	case 1:
		lhs, rhs = k.elem(a, subs(a, d, c)...), k.ref(b, vs)
		k.feat("strided:left side")
	case 2:
		lhs, rhs = k.elem(a, subs(a, d, 2)...), k.elem(b, subs(b, d, c)...)
		k.feat("strided:left side")
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{rhs, lhs}))}, how{parallel: true})...)
}

// reversed runs backwards through an array, or exchanges halves in place.
func reversed(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	vs := k.vars(rank)
	lhs := k.ref(a, vs)
	var subs []string
	d := u.pick(rank)
	inPlace := u.chance(1, 4)
	if inPlace {
		b = a
	}
	for e := range b.dims {
		if e == d {
			subs = append(subs, k.subBy(b, e, vs[e], -1, 0))
		} else {
			subs = append(subs, k.sub(b, e, vs[e], 0))
		}
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{k.elem(b, subs...), lhs}))}, how{parallel: !inPlace})...)
}

// diagonal uses a(i,i) or its neighbours, on the right or on the left side.
func diagonal(written bool) func(k *kern) {
	return func(k *kern) {
		u := k.u
		kd := k.numeric()
		a, b := k.arr(kd, 2), k.arr(kd, 1)
		vs := k.vars(1)
		v := vs[0]
		diag := k.elem(a, k.sub(a, 0, v, 0), k.sub(a, 1, v, oneOf(u, 0, 0, 1, -1)))
		x := k.ref(b, vs)
		switch {
		case written:
			k.emit(k.nest(vs, []string{k.set(a, diag, u.combine([]val{x, diag}))}, how{parallel: true})...)
		case u.chance(1, 2):
			t := k.scalarVar(kd, "s", zero(kd), tier{12, 64 << 10})
			e := u.fit(diag, tier{12, 1 << 10})
			k.emit(fmt.Sprintf("%s = %s", t.name, zero(kd)))
			k.emit(k.nest(vs, []string{fmt.Sprintf("%s = %s + %s", t.name, t.name, e.paren())}, how{reduction: []string{t.name}})...)
		default:
			k.emit(k.nest(vs, []string{k.set(b, x, u.combine([]val{diag, x}))}, how{parallel: true})...)
		}
	}
}

// coupled uses subscripts of two loop variables.
func coupled(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 2), k.arr(kd, 1)
	vs := k.vars(2)
	i, j := vs[0], vs[1]
	lhs := k.ref(a, vs)
	bd := b.dims[0]
	var text string
	if u.chance(1, 2) {
		// b(i+j+o): cut the ranges until the sum fits.
		j.hi = min(j.hi, j.lo+max(0, bd.extent()/2))
		i.hi = min(i.hi, i.lo+bd.extent()-1-(max(j.hi, j.lo)-j.lo))
		o := bd.lo - i.lo - j.lo
		text = affine(1, "i+j", fmt.Sprint(abs(o)), o)
	} else {
		j.hi = min(j.hi, j.lo+max(0, bd.extent()/2))
		i.hi = min(i.hi, i.lo+bd.extent()-1-(max(j.hi, j.lo)-j.lo))
		o := bd.lo - i.lo + max(j.hi, j.lo)
		text = affine(1, "i-j", fmt.Sprint(abs(o)), o)
	}
	x := k.elem(b, text)
	if u.chance(1, 2) {
		k.emit(k.nest(vs, []string{k.set(b, x, u.combine([]val{x, lhs}))}, how{})...)
		k.feat("coupled:left side")
		return
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{x, lhs}))}, how{parallel: true})...)
}

// indexArray makes an integer array over the range of from whose values lie in
// to. As a permutation its values differ; from must not be longer than to.
func (k *kern) indexArray(from, to bounds, perm bool) *array {
	u := k.u.fork()
	name := k.fresh("ix")
	a := &array{name: name, kind: intKind, u: u, dims: []bounds{{lo: from.lo, hi: from.hi}}, index: true}
	n := to.extent()
	c := 1 + u.pick(n)
	for perm && gcd(c, n) != 1 {
		c++
	}
	shift := u.pick(n)
	k.use(a)
	lead := ""
	if to.lo != 0 {
		lead = fmt.Sprintf("%d + ", to.lo)
	}
	rhs := fmt.Sprintf("%smod(%d*(i - (%d)) + %d, %d)", lead, c, from.lo, shift, n)
	if from.lo >= 0 {
		rhs = fmt.Sprintf("%smod(%d*(i - %d) + %d, %d)", lead, c, from.lo, shift, n)
	}
	if !perm && u.chance(1, 3) {
		rhs = fmt.Sprintf("max(%d, min(%d, %d*i - %d))", to.lo, to.hi, 1+u.pick(2), u.pick(3))
	}
	a.init = k.allElements(a, fmt.Sprintf("%s(i) = %s", name, rhs))
	a.tier.bound = max(abs(to.lo), abs(to.hi))
	if a.place.kind == replicated {
		k.feat("index array:replicated")
	} else {
		k.feat("index array:distributed")
	}
	return a
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// gather reads through an index array, or on a ring.
func gather(k *kern) {
	u := k.u
	if u.chance(1, 2) {
		ring(k)
		return
	}
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	ix := k.indexArray(a.dims[0], b.dims[0], u.chance(1, 3))
	vs := k.vars(1)
	lhs := k.ref(a, vs)
	e := k.elem(b, k.ref(ix, vs).text)
	lines := k.guard([]string{k.set(a, lhs, u.combine([]val{e, lhs}))}, vs, e)
	k.emit(k.nest(vs, lines, how{parallel: true})...)
	if u.chance(1, 2) {
		// Another schedule from the same statement: the index array changes.
		ws := k.vars(1)
		r := k.ref(ix, ws)
		lo, n := b.dims[0].lo, b.dims[0].extent()
		k.emit(k.nest(ws, []string{fmt.Sprintf("%s = %d + mod(%s - (%d) + 1, %d)", r.text, lo, r.text, lo, n)}, how{parallel: true})...)
		k.emit(k.nest(vs, lines, how{parallel: true})...)
		k.feat("index array:changed between uses")
	}
}

// ring reads the elements some places on, as if the first followed the last along one axis.
func ring(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	vs := k.vars(rank)
	lhs := k.ref(a, vs)
	d := u.pick(rank)
	lo, hi := b.dims[d].lo, b.dims[d].hi
	terms := []val{lhs}
	for range 1 + u.pick(2) {
		at := fmt.Sprintf("%s + (%d)", vs[d].name, u.pick(7)-3)
		form := oneOf(u, "modulo", "merge")
		k.feat("ring:" + form)
		if form == "modulo" {
			at = fmt.Sprintf("modulo(%s, %d) + (%d)", at, hi-lo+1, lo)
		} else {
			at = fmt.Sprintf("merge(%d, %s, %s > %d .or. %s < %d)", lo, at, at, hi, at, lo)
		}
		var subs []string
		for e := range b.dims {
			if e == d {
				subs = append(subs, at)
			} else {
				subs = append(subs, k.sub(b, e, vs[e], 0))
			}
		}
		terms = append(terms, k.elem(b, subs...))
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine(terms))}, how{parallel: true})...)
}

// gather2 reads rows or columns through an index array.
func gather2(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 2), k.arr(kd, 2)
	vs := k.vars(2)
	lhs := k.ref(a, vs)
	d := u.pick(2)
	ix := k.indexArray(a.dims[d], b.dims[d], false)
	subs := []string{"", ""}
	subs[d] = k.ref(ix, vs[d:]).text
	if u.chance(1, 3) {
		iy := k.indexArray(a.dims[1-d], b.dims[1-d], false)
		subs[1-d] = k.ref(iy, []*lvar{vs[1-d]}).text
	} else {
		subs[1-d] = k.sub(b, 1-d, vs[1-d], 0)
	}
	e := k.elem(b, subs...)
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{e, lhs}))}, how{parallel: true})...)
}

// gatherColumns reads columns that no two PEs share, through an index array.
func gatherColumns(k *kern) {
	u := k.u
	kd := k.numeric()
	long := func(formats ...string) *array {
		a := k.unused(slot{kind: kd, rank: 2})
		if !a.used {
			a.dims[0].hi += 9
			if len(formats) > 0 {
				a.place = place{kind: distributed, formats: formats}
			}
		}
		return k.take(a)
	}
	b, a := long("*", oneOf(u, "block", "cyclic")), long()
	vs := k.vars(2)
	lhs := k.ref(a, vs)
	ix := k.indexArray(a.dims[1], b.dims[1], false)
	e := k.elem(b, k.sub(b, 0, vs[0], oneOf(u, 0, 0, 1, -1)), k.ref(ix, vs[1:]).text)
	nest := k.nest([]*lvar{vs[1], vs[0]}, []string{k.set(a, lhs, u.combine([]val{e, lhs}))}, how{parallel: true})
	if u.chance(1, 3) {
		k.feat("whole columns:in a time loop")
		nest = k.inTime(nest)
	}
	k.emit(nest...)
}

// gatherTwice reads an index array through an index array.
func gatherTwice(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	mid := bounds{lo: 1, hi: 1 + u.pick(9)}
	first := k.indexArray(a.dims[0], mid, false)
	second := k.indexArray(mid, b.dims[0], false)
	vs := k.vars(1)
	lhs := k.ref(a, vs)
	e := k.elem(b, k.elem(second, k.ref(first, vs).text).text)
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{e, lhs}))}, how{parallel: true})...)
}

// scatter writes through a permutation, perhaps by a variable that the iteration sets first.
func scatter(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.arr(kd, 1+u.pick(2))
	b := k.arr(kd, 1)
	to := a.dims[0]
	from := bounds{lo: b.dims[0].lo, hi: b.dims[0].lo + min(to.extent(), b.dims[0].extent()) - 1}
	ix := k.indexArray(from, to, true)
	vs := k.vars(a.rank())
	i := k.ref(ix, vs[:1]).text
	x := k.ref(b, vs[:1])
	var lines []string
	h := how{parallel: true}
	if a.rank() == 1 && u.chance(1, 2) {
		p := k.private(intKind, "tp", tier{bound: 60})
		lines, h.private = []string{p.name + " = " + i}, []string{p.name}
		i = p.name
		k.feat("scatter:by a variable")
	}
	var lhs val
	if a.rank() == 1 {
		lhs = k.elem(a, i)
	} else {
		lhs = k.elem(a, i, k.sub(a, 1, vs[1], 0))
	}
	operands := []val{x, lhs}
	if len(lines) > 0 && u.chance(2, 3) {
		operands = operands[1:] // so that its owner needs nothing
	}
	k.emit(k.nest(vs, append(lines, k.set(a, lhs, u.combine(operands))), h)...)
}

// histogram adds into elements picked by an index array that may repeat.
func histogram(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	clean := u.chance(1, 2)
	if clean {
		a = k.accumulator(a, b.elements())
	}
	ix := k.indexArray(b.dims[0], a.dims[0], false)
	vs := k.vars(1)
	x := k.ref(b, vs)
	lhs := k.elem(a, k.ref(ix, vs).text)
	if clean && u.chance(1, 3) {
		k.feat("reduce:extreme of picked elements")
		k.emit(k.nest(vs, []string{fmt.Sprintf("%s = %s(%s, %s)", lhs.text, oneOf(u, "max", "min"), lhs.text, x.text)}, how{})...)
		return
	}
	if clean {
		k.emit(k.nest(vs, []string{k.accumulate("+", lhs, x)}, how{})...)
		return
	}
	e := sum("+", lhs, x)
	if u.chance(1, 3) {
		e = extremum("max", lhs, x)
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, e)}, how{})...)
}

// sparse multiplies a matrix in compressed rows by a vector.
func sparse(k *kern) {
	u := k.u
	y, x := k.arr(realKind, 1), k.arr(realKind, 1)
	per := 1 + u.pick(3)
	rows := y.dims[0]
	count := bounds{lo: 1, hi: per * rows.extent()}
	start := &array{name: k.fresh("ptr"), kind: intKind, u: u.fork(), dims: []bounds{{lo: rows.lo, hi: rows.hi + 1}}, index: true}
	k.use(start)
	start.init = k.allElements(start, fmt.Sprintf("%s(i) = %d*(i - (%d)) + 1", start.name, per, rows.lo))
	col := k.indexArray(count, x.dims[0], false)
	start.tier.bound = count.hi + 1
	vs := k.vars(2)
	lhs := k.ref(y, vs[:1])
	s := k.scalarVar(realKind, "s", "0.0d0", tier{frac: 12, bound: 3 << 10})
	e := u.fit(k.elem(x, k.elem(col, "j").text), tier{12, 1 << 10})
	lo, hi := k.elem(start, "i").text, k.elem(start, "i+1").text
	body := []string{s.name + " = 0.0d0"}
	body = append(body, doBlock(fmt.Sprintf("do j = %s, %s - 1", lo, hi), []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, e.paren())})...)
	body = append(body, k.set(y, lhs, s.val))
	k.emit(k.nest(vs[:1], body, how{})...)
}
