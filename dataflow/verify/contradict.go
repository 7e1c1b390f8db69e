package verify

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/simulate"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
)

// A proof says that some messages answer others, by algebra, for all numbers of
// PEs and sizes. Here the same is looked at by example, which can only show that a proof
// is wrong, never that it is right.

// Contradict looks for an execution that contradicts the proofs of p.
func Contradict(p *plan.Plan) error {
	if !slices.ContainsFunc(p.Slots, func(s plan.Slot) bool {
		return len(s.Proofs) > 0 || len(s.At) > 0 || s.Strip != nil
	}) {
		return nil
	}
	numbers := slices.Clone(simulate.PEs)
	for _, e := range p.Finite {
		numbers = append(numbers, e.PEs)
	}
	slices.Sort(numbers)
	for _, pes := range slices.Compact(numbers) {
		for run := range simulate.Runs {
			w := &contradiction{expected: map[*proof.Certificate][]answer{}, planes: map[int]int64{}, unknown: map[int]bool{}}
			simulate.New(p, pes, uint64(run), simulate.Events, w).Execute()
			if w.err != nil {
				return fmt.Errorf("an example with %d PEs: %w", pes, w.err)
			}
		}
	}
	return nil
}

// contradiction looks for one in an execution.
type contradiction struct {
	err      error
	expected map[*proof.Certificate][]answer // what proofs count on
	planes   map[int]int64                   // by communication: that of its last put, if it is known
	unknown  map[int]bool                    // communications of which some messages were not known
}

// answer is an instance of a communication that is to answer a put to come.
type answer struct {
	by       int
	at       int // puts of use and put before it
	left     int // puts to come, that one included
	known    bool
	messages []procfunc.Pair
}

// fail notes the first contradiction, and ends the execution.
func (w *contradiction) fail(r *simulate.Run, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
	r.Stop()
}

// Put holds what is put now against the proofs that it needs no ready messages, and notes
// what proofs count on.
func (w *contradiction) Put(r *simulate.Run, c *comm.Comm, messages []procfunc.Pair, known bool) {
	s := &r.Plan.Slots[c.ID-1]
	w.plane(r, s)
	w.unknown[c.ID] = w.unknown[c.ID] || !known
	all := known
	for _, p := range s.Proofs {
		all = w.answered(r, s, p, messages, known) && all
	}
	if all && (s.Ready == plan.Never || slices.Contains(s.At, r.PEs)) {
		w.ordered(r, s, messages)
	}
	for i := range r.Plan.Slots {
		for _, p := range r.Plan.Slots[i].Proofs {
			for _, k := range p.Kills {
				if k.Comm == c.ID && k.Via == 0 {
					w.expected[p] = append(w.expected[p], answer{c.ID, r.Posted(p.Use), k.Nth, known, messages})
				}
			}
		}
	}
}

// answered checks that what a proof for the puts of s counts on was sent, but for chains,
// of which ordered sees what they acknowledge. It is false where that is not known.
func (w *contradiction) answered(r *simulate.Run, s *plan.Slot, p *proof.Certificate, messages []procfunc.Pair, known bool) bool {
	var waiting []answer
	all := true
	for _, a := range w.expected[p] {
		if a.left--; a.left > 0 {
			waiting = append(waiting, a)
			continue
		}
		if p.Use != s.Comm.ID && r.Posted(p.Use) != a.at {
			continue // it comes before the use
		}
		all = all && a.known
		for _, m := range messages {
			if known && a.known && !slices.Contains(a.messages, procfunc.Pair{From: m.To, To: m.From}) {
				w.fail(r, "line %d: the proof that #%d may put over the value of #%d counts on a message of #%d from PE %d to PE %d, which is not sent", s.Comm.CLine, s.Comm.ID, p.Use, a.by, m.To, m.From)
				return false
			}
		}
	}
	w.expected[p] = waiting
	for _, y := range slices.Concat(p.Chains()...) {
		all = all && !w.unknown[y]
	}
	return all
}

// ordered checks that all who put know that what they overwrite is dead.
func (w *contradiction) ordered(r *simulate.Run, s *plan.Slot, messages []procfunc.Pair) {
	for _, u := range r.Overwrites(s.Comm.ID) {
		for _, m := range messages {
			switch end := u.Ends[m.To]; {
			case end == simulate.InUse:
				w.fail(r, "line %d: #%d puts over the value of #%d, which is in use", s.Comm.CLine, s.Comm.ID, u.Comm)
				return
			case end > r.Knows(m.From, m.To):
				w.fail(r, "line %d: when #%d puts from PE %d to PE %d, nothing has acknowledged to PE %d that PE %d is done with the value of #%d", s.Comm.CLine, s.Comm.ID, m.From, m.To, m.From, m.To, u.Comm)
				return
			}
		}
	}
}

// plane wants another plane than that of the last execution.
func (w *contradiction) plane(r *simulate.Run, s *plan.Slot) {
	if s.Planes == nil {
		return
	}
	known := true
	plane, ok := s.Planes.Sub.Eval(func(name string) int64 {
		v, ok := r.Value(name)
		known = known && ok
		return v
	})
	last, there := w.planes[s.Comm.ID]
	delete(w.planes, s.Comm.ID)
	if !ok || !known {
		return
	}
	if there && plane == last {
		w.fail(r, "line %d: #%d fills plane %d of dimension %d twice in succession", s.Comm.CLine, s.Comm.ID, plane, s.Planes.Dim)
	}
	w.planes[s.Comm.ID] = plane
}

// Assign checks that all know who has got what a statement may overwrite to be done with it.
func (w *contradiction) Assign(r *simulate.Run, stmt ir.Stmt) {
	for i := range r.Plan.Slots {
		s := &r.Plan.Slots[i]
		if s.Strip == nil || s.Strip.Completes || w.err != nil || !comm.Assigns(stmt, s.Comm.Array) {
			continue
		}
		for m, end := range r.Got(s.Comm.ID) {
			if end > r.Knows(m.From, m.To) {
				w.fail(r, "line %d: nothing has acknowledged to PE %d, which overwrites %s, that PE %d is done with what it got for #%d", stmt.Position().Line, m.From, s.Comm.Array.Name, m.To, s.Comm.ID)
			}
		}
		r.Forget(s.Comm.ID)
	}
}
