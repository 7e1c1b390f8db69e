package lower

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Variables that share storage. An area (storage.go) falls into pieces: variables with a
// byte in common are in one piece. Where those of a piece, in all units that declare the
// block, are alike in place, type and shape, they are one variable, which every unit has a
// name for; it may have directives. Otherwise the piece is an array of rank 1, and each of
// its variables a view of a part: of
//
//	equivalence (x(4,5), y(10))
//
// the elements are x_storage(1:20), x(i,j) is x_storage(i + 4*(j-1)) and y(i) is x_storage(i).

// block is a COMMON block as all units declare it.
type block struct {
	areas  []*area
	pieces []*stretch // nil before they are needed
}

// stretch is a piece: storage from byte lo to hi.
type stretch struct {
	lo, hi int
	list   []placed // all that are in it
	same   bool     // they are alike
	sym    *ir.Symbol
	bad    bool // it is in error, which has been reported
}

// overlaid is a variable whose first element is element at, from 0, of base. Each of its
// elements is per of those of base: two where they are COMPLEX and those of base are parts.
type overlaid struct {
	base    *ir.Symbol
	at, per int
}

// piecesOf cuts areas, which begin at the same place, into pieces.
func (l *lowerer) piecesOf(areas []*area) []*stretch {
	var list []placed
	for _, a := range areas {
		list = append(list, a.list...)
	}
	slices.SortStableFunc(list, func(p, q placed) int { return cmp.Compare(p.at, q.at) })
	var out []*stretch
	for _, p := range list {
		if k := len(out) - 1; k >= 0 && (p.at < out[k].hi || p.at == out[k].lo && p.end() == p.at) {
			out[k].hi = max(out[k].hi, p.end())
			out[k].list = append(out[k].list, p)
			continue
		}
		out = append(out, &stretch{lo: p.at, hi: p.end(), list: []placed{p}})
	}
	for _, p := range out {
		p.same = p.alike() && !slices.ContainsFunc(p.list, func(q placed) bool { return l.flat[declaredAs(q.sym)] })
	}
	return out
}

// alike reports whether the variables of a piece are the same in everything but their names.
func (p *stretch) alike() bool {
	first := p.list[0]
	for _, q := range p.list {
		if q.at != first.at || q.sym.Type != first.sym.Type || q.sym.Len != first.sym.Len || q.sym.Cell != first.sym.Cell || !slices.Equal(q.sym.Dims, first.sym.Dims) {
			return false
		}
	}
	return true
}

// declareBlocks takes note of how all units of f declare COMMON blocks.
func (l *lowerer) declareBlocks(f *ast.File) {
	l.blocks = map[string]*block{}
	units := slices.Concat(f.Modules, []*ast.Program{f.Program}, f.Procedures, f.BlockData)
	if !slices.ContainsFunc(units, hasCommon) {
		return
	}
	m, before := l.mark(), l.diags.Len()
	l.phantom, l.surveying = true, true
	for _, u := range units {
		l.survey(u, nil)
	}
	l.phantom, l.surveying = false, false
	clear(l.modules)
	l.scope = nil
	l.reset(m)
	l.diags.Diags = l.diags.Diags[:before] // they come again when the units are lowered
}

func hasCommon(u *ast.Program) bool {
	return slices.ContainsFunc(u.Spec, func(s ast.Stmt) bool { _, ok := s.(*ast.Common); return ok }) || slices.ContainsFunc(u.Contains, hasCommon)
}

// survey lowers the declarations of a unit and of those that it contains, for their COMMON
// blocks only.
func (l *lowerer) survey(u *ast.Program, host *scope) {
	s := l.newScope(u, host)
	l.scope = s
	if u.Kind.IsProcedure() {
		s.binding = &binding{l: l, unit: u}
		s.binding.bind(nil)
	}
	l.declarations(u.Spec)
	if u.Kind == ast.ModuleUnit && l.modules[u.Name] == nil {
		l.modules[u.Name] = s
	}
	for _, in := range u.Contains {
		l.survey(in, s)
	}
}

