package spmd

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Mode is how the puts of a communication are synchronised.
type Mode uint8

const (
	// Handshake: a consumer sends each producer a ready message when its slot is free, and
	// the producer waits for it before it puts.
	Handshake Mode = iota
	// Elided: no ready messages. Something else, a barrier or other messages,
	// orders each consumption before the next put into the same slot.
	Elided
)

// Comm is a communication node: it serves one reference of the source program,
// again and again. One Comm per PE; all PEs construct theirs in the same order.
//
// Each execution has an epoch, counted in the same way on every PE whether or
// not it has anything to send, and every message carries it.
//
//	c.Needs(...)  what each PE needs, once for as many executions as it stays so
//	c.Post()      the messages go
//	c.Wait()      they have come
//	c.Done()      they have been used
type Comm[T any] struct {
	node
	src *Array[T]
	dst *Temp[T] // nil: the overlap of src

	// Of a staged communication, where puts land until Wait copies them into the
	// overlap of src.
	stages []*transport.Slice[T]
	strips *strips // of one whose temporary is filled strip by strip
	view   bool    // the temporary is a view of src, see InPlace
}

// node is what does not depend on the type of the elements.
type node struct {
	pe     *PE
	site   int
	mode   Mode
	memory transport.Memory   // of the source
	bufs   []transport.Buffer // the slots: each with flags of its own
	buf    transport.Buffer   // that of the execution at hand
	epoch  uint64
	open   uint64 // pipelined executions that are not over, in check builds
	live   bool   // between Post and Done
	blocks bool   // of one that fills the overlap block by block, see NewBlocks
	plan   schedule
	with   *MessageGroup // the group that it travels in, or nil
	count  *Counts
	order  *check.Slot // of check builds
	claim  *claim      // of check builds
	// overlap is, in check builds, what the overlap holds of a staged communication.
	overlap  *check.Slot
	onDemand *onDemand // the same, for PEs from which no acknowledgement came
	posted   uint64    // the event of the acks at which this execution began
}

// NewComm makes the communication that copies elements of src to dst, or with
// dst nil into the overlap of src.
func NewComm[T any](pe *PE, site int, src *Array[T], dst *Temp[T]) *Comm[T] {
	c := &Comm[T]{node: newNode(pe, site, src.mem), src: src, dst: dst}
	if dst != nil {
		c.slots(dst.rank, dst.mems)
	} else {
		c.slots(src.Layout.Rank(), []*transport.Slice[T]{src.mem})
	}
	c.newOrder()
	pe.keep(c)
	return c
}

// NewPlanes makes the communication that copies elements of src into the overlap of
// src, of which any slots successive executions fill different elements. So the overlap
// is so many slots, which the executions fill in turn, each with flags of its own.
func NewPlanes[T any](pe *PE, site int, src *Array[T], slots int) *Comm[T] {
	c := &Comm[T]{node: newNode(pe, site, src.mem), src: src}
	memories := make([]*transport.Slice[T], slots)
	for i := range memories {
		memories[i] = src.mem
	}
	c.slots(src.Layout.Rank(), memories)
	c.newOrder()
	pe.keep(c)
	return c
}

// NewBlocks makes the pipelined communication that copies elements of src into the
// overlap of src block by block: each block is an execution, with flags of its own, and
// fills cells that are not those of other blocks of the same region, of which there are
// at most so many. Their use ends together, with the region.
func NewBlocks[T any](pe *PE, site int, src *Array[T], most int) *Comm[T] {
	c := NewPlanes(pe, site, src, most)
	c.blocks = true
	return c
}

// NewStaged makes the communication that copies elements of src into the overlap
// of src by way of stages: puts land in a stage, and Wait copies what has arrived
// from there. So a slot is free as soon as Wait returns, however long the values
// are used, and nobody else writes the overlap of a PE. There are so many slots,
// which the executions fill in turn. Everything that the communication brings
// lies, along the given axis, outside of what a PE owns; with -1 along some axis.
func NewStaged[T any](pe *PE, site int, src *Array[T], slots, axis int) *Comm[T] {
	c := &Comm[T]{node: newNode(pe, site, src.mem), src: src}
	for range slots {
		c.stages = append(c.stages, &transport.Slice[T]{Data: exchanged[T](pe, src.outside(axis))})
	}
	c.slots(src.Layout.Rank(), c.stages)
	c.plan.staged, c.plan.axis = true, axis
	c.newOrder()
	pe.keep(c)
	return c
}

