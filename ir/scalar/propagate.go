package scalar

import (
	"maps"
	"math"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// facts maps a scalar to the affine form that it equals now. The forms use only
// scalars that have no fact themselves, so that one look-up substitutes a whole
// chain. nil stands for a place that is not reached.
type facts map[*ir.Symbol]linalg.Affine

// kill removes what is no longer known once sym has changed.
func (f facts) kill(sym *ir.Symbol) {
	delete(f, sym)
	for s, form := range f {
		if form.Uses(sym.Name) {
			delete(f, s)
		}
	}
}

func (f facts) killAll(syms map[*ir.Symbol]bool) {
	for sym := range syms {
		if sym.Type.IsInteger() && !sym.IsArray() {
			f.kill(sym)
		}
	}
}

// meet keeps the facts that hold on both paths.
func meet(a, b facts) facts {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	for s, form := range a {
		if other, ok := b[s]; !ok || !form.Equal(other) {
			delete(a, s)
		}
	}
	return a
}

// assign records sym = form, where form is in terms of the values before the
// assignment.
func (f facts) assign(sym *ir.Symbol, form linalg.Affine, known bool) {
	if !known {
		f.kill(sym)
		return
	}
	if !form.Uses(sym.Name) {
		f.kill(sym)
		f[sym] = form
		return
	}
	// sym = k*sym + rest with k = 1 or -1 can be undone: facts in terms of the
	// old value become facts in terms of the new one, old = k*(new - rest).
	k := form.Coef(sym.Name)
	old, ok := linalg.Affine{}, false
	if k == 1 || k == -1 {
		rest, okRest := form.Sub(linalg.Term(k, sym.Name))
		diff, okDiff := linalg.Var(sym.Name).Sub(rest)
		if okRest && okDiff {
			old, ok = diff.Scale(k)
		}
	}
	delete(f, sym)
	for s, fact := range f {
		if !fact.Uses(sym.Name) {
			continue
		}
		fact, good := fact.Subst(sym.Name, old)
		if ok && good {
			f[s] = fact
		} else {
			delete(f, s)
		}
	}
}

// propagate walks the program forward and records the affine form of every
// INTEGER expression.
func (in *Info) propagate(body []ir.Stmt) { in.walk(body, facts{}) }

// walk returns the facts behind body, nil when control does not get there.
// Statements that are not reached get no forms.
func (in *Info) walk(body []ir.Stmt, f facts) facts {
	for _, s := range body {
		if f == nil {
			return nil
		}
		f = in.step(s, f)
	}
	return f
}

func (in *Info) step(s ir.Stmt, f facts) facts {
	if w, ok := s.(*ir.While); ok {
		f.killAll(in.modified[s])
		in.record(w.Cond, f)
		in.walk(w.Body, maps.Clone(f))
		return f
	}
	for _, e := range ir.Exprs(s) {
		in.record(e, f)
	}
	switch s := s.(type) {
	case *ir.Assign:
		if v, ok := s.LHS.(*ir.Var); ok && v.Typ.IsInteger() {
			form, known := in.affine[s.RHS]
			f.assign(v.Sym, form, known)
		}
	case *ir.Read, *ir.Collective:
		f.killAll(in.modified[s])
	case *ir.Critical:
		return in.walk(s.Body, f)
	case *ir.If:
		other := maps.Clone(f)
		return meet(in.walk(s.Then, f), in.walk(s.Else, other))
	case *ir.Do:
		in.loopBounds(s)
		// What the loop does not change holds at every point inside and behind
		// it, however it is left.
		f.killAll(in.modified[s])
		defer in.ranging(s)()
		in.walk(s.Body, maps.Clone(f))
	case *ir.Exit, *ir.Cycle, *ir.Stop:
		return nil
	}
	return f
}

// loopBounds records the bounds of a loop whose expressions are recorded.
func (in *Info) loopBounds(s *ir.Do) {
	var b LoopBounds
	b.Lo, b.LoOK = in.invariantForm(s.Lo, s)
	b.Hi, b.HiOK = in.invariantForm(s.Hi, s)
	if step, ok := in.affine[s.Step]; ok && step.IsConst() {
		b.Step = step.C
	}
	in.bounds[s] = b
}

// invariantForm is the form of e when nothing in it changes in the loop.
func (in *Info) invariantForm(e ir.Expr, loop *ir.Do) (linalg.Affine, bool) {
	form, ok := in.affine[e]
	if !ok {
		return form, false
	}
	for sym := range in.modified[loop] {
		if form.Uses(sym.Name) {
			return linalg.Affine{}, false
		}
	}
	return form, true
}

// record stores the forms of all INTEGER nodes of e, operands first.
func (in *Info) record(e ir.Expr, f facts) {
	if d, ok := e.(*ir.ImpliedDo); ok {
		in.record(d.Lo, f)
		in.record(d.Hi, f)
		in.record(d.Step, f)
		inner := maps.Clone(f)
		inner.kill(d.Index)
		for _, item := range d.Items {
			in.record(item, inner)
		}
		return
	}
	for _, c := range ir.Children(e) {
		in.record(c, f)
	}
	if !e.Type().IsInteger() {
		return
	}
	if form, ok := in.form(e, f); ok && !in.wraps(form, e.Type()) {
		in.affine[e] = form
	} else {
		delete(in.affine, e)
	}
}

// form is the affine form of e given those of its operands.
func (in *Info) form(e ir.Expr, f facts) (linalg.Affine, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return linalg.Const(int64(e.Int)), true
	case *ir.Var:
		if form, ok := f[e.Sym]; ok {
			return form, true
		}
		return linalg.Var(e.Sym.Name), true
	case *ir.Conv:
		x, ok := in.affine[e.E] // of an INTEGER of the other kind
		return x, ok
	case *ir.Un:
		x, ok := in.affine[e.E]
		switch {
		case !ok:
		case e.Op == ir.Group:
			return x, true
		case e.Op == ir.Neg:
			return x.Scale(-1)
		}
	case *ir.Bin:
		x, okX := in.affine[e.L]
		y, okY := in.affine[e.R]
		if !okX || !okY {
			break
		}
		switch e.Op {
		case ir.Add:
			return x.Add(y)
		case ir.Sub:
			return x.Sub(y)
		case ir.Mul:
			if x.IsConst() {
				return y.Scale(x.C)
			}
			if y.IsConst() {
				return x.Scale(y.C)
			}
		case ir.Div:
			return quotient(x, y)
		}
	}
	return linalg.Affine{}, false
}

