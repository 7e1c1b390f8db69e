package kernel

import (
	"fmt"
	"slices"
)

// An ordered reduction has one value, to which the iterations add their terms one after
// another, in the order of the source:
//
//	s = s + x(i)*y(i)
//
// The terms of a part of a block are computed as vectors. As many reductions as a vector has
// lanes are added as one vector, after their terms have been transposed. Those of others are
// put on the stack and from there added as scalars. All of these advance together, element
// by element, so that the processor overlaps their chains of additions:
//
//	VMULPD ..., Z0; VMOVUPD Z0, 0(SP)      // terms of the first reduction
//	VMULPD ..., Z0; VMOVUPD Z0, 64(SP)     // of the second
//	VADDSD 0(SP), X31, X31; VADDSD 64(SP), X30, X30
//	VADDSD 8(SP), X31, X31; VADDSD 72(SP), X30, X30
//	...
//
// An iteration that adds nothing, because of a condition or a window, or because a block
// has more lanes than there are iterations left, has a term that changes no value.

// Step is an operation of an iteration on the value of an ordered reduction: Add, Sub or Mul.
type Step struct {
	Op   Op
	Term *Node
}

// Ordered adds an ordered reduction, of which UpdateInOrder gives the value.
func (k *Kernel) Ordered(name string, t Type) int {
	k.Reductions = append(k.Reductions, Reduction{Name: name, Type: t, Ordered: true})
	return len(k.Reductions) - 1
}

// UpdateInOrder sets what an iteration makes of the value of an ordered reduction. It fails
// where that is no sequence of steps.
func (k *Kernel) UpdateInOrder(r int, n *Node) bool {
	steps, ok := k.steps(n, k.Acc(r))
	for _, s := range steps {
		ok = ok && !k.accumulates(s.Term)
	}
	k.Reductions[r].Steps = steps
	return ok
}

// accumulates reports whether a value depends on one of an ordered reduction.
func (k *Kernel) accumulates(n *Node) bool {
	return n.Op == Acc && k.Reductions[n.N].Ordered || slices.ContainsFunc(n.Args, k.accumulates)
}

// steps are those that make n of the value from.
func (k *Kernel) steps(n, from *Node) ([]Step, bool) {
	switch {
	case n == from:
		return nil, true
	case n.Op == Add || n.Op == Mul || n.Op == Sub:
		if steps, ok := k.steps(n.Args[0], from); ok {
			return append(steps, Step{n.Op, n.Args[1]}), true
		}
		if n.Op == Sub {
			return nil, false
		}
		steps, ok := k.steps(n.Args[1], from)
		return append(steps, Step{n.Op, n.Args[0]}), ok
	case n.Op == Select:
		where, x, y := n.Args[0], n.Args[1], n.Args[2]
		if more, ok := k.steps(x, y); ok {
			return k.stepsWhere(from, y, more, func(term, idle *Node) *Node { return k.Op(Select, n.Type, where, term, idle) })
		}
		if more, ok := k.steps(y, x); ok {
			return k.stepsWhere(from, x, more, func(term, idle *Node) *Node { return k.Op(Select, n.Type, where, idle, term) })
		}
	case n.Op == InWindow:
		if more, ok := k.steps(n.Args[0], n.Args[1]); ok {
			return k.stepsWhere(from, n.Args[1], more, func(term, idle *Node) *Node { return k.InWindow(n.N, term, idle) })
		}
	}
	return nil, false
}

// stepsWhere are the steps to old, and those behind it that are made in some iterations:
// choose gives each the term that it has in all.
func (k *Kernel) stepsWhere(from, old *Node, more []Step, choose func(term, idle *Node) *Node) ([]Step, bool) {
	steps, ok := k.steps(old, from)
	for _, s := range more {
		steps = append(steps, Step{s.Op, choose(s.Term, k.idle(s.Op, old.Type))})
	}
	return steps, ok
}

