package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// argument is an actual argument: a value, or an array or a part of one.
type argument struct {
	pos source.Pos
	typ ir.Type

	value    ir.Expr    // of a scalar
	sym      *ir.Symbol // the variable that the value is, or nil
	store    ir.Expr    // the element or substring that the value is, or nil
	readOnly string     // why the procedure cannot assign to it, or ""

	object *ir.Symbol // an allocatable array or variable as a whole, or nil
	there  bool       // it is known that object is allocated

	proc *procedure // of a procedure

	name  string // of an array
	view  *view
	shape *shape
	// It has assumed size, so that its last upper bound is not known.
	endless bool

	of    *origin    // of an array's element, which can stand for the elements behind it too
	start []ir.Expr  // of such an argument: the subscripts of the first element; nil for a whole array
	part  *ir.Substr // of such an argument: the part of that element that is passed; nil for all of it

	// Of a coarray's element: what it is as a scalar coarray.
	cell      *view
	cellShape *shape
}

// origin is the array of which an argument is the element with subscripts subs, or part of
// that.
type origin struct {
	view  *view
	shape *shape
	subs  []ir.Expr
	part  *ir.Substr
}

// actuals lowers the actual arguments of a call of p, in the order of its
// dummy arguments. What has to be computed before goes to pre.
func (l *lowerer) actuals(p *procedure, name ast.Name, list []ast.Expr, pre *[]ir.Stmt, lower func(ast.Expr) *argument) ([]*argument, bool) {
	dummies := p.unit.Args
	signature := func() string { return name.Name + "(" + dummyNames(dummies) + ")" }
	args := make([]*argument, len(dummies))
	absent := make([]bool, len(dummies))
	optional := attributeNames(p.unit, "optional")
	ok := true
	for i, e := range list {
		at := i
		if k, is := e.(*ast.Keyword); is {
			at = -1
			for j, d := range dummies {
				if d.Name == k.Name {
					at = j
				}
			}
			switch {
			case !l.explicit(p):
				l.errorf(codeCall, k.Pos, "%s= needs to know the arguments of %s, which is an external procedure", k.Name, name.Name).
					WithHelp("put %s behind CONTAINS or into a module, write an INTERFACE block for it, or leave %s= out", name.Name, k.Name)
				return nil, false
			case at < 0:
				l.errorf(codeCall, k.Pos, "%s has no argument %s", name.Name, k.Name).WithHelp("its arguments: %s", signature())
				return nil, false
			}
			e = k.X
		}
		if at >= len(dummies) {
			l.errorf(codeCall, e.Position(), "%s takes %s, not %d", name.Name, count(len(dummies), "argument"), len(list)).
				WithNote(p.unit.Pos, "it is declared here").WithHelp("its arguments: %s", signature())
			return nil, false
		}
		if args[at] != nil || absent[at] {
			l.errorf(codeCall, e.Position(), "argument %s of %s is given twice", dummies[at].Name, name.Name).WithHelp("remove one")
			return nil, false
		}
		if _, is := e.(*ast.AltReturn); is != (dummies[at].Name == ast.Alternate) {
			d := l.errorf(codeCall, e.Position(), "argument %d of %s is a label, and the dummy argument %s is a variable", i+1, name.Name, dummies[at].Name)
			if !is {
				d.Msg = fmt.Sprintf("argument %d of %s is no label, and the procedure has an alternate return there", i+1, name.Name)
			}
			d.WithNote(p.unit.Pos, "it is declared here").WithHelp("write a label as *10, where the procedure has a * as its dummy argument")
			return nil, false
		} else if is {
			absent[at] = true
			continue
		}
		if _, is := e.(*ast.Ident); is || ofExtension(nameOf(e)) {
			if d := l.scope.dummy(nameOf(e)); d != nil && d.absent && optional[dummies[at].Name] {
				absent[at] = true
				continue
			}
		}
		args[at] = lower(e)
		ok = ok && args[at] != nil
		if ok && args[at].view != nil && slices.ContainsFunc(args[at].view.subs, func(s viewSub) bool { return s.vec != nil }) {
			if args[at] = l.copied(l.named(args[at], args[at].name, e.Position()), pre); args[at] != nil {
				args[at].readOnly = "its subscript is an array"
			}
			ok = args[at] != nil
		}
	}
	for i, a := range args {
		if a == nil && ok && !absent[i] && !(optional[dummies[i].Name] && l.explicit(p)) {
			l.errorf(codeCall, name.Pos, "%s lacks its argument %s", name.Name, dummies[i].Name).
				WithNote(p.unit.Pos, "it is declared here").WithHelp("its arguments: %s", signature())
			return nil, false
		}
	}
	return args, ok
}

