// Package blockcyclic takes CYCLIC(k) out of a program: it divides the dimension that is
// distributed so into two, the place within a block and the block, of which the blocks
// are CYCLIC. With a(64) distributed CYCLIC(8) and b aligned with it,
//
//	do i = 2, 64                  do i.block = 0, 7
//	   b(i) = a(i-1)                 if (i.block >= 1) b(0,i.block) = a(7,i.block-1)
//	end do                           do i.offset = 1, 7
//	                                    b(i.offset,i.block) = a(i.offset-1,i.block)
//	                                 end do
//	                              end do
//
// where a and b are now (0:7,0:7), distributed (*,CYCLIC). The iterations are the same in
// the same order, whatever they depend on, and each subscript is an affine form on
// each of the pieces that the loop over the elements of a block is cut into. All that comes
// behind, the proofs and their check included, sees CYCLIC arrays alone.
//
// A subscript that is of no such form, as in a(p(i)), is divided when it is evaluated:
// a(mod(p(i)-1,8), (p(i)-1)/8). Loops over the elements of a BLOCK or CYCLIC array stay as they are.
package blockcyclic

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/transform"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Divide takes CYCLIC(k) out of p, whose mappings are resolved. Where it cannot do so it
// makes CYCLIC of it, which gives the same results, and warns.
func Divide(p *ir.Program, diags *source.List) {
	d := &divider{prog: p, blocked: map[*ir.Symbol][]*blocking{}, symbols: map[string]*ir.Symbol{}, parts: map[*ir.Symbol]parts{}, env: map[string]strip{}, exits: map[ir.Stmt]ir.Stmt{}, copier: ir.NewCopier(), copies: 1}
	d.plain(diags)
	if !d.collect() {
		return
	}
	d.info = scalar.Analyze(p)
	d.analysis = transform.New(p, d.info)
	for _, s := range p.Symbols {
		d.symbols[s.Name] = s
	}
	d.copier.Expr = d.expr
	p.Body = d.block(p.Body)
	for s := range d.blocked {
		d.declare(s)
	}
	for _, s := range p.Symbols {
		if s.Mapping != nil {
			s.Mapping = &ir.Mapping{Grid: s.Mapping.Grid, Pos: s.Mapping.Pos, Ends: s.Mapping.Ends, Map: d.mapping(s)}
		}
	}
	ir.MarkVarying(p.Body)
}

// blocking says which block a subscript i of a dimension is in, and where: sign*i+shift, which
// is not negative, divided by size. The sign is 1 or -1.
type blocking struct{ size, sign, shift int }

func (b *blocking) element(i int) int { return b.sign*i + b.shift }

// blockingOf is the blocking of a dimension; nil if it has none that is regular.
func blockingOf(ax dist.Axis) *blocking {
	k, stride, sign := ax.Format.BlockLength(), ax.A, 1
	if stride < 0 {
		stride, sign = -stride, -1
	}
	if k%stride != 0 {
		return nil
	}
	if extent := max(1, ax.THi-ax.TLo+1); k > extent { // all is in one block, however long it is
		k = (extent + stride - 1) / stride * stride
	}
	return &blocking{size: k / stride, sign: sign, shift: int(floorDiv(int64(ax.B-ax.TLo), int64(stride)))}
}

// dealt is a dimension of a template, as far as the mappings of arrays name it.
type dealt struct {
	grid   *ir.Grid
	dim    int
	lo, hi int
	format dist.Format
}

func dealtAxis(m *ir.Mapping, ax dist.Axis) dealt {
	return dealt{m.Grid, ax.Grid, ax.TLo, ax.THi, ax.Format}
}

func dealtFixed(m *ir.Mapping, f dist.Fixed) dealt {
	return dealt{m.Grid, f.Grid, f.TLo, f.THi, f.Format}
}

// plain makes CYCLIC of the CYCLIC(k) that cannot be divided, for all arrays on a template
// alike.
func (d *divider) plain(diags *source.List) {
	whole := map[*ir.Symbol]bool{} // accessed otherwise than by elements
	ir.Walk(d.prog.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Read:
			for _, sym := range slices.Concat(s.Vectors, s.GotVectors) {
				whole[sym] = true
			}
		case *ir.Allocate:
			whole[s.Sym] = true
		}
		return true
	})
	why := map[dealt]string{}
	refuse := func(t dealt, pos source.Pos, reason string) {
		if t.format.BlockLength() > 0 && why[t] == "" {
			why[t] = reason
			diags.Warnf(source.NotHonoured, pos, "%v is compiled as CYCLIC: %s; the elements are dealt out one by one, which gives the same results", t.format, reason).
				WithHelp("write CYCLIC; or BLOCK, if neighbours should lie together")
		}
	}
	for _, s := range d.prog.Symbols {
		m := s.Mapping
		if m == nil {
			continue
		}
		for _, ax := range m.Map.Axes {
			switch t := dealtAxis(m, ax); {
			case d.prog.SPMD:
				refuse(t, m.Pos, "the program has coarrays")
			case s.Placed():
				refuse(t, m.Pos, "the bounds of "+s.Source()+" are not known before run time")
			case whole[s]:
				refuse(t, m.Pos, s.Source()+" is allocated")
			case t.format.BlockLength() > 0 && blockingOf(ax) == nil:
				refuse(t, m.Pos, s.Source()+" is aligned with a stride that does not divide the blocks")
			}
		}
		for _, f := range m.Map.Fixed {
			if d.prog.SPMD || s.Placed() {
				refuse(dealtFixed(m, f), m.Pos, "the program has coarrays or bounds not known before run time")
			}
		}
	}
	for _, s := range d.prog.Symbols {
		m := s.Mapping
		if m == nil {
			continue
		}
		for i := range m.Map.Axes {
			if why[dealtAxis(m, m.Map.Axes[i])] != "" {
				m.Map.Axes[i].Format = dist.Cyclic
			}
		}
		for i := range m.Map.Fixed {
			if why[dealtFixed(m, m.Map.Fixed[i])] != "" {
				m.Map.Fixed[i].Format = dist.Cyclic
			}
		}
	}
}

