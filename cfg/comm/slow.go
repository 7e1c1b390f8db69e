package comm

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// fewTrips is the number of iterations from which on a loop is worth a warning, where it
// is known.
const fewTrips = 8

// WarnSlow warns of what makes more PEs slower than one: a loop over distributed data of
// which no part is divided among them, a message or a reduction in each iteration that
// carries one value where one for all iterations was meant, and statements that all PEs
// execute on gathered copies. Each has one warning, at the outermost loop that it is true
// of, with the reason and a remedy; copies of a procedure share it. Loops that read or print
// are left out, and those without messages that are a small share of the program, as the one
// that fills an array with random numbers once.
func (p *Program) WarnSlow(diags *source.List) {
	w := &slowness{p: p, diags: diags, seen: map[source.Pos]bool{}, share: map[*ir.Do]float64{}}
	w.whole = w.weigh(p.IR.Body, 1)
	w.nodes(p.Body, nil)
}

type slowness struct {
	p     *Program
	diags *source.List
	seen  map[source.Pos]bool
	share map[*ir.Do]float64 // assignments that each loop executes, about
	whole float64            // and the program
}

const (
	unknownTrips = 50       // of a loop with unknown bounds
	smallShare   = 1.0 / 20 // of the program
)

// weigh is about how many assignments body executes, in so many executions.
func (w *slowness) weigh(body []ir.Stmt, times float64) (sum float64) {
	for _, s := range body {
		inner := times
		switch s := s.(type) {
		case *ir.Assign:
			sum += times
		case *ir.Do:
			inner *= w.trips(s)
		case *ir.While:
			inner *= unknownTrips
		}
		under := 0.0
		for _, b := range ir.Bodies(s) {
			under += w.weigh(b, inner)
		}
		if d, ok := s.(*ir.Do); ok {
			w.share[d] = under
		}
		sum += under
	}
	return sum
}

// trips is about how many iterations loop has.
func (w *slowness) trips(loop *ir.Do) float64 {
	if b := w.p.Info.Bounds(loop); b.Affine() {
		if d, ok := b.Hi.Sub(b.Lo); ok && d.IsConst() {
			return float64(max(0, (d.C+b.Step)/b.Step))
		}
	}
	return unknownTrips
}

func (w *slowness) warn(pos source.Pos, remedy, format string, args ...any) {
	if w.seen[pos] {
		return
	}
	w.seen[pos] = true
	w.diags.Warnf(source.Slow, pos, format, args...).WithHelp("%s; explain FILE comm has the communications, --quiet drops such warnings", remedy)
}

// nodes looks at nodes inside the loop around, of which all PEs execute every iteration.
func (w *slowness) nodes(list []Node, around *ir.Do) {
	for _, n := range list {
		switch n := n.(type) {
		case *Post:
			if around != nil {
				w.messages(n, around)
			}
		case *Region:
			w.gathers(n)
		case *Combine:
			w.reductions(n.Reduce, around)
		case *Loop:
			if !w.gathered(n.Do) && !w.undivided(n) {
				w.nodes(n.Body, n.Do)
			}
		case *WhileLoop:
			w.nodes(n.Pre, nil)
			w.nodes(n.Body, nil)
		case *Branch:
			w.nodes(n.Then, around)
			w.nodes(n.Else, around)
		}
	}
}

// undivided warns of a loop that steps over distributed elements, and in which no PE has a
// part of the work for itself.
func (w *slowness) undivided(n *Loop) bool {
	if n.Do.Independent != nil || w.short(n.Do) || inputOutput(n.Do) || divides(n.Body) || !w.steps(n.Do) {
		return false
	}
	if w.share[n.Do] < smallShare*w.whole && !communicates(n.Body) {
		return false
	}
	why := w.p.Notes[n.Do]
	if why == "" {
		return false
	}
	w.warn(n.Do.Pos, remedyOf(why), "the loop is not divided, all PEs execute every iteration: %s", why)
	return true
}

// remedyOf is what would help a loop that is not divided.
func remedyOf(why string) string {
	switch {
	case strings.Contains(why, "may use what line"):
		return "if its iterations are independent, say so with !HPF$ INDEPENDENT"
	case strings.Contains(why, "not affine"):
		return "assign to elements whose subscripts are sums of loop indices, or to an array that is not distributed"
	case strings.Contains(why, "owners of different elements"):
		return "align what the lines assign, or put them into loops of their own"
	case strings.Contains(why, "EXIT"), strings.Contains(why, "CYCLE"), strings.Contains(why, "STOP"):
		return "put what leaves the loop into a loop of its own"
	case strings.Contains(why, "used behind"), strings.Contains(why, "carried from one iteration"):
		return "give each iteration a variable or an array element of its own"
	case strings.Contains(why, "messages"):
		return "distribute the arrays along a dimension in which an iteration stays on one PE, or leave them whole"
	}
	return "change what the reason names"
}

