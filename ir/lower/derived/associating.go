package derived

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

// A function whose value is a pointer of an intrinsic type is there twice: as it is, for its value, and as
// a subroutine, which associates an argument:
//
//	p => find(list, 3)      call find%to(list, 3, p)

// isPointerResult reports whether the value of u is declared as a pointer of an intrinsic type.
func isPointerResult(u *ast.Program) bool {
	return u.Kind == ast.FunctionUnit && slices.ContainsFunc(u.Spec, func(s ast.Stmt) bool {
		d, is := s.(*ast.TypeDecl)
		return is && d.Pointer && d.Type.Of.Name == "" && d.Points == nil &&
			slices.ContainsFunc(d.Entities, func(e ast.Entity) bool { return e.Name == resultName(u) })
	})
}

// associating are the subroutines of such functions in a module, the main program or a procedure.
type associating struct {
	f    *function
	host *ast.Program
	name string // by which other units call it
}

// associate adds to s, the scope of u, the subroutines for its functions that are pointers.
func (p *program) associate(s *scope, u *ast.Program) {
	for _, in := range u.Contains {
		if !isPointerResult(in) || len(in.Contains) > 0 {
			continue
		}
		c := *in
		c.Kind, c.Name, c.Prefix, c.Result = ast.SubroutineUnit, in.Name+"%to", nil, ast.Name{}
		c.Args = append(slices.Clone(in.Args), ast.Name{Pos: in.Pos, Name: resultName(in)})
		c.Body = copies(in.Body)
		f := &function{unit: &c}
		s.procs[c.Name] = f
		f.scope = p.declare(&c, s)
		p.extra[u] = append(p.extra[u], &c)
		p.associates[in] = &associating{f: f, host: u, name: f.scope.id + "%generic"}
	}
}

// exported makes the subroutines of module u known to other units.
func (p *program) exported(u *ast.Program) (out []ast.Stmt) {
	for _, in := range u.Contains {
		if a := p.associates[in]; a != nil && u.Kind == ast.ModuleUnit {
			name := ast.Name{Pos: in.Pos, Name: a.name}
			base := ast.Base{Pos: in.Pos}
			out = append(out, &ast.Interface{Base: base, Name: name, Procs: []ast.Name{{Pos: in.Pos, Name: a.f.unit.Name}}},
				&ast.Access{Base: base, Access: "public", Names: []ast.Name{name}})
		}
	}
	return out
}

// assignThere is an assignment to what the value of such a function points to; nil for any other.
//
//	at(list, 3) = x         call at%to(list, 3, pointer%1); pointer%1 = x
func (t *unit) assignThere(s *ast.Assign) []ast.Stmt {
	if s.Part || t.object(s.LHS) != nil {
		return nil
	}
	name, args, m := t.callee(s.LHS)
	if name == "" || m != nil && m.any != nil || t.declared(name) {
		return nil
	}
	f := t.chosen(name, args)
	if f == nil || t.p.associates[f.unit] == nil {
		return nil
	}
	u := t.scope.ofUnit()
	u.count++
	pointer := fmt.Sprintf("pointer%%%d", u.count)
	for _, d := range f.unit.Spec {
		d, ok := d.(*ast.TypeDecl)
		if !ok {
			continue
		}
		k := slices.IndexFunc(d.Entities, func(e ast.Entity) bool { return e.Name == resultName(f.unit) })
		if k < 0 {
			continue
		}
		c := *d
		c.Base = ast.Base{Pos: s.Pos}
		c.Entities = []ast.Entity{{Pos: s.Pos, Name: pointer, Dims: t.dims(d.Entities[k].Dims)}}
		u.temps = append(u.temps, &c)
	}
	x := &ast.Ident{XBase: ast.XBase{Pos: s.LHS.Position(), End: s.LHS.EndPosition()}, Name: pointer}
	call := t.associates(x, s.LHS, s.Base)
	if call == nil {
		return nil
	}
	return []ast.Stmt{call, &ast.Assign{Base: ast.Base{Pos: s.Pos}, LHS: clone(x), RHS: t.expr(clone(s.RHS))}}
}

// associates is "to => x", where x is a reference to such a function; nil for anything else.
func (t *unit) associates(to, x ast.Expr, base ast.Base) ast.Stmt {
	x = t.viaPointer(x)
	name, args, m := t.callee(x)
	if name == "" || m != nil && m.any != nil {
		return nil
	}
	if t.object(x) != nil || t.declared(name) {
		return nil
	}
	f := t.chosen(name, args)
	if f == nil || t.p.associates[f.unit] == nil {
		return nil
	}
	a := t.p.associates[f.unit]
	call := ast.Name{Pos: base.Pos, Name: a.f.unit.Name}
	if home := t.p.scopes[a.host]; a.host.Kind == ast.ModuleUnit && t.scope.module() != home {
		call.Name = a.name
		t.uses = append(t.uses, &ast.Use{Base: ast.Base{Pos: t.unit.Pos}, Module: ast.Name{Pos: t.unit.Pos, Name: a.host.Name}, Only: true,
			Names: []ast.UseName{{Name: ast.Name{Pos: t.unit.Pos, Name: a.name}}}})
	}
	list := t.arguments(name, args)
	at := ast.XBase{Pos: to.Position(), End: to.EndPosition()}
	list = append(list, &ast.Keyword{XBase: at, Name: resultName(f.unit), X: t.expr(clone(to))})
	return &ast.Call{Base: base, Proc: call, Args: list}
}
