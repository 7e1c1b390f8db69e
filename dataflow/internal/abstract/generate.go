package abstract

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
)

// generator makes abstract programs.
type generator struct {
	rng    *rand.Rand
	left   int     // communications that may still be made
	size   int     // statements that may still be made
	loops  []*Stmt // open, outermost first
	all    int     // loops made
	comms  []*Communication
	shares bool // all share cells
	// settled is set where jumps would leave messages on their way behind.
	settled bool
}

// Generate makes a program for 1 to MaxPEs PEs.
func Generate(rng *rand.Rand) *Program {
	g := &generator{rng: rng, left: 1 + rng.IntN(7), size: 4 + rng.IntN(14), shares: rng.IntN(6) == 0}
	p := &Program{PEs: 2 + rng.IntN(MaxPEs-1)}
	if rng.IntN(50) == 0 {
		p.PEs = 1
	}
	if !g.chance(3) { // mostly everything is repeated
		p.Body = []*Stmt{g.loop(0)}
	}
	for g.left > 0 {
		p.Body = append(p.Body, g.list(0)...)
		if g.left > 0 {
			p.Body = append(p.Body, g.loop(0))
		}
	}
	return p
}

func (g *generator) chance(n int) bool { return g.rng.IntN(n) == 0 }

func (g *generator) list(depth int) []*Stmt {
	var l []*Stmt
	for range 1 + g.rng.IntN(4) {
		if g.size <= 0 {
			break
		}
		g.size--
		l = append(l, g.stmt(depth))
	}
	return l
}

func (g *generator) stmt(depth int) *Stmt {
	switch k := g.rng.IntN(20); {
	case k < 5 && depth < 4 && g.all < maxLoops-1:
		return g.loop(depth)
	case k < 8 && depth < 4:
		s := &Stmt{Kind: If, Body: g.list(depth + 1)}
		if g.chance(2) {
			s.Other = g.list(depth + 1)
		}
		return s
	case k == 8 && len(g.loops) > 0 && !g.settled:
		return g.jump(g.list(depth + 1))
	case k == 9 && !g.settled && g.chance(4):
		return &Stmt{Kind: If, Body: []*Stmt{{Kind: Stop}}}
	case k == 10 && g.chance(2):
		return &Stmt{Kind: Reduce + StmtKind(g.rng.IntN(2))}
	case k == 11 && g.left > 0:
		return g.pipe()
	case g.left > 0:
		return g.group(depth)
	}
	return &Stmt{Kind: If}
}

// jump leaves or repeats a loop under a condition.
func (g *generator) jump(before []*Stmt) *Stmt {
	s := &Stmt{Kind: Exit, Target: g.loops[g.rng.IntN(len(g.loops))]}
	if g.chance(2) {
		s.Kind = Cycle
	}
	return &Stmt{Kind: If, Body: append(before, s)}
}

func (g *generator) loop(depth int) *Stmt {
	if g.all == maxLoops {
		return g.group(depth)
	}
	g.all++
	s := &Stmt{Kind: Loop, Most: g.rng.IntN(MaxTrips) + 1}
	switch g.rng.IntN(5) {
	case 0, 1:
		s.Least = s.Most
	case 2:
		s.Least = g.rng.IntN(s.Most + 1)
	case 3:
		s.Most = MaxTrips
	case 4:
		s.Endless = g.chance(2) && !g.settled
		s.Most = MaxTrips
	}
	g.loops = append(g.loops, s)
	settled := g.settled
	s.Body = g.list(depth + 1)
	if g.chance(2) && g.left > 0 {
		s.Body = append(s.Body, g.group(depth+1))
	}
	if s.Endless {
		s.Body = append(s.Body, &Stmt{Kind: If, Body: []*Stmt{{Kind: Exit, Target: s}}})
	}
	g.settled = settled
	g.loops = g.loops[:len(g.loops)-1]
	return s
}

