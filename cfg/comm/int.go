package comm

import (
	"github.com/spmdc/spmdc/ir"
)

// largest bounds the operands of computed integers, so that none overflows.
const largest = 1 << 30

// Int is the value of an integer expression where the scalars named in values have
// these; false if it does not follow from them, or does not fit in its type.
func (p *Program) Int(e ir.Expr, values map[string]int64) (int64, bool) {
	v, ok := p.unwrapped(e, values)
	return v, ok && e.Type().Wrap(int(v)) == int(v)
}

func (p *Program) unwrapped(e ir.Expr, values map[string]int64) (int64, bool) {
	if f, ok := p.Affine(e); ok {
		for _, v := range f.Vars() {
			if _, known := values[v]; !known {
				return 0, false
			}
		}
		return f.Eval(func(v string) int64 { return values[v] })
	}
	pair := func(l, r ir.Expr) (x, y int64, ok bool) {
		x, okX := p.Int(l, values)
		y, okY := p.Int(r, values)
		return x, y, okX && okY && max(x, -x, y, -y) <= largest
	}
	switch e := e.(type) {
	case *ir.Conv:
		if e.E.Type().IsInteger() {
			return p.Int(e.E, values)
		}
	case *ir.Un:
		v, ok := p.Int(e.E, values)
		if e.Op == ir.Neg {
			v = -v
		}
		return v, ok && (e.Op == ir.Neg || e.Op == ir.Group)
	case *ir.Bin:
		l, r, ok := pair(e.L, e.R)
		switch {
		case !ok:
		case e.Op == ir.Add:
			return l + r, true
		case e.Op == ir.Sub:
			return l - r, true
		case e.Op == ir.Mul:
			return l * r, true
		case e.Op == ir.Div && r != 0:
			return l / r, true
		}
	case *ir.Call:
		if e.Name == "mod" && len(e.Args) == 2 && e.Typ.IsInteger() {
			if l, r, ok := pair(e.Args[0], e.Args[1]); ok && r != 0 {
				return l % r, true
			}
		}
	}
	return 0, false
}

// Truth is whether a condition holds where the scalars named in values have these;
// known is false if it does not follow from them.
func (p *Program) Truth(e ir.Expr, values map[string]int64) (holds, known bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Bool, e.Typ == ir.Logical
	case *ir.Un:
		if e.Op == ir.Not || e.Op == ir.Group {
			v, ok := p.Truth(e.E, values)
			return v != (e.Op == ir.Not), ok
		}
	case *ir.Bin:
		if e.Op == ir.And || e.Op == ir.Or {
			l, okL := p.Truth(e.L, values)
			r, okR := p.Truth(e.R, values)
			short := e.Op == ir.Or // the value of one side that decides
			if okL && l == short || okR && r == short {
				return short, true
			}
			return !short, okL && okR
		}
		return p.compare(e, values)
	}
	return false, false
}

func (p *Program) compare(e *ir.Bin, values map[string]int64) (holds, known bool) {
	if !e.L.Type().IsInteger() || !e.R.Type().IsInteger() {
		return false, false
	}
	l, okL := p.Int(e.L, values)
	r, okR := p.Int(e.R, values)
	if !okL || !okR {
		return false, false
	}
	switch e.Op {
	case ir.Eq:
		return l == r, true
	case ir.Ne:
		return l != r, true
	case ir.Lt:
		return l < r, true
	case ir.Le:
		return l <= r, true
	case ir.Gt:
		return l > r, true
	case ir.Ge:
		return l >= r, true
	}
	return false, false
}
