// Package transform changes the text of a program, on the typed IR, so that
// fewer of its statements need all PEs at once: it computes scalars that alternate from
// the index of a loop, and elements that subscripts need in front of it, takes off loops the iterations whose neighbours lie around the end of an array, distributes loops, peels an iteration off a loop, divides a loop at
// an iteration, removes guards that exclude nothing, has a loop computed by each of several
// owners, and has one executed on copies of arrays, be they distributed otherwise or gathered
// by all PEs.
//
// The loop
//
//	do j = 1, n
//	   d(j) = z(n,j)        ! computed by the owner of d(j)
//	   z(n,j) = 0.0d0       ! computed by the owner of row n
//	end do
//
// has statements of different owners. All PEs execute every iteration of it, and
// each of its iterations sends one element. Distributed into
//
//	do j = 1, n
//	   d(j) = z(n,j)
//	end do
//	do j = 1, n
//	   z(n,j) = 0.0d0
//	end do
//
// it is two loops that the PEs divide among themselves, and the elements that
// the first one needs travel at once.
//
// The functions here say what a transformation gives, or why it would change
// the meaning of the program. Whether it pays is for others to judge.
//
// A transformation leaves the program that it is given alone and makes copies.
// Symbols are shared; every statement and expression of a copy is a node of its
// own, at the position of its original, so that diagnostics and //line
// directives show the source. Facts of ir/scalar do not carry over.
package transform

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Kind is a kind of transformation; its text is the name that users know.
type Kind string

const (
	Distribute   Kind = "distribute"
	Guard        Kind = "guard"
	Expand       Kind = "expand"
	Peel         Kind = "peel"
	Interchange  Kind = "interchange"
	Split        Kind = "split"
	Redistribute Kind = "redistribute"
	Replicate    Kind = "replicate"
	Periodic     Kind = "periodic"
	Wrap         Kind = "wrap"
	Gather       Kind = "gather"
	Hoist        Kind = "hoist"
)

// Kinds lists all kinds.
var Kinds = []Kind{Wrap, Hoist, Periodic, Distribute, Redistribute, Interchange, Guard, Expand, Peel, Split, Replicate, Gather}

// Change is what a transformation makes of one statement.
type Change struct {
	Kind Kind
	Old  ir.Stmt   // a statement of the analysed program
	New  []ir.Stmt // in its place; jumps to loops around Old still name the original loops
	What string    // in words
	// Symbols are the arrays that New needs besides those of the program.
	Symbols []*ir.Symbol
}

// Refusal says why a transformation is not possible.
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Analysis answers questions about one program.
type Analysis struct {
	info    *scalar.Info
	symbols map[string]*ir.Symbol
	around  map[ir.Stmt][]ir.Stmt // loops around a statement, outermost first
	order   map[ir.Stmt]int       // textual position

	program  *ir.Program
	contents map[*ir.Symbol]*filled // once somebody asks
	under    map[ir.Expr]int        // the statement of the main program that a reference is in

	InOrder bool // floating-point sums keep their order
}

// New prepares p for transformations. info must be scalar.Analyze(p).
func New(p *ir.Program, info *scalar.Info) *Analysis {
	a := &Analysis{
		info:    info,
		program: p,
		symbols: make(map[string]*ir.Symbol, len(p.Symbols)),
		around:  map[ir.Stmt][]ir.Stmt{},
		order:   map[ir.Stmt]int{},
	}
	for _, s := range p.Symbols {
		a.symbols[s.Name] = s
	}
	a.place(p.Body, nil)
	return a
}

func (a *Analysis) place(body []ir.Stmt, loops []ir.Stmt) {
	for _, s := range body {
		a.around[s] = loops
		a.order[s] = len(a.order)
		inner := loops
		switch s.(type) {
		case *ir.Do, *ir.While:
			inner = append(loops[:len(loops):len(loops)], s)
		}
		for _, b := range ir.Bodies(s) {
			a.place(b, inner)
		}
	}
}

// cheapBounds refuses loops whose bounds or step, evaluated once more, would need
// communication. What they are does not change in the loop.
func cheapBounds(loop *ir.Do) error {
	for _, e := range []ir.Expr{loop.Lo, loop.Hi, loop.Step} {
		if e.IsVarying() {
			return refuse("its bounds read a distributed array")
		}
	}
	return nil
}
