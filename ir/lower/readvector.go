package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// The items that a loop of READ goes through are read at once, into arrays that all PEs get in one
// message, and then assigned in the order of the source:
//
//	read *, (a(i), b(i), i = 1, n)
//
//	read(*, *, stay) n times t, u
//	do i = 1, n
//	   if (t_got(i)) a(i) = t(i)
//	   if (u_got(i)) b(i) = u(i)
//	end do
//
// Loops around such a loop are taken together with it if the number of their iterations is known, or
// where the run finds that all are few enough.

// maxReadAtOnce bounds the items of nested loops that are read at once.
const maxReadAtOnce = 1 << 20

// readNest is a nest of loops, the innermost first, with the items inside.
type readNest struct {
	loops []*ir.Do
	items []ir.Expr
	pos   source.Pos
}

// around puts the loops around list.
func (n *readNest) around(list []ir.Stmt) []ir.Stmt {
	for _, d := range n.loops {
		d.Body = list
		list = one(d)
	}
	return list
}

// copied is n with nodes of its own.
func (n *readNest) copied() *readNest {
	out := &readNest{pos: n.pos}
	for _, d := range n.loops {
		c := *d
		c.Lo, c.Hi, c.Step = ir.Clone(d.Lo), ir.Clone(d.Hi), ir.Clone(d.Step)
		out.loops = append(out.loops, &c)
	}
	for _, x := range n.items {
		out.items = append(out.items, ir.Clone(x))
	}
	return out
}

// readNested lowers the items of a nest as parts of READ r.
func (l *lowerer) readNested(n *readNest, r *ir.Read) []ir.Stmt {
	if l.readAtOnce(n) == len(n.loops) || !n.rectangular() || !l.vectorReads(n, r) {
		return l.readInner(n, r)
	}
	var total ir.Expr = intConstOf(ir.Long, 1, n.pos)
	for _, d := range n.loops {
		total = l.foldBinary(&ir.Bin{X: ir.X{Pos: n.pos, Typ: ir.Long}, Op: ir.Mul, L: total, R: l.tripsOf(d)}, n.pos)
	}
	if isConst(total) {
		return l.readInner(n, r)
	}
	few := l.bin(ir.Le, total, intConstOf(ir.Long, maxReadAtOnce, n.pos), n.pos, n.pos)
	return one(&ir.If{S: r.S, Cond: few, Then: l.readVectors(n.copied(), r), Else: l.readInner(n, r)})
}

// rectangular reports whether no loop of n has a bound that depends on the loops around it.
func (n *readNest) rectangular() bool {
	for k, d := range n.loops {
		for _, outer := range n.loops[k+1:] {
			if slices.ContainsFunc([]ir.Expr{d.Lo, d.Hi, d.Step}, func(e ir.Expr) bool { return ir.Mentions(e, outer.Index) }) {
				return false
			}
		}
	}
	return true
}

// readInner reads at once what the loops have whose iterations are known to be few, and at least those of
// the innermost one.
func (l *lowerer) readInner(n *readNest, r *ir.Read) []ir.Stmt {
	inner := &readNest{loops: n.loops[:l.readAtOnce(n)], items: n.items, pos: n.pos}
	var body []ir.Stmt
	if len(inner.loops) == 0 || !l.vectorReads(inner, r) {
		inner.loops = nil
		for _, x := range n.items {
			body = append(body, l.readOne(x, r)...)
		}
	} else {
		body = l.readVectors(inner, r)
	}
	return (&readNest{loops: n.loops[len(inner.loops):]}).around(body)
}

// readAtOnce is how many loops are taken together: the innermost, and those around it if the trips
// of all are constants.
func (l *lowerer) readAtOnce(n *readNest) int {
	total := 1
	for k, d := range n.loops {
		trips, ok := constOf(l.tripsOf(d))
		if total *= max(1, trips); !ok || total > maxReadAtOnce {
			return max(1, k)
		}
	}
	return len(n.loops)
}

// vectorReads reports whether the items can be in arrays.
func (l *lowerer) vectorReads(n *readNest, r *ir.Read) bool {
	return !r.IsNamelist() && !slices.ContainsFunc(n.items, func(x ir.Expr) bool { return x.Type() == ir.Character && l.charLen(x) < 0 }) &&
		(isConst(l.tripsOf(n.loops[0])) && len(n.loops) == l.readAtOnce(n) || !l.mayCheckpoint())
}

