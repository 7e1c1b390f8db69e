package simulate

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/clocks"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
)

// PEs are the numbers of PEs that examples are looked for on; Runs is how many
// executions there are for each, with other input and other ways where conditions are not
// known; Events bounds the length of one, in events and iterations.
var PEs = []int{2, 3, 4, 6}

const (
	Runs   = 2
	Events = 500
)

// Watcher looks at an execution.
type Watcher interface {
	// Put: messages, if they are known, are what communication c puts now.
	Put(r *Run, c *comm.Comm, messages []procfunc.Pair, known bool)
}

// AssignWatcher is a Watcher that also looks at statements before they are executed.
type AssignWatcher interface {
	Assign(r *Run, s ir.Stmt)
}

// InUse is the end of a use that is not over.
const InUse = math.MaxInt

// Run is one execution of a plan's communications, with the slots that the plan gives
// them and no ready messages, but for those that its proofs count on. Time counts events; all PEs pass each one together, which
// gives every order that there is and no other, since what a PE knows depends on messages
// alone.
type Run struct {
	walker
	Plan *plan.Plan
	PEs  int

	watch  Watcher
	space  *procfunc.PESpace
	now    int
	knows  clocks.Clocks
	direct clocks.Clocks // what each PE knows of q from messages of q alone, not by way of others
	comms  []state
	class  [][]int // by number: the communications that may fill the same cells, it included
	// ready are the communications whose ready messages the plan's proofs for so many PEs
	// count on.
	ready []int
}

// state is what happened last to a communication.
type state struct {
	plain    *comm.Comm
	posted   int    // event of the last C; 0 for never
	used     []int  // by PE: event that ended its last use, 0 for never
	users    []bool // of the last C: who uses what it brings
	known    bool   // the messages of the last C are known
	messages []procfunc.Pair
	sent     []clocks.Clock // what the messages carry
	back     []clocks.Clock // … and, where they are counted on, the ready messages of the receivers
	// ends is, by instance and PE, the event that freed the slot of that instance; over is
	// the same for all PEs together, those that take no part included.
	ends [][]int
	over []int
	// got is, where what comes is got strip by strip, when consumers were done with what
	// they got from producers, since these overwrote it last.
	got map[procfunc.Pair]int
}

// New prepares an execution on a number of PEs with at most so many events.
func New(p *plan.Plan, pes int, seed uint64, events int, watch Watcher) *Run {
	r := &Run{Plan: p, PEs: pes, watch: watch, class: p.Sharing(), comms: make([]state, len(p.Slots)+1), knows: clocks.New(pes), direct: clocks.New(pes)}
	for i := range r.comms {
		r.comms[i].used = make([]int, pes)
		if i > 0 {
			r.comms[i].plain = procfunc.Plain(p.Slots[i-1].Comm)
		}
	}
	for _, f := range p.Finite {
		if f.PEs == pes {
			r.ready = f.Ready
		}
	}
	r.walker = walker{program: p.Program, random: rand.New(rand.NewPCG(seed, uint64(pes))), values: map[string]int64{}, do: r.event, left: events, assigns: func(ir.Stmt) {}}
	if w, ok := watch.(AssignWatcher); ok {
		r.assigns = func(s ir.Stmt) { w.Assign(r, s) }
	}
	r.space = procfunc.NewPESpace(pes, p.Program.IR.Ends, func(name string) (int64, bool) { v, ok := r.values[name]; return v, ok })
	return r
}

// Execute executes the program.
func (r *Run) Execute() { r.nodes(r.Plan.Program.Body) }

// Stop ends the execution.
func (r *Run) Stop() { r.left = 0 }

// Exhausted reports whether the execution has come to the end of its events, not of the program.
func (r *Run) Exhausted() bool { return r.left <= 0 }

// Invented reports whether numbers that the program reads were made up.
func (r *Run) Invented() bool { return r.invented }

// Guessed reports whether some way was taken that the source does not decide.
func (r *Run) Guessed() bool { return r.guessed }

// Value is that of an INTEGER scalar, if it is known.
func (r *Run) Value(name string) (int64, bool) { v, ok := r.values[name]; return v, ok }

// Knows is up to which event of q PE p knows.
func (r *Run) Knows(p, q int) int { return r.knows[p][q] }

// Direct is up to which event of q PE p knows from messages of q itself and from collective
// operations.
func (r *Run) Direct(p, q int) int { return r.direct[p][q] }

// Posted is when communication c has put last, 0 for never.
func (r *Run) Posted(c int) int { return r.comms[c].posted }

// Instances is how often c has put.
func (r *Run) Instances(c int) int { return len(r.comms[c].over) }

// Over is when the use of the value that came ring executions before the next put of c was
// over on all PEs, 0 if there was none.
func (r *Run) Over(c, ring int) int {
	if k := len(r.comms[c].over) - ring; k >= 0 {
		return r.comms[c].over[k]
	}
	return 0
}