// divider is the work of Divide.
type divider struct {
	prog     *ir.Program
	info     *scalar.Info               // of the program as it was
	analysis *transform.Analysis        // of the same
	blocked  map[*ir.Symbol][]*blocking // by dimension of the source
	symbols  map[string]*ir.Symbol
	parts    map[*ir.Symbol]parts
	env      map[string]strip // the loops around that are divided, by their indices
	copies   int              // of the statements that are being divided
	copier   *ir.Copier
	exits    map[ir.Stmt]ir.Stmt // what an EXIT of a divided loop leaves; a CYCLE goes to copier.Loops
}

// parts are the indices that an index is divided into.
type parts struct{ block, offset *ir.Symbol }

// collect finds the arrays with dimensions to divide, and reports whether the program has
// something to do at all.
func (d *divider) collect() bool {
	any := false
	for _, s := range d.prog.Symbols {
		if s.Mapping == nil {
			continue
		}
		list := make([]*blocking, len(s.Dims))
		found := false
		for i, ax := range s.Mapping.Map.Axes {
			if ax.Format.BlockLength() > 0 {
				list[i] = blockingOf(ax)
				found = true
			}
		}
		if found {
			d.blocked[s] = list
		}
		any = any || found || slices.ContainsFunc(s.Mapping.Map.Fixed, func(f dist.Fixed) bool { return f.Format.BlockLength() > 0 })
	}
	return any
}

// mapping is that of s with its dimensions divided.
func (d *divider) mapping(s *ir.Symbol) (m dist.Map) {
	for i, ax := range s.Mapping.Map.Axes {
		k := ax.Format.BlockLength()
		if k == 0 {
			m.Axes = append(m.Axes, ax)
			continue
		}
		offset, block := d.blocked[s][i].bounds(ax)
		m.Axes = append(m.Axes,
			dist.Axis{Lo: offset.Lo, Hi: offset.Hi, Grid: -1, Format: dist.Collapsed, TLo: offset.Lo, THi: offset.Hi, A: 1},
			dist.Axis{Lo: block.Lo, Hi: block.Hi, Grid: ax.Grid, Format: dist.Cyclic, TLo: 0, THi: (ax.THi - ax.TLo) / k, A: 1})
	}
	for _, f := range s.Mapping.Map.Fixed {
		if k := f.Format.BlockLength(); k > 0 {
			f = dist.Fixed{Grid: f.Grid, Format: dist.Cyclic, TLo: 0, THi: (f.THi - f.TLo) / k, Pos: (f.Pos - f.TLo) / k}
		}
		m.Fixed = append(m.Fixed, f)
	}
	return m
}

// bounds are those of the two dimensions that one is divided into. A single block is no larger
// than it needs to be.
func (b *blocking) bounds(ax dist.Axis) (offset, block ir.Bound) {
	first, last := b.element(ax.Lo), b.element(ax.Hi)
	if b.sign < 0 {
		first, last = last, first
	}
	offset = ir.Bound{Lo: 0, Hi: b.size - 1}
	block = ir.Bound{Lo: first / b.size, Hi: last / b.size}
	if last < first {
		block.Hi = block.Lo - 1
	} else if block.Lo == block.Hi {
		offset = ir.Bound{Lo: first % b.size, Hi: last % b.size}
	}
	return offset, block
}

// declare gives s its divided dimensions, and its initial values their places there.
func (d *divider) declare(s *ir.Symbol) {
	dims := s.Dims
	s.Dims = nil
	for i, b := range d.blocked[s] {
		if b == nil {
			s.Dims = append(s.Dims, dims[i])
			continue
		}
		offset, block := b.bounds(s.Mapping.Map.Axes[i])
		s.Dims = append(s.Dims, offset, block)
	}
	values := s.Values
	s.Values = nil
	for _, v := range values {
		for at := v.At; at < v.At+v.N; at++ {
			to := d.place(s, dims, at)
			if n := len(s.Values); n > 0 {
				if last := &s.Values[n-1]; last.Const == v.Const && last.At+last.N == to {
					last.N++
					continue
				}
			}
			s.Values = append(s.Values, ir.Value{At: to, N: 1, Const: v.Const})
		}
	}
	slices.SortStableFunc(s.Values, func(a, b ir.Value) int { return a.At - b.At })
}

// place is where the element of s is that was at a place of dims, in array element order.
func (d *divider) place(s *ir.Symbol, dims []ir.Bound, at int) int {
	to, weight, k := 0, 1, 0
	put := func(i int) {
		to += (i - s.Dims[k].Lo) * weight
		weight *= s.Dims[k].Extent()
		k++
	}
	for i, b := range d.blocked[s] {
		x := dims[i].Lo + at%dims[i].Extent()
		at /= dims[i].Extent()
		if b == nil {
			put(x)
			continue
		}
		put(b.element(x) % b.size)
		put(b.element(x) / b.size)
	}
	return to
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

func mod(a, b int64) int64 { return a - b*floorDiv(a, b) }
