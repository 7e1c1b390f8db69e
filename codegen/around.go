package codegen

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// ranges are forms that are not negative in loop d, for the dependence tests: where the
// indices of the loops around it lie. In
//
//	do k = 1, n - 1
//	   do j = k + 1, n
//	      do i = k + 1, n
//	         a(i,j) = a(i,j) - a(i,k)*a(k,j)
//	      end do
//	   end do
//	end do
//
// they say that j > k, so that column k is not the one that is stored.
func (g *gen) ranges(d *ir.Do) []linalg.Affine {
	if g.outer == nil {
		g.outer = map[*ir.Do]*ir.Do{}
		g.findOuter(g.prog.IR.Body, nil)
	}
	var list []linalg.Affine
	for p := g.outer[d]; p != nil; p = g.outer[p] {
		b := g.prog.Info.Bounds(p)
		changed := g.prog.Modified(p)
		index := linalg.Var(p.Index.Name)
		add := func(x, y linalg.Affine, known bool) { // x - y
			f, ok := x.Sub(y)
			ok = ok && known
			for _, name := range f.Vars() {
				sym := g.symbols[name]
				ok = ok && (sym == p.Index || !changed[sym])
			}
			if ok {
				list = append(list, f)
			}
		}
		switch {
		case b.Step > 0:
			add(index, b.Lo, b.LoOK)
			add(b.Hi, index, b.HiOK)
		case b.Step < 0:
			add(b.Lo, index, b.LoOK)
			add(index, b.Hi, b.HiOK)
		}
	}
	return list
}

func (g *gen) findOuter(body []ir.Stmt, around *ir.Do) {
	for _, s := range body {
		inner := around
		if d, ok := s.(*ir.Do); ok {
			g.outer[d] = around
			inner = d
		}
		for _, b := range ir.Bodies(s) {
			g.findOuter(b, inner)
		}
	}
}
