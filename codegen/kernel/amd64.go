package kernel

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// target is an instruction set.
type target struct {
	name  string
	evex  bool // AVX-512 with F, DQ, BW and VL: masks are in registers of their own
	bytes int  // in a register
	regs  int
	move  string
}

var targets = []*target{
	{name: "AVX512", evex: true, bytes: 64, regs: 32, move: "VMOVAPD"},
	{name: "AVX2", bytes: 32, regs: 16, move: "VMOVAPD"},
}

// General registers: the argument, the iteration, the number of iterations, two for
// passing purposes, and those of streams. R14, R15 and BP are Go's.
const (
	regArg, regT, regN, regA, regB = "DI", "CX", "DX", "AX", "BX"
)

var streamRegs = []string{"SI", "R8", "R9", "R10", "R11", "R12", "R13"}

// whole is the size that a pin has whose elements are different constants.
const whole = 1

// pin is a value that is the same in all parts: a parameter, a constant, a partial value
// of a reduction. It has a register for the whole kernel, or a place on the stack.
type pin struct {
	key   string
	from  string // where its value is before the loop
	width int
	size  int    // of an element that is broadcast; 0 for partial values, less for one value that changes, whole for a constant
	odd   string // where the value of the odd lanes is, if they have another
	reg   int    // -1: on the stack
	place int
	uses  int
}

// changes reports whether the pin is a value that the kernel changes.
func (p *pin) changes() bool { return p.size <= 0 }

func (p *pin) operand() operand {
	if p.reg < 0 {
		return mem("%d(SP)", p.place)
	}
	return operand{v: -1, text: vectorName(p.reg, p.width)}
}

// assembler writes a kernel for a target.
type assembler struct {
	k       *Kernel
	t       *target
	l       layout
	lanes   int // in a part: what fits in a register
	pins    []*pin
	byKey   map[string]*pin
	consts  *constants
	nodes   []*Node
	frame   frame
	bases   []string       // by stream: its register, "" if there are not enough
	far     map[int]int    // streams without one whose address changes: where it is on the stack
	calls   *calls         // nil if it calls nothing
	bytes   *bytePlaces    // nil without streams of bytes
	kept    map[int]int    // by bytes: where a mask of AVX2 is on the stack
	termsAt map[[2]int]int // by ordered reduction and step: where terms are on the stack
	skips   int            // labels
	why     string         // why the target cannot
}

// constants are what kernels keep in memory.
type constants struct {
	at    map[string]int
	words []uint32
	added []stored // in the order of their places
}

// stored is one of them, which begins at byte at.
type stored struct {
	at    int
	words []uint32
}

func (c *constants) add(words ...uint32) int {
	key := fmt.Sprint(words)
	if at, ok := c.at[key]; ok {
		return at
	}
	if c.at == nil {
		c.at = map[string]int{}
	}
	for len(c.words)%2 != 0 && len(words)%2 == 0 {
		c.words = append(c.words, 0)
	}
	at := 4 * len(c.words)
	c.words = append(c.words, words...)
	c.at[key] = at
	c.added = append(c.added, stored{at, words})
	return at
}

// moved is text that refers to constants of own, with those of c in their place.
func (c *constants) moved(text string, own *constants) string {
	at := make([]int, len(own.added))
	for i, k := range own.added {
		at[i] = c.add(k.words...)
	}
	return symbols.ReplaceAllStringFunc(text, func(s string) string {
		off, _ := strconv.Atoi(symbols.FindStringSubmatch(s)[1])
		i, exact := slices.BinarySearchFunc(own.added, off, func(k stored, off int) int { return k.at - off })
		if !exact {
			i--
		}
		return symbol(at[i] + off - own.added[i].at)
	})
}

var symbols = regexp.MustCompile(`kernelConstants<>\+(\d+)\(SB\)`)

func symbol(at int) string { return fmt.Sprintf("kernelConstants<>+%d(SB)", at) }

