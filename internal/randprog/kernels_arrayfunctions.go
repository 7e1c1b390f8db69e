package randprog

import (
	"fmt"
	"strings"
)

// alongDimension reduces sections along a dimension, or whole ones.
func alongDimension(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 2 + u.pick(2)
	a := k.arr(kd, rank)
	n := k.extents(a)
	x := k.section(a, n...)
	if u.chance(1, 3) {
		x = u.combine([]val{x, k.section(a, n...)})
	}
	d := u.pick(rank)
	form := oneOf(u, "sum", "maxval", "count", "any", "sum", "minval")
	args := []string{"", fmt.Sprintf("dim=%d", d+1)}
	all := u.chance(1, 4)
	if all {
		args = args[:1]
		k.feat("dim:none")
	}
	mask := ""
	if u.chance(1, 3) && form != "count" && form != "any" {
		k.feat("dim:mask")
		mask = k.masked(n, k.section(a, n...))
		args = append(args, "mask="+mask)
	}
	var r val
	terms := n[d]
	if all {
		terms = 1
		for _, m := range n {
			terms *= m
		}
	}
	switch form {
	case "sum":
		x = u.fit(x, tier{12, 1 << 10})
		args[0] = x.text
		r = val{text: call("sum", args...), kind: kd, frac: x.frac, bound: terms << 10}
	case "maxval", "minval":
		args[0] = x.text
		r = val{text: call(form, args...), kind: kd, frac: x.frac, bound: x.bound}
		if mask != "" {
			r = clamped(r, tier{x.frac, x.bound})
		}
	case "count":
		args[0] = u.compare(x).text
		r = val{text: call("count", args...), kind: intKind, bound: terms}
	case "any":
		args[0] = u.compare(x).text
		one, two := number(kd, 1), number(kd, 3)
		r = val{text: call("merge", one.text, two.text, call(oneOf(u, "any", "all"), args...)), kind: kd, frac: 2, bound: 4}
	}
	k.feat("dim:" + form)
	if all {
		s := k.scalarVar(r.kind, "s", zero(r.kind), tier{r.frac, r.bound})
		k.emit(fmt.Sprintf("%s = %s", s.name, r.text))
		return
	}
	left := without(n, d)
	c := k.lower(kd, left...)
	r = u.convert(r, kd)
	list := []val{r}
	if u.chance(1, 2) {
		list = append(list, k.section(c, left...))
	}
	if u.chance(1, 2) {
		k.emit(k.set(c, k.section(c, left...), r))
		return
	}
	k.emit(k.set(c, k.section(c, left...), u.combine(list)))
}

// places finds where elements are.
func places(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(3)
	a := k.arr(kd, rank)
	n := k.extents(a)
	args := []string{copied(k.section(a, n...).text)}
	name := oneOf(u, "maxloc", "minloc", "findloc")
	if name == "findloc" {
		args = append(args, k.point(a).text)
	}
	d := u.pick(rank)
	dim := u.chance(1, 2)
	if dim {
		args = append(args, fmt.Sprintf("dim=%d", d+1))
		k.feat("places:along a dimension")
	}
	// gfortran 12 finds wrong places in its library: of values along a dimension with MASK, and
	// of extremes with MASK and BACK but along one.
	masked := u.chance(1, 3) && !(dim && name == "findloc")
	if masked {
		args = append(args, "mask="+copied(k.masked(n, k.section(a, n...))))
		k.feat("places:mask")
	}
	if u.chance(1, 3) && (!masked || dim || name == "findloc") {
		args = append(args, "back=.true.")
		k.feat("places:back")
	}
	k.feat("places:" + name)
	v := val{text: call(name, args...), kind: intKind, bound: 60}
	if dim && rank == 1 {
		m := k.scalarVar(intKind, "m", "0", tier{bound: 60})
		k.emit(fmt.Sprintf("%s = %s", m.name, v.text))
		return
	}
	left := []int{rank}
	if dim {
		left = without(n, d)
	}
	c := k.lower(intKind, left...)
	k.emit(k.set(c, k.section(c, left...), v))
}

