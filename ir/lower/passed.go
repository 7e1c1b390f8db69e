package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// passing is how a dummy array of a procedure that calls itself is passed from depth to depth.
type passing int

const (
	asPart passing = 1 + iota // it is another part of one array: variables say which
	byCopy                    // its elements are copied
)

// passed takes note of how a dummy array is passed.
func (k *found) passed(name ast.Name, how passing) { k.parts[name] = max(k.parts[name], how) }

// passed is a dummy array that is copied. Each depth has its own, which is live behind a call as
// other variables of the procedure are. An array outside of the procedure has the elements on
// their way between two depths:
//
//	call sort(half)        t = half; begin again: x = t; ...; t = x; return: half = t
type passed struct {
	d         *dummy
	outermost *argument // of the outermost call
	on        *argument // what is on its way
	ends      []*ir.Symbol
}

// mayCopy reports whether a can be copied to be the dummy array d.
func mayCopy(d *dummy, a *argument) bool {
	return a != nil && a.view != nil && a.start == nil && a.part == nil && a.cell == nil && !a.view.base.Coarray && !d.repacked &&
		a.typ == d.typ && (a.typ != ir.Character || d.sym.Len == a.view.base.Len && d.sym.Len >= 0)
}

// pass makes what is needed to copy d, which gets the array that has what is on its way as its argument.
func (f *frame) pass(l *lowerer, d *dummy) {
	site := l.scope.site
	l.scope.site = f.site.Parent // it belongs to no depth
	at := d.arg.pos
	t := l.local(d.Name.Name+"_passed", d.arg.typ, at)
	t.Len = d.arg.view.base.Len
	lo := make([]ir.Expr, len(d.arg.shape.n))
	for k := range lo {
		lo[k] = l.intConst(1, at)
	}
	p := &passed{d: d, outermost: d.arg}
	_, p.ends = l.openArray(t, lo, at)
	l.scope.site = site
	on := *d.arg
	on.view, on.shape, on.value, on.sym, on.store, on.of = l.views[t], l.shapes[t], nil, nil, nil, nil
	p.on = &on
	d.arg = &on
	f.passed[d] = p
	p.send(l, p.outermost, &f.first)
}

// send appends to out what puts the elements of a on their way.
func (p *passed) send(l *lowerer, a *argument, out *[]ir.Stmt) {
	for k, end := range p.ends {
		*out = append(*out, l.setEnd(end, p.on.view.base, ir.Clone(a.shape.n[k]), a.pos)...)
	}
	*out = append(*out, &ir.Allocate{S: ir.S{Pos: a.pos}, Sym: p.on.view.base})
	l.copyElements(p.on, a, a.shape.n, a.pos, out)
}

// call appends to out what a call with argument a does first, and returns what it does last.
func (p *passed) call(l *lowerer, f *frame, a *argument, out *[]ir.Stmt) []ir.Stmt {
	if !mayCopy(p.d, a) || len(a.shape.n) != len(p.ends) {
		l.errorf(codeOutside, a.pos, "%s calls itself, and argument %s begins inside of an array, is a coarray, or has another rank than in the outermost call", f.unit.Name, p.d.Name.Name).
			WithNote(p.d.Pos, "%s is an argument here", p.d.Name.Name).WithHelp("pass a whole array or a section, of the rank of %s", p.d.Name.Name)
		return nil
	}
	p.send(l, a, out)
	return p.back(l, a)
}

// back is what gives a the elements when the procedure has returned.
func (p *passed) back(l *lowerer, a *argument) (out []ir.Stmt) {
	if p.d.intent != "in" && a.readOnly == "" {
		l.copyElements(a, p.on, p.on.shape.n, a.pos, &out)
	}
	return out
}

// arrayArgument is array s as an argument.
func (l *lowerer) arrayArgument(s *ir.Symbol, at source.Pos) *argument {
	v, sh := l.wholeView(s, at)
	return &argument{pos: at, typ: s.Type, view: v, shape: sh}
}

// enter takes the elements that are on their way.
func (p *passed) enter(b *binding) (out []ir.Stmt) {
	l, own := b.l, b.l.arrayArgument(p.d.sym, p.d.Pos)
	if p.d.explicit {
		out = append(out, p.fits(b, own.shape.n))
	}
	l.copyElements(own, p.on, own.shape.n, p.d.Pos, &out)
	return out
}

// fits ends the program where an array of explicit shape is passed another shape, or fewer elements.
func (p *passed) fits(b *binding, n []ir.Expr) ir.Stmt {
	l, at := b.l, p.d.Pos
	op, text := ir.Ne, ": the extents of the dummy argument are others"
	if len(n) == 1 {
		op, text = ir.Gt, ": the dummy argument is longer than the array that is passed"
	}
	var cond ir.Expr
	for k := range n {
		x := l.bin(op, ir.Clone(n[k]), ir.Clone(p.on.shape.n[k]), at, at)
		if cond == nil {
			cond = x
		} else {
			cond = &ir.Bin{X: ir.X{Pos: at, Typ: ir.Logical}, Op: ir.Or, L: cond, R: x}
		}
	}
	return &ir.If{S: ir.S{Pos: at}, Cond: cond, Then: one(&ir.Stop{S: ir.S{Pos: at}, Error: true,
		Code: &ir.Const{X: ir.X{Pos: at, Typ: ir.Character}, Str: b.what(p.d) + text}})}
}

// leave puts the elements on their way back. Behind those of an array of explicit shape there
// may be more, which stay as they are.
func (p *passed) leave(l *lowerer) (out []ir.Stmt) {
	if p.d.intent != "in" {
		p.send(l, l.arrayArgument(p.d.sym, p.d.Pos), &out)
	}
	return out
}

// copyElements appends to out the loops that copy n elements.
func (l *lowerer) copyElements(to, from *argument, n []ir.Expr, at source.Pos, out *[]ir.Stmt) {
	ctx := l.elements(n, at, out)
	*out = append(*out, l.nest(ctx, &ir.Assign{S: ir.S{Pos: at}, LHS: l.elementOf(to, ctx, at), RHS: raw(l.elementOf(from, ctx, at))}, at))
}
