package hb

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/solve"
	"github.com/spmdc/spmdc/dataflow/synch"
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

// passed is the fixpoint of a passage.
type passed struct {
	*passage
	nodes []*cfg.Node // that put
	sol   *solve.Solution[claim]
}

// solve finds the greatest fixpoint for one use and one put.
func (s *symbolic) solve(it item, put int) *passed {
	p := &passed{passage: &passage{item: it, put: put, stable: s.isStable(put), kills: s.f.Kills}}
	for _, n := range s.nodes[put] {
		if puts(n) {
			p.nodes = append(p.nodes, n)
		}
	}
	p.sol = s.run(p.passage)
	return p
}

// run solves. More slots than maxAges are taken for as many, which asks for more
// than is needed.
func (s *symbolic) run(p *passage) *solve.Solution[claim] {
	p.how.n = min(p.how.n, maxAges)
	seeds := append([]*cfg.Node{}, s.nodes[p.use]...)
	return solve.RoundRobin(s.flow, solve.Problem[claim]{
		Entry: nothingUsed, Top: nothingUsed, Meet: meetClaims, Equal: equalClaims,
		Transfer: func(n *cfg.Node, in claim) claim { return p.apply(in, n) },
	}, solve.Options[claim]{Seeds: seeds})
}

// verdict reads what is known in front of the puts.
func (p *passed) verdict() synch.Verdict {
	v := synch.Once
	for _, n := range p.nodes {
		in := p.sol.In[n.ID]
		switch {
		case !in.posted:
		case in.level[p.how.n-1] >= toldNext:
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
