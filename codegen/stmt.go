package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// nodes emits a sequence of the SPMD form.
func (g *gen) nodes(list []comm.Node) {
	if first, _ := g.span(list...); first > 0 {
		g.resumable(list, nil)
		return
	}
	calls := g.inProcedures()
	for i := 0; i < len(list); i++ {
		if site, known := nodeSite(list, i); known {
			calls.to(site)
		}
		if row := g.fusedNodes(list[i:]); row != nil {
			g.fusedRegions(row)
			i += row.nodes - 1
			continue
		}
		if g.node(list[i]) {
			calls.end(false)
			return // what follows is never reached
		}
	}
	calls.end(true)
}

// node emits a node without a checkpoint in it. It reports whether control never gets
// behind it.
func (g *gen) node(n comm.Node) bool {
	g.called(n)
	if s := g.serialLoop(n); s != nil {
		g.twice(n, s)
		return false
	}
	return g.inSPMD(n)
}

// inSPMD emits a node in the form for any number of PEs.
func (g *gen) inSPMD(n comm.Node) bool {
	g.beforeLoop(n)
	defer g.measuredNode(n)()
	defer g.enters(n)()
	switch n := n.(type) {
	case *comm.Region:
		g.region(n)
	case *comm.Start:
		g.startReductions(n)
	case *comm.Combine:
		g.finishReductions(n)
	case *comm.Barrier:
		g.out.at = n.Before.CLine
		if n.Before.Kind == comm.Pipeline {
			g.out.at = n.Before.Region.Stmts[0].Position().Line
		}
		g.out.p("pe.Barrier(%d)", g.site(n.Before))
		g.barrierLines++
	case *comm.Post:
		g.post(n)
	case *comm.Wait:
		g.wait(n)
	case *comm.Done:
		g.done(n)
	case *comm.Loop:
		whole := everywhere(n.Body)
		if !whole { // so its sums have no partial values either
			g.vectors[n.Do] = &vectorLoop{loop: n.Do, why: "PEs have to do with each other in its iterations"}
		}
		g.inStrips(n.Do, nil, func() { g.loop(n, whole) })
	case *comm.WhileLoop:
		g.while(n)
	case *comm.Branch:
		g.out.at = n.If.Pos.Line
		marked := g.marked
		g.out.p("if %s {", g.expr(n.If.Cond))
		g.nodes(n.Then)
		if len(n.Else) > 0 {
			g.marked = marked
			g.out.p("} else {")
			g.nodes(n.Else)
		}
		g.out.p("}")
	case *comm.Simple:
		g.stmt(n.Stmt, nil)
		return leaves(n.Stmt)
	}
	return false
}

// controls is the statement of the source that a node executes others by, nil if it is
// none that does.
func controls(n comm.Node) ir.Stmt {
	switch n := n.(type) {
	case *comm.Loop:
		return n.Do
	case *comm.WhileLoop:
		return n.While
	case *comm.Branch:
		return n.If
	}
	return nil
}

// loop emits a loop that all PEs execute together, whole if they do nothing but compute.
func (g *gen) loop(n *comm.Loop, whole bool) {
	if whole {
		g.settle(n.Do)
		if g.leafLoop(n.Do, nil) {
			return
		}
	}
	g.out.at = n.Do.Pos.Line
	g.openLoop(n.Do, nil)
	g.measuredIteration(n.Do)
	leave := g.iteration(n.Do.Index)
	g.undefine(n.Do)
	g.nodes(n.Body)
	g.closeLoop(n.Do)
	leave()
	g.undefine(n.Do)
}

// statementOf is the statement of the source that a node begins with, nil if it has none.
func statementOf(n comm.Node) ir.Stmt {
	switch n := n.(type) {
	case *comm.Region:
		return n.Stmts[0]
	case *comm.Barrier:
		if r := n.Before.Region; n.Before.Kind == comm.Pipeline {
			return r.Stmts[0]
		}
	case *comm.Simple:
		return n.Stmt
	}
	return controls(n)
}

