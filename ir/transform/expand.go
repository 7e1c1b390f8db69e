package transform

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// expansion is a reduction in a loop inside of a loop that is distributed. With an array
// element for each iteration its value can be used in another loop: in
//
//	do j = 1, n
//	   g = e(j)
//	   do k = 1, n
//	      g = g + a(k,j)
//	   end do
//	   e(j) = g
//	end do
//
// it is the sum over k, and the loops are
//
//	do j = 1, n                      do j = 1, n
//	   parts(j) = -0.0                  g = e(j)
//	   do k = 1, n                      g = g + parts(j)
//	      parts(j) = parts(j) + a(k,j)  e(j) = g
//	   end do                        end do
//	end do
//
// Where the loop over k is divided among the PEs, this is one reduction of a vector in
// place of one for each j.
type expansion struct {
	loop  *ir.Do     // inside
	sym   *ir.Symbol // accumulates in it
	array *ir.Symbol
	index *ir.Symbol // of the loop around
	zero  *ir.Const
	total *ir.Assign // sym = sym + array(index), in place of the loop
}

// Expand distributes loop after it has given array elements to the reductions in the loops
// inside, as far as their values are used in other loops then. The first term of such a
// sum, the value that the variable has before, is added at the end: floating-point sums
// change their order. Where they must not, as InOrder says, that value must be 0.
func (a *Analysis) Expand(loop *ir.Do) (*Change, error) {
	if err := a.distributable(loop); err != nil {
		return nil, err
	}
	b, ok := a.extent(loop)
	if !ok {
		return nil, refuse("no array shows between which bounds its index is")
	}
	d := a.distribution(loop, a.expansions(loop, b))
	groups, err := d.groups()
	if err != nil {
		return nil, err
	}
	c := d.change(Expand, groups)
	if len(c.Symbols) == 0 {
		return nil, refuse("no sum of a loop inside can be used in a loop of its own")
	}
	return c, nil
}

// expansions are the reductions of the loops in the body of loop that may be expanded. b
// are the bounds of its index.
func (a *Analysis) expansions(loop *ir.Do, b ir.Bound) []*expansion {
	var list []*expansion
	for _, s := range loop.Body {
		inner, ok := s.(*ir.Do)
		if !ok {
			continue
		}
		for _, r := range a.info.Reductions(inner) {
			zero, op, ok := identity(r)
			if !ok || a.info.Class(loop, r.Sym) != scalar.Private || a.info.Modified(inner)[loop.Index] {
				continue
			}
			if a.InOrder && r.Sym.Type.Part().IsReal() && !a.startsIdle(loop.Body, inner, r.Sym, op) {
				continue
			}
			x := &expansion{loop: inner, sym: r.Sym, index: loop.Index, zero: zero}
			x.array = &ir.Symbol{Name: a.name(r.Sym), Local: r.Sym.Source() + " for all " + loop.Index.Source(), Pos: r.Sym.Pos, Type: r.Sym.Type, Dims: []ir.Bound{b}, Temp: true, Site: r.Sym.Site}
			at := ir.X{Pos: inner.Pos, Typ: r.Sym.Type}
			x.total = &ir.Assign{
				S:   ir.S{Pos: inner.Pos, Site: inner.Site},
				LHS: &ir.Var{X: at, Sym: r.Sym},
				RHS: &ir.Bin{X: at, Op: op, L: &ir.Var{X: at, Sym: r.Sym}, R: x.element(at)},
			}
			a.symbols[x.array.Name] = x.array
			list = append(list, x)
		}
	}
	return list
}

// startsIdle reports whether sym, which inner accumulates by op, is 0 before it, or 1 of a
// product. It makes no difference whether that comes first or last: if all terms of a sum
// are -0.0 it is 0.0 both times.
func (a *Analysis) startsIdle(body []ir.Stmt, inner *ir.Do, sym *ir.Symbol, op ir.Op) bool {
	want, idle := 0.0, false
	if op == ir.Mul {
		want = 1
	}
	for _, s := range body {
		if s == ir.Stmt(inner) {
			return idle
		}
		if as, ok := s.(*ir.Assign); ok && ir.Target(as.LHS) == sym {
			c, constant := as.RHS.(*ir.Const)
			idle = constant && c.Float == want && c.Imag == 0
			continue
		}
		ir.WalkExprs([]ir.Stmt{s}, func(_ ir.Stmt, e ir.Expr) bool {
			v, ok := e.(*ir.Var)
			idle = idle && !(ok && v.Sym == sym)
			return true
		})
	}
	return false
}

// name is a name for the array of the partial values of sym that no symbol has.
func (a *Analysis) name(sym *ir.Symbol) string {
	for i := 1; ; i++ {
		if name := fmt.Sprintf("%s.parts%d", sym.Name, i); a.symbols[name] == nil {
			return name
		}
	}
}