// Use is the last use of cells that a put overwrites.
type Use struct {
	Comm int   // whose value it is
	Ends []int // by PE: when it was over; 0 for no use, InUse while it is not over
}

// Overwrites are the uses that the next put of communication c comes behind.
func (r *Run) Overwrites(c int) []Use {
	if slot := &r.Plan.Slots[c-1]; slot.Own() {
		st := &r.comms[c]
		if k := len(st.ends) - slot.Ring; k >= 0 {
			return []Use{{c, st.ends[k]}}
		}
		return nil
	}
	var out []Use
	for _, use := range r.class[c] {
		out = append(out, Use{use, r.comms[use].used})
	}
	return out
}

// Got is when consumers were done with what they got of communication c, strip by strip,
// since Forget.
func (r *Run) Got(c int) map[procfunc.Pair]int { return r.comms[c].got }

// Forget: what was got of c has been overwritten.
func (r *Run) Forget(c int) { clear(r.comms[c].got) }

// event is what the walker comes by.
func (r *Run) event(e event, c *comm.Comm) {
	r.now++
	if e == all {
		r.meet()
		return
	}
	st := &r.comms[c.ID]
	switch e {
	case receive:
		r.receive(st)
	case post:
		r.post(c, st)
	case over:
		for i, clock := range st.back {
			r.knows.Arrive(st.messages[i].From, clock)
		}
		for i, m := range st.messages {
			r.knows.Arrive(m.To, st.sent[i])
			r.direct.Learn(m.To, m.From, st.posted)
		}
		if r.Plan.Slots[c.ID-1].Staged {
			st.ended(r.now)
		}
	case used:
		if c.Kind == comm.Pipeline { // sent at this place, and taken before it
			for _, m := range st.messages {
				r.knows.Learn(m.To, m.From, st.posted)
				r.direct.Learn(m.To, m.From, st.posted)
			}
		}
		r.used(c, st)
	}
}

// used is the end of the uses of the last instance of c.
func (r *Run) used(c *comm.Comm, st *state) {
	for q, uses := range st.users {
		if uses {
			st.used[q] = r.now
		}
	}
	slot := &r.Plan.Slots[c.ID-1]
	if !slot.Staged {
		st.ended(r.now)
	}
	if slot.Strip != nil && st.known {
		if st.got == nil {
			st.got = map[procfunc.Pair]int{}
		}
		for _, m := range st.messages {
			st.got[m] = r.now
		}
	}
}

// ended frees the slot of the last instance.
func (st *state) ended(now int) {
	k := len(st.ends) - 1
	if k < 0 {
		return
	}
	st.over[k] = now
	for q, uses := range st.users {
		if uses {
			st.ends[k][q] = now
		}
	}
}

// meet is a reduction or barrier.
func (r *Run) meet() {
	for _, known := range []clocks.Clocks{r.knows, r.direct} {
		for p := range known {
			known.Tick(p, r.now)
		}
		known.Meet()
	}
}

// receive is what arrives in a pipeline: each PE goes on when the one before it has
// come through, and passes on what it knows.
func (r *Run) receive(st *state) {
	messages, _ := r.space.Messages(st.plain)
	for range r.PEs {
		for _, m := range messages {
			r.knows.Tick(m.From, r.now)
			r.knows.Arrive(m.To, r.knows[m.From])
		}
	}
}

// post is the puts of c.
func (r *Run) post(c *comm.Comm, st *state) {
	if c.Kind == comm.Irregular {
		r.meet() // the agreement on its lists
	}
	messages, known := r.space.Messages(st.plain)
	if r.space.Outside() {
		r.Stop() // no execution goes this way
		return
	}
	r.watch.Put(r, c, messages, known)
	st.posted, st.known, st.messages, st.sent, st.back = r.now, known, messages, nil, nil
	st.users = r.users(st)
	for q, uses := range st.users {
		if uses {
			st.used[q] = InUse
		}
	}
	st.ends, st.over = append(st.ends, st.freed(r.Plan.Slots[c.ID-1].Ring)), append(st.over, InUse)
	for _, m := range messages {
		r.knows.Tick(m.From, r.now)
		st.sent = append(st.sent, r.knows.Leave(m.From))
		if slices.Contains(r.ready, c.ID) {
			r.knows.Tick(m.To, r.now)
			st.back = append(st.back, r.knows.Leave(m.To))
		}
	}
}

// users are the PEs that use what comes now; all where that is not known.
func (r *Run) users(st *state) []bool {
	users, ok := r.space.Consumers(st.plain)
	if !ok || !st.known {
		return slices.Repeat([]bool{true}, r.PEs)
	}
	for _, m := range st.messages {
		users[m.To] = true
	}
	return users
}

// freed is which uses of its slot the next instance comes behind: who does not take
// part has used it when it was filled before.
func (st *state) freed(ring int) []int {
	out := make([]int, len(st.users))
	for q, uses := range st.users {
		if last := len(st.ends) - ring; uses {
			out[q] = InUse
		} else if last >= 0 {
			out[q] = st.ends[last][q]
		}
	}
	return out
}
