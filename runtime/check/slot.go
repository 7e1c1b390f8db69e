package check

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Slot is what one PE knows of one communication. Its methods are called by
// that PE only.
type Slot struct {
	Site   int    // of the communication
	Memory string // what its puts fill, in words: "the overlap of a"

	monitor *Monitor
	depth   int // instances of the memory: epoch e fills number e modulo depth
	row     []*mark
	inboxes []*inbox // of the buffers: one, or one for each instance of the memory
	local   bool     // see Local
	aliases []*Slot  // the slots of this PE in the same memory, this one included
	needs   [][]need
	puts    []lastPut // [to*depth + epoch%depth]
	reads   Reads

	count    uint64 // executions
	begun    point  // of the last one
	before   point  // of the one before that
	arrived  uint64 // the last epoch whose data have arrived here
	step     uint64 // number of that step
	received []int  // who has sent data of this epoch
	sections []section
	open     int // executions that have arrived and are not over: the blocks of a pipeline
	written  bool
}

// Reads reports whether PE q, which needs box, has some of the given cells filled
// by the communication, and so reads them there.
type Reads func(q int, box, cells []dist.Triplet) bool

// need is what a PE needs in the epochs from, from+depth, ..., to.
type need struct {
	from, to uint64
	box      []dist.Triplet
	over     uint64 // the last of them that is over on this PE; 0: none
	step     uint64 // number of the step that ended it
}

// lastPut is the last put of this PE into an instance of the memory of another.
type lastPut struct {
	epoch uint64
	step  uint64 // number of the step with which it is seen to have arrived; 0: not known yet
}

// section is what has come from a PE in this epoch.
type section struct {
	from int
	move transport.Move
	sum  uint64
}

// Slot makes the slot of the next communication; all PEs make theirs in the same
// order. Epoch e fills instance e modulo depth of the memory. reads tells cells
// apart; with nil an instance of the memory is one cell. With cells and a depth the
// instances are different cells of one memory, which is not taken for granted: each
// put is checked against the uses of all epochs.
func (m *Monitor) Slot(site int, memory string, depth int, reads Reads) *Slot {
	pes := len(m.clock)
	s := &Slot{
		Site: site, Memory: memory, monitor: m, depth: depth, row: m.ledger.row(m.count),
		needs: make([][]need, pes), puts: make([]lastPut, pes*depth), reads: reads,
	}
	if m.ledger.apart {
		s.row[m.id] = &made[mark](m.Transport, 1)[0]
	}
	s.aliases = []*Slot{s}
	m.count++
	m.all = append(m.all, s)
	return s
}

// Join says that s fills the same memory as the slots that first has been joined
// with so far: each put of one is checked against the uses of all.
func (s *Slot) Join(first *Slot) {
	for _, m := range first.aliases {
		m.aliases = append(m.aliases, s)
		if m != s {
			s.aliases = append(s.aliases, m)
		}
	}
	// first is in its own list, so that the loop has given it s.
}

// Local says that nothing is put into the memory for this communication: its PE
// copies there what has come elsewhere. So there is no buffer to Bind, and Copied
// tells what it fills; puts of others are checked against its use all the same.
func (s *Slot) Local() *Slot {
	s.local = true
	return s
}

// Copied says that the PE has filled sections of the memory itself.
func (s *Slot) Copied(sections []transport.Move) {
	s.sections = s.sections[:0]
	for i := range sections {
		s.sections = append(s.sections, section{move: sections[i]})
	}
	s.replace()
	s.sections = s.sections[:0]
	for i := range sections {
		s.monitor.trace.copied(s.number(), s.count, &sections[i])
	}
}

// number is what the slot is called in a trace: that of its communication, or less
// that number for what its PE fills itself.
func (s *Slot) number() int {
	if s.local {
		return -s.Site - 1
	}
	return s.Site + 1
}

// Shared reports whether another communication fills the same memory.
func (s *Slot) Shared() bool { return len(s.aliases) > 1 }

// inbox is where the messages of an epoch come in.
func (s *Slot) inbox(epoch uint64) *inbox { return s.inboxes[epoch%uint64(len(s.inboxes))] }

