package blockcyclic

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// mostNear is how many iterations a loop has at most that goes through its elements once
// for each piece, so that they stay in the cache.
const mostNear = 4096

// maxCuts bounds the pieces that the elements of a block are cut into, and maxSize the
// statements of all copies of a body. A subscript that would need more is divided when it
// is evaluated.
const (
	maxCuts = 8
	maxSize = 1000
)

// block copies statements, with loops and subscripts divided.
func (d *divider) block(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Do:
			if l := d.chosen(s); l != nil {
				out = append(out, l.divide()...)
				continue
			}
			out = append(out, d.copier.Do(s, d.block))
		case *ir.While:
			n := &ir.While{S: s.S, Name: s.Name, Cond: d.expr(s.Cond), End: s.End}
			d.copier.Loops[s] = n
			n.Body = d.block(s.Body)
			out = append(out, n)
		case *ir.If:
			out = append(out, &ir.If{S: s.S, Cond: d.expr(s.Cond), Then: d.block(s.Then), Else: d.block(s.Else)})
		case *ir.Exit:
			if to, ok := d.exits[s.Loop]; ok {
				out = append(out, &ir.Exit{S: s.S, Loop: to})
				continue
			}
			out = append(out, d.copier.Stmt(s))
		default:
			out = append(out, d.copier.Stmt(s))
		}
	}
	return out
}

// use is a subscript coef*i + rest of a divided dimension, the shift of its blocks included,
// where the blocks divide all of rest but the constant.
type use struct {
	coef, rest int64
	size       int64
	assigned   bool
}

// loop is a loop that is divided.
type loop struct {
	d           *divider
	do          *ir.Do
	size, shift int64 // iteration i is element (i+shift) mod size of a block
	step        int64
	cuts        []int64 // the first elements of pieces
	ends        bool    // the index is used behind the loop
	peeled      bool    // blocks of which a constant bound cuts off elements stand alone
	apart       bool    // each piece has a loop over blocks of its own
	cycles      bool    // the body has a CYCLE of the loop
	from, to    bound
	parts
}

// bound is a bound of the loop, counted as the elements of blocks are.
type bound struct {
	form  linalg.Affine // in terms of parts, if ok
	ok    bool
	value ir.Expr // else
}

func (b bound) constant() bool { return b.ok && b.form.IsConst() }

// chosen is how a loop is to be divided; nil if it has no index that selects elements of
// blocks, or assigns by it to arrays that are distributed otherwise.
func (d *divider) chosen(s *ir.Do) *loop {
	step := d.info.Bounds(s).Step
	if step == 0 || s.Lo.IsVarying() || s.Hi.IsVarying() {
		return nil
	}
	uses, ok := d.uses(s)
	if !ok || len(uses) == 0 {
		return nil
	}
	home := uses[0]
	for _, u := range uses {
		if (u.coef == 1 || u.coef == -1) && u.assigned {
			home = u
			break
		}
	}
	l := &loop{d: d, do: s, step: step, size: home.size / linalg.GCD(home.size, home.coef)}
	switch {
	case home.coef == -1:
		l.shift = mod(-1-home.rest, l.size)
	case home.coef > 0:
		l.shift = floorDiv(home.rest, home.coef)
	}
	l.ends = d.info.LiveAfter(s, s.Index)
	l.cycles = jumps(s, false)
	if l.ends && leaves(s) {
		return nil
	}
	l.from, l.to = d.bound(s.Lo, l.shift), d.bound(s.Hi, l.shift)
	if step < 0 {
		l.from, l.to = l.to, l.from
	}
	l.peeled = l.from.constant() && l.to.constant() && innermost(s) && !jumps(s, true)
	l.cut(uses)
	l.apart = len(l.cuts) > 1 && l.peeled && l.to.form.C-l.from.form.C < mostNear && d.analysis.Unordered(s)
	p, found := d.parts[s.Index]
	if !found {
		p = parts{d.index(s.Index, "block"), d.index(s.Index, "offset")}
		d.parts[s.Index] = p
	}
	l.parts = p
	return l
}

// uses are the subscripts of divided dimensions that the index of s is in, those that are
// assigned first. It is false if s assigns to elements of another distributed array that
// the index selects.
func (d *divider) uses(s *ir.Do) (list []use, ok bool) {
	ok = true
	ir.Walk(s.Body, func(st ir.Stmt) bool {
		var target ir.Expr
		if as, is := st.(*ir.Assign); is {
			target = as.LHS
		}
		for _, r := range ir.Refs(st) {
			blocked := d.blocked[r.Sym]
			for k, sub := range r.Subs {
				if blocked != nil && blocked[k] != nil {
					if u, found := d.use(s, sub, blocked[k]); found {
						u.assigned = r == target
						list = append(list, u)
					}
				} else if r == target && r.Sym.Mapping != nil && r.Sym.Mapping.Map.Axes[k].Grid >= 0 {
					f, affine := d.info.Affine(sub)
					ok = ok && affine && !f.Uses(s.Index.Name)
				}
			}
		}
		return ok
	})
	slices.SortStableFunc(list, func(a, b use) int {
		switch {
		case a.assigned == b.assigned:
			return 0
		case a.assigned:
			return -1
		}
		return 1
	})
	return list, ok
}

