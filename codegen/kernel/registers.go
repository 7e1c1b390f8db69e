package kernel

import (
	"fmt"
	"strings"
)

// operand is what an instruction reads: a value (v >= 0) in a register, seen with a width
// in bytes; or text: memory, a number or a fixed register. A value may be the index of
// elements in memory, whose address is then its form.
type operand struct {
	v     int
	width int
	text  string
	form  string
}

func (o operand) value() bool { return o.text == "" }

func mem(format string, args ...any) operand {
	return operand{v: -1, text: fmt.Sprintf(format, args...)}
}

// instr is an instruction, with its sources in the order of Go's assembler. dst is the
// value that it defines, or -1; tied, if not -1, a value that it changes into dst.
type instr struct {
	op   string
	text string // in its place several lines, in which %[1]s is the first operand; the last one is dst
	srcs []operand
	dst  operand
	none bool // defines nothing: the last source is where it stores
	tied int
	call *Node // of a call: the function, whose value is tied
}

// class is a kind of registers.
type class uint8

const (
	vector class = iota
	mask         // of AVX-512
)

// code is a piece of straight-line code over values that are defined once.
type code struct {
	list  []instr
	class []class // of values
	width []int   // in bytes, of vectors
}

func (c *code) fresh(cl class, width int) operand {
	c.class = append(c.class, cl)
	c.width = append(c.width, width)
	return operand{v: len(c.class) - 1, width: width}
}

// pressure is the most values of a class that are alive at once.
func (c *code) pressure(cl class) int {
	last := c.lastUses()
	alive, most := map[int]bool{}, 0
	for i, in := range c.list {
		for _, s := range in.srcs {
			if s.value() && last[s.v] == i && in.tied != s.v {
				delete(alive, s.v)
			}
		}
		if !in.none {
			if in.tied >= 0 && last[in.tied] == i {
				delete(alive, in.tied)
			}
			alive[in.dst.v] = true
		}
		n := 0
		for v := range alive {
			if c.class[v] == cl {
				n++
			}
		}
		most = max(most, n)
		if !in.none && last[in.dst.v] < 0 {
			delete(alive, in.dst.v)
		}
	}
	return most
}

// lastUses is the last instruction that reads each value, -1 for none.
func (c *code) lastUses() []int {
	last := make([]int, len(c.class))
	for v := range last {
		last[v] = -1
	}
	for i, in := range c.list {
		for _, s := range in.srcs {
			if s.value() {
				last[s.v] = i
			}
		}
		if in.tied >= 0 {
			last[in.tied] = i
		}
	}
	return last
}

// frame gives out places on the stack.
type frame struct{ size int }

func (f *frame) slot(bytes int) int {
	f.size += bytes
	return f.size - bytes
}

// allocator gives values registers, in one pass; when there are too few, the value that is
// read last waits on the stack.
type allocator struct {
	c       *code
	asm     *assembler
	target  *target
	frame   *frame
	free    [2][]int    // by class
	in      map[int]int // value -> register
	slots   map[int]int // value -> place on the stack
	uses    [][]int     // by value: instructions that read it
	out     []string
	ordinal int
}

// print renders the code with registers from those that are free.
func (c *code) print(asm *assembler, vectors, masks []int) []string {
	a := &allocator{c: c, asm: asm, target: asm.t, frame: &asm.frame, in: map[int]int{}, slots: map[int]int{}, uses: make([][]int, len(c.class))}
	a.free[vector] = append(a.free[vector], vectors...)
	a.free[mask] = append(a.free[mask], masks...)
	for i, in := range c.list {
		for _, s := range in.srcs {
			if s.value() {
				a.uses[s.v] = append(a.uses[s.v], i)
			}
		}
		if in.tied >= 0 {
			a.uses[in.tied] = append(a.uses[in.tied], i)
		}
	}
	for i := range c.list {
		a.ordinal = i
		a.instr(&c.list[i])
	}
	return a.out
}

func (a *allocator) emit(op string, args ...string) {
	if strings.HasSuffix(op, ":") { // a label
		a.out = append(a.out, op)
		return
	}
	a.out = append(a.out, "\t"+op+" "+strings.Join(args, ", "))
}