func newNode(pe *PE, site int, memory transport.Memory) node {
	return node{pe: pe, site: site, memory: memory, count: pe.count(site)}
}

// slots registers the memories that puts fill in turn.
func (c *Comm[T]) slots(rank int, memories []*transport.Slice[T]) {
	c.plan = newSchedule(c.pe, c.site, &c.src.geo, rank, c.dst == nil, memories[0].ElemSize())
	for _, m := range memories {
		c.bufs = append(c.bufs, c.pe.t.Register(c.site, m))
	}
	c.buf = c.bufs[0]
}

// slotNumber is the number of the slot of the execution at hand.
func (c *node) slotNumber() int {
	if n := uint64(len(c.bufs)); n > 1 {
		return int(c.epoch % n)
	}
	return 0
}

// Sync sets the mode of the communication, the same on all PEs, and returns it.
func (c *Comm[T]) Sync(m Mode) *Comm[T] {
	c.mode = c.pe.prog.mode(m)
	return c
}

// InPlace says that nobody writes, between Post and Done, the elements of the source that
// the communication copies, which is into a temporary with the same axes, or that it is
// meant to be src itself that the temporary's user writes. So a PE that runs alone needs no
// copy: its temporary is then a view of the source. It returns c. Collective, before Start.
func (c *Comm[T]) InPlace() *Comm[T] {
	c.view = c.pe.n == 1 && c.src.unit
	return c
}

// Forward makes the producers of a communication into the overlap send, along
// the given axes (from 0), what they have in their overlap as well as what they
// own: the producer is then the PE that has the consumer's coordinate there, and
// must have received those elements, from communications that are complete at
// Post. So the corners of a stencil need no message of their own. It returns c.
func (c *Comm[T]) Forward(axes ...int) *Comm[T] {
	c.plan.forward = make([]bool, c.src.Layout.Rank())
	for _, axis := range axes {
		c.plan.forward[axis] = true
	}
	return c
}

// Needs says what is needed in the executions from the next one on: PE q needs the
// elements of the index space in need(q), and element x of it is the element of the source
// at the given subscripts; with none, x itself. Elements outside the declared bounds of
// the source are not moved.
//
// need must be the same pure function on every PE, and is not called any more when Needs
// has returned. A PE sends what it owns (see Forward for more): of the PEs that own an
// element, the one on the consumer's side of the replication does. What a PE needs of its
// own elements is copied without a message.
func (c *Comm[T]) Needs(need func(q int) Box, subs ...Sub) {
	c.plan.refresh(0, 0, need, subs, false)
}

// Within says, ahead of Needs, that all that PEs will need then lies in box. So a PE that has
// nothing there need not find out what each of them needs. It returns c.
func (c *Comm[T]) Within(box Box) *Comm[T] {
	c.plan.within = append(c.plan.within[:0], box...)
	return c
}

// NeedsAll is Needs where all PEs need the same box, which is read before it returns.
func (c *Comm[T]) NeedsAll(box Box, subs ...Sub) {
	c.plan.refresh(0, 0, func(int) Box { return box }, subs, true)
}

// NeedsFrom is Needs for a part of what a pipelined reference needs: only elements of PEs
// with smaller (dir +1) or larger (dir -1) coordinate than the consumer's along grid
// dimension g are moved.
func (c *Comm[T]) NeedsFrom(g, dir int, need func(q int) Box) {
	c.plan.refresh(g, dir, need, nil, false)
}

// Post starts an execution (the paper's C_x). All PEs take part, whatever they need.
//
// Post returns when this PE's messages are on their way, and with Handshake
// therefore after its consumers have called Post too. The data are there after
// Wait.
func (c *Comm[T]) Post() {
	c.enter()
	c.begin()
	c.settle()
	c.announce()
	c.keepOwn()
	c.send()
}

