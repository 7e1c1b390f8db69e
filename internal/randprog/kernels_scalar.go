package randprog

import (
	"fmt"
	"strings"
)

// temporaries hold intermediate values of iterations.
var tempTier = tier{frac: 12, bound: 1 << 10}

func (k *kern) temp(kd kind, i int) *scalar {
	names := [...][]string{{"tr", "ur", "vr"}, {"ti", "ui", "vi"}, {"tl", "ul", "vl"}}
	return k.private(kd, names[kd][i], tempTier)
}

// private sets scalars before it uses them, in every iteration.
func private(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b, c := k.arr(kd, rank), k.arr(kd, rank), k.arr(kd, rank)
	lhs, other := k.ref(a, vs), k.ref(c, vs)
	t := k.temp(kd, 0)
	first := u.fit(u.combine([]val{k.ref(b, vs, oneOf(u, 0, 1, -1)), k.ref(b, vs)}), tempTier)
	lines := []string{fmt.Sprintf("%s = %s", t.name, first.text)}
	private := []string{t.name}
	if u.chance(1, 2) {
		// Set on both ways of an IF.
		second := u.fit(u.combine([]val{k.ref(b, vs)}), tempTier)
		lines = ifBlock(k.condition(vs, k.ref(b, vs)), lines, []string{fmt.Sprintf("%s = %s", t.name, second.text)})
		k.feat("private:set in both branches")
	}
	if u.chance(1, 3) {
		s := k.temp(kd, 1)
		lines = append(lines, fmt.Sprintf("%s = %s", s.name, u.fit(u.combine([]val{t.val, k.ref(b, vs)}), tempTier).text))
		lines = append(lines, k.set(c, other, u.combine([]val{s.val, other})))
		private = append(private, s.name)
	}
	lines = append(lines, k.set(a, lhs, u.combine([]val{t.val, lhs})))
	k.emit(k.nest(vs, lines, how{parallel: true, private: private})...)
}

// lastValue uses the value that a scalar has after the loop.
func lastValue(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(1)
	lhs := k.ref(a, vs)
	t := k.scalarVar(kd, "w", zero(kd), b.tier)
	lines := []string{fmt.Sprintf("%s = %s", t.name, k.ref(b, vs, oneOf(u, 0, 1)).text)}
	if u.chance(1, 2) {
		lines = ifBlock(k.condition(vs, lhs), lines, nil)
		k.feat("private:set under a condition")
	}
	lines = append(lines, k.set(a, lhs, u.combine([]val{t.val, lhs})))
	k.emit(k.nest(vs, lines, how{})...)
	if u.chance(1, 2) {
		p := k.point(a)
		k.emit(k.set(a, p, u.combine([]val{t.val, p})))
	}
	if u.chance(1, 2) {
		m := k.scalarVar(intKind, "m", "0", tier{bound: 60})
		k.emit(fmt.Sprintf("%s = i", m.name))
		k.feat("loop:index used afterwards")
	}
}

// forward has scalars that are affine in the loop variables and serve as
// subscripts.
func forward(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	inPlace := u.chance(1, 3)
	if inPlace {
		b = a
	}
	lhs := k.ref(a, vs)
	names := []string{"ip1", "jp1"}
	shifted := [][]string{nil, nil}
	var lines, private []string
	d := u.pick(rank)
	var list []val
	for n := range 1 + u.pick(2) {
		s := oneOf(u, -1, 1, 2, -2)
		var subs []string
		for e := range b.dims {
			text := k.sub(b, e, vs[e], 0)
			if e == d {
				text = k.sub(b, e, vs[e], s)
				name := names[n]
				k.private(intKind, name, tier{})
				lines = append(lines, fmt.Sprintf("%s = %s", name, text))
				private = append(private, name)
				text = name
				shifted[n] = append(shifted[n], name)
			}
			subs = append(subs, text)
		}
		list = append(list, k.elem(b, subs...))
	}
	lines = append(lines, k.set(a, lhs, u.combine(append(list, lhs))))
	if rank == 2 && u.chance(2, 3) {
		// The scalars of the outer variable are set outside of the inner loop.
		o, i := vs[d], vs[1-d]
		n := len(private)
		header := k.header(o, false)
		body := append(append([]string(nil), lines[:n]...), k.nest([]*lvar{i}, lines[n:], how{fixed: true})...)
		k.emit(doBlock(header, body)...)
		k.feat("forward:set in the outer loop")
		return
	}
	k.emit(k.nest(vs, lines, how{parallel: !inPlace, private: private})...)
}

