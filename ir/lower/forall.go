package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// ownIndices gives the indices of a FORALL or DO CONCURRENT variables of their own, which
// its statements mean by their names, until end is called. The variables outside keep
// their values.
func (l *lowerer) ownIndices(list []ast.ForallIndex) (own []*ir.Symbol, end func()) {
	names := l.names
	outer := map[string]*ir.Symbol{}
	for _, x := range list {
		var s *ir.Symbol
		if of := l.symbol(x.Var.Name, x.Var.Pos); of.Type.IsInteger() && !of.IsArray() && !of.Param {
			s = l.local(x.Var.Name, of.Type, x.Var.Pos)
			s.Local = x.Var.Name
		} else if of.Type != ir.Invalid {
			l.errorf(codeLoop, x.Var.Pos, "index %s is no INTEGER variable", of.Source()).WithNote(of.Pos, "%s was declared here", of.Source())
		}
		own = append(own, s)
	}
	for i, x := range list {
		if own[i] != nil {
			outer[x.Var.Name] = names[x.Var.Name]
			names[x.Var.Name] = own[i]
		}
	}
	return own, func() {
		for i, x := range list {
			if own[i] == nil {
				continue
			}
			if s := outer[x.Var.Name]; s != nil {
				names[x.Var.Name] = s
			} else {
				delete(names, x.Var.Name)
			}
		}
	}
}

// concurrent lowers DO CONCURRENT: a nest of DO loops that are independent.
func (l *lowerer) concurrent(s *ast.Forall) []ir.Stmt {
	_, end := l.ownIndices(s.Indices)
	defer end()
	ind := &ast.Independent{Base: ast.Base{Pos: s.Pos}, New: s.Local}
	for _, r := range s.Reduce {
		ind.Reduction = append(ind.Reduction, r.Name)
	}
	body := s.Body
	if s.Mask != nil {
		body = []ast.Stmt{&ast.If{Base: s.Base, Arms: []ast.IfArm{{Pos: s.Pos, Cond: s.Mask, Body: body}}, EndPos: s.EndPos}}
	}
	var nest *ast.Do
	for i, x := range s.Indices { // the first index is innermost, as the first subscript is most often
		d := &ast.Do{Base: s.Base, Var: x.Var, Lo: x.Lo, Hi: x.Hi, Step: x.Step, Body: body, EndPos: s.EndPos}
		if i == 0 {
			d.Name = s.Name
		}
		nest, body = d, []ast.Stmt{d}
		ind.Loops = append(ind.Loops, x.Var)
	}
	l.pending = nil
	if !l.prog.SPMD {
		l.pending = ind
	}
	return l.do(nest)
}

// forallNest is what the loops around an assignment of FORALL are made of.
type forallNest struct {
	index        []*ir.Symbol
	lo, hi, step []ir.Expr
	mask         ir.Expr // or nil
}

// forall lowers FORALL: loops around each of its assignments. Where an assignment
// changes what it reads for other indices, the values go to an array of their own
// first.
func (l *lowerer) forall(s *ast.Forall, around forallNest) []ir.Stmt {
	nest := around
	var out []ir.Stmt
	ok := true
	bounds := func(e ast.Expr, what string) ir.Expr {
		x := l.integer(e, what)
		ok = ok && !isBad(x)
		return x
	}
	header := slices.Clone(s.Indices) // outermost first, and the first subscript is most often that of the innermost loop
	slices.Reverse(header)
	for _, x := range header {
		nest.lo = append(slices.Clip(nest.lo), bounds(x.Lo, "the first value of an index"))
		nest.hi = append(slices.Clip(nest.hi), bounds(x.Hi, "the last value of an index"))
		nest.step = append(slices.Clip(nest.step), l.step(x.Step, x.Var.Pos))
	}
	own, end := l.ownIndices(header)
	defer end()
	nest.index = append(slices.Clip(nest.index), own...)
	if !ok || slices.Contains(own, nil) || isBad(nest.step...) {
		return nil
	}
	for i, x := range own {
		l.active[x] = header[i].Var.Pos
		defer delete(l.active, x)
	}
	if s.Mask != nil {
		before := l.functions(func() {
			m := l.logical(s.Mask, "the mask of FORALL")
			if ok = !isBad(m); ok && nest.mask != nil {
				m = &ir.Bin{X: ir.X{Pos: m.Position(), Typ: ir.Logical}, Op: ir.And, L: ir.Clone(nest.mask), R: m}
			}
			nest.mask = m
		})
		if !ok || l.noFunction(before, s.Mask.Position()) {
			return nil
		}
	}
	var changed []*ir.Symbol
	for _, inner := range s.Body {
		switch inner := inner.(type) {
		case *ast.Assign:
			out = append(out, l.forallAssign(nest, inner, &changed)...)
		case *ast.Forall:
			if inner.Concurrent || len(s.Body) > 1 {
				l.errorf(codeOutside, inner.Pos, "this FORALL must be the only statement of the one around it").WithHelp("write two FORALL constructs side by side")
				return nil
			}
			return append(out, l.forall(inner, nest)...)
		default:
			l.errorf(codeOutside, inner.Position(), "only assignments and FORALL are supported in a FORALL construct").
				WithHelp("write DO loops; an IF in them instead of WHERE")
			return nil
		}
	}
	return out
}

