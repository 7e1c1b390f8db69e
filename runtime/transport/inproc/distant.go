package inproc

import "github.com/spmdc/spmdc/runtime/transport"

// What a PE does with one on another host, or with a buffer whose elements have pointers,
// which other processes cannot follow: then it sends copies.

// apart reports whether buffer b of PE q is out of this one's reach.
func (p *PE) apart(b transport.Buffer, q int) bool {
	x := p.w.net
	return x != nil && (x.host[q] != x.home || p.buffers[b].private && q != p.id)
}

// moveWords is a section at one end of a move: where it begins, and its loops.
func moveWords(list []uint64, first int, stride *[transport.MaxRank]int, m *transport.Move) []uint64 {
	list = append(list, uint64(first), uint64(m.Rank))
	for d := range m.Rank {
		list = append(list, uint64(m.N[d]), uint64(stride[d]))
	}
	return list
}

// section takes a section out of a packet: where it begins, and its strides, at this end; at the other end it lies without gaps.
func (l *packet) section(m *transport.Move, first *int, stride, packed *[transport.MaxRank]int) {
	m.Src, m.Dst = 0, 0
	*first, m.Rank = int(l.next()), int(l.next())
	gap := 1
	for d := range m.Rank {
		m.N[d], stride[d], packed[d] = int(l.next()), int(l.next()), gap
		gap *= m.N[d]
	}
}

// skip leaves a section out.
func (l *packet) skip() { l.words = l.words[2+2*l.words[1]:] }

// padded adds what is missing to whole words.
func padded(b []byte) []byte {
	for len(b)%wordBytes != 0 {
		b = append(b, 0)
	}
	return b
}

// put sends sections to PE to. The words of a part are its buffer, its epoch, whether a flag
// is set, the number of its bytes, and its section.
func (p *PE) put(to int, parts []transport.Part) {
	n, room := 3, 0
	for i := range parts {
		x := &parts[i]
		n += 5 + 2*x.Move.Rank
		room += x.Move.Count()*x.Src.ElemSize() + wordBytes
	}
	message, words := p.blank(packetPut, n, room)
	words = append(words, uint64(p.id), uint64(to), uint64(len(parts)))
	for i := range parts {
		x := &parts[i]
		flag := uint64(1)
		if x.NoFlag {
			flag = 0
		}
		words = append(words, uint64(x.Buffer), x.Epoch, flag)
		words = moveWords(words, x.Move.Dst, &x.Move.DstStride, x.Move)
	}
	for i := range parts {
		message = padded(parts[i].Src.Pack(message, parts[i].Move))
	}
	p.unsettled[to] = true
	p.send(to, message)
}

// landed is a put that has come to this process.
func (w *World) landed(l *packet) {
	from, p := l.pe(), w.pes[l.pe()]
	n := l.next()
	flags := l.words
	move := &w.net.landing
	for range n {
		buf := &p.buffers[l.next()]
		epoch := l.next()
		l.next()
		l.section(move, &move.Dst, &move.DstStride, &move.SrcStride)
		var used int
		if to := buf.receiver; to != nil {
			var elements transport.Memory
			elements, used = buf.memory.Unpacked(l.data, move.Count())
			to.Land(from, epoch, elements, move)
		} else {
			used = buf.memory.CopyPacked(l.data, move)
		}
		l.data = l.data[(used+wordBytes-1)/wordBytes*wordBytes:]
	}
	l.words = flags
	for range n {
		buf, epoch, flag := &p.buffers[l.next()], l.next(), l.next()
		l.skip()
		if flag != 0 {
			p.raise(buf.arrival.at(w, from), epoch)
		}
	}
}

// get fetches a section from PE from.
func (p *PE) get(site int, b transport.Buffer, from int, dst transport.Memory, m *transport.Move) {
	p.requested++
	words := append(make([]uint64, 0, 24), uint64(p.id), uint64(from), p.requested, uint64(b))
	p.w.send(from, written(packetGet, 0, moveWords(words, m.Src, &m.SrcStride, m)...))
	p.await(&p.replied, p.requested, site, transport.WaitArrival, from)
	// What has come lies without gaps.
	packed := *m
	packed.Src = 0
	count := 1
	for d := range m.Rank {
		packed.SrcStride[d] = count
		count *= m.N[d]
	}
	dst.CopyPacked(p.reply, &packed)
	p.reply = nil
}

// wanted sends a section that another PE wants.
func (w *World) wanted(l *packet) {
	from, p := l.pe(), w.pes[l.pe()]
	id := l.next()
	memory := p.buffers[l.next()].memory
	var section transport.Move
	l.section(&section, &section.Src, &section.SrcStride, &section.DstStride)
	reply := written(packetGot, section.Count()*memory.ElemSize(), uint64(from), id)
	w.send(from, memory.Pack(reply, &section))
}

// ready declares slots free to PE to.
func (p *PE) ready(to int, slots ...transport.Slot) {
	message, words := p.blank(packetReady, 2+2*len(slots), 0)
	words = append(words, uint64(p.id), uint64(to))
	for _, s := range slots {
		words = append(words, uint64(s.Buffer), s.Epoch)
	}
	p.send(to, message)
}

// Complete returns when what this PE has put so far lies in the memory of the others. Between hosts all that
// it sends to but goes the same way; on its own host puts may go by messages, and flags do not.
func (p *PE) Complete(site, but int) {
	if p.w.net == nil {
		return
	}
	for q, is := range p.unsettled {
		if is && (q != but || !p.w.far(q)) {
			p.flushes++
			p.w.send(q, written(packetFlush, 0, uint64(p.id), uint64(p.id)))
			p.unsettled[q] = false
		}
	}
	p.await(&p.flushed, p.flushes, site, transport.WaitArrival, -1)
}
