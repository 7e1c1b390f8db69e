package lower

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// dummy is a dummy argument of a procedure that is being executed.
type dummy struct {
	ast.Name
	no       int // from 1
	isArray  bool
	cell     bool // a scalar coarray, which counts as an array
	intent   string
	declared source.Pos
	typ      ir.Type

	arg      *argument // nil in a procedure that is lowered for its errors only
	sym      *ir.Symbol
	literal  bool // sym is a constant
	optional bool
	absent   bool // it is OPTIONAL, and this call does not give it
	value    bool // it has VALUE: the procedure has a copy
	owned    bool // sym is a variable of the procedure: the argument is copied
	late     bool // it is copied at the entry, where its length is computed
	repacked bool // of an array: it has the storage of the argument, in elements of another length or type

	explicit   bool       // of an array: it has upper bounds of its own, or assumed size
	star       bool       // of an array: it has assumed size
	fixedShape bool       // of an array: its bounds are constants
	inherit    source.Pos // of INHERIT
	object     bool       // it is allocatable: sym is that of the actual argument
	procedure  bool       // it is a procedure, in one that is lowered for its errors only
}

// binding ties the dummy arguments of one execution to the actual ones.
type binding struct {
	l        *lowerer
	unit     *ast.Program
	call     ast.Name
	external bool
	list     []*dummy
	bySym    map[*ir.Symbol]*dummy

	arrays, cells, optional, byValue map[string]bool // what the declarations say of names

	entry     []ir.Stmt // done before the body: bounds, checks of shapes
	frame     *frame    // of a procedure that calls itself
	resultLen int       // length of the value of a function, as the caller declares it: that of CHARACTER(*)
}

// bind makes the names of the dummy arguments.
func (b *binding) bind(args []*argument) {
	l := b.l
	b.bySym = map[*ir.Symbol]*dummy{}
	b.arrays, b.cells = arrayNames(b.unit)
	objects := allocatableNames(b.unit)
	b.optional, b.byValue = attributeNames(b.unit, "optional"), attributeNames(b.unit, "value")
	for i, name := range b.unit.Args {
		if name.Name == ast.Alternate {
			continue
		}
		if l.dummies[name.Name] != nil {
			l.errorf(codeDuplicate, name.Pos, "the dummy argument %s stands twice in the list", name.Name).WithHelp("give one of them another name")
			continue
		}
		d := b.newDummy(name, i+1)
		if args != nil {
			d.arg = args[i]
			d.absent = d.arg == nil
		}
		if d.object = objects[name.Name] && d.arg != nil; d.object && d.arg.object == nil {
			l.errorf(codeCall, d.arg.pos, "%s is not allocatable, the dummy argument %s is", b.what(d), d.Name.Name).
				WithNote(d.Pos, "%s is an argument here", d.Name.Name).
				WithHelp("pass an allocatable array or variable as a whole, or declare %s without ALLOCATABLE", d.Name.Name)
			d.object = false
		}
		l.dummies[name.Name] = d
		b.list = append(b.list, d)
		if a := d.arg; a != nil && a.cell != nil && d.cell {
			as := *a
			as.view, as.shape, as.value, as.sym, as.store = a.cell, a.cellShape, nil, nil, nil
			d.arg = &as
		}
		if d.arg != nil && d.arg.proc != nil {
			b.bindProcedure(d)
			continue
		}
		if a := d.arg; a != nil && d.isArray && !d.cell && a.of != nil {
			as := *a
			as.view, as.shape, as.start, as.part, as.value = a.of.view, a.of.shape, a.of.subs, a.of.part, nil
			d.arg = &as
		}
		if a := d.arg; a != nil && (d.isArray != (a.view != nil) || d.cell && a.cell == nil) && !d.takesText() {
			b.mixed(d)
		}
		b.makeSymbol(d)
		b.bySym[d.sym] = d
	}
	for _, name := range otherDummies(b.unit) {
		d := b.newDummy(name, 0)
		d.absent = true
		l.dummies[name.Name] = d
		b.list = append(b.list, d)
		b.makeSymbol(d)
		b.bySym[d.sym] = d
	}
}

