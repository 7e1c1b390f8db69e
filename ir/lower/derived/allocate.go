package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// allocate is ALLOCATE or DEALLOCATE: of what has a derived type all parts are.
func (t *unit) allocate(s *ast.Allocate) []ast.Stmt {
	if out := t.allocateEach(s); out != nil {
		return out
	}
	if o := t.heldObject(s.Args[0]); o != nil {
		return t.allocateHeld(s, o)
	}
	if o := t.chosenObject(s.Args[0]); o != nil {
		return t.allocateChosen(s, o)
	}
	if out := t.allocateDescribed(s); out != nil {
		return out
	}
	return t.allocateParts(s)
}

// allocateParts is the same, where what is allocated is variables for each part.
func (t *unit) allocateParts(s *ast.Allocate) []ast.Stmt {
	c := *s
	c.Args = nil
	var before, later []ast.Stmt
	shared := false
	var source *ast.Keyword
	for _, a := range s.Args {
		if k, ok := a.(*ast.Keyword); ok && (k.Name == "source" || k.Name == "mold") && t.typeOf(k.X) != nil {
			source = k
		}
	}
	if source != nil {
		return t.allocatedLike(s, source)
	}
	for _, a := range s.Args {
		if k, ok := a.(*ast.Keyword); ok {
			c.Args = append(c.Args, &ast.Keyword{XBase: k.XBase, Name: k.Name, X: t.expr(k.X)})
			continue
		}
		o, bounds := t.allocated(a)
		if o == nil || o.of == nil {
			c.Args = append(c.Args, t.expr(a))
			continue
		}
		if s.Free {
			before = append(append(before, t.finalizedThere(o)...), t.whereAllocated(o, t.emptied(o))...)
		}
		leaves := o.of.leaves()
		if o.comp == nil && o.root.presence() {
			leaves = append([]*leaf{{name: present, comp: &component{}}}, leaves...)
		}
		for _, l := range leaves {
			if l.comp == t.p.number {
				continue // of all elements
			}
			one := t.allocation(o, l, bounds, s.Free)
			if o.comp == nil && o.root.apart(l) {
				if s.Free {
					before = append(before, t.freed(ident(o.name+l.name, a), ast.Base{Pos: s.Pos}))
				}
				continue
			}
			if co, ok := a.(*ast.CoIndex); ok {
				shared = true
				part := &ast.CoIndex{XBase: co.XBase, Base: one}
				for _, i := range co.Images {
					part.Images = append(part.Images, t.expr(clone(i)))
				}
				one = part
			}
			c.Args = append(c.Args, one)
			if x := l.comp.init; x != nil && !s.Free {
				later = append(later, t.initially(o.name, l, x, len(bounds), s.Pos))
			}
		}
	}
	for _, a := range s.Args {
		if k, ok := a.(*ast.Keyword); ok && k.Name == "stat" && len(later) > 0 { // else they have the values that they had
			e := builder{ast.XBase{Pos: s.Pos, End: s.Pos}}
			later = one(e.when(e.bin("==", t.expr(clone(k.X)), e.lit(0)), later...))
		}
	}
	if shared && len(later) > 0 {
		// Other images may use the coarrays only when they have their initial values.
		later = append(later, &ast.Sync{Base: ast.Base{Pos: s.Pos}, What: "all"})
	}
	return append(append(before, &c), later...)
}

// allocated is what argument a of ALLOCATE allocates, and its bounds as written.
func (t *unit) allocated(a ast.Expr) (*object, []ast.Expr) {
	switch x := a.(type) {
	case *ast.CoIndex:
		return t.allocated(x.Base)
	case *ast.Index:
		return t.object(&ast.Ident{XBase: x.XBase, Name: x.Name}), x.Args
	case *ast.Substring:
		o := t.object(x.Base)
		return o, []ast.Expr{&ast.Triplet{XBase: x.XBase, Lo: x.Lo, Hi: x.Hi}}
	case *ast.Component:
		whole := *x
		whole.List, whole.Args = false, nil
		return t.object(&whole), x.Args
	}
	return t.object(a), nil
}

// allocation is the argument of ALLOCATE for part l of o.
func (t *unit) allocation(o *object, l *leaf, bounds []ast.Expr, free bool) ast.Expr {
	name := o.name + l.name
	var args []ast.Expr
	if len(bounds) > 0 || !free && !slices.ContainsFunc(o.groups, func(g group) bool { return g.rank > 0 }) {
		for _, d := range l.dims {
			if d.Lo != nil {
				args = append(args, &ast.Triplet{XBase: o.XBase, Lo: clone(d.Lo), Hi: cloneOf(d.Hi)})
			} else {
				args = append(args, cloneOf(d.Hi))
			}
		}
	}
	for _, b := range bounds {
		args = append(args, t.expr(clone(b)))
	}
	if len(args) == 0 {
		return &ast.Ident{XBase: o.XBase, Name: name}
	}
	return element(o.XBase, name, args)
}

