package lower

import (
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Sequence association: a dummy array with bounds of its own, or of assumed size, has the
// elements of the actual argument one after the other, from an element on if that is what
// is passed. Where the dimensions of both fit, the one is a part of the other as with
// assumed shape. Otherwise the array that is passed has to be of rank 1: for
//
//	real a(4,5)
//	call s(a(1,3), 2)       ! subroutine s(x, n); real x(n,*)
//
// x(i,j) is a_storage(i + 2*(j-1) + 8). It is that from its declaration on, so that
// lowering begins again when the first such call is found.

// declared is the declaration of a variable.
type declared struct {
	name string
	pos  source.Pos
}

func declaredAs(s *ir.Symbol) declared { return declared{s.Source(), s.Pos} }

// assumed is the extent of the last dimension of an array of assumed size, of which the
// others are n, as far as argument a goes.
func (b *binding) assumed(a *argument, n []ir.Expr, pos source.Pos) ir.Expr {
	l := b.l
	left := l.minus(l.product1(a.shape.n), b.position(a, pos), pos)
	if len(n) == 0 {
		return left
	}
	size := l.product1(n)
	if c, ok := constOf(size); ok && c < 1 {
		return l.intConst(0, pos)
	}
	return l.arith(ir.Div, left, size, pos)
}

// position is how many elements of a are in front of where it starts.
func (b *binding) position(a *argument, pos source.Pos) ir.Expr {
	l := b.l
	var at, size ir.Expr = l.intConst(0, pos), l.intConst(1, pos)
	for k := range a.start {
		at = l.plus(l.times(size, l.minus(ir.Clone(a.start[k]), ir.Clone(a.shape.lo[k]), pos), pos), at, pos)
		size = l.times(size, ir.Clone(a.shape.n[k]), pos)
	}
	return at
}

// equal reports whether a and b are known to have the same value.
func equal(a, b ir.Expr) bool {
	x, okX := constOf(a)
	y, okY := constOf(b)
	return okX && okY && x == y || ir.Same(a, b)
}

// placed is dummy array d, of shape sh, as a view of what a is a view of; nil after an
// error, or where lowering has to begin again.
func (b *binding) placed(d *dummy, sh *shape, a *argument) *view {
	l := b.l
	for k := range a.start {
		a.start[k] = b.captured(a.start[k], a.pos)
	}
	if in, ok := b.alongside(d, sh, a); ok {
		return l.through(a.view, in, a.pos)
	}
	if !l.phantom && !b.enough(d, sh, a) {
		return nil
	}
	base := a.view.base
	if first, size, ok := l.inSequence(a); ok {
		return l.sequence(sh, a, first, size)
	}
	switch key := declaredAs(base); {
	case l.phantom:
	case !l.flattens(base) || l.flat[key]:
		return b.alongColumn(d, sh, a)
	default:
		l.again.flat[key] = true
	}
	return nil
}

// flattens reports whether array s can have rank 1 instead of its own.
func (l *lowerer) flattens(s *ir.Symbol) bool {
	return !l.hasDirectives(s) && !s.IsOpen() && !l.constants[s]
}

// rigid says why a call does not reshape what is a part of s.
func (l *lowerer) rigid(s *ir.Symbol) string {
	switch {
	case l.hasDirectives(s):
		return "arrays with directives are not reshaped by a call"
	case s.IsOpen():
		return "arrays whose extents are not known before run time are not reshaped by a call"
	case l.constants[s]:
		return "arrays of constants are not reshaped by a call"
	}
	return "its elements do not follow each other"
}

// alongside says, for each dimension of argument a, which elements dummy array d of shape
// sh has; ok is false where it has them in another way. All extents but the last one must
// be equal, or the elements of the one would not be those of the other. For arrays of the
// same rank what is not known is tested at run time.
func (b *binding) alongside(d *dummy, sh *shape, a *argument) (in []viewSub, ok bool) {
	l := b.l
	r, q := len(sh.n), len(a.shape.n)
	if r > q || a.start == nil && r != q {
		return nil, false
	}
	for k := range q {
		first := a.shape.lo[k]
		if a.start != nil {
			first = a.start[k]
		}
		whole := equal(first, a.shape.lo[k])
		last := k == r-1
		if k >= r {
			in = append(in, viewSub{dim: -1, off: ir.Clone(first)})
			continue
		}
		known := isConst(sh.n[k]) && isConst(a.shape.n[k])
		switch {
		case !d.explicit, equal(sh.n[k], a.shape.n[k]) && whole && !(last && d.star):
		case last && r == q:
		case last && !d.star && b.inside(sh, a, k, first):
		case !last && whole && !known && (a.start == nil || !l.flattens(a.view.base)):
			b.testExtent(d, sh.n[k], a.shape.n[k])
		default:
			return nil, false
		}
		in = append(in, viewSub{dim: k, coef: l.intConst(1, d.Pos), off: l.minus(ir.Clone(first), ir.Clone(sh.lo[k]), d.Pos)})
	}
	return in, r < q || b.enough(d, sh, a)
}

// inside reports whether extent k of sh, from first on, is known to end within dimension k
// of a. A single element is how FORTRAN 66 wrote assumed size.
func (b *binding) inside(sh *shape, a *argument, k int, first ir.Expr) bool {
	n, okN := constOf(sh.n[k])
	room, okRoom := constOf(b.l.minus(ir.Clone(a.shape.n[k]), b.l.minus(ir.Clone(first), ir.Clone(a.shape.lo[k]), a.pos), a.pos))
	return okN && okRoom && n <= room && n != 1
}

// testExtent ends the program where the extents n and actual of a dimension, of all calls
// with this shape, differ.
func (b *binding) testExtent(d *dummy, n, actual ir.Expr) {
	l := b.l
	if l.phantom {
		return
	}
	text := b.what(d) + ": the extents of the array and of the dummy argument differ"
	stop := &ir.Stop{S: ir.S{Pos: d.arg.pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: d.arg.pos, Typ: ir.Character}, Str: text}}
	b.entry = append(b.entry, &ir.If{S: ir.S{Pos: d.arg.pos}, Cond: l.bin(ir.Ne, ir.Clone(n), ir.Clone(actual), d.arg.pos, d.arg.pos), Then: one(stop)})
}