// Begin starts an execution, which is to have number epoch (I8).
func (s *Slot) Begin(epoch uint64) {
	m := s.monitor
	s.count++
	if epoch != s.count {
		m.fail(&Violation{Kind: Miscounted, Put: s, Use: s, From: m.id, To: m.id, Epoch: epoch, UseEpoch: s.count})
	}
	m.at.site = s.Site
	m.pass(s.Site, passBegin)
	s.before, s.begun = s.begun, m.at
	s.received, s.written = s.received[:0], false
}

// Uses says that this PE uses the memory in this epoch, be it only what it copied
// there itself.
func (s *Slot) Uses() {
	if !s.local { // Copied says more
		s.monitor.trace.use(s.number(), s.count)
	}
}

// Need records that PE q uses box in an epoch. Epochs come in ascending order;
// one in which q needs nothing is left out. What is known to be over on q is
// forgotten, so the record is as long as PEs are apart.
func (s *Slot) Need(epoch uint64, q int, box []dist.Triplet) {
	known := s.monitor.clock[q]
	list := slices.DeleteFunc(s.needs[q], func(n need) bool { return n.over == n.to && n.step <= known })
	depth := uint64(s.depth)
	for k := len(list) - 1; k >= max(0, len(list)-s.depth); k-- {
		if n := &list[k]; n.to+depth == epoch && slices.Equal(n.box, box) {
			n.to = epoch
			s.needs[q] = list
			return
		}
	}
	s.needs[q] = append(list, need{from: epoch, to: epoch, box: slices.Clone(box)})
}

// Arrived records that the data of an epoch have arrived on this PE (CO), and
// checks that they are what was sent.
func (s *Slot) Arrived(epoch uint64) {
	m := s.monitor
	m.step(s.Site, passArrived)
	s.arrived, s.step = epoch, m.clock[m.id]
	for i := range s.puts {
		if s.puts[i].epoch == epoch {
			s.puts[i].step = s.step
		}
	}
	m.trace.node('o', s.number(), epoch)
	if s.open == 0 {
		s.sections = s.sections[:0]
	}
	s.open++
	for _, from := range s.received {
		if l := s.inbox(epoch).puts[from].read(epoch); l != nil {
			move, sum := l.section()
			s.sections = append(s.sections, section{from, move, sum})
		}
	}
	s.unchanged(epoch, Garbled)
	s.replace()
	store(&s.row[m.id].arrived, epoch)
}

// replace lets what has come replace, in the same cells, what aliases of s brought and
// still is in use: other cells of it may be needed, as those of the rows to come
// when a pipeline brings new values of this row.
func (s *Slot) replace() {
	for _, alias := range s.aliases {
		if alias == s {
			continue
		}
		for i := range alias.sections {
			x := &alias.sections[i]
			for k := range s.sections {
				if near(&x.move, &s.sections[k].move) {
					x.sum = alias.inbox(alias.count).Memory.Digest(&x.move, true)
					break
				}
			}
		}
	}
}

// near reports whether two sections may have cells in common.
func near(a, b *transport.Move) bool {
	lo, hi := extremes(a)
	l, h := extremes(b)
	return lo <= h && l <= hi
}

// extremes are the least and the largest offset of a section at its target.
func extremes(m *transport.Move) (lo, hi int) {
	lo, hi = m.Dst, m.Dst
	for d := range m.Rank {
		far := (m.N[d] - 1) * m.DstStride[d]
		lo, hi = lo+min(0, far), hi+max(0, far)
	}
	return lo, hi
}

// unchanged checks that what has come still is what was sent (I3).
func (s *Slot) unchanged(epoch uint64, kind Kind) {
	m := s.monitor
	m.look()
	for i := range s.sections {
		if x := &s.sections[i]; s.inbox(epoch).Memory.Digest(&x.move, true) != x.sum {
			m.look() // who wrote there may have been noticed
			m.fail(&Violation{Kind: kind, Put: s, Use: s, From: x.from, To: m.id, Epoch: epoch, UseEpoch: epoch})
		}
	}
}

// Written says that the program has changed, itself, what had come: the end of a
// piece of program that all PEs execute on copies.
func (s *Slot) Written() { s.written = true }

