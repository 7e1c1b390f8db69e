package randprog

import "fmt"

// module is a module of the program.
type module struct {
	name       string
	spec       []string
	records    []*record
	behind     []string // specifications that need the types
	procedures []string
}

// moduleVariables has constants, scalars and arrays of a module, and procedures that
// use them.
func moduleVariables(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.plain(kd, 1)
	m := &module{name: k.fresh("store")}
	size, count, x, sub := k.fresh("many"), k.fresh("calls"), k.fresh("xm"), k.fresh("work")
	n := 4 + u.pick(6)
	m.spec = []string{
		fmt.Sprintf("integer, parameter :: %s = %d", size, n),
		fmt.Sprintf("integer%s :: %s = %d", oneOf(u, ", save", ""), count, u.pick(5)),
		fmt.Sprintf("%s%s :: %s(%s)", typeWords[kd], oneOf(u, ", save", ""), x, size),
	}
	if u.chance(2, 3) {
		m.spec = append(m.spec, fmt.Sprintf("!HPF$ DISTRIBUTE %s(%s)", x, oneOf(u, "BLOCK", "CYCLIC")))
		k.feat("module:mapping")
	}
	c := &callee{}
	c.add("subroutine %s(y, d)", sub)
	c.add("%s, intent(inout) :: y(:)", typeWords[kd])
	c.add("integer, intent(in) :: d")
	c.add("integer :: i1")
	c.add("%s = %s + d", count, count)
	c.add("do i1 = 1, min(%s, size(y))", size)
	c.add("y(i1) = %s", u.fit(u.combine([]val{element("y(i1)", a), element(fmt.Sprintf("%s(%s)", x, oneOf(u, "i1", size+"+1-i1")), a)}), a.tier).text)
	c.add("end do")
	c.add("if (d > 1) %s(1) = %s", x, zero(kd))
	c.add("end subroutine %s", sub)
	m.procedures = c.lines
	k.modules = append(k.modules, m)
	if u.chance(1, 3) {
		k.uses = append(k.uses, fmt.Sprintf("use %s, only: %s, %s, %s, %s", m.name, size, count, x, sub))
		k.feat("module:only")
	} else {
		k.uses = append(k.uses, "use "+m.name)
	}
	k.feat("module:variables")
	init := "dble(mod(i, 5))*0.25d0"
	if kd == intKind {
		init = "mod(3*i, 7)"
	}
	k.emit(doBlock(fmt.Sprintf("do i = 1, %s", size), []string{fmt.Sprintf("%s(i) = %s", x, init)})...)
	k.emit(fmt.Sprintf("call %s(%s, %d)", sub, a.name, 1+u.pick(2)))
	if u.chance(1, 2) {
		d := a.dims[0]
		k.emit(doBlock(fmt.Sprintf("do i = 2, %s", size), []string{fmt.Sprintf("%s(i) = %s", x, u.fit(element(fmt.Sprintf("%s(%d)", a.name, d.lo+u.pick(d.extent())), a), a.tier).text)})...)
		k.emit(fmt.Sprintf("call %s(%s, %s)", sub, a.name, "1"))
	}
	k.emit(fmt.Sprintf("print *, %s, %s(1), %s(%s)", count, x, x, size))
}

// hostAssociation has internal procedures that use and change what is the program's,
// and keep values from call to call.
func hostAssociation(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.plain(kd, 1), k.plain(kd, 1)
	m := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
	sub := k.fresh("host")
	vs := k.vars(1)
	lhs, x := k.ref(a, vs), k.ref(b, vs, oneOf(u, 0, 1, -1))
	c := &callee{internal: true}
	c.add("subroutine %s(by)", sub)
	c.add("integer, intent(in) :: by")
	if u.chance(2, 3) {
		c.add("integer, save :: times = %d", u.pick(3))
		k.feat("procedure:save")
	} else {
		c.add("integer :: times")
		c.add("times = by")
	}
	if u.chance(1, 2) {
		c.add("integer :: i") // not the program's
		decl := c.lines[len(c.lines)-1]
		c.lines = append([]string{c.lines[0], c.lines[1], decl}, c.lines[2:len(c.lines)-1]...)
		k.feat("procedure:own variable with a name of the host's")
	}
	c.add("times = times + 1")
	c.lines = append(c.lines, k.nest(vs, []string{k.set(a, lhs, u.combine([]val{x, lhs}))}, how{parallel: true})...)
	c.add("%s = mod(%s + times + by, 1000)", m.name, m.name)
	c.add("end subroutine %s", sub)
	k.procedures = append(k.procedures, c)
	k.feat("procedure:host association")
	call := func() string { return fmt.Sprintf("call %s(%s)", sub, oneOf(u, "2", m.name, "mod("+m.name+", 3)")) }
	k.emit(call())
	if u.chance(2, 3) {
		ws := k.vars(1)
		k.emit(k.nest(ws, []string{k.set(b, k.ref(b, ws), u.combine([]val{k.ref(a, ws, oneOf(u, 1, -1)), k.ref(b, ws)}))}, how{parallel: true})...)
		k.emit(call())
	}
}

