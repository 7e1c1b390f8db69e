package kernel

import (
	"fmt"
	"math/bits"
	"slices"
)

// A stream whose elements are not consecutive is loaded in one of three ways. Where few
// elements lie between two of an iteration, vectors are loaded with all that lies there,
// and the elements picked from these; the last vector ends with the last element. Else
// elements are loaded one by one, which takes half the time of a gather. Under a mask it
// is a gather. Storing is the reverse, but only elements of the stream are stored: by
// vectors under a mask, one by one, or by a scatter, for which AVX2 has a jump around each
// element.

// nearest are the strides up to which vectors are loaded, for elements of 8 and 4 bytes.
const (
	nearest8 = 3
	nearest4 = 4
)

// placed reports whether the offset of iteration 0 in the slice is passed.
func (s Stream) placed() bool { return s.Masked || s.Stride != 1 || s.Table || s.paired }

// iteration is the Go of how far iteration t is behind the first.
func (s Stream) iteration() string {
	switch s.Stride {
	case 0:
		return fmt.Sprintf("t*a.%sStep", s.Name)
	case 1:
		return "t"
	}
	return fmt.Sprintf("t*(%d)", s.Stride)
}

// elements is the address of lane 0 of the part, in R14, and how the others are reached.
type elements struct {
	l    *lowering
	s    Stream
	off  int // in bytes
	next int // the lane that R14 points to, of a stride that is passed
}

// elements has R14 point to a stream's elements of the part.
func (l *lowering) elements(stream, off int) *elements {
	s := l.k.Streams[stream]
	size := s.Type.size()
	r14, r15 := mem("R14"), mem("R15")
	from := mem("%s", l.bases[stream])
	if l.bases[stream] == "" {
		from = mem("%d(SP)", l.far[stream])
	}
	e := &elements{l: l, s: s, off: off * size}
	if s.Stride != 0 {
		l.to("IMUL3Q", mem("$%d", s.Stride*size), mem(regT), r14)
	} else {
		if s.paired { // the number of a lane is twice that of its iteration
			size /= 2
		}
		shift := mem("$%d", bits.TrailingZeros(uint(size)))
		l.to("LEAQ", mem("%d(%s)", l.part*l.lanes, regT), r14)
		l.to("MOVQ", mem("%d(%s)", l.l.step[stream], regArg), r15)
		l.to("SHLQ", shift, r15)
		l.to("IMULQ", r15, r14)
	}
	l.to("ADDQ", from, r14)
	return e
}

// lane is the memory of a lane: one behind those before.
func (e *elements) lane(i int) operand {
	if e.s.Stride != 0 {
		return e.at(i * e.s.Stride)
	}
	if i >= e.next+2 {
		e.next += 2
		e.l.to("LEAQ", mem("(R14)(R15*2)"), mem("R14"))
	}
	if i == e.next {
		return mem("%d(R14)", e.off)
	}
	return mem("%d(R14)(R15*1)", e.off)
}

// at is the memory that is so many elements behind lane 0 of a constant stride.
func (e *elements) at(by int) operand {
	size := e.s.Type.size()
	return mem("%d(R14)", e.off+(e.l.part*e.l.lanes*e.s.Stride+by)*size)
}

// near reports whether vectors of elements between are loaded and stored.
func (l *lowering) near(s Stream) bool {
	by := max(s.Stride, -s.Stride)
	switch {
	case by == 0:
		return false
	case l.t.evex:
		return by <= nearest8 || by <= nearest4 && s.Type.size() == 4
	}
	return s.Stride == -1 || s.Stride == 2
}