func dummyNames(list []ast.Name) string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.Name
	}
	return strings.Join(names, ", ")
}

// ofExtension reports whether name is that of the part of a polymorphic object that an extension of its
// type adds. Where an array has no such part, its elements have none.
func ofExtension(name string) bool { return strings.Contains(name, "%%") }

// actual lowers an actual argument; nil after an error.
func (l *lowerer) actual(e ast.Expr, pre *[]ir.Stmt) *argument {
	switch e := e.(type) {
	case *ast.Ident:
		l.present(e.Name, e.Pos)
		s := l.lookup(e.Name)
		if _, external := l.externals[e.Name]; external || s == nil && (l.procedure(e.Name) != nil || l.isIntrinsicName(e.Name)) {
			return l.procedureArgument(e.Name, e.Pos)
		}
		if s = l.symbol(e.Name, e.Pos); s.Cell {
			if s.Type == ir.Invalid {
				return nil
			}
			r := l.cell(s, e.Pos)
			a := &argument{pos: e.Pos, typ: s.Type, value: r, store: r, sym: s, object: l.objectOf(s)}
			a.cell, a.cellShape = l.wholeView(s, e.Pos)
			return l.guarded(e.Name, a)
		}
		if s.IsArray() {
			if s.Type == ir.Invalid || l.unbounded[s] && !l.phantom {
				return nil
			}
			v, sh := l.wholeView(s, e.Pos)
			return l.guarded(e.Name, &argument{pos: e.Pos, typ: s.Type, name: s.Source(), view: v, shape: sh, object: l.objectOf(s), endless: l.assumedSize(e.Name)})
		}
		x := l.ident(e)
		if isBad(x) {
			return nil
		}
		a := &argument{pos: e.Pos, typ: x.Type(), value: x}
		if v, ok := x.(*ir.Var); ok {
			a.sym, a.object = v.Sym, l.objectOf(v.Sym)
			return l.guarded(e.Name, a)
		}
		a.readOnly = e.Name + " is a PARAMETER"
		return a
	case *ast.Array:
		return l.constructor(e, pre)
	case *ast.Elements:
		return l.actual(e.X, pre)
	case *ast.Index:
		s := l.lookup(e.Name)
		if l.arrayValued(e) {
			return l.arrayResult(e)
		}
		if !isArray(s) {
			break
		}
		l.present(e.Name, e.NamePos)
		for _, sub := range e.Args {
			if l.isSection(sub) {
				return l.section(s, e.Name, e.Args, e.Pos, pre)
			}
		}
		as := l.subscripted(s, e)
		if as == nil {
			return nil
		}
		r := as
		if v := l.views[s]; v != nil {
			r = l.viewed(v, r)
		}
		if c, ok := l.folded(r).(*ir.Const); ok {
			return &argument{pos: e.Pos, typ: c.Typ, value: c, readOnly: e.Name + " is a PARAMETER"}
		}
		of := &origin{subs: slices.Clone(as.Subs)}
		of.view, of.shape = l.wholeView(s, e.Pos)
		r = ir.Clone(r).(*ir.Ref)
		for i := range r.Subs {
			r.Subs[i] = l.fixed(r.Subs[i], "sub", e.Pos, pre)
		}
		a := &argument{pos: e.Pos, typ: r.Typ, value: r, store: r, name: "", of: of}
		if r.Sym.Coarray {
			a.cell, a.cellShape = l.elementView(r)
		}
		return l.guarded(e.Name, a)
	case *ast.Substring:
		name := nameOf(e)
		if name == "" || l.firstPart(e) != nil && !l.isPart(e) {
			break
		}
		id, _ := e.Base.(*ast.Ident)
		var s *ir.Symbol
		if id != nil {
			s = l.symbol(id.Name, id.Pos)
		}
		if isArray(s) {
			return l.section(s, id.Name, []ast.Expr{&ast.Triplet{XBase: e.XBase, Lo: e.Lo, Hi: e.Hi}}, e.Pos, pre)
		}
		var x ir.Expr
		var of *origin
		if at, ok := e.Base.(*ast.Index); ok && isArray(l.lookup(at.Name)) && !l.arrayValued(at) {
			element := l.actual(at, pre)
			if element == nil {
				return nil
			}
			x, of = l.substringOf(e, element.value), element.of
		} else {
			x = l.expr(e)
		}
		if isBad(x) {
			return nil
		}
		a := &argument{pos: e.Pos, typ: x.Type(), value: x, readOnly: "it is a part of a constant"}
		if sub, ok := x.(*ir.Substr); ok && ir.Target(sub) != nil {
			sub.Lo, sub.Hi = l.fixed(sub.Lo, "sub", e.Pos, pre), l.fixed(sub.Hi, "sub", e.Pos, pre)
			a.store, a.readOnly = sub, ""
			if of != nil {
				a.of = &origin{of.view, of.shape, of.subs, sub}
			}
			return l.guarded(name, a)
		}
		return a
	}
	if co, ok := e.(*ast.CoIndex); ok && l.isPart(co) {
		a := l.fetched(co, pre)
		if a != nil {
			a.readOnly = "it lies on another image"
		}
		return a
	}
	if l.elem == nil && l.firstPart(e) != nil {
		a := l.valueOf(e, pre)
		if a != nil {
			of := *a
			of.readOnly = "it is an expression"
			return &of
		}
		return nil
	}
	x := l.expr(e)
	if isBad(x) {
		return nil
	}
	return &argument{pos: e.Position(), typ: x.Type(), value: x, readOnly: "it is an expression"}
}

