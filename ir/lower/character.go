package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// wholeTexts makes every assignment to a part of a text one to the whole of it, so that what
// the text keeps is read as other operands are:
//
//	s(2:3) = t         s = setsub(s, 2, 3, t)
//	a(i)(k:) = t       a(i) = setsub(a(i), k, 8, t)
func wholeTexts(body []ir.Stmt) {
	ir.Walk(body, func(s ir.Stmt) bool {
		as, ok := s.(*ir.Assign)
		if !ok {
			return true
		}
		for {
			part, ok := as.LHS.(*ir.Substr)
			if !ok {
				return true
			}
			old := ir.Clone(part.Base)
			switch old := old.(type) { // characters that have no value may stay without one
			case *ir.Var:
				old.Raw = true
			case *ir.Ref:
				old.Raw = true
			}
			as.LHS, as.RHS = part.Base, &ir.Call{X: ir.X{Pos: part.Pos, Typ: ir.Character}, Name: "setsub", Args: []ir.Expr{old, part.Lo, part.Hi, as.RHS}}
		}
	})
}

// joined is the elements of CHARACTER array e one behind the other, in array element order:
// what a format is that is an array.
func (l *lowerer) joined(e ast.Expr) ir.Expr {
	r := l.recordsOf(e, false)
	if r == nil {
		return bad(e.Position())
	}
	if c := r.constant; c != nil {
		return c
	}
	l.prelude = append(l.prelude, r.before...)
	return r.text(e.Position())
}

// records are the elements of a CHARACTER array, one behind the other in a variable: an
// internal file.
type records struct {
	sym      *ir.Symbol
	constant *ir.Const // the text where all elements are constants
	length   int       // of an element
	before   []ir.Stmt // assign the elements to the variable
	behind   []ir.Stmt // the reverse
}

func (r *records) text(pos source.Pos) ir.Expr { return varOf(r.sym, pos) }

// recordsOf makes the records of CHARACTER array or section e, which are written or read; nil
// after an error.
func (l *lowerer) recordsOf(e ast.Expr, write bool) *records {
	pos := e.Position()
	r := &records{}
	a := l.valueOf(e, &r.before)
	switch {
	case a == nil:
		return nil
	case a.typ != ir.Character:
		l.errorf(codeIO, pos, "%s is an array of %s, where a format or an internal file must be CHARACTER", a.name, a.typ).WithHelp("use a CHARACTER array")
		return nil
	case write && (a.readOnly != "" || !l.mayChange(ast.Name{Pos: pos, Name: a.name})):
		if a.readOnly != "" {
			l.errorf(codeIO, pos, "%s cannot be written to: %s", a.name, a.readOnly)
		}
		return nil
	}
	n := 1
	for _, extent := range a.shape.n {
		k, known := constOf(extent)
		if !known && !l.phantom {
			l.errorf(codeOutside, pos, "the number of elements of %s, which are a format or an internal file, is not known before run time", a.name).
				WithHelp("use an array, or a section, with constant bounds")
			return nil
		}
		n *= k
	}
	r.length = a.view.base.Len
	if list, _, ok := l.constantElements(e); ok && !write {
		text := ""
		for _, c := range list {
			text += c.Str
		}
		r.constant = &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}, Str: text}
	}
	r.sym = l.temp("records", ir.Character, n*r.length, pos)
	each := func(assign func(part *ir.Substr, element ir.Expr) *ir.Assign) ir.Stmt {
		var pre []ir.Stmt
		ctx := l.elements(a.shape.n, pos, &pre)
		hi := l.times(l.numberOf(ctx, pos), l.intConst(r.length, pos), pos)
		lo := l.minus(ir.Clone(hi), l.intConst(r.length-1, pos), pos)
		return l.nest(ctx, assign(&ir.Substr{X: ir.X{Pos: pos, Typ: ir.Character}, Base: r.text(pos), Lo: lo, Hi: hi}, l.elementOf(a, ctx, pos)), pos)
	}
	r.before = append(r.before, each(func(part *ir.Substr, element ir.Expr) *ir.Assign {
		if x, ok := element.(*ir.Ref); ok && write {
			x.Raw = true // what is written needs no value before
		}
		return &ir.Assign{S: ir.S{Pos: pos}, LHS: part, RHS: element}
	}))
	if write {
		r.behind = one(each(func(part *ir.Substr, element ir.Expr) *ir.Assign {
			return &ir.Assign{S: ir.S{Pos: pos}, LHS: element, RHS: part}
		}))
	}
	return r
}

// assignParts lowers an assignment to the same part of each element of an array, as in
// a(:)(2:3) = b.
func (l *lowerer) assignParts(s *ast.Assign, part *ast.Substring) []ir.Stmt {
	var out []ir.Stmt
	to := l.part(part.Base, &out)
	if to == nil || !l.mayChange(ast.Name{Pos: to.pos, Name: to.name}) {
		return nil
	}
	var value *argument
	var rhs ir.Expr
	if l.firstPart(s.RHS) != nil {
		if value = l.copied(s.RHS, &out); value == nil || !l.conform(value, to.shape.n, s.Pos, &out) {
			return nil
		}
	} else if rhs = l.expr(s.RHS); isBad(rhs) {
		return nil
	}
	ctx := l.elements(to.shape.n, s.Pos, &out)
	lhs, ok := l.substringOf(part, l.elementOf(to, ctx, part.Pos)).(*ir.Substr)
	if !ok {
		return nil
	}
	lhs.Lo, lhs.Hi = l.fixed(lhs.Lo, "sub", s.Pos, &out), l.fixed(lhs.Hi, "sub", s.Pos, &out)
	if value != nil {
		rhs = l.elementOf(value, ctx, s.Pos)
	}
	if !l.assignable(lhs.Type(), rhs, to.name) {
		return nil
	}
	if value == nil {
		rhs = l.fixed(rhs, "element", s.Pos, &out)
	}
	return append(out, l.nest(ctx, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: lhs, RHS: rhs}, s.Pos))
}