// newDummy is the dummy argument called name, number no.
func (b *binding) newDummy(name ast.Name, no int) *dummy {
	return &dummy{Name: name, no: no, isArray: b.arrays[name.Name], cell: b.cells[name.Name], typ: b.l.implicitType(name.Name),
		optional: b.optional[name.Name], value: b.byValue[name.Name]}
}

// makeSymbol makes what the name of d means in the procedure.
func (b *binding) makeSymbol(d *dummy) {
	l := b.l
	a := d.arg
	switch {
	case d.object:
		d.sym = a.object
		l.names[d.Name.Name] = d.sym
	case d.isArray:
		d.sym = &ir.Symbol{Name: l.localName(d.Name.Name), Local: d.Name.Name, Pos: d.Pos, Type: d.typ, Site: l.scope.site}
		l.names[d.Name.Name] = d.sym
		l.loose[d.sym] = true
		return
	case a == nil || a.value == nil:
		d.sym = l.newSymbol(d.Name.Name, d.Pos)
		l.retype(d.sym, d.Name.Name)
	case a.sym != nil && !d.value && l.pointers[a.sym] != nil:
		d.sym = &ir.Symbol{Name: l.localName(d.Name.Name), Local: d.Name.Name, Pos: d.Pos, Type: a.typ, Cell: true, Site: l.scope.site}
		l.names[d.Name.Name] = d.sym
		r := ir.Clone(a.value).(*ir.Ref)
		for k := range r.Subs {
			r.Subs[k] = b.captured(r.Subs[k], a.pos)
		}
		v, sh := l.elementView(r)
		l.seen(d.sym, v, sh)
	case a.sym != nil && !d.value:
		d.sym = a.sym
		l.names[d.Name.Name] = a.sym
	default:
		c, isConst := a.value.(*ir.Const)
		if isConst && !l.variables && !d.value && b.frame == nil {
			d.literal = true
			d.sym = &ir.Symbol{Name: d.Name.Name, Pos: d.Pos, Type: a.typ, Param: true, Init: c}
			l.names[d.Name.Name] = d.sym
			break
		}
		d.owned = true
		d.sym = l.newSymbol(d.Name.Name, d.Pos)
		d.sym.Type = a.typ
		if a.typ == ir.Character {
			d.sym.Len = l.charLen(a.value)
		}
		if isConst && b.frame == nil {
			l.known[d.sym] = c
		}
	}
	l.mention[d.sym] = true
}

// of is the dummy argument that s is, nil for none.
func (b *binding) of(s *ir.Symbol) *dummy {
	if b == nil {
		return nil
	}
	return b.bySym[s]
}

// allocatableNames are the names that the declarations of u make allocatable.
func allocatableNames(u *ast.Program) map[string]bool {
	m := map[string]bool{}
	for _, s := range u.Spec {
		switch s := s.(type) {
		case *ast.TypeDecl:
			for _, e := range s.Entities {
				m[e.Name] = m[e.Name] || s.Allocatable
			}
		case *ast.AllocatableStmt:
			for _, e := range s.Entities {
				m[e.Name] = true
			}
		}
	}
	return m
}

// deferredElsewhere has the names in ALLOCATABLE statements of spec, and true for those that
// another declaration gives dimensions: of real a(:); allocatable a, b(:), that is a.
func deferredElsewhere(spec []ast.Stmt) map[string]bool {
	m := map[string]bool{}
	arrays, _ := arrayNames(&ast.Program{Spec: spec})
	for _, s := range spec {
		if s, ok := s.(*ast.AllocatableStmt); ok {
			for _, e := range s.Entities {
				m[e.Name] = len(e.Dims) == 0 && arrays[e.Name]
			}
		}
	}
	return m
}

// arrayNames are the names to which the declarations of u give dimensions or
// codimensions, and those of scalar coarrays among them.
func arrayNames(u *ast.Program) (m, cells map[string]bool) {
	m, cells = map[string]bool{}, map[string]bool{}
	for _, s := range u.Spec {
		switch s := s.(type) {
		case *ast.TypeDecl:
			for _, e := range s.Entities {
				switch {
				case len(e.Dims)+len(s.Dimension) > 0:
					m[e.Name] = true
				case len(e.Codims)+len(s.Codimension) > 0:
					m[e.Name], cells[e.Name] = true, true
				}
			}
		case *ast.AllocatableStmt:
			for _, e := range s.Entities {
				m[e.Name] = m[e.Name] || len(e.Dims) > 0
			}
		case *ast.DimensionStmt:
			for _, e := range s.Entities {
				m[e.Name] = true
				delete(cells, e.Name)
			}
		}
	}
	return m, cells
}

