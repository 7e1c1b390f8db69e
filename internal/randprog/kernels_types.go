package randprog

import (
	"fmt"
	"strings"
)

// typeKernels are those about derived types, and about what procedures may be: recursive, with
// optional arguments and with arrays for values. Types prescribes them.
var typeKernels = []kernel{
	{name: "components in loops", make: componentLoops, variants: []string{"components:and arrays", "components:under a condition", "components:associated"}},
	{name: "objects as a whole", make: wholeObjects, variants: []string{
		"objects:assigned in a loop", "objects:constructor", "objects:sections", "objects:array from a scalar", "objects:merge", "objects:swapped",
	}},
	{name: "components of all elements", make: componentSections, variants: []string{
		"sections of components:assignment", "sections of components:where", "sections of components:sum", "sections of components:argument", "sections of components:extreme",
	}},
	{name: "type-bound procedures", make: boundProcedures, variants: []string{
		"bound procedures:subroutine", "bound procedures:function", "bound procedures:generic", "bound procedures:another object", "bound procedures:nopass",
	}},
	{name: "extended types", make: extendedTypes, variants: []string{
		"extends:overridden", "extends:inherited procedure", "extends:select type", "extends:parent component",
	}},
	{name: "polymorphic objects", make: polymorphicObjects, variants: []string{
		"class:allocated with a type", "class:with a source", "class:assigned", "class:moved", "class:value of a function", "class:in containers",
		"class:containers copied", "class:select type", "class:same type", "class:recursion", "class:optional",
	}},
	{name: "defined operators", make: definedOperators, variants: []string{
		"operators:named", "operators:of a type", "operators:with a number", "operators:assignment", "operators:relation",
	}},
	{name: "arguments of types", make: typeArguments, variants: []string{
		"type arguments:array", "type arguments:section", "type arguments:element", "type arguments:elemental", "type arguments:component array",
	}},
	{name: "functions of types", make: typeFunctions, variants: []string{"type functions:in a loop", "type functions:nested", "type functions:result"}},
	{name: "optional arguments", make: optionalArguments, variants: []string{
		"optional:none", "optional:all", "optional:some", "optional:passed on", "optional:array", "optional:function", "optional:changed",
	}},
	{name: "functions with arrays for values", make: arrayFunctions, variants: []string{
		"array functions:assigned", "array functions:in an expression", "array functions:reduced", "array functions:nested", "array functions:rank 2",
		"array functions:of a component", "array functions:extent from an argument",
	}},
	{name: "recursive procedures", make: recursiveProcedures, variants: []string{
		"recursion:counts down", "recursion:twice", "recursion:remainder", "recursion:halves of an array", "recursion:in turns", "recursion:array value",
		"recursion:with an object", "recursion:in a loop",
	}},
}

// Types returns a program with derived types, and with procedures of the kinds that
// typeKernels are about. Consecutive seeds prescribe the kernels in turn.
func Types(seed uint64) Program { return generate(wordsOf(seed), inTurn(typeKernels, seed)) }

// nearby is an element of an object for loop variables, shifted now and then.
func (k *kern) nearby(o *object, vs []*lvar, shift bool) string {
	var subs []string
	for d := range o.dims {
		s := 0
		if shift {
			s = oneOf(k.u, 0, 1, -1)
		}
		subs = append(subs, k.sub(o.array, d, vs[d], s))
	}
	if len(subs) == 0 {
		return o.name
	}
	return o.name + "(" + strings.Join(subs, ", ") + ")"
}

// constant is an element of an object, or the object where it is a scalar.
func (k *kern) constant(o *object) string {
	all := tuples(o.dims)
	return o.name + all[k.u.pick(len(all))]
}

