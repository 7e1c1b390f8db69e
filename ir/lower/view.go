package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// shape is what is known of an array argument in a procedure: lower bounds and
// extents, as expressions over what the program has at the call.
type shape struct{ lo, n []ir.Expr }

// view makes elements of a dummy argument elements of the array that is the
// actual argument: subscript d of base is subs[d].
type view struct {
	base *ir.Symbol
	subs []viewSub
}

// viewSub is coef*i + off, where i is subscript dim of the dummy argument; dim is
// -1 for a subscript that is off, without a coef. With vec, which is a vector, it is
// coef*vec(i) + off.
//
// Where storage is shared, or an array has another shape in a procedure, several subscripts
// make one: more are the others, each of which adds coef*i.
type viewSub struct {
	dim       int
	coef, off ir.Expr
	vec       *argument
	limit     int // the largest extent of dim, where it is not that of the dimension of base
	more      []viewTerm
}

// viewTerm is coef*i, or coef*vec(i), where i is subscript dim.
type viewTerm struct {
	dim   int
	coef  ir.Expr
	vec   *argument
	limit int
}

// terms are what depends on subscripts in s.
func (s *viewSub) terms() []viewTerm {
	if s.dim < 0 {
		return nil
	}
	return append([]viewTerm{{s.dim, s.coef, s.vec, s.limit}}, s.more...)
}

// add adds t to s.
func (s *viewSub) add(t viewTerm) {
	if s.dim >= 0 {
		s.more = append(s.more, t)
		return
	}
	s.dim, s.coef, s.vec, s.limit = t.dim, t.coef, t.vec, t.limit
}

// renumbered is v, where dimension dim of what it shows is dimension to(dim).
func (v *view) renumbered(to func(dim int) int) *view {
	out := &view{base: v.base, subs: slices.Clone(v.subs)}
	for i := range out.subs {
		s := &out.subs[i]
		terms := s.terms()
		s.dim, s.more = -1, nil
		for _, t := range terms {
			t.dim = to(t.dim)
			s.add(t)
		}
	}
	return out
}

// wholeView is s as a view of itself.
func (l *lowerer) wholeView(s *ir.Symbol, pos source.Pos) (*view, *shape) {
	if v := l.views[s]; v != nil {
		return v, l.shapes[s]
	}
	v, sh := &view{base: s}, &shape{}
	for d, b := range s.Dims {
		v.subs = append(v.subs, viewSub{dim: d, coef: l.intConst(1, pos), off: l.intConst(0, pos)})
		sh.lo = append(sh.lo, l.intConst(b.Lo, pos))
		sh.n = append(sh.n, l.intConst(b.Extent(), pos))
	}
	return v, sh
}

// through makes of a view of an array, whose dimension k has the elements
// subs[k], a view of what that array is a view of.
func (l *lowerer) through(v *view, subs []viewSub, pos source.Pos) *view {
	out := &view{base: v.base}
	for _, s := range v.subs {
		through := viewSub{dim: -1, off: s.off}
		for _, t := range s.terms() {
			in := subs[t.dim]
			if t.vec != nil {
				in = l.throughVector(t, in, pos)
				through.off = l.plus(in.off, through.off, pos)
			} else {
				through.off = l.plus(l.times(t.coef, in.off, pos), through.off, pos)
			}
			for _, x := range in.terms() {
				if t.vec == nil {
					x.coef = l.times(t.coef, x.coef, pos)
				}
				if x.limit == 0 {
					x.limit = t.limit
				}
				through.add(x)
			}
		}
		out.subs = append(out.subs, through)
	}
	return out
}

// throughVector is through of a subscript that is a vector, whose own offset is left to the
// caller.
func (l *lowerer) throughVector(s viewTerm, in viewSub, pos source.Pos) viewSub {
	if in.dim < 0 {
		at := &elemental{n: s.vec.shape.n, place: []ir.Expr{ir.Clone(in.off)}}
		return viewSub{dim: -1, off: l.times(s.coef, l.elementOf(s.vec, at, pos), pos)}
	}
	// Element i of the new vector is element coef*i + off of the old one.
	inner := viewSub{dim: 0, coef: in.coef, off: in.off, vec: in.vec}
	vec := &argument{pos: s.vec.pos, typ: s.vec.typ, name: s.vec.name, view: l.through(s.vec.view, []viewSub{inner}, pos),
		shape: &shape{lo: []ir.Expr{l.intConst(1, pos)}, n: s.vec.shape.n}}
	return viewSub{dim: in.dim, coef: s.coef, off: l.intConst(0, pos), vec: vec}
}

// viewed is element r of the dummy argument with view v.
func (l *lowerer) viewed(v *view, r *ir.Ref) *ir.Ref {
	out := &ir.Ref{X: r.X, Sym: v.base}
	for _, s := range v.subs {
		x := ir.Clone(s.off)
		for _, t := range s.terms() {
			at := r.Subs[t.dim]
			if t.vec != nil {
				at = l.elementOf(t.vec, &elemental{n: t.vec.shape.n, place: []ir.Expr{at}}, r.Pos)
			}
			x = l.plus(l.times(t.coef, at, r.Pos), x, r.Pos)
		}
		out.Subs = append(out.Subs, x)
	}
	return out
}

