package randprog

import (
	"fmt"
	"strings"
)

// optionalArguments calls procedures with some of their arguments.
func optionalArguments(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.plain(kd, 1), k.plain(kd, 1)
	word := typeWords[kd]
	name := k.fresh("opt")
	c := &callee{internal: u.chance(2, 3)}
	m := &module{}
	if !c.internal {
		m.name = k.fresh("options")
	}
	factor := val{text: "by", kind: kd, frac: 2, bound: 8}
	c.add("subroutine %s(x, y, by, times, done)", name)
	c.add("%s, intent(inout) :: x(:)", word)
	c.add("%s, intent(in), optional :: y(:)", word)
	c.add("%s, optional%s :: by", word, oneOf(u, "", ", intent(in)"))
	c.add("integer, optional, intent(inout) :: times")
	c.add("logical, optional, intent(in) :: done")
	c.add("integer :: i1, n1")
	c.add("n1 = size(x)")
	c.add("if (present(y)) n1 = min(n1, size(y))")
	c.add("if (present(done)) then")
	c.add("if (done) return")
	c.add("end if")
	if u.chance(1, 2) {
		c.add("do i1 = 1, n1")
		c.add("if (present(y)) x(i1) = %s", u.fit(u.combine([]val{element("x(i1)", a), element("y(i1)", b)}), a.tier).text)
		c.add("if (present(by)) x(i1) = %s", u.fit(u.combine([]val{element("x(i1)", a), factor}), a.tier).text)
		c.add("end do")
	} else {
		c.add("if (present(y) .and. present(by)) then")
		c.add("do i1 = 1, n1")
		c.add("x(i1) = %s", u.fit(u.combine([]val{element("x(i1)", a), element("y(i1)", b), factor}), a.tier).text)
		c.add("end do")
		c.add("else if (present(y)) then")
		c.add("x(1:n1) = %s", u.fit(u.combine([]val{element("y(1:n1)", b), element("x(1:n1)", a)}), a.tier).text)
		c.add("else")
		c.add("x(1) = %s", u.fit(u.unary(element("x(1)", a)), a.tier).text)
		c.add("end if")
	}
	c.add("if (present(times)) times = times + n1")
	c.add("end subroutine %s", name)
	lines := c.lines
	outer := k.fresh("outer")
	passed := u.chance(1, 3)
	if passed {
		k.feat("optional:passed on")
		d := &callee{}
		d.add("subroutine %s(x, y, by, times, done)", outer)
		d.add("%s, intent(inout) :: x(:)", word)
		d.add("%s, intent(in), optional :: y(:)", word)
		d.add("%s, optional, intent(in) :: by", word)
		d.add("integer, optional, intent(inout) :: times")
		d.add("logical, optional, intent(in) :: done")
		d.add("call %s(x, %s)", name, oneOf(u, "y, by, times", "by=by, times=times", "y=y, done=done", "y, times=times"))
		d.add("if (present(by)) call %s(x, by=by)", name)
		d.add("end subroutine %s", outer)
		lines = append(lines, d.lines...)
	}
	if c.internal {
		k.procedures = append(k.procedures, &callee{internal: true, lines: lines})
	} else {
		m.procedures = lines
		k.modules, k.uses = append(k.modules, m), append(k.uses, "use "+m.name)
	}
	times := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
	n := min(a.dims[0].extent(), b.dims[0].extent())
	part := func(x *array) string {
		if u.chance(1, 2) {
			return x.name
		}
		return fmt.Sprintf("%s(%s)", x.name, k.triplet(x.dims[0], n))
	}
	for range 2 + u.pick(3) {
		arguments := []string{part(a)}
		given := 0
		add := func(keyword, value string) {
			given++
			arguments = append(arguments, keyword+"="+value)
		}
		if u.chance(1, 2) {
			k.feat("optional:array")
			add("y", part(b))
		}
		if u.chance(1, 2) {
			add("by", number(kd, 1+u.pick(7)).text)
		}
		if u.chance(1, 2) {
			k.feat("optional:changed")
			add("times", times.name)
		}
		if u.chance(1, 3) {
			add("done", oneOf(u, ".false.", times.name+" > 20", ".true."))
		}
		k.feat([]string{"optional:none", "optional:some", "optional:some", "optional:some", "optional:all"}[given])
		callee := name
		if passed && u.chance(1, 2) {
			callee = outer
		}
		k.emit(fmt.Sprintf("call %s(%s)", callee, strings.Join(arguments, ", ")))
	}
	if u.chance(1, 2) {
		return
	}
	k.feat("optional:function")
	f := k.fresh("either")
	e := &callee{internal: true}
	e.add("function %s(x, other) result(z)", f)
	e.add("%s, intent(in) :: x", word)
	e.add("%s, intent(in), optional :: other", word)
	e.add("%s :: z", word)
	e.add("z = %s", u.fit(u.unary(element("x", b)), a.tier).text)
	e.add("if (present(other)) z = %s", u.fit(u.combine([]val{element("z", a), element("other", a)}), a.tier).text)
	e.add("end function %s", f)
	k.procedures = append(k.procedures, e)
	vs := k.vars(1)
	lhs, x := k.ref(a, vs), k.ref(b, vs, oneOf(u, 0, 1, -1))
	v := element(fmt.Sprintf("%s(%s)", f, x.text), a)
	if u.chance(1, 2) {
		v.text = fmt.Sprintf("%s(%s, %s)", f, x.text, oneOf(u, lhs.text, "other="+lhs.text))
	}
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{v, lhs}))}, how{})...)
}

