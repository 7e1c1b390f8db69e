package spmd

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// MessageGroup is a set of communications that are posted at one point of the program:
// what they have for the same PE travels as one message, and so do their ready
// messages to the same PE. Each keeps its own slots, flags and epochs, so that
// what is proved about one of them does not depend on the group; and its own
// mode: a ready message carries those slots whose communications need it.
//
// A message is counted at the first communication that has a part in it.
//
// In builds without checks a message has one flag, that of its first part, and the
// first of the members that waits waits for all messages of the set: they have been
// sent at one point, and what is used behind it is what they bring. Sections of one
// overlap that together are a box travel as that box:
//
//	a(1:8,5)  a(2:9,5)  a(0:7,5)   is sent as   a(0:9,5)
//
// Check builds send the parts of each member, with a flag for each of them, so that
// what is proved of each is checked.
type MessageGroup struct {
	pe      *PE
	members []traveller
	nodes   []*node
	merges  bool
	pending bool // posted, and not waited for
	made    int  // schedules of the members when the messages were found; -1: not yet

	sends, recvs []bundle
	parts        []transport.Part // scratch
	slots        []transport.Slot // scratch
	groups       []group          // scratch
	next         []int            // scratch
	near         []int            // scratch
}

// traveller is a communication as its group sees it, whatever its element type.
type traveller interface {
	schedule() *schedule
	self() *node
	begin()
	keepOwn()
	unpackFrom(m *transport.Move)
	checked(m *transfer) (late bool)
}

// bundle is a message: the PE at the other end, and who has a part in it.
type bundle struct {
	pe    int
	parts []share
	boxes []transfer // in builds without checks, what travels; pe is the member whose slot it fills
}

// share is message number at of a member.
type share struct{ member, at int }

// group is a box that travels: elements that some members have a part in.
type group struct {
	member int // the first of them
	box    []dist.Triplet
}

func (c *node) schedule() *schedule           { return &c.plan }
func (c *node) self() *node                   { return c }
func (c *node) slot() transport.Slot          { return transport.Slot{Buffer: c.buf, Epoch: c.epoch} }
func (t *MessageGroup) first(b *bundle) *node { return t.nodes[b.parts[0].member] }

// MessageGroup makes the set of the given communications, the same on all PEs, which are
// posted by Post of the set.
func (pe *PE) MessageGroup(members ...traveller) *MessageGroup {
	t := &MessageGroup{pe: pe, members: members, merges: pe.orders == nil, made: -1}
	for _, m := range members {
		n := m.self()
		n.with = t
		n.plan.grouped = len(members) > 1
		t.nodes = append(t.nodes, n)
	}
	return t
}

// Post starts the execution of all members; for each of them it has been said what is
// needed. As for a single communication, it returns when this PE's messages are on their
// way.
func (t *MessageGroup) Post() {
	for i, m := range t.members {
		t.nodes[i].enter()
		m.begin()
		t.nodes[i].settle()
	}
	t.arrange()
	t.pending = true
	for i := range t.recvs {
		t.announce(&t.recvs[i])
	}
	for i, m := range t.members {
		if t.nodes[i].plan.copies {
			m.keepOwn()
		}
	}
	if len(t.sends) > 0 {
		t.pe.MarkRemote()
	}
	for i := range t.sends {
		t.send(&t.sends[i])
	}
}

// arrange finds out which messages there are, when that is not known.
func (t *MessageGroup) arrange() {
	made := 0
	for _, n := range t.nodes {
		made += n.plan.made
	}
	if made == t.made {
		return
	}
	t.made = made
	t.sends = t.bundles(t.sends, func(s *schedule) int { return len(s.sends) }, func(s *schedule, i int) int { return s.sends[i].pe })
	t.recvs = t.bundles(t.recvs, func(s *schedule) int { return len(s.recvs) }, func(s *schedule, i int) int { return s.recvs[i] })
	if !t.merges {
		return
	}
	for i := range t.sends {
		t.box(&t.sends[i], t.pe.id, t.sends[i].pe, true)
	}
	for i := range t.recvs {
		t.box(&t.recvs[i], t.recvs[i].pe, t.pe.id, false)
	}
}

// bundles joins the messages of the members to the same PE. All lists go round
// the PEs from this one's right neighbour on.
func (t *MessageGroup) bundles(out []bundle, count func(*schedule) int, to func(*schedule, int) int) []bundle {
	out = out[:0]
	t.next = append(t.next[:0], make([]int, len(t.nodes))...)
	next := t.next
	for {
		// The nearest of those that the members come to next.
		q, far := -1, t.pe.n
		for i, n := range t.nodes {
			if s := &n.plan; next[i] < count(s) {
				if d := (to(s, next[i]) - t.pe.id + t.pe.n) % t.pe.n; d < far {
					q, far = to(s, next[i]), d
				}
			}
		}
		if q < 0 {
			return out
		}
		if n := len(out); n < cap(out) {
			out = out[:n+1] // with what it held last time
		} else {
			out = append(out, bundle{})
		}
		b := &out[len(out)-1]
		b.pe, b.parts, b.boxes = q, b.parts[:0], b.boxes[:0]
		for i, n := range t.nodes {
			if s := &n.plan; next[i] < count(s) && to(s, next[i]) == q {
				b.parts = append(b.parts, share{i, next[i]})
				next[i]++
			}
		}
	}
}

