// Package plan is the synchronisation plan: what every communication waits for
// before it may put. It is the only thing that code generation reads.
//
// A put writes a slot on the consumer. Before it does, the consumer must be done
// with what the slot held. The plans differ in how they assure it:
//
//	elide      by a proof that other messages say it, if need be with several
//	           slots, stages, and exchanges one after another, which it searches
//	           for; where it finds none by ready messages, if that pays only from
//	           those who have sent nothing since, or by a barrier
//	popl96     by a proof, where there is one for a single slot as the program
//	           stands; by a ready message elsewhere
//	handshake  the consumer sends the producer a ready message when it reaches
//	           the communication: its earlier uses of the slot lie behind it
//	barrier    all PEs meet before each group of communications: then nobody
//	           uses any slot of the group
//
// popl96-literal leaves out ready messages by the analysis as the paper prints
// it, which has errors. It is kept for comparison, and is not in Kinds.
//
// Arrival is the same in all: the put sets a flag to the epoch of the
// communication, and the consumer waits for exactly that epoch.
//
// The proofs of popl96 are part of the plan. In
//
//	do k = 1, n
//	   b(2:n) = a(1:n-1)      ! #1 shift
//	   s = s + sum(b)
//	end do
//
// nobody puts #1 anew before the sum is known, to which every PE contributes
// when it is done with the old values:
//
//	slot 1 quiet shift of a(i-1), line 2: overlap of a # no ready message: the sum of s in line 3 orders every use before the next put
//	proof 1 1: 1-2 NoSync, 7-8 Cons
package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir"
)

// Kind names a plan.
type Kind string

const (
	Elide         Kind = "elide"
	PopL96        Kind = "popl96"
	Handshake     Kind = "handshake"
	Barrier       Kind = "barrier"
	PopL96Literal Kind = "popl96-literal"
)

// Kinds lists the plans that give right programs; the strongest comes first and
// is the default.
var Kinds = []Kind{Elide, PopL96, Handshake, Barrier}

// ParseKind reads the name of a plan, also of popl96-literal. The error lists
// those that give right programs.
func ParseKind(s string) (Kind, error) {
	if k := Kind(s); k == PopL96Literal || slices.Contains(Kinds, k) {
		return k, nil
	}
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	return "", fmt.Errorf("unknown plan %q: choose %s", s, strings.Join(names[:len(names)-1], ", ")+" or "+names[len(names)-1])
}

// Sound reports whether programs with plan k are right.
func (k Kind) Sound() bool { return slices.Contains(Kinds, k) }

// Plan is a program in SPMD form with its synchronisation.
type Plan struct {
	Kind    Kind
	Program *comm.Program
	Graph   *cfg.Graph // with communication nodes, and barriers where the plan has them
	Slots   []Slot     // one per communication, in order of its number
	// Fences, of elide, are the numbers of communications, ascending: before the group,
	// or the pipelined region, in which such a one comes first stands a barrier.
	Fences []int
	// Fenced is what the search looked at to place them.
	Fenced []FenceTrial
	// Classes are the numbers of communications that may fill the same cells,
	// ascending, where there are several; a communication may be in more than one.
	// Plans without analysis leave it nil.
	Classes [][]int
	// Finite are the proofs for numbers of PEs, ascending, that the plan was made for in
	// particular.
	Finite []Finite
}

// Finite is the proofs for one number of PEs, over common copies of the graph's nodes.
type Finite struct {
	*proof.Unfolding
	Certificates []*proof.Certificate
}

