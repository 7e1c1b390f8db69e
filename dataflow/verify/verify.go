// Package verify checks synchronisation plans: that something else takes the place of each
// ready message that a plan leaves out. It shares no code with the analyses that found the
// proofs, and imports none of them. In
//
//	C_1  CO_1  UO_1  sum  C_1 ...
//
// a plan without ready messages for #1 needs a certificate that the sum orders every UO_1
// before the next C_1, each step of which is checked; then the communications are executed
// on a few PEs with clocks, to find an example that contradicts it.
package verify

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/internal/parallel"
)

// Plan checks a plan as Proofs does, and the relations that its proofs take for granted, by
// examples.
func Plan(p *plan.Plan) error {
	if err := Proofs(p); err != nil {
		return err
	}
	return Contradict(p)
}

// Proofs checks a plan, without looking at how it was made: what only the program says of
// the slots, its graph and proofs (Graph), and that the proofs for numbers of PEs allow for
// all that the program can do.
func Proofs(p *plan.Plan) error {
	for i := range p.Slots {
		if err := slot(p, &p.Slots[i]); err != nil {
			return err
		}
	}
	if err := Graph(p); err != nil {
		return err
	}
	for _, f := range p.Finite {
		if err := Unfolding(p, f.Unfolding); err != nil {
			return fmt.Errorf("the proofs for %d PEs: %w", f.PEs, err)
		}
	}
	return nil
}

// slot checks of a slot what only the program says.
func slot(p *plan.Plan, s *plan.Slot) error {
	if s.Planes != nil || s.Comm.Overlap && !s.Staged && s.Ring > 1 {
		if err := planes(p, s); err != nil {
			return err
		}
	}
	if s.Strip != nil {
		return strip(p, s)
	}
	return nil
}

// planes wants planes that are those of the communication, and alternate.
func planes(p *plan.Plan, s *plan.Slot) error {
	c, claim := s.Comm, s.Planes
	switch {
	case claim == nil || s.Staged || s.Ring != 2:
		return fmt.Errorf("#%d has %d slots in an overlap, which are not planes in turn", c.ID, s.Ring)
	case claim.Comm != c.ID || !slices.ContainsFunc(c.PlaneSubs(), func(sub comm.PlaneSub) bool { return sub.Dim == claim.Dim && sub.Sub.Equal(claim.Sub) }):
		return fmt.Errorf("what #%d brings does not have subscript %v in dimension %d of an overlap", c.ID, claim.Sub, claim.Dim)
	case !p.Program.Alternates(p.Graph, c, claim.Sub):
		return fmt.Errorf("#%d has planes in turn as slots, and %v may be the same in two successive executions", c.ID, claim.Sub)
	}
	return nil
}

