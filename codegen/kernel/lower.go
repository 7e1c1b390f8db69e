package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// lowering makes code of the nodes for one part of a block.
type lowering struct {
	*assembler
	code    *code
	part    int
	masked  bool
	at      map[*Node]operand
	resized map[string]operand // masks of AVX2 for elements of another size
	tail    map[int]operand    // by size of elements: which lanes are iterations; size 0: in a mask register
	windows map[[2]int]operand // by window and size of elements, as tail
	uses    map[*Node]int
	terms   map[[2]int][]operand // by ordered reduction and step: where each lane has its own
}

// param is where a parameter is passed.
func (l *lowering) param(n *Node) string {
	return fmt.Sprintf("%d(%s)", l.l.param[n.N]+n.Off*n.Type.size(), regArg)
}

func (l *lowering) refuse(format string, args ...any) operand {
	if l.why == "" {
		l.why = fmt.Sprintf(format, args...)
	}
	return l.code.fresh(vector, l.t.bytes)
}

// ins adds an instruction that defines a vector.
func (l *lowering) ins(width int, op string, srcs ...operand) operand {
	d := l.code.fresh(vector, width)
	l.code.list = append(l.code.list, instr{op: op, srcs: srcs, dst: d, tied: -1})
	return d
}

// kins adds an instruction that defines a mask.
func (l *lowering) kins(op string, srcs ...operand) operand {
	d := l.code.fresh(mask, 0)
	l.code.list = append(l.code.list, instr{op: op, srcs: srcs, dst: d, tied: -1})
	return d
}

// to adds an instruction whose last operand is where it stores.
func (l *lowering) to(op string, srcs ...operand) {
	l.code.list = append(l.code.list, instr{op: op, srcs: srcs, none: true, tied: -1})
}

// reg brings an operand out of memory.
func (l *lowering) reg(o operand, width int) operand {
	if !inMemory(o) {
		return o
	}
	return l.ins(width, "VMOVUPD", o)
}

// seen is a value with another width.
func seen(o operand, width int) operand {
	o.width = width
	return o
}

// inMemory reports whether an operand is a place in memory.
func inMemory(o operand) bool { return !o.value() && strings.HasSuffix(o.text, ")") }

// bin adds x op y, of which only y may be in memory; commutes tells that they may change places.
func (l *lowering) bin(width int, op string, x, y operand, commutes bool) operand {
	if inMemory(x) && commutes && !inMemory(y) {
		x, y = y, x
	}
	return l.ins(width, op, y, l.reg(x, width))
}

var floatOps = map[Op]string{Add: "VADDP", Sub: "VSUBP", Mul: "VMULP", Div: "VDIVP"}

// suffix tells doubles from singles.
func suffix(t Type) string {
	if t.size() == 8 {
		return "D"
	}
	return "S"
}

// wordSuffix tells words of 64 from such of 32 bits.
func wordSuffix(t Type) string {
	if t.size() == 8 {
		return "Q"
	}
	return "D"
}

func (l *lowering) lower() {
	if l.masked {
		l.tails()
	}
	for _, n := range l.nodes {
		for _, x := range n.inputs(true) {
			l.uses[x]++
		}
	}
	for _, r := range l.k.Reductions {
		if r.Ordered {
			for _, s := range r.Steps {
				l.uses[s.Term]++
			}
			continue
		}
		l.uses[r.Update] += 2
	}
	for _, s := range l.k.Stores {
		l.uses[s.Value] += 2
	}
	for _, n := range l.nodes {
		if n.fast != nil { // the value has two names
			l.uses[n.fast] += 2
		}
		if n.rare != nil {
			for _, x := range n.Args {
				l.uses[x] += 2
			}
		}
		if n.Op == InWindow || n.Op == Bits {
			l.uses[n.Args[0]] += 2
		}
	}
	leave := l.leaveEmpty()
	work := l.leaveIdle()
	for _, n := range l.nodes {
		if _, done := l.at[n]; !done {
			l.at[n] = l.node(n)
		}
		l.keepTerms(n)
	}
	l.stores()
	l.updates()
	work()
	leave()
}

// tails computes which lanes are iterations, of all windows.
func (l *lowering) tails() {
	l.tail = map[int]operand{}
	for _, size := range l.tailSizes() {
		from, upto := l.spread(mem(regB), size), l.spread(mem(regA), size)
		l.tail[size] = l.between(from, upto, size)
	}
	l.windowTails()
}

// address is an element in memory.
func (l *lowering) address(stream, off int) operand {
	size := l.k.Streams[stream].Type.memory()
	disp := (off + l.part*l.lanes) * size
	base := l.bases[stream]
	if base == "" {
		base = "R14"
		l.needBase(stream)
	}
	text := fmt.Sprintf("(%s)(%s*%d)", base, regT, size)
	if disp != 0 {
		text = fmt.Sprintf("%d%s", disp, text)
	}
	return operand{v: -1, text: text}
}

