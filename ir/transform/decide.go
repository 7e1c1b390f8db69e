package transform

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// facts are affine forms that are zero, and forms that are at least zero, at
// some place of the program, in terms of the values that variables have there.
type facts struct {
	eqs, ineqs []linalg.Affine
	iterations int // variables made for iteration numbers
}

func (f facts) with(ineqs ...linalg.Affine) facts {
	f.ineqs = append(f.ineqs[:len(f.ineqs):len(f.ineqs)], ineqs...)
	return f
}

func (f facts) equal(a linalg.Affine) facts {
	f.eqs = append(f.eqs[:len(f.eqs):len(f.eqs)], a)
	return f
}

// never reports whether it is proved that the forms of ineqs are not all at
// least zero.
func (f facts) never(ineqs ...linalg.Affine) bool {
	return depend.Infeasible(f.eqs, f.with(ineqs...).ineqs)
}

// inLoop adds what holds in an iteration of d: where its index is. Bounds that
// have no form, or that the loop changes, say nothing.
func (a *Analysis) inLoop(f facts, d *ir.Do) facts {
	b := a.info.Bounds(d)
	i := linalg.Var(d.Index.Name)
	if b.Step == 0 {
		return f
	}
	if b.LoOK {
		// A name that no variable of a program has.
		t := fmt.Sprintf("iteration %d", f.iterations)
		f.iterations++
		// i = lo + step*t with t >= 0
		if at, ok := b.Lo.AddScaled(linalg.Var(t), b.Step); ok {
			if diff, ok := i.Sub(at); ok {
				f = f.equal(diff).with(linalg.Var(t))
			}
		}
	}
	if b.HiOK {
		f = f.beyond(i, b.Hi, b.Step)
	}
	return f
}

// beyond adds that a loop whose steps have the sign of step, and that is at i,
// has not passed last.
func (f facts) beyond(i, last linalg.Affine, step int64) facts {
	if step < 0 {
		i, last = last, i
	}
	if diff, ok := last.Sub(i); ok {
		return f.with(diff)
	}
	return f
}

// at are the facts at statement s: those of the loops around it.
func (a *Analysis) at(s ir.Stmt) facts {
	var f facts
	for _, l := range a.around[s] {
		if d, ok := l.(*ir.Do); ok {
			f = a.inLoop(f, d)
		}
	}
	return f
}

// truth is what is known of a condition.
type truth uint8

const (
	open truth = iota
	always
	never
)

func (t truth) not() truth {
	switch t {
	case always:
		return never
	case never:
		return always
	}
	return open
}

// decide decides a condition of the program by comparisons of affine forms.
func (a *Analysis) decide(e ir.Expr, f facts) truth {
	switch e := e.(type) {
	case *ir.Const:
		if e.Bool {
			return always
		}
		return never
	case *ir.Un:
		switch e.Op {
		case ir.Group:
			return a.decide(e.E, f)
		case ir.Not:
			return a.decide(e.E, f).not()
		}
	case *ir.Bin:
		switch e.Op {
		case ir.And, ir.Or:
			l, r := a.decide(e.L, f), a.decide(e.R, f)
			if e.Op == ir.Or {
				l, r = l.not(), r.not()
			}
			t := open
			switch {
			case l == never || r == never:
				t = never
			case l == always && r == always:
				t = always
			}
			if e.Op == ir.Or {
				t = t.not()
			}
			return t
		}
		switch {
		case impossible(a.cases(e, false), f):
			return always
		case impossible(a.cases(e, true), f):
			return never
		}
	}
	return open
}

// impossible reports whether none of the cases can be.
func impossible(cases [][]linalg.Affine, f facts) bool {
	if cases == nil {
		return false
	}
	for _, c := range cases {
		if !f.never(c...) {
			return false
		}
	}
	return true
}

// cases are the ways in which condition e has a value: each a list of forms that
// are at least zero then. It is nil when that is not known. The value of e has to
// follow from INTEGER comparisons, with .and., .or. and .not. between them.
func (a *Analysis) cases(e ir.Expr, value bool) [][]linalg.Affine {
	switch e := e.(type) {
	case *ir.Un:
		switch e.Op {
		case ir.Group:
			return a.cases(e.E, value)
		case ir.Not:
			return a.cases(e.E, !value)
		}
	case *ir.Bin:
		switch e.Op {
		case ir.And, ir.Or:
			l, r := a.cases(e.L, value), a.cases(e.R, value)
			if l == nil || r == nil {
				return nil
			}
			if (e.Op == ir.Or) == value {
				return append(l[:len(l):len(l)], r...)
			}
			var both [][]linalg.Affine
			for _, x := range l {
				for _, y := range r {
					both = append(both, append(x[:len(x):len(x)], y...))
				}
			}
			return both
		}
		return a.comparison(e, value)
	}
	return nil
}

// comparison is cases for one comparison.
func (a *Analysis) comparison(e *ir.Bin, value bool) [][]linalg.Affine {
	if !e.L.Type().IsInteger() || !e.R.Type().IsInteger() {
		return nil
	}
	l, okL := a.info.Affine(e.L)
	r, okR := a.info.Affine(e.R)
	if !okL || !okR {
		return nil
	}
	up, ok1 := r.Sub(l)                       // r - l
	down, ok2 := l.Sub(r)                     // l - r
	less, ok3 := up.Sub(linalg.Const(1))      // >= 0: l < r
	greater, ok4 := down.Sub(linalg.Const(1)) // >= 0: l > r
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil
	}
	op := e.Op
	if !value {
		opposite := map[ir.Op]ir.Op{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Le: ir.Gt, ir.Gt: ir.Le}
		var known bool
		if op, known = opposite[op]; !known {
			return nil
		}
	}
	switch op {
	case ir.Lt:
		return [][]linalg.Affine{{less}}
	case ir.Le:
		return [][]linalg.Affine{{up}}
	case ir.Gt:
		return [][]linalg.Affine{{greater}}
	case ir.Ge:
		return [][]linalg.Affine{{down}}
	case ir.Eq:
		return [][]linalg.Affine{{up, down}}
	case ir.Ne:
		return [][]linalg.Affine{{less}, {greater}}
	}
	return nil
}
