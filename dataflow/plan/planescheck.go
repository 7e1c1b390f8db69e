package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
)

// This file checks that successive executions of a communication fill different
// planes. It follows parities, and constants while they are small, through the graph
// and the statements behind its nodes, and shares no code with what finds the planes.

// integer is what the check knows of a value: an even number and an odd one are told
// apart, and constants from each other. The zero value is no number at all.
type integer struct {
	kind byte // 'e' even, 'o' odd, 'c' constant
	c    int
}

func parity(c int) integer { return integer{kind: "eo"[c&1]} }

// parity of any number.
func (x integer) parity() integer {
	if x.kind == 'c' {
		return parity(x.c)
	}
	return x
}

// planeCheck is one check.
type planeCheck struct {
	p     *Plan
	claim *Planes
	small bool // no constants
	// scalars are those that the subscript depends on.
	scalars []*ir.Symbol
	sets    map[int]*ir.Assign   // by node
	any     map[int][]*ir.Symbol // by node: what it may have set to anything
}

// planeAt is what holds in front of a node on some way: values of the scalars, then
// that of the subscript in the last execution.
type planeAt struct {
	node   int
	values string
}

// checkPlanes holds what the slot's plane is said to be against what the communication
// brings, and follows its subscript.
func (p *Plan) checkPlanes(s *Slot) error {
	c, claim := s.Comm, s.Planes
	switch {
	case claim == nil || s.Staged || s.Count != 2:
		return fmt.Errorf("#%d has %d slots in an overlap, which are not planes by turns", c.ID, s.Count)
	case !c.Overlap || c.Subs != nil || claim.Comm != c.ID || claim.Dim < 1 || claim.Dim > len(c.Axes):
		return fmt.Errorf("#%d fills no planes of an overlap", c.ID)
	}
	ax := c.Axes[claim.Dim-1]
	if c.Array.Mapping.Map.Axes[claim.Dim-1].Grid >= 0 || ax.All || len(ax.Terms) > 0 || !ax.Off.Equal(claim.Sub) {
		return fmt.Errorf("what #%d brings does not have subscript %v in dimension %d", c.ID, claim.Sub, claim.Dim)
	}
	if err := p.alternates(claim); err != nil {
		return fmt.Errorf("#%d has planes by turns as slots: %w", c.ID, err)
	}
	return nil
}

// alternates checks that no two successive executions have the same subscript.
func (p *Plan) alternates(claim *Planes) error {
	c := &planeCheck{p: p, claim: claim, sets: map[int]*ir.Assign{}, any: map[int][]*ir.Symbol{}}
	if err := c.read(); err != nil {
		return err
	}
	err := c.walk()
	if err != nil {
		c.small = true
		err = c.walk()
	}
	return err
}

// read finds the scalars that matter, and what sets them.
func (c *planeCheck) read() error {
	for _, v := range c.claim.Sub.Vars() {
		sym := c.p.integer(v)
		if sym == nil {
			return fmt.Errorf("%s is not an INTEGER scalar", v)
		}
		c.scalars = append(c.scalars, sym)
	}
	follow := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if v, ok := e.(*ir.Var); ok && v.Typ.IsInteger() && !slices.Contains(c.scalars, v.Sym) {
				c.scalars = append(c.scalars, v.Sym)
			}
			return true
		})
	}
	for k := 0; k < len(c.scalars) && k <= mostScalars; k++ {
		for _, n := range c.p.Graph.Nodes {
			if a := c.assignment(n); a != nil && a.LHS.(*ir.Var).Sym == c.scalars[k] {
				follow(a.RHS)
				c.sets[n.ID] = a
			}
			if d := c.head(n); d != nil && d.Index == c.scalars[k] {
				follow(d.Lo)
			}
		}
	}
	if len(c.scalars) > mostScalars {
		return fmt.Errorf("%v depends on more than %d scalars", c.claim.Sub, mostScalars)
	}
	for _, n := range c.p.Graph.Nodes {
		if c.sets[n.ID] != nil {
			continue
		}
		for _, sym := range c.modified(n) {
			if slices.Contains(c.scalars, sym) {
				c.any[n.ID] = append(c.any[n.ID], sym)
			}
		}
	}
	return nil
}

