package derived

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Objects that the run gives a type: CLASS with ALLOCATABLE. What is assigned, moved, allocated and
// deallocated follows the number of the type that they have.

// chosenObject is x where that is declared with CLASS and ALLOCATABLE, nil for anything else.
func (t *unit) chosenObject(x ast.Expr) *object {
	o := t.object(x)
	if o == nil || o.of == nil || o.store != nil || !t.p.isChosen(o.of) {
		return nil
	}
	if o.comp == nil && o.root.dynamic && !(o.root.allocatable && (o.isPart() || o.images != nil)) || o.comp != nil && o.comp.dynamic {
		return o
	}
	return nil
}

// becomes lets o, which the run gives a type, have that of x and its value.
func (t *unit) becomes(o *object, x ast.Expr, base ast.Base) []ast.Stmt {
	r := t.typeOf(x)
	if r == nil || !r.extends(o.of) {
		t.p.diags.Errorf(source.TypeMismatch, x.Position(), "%s is of %s, this is of %s", o.name, typeText(o.of), typeText(r)).WithHelp("write a value of the type or of an extension")
		return nil
	}
	e := builder{ast.XBase{Pos: base.Pos, End: base.Pos}}
	if o.isHeld() {
		return t.heldAssigned(o, x, r, e)
	}
	o = t.steady(o)
	ends := t.finalized(o)
	if !t.p.isChosen(r) {
		to := *o
		to.store, to.of = o.storage(), r
		if o.of.hasContents() {
			tmp := t.owned(x, r, e)
			if tmp == nil {
				return nil
			}
			out := append(append(ends, t.emptied(o)...), t.setType(o, t.p.numberOf(r), base))
			return append(out, t.leavesCopied(&to, tmp, r.leaves(), base)...)
		}
		parts := t.value(x, r, false)
		if len(ends) > 0 {
			parts = t.kept(r, parts, o.XBase)
		}
		return append(append(ends, t.setType(o, t.p.numberOf(r), base)), t.assigned(&to, parts, base)...)
	}
	from := t.object(x)
	if from == nil {
		from = t.valueObject(x, r)
	}
	if from == nil {
		return nil
	}
	if !o.of.hasContents() {
		return append(ends, t.chosenCopied(o, from, base)...)
	}
	tmp := t.temp(o.storage(), o.XBase)
	var out []ast.Stmt
	for _, l := range tmp.of.leaves() {
		if l.owned() && l.comp.init != nil {
			out = append(out, e.set(t.reference(tmp, l), clone(l.comp.init)))
		}
	}
	out = append(append(out, t.chosenCopied(tmp, from, base)...), t.ownCopies(tmp)...)
	out = append(append(out, ends...), t.emptied(o)...)
	return append(out, t.chosenCopied(o, tmp, base)...)
}

// chosenCopied lets o have the type of from, and the parts that this type has: what o had is lost.
func (t *unit) chosenCopied(o, from *object, base ast.Base) []ast.Stmt {
	out := one(&ast.Assign{Base: base, LHS: t.typeNumber(o), RHS: t.typeNumber(from)})
	whole := *from
	whole.store, whole.of = from.storage(), from.storage()
	for _, l := range o.of.leaves() {
		if l.path[0] == t.p.number || !whole.of.has(l.path[0]) {
			continue
		}
		copied := &ast.Assign{Base: ast.Base{Pos: base.Pos}, Part: true, LHS: t.reference(o, l), RHS: t.reference(&whole, l)}
		if e := l.path[0].owner; e != nil {
			out = append(out, &ast.If{Base: ast.Base{Pos: base.Pos}, OneLine: true, EndPos: base.Pos, Arms: []ast.IfArm{{Pos: base.Pos, Cond: t.isOneOf(o, t.p.kinds(e)), Body: one(copied)}}})
			continue
		}
		out = append(out, copied)
	}
	return out
}

// chosenFreed deallocates the allocatable components of o, which the run gives a type: of all types.
func (t *unit) chosenFreed(o *object, base ast.Base) []ast.Stmt {
	out := t.emptied(o)
	for _, l := range o.of.leaves() {
		if l.open {
			out = append(out, t.freed(t.reference(o, l), ast.Base{Pos: base.Pos}))
		}
	}
	return out
}

