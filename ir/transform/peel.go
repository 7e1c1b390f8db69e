package transform

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// maxPeel is the size of the largest body that Peel copies, in statements.
const maxPeel = 300

// Peel takes the last or the first iteration off a loop when that decides a
// condition inside. In
//
//	do i = n, 2, -1
//	   if (i >= 3) then ...
//	end do
//
// the condition holds but for the last iteration, so the loop becomes
//
//	do i = n, 3, -1
//	   ...
//	end do
//	if (n >= 2) then
//	   i = 2
//	   ...
//	end if
//
// with i = 1 at the end if that is used. The test is left out where the loop is
// known to run. Conditions that follow from constants assigned in the iteration
// itself are folded too. MOD(e, m) is e - k*m where that is decided. Both iterations are
// taken off where each decides something, as in
//
//	do i = 1, n
//	   l = i - 1
//	   if (l < 1) l = n
//	   r = mod(i, n) + 1
func (a *Analysis) Peel(loop *ir.Do) (*Change, error) {
	b := a.info.Bounds(loop)
	switch {
	case b.Step == 0:
		return nil, refuse("its step is not a constant")
	case !b.LoOK || !b.HiOK:
		return nil, refuse("its bounds are not affine")
	case loop.Independent != nil && slices.ContainsFunc(loop.Independent.New, (*ir.Symbol).IsArray):
		return nil, refuse("NEW names an array, of which each iteration has a value of its own")
	case Size(loop.Body) > maxPeel:
		return nil, refuse("its body has more than %d statements", maxPeel)
	}
	if err := cheapBounds(loop); err != nil {
		return nil, err
	}
	if !a.conditional(loop) {
		return nil, refuse("no condition inside compares affine forms")
	}
	if both := a.peelBoth(loop, b); both != nil {
		return both, nil
	}
	last, errLast := a.peelLast(loop, b)
	if errLast == nil {
		return last, nil
	}
	first, err := a.peelFirst(loop, b)
	if err != nil {
		return nil, errLast
	}
	return first, nil
}

// conditional reports whether loop holds an IF, or a MOD, that facts might decide.
func (a *Analysis) conditional(loop *ir.Do) bool {
	found := false
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if c, ok := s.(*ir.If); ok {
			ir.WalkExpr(c.Cond, func(e ir.Expr) bool {
				if b, ok := e.(*ir.Bin); ok && a.cases(b, true) != nil {
					found = true
				}
				return !found
			})
		}
		if as, ok := s.(*ir.Assign); ok {
			ir.WalkExpr(as.RHS, func(e ir.Expr) bool {
				_, _, is := a.modulo(e)
				found = found || is
				return !found
			})
		}
		return !found
	})
	return found
}

// halves are the two copies of a body that peeling makes, each folded under
// what holds in its iterations.
type halves struct {
	rest, one         []ir.Stmt
	restFold, oneFold *folder
}

// halves folds the body of loop for the iterations that are left and for the
// one that is peeled, when both decide a condition that all iterations leave
// open.
func (a *Analysis) halves(loop *ir.Do, rest, one facts) (*halves, error) {
	h := &halves{
		restFold: &folder{Copier: ir.NewCopier(), a: a},
		oneFold:  &folder{Copier: ir.NewCopier(), a: a},
	}
	h.rest = h.restFold.body(loop.Body, rest, constants{})
	h.one = h.oneFold.body(loop.Body, one, constants{})
	all := &folder{Copier: ir.NewCopier(), a: a}
	all.body(loop.Body, a.inLoop(a.at(loop), loop), constants{})
	if !decides(h.oneFold, h.restFold, all) {
		return nil, refuse("neither the first nor the last iteration decides a condition")
	}
	return h, nil
}

// decides reports whether one and rest decide a condition that all iterations leave open.
func decides(one, rest, all *folder) bool {
	return slices.ContainsFunc(rest.folded, func(e ir.Expr) bool {
		return slices.Contains(one.folded, e) && !slices.Contains(all.folded, e)
	})
}

