package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// With Options.Regions the program says where it is, for package trace:
//
//	regions.Enter(3) // loop j, lines 39 to 44
//	for ... {
//	}
//	regions.Leave()
//
// Regions are the program, the procedures that are called, the loops in which PEs have to do
// with each other, in these the outermost of the other loops, and input and output. What is
// inside of a loop that a PE executes on its own has none, since it may be executed very often,
// but for the directives REGION of the source.

// region is an entry of the table that package trace gets.
type region struct {
	parent     int
	kind, name string
	line, last int
}

// regions is what is emitted of them.
type regions struct {
	recorder string         // the Go variable; "": there are none
	table    []region       // the first is the program
	number   map[region]int // of the same region, emitted twice
	open     []int          // in what is emitted now, the program aside
	depth    map[ir.Stmt]int
	site     *ir.Site         // the call that is open
	inLoop   bool             // of what has no regions inside but those of the source
	together map[ir.Stmt]bool // loops and branches in which PEs have to do with each other
	loops    int              // that are open
	divided  bool             // there are regions of the source in the innermost loop that is open
	marked   map[ir.Stmt]bool // by loop: whether there are
}

func (g *gen) startRegions() {
	if !g.opt.Regions {
		return
	}
	p := g.prog.IR
	g.regions = regions{recorder: g.names.fresh("regions"), number: map[region]int{}, depth: map[ir.Stmt]int{}, together: map[ir.Stmt]bool{}, marked: map[ir.Stmt]bool{}}
	g.regions.table = []region{{-1, "program", p.Name, p.Pos.Line, lastLine(p.Body, p.Pos.Line)}}
	g.findTogether(g.prog.Body)
}

// findTogether finds the statements of the program that are loops and branches of the SPMD
// form, but for the loops that a PE executes on its own.
func (g *gen) findTogether(list []comm.Node) {
	for _, n := range list {
		if s := controls(n); s != nil {
			l, loop := n.(*comm.Loop)
			g.regions.together[s] = !loop || !everywhere(l.Body)
		}
		for _, l := range comm.Lists(n) {
			g.findTogether(*l)
		}
	}
}

// hasRegions reports whether parts of s are regions: with what is in a region of the SPMD form
// that is so for statements of images alone, which communicate there.
func (g *gen) hasRegions(s ir.Stmt) bool {
	return g.regions.together[s] || g.prog.IR.SPMD && ir.Synchronises(s)
}

// enter opens a region, and returns what closes it.
func (g *gen) enter(kind, name string, line, last int) (leave func()) {
	x := &g.regions
	parent := 0
	if n := len(x.open); n > 0 {
		parent = x.open[n-1]
	}
	r := region{parent, kind, name, line, last}
	id, known := x.number[r]
	if !known {
		id = len(x.table)
		x.number[r] = id
		x.table = append(x.table, r)
	}
	g.out.p("%s.Enter(%d) // %s", x.recorder, id, r.text())
	x.open = append(x.open, id)
	if kind == "loop" {
		x.loops++
	}
	return func() {
		if kind == "loop" {
			x.loops--
		}
		x.open = x.open[:len(x.open)-1]
		g.out.p("%s.Leave()", x.recorder)
	}
}

// text is a region in words.
func (r *region) text() string {
	text := r.kind
	if r.name != "" {
		text += " " + r.name
	}
	if r.last > r.line {
		return fmt.Sprintf("%s, lines %d to %d", text, r.line, r.last)
	}
	return fmt.Sprintf("%s, line %d", text, r.line)
}

// marks reports whether directives REGION stand in a loop. The program executes it statement by
// statement then, if it is one that can be measured.
func (g *gen) marks(loop *ir.Do) bool {
	x := &g.regions
	if x.recorder == "" {
		return false
	}
	marked, known := x.marked[loop]
	if !known {
		ir.Walk(loop.Body, func(s ir.Stmt) bool {
			marked = marked || slices.ContainsFunc(callPath(loop.CallSite(), s.CallSite()), func(s *ir.Site) bool { return s.Region })
			return !marked
		})
		x.marked[loop] = marked
	}
	return marked
}

// measured opens the region of a statement, if it has one. What it returns is called behind
// the statement.
func (g *gen) measured(s ir.Stmt) (behind func()) {
	x := &g.regions
	if x.recorder == "" {
		return func() {}
	}
	before := x.divided
	if d, ok := s.(*ir.Do); ok {
		x.divided = g.marks(d)
	}
	leave := g.opened(s)
	return func() {
		leave()
		x.divided = before
	}
}

// opened is measured, but for what loops keep.
func (g *gen) opened(s ir.Stmt) (behind func()) {
	x := &g.regions
	leave := func() {}
	if x.inLoop {
		x.depth[s] = len(x.open)
		return leave
	}
	line := s.Position().Line
	switch s := s.(type) {
	case *ir.Do:
		leave = g.enter("loop", s.Index.Source(), line, lastLine(s.Body, line))
		if x.loops == 1 && g.hasRegions(s) {
			g.out.p("%s.Trips(spmd.Count(%s, %s, %s))", x.recorder, g.position(s.Lo), g.position(s.Hi), g.stepText(s))
		}
	case *ir.While:
		leave = g.enter("loop", "while", line, lastLine(s.Body, line))
	case *ir.If:
	case *ir.Print:
		return g.enter("output", "", line, line)
	case *ir.Read:
		if introspects(s) {
			return leave
		}
		return g.enter("input", "", line, line)
	default:
		return leave
	}
	x.depth[s] = len(x.open)
	x.inLoop = !g.hasRegions(s)
	return func() {
		x.inLoop = false
		leave()
	}
}