func (g *generator) group(depth int) *Stmt {
	s := &Stmt{Kind: Group}
	for range 1 + g.rng.IntN(3)*g.rng.IntN(2) {
		s.Comms = append(s.Comms, g.comm())
	}
	settled := g.settled
	g.settled = true // a jump would leave them on their way
	if g.chance(4) {
		s.Flight = g.list(depth + 1)
	}
	if g.chance(8) {
		s.Kind = OneOf
		if g.chance(2) && g.left > 0 {
			s.Other = []*Stmt{g.group(depth + 1)}
		} else {
			s.Other = g.list(depth + 1)
		}
	}
	g.settled = settled
	switch {
	case g.chance(3):
		s.Body = g.list(depth + 1)
	case g.chance(6) && len(g.loops) > 0 && !g.settled:
		s.Body = []*Stmt{g.jump(nil)} // the use may be left out
	}
	if s.Kind == OneOf {
		return s
	}
	switch g.rng.IntN(16) {
	case 0:
		s.Kind = UsedTwice
		s.Other = g.list(depth + 1)
	case 1:
		s.Kind = UsedEither
		if g.chance(2) {
			s.Other = g.list(depth + 1)
		}
	}
	return s
}

// pipe makes a pipelined region, all messages in one direction.
func (g *generator) pipe() *Stmt {
	s := &Stmt{Kind: Pipe}
	ahead := 1 - 2*g.rng.IntN(2)
	used := map[int]bool{}
	for range 1 + g.rng.IntN(2) {
		c := g.comm()
		if used[c.Class] {
			c.Class = 0
		}
		used[c.Class] = true
		c.Shape.Ahead = ahead
		s.Comms = append(s.Comms, c)
	}
	return s
}

// comm makes a communication; often one that answers an earlier one.
func (g *generator) comm() *Communication {
	g.left--
	c := &Communication{}
	if g.shares || g.chance(5) {
		c.Class = 1 + g.rng.IntN(2)
	}
	s := &Shape{
		Kind: ShapeKind(g.rng.IntN(int(shapeKinds))), Seed: g.rng.Uint64(), Density: 1 + g.rng.IntN(7),
		A: g.rng.IntN(MaxPEs) - 2, Step: 1 - 2*g.rng.IntN(2), Flip: g.chance(4), By: g.around(2), Offset: g.rng.IntN(3) - 1,
	}
	if len(g.comms) > 0 && !g.chance(3) {
		answer := *g.comms[g.rng.IntN(len(g.comms))].Shape
		answer.Flip, answer.Ahead = !answer.Flip, 0
		if g.chance(3) {
			answer.Offset += g.rng.IntN(3) - 1
		}
		s = &answer
	}
	if g.chance(3) && s.Kind == Shift { // neighbours answer each other
		s.A = 1
	}
	if g.chance(8) {
		s.Holes = g.around(1)
	}
	if g.chance(10) {
		s.Maybe = !s.Maybe
	}
	c.Shape = s
	g.comms = append(g.comms, c)
	return c
}

// around is a loop around the current point; none in one case of n, and where
// there is none.
func (g *generator) around(n int) *Stmt {
	if len(g.loops) == 0 || n > 1 && g.chance(n) {
		return nil
	}
	return g.loops[g.rng.IntN(len(g.loops))]
}

// Nests is the graph of n communications in nests of depth 4, for tests of cost: a
// time loop around blocks of ten, in each of which two communications stand at
// every level of three more loops, one in front of and one behind the inner loop,
// two of them in branches; every twentieth block ends with a reduction.
func Nests(n int) *cfg.Graph {
	b := cfg.NewBuilder()
	r := 0
	exchange := func() {
		if r == n {
			return
		}
		r++
		b.Node(cfg.Comm, r, r, "")
		b.Node(cfg.CommOver, r, r, "")
		b.Node(cfg.Stmt, r, 0, "")
		b.Node(cfg.UseOver, r, r, "")
	}
	var level func(depth int)
	level = func(depth int) {
		exchange()
		if depth < 4 {
			l := b.BeginLoop(r, "do")
			level(depth + 1)
			if depth == 3 {
				b.BeginIf(r, "converged")
				b.Exit(l)
				b.EndIf()
			}
			b.EndLoop()
		} else {
			b.BeginIf(r, "p")
			exchange()
			b.Else()
			exchange()
			b.EndIf()
		}
		exchange()
	}
	b.BeginLoop(1, "do t")
	for block := 0; r < n; block++ {
		level(1)
		if block%20 == 19 {
			b.Node(cfg.Reduce, r, 1, "s")
		}
	}
	b.EndLoop()
	return b.Finish()
}