// called marks where the statements of a called procedure begin.
func (g *gen) called(n comm.Node) {
	s := statementOf(n)
	if s == nil {
		return
	}
	site, last := s.CallSite(), g.inside
	g.inside = site
	if site == nil || site == last {
		return
	}
	for ; last != nil; last = last.Parent {
		if last == site {
			return // back from a call
		}
	}
	g.out.at = s.Position().Line
	g.out.p("// In %s.", site)
}

// everywhere reports whether every PE executes all of the nodes, which do nothing
// but compute: what they need from others was received before them.
func everywhere(list []comm.Node) bool {
	for _, n := range list {
		r, ok := n.(*comm.Region)
		if !ok || r.Loops() || len(r.Guard)+len(r.StoreBack) > 0 || r.Pipe != nil || r.Fallback {
			return false
		}
		for _, c := range r.Comms {
			if c.Kind == comm.Irregular {
				return false // its list is walked region by region
			}
		}
	}
	return true
}

func (g *gen) while(n *comm.WhileLoop) {
	g.out.at = n.While.Pos.Line
	g.label(n.While, n.While.Name)
	var leave func()
	if len(n.Pre) == 0 {
		g.out.p("for %s {", forCond(g.expr(n.While.Cond)))
		leave = g.iteration(nil)
	} else {
		g.out.p("for {")
		leave = g.iteration(nil)
		g.nodes(n.Pre)
		g.out.at = n.While.Pos.Line
		g.out.p("if !(%s) {", g.expr(n.While.Cond))
		g.done(&comm.Done{Comms: n.Used})
		g.out.p("break\n}")
		g.done(&comm.Done{Comms: n.Used})
	}
	g.measuredIteration(n.While)
	g.nodes(n.Body)
	g.out.p("}")
	leave()
}

// guard opens the ownership test of a region and returns the number of braces.
func (g *gen) guard(r *comm.Region) int {
	if len(r.Guard) == 0 {
		return 0
	}
	tests := make([]string, len(r.Guard))
	for i, c := range r.Guard {
		tests[i] = g.holds(c, "pe.ID()")
	}
	g.out.p("if %s {", strings.Join(tests, " && "))
	return 1
}

// undefine takes, in check builds, the values of arrays that are private to the
// iterations of d, where an iteration begins and behind the loop: an iteration that uses
// what an earlier one left is found out, and so is a use behind the loop.
func (g *gen) undefine(d *ir.Do) {
	if !g.opt.Check {
		return
	}
	for _, sym := range g.prog.Private(d) {
		used := false
		ir.WalkExprs(d.Body, func(_ ir.Stmt, e ir.Expr) bool {
			r, ok := e.(*ir.Ref)
			used = used || ok && r.Sym == sym
			return !used
		})
		if used {
			g.out.p("%s.Undefine() // NEW in line %d", g.names.sym(sym), d.Independent.Pos.Line)
		}
	}
}

// region emits what a PE computes on its own.
func (g *gen) region(r *comm.Region) {
	line := r.Stmts[0].Position().Line
	g.out.at = line
	if r.Fallback {
		g.out.p("// Every PE executes this on gathered arrays, the owners keep their part: %s.", source.Printable(r.Why))
	}
	g.settle(r.Stmts...)
	g.rehearse(r)
	if r.Pipe != nil {
		g.pipelined(r)
	} else {
		g.alone(r)
	}
	for _, c := range r.StoreBack {
		g.out.at = line
		g.out.p("%s.Keep(%s)", g.names.sym(c.Array), g.temps[c])
	}
}

// alone emits the statements of a region, as far as they are the PE's.
func (g *gen) alone(r *comm.Region) {
	for _, c := range r.Comms {
		if c.Kind == comm.Irregular && !g.listsRuns(c) {
			g.out.p("%s := 0", g.counter(c))
		}
	}
	g.out.at = r.Stmts[0].Position().Line
	for d := range r.Picks {
		g.forgetOwn(loopsOver(r.Stmts, d)...)
	}
	g.divided = divides(r)
	braces, first := g.guard(r), len(g.out.lines)
	g.stmts(r.Stmts, r)
	g.phase(r, first)
	for range braces {
		g.out.p("}")
	}
	if braces > 0 { // the other PEs come by too
		ir.Walk(r.Stmts, func(s ir.Stmt) bool {
			if d, ok := s.(*ir.Do); ok {
				g.undefine(d)
			}
			return true
		})
	}
	g.divided = false
	for d, k := range r.Picks {
		g.listOf(d).made = false
		delete(g.fromList, k.Set)
	}
}

