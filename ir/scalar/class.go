package scalar

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// Class says what a loop does with a scalar.
type Class uint8

const (
	// Invariant: the loop does not change it.
	Invariant Class = iota
	// Private: each iteration assigns it before it uses it, and nobody uses it
	// after the loop.
	Private
	// PrivateLast: each iteration assigns it, before any use; the value that
	// the last iteration gave it is used after the loop.
	PrivateLast
	// Reduced: all mentions are reduction statements with one operator.
	Reduced
	// Located: an extreme that is found with its place, or that place; see Location.
	Located
	// Carried: an iteration may use the value that an earlier one left.
	Carried
)

func (c Class) String() string {
	return [...]string{"invariant", "private", "private, last value live", "reduction", "extreme with its place", "carried"}[c]
}

type classKey struct {
	loop *ir.Do
	sym  *ir.Symbol
}

// verdict is a class with its grounds.
type verdict struct {
	class     Class
	reduction Reduction
	location  *Location
	why       string
	at        source.Pos
}

// Class classifies scalar sym relative to loop, one of the loops around its
// assignments: a scalar can be private in the outer and a reduction in the inner
// one. NEW and REDUCTION clauses of INDEPENDENT decide where the analysis
// finds the scalar carried.
func (in *Info) Class(loop *ir.Do, sym *ir.Symbol) Class { return in.verdict(loop, sym).class }

// Why says what Class is based on, and where, for a person.
func (in *Info) Why(loop *ir.Do, sym *ir.Symbol) (string, source.Pos) {
	v := in.verdict(loop, sym)
	return v.why, v.at
}

func (in *Info) verdict(loop *ir.Do, sym *ir.Symbol) verdict {
	key := classKey{loop, sym}
	v, ok := in.class[key]
	if !ok {
		v = in.classify(loop, sym)
		in.class[key] = v
	}
	return v
}

func (in *Info) classify(loop *ir.Do, sym *ir.Symbol) verdict {
	if !in.modified[loop][sym] {
		return verdict{class: Invariant, why: "the loop does not assign it", at: loop.Pos}
	}
	if sym == loop.Index {
		if in.LiveAfter(loop, sym) {
			return verdict{class: PrivateLast, why: "loop index, used after the loop", at: loop.Pos}
		}
		return verdict{class: Private, why: "loop index", at: loop.Pos}
	}
	live := in.LiveAfter(loop, sym)
	use := in.exposedUse(loop, sym)
	definite := in.definitelyAssigned(loop, sym)
	switch {
	case use == nil && !live:
		return verdict{class: Private, why: "assigned before use in every iteration, not used after the loop", at: loop.Pos}
	case use == nil && definite:
		return verdict{class: PrivateLast, why: "assigned before use in every iteration, used after the loop", at: loop.Pos}
	}
	if r, ok := in.reduction(loop, sym); ok {
		return verdict{class: Reduced, reduction: r, why: fmt.Sprintf("every mention is a reduction with %s", r.Op), at: r.Stmts[0].Position()}
	}
	if l := in.located(loop, sym); l != nil {
		return verdict{class: Located, location: l, why: fmt.Sprintf("every mention is in the search for the %s", l.Op), at: l.Stmt.Position()}
	}
	if loop.Independent != nil && slices.Contains(loop.Independent.New, sym) {
		v := verdict{class: Private, why: "declared NEW", at: loop.Independent.Pos}
		if live {
			v.class = PrivateLast
		}
		return v
	}
	if use == nil {
		return verdict{class: Carried, why: "used after the loop, but not assigned in every iteration", at: loop.Pos}
	}
	return verdict{class: Carried, why: "used before it is assigned in the iteration", at: use.Position()}
}

// exposedUse returns a use of sym in the body of loop that may see the value
// from before the iteration, or nil.
func (in *Info) exposedUse(loop *ir.Do, sym *ir.Symbol) ir.Expr {
	w := &liveWalk{in: in, exits: map[ir.Stmt]set{}, cycles: map[ir.Stmt]set{}, tests: map[ir.Stmt]set{}}
	if !w.block(loop.Body, in.emptySet()).has(in.number[sym]) {
		return nil
	}
	// The first mention in source order that is read is a good witness.
	var found ir.Expr
	ir.WalkExprs(loop.Body, func(s ir.Stmt, e ir.Expr) bool {
		if v, ok := e.(*ir.Var); ok && v.Sym == sym && found == nil {
			if a, ok := s.(*ir.Assign); !ok || a.LHS != e {
				found = e
			}
		}
		return found == nil
	})
	return found
}

// definitelyAssigned reports whether every way through an iteration of loop
// assigns sym.
func (in *Info) definitelyAssigned(loop *ir.Do, sym *ir.Symbol) bool {
	d := &definite{in: in, sym: sym, ok: true, inside: map[ir.Stmt]bool{}}
	assigned, falls := d.block(loop.Body, false)
	return d.ok && (assigned || !falls)
}

// definite is the walk of definitelyAssigned; ok turns false when a jump leaves
// the iteration before the assignment.
type definite struct {
	in     *Info
	sym    *ir.Symbol
	ok     bool
	inside map[ir.Stmt]bool // loops inside the iteration
}

// block returns whether sym is assigned behind body, and whether control gets
// there by falling through.
func (d *definite) block(body []ir.Stmt, assigned bool) (after, falls bool) {
	for _, s := range body {
		var next bool
		if assigned, next = d.stmt(s, assigned); !next {
			return true, false
		}
	}
	return assigned, true
}

func (d *definite) stmt(s ir.Stmt, assigned bool) (after, falls bool) {
	switch s := s.(type) {
	case *ir.Assign:
		v, ok := s.LHS.(*ir.Var)
		return assigned || ok && v.Sym == d.sym, true
	case *ir.Read:
		// A null value leaves its item as it was.
		return assigned || s.Iostat == d.sym || slices.Contains(s.Got, d.sym), true
	case *ir.If:
		a, fallsA := d.block(s.Then, assigned)
		b, fallsB := d.block(s.Else, assigned)
		return (a || !fallsA) && (b || !fallsB), fallsA || fallsB
	case *ir.Do:
		if s.Index == d.sym {
			assigned = true
		}
		d.inside[s] = true
		body, falls := d.block(s.Body, assigned)
		runs := d.in.bounds[s].Runs() && falls && !leaves(s)
		return assigned || runs && body, true
	case *ir.While:
		d.inside[s] = true
		d.block(s.Body, assigned)
		return assigned, true
	case *ir.Exit:
		d.jump(s.Loop, assigned)
		return assigned, false
	case *ir.Cycle:
		d.jump(s.Loop, assigned)
		return assigned, false
	case *ir.Stop:
		return true, false
	}
	return assigned, true
}

// jump notes a jump: one to a loop inside the iteration stays in it.
func (d *definite) jump(loop ir.Stmt, assigned bool) {
	if !d.inside[loop] && !assigned {
		d.ok = false
	}
}

// leaves reports whether a jump may cut an iteration of loop short, so that its
// body is not run to the end.
func leaves(loop *ir.Do) bool {
	found := false
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		switch s.(type) {
		case *ir.Exit, *ir.Cycle:
			found = true
		}
		return !found
	})
	return found
}