// strided loads from a stream that is not of consecutive elements.
func (l *lowering) strided(n *Node, m operand, masked bool) operand {
	s := l.k.Streams[n.N]
	e := l.elements(n.N, n.Off)
	w := l.width(s.Type)
	switch {
	case s.paired:
		return l.loadPairs(e, m, masked)
	case l.near(s) && l.t.evex:
		return l.pickFrom(e, m, masked)
	case masked:
		op := "VGATHERDP" + suffix(s.Type)
		zero := l.reg(l.bits(s.Type, 0), w)
		if !zero.value() {
			zero = l.ins(w, l.t.move, zero)
		}
		d := l.code.fresh(vector, w)
		in := instr{op: op, dst: d, tied: zero.v}
		if index := l.indices(e, n.N); l.t.evex {
			in.srcs = []operand{index, l.kins("KMOVW", m)}
		} else {
			in.srcs = []operand{l.ins(w, l.t.move, l.reg(m, w)), index}
		}
		l.code.list = append(l.code.list, in)
		return d
	case l.near(s) && s.Stride == -1:
		return l.reversed(l.ins(w, "VMOVUPD", e.at(1-l.lanes)), s.Type)
	case l.near(s):
		return l.everySecond(e)
	}
	return l.oneByOne(e)
}

// loadPairs loads the two elements of each iteration, of eight bytes.
func (l *lowering) loadPairs(e *elements, m operand, masked bool) operand {
	if l.t.evex {
		return l.refuse("pairs at a distance that is passed")
	}
	half := func(i int) operand {
		if !masked {
			return l.ins(16, "VMOVUPD", e.pairAt(i))
		}
		return l.ins(16, "VMASKMOVPD", e.pairAt(i), l.halfOf(m, i))
	}
	low := half(0)
	if masked {
		return l.ins(32, "VINSERTF128", mem("$1"), half(1), seen(low, 32))
	}
	return l.ins(32, "VINSERTF128", mem("$1"), e.pairAt(1), seen(low, 32))
}

// storePairs is the reverse.
func (l *lowering) storePairs(e *elements, v, m operand, masked bool) {
	if l.t.evex {
		l.refuse("pairs at a distance that is passed")
		return
	}
	for i := range 2 {
		if masked {
			l.to("VMASKMOVPD", l.halfOf(v, i), l.halfOf(m, i), e.pairAt(i))
		} else {
			l.to("VMOVUPD", l.halfOf(v, i), e.pairAt(i))
		}
	}
}

// pairAt is the memory of the two elements of one of the two iterations of a part.
func (e *elements) pairAt(i int) operand {
	if i == 0 {
		return mem("%d(R14)", e.off)
	}
	return mem("%d(R14)(R15*2)", e.off)
}

// halfOf is the lower or upper half of a vector of AVX2.
func (l *lowering) halfOf(x operand, i int) operand {
	x = l.reg(x, 32)
	if i == 0 {
		return seen(x, 16)
	}
	return l.ins(16, "VEXTRACTF128", mem("$1"), x)
}

// indices are the distances of the lanes, as an address behind R14.
func (l *lowering) indices(e *elements, stream int) operand {
	w := l.width(I32)
	var d operand
	if e.s.Stride != 0 {
		var words []uint32
		for i := range l.lanes {
			words = append(words, uint32((l.part*l.lanes+i)*e.s.Stride))
		}
		d = l.ins(w, "VMOVUPD", mem("%s", symbol(l.consts.add(words...))))
	} else {
		by := l.ins(w, "VPBROADCASTD", mem("%d(%s)", l.l.step[stream], regArg))
		d = l.ins(w, "VPMULLD", l.iota(I32, 0), by)
	}
	d.form = fmt.Sprintf("%d(R14)(%%s*%d)", e.off, e.s.Type.size())
	return d
}

// least is how far the first element in memory is behind that of lane 0.
func (l *lowering) least(s Stream) int { return min(0, (l.lanes-1)*s.Stride) }

// picking is a constant that says which elements are taken, of a size.
func (l *lowering) picking(size int, lanes []int) operand {
	var words []uint32
	for _, x := range lanes {
		words = append(words, uint32(x))
		if size == 8 {
			words = append(words, 0)
		}
	}
	w := size * l.lanes
	o := l.pinned(fmt.Sprint("lanes ", size, lanes), symbol(l.consts.add(words...)), w, whole)
	return l.reg(o, w)
}

