package derived

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// The types of iso_fortran_env have one component, an INTEGER that the program cannot name:
// events and locks become INTEGER coarrays, teams INTEGER variables.

// intrinsicTypes are the types of the intrinsic modules.
func intrinsicTypes() map[string]*record {
	home := newScope(&ast.Program{Kind: ast.ModuleUnit, Name: "iso_fortran_env"}, nil, "iso_fortran_env")
	types := map[string]*record{}
	for name, part := range map[string]string{"event_type": "posts", "lock_type": "holder", teamType: "number"} {
		count := &component{name: part, spec: ast.TypeSpec{Name: "integer"}, init: &ast.IntLit{Text: "0"}}
		types[name] = &record{name: name, id: home.id + "%" + name, scope: home, bound: map[string]*bound{}, comps: []*component{count}, intrinsic: true}
	}
	return types
}

const teamType = "team_type"

// teamFunctions are the intrinsics that take a team.
var teamFunctions = map[string]bool{"this_image": true, "num_images": true, "image_index": true, "team_number": true, "image_status": true,
	"failed_images": true, "stopped_images": true}

// isTeam reports whether x is a variable of type team_type.
func (t *unit) isTeam(x ast.Expr) bool {
	o := t.object(x)
	return o != nil && o.of == t.p.intrinsic[teamType]
}

// selectsTeam reports whether x is of another team than the current one.
func selectsTeam(x ast.Expr) bool {
	co, ok := x.(*ast.CoIndex)
	return ok && slices.ContainsFunc(co.Images, func(i ast.Expr) bool {
		k, ok := i.(*ast.Keyword)
		return ok && k.Name == "team"
	})
}

// team is x, which must be a team: a variable, or what get_team returns.
func (t *unit) team(x ast.Expr) ast.Expr {
	if call, ok := x.(*ast.Index); ok && call.Name == "get_team" && t.variable(call.Name) == nil {
		return t.expr(x)
	}
	return t.event(x, teamType)
}

// isVariablePart reports whether x is part of a variable of a derived type already.
func isVariablePart(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return strings.Contains(x.Name, "%")
	case *ast.Index:
		return strings.Contains(x.Name, "%")
	}
	return false
}

// withTeam is args, of an intrinsic that takes a team, where the team has its keyword.
func (t *unit) withTeam(args []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, a := range args {
		x := a
		if k, ok := a.(*ast.Keyword); ok {
			x = k.X
		}
		if t.isTeam(x) {
			a = &ast.Keyword{XBase: ast.XBase{Pos: x.Position(), End: x.EndPosition()}, Name: "team", X: t.team(x)}
		}
		out = append(out, a)
	}
	return out
}

// changeTeam is CHANGE TEAM.
func (t *unit) changeTeam(s *ast.ChangeTeam) []ast.Stmt {
	c := *s
	team := t.team(s.Team)
	if team == nil {
		return nil
	}
	c.Team, c.Names = &ast.IntLit{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Text: "0"}, slices.Clone(s.Names)
	for i := range c.Names {
		c.Names[i].Codims = slices.Clone(c.Names[i].Codims)
	}
	c.Status, c.EndStatus = slices.Clone(s.Status), slices.Clone(s.EndStatus)
	t.parts(&c)
	c.Team = team
	in := newScope(t.unit, t.scope, "")
	for _, n := range s.Names {
		in.vars[n.Name.Name] = nil
	}
	outer := t.scope
	t.scope = in
	c.Body = t.list(s.Body)
	t.scope = outer
	return one(&c)
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

// opaque is a type of the intrinsic modules, but team_type, that r is or has a component of, nil
// for none: its variables have no values, and are coarrays.
func (r *record) opaque() *record { return r.opaqueBut(map[*record]bool{}) }

// opaqueBut is opaque without what the types in seen have.
func (r *record) opaqueBut(seen map[*record]bool) *record {
	if r == nil || r.intrinsic && r.name != teamType {
		return r
	}
	if seen[r] {
		return nil
	}
	seen[r] = true
	for _, c := range r.comps {
		if of := c.of.opaqueBut(seen); of != nil {
			return of
		}
	}
	return nil
}

// values reports a use of the value of something whose type has none.
func (t *unit) values(r *record, pos source.Pos) bool {
	of := r.opaque()
	if r != nil && r == t.p.intrinsic[teamType] {
		of = r
	}
	if of != nil {
		t.p.diags.Errorf(source.TypeMismatch, pos, "a variable of type %s has no value that can be used", of.name).
			WithHelp("use EVENT POST, EVENT WAIT and event_query for events, LOCK and UNLOCK for locks, FORM TEAM and CHANGE TEAM for teams")
	}
	return of == nil
}

// event is x, which must be a variable of the intrinsic type called name, as the coarray that
// stands for it.
func (t *unit) event(x ast.Expr, name string) ast.Expr {
	o := t.object(x)
	if o == nil || o.of != t.p.intrinsic[name] {
		form := "x[*]"
		if name == teamType {
			form = "x"
		}
		t.p.diags.Errorf(source.TypeMismatch, x.Position(), "this is no variable of type %s", name).
			WithHelp("use iso_fortran_env, only: %s, and declare it: type(%s) :: %s", name, name, form)
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
	if s.What == "team" || s.What == "form team" {
		at := len(s.Images) - 1
		x := t.team(s.Images[at])
		if x == nil {
			return nil
		}
		c.Images = slices.Clone(s.Images[:at])
		t.parts(c)
		c.Images = append(c.Images, x)
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
