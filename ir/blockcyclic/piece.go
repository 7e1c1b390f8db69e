package blockcyclic

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// expr is the bound, less size*block, less a constant.
func (l *loop) expr(b bound, block linalg.Affine, less int64) ir.Expr {
	away, ok := linalg.Const(less).AddScaled(block, l.size)
	if f, fits := b.form.Sub(away); b.ok && ok && fits {
		return l.d.of(f, l.x())
	}
	e := b.value
	if b.ok {
		e = l.d.of(b.form, l.x())
	}
	if len(block.T) > 0 || block.C != 0 {
		scaled := &ir.Bin{X: l.x(), Op: ir.Mul, L: l.constant(l.size), R: l.d.of(block, l.x())}
		e = &ir.Bin{X: l.x(), Op: ir.Sub, L: ir.Clone(e), R: scaled}
	}
	return l.d.plus(ir.Clone(e), int(-less))
}

func (l *loop) x() ir.X { return ir.X{Pos: l.do.Pos, Typ: l.do.Index.Type} }

func (l *loop) constant(k int64) ir.Expr { return &ir.Const{X: l.x(), Int: int(k)} }

func (l *loop) call(name string, args ...ir.Expr) ir.Expr {
	return &ir.Call{X: l.x(), Name: name, Args: args}
}

// blocks are the first and the last block with iterations, or one before and one behind.
func (l *loop) blocks() (first, last ir.Expr) {
	if f, _, ok := l.parted(l.from, false); ok {
		first = l.d.of(f, l.x())
	} else {
		down := &ir.Bin{X: l.x(), Op: ir.Sub, L: l.expr(l.from, linalg.Const(0), 0), R: l.call("modulo", l.expr(l.from, linalg.Const(0), 0), l.constant(l.size))}
		first = &ir.Bin{X: l.x(), Op: ir.Div, L: down, R: l.constant(l.size)}
	}
	if f, _, ok := l.parted(l.to, true); ok {
		last = l.d.of(f, l.x())
	} else { // it is rounded towards 0
		last = &ir.Bin{X: l.x(), Op: ir.Div, L: l.expr(l.to, linalg.Const(0), 0), R: l.constant(l.size)}
	}
	return first, last
}

// parted is a bound as size*block + rest, where rest is at least 0 and may be so, or, upper, below
// size and may be size-1 at most.
func (l *loop) parted(b bound, upper bool) (block, rest linalg.Affine, ok bool) {
	if !b.ok {
		return block, rest, false
	}
	block, rest = split(b.form, l.size)
	lo, hi, ok := l.d.span(rest)
	if !ok {
		return block, rest, false
	}
	if upper {
		lo = hi
	}
	block.C = floorDiv(lo, l.size)
	rest.C -= l.size * block.C
	return block, rest, true
}

// segment is a part of the blocks.
type segment struct {
	at          *linalg.Affine // the one block; nil for those from first to last
	first, last ir.Expr
	least, most int64          // the same
	constant    bool           // these are known
	from, to    *linalg.Affine // the first and the last element with an iteration, if the bound is in block at
	inFrom      bool           // a bound may cut off elements of the blocks
	inTo        bool
}

// segments divides the blocks, in ascending order. A bound in the form size*block + rest, as
// of a triangle, has a block of its own, so that it bounds no others:
//
//	do j = k+1, n
//
// is, with k = 8*k.block + k.offset + 1, the block k.block from element k.offset+1 on, and
// all elements of the blocks behind it.
func (l *loop) segments() []segment {
	all := segment{inFrom: true, inTo: true}
	all.first, all.last = l.blocks()
	if l.from.constant() && l.to.constant() {
		all.least, all.most, all.constant = floorDiv(l.from.form.C, l.size), floorDiv(l.to.form.C, l.size), true
	}
	if l.peeled {
		return l.peel(all)
	}
	if l.step*l.step != 1 || jumps(l.do, true) {
		return []segment{all}
	}
	if at, rest, ok := l.parted(l.from, false); ok && !l.from.constant() {
		if rest.IsConst() && rest.C == 0 {
			all.inFrom = false
			return []segment{all}
		}
		if _, hi, _ := l.d.span(rest); hi <= l.size {
			behind := all
			next, _ := at.Add(linalg.Const(1))
			behind.first, behind.inFrom = l.d.of(next, l.x()), false
			return []segment{{at: &at, from: &rest, inFrom: true, inTo: true}, behind}
		}
	}
	if at, rest, ok := l.parted(l.to, true); ok && !l.to.constant() {
		if rest.IsConst() && rest.C == l.size-1 {
			all.inTo = false
			return []segment{all}
		}
		if lo, _, _ := l.d.span(rest); lo >= -1 {
			before := all
			previous, _ := at.Sub(linalg.Const(1))
			before.last, before.inTo = l.d.of(previous, l.x()), false
			return []segment{before, {at: &at, to: &rest, inFrom: true, inTo: true}}
		}
	}
	return []segment{all}
}

