package spmd

import (
	"math"
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Irregular is a communication whose elements are picked by subscripts that are
// known only at run time, as in a(list(i)). It keeps a schedule (which PE wants
// which of its elements) as long as no PE's subscripts change.
type Irregular[T any] struct {
	// After Wait, Data[At[k]] is the element that the k-th subscripts given to Post
	// pick, until the next Post. Where they pick many of the PE's own elements, Data
	// begins with all of these, and may be the memory of the array itself.
	// With Runs, Data is the elements of one run, from Next on.
	Data []T
	At   []int32

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

	adopted int // the schedules that the communication had built whose list this one has

	runs *runs // with Runs

	// What this PE has itself: Data is the memory of the array (shared), else held, which begins
	// with a copy of it (whole), or with those elements that are at picked in it.
	copied, shared, whole bool
	held                  []T
	picked                []int

	// As a consumer: what comes from PE p lies in from[p]..from[p+1]-1 of stage, which
	// is a part of held. Element k of it is at wanted[k] in the memory of p. Each is wanted
	// once, however many subscripts pick it.
	from   transport.Slice[int]
	wanted transport.Slice[int]
	stage  transport.Slice[T]
	remote distinct // of where they are: the offset in the memory of p times the number of PEs, plus p

	// Scratch: the subscripts that pick what others have, or nobody, and where that is, or -1.
	far   []int32
	where []int

	// As a producer: q wants requests[lead[q]:lead[q+1]], in its stage from
	// at[q] on. If these are one run of memory, it begins at run[q], else that is -1.
	requests transport.Slice[int]
	lead     []int
	at       []int
	run      []int
	packed   transport.Slice[T]
	move     transport.Move // of the message under way

	fromBuf, wantedBuf, stageBuf transport.Buffer
}

// NewIrregular makes an irregular communication from src. Collective.
func NewIrregular[T any](pe *PE, site int, src *Array[T]) *Irregular[T] {
	c := &Irregular[T]{
		pe: pe, site: site, src: src, count: pe.count(site),
		lead: make([]int, pe.n+1), at: make([]int, pe.n), run: make([]int, pe.n),
	}
	c.from.Data = exchanged[int](pe, pe.n+1)
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

// Copied says that the PE changes elements of the array between Post and Done, whose
// values Data keeps, and returns c.
func (c *Irregular[T]) Copied() *Irregular[T] {
	c.copied = true
	return c
}

// Post starts an execution: idx is the subscripts of the elements that this PE
// wants, as many for each as the source has dimensions. An element outside the
// declared bounds becomes zero. With same they are those of the last Post, and idx is
// not looked at. idx is the communication's from then on; what Post returns is free for
// the next list. All PEs take part.
func (c *Irregular[T]) Post(idx []int, same bool) []int {
	c.begin()
	// The agreement is an all-PE reduction, which also orders every PE's use
	// of the previous value before everything that follows.
	changed := c.inspections == 0 || !same && !slices.Equal(c.list, idx)
	if changed {
		c.list, idx = idx, c.list
	}
	if Or(c.pe, c.site, changed) {
		c.inspect()
	}
	c.send()
	return idx
}

// PostAs is Post with the list that another communication had at its last Post, of an array
// that is mapped as this one is. From one to the next, both are posted, that one first.
func (c *Irregular[T]) PostAs(other Scheduled) {
	c.begin()
	from := other.schedule()
	if Or(c.pe, c.site, c.inspections == 0 || c.adopted != from.inspections) {
		c.adopted = from.inspections
		if from.copied == c.copied && from.layout.Is(c.src.Layout.Map, c.src.Layout.Shape) && slices.Equal(from.pieces, c.src.geo.dims) {
			c.take(from)
		} else {
			c.list = from.list
			c.inspect()
		}
	}
	c.send()
}

// begin begins an execution.
func (c *Irregular[T]) begin() {
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
}

// send sends what the schedule says, and keeps what the PE has itself.
func (c *Irregular[T]) send() {
	t := c.pe.t
	for p := range c.pe.n {
		switch {
		case !c.wants(p):
		case c.mode == Handshake:
			t.Ready(c.site, c.stageBuf, p, c.epoch)
			c.count.Ready++
		default:
			c.count.Elided++
		}
	}
	switch src := c.src.Data; {
	case c.shared:
	case c.whole:
		copy(c.held, src)
	default:
		data := c.held[:len(c.picked)]
		for i, off := range c.picked {
			data[i] = src[off]
		}
	}
	if c.runs != nil {
		c.runs.next = 0
	}
	c.execute()
}

// adoptable is what another communication may take over: whom it asks for what.
type adoptable struct {
	layout                *dist.Layout
	pieces                []Dim // of all PEs
	copied, shared, whole bool
	inspections           int
	list                  []int
	at                    []int32
	picked, from          []int
	lead, put, run        []int // of requests
	requests              []int
	held                  int // elements
}

// Scheduled is an irregular communication of elements of any type.
type Scheduled interface{ schedule() *adoptable }

func (c *Irregular[T]) schedule() *adoptable {
	return &adoptable{
		layout: c.src.Layout, pieces: c.src.geo.dims, copied: c.copied, shared: c.shared, whole: c.whole,
		inspections: c.inspections, list: c.list, at: c.At, picked: c.picked, from: c.from.Data,
		lead: c.lead, put: c.at, run: c.run, requests: c.requests.Data, held: len(c.held),
	}
}

// take makes the schedule that of another communication: all PEs do. What it says is shared,
// and changes only when that one makes another, which this one takes before it is used.
func (c *Irregular[T]) take(s *adoptable) {
	c.inspections++
	c.shared, c.whole = s.shared, s.whole
	c.At, c.picked = s.at, s.picked
	copy(c.from.Data, s.from)
	c.lead, c.at, c.run, c.requests.Data = s.lead, s.put, s.run, s.requests
	vacate(c.pe, c.held)
	if c.held = nil; !c.shared {
		c.held = exchanged[T](c.pe, s.held)
	}
	c.stageBehind(s.from[c.pe.n])
	if c.Data = c.held; c.shared {
		c.Data = c.src.Data
	}
	c.pe.t.Rebind(c.stageBuf, &c.stage)
	c.pe.t.Barrier(c.site)
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
		c.move = transport.Move{Dst: c.at[q]}
		c.move.Loop(len(wants), 1, 1)
		values := &c.packed
		if c.run[q] >= 0 {
			values, c.move.Src = c.src.mem, c.run[q]
		} else {
			c.packed.Data = resized(c.pe, c.packed.Data, len(wants))
			for i, off := range wants {
				c.packed.Data[i] = c.src.Data[off]
			}
		}
		if c.mode == Handshake && t.AwaitReady(c.site, c.stageBuf, q, c.epoch) {
			c.count.Waits++
		}
		if c.order != nil {
			c.pe.mayPut(c.order, c.epoch, q, nil)
		}
		c.pe.MarkRemote()
		t.Put(c.site, c.stageBuf, q, c.epoch, values, &c.move)
		c.count.Data++
		c.count.Bytes += int64(len(wants) * values.ElemSize())
	}
}

// inspect builds the schedule: every PE sorts its subscripts by producer, and
// every producer fetches from each consumer what it wants. It is rare, so
// barriers separate its phases.
func (c *Irregular[T]) inspect() {
	c.inspections++
	if c.runs != nil {
		c.sortRuns(c.list)
	} else {
		c.sort(c.list)
	}
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
		c.run[q] = runOf(c.requests.Data[c.lead[q]:])
	}
	c.lead[n] = len(c.requests.Data)
	t.Barrier(c.site)
}

