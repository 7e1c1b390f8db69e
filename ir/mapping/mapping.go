// Package mapping turns the mapping directives of a program into owner maps:
// which dimension of an array lies on which dimension of a processor grid, how
// it is dealt out, and where its elements sit in the template.
//
// The directives
//
//	!HPF$ PROCESSORS p(4)
//	!HPF$ TEMPLATE t(100, 100)
//	!HPF$ ALIGN a(i,j) WITH t(j, 2*i+1)
//	!HPF$ DISTRIBUTE t(*, BLOCK) ONTO p
//
// give for a(1:40, 1:100)
//
//	dimension 1: grid dimension 0 of p, BLOCK, template 1:100, position 2*i+1
//	dimension 2: whole on every PE, since the template dimension is `*`
//
// An array may be aligned with an array that is aligned itself; the positions
// are composed, so that every map speaks of the template at the end of the chain.
// The numbers that follow from a map for given PEs are those of runtime/dist.
// Ends not known before run time are open ends (ir/open.go) in the maps too; that each
// element has a position in the template is then checked where the array gets its bounds.
package mapping

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Resolve sets the Mapping of every array of p and the list of grids from the
// directives in p.HPF. Arrays without directive, and arrays whose directives
// leave them whole on every PE, keep a nil Mapping: they are replicated. So do
// arrays whose directives are in error; the errors go to diags.
func Resolve(p *ir.Program, diags *source.List) {
	r := &resolver{p: p, diags: diags, objects: map[string]*object{}, grids: map[string]*ir.Grid{}, implied: map[int]*ir.Grid{}}
	r.collect()
	defer func() {
		diags.Unique() // a procedure has its directives once for every call
		diags.Sort()
	}()
	for _, s := range p.Symbols {
		if o := r.objects[s.Name]; o != nil && o.sym != nil {
			s.Mapping = r.mapping(o)
		}
	}
	// Templates that nothing is aligned with may still be in error.
	for _, d := range p.HPF {
		if o := r.objects[d.Name]; d.Kind == ir.DistributeDirective && o != nil {
			r.distribution(o)
		}
	}
	r.homes()
	ir.MarkVarying(p.Body)
}

// object is something that can be distributed, or aligned with: an array or a
// template.
type object struct {
	name string
	pos  source.Pos
	dims []ir.Bound
	sym  *ir.Symbol // nil for a template

	align, distribute *ir.Directive

	state state
	place *place // when done, nil after an error

	dealt        bool // distribution is computed
	distribution *distribution
}

type state uint8

const (
	unvisited state = iota
	visiting
	done
)

// place says where an object lies in the root of its alignment chain.
type place struct {
	root *object
	// axes has one entry for each dimension of the object.
	axes []axis
	// fixed holds the root dimensions where the whole object sits at one
	// position; root dimensions in neither list replicate it.
	fixed map[int]int
}

// axis puts element i of a dimension at position a*i+b of root dimension dim;
// dim is -1 for a collapsed dimension.
type axis struct{ dim, a, b int }

// distribution deals an object out to a grid: gridDim[d] is the grid dimension
// of its dimension d, -1 for `*`.
type distribution struct {
	grid    *ir.Grid
	gridDim []int
	formats []dist.Format
	pos     source.Pos
}

type resolver struct {
	p       *ir.Program
	diags   *source.List
	objects map[string]*object
	grids   map[string]*ir.Grid
	implied map[int]*ir.Grid // by rank
}

// collect makes the objects and attaches to each its one directive.
func (r *resolver) collect() {
	for _, s := range r.p.Symbols {
		if s.IsArray() {
			r.objects[s.Name] = &object{name: s.Name, pos: s.Pos, dims: s.Dims, sym: s}
		}
	}
	for _, d := range r.p.HPF {
		switch d.Kind {
		case ir.ProcessorsDirective:
			g := &ir.Grid{ID: len(r.p.Grids), Name: d.Name, Pos: d.NamePos, Rank: len(d.Extents), Shape: d.Extents}
			r.p.Grids = append(r.p.Grids, g)
			r.grids[d.Name] = g
		case ir.TemplateDirective:
			r.objects[d.Name] = &object{name: d.Name, pos: d.NamePos, dims: d.Shape}
		}
	}
	for _, d := range r.p.HPF {
		o := r.objects[d.Name]
		switch {
		case o == nil:
		case d.Kind == ir.AlignDirective:
			if r.once(o, d) {
				o.align = d
			}
		case d.Kind == ir.DistributeDirective:
			if r.once(o, d) {
				o.distribute = d
			}
		}
	}
}

