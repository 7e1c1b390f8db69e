package codegen

import (
	"fmt"
	"math"
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
	for _, n := range list {
		if g.node(n) {
			return // what follows is never reached
		}
	}
}

// node emits a node without a checkpoint in it. It reports whether control never gets
// behind it.
func (g *gen) node(n comm.Node) bool {
	g.called(n)
	g.forgetLists(n)
	defer g.enters(n)()
	switch n := n.(type) {
	case *comm.Region:
		g.region(n)
	case *comm.Post:
		g.post(n)
	case *comm.Wait:
		g.wait(n)
	case *comm.Done:
		g.done(n)
	case *comm.Loop:
		g.inStrips(n.Do, nil, func() { g.loop(n) })
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

// loop emits a loop that all PEs execute together.
func (g *gen) loop(n *comm.Loop) {
	if everywhere(n.Body) {
		g.settle(n.Do)
		if g.leafLoop(n.Do, nil) {
			return
		}
	}
	g.out.at = n.Do.Pos.Line
	g.openLoop(n.Do, nil)
	leave := g.iteration(n.Do.Index)
	g.nodes(n.Body)
	g.closeLoop(n.Do)
	leave()
}

// called tells where the statements of a procedure begin that is called.
func (g *gen) called(n comm.Node) {
	s := controls(n)
	switch n := n.(type) {
	case *comm.Region:
		s = n.Stmts[0]
	case *comm.Simple:
		s = n.Stmt
	}
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
		if !ok || len(r.Guard)+len(r.Part)+len(r.Reduce)+len(r.StoreBack) > 0 || r.Pipe != nil || r.Fallback {
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
	g.nodes(n.Body)
	g.out.p("}")
	leave()
}

// iteration tells the run time, in check builds, in which iteration of a loop all
// PEs are: that of an index, or with nil the next one. What it returns is called
// behind the loop.
func (g *gen) iteration(index *ir.Symbol) (leave func()) {
	begin, leave := g.iterationOnce(index)
	if begin != nil {
		begin()
	}
	return leave
}

// iterationOnce is iteration for a loop whose first iteration may begin in its midst:
// begin emits what an iteration begins with, or is nil.
func (g *gen) iterationOnce(index *ir.Symbol) (begin, leave func()) {
	if !g.opt.Check || g.prog.IR.SPMD {
		return nil, func() {}
	}
	depth := g.around
	g.around++
	begin = func() {
		if index == nil {
			g.out.p("pe.Turn(%d)", depth)
			return
		}
		g.reads(index)
		g.out.p("pe.Loop(%d, %s)", depth, g.variable(index.Name))
	}
	return begin, func() {
		g.around--
		g.out.p("pe.Leave(%d)", depth)
	}
}

// forCond drops the condition of an endless loop.
func forCond(s string) string {
	if s == "true" {
		return ""
	}
	return s
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

// region emits what a PE computes on its own.
func (g *gen) region(r *comm.Region) {
	line := r.Stmts[0].Position().Line
	g.out.at = line
	if r.Fallback {
		g.out.p("// Every PE executes this on gathered arrays, the owners keep their part: %s.", source.Printable(r.Why))
	}
	g.settle(r.Stmts...)
	g.rehearse(r)
	g.startReductions(r)
	if r.Pipe != nil {
		if g.plan.BarrierAtPipe(r.Pipe) {
			g.out.p("pe.Barrier(%d)", g.site(r.Pipe.Comms[0]))
		}
		for _, c := range r.Pipe.Comms {
			g.pipeRecv(c, r.Pipe)
		}
	}
	for _, c := range r.Comms {
		if c.Kind == comm.Irregular {
			g.out.p("%s := 0", g.counter(c))
		}
	}
	g.out.at = line
	g.divided = divides(r)
	braces, apart := g.guard(r), g.apart(r)
	if apart {
		g.out.p("pe.Apart(func() {")
	}
	for _, s := range r.Stmts {
		g.stmt(s, r)
	}
	if apart {
		g.out.p("})")
	}
	for range braces {
		g.out.p("}")
	}
	g.divided = false
	if r.Pipe != nil {
		for _, c := range r.Pipe.Comms {
			g.out.p("%s.PipeSend()", g.comms[c])
		}
		if g.opt.Check {
			for _, c := range r.Pipe.Comms {
				g.out.p("%s.Done()", g.comms[c])
			}
		}
	}
	for _, c := range r.StoreBack {
		g.out.at = line
		g.out.p("%s.Keep(%s)", g.names.sym(c.Array), g.temps[c])
	}
	if len(r.Dead) > 0 {
		g.done(&comm.Done{Comms: r.Dead})
	}
	g.finishReductions(r)
}

// longProgram is the number of loops from which on regions that assign elements alone are
// functions of their own: the time that the Go compiler takes for a function grows faster
// than its length.
const longProgram = 200

// apart reports whether what a region computes is a function of its own.
func (g *gen) apart(r *comm.Region) bool {
	if g.loops < longProgram || g.opt.Check || g.prog.IR.SPMD {
		return false
	}
	for _, c := range r.Comms {
		if c.Kind == comm.Irregular {
			return false // its counter lies outside
		}
	}
	local, loops := map[*ir.Symbol]bool{}, false
	for _, s := range r.Stmts {
		ok := true
		ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Assign, *ir.If:
			case *ir.Do:
				if old, known := local[s.Index]; !known || old {
					local[s.Index] = !g.outlives(s)
				}
				loops = true
			default:
				ok = false
			}
			return ok
		})
		if !ok {
			return false
		}
		for v := range g.prog.Modified(s) {
			if !v.IsArray() && !local[v] {
				return false
			}
		}
	}
	return loops
}

func (g *gen) counter(c *comm.Comm) string { return fmt.Sprintf("next%s", strings.ToUpper(c.Name())) }

func (g *gen) pipeRecv(c *comm.Comm, p *comm.Pipe) {
	g.out.at = c.CLine
	g.claim(c)
	text, vars := g.need(c)
	open := g.captures(vars)
	g.out.p("%s.PipeRecv(%d, %d, %s)", g.comms[c], p.GridDim, p.Dir, text)
	if open {
		g.out.p("}")
	}
}

var reduceFunc = map[string]string{"sum": "Sum", "product": "Prod", "max": "Max", "min": "Min", "and": "And", "or": "Or"}

// neutral is the value that leaves others as they are in a sum or product: -0.0 in
// a sum of reals, since -0.0 + -0.0 is -0.0. It is "" for reductions in which a
// value may occur any number of times.
func neutral(red *comm.Reduction) string {
	k := ir.Const{X: ir.X{Typ: red.Sym.Type}}
	switch red.Name {
	case "sum":
		k.Float = math.Copysign(0, -1)
	case "product":
		k.Int, k.Float = 1, 1
	default:
		return ""
	}
	s, _ := constant(&k)
	return s
}

// startReductions prepares for the partial values that PEs compute. They are
// combined in the order of PEs, so that of PE 0 starts from the value before the
// region, and those of sums and products on other PEs from the neutral value: on
// one PE everything is computed in the order of the source.
func (g *gen) startReductions(r *comm.Region) {
	for _, red := range r.Reduce {
		zero := neutral(red)
		if zero == "" {
			continue
		}
		s := g.scalar(red.Sym)
		if before := g.load(&ir.Var{X: ir.X{Typ: red.Sym.Type}, Sym: red.Sym}); before != s {
			g.out.p("_ = %s", before) // every PE checks that it is defined
		}
		g.out.p("if pe.ID() != 0 {\n%s = %s // PE 0 starts from the value before\n}", s, zero)
	}
}

func (g *gen) finishReductions(r *comm.Region) {
	for _, red := range r.Reduce {
		s := g.scalar(red.Sym)
		g.reads(red.Sym)
		g.out.at = stmtLine(r)
		if zero := neutral(red); zero != "" && len(red.Lead) > 0 {
			tests := make([]string, len(red.Lead))
			for k, d := range red.Lead {
				tests[k] = fmt.Sprintf("%s.Coord(pe.ID(), %d) != 0", g.grids[d.Grid], d.Dim)
			}
			g.out.p("if %s {\n// The PEs along the other grid dimensions computed the same: one of them counts.\n%s = %s\n}", strings.Join(tests, " || "), s, zero)
		}
		g.out.p("%s = spmd.%s(pe, %d, %s) // #%d %s over all PEs: gathered and broadcast, each half answers the other",
			s, reduceFunc[red.Name], g.reduceSite(red), s, red.ID, red.Name)
	}
}

func stmtLine(r *comm.Region) int { return r.Stmts[0].Position().Line }

// stmts emits a list of statements, up to one that leaves it for good.
func (g *gen) stmts(list []ir.Stmt, r *comm.Region) {
	for _, s := range list {
		g.stmt(s, r)
		if leaves(s) {
			return
		}
	}
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
		g.inStrips(s, r, func() {
			if !g.leafLoop(s, r) {
				g.openLoop(s, r)
				g.walks(s, r)
				g.stmts(s.Body, r)
				g.closeLoop(s)
			}
		})
	case *ir.While:
		g.label(s, s.Name)
		if a := own(s); g.prog.IR.SPMD && a != private && ir.Synchronises(s) {
			// The condition is evaluated behind each synchronisation anew.
			g.out.p("for {")
			g.mark(a)
			g.out.p("if !(%s) {\nbreak\n}", g.expr(s.Cond))
		} else {
			g.out.p("for %s {", forCond(g.expr(s.Cond)))
		}
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
		g.out.p("break%s", g.target(s.Loop))
	case *ir.Cycle:
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
		g.out.p("pe.%s(%s)", word, code)
	default:
		g.image(s)
	}
}