func (b *binding) what(d *dummy) string {
	return fmt.Sprintf("argument %d of %s", d.no, b.unit.Name)
}

func (b *binding) declaredAt(d *dummy) source.Pos {
	if d.declared.IsValid() {
		return d.declared
	}
	return d.Pos
}

// mixed reports an array for a scalar, or the reverse.
func (b *binding) mixed(d *dummy) {
	if d.isArray && d.cell {
		what := "an array"
		if d.arg.view == nil {
			what = "no coarray"
		}
		b.l.errorf(codeCall, d.arg.pos, "%s is %s, the dummy argument %s is a scalar coarray", b.what(d), what, d.Name.Name).
			WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name).
			WithHelp("pass a scalar coarray, or an element of one")
		return
	}
	if d.isArray {
		e := b.l.errorf(codeCall, d.arg.pos, "%s is a scalar, the dummy argument %s is an array", b.what(d), d.Name.Name).
			WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name)
		if r, ok := d.arg.store.(*ir.Ref); ok {
			e.WithHelp("pass the section that begins at the element, such as %s(i:, j) instead of %s(i, j)", r.Sym.Source(), r.Sym.Source())
		} else {
			e.WithHelp("pass an array, or declare %s without dimensions", d.Name.Name)
		}
		return
	}
	b.l.errorf(codeCall, d.arg.pos, "%s is an array, the dummy argument %s is a scalar", b.what(d), d.Name.Name).
		WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name).
		WithHelp("pass an element, or declare %s with dimensions", d.Name.Name)
}

// declare gives a dummy argument its declared type.
func (b *binding) declare(d *dummy, e *ast.Entity, t declType) *ir.Symbol {
	l := b.l
	if d.declared.IsValid() {
		l.errorf(codeDuplicate, e.Pos, "%s is declared twice", e.Name).WithNote(d.declared, "%s was declared here", e.Name)
		return nil
	}
	d.declared, d.typ = e.Pos, t.typ
	l.typed[d.sym] = e.Pos
	if e.Init != nil {
		l.errorf(codeDeclaration, e.Pos, "the dummy argument %s cannot have an initial value", e.Name).WithHelp("assign it")
		return nil
	}
	if d.object {
		return d.sym
	}
	if d.arg == nil || d.isArray {
		d.sym.Type, d.sym.Len = t.typ, t.length
		if a := d.arg; d.isArray && t.typ == ir.Character && a != nil && (a.view != nil || d.takesText()) && a.typ == ir.Character {
			b.elementLength(d, t)
		} else if a != nil && d.isArray && a.view != nil && b.external && l.shapes[d.sym] == nil {
			d.repacked = hasParts(t.typ, a.typ) || hasParts(a.typ, t.typ)
		}
		return d.sym
	}
	if t.typ == ir.Character && d.arg.typ == ir.Character {
		b.length(d, t)
	}
	return d.sym
}

// length compares the length of a CHARACTER argument.
func (b *binding) length(d *dummy, t declType) {
	n := b.l.charLen(d.arg.value)
	switch {
	case t.assumed && b.frame != nil && d.owned:
		d.sym.Len = ir.AnyLength
	case t.of != nil:
		b.shortenTo(d, t.of)
	case t.late != nil:
		b.l.postponed = append(b.l.postponed, func() {
			if b.l.charLength(t.late, &t); t.of != nil {
				b.shortenTo(d, t.of)
			}
		})
	case !t.assumed && t.of == nil && (n < 0 || n > t.length):
		b.shorten(d, t.length)
	case t.assumed || n < 0:
	case n < t.length:
		b.l.errorf(codeCall, d.arg.pos, "%s has length %d, the dummy argument %s has length %d", b.what(d), n, d.Name.Name, t.length).
			WithNote(d.declared, "%s is declared here", d.Name.Name).
			WithHelp("declare it as character(len=*) :: %s", d.Name.Name)
	}
}