// enter starts the life of a value.
func (c *node) enter() {
	if c.live && c.pe.prog.Check {
		c.pe.internal(c.site, "communication posted while its previous value is in use")
	}
	c.live = true
}

// keepOwn copies what this PE needs of its own elements.
func (c *Comm[T]) keepOwn() {
	if c.plan.copies && !c.view {
		transport.Copy(c.dst.Data, c.src.Data, &c.plan.local.move)
	}
}

// begin starts an epoch and lays out the target.
func (c *Comm[T]) begin() {
	if c.strips != nil {
		c.awaitGets() // the gets of the execution before are over
	}
	c.epoch++
	c.count.Calls++
	at := c.slotNumber()
	c.buf = c.bufs[at]
	changed := c.plan.started()
	switch {
	case c.view:
		c.dst.View, c.dst.owner = c.src.View, nil
	case c.dst != nil:
		c.dst.Data = c.dst.mems[at].Data
		if changed || c.dst.owner != &c.plan || c.strips != nil {
			c.dst.owner = &c.plan
			c.dst.layOut(c.site, c.plan.target(&c.plan.own), c.plan.own.none)
		}
	}
	if h := c.pe.acks; h != nil {
		h.begin(c.onDemand, at, c.reused(), &c.plan)
		c.posted = h.now
	}
	if c.order != nil {
		c.ordered()
		c.foreseen(changed)
		if c.dst != nil {
			c.dst.order = c.order
		}
	}
	if c.strips != nil {
		c.posts()
	}
}

// announce sends the ready messages of this epoch.
func (c *node) announce() {
	if c.mode != Handshake && c.onDemand == nil {
		c.count.Elided += int64(len(c.plan.recvs))
		return
	}
	for i, p := range c.plan.recvs {
		if c.readyFor(i) {
			c.pe.t.Ready(c.site, c.buf, p, c.epoch)
			c.count.Ready++
		} else {
			c.count.Elided++
		}
	}
}

// send puts what this PE owes its consumers.
func (c *Comm[T]) send() {
	c.sends()
	for i := range c.plan.sends {
		c.put(i)
	}
	c.count.Data += int64(len(c.plan.sends))
}

// sends notes that this PE sends something.
func (c *node) sends() {
	if len(c.plan.sends) > 0 {
		c.pe.MarkRemote()
	}
}

// put puts message i.
func (c *Comm[T]) put(i int) {
	m := &c.plan.sends[i]
	if c.awaits(i) && c.pe.t.AwaitReady(c.site, c.buf, m.pe, c.epoch) {
		c.count.Waits++
	}
	c.count.Bytes += m.bytes
	if c.order == nil || !c.checked(m) {
		c.pe.t.Put(c.site, c.buf, m.pe, c.epoch, c.memory, &m.move)
	}
}

// settle notes what the ready messages of the execution acknowledge.
func (c *node) settle() {
	if h := c.pe.acks; h != nil {
		h.settle(c.onDemand, &c.plan)
	}
}

// Wait returns when the data of the execution have arrived (CommOver).
func (c *Comm[T]) Wait() {
	c.await(true)
	if h := c.pe.acks; h != nil {
		h.passed(&c.plan, c.posted)
	}
}

// await waits for the data, and takes them out of their stage, which it frees if
// free is set.
func (c *Comm[T]) await(free bool) {
	if t := c.with; t != nil && t.merges {
		if t.pending {
			t.wait(c.count)
		}
		if c.stages != nil && free {
			c.over()
		}
		return
	}
	for _, p := range c.plan.recvs {
		if c.pe.t.Await(c.site, c.buf, p, c.epoch) {
			c.count.Waits++
		}
	}
	if c.order != nil {
		c.pe.arrived(c.order, c.epoch)
	}
	if c.stages != nil {
		c.unpack(free)
	}
}