// assignment is the assignment to an INTEGER scalar at a node, nil if there is none.
func (c *planeCheck) assignment(n *cfg.Node) *ir.Assign {
	if n.Kind != cfg.Stmt {
		return nil
	}
	a, ok := c.p.Program.Stmt(n).(*ir.Assign)
	if !ok {
		return nil
	}
	if v, ok := a.LHS.(*ir.Var); !ok || !v.Typ.IsInteger() {
		return nil
	}
	return a
}

// head is the DO statement of which n is the head, nil if there is none.
func (c *planeCheck) head(n *cfg.Node) *ir.Do {
	if n.Kind != cfg.LoopHead {
		return nil
	}
	d, _ := c.p.Program.Loop(n.Loop).(*ir.Do)
	return d
}

// modified are the symbols that a node other than the head of a loop may give new
// values.
func (c *planeCheck) modified(n *cfg.Node) (out []*ir.Symbol) {
	switch n.Kind {
	case cfg.Reduce:
		for _, r := range c.p.Program.Reduces {
			if r.ID == n.Ref && r.Sym != nil {
				out = append(out, r.Sym)
			}
		}
	case cfg.Stmt:
		if s := c.p.Program.Stmt(n); s != nil {
			for sym := range c.p.Program.Modified(s) {
				out = append(out, sym)
			}
		}
	}
	return out
}

// walk goes through all states.
func (c *planeCheck) walk() error {
	seen := map[planeAt]bool{}
	var work []planeAt
	visit := func(n *cfg.Node, values []integer) {
		key := make([]byte, 0, 4*len(values))
		for _, v := range values {
			key = append(key, v.kind)
			key = strconv.AppendInt(key, int64(v.c), 10)
			key = append(key, ' ')
		}
		at := planeAt{n.ID, string(key)}
		if !seen[at] {
			seen[at] = true
			work = append(work, at)
		}
	}
	states := [][]integer{make([]integer, len(c.scalars)+1)}
	for i := range c.scalars {
		states = split(states, i)
	}
	for _, v := range states {
		visit(c.p.Graph.Entry, v)
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if len(seen) > mostStates {
			return fmt.Errorf("the scalars behind %v have too many values", c.claim.Sub)
		}
		values := make([]integer, 0, len(c.scalars)+1)
		for _, w := range strings.Fields(at.values) {
			v, _ := strconv.Atoi(w[1:])
			values = append(values, integer{w[0], v})
		}
		n := c.p.Graph.Nodes[at.node]
		states, err := c.pass(n, values)
		if err != nil {
			return err
		}
		for _, m := range n.Succs {
			if m == nil {
				continue
			}
			for _, v := range c.enter(states, n, m) {
				visit(m, v)
			}
		}
	}
	return nil
}

// enter gives the index of the loop of which m is the head its next value, the first
// one when control comes from outside.
func (c *planeCheck) enter(states [][]integer, n, m *cfg.Node) [][]integer {
	d := c.head(m)
	if d == nil || !slices.Contains(c.scalars, d.Index) {
		return states
	}
	i := slices.Index(c.scalars, d.Index)
	var next [][]integer
	for _, v := range states {
		x := c.coarse(c.value(d.Lo, v))
		if m.Loop.Contains(n.Loop) {
			x = combine(ir.Add, v[i].parity(), c.value(d.Step, v).parity())
		}
		next = append(next, assign(v, i, x.parity())...)
	}
	return next
}

// split lets value i be anything.
func split(states [][]integer, i int) (out [][]integer) {
	for _, v := range states {
		out = append(out, assign(v, i, integer{kind: 'e'})...)
		out = append(out, assign(v, i, integer{kind: 'o'})...)
	}
	return out
}

// assign gives value i a new value; no number is any.
func assign(values []integer, i int, x integer) [][]integer {
	if x.kind == 0 {
		return split([][]integer{values}, i)
	}
	out := slices.Clone(values)
	out[i] = x
	return [][]integer{out}
}

