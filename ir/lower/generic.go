package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// generic is a name that stands for several procedures: the types and ranks of the
// arguments decide which of them a reference means.
type generic struct {
	pos   source.Pos
	procs []*procedure
}

// interfaceBlock takes an INTERFACE block: procedures whose interface is known from here
// on, and the generic name that they have.
func (l *lowerer) interfaceBlock(s *ast.Interface) {
	if s.Abstract {
		for _, u := range s.Units {
			l.scope.abstract[u.Name] = true
		}
		return
	}
	for _, u := range s.Units {
		if d := l.dummies[u.Name]; d != nil {
			l.dummyProcedure(d, ast.Name{Pos: u.Pos, Name: u.Name}, true)
			continue
		}
		l.scope.interfaces[u.Name] = true
	}
	if s.Name.Name == "" {
		for _, n := range s.Procs {
			l.errorf(codeDeclaration, n.Pos, "%s in an interface block that has no name", n.Name).WithHelp("write INTERFACE name")
		}
		return
	}
	names := slices.Clone(s.Procs)
	for _, u := range s.Units {
		names = append(names, ast.Name{Pos: u.Pos, Name: u.Name})
	}
	for _, n := range names {
		p := l.procedure(n.Name)
		if p == nil {
			l.errorf(codeCall, n.Pos, "there is no procedure %s for the generic name %s", n.Name, s.Name.Name).
				WithHelp("add it behind CONTAINS, or remove it from the interface block")
			continue
		}
		l.addSpecific(s.Name.Name, s.Pos, p)
	}
}

// addSpecific makes p one of the procedures that generic name stands for here.
func (l *lowerer) addSpecific(name string, pos source.Pos, p *procedure) {
	g := l.generics[name]
	if g == nil {
		g = &generic{pos: pos}
		l.generics[name] = g
	}
	if !slices.ContainsFunc(g.procs, func(q *procedure) bool { return q.unit == p.unit }) {
		g.procs = append(g.procs, p)
	}
}

// specifics are the procedures that generic name stands for, those of the scopes around
// included.
func (l *lowerer) specifics(name string) []*procedure {
	var list []*procedure
	for at := l.scope; at != nil; at = at.host {
		if g := at.generics[name]; g != nil {
			list = append(list, g.procs...)
		} else if at.names[name] != nil || at.procs[name] != nil {
			break
		}
	}
	if len(list) == 0 && strings.Contains(name, "%") { // a procedure of a type, of which each module may have extensions
		for _, m := range slices.Sorted(maps.Keys(l.modules)) {
			if g := l.modules[m].generics[name]; g != nil {
				return g.procs
			}
		}
		if p := l.program; p != nil && p.generics[name] != nil { // of pointers to procedures
			return p.generics[name].procs
		}
	}
	return list
}

// callee is the procedure that a reference of name with arguments means; nil where there
// is none in the program. A generic name that fits no procedure is an error, and bad is set,
// unless an intrinsic has the name too.
func (l *lowerer) callee(name ast.Name, args []ast.Expr) (p *procedure, bad bool) {
	list := l.specifics(name.Name)
	if len(list) == 0 {
		p := l.procedure(name.Name)
		return p, p == nil && l.missing(name)
	}
	given := make([]given, len(args))
	for i, e := range args {
		given[i] = l.probe(e)
	}
	for _, each := range []bool{false, true} {
		for _, p := range list {
			if p.unit.Elemental == each || !each {
				if l.takes(p, given, each) {
					return p, false
				}
			}
		}
	}
	_, intrinsic := intrinsics[name.Name]
	if intrinsic || arrayReductions[name.Name] != nil || arrayFunctions[name.Name] {
		return nil, false
	}
	errors := l.diags.Errors()
	for i, g := range given {
		if g.typ != ir.Invalid || g.label || g.proc {
			continue
		}
		if k, ok := args[i].(*ast.Keyword); ok {
			args[i] = k.X
		}
		var pre []ir.Stmt
		if l.actual(args[i], &pre); l.diags.Errors() > errors {
			return nil, true // what is wrong is in the argument
		}
	}
	d := l.errorf(codeCall, name.Pos, "no procedure of the generic name %s takes these arguments: %s", name.Name, givenText(given))
	for _, p := range list {
		d.WithNote(p.unit.Pos, "%s(%s)", p.unit.Name, signatureText(l.signature(p)))
	}
	d.WithHelp("convert the arguments, or add a procedure to the interface block")
	return nil, true
}

// assignment is the generic name of the subroutines that assignments may stand for.
const assignment = "assignment(=)"

// isDefinedAssignment reports whether s is a call of a subroutine that defines it, which none
// can where the language does. (Values of derived types have been resolved before.)
func (l *lowerer) isDefinedAssignment(s *ast.Assign) bool {
	if len(l.specifics(assignment)) == 0 {
		return false
	}
	to, from := l.probe(s.LHS), l.probe(s.RHS)
	if (to.typ == from.typ || to.typ.IsNumeric() && from.typ.IsNumeric()) && (from.rank == 0 || from.rank == to.rank) {
		return false
	}
	var p *procedure
	l.aside(func() { p, _ = l.callee(ast.Name{Pos: s.Pos, Name: assignment}, []ast.Expr{s.LHS, s.RHS}) })
	return p != nil
}

// given is an actual argument as far as it decides between procedures.
type given struct {
	keyword string
	label   bool // of an alternate return
	proc    bool // a procedure
	typ     ir.Type
	rank    int

	pointer, allocatable bool // it is one as a whole
}

func givenText(list []given) string {
	var parts []string
	for _, g := range list {
		if g.label || g.proc {
			parts = append(parts, map[bool]string{true: "a label", false: "a procedure"}[g.label])
			continue
		}
		parts = append(parts, typeAndRank(g.typ, g.rank))
	}
	return strings.Join(parts, ", ")
}

