package randprog

import "fmt"

// around reads neighbours in a dimension of which the first element is a neighbour of the
// last:
//
//	do i = 1, n
//	   nl = i - 1
//	   if (nl < 1) nl = n
//	   nr = mod(i, n) + 1
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
		k.private(intKind, name, tier{bound: 1 << 10})
		out, back := fmt.Sprintf("%s < %d", name, lo), v.hi
		if by > 0 {
			out, back = fmt.Sprintf("%s > %s", name, k.spell(u, v.hi)), lo
		}
		if u.chance(1, 2) {
			k.feat("around:if")
			lines = append(lines, fmt.Sprintf("%s = %s", name, affine(1, v.name, "1", by)))
			lines = append(lines, ifBlock(out, []string{fmt.Sprintf("%s = %s", name, k.spell(u, back))}, nil)...)
		} else {
			k.feat("around:mod")
			from := by - lo
			if by < 0 {
				from += n
			}
			lines = append(lines, fmt.Sprintf("%s = mod(%s, %d) + (%d)", name, affine(1, v.name, fmt.Sprint(abs(from)), from), n, lo))
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