func (a *allocator) instr(in *instr) {
	busy := map[int]bool{}
	for _, s := range in.srcs {
		if s.value() {
			busy[s.v] = true
		}
	}
	if in.tied >= 0 {
		busy[in.tied] = true
	}
	args := make([]string, 0, len(in.srcs)+1)
	for _, s := range in.srcs {
		if !s.value() {
			args = append(args, s.text)
			continue
		}
		text := a.name(a.need(s.v, busy), a.c.class[s.v], s.width)
		if s.form != "" {
			text = fmt.Sprintf(s.form, text)
		}
		args = append(args, text)
	}
	tied := -1
	if in.tied >= 0 {
		tied = a.need(in.tied, busy)
	}
	dead := func(v int) bool {
		u := a.uses[v]
		return len(u) == 0 || u[len(u)-1] <= a.ordinal
	}
	if in.tied >= 0 && !in.none {
		// The register of the value that is changed, or a copy of it.
		d := in.dst.v
		other := false // it is also read as it was
		for _, s := range in.srcs {
			other = other || s.value() && s.v == in.tied
		}
		if dead(in.tied) && !other {
			delete(a.in, in.tied)
			a.in[d] = tied
		} else {
			busy[d] = true
			r := a.take(a.c.class[d], busy)
			a.in[d] = r
			a.emit(a.target.move, a.name(tied, vector, a.c.width[d]), a.name(r, vector, a.c.width[d]))
		}
	}
	for _, s := range in.srcs {
		if s.value() && dead(s.v) {
			a.release(s.v)
		}
	}
	if in.tied >= 0 && dead(in.tied) {
		a.release(in.tied)
	}
	if !in.none {
		d := in.dst
		if in.tied < 0 {
			// Not a register of its sources, where the assembler wants them distinct, but for plain operations.
			a.in[d.v] = a.take(a.c.class[d.v], busy)
		}
		args = append(args, a.name(a.in[d.v], a.c.class[d.v], d.width))
		switch {
		case in.call != nil:
			a.call(in, args)
		case in.text != "":
			list := make([]any, len(args))
			for i, arg := range args {
				list[i] = arg
			}
			a.out = append(a.out, strings.Split(fmt.Sprintf(in.text, list...), "\n")...)
		default:
			a.emit(in.op, args...)
		}
		if dead(d.v) {
			a.release(d.v)
		}
		return
	}
	a.emit(in.op, args...)
}

func (a *allocator) release(v int) {
	if r, ok := a.in[v]; ok {
		delete(a.in, v)
		cl := a.c.class[v]
		a.free[cl] = append(a.free[cl], r)
	}
}

// need brings a value into a register.
func (a *allocator) need(v int, busy map[int]bool) int {
	if r, ok := a.in[v]; ok {
		return r
	}
	cl := a.c.class[v]
	r := a.take(cl, busy)
	a.in[v] = r
	place := fmt.Sprintf("%d(SP)", a.slots[v])
	if cl == mask {
		a.emit("KMOVW", place, a.name(r, cl, 0))
	} else {
		a.emit("VMOVUPD", place, a.name(r, cl, a.c.width[v]))
	}
	return r
}

// take finds a free register, or makes one free.
func (a *allocator) take(cl class, busy map[int]bool) int {
	if n := len(a.free[cl]); n > 0 {
		r := a.free[cl][0]
		a.free[cl] = a.free[cl][1:]
		return r
	}
	victim, far := -1, -1
	for v := range a.in {
		if a.c.class[v] != cl || busy[v] {
			continue
		}
		next := len(a.c.list)
		for _, u := range a.uses[v] {
			if u > a.ordinal {
				next = u
				break
			}
		}
		if next > far || next == far && v < victim {
			victim, far = v, next
		}
	}
	if victim < 0 {
		panic("kernel: an instruction needs more registers than there are")
	}
	r := a.in[victim]
	delete(a.in, victim)
	if _, saved := a.slots[victim]; !saved {
		size := 8
		if cl == vector {
			size = a.c.width[victim]
		}
		a.slots[victim] = a.frame.slot(size)
		place := fmt.Sprintf("%d(SP)", a.slots[victim])
		if cl == mask {
			a.emit("KMOVW", a.name(r, cl, 0), place)
		} else {
			a.emit("VMOVUPD", a.name(r, cl, a.c.width[victim]), place)
		}
	}
	return r
}

func (a *allocator) name(r int, cl class, width int) string {
	if cl == mask {
		return fmt.Sprintf("K%d", r)
	}
	return vectorName(r, width)
}

func vectorName(r, width int) string {
	return fmt.Sprintf("%s%d", map[int]string{64: "Z", 32: "Y", 16: "X"}[width], r)
}
