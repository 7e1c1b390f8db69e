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

// impliedValues puts the values of items of implied DO loops that take statements, as a function of
// the program does, into arrays that DO loops fill in front of the statement: with
//
//	print *, (f(i), i = 1, n)
//
// each part(i) is set to f(i) first, and is the item.
type impliedValues struct {
	l      *lowerer
	inside map[*ir.ImpliedDo][]ir.Stmt // what comes before the items of a loop, in each iteration
	around []*ir.ImpliedDo
	n      []ir.Expr // the iterations of these
	pre    []ir.Stmt
}

// keep does so for the items of d and of the loops inside; ok is false after an error.
func (v *impliedValues) keep(d *ir.ImpliedDo) (ok bool) {
	body, ok := v.fill(d, false)
	v.l.prelude = append(append(v.l.prelude, v.pre...), body...)
	return ok
}

// fill is the loop for d. With all set something that comes before the items of a loop around d
// changes what they are.
func (v *impliedValues) fill(d *ir.ImpliedDo, all bool) ([]ir.Stmt, bool) {
	l := v.l
	out := &ir.Do{S: ir.S{Pos: d.Pos}, Index: d.Index, Lo: ir.Clone(d.Lo), Hi: ir.Clone(d.Hi), Step: ir.Clone(d.Step), End: d.Pos}
	for _, bound := range []ir.Expr{d.Lo, d.Hi, d.Step} {
		if !v.known(bound) {
			l.errorf(codeOutside, d.Pos, "a function inside an implied DO whose bounds depend on a loop around it, or on a function").
				WithHelp("put its values into an array in a DO loop first, and print that")
			return nil, false
		}
	}
	v.around, v.n = append(v.around, d), append(v.n, l.fixed(l.tripsOf(out), "items", d.Pos, &v.pre))
	defer func() { v.around, v.n = v.around[:len(v.around)-1], v.n[:len(v.n)-1] }()
	out.Body = v.inside[d]
	all = all || len(out.Body) > 0
	for k, item := range d.Items {
		if in, is := item.(*ir.ImpliedDo); is {
			body, ok := v.fill(in, all)
			if !ok {
				return nil, false
			}
			out.Body = append(out.Body, body...)
		} else if _, is := constOf(item); all && !is {
			room := l.room(&elemental{n: v.n, pre: &v.pre}, item.Type(), max(0, l.charLen(item)), d.Pos)
			element := func() ir.Expr { return l.elementOf(room, &elemental{n: v.n, place: v.places()}, d.Pos) }
			out.Body = append(out.Body, &ir.Assign{S: ir.S{Pos: d.Pos}, LHS: element(), RHS: item})
			d.Items[k] = element()
		}
	}
	if len(out.Body) == 0 {
		return nil, true
	}
	// Other items have the index as it was before.
	kept := l.local(d.Index.Source()+"_kept", d.Index.Type, d.Pos)
	set := func(to, from *ir.Symbol) ir.Stmt {
		return &ir.Assign{S: ir.S{Pos: d.Pos}, LHS: varOf(to, d.Pos), RHS: &ir.Var{X: ir.X{Pos: d.Pos, Typ: from.Type, Raw: true}, Sym: from}}
	}
	return []ir.Stmt{set(kept, d.Index), out, set(d.Index, kept)}, true
}

// known reports whether bound e of a loop has one value in all iterations of the loops around it.
func (v *impliedValues) known(e ir.Expr) bool {
	for _, d := range v.around {
		if ir.Mentions(e, d.Index) {
			return false
		}
	}
	ok := true
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Var:
			for _, d := range v.around {
				ok = ok && !assigns(v.inside[d], x.Sym)
			}
		case *ir.Ref, *ir.CoRef, *ir.Substr:
			ok = false
		}
		return ok
	})
	return ok
}

// places are which iterations of the loops around are in hand, from 1.
func (v *impliedValues) places() (list []ir.Expr) {
	l := v.l
	for _, d := range v.around {
		at := l.minus(l.convert(varOf(d.Index, d.Pos), ir.Long), l.convert(ir.Clone(d.Lo), ir.Long), d.Pos)
		if n, ok := constOf(d.Step); !ok || n != 1 {
			at = l.arith(ir.Div, at, l.convert(ir.Clone(d.Step), ir.Long), d.Pos)
		}
		list = append(list, l.plus(at, l.intConst(1, d.Pos), d.Pos))
	}
	return list
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