// printOwn emits PRINT for every image.
func (g *gen) printOwn(s *ir.Print) {
	at := len(g.out.lines)
	g.print(s)
	if len(g.out.lines)-at > 1 { // the record is a variable
		g.out.lines = append(g.out.lines[:at], append([]line{{text: "{", at: s.Pos.Line}}, g.out.lines[at:]...)...)
		g.out.p("}")
	}
}

// elsePart emits an ELSE branch; a single IF in it continues the chain. marked is
// what was marked before it.
func (g *gen) elsePart(body []ir.Stmt, r *comm.Region, marked access) {
	g.marked = marked
	if len(body) == 0 {
		return
	}
	if inner, ok := body[0].(*ir.If); ok && len(body) == 1 {
		g.out.p("} else if %s {", g.expr(inner.Cond))
		g.stmts(inner.Then, r)
		g.elsePart(inner.Else, r, marked)
		return
	}
	g.out.p("} else {")
	g.stmts(body, r)
}

func (g *gen) assign(s *ir.Assign) {
	switch l := s.LHS.(type) {
	case *ir.Ref:
		g.store(g.element(l, true), g.value(s.RHS, l.Sym), l.Sym)
	case *ir.CoRef:
		g.storeRemote(l, g.value(s.RHS, l.Sym))
	case *ir.Var:
		g.store(g.scalar(l.Sym), g.value(s.RHS, l.Sym), l.Sym)
	case *ir.Substr:
		v := l.Base.(*ir.Var)
		name := g.scalar(v.Sym)
		g.reads(v.Sym)
		old := name
		if g.opt.Check { // one without a value yet is shorter than declared
			old = fmt.Sprintf("spmd.Pad(%s, %d)", name, v.Sym.Len)
		}
		g.out.p("%s = spmd.SetSub(%s, %s, %s, %s)", name, old, g.position(l.Lo), g.position(l.Hi), g.expr(s.RHS))
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
	if sym.Type == ir.Character {
		if c, ok := e.(*ir.Const); ok && len(c.Str) <= sym.Len {
			text, _ := character(c.Str, sym.Len)
			return text
		}
		return fmt.Sprintf("spmd.Pad(%s, %d)", s, sym.Len)
	}
	return s
}

func (g *gen) print(s *ir.Print) {
	implied := false
	for _, e := range s.Items {
		_, is := e.(*ir.ImpliedDo)
		implied = implied || is
	}
	if s.FormatA {
		g.out.p("pe.PrintA(%s)", g.expr(s.Items[0]))
		return
	}
	if !implied {
		items := make([]string, len(s.Items))
		for i, e := range s.Items {
			items[i] = g.typed(e)
		}
		g.out.p("pe.Print(%s)", strings.Join(items, ", "))
		return
	}
	g.out.p("record := pe.NewLine()")
	for _, e := range s.Items {
		g.item(e)
	}
	g.out.p("record.End()")
}

func (g *gen) item(e ir.Expr) {
	d, ok := e.(*ir.ImpliedDo)
	if !ok {
		g.out.p("record.Add(%s)", g.typed(e))
		return
	}
	lo, hi, step := g.position(d.Lo), g.position(d.Hi), g.position(d.Step)
	g.bound[d.Index]++
	k := g.names.sym(d.Index)
	g.out.p("for %s, step, trips := %s, %s, spmd.Count(%s, %s, %s); trips > 0; %s, trips = %s+step, trips-1 {", k, lo, step, lo, hi, step, k, k)
	for _, x := range d.Items {
		g.item(x)
	}
	g.out.p("}")
	g.bound[d.Index]--
}

// readStmt emits READ: PE 0 reads, all get the values. The variables are passed
// through copies so that they need not live in memory.
func (g *gen) readStmt(s *ir.Read) {
	var syms []*ir.Symbol
	seen := map[*ir.Symbol]bool{}
	addr := func(y *ir.Symbol) string {
		if !seen[y] {
			seen[y] = true
			syms = append(syms, y)
		}
		p := "&" + g.names.sym(y) + "In"
		if y.Type == ir.Character {
			return fmt.Sprintf("spmd.Str(%s, %d)", p, y.Len)
		}
		return p
	}
	iostat := "nil"
	if s.Iostat != nil {
		iostat = addr(s.Iostat)
	}
	var args []string
	for i, v := range s.Items {
		a := addr(v.Sym)
		if s.Got != nil && s.Got[i] != nil {
			a = fmt.Sprintf("spmd.Note(%s, %s)", addr(s.Got[i]), a)
		}
		args = append(args, a)
	}
	var in, outer, before, behind []string
	for _, y := range syms {
		x, name := g.scalar(y), g.names.sym(y)+"In"
		g.reads(y)
		in, outer = append(in, name), append(outer, x)
		if y == s.Iostat && y.Type == ir.Integer { // the run time has it as an int
			x, name = "int("+x+")", "int32("+name+")"
		}
		before, behind = append(before, x), append(behind, name)
	}
	if len(in) > 0 {
		g.out.p("{")
		g.out.p("%s := %s", strings.Join(in, ", "), strings.Join(before, ", "))
	}
	list := ""
	if len(args) > 0 {
		list = ", " + strings.Join(args, ", ")
	}
	switch {
	case s.FormatA:
		g.out.p("pe.ReadA(%d, %s, %s)", g.readSite(s), iostat, args[0])
	case s.From != nil:
		g.out.p("pe.ReadInternal(%d, %s, %s%s)", g.readSite(s), g.expr(s.From), iostat, list)
	default:
		g.out.p("pe.Read(%d, %s%s)", g.readSite(s), iostat, list)
	}
	if len(in) > 0 {
		g.out.p("%s = %s", strings.Join(outer, ", "), strings.Join(behind, ", "))
		g.out.p("}")
	}
}
