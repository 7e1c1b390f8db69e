package scalar

import (
	"maps"
	"math"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// facts are the forms that scalars equal now, without quotients and, where they have
// some, with them. nil stands for a place that is not reached.
type facts struct{ affine, rounded forms }

func (f *facts) clone() *facts {
	return &facts{maps.Clone(f.affine), maps.Clone(f.rounded)}
}

// kill removes what is no longer known once sym has changed.
func (in *Info) kill(f *facts, sym *ir.Symbol) {
	f.affine.kill(sym)
	delete(f.rounded, sym)
	for s, form := range f.rounded {
		if in.uses(form, sym) {
			delete(f.rounded, s)
		}
	}
}

func (in *Info) killAll(f *facts, syms map[*ir.Symbol]bool) {
	for sym := range syms {
		if sym.Type.IsInteger() && !sym.IsArray() {
			in.kill(f, sym)
		}
	}
}

// assign records that sym gets the value of e, which is recorded.
func (in *Info) assign(f *facts, sym *ir.Symbol, e ir.Expr) {
	form, known := in.affine[e]
	rounded, ok := in.rounded[e]
	affine := f.affine
	f.affine = nil
	in.kill(f, sym)
	f.affine = affine
	f.affine.assign(sym, form, known)
	if ok && !in.uses(rounded, sym) {
		f.rounded[sym] = rounded
	}
}

// meet keeps the facts that hold on both paths.
func meet(a, b *facts) *facts {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &facts{common(a.affine, b.affine), common(a.rounded, b.rounded)}
}

func common(a, b forms) forms {
	for s, form := range a {
		if other, ok := b[s]; !ok || !form.Equal(other) {
			delete(a, s)
		}
	}
	return a
}

// forms maps a scalar to the form that it equals. The forms use only scalars that have
// none themselves, so that one look-up substitutes a whole chain.
type forms map[*ir.Symbol]linalg.Affine

// variable is the form of a scalar.
func (f forms) variable(sym *ir.Symbol) (linalg.Affine, bool) {
	if form, ok := f[sym]; ok {
		return form, true
	}
	return linalg.Var(sym.Name), true
}

func (f forms) kill(sym *ir.Symbol) {
	delete(f, sym)
	for s, form := range f {
		if form.Uses(sym.Name) {
			delete(f, s)
		}
	}
}

// assign records sym = form, where form is in terms of the values before the
// assignment.
func (f forms) assign(sym *ir.Symbol, form linalg.Affine, known bool) {
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
func (in *Info) propagate(body []ir.Stmt) { in.walk(body, &facts{forms{}, forms{}}) }

// walk returns the facts behind body, nil when control does not get there.
// Statements that are not reached get no forms.
func (in *Info) walk(body []ir.Stmt, f *facts) *facts {
	for _, s := range body {
		if f == nil {
			return nil
		}
		f = in.step(s, f)
	}
	return f
}

func (in *Info) step(s ir.Stmt, f *facts) *facts {
	if w, ok := s.(*ir.While); ok {
		in.killAll(f, in.modified[s])
		in.record(w.Cond, f)
		in.walk(w.Body, f.clone())
		return f
	}
	for _, e := range ir.Exprs(s) {
		in.record(e, f)
	}
	switch s := s.(type) {
	case *ir.Assign:
		if v, ok := s.LHS.(*ir.Var); ok && v.Typ.IsInteger() {
			in.assign(f, v.Sym, s.RHS)
		}
	case *ir.Read, *ir.Collective:
		in.killAll(f, in.modified[s])
	case *ir.Critical:
		return in.walk(s.Body, f)
	case *ir.If:
		other := f.clone()
		return meet(in.walk(s.Then, f), in.walk(s.Else, other))
	case *ir.Do:
		in.loopBounds(s)
		// What the loop does not change holds at every point inside and behind
		// it, however it is left.
		in.killAll(f, in.modified[s])
		defer in.ranging(s)()
		in.walk(s.Body, f.clone())
	case *ir.Exit, *ir.Cycle, *ir.Stop:
		return nil
	}
	return f
}

// loopBounds records the bounds of a loop whose expressions are recorded.
func (in *Info) loopBounds(s *ir.Do) {
	var b, r LoopBounds
	if step, ok := in.affine[s.Step]; ok && step.IsConst() {
		b.Step, r.Step = step.C, step.C
	}
	b.By, b.ByOK = in.invariantForm(in.affine, s.Step, s)
	b.Lo, b.LoOK = in.invariantForm(in.affine, s.Lo, s)
	b.Hi, b.HiOK = in.invariantForm(in.affine, s.Hi, s)
	r.Lo, r.LoOK = in.invariantForm(in.rounded, s.Lo, s)
	r.Hi, r.HiOK = in.invariantForm(in.rounded, s.Hi, s)
	in.bounds[s], in.roundedBounds[s] = b, r
}

// invariantForm is the form of e, in one of the maps of forms, when nothing in it
// changes in the loop.
func (in *Info) invariantForm(of map[ir.Expr]linalg.Affine, e ir.Expr, loop *ir.Do) (linalg.Affine, bool) {
	form, ok := of[e]
	if !ok {
		return form, false
	}
	for sym := range in.modified[loop] {
		if in.uses(form, sym) {
			return linalg.Affine{}, false
		}
	}
	return form, true
}

// record stores the forms of all INTEGER nodes of e, operands first.
func (in *Info) record(e ir.Expr, f *facts) {
	if d, ok := e.(*ir.ImpliedDo); ok {
		in.record(d.Lo, f)
		in.record(d.Hi, f)
		in.record(d.Step, f)
		inner := f.clone()
		in.kill(inner, d.Index)
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
	delete(in.affine, e)
	if form, ok := ir.AffineOf(e, f.affine.variable, in.Affine); ok && !in.wraps(form, e.Type()) {
		in.affine[e] = form
	}
	delete(in.rounded, e)
	if form, ok := in.roundedForm(e, f); ok && !in.wraps(form, e.Type()) {
		in.rounded[e] = form
	}
}

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
	for _, v := range vars {
		if k := form.Coef(v); max(k, -k) > largestFactor {
			return true
		}
	}
	r := in.extent(form)
	return r.known() && (r.lo < math.MinInt32 || r.hi > math.MaxInt32)
}
