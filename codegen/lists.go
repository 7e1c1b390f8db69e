package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// findLasting finds the communications whose elements stay the same while a loop runs which
// all PEs execute together, each with the outermost loop that changes nothing which they
// depend on. What is needed is said once, in front of it; the list of an irregular one is
// made in its first iteration, since the walk may read elements.
func (g *gen) findLasting(list []comm.Node, loops []ir.Stmt) {
	note := func(c *comm.Comm, depends map[*ir.Symbol]bool) {
		for _, loop := range loops {
			if !changes(g.prog.Modified(loop), depends) && !c.LaidOut(loop) {
				g.lasting[c] = loop
				return
			}
		}
	}
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Loop:
			g.findLasting(n.Body, append(loops[:len(loops):len(loops)], n.Do))
		case *comm.WhileLoop:
			inside := append(loops[:len(loops):len(loops)], n.While)
			g.findLasting(n.Pre, inside)
			g.findLasting(n.Body, inside)
		case *comm.Branch:
			g.findLasting(n.Then, loops)
			g.findLasting(n.Else, loops)
		case *comm.Region:
			g.findLastingOwn(n, loops)
			if n.Pipe != nil && n.Pipe.Blocks == nil {
				for _, c := range n.Pipe.Comms {
					note(c, g.needDepends(c))
				}
			}
		case *comm.Simple:
			if leaves(n.Stmt) {
				return // what follows is never reached
			}
		case *comm.Post:
			for i, c := range n.Comms {
				if g.sameList[c] = g.listedAs(c, n.Comms[:i]); g.sameList[c] != nil {
					continue
				}
				switch {
				case c.Kind != comm.Irregular && g.strip(c) == nil:
					note(c, g.needDepends(c))
				case c.Kind == comm.Irregular && !g.opt.Check:
					if note(c, g.listDepends(c)); g.lasting[c] != nil {
						g.listed[c] = g.names.fresh(g.lists[c] + "Known")
					}
				}
			}
		}
	}
}

// listedAs is the one of communications posted before c that has the same list, of an array that
// is mapped as that of c is: as those of x(node(k,e)) and y(node(k,e)). It is nil for none.
func (g *gen) listedAs(c *comm.Comm, before []*comm.Comm) *comm.Comm {
	if c.Kind != comm.Irregular || g.opt.Check || g.prog.IR.SPMD || len(g.points) > 0 || c.Array.Placed() || g.listsRuns(c) {
		return nil
	}
	for _, b := range before {
		if b.Kind != comm.Irregular || b.Array.Placed() || g.sameList[b] != nil || b.Region != c.Region || !slices.Equal(b.Walk, c.Walk) || g.changesInside(b) != g.changesInside(c) {
			continue
		}
		same := slices.EqualFunc(b.Refs[0].Subs, c.Refs[0].Subs, func(x, y ir.Expr) bool { return ir.ExprString(x) == ir.ExprString(y) })
		if same && g.placeText(b.Array) == g.placeText(c.Array) {
			return b
		}
	}
	return nil
}

// placeText says where the elements of a distributed array are.
func (g *gen) placeText(s *ir.Symbol) string {
	return fmt.Sprint(g.mapOf(s.Mapping.Map, g.end), s.Mapping.Grid, s.Type)
}

// changesInside reports whether the region that c brings elements to changes its array.
func (g *gen) changesInside(c *comm.Comm) bool {
	return slices.ContainsFunc(c.Region.Stmts, func(s ir.Stmt) bool { return g.prog.Modified(s)[c.Array] })
}

// needDepends are the variables that what c moves depends on, but for the indices of its own
// ranges. A nil among them stands for what is not known.
func (g *gen) needDepends(c *comm.Comm) map[*ir.Symbol]bool {
	own := map[string]bool{}
	for _, r := range c.Ranges {
		own[r.Index] = true
	}
	depends := map[*ir.Symbol]bool{}
	for _, f := range c.Affines() {
		for _, v := range f.Vars() {
			if !own[v] {
				depends[g.symbols[v]] = true
			}
		}
	}
	return depends
}

// changes reports whether a variable that something depends on is modified, or is not known.
func changes(modified, depends map[*ir.Symbol]bool) bool {
	for s := range depends {
		if s == nil || modified[s] {
			return true
		}
	}
	return false
}

// listDepends are the variables that the walk reads which makes the list of c, but for the
// indices of its own loops inside of these. A nil among them stands for what is not known.
func (g *gen) listDepends(c *comm.Comm) map[*ir.Symbol]bool {
	uses := newDependence(g)
	uses.owners(c.Region.Guard)
	for _, d := range c.Walk {
		uses.iterations(d, c.Region)
	}
	for _, s := range c.Refs[0].Subs {
		uses.expr(s)
	}
	return uses.depends
}

// dependence collects the variables that a walk over loops reads.
type dependence struct {
	g       *gen
	depends map[*ir.Symbol]bool
	inside  map[*ir.Symbol]bool // set by the walk itself
}

