package spmd

import "github.com/spmdc/spmdc/runtime/transport"

// Together is a set of communications that are posted at one point of the program:
// what they have for the same PE travels as one message, and so do their ready
// messages to the same PE. Each keeps its own slots, flags and epochs, so that
// what is proved about one of them does not depend on the company; and its own
// mode: a ready message carries those slots whose communications need it.
//
// A message is counted at the first communication that has a part in it.
type Together struct {
	pe      *PE
	members []traveller
	stale   bool // some member's messages are others than last time

	sends, recvs []bundle
	parts        []transport.Part // scratch
	slots        []transport.Slot // scratch
	next         []int            // scratch
}

// traveller is a communication as its company sees it, whatever its element type.
type traveller interface {
	schedule() *schedule
	readyFor(at int) bool
	awaits(at int) bool
	counts() *Counts
	slot() transport.Slot
	memory() transport.Memory
	keepOwn()
	join(t *Together)
	checked(m *transfer) (late bool)
}

// bundle is a message: the PE at the other end, and who has a part in it.
type bundle struct {
	pe    int
	parts []share
}

// share is message number at of a member.
type share struct{ member, at int }

func (c *Comm[T]) schedule() *schedule      { return &c.plan }
func (c *Comm[T]) counts() *Counts          { return c.count }
func (c *Comm[T]) slot() transport.Slot     { return transport.Slot{Buffer: c.buf, Epoch: c.epoch} }
func (c *Comm[T]) memory() transport.Memory { return c.src.mem }
func (c *Comm[T]) join(t *Together)         { c.with = t }

// Together makes the set of the given communications, the same on all PEs.
// Each of them is then started by Stage, in any order, and all by Post.
func (pe *PE) Together(members ...traveller) *Together {
	t := &Together{pe: pe, members: members, stale: true}
	for _, m := range members {
		m.join(t)
	}
	return t
}

// Stage is the part of Post that sends nothing: it says what each PE needs this
// time. Post of the set sends.
func (c *Comm[T]) Stage(need func(q int) Box, subs ...Sub) {
	c.enter()
	if c.begin(0, 0, need, subs) {
		c.with.stale = true
	}
	c.settle()
}

// Post starts the execution of all members; each of them has been staged. As for a
// single communication, it returns when this PE's messages are on their way.
func (t *Together) Post() {
	if t.stale {
		t.sends = t.bundles(t.sends, func(s *schedule) int { return len(s.sends) }, func(s *schedule, i int) int { return s.sends[i].pe })
		t.recvs = t.bundles(t.recvs, func(s *schedule) int { return len(s.recvs) }, func(s *schedule, i int) int { return s.recvs[i] })
		t.stale = false
	}
	for i := range t.recvs {
		t.announce(&t.recvs[i])
	}
	for _, m := range t.members {
		m.keepOwn()
	}
	if len(t.sends) > 0 {
		t.pe.MarkRemote()
	}
	for i := range t.sends {
		t.send(&t.sends[i])
	}
}

// bundles joins the messages of the members to the same PE. All lists go round
// the PEs from this one's right neighbour on.
func (t *Together) bundles(out []bundle, count func(*schedule) int, to func(*schedule, int) int) []bundle {
	out = out[:0]
	t.next = append(t.next[:0], make([]int, len(t.members))...)
	next := t.next
	for k := 1; k < t.pe.n; k++ {
		q := (t.pe.id + k) % t.pe.n
		var parts []share
		if n := len(out); n < cap(out) {
			parts = out[:n+1][n].parts[:0] // what it held last time
		}
		for i, m := range t.members {
			if s := m.schedule(); next[i] < count(s) && to(s, next[i]) == q {
				parts = append(parts, share{i, next[i]})
				next[i]++
			}
		}
		if len(parts) > 0 {
			out = append(out, bundle{q, parts})
		}
	}
	return out
}

// announce sends the ready message for the slots that one producer fills.
func (t *Together) announce(b *bundle) {
	t.slots = t.slots[:0]
	for _, s := range b.parts {
		m := t.members[s.member]
		if !m.readyFor(s.at) {
			continue
		}
		if len(t.slots) == 0 {
			m.counts().Ready++
		}
		t.slots = append(t.slots, m.slot())
	}
	if len(t.slots) > 0 {
		t.pe.t.ReadyAll(t.site(b), b.pe, t.slots)
	}
}

// send puts what one consumer gets, when all its slots are free.
func (t *Together) send(b *bundle) {
	t.parts = t.parts[:0]
	for _, s := range b.parts {
		m := t.members[s.member]
		slot, plan := m.slot(), m.schedule()
		if m.awaits(s.at) && t.pe.t.AwaitReady(plan.site, slot.Buffer, b.pe, slot.Epoch) {
			m.counts().Waits++
		}
		x := &plan.sends[s.at]
		t.parts = append(t.parts, transport.Part{Slot: slot, Src: m.memory(), Move: &x.move})
		m.counts().Bytes += x.bytes
	}
	t.members[b.parts[0].member].counts().Data++
	if t.pe.orders != nil && t.check(b) {
		return
	}
	t.pe.t.PutAll(t.site(b), b.pe, t.parts)
}

// check is send in check builds: it checks each part of a message that is about to
// be put. It reports whether all of them go late, on their own.
func (t *Together) check(b *bundle) bool {
	kept := t.parts[:0]
	for i, s := range b.parts {
		m := t.members[s.member]
		if !m.checked(&m.schedule().sends[s.at]) {
			kept = append(kept, t.parts[i])
		}
	}
	t.parts = kept
	return len(kept) == 0
}

// site is where a message is said to come from.
func (t *Together) site(b *bundle) int { return t.members[b.parts[0].member].schedule().site }
