package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// Verify checks what only the program says of the slots, then the plan's document, both
// without looking at how it was made, and the relations that its proofs take for
// granted by examples.
func (p *Plan) Verify() error {
	for i := range p.Slots {
		if err := p.verifySlot(&p.Slots[i]); err != nil {
			return err
		}
	}
	if err := p.Document().Verify(); err != nil {
		return err
	}
	for _, f := range p.Finite {
		if err := p.follow(f.Unfolding); err != nil {
			return fmt.Errorf("the proofs for %d PEs: %w", f.PEs, err)
		}
	}
	return p.contradict()
}

// verifySlot checks of a slot what only the program says.
func (p *Plan) verifySlot(s *Slot) error {
	if s.Planes != nil || s.Comm.Overlap && !s.Staged && s.Count > 1 {
		if err := p.checkPlanes(s); err != nil {
			return err
		}
	}
	if s.Times > 0 {
		if err := p.checkTimes(s); err != nil {
			return err
		}
	}
	if s.Strip != nil {
		return p.checkStrip(s)
	}
	return nil
}

// Verify checks that on every path each communication C_r is followed by CO_r,
// then UO_r, before C_r comes again or the program ends; that neither comes
// without C_r; and that something else takes the place of every ready message
// that the plan leaves out:
//
//   - in handshake and barrier, a barrier directly before the puts, with nothing
//     but communications of the same group in between: the last use of the slot,
//     which ends at UO_r, then lies before the barrier on every PE;
//   - in popl96, an inductive proof for every communication that may fill the
//     same cells; where ready messages are left out on some numbers of PEs only, one that
//     is inductive for these;
//   - in elide, that, or one over the ages of its values where the slots are its own,
//     or as many slots as there can be executions.
//
// popl96-literal promises nothing about the ready messages that it leaves out,
// and nothing is checked of it.
func (d *Document) Verify() error {
	v := &verifier{d, proof.NewChecker(d.Graph), map[*proof.Certificate]error{}}
	ready := map[int]bool{}
	for _, s := range d.Slots {
		ready[s.ID] = s.Ready
		if (d.Kind == Handshake || d.Kind == Barrier) && s.At != nil {
			return fmt.Errorf("#%d needs no ready messages on some numbers of PEs, of which plan %s knows nothing", s.ID, d.Kind)
		}
		if d.Kind != Elide && (s.Staged || s.Count != 1 || s.Pairwise != nil || s.Times != 0 || s.OnDemand) {
			return fmt.Errorf("#%d has stages, several slots, or heeds who has been heard from, which plan %s does not have", s.ID, d.Kind)
		}
		if s.OnDemand && !s.Staged && slices.ContainsFunc(d.Classes, func(c []int) bool { return slices.Contains(c, s.ID) }) {
			return fmt.Errorf("#%d fills the cells of others too, and heeds only who has been heard from since its own use", s.ID)
		}
		if s.Ready && s.Times != 0 {
			return fmt.Errorf("#%d has ready messages, and a slot for each of its executions", s.ID)
		}
		if s.Strip != nil {
			if d.Kind != Elide || s.Staged || s.Alternating {
				return fmt.Errorf("#%d comes in strips, which only temporaries of plan %s do", s.ID, Elide)
			}
			if err := d.checkStrips(s.Strip, v.checker); err != nil {
				return fmt.Errorf("#%d comes in strips, and its source may be overwritten too early: %w", s.ID, err)
			}
		}
		if s.OnDemand && len(s.Pairwise) > 0 {
			return fmt.Errorf("#%d has ready messages, and a proof that most pairs of PEs need none", s.ID)
		}
	}
	for _, f := range d.Finite {
		if _, err := v.checker.Unfolded(f.Unfolding); err != nil {
			return fmt.Errorf("the proofs for %d PEs: %w", f.PEs, err)
		}
	}
	for _, n := range d.Graph.Nodes {
		switch n.Kind {
		case cfg.Comm:
			if _, ok := ready[n.Ref]; !ok {
				return fmt.Errorf("line %d: %s has no slot", n.Line, n.Name())
			}
			if n.Flavour != "send" {
				if err := d.completes(n); err != nil {
					return err
				}
			}
			if !ready[n.Ref] {
				if err := v.ordered(n); err != nil {
					return err
				}
			}
			if err := v.orderedOn(n); err != nil {
				return err
			}
		case cfg.CommOver, cfg.UseOver:
			if _, ok := ready[n.Ref]; !ok {
				return fmt.Errorf("line %d: %s has no slot", n.Line, n.Name())
			}
		}
	}
	for _, s := range d.Slots {
		if err := d.begins(s.ID); err != nil {
			return err
		}
	}
	return nil
}

