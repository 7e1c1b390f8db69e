package spmd

// A ready message is redundant when the producer has received any message that the
// consumer sent after its last use of the slot: that message has carried the
// acknowledgement. Both PEs of a pair can decide this locally: control is the same on
// all PEs, so each can count the communications that it comes by and get the same
// numbers as the others; and a message between the two is in the schedules of both. So
// each PE keeps, for every other, up to which of these numbers it has an acknowledgement
// of that PE, and up to which that PE has one of this PE. The two entries of a pair are
// the same at the same place of the program.
//
// An acknowledgement by way of a third PE is not kept: the second could not know of it. A
// reduction or a barrier acknowledges everything to everybody.

// acks is what a PE keeps.
type acks struct {
	now      uint64   // events so far, the same number on all PEs at the same place of the program
	all      uint64   // everybody has an acknowledgement of everything up to this event
	received []uint64 // by PE: this one has an acknowledgement of what that one did up to this event
	sent     []uint64 // by PE: that one has an acknowledgement of what this one did up to this event
}

// onDemand is how a communication leaves out the ready messages to PEs that have
// an acknowledgement of the use of the slot.
type onDemand struct {
	over     []uint64 // by slot: the event that ended its use; inUse before that
	decided  uint64   // the event at which it was found who needs ready messages
	readies  []bool   // by message that is received: a ready message goes before it
	awaited  []bool   // by message that is sent: a ready message comes before it
	anything bool     // there is one at all
}

const inUse = ^uint64(0)

// OnDemand makes the communication send a ready message to those producers only
// that this PE has sent nothing since it was done with the slot. All
// communications of the program then keep acknowledgements. The slots
// belong to c alone: a temporary, staging buffers or planes of an overlap. Where ElidedOn has left out all
// ready messages it changes nothing. It returns c.
func (c *Comm[T]) OnDemand() *Comm[T] {
	if c.mode == Elided {
		return c
	}
	if c.mode = c.pe.prog.mode(Elided); c.mode == Handshake {
		return c // forced: one before every put
	}
	if c.pe.acks == nil {
		c.pe.acks = &acks{received: make([]uint64, c.pe.n), sent: make([]uint64, c.pe.n)}
		c.pe.keep(c.pe.acks)
	}
	c.onDemand = &onDemand{over: make([]uint64, len(c.bufs))}
	return c
}

// begin is the event of a communication that is posted, and finds out for which
// messages it needs ready messages.
func (h *acks) begin(u *onDemand, slot int, reused bool, s *schedule) {
	h.now++
	if u == nil {
		return
	}
	u.decided, u.anything = h.now, false
	u.readies, u.awaited = u.readies[:0], u.awaited[:0]
	over := u.over[slot]
	u.over[slot] = inUse
	if !reused || h.all >= over {
		return
	}
	for _, p := range s.recvs {
		need := h.sent[p] < over
		u.readies = append(u.readies, need)
		u.anything = u.anything || need
	}
	for i := range s.sends {
		need := h.received[s.sends[i].pe] < over
		u.awaited = append(u.awaited, need)
		u.anything = u.anything || need
	}
}

// settle notes what the ready messages of u acknowledge.
func (h *acks) settle(u *onDemand, s *schedule) {
	if u == nil || !u.anything {
		return
	}
	for i, need := range u.readies {
		if p := s.recvs[i]; need {
			h.sent[p] = max(h.sent[p], u.decided)
		}
	}
	for i, need := range u.awaited {
		if q := s.sends[i].pe; need {
			h.received[q] = max(h.received[q], u.decided)
		}
	}
}

// passed notes that the messages of a schedule, which say what their senders did
// up to event at, have arrived; or, for what goes out, will have when their receivers
// come by this place.
func (h *acks) passed(s *schedule, at uint64) {
	for _, p := range s.recvs {
		h.received[p] = max(h.received[p], at)
	}
	for i := range s.sends {
		q := s.sends[i].pe
		h.sent[q] = max(h.sent[q], at)
	}
}

// met is a reduction or a barrier.
func (h *acks) met() {
	if h != nil {
		h.now++
		h.all = h.now
	}
}

// over notes that the use of the slot of the execution at hand has ended.
func (c *node) over() {
	if c.onDemand != nil {
		c.pe.acks.now++
		c.onDemand.over[c.slotNumber()] = c.pe.acks.now
	}
}
