package transform

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Redistribute has loop executed on copies of arrays that are distributed along its index.
// With a distributed (*,BLOCK), in
//
//	do i = 1, n                         do j = 1, n
//	   do j = 2, n                         do i = 1, n
//	      a(i,p(j)) = a(i,j) + ...            rows(i,j) = a(i,j)
//	   end do                              end do
//	end do                              end do
//	                                    do i = 1, n
//	                                       do j = 2, n
//	                                          rows(i,p(j)) = rows(i,j) + ...
//	                                       end do
//	                                    end do
//	                                    ... a(i,j) = rows(i,j)
//
// each iteration on the left needs the elements of all PEs; on the right it is that of one
// PE, and all elements change places twice. Which elements an iteration touches of its row
// makes no difference.
func (a *Analysis) Redistribute(loop *ir.Do) (*Change, error) {
	b := a.info.Bounds(loop)
	if !b.Affine() {
		return nil, refuse("its bounds are not affine, or change in it")
	}
	if err := cheapBounds(loop); err != nil {
		return nil, err
	}
	r := newRedistribution(a, loop)
	if s := r.collect(); s != nil {
		return nil, refuse("%s is a copy itself", s.Name)
	}
	if len(r.arrays) == 0 {
		return nil, refuse("of no array that is distributed otherwise it accesses elements %s alone", loop.Index.Name)
	}
	if !r.assigned() {
		return nil, refuse("it assigns to none of the arrays that would be distributed along %s", loop.Index.Name)
	}
	if s := r.named(); s != nil {
		return nil, refuse("INDEPENDENT names %s", s.Name)
	}
	if err := r.stays(); err != nil {
		return nil, err
	}
	if err := r.place(); err != nil {
		return nil, err
	}
	c := r.change(Redistribute, func(array *ir.Symbol, d int) *ir.Do {
		if d == r.along[array] && r.within(array.Dims[d]) {
			return loop
		}
		return nil
	})
	c.What = fmt.Sprintf("on copies of %s that are distributed along %s", names(r.arrays), loop.Index.Name)
	return c, nil
}

// Redistributable reports whether loop changes an array as Redistribute wants it.
func (a *Analysis) Redistributable(loop *ir.Do) bool {
	r := newRedistribution(a, loop)
	return r.collect() == nil && r.assigned()
}

// redistribution is the work of Redistribute.
type redistribution struct {
	onCopies
	along map[*ir.Symbol]int // the dimension that the index of the loop selects from
	with  *dist.Axis         // of an array that is distributed along the index already
	grid  *ir.Grid
}

func newRedistribution(a *Analysis, loop *ir.Do) *redistribution {
	return &redistribution{onCopies: onCopies{a: a, loop: loop, copies: map[*ir.Symbol]*ir.Symbol{}}, along: map[*ir.Symbol]int{}}
}

// collect finds the arrays of which all references in the loop have its index as the
// subscript of one dimension. Instead it returns an array that a transformation has made.
func (r *redistribution) collect() *ir.Symbol {
	var seen []*ir.Symbol
	var candidates = map[*ir.Symbol][]int{}
	for _, ref := range r.refs() {
		sym := ref.Sym
		if sym.Temp {
			return sym
		}
		if !sym.Distributed() {
			continue
		}
		var dims []int
		for d, sub := range ref.Subs {
			if f, ok := r.a.info.Affine(sub); ok && f.Equal(linalg.Var(r.loop.Index.Name)) {
				dims = append(dims, d)
			}
		}
		if have, ok := candidates[sym]; ok {
			dims = slices.DeleteFunc(have, func(d int) bool { return !slices.Contains(dims, d) })
		} else {
			seen = append(seen, sym)
		}
		candidates[sym] = dims
	}
	for _, sym := range seen {
		if len(candidates[sym]) == 0 {
			continue
		}
		d := candidates[sym][0]
		if ax := sym.Mapping.Map.Axes[d]; ax.Grid >= 0 {
			if r.with == nil && len(candidates[sym]) == 1 && !sym.Placed() { // a copy has its layout from the start
				r.with, r.grid = &ax, sym.Mapping.Grid
			}
			continue
		}
		r.arrays = append(r.arrays, sym)
		r.along[sym] = d
	}
	return nil
}

// assigned reports whether the loop assigns to one of the arrays.
func (r *redistribution) assigned() bool {
	return slices.ContainsFunc(r.arrays, r.assigns)
}

// place says how the copies are distributed: as an array that is distributed along the
// index already, or in blocks.
func (r *redistribution) place() error {
	if r.grid == nil {
		r.grid = r.arrays[0].Mapping.Grid
	}
	if r.grid.Rank != 1 {
		return refuse("%s is distributed in %d dimensions", r.arrays[0].Name, r.grid.Rank)
	}
	first := r.arrays[0].Dims[r.along[r.arrays[0]]]
	lo, hi := first.Lo, first.Hi
	for _, s := range r.arrays {
		d := s.Dims[r.along[s]]
		lo, hi = min(lo, d.Lo), max(hi, d.Hi)
	}
	to := dist.Axis{Grid: 0, Format: dist.Block, TLo: lo, THi: hi, A: 1}
	if r.with != nil {
		to = *r.with
		for _, i := range []int{lo, hi} {
			if at := to.A*i + to.B; at < to.TLo || at > to.THi {
				return refuse("the array that is distributed along %s has no place for element %d", r.loop.Index.Name, i)
			}
		}
	}
	for _, s := range r.arrays {
		m := &ir.Mapping{Grid: r.grid, Pos: s.Mapping.Pos}
		for d, b := range s.Dims {
			ax := dist.Axis{Lo: b.Lo, Hi: b.Hi, Grid: -1, Format: dist.Collapsed, TLo: b.Lo, THi: b.Hi, A: 1}
			if d == r.along[s] {
				ax = to
				ax.Lo, ax.Hi = b.Lo, b.Hi
			}
			m.Map.Axes = append(m.Map.Axes, ax)
		}
		r.copy(s, ".by", "by "+r.loop.Index.Source(), m)
	}
	return nil
}

// within reports whether the index of the loop is between the bounds of a dimension in each
// iteration: by constants, or as each accesses an element that would not exist otherwise.
func (r *redistribution) within(dim ir.Bound) bool {
	b := r.a.info.Bounds(r.loop)
	if b.Lo.IsConst() && b.Hi.IsConst() {
		lo, hi := min(b.Lo.C, b.Hi.C), max(b.Lo.C, b.Hi.C)
		return lo >= int64(dim.Lo) && hi <= int64(dim.Hi)
	}
	sure, ok := r.a.extent(r.loop)
	return ok && sure.Lo >= dim.Lo && sure.Hi <= dim.Hi
}
