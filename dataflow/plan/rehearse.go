package plan

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/procfunc"
)

// A communication that listens (Slot.OnDemand) sends as many ready messages as the
// program's other messages leave it to send. How many these are depends on the
// number of PEs, on sizes and on how many slots there are, and is no matter of
// right or wrong: it is found by trying. The program's communications are executed
// on a few PEs, with the messages enumerated, and the notes that the PEs take in
// fact are taken for each number of slots at once.

// rehearsePEs are the numbers of PEs that the counts are taken over. rehearseEvents
// bounds each example, in events and iterations.
var rehearsePEs = []int{2, 4, 5, 8}

const rehearseEvents = 1500

// slotCounts are the numbers of slots that are tried for a communication that
// listens.
var slotCounts = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}

// share is what a rehearsal has counted of a communication with some number of
// slots.
type share struct {
	puts  int // messages
	ready int // of these, with a ready message
	used  int // messages into slots that were filled before
	runs  int // executions
	blank int // of these, executions whose messages are not known
}

// rate is the expected part of the messages that have ready messages, of a
// communication with the given number of slots that is executed weight times; false
// if the examples were too short to tell. Executions into new slots have none, the
// others are taken to be alike.
func (s share) rate(slots int, weight float64) (float64, bool) {
	switch {
	case weight <= float64(slots):
		return 0, true
	case s.runs == 0 || s.blank > 0 || s.used*3 < s.puts:
		return 0, false
	case s.used == 0:
		return 0, true
	}
	return float64(s.ready) / float64(s.used) * (weight - float64(slots)) / weight, true
}

// rehearsal is the counts of all examples: by number of the communication, then
// as in slotCounts.
type rehearsal struct {
	shares [][]share
}

// each is the messages of one execution, on the average of the examples.
func (s share) each() float64 { return float64(s.puts) / float64(max(1, s.runs)) }

// rehearse counts for the given communications, whose values are over at CO where
// they are staged.
func rehearse(p *Plan, listen []bool, staged func(c *comm.Comm) bool) *rehearsal {
	out := &rehearsal{shares: make([][]share, len(listen))}
	for r := range out.shares {
		if listen[r] {
			out.shares[r] = make([]share, len(slotCounts))
		}
	}
	for _, np := range rehearsePEs {
		e := &example{np: np, fence: p.fence, out: out, staged: staged, heard: make([]int, np*np), states: make([]listener, len(listen))}
		e.walker = walker{
			program: p.Program, random: rand.New(rand.NewPCG(1, uint64(np))), values: map[string]int64{}, do: e.event, left: rehearseEvents,
		}
		e.rel = procfunc.NewPESpace(np, func(name string) (int64, bool) { v, ok := e.values[name]; return v, ok })
		for r := range e.states {
			if listen[r] {
				e.states[r].asked = make([][]int, len(slotCounts))
				for k := range slotCounts {
					e.states[r].asked[k] = make([]int, np*np)
				}
			}
		}
		e.nodes(p.Program.Body)
	}
	return out
}

// example is one of them. Time counts events; see replay.
type example struct {
	walker
	np     int
	out    *rehearsal
	rel    *procfunc.PESpace
	staged func(c *comm.Comm) bool
	fence  func(c *comm.Comm) bool
	now    int
	all    int   // when everybody heard from everybody
	heard  []int // [p*np+q]: of what q did p has heard up to then
	states []listener
}

// listener is a communication in an example.
type listener struct {
	posted   int
	messages []procfunc.Pair
	known    bool
	ends     []int   // by instance: when its slot was free again
	asked    [][]int // as in slotCounts: what its own ready messages have told, as heard
}

func (e *example) event(what event, c *comm.Comm) {
	e.now++
	if what == all {
		e.all = e.now
		return
	}
	st := &e.states[c.ID]
	switch what {
	case post:
		if e.fence(c) {
			e.all = e.now
			e.now++
		}
		e.post(c, st)
	case over:
		e.arrive(st, st.posted)
		if e.staged(c) {
			st.over(e.now)
		}
	case used:
		if c.Kind == comm.Pipeline {
			// Sent at this place, and taken before it.
			e.arrive(st, e.now)
			e.now++
			st.over(e.now)
		} else if !e.staged(c) {
			st.over(e.now)
		}
	}
}

func (st *listener) over(now int) {
	if k := len(st.ends) - 1; k >= 0 {
		st.ends[k] = now
	}
}

func (e *example) arrive(st *listener, at int) {
	for _, m := range st.messages {
		h := &e.heard[m.To*e.np+m.From]
		*h = max(*h, at)
	}
}

func (e *example) post(c *comm.Comm, st *listener) {
	if c.Kind == comm.Irregular {
		e.all = e.now // the agreement on its lists
	}
	st.posted = e.now
	st.messages, st.known = e.rel.Messages(c)
	if e.rel.Outside() {
		e.left = 0 // no execution goes this way
	}
	shares := e.out.shares[c.ID]
	if shares == nil {
		return
	}
	for k, slots := range slotCounts {
		s := &shares[k]
		s.runs++
		if !st.known {
			s.blank++
		}
		s.puts += len(st.messages)
		last := len(st.ends) - slots
		if last < 0 {
			continue
		}
		s.used += len(st.messages)
		for _, m := range st.messages {
			at := m.From*e.np + m.To
			if max(e.all, e.heard[at], st.asked[k][at]) < st.ends[last] {
				s.ready++
				st.asked[k][at] = e.now
			}
		}
	}
	st.ends = append(st.ends, 1<<62)
}
