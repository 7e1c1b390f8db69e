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

// Strip is how a temporary is filled strip by strip (comm.Strips): the first strip is
// put, with the message that there is anyway, the later ones are got from the memory
// of the owners. So nothing of what is proved of the slots changes, which only are
// smaller. But a get is a use of the source: before an owner overwrites it, it has to
// know that the value is dead on all PEs that get some of its elements.
type Strip struct {
	*comm.Strips
	Size int // iterations
	// Writes are the nodes of the graph that may assign elements of the source, by ID.
	Writes []int
	// Completes: each PE sends the owners a completion acknowledgement at UO. Else Proof says
	// that other messages are one,
	// before each of Writes.
	Completes bool
	Proof     *proof.Certificate
}

// writes are the nodes at which elements of an array may be assigned.
func (p *Plan) writes(array *ir.Symbol) []int {
	var out []int
	for _, n := range p.Graph.Nodes {
		if n.Kind != cfg.Stmt {
			continue
		}
		if s := p.Program.Stmt(n); s != nil && comm.Assigns(s, array) {
			out = append(out, n.ID)
		}
	}
	return out
}

// source finds out whether other messages tell the owners, and proves it. What counts
// is whether each PE that gets from another sends to it, which is asked for where it
// gets from the same ones in all executions. Barriers do not count: they may be left
// out at run time by what is put, which gets are not.
func (p *Plan) source(s *Strip, rel Relations, solver *synch.Solver) {
	x := s.Comm.ID
	s.Writes, s.Completes = p.writes(s.Comm.Array), true
	if slices.ContainsFunc(p.Graph.Nodes, func(n *cfg.Node) bool { return n.Kind == cfg.Barrier }) {
		return
	}
	answers := map[int]bool{}
	kills := func(y, _, _ int) bool {
		if _, known := answers[y]; !known {
			answers[y] = y != x && rel.AnswersAll(y, x)
		}
		return answers[y]
	}
	// No communication is asked what it may put: whoever is done with an execution is
	// done with those before.
	sol := solver.Solve(proof.Shared(x, 0), kills, false)
	for _, id := range s.Writes {
		if v := sol.In[id].Value; v != synch.NoSync && v != synch.U {
			return
		}
	}
	all := func(y, _ int) bool { return kills(y, x, 0) }
	s.Completes, s.Proof = false, certified(proof.NewCutter(p.Graph).Symbolic(proof.Shared(x, 0), sol, all, all, nil, s.Writes))
}

// added is how many bytes n slots for c take more than the one that holds all.
func added(c *comm.Comm, strip *Strip, n int) int64 {
	cells := c.TempCells()
	if strip != nil {
		cells = strip.Cells(strip.Size)
	}
	return max(0, int64(n)*cells-c.TempCells()) * elemSize(c.Array.Type)
}

// gets is how many strips are got in an execution, by estimate.
func (s *Strip) gets(trips float64) float64 {
	if s == nil {
		return 0
	}
	return max(0, float64(int((trips+float64(s.Size)-1)/float64(s.Size)))-1)
}

// cost is what strips cost in an execution.
func (s *searcher) stripCost(x *Strip) float64 {
	if x == nil {
		return 0
	}
	cost := getCost * x.gets(trips(s.program, x.Loop))
	if x.Completes {
		cost += readyCost
	}
	return cost
}

// force divides every loop that can be divided into strips of Options.Strip
// iterations. It returns why others are not, by index of the slot.
func (s *searcher) force(p *Plan, rel Relations, solver *synch.Solver) (why map[int]string) {
	why = map[int]string{}
	if s.Strip <= 0 {
		return why
	}
	for i := range p.Slots {
		slot := &p.Slots[i]
		if slot.Comm.Overlap || slot.Comm.Kind == comm.Irregular {
			continue
		}
		at, not := s.program.Strips(slot.Comm)
		if not != "" {
			why[i] = not
			continue
		}
		slot.Strip = &Strip{Strips: at, Size: s.Strip}
		p.source(slot.Strip, rel, solver)
		slot.Cells = cells(slot.Comm) + slot.Strip.cells()
	}
	return why
}

