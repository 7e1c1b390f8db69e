package kernel

import (
	"fmt"
	"strings"
)

// A window is iterations from one up to before another, which the caller gives: where
// several loops are computed at once of which some begin later or end earlier, each has
// its window. The argument has from1 and upto1 for window 1, and so on; lo and hi tell
// where all windows overlap. Window 0 is all iterations.
//
// Streams of a window have its elements alone: the first is that of iteration from1.

// Window adds a window and returns its number.
func (k *Kernel) Window() int {
	k.windows++
	return k.windows
}

// InWindow is x in the iterations of a window, else old.
func (k *Kernel) InWindow(window int, x, old *Node) *Node {
	if window == 0 || x == old {
		return x
	}
	return k.node(Node{Op: InWindow, Type: x.Type, N: window, Args: []*Node{x, old}})
}

// windowFields declares the windows in the argument.
func (k *Kernel) windowFields(l *layout, field func(size int, format string, args ...any) int) {
	if k.windows == 0 {
		return
	}
	l.lo = field(8, "lo int // from here")
	l.hi = field(8, "hi int // up to here all windows overlap")
	l.from, l.upto = make([]int, k.windows+1), make([]int, k.windows+1)
	for w := 1; w <= k.windows; w++ {
		l.from[w] = field(8, "from%d int", w)
		l.upto[w] = field(8, "upto%d int", w)
	}
}

// inside is the Go condition that iteration t is in a window.
func inside(window int) string {
	return fmt.Sprintf("t >= a.from%d && t < a.upto%d", window, window)
}

// windowTails computes which lanes are in each window.
func (l *lowering) windowTails() {
	l.windows = map[[2]int]operand{}
	for w := 1; w <= l.k.windows; w++ {
		bound := func(at int) operand {
			l.to("MOVQ", mem("%d(%s)", at, regArg), mem("R14"))
			l.to("SUBQ", mem(regT), mem("R14"))
			return mem("R14")
		}
		for _, size := range l.tailSizes() {
			from := l.spread(bound(l.l.from[w]), size)
			upto := l.spread(bound(l.l.upto[w]), size)
			l.windows[[2]int{w, size}] = l.between(from, upto, size)
		}
	}
}

// tailSizes are the sizes of elements for which masks of lanes are made; 0 for all.
func (l *lowering) tailSizes() []int {
	if l.t.evex {
		return []int{0}
	}
	var list []int
	for _, t := range []Type{F64, F32} {
		used := false
		for _, s := range l.k.Streams {
			used = used || s.Type.size() == t.size() || s.Table && t == F64
		}
		for _, r := range l.k.Reductions {
			used = used || r.Type.size() == t.size()
		}
		for _, n := range l.nodes {
			used = used || n.Op == InWindow && n.Type.size() == t.size() || n.rare != nil && t == F64
		}
		if used && l.width(t) <= 32 {
			list = append(list, t.size())
		}
	}
	return list
}

// spread is a general register in all lanes, for masks of elements of a size.
func (l *lowering) spread(o operand, size int) operand {
	switch {
	case size == 0:
		return l.ins(4*l.lanes, "VPBROADCASTD", o)
	case size == 4:
		return l.ins(4*l.lanes, "VPBROADCASTD", seen(l.ins(16, "VMOVD", o), 16))
	}
	return l.ins(8*l.lanes, "VPBROADCASTQ", seen(l.ins(16, "VMOVQ", o), 16))
}

// between is the mask of the lanes from one number to below another.
func (l *lowering) between(from, upto operand, size int) operand {
	if size == 0 {
		below := l.kins("VPCMPD", mem("$6"), l.iota(I32, l.part), upto)
		return l.kins("VPCMPD", mem("$2"), l.iota(I32, l.part), from, below)
	}
	t := F64
	if size == 4 {
		t = F32
	}
	gt := "VPCMPGT" + wordSuffix(t)
	below := l.ins(l.width(t), gt, l.iota(t, l.part), upto)
	before := l.ins(l.width(t), gt, l.iota(t, l.part), from)
	return l.ins(l.width(t), "VANDNPD", below, before)
}

// edge is the mask of the lanes that are iterations of a window, if not all lanes are.
func (l *lowering) edge(window, size int) (operand, bool) {
	if l.t.evex {
		size = 0
	}
	if window > 0 && l.masked {
		return l.windows[[2]int{window, size}], true
	}
	tail, ok := l.tail[size]
	return tail, ok
}

// inWindow makes code for InWindow.
func (l *lowering) inWindow(n *Node) operand {
	x, old := l.at[n.Args[0]], l.at[n.Args[1]]
	w := l.width(n.Type)
	m, masked := l.edge(n.N, n.Type.size())
	switch {
	case !masked:
		return x
	case l.t.evex:
		return l.blend(n.Type, m, x, l.reg(old, w))
	}
	return l.ins(w, "VBLENDVP"+suffix(n.Type), m, x, l.reg(old, w))
}

// windowText is the Go of a window's load, store or choice.
func windowText(window int, body string) string {
	return strings.Join([]string{"if " + inside(window) + " {", body, "}"}, "\n")
}
