package spmd

// A ready message is in vain when its producer has heard from the consumer since
// the consumer's last use of the slot, by whatever message. The two PEs of a pair
// can know that without asking: control is the same on all PEs, so each can count
// the communications that it comes by and get the same numbers as the others; and
// a message between the two is in the schedules of both. So each PE notes, for
// every other, up to which of these numbers it has heard from it, and up to which
// the other has heard from this one. What one notes as the hearer the other notes
// as the speaker, at the same place of the program.
//
// What a PE may have heard by way of a third one is not noted: the second could
// not know of it. A reduction or a barrier lets everybody hear from everybody.

// hearing is what a PE notes.
type hearing struct {
	now   uint64   // events so far, the same number on all PEs at the same place of the program
	all   uint64   // everybody has heard of everything up to this event
	heard []uint64 // by PE: of what that one did, this one has heard up to this event
	told  []uint64 // by PE: of what this one did, that one has heard up to this event
}

// unheard is how a communication leaves out the ready messages to PEs that have
// heard from this one since the use of the slot.
type unheard struct {
	over     []uint64 // by slot: the event that ended its use; inUse before that
	decided  uint64   // the event at which it was found who needs ready messages
	readies  []bool   // by message that is received: a ready message goes before it
	awaited  []bool   // by message that is sent: a ready message comes before it
	anything bool     // there is one at all
}

const inUse = ^uint64(0)

// OnDemand makes the communication send a ready message to those producers only
// that have heard nothing from this PE since it was done with the slot. All
// communications of the program then note who has heard from whom. The slots
// belong to c alone: a temporary, staging buffers or planes of an overlap. Where ElidedOn has left out all
// ready messages it changes nothing. It returns c.
func (c *Comm[T]) OnDemand() *Comm[T] {
	if c.mode == Elided {
		return c
	}
	if c.mode = c.pe.prog.mode(Elided); c.mode == Handshake {
		return c // forced: one before every put
	}
	if c.pe.hearing == nil {
		c.pe.hearing = &hearing{heard: make([]uint64, c.pe.n), told: make([]uint64, c.pe.n)}
		c.pe.keep(c.pe.hearing)
	}
	c.unheard = &unheard{over: make([]uint64, len(c.bufs))}
	return c
}

// begin is the event of a communication that is posted, and finds out for which
// messages it needs ready messages.
func (h *hearing) begin(u *unheard, slot int, reused bool, s *schedule) {
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
		need := h.told[p] < over
		u.readies = append(u.readies, need)
		u.anything = u.anything || need
	}
	for i := range s.sends {
		need := h.heard[s.sends[i].pe] < over
		u.awaited = append(u.awaited, need)
		u.anything = u.anything || need
	}
}

// settle notes what the ready messages of u tell.
func (h *hearing) settle(u *unheard, s *schedule) {
	if u == nil || !u.anything {
		return
	}
	for i, need := range u.readies {
		if p := s.recvs[i]; need {
			h.told[p] = max(h.told[p], u.decided)
		}
	}
	for i, need := range u.awaited {
		if q := s.sends[i].pe; need {
			h.heard[q] = max(h.heard[q], u.decided)
		}
	}
}

// passed notes that the messages of a schedule, which say what their senders did
// up to event at, have arrived; or, for what goes out, will have when their receivers
// come by this place.
func (h *hearing) passed(s *schedule, at uint64) {
	for _, p := range s.recvs {
		h.heard[p] = max(h.heard[p], at)
	}
	for i := range s.sends {
		q := s.sends[i].pe
		h.told[q] = max(h.told[q], at)
	}
}

// met is a reduction or a barrier.
func (h *hearing) met() {
	if h != nil {
		h.now++
		h.all = h.now
	}
}

// over notes that the use of the slot of the execution at hand has ended.
func (c *node) over() {
	if c.unheard != nil {
		c.pe.hearing.now++
		c.unheard.over[c.slotNumber()] = c.pe.hearing.now
	}
}