// peelBoth takes the first and the last iteration off a loop that is known to have both, if
// each of them decides a condition; else it returns nil.
func (a *Analysis) peelBoth(loop *ir.Do, b scalar.LoopBounds) *Change {
	if b.Step != 1 && b.Step != -1 || jumpTo(loop, loop.Body, true, true) != nil {
		return nil
	}
	i := linalg.Var(loop.Index.Name)
	around, inside := a.at(loop), a.inLoop(a.at(loop), loop)
	lo, hi := b.Lo, b.Hi
	if b.Step < 0 {
		lo, hi = hi, lo
	}
	length, ok1 := lo.Sub(hi)
	above, ok2 := i.Sub(lo)
	below, ok3 := hi.Sub(i)
	if !ok1 || !ok2 || !ok3 || !around.never(length) {
		return nil // there may be one iteration, or none
	}
	fold := func(f facts) (*folder, []ir.Stmt) {
		x := &folder{Copier: ir.NewCopier(), a: a}
		return x, x.body(loop.Body, f, constants{})
	}
	one := linalg.Const(1)
	above1, ok1 := above.Sub(one)
	below1, ok2 := below.Sub(one)
	if !ok1 || !ok2 {
		return nil
	}
	firstFold, first := fold(around.equal(above)) // where the steps are -1, the last
	lastFold, last := fold(around.equal(below))
	restFold, rest := fold(inside.with(above1, below1))
	butFirst, _ := fold(inside.with(above1))
	butLast, _ := fold(inside.with(below1))
	if !decides(firstFold, restFold, butLast) || !decides(lastFold, restFold, butFirst) {
		return nil // one of them is enough
	}
	if b.Step < 0 {
		first, firstFold, last, lastFold = last, lastFold, first, firstFold
	}
	main := a.part(loop, restFold, rest)
	main.Lo, main.Hi = minus(loop.Lo, -b.Step), minus(loop.Hi, b.Step)
	c := &Change{Kind: Peel, Old: loop, What: fmt.Sprintf("its first iteration, which decides %s, and its last, which decides %s", conditions(firstFold.folded), conditions(lastFold.folded))}
	c.New = append(c.New, set(loop, loop.Pos.Line, ir.Clone(loop.Lo)))
	c.New = append(c.New, first...)
	c.New = append(c.New, main, set(loop, loop.Pos.Line, ir.Clone(loop.Hi)))
	c.New = append(c.New, last...)
	if a.info.LiveAfter(loop, loop.Index) {
		c.New = append(c.New, set(loop, loop.End.Line, minus(index(loop), -b.Step)))
	}
	return c
}

func (a *Analysis) peelLast(loop *ir.Do, b scalar.LoopBounds) (*Change, error) {
	i := linalg.Var(loop.Index.Name)
	inside := a.inLoop(a.at(loop), loop)
	next, ok1 := i.Add(linalg.Const(b.Step))
	if !ok1 {
		return nil, refuse("its step is too large")
	}
	rest := inside.beyond(next, b.Hi, b.Step) // there is a next iteration
	one := inside
	// and in the last there is none: i + step has passed hi
	past, ok := next.Sub(b.Hi)
	if b.Step < 0 {
		past, ok = b.Hi.Sub(next)
	}
	if ok {
		past, ok = past.Sub(linalg.Const(1))
	}
	if !ok {
		return nil, refuse("its bounds are too large")
	}
	h, err := a.halves(loop, rest, one.with(past))
	if err != nil {
		return nil, err
	}
	if s := jumpTo(loop, loop.Body, true, false); s != nil {
		return nil, refuse("EXIT in line %d leaves it before the last iteration", s.Position().Line)
	}
	if s := jumpTo(loop, h.one, false, true); s != nil {
		return nil, refuse("CYCLE in line %d ends the peeled iteration", s.Position().Line)
	}
	main := a.part(loop, h.restFold, h.rest)
	main.Hi = minus(loop.Hi, b.Step)

	// Behind the main loop the index has the value of the last iteration, if there
	// is one; where the steps are 1 that is hi, which says more.
	var one1 []ir.Stmt
	if b.Step == 1 || b.Step == -1 {
		one1 = append(one1, set(loop, loop.Pos.Line, ir.Clone(loop.Hi)))
	}
	one1 = append(one1, h.one...)
	if a.info.LiveAfter(loop, loop.Index) {
		one1 = append(one1, set(loop, loop.End.Line, minus(index(loop), -b.Step)))
	}
	c := &Change{Kind: Peel, Old: loop, What: fmt.Sprintf("its last iteration, which decides %s", conditions(h.oneFold.folded))}
	c.New = append([]ir.Stmt{main}, a.ifRuns(loop, b, b.Step == 1 || b.Step == -1, one1)...)
	return c, nil
}

