// Package depend decides whether two accesses to an array may touch the same
// element, and in which loop. It sees subscripts, loop bounds and guards as
// affine forms and knows nothing of statements or of data mapping.
//
// In
//
//	do i = 2, n
//	   a(i) = a(i-1) + b(i)
//	end do
//
// the question "does a(i), written, reach a later a(i-1), read?" has the answer
// Yes, carried by loop 1 with distance 1; the opposite question, whether an
// element read is written later, has the answer No: "the same element is
// touched only in the opposite order".
//
// The method is that of W. Pugh's Omega test: loops are normalised to count
// iterations, the equations of the subscripts are eliminated by unimodular
// substitution (which contains the ZIV, GCD and strong SIV tests), and what is
// left goes through Fourier-Motzkin elimination with integer tightening, dark
// shadows and splinters (which contains Banerjee's inequalities, also for
// triangular and symbolic bounds). Arithmetic is exact; overflow, and a search
// that grows beyond a limit, answer Maybe.
package depend

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Loop is a counted loop around an access. With Step > 0 the index runs from
// the largest of Lo up to the smallest of Hi; with Step < 0 it runs from the
// smallest of Lo down to the largest of Hi.
type Loop struct {
	Index  string
	Lo, Hi []linalg.Affine // all hold; empty: unknown
	Step   int64           // 0: no constant, also its sign is unknown
	By     *linalg.Affine  // the step where Step is 0; nil: unknown
}

// Access is one textual occurrence of an array element.
//
// A variable in a subscript, bound or guard that is no index of any loop of
// either access is a symbolic parameter. The caller answers for its having one
// value during all instances compared; a subscript that uses a variable for
// which that does not hold is unknown.
type Access struct {
	Subs  []*linalg.Affine // one per dimension; nil: unknown
	Loops []Loop           // enclosing loops, outermost first
	Order int              // textual position, for instances of the same iteration

	// Guard lists forms that are >= 0 whenever the access runs, Zero forms that are
	// 0 then. When lists conditions: of each, one of several alternatives holds, all
	// forms of which are >= 0. The access runs in each iteration where all that holds.
	Guard, Zero []linalg.Affine
	When        [][][]linalg.Affine
	// Partial says that the access also depends on a condition that these do not
	// express. It then cannot be proved to run, and no answer is Yes.
	Partial bool

	// Quotients says which variables of all these forms are quotients, and of what.
	Quotients linalg.Quotients
}

// Answer is the outcome of a test.
type Answer uint8

const (
	No    Answer = iota // proved: never the same element in this order
	Maybe               // neither proved nor refuted
	Yes                 // proved: for some values of the parameters it happens
)

func (a Answer) String() string { return [...]string{"no", "maybe", "yes"}[a] }

// Result is the answer of Depends and what is known about the dependence.
type Result struct {
	Answer Answer

	// Level is the outermost level at which the dependence is possible: 0 when
	// it is loop independent only, k when common loop k (from 1, outermost
	// first) may carry it, and -1 when Answer is No.
	Level int
	// Levels holds every possible level, carried ones ascending, then 0.
	Levels []int
	// Distance holds per common loop what the index of dst exceeds that of src
	// by, where that is the same number for all dependent instances, else nil.
	// It is negative for loops that count down. It is nil when Answer is No.
	Distance []*int64
	// Certain says more than Yes: the dependence does not hinge on parameter
	// values, except that loops with symbolic last values must run far enough.
	Certain bool
	// Why is a short reason in words; indices of dst that may differ from those
	// of src are primed.
	Why string
}