// movedChosen is MOVE_ALLOC(x, y) where the run gives the one or the other a type, nil for anything else.
func (t *unit) movedChosen(x, y ast.Expr, e builder) []ast.Stmt {
	from, to := t.chosenObject(x), t.chosenObject(y)
	if from == nil && to == nil {
		return nil
	}
	if to == nil || from == nil && t.typeOf(x) == nil || from != nil && !from.of.extends(to.of) {
		t.p.diags.Errorf(source.TypeMismatch, e.Pos, "MOVE_ALLOC of %s to %s", typeText(t.typeOf(x)), typeText(t.typeOf(y))).WithHelp("declare both alike")
		return []ast.Stmt{}
	}
	if to.isHeld() || from != nil && from.isHeld() {
		return t.heldMoved(x, from, to, e)
	}
	to = t.steady(to)
	out := append(append(t.finalized(to), t.chosenFreed(to, e.base())...), t.setType(to, 0, e.base()))
	if from == nil {
		body := append(t.becomes(to, x, e.base()), t.list(one(&ast.Allocate{Base: e.base(), Free: true, Args: []ast.Expr{clone(x)}}))...)
		return append(out, e.when(t.expr(e.ref("allocated", clone(x))), body...))
	}
	from = t.steady(from)
	body := append(t.chosenCopied(to, from, e.base()), t.forgotten(from)...)
	body = append(append(body, t.chosenFreed(from, e.base())...), t.setType(from, 0, e.base()))
	return append(out, e.when(e.bin("/=", t.typeNumber(from), e.lit(0)), body...))
}

// valueObject is a variable with the value of x, which is no variable, of type r; nil after an error.
func (t *unit) valueObject(x ast.Expr, r *record) *object {
	parts := t.value(x, r, false)
	if len(parts) == 0 {
		return nil
	}
	at := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	if id, ok := parts[0].(*ast.Ident); ok && t.isReference(x) {
		name := strings.TrimSuffix(id.Name, r.leaves()[0].name)
		return &object{XBase: at, root: &variable{name: name, of: r}, of: r, name: name}
	}
	return t.held(r, parts, at)
}

func (t *unit) setType(o *object, n int, base ast.Base) ast.Stmt {
	return &ast.Assign{Base: base, LHS: t.typeNumber(o), RHS: &ast.IntLit{XBase: o.XBase, Text: fmt.Sprint(n)}}
}

// allocateChosen is ALLOCATE or DEALLOCATE of an object that the run gives a type.
func (t *unit) allocateChosen(s *ast.Allocate, o *object) []ast.Stmt {
	base := ast.Base{Pos: s.Pos}
	e := builder{ast.XBase{Pos: s.Pos, End: s.Pos}}
	var source, mold, stat, message ast.Expr
	for _, a := range s.Args[1:] {
		to := map[string]*ast.Expr{"source": &source, "mold": &mold, "stat": &stat, "errmsg": &message}
		k, ok := a.(*ast.Keyword)
		if !ok || to[k.Name] == nil || k.Name == "mold" && (t.typeOf(k.X) == nil || t.p.isChosen(t.typeOf(k.X))) {
			t.p.errorf(a.Position(), "ALLOCATE or DEALLOCATE of %s, which is polymorphic, with this", o.name).WithHelp("write a type and a colon in front of it, SOURCE=, STAT= and ERRMSG=")
			return nil
		}
		*to[k.Name] = k.X
	}
	o = t.steady(o)
	// unless is body where o is allocated or not, as it must be, and else an error.
	unless := func(is, text, longer string, number int, body []ast.Stmt) []ast.Stmt {
		bad := e.bin(is, t.typeNumber(o), e.lit(0))
		if stat == nil {
			return append(one(e.when(bad, e.errorStop(longer))), body...)
		}
		fails := one(e.set(t.expr(clone(stat)), e.lit(number)))
		if message != nil {
			fails = append(fails, e.set(t.expr(clone(message)), &ast.StringLit{XBase: e.XBase, Value: text}))
		}
		return one(e.otherwise(e.when(bad, fails...), append(body, e.set(t.expr(clone(stat)), e.lit(0)))...))
	}
	if s.Free {
		body := append(append(t.finalized(o), t.chosenFreed(o, base)...), t.setType(o, 0, base))
		return unless("==", "Attempt to deallocate an unallocated object", "attempt to deallocate "+o.name+", which is not allocated", 1, body)
	}
	var body []ast.Stmt
	if source != nil {
		body = t.becomes(o, source, base)
	} else {
		r := o.of.declared()
		if s.Of.Name != "" {
			r = t.record(s.Of.Name)
		} else if mold != nil {
			r = t.typeOf(mold).declared()
		}
		if r == nil || !r.extends(o.of) || r.def.Abstract {
			t.p.errorf(s.Pos, "%s cannot be allocated with this type", o.name).WithHelp("write allocate (name :: %s), name a type that extends %s and is not abstract", o.name, o.of.name)
			return nil
		}
		body = append(body, t.setType(o, t.p.numberOf(r), base))
		to := *o
		to.store, to.of = o.storage(), r
		for _, l := range r.leaves() {
			if l.comp.init != nil {
				body = append(body, &ast.Assign{Base: base, LHS: t.reference(&to, l), RHS: clone(l.comp.init)})
			}
		}
	}
	return unless("/=", "Attempt to allocate an allocated object", "attempt to allocate "+o.name+", which is allocated", 5014, body)
}

