package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// element is how a reference that moves with the loop is addressed.
func (v *vectorLoop) element(r *ir.Ref) (leafRef, bool) {
	f, ok := v.refs[r]
	f = v.shifted(f)
	switch {
	case !ok:
		v.no("%s has a subscript that is not affine", ir.ExprString(r))
		return f, false
	case !uses(f, v.loop.Index.Name):
		v.no("%s is the same element in all iterations", ir.ExprString(r))
		return f, false
	}
	if v.stride(f) == 1 {
		return f, true
	}
	acc := v.leaf.g.access(r)
	if r.Sym.Type == ir.Logical || v.jam != nil && v.jam.windows != nil || f.conditional && acc != nil && acc.Mode == comm.Temp && v.stride(f) != 0 {
		v.no("%s does not go through consecutive elements", ir.ExprString(r))
		return f, false
	}
	return f, true
}

// mostStride is the largest stride that is part of a kernel; others are passed to it.
const mostStride = 1 << 12

// stride is how far the elements of a reference that moves are apart in storage in two
// iterations; 0 if that is known when the program runs.
func (v *vectorLoop) stride(f leafRef) int {
	l := v.leaf
	for _, s := range f.subs[1:] {
		if s.Uses(l.d.Index.Name) {
			return 0
		}
	}
	if l.unit(f) {
		return 1
	}
	by := f.subs[0].Coef(l.d.Index.Name) * int64(l.step)
	if !v.shifts(f) || !l.steady() || max(by, -by) > mostStride {
		return 0
	}
	return int(by)
}

// steady reports whether the iterations of this PE are as far apart as those of the loop.
func (l *leaf) steady() bool {
	return !slices.ContainsFunc(l.part, func(c comm.Constraint) bool {
		return c.Axis < 0 || c.Array.Mapping == nil || !c.Array.Mapping.Map.Axes[c.Axis].Format.IsBlock()
	})
}

// shifts reports whether an element whose first subscript is larger by 1 is the next in
// storage.
func (v *vectorLoop) shifts(f leafRef) bool {
	if acc := v.leaf.g.access(f.ref); acc != nil && acc.Mode == comm.Temp {
		return false
	}
	m := v.leaf.g.mapping(f.ref)
	return m == nil || m.Map.Axes[0].Grid < 0 || m.Map.Axes[0].Format.IsBlock()
}

// column is the reference to the element in a place's column from which streams that are
// shifted against each other begin, and how far behind it f is. Conditional references
// have streams of their own.
func (v *vectorLoop) column(f leafRef) (base leafRef, off int) {
	if f.conditional || !v.shifts(f) {
		return f, 0
	}
	near := crowd{base: f, strides: v.nearStrides(f)}
	for _, other := range v.all {
		if other.object != f.object || other.conditional || len(other.subs) != len(f.subs) || !v.shifts(other) {
			continue
		}
		for c := range v.copies() {
			if other := v.shiftedTo(other, c); near.before(other) {
				near.base = other
			}
		}
	}
	off, _ = near.distance(f)
	return near.base, off
}

// smallTable is the number of elements of an array that is one stream whatever its columns.
const smallTable = 1024

// nearStrides are the distances along the axes in which streams of one object are shifted
// against each other: along the first one, and in small arrays that the loop only reads.
func (v *vectorLoop) nearStrides(f leafRef) []int {
	sym := f.ref.Sym
	if sym.Mapping != nil || sym.Type.IsComplex() || v.leaf.writes[f.object] || f.object != v.leaf.g.names.sym(sym) || v.jam != nil && v.jam.windows != nil || v.stride(f) != 1 {
		return []int{1}
	}
	size := 1
	for _, b := range sym.Dims {
		size = min(size*b.Extent(), smallTable+1)
	}
	if strides := v.leaf.g.knownStrides(sym); len(strides) == len(sym.Dims) && size <= smallTable {
		return strides
	}
	return []int{1}
}

