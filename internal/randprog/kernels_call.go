package randprog

import (
	"fmt"
	"strings"
)

// callee is a procedure that a kernel adds to the program.
type callee struct {
	lines    []string
	internal bool
}

// plain is an array that is not single precision, which no argument converts.
func (k *kern) plain(kd kind, rank int) *array {
	if a := k.unused(slot{kind: kd, rank: rank}); a != nil {
		return k.take(a)
	}
	return k.arr(kd, rank)
}

var typeWords = [...]string{realKind: "real(8)", intKind: "integer", logKind: "logical"}

// element is an element of a dummy array for which a stands.
func element(text string, a *array) val {
	return val{text: text, kind: a.kind, frac: a.tier.frac, bound: a.tier.bound}
}

// part is a dimension of an array as an actual argument: n elements of it from
// its lower bound on, or backwards from its upper one.
func (k *kern) part(b bounds, n, stride int) string {
	first, step := b.lo, ""
	if stride < 0 {
		first = b.hi
	}
	if stride != 1 {
		step = fmt.Sprintf(":%d", stride)
	}
	last := first + (n-1)*stride
	if stride == 1 && n == b.extent() && k.u.chance(1, 2) {
		return ":"
	}
	return fmt.Sprintf("%s:%s%s", k.spell(k.u, first), k.spell(k.u, last), step)
}

// callVectors calls a procedure with vectors: whole arrays, sections, rows and
// columns, with and without a mapping of their own in the procedure.
func callVectors(k *kern) {
	u := k.u
	kd := k.numeric()
	arrays := []*array{k.plain(kd, 1), k.plain(kd, 1)}
	if u.chance(1, 3) {
		arrays[u.pick(2)] = k.plain(kd, 2)
		k.feat("call:row or column")
	}
	strides, n := []int{1, 1}, 1<<30
	running := []int{0, 0} // the dimension that varies
	for i, a := range arrays {
		strides[i] = oneOf(u, 1, 1, 1, 2, -1, -2)
		running[i] = u.pick(a.rank())
		n = min(n, (a.dims[running[i]].extent()-1)/abs(strides[i])+1)
	}
	actual := make([]string, 2)
	for i, a := range arrays {
		subs := make([]string, a.rank())
		for d, b := range a.dims {
			if subs[d] = k.inside(b); d == running[i] {
				subs[d] = k.part(b, n, strides[i])
			}
		}
		actual[i] = a.name + "(" + strings.Join(subs, ", ") + ")"
		if a.rank() == 1 && strides[i] == 1 && u.chance(1, 2) {
			actual[i] = a.name
			k.feat("call:whole array")
		} else {
			k.feat("call:section")
		}
	}
	x, y := arrays[0], arrays[1]
	c := &callee{internal: u.chance(1, 2)}
	name := k.fresh("vec")
	extent, constant := fmt.Sprint(n), true
	if u.chance(1, 3) {
		extent, constant = k.runtime(n), false
		k.feat("call:extent from a variable")
	}
	shape := "n1"
	if c.internal && u.chance(1, 2) {
		shape = ":"
		k.feat("call:assumed shape")
	}
	word := typeWords[kd]
	c.add("subroutine %s(x, y, n1, hits)", name)
	c.add("implicit none")
	c.add("integer, intent(in) :: n1")
	c.add("integer, intent(inout) :: hits")
	c.add("%s, intent(inout) :: x(%s)", word, shape)
	c.add("%s%s :: y(%s)", word, oneOf(u, "", ", intent(in)"), shape)
	local := constant && u.chance(1, 3)
	if local {
		c.add("%s :: w(0:n1-1)", word)
		k.feat("call:local array")
	}
	c.add("integer :: i1")
	mapped := constant && u.chance(1, 2)
	switch {
	case mapped:
		c.add("!HPF$ DISTRIBUTE %s(%s)", oneOf(u, "x", "y"), oneOf(u, "BLOCK", "CYCLIC"))
		if u.chance(1, 2) {
			c.lines = c.lines[:len(c.lines)-1]
			c.add("!HPF$ DISTRIBUTE x(%s)", oneOf(u, "BLOCK", "CYCLIC"))
			if shape == "n1" {
				c.add("!HPF$ ALIGN y(i) WITH x(%s)", oneOf(u, "i", "n1+1-i"))
			}
		}
		k.feat("call:mapping of its own")
	case u.chance(1, 3):
		c.add("!HPF$ INHERIT x, y")
		k.feat("call:inherit")
	}
	if local && mapped {
		c.add("!HPF$ DISTRIBUTE w(%s)", oneOf(u, "BLOCK", "CYCLIC"))
	}
	from := "y"
	at := "i1"
	if local {
		c.add("do i1 = 1, n1")
		c.add("w(n1-i1) = y(i1)")
		c.add("end do")
		from, at = "w", "i1-1"
	}
	switch u.pick(5) {
	case 1:
		c.add("if (n1 < %d) return", 1+u.pick(4))
		k.feat("call:return at the start")
	case 2:
		c.add("if (%s) then", u.compare(element("y(1)", y)).text)
		c.add("hits = hits + 1")
		c.add("return")
		c.add("end if")
		k.feat("call:return at the start")
	case 3:
		c.add("do i1 = 1, n1")
		c.add("if (%s) return", u.compare(element("y(i1)", y)).text)
		c.add("hits = hits + 1")
		c.add("end do")
		k.feat("call:return in a loop")
	}
	lo := "1"
	leaves := []val{element(from+"("+at+")", y)}
	if u.chance(1, 2) {
		lo = "2"
		leaves = append(leaves, element(from+"("+at+"-1)", y))
	}
	if u.chance(1, 3) {
		leaves = append(leaves, element("x(i1)", x))
	}
	c.add("do i1 = %s, n1", lo)
	c.add("x(i1) = %s", u.fit(u.combine(leaves), x.tier).text)
	c.add("end do")
	c.add("hits = hits + 1")
	c.add("end subroutine %s", name)
	k.procedures = append(k.procedures, c)

	hits := k.scalarVar(intKind, "hits", "0", tier{bound: 1000})
	call := fmt.Sprintf("call %s(%s, %s, %s, %s)", name, actual[0], actual[1], extent, hits.name)
	k.emit(call)
	if u.chance(1, 3) {
		k.emit(call)
		k.feat("call:twice")
	}
}

