package transform

import (
	"fmt"
	"slices"
	"strings"

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
	r := &redistribution{a: a, loop: loop, along: map[*ir.Symbol]int{}, copies: map[*ir.Symbol]*ir.Symbol{}}
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
	if err := r.place(); err != nil {
		return nil, err
	}
	return r.change(), nil
}

// Redistributable reports whether loop changes an array as Redistribute wants it.
func (a *Analysis) Redistributable(loop *ir.Do) bool {
	r := &redistribution{a: a, loop: loop, along: map[*ir.Symbol]int{}}
	return r.collect() == nil && r.assigned()
}

// redistribution is the work of Redistribute.
type redistribution struct {
	a      *Analysis
	loop   *ir.Do
	arrays []*ir.Symbol       // to copy
	along  map[*ir.Symbol]int // the dimension that the index of the loop selects from; -1: no single one
	with   *dist.Axis         // of an array that is distributed along the index already
	grid   *ir.Grid
	copies map[*ir.Symbol]*ir.Symbol
}

// collect finds the arrays of which all references in the loop have its index as the
// subscript of one dimension. Instead it returns an array that a transformation has made.
func (r *redistribution) collect() *ir.Symbol {
	var seen []*ir.Symbol
	var candidates = map[*ir.Symbol][]int{}
	for _, ref := range r.refs() {
		sym := ref.Sym
		if !sym.Distributed() {
			continue
		}
		if sym.Temp {
			return sym
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
			if r.with == nil && len(candidates[sym]) == 1 {
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
	return slices.ContainsFunc(r.arrays, func(s *ir.Symbol) bool { return r.a.info.Modified(r.loop)[s] })
}

// refs are the array elements in the loop.
func (r *redistribution) refs() []*ir.Ref {
	var list []*ir.Ref
	ir.WalkExprs(r.loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if ref, ok := e.(*ir.Ref); ok {
			list = append(list, ref)
		}
		return true
	})
	return list
}

// named is an array of which INDEPENDENT of a loop says something; nil if there is none.
func (r *redistribution) named() (found *ir.Symbol) {
	ir.Walk([]ir.Stmt{r.loop}, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok && d.Independent != nil {
			for _, sym := range slices.Concat(d.Independent.New, d.Independent.Reduction) {
				if slices.Contains(r.arrays, sym) {
					found = sym
				}
			}
		}
		return found == nil
	})
	return found
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
		r.copies[s] = &ir.Symbol{
			Name: r.a.freshName(s.Name + ".by"), Local: fmt.Sprintf("%s by %s", s.Source(), r.loop.Index.Source()),
			Pos: s.Pos, Type: s.Type, Len: s.Len, Dims: s.Dims, Temp: true, Site: s.Site, Mapping: m,
		}
		r.a.symbols[r.copies[s].Name] = r.copies[s]
	}
	return nil
}

// change writes the loops that copy, and the loop on the copies.
func (r *redistribution) change() *Change {
	c := &Change{Kind: Redistribute, Old: r.loop}
	var names []string
	for _, s := range r.arrays {
		c.Symbols = append(c.Symbols, r.copies[s])
		names = append(names, s.Name)
		c.New = append(c.New, r.copying(c, s, r.copies[s], s))
	}
	cp := newCopier()
	n := cp.do(r.loop, cp.block)
	rename := func(e ir.Expr) bool {
		if ref, ok := e.(*ir.Ref); ok && r.copies[ref.Sym] != nil {
			ref.Sym = r.copies[ref.Sym]
		}
		return true
	}
	ir.WalkExprs(n.Body, func(_ ir.Stmt, e ir.Expr) bool { return rename(e) })
	c.New = append(c.New, n)
	for _, s := range r.arrays {
		if r.a.info.Modified(r.loop)[s] {
			c.New = append(c.New, r.copying(c, s, s, r.copies[s]))
		}
	}
	c.What = fmt.Sprintf("on copies of %s that are distributed along %s", strings.Join(names, ", "), r.loop.Index.Name)
	return c
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

// copying is the nest that copies what the loop may touch of from to to, which have the
// form of array.
func (r *redistribution) copying(c *Change, array, to, from *ir.Symbol) ir.Stmt {
	pos, site := r.loop.Pos, r.loop.Site
	at := ir.X{Pos: pos, Typ: array.Type}
	constant := func(k int) ir.Expr { return &ir.Const{X: ir.X{Pos: pos, Typ: ir.Integer}, Int: k} }
	var subs []ir.Expr
	var loops []*ir.Do
	for d, b := range array.Dims {
		i := &ir.Symbol{Name: r.a.freshName(fmt.Sprintf("dim%d.", d+1)), Pos: pos, Type: ir.Integer, Site: site}
		lo, hi, step := constant(b.Lo), constant(b.Hi), constant(1)
		if d == r.along[array] && r.within(b) {
			i.Type = r.loop.Index.Type
			lo, hi, step = ir.Clone(r.loop.Lo), ir.Clone(r.loop.Hi), ir.Clone(r.loop.Step)
		}
		r.a.symbols[i.Name] = i
		c.Symbols = append(c.Symbols, i)
		subs = append(subs, &ir.Var{X: ir.X{Pos: pos, Typ: i.Type}, Sym: i})
		loops = append(loops, &ir.Do{S: ir.S{Pos: pos, Site: site}, Index: i, Lo: lo, Hi: hi, Step: step, End: pos})
	}
	element := func(s *ir.Symbol) *ir.Ref {
		e := &ir.Ref{X: at, Sym: s}
		for _, x := range subs {
			e.Subs = append(e.Subs, ir.Clone(x))
		}
		e.MarkVarying(true)
		return e
	}
	value := element(from)
	value.Raw = true // it may have no value yet
	body := ir.Stmt(&ir.Assign{S: ir.S{Pos: pos, Site: site}, LHS: element(to), RHS: value})
	for _, d := range loops { // the first dimension inside
		d.Body = []ir.Stmt{body}
		body = d
	}
	return body
}