// componentLoops computes components of elements from those of their neighbours, and from arrays.
func componentLoops(k *kern) {
	u := k.u
	r := k.record()
	rank := 1 + u.pick(2)
	o, q := k.object(r, rank), k.object(r, rank)
	vs := k.vars(rank)
	p := &pool{}
	here := k.nearby(o, vs, false)
	p.object(u, r, here)
	p.object(u, r, k.nearby(q, vs, true))
	if u.chance(1, 3) {
		p.object(u, r, k.constant(k.object(r, 0)))
	}
	if u.chance(1, 3) {
		p.object(u, r, k.nearby(o, vs, true))
	}
	var behind []string
	if u.chance(1, 2) {
		k.feat("components:and arrays")
		a := k.arr(oneOf(u, realKind, intKind), rank)
		lhs := k.ref(a, vs)
		p.numbers = append(p.numbers, k.ref(a, vs, oneOf(u, 0, 1)))
		behind = append(behind, k.set(a, lhs, p.value(u, a.kind)))
	}
	lines := append(p.stores(u, r, here, 4), behind...)
	switch u.pick(4) {
	case 1:
		k.feat("components:under a condition")
		lines = ifBlock(p.truth(u), lines, nil)
	case 2:
		k.feat("components:associated")
		e := &pool{}
		e.object(u, r, "e")
		e.numbers = append(e.numbers, p.numbers...)
		lines = append(append([]string{fmt.Sprintf("associate (e => %s)", here)}, e.stores(u, r, "e", 3)...), append([]string{"end associate"}, lines...)...)
	}
	k.emit(k.nest(vs, lines, how{})...)
}

// wholeObjects assigns objects, and arrays of them.
func wholeObjects(k *kern) {
	u := k.u
	r := k.record()
	o, q, s := k.object(r, 1), k.object(r, 1), k.object(r, 0)
	vs := k.vars(1)
	here, there := k.nearby(o, vs, false), k.nearby(q, vs, true)
	p := &pool{}
	p.object(u, r, here)
	p.object(u, r, there)
	n := k.extents(o.array, q.array)[0]
	section := func(x *object) string { return fmt.Sprintf("%s(%s)", x.name, k.triplet(x.dims[0], n)) }
	for range 1 + u.pick(2) {
		switch u.pick(6) {
		case 0:
			k.feat("objects:assigned in a loop")
			k.emit(k.nest(vs, []string{here + " = " + there}, how{})...)
		case 1:
			k.feat("objects:constructor")
			k.emit(k.nest(vs, []string{here + " = " + p.constructor(u, r)}, how{})...)
		case 2:
			k.feat("objects:sections")
			k.emit(section(o) + " = " + section(oneOf(u, q, o)))
		case 3:
			k.feat("objects:array from a scalar")
			k.emit(fmt.Sprintf("%s = %s", s.name, k.constant(o)), fmt.Sprintf("%s = %s", section(q), s.name))
		case 4:
			if r.allocates() { // gfortran 12 copies such components by their addresses
				continue
			}
			k.feat("objects:merge")
			k.emit(k.nest(vs, []string{fmt.Sprintf("%s = merge(%s, %s, %s)", here, here, there, p.truth(u))}, how{})...)
		case 5:
			k.feat("objects:swapped")
			k.emit(k.nest(vs, []string{s.name + " = " + here, here + " = " + there, there + " = " + s.name}, how{})...)
		}
	}
}

