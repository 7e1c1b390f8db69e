package codegen

import "github.com/spmdc/spmdc/ir"

// Vector instructions that store across a cache line take twice as long. So an array is laid
// out such that the element begins a line with which the innermost loops begin that assign
// its columns:
//
//	do i = 2, n - 1
//	   b(i,j) = ...          b(2,j) begins a line, b(1,j) ends the one before

// deeper is how many times as often a loop is executed as the one around it.
const deeper = 10

// begins finds, for each array, the index along the first axis with which the loops begin
// that assign it most often.
func (g *gen) begins(body []ir.Stmt) map[*ir.Symbol]int64 {
	often := map[*ir.Symbol]map[int64]float64{}
	var walk func(body []ir.Stmt, around []*ir.Do, times float64)
	walk = func(body []ir.Stmt, around []*ir.Do, times float64) {
		for _, s := range body {
			switch s := s.(type) {
			case *ir.Do:
				walk(s.Body, append(around[:len(around):len(around)], s), times*deeper)
			case *ir.While:
				walk(s.Body, around, times*deeper)
			case *ir.If:
				walk(s.Then, around, times)
				walk(s.Else, around, times)
			case *ir.Assign:
				sym, first, ok := g.begin(s, around)
				if !ok {
					continue
				}
				if often[sym] == nil {
					often[sym] = map[int64]float64{}
				}
				often[sym][first] += times
			}
		}
	}
	walk(body, nil, 1)
	most := map[*ir.Symbol]int64{}
	for sym, starts := range often {
		best := 0.0
		for first, times := range starts {
			if times > best || times == best && first < most[sym] {
				most[sym], best = first, times
			}
		}
	}
	return most
}

// begin is the index along the first axis of the element that the innermost loop around an
// assignment assigns first, if that loop goes up the axis from a constant.
func (g *gen) begin(s *ir.Assign, around []*ir.Do) (sym *ir.Symbol, first int64, ok bool) {
	ref, isRef := s.LHS.(*ir.Ref)
	if !isRef || len(around) == 0 || len(ref.Subs) == 0 {
		return nil, 0, false
	}
	loop := around[len(around)-1]
	bounds := g.prog.Info.Bounds(loop)
	sub, known := g.prog.Info.Affine(ref.Subs[0])
	if !known || !bounds.LoOK || !bounds.Lo.IsConst() || bounds.Step != 1 || sub.Coef(loop.Index.Name) != 1 || len(sub.Vars()) != 1 {
		return nil, 0, false
	}
	return ref.Sym, sub.C + bounds.Lo.C, true
}
