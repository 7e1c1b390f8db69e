package inproc

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport"
)

// Courier carries messages between processes, for those that have no memory in common. Two
// messages from one process to another arrive in the order in which they were sent.
type Courier interface {
	// Begin comes before the first message, in all processes alike, and perhaps more than once.
	// Where there are several hosts it has come when PEs join.
	Begin()
	// Send takes a message to PE to, in its process. Where it keeps the message this is the courier's from then on.
	// It does not wait until the message is there, and delivers nothing meanwhile.
	Send(to int, message []byte) (keeps bool)
	// Poll delivers what has come, unless another goroutine is at it. A PE that waits calls it, and holds no
	// lock. Messages arrive without it too, if later.
	Poll()
	// Attend is called by a PE that parks, and polls no more.
	Attend()
}

// network is what a process knows of the processes that it sends messages to. Hosts are
// groups of PEs that have memory in common, numbered in the order of their lowest PEs. The
// process of the lowest PE of a host, its head, gets what all PEs of that host must see, and
// writes it where they look for it.
type network struct {
	courier Courier
	host    []int // by PE
	heads   []int // by host
	home    int   // the host of this process
	near    int   // how many PEs it has

	lent    [ringSize][]byte // what this process has put into mails for others
	landing transport.Move   // of the put that is written into the memory of this process

	printing sync.Mutex
	printed  chan struct{} // PE 0 has got what this process printed last

	mu    sync.Mutex
	locks map[int]*queue // of the process of PE 0
	wave  wave           // the same
}

// join connects w by the couriers of its processes; host gives the host of each PE, numbered
// somehow.
func (w *World) join(id int, host []int, courier Courier) {
	x := &network{courier: courier, host: make([]int, w.n), printed: make(chan struct{}, 1), locks: map[int]*queue{}}
	for q := range w.n {
		first := slices.Index(host, host[q])
		if first == q {
			x.heads = append(x.heads, q)
		}
		x.host[q] = slices.Index(x.heads, first)
	}
	x.home = x.host[id]
	for _, h := range x.host {
		if h == x.home {
			x.near++
		}
	}
	w.net, w.id = x, id
}

// several reports whether the PEs are on several hosts.
func (w *World) several() bool { return w.net != nil && len(w.net.heads) > 1 }

// near is how many PEs are on this host.
func (w *World) near() int {
	if w.net == nil {
		return w.n
	}
	return w.net.near
}

// far reports whether PE q is on another host.
func (w *World) far(q int) bool { return w.net != nil && w.net.host[q] != w.net.home }

// Far reports whether PE q has no memory in common with this one.
func (p *PE) Far(q int) bool { return p.w.far(q) }

// Kinds of messages.
const (
	packetPut     = iota + 1 // sections, for buffers of a PE
	packetReady              // slots that are free
	packetGet                // a section that is wanted
	packetGot                // the section
	packetFlush              // a reply is wanted when what came before has been done
	packetFlushed            // the reply
	packetGift               // a contribution to a reduction, for PE 0
	packetResult             // the result, for a host
	packetPool               // a contribution to ReduceAll, for a host
	packetMail               // a broadcast, for a host
	packetTaken              // broadcasts taken by a PE, for a host
	packetMeet               // a host has come to a barrier, for another
	packetLock               // a lock is wanted, from PE 0
	packetLocked             // it is given
	packetUnlock             // it is given back
	packetNotice             // a notice for a PE
	packetFailed             // the run has failed
	packetPrint              // what a PE prints, for PE 0
	packetPrinted            // it is there
	packetEnded              // the process of a PE has come to its end, and leaves something
	packetProbe              // how the PEs of a host are is wanted
	packetStand              // how they are
	packetNote               // something for the layer above
)

// packet is a message: its kind, words, and what else it carries. As bytes it is the kind,
// the number of words, the words, and the rest, in words of the machine.
type packet struct {
	kind  uint64
	words []uint64
	data  []byte
}

const wordBytes = 8

// blank is the bytes of a packet of n words, which are to be appended to words, with room for so many bytes more.
func blank(kind uint64, n, room int) (message []byte, words []uint64) {
	message = make([]byte, (2+n)*wordBytes, (2+n)*wordBytes+room)
	return message, append(wordsOf(message)[:0], kind, uint64(n))
}

// written is the bytes of a packet, with room for so many more.
func written(kind uint64, room int, words ...uint64) []byte {
	message, to := blank(kind, len(words), room)
	copy(to[2:2+len(words)], words)
	return message
}

// wordsOf is bytes, which begin where a word can, as words.
func wordsOf(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/wordBytes)
}

// read is the packet in b.
func read(b []byte) packet {
	n := (*[2]uint64)(unsafe.Pointer(unsafe.SliceData(b)))
	behind := (2 + int(n[1])) * wordBytes
	return packet{n[0], wordsOf(b[:behind])[2:], b[behind:]}
}

// next takes the first word.
func (l *packet) next() uint64 {
	x := l.words[0]
	l.words = l.words[1:]
	return x
}

