package transform

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Unguard removes an IF whose condition excludes only executions in which its
// statements would do nothing, as in
//
//	if (j + 1 <= n) then
//	   do k = j + 1, n
//	      g = g + a(k)
//	   end do
//	end if
//
// Then the loop, and a reduction in it, is on every path.
//
// Where the condition is false every loop inside must have no iteration. What
// is left of them, the index that a loop without iterations still gets, and of
// assignments to INTEGER scalars between them, must not be used behind the IF.
func (a *Analysis) Unguard(s *ir.If) (*Change, error) {
	if len(s.Else) > 0 {
		return nil, refuse("it has an ELSE")
	}
	f := a.at(s)
	cases := a.cases(s.Cond, false)
	if cases == nil {
		return nil, refuse("its condition is not made of comparisons of affine forms")
	}
	g := &unguarding{a: a, s: s, changed: a.info.Modified(s), defined: a.defined(s)}
	if v := g.unstable(cases); v != "" {
		return nil, refuse("it changes %s, which its condition depends on", v)
	}
	loops := 0
	for _, x := range s.Then {
		if _, ok := x.(*ir.Do); ok {
			loops++
		}
		for _, c := range cases {
			if err := g.nothing(x, f.with(c...)); err != nil {
				return nil, err
			}
		}
		if as, ok := x.(*ir.Assign); ok {
			g.defined[ir.Target(as.LHS)] = true
		}
	}
	if loops == 0 {
		return nil, refuse("it guards no loop")
	}
	return &Change{Kind: Guard, Old: s, New: ir.Copy(s.Then), What: "always true where something is done; removed"}, nil
}

// unguarding is the work of Unguard.
type unguarding struct {
	a       *Analysis
	s       *ir.If
	changed map[*ir.Symbol]bool // by the IF
	defined map[*ir.Symbol]bool // scalars that have a value where the condition is false
}

// defined are the scalars that surely have a value at s: its condition and the
// loops around use them.
func (a *Analysis) defined(s *ir.If) map[*ir.Symbol]bool {
	m := map[*ir.Symbol]bool{}
	add := func(e ir.Expr) {
		ir.WalkExpr(e, func(x ir.Expr) bool {
			if v, ok := x.(*ir.Var); ok {
				m[v.Sym] = true
			}
			return true
		})
	}
	add(s.Cond)
	for _, l := range a.around[s] {
		if d, ok := l.(*ir.Do); ok {
			m[d.Index] = true
			add(d.Lo)
			add(d.Hi)
		}
	}
	return m
}

// unstable names a variable in the forms that the IF changes, so that the forms
// say nothing about the values inside.
func (g *unguarding) unstable(cases [][]linalg.Affine) string {
	for _, c := range cases {
		for _, form := range c {
			for _, v := range form.Vars() {
				if g.changed[g.a.symbols[v]] {
					return v
				}
			}
		}
	}
	return ""
}

// nothing refuses unless x has no effect where f holds.
func (g *unguarding) nothing(x ir.Stmt, f facts) error {
	line := x.Position().Line
	switch x := x.(type) {
	case *ir.Do:
		b := g.a.info.Bounds(x)
		if !b.Affine() {
			return refuse("the bounds of the loop in line %d are not affine", line)
		}
		for _, v := range append(b.Lo.Vars(), b.Hi.Vars()...) {
			if g.changed[g.a.symbols[v]] {
				return refuse("the IF changes %s, which the loop in line %d depends on", v, line)
			}
		}
		if !f.beyond(b.Lo, b.Hi, b.Step).never() {
			return refuse("the loop in line %d may run where the condition is false", line)
		}
		if err := g.evaluable(line, x.Lo, x.Hi, x.Step); err != nil {
			return err
		}
		return g.dead(x.Index, line)
	case *ir.Assign:
		v, ok := x.LHS.(*ir.Var)
		if !ok {
			return refuse("line %d assigns %s whatever the loops do", line, ir.ExprString(x.LHS))
		}
		if _, affine := g.a.info.Affine(x.RHS); !affine {
			return refuse("the value of %s in line %d is not affine", v.Sym.Name, line)
		}
		if err := g.evaluable(line, x.RHS); err != nil {
			return err
		}
		return g.dead(v.Sym, line)
	}
	return refuse("line %d is neither a loop nor an assignment", line)
}

// evaluable refuses unless the scalars in exprs have values where the condition
// is false: a program may well leave the others undefined there.
func (g *unguarding) evaluable(line int, exprs ...ir.Expr) error {
	for _, e := range exprs {
		var bad *ir.Symbol
		ir.WalkExpr(e, func(x ir.Expr) bool {
			if v, ok := x.(*ir.Var); ok && !g.defined[v.Sym] {
				bad = v.Sym
			}
			return true
		})
		if bad != nil {
			return refuse("%s in line %d may have no value where the condition is false", bad.Name, line)
		}
	}
	return nil
}

// dead refuses unless the value that line gives sym is of no use behind the IF.
func (g *unguarding) dead(sym *ir.Symbol, line int) error {
	if g.a.info.LiveAfter(g.s, sym) {
		return refuse("%s, which line %d changes, may be used behind it", sym.Name, line)
	}
	return nil
}
