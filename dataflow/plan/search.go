package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
)

// The costs that the search compares are in messages, per execution. A message,
// be it of data or a ready message, costs about a microsecond on the machines at
// hand, for the producer waits for the ready message as for another.
const (
	readyCost = 1.0  // a ready message before a put
	copyCost  = 0.1  // copying a stage, some hundred elements, into the overlap
	turnCost  = 0.5  // a turn more in a group: the wait that the others do not hide
	askCost   = 0.05 // ready messages for the pairs of PEs that have no answer
	getCost   = 0.2  // getting a strip: it waits for nobody, but is a message more to start
	noteCost  = 0.03 // noting who has been heard from
	byteCost  = 1e-9 // a byte of memory for slots, once
	fenceCost = 2.0  // a barrier: one message to gather, one to release, and none has a head start
	// Of many slots:
	firstCost = 1e-4 // a byte of memory for slots, when it is touched first
	coldCost  = 5e-5 // a byte that is put where no cache holds it any more
	cache     = 256 << 10
)

// Trial is one thing that the search tried for a communication.
type Trial struct {
	What      string  // as in slot lines: quiet, quiet*2, staged, staged*2, unheard*2
	Pairwise  bool    // with ready messages between PEs that have no answer
	PEs       []int   // that is so on these numbers of PEs only
	InTurn    bool    // with the opposite exchanges of its group one after another
	OnDemand  bool    // with ready messages from PEs that have sent nothing since
	Times     int     // there are at most so many executions, and a slot for each; else 0
	Rate      float64 // where OnDemand, the part of the puts that have one, by examples
	Free      bool    // no ready message is needed then
	Strip     int     // above 0: in strips of so many iterations
	Completes bool    // then with messages that gets are over
	Not       string  // why that cannot be done
	Cost      float64
	Note      string // chosen, or why not where the cost does not say it
}

// String is "staged*2, in turn: free, cost 1.2, chosen".
func (t Trial) String() string {
	var b strings.Builder
	b.WriteString(t.What)
	if t.Not != "" {
		return t.What + ": not possible, " + t.Not
	}
	if t.Strip > 0 {
		fmt.Fprintf(&b, " in strips of %d", t.Strip)
	}
	if t.Completes {
		b.WriteString(" telling")
	}
	if t.Pairwise {
		b.WriteString(" asking")
	}
	if t.Times > 0 {
		b.WriteString(" one for each execution")
	}
	if t.InTurn {
		b.WriteString(", in turn")
	}
	if len(t.PEs) > 0 {
		b.WriteString(" on " + numbersOf(t.PEs))
	}
	switch {
	case t.Free:
		fmt.Fprintf(&b, ": free, cost %.4g", t.Cost)
	case t.OnDemand:
		fmt.Fprintf(&b, ": %.2g ready messages for a put, cost %.4g", t.Rate, t.Cost)
	default:
		fmt.Fprintf(&b, ": ready message, cost %.4g", t.Cost)
	}
	if t.Note != "" {
		b.WriteString(", " + t.Note)
	}
	return b.String()
}

