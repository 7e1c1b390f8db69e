package hb

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/solve"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// level is how much is known of one age of the slots, in ascending order.
type level uint8

const (
	inUse    level = iota // nothing
	isOver                // each consumer is after its use
	toldNext              // … and so is everybody who puts to it in the next instance of the put
	toldAll               // everybody is
	unused                // there was no use
)

// maxAges is the most slots that the analysis by forms follows.
const maxAges = 8

// claim is what is known at a point of the program, for all consumers alike and
// any number of PEs.
type claim struct {
	posted bool
	level  [maxAges]level
	// under are the killers under way, ascending: for which ages (bit a) their
	// arrival makes isOver to toldNext. Bits of ages at another level are left
	// out: what is under way adds nothing to more, and is no use to less.
	under []killer
}

type killer struct {
	ref  int
	ages uint8
}

// passage is the transfer for the uses of one communication and the puts of one.
type passage struct {
	item
	put    int
	stable bool // all instances of the put have the same messages, or fewer
	kills  func(y, use, put int) bool
}

var nothingUsed = claim{level: [maxAges]level{unused, unused, unused, unused, unused, unused, unused, unused}}

func (p *passage) apply(in claim, n *cfg.Node) claim {
	if !in.posted && n.Ref != p.use {
		return in
	}
	switch n.Kind {
	case cfg.Comm:
		return p.comm(in, n)
	case cfg.CommOver:
		in = p.arrive(in, n.Ref)
		if p.how.staged && n.Ref == p.use {
			in = p.over(in)
		}
	case cfg.UseOver:
		if !p.how.staged && n.Ref == p.use {
			in = p.over(in)
		}
	case cfg.Reduce, cfg.Barrier:
		for a := range p.how.n {
			if in.level[a] == isOver || in.level[a] == toldNext {
				in.level[a] = toldAll
			}
		}
	}
	return in.settle()
}

func (p *passage) comm(in claim, n *cfg.Node) claim {
	switch {
	case n.Flavour == recv:
		return in
	case n.Ref == p.put && in.posted && !p.stable:
		// The next instance has other producers.
		for a := range p.how.n {
			if in.level[a] == toldNext {
				in.level[a] = isOver
			}
		}
		in.under = nil
	}
	if n.Ref == p.use {
		in.posted = true
		copy(in.level[1:p.how.n], in.level[:p.how.n-1])
		in.level[0] = inUse
		var under []killer
		for _, k := range in.under {
			under = append(under, killer{k.ref, k.ages << 1})
		}
		in.under = under
		return in.settle()
	}
	if n.Ref == p.put || n.Flavour == send {
		return in.settle()
	}
	var ages uint8
	for a := range p.how.n {
		if in.level[a] == isOver {
			ages |= 1 << a
		}
	}
	in.under = in.without(n.Ref)
	if ages != 0 && p.kills(n.Ref, p.use, p.put) {
		i := 0
		for i < len(in.under) && in.under[i].ref < n.Ref {
			i++
		}
		in.under = slices.Insert(slices.Clone(in.under), i, killer{n.Ref, ages})
	}
	return in.settle()
}

func (in claim) without(ref int) []killer {
	for i, k := range in.under {
		if k.ref == ref {
			return slices.Delete(slices.Clone(in.under), i, i+1)
		}
	}
	return in.under
}

func (p *passage) arrive(in claim, y int) claim {
	for _, k := range in.under {
		if k.ref != y {
			continue
		}
		for a := range p.how.n {
			if k.ages>>a&1 != 0 && in.level[a] == isOver {
				in.level[a] = toldNext
			}
		}
		in.under = in.without(y)
		break
	}
	return in
}

// over is the end of the use: nobody else knows yet.
func (p *passage) over(in claim) claim {
	if !in.posted {
		return in
	}
	in.level[0] = isOver
	var under []killer
	for _, k := range in.under {
		under = append(under, killer{k.ref, k.ages &^ 1})
	}
	in.under = under
	return in
}