// componentSections takes one component of many elements as an array.
func componentSections(k *kern) {
	u := k.u
	r := k.record()
	rank := 1 + u.pick(2)
	o, q := k.object(r, rank), k.object(r, rank)
	n := k.extents(o.array, q.array)
	section := func(x *object, l leaf) val {
		var subs []string
		for d, b := range x.dims {
			subs = append(subs, k.triplet(b, n[d]))
		}
		v := val{text: l.element(u, x.name+"("+strings.Join(subs, ", ")+")"), kind: l.kind, frac: l.tier.frac, bound: l.tier.bound}
		if l.single {
			v.text = "dble(" + v.text + ")"
		}
		return v
	}
	var reals, ints []leaf
	for _, l := range r.leaves() {
		// Of allocatable components there are no such arrays.
		inner := strings.Contains(l.path, "(")
		switch {
		case l.alloc || l.length > 0 || inner:
		case l.kind == intKind:
			ints = append(ints, l)
		case l.kind == realKind:
			reals = append(reals, l)
		}
	}
	list := reals
	if len(list) == 0 || len(ints) > 0 && u.chance(1, 3) {
		list = ints
	}
	if len(list) == 0 {
		componentLoops(&kern{gen: k.gen, u: u, chosen: k.chosen}) // all of them are allocatable
		return
	}
	kd := list[0].kind
	pick := func(x *object) (val, leaf) {
		l := list[u.pick(len(list))]
		return section(x, l), l
	}
	x, lx := pick(o)
	y, ly := pick(q)
	a := k.lower(kd, n...)
	z := k.section(a, n...)
	e := u.combine([]val{y, z})
	switch u.pick(5) {
	case 0:
		k.feat("sections of components:assignment")
		k.emit(target(x)+" = "+u.fit(e, lx.tier).text, k.set(a, k.section(a, n...), u.combine([]val{x, y})))
	case 1:
		k.feat("sections of components:where")
		k.emit(fmt.Sprintf("where (%s) %s = %s", u.compare(y).text, target(x), u.fit(e, lx.tier).text))
	case 2:
		k.feat("sections of components:sum")
		s := k.scalarVar(kd, "s", zero(kd), tier{})
		k.emit(fmt.Sprintf("%s = sum(%s)", s.name, u.fit(e, tier{8, 1 << 10}).text))
	case 3:
		k.feat("sections of components:extreme")
		s := k.scalarVar(kd, "s", zero(kd), tier{})
		k.emit(fmt.Sprintf("%s = %s(%s)", s.name, oneOf(u, "maxval", "minval"), x.text))
	case 4:
		k.feat("sections of components:argument")
		word := typeWords[kd]
		if lx.single {
			word = "real"
		}
		name := k.fresh("part")
		c := &callee{internal: true}
		colons := ":" + strings.Repeat(", :", rank-1)
		c.add("subroutine %s(x, d)", name)
		c.add("%s, intent(inout) :: x(%s)", word, colons)
		c.add("integer, intent(in) :: d")
		element := val{text: "x", kind: kd, frac: lx.tier.frac, bound: lx.tier.bound}
		if lx.single {
			element.text = "dble(x)"
		}
		c.add("if (d > 0) x = %s", u.fit(u.combine([]val{element, number(kd, 2)}), lx.tier).text)
		c.add("end subroutine %s", name)
		k.procedures = append(k.procedures, c)
		k.emit(fmt.Sprintf("call %s(%s, %s)", name, target(x), k.runtime(u.pick(3))))
		k.emit(target(y) + " = " + u.fit(u.combine([]val{y, z}), ly.tier).text)
	}
}

// method returns the name of a procedure that a type has for a purpose; where it has none yet,
// write makes it.
func (k *kern) method(r *record, purpose string, write func(name string, c *callee)) string {
	if name := r.has[purpose]; name != "" {
		return name
	}
	name := k.fresh(purpose)
	r.has[purpose] = name
	c := &callee{}
	write(name, c)
	r.add(c)
	return name
}

// numbersOf are the numbers in an object, of one kind.
func numbersOf(u *unit, r *record, object string, extra ...val) *pool {
	p := &pool{}
	p.object(u, r, object)
	p.numbers = append(p.numbers, extra...)
	return p
}

