package transform

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Hoist gives a scalar the elements of INTEGER arrays, and the products of variables, that
// subscripts in a loop have in them and no iteration changes. In
//
//	do c = w(i), m                      pick = w(i)
//	   b(c) = p(c-w(i))                 do c = pick, m
//	end do                                 b(c) = p(c-pick)
//	                                    end do
//
// the subscripts are affine forms on the right: where the elements of p are is known without
// lists of them. So are those of b(i + k*m) where the loop over i has the product in front of it.
func (a *Analysis) Hoist(loop *ir.Do) (*Change, error) {
	values := a.steady(loop)
	if len(values) == 0 {
		return nil, refuse("no element that its subscripts need is known to be there and to stay the same, and no product of variables stays the same")
	}
	c := &Change{Kind: Hoist, Old: loop}
	picks := map[string]*ir.Symbol{} // by element or product
	var names []string
	var products []ir.Stmt
	for _, e := range values {
		text := ir.ExprString(e)
		if picks[text] != nil {
			continue
		}
		name, pos := loop.Index.Name+".product", e.Position()
		if r, ok := e.(*ir.Ref); ok {
			name, pos = r.Sym.Name+".pick", r.Sym.Pos
		}
		s := &ir.Symbol{Name: a.freshName(name), Pos: pos, Type: e.Type(), Site: loop.Site}
		a.symbols[s.Name], picks[text] = s, s
		c.Symbols = append(c.Symbols, s)
		at := ir.X{Pos: loop.Pos, Typ: e.Type()}
		set := &ir.Assign{S: ir.S{Pos: loop.Pos, Site: loop.Site}, LHS: &ir.Var{X: at, Sym: s}, RHS: ir.Clone(e)}
		if _, ok := e.(*ir.Ref); ok {
			c.New = append(c.New, set)
		} else {
			products = append(products, set)
		}
		names = append(names, text)
	}
	if len(products) > 0 { // where the loop has no iteration, their variables may have no values
		guarded := a.ifRuns(loop, a.info.Bounds(loop), true, products)
		if _, is := guarded[0].(*ir.If); is {
			// Loops around have values of their own of the scalar, whether the loop runs or not.
			for _, s := range products {
				zero := ir.Copy([]ir.Stmt{s})[0].(*ir.Assign)
				zero.RHS = &ir.Const{X: ir.X{Pos: loop.Pos, Typ: s.(*ir.Assign).RHS.Type()}}
				c.New = append(c.New, zero)
			}
		}
		c.New = append(c.New, guarded...)
	}
	cp := ir.NewCopier()
	cp.Expr = func(e ir.Expr) ir.Expr {
		return ir.Rewrite(e, func(e ir.Expr) ir.Expr {
			switch e.(type) {
			case *ir.Ref, *ir.Bin:
				if s := picks[ir.ExprString(e)]; s != nil && s.Type == e.Type() {
					return &ir.Var{X: ir.X{Pos: e.Position(), Typ: s.Type, Varying: e.IsVarying()}, Sym: s}
				}
			}
			return nil
		})
	}
	c.New = append(c.New, cp.Do(loop, cp.Block))
	c.What = fmt.Sprintf("%s evaluated in front of it", strings.Join(names, ", "))
	return c, nil
}

// Hoists reports whether Hoist finds something to evaluate in front of loop.
func (a *Analysis) Hoists(loop *ir.Do) bool { return len(a.steady(loop)) > 0 }

// steady lists what no iteration of loop changes of its subscripts: in those of distributed arrays
// elements that are evaluated whenever the loop is executed, and in those of all arrays products
// of variables that each of its iterations evaluates.
func (a *Analysis) steady(loop *ir.Do) (list []ir.Expr) {
	changed := a.info.Modified(loop)
	fixed := func(e ir.Expr) bool {
		ok := true
		ir.WalkExpr(e, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Var:
				ok = ok && !changed[e.Sym] && e.Sym != loop.Index
			case *ir.Ref:
				ok = ok && !changed[e.Sym] && !e.Sym.Distributed() && !e.Sym.Coarray
			case *ir.CoRef, *ir.Call:
				ok = false
			}
			return ok
		})
		return ok
	}
	var inBounds []string
	for _, e := range []ir.Expr{loop.Lo, loop.Hi, loop.Step} {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if r, ok := e.(*ir.Ref); ok {
				inBounds = append(inBounds, ir.ExprString(r))
			}
			return true
		})
	}
	for _, o := range a.occurrences(loop) {
		always := !o.conditional && len(o.conds) == 0
		inner := o.loops[slices.Index(o.loops, ir.Stmt(loop))+1:]
		each := sync.OnceValue(func() bool { return always && a.info.Bounds(loop).Step != 0 && a.run(inner) })
		for _, sub := range o.ref.Subs {
			if _, ok := a.info.Affine(sub); ok {
				continue
			}
			ir.WalkExpr(sub, func(e ir.Expr) bool {
				if a.product(e) && fixed(e) && each() {
					list = append(list, e)
					return false
				}
				_, element := e.(*ir.Ref)
				return !element
			})
		}
		if !o.ref.Sym.Distributed() {
			continue
		}
		sure := sync.OnceValue(func() bool { return always && a.run(o.loops[len(a.around[loop]):]) })
		for _, sub := range o.ref.Subs {
			ir.WalkExpr(sub, func(e ir.Expr) bool {
				r, ok := e.(*ir.Ref)
				if !ok || !r.Typ.IsInteger() || !fixed(r) {
					return true
				}
				if slices.Contains(inBounds, ir.ExprString(r)) || sure() && a.exists(r, loop) {
					list = append(list, r)
				}
				return false
			})
		}
	}
	return list
}

// product reports whether e is a product of INTEGER variables that is no affine form of them.
func (a *Analysis) product(e ir.Expr) bool {
	if b, ok := e.(*ir.Bin); !ok || b.Op != ir.Mul || !b.Typ.IsInteger() {
		return false
	}
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var, *ir.Const, *ir.Conv, *ir.Un:
		case *ir.Bin:
			ok = ok && (e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul)
		default:
			ok = false
		}
		return ok && e.Type().IsInteger()
	})
	if _, affine := a.info.Affine(e); affine {
		return false
	}
	return ok
}

// run reports whether each of the loops, one in another, is known to have an iteration
// whenever it is reached.
func (a *Analysis) run(loops []ir.Stmt) bool {
	for _, l := range loops {
		d, ok := l.(*ir.Do)
		if !ok {
			return false
		}
		b := a.info.Bounds(d)
		if !b.Affine() {
			return false
		}
		first, last := b.Lo, b.Hi
		if b.Step < 0 {
			first, last = last, first
		}
		none, ok := first.Sub(last) // more than 0 where there is none
		if none.C--; !ok || !a.at(d).never(none) {
			return false
		}
	}
	return true
}

// exists reports whether the subscripts of r are known to be within the bounds of its array
// in front of loop.
func (a *Analysis) exists(r *ir.Ref, loop *ir.Do) bool {
	if r.Sym.IsOpen() {
		return false
	}
	known := a.at(loop)
	for d, e := range r.Subs {
		at, ok := a.info.Affine(e)
		b := r.Sym.Dims[d]
		below, ok1 := linalg.Const(int64(b.Lo) - 1).Sub(at)
		above, ok2 := at.Sub(linalg.Const(int64(b.Hi) + 1))
		if !ok || !ok1 || !ok2 || !known.never(below) || !known.never(above) {
			return false
		}
	}
	return true
}