func (x *expansion) element(at ir.X) *ir.Ref {
	return &ir.Ref{X: at, Sym: x.array, Subs: []ir.Expr{&ir.Var{X: ir.X{Pos: at.Pos, Typ: x.index.Type}, Sym: x.index}}}
}

// identity is the value from which partial values of r start, and the operator that
// combines two, if they are values of an operator with such a value.
func identity(r scalar.Reduction) (*ir.Const, ir.Op, bool) {
	c := &ir.Const{X: ir.X{Pos: r.Stmts[0].Position(), Typ: r.Sym.Type}}
	switch r.Op {
	case scalar.Add:
		if r.Sym.Type.Part().IsReal() {
			c.Float = math.Copysign(0, -1)
		}
		if r.Sym.Type.IsComplex() {
			c.Imag = c.Float
		}
		return c, ir.Add, true
	case scalar.Mul:
		if c.Int = 1; r.Sym.Type.Part().IsReal() {
			c.Int, c.Float = 0, 1
		}
		return c, ir.Mul, true
	case scalar.And:
		c.Bool = true
		return c, ir.And, true
	case scalar.Or:
		return c, ir.Or, true
	}
	return nil, 0, false
}

// copies is the copy of p, part number i, for a loop with the parts in.
func (p part) copies(cp *ir.Copier, in map[int]bool, i int) []ir.Stmt {
	if p.totals != nil {
		return nil
	}
	var first []ir.Stmt
	out := cp.Stmt(p.stmt)
	for n, x := range p.sums {
		if in[i+1+n] {
			continue // the value is used in the same loop
		}
		at := ir.X{Pos: x.zero.Pos, Typ: x.sym.Type}
		first = append(first, &ir.Assign{S: ir.S{Pos: p.stmt.Position(), Site: p.stmt.CallSite()}, LHS: x.element(at), RHS: ir.Clone(x.zero)})
		ir.Walk([]ir.Stmt{out}, func(s ir.Stmt) bool {
			if as, ok := s.(*ir.Assign); ok && ir.Target(as.LHS) == x.sym {
				as.LHS = x.element(at)
				as.RHS = ir.Rewrite(as.RHS, func(e ir.Expr) ir.Expr {
					if v, ok := e.(*ir.Var); ok && v.Sym == x.sym {
						return x.element(at)
					}
					return nil
				})
			}
			return true
		})
	}
	return append(first, out)
}

// extent is between which bounds the index of loop surely is in each iteration, by an
// array element that each iteration accesses.
func (a *Analysis) extent(loop *ir.Do) (b ir.Bound, found bool) {
	for _, r := range a.surelyAccessed(loop.Body) {
		for d, sub := range r.Subs {
			f, ok := a.info.Affine(sub)
			rest, known := f.Sub(linalg.Var(loop.Index.Name))
			if !ok || !known || !rest.IsConst() || r.Sym.Dims[d].Open() {
				continue
			}
			lo, hi := r.Sym.Dims[d].Lo-int(rest.C), r.Sym.Dims[d].Hi-int(rest.C)
			if !found {
				b, found = ir.Bound{Lo: lo, Hi: hi}, true
			} else {
				b = ir.Bound{Lo: max(b.Lo, lo), Hi: min(b.Hi, hi)}
			}
		}
	}
	return b, found
}

// surelyAccessed lists the array elements that each execution of body accesses.
func (a *Analysis) surelyAccessed(body []ir.Stmt) (list []*ir.Ref) {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Assign:
			list = append(append(list, surelyRead(s.RHS)...), surelyRead(s.LHS)...)
		case *ir.If:
			list = append(list, surelyRead(s.Cond)...)
		case *ir.Do:
			if a.runs(s) {
				list = append(list, a.surelyAccessed(s.Body)...)
			}
		}
		if ir.Jumps(s) {
			return list // what follows may be left out
		}
	}
	return list
}

// runs reports whether the first iteration of d is surely executed where d is.
func (a *Analysis) runs(d *ir.Do) bool {
	b := a.info.Bounds(d)
	return b.Affine() && a.at(d).run(b)
}

// surelyRead lists the array elements that are read whenever e is evaluated.
func surelyRead(e ir.Expr) []*ir.Ref {
	var list []*ir.Ref
	ir.WalkExpr(e, func(x ir.Expr) bool {
		if r, ok := x.(*ir.Ref); ok {
			list = append(list, r)
		}
		if b, ok := x.(*ir.Bin); ok && (b.Op == ir.And || b.Op == ir.Or) {
			list = append(list, surelyRead(b.L)...)
			return false
		}
		return true
	})
	return list
}
