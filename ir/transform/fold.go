package transform

import (
	"maps"
	"math"

	"github.com/spmdc/spmdc/ir"
)

// folder copies statements and leaves out what conditions that are decided
// exclude: by facts about loop indices, and by constants that scalars have just
// been given.
type folder struct {
	*copier
	a      *Analysis
	folded []*ir.If // the conditions decided by facts
}

// constants are scalars with the constants that they equal now.
type constants map[*ir.Symbol]*ir.Const

// body copies a statement list; where it ends, env holds what is known.
func (f *folder) body(list []ir.Stmt, known facts, env constants) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		out = append(out, f.fold(s, known, env)...)
	}
	return out
}

func (f *folder) fold(s ir.Stmt, known facts, env constants) []ir.Stmt {
	switch s := s.(type) {
	case *ir.If:
		t := f.a.decide(s.Cond, known)
		if t != open {
			f.folded = append(f.folded, s)
		} else if v, ok := env.value(s.Cond); ok {
			t = never
			if v.Bool {
				t = always
			}
		}
		switch t {
		case always:
			return f.body(s.Then, known, env)
		case never:
			return f.body(s.Else, known, env)
		}
		n := &ir.If{S: s.S, Cond: ir.Clone(s.Cond), Then: f.body(s.Then, known, maps.Clone(env)), Else: f.body(s.Else, known, maps.Clone(env))}
		env.forget(f.a.info.Modified(s))
		return []ir.Stmt{n}
	case *ir.Do:
		env.forget(f.a.info.Modified(s))
		return []ir.Stmt{f.do(s, func(b []ir.Stmt) []ir.Stmt {
			return f.body(b, f.a.inLoop(known, s), maps.Clone(env))
		})}
	case *ir.While:
		env.forget(f.a.info.Modified(s))
		n := &ir.While{S: s.S, Name: s.Name, Cond: ir.Clone(s.Cond), End: s.End}
		f.loops[s] = n
		n.Body = f.body(s.Body, known, maps.Clone(env))
		return []ir.Stmt{n}
	}
	env.forget(f.a.info.Modified(s))
	if as, ok := s.(*ir.Assign); ok {
		if v, ok := as.LHS.(*ir.Var); ok {
			if c, ok := as.RHS.(*ir.Const); ok {
				env[v.Sym] = c
			}
		}
	}
	return []ir.Stmt{f.copier.stmt(s)}
}

func (env constants) forget(changed map[*ir.Symbol]bool) {
	for sym := range changed {
		delete(env, sym)
	}
}

// value is the value of a LOGICAL expression over known scalars. Comparisons of
// CHARACTER values are left alone: they pad.
func (env constants) value(e ir.Expr) (*ir.Const, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e, true
	case *ir.Var:
		c, ok := env[e.Sym]
		return c, ok && c.Typ == e.Typ
	case *ir.Un:
		x, ok := env.value(e.E)
		switch {
		case !ok:
		case e.Op == ir.Group:
			return x, true
		case e.Op == ir.Not:
			return &ir.Const{X: e.X, Bool: !x.Bool}, true
		}
	case *ir.Bin:
		x, okX := env.value(e.L)
		y, okY := env.value(e.R)
		if okX && okY {
			if v, ok := compare(e.Op, x, y); ok {
				return &ir.Const{X: e.X, Bool: v}, true
			}
		}
	}
	return nil, false
}

// compare compares two constants of one type.
func compare(op ir.Op, x, y *ir.Const) (value, ok bool) {
	var less, same bool
	switch {
	case x.Typ != y.Typ:
		return false, false
	case x.Typ.IsInteger():
		less, same = x.Int < y.Int, x.Int == y.Int
	case x.Typ.IsReal():
		l, r := x.Float, y.Float
		if x.Typ == ir.Real {
			l, r = float64(float32(l)), float64(float32(r))
		}
		if math.IsNaN(l) || math.IsNaN(r) {
			return false, false
		}
		less, same = l < r, l == r
	default:
		return false, false
	}
	switch op {
	case ir.Eq:
		return same, true
	case ir.Ne:
		return !same, true
	case ir.Lt:
		return less, true
	case ir.Le:
		return less || same, true
	case ir.Gt:
		return !less && !same, true
	case ir.Ge:
		return !less, true
	}
	return false, false
}
