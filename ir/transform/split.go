package transform

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Split divides a loop at the one iteration that assigns what all of them read. In
//
//	do j = 1, n
//	   do i = 1, n
//	      d(i,j) = min(d(i,j), d(i,k) + d(k,j))
//	   end do
//	end do
//
// with 1 <= k <= n, column k changes in iteration j = k, and in no other: those before
// it may be executed at the same time, and so may those behind it. The loop becomes
//
//	do j = 1, k-1
//	   ...
//	end do
//	j = k
//	...
//	do j = k+1, n
//	   ...
//	end do
//
// Conditions that this decides are folded. The iteration has to be known to be one of the
// loop.
func (a *Analysis) Split(loop *ir.Do) (*Change, error) {
	b := a.info.Bounds(loop)
	switch {
	case b.Step != 1 && b.Step != -1:
		return nil, refuse("its step is not 1 or -1")
	case !b.LoOK || !b.HiOK:
		return nil, refuse("its bounds are not affine")
	case loop.Independent != nil:
		return nil, refuse("it is INDEPENDENT")
	case 3*Size(loop.Body) > maxPeel:
		return nil, refuse("its body has more than %d statements", maxPeel/3)
	}
	if err := cheapBounds(loop); err != nil {
		return nil, err
	}
	if s := jumpTo(loop, loop.Body, true, true); s != nil {
		return nil, refuse("the jump in line %d names it", s.Position().Line)
	}
	list := pivots(a.info, loop)
	if len(list) == 0 {
		return nil, refuse("no iteration assigns what others read")
	}
	for _, at := range list {
		if c := a.splitAt(loop, b.Lo, b.Hi, b.Step, at); c != nil {
			return c, nil
		}
	}
	return nil, refuse("that it has an iteration %s = %v is not known", loop.Index.Name, list[0])
}

// pivots are the iterations of loop that assign elements which all iterations read, in
// terms of what the loop does not change.
func pivots(info *scalar.Info, loop *ir.Do) []linalg.Affine {
	index := loop.Index.Name
	changed := map[string]bool{}
	for sym := range info.Modified(loop) {
		changed[sym.Name] = true
	}
	fixed := func(f linalg.Affine) bool {
		return !slices.ContainsFunc(f.Vars(), func(v string) bool { return changed[v] })
	}
	var list []linalg.Affine
	for _, x := range crossings(loop) {
		w, okW := info.Affine(x.write)
		r, okR := info.Affine(x.read)
		k := w.Coef(index)
		if !okW || !okR || k != 1 && k != -1 {
			continue
		}
		rest, ok1 := w.Subst(index, linalg.Const(0))
		at, ok2 := r.AddScaled(rest, -1)
		if ok2 {
			at, ok2 = at.Scale(k)
		}
		if ok1 && ok2 && fixed(at) && !slices.ContainsFunc(list, at.Equal) {
			list = append(list, at)
		}
	}
	return list
}

// crossing is a subscript of an element that is assigned, which the index of a loop
// moves, and one of an element of the same array in the same place, which it does not.
// The dimension is one that the PEs divide.
type crossing struct{ write, read ir.Expr }

// Crossed reports whether Split may find an iteration of loop to divide it at.
func Crossed(info *scalar.Info, loop *ir.Do) bool { return len(pivots(info, loop)) > 0 }

func crossings(loop *ir.Do) []crossing {
	writes := map[*ir.Symbol][]*ir.Ref{}
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if as, ok := s.(*ir.Assign); ok {
			if r, ok := as.LHS.(*ir.Ref); ok && r.Sym.Distributed() && slices.ContainsFunc(r.Subs, func(e ir.Expr) bool { return ir.Mentions(e, loop.Index) }) {
				writes[r.Sym] = append(writes[r.Sym], r)
			}
		}
		return true
	})
	if len(writes) == 0 {
		return nil
	}
	var list []crossing
	ir.WalkExprs(loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		r, ok := e.(*ir.Ref)
		if !ok {
			return true
		}
		for _, w := range writes[r.Sym] {
			for d, sub := range r.Subs {
				if r.Sym.Mapping.Map.Axes[d].Grid >= 0 && ir.Mentions(w.Subs[d], loop.Index) && !ir.Mentions(sub, loop.Index) {
					list = append(list, crossing{w.Subs[d], sub})
				}
			}
		}
		return true
	})
	return list
}

