package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An object of a type with FINAL procedures is finalized (Fortran 2018, 7.5.6.3) where it is deallocated, in
// front of an assignment to it, where a procedure or BLOCK ends that it is local to, at the entry of a
// procedure that has it as an INTENT(OUT) argument, and, where it is the value of a function, behind
// the statement: the procedure for its rank is called, then its components are finalized, then its parent.

// finals declares the FINAL procedures of r, which other units call by a generic name.
func (p *program) finals(r *record) {
	if len(r.def.Final) == 0 {
		return
	}
	name := r.finalName()
	block := &ast.Interface{Base: ast.Base{Pos: r.def.Pos}, Name: ast.Name{Pos: r.def.Pos, Name: name}}
	for _, n := range r.def.Final {
		f := r.scope.function(p, n.Name)
		var v *variable
		if f != nil && f.scope != nil && len(f.unit.Args) == 1 {
			v = f.variableOf(f.unit.Args[0].Name)
		}
		if v == nil || v.of != r || f.unit.Kind != ast.SubroutineUnit || v.allocatable || v.pointer {
			p.diags.Errorf(source.BadCall, n.Pos, "the FINAL procedure %s is no subroutine of the module with one argument of type(%s)", n.Name, r.name).
				WithHelp("write it behind CONTAINS of the module: subroutine %s(x); type(%s), intent(inout) :: x", n.Name, r.name)
			continue
		}
		r.final = append(r.final, f)
		r.scope.generics[name] = append(r.scope.generics[name], f)
		block.Procs = append(block.Procs, n)
	}
	p.global[name] = r.scope.generics[name]
	r.decls, r.names = append(r.decls, block), append(r.names, name)
}

func (r *record) finalName() string { return r.id + "%final" }

// isFinalizable reports whether something happens where an object of type r is finalized. What is in pools
// is finalized where it is given back.
func (p *program) isFinalizable(r *record) bool {
	if r == nil || !slices.ContainsFunc(p.records, func(r *record) bool { return len(r.final) > 0 }) {
		return false
	}
	if p.isChosen(r) {
		return slices.ContainsFunc(p.kinds(r.declared()), p.isFinalizable)
	}
	r = r.declared()
	return len(r.final) > 0 || p.isFinalizable(r.parent) || slices.ContainsFunc(r.comps, func(c *component) bool { return !c.pointer && p.isFinalizable(c.of) })
}

// finalized finalizes o, which exists.
func (t *unit) finalized(o *object) []ast.Stmt {
	if !t.p.isFinalizable(o.of) {
		return nil
	}
	fixed := t.fixed
	t.fixed = ""
	defer func() { t.fixed = fixed }()
	if !t.p.isChosen(o.storage()) {
		return t.finalizedAs(o, o.of.declared())
	}
	e := builder{o.XBase}
	var choose *ast.If
	for _, r := range t.p.kinds(o.of.declared()) {
		seen := *o
		seen.store, seen.of = o.storage(), r
		body := t.finalizedAs(&seen, r)
		if len(body) == 0 {
			continue
		}
		arm := e.when(t.isOneOf(o, []*record{r}), body...)
		if choose == nil {
			choose = arm
		} else {
			choose.Arms = append(choose.Arms, arm.Arms...)
		}
	}
	if choose == nil {
		return nil
	}
	return one(choose)
}

// finalizedAs finalizes o, which is of type r.
func (t *unit) finalizedAs(o *object, r *record) []ast.Stmt {
	e := builder{o.XBase}
	var out []ast.Stmt
	rank := o.rank()
	if slices.ContainsFunc(r.final, func(f *function) bool {
		return f.unit.Elemental || f.variableOf(f.unit.Args[0].Name).rank == rank
	}) {
		outer := t.scope
		t.scope = newScope(t.unit, outer, "")
		name := "%final"
		t.scope.vars[name] = &variable{name: name, of: o.of, rank: rank, alias: o}
		out = append(out, t.statement(e.call(r.finalName(), e.id(name)))...)
		t.scope = outer
	}
	for _, c := range r.comps {
		if r.parent != nil && r.parent.component(c.name) == c || c.pointer || !t.p.isFinalizable(c.of) {
			continue
		}
		out = append(out, t.everyElement(o, func(o *object) []ast.Stmt {
			return t.finalizedThere(t.component(o, c.name, nil, o.XBase))
		})...)
	}
	if r.parent != nil && t.p.isFinalizable(r.parent) {
		up := *o
		up.of = r.parent
		out = append(out, t.finalizedAs(&up, r.parent)...)
	}
	return out
}

