package spmd

import (
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
	*check.Monitor
	first map[transport.Memory]*check.Slot // by memory, the first slot in it
	holds *check.Holds
	lates *check.Lates
	stops int // random ones so far
	held  int // all
}

// order makes the slot of a communication whose puts fill a memory, the target of
// buffers, one for each instance of the memory; nil in builds without checks. Without
// buffers it is one that its PE fills itself. Communications into one memory are
// checked against each other. reads is as in check.Monitor.Slot.
func (pe *PE) order(site int, buffers []transport.Buffer, m transport.Memory, name string, reads check.Reads) *check.Slot {
	o := pe.orders
	if o == nil {
		return nil
	}
	s := o.Slot(site, name, max(1, len(buffers)), reads)
	if buffers == nil {
		s.Local()
	}
	o.Bind(s, buffers...)
	if first := o.first[m]; first != nil {
		s.Join(first)
	} else {
		o.first[m] = s
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
	o.held++
	o.Stall(holdLimit)
}

// mayPut checks a put into cells of PE q before it is made.
func (pe *PE) mayPut(s *check.Slot, epoch uint64, q int, cells []dist.Triplet) {
	if v := s.Put(epoch, q, cells); v != nil {
		pe.t.Abort(v)
	}
}

// newOrder makes the slot of c in check builds: of what its puts fill, and of the
// overlap if that is filled from a stage, since puts of others may go there.
func (c *Comm[T]) newOrder() {
	if c.pe.orders == nil {
		return // before anything is allocated
	}
	overlap := "the overlap of " + c.src.Name
	switch {
	case c.dst != nil:
		c.order = c.pe.order(c.site, c.bufs, c.dst.mems[0], "the temporary", nil)
	case c.stages != nil:
		c.order = c.pe.order(c.site, c.bufs, c.stages[0], "the stage for "+c.src.Name, nil)
		c.overlap = c.pe.order(c.site, nil, c.src.mem, overlap, c.plan.reads)
	default:
		c.order = c.pe.order(c.site, c.bufs, c.src.mem, overlap, c.plan.reads)
	}
}

// ordered records what all PEs use of this epoch.
func (c *node) ordered() {
	c.order.Begin(c.epoch)
	if c.overlap != nil {
		c.overlap.Begin(c.epoch)
	}
	for q := range c.plan.np {
		box, known := c.plan.needOf(q)
		if !known {
			continue
		}
		if box = c.plan.wanted(box); emptyBox(box) {
			continue
		} else if q == c.pe.id {
			c.order.Uses()
		} else {
			c.order.Need(c.epoch, q, box)
			if c.overlap != nil {
				c.overlap.Need(c.epoch, q, box)
			}
		}
	}
}

// ended records UO of the execution at hand, or of all blocks of a region.
func (c *node) ended() {
	slot := c.order
	if c.overlap != nil {
		slot = c.overlap
	}
	for n := max(1, c.open); n > 0; n-- {
		slot.Over(c.epoch - n + 1)
	}
	c.open = 0
}

// checked is what check builds do about a message when it is to be put. It reports
// whether the message goes late, so that nothing is left to do.
func (c *Comm[T]) checked(m *transfer) (late bool) {
	c.pe.mayPut(c.order, c.epoch, m.pe, m.cells)
	return c.late(m)
}

// late puts so that the message arrives late, if it is told to.
func (c *Comm[T]) late(m *transfer) bool {
	o := c.pe.orders
	if !o.lates.Here(c.pe.id, c.site, c.epoch) {
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
	return o.PutLate(c.site, c.buf, m.pe, c.epoch, data, &put, holdLimit)
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

// Loop says, in check builds, that the PE starts the iteration with the given
// index of a loop that all PEs execute; depth counts such loops from the
// outermost, 0. Every message is checked to come from the same iteration as the
// one that takes it.
func (pe *PE) Loop(depth, index int) {
	if pe.orders != nil {
		pe.orders.Monitor.Loop(depth, index)
	}
}

// Turn is Loop for a DO WHILE, whose iterations are counted.
func (pe *PE) Turn(depth int) {
	if pe.orders != nil {
		pe.orders.Monitor.Turn(depth)
	}
}

// Leave says, in check builds, that the PE is behind the loop at a depth.
func (pe *PE) Leave(depth int) {
	if pe.orders != nil {
		pe.orders.Monitor.Leave(depth)
	}
}