// needBase loads the address of a stream without a register of its own.
func (l *lowering) needBase(stream int) {
	from := mem("%d(%s)", l.l.stream[stream], regArg)
	if place, far := l.far[stream]; far {
		from = mem("%d(SP)", place)
	}
	l.to("MOVQ", from, mem("R14"))
}

// where is the mask of an access: of the iterations, of a node, or nil.
func (l *lowering) where(n *Node, size, window int) (operand, bool) {
	tail, edge := l.edge(window, size)
	switch {
	case n == nil:
		return tail, edge
	case l.t.evex && edge:
		return l.kins("KANDW", l.at[n], tail), true
	case l.t.evex:
		return l.at[n], true
	}
	m := l.maskOf(n, size)
	if edge {
		m = l.bin(size*l.lanes, "VANDPD", m, tail, true)
	}
	return m, true
}

// folded reports whether a Load is read from memory by the instruction that uses it.
func (l *lowering) folds(n *Node) bool {
	return n.Op == Load && n.Type != Mask && l.k.Streams[n.N].Stride == 1 && len(n.Args) == 0 && !l.masked && l.uses[n] == 1 && l.bases[n.N] != ""
}

func (l *lowering) load(n *Node) operand {
	if n.Type == Mask {
		return l.loadMask(n)
	}
	w := l.width(n.Type)
	m, masked := l.maskFor(n)
	if l.k.Streams[n.N].Stride != 1 {
		return l.strided(n, m, masked)
	}
	from := l.address(n.N, n.Off)
	op := "VMOVUP" + suffix(n.Type)
	switch {
	case !masked:
		return l.ins(w, op, from)
	case l.t.evex:
		return l.ins(w, op+".Z", from, m)
	}
	return l.ins(w, "VMASKMOVP"+suffix(n.Type), from, l.reg(m, w))
}

func (l *lowering) maskFor(n *Node) (operand, bool) {
	if len(n.Args) > 0 {
		return l.where(n.Args[0], n.Type.size(), l.k.Streams[n.N].Window)
	}
	return l.where(nil, n.Type.size(), l.k.Streams[n.N].Window)
}

func (l *lowering) stores() {
	for list := l.k.Stores; len(list) > 0; {
		var with []Store
		with, list = l.neighbours(list)
		s := with[0]
		t := s.Value.Type
		if t == Mask {
			l.storeMask(s)
			continue
		}
		w := l.width(t)
		m, masked := l.where(s.Mask, t.size(), s.Window)
		if old, ok := l.loaded(s); ok {
			l.storeAll(s, l.ins(w, "VBLENDVP"+suffix(t), l.reg(m, w), l.reg(l.at[s.Value], w), l.reg(old, w)))
			continue
		}
		if l.k.Streams[s.Stream].Stride != 1 {
			l.scatter(with, m, masked)
			continue
		}
		v := l.reg(l.at[s.Value], w)
		to := l.address(s.Stream, s.Off)
		op := "VMOVUP" + suffix(t)
		switch {
		case !masked:
			l.to(op, v, to)
		case l.t.evex:
			l.to(op, v, m, to)
		default:
			l.to("VMASKMOVP"+suffix(t), v, l.reg(m, w), to)
		}
	}
}

// loaded is what AVX2 has loaded, in all iterations of a part, from where a store under a condition
// goes. Then all of them store, some what was there: it is slow to store some lanes of a vector.
func (l *lowering) loaded(s Store) (old operand, ok bool) {
	if l.t.evex || l.masked || s.Mask == nil || s.Window > 0 || l.k.Streams[s.Stream].Stride == -1 {
		return old, false
	}
	for _, o := range l.k.Stores {
		if o.Stream == s.Stream && o.Off == s.Off && o.Mask != s.Mask {
			return old, false // what that has stored would be lost
		}
	}
	for _, n := range l.k.nodes {
		if n.Op == Load && n.N == s.Stream && n.Off == s.Off && len(n.Args) == 0 {
			old, ok = l.at[n]
			return old, ok
		}
	}
	return old, false
}

// storeAll stores all lanes of x.
func (l *lowering) storeAll(s Store, x operand) {
	if l.k.Streams[s.Stream].Stride == 1 {
		l.to("VMOVUP"+suffix(s.Value.Type), x, l.address(s.Stream, s.Off))
		return
	}
	l.putEach(l.elements(s.Stream, s.Off), x, func(int) string { return "" })
}

// acc is the partial values of a reduction of this part.
func (l *lowering) acc(r int) operand {
	red := l.k.Reductions[r]
	w := l.width(red.Type)
	return l.pinned(fmt.Sprintf("acc %d %d", r, l.part), fmt.Sprintf("%d(%s)", l.l.partial[r]+l.part*w, regArg), w, 0)
}

