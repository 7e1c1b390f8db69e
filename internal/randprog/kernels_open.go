package randprog

import "fmt"

// allocatedAgain has an array of its own that is allocated, used and deallocated, with other
// bounds each time:
//
//	allocate (v5(0:n1))
//	v5 = 0.5d0*(b(1:n) + 0.5d0)
//	b(2:n:2) = v5(0:2) + b(1:n-1:2)
//	s6 = s6 + sum(v5)
//	deallocate (v5)
//	v5 = b(2:4)*0.5d0             ! allocated by the assignment
func allocatedAgain(k *kern) {
	u := k.u
	kd := k.numeric()
	b := k.arr(kd, 1+u.pick(2))
	v := &array{name: k.fresh("v"), kind: kd, single: b.single, u: u.fork(), tier: b.tier, own: true, open: true}
	for _, x := range b.dims {
		lo := oneOf(u, 1, 1, 0, -2)
		v.dims = append(v.dims, bounds{lo: lo, hi: lo + 1 + x.extent()})
	}
	whole := v.dims
	k.use(v) // its place has room for all of these
	s := k.scalarVar(kd, "s", zero(kd), tier{12, 1 << 24})
	for n := range 2 + u.pick(2) {
		extents := k.extents(b)
		first := make([]int, len(extents))
		ones := true // all lower bounds may be 1
		for d, w := range whole {
			first[d] = w.lo + u.pick(w.extent()-extents[d]+1)
			ones = ones && 1 <= w.hi-extents[d]+1
		}
		assigned := ones && u.chance(1, 3)
		v.dims = nil
		for d, e := range extents {
			if assigned {
				first[d] = 1 // as the value's
			}
			v.dims = append(v.dims, bounds{lo: first[d], hi: first[d] + e - 1})
		}
		if n > 0 {
			k.emit(fmt.Sprintf("deallocate (%s)", v.name))
		}
		if assigned {
			k.feat("allocated:by an assignment")
		} else {
			k.emit(k.allocate(u, v))
		}
		value := u.combine([]val{k.section(b, extents...), number(kd, 2)})
		k.emit(k.set(v, val{text: v.name, kind: kd}, value))
		if u.chance(1, 3) {
			k.feat("allocated:elements under a mask")
			k.emit(fmt.Sprintf("where (%s) %s", u.compare(k.section(v, extents...)).text, k.set(v, val{text: v.name, kind: kd}, k.section(b, extents...))))
		}
		k.emit(k.set(b, k.section(b, extents...), u.combine([]val{k.section(v, extents...), k.section(b, extents...)})))
		k.emit(fmt.Sprintf("%s = %s + sum(%s)", s.name, s.name, u.fit(k.section(v, extents...), tier{8, 1 << 10}).text))
	}
	v.dims = whole
	k.emit(fmt.Sprintf("deallocate (%s)", v.name))
}
