package randprog

import "fmt"

// reduction reduces elements over one to three dimensions into a scalar, by op
// or by one of the operators.
func reduction(op string, operators ...string) func(k *kern) {
	return func(k *kern) {
		u := k.u
		rank := 1 + u.pick(3)
		kd := k.numeric()
		if op == "product" && rank == 3 {
			rank = 2
		}
		vs := k.vars(rank)
		var e val
		var a *array
		if op == "logical" && u.chance(1, 2) {
			a = k.arr(logKind, rank)
			e = k.ref(a, vs)
		} else {
			a = k.arr(kd, rank)
			e = k.ref(a, vs)
			if u.chance(1, 3) {
				b := k.arr(kd, rank)
				e = u.combine([]val{e, k.ref(b, vs, oneOf(u, 0, 1, -1))})
			}
		}
		k.feat(fmt.Sprintf("reduce:over %d dimensions", rank))
		by := op
		if len(operators) > 0 {
			by = oneOf(u, operators...)
		}
		k.reduce(by, e, vs)
	}
}

// reduce emits the nest that reduces e over vs by op.
func (k *kern) reduce(op string, e val, vs []*lvar) {
	u := k.u
	count := 1
	for _, v := range vs {
		count *= max(1, v.hi-v.lo+1)
	}
	switch op {
	case "sum":
		e = u.fit(e, tier{frac: 12, bound: 1 << 10})
		s := k.scalarVar(e.kind, "s", zero(e.kind), tier{frac: 12, bound: count << 10})
		add := fmt.Sprintf("%s = %s + %s", s.name, s.name, e.paren())
		if u.chance(1, 4) {
			add = fmt.Sprintf("%s = %s - %s", s.name, s.name, e.paren())
		}
		lines := k.guard([]string{add}, vs, e)
		k.emit(fmt.Sprintf("%s = %s", s.name, zero(e.kind)))
		k.emit(k.nest(vs, lines, how{reduction: []string{s.name}})...)
	case "product":
		// Factors 1, 2 and -1: the product stays exact and within range.
		if count > 24 && e.kind == intKind || count > 900 {
			e = u.convert(e, realKind)
		}
		p := k.scalarVar(realKind, "q", "1.0d0", tier{frac: 0, bound: 1})
		one, two := "1.0d0", "2.0d0"
		if count <= 24 && u.chance(1, 2) {
			p.decl, p.start, one, two = "integer", "1", "1", "2"
		}
		p.private = false
		f := fmt.Sprintf("sign(%s, %s + %s)", one, u.convert(e, map[string]kind{"integer": intKind, "real(8)": realKind}[p.decl]).text, one)
		var lines []string
		if count <= 900 {
			lines = ifBlock(u.compare(e).text,
				[]string{fmt.Sprintf("%s = %s*%s", p.name, p.name, two)},
				[]string{fmt.Sprintf("%s = %s*%s", p.name, p.name, f)})
			if u.chance(1, 2) {
				lines = []string{fmt.Sprintf("%s = %s*%s", p.name, p.name, f)}
			}
		} else {
			lines = []string{fmt.Sprintf("%s = %s*%s", p.name, p.name, f)}
		}
		k.emit(fmt.Sprintf("%s = %s", p.name, one))
		k.emit(k.nest(vs, lines, how{reduction: []string{p.name}})...)
	case "max":
		name := oneOf(u, "max", "min")
		s := k.scalarVar(e.kind, "s", zero(e.kind), tier{e.frac, e.bound})
		if u.chance(1, 2) {
			// Start from an element, as careful people do.
			k.emit(fmt.Sprintf("%s = %s", s.name, number(e.kind, oneOf(u, -8, 8, 0)).text))
			s.val.bound += 8
		}
		k.emit(k.nest(vs, []string{fmt.Sprintf("%s = %s(%s, %s)", s.name, name, s.name, e.text)}, how{reduction: []string{s.name}})...)
	case "if":
		op := oneOf(u, ">", "<")
		s := k.scalarVar(e.kind, "s", zero(e.kind), tier{e.frac, e.bound})
		body := ifBlock(fmt.Sprintf("%s %s %s", e.text, op, s.name), []string{fmt.Sprintf("%s = %s", s.name, e.text)}, nil)
		if u.chance(1, 3) {
			body = ifBlock(fmt.Sprintf("%s %s %s", s.name, oneOf(u, "<=", "<"), e.text), []string{fmt.Sprintf("%s = %s", s.name, e.text)}, nil)
		}
		k.emit(fmt.Sprintf("%s = %s", s.name, number(e.kind, oneOf(u, 0, -4, 4)).text))
		s.val.bound += 4
		k.emit(k.nest(vs, body, how{reduction: []string{s.name}})...)
	case ".and.", ".or.", ".neqv.", ".eqv.":
		s := k.scalarVar(logKind, "q", ".false.", tier{})
		c := e.text
		if e.kind != logKind {
			c = u.compare(e).text
		}
		start := ".true."
		if op == ".or." || op == ".neqv." {
			start = ".false."
		}
		k.feat("reduce:" + op)
		k.emit(fmt.Sprintf("%s = %s", s.name, start))
		k.emit(k.nest(vs, []string{fmt.Sprintf("%s = %s %s (%s)", s.name, s.name, op, c)}, how{reduction: []string{s.name}})...)
	case "count":
		s := k.scalarVar(intKind, "m", "0", tier{bound: 4 * count})
		lines := ifBlock(k.condition(vs, e), []string{fmt.Sprintf("%s = %s + %d", s.name, s.name, 1+u.pick(2))}, nil)
		k.emit(fmt.Sprintf("%s = 0", s.name))
		k.emit(k.nest(vs, lines, how{reduction: []string{s.name}})...)
	}
}

