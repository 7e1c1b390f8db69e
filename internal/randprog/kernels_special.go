package randprog

import "fmt"

// specialValues lets NaN, infinities and -0.0 flow through arithmetic, comparisons and
// reductions. What Fortran leaves open is not done: max and min of a NaN or of zeros of
// both signs, the sign of a NaN.
func specialValues(k *kern) {
	u := k.u
	k.feat("special:values")
	k.special = true
	zz := k.private(realKind, "zz", tier{})
	zz.start = "0.0d0"
	rank := 1 + u.pick(2)
	b := k.plain(realKind, rank)
	fresh := func() *array {
		a := &array{name: k.fresh("sp"), kind: realKind, special: true, u: u.fork(), tier: b.tier}
		for _, d := range b.dims {
			a.dims = append(a.dims, bounds{lo: d.lo, hi: d.hi})
		}
		return k.use(a)
	}
	x, y := fresh(), fresh()
	vs := k.vars(rank)
	lhs := k.ref(y, vs)
	p, q, r := k.ref(x, vs), k.ref(x, vs, oneOf(u, 1, -1, 2)), k.ref(b, vs, oneOf(u, 0, 1, -1))
	text := oneOf(u,
		p.text, "-"+p.text,
		p.text+" + "+q.text, p.text+" - "+q.text, p.text+"*"+q.text,
		q.text+"*"+r.paren(), q.text+" + "+r.paren(), "abs("+q.text+")",
		"-("+p.text+"*0.0d0)", "0.0d0*"+q.text, "-0.0d0*abs("+r.text+")",
		"0.5d0*"+p.text+" + "+zz.name+"*"+r.paren(), p.text+" - "+p.text)
	lines := []string{lhs.text + " = " + text}
	switch u.pick(5) {
	case 1:
		k.feat("special:comparison")
		lines = ifBlock(fmt.Sprintf("%s %s %s", p.text, oneOf(u, "<", ">", "<=", ">=", "==", "/="), oneOf(u, q.text, r.text, "0.0d0")), lines, []string{lhs.text + " = " + r.text})
	case 2:
		k.feat("special:negated comparison")
		lines = ifBlock(fmt.Sprintf(".not. (%s %s %s)", q.text, oneOf(u, "<", ">", "<=", ">="), r.text), lines, nil)
	case 3:
		k.feat("special:division")
		lines = []string{fmt.Sprintf("%s = %s/%s", lhs.text, r.paren(), oneOf(u, zz.name, "(-"+zz.name+")", p.text))}
	}
	k.emit(k.nest(vs, lines, how{parallel: true})...)
	ws := k.vars(rank)
	e := k.ref(oneOf(u, x, y), ws)
	switch u.pick(5) {
	case 0:
		s := k.private(realKind, "ts", tempTier)
		m := k.scalarVar(logKind, "q", ".false.", tier{})
		k.feat("special:sum")
		k.emit(s.name + " = 0.0d0")
		k.emit(k.nest(ws, []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, e.text)}, how{reduction: []string{s.name}})...)
		k.emit(fmt.Sprintf("%s = %s /= %s", m.name, s.name, s.name), fmt.Sprintf("print *, %s > 1.0d300, %s < -1.0d300", s.name, s.name))
	case 1:
		m := k.scalarVar(intKind, "m", "0", tier{bound: 4096})
		k.feat("special:count")
		k.emit(m.name + " = 0")
		k.emit(k.nest(ws, ifBlock(fmt.Sprintf("%s %s %s", e.text, oneOf(u, "/=", "==", ">"), oneOf(u, e.text, "1.0d0")), []string{fmt.Sprintf("%s = %s + 1", m.name, m.name)}, nil), how{reduction: []string{m.name}})...)
	case 2:
		s := k.scalarVar(realKind, "s", "0.0d0", tier{3, 1})
		k.feat("special:if (e > s) s = e")
		// A NaN is never chosen, and of equal values the first.
		k.emit(s.name + " = 0.125d0")
		k.emit(k.nest(ws, ifBlock(fmt.Sprintf("%s > %s", e.text, s.name), []string{fmt.Sprintf("%s = %s", s.name, e.text)}, nil), how{reduction: []string{s.name}})...)
		k.emit(fmt.Sprintf("if (%s > 1.0d300) %s = -1.0d0", s.name, s.name))
		s.private = true
		k.emit(fmt.Sprintf("print *, %s", s.name))
	case 3:
		s := k.private(realKind, "ts", tempTier)
		k.feat("special:sum from -0.0")
		k.emit(s.name + " = -0.0d0")
		k.emit(k.nest(ws, []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, oneOf(u, "(-0.0d0)*abs("+k.ref(b, ws).text+")", "0.0d0*"+k.ref(b, ws).text))}, how{reduction: []string{s.name}})...)
		k.emit(fmt.Sprintf("print *, sign(1.0d0, %s)", s.name))
	case 4:
		k.feat("special:scalar")
		s := k.private(realKind, "ts", tempTier)
		k.emit(fmt.Sprintf("%s = %s", s.name, k.point(x).text))
		k.emit(k.nest(ws, []string{k.ref(y, ws).text + " = " + k.ref(x, ws, oneOf(u, 1, -1)).text + " + " + s.name}, how{parallel: true})...)
	}
}

// specialInit gives all kinds of values to a.
func (g *gen) specialInit(a *array) []string {
	ref := fmt.Sprintf("%s(%s)", a.name, subscripts(a.rank()))
	at := "i"
	if a.rank() == 2 {
		at = "i + 3*j"
	}
	return g.allElements(a,
		ref+" = dble(mod("+at+", 7))*0.25d0",
		"if (mod(abs("+at+"), 6) == 1) "+ref+" = -0.0d0",
		"if (mod(abs("+at+"), 6) == 2) "+ref+" = 1.0d0/zz",
		"if (mod(abs("+at+"), 6) == 3) "+ref+" = -1.0d0/zz",
		fmt.Sprintf("if (mod(abs(%s), %d) == 4) %s = zz/zz", at, 5+a.u.pick(3), ref))
}

// specialOutput prints of which sort the elements of a are.
func (g *gen) specialOutput(a *array) []string {
	ref := fmt.Sprintf("%s(%s)", a.name, subscripts(a.rank()))
	n := g.private(intKind, "icheck", tier{}).name
	weight := "(1 + mod(abs(i), 7))"
	if a.rank() == 2 {
		weight = "(1 + mod(abs(i + 2*j), 7))"
	}
	add := func(cond string, code int) string {
		return fmt.Sprintf("if (%s) %s = %s + %d*%s", cond, n, n, code, weight)
	}
	out := []string{n + " = 0"}
	out = append(out, g.allElements(a,
		add(ref+" /= "+ref, 1),
		add(ref+" > 1.0d300", 20),
		add(ref+" < -1.0d300", 400),
		add(ref+" == 0.0d0", 8000),
		"if ("+ref+" == 0.0d0) then",
		"   "+add("sign(1.0d0, "+ref+") < 0.0d0", 160000),
		"end if",
		add("abs("+ref+") > 1.0d0", 3))...)
	return append(out, fmt.Sprintf("print *, '%s', %s", a.name, n))
}
