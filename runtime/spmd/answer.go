package spmd

import "slices"

// A plan may leave out the ready messages between those PEs only that are sure to
// hear from each other otherwise: where every one of some other communications
// goes from the consumer to the producer. Which pairs these are depends on the
// number of PEs and on the sizes of blocks. Both PEs of a pair compute it from the
// schedules that they have, so that they agree without a message.

// answers is which messages of a communication need no ready message. It is valid
// for the schedules that it was made of.
type answers struct {
	by       []traveller
	made     int    // schedules built when it was made
	from, to []bool // by PE: messages from it, to it
}

// AcknowledgedBy makes the communication leave out its ready messages where each of
// others goes the other way; c may be one of them. The others are executed between
// the use of a slot and the put that fills it again, and their messages are the
// same each time. It returns c.
func (c *Comm[T]) AcknowledgedBy(others ...traveller) *Comm[T] {
	if c.mode = c.pe.prog.mode(Elided); c.mode == Elided {
		c.answered = &answers{by: others, from: make([]bool, c.pe.n), to: make([]bool, c.pe.n)}
	}
	return c
}

// refresh finds out which PEs the others go to and come from.
func (a *answers) refresh() {
	made := 1
	for _, o := range a.by {
		made += o.schedule().made
	}
	if made == a.made {
		return
	}
	a.made = made
	for q := range a.from {
		a.from[q], a.to[q] = true, true
	}
	for _, o := range a.by {
		s := o.schedule()
		sends, receives := make([]bool, len(a.to)), make([]bool, len(a.to))
		for i := range s.sends {
			sends[s.sends[i].pe] = true
		}
		for _, p := range s.recvs {
			receives[p] = true
		}
		for q := range a.from {
			a.from[q] = a.from[q] && sends[q]
			a.to[q] = a.to[q] && receives[q]
		}
	}
}

// readyFor reports whether this PE tells the producer of message at, of those that
// it receives, that it may put.
func (c *node) readyFor(at int) bool {
	switch {
	case c.mode == Handshake:
		return true
	case c.unheard != nil:
		return c.unheard.anything && c.unheard.readies[at]
	}
	return c.answered != nil && c.reused() && !c.answered.from[c.plan.recvs[at]]
}

// awaits reports whether this PE waits until the consumer of message at, of those
// that it sends, tells that it may put.
func (c *node) awaits(at int) bool {
	switch {
	case c.mode == Handshake:
		return true
	case c.unheard != nil:
		return c.unheard.anything && c.unheard.awaited[at]
	}
	return c.answered != nil && c.reused() && !c.answered.to[c.plan.sends[at].pe]
}

// reused reports whether the slot of this execution may have been filled before.
func (c *node) reused() bool { return c.blocks || c.epoch > uint64(len(c.bufs)) }

// ElidedOn makes the communication leave out all its ready messages where the number
// of PEs is one of the given: there, and maybe on no other number, other messages
// order each consumption before the next put into the same slot. It returns c.
func (c *Comm[T]) ElidedOn(pes ...int) *Comm[T] {
	if slices.Contains(pes, c.pe.n) {
		if c.mode = c.pe.prog.mode(Elided); c.mode == Elided {
			c.answered, c.unheard = nil, nil
		}
	}
	return c
}
