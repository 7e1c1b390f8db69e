package choose

import (
	"math"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/transform"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// The cost of a program, per PE, is counted in messages: one message costs 1.
// The numbers below are what a message costs against other work on the machines
// at hand (about a microsecond), and guesses where the source does not say. They
// need not be right to tell a message per iteration from a message per loop.
const (
	GuessTrip = 50.0 // iterations of a loop of unknown bounds
	guessPEs  = 4    // that a divided loop is divided among
	chance    = 0.5  // that a condition on data holds
	likely    = 0.95 // that a condition on loop indices holds, which few iterations decide otherwise

	messageCost   = 1.0
	ReadyCost     = 1.0     // a ready message that is likely to be kept
	reductionCost = 2.0     // combining partial values, and the wait in it
	listedCost    = 4.0     // making the lists of an irregular communication
	byteCost      = 0.00125 // each byte of a message, as far as its section shows
	entryCost     = 0.02    // entering a region or a branch together
	statementCost = 0.002   // one execution of one statement
	stepCost      = 0.0005  // a reference that takes the next element; others cost more, as transform.Strides says
	textCost      = 0.005   // each statement of the text: code has to pay for itself
)

// Cost is what a part of a program is estimated to cost one PE in a run.
type Cost struct {
	Statements float64 // executions of statements
	Messages   float64 // that are sent for its sake, with ready messages that are likely to be kept
	Bytes      float64 // that it receives
	Waits      float64 // for messages, and for all PEs in a reduction
	Guessed    bool    // some loop around or inside has bounds that are not known: it counts as 50 iterations

	rest float64 // of Total: what is none of these
}

// Total is the cost in messages: how many messages would take as long.
func (c Cost) Total() float64 {
	return c.rest + statementCost*c.Statements + messageCost*c.Messages + byteCost*c.Bytes
}

func (c Cost) plus(d Cost) Cost {
	return Cost{c.Statements + d.Statements, c.Messages + d.Messages, c.Bytes + d.Bytes, c.Waits + d.Waits, c.Guessed || d.Guessed, c.rest + d.rest}
}

func (c Cost) times(k float64) Cost {
	return Cost{k * c.Statements, k * c.Messages, k * c.Bytes, k * c.Waits, c.Guessed, k * c.rest}
}

// cost estimates what one execution of p costs. It knows loops, branches and
// communications, and nothing of the machine but the numbers above. The parts
// are what the loops, branches and regions of p have of it, by their statements.
func cost(p *comm.Program) (total float64, parts map[ir.Stmt]Cost) {
	w := newWeigher(p, guessPEs)
	return w.nodes(p.Body).Total() + textCost*float64(size(p.IR.Body)), w.parts
}

func size(body []ir.Stmt) int {
	n := 0
	ir.Walk(body, func(ir.Stmt) bool { n++; return true })
	return n
}

// weigher walks the SPMD form.
type weigher struct {
	p        *comm.Program
	info     *scalar.Info
	pes      float64            // among which a divided loop is divided
	weight   float64            // expected number of executions of the node at hand
	unsure   bool               // weight rests on a guess
	means    map[string]float64 // of the indices of the loops around
	assigned map[string]ir.Expr // see assignedOnce; nil before it is asked for
	parts    map[ir.Stmt]Cost
	own      func(*ir.Do) (float64, bool) // if it is not nil: iterations of a divided loop, see Work
	// expected, if it is not nil, gets what is found of communications and loops.
	expected *Expected
	// kept: a communication here is likely to keep its ready message. It stands
	// in a loop in which some path back to it holds no reduction, so that
	// nothing makes its consumers known to its producers on the way.
	kept bool
}

func newWeigher(p *comm.Program, pes float64) *weigher {
	return &weigher{p: p, info: p.Info, pes: pes, weight: 1, means: map[string]float64{}, parts: map[ir.Stmt]Cost{}}
}

func (w *weigher) nodes(list []comm.Node) Cost {
	var total Cost
	for _, n := range list {
		total = total.plus(w.node(n))
	}
	return total
}

// node is the cost of all executions of n.
func (w *weigher) node(n comm.Node) Cost {
	switch n := n.(type) {
	case *comm.Post:
		return w.all(w.comms(n.Comms))
	case *comm.Region:
		return w.part(n.Stmts[0], w.all(w.region(n)))
	case *comm.Combine:
		return w.part(n.Behind, w.all(w.reductions(n)))
	case *comm.Loop:
		trips, known := w.trip(n.Do)
		defer w.enter(n.Do)()
		return w.part(n.Do, w.loop(trips, known, n.Body))
	case *comm.WhileLoop:
		return w.part(n.While, w.loop(GuessTrip, false, append(append([]comm.Node(nil), n.Pre...), n.Body...)))
	case *comm.Branch:
		p := w.probability(n.If.Cond)
		c := w.all(Cost{rest: entryCost})
		w.with(p, true, func() { c = c.plus(w.nodes(n.Then)) })
		w.with(1-p, true, func() { c = c.plus(w.nodes(n.Else)) })
		return w.part(n.If, c)
	}
	return Cost{}
}

// all is the cost of all executions of a node, of which one costs c.
func (w *weigher) all(c Cost) Cost {
	c = c.times(w.weight)
	c.Guessed = c.Guessed || w.unsure
	return c
}

// with looks at what is executed k times as often.
func (w *weigher) with(k float64, known bool, f func()) {
	weight, unsure := w.weight, w.unsure
	w.weight, w.unsure = weight*k, unsure || !known
	f()
	w.weight, w.unsure = weight, unsure
}

func (w *weigher) part(s ir.Stmt, cost Cost) Cost {
	w.parts[s] = w.parts[s].plus(cost)
	return cost
}

func (w *weigher) loop(trips float64, known bool, body []comm.Node) (c Cost) {
	outer := w.kept
	w.kept = !w.reduces(body)
	defer func() { w.kept = outer }()
	w.with(trips, known, func() { c = w.nodes(body) })
	return c
}

// comms is the cost of a group of communications, once.
func (w *weigher) comms(list []*comm.Comm) Cost {
	var total Cost
	w.executed(list)
	for _, c := range list {
		total.Messages++
		total.Waits++
		total.Bytes += w.elements(c) * float64(c.Array.Type.Size())
		if c.Kind == comm.Irregular {
			total.rest += listedCost
		}
		if w.kept {
			total.rest += ReadyCost
		}
	}
	return total
}

// elements is about how many elements c brings to a PE.
func (w *weigher) elements(c *comm.Comm) float64 {
	n := 1.0
	if c.Overlap { // of which the elements beside those of the neighbour move
		for d, ax := range c.Axes {
			width := max(0, -c.Window[d][0]) + max(0, c.Window[d][1])
			switch {
			case width > 0:
				n *= float64(width)
			case ax.All:
				n *= float64(c.Array.Dims[d].Nominal())
			default:
				for _, t := range ax.Terms {
					n *= w.values(t.Range)
				}
			}
		}
		return n
	}
	for d, ax := range c.Axes {
		if ax.All && c.Subs == nil {
			n *= float64(c.Array.Dims[d].Nominal())
		}
	}
	for _, r := range c.Ranges {
		if c.Varies(r) {
			n *= w.values(r)
		}
	}
	return n
}

// box is about how many elements of an array lie in a box.
func (w *weigher) box(array *ir.Symbol, box []comm.Axis) float64 {
	n := 1.0
	for d, ax := range box {
		if ax.All {
			n *= float64(array.Dims[d].Nominal())
		}
		for _, t := range ax.Terms {
			n *= w.values(t.Range)
		}
	}
	return n
}

// values is about how many values an index takes on a PE.
func (w *weigher) values(r *comm.Range) float64 {
	k := GuessTrip
	if !r.Unknown && r.Step != 0 {
		if t, ok := w.count(r.Lo, r.Hi, int64(r.Step)); ok {
			k = t
		}
	}
	if len(r.Cons) > 0 {
		k = max(1, k/w.among(r.Cons))
	}
	return k
}

// among is how many PEs divide what constraints divide: of a grid of two dimensions, each
// has the square root of the number of PEs.
func (w *weigher) among(cons []comm.Constraint) float64 {
	n := 1.0
	seen := map[comm.GridDim]bool{}
	for _, c := range cons {
		m := c.Array.Mapping
		at := comm.GridDim{Grid: m.Grid, Dim: -1}
		if c.Axis >= 0 {
			at.Dim = m.Map.Axes[c.Axis].Grid
		}
		if !seen[at] {
			seen[at] = true
			n *= math.Pow(w.pes, 1/float64(m.Grid.Rank))
		}
	}
	return min(n, w.pes)
}

// reductions is the cost of reductions, once.
func (w *weigher) reductions(n *comm.Combine) Cost {
	var total Cost
	for _, set := range n.MessageGroups() {
		total.Messages += reductionCost / messageCost
		total.Waits++
		for _, box := range set[0].Section {
			total.Bytes += w.box(set[0].Sym, box) * float64(set[0].Sym.Type.Size())
		}
		if sym := set[0].Sym; set[0].Parted {
			all := make([]comm.Axis, len(sym.Dims))
			for d := range all {
				all[d].All = true
			}
			total.Bytes += w.box(sym, all) * float64(sym.Type.Size())
		}
	}
	return total
}

// region is the cost of a region, once.
func (w *weigher) region(r *comm.Region) Cost {
	share := 1 / w.among(r.Guard)
	total := Cost{rest: entryCost}
	if r.Pipe != nil {
		w.executed(r.Pipe.Comms)
		total.Messages += w.pes // the PEs wait for one another
		total.Waits += w.pes
		if r.Pipe.Blocks == nil {
			share *= w.pes
		}
	}
	return total.plus(w.work(r, r.Stmts).times(share))
}

// work is the cost of statements that one PE executes on its own.
func (w *weigher) work(r *comm.Region, body []ir.Stmt) Cost {
	var total Cost
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Do:
			k, known := w.trip(s)
			k /= w.among(r.Part[s])
			if pick := r.Picks[s]; pick != nil {
				k /= w.among(pick.Own)
			}
			if w.own != nil {
				if n, ok := w.own(s); ok {
					k = n
				}
			}
			leave := w.enter(s)
			c := w.work(r, s.Body)
			leave()
			if !ir.HasLoop(s.Body) {
				c.rest += stepCost * float64(transform.Strides(w.info, s, s.Body))
			}
			c = c.times(k)
			c.Guessed = c.Guessed || !known
			total = total.plus(c)
		case *ir.While:
			c := w.work(r, s.Body).times(GuessTrip)
			c.Guessed = true
			total = total.plus(c)
		case *ir.If:
			p := w.probability(s.Cond)
			total.Statements++
			total = total.plus(w.work(r, s.Then).times(p)).plus(w.work(r, s.Else).times(1 - p))
		default:
			total.Statements++
		}
	}
	return total
}

