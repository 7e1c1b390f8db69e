package randprog

import "fmt"

// guarded runs over all of an array and fetches a neighbour only where there is
// one.
func guarded(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	v := k.vars(1)[0]
	lhs := k.elem(a, k.sub(a, 0, v, 0))
	s := oneOf(u, -1, 1, 2)
	d := b.dims[0]
	x := k.elem(b, affine(1, v.name, fmt.Sprint(abs(s)), s))
	lines := []string{k.set(a, lhs, u.combine([]val{x, lhs}))}
	if u.chance(1, 2) {
		lines = ifBlock(u.compare(x).text, lines, nil)
	}
	other := []string{k.set(a, lhs, u.unary(lhs))}
	if u.chance(1, 2) {
		other = nil
	}
	lines = ifBlock(fmt.Sprintf("%s >= %s .and. %s <= %s", v.name, k.spell(u, d.lo-s), v.name, k.spell(u, d.hi-s)), lines, other)
	k.emit(k.nest([]*lvar{v}, lines, how{parallel: true})...)
}

// shortCircuit guards a fetch of a single element by another condition; all
// operands are valid, so that evaluating both is too.
func shortCircuit(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b := k.arr(kd, rank), k.arr(kd, 1)
	lhs := k.ref(a, vs)
	p := k.point(b)
	c := fmt.Sprintf("%s %s %d", vs[0].name, oneOf(u, ">", "<", "/=", "=="), vs[0].lo+u.pick(3))
	cond := fmt.Sprintf("%s %s %s", c, oneOf(u, ".and.", ".or."), u.compare(p).text)
	if u.chance(1, 3) {
		cond += fmt.Sprintf(" %s %s", oneOf(u, ".and.", ".or."), u.compare(lhs).text)
	}
	k.emit(k.nest(vs, ifBlock(cond, []string{k.set(a, lhs, u.combine([]val{lhs, k.point(b)}))}, nil), how{parallel: true})...)
}

// chain is IF, ELSE IF, ELSE with assignments to different arrays.
func chain(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b, c := k.arr(kd, rank), k.arr(kd, rank), k.arr(kd, rank)
	x := k.ref(c, vs)
	la, lb := k.ref(a, vs), k.ref(b, vs)
	lines := []string{
		fmt.Sprintf("if (%s) then", k.condition(vs, x)),
		"   " + k.set(a, la, u.combine([]val{x, la})),
		fmt.Sprintf("%s (%s) then", oneOf(u, "else if", "elseif"), k.condition(vs, lb)),
		"   " + k.set(b, lb, u.combine([]val{x, k.ref(c, vs, oneOf(u, 1, -1))})),
	}
	if u.chance(2, 3) {
		lines = append(lines, "else", "   "+k.set(a, la, u.unary(x)), "   "+k.set(b, lb, u.unary(la)))
	}
	lines = append(lines, "end if")
	k.emit(k.nest(vs, lines, how{parallel: true})...)
}

// controlled lets a distributed element decide which loop runs.
func controlled(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1+u.pick(2))
	one := func(vs []*lvar) []string {
		lhs := k.ref(a, vs)
		var e val
		if b.rank() == 1 {
			e = k.ref(b, vs)
		} else {
			e = k.elem(b, k.sub(b, 0, vs[0], 0), k.inside(b.dims[1]))
		}
		return k.nest(vs, []string{k.set(a, lhs, u.combine([]val{e, lhs}))}, how{parallel: true})
	}
	k.feat("if:on distributed data")
	k.emit(ifBlock(k.condition(nil, k.point(b)), one(k.vars(1)), one(k.vars(1)))...)
}

// doWhile counts with a scalar, or searches in a distributed array.
func doWhile(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.arr(kd, 1)
	d := a.dims[0]
	c := k.fresh("ic")
	k.private(intKind, c, tier{})
	m := k.scalarVar(intKind, "m", "0", tier{bound: 60})
	lhs := k.elem(a, c)
	k.emit(fmt.Sprintf("%s = %d", c, d.lo))
	next := fmt.Sprintf("%s = %s + 1", c, c)
	if u.chance(1, 2) {
		body := []string{k.set(a, lhs, u.unary(lhs)), next}
		k.emit(doBlock(fmt.Sprintf("do while (%s < %s)", c, k.spell(u, d.hi)), body)...)
	} else {
		found := u.compare(lhs).text
		body := append(ifBlock(found, []string{"exit"}, nil), next)
		k.emit(doBlock(fmt.Sprintf("do while (%s < %s)", c, k.spell(u, d.hi)), body)...)
		k.feat("exit:from do while")
	}
	k.emit(fmt.Sprintf("%s = %s", m.name, c))
}