// Graph checks, of the graph and the proofs alone, that on every path each communication
// C_r is followed by CO_r, then UO_r, before C_r comes again or the program ends; that
// neither comes without C_r; and that something else takes the place of every ready
// message that the plan leaves out:
//
//   - in handshake and barrier, a barrier directly before the puts, with nothing
//     but communications of the same group in between: the last use of the slot,
//     which ends at UO_r, then lies before the barrier on every PE;
//   - in popl96, an inductive proof for every communication that may fill the
//     same cells; where ready messages are left out on some numbers of PEs only, proofs of
//     which the claims are inductive for these;
//   - in elide, that, or one over the generations of its values where the slots are its
//     own.
//
// popl96-literal promises nothing about the ready messages that it leaves out,
// and nothing is checked of it.
func Graph(p *plan.Plan) error {
	v := &verifier{p, proof.NewChecker(p.Graph), p.Sharing(), map[*proof.Certificate]error{}}
	v.checkAll()
	ready := map[int]bool{}
	ends := map[int][]*cfg.Node{} // by communication, its CO and UO nodes
	for i := range p.Slots {
		s := &p.Slots[i]
		ready[s.Comm.ID] = s.Ready != plan.Never
		if err := v.form(s); err != nil {
			return err
		}
	}
	for _, f := range p.Finite {
		if _, err := v.checker.Unfolded(f.Unfolding); err != nil {
			return fmt.Errorf("the proofs for %d PEs: %w", f.PEs, err)
		}
		if err := v.sendsReady(f.Unfolding); err != nil {
			return err
		}
	}
	for _, n := range p.Graph.Nodes {
		switch n.Kind {
		case cfg.Comm:
			if _, ok := ready[n.Ref]; !ok {
				return fmt.Errorf("line %d: %s has no slot", n.Line, n.Name())
			}
			if n.Flavour != "send" {
				if err := v.completes(n); err != nil {
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
			ends[n.Ref] = append(ends[n.Ref], n)
		}
	}
	return v.begins(ends)
}

// form wants slots that the kind of plan has, and that are the communication's own where
// they have to be.
func (v *verifier) form(s *plan.Slot) error {
	c := s.Comm.ID
	shared := !s.Staged && slices.ContainsFunc(v.Classes, func(class []int) bool { return slices.Contains(class, c) })
	switch {
	case (v.Kind == plan.Handshake || v.Kind == plan.Barrier) && s.At != nil:
		return fmt.Errorf("#%d needs no ready messages on some numbers of PEs, of which plan %s knows nothing", c, v.Kind)
	case v.Kind != plan.Elide && (s.Own() || s.Ready == plan.OnDemand):
		return fmt.Errorf("#%d has staging buffers, several slots, or ready messages on demand, which plan %s does not have", c, v.Kind)
	case s.Ready == plan.OnDemand && shared:
		return fmt.Errorf("#%d fills the cells of others too, and its ready messages are on demand since its own use only", c)
	case s.Strip == nil:
		return nil
	case v.Kind != plan.Elide || s.Staged || s.Planes != nil:
		return fmt.Errorf("#%d comes in strips, which only temporaries of plan %s do", c, plan.Elide)
	}
	if err := v.strips(s.Strip); err != nil {
		return fmt.Errorf("#%d comes in strips, and its source may be overwritten too early: %w", c, err)
	}
	return nil
}

// verifier checks a plan.
type verifier struct {
	*plan.Plan
	checker *proof.Checker
	class   [][]int // by number: the communications that may fill the same cells, it included
	checked map[*proof.Certificate]error
}

// checkAll checks the certificates for any number of PEs, which do not depend on each other, on
// all processors, where there are many.
func (v *verifier) checkAll() {
	var list []*proof.Certificate
	for i := range v.Slots {
		for _, c := range v.Slots[i].Proofs {
			if c.On == nil && !slices.Contains(c.Puts, 0) {
				list = append(list, c)
			}
		}
	}
	if len(list) < 64 {
		return
	}
	checkers := make([]*proof.Checker, runtime.GOMAXPROCS(0))
	errs := make([]error, len(list))
	parallel.Each(len(checkers), len(list), func(w, i int) {
		if checkers[w] == nil {
			checkers[w] = proof.NewChecker(v.Graph)
		}
		errs[i] = checkers[w].Check(list[i])
	})
	for i, c := range list {
		v.checked[c] = errs[i]
	}
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
	case plan.PopL96Literal:
		return nil
	case plan.PopL96, plan.Elide:
		if !proof.Puts(c, c.Ref) {
			return nil
		}
		s := &v.Slots[c.Ref-1]
		if s.Own() {
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
func (v *verifier) own(put *cfg.Node, s *plan.Slot) error {
	switch {
	case s.Staged && (put.Flavour == "recv" || put.Flavour == "send"):
		return fmt.Errorf("line %d: %s is pipelined, so what comes goes where it is used, and not into a staging buffer", put.Line, put.Name())
	case !s.Staged && slices.ContainsFunc(v.Classes, func(c []int) bool { return slices.Contains(c, s.Comm.ID) }):
		return fmt.Errorf("line %d: %s fills the cells of others too, and has a proof over its own values only", put.Line, put.Name())
	}
	return nil
}

// checkRing wants, for a communication with slots of its own that puts without ready
// messages, a certificate over the generations of its values.
func (v *verifier) checkRing(put *cfg.Node, s *plan.Slot) error {
	p := v.proof(s.Comm.ID, s.Comm.ID)
	if p == nil {
		return fmt.Errorf("line %d: %s puts without ready message, and no proof says that its slots are free by then", put.Line, put.Name())
	}
	if err := v.own(put, s); err != nil {
		return err
	}
	if p.Ring != s.Ring || p.Staged != s.Staged {
		return fmt.Errorf("line %d: %s has %d slots, and a proof over other ones: %v", put.Line, put.Name(), s.Ring, p)
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
	class := v.class[put.Ref]
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
	if p.Ring != 1 || p.Staged {
		return errors.New("it is about other slots")
	}
	return v.check(p)
}

// sendsReady wants, of communications whose ready messages proofs count on, one for each
// message on so many PEs.
func (v *verifier) sendsReady(u *proof.Unfolding) error {
	for _, x := range u.Ready {
		if x < 1 || x > len(v.Slots) {
			return fmt.Errorf("the proofs for %d PEs count on ready messages of #%d, which there is not", u.PEs, x)
		}
		if s := &v.Slots[x-1]; s.Ready != plan.Always || slices.Contains(s.At, u.PEs) || s.Comm.Kind == comm.Irregular || s.Comm.Kind == comm.Pipeline {
			return fmt.Errorf("the proofs for %d PEs count on ready messages of #%d, which are not sent before every put", u.PEs, x)
		}
	}
	return nil
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
func (v *verifier) finite(pes, use int, s *plan.Slot) *proof.Certificate {
	for _, f := range v.Finite {
		for _, p := range f.Certificates {
			if p.On == f.Unfolding && f.PEs == pes && p.Use == use && p.Ring == s.Ring && p.Staged == s.Staged && slices.Contains(p.Puts, s.Comm.ID) {
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
	if !proof.Puts(c, c.Ref) || len(s.At) == 0 || v.Kind == plan.PopL96Literal {
		return nil
	}
	class := v.class[s.Comm.ID]
	own := s.Own()
	if own {
		if err := v.own(c, s); err != nil {
			return err
		}
		class = []int{s.Comm.ID}
	}
	for _, pes := range s.At {
		for _, use := range class {
			if p := v.proof(use, s.Comm.ID); !own && p != nil && v.shared(p) == nil {
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
func (v *verifier) reaches(use int, put *cfg.Node, class []int) bool {
	ends := func(n *cfg.Node, r int) bool { return n.Kind == cfg.UseOver && n.Ref == r }
	seen := make([]bool, len(v.Graph.Nodes))
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
	for _, n := range v.Graph.Nodes {
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

// completes walks all paths from c: CO must come before UO, and both before c
// comes again or the program ends, STOP aside.
func (v *verifier) completes(c *cfg.Node) error {
	type state struct {
		node *cfg.Node
		over bool
	}
	seen := [2][]bool{make([]bool, len(v.Graph.Nodes)), make([]bool, len(v.Graph.Nodes))} // without CO, with it
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

// begins walks back from each CO_r and UO_r, its ends, on all paths that avoid C_r: none may
// come from the entry.
func (v *verifier) begins(ends map[int][]*cfg.Node) error {
	seen := make([]int, len(v.Graph.Nodes)) // by node: the last communication that came here
	for i := range v.Slots {
		r := v.Slots[i].Comm.ID
		for _, end := range ends[r] {
			work := []*cfg.Node{end}
			for len(work) > 0 {
				n := work[len(work)-1]
				work = work[:len(work)-1]
				switch {
				case seen[n.ID] == r || n.Kind == cfg.Comm && n.Ref == r && n.Flavour != "send":
					continue
				case n == v.Graph.Entry:
					return fmt.Errorf("line %d: %s is reached without C_%d before it", end.Line, end.Name(), r)
				}
				seen[n.ID] = r
				work = append(work, n.Preds...)
			}
		}
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
