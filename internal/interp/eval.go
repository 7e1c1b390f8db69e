// Package interp executes programs of the IR for tests, as Fortran says: one memory,
// statement after statement. A test that needs another memory, or looks on, brings its own
// Storage, or the functions of a Control.
package interp

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/ir"
)

// Fault is how an execution ends that breaks a rule: what executes panics with it.
type Fault string

// Failf ends the execution.
func Failf(format string, args ...any) { panic(Fault(fmt.Sprintf(format, args...))) }

// TooLarge is the fault of an INTEGER that a float64 may not hold. Nothing is wrong with the
// program then.
const TooLarge Fault = "an INTEGER gets too large"

// Storage is where variables are found in an evaluation. Every value
// is a float64: INTEGERs are small enough to be exact, LOGICALs are 0 and 1.
// NaN is undefined.
type Storage interface {
	Scalar(s *ir.Symbol) float64
	Element(r *ir.Ref, subs []int) float64
	Processors() int
}

// watcher is a Storage that sees each value.
type watcher interface {
	evaluated(e ir.Expr, v float64)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Eval is the value of e. It is undefined when an operand is, and short-circuit
// operators evaluate what gfortran evaluates.
func Eval(m Storage, e ir.Expr) float64 {
	v := eval(m, e)
	if e.Type().IsInteger() && math.Abs(v) > 1<<53 {
		panic(TooLarge)
	}
	if w, ok := m.(watcher); ok {
		w.evaluated(e, v)
	}
	return v
}

func eval(m Storage, e ir.Expr) float64 {
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
		return m.Scalar(e.Sym)
	case *ir.Ref:
		return m.Element(e, Subscripts(m, e))
	case *ir.Conv:
		if v := Eval(m, e.E); e.Typ == ir.Integer {
			return math.Trunc(v)
		} else {
			return v
		}
	case *ir.Un:
		v := Eval(m, e.E)
		switch e.Op {
		case ir.Neg:
			return -v
		case ir.Not:
			return 1 - v
		}
		return v
	case *ir.Bin:
		return binary(m, e)
	case *ir.Call:
		return call(m, e)
	}
	panic(Fault(fmt.Sprintf("there is no %T here", e)))
}

// Subscripts are the values of r's subscripts.
func Subscripts(m Storage, r *ir.Ref) []int {
	subs := make([]int, len(r.Subs))
	for d, s := range r.Subs {
		v := Eval(m, s)
		if math.IsNaN(v) {
			Failf("subscript %d of %s in line %d is undefined", d+1, ir.ExprString(r), r.Pos.Line)
		}
		subs[d] = int(v)
	}
	return subs
}

func binary(m Storage, e *ir.Bin) float64 {
	x := Eval(m, e.L)
	switch {
	case e.Op == ir.And && x == 0:
		return 0
	case e.Op == ir.Or && x == 1:
		return 1
	}
	y := Eval(m, e.R)
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN()
	}
	switch e.Op {
	case ir.Add:
		return x + y
	case ir.Sub:
		return x - y
	case ir.Mul:
		return x * y
	case ir.Div:
		switch {
		case e.Typ != ir.Integer:
			return x / y
		case y == 0:
			Failf("division by zero in line %d", e.Pos.Line)
		}
		return math.Trunc(x / y)
	case ir.Pow:
		return math.Pow(x, y)
	case ir.Eq, ir.Eqv:
		return truth(x == y)
	case ir.Ne, ir.Neqv:
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
	panic("no operator " + e.Op.String())
}

func call(m Storage, e *ir.Call) float64 {
	if e.Name == "number_of_processors" {
		return float64(m.Processors())
	}
	args := make([]float64, len(e.Args))
	for i, a := range e.Args {
		if args[i] = Eval(m, a); math.IsNaN(args[i]) {
			return math.NaN()
		}
	}
	switch e.Name {
	case "abs":
		return math.Abs(args[0])
	case "sqrt":
		return math.Sqrt(args[0])
	case "log":
		return math.Log(args[0])
	case "exp":
		return math.Exp(args[0])
	case "sign":
		return math.Copysign(args[0], args[1])
	case "mod":
		return math.Mod(args[0], args[1])
	case "modulo":
		return args[0] - args[1]*math.Floor(args[0]/args[1])
	case "iand":
		return float64(int(args[0]) & int(args[1]))
	case "ieor":
		return float64(int(args[0]) ^ int(args[1]))
	case "merge":
		if args[2] != 0 {
			return args[0]
		}
		return args[1]
	case "max":
		for _, a := range args {
			args[0] = max(args[0], a)
		}
		return args[0]
	case "min":
		for _, a := range args {
			args[0] = min(args[0], a)
		}
		return args[0]
	}
	panic(Fault("there is no intrinsic " + e.Name))
}

// Condition is the value of a LOGICAL expression.
func Condition(m Storage, e ir.Expr) bool {
	v := Eval(m, e)
	if math.IsNaN(v) {
		Failf("condition %s in line %d is undefined", ir.ExprString(e), e.Position().Line)
	}
	return v == 1
}

// Integer is the value of an INTEGER expression.
func Integer(m Storage, e ir.Expr) int {
	v := Eval(m, e)
	if math.IsNaN(v) {
		Failf("%s in line %d is undefined", ir.ExprString(e), e.Position().Line)
	}
	return int(v)
}

// Cells is the memory of one array: every element, undefined at first.
type Cells struct {
	dims []ir.Bound
	Data []float64
}

// NewCells is the memory of s.
func NewCells(s *ir.Symbol) *Cells {
	n := 1
	for _, d := range s.Dims {
		n *= d.Extent()
	}
	c := &Cells{s.Dims, make([]float64, n)}
	for i := range c.Data {
		c.Data[i] = math.NaN()
	}
	return c
}

// At is the place of an element; ok is false outside the bounds.
func (c *Cells) At(subs []int) (n int, ok bool) {
	weight := 1
	for d, i := range subs {
		b := c.dims[d]
		if i < b.Lo || i > b.Hi {
			return 0, false
		}
		n += (i - b.Lo) * weight
		weight *= b.Extent()
	}
	return n, true
}

// Elements calls visit with the subscripts of each element.
func (c *Cells) Elements(visit func(subs []int, n int)) {
	subs := make([]int, len(c.dims))
	for n := range c.Data {
		rest := n
		for d, b := range c.dims {
			subs[d] = b.Lo + rest%b.Extent()
			rest /= b.Extent()
		}
		visit(subs, n)
	}
}