// converge repeats sweeps until a reduction is small or a limit is reached.
func converge(k *kern) {
	u := k.u
	a, b := k.arr(realKind, 1), k.arr(realKind, 1)
	vs := k.vars(1)
	lhs := k.ref(b, vs)
	e := u.combine([]val{k.ref(a, vs, -1), k.ref(a, vs, 1)})
	sweep := k.nest(vs, []string{k.set(b, lhs, e)}, how{parallel: true})
	r := k.scalarVar(realKind, "s", "0.0d0", tier{12, 1 << 11})
	ws := k.vars(1)
	x, y := k.ref(a, ws), k.ref(b, ws)
	diff := k.nest(ws, []string{fmt.Sprintf("%s = max(%s, abs(%s - %s))", r.name, r.name, x.text, y.text)}, how{reduction: []string{r.name}})
	zs := k.vars(1)
	back := k.nest(zs, []string{k.set(a, k.ref(a, zs), k.ref(b, zs))}, how{parallel: true})
	m := k.scalarVar(intKind, "m", "0", tier{bound: 9})
	body := append(append(append([]string{r.name + " = 0.0d0"}, sweep...), diff...), back...)
	body = append(body, fmt.Sprintf("%s = %s + 1", m.name, m.name))
	k.emit(m.name + " = 0")
	limit := 2 + u.pick(4)
	if u.chance(1, 2) {
		k.emit(r.name + " = 9.0d0")
		k.emit(doBlock(fmt.Sprintf("do while (%s > 0.5d0 .and. %s < %d)", r.name, m.name, limit), body)...)
		return
	}
	body = append(body, fmt.Sprintf("if (%s < 0.5d0) exit", r.name), fmt.Sprintf("if (%s >= %d) exit", m.name, limit))
	k.emit(doBlock("do", body)...)
	k.feat("loop:without control")
}

// exitLoop leaves a loop when an element says so.
func exitLoop(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	vs := k.vars(1)
	lhs, x := k.ref(a, vs), k.ref(b, vs)
	m := k.scalarVar(intKind, "m", "0", tier{bound: 60})
	test := ifBlock(k.condition(vs, oneOf(u, x, lhs)), []string{"exit"}, nil)
	store := []string{k.set(a, lhs, u.combine([]val{x, lhs})), fmt.Sprintf("%s = %s", m.name, vs[0].name)}
	if u.chance(1, 2) {
		store, test = test, store
	}
	k.emit(k.nest(vs, append(append([]string(nil), store...), test...), how{})...)
}

// cycleLoop skips the rest of some iterations.
func cycleLoop(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	lhs, x := k.ref(a, vs), k.ref(b, vs, oneOf(u, 0, 1, -1))
	lines := ifBlock(k.condition(vs, x), []string{"cycle"}, nil)
	lines = append(lines, k.set(a, lhs, u.combine([]val{x, lhs})))
	k.emit(k.nest(vs, lines, how{parallel: true})...)
}

// namedLoops leaves or cycles an outer loop from an inner one.
func namedLoops(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 2), k.arr(kd, 1)
	vs := k.vars(2)
	i, j := vs[0], vs[1]
	lhs := k.ref(a, vs)
	x := k.elem(b, k.sub(b, 0, oneOf(u, i, j), 0))
	verb := oneOf(u, "cycle", "exit")
	k.feat("named:" + verb)
	name := k.fresh(oneOf(u, "outer", "columns"))
	m := k.scalarVar(intKind, "m", "0", tier{bound: 3000})
	inner := ifBlock(k.condition(vs, lhs), []string{verb + " " + name}, nil)
	store := k.set(a, lhs, u.combine([]val{x, lhs}))
	lines := append(append([]string(nil), inner...), store, fmt.Sprintf("%s = %s + 1", m.name, m.name))
	if u.chance(1, 2) {
		lines = append([]string{store, fmt.Sprintf("%s = %s + 1", m.name, m.name)}, inner...)
	}
	outer := k.header(j, false)
	body := doBlock(k.header(i, false), lines)
	k.emit(m.name + " = 0")
	k.emit(doBlock(name+": "+outer, body)...)
}

