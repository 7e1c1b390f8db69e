package randprog

import "fmt"

// around reads neighbours in a dimension of which the first element is a neighbour of the
// last:
//
//	do i = 1, n
//	   nl = i - 1
//	   if (nl < 1) nl = n
//	   nr = mod(i, n) + 1 ! or MODULO, MERGE, or an array that holds it
//	   b(i) = a(nl) + a(nr)
//	end do
func around(k *kern) {
	u := k.u
	rank := 1 + u.pick(2)
	a, b := k.arr(realKind, rank), k.arr(realKind, rank)
	vs := k.vars(rank)
	lhs := k.ref(b, vs)
	centre := k.ref(a, vs)
	d := u.pick(rank)
	v, o := vs[d], k.offset(a.dims[d], vs[d], 0)
	k.sub(a, d, v, 0)
	lo, n := v.lo, max(1, v.hi-v.lo+1)

	var lines []string
	neighbour := func(name string, by int) val {
		at, back := v.hi, lo // the iteration whose neighbour is around the end, and that neighbour
		if by < 0 {
			at, back = lo, v.hi
		}
		next := affine(1, v.name, "1", by)
		form := oneOf(u, "if", "mod", "modulo", "merge", "index array")
		k.feat("around:" + form)
		if form == "index array" {
			name = fmt.Sprintf("%s(%s)", k.ringArray(bounds{lo: lo, hi: lo + n - 1}, by).name, v.name)
		} else {
			k.private(intKind, name, tier{bound: 1 << 10})
		}
		switch form {
		case "if":
			lines = append(lines, name+" = "+next)
			out := fmt.Sprintf("%s < %d", name, lo)
			if by > 0 {
				out = fmt.Sprintf("%s > %s", name, k.spell(u, v.hi))
			}
			lines = append(lines, ifBlock(out, []string{fmt.Sprintf("%s = %s", name, k.spell(u, back))}, nil)...)
		case "mod", "modulo":
			from := by - lo
			if by < 0 && form == "mod" {
				from += n
			}
			lines = append(lines, fmt.Sprintf("%s = %s(%s, %d) + (%d)", name, form, affine(1, v.name, fmt.Sprint(abs(from)), from), n, lo))
		case "merge":
			lines = append(lines, fmt.Sprintf("%s = merge(%s, %s, %s == %s)", name, k.spell(u, back), next, v.name, k.spell(u, at)))
		}
		var subs []string
		for e := range a.dims {
			sub := k.sub(a, e, vs[e], 0)
			if e == d {
				sub = affine(1, name, fmt.Sprint(abs(o)), o)
			}
			subs = append(subs, sub)
		}
		return k.elem(a, subs...)
	}
	near := []val{centre, neighbour("nl", -1)}
	if u.chance(3, 4) {
		k.feat("around:both ends")
		near = append(near, neighbour("nr", 1))
	}
	lines = append(lines, k.set(b, lhs, u.combine(near)))
	for e := range vs {
		w := vs[rank-1-e]
		lines = doBlock(k.header(w, w == v || u.chance(1, 2)), lines)
	}
	if u.chance(1, 3) {
		k.feat("around:in a time loop")
		lines = k.inTime(lines)
	}
	k.emit(lines...)
}

// ringArray makes an array of which every element holds its own subscript and by, or what is
// around the end.
func (k *kern) ringArray(d bounds, by int) *array {
	a := k.use(&array{name: k.fresh("ix"), kind: intKind, u: k.u.fork(), dims: []bounds{d}, index: true, unmapped: true})
	a.tier.bound = max(abs(d.lo), abs(d.hi))
	end, back := d.hi, d.lo
	if by < 0 {
		end, back = d.lo, d.hi
	}
	a.init = k.allElements(a, fmt.Sprintf("%s(i) = %s", a.name, affine(1, "i", "1", by)))
	a.init = append(a.init, fmt.Sprintf("%s(%d) = %d", a.name, end, back))
	return a
}
