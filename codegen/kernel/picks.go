package kernel

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Elements that an index picks are gathered. Vector code first looks whether all of them
// exist; if not, it ends before the part that has such an index, with all that comes
// earlier computed, and the form in Go goes on from there, to fail where the source does.

// Table adds a stream whose elements are picked.
func (k *Kernel) Table(name string, t Type) int {
	i := k.Stream(name, t)
	k.Streams[i].Table = true
	return i
}

// Pick is an element of a table, where mask holds if it is not nil. Elements of iterations
// that follow one another are never neighbours if they are apart.
func (k *Kernel) Pick(table int, index, mask *Node, apart bool) *Node {
	n := Node{Op: Pick, Type: k.Streams[table].Type, N: table, Args: []*Node{index}}
	if apart {
		n.Off = 1
	}
	if mask != nil {
		n.Args = append(n.Args, mask)
	}
	return k.node(n)
}

// Picks reports whether the kernel has a table.
func (k *Kernel) Picks() bool {
	return slices.ContainsFunc(k.Streams, func(s Stream) bool { return s.Table })
}

// finished is where vector code goes on when all is computed.
func (a *assembler) finished() string {
	if a.k.Picks() {
		return "finished"
	}
	return "done"
}

// leavers is the code of those parts that end the kernel.
func (a *assembler) leavers(p func(string, ...any)) {
	if !a.k.Picks() {
		return
	}
	for part := range a.k.Lanes() / a.lanes {
		p("leave%d:", part)
		p("\tLEAQ %d(%s), %s", part*a.lanes, regT, regA)
		p("\tXORL %s, %s", regB, regB)
		p("\tTESTQ %s, %s", regA, regA)
		p("\tCMOVQLT %s, %s", regB, regA)
		p("\tMOVQ %s, %d(%s)", regA, a.l.done, regArg)
		p("\tJMP done")
	}
}

// pick gathers elements.
func (l *lowering) pick(n *Node) operand {
	s := l.k.Streams[n.N]
	w, wide := l.width(s.Type), l.width(I64)
	var mask *Node
	if len(n.Args) > 1 {
		mask = n.Args[1]
	}
	at := l.pinned(fmt.Sprint("at ", n.N), fmt.Sprintf("%d(%s)", l.l.at[n.N], regArg), wide, 8)
	size := l.pinned(fmt.Sprint("len ", n.N), fmt.Sprintf("%d(%s)", l.l.stream[n.N]+8, regArg), wide, 8)
	index := l.bin(wide, "VPADDQ", l.at[n.Args[0]], at, true)
	base := l.bases[n.N]
	m, masked := l.where(mask, s.Type.size(), 0)
	zero := l.reg(l.bits(s.Type, 0), w)
	if !zero.value() {
		zero = l.ins(w, l.t.move, zero)
	}
	in := instr{op: "VGATHERQP" + suffix(s.Type), dst: l.code.fresh(vector, w), tied: zero.v}
	var where operand
	if l.t.evex {
		where = l.places(1<<l.lanes - 1)
		if masked {
			where = l.kins("KMOVW", m)
		}
		bad := l.kins("VPCMPUQ", mem("$5"), size, index, where)
		l.to("KORTESTW", bad, bad)
	} else {
		exists := l.ins(wide, "VPCMPGTQ", index, l.reg(size, wide))
		bad := l.bin(wide, "VORPD", index, l.bin(wide, "VXORPD", exists, l.bits(I64, math.MaxUint64), true), true)
		if masked {
			there, _ := l.where(mask, 8, 0)
			bad = l.bin(wide, "VANDPD", bad, there, true)
			where = l.ins(w, l.t.move, l.reg(m, w))
		} else {
			where = l.ones(w)
		}
		l.to("VMOVMSKPD", bad, mem("R15"))
		l.to("TESTQ", mem("R15"), mem("R15"))
	}
	l.to(fmt.Sprintf("JNE leave%d", l.part))
	if base == "" {
		base = "R14"
		l.to("MOVQ", mem("%d(SP)", l.far[n.N]), mem("R14"))
	}
	from := fmt.Sprintf("(%s)(%%s*%d)", base, s.Type.size())
	switch {
	case n.Off == 0 && n.Args[0].follows():
		l.rowOr(&in, index, where, s.Type, from, masked)
		return in.dst
	case masked:
		l.skips++
		label := fmt.Sprintf("pick%d", l.skips)
		in.srcs = []operand{index, where}
		in.text = strings.Join(append(l.ifAny(2, label), l.gather(in.op, fmt.Sprintf(from, "%[1]s"), 2), label+":"), "\n")
		l.code.list = append(l.code.list, in)
		return in.dst
	}
	index.form = from
	if in.srcs = []operand{where, index}; l.t.evex {
		in.srcs = []operand{index, where}
	}
	l.code.list = append(l.code.list, in)
	return in.dst
}