// stream finds or makes the stream of a reference, and how many elements behind its
// beginning the reference is.
func (v *vectorLoop) stream(f leafRef) (stream, off int, ok bool) {
	t, known := vectorType(f.ref.Sym.Type.Part())
	if !known {
		v.no("%s is %s", ir.ExprString(f.ref), f.ref.Sym.Type)
		return 0, 0, false
	}
	base, off := v.column(f)
	stride := v.stride(base)
	if f.ref.Sym.Type.IsComplex() {
		if v.jam != nil && v.jam.windows != nil {
			v.no("%s does not go through consecutive elements", ir.ExprString(f.ref))
			return 0, 0, false
		}
		stride *= 2
	}
	if i := v.streamOf(f); i >= 0 {
		v.use(i)
		return i, off, true
	}
	v.streams = append(v.streams, vectorStream{leafRef: base, widest: v.copy})
	i := v.k.Stream(fmt.Sprintf("x%d", len(v.streams)), t)
	v.k.Streams[i].Masked = f.conditional
	v.k.Streams[i].Stride = stride
	return i, off, true
}

// param makes a parameter that an expression gives, or text.
func (v *vectorLoop) param(t kernel.Type, key string, p vectorParam) *kernel.Node {
	if n := v.by[key]; n != nil {
		return n
	}
	v.params = append(v.params, p)
	n := v.k.Scalar(fmt.Sprintf("c%d", len(v.params)), t)
	v.by[key] = n
	return n
}

// fixed reports whether e has one value in all iterations.
func (v *vectorLoop) fixed(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var:
			ok = ok && e.Sym != v.loop.Index && !v.leaf.varies[e.Sym]
		case *ir.Ref:
			if acc := v.leaf.g.access(e); acc != nil && acc.Mode == comm.Walk {
				ok = false
				break
			}
			f, linear := v.refs[e]
			ok = ok && linear && v.elements[v.shifted(f).place()] == nil
			for _, s := range f.subs {
				ok = ok && !s.Uses(v.loop.Index.Name)
			}
		case *ir.CoRef, *ir.ImpliedDo:
			ok = false
		}
		return ok
	})
	return ok
}

// early reports whether e, which is fixed, may be evaluated before the loop though some
// iterations, or all, may not evaluate it.
func (v *vectorLoop) early(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Ref:
			ok = ok && (!v.refs[x].conditional || v.exists(x))
		case *ir.Bin:
			ok = ok && !(x.Typ.IsInteger() && (x.Op == ir.Div || x.Op == ir.Pow))
		case *ir.Call:
			ok = ok && !(x.Typ.IsInteger() && (x.Name == "mod" || x.Name == "modulo"))
		}
		return ok
	})
	return ok
}

// independent checks that no iteration reads what an earlier one has written, and that
// elements under two names are not the same.
func (v *vectorLoop) independent() {
	for _, key := range v.order {
		s := v.store[key]
		w := s.f
		if v.tableOf(w.object) >= 0 {
			v.no("%s may be an element that another subscript picks", ir.ExprString(w.ref))
			return
		}
		if acc := v.leaf.g.access(w.ref); acc != nil && acc.Mode == comm.Temp {
			v.no("%s is in a temporary", ir.ExprString(w.ref))
			return
		}
		for _, other := range v.order {
			o := v.store[other].f
			if other != key && o.object == w.object && !(v.never(w, o) && v.never(o, w) && v.apart(w, o)) {
				v.no("%s and %s may be one element", ir.ExprString(w.ref), ir.ExprString(o.ref))
				return
			}
		}
		for _, r := range v.reads {
			if r.f.object != w.object || r.f.at(w) {
				continue
			}
			if v.jam != nil && !v.apart(w, r.f) && !(r.copy == s.copy && v.jam.moves(w) && v.never(w, r.f)) {
				v.no("%s may be %s in another iteration of the loop around", ir.ExprString(r.f.ref), ir.ExprString(w.ref))
				return
			}
			moves := uses(r.f, v.loop.Index.Name)
			switch no := v.never(w, r.f); {
			case !moves && no && v.never(r.f, w):
			case !moves && v.crosses(w, r.f):
				v.cross(w, r.f)
			case !moves:
				v.no("%s may be %s of some iteration", ir.ExprString(r.f.ref), ir.ExprString(w.ref))
				return
			case no:
				v.together(s.stream, v.readStream(r))
			case r.after && !isLeaf(v.loop.Body) || r.f.conditional || w.conditional || !v.maybe(w, r.f) || w.ref.Sym.Type.IsComplex() || v.complexSums() || v.stride(w) != 1 || v.stride(r.f) != 1:
				v.waits = w.ref.Sym.Type.Part().IsReal()
				v.no("%s may be %s of an earlier iteration", ir.ExprString(r.f.ref), ir.ExprString(w.ref))
				return
			default:
				v.ordered = v.ordered || r.after
				v.test(s.stream, v.readStream(r))
			}
		}
	}
}