// strips tries strips for communications that several slots free for which there is
// no memory. Options that are taken are added to options.
func (s *searcher) strips(a *attempt, options [][]option, solver *synch.Solver, extra map[int]float64) {
	if s.Strip != 0 {
		return // given, or not wanted
	}
	left := max(0, s.Memory)
	refused := false
	taken := func(o option) bool { return a.trials[o.slot][o.trial].Note == chosen }
	for _, list := range options {
		for _, o := range list {
			if taken(o) {
				left -= o.bytes
			}
		}
		refused = refused || len(list) > 0 && !slices.ContainsFunc(list, taken)
	}
	if !refused {
		return
	}
	sizes := map[*ir.Do]int{} // of loops that are divided
	for i, list := range options {
		if len(list) == 0 || slices.ContainsFunc(list, taken) || list[0].slots.Staged || list[0].planes != nil {
			continue
		}
		c, first := a.plan.Slots[i].Comm, a.trials[i][0]
		at, why := s.program.Strips(c)
		if why != "" {
			a.trials[i] = append(a.trials[i], Trial{What: "strips", Not: why, InTurn: first.InTurn})
			continue
		}
		for _, o := range list {
			x := &Strip{Strips: at, Size: sizes[at.Loop]}
			if x.Size == 0 {
				x.Size = s.stripSize(at, o.slots.Ring, left)
			}
			o.bytes = added(c, x, o.slots.Ring)
			if x.Size == 0 || o.bytes > left {
				continue
			}
			a.plan.source(x, a.rel, solver)
			weight := s.weights.of[c.ID]
			cost := extra[c.ID] + byteCost*float64(o.bytes) + weight*s.stripCost(x)
			if o.pairwise {
				cost += weight * askCost
			}
			t := Trial{What: mood(Slot{Count: o.slots.Ring}), Strip: x.Size, Pairwise: o.pairwise, InTurn: first.InTurn, Free: true, Completes: x.Completes, Cost: cost}
			o.strip, o.trial, o.saves = x, len(a.trials[i]), first.Cost-cost
			if o.saves > 0 {
				t.Note = chosen
				left -= o.bytes
				sizes[at.Loop] = x.Size
				options[i] = append(options[i], o)
			}
			if a.trials[i] = append(a.trials[i], t); o.saves > 0 {
				break
			}
		}
	}
}

// stripSize is how many iterations a strip may have, so that there are as few strips
// as the memory allows, and these are alike; 0 if not even one fits.
func (s *searcher) stripSize(at *comm.Strips, slots int, left int64) int {
	c := at.Comm
	all := c.TempExtent(at.Axis)
	bytes := elemSize(c.Array.Type) * at.Cells(1) * int64(slots)
	if all < 2 || bytes == 0 {
		return 0
	}
	most := int(min(int64(all-1), (left+c.TempCells()*elemSize(c.Array.Type))/bytes))
	if most == 0 {
		return 0
	}
	count := (all + most - 1) / most
	return (all + count - 1) / count
}

// cells says in words what there is of a temporary.
func (s *Strip) cells() string {
	return fmt.Sprintf(", a strip of %d iterations of %s", s.Size, s.Loop.Index.Name)
}

// WhyStrip says what happens to the source.
func (p *Plan) WhyStrip(s *Strip) string {
	text := fmt.Sprintf("in strips of %d iterations of %s: the first is put, the others are got; ", s.Size, s.Loop.Index.Name)
	name := s.Comm.Array.Name
	if s.Completes {
		return text + fmt.Sprintf("when it is done with them, each PE tells the owners, who wait for that before they overwrite %s", name)
	}
	if s.Proof == nil {
		return text + "nothing is proved of these"
	}
	if between := s.Proof.Witnesses(p.Graph); len(between) > 0 {
		return text + strings.ReplaceAll(p.orders(between, "every get"), "the next put", name+" is overwritten")
	}
	return text + fmt.Sprintf("%s is not overwritten behind them", name)
}

// String is the line of the text form that describes strips:
//
//	strips 3 64 j tells: 31 35
//	strips 3 64 j proof: 31 35; 4-9 NoSync, 13 Cons kills 5
//
// The numbers behind the colon are the nodes that may assign elements of the source.
func (s *Strip) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "strips %d %d %s ", s.Comm.ID, s.Size, s.Loop.Index.Name)
	if s.Completes {
		b.WriteString("tells:")
	} else {
		b.WriteString("proof:")
	}
	if len(s.Writes) > 0 {
		b.WriteString(" " + numbers(s.Writes, " "))
	}
	if !s.Completes {
		b.WriteString(";" + s.Proof.Body())
	}
	return b.String()
}

// checkStrips wants, where PEs do not tell owners that they are done, a proof that other
// messages do so before each node that may assign the source. A barrier says nothing of
// gets, and may be left out at run time.
func (d *Document) checkStrips(s *Strip, k *proof.Checker) error {
	if s.Completes {
		return nil
	}
	if s.Proof == nil {
		return fmt.Errorf("there is no proof that gets are over")
	}
	for _, n := range d.Graph.Nodes {
		if n.Kind == cfg.Barrier {
			return fmt.Errorf("line %d: a barrier, which says nothing of gets, and may be left out at run time", n.Line)
		}
	}
	return k.CheckAt(s.Proof, s.Writes)
}

// checkStrip checks of strips what the document does not tell: that the program can be
// divided so, and that nothing else assigns the source.
func (p *Plan) checkStrip(slot *Slot) error {
	s, c := slot.Strip, slot.Comm
	at, why := p.Program.Strips(c)
	if why != "" {
		return fmt.Errorf("#%d comes in strips: %s", c.ID, why)
	}
	if *at != *s.Strips {
		return fmt.Errorf("#%d comes in strips of another loop than it can", c.ID)
	}
	for i := range p.Slots {
		if o := p.Slots[i].Strip; o != nil && o.Loop == s.Loop && o.Size != s.Size {
			return fmt.Errorf("#%d and #%d divide the loop in line %d into strips of %d and of %d iterations", c.ID, i+1, s.Loop.Pos.Line, s.Size, o.Size)
		}
	}
	if !slices.Equal(p.writes(c.Array), s.Writes) {
		return fmt.Errorf("#%d comes in strips: %s is assigned at nodes %v, not %v", c.ID, c.Array.Name, p.writes(c.Array), s.Writes)
	}
	return nil
}