// Search makes plan elide.
//
// What popl96 frees stays as it is there. For each other communication it tries,
// the cheaper forms first,
//
//   - for an overlap of which successive executions are proved to fill different
//     planes, these as 2 slots (planes.go);
//   - for an overlap: a stage, then 2 and more stages. A stage is over at CO, when
//     its content has been copied into the overlap, and nobody else puts into it;
//   - for a temporary: 2 and more of it.
//
// Where none of them is free for all numbers of PEs, it tries them again, and a
// temporary as it is, counting also on communications that are always the same and
// answer some pairs of PEs, and most as far as a few examples show. The others
// then have ready messages, each for itself (proof.Certificate.Pairwise).
//
// Whether one of them needs ready messages depends on the graph alone, and not on
// what is chosen for other communications: the first that is proved is the
// cheapest, and the choices are independent, but for the memory. They are made in
// the order of what a byte saves, the most first, as long as the bound on the
// memory allows.
//
// Where the numbers of PEs are given, proofs that are exact for these come next
// (known.go).
//
// Of what still needs ready messages, be it between some pairs of PEs only, it is
// counted how often it can be executed at most (times.go). With a slot for each time
// nothing has to be told.
//
// Else it may listen: then the two PEs of a pair note, as
// the program runs, which messages have passed between them, and a ready message
// goes only from consumers that have sent the producer nothing since their last use
// of the slot. So one ready message, or message of data, serves for all
// communications that listen, and for as many puts as there are slots. That takes
// no proof, and how often it happens is found by a rehearsal on a few PEs, for 1 to
// 64 slots: the cheapest number is taken for which there is memory (listen.go).
//
// The graph depends on how the groups complete: all at once, or what goes to
// opposite neighbours one after another (comm.Program.InTurn), by which a message
// of the second exchange answers the first. One turn more is one wait more, and is
// tried for groups in which a ready message is left. The search makes all choices
// for both graphs, compares the costs for each outermost statement, since what
// lies in different ones hardly meets, and takes the cheaper form of each; then it
// makes the choices for that graph. So there are at most three analyses of the
// program, and one when the first leaves nothing to gain.
//
// In outermost statements that would send more than Options.BarrierThreshold ready
// messages even so, barriers are tried, before one group after another; each is an
// analysis, of which large programs get few (fence.go).
//
// The cost of a statement is the sum over its communications, each times its
// expected number of executions (bounds that are not constant count as 50
// iterations, conditions as holding every other time): 1 for a ready message, 0.1
// for the copy from a stage, 0.05 where pairs of PEs may have no answer, 0.03 for
// the notes of one that listens, 0.5 for a turn more in a group, 2 for a barrier, and
// 1e-9 for a byte of slots. Of those that listen, which may have many slots, a byte
// costs 1e-4 when it is first touched, and 5e-5 each time where all slots do not fit
// a cache of 256 KB.
func Search(c *comm.Program, rel Relations, o Options) *Plan {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Relations == nil {
		o.Relations = func(c *comm.Program, g *cfg.Graph) Relations { return procfunc.Analyze(c, g) }
	}
	o.PEs = severalPEs(o.PEs)
	s := &searcher{Options: o, program: c, rel: rel, weights: weigh(c)}
	posted := s.attempt(nil)
	groups := s.unsettled(posted.plan)
	if len(groups) == 0 {
		return s.fence(posted).done(nil)
	}
	turned := s.attempt(groups)
	best := map[*comm.Post]bool{}
	for g := range groups {
		if nest := s.weights.nest[g.Comms[0].ID]; turned.costs[nest] < posted.costs[nest] {
			best[g] = true
		}
	}
	switch len(best) {
	case 0:
		return s.fence(posted).done(turned)
	case len(groups):
		return s.fence(turned).done(posted)
	}
	return s.fence(s.attempt(best)).done(turned)
}

type searcher struct {
	Options
	program *comm.Program
	rel     Relations
	weights *weights
}

// unsettled are the groups that may complete in turns and in which p leaves a
// ready message.
func (s *searcher) unsettled(p *Plan) map[*comm.Post]bool {
	out := map[*comm.Post]bool{}
	for _, g := range s.weights.groups {
		if len(g.Turns()) > 1 && slices.ContainsFunc(g.Comms, func(c *comm.Comm) bool { return p.Ready(c) && !p.Slots[c.ID-1].free(s.PEs) }) {
			out[g] = true
		}
	}
	return out
}

// attempt is the plan for one form of the graph.
type attempt struct {
	plan   *Plan
	rel    Relations
	trials [][]Trial       // by slot
	costs  map[int]float64 // by outermost statement
	// messages are, by number of the communication, those of all its executions, as
	// far as a rehearsal was held.
	messages []float64
	turn     map[*comm.Post]bool
}

// option is slots by which a communication is free, and what they cost.
type option struct {
	slot  int // index
	trial int // index
	slots proof.Obligation
	// times: there are at most so many executions, and a slot for each.
	times int
	// planes: successive executions fill different planes of the overlap.
	planes   *Planes
	pairwise bool
	strip    *Strip
	bytes    int64
	saves    float64
}