// uses reports whether an index is in the subscripts of a reference.
func uses(f leafRef, index string) bool {
	return slices.ContainsFunc(f.subs, func(s linalg.Affine) bool { return s.Uses(index) })
}

// crosses reports whether an element that does not move can be that of one iteration
// alone, which stores it: a loop is then two, with the new value in the second.
func (v *vectorLoop) crosses(w, r leafRef) bool {
	if v.jam != nil || len(v.leaf.g.walksOf(v.loop, v.region)) > 0 || v.leaf.step <= 0 || len(v.sums) > 0 || w.conditional || r.conditional || !v.shifts(w) || len(v.store) > 1 || len(w.subs) != len(r.subs) {
		return false
	}
	for d := 1; d < len(w.subs); d++ {
		if !w.subs[d].Equal(r.subs[d]) {
			return false
		}
	}
	c := w.subs[0].Coef(v.loop.Index.Name)
	return c == 1 || c == -1
}

// cross notes such an element.
func (v *vectorLoop) cross(w, r leafRef) {
	for _, have := range v.crossing {
		if have.at(r) {
			return
		}
	}
	v.crossed = w
	v.crossing = append(v.crossing, r)
}

// access describes a reference for the dependence tests: it moves with this loop alone.
func (v *vectorLoop) access(f leafRef, order int) depend.Access {
	a := depend.Access{Loops: []depend.Loop{v.allIterations()}, Order: order}
	a.Guard = append(a.Guard, v.ranges...)
	if v.jam != nil {
		for _, l := range v.jam.loops {
			a.Guard = append(a.Guard, l.guards...)
		}
	}
	for i := range f.subs {
		a.Subs = append(a.Subs, &f.subs[i])
	}
	if v.jam != nil || v.nested || v.flat != nil || len(f.conds) == 0 {
		return a // of copies the conditions are others
	}
	return v.leaf.g.prog.Info.Under(a, f.conds, scalar.Naming{
		Affine: v.leaf.g.prog.Affine,
		Varies: func(name string) bool { return v.leaf.varies[v.leaf.g.symbols[name]] },
	})
}

// dependLoop describes a loop for the dependence tests.
func (g *gen) dependLoop(d *ir.Do) depend.Loop {
	b := g.prog.Info.Bounds(d)
	loop := depend.Loop{Index: d.Index.Name, Step: b.Step}
	if b.Step == 0 && b.ByOK {
		loop.By = &b.By
	}
	if b.LoOK {
		loop.Lo = []linalg.Affine{b.Lo}
	}
	if b.HiOK {
		loop.Hi = []linalg.Affine{b.Hi}
	}
	return loop
}

// depends asks whether an iteration touches with y what x touches in it or before, if this
// loop is common to both, or in any two iterations. What is known of the values that scalars
// have together in front of the loops tells planes of an array apart.
func (v *vectorLoop) depends(x, y leafRef, common int) depend.Result {
	a, b := v.access(x, 0), v.access(y, 1)
	return depend.DependsIn(v.cases(a, b), a, b, common, 0)
}