// Over records that the use of an epoch is over on this PE (UO).
func (s *Slot) Over(epoch uint64) {
	m := s.monitor
	if s.open = max(0, s.open-1); s.open == 0 {
		if !s.written {
			s.unchanged(epoch, Changed)
		}
		s.sections = s.sections[:0]
	}
	m.step(s.Site, passOver)
	m.trace.node('u', s.number(), epoch)
	now := m.clock[m.id]
	for q, list := range s.needs {
		last := len(list)
		for k := range list {
			n := &list[k]
			if n.from <= epoch && epoch <= n.to && (epoch-n.from)%uint64(s.depth) == 0 {
				n.over, n.step, last = epoch, now, k
			}
		}
		if last == len(list) {
			continue
		}
		// Who knows that this use is over knows it of those before it.
		box, residue := list[last].box, epoch%uint64(s.depth)
		s.needs[q] = slices.DeleteFunc(list, func(n need) bool {
			return n.to < epoch && n.to%uint64(s.depth) == residue && (s.reads == nil || covers(box, n.box))
		})
	}
	store(&s.row[m.id].over, epoch)
}

// covers reports whether a box contains another.
func covers(box, other []dist.Triplet) bool {
	for d := range box {
		if box[d].Intersect(other[d]) != other[d] {
			return false
		}
	}
	return len(box) == len(other)
}

// Put checks a put of this PE, in an epoch, into cells of PE q, before it is
// made. It returns nil if they are free: every use of them that is over here is
// over there, and so is the arrival of this PE's last put.
//
// A put that finds them free by luck, so that this PE could not know it, is kept
// for Strays.
func (s *Slot) Put(epoch uint64, q int, cells []dist.Triplet) *Violation {
	m := s.monitor
	found := func(v Violation) *Violation {
		v.Put, v.From, v.To, v.Epoch, v.Index = s, m.id, q, epoch, s.begun.indices()
		return &v
	}
	known := m.clock[q]
	var stray *Violation
	for _, alias := range s.aliases {
		over := m.mark(&alias.row[q].over)
		for i := range alias.needs[q] {
			n := &alias.needs[q][i]
			if alias == s && s.reads == nil && n.from%uint64(s.depth) != epoch%uint64(s.depth) || n.over == 0 || n.step <= known {
				continue
			}
			if alias.reads != nil && !alias.reads(q, n.box, cells) {
				continue
			}
			if n.over > over {
				return found(Violation{Kind: TooEarly, Use: alias, UseEpoch: n.first(over, alias.depth), OverEpoch: over})
			}
			if stray == nil || n.step > stray.step {
				stray = found(Violation{Kind: Unordered, Use: alias, UseEpoch: n.over, OverEpoch: over, step: n.step})
			}
		}
	}
	last := &s.puts[q*s.depth+int(epoch%uint64(s.depth))]
	if last.epoch > 0 && (last.step == 0 || last.step > known) {
		arrived := m.mark(&s.row[q].arrived)
		v := Violation{Kind: Unordered, Use: s, UseEpoch: last.epoch, OverEpoch: arrived, Flag: true}
		if last.epoch > arrived {
			v.Kind = TooEarly
			return found(v)
		}
		if stray == nil {
			stray = found(v)
		}
	}
	*last = lastPut{epoch: epoch}
	if s.arrived == epoch { // a pipeline: its arrival lies before its puts
		last.step = s.step
	}
	if stray != nil {
		m.stray(stray)
	}
	return nil
}

// Crossed is the depth of the loop over whose back edge the PE has come from the
// execution before: the outermost of those that have another index now. It is
// negative where there was none, or where that is not known.
func (s *Slot) Crossed() int {
	if s.count < 2 || s.before.depth != s.begun.depth {
		return -1
	}
	for d := range s.begun.depth {
		if s.before.index[d] != s.begun.index[d] {
			return d
		}
	}
	return -1
}

// Blame ends the run: in the execution at hand, what p puts to q is not what the
// analysis says.
func (s *Slot) Blame(kind Kind, p, q int) {
	s.monitor.fail(&Violation{Kind: kind, Put: s, Use: s, From: p, To: q, Epoch: s.count})
}

// first is the first epoch of n behind one.
func (n *need) first(over uint64, depth int) uint64 {
	if over < n.from {
		return n.from
	}
	return n.from + (over-n.from)/uint64(depth)*uint64(depth) + uint64(depth)
}