// runOf is the first of numbers that go up by one, or -1.
func runOf(list []int) int {
	for i, x := range list {
		if x != list[0]+i {
			return -1
		}
	}
	return list[0]
}

// sort computes, from the subscripts, where each element is in Data, and from, wanted
// and picked.
func (c *Irregular[T]) sort(idx []int) {
	rank := c.src.Layout.Rank()
	count := 0
	if rank > 0 {
		count = len(idx) / rank
	}
	n, self := c.pe.n, c.pe.id
	from := c.from.Data
	clear(from)
	c.At = resized(c.pe, c.At, count)
	far, where := resized(c.pe, c.far, count)[:0], resized(c.pe, c.where, count)[:0]
	own := c.ownRun()
	for k := range c.At {
		tuple := idx[k*rank : (k+1)*rank]
		if rank == 1 && own.Contains(tuple[0]) {
			c.At[k] = int32(tuple[0] - own.Lo)
			continue
		}
		switch p := c.src.Layout.OwnerFor(self, tuple); p {
		case self:
			c.At[k] = int32(c.offset(self, tuple))
		case -1:
			far, where = append(far, int32(k)), append(where, -1)
		default:
			far, where = append(far, int32(k)), append(where, c.offset(p, tuple)*n+p)
		}
	}
	c.far, c.where = far, where
	remotes := &c.remote
	remotes.reset(c.pe, len(far))
	for i, k := range far {
		c.At[k] = -1
		if key := where[i]; key >= 0 {
			id, first := remotes.number(key)
			if c.At[k] = int32(id); first {
				from[key%n+1]++
			}
		}
	}
	// What is put first in Data: all own elements, unless these are many more than are wanted.
	size := len(c.src.Data)
	c.whole = size <= math.MaxInt32 && size <= 2*(count-len(far))
	c.shared = c.whole && len(far) == 0 && !c.copied
	if !c.shared && c.src.outside(-1) > 0 {
		c.whole = false // others may put into its overlap meanwhile
	}
	c.picked = c.picked[:0]
	next := far
	for k := range c.At {
		if len(next) > 0 && int(next[0]) == k {
			next = next[1:]
		} else if !c.whole {
			c.picked = append(c.picked, int(c.At[k]))
			c.At[k] = int32(len(c.picked) - 1)
		}
	}
	size = c.kept()
	c.arrange(func(int) int { return 1 }, 1)
	if c.Data = c.held; c.shared {
		c.Data = c.src.Data
	}
	for _, k := range far {
		if id := c.At[k]; id < 0 {
			c.At[k] = int32(size + from[n])
		} else {
			c.At[k] = int32(size + remotes.keys[id])
		}
	}
}

