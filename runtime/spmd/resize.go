package spmd

import (
	"slices"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/dist"
)

// Resize gives a replicated array other bounds, those of each dimension. What its elements
// were is lost, but where the bounds are the same as before the memory is too.
func (a *Array[T]) Resize(bounds ...[2]int) {
	axes := a.Layout.Axes
	same := len(axes) == len(bounds)
	for d := range bounds {
		same = same && axes[d].Lo == bounds[d][0] && axes[d].Hi == bounds[d][1]
	}
	if same {
		a.renew()
		return
	}
	m := dist.Map{Axes: slices.Clone(axes)}
	for d, b := range bounds {
		m.Axes[d].Lo, m.Axes[d].Hi = b[0], b[1]
	}
	a.relay(dist.NewLayout(m, a.Layout.Shape))
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