// noFunction reports functions, and reductions of arrays, in what is lowered for each
// value of the indices of a FORALL.
func (l *lowerer) noFunction(before []ir.Stmt, pos source.Pos) bool {
	if len(before) == 0 {
		return false
	}
	l.errorf(codeOutside, pos, "a function or a reduction of an array cannot be referred to in a FORALL").
		WithHelp("write DO loops, or put the values into an array in front of it")
	return true
}

// forallAssign lowers one assignment of a FORALL; changed are the arrays that those
// before it assign to.
func (l *lowerer) forallAssign(nest forallNest, s *ast.Assign, changed *[]*ir.Symbol) []ir.Stmt {
	var pre []ir.Stmt // inside the loops
	var ctx *elemental
	var a *ir.Assign
	before := l.functions(func() {
		if l.isPart(s.LHS) {
			if to := l.part(s.LHS, &pre); to != nil {
				ctx = l.elements(to.shape.n, to.pos, &pre)
				a = l.assignAt(ctx, s)
			}
			return
		}
		rhs, lhs := l.expr(s.RHS), l.target(s.LHS)
		if isBad(rhs, lhs) || !l.assignable(lhs.Type(), rhs, ir.ExprString(lhs)) {
			return
		}
		if _, ok := lhs.(*ir.Ref); !ok {
			l.errorf(codeType, s.LHS.Position(), "what FORALL assigns to must be an element or a section of an array")
			return
		}
		if rhs = l.convert(rhs, lhs.Type()); !isBad(rhs) {
			a = &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: lhs, RHS: rhs}
		}
	})
	if a == nil || l.noFunction(before, s.Pos) {
		return nil
	}
	lhs := a.LHS.(*ir.Ref)
	if len(pre) > 0 {
		l.errorf(codeOutside, s.Pos, "the bounds or the shapes of these sections are not known before the FORALL runs").WithHelp("write DO loops")
		return nil
	}
	around := func(a *ir.Assign) ir.Stmt {
		var st ir.Stmt = a
		if ctx != nil {
			st = l.nest(ctx, a, s.Pos)
		}
		if nest.mask != nil {
			st = &ir.If{S: a.S, Cond: ir.Clone(nest.mask), Then: one(st)}
		}
		for k, index := range slices.Backward(nest.index) {
			lo, hi, step := l.counted(index, ir.Clone(nest.lo[k]), ir.Clone(nest.hi[k]), ir.Clone(nest.step[k]))
			st = &ir.Do{S: a.S, Index: index, Lo: lo, Hi: hi, Step: step, Body: one(st), End: a.Pos}
		}
		return st
	}
	staged := overlaps(lhs, a.RHS) || ctx != nil && ctx.overlaps(lhs, a.RHS)
	bounds := slices.Concat(nest.lo, nest.hi, nest.step)
	unsafe := reads(bounds, lhs.Sym) || reads(lhs.Subs, lhs.Sym) || nest.mask != nil && (overlaps(lhs, nest.mask) || staged && reads([]ir.Expr{nest.mask}, lhs.Sym))
	for _, c := range *changed {
		unsafe = unsafe || reads(bounds, c) || nest.mask != nil && reads([]ir.Expr{nest.mask}, c)
	}
	if unsafe {
		l.errorf(codeOutside, s.Pos, "FORALL changes what its bounds, its mask or the subscripts on the left read").
			WithHelp("put their values into an array in front of it")
		return nil
	}
	*changed = append(*changed, lhs.Sym)
	if !staged {
		return one(around(a))
	}
	var out []ir.Stmt
	t := l.besideElement(lhs, &out)
	return append(out, around(&ir.Assign{S: a.S, LHS: t, RHS: a.RHS}), around(&ir.Assign{S: a.S, LHS: lhs, RHS: ir.Clone(t)}))
}

// reads reports whether an array is read in one of the expressions.
func reads(list []ir.Expr, s *ir.Symbol) bool {
	found := false
	for _, e := range list {
		ir.WalkExpr(e, func(x ir.Expr) bool {
			r, ok := x.(*ir.Ref)
			found = found || ok && r.Sym == s
			return !found
		})
	}
	return found
}
