package check

import (
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/snapshot"
	"github.com/spmdc/spmdc/runtime/transport"
)

// A checkpoint of a check build holds what its PE knows of the others, and the
// headers of the messages that have come: behind it every put is checked as if the
// run had not been interrupted. The records of barriers, reductions and broadcasts
// begin anew, on all PEs.

// Stray is the first put of this PE that nothing ordered, nil if there is none: a
// run that goes on from a checkpoint would not know of it.
func (m *Monitor) Stray() *Violation {
	if len(m.strays) == 0 {
		return nil
	}
	return m.strays[0]
}

// Save writes the state of the monitor and of its slots. No message is under way.
func (m *Monitor) Save(w *snapshot.Writer) {
	snapshot.Put(w, m.clock)
	m.at.save(w)
	w.Int(len(m.all))
	for _, s := range m.all {
		s.save(w)
	}
	for _, in := range m.inboxes {
		w.Int(len(in.puts))
		for p := range in.puts {
			in.puts[p].save(w)
		}
	}
}

// Restore reads what Save has written. No put may come meanwhile.
func (m *Monitor) Restore(r *snapshot.Reader) {
	snapshot.Fill(r, m.clock)
	m.at.restore(r)
	if n := r.Int(); n != len(m.all) {
		r.Fail("%d slots are there, the program has %d", n, len(m.all))
		return
	}
	for _, s := range m.all {
		s.restore(r)
	}
	for _, in := range m.inboxes {
		if n := r.Int(); n != len(in.puts) {
			r.Fail("an inbox for %d PEs, not %d", n, len(in.puts))
			return
		}
		for p := range in.puts {
			in.puts[p].restore(r, m.memory(), len(m.clock))
		}
	}
}

func (p *point) save(w *snapshot.Writer) {
	w.Int(p.site)
	w.Uint64(p.path)
	snapshot.Put(w, p.index[:])
	w.Int(p.depth)
}

func (p *point) restore(r *snapshot.Reader) {
	p.site, p.path = r.Int(), r.Uint64()
	snapshot.Fill(r, p.index[:])
	p.depth = r.Int()
}

func (s *Slot) save(w *snapshot.Writer) {
	w.Uint64(s.count)
	s.begun.save(w)
	w.Uint64(s.arrived)
	w.Uint64(s.step)
	w.Bool(s.written)
	snapshot.Put(w, s.received)
	w.Int(len(s.sections))
	for i := range s.sections {
		x := &s.sections[i]
		w.Int(x.from)
		snapshot.Put(w, []transport.Move{x.move})
		w.Uint64(x.sum)
	}
	for _, list := range s.needs {
		w.Int(len(list))
		for _, n := range list {
			w.Uint64(n.from)
			w.Uint64(n.to)
			w.Uint64(n.over)
			w.Uint64(n.step)
			snapshot.Put(w, n.box)
		}
	}
	snapshot.Put(w, s.puts)
	own := s.row[s.monitor.id]
	w.Uint64(load(&own.arrived))
	w.Uint64(load(&own.over))
}

func (s *Slot) restore(r *snapshot.Reader) {
	s.count = r.Uint64()
	s.begun.restore(r)
	s.arrived, s.step, s.written = r.Uint64(), r.Uint64(), r.Bool()
	s.received = snapshot.List(r, s.received)
	s.sections = s.sections[:0]
	for range r.Int() {
		if r.Failed() {
			return
		}
		x := section{from: r.Int()}
		var move [1]transport.Move
		snapshot.Fill(r, move[:])
		x.move, x.sum = move[0], r.Uint64()
		s.sections = append(s.sections, x)
	}
	for q := range s.needs {
		s.needs[q] = nil
		for range r.Int() {
			if r.Failed() {
				return
			}
			n := need{from: r.Uint64(), to: r.Uint64(), over: r.Uint64(), step: r.Uint64()}
			n.box = snapshot.List(r, n.box)
			s.needs[q] = append(s.needs[q], n)
		}
	}
	snapshot.Fill(r, s.puts)
	own := s.row[s.monitor.id]
	store(&own.arrived, r.Uint64())
	store(&own.over, r.Uint64())
}

func (b *mailbox) save(w *snapshot.Writer) {
	hideSync()
	defer showSync()
	saveWords(w, b.landed)
	ring := b.ring.Load()
	if ring == nil {
		w.Int(0)
		return
	}
	w.Int(len(*ring))
	for i := range *ring {
		l := &(*ring)[i]
		w.Uint64(l.epoch.Load())
		saveWords(w, l.head[:])
		saveWords(w, l.clock)
	}
}

func (b *mailbox) restore(r *snapshot.Reader, in memory, pes int) {
	hideSync()
	defer showSync()
	restoreWords(r, b.landed)
	n := r.Int()
	if n == 0 || r.Failed() {
		return
	}
	if n < 0 || n > 1<<20 {
		r.Fail("%d headers", n)
		return
	}
	showSync() // see blank
	ring := &made[[]header](in, 1)[0]
	*ring = made[header](in, n)
	for i := range *ring {
		(*ring)[i] = newHeader(in, pes)
	}
	hideSync()
	for i := range *ring {
		l := &(*ring)[i]
		l.epoch.Store(r.Uint64())
		restoreWords(r, l.head[:])
		restoreWords(r, l.clock)
	}
	b.ring.Store(ring)
}

func saveWords(w *snapshot.Writer, list []atomic.Uint64) {
	w.Int(len(list))
	for i := range list {
		w.Uint64(list[i].Load())
	}
}

func restoreWords(r *snapshot.Reader, list []atomic.Uint64) {
	if n := r.Int(); n != len(list) {
		r.Fail("%d words are there, %d are wanted", n, len(list))
		return
	}
	for i := range list {
		list[i].Store(r.Uint64())
	}
}
