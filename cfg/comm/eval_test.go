package comm_test

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/ir"
)

// fault is how an execution ends that breaks a rule: the machines panic with it.
type fault string

func failf(format string, args ...any) { panic(fault(fmt.Sprintf(format, args...))) }

// storage is where a machine finds variables while it evaluates. Every value
// is a float64: INTEGERs are small enough to be exact, LOGICALs are 0 and 1.
// NaN is undefined.
type storage interface {
	scalar(s *ir.Symbol) float64
	element(r *ir.Ref, subs []int) float64
	processors() int
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// eval is the value of e. It is undefined when an operand is, and short-circuit
// operators evaluate what gfortran evaluates.
func eval(m storage, e ir.Expr) float64 {
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
		return m.scalar(e.Sym)
	case *ir.Ref:
		return m.element(e, subscripts(m, e))
	case *ir.Conv:
		if v := eval(m, e.E); e.Typ == ir.Integer {
			return math.Trunc(v)
		} else {
			return v
		}
	case *ir.Un:
		v := eval(m, e.E)
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
	panic(fault(fmt.Sprintf("the machines have no %T", e)))
}

// subscripts are the values of r's subscripts.
func subscripts(m storage, r *ir.Ref) []int {
	subs := make([]int, len(r.Subs))
	for d, s := range r.Subs {
		v := eval(m, s)
		if math.IsNaN(v) {
			failf("subscript %d of %s in line %d is undefined", d+1, ir.ExprString(r), r.Pos.Line)
		}
		subs[d] = int(v)
	}
	return subs
}

func binary(m storage, e *ir.Bin) float64 {
	x := eval(m, e.L)
	switch {
	case e.Op == ir.And && x == 0:
		return 0
	case e.Op == ir.Or && x == 1:
		return 1
	}
	y := eval(m, e.R)
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
		if e.Typ == ir.Integer {
			return math.Trunc(x / y)
		}
		return x / y
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

func call(m storage, e *ir.Call) float64 {
	if e.Name == "number_of_processors" {
		return float64(m.processors())
	}
	args := make([]float64, len(e.Args))
	for i, a := range e.Args {
		if args[i] = eval(m, a); math.IsNaN(args[i]) {
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
	panic(fault("the machines have no intrinsic " + e.Name))
}

// condition is the value of a LOGICAL expression.
func condition(m storage, e ir.Expr) bool {
	v := eval(m, e)
	if math.IsNaN(v) {
		failf("condition %s in line %d is undefined", ir.ExprString(e), e.Position().Line)
	}
	return v == 1
}

// integer is the value of an INTEGER expression.
func integer(m storage, e ir.Expr) int {
	v := eval(m, e)
	if math.IsNaN(v) {
		failf("%s in line %d is undefined", ir.ExprString(e), e.Position().Line)
	}
	return int(v)
}

// cells is the memory of one array: every element, undefined at first.
type cells struct {
	dims []ir.Bound
	data []float64
}

func newCells(s *ir.Symbol) *cells {
	n := 1
	for _, d := range s.Dims {
		n *= d.Extent()
	}
	c := &cells{s.Dims, make([]float64, n)}
	for i := range c.data {
		c.data[i] = math.NaN()
	}
	return c
}

// at is the place of an element; ok is false outside the bounds.
func (c *cells) at(subs []int) (n int, ok bool) {
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

// elements calls visit with the subscripts of each element.
func (c *cells) elements(visit func(subs []int, n int)) {
	subs := make([]int, len(c.dims))
	for n := range c.data {
		rest := n
		for d, b := range c.dims {
			subs[d] = b.Lo + rest%b.Extent()
			rest /= b.Extent()
		}
		visit(subs, n)
	}
}
