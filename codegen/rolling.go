package codegen

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// Where an iteration of a leaf loop reads what the one before it has stored, and before it
// stores its own, the value stays in a variable, so that no iteration waits for memory:
//
//	do i = 2, n
//	   a(i) = 0.5d0*(a(i-1) + b(i))
//	end do
//
//	aN1Last := aN1[0]
//	for t := 0; t < nT; t++ {
//		aN1Last = float64(0.5 * (aN1Last + bN2[t]))
//		aN3[t] = aN1Last
//	}

// roll finds such references among those of the loop, which have been addressed.
func (l *leaf) roll(refs []leafRef) {
	g := l.g
	by := map[*ir.Ref]leafRef{}
	for _, f := range refs {
		by[f.ref] = f
	}
	stores := map[string]int{} // by object
	ir.Walk(l.body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if r, ok := a.LHS.(*ir.Ref); ok {
				stores[l.object(r)]++
			}
		}
		return true
	})
	read := map[*ir.Ref]bool{} // in what an iteration has executed
	for _, s := range l.body {
		ir.WalkExprs([]ir.Stmt{s}, func(_ ir.Stmt, e ir.Expr) bool {
			if r, ok := e.(*ir.Ref); ok {
				read[r] = true
			}
			return true
		})
		a, ok := s.(*ir.Assign)
		if !ok || g.starts[a] != "" {
			continue
		}
		r, ok := a.LHS.(*ir.Ref)
		w, linear := by[r]
		if !ok || !linear || stores[w.object] != 1 || !r.Sym.Type.IsReal() && !r.Sym.Type.IsInteger() || !l.follows(w) {
			continue
		}
		for _, f := range refs {
			if f.object == w.object && read[f.ref] && !f.conditional && l.follows(f) && before(f, w) {
				name := strings.TrimSuffix(g.leaf[f.ref], "[t]") + "Last"
				if g.rolled[r] == "" {
					g.rolled[r] = name
					g.out.p("%s := %s[0]", name, strings.TrimSuffix(g.leaf[f.ref], "[t]"))
				}
				defer func() { g.leaf[f.ref] = g.rolled[r] }()
			}
		}
	}
}

// follows reports whether a reference goes through a slice, in which the element with a
// larger subscript is the next one.
func (l *leaf) follows(f leafRef) bool {
	return strings.HasSuffix(l.g.leaf[f.ref], "[t]") && (&vectorLoop{leaf: l}).shifts(f)
}

// before reports whether f is in each iteration what w is in the one before.
func before(f, w leafRef) bool {
	if len(f.subs) != len(w.subs) {
		return false
	}
	for d := 1; d < len(f.subs); d++ {
		if !f.subs[d].Equal(w.subs[d]) {
			return false
		}
	}
	far, ok := w.subs[0].Sub(f.subs[0])
	return ok && far.IsConst() && far.C == 1
}

// storeRolled emits an assignment to an element that the next iteration reads.
func (g *gen) storeRolled(name, to, value string, sym *ir.Symbol) {
	g.store(name, value, sym)
	g.out.p("%s = %s", to, name)
}