// unpack copies what has arrived from its stage into the overlap.
func (c *Comm[T]) unpack(free bool) {
	stage := c.stages[c.slotNumber()]
	for i := range c.plan.unpack {
		transport.Copy(c.src.Data, stage.Data, &c.plan.unpack[i])
	}
	if free {
		c.free()
	}
	if c.order != nil {
		c.overlap.Copied(c.plan.unpack)
		if c.overlap.Shared() {
			c.pe.arrived(c.overlap, c.epoch)
		} else {
			c.overlap.Arrived(c.epoch)
		}
	}
}

// unpackFrom copies a part of what has arrived from its stage into the overlap.
func (c *Comm[T]) unpackFrom(m *transport.Move) {
	transport.Copy(c.src.Data, c.stages[c.slotNumber()].Data, m)
}

// free says that what has come has been copied out of its stage.
func (c *Comm[T]) free() {
	if c.order != nil {
		c.order.Over(c.epoch)
	}
	c.over()
}

// Done marks the end of the value's life on this PE (UseOver).
func (c *Comm[T]) Done() {
	c.live = false
	c.used()
	if c.stages == nil {
		c.over()
	}
	if c.order != nil {
		c.ended()
	}
	if c.strips != nil {
		c.fetched()
	}
}

// used marks, behind the last use of a value, that this PE has used memory that
// others put into. What a barrier orders is the uses before it, each of which ends
// here, with the puts behind it: their epoch shows that these have arrived.
func (c *node) used() {
	if len(c.plan.recvs) > 0 || c.plan.copies {
		c.pe.MarkLocal()
	}
}

// PipeRecv is the first half of a pipelined communication, for a loop that
// carries a dependence across PEs: it waits for the overlap from the PEs that
// come before this one (see NeedsFrom). The first PEs of the pipeline need nothing
// and go on at once.
func (c *Comm[T]) PipeRecv() {
	c.begin()
	c.open++
	c.announce()
	c.await(false)
}

// Pipelined is a communication of type *Comm, whatever its elements are.
type Pipelined interface {
	schedule() *schedule
	pipeBegin()
	pipeSend(q int)
	pipeSent()
}

// PipeSend is the second half of the pipelined communications of a loop, after this PE's iterations: it
// puts what they computed to the PEs that come next. Check builds call Done for each of them behind it:
// what one puts may fill cells that another has filled for the same iterations.
//
// All puts to a PE come before those to PEs behind it in the pipeline. A PE sends the ready messages of a
// communication when it has the data of those before it in the list, which PEs between may have to
// send: who waited for the last PE first would keep these from doing so, and all would wait for each other.
func (pe *PE) PipeSend(comms ...Pipelined) {
	all := pe.next[:0]
	for _, c := range comms {
		c.pipeBegin()
		s := c.schedule()
		for i := range s.sends {
			q := s.sends[i].pe
			at := len(all)
			for at > 0 && pipelineOrder(comms, q, all[at-1]) < 0 {
				at--
			}
			if at == 0 || all[at-1] != q {
				all = slices.Insert(all, at, q)
			}
		}
	}
	pe.next = all
	for _, q := range all {
		for _, c := range comms {
			c.pipeSend(q)
		}
	}
	for _, c := range comms {
		c.pipeSent()
	}
}

// pipelineOrder is below 0 if PE p comes before q in the pipelines, above if behind.
func pipelineOrder(comms []Pipelined, p, q int) int {
	for _, c := range comms {
		s := c.schedule()
		grid := s.src.layout.Shape
		if by := (grid.Coord(p, s.dim) - grid.Coord(q, s.dim)) * s.dir; by != 0 {
			return by
		}
	}
	return p - q
}

func (c *Comm[T]) pipeSend(q int) {
	for i := range c.plan.sends {
		if c.plan.sends[i].pe == q {
			c.put(i)
		}
	}
}

func (c *Comm[T]) pipeBegin() {
	c.used() // Done comes in check builds only
	c.sends()
}

func (c *Comm[T]) pipeSent() {
	c.count.Data += int64(len(c.plan.sends))
	if h := c.pe.acks; h != nil {
		// What came was sent at this place of the sender's program, and is here.
		h.settle(c.onDemand, &c.plan)
		h.now++
		h.passed(&c.plan, h.now)
	}
	if c.stages != nil {
		c.free() // since it was read; said now, as each execution puts before it is over
	}
}