func newDependence(g *gen) *dependence {
	return &dependence{g, map[*ir.Symbol]bool{}, map[*ir.Symbol]bool{}}
}

func (w *dependence) read(s *ir.Symbol) {
	if !w.inside[s] {
		w.depends[s] = true
	}
}

func (w *dependence) expr(e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var:
			w.read(e.Sym)
		case *ir.Ref:
			w.read(e.Sym)
		}
		return true
	})
}

func (w *dependence) owners(list []comm.Constraint) {
	for _, k := range list {
		for _, v := range k.Sub.Vars() {
			w.read(w.g.symbols[v])
		}
	}
}

// iterations adds what decides about a PE's iterations of d in region r.
func (w *dependence) iterations(d *ir.Do, r *comm.Region) {
	w.expr(d.Lo)
	w.expr(d.Hi)
	w.expr(d.Step)
	w.inside[d.Index] = true
	w.owners(r.Part[d])
	if k := r.Picks[d]; k != nil {
		w.expr(k.Set.RHS)
		w.inside[k.Var()] = true
		w.owners(k.Own)
	}
}

// beforeLoop emits, in front of a loop, what is needed by the communications in it that stay
// what they are, and that lists are not made yet.
func (g *gen) beforeLoop(n comm.Node) {
	loop := controls(n)
	if loop == nil {
		return
	}
	g.forgetOwn(loop)
	for _, c := range g.prog.Comms {
		switch {
		case g.lasting[c] != loop:
		case c.Kind == comm.Irregular:
			g.out.at = loop.Position().Line
			g.out.p("%s = false", g.listed[c])
		default:
			g.needs(c)
		}
	}
}

// listing emits loops of the walk that lists elements, with something in them.
func (g *gen) listing(c *comm.Comm, loops []*ir.Do, inside func()) {
	closers := g.guard(c.Region)
	for _, d := range loops {
		g.out.at = d.Pos.Line
		g.openLoop(d, c.Region)
		if k := c.Region.Picks[d]; k != nil {
			g.assign(k.Set)
		}
	}
	inside()
	for i := len(loops) - 1; i >= 0; i-- {
		g.closeLoop(loops[i])
	}
	for range closers {
		g.out.p("}")
	}
}

// list emits the walk that lists the elements which an irregular reference
// will read, in that order.
func (g *gen) list(c *comm.Comm) {
	if first := g.sameList[c]; first != nil {
		g.comment(c)
		g.out.p("%s.PostAs(%s)", g.comms[c], g.comms[first])
		return
	}
	ref := c.Refs[0]
	name := g.lists[c]
	g.listFirst(c)
	known, lasts := g.listed[c]
	if !lasts {
		known = "false"
	} else {
		g.out.p("if !%s { // nothing that the list depends on changes in the loop of line %d", known, g.lasting[c].Position().Line)
	}
	last, runs := c.Walk[len(c.Walk)-1], g.listsRuns(c)
	loops, entry := c.Walk, len(ref.Subs)
	if runs {
		loops, entry = loops[:len(loops)-1], entry+1
	}
	g.divided = divides(c.Region)
	if !g.opt.Check && (runs || g.step(last) != 0) {
		g.out.p("if %s == nil {\nroom := 0", name)
		g.listing(c, c.Walk[:len(c.Walk)-1], func() {
			g.out.at = last.Pos.Line
			if k := c.Region.Picks[last]; runs {
				g.out.p("room++")
			} else if k != nil {
				g.out.p("room += len(%s)", g.listOwn(last, k))
			} else if part := c.Region.Part[last]; part != nil || g.parts[last] != "" {
				g.out.p("room += %s.N", g.ownIterations(last, part))
			} else {
				g.out.p("room += spmd.Count(%s, %s, %d)", g.position(last.Lo), g.position(last.Hi), g.step(last))
			}
		})
		each := ""
		if entry > 1 {
			each = fmt.Sprintf("%d*", entry)
		}
		g.out.p("%s = spmd.Room[int](pe, %sroom)[:0]\n}", name, each)
	}
	g.out.p("%s = %s[:0]", name, name)
	g.listing(c, loops, func() {
		g.out.at = ref.Pos.Line
		var subs []string
		if runs {
			g.newLeaf(last, c.Region).open()
			subs = append(subs, "nT")
		}
		for _, s := range ref.Subs {
			subs = append(subs, g.position(s))
		}
		g.out.p("%s = append(%s, %s)", name, name, strings.Join(subs, ", "))
		if runs {
			g.out.p("}")
			g.bound[last.Index]--
		}
	})
	g.divided = false
	if lasts {
		g.out.p("}")
	}
	g.comment(c)
	g.out.p("%s = %s.Post(%s, %s)", name, g.comms[c], name, known)
	if lasts {
		g.out.p("%s = true", known)
	}
}
