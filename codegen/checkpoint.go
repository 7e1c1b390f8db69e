package codegen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// A program that goes on from a checkpoint has to get back to the call, in the midst
// of loops and branches. Calls are numbered in the order of the text. The variable
// resume holds the number of the call to go on from, and 0 from there on, as in a
// run from the beginning. So in a list of statements in which the calls are
//
//	A; loop { B; call 1; C }; D; call 2; E
//
// what lies ahead of a call is for resume == 0, and a loop with a call in it is
// entered, without evaluating its bounds, to get there:
//
//	resume := pe.Resume()
//	if resume == 0 {
//		A
//	}
//	if resume <= 1 {
//		if resume == 0 {
//			i = 1
//		}
//		for ; resume > 0 || i <= n; i++ {
//			if resume == 0 {
//				B
//			}
//			if pe.Checkpoints() {
//				... pe.Checkpoint(7, 1, &iAt, ...) // sets i and all other variables
//				resume = 0
//			}
//			C
//		}
//	}
//	if resume == 0 {
//		D
//	}
//	if pe.Checkpoints() { ... }
//	E
//
// Indices and bounds of such loops are variables of the function, like all scalars:
// the call hands all of them over, and gets them back. Objects of the run-time
// library have their state from Resume.

// numberPoints numbers the calls in the order in which they are emitted.
func (g *gen) numberPoints(list []comm.Node) {
	for _, n := range list {
		if n, ok := n.(*comm.Simple); ok {
			if c, ok := n.Stmt.(*ir.Checkpoint); ok {
				g.points[c] = len(g.points) + 1
			}
			if leaves(n.Stmt) {
				return
			}
		}
		for _, l := range comm.Lists(n) {
			g.numberPoints(*l)
		}
	}
}

// span is the numbers of the calls in a list of nodes; first is 0 if there are none.
func (g *gen) span(list ...comm.Node) (first, last int) {
	if len(g.points) == 0 {
		return 0, 0
	}
	add := func(a, b int) {
		if first == 0 {
			first = a
		}
		last = max(last, b)
	}
	for _, n := range list {
		if n, ok := n.(*comm.Simple); ok {
			if c, ok := n.Stmt.(*ir.Checkpoint); ok {
				add(g.points[c], g.points[c])
			}
			if leaves(n.Stmt) {
				return first, last
			}
		}
		for _, l := range comm.Lists(n) {
			add(g.span(*l...))
		}
	}
	return first, last
}

// resumable emits a list of nodes with calls in it. What begin emits comes first,
// where the list is executed from its beginning.
func (g *gen) resumable(list []comm.Node, begin func()) {
	_, final := g.span(list...)
	open := false
	skip := func() { // opens what is left out on the way to a call
		if !open {
			g.out.p("if %s == 0 {", g.resume)
			open = true
		}
	}
	if begin != nil {
		skip()
		begin()
	}
	passed := false // all calls of the list
	for _, n := range list {
		first, last := g.span(n)
		switch {
		case first == 0 && !passed:
			skip()
			fallthrough
		case first == 0:
			if g.node(n) {
				if open {
					g.out.p("}")
				}
				return
			}
			continue
		}
		if open {
			g.out.p("}")
			open = false
		}
		passed = last == final
		_, direct := n.(*comm.Simple)
		guarded := !passed && !direct
		if guarded {
			g.out.p("if %s <= %d {", g.resume, last)
		}
		g.resumableNode(n, passed)
		if guarded {
			g.out.p("}")
		}
	}
	if open {
		g.out.p("}")
	}
}