// storage gives the variables of the unit in hand that are in COMMON or EQUIVALENCE their
// storage.
func (l *lowerer) storage(commons []*ast.Common, equivalences []*ast.Equivalence) {
	for _, a := range l.areas(commons, equivalences) {
		if !a.common {
			if !l.surveying {
				l.settlePieces(a, l.piecesOf([]*area{a}))
			}
			continue
		}
		b := l.blocks[a.block]
		if b == nil {
			b = &block{}
			l.blocks[a.block] = b
		}
		if l.surveying {
			b.areas = append(b.areas, a)
			continue
		}
		if b.pieces == nil {
			b.pieces = l.piecesOf(b.areas)
		}
		l.settlePieces(a, b.pieces)
	}
	l.flatten()
	l.tieTargets()
}

// settlePieces makes the variables of area a what the pieces say.
func (l *lowerer) settlePieces(a *area, pieces []*stretch) {
	for _, p := range a.list {
		k := slices.IndexFunc(pieces, func(q *stretch) bool { return q.lo <= p.at && p.end() <= q.hi })
		switch {
		case k < 0: // the survey found an error
		case pieces[k].same:
			l.unite(a, p, pieces[k])
		default:
			l.overlay(a, p, pieces[k])
		}
	}
}

// unite makes p the variable that piece q is.
func (l *lowerer) unite(a *area, p placed, q *stretch) {
	s := p.sym
	if q.sym == nil {
		q.sym = s
		l.common[s] = a.common
		if a.common {
			s.Site = nil
		}
		return
	}
	if q.sym == s {
		return
	}
	l.moveInitial(p, q.sym, 0)
	l.drop(s)
	l.mention[q.sym] = l.mention[q.sym] || l.mention[s]
	l.names[p.Name.Name] = q.sym
}

// overlay makes p a view of piece q.
func (l *lowerer) overlay(a *area, p placed, q *stretch) {
	if q.differentTexts() {
		l.overlayText(a, p, q)
		return
	}
	s := p.sym
	held := &ir.Symbol{Type: q.holds(), Len: s.Len}
	size := elementSize(held)
	for _, other := range q.list {
		if !sharable(s, other.sym) || (p.at-other.at)%size != 0 {
			if !q.bad {
				l.errorf(codeOutside, p.Pos, "%s shares storage with %s, which has another type", p.Name.Name, other.Name.Name).
					WithNote(other.Pos, "%s is placed here", other.Name.Name).
					WithHelp("give both the same type, or numeric types of the same size; or write two variables, and assign the one from the other")
			}
			q.bad = true
			l.unbounded[s] = true
			return
		}
	}
	if q.sym == nil {
		q.sym = l.pieceArray(a, p, q)
	}
	at := (p.at - q.lo) / size
	l.moveInitial(p, q.sym, at)
	l.drop(s)
	o := overlaid{q.sym, at, elementSize(s) / max(1, size)}
	l.overlays[s] = o
	l.punned = l.punned || q.sym.Type != s.Type
	if !s.IsArray() {
		s.Cell, s.Dims = true, []ir.Bound{{Lo: 1, Hi: 1}}
	}
	l.views[s], l.shapes[s] = l.linear(s, o), l.declaredShape(s, p.Pos)
}

// partSize is the size of a number, of a COMPLEX one that of each part.
func partSize(s *ir.Symbol) int { return elementSize(&ir.Symbol{Type: s.Type.Part()}) }

// sharable reports whether an array can hold the elements of a and of b: those of one type,
// and numbers of one size, as the parts of COMPLEX ones have.
func sharable(a, b *ir.Symbol) bool {
	return a.Type == b.Type && a.Len == b.Len || a.Type.IsNumeric() && b.Type.IsNumeric() && partSize(a) == partSize(b)
}

// holds is the type of the array that piece q is: integers where numbers of several types
// share it, as these keep all bits, and reals where these are parts of COMPLEX numbers.
func (q *stretch) holds() ir.Type {
	t := q.list[0].sym.Type
	for _, p := range q.list {
		switch u := p.sym.Type; {
		case u == t:
		case u.Part() == t.Part():
			t = t.Part()
		case partSize(p.sym) == 8:
			return ir.Long
		default:
			return ir.Integer
		}
	}
	return t
}

