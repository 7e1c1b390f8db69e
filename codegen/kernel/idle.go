package kernel

import (
	"fmt"
	"slices"
)

// A kernel that changes nothing but under conditions leaves a part of a block where these
// hold in no lane, before it computes the rest:
//
//	do j = i + 1, n
//	   r2 = (x(i) - x(j))**2 + (y(i) - y(j))**2
//	   if (r2 < rc2) then
//	      e = e + 1/sqrt(r2)
//	   end if
//	end do
//
// Elements that are picked without all of these conditions are looked for before that: the
// kernel ends where one does not exist, though nobody uses it (picks.go).
//
// That pays where the rest takes longer than a branch that is not foreseen.

// idleFrom is the weight of what has to be left out, about in cycles.
const idleFrom = 16

// leaveIdle makes code of the conditions, and jumps over the part where they hold in no lane;
// what it returns is called behind the part.
func (l *lowering) leaveIdle() (end func()) {
	guards := l.k.guards()
	needed := map[*Node]bool{}
	for _, n := range guards {
		l.need(n, needed)
	}
	for _, n := range l.nodes {
		if n.Op == Pick && !n.onlyWhere(guards) {
			l.need(n, needed)
		}
	}
	weight := 0
	for _, n := range l.nodes {
		if !needed[n] {
			weight += n.weight(l.k)
		}
	}
	if len(guards) == 0 || weight < idleFrom {
		return func() {}
	}
	for _, n := range l.nodes {
		if needed[n] {
			l.at[n] = l.node(n)
		}
	}
	l.skips++
	label := fmt.Sprintf("skip%d", l.skips)
	m := l.at[guards[0]]
	for _, n := range guards[1:] {
		if l.t.evex {
			m = l.kins("KANDW", m, l.at[n])
		} else {
			size := l.maskSize(guards[0])
			m = l.bin(size*l.lanes, "VANDPD", m, l.maskOf(n, size), true)
		}
	}
	if l.t.evex {
		l.to("KMOVW", m, mem("R14"))
	} else {
		size := l.maskSize(guards[0])
		l.to(map[int]string{8: "VMOVMSKPD", 4: "VMOVMSKPS"}[size], l.reg(m, size*l.lanes), mem("R14"))
	}
	l.to(fmt.Sprintf("TESTL $%d, R14; JEQ %s", 1<<l.lanes-1, label))
	return func() { l.to(label + ":") }
}

// need adds n, and all that it is computed from, to a set.
func (l *lowering) need(n *Node, set map[*Node]bool) {
	if set[n] {
		return
	}
	set[n] = true
	for _, x := range n.inputs(true) {
		l.need(x, set)
	}
}

// weight is about how many cycles a node takes for a register of elements.
func (n *Node) weight(k *Kernel) int {
	switch n.Op {
	case Scalar, Const, Acc:
		return 0
	case Div, Sqrt, Pick:
		return 8
	case Load:
		if k.Streams[n.N].Stride != 1 {
			return 8
		}
	}
	return 1
}

// guards are the conditions that hold in all lanes in which an iteration stores an element
// or changes a partial value; none where there are lanes without any.
func (k *Kernel) guards() (common []*Node) {
	if k.windows > 0 {
		return nil
	}
	first := true
	meet := func(list []*Node) {
		if first {
			common, first = list, false
			return
		}
		common = slices.DeleteFunc(common, func(n *Node) bool { return !slices.Contains(list, n) })
	}
	for _, s := range k.Stores {
		if s.Mask == nil {
			return nil
		}
		meet(s.Mask.conjuncts())
	}
	for i, r := range k.Reductions {
		if r.Ordered {
			return nil
		}
		for n := r.Update; n.Op != Acc || n.N != i; n = n.Args[2] {
			if n.Op != Select {
				return nil
			}
			meet(n.Args[0].conjuncts())
		}
	}
	return common
}

// onlyWhere reports whether a Pick needs its element only where all of some conditions hold.
func (n *Node) onlyWhere(guards []*Node) bool {
	if len(n.Args) < 2 {
		return false
	}
	have := n.Args[1].conjuncts()
	return !slices.ContainsFunc(guards, func(g *Node) bool { return !slices.Contains(have, g) })
}

// conjuncts are the conditions that hold together where n does.
func (n *Node) conjuncts() []*Node {
	if n.Op != And {
		return []*Node{n}
	}
	return append(n.Args[0].conjuncts(), n.Args[1].conjuncts()...)
}
