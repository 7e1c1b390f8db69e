package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// place lowers the mapping directives of a procedure and decides how its array
// arguments are passed. One without directive, or with INHERIT, lies as the
// actual argument does: its elements are those of the actual argument. So are
// those of one whose directives say what the actual argument's say. Any other is
// an array of its own, to which the elements are copied, and back: the copies are
// ordinary assignments, so that the communication analysis makes messages of them.
func (l *lowerer) place(b *binding, directives []ast.Stmt) {
	first := len(l.prog.HPF)
	l.directives(directives)
	targets := map[string]bool{}
	mapped := map[*ir.Symbol]bool{}
	for _, d := range l.prog.HPF[first:] {
		targets[d.Target] = true
		mapped[d.Symbol] = true
	}
	var asked []*dummy
	for _, d := range b.list {
		if !d.isArray || d.object || l.views[d.sym] == nil {
			continue
		}
		switch {
		case !mapped[d.sym]:
			if targets[d.sym.Name] {
				l.stand(b, d)
			}
		case d.inherit.IsValid():
			l.errorf(source.DoubleDistribution, d.inherit, "%s has INHERIT, and ALIGN or DISTRIBUTE too", d.Name.Name).WithHelp("keep one of them")
		default:
			asked = append(asked, d)
		}
	}
	if len(asked) == 0 || l.phantom {
		return
	}
	same := l.sameMapping(asked)
	for i, d := range asked {
		if same[i] {
			l.prog.HPF = slices.DeleteFunc(l.prog.HPF, func(h *ir.Directive) bool { return h.Symbol == d.sym })
			if targets[d.sym.Name] {
				l.stand(b, d)
			}
			continue
		}
		d.owned = true
		d.sym.Type = d.arg.typ
		sh := l.shapes[d.sym]
		l.copies[d.sym] = l.views[d.sym]
		delete(l.views, d.sym)
		delete(l.shapes, d.sym)
		if !d.fixedShape {
			b.automatic(d.sym, sh.lo, l.uppers(sh, d.Pos), d.Pos)
		}
		l.prog.Symbols = append(l.prog.Symbols, d.sym)
	}
}

// uppers are the upper bounds of a shape.
func (l *lowerer) uppers(sh *shape, pos source.Pos) (hi []ir.Expr) {
	for k, lo := range sh.lo {
		hi = append(hi, l.minus(l.plus(ir.Clone(lo), ir.Clone(sh.n[k]), pos), l.intConst(1, pos), pos))
	}
	return hi
}

// stand declares a template that lies as dummy array d does, for what is aligned
// with d.
func (l *lowerer) stand(b *binding, d *dummy) {
	v := l.views[d.sym]
	t := &ir.Directive{Pos: d.Pos, Kind: ir.TemplateDirective, Name: d.sym.Name, NamePos: d.Pos, Shape: d.sym.Dims}
	if !d.fixedShape && !l.phantom {
		sh := l.shapes[d.sym]
		t.Shape = b.openShape(d.sym, sh.lo, l.uppers(sh, d.Pos), d.Pos)
	}
	a := &ir.Directive{Pos: d.Pos, Kind: ir.AlignDirective, Name: d.sym.Name, NamePos: d.Pos, Target: v.base.Name, TargetPos: d.Pos}
	dummyName := func(k int) string { return string(rune('i' + k)) }
	ok := true
	for k := range d.sym.Dims {
		a.Source = append(a.Source, ir.AlignSource{Pos: d.Pos, Dummy: dummyName(k)})
	}
	for _, s := range v.subs {
		off, isConst := constOf(s.off)
		sub := ir.AlignSub{Pos: d.Pos, Off: off}
		ok = ok && len(s.more) == 0
		if s.dim >= 0 {
			var fixed bool
			sub.Dummy = dummyName(s.dim)
			sub.Coef, fixed = constOf(s.coef)
			isConst = isConst && fixed
		}
		ok = ok && isConst
		a.Subs = append(a.Subs, sub)
	}
	if !ok {
		l.errorf(codeAlign, d.Pos, "ALIGN with %s, whose place is not known before run time at the call in line %d", d.Name.Name, d.arg.pos.Line).
			WithHelp("pass a whole array, or a section with constant bounds; or DISTRIBUTE the array that is aligned")
		return
	}
	l.prog.HPF = append(l.prog.HPF, t, a)
}

