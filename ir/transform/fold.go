package transform

import (
	"maps"

	"github.com/spmdc/spmdc/ir"
)

// folder copies statements and leaves out what conditions that are decided
// exclude: by facts about loop indices, and by constants that scalars have just
// been given.
type folder struct {
	*ir.Copier
	a      *Analysis
	folded []ir.Expr // the conditions, and the MODs and the like, decided by facts
	wrap   *wrapping // nil: loops inside stay whole
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
		n := &ir.If{S: s.S, Cond: f.expr(s.Cond, known), Then: f.body(s.Then, known, maps.Clone(env)), Else: f.body(s.Else, known, maps.Clone(env))}
		env.forget(f.a.info.Modified(s))
		return []ir.Stmt{n}
	case *ir.Do:
		if f.wrap != nil {
			return f.loop(s, known, env)
		}
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
	return []ir.Stmt{&ir.Assign{S: as.S, LHS: f.target(as.LHS, known), RHS: f.expr(as.RHS, known), Step: as.Step}}
}

func (env constants) forget(changed map[*ir.Symbol]bool) {
	for sym := range changed {
		delete(env, sym)
	}
}

// value is the value of an expression over known scalars.
func (env constants) value(e ir.Expr) (c *ir.Const, known bool) {
	return ir.Evaluate(e, func(e ir.Expr) *ir.Const {
		if v, ok := e.(*ir.Var); ok && env[v.Sym] != nil && env[v.Sym].Typ == v.Typ {
			return env[v.Sym]
		}
		return nil
	})
}
