package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

// An intrinsic assignment assigns the components whose types have a type-bound ASSIGNMENT(=) by that
// (Fortran 2018, 10.2.1.3), and so do those inside them.

// assignsParts reports whether r has such components.
func (r *record) assignsParts(p *program) bool {
	return slices.ContainsFunc(r.comps, func(c *component) bool { return c.assignedBy(p) })
}

// assignedBy reports whether a procedure assigns c, or something in it.
func (c *component) assignedBy(p *program) bool {
	if c.of == nil {
		return false
	}
	return c.of.definesAssignment(p, len(c.dims)) || c.of.assignsParts(p)
}

// definesAssignment reports whether a procedure of type r assigns values of the type, and rank, to
// each other.
func (r *record) definesAssignment(p *program, rank int) bool {
	b := r.bound["assignment(=)"]
	if b == nil {
		return false
	}
	for _, of := range b.specific {
		for _, name := range of.target {
			f := of.by.scope.function(p, name)
			if f == nil || len(f.unit.Args) != 2 {
				continue
			}
			to, from := f.variableOf(f.unit.Args[0].Name), f.variableOf(f.unit.Args[1].Name)
			if to != nil && from != nil && r.extends(to.of) && r.extends(from.of) && (f.unit.Elemental || to.rank == rank && from.rank == rank) {
				return true
			}
		}
	}
	return false
}

// componentwise assigns from to to, component by component.
func (t *unit) componentwise(to, from *object, base ast.Base) []ast.Stmt {
	at := ast.XBase{Pos: base.Pos, End: base.Pos}
	outer := t.scope
	t.scope = newScope(t.unit, outer, "")
	defer func() { t.scope = outer }()
	name := func(name string, o *object) ast.Expr {
		t.scope.vars[name] = &variable{name: name, of: o.of, rank: o.rank(), alias: o}
		return &ast.Ident{XBase: at, Name: name}
	}
	x, y := name("%to", to), name("%from", from)
	var out []ast.Stmt
	if to.comp == nil && to.root.allocatable && !to.subscripted() && to.rank() == from.rank() {
		out = t.allocatedFor(x, y, to.rank(), base)
	}
	for _, c := range to.of.comps {
		if !c.assignedBy(t.p) {
			own := slices.DeleteFunc(slices.Clone(to.of.leaves()), func(l *leaf) bool { return l.path[0] != c })
			out = append(out, t.leavesCopied(to, from, own, ast.Base{Pos: base.Pos})...)
			continue
		}
		part := func(x ast.Expr) ast.Expr {
			return &ast.Component{XBase: at, Base: clone(x), Name: c.name, NamePos: base.Pos}
		}
		set := &ast.Assign{Base: ast.Base{Pos: base.Pos}, LHS: part(x), RHS: part(y)}
		if !c.allocatable {
			out = append(out, t.statement(set)...)
			continue
		}
		given := append(t.allocatedFor(part(x), part(y), len(c.dims), base), t.statement(set)...)
		free := &ast.If{Base: ast.Base{Pos: base.Pos}, EndPos: base.Pos, Arms: []ast.IfArm{{Pos: base.Pos, Cond: t.expr(called("allocated", at, part(x))),
			Body: t.statement(&ast.Allocate{Base: ast.Base{Pos: base.Pos}, Free: true, Args: []ast.Expr{part(x)}})}}}
		out = append(out, &ast.If{Base: ast.Base{Pos: base.Pos}, EndPos: base.Pos, HasElse: true, ElsePos: base.Pos,
			Arms: []ast.IfArm{{Pos: base.Pos, Cond: t.expr(called("allocated", at, part(y))), Body: given}}, Else: one(free)})
	}
	return out
}

// allocatedFor allocates x with the shape of y unless it has it.
func (t *unit) allocatedFor(x, y ast.Expr, rank int, base ast.Base) []ast.Stmt {
	at := ast.XBase{Pos: base.Pos, End: base.Pos}
	here := ast.Base{Pos: base.Pos}
	when := func(cond ast.Expr, body ...ast.Stmt) ast.Stmt {
		return &ast.If{Base: here, EndPos: base.Pos, Arms: []ast.IfArm{{Pos: base.Pos, Cond: cond, Body: body}}}
	}
	var out []ast.Stmt
	if rank > 0 {
		differ := called("any", at, &ast.Binary{XBase: at, Op: "/=", OpPos: base.Pos, X: called("shape", at, clone(x)), Y: called("shape", at, clone(y))})
		out = append(out, when(called("allocated", at, clone(x)), when(differ, &ast.Allocate{Base: here, Free: true, Args: []ast.Expr{clone(x)}})))
	}
	mold := &ast.Keyword{XBase: at, Name: "mold", X: clone(y)}
	out = append(out, when(&ast.Unary{XBase: at, Op: ".not.", X: called("allocated", at, clone(x))}, &ast.Allocate{Base: here, Args: []ast.Expr{clone(x), mold}}))
	return t.list(out)
}

// called is the reference name(args).
func called(name string, at ast.XBase, args ...ast.Expr) ast.Expr {
	return &ast.Index{XBase: at, Name: name, NamePos: at.Pos, Args: args}
}