// Slot is what the puts of one communication write, and what frees it.
type Slot struct {
	Comm  *comm.Comm
	Cells string // in words
	Ready bool   // a ready message before every put
	// OnDemand, with Ready: only from those consumers that have sent the producer no
	// message at all since they were done with the slot, which both PEs note as the
	// program runs. It needs no proof. The slots belong to the communication alone.
	OnDemand bool
	// Verdict is that of the analysis, NeedsSync where the plan has none.
	Verdict synch.Verdict
	// Proofs, of popl96 and elide without ready messages, for any number of PEs: one for
	// each communication that may have filled the cells before; one where the slots are
	// the communication's own.
	Proofs []*proof.Certificate
	Why    string // the reason, a phrase that starts with what is done
	// Count is how many slots the puts take turns in: the instance e of the
	// communication fills slot e mod Count.
	Count int
	// Staged: the slots are stages, packed, from which each PE copies what has
	// arrived into its overlap at CO.
	Staged bool
	// Planes, with a Count of 2: successive executions fill different planes of the
	// overlap, which so is the slots.
	Planes *Planes
	// Strip, of elide: the slots hold what a strip of a loop needs.
	Strip *Strip
	// Times, from 1, is the most executions that there can be, where there is a slot for
	// each, which so needs no other proof; else 0.
	Times int
	// Pairwise are the communications that the proof counts on pair by pair: a PE
	// that puts to another one waits for a ready message unless each of them goes
	// the other way between the two, which both know.
	Pairwise []int
	// At are the numbers of PEs, of those that the plan was made for in particular, on
	// which no ready messages are needed at all, ascending.
	At []int
	// Tried, of elide, is what the search looked at for this communication.
	Tried []Trial
}

// Relations is what the proofs need to know of the messages of a program.
// *procfunc.Functions answers it.
type Relations interface {
	// Classes are the numbers of communications that may fill the same cells, with
	// those that may do so with these; each communication is in one.
	Classes() [][]int
	// Shared are groups of two and more communications that may fill the same cells,
	// each two of a group; a communication may be in several, or none.
	Shared() [][]int
	// Items lists the pairs (use, put) of one class for which it has to be shown
	// that the use is over before the put.
	Items() [][2]int
	// KillsAfter is a synch.Kills.
	KillsAfter(y, put, nth int) bool
	// Chains are the sequences of communications that kill together, each complete before
	// the next starts, what none of them kills alone (Theorem 3).
	Chains(put int) [][]int
	// Alike reports whether y has the same messages in each execution within the
	// outermost loop around put.
	Alike(y, put int) bool
	// AnswersAll reports whether each execution of y answers all executions of x in the
	// outermost loop around both, which have the same messages.
	AnswersAll(y, x int) bool
	// Answers guesses whether y answers most messages of put.
	Answers(y, put int) bool
	// LiteralKills is the paper's own test, for popl96-literal; with a number of PEs above
	// 0 for that number.
	LiteralKills(pes, y, x int) bool
}

// Options are for plan elide.
type Options struct {
	// Memory is how many bytes the slots that the plan adds may take on one PE, for
	// whatever number of PEs; 0 stands for DefaultMemory, less for none at all.
	Memory int64
	// PEs are the numbers of PEs that the program is to run on in particular: ready
	// messages that are needed on other numbers only are left out there.
	PEs []int
	// BarrierThreshold is how many ready messages a nest may need each time that it is
	// executed, by estimate, before a barrier in it is tried; 0 stands for
	// DefaultBarrierThreshold, less for no barriers.
	BarrierThreshold float64
	// Strip, above 0, fills every temporary that can be in strips of so many iterations
	// of the loop that uses it; below 0 none. With 0 strips are tried where several slots
	// would make ready messages unnecessary and do not fit the memory.
	Strip int
	// Relations are those of a program and its graph; nil stands for procfunc.Analyze.
	Relations func(*comm.Program, *cfg.Graph) Relations
}

// MostSlots is the most slots of a communication that sends ready messages to the
// unheard.
const MostSlots = 64

// DefaultBarrierThreshold is the bound on ready messages of a nest where none is given.
const DefaultBarrierThreshold = 100

// DefaultMemory is the bound on added slots where none is given: 64 MB per PE.
const DefaultMemory = 64 << 20

