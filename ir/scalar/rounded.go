package scalar

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Rounded is Affine for expressions with remainders and quotients by constants: the
// form uses variables that are quotients, see Quotients. So mod(i, 2) is i - 2*q, where q
// is i/2. It is false for what Affine has the whole value of.
func (in *Info) Rounded(e ir.Expr) (linalg.Affine, bool) {
	f, ok := in.rounded[e]
	return f, ok
}

// Quotients are the variables of forms that are quotients. The caller must not change
// them.
func (in *Info) Quotients() linalg.Quotients { return in.quotients }

// uses reports whether the value of form depends on sym.
func (in *Info) uses(form linalg.Affine, sym *ir.Symbol) bool {
	for _, v := range in.quotients.Vars(form) {
		if v == sym.Name {
			return true
		}
	}
	return false
}

// roundedForm is the form of e with quotients given those of its operands; false if it
// has none.
func (in *Info) roundedForm(e ir.Expr, f *facts) (linalg.Affine, bool) {
	of := func(e ir.Expr) (linalg.Affine, bool) {
		if form, ok := in.rounded[e]; ok {
			return form, true
		}
		return in.Affine(e)
	}
	var r linalg.Affine
	var ok bool
	switch e := e.(type) {
	case *ir.Var:
		r, ok = f.rounded[e.Sym]
	case *ir.Bin:
		if e.Op != ir.Div {
			r, ok = ir.AffineOf(e, forms(nil).variable, of)
			break
		}
		if x, known := of(e.L); known {
			if by, known := divisor(e.R, in.Affine); known {
				r, ok = in.quotients.Divide(x, by, in.truncated(x))
			}
		}
	case *ir.Call:
		if x, by, trunc, known := in.remainder(e, of); known {
			r, ok = in.quotients.Remainder(x, by, trunc && in.truncated(x))
		}
	default:
		r, ok = ir.AffineOf(e, forms(nil).variable, of)
	}
	return r, ok && len(in.quotients.Used(r)) > 0
}

// divisor is the value of e if that is a constant from 1 on.
func divisor(e ir.Expr, of func(ir.Expr) (linalg.Affine, bool)) (int64, bool) {
	by, ok := of(e)
	return by.C, ok && by.IsConst() && by.C > 0
}

// remainder describes a call that computes a remainder of x by a constant, of a quotient
// rounded towards 0 (trunc) or down.
func (in *Info) remainder(c *ir.Call, of func(ir.Expr) (linalg.Affine, bool)) (x linalg.Affine, by int64, trunc, ok bool) {
	if len(c.Args) != 2 {
		return
	}
	if x, ok = of(c.Args[0]); !ok {
		return
	}
	switch c.Name {
	case "mod", "modulo":
		by, ok = divisor(c.Args[1], in.Affine)
		return x, by, c.Name == "mod", ok
	case "iand": // of two's complements: modulo(x, 2**k) for 2**k - 1
		mask, known := divisor(c.Args[1], in.Affine)
		if !known {
			if x, ok = of(c.Args[1]); !ok {
				return
			}
			mask, known = divisor(c.Args[0], in.Affine)
		}
		return x, mask + 1, false, known && mask&(mask+1) == 0 && mask < largest
	}
	return x, 0, false, false
}

// truncated reports whether the quotient of x rounded towards 0 may be another than that
// rounded down.
func (in *Info) truncated(x linalg.Affine) bool { return in.extent(x).lo < 0 }

// span is the values from lo to hi; what is beyond may be anything.
type span struct{ lo, hi int64 }

const beyond = 1 << 40

// known reports whether there are bounds on both sides.
func (s span) known() bool { return s.lo > -beyond && s.hi < beyond }

// extent is the values that form may have where propagate is.
func (in *Info) extent(form linalg.Affine) span {
	s := span{-beyond, beyond}
	s.lo = max(form.C, s.lo)
	s.hi = min(form.C, s.hi)
	for _, v := range form.Vars() {
		r, k := in.extentOf(v), form.Coef(v)
		if k < 0 {
			r, k = span{-r.hi, -r.lo}, -k
		}
		if s.lo <= -beyond || r.lo <= -beyond || k > largestFactor {
			s.lo = -beyond
		} else {
			s.lo += k * r.lo
		}
		if s.hi >= beyond || r.hi >= beyond || k > largestFactor {
			s.hi = beyond
		} else {
			s.hi += k * r.hi
		}
	}
	return s
}

func (in *Info) extentOf(v string) span {
	if q, ok := in.quotients[v]; ok {
		s := in.extent(q.Of)
		if s.lo > -beyond {
			s.lo = linalg.FloorDiv(s.lo, q.By)
		}
		if s.hi < beyond {
			s.hi = linalg.CeilDiv(s.hi, q.By)
		}
		return s
	}
	if s, ok := in.ranges[v]; ok {
		return s
	}
	return span{-beyond, beyond}
}

// ranging notes the values of the index of a loop, for as long as its body is walked.
// What it returns ends that.
func (in *Info) ranging(s *ir.Do) (end func()) {
	name := s.Index.Name
	outer, had := in.ranges[name]
	delete(in.ranges, name)
	b := in.bounds[s]
	r := span{-beyond, beyond}
	if b.LoOK && b.Step > 0 {
		r.lo = in.extent(b.Lo).lo
	}
	if b.HiOK && b.Step > 0 {
		r.hi = in.extent(b.Hi).hi
	}
	if b.LoOK && b.Step < 0 {
		r.hi = in.extent(b.Lo).hi
	}
	if b.HiOK && b.Step < 0 {
		r.lo = in.extent(b.Hi).lo
	}
	in.ranges[name] = r
	return func() {
		delete(in.ranges, name)
		if had {
			in.ranges[name] = outer
		}
	}
}
