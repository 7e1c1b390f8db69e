package transform

import (
	"maps"
	"math"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// folder copies statements and leaves out what conditions that are decided
// exclude: by facts about loop indices, and by constants that scalars have just
// been given.
type folder struct {
	*ir.Copier
	a      *Analysis
	folded []ir.Expr // the conditions, and the MODs, decided by facts
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
			f.folded = append(f.folded, s.Cond)
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
		return []ir.Stmt{f.Do(s, func(b []ir.Stmt) []ir.Stmt {
			return f.body(b, f.a.inLoop(known, s), maps.Clone(env))
		})}
	case *ir.While:
		env.forget(f.a.info.Modified(s))
		n := &ir.While{S: s.S, Name: s.Name, Cond: ir.Clone(s.Cond), End: s.End}
		f.Loops[s] = n
		n.Body = f.body(s.Body, known, maps.Clone(env))
		return []ir.Stmt{n}
	}
	env.forget(f.a.info.Modified(s))
	as, ok := s.(*ir.Assign)
	if !ok {
		return []ir.Stmt{f.Copier.Stmt(s)}
	}
	if v, ok := as.LHS.(*ir.Var); ok {
		if c, ok := as.RHS.(*ir.Const); ok {
			env[v.Sym] = c
		}
	}
	return []ir.Stmt{&ir.Assign{S: as.S, LHS: ir.Clone(as.LHS), RHS: ir.Rewrite(as.RHS, func(e ir.Expr) ir.Expr { return f.remainder(e, known) })}}
}

// maxQuotient is how often a modulus may be contained in what it divides.
const maxQuotient = 2

// remainder is what e, a MOD, is where the quotient is known; nil where it is not.
func (f *folder) remainder(e ir.Expr, known facts) ir.Expr {
	of, m, ok := f.a.modulo(e)
	if !ok {
		return nil
	}
	for k := int64(0); k <= maxQuotient; k++ {
		r, ok1 := of.Sub(linalg.Const(k * m))
		below, ok2 := linalg.Const(-1).Sub(r)
		above, ok3 := r.Sub(linalg.Const(m))
		if ok1 && ok2 && ok3 && known.never(below) && known.never(above) {
			f.folded = append(f.folded, e)
			if k == 0 {
				return ir.Clone(e.(*ir.Call).Args[0])
			}
			return minus(e.(*ir.Call).Args[0], k*m)
		}
	}
	return nil
}

// modulo reports whether e is MOD(of, m) of an affine form and a constant above 0.
func (a *Analysis) modulo(e ir.Expr) (of linalg.Affine, m int64, ok bool) {
	call, ok := e.(*ir.Call)
	if !ok || call.Name != "mod" || len(call.Args) != 2 || !call.Typ.IsInteger() {
		return of, 0, false
	}
	c, ok := call.Args[1].(*ir.Const)
	if !ok || c.Int <= 0 || int64(c.Int) > math.MaxInt32/(maxQuotient+1) {
		return of, 0, false
	}
	of, ok = a.info.Affine(call.Args[0])
	return of, int64(c.Int), ok
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
			v, _, ok := ir.Compute(e, []*ir.Const{x})
			return v, ok
		}
	case *ir.Bin:
		x, okX := env.value(e.L)
		y, okY := env.value(e.R)
		if okX && okY && x.Typ != ir.Character && e.Typ == ir.Logical {
			if v, _, ok := ir.Compute(e, []*ir.Const{x, y}); ok {
				return v, true
			}
		}
	}
	return nil, false
}
