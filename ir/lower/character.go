package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower/derived"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// wholeTexts makes every assignment to a part of a text one to the whole of it, so that what
// the text keeps is read as other operands are:
//
//	s(2:3) = t         s = setsub(s, 2, 3, t)
//	a(i)(k:) = t       a(i) = setsub(a(i), k, 8, t)
//
// What is assigned to a variable whose length the run knows is filled up to that:
//
//	character(n) s;  s = t      s = pad(t, n)
func (l *lowerer) wholeTexts() {
	ir.Walk(l.prog.Body, func(s ir.Stmt) bool {
		as, ok := s.(*ir.Assign)
		if !ok {
			return true
		}
		if v, ok := as.LHS.(*ir.Var); ok && l.lengths[v.Sym] != nil {
			as.RHS = &ir.Call{X: ir.X{Pos: as.Pos, Typ: ir.Character}, Name: "pad", Args: []ir.Expr{as.RHS, ir.Clone(l.lengths[v.Sym])}}
		}
		for {
			part, ok := as.LHS.(*ir.Substr)
			if !ok {
				return true
			}
			old := raw(ir.Clone(part.Base)) // characters that have no value may stay without one
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

// hasRecords reports whether e is an array or section, or a part of each of its elements, as in
// a(:)(2:3).
func (l *lowerer) hasRecords(e ast.Expr) bool {
	s, ok := e.(*ast.Substring)
	return l.isPart(e) || ok && l.isPart(s.Base)
}

// recordsOf makes the records of e, a CHARACTER array, a section or the same part of each element of
// one, which are written or read; nil after an error.
func (l *lowerer) recordsOf(e ast.Expr, write bool) *records {
	pos := e.Position()
	r := &records{}
	of := e
	part, _ := e.(*ast.Substring)
	if part != nil && l.isPart(e) { // a section
		part = nil
	}
	if part != nil {
		of = part.Base
	}
	a := l.valueOf(of, &r.before)
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
	r.length = a.view.base.Len
	var first, last ir.Expr // of part
	if part != nil {
		any := &ir.Var{X: ir.X{Pos: pos, Typ: ir.Character}, Sym: &ir.Symbol{Name: a.name, Type: ir.Character, Len: r.length}}
		sub, ok := l.substringOf(part, any).(*ir.Substr)
		if !ok {
			return nil
		}
		first, last = l.fixed(sub.Lo, "sub", pos, &r.before), l.fixed(sub.Hi, "sub", pos, &r.before)
		n, known := constOf(l.plus(l.minus(sub.Hi, sub.Lo, pos), l.intConst(1, pos), pos))
		if !known {
			l.errorf(codeOutside, pos, "the records of an internal file are parts of elements, whose length is not constant").WithHelp("copy them to an array")
			return nil
		}
		r.length = max(n, 0)
	}
	if list, _, ok := l.constantElements(e); ok && !write {
		text := ""
		for _, c := range list {
			text += c.Str
		}
		r.constant = &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}, Str: text}
	}
	size := l.arith(ir.Mul, l.convert(l.product1(a.shape.n), ir.Long), intConstOf(ir.Long, r.length, pos), pos)
	if n, known := constOf(size); known || l.phantom {
		r.sym = l.temp("records", ir.Character, n, pos)
	} else { // how many they are is not known before run time
		r.sym = l.temp("records", ir.Character, ir.AnyLength, pos)
		empty := &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}}
		r.before = append(r.before, &ir.Assign{S: ir.S{Pos: pos}, LHS: r.text(pos), RHS: &ir.Call{X: ir.X{Pos: pos, Typ: ir.Character}, Name: "pad", Args: []ir.Expr{empty, size}}})
	}
	each := func(assign func(text *ir.Substr, element ir.Expr) *ir.Assign) ir.Stmt {
		var pre []ir.Stmt
		ctx := l.elements(a.shape.n, pos, &pre)
		hi := l.times(l.numberOf(ctx, pos), l.intConst(r.length, pos), pos)
		lo := l.minus(ir.Clone(hi), l.intConst(r.length-1, pos), pos)
		record := l.elementOf(a, ctx, pos)
		record.Raw = write // what is written needs no value before
		var element ir.Expr = record
		if part != nil {
			element = &ir.Substr{X: ir.X{Pos: pos, Typ: ir.Character}, Base: record, Lo: ir.Clone(first), Hi: ir.Clone(last)}
		}
		return l.nest(ctx, assign(&ir.Substr{X: ir.X{Pos: pos, Typ: ir.Character}, Base: r.text(pos), Lo: lo, Hi: hi}, element), pos)
	}
	r.before = append(r.before, each(func(text *ir.Substr, element ir.Expr) *ir.Assign {
		return &ir.Assign{S: ir.S{Pos: pos}, LHS: text, RHS: element}
	}))
	if write {
		r.behind = one(each(func(text *ir.Substr, element ir.Expr) *ir.Assign {
			return &ir.Assign{S: ir.S{Pos: pos}, LHS: element, RHS: text}
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

// keepsLength takes note of the length of s, declared as t by e in d, where it is not constant.
func (l *lowerer) keepsLength(s *ir.Symbol, t declType, e *ast.Entity, d *ast.TypeDecl) {
	dims := len(e.Dims) + len(d.Dimension)
	_, later := l.deferred[e.Name]
	switch {
	case t.colon && derived.Pooled(e.Name): // each element has a length of its own
	case t.colon && (dims > 0 || s.IsArray()):
		l.errorf(codeOutside, e.Pos, "the length of the elements of %s is deferred", e.Name).WithHelp("give the greatest length that is needed")
	case t.colon && !d.Allocatable && !later && l.binding.of(s) == nil:
		l.errorf(codeDeclaration, e.Pos, "the length of %s is deferred, and it is not ALLOCATABLE", e.Name).WithHelp("add ALLOCATABLE, or give it a length")
	case (t.of != nil || t.late != nil) && dims > 0:
		l.errorf(codeOutside, e.Pos, "the length of the elements of %s is not constant", e.Name).WithHelp("give the greatest length that is needed")
	case t.of != nil && l.binding.of(s) == nil:
		l.hasLength(s, t.of, e.Pos)
	case t.late != nil && l.binding.of(s) == nil:
		l.postponed = append(l.postponed, func() {
			if l.charLength(t.late, &t); t.of != nil {
				l.hasLength(s, t.of, e.Pos)
			}
		})
	}
}

// hasLength makes s, a variable of a procedure, have the length n at the entry.
func (l *lowerer) hasLength(s *ir.Symbol, n ir.Expr, pos source.Pos) {
	l.lengths[s] = n
	l.binding.entry = append(l.binding.entry, &ir.Assign{S: ir.S{Pos: pos}, LHS: varOf(s, pos), RHS: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}}})
}

// blank gives s, whose length is deferred, the length that ALLOCATE says: that of mold, or
// length.
func (l *lowerer) blank(s *ir.Symbol, length, mold ast.Expr, pos source.Pos) []ir.Stmt {
	var n ir.Expr
	switch {
	case length != nil:
		n = l.atLeast0(l.integer(length, "a CHARACTER length"), pos)
	case mold != nil:
		n = l.lenOf(l.expr(mold), pos)
	default:
		l.errorf(codeDeclaration, pos, "ALLOCATE gives %s no length", s.Source()).WithHelp("write allocate(character(len=n) :: %s)", s.Source())
		return nil
	}
	if isBad(n) {
		return nil
	}
	empty := &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}}
	return one(&ir.Assign{S: ir.S{Pos: pos}, LHS: varOf(s, pos), RHS: &ir.Call{X: ir.X{Pos: pos, Typ: ir.Character}, Name: "pad", Args: []ir.Expr{empty, l.convert(n, ir.Long)}}})
}

// raw marks e, a variable or element, as one that need not have a value.
func raw(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Var:
		e.Raw = true
	case *ir.Ref:
		e.Raw = true
	}
	return e
}