// enough reports whether a has as many elements as dummy array d of shape sh, as far as
// that is known, or says by an error that it has not.
func (b *binding) enough(d *dummy, sh *shape, a *argument) bool {
	l := b.l
	if d.star || !d.explicit {
		return true
	}
	want, okW := constOf(l.product1(sh.n))
	have, okH := constOf(l.minus(l.product1(a.shape.n), b.position(a, a.pos), a.pos))
	if !okW || !okH || want <= have {
		return true
	}
	l.errorf(codeCall, a.pos, "%s has %s, the dummy argument %s has %d", b.what(d), count(have, "element"), d.Name.Name, want).
		WithNote(d.Pos, "%s is an argument here", d.Name.Name).
		WithHelp("pass a larger array, or declare %s with as many elements", d.Name.Name)
	return false
}

// inSequence is where in an array of rank 1 the elements of a follow each other: first is
// the subscript of that with which a starts, size the distance. ok is false where they do
// not, or the array is not of rank 1.
func (l *lowerer) inSequence(a *argument) (first, size ir.Expr, ok bool) {
	if len(a.view.subs) != 1 || a.view.subs[0].vec != nil {
		return nil, nil, false
	}
	sub := &a.view.subs[0]
	terms := sub.terms()
	var want ir.Expr
	first = ir.Clone(sub.off)
	for k, n := range a.shape.n {
		i := slices.IndexFunc(terms, func(t viewTerm) bool { return t.dim == k })
		switch {
		case i < 0 || terms[i].vec != nil:
			return nil, nil, false
		case want == nil:
			size, want = terms[i].coef, terms[i].coef
		case !equal(terms[i].coef, want):
			return nil, nil, false
		}
		at := a.shape.lo[k]
		if a.start != nil {
			at = a.start[k]
		}
		first = l.plus(l.times(terms[i].coef, ir.Clone(at), a.pos), first, a.pos)
		want = l.times(want, ir.Clone(n), a.pos)
	}
	return first, size, true
}

