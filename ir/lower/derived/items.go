package derived

import (
	"fmt"

	"github.com/spmdc/spmdc/parser/ast"
)

// items are the items of a statement of input or output; what has a derived type is written
// component by component, an array element by element.
func (t *unit) items(list []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, x := range list {
		if do, ok := x.(*ast.ImpliedDo); ok {
			out = append(out, t.expr(do))
			continue
		}
		o := t.object(x)
		switch r := t.typeOf(x); {
		case !t.values(r, x.Position()):
		case r == nil:
			out = append(out, t.expr(x))
		case o == nil && t.rank(x) > 0:
			if o = t.heldArray(r, t.rank(x), t.value(x, r, false), builder{ast.XBase{Pos: x.Position(), End: x.EndPosition()}}); o != nil {
				out = append(out, t.itemsOf(o)...)
			}
		case o == nil:
			out = append(out, t.value(x, r, false)...)
		default:
			out = append(out, t.itemsOf(o)...)
		}
	}
	return out
}

// itemsOf are the items that o, which has a derived type, stands for.
func (t *unit) itemsOf(o *object) []ast.Expr {
	if in, do := t.stepped(o); in != nil {
		do.Items = t.itemsOf(in)
		return []ast.Expr{do}
	}
	var out []ast.Expr
	for _, c := range o.of.comps {
		part := t.component(o, c.name, nil, o.XBase)
		switch {
		case part == nil:
			t.p.errorf(o.Pos, "%s is polymorphic, and stands in a list of items", o.name).WithHelp("write the components one by one, or in SELECT TYPE")
			return nil
		case c.allocatable || c.described != nil:
			t.p.errorf(o.Pos, "%s has the component %s, which is allocatable, in a list of items", o.name, c.name).WithHelp("write the components one by one")
		case c.of != nil:
			out = append(out, t.itemsOf(part)...)
		default:
			out = append(out, t.reference(part, nil))
		}
	}
	return out
}

// over is o with a variable in place of dimension k of group i, which is section, and its bounds.
func (t *unit) over(o *object, i, k int, section *ast.Triplet) (*object, *ast.ImpliedDo) {
	name := t.counter(builder{o.XBase}).(*ast.Ident).Name
	in := *o
	in.groups = append([]group(nil), o.groups...)
	g := group{rank: in.groups[i].rank, args: append([]ast.Expr(nil), in.groups[i].args...)}
	for len(g.args) < g.rank {
		g.args = append(g.args, &ast.Triplet{XBase: o.XBase})
	}
	g.args[k] = ident(name, section)
	in.groups[i] = g
	do := &ast.ImpliedDo{XBase: o.XBase, Var: ast.Name{Pos: o.Pos, Name: name}, Lo: t.cloned(section.Lo), Hi: t.cloned(section.Hi), Step: t.cloned(section.Step)}
	end := func(which string) ast.Expr {
		l := o.first()
		dim := len(l.dims) + k + 1
		for _, inner := range o.groups[i+1:] {
			dim += inner.rank
		}
		whole := &ast.Ident{XBase: o.XBase, Name: o.name + l.storedName(o.store)}
		return &ast.Index{XBase: o.XBase, Name: which, NamePos: o.Pos, Args: []ast.Expr{whole, &ast.IntLit{XBase: o.XBase, Text: fmt.Sprint(dim)}}}
	}
	if do.Lo == nil {
		do.Lo = end("lbound")
	}
	if do.Hi == nil {
		do.Hi = end("ubound")
	}
	return &in, do
}
