package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
)

// A proof says that some messages answer others, by algebra, for all numbers of
// PEs and sizes. Here the same is looked at by example: the program's
// communications are executed on a few PEs, with the messages enumerated, and a
// clock per PE that tells which uses of the others it knows of. An example can
// only show that a proof is wrong, never that it is right.

// replayPEs are the numbers of PEs of the examples; replayRuns is how many
// there are for each, with other input and other ways where conditions are not
// known; replayEvents bounds the length of one, in events and iterations.
var replayPEs = []int{2, 3, 4, 6}

const (
	replayRuns   = 2
	replayEvents = 500
)

// contradict looks for an example that contradicts the proofs of p.
func (p *Plan) contradict() error {
	if !slices.ContainsFunc(p.Slots, func(s Slot) bool {
		return len(s.Proofs) > 0 || s.Times > 0 || len(s.At) > 0 || s.Strip != nil
	}) {
		return nil
	}
	numbers := slices.Clone(replayPEs)
	for _, e := range p.Finite {
		numbers = append(numbers, e.PEs)
	}
	slices.Sort(numbers)
	for _, np := range slices.Compact(numbers) {
		for run := range replayRuns {
			r := newReplay(p, np, uint64(run))
			r.nodes(p.Program.Body)
			if r.err != nil {
				return fmt.Errorf("an example with %d PEs: %w", np, r.err)
			}
		}
	}
	return nil
}

// replay is one example. Time counts events; all PEs pass each one together,
// which gives every order that there is and no other, since what a PE knows
// depends on messages alone.
type replay struct {
	walker
	p   *Plan
	np  int
	rel *procfunc.PESpace
	err error

	now   int
	knows [][]int // [p][q]: up to which event of q PE p knows
	heard [][]int // … from its own messages alone, not by way of others
	state []commState
	class [][]int // by number: the communications that may fill the same cells, it included
	plain []*comm.Comm
	seen  []Observed // of Observe: notes, instead of holding proofs against what happens
}

// commState is what happened last to a communication.
type commState struct {
	posted   int   // event of the last C; 0 for never
	used     []int // by PE: event that ended its last use; 0 for never
	live     []bool
	users    []bool // of the last C: who uses what it brings
	known    bool   // the messages of the last C are known
	messages []procfunc.Pair
	seen     [][]int // what each sender knew then
	// ends is, of a communication with slots of its own, by instance and PE, the event
	// that freed the slot of that instance; inUse if it is not free yet.
	ends [][]int
	// answers are what its proof counts on, and what came of them.
	answers []answering
	// got is, where what comes is got strip by strip, when consumers were done with what
	// they got from producers, since these overwrote it last.
	got map[procfunc.Pair]int
	// plane is, where the slots are planes, that of the last C, if it is known.
	plane      int64
	planeKnown bool
}

const inUse = -1

// answering is an instance of a communication that is to answer a put to come.
type answering struct {
	by       int
	left     int // puts to come, that one included
	known    bool
	messages []procfunc.Pair
}

func newReplay(p *Plan, np int, seed uint64) *replay {
	r := &replay{p: p, np: np, class: sharers(p.Classes, len(p.Slots)), state: make([]commState, len(p.Slots)+1), plain: make([]*comm.Comm, len(p.Slots)+1), knows: make([][]int, np)}
	for i := range r.state {
		r.state[i].used, r.state[i].live = make([]int, np), make([]bool, np)
	}
	r.heard = make([][]int, np)
	for i := range r.knows {
		r.knows[i], r.heard[i] = make([]int, np), make([]int, np)
	}
	r.walker = walker{program: p.Program, random: rand.New(rand.NewPCG(seed, uint64(np))), values: map[string]int64{}, do: r.event, left: replayEvents}
	r.writes = r.overwrites
	r.rel = procfunc.NewPESpace(np, func(name string) (int64, bool) { v, ok := r.values[name]; return v, ok })
	return r
}

// event is what the walker comes by.
func (r *replay) event(e event, c *comm.Comm) {
	if r.now++; r.err != nil {
		return
	}
	switch e {
	case all:
		r.meet()
	case receive:
		r.receive(c)
	case post:
		if r.p.fence(c) {
			r.meet()
			r.now++
		}
		r.post(c)
	case over:
		st := &r.state[c.ID]
		for i, m := range st.messages {
			for q, t := range st.seen[i] {
				r.knows[m.To][q] = max(r.knows[m.To][q], t)
			}
			r.heard[m.To][m.From] = max(r.heard[m.To][m.From], st.seen[i][m.From])
		}
		if r.p.Slots[c.ID-1].Staged {
			st.ended(r.now)
		}
	case used:
		st := &r.state[c.ID]
		for q, uses := range st.users {
			if uses {
				st.used[q], st.live[q] = r.now, false
			}
		}
		if !r.p.Slots[c.ID-1].Staged {
			st.ended(r.now)
		}
		if r.p.Slots[c.ID-1].Strip != nil && st.known {
			if st.got == nil {
				st.got = map[procfunc.Pair]int{}
			}
			for _, m := range st.messages {
				st.got[m] = r.now
			}
		}
	}
	if r.err != nil {
		r.left = 0
	}
}