// measuredIteration says that an iteration begins of a loop, if that is an outermost one of those
// in which PEs have to do with each other.
func (g *gen) measuredIteration(loop ir.Stmt) {
	if g.outermost(loop) {
		g.out.p("%s.Next()", g.regions.recorder)
	}
}

// orMeasured is measuredIteration where begin emits what an iteration begins with, nil: nothing.
// Check builds, which have that, measure nothing.
func (g *gen) orMeasured(begin func(), loop ir.Stmt) func() {
	if !g.outermost(loop) {
		return begin
	}
	return func() { g.measuredIteration(loop) }
}

// outermost reports whether the iterations of a loop, which is open, are measured.
func (g *gen) outermost(loop ir.Stmt) bool {
	x := &g.regions
	return x.recorder != "" && !x.inLoop && x.loops == 1 && x.depth[loop] == len(x.open) && g.hasRegions(loop)
}

// measuredNode is measured for a node of the SPMD form that is no statement of a region.
func (g *gen) measuredNode(n comm.Node) (behind func()) {
	if s := controls(n); s != nil {
		return g.measured(s)
	}
	return func() {}
}

// measuredRow opens the region of fused loops.
func (g *gen) measuredRow(row *fusedRow) (behind func()) {
	x := &g.regions
	if x.recorder == "" || x.inLoop {
		return func() {}
	}
	first, end := row.nests[0].d.Pos.Line, 0
	var lines []string
	for _, n := range row.nests {
		lines = append(lines, fmt.Sprint(n.d.Pos.Line))
		end = max(end, lastLine(n.d.Body, n.d.Pos.Line))
	}
	leave := g.enter("loop", "lines "+strings.Join(lines, ", ")+" fused", first, end)
	x.inLoop = true
	return func() {
		x.inLoop = false
		leave()
	}
}

// leaps ends, in front of a jump to a loop or behind it, the regions in the loop.
func (g *gen) leaps(loop ir.Stmt) {
	x := &g.regions
	if depth, known := x.depth[loop]; known && x.recorder != "" && len(x.open) > depth {
		g.out.p("%s.LeaveTo(%d)", x.recorder, depth)
	}
}

// procedures opens and closes the regions of procedures in a list of nodes or statements.
type procedures struct {
	g     *gen
	base  *ir.Site // of the list
	at    *ir.Site
	leave []func()
}

// inProcedures is for a list that begins in the procedure that the generator is in.
func (g *gen) inProcedures() *procedures {
	return &procedures{g: g, base: g.regions.site, at: g.regions.site}
}

// to goes to the procedure of a statement, which may be that of a call in it.
func (p *procedures) to(site *ir.Site) {
	g := p.g
	if g.regions.recorder == "" || site == p.at {
		return
	}
	path := callPath(p.base, site)
	if path == nil && site != p.base {
		return // it lies outside of the procedure of the list
	}
	path, old := g.measuredSites(path), g.measuredSites(callPath(p.base, p.at))
	same := 0
	for same < len(path) && same < len(old) && path[same] == old[same] {
		same++
	}
	p.close(same)
	for _, s := range path[same:] {
		kind, last := "procedure", s.Pos.Line
		if s.Region {
			kind, last = "region", s.Last
		}
		p.leave = append(p.leave, g.enter(kind, s.Callee, s.Pos.Line, last))
	}
	p.at = site
	g.regions.site = site
}

// measuredSites is the part of a path that has regions.
func (g *gen) measuredSites(path []*ir.Site) []*ir.Site {
	return slices.DeleteFunc(path, func(s *ir.Site) bool { return g.regions.inLoop && !s.Region })
}

// close closes all procedures but so many.
func (p *procedures) close(keep int) {
	for len(p.leave) > keep {
		p.leave[len(p.leave)-1]()
		p.leave = p.leave[:len(p.leave)-1]
	}
}

// end is called behind the list; control comes there if reached.
func (p *procedures) end(reached bool) {
	if !reached {
		p.g.regions.open = p.g.regions.open[:len(p.g.regions.open)-len(p.leave)]
		p.leave = nil
	}
	p.close(0)
	p.g.regions.site = p.base
}

// callPath is the calls from one call to another inside of it, the outermost first; nil if
// it is not inside.
func callPath(from, to *ir.Site) []*ir.Site {
	var path []*ir.Site
	for s := to; s != from; s = s.Parent {
		if s == nil {
			return nil
		}
		path = append([]*ir.Site{s}, path...)
	}
	return path
}

// nodeSite is the call that node list[i] belongs to; nodes without statements belong to what
// comes next, but for those that end something.
func nodeSite(list []comm.Node, i int) (site *ir.Site, known bool) {
	switch list[i].(type) {
	case *comm.Done, *comm.Combine:
		return nil, false
	}
	for _, n := range list[i:] {
		if s := statementOf(n); s != nil {
			return s.CallSite(), true
		}
	}
	return nil, false
}

// lastLine is the last line of statements, at least from.
func lastLine(body []ir.Stmt, from int) int {
	ir.Walk(body, func(s ir.Stmt) bool {
		from = max(from, s.Position().Line)
		return true
	})
	return from
}

// regionTable emits the table, in front of function run.
func (g *gen) regionTable() {
	if g.regions.recorder == "" {
		return
	}
	g.out.p("// measured are the pieces of the program whose time is measured.")
	g.out.p("var measured = []trace.Region{")
	for _, r := range g.regions.table {
		g.out.p("{Parent: %d, Kind: %q, Name: %q, Line: %d, Last: %d},", r.parent, r.kind, r.name, r.line, r.last)
	}
	g.out.p("}")
	g.out.p("")
}