// shorten makes CHARACTER argument d the first n characters of what is passed.
func (b *binding) shorten(d *dummy, n int) {
	l, a := b.l, *d.arg
	if c, ok := a.value.(*ir.Const); ok {
		cut := *c
		cut.Str = c.Str[:n]
		a.value = &cut
	}
	b.storesFirst(&a, l.intConst(n, a.pos))
	if a.sym = nil; a.store != nil {
		a.value = a.store
	}
	if d.arg = &a; d.owned {
		d.sym.Len = n
		return
	}
	delete(b.bySym, d.sym)
	delete(l.names, d.Name.Name)
	d.literal = false
	b.makeSymbol(d)
	d.sym.Len = n
	b.bySym[d.sym], l.typed[d.sym] = d, d.declared
}

// shortenTo is shorten where the run computes the length n: what is passed is copied at the
// entry. In a procedure that calls itself both lengths must be the same.
func (b *binding) shortenTo(d *dummy, n ir.Expr) {
	l, a := b.l, *d.arg
	if l.phantom {
		return
	}
	n = b.captured(n, d.declared)
	if b.frame != nil {
		stop := &ir.Stop{S: ir.S{Pos: a.pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: a.pos, Typ: ir.Character}, Str: b.what(d) + ": the lengths of the text and of the dummy argument differ"}}
		differ := l.bin(ir.Ne, ir.Clone(n), l.lenOf(a.value, a.pos), a.pos, a.pos)
		b.entry = append(b.entry, &ir.If{S: ir.S{Pos: a.pos}, Cond: differ, Then: one(stop)})
		return
	}
	b.storesFirst(&a, n)
	a.sym, d.arg = nil, &a
	if !d.owned {
		delete(b.bySym, d.sym)
		delete(l.names, d.Name.Name)
		d.sym = l.newSymbol(d.Name.Name, d.Pos)
		d.sym.Type = a.typ
		d.owned, d.literal = true, false
		b.bySym[d.sym], l.typed[d.sym], l.mention[d.sym] = d, d.declared, true
	}
	delete(l.known, d.sym)
	d.sym.Len, d.late = ir.AnyLength, true
	l.hasLength(d.sym, n, d.declared)
	if d.intent != "out" {
		b.entry = append(b.entry, &ir.Assign{S: ir.S{Pos: a.pos}, LHS: raw(varOf(d.sym, a.pos)), RHS: raw(ir.Clone(a.value))})
	}
}

// storesFirst makes the value of a CHARACTER argument go to the first n characters of what is
// passed.
func (b *binding) storesFirst(a *argument, n ir.Expr) {
	l := b.l
	whole := a.store
	if whole == nil && a.sym != nil {
		whole = a.value
	}
	switch sub, is := whole.(*ir.Substr); {
	case is:
		hi := l.plus(l.plus(ir.Clone(sub.Lo), ir.Clone(n), a.pos), l.intConst(-1, a.pos), a.pos)
		a.store = &ir.Substr{X: sub.X, Base: sub.Base, Lo: sub.Lo, Hi: hi}
	case whole != nil:
		a.store = &ir.Substr{X: ir.X{Pos: a.pos, Typ: a.typ}, Base: whole, Lo: l.intConst(1, a.pos), Hi: ir.Clone(n)}
	}
}