// settle leaves out what killers are no matter for.
func (in claim) settle() claim {
	var matter uint8
	for a, l := range in.level {
		if l == isOver {
			matter |= 1 << a
		}
	}
	if !slices.ContainsFunc(in.under, func(k killer) bool { return k.ages&^matter != 0 || k.ages == 0 }) {
		return in
	}
	var under []killer
	for _, k := range in.under {
		if k.ages &= matter; k.ages != 0 {
			under = append(under, k)
		}
	}
	in.under = under
	return in
}

// adds is the ages for which the arrival of y leaves nothing to be told.
func (in claim) adds(y int) uint8 {
	var ages uint8
	for a, l := range in.level {
		if l >= toldNext {
			ages |= 1 << a
		}
	}
	for _, k := range in.under {
		if k.ref == y {
			ages |= k.ages
		}
	}
	return ages
}

// meetClaims is what is known where two paths meet.
func meetClaims(a, b claim) claim {
	out := claim{posted: a.posted || b.posted}
	for i := range out.level {
		out.level[i] = min(a.level[i], b.level[i])
	}
	i, j := 0, 0
	for i < len(a.under) || j < len(b.under) {
		var y int
		switch {
		case j == len(b.under) || i < len(a.under) && a.under[i].ref < b.under[j].ref:
			y = a.under[i].ref
			i++
		case i == len(a.under) || b.under[j].ref < a.under[i].ref:
			y = b.under[j].ref
			j++
		default:
			y = a.under[i].ref
			i, j = i+1, j+1
		}
		if ages := a.adds(y) & b.adds(y); ages != 0 {
			out.under = append(out.under, killer{y, ages})
		}
	}
	return out.settle()
}

func equalClaims(a, b claim) bool {
	return a.posted == b.posted && a.level == b.level && slices.Equal(a.under, b.under)
}

// symbolic solves by forms in sizes and numbers of PEs.
type symbolic struct {
	f      *procfunc.Functions
	flow   *solve.Flow         // over blocks
	nodes  map[int][]*cfg.Node // by communication, its C, CO and UO nodes
	inert  []bool              // by ID of first nodes: the block has no communication
	own    []bool              // by ID of first nodes: … has nodes of the use or the put at hand
	stable map[int]bool
	last   *solve.Solution[claim]
}

func newSymbolic(f *procfunc.Functions) *symbolic {
	n := len(f.Graph.Nodes)
	s := &symbolic{f: f, flow: solve.NewBlocks(f.Graph), nodes: map[int][]*cfg.Node{}, inert: make([]bool, n), own: make([]bool, n), stable: map[int]bool{}}
	for _, first := range s.flow.Order() {
		s.inert[first.ID] = true
		for _, n := range s.flow.Unit(first) {
			if n.Kind.IsComm() {
				s.inert[first.ID] = false
			}
			if n.Kind == cfg.Comm || n.Kind == cfg.CommOver || n.Kind == cfg.UseOver {
				s.nodes[n.Ref] = append(s.nodes[n.Ref], n)
			}
		}
	}
	return s
}

// passed is the fixpoint of a passage. It is valid until the next one is solved.
type passed struct {
	*passage
	s       *symbolic
	sol     *solve.Solution[claim]
	refuted bool // some put is not free; then the work has ended early if it was to
}

