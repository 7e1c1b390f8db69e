package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

func (t *unit) independent(s *ast.Independent) *ast.Independent {
	c := *s
	c.On = t.on(&s.On)
	c.New, c.Reduction = t.names(s.New, true), t.names(s.Reduction, true)
	return &c
}

// on is what ON and RESIDENT say: a home of a derived type is that of its first component, and an object of
// one is all of its components.
func (t *unit) on(s *ast.On) ast.On {
	c := *s
	parts := func(x ast.Expr) []ast.Expr {
		if t.typeOf(x) == nil {
			return []ast.Expr{t.expr(x)}
		}
		return t.componentsOf(t.object(x))
	}
	if s.Home != nil {
		c.Home = parts(s.Home)[0]
	}
	c.Objects = nil
	for _, x := range s.Objects {
		c.Objects = append(c.Objects, parts(x)...)
	}
	c.New = t.names(s.New, true)
	return c
}

// componentsOf are the components of o, which has a derived type.
func (t *unit) componentsOf(o *object) (out []ast.Expr) {
	for _, c := range o.of.comps {
		if part := t.component(o, c.name, nil, o.XBase); c.of != nil {
			out = append(out, t.componentsOf(part)...)
		} else {
			out = append(out, t.reference(part, nil))
		}
	}
	return out
}

// distribute is DISTRIBUTE of what arrays of derived types are made of: the dimensions of
// components are not distributed.
func (t *unit) distribute(s *ast.Distribute) []ast.Stmt {
	var out []ast.Stmt
	rest := *s
	rest.Distributees = nil
	for _, e := range s.Distributees {
		v := t.variable(e.Name)
		if v == nil {
			rest.Distributees = append(rest.Distributees, e)
			continue
		}
		for _, l := range v.of.leaves() {
			d := *s
			d.Distributees = []ast.Entity{{Pos: e.Pos, Name: v.name + l.name}}
			if d.Formats = nil; len(s.Formats) > 0 {
				for range l.dims {
					d.Formats = append(d.Formats, ast.DistFormat{Pos: s.Pos, Name: "*"})
				}
				d.Formats = append(d.Formats, s.Formats...)
			}
			out = append(out, &d)
		}
	}
	if len(rest.Distributees) > 0 {
		out = append(out, &rest)
	}
	return out
}

// align is ALIGN of what arrays of derived types are made of.
func (t *unit) align(s *ast.Align) []ast.Stmt {
	base := *s
	if v := t.variable(s.Target); v != nil {
		l := (&object{of: v.of}).plainest()
		if l == nil { // the dimensions of a component come first, and are not distributed
			l = v.of.leaves()[0]
			if !s.HasList {
				base.HasList = true
				for k := 0; k < v.rank; k++ {
					base.Source = append(base.Source, ast.AlignSub{Pos: s.Pos, Colon: true})
					base.TargetSubs = append(base.TargetSubs, ast.AlignTarget{Pos: s.Pos, Colon: true})
				}
			}
			for range l.dims {
				base.TargetSubs = slices.Insert(slices.Clip(base.TargetSubs), 0, ast.AlignTarget{Pos: s.Pos, Star: true})
			}
		}
		base.Target = v.name + l.name
	}
	var out []ast.Stmt
	rest := base
	rest.Alignees = nil
	for _, e := range s.Alignees {
		v := t.variable(e.Name)
		if v == nil {
			rest.Alignees = append(rest.Alignees, e)
			continue
		}
		for _, l := range v.of.leaves() {
			a := base
			a.Alignees = []ast.Entity{{Pos: e.Pos, Name: v.name + l.name}}
			if len(l.dims) > 0 {
				a.HasList, a.Source = true, nil
				for range l.dims {
					a.Source = append(a.Source, ast.AlignSub{Pos: s.Pos, Star: true})
				}
				if a.Source = append(a.Source, base.Source...); !base.HasList {
					for k := 0; k < v.rank; k++ {
						a.Source = append(a.Source, ast.AlignSub{Pos: s.Pos, Colon: true})
						a.TargetSubs = append(slices.Clip(a.TargetSubs), ast.AlignTarget{Pos: s.Pos, Colon: true})
					}
				}
			}
			out = append(out, &a)
		}
	}
	if len(rest.Alignees) > 0 {
		out = append(out, &rest)
	}
	return out
}