// times is a copy of k, times x, and plus x+y, folded; a sum with a negative constant
// is a difference.
func (l *lowerer) times(k, x ir.Expr, pos source.Pos) ir.Expr {
	if isOne(k) {
		return x
	}
	if isOne(x) {
		return ir.Clone(k)
	}
	return l.arith(ir.Mul, ir.Clone(k), x, pos)
}

func isOne(e ir.Expr) bool {
	n, ok := constOf(e)
	return ok && n == 1
}

// arith is x op y for subscripts and extents, in the larger of their types; constants
// get the type that they need.
func (l *lowerer) arith(op ir.Op, x, y ir.Expr, pos source.Pos) ir.Expr {
	if isBad(x, y) {
		return bad(pos)
	}
	t := max(x.Type(), y.Type())
	_, okX := x.(*ir.Const)
	_, okY := y.(*ir.Const)
	if okX && okY {
		t = ir.Long
	}
	z := l.foldBinary(&ir.Bin{X: ir.X{Pos: pos, Typ: t}, Op: op, L: l.convert(x, t), R: l.convert(y, t)}, pos)
	if c, ok := z.(*ir.Const); ok && !isBad(c) {
		return l.intConst(c.Int, pos)
	}
	return z
}

func (l *lowerer) plus(x, y ir.Expr, pos source.Pos) ir.Expr {
	if _, ok := x.(*ir.Const); ok {
		x, y = y, x
	}
	c, ok := y.(*ir.Const)
	if !ok {
		return l.arith(ir.Add, x, y, pos)
	}
	k := c.Int
	if of, n := offset(x); of != nil { // i + 1 - 1 is i
		x, k = of, n+k
	}
	switch {
	case k == 0:
		return x
	case k < 0:
		return l.arith(ir.Sub, x, l.intConst(-k, pos), pos)
	}
	return l.arith(ir.Add, x, l.intConst(k, pos), pos)
}

// minus is x-y, as plus; a difference with the same variable part on both sides is
// a constant.
func (l *lowerer) minus(x, y ir.Expr, pos source.Pos) ir.Expr {
	if c, ok := y.(*ir.Const); ok {
		return l.plus(x, l.intConst(-c.Int, pos), pos)
	}
	a, m := offset(x)
	if b, n := offset(y); a != nil && b != nil && ir.Same(a, b) {
		return l.intConst(m-n, pos)
	}
	return l.arith(ir.Sub, x, y, pos)
}

// extentOf is max(0, hi-lo+1).
func (l *lowerer) extentOf(lo, hi ir.Expr, pos source.Pos) ir.Expr {
	n := l.plus(l.minus(ir.Clone(hi), ir.Clone(lo), pos), l.intConst(1, pos), pos)
	return l.atLeast0(n, pos)
}

func (l *lowerer) atLeast0(n ir.Expr, pos source.Pos) ir.Expr {
	if isBad(n) {
		return n
	}
	t := n.Type()
	return l.foldCall(&ir.Call{X: ir.X{Pos: pos, Typ: t}, Name: "max", Args: []ir.Expr{intConstOf(t, 0, pos), n}})
}

func constOf(e ir.Expr) (int, bool) {
	c, ok := e.(*ir.Const)
	if !ok {
		return 0, false
	}
	return c.Int, true
}

// local makes a variable for what a call needs. Later passes treat it as one of
// the source.
func (l *lowerer) local(base string, t ir.Type, pos source.Pos) *ir.Symbol {
	s := &ir.Symbol{Name: l.unique(l.scope.unit.Name + "_" + base), Pos: pos, Type: t, Site: l.scope.site}
	l.prog.Symbols = append(l.prog.Symbols, s)
	return s
}

// fixed returns e as an expression that keeps its value: e itself when nothing
// that the procedure may do changes it, else a variable that is set to it.
func (l *lowerer) fixed(e ir.Expr, base string, pos source.Pos, pre *[]ir.Stmt) ir.Expr {
	stable := true
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Var:
			_, active := l.active[x.Sym]
			stable = stable && (active || l.steady || l.captured[x.Sym])
		case *ir.Ref, *ir.CoRef, *ir.Substr:
			stable = false
		}
		return stable
	})
	if stable {
		return e
	}
	t := l.local(base, e.Type(), pos)
	if t.Type == ir.Character {
		t.Len = l.charLen(e)
	}
	l.captured[t] = true
	v := func() ir.Expr { return &ir.Var{X: ir.X{Pos: pos, Typ: t.Type}, Sym: t} }
	*pre = append(*pre, &ir.Assign{S: ir.S{Pos: pos}, LHS: v(), RHS: e})
	return v()
}
