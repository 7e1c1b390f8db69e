package randprog

import "fmt"

// distances goes through elements that are not consecutive, in innermost loops that may be
// vector code: pairs of neighbours of one array, the fields of records, sums backwards or
// over some elements.
func distances(k *kern) {
	[]func(*kern){exchanges, records, sparseSum}[k.u.pick(3)](k)
}

// exchanges puts pairs of neighbours into an order.
func exchanges(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.arr(kd, 1+u.pick(2))
	d := u.pick(a.rank())
	t := k.temp(kd, 0).name
	at := func(shift int) string {
		subs := []string{"i", "i"}[:a.rank()]
		if a.rank() == 2 {
			subs[1-d] = "j"
		}
		subs[d] = affine(1, "i", fmt.Sprint(shift), shift)
		return target(k.elem(a, subs...))
	}
	x, y := at(0), at(1)
	lines := ifBlock(x+" > "+y, []string{t + " = " + x, x + " = " + y, y + " = " + t}, nil)
	k.feat("distances:exchange")
	if u.chance(1, 2) {
		lines = []string{fmt.Sprintf("%s = min(%s, %s)", t, x, y), fmt.Sprintf("%s = max(%s, %s)", y, x, y), x + " = " + t}
		k.feat("distances:smaller and larger")
	}
	b := a.dims[d]
	from, to := fmt.Sprint(b.lo+u.pick(2)), k.spell(u, b.hi-1)
	header := fmt.Sprintf("do i = %s, %s, 2", from, to)
	if u.chance(1, 3) {
		header = fmt.Sprintf("do i = %s, %s, -2", to, from)
	}
	out := doBlock(header, lines)
	if a.rank() == 2 {
		o := a.dims[1-d]
		out = doBlock(fmt.Sprintf("do j = %s, %s", k.spell(u, o.lo), k.spell(u, o.hi)), out)
	}
	k.emit(out...)
}

// records computes some fields from others, which are the first dimension.
func records(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 3), k.arr(kd, 3)
	vs := k.vars(2)
	field := func(x *array, si, sj int) val {
		return k.elem(x, fmt.Sprint(x.dims[0].lo+u.pick(x.dims[0].extent())), k.sub(x, 1, vs[0], si), k.sub(x, 2, vs[1], sj))
	}
	var lines []string
	for range 1 + u.pick(4) {
		lhs := field(a, 0, 0)
		lines = append(lines, k.set(a, lhs, u.combine([]val{field(b, oneOf(u, 0, 1, -1), oneOf(u, 0, 1, -1)), field(b, 0, 0), lhs})))
	}
	k.feat("distances:records")
	k.emit(k.nest(vs, lines, how{parallel: a != b})...)
}

// sparseSum adds up products of elements that lie at different distances.
func sparseSum(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 1 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	vs := k.vars(rank)
	d := u.pick(rank)
	var subs []string
	x := k.ref(b, vs)
	for e := range a.dims {
		if e == d {
			subs = append(subs, k.subBy(a, e, vs[e], oneOf(u, -1, 2, -2, 3), 0))
		} else {
			subs = append(subs, k.sub(a, e, vs[e], 0))
		}
	}
	k.feat("distances:sum")
	k.reduce(oneOf(u, "sum", "sum", "max"), u.combine([]val{k.elem(a, subs...), x}), vs)
}