// attempt makes the choices with the given groups in turns, and barriers before the
// groups that start with the given communications.
func (s *searcher) attempt(turn map[*comm.Post]bool, fences ...int) *attempt {
	program, rel := s.program, s.rel
	if len(turn) > 0 {
		program = program.InTurn(func(g *comm.Post) bool { return turn[g] })
	}
	a := &attempt{plan: start(program, Elide, fences...), trials: make([][]Trial, len(program.Comms)), costs: map[int]float64{}, turn: turn}
	p := a.plan
	if len(turn)+len(fences) > 0 {
		rel = s.Relations(program, p.Graph)
	}
	a.rel = rel
	list := workers(p.Graph, rel, len(p.Slots))
	p.prove(list)
	extra := map[int]float64{} // by communication: its part of the turns of its group
	for g := range turn {
		cost := turnCost * float64(len(g.Turns())-1)
		for _, c := range g.Comms {
			extra[c.ID] = cost / float64(len(g.Comms)) * s.weights.of[c.ID]
		}
	}
	solver, ask := list[0].solver, list[0].ask
	whole := s.force(p, rel, solver)
	options := make([][]option, len(p.Slots)) // by slot, those that are taken first first
	each(list, len(p.Slots), func(w *worker, i int) {
		c := p.Slots[i].Comm
		weight, strip := s.weights.of[c.ID], p.Slots[i].Strip
		turned := extra[c.ID] + weight*s.stripCost(strip)
		_, inTurn := extra[c.ID]
		first := Trial{What: "quiet", InTurn: inTurn, Free: !p.Slots[i].Ready, Cost: turned}
		if p.Slots[i].Ready {
			first.Cost += weight * readyCost
		}
		if strip != nil {
			first.Strip, first.Completes = strip.Size, strip.Completes
		}
		a.trials[i] = append(a.trials[i], first)
		if why := whole[i]; why != "" {
			a.trials[i] = append(a.trials[i], Trial{What: fmt.Sprintf("strips of %d", s.Strip), Not: why, InTurn: inTurn})
		}
		if first.Free {
			return
		}
		// Where no answer that only some pairs of PEs get was looked for in vain, asking
		// changes nothing.
		vain := map[proof.Obligation]bool{}
		for _, f := range append(p.planesForms(c, p.Classes), s.forms(c)...) {
			if strip != nil {
				f.bytes = added(c, strip, f.slots.Ring)
			}
			cost := turned + byteCost*float64(f.bytes)
			if f.slots.Staged {
				cost += weight * copyCost
			}
			differs := false
			kills := func(y, put, nth int) bool {
				kills := w.rel.KillsAfter(y, put, nth)
				differs = differs || !kills && w.ask(y, put, nth)
				return kills
			}
			if f.pairwise {
				cost += weight * askCost
				kills = w.ask
			}
			t := Trial{What: mood(Slot{Staged: f.slots.Staged, Count: f.slots.Ring, Planes: f.planes}), Pairwise: f.pairwise, InTurn: inTurn, Strip: first.Strip, Completes: first.Completes, Cost: turned + weight*readyCost}
			if t.Free = !vain[f.slots] && w.free(f.slots, kills); t.Free {
				t.Cost = cost
				f.slot, f.trial, f.saves = i, len(a.trials[i]), first.Cost-cost
				options[i] = append(options[i], f)
			}
			if a.trials[i] = append(a.trials[i], t); t.Free {
				break
			}
			vain[f.slots] = !f.pairwise && !differs
		}
	})
	a.choose(options, s.Memory)
	s.strips(a, options, solver, extra)
	for _, o := range slices.Concat(options...) {
		slot := &p.Slots[o.slot]
		if a.trials[o.slot][o.trial].Note != chosen {
			continue
		}
		slot.Ready, slot.Staged, slot.Count, slot.Planes, slot.Verdict = false, o.slots.Staged, o.slots.Ring, o.planes, synch.NoReady
		kills := synch.Kills(rel.KillsAfter)
		if o.pairwise {
			kills = ask
		}
		c := list[0].certify(o.slots, kills)
		slot.Proofs, slot.Pairwise = []*proof.Certificate{c}, c.Pairwise
		if o.strip != nil {
			slot.Strip = o.strip
			slot.Cells += o.strip.cells()
		}
		slot.Cells += sharedOut(slot)
		slot.Why = p.whyAges(slot, c.Witnesses(p.Graph))
	}
	k := s.known(a)
	s.listen(a, extra)
	k.settle(a.plan)
	for i := range p.Slots {
		a.costs[s.weights.nest[i+1]] += a.taken(i).Cost
	}
	for _, c := range fences {
		a.costs[s.weights.nest[c]] += s.weights.of[c] * fenceCost
	}
	return a
}

const chosen = "chosen"

// taken is what was chosen for a slot, by its index.
func (a *attempt) taken(i int) *Trial {
	k := slices.IndexFunc(a.trials[i], func(t Trial) bool { return t.Note == chosen })
	return &a.trials[i][max(k, 0)]
}

