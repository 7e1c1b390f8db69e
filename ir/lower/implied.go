package lower

import "github.com/spmdc/spmdc/ir"

// impliedUse is a PRINT with an implied DO. In Fortran the index is an ordinary
// variable that has, after the statement, the value that ended the loop. In the
// typed program the index is local to the implied DO; where the program can see
// the difference, assignments behind the PRINT make it up.
type impliedUse struct {
	print *ir.Print
	final []*ir.Assign
}

// impliedEnds returns the assignments that give the indices of p's implied DO
// loops their final values. finishIndices removes those that nothing can see.
func (l *lowerer) impliedEnds(p *ir.Print) []ir.Stmt {
	use := impliedUse{print: p}
	var out []ir.Stmt
	var visit func(ir.Expr)
	visit = func(e ir.Expr) {
		d, ok := e.(*ir.ImpliedDo)
		if !ok {
			return
		}
		for _, item := range d.Items {
			visit(item)
		}
		a := &ir.Assign{S: ir.S{Pos: d.Pos}, LHS: &ir.Var{X: ir.X{Pos: d.Pos, Typ: ir.Integer}, Sym: d.Index}, RHS: l.finalIndex(d)}
		use.final = append(use.final, a)
		out = append(out, a)
	}
	for _, item := range p.Items {
		visit(item)
	}
	if len(out) > 0 {
		l.implied = append(l.implied, use)
	}
	return out
}

// finalIndex is lo + max(0, (hi-lo+step)/step)*step.
func (l *lowerer) finalIndex(d *ir.ImpliedDo) ir.Expr {
	at := ir.X{Pos: d.Pos, Typ: ir.Integer}
	bin := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return l.foldBinary(&ir.Bin{X: at, Op: op, L: x, R: y}, d.Pos)
	}
	lo, hi, step := ir.Clone(d.Lo), ir.Clone(d.Hi), ir.Clone(d.Step)
	if c, ok := step.(*ir.Const); ok && c.Int == 1 {
		call := &ir.Call{X: at, Name: "max", Args: []ir.Expr{lo, bin(ir.Add, hi, l.intConst(1, d.Pos))}}
		return l.foldCall(call)
	}
	trips := bin(ir.Div, bin(ir.Add, bin(ir.Sub, hi, lo), step), ir.Clone(step))
	trips = l.foldCall(&ir.Call{X: at, Name: "max", Args: []ir.Expr{l.intConst(0, d.Pos), trips}})
	return bin(ir.Add, ir.Clone(lo), bin(ir.Mul, trips, ir.Clone(step)))
}

// finishIndices removes the final assignments of indices that the program uses
// only as indices: every mention is inside a loop, or implied DO, over it.
func (l *lowerer) finishIndices() {
	if len(l.implied) == 0 {
		return
	}
	final := map[ir.Stmt]bool{}
	for _, use := range l.implied {
		for _, a := range use.final {
			final[a] = true
		}
	}
	seen := map[*ir.Symbol]bool{}
	l.visible(l.prog.Body, map[*ir.Symbol]int{}, final, seen)
	l.prog.Body = removeFinals(l.prog.Body, final, seen)
}

// visible collects in seen the variables mentioned outside of loops over them.
func (l *lowerer) visible(body []ir.Stmt, inside map[*ir.Symbol]int, final map[ir.Stmt]bool, seen map[*ir.Symbol]bool) {
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
		if final[s] {
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
			l.visible(b, inside, final, seen)
		}
		if ok {
			inside[d.Index]--
		}
	}
}

func removeFinals(body []ir.Stmt, final map[ir.Stmt]bool, seen map[*ir.Symbol]bool) []ir.Stmt {
	kept := body[:0]
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Do:
			s.Body = removeFinals(s.Body, final, seen)
		case *ir.While:
			s.Body = removeFinals(s.Body, final, seen)
		case *ir.If:
			s.Then, s.Else = removeFinals(s.Then, final, seen), removeFinals(s.Else, final, seen)
		}
		if final[s] && !seen[ir.Target(s.(*ir.Assign).LHS)] {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}
