package comm

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// PlaneSub is subscript number Dim, from 1, of all that an execution of a communication
// brings; so it fills one plane of an overlap.
type PlaneSub struct {
	Dim int
	Sub linalg.Affine
}

// PlaneSubs are the dimensions of c, which fills an overlap, in which all that an
// execution brings has one subscript, that varies.
func (c *Comm) PlaneSubs() (out []PlaneSub) {
	if !c.Overlap || c.Kind == Pipeline || c.Kind == Irregular || c.Subs != nil {
		return nil
	}
	for d, ax := range c.Axes {
		if c.Array.Mapping.Map.Axes[d].Grid < 0 && len(ax.Terms) == 0 && !ax.All && !ax.Off.IsConst() {
			out = append(out, PlaneSub{d + 1, ax.Off})
		}
	}
	return out
}

// Alternates reports whether any two successive executions of c are proved to differ in
// subscript sub: as
//
//	do t = 1, n
//	   a(i,new) = a(i-1,old) + a(i+1,old)
//	   swap = old;  old = new;  new = swap
//	end do
//
// fills the overlap in another plane than in the iteration before. It lets the program
// note the subscript of each execution, follows the values of all scalars that matter along
// all ways through g, and looks whether the next execution may come with the same.
func (p *Program) Alternates(g *cfg.Graph, c *Comm, sub linalg.Affine) bool {
	noted := &ir.Symbol{Name: "last " + sub.String(), Type: ir.Long, Temp: true}
	once := &ir.Symbol{Name: "once", Type: ir.Integer, Temp: true}
	now, ok := p.expression(sub)
	if !ok {
		return false
	}
	yes, no := &ir.Const{X: ir.X{Typ: ir.Integer}, Int: 1}, &ir.Const{X: ir.X{Typ: ir.Integer}}
	equal := func(a, b ir.Expr) ir.Expr {
		return &ir.Bin{X: ir.X{Typ: ir.Logical}, Op: ir.Eq, L: a, R: b}
	}
	of := func(s *ir.Symbol) ir.Expr { return &ir.Var{X: ir.X{Typ: s.Type}, Sym: s} }
	again := &ir.Bin{X: ir.X{Typ: ir.Logical}, Op: ir.And, L: equal(of(once), yes), R: equal(of(noted), now)}

	f := &scalar.Flow{}
	for range g.Nodes { // steps have the numbers of nodes, those added follow
		f.Add()
	}
	same := f.Add()
	for _, n := range g.Nodes {
		at := n.ID
		switch {
		case n.Kind == cfg.Entry:
			at = f.Then(at, scalar.Set, once, no)
		case n.Kind == cfg.Comm && n.Ref == c.ID:
			test := f.Add()
			f.Link(at, test)
			f.Link(f.Then(test, scalar.Hold, nil, again), same)
			note := f.Add()
			f.Link(at, note)
			at = f.Then(f.Then(note, scalar.Set, noted, now), scalar.Set, once, yes)
		default:
			at = p.effect(f, n)
		}
		for i, m := range n.Succs {
			if m != nil {
				f.Link(p.edge(f, at, n, i), m.ID)
			}
		}
	}
	vars := []*ir.Symbol{once, noted}
	for _, v := range sub.Vars() {
		vars = append(vars, p.integer(v))
	}
	return !f.Values(vars).Reached(same)
}

// effect adds what node n does to scalars, and returns the step behind it.
func (p *Program) effect(f *scalar.Flow, n *cfg.Node) int {
	at := n.ID
	forget := func(sym *ir.Symbol) {
		if sym != nil && !sym.IsArray() && sym.Type.IsInteger() {
			at = f.Then(at, scalar.Forget, sym, nil)
		}
	}
	switch n.Kind {
	case cfg.Reduce:
		for _, r := range p.Reduces {
			if r.ID == n.Ref {
				forget(r.Sym)
			}
		}
	case cfg.Stmt:
		stmt := p.Stmt(n)
		if a, ok := stmt.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok && v.Typ.IsInteger() {
				return f.Then(at, scalar.Set, v.Sym, a.RHS)
			}
		}
		if stmt != nil {
			for sym := range p.Modified(stmt) {
				forget(sym)
			}
		}
	}
	return at
}

// edge adds what the way from n to successor number i does, or tells, and returns the
// step behind it. The head of a loop gives its index the first value to those that
// come from outside, the next to those from inside.
func (p *Program) edge(f *scalar.Flow, at int, n *cfg.Node, i int) int {
	if cond := p.Cond(n); cond != nil && n.Kind == cfg.Branch {
		step := f.Add()
		f.Link(at, step)
		at = f.Then(step, [...]scalar.Action{scalar.Hold, scalar.Fail}[i], nil, cond)
	}
	m := n.Succs[i]
	if m.Kind != cfg.LoopHead {
		return at
	}
	d, ok := p.Loop(m.Loop).(*ir.Do)
	if !ok {
		return at
	}
	step := f.Add()
	f.Link(at, step)
	if m.Loop.Contains(n.Loop) {
		return f.Then(step, scalar.Advance, d.Index, d.Step)
	}
	return f.Then(step, scalar.Begin, d.Index, d.Lo)
}

// integer is the INTEGER scalar called name, nil if there is none.
func (p *Program) integer(name string) *ir.Symbol {
	for _, s := range p.IR.Symbols {
		if s.Name == name && s.Type.IsInteger() && !s.IsArray() {
			return s
		}
	}
	return nil
}

// expression is the value of form.
func (p *Program) expression(form linalg.Affine) (ir.Expr, bool) {
	x := ir.X{Typ: ir.Long}
	var sum ir.Expr = &ir.Const{X: x, Int: int(form.C)}
	for _, v := range form.Vars() {
		sym := p.integer(v)
		if sym == nil {
			return nil, false
		}
		term := &ir.Bin{X: x, Op: ir.Mul, L: &ir.Const{X: x, Int: int(form.Coef(v))}, R: &ir.Conv{X: x, E: &ir.Var{X: ir.X{Typ: sym.Type}, Sym: sym}}}
		sum = &ir.Bin{X: x, Op: ir.Add, L: sum, R: term}
	}
	return sum, true
}