// follows reports whether indices like n are likely to go through consecutive elements: those
// that are computed, as that of a neighbour on a ring is, and not just read.
func (n *Node) follows() bool {
	for n.Op == Conv {
		n = n.Args[0]
	}
	return n.Op != Load && n.Op != Pick
}

// ifAny jumps to a label if no lane of a mask, source number arg of an instruction, is set:
// gathers take as long with such a mask as with another.
func (l *lowering) ifAny(arg int, label string) []string {
	test := "KORTESTW"
	if !l.t.evex {
		test = "VPTEST"
	}
	return []string{fmt.Sprintf("\t%s %%[%d]s, %%[%d]s", test, arg, arg), "\tJEQ " + label}
}

// gather is the text of a gather under a mask, source number arg, into what comes behind it.
func (l *lowering) gather(op, from string, arg int) string {
	if l.t.evex {
		return fmt.Sprintf("\t%s %s, %%[%d]s, %%[%d]s", op, from, arg, arg+1)
	}
	return fmt.Sprintf("\t%s %%[%d]s, %s, %%[%d]s", op, arg, from, arg+1)
}

// rowOr adds what gathers elements, or loads them at once if they are consecutive; from is
// the memory of an element whose index is in a register.
func (l *lowering) rowOr(in *instr, index, where operand, t Type, from string, masked bool) {
	wide := l.width(I64)
	first := l.ins(wide, "VPBROADCASTQ", seen(index, 16))
	behind := l.ins(wide, "VPSUBQ", first, index)
	row := fmt.Sprintf(from, "R15")
	l.skips++
	label := fmt.Sprintf("pick%d", l.skips)
	var lines []string
	if masked {
		lines = l.ifAny(3, label+"end")
	}
	load := "VMOVUP" + suffix(t) + " " + row + ", %[3]s, %[4]s"
	if l.t.evex {
		same := l.kins("VPCMPEQQ", l.iota(I64, 0), behind)
		l.to("KMOVW", same, mem("R15"))
		lines = append(lines, fmt.Sprintf("\tCMPQ R15, $%d", 1<<l.lanes-1))
	} else {
		same := l.bin(wide, "VPCMPEQQ", behind, l.iota(I64, 0), true)
		l.to("VMOVMSKPD", same, mem("R15"))
		load = "VMASKMOVP" + suffix(t) + " " + row + ", %[3]s, %[4]s"
		lines = append(lines, "\tCMPQ R15, $15")
	}
	in.srcs = []operand{index, seen(index, 16), where}
	lines = append(lines, "\tJNE "+label, "\tVMOVQ %[2]s, R15", "\t"+load, "\tJMP "+label+"end", label+":",
		l.gather(in.op, fmt.Sprintf(from, "%[1]s"), 3))
	in.text = strings.Join(append(lines, label+"end:"), "\n")
	l.code.list = append(l.code.list, *in)
}

// ones is a vector of AVX2 with all bits set, which may be changed.
func (l *lowering) ones(w int) operand {
	t := I64
	if w == 16 {
		t = I32
	}
	x := l.reg(l.bits(t, math.MaxUint64>>(64-8*t.size())), w)
	if !x.value() {
		x = l.ins(w, l.t.move, x)
	}
	return x
}