// resumableNode emits a node with a call in it. Only if it is the last such of its
// list is it sure that the run does not go on from a call behind it.
func (g *gen) resumableNode(n comm.Node, last bool) {
	g.called(n)
	g.out.p("if %s == 0 {", g.resume)
	before := len(g.out.lines)
	if g.beforeLoop(n); len(g.out.lines) == before {
		g.out.lines = g.out.lines[:before-1]
	} else {
		g.out.p("}")
	}
	// What was marked ahead of a call is forgotten in a run that goes on from there.
	defer func() { g.marked = private }()
	defer g.measuredNode(n)()
	switch n := n.(type) {
	case *comm.Loop:
		g.out.at = n.Do.Pos.Line
		g.resumableLoop(n)
	case *comm.WhileLoop:
		g.resumableWhile(n)
	case *comm.Branch:
		g.resumableBranch(n)
	case *comm.Simple:
		g.point(n.Stmt.(*ir.Checkpoint), last)
	}
}

// resumableLoop emits a counted loop with a call in it.
func (g *gen) resumableLoop(n *comm.Loop) {
	d := n.Do
	k, step := g.scalar(d.Index), g.step(d)
	g.reads(d.Index)
	cond, next := "", ""
	g.out.p("if %s == 0 {", g.resume)
	g.mark(own(d))
	g.marked = private
	switch {
	case step == 0 || !g.compares(d, true):
		by, trips := fmt.Sprint(step), g.keep(k+"Trips")
		if step == 0 {
			by = g.keep(k + "Step")
			g.out.p("%s = %s", by, g.position(d.Step))
		}
		g.out.p("%s = spmd.Count(%s, %s, %s)", trips, g.position(d.Lo), g.position(d.Hi), by)
		g.out.p("%s = %s", k, g.expr(d.Lo))
		if step == 0 && d.Index.Type == ir.Integer {
			by = "int32(" + by + ")"
		}
		cond, next = trips+" > 0", fmt.Sprintf("%s, %s = %s-1, %s+%s", trips, k, trips, k, by)
	default:
		end := g.expr(d.Hi)
		g.out.p("%s = %s", k, g.expr(d.Lo))
		inc, cmp := advance(k, step)
		cond, next = fmt.Sprintf("%s %s %s", k, cmp, end), inc
	}
	g.out.p("}")
	g.label(d, d.Name)
	g.out.p("for ; %s > 0 || %s; %s {", g.resume, cond, next)
	begin, leave := g.iterationOnce(d.Index)
	g.resumable(n.Body, g.orMeasured(begin, d))
	g.out.p("}")
	leave()
}

// keep names a variable of the function that no source variable stands for.
func (g *gen) keep(base string) string {
	g.serial++
	name := fmt.Sprintf("%s%d", base, g.serial)
	g.kept = append(g.kept, name)
	return name
}

// resumableWhile emits a DO WHILE with a call in it.
func (g *gen) resumableWhile(n *comm.WhileLoop) {
	g.out.at = n.While.Pos.Line
	g.label(n.While, n.While.Name)
	begin, leave := g.iterationOnce(nil)
	cond := g.expr(n.While.Cond)
	access := own(n.While)
	g.marked = private
	if len(n.Pre) == 0 && access == private {
		if forCond(cond) == "" {
			g.out.p("for {")
		} else {
			g.out.p("for %s > 0 || %s {", g.resume, cond)
		}
		g.resumable(n.Body, g.orMeasured(begin, n.While))
	} else {
		g.out.p("for {")
		g.resumable(n.Body, func() {
			if begin != nil {
				begin()
			}
			g.nodes(n.Pre)
			g.mark(access)
			g.out.at = n.While.Pos.Line
			g.out.p("if !(%s) {", g.expr(n.While.Cond))
			g.done(&comm.Done{Comms: n.Used})
			g.out.p("break\n}")
			g.done(&comm.Done{Comms: n.Used})
			g.measuredIteration(n.While)
		})
	}
	g.out.p("}")
	leave()
}

