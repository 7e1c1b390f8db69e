package mapping

import (
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// placeOf is the place of o in the root of its alignment chain, nil after an
// error, which is reported once.
func (r *resolver) placeOf(o *object) *place {
	switch o.state {
	case done:
		return o.place
	case visiting:
		r.cycle(o)
		return nil
	}
	o.state = visiting
	if o.align == nil {
		o.place = &place{root: o, axes: make([]axis, len(o.dims)), fixed: map[int]int{}}
		for i := range o.dims {
			o.place.axes[i] = axis{i, 1, 0}
		}
	} else {
		o.place = r.alignedPlace(o)
	}
	o.state = done
	return o.place
}

// cycle reports that o is aligned with itself by way of others.
func (r *resolver) cycle(o *object) {
	chain := []string{o.name}
	for at := r.objects[o.align.Target]; at != nil && at != o && at.align != nil; at = r.objects[at.align.Target] {
		chain = append(chain, at.name)
	}
	chain = append(chain, o.name)
	r.diags.Errorf(source.BadAlign, o.align.NamePos, "%s is aligned with itself: %s", o.name, strings.Join(chain, " with ")).
		WithHelp("align one of them with a template, or distribute it")
}

// alignedPlace composes the ALIGN of o with the place of its target.
func (r *resolver) alignedPlace(o *object) *place {
	d := o.align
	target := r.alignTarget(d)
	if target == nil {
		return nil
	}
	subs, ok := r.subscripts(o, target, d)
	if !ok {
		return nil
	}
	to := r.placeOf(target)
	if to == nil {
		return nil
	}
	p := &place{root: to.root, axes: make([]axis, len(o.dims)), fixed: map[int]int{}}
	for i := range p.axes {
		p.axes[i].dim = -1
	}
	for dim, pos := range to.fixed {
		p.fixed[dim] = pos
	}
	for j, s := range subs {
		t := to.axes[j]
		switch {
		case t.dim < 0 || s.replicated: // collapsed in the target, or everywhere
		default:
			off, okOff := dist.Position(t.a, s.off, t.b)
			coef, okCoef := dist.Position(t.a, s.coef, 0)
			if !okOff || !okCoef {
				r.diags.Errorf(source.TooLarge, d.NamePos, "in %s, with which %s is aligned in the end, its coefficient or offset is beyond 2**48", to.root.name, o.name).
					WithHelp("align %s with %s itself", o.name, to.root.name)
				return nil
			}
			if s.dim < 0 {
				p.fixed[t.dim] = off
				continue
			}
			p.axes[s.dim] = axis{t.dim, coef, off}
		}
	}
	return p
}

// alignTarget finds what d aligns with.
func (r *resolver) alignTarget(d *ir.Directive) *object {
	if o := r.objects[d.Target]; o != nil {
		return o
	}
	if g := r.grids[d.Target]; g != nil {
		r.diags.Errorf(source.BadAlign, d.TargetPos, "ALIGN with %s, which is a processors arrangement", d.Target).
			WithNote(g.Pos, "%s was declared here", d.Target).
			WithHelp("declare a TEMPLATE, distribute it onto %s and align with it", d.Target)
		return nil
	}
	for _, s := range r.p.Symbols {
		if s.Name == d.Target {
			r.diags.Errorf(source.BadAlign, d.TargetPos, "ALIGN with %s, which is a scalar", d.Target).
				WithNote(s.Pos, "%s was declared here", d.Target).WithHelp("align with a template or an array")
			return nil
		}
	}
	e := r.diags.Errorf(source.UndeclaredTemplate, d.TargetPos, "ALIGN with %s, which is not declared", d.Target)
	if d.Symbol != nil {
		e.WithHelp("declare it: !HPF$ TEMPLATE %s(%s)", d.Target, ir.BoundsString(d.Symbol.Dims))
	}
	return nil
}

// subscript is one target subscript of an ALIGN with its dummy resolved to a
// dimension of the array: coef*i+off, the constant off (dim -1), or replicated.
type subscript struct {
	replicated     bool
	dim, coef, off int
}

// subscripts resolves the lists of an ALIGN, one entry for each dimension of
// the target, and checks ranks, dummies and that no element leaves the target.
func (r *resolver) subscripts(o, target *object, d *ir.Directive) ([]subscript, bool) {
	from, subs, ok := r.lists(o, target, d)
	if !ok {
		return nil, false
	}
	dimOf := map[string]int{}
	for i, s := range from {
		if s.Dummy != "" {
			dimOf[s.Dummy] = i
		}
	}
	used := map[int]source.Pos{}
	out := make([]subscript, len(subs))
	for j, s := range subs {
		bound := target.dims[j]
		switch {
		case s.Replicated:
			out[j] = subscript{replicated: true, dim: -1}
			continue
		case s.Dummy == "":
			if !bound.Open() && (s.Off < bound.Lo || s.Off > bound.Hi) {
				r.diags.Errorf(source.OutOfBounds, s.Pos, "position %d lies outside of dimension %d of %s, %d:%d", s.Off, j+1, target.name, bound.Lo, bound.Hi).
					WithNote(target.pos, "%s was declared here", target.name)
				return nil, false
			}
			out[j] = subscript{dim: -1, off: s.Off}
			continue
		}
		dim, known := dimOf[s.Dummy]
		if !known { // lower resolves names, so only a ":" can miss its partner
			r.diags.Errorf(source.BadAlign, s.Pos, "subscript %d of %s has no partner in the list of %s", j+1, target.name, o.name)
			return nil, false
		}
		if at, twice := used[dim]; twice {
			r.diags.Errorf(source.BadAlign, s.Pos, "dummy %s is used in two subscripts of %s", dummyName(s.Dummy), target.name).
				WithNote(at, "the first use").
				WithHelp("use each dummy once; write * or a constant in the other subscript")
			return nil, false
		}
		used[dim] = s.Pos
		sub := subscript{dim: dim, coef: s.Coef, off: s.Off}
		if strings.HasPrefix(s.Dummy, ":") {
			if s.Section != nil {
				sub, ok = r.matchSection(o, target, dim, j, s)
			} else {
				sub, ok = r.matchColon(o, target, d, dim, j)
			}
			if !ok {
				return nil, false
			}
		}
		if !r.inside(o, target, sub, j, s.Pos) {
			return nil, false
		}
		out[j] = sub
	}
	return out, true
}

func dummyName(name string) string {
	if strings.HasPrefix(name, ":") {
		return ":"
	}
	return name
}

// lists returns the source and target lists of d, those left out filled in:
// without lists every dimension matches as ":" does, and the entries of a source list alone that
// are not "*" match the dimensions of the target in order.
func (r *resolver) lists(o, target *object, d *ir.Directive) ([]ir.AlignSource, []ir.AlignSub, bool) {
	src, subs := d.Source, d.Subs
	colons := func(n int) (a []ir.AlignSource, b []ir.AlignSub) {
		for k := range n {
			name := ":" + strconv.Itoa(k+1)
			a = append(a, ir.AlignSource{Pos: d.NamePos, Dummy: name})
			b = append(b, ir.AlignSub{Pos: d.TargetPos, Dummy: name, Coef: 1})
		}
		return a, b
	}
	if src == nil {
		src, _ = colons(len(o.dims))
	}
	if subs == nil {
		_, subs = colons(len(target.dims))
		if d.Source != nil {
			subs = nil
			for _, s := range src {
				if s.Dummy != "" {
					subs = append(subs, ir.AlignSub{Pos: d.TargetPos, Dummy: s.Dummy, Coef: 1})
				}
			}
		}
	}
	if len(src) != len(o.dims) {
		r.rank(d.NamePos, o, len(src))
		return nil, nil, false
	}
	if d.Subs != nil && len(subs) != len(target.dims) {
		r.rank(d.TargetPos, target, len(subs))
		return nil, nil, false
	}
	if d.Subs == nil && (len(subs) != len(target.dims) || d.Source == nil && len(src) != len(subs)) {
		r.diags.Errorf(source.RankMismatch, d.NamePos, "%s has rank %d, %s has rank %d", o.name, len(o.dims), target.name, len(target.dims)).
			WithNote(target.pos, "declared as %s(%s)", target.name, ir.BoundsString(target.dims)).
			WithHelp("write both lists, with * for the dimensions without partner")
		return nil, nil, false
	}
	return src, subs, true
}

// rank reports a list of n entries for o, which has another rank.
func (r *resolver) rank(pos source.Pos, o *object, n int) {
	r.diags.Errorf(source.RankMismatch, pos, "%s has rank %d, the list has %d", o.name, len(o.dims), n).
		WithNote(o.pos, "declared as %s(%s)", o.name, ir.BoundsString(o.dims)).
		WithHelp("write one entry for each dimension")
}

// matchColon matches dimension dim of o with dimension j of the target from
// their lower bounds on; HPF wants equal extents, but programs align with longer templates.
func (r *resolver) matchColon(o, target *object, d *ir.Directive, dim, j int) (subscript, bool) {
	b, t := o.dims[dim], target.dims[j]
	if b.Open() || t.Open() {
		if b.Lo != t.Lo && (ir.IsOpen(b.Lo) || ir.IsOpen(t.Lo)) {
			r.diags.Errorf(source.OutsideSubset, d.NamePos, "dimension %d of %s is aligned with dimension %d of %s from their lower bounds on, which are not known before run time", dim+1, o.name, j+1, target.name).
				WithNote(target.pos, "declared as %s(%s)", target.name, ir.BoundsString(target.dims)).
				WithHelp("write the subscripts, as in ALIGN %s(i) WITH %s(i)", o.name, target.name)
			return subscript{}, false
		}
		if b.Lo == t.Lo {
			return subscript{dim: dim, coef: 1}, true
		}
		return subscript{dim: dim, coef: 1, off: t.Lo - b.Lo}, true
	}
	if b.Extent() < t.Extent() {
		r.diags.Warnf(source.BadAlign, d.NamePos, "dimension %d of %s has extent %d, dimension %d of %s has extent %d: from their lower bounds on elements lie together", dim+1, o.name, b.Extent(), j+1, target.name, t.Extent()).
			WithNote(target.pos, "declared as %s(%s)", target.name, ir.BoundsString(target.dims)).
			WithHelp("write the subscripts, as in ALIGN %s(i) WITH %s(i)", o.name, target.name)
	} else if b.Extent() != t.Extent() {
		r.diags.Errorf(source.BadAlign, d.NamePos, "dimension %d of %s has extent %d, dimension %d of %s has extent %d", dim+1, o.name, b.Extent(), j+1, target.name, t.Extent()).
			WithNote(target.pos, "declared as %s(%s)", target.name, ir.BoundsString(target.dims)).
			WithHelp("write the subscripts, as in ALIGN %s(i) WITH %s(i)", o.name, target.name)
		return subscript{}, false
	}
	return subscript{dim: dim, coef: 1, off: t.Lo - b.Lo}, true
}

// matchSection matches dimension dim of o with the section of dimension j of the target that
// s names: their elements in order.
func (r *resolver) matchSection(o, target *object, dim, j int, s ir.AlignSub) (subscript, bool) {
	b, t := o.dims[dim], s.Section
	if b.Open() {
		r.diags.Errorf(source.OutsideSubset, s.Pos, "dimension %d of %s, whose bounds are not known before run time, is aligned with a section of %s", dim+1, o.name, target.name).
			WithNote(o.pos, "declared as %s(%s)", o.name, ir.BoundsString(o.dims)).
			WithHelp("write the subscripts: ALIGN %s(i) WITH %s(i)", o.name, target.name)
		return subscript{}, false
	}
	if b.Extent() != t.N {
		r.diags.Errorf(source.BadAlign, s.Pos, "dimension %d of %s has extent %d, the section of dimension %d of %s has %d elements", dim+1, o.name, b.Extent(), j+1, target.name, t.N).
			WithNote(o.pos, "declared as %s(%s)", o.name, ir.BoundsString(o.dims)).
			WithHelp("write a section with as many elements, or the subscripts: ALIGN %s(i) WITH %s(i)", o.name, target.name)
		return subscript{}, false
	}
	at, ok := dist.Position(t.Step, -b.Lo, t.Lo)
	if !ok {
		r.diags.Errorf(source.TooLarge, s.Pos, "a coefficient or offset of ALIGN is beyond 2**48").WithHelp("choose a nearer position of the template")
		return subscript{}, false
	}
	return subscript{dim: dim, coef: t.Step, off: at}, true
}

// inside checks that all elements of o sit within dimension j of the target.
func (r *resolver) inside(o, target *object, s subscript, j int, pos source.Pos) bool {
	b, t := o.dims[s.dim], target.dims[j]
	if b.Open() || t.Open() || b.Extent() == 0 {
		return true
	}
	for _, i := range [2]int{b.Lo, b.Hi} {
		at, ok := dist.Position(s.coef, i, s.off)
		if !ok {
			r.diags.Errorf(source.TooLarge, pos, "the position of element %d of dimension %d of %s in %s, (%d)*(%d) + (%d), is computed with numbers beyond 2**48", i, s.dim+1, o.name, target.name, s.coef, i, s.off).
				WithHelp("change the subscript, or choose bounds of %s nearer to 0", o.name)
			return false
		}
		if at < t.Lo || at > t.Hi {
			r.diags.Errorf(source.OutOfBounds, pos, "element %d of dimension %d of %s would sit at position %d of %s, outside of %d:%d", i, s.dim+1, o.name, at, target.name, t.Lo, t.Hi).
				WithNote(target.pos, "declared as %s(%s)", target.name, ir.BoundsString(target.dims)).
				WithNote(o.pos, "declared as %s(%s)", o.name, ir.BoundsString(o.dims)).
				WithHelp("widen %s, or change the subscript", target.name)
			return false
		}
	}
	return true
}