// once reports whether d is the first directive that maps o; a second one is
// an error.
func (r *resolver) once(o *object, d *ir.Directive) bool {
	first := o.align
	if first == nil {
		first = o.distribute
	}
	if first == nil {
		return true
	}
	var e *source.Diag
	switch {
	case first.Kind != d.Kind:
		e = r.diags.Errorf(source.DoubleDistribution, d.NamePos, "%s is both aligned and distributed", d.Name).
			WithHelp("keep one of the two: an aligned array takes its distribution from what it is aligned with")
	case d.Kind == ir.AlignDirective:
		e = r.diags.Errorf(source.DoubleDistribution, d.NamePos, "%s is aligned twice", d.Name).WithHelp("remove one ALIGN")
	default:
		e = r.diags.Errorf(source.DoubleDistribution, d.NamePos, "%s is distributed twice", d.Name).WithHelp("remove one DISTRIBUTE")
	}
	e.WithNote(first.NamePos, "the first directive for %s", d.Name)
	return false
}

// mapping is the owner map of array o, nil when every PE has all of it.
func (r *resolver) mapping(o *object) *ir.Mapping {
	at := r.placeOf(o)
	if at == nil {
		return nil
	}
	d := r.distribution(at.root)
	if d == nil {
		return nil
	}
	m := &ir.Mapping{Grid: d.grid, Pos: d.pos}
	if o.align != nil {
		m.Pos = o.align.Pos
	}
	somewhere := false
	for i, b := range o.dims {
		ax := dist.Axis{Lo: b.Lo, Hi: b.Hi, Grid: -1, Format: dist.Collapsed, TLo: b.Lo, THi: b.Hi, A: 1}
		if to := at.axes[i]; to.dim >= 0 && d.gridDim[to.dim] >= 0 {
			t := at.root.dims[to.dim]
			ax = dist.Axis{Lo: b.Lo, Hi: b.Hi, Grid: d.gridDim[to.dim], Format: d.formats[to.dim], TLo: t.Lo, THi: t.Hi, A: to.a, B: to.b}
			somewhere = true
		}
		m.Map.Axes = append(m.Map.Axes, ax)
	}
	for dim, t := range at.root.dims {
		if pos, ok := at.fixed[dim]; ok && d.gridDim[dim] >= 0 {
			m.Map.Fixed = append(m.Map.Fixed, dist.Fixed{Grid: d.gridDim[dim], Format: d.formats[dim], TLo: t.Lo, THi: t.Hi, Pos: pos})
			somewhere = true
		}
	}
	if !somewhere {
		return nil
	}
	if m.Ends = r.ends(m.Map); len(m.Ends) > 0 && !o.sym.IsOpen() && !r.allocated(o.sym) {
		r.diags.Errorf(source.OutsideSubset, m.Pos, "%s has constant bounds and is aligned with %s, whose bounds are not known before run time", o.sym.Source(), o.align.Target).
			WithNote(o.pos, "it is declared here").
			WithHelp("declare %s ALLOCATABLE and allocate it behind what it is aligned with, or DISTRIBUTE it", o.sym.Source())
		return nil
	}
	return m
}

// allocated reports whether the program allocates s.
func (r *resolver) allocated(s *ir.Symbol) bool {
	found := false
	ir.Walk(r.p.Body, func(st ir.Stmt) bool {
		a, ok := st.(*ir.Allocate)
		found = found || ok && a.Sym == s
		return !found
	})
	return found
}

// ends are the scalars that open ends in m stand for.
func (r *resolver) ends(m dist.Map) (list []*ir.Symbol) {
	ir.EachEnds(m, func(lo, hi int) (int, int) {
		for _, n := range []int{lo, hi} {
			if k, _, open := ir.Open(n); open && k < len(r.p.Ends) && !slices.Contains(list, r.p.Ends[k]) {
				list = append(list, r.p.Ends[k])
			}
		}
		return lo, hi
	})
	return list
}
