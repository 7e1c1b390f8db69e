// Package scalar finds out what the scalars of a program stand for, without
// changing the program: which affine form of loop indices an integer expression
// has, and which scalars each iteration of a loop may keep to itself, which are
// reductions, and which truly carry a value from one iteration to the next.
//
// In
//
//	do j = 2, n
//	   l = j - 1
//	   g = e(j)
//	   do k = 1, l
//	      g = g + a(j,k)*a(l,k)
//	   end do
//	   e(j) = g
//	end do
//
// the subscript l is j-1, the loop over k runs to j-1, l and g are private in
// the loop over j, and g is a sum in the loop over k.
//
// Forms have no size: a proof that rests on one assumes that the values of subscripts,
// bounds and conditions, and of what they are computed from, fit in their INTEGER types. A sum or
// product that is seen not to fit has no form, and the emitted program computes values
// as the source says: an INTEGER(4) that wraps does so everywhere but in a subscript or
// bound that is itself a sum.
//
// Facts are keyed by the nodes of the program. They hold for the program as it
// was when Analyze saw it.
package scalar

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Info holds the facts about one program.
type Info struct {
	prog     *ir.Program
	affine   map[ir.Expr]linalg.Affine
	modified map[ir.Stmt]map[*ir.Symbol]bool
	bounds   map[*ir.Do]LoopBounds
	ranges   map[string]span // of indices, while propagate is in their loops

	// Forms that use quotients, beside those that do not.
	rounded       map[ir.Expr]linalg.Affine
	roundedBounds map[*ir.Do]LoopBounds
	quotients     linalg.Quotients

	number map[*ir.Symbol]int // of scalars, for the sets of liveness
	after  map[ir.Stmt]set    // scalars live after a statement
	left   map[ir.Stmt]set    // scalars live where jumps out of a loop lead, its own EXIT aside
	class  map[classKey]verdict

	places   *places              // where scalars are assigned, once somebody asks for Cases
	followed map[string]*followed // values of scalars, by their names
	arrays   *arrayUses
}

// Analyze computes the facts about p.
func Analyze(p *ir.Program) *Info {
	in := &Info{
		prog:          p,
		affine:        make(map[ir.Expr]linalg.Affine),
		modified:      make(map[ir.Stmt]map[*ir.Symbol]bool),
		bounds:        make(map[*ir.Do]LoopBounds),
		ranges:        make(map[string]span),
		rounded:       make(map[ir.Expr]linalg.Affine),
		roundedBounds: make(map[*ir.Do]LoopBounds),
		quotients:     make(linalg.Quotients),
		number:        make(map[*ir.Symbol]int),
		after:         make(map[ir.Stmt]set),
		left:          make(map[ir.Stmt]set),
		class:         make(map[classKey]verdict),
		followed:      make(map[string]*followed),
	}
	in.collectModified(p.Body)
	in.propagate(p.Body)
	in.liveness(p.Body)
	in.arrays = in.coverArrays()
	return in
}

// Modified is the set of scalars and arrays that s may change, statements inside
// s and indices of loops inside s included, the index of s itself too. The index
// of an implied DO is not among them: it is local. The caller must not change
// the set.
func (in *Info) Modified(s ir.Stmt) map[*ir.Symbol]bool { return in.modified[s] }

func (in *Info) collectModified(body []ir.Stmt) map[*ir.Symbol]bool {
	all := map[*ir.Symbol]bool{}
	for _, s := range body {
		m := map[*ir.Symbol]bool{}
		for _, sym := range ir.Assigned(s) {
			m[sym] = true
		}
		for _, b := range ir.Bodies(s) {
			for sym := range in.collectModified(b) {
				m[sym] = true
			}
		}
		in.modified[s] = m
		for sym := range m {
			all[sym] = true
		}
	}
	return all
}

// LoopBounds are the bounds of a DO loop as affine forms that mean the same
// inside the body as at entry: of loop indices around and of scalars that the
// loop does not change.
type LoopBounds struct {
	Lo, Hi     linalg.Affine
	LoOK, HiOK bool  // the form exists
	Step       int64 // 0: not constant
	By         linalg.Affine
	ByOK       bool // By is the step
}

// Affine reports whether both bounds have a form and the step is constant.
func (b LoopBounds) Affine() bool { return b.LoOK && b.HiOK && b.Step != 0 }

// Runs reports whether the body certainly runs at least once.
func (b LoopBounds) Runs() bool {
	if !b.Affine() {
		return false
	}
	d, ok := b.Hi.Sub(b.Lo)
	return ok && d.IsConst() && (b.Step > 0 && d.C >= 0 || b.Step < 0 && d.C <= 0)
}

// Bounds are the bounds of loop.
func (in *Info) Bounds(loop *ir.Do) LoopBounds { return in.bounds[loop] }

// RoundedBounds are the forms of the bounds of loop that use quotients, see Rounded.
func (in *Info) RoundedBounds(loop *ir.Do) LoopBounds { return in.roundedBounds[loop] }

// Affine is the value of the INTEGER expression e, a node of the program, as an
// affine form over the names of loop indices and scalars, with the values that
// these have where e is evaluated. It is false when e is not of this form, and
// for expressions that no execution reaches.
func (in *Info) Affine(e ir.Expr) (linalg.Affine, bool) {
	a, ok := in.affine[e]
	return a, ok
}
