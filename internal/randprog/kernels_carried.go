package randprog

import "fmt"

// carried has a dependence from one iteration to a later or earlier one, at
// one of the lists of distances.
func carried(choices ...[]int) func(k *kern) {
	return func(k *kern) {
		u := k.u
		kd := k.numeric()
		a, b := k.arr(kd, 1), k.arr(kd, 1)
		vs := k.vars(1)
		lhs := k.ref(a, vs)
		var list []val
		for _, s := range oneOf(u, choices...) {
			list = append(list, k.ref(a, vs, s))
			if s < 0 {
				k.feat(fmt.Sprintf("carried:distance %d behind", -s))
			} else {
				k.feat(fmt.Sprintf("carried:distance %d ahead", s))
			}
		}
		if u.chance(2, 3) {
			list = append(list, k.ref(b, vs, oneOf(u, 0, 0, 1, -1)))
		}
		lines := k.guard(k.behind(a, b, vs, k.set(a, lhs, u.combine(list)), -1), vs, k.ref(b, vs))
		k.emit(k.nest(vs, lines, how{})...)
		if vs[0].step < 0 {
			k.feat("carried:backward loop")
		} else {
			k.feat("carried:forward loop")
		}
	}
}

// behind is the assignment set to a, and sometimes one to b behind it, of what a has at a
// distance; what it has there in front of set may be another value.
func (k *kern) behind(a, b *array, vs []*lvar, set string, shifts ...int) []string {
	if !k.u.chance(1, 3) {
		return []string{set}
	}
	k.feat("carried:read behind")
	return []string{set, k.set(b, k.ref(b, vs), k.u.combine([]val{k.ref(a, vs, shifts...), k.ref(b, vs)}))}
}

// carriedColumn carries along one dimension and is free along the other.
func carriedColumn(k *kern) {
	u := k.u
	kd := k.numeric()
	rank := 2 + u.pick(2)
	a, b := k.arr(kd, rank), k.arr(kd, rank)
	vs := k.vars(rank)
	lhs := k.ref(a, vs)
	shifts := make([]int, rank)
	shifts[u.pick(rank)] = oneOf(u, -1, 1, -2, 2)
	list := []val{k.ref(a, vs, shifts...), k.ref(b, vs)}
	k.emit(k.nest(vs, k.behind(a, b, vs, k.set(a, lhs, u.combine(list)), shifts...), how{})...)
}

// wavefront depends on both neighbours in two dimensions, or on all four.
func wavefront(all bool) func(k *kern) {
	return func(k *kern) {
		u := k.u
		kd := k.numeric()
		a := k.arr(kd, 2)
		vs := k.vars(2)
		lhs := k.ref(a, vs)
		list := []val{k.ref(a, vs, -1, 0), k.ref(a, vs, 0, -1)}
		if all {
			list = append(list, k.ref(a, vs, 1, 0), k.ref(a, vs, 0, 1))
		}
		switch u.pick(4) {
		case 1:
			list = append(list, k.ref(a, vs, -1, -1))
		case 2:
			list = append(list, k.ref(a, vs, -1, 1))
		case 3:
			list = append(list, k.ref(k.arr(kd, 2), vs))
		}
		k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine(list))}, how{plain: u.chance(1, 2)})...)
	}
}

// wavefront3 is the same in three dimensions.
func wavefront3(k *kern) {
	kd := k.numeric()
	a := k.arr(kd, 3)
	vs := k.vars(3)
	lhs := k.ref(a, vs)
	list := []val{k.ref(a, vs, -1), k.ref(a, vs, 0, -1), k.ref(a, vs, 0, 0, -1)}
	k.emit(k.nest(vs, []string{k.set(a, lhs, k.u.combine(list))}, how{})...)
}
