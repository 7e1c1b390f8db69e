package transform

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// occurrence is one array element that a part of a loop's body reads or writes.
type occurrence struct {
	ref         *ir.Ref
	stmt        ir.Stmt
	part        int       // which statement of the loop's body it belongs to
	loops       []ir.Stmt // around it, outermost of the program first
	write       bool
	conditional bool // an IF or a short-circuit operator of the loop may skip it
}

// occurrences lists the array elements in the body of loop.
func (a *Analysis) occurrences(loop *ir.Do) []occurrence {
	var list []occurrence
	var visit func(s ir.Stmt, part int, cond bool)
	visit = func(s ir.Stmt, part int, cond bool) {
		add := func(e ir.Expr, write, skipped bool) {
			loops := a.around[s]
			if w, ok := s.(*ir.While); ok { // its condition belongs to each iteration
				loops = append(loops[:len(loops):len(loops)], w)
			}
			list = append(list, occurrence{ref: e.(*ir.Ref), stmt: s, part: part, loops: loops, write: write, conditional: cond || skipped})
		}
		var reads func(e ir.Expr, skipped bool)
		reads = func(e ir.Expr, skipped bool) {
			if b, ok := e.(*ir.Bin); ok && (b.Op == ir.And || b.Op == ir.Or) {
				reads(b.L, skipped)
				reads(b.R, true)
				return
			}
			for _, x := range ir.Children(e) {
				reads(x, skipped)
			}
			if _, ok := e.(*ir.Ref); ok {
				add(e, false, skipped)
			}
		}
		for _, e := range ir.Exprs(s) {
			as, ok := s.(*ir.Assign)
			if !ok || e != as.LHS {
				reads(e, false)
				continue
			}
			for _, x := range ir.Children(e) {
				reads(x, false)
			}
			if _, ok := e.(*ir.Ref); ok {
				add(e, true, false)
			}
		}
		_, isIf := s.(*ir.If)
		_, isWhile := s.(*ir.While)
		for _, body := range ir.Bodies(s) {
			for _, x := range body {
				visit(x, part, cond || isIf || isWhile)
			}
		}
	}
	for i, s := range loop.Body {
		visit(s, i, false)
	}
	return list
}

// access describes o for the dependence tests. What changes in scope has
// different values on the two sides, indices of loops around o aside.
func (a *Analysis) access(o occurrence, scope *ir.Do) depend.Access {
	changed := a.info.Modified(scope)
	own := map[string]bool{}
	usable := func(f linalg.Affine, ok bool) bool {
		if !ok {
			return false
		}
		for v := range f.T {
			if f.Uses(v) && !own[v] && changed[a.symbols[v]] {
				return false
			}
		}
		return true
	}
	acc := depend.Access{Order: 2 * a.order[o.stmt], Partial: o.conditional}
	if o.write {
		acc.Order++
	}
	for _, l := range o.loops {
		d, ok := l.(*ir.Do)
		if !ok {
			acc.Loops = append(acc.Loops, depend.Loop{Index: fmt.Sprintf("while %d", a.order[l]), Lo: []linalg.Affine{linalg.Const(0)}, Step: 1})
			continue
		}
		b := a.info.Bounds(d)
		dl := depend.Loop{Index: d.Index.Name, Step: b.Step}
		if usable(b.Lo, b.LoOK) {
			dl.Lo = []linalg.Affine{b.Lo}
		}
		if usable(b.Hi, b.HiOK) {
			dl.Hi = []linalg.Affine{b.Hi}
		}
		acc.Loops = append(acc.Loops, dl)
		own[d.Index.Name] = true
	}
	for _, s := range o.ref.Subs {
		f, ok := a.info.Affine(s)
		if !usable(f, ok) {
			acc.Subs = append(acc.Subs, nil)
			continue
		}
		acc.Subs = append(acc.Subs, &f)
	}
	return acc
}

// dependence asks whether src may touch the element of dst before dst does,
// while the loops around loop stand still: in one iteration of loop, or in an
// earlier one. INDEPENDENT asserts away what is carried and not proved, but for
// arrays that it calls NEW or REDUCTION: these it says something else about.
func (a *Analysis) dependence(src, dst occurrence, loop *ir.Do) (found bool, why string) {
	outer := len(a.around[loop])
	from, to := a.access(src, loop), a.access(dst, loop)
	var cases [][]linalg.Affine
	if names := depend.Parameters(from, to); names != nil {
		cases = a.info.Cases(loop, names)
	}
	r := depend.DependsIn(cases, from, to, outer+1, outer)
	if r.Answer == depend.No {
		return false, ""
	}
	if in := loop.Independent; in != nil && !r.Certain && !slices.Contains(in.New, src.ref.Sym) && !slices.Contains(in.Reduction, src.ref.Sym) {
		carried := true
		for _, l := range r.Levels {
			carried = carried && l != 0
		}
		if carried {
			return false, ""
		}
	}
	return true, r.Why
}