// verifier checks a document.
type verifier struct {
	*Document
	checker *proof.Checker
	checked map[*proof.Certificate]error
}

// check checks a certificate, once.
func (v *verifier) check(c *proof.Certificate) error {
	err, known := v.checked[c]
	if !known {
		err = v.checker.Check(c)
		v.checked[c] = err
	}
	return err
}

// ordered checks what takes the place of ready messages at communication node c.
func (v *verifier) ordered(c *cfg.Node) error {
	switch v.Kind {
	case PopL96Literal:
		return nil
	case PopL96, Elide:
		if !puts(c, c.Ref) {
			return nil
		}
		s := &v.Slots[c.Ref-1]
		switch {
		case s.Times > 0:
			return v.checkCounted(c, s)
		case s.Staged || s.Count > 1 || len(s.Pairwise) > 0:
			return v.checkRing(c, s)
		}
		return v.checkShared(c)
	}
	if c.Flavour != "send" && !behindBarrier(c) {
		return fmt.Errorf("line %d: %s puts without ready message, and no barrier stands before it", c.Line, c.Name())
	}
	return nil
}

// own wants slots that no other communication fills.
func (v *verifier) own(put *cfg.Node, s *SlotLine) error {
	switch {
	case s.Staged && (put.Flavour == "recv" || put.Flavour == "send"):
		return fmt.Errorf("line %d: %s is pipelined, so what comes goes where it is used, and not into a stage", put.Line, put.Name())
	case !s.Staged && slices.ContainsFunc(v.Classes, func(c []int) bool { return slices.Contains(c, s.ID) }):
		return fmt.Errorf("line %d: %s fills the cells of others too, and has a proof over its own values only", put.Line, put.Name())
	}
	return nil
}

// checkRing wants, for a communication with slots of its own that puts without ready
// messages, a certificate over the generations of its values.
func (v *verifier) checkRing(put *cfg.Node, s *SlotLine) error {
	p := v.proof(s.ID, s.ID)
	if p == nil {
		return fmt.Errorf("line %d: %s puts without ready message, and no proof says that its slots are free by then", put.Line, put.Name())
	}
	if err := v.own(put, s); err != nil {
		return err
	}
	if p.Ring != s.Count || p.Staged != s.Staged || !slices.Equal(p.Pairwise, s.Pairwise) {
		return fmt.Errorf("line %d: %s has %d slots, and a proof over other ones: %v", put.Line, put.Name(), s.Count, p)
	}
	if err := v.check(p); err != nil {
		return fmt.Errorf("line %d: %s puts without ready message: the proof over its slots fails: %w", put.Line, put.Name(), err)
	}
	return nil
}

