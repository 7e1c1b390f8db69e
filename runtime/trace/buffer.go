package trace

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// A buffer holds the events of a PE in memory of a fixed size, until the run ends. Events of
// regions lie by the depth of the region, those of messages apart, in blocks. When there is no
// free block, detail goes, in this order:
//
//  1. the deepest level of regions, as a whole, and what would come to it later; at last the
//     program itself is what remains of the regions;
//  2. every second number of all events that are left, then of those again, and so on. The
//     number of a message is its epoch, which both PEs know, and that of what all PEs do
//     together is the same on all: so both ends of a message go, or none, where PEs keep
//     events of the same numbers.
//
// What goes is counted. When iterations of the outermost loops began is kept too, in a sixteenth of the
// memory: of all, of every second, and so on. Events of an iteration that may yet be left out are held apart until that
// is decided, in blocks from the same memory.
type buffer struct {
	levels []level // depths of regions; the last one is that of messages
	free   [][]event
	room   int    // blocks that may still be made
	every  uint64 // a power of two: events are kept whose number is a multiple
	bytes  int64

	off       bool // events are left out: of an iteration that is not selected
	holding   bool // events are held
	undecided []iteration
	next      int64 // the number of the first of them
	heldMost  int   // blocks that may be held
	heldNow   int

	iterations []event // of numbers that are multiples of stride
	stride     uint64
	mostKept   int // iterations
}

// iteration is the events of an iteration that is not decided.
type iteration struct {
	blocks [][]event
	lost   map[int]int64 // by level: there was no room
}

// event is an event of tracefile, in ticks.
type event struct {
	began, took int64
	number      uint64
	bytes       int64
	id          int32
	peer        int32
	buffer      int32
	kind        tracefile.Kind
	level       uint8 // of held events
}

// level is the events of a depth.
type level struct {
	blocks  [][]event
	dropped int64
	off     bool // nothing is kept

	unselected int64 // left out as requested
}

const (
	depths      = 32 // deeper regions count as of the last depth
	blockEvents = 256
	blockBytes  = blockEvents * int64(unsafe.Sizeof(event{}))
)

// newBuffer makes a buffer that takes so many bytes at most.
func newBuffer(memory int64) *buffer {
	room := int(max(4, memory/blockBytes))
	own := room / 16
	return &buffer{levels: make([]level, depths+1), room: room - own, every: 1, heldMost: room / 2, stride: 1, mostKept: own * blockEvents}
}

// add keeps an event: a region of a depth, or in the last level anything else.
func (b *buffer) add(level int, e event) {
	switch {
	case b.off:
		b.levels[level].unselected++
	case b.holding:
		b.later(level, e)
	default:
		b.keep(&b.levels[level], e)
	}
}

// iterate keeps an iteration that has ended.
func (b *buffer) iterate(e event) {
	if b.mostKept == 0 || e.number&(b.stride-1) != 0 {
		return
	}
	if b.iterations == nil {
		b.iterations = make([]event, 0, b.mostKept)
		b.bytes += int64(b.mostKept/blockEvents) * blockBytes
	}
	if len(b.iterations) == b.mostKept {
		b.stride *= 2
		b.iterations = slices.DeleteFunc(b.iterations, func(e event) bool { return e.number&(b.stride-1) != 0 })
		b.iterate(e)
		return
	}
	b.iterations = append(b.iterations, e)
}

// hold begins an iteration whose events are held.
func (b *buffer) hold() {
	b.holding = true
	b.undecided = append(b.undecided, iteration{})
}

// held ends it.
func (b *buffer) held() { b.holding = false }

// later holds an event.
func (b *buffer) later(level int, e event) {
	it := &b.undecided[len(b.undecided)-1]
	if n := len(it.blocks); n == 0 || len(it.blocks[n-1]) == blockEvents {
		var block []event
		if b.heldNow < b.heldMost {
			block = b.block()
		}
		if block == nil {
			if it.lost == nil {
				it.lost = map[int]int64{}
			}
			it.lost[level]++
			return
		}
		b.heldNow++
		it.blocks = append(it.blocks, block)
	}
	e.level = uint8(level)
	last := &it.blocks[len(it.blocks)-1]
	*last = append(*last, e)
}