// updates stores the new partial values, when all of them are computed.
func (l *lowering) updates() {
	l.addInOrder()
	values := make([]operand, len(l.k.Reductions))
	for i, r := range l.k.Reductions {
		if r.Ordered {
			continue
		}
		w := l.width(r.Type)
		v := l.reg(l.at[r.Update], w)
		if !v.value() && v.text != l.acc(i).text { // of another reduction, whose own may be stored first
			v = l.ins(w, l.t.move, v)
		}
		values[i] = v
	}
	for i, r := range l.k.Reductions {
		if r.Ordered {
			continue
		}
		w := l.width(r.Type)
		old := l.acc(i)
		if values[i].text == old.text && !values[i].value() {
			continue
		}
		m, masked := l.where(nil, r.Type.size(), 0)
		v := values[i]
		switch {
		case !masked:
		case l.t.evex:
			v = l.blend(r.Type, m, v, l.reg(old, w))
		default:
			v = l.ins(w, "VBLENDVP"+suffix(r.Type), m, v, l.reg(old, w))
		}
		l.to("VMOVUPD", v, old)
	}
	if !l.k.Picks() { // which may leave before all is computed
		l.coalesce()
	}
}

// coalesce lets what computes a partial value put it where it is kept.
func (l *lowering) coalesce() {
	for i := len(l.code.list) - 1; i >= 0; i-- {
		in := &l.code.list[i]
		if !in.none || in.op != "VMOVUPD" || len(in.srcs) != 2 || !in.srcs[0].value() || in.srcs[1].value() || strings.HasSuffix(in.srcs[1].text, ")") {
			continue
		}
		v, to := in.srcs[0].v, in.srcs[1]
		reads := func(s operand) bool { return s.value() && s.v == v || !s.value() && s.text == to.text }
		ok := true
		for _, d := range l.code.list[i+1:] {
			ok = ok && !slices.ContainsFunc(d.srcs, reads)
		}
		for j := i - 1; ok && j >= 0; j-- {
			d := &l.code.list[j]
			if !d.none && d.dst.v == v {
				if ok = d.tied < 0; ok {
					d.srcs = append(d.srcs, to)
					d.none = true
					l.code.list = slices.Delete(l.code.list, i, i+1)
				}
				break
			}
			ok = !slices.ContainsFunc(d.srcs, reads) && d.tied != v
		}
	}
}

// blend is x where m holds, else y, with a mask register.
func (l *lowering) blend(t Type, m, x, y operand) operand {
	return l.ins(l.width(t), "VBLENDMP"+suffix(t), x, y, m)
}

// maskOf is a mask of AVX2 for elements of a size.
func (l *lowering) maskOf(n *Node, size int) operand {
	m := l.at[n]
	have := m.width / l.lanes
	if have == size {
		return m
	}
	key := fmt.Sprint(n.id, size)
	if r, ok := l.resized[key]; ok {
		return r
	}
	var r operand
	if size == 8 {
		r = l.ins(size*l.lanes, "VPMOVSXDQ", seen(m, 16))
	} else {
		high := l.ins(16, "VEXTRACTF128", mem("$1"), m)
		r = l.ins(16, "VSHUFPS", mem("$0x88"), high, seen(m, 16))
	}
	l.resized[key] = r
	return r
}

// maskSize is the size of the elements of what a mask of AVX2 compares.
func (l *lowering) maskSize(n *Node) int { return l.at[n].width / l.lanes }

// node makes code for a node and returns where its value is.
func (l *lowering) node(n *Node) operand {
	w := l.width(n.Type)
	x := func(i int) operand { return l.at[n.Args[i]] }
	t := n.Type
	if n.Op >= Exp {
		return l.call(n)
	}
	switch n.Op {
	case Quo, Rem:
		return l.at[n.fast]
	case Bits:
		return x(0)
	case Load:
		if l.folds(n) {
			return l.address(n.N, n.Off)
		}
		return l.load(n)
	case Pick:
		return l.pick(n)
	case Scalar:
		return l.pinned(fmt.Sprint("scalar ", n.N, " ", n.Off), l.param(n), w, t.size())
	case Const:
		return l.bits(t, n.Bits)
	case Acc:
		return l.acc(n.N)
	case Lane:
		from := operand{v: -1, text: regT}
		bc := "VPBROADCAST" + wordSuffix(t)
		var b operand
		if l.t.evex {
			b = l.ins(w, bc, from)
		} else {
			op := "VMOV" + wordSuffix(t)
			b = l.ins(w, bc, seen(l.ins(16, op, from), 16))
		}
		return l.ins(w, "VPADD"+wordSuffix(t), l.iota(t, l.part), b)
	case Eq, Ne, Lt, Le, Gt, Ge:
		return l.compare(n.Op, n.Args[0].Type, x(0), x(1))
	case And, Or, Not:
		return l.logical(n)
	case InWindow:
		return l.inWindow(n)
	case Select:
		if l.t.evex {
			return l.blend(t, x(0), x(1), l.reg(x(2), w))
		}
		return l.ins(w, "VBLENDVP"+suffix(t), l.maskOf(n.Args[0], t.size()), x(1), l.reg(x(2), w))
	case Conv:
		return l.conv(n)
	case Pair, Swap, Even, Odd, NegEven, NegOdd:
		return l.pairOf(n, w)
	}
	if t.float() {
		return l.float(n, x, w)
	}
	return l.integer(n, x, w)
}
