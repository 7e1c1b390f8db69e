package kernel

import (
	"fmt"
	"maps"
	"slices"
)

// A function of package elementary is computed as vectors, by the same operations, where
// that gives its value. Where it does not, for arguments that are rare, the lanes in
// question are computed one by one: the kernel calls the function.

// FunctionPackage is the package of the functions.
const FunctionPackage = "github.com/spmdc/spmdc/runtime/elementary"

// function is a function of package elementary.
type function struct {
	name string
	args []Type
	// vector makes the value as vectors, and the condition under which it is not that,
	// nil for never.
	vector func(b builder, x []*Node) (value, not *Node)
}

// Function is a function of F64, an operation from Exp on, computed where the condition
// holds, which is nil for everywhere.
func (k *Kernel) Function(op Op, where *Node, args ...*Node) *Node {
	have := len(k.nodes)
	p := k.node(Node{Op: op, Type: F64, Args: args})
	switch {
	case p.id < have && (p.not == nil || p.where == nil || p.where == where):
		return p
	case p.id < have: // under another condition: everywhere
		p.where, p.rare = nil, p.not
		return p
	}
	p.fast, p.not = functions[op].vector(builder{k}, args)
	p.where, p.rare = where, p.not
	if where != nil && p.not != nil {
		p.rare = k.Op(And, Mask, p.not, where)
	}
	return p
}

// callText is the Go of a call.
func callText(n *Node, text map[*Node]string) string {
	s := "elementary." + functions[n.Op].name + "("
	for i, a := range n.Args {
		if i > 0 {
			s += ", "
		}
		s += typedText(a, text)
	}
	return s + ")"
}

// calls is what an assembler knows of the calls of a kernel.
type calls struct {
	used   map[Op]bool
	count  int
	lanes  []int // places on the stack: for the arguments of all lanes,
	result int   // the results,
	bits   int   // which lanes are left,
	lane   int   // the one that is computed,
	at     []int // and what counters hold
	saved  map[string]int
	bases  []int // of streams with a register: where it is
}

// counters are the general registers that a call keeps: also the bounds of the lanes, which
// further parts of a block need.
var counters = []string{regT, regN, regA, regB}

// callPlaces gives the calls of a kernel their places on the stack, of which the lowest are
// those of arguments and result of the function in Go.
func (a *assembler) callPlaces() {
	most := 0
	for _, n := range a.nodes {
		if n.rare != nil {
			most = max(most, len(n.Args))
		}
	}
	if most == 0 {
		return
	}
	c := &calls{used: map[Op]bool{}, saved: map[string]int{}}
	a.calls = c
	a.frame.slot(8 * (most + 1))
	for range most {
		c.lanes = append(c.lanes, a.frame.slot(64))
	}
	c.result, c.bits, c.lane = a.frame.slot(64), a.frame.slot(8), a.frame.slot(8)
	for range counters {
		c.at = append(c.at, a.frame.slot(8))
	}
	for range a.k.Streams {
		c.bases = append(c.bases, a.frame.slot(8))
	}
}

// call makes code for a function: the value as vectors, and the call where it is not that.
func (l *lowering) call(n *Node) operand {
	w := l.width(F64)
	v := l.at[n.fast]
	if n.rare == nil {
		return v
	}
	if !v.value() {
		v = l.ins(w, l.t.move, v)
	}
	m, _ := l.where(n.rare, 8, 0)
	srcs := []operand{l.reg(m, w)}
	for _, x := range n.Args {
		srcs = append(srcs, l.reg(l.at[x], w))
	}
	d := l.code.fresh(vector, w)
	l.code.list = append(l.code.list, instr{op: "CALL", call: n, srcs: srcs, dst: d, tied: v.v})
	return d
}