// arrayFunctions has functions whose values are arrays, in assignments, expressions and as
// arguments of each other.
func arrayFunctions(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.plain(kd, 1), k.plain(kd, 1)
	word := typeWords[kd]
	n := k.extents(a, b)[0]
	f := k.fresh("vec")
	c := &callee{internal: true}
	given := u.chance(1, 3)
	shape, dummy := "size(x)", ":"
	if given {
		k.feat("array functions:extent from an argument")
		shape = "m"
		dummy = oneOf(u, ":", "m")
	}
	c.add("function %s(x, m) result(r)", f)
	c.add("integer, intent(in) :: m")
	c.add("%s, intent(in) :: x(%s)", word, dummy)
	c.add("%s :: r(%s)", word, shape)
	c.add("integer :: i1")
	value := func(at, near string) string {
		return u.fit(u.combine([]val{element("x("+at+")", b), element("x("+near+")", b), {text: "m", kind: intKind, bound: 12}}[:2]), a.tier).text
	}
	if u.chance(1, 3) {
		c.add("if (m < 2) then")
		c.add("r = x")
		c.add("return")
		c.add("end if")
	}
	if u.chance(1, 2) {
		c.add("do i1 = 1, size(r)")
		c.add("r(i1) = %s", value("i1", "max(i1-1, 1)"))
		c.add("end do")
	} else {
		c.add("r = %s", u.fit(u.unary(element("x", b)), a.tier).text)
		c.add("do i1 = 2, size(r), 2")
		c.add("r(i1) = %s", u.fit(u.combine([]val{element("x(i1-1)", b), element("r(i1)", a)}), a.tier).text)
		c.add("end do")
	}
	c.add("end function %s", f)
	k.procedures = append(k.procedures, c)
	of := func(x string) val { return element(fmt.Sprintf("%s(%s, %d)", f, x, n), a) }
	for range 1 + u.pick(3) {
		x := k.section(b, n).text
		if given && dummy == "m" && strings.HasPrefix(x, "dble(") {
			x = "(" + x + ")"
		}
		to := k.section(a, n)
		switch u.pick(4) {
		case 0:
			k.feat("array functions:assigned")
			k.emit(k.set(a, to, of(x)))
		case 1:
			k.feat("array functions:in an expression")
			k.emit(k.set(a, to, u.combine([]val{of(x), to})))
		case 2:
			k.feat("array functions:reduced")
			s := k.scalarVar(kd, "s", zero(kd), tier{})
			k.emit(fmt.Sprintf("%s = %s(%s)", s.name, oneOf(u, "sum", "maxval"), u.fit(of(x), tier{8, 1 << 10}).text))
		case 3:
			k.feat("array functions:nested")
			k.emit(k.set(a, to, of(of(x).text)))
		}
	}
	switch u.pick(3) {
	case 1:
		k.feat("array functions:rank 2")
		aa, bb := k.plain(kd, 2), k.plain(kd, 2)
		e := k.extents(aa, bb)
		g := k.fresh("mat")
		d := &callee{internal: true}
		d.add("function %s(x, d) result(r)", g)
		d.add("%s, intent(in) :: x(:, :)", word)
		d.add("integer, intent(in) :: d")
		d.add("%s :: r(size(x, 1), size(x, 2))", word)
		d.add("integer :: i1, j1")
		d.add("do j1 = 1, size(x, 2)")
		d.add("do i1 = 1, size(x, 1)")
		d.add("r(i1, j1) = %s", u.fit(u.combine([]val{element("x(i1, j1)", bb), element("x(i1, max(j1-d, 1))", bb)}), aa.tier).text)
		d.add("end do")
		d.add("end do")
		d.add("end function %s", g)
		k.procedures = append(k.procedures, d)
		to := k.section(aa, e...)
		k.emit(k.set(aa, to, u.combine([]val{element(fmt.Sprintf("%s(%s, %d)", g, k.section(bb, e...).text, u.pick(3)), aa), to})))
	case 2:
		r := k.record()
		for _, l := range r.leaves() {
			if l.kind != realKind || l.length > 0 || l.single || len(l.dims) != 1 {
				continue
			}
			k.feat("array functions:of a component")
			g := k.fresh("vec")
			d := &callee{internal: true}
			d.add("function %s(x) result(r)", g)
			d.add("real(8), intent(in) :: x(:)")
			d.add("real(8) :: r(size(x))")
			d.add("r = %s", u.fit(u.unary(val{text: "x", frac: l.tier.frac, bound: l.tier.bound}), l.tier).text)
			d.add("r(1) = r(size(x))")
			d.add("end function %s", g)
			k.procedures = append(k.procedures, d)
			o := k.object(r, 1)
			vs := k.vars(1)
			x := k.nearby(o, vs, false) + l.path
			k.emit(k.nest(vs, []string{fmt.Sprintf("%s = %s(%s)", x, g, x)}, how{})...)
			break
		}
	}
}

