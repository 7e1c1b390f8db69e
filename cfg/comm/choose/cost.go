package choose

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// The cost of a program, per PE, is counted in messages: one message costs 1.
// The numbers below are what a message costs against other work on the machines
// at hand (about a microsecond), and guesses where the source does not say. They
// need not be right to tell a message per iteration from a message per loop.
const (
	guessTrip = 50   // iterations of a loop of unknown bounds
	guessPEs  = 4    // that a divided loop is divided among
	chance    = 0.5  // that a condition on data holds
	likely    = 0.95 // that a condition on loop indices holds, which few iterations decide otherwise

	messageCost   = 1.0
	readyCost     = 1.0   // a ready message that is likely to be kept
	reductionCost = 2.0   // combining partial values, and the wait in it
	listedCost    = 4.0   // making the lists of an irregular communication
	elementCost   = 0.01  // each element of a message, as far as its section shows
	entryCost     = 0.02  // entering a region or a branch together
	statementCost = 0.002 // one execution of one statement
	textCost      = 0.005 // each statement of the text: code has to pay for itself
)

// cost estimates what one execution of p costs. It knows loops, branches and
// communications, and nothing of the machine but the numbers above. The parts
// are what the loops, branches and regions of p have of it, by their statements.
func cost(p *comm.Program) (total float64, parts map[ir.Stmt]float64) {
	w := &weigher{p: p, info: p.Info, parts: map[ir.Stmt]float64{}}
	return w.nodes(p.Body, 1) + textCost*float64(size(p.IR.Body)), w.parts
}

func size(body []ir.Stmt) int {
	n := 0
	ir.Walk(body, func(ir.Stmt) bool { n++; return true })
	return n
}

// weigher walks the SPMD form. Weights are expected numbers of executions.
type weigher struct {
	p     *comm.Program
	info  *scalar.Info
	parts map[ir.Stmt]float64
	// kept: a communication here is likely to keep its ready message. It stands
	// in a loop in which some path back to it holds no reduction, so that
	// nothing makes its consumers known to its producers on the way.
	kept bool
}

func (w *weigher) nodes(list []comm.Node, weight float64) float64 {
	total := 0.0
	for _, n := range list {
		total += w.node(n, weight)
	}
	return total
}

func (w *weigher) node(n comm.Node, weight float64) float64 {
	switch n := n.(type) {
	case *comm.Post:
		return weight * w.comms(n.Comms)
	case *comm.Region:
		return w.part(n.Stmts[0], weight*w.region(n))
	case *comm.Loop:
		return w.part(n.Do, w.loop(weight*w.trip(n.Do), n.Body))
	case *comm.WhileLoop:
		return w.loop(weight*guessTrip, append(append([]comm.Node(nil), n.Pre...), n.Body...))
	case *comm.Branch:
		p := w.probability(n.If.Cond)
		return w.part(n.If, weight*entryCost+w.nodes(n.Then, weight*p)+w.nodes(n.Else, weight*(1-p)))
	}
	return 0
}

func (w *weigher) part(s ir.Stmt, cost float64) float64 {
	w.parts[s] += cost
	return cost
}

func (w *weigher) loop(weight float64, body []comm.Node) float64 {
	outer := w.kept
	w.kept = !w.reduces(body)
	defer func() { w.kept = outer }()
	return w.nodes(body, weight)
}

// comms is the cost of a group of communications, once.
func (w *weigher) comms(list []*comm.Comm) float64 {
	total := 0.0
	for _, c := range list {
		total += messageCost + elementCost*w.elements(c)
		if c.Kind == comm.Irregular {
			total += listedCost
		}
		if w.kept {
			total += readyCost
		}
	}
	return total
}

// elements is about how many elements c brings to a PE.
func (w *weigher) elements(c *comm.Comm) float64 {
	n := 1.0
	for d, ax := range c.Axes {
		if ax.All && c.Subs == nil {
			n *= float64(c.Array.Dims[d].Extent())
		}
	}
	for _, r := range c.Ranges {
		if !c.Varies(r) {
			continue
		}
		k := guessTrip + 0.0
		if !r.Unknown && r.Step != 0 {
			if t, ok := trips(r.Lo, r.Hi, int64(r.Step)); ok {
				k = t
			}
		}
		if len(r.Cons) > 0 {
			k = max(1, k/guessPEs)
		}
		n *= k
	}
	return n
}

// region is the cost of a region, once.
func (w *weigher) region(r *comm.Region) float64 {
	share := 1.0
	if len(r.Guard) > 0 {
		share /= guessPEs
	}
	total := entryCost + reductionCost*float64(len(r.Reduce))
	if r.Pipe != nil {
		total += messageCost * guessPEs // the PEs wait for one another
		share *= guessPEs
	}
	return total + share*w.work(r, r.Stmts)
}

// work is the cost of statements that one PE executes on its own.
func (w *weigher) work(r *comm.Region, body []ir.Stmt) float64 {
	total := 0.0
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Do:
			k := w.trip(s)
			if len(r.Part[s]) > 0 {
				k /= guessPEs
			}
			total += k * w.work(r, s.Body)
		case *ir.While:
			total += guessTrip * w.work(r, s.Body)
		case *ir.If:
			p := w.probability(s.Cond)
			total += statementCost + p*w.work(r, s.Then) + (1-p)*w.work(r, s.Else)
		default:
			total += statementCost
		}
	}
	return total
}

// trip is how often the body of a loop runs.
func (w *weigher) trip(d *ir.Do) float64 {
	b := w.info.Bounds(d)
	if b.LoOK && b.HiOK && b.Step != 0 {
		if n, ok := trips(b.Lo, b.Hi, b.Step); ok {
			return n
		}
	}
	return guessTrip
}

func trips(lo, hi linalg.Affine, step int64) (float64, bool) {
	d, ok := hi.Sub(lo)
	if !ok || !d.IsConst() {
		return 0, false
	}
	return float64(max(0, (d.C+step)/step)), true
}

// probability is how likely a condition is to hold: a comparison of loop
// indices is true but for a few iterations, unless it is an equation.
func (w *weigher) probability(e ir.Expr) float64 {
	b, ok := e.(*ir.Bin)
	if !ok || !b.L.Type().IsInteger() {
		return chance
	}
	_, l := w.info.Affine(b.L)
	_, r := w.info.Affine(b.R)
	if !l || !r {
		return chance
	}
	switch b.Op {
	case ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.Ne:
		return likely
	case ir.Eq:
		return 1 - likely
	}
	return chance
}

// reduces reports whether every path through list holds a reduction over all
// PEs.
func (w *weigher) reduces(list []comm.Node) bool {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Region:
			if len(n.Reduce) > 0 {
				return true
			}
		case *comm.Branch:
			if w.reduces(n.Then) && w.reduces(n.Else) {
				return true
			}
		case *comm.Loop:
			if w.info.Bounds(n.Do).Runs() && w.reduces(n.Body) {
				return true
			}
		case *comm.WhileLoop:
			if w.reduces(n.Pre) {
				return true
			}
		case *comm.Simple:
			return false // a jump may lead past the rest
		}
	}
	return false
}