// pass is the states behind n.
func (c *planeCheck) pass(n *cfg.Node, values []integer) ([][]integer, error) {
	if a := c.sets[n.ID]; a != nil {
		return assign(values, slices.Index(c.scalars, a.LHS.(*ir.Var).Sym), c.coarse(c.value(a.RHS, values))), nil
	}
	states := [][]integer{values}
	for _, sym := range c.any[n.ID] {
		states = split(states, slices.Index(c.scalars, sym))
	}
	if n.Kind != cfg.Comm || n.Ref != c.claim.Comm {
		return states, nil
	}
	last := len(values) - 1
	now, was := c.subscript(values), values[last]
	switch {
	case now.kind == 0:
		return nil, fmt.Errorf("%v has no value that is known where C_%d puts", c.claim.Sub, c.claim.Comm)
	case was.kind == 0:
	case was.kind == 'c' && now.kind == 'c' && was.c == now.c, (was.kind != 'c' || now.kind != 'c') && was.parity() == now.parity():
		return nil, fmt.Errorf("%v may be the same in two successive executions of C_%d", c.claim.Sub, c.claim.Comm)
	}
	return assign(values, last, now), nil
}

// subscript is the value of the subscript.
func (c *planeCheck) subscript(values []integer) integer {
	x := constant(int(c.claim.Sub.C))
	for _, name := range c.claim.Sub.Vars() {
		i := slices.IndexFunc(c.scalars, func(s *ir.Symbol) bool { return s.Name == name })
		x = combine(ir.Add, x, combine(ir.Mul, constant(int(c.claim.Sub.Coef(name))), values[i]))
	}
	return c.coarse(x)
}

// value is that of an expression; no number if it is not known.
func (c *planeCheck) value(e ir.Expr, values []integer) integer {
	if !e.Type().IsInteger() {
		return integer{}
	}
	x := c.operation(e, values)
	if x.kind == 'c' && e.Type().Wrap(x.c) != x.c {
		return x.parity() // which an INTEGER that wraps has too
	}
	return x
}

func (c *planeCheck) operation(e ir.Expr, values []integer) integer {
	switch e := e.(type) {
	case *ir.Const:
		return constant(e.Int)
	case *ir.Var:
		if i := slices.Index(c.scalars, e.Sym); i >= 0 {
			return values[i]
		}
	case *ir.Conv:
		return c.value(e.E, values)
	case *ir.Un:
		x := c.value(e.E, values)
		switch e.Op {
		case ir.Group:
			return x
		case ir.Neg:
			return combine(ir.Sub, constant(0), x)
		}
	case *ir.Bin:
		return combine(e.Op, c.value(e.L, values), c.value(e.R, values))
	case *ir.Call:
		if e.Name == "mod" && len(e.Args) == 2 {
			return remainder(c.value(e.Args[0], values), c.value(e.Args[1], values))
		}
	}
	return integer{}
}

// coarse keeps no constants where there were too many.
func (c *planeCheck) coarse(x integer) integer {
	if c.small {
		return x.parity()
	}
	return x
}

// constant is a number, of which only the parity is kept if it is large.
func constant(n int) integer {
	if max(n, -n) > largest {
		return parity(n)
	}
	return integer{'c', n}
}

// remainder is mod(x,y).
func remainder(x, y integer) integer {
	switch {
	case y.kind != 'c' || y.c == 0:
	case x.kind == 'c':
		return integer{'c', x.c % y.c}
	case y.c%2 == 0:
		return x
	}
	return integer{}
}

// combine is x op y, no number for other operators than + - * and /.
func combine(op ir.Op, x, y integer) integer {
	if x.kind == 'c' && y.kind == 'c' {
		switch {
		case op == ir.Add:
			return constant(x.c + y.c)
		case op == ir.Sub:
			return constant(x.c - y.c)
		case op == ir.Mul:
			return constant(x.c * y.c)
		case op == ir.Div && y.c != 0:
			return constant(x.c / y.c)
		}
		return integer{}
	}
	a, b := x.parity(), y.parity()
	known := a.kind != 0 && b.kind != 0
	switch {
	case op == ir.Mul && (a.kind == 'e' || b.kind == 'e'):
		return integer{kind: 'e'}
	case op == ir.Mul && known:
		return integer{kind: 'o'}
	case (op == ir.Add || op == ir.Sub) && known && a == b:
		return integer{kind: 'e'}
	case (op == ir.Add || op == ir.Sub) && known:
		return integer{kind: 'o'}
	}
	return integer{}
}
