package scalar

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// mostScalars is how many scalars are followed together.
const mostScalars = 10

// state is the values that the scalars followed have at once.
type state [mostScalars]number

// compare orders states, for what is printed.
func (st state) compare(other state) int {
	return slices.CompareFunc(st[:], other[:], func(x, y number) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.value, y.value))
	})
}

// evaluator evaluates expressions in states.
type evaluator struct {
	numbers
	index map[*ir.Symbol]int // of the scalars followed, in a state
	// rough scalars are known by their residues alone.
	rough [mostScalars]bool
}

func (ev *evaluator) with(st state, k int, x number) state {
	if ev.rough[k] {
		x = ev.coarse(x)
	}
	st[k] = x
	return st
}

// eval lists the values that the INTEGER expression e may have; nil if they are not
// known. A function that is not among those here has any value.
func (ev *evaluator) eval(st state, e ir.Expr) []number {
	if !e.Type().IsInteger() {
		return nil
	}
	switch e := e.(type) {
	case *ir.Const:
		return known(ev.of(int64(e.Int)))
	case *ir.Var:
		if k, ok := ev.index[e.Sym]; ok {
			return known(st[k])
		}
	case *ir.Conv:
		if e.E.Type() == ir.Long && e.Typ == ir.Integer && !ev.wraps() {
			return nil
		}
		return ev.eval(st, e.E)
	case *ir.Un:
		if e.Op == ir.Neg {
			return each([]number{{exact, 0}}, ev.eval(st, e.E), func(x, y number) []number { return known(ev.combine(ir.Sub, x, y)) })
		}
		return ev.eval(st, e.E)
	case *ir.Bin:
		xs, ys := ev.eval(st, e.L), ev.eval(st, e.R)
		if e.Op == ir.Mul { // nothing need be known of what is multiplied by 0
			xs, ys = orUnknown(xs), orUnknown(ys)
		}
		return each(xs, ys, func(x, y number) []number { return known(ev.combine(e.Op, x, y)) })
	case *ir.Call:
		return ev.call(st, e)
	}
	return nil
}

func known(x number) []number {
	if x.kind == unknown {
		return nil
	}
	return []number{x}
}

func orUnknown(xs []number) []number {
	if xs == nil {
		return []number{{}}
	}
	return xs
}

func (ev *evaluator) call(st state, e *ir.Call) []number {
	arg := func(k int) []number { return ev.eval(st, e.Args[k]) }
	switch {
	case (e.Name == "mod" || e.Name == "modulo") && len(e.Args) == 2:
		return each(arg(0), arg(1), func(x, y number) []number { return ev.remainder(x, y, e.Name == "modulo") })
	case e.Name == "abs":
		return each(arg(0), []number{{exact, 0}}, func(x, _ number) []number {
			if x.kind != exact {
				return nil
			}
			return known(number{exact, max(x.value, -x.value)})
		})
	case e.Name == "max" || e.Name == "min" || e.Name == "ieor":
		out := arg(0)
		for k := range e.Args[1:] {
			out = each(out, arg(k+1), func(x, y number) []number {
				switch {
				case x.kind != exact || y.kind != exact:
					return nil
				case e.Name == "max":
					return known(number{exact, max(x.value, y.value)})
				case e.Name == "min":
					return known(number{exact, min(x.value, y.value)})
				}
				return known(ev.of(x.value ^ y.value))
			})
		}
		return out
	case e.Name == "merge" && len(e.Args) == 3:
		yes, no := ev.truth(st, e.Args[2])
		var out []number
		if yes {
			if out = arg(0); out == nil {
				return nil
			}
		}
		if no {
			more := arg(1)
			if more == nil {
				return nil
			}
			out = append(slices.Clone(out), more...)
		}
		return out
	}
	return nil
}

// truth reports whether the LOGICAL expression e may be true, and whether it may be
// false.
func (ev *evaluator) truth(st state, e ir.Expr) (yes, no bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Bool, !e.Bool
	case *ir.Un:
		if yes, no = ev.truth(st, e.E); e.Op == ir.Not {
			return no, yes
		}
		return yes, no
	case *ir.Bin:
		switch e.Op {
		case ir.And, ir.Or:
			yes1, no1 := ev.truth(st, e.L)
			yes2, no2 := ev.truth(st, e.R)
			if e.Op == ir.And {
				return yes1 && yes2, no1 || no2
			}
			return yes1 || yes2, no1 && no2
		case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
			return ev.compare(e.Op, ev.eval(st, e.L), ev.eval(st, e.R))
		}
	}
	return true, true
}

