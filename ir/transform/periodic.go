package transform

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Periodic computes a scalar that flips between two neighbouring values, one for even
// iterations of loop and one for odd ones, from the index. In
//
//	do l = 2, n                         first = s
//	   do j = s+1, n, 2                 do l = 2, n
//	      u(j,l) = ...                     s = 1 + mod(first - 1 + (l-2), 2)
//	   end do                              do j = s+1, n, 2
//	   s = 3 - s                              u(j,l) = ...
//	end do                                 end do
//	                                       s = 3 - s
//	                                    end do
//
// s keeps its value from one iteration to the next on the left; on the right it is
// private. That it is 1 or 2 in front of the loop has to be known.
func (a *Analysis) Periodic(loop *ir.Do) (*Change, error) {
	b := a.info.Bounds(loop)
	switch {
	case b.Step == 0:
		return nil, refuse("its step is not a constant")
	case !b.LoOK:
		return nil, refuse("where it starts is not an affine form")
	}
	if err := cheapBounds(loop); err != nil {
		return nil, err
	}
	if s := jumpTo(loop, loop.Body, false, true); s != nil {
		return nil, refuse("CYCLE in line %d may leave out what flips", s.Position().Line)
	}
	var found *ir.Symbol
	var least int
	why := refuse("no scalar flips in each iteration")
	for _, s := range loop.Body {
		sym, sum := flip(s)
		if sym == nil || sym.IsArray() || sym == loop.Index {
			continue
		}
		if n := assignments(loop, sym); n != 1 {
			why = refuse("%s is assigned in %d places", sym.Name, n)
			continue
		}
		if sum%2 == 0 {
			why = refuse("the two values of %s in line %d are not neighbours", sym.Name, s.Position().Line)
			continue
		}
		// Of two neighbours m and m+1 the sum is 2*m + 1.
		m := int(linalg.FloorDiv(int64(sum), 2))
		if !a.isOneOf(loop, sym, m, m+1) {
			why = refuse("that %s is %d or %d in front of the loop is not known", sym.Name, m, m+1)
			continue
		}
		found, least = sym, m
		break
	}
	if found == nil {
		return nil, why
	}
	return a.periodic(loop, found, least, b.Step), nil
}

// flip is the scalar that s gives the value of sum minus itself; nil if it does not.
func flip(s ir.Stmt) (sym *ir.Symbol, sum int) {
	as, ok := s.(*ir.Assign)
	if !ok {
		return nil, 0
	}
	v, ok1 := as.LHS.(*ir.Var)
	d, ok2 := as.RHS.(*ir.Bin)
	if !ok1 || !ok2 || d.Op != ir.Sub || !v.Typ.IsInteger() {
		return nil, 0
	}
	c, ok1 := d.L.(*ir.Const)
	x, ok2 := d.R.(*ir.Var)
	if !ok1 || !ok2 || x.Sym != v.Sym {
		return nil, 0
	}
	return v.Sym, c.Int
}

// Flips reports whether a statement of the body of loop is of the form that Periodic
// looks for.
func Flips(loop *ir.Do) bool {
	return slices.ContainsFunc(loop.Body, func(s ir.Stmt) bool {
		sym, _ := flip(s)
		return sym != nil && !sym.IsArray()
	})
}

// assignments is how many statements in loop assign sym.
func assignments(loop *ir.Do, sym *ir.Symbol) int {
	n := 0
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		for _, x := range ir.Assigned(s) {
			if x == sym {
				n++
			}
		}
		return true
	})
	return n
}

// isOneOf reports whether sym is known to be x or y in front of s.
func (a *Analysis) isOneOf(s ir.Stmt, sym *ir.Symbol, x, y int) bool {
	cases := a.info.Cases(s, []string{sym.Name})
	for _, c := range cases {
		ok := false
		for _, f := range c {
			value, known := linalg.Var(sym.Name).Sub(f)
			ok = ok || known && value.IsConst() && (value.C == int64(x) || value.C == int64(y))
		}
		if !ok {
			return false
		}
	}
	return len(cases) > 0
}

// periodic writes the loop in which sym is least or the value behind it.
func (a *Analysis) periodic(loop *ir.Do, sym *ir.Symbol, least int, step int64) *Change {
	first := &ir.Symbol{Name: a.freshName(sym.Name + ".first"), Pos: sym.Pos, Type: sym.Type, Site: sym.Site}
	a.symbols[first.Name] = first
	at := ir.X{Pos: loop.Pos, Typ: sym.Type}
	of := func(s *ir.Symbol) ir.Expr { return &ir.Var{X: at, Sym: s} }
	assign := func(l *ir.Symbol, e ir.Expr) ir.Stmt {
		return &ir.Assign{S: ir.S{Pos: loop.Pos, Site: loop.Site}, LHS: of(l), RHS: e}
	}
	// How many iterations there were before: (index - lo)/step.
	index, lo := ir.Expr(of(loop.Index)), typed(ir.Clone(loop.Lo), sym.Type)
	index.(*ir.Var).Typ = loop.Index.Type
	index = typed(index, sym.Type)
	if step < 0 {
		index, lo, step = lo, index, -step
	}
	trips := ir.Expr(&ir.Bin{X: at, Op: ir.Sub, L: index, R: lo})
	if step != 1 {
		trips = &ir.Bin{X: at, Op: ir.Div, L: trips, R: &ir.Const{X: at, Int: int(step)}}
	}
	value := ir.Expr(&ir.Bin{X: at, Op: ir.Add, L: less(of(first), least), R: trips})
	value = &ir.Call{X: at, Name: "mod", Args: []ir.Expr{value, &ir.Const{X: at, Int: 2}}}
	cp := ir.NewCopier()
	n := cp.Do(loop, cp.Block)
	n.Body = append([]ir.Stmt{assign(sym, less(value, -least))}, n.Body...)
	return &Change{
		Kind: Periodic, Old: loop, New: []ir.Stmt{assign(first, of(sym)), n}, Symbols: []*ir.Symbol{first},
		What: fmt.Sprintf("%s, which flips between %d and %d, computed from %s", sym.Name, least, least+1, loop.Index.Name),
	}
}

// less is e - k.
func less(e ir.Expr, k int) ir.Expr {
	if k == 0 {
		return e
	}
	return minus(e, int64(k))
}

// typed is e as a value of an INTEGER type.
func typed(e ir.Expr, t ir.Type) ir.Expr {
	if e.Type() == t {
		return e
	}
	return &ir.Conv{X: ir.X{Pos: e.Position(), Typ: t}, E: e}
}
