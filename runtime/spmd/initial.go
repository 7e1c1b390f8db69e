package spmd

// Initial gives elements their initial values: those from place at on, in array element
// order, where 0 is the first. A PE keeps the values of the elements that it has.
func (a *Array[T]) Initial(at int, values ...T) {
	for i, v := range values {
		if off, ok := a.cell(at + i); ok {
			a.Data[off] = v
		}
	}
}

// Repeat gives n elements from place at on the same initial value.
func (a *Array[T]) Repeat(at, n int, value T) {
	for i := range n {
		if off, ok := a.cell(at + i); ok {
			a.Data[off] = value
		}
	}
}

// cell is where in Data the element in place at of the array lies, if it lies on this PE.
func (a *Array[T]) cell(at int) (off int, ok bool) {
	for d := range a.Dims {
		ax := &a.Layout.Axes[d]
		n := ax.Hi - ax.Lo + 1
		i := ax.Lo + at%n
		at /= n
		dim := &a.Dims[d]
		if !dim.holds(i, i) || dim.Step != 1 && (i-dim.Lo)%dim.Step != 0 {
			return 0, false
		}
		off += dim.at(i)
	}
	return off, true
}
