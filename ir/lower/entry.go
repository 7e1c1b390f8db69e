package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// ENTRY: each is a procedure of its own with the declarations and statements of the unit that
// it is in, and a jump to it in front of these. Saved variables are those of the unit.

// entryLabel is the label of the place where a procedure is entered; no statement of the
// source has such a one.
const entryLabel = -1

// entriesOf are the procedures that the ENTRYs of u make.
func entriesOf(u *ast.Program) []*ast.Program {
	var out []*ast.Program
	for _, s := range u.Body {
		e, ok := s.(*ast.Entry)
		if !ok {
			continue
		}
		p := *u
		p.Pos, p.Name, p.Args, p.Result, p.Of, p.At = e.Pos, e.Name.Name, e.Args, e.Result, u, e
		p.Others = withoutNames(dummiesOf(u), e.Args)
		if p.Result.Name == "" || p.Result.Name != u.Result.Name { // else the value is the same variable
			p.Prefix = nil
		}
		out = append(out, &p)
	}
	return out
}

// dummiesOf are the dummy arguments of u and its ENTRYs.
func dummiesOf(u *ast.Program) []ast.Name {
	list := u.Args
	for _, s := range u.Body {
		if e, ok := s.(*ast.Entry); ok {
			list = append(slices.Clip(list), withoutNames(e.Args, list)...)
		}
	}
	return list
}

// withoutNames are the names in list that are not in others.
func withoutNames(list, others []ast.Name) []ast.Name {
	var out []ast.Name
	for _, n := range list {
		if n.Name != ast.Alternate && !slices.ContainsFunc(others, func(o ast.Name) bool { return o.Name == n.Name }) {
			out = append(out, n)
		}
	}
	return out
}

// otherDummies are the dummy arguments of other entries of u, which has been called by one.
func otherDummies(u *ast.Program) []ast.Name {
	if u.Of != nil {
		return u.Others
	}
	return withoutNames(dummiesOf(u), u.Args)
}

// ofOtherEntry reports whether name is a scalar dummy argument of another entry than the one
// by which the unit was called: if it is used as a procedure, that is never done.
func (l *lowerer) ofOtherEntry(name string) bool {
	d := l.scope.dummy(name)
	return d != nil && d.absent && d.no == 0 && !d.isArray
}

// otherAlternates reports whether another entry of the unit that u is of has alternate
// returns.
func otherAlternates(u *ast.Program) bool {
	unit := unitOf(u)
	return slices.ContainsFunc(append(entriesOf(unit), unit), func(p *ast.Program) bool {
		return slices.ContainsFunc(p.Args, func(a ast.Name) bool { return a.Name == ast.Alternate })
	})
}

// unitOf is the unit in which u stands in the source.
func unitOf(u *ast.Program) *ast.Program {
	if u.Of != nil {
		return u.Of
	}
	return u
}

// entered are the statements of u, where skip are statement functions, from the place on at
// which it is entered.
func entered(u *ast.Program, skip int) []ast.Stmt {
	body := slices.Clone(u.Body[skip:])
	for i, s := range body {
		e, ok := s.(*ast.Entry)
		if !ok {
			continue
		}
		next := &ast.Continue{Base: e.Base}
		if body[i] = next; e == u.At {
			next.Label = entryLabel
		}
	}
	if u.At == nil {
		return body
	}
	jump := &ast.Goto{Base: ast.Base{Pos: u.At.Pos}, To: ast.Target{Pos: u.At.Pos, Label: entryLabel}}
	return append([]ast.Stmt{jump}, body...)
}

// otherResults lets the names that the values of the function's other entries have mean the
// variable of this one, where they have its type.
func (l *lowerer) otherResults(u *ast.Program, result *ir.Symbol) {
	unit := unitOf(u)
	if result == nil || u.Kind != ast.FunctionUnit {
		return
	}
	for _, other := range append([]*ast.Program{unit}, entriesOf(unit)...) {
		name := resultName(other)
		if name == resultName(u) {
			continue
		}
		s := l.names[name]
		if s == nil {
			s = l.newSymbol(name, other.Pos)
			l.retype(s, name)
		}
		if other.Prefix != nil {
			t := l.typeSpec(other.Prefix, other.Pos)
			s.Type, s.Len = t.typ, t.length
		}
		l.mention[s] = true
		if s.Type == result.Type && s.Len == result.Len && slices.Equal(s.Dims, result.Dims) {
			l.drop(s)
			l.names[name] = result
		}
	}
}
