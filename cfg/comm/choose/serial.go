package choose

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// A PE that runs alone owns everything: it can execute a loop as the source says, on the
// arrays themselves, without a communication and without looking up who owns an element. Where
// that is worth having, the loop is emitted a second time, for such a PE. In
//
//	do i = h, n, 2*h
//	   x(i) = (d(i) - a(i)*x(i-h) - c(i)*x(i+h))/b(i)
//	end do
//
// all PEs execute every iteration of the loop, with two broadcasts in each iteration. For one PE
// it is a loop like any other, and perhaps a kernel.
//
// It is not worth it where each PE computes much between two communications, as in the time
// loop of a stencil: these cost next to nothing then, and the text has to pay for itself.

// What the communications of a PE that runs alone cost it, in executions of statements of
// a loop.
const (
	newNeedCost  = 500.0 // an execution for which it is said anew who needs what
	sameNeedCost = 60.0  // one for which nothing has changed
	copyCost     = 1.0   // an element that it copies from its own array to a temporary
	listCost     = 5.0   // an element of a list that is made anew
	walkCost     = 1.0   // an element that a list picks
	partCost     = 20.0  // finding out which iterations are its own
	combineCost  = 60.0  // a reduction
	serialGain   = 0.1   // of the work: what they have to cost, for a loop to be emitted twice
	serialShare  = 0.9   // of a loop: what has to be made of parts in which they cost as much
	serialText   = 400   // statements that are emitted twice at most
)

// alone is what a part of a program costs a PE that runs alone.
type alone struct {
	work     float64 // executions of statements
	overhead float64 // communications, in the same measure
	gains    float64 // what it costs in parts of which the overhead is large
}

func (c alone) total() float64 { return c.work + c.overhead }

func (c alone) plus(d alone) alone {
	return alone{c.work + d.work, c.overhead + d.overhead, c.gains + d.gains}
}

func (c alone) times(k float64) alone { return alone{k * c.work, k * c.overhead, k * c.gains} }

// large reports whether the overhead is.
func (c alone) large() bool { return c.overhead > serialGain*c.work }

// MarkSerial sets Serial of the loops of p that are worth to be emitted a second time, for
// a PE that runs alone.
func MarkSerial(p *comm.Program) {
	if p.IR.SPMD {
		return
	}
	m := &marker{w: newWeigher(p, 1), serial: map[comm.Node]bool{}, room: serialText}
	m.nodes(p.Body)
	m.mark(p.Body)
}

// marker finds such loops.
type marker struct {
	w      *weigher
	loops  []ir.Stmt          // around the node at hand
	serial map[comm.Node]bool // the loops that are worth it
	room   int                // the statements that may still be emitted twice
}

// nodes is the cost of one execution of a list of nodes, which are directly in a loop.
func (m *marker) nodes(list []comm.Node) alone {
	direct, inner := m.direct(list)
	if direct.large() {
		direct.gains = direct.total()
	}
	return direct.plus(inner)
}

// direct is the cost of the nodes that are no loops, and that of the loops among them.
func (m *marker) direct(list []comm.Node) (direct, inner alone) {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Post:
			for _, c := range n.Comms {
				direct.overhead += m.comm(c)
			}
		case *comm.Combine:
			direct.overhead += combineCost * float64(len(n.Reduce))
		case *comm.Region:
			direct = direct.plus(m.region(n))
		case *comm.Loop:
			trips, _ := m.w.trip(n.Do)
			leave := m.w.enter(n.Do)
			inner = inner.plus(m.loop(n, n.Do, trips, n.Body))
			leave()
		case *comm.WhileLoop:
			inner = inner.plus(m.loop(n, n.While, GuessTrip, append(append([]comm.Node(nil), n.Pre...), n.Body...)))
		case *comm.Branch:
			p := m.w.probability(n.If.Cond)
			for k, body := range [][]comm.Node{n.Then, n.Else} {
				d, i := m.direct(body)
				share := p
				if k == 1 {
					share = 1 - p
				}
				direct, inner = direct.plus(d.times(share)), inner.plus(i.times(share))
			}
			direct.work++
		}
	}
	return direct, inner
}