// grouped finds, in t.groups, the boxes that travel from PE p to PE q.
func (t *MessageGroup) grouped(p, q int) {
	t.groups = t.groups[:0]
	for i, n := range t.nodes {
		s := &n.plan
		if !s.section(p, q) {
			continue
		}
		if !t.joins(i) {
			if n := len(t.groups); n < cap(t.groups) {
				t.groups = t.groups[:n+1]
			} else {
				t.groups = append(t.groups, group{})
			}
			g := &t.groups[len(t.groups)-1]
			g.member, g.box = i, append(g.box[:0], s.sect...)
		}
	}
}

// joins lets the section that member i has found be part of a box that it makes a larger
// box with, if there is one.
func (t *MessageGroup) joins(i int) bool {
	s := &t.nodes[i].plan
	if !s.shadow {
		return false
	}
	for k := range t.groups {
		g := &t.groups[k]
		first := t.nodes[g.member]
		if first.memory == t.nodes[i].memory && first.plan.shadow && first.plan.staged == s.staged && first.plan.axis == s.axis && dist.Join(g.box, s.sect) {
			return true
		}
	}
	return false
}

// box describes what travels in message b from p to q: how it is put, or how it is
// unpacked from the stage that it is put to.
func (t *MessageGroup) box(b *bundle, p, q int, put bool) {
	t.grouped(p, q)
	for len(b.boxes) < len(t.groups) {
		b.boxes = append(b.boxes, transfer{})
	}
	for k := range t.groups {
		x, g := &b.boxes[k], &t.groups[k]
		x.pe = g.member
		s := &t.nodes[g.member].plan
		copy(s.sect, g.box)
		switch {
		case put && !s.shadow:
			*x = s.sends[b.part(g.member)]
			x.pe = g.member
		case put:
			s.fill(x, p, q, 0, nil)
		case s.staged:
			s.unstage(&x.move, 0)
		}
	}
	for k := range b.boxes {
		if s := &t.nodes[b.boxes[k].pe].plan; s.staged {
			base := t.before(p, q, b.boxes[k].pe)
			if put {
				b.boxes[k].move.Dst += base
			} else {
				b.boxes[k].move.Src += base
			}
		}
	}
}

// part is the number of the message of a member.
func (b *bundle) part(member int) int {
	for _, s := range b.parts {
		if s.member == member {
			return s.at
		}
	}
	panic("a member has no part in the message")
}

// before is where, in the stage of a member on PE q, the part of PE p begins, in the order
// of the numbers of PEs.
func (t *MessageGroup) before(p, q, member int) int {
	t.near = t.near[:0]
	for _, n := range t.nodes {
		if s := &n.plan; s.staged {
			if box, known := s.needOf(q); known {
				t.near = s.producers(t.near, q, s.wanted(box))
			}
		}
	}
	slices.Sort(t.near)
	t.near = slices.Compact(t.near)
	at := 0
	for _, o := range t.near {
		if o >= p {
			break
		}
		if o == q {
			continue
		}
		t.grouped(o, q)
		for k := range t.groups {
			if g := &t.groups[k]; g.member == member {
				count := 1
				for _, x := range g.box {
					count *= x.N
				}
				at += count
			}
		}
	}
	return at
}

// announce sends the ready message for the slots that one producer fills.
func (t *MessageGroup) announce(b *bundle) {
	t.slots = t.slots[:0]
	for _, s := range b.parts {
		n := t.nodes[s.member]
		if !n.readyFor(s.at) {
			continue
		}
		if len(t.slots) == 0 {
			n.count.Ready++
		}
		t.slots = append(t.slots, n.slot())
	}
	if len(t.slots) == 0 {
		t.first(b).count.Elided++
		return
	}
	t.pe.t.ReadyAll(t.first(b).site, b.pe, t.slots)
}

// send puts what one consumer gets, when all its slots are free.
func (t *MessageGroup) send(b *bundle) {
	t.parts = t.parts[:0]
	for _, s := range b.parts {
		n := t.nodes[s.member]
		if n.awaits(s.at) && t.pe.t.AwaitReady(n.site, n.buf, b.pe, n.epoch) {
			n.count.Waits++
		}
		if !t.merges {
			x := &n.plan.sends[s.at]
			t.parts = append(t.parts, transport.Part{Slot: n.slot(), Src: n.memory, Move: &x.move})
			n.count.Bytes += x.bytes
		}
	}
	for i := range b.boxes {
		x := &b.boxes[i]
		n := t.nodes[x.pe]
		t.parts = append(t.parts, transport.Part{Slot: n.slot(), Src: n.memory, Move: &x.move, NoFlag: i > 0})
		n.count.Bytes += x.bytes
	}
	t.first(b).count.Data++
	if t.pe.orders != nil && t.check(b) {
		return
	}
	t.pe.t.PutAll(t.first(b).site, b.pe, t.parts)
}

// check is send in check builds: it checks each part of a message that is about to
// be put. It reports whether all of them go late, on their own.
func (t *MessageGroup) check(b *bundle) bool {
	kept := t.parts[:0]
	for i, s := range b.parts {
		if !t.members[s.member].checked(&t.nodes[s.member].plan.sends[s.at]) {
			kept = append(kept, t.parts[i])
		}
	}
	t.parts = kept
	return len(kept) == 0
}

// wait waits for all messages of the set, and unpacks what is in stages.
func (t *MessageGroup) wait(count *Counts) {
	t.pending = false
	t.arrange()
	for i := range t.recvs {
		b := &t.recvs[i]
		if n := t.first(b); t.pe.t.Await(n.site, n.buf, b.pe, n.epoch) {
			count.Waits++
		}
		for k := range b.boxes {
			if x := &b.boxes[k]; t.nodes[x.pe].plan.staged {
				t.members[x.pe].unpackFrom(&x.move)
			}
		}
	}
}