// pieceArray is the array that piece q is, of which p is a part.
func (l *lowerer) pieceArray(a *area, p placed, q *stretch) *ir.Symbol {
	name := p.Name.Name + "_storage"
	s := &ir.Symbol{Name: l.unique(name), Local: name, Pos: p.Pos, Type: q.holds(), Len: p.sym.Len, Site: p.sym.Site}
	s.Dims = []ir.Bound{{Lo: 1, Hi: (q.hi - q.lo) / elementSize(s)}}
	if p.sym.Coarray {
		s.Coarray, l.cobounds[s] = true, l.cobounds[p.sym]
	}
	if a.common {
		s.Site = nil
	}
	l.common[s] = a.common
	l.typed[s] = p.Pos
	l.prog.Symbols = append(l.prog.Symbols, s)
	return s
}

// linear is s as a view of what it lies on.
func (l *lowerer) linear(s *ir.Symbol, o overlaid) *view {
	sub := viewSub{dim: -1}
	off, size := o.at+1, o.per
	for k, b := range s.Dims {
		if !s.Cell {
			sub.add(viewTerm{dim: k, coef: l.intConst(size, s.Pos), limit: b.Extent()})
			off -= size * b.Lo
		}
		size *= b.Extent()
	}
	sub.off = l.intConst(off, s.Pos)
	return &view{base: o.base, subs: []viewSub{sub}}
}

// declaredShape is the shape that the constant bounds of s are.
func (l *lowerer) declaredShape(s *ir.Symbol, pos source.Pos) *shape {
	sh := &shape{}
	for _, b := range s.Dims {
		sh.lo = append(sh.lo, l.intConst(b.Lo, pos))
		sh.n = append(sh.n, l.intConst(b.Extent(), pos))
	}
	return sh
}

// drop takes s out of the typed program.
func (l *lowerer) drop(s *ir.Symbol) {
	if k := slices.Index(l.prog.Symbols, s); k >= 0 {
		l.prog.Symbols = slices.Delete(l.prog.Symbols, k, k+1)
	}
}

// moveInitial gives base the initial values that the declaration of p has; the first is for
// element at.
func (l *lowerer) moveInitial(p placed, base *ir.Symbol, at int) {
	s := p.sym
	if s.Init == nil && s.Values == nil {
		return
	}
	if l.scope.unit.Kind.IsProcedure() && !l.flat[declaredAs(s)] {
		l.errorf(codeOutside, p.Pos, "%s shares storage and has its initial value in its declaration", p.Name.Name).WithHelp("write DATA")
		return
	}
	if c, ok := s.Init.(*ir.Const); ok {
		l.setInitial(base, at, storageSize(s)/max(1, elementSize(s)), c, p.Pos)
	}
	for _, v := range s.Values {
		l.setInitial(base, at+v.At*(elementSize(s)/max(1, elementSize(base))), v.N, v.Const, p.Pos)
	}
}

// stored is where element at of s has its storage.
func (l *lowerer) stored(s *ir.Symbol, at int) (*ir.Symbol, int) {
	if o, ok := l.overlays[s]; ok {
		return o.base, o.at + o.per*at
	}
	return s, at
}

// forgetPieces removes variables that are gone from the pieces of COMMON blocks.
func (l *lowerer) forgetPieces(gone map[*ir.Symbol]bool) {
	for _, b := range l.blocks {
		for _, p := range b.pieces {
			if gone[p.sym] {
				p.sym = nil
			}
		}
	}
}

// keepStorage makes all calls of the procedure share the storage that s is a part of.
func (l *lowerer) keepStorage(s *ir.Symbol) {
	o := l.overlays[s]
	first := l.saved(o.base.Local, o.base)
	if first == o.base {
		return
	}
	for _, x := range l.names {
		if at, ok := l.overlays[x]; ok && at.base == o.base {
			l.overlays[x] = overlaid{first, at.at, at.per}
			l.views[x].base = first
			l.shared[x] = true
		}
	}
}
