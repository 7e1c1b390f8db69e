package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// setShape gives a dummy array its bounds, and ties it to the actual argument.
func (b *binding) setShape(d *dummy, dims []ast.DimSpec) {
	l := b.l
	if l.shapes[d.sym] != nil {
		l.errorf(codeDuplicate, d.Pos, "the dimensions of %s are declared twice", d.Name.Name)
		return
	}
	sh := &shape{}
	l.shapes[d.sym] = sh
	if d.absent {
		l.noShape(d, len(dims))
		return
	}
	l.unbounded[d.sym] = true // until all is known to be right
	d.arg = l.held(d.arg, func(e ir.Expr) ir.Expr { return b.captured(ir.Clone(e), d.arg.pos) })
	if b.frame != nil && l.parts[d.Name] == byCopy && mayCopy(d, d.arg) {
		b.frame.pass(l, d)
	}
	a := d.arg
	if a != nil && a.view == nil && !d.takesText() {
		a = nil // reported
	}
	if a != nil && (a.start != nil || a.view == nil) && dims[0].Hi == nil {
		b.mixed(d)
		a = nil
	}
	if a != nil && dims[0].Hi == nil && len(a.shape.n) != len(dims) {
		l.errorf(codeCall, a.pos, "%s has rank %d, the dummy argument %s has rank %d", b.what(d), len(a.shape.n), d.Name.Name, len(dims)).
			WithNote(d.Pos, "%s is an argument here", d.Name.Name).
			WithHelp("pass a section of rank %d, or declare %s with its bounds: an array of assumed shape is not reshaped by a call", len(dims), d.Name.Name)
		a = nil
	}
	d.sym.Dims = make([]ir.Bound, len(dims))
	ok, constant := true, true
	for k, dim := range dims {
		var lo, n ir.Expr = l.intConst(1, dim.Pos), nil
		if dim.Lo != nil {
			lo = b.bound(dim.Lo)
		}
		switch {
		case isBad(lo):
		case dim.Hi == nil:
			if b.external && a != nil {
				l.errorf(codeCall, dim.Pos, "%s has assumed shape, and %s is an external procedure", d.Name.Name, b.unit.Name).
					WithHelp("put %s behind CONTAINS or into a module, or declare %s with its bounds", b.unit.Name, d.Name.Name)
				ok = false
			}
			if a != nil && a.endless && k == len(dims)-1 {
				l.noEnd(a)
				ok = false
			}
			if n = l.intConst(1, dim.Pos); a != nil {
				n = ir.Clone(a.shape.n[k])
			}
		case isStar(dim.Hi):
			d.explicit, d.star = true, true
			if n = l.intConst(1, dim.Pos); a != nil && d.repacked && d.sym.Type == ir.Character {
				n = b.assumedTexts(d, sh.n, dim.Pos)
			} else if a != nil && d.repacked {
				n = b.assumedParts(d, sh.n, dim.Pos)
			} else if a != nil {
				n = b.assumed(a, sh.n, dim.Pos)
			}
			if k < len(dims)-1 {
				l.errorf(codeDeclaration, dim.Pos, "dimension %d of %s is *, which only the last one may be", k+1, d.Name.Name).WithHelp("write its bounds")
				ok = false
			}
		default:
			d.explicit = true
			if hi := b.bound(dim.Hi); !isBad(hi) {
				n = l.extentOf(lo, hi, dim.Pos)
			}
		}
		if n == nil {
			ok = false
			n = l.intConst(1, dim.Pos)
		}
		if b.frame != nil && dim.Hi == nil && b.frame.passed[d] == nil {
			n = l.fixed(n, "bound", dim.Pos, &b.frame.first)
		}
		if lo = b.captured(lo, dim.Pos); dim.Hi == nil || !isStar(dim.Hi) {
			n = b.captured(n, dim.Pos)
		}
		sh.lo, sh.n = append(sh.lo, lo), append(sh.n, n)
		first, okLo := constOf(lo)
		size, okN := constOf(n)
		constant = constant && okLo && okN
		d.sym.Dims[k] = ir.Bound{Lo: 1, Hi: 1}
		if okLo && okN {
			at := ir.Bound{Lo: first, Hi: first + size - 1}
			ok = ok && l.inReach([]ir.Bound{at}, dims[k:], "the dummy argument "+d.Name.Name)
			d.sym.Dims[k] = at
		}
	}
	if a == nil || !ok {
		return
	}
	if d.repacked || b.frame != nil && b.frame.passed[d] != nil {
		b.ownArray(d, sh, constant)
		return
	}
	tests := len(b.entry)
	if b.frame != nil {
		for k := range a.start {
			a.start[k] = l.fixed(a.start[k], "bound", a.pos, &b.frame.first)
		}
	}
	if l.views[d.sym] = b.placed(d, sh, a); l.views[d.sym] == nil {
		return
	}
	d.fixedShape = constant
	if b.frame != nil && l.parts[d.Name] == asPart {
		b.frame.movable(l, d, l.views[d.sym], sh, tests)
	}
	delete(l.unbounded, d.sym)
}

