package randprog

import "fmt"

// shortLoops has loops of few iterations, with bounds that are known, inside of the loops
// over an array: a filter over neighbours, in a scalar or in the elements themselves.
// Nothing in it but sums, products, maxima and minima: it may be vector code.
func shortLoops(k *kern) {
	u := k.u
	kd := k.numeric()
	vs := k.vars(2)
	a, b := k.arr(kd, 2), k.arr(kd, 2)
	if a.tier.frac > b.tier.frac {
		a, b = b, a
	}
	inPlace := u.chance(1, 6)
	if inPlace {
		b = a
		k.feat("short loops:in place")
	}
	lhs := k.ref(b, vs)
	names := []string{"mp", "mq"}[:1+u.pick(2)]
	private := append([]string(nil), names...)
	for _, name := range names {
		k.private(intKind, name, tier{})
	}
	// The dimension that each runs along, and how far.
	first := u.pick(2)
	subs := make([]string, 2)
	var headers []string
	most := 1
	for d := range 2 {
		o := k.offset(a.dims[d], vs[d], 0)
		n := (d + first) % 2
		text := affine(1, vs[d].name, fmt.Sprint(abs(o)), o)
		if n >= len(names) {
			vs[d].narrow(1, o, a.dims[d].lo, a.dims[d].hi)
			subs[d] = text
			continue
		}
		lo, hi := -u.pick(3), u.pick(3)
		vs[d].narrow(1, o+lo, a.dims[d].lo, a.dims[d].hi)
		vs[d].narrow(1, o+hi, a.dims[d].lo, a.dims[d].hi)
		subs[d] = text + "+" + names[n]
		most *= hi - lo + 1
		header := fmt.Sprintf("do %s = %d, %d", names[n], lo, hi)
		switch u.pick(6) {
		case 5:
			header = fmt.Sprintf("do %s = %s, %s", names[n], k.runtime(lo), k.runtime(hi))
			k.feat("short loops:bounds that are read")
		case 0:
			header = fmt.Sprintf("do %s = %d, %d, -1", names[n], hi, lo)
			k.feat("short loops:backwards")
		case 1:
			header = fmt.Sprintf("do %s = %d, %d, 2", names[n], lo, hi)
			k.feat("short loops:step")
		}
		headers = append(headers, header)
	}
	weight := val{text: "(" + names[0] + " + 3)", kind: intKind, bound: 5}
	if kd == realKind && u.chance(1, 2) {
		weight.text = fmt.Sprintf("(%s + 3.0d0)", names[0])
	}
	weight.kind = kd
	x := k.elem(a, subs...)
	t := lhs
	start := []string(nil)
	room := tier{frac: b.tier.frac, bound: b.tier.bound}
	scalar := u.chance(2, 3)
	if scalar {
		s := k.temp(kd, 0)
		private = append(private, s.name)
		t = val{text: s.name, kind: kd, frac: x.frac, bound: most * 5 * x.bound}
		room = tier{frac: x.frac, bound: t.bound}
		start = []string{fmt.Sprintf("%s = %s", s.name, zero(kd))}
		k.feat("short loops:in a scalar")
	}
	term := product(weight, x)
	line := fmt.Sprintf("%s = %s", target(t), k.clamped(sum("+", t, term), room).text)
	if scalar { // it has room for all
		line = fmt.Sprintf("%s = %s", target(t), sum("+", t, term).text)
	}
	body := []string{line}
	switch u.pick(4) {
	case 0:
		body = ifBlock(fmt.Sprintf("%s > %s", x.text, zero(kd)), body, nil)
		k.feat("short loops:IF on data")
	case 1:
		body = ifBlock(fmt.Sprintf("%s /= 1", names[u.pick(len(names))]), body, nil)
		k.feat("short loops:IF on an index")
	}
	for _, h := range headers {
		body = doBlock(h, body)
	}
	if u.chance(1, 4) {
		body = ifBlock(fmt.Sprintf("%s > %s", lhs.text, zero(kd)), body, nil)
		k.feat("short loops:under an IF")
	}
	body = append(start, body...)
	var sums []string
	counts := false
	if scalar {
		y := t
		if u.chance(1, 3) && len(body) > 1 && body[len(body)-1] == "end do" {
			last := val{text: names[len(headers)-1], kind: intKind, bound: 5}
			if first == 1 && len(headers) > 1 {
				last.text = names[0]
			}
			last.kind = kd
			y = sum("+", y, last)
			k.feat("short loops:index behind them")
		}
		body = append(body, fmt.Sprintf("%s = %s", target(lhs), k.clamped(y, b.tier).text))
		if u.chance(1, 3) {
			count := max(1, vs[0].hi-vs[0].lo+1) * max(1, vs[1].hi-vs[1].lo+1)
			z := k.clamped(y, tier{frac: 12, bound: 1 << 10})
			total := k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: count << 10})
			body = append(body, fmt.Sprintf("%s = %s", total.name, sum("+", total.val, z).text))
			sums = []string{total.name}
			k.emit(fmt.Sprintf("%s = %s", total.name, zero(kd)))
			k.feat("short loops:and a sum around")
		} else if u.chance(1, 2) {
			// Counted where the scalar says: statements in order behind vector code.
			whole := y.text
			if kd == realKind {
				whole = fmt.Sprintf("int(%s)", whole)
			}
			count := max(1, vs[0].hi-vs[0].lo+1) * max(1, vs[1].hi-vs[1].lo+1)
			w := k.use(&array{name: k.fresh("w"), kind: intKind, u: u.fork(), dims: []bounds{{lo: 0, hi: 4}}, tier: tier{bound: 1<<10 + count}, unmapped: true})
			which := k.private(intKind, "mt", tier{}).name
			at := k.elem(w, which)
			body = append(body, fmt.Sprintf("%s = modulo(%s, 5)", which, whole), fmt.Sprintf("%s = %s + 1", at.text, at.text))
			counts = true
			k.feat("short loops:counted behind")
		}
	}
	if u.chance(1, 2) {
		// How often is not known: it may be worth a kernel.
		v := vs[0]
		header := fmt.Sprintf("do %s = %s, %s", v.name, k.runtime(v.lo), k.runtime(v.hi))
		k.emit(doBlock(k.header(vs[1], false), doBlock(header, body))...)
		return
	}
	k.emit(k.nest([]*lvar{vs[1], vs[0]}, body, how{fixed: true, parallel: !inPlace && !counts, private: private, reduction: sums})...)
}

// clamped fits v by a maximum and a minimum where that is enough.
func (k *kern) clamped(v val, t tier) val {
	if v.frac > t.frac {
		return k.u.fit(v, t)
	}
	lo, hi := fmt.Sprint(-t.bound), fmt.Sprint(t.bound)
	if v.kind == realKind {
		lo, hi = "-"+dyadic(t.bound, 0), dyadic(t.bound, 0)
	}
	return val{text: fmt.Sprintf("max(%s, min(%s, %s))", lo, hi, v.text), kind: v.kind, frac: v.frac, bound: t.bound}
}