// boundProcedures calls type-bound procedures for elements and scalars.
func boundProcedures(k *kern) {
	u := k.u
	r := k.record()
	argument := val{text: "by", kind: intKind, bound: 12}
	k.method(r, "change", func(name string, c *callee) {
		r.bound = append(r.bound, fmt.Sprintf("procedure :: change => %s", name))
		c.add("subroutine %s(self, by)", name)
		c.add("class(%s), intent(inout) :: self", r.name)
		c.add("integer, intent(in) :: by")
		p := numbersOf(u, r, "self", argument)
		c.lines = append(c.lines, p.stores(u, r, "self", 3)...)
		if u.chance(1, 3) {
			c.add("if (%s) return", p.truth(u))
			c.lines = append(c.lines, p.stores(u, r, "self", 2)...)
		}
		c.add("end subroutine %s", name)
	})
	weigh := func() {
		k.method(r, "weigh", func(name string, c *callee) {
			r.bound = append(r.bound, fmt.Sprintf("procedure :: weigh => %s", name))
			c.add("function %s(self, by) result(w)", name)
			c.add("class(%s), intent(in) :: self", r.name)
			c.add("integer, intent(in) :: by")
			c.add("integer :: w")
			c.add("w = %s", u.fit(numbersOf(u, r, "self", argument).value(u, intKind), tier{bound: 50}).text)
			c.add("end function %s", name)
		})
	}
	o, s := k.object(r, 1), k.object(r, 0)
	vs := k.vars(1)
	here := k.nearby(o, vs, false)
	by := oneOf(u, "2", "mod(abs(i), 5)", "3 - mod(abs(i), 4)")
	var lines []string
	for range 1 + u.pick(2) {
		switch u.pick(5) {
		case 0:
			k.feat("bound procedures:subroutine")
			lines = append(lines, fmt.Sprintf("call %s%%change(%s)", here, by))
		case 1:
			k.feat("bound procedures:function")
			weigh()
			a := k.plain(intKind, 1)
			lhs := k.ref(a, vs)
			lines = append(lines, k.set(a, lhs, sum("+", val{text: fmt.Sprintf("%s%%weigh(%s)", here, by), kind: intKind, bound: 50}, lhs)))
		case 2:
			k.feat("bound procedures:generic")
			k.method(r, "setreal", func(name string, c *callee) {
				r.bound = append(r.bound, fmt.Sprintf("procedure :: setreal => %s", name))
				c.add("subroutine %s(self, x)", name)
				c.add("class(%s), intent(inout) :: self", r.name)
				c.add("real(8), intent(in) :: x")
				c.lines = append(c.lines, numbersOf(u, r, "self", val{text: "x", frac: 2, bound: 8}).stores(u, r, "self", 2)...)
				c.add("end subroutine %s", name)
				r.bound = append(r.bound, "generic :: set => change, setreal")
			})
			lines = append(lines, fmt.Sprintf("call %s%%set(%s)", here, oneOf(u, "1.25d0", "dble(mod(abs(i), 6))", by)))
		case 3:
			k.feat("bound procedures:another object")
			k.method(r, "merged", func(name string, c *callee) {
				r.bound = append(r.bound, fmt.Sprintf("procedure :: merged => %s", name))
				c.add("subroutine %s(self, other, x)", name)
				c.add("class(%s), intent(inout) :: self", r.name)
				c.add("type(%s), intent(in) :: other", r.name)
				c.add("real(8), intent(out) :: x")
				p := numbersOf(u, r, "self")
				p.object(u, r, "other")
				c.lines = append(c.lines, p.stores(u, r, "self", 2)...)
				c.add("x = %s", u.fit(p.value(u, realKind), tempTier).text)
				c.add("end subroutine %s", name)
			})
			x := k.scalarVar(realKind, "s", "0.0d0", tempTier)
			lines = append(lines, fmt.Sprintf("call %s%%merged(%s, %s)", here, s.name, x.name))
		case 4:
			k.feat("bound procedures:nopass")
			k.method(r, "scale", func(name string, c *callee) {
				r.bound = append(r.bound, fmt.Sprintf("procedure, nopass :: scale => %s", name))
				c.add("integer function %s(x)", name)
				c.add("integer, intent(in) :: x")
				c.add("%s = %s", name, u.fit(u.unary(val{text: "x", kind: intKind, bound: 12}), tier{bound: 12}).text)
				c.add("end function %s", name)
			})
			lines = append(lines, fmt.Sprintf("call %s%%change(%s%%scale(%s))", here, oneOf(u, s.name, here), by))
		}
	}
	k.emit(k.nest(vs, lines, how{})...)
	if u.chance(1, 2) {
		k.emit(fmt.Sprintf("call %s%%change(%s)", s.name, k.runtime(1+u.pick(4))))
	}
}

// lineage is a type, another one that extends it, and a function rate that this replaces, in a module
// of their own.
func (k *kern) lineage() (base, more *record) {
	u := k.u
	m := &module{name: k.fresh("kinds")}
	k.modules, k.uses = append(k.modules, m), append(k.uses, "use "+m.name)
	plain := func(parent *record) *record { // without allocatable components, which such objects may not have
		for {
			r := k.newRecord(u, m, parent, nil)
			if !r.allocates() {
				return r
			}
			m.records = m.records[:len(m.records)-1]
		}
	}
	base = plain(nil)
	more = plain(base)
	rate := k.fresh("rate")
	for i, r := range []*record{base, more} {
		name := fmt.Sprintf("%s_%d", rate, i)
		r.bound = append(r.bound, fmt.Sprintf("procedure :: rate => %s", name))
		c := &callee{}
		c.add("integer function %s(self, d) result(w)", name)
		c.add("class(%s), intent(in) :: self", r.name)
		c.add("integer, intent(in) :: d")
		p := numbersOf(u, r, "self", val{text: "d", kind: intKind, bound: 12})
		c.add("w = %s", u.fit(p.value(u, intKind), tier{bound: 60}).text)
		if i == 1 && u.chance(1, 2) {
			c.add("w = w + self%%%s%%rate(d)", base.name)
			k.feat("extends:parent component")
		}
		c.add("end function %s", name)
		r.add(c)
	}
	return base, more
}

