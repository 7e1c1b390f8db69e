package lower

import "github.com/spmdc/spmdc/ir"

// apart reports that two references to one array never mean the same element, whatever the
// values of the variables in them are: in one dimension the subscripts are a*i + b and
// c*j + d, and gcd(a, c) does not divide d - b.
//
//	a(2:n:2) = a(1:n-1:2)        2*i and 2*i - 1
//	a(:, 1) = a(:, 2)            1 and 2
func apart(x, y *ir.Ref) bool {
	for k := range min(len(x.Subs), len(y.Subs)) {
		a, b, okX := progression(x.Subs[k])
		c, d, okY := progression(y.Subs[k])
		if !okX || !okY {
			continue
		}
		g := gcd(a, c)
		if g == 0 && b != d || g != 0 && (d-b)%g != 0 {
			return true
		}
	}
	return false
}

// progression are coef and off where e is coef*v + off with some variable v; coef is 0 for a
// constant.
func progression(e ir.Expr) (coef, off int, ok bool) {
	const most = 1 << 30 // so that nothing overflows
	switch e := e.(type) {
	case *ir.Const:
		off, ok = e.Int, e.Typ.IsInteger()
	case *ir.Var:
		coef, ok = 1, e.Typ.IsInteger()
	case *ir.Un:
		coef, off, ok = progression(e.E)
		if e.Op == ir.Neg {
			coef, off = -coef, -off
		}
	case *ir.Bin:
		a, b, okL := progression(e.L)
		c, d, okR := progression(e.R)
		switch {
		case !okL || !okR:
		case e.Op == ir.Add && (a == 0 || c == 0):
			coef, off, ok = a+c, b+d, true
		case e.Op == ir.Sub && (a == 0 || c == 0):
			coef, off, ok = a-c, b-d, true
		case e.Op == ir.Mul && a == 0:
			coef, off, ok = b*c, b*d, true
		case e.Op == ir.Mul && c == 0:
			coef, off, ok = a*d, b*d, true
		}
	}
	ok = ok && coef < most && coef > -most && off < most && off > -most
	return coef, off, ok
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
