package spmd

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Irregular is a communication whose elements are picked by subscripts that are
// known only at run time, as in a(list(i)). It keeps a schedule (which PE wants
// which of its elements) as long as no PE's subscripts change.
type Irregular[T any] struct {
	// Data holds the elements after Wait, in the order of the subscripts
	// given to Post. It belongs to the Irregular until the next Post.
	Data []T

	pe    *PE
	site  int
	mode  Mode
	src   *Array[T]
	count *Counts
	epoch uint64
	live  bool
	order *check.Slot // of check builds

	inspections int // schedules built

	list []int // the subscripts of the last Post

	// As a consumer: what comes from PE p lies in from[p]..from[p+1]-1 of
	// stage. Element k of it belongs at slots[k] in Data, and is at wanted[k]
	// in the memory of p.
	from   transport.Slice[int]
	wanted transport.Slice[int]
	stage  transport.Slice[T]
	slots  []int

	// What this PE has itself: element at localOff[k] of its memory belongs at
	// localAt[k] in Data, or at k where localAt is empty: nothing comes from others then.
	localAt, localOff []int

	// As a producer: q wants requests[lead[q]:lead[q+1]], in its stage from
	// at[q] on.
	requests transport.Slice[int]
	lead     []int
	at       []int
	packed   transport.Slice[T]
	move     transport.Move // of the message under way

	fromBuf, wantedBuf, stageBuf transport.Buffer
}

// NewIrregular makes an irregular communication from src. Collective.
func NewIrregular[T any](pe *PE, site int, src *Array[T]) *Irregular[T] {
	c := &Irregular[T]{
		pe: pe, site: site, src: src, count: pe.count(site),
		lead: make([]int, pe.n+1), at: make([]int, pe.n),
	}
	c.from.Data = make([]int, pe.n+1)
	c.fromBuf = pe.t.Register(site, &c.from)
	c.wantedBuf = pe.t.Register(site, &c.wanted)
	c.stageBuf = pe.t.Register(site, &c.stage)
	c.order = pe.order(site, []transport.Buffer{c.stageBuf}, &c.stage, "the list of values", nil)
	pe.keep(c)
	return c
}

// Sync sets the mode of the communication, the same on all PEs, and returns it.
func (c *Irregular[T]) Sync(m Mode) *Irregular[T] {
	c.mode = c.pe.prog.mode(m)
	return c
}

// Post starts an execution: idx is the subscripts of the elements that this PE
// wants, as many for each as the source has dimensions. An element outside the
// declared bounds becomes zero. With same they are those of the last Post, and idx is
// not looked at. All PEs take part.
func (c *Irregular[T]) Post(idx []int, same bool) {
	if c.live && c.pe.prog.Check {
		c.pe.internal(c.site, "communication posted while its previous value is in use")
	}
	c.live = true
	c.epoch++
	c.count.Calls++
	if c.order != nil {
		c.order.Begin(c.epoch)
		c.order.Uses()
		// A PE may fill now what another one has filled before: who has which part of
		// the list changes with the lists. So each use of it counts, on all PEs.
		for q := range c.pe.n {
			if q != c.pe.id {
				c.order.Need(c.epoch, q, nil)
			}
		}
	}
	// The agreement is an all-PE reduction, which also orders every PE's use
	// of the previous value before everything that follows.
	if Or(c.pe, c.site, c.inspections == 0 || !same && !slices.Equal(c.list, idx)) {
		if same {
			idx = c.list // others have new ones
		}
		c.inspect(idx)
	}
	t := c.pe.t
	for p := range c.pe.n {
		if c.wants(p) && c.mode == Handshake {
			t.Ready(c.site, c.stageBuf, p, c.epoch)
			c.count.Ready++
		}
	}
	if src := c.src.Data; len(c.localAt) == 0 {
		data := c.Data[:len(c.localOff)]
		for i, off := range c.localOff {
			data[i] = src[off]
		}
	} else {
		at := c.localAt[:len(c.localOff)]
		for i, off := range c.localOff {
			c.Data[at[i]] = src[off]
		}
	}
	c.execute()
}

// execute puts to each consumer the elements that it asked for.
func (c *Irregular[T]) execute() {
	t := c.pe.t
	for k := 1; k < c.pe.n; k++ {
		q := (c.pe.id + k) % c.pe.n
		wants := c.requests.Data[c.lead[q]:c.lead[q+1]]
		if len(wants) == 0 {
			continue
		}
		c.packed.Data = c.packed.Data[:0]
		for _, off := range wants {
			c.packed.Data = append(c.packed.Data, c.src.Data[off])
		}
		if c.mode == Handshake && t.AwaitReady(c.site, c.stageBuf, q, c.epoch) {
			c.count.Waits++
		}
		if c.order != nil {
			c.pe.mayPut(c.order, c.epoch, q, nil)
		}
		c.pe.MarkRemote()
		c.move = transport.Move{Dst: c.at[q]}
		c.move.Loop(len(wants), 1, 1)
		t.Put(c.site, c.stageBuf, q, c.epoch, &c.packed, &c.move)
		c.count.Data++
		c.count.Bytes += int64(len(wants) * c.packed.ElemSize())
	}
}

