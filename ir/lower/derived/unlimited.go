package derived

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
)

// CLASS(*) is CLASS of a type that all types extend, the intrinsic ones too: what is declared with it
// has the number of its type, and a part for each type that a guard of SELECT TYPE names. No other
// part can be seen. The types of expressions are not known here, so that a call passes a value of an
// intrinsic type for each part, and package lower keeps that of its type:
//
//	call show(x + 1)                     call show(typecode%(x + 1), v%integer4=typed%(x + 1, 104), v%real8=typed%(x + 1, 208))
//	select type (v); type is (real(8))   if (v%type == -208) then; associate (v => v%real8)
const everything = "*"

// all is the type that CLASS(*) is that of.
func (p *program) all() *record {
	if p.star == nil {
		p.star = &record{name: everything, id: everything, def: &ast.TypeDef{Abstract: true}, bound: map[string]*bound{}}
		p.anyOf(p.star)
	}
	return p.star
}

// isAll reports whether r is the type of CLASS(*).
func (r *record) isAll() bool { return r != nil && r.declared().name == everything }

// value is the type of guard g of SELECT TYPE, where that names an intrinsic type: a type with one
// component. It is nil after an error.
func (p *program) value(s *scope, g *ast.TypeGuard) *record {
	code, spec := p.codeOf(s, g.Type)
	if code == 0 {
		p.errorf(g.Of.Pos, "a guard of SELECT TYPE with a kind that is not known here").WithHelp("write the kind as a number, or as a name of iso_fortran_env")
		return nil
	}
	for _, r := range p.values {
		if r.code == code {
			return r
		}
	}
	c := &component{name: "value", pos: g.Of.Pos, spec: spec}
	id := fmt.Sprint(spec.Name, code%100)
	r := &record{name: id, id: id, def: &ast.TypeDef{}, bound: map[string]*bound{}, comps: []*component{c}, code: code}
	p.values = append(p.values, r)
	return r
}

// TypeCode is a number for an intrinsic type of a kind, 0 where there is none. That of CHARACTER, of
// any length, has the kind 1.
func TypeCode(name string, kind int) int {
	if k := slices.Index([]string{"integer", "real", "complex", "logical", "character"}, name) + 1; k > 0 {
		return 100*k + kind
	}
	return 0
}

// codeOf is the number of the type that t says, and t with a kind that all units can write.
func (p *program) codeOf(s *scope, t *ast.TypeSpec) (code int, spec ast.TypeSpec) {
	spec = ast.TypeSpec{Name: t.Name}
	kind := map[string]int{"integer": 4, "real": 4, "complex": 4, "logical": 4, "character": 1}[t.Name]
	switch t.Name {
	case "double precision", "double complex":
		spec.Name, kind = map[string]string{"double precision": "real", "double complex": "complex"}[t.Name], 8
	case "byte":
		spec.Name, kind = "integer", 1
	}
	if t.Kind != nil {
		kind = p.kindOf(s, t.Kind, 0)
	}
	if kind == 0 {
		return 0, spec
	}
	if t.Name == "character" {
		spec.Len = &ast.Ident{Name: "*"}
		return TypeCode("character", kind), spec
	}
	spec.Kind = &ast.IntLit{Text: fmt.Sprint(kind)}
	return TypeCode(spec.Name, kind), spec
}

// kindOf is the value of x, a kind, as far as it is made of numbers, names of constants, KIND and
// SELECTED_REAL_KIND or SELECTED_INT_KIND of numbers; 0 where it is not. Depth is that of the names.
func (p *program) kindOf(s *scope, x ast.Expr, depth int) int {
	if depth > 10 {
		return 0
	}
	number := func(x ast.Expr) (n int) {
		if k, is := x.(*ast.Keyword); is {
			x = k.X
		}
		if lit, is := x.(*ast.IntLit); is {
			fmt.Sscan(lit.Text, &n)
		}
		return n
	}
	switch x := x.(type) {
	case *ast.IntLit:
		return number(x)
	case *ast.Paren:
		return p.kindOf(s, x.X, depth)
	case *ast.Ident:
		if init, in := p.constantNamed(s, x.Name, depth); init != nil {
			return p.kindOf(in, init, depth+1)
		}
		return 0
	case *ast.Index:
		if len(x.Args) == 0 {
			return 0
		}
		n := number(x.Args[0])
		switch x.Name {
		case "kind":
			switch of := x.Args[0].(type) {
			case *ast.IntLit:
				if of.Kind == "" {
					return 4
				}
			case *ast.LogicalLit:
				return 4
			case *ast.StringLit:
				return 1
			case *ast.RealLit:
				if of.Kind == "" {
					return 4 + 4*min(1, strings.Count(strings.ToLower(of.Text), "d"))
				}
			}
		case "selected_real_kind":
			if k, named := x.Args[0].(*ast.Keyword); n > 0 && (!named || k.Name == "p") {
				if n <= 6 && len(x.Args) == 1 || n <= 6 && number(x.Args[1]) <= 37 {
					return 4
				}
				if n <= 15 {
					return 8
				}
			}
		case "selected_int_kind":
			for _, k := range [][2]int{{2, 1}, {4, 2}, {9, 4}, {18, 8}} {
				if n > 0 && n <= k[0] {
					return k[1]
				}
			}
		}
	}
	return 0
}

