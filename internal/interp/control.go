package interp

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/ir"
)

// Control executes structured statements over any storage.
type Control struct {
	M        Storage
	Store    func(lhs ir.Expr, v float64)
	SetIndex func(s *ir.Symbol, v float64)
	Steps    *int // statements, and iterations of DO WHILE, left

	// The others may be nil.

	Print func(text string) // nil: PRINT does nothing, and evaluates nothing
	Input func() float64    // the next number that READ finds
	// Assign is called in front of an assignment; false: that is all.
	Assign func(s *ir.Assign) bool
	// Before and Behind are called around each statement; Behind not where a jump leaves it.
	Before, Behind func(s ir.Stmt)
	// Own says whether iteration i of a loop is executed here.
	Own func(d *ir.Do, i int) bool
	// Loop is called in front of a loop, before its bounds are evaluated, and behind it.
	Loop func(loop ir.Stmt, begin bool)
	// Iteration is called around each iteration.
	Iteration func(loop ir.Stmt, begin bool)
	// End gives the index its value behind the loop.
	End func(d *ir.Do, v float64)
}

// Jump is the EXIT, CYCLE or STOP that ended a block, or nil.
type Jump = ir.Stmt

// Block executes statements.
func (c *Control) Block(body []ir.Stmt) Jump {
	for _, s := range body {
		c.tick()
		visit(c.Before, s)
		if j := c.stmt(s); j != nil {
			return j
		}
		visit(c.Behind, s)
	}
	return nil
}

func (c *Control) tick() {
	if *c.Steps--; *c.Steps < 0 {
		Failf("the program takes too long")
	}
}

func visit(f func(ir.Stmt), s ir.Stmt) {
	if f != nil {
		f(s)
	}
}

func (c *Control) stmt(s ir.Stmt) Jump {
	switch s := s.(type) {
	case *ir.Assign:
		if c.Assign == nil || c.Assign(s) {
			c.Store(s.LHS, Eval(c.M, s.RHS))
		}
	case *ir.If:
		if Condition(c.M, s.Cond) {
			return c.Block(s.Then)
		}
		return c.Block(s.Else)
	case *ir.While:
		return c.While(s, func() Jump { return c.Block(s.Body) })
	case *ir.Do:
		return c.Do(s, func() Jump { return c.Block(s.Body) })
	case *ir.Print:
		if c.Print != nil {
			c.Print(printed(c.M, s))
		}
	case *ir.Read:
		for _, v := range s.Items {
			c.Store(v, c.Input())
		}
		if s.Times != nil {
			Failf("READ of arrays is not executed here")
		}
	case *ir.Exit, *ir.Cycle, *ir.Stop:
		return s
	default:
		Failf("there is no %T here", s)
	}
	return nil
}

// Leaves reports whether jump j, out of the body of a loop, ends the loop, and what then is
// still on its way.
func Leaves(loop ir.Stmt, j Jump) (done bool, outer Jump) {
	switch j := j.(type) {
	case nil:
		return false, nil
	case *ir.Exit:
		if j.Loop == loop {
			return true, nil
		}
	case *ir.Cycle:
		if j.Loop == loop {
			return false, nil
		}
	}
	return true, j
}

// around executes an iteration.
func (c *Control) around(loop ir.Stmt, body func() Jump) (done bool, outer Jump) {
	if c.Iteration != nil {
		c.Iteration(loop, true)
	}
	j := body()
	if c.Iteration != nil {
		c.Iteration(loop, false)
	}
	return Leaves(loop, j)
}

// whole executes a loop.
func (c *Control) whole(loop ir.Stmt, iterations func() Jump) Jump {
	if c.Loop != nil {
		c.Loop(loop, true)
	}
	j := iterations()
	if c.Loop != nil {
		c.Loop(loop, false)
	}
	return j
}

// Do executes a loop with the given body.
func (c *Control) Do(s *ir.Do, body func() Jump) Jump {
	return c.whole(s, func() Jump { return c.iterations(s, body) })
}

func (c *Control) iterations(s *ir.Do, body func() Jump) Jump {
	lo, hi, step := Integer(c.M, s.Lo), Integer(c.M, s.Hi), Integer(c.M, s.Step)
	i := lo
	for trips := (hi - lo + step) / step; trips > 0; trips-- {
		if c.Own == nil || c.Own(s, i) {
			c.SetIndex(s.Index, float64(i))
			if done, j := c.around(s, body); done {
				return j
			}
		}
		i += step
	}
	if c.End != nil {
		c.End(s, float64(i))
	} else {
		c.SetIndex(s.Index, float64(i))
	}
	return nil
}

// While executes a loop with the given body.
func (c *Control) While(s *ir.While, body func() Jump) Jump {
	return c.whole(s, func() Jump {
		for Condition(c.M, s.Cond) {
			c.tick()
			if done, j := c.around(s, body); done {
				return j
			}
		}
		return nil
	})
}

// printed is the record that a PRINT writes, in a form of its own.
func printed(m Storage, s *ir.Print) string {
	text := ""
	var item func(e ir.Expr)
	item = func(e ir.Expr) {
		if c, ok := e.(*ir.Const); ok && c.Typ == ir.Character {
			text += " " + c.Str
			return
		}
		d, ok := e.(*ir.ImpliedDo)
		if !ok {
			text += fmt.Sprintf(" %v", Eval(m, e))
			return
		}
		lo, hi, step := Integer(m, d.Lo), Integer(m, d.Hi), Integer(m, d.Step)
		scope := m.(interface{ Bind(*ir.Symbol, float64) })
		for trips := (hi - lo + step) / step; trips > 0; trips-- {
			scope.Bind(d.Index, float64(lo))
			for _, x := range d.Items {
				item(x)
			}
			lo += step
		}
		scope.Bind(d.Index, math.NaN())
	}
	for _, e := range s.Items {
		item(e)
	}
	return text
}