// check compares types, and intents with what is passed.
func (b *binding) check() {
	l := b.l
	b.pureArguments()
	for _, d := range b.list {
		if d.arg != nil && d.arg.proc != nil {
			continue
		}
		if !d.declared.IsValid() && l.implicitNone && !d.procedure {
			l.errorf(codeUndeclared, d.Pos, "the dummy argument %s is not declared", d.Name.Name).
				WithHelp("declare it, as in: %s :: %s", typeWord(l.implicitType(d.Name.Name)), d.Name.Name)
			continue
		}
		a := d.arg
		if a == nil || d.typ == ir.Invalid || d.isArray != (a.view != nil) && !d.repacked || d.cell && a.cell == nil {
			continue
		}
		if d.sym.Coarray && d.isArray && !a.view.base.Coarray {
			l.errorf(codeCall, a.pos, "%s is no coarray, the dummy argument %s is one", b.what(d), d.Name.Name).
				WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name).
				WithHelp("declare what is passed with [*], or %s without", d.Name.Name)
			continue
		}
		if d.sym.Coarray && b.external {
			l.errorf(codeCall, a.pos, "the dummy argument %s of %s, an external procedure, is a coarray", d.Name.Name, b.unit.Name).
				WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name).
				WithHelp("put %s behind CONTAINS or into a module, or write an INTERFACE for it", b.unit.Name)
			continue
		}
		if d.sym.Coarray && d.isArray && d.explicit && !contiguous(a) {
			l.errorf(codeCall, a.pos, "%s is not contiguous, the dummy argument %s is a coarray of explicit shape", b.what(d), d.Name.Name).
				WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name).
				WithHelp("pass whole columns or consecutive elements, or declare it with assumed shape: %s(:)[*]", d.Name.Name)
			continue
		}
		if d.repacked && a.typ != d.typ {
			continue
		}
		if a.typ != d.typ {
			e := l.errorf(codeCall, a.pos, "%s is %s, the dummy argument %s is %s", b.what(d), a.typ, d.Name.Name, d.typ).
				WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name)
			if a.value != nil && a.typ.IsNumeric() && d.typ.IsNumeric() && d.intent == "in" {
				e.WithHelp("convert it: %s", convertHelp(d, ir.ExprString(a.value)))
			} else {
				e.WithHelp("pass a variable of that type, or change the declaration of %s", d.Name.Name)
			}
			continue
		}
		if a.readOnly != "" && !d.value && (d.intent == "out" || d.intent == "inout") {
			b.cannotAssign(d)
		}
	}
}

// contiguous reports whether the elements of a follow each other in memory, as far
// as that can be told: whole dimensions, then a range, then single subscripts.
func contiguous(a *argument) bool {
	ended := false
	for k, s := range a.view.subs {
		if s.dim < 0 {
			ended = true
			continue
		}
		n, known := constOf(a.shape.n[s.dim])
		if ended && !(known && n <= 1) || !isOne(s.coef) {
			return false
		}
		ended = ended || known && n != a.view.base.Dims[k].Extent()
	}
	return true
}

func convertHelp(d *dummy, text string) string {
	switch d.typ {
	case ir.Long:
		return "int(" + text + ", 8)"
	case ir.Byte, ir.Short:
		return fmt.Sprintf("int(%s, %d)", text, d.typ.Bytes())
	case ir.Integer:
		return "int(" + text + ")"
	case ir.Double:
		return "dble(" + text + ")"
	case ir.Complex:
		return "cmplx(" + text + ")"
	case ir.DoubleComplex:
		return "cmplx(" + text + ", kind=8)"
	}
	return "real(" + text + ")"
}

// cannotAssign reports an argument that the procedure changes and must not.
func (b *binding) cannotAssign(d *dummy) {
	b.l.errorf(codeCall, d.arg.pos, "%s is assigned to by the procedure, but %s", b.what(d), d.arg.readOnly).
		WithNote(b.declaredAt(d), "the dummy argument %s", d.Name.Name).
		WithHelp("pass a variable")
}

