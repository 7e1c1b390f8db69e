package randprog

import "fmt"

// arrayKernels are those that assign arrays, or compute with them, as a whole. Arrays
// prescribes them.
var arrayKernels = []kernel{
	{name: "array assignment", make: arrayAssignment, variants: []string{
		"sections:of what is assigned", "sections:and an element", "sections:merge", "section:whole array", "section:strided",
		"section:bounds that are read", "section:logical mask",
	}},
	{name: "WHERE", make: whereStatement, variants: []string{
		"where:statement", "where:nested", "where:elsewhere with a mask", "where:elsewhere",
	}},
	{name: "FORALL", make: forallStatement, variants: []string{
		"forall:stride", "forall:mask", "forall:two statements", "forall:sections", "forall:reduction", "forall:where",
	}},
	{name: "DO CONCURRENT", make: doConcurrent, variants: []string{"concurrent:mask"}},
	{name: "reduction along a dimension", make: alongDimension, variants: []string{
		"dim:none", "dim:mask", "dim:sum", "dim:maxval", "dim:minval", "dim:count", "dim:any",
	}},
	{name: "places of elements", make: places, variants: []string{
		"places:maxloc", "places:minloc", "places:findloc", "places:along a dimension", "places:mask", "places:back",
	}},
	{name: "CSHIFT and EOSHIFT", make: arrayShifts, variants: []string{
		"shifts:cshift", "shifts:eoshift", "shifts:by a variable", "shifts:by an array", "shifts:in WHERE",
	}},
	{name: "vector subscripts", make: vectorSubscripts, variants: []string{"vector subscript:left side", "vector subscript:right side"}},
	{name: "rearranged arrays", make: rearranged, variants: []string{
		"rearranged:transpose", "rearranged:spread", "rearranged:reshape", "rearranged:reshape of a vector", "rearranged:pack", "rearranged:unpack",
	}},
	{name: "MATMUL and DOT_PRODUCT", make: arrayProducts, variants: []string{
		"products:matmul", "products:vector", "products:in an expression", "products:dot_product",
	}},
	{name: "allocated again", make: allocatedAgain, variants: []string{"allocated:by an assignment", "allocated:elements under a mask"}},
}

// Arrays returns a program of the array language: whole arrays and sections of any stride,
// WHERE, FORALL, and the functions of arrays, with other kernels between. Consecutive seeds
// prescribe the kernels in turn, as those of Sample do.
func Arrays(seed uint64) Program { return generate(wordsOf(seed), inTurn(arrayKernels, seed)) }

// arrayAssignment assigns sections of any stride, some of which overlap with what they are
// computed from.
func arrayAssignment(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(3)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	n := k.extents(a, b)
	leaves := []val{k.section(b, n...)}
	if u.chance(1, 2) {
		leaves = append(leaves, k.section(a, n...))
		k.feat("sections:of what is assigned")
	}
	if u.chance(1, 3) {
		leaves = append(leaves, k.point(b))
		k.feat("sections:and an element")
	}
	if u.chance(1, 4) {
		other := k.section(b, n...)
		leaves = append(leaves, val{text: call("merge", other.text, leaves[0].text, k.masked(n, leaves...)), kind: kd, frac: leaves[0].frac, bound: leaves[0].bound})
		k.feat("sections:merge")
	}
	lhs := k.section(a, n...)
	k.emit(k.set(a, lhs, u.combine(leaves)))
	if u.chance(1, 4) {
		k.emit(k.set(b, k.section(b, b.extents()...), u.combine([]val{k.section(b, b.extents()...), number(kd, 1+u.pick(4))})))
	}
}

// extents are those of all dimensions.
func (a *array) extents() []int {
	var n []int
	for _, d := range a.dims {
		n = append(n, d.extent())
	}
	return n
}

// whereStatement assigns under masks that it may change.
func whereStatement(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	n := k.extents(a, b)
	to := k.section(a, n...)
	from := k.section(b, n...)
	values := []val{to, from, k.section(a, n...)}
	mask := k.masked(n, values...)
	assign := func() string { return k.set(a, to, u.combine([]val{values[1+u.pick(2)], from})) }
	if u.chance(1, 3) {
		k.feat("where:statement")
		k.emit(fmt.Sprintf("where (%s) %s", mask, assign()))
		return
	}
	lines := []string{fmt.Sprintf("where (%s)", mask), "  " + assign()}
	if u.chance(1, 3) {
		k.feat("where:nested")
		lines = append(lines, fmt.Sprintf("  where (%s)", k.masked(n, values...)), "    "+assign(), "  elsewhere", "    "+assign(), "  end where")
	}
	if u.chance(1, 2) {
		k.feat("where:elsewhere with a mask")
		lines = append(lines, fmt.Sprintf("elsewhere (%s)", u.compare(values[u.pick(3)]).text), "  "+k.set(b, from, u.combine([]val{to, from})))
	}
	if u.chance(1, 2) {
		k.feat("where:elsewhere")
		lines = append(lines, "elsewhere", "  "+assign())
	}
	k.emit(append(lines, "end where")...)
}