// overwrites checks that all know who has got what s may overwrite to be done with it.
func (r *replay) overwrites(s ir.Stmt) {
	for i := range r.p.Slots {
		slot := &r.p.Slots[i]
		if slot.Strip == nil || slot.Strip.Completes || r.err != nil || !comm.Assigns(s, slot.Comm.Array) {
			continue
		}
		st := &r.state[i+1]
		for m, end := range st.got {
			if end > r.knows[m.From][m.To] && r.seen == nil {
				r.err = fmt.Errorf("line %d: nothing has told PE %d, which overwrites %s, that PE %d is done with what it got for #%d", s.Position().Line, m.From, slot.Comm.Array.Name, m.To, i+1)
			}
		}
		clear(st.got)
	}
}

// asked reports whether what the proof of a slot asks goes back between two PEs.
func (r *replay) asked(slot *Slot, m procfunc.Pair) bool {
	for _, y := range slot.Pairwise {
		if k := &r.state[y]; !k.known || !slices.Contains(k.messages, procfunc.Pair{From: m.To, To: m.From}) {
			return false
		}
	}
	return true
}

// ended frees the slot of the last instance.
func (st *commState) ended(now int) {
	if k := len(st.ends) - 1; k >= 0 {
		for q, uses := range st.users {
			if uses {
				st.ends[k][q] = now
			}
		}
	}
}

// meet is a reduction or barrier: everybody knows what anybody knows.
func (r *replay) meet() {
	for q := range r.np {
		for p := range r.np {
			r.knows[p][q], r.heard[p][q] = r.now, r.now
		}
	}
}

// messages lists what c sends now, if it is known.
func (r *replay) messages(c *comm.Comm) ([]procfunc.Pair, bool) {
	if r.plain[c.ID] == nil {
		r.plain[c.ID] = procfunc.Plain(c)
	}
	return r.rel.Messages(r.plain[c.ID])
}

// receive is what arrives in a pipeline: each PE goes on when the one before it has
// come through, and tells the next what it was told.
func (r *replay) receive(c *comm.Comm) {
	messages, _ := r.messages(c)
	for range r.np {
		for _, m := range messages {
			to := r.knows[m.To]
			for q, t := range r.knows[m.From] {
				to[q] = max(to[q], t)
			}
			to[m.From], r.heard[m.To][m.From] = r.now, r.now
		}
	}
}

// post is the puts of c.
func (r *replay) post(c *comm.Comm) {
	if c.Kind == comm.Irregular {
		r.meet() // the agreement on its lists
	}
	st := &r.state[c.ID]
	messages, known := r.messages(c)
	if r.rel.Outside() {
		r.left = 0 // no execution goes this way
		return
	}
	slot := &r.p.Slots[c.ID-1]
	quiet := !slot.Ready || slices.Contains(slot.At, r.np)
	if slot.Planes != nil && r.seen == nil {
		r.checkPlane(slot, st)
	}
	switch {
	case r.seen != nil:
		if known {
			r.observe(c, st, messages)
		}
	case slot.own():
		r.checkAges(slot, st, known, messages, quiet)
	case known && quiet:
		r.check(slot, messages)
	}
	st.posted, st.known, st.messages, st.seen, st.users = r.now, known, messages, nil, r.users(c)
	for q, uses := range st.users {
		st.live[q] = st.live[q] || uses
	}
	if slot.own() {
		st.ends = append(st.ends, st.freed(slot.Count))
	}
	for _, m := range messages {
		clock := slices.Clone(r.knows[m.From])
		clock[m.From] = r.now
		st.seen = append(st.seen, clock)
	}
	for i := range r.p.Slots {
		slot := &r.p.Slots[i]
		if !slot.own() {
			continue
		}
		for _, p := range slot.Proofs {
			for _, k := range p.Kills {
				if k.Comm == c.ID {
					to := &r.state[i+1]
					to.answers = append(to.answers, answering{c.ID, k.Nth, known, messages})
				}
			}
		}
	}
}

// checkPlane wants another plane than that of the last execution.
func (r *replay) checkPlane(slot *Slot, st *commState) {
	plane, known := int64(0), true
	for _, v := range slot.Planes.Sub.Vars() {
		_, ok := r.values[v]
		known = known && ok
	}
	if known {
		plane, known = slot.Planes.Sub.Eval(func(v string) int64 { return r.values[v] })
	}
	if known && st.planeKnown && plane == st.plane && r.err == nil {
		r.err = fmt.Errorf("line %d: #%d fills plane %d of dimension %d twice in succession", slot.Comm.CLine, slot.Comm.ID, plane, slot.Planes.Dim)
	}
	st.plane, st.planeKnown = plane, known
}

