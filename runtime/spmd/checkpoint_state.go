package spmd

import (
	"github.com/spmdc/spmdc/runtime/snapshot"
	"github.com/spmdc/spmdc/runtime/transport"
)

// The state of the library's objects. Schedules are not part of it: the needs that
// they were made for are, and they are made again.

func (a *Array[T]) save(w *snapshot.Writer)    { snapshot.Put(w, a.Data) }
func (a *Array[T]) restore(r *snapshot.Reader) { snapshot.Fill(r, a.Data) }

// A temporary is laid out by the communication that fills it, which is restored
// behind it and does so again.
func (t *Temp[T]) save(w *snapshot.Writer) {
	for _, m := range t.mems {
		snapshot.Put(w, m.Data)
	}
	w.Int(len(t.Dims))
	snapshot.Put(w, t.Dims)
	at := 0
	for i, m := range t.mems {
		if len(m.Data) > 0 && &m.Data[0] == &t.Data[0] {
			at = i
		}
	}
	w.Int(at)
}

func (t *Temp[T]) restore(r *snapshot.Reader) {
	for _, m := range t.mems {
		snapshot.Fill(r, m.Data)
	}
	n := r.Int()
	if n != 0 && n != t.rank {
		r.Fail("a temporary of rank %d, not %d", n, t.rank)
		return
	}
	dims := snapshot.List(r, t.dims[:n])
	if n > 0 {
		copy(t.dims, dims)
		t.setDims(t.dims)
	}
	if at := r.Int(); at >= 0 && at < len(t.mems) {
		t.Data = t.mems[at].Data
	}
	t.owner = nil // the next Post lays it out
}

func (c *Comm[T]) save(w *snapshot.Writer) {
	w.Uint64(c.epoch)
	w.Bool(c.live)
	w.Bool(c.with != nil && c.with.pending)
	c.plan.save(w)
	w.Uint64(c.posted)
	if c.onDemand != nil {
		snapshot.Put(w, c.onDemand.over)
	}
	for _, s := range c.stages {
		snapshot.Put(w, s.Data)
	}
}

func (c *Comm[T]) restore(r *snapshot.Reader) {
	c.epoch, c.live = r.Uint64(), r.Bool()
	c.buf = c.bufs[c.slotNumber()]
	if pending := r.Bool(); c.with != nil {
		c.with.pending = pending
	}
	c.plan.restore(r)
	c.posted = r.Uint64()
	if c.onDemand != nil {
		snapshot.Fill(r, c.onDemand.over)
	}
	for _, s := range c.stages {
		snapshot.Fill(r, s.Data)
	}
	if c.dst != nil && c.epoch > 0 {
		c.dst.order = c.order
	}
}

// again makes the messages of the execution at hand count as arrived.
func (c *Comm[T]) again(t transport.Transport) {
	if !c.live {
		return
	}
	for i := range c.plan.sends {
		t.Put(c.site, c.buf, c.plan.sends[i].pe, c.epoch, c.src.mem, &nothing)
	}
}

// nothing moves no elements.
var nothing = transport.Move{Rank: 1}

func (s *schedule) save(w *snapshot.Writer) {
	w.Bool(s.valid)
	w.Int(s.made)
	w.Int(s.used)
	w.Int(s.dim)
	w.Int(s.dir)
	w.Bool(s.same)
	snapshot.Put(w, s.subs)
	s.own.save(w)
	known := make([]needed, s.np) // as far as it is
	for q := range known {
		known[q].none = true
		switch {
		case s.same:
		case s.every != nil:
			known[q] = needed{box: s.every.boxes[q*s.rank : (q+1)*s.rank], none: s.every.none[q]}
		}
	}
	for i := range s.sends {
		if !s.same {
			known[s.sends[i].pe] = s.theirs[i]
		}
	}
	for q := range known {
		known[q].save(w)
	}
}

func (s *schedule) restore(r *snapshot.Reader) {
	s.valid = r.Bool()
	s.made, s.used, s.dim, s.dir = r.Int(), r.Int(), r.Int(), r.Int()
	s.same = r.Bool()
	s.subs = snapshot.List(r, s.subs)
	s.own.restore(r)
	known := make([]needed, s.np)
	for q := range known {
		known[q].restore(r)
	}
	if s.valid && !r.Failed() {
		s.build(func(x *needed, q int) bool {
			x.copy(&known[q])
			return false
		})
	}
}

