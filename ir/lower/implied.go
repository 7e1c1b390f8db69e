package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// In Fortran the index of an implied DO is an ordinary variable that has, behind
// the loop, the value that ended it. In the typed program the index is local to
// the implied DO; where the program can see the difference, statements behind
// the PRINT make it up. What sees it within the PRINT is left to itemOrder.

// impliedEnds returns the statements that give the indices of p's implied DO
// loops the values that they keep. finishIndices removes those that nothing can
// see.
func (l *lowerer) impliedEnds(p *ir.Print) []ir.Stmt {
	var out []ir.Stmt
	for _, d := range impliedLoops(p.Items) {
		values, ok := l.lastValues(d)
		if !ok {
			out = append(out, emptyLoop(d))
		}
		for _, v := range values {
			out = append(out, &ir.Assign{S: ir.S{Pos: d.Pos}, LHS: &ir.Var{X: ir.X{Pos: d.Pos, Typ: v.index.Type}, Sym: v.index}, RHS: v.value})
		}
	}
	l.ends = append(l.ends, out...)
	return out
}

// impliedLoops are the implied DO loops among items.
func impliedLoops(items []ir.Expr) []*ir.ImpliedDo {
	var list []*ir.ImpliedDo
	for _, e := range items {
		if d, ok := e.(*ir.ImpliedDo); ok {
			list = append(list, d)
		}
	}
	return list
}

// innerIndices are the indices of the loops inside d.
func innerIndices(d *ir.ImpliedDo) []*ir.Symbol {
	var list []*ir.Symbol
	for _, e := range impliedLoops(d.Items) {
		list = append(append(list, e.Index), innerIndices(e)...)
	}
	return list
}

// lastValue is what an index has behind its loop.
type lastValue struct {
	index *ir.Symbol
	value ir.Expr
}

// lastValues are the values that d and the loops inside leave in their indices,
// in the order in which they get them, as expressions over the variables before
// d. There are none (ok is false) when loops are inside and the trips of d are
// not constant, or when a loop inside takes a bound from the index of another.
func (l *lowerer) lastValues(d *ir.ImpliedDo) (list []lastValue, ok bool) {
	loops := impliedLoops(d.Items)
	if len(loops) == 0 {
		return []lastValue{{d.Index, l.finalIndex(d)}}, true
	}
	lo, okLo := d.Lo.(*ir.Const)
	hi, okHi := d.Hi.(*ir.Const)
	step, okStep := d.Step.(*ir.Const)
	if !okLo || !okHi || !okStep {
		return nil, false
	}
	end := lo.Int
	if trips := (hi.Int - lo.Int + step.Int) / step.Int; trips > 0 {
		end += trips * step.Int
		last := map[*ir.Symbol]ir.Expr{d.Index: intConstOf(d.Index.Type, end-step.Int, d.Pos)}
		for _, e := range loops {
			inner, ok := l.lastValues(l.substituteBounds(e, last))
			if !ok {
				return nil, false
			}
			list = append(list, inner...)
		}
		for _, v := range list {
			if slices.ContainsFunc(innerIndices(d), func(s *ir.Symbol) bool { return ir.Mentions(v.value, s) }) {
				return nil, false
			}
		}
	}
	return append(list, lastValue{d.Index, intConstOf(d.Index.Type, end, d.Pos)}), true
}

// substituteBounds copies d and the loops inside, without other items, and
// replaces the variables of env in the bounds.
func (l *lowerer) substituteBounds(d *ir.ImpliedDo, env map[*ir.Symbol]ir.Expr) *ir.ImpliedDo {
	out := &ir.ImpliedDo{X: d.X, Index: d.Index, Lo: l.substitute(ir.Clone(d.Lo), env),
		Hi: l.substitute(ir.Clone(d.Hi), env), Step: l.substitute(ir.Clone(d.Step), env)}
	for _, e := range impliedLoops(d.Items) {
		out.Items = append(out.Items, l.substituteBounds(e, env))
	}
	return out
}

// emptyLoop is d as a DO loop with nothing inside but loops: it leaves in the
// indices what d does.
func emptyLoop(d *ir.ImpliedDo) *ir.Do {
	out := &ir.Do{S: ir.S{Pos: d.Pos}, Index: d.Index, Lo: ir.Clone(d.Lo), Hi: ir.Clone(d.Hi), Step: ir.Clone(d.Step), End: d.Pos}
	for _, e := range impliedLoops(d.Items) {
		out.Body = append(out.Body, emptyLoop(e))
	}
	return out
}