// own reports whether the slots are the communication's own.
func (s *Slot) own() bool { return len(s.Pairwise) > 0 || s.Times > 0 || s.Staged || s.Count > 1 }

// users are the PEs that use what c brings now; all where that is not known.
func (r *replay) users(c *comm.Comm) []bool {
	users, ok := r.rel.Consumers(r.plain[c.ID])
	if messages, known := r.messages(c); ok && known {
		for _, m := range messages {
			users[m.To] = true
		}
		return users
	}
	users = make([]bool, r.np)
	for q := range users {
		users[q] = true
	}
	return users
}

// freed is which uses of its slot the next instance comes behind: who does not take
// part has used it when it was filled before.
func (st *commState) freed(count int) []int {
	out := make([]int, len(st.users))
	for q, uses := range st.users {
		if last := len(st.ends) - count; uses {
			out[q] = inUse
		} else if last >= 0 {
			out[q] = st.ends[last][q]
		}
	}
	return out
}

// checkAges holds the proof of a communication with slots of its own against the
// messages that it puts now, and looks whether the slot is free if it puts without
// ready messages.
func (r *replay) checkAges(slot *Slot, st *commState, known bool, messages []procfunc.Pair, quiet bool) {
	x, line := slot.Comm.ID, slot.Comm.CLine
	waiting := st.answers[:0]
	for _, a := range st.answers {
		if a.left--; a.left > 0 {
			waiting = append(waiting, a)
			continue
		}
		for _, m := range messages {
			if known && a.known && r.err == nil && !slices.Contains(a.messages, procfunc.Pair{From: m.To, To: m.From}) {
				r.err = fmt.Errorf("line %d: the proof that #%d may put counts on a message of #%d from PE %d to PE %d, which is not sent", line, x, a.by, m.To, m.From)
			}
		}
	}
	st.answers = waiting
	last := len(st.ends) - slot.Count // the instance that filled this slot
	if last < 0 || !known || !quiet || r.err != nil {
		return
	}
	for _, m := range messages {
		if !slices.Contains(slot.At, r.np) && !r.asked(slot, m) {
			continue // it has a ready message
		}
		switch end := st.ends[last][m.To]; {
		case end == inUse:
			r.err = fmt.Errorf("line %d: #%d puts into a slot that is in use", line, x)
			return
		case end > r.knows[m.From][m.To]:
			r.err = fmt.Errorf("line %d: when #%d puts from PE %d to PE %d, nothing has told PE %d that PE %d is done with the slot", line, x, m.From, m.To, m.From, m.To)
			return
		}
	}
}

// check holds the proofs of a slot against the messages that are put into it now.
func (r *replay) check(slot *Slot, messages []procfunc.Pair) {
	for i := range slot.Proofs {
		if r.err == nil && !r.answered(slot.Proofs[i], slot.Comm.ID, slot.Comm.CLine, messages) {
			return
		}
	}
	for _, use := range r.class[slot.Comm.ID] {
		if r.err == nil {
			r.over(use, slot, messages)
		}
	}
}

// answered checks that the messages that p counts on were sent. It is false when
// that is not known, or not so.
func (r *replay) answered(p *proof.Certificate, put, line int, messages []procfunc.Pair) bool {
	for _, kill := range p.Kills {
		if kill.Via > 0 {
			continue // over looks at chains
		}
		y := kill.Comm
		k := &r.state[y]
		if k.posted == 0 || k.posted < r.state[p.Use].posted || k.posted < r.state[put].posted {
			continue // the proof says something of the first put behind y only
		}
		if !k.known {
			return false
		}
		for _, m := range messages {
			if !slices.Contains(k.messages, procfunc.Pair{From: m.To, To: m.From}) {
				r.err = fmt.Errorf("line %d: the proof that #%d may put over the value of #%d counts on a message of #%d from PE %d to PE %d, which is not sent", line, put, p.Use, y, m.To, m.From)
				return false
			}
		}
	}
	return true
}

// over checks that all who put know that the value of use, in the same cells, is
// dead.
func (r *replay) over(use int, slot *Slot, messages []procfunc.Pair) {
	st := &r.state[use]
	for _, m := range messages {
		switch {
		case st.live[m.To]:
			r.err = fmt.Errorf("line %d: #%d puts over the value of #%d, which is in use", slot.Comm.CLine, slot.Comm.ID, use)
			return
		case st.used[m.To] > r.knows[m.From][m.To]:
			r.err = fmt.Errorf("line %d: when #%d puts from PE %d to PE %d, nothing has told PE %d that PE %d is done with the value of #%d", slot.Comm.CLine, slot.Comm.ID, m.From, m.To, m.From, m.To, use)
			return
		}
	}
}
