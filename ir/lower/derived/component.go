package derived

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An allocatable component of a coarray is a coarray of which each image allocates its own
// (ast.Entity.Apart). It is there even where the coarray itself is not allocated; whether that is
// says a coarray beside it, which is allocated with the other components.

// present is the end of the name of the coarray that is allocated whenever a variable is.
const present = "%"

// apart reports whether each image allocates part l of v for itself.
func (v *variable) apart(l *leaf) bool { return v.coarray && l.open }

// presence reports whether v has a coarray beside it that says whether it is allocated.
func (v *variable) presence() bool {
	if !v.coarray || !v.allocatable {
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
	if l != nil || o.images == nil || o.comp == nil || !o.comp.allocatable {
		return nil
	}
	name := o.name
	if o.of != nil {
		name += o.of.leaves()[0].name
	}
	c := &ast.CoIndex{XBase: o.XBase, Base: &ast.Ident{XBase: o.XBase, Name: name}}
	for _, i := range o.images {
		c.Images = append(c.Images, t.expr(clone(i)))
	}
	return c
}

// openThere is the part of o that is called name, of another image, without its bounds, where that has extents
// of its own on each image: an allocatable component is on the way. It is nil for anything else.
func (t *unit) openThere(o *object, name string) ast.Expr {
	if o.images == nil || o.desc != nil {
		return nil
	}
	for _, l := range o.root.of.leaves() {
		if o.root.name+l.name == name && l.open {
			c := &ast.CoIndex{XBase: o.XBase, Base: &ast.Ident{XBase: o.XBase, Name: name}}
			for _, i := range o.images {
				c.Images = append(c.Images, t.expr(clone(i)))
			}
			return c
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

// whole reports an assignment of all of o on another image where that has allocatable components.
func (t *unit) whole(o *object) bool {
	if o == nil || o.of == nil || o.images == nil {
		return true
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
