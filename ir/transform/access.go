package transform

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// occurrence is one array element that a part of a loop's body reads or writes.
type occurrence struct {
	ref         *ir.Ref
	stmt        ir.Stmt
	part        int       // which statement of the loop's body it belongs to
	loops       []ir.Stmt // around it, outermost of the program first
	write       bool
	conditional bool               // what conds does not say may skip it
	conds       []scalar.Condition // of the IFs and short-circuit operators of the loop
}

// occurrences lists the array elements in the body of loop.
func (a *Analysis) occurrences(loop *ir.Do) []occurrence {
	var list []occurrence
	var visit func(s ir.Stmt, part int, cond bool, conds []scalar.Condition)
	visit = func(s ir.Stmt, part int, cond bool, conds []scalar.Condition) {
		under := func(e ir.Expr, holds bool, conds []scalar.Condition) []scalar.Condition {
			return append(slices.Clip(conds), scalar.Condition{Cond: e, Holds: holds, Loops: len(a.around[s])})
		}
		add := func(e ir.Expr, write bool, conds []scalar.Condition) {
			loops := a.around[s]
			if w, ok := s.(*ir.While); ok { // its condition belongs to each iteration
				loops = append(loops[:len(loops):len(loops)], w)
			}
			list = append(list, occurrence{ref: e.(*ir.Ref), stmt: s, part: part, loops: loops, write: write, conditional: cond, conds: conds})
		}
		var reads func(e ir.Expr, conds []scalar.Condition)
		reads = func(e ir.Expr, conds []scalar.Condition) {
			if b, ok := e.(*ir.Bin); ok && (b.Op == ir.And || b.Op == ir.Or) {
				reads(b.L, conds)
				reads(b.R, under(b.L, b.Op == ir.And, conds))
				return
			}
			for _, x := range ir.Children(e) {
				reads(x, conds)
			}
			if _, ok := e.(*ir.Ref); ok {
				add(e, false, conds)
			}
		}
		for _, e := range ir.Exprs(s) {
			as, ok := s.(*ir.Assign)
			if !ok || e != as.LHS {
				reads(e, conds)
				continue
			}
			for _, x := range ir.Children(e) {
				reads(x, conds)
			}
			if _, ok := e.(*ir.Ref); ok {
				add(e, true, conds)
			}
		}
		if s, ok := s.(*ir.If); ok {
			for _, x := range s.Then {
				visit(x, part, cond, under(s.Cond, true, conds))
			}
			for _, x := range s.Else {
				visit(x, part, cond, under(s.Cond, false, conds))
			}
			return
		}
		_, isWhile := s.(*ir.While)
		for _, body := range ir.Bodies(s) {
			for _, x := range body {
				visit(x, part, cond || isWhile, conds)
			}
		}
	}
	for i, s := range loop.Body {
		visit(s, i, false, nil)
	}
	return list
}

// access describes o for the dependence tests. What changes in scope has
// different values on the two sides, indices of loops around o aside.
func (a *Analysis) access(o occurrence, scope *ir.Do) depend.Access {
	changed := a.info.Modified(scope)
	p := scalar.Place{Subs: o.ref.Subs, Loops: o.loops, Conds: o.conds, Order: 2 * a.order[o.stmt], Conditional: o.conditional}
	if o.write {
		p.Order++
	}
	return a.info.Access(p, scalar.Naming{
		Affine: a.info.Affine,
		While:  func(l ir.Stmt) string { return fmt.Sprintf("while %d", a.order[l]) },
		Varies: func(name string) bool { return changed[a.symbols[name]] },
	})
}

// depends asks whether an instance of src may touch the element of one of dst that comes
// behind it, while the loops around loop stand still: in one iteration of all common loops
// around both, or in different ones of these.
func (a *Analysis) depends(src, dst occurrence, loop *ir.Do, common int) depend.Result {
	from, to := a.access(src, loop), a.access(dst, loop)
	var cases [][]linalg.Affine
	if names := depend.Parameters(from, to); names != nil {
		cases = a.info.Cases(loop, names)
	}
	return depend.DependsIn(cases, from, to, common, len(a.around[loop]))
}

// dependence asks whether src may touch the element of dst before dst does,
// while the loops around loop stand still: in one iteration of loop, or in an
// earlier one. INDEPENDENT asserts away what is carried and not proved, but for
// arrays that it calls NEW or REDUCTION: these it says something else about.
func (a *Analysis) dependence(src, dst occurrence, loop *ir.Do) (found bool, why string) {
	r := a.depends(src, dst, loop, len(a.around[loop])+1)
	if r.Answer == depend.No {
		return false, ""
	}
	if in := loop.Independent; in != nil && !r.Certain && !slices.Contains(in.New, src.ref.Sym) && !slices.Contains(in.Reduction, src.ref.Sym) {
		carried := true
		for _, l := range r.Levels {
			carried = carried && l != 0
		}
		if carried {
			return false, ""
		}
	}
	return true, r.Why
}