// bound lowers a bound of a dummy array or of a local array of a procedure.
// Constants that are passed as arguments are known; what has to be executed for it, as a sum or a
// function, is at the entry.
func (b *binding) bound(e ast.Expr) ir.Expr {
	l := b.l
	outer := l.noCalls
	l.noCalls = false
	var x ir.Expr
	before := l.functions(func() { x = l.integer(e, "an array bound") })
	l.noCalls = outer
	if !l.phantom {
		b.entry = append(b.entry, before...)
	}
	if isBad(x) {
		return x
	}
	return l.substitute(x, l.known)
}

// captured is the value of e at the entry of the procedure.
func (b *binding) captured(e ir.Expr, pos source.Pos) ir.Expr {
	if isBad(e) || b.l.phantom {
		return e
	}
	return b.l.fixed(e, "bound", pos, &b.entry)
}

// localBounds evaluates the bounds of an array that a procedure declares for itself. They
// may depend on arguments: where they are no constants the array is allocated at the entry.
func (b *binding) localBounds(dims []ast.DimSpec, name string, s *ir.Symbol) (list []ir.Bound, ok bool) {
	l := b.l
	lo, hi, list, constant, ok := b.ownBounds(dims, name)
	names := map[string]source.Pos{}
	for _, d := range b.list {
		names[d.Name.Name] = d.Pos
	}
	l.loose[s] = l.loose[s] || mentionsAny(dims, names)
	switch {
	case !ok || constant:
		return list, ok
	case l.phantom:
		for k := range list {
			list[k] = ir.Bound{Lo: 1, Hi: 1}
		}
		l.loose[s] = true
		return list, true
	}
	b.automatic(s, lo, hi, dims[0].Pos)
	return s.Dims, true
}

// templateBounds evaluates the bounds of a template that a procedure declares, as localBounds does.
// open: some are open ends.
func (b *binding) templateBounds(dims []ast.DimSpec, name string) (list []ir.Bound, open, ok bool) {
	lo, hi, list, constant, ok := b.ownBounds(dims, name)
	switch {
	case !ok || constant:
		return list, false, ok
	case b.l.phantom:
		for k := range list {
			list[k] = ir.Bound{Lo: 1, Hi: 1}
		}
		return list, false, true
	}
	return b.openShape(&ir.Symbol{Name: name}, lo, hi, dims[0].Pos), true, true
}

// ownBounds are the bounds of what a procedure declares for itself, as numbers where they are constant.
func (b *binding) ownBounds(dims []ast.DimSpec, name string) (lo, hi []ir.Expr, list []ir.Bound, constant, ok bool) {
	l := b.l
	list, constant, ok = make([]ir.Bound, len(dims)), true, true
	lo, hi = make([]ir.Expr, len(dims)), make([]ir.Expr, len(dims))
	value := func(e ast.Expr) (ir.Expr, int) {
		x := b.bound(e)
		c, isConst := constOf(x)
		ok = ok && !isBad(x)
		constant = constant && isConst
		return x, c
	}
	for k, dim := range dims {
		lo[k], list[k].Lo = l.intConst(1, dim.Pos), 1
		if dim.Lo != nil {
			lo[k], list[k].Lo = value(dim.Lo)
		}
		if dim.Hi == nil {
			l.errorf(codeOutside, dim.Pos, "%s has no upper bound and is no dummy argument", name).
				WithHelp("declare it with its extent, or as ALLOCATABLE")
			ok = false
			continue
		}
		hi[k], list[k].Hi = value(dim.Hi)
	}
	return lo, hi, list, constant, ok
}

// automatic makes s an array that gets its memory at the entry of the procedure.
func (b *binding) automatic(s *ir.Symbol, lo, hi []ir.Expr, pos source.Pos) {
	l := b.l
	if s.Coarray {
		l.errorf(codeNotConstant, pos, "the bounds of coarray %s are not constant at the call in line %d", s.Source(), b.call.Pos.Line).
			WithHelp("declare the largest extent, and work on a part of it")
		return
	}
	los, his := l.openArray(s, lo, pos)
	b.setEnds(s, los, his, lo, hi, pos)
	b.entry = append(b.entry, &ir.Allocate{S: ir.S{Pos: pos}, Sym: s})
}

// openShape is the bounds lo:hi of a template, as open ends that get their values at the entry of the
// procedure. They are named after s.
func (b *binding) openShape(s *ir.Symbol, lo, hi []ir.Expr, pos source.Pos) []ir.Bound {
	named := *s
	los, his := b.l.openEnds(&named, lo, pos)
	b.setEnds(s, los, his, slices.Clone(lo), hi, pos)
	return named.Dims
}

// setEnds gives the ends los and his of s, nil where a lower one is a constant, the bounds lo:hi.
func (b *binding) setEnds(s *ir.Symbol, los, his []*ir.Symbol, lo, hi []ir.Expr, pos source.Pos) {
	l := b.l
	for k := range his {
		if los[k] != nil {
			b.entry = append(b.entry, l.setEnd(los[k], s, lo[k], pos)...)
			lo[k] = varOf(los[k], pos)
		}
		n := l.extentOf(lo[k], hi[k], pos)
		b.entry = append(b.entry, l.setEnd(his[k], s, l.minus(l.plus(n, ir.Clone(lo[k]), pos), l.intConst(1, pos), pos), pos)...)
	}
}