func signatureText(list []*dummy) string {
	var parts []string
	for _, d := range list {
		parts = append(parts, d.Name.Name+" "+typeAndRank(d.typ, len(d.sym.Dims)))
	}
	return strings.Join(parts, ", ")
}

func typeAndRank(t ir.Type, rank int) string {
	if rank == 0 {
		return t.String()
	}
	return t.String() + "(" + strings.Repeat(",:", rank)[1:] + ")"
}

// takes reports whether p can be called with the arguments; where each holds it is an
// elemental procedure that is called for each element.
func (l *lowerer) takes(p *procedure, args []given, each bool) bool {
	dummies := l.signature(p)
	args, ok := variablesOf(p, args)
	if !ok {
		return false
	}
	if len(args) > len(dummies) {
		return false
	}
	found := make([]bool, len(dummies))
	objects, pointers := allocatableNames(p.unit), pointerNames(p.unit)
	for i, g := range args {
		if g.keyword != "" {
			i = slices.IndexFunc(dummies, func(d *dummy) bool { return d.Name.Name == g.keyword })
		}
		if i < 0 || found[i] {
			return false
		}
		d := dummies[i]
		rank := 0
		if d.isArray && !d.cell {
			rank = len(d.sym.Dims)
		}
		found[i] = true
		if g.proc != d.procedure || !g.proc && (g.typ != d.typ || g.rank != rank && !each) {
			return false
		}
		if n := d.Name.Name; !strings.Contains(n, "%") && (pointers[n] && g.allocatable && d.intent != "in" || objects[n] && !pointers[n] && g.pointer) {
			return false
		}
	}
	for i, d := range dummies {
		if !found[i] && !d.optional {
			return false
		}
	}
	return true
}

// pointerNames are the names to which the declarations of u give the attribute POINTER.
func pointerNames(u *ast.Program) map[string]bool {
	m := map[string]bool{}
	for _, s := range u.Spec {
		if d, ok := s.(*ast.TypeDecl); ok && d.Pointer {
			for _, e := range d.Entities {
				m[e.Name] = true
			}
		}
	}
	return m
}

// variablesOf are args without labels; ok is false where p has no alternate returns at their
// places, or has others.
func variablesOf(p *procedure, args []given) (list []given, ok bool) {
	returns := 0
	for _, d := range p.unit.Args {
		if d.Name == ast.Alternate {
			returns++
		}
	}
	for i, g := range args {
		switch {
		case !g.label:
			list = append(list, g)
		case i >= len(p.unit.Args) || p.unit.Args[i].Name != ast.Alternate:
			return nil, false
		default:
			returns--
		}
	}
	return list, returns == 0
}

// aside lowers something that leaves no trace.
func (l *lowerer) aside(lower func()) {
	m, prelude, elem, pending, goal, hoisted, results := l.mark(), l.prelude, l.elem, l.pending, l.goal, l.hoisted, l.results
	l.hoisted, l.results = nil, map[*ast.Index]*ir.Symbol{}
	diags := slices.Clone(l.diags.Diags)
	lower()
	l.prelude, l.elem, l.pending, l.goal, l.hoisted, l.results = prelude, elem, pending, goal, hoisted, results
	l.reset(m)
	l.diags.Diags = diags
}

// probe finds the type and rank of an actual argument.
func (l *lowerer) probe(e ast.Expr) (g given) {
	if k, ok := e.(*ast.Keyword); ok {
		g = l.probe(k.X)
		g.keyword = k.Name
		return g
	}
	if c, ok := e.(*ast.Elements); ok {
		return l.probe(c.X)
	}
	if _, ok := e.(*ast.AltReturn); ok {
		g.label = true
		return g
	}
	if id, ok := e.(*ast.Ident); ok {
		if s := l.lookup(id.Name); s != nil {
			g.typ = s.Type
			g.pointer = l.isPointer[s]
			g.allocatable = l.allocs[s] != nil && !g.pointer
			if s.IsArray() && !s.Cell {
				g.rank = len(s.Dims)
			}
			return g
		}
		if _, external := l.externals[id.Name]; external || l.procedure(id.Name) != nil || l.isIntrinsicName(id.Name) {
			g.proc = true
			return g
		}
	}
	l.aside(func() {
		var pre []ir.Stmt
		l.elem = nil
		if l.firstPart(e) == nil {
			g.typ = l.expr(e).Type()
			return
		}
		if !l.isPart(e) {
			if e = l.evaluated(e, goal{}, &pre); e == nil {
				return
			}
		}
		if l.isPart(e) {
			if a := l.near(e, &pre); a != nil {
				g.typ, g.rank = a.typ, len(a.shape.n)
			}
			return
		}
		if ctx := l.elementsLike(l.firstPart(e), &pre); ctx != nil {
			g.typ, g.rank = l.elementally(ctx, e).Type(), len(ctx.n)
		}
	})
	return g
}

// signature are the dummy arguments of p with their types and ranks.
func (l *lowerer) signature(p *procedure) []*dummy {
	if list, ok := l.signatures[p.unit]; ok {
		return list
	}
	var b *binding
	l.aside(func() {
		outer, phantom, loops := l.scope, l.phantom, l.loops
		defer func() { l.scope, l.phantom, l.loops = outer, phantom, loops }()
		l.phantom, l.loops, l.elem = true, nil, nil
		l.scope = l.newScope(p.unit, p.host)
		b = &binding{l: l, unit: p.unit}
		l.scope.binding = b
		b.bind(nil)
		l.declarations(p.unit.Spec)
	})
	l.signatures[p.unit] = b.list
	return b.list
}
