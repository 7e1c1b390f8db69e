package comm_test

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/ir"
)

// sequential executes a program as Fortran says: one memory, statement after
// statement. It is the definition of right for the SPMD machine.
type sequential struct {
	np      int // what NUMBER_OF_PROCESSORS answers
	values  map[*ir.Symbol]float64
	arrays  map[*ir.Symbol]*cells
	out     []string
	steps   int
	implied map[*ir.Symbol]float64
	stopped bool // by STOP
}

// runSequential executes p.
func runSequential(p *ir.Program, np int) *sequential {
	m := &sequential{np: np, values: map[*ir.Symbol]float64{}, arrays: map[*ir.Symbol]*cells{}, steps: maxSteps}
	for _, s := range p.Symbols {
		if s.IsArray() {
			m.arrays[s] = newCells(s)
		} else {
			m.values[s] = math.NaN()
		}
	}
	c := control{m: m, store: m.store, setIndex: func(s *ir.Symbol, v float64) { m.values[s] = v }, print: func(text string) { m.out = append(m.out, text) }, steps: &m.steps}
	_, m.stopped = c.block(p.Body).(*ir.Stop)
	return m
}

// maxSteps bounds the statements that a machine executes.
const maxSteps = 400_000

func (m *sequential) processors() int { return m.np }

func (m *sequential) scalar(s *ir.Symbol) float64 {
	if v, ok := m.implied[s]; ok {
		return v
	}
	return m.values[s]
}

func (m *sequential) element(r *ir.Ref, subs []int) float64 {
	c := m.arrays[r.Sym]
	n, ok := c.at(subs)
	if !ok {
		failf("the test's program reads %s%v in line %d, outside its bounds", r.Sym.Name, subs, r.Pos.Line)
	}
	return c.data[n]
}

func (m *sequential) store(lhs ir.Expr, v float64) {
	switch l := lhs.(type) {
	case *ir.Var:
		m.values[l.Sym] = v
	case *ir.Ref:
		c := m.arrays[l.Sym]
		subs := subscripts(m, l)
		n, ok := c.at(subs)
		if !ok {
			failf("the test's program writes %s%v in line %d, outside its bounds", l.Sym.Name, subs, l.Pos.Line)
		}
		c.data[n] = v
	}
}

// control executes structured statements over any storage.
type control struct {
	m        storage
	store    func(lhs ir.Expr, v float64)
	setIndex func(s *ir.Symbol, v float64)
	print    func(text string) // nil: PRINT does nothing, and evaluates nothing
	steps    *int

	// own, when not nil, says whether iteration i of a loop is executed here.
	own func(d *ir.Do, i int) bool
	// begin, when not nil, is called at the start of each iteration.
	begin func(d *ir.Do)
	// end gives the index its value behind the loop.
	end func(d *ir.Do, v float64)
}

// jump is the EXIT, CYCLE or STOP that ended a block, or nil.
type jump = ir.Stmt

func (c *control) block(body []ir.Stmt) jump {
	for _, s := range body {
		if j := c.stmt(s); j != nil {
			return j
		}
	}
	return nil
}

func (c *control) stmt(s ir.Stmt) jump {
	if *c.steps--; *c.steps < 0 {
		failf("the program takes too long")
	}
	switch s := s.(type) {
	case *ir.Assign:
		v := eval(c.m, s.RHS)
		c.store(s.LHS, v)
	case *ir.If:
		if condition(c.m, s.Cond) {
			return c.block(s.Then)
		}
		return c.block(s.Else)
	case *ir.While:
		for condition(c.m, s.Cond) {
			if *c.steps--; *c.steps < 0 {
				failf("the program takes too long")
			}
			if done, j := leaves(s, c.block(s.Body)); done {
				return j
			}
		}
	case *ir.Do:
		return c.do(s)
	case *ir.Print:
		if c.print != nil {
			c.print(printed(c.m, s))
		}
	case *ir.Exit, *ir.Cycle, *ir.Stop:
		return s
	default:
		panic(fault(fmt.Sprintf("the machines have no %T", s)))
	}
	return nil
}

// leaves says what a jump out of the body means for the loop itself.
func leaves(loop ir.Stmt, j jump) (done bool, outer jump) {
	switch j := j.(type) {
	case *ir.Exit:
		if j.Loop == loop {
			return true, nil
		}
		return true, j
	case *ir.Cycle:
		if j.Loop != loop {
			return true, j
		}
	case *ir.Stop:
		return true, j
	}
	return false, nil
}

func (c *control) do(s *ir.Do) jump {
	lo, hi, step := integer(c.m, s.Lo), integer(c.m, s.Hi), integer(c.m, s.Step)
	i := lo
	for trips := (hi - lo + step) / step; trips > 0; trips-- {
		if c.own == nil || c.own(s, i) {
			c.setIndex(s.Index, float64(i))
			if c.begin != nil {
				c.begin(s)
			}
			if done, j := leaves(s, c.block(s.Body)); done {
				return j
			}
		}
		i += step
	}
	if c.end != nil {
		c.end(s, float64(i))
	} else {
		c.setIndex(s.Index, float64(i))
	}
	return nil
}

// printed is the record that a PRINT writes, in a form of its own.
func printed(m storage, s *ir.Print) string {
	text := ""
	var item func(e ir.Expr)
	item = func(e ir.Expr) {
		if c, ok := e.(*ir.Const); ok && c.Typ == ir.Character {
			text += " " + c.Str
			return
		}
		d, ok := e.(*ir.ImpliedDo)
		if !ok {
			text += fmt.Sprintf(" %v", eval(m, e))
			return
		}
		lo, hi, step := integer(m, d.Lo), integer(m, d.Hi), integer(m, d.Step)
		scope := m.(interface{ bind(*ir.Symbol, float64) })
		for trips := (hi - lo + step) / step; trips > 0; trips-- {
			scope.bind(d.Index, float64(lo))
			for _, x := range d.Items {
				item(x)
			}
			lo += step
		}
		scope.bind(d.Index, math.NaN())
	}
	for _, e := range s.Items {
		item(e)
	}
	return text
}

// bind gives the index of an implied DO, which is local to it, a value; NaN
// ends that.
func (m *sequential) bind(s *ir.Symbol, v float64) {
	if math.IsNaN(v) {
		delete(m.implied, s)
		return
	}
	if m.implied == nil {
		m.implied = map[*ir.Symbol]float64{}
	}
	m.implied[s] = v
}