// elementView is element r of a coarray as a scalar coarray.
func (l *lowerer) elementView(r *ir.Ref) (*view, *shape) {
	v := &view{base: r.Sym}
	for _, sub := range r.Subs {
		v.subs = append(v.subs, viewSub{dim: -1, off: ir.Clone(sub)})
	}
	return v, &shape{lo: []ir.Expr{l.intConst(1, r.Pos)}, n: []ir.Expr{l.intConst(1, r.Pos)}}
}

// guarded takes note that the variable called name is a dummy argument with
// INTENT(IN) here.
func (l *lowerer) guarded(name string, a *argument) *argument {
	if d := l.scope.dummy(name); d != nil && d.intent == "in" && !l.isPointer[d.sym] {
		a.readOnly = name + " has INTENT(IN) here"
	} else if why := l.unchangeable(name); why != "" {
		a.readOnly = why
	}
	return a
}

func (l *lowerer) isIntrinsicName(name string) bool {
	_, ok := intrinsics[name]
	return ok && l.implicitNone
}

// section lowers a section of array s, called name in the source.
func (l *lowerer) section(s *ir.Symbol, name string, subs []ast.Expr, pos source.Pos, pre *[]ir.Stmt) *argument {
	if len(subs) != len(s.Dims) {
		l.errorf(codeRank, pos, "%s has %s, not %d", name, count(len(s.Dims), "dimension"), len(subs)).
			WithNote(s.Pos, "declared as %s(%s)", name, ir.BoundsString(s.Dims)).
			WithHelp("write %s", count(len(s.Dims), "subscript"))
		return nil
	}
	if s.Type == ir.Invalid {
		return nil
	}
	whole, sh := l.wholeView(s, pos)
	var in []viewSub
	out := &shape{}
	for k, sub := range subs {
		t, ok := sub.(*ast.Triplet)
		if !ok {
			if l.isSection(sub) {
				vec := l.vectorSubscript(s, name, sub, pre)
				if vec == nil {
					return nil
				}
				out.lo = append(out.lo, l.intConst(1, pos))
				out.n = append(out.n, ir.Clone(vec.shape.n[0]))
				in = append(in, viewSub{dim: len(out.n) - 1, coef: l.intConst(1, pos), off: l.intConst(0, pos), vec: vec})
				continue
			}
			x := l.integer(sub, "a subscript of "+name)
			if isBad(x) {
				return nil
			}
			in = append(in, viewSub{dim: -1, off: l.fixed(x, "sub", pos, pre)})
			continue
		}
		lo, n := ir.Clone(sh.lo[k]), ir.Clone(sh.n[k])
		var step ir.Expr = l.intConst(1, pos)
		if t.Step != nil {
			step = l.fixed(l.integer(t.Step, "the stride of a section"), "sub", pos, pre)
		}
		stride, constant := constOf(step)
		hi := l.minus(l.plus(ir.Clone(lo), ir.Clone(n), pos), l.intConst(1, pos), pos)
		switch {
		case isBad(step):
			return nil
		case constant && stride == 0:
			l.errorf(codeLoop, t.Step.Position(), "the stride of a section is zero").WithHelp("write a stride other than 0")
			return nil
		}
		if t.Lo != nil {
			lo = l.fixed(l.integer(t.Lo, "a bound of a section"), "sub", pos, pre)
		}
		if t.Hi == nil && k == len(subs)-1 && l.assumedSize(name) {
			l.noEnd(&argument{pos: pos, name: name})
			return nil
		}
		if t.Hi != nil {
			hi = l.fixed(l.integer(t.Hi, "a bound of a section"), "sub", pos, pre)
		}
		if isBad(lo, hi) {
			return nil
		}
		if constant && !l.sectionInside(s, name, k, lo, hi, stride, t) {
			return nil
		}
		size := n
		if t.Lo != nil || t.Hi != nil || !isOne(step) {
			size = l.sectionSize(ir.Clone(lo), ir.Clone(hi), step, pos)
		}
		out.lo = append(out.lo, l.intConst(1, pos))
		out.n = append(out.n, size)
		in = append(in, viewSub{dim: len(out.n) - 1, coef: step, off: l.minus(lo, ir.Clone(step), pos)})
	}
	return l.guarded(name, &argument{pos: pos, typ: s.Type, name: name, view: l.through(whole, in, pos), shape: out})
}

