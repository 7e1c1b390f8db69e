package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Arrays that hold a part of another one for a statement.

// near is the array or section e, brought to this image if it is one of another; nil
// after an error.
func (l *lowerer) near(e ast.Expr, pre *[]ir.Stmt) *argument {
	if co, ok := e.(*ast.CoIndex); ok {
		return l.fetched(co, pre)
	}
	return l.part(e, pre)
}

// fetched is a section of another image, brought to an array of this one.
func (l *lowerer) fetched(e *ast.CoIndex, pre *[]ir.Stmt) *argument {
	s, image := l.selector(e)
	if s == nil || isBad(image) {
		return nil
	}
	from := l.partThere(e, s, image, pre)
	if from == nil {
		return nil
	}
	t := l.arrayTemp(from, e.Pos, pre)
	if !from.isSection() {
		l.eachElsewhere(t, from, image, false, e.Pos, pre)
		return t
	}
	*pre = append(*pre, &ir.Transfer{S: ir.S{Pos: e.Pos}, Local: l.sectionOf(t), Remote: l.sectionOf(from), Image: image})
	return t
}

// beside makes an array with an element for each one of a, on the same PE.
func (l *lowerer) beside(a *argument, pos source.Pos, pre *[]ir.Stmt) *argument {
	base := a.view.base
	if base.Coarray {
		return l.arrayTemp(a, pos, pre)
	}
	t := l.local("part", a.typ, pos)
	t.Len = base.Len
	t.Dims = slices.Clone(base.Dims)
	if l.hasDirectives(base) {
		t.Local = base.Source()
		l.prog.HPF = append(l.prog.HPF, &ir.Directive{Pos: pos, Kind: ir.AlignDirective, Name: t.Name, NamePos: pos, Symbol: t, Target: base.Name, TargetPos: pos})
	}
	*pre = append(*pre, l.allocation(t)...)
	return &argument{pos: pos, typ: a.typ, name: a.name, view: &view{base: t, subs: a.view.subs}, shape: a.shape}
}

// allocation gives the new array t bounds and a place, if they are not known before run time: it is open,
// or aligned with what may be. Settle leaves it out where all ends turn out to be constant.
func (l *lowerer) allocation(t *ir.Symbol) []ir.Stmt {
	if len(l.prog.Ends) == 0 || !t.IsOpen() && !l.hasDirectives(t) {
		return nil
	}
	return one(&ir.Allocate{S: ir.S{Pos: t.Pos}, Sym: t})
}

// arrayTemp makes an array in which like has room: a section of it with the same
// extents. Its own extents are those of the dimensions that like is a part of.
func (l *lowerer) arrayTemp(like *argument, pos source.Pos, pre *[]ir.Stmt) *argument {
	t := l.local("part", like.typ, pos)
	t.Len = like.view.base.Len
	if like.view.base.IsOpen() {
		return l.openTemp(t, like, pos, pre)
	}
	v, sh := &view{base: t}, &shape{}
	t.Dims = make([]ir.Bound, len(like.shape.n))
	for d, s := range like.view.subs {
		for _, term := range s.terms() {
			n := like.view.base.Dims[d].Extent()
			if term.limit > 0 {
				n = term.limit
			}
			t.Dims[term.dim] = ir.Bound{Lo: 1, Hi: n}
		}
	}
	for k, n := range like.shape.n {
		v.subs = append(v.subs, viewSub{dim: k, coef: l.intConst(1, pos), off: l.intConst(0, pos)})
		sh.lo = append(sh.lo, l.intConst(1, pos))
		sh.n = append(sh.n, ir.Clone(n))
	}
	return &argument{pos: pos, typ: like.typ, name: like.name, view: v, shape: sh}
}

// openTemp is arrayTemp where like is a part of an array of which it is not known before run time how
// large it is: t is as large as the part.
func (l *lowerer) openTemp(t *ir.Symbol, like *argument, pos source.Pos, pre *[]ir.Stmt) *argument {
	lo := make([]ir.Expr, len(like.shape.n))
	for k := range lo {
		lo[k] = l.intConst(1, pos)
	}
	_, his := l.openArray(t, lo, pos)
	for k, n := range like.shape.n {
		*pre = append(*pre, l.setEnd(his[k], t, ir.Clone(n), pos)...)
	}
	*pre = append(*pre, &ir.Allocate{S: ir.S{Pos: pos}, Sym: t})
	return &argument{pos: pos, typ: like.typ, name: like.name, view: l.views[t], shape: l.shapes[t]}
}