// resumableBranch emits an IF with a call in it.
func (g *gen) resumableBranch(n *comm.Branch) {
	g.out.at = n.If.Pos.Line
	g.mark(own(n.If))
	cond := g.expr(n.If.Cond)
	inThen, _ := g.span(n.Then...)
	inElse, _ := g.span(n.Else...)
	switch {
	case inElse == 0:
		g.out.p("if %s > 0 || %s {", g.resume, cond)
	case inThen == 0:
		g.out.p("if %s == 0 && (%s) {", g.resume, cond)
	default:
		g.out.p("if %s > 0 && %s < %d || %s == 0 && (%s) {", g.resume, g.resume, inElse, g.resume, cond)
	}
	g.branch(n.Then)
	if len(n.Else) > 0 {
		g.out.p("} else {")
		g.branch(n.Else)
	}
	g.out.p("}")
}

func (g *gen) branch(list []comm.Node) {
	g.marked = private
	if first, _ := g.span(list...); first > 0 {
		g.resumable(list, nil)
	} else {
		g.nodes(list)
	}
}

// pointMark stands for the variables in the lines of a call, until all are known.
const pointMark = "\x00variables "

// point emits the call.
func (g *gen) point(c *ir.Checkpoint, last bool) {
	g.out.at = c.Pos.Line
	number := g.points[c]
	cond := "pe.Checkpoints()"
	if !last {
		cond += fmt.Sprintf(" && %s <= %d", g.resume, number)
	}
	g.out.p("if %s { // call spmd_checkpoint()", cond)
	leave := func() {}
	if x := &g.regions; x.recorder != "" && !x.inLoop {
		leave = g.enter("checkpoint", "", c.Pos.Line, c.Pos.Line)
	}
	g.out.p("%s%d %d", pointMark, g.pointSites[c], number)
	leave()
	g.out.p("}")
}

// finishPoints puts the variables into the lines of the calls. Where nothing lies
// ahead of the only call, nobody asks for the number of the one to go on from.
func (g *gen) finishPoints(lines []line) []line {
	if len(g.points) == 0 {
		return lines
	}
	if !mentionedIn(lines, g.resume) {
		g.resume = ""
	}
	var vars []string
	for _, s := range g.prog.IR.Symbols {
		if !s.IsArray() && g.declared[s] {
			vars = append(vars, g.names.sym(s))
			g.read[s] = true
		}
	}
	vars = append(vars, g.kept...)
	var out []line
	for _, l := range lines {
		rest, ok := strings.CutPrefix(l.text, pointMark)
		if !ok {
			out = append(out, l)
			continue
		}
		args := strings.Fields(rest)
		copies := make([]string, len(vars))
		for i, v := range vars {
			copies[i] = v + "At"
			args = append(args, "&"+v+"At")
		}
		add := func(format string, a ...any) { out = append(out, line{text: fmt.Sprintf(format, a...), at: l.at}) }
		if len(vars) > 0 {
			add("%s := %s", strings.Join(copies, ", "), strings.Join(vars, ", "))
		}
		add("pe.Checkpoint(%s)", strings.Join(args, ", "))
		if len(vars) > 0 {
			add("%s = %s", strings.Join(vars, ", "), strings.Join(copies, ", "))
		}
		if g.resume != "" {
			add("%s = 0", g.resume)
		}
	}
	return out
}

// declareKept declares the bounds of the loops around calls.
func (g *gen) declareKept() {
	if len(g.kept) > 0 {
		g.out.p("var %s int // of loops around checkpoints", strings.Join(g.kept, ", "))
	}
}

// unidentified stands for the identity in the text that it is made of.
var unidentified = strings.Repeat("0", 32)

// identify makes the identity of the program, by which its checkpoints are known,
// from its text.
func (g *gen) identify(text []byte) []byte {
	if len(g.points) == 0 {
		return text
	}
	sum := sha256.Sum256(slices.Concat([]byte(filepath.Base(g.prog.IR.File)), text))
	return []byte(strings.Replace(string(text), unidentified, hex.EncodeToString(sum[:16]), 1))
}
