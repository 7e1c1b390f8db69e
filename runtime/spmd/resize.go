package spmd

import (
	"slices"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/dist"
)

// Resize gives a replicated array other bounds, those of each dimension. What its elements
// were is lost, but where the bounds are the same as before the memory is too.
func (a *Array[T]) Resize(bounds ...[2]int) {
	if a.bounded(bounds) {
		a.renew()
		return
	}
	a.rebound(bounds)
}

// bounded reports whether these are the bounds.
func (a *Array[T]) bounded(bounds [][2]int) bool {
	for d, ax := range a.Layout.Axes {
		if ax.Lo != bounds[d][0] || ax.Hi != bounds[d][1] {
			return false
		}
	}
	return true
}

// rebound gives the array these bounds, and new memory.
func (a *Array[T]) rebound(bounds [][2]int) {
	axes := a.Layout.Axes
	m := dist.Map{Axes: slices.Clone(axes)}
	for d, b := range bounds {
		m.Axes[d].Lo, m.Axes[d].Hi = b[0], b[1]
	}
	a.relay(dist.NewLayout(m, a.Layout.Shape))
}

// Extend gives a replicated array more elements in its last dimension. Those that it had keep
// their values. It returns the new ones.
func (a *Array[T]) Extend(bounds ...[2]int) []T {
	if a.bounded(bounds) {
		return nil
	}
	old := a.Data
	a.Data = nil // so that its memory is given to nothing else
	a.rebound(bounds)
	copy(a.Data, old)
	vacate(a.pe, old)
	return a.Data[min(len(old), len(a.Data)):]
}

// renew makes the elements undefined in check builds.
func (a *Array[T]) renew() {
	if a.pe.prog.Check {
		undefine(a.Data)
	}
}

// relay gives the array another layout.
func (a *Array[T]) relay(l *dist.Layout) {
	a.fold = nil
	a.lay(l, makePieces(l, a.shadow, int(unsafe.Sizeof(*new(T)))))
}

// Free takes the memory of a replicated array.
func (a *Array[T]) Free() {
	none := make([][2]int, a.Layout.Rank())
	for d := range none {
		none[d] = [2]int{1, 0}
	}
	a.Resize(none...)
}