// extendedTypes has a type that extends another, procedures that it replaces, and procedures with
// objects of either.
func extendedTypes(k *kern) {
	u := k.u
	base, more := k.lineage()
	k.feat("extends:overridden")
	twice := k.fresh("twice")
	base.bound = append(base.bound, fmt.Sprintf("procedure :: twice => %s", twice))
	c := &callee{}
	c.add("subroutine %s(self, total)", twice)
	c.add("class(%s), intent(inout) :: self", base.name)
	c.add("integer, intent(inout) :: total")
	c.add("total = mod(total + self%%rate(2), 1000)")
	c.lines = append(c.lines, numbersOf(u, base, "self").stores(u, base, "self", 2)...)
	c.add("total = mod(total + self%%rate(1), 1000)")
	c.add("end subroutine %s", twice)
	base.add(c)
	k.feat("extends:inherited procedure")
	visit := k.fresh("visit")
	v := &callee{}
	v.add("subroutine %s(x, total)", visit)
	v.add("class(%s), intent(inout) :: x", base.name)
	v.add("integer, intent(inout) :: total")
	v.add("select type (x)")
	v.add("type is (%s)", base.name)
	v.add("total = total + 1")
	v.lines = append(v.lines, numbersOf(u, base, "x").stores(u, base, "x", 2)...)
	v.add("%s is (%s)", oneOf(u, "type", "class"), more.name)
	v.add("total = total + 2")
	v.lines = append(v.lines, numbersOf(u, more, "x").stores(u, more, "x", 2)...)
	v.add("end select")
	v.add("call x%%twice(total)")
	v.add("end subroutine %s", visit)
	base.add(v)
	total := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
	for _, r := range []*record{base, more} {
		if u.chance(1, 2) {
			o := k.object(r, 1)
			vs := k.vars(1)
			here := k.nearby(o, vs, false)
			k.emit(k.nest(vs, []string{oneOf(u, fmt.Sprintf("call %s%%twice(%s)", here, total.name), fmt.Sprintf("%s = mod(%s + %s%%rate(3), 1000)", total.name, total.name, here))}, how{})...)
		}
		s := k.object(r, 0)
		if u.chance(2, 3) {
			k.feat("extends:select type")
			k.emit(fmt.Sprintf("call %s(%s, %s)", visit, s.name, total.name))
		}
		k.emit(fmt.Sprintf("call %s%%twice(%s)", s.name, total.name))
	}
}