// pe takes the first word, which is a PE.
func (l *packet) pe() int { return int(l.next()) }

// send sends a message to the process of PE to, and reports whether that has kept it. Those that only look how all
// stand do not count.
func (w *World) send(to int, message []byte) (keeps bool) {
	if to == w.id {
		w.receive(message)
		return false
	}
	if k := wordsOf(message[:wordBytes])[0]; k != packetProbe && k != packetStand {
		w.sent.Add(1)
	}
	return w.net.courier.Send(to, message)
}

// mostSpare is the longest message whose memory a PE uses again.
const mostSpare = 1 << 16

// blank is blank in the memory of the last message that this PE has sent, if there is room.
func (p *PE) blank(kind uint64, n, room int) (message []byte, words []uint64) {
	size := (2 + n) * wordBytes
	if cap(p.spare) < size+room {
		return blank(kind, n, room)
	}
	message, p.spare = p.spare[:size], nil
	return message, append(wordsOf(message)[:0], kind, uint64(n))
}

// send sends a message that the PE's blank has begun.
func (p *PE) send(to int, message []byte) {
	if !p.w.send(to, message) && cap(message) <= mostSpare {
		p.spare = message
	}
}

// spread sends copies of a message to the heads of all other hosts.
func (w *World) spread(message []byte) {
	for h, q := range w.net.heads {
		if h != w.net.home {
			w.send(q, slices.Clone(message))
		}
	}
}

// Receive takes a message that another PE has sent to PE to of this process, and keeps nothing of it. Calls of it come one
// after another, from any goroutine.
func (m *Member) Receive(to int, message []byte) {
	w := m.worlds[to-m.first]
	l := read(message)
	switch l.kind {
	case packetPrint:
		from, errors := l.pe(), l.next() != 0
		m.Print(l.data, errors)
		w.send(from, written(packetPrinted, 0))
	case packetPrinted:
		w.net.printed <- struct{}{}
	default:
		w.receive(message)
	}
	if l.kind != packetProbe && l.kind != packetStand {
		w.received.Add(1)
	}
}

// receive does what a message says.
func (w *World) receive(message []byte) {
	l := read(message)
	switch l.kind {
	case packetPut:
		w.landed(&l)
	case packetReady:
		from, p := l.pe(), w.pes[l.pe()]
		for len(l.words) > 0 {
			b, epoch := l.next(), l.next()
			p.raise(p.buffers[b].ready.at(w, from), epoch)
		}
	case packetGet:
		w.wanted(&l)
	case packetGot:
		p := w.pes[l.pe()]
		p.reply = slices.Clone(l.data)
		p.raise(&p.replied, l.next())
	case packetFlush:
		w.send(l.pe(), written(packetFlushed, 0, l.next()))
	case packetFlushed:
		p := w.pes[l.pe()]
		p.raise(&p.flushed, p.flushed.Load()+1)
	case packetGift:
		w.give(l.pe(), l.next(), int(l.next()), l.next())
	case packetResult:
		k, word := l.next(), l.next()
		w.result.word = word
		w.show(&w.result.seq, k)
	case packetPool:
		w.pooled(&l)
	case packetMail:
		w.mailed(&l)
	case packetTaken:
		q := w.pes[l.pe()]
		w.show(&q.taken, l.next())
	case packetMeet:
		round, k := l.next(), l.next()
		w.show(&w.met[round].count, k)
	case packetLock, packetUnlock:
		w.queue(l.kind == packetLock, l.pe(), int(l.next()))
	case packetLocked:
		p := w.pes[l.pe()]
		p.raise(&p.granted, p.granted.Load()+1)
	case packetNotice:
		w.pes[l.pe()].noticed()
	case packetFailed:
		w.failed.Swap(true)
		w.wakeFailed()
	case packetEnded:
		q := w.pes[l.pe()]
		q.last = w.lend(l.data)
		q.ended.Store(true)
	case packetProbe:
		w.send(w.net.heads[0], w.stands(l.next()))
	case packetStand:
		w.net.reported(&l)
	case packetNote:
		from, p := l.pe(), w.pes[l.pe()]
		p.noted(from, l.data)
	}
}

// show stores a value in a flag that PEs of this host wait for, and wakes them. Where
// messages of several senders have overtaken each other the flag keeps the larger value.
func (w *World) show(flag interface {
	Load() uint64
	CompareAndSwap(old, new uint64) bool
}, value uint64) {
	for {
		old := flag.Load()
		if reached(old, value) || flag.CompareAndSwap(old, value) {
			break
		}
	}
	w.rouse()
}

// Attach sends a note to PE to, which has it before whatever this PE sends there later;
// Noted says what takes the notes that come to this PE. It comes before Start.
func (p *PE) Attach(to int, note []byte) {
	p.w.send(to, append(written(packetNote, len(note), uint64(p.id), uint64(to)), note...))
}

// Noted names what takes notes.
func (p *PE) Noted(take func(from int, note []byte)) { p.noted = take }

var _ transport.Distant = (*PE)(nil)