// settle keeps or leaves out the iterations that all PEs have ended.
func (b *buffer) settle(v *verdicts) {
	for decided := v.decided(); len(b.undecided) > 0 && b.next < decided; b.next++ {
		it := b.undecided[0]
		b.undecided = b.undecided[1:]
		keep := v.kept(b.next)
		for i, n := range it.lost {
			if keep {
				b.levels[i].dropped += n
			} else {
				b.levels[i].unselected += n
			}
		}
		for _, block := range it.blocks {
			for _, e := range block {
				if l := &b.levels[e.level]; keep {
					b.keep(l, e)
				} else {
					l.unselected++
				}
			}
			b.heldNow--
			b.free = append(b.free, block)
		}
	}
}

func (b *buffer) keep(l *level, e event) {
	if l.off || e.number&(b.every-1) != 0 {
		l.dropped++
		return
	}
	if n := len(l.blocks); n == 0 || len(l.blocks[n-1]) == blockEvents {
		block := b.block()
		// To get it the level, or the number, may have had to go.
		if block == nil || l.off || e.number&(b.every-1) != 0 {
			if block != nil {
				b.free = append(b.free, block)
			}
			l.dropped++
			return
		}
		l.blocks = append(l.blocks, block)
	}
	last := &l.blocks[len(l.blocks)-1]
	*last = append(*last, e)
}

// block is an empty block; nil if there is none.
func (b *buffer) block() []event {
	for b.every < 1<<62 {
		if n := len(b.free); n > 0 {
			block := b.free[n-1]
			b.free = b.free[:n-1]
			return block[:0]
		}
		if b.room > 0 {
			b.room--
			b.bytes += blockBytes
			return make([]event, 0, blockEvents)
		}
		b.reduce()
	}
	return nil
}

// reduce makes room.
func (b *buffer) reduce() {
	for d := depths - 1; d > 0; d-- {
		l := &b.levels[d]
		l.off = true
		if len(l.blocks) == 0 {
			continue
		}
		for _, block := range l.blocks {
			l.dropped += int64(len(block))
		}
		b.free = append(b.free, l.blocks...)
		l.blocks = nil
		return
	}
	b.every *= 2
	for i := range b.levels {
		b.thin(&b.levels[i])
	}
}

// thin takes out of a level what is no multiple of every.
func (b *buffer) thin(l *level) {
	var kept [][]event
	to := 0 // events in the last block of kept
	for _, block := range l.blocks {
		for _, e := range block {
			if e.number&(b.every-1) != 0 {
				l.dropped++
				continue
			}
			// What is written lies before what is read.
			if len(kept) == 0 || to == blockEvents {
				kept, to = append(kept, l.blocks[len(kept)][:0]), 0
			}
			last := &kept[len(kept)-1]
			*last = append(*last, e)
			to++
		}
	}
	b.free = append(b.free, l.blocks[len(kept):]...)
	l.blocks = kept
}

// kept says what is in the buffer.
func (b *buffer) kept() tracefile.Kept {
	k := tracefile.Kept{Memory: b.bytes, Every: int64(b.every)}
	for i := range b.levels {
		l := &b.levels[i]
		for _, block := range l.blocks {
			k.Events += int64(len(block))
		}
		if l.dropped > 0 {
			k.Dropped = append(k.Dropped, tracefile.Dropped{Level: levelOf(i), Events: l.dropped})
		}
		k.Unselected += l.unselected
	}
	return k
}

// levelOf is the level of a file that a level of a buffer is.
func levelOf(i int) int {
	if i == depths {
		return tracefile.Messages
	}
	return i
}

// most is how many events a chunk has.
const most = 16384

// write calls f for what is in the buffer, level by level, as often as it is for a chunk. Ticks are
// nanoseconds times rate, from begin.
func (b *buffer) write(begin int64, rate float64, f func(level int, list []tracefile.Event)) {
	list := make([]tracefile.Event, 0, most)
	at := func(ticks int64) int64 { return int64(float64(ticks-begin) * rate) }
	write := func(level int, blocks [][]event) {
		flush := func() {
			// Regions come when they end, and readers want them as they begin.
			slices.SortStableFunc(list, func(a, b tracefile.Event) int { return cmp.Compare(a.Began, b.Began) })
			f(level, list)
			list = list[:0]
		}
		for _, block := range blocks {
			for _, e := range block {
				began := at(e.began)
				list = append(list, tracefile.Event{Kind: e.kind, ID: int(e.id), Began: began, Took: at(e.began+e.took) - began,
					Number: e.number, Peer: int(e.peer), Buffer: int(e.buffer), Bytes: e.bytes})
				if len(list) == most {
					flush()
				}
			}
		}
		flush()
	}
	for i := range b.levels {
		write(levelOf(i), b.levels[i].blocks)
	}
	write(tracefile.Iterations, [][]event{b.iterations})
}