// finalizedThere finalizes o if it is allocated or need not be.
func (t *unit) finalizedThere(o *object) []ast.Stmt {
	return t.whereAllocated(o, t.finalized(o))
}

// whereAllocated is list, where o is allocated or need not be.
func (t *unit) whereAllocated(o *object, list []ast.Stmt) []ast.Stmt {
	e := builder{o.XBase}
	switch {
	case len(list) == 0 || o.of == nil || o.whole != nil || o.isPart():
	case o.comp == nil && o.root.dynamic && o.root.allocatable:
		return one(e.when(e.bin("/=", t.typeNumber(o), e.lit(0)), list...))
	case o.comp == nil && o.root.allocatable && !o.root.pointer, o.comp != nil && o.comp.allocatable && !o.comp.pointer:
		return one(e.when(e.ref("allocated", t.reference(o, o.of.leaves()[0])), list...))
	}
	return list
}

// isPart reports whether the last part of o has subscripts.
func (o *object) isPart() bool {
	n := len(o.groups)
	return n > 0 && o.groups[n-1].args != nil && (o.comp == nil || len(o.comp.dims) > 0)
}

// finalAssignment is "to = x" of type r, whose objects are finalized: x is evaluated first.
func (t *unit) finalAssignment(to *object, x ast.Expr, r *record, base ast.Base) []ast.Stmt {
	to = t.steady(to)
	from := t.object(x)
	if from == nil || from.root == to.root {
		if parts := t.value(x, r, false); t.rank(x) == 0 {
			from = t.held(r, parts, to.XBase)
		} else {
			from = t.heldArray(r, t.rank(x), parts, builder{to.XBase})
		}
		if from == nil {
			return nil
		}
	}
	return append(t.finalizedThere(to), t.copied(to, t.steadyFor(from, to), base)...)
}

// leaving is list with finish in front of the statements of which leaves says, with the number of loops
// around them in list, that they leave it.
func leaving(list, finish []ast.Stmt, loops int, leaves func(s ast.Stmt, loops int) bool) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range list {
		if leaves(s, loops) {
			if label := s.StmtLabel(); label != 0 {
				out = append(out, &ast.Continue{Base: ast.Base{Pos: s.Position(), Label: label}})
				s = ast.Copy(s)
				baseOf(s).Label = 0
			}
			out = append(append(out, copies(finish)...), s)
			continue
		}
		inner := loops
		switch s.(type) {
		case *ast.Do, *ast.DoWhile:
			inner++
		}
		for _, b := range ast.Bodies(s) {
			*b = leaving(*b, finish, inner, leaves)
		}
		if c, ok := s.(*ast.If); ok && c.OneLine && len(c.Arms[0].Body) != 1 {
			c.OneLine = false
		}
		out = append(out, s)
	}
	return out
}

// leavesBlock is what leaving needs to know of body, the statements of a BLOCK.
func (t *unit) leavesBlock(body []ast.Stmt) func(s ast.Stmt, loops int) bool {
	names, labels := map[string]bool{}, map[int]bool{}
	ast.Each(body, func(s ast.Stmt) {
		names[ast.ConstructName(s)] = true
		labels[s.StmtLabel()] = true
	})
	return func(s ast.Stmt, loops int) bool {
		var to []ast.Target
		switch s := s.(type) {
		case *ast.Return:
			return true
		case *ast.Exit:
			return s.Name == "" && loops == 0 || s.Name != "" && !names[s.Name]
		case *ast.Cycle:
			return s.Name == "" && loops == 0 || s.Name != "" && !names[s.Name]
		case *ast.Goto:
			return !labels[s.To.Label]
		case *ast.ComputedGoto:
			to = s.To
		case *ast.AssignedGoto:
			to = s.To
		}
		if slices.ContainsFunc(to, func(l ast.Target) bool { return !labels[l.Label] }) {
			t.p.errorf(s.Position(), "a computed or assigned GO TO out of a BLOCK with variables that are deallocated or finalized at its end").WithHelp("write IF and GO TO")
		}
		return false
	}
}