// induction counts along in a scalar that is used as a subscript.
func induction(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(1)
	x := k.ref(b, vs)
	d := a.dims[0]
	c := k.fresh("ic")
	k.private(intKind, c, tier{})
	step := oneOf(u, 1, 1, 2, -1)
	// At most as many iterations as there are elements for the counter.
	vs[0].hi = min(vs[0].hi, vs[0].lo+(d.extent()-1)/abs(step))
	start := d.lo
	if step < 0 {
		start = d.hi
	}
	lhs := k.elem(a, c)
	use := k.set(a, lhs, u.combine([]val{x, lhs}))
	next := fmt.Sprintf("%s = %s", c, affine(1, c, fmt.Sprint(abs(step)), step))
	lines := []string{use, next}
	if u.chance(1, 2) {
		// Counted first.
		start -= step
		lines = []string{next, use}
	}
	if u.chance(1, 2) {
		// Packing: the counter moves only now and then.
		lines = ifBlock(k.condition(vs, x), lines, nil)
		k.feat("induction:packing")
	}
	k.emit(fmt.Sprintf("%s = %d", c, start))
	k.emit(k.nest(vs, lines, how{fixed: true})...)
	m := k.scalarVar(intKind, "m", "0", tier{bound: 200})
	k.emit(fmt.Sprintf("%s = %s", m.name, c))
}

// replicate copies a row, a column or a vector into an array that is mostly
// replicated, and uses it in a second loop.
func replicate(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 2), k.arr(kd, 2)
	d := u.pick(2)
	w := &array{name: k.fresh("w"), kind: kd, u: u.fork(), dims: []bounds{{lo: a.dims[d].lo, hi: a.dims[d].hi}}, tier: a.tier}
	if u.chance(3, 4) {
		w.unmapped = true
	}
	k.use(w)
	row := k.inside(a.dims[1-d])
	subs := []string{row, row}
	v := &lvar{name: "i"}
	subs[d] = k.sub(a, d, v, 0)
	lhs := k.elem(w, k.sub(w, 0, v, 0))
	copyLoop := k.nest([]*lvar{v}, []string{k.set(w, lhs, k.elem(a, subs...))}, how{parallel: true})
	vs := k.vars(2)
	out := k.ref(b, vs)
	x := k.elem(w, k.sub(w, 0, vs[d], oneOf(u, 0, 0, 1, -1)))
	k.emit(copyLoop...)
	k.emit(k.nest(vs, []string{k.set(b, out, u.combine([]val{out, x}))}, how{parallel: true})...)
}

// severalOwners has statements with left sides of different owners, with
// dependences between them.
func severalOwners(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	list := []*array{k.arr(kd, rank), k.arr(kd, rank), k.arr(kd, rank)}
	var lines []string
	for n := range 2 + u.pick(2) {
		a := list[n%3]
		b, c := list[u.pick(3)], list[(n+1)%3]
		s := make([]int, rank)
		s[u.pick(rank)] = oneOf(u, 0, 1, -1)
		var lhs val
		if u.chance(1, 4) {
			lhs = k.ref(a, vs, s...)
		} else {
			lhs = k.ref(a, vs)
		}
		r := make([]int, rank)
		r[u.pick(rank)] = oneOf(u, -1, 1, 0, 2)
		e := u.combine([]val{k.ref(b, vs, r...), k.ref(c, vs)})
		line := []string{k.set(a, lhs, e)}
		lines = append(lines, k.guard(line, vs, k.ref(c, vs))...)
	}
	k.emit(k.nest(vs, lines, how{})...)
}

// mixedTypes assigns between integers and reals, with conversion.
func mixedTypes(k *kern) {
	u := k.u
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b := k.arr(realKind, rank), k.arr(intKind, rank)
	x, y := k.ref(a, vs, oneOf(u, 0, 1)), k.ref(b, vs)
	if u.chance(1, 3) {
		k.emit(k.nest(vs, []string{k.set(b, y, u.combine([]val{u.convert(k.ref(a, vs, oneOf(u, 0, 1, -1)), intKind), y}))}, how{parallel: true})...)
		return
	}
	e := k.ref(b, vs, oneOf(u, 0, 1, -1))
	rhs := u.combine([]val{u.convert(e, realKind), x})
	if u.chance(1, 2) {
		// An implicit conversion on assignment.
		k.emit(k.nest(vs, []string{target(x) + " = " + u.fit(e, tier{bound: a.tier.bound}).text}, how{parallel: true})...)
		k.feat("convert:by assignment")
		return
	}
	k.emit(k.nest(vs, []string{k.set(a, x, rhs)}, how{parallel: true})...)
}

// section works on a part whose size is read from input.
func section(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	lhs := k.ref(a, vs)
	e := u.combine([]val{k.ref(b, vs, oneOf(u, 1, -1, 0)), k.ref(b, vs)})
	lines := []string{k.set(a, lhs, e)}
	for d := range vs {
		v := vs[d]
		lo, hi := v.lo+u.pick(2), v.hi-u.pick(3)
		l, h := k.runtime(lo), k.runtime(hi)
		if u.chance(1, 3) {
			h = offset(k.runtime(hi+1), -1)
		}
		lines = doBlock(fmt.Sprintf("do %s = %s, %s", v.name, l, h), lines)
	}
	if u.chance(1, 3) {
		lines = append([]string{"!HPF$ INDEPENDENT"}, lines...)
		if rank > 1 {
			lines[0] += ", NEW(" + strings.Join([]string{vs[0].name}, ", ") + ")"
		}
	}
	k.feat("loop:symbolic bounds")
	k.emit(lines...)
}
