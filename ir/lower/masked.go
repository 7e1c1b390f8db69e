package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A WHERE becomes loops with an IF inside:
//
//	where (a > 0)         m(i) = a(i) > 0
//	   a = sqrt(a)        if (m(i)) a(i) = sqrt(a(i))
//	elsewhere (b > 0)     p(i) = .not. m(i);  q(i) = p(i) .and. b(i) > 0
//	   c = a              if (q(i)) c(i) = a(i)
//	end where
//
// with loops over i around each statement. Where the statements and masks read of what is
// assigned the same element alone, there is one nest of loops, and no array for masks.

// where lowers WHERE under the mask around it, nil for none.
func (l *lowerer) where(s *ast.If, around *argument) []ir.Stmt {
	if l.firstPart(s.Arms[0].Cond) == nil {
		l.errorf(codeType, s.Arms[0].Cond.Position(), "the mask of WHERE is no array").WithHelp("write IF, or a comparison of arrays")
		return nil
	}
	shaping := l.firstAssigned(s)
	if shaping == nil {
		return nil
	}
	if l.refersToFunction(shaping) { // which is executed once, by the assignment
		if part := l.firstPart(s.Arms[0].Cond); l.isPart(part) {
			shaping = part
		}
	}
	if out, ok := l.oneNest(s, shaping, around); ok {
		return out
	}
	var out []ir.Stmt
	rest := around // where no mask has been true so far
	for i, arm := range s.Arms {
		m := l.mask(arm.Cond, shaping, rest, &out)
		if m == nil {
			return nil
		}
		out = append(out, l.under(arm.Body, m)...)
		if i+1 < len(s.Arms) || s.HasElse {
			rest = l.maskOf(m, &out, func(ctx *elemental) ir.Expr {
				x := l.not(l.elementOf(m, ctx, s.Pos))
				if rest != nil {
					x = &ir.Bin{X: ir.X{Pos: s.Pos, Typ: ir.Logical}, Op: ir.And, L: l.elementOf(rest, ctx, s.Pos), R: x}
				}
				return x
			})
		}
	}
	return append(out, l.under(s.Else, rest)...)
}

// firstAssigned is the array or section that a WHERE assigns to first, which its masks lie
// beside; nil, without an error, where it assigns to nothing, and after an error.
func (l *lowerer) firstAssigned(s *ast.If) ast.Expr {
	for _, arm := range append(slices.Clone(s.Arms), ast.IfArm{Body: s.Else}) {
		for _, inner := range arm.Body {
			var to ast.Expr
			switch inner := inner.(type) {
			case *ast.Assign:
				to = inner.LHS
			case *ast.Call:
				if to = definedIn(inner); to == nil {
					l.notInWhere(inner.Pos)
					return nil
				}
			case *ast.If:
				if found := l.firstAssigned(inner); found != nil {
					return found
				}
				continue
			default:
				l.notInWhere(inner.Position())
				return nil
			}
			_, other := to.(*ast.CoIndex)
			if _, cells := to.(*ast.Elements); !other && l.isPart(to) || cells && l.firstPart(to) != nil {
				return to
			}
			l.errorf(codeType, to.Position(), "what WHERE assigns to must be an array or a section of this image")
			return nil
		}
	}
	return nil
}

// definedIn is what defined assignment s assigns to, nil where s is another call.
func definedIn(s *ast.Call) ast.Expr {
	if !s.Defines || len(s.Args) == 0 {
		return nil
	}
	return s.Args[0]
}

// definedUnder lowers a defined assignment under the mask m of a WHERE.
func (l *lowerer) definedUnder(s *ast.Call, m *argument) []ir.Stmt {
	p, wrong := l.callee(s.Proc, s.Args)
	switch {
	case wrong || p == nil:
		return nil
	case !p.unit.Elemental:
		l.errorf(codeType, s.Pos, "a WHERE assigns by %s, which is not ELEMENTAL", p.unit.Name).WithHelp("declare it ELEMENTAL")
		return nil
	}
	return l.eachCall(p, s, m)
}

func (l *lowerer) not(x ir.Expr) ir.Expr {
	return &ir.Un{X: ir.X{Pos: x.Position(), Typ: ir.Logical}, Op: ir.Not, E: x}
}

// maskAt is the element of the mask cond, where the mask around is true.
func (l *lowerer) maskAt(ctx *elemental, cond ast.Expr, around *argument) ir.Expr {
	if cond = l.evaluated(cond, goal{}, ctx.pre); cond == nil {
		return bad(ctx.pos)
	}
	outer := l.elem
	l.elem = ctx
	x := l.logical(cond, "the mask of WHERE")
	l.elem = outer
	if around == nil || isBad(x) {
		return x
	}
	if !l.conform(around, ctx.n, ctx.pos, ctx.pre) {
		return bad(x.Position())
	}
	return &ir.Bin{X: ir.X{Pos: x.Position(), Typ: ir.Logical}, Op: ir.And, L: l.elementOf(around, ctx, x.Position()), R: x}
}

