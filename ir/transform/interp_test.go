package transform_test

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/ir"
)

// machine executes programs of INTEGER, REAL and LOGICAL values as Fortran says:
// one memory, statement after statement. Every value is a float64; sizes stay
// far below 2**53.
type machine struct {
	scalars map[*ir.Symbol]float64
	arrays  map[*ir.Symbol][]float64
	out     []string // what PRINT wrote
	input   int      // values that READ has given: 1, 2, 3, ...
	steps   int      // left before the run is given up
}

// fault ends a run: too long, or out of bounds.
type fault string

// newMachine has memory for p; every cell has a value of its own, so that one
// that is read unwritten shows.
func newMachine(p *ir.Program) *machine {
	m := &machine{scalars: map[*ir.Symbol]float64{}, arrays: map[*ir.Symbol][]float64{}, steps: 200_000}
	for k, s := range p.Symbols {
		n := 1
		for _, d := range s.Dims {
			n *= d.Extent()
		}
		cells := make([]float64, n)
		for i := range cells {
			cells[i] = float64((i*7+k*3)%11 - 4)
		}
		if s.IsArray() {
			m.arrays[s] = cells
		} else {
			m.scalars[s] = cells[0]
		}
	}
	return m
}

// run executes p; the text says why it was given up.
func run(p *ir.Program) (m *machine, failed string) {
	m = newMachine(p)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			failed = string(r)
		default:
			panic(r)
		}
	}()
	m.block(p.Body)
	return m, ""
}

// block returns the EXIT, CYCLE or STOP that ended it, or nil.
func (m *machine) block(body []ir.Stmt) ir.Stmt {
	for _, s := range body {
		if jump := m.stmt(s); jump != nil {
			return jump
		}
	}
	return nil
}

func (m *machine) stmt(s ir.Stmt) ir.Stmt {
	if m.steps--; m.steps < 0 {
		panic(fault("too many steps"))
	}
	switch s := s.(type) {
	case *ir.Assign:
		v := m.eval(s.RHS)
		switch l := s.LHS.(type) {
		case *ir.Var:
			m.scalars[l.Sym] = v
		case *ir.Ref:
			m.arrays[l.Sym][m.cell(l)] = v
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
		lo, hi, step := int(m.eval(s.Lo)), int(m.eval(s.Hi)), int(m.eval(s.Step))
		m.scalars[s.Index] = float64(lo)
		for trips := (hi - lo + step) / step; trips > 0; trips-- {
			if done, jump := leaves(s, m.block(s.Body)); done {
				return jump
			}
			m.scalars[s.Index] += float64(step)
		}
	case *ir.Print:
		text := ""
		for _, e := range s.Items {
			text += fmt.Sprintf(" %v", m.eval(e))
		}
		m.out = append(m.out, text)
	case *ir.Read:
		for _, v := range s.Items {
			m.input++
			m.scalars[v.Sym] = float64(m.input)
		}
	default:
		return s
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
	case *ir.Stop:
		return true, j
	}
	return false, nil
}

func (m *machine) cell(r *ir.Ref) int {
	n, size := 0, 1
	for d, s := range r.Subs {
		b := r.Sym.Dims[d]
		i := int(m.eval(s))
		if i < b.Lo || i > b.Hi {
			panic(fault(fmt.Sprintf("%s: subscript %d is %d", ir.ExprString(r), d+1, i)))
		}
		n += (i - b.Lo) * size
		size *= b.Extent()
	}
	return n
}

func (m *machine) eval(e ir.Expr) float64 {
	switch e := e.(type) {
	case *ir.Const:
		switch e.Typ {
		case ir.Integer:
			return float64(e.Int)
		case ir.Logical:
			return truth(e.Bool)
		}
		return e.Float
	case *ir.Var:
		return m.scalars[e.Sym]
	case *ir.Ref:
		return m.arrays[e.Sym][m.cell(e)]
	case *ir.Conv:
		v := m.eval(e.E)
		if e.Typ == ir.Integer {
			v = math.Trunc(v)
		}
		return v
	case *ir.Un:
		v := m.eval(e.E)
		switch e.Op {
		case ir.Neg:
			return -v
		case ir.Not:
			return 1 - v
		}
		return v
	case *ir.Call:
		x, y := m.eval(e.Args[0]), 0.0
		if len(e.Args) > 1 {
			y = m.eval(e.Args[1])
		}
		switch e.Name {
		case "mod":
			return math.Mod(x, y)
		case "modulo":
			return x - y*math.Floor(x/y)
		case "iand":
			return float64(int(x) & int(y))
		case "max":
			return max(x, y)
		case "min":
			return min(x, y)
		case "abs":
			return math.Abs(x)
		}
	case *ir.Bin:
		return m.binary(e)
	}
	panic(fmt.Sprintf("the machine has no %s", ir.ExprString(e)))
}

func (m *machine) binary(e *ir.Bin) float64 {
	x := m.eval(e.L)
	switch {
	case e.Op == ir.And && x == 0, e.Op == ir.Or && x != 0:
		return x
	}
	y := m.eval(e.R)
	switch e.Op {
	case ir.Add:
		return x + y
	case ir.Sub:
		return x - y
	case ir.Mul:
		return x * y
	case ir.Div:
		if e.Typ == ir.Integer {
			if y == 0 {
				panic(fault("division by zero"))
			}
			return math.Trunc(x / y)
		}
		return x / y
	case ir.Eq:
		return truth(x == y)
	case ir.Ne:
		return truth(x != y)
	case ir.Lt:
		return truth(x < y)
	case ir.Le:
		return truth(x <= y)
	case ir.Gt:
		return truth(x > y)
	case ir.Ge:
		return truth(x >= y)
	case ir.And, ir.Or:
		return y
	}
	panic(fmt.Sprintf("the machine has no %s", e.Op))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// differ names the first thing in which two runs of programs with the same
// symbols differ: output, then cells of arrays. What a scalar holds in the end
// matters where it is printed.
func differ(p *ir.Program, a, b *machine) string {
	if x, y := fmt.Sprint(a.out), fmt.Sprint(b.out); x != y {
		return fmt.Sprintf("printed %s, want %s", y, x)
	}
	for _, s := range p.Symbols {
		for i, v := range a.arrays[s] {
			w := b.arrays[s][i]
			same := math.Float64bits(v) == math.Float64bits(w) || math.IsNaN(v) && math.IsNaN(w)
			if !same && !(v == w && s.Type.IsInteger()) { // which have one zero
				return fmt.Sprintf("cell %d of %s is %v, want %v", i, s.Name, w, v)
			}
		}
	}
	return ""
}