// call renders a call: args are the registers of the mask, of the arguments, and of the
// result, which the call changes in the lanes of the mask. Go keeps no registers, and may
// move the stack with what lies on it: what points to memory is kept as the distance from
// what the kernel's argument has.
func (a *allocator) call(in *instr, args []string) {
	s, k, evex := a.asm, a.asm.k, a.target.evex
	c := s.calls
	c.count++
	c.used[in.call.Op] = true
	done, next := fmt.Sprintf("called%d", c.count), fmt.Sprintf("lane%d", c.count)
	test, values, result := args[0], args[1:len(args)-1], args[len(args)-1]
	if evex {
		a.emit("KMOVW", test, "R14")
		a.emit("ANDL", fmt.Sprintf("$%d", 1<<s.lanes-1), "R14")
	} else {
		a.emit("VMOVMSKPD", test, "R14")
		a.emit("TESTL", "R14", "R14")
	}
	place := func(at int) string { return fmt.Sprintf("%d(SP)", at) }
	a.emit("JEQ", done)
	a.emit("MOVQ", "R14", place(c.bits))
	for i, r := range counters {
		a.emit("MOVQ", r, place(c.at[i]))
	}
	for i, v := range values {
		a.emit("VMOVUPD", v, place(c.lanes[i]))
	}
	a.emit("VMOVUPD", result, place(c.result))
	kept := a.occupied(in.dst.v)
	for _, r := range kept {
		a.emit(r.move, r.name, place(c.saved[r.key]))
	}
	// distance of what points to memory
	pointers := func(op string) {
		for i := range k.Streams {
			from := fmt.Sprintf("%d(%s)", s.l.stream[i], regArg)
			at, far := s.far[i]
			if !far && s.bases[i] == "" {
				continue
			}
			reg, at := "R14", at
			if !far {
				reg, at = s.bases[i], c.bases[i]
			}
			if far || op == "ADDQ" {
				a.emit("MOVQ", place(at), reg)
			}
			a.emit(op, from, reg)
			if far || op == "SUBQ" {
				a.emit("MOVQ", reg, place(at))
			}
		}
	}
	pointers("SUBQ")
	a.emit("VZEROUPPER")
	a.out = append(a.out, next+":")
	a.emit("MOVQ", place(c.bits), "R14")
	a.emit("BSFQ", "R14", regA)
	a.emit("LEAQ", "-1(R14)", regB)
	a.emit("ANDQ", regB, "R14")
	a.emit("MOVQ", "R14", place(c.bits))
	a.emit("MOVQ", regA, place(c.lane))
	for i := range values {
		a.emit("MOVQ", fmt.Sprintf("%d(SP)(%s*8)", c.lanes[i], regA), regB)
		a.emit("MOVQ", regB, place(8*i))
	}
	a.emit("CALL", "·"+callName(in.call.Op)+"(SB)")
	a.emit("MOVQ", place(8*len(values)), regB)
	a.emit("MOVQ", place(c.lane), regA)
	a.emit("MOVQ", regB, fmt.Sprintf("%d(SP)(%s*8)", c.result, regA))
	a.emit("CMPQ", place(c.bits), "$0")
	a.emit("JNE", next)
	a.emit("MOVQ", "a+0(FP)", regArg)
	pointers("ADDQ")
	for i, r := range counters {
		a.emit("MOVQ", place(c.at[i]), r)
	}
	for _, r := range kept {
		a.emit(r.move, place(c.saved[r.key]), r.name)
	}
	a.emit("VMOVUPD", place(c.result), result)
	a.out = append(a.out, done+":")
}

// kept is a register that a call must keep.
type kept struct{ key, name, move string }

// occupied are the registers with values, but for one value.
func (a *allocator) occupied(but int) (list []kept) {
	add := func(cl class, r, width int) {
		x := kept{key: fmt.Sprint(cl, " ", r), name: a.name(r, cl, width), move: "VMOVUPD"}
		size := 64
		if cl == mask {
			x.move, size = "KMOVW", 8
		}
		if _, ok := a.asm.calls.saved[x.key]; !ok {
			a.asm.calls.saved[x.key] = a.frame.slot(size)
		}
		list = append(list, x)
	}
	for _, v := range slices.Sorted(maps.Keys(a.in)) {
		if v != but {
			add(a.c.class[v], a.in[v], a.c.width[v])
		}
	}
	for _, p := range a.asm.pins {
		if p.reg >= 0 {
			add(vector, p.reg, p.width)
		}
	}
	return list
}

// callName is the function of the module that kernels call for a function.
func callName(op Op) string { return "kernel" + functions[op].name }

// callee declares that.
func callee(op Op) string {
	f := functions[op]
	params, args := "", ""
	for i, t := range f.args {
		if i > 0 {
			params, args = params+", ", args+", "
		}
		name := string(rune('x' + i))
		params += name + " " + t.Go()
		args += name
	}
	return fmt.Sprintf("// %s computes single lanes, where vectors do not.\nfunc %s(%s) float64 { return elementary.%s(%s) }\n\n", callName(op), callName(op), params, f.name, args)
}