// pickFrom loads vectors with all elements between with AVX-512, and picks lanes. Under a
// mask it loads the elements of the stream alone.
func (l *lowering) pickFrom(e *elements, m operand, masked bool) operand {
	s := e.s
	first, last := l.least(s), max(0, (l.lanes-1)*s.Stride)
	span := last - first + 1
	size, w := s.Type.size(), l.width(s.Type)
	var sum operand
	for from, done := 0, 0; done < span; from += l.lanes {
		at := max(0, min(from, span-l.lanes)) // the last vector ends with the last element
		var lanes []int
		for i := range l.lanes {
			p := i*s.Stride - first
			switch {
			case p >= done && p < at+l.lanes && done > 0:
				lanes = append(lanes, l.lanes+p-at)
			case p >= at && p < at+l.lanes && done == 0:
				lanes = append(lanes, p)
			case done == 0:
				lanes = append(lanes, 0)
			default:
				lanes = append(lanes, i)
			}
		}
		pick, memory := l.picking(size, lanes), e.at(first+at)
		if masked {
			places, here := l.placesIn(s, at, done, 0)
			memory = l.ins(w, "VMOVUP"+suffix(s.Type)+".Z", memory, l.maskAt(s, m, places, here))
		}
		if done == 0 {
			sum = l.ins(w, "VPERMP"+suffix(s.Type), memory, pick)
		} else {
			d := l.code.fresh(vector, w)
			l.code.list = append(l.code.list, instr{op: "VPERMT2P" + suffix(s.Type), srcs: []operand{memory, pick}, dst: d, tied: sum.v})
			sum = d
		}
		done = at + l.lanes
	}
	return sum
}

// placesIn are the lanes, of a stream whose elements are so many behind those of the part,
// that belong to places in a vector of memory, and where that has any, as bits: those at at
// and behind, but no places before done.
func (l *lowering) placesIn(s Stream, at, done, behind int) (lanes []int, here uint32) {
	lanes = make([]int, l.lanes)
	for p := range lanes {
		lanes[p] = p // what is there
	}
	for i := range l.lanes {
		if p := i*s.Stride - l.least(s) + behind; p >= done && p < at+l.lanes {
			lanes[p-at] = i
			here |= 1 << (p - at)
		}
	}
	return lanes, here
}

// maskAt is the mask of places in memory, those that are here, whose lanes have mask m.
func (l *lowering) maskAt(s Stream, m operand, lanes []int, here uint32) operand {
	key := fmt.Sprint("at ", m.v, s.Type.size(), lanes)
	if have, ok := l.resized[key]; ok {
		return have
	}
	k := l.kins("VPMOV"+wordSuffix(s.Type)+"2M", l.ins(l.width(s.Type), "VPERMP"+suffix(s.Type), l.wide(s.Type, m), l.picking(s.Type.size(), lanes)))
	if here != 1<<l.lanes-1 {
		k = l.kins("KANDW", l.places(here), k)
	}
	l.resized[key] = k
	return k
}

// places is a mask that is known.
func (l *lowering) places(here uint32) operand {
	return l.kins("KMOVW", mem("%s", symbol(l.consts.add(here))))
}

// wide is a mask of AVX-512 as a vector.
func (l *lowering) wide(t Type, m operand) operand {
	key := fmt.Sprint("wide ", m.v, t.size())
	if have, ok := l.resized[key]; ok {
		return have
	}
	x := l.ins(l.width(t), "VPMOVM2"+wordSuffix(t), m)
	l.resized[key] = x
	return x
}

// reversed is a vector of AVX2 with its lanes in the reverse order.
func (l *lowering) reversed(x operand, t Type) operand {
	w := l.width(t)
	x = l.reg(x, w)
	if t.size() == 8 {
		return l.ins(w, "VPERMPD", mem("$0x1b"), x)
	}
	x = l.ins(w, "VPERMILPS", mem("$0x1b"), x)
	if w == 32 {
		x = l.ins(w, "VPERMPD", mem("$0x4e"), x)
	}
	return x
}

