package randprog

import (
	"fmt"
	"strings"
)

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
	// One that assignments allocate begins with 1 wherever it is allocated, as it is compiled
	// with one lower bound if it has one.
	byAssignment := u.chance(1, 3)
	for _, x := range b.dims {
		lo := oneOf(u, 1, 1, 0, -2)
		if byAssignment {
			lo = 1
		}
		v.dims = append(v.dims, bounds{lo: lo, hi: lo + 1 + x.extent()})
	}
	whole := v.dims
	k.use(v) // its place has room for all of these
	s := k.scalarVar(kd, "s", zero(kd), tier{12, 1 << 24})
	for n := range 2 + u.pick(2) {
		extents := k.extents(b)
		assigned := byAssignment && (n == 0 || u.chance(1, 2))
		v.dims = nil
		for d, e := range extents {
			first := whole[d].lo
			if !byAssignment {
				first += u.pick(whole[d].extent() - e + 1)
			}
			v.dims = append(v.dims, bounds{lo: first, hi: first + e - 1})
		}
		if n > 0 {
			k.emit(fmt.Sprintf("deallocate (%s)", v.name))
		}
		if assigned {
			k.feat("allocated:by an assignment")
		} else {
			k.emit(k.allocate(u, v))
		}
		// By its name it might get other bounds, where it is not known that the shapes agree.
		to := val{text: v.name, kind: kd}
		if !byAssignment {
			to.text += "(:" + strings.Repeat(", :", v.rank()-1) + ")"
		}
		value := u.combine([]val{k.section(b, extents...), number(kd, 2)})
		k.emit(k.set(v, to, value))
		if u.chance(1, 3) {
			k.feat("allocated:elements under a mask")
			k.emit(fmt.Sprintf("where (%s) %s", u.compare(k.section(v, extents...)).text, k.set(v, to, k.section(b, extents...))))
		}
		k.emit(k.set(b, k.section(b, extents...), u.combine([]val{k.section(v, extents...), k.section(b, extents...)})))
		k.emit(fmt.Sprintf("%s = %s + sum(%s)", s.name, s.name, u.fit(k.section(v, extents...), tier{8, 1 << 10}).text))
	}
	v.dims = whole
	k.emit(fmt.Sprintf("deallocate (%s)", v.name))
}
