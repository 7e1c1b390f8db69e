package derived

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Arrays and coarrays that the run gives a type are objects with a number, as in chosen.go, which all
// elements have in common, and all images, and with allocatable parts: whatever the type is, the parts of
// all types are allocated and deallocated together.
//
//	class(shape), allocatable :: a(:)     integer :: a%type = 0; real, allocatable :: a%circle%%r(:), a%rect%%w(:)
//	allocate (circle :: a(n))             allocate (a%circle%%r(n), a%rect%%w(n)); a%type = 2
//	class(shape), allocatable :: x[:]     integer :: x%type = 0; real, allocatable :: x%circle%%r[:], x%rect%%w[:]

// isHeld reports whether o is such an array or coarray as a whole.
func (o *object) isHeld() bool { return o.comp == nil && o.root.dynamic && o.root.allocatable }

// heldObject is what a, an argument of ALLOCATE, allocates, where that is such an array or coarray; nil for
// anything else.
func (t *unit) heldObject(a ast.Expr) *object {
	if _, key := a.(*ast.Keyword); key {
		return nil
	}
	if o, _ := t.allocated(a); o != nil && o.of != nil && o.store == nil && o.isHeld() {
		return o
	}
	return nil
}

// allocateHeld is ALLOCATE or DEALLOCATE of o.
func (t *unit) allocateHeld(s *ast.Allocate, o *object) []ast.Stmt {
	e := builder{ast.XBase{Pos: s.Pos, End: s.Pos}}
	plain := &ast.Allocate{Base: s.Base, Free: s.Free, Args: s.Args[:1:1]}
	var like *ast.Keyword
	var stat ast.Expr
	for _, a := range s.Args[1:] {
		k, ok := a.(*ast.Keyword)
		switch {
		case ok && (k.Name == "source" || k.Name == "mold"):
			like = k
		case ok && (k.Name == "stat" || k.Name == "errmsg"):
			if plain.Args = append(plain.Args, k); k.Name == "stat" {
				stat = k.X
			}
		}
	}
	// done is list, where what was allocated is there.
	done := func(list ...ast.Stmt) []ast.Stmt {
		if stat == nil {
			return list
		}
		return one(e.when(e.bin("==", t.expr(clone(stat)), e.lit(0)), list...))
	}
	if s.Free {
		return append(t.allocateParts(plain), done(t.setType(o, 0, e.base()))...)
	}
	if like != nil {
		return t.heldLike(plain, o, like, done, e)
	}
	r := o.of.declared()
	if s.Of.Name != "" {
		r = t.record(s.Of.Name)
	}
	if r == nil || !r.extends(o.of) || r.def.Abstract {
		t.p.errorf(s.Pos, "%s cannot be allocated with this type", o.name).WithHelp("write allocate (name :: %s), name a type that extends %s and is not abstract", o.name, o.of.name)
		return nil
	}
	return append(t.allocateParts(plain), done(t.setType(o, t.p.numberOf(r), e.base()))...)
}

// heldLike is ALLOCATE with SOURCE= or MOLD=: s without that.
func (t *unit) heldLike(s *ast.Allocate, o *object, like *ast.Keyword, done func(...ast.Stmt) []ast.Stmt, e builder) []ast.Stmt {
	r := t.typeOf(like.X)
	if r == nil || !r.extends(o.of) {
		t.p.diags.Errorf(source.TypeMismatch, like.X.Position(), "%s is of %s, this is of %s", o.name, typeText(o.of), typeText(r)).WithHelp("write a value of the type or of an extension")
		return nil
	}
	x, out := t.sourceOf(like.X, r, e)
	if x == nil {
		return nil
	}
	_, bounds := t.allocated(s.Args[0])
	if rank := o.rank(); len(bounds) == 0 && rank > 0 {
		if rank != x.rank() {
			t.p.diags.Errorf(source.RankMismatch, s.Pos, "%s has %d dimensions, and what %s= says has %d", o.name, rank, like.Name, x.rank()).WithHelp("write the bounds behind the name")
			return nil
		}
		outer := t.scope
		defer func() { t.scope = outer }()
		t.scope = newScope(t.unit, outer, "")
		s.Args[0] = withBounds(s.Args[0], t.boundsOf(x, e), e)
	} else if x.rank() > 0 {
		o = o.everything() // which keeps its shape
	}
	out = append(out, t.allocateParts(s)...)
	var body []ast.Stmt
	if like.Name == "mold" {
		body = one(&ast.Assign{Base: e.base(), LHS: t.typeNumber(o), RHS: t.typeNumber(x)})
	} else {
		body = t.heldCopied(o, x, r, e)
	}
	out = append(out, done(body...)...)
	if _, co := s.Args[0].(*ast.CoIndex); co && like.Name == "source" {
		// Other images may use the coarrays only when they have their values.
		out = append(out, &ast.Sync{Base: e.base(), What: "all"})
	}
	return out
}