// sameMapping reports for each of the dummy arrays whether its directives put it
// where the actual argument is.
func (l *lowerer) sameMapping(list []*dummy) []bool {
	scratch := &ir.Program{HPF: l.prog.HPF, Ends: l.prog.Ends}
	for _, s := range l.prog.Symbols {
		if s.IsArray() {
			scratch.Symbols = append(scratch.Symbols, s)
		}
	}
	for _, d := range list {
		scratch.Symbols = append(scratch.Symbols, d.sym)
	}
	mapping.Resolve(scratch, &source.List{}) // errors are told when the whole program is resolved
	out := make([]bool, len(list))
	for i, d := range list {
		out[i] = samePlace(d.sym, l.views[d.sym], !d.fixedShape)
	}
	for _, s := range scratch.Symbols {
		s.Mapping = nil
	}
	return out
}

// repeated takes away the directives behind the first ones that map an array once more which
// all units share: in COMMON, or saved. They must say what has been said.
func (l *lowerer) repeated(first int) {
	mapped := map[*ir.Symbol]*ir.Directive{}
	for _, d := range l.prog.HPF[:first] {
		mapped[d.Symbol] = d
	}
	again := map[*ir.Symbol]*dummy{}
	var list []*dummy
	for _, d := range l.prog.HPF[first:] {
		s := d.Symbol
		if s == nil || mapped[s] == nil {
			continue
		}
		if again[s] == nil {
			as := *s
			again[s] = &dummy{sym: &as, fixedShape: !s.IsOpen(), Name: ast.Name{Pos: d.NamePos, Name: s.Source()}}
			l.views[&as], _ = l.wholeView(s, d.Pos)
			list = append(list, again[s])
		}
		d.Symbol = again[s].sym
	}
	if len(list) == 0 {
		return
	}
	same := l.sameMapping(list)
	for i, x := range list {
		base := l.views[x.sym].base
		if !same[i] {
			l.errorf(source.DoubleDistribution, x.Pos, "%s is mapped in another way than in the unit that was first", x.Name.Name).
				WithNote(mapped[base].NamePos, "the first directive for %s", x.Name.Name).WithHelp("write the same directives in all units")
		}
		delete(l.views, x.sym)
		l.prog.HPF = slices.DeleteFunc(l.prog.HPF, func(h *ir.Directive) bool { return h.Symbol == x.sym })
	}
}

// samePlace reports whether every element of s lies where the element of v does
// that it stands for; or, with loose, is dealt out in the same way: where the bounds are
// not known before run time, nor is whether they are alike, and what is dealt out alike need not be copied.
func samePlace(s *ir.Symbol, v *view, loose bool) bool {
	if len(v.subs) != len(s.Dims) {
		return false
	}
	a, b := s.Mapping, v.base.Mapping
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if a.Grid != b.Grid || len(a.Map.Fixed) != len(b.Map.Fixed) {
		return false
	}
	for d, sub := range v.subs {
		off, ok := constOf(sub.off)
		if !ok || len(sub.more) > 0 || sub.dim != d || !isOne(sub.coef) {
			return false
		}
		x, y := a.Map.Axes[d], b.Map.Axes[d]
		switch {
		case x.Grid != y.Grid:
			return false
		case x.Grid < 0:
			continue
		case x.Format != y.Format || x.A != y.A:
			return false
		case loose:
		case x.THi-x.TLo != y.THi-y.TLo || x.B-x.TLo != y.A*off+y.B-y.TLo:
			return false
		}
	}
	for _, f := range a.Map.Fixed {
		if loose && ir.IsOpen(f.THi) {
			return false
		}
		f.Pos, f.THi, f.TLo = f.Pos-f.TLo, f.THi-f.TLo, 0
		found := false
		for _, g := range b.Map.Fixed {
			g.Pos, g.THi, g.TLo = g.Pos-g.TLo, g.THi-g.TLo, 0
			found = found || f == g
		}
		if !found {
			return false
		}
	}
	return true
}

// inherit takes INHERIT.
func (l *lowerer) inherit(s *ast.Inherit) {
	for _, n := range s.Names {
		d := l.dummies[n.Name]
		if d == nil || !d.isArray {
			l.errorf(codeAlign, n.Pos, "INHERIT of %s, which is no dummy array", n.Name).WithHelp("remove it")
			continue
		}
		d.inherit = n.Pos
	}
}