// sideEffects has functions that change what is the program's: in a bound, in a
// condition, in a subscript, and as arguments of each other. No statement depends on
// the order in which they are evaluated.
func sideEffects(k *kern) {
	u := k.u
	a := k.plain(intKind, 1)
	d := a.dims[0]
	m := k.scalarVar(intKind, "m", "0", tier{bound: 1 << 20})
	f, g := k.fresh("fun"), k.fresh("gun")
	c := &callee{internal: true}
	c.add("integer function %s(x)", f)
	c.add("integer, intent(in) :: x")
	c.add("%s = %s + 1", m.name, m.name)
	c.add("%s = mod(abs(x + %d), %d)", f, u.pick(4), 3+u.pick(5))
	c.add("end function %s", f)
	k.procedures = append(k.procedures, c)
	e := &callee{internal: true}
	e.add("integer function %s(x)", g)
	e.add("integer, intent(in) :: x")
	if u.chance(1, 2) {
		e.add("integer, save :: total = 0")
		e.add("total = mod(total + x, 50)")
		e.add("%s = total - x", g)
		k.feat("procedure:save")
	} else {
		e.add("%s = %d - x", g, u.pick(9))
	}
	if u.chance(1, 2) {
		e.add("%s(%d) = mod(%s(%d) + 1, 20)", a.name, d.lo, a.name, d.lo)
		k.feat("function:changes an element")
	}
	e.add("end function %s", g)
	k.procedures = append(k.procedures, e)
	k.feat("function:side effect")
	s := k.scalarVar(intKind, "m", "0", tier{bound: 4096})
	at := func(x string) string {
		return affine(1, fmt.Sprintf("mod(abs(%s), %d)", x, d.extent()), fmt.Sprint(abs(d.lo)), d.lo)
	}
	nested := fmt.Sprintf("%s(%s(%s))", f, g, oneOf(u, "2", s.name, f+"(3)"))
	switch u.pick(5) {
	case 0:
		k.feat("function:nested")
		k.emit(fmt.Sprintf("%s = %s", s.name, nested))
	case 1:
		k.feat("function:in a bound")
		lhs := k.elem(a, at("i"))
		k.emit(doBlock(fmt.Sprintf("do i = %s(1), %s(4) + 2", f, f), []string{k.set(a, lhs, u.unary(lhs))})...)
	case 2:
		k.feat("function:in a while")
		k.emit(s.name + " = 0")
		k.emit(doBlock(fmt.Sprintf("do while (%s(%s) + %s < %d)", f, s.name, s.name, 4+u.pick(4)), []string{s.name + " = " + s.name + " + 1"})...)
	case 3:
		k.feat("function:in a subscript")
		k.emit(fmt.Sprintf("%s = %s(2)", s.name, f))
		k.emit(fmt.Sprintf("%s(%s) = mod(%s, 19)", a.name, at(nested), s.name))
	case 4:
		k.feat("function:in a loop")
		vs := k.vars(1)
		x := k.ref(a, vs).text
		k.emit(k.nest(vs, []string{fmt.Sprintf("%s = mod(%s + %s(%s), 4001)", s.name, s.name, f, x)}, how{})...)
	}
	if u.chance(1, 2) {
		k.emit(fmt.Sprintf("if (%s(%s) > 2) %s = %s + 1", f, s.name, s.name, s.name))
		k.feat("function:in a condition")
	}
}

