package spmd

import "slices"

// readyFor reports whether this PE sends a ready message to the producer of message at, of
// those that it receives.
func (c *node) readyFor(at int) bool {
	return c.mode == Handshake || c.onDemand != nil && c.onDemand.anything && c.onDemand.readies[at]
}

// awaits reports whether this PE waits for a ready message from the consumer of message at,
// of those that it sends.
func (c *node) awaits(at int) bool {
	return c.mode == Handshake || c.onDemand != nil && c.onDemand.anything && c.onDemand.awaited[at]
}

// reused reports whether the slot of this execution may have been filled before.
func (c *node) reused() bool { return c.blocks || c.epoch > uint64(len(c.bufs)) }

// ElidedOn makes the communication leave out all its ready messages where the number
// of PEs is one of the given: there, and maybe on no other number, other messages
// order each consumption before the next put into the same slot. It returns c.
func (c *Comm[T]) ElidedOn(pes ...int) *Comm[T] {
	if slices.Contains(pes, c.pe.n) {
		if c.mode = c.pe.prog.mode(Elided); c.mode == Elided {
			c.onDemand = nil
		}
	}
	return c
}
