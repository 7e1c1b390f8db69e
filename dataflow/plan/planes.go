package plan

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// In
//
//	do t = 1, n
//	   a(i,new) = a(i-1,old) + a(i+1,old)
//	   swap = old;  old = new;  new = swap
//	end do
//
// the values of each iteration fill the overlap in another plane than those of the
// iteration before. So the overlap is two slots by itself, without a stage and
// without a copy: a put need not come behind the use of the last value, only behind
// that of the one before, which a proof over two ages shows.
//
// What it takes is that any two successive executions differ in the subscript. It
// need not return to the same two values: when execution e puts, that the use of e-2
// is over is proved, and so are all uses before, which every PE ends in order.
//
// That they differ is found by following the values of the scalars that the subscript
// depends on through the graph (scalar.Flow), together with the subscript of the last
// execution. The verifier's own way to see it (planescheck.go) knows less.

// Planes says that successive executions of communication Comm fill different planes
// of an overlap: subscript number Dim, from 1, is Sub, with different values.
type Planes struct {
	Comm, Dim int
	Sub       linalg.Affine
}

// String is the line of the text form: "alternates 1 in 3: iold".
func (p *Planes) String() string {
	return fmt.Sprintf("alternates %d in %d: %v", p.Comm, p.Dim, p.Sub)
}

// planeSubs are the dimensions of c, which fills an overlap, in which all that an
// execution brings has one subscript, that varies.
func planeSubs(c *comm.Comm) (out []Planes) {
	if !c.Overlap || c.Kind == comm.Pipeline || c.Kind == comm.Irregular || c.Subs != nil {
		return nil
	}
	for d, ax := range c.Axes {
		if c.Array.Mapping.Map.Axes[d].Grid < 0 && len(ax.Terms) == 0 && !ax.All && !ax.Off.IsConst() {
			out = append(out, Planes{c.ID, d + 1, ax.Off})
		}
	}
	return out
}

// planes is a dimension in which successive executions of c are proved to fill
// different planes; nil if there is none. shared are the groups of communications
// that fill the same cells: c has to be alone, as the planes of others tell nothing.
func (p *Plan) planes(c *comm.Comm, shared [][]int) *Planes {
	if slices.ContainsFunc(shared, func(g []int) bool { return slices.Contains(g, c.ID) }) {
		return nil
	}
	for _, sub := range planeSubs(c) {
		// The other test is the verifier's.
		if p.differ(&sub) && p.alternates(&sub) == nil {
			return &sub
		}
	}
	return nil
}

// planesForms are the slots that the planes are.
func (p *Plan) planesForms(c *comm.Comm, shared [][]int) []option {
	sub := p.planes(c, shared)
	if sub == nil {
		return nil
	}
	o := option{slots: proof.Ring(c.ID, 2, false), planes: sub}
	return append([]option{o}, askingForms([]option{o})...)
}

// Bounds on what the check of a claim looks at: scalars that matter, states.
const (
	mostScalars = 8
	mostStates  = 20_000
)

// largest is the largest constant that the check keeps as such.
const largest = 1 << 30

// differ reports whether any two successive executions are proved to differ in sub. It
// lets the program note the subscript of each execution, and looks whether the next may
// come with the same.
func (p *Plan) differ(sub *Planes) bool {
	noted := &ir.Symbol{Name: "last " + sub.Sub.String(), Type: ir.Long, Temp: true}
	once := &ir.Symbol{Name: "once", Type: ir.Integer, Temp: true}
	now, ok := p.expression(sub.Sub)
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
	for range p.Graph.Nodes { // steps have the numbers of nodes, those added follow
		f.Add()
	}
	same := f.Add()
	for _, n := range p.Graph.Nodes {
		at := n.ID
		switch {
		case n.Kind == cfg.Entry:
			at = f.Then(at, scalar.Set, once, no)
		case n.Kind == cfg.Comm && n.Ref == sub.Comm:
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
	for _, v := range sub.Sub.Vars() {
		vars = append(vars, p.integer(v))
	}
	return !f.Values(vars).Reached(same)
}

// effect adds what node n does to scalars, and returns the step behind it.
func (p *Plan) effect(f *scalar.Flow, n *cfg.Node) int {
	at := n.ID
	forget := func(sym *ir.Symbol) {
		if sym != nil && !sym.IsArray() && sym.Type.IsInteger() {
			at = f.Then(at, scalar.Forget, sym, nil)
		}
	}
	switch n.Kind {
	case cfg.Reduce:
		for _, r := range p.Program.Reduces {
			if r.ID == n.Ref {
				forget(r.Sym)
			}
		}
	case cfg.Stmt:
		stmt := p.Program.Stmt(n)
		if a, ok := stmt.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok && v.Typ.IsInteger() {
				return f.Then(at, scalar.Set, v.Sym, a.RHS)
			}
		}
		if stmt != nil {
			for sym := range p.Program.Modified(stmt) {
				forget(sym)
			}
		}
	}
	return at
}

// edge adds what the way from n to successor number i does, or tells, and returns the
// step behind it. The head of a loop gives its index the first value to those that
// come from outside, the next to those from inside.
func (p *Plan) edge(f *scalar.Flow, at int, n *cfg.Node, i int) int {
	if cond := p.Program.Cond(n); cond != nil && n.Kind == cfg.Branch {
		step := f.Add()
		f.Link(at, step)
		at = f.Then(step, [...]scalar.Action{scalar.Hold, scalar.Fail}[i], nil, cond)
	}
	m := n.Succs[i]
	if m.Kind != cfg.LoopHead {
		return at
	}
	d, ok := p.Program.Loop(m.Loop).(*ir.Do)
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
func (p *Plan) integer(name string) *ir.Symbol {
	for _, s := range p.Program.IR.Symbols {
		if s.Name == name && s.Type.IsInteger() && !s.IsArray() {
			return s
		}
	}
	return nil
}

// expression is the value of form.
func (p *Plan) expression(form linalg.Affine) (ir.Expr, bool) {
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

// why says what the slots are.
func (p *Planes) why() string {
	return fmt.Sprintf("successive executions fill different planes, as %v alternates in dimension %d", p.Sub, p.Dim)
}
