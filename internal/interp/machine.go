package interp

import (
	"math"

	"github.com/spmdc/spmdc/ir"
)

// Machine executes a program in one memory.
type Machine struct {
	Control
	Values    map[*ir.Symbol]float64
	Arrays    map[*ir.Symbol]*Cells
	Out       []string // what PRINT wrote
	Stopped   bool     // by STOP
	Evaluated func(e ir.Expr, v float64)

	program *ir.Program
	pes     int // what NUMBER_OF_PROCESSORS is
	steps   int
	implied map[*ir.Symbol]float64
}

// New is a machine for p in which everything is undefined. It executes so many statements, and
// iterations of DO WHILE, at most. READ finds 1, 2, 3 and so on.
func New(p *ir.Program, pes, steps int) *Machine {
	m := &Machine{Values: map[*ir.Symbol]float64{}, Arrays: map[*ir.Symbol]*Cells{}, program: p, pes: pes, steps: steps}
	for _, s := range p.Symbols {
		if s.IsArray() {
			m.Arrays[s] = NewCells(s)
		} else {
			m.Values[s] = math.NaN()
		}
	}
	read := 0.0
	m.Control = Control{
		M: m, Store: m.store, SetIndex: func(s *ir.Symbol, v float64) { m.Values[s] = v }, Steps: &m.steps,
		Print: func(text string) { m.Out = append(m.Out, text) },
		Input: func() float64 { read++; return read },
	}
	return m
}

// Execute executes the program, and panics with a Fault where that is not possible.
func (m *Machine) Execute() { _, m.Stopped = m.Block(m.program.Body).(*ir.Stop) }

// Run is Execute that returns the fault, "" for none.
func (m *Machine) Run() (failed Fault) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Fault:
			failed = r
		default:
			panic(r)
		}
	}()
	m.Execute()
	return ""
}

func (m *Machine) evaluated(e ir.Expr, v float64) {
	if m.Evaluated != nil {
		m.Evaluated(e, v)
	}
}

// Processors is the number of PEs.
func (m *Machine) Processors() int { return m.pes }

// Scalar is the value of a scalar.
func (m *Machine) Scalar(s *ir.Symbol) float64 {
	if v, ok := m.implied[s]; ok {
		return v
	}
	return m.Values[s]
}

// Element is the value of an element.
func (m *Machine) Element(r *ir.Ref, subs []int) float64 { return *m.cell(r, subs, "reads") }

func (m *Machine) cell(r *ir.Ref, subs []int, what string) *float64 {
	c := m.Arrays[r.Sym]
	n, ok := c.At(subs)
	if !ok {
		Failf("the test's program %s %s%v in line %d, outside its bounds", what, r.Sym.Name, subs, r.Pos.Line)
	}
	return &c.Data[n]
}

func (m *Machine) store(lhs ir.Expr, v float64) {
	switch l := lhs.(type) {
	case *ir.Var:
		m.Values[l.Sym] = v
	case *ir.Ref:
		*m.cell(l, Subscripts(m, l), "writes") = v
	}
}

// Bind gives the index of an implied DO, which is local to it, a value; NaN
// ends that.
func (m *Machine) Bind(s *ir.Symbol, v float64) {
	if math.IsNaN(v) {
		delete(m.implied, s)
		return
	}
	if m.implied == nil {
		m.implied = map[*ir.Symbol]float64{}
	}
	m.implied[s] = v
}