// callPlanes calls a procedure with parts of matrices.
func callPlanes(k *kern) {
	u := k.u
	kd := k.numeric()
	x, y := k.plain(kd, 2), k.plain(kd, 2)
	var n [2]int
	for d := range n {
		n[d] = min(x.dims[d].extent(), y.dims[d].extent())
	}
	actual := func(a *array) string {
		return fmt.Sprintf("%s(%s, %s)", a.name, k.part(a.dims[0], n[0], oneOf(u, 1, 1, -1)), k.part(a.dims[1], n[1], 1))
	}
	c := &callee{internal: u.chance(1, 2)}
	name := k.fresh("pla")
	assumed := c.internal && u.chance(1, 2)
	m0, m1, dims := "n1", "n2", "n1, n2"
	if assumed {
		m0, m1, dims = "size(x, 1)", "ubound(x, 2)", ":, :"
		k.feat("call:assumed shape")
	}
	word := typeWords[kd]
	if assumed {
		c.add("subroutine %s(x, y)", name)
	} else {
		c.add("subroutine %s(n1, n2, x, y)", name)
	}
	c.add("implicit none")
	if !assumed {
		c.add("integer :: n1, n2")
	}
	c.add("%s :: x(%s), y(%s)", word, dims, dims)
	c.add("intent(inout) :: x")
	c.add("integer :: i1, j1")
	if u.chance(1, 2) {
		c.add("!HPF$ DISTRIBUTE (%s) :: %s", oneOf(u, "BLOCK, *", "*, BLOCK", "BLOCK, BLOCK", "CYCLIC, *", "*, CYCLIC"), oneOf(u, "x", "y", "x, y"))
		k.feat("call:mapping of its own")
	}
	c.add("do j1 = 2, %s", m1)
	c.add("do i1 = 1, %s", m0)
	c.add("x(i1, j1) = %s", u.fit(u.combine([]val{element("y(i1, j1)", y), element("y(i1, j1-1)", y), element("x(i1, j1)", x)}), x.tier).text)
	c.add("end do")
	c.add("end do")
	c.add("end subroutine %s", name)
	k.procedures = append(k.procedures, c)
	if assumed {
		k.emit(fmt.Sprintf("call %s(%s, %s)", name, actual(x), actual(y)))
	} else {
		k.emit(fmt.Sprintf("call %s(%d, %d, %s, %s)", name, n[0], n[1], actual(x), actual(y)))
	}
}