// definedOperators has operators and assignment for a type.
func definedOperators(k *kern) {
	u := k.u
	r := k.record()
	binary := func(purpose, operator, left, right, result string, write func(c *callee)) {
		k.method(r, purpose, func(name string, c *callee) {
			r.module.behind = append(r.module.behind, fmt.Sprintf("interface operator (%s)", operator), fmt.Sprintf("   module procedure %s", name), "end interface")
			c.add("%sfunction %s(x, y) result(z)", oneOf(u, "", "pure "), name)
			c.add("%s, intent(in) :: x", left)
			c.add("%s, intent(in) :: y", right)
			c.add("%s :: z", result)
			write(c)
			c.add("end function %s", name)
		})
	}
	kind := "type(" + r.name + ")"
	o, q := k.object(r, 1), k.object(r, 1)
	vs := k.vars(1)
	here, there := k.nearby(o, vs, false), k.nearby(q, vs, true)
	number := numbersOf(u, r, there)
	var lines []string
	for range 1 + u.pick(3) {
		switch u.pick(5) {
		case 0:
			k.feat("operators:of a type")
			binary("plus", "+", kind, kind, kind, func(c *callee) {
				c.add("z = %s", oneOf(u, "x", "y"))
				p := numbersOf(u, r, "x")
				p.object(u, r, "y")
				c.lines = append(c.lines, p.stores(u, r, "z", 3)...)
			})
			lines = append(lines, oneOf(u, fmt.Sprintf("%s = %s + %s", here, here, there), fmt.Sprintf("%s = %s + (%s + %s)", here, there, here, here)))
		case 1:
			k.feat("operators:named")
			binary("dot", ".by.", kind, kind, "real(8)", func(c *callee) {
				p := numbersOf(u, r, "x")
				p.object(u, r, "y")
				c.add("z = %s", u.fit(p.value(u, realKind), tempTier).text)
			})
			a := k.plain(realKind, 1)
			lhs := k.ref(a, vs)
			lines = append(lines, k.set(a, lhs, sum("+", val{text: fmt.Sprintf("(%s .by. %s)", here, there), frac: tempTier.frac, bound: tempTier.bound}, lhs)))
		case 2:
			k.feat("operators:with a number")
			binary("times", "*", "real(8)", kind, kind, func(c *callee) {
				c.add("z = y")
				c.lines = append(c.lines, numbersOf(u, r, "y", val{text: "x", frac: 12, bound: 64}).stores(u, r, "z", 3)...)
			})
			lines = append(lines, fmt.Sprintf("%s = %s*%s", here, u.fit(number.value(u, realKind), tier{8, 32}).paren(), there))
		case 3:
			k.feat("operators:assignment")
			k.method(r, "becomes", func(name string, c *callee) {
				r.module.behind = append(r.module.behind, "interface assignment (=)", "   module procedure "+name, "end interface")
				c.add("subroutine %s(x, y)", name)
				c.add("%s, intent(inout) :: x", kind)
				c.add("integer, intent(in) :: y")
				c.lines = append(c.lines, numbersOf(u, r, "x", val{text: "y", kind: intKind, bound: 99}).stores(u, r, "x", 3)...)
				c.add("end subroutine %s", name)
			})
			lines = append(lines, fmt.Sprintf("%s = %s", here, u.fit(number.value(u, intKind), tier{bound: 99}).text))
		case 4:
			k.feat("operators:relation")
			binary("less", "<", kind, kind, "logical", func(c *callee) {
				p := numbersOf(u, r, "x")
				p.object(u, r, "y")
				c.add("z = %s", p.truth(u))
			})
			lines = append(lines, ifBlock(fmt.Sprintf("%s < %s", here, there), []string{here + " = " + there}, nil)...)
		}
	}
	k.emit(k.nest(vs, lines, how{})...)
}

