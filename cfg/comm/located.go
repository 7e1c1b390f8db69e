package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// located lets the PEs search their parts for an extreme with its place, or all PEs the
// whole. Parts can be searched if the places say which of equal values is the first one:
// they hold the indices of all loops down to the innermost one that is divided.
func (t *attempt) located(l *scalar.Location) string {
	all := func() string {
		t.placed = append(t.placed, placed{l.Stmt, nil})
		return ""
	}
	by, cons := t.reducerOf(l.Stmt, l.Extreme)
	if by == nil {
		return all()
	}
	loops := t.loopsOf[l.Stmt]
	divided := -1
	for _, c := range cons {
		if d := controlling(c, loops); d != nil {
			divided = max(divided, slices.Index(loops, ir.Stmt(d)))
		}
	}
	if divided < 0 {
		return all()
	}
	places := slices.Clone(l.Places)
	for i, s := range loops[:divided+1] {
		d, ok := s.(*ir.Do)
		if !ok || !t.ascends(d) {
			return all()
		}
		at := slices.IndexFunc(places, func(p scalar.PlaceValue) bool { return p.Index == d.Index })
		if at < i {
			return all()
		}
		places[i], places[at] = places[at], places[i]
	}
	first := len(t.reduced)
	for i := range 1 + len(places) {
		r := scalar.Reduction{Sym: l.Extreme, Op: l.Op, Stmts: []ir.Stmt{l.Stmt}}
		if i > 0 {
			r.Sym = places[i-1].Sym
		}
		red, why := t.inParts(r, by, cons)
		if why != "" {
			return why
		}
		if i > 0 {
			red.Name = "place"
		}
	}
	t.reduced[first].Places, t.reduced[first].Ties = len(places), divided+1
	return ""
}

// ascends reports whether the index of d grows from one iteration to the next.
func (t *attempt) ascends(d *ir.Do) bool {
	step, ok := t.a.affine(d.Step)
	return ok && step.IsConst() && step.C > 0
}
