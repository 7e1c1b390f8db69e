package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Not all iterations of a loop need be one call of its kernel. In
//
//	do i = 1, n
//	   if (i > d) b(i) = a(i-d)
//	end do
//
// those up to d touch no element of a, which has none for them; the others are a call.

// cuts renders the iterations behind which others begin to read what one has stored, or
// elements that exist, or to read some that do not; "" for none.
func (v *vectorLoop) cuts(g *gen) string {
	var list []string
	for _, r := range v.crossing {
		index := v.loop.Index.Name
		w := v.crossed.subs[0]
		from, ok1 := w.Subst(index, linalg.Const(0))
		at, ok2 := r.subs[0].Sub(from)
		at, ok3 := at.Scale(w.Coef(index)) // which is 1 or -1
		if !ok1 || !ok2 || !ok3 {
			panic("codegen: a subscript is too large")
		}
		list = append(list, g.affine(at))
	}
	strip := slices.ContainsFunc(v.streams, func(s vectorStream) bool { return s.local != nil })
	for i, st := range v.streams {
		if v.k.Streams[i].Masked && !strip && v.jam == nil && v.leaf.step > 0 && v.leaves(st.leafRef) {
			rest, _ := st.subs[0].Subst(v.loop.Index.Name, linalg.Const(0))
			form := "%s.%s(0)-(%s)"
			if st.subs[0].Coef(v.loop.Index.Name) < 0 { // it reads the last element first
				form = "-1-%s.%s(0)+(%s)"
			}
			for _, end := range []string{"Before", "Last"} {
				list = append(list, fmt.Sprintf(form, st.object, end, g.affine(rest)))
			}
		}
	}
	return strings.Join(list, ", ")
}

// leaves reports whether a reference under a condition, whose first subscript goes up or down
// with the loop's index, may leave the bounds of its array where the condition does not hold: the
// iterations in which it does not are kernels nevertheless.
func (v *vectorLoop) leaves(f leafRef) bool {
	index := v.loop.Index.Name
	if by := f.subs[0].Coef(index); by != 1 && by != -1 {
		return false
	}
	known := slices.Clone(v.ranges)
	b := v.leaf.g.prog.Info.Bounds(v.loop)
	if d, ok := linalg.Var(index).Sub(b.Lo); ok && b.LoOK {
		known = append(known, d)
	}
	if d, ok := b.Hi.Sub(linalg.Var(index)); ok && b.HiOK {
		known = append(known, d)
	}
	dim := f.ref.Sym.Dims[0]
	if dim.Open() {
		return true
	}
	below, ok1 := linalg.Const(int64(dim.Lo) - 1).Sub(f.subs[0])
	above, ok2 := f.subs[0].Sub(linalg.Const(int64(dim.Hi) + 1))
	return !ok1 || !ok2 || !depend.Infeasible(nil, append(known, below)) || !depend.Infeasible(nil, append(known, above))
}

// oneByOne emits the loop of a kernel in the order of the source, with its sums.
func (g *gen) oneByOne(v *vectorLoop) {
	for i, s := range v.sums {
		name := g.partialName(v, i)
		if !v.k.Reductions[i].Ordered {
			name += "[0]"
		}
		g.divide(v, s, func() string { return name })
	}
	l := g.newLeaf(v.loop, v.region)
	l.emit(l.refs(), v, v.region)
	for _, text := range l.after {
		g.out.p("%s", text)
	}
	for _, s := range v.sums {
		g.divide(v, s, nil)
	}
}
