package abstract

import "math/rand/v2"

// generator makes abstract programs.
type generator struct {
	rng    *rand.Rand
	left   int     // communications that may still be made
	size   int     // statements that may still be made
	loops  []*stmt // open, outermost first
	all    int     // loops made
	comms  []*communication
	shares bool // all share cells
	// settled is set where jumps would leave messages on their way behind.
	settled bool
}

// Generate makes a program for 1 to maxPEs PEs.
func Generate(rng *rand.Rand) *Program {
	g := &generator{rng: rng, left: 1 + rng.IntN(7), size: 4 + rng.IntN(14), shares: rng.IntN(6) == 0}
	p := &Program{PEs: 2 + rng.IntN(MaxPEs-1)}
	if rng.IntN(50) == 0 {
		p.PEs = 1
	}
	if !g.chance(3) { // mostly everything is repeated
		p.body = []*stmt{g.loop(0)}
	}
	for g.left > 0 {
		p.body = append(p.body, g.list(0)...)
		if g.left > 0 {
			p.body = append(p.body, g.loop(0))
		}
	}
	return p
}

func (g *generator) chance(n int) bool { return g.rng.IntN(n) == 0 }

func (g *generator) list(depth int) []*stmt {
	var l []*stmt
	for range 1 + g.rng.IntN(4) {
		if g.size <= 0 {
			break
		}
		g.size--
		l = append(l, g.stmt(depth))
	}
	return l
}

func (g *generator) stmt(depth int) *stmt {
	switch k := g.rng.IntN(20); {
	case k < 5 && depth < 4 && g.all < maxLoops-1:
		return g.loop(depth)
	case k < 8 && depth < 4:
		s := &stmt{kind: ifElse, body: g.list(depth + 1)}
		if g.chance(2) {
			s.other = g.list(depth + 1)
		}
		return s
	case k == 8 && len(g.loops) > 0 && !g.settled:
		return g.jump(g.list(depth + 1))
	case k == 9 && !g.settled && g.chance(4):
		return &stmt{kind: ifElse, body: []*stmt{{kind: stop}}}
	case k == 10 && g.chance(2):
		return &stmt{kind: reduce + stmtKind(g.rng.IntN(2))}
	case k == 11 && g.left > 0:
		return g.pipe()
	case g.left > 0:
		return g.group(depth)
	}
	return &stmt{kind: ifElse}
}

// jump leaves or repeats a loop under a condition.
func (g *generator) jump(before []*stmt) *stmt {
	s := &stmt{kind: exitLoop, target: g.loops[g.rng.IntN(len(g.loops))]}
	if g.chance(2) {
		s.kind = cycleLoop
	}
	return &stmt{kind: ifElse, body: append(before, s)}
}

func (g *generator) loop(depth int) *stmt {
	if g.all == maxLoops {
		return g.group(depth)
	}
	g.all++
	s := &stmt{kind: doLoop, most: g.rng.IntN(MaxTrips) + 1}
	switch g.rng.IntN(5) {
	case 0, 1:
		s.least = s.most
	case 2:
		s.least = g.rng.IntN(s.most + 1)
	case 3:
		s.most = MaxTrips
	case 4:
		s.endless = g.chance(2) && !g.settled
		s.most = MaxTrips
	}
	g.loops = append(g.loops, s)
	settled := g.settled
	s.body = g.list(depth + 1)
	if g.chance(2) && g.left > 0 {
		s.body = append(s.body, g.group(depth+1))
	}
	if s.endless {
		s.body = append(s.body, &stmt{kind: ifElse, body: []*stmt{{kind: exitLoop, target: s}}})
	}
	g.settled = settled
	g.loops = g.loops[:len(g.loops)-1]
	return s
}

func (g *generator) group(depth int) *stmt {
	s := &stmt{kind: group}
	for range 1 + g.rng.IntN(3)*g.rng.IntN(2) {
		s.comms = append(s.comms, g.comm())
	}
	settled := g.settled
	g.settled = true // a jump would leave them on their way
	if g.chance(4) {
		s.flight = g.list(depth + 1)
	}
	if g.chance(8) {
		s.kind = oneOf
		if g.chance(2) && g.left > 0 {
			s.other = []*stmt{g.group(depth + 1)}
		} else {
			s.other = g.list(depth + 1)
		}
	}
	g.settled = settled
	switch {
	case g.chance(3):
		s.body = g.list(depth + 1)
	case g.chance(6) && len(g.loops) > 0 && !g.settled:
		s.body = []*stmt{g.jump(nil)} // the use may be left out
	}
	if s.kind == oneOf {
		return s
	}
	switch g.rng.IntN(16) {
	case 0:
		s.kind = usedTwice
		s.other = g.list(depth + 1)
	case 1:
		s.kind = usedEither
		if g.chance(2) {
			s.other = g.list(depth + 1)
		}
	}
	return s
}

// pipe makes a pipelined region, all messages in one direction.
func (g *generator) pipe() *stmt {
	s := &stmt{kind: pipe}
	ahead := 1 - 2*g.rng.IntN(2)
	used := map[int]bool{}
	for range 1 + g.rng.IntN(2) {
		c := g.comm()
		if used[c.class] {
			c.class = 0
		}
		used[c.class] = true
		c.shape.ahead = ahead
		s.comms = append(s.comms, c)
	}
	return s
}

// comm makes a communication; often one that answers an earlier one.
func (g *generator) comm() *communication {
	g.left--
	c := &communication{}
	if g.shares || g.chance(5) {
		c.class = 1 + g.rng.IntN(2)
	}
	s := &shape{
		kind: shapeKind(g.rng.IntN(int(shapeKinds))), seed: g.rng.Uint64(), density: 1 + g.rng.IntN(7),
		a: g.rng.IntN(MaxPEs) - 2, step: 1 - 2*g.rng.IntN(2), flip: g.chance(4), by: g.around(2), offset: g.rng.IntN(3) - 1,
	}
	if len(g.comms) > 0 && !g.chance(3) {
		answer := *g.comms[g.rng.IntN(len(g.comms))].shape
		answer.flip, answer.ahead = !answer.flip, 0
		if g.chance(3) {
			answer.offset += g.rng.IntN(3) - 1
		}
		s = &answer
	}
	if g.chance(3) && s.kind == shiftShape { // neighbours answer each other
		s.a = 1
	}
	if g.chance(8) {
		s.holes = g.around(1)
	}
	if g.chance(10) {
		s.maybe = !s.maybe
	}
	c.shape = s
	g.comms = append(g.comms, c)
	return c
}

// around is a loop around the current point; none in one case of n, and where
// there is none.
func (g *generator) around(n int) *stmt {
	if len(g.loops) == 0 || n > 1 && g.chance(n) {
		return nil
	}
	return g.loops[g.rng.IntN(len(g.loops))]
}