// idle is the term of a step that changes no value.
func (k *Kernel) idle(op Op, t Type) *Node {
	return k.node(Node{Op: Const, Type: t, Bits: idleBits(op, t)})
}

func idleBits(op Op, t Type) uint64 {
	switch {
	case op == Mul && t == F64:
		return 0x3ff0000000000000 // 1
	case op == Mul:
		return 0x3f800000
	case op == Add && t == F64:
		return 1 << 63 // -0: 0 + -0 is 0, and -0 + -0 is -0
	case op == Add:
		return 1 << 31
	}
	return 0 // -0 - 0 is -0
}

// HasOrdered reports whether the kernel has an ordered reduction.
func (k *Kernel) HasOrdered() bool {
	return slices.ContainsFunc(k.Reductions, func(r Reduction) bool { return r.Ordered })
}

var stepOps = map[Op]string{Add: "VADDS", Sub: "VSUBS", Mul: "VMULS"}

// chain is an ordered reduction in a part.
type chain struct {
	Reduction
	place operand     // of its value
	now   operand     // its value
	terms [][]operand // by step and lane
}

// addInOrder makes code for the steps of the ordered reductions.
func (l *lowering) addInOrder() {
	var chains []*chain
	for i, r := range l.k.Reductions {
		if !r.Ordered || len(r.Steps) == 0 {
			continue
		}
		if first, ok := l.together(i); ok {
			if first == i && l.k.Picks() {
				l.addTogether(first)
			}
			continue
		}
		size := r.Type.size()
		c := &chain{Reduction: r, place: l.pinned(fmt.Sprint("value ", i), fmt.Sprintf("%d(%s)", l.l.partial[i], regArg), 16, -size)}
		for j := range r.Steps {
			c.terms = append(c.terms, l.terms[[2]int{i, j}])
		}
		chains = append(chains, c)
	}
	for _, c := range chains {
		if c.now = c.place; c.onStack() {
			c.now = l.ins(16, "VMOVS"+suffix(c.Type), c.place)
		}
	}
	for lane := range l.lanes {
		for _, c := range chains {
			for j, s := range c.Steps {
				op := stepOps[s.Op] + suffix(c.Type)
				if c.onStack() {
					c.now = l.ins(16, op, c.terms[j][lane], c.now)
				} else {
					l.to(op, c.terms[j][lane], c.now, c.now)
				}
			}
		}
	}
	for _, c := range chains {
		if c.onStack() {
			l.to("VMOVS"+suffix(c.Type), c.now, c.place)
		}
	}
}

func (c *chain) onStack() bool { return inMemory(c.place) }

// keepTerms puts a value that steps have as their terms where they are added from, as soon as
// it is there.
func (l *lowering) keepTerms(n *Node) {
	for i, r := range l.k.Reductions {
		for j, s := range r.Steps {
			if s.Term != n {
				continue
			}
			step := [2]int{i, j}
			first, together := l.together(i)
			if !together {
				l.terms[step] = l.inMemory(step, r.Type, s)
				continue
			}
			l.terms[step] = []operand{l.orIdle(r.Type, s)}
			if !l.k.Picks() { // which may leave before all is computed
				l.addTogether(first)
			}
		}
	}
}

// orIdle is the term of a step, in lanes that are no iterations one that changes nothing.
func (l *lowering) orIdle(t Type, s Step) operand {
	w, size := l.width(t), t.size()
	v := l.reg(l.at[s.Term], w)
	m, masked := l.where(nil, size, 0)
	if !masked {
		return v
	}
	idle := l.bits(t, idleBits(s.Op, t))
	if l.t.evex {
		return l.blend(t, m, v, l.reg(idle, w))
	}
	return l.ins(w, "VBLENDVP"+suffix(t), m, v, l.reg(idle, w))
}

