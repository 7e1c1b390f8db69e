package spmd

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// A temporary that is used by a loop, some elements in each iteration, need not hold
// all that the loop uses: it is filled strip by strip, with what some iterations need.
// Owners put what the first strip of each PE needs; the message, which may have no
// elements, also tells that they have come to Post, so that the PE may get from their
// memory what it needs later, without any further message:
//
//	Post   owner:  put the first strip   ────►   Wait
//	                                             Fetch(0)   nothing
//	       memory  ◄──── get ────                Fetch(1)
//	       memory  ◄──── get ────                Fetch(2)
//	Settle ◄──── done (where there are any) ────    Done
//	overwrite the elements
//
// A get is a use of the owner's memory: who owns the elements may not overwrite them
// before it knows that everybody who gets some is done. That follows from messages
// that there are anyway, or each PE sends the owners a completion acknowledgement at Done.

// stripping is the part of a schedule that knows of strips.
type stripping struct {
	need func(q, strip int) Box // what PE q needs in a strip, from 0; of all if strip is negative
}

// strips is the part of a communication that knows of strips.
type strips struct {
	source    transport.Buffer // the memory of the source
	completes bool             // Done sends completion acknowledgements
	read      *check.Source    // of check builds

	fetches []fetch // by number of the strip less 1, the first keptFetches
	other   fetch   // that of another strip, the last one that was got

	users []int  // who gets elements of this PE in the execution at hand, or has
	epoch uint64 // the execution
}

// keptFetches is of how many strips of a communication it is kept what they get from
// where: strips are to save memory, and a small one takes less than its description.
const keptFetches = 64

// fetch is what one strip gets from where.
type fetch struct {
	made int            // schedules built when it was made
	need []dist.Triplet // for which it was made
	box  []dist.Triplet // need, less what lies outside the array
	gets []transfer     // pe is the owner, this one included
}

// InStrips makes the communication fill its temporary strip by strip: NeedsStrips
// takes the place of Needs, and Fetch comes before each strip.
// It returns c. Collective, before Start.
func (c *Comm[T]) InStrips() *Comm[T] {
	c.view = false
	c.plan.strips = &stripping{}
	c.strips = &strips{source: c.pe.t.Register(c.site, c.src.mem)}
	if o := c.pe.orders; o != nil {
		c.strips.read = o.Source(c.order, c.strips.source, "the elements of "+c.src.Name+" that others get")
	}
	return c
}

// Completing makes each PE acknowledge to the owners of the elements that it may get, at Done, that
// it is done with them. It returns c.
func (c *Comm[T]) Completing() *Comm[T] {
	c.strips.completes = true
	return c
}

// NeedsStrips is Needs: PE q needs the elements need(q, k) in strip number k, from 0, none
// behind its last one, and need(q, -1) in all strips together. need is called until the
// next call.
func (c *Comm[T]) NeedsStrips(need func(q, strip int) Box, subs ...Sub) {
	c.plan.strips.need = need
	c.Needs(func(q int) Box { return need(q, -1) }, subs...)
}

// posts notes who gets elements of this PE in the execution at hand.
func (c *Comm[T]) posts() {
	x := c.strips
	x.users, x.epoch = x.users[:0], c.epoch
	for i := range c.plan.sends {
		if q := c.plan.sends[i].pe; c.plan.theirs[i].more {
			x.users = append(x.users, q)
		}
	}
	if x.read != nil {
		x.read.Begin(x.users)
	}
}

// Fetch fills the temporary with what this PE needs in a strip, which for the first
// one Post and Wait have done. It waits for nobody.
func (c *Comm[T]) Fetch(strip int) {
	if strip == 0 {
		return
	}
	x := c.strips
	need := c.plan.strips.need(c.pe.id, strip)
	if need == nil || emptyBox(need) {
		return // nothing is read
	}
	f := x.fetch(strip)
	if f.made != c.plan.made || !slices.Equal(f.need, need) {
		c.plan.plan(f, need)
	}
	c.dst.layOut(c.site, f.box, false)
	for i := range f.gets {
		g := &f.gets[i]
		if g.pe == c.pe.id {
			transport.Copy(c.dst.Data, c.src.Data, &g.move)
			continue
		}
		c.pe.MarkRemote()
		c.pe.t.Get(c.site, x.source, g.pe, c.dst.mems[c.slotNumber()], &g.move)
		c.count.Data++
		c.count.Bytes += g.bytes
	}
	if c.order != nil {
		moves := make([]transport.Move, 0, len(f.gets))
		for i := range f.gets {
			if f.gets[i].pe != c.pe.id {
				moves = append(moves, f.gets[i].move)
				x.read.Got(f.gets[i].pe)
			}
		}
		c.order.Refilled(moves)
	}
}

// fetch is where the description of what a strip gets is kept, or takes the place of
// that of another one.
func (x *strips) fetch(strip int) *fetch {
	if strip > keptFetches {
		return &x.other
	}
	for len(x.fetches) < strip {
		x.fetches = append(x.fetches, fetch{})
	}
	return &x.fetches[strip-1]
}

// plan describes the gets of a strip in which this PE needs some elements.
func (s *schedule) plan(f *fetch, need Box) {
	f.made, f.gets = s.made, f.gets[:0]
	f.need, f.box = append(f.need[:0], need...), append(f.box[:0], need...)
	s.clipped(f.box, f.need)
	for p := range s.np {
		if s.sectionOf(p, s.self, f.box) {
			f.gets = append(f.gets, transfer{pe: p})
			s.fill(&f.gets[len(f.gets)-1], p, s.self, 0, f.box)
		}
	}
}

// fetched is the end of the gets of an execution on this PE.
func (c *Comm[T]) fetched() {
	x := c.strips
	if x.read != nil {
		x.read.Over()
	}
	if !x.completes || !c.plan.own.more {
		return
	}
	for _, p := range c.plan.recvs {
		c.pe.t.Ready(c.site, x.source, p, c.epoch)
		c.count.Ready++
	}
}

// Settle comes before the elements that others get may be overwritten: it returns
// when this PE knows that they are done, which only takes a wait where they send a completion acknowledgement.
// Where they do not, other messages have acknowledged it. line is that of the source which
// overwrites them.
func (c *Comm[T]) Settle(line int) {
	c.awaitGets()
	if c.strips.read != nil {
		if v := c.strips.read.Overwrite(line); v != nil {
			c.pe.t.Abort(v)
		}
	}
}

// awaitGets is the part of Settle that waits.
func (c *Comm[T]) awaitGets() {
	x := c.strips
	if !x.completes {
		return
	}
	for _, q := range x.users {
		if c.pe.t.AwaitReady(c.site, x.source, q, x.epoch) {
			c.count.Waits++
		}
	}
	x.users = x.users[:0]
}