// everySecond loads every second element with AVX2: from two vectors, of which the second
// has its elements at odd places.
func (l *lowering) everySecond(e *elements) operand {
	w := l.width(e.s.Type)
	x := l.ins(w, "VMOVUPD", e.at(0))
	imm := "$0xd8"
	if e.s.Type.size() == 8 {
		imm = "$0xa"
	}
	x = l.ins(w, "VSHUFP"+suffix(e.s.Type), mem("%s", imm), e.at(l.lanes-1), x)
	if w == 32 {
		x = l.ins(w, "VPERMPD", mem("$0xd8"), x)
	}
	return x
}

// oneByOne loads all lanes.
func (l *lowering) oneByOne(e *elements) operand {
	size := e.s.Type.size()
	each := 16 / size
	var list []operand
	for i := 0; i < l.lanes; i += each {
		x := l.ins(16, "VMOVS"+suffix(e.s.Type), e.lane(i))
		for j := 1; j < each; j++ {
			if size == 8 {
				x = l.ins(16, "VMOVHPD", e.lane(i+j), x)
			} else {
				x = l.ins(16, "VINSERTPS", mem("$%d", j<<4), e.lane(i+j), x)
			}
		}
		list = append(list, x)
	}
	insert := "VINSERTF128"
	if l.t.evex {
		insert = "VINSERTF32X4"
	}
	for w := 32; len(list) > 1; w *= 2 {
		var pairs []operand
		for i := 0; i < len(list); i += 2 {
			pairs = append(pairs, l.ins(w, insert, mem("$1"), list[i+1], seen(list[i], w)))
		}
		list, insert = pairs, "VINSERTF64X4"
	}
	return list[0]
}

// scatter stores to a stream that is not of consecutive elements; several stores where
// these are neighbours.
func (l *lowering) scatter(list []Store, m operand, masked bool) {
	s := list[0]
	stream := l.k.Streams[s.Stream]
	t := stream.Type
	w := l.width(t)
	var values []operand
	var behind []int
	for _, s := range list {
		v := l.reg(l.at[s.Value], w)
		if !v.value() { // a pin, which has one width
			v = l.ins(w, l.t.move, v)
		}
		values, behind = append(values, v), append(behind, s.Off-list[0].Off)
	}
	v := values[0]
	e := l.elements(s.Stream, s.Off)
	switch {
	case stream.paired:
		l.storePairs(e, v, m, masked)
	case l.near(stream) && l.t.evex:
		l.spreadOut(e, values, behind, m, masked)
	case masked && l.t.evex:
		l.to("VSCATTERDP"+suffix(t), v, l.kins("KMOVW", m), l.indices(e, s.Stream))
	case stream.Stride == -1 && masked:
		l.to("VMASKMOVP"+suffix(t), l.reversed(v, t), l.reversed(m, t), e.at(1-l.lanes))
	case stream.Stride == -1:
		l.to("VMOVUPD", l.reversed(v, t), e.at(1-l.lanes))
	case masked:
		place, ok := l.kept[w]
		if !ok {
			place = l.frame.slot(w)
			if l.kept == nil {
				l.assembler.kept = map[int]int{}
			}
			l.kept[w] = place
		}
		l.to("VMOVUPD", l.reg(m, w), mem("%d(SP)", place))
		l.putEach(e, v, func(lane int) string {
			l.skips++
			return fmt.Sprintf("CMPL %d(SP), $0; JEQ skip%d; ", place+lane*t.size(), l.skips)
		})
	default:
		l.putEach(e, v, func(int) string { return "" })
	}
}

// putEach stores all lanes, each behind what before gives: nothing, or a jump to the next
// label. That is one instruction with the store, so that no register is loaded between.
func (l *lowering) putEach(e *elements, v operand, before func(lane int) string) {
	size := e.s.Type.size()
	each := 16 / size
	extract := "VEXTRACTF128"
	if l.t.evex {
		extract = "VEXTRACTF32X4"
	}
	for i := 0; i < l.lanes; i += each {
		x := v
		if i > 0 {
			x = l.ins(16, extract, mem("$%d", i/each), v)
		}
		x = seen(x, 16)
		for j := range each {
			to := e.lane(i + j)
			jump := before(i + j)
			switch {
			case j == 0:
				l.to(jump+"VMOVS"+suffix(e.s.Type), x, to)
			case size == 8:
				l.to(jump+"VMOVHPD", x, to)
			default:
				l.to(jump+"VEXTRACTPS", mem("$%d", j), x, to)
			}
			if jump != "" {
				l.to(fmt.Sprintf("skip%d:", l.skips))
			}
		}
	}
}