func (d *divider) use(s *ir.Do, sub ir.Expr, b *blocking) (use, bool) {
	f, ok := d.info.Affine(sub)
	if !ok {
		return use{}, false
	}
	if f, ok = b.form(f); !ok {
		return use{}, false
	}
	size, coef := int64(b.size), f.Coef(s.Index.Name)
	if coef%size == 0 {
		return use{}, false
	}
	rest, ok := f.Sub(linalg.Term(coef, s.Index.Name))
	if !ok {
		return use{}, false
	}
	if rest, ok = d.divided(rest); !ok {
		return use{}, false
	}
	if _, rest = split(rest, size); !rest.IsConst() {
		return use{}, false
	}
	return use{coef: coef, rest: rest.C, size: size}, true
}

// cut sets the pieces: within one all subscripts stay in one block, and all iterations are within
// a constant bound, or none.
func (l *loop) cut(uses []use) {
	l.cuts = []int64{0}
	add := func(at ...int64) {
		l.cuts = append(l.cuts, at...)
		slices.Sort(l.cuts)
		l.cuts = slices.Compact(l.cuts)
	}
	if l.from.constant() && !l.peeled {
		add(mod(l.from.form.C, l.size))
	}
	if l.to.constant() && !l.peeled {
		if at := mod(l.to.form.C+1, l.size); at > 0 {
			add(at)
		}
	}
	limit := len(l.cuts) + maxCuts
	if most := maxSize / (1 + size(l.do.Body)); limit > most {
		limit = most
	}
	for _, u := range uses {
		if u.coef*l.size%u.size != 0 {
			continue
		}
		at, few := u.crossings(l.size, u.rest-u.coef*l.shift, limit)
		if all := slices.Concat(l.cuts, at); few {
			slices.Sort(all)
			if len(slices.Compact(all)) <= limit {
				add(at...)
			}
		}
	}
}

// crossings are the x above 0 and below n where coef*x + rest is in another block than
// for x-1; false if there are more than limit.
func (u use) crossings(n, rest int64, limit int) (list []int64, few bool) {
	first, last := floorDiv(rest, u.size), floorDiv(u.coef*(n-1)+rest, u.size)
	if first > last {
		for t := first; t > last; t-- { // the least x with coef*x + rest < t*size
			list = append(list, floorDiv(rest-t*u.size, -u.coef)+1)
			if len(list) > limit {
				return nil, false
			}
		}
		return list, true
	}
	for t := first + 1; t <= last; t++ {
		list = append(list, ceilDiv(t*u.size-rest, u.coef))
		if len(list) > limit {
			return nil, false
		}
	}
	return list, true
}

func size(body []ir.Stmt) (n int) {
	ir.Walk(body, func(ir.Stmt) bool { n++; return true })
	return n
}

// jumps reports whether the body of s has a CYCLE of s, or an EXIT.
func jumps(s *ir.Do, exit bool) (found bool) {
	ir.Walk(s.Body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Exit:
			found = found || exit && st.Loop == s
		case *ir.Cycle:
			found = found || !exit && st.Loop == s
		}
		return !found
	})
	return found
}

// innermost reports whether no loop is in s.
func innermost(s *ir.Do) bool {
	alone := true
	ir.Walk(s.Body, func(st ir.Stmt) bool {
		switch st.(type) {
		case *ir.Do, *ir.While:
			alone = false
		}
		return alone
	})
	return alone
}

// leaves reports whether a jump in s leads out of it.
func leaves(s *ir.Do) (found bool) {
	inside := map[ir.Stmt]bool{}
	ir.Walk(s.Body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Do, *ir.While:
			inside[st] = true
		case *ir.Exit:
			found = found || !inside[st.Loop]
		case *ir.Cycle:
			found = found || !inside[st.Loop] && st.Loop != s
		}
		return !found
	})
	return found
}

func (d *divider) bound(e ir.Expr, shift int64) bound {
	if f, ok := d.info.Affine(e); ok {
		if f, ok = f.Add(linalg.Const(shift)); ok {
			if f, ok = d.divided(f); ok {
				return bound{form: f, ok: true}
			}
		}
	}
	return bound{value: d.plus(d.expr(e), int(shift))}
}

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
	for _, seg := range list {
		out = append(out, l.segment(seg)...)
	}
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

