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
	ways, exact := a.info.Ways(e, value, a.info.Affine)
	if !exact {
		return nil
	}
	return ways
}