// ranging notes the values of the index of a loop with constant bounds, for as long as
// its body is walked. What it returns ends that.
func (in *Info) ranging(s *ir.Do) (end func()) {
	b, outer := in.bounds[s], in.ranges[s.Index.Name]
	delete(in.ranges, s.Index.Name)
	if b.Affine() && b.Lo.IsConst() && b.Hi.IsConst() {
		in.ranges[s.Index.Name] = &span{min(b.Lo.C, b.Hi.C), max(b.Lo.C, b.Hi.C)}
	}
	return func() { in.ranges[s.Index.Name] = outer }
}

// span is the values from lo to hi.
type span struct{ lo, hi int64 }

// Factors and constants beyond these are no part of a form: they are those of
// programs that wrap on purpose, such as random number generators.
const (
	largestFactor   = 1 << 16
	largestConstant = 1 << 30
)

// wraps reports whether a value of type t that form stands for would not fit in t, as
// far as constants and loops with constant bounds tell.
func (in *Info) wraps(form linalg.Affine, t ir.Type) bool {
	vars := form.Vars()
	if t != ir.Integer || len(vars) == 0 {
		return false
	}
	if max(form.C, -form.C) > largestConstant {
		return true
	}
	lo, hi, known := form.C, form.C, true
	for _, v := range vars {
		k := form.Coef(v)
		if max(k, -k) > largestFactor {
			return true
		}
		r := in.ranges[v]
		if r == nil || max(r.hi, -r.hi, r.lo, -r.lo) > 1<<32 {
			known = false
			continue
		}
		lo, hi = lo+min(k*r.lo, k*r.hi), hi+max(k*r.lo, k*r.hi)
	}
	return known && (lo < math.MinInt32 || hi > math.MaxInt32)
}

// quotient divides constants, truncating as Fortran does.
func quotient(x, y linalg.Affine) (linalg.Affine, bool) {
	if !x.IsConst() || !y.IsConst() || y.C == 0 {
		return linalg.Affine{}, false
	}
	return linalg.Const(x.C / y.C), true
}