// argumentForms passes arguments by keyword, sections with bounds that are known only at
// run time, empty ones, and one actual argument for two dummies; and has calls in
// calls.
func argumentForms(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, z := k.plain(kd, 1), k.plain(kd, 1), k.plain(kd, 1)
	n := min(a.dims[0].extent(), b.dims[0].extent(), z.dims[0].extent())
	constant := true // the bounds of the last section
	section := func(x *array, n int) string {
		constant = true
		d := x.dims[0]
		if n == x.dims[0].extent() && u.chance(1, 2) {
			return x.name
		}
		first := d.lo + u.pick(d.extent()-n+1)
		if u.chance(1, 2) {
			k.feat("call:section of run-time bounds")
			constant = false
			return fmt.Sprintf("%s(%s:%s)", x.name, k.runtime(first), k.runtime(first+n-1))
		}
		return fmt.Sprintf("%s(%d:%d)", x.name, first, first+n-1)
	}
	if u.chance(1, 4) {
		n = 0
		k.feat("call:empty section")
	} else {
		n = 1 + u.pick(n)
	}
	target := section(z, n)
	inner, outer := k.fresh("inner"), k.fresh("forms")
	word := typeWords[kd]
	c := &callee{internal: true}
	c.add("subroutine %s(x, y, z, hits)", outer)
	c.add("%s, intent(in) :: x(:), y(:)", word)
	c.add("%s, intent(inout) :: z(:)", word)
	c.add("integer, intent(inout) :: hits")
	if constant && u.chance(1, 3) {
		c.add("!HPF$ DISTRIBUTE z(%s)", oneOf(u, "BLOCK", "CYCLIC"))
		k.feat("call:mapping of its own")
	}
	c.add("integer :: i1")
	c.add("do i1 = 2, min(size(x), size(y), size(z))")
	c.add("z(i1) = %s", u.fit(u.combine([]val{element("x(i1)", a), element("y(i1-1)", a), element("z(i1)", z)}), z.tier).text)
	c.add("end do")
	c.add("hits = hits + size(x)")
	nested := u.chance(1, 2)
	if nested {
		c.add("call %s(z, hits)", inner)
		k.feat("call:in a procedure")
	}
	c.add("end subroutine %s", outer)
	k.procedures = append(k.procedures, c)
	if nested {
		e := &callee{internal: true}
		e.add("subroutine %s(z, hits)", inner)
		e.add("%s, intent(inout) :: z(:)", word)
		e.add("integer, intent(inout) :: hits")
		e.add("integer :: i1")
		e.add("do i1 = 1, size(z) - 1")
		e.add("z(i1) = %s", u.fit(u.combine([]val{element("z(i1+1)", z), element("z(i1)", z)}), z.tier).text)
		e.add("end do")
		e.add("hits = hits + 1")
		e.add("end subroutine %s", inner)
		k.procedures = append(k.procedures, e)
	}
	hits := k.scalarVar(intKind, "hits", "0", tier{bound: 1000})
	x, y := section(a, n), section(b, n)
	if u.chance(1, 3) {
		y = x
		k.feat("call:one argument twice")
	}
	call := fmt.Sprintf("call %s(%s, %s, %s, %s)", outer, x, y, target, hits.name)
	switch u.pick(3) {
	case 1:
		call = fmt.Sprintf("call %s(y=%s, hits=%s, z=%s, x=%s)", outer, y, hits.name, target, x)
		k.feat("call:keywords")
	case 2:
		call = fmt.Sprintf("call %s(%s, %s, hits=%s, z=%s)", outer, x, y, hits.name, target)
		k.feat("call:keywords")
	}
	k.emit(call)
}

// emptyArrays declares arrays without elements, which loops and calls get too.
func emptyArrays(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.plain(kd, 1)
	empty := func(dims ...bounds) *array {
		return k.use(&array{name: k.fresh("none"), kind: kd, empty: true, u: u.fork(), dims: dims, tier: a.tier})
	}
	lo := oneOf(u, 1, 0, 5)
	x := empty(bounds{lo: lo, hi: lo - 1})
	d := a.dims[0]
	m := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
	k.feat("array:no elements")
	body := []string{fmt.Sprintf("%s(i) = %s", x.name, zero(kd)), m.name + " = " + m.name + " + 1"}
	switch u.pick(4) {
	case 0:
		k.emit(doBlock(fmt.Sprintf("do i = %d, %s", lo, k.spell(u, lo-1)), body)...)
	case 1:
		s := k.scalarVar(kd, "s", zero(kd), tier{bound: 1})
		k.emit(fmt.Sprintf("%s = %s", s.name, zero(kd)))
		// ubound of what has no elements is 0, whatever the bounds are.
		k.emit(doBlock(fmt.Sprintf("do i = %d, ubound(%s, 1)", max(lo, 1), x.name), []string{fmt.Sprintf("%s = %s + %s(i)", s.name, s.name, x.name)})...)
		k.feat("array:no elements, reduced")
	case 2:
		y := empty(bounds{lo: 1, hi: 3}, bounds{lo: 2, hi: 1})
		vs := k.vars(2)
		lhs := fmt.Sprintf("%s(i, j)", y.name)
		vs[0].narrow(1, 0, 1, 3)
		vs[1].narrow(1, 0, 2, 1)
		k.emit(k.nest(vs, []string{fmt.Sprintf("%s = %s(%s)", lhs, a.name, k.spell(u, d.lo))}, how{parallel: true, plain: true})...)
		k.feat("array:no elements, rank 2")
	case 3:
		sub := k.fresh("void")
		c := &callee{internal: true}
		c.add("subroutine %s(x)", sub)
		c.add("%s, intent(inout) :: x(:)", typeWords[kd])
		c.add("integer :: i1")
		c.add("do i1 = 1, size(x)")
		c.add("x(i1) = %s", zero(kd))
		c.add("%s = %s + 1", m.name, m.name)
		c.add("end do")
		c.add("end subroutine %s", sub)
		k.procedures = append(k.procedures, c)
		k.emit(fmt.Sprintf("call %s(%s)", sub, x.name))
		k.feat("array:no elements, argument")
	}
	k.emit(fmt.Sprintf("%s = %s + size(%s)", m.name, m.name, x.name))
}