// kept is how many elements in held are the PE's own.
func (c *Irregular[T]) kept() int {
	if c.whole {
		return len(c.src.Data)
	}
	return len(c.picked)
}

// arrange makes room for what the PE keeps, for what it wants of others, of which from has the
// counts by PE, length those by number of remote, and for so many zeros. It says where
// all that comes: the keys of remote are then places in stage.
func (c *Irregular[T]) arrange(length func(id int) int, zeros int) {
	n, from := c.pe.n, c.from.Data
	// Where at least half of what a PE has is wanted, all of it comes, as one run.
	all := make([]bool, n)
	for p := range n {
		if count := c.simple(p); count <= 2*from[p+1] {
			all[p], from[p+1] = true, count
		}
		from[p+1] += from[p]
	}
	remote := from[n]
	vacate(c.pe, c.held)
	if c.held = nil; !c.shared {
		c.held = exchanged[T](c.pe, c.kept()+remote+zeros)
	}
	c.stageBehind(remote)
	if cap(c.wanted.Data) < remote {
		vacate(c.pe, c.wanted.Data)
		c.wanted.Data = exchanged[int](c.pe, remote+remote/4)
	}
	c.wanted.Data = c.wanted.Data[:remote]
	for p := range n {
		if wanted := c.wanted.Data[from[p]:from[p+1]]; all[p] {
			for i := range wanted {
				wanted[i] = i
			}
		}
	}
	at := slices.Clone(from)
	for id, key := range c.remote.keys {
		p, off := key%n, key/n
		if all[p] {
			c.remote.keys[id] = from[p] + off
			continue
		}
		c.remote.keys[id] = at[p]
		for i := range length(id) {
			c.wanted.Data[at[p]] = off + i
			at[p]++
		}
	}
}

// stageBehind has what comes from others, so many elements, behind what is kept.
func (c *Irregular[T]) stageBehind(remote int) {
	if c.stage.Data = nil; !c.shared {
		c.stage.Data = c.held[c.kept():][:remote]
	}
}

// ownRun is the indices of an array of rank 1 that this PE has, one after another from the
// beginning of its memory; empty if they lie otherwise.
func (c *Irregular[T]) ownRun() dist.Triplet {
	if l := c.src.Layout; l.Rank() != 1 || !c.src.lies {
		return dist.Triplet{}
	}
	own, dim := c.src.own[0], c.src.geo.piece(c.pe.id)[0]
	if own.Step != 1 || dim.Lo != own.Lo || dim.Step != 1 {
		return dist.Triplet{}
	}
	return own
}

// simple is how many elements the memory of PE p has, if it owns all of them and they lie
// one after another: nobody puts into it. Else that is MaxInt.
func (c *Irregular[T]) simple(p int) int {
	count := 1
	for d, dim := range c.src.geo.piece(p) {
		if own := c.src.Layout.Owned(p, d); own.N != dim.N || dim.Stride != count {
			return math.MaxInt
		}
		count *= dim.N
	}
	return count
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
	if c.order != nil {
		c.pe.arrived(c.order, c.epoch)
	}
}

// Done marks the end of the value's life on this PE.
func (c *Irregular[T]) Done() {
	c.live = false
	if len(c.stage.Data) > 0 {
		c.pe.MarkLocal()
	}
	if c.order != nil {
		c.order.Over(c.epoch)
	}
}

// distinct numbers what it is given, and the same with the same number: a table of numbers
// plus one, with open addressing, at most half full.
type distinct struct {
	keys  []int // by number
	table []int32
	shift int
}

// reset forgets all, and makes room for so many keys.
func (d *distinct) reset(pe *PE, most int) {
	size := bits.Len(uint(2*most + 1))
	d.keys, d.table, d.shift = resized(pe, d.keys, most)[:0], resized(pe, d.table, 1<<size), 64-size
	clear(d.table)
}

// number is that of key, and whether it is a new one.
func (d *distinct) number(key int) (id int, first bool) {
	at := int(uint64(key) * 0x9e3779b97f4a7c15 >> d.shift)
	for d.table[at] > 0 {
		if id := int(d.table[at] - 1); d.keys[id] == key {
			return id, false
		}
		at = (at + 1) & (len(d.table) - 1)
	}
	d.keys = append(d.keys, key)
	d.table[at] = int32(len(d.keys))
	return len(d.keys) - 1, true
}