// Make plans the synchronisation of c, whose graph has the relations rel. Plans
// handshake and barrier do not look at them. pes are numbers of PEs that the program is
// to run on in particular: popl96 and elide leave out there what is needed on others.
func Make(c *comm.Program, k Kind, rel Relations, pes ...int) *Plan {
	if k == Elide {
		return Search(c, rel, Options{PEs: pes})
	}
	p := start(c, k)
	switch k {
	case PopL96:
		p.prove(workers(p.Graph, rel, len(p.Slots)))
		known := newKnown(p, rel, severalPEs(pes))
		known.asTheyStand(p)
		known.settle(p)
	case PopL96Literal:
		p.believe(rel, severalPEs(pes))
	}
	return p
}

// start is the plan before anything is proved.
func start(c *comm.Program, k Kind, fences ...int) *Plan {
	p := &Plan{Kind: k, Program: c, Fences: fences}
	p.Graph = c.GraphBarriers(p.fenced)
	for _, x := range c.Comms {
		s := Slot{Comm: x, Count: 1, Ready: true, Why: "ready message: the consumer tells the producer that the slot is free when it reaches the communication"}
		s.Cells = cells(x)
		if k == Barrier {
			s.Ready, s.Why = false, "no ready message: a barrier before the group, every PE has passed its last use"
		}
		p.Slots = append(p.Slots, s)
	}
	return p
}

// Ring is the certificate for any number of PEs where the slots are the communication's
// own, nil if there is none.
func (s *Slot) Ring() *proof.Certificate {
	if !s.own() || len(s.Proofs) == 0 {
		return nil
	}
	return s.Proofs[0]
}

// On are the certificates for a number of PEs about the puts of communication r.
func (p *Plan) On(pes, r int) (out []*proof.Certificate) {
	for _, f := range p.Finite {
		for _, c := range f.Certificates {
			if f.PEs == pes && slices.Contains(c.Puts, r) {
				out = append(out, c)
			}
		}
	}
	return out
}

// free reports whether the puts need no ready messages on some numbers of PEs, one
// at least.
func (s *Slot) free(pes []int) bool {
	for _, n := range pes {
		if !slices.Contains(s.At, n) {
			return false
		}
	}
	return len(pes) > 0
}

// cells says what the puts of x write where they have one slot.
func cells(x *comm.Comm) string {
	switch {
	case x.Overlap:
		return "overlap of " + x.Array.Name
	case x.Kind == comm.Irregular:
		return "list of requests, list of values"
	}
	return fmt.Sprintf("temporary t%d", x.ID)
}

// Ready reports whether puts of c wait for a ready message.
func (p *Plan) Ready(c *comm.Comm) bool { return p.Slots[c.ID-1].Ready }

// BarrierBefore reports whether a barrier stands before the group.
func (p *Plan) BarrierBefore(g *comm.Post) bool { return p.fenced(g.Comms) }

// BarrierAtPipe reports whether a barrier stands before a pipelined region: one
// for all its communications, since the first already waits for other PEs.
func (p *Plan) BarrierAtPipe(g *comm.Pipe) bool { return p.fenced(g.Comms) }

func (p *Plan) fenced(group []*comm.Comm) bool {
	return p.Kind == Barrier || p.fence(group[0])
}

// fence reports whether a barrier of elide stands before c.
func (p *Plan) fence(c *comm.Comm) bool { return slices.Contains(p.Fences, c.ID) }

// Comment says in one line what c moves and how its puts synchronise.
func (p *Plan) Comment(c *comm.Comm) string {
	return fmt.Sprintf("#%d %s of %s, line %d: %s; %s", c.ID, c.Kind, ir.ExprString(c.Refs[0]), c.Line, c.Moves(), p.Why(c))
}

// Why says what puts of c wait for, and what becomes of its source where it comes in
// strips, and the reasons.
func (p *Plan) Why(c *comm.Comm) string {
	slot := &p.Slots[c.ID-1]
	if slot.Strip == nil {
		return slot.Why
	}
	return slot.Why + "; " + p.WhyStrip(slot.Strip)
}