// inspect builds the schedule: every PE sorts its subscripts by producer, and
// every producer fetches from each consumer what it wants. It is rare, so
// barriers separate its phases.
func (c *Irregular[T]) inspect(idx []int) {
	c.inspections++
	c.list = append(c.list[:0], idx...)
	c.sort(idx)
	t, n, self := c.pe.t, c.pe.n, c.pe.id
	t.Rebind(c.wantedBuf, &c.wanted)
	t.Rebind(c.stageBuf, &c.stage)
	t.Barrier(c.site)
	c.requests.Data = c.requests.Data[:0]
	span := transport.Slice[int]{Data: make([]int, 2)}
	for q := range n {
		c.lead[q] = len(c.requests.Data)
		if q == self {
			continue
		}
		m := transport.Move{Src: self}
		m.Loop(2, 1, 1)
		t.Get(c.site, c.fromBuf, q, &span, &m)
		first, count := span.Data[0], span.Data[1]-span.Data[0]
		c.at[q] = first
		if count == 0 {
			continue
		}
		c.requests.Data = slices.Grow(c.requests.Data, count)[:c.lead[q]+count]
		m = transport.Move{Src: first, Dst: c.lead[q]}
		m.Loop(count, 1, 1)
		t.Get(c.site, c.wantedBuf, q, &c.requests, &m)
	}
	c.lead[n] = len(c.requests.Data)
	t.Barrier(c.site)
}

// sort computes, from the subscripts, from, slots, wanted, localAt and localOff.
func (c *Irregular[T]) sort(idx []int) {
	rank := c.src.Layout.Rank()
	count := 0
	if rank > 0 {
		count = len(idx) / rank
	}
	c.Data = slices.Grow(c.Data[:0], count)[:count]
	clear(c.Data) // elements outside the bounds stay zero
	n, self := c.pe.n, c.pe.id
	from := c.from.Data
	clear(from)
	owner := make([]int, count)
	c.localAt, c.localOff = c.localAt[:0], c.localOff[:0]
	for i := range owner {
		tuple := idx[i*rank : (i+1)*rank]
		owner[i] = c.src.Layout.OwnerFor(self, tuple)
		switch owner[i] {
		case -1:
		case self:
			c.localAt = append(c.localAt, i)
			c.localOff = append(c.localOff, c.offset(self, tuple))
		default:
			from[owner[i]+1]++
		}
	}
	if len(c.localAt) == count {
		c.localAt = c.localAt[:0]
	}
	for p := range n {
		from[p+1] += from[p]
	}
	remote := from[n]
	c.stage.Data = slices.Grow(c.stage.Data[:0], remote)[:remote]
	c.wanted.Data = slices.Grow(c.wanted.Data[:0], remote)[:remote]
	c.slots = slices.Grow(c.slots[:0], remote)[:remote]
	next := slices.Clone(from)
	for i, p := range owner {
		if p < 0 || p == self {
			continue
		}
		c.slots[next[p]] = i
		c.wanted.Data[next[p]] = c.offset(p, idx[i*rank:(i+1)*rank])
		next[p]++
	}
}

// offset is where PE p keeps an element.
func (c *Irregular[T]) offset(p int, idx []int) int {
	off := 0
	for d, dim := range c.src.geo.piece(p) {
		off += dim.at(idx[d])
	}
	return off
}

// wants reports whether this PE wants elements of p.
func (c *Irregular[T]) wants(p int) bool { return c.from.Data[p] < c.from.Data[p+1] }

// Wait returns when the elements are in Data.
func (c *Irregular[T]) Wait() {
	for p := range c.pe.n {
		if c.wants(p) && c.pe.t.Await(c.site, c.stageBuf, p, c.epoch) {
			c.count.Waits++
		}
	}
	for i, slot := range c.slots {
		c.Data[slot] = c.stage.Data[i]
	}
	if c.order != nil {
		c.pe.arrived(c.order, c.epoch)
	}
}

// Done marks the end of the value's life on this PE.
func (c *Irregular[T]) Done() {
	c.live = false
	if len(c.slots) > 0 {
		c.pe.MarkLocal()
	}
	if c.order != nil {
		c.order.Over(c.epoch)
	}
}