func (g *gen) counter(c *comm.Comm) string { return fmt.Sprintf("next%s", strings.ToUpper(c.Name())) }

var reduceFunc = map[string]string{"sum": "Sum", "product": "Prod", "max": "Max", "min": "Min", "and": "And", "or": "Or", "place": "Place"}

// stmts emits a list of statements, up to one that leaves it for good.
func (g *gen) stmts(list []ir.Stmt, r *comm.Region) {
	calls := g.inProcedures()
	upTo, end := 0, func() {}
	defer func() { end() }()
	for i := 0; i < len(list); i++ {
		calls.to(list[i].CallSite())
		if i >= upTo {
			end()
			upTo, end = g.crowdsIn(list[i:], r)
			upTo += i
		}
		if row := g.fusedStmts(list[i:], r); row != nil {
			g.emitFused(row, func(n *fusedNest) { g.stmt(n.d, r) })
			i += row.nodes - 1
			continue
		}
		if g.oneAngle(list[i:]) == 2 {
			g.out.at = list[i].Position().Line
			release := g.sinesWithCosines(list[i].(*ir.Assign).RHS, list[i+1].(*ir.Assign).RHS)
			g.stmt(list[i], r)
			g.stmt(list[i+1], r)
			release()
			i++
			continue
		}
		g.stmt(list[i], r)
		if leaves(list[i]) {
			calls.end(false)
			return
		}
	}
	calls.end(true)
}

// leaves reports whether control never gets behind s.
func leaves(s ir.Stmt) bool {
	switch s.(type) {
	case *ir.Exit, *ir.Cycle:
		return true
	}
	return false
}

// stmt emits a statement; r is the region around it, nil outside.
func (g *gen) stmt(s ir.Stmt, r *comm.Region) {
	g.out.at = s.Position().Line
	defer g.measured(s)()
	if g.prog.IR.SPMD {
		g.comesTo(s, func() { g.plain(s, r) })
		return
	}
	g.plain(s, r)
}

// plain emits a statement without marks.
func (g *gen) plain(s ir.Stmt, r *comm.Region) {
	switch s := s.(type) {
	case *ir.Assign:
		g.assign(s)
	case *ir.Do:
		if r != nil && r.Picks[s] != nil {
			g.pickedLoop(s, r)
			break
		}
		end := g.editTexts(s, r)
		g.inStrips(s, r, func() {
			if !g.leafLoop(s, r) && !g.jammed(s, r) && !g.rowLoop(s, r) && !g.flatLoop(s, r) {
				g.loopInGo(s, r)
			}
		})
		end()
	case *ir.While:
		defer g.editTexts(s, r)()
		defer g.addressed(s)()
		g.label(s, s.Name)
		if a := own(s); g.prog.IR.SPMD && a != private && ir.Synchronises(s) {
			// The condition is evaluated behind each synchronisation anew.
			g.out.p("for {")
			g.mark(a)
			g.out.p("if !(%s) {\nbreak\n}", g.expr(s.Cond))
		} else {
			g.out.p("for %s {", forCond(g.expr(s.Cond)))
		}
		g.measuredIteration(s)
		g.stmts(s.Body, r)
		g.out.p("}")
	case *ir.If:
		marked := g.marked
		g.out.p("if %s {", g.expr(s.Cond))
		g.stmts(s.Then, r)
		g.elsePart(s.Else, r, marked)
		g.out.p("}")
		g.marked = marked
	case *ir.Exit:
		g.leaps(s.Loop)
		g.out.p("break%s", g.target(s.Loop))
	case *ir.Cycle:
		g.leaps(s.Loop)
		g.out.p("continue%s", g.target(s.Loop))
	case *ir.Print:
		if g.prog.IR.SPMD {
			g.printOwn(s)
			break
		}
		g.out.p("if pe.ID() == 0 {")
		g.print(s)
		g.out.p("}")
	case *ir.Read:
		g.readStmt(s)
	case *ir.Stop:
		code, word := "", "Stop"
		if s.Code != nil {
			code = g.typed(s.Code)
		}
		if s.Error {
			word = "ErrorStop"
		}
		if s.Quiet {
			word = "Exit"
		}
		g.out.p("pe.%s(%s)", word, code)
	case *ir.Allocate:
		g.allocate(s)
	default:
		g.image(s)
	}
}