// assembly is the kernel for a target, and what it calls, or why there is none.
func (k *Kernel) assembly(t *target, consts *constants, b *strings.Builder) (calls *calls, why string) {
	a := &assembler{k: k, t: t, l: k.fields(nil), lanes: t.bytes / k.widest(), byKey: map[string]*pin{}, termsAt: map[[2]int]int{}, consts: consts, nodes: k.order(true)}
	a.callPlaces()
	// Once with registers for all, to see how many are needed.
	full, edge := a.block(false), a.block(true)
	if a.why != "" {
		return nil, a.why
	}
	need := 0
	for _, c := range append(slices.Clone(full), edge...) {
		need = max(need, c.pressure(vector))
	}
	room := max(0, t.regs-max(need, 4))
	// Partial values first, then what is read most.
	pins := slices.Clone(a.pins)
	slices.SortStableFunc(pins, func(x, y *pin) int {
		if x.changes() != y.changes() {
			if x.changes() {
				return -1
			}
			return 1
		}
		return y.uses - x.uses
	})
	pinned := 0
	for _, p := range pins {
		if p.reg = -1; pinned < room {
			pinned++
			p.reg = t.regs - pinned
		} else {
			p.place = a.frame.slot(p.width)
		}
	}
	free := make([]int, t.regs-pinned)
	for i := range free {
		free[i] = i
	}
	render := func(masked bool) (lines []string) {
		for _, c := range a.block(masked) {
			lines = append(lines, c.print(a, free, []int{1, 2, 3, 4, 5, 6, 7})...)
		}
		return lines
	}
	fullText, edgeText := render(false), render(true)
	a.write(b, fullText, edgeText)
	return a.calls, a.why
}

func (a *assembler) write(b *strings.Builder, full, edge []string) {
	k, t := a.k, a.t
	p := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	flags := "0"
	if a.frame.size == 0 {
		flags = "NOSPLIT"
	}
	p("// func %s%s(a *%sArgs)", k.Name, t.name, k.Name)
	p("TEXT ·%s%s(SB), %s, $%d-8", k.Name, t.name, flags, a.frame.size)
	if a.calls != nil {
		p("\tNO_LOCAL_POINTERS")
	}
	p("\tMOVQ a+0(FP), %s", regArg)
	for i, s := range k.Streams {
		if place, far := a.far[i]; far {
			a.base(p, i, s, regA)
			p("\tMOVQ %s, %d(SP)", regA, place)
		} else if a.bases[i] != "" {
			a.base(p, i, s, a.bases[i])
		}
	}
	for _, pin := range a.pins {
		reg := pin.reg
		if reg < 0 {
			reg = 0
		}
		name := vectorName(reg, pin.width)
		switch {
		case pin.odd != "":
			pin.loadPair(p)
		case pin.size == -4:
			p("\tVMOVSS %s, %s", pin.from, name)
		case pin.size == -8:
			p("\tVMOVSD %s, %s", pin.from, name)
		case pin.size == 0 || pin.size == whole:
			p("\tVMOVUPD %s, %s", pin.from, name)
		case pin.size == 4:
			p("\tVBROADCASTSS %s, %s", pin.from, name)
		case pin.size == 8:
			p("\tVBROADCASTSD %s, %s", pin.from, name)
		}
		if pin.reg < 0 {
			p("\tVMOVUPD %s, %d(SP)", name, pin.place)
		}
	}
	p("\tMOVQ %d(%s), %s", argN, regArg, regN)
	if k.paired {
		p("\tADDQ %s, %s", regN, regN)
	}
	if k.Columns {
		p("column:")
	}
	p("\tXORL %s, %s", regT, regT)
	lanes := k.Lanes()
	if len(k.Reductions) > 0 {
		p("\tSUBQ %d(%s), %s", argHead, regArg, regT)
		p("\tJLT edge")
	} else if i := a.aligned(); i >= 0 {
		// From where what is stored begins a line of the cache, if that pays.
		size := k.Streams[i].Type.memory()
		p("\tCMPQ %s, $%d", regN, alignFrom*lanes)
		p("\tJLT check")
		p("\tMOVQ %s, %s", a.bases[i], regT)
		p("\tANDL $%d, %s", t.bytes/k.widest()*size-1, regT)
		p("\tSHRL $%d, %s", bits.TrailingZeros(uint(size)), regT)
		p("\tNEGQ %s", regT)
		p("\tJLT edge")
	}
	p("\tJMP check")
	p("\tPCALIGN $32")
	p("full:")
	for _, line := range full {
		p("%s", line)
	}
	p("\tADDQ $%d, %s", lanes, regT)
	p("check:")
	upto := regN
	if k.windows > 0 {
		p("\tCMPQ %s, %d(%s)", regT, a.l.lo, regArg)
		p("\tJLT part")
		upto = fmt.Sprintf("%d(%s)", a.l.hi, regArg)
	}
	p("\tLEAQ %d(%s), %s", lanes, regT, regA)
	p("\tCMPQ %s, %s", regA, upto)
	p("\tJLE full")
	if k.windows > 0 {
		p("part:")
	}
	p("\tCMPQ %s, %s", regT, regN)
	p("\tJGE %s", a.finished())
	p("edge: // lanes from %s to below %s", regB, regA)
	p("\tMOVQ %s, %s", regT, regB)
	p("\tNEGQ %s", regB)
	p("\tMOVQ $%d, %s", lanes, regA)
	p("\tMOVQ %s, R14", regN)
	p("\tSUBQ %s, R14", regT)
	p("\tCMPQ R14, %s", regA)
	p("\tCMOVQLT R14, %s", regA)
	p("\tXORL R14, R14")
	p("\tTESTQ %s, %s", regB, regB)
	p("\tCMOVQLT R14, %s", regB)
	for _, line := range edge {
		p("%s", line)
	}
	p("\tADDQ $%d, %s", lanes, regT)
	p("\tJMP check")
	if k.Picks() {
		p("finished:")
		p("\tMOVQ %s, %d(%s)", regN, a.l.done, regArg)
	}
	p("done:")
	if k.Columns {
		a.nextColumn(p)
	}
	for _, pin := range a.pins {
		if !pin.changes() {
			continue
		}
		name := vectorName(max(0, pin.reg), pin.width)
		if pin.reg < 0 {
			p("\tVMOVUPD %d(SP), %s", pin.place, name)
		}
		p("\t%s %s, %s", map[int]string{0: "VMOVUPD", -4: "VMOVSS", -8: "VMOVSD"}[pin.size], name, pin.from)
	}
	p("\tVZEROUPPER")
	p("\tRET")
	a.leavers(p)
	p("")
}