// callFunction refers to a function of a scalar in a nest, and to one of a whole
// array in front of it.
func callFunction(k *kern) {
	u := k.u
	a, b := k.plain(intKind, 1), k.plain(intKind, 1)
	f, g := k.fresh("fun"), k.fresh("tot")
	c := &callee{internal: true}
	c.add("integer function %s(x)", f)
	c.add("integer, intent(in) :: x")
	if u.chance(1, 2) {
		c.add("if (x > %d) then", u.pick(5))
		c.add("%s = %s", f, u.fit(u.unary(element("x", b)), a.tier).text)
		c.add("return")
		c.add("end if")
		k.feat("call:return at the start")
	}
	c.add("%s = %s", f, u.fit(u.unary(element("x", b)), a.tier).text)
	c.add("end function %s", f)
	k.procedures = append(k.procedures, c)
	d := &callee{internal: true}
	d.add("function %s(x) result(t)", g)
	d.add("integer, intent(in) :: x(:)")
	d.add("integer :: t, i1")
	d.add("t = 0")
	d.add("do i1 = 1, size(x)")
	d.add("t = mod(t + x(i1), %d)", b.tier.bound+1)
	d.add("end do")
	d.add("end function %s", g)
	k.procedures = append(k.procedures, d)
	k.feat("call:function")

	s := k.scalarVar(intKind, "whole", "0", b.tier)
	k.emit(fmt.Sprintf("%s = %s(%s)", s.name, g, b.name))
	v := k.vars(1)
	lhs, rhs := k.ref(a, v), k.ref(b, v)
	arg := element(fmt.Sprintf("%s(%s)", f, rhs.text), a)
	lines := []string{k.set(a, lhs, u.combine([]val{arg, s.val}))}
	if u.chance(1, 3) {
		lines = ifBlock(fmt.Sprintf("%s > 0 .and. %s(%s) /= 3", rhs.text, f, lhs.text), lines, nil)
		k.feat("call:function in a condition")
	}
	k.emit(k.nest(v, lines, how{})...)
}

// callScalars calls a procedure whose arguments are elements and variables, all
// of which it changes.
func callScalars(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.plain(kd, 1+u.pick(2)), k.plain(kd, 1)
	name := k.fresh("sca")
	c := &callee{internal: u.chance(1, 2)}
	word := typeWords[kd]
	s := k.scalarVar(kd, "s", number(kd, 1).text, a.tier)
	c.add("subroutine %s(x, y, z)", name)
	c.add("%s, intent(inout) :: x", word)
	c.add("%s, intent(in) :: y", word)
	c.add("%s :: z", word)
	c.add("x = %s", u.fit(u.combine([]val{element("x", a), element("y", b)}), a.tier).text)
	c.add("z = %s", u.fit(u.combine([]val{element("x", a), element("z", a)}), a.tier).text)
	c.add("end subroutine %s", name)
	k.procedures = append(k.procedures, c)
	k.feat("call:elements")
	vs := k.vars(a.rank())
	lhs := k.ref(a, vs)
	value := k.ref(b, vs)
	if u.chance(1, 3) {
		value = val{text: "(" + value.text + ")"}
		k.feat("call:expression")
	}
	k.emit(k.nest(vs, []string{fmt.Sprintf("call %s(%s, %s, %s)", name, lhs.text, value.text, s.name)}, how{})...)
}

func (c *callee) add(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}