// logicalArrays computes masks and uses them.
func logicalArrays(k *kern) {
	u := k.u
	rank := 1 + u.pick(3)
	vs := k.vars(rank)
	a, b := k.arr(logKind, rank), k.arr(logKind, rank)
	x := k.arr(realKind, rank)
	lhs := k.ref(a, vs)
	s := make([]int, rank)
	s[u.pick(rank)] = oneOf(u, 1, -1, 0)
	list := oneOf(u,
		fmt.Sprintf("%s .and. %s", k.ref(b, vs, s...).text, u.compare(k.ref(x, vs)).text),
		fmt.Sprintf(".not. %s", k.ref(b, vs, s...).text),
		fmt.Sprintf("%s .neqv. %s", k.ref(b, vs, s...).text, lhs.text),
		fmt.Sprintf("%s .or. %s", lhs.text, u.compare(k.ref(x, vs, s...)).text),
		fmt.Sprintf("%s .eqv. (%s)", lhs.text, u.compare(k.ref(x, vs, s...)).text))
	k.emit(k.nest(vs, []string{lhs.text + " = " + list}, how{parallel: true})...)
	ws := k.vars(rank)
	out := k.ref(x, ws)
	k.emit(k.nest(ws, ifBlock(k.ref(a, ws).text, []string{k.set(x, out, u.unary(out))}, nil), how{parallel: true})...)
}

// life counts neighbours into a second array and applies a rule.
func life(k *kern) {
	a, b := k.arr(logKind, 2), k.arr(intKind, 2)
	vs := k.vars(2)
	i, j := vs[0], vs[1]
	i.narrow(1, 0, a.dims[0].lo+1, a.dims[0].hi-1)
	j.narrow(1, 0, a.dims[1].lo+1, a.dims[1].hi-1)
	i.narrow(1, 0, b.dims[0].lo, b.dims[0].hi)
	j.narrow(1, 0, b.dims[1].lo, b.dims[1].hi)
	c := k.temp(intKind, 0)
	lines := []string{c.name + " = 0"}
	for x := -1; x <= 1; x++ {
		for y := -1; y <= 1; y++ {
			if x == 0 && y == 0 {
				continue
			}
			e := k.elem(a, affine(1, "i", fmt.Sprint(abs(x)), x), affine(1, "j", fmt.Sprint(abs(y)), y))
			lines = append(lines, ifBlock(e.text, []string{fmt.Sprintf("%s = %s + 1", c.name, c.name)}, nil)...)
		}
	}
	k.feat("shift:corner")
	n := k.elem(b, "i", "j").text
	lines = append(lines, n+" = "+c.name)
	k.emit(k.nest(vs, lines, how{parallel: true, private: []string{c.name}, plain: true})...)
	ws := k.vars(2)
	e := k.ref(a, ws).text
	m := k.ref(b, ws).text
	k.emit(k.nest(ws, []string{fmt.Sprintf("%s = %s == 3 .or. (%s .and. %s == 2)", e, m, e, m)}, how{parallel: true})...)
}

// pivot looks for the largest element of a column and exchanges two rows.
func pivot(k *kern) {
	u := k.u
	a := k.arr(realKind, 2)
	d := a.dims[0]
	col := k.inside(a.dims[1])
	top := k.temp(realKind, 0)
	p := k.fresh("ipv")
	k.private(intKind, p, tier{})
	first := k.spell(u, d.lo)
	v := k.vars(2)
	find := doBlock(fmt.Sprintf("do i = %s, %s", first, k.spell(u, d.hi)),
		ifBlock(fmt.Sprintf("abs(%s(i, %s)) > %s", a.name, col, top.name),
			[]string{fmt.Sprintf("%s = abs(%s(i, %s))", top.name, a.name, col), p + " = i"}, nil))
	at := func(i string) string { return fmt.Sprintf("%s(%s, j)", a.name, i) }
	swap := k.temp(realKind, 1)
	lines := []string{fmt.Sprintf("%s = %s", swap.name, at(first)), fmt.Sprintf("%s = %s", at(first), at(p)), fmt.Sprintf("%s = %s", at(p), swap.name)}
	j := v[1]
	j.narrow(1, 0, a.dims[1].lo, a.dims[1].hi)
	if a.single {
		// Values of a single array are exact in either precision.
		lines[1] = fmt.Sprintf("%s = %s", at(first), at(p))
	}
	k.emit(top.name+" = -1.0d0", p+" = "+first)
	k.emit(find...)
	k.emit(k.nest([]*lvar{j}, lines, how{})...)
	m := k.scalarVar(intKind, "m", "0", tier{bound: 60})
	k.emit(m.name + " = " + p)
}