// arrayShifts are CSHIFT and EOSHIFT by constants, variables and arrays.
func arrayShifts(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	n := k.extents(a, b)
	d := u.pick(rank)
	one := func() val {
		x := k.section(b, n...)
		by := fmt.Sprint(u.pick(9) - 4)
		args := []string{x.text}
		switch u.pick(4) {
		case 1:
			by = k.runtime(u.pick(7) - 3)
			k.feat("shifts:by a variable")
		case 2:
			if rank > 1 {
				s := k.lower(intKind, without(n, d)...)
				by = u.fit(k.section(s, without(n, d)...), tier{bound: 5}).text
				k.feat("shifts:by an array")
			}
		}
		args = append(args, by)
		name := "cshift"
		if u.chance(1, 2) {
			name = "eoshift"
			if u.chance(1, 2) {
				fill := number(kd, 3)
				if kd == realKind && b.single && x.text != "" {
					fill.text = "dble(1.0)"
				}
				args = append(args, "boundary="+fill.text)
			}
		}
		k.feat("shifts:" + name)
		args = append(args, fmt.Sprintf("dim=%d", d+1))
		return val{text: call(name, args...), kind: kd, frac: max(x.frac, 2), bound: max(x.bound, 4)}
	}
	list := []val{one()}
	switch u.pick(4) {
	case 0:
		list = append(list, one())
	case 1:
		list = append(list, k.section(a, n...))
	case 2:
		k.feat("shifts:in WHERE")
		to := k.section(a, n...)
		k.emit(fmt.Sprintf("where (%s) %s", u.compare(list[0]).text, k.set(a, to, u.combine([]val{one(), to}))))
		return
	}
	k.emit(k.set(a, k.section(a, n...), u.combine(list)))
}

// vectorSubscripts are arrays as subscripts on either side.
func vectorSubscripts(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	n := k.extents(a, b)
	d := u.pick(rank)
	through := func(x *array, perm bool) val {
		ix := k.indexArray(bounds{lo: 1, hi: n[d]}, x.dims[d], perm)
		var subs []string
		for e, b := range x.dims {
			if e == d {
				subs = append(subs, ix.name)
			} else {
				subs = append(subs, k.triplet(b, n[e]))
			}
		}
		return k.elem(x, subs...)
	}
	if u.chance(1, 2) {
		k.feat("vector subscript:left side")
		lhs := through(a, true)
		list := []val{k.section(b, n...)}
		if u.chance(1, 2) {
			list = append(list, k.section(a, n...))
		}
		k.emit(k.set(a, lhs, u.combine(list)))
		return
	}
	k.feat("vector subscript:right side")
	src := b
	if u.chance(1, 4) {
		src = a
	}
	k.emit(k.set(a, k.section(a, n...), u.combine([]val{through(src, false), k.section(a, n...)})))
}

