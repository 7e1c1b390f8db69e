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
	if out.grid = r.gridFor(d, rank); out.grid == nil {
		return nil
	}
	o.distribution = out
	return out
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

// extent evaluates an extent of PROCESSORS on np PEs; a division by zero, which
// only an odd use of NUMBER_OF_PROCESSORS() can give, makes 0: refitted.
func extent(e ir.Expr, np int) int {
	switch e := e.(type) {
	case *ir.Const:
		return e.Int
	case *ir.Call:
		if e.Name == "number_of_processors" {
			return np
		}
		values := make([]int, len(e.Args))
		for i, a := range e.Args {
			values[i] = extent(a, np)
		}
		return extentCall(e.Name, values)
	case *ir.Un:
		if e.Op == ir.Neg {
			return -extent(e.E, np)
		}
		return extent(e.E, np)
	case *ir.Bin:
		x, y := extent(e.L, np), extent(e.R, np)
		switch e.Op {
		case ir.Add:
			return x + y
		case ir.Sub:
			return x - y
		case ir.Mul:
			return x * y
		case ir.Div:
			if y != 0 {
				return x / y
			}
		}
	}
	return 0
}

func extentCall(name string, args []int) int {
	switch name {
	case "max", "min":
		best := args[0]
		for _, x := range args[1:] {
			if (x > best) == (name == "max") {
				best = x
			}
		}
		return best
	case "mod":
		if args[1] != 0 {
			return args[0] % args[1]
		}
	case "abs":
		return max(args[0], -args[0])
	}
	return 0
}
