package comm

import (
	"github.com/spmdc/spmdc/ir"
)

// Int is the value of an integer expression where the scalars named in values have
// these; false if it does not follow from them, or does not fit in its type.
func (p *Program) Int(e ir.Expr, values map[string]int64) (int64, bool) {
	c, fits := p.evaluate(e, values)
	if !fits {
		return 0, false
	}
	return int64(c.Int), true
}

// Truth is whether a condition holds where the scalars named in values have these;
// known is false if it does not follow from them.
func (p *Program) Truth(e ir.Expr, values map[string]int64) (holds, known bool) {
	c, fits := p.evaluate(e, values)
	return fits && c.Bool, fits
}

// evaluate computes e from the affine forms of its parts.
func (p *Program) evaluate(e ir.Expr, values map[string]int64) (c *ir.Const, fits bool) {
	return ir.Evaluate(e, func(e ir.Expr) *ir.Const {
		if !e.Type().IsInteger() {
			return nil
		}
		f, ok := p.Affine(e)
		if !ok {
			return nil
		}
		for v := range f.T {
			if _, known := values[v]; !known {
				return nil
			}
		}
		n, ok := f.Eval(func(v string) int64 { return values[v] })
		if !ok || e.Type().Wrap(int(n)) != int(n) {
			return nil
		}
		return &ir.Const{X: ir.X{Typ: e.Type()}, Int: int(n)}
	})
}
