package transform

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Stride makes the step of a loop of what picks every c-th of its iterations. In
//
//	do i = 2, n - 1                            do i = 2 + modulo(j + colour, 2), n - 1, 2
//	   if (mod(i + j, 2) == colour) then          u(i,j) = ...
//	      u(i,j) = ...                         end do
//	   end if
//	end do
//
// the IF is all there is in the loop on the left, and colour is 0 or 1. Both execute the
// same iterations in the same order.
func (a *Analysis) Stride(loop *ir.Do) (*Change, error) {
	guard := onlyIf(loop)
	if guard == nil {
		return nil, refuse("its body is not one IF without ELSE")
	}
	b := a.info.Bounds(loop)
	switch {
	case b.Step != 1:
		return nil, refuse("its step is not 1")
	case !b.LoOK:
		return nil, refuse("where it starts is not an affine form")
	case a.info.LiveAfter(loop, loop.Index):
		return nil, refuse("%s is used behind it", loop.Index.Name)
	}
	if err := cheapBounds(loop); err != nil {
		return nil, err
	}
	why := refuse("no condition compares a remainder")
	for _, c := range conjuncts(guard.Cond) {
		r, ok := a.residueOf(c)
		if !ok {
			continue
		}
		from, err := a.firstOf(loop, b.Lo, r)
		if err != nil {
			why = err
			continue
		}
		return a.strided(loop, guard, c, from, r.by), nil
	}
	return nil, why
}

// Picks reports whether Stride may have a use for loop: an IF is all there is in it.
func Picks(loop *ir.Do) bool {
	guard := onlyIf(loop)
	return guard != nil && slices.ContainsFunc(conjuncts(guard.Cond), func(c ir.Expr) bool {
		found := false
		ir.WalkExpr(c, func(e ir.Expr) bool {
			call, ok := e.(*ir.Call)
			found = found || ok && (call.Name == "mod" || call.Name == "modulo" || call.Name == "iand")
			return !found
		})
		return found
	})
}

func onlyIf(loop *ir.Do) *ir.If {
	if len(loop.Body) != 1 {
		return nil
	}
	s, ok := loop.Body[0].(*ir.If)
	if !ok || len(s.Else) > 0 {
		return nil
	}
	return s
}

// conjuncts are the conditions that hold together where e does.
func conjuncts(e ir.Expr) []ir.Expr {
	switch x := e.(type) {
	case *ir.Un:
		if x.Op == ir.Group {
			return conjuncts(x.E)
		}
	case *ir.Bin:
		if x.Op == ir.And {
			return append(conjuncts(x.L), conjuncts(x.R)...)
		}
	}
	return []ir.Expr{e}
}

// residue is a condition: the remainder of a form by a constant, rounded down, is another form.
type residue struct {
	of, is linalg.Affine
	by     int64
	cut    bool // the remainder has the sign of the form
}

// mostStride bounds the step that a loop gets: behind it few iterations are left.
const mostStride = 64

// residueOf recognises mod(of, by) == is and its like; with /= where by is 2 and is a constant.
func (a *Analysis) residueOf(e ir.Expr) (r residue, ok bool) {
	c, ok := e.(*ir.Bin)
	if !ok || c.Op != ir.Eq && c.Op != ir.Ne {
		return r, false
	}
	for _, sides := range [][2]ir.Expr{{c.L, c.R}, {c.R, c.L}} {
		call, isCall := sides[0].(*ir.Call)
		if !isCall || len(call.Args) != 2 || !call.Typ.IsInteger() {
			continue
		}
		by, isConst := call.Args[1].(*ir.Const)
		switch {
		case !isConst || by.Int < 2 || by.Int > mostStride:
			if call.Name != "iand" || !isConst || by.Int != 1 {
				continue
			}
			r.by = 2
		case call.Name == "mod", call.Name == "modulo":
			r.by, r.cut = int64(by.Int), call.Name == "mod"
		default:
			continue
		}
		var ok1, ok2 bool
		r.of, ok1 = a.info.Affine(call.Args[0])
		r.is, ok2 = a.info.Affine(sides[1])
		if !ok1 || !ok2 {
			continue
		}
		if r.is.IsConst() && r.is.C == 0 {
			r.cut = false // no remainder is none of either sign
		}
		if c.Op == ir.Eq {
			return r, true
		}
		if r.by == 2 && r.is.IsConst() && r.is.C == 0 {
			r.is = linalg.Const(1)
			return r, true
		}
	}
	return r, false
}