// Depends tests whether an instance of src that runs before an instance of dst
// may touch the same element. The first common loops enclose both accesses, and
// the indices of the first outer of these are equal in both instances; "before"
// is the lexicographic order of iterations of the remaining common loops, then
// Order. Both accesses are to the same array. It panics unless
// 0 <= outer <= common <= the number of loops of either access.
func Depends(src, dst Access, common, outer int) Result {
	if outer < 0 || outer > common || common > min(len(src.Loops), len(dst.Loops)) {
		panic(fmt.Sprintf("depend: %d loops equal of %d common ones, of %d and %d", outer, common, len(src.Loops), len(dst.Loops)))
	}
	var found []Result
	for _, s := range src.alternatives() {
		for _, d := range dst.alternatives() {
			found = append(found, depends(s, d, common, outer))
		}
	}
	return union(found)
}

// depends is Depends for accesses without conditions of several alternatives.
func depends(src, dst Access, common, outer int) Result {
	if why := fixed(src, dst); why != "" {
		return Result{Level: -1, Why: why}
	}
	p := newProblem(src, dst, common, outer)
	if p.overflow {
		return p.allLevels("coefficients too large")
	}
	if why := p.screen(); why != "" {
		return Result{Level: -1, Why: why}
	}
	base := p.sys.clone()
	s := newSolver()
	if s.reduce(base) && !s.failed {
		return Result{Level: -1, Why: p.whyNever()}
	}
	if s.failed {
		return p.allLevels("coefficients too large")
	}
	return p.levels(base)
}

// DependsIn is Depends for parameters of which more is known: their values are those
// of one of cases, in which all forms are 0. There may be none, for nothing known.
func DependsIn(cases [][]linalg.Affine, src, dst Access, common, outer int) Result {
	r := Depends(src, dst, common, outer)
	if r.Answer == No || len(cases) == 0 {
		return r
	}
	zero := src.Zero
	for _, c := range cases {
		src.Zero = append(zero[:len(zero):len(zero)], c...)
		if Depends(src, dst, common, outer).Answer != No {
			return r
		}
	}
	return Result{Level: -1, Why: "never the same element with the values that the scalars in the subscripts have together"}
}

// Parameters lists the variables of subscripts that two accesses have in the same
// dimension, where these subscripts differ by something that hinges on no loop: what
// is known of the values of these variables may show that they are never equal.
func Parameters(src, dst Access) []string {
	loops := map[string]bool{}
	for _, a := range []Access{src, dst} {
		for _, l := range a.Loops {
			loops[l.Index] = true
		}
	}
	var names []string
	for k := range min(len(src.Subs), len(dst.Subs)) {
		a, b := src.Subs[k], dst.Subs[k]
		if a == nil || b == nil {
			continue
		}
		var vars []string
		for _, f := range []*linalg.Affine{a, b} {
			for _, v := range f.Vars() {
				if !slices.Contains(vars, v) {
					vars = append(vars, v)
				}
			}
		}
		indexed := slices.ContainsFunc(vars, func(v string) bool { return loops[v] })
		if diff, ok := a.Sub(*b); ok && !indexed && !diff.IsConst() {
			names = append(names, vars...)
		}
	}
	return names
}

// candidates lists the levels that order and sharing allow, before subscripts
// are looked at, in the order of Result.Levels.
func (p *problem) candidates() []int {
	var levels []int
	for l := p.outer + 1; l <= p.common; l++ {
		levels = append(levels, l)
	}
	if p.src.Order < p.dst.Order {
		levels = append(levels, 0)
	}
	return levels
}

// allLevels is the answer when nothing could be computed.
func (p *problem) allLevels(why string) Result {
	levels := p.candidates()
	if len(levels) == 0 {
		return Result{Level: -1, Why: "src does not run before dst in one iteration"}
	}
	return Result{Answer: Maybe, Level: levels[0], Levels: levels, Distance: make([]*int64, p.common), Why: why}
}