// cases are the values that the parameters of two accesses have together in all iterations.
func (v *vectorLoop) cases(a, b depend.Access) [][]linalg.Affine {
	names := depend.Parameters(a, b)
	if names == nil {
		return nil
	}
	scope := v.loop
	if v.jam != nil && len(v.jam.loops) > 0 {
		scope = v.jam.loops[0].do
	}
	for sym := range v.leaf.g.prog.Modified(scope) {
		if slices.Contains(names, sym.Name) {
			return nil
		}
	}
	return v.leaf.g.prog.Info.Cases(scope, names)
}

// never reports whether no element that x touches is touched by y in the same or a later
// iteration.
func (v *vectorLoop) never(x, y leafRef) bool {
	return v.depends(x, y, 1).Answer == depend.No
}

// apart reports whether x and y are different elements in all iterations of this loop, of
// whichever iterations at once of the loop around.
func (v *vectorLoop) apart(x, y leafRef) bool {
	return v.jam == nil || v.depends(x, y, 0).Answer == depend.No
}

// maybe reports whether the run time may find that never holds: the dependence does not
// hold for all values.
func (v *vectorLoop) maybe(x, y leafRef) bool {
	r := v.depends(x, y, 1)
	if r.Answer == depend.Yes && r.Certain {
		return false
	}
	// Only subscripts of other axes can keep them apart.
	for d := range x.subs {
		if d > 0 && !x.subs[d].Equal(y.subs[d]) {
			return true
		}
	}
	return false
}

// streamOf is the stream of a place.
func (v *vectorLoop) streamOf(f leafRef) int {
	base, _ := v.column(f)
	for i, s := range v.streams {
		if s.local == nil && !s.table && s.conditional == f.conditional && s.at(base) {
			return i
		}
	}
	return -1
}

// readStream is the stream of what r reads, -1 where it has none.
func (v *vectorLoop) readStream(r vectorRead) int {
	if r.stream < 0 {
		return v.streamOf(r.f)
	}
	return r.stream
}

// together puts stream a, which is stored, and b, which is loaded from the same array, in one
// group: a later iteration may overwrite what an earlier one reads.
func (v *vectorLoop) together(a, b int) {
	if a < 0 || b < 0 {
		return
	}
	from, to := v.k.Streams[b].Group, v.k.Streams[a].Group
	for i := range v.k.Streams {
		if v.k.Streams[i].Group == from {
			v.k.Streams[i].Group = to
		}
	}
}

// test leaves to the run time whether the kernel may be used.
func (v *vectorLoop) test(a, b int) {
	v.together(a, b)
	for _, t := range v.tests {
		if t.a == a && t.b == b {
			return
		}
	}
	v.tests = append(v.tests, vectorTest{a, b})
}

// findRow decides what gives the row of an iteration, to which partial sum it belongs.
func (v *vectorLoop) findRow() {
	if !v.interleaved() || v.why != "" {
		return
	}
	l := v.leaf
	if l.step == 0 {
		v.no("its step is not constant")
		return
	}
	if len(l.part) > 0 {
		c := l.part[0]
		if c.Axis >= 0 {
			if c.Sub.Coef(v.loop.Index.Name)*sign(l.step) == 1 && abs(l.step) == 1 {
				v.row = &c
				return
			}
			if !l.steady() {
				v.no("its sums go against the order of the rows")
				return
			}
		}
	}
	if abs(l.step) != 1 {
		if !l.steady() {
			v.no("its sums leave out rows")
		}
		return
	}
	for i, s := range v.streams {
		if s.local != nil || s.table || s.conditional || v.k.Streams[i].Stride != 1 {
			continue
		}
		acc := l.g.access(s.ref)
		if acc == nil || acc.Mode == comm.Own {
			v.rowOf, v.rowSub = s.object, s.subs[0]
			return
		}
	}
}