// checkShared wants, for a communication that puts without ready messages, a certificate
// for every communication of its class whose use may be the last to have ended, or not be
// over, when it puts; one for itself if there is none.
func (v *verifier) checkShared(put *cfg.Node) error {
	class := sharing(v.Classes, put.Ref)
	proved := slices.ContainsFunc(class, func(use int) bool { return v.proof(use, put.Ref) != nil })
	for _, use := range class {
		p := v.proof(use, put.Ref)
		if p == nil {
			if (proved || use != put.Ref) && !v.reaches(use, put, class) {
				continue
			}
			return fmt.Errorf("line %d: %s puts without ready message, and no proof says that the value of #%d is dead by then", put.Line, put.Name(), use)
		}
		if err := v.shared(p); err != nil {
			return fmt.Errorf("line %d: %s puts without ready message: the proof for the value of #%d fails: %w", put.Line, put.Name(), use, err)
		}
	}
	return nil
}

// shared checks a certificate about one slot that others may fill too.
func (v *verifier) shared(p *proof.Certificate) error {
	if p.Ring != 1 || p.Staged || len(p.Pairwise) > 0 {
		return errors.New("it is about other slots")
	}
	return v.check(p)
}

// proof is the certificate for any number of PEs for a pair of communications, nil if
// there is none.
func (v *verifier) proof(use, put int) *proof.Certificate {
	if put < 1 || put > len(v.Slots) {
		return nil
	}
	for _, p := range v.Slots[put-1].Proofs {
		if p.Use == use && p.On == nil && slices.Equal(p.Puts, []int{put}) {
			return p
		}
	}
	return nil
}

// finite is the certificate for a number of PEs for a pair of communications, nil if there
// is none.
func (v *verifier) finite(pes, use int, s *SlotLine) *proof.Certificate {
	for _, f := range v.Finite {
		for _, p := range f.Certificates {
			if p.On == f.Unfolding && f.PEs == pes && p.Use == use && p.Ring == s.Count && p.Staged == s.Staged && slices.Contains(p.Puts, s.ID) {
				return p
			}
		}
	}
	return nil
}

// orderedOn checks what takes the place of the ready messages of communication node c
// on the numbers of PEs on which there are none. Proofs for these are about the PEs
// that take part. So each use of the cells needs one, and not only the last.
func (v *verifier) orderedOn(c *cfg.Node) error {
	s := &v.Slots[c.Ref-1]
	if !puts(c, c.Ref) || len(s.At) == 0 || v.Kind == PopL96Literal {
		return nil
	}
	class := sharing(v.Classes, s.ID)
	own := s.Staged || s.Count > 1
	if own {
		if err := v.own(c, s); err != nil {
			return err
		}
		class = []int{s.ID}
	}
	for _, pes := range s.At {
		for _, use := range class {
			if p := v.proof(use, s.ID); !own && p != nil && v.shared(p) == nil {
				continue
			}
			p := v.finite(pes, use, s)
			if p == nil {
				return fmt.Errorf("line %d: %s puts without ready message on %d PEs, and nothing is claimed of the uses of #%d there", c.Line, c.Name(), pes, use)
			}
			if err := v.check(p); err != nil {
				return fmt.Errorf("line %d: %s puts without ready message on %d PEs: %w", c.Line, c.Name(), pes, err)
			}
		}
	}
	return nil
}

// reaches reports whether some path leads from communication use to put on which
// its own use is not over, or is the last of the class to end.
func (d *Document) reaches(use int, put *cfg.Node, class []int) bool {
	ends := func(n *cfg.Node, r int) bool { return n.Kind == cfg.UseOver && n.Ref == r }
	seen := make([]bool, len(d.Graph.Nodes))
	// Back from the put: the first ends of uses that come up are the last ones.
	work := []*cfg.Node{put}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range n.Preds {
			switch {
			case ends(p, use):
				return true
			case seen[p.ID] || p.Kind == cfg.UseOver && slices.Contains(class, p.Ref):
			default:
				seen[p.ID] = true
				work = append(work, p)
			}
		}
	}
	// On from the communication, as long as its use is not over.
	clear(seen)
	for _, n := range d.Graph.Nodes {
		if n.Kind == cfg.Comm && n.Ref == use {
			work = append(work, n)
		}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range at.Succs {
			switch {
			case n == put:
				return true
			case !seen[n.ID] && !ends(n, use):
				seen[n.ID] = true
				work = append(work, n)
			}
		}
	}
	return false
}