// levels decides each level on its own, from the reduced system base, and puts
// the answers together.
func (p *problem) levels(base *system) Result {
	r := Result{Level: -1}
	for _, l := range p.candidates() {
		v, dist := p.level(base, l)
		if v == empty {
			continue
		}
		if len(r.Levels) == 0 {
			r.Level, r.Distance = l, dist
		}
		r.Levels = append(r.Levels, l)
		for k := range dist {
			if d := r.Distance[k]; d != nil && (dist[k] == nil || *dist[k] != *d) {
				r.Distance[k] = nil
			}
		}
		if v == inhabited && p.inexact == "" {
			r.Answer = Yes
		} else {
			r.Answer = max(r.Answer, Maybe)
		}
	}
	switch r.Answer {
	case No:
		r.Why = p.whyNotInOrder(base)
	case Maybe:
		r.Why = p.whyMaybe(r)
	case Yes:
		r.Certain = p.certain(r.Levels)
		r.Why = p.whyYes(r)
	}
	return r
}

// level solves base for instances that differ first in common loop l, or that
// belong to the same iteration when l is 0, and returns the distances that the
// equations imply.
func (p *problem) level(base *system, l int) (verdict, []*int64) {
	// A loop of unknown direction may run either way.
	if l > 0 && p.dst.Loops[l-1].Step == 0 && !p.counted[p.dst.Loops[l-1].Index] {
		up, dist := p.direction(base, l, 1)
		down, dist2 := p.direction(base, l, -1)
		switch {
		case up == empty:
			return down, dist2
		case down == empty:
			return up, dist
		}
		for k := range dist {
			if dist[k] != nil && (dist2[k] == nil || *dist[k] != *dist2[k]) {
				dist[k] = nil
			}
		}
		return unknown, dist
	}
	return p.direction(base, l, 1)
}

// direction is level with the sense of loop l fixed: 1 when the iteration
// number of dst exceeds that of src, -1 when it is the other way round.
func (p *problem) direction(base *system, l int, sense int64) (verdict, []*int64) {
	sys := base.clone()
	s := newSolver()
	p.order(s, sys, l, sense)
	if s.reduce(sys) && !s.failed {
		return empty, nil
	}
	if s.failed {
		return unknown, make([]*int64, p.common)
	}
	dist := make([]*int64, p.common)
	for k := range dist {
		if r := sys.track[p.dist(k)]; r.isConst() {
			d := r[sys.n]
			dist[k] = &d
		}
	}
	return s.solve(sys), dist
}

// order adds to sys that the instances agree in the common loops outside l and
// that loop l has moved on; in all common loops when l is 0.
func (p *problem) order(s *solver, sys *system, l int, sense int64) {
	same, start := l-1, l
	if l == 0 {
		same, start = p.common, p.common
	}
	for k := p.outer; k < same; k++ {
		sys.eq = append(sys.eq, sys.track[p.trips(k)].clone())
		if p.dst.Loops[k].By != nil { // the product of the step follows from nothing else
			sys.eq = append(sys.eq, sys.track[p.dist(k)].clone())
		}
	}
	// Loops entered with equal outer indices start at the same value.
	for k := p.outer; k < start; k++ {
		sys.eq = append(sys.eq, sys.track[p.start(k)].clone())
	}
	if l > 0 {
		r := s.combine(sense, sys.track[p.trips(l-1)], 0, nil)
		r[sys.n] = s.add(r[sys.n], -1)
		sys.ge = append(sys.ge, r)
	}
}

// certain reports whether one of the levels holds whatever the parameters: in
// the system without the last values that depend on parameters, and with loops
// counted from their start, no parameter is left, and it has a solution.
func (p *problem) certain(levels []int) bool {
	sys := p.sys.clone()
	kept := sys.ge[:0]
	for i, r := range sys.ge {
		if p.last[i] && p.usesParams(r) {
			continue
		}
		kept = append(kept, r)
	}
	sys.ge = kept
	for _, rows := range [][]row{sys.eq, sys.ge} {
		for _, r := range rows {
			if p.usesParams(r) {
				return false
			}
		}
	}
	for _, l := range levels {
		if v, _ := p.level(sys, l); v == inhabited {
			return true
		}
	}
	return false
}