// recursiveProcedures has procedures that call themselves, or each other.
func recursiveProcedures(k *kern) {
	u := k.u
	f := k.fresh("rec")
	c := &callee{internal: true}
	word := oneOf(u, "recursive function %s(n) result(w)", "recursive integer function %s(n) result(w)")
	head := func(c *callee, f string) {
		c.add(word, f)
		c.add("integer, intent(in) :: n")
		if !strings.Contains(word, "integer") {
			c.add("integer :: w")
		}
	}
	scalar := func() { // calls of f with a number from 0 to 9
		s := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
		k.emit(fmt.Sprintf("%s = %s(%s)", s.name, f, oneOf(u, "5", k.runtime(u.pick(9)), fmt.Sprintf("mod(abs(%s), 8)", k.point(k.plain(intKind, 1)).text))))
		if u.chance(1, 2) {
			k.feat("recursion:in a loop")
			a := k.plain(intKind, 1)
			vs := k.vars(1)
			lhs := k.ref(a, vs)
			k.emit(k.nest(vs, []string{k.set(a, lhs, val{text: fmt.Sprintf("%s(mod(abs(%s), 7))", f, lhs.text), kind: intKind, bound: 1000})}, how{})...)
		}
	}
	switch u.pick(7) {
	case 0:
		k.feat("recursion:counts down")
		head(c, f)
		c.add("if (n <= 1) then")
		c.add("w = %d", 1+u.pick(3))
		c.add("else")
		c.add("w = mod(%s, 997)", oneOf(u, "n*"+f+"(n - 1)", f+"(n - 1) + n", "3*"+f+"(n - 2) + 1"))
		c.add("end if")
		c.add("end function %s", f)
		k.procedures = append(k.procedures, c)
		scalar()
	case 1:
		k.feat("recursion:twice")
		head(c, f)
		c.add("if (n < 2) then")
		c.add("w = n")
		c.add("return")
		c.add("end if")
		c.add("w = %s(n - 1) %s %s(n - 2)", f, oneOf(u, "+", "-"), f)
		if u.chance(1, 2) {
			c.add("if (w > 10) w = w - n")
		}
		c.add("w = mod(w, 997)")
		c.add("end function %s", f)
		k.procedures = append(k.procedures, c)
		scalar()
	case 2:
		k.feat("recursion:remainder")
		c.add("recursive integer function %s(n, m) result(w)", f)
		c.add("integer, intent(in) :: n, m")
		c.add("if (m == 0) then")
		c.add("w = n")
		c.add("else")
		c.add("w = %s(m, mod(n, m))", f)
		c.add("end if")
		c.add("end function %s", f)
		k.procedures = append(k.procedures, c)
		a, b := k.plain(intKind, 1), k.plain(intKind, 1)
		vs := k.vars(1)
		lhs := k.ref(a, vs)
		k.emit(k.nest(vs, []string{k.set(a, lhs, val{text: fmt.Sprintf("%s(abs(%s), abs(%s))", f, lhs.text, k.ref(b, vs).text), kind: intKind, bound: 1000})}, how{})...)
		s := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
		k.emit(fmt.Sprintf("%s = %s(%d, %s)", s.name, f, 12+u.pick(80), k.runtime(1+u.pick(40))))
	case 3:
		k.feat("recursion:halves of an array")
		kd := k.numeric()
		a := k.plain(kd, 1)
		d := a.dims[0]
		c.add("recursive subroutine %s(x, lo, hi, s)", f)
		c.add("%s, intent(inout) :: x(:)", typeWords[kd])
		c.add("integer, intent(in) :: lo, hi")
		c.add("%s, intent(inout) :: s", typeWords[kd])
		c.add("integer :: mid")
		c.add("if (lo >= hi) then")
		c.add("if (lo == hi) s = %s", u.fit(sum("+", element("s", a), element("x(lo)", a)), tier{a.tier.frac, 1 << 10}).text)
		c.add("return")
		c.add("end if")
		c.add("mid = (lo + hi)/2")
		before, after := u.chance(1, 2), u.chance(1, 2)
		if before {
			c.add("x(lo) = %s", u.fit(u.combine([]val{element("x(lo)", a), element("x(hi)", a)}), a.tier).text)
		}
		c.add("call %s(x, lo, mid, s)", f)
		c.add("call %s(x, mid + 1, hi, s)", f)
		if after {
			c.add("x(mid) = %s", u.fit(u.combine([]val{element("x(mid)", a), element("x(mid+1)", a)}), a.tier).text)
		}
		c.add("end subroutine %s", f)
		k.procedures = append(k.procedures, c)
		s := k.scalarVar(kd, "s", zero(kd), tier{})
		k.emit(fmt.Sprintf("call %s(%s, 1, %s, %s)", f, a.name, k.inside(bounds{lo: 1, hi: d.extent()}), s.name))
	case 4:
		k.feat("recursion:in turns")
		g := k.fresh("rec")
		head(c, f)
		c.add("w = %d", u.pick(3))
		c.add("if (n > 0) w = %s(n - 1) + 1", g)
		c.add("end function %s", f)
		d := &callee{internal: true}
		head(d, g)
		d.add("w = %d", 1+u.pick(3))
		d.add("if (n > %d) w = mod(2*%s(n - %d), 97)", u.pick(2), f, 1+u.pick(2))
		d.add("end function %s", g)
		k.procedures = append(k.procedures, c, d)
		scalar()
	case 5:
		k.feat("recursion:array value")
		c.add("recursive function %s(n) result(w)", f)
		c.add("integer, intent(in) :: n")
		c.add("integer :: w(4)")
		c.add("if (n <= 0) then")
		c.add("w = [1, 2, 3, 4]")
		c.add("else")
		c.add("w = %s(n - 1)", f)
		c.add("w = mod(cshift(w, 1) + n*w, 97)")
		c.add("end if")
		c.add("end function %s", f)
		k.procedures = append(k.procedures, c)
		a := k.plain(intKind, 1)
		if d := a.dims[0]; d.extent() >= 4 {
			k.emit(fmt.Sprintf("%s(%s) = mod(%s(%s), %d)", a.name, k.triplet(d, 4), f, k.runtime(u.pick(6)), a.tier.bound+1))
		}
		s := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
		k.emit(fmt.Sprintf("%s = sum(%s(%d))", s.name, f, u.pick(5)))
	case 6:
		r := k.record()
		k.feat("recursion:with an object")
		f = k.method(r, "descend", func(name string, c *callee) {
			c.add("recursive subroutine %s(x, n)", name)
			c.add("type(%s), intent(inout) :: x", r.name)
			c.add("integer, intent(in) :: n")
			p := numbersOf(u, r, "x", val{text: "n", kind: intKind, bound: 12})
			c.add("if (n > 0) then")
			c.lines = append(c.lines, p.stores(u, r, "x", 2)...)
			c.add("call %s(x, n - 1)", name)
			if u.chance(1, 2) {
				c.lines = append(c.lines, p.stores(u, r, "x", 2)...)
			}
			c.add("end if")
			c.add("end subroutine %s", name)
		})
		k.emit(fmt.Sprintf("call %s(%s, %s)", f, k.object(r, 0).name, oneOf(u, "3", k.runtime(u.pick(5)))))
		if u.chance(1, 2) {
			k.emit(fmt.Sprintf("call %s(%s, 2)", f, k.constant(k.object(r, 1))))
		}
	}
}