// peel takes off the first and the last of all blocks, where they are not whole, for constant bounds.
func (l *loop) peel(all segment) []segment {
	from, to := l.from.form.C, l.to.form.C
	alone := func(block, first, last int64) segment {
		at, lo, hi := linalg.Const(block), linalg.Const(first), linalg.Const(last)
		return segment{at: &at, from: &lo, to: &hi, inFrom: true, inTo: true}
	}
	first, last := mod(from, l.size), mod(to, l.size)
	if all.least == all.most {
		return []segment{alone(all.least, first, last)}
	}
	var before, behind []segment
	if first > 0 {
		before = append(before, alone(all.least, first, l.size-1))
		all.least++
	}
	if last < l.size-1 {
		behind = append(behind, alone(all.most, 0, last))
		all.most--
	}
	if all.least <= all.most {
		all.first, all.last, all.inFrom, all.inTo = l.constant(all.least), l.constant(all.most), false, false
		before = append(before, all)
	}
	return append(before, behind...)
}

// divide is the loops over blocks with the pieces of a block in them.
func (l *loop) divide() (out []ir.Stmt) {
	if l.from.constant() && l.to.constant() && l.from.form.C > l.to.form.C {
		return l.end(nil)
	}
	list := l.segments()
	if l.step < 0 {
		slices.Reverse(list)
	}
	outside := l.d.copies
	l.d.copies *= len(list) * len(l.cuts)
	for _, seg := range list {
		out = append(out, l.segment(seg)...)
	}
	l.d.copies = outside
	return l.end(out)
}

// segment is a loop over the blocks of seg, or one for each piece of them.
func (l *loop) segment(seg segment) (out []ir.Stmt) {
	s := l.do
	over := func(body []ir.Stmt) *ir.Do {
		outer := &ir.Do{S: s.S, Name: s.Name, Index: l.block, Lo: ir.Clone(seg.first), Hi: ir.Clone(seg.last), Step: l.constant(1), Body: body, Independent: s.Independent, End: s.End}
		if l.step < 0 {
			outer.Lo, outer.Hi, outer.Step = outer.Hi, outer.Lo, l.constant(-1)
		}
		return outer
	}
	var whole *ir.Do
	if seg.at == nil {
		whole = over(nil)
		l.d.exits[s] = whole
	}
	for i, lo := range l.cuts {
		hi := l.size - 1
		if i+1 < len(l.cuts) {
			hi = l.cuts[i+1] - 1
		}
		piece := l.piece(seg, lo, hi)
		if l.apart && seg.at == nil && len(piece) > 0 {
			piece = []ir.Stmt{over(piece)}
		}
		if l.step > 0 {
			out = append(out, piece...)
		} else {
			out = append(piece, out...)
		}
	}
	delete(l.d.exits, s)
	delete(l.d.env, s.Index.Name)
	if seg.at != nil || l.apart {
		return out
	}
	whole.Body = out
	return []ir.Stmt{whole}
}

// end gives the index the value that it has behind the loop, where that is used.
func (l *loop) end(list []ir.Stmt) []ir.Stmt {
	if !l.ends {
		return list
	}
	s, x := l.do, l.x()
	step := l.constant(l.step)
	bin := func(op ir.Op, a, b ir.Expr) ir.Expr { return &ir.Bin{X: x, Op: op, L: a, R: b} }
	if from, to := l.from.form.C, l.to.form.C; l.from.constant() && l.to.constant() {
		trips := int64(0)
		if to >= from {
			trips = (to-from)/max(l.step, -l.step) + 1
		}
		if l.step < 0 {
			from = to
		}
		return append(list, &ir.Assign{S: s.S, LHS: &ir.Var{X: x, Sym: s.Index}, RHS: l.constant(from - l.shift + trips*l.step)})
	}
	trips := l.call("max", l.constant(0), bin(ir.Div, bin(ir.Add, bin(ir.Sub, l.d.expr(s.Hi), l.d.expr(s.Lo)), step), ir.Clone(step)))
	value := bin(ir.Add, l.d.expr(s.Lo), bin(ir.Mul, trips, ir.Clone(step)))
	return append(list, &ir.Assign{S: s.S, LHS: &ir.Var{X: x, Sym: s.Index}, RHS: value})
}

// ends are the iterations of a piece in a block: elements first to last, which are within
// lo to hi, and these if they are exact; under conditions on the block.
type ends struct {
	lo, hi      int64
	first, last ir.Expr
	exact       bool
	conds       []ir.Expr
}

