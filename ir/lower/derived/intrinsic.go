package derived

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// The types of iso_fortran_env have one component, an INTEGER that the program cannot name:
// events and locks become INTEGER coarrays.

// intrinsicTypes are the types of the intrinsic modules.
func intrinsicTypes() map[string]*record {
	home := newScope(&ast.Program{Kind: ast.ModuleUnit, Name: "iso_fortran_env"}, nil, "iso_fortran_env")
	types := map[string]*record{}
	for name, part := range map[string]string{"event_type": "posts", "lock_type": "holder"} {
		count := &component{name: part, spec: ast.TypeSpec{Name: "integer"}, init: &ast.IntLit{Text: "0"}}
		types[name] = &record{name: name, id: home.id + "%" + name, scope: home, bound: map[string]*bound{}, comps: []*component{count}, intrinsic: true}
	}
	return types
}

// useIntrinsic takes the types of an intrinsic module.
func (p *program) useIntrinsic(s *scope, u *ast.Use) {
	if u.Module.Name != "iso_fortran_env" {
		return
	}
	for name, r := range p.intrinsic {
		if !u.Only {
			s.types[name] = r
		}
		for _, n := range u.Names {
			if n.Original().Name == name {
				s.types[n.Name.Name] = r
			}
		}
	}
}

// opaque is a type of the intrinsic modules that r is or has a component of, nil for none.
func (r *record) opaque() *record {
	if r == nil || r.intrinsic {
		return r
	}
	for _, c := range r.comps {
		if of := c.of.opaque(); of != nil {
			return of
		}
	}
	return nil
}

// values reports a use of the value of something whose type has none.
func (t *unit) values(r *record, pos source.Pos) bool {
	of := r.opaque()
	if of != nil {
		t.p.diags.Errorf(source.TypeMismatch, pos, "a variable of type %s has no value that can be used", of.name).
			WithHelp("use EVENT POST, EVENT WAIT and event_query for events, LOCK and UNLOCK for locks")
	}
	return of == nil
}

// event is x, which must be a variable of the intrinsic type called name, as the coarray that
// stands for it.
func (t *unit) event(x ast.Expr, name string) ast.Expr {
	o := t.object(x)
	if o == nil || o.of != t.p.intrinsic[name] {
		t.p.diags.Errorf(source.TypeMismatch, x.Position(), "this is no variable of type %s", name).
			WithHelp("use iso_fortran_env, only: %s, and declare it: type(%s) :: x[*]", name, name)
		return nil
	}
	return t.reference(o, o.of.leaves()[0])
}

// sync is SYNC and its like.
func (t *unit) sync(s *ast.Sync) []ast.Stmt {
	c := ast.Copy(s)
	if s.OfVariable() {
		name := "lock_type"
		if s.What == "event post" || s.What == "event wait" {
			name = "event_type"
		}
		x := t.event(s.Images[0], name)
		if x == nil {
			return nil
		}
		c.Images = nil
		t.parts(c)
		c.Images = []ast.Expr{x}
		return one(c)
	}
	t.parts(c)
	return one(c)
}

// eventQuery is CALL EVENT_QUERY.
func (t *unit) eventQuery(s *ast.Call) []ast.Stmt {
	c := *s
	c.Args = nil
	for i, a := range s.Args {
		k, isKey := a.(*ast.Keyword)
		switch {
		case i == 0 && !isKey:
			a = t.event(a, "event_type")
		case isKey && k.Name == "event":
			a = t.event(k.X, "event_type")
			if a != nil {
				a = &ast.Keyword{XBase: k.XBase, Name: k.Name, X: a}
			}
		default:
			a = t.expr(a)
		}
		if a == nil {
			return nil
		}
		c.Args = append(c.Args, a)
	}
	return one(&c)
}