// assignAt is the assignment of an element; nil after an error.
func (l *lowerer) assignAt(ctx *elemental, s *ast.Assign) *ir.Assign {
	if _, other := s.LHS.(*ast.CoIndex); other || !l.isPart(s.LHS) {
		l.errorf(codeType, s.LHS.Position(), "what WHERE assigns to must be an array or a section of this image")
		return nil
	}
	to := l.part(s.LHS, ctx.pre)
	if to == nil || !l.mayChange(ast.Name{Pos: to.pos, Name: to.name}) || !l.conform(to, ctx.n, ctx.pos, ctx.pre) {
		return nil
	}
	value := l.evaluated(s.RHS, goal{to: to}, ctx.pre)
	if value == nil {
		return nil
	}
	lhs := l.elementOf(to, ctx, s.LHS.Position())
	rhs := l.elementally(ctx, value)
	if isBad(rhs) || !l.assignable(lhs.Type(), rhs, to.name) {
		return nil
	}
	if rhs = l.convert(rhs, lhs.Type()); isBad(rhs) {
		return nil
	}
	return &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: lhs, RHS: rhs}
}

// mask makes an array of a mask, beside the array or section shaping; nil after an
// error.
func (l *lowerer) mask(cond, shaping ast.Expr, around *argument, out *[]ir.Stmt) *argument {
	var m *argument
	var pre []ir.Stmt
	before := l.functions(func() {
		value := func(ctx *elemental) ir.Expr { return l.maskAt(ctx, cond, around) }
		if _, ok := shaping.(*ast.Elements); ok {
			if ctx := l.elementsLike(shaping, &pre); ctx != nil {
				m = l.maskIn(l.room(ctx, ir.Logical, 0, ctx.pos), &pre, value)
			}
		} else if like := l.near(shaping, &pre); like != nil {
			m = l.maskOf(like, &pre, value)
		}
	})
	*out = append(append(*out, before...), pre...)
	return m
}

// maskOf makes a LOGICAL array beside like and appends the loops that fill it to out;
// nil after an error.
func (l *lowerer) maskOf(like *argument, out *[]ir.Stmt, value func(*elemental) ir.Expr) *argument {
	of := *like
	of.typ = ir.Logical
	return l.maskIn(l.beside(&of, like.pos, out), out, value)
}

// maskIn is array m, to whose elements loops that it appends to out assign value; nil after an error.
func (l *lowerer) maskIn(m *argument, out *[]ir.Stmt, value func(*elemental) ir.Expr) *argument {
	ctx := l.elements(m.shape.n, m.pos, out)
	x := value(ctx)
	if isBad(x) {
		return nil
	}
	*out = append(*out, l.nest(ctx, &ir.Assign{S: ir.S{Pos: x.Position()}, LHS: l.elementOf(m, ctx, x.Position()), RHS: x}, x.Position()))
	return m
}

// under lowers the statements of a WHERE construct under its mask.
func (l *lowerer) under(body []ast.Stmt, m *argument) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range body {
		var pre, after []ir.Stmt
		before := l.functions(func() {
			switch s := s.(type) {
			case *ast.Call:
				if definedIn(s) == nil {
					l.notInWhere(s.Pos)
					return
				}
				after = l.definedUnder(s, m)
			case *ast.Assign:
				if l.isDefinedAssignment(s) {
					after = l.definedUnder(definedAssignment(s), m)
					return
				}
				ctx := l.elements(m.shape.n, m.pos, &pre)
				if a := l.assignAt(ctx, s); a != nil {
					l.guardedNests(ctx, l.elementOf(m, ctx, s.Pos), a, &pre)
				}
			case *ast.If:
				if s.Where {
					after = l.where(s, m)
					return
				}
				l.notInWhere(s.Pos)
			default:
				l.notInWhere(s.Position())
			}
		})
		out = append(append(append(out, before...), pre...), after...)
	}
	return out
}

func (l *lowerer) notInWhere(pos source.Pos) {
	l.errorf(codeType, pos, "only assignments to arrays and WHERE can stand in a WHERE construct").WithHelp("move it behind END WHERE")
}

// guardedNests appends the loops of an assignment under a condition. Where the
// assignment changes what it reads for other elements, the values go to an array of
// their own first.
func (l *lowerer) guardedNests(ctx *elemental, cond ir.Expr, a *ir.Assign, pre *[]ir.Stmt) {
	lhs := a.LHS.(*ir.Ref)
	inside := ctx.take()
	guarded := func(a *ir.Assign) {
		*pre = append(*pre, l.nest(ctx, &ir.If{S: a.S, Cond: ir.Clone(cond), Then: append(inside, a)}, a.Pos))
		inside = nil
	}
	if !l.overlaps(lhs, a.RHS) && !l.readsOther(lhs, inside) {
		guarded(a)
		return
	}
	t := l.besideElement(lhs, pre)
	guarded(&ir.Assign{S: a.S, LHS: t, RHS: a.RHS})
	guarded(&ir.Assign{S: a.S, LHS: lhs, RHS: ir.Clone(t)})
}

// besideElement makes an array that lies as that of r does, and returns its element
// with the same subscripts.
func (l *lowerer) besideElement(r *ir.Ref, pre *[]ir.Stmt) *ir.Ref {
	t := l.beside(&argument{pos: r.Pos, typ: r.Typ, view: &view{base: r.Sym}}, r.Pos, pre)
	out := ir.Clone(r).(*ir.Ref)
	out.Sym = t.view.base
	return out
}