// rearranged are TRANSPOSE, SPREAD, RESHAPE, PACK and UNPACK.
func rearranged(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 2), k.arr(kd, 2)
	form := oneOf(u, "transpose", "spread", "reshape", "reshape of a vector", "pack", "unpack")
	k.feat("rearranged:" + form)
	switch form {
	case "transpose":
		n := []int{k.some(min(a.dims[0].extent(), b.dims[1].extent())), k.some(min(a.dims[1].extent(), b.dims[0].extent()))}
		x := k.section(b, n[1], n[0])
		x.text = call("transpose", x.text)
		k.emit(k.set(a, k.section(a, n...), u.combine([]val{x, k.section(a, n...)})))
	case "spread":
		n := k.extents(a)
		d := u.pick(2)
		c := k.lower(kd, n[1-d])
		x := k.section(c, n[1-d])
		x.text = call("spread", x.text, fmt.Sprint(d+1), fmt.Sprint(n[d]))
		k.emit(k.set(a, k.section(a, n...), u.combine([]val{x, k.section(a, n...)})))
	case "reshape":
		n := []int{k.some(min(a.dims[0].extent(), b.dims[1].extent())), k.some(min(a.dims[1].extent(), b.dims[0].extent()))}
		x, to := k.section(b, n[1], n[0]), k.section(a, n...)
		x.text = call("reshape", x.text, call("shape", target(to)))
		k.emit(k.set(a, to, u.combine([]val{x, k.section(a, n...)})))
	case "reshape of a vector":
		n := k.extents(a)
		c := k.lower(kd, n[0]*n[1])
		x, to := k.section(c, n[0]*n[1]), k.section(a, n...)
		x.text = call("reshape", x.text, call("shape", target(to)))
		k.emit(k.set(a, to, x))
	case "pack":
		n := k.extents(b)
		x := u.fit(k.section(b, n...), tier{12, 1 << 10})
		p := call("pack", x.text, k.masked(n, k.section(b, n...)))
		s := k.scalarVar(kd, "s", zero(kd), tier{12, n[0] * n[1] << 10})
		m := k.scalarVar(intKind, "m", "0", tier{bound: n[0] * n[1]})
		k.emit(fmt.Sprintf("%s = sum(%s)", s.name, p), fmt.Sprintf("%s = size(%s)", m.name, p))
		c := k.lower(kd, n[0]*n[1])
		fill := k.section(c, n[0]*n[1])
		y := k.section(b, n...)
		if c.single == b.single { // of one type
			y.text = call("pack", y.text, k.masked(n, k.section(b, n...)), "vector="+fill.text)
			k.emit(k.set(c, k.section(c, n[0]*n[1]), y))
		}
	case "unpack":
		n := k.extents(a, b)
		mask := k.masked(n, k.section(b, n...))
		x, field := k.section(b, n...), k.section(b, n...)
		x.text = call("unpack", call("pack", x.text, mask), mask, field.text)
		k.emit(k.set(a, k.section(a, n...), x))
	}
}

// arrayProducts are MATMUL and DOT_PRODUCT in expressions.
func arrayProducts(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b, c := k.arr(kd, 2), k.arr(kd, 2), k.arr(kd, 2)
	inner := k.some(min(a.dims[1].extent(), b.dims[0].extent()))
	rows, columns := k.some(min(a.dims[0].extent(), c.dims[0].extent())), k.some(min(b.dims[1].extent(), c.dims[1].extent()))
	bound := 256 * inner
	if u.chance(1, 3) {
		k.feat("products:dot_product")
		v := k.lower(kd, inner)
		x, y := u.small(k.section(v, inner)), u.small(k.section(v, inner))
		s := k.scalarVar(kd, "s", zero(kd), tier{6, bound})
		k.emit(fmt.Sprintf("%s = dot_product(%s, %s)", s.name, x.text, y.text))
		return
	}
	x := factor(u.small(k.section(a, rows, inner)))
	if u.chance(1, 3) {
		k.feat("products:vector")
		v, w := k.lower(kd, inner), k.lower(kd, rows)
		p := val{text: call("matmul", x.text, factor(u.small(k.section(v, inner))).text), kind: kd, frac: 6, bound: bound}
		k.emit(k.set(w, k.section(w, rows), p))
		return
	}
	y := factor(u.small(k.section(b, inner, columns)))
	p := val{text: call("matmul", x.text, y.text), kind: kd, frac: 6, bound: bound}
	if u.chance(1, 2) {
		k.feat("products:in an expression")
		k.emit(k.set(c, k.section(c, rows, columns), u.combine([]val{k.section(c, rows, columns), p})))
		return
	}
	k.feat("products:matmul")
	k.emit(k.set(c, k.section(c, rows, columns), p))
}

// factor is v as an argument of MATMUL.
func factor(v val) val {
	if strings.Contains(v.text, ":-") {
		v.text = copied(v.text)
	}
	return v
}

// copied makes an expression of a section, which the compiler that outputs are compared with
// stores by itself before it calls a function. gfortran 12 takes wrong elements of some
// sections: MATMUL of columns that run backward, FINDLOC of sections of rank 2 and 3, and
// MAXLOC and MINLOC where the mask is one that runs backward.
func copied(text string) string {
	if strings.Contains(text, ":") {
		return "(" + text + ")"
	}
	return text
}