// forallStatement assigns elements, or sections, for all values of indices at once.
func forallStatement(k *kern) {
	u := k.u
	kd := k.numeric()
	if u.chance(1, 3) {
		k.forallRows(kd)
		return
	}
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	vs := k.vars(rank)
	lhs := k.ref(a, vs)
	leaves := []val{k.ref(b, vs, oneOf(u, 0, 1, -1)), k.ref(a, vs, oneOf(u, 0, 1, -1), oneOf(u, 0, 0, 1))}
	second := u.chance(1, 2)
	var same val
	if second {
		same = k.ref(b, vs)
	}
	head := ""
	for _, v := range vs {
		lo, hi := v.lo, max(v.hi, v.lo-1) // of fewer than no indices gfortran 12 allocates less than nothing
		if u.chance(1, 5) {
			head += fmt.Sprintf("%s = %s:%s:%d, ", v.name, k.bound(hi, false), k.bound(lo, false), -1-u.pick(2))
			k.feat("forall:stride")
			continue
		}
		head += fmt.Sprintf("%s = %s:%s, ", v.name, k.bound(lo, false), k.bound(hi, false))
	}
	head = head[:len(head)-2]
	if u.chance(1, 2) {
		head += ", " + k.condition(vs, leaves[u.pick(2)])
		k.feat("forall:mask")
	}
	if !second {
		k.emit(fmt.Sprintf("forall (%s) %s", head, k.set(a, lhs, u.combine(leaves))))
		return
	}
	k.feat("forall:two statements")
	k.emit("forall ("+head+")", "  "+k.set(a, lhs, u.combine(leaves)), "  "+k.set(b, same, u.combine([]val{lhs, same})), "end forall")
}

// forallRows is FORALL with sections, reductions of them, and WHERE.
func (k *kern) forallRows(kd kind) {
	u := k.u
	a, b := k.arr(kd, 2), k.arr(kd, 2)
	v := k.vars(1)[0]
	n := min(a.dims[0].extent(), b.dims[0].extent())
	n = k.some(n)
	column := func(x *array, shift int) val { return k.elem(x, k.triplet(x.dims[0], n), k.sub(x, 1, v, shift)) }
	to, from, near := column(a, 0), column(b, oneOf(u, 0, 1)), column(a, oneOf(u, 0, -1, 1))
	head := func() string {
		return fmt.Sprintf("forall (%s = %s:%s)", v.name, k.bound(v.lo, false), k.bound(max(v.hi, v.lo-1), false)) // as in forallStatement
	}
	switch u.pick(3) {
	case 0:
		k.feat("forall:sections")
		k.emit(head() + " " + k.set(a, to, u.combine([]val{from, near})))
	case 1:
		k.feat("forall:reduction")
		c := k.arr(kd, 1)
		lhs := k.elem(c, k.sub(c, 0, v, 0))
		s := u.fit(u.combine([]val{from, near}), tier{12, 1 << 10})
		s = val{text: call("sum", s.text), kind: kd, frac: s.frac, bound: n << 10}
		k.emit(head() + " " + k.set(c, lhs, s))
	case 2:
		k.feat("forall:where")
		lines := []string{head(), fmt.Sprintf("  where (%s)", u.compare(near).text), "    " + k.set(a, to, u.combine([]val{from, near}))}
		if u.chance(1, 2) {
			lines = append(lines, "  elsewhere", "    "+k.set(a, to, u.combine([]val{to, from})))
		}
		k.emit(append(lines, "  end where", "end forall")...)
	}
}

// doConcurrent is a nest of independent iterations.
func doConcurrent(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	vs := k.vars(rank)
	lhs := k.ref(a, vs)
	x := k.ref(b, vs, oneOf(u, 0, 1, -1), oneOf(u, 0, 1))
	head := ""
	for d, v := range vs {
		if d > 0 {
			head += ", "
		}
		head += fmt.Sprintf("%s = %s:%s", v.name, k.bound(v.lo, false), k.bound(v.hi, false))
	}
	if u.chance(1, 2) {
		head += ", " + k.condition(vs, x)
		k.feat("concurrent:mask")
	}
	k.emit("do concurrent ("+head+")", "  "+k.set(a, lhs, u.combine([]val{x, lhs})), "end do")
}