// loopInGo emits a loop whose body is emitted statement by statement.
func (g *gen) loopInGo(d *ir.Do, r *comm.Region) {
	g.openLoop(d, r)
	g.measuredIteration(d)
	g.undefine(d)
	g.walks(d, r)
	g.stmts(d.Body, r)
	g.closeLoop(d)
	g.undefine(d)
}

// elsePart emits an ELSE branch; a single IF in it continues the chain. marked is
// what was marked before it.
func (g *gen) elsePart(body []ir.Stmt, r *comm.Region, marked access) {
	g.marked = marked
	if len(body) == 0 {
		return
	}
	if inner, ok := body[0].(*ir.If); ok && len(body) == 1 && (g.regions.recorder == "" || inner.CallSite() == g.regions.site) {
		g.out.p("} else if %s {", g.expr(inner.Cond))
		g.stmts(inner.Then, r)
		g.elsePart(inner.Else, r, marked)
		return
	}
	g.out.p("} else {")
	g.stmts(body, r)
}

func (g *gen) assign(s *ir.Assign) {
	if emit := g.prefix[s]; emit != nil {
		emit()
	}
	if text := g.fromList[s]; text != "" {
		g.store(g.scalar(ir.Target(s.LHS)), text, ir.Target(s.LHS))
		return
	}
	if text := g.edited(s.LHS); text != "" {
		g.assignPart(text, edit(s))
		return
	}
	defer g.sinesWithCosines(s.RHS)()
	switch l := s.LHS.(type) {
	case *ir.Ref:
		to, value := g.element(l, true), g.value(s.RHS, l.Sym)
		if zero := g.starts[s]; zero != "" && !idle(s.RHS, zero) {
			// What all PEs accumulate into starts from the value on one of them.
			g.out.p("if pe.ID() == 0 {")
			g.store(to, value, l.Sym)
			g.out.p("} else {\n%s = %s\n}", to, zero)
			break
		}
		if name := g.rolled[l]; name != "" {
			g.storeRolled(name, to, value, l.Sym)
			break
		}
		g.store(to, value, l.Sym)
	case *ir.CoRef:
		g.storeRemote(l, g.value(s.RHS, l.Sym))
	case *ir.Var:
		g.store(g.scalar(l.Sym), g.value(s.RHS, l.Sym), l.Sym)
	}
}

// store emits an assignment. One of a variable to itself gets a conversion,
// without which go vet takes it for a slip.
func (g *gen) store(to, value string, sym *ir.Symbol) {
	if to == value {
		value = goType(sym.Type) + "(" + value + ")"
	}
	g.out.p("%s = %s", to, value)
}

// value renders a right side for a variable of sym's type.
func (g *gen) value(e ir.Expr, sym *ir.Symbol) string {
	s := unfused(e, g.expr(e))
	if sym.Type == ir.Character && sym.Len != ir.AnyLength {
		if c, ok := e.(*ir.Const); ok && len(c.Str) <= sym.Len {
			text, _ := character(c.Str, sym.Len)
			return text
		}
		if c, ok := e.(*ir.Call); ok && c.Name == "setsub" {
			return s // as long as sym
		}
		if n, ok := textLength(e); ok && n == sym.Len && !g.opt.Check {
			return s
		}
		return fmt.Sprintf("spmd.Pad(%s, %d)", s, sym.Len)
	}
	return s
}
