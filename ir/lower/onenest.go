package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// A WHERE whose masks and assignments read of the arrays that it assigns the very elements
// that it assigns is an IF inside one nest of loops:
//
//	where (a > 0.5)          if (a(i) > 0.5) then
//	   b = a - 0.25             b(i) = a(i) - 0.25
//	elsewhere (a > 0.1)      else if (a(i) > 0.1) then
//	   b = a                    b(i) = a(i)
//	end where                end if

// maskedNest collects such a WHERE.
type maskedNest struct {
	l       *lowerer
	ctx     *elemental
	around  *argument
	targets []*ir.Ref
	reads   []ir.Expr // what the masks and assignments evaluate
	inner   []ir.Stmt // what is executed for each element besides
	failed  bool      // after an error
}

// oneNest lowers s as one nest of loops; ok is false where that cannot be, which is no error.
func (l *lowerer) oneNest(s *ast.If, shaping ast.Expr, around *argument) (out []ir.Stmt, ok bool) {
	if around != nil && (len(s.Arms) > 1 || s.HasElse) || !l.onlyAssigns(s) {
		return nil, false
	}
	w := &maskedNest{l: l, around: around}
	var pre, body []ir.Stmt
	before := l.functions(func() {
		if w.ctx = l.elementsLike(shaping, &pre); w.ctx == nil {
			w.failed = true
			return
		}
		body = w.arms(s, 0)
	})
	switch {
	case w.failed:
		return nil, true
	case !w.separate() || len(w.targets) > 1 && (w.uses(before) || w.uses(pre)):
		return nil, false
	}
	first, last := body[:len(body)-1], body[len(body)-1]
	*w.ctx.inner = first
	return append(append(before, pre...), l.nest(w.ctx, last, s.Pos)), true
}

// onlyAssigns reports whether nothing but intrinsic assignments stands in s.
func (l *lowerer) onlyAssigns(s *ast.If) bool {
	some := false
	for _, body := range append([][]ast.Stmt{s.Else}, bodies(s)...) {
		for _, x := range body {
			a, ok := x.(*ast.Assign)
			if !ok {
				return false
			}
			if _, other := a.LHS.(*ast.CoIndex); other || l.isDefinedAssignment(a) {
				return false
			}
			some = true
		}
	}
	return some
}

func bodies(s *ast.If) (list [][]ast.Stmt) {
	for _, arm := range s.Arms {
		list = append(list, arm.Body)
	}
	return list
}

// arms is the IF for the masks of s from number k on, behind what its condition needs.
func (w *maskedNest) arms(s *ast.If, k int) []ir.Stmt {
	if k == len(s.Arms) {
		return w.assigns(s.Else)
	}
	cond := w.l.maskAt(w.ctx, s.Arms[k].Cond, w.around)
	if w.failed = w.failed || isBad(cond); w.failed {
		return nil
	}
	first := w.ctx.take()
	w.reads, w.inner = append(w.reads, cond), append(w.inner, first...)
	out := &ir.If{S: ir.S{Pos: s.Pos}, Cond: cond}
	out.Then = w.assigns(s.Arms[k].Body)
	out.Else = w.arms(s, k+1)
	return append(first, out)
}

// assigns is the assignments of list, of one element.
func (w *maskedNest) assigns(list []ast.Stmt) (out []ir.Stmt) {
	for _, s := range list {
		if w.failed {
			return nil
		}
		as := s.(*ast.Assign)
		if w.failed = !w.l.isPart(as.LHS); w.failed {
			w.l.errorf(codeType, as.LHS.Position(), "what WHERE assigns to must be an array or a section of this image")
			return nil
		}
		a := w.l.assignAt(w.ctx, as)
		inside := w.ctx.take()
		if w.failed = a == nil; w.failed {
			return nil
		}
		w.targets, w.reads, w.inner = append(w.targets, a.LHS.(*ir.Ref)), append(w.reads, a.RHS), append(w.inner, inside...)
		out = append(append(out, inside...), a)
	}
	return out
}

// separate reports whether no element of what is assigned is read or assigned for another
// element.
func (w *maskedNest) separate() bool {
	for _, t := range w.targets {
		if w.l.readsOther(t, w.inner) {
			return false
		}
		for _, x := range w.reads {
			if w.l.overlaps(t, x) {
				return false
			}
		}
		for _, other := range w.targets {
			if w.l.overlaps(t, other) {
				return false
			}
		}
	}
	return true
}

// uses reports whether statements in front of the loops read what the loops assign.
func (w *maskedNest) uses(list []ir.Stmt) bool {
	found := false
	ir.WalkExprs(list, func(_ ir.Stmt, e ir.Expr) bool {
		ir.WalkExpr(e, func(x ir.Expr) bool {
			for _, t := range w.targets {
				switch x := x.(type) {
				case *ir.Ref:
					found = found || x.Sym == t.Sym
				case *ir.CoRef:
					found = found || x.Sym == t.Sym
				}
			}
			return !found
		})
		return !found
	})
	return found
}