// piece is the iterations of a segment that are elements lo to hi of their block.
func (l *loop) piece(seg segment, lo, hi int64) []ir.Stmt {
	d, s, by := l.d, l.do, l.step
	block := linalg.Var(l.block.Name)
	if seg.at != nil {
		block = *seg.at
	}
	var conds []ir.Expr
	compare := func(op ir.Op, k int64) {
		conds = append(conds, &ir.Bin{X: ir.X{Pos: s.Pos, Typ: ir.Logical}, Op: op, L: d.of(block, l.x()), R: l.constant(k)})
	}
	from, to, known := seg.least, seg.most, seg.constant
	if seg.at != nil {
		from, to, known = d.span(block)
	}
	first, last := l.constant(lo), l.constant(hi) // in ascending order
	exact := true                                 // they are lo and hi
	switch {
	case !seg.inFrom:
	case seg.from != nil && seg.from.IsConst():
		lo = max(lo, seg.from.C)
		first = l.constant(lo)
	case seg.from != nil:
		first, exact = d.of(*seg.from, l.x()), false
		if least, _, _ := d.span(*seg.from); least < lo {
			first = l.call("max", l.constant(lo), first)
		}
	case l.from.constant():
		least := ceilDiv(l.from.form.C-lo, l.size)
		switch {
		case known && least > to:
			return nil
		case seg.at == nil && least > floorDiv(l.from.form.C, l.size), seg.at != nil && !(known && least <= from):
			compare(ir.Ge, least)
		}
	default:
		first, exact = l.call("max", first, l.expr(l.from, block, 0)), false
	}
	switch {
	case !seg.inTo:
	case seg.to != nil && seg.to.IsConst():
		hi = min(hi, seg.to.C)
		last = l.constant(hi)
	case seg.to != nil:
		last, exact = d.of(*seg.to, l.x()), false
		if _, most, _ := d.span(*seg.to); most > hi {
			last = l.call("min", l.constant(hi), last)
		}
	case l.to.constant():
		most := floorDiv(l.to.form.C-hi, l.size)
		switch {
		case known && most < from:
			return nil
		case seg.at == nil && most < floorDiv(l.to.form.C, l.size), seg.at != nil && !(known && most >= to):
			compare(ir.Le, most)
		}
	default:
		last, exact = l.call("min", last, l.expr(l.to, block, 0)), false
	}
	start, stop := first, last
	if by > 1 {
		start, lo, exact = l.aligned(l.from, block, first, lo, exact)
	}
	if by < 0 {
		start, stop = last, first
		if by < -1 {
			start, hi, exact = l.alignedDown(l.to, block, last, hi, exact)
		}
	}
	if lo > hi {
		return nil
	}
	st := strip{size: l.size, shift: l.shift, parts: l.parts, at: seg.at, least: seg.least, most: seg.most, bounded: seg.constant, lo: lo, hi: hi}
	once := exact && hi-lo < max(by, -by) && !l.cycles
	if once {
		st.unroll = true
		if by < 0 {
			st.lo = hi
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
	for _, c := range conds {
		out = []ir.Stmt{&ir.If{S: s.S, Cond: c, Then: out}}
	}
	return out
}

// aligned moves the start of a piece, first, which is lo unless a bound is above that, up to the
// next iteration of a loop with a step. Where the same element of each block is it, exact stays.
func (l *loop) aligned(from bound, block linalg.Affine, first ir.Expr, lo int64, exact bool) (ir.Expr, int64, bool) {
	if from.constant() && (l.size%l.step == 0 || block.IsConst()) {
		lo += mod(from.form.C-l.size*block.C-lo, l.step)
		return l.constant(lo), lo, exact
	}
	next := &ir.Bin{X: l.x(), Op: ir.Add, L: l.constant(lo), R: l.call("modulo", l.expr(from, block, lo), l.constant(l.step))}
	if from.constant() { // in the blocks of this piece it is not above lo
		return next, lo, false
	}
	return l.call("max", first.(*ir.Call).Args[1], next), lo, false
}

// alignedDown is aligned for a loop that goes down.
func (l *loop) alignedDown(to bound, block linalg.Affine, last ir.Expr, hi int64, exact bool) (ir.Expr, int64, bool) {
	by := -l.step
	if to.constant() && (l.size%by == 0 || block.IsConst()) {
		hi -= mod(hi+l.size*block.C-to.form.C, by)
		return l.constant(hi), hi, exact
	}
	// hi less modulo(hi - (to - size*block), by)
	back := &ir.Bin{X: l.x(), Op: ir.Sub, L: l.constant(0), R: l.expr(to, block, hi)}
	next := &ir.Bin{X: l.x(), Op: ir.Sub, L: l.constant(hi), R: l.call("modulo", back, l.constant(by))}
	if to.constant() {
		return next, hi, false
	}
	return l.call("min", last.(*ir.Call).Args[1], next), hi, false
}
