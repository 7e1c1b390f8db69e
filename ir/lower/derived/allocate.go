package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

// allocate is ALLOCATE or DEALLOCATE: of what has a derived type all parts are.
func (t *unit) allocate(s *ast.Allocate) []ast.Stmt {
	if o := t.chosenObject(s.Args[0]); o != nil {
		return t.allocateChosen(s, o)
	}
	if out := t.allocateDescribed(s); out != nil {
		return out
	}
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
			before = append(append(before, t.finalizedThere(o)...), t.emptied(o)...)
		}
		leaves := o.of.leaves()
		if o.comp == nil && o.root.presence() {
			leaves = append([]*leaf{{name: present, comp: &component{}}}, leaves...)
		}
		for _, l := range leaves {
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

// allocatedLike is ALLOCATE with SOURCE= or MOLD= of a derived type: one for each part.
func (t *unit) allocatedLike(s *ast.Allocate, like *ast.Keyword) []ast.Stmt {
	var out []ast.Stmt
	from := t.object(like.X)
	for _, a := range s.Args {
		if _, ok := a.(*ast.Keyword); ok {
			continue
		}
		o, bounds := t.allocated(a)
		if o == nil || from == nil || o.of.declared() != from.of.declared() {
			t.p.errorf(s.Pos, "ALLOCATE with %s=, where the types differ or a value has no name", like.Name).WithHelp("allocate, and assign the value behind it")
			return nil
		}
		for _, l := range o.of.leaves() {
			c := &ast.Allocate{Base: s.Base, Args: []ast.Expr{t.allocation(o, l, bounds, false)}}
			for _, k := range s.Args {
				if k, ok := k.(*ast.Keyword); ok && k != like {
					c.Args = append(c.Args, &ast.Keyword{XBase: k.XBase, Name: k.Name, X: t.expr(clone(k.X))})
				}
			}
			c.Args = append(c.Args, &ast.Keyword{XBase: like.XBase, Name: like.Name, X: t.reference(from, l)})
			out = append(out, c)
			if x := l.comp.init; x != nil && like.Name == "mold" {
				out = append(out, t.initially(o.name, l, x, o.rank(), s.Pos))
			}
		}
	}
	return out
}
