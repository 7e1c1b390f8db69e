// Package clocks states what messages and collective operations make known in an
// execution: vector clocks, of the events of PEs. The simulation of a plan, the replay of a
// recorded run and the executions of the tests all follow them with it.
//
// In
//
//	PE 0              PE 1
//	event 1           event 1
//	  sends  ────────►  receives
//	event 2           event 2
//
// PE 1 knows of event 1 of PE 0 behind the receive, and PE 0 of no event of PE 1:
//
//	c := clocks.New(2)
//	c.Tick(0, 1)
//	c.Tick(1, 1)
//	message := c.Leave(0)
//	c.Tick(0, 2)
//	c.Arrive(1, message)	// c is {{2 0} {1 1}}
package clocks

import "slices"

// Clock is, by PE, up to which of its events something is known. Events of a PE are
// numbered from 1.
type Clock []int

// join adds what another clock has.
func (c Clock) join(d Clock) {
	for q, t := range d {
		c[q] = max(c[q], t)
	}
}

// Clocks are, by PE, what it knows.
type Clocks []Clock

// New is of PEs that know nothing.
func New(pes int) Clocks {
	c := make(Clocks, pes)
	for p := range c {
		c[p] = make(Clock, pes)
	}
	return c
}

// Tick is an event of PE p, which it knows itself.
func (c Clocks) Tick(p, event int) { c.Learn(p, p, event) }

// Learn is that PE p knows of an event of q.
func (c Clocks) Learn(p, q, event int) { c[p][q] = max(c[p][q], event) }

// Leave is what a message carries that PE p sends now.
func (c Clocks) Leave(p int) Clock { return slices.Clone(c[p]) }

// Arrive is the arrival at PE p of a message that carries m: p knows what its sender knew
// when it sent the message.
func (c Clocks) Arrive(p int, m Clock) { c[p].join(m) }

// Meet is a reduction or barrier that all PEs pass together: each knows what any knew.
func (c Clocks) Meet() {
	var m Meeting
	for p := range c {
		m.Come(c, p)
	}
	for p := range c {
		c.Arrive(p, m.known)
	}
}

// Meeting is a reduction or barrier to which PEs come one by one.
type Meeting struct {
	known Clock
	come  []bool
}

// Come is the arrival of PE p at the meeting, also if it has come before.
func (m *Meeting) Come(c Clocks, p int) {
	if m.come == nil {
		m.known, m.come = make(Clock, len(c)), make([]bool, len(c))
	}
	if !m.come[p] {
		m.come[p] = true
		m.known.join(c[p])
	}
}

// Over is what each PE knows when all have come; false before.
func (m *Meeting) Over() (Clock, bool) {
	return m.known, m.come != nil && !slices.Contains(m.come, false)
}