// alignFrom is the number of blocks from which on a kernel begins with a part of one.
const alignFrom = 8

// aligned is a stream that is stored, -1 for none that has a register.
func (a *assembler) aligned() int {
	for _, s := range a.k.Stores {
		if s.Off == 0 && s.Window == 0 && !a.k.Streams[s.Stream].placed() && a.bases[s.Stream] != "" {
			return s.Stream
		}
	}
	return -1
}

// base loads the address of iteration 0 of a stream.
func (a *assembler) base(p func(string, ...any), i int, s Stream, reg string) {
	p("\tMOVQ %d(%s), %s", a.l.stream[i], regArg, reg)
	if s.Window > 0 {
		p("\tMOVQ %d(%s), R14", a.l.from[s.Window], regArg)
		p("\tNEGQ R14")
		p("\tLEAQ (%s)(R14*%d), %s", reg, s.Type.memory(), reg)
	}
	if s.placed() && !s.Table {
		p("\tMOVQ %d(%s), R14", a.l.at[i], regArg)
		p("\tLEAQ (%s)(R14*%d), %s", reg, s.Type.memory(), reg)
	}
}

// pinned is the pin of a key.
func (a *assembler) pinned(key, from string, width, size int) operand {
	p := a.byKey[key]
	if p == nil {
		p = &pin{key: key, from: from, width: width, size: size}
		a.byKey[key] = p
		a.pins = append(a.pins, p)
	}
	p.uses++
	return p.operand()
}

// width is the bytes that a type takes in a part.
func (a *assembler) width(t Type) int { return a.lanes * t.size() }

// bits is a constant of a type in all lanes.
func (a *assembler) bits(t Type, bits uint64) operand {
	words := []uint32{uint32(bits)}
	if t.size() == 8 {
		words = append(words, uint32(bits>>32))
	}
	return a.pinned(fmt.Sprintf("const %d %x", t.size(), bits), symbol(a.consts.add(words...)), a.width(t), t.size())
}

// iota is the numbers of the lanes of a part, in memory.
func (a *assembler) iota(t Type, part int) operand {
	var words []uint32
	for i := range a.k.Lanes() {
		words = append(words, uint32(i))
		if t.size() == 8 {
			words = append(words, 0)
		}
	}
	return operand{v: -1, text: symbol(a.consts.add(words...) + part*a.lanes*t.size())}
}

// block is the code of a block, one piece for each part of it, with a preparation where
// lanes outside of the iterations are masked.
func (a *assembler) block(masked bool) []*code {
	if a.bases == nil {
		a.bases = make([]string, len(a.k.Streams))
		a.far = map[int]int{}
		for i, s := range a.k.Streams {
			if i < len(streamRegs) {
				a.bases[i] = streamRegs[i]
			} else if s.placed() || s.Window > 0 || a.k.Columns {
				a.far[i] = a.frame.slot(8)
			}
		}
	}
	var list []*code
	for part := range a.k.Lanes() / a.lanes {
		l := &lowering{assembler: a, code: &code{}, part: part, masked: masked, at: map[*Node]operand{}, resized: map[string]operand{}, uses: map[*Node]int{}, terms: map[[2]int][]operand{}}
		l.lower()
		list = append(list, l.code)
	}
	return list
}
