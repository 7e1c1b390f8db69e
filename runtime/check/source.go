package check

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/transport"
)

// Source is what one PE knows of the elements that others get from its memory for a
// communication whose temporaries are filled strip by strip: a get is a use of them,
// which ends when the use of the value does (UO). Before the PE overwrites the
// elements, what it knows has to say that this has come to pass on all of them. That
// does not depend on which of them were fast. Its methods are called by that PE only.
type Source struct {
	slot *Slot // what is overwritten
	use  *Slot // of the communication
	open []reader
}

// reader is a PE that gets elements in an execution.
type reader struct {
	pe    int
	epoch uint64
	step  uint64 // number of the step that ends it; 0: it has not come here either
}

// Source makes the source of the gets of the communication with slot use. Buffer is
// the memory that they read; by it those who are done tell so, where they do.
func (m *Monitor) Source(use *Slot, buffer transport.Buffer, memory string) *Source {
	m.sources[buffer] = use
	return &Source{slot: m.Slot(use.Site, memory, 1, nil).Local(), use: use}
}

// Begin starts an execution, in which the given PEs may get elements. Who is done with
// it is done with those before.
func (x *Source) Begin(users []int) {
	x.open = slices.DeleteFunc(x.open, func(r reader) bool { return slices.Contains(users, r.pe) })
	for _, q := range users {
		x.open = append(x.open, reader{pe: q, epoch: x.use.count})
	}
}

// Over is the end of the execution on this PE.
func (x *Source) Over() {
	for i := range x.open {
		if r := &x.open[i]; r.epoch == x.use.count {
			r.step = x.slot.monitor.clock[x.slot.monitor.id]
		}
	}
}

// Overwrite checks that the PE may overwrite the elements, in a line of the source. It returns what it did not
// wait for; what it did not know to be over, and was by luck, is kept for Strays.
func (x *Source) Overwrite(line int) *Violation {
	m := x.slot.monitor
	store(&x.slot.row[m.id].arrived, uint64(line)) // nothing arrives here
	store(&x.slot.row[m.id].over, x.use.count)
	if len(x.open) == 0 {
		return nil
	}
	m.trace.overwrites(x)
	var early *Violation
	for _, r := range x.open {
		if r.step > 0 && r.step <= m.clock[r.pe] {
			continue
		}
		over := m.mark(&x.use.row[r.pe].over)
		v := &Violation{Kind: Unordered, Put: x.slot, Use: x.use, From: m.id, To: r.pe, Epoch: r.epoch, UseEpoch: r.epoch, OverEpoch: over, Source: true, Line: line, Index: m.at.indices()}
		if over < r.epoch {
			v.Kind = TooEarly
			early = v
			continue
		}
		m.stray(v)
	}
	x.open = x.open[:0]
	return early
}

// Got checks, when this PE has got elements of another, that that one had not
// overwritten them before, whomever it took for a user.
func (x *Source) Got(from int) {
	m := x.slot.monitor
	if m.distant == nil && load(&x.slot.row[from].over) >= x.use.count {
		m.fail(&Violation{Kind: TooEarly, Put: x.slot, Use: x.use, From: from, To: m.id, Epoch: x.use.count, UseEpoch: x.use.count, Source: true, Line: int(load(&x.slot.row[from].arrived))})
	}
}

// Refilled says that the PE itself has replaced what had come into an instance of the
// memory by what it got from others.
func (s *Slot) Refilled(sections []transport.Move) {
	in := s.inbox(s.count)
	s.sections = s.sections[:0]
	for i := range sections {
		s.sections = append(s.sections, section{s.monitor.id, sections[i], in.Memory.Digest(&sections[i], true)})
	}
}