// constantNamed is the value of the constant that s calls name, and where that is declared; nil for none.
func (p *program) constantNamed(s *scope, name string, depth int) (ast.Expr, *scope) {
	if depth > 10 {
		return nil, nil
	}
	for at := s; at != nil; at = at.outer {
		for _, st := range at.unit.Spec {
			switch st := st.(type) {
			case *ast.TypeDecl:
				for i := range st.Entities {
					if e := &st.Entities[i]; st.Parameter && e.Name == name && e.Init != nil {
						return e.Init, at
					}
				}
			case *ast.Use:
				m := p.modules[st.Module.Name]
				if m == at {
					continue
				}
				old := name
				listed := !st.Only
				for _, n := range st.Names {
					if n.Name.Name == name {
						old, listed = n.Original().Name, true
					}
				}
				if m == nil && listed {
					if n, is := p.constants[st.Module.Name][old]; is {
						return &ast.IntLit{XBase: ast.XBase{Pos: st.Pos, End: st.Pos}, Text: fmt.Sprint(n)}, at
					}
				}
				if m == nil || !listed || !m.visible(old) {
					continue
				}
				if init, in := p.constantNamed(m, old, depth+1); init != nil {
					return init, in
				}
			}
		}
	}
	return nil, nil
}

// parts gives CLASS(*) the parts that guards of SELECT TYPE name; guards are all guards of the program
// with the scopes that they stand in.
func (p *program) allParts(guards []guardOf) {
	named := map[string]bool{}
	for _, g := range guards {
		if g.Type != nil {
			p.value(g.in, g.TypeGuard)
		} else if g.Of.Name != "" {
			named[g.Of.Name] = true
		}
	}
	a := p.star.any
	a.comps = []*component{p.number}
	holds := func(e *record, c *component) {
		own := *c
		own.name, own.of1, own.owner = fmt.Sprintf("%s%%%%%s", e.id, c.name), c.origin(), e
		a.comps = append(a.comps, &own)
	}
	for _, e := range p.records {
		visible := false
		for at := e; at != nil; at = at.parent {
			visible = visible || named[at.name]
		}
		if !visible {
			continue
		}
		a.holds = append(a.holds, e)
		for _, c := range e.comps {
			if !a.has(c) {
				holds(e, c)
			}
		}
	}
	for _, e := range p.values {
		holds(e, e.comps[0])
	}
}

// guardOf is a guard of SELECT TYPE, and the scope that it stands in.
type guardOf struct {
	*ast.TypeGuard
	in *scope
}

// intrinsicParts are the parts of x, which has an intrinsic type, for a dummy argument of type r, that of
// CLASS(*).
func (t *unit) intrinsicParts(x ast.Expr, r *record) []ast.Expr {
	e := builder{ast.XBase{Pos: x.Position(), End: x.EndPosition()}}
	value := t.expr(x)
	var out []ast.Expr
	for _, l := range r.leaves() {
		switch c := l.path[0]; {
		case c == t.p.number:
			out = append(out, e.ref("typecode%", clone(value)))
		case c.owner.code != 0:
			out = append(out, e.ref("typed%", clone(value), e.lit(c.owner.code)))
		default:
			out = append(out, nil)
		}
	}
	return out
}

// isTyped reports whether x may be left out of the arguments that it stands among.
func isTyped(x ast.Expr) bool {
	i, is := x.(*ast.Index)
	return is && (i.Name == "typed%" || i.Name == "typecode%")
}

// asValue is the body of a guard of SELECT TYPE for o, where that has the intrinsic type r: name is the value.
func (t *unit) asValue(o *object, r *record, name ast.Name, body []ast.Stmt) []ast.Stmt {
	c := r.comps[0]
	seen := *o
	seen.of, seen.comp, seen.store, seen.whole = nil, c, nil, nil
	seen.name = o.name + "%" + o.storage().partName(c)
	in := newScope(t.unit, t.scope, "")
	in.vars[name.Name], in.ranks[name.Name] = nil, o.rank()
	x := t.reference(&seen, nil)
	outer := t.scope
	t.scope = in
	out := &ast.Associate{Base: ast.Base{Pos: name.Pos}, EndPos: name.Pos, Names: []ast.Association{{Name: name, X: x}}, Body: t.list(body)}
	t.scope = outer
	return one(out)
}
