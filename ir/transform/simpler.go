package transform

import (
	"math"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// maxQuotient is how often a modulus may be contained in what it divides.
const maxQuotient = 2

// mayDecide reports whether facts about loop indices may say what e is: MOD(e, m) is e - k*m
// where k is known, MIN, MAX and MERGE are one of their arguments, and an element of an array
// of known contents is an affine form.
func (a *Analysis) mayDecide(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Call:
		switch e.Name {
		case "min", "max":
			_, ok := a.info.Affine(e.Args[0])
			return ok && e.Typ.IsInteger()
		case "merge":
			return len(e.Args) == 3 && e.Typ.IsInteger()
		}
		_, _, ok := a.modulo(e)
		return ok
	case *ir.Ref:
		_, ok := a.known(e)
		return ok
	}
	return false
}

// expr copies e, with what facts decide in place of parts of it.
func (f *folder) expr(e ir.Expr, known facts) ir.Expr {
	return ir.Rewrite(e, func(e ir.Expr) ir.Expr { return f.simpler(e, known) })
}

// target copies what is assigned to: facts decide no more than its subscripts.
func (f *folder) target(e ir.Expr, known facts) ir.Expr {
	return ir.Rewrite(e, func(x ir.Expr) ir.Expr {
		if x == e {
			return nil
		}
		return f.simpler(x, known)
	})
}

// simpler is what e is where facts decide that; nil where they do not.
func (f *folder) simpler(e ir.Expr, known facts) ir.Expr {
	var out ir.Expr
	switch e := e.(type) {
	case *ir.Call:
		switch e.Name {
		case "min", "max":
			out = f.extreme(e, known)
		case "merge":
			out = f.merged(e, known)
		default:
			out = f.remainder(e, known)
		}
	case *ir.Ref:
		out = f.content(e, known)
	}
	if out != nil {
		f.folded = append(f.folded, e)
	}
	return out
}

// extreme is the argument that e, a MIN or MAX of INTEGER values, is.
func (f *folder) extreme(e *ir.Call, known facts) ir.Expr {
	if !e.Typ.IsInteger() {
		return nil
	}
	forms := make([]linalg.Affine, len(e.Args))
	for i, x := range e.Args {
		form, ok := f.a.info.Affine(x)
		if !ok || x.Type() != e.Typ {
			return nil
		}
		forms[i] = form
	}
	for i, x := range e.Args {
		best := true
		for j := range e.Args {
			if i == j || !best {
				continue
			}
			d, ok := forms[i].Sub(forms[j]) // above 0 where x is not the least
			if e.Name == "max" {
				d, ok = forms[j].Sub(forms[i])
			}
			if ok {
				d, ok = d.Sub(linalg.Const(1))
			}
			best = ok && known.never(d)
		}
		if best {
			return f.expr(x, known)
		}
	}
	return nil
}

// merged is the argument that e, a MERGE, is.
func (f *folder) merged(e *ir.Call, known facts) ir.Expr {
	if len(e.Args) != 3 {
		return nil
	}
	switch f.a.decide(e.Args[2], known) {
	case always:
		return f.expr(e.Args[0], known)
	case never:
		return f.expr(e.Args[1], known)
	}
	return nil
}

// remainder is what e, a MOD or the like, is where the quotient is known; nil where it is not.
func (f *folder) remainder(e *ir.Call, known facts) ir.Expr {
	of, m, ok := f.a.modulo(e)
	if !ok {
		return nil
	}
	least := int64(-maxQuotient)
	if e.Name == "mod" { // which rounds towards 0
		least = 0
	}
	for k := least; k <= maxQuotient; k++ {
		r, ok1 := of.Sub(linalg.Const(k * m))
		below, ok2 := linalg.Const(-1).Sub(r)
		above, ok3 := r.Sub(linalg.Const(m))
		if ok1 && ok2 && ok3 && known.never(below) && known.never(above) {
			x := f.expr(e.Args[0], known)
			if k == 0 {
				return x
			}
			return minus(x, k*m)
		}
	}
	return nil
}

// modulo reports whether e is MOD(of, m) of an affine form and a constant above 0, or
// MODULO, or IAND with one bit less than a power of 2, which is the same.
func (a *Analysis) modulo(e ir.Expr) (of linalg.Affine, m int64, ok bool) {
	call, ok := e.(*ir.Call)
	if !ok || len(call.Args) != 2 || !call.Typ.IsInteger() || call.Args[0].Type() != call.Typ {
		return of, 0, false
	}
	c, ok := call.Args[1].(*ir.Const)
	if !ok {
		return of, 0, false
	}
	m = int64(c.Int)
	switch call.Name {
	case "mod", "modulo":
	case "iand":
		if m&(m+1) != 0 {
			return of, 0, false
		}
		m++
	default:
		return of, 0, false
	}
	if m <= 0 || m > math.MaxInt32/(maxQuotient+1) {
		return of, 0, false
	}
	of, ok = a.info.Affine(call.Args[0])
	return of, m, ok
}

// content is what e, an element of an array of known contents, holds.
func (f *folder) content(e *ir.Ref, known facts) ir.Expr {
	runs, ok := f.a.known(e)
	if !ok {
		return nil
	}
	at, ok := f.a.info.Affine(e.Subs[0])
	if !ok {
		return nil
	}
	for _, r := range runs {
		before, ok1 := linalg.Const(int64(r.lo - 1)).Sub(at)
		behind, ok2 := at.Sub(linalg.Const(int64(r.hi + 1)))
		if !ok1 || !ok2 || !known.never(before) || !known.never(behind) {
			continue
		}
		x := ir.X{Pos: e.Pos, Typ: e.Typ}
		number := func(n int) ir.Expr { return &ir.Const{X: x, Int: n} }
		if r.slope == 0 {
			return number(r.offset)
		}
		if e.Subs[0].Type() != e.Typ {
			return nil
		}
		sub := f.expr(e.Subs[0], known)
		if r.slope != 1 {
			sub = &ir.Bin{X: x, Op: ir.Mul, L: number(r.slope), R: sub}
		}
		if r.offset == 0 {
			return sub
		}
		return minus(sub, int64(-r.offset))
	}
	return nil
}