// vectorSubscript is an array that is a subscript of s, called name; nil after an error.
func (l *lowerer) vectorSubscript(s *ir.Symbol, name string, sub ast.Expr, pre *[]ir.Stmt) *argument {
	vec := l.valueOf(sub, pre)
	if vec == nil || !l.isVector(vec, sub) {
		return nil
	}
	if !vec.typ.IsInteger() {
		l.errorf(codeType, sub.Position(), "a subscript of %s is %s, it must be INTEGER", name, vec.typ)
		return nil
	}
	if v, _ := l.wholeView(s, sub.Position()); v.base == vec.view.base { // which may be assigned to
		return l.copied(l.named(vec, "subscript", sub.Position()), pre)
	}
	// Elements count from 1.
	return &argument{pos: vec.pos, typ: vec.typ, name: vec.name, view: vec.view, shape: &shape{lo: vec.shape.lo, n: vec.shape.n}}
}

// sectionInside reports, or says by an error, whether a section with constant
// bounds is within the bounds of the array.
func (l *lowerer) sectionInside(s *ir.Symbol, name string, k int, lo, hi ir.Expr, step int, t *ast.Triplet) bool {
	a, okA := constOf(lo)
	b, okB := constOf(hi)
	if !okA || !okB || l.loose[s] || (b-a+step)/step <= 0 {
		return true
	}
	last := a + (b-a)/step*step
	bound := s.Dims[k]
	if min(a, last) < bound.Lo || max(a, last) > bound.Hi {
		l.errorf(codeBounds, t.Pos, "the section of %s leaves the bounds %d:%d of dimension %d", name, bound.Lo, bound.Hi, k+1).
			WithNote(s.Pos, "%s was declared here", name)
		return false
	}
	return true
}

// sectionSize is max(0, (hi-lo+step)/step).
func (l *lowerer) sectionSize(lo, hi, step ir.Expr, pos source.Pos) ir.Expr {
	if isOne(step) {
		return l.extentOf(lo, hi, pos)
	}
	n := l.plus(l.minus(hi, lo, pos), ir.Clone(step), pos)
	n = l.arith(ir.Div, n, ir.Clone(step), pos)
	return l.atLeast0(n, pos)
}
