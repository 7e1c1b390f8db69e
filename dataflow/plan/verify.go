package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/exact"
)

// Verify checks the plan's document, without looking at how it was made, and the
// relations that its proofs take for granted by examples.
func (p *Plan) Verify() error {
	if err := p.Document().Verify(); err != nil {
		return err
	}
	for i := range p.Slots {
		if s := &p.Slots[i]; s.Planes != nil || s.Comm.Overlap && !s.Staged && s.Count > 1 {
			if err := s.checkPlanes(); err != nil {
				return err
			}
			if err := p.integers(s.Planes); err != nil {
				return err
			}
		}
	}
	for i := range p.Slots {
		if s := &p.Slots[i]; s.Strip != nil {
			if err := p.checkStrip(s); err != nil {
				return err
			}
		}
	}
	for _, e := range p.Exact {
		if err := p.follow(e); err != nil {
			return fmt.Errorf("the proofs for %d PEs: %w", e.PEs, err)
		}
	}
	return p.contradict()
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
//     same cells;
//   - in elide, that, or one over the ages of its values where the slots are its own,
//     or as many slots as there can be executions; where ready messages are left out on some numbers of PEs only, proofs of which
//     the claims are inductive for these.
//
// popl96-literal promises nothing about the ready messages that it leaves out,
// and nothing is checked of it.
func (d *Document) Verify() error {
	ready := map[int]bool{}
	for _, s := range d.Slots {
		ready[s.ID] = s.Ready
		if s.Alternating && s.Sub == "" {
			return fmt.Errorf("#%d has planes as slots, and nothing is said of what they are", s.ID)
		}
		if s.Alternating {
			if err := checkPlanesText(d.Graph, s.ID, s.Sub); err != nil {
				return fmt.Errorf("#%d has planes by turns as slots: %w", s.ID, err)
			}
		}
		if d.Kind != Elide && (s.Staged || s.Count != 1 || s.Proof != nil || s.At != nil || s.Times != 0 || s.Unheard) {
			return fmt.Errorf("#%d has stages, several slots, numbers of PEs of its own, or heeds who has been heard from, which plan %s does not have", s.ID, d.Kind)
		}
		if s.Unheard && !s.Staged && slices.ContainsFunc(d.Classes, func(c []int) bool { return slices.Contains(c, s.ID) }) {
			return fmt.Errorf("#%d fills the cells of others too, and heeds only who has been heard from since its own use", s.ID)
		}
		if s.Ready && s.Times != 0 {
			return fmt.Errorf("#%d has ready messages, and a slot for each of its executions", s.ID)
		}
		if s.Strip != nil {
			if d.Kind != Elide || s.Staged || s.Alternating {
				return fmt.Errorf("#%d comes in strips, which only temporaries of plan %s do", s.ID, Elide)
			}
			if err := d.checkStrips(s.Strip); err != nil {
				return fmt.Errorf("#%d comes in strips, and its source may be overwritten too early: %w", s.ID, err)
			}
		}
		if s.Unheard && s.Proof != nil {
			return fmt.Errorf("#%d has ready messages, and a proof that it needs none", s.ID)
		}
	}
	checked := map[int]*exact.Checked{}
	for _, e := range d.Exact {
		c, err := e.Check(d.Graph)
		if err != nil {
			return fmt.Errorf("the proofs for %d PEs: %w", e.PEs, err)
		}
		checked[e.PEs] = c
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
				if err := d.ordered(n); err != nil {
					return err
				}
			}
			if err := d.orderedOn(n, checked); err != nil {
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

// ordered checks what takes the place of ready messages at communication node c.
func (d *Document) ordered(c *cfg.Node) error {
	switch d.Kind {
	case PopL96Literal:
		return nil
	case PopL96, Elide:
		if !puts(c, c.Ref) {
			return nil
		}
		s := &d.Slots[c.Ref-1]
		switch {
		case s.Times > 0:
			return d.checkTimes(c, s)
		case s.Staged || s.Count > 1 || s.Proof != nil:
			return d.checkSlots(c, s)
		}
		return d.checkQuiet(c)
	}
	if c.Flavour != "send" && !behindBarrier(c) {
		return fmt.Errorf("line %d: %s puts without ready message, and no barrier stands before it", c.Line, c.Name())
	}
	return nil
}

// orderedOn checks what takes the place of the ready messages of communication node c
// on the numbers of PEs on which there are none. Proofs for these are about the PEs
// that take part. So each use of the cells needs one, and not only the last.
func (d *Document) orderedOn(c *cfg.Node, checked map[int]*exact.Checked) error {
	s := &d.Slots[c.Ref-1]
	if !puts(c, c.Ref) || len(s.At) == 0 {
		return nil
	}
	class := sharing(d.Classes, s.ID)
	own := s.Staged || s.Count > 1
	switch {
	case s.Staged && (c.Flavour == "recv" || c.Flavour == "send"):
		return fmt.Errorf("line %d: %s is pipelined, so what comes goes where it is used, and not into a stage", c.Line, c.Name())
	case own && !s.Staged && len(class) > 1:
		return fmt.Errorf("line %d: %s fills the cells of others too, and has a proof over its own values only", c.Line, c.Name())
	case own:
		class = []int{s.ID}
	}
	for _, pes := range s.At {
		p := checked[pes]
		if p == nil {
			return fmt.Errorf("line %d: %s puts without ready message on %d PEs, and there are no proofs for these", c.Line, c.Name(), pes)
		}
		for _, use := range class {
			if !own && d.proof(use, s.ID) != nil {
				if err := d.checkProof(d.proof(use, s.ID)); err == nil {
					continue
				}
			}
			if err := p.Orders(use, s.Count, s.Staged, s.ID); err != nil {
				return fmt.Errorf("line %d: %s puts without ready message: %w", c.Line, c.Name(), err)
			}
		}
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
				if stops(st.node) {
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

// stops reports whether n is a STOP statement.
func stops(n *cfg.Node) bool {
	return n.Kind == cfg.Stmt && (strings.HasPrefix(n.Text, "stop") || strings.HasPrefix(n.Text, "error stop"))
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