// solve finds the greatest fixpoint for one use and one put. Early, it stops at
// the first put that is not free: what is known only gets less.
func (s *symbolic) solve(it item, put int, early bool) *passed {
	p := &passed{passage: &passage{item: it, put: put, stable: s.isStable(put), kills: s.f.Kills}, s: s}
	// More slots than maxAges are taken for as many, which asks for more than is
	// needed.
	p.how.n = min(p.how.n, maxAges)
	s.mark(it.use, put, true)
	defer s.mark(it.use, put, false)
	seeds := []*cfg.Node{}
	for _, n := range s.nodes[it.use] {
		if first := s.flow.Unit(n)[0]; !slices.Contains(seeds, first) {
			seeds = append(seeds, first)
		}
	}
	o := solve.Options[claim]{Seeds: seeds, Reuse: s.last}
	if early {
		o.Until = &p.refuted
	}
	s.last = solve.RoundRobin(s.flow, solve.Problem[claim]{
		Entry: nothingUsed, Top: nothingUsed, Meet: meetClaims, Equal: equalClaims, Transfer: p.block,
	}, o)
	p.sol = s.last
	return p
}

func (s *symbolic) mark(use, put int, to bool) {
	for _, r := range []int{use, put} {
		for _, n := range s.nodes[r] {
			s.own[s.flow.Unit(n)[0].ID] = to
		}
	}
}

// block is the transfer of a whole block.
func (p *passed) block(first *cfg.Node, in claim) claim {
	if p.s.inert[first.ID] || !p.s.own[first.ID] && p.idle(&in) {
		return in
	}
	for _, n := range p.s.flow.Unit(first) {
		if puts(n) && n.Ref == p.put && !p.free(&in) {
			p.refuted = true
		}
		in = p.apply(in, n)
	}
	return in
}

// idle reports whether only nodes of the use and the put make something of a
// claim.
func (p *passage) idle(c *claim) bool {
	for a := range p.how.n {
		if c.level[a] == isOver || c.level[a] == toldNext {
			return false
		}
	}
	return true
}

// free reports whether a put may go without a ready message.
func (p *passage) free(in *claim) bool {
	return !in.posted || in.level[p.how.n-1] >= toldNext
}

// at is what is known in front of a node.
func (p *passed) at(n *cfg.Node) claim {
	unit := p.s.flow.Unit(n)
	if unit == nil {
		return nothingUsed
	}
	in := p.sol.In[unit[0].ID]
	for _, m := range unit {
		if m == n {
			break
		}
		in = p.apply(in, m)
	}
	return in
}

// verdict reads what is known in front of the puts.
func (p *passed) verdict() synch.Verdict {
	v := synch.Once
	for _, n := range p.s.nodes[p.put] {
		if !puts(n) {
			continue
		}
		in := p.at(n)
		switch {
		case !in.posted:
		case p.free(&in):
			v = min(v, synch.NoReady)
		default:
			return synch.NeedsSync
		}
	}
	return v
}

// isStable reports whether all instances of communication r have the same
// relation: nothing that it is made of changes as long as there are more.
func (s *symbolic) isStable(r int) bool {
	if known, ok := s.stable[r]; ok {
		return known
	}
	s.stable[r] = s.unchanged(r)
	return s.stable[r]
}

func (s *symbolic) unchanged(r int) bool {
	n := s.f.Put(r)
	if n == nil || n.Loop == nil {
		return true // one instance at most
	}
	outer := n.Loop
	for outer.Parent != nil {
		outer = outer.Parent
	}
	changes := map[string]bool{}
	for sym := range s.f.Program.Modified(s.f.Program.Loop(outer)) {
		changes[sym.Name] = true
	}
	for l := n.Loop; l != nil; l = l.Parent {
		changes[l.Index] = true
	}
	rel := s.f.Relations[r-1]
	for _, v := range rel.Vars {
		delete(changes, v.Name) // its own, whatever it is called
	}
	for d := range rel.P {
		for _, f := range []interface{ Vars() []string }{rel.P[d].Form, rel.Q[d].Form} {
			if slices.ContainsFunc(f.Vars(), func(v string) bool { return changes[v] }) {
				return false
			}
		}
	}
	for _, v := range rel.Vars {
		if v.Unknown {
			continue
		}
		if slices.ContainsFunc(append(v.Lo.Vars(), v.Hi.Vars()...), func(v string) bool { return changes[v] }) {
			return false
		}
	}
	return true
}
