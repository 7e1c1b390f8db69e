package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Place is where an array element is accessed, for the dependence tests.
type Place struct {
	Subs    []ir.Expr
	Loops   []ir.Stmt // around it, outermost first
	Conds   []Condition
	Implied []*ir.ImpliedDo // around it, in the statement
	Order   int
	// Conditional says that conditions that are not in Conds may skip the access.
	Conditional bool
}

// Condition is one under which something is done: that Cond is Holds, evaluated inside
// the outermost Loops of the loops around.
type Condition struct {
	Cond  ir.Expr
	Holds bool
	Loops int
}

// Naming is how a caller of Access sees expressions and scalars.
type Naming struct {
	Affine func(ir.Expr) (linalg.Affine, bool)
	// While is the name of the iteration number of a DO WHILE loop.
	While func(ir.Stmt) string
	// Varies reports whether the scalar called name has different values in the two
	// accesses compared. Indices of loops around an access are not asked for.
	Varies func(name string) bool
}

// Access describes p for the dependence tests: subscripts, bounds and conditions as
// forms, with quotients where there is none without.
func (in *Info) Access(p Place, n Naming) depend.Access {
	a := depend.Access{Order: p.Order, Partial: p.Conditional, Quotients: in.quotients}
	own := map[string]bool{}
	steady := func(f linalg.Affine, ok bool) bool {
		if !ok {
			return false
		}
		return !slices.ContainsFunc(in.quotients.Vars(f), func(v string) bool {
			// The index of an implied DO takes many values, whatever the variable of its name has.
			return !own[v] && n.Varies(v) || slices.ContainsFunc(p.Implied, func(l *ir.ImpliedDo) bool { return l.Index.Name == v })
		})
	}
	form := func(e ir.Expr) (linalg.Affine, bool) {
		if f, ok := n.Affine(e); steady(f, ok) {
			return f, true
		}
		f, ok := in.Rounded(e)
		return f, steady(f, ok)
	}
	conds := p.Conds
	conditions := func(loops int) {
		for len(conds) > 0 && conds[0].Loops <= loops {
			ways, exact := in.Ways(conds[0].Cond, conds[0].Holds, form)
			if ways != nil {
				a.When = append(a.When, ways)
			}
			a.Partial = a.Partial || !exact
			conds = conds[1:]
		}
	}
	for k, l := range p.Loops {
		conditions(k)
		d, ok := l.(*ir.Do)
		if !ok {
			a.Loops = append(a.Loops, depend.Loop{Index: n.While(l), Lo: []linalg.Affine{linalg.Const(0)}, Step: 1})
			continue
		}
		// Bounds are evaluated at entry: they say something about a later moment
		// only if nothing in them changes in the loop.
		b, r := in.Bounds(d), in.RoundedBounds(d)
		loop := depend.Loop{Index: d.Index.Name, Step: b.Step}
		if b.Step == 0 && steady(b.By, b.ByOK) {
			loop.By = &b.By
		}
		for _, f := range []struct {
			to           *[]linalg.Affine
			e            ir.Expr
			extreme      string
			plain, round linalg.Affine
			ok, rounded  bool
		}{{&loop.Lo, d.Lo, "max", b.Lo, r.Lo, b.LoOK, r.LoOK}, {&loop.Hi, d.Hi, "min", b.Hi, r.Hi, b.HiOK, r.HiOK}} {
			if steady(f.plain, f.ok) {
				*f.to = []linalg.Affine{f.plain}
			} else if steady(f.round, f.rounded) {
				*f.to = []linalg.Affine{f.round}
			} else if b.Step == 1 {
				*f.to = in.extremes(d, f.e, f.extreme, form)
			}
		}
		a.Loops = append(a.Loops, loop)
		own[d.Index.Name] = true
	}
	conditions(len(p.Loops))
	for _, s := range p.Subs {
		if f, ok := form(s); ok {
			a.Subs = append(a.Subs, &f)
		} else {
			a.Subs = append(a.Subs, nil)
		}
	}
	return a
}

// extremes are the forms of all that e, a bound of d, is the MAX or MIN of; nil if it is none, or
// one of them has no form, or one that means something else in the loop.
func (in *Info) extremes(d *ir.Do, e ir.Expr, name string, form func(ir.Expr) (linalg.Affine, bool)) []linalg.Affine {
	c, ok := e.(*ir.Call)
	if !ok || c.Name != name {
		return nil
	}
	var list []linalg.Affine
	for _, x := range c.Args {
		f, ok := form(x)
		for sym := range in.modified[d] {
			ok = ok && !in.uses(f, sym)
		}
		if !ok {
			return nil
		}
		list = append(list, f)
	}
	return list
}

// Under is a with more conditions under which it is done. Scalars of which n says that they
// vary, but for the indices of its loops, tell nothing.
func (in *Info) Under(a depend.Access, conds []Condition, n Naming) depend.Access {
	a.Quotients = in.quotients
	steady := func(f linalg.Affine, ok bool) bool {
		return ok && !slices.ContainsFunc(in.quotients.Vars(f), func(v string) bool {
			return n.Varies(v) && !slices.ContainsFunc(a.Loops, func(l depend.Loop) bool { return l.Index == v })
		})
	}
	for _, c := range conds {
		ways, exact := in.Ways(c.Cond, c.Holds, func(e ir.Expr) (linalg.Affine, bool) {
			if f, ok := n.Affine(e); steady(f, ok) {
				return f, true
			}
			f, ok := in.Rounded(e)
			return f, steady(f, ok)
		})
		if ways != nil {
			a.When = append(a.When, ways)
		}
		a.Partial = a.Partial || !exact
	}
	return a
}

// mostWays is how many ways of a condition are told apart.
const mostWays = 8

// Ways are the ways in which condition e has a value: each a list of forms that are at
// least zero then, and nil when nothing is known of them. They are exact if one of them is
// there only if e has the value. What is known follows from INTEGER comparisons, with
// .and., .or. and .not. between them; form gives their operands.
func (in *Info) Ways(e ir.Expr, value bool, form func(ir.Expr) (linalg.Affine, bool)) (ways [][]linalg.Affine, exact bool) {
	switch e := e.(type) {
	case *ir.Un:
		switch e.Op {
		case ir.Group:
			return in.Ways(e.E, value, form)
		case ir.Not:
			return in.Ways(e.E, !value, form)
		}
	case *ir.Bin:
		if e.Op != ir.And && e.Op != ir.Or {
			ways = comparison(e, value, form)
			return ways, ways != nil
		}
		l, exactL := in.Ways(e.L, value, form)
		r, exactR := in.Ways(e.R, value, form)
		exact = exactL && exactR
		switch {
		case (e.Op == ir.Or) == value: // one of the operands decides
			if l == nil || r == nil || len(l)+len(r) > mostWays {
				return nil, false
			}
			return append(l[:len(l):len(l)], r...), exact
		case l == nil:
			return r, false
		case r == nil || len(l)*len(r) > mostWays:
			return l, false
		}
		for _, x := range l {
			for _, y := range r {
				ways = append(ways, append(x[:len(x):len(x)], y...))
			}
		}
		return ways, exact
	}
	return nil, false
}

// comparison is Ways for one comparison.
func comparison(e *ir.Bin, value bool, form func(ir.Expr) (linalg.Affine, bool)) [][]linalg.Affine {
	if !e.L.Type().IsInteger() || !e.R.Type().IsInteger() {
		return nil
	}
	l, okL := form(e.L)
	r, okR := form(e.R)
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
