package comm

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// End is an end of a dimension as a form: a constant, or the scalar that an open end stands for,
// which has the value there that it had when the array was allocated.
func End(p *ir.Program, n int) linalg.Affine {
	k, off, open := ir.Open(n)
	if !open {
		return linalg.Const(int64(n))
	}
	f, _ := linalg.Var(p.Ends[k].Name).Add(linalg.Const(int64(off)))
	return f
}

// TempExtentIn is TempExtent as the extent of a dimension of the array: the most elements along axis
// d are (the extent of dimension dim - 1)/by + 1; dim is -1 where it is a constant.
func (c *Comm) TempExtentIn(d int) (dim, by int) {
	ax := c.Axes[d]
	if c.Subs == nil {
		if ax.All || len(ax.Terms) > 0 {
			return d, 1
		}
		return -1, 1
	}
	dim, by = -1, 1
	for k, s := range c.Subs {
		if s.Axis != d {
			continue
		}
		coef := max(1, s.Coef, -s.Coef)
		switch better := dim < 0 || c.Array.Dims[dim].Open() && !c.Array.Dims[k].Open(); {
		case better:
			dim, by = k, coef
		case c.Array.Dims[k].Open() != c.Array.Dims[dim].Open():
		case (c.Array.Dims[k].Nominal()-1)/coef < (c.Array.Dims[dim].Nominal()-1)/by:
			dim, by = k, coef
		}
	}
	return dim, by
}
