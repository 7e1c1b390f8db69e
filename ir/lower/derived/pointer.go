package derived

import (
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A pointer to procedures has a derived type with one component, an INTEGER: the number of the
// procedure that it points to, or 0. All procedures that pointers with this interface may point to are
// known when the program is written, and a procedure beside the interface calls the one with the number:
//
//	procedure(func), pointer :: p       integer :: p%target = 0
//	p => square                         p%target = 1
//	y = p(x)                            y = m%func%call(p%target, x)
//	associated(p)                       p%target /= 0
//	call integrate(p, ...)              call integrate(p%call, ...), an internal procedure

// pointers are those to procedures with one interface.
type pointers struct {
	p      *program
	name   ast.Name // of the interface
	scope  *scope
	nopass bool
	pass   string
}

// callers are what the pointers with one interface have in common.
type callers struct {
	face    *function
	call    *ast.Program // chooses
	name    string       // by which it is called
	host    *ast.Program
	targets []*function
}

// pointerTo is the type of the pointers that d declares in s.
func (p *program) pointerTo(s *scope, d *ast.ProcedurePointer) *record {
	number := &component{name: "target", spec: ast.TypeSpec{Name: "integer"}, init: &ast.IntLit{Text: "0"}}
	return &record{name: "procedure(" + d.Face.Name + ")", id: s.id + "%" + d.Face.Name, scope: s, bound: map[string]*bound{}, comps: []*component{number},
		points: &pointers{p: p, name: d.Face, scope: s, nopass: d.NoPass, pass: d.Pass}}
}

// callers are those of the interface of q, nil after an error.
func (q *pointers) callers() *callers {
	f := q.scope.function(q.p, q.name.Name)
	if f == nil || f.scope == nil {
		q.p.diags.Errorf(source.UndeclaredName, q.name.Pos, "there is no interface %s", q.name.Name).WithHelp("describe it in an ABSTRACT INTERFACE block, with IMPORT for what it needs")
		return nil
	}
	if c := q.p.callers[f.unit]; c != nil {
		return c
	}
	c := &callers{face: f, host: q.scope.module().unit}
	if f.scope.outer != nil {
		c.host = f.scope.outer.unit
	}
	at := q.name.Pos
	u := *f.unit
	u.Name, u.Contains, u.Body, u.Words, u.Separate = f.scope.id+"%chosen", nil, nil, nil, false
	u.Spec = slices.DeleteFunc(slices.Clone(f.unit.Spec), func(s ast.Stmt) bool { _, is := s.(*ast.Import); return is })
	if u.Kind == ast.FunctionUnit {
		u.Result = ast.Name{Pos: at, Name: resultName(f.unit)}
	}
	u.Args = append([]ast.Name{{Pos: at, Name: pointerName}}, f.unit.Args...)
	u.Spec = append(u.Spec, &ast.TypeDecl{Base: ast.Base{Pos: at}, HasColons: true, Intent: "in",
		Points: &ast.ProcedurePointer{Face: q.name}, Entities: []ast.Entity{{Pos: at, Name: pointerName}}})
	c.call, c.name = &u, f.scope.id+"%call"
	q.p.callers[f.unit] = c
	q.p.faces = append(q.p.faces, c)
	outer := f.scope.outer
	if outer == nil {
		outer = q.scope.module()
	}
	in := &function{unit: &u}
	q.p.called[c.name] = in
	in.scope = q.p.declare(&u, outer)
	return c
}

const pointerName = "%pointer"

// target is the number of f among those that pointers of type r may point to, from 1; 0 after an error.
func (t *unit) target(r *record, f *function, pos source.Pos) int {
	c := r.points.callers()
	if c == nil {
		return 0
	}
	if f.scope != nil && f.scope.outer != nil && f.scope.outer.unit.Kind.IsProcedure() {
		t.p.errorf(pos, "a pointer to %s, a procedure inside of a procedure", f.unit.Name).WithHelp("move %s into a module", f.unit.Name)
		return 0
	}
	if f.unit.Kind != c.face.unit.Kind || len(f.unit.Args) != len(c.face.unit.Args) {
		t.p.diags.Errorf(source.BadCall, pos, "%s has not the interface %s of the pointer", f.unit.Name, c.face.unit.Name).WithHelp("give it the same arguments")
		return 0
	}
	k := slices.IndexFunc(c.targets, func(g *function) bool { return g.unit == f.unit })
	if k < 0 {
		k = len(c.targets)
		c.targets = append(c.targets, f)
	}
	return k + 1
}

// pointed is the number that a pointer of type r gets from x.
func (t *unit) pointed(x ast.Expr, r *record) ast.Expr {
	at := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	if isNull(x) {
		return &ast.IntLit{XBase: at, Text: "0"}
	}
	if o := t.object(x); o != nil && o.of != nil && o.of.points != nil {
		if !o.of.extends(r) {
			t.p.errorf(at.Pos, "this pointer is declared with the interface %s, and the other one with %s", o.of.points.name.Name, r.points.name.Name).WithHelp("declare both with the same interface")
		}
		return t.reference(o, o.of.leaves()[0])
	}
	if id, ok := x.(*ast.Ident); ok && !t.declared(id.Name) {
		if list := t.candidates(t.p, id.Name); len(list) == 1 {
			return &ast.IntLit{XBase: at, Text: strconv.Itoa(t.target(r, list[0], at.Pos))}
		}
	}
	t.p.errorf(at.Pos, "a pointer to a procedure gets %s, which is no procedure of the file", ast.UnparseExpr(x)).
		WithHelp("write the name of a procedure, of a pointer with the same interface, or null(); a dummy procedure cannot be pointed to")
	return &ast.IntLit{XBase: at, Text: "0"}
}

// pointsTo is the type of x where that is a pointer to procedures, nil for anything else.
func (t *unit) pointsTo(x ast.Expr) *record {
	if o := t.object(x); o != nil && o.of != nil && o.of.points != nil {
		return o.of
	}
	return nil
}

// viaPointer is reference x as one of the procedure that calls what a pointer points to, where it is
// a reference by a pointer, else x.
func (t *unit) viaPointer(x ast.Expr) ast.Expr {
	switch y := x.(type) {
	case *ast.Index:
		if v := t.variable(y.Name); v != nil && v.of.points != nil && v.rank == 0 {
			if name, args := t.byPointer(ident(y.Name, x), nil, v.of, y.Args); name != "" {
				return &ast.Index{XBase: y.XBase, Name: name, NamePos: y.NamePos, Args: args}
			}
		}
	case *ast.Component:
		if !y.List {
			return x
		}
		whole := *y
		whole.List, whole.Args = false, nil
		if r := t.pointsTo(&whole); r != nil {
			if name, args := t.byPointer(&whole, y.Base, r, y.Args); name != "" {
				return &ast.Index{XBase: y.XBase, Name: name, NamePos: y.NamePos, Args: args}
			}
		}
	}
	return x
}

// byPointer is the name of the procedure that calls what pointer x, of type r, points to, and its
// arguments: x is a component of base, or that is nil.
func (t *unit) byPointer(x, base ast.Expr, r *record, args []ast.Expr) (string, []ast.Expr) {
	c := r.points.callers()
	if c == nil {
		return "", nil
	}
	list := []ast.Expr{x}
	switch {
	case base == nil || r.points.nopass:
	case r.points.pass != "":
		args = append(slices.Clone(args), &ast.Keyword{XBase: ast.XBase{Pos: base.Position(), End: base.EndPosition()}, Name: r.points.pass, X: base})
	default:
		list = append(list, base)
	}
	return c.name, append(list, args...)
}

// pointTo is p => x, or NULLIFY; ok is false where that is not about procedures.
func (t *unit) pointTo(s *ast.PointerAssign) (out []ast.Stmt, ok bool) {
	for _, to := range s.To {
		r := t.pointsTo(to)
		if r == nil {
			return nil, false
		}
		out = append(out, &ast.Assign{Base: s.Base, LHS: t.reference(t.object(to), r.leaves()[0]), RHS: t.pointed(s.X, r)})
	}
	return out, true
}

// isAssociated is ASSOCIATED of a pointer to procedures, nil for anything else.
func (t *unit) isAssociated(name string, args []ast.Expr, at ast.XBase) ast.Expr {
	if name != "associated" || len(args) == 0 {
		return nil
	}
	r := t.pointsTo(args[0])
	if r == nil {
		return nil
	}
	number := t.reference(t.object(args[0]), r.leaves()[0])
	some := &ast.Binary{XBase: at, Op: "/=", OpPos: at.Pos, X: number, Y: &ast.IntLit{XBase: at, Text: "0"}}
	if len(args) == 1 {
		return &ast.Paren{XBase: at, X: some}
	}
	x := args[1]
	if k, is := x.(*ast.Keyword); is {
		x = k.X
	}
	same := &ast.Binary{XBase: at, Op: "==", OpPos: at.Pos, X: clone(number), Y: t.pointed(x, r)}
	return &ast.Paren{XBase: at, X: &ast.Binary{XBase: at, Op: ".and.", OpPos: at.Pos, X: some, Y: same}}
}

// asProcedure is a procedure of the unit in hand that calls what x, a pointer of type r, points to.
func (t *unit) asProcedure(x ast.Expr, r *record) ast.Expr {
	c := r.points.callers()
	o := t.object(x)
	if c == nil {
		return x
	}
	if o == nil {
		t.p.errorf(x.Position(), "the value of a function, which is a pointer to procedures, is an argument").WithHelp("let a pointer point to it, and pass that")
		return &ast.IntLit{XBase: ast.XBase{Pos: x.Position(), End: x.EndPosition()}, Text: "0"}
	}
	at := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	held := t.held(r, []ast.Expr{t.reference(o, r.leaves()[0])}, at)
	if held == nil {
		return x
	}
	s := t.scope.ofUnit()
	s.vars[held.name] = held.root
	u := *c.call
	u.Name = held.name + "%call"
	u.Args = c.face.unit.Args
	u.Spec = u.Spec[:len(u.Spec)-1]
	var args []ast.Expr
	args = append(args, ident(held.name, x))
	for _, a := range u.Args {
		args = append(args, ident(a.Name, x))
	}
	u.Body = one(invoked(&u, c.name, args, at))
	s.procs[u.Name] = &function{unit: &u}
	s.procs[u.Name].scope = t.p.declare(&u, s)
	t.p.extra[s.unit] = append(t.p.extra[s.unit], &u)
	return ident(u.Name, x)
}

// invoked calls the procedure called name, for the value of u where that is a function.
func invoked(u *ast.Program, name string, args []ast.Expr, at ast.XBase) ast.Stmt {
	if u.Kind != ast.FunctionUnit {
		return &ast.Call{Base: ast.Base{Pos: at.Pos}, Proc: ast.Name{Pos: at.Pos, Name: name}, Args: args}
	}
	return &ast.Assign{Base: ast.Base{Pos: at.Pos}, Part: true, LHS: &ast.Ident{XBase: at, Name: resultName(u)}, RHS: called(name, at, args...)}
}

// choices completes the procedures that call what pointers point to, in the units of flat.
func (p *program) choices(flat *ast.File) {
	units := map[string]*ast.Program{}
	for _, list := range [][]*ast.Program{flat.Modules, {flat.Program}} {
		for _, u := range list {
			units[u.Name] = u
		}
	}
	for i := 0; i < len(p.faces); i++ { // choosing may need others
		c := p.faces[i]
		host := units[c.host.Name]
		if host == nil {
			p.errorf(c.face.unit.Pos, "the interface %s of a pointer stands in a procedure", c.face.unit.Name).WithHelp("move it into a module")
			continue
		}
		u, s := c.call, p.scopes[c.call]
		at := ast.XBase{Pos: c.face.unit.Pos, End: c.face.unit.Pos}
		base := ast.Base{Pos: at.Pos}
		number := &ast.Ident{XBase: at, Name: pointerName}
		choose := &ast.If{Base: base, EndPos: at.Pos, HasElse: true, ElsePos: at.Pos,
			Else: one(&ast.Stop{Base: base, Error: true, Code: &ast.StringLit{XBase: at, Value: "a pointer to a procedure is called that points to none"}})}
		for k, f := range c.targets {
			name := f.unit.Name + "%target" + strconv.Itoa(k+1)
			if f.scope != nil {
				name = f.scope.id + "%target"
			}
			s.procs[name] = f
			if f.scope != nil && f.scope.outer != nil {
				home := units[f.scope.outer.unit.Name]
				home.Spec = append(home.Spec, &ast.Interface{Base: base, Name: ast.Name{Pos: at.Pos, Name: name}, Procs: []ast.Name{{Pos: at.Pos, Name: f.unit.Name}}})
			} else {
				s.procs[f.unit.Name], name = f, f.unit.Name
			}
			args := make([]ast.Expr, len(c.face.unit.Args))
			for i, a := range c.face.unit.Args {
				args[i] = &ast.Ident{XBase: at, Name: a.Name}
			}
			cond := &ast.Binary{XBase: at, Op: "==", OpPos: at.Pos, X: &ast.Component{XBase: at, Base: clone(number), Name: "target", NamePos: at.Pos}, Y: &ast.IntLit{XBase: at, Text: strconv.Itoa(k + 1)}}
			choose.Arms = append(choose.Arms, ast.IfArm{Pos: at.Pos, Cond: cond, Body: one(invoked(u, name, args, at))})
		}
		if u.Body = one(choose); len(choose.Arms) == 0 {
			u.Body = choose.Else
		}
		host.Contains = append(slices.Clone(host.Contains), p.unit(u))
		host.Spec = append(host.Spec, &ast.Interface{Base: base, Name: ast.Name{Pos: at.Pos, Name: c.name}, Procs: []ast.Name{{Pos: at.Pos, Name: u.Name}}})
	}
}
