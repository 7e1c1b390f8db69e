package derived

import (
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An allocatable component of a coarray is a coarray of which each image allocates its own
// (ast.Entity.Apart). It is there even where the coarray itself is not allocated; whether that is
// says a coarray beside it, which is allocated with the other components, and which has the codimensions.

// present is the end of the name of the coarray beside a variable, which is allocated whenever that is.
const present = "%"

// apart reports whether each image allocates part l of v for itself.
func (v *variable) apart(l *leaf) bool { return v.coarray && l.open }

// presence reports whether the coarray beside v says whether v is allocated.
func (v *variable) presence() bool { return v.allocatable && v.beside() }

// beside reports whether v has a coarray beside it, which has its codimensions.
func (v *variable) beside() bool {
	if !v.coarray {
		return false
	}
	for _, l := range v.of.leaves() {
		if l.open {
			return true
		}
	}
	return false
}

// anyImage is [*].
func anyImage(pos source.Pos) []ast.DimSpec {
	return []ast.DimSpec{{Pos: pos, Hi: &ast.Ident{XBase: ast.XBase{Pos: pos, End: pos}, Name: "*"}}}
}

// isAnyImage reports whether codims are [*].
func isAnyImage(codims []ast.DimSpec) bool {
	if len(codims) != 1 || codims[0].Lo != nil {
		return false
	}
	id, is := codims[0].Hi.(*ast.Ident)
	return is && id.Name == "*"
}

// there is allocatable component o of another image, without its bounds, nil for anything else.
func (t *unit) there(x ast.Expr) ast.Expr {
	o := t.object(x)
	if o == nil {
		return nil
	}
	return t.thereOf(o, nil)
}

// thereOf is o, where l is nil, as there has it.
func (t *unit) thereOf(o *object, l *leaf) ast.Expr {
	if l != nil || o.images == nil || o.comp == nil || !o.comp.allocatable && !o.comp.pointer {
		return nil
	}
	name := o.name
	if o.of != nil {
		name += o.of.leaves()[0].name
	}
	return &ast.CoIndex{XBase: o.XBase, Base: &ast.Ident{XBase: o.XBase, Name: name}, Images: t.apartImages(o)}
}

// apartImages is the image selector of o for an allocatable component, which has one codimension from 1 on
// unless it is a coarray itself.
func (t *unit) apartImages(o *object) []ast.Expr {
	sibling := o.root.name + present // it has the codimensions
	if !o.root.beside() {
		whole := &object{root: o.root, of: o.root.of}
		sibling = o.root.name + whole.first().name
	}
	other := !o.root.anyImage && (o.root.beside() || o.comp != nil && o.comp.described != nil)
	var subs, keywords []ast.Expr
	for _, i := range o.images {
		x := t.expr(clone(i))
		if k, is := x.(*ast.Keyword); is {
			if keywords = append(keywords, x); k.Name != "stat" && other {
				t.p.errorf(k.Pos, "%s= in a selector of an allocatable component of %s, whose codimensions are not [*]", strings.ToUpper(k.Name), o.root.name).WithHelp("declare %s with [*]", o.root.name)
			}
			continue
		}
		subs = append(subs, x)
	}
	if n := o.root.codims; o.root.beside() && n > 0 && len(subs) != n {
		t.p.diags.Errorf(source.RankMismatch, o.Pos, "coarray %s has %d codimension%s, not %d", o.root.name, n, strings.Repeat("s", min(1, n-1)), len(subs)).WithHelp("give a cosubscript for each codimension")
		return append(subs[:min(1, len(subs))], keywords...)
	}
	if other {
		e := builder{o.XBase}
		subs = []ast.Expr{e.ref("image_index", e.id(sibling), &ast.Array{XBase: o.XBase, Items: subs, Brackets: true})}
	}
	return append(subs, keywords...)
}

// openThere is the part of o that is called name, of another image, without its bounds, where that has extents
// of its own on each image: an allocatable component is on the way. It is nil for anything else.
func (t *unit) openThere(o *object, name string) ast.Expr {
	if o.images == nil || o.desc != nil {
		return nil
	}
	for _, l := range o.root.of.leaves() {
		if o.root.name+l.name == name && l.open {
			return &ast.CoIndex{XBase: o.XBase, Base: &ast.Ident{XBase: o.XBase, Name: name}, Images: t.apartImages(o)}
		}
	}
	return nil
}

// everything is dimension k, from 1, of allocatable component x of another image.
func (t *unit) everything(x ast.Expr, k int, at ast.XBase) ast.Expr {
	end := func(name string) ast.Expr {
		return &ast.Index{XBase: at, Name: name, NamePos: at.Pos, Args: []ast.Expr{clone(x), &ast.IntLit{XBase: at, Text: string(rune('0' + k))}}}
	}
	return &ast.Triplet{XBase: at, Lo: end("lbound"), Hi: end("ubound")}
}

// remote is the names of the components that f takes from other images: what is in pools there must be
// within reach.
func remote(f *ast.File) map[string]bool {
	names := map[string]bool{}
	var of func(x ast.Expr) bool
	of = func(x ast.Expr) bool { // also collects
		switch x := x.(type) {
		case *ast.CoIndex:
			return true
		case *ast.Component:
			if of(x.Base) {
				names[x.Name] = true
				return true
			}
		case *ast.Index:
			return x.Part() != "" && of(x.Args[0])
		case *ast.Substring:
			return of(x.Base)
		}
		return false
	}
	for u := range f.Units() {
		ast.Each(u.Body, func(s ast.Stmt) {
			for _, x := range ast.Exprs(s) {
				ast.Any(*x, func(x ast.Expr) bool { of(x); return false })
			}
		})
	}
	return names
}

// own reports whether o, which is described, is one of this image. Where it is not, what is an error.
func (t *unit) own(o *object, what string) bool {
	if o.whole.images == nil && o.images == nil {
		return true
	}
	t.p.errorf(o.Pos, "%s %s of another image", what, o.whole.name).WithHelp("each image does that with its own")
	return false
}

// notThere reports a part of another image that cannot be reached.
func (t *unit) notThere(o *object) ast.Expr {
	name := o.name
	if o.desc != nil {
		name = o.desc.name
	}
	t.p.errorf(o.Pos, "%s of another image as a whole or a section, which is in an allocatable component of an array or of another component", name).
		WithHelp("write a loop over its elements, with their components one by one, or let that image assign it to a coarray")
	return &ast.IntLit{XBase: o.XBase, Text: "0"}
}

// whole reports an assignment of all of o on another image where that has allocatable components.
func (t *unit) whole(o *object) bool {
	if o == nil || o.of == nil || o.images == nil {
		return true
	}
	if o.of.hasContents() {
		t.notThere(o)
		return false
	}
	for _, l := range o.of.leaves() {
		if l.open {
			t.p.errorf(o.Pos, "%s of another image as a whole, whose component %s is allocatable", o.name, l.comp.name).WithHelp("assign its components one by one")
			return false
		}
	}
	return true
}

func isColon(x ast.Expr) bool {
	r, ok := x.(*ast.Triplet)
	return ok && r.Lo == nil && r.Hi == nil && r.Step == nil
}