// asking is the test of kills that counts also on what answers some pairs of PEs.
func pairwise(rel Relations) synch.Kills {
	var of int      // the put asked about last
	var said []int8 // by y: yes 1, no -1
	return func(y, put, nth int) bool {
		if rel.KillsAfter(y, put, nth) {
			return true
		}
		if of != put {
			of = put
			clear(said)
		}
		for len(said) <= y {
			said = append(said, 0)
		}
		if said[y] == 0 {
			said[y] = -1
			if rel.Alike(y, put) && rel.Answers(y, put) {
				said[y] = 1
			}
		}
		return said[y] > 0
	}
}

// mostSlots is the most slots that are tried.
const mostSlots = 3

// forms are the slots that may free a communication that one slot does not, the
// cheapest first. A pipelined one has its values where its region computes; the
// start of an irregular one orders all PEs anyway.
func (s *searcher) forms(c *comm.Comm) []option {
	var out []option // those that count on no example
	size := elemSize(c.Array.Type)
	switch {
	case c.Kind == comm.Pipeline || c.Kind == comm.Irregular:
	case c.Overlap:
		bytes := s.program.StageCells(c) * size
		for n := 1; n <= mostSlots; n++ {
			out = append(out, option{slots: proof.Ring(c.ID, n, true), bytes: int64(n) * bytes})
		}
		return append(out, askingForms(out)...)
	default:
		bytes := c.TempCells() * size
		for n := 1; n <= mostSlots; n++ {
			out = append(out, option{slots: proof.Ring(c.ID, n, false), bytes: int64(n-1) * bytes})
		}
		return append(out[1:], askingForms(out)...)
	}
	return nil
}

func askingForms(forms []option) []option {
	out := slices.Clone(forms)
	for i := range out {
		out[i].pairwise = true
	}
	return out
}

// StageBytes bounds, for all numbers of PEs, how many bytes the stages of c take on a PE.
func (p *Plan) StageBytes(c *comm.Comm) int64 {
	slot := &p.Slots[c.ID-1]
	if !slot.Staged {
		return 0
	}
	return p.Program.StageCells(c) * elemSize(c.Array.Type) * int64(slot.Count)
}

// elemSize is the bytes of an element in emitted programs.
func elemSize(t ir.Type) int64 {
	switch t {
	case ir.Real:
		return int64(unsafe.Sizeof(float32(0)))
	case ir.Logical:
		return int64(unsafe.Sizeof(false))
	}
	return int64(unsafe.Sizeof(float64(0)))
}

// choose takes, for each slot, the first of its options for which there is memory.
// Those slots come first whose first option saves the most per byte.
func (a *attempt) choose(options [][]option, memory int64) {
	var order [][]option
	for _, list := range options {
		if len(list) > 0 {
			order = append(order, list)
		}
	}
	slices.SortStableFunc(order, func(x, y []option) int {
		return cmp.Compare(y[0].saves*float64(max(1, x[0].bytes)), x[0].saves*float64(max(1, y[0].bytes)))
	})
	left := max(0, memory)
	for _, list := range order {
		for _, o := range list {
			t := &a.trials[o.slot][o.trial]
			if o.saves <= 0 {
				continue
			}
			if o.bytes <= left {
				t.Note = chosen
				left -= o.bytes
				break
			}
			t.Note = fmt.Sprintf("but takes up to %d bytes, of %d that are left", o.bytes, left)
		}
	}
}

// done gives the slots the trials of both forms of the graph; other may be nil.
func (a *attempt) done(other *attempt) *Plan {
	for i := range a.plan.Slots {
		own := a.trials[i]
		if !slices.ContainsFunc(own, func(t Trial) bool { return t.Note == chosen }) {
			own[0].Note = chosen
		}
		var others []Trial
		if other != nil {
			for _, t := range other.trials[i] {
				if t.InTurn == own[0].InTurn {
					break
				}
				if t.Note == chosen {
					t.Note = ""
				}
				others = append(others, t)
			}
		}
		if len(own)+len(others) > 1 {
			a.plan.Slots[i].Tried = append(own, others...)
		}
	}
	return a.plan
}

// sharedOut says in words what there is of the cells.
func sharedOut(s *Slot) string {
	switch {
	case s.Planes != nil:
		return ", in planes by turns"
	case !s.Staged && s.Count == 1:
		return ""
	case !s.Staged:
		return fmt.Sprintf(", one of %d by turns", s.Count)
	case s.Count > 1:
		return fmt.Sprintf(" from %d stages by turns", s.Count)
	}
	return " from a stage"
}