// splitAt divides loop at an iteration; nil if it may have none there.
func (a *Analysis) splitAt(loop *ir.Do, lo, hi linalg.Affine, step int64, at linalg.Affine) *Change {
	// Forms that are at least zero before the iteration, and behind it.
	fits := !slices.ContainsFunc(at.Vars(), func(v string) bool { return a.symbols[v] == nil || a.symbols[v].Type != loop.Index.Type })
	before := func(i, j linalg.Affine) linalg.Affine { // i comes before j
		if step < 0 {
			i, j = j, i
		}
		d, ok1 := j.Sub(i)
		d, ok2 := d.Sub(linalg.Const(1))
		fits = fits && ok1 && ok2
		return d
	}
	i := linalg.Var(loop.Index.Name)
	early, late, head, tail := before(at, lo), before(hi, at), before(i, at), before(at, i)
	here, ok := i.Sub(at)
	around := a.at(loop)
	if !fits || !ok || !around.never(early) || !around.never(late) {
		return nil
	}
	inside := a.inLoop(around, loop)
	fold := func(known facts) (*folder, []ir.Stmt) {
		f := &folder{Copier: ir.NewCopier(), a: a}
		return f, f.body(loop.Body, known, constants{})
	}
	part := func(known facts) *ir.Do {
		f, body := fold(known)
		return a.part(loop, f, body)
	}
	value := a.expr(at, loop)
	c := &Change{Kind: Split, Old: loop, What: fmt.Sprintf("at iteration %s = %v, which assigns what the others read", loop.Index.Name, at)}
	if !inside.never(head) {
		first := part(inside.with(head))
		first.Hi = minus(value, step)
		c.New = append(c.New, first)
	}
	_, one := fold(inside.equal(here))
	c.New = append(append(c.New, set(loop, loop.Pos.Line, ir.Clone(value))), one...)
	if !inside.never(tail) {
		last := part(inside.with(tail))
		last.Lo = minus(value, -step)
		c.New = append(c.New, last)
	} else if a.info.LiveAfter(loop, loop.Index) {
		c.New = append(c.New, set(loop, loop.End.Line, minus(value, -step)))
	}
	return c
}

// expr is an affine form as an expression of the index's type.
func (a *Analysis) expr(f linalg.Affine, loop *ir.Do) ir.Expr {
	x := ir.X{Pos: loop.Pos, Typ: loop.Index.Type}
	var sum ir.Expr
	add := func(op ir.Op, e ir.Expr) {
		switch {
		case sum != nil:
			sum = &ir.Bin{X: x, Op: op, L: sum, R: e}
		case op == ir.Sub:
			sum = &ir.Bin{X: x, Op: op, L: &ir.Const{X: x}, R: e}
		default:
			sum = e
		}
	}
	// What is added comes first, so that "n - i" is no "0 - i + n".
	vars := slices.Sorted(maps.Keys(f.T))
	slices.SortStableFunc(vars, func(v, w string) int {
		switch {
		case f.T[v] > 0 && f.T[w] < 0:
			return -1
		case f.T[v] < 0 && f.T[w] > 0:
			return 1
		}
		return 0
	})
	for _, name := range vars {
		k := f.T[name]
		sym := a.symbols[name]
		var e ir.Expr = &ir.Var{X: ir.X{Pos: loop.Pos, Typ: sym.Type}, Sym: sym}
		op := ir.Add
		if k < 0 {
			op, k = ir.Sub, -k
		}
		if k != 1 {
			e = &ir.Bin{X: x, Op: ir.Mul, L: &ir.Const{X: x, Int: int(k)}, R: e}
		}
		add(op, e)
	}
	if sum == nil {
		return &ir.Const{X: x, Int: int(f.C)}
	}
	if f.C == 0 {
		return sum
	}
	return minus(sum, -f.C)
}