// spreadOut stores values with AVX-512 that are next to each other, by vectors under
// masks: those of e's stream in lanes of the values, so many elements behind e's each.
func (l *lowering) spreadOut(e *elements, values []operand, behind []int, m operand, masked bool) {
	s := e.s
	size, w := s.Type.size(), l.width(s.Type)
	first := l.least(s)
	span := (l.lanes-1)*max(s.Stride, -s.Stride) + 1 + behind[len(behind)-1]
	for done := 0; done < span; {
		// No vector has what the next part loads: that would wait for the store.
		at := max(0, min(done, span-l.lanes))
		var x, mask operand
		all := uint32(0)
		for j, v := range values {
			lanes, here := l.placesIn(s, at, done, behind[j])
			if here == 0 {
				continue
			}
			join := func(sum, x operand, lanes []int) operand {
				if all == 0 {
					return l.ins(w, "VPERMP"+suffix(s.Type), x, l.picking(size, lanes))
				}
				d := l.code.fresh(vector, w)
				l.code.list = append(l.code.list, instr{op: "VPERMT2P" + suffix(s.Type), srcs: []operand{x, l.picking(size, lanes)}, dst: d, tied: sum.v})
				return d
			}
			if all != 0 {
				for p := range lanes {
					if here>>p&1 != 0 {
						lanes[p] += l.lanes
					}
				}
			}
			x = join(x, v, lanes)
			if masked {
				mask = join(mask, l.wide(s.Type, m), lanes)
			}
			all |= here
		}
		done = at + l.lanes
		if all == 1<<l.lanes-1 && !masked {
			l.to("VMOVUPD", x, e.at(first+at))
			continue
		}
		k := l.places(all)
		if masked {
			k = l.kins("KANDW", k, l.kins("VPMOV"+wordSuffix(s.Type)+"2M", mask))
		}
		l.to("VMOVUP"+suffix(s.Type), x, k, e.at(first+at))
	}
}

// neighbours are the stores from list[0] on that go with it: to elements between those of
// one stream, under one condition. They are in the order of their places.
func (l *lowering) neighbours(list []Store) (with, rest []Store) {
	a := list[0]
	s := l.k.Streams[a.Stream]
	with = list[:1:1]
	if !l.t.evex || !l.near(s) {
		return with, list[1:]
	}
	least, most := a.Off, a.Off
	for _, b := range list[1:] {
		lo, hi := min(least, b.Off), max(most, b.Off)
		if b.Stream == a.Stream && b.Mask == a.Mask && b.Window == a.Window && hi-lo < max(s.Stride, -s.Stride) {
			with, least, most = append(with, b), lo, hi
		} else {
			rest = append(rest, b)
		}
	}
	slices.SortFunc(with, func(x, y Store) int { return x.Off - y.Off })
	return with, rest
}

// leaveEmpty jumps over a part of which no lane is an iteration, where elements are loaded
// or stored one by one or by gathers, or terms are added one by one; what it returns is called behind the part.
func (l *lowering) leaveEmpty() (end func()) {
	long := l.k.HasOrdered() || slices.ContainsFunc(l.k.Streams, func(s Stream) bool { return s.Stride != 1 || s.Table })
	if !l.masked || !long || l.lanes == l.k.Lanes() {
		return func() {}
	}
	l.skips++
	label := fmt.Sprintf("skip%d", l.skips)
	// Lanes from BX to below AX.
	if l.part > 0 {
		l.to(fmt.Sprintf("CMPQ %s, $%d; JLE %s", regA, l.part*l.lanes, label))
	}
	if l.part < l.k.Lanes()/l.lanes-1 {
		l.to(fmt.Sprintf("CMPQ %s, $%d; JGE %s", regB, (l.part+1)*l.lanes, label))
	}
	return func() { l.to(label + ":") }
}