// limit moves the ends of a piece to where the bounds of the loop are. It is false if no block of
// seg has an iteration in the piece.
func (l *loop) limit(seg segment, block linalg.Affine, e *ends) bool {
	d := l.d
	compare := func(op ir.Op, k int64) {
		e.conds = append(e.conds, &ir.Bin{X: ir.X{Pos: l.do.Pos, Typ: ir.Logical}, Op: op, L: d.of(block, l.x()), R: l.constant(k)})
	}
	from, to, known := seg.least, seg.most, seg.constant
	if seg.at != nil {
		from, to, known = d.span(block)
	}
	least := ceilDiv(l.from.form.C-e.lo, l.size) // blocks with iterations, if the bounds are constant
	most := floorDiv(l.to.form.C-e.hi, l.size)
	switch {
	case !seg.inFrom:
	case seg.from != nil && seg.from.IsConst():
		e.lo = max(e.lo, seg.from.C)
		e.first = l.constant(e.lo)
	case seg.from != nil:
		e.first, e.exact = d.of(*seg.from, l.x()), false
		if least, _, _ := d.span(*seg.from); least < e.lo {
			e.first = l.call("max", l.constant(e.lo), e.first)
		}
	case !l.from.constant():
		e.first, e.exact = l.call("max", e.first, l.expr(l.from, block, 0)), false
	case known && least > to:
		return false
	case seg.at == nil && least > floorDiv(l.from.form.C, l.size), seg.at != nil && !(known && least <= from):
		compare(ir.Ge, least)
	}
	switch {
	case !seg.inTo:
	case seg.to != nil && seg.to.IsConst():
		e.hi = min(e.hi, seg.to.C)
		e.last = l.constant(e.hi)
	case seg.to != nil:
		e.last, e.exact = d.of(*seg.to, l.x()), false
		if _, most, _ := d.span(*seg.to); most > e.hi {
			e.last = l.call("min", l.constant(e.hi), e.last)
		}
	case !l.to.constant():
		e.last, e.exact = l.call("min", e.last, l.expr(l.to, block, 0)), false
	case known && most < from:
		return false
	case seg.at == nil && most < floorDiv(l.to.form.C, l.size), seg.at != nil && !(known && most >= to):
		compare(ir.Le, most)
	}
	return true
}

// piece is the iterations of a segment that are elements lo to hi of their block.
func (l *loop) piece(seg segment, lo, hi int64) []ir.Stmt {
	d, s, by := l.d, l.do, l.step
	block := linalg.Var(l.block.Name)
	if seg.at != nil {
		block = *seg.at
	}
	e := ends{lo: lo, hi: hi, first: l.constant(lo), last: l.constant(hi), exact: true}
	if !l.limit(seg, block, &e) {
		return nil
	}
	if by > 1 {
		l.align(block, &e)
	}
	if by < -1 {
		l.alignDown(block, &e)
	}
	if e.lo > e.hi {
		return nil
	}
	start, stop := e.first, e.last
	if by < 0 {
		start, stop = stop, start
	}
	st := strip{size: l.size, shift: l.shift, parts: l.parts, at: seg.at, least: seg.least, most: seg.most, bounded: seg.constant, lo: e.lo, hi: e.hi}
	once := e.exact && e.hi-e.lo < max(by, -by) && !l.cycles
	if once {
		st.unroll = true
		if by < 0 {
			st.lo = e.hi
		}
	}
	d.env[s.Index.Name] = st
	var out []ir.Stmt
	if once {
		out = d.block(s.Body)
	} else {
		inner := &ir.Do{S: s.S, Index: l.offset, Lo: start, Hi: stop, Step: l.constant(by), End: s.End}
		d.copier.Loops[s] = inner
		inner.Body = d.block(s.Body)
		out = []ir.Stmt{inner}
	}
	for _, c := range e.conds {
		out = []ir.Stmt{&ir.If{S: s.S, Cond: c, Then: out}}
	}
	return out
}

// align moves the first iteration of a piece, of a loop that steps over elements, up to the next
// that is one. It is the same element in each block if the step divides these.
func (l *loop) align(block linalg.Affine, e *ends) {
	if l.from.constant() && (l.size%l.step == 0 || block.IsConst()) {
		e.lo += mod(l.from.form.C-l.size*block.C-e.lo, l.step)
		e.first = l.constant(e.lo)
		return
	}
	next := &ir.Bin{X: l.x(), Op: ir.Add, L: l.constant(e.lo), R: l.call("modulo", l.expr(l.from, block, e.lo), l.constant(l.step))}
	e.exact = false
	if l.from.constant() { // which is not above lo in these blocks
		e.first = next
		return
	}
	e.first = l.call("max", l.expr(l.from, block, 0), next)
}

// alignDown is align for a loop that goes down.
func (l *loop) alignDown(block linalg.Affine, e *ends) {
	by := -l.step
	if l.to.constant() && (l.size%by == 0 || block.IsConst()) {
		e.hi -= mod(e.hi+l.size*block.C-l.to.form.C, by)
		e.last = l.constant(e.hi)
		return
	}
	above := &ir.Bin{X: l.x(), Op: ir.Sub, L: l.constant(0), R: l.expr(l.to, block, e.hi)}
	next := &ir.Bin{X: l.x(), Op: ir.Sub, L: l.constant(e.hi), R: l.call("modulo", above, l.constant(by))}
	e.exact = false
	if l.to.constant() {
		e.last = next
		return
	}
	e.last = l.call("min", l.expr(l.to, block, 0), next)
}