func (x *needed) save(w *snapshot.Writer) {
	if w.Bool(x.none); x.none {
		return
	}
	w.Bool(x.more)
	snapshot.Put(w, x.box)
	snapshot.Put(w, x.first)
}

func (x *needed) restore(r *snapshot.Reader) {
	if x.none = r.Bool(); x.none {
		return
	}
	x.more = r.Bool()
	x.box, x.first = snapshot.List(r, x.box), snapshot.List(r, x.first)
}

func (c *Irregular[T]) save(w *snapshot.Writer) {
	w.Uint64(c.epoch)
	w.Bool(c.live)
	w.Int(c.inspections)
	for _, list := range c.lists() {
		snapshot.Put(w, *list)
	}
	snapshot.Put(w, c.At)
	w.Bool(c.whole)
	w.Bool(c.shared)
	snapshot.Put(w, c.held)
	if c.runs != nil {
		w.Int(c.runs.next)
		w.Int(c.runs.first)
	}
}

func (c *Irregular[T]) restore(r *snapshot.Reader) {
	c.epoch, c.live, c.inspections = r.Uint64(), r.Bool(), r.Int()
	for _, list := range c.lists() {
		if list == &c.from.Data || list == &c.wanted.Data {
			*list = exchangedList(c.pe, r, *list)
		} else {
			*list = snapshot.List(r, *list)
		}
	}
	c.At = snapshot.List(r, c.At)
	c.whole, c.shared = r.Bool(), r.Bool()
	c.held = exchangedList(c.pe, r, []T(nil))
	if c.Data = c.held; c.shared {
		c.Data = c.src.Data
	}
	if c.runs != nil {
		c.runs.next, c.runs.first = r.Int(), r.Int()
	}
	if c.inspections > 0 && !r.Failed() {
		remote := len(c.wanted.Data)
		if !c.shared && len(c.held) < c.kept()+remote {
			r.Fail("%d values are there, fewer than %d own and %d of others", len(c.held), c.kept(), remote)
			return
		}
		c.stageBehind(remote)
		switch x := c.runs; {
		case x == nil || x.next == 0:
		case x.next < 0 || 2*x.next > len(x.at):
			r.Fail("run %d of %d", x.next, len(x.at)/2)
		default:
			x.next--
			c.Next(x.first)
		}
	}
	c.pe.t.Rebind(c.wantedBuf, &c.wanted)
	c.pe.t.Rebind(c.stageBuf, &c.stage)
}

// exchangedList is snapshot.List for what others get, or put into.
func exchangedList[T any](pe *PE, r *snapshot.Reader, old []T) []T {
	list := snapshot.List(r, []T(nil))
	if cap(old) < len(list) {
		vacate(pe, old)
		old = exchanged[T](pe, len(list))
	}
	old = old[:len(list)]
	copy(old, list)
	return old
}

// lists are the parts of the schedule.
func (c *Irregular[T]) lists() []*[]int {
	lists := []*[]int{&c.list, &c.from.Data, &c.wanted.Data, &c.picked, &c.requests.Data, &c.lead, &c.at, &c.run}
	if c.runs != nil {
		lists = append(lists, &c.runs.at)
	}
	return lists
}

func (c *Irregular[T]) again(t transport.Transport) {
	if !c.live {
		return
	}
	for q := range c.pe.n {
		if q != c.pe.id && c.lead[q] < c.lead[q+1] {
			t.Put(c.site, c.stageBuf, q, c.epoch, &c.packed, &nothing)
		}
	}
}

func (h *acks) save(w *snapshot.Writer) {
	w.Uint64(h.now)
	w.Uint64(h.all)
	snapshot.Put(w, h.received)
	snapshot.Put(w, h.sent)
}

func (h *acks) restore(r *snapshot.Reader) {
	h.now, h.all = r.Uint64(), r.Uint64()
	snapshot.Fill(r, h.received)
	snapshot.Fill(r, h.sent)
}

// At a checkpoint no image waits for some of the others only, so that what has been
// passed is over, and the next comes by the other buffers or with higher numbers.
func (im *images) save(w *snapshot.Writer) {
	snapshot.Put(w, im.times)
	w.Uint64(im.teams.all[0].calls)
	w.Bool(im.ended)
}

func (im *images) restore(r *snapshot.Reader) {
	snapshot.Fill(r, im.times)
	im.teams.all[0].calls, im.ended = r.Uint64(), r.Bool()
}