// typeArguments passes arrays of a type, sections, elements and components of them.
func typeArguments(k *kern) {
	u := k.u
	r := k.record()
	o, q := k.object(r, 1), k.object(r, 1)
	n := k.extents(o.array, q.array)[0]
	section := func(x *object) string { return fmt.Sprintf("%s(%s)", x.name, k.triplet(x.dims[0], n)) }
	form := u.pick(4)
	if r.allocates() && form == 2 {
		form = 0 // arrays of types with such components are no arguments of ELEMENTAL procedures
	}
	for _, l := range r.leaves() {
		if form == 2 && (len(l.dims) > 0 || strings.Contains(l.path, "(")) {
			form = 1
		}
	}
	switch form {
	case 0, 1:
		name := k.method(r, "work", func(name string, c *callee) {
			c.add("subroutine %s(x, y, by)", name)
			c.add("type(%s), intent(inout) :: x(:)", r.name)
			c.add("type(%s), intent(in) :: y(:)", r.name)
			c.add("integer, intent(in) :: by")
			c.add("integer :: i1")
			c.add("do i1 = 2, min(size(x), size(y))")
			p := numbersOf(u, r, "x(i1)", val{text: "by", kind: intKind, bound: 12})
			p.object(u, r, "y(i1-1)")
			c.lines = append(c.lines, p.stores(u, r, "x(i1)", 3)...)
			c.add("end do")
			if u.chance(1, 2) {
				c.add("if (size(x) > 1) x(1) = y(2)")
			}
			c.add("end subroutine %s", name)
		})
		x, y := o.name, q.name
		if form == 1 {
			k.feat("type arguments:section")
			x, y = section(o), section(q)
		} else {
			k.feat("type arguments:array")
			if o.extents()[0] != q.extents()[0] && o.extents()[0] > 1 && q.extents()[0] < 2 {
				return
			}
		}
		k.emit(fmt.Sprintf("call %s(%s, %s, %s)", name, x, y, k.runtime(u.pick(6))))
	case 2:
		k.feat("type arguments:elemental")
		name := k.method(r, "each", func(name string, c *callee) {
			c.add("elemental subroutine %s(x, y)", name)
			c.add("type(%s), intent(inout) :: x", r.name)
			c.add("type(%s), intent(in) :: y", r.name)
			p := numbersOf(u, r, "x")
			p.object(u, r, "y")
			c.lines = append(c.lines, p.stores(u, r, "x", 3)...)
			c.add("end subroutine %s", name)
		})
		k.emit(fmt.Sprintf("call %s(%s, %s)", name, section(o), oneOf(u, section(q), k.constant(q))))
	case 3:
		k.feat("type arguments:element")
		name := k.method(r, "one", func(name string, c *callee) {
			c.add("subroutine %s(x, y, s)", name)
			c.add("type(%s), intent(inout) :: x", r.name)
			c.add("type(%s), intent(in) :: y", r.name)
			c.add("real(8), intent(inout) :: s")
			p := numbersOf(u, r, "x", val{text: "s", frac: tempTier.frac, bound: tempTier.bound})
			p.object(u, r, "y")
			c.lines = append(c.lines, p.stores(u, r, "x", 3)...)
			c.add("s = %s", u.fit(p.value(u, realKind), tempTier).text)
			c.add("end subroutine %s", name)
		})
		s := k.scalarVar(realKind, "s", "0.5d0", tempTier)
		vs := k.vars(1)
		k.emit(k.nest(vs, []string{fmt.Sprintf("call %s(%s, %s, %s)", name, k.nearby(o, vs, false), k.nearby(q, vs, true), s.name)}, how{})...)
	}
	for _, l := range r.leaves() {
		if len(l.dims) == 1 && l.kind == realKind && !l.single && l.length == 0 && u.chance(1, 2) {
			k.feat("type arguments:component array")
			name := k.fresh("comp")
			c := &callee{internal: true}
			c.add("subroutine %s(x, d)", name)
			c.add("real(8), intent(inout) :: x(:)")
			c.add("real(8), intent(in) :: d")
			c.add("integer :: i1")
			c.add("do i1 = 1, size(x)")
			c.add("x(i1) = %s", u.fit(u.combine([]val{{text: "x(i1)", frac: l.tier.frac, bound: l.tier.bound}, {text: "d", frac: 2, bound: 8}}), l.tier).text)
			c.add("end do")
			c.add("end subroutine %s", name)
			k.procedures = append(k.procedures, c)
			vs := k.vars(1)
			k.emit(k.nest(vs, []string{fmt.Sprintf("call %s(%s%s, 1.25d0)", name, k.nearby(o, vs, false), l.path)}, how{})...)
			break
		}
	}
}

// typeFunctions has functions whose value is an object.
func typeFunctions(k *kern) {
	u := k.u
	r := k.record()
	name := k.method(r, "made", func(name string, c *callee) {
		result := oneOf(u, "z", name)
		if result == "z" {
			c.add("function %s(x, d) result(z)", name)
			k.feat("type functions:result")
		} else {
			c.add("function %s(x, d)", name)
		}
		c.add("type(%s), intent(in) :: x", r.name)
		c.add("integer, intent(in) :: d")
		c.add("type(%s) :: %s", r.name, result)
		c.add("%s = x", result)
		p := numbersOf(u, r, "x", val{text: "d", kind: intKind, bound: 12})
		lines := p.stores(u, r, result, 3)
		if u.chance(1, 3) {
			lines = ifBlock(p.truth(u), lines, p.stores(u, r, result, 1))
		}
		c.lines = append(c.lines, lines...)
		c.add("end function %s", name)
	})
	o, q := k.object(r, 1), k.object(r, 1)
	vs := k.vars(1)
	here, there := k.nearby(o, vs, false), k.nearby(q, vs, true)
	value := fmt.Sprintf("%s(%s, %s)", name, there, oneOf(u, "3", "mod(abs(i), 4)"))
	if u.chance(1, 3) {
		k.feat("type functions:nested")
		value = fmt.Sprintf("%s(%s, 1)", name, value)
	}
	k.feat("type functions:in a loop")
	lines := []string{here + " = " + value}
	if u.chance(1, 3) {
		lines = ifBlock(numbersOf(u, r, there).truth(u), lines, nil)
	}
	k.emit(k.nest(vs, lines, how{})...)
	s := k.object(r, 0)
	k.emit(fmt.Sprintf("%s = %s(%s, 2)", s.name, name, k.constant(o)))
}