// allocatedLike is ALLOCATE with SOURCE= or MOLD= of a derived type: each object is allocated, and assigned to.
func (t *unit) allocatedLike(s *ast.Allocate, like *ast.Keyword) []ast.Stmt {
	r := t.typeOf(like.X)
	e := builder{ast.XBase{Pos: s.Pos, End: s.Pos}}
	x, out := t.sourceOf(like.X, r, e)
	if x == nil {
		return nil
	}
	outer := t.scope
	defer func() { t.scope = outer }()
	t.scope = newScope(t.unit, outer, "")
	const name = "%source"
	t.scope.vars[name] = &variable{name: name, of: x.of, rank: x.rank(), alias: x}
	var rest []ast.Expr
	var stat ast.Expr
	for _, a := range s.Args {
		if k, ok := a.(*ast.Keyword); ok && k != like {
			if rest = append(rest, k); k.Name == "stat" {
				stat = k.X
			}
		}
	}
	shared := false
	for _, a := range s.Args {
		if _, ok := a.(*ast.Keyword); ok {
			continue
		}
		o, bounds := t.allocated(a)
		if o == nil || o.of.declared() != r.declared() {
			t.p.diags.Errorf(source.TypeMismatch, a.Position(), "ALLOCATE with %s= of %s for what has another type", like.Name, typeText(r)).WithHelp("write a value of the type that is allocated")
			return nil
		}
		if rank := o.rank(); len(bounds) == 0 && rank > 0 {
			if rank != x.rank() {
				t.p.diags.Errorf(source.RankMismatch, a.Position(), "%s has %d dimensions, and what %s= says has %d", o.name, rank, like.Name, x.rank()).WithHelp("write the bounds behind the name")
				return nil
			}
			for k := range rank {
				lo, hi := e.ref("lbound", e.id(name), e.lit(k+1)), e.ref("ubound", e.id(name), e.lit(k+1))
				bounds = append(bounds, e.section(lo, hi))
			}
			a = withBounds(a, bounds, e)
		} else if x.rank() > 0 {
			o = o.everything() // which keeps its shape
		}
		out = append(out, t.allocate(&ast.Allocate{Base: e.base(), Args: append([]ast.Expr{a}, rest...)})...)
		if like.Name == "mold" {
			continue
		}
		if _, co := a.(*ast.CoIndex); co {
			shared = true
		}
		value := t.sourced(o, x, e)
		if stat != nil {
			value = one(e.when(e.bin("==", t.expr(clone(stat)), e.lit(0)), value...))
		}
		out = append(out, value...)
	}
	if shared {
		// Other images may use the coarrays only when they have their values.
		out = append(out, &ast.Sync{Base: e.base(), What: "all"})
	}
	return out
}

// sourceOf is the variable of type r that x, which SOURCE= or MOLD= says, is, or one that is assigned x; nil
// after an error.
func (t *unit) sourceOf(x ast.Expr, r *record, e builder) (o *object, out []ast.Stmt) {
	if o := t.object(x); o != nil {
		if o = t.steady(o).numbered(); o.whole != nil {
			o = t.steadyDescriptor(o, &out)
		}
		return o, out
	}
	if rank := t.rank(x); rank > 0 {
		return t.heldArray(r, rank, t.value(x, r, false), e), nil
	}
	if r.hasContents() {
		return t.owned(x, r, e), nil
	}
	return t.held(r, t.value(x, r, false), e.XBase), nil
}

// everything is the section of all elements of o, an array of its own; o where that is anything else.
func (o *object) everything() *object {
	if len(o.groups) != 1 || o.groups[0].args != nil || o.whole != nil {
		return o
	}
	out := *o
	out.groups = []group{{rank: o.groups[0].rank}}
	for range out.groups[0].rank {
		out.groups[0].args = append(out.groups[0].args, &ast.Triplet{XBase: o.XBase})
	}
	return &out
}

// withBounds is a, an item of ALLOCATE without bounds, with these.
func withBounds(a ast.Expr, bounds []ast.Expr, e builder) ast.Expr {
	if co, ok := a.(*ast.CoIndex); ok {
		c := *co
		c.Base = withBounds(co.Base, bounds, e)
		return &c
	}
	return elementOf(a, bounds, e.XBase)
}

// sourced gives o, which has just been allocated, the value of x: nothing is finalized, and no procedure assigns.
func (t *unit) sourced(o, x *object, e builder) []ast.Stmt {
	seen := *x
	if seen.of != o.of {
		seen.store, seen.of = x.storage(), o.of
	}
	out := t.leavesCopied(o, &seen, o.of.leaves(), e.base())
	return append(out, t.ownCopies(o)...)
}