// mayCheckpoint reports whether the program uses checkpoints, which do not save arrays of which
// the extents are not known before run time.
func (l *lowerer) mayCheckpoint() bool {
	for at := l.scope; at != nil; at = at.host {
		if at.checkpoints {
			return true
		}
	}
	return l.prog.Checkpoints()
}

// tripsOf is the number of iterations of d, an INTEGER(8).
func (l *lowerer) tripsOf(d *ir.Do) ir.Expr {
	bin := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return l.foldBinary(&ir.Bin{X: ir.X{Pos: d.Pos, Typ: ir.Long}, Op: op, L: x, R: y}, d.Pos)
	}
	long := func(e ir.Expr) ir.Expr { return l.convert(ir.Clone(e), ir.Long) }
	trips := bin(ir.Div, bin(ir.Add, bin(ir.Sub, long(d.Hi), long(d.Lo)), long(d.Step)), long(d.Step))
	if c, ok := constOf(d.Step); ok && c == 1 {
		trips = bin(ir.Add, bin(ir.Sub, long(d.Hi), long(d.Lo)), intConstOf(ir.Long, 1, d.Pos))
	}
	return l.atLeast0(trips, d.Pos)
}

// readVectors reads the items of the nest at once, and assigns them.
func (l *lowerer) readVectors(n *readNest, r *ir.Read) []ir.Stmt {
	var pre []ir.Stmt
	bin := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return l.foldBinary(&ir.Bin{X: ir.X{Pos: n.pos, Typ: ir.Long}, Op: op, L: x, R: y}, n.pos)
	}
	// k is the place of the iteration, from 1.
	var k, size ir.Expr = intConstOf(ir.Long, 1, n.pos), intConstOf(ir.Long, 1, n.pos)
	for _, d := range n.loops {
		at := bin(ir.Sub, l.convert(varOf(d.Index, n.pos), ir.Long), l.convert(ir.Clone(d.Lo), ir.Long))
		at = bin(ir.Div, at, l.convert(ir.Clone(d.Step), ir.Long))
		k = bin(ir.Add, bin(ir.Mul, at, ir.Clone(size)), k)
		size = bin(ir.Mul, size, l.tripsOf(d))
	}
	if lo, ok := constOf(n.loops[0].Lo); ok && lo == 1 && len(n.loops) == 1 && isConst(n.loops[0].Step) && n.loops[0].Step.(*ir.Const).Int == 1 {
		k = l.convert(varOf(n.loops[0].Index, n.pos), ir.Long)
	}
	size = l.fixed(size, "items", n.pos, &pre)
	part := l.partOf(r)
	part.Times = size
	var body []ir.Stmt
	for _, x := range n.items {
		vector := func(typ ir.Type, length int) *ir.Ref {
			t := l.room(&elemental{n: []ir.Expr{size}, pre: &pre}, typ, length, n.pos)
			return &ir.Ref{X: ir.X{Pos: n.pos, Typ: typ}, Sym: t.view.base, Subs: []ir.Expr{ir.Clone(k)}}
		}
		t, got := vector(x.Type(), max(0, l.charLen(x))), vector(ir.Logical, 0)
		part.Vectors, part.GotVectors = append(part.Vectors, t.Sym), append(part.GotVectors, got.Sym)
		body = append(body, &ir.If{S: r.S, Cond: got, Then: one(&ir.Assign{S: r.S, LHS: x, RHS: t})})
	}
	return append(append(pre, part), n.around(body)...)
}

// partOf is a part of READ r, without items yet.
func (l *lowerer) partOf(r *ir.Read) *ir.Read {
	part := &ir.Read{S: r.S, From: ir.Clone(r.From), Format: ir.Clone(r.Format), Unformatted: r.Unformatted, Keys: r.Keys, Iostat: r.Iostat, Stay: true}
	for _, x := range r.Given {
		part.Given = append(part.Given, ir.Clone(x))
	}
	return part
}

// readOne reads x as a part of READ r.
func (l *lowerer) readOne(x ir.Expr, r *ir.Read) []ir.Stmt {
	part := l.partOf(r)
	out := append(one(part), l.receive(part, []readItem{{x: x}})...)
	if v := part.Items[0]; x.Type() == ir.Character && r.IsNamelist() && v.Sym != ir.Target(x) {
		// The input may have a part of it alone.
		out = append(one(&ir.Assign{S: r.S, LHS: ir.Clone(v), RHS: raw(ir.Clone(x))}), out...)
	}
	return out
}