// trip is how often the body of a loop runs, and whether that is known.
func (w *weigher) trip(d *ir.Do) (n float64, known bool) {
	if w.expected != nil {
		defer func() { w.expected.Trips[d] = n }()
	}
	b := w.info.Bounds(d)
	if b.LoOK && b.HiOK && b.Step != 0 {
		if n, ok := w.count(b.Lo, b.Hi, b.Step); ok {
			return n, true
		}
	}
	if lo, hi, ok := w.ends(d); ok && b.Step != 0 {
		return max(0, (hi-lo+float64(b.Step))/float64(b.Step)), true
	}
	return GuessTrip, false
}

// ends are the bounds of a loop on average over the loops around.
func (w *weigher) ends(d *ir.Do) (lo, hi float64, ok bool) {
	b := w.info.Bounds(d)
	bound := func(f linalg.Affine, form bool, e ir.Expr) (float64, bool) {
		if form {
			return w.mean(f)
		}
		return w.value(e)
	}
	lo, ok1 := bound(b.Lo, b.LoOK, d.Lo)
	hi, ok2 := bound(b.Hi, b.HiOK, d.Hi)
	return lo, hi, ok1 && ok2
}

// count is how many values there are from lo to hi, on average over the loops around.
func (w *weigher) count(lo, hi linalg.Affine, step int64) (float64, bool) {
	d, ok := hi.Sub(lo)
	if !ok {
		return 0, false
	}
	length, ok := w.mean(d)
	if d.IsConst() {
		return float64(max(0, (d.C+step)/step)), ok
	}
	return max(0, (length+float64(step))/float64(step)), ok
}

// mean is the value of f on average over the loops around; it is not known where f has
// variables that value does not know.
func (w *weigher) mean(f linalg.Affine) (float64, bool) { return w.meanIn(f, 0) }

// enter says that what is looked at next is in loop d, until the function that it returns
// is called.
func (w *weigher) enter(d *ir.Do) (leave func()) {
	name := d.Index.Name
	before, had := w.means[name]
	delete(w.means, name)
	if lo, hi, ok := w.ends(d); ok {
		w.means[name] = (lo + hi) / 2
	}
	return func() {
		delete(w.means, name)
		if had {
			w.means[name] = before
		}
	}
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
		case *comm.Combine:
			return true
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