// around puts the copies of arguments around the body.
func (b *binding) around(body []ir.Stmt) []ir.Stmt {
	l := b.l
	if l.phantom {
		return nil
	}
	at := b.call.Pos
	// Bounds of arrays may depend on scalars, and arrays are copied by their bounds.
	var out, arrays, end, after []ir.Stmt
	for _, d := range b.list {
		a := d.arg
		if d.object {
			if x := l.allocs[d.sym]; d.intent == "out" && x != nil && !l.isPointer[d.sym] {
				out = append(out, &ir.If{S: ir.S{Pos: at}, Cond: varOf(x.flag, at), Then: l.freed(d.sym, x, at)})
			}
			continue
		}
		if d.absent {
			continue
		}
		if a.readOnly != "" && (a.view == nil || d.repacked) && d.owned && !d.value && assigns(body, d.sym) {
			b.cannotAssign(d)
		}
		if !d.owned {
			continue
		}
		if b.frame != nil && b.frame.passed[d] != nil {
			p := b.frame.passed[d]
			arrays = append(arrays, p.enter(b)...)
			end = append(end, p.leave(l)...)
			after = append(after, p.back(l, p.outermost)...)
			continue
		}
		if d.isArray {
			if d.sym.Type != a.typ {
				l.diags.Warnf(codeCall, a.pos, "%s is %s, the dummy argument %s is %s: the parts of the numbers are copied at each call, and back", b.what(d), a.typ, d.Name.Name, d.typ).
					WithNote(b.declaredAt(d), "%s is declared here", d.Name.Name).
					WithHelp("give both one type")
			}
			if d.intent != "out" {
				arrays = append(arrays, b.copyArray(d, true))
			}
			if d.intent != "in" && assigns(body, d.sym) {
				after = append(after, b.copyArray(d, false))
			}
			continue
		}
		v := func() *ir.Var {
			return &ir.Var{X: ir.X{Pos: at, Typ: d.sym.Type, Raw: true}, Sym: d.sym}
		}
		if d.intent != "out" && !d.late {
			value := ir.Clone(a.value)
			if _, element := value.(*ir.Ref); element || d.intent != "in" {
				value = raw(value)
			}
			out = append(out, &ir.Assign{S: ir.S{Pos: at}, LHS: v(), RHS: value})
		}
		if a.store != nil && !d.value && d.intent != "in" && assigns(body, d.sym) {
			after = append(after, &ir.Assign{S: ir.S{Pos: at}, LHS: ir.Clone(a.store), RHS: v()})
		}
	}
	// What arrays are aligned with has its bounds before they are allocated.
	allocates := func(s ir.Stmt) bool { a, is := s.(*ir.Allocate); return is && !a.Sym.Temp }
	ends := slices.DeleteFunc(slices.Clone(b.entry), allocates)
	memory := slices.DeleteFunc(slices.Clone(b.entry), func(s ir.Stmt) bool { return !allocates(s) })
	body = slices.Concat(ends, memory, arrays, body, end)
	if b.frame != nil {
		body = b.frame.complete(l, body)
	}
	return slices.Concat(out, body, after)
}

// assigns reports whether body gives a value to s.
func assigns(body []ir.Stmt, s *ir.Symbol) bool {
	found := false
	ir.Walk(body, func(st ir.Stmt) bool {
		found = found || slices.Contains(ir.Assigned(st), s)
		return !found
	})
	return found
}

// endOf is an end of a dimension as an expression of INTEGER(8).
func (l *lowerer) endOf(n int, pos source.Pos) ir.Expr {
	k, off, open := ir.Open(n)
	if !open {
		return intConstOf(ir.Long, n, pos)
	}
	return l.convert(l.plus(varOf(l.prog.Ends[k], pos), l.intConst(off, pos), pos), ir.Long)
}

// copyArray copies all elements of an array argument: in, from the actual
// argument, or out, back to it.
func (b *binding) copyArray(d *dummy, in bool) ir.Stmt {
	l := b.l
	switch {
	case d.repacked && d.sym.Type == ir.Character:
		return b.copyTexts(d, in)
	case d.repacked:
		return b.copyParts(d, in)
	}
	at := b.call.Pos
	x := ir.X{Pos: at, Typ: ir.Long}
	index := make([]*ir.Symbol, len(d.sym.Dims))
	for k := range index {
		index[k] = l.local("copy", ir.Long, at)
	}
	element := func(raw bool) *ir.Ref {
		r := &ir.Ref{X: ir.X{Pos: at, Typ: d.sym.Type, Raw: raw}, Sym: d.sym}
		for _, i := range index {
			r.Subs = append(r.Subs, &ir.Var{X: x, Sym: i})
		}
		return r
	}
	as := &ir.Assign{S: ir.S{Pos: at}}
	if v := l.copies[d.sym]; in {
		as.LHS, as.RHS = element(false), l.viewed(v, element(true))
	} else {
		as.LHS, as.RHS = l.viewed(v, element(false)), element(true)
	}
	return l.overElements(d.sym, index, one(as), at)
}

// overElements executes statements for each element of array a, whose subscripts are index.
func (l *lowerer) overElements(a *ir.Symbol, index []*ir.Symbol, body []ir.Stmt, at source.Pos) ir.Stmt {
	for k, bound := range a.Dims {
		body = one(&ir.Do{S: ir.S{Pos: at}, Index: index[k], Lo: l.endOf(bound.Lo, at), Hi: l.endOf(bound.Hi, at),
			Step: intConstOf(ir.Long, 1, at), Body: body, End: at})
	}
	return body[0]
}
