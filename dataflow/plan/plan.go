// Package plan is the synchronisation plan: what every communication waits for
// before it may put. It is the only thing that code generation reads.
//
// A put writes a slot on the consumer. Before it does, the consumer must be done
// with what the slot held. The plans differ in how they assure it:
//
//	elide      by a proof that other messages say it, if need be with several
//	           slots or staging buffers, which it searches for; where it finds none
//	           by ready messages, on demand where that pays, or by a barrier
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
//	slot 1 elided shift of a(i-1), line 2: overlap of a # no ready message: the sum of s in line 3 orders every use before the next put
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
	Program *comm.Program // with barriers where the plan has them
	Graph   *cfg.Graph    // that of the program
	Slots   []Slot        // one per communication, in order of its number
	// Fenced is what the search, of elide, looked at to place barriers.
	Fenced []FenceTrial
	// Notes say, for people, what the words of the search mean.
	Notes []string
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

// Ready says before which puts consumers send ready messages.
type Ready uint8

const (
	// Never: none is needed.
	Never Ready = iota
	// OnDemand: a consumer sends one only if it has sent the producer no other message
	// since it was last done with the slot. Both decide this locally, since all PEs
	// execute the same communications in the same order. It needs no proof.
	OnDemand
	// Always: before every put.
	Always
)

// Form is what the puts of a communication fill, and when they wait.
type Form struct {
	Ready Ready
	// Ring is how many slots there are, filled in turn: the instance e of the
	// communication fills slot e mod Ring.
	Ring int
	// Staged: the slots are staging buffers, packed, from which each PE copies what has
	// arrived into its overlap at CO.
	Staged bool
	// Planes, with a ring of 2: successive executions fill different planes of the
	// overlap, which so is the slots.
	Planes *Planes
}

// Own reports whether the slots are the communication's own, and not cells that others
// may fill too.
func (f Form) Own() bool { return f.Staged || f.Ring > 1 }

// String is the third word of a slot line: ready; elided, without ready messages;
// on-demand; and elided*2 with a ring of two slots, elided-staged with a staging buffer,
// elided-pingpong*2 with planes of an overlap.
func (f Form) String() string {
	word := [...]string{"elided", "on-demand", "ready"}[f.Ready]
	switch {
	case f.Staged:
		word += "-staged"
	case f.Planes != nil:
		word += "-pingpong"
	}
	if f.Ring > 1 {
		word += fmt.Sprintf("*%d", f.Ring)
	}
	return word
}

// Slots says in words how many slots there are, and of what sort.
func (f Form) Slots() string {
	switch {
	case f.Planes != nil:
		return fmt.Sprintf("%d planes, ping-pong", f.Ring)
	case f.Staged && f.Ring > 1:
		return fmt.Sprintf("%d staging buffers in turn", f.Ring)
	case f.Staged:
		return "a staging buffer"
	case f.Ring > 1:
		return fmt.Sprintf("%d slots in turn", f.Ring)
	}
	return "one slot"
}

// Slot is what the puts of one communication write, and what frees it.
type Slot struct {
	Form
	Comm  *comm.Comm
	Cells string // in words
	// Verdict is that of the analysis, NeedsSync where the plan has none.
	Verdict synch.Verdict
	// Proofs, of popl96 and elide without ready messages, for any number of PEs: one for
	// each communication that may have filled the cells before; one where the slots are
	// the communication's own.
	Proofs []*proof.Certificate
	Why    string // the reason, a phrase that starts with what is done
	// Strip, of elide: the slots hold what a strip of a loop needs.
	Strip *Strip
	// At are the numbers of PEs, of those that the plan was made for in particular, on
	// which no ready messages are needed at all, ascending.
	At []int
	// Tried, of elide, is what the search looked at for this communication.
	Tried []Trial
}

// New is the plan before anything is proved, with barriers in front of the groups, and the
// pipelined regions, in which one of the communications comes first that fences has by number.
func New(c *comm.Program, k Kind, fences ...int) *Plan {
	c = c.Barriers(func(group []*comm.Comm) bool { return k == Barrier || slices.Contains(fences, group[0].ID) })
	p := &Plan{Kind: k, Program: c, Graph: c.Graph()}
	for _, x := range c.Comms {
		s := Slot{Comm: x, Form: Form{Ready: Always, Ring: 1}, Why: "ready message: the consumer sends it when it reaches the communication, behind all its uses of the slot"}
		s.Cells = cells(x)
		if k == Barrier {
			s.Ready, s.Why = Never, "no ready message: a barrier before the group, every PE has passed its last use"
		}
		p.Slots = append(p.Slots, s)
	}
	return p
}

// Take gives the slot another form.
func (s *Slot) Take(f Form) {
	s.Form, s.Cells = f, cells(s.Comm)
	if s.Strip != nil {
		s.Cells += s.Strip.cells()
	}
	s.Cells += f.cells()
}

// cells says in words what there is of the cells.
func (f Form) cells() string {
	switch {
	case f.Planes != nil:
		return ", in planes in turn"
	case !f.Staged && f.Ring == 1:
		return ""
	case !f.Staged:
		return fmt.Sprintf(", one of %d in turn", f.Ring)
	case f.Ring > 1:
		return fmt.Sprintf(" from %d staging buffers in turn", f.Ring)
	}
	return " from a staging buffer"
}

// OwnProof is the certificate for any number of PEs where the slots are the communication's
// own, nil if there is none.
func (s *Slot) OwnProof() *proof.Certificate {
	if !s.Own() || len(s.Proofs) == 0 {
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

// FreeOn reports whether the puts need no ready messages on some numbers of PEs, one
// at least.
func (s *Slot) FreeOn(pes []int) bool {
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

// StageBytes bounds, for all numbers of PEs, how many bytes the staging buffers of c take on a PE.
func (p *Plan) StageBytes(c *comm.Comm) int64 {
	slot := &p.Slots[c.ID-1]
	if !slot.Staged {
		return 0
	}
	return p.Program.StageCells(c) * c.Array.Type.Size() * int64(slot.Ring)
}

// Sharing is, by number, the communications that may fill the same cells, it included,
// ascending.
func (p *Plan) Sharing() [][]int {
	out := make([][]int, len(p.Slots)+1)
	for r := range out {
		out[r] = []int{r}
	}
	for _, c := range p.Classes {
		for _, r := range c {
			out[r] = append(out[r], c...)
		}
	}
	for r := range out {
		slices.Sort(out[r])
		out[r] = slices.Compact(out[r])
	}
	return out
}