// allocateEach is ALLOCATE or DEALLOCATE of several objects, one of which the run gives a type: a statement
// for each, up to the first that fails; nil for anything else.
func (t *unit) allocateEach(s *ast.Allocate) (out []ast.Stmt) {
	var objects, rest []ast.Expr
	var stat ast.Expr
	chosen := false
	for _, a := range s.Args {
		if k, is := a.(*ast.Keyword); is {
			if rest = append(rest, a); k.Name == "stat" {
				stat = k.X
			}
			continue
		}
		objects = append(objects, a)
		chosen = chosen || t.chosenObject(a) != nil || t.heldObject(a) != nil
	}
	if len(objects) < 2 || !chosen {
		return nil
	}
	e := builder{ast.XBase{Pos: s.Pos, End: s.Pos}}
	for k, a := range objects {
		c := *s
		c.Args = append([]ast.Expr{a}, rest...)
		list := t.allocate(&c)
		if k > 0 && stat != nil {
			list = one(e.when(e.bin("==", t.expr(clone(stat)), e.lit(0)), list...))
		}
		out = append(out, list...)
	}
	return out
}

// typeInquiry is SAME_TYPE_AS or EXTENDS_TYPE_OF, nil for anything else.
func (t *unit) typeInquiry(name string, args []ast.Expr, at ast.XBase) ast.Expr {
	if name != "same_type_as" && name != "extends_type_of" || len(args) != 2 || t.function(t.p, name) != nil {
		return nil
	}
	a, b := t.object(args[0]), t.object(args[1])
	if a == nil || b == nil || a.of == nil || b.of == nil {
		return nil
	}
	if name == "same_type_as" {
		return &ast.Binary{XBase: at, Op: "==", OpPos: at.Pos, X: t.typeNumber(a), Y: t.typeNumber(b)}
	}
	of := []*record{b.of.declared()}
	if t.p.isChosen(b.storage()) {
		of = t.p.kinds(of[0])
	}
	e := builder{at}
	var out ast.Expr = &ast.LogicalLit{XBase: at}
	for _, r := range of {
		x := t.isOneOf(a, t.p.kinds(r))
		switch {
		case x == nil:
		case len(of) == 1:
			out = x
		default:
			out = e.bin(".or.", out, e.bin(".and.", &ast.Paren{XBase: at, X: t.isOneOf(b, []*record{r})}, &ast.Paren{XBase: at, X: x}))
		}
	}
	return &ast.Paren{XBase: at, X: out}
}

// onlyChosen is the object that ALLOCATED asks about, where the run gives it a type, nil for
// anything else.
func (t *unit) onlyChosen(name string, args []ast.Expr) *object {
	if name != "allocated" || len(args) != 1 {
		return nil
	}
	return t.chosenObject(args[0])
}
