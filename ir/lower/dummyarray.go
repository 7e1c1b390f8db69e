package lower

import (
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
	a := d.arg
	if a != nil && a.view == nil {
		a = nil // reported
	}
	if a != nil && len(a.shape.n) != len(dims) {
		l.errorf(codeCall, a.pos, "%s has rank %d, the dummy argument %s has rank %d", b.what(d), len(a.shape.n), d.Name.Name, len(dims)).
			WithNote(d.Pos, "%s is an argument here", d.Name.Name).
			WithHelp("pass a section of rank %d: an array is not reshaped by a call", len(dims))
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
			if b.external {
				l.errorf(codeCall, dim.Pos, "%s has assumed shape, and %s is an external procedure", d.Name.Name, b.unit.Name).
					WithHelp("put %s behind CONTAINS or into a module, or declare %s with its bounds", b.unit.Name, d.Name.Name)
				ok = false
			}
			if n = l.intConst(1, dim.Pos); a != nil {
				n = ir.Clone(a.shape.n[k])
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
		lo, n = b.captured(lo, dim.Pos), b.captured(n, dim.Pos)
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
		if a != nil && ok {
			ok = b.fits(d, k, n, a.shape.n[k], k == len(dims)-1)
		}
	}
	if a == nil || !ok {
		return
	}
	in := make([]viewSub, len(dims))
	for k := range dims {
		in[k] = viewSub{dim: k, coef: l.intConst(1, d.Pos), off: l.minus(ir.Clone(a.shape.lo[k]), ir.Clone(sh.lo[k]), d.Pos)}
	}
	l.views[d.sym] = l.through(a.view, in, a.pos)
	d.fixedShape = constant
	delete(l.unbounded, d.sym)
}

// bound lowers a bound of a dummy array or of a local array of a procedure.
// Constants that are passed as arguments are known.
func (b *binding) bound(e ast.Expr) ir.Expr {
	l := b.l
	outer := l.noCalls
	l.noCalls = true
	x := l.integer(e, "an array bound")
	l.noCalls = outer
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

// fits compares an extent of a dummy array with that of the actual argument. All
// but the last must be equal, or the elements of the one would not be those of
// the other. What is not known is tested at run time.
func (b *binding) fits(d *dummy, k int, n, actual ir.Expr, last bool) bool {
	l := b.l
	want, okN := constOf(n)
	have, okA := constOf(actual)
	switch {
	case okN && okA && (want == have || last && want < have), ir.Same(n, actual):
		return true
	case okN && okA:
		e := l.errorf(codeCall, d.arg.pos, "%s has extent %d in dimension %d, the dummy argument %s has %d", b.what(d), have, k+1, d.Name.Name, want).
			WithNote(d.Pos, "%s is an argument here", d.Name.Name)
		if want < have {
			e.WithHelp("pass a section of that extent, or declare %s with the extent %d", d.Name.Name, have)
		} else {
			e.WithHelp("pass a larger array, or declare %s with the extent %d", d.Name.Name, have)
		}
		return false
	case last || l.phantom:
		return true
	}
	text := b.what(d) + ": the extents of the array and of the dummy argument differ"
	stop := &ir.Stop{S: ir.S{Pos: d.arg.pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: d.arg.pos, Typ: ir.Character}, Str: text}}
	b.entry = append(b.entry, &ir.If{S: ir.S{Pos: d.arg.pos},
		Cond: l.bin(ir.Ne, ir.Clone(n), ir.Clone(actual), d.arg.pos, d.arg.pos), Then: one(stop)})
	return true
}

// localBounds evaluates the bounds of an array that a procedure declares for itself. They
// may depend on arguments: where they are no constants the array is allocated at the entry.
func (b *binding) localBounds(dims []ast.DimSpec, name string, s *ir.Symbol) (list []ir.Bound, ok bool) {
	l := b.l
	list, ok = make([]ir.Bound, len(dims)), true
	lo, hi := make([]ir.Expr, len(dims)), make([]ir.Expr, len(dims))
	constant := true
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
	names := map[string]source.Pos{}
	for _, d := range b.list {
		names[d.Name.Name] = d.Pos
	}
	for _, dim := range dims {
		l.loose[s] = l.loose[s] || dim.Lo != nil && mentionsDummy(dim.Lo, names) || dim.Hi != nil && mentionsDummy(dim.Hi, names)
	}
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

// automatic makes s an array that gets its memory at the entry of the procedure.
func (b *binding) automatic(s *ir.Symbol, lo, hi []ir.Expr, pos source.Pos) {
	l := b.l
	if s.Coarray {
		l.errorf(codeNotConstant, pos, "the bounds of coarray %s are not constant at the call in line %d", s.Source(), b.call.Pos.Line).
			WithHelp("declare the largest extent, and work on a part of it")
		return
	}
	los, his := l.openArray(s, lo, pos)
	for k := range his {
		if los[k] != nil {
			b.entry = append(b.entry, l.setEnd(los[k], s, lo[k], pos)...)
			lo[k] = varOf(los[k], pos)
		}
		n := l.extentOf(lo[k], hi[k], pos)
		b.entry = append(b.entry, l.setEnd(his[k], s, l.minus(l.plus(n, ir.Clone(lo[k]), pos), l.intConst(1, pos), pos), pos)...)
	}
	b.entry = append(b.entry, &ir.Allocate{S: ir.S{Pos: pos}, Sym: s})
}