// checkCounted wants, for a communication with a slot for each of its executions, slots
// of its own, as many as there are executions. How many these are is in the program
// alone.
func (d *Document) checkCounted(put *cfg.Node, s *SlotLine) error {
	bad := func(text string) error {
		return fmt.Errorf("line %d: %s puts without ready message, with a slot for each of %d executions: %s", put.Line, put.Name(), s.Times, text)
	}
	switch {
	case s.Times < 1 || s.Count < s.Times:
		return bad(fmt.Sprintf("there are %d slots", s.Count))
	case put.Flavour == "recv" || put.Flavour == "send":
		return bad("it is pipelined, and has one slot")
	case !s.Staged && slices.ContainsFunc(d.Classes, func(c []int) bool { return slices.Contains(c, s.ID) }):
		return bad("it fills the cells of others too")
	}
	return nil
}

// completes walks all paths from c: CO must come before UO, and both before c
// comes again or the program ends, STOP aside.
func (d *Document) completes(c *cfg.Node) error {
	type state struct {
		node *cfg.Node
		over bool
	}
	seen := [2][]bool{make([]bool, len(d.Graph.Nodes)), make([]bool, len(d.Graph.Nodes))} // without CO, with it
	work := []state{{c, false}}
	for len(work) > 0 {
		st := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range st.node.Succs {
			over := st.over
			switch {
			case n == nil:
				continue
			case n.Kind == cfg.CommOver && n.Ref == c.Ref:
				over = true
			case n.Kind == cfg.UseOver && n.Ref == c.Ref:
				if !over {
					return fmt.Errorf("line %d: UO_%d is reached from C_%d in line %d without CO_%d", n.Line, c.Ref, c.Ref, c.Line, c.Ref)
				}
				continue
			case n == c:
				return fmt.Errorf("line %d: C_%d is reached again before UO_%d", c.Line, c.Ref, c.Ref)
			case n.Kind == cfg.Exit:
				if st.node.Kind == cfg.Stmt && st.node.Flavour == cfg.Stop {
					continue
				}
				return fmt.Errorf("the program ends behind C_%d in line %d without UO_%d", c.Ref, c.Line, c.Ref)
			}
			behind := seen[0]
			if over {
				behind = seen[1]
			}
			if !behind[n.ID] {
				behind[n.ID] = true
				work = append(work, state{n, over})
			}
		}
	}
	return nil
}

// begins walks all paths from the entry that avoid C_r: none may reach CO_r or
// UO_r.
func (d *Document) begins(r int) error {
	seen := make([]bool, len(d.Graph.Nodes))
	work := []*cfg.Node{d.Graph.Entry}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n == nil || seen[n.ID] || n.Kind == cfg.Comm && n.Ref == r && n.Flavour != "send" {
			continue
		}
		seen[n.ID] = true
		if (n.Kind == cfg.CommOver || n.Kind == cfg.UseOver) && n.Ref == r {
			return fmt.Errorf("line %d: %s is reached without C_%d before it", n.Line, n.Name(), r)
		}
		work = append(work, n.Succs...)
	}
	return nil
}

// behindBarrier reports whether on every path into c a barrier comes last, other
// communications posted in the same group aside.
func behindBarrier(c *cfg.Node) bool {
	seen := map[*cfg.Node]bool{}
	var up func(n *cfg.Node) bool
	up = func(n *cfg.Node) bool {
		if len(n.Preds) == 0 {
			return false
		}
		for _, p := range n.Preds {
			if seen[p] {
				continue
			}
			seen[p] = true
			switch {
			case p.Kind == cfg.Barrier:
			case p.Kind == cfg.Comm, p.Kind == cfg.CommOver, p.Kind == cfg.Reduce && p.Flavour == comm.Agree:
				if !up(p) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return up(c)
}