// finalIndex is lo + max(0, (hi-lo+step)/step)*step, computed in INTEGER(8): the index
// wraps where it ends behind the largest of its type.
func (l *lowerer) finalIndex(d *ir.ImpliedDo) ir.Expr {
	at := ir.X{Pos: d.Pos, Typ: ir.Long}
	bin := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return l.foldBinary(&ir.Bin{X: at, Op: op, L: x, R: y}, d.Pos)
	}
	long := func(e ir.Expr) ir.Expr { return l.convert(ir.Clone(e), ir.Long) }
	lo, hi, step := long(d.Lo), long(d.Hi), long(d.Step)
	var end ir.Expr
	if c, ok := step.(*ir.Const); ok && c.Int == 1 {
		end = l.foldCall(&ir.Call{X: at, Name: "max", Args: []ir.Expr{lo, bin(ir.Add, hi, intConstOf(ir.Long, 1, d.Pos))}})
	} else {
		trips := bin(ir.Div, bin(ir.Add, bin(ir.Sub, hi, lo), step), long(d.Step))
		trips = l.foldCall(&ir.Call{X: at, Name: "max", Args: []ir.Expr{intConstOf(ir.Long, 0, d.Pos), trips}})
		end = bin(ir.Add, long(d.Lo), bin(ir.Mul, trips, long(d.Step)))
	}
	if c, ok := end.(*ir.Const); ok && !isBad(c) {
		return intConstOf(d.Index.Type, c.Int, d.Pos)
	}
	return l.convert(end, d.Index.Type)
}

// finishIndices removes the ends of implied DO loops over indices that the
// program uses only as indices: every mention is inside a loop, or implied DO,
// over it.
func (l *lowerer) finishIndices() {
	if len(l.ends) == 0 {
		return
	}
	ends := map[ir.Stmt]bool{}
	for _, s := range l.ends {
		ends[s] = true
	}
	seen := map[*ir.Symbol]bool{}
	l.visible(l.prog.Body, map[*ir.Symbol]int{}, ends, seen)
	// What an end needs that stays is seen too.
	for grew := true; grew; {
		grew = false
		for s := range ends {
			if !keepsIndex(s, seen) {
				continue
			}
			ir.WalkExprs(one(s), func(_ ir.Stmt, e ir.Expr) bool {
				if v, ok := e.(*ir.Var); ok && !seen[v.Sym] {
					seen[v.Sym], grew = true, true
				}
				return true
			})
		}
	}
	l.prog.Body = removeEnds(l.prog.Body, ends, seen)
}

// keepsIndex reports whether the end of an implied DO gives a value to one of
// the variables in seen.
func keepsIndex(end ir.Stmt, seen map[*ir.Symbol]bool) bool {
	switch s := end.(type) {
	case *ir.Assign:
		return seen[ir.Target(s.LHS)]
	case *ir.Do:
		return seen[s.Index] || slices.ContainsFunc(s.Body, func(b ir.Stmt) bool { return keepsIndex(b, seen) })
	}
	return false
}

// visible collects in seen the variables mentioned outside of loops over them.
func (l *lowerer) visible(body []ir.Stmt, inside map[*ir.Symbol]int, ends map[ir.Stmt]bool, seen map[*ir.Symbol]bool) {
	var expr func(ir.Expr)
	expr = func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Var:
			if inside[e.Sym] == 0 {
				seen[e.Sym] = true
			}
		case *ir.ImpliedDo:
			expr(e.Lo)
			expr(e.Hi)
			expr(e.Step)
			inside[e.Index]++
			for _, item := range e.Items {
				expr(item)
			}
			inside[e.Index]--
			return
		}
		for _, c := range ir.Children(e) {
			expr(c)
		}
	}
	for _, s := range body {
		if ends[s] {
			continue
		}
		for _, e := range ir.Exprs(s) {
			expr(e)
		}
		d, ok := s.(*ir.Do)
		if ok {
			inside[d.Index]++
		}
		for _, b := range ir.Bodies(s) {
			l.visible(b, inside, ends, seen)
		}
		if ok {
			inside[d.Index]--
		}
	}
}

func removeEnds(body []ir.Stmt, ends map[ir.Stmt]bool, seen map[*ir.Symbol]bool) []ir.Stmt {
	kept := body[:0]
	for _, s := range body {
		if ends[s] && !keepsIndex(s, seen) {
			continue
		}
		ir.ReplaceBodies(s, func(list []ir.Stmt) []ir.Stmt { return removeEnds(list, ends, seen) })
		kept = append(kept, s)
	}
	return kept
}
