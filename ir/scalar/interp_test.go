package scalar_test

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// machine executes programs of INTEGER scalars, loops, IF, EXIT, CYCLE, READ, STOP
// and PRINT, and lets a test look on and interfere.
type machine struct {
	value map[*ir.Symbol]int
	out   []int
	input int // the next number that READ finds; numbers go up by 3
	steps int // left before the run is given up

	before    func(s ir.Stmt)                    // before each statement
	evaluated func(e ir.Expr, value int)         // after each INTEGER evaluation
	executed  func(s ir.Stmt)                    // after each statement that control falls through
	iteration func(d *ir.Do, begin bool)         // around each iteration
	loop      func(d *ir.Do, begin, jumped bool) // around each loop: before its bounds are evaluated, and behind it
}

// outOfSteps ends a run that takes too long.
type outOfSteps struct{}

// stopped ends a run at a STOP.
type stopped struct{}

// run executes p; ok is false when it took too long.
func (m *machine) run(p *ir.Program) (ok bool) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case outOfSteps:
			ok = false
		case stopped:
			ok = true
		default:
			panic(r)
		}
	}()
	m.block(p.Body)
	return true
}

// block returns the EXIT or CYCLE that ended it, or nil.
func (m *machine) block(body []ir.Stmt) ir.Stmt {
	for _, s := range body {
		if m.steps--; m.steps < 0 {
			panic(outOfSteps{})
		}
		if m.before != nil {
			m.before(s)
		}
		jump := m.stmt(s)
		if jump != nil {
			return jump
		}
		if m.executed != nil {
			m.executed(s)
		}
	}
	return nil
}

func (m *machine) stmt(s ir.Stmt) ir.Stmt {
	switch s := s.(type) {
	case *ir.Assign:
		m.value[ir.Target(s.LHS)] = m.eval(s.RHS)
	case *ir.Print:
		for _, e := range s.Items {
			m.out = append(m.out, m.eval(e))
		}
	case *ir.If:
		if m.eval(s.Cond) != 0 {
			return m.block(s.Then)
		}
		return m.block(s.Else)
	case *ir.While:
		for m.eval(s.Cond) != 0 {
			if done, jump := leaves(s, m.block(s.Body)); done {
				return jump
			}
		}
	case *ir.Do:
		return m.do(s)
	case *ir.Exit, *ir.Cycle:
		return s
	case *ir.Read:
		for _, v := range s.Items {
			m.value[v.Sym] = m.input
			m.input += 3
		}
	case *ir.Stop:
		panic(stopped{})
	default:
		panic(fmt.Sprintf("%T", s))
	}
	return nil
}

// leaves says what a jump out of the body means for the loop itself.
func leaves(loop, jump ir.Stmt) (done bool, outer ir.Stmt) {
	switch j := jump.(type) {
	case *ir.Exit:
		if j.Loop == loop {
			return true, nil
		}
		return true, j
	case *ir.Cycle:
		if j.Loop != loop {
			return true, j
		}
	}
	return false, nil
}

func (m *machine) do(s *ir.Do) ir.Stmt {
	if m.loop != nil {
		m.loop(s, true, false)
	}
	lo, hi, step := m.eval(s.Lo), m.eval(s.Hi), m.eval(s.Step)
	i := lo
	for trips := (hi - lo + step) / step; trips > 0; trips-- {
		m.value[s.Index] = i
		if m.iteration != nil {
			m.iteration(s, true)
		}
		done, jump := leaves(s, m.block(s.Body))
		if m.iteration != nil {
			m.iteration(s, false)
		}
		if done {
			if m.loop != nil {
				m.loop(s, false, true)
			}
			return jump
		}
		i += step
	}
	m.value[s.Index] = i
	if m.loop != nil {
		m.loop(s, false, false)
	}
	return nil
}

func (m *machine) eval(e ir.Expr) int {
	v := m.compute(e)
	if m.evaluated != nil && e.Type() == ir.Integer {
		m.evaluated(e, v)
	}
	return v
}

func (m *machine) compute(e ir.Expr) int {
	switch e := e.(type) {
	case *ir.Const:
		if e.Typ == ir.Logical {
			return truth(e.Bool)
		}
		return e.Int
	case *ir.Var:
		return m.value[e.Sym]
	case *ir.Un:
		switch v := m.eval(e.E); e.Op {
		case ir.Neg:
			return -v
		case ir.Not:
			return 1 - v
		default:
			return v
		}
	case *ir.Call:
		return m.call(e)
	case *ir.Bin:
		x, y := m.eval(e.L), m.eval(e.R)
		switch e.Op {
		case ir.Eq:
			return truth(x == y)
		case ir.Ne:
			return truth(x != y)
		case ir.Le:
			return truth(x <= y)
		case ir.Ge:
			return truth(x >= y)
		case ir.And:
			return x & y
		case ir.Or:
			return x | y
		case ir.Div:
			return x / y
		case ir.Add:
			return x + y
		case ir.Sub:
			return x - y
		case ir.Mul:
			return x * y
		case ir.Lt:
			return truth(x < y)
		case ir.Gt:
			return truth(x > y)
		}
	}
	panic(fmt.Sprintf("%T", e))
}

func (m *machine) call(e *ir.Call) int {
	var args []int
	for _, a := range e.Args {
		args = append(args, m.eval(a))
	}
	x := args[0]
	switch e.Name {
	case "max":
		return max(x, args[1])
	case "min":
		return min(x, args[1])
	case "mod":
		return x % args[1]
	case "modulo":
		return (x%args[1] + args[1]) % args[1]
	case "abs":
		return max(x, -x)
	case "ieor":
		return x ^ args[1]
	case "iand":
		return x & args[1]
	case "merge":
		if args[2] != 0 {
			return x
		}
		return args[1]
	}
	panic(e.Name)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