func (ev *evaluator) compare(op ir.Op, xs, ys []number) (yes, no bool) {
	if xs == nil || ys == nil {
		return true, true
	}
	for _, x := range xs {
		for _, y := range ys {
			y1, n1 := true, true
			switch op {
			case ir.Eq:
				y1, n1 = ev.may(x, y)
			case ir.Ne:
				n1, y1 = ev.may(x, y)
			default:
				if x.kind == exact && y.kind == exact {
					y1 = op == ir.Lt && x.value < y.value || op == ir.Le && x.value <= y.value ||
						op == ir.Gt && x.value > y.value || op == ir.Ge && x.value >= y.value
					n1 = !y1
				}
			}
			yes, no = yes || y1, no || n1
		}
	}
	return yes, no
}

// assume lists the states of which st is made in which e, or its opposite, holds: an
// equation with a scalar that is not known gives it its value.
func (ev *evaluator) assume(st state, e ir.Expr, holds bool) []state {
	switch e := e.(type) {
	case *ir.Un:
		if e.Op == ir.Not {
			return ev.assume(st, e.E, !holds)
		}
		return ev.assume(st, e.E, holds)
	case *ir.Bin:
		switch {
		case e.Op == ir.And || e.Op == ir.Or:
			// One operand decides, or the other does.
			decided := (e.Op == ir.Or) == holds
			var out []state
			if decided {
				out = ev.assume(st, e.L, holds)
			}
			for _, s := range ev.assume(st, e.L, holds != decided) {
				out = append(out, ev.assume(s, e.R, holds)...)
			}
			return out
		case e.Op == ir.Eq && holds || e.Op == ir.Ne && !holds:
			if out, ok := ev.equate(st, e.L, e.R); ok {
				return out
			}
			if out, ok := ev.equate(st, e.R, e.L); ok {
				return out
			}
		}
	}
	if yes, no := ev.truth(st, e); holds && yes || !holds && no {
		return []state{st}
	}
	return nil
}

// equate gives the scalar v, of which not all is known, the values of e.
func (ev *evaluator) equate(st state, v, e ir.Expr) (out []state, ok bool) {
	for {
		if u, is := v.(*ir.Un); is && u.Op == ir.Group {
			v = u.E
		} else if c, is := v.(*ir.Conv); is && c.Typ == ir.Long && c.E.Type() == ir.Integer {
			v = c.E
		} else {
			break
		}
	}
	x, isVar := v.(*ir.Var)
	if !isVar || !x.Typ.IsInteger() {
		return nil, false
	}
	k, ok := ev.index[x.Sym]
	values := ev.eval(st, e)
	if !ok || st[k].kind == exact || values == nil {
		return nil, false
	}
	for _, y := range values {
		if same, _ := ev.may(st[k], y); same {
			out = append(out, ev.with(st, k, y))
		}
	}
	return out, true
}

// outcome is a state, and the values of an expression in it.
type outcome struct {
	st     state
	values []number // never empty
}

// outcomes evaluates e. If its value hangs on scalars of which nothing is known, it
// looks at all residues that they may have: later values of these scalars go together
// with that of e.
func (ev *evaluator) outcomes(st state, e ir.Expr) []outcome {
	if values := ev.eval(st, e); values != nil {
		return []outcome{{st, values}}
	}
	nothing := []outcome{{st, []number{{}}}}
	if !e.Type().IsInteger() {
		return nothing
	}
	states := []state{st}
	for _, sym := range scalarsOf(e) {
		k, ok := ev.index[sym]
		if !ok || st[k].kind != unknown {
			continue
		}
		var split []state
		for _, s := range states {
			for r := range ev.modulus {
				split = append(split, ev.with(s, k, number{residue, r}))
			}
		}
		if states = split; len(states) > most*most {
			return nothing
		}
	}
	var out []outcome
	found := false
	for _, s := range states {
		values := ev.eval(s, e)
		found = found || values != nil
		out = append(out, outcome{s, orUnknown(values)})
	}
	if !found {
		return nothing
	}
	return out
}

// scalarsOf are the INTEGER scalars that e mentions, those in subscripts of arrays
// aside, whose values eval does not look at.
func scalarsOf(e ir.Expr) (out []*ir.Symbol) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		v, ok := e.(*ir.Var)
		if ok && v.Typ.IsInteger() && !slices.Contains(out, v.Sym) {
			out = append(out, v.Sym)
		}
		switch e.(type) {
		case *ir.Ref, *ir.CoRef:
			return false
		}
		return true
	})
	return out
}