// messages warns of messages with one value in each iteration of a loop that computes no
// more than a few values itself.
func (w *slowness) messages(n *Post, loop *ir.Do) {
	if loop.Independent != nil || w.short(loop) || inputOutput(loop) || ir.HasLoop(loop.Body) {
		return
	}
	for _, c := range n.Comms {
		if c.Kind == Irregular || !c.single() || !c.uses(loop.Index.Name) {
			continue
		}
		why := w.p.Notes[loop]
		if why == "" {
			why = "its statements have different owners"
		}
		w.warn(source.Pos{Line: c.Line, Col: c.Col}, remedyOf(why), "a message with one value of %s in each iteration of the loop in line %d, which is not divided: %s", c.Array.Source(), loop.Pos.Line, why)
		return
	}
}

// single reports whether c brings one element.
func (c *Comm) single() bool {
	for _, ax := range c.Axes {
		if ax.All || len(ax.Terms) > 0 {
			return false
		}
	}
	return true
}

// uses reports whether the elements that c brings depend on a variable.
func (c *Comm) uses(name string) bool {
	for _, f := range c.Affines() {
		if f.Uses(name) {
			return true
		}
	}
	return false
}

// gathers warns of a region that all PEs execute on gathered arrays.
func (w *slowness) gathers(r *Region) {
	d, ok := r.Stmts[0].(*ir.Do)
	if ok && d.Independent != nil {
		return // it has a warning of its own
	}
	if ok && !r.Loops() && w.gathered(d) {
		return
	}
	if r.Fallback && !inputOutput(r.Stmts[0]) {
		w.warnGathered(r.Stmts[0].Position(), r.Why)
	}
}

func (w *slowness) warnGathered(pos source.Pos, why string) {
	w.warn(pos, remedyOf(why), "all PEs execute this on gathered copies of the arrays: %s", why)
}

// gathered reports whether all PEs execute loop on gathered arrays, and warns of it.
func (w *slowness) gathered(loop *ir.Do) bool {
	if loop.Gathered == "" {
		return false
	}
	if !w.short(loop) {
		w.warnGathered(loop.Pos, loop.Gathered)
	}
	return true
}

// reductions warns of those that each iteration of the loop around makes anew, of other
// elements.
func (w *slowness) reductions(list []*Reduction, around *ir.Do) {
	if around == nil || w.short(around) {
		return
	}
	for _, red := range list {
		if red.Sym.IsArray() || !w.drives(around, red.By) {
			continue
		}
		w.warn(red.By.Pos, "use its value in a loop of its own, so that the values of all iterations are combined at once",
			"a %s of %s over all PEs in each iteration of the loop in line %d", red.Name, red.Sym.Source(), around.Pos.Line)
	}
}

// drives reports whether a subscript of r depends on the index of loop.
func (w *slowness) drives(loop *ir.Do, r *ir.Ref) bool {
	for _, s := range r.Subs {
		if f, ok := w.p.Affine(s); ok && f.Uses(loop.Index.Name) {
			return true
		}
	}
	return false
}

// steps reports whether the iterations of loop assign different elements along a
// dimension that is distributed.
func (w *slowness) steps(loop *ir.Do) bool {
	found := false
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		as, ok := s.(*ir.Assign)
		if !ok {
			return !found
		}
		l, ok := as.LHS.(*ir.Ref)
		if !ok || !l.Sym.Distributed() {
			return !found
		}
		for d, ax := range l.Sym.Mapping.Map.Axes {
			if f, ok := w.p.Affine(l.Subs[d]); ax.Grid >= 0 && ok && f.Uses(loop.Index.Name) {
				found = true
			}
		}
		return !found
	})
	return found
}

// short reports whether loop is known to have few iterations.
func (w *slowness) short(loop *ir.Do) bool {
	return w.trips(loop) < fewTrips
}

// Undivided reports whether no PE has a part of the work in l for itself: all step through
// it, and exchange elements or find out who owns what an iteration assigns.
func (l *Loop) Undivided() bool { return !divides(l.Body) }

// Sent lists the arrays of which elements are sent inside of l.
func (l *Loop) Sent() (list []*ir.Symbol) {
	add := func(comms []*Comm) {
		for _, c := range comms {
			list = append(list, c.Array)
		}
	}
	for _, n := range Within(l.Body...) {
		switch n := n.(type) {
		case *Post:
			add(n.Comms)
		case *Region:
			if n.Pipe != nil {
				add(n.Pipe.Comms)
			}
		}
	}
	return list
}

// communicates reports whether something is sent in list.
func communicates(list []Node) bool {
	return slices.ContainsFunc(Within(list...), func(n Node) bool {
		switch n.(type) {
		case *Post, *Combine:
			return true
		}
		return false
	})
}

// divides reports whether PEs have parts of the work of some region for themselves.
func divides(list []Node) bool {
	return slices.ContainsFunc(Within(list...), func(n Node) bool {
		r, ok := n.(*Region)
		return ok && r.Loops()
	})
}

// inputOutput reports whether s reads or prints.
func inputOutput(s ir.Stmt) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		switch s.(type) {
		case *ir.Print, *ir.Read:
			found = true
		}
		return !found
	})
	return found
}