func (a *Analysis) peelFirst(loop *ir.Do, b scalar.LoopBounds) (*Change, error) {
	i := linalg.Var(loop.Index.Name)
	inside := a.inLoop(a.at(loop), loop)
	diff, ok := i.Sub(b.Lo)
	if !ok {
		return nil, refuse("its bounds are too large")
	}
	// i is lo, or beyond it by a step at least.
	later := facts{}.beyond(b.Lo, i, b.Step).ineqs
	if len(later) == 0 {
		return nil, refuse("its bounds are too large")
	}
	away, ok := later[0].Sub(linalg.Const(max(b.Step, -b.Step)))
	if !ok {
		return nil, refuse("its step is too large")
	}
	h, err := a.halves(loop, inside.with(away), inside.equal(diff))
	if err != nil {
		return nil, err
	}
	if s := jumpTo(loop, h.one, true, true); s != nil {
		return nil, refuse("the peeled iteration needs the jump in line %d", s.Position().Line)
	}
	main := a.part(loop, h.restFold, h.rest)
	main.Lo = minus(loop.Lo, -b.Step)
	body := append(h.one, ir.Stmt(main))
	c := &Change{Kind: Peel, Old: loop, What: fmt.Sprintf("its first iteration, which decides %s", conditions(h.oneFold.folded))}
	c.New = append([]ir.Stmt{set(loop, loop.Pos.Line, ir.Clone(loop.Lo))}, a.ifRuns(loop, b, true, body)...)
	return c, nil
}

// part is a loop like loop with another body, which f has made.
func (a *Analysis) part(loop *ir.Do, f *folder, body []ir.Stmt) *ir.Do {
	n := f.Do(loop, func([]ir.Stmt) []ir.Stmt { return nil })
	// The body was made before its loop: its jumps still name the original.
	n.Body = (&ir.Copier{Loops: map[ir.Stmt]ir.Stmt{loop: n}}).Block(body)
	return n
}

// ifRuns puts body under the condition that loop runs at least once: lo, or the
// index where the main loop has left it, has not passed hi.
func (a *Analysis) ifRuns(loop *ir.Do, b scalar.LoopBounds, fromLo bool, body []ir.Stmt) []ir.Stmt {
	if !a.at(loop).run(b) {
		from := ir.Clone(loop.Lo)
		if !fromLo {
			from = index(loop)
		}
		op := ir.Le
		if b.Step < 0 {
			op = ir.Ge
		}
		cond := &ir.Bin{X: ir.X{Pos: loop.Pos, Typ: ir.Logical}, Op: op, L: from, R: ir.Clone(loop.Hi)}
		return []ir.Stmt{&ir.If{S: loop.S, Cond: cond, Then: body}}
	}
	return body
}

// run reports whether f excludes that a loop of these bounds has no
// iteration.
func (f facts) run(b scalar.LoopBounds) bool {
	past, ok := b.Lo.Sub(b.Hi)
	if b.Step < 0 {
		past, ok = b.Hi.Sub(b.Lo)
	}
	if ok {
		past, ok = past.Sub(linalg.Const(1))
	}
	return ok && f.never(past)
}

func index(loop *ir.Do) *ir.Var {
	return &ir.Var{X: ir.X{Pos: loop.Pos, Typ: loop.Index.Type}, Sym: loop.Index}
}

// set assigns the index of loop.
func set(loop *ir.Do, line int, value ir.Expr) *ir.Assign {
	pos := loop.Pos
	pos.Line = line
	return &ir.Assign{S: ir.S{Pos: pos, Site: loop.Site}, LHS: index(loop), RHS: value}
}

// minus is e - k, computed where e is a constant.
func minus(e ir.Expr, k int64) ir.Expr {
	x := ir.X{Pos: e.Position(), Typ: e.Type()}
	if c, ok := e.(*ir.Const); ok {
		return &ir.Const{X: x, Int: x.Typ.Wrap(c.Int - int(k))}
	}
	op := ir.Sub
	if k < 0 {
		op, k = ir.Add, -k
	}
	return &ir.Bin{X: x, Op: op, L: ir.Clone(e), R: &ir.Const{X: x, Int: int(k)}}
}

// jumpTo finds an EXIT or CYCLE of loop in body.
func jumpTo(loop ir.Stmt, body []ir.Stmt, exit, cycle bool) ir.Stmt {
	var found ir.Stmt
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Exit:
			if exit && s.Loop == loop {
				found = s
			}
		case *ir.Cycle:
			if cycle && s.Loop == loop {
				found = s
			}
		}
		return found == nil
	})
	return found
}

// conditions names conditions, with their lines.
func conditions(list []ir.Expr) string {
	text := ""
	seen := map[ir.Expr]bool{}
	for _, e := range list {
		if seen[e] {
			continue
		}
		seen[e] = true
		if text != "" {
			text += " and "
		}
		text += fmt.Sprintf("%s in line %d", ir.ExprString(e), e.Position().Line)
	}
	return text
}