// loop is the cost of all iterations of a loop, which is noted if it is worth it.
func (m *marker) loop(n comm.Node, s ir.Stmt, trips float64, body []comm.Node) alone {
	m.loops = append(m.loops, s)
	c := m.nodes(body).times(trips)
	m.loops = m.loops[:len(m.loops)-1]
	if c.large() && c.gains >= serialShare*c.total() {
		m.serial[n] = true
		c.gains = c.total()
	}
	return c
}

// comm is the overhead of one execution of c.
func (m *marker) comm(c *comm.Comm) float64 {
	n := 1.0
	for _, r := range c.Ranges {
		switch {
		case !c.Varies(r):
		case r.Unknown:
			n *= largest(c.Array)
		default:
			n *= m.w.values(r)
		}
	}
	cost := newNeedCost
	if m.same(c) {
		cost = sameNeedCost
	}
	switch {
	case c.Kind == comm.Irregular:
		return newNeedCost + m.listed(c)
	case c.InPlace || c.Overlap:
		return cost
	}
	return cost + copyCost*n
}

// listed is the overhead of the elements that c has in a list.
func (m *marker) listed(c *comm.Comm) float64 {
	n := 1.0
	var leave []func()
	for _, d := range c.Walk {
		trips, _ := m.w.trip(d)
		n *= trips
		leave = append(leave, m.w.enter(d))
	}
	for _, l := range slices.Backward(leave) {
		l()
	}
	if len(m.loops) == 0 {
		return (walkCost + listCost) * n
	}
	changed := m.w.p.Modified(m.loops[len(m.loops)-1])
	for _, r := range c.Refs {
		for _, e := range r.Subs {
			if slices.ContainsFunc(ir.ExprRefs(e), func(x *ir.Ref) bool { return changed[x.Sym] }) {
				return (walkCost + listCost) * n
			}
		}
	}
	return walkCost * n
}

// largest is the largest extent of an array.
func largest(array *ir.Symbol) float64 {
	n := 1
	for _, d := range array.Dims {
		n = max(n, int(d.Nominal()))
	}
	return float64(n)
}

// same reports whether what c moves stays the same in the loop at hand.
func (m *marker) same(c *comm.Comm) bool {
	if len(m.loops) == 0 {
		return false
	}
	changed := map[string]bool{}
	for s := range m.w.p.Modified(m.loops[len(m.loops)-1]) {
		changed[s.Name] = true
	}
	own := map[string]bool{}
	for _, r := range c.Ranges {
		own[r.Index] = true
	}
	for _, f := range c.Affines() {
		for _, v := range f.Vars() {
			if changed[v] && !own[v] {
				return false
			}
		}
	}
	return true
}

// region is the cost of one execution of a region.
func (m *marker) region(r *comm.Region) alone {
	c := alone{work: m.w.work(r, r.Stmts).Statements}
	if r.Loops() || len(r.Guard)+len(r.StoreBack) > 0 || r.Pipe != nil {
		c.overhead = partCost
	}
	return c
}

// mark sets Serial of the outermost loops that were found.
func (m *marker) mark(list []comm.Node) {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Loop:
			if n.Serial = m.admits(n, n.Do); !n.Serial {
				m.mark(n.Body)
			}
		case *comm.WhileLoop:
			if n.Serial = m.admits(n, n.While); !n.Serial {
				m.mark(n.Pre)
				m.mark(n.Body)
			}
		case *comm.Branch:
			m.mark(n.Then)
			m.mark(n.Else)
		}
	}
}

// admits reports whether loop n, of statement s, was found and may be emitted twice.
func (m *marker) admits(n comm.Node, s ir.Stmt) bool {
	size := size([]ir.Stmt{s})
	if !m.serial[n] || size > m.room || !m.w.p.Closed(n) {
		return false
	}
	m.room -= size
	return true
}