// sequence is an array of shape sh as a view of the elements at first, first+size, ... of
// the array of rank 1 that a is a view of.
func (l *lowerer) sequence(sh *shape, a *argument, first, size ir.Expr) *view {
	sub := viewSub{dim: -1, off: ir.Clone(first)}
	for k := range sh.n {
		limit, _ := constOf(sh.n[k])
		sub.add(viewTerm{dim: k, coef: ir.Clone(size), limit: limit})
		sub.off = l.minus(sub.off, l.times(size, ir.Clone(sh.lo[k]), a.pos), a.pos)
		size = l.times(size, ir.Clone(sh.n[k]), a.pos)
	}
	return &view{base: a.view.base, subs: []viewSub{sub}}
}

// alongColumn is dummy array d as a part of an array that cannot be of rank 1, from the
// element with which a starts on: the program ends where it leaves the dimension. Other
// shapes are errors.
func (b *binding) alongColumn(d *dummy, sh *shape, a *argument) *view {
	l := b.l
	k := len(sh.n) - 1
	fits := a.start != nil && k < len(a.shape.n) && !d.star && !isConst(sh.n[k])
	var in []viewSub
	for i := range a.start {
		if i > k {
			in = append(in, viewSub{dim: -1, off: ir.Clone(a.start[i])})
			continue
		}
		fits = fits && (i == k || equal(a.start[i], a.shape.lo[i]) && equal(sh.n[i], a.shape.n[i]))
		in = append(in, viewSub{dim: i, coef: l.intConst(1, d.Pos), off: l.minus(ir.Clone(a.start[i]), ir.Clone(sh.lo[i]), d.Pos)})
	}
	if !fits {
		e := l.errorf(codeCall, a.pos, "%s has another shape in the procedure, and %s", b.what(d), l.rigid(a.view.base)).
			WithNote(d.Pos, "%s is an argument here", d.Name.Name)
		if a.start != nil {
			e.WithHelp("pass the section that is meant, such as a(:, j) instead of a(1, j), or declare %s with extents that are known to fit", d.Name.Name)
		} else {
			e.WithHelp("declare %s with the extents of the array", d.Name.Name)
		}
		return nil
	}
	room := l.minus(ir.Clone(a.shape.n[k]), l.minus(ir.Clone(a.start[k]), ir.Clone(a.shape.lo[k]), a.pos), a.pos)
	text := b.what(d) + ": the dummy argument is longer than what is left of the dimension"
	stop := &ir.Stop{S: ir.S{Pos: a.pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: a.pos, Typ: ir.Character}, Str: text}}
	b.entry = append(b.entry, &ir.If{S: ir.S{Pos: a.pos}, Cond: l.bin(ir.Gt, ir.Clone(sh.n[k]), room, a.pos, a.pos), Then: one(stop)})
	return l.through(a.view, in, a.pos)
}

// flatten makes those arrays of the unit in hand rank 1 which calls reshape.
func (l *lowerer) flatten() {
	if len(l.flat) == 0 || l.surveying {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		s := l.names[name]
		_, done := l.overlays[s]
		if done || !l.flat[declaredAs(s)] || l.used[name] || l.dummies[name] != nil || !isArray(s) || s.IsOpen() || l.constants[s] || l.unbounded[s] || l.common[s] {
			continue
		}
		p := placed{Name: ast.Name{Pos: s.Pos, Name: name}, sym: s}
		l.overlay(&area{}, p, &stretch{hi: p.end(), list: []placed{p}})
	}
}
