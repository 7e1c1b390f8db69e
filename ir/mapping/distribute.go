package mapping

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// distribution is how o is dealt out by its DISTRIBUTE; nil when it has none,
// when it divides nothing, or after an error, which is reported once.
func (r *resolver) distribution(o *object) *distribution {
	if o.dealt {
		return o.distribution
	}
	o.dealt = true
	d := o.distribute
	if d == nil {
		return nil
	}
	if d.Formats == nil {
		d = r.chosen(o, d)
	}
	if len(d.Formats) != len(o.dims) {
		pos := d.NamePos
		if len(d.Formats) > 0 {
			pos = d.Formats[0].Pos
		}
		r.diags.Errorf(source.RankMismatch, pos, "%s has rank %d, the number of formats in DISTRIBUTE is %d", o.name, len(o.dims), len(d.Formats)).
			WithNote(o.pos, "declared as %s(%s)", o.name, ir.BoundsString(o.dims)).
			WithHelp("write one format for each dimension: BLOCK, CYCLIC or *")
		return nil
	}
	out := &distribution{pos: d.Pos}
	rank := 0
	for _, f := range d.Formats {
		dim := -1
		if f.Format != dist.Collapsed {
			dim = rank
			rank++
		}
		out.gridDim = append(out.gridDim, dim)
		out.formats = append(out.formats, f.Format)
	}
	if out.grid = r.gridFor(d, rank); out.grid == nil || !r.sizesFit(o, d, out) {
		return nil
	}
	o.distribution = out
	return out
}

// sizesFit reports whether the sizes of GEN_BLOCK are as many as the arrangement has processors,
// and have room for all of o, as far as the source says both.
func (r *resolver) sizesFit(o *object, d *ir.Directive, out *distribution) bool {
	for k, f := range d.Formats {
		sizes := f.Format.Sizes()
		if sizes == nil {
			continue
		}
		sum := 0
		for _, n := range sizes {
			sum += n
		}
		b := o.dims[k]
		_, _, openLo := ir.Open(b.Lo)
		_, _, openHi := ir.Open(b.Hi)
		if !openLo && !openHi && sum < b.Extent() {
			r.diags.Errorf(source.UnknownDistribution, f.Pos, "the sizes of GEN_BLOCK sum to %d, and dimension %d of %s has %d elements", sum, k+1, o.name, b.Extent()).
				WithNote(o.pos, "declared as %s(%s)", o.name, ir.BoundsString(o.dims)).
				WithHelp("make the blocks larger: all elements must have a place")
			return false
		}
		if g := out.grid; g.Shape != nil {
			if e, ok := g.Shape[out.gridDim[k]].(*ir.Const); ok && e.Int != len(sizes) {
				r.diags.Errorf(source.UnknownDistribution, f.Pos, "GEN_BLOCK has %d sizes, and dimension %d of %s has %d processors", len(sizes), out.gridDim[k]+1, g.Name, e.Int).
					WithNote(g.Pos, "%s was declared here", g.Name).
					WithHelp("write one size for each processor")
				return false
			}
		}
	}
	return true
}

// chosen is d, which has no formats, with those that the compiler chooses: BLOCK in as many of
// the last dimensions as the arrangement has, or in the last one.
func (r *resolver) chosen(o *object, d *ir.Directive) *ir.Directive {
	rank := 1
	if g := r.grids[d.Onto]; g != nil {
		rank = g.Rank
	}
	out := *d
	for k := range o.dims {
		f := ir.DistFormat{Pos: d.NamePos}
		if k >= len(o.dims)-rank {
			f.Format = dist.Block
		}
		out.Formats = append(out.Formats, f)
	}
	return &out
}

// gridFor is the grid that d names, or the implied one of the rank; nil when
// nothing is divided or after an error.
func (r *resolver) gridFor(d *ir.Directive, rank int) *ir.Grid {
	if d.Onto == "" {
		if rank == 0 {
			return nil
		}
		g := r.implied[rank]
		if g == nil {
			g = &ir.Grid{ID: len(r.p.Grids), Pos: d.Pos, Rank: rank}
			r.implied[rank] = g
			r.p.Grids = append(r.p.Grids, g)
		}
		return g
	}
	g := r.grids[d.Onto]
	if g == nil {
		e := r.diags.Errorf(source.BadProcessors, d.OntoPos, "ONTO %s: there is no processors arrangement of this name", d.Onto)
		if names := r.gridNames(); names != "" {
			e.WithHelp("declared are: %s; or leave ONTO out", names)
		} else {
			e.WithHelp("declare it: !HPF$ PROCESSORS %s(NUMBER_OF_PROCESSORS()); or leave ONTO out", d.Onto)
		}
		return nil
	}
	if g.Rank != rank {
		r.diags.Errorf(source.RankMismatch, d.OntoPos, "%s has rank %d, but the number of BLOCK and CYCLIC dimensions is %d", d.Onto, g.Rank, rank).
			WithNote(g.Pos, "%s was declared here", d.Onto).
			WithHelp("distribute as many dimensions as the arrangement has; the others are *")
		return nil
	}
	return g
}

func (r *resolver) gridNames() string {
	var names []string
	for _, g := range r.p.Grids {
		if g.Name != "" {
			names = append(names, g.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Shape is the shape of g on np PEs: the declared extents where they multiply
// to np, else refitted with the rank kept, as the run-time system does.
func Shape(g *ir.Grid, np int) dist.Grid {
	declared := make([]int, g.Rank)
	for i, e := range g.Shape {
		declared[i] = extent(e, np)
	}
	return dist.Fit(declared, np)
}

// extent evaluates an extent of PROCESSORS on np PEs; one without a value, which
// only an odd use of NUMBER_OF_PROCESSORS() can give, is 0: refitted.
func extent(e ir.Expr, np int) int {
	c, fits := ir.Evaluate(e, func(e ir.Expr) *ir.Const {
		if f, ok := e.(*ir.Call); ok && f.Name == "number_of_processors" {
			return &ir.Const{X: f.X, Int: np}
		}
		return nil
	})
	if !fits {
		return 0
	}
	return c.Int
}