// inMemory puts the terms of a step in memory, if they are not there, and returns where each
// lane has its own.
func (l *lowering) inMemory(step [2]int, t Type, s Step) (at []operand) {
	w, size := l.width(t), t.size()
	if n := s.Term; l.folds(n) {
		for lane := range l.lanes {
			at = append(at, l.address(n.N, n.Off+lane))
		}
		return at
	}
	place, ok := l.termsAt[step]
	if !ok {
		place = l.frame.slot(w)
		l.termsAt[step] = place
	}
	l.to("VMOVUPD", l.orIdle(t, s), mem("%d(SP)", place))
	for lane := range l.lanes {
		at = append(at, mem("%d(SP)", place+lane*size))
	}
	return at
}

// As many ordered reductions of F64 as a register has lanes, with the same steps, are added
// together: their values are one vector, and the terms of a part, which are vectors of
// iterations, are transposed to vectors of reductions.

// together returns the first of the reductions that are added together with i.
func (l *lowering) together(i int) (first int, ok bool) {
	all := l.k.Reductions
	n := l.t.bytes / F64.size()
	alike := func(x, y Reduction) bool {
		return y.Ordered && y.Type == F64 && slices.EqualFunc(x.Steps, y.Steps, func(s, t Step) bool { return s.Op == t.Op })
	}
	for first < len(all) {
		m := 1
		for ; m < n && first+m < len(all) && alike(all[first], all[first+m]); m++ {
		}
		if m == n && alike(all[first], all[first]) && len(all[first].Steps) > 0 {
			if first <= i && i < first+n {
				return first, true
			}
			first += n
			continue
		}
		first++
	}
	return 0, false
}

// addTogether makes code for the steps of the reductions from the first on, if all terms are
// there.
func (l *lowering) addTogether(first int) {
	n := l.t.bytes / F64.size()
	steps := l.k.Reductions[first].Steps
	rows := make([][]operand, len(steps))
	for j := range steps {
		for i := range n {
			term, ok := l.terms[[2]int{first + i, j}]
			if !ok {
				return
			}
			rows[j] = append(rows[j], term[0])
		}
	}
	for j := range rows {
		rows[j] = l.transpose(rows[j])
	}
	place := l.pinned(fmt.Sprint("values ", first), fmt.Sprintf("%d(%s)", l.l.partial[first], regArg), l.t.bytes, 0)
	now := place
	if inMemory(place) {
		now = l.reg(place, l.t.bytes)
	}
	for lane := range n {
		for j, s := range steps {
			op := floatOps[s.Op] + "D"
			if inMemory(place) {
				now = l.ins(l.t.bytes, op, rows[j][lane], now)
			} else {
				l.to(op, rows[j][lane], now, now)
			}
		}
	}
	if inMemory(place) {
		l.to("VMOVUPD", now, place)
	}
}

// transpose is the columns of a square of F64.
func (l *lowering) transpose(x []operand) []operand {
	w := l.t.bytes
	// Pairs of rows: of x[0] and x[1] the even columns, then the odd ones, and so on.
	var even, odd []operand
	for i := 0; i < len(x); i += 2 {
		even = append(even, l.ins(w, "VUNPCKLPD", x[i+1], x[i]))
		odd = append(odd, l.ins(w, "VUNPCKHPD", x[i+1], x[i]))
	}
	out := make([]operand, len(x))
	for i, p := range [][]operand{even, odd} {
		if len(x) == 4 {
			out[i] = l.ins(w, "VINSERTF128", mem("$1"), seen(p[1], 16), p[0])
			out[i+2] = l.ins(w, "VPERM2F128", mem("$0x31"), p[1], p[0])
			continue
		}
		pick := func(which string, x, y operand) operand { return l.ins(w, "VSHUFF64X2", mem("%s", which), y, x) }
		const low, high = "$0x88", "$0xdd" // of each operand pairs 0 and 2, or 1 and 3
		a, b, c, d := pick(low, p[0], p[1]), pick(high, p[0], p[1]), pick(low, p[2], p[3]), pick(high, p[2], p[3])
		out[i], out[i+2], out[i+4], out[i+6] = pick(low, a, c), pick(low, b, d), pick(high, a, c), pick(high, b, d)
	}
	return out
}