// location finds the largest element and where it is.
func location(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a := k.arr(kd, rank)
	vs := k.vars(rank)
	e := k.ref(a, vs)
	s := k.scalarVar(kd, "s", zero(kd), a.tier)
	lines := []string{fmt.Sprintf("%s = %s", s.name, e.text)}
	for _, v := range vs {
		m := k.scalarVar(intKind, "m", "0", tier{bound: 50})
		lines = append(lines, fmt.Sprintf("%s = %s", m.name, v.name))
	}
	value := e.text
	if u.chance(1, 3) {
		value = "abs(" + value + ")"
		lines[0] = fmt.Sprintf("%s = %s", s.name, value)
	}
	k.emit(fmt.Sprintf("%s = %s", s.name, number(kd, -1).text))
	s.val.bound++
	k.emit(k.nest(vs, ifBlock(fmt.Sprintf("%s %s %s", value, oneOf(u, ">", ">="), s.name), lines, nil), how{})...)
}

// reduceInLoop computes one scalar per iteration of an outer loop and stores it.
func reduceInLoop(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, c := k.arr(kd, 2), k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(2)
	i, j := vs[0], vs[1]
	first, second := i, j
	byColumn := u.chance(1, 2)
	if byColumn {
		first, second = j, i
	}
	e := k.elem(a, k.sub(a, 0, first, 0), k.sub(a, 1, second, 0))
	if u.chance(1, 2) {
		e = product(u.small(e), u.small(k.elem(b, k.sub(b, 0, i, 0))))
	}
	out := k.elem(c, k.sub(c, 0, j, 0))
	count := max(1, i.hi-i.lo+1)
	limit := tier{frac: 12, bound: 1 << 10}
	e = u.fit(e, limit)
	s := k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: count << 10})
	header := k.header(j, false)
	var inner []string
	switch u.pick(3) {
	case 0:
		inner = doBlock(k.header(i, false), []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, e.paren())})
	case 1:
		inner = doBlock(k.header(i, false), []string{fmt.Sprintf("%s = %s(%s, %s)", s.name, oneOf(u, "max", "min"), s.name, e.text)})
	case 2:
		if j.step != 0 {
			inner = doBlock(k.triangular(j, i), []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, e.paren())})
		}
	}
	body := append([]string{fmt.Sprintf("%s = %s", s.name, zero(kd))}, inner...)
	body = append(body, k.set(c, out, s.val))
	if u.chance(1, 3) {
		// The value is used in a loop after the reduction, as in Householder's method.
		v := &lvar{name: i.name}
		lhs := k.elem(b, k.sub(b, 0, v, 0))
		body = append(body, doBlock(k.header(v, false), []string{k.set(b, lhs, sum("-", lhs, u.small(s.val)))})...)
		k.feat("reduce:used at once")
	}
	k.emit(doBlock(header, body)...)
}