// boundsOf are the bounds of x, by a name that it has in the scope in hand.
func (t *unit) boundsOf(x *object, e builder) []ast.Expr {
	const name = "%source"
	t.scope.vars[name] = &variable{name: name, of: x.of, rank: x.rank(), alias: x}
	var out []ast.Expr
	for k := range x.rank() {
		out = append(out, e.section(e.ref("lbound", e.id(name), e.lit(k+1)), e.ref("ubound", e.id(name), e.lit(k+1))))
	}
	return out
}

// heldCopied lets o, which is allocated with the shape of x, have the type and value of x, which is of type r.
func (t *unit) heldCopied(o, x *object, r *record, e builder) []ast.Stmt {
	from := *x
	from.store = x.storage()
	out := one(&ast.Assign{Base: e.base(), LHS: t.typeNumber(o), RHS: t.typeNumber(x)})
	if !t.p.isChosen(from.store) {
		to := *o
		to.store, to.of = o.storage(), r
		out = append(out, t.leavesCopied(&to, x, r.leaves(), e.base())...)
		return append(out, t.ownCopies(&to)...)
	}
	from.of = from.store
	for _, l := range o.of.leaves() {
		switch c := l.path[0]; {
		case c == t.p.number || !from.of.has(c) || c.origin().name == shapeOnly:
		case c.owner != nil:
			out = append(out, e.when(t.isOneOf(o, t.p.kinds(c.owner)), t.leavesCopied(o, &from, []*leaf{l}, e.base())...))
		default:
			out = append(out, t.leavesCopied(o, &from, []*leaf{l}, e.base())...)
		}
	}
	return append(out, t.ownCopies(o)...)
}

// heldAssigned is "o = x", where x is of type r.
func (t *unit) heldAssigned(o *object, x ast.Expr, r *record, e builder) []ast.Stmt {
	if o.root.coarray {
		t.p.diags.Errorf(source.TypeMismatch, o.Pos, "an assignment to %s, which is polymorphic and a coarray", o.name).WithHelp("write it in SELECT TYPE, or assign the components")
		return nil
	}
	from, out := t.sourceOf(x, r, e)
	if from == nil {
		return nil
	}
	if from.root == o.root {
		t.p.errorf(x.Position(), "a value of %s assigned to itself, which is polymorphic", o.name).WithHelp("assign it to a variable of its own first")
		return nil
	}
	ends := append(t.finalizedThere(o), t.whereAllocated(o, t.emptied(o))...)
	if from.rank() == 0 {
		return append(append(out, ends...), t.heldCopied(o, from, r, e)...)
	}
	outer := t.scope
	defer func() { t.scope = outer }()
	t.scope = newScope(t.unit, outer, "")
	free := &ast.Allocate{Base: e.base(), Free: true, Args: []ast.Expr{e.id(o.root.name)}}
	anew := &ast.Allocate{Base: e.base(), Args: []ast.Expr{elementOf(e.id(o.root.name), t.boundsOf(from, e), e.XBase)}}
	out = append(out, e.when(e.bin("/=", t.typeNumber(o), e.lit(0)), t.allocateParts(free)...))
	out = append(out, t.allocateParts(anew)...)
	return append(out, t.heldCopied(o, from, r, e)...)
}

// heldMoved is MOVE_ALLOC of x to o: from is x where the run gives that a type, else nil.
func (t *unit) heldMoved(x ast.Expr, from, to *object, e builder) []ast.Stmt {
	src := from
	if src == nil {
		src = t.object(x)
	}
	if src == nil || src.of == nil || src.comp != nil || !to.isHeld() || !src.of.extends(to.of) || src.rank() != to.rank() || !src.root.allocatable {
		t.p.diags.Errorf(source.TypeMismatch, e.Pos, "MOVE_ALLOC of %s to %s", typeText(t.typeOf(x)), typeText(to.of)).WithHelp("declare both alike")
		return []ast.Stmt{}
	}
	var there ast.Expr = e.ref("allocated", clone(x))
	free := &ast.Allocate{Base: e.base(), Free: true, Args: []ast.Expr{e.id(to.root.name)}}
	out := one(e.when(e.bin("/=", t.typeNumber(to), e.lit(0)), append(t.allocateParts(free), t.setType(to, 0, e.base()))...))
	outer := t.scope
	defer func() { t.scope = outer }()
	t.scope = newScope(t.unit, outer, "")
	bounds := t.boundsOf(src, e)
	seen := *src
	seen.store = src.storage()
	body := one(&ast.Assign{Base: e.base(), LHS: t.typeNumber(to), RHS: t.typeNumber(src)})
	var moved []ast.Stmt
	for _, l := range to.of.leaves() {
		switch c := l.path[0]; {
		case c == t.p.number:
		case seen.store.has(c):
			moved = append(moved, e.call("move_alloc", t.reference(&seen, l), t.reference(to, l)))
		default: // of a type that it does not have
			body = append(body, &ast.Allocate{Base: e.base(), Args: []ast.Expr{t.allocation(to, l, bounds, false)}})
			if x := l.comp.init; x != nil {
				body = append(body, t.initially(to.name, l, x, len(bounds), e.Pos))
			}
		}
	}
	body = append(body, moved...)
	if from != nil {
		body = append(body, t.setType(from, 0, e.base()))
	}
	return append(out, e.when(t.expr(there), body...))
}