// firstOf is how far behind lo the first iteration of loop is in which r holds, as an
// expression; the next one is r.by behind it.
func (a *Analysis) firstOf(loop *ir.Do, lo linalg.Affine, r residue) (ir.Expr, error) {
	k := r.of.Coef(loop.Index.Name)
	if k != 1 && k != -1 {
		return nil, refuse("the remainder does not move by 1 with %s", loop.Index.Name)
	}
	if r.is.Uses(loop.Index.Name) {
		return nil, refuse("what the remainder is compared with moves with %s", loop.Index.Name)
	}
	modified := a.info.Modified(loop)
	for _, v := range append(append(r.of.Vars(), r.is.Vars()...), lo.Vars()...) {
		sym := a.symbols[v]
		if sym == nil || sym.Type != loop.Index.Type {
			return nil, refuse("%s is of another type than %s", v, loop.Index.Name)
		}
		if sym != loop.Index && modified[sym] {
			return nil, refuse("the loop changes %s, which its condition depends on", v)
		}
	}
	below, ok1 := linalg.Const(-1).Sub(r.is)
	above, ok2 := r.is.Sub(linalg.Const(r.by))
	if !ok1 || !ok2 || !a.excluded(loop, r.is, below) || !a.excluded(loop, r.is, above) {
		return nil, refuse("that it is compared with one of 0 to %d is not known", r.by-1)
	}
	negative, ok := linalg.Const(-1).Sub(r.of)
	if r.cut && (!ok || !a.inLoop(a.at(loop), loop).never(negative)) {
		return nil, refuse("%s may be negative", ir.ExprString(a.expr(r.of, loop)))
	}
	// is - (of - k*i) is k*i, up to multiples of by.
	first, ok := r.is.Sub(r.of)
	if ok {
		first, ok = first.AddScaled(linalg.Var(loop.Index.Name), k)
	}
	if ok && k < 0 {
		first, ok = linalg.Const(0).Sub(first)
	}
	if ok {
		first, ok = first.Sub(lo)
	}
	if !ok {
		return nil, refuse("its forms are too large")
	}
	for v, c := range first.T { // factors from 0 to by-1 are residues too
		first, _ = first.AddScaled(linalg.Var(v), modulo(c, r.by)-c)
	}
	first.C = modulo(first.C, r.by)
	if first.IsConst() {
		return a.expr(first, loop), nil
	}
	x := ir.X{Pos: loop.Pos, Typ: loop.Index.Type}
	return &ir.Call{X: x, Name: "modulo", Args: []ir.Expr{a.expr(first, loop), &ir.Const{X: x, Int: int(r.by)}}}, nil
}

func modulo(x, by int64) int64 { return x - by*linalg.FloorDiv(x, by) }

// excluded reports whether form f, of value, is below zero in front of loop.
func (a *Analysis) excluded(loop *ir.Do, value, f linalg.Affine) bool {
	known := a.at(loop)
	if known.never(f) {
		return true
	}
	cases := a.info.Cases(loop, value.Vars())
	for _, c := range cases {
		one := known
		for _, zero := range c {
			one = one.equal(zero)
		}
		if !one.never(f) {
			return false
		}
	}
	return len(cases) > 0
}

// strided writes the loop without the condition.
func (a *Analysis) strided(loop *ir.Do, guard *ir.If, without, from ir.Expr, by int64) *Change {
	cp := ir.NewCopier()
	n := cp.Do(loop, func([]ir.Stmt) []ir.Stmt {
		var left ir.Expr
		for _, c := range conjuncts(guard.Cond) {
			switch {
			case c == without:
			case left == nil:
				left = ir.Clone(c)
			default:
				left = &ir.Bin{X: ir.X{Pos: guard.Cond.Position(), Typ: ir.Logical}, Op: ir.And, L: left, R: ir.Clone(c)}
			}
		}
		if left == nil {
			return cp.Block(guard.Then)
		}
		return []ir.Stmt{&ir.If{S: guard.S, Cond: left, Then: cp.Block(guard.Then)}}
	})
	x := ir.X{Pos: loop.Pos, Typ: loop.Index.Type}
	if c, ok := from.(*ir.Const); !ok || c.Int != 0 {
		n.Lo = &ir.Bin{X: x, Op: ir.Add, L: n.Lo, R: from}
	}
	if lo, ok := n.Lo.(*ir.Bin); ok {
		if l, ok := lo.L.(*ir.Const); ok {
			if r, ok := lo.R.(*ir.Const); ok {
				n.Lo = &ir.Const{X: x, Int: x.Typ.Wrap(l.Int + r.Int)}
			}
		}
	}
	n.Step = &ir.Const{X: x, Int: int(by)}
	return &Change{Kind: Guard, Old: loop, New: []ir.Stmt{n}, What: fmt.Sprintf("what it picks is every iteration of a loop of step %d", by)}
}