// rowReduction accumulates into the elements of an array.
func rowReduction(k *kern) {
	u := k.u
	kd := k.numeric()
	a, c := k.arr(kd, 2), k.arr(kd, 1)
	vs := k.vars(2)
	d := u.pick(2)
	subs := []string{"", ""}
	subs[d] = k.sub(a, d, vs[0], 0)
	subs[1-d] = k.sub(a, 1-d, vs[1], 0)
	e := k.elem(a, subs...)
	if u.chance(1, 2) {
		c = k.accumulator(c, a.dims[1-d].extent())
		line := k.accumulate(oneOf(u, "+", "-"), k.elem(c, k.sub(c, 0, vs[0], 0)), e)
		k.emit(k.nest(vs, k.guard([]string{line}, vs, e), how{})...)
		return
	}
	out := k.elem(c, k.sub(c, 0, vs[0], 0))
	var line string
	switch u.pick(3) {
	case 0:
		line = k.set(c, out, sum("+", out, e))
	case 1:
		line = k.set(c, out, extremum(oneOf(u, "max", "min"), out, e))
	case 2:
		line = k.set(c, out, sum("-", out, e))
	}
	lines := k.guard([]string{line}, vs, e)
	k.emit(k.nest(vs, lines, how{})...)
}

// matrixProduct is c = a*b in one of the loop orders.
func matrixProduct(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, c := k.arr(kd, 2), k.arr(kd, 2), k.arr(kd, 2)
	vs := k.vars(3)
	i, j, kk := vs[0], vs[1], vs[2]
	clean := u.chance(1, 2)
	if clean {
		c = k.accumulator(c, a.dims[0].extent()+a.dims[1].extent())
	}
	lhs := k.elem(c, k.sub(c, 0, i, 0), k.sub(c, 1, j, 0))
	x := k.elem(a, k.sub(a, 0, i, 0), k.sub(a, 1, kk, 0))
	y := k.elem(b, k.sub(b, 0, kk, 0), k.sub(b, 1, j, 0))
	if u.chance(1, 3) { // a transposed
		x = k.elem(a, k.sub(a, 0, kk, 0), k.sub(a, 1, i, 0))
	}
	term := product(u.small(x), u.small(y))
	if u.chance(1, 2) {
		// Accumulated in a scalar.
		s := k.scalarVar(kd, "s", zero(kd), tier{frac: 6, bound: 256 * max(1, kk.hi-kk.lo+1)})
		body := append([]string{fmt.Sprintf("%s = %s", s.name, zero(kd))},
			doBlock(k.header(kk, false), []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, term.text)})...)
		body = append(body, k.set(c, lhs, s.val))
		k.emit(k.nest([]*lvar{j, i}, body, how{fixed: true, plain: u.chance(1, 2)})...)
		return
	}
	orders := [][]*lvar{{j, i, kk}, {i, j, kk}, {kk, j, i}, {j, kk, i}}
	line := k.set(c, lhs, sum("+", lhs, term))
	if clean {
		line = k.accumulate("+", lhs, term)
	}
	k.emit(k.nest(orders[u.pick(4)], []string{line}, how{fixed: true})...)
}

// accumulator makes an array with the shape of like that holds a sum of count
// terms, and sets it to zero.
func (k *kern) accumulator(like *array, count int) *array {
	a := &array{name: k.fresh("acc"), kind: like.kind, u: k.u.fork(), tier: tier{frac: 12, bound: count << 10}}
	for _, d := range like.dims {
		a.dims = append(a.dims, bounds{lo: d.lo, hi: d.hi})
	}
	k.use(a)
	vs := k.vars(a.rank())
	k.emit(k.nest(vs, []string{k.ref(a, vs).text + " = " + zero(a.kind)}, how{parallel: true, plain: true})...)
	k.feat("reduce:into an array")
	return a
}

// accumulate writes the bare form of a sum into an element of an accumulator.
func (k *kern) accumulate(op string, element, term val) string {
	term = k.u.fit(term, tier{frac: 12, bound: 1 << 10})
	return fmt.Sprintf("%s = %s %s %s", element.text, element.text, op, term.paren())
}
