package spmd

import (
	"fmt"
	"time"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// holdLimit is how long a PE stops at most where it is told to (see
// check.Holds), and how late a message is (see check.Lates); it ends earlier
// when no other PE can move.
const holdLimit = 2 * time.Second

// orders is what a PE of a check build knows of the order of puts and uses.
type orders struct {
	slots *check.Slots
	first map[transport.Memory]*check.Slot // by memory, the first slot in it
	holds *check.Holds
	lates *check.Lates
	stops int // random ones so far
}

// order makes the slot of a communication whose puts fill a memory; nil in
// builds without checks. Communications into one memory are checked against
// each other. reads is as in check.Slots.Slot.
func (pe *PE) order(site int, m transport.Memory, name string, reads check.Reads) *check.Slot {
	if pe.orders == nil {
		return nil
	}
	s := pe.orders.slots.Slot(site, name, reads)
	if first := pe.orders.first[m]; first != nil {
		s.Join(first)
	} else {
		pe.orders.first[m] = s
	}
	return s
}

// arrived records CO, and stops the PE if it is to be held there.
func (pe *PE) arrived(s *check.Slot, epoch uint64) {
	s.Arrived(epoch)
	o := pe.orders
	if o.holds.Empty() || !o.holds.Here(pe.id, s.Site, epoch, &o.stops) {
		return
	}
	if slow, ok := pe.t.(transport.Slow); ok {
		slow.Stall(holdLimit)
	} else {
		time.Sleep(holdLimit)
	}
}

// mayPut checks a put into cells of PE q before it is made.
func (pe *PE) mayPut(s *check.Slot, epoch uint64, q int, cells []dist.Triplet) {
	v := s.Put(epoch, q, cells)
	if v == nil {
		return
	}
	e := pe.errorAt(s.Site, fmt.Sprintf("put of %s to PE %d in epoch %d comes too early: PE %d ", pe.call(s.Site), q, epoch, q))
	switch {
	case v.Flag:
		e.Msg += fmt.Sprintf("has not yet seen that epoch %d arrived", v.UseEpoch)
	case v.Use == v.Put:
		e.Msg += fmt.Sprintf("is not done with epoch %d in %s", v.UseEpoch, s.Memory)
	default:
		e.Msg += fmt.Sprintf("is not done with epoch %d of %s in %s", v.UseEpoch, pe.call(v.Use.Site), s.Memory)
	}
	e.Hint = fmt.Sprintf("nothing makes PE %d wait for that: the plan lacks a ready message of #%d", pe.id, s.Site+1)
	pe.t.Abort(e)
}

// call names a communication in messages: #2 shift a(i-1) in line 14.
func (pe *PE) call(site int) string {
	if site < 0 || site >= len(pe.prog.Sites) {
		return "a communication"
	}
	s := pe.prog.Sites[site]
	return fmt.Sprintf("#%d %s %s (line %d)", site+1, s.Kind, s.Ref, s.Line)
}

// newOrder is the slot of c.
func (c *Comm[T]) newOrder(target transport.Memory) *check.Slot {
	if c.dst != nil {
		return c.pe.order(c.site, target, "the temporary", nil)
	}
	return c.pe.order(c.site, target, "the overlap of "+c.src.Name, c.plan.reads)
}

// ordered records what all PEs use of this epoch.
func (c *Comm[T]) ordered() {
	rank := c.plan.rank
	for q := range c.plan.np {
		if box := c.plan.wanted[q*rank : (q+1)*rank]; q != c.pe.id && !c.plan.none[q] && !emptyBox(box) {
			c.order.Need(c.epoch, q, box)
		}
	}
}

// checked is what check builds do about a message when it is to be put. It reports
// whether the message goes late, so that nothing is left to do.
func (c *Comm[T]) checked(m *transfer) (late bool) {
	c.pe.mayPut(c.order, c.epoch, m.pe, m.cells)
	return c.late(m)
}

// late puts so that the message arrives late, if it is told to.
func (c *Comm[T]) late(m *transfer) bool {
	slow, ok := c.pe.t.(transport.Slow)
	if !ok || !c.pe.orders.lates.Here(c.pe.id, c.site, c.epoch) {
		return false
	}
	// The source may change before the message arrives: it takes a copy.
	pack, put := m.move, m.move
	pack.Dst, put.Src = 0, 0
	count := 1
	for d := range m.move.Rank {
		pack.DstStride[d], put.SrcStride[d] = count, count
		count *= m.move.N[d]
	}
	data := &transport.Slice[T]{Data: make([]T, count)}
	data.CopyFrom(c.src.mem, &pack)
	slow.PutLate(c.site, c.buf, m.pe, c.epoch, data, &put, holdLimit)
	return true
}

func emptyBox(box []dist.Triplet) bool {
	for _, t := range box {
		if t.Empty() {
			return true
		}
	}
	return false
}

// reads reports whether q, when it needs box, is sent some of the given cells of
// its overlap. s is the schedule of the communication that sends them, which has
// no subscripts.
func (s *schedule) reads(q int, box, cells []dist.Triplet) bool {
	some := make([]dist.Triplet, s.rank)
	for d := range some {
		some[d] = box[d].Intersect(cells[d])
	}
	if emptyBox(some) {
		return false
	}
	for p := range s.np {
		if p != q && s.sectionOf(p, q, some) {
			return true
		}
	}
	return false
}
