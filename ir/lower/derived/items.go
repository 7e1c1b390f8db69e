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
	for i, g := range o.groups {
		for k := g.rank - 1; k >= 0; k-- {
			var section *ast.Triplet
			if g.args != nil {
				if section, _ = g.args[k].(*ast.Triplet); section == nil {
					continue
				}
			} else {
				section = &ast.Triplet{XBase: o.XBase}
			}
			return []ast.Expr{t.overItems(o, i, k, section)}
		}
	}
	var out []ast.Expr
	for _, c := range o.of.comps {
		part := t.component(o, c.name, nil, o.XBase)
		switch {
		case c.allocatable:
			t.p.errorf(o.Pos, "%s has the component %s, which is allocatable, in a list of items", o.name, c.name).WithHelp("write the components one by one")
		case c.of != nil:
			out = append(out, t.itemsOf(part)...)
		default:
			out = append(out, t.reference(part, nil))
		}
	}
	return out
}

// overItems is an implied DO over dimension k of group i of o.
func (t *unit) overItems(o *object, i, k int, section *ast.Triplet) ast.Expr {
	s := t.scope.ofUnit()
	s.count++
	name := fmt.Sprintf("item%%%d", s.count)
	s.temps = append(s.temps, &ast.TypeDecl{Base: ast.Base{Pos: o.Pos}, Type: ast.TypeSpec{Name: "integer"}, HasColons: true,
		Entities: []ast.Entity{{Pos: o.Pos, Name: name}}})
	s.vars[name] = nil
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
		l := o.of.leaves()[0]
		dim := len(l.dims) + k + 1
		for _, inner := range o.groups[i+1:] {
			dim += inner.rank
		}
		whole := &ast.Ident{XBase: o.XBase, Name: o.name + l.name}
		return &ast.Index{XBase: o.XBase, Name: which, NamePos: o.Pos, Args: []ast.Expr{whole, &ast.IntLit{XBase: o.XBase, Text: fmt.Sprint(dim)}}}
	}
	if do.Lo == nil {
		do.Lo = end("lbound")
	}
	if do.Hi == nil {
		do.Hi = end("ubound")
	}
	do.Items = t.itemsOf(&in)
	return do
}
