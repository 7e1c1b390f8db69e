package spmd

// Keep stores what this PE owns of a temporary that holds the whole array: the
// end of a piece of program that every PE executed on gathered copies.
func (a *Array[T]) Keep(t *Temp[T]) {
	if t.order != nil {
		t.order.Written()
	}
	if len(a.Data) > 0 && len(t.Data) > 0 && &a.Data[0] == &t.Data[0] {
		return // a view
	}
	idx := make([]int, len(a.own))
	a.keep(t, idx, len(idx)-1)
}

func (a *Array[T]) keep(t *Temp[T], idx []int, axis int) {
	own := a.own[axis]
	for k := range own.N {
		idx[axis] = own.Lo + k*own.Step
		if axis == 0 {
			a.Data[a.At(idx...)] = t.Data[t.At(idx...)]
		} else {
			a.keep(t, idx, axis-1)
		}
	}
}
