package kernel

import "fmt"

// A stream of Masks is a slice of bool, one byte for each element. AVX2 has no masks for
// bytes: where not all lanes are loaded or stored, they are copied one by one, by way of
// a place on the stack.

// bytePlaces are places on the stack: for the bytes of a part, and for two registers.
type bytePlaces struct {
	at, regs int
	count    int
}

// bytesAt gives the places, the same for all.
func (a *assembler) bytesAt() *bytePlaces {
	if a.bytes == nil {
		a.bytes = &bytePlaces{at: a.frame.slot(16), regs: a.frame.slot(16)}
	}
	return a.bytes
}

// loadMask is a Mask from memory.
func (l *lowering) loadMask(n *Node) operand {
	m, masked := l.maskFor(n)
	w := 4 * l.lanes
	switch {
	case l.t.evex && masked:
		v := l.ins(w, "VPMOVZXBD.Z", l.address(n.N, n.Off), m)
		return l.kins("VPTESTMD", v, v)
	case l.t.evex:
		v := l.ins(w, "VPMOVZXBD", l.address(n.N, n.Off))
		return l.kins("VPTESTMD", v, v)
	case masked:
		at := l.bytesAt().at
		l.single(n.N, n.Off, l.reg(m, w), true)
		return l.bin(w, "VPCMPGTD", l.ins(w, "VPMOVZXBD", mem("%d(SP)", at)), l.bits(I32, 0), false)
	}
	return l.bin(w, "VPCMPGTD", l.ins(w, "VPMOVZXBD", l.address(n.N, n.Off)), l.bits(I32, 0), false)
}

// storeMask stores a Mask.
func (l *lowering) storeMask(s Store) {
	m, masked := l.where(s.Mask, l.k.Streams[s.Stream].Type.size(), s.Window)
	w := 4 * l.lanes
	if l.t.evex {
		v := l.ins(w, "VMOVUPS.Z", l.reg(l.bits(I32, 1), w), l.at[s.Value])
		if masked {
			l.to("VPMOVDB", v, m, l.address(s.Stream, s.Off))
		} else {
			l.to("VPMOVDB", v, l.address(s.Stream, s.Off))
		}
		return
	}
	// Of each half the lowest bytes of its words.
	pick := []uint32{0x0c080400, 0x80808080, 0x80808080, 0x80808080}
	v := l.bin(w, "VPAND", l.maskOf(s.Value, 4), l.bits(I32, 1), true)
	v = l.ins(w, "VPSHUFB", mem("%s", symbol(l.consts.add(append(pick, pick...)...))), v)
	parts := []operand{seen(v, 16)}
	if w == 32 {
		parts = append(parts, l.ins(16, "VEXTRACTF128", mem("$1"), v))
	}
	for i, x := range parts {
		to := mem("%d(SP)", l.bytesAt().at+4*i)
		if !masked {
			to = l.address(s.Stream, s.Off+4*i)
		}
		l.to("VMOVD", x, to)
	}
	if masked {
		l.single(s.Stream, s.Off, l.reg(m, w), false)
	}
}

// single copies bytes of the lanes of a mask from memory to the stack, or back.
func (l *lowering) single(stream, off int, m operand, load bool) {
	p := l.bytesAt()
	low, high := mem("%d(SP)", p.regs), mem("%d(SP)", p.regs+8)
	a, b, bits := mem(regA), mem(regB), mem("R14")
	l.to("MOVQ", a, low)
	l.to("MOVQ", b, high)
	l.to("LEAQ", l.address(stream, off), a) // by way of R14
	l.to("VMOVMSKPS", m, bits)
	if load {
		l.to("MOVQ", mem("$0"), mem("%d(SP)", p.at))
	}
	for i := range l.lanes {
		p.count++
		skip := fmt.Sprintf("byte%d", p.count)
		l.to("BTL", mem("$%d", i), bits)
		l.to("JCC", mem("%s", skip))
		from, to := mem("%d(%s)", i, regA), mem("%d(SP)", p.at+i)
		if !load {
			from, to = to, from
		}
		l.to("MOVBLZX", from, b)
		l.to("MOVB", b, to)
		l.code.list = append(l.code.list, instr{op: skip + ":", none: true, tied: -1})
	}
	l.to("MOVQ", low, a)
	l.to("MOVQ", high, b)
}
