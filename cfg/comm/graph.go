package comm

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
)

// Graph is the control-flow graph with communication nodes; it is made once.
func (p *Program) Graph() *cfg.Graph {
	if p.graph == nil {
		p.stmts, p.loops, p.conds = map[*cfg.Node]ir.Stmt{}, map[*cfg.Loop]ir.Stmt{}, map[*cfg.Node]ir.Expr{}
		b := &graphBuilder{p: p, b: cfg.NewBuilder(), loops: map[ir.Stmt]*cfg.Loop{}}
		b.nodes(p.Body)
		p.graph = b.b.Finish()
	}
	return p.graph
}

// Stmt is the statement behind a node of the graph of p, nil when there is none.
// The head of a loop has the loop.
func (p *Program) Stmt(n *cfg.Node) ir.Stmt {
	if n.Kind == cfg.LoopHead {
		return p.loops[n.Loop]
	}
	return p.stmts[n]
}

// Loop is the loop statement behind a loop of the graph of p.
func (p *Program) Loop(l *cfg.Loop) ir.Stmt { return p.loops[l] }

// Cond is the condition of an IF that all PEs decide alike, behind its branch in
// the graph of p; nil for other nodes.
func (p *Program) Cond(n *cfg.Node) ir.Expr { return p.conds[n] }

// Agree is the flavour of the reduction that is part of an irregular
// communication. Its Ref is the communication's number.
const Agree = "agree"

type graphBuilder struct {
	p     *Program
	b     *cfg.Builder
	loops map[ir.Stmt]*cfg.Loop
}

func (g *graphBuilder) comm(kind cfg.Kind, line int, c *Comm, flavour string) {
	n := g.b.Node(kind, line, c.ID, ir.ExprString(c.Refs[0]))
	n.Flavour = flavour
}

// agree is the reduction by which, in each execution of an irregular
// communication, the PEs find out whether a list of subscripts has changed.
func (g *graphBuilder) agree(c *Comm) {
	g.comm(cfg.Reduce, c.CLine, c, Agree)
}

func (g *graphBuilder) nodes(list []Node) {
	for _, n := range list {
		switch n := n.(type) {
		case *Barrier:
			g.b.Node(cfg.Barrier, n.Before.CLine, 0, "")
		case *Post:
			for _, c := range n.Comms {
				if c.Kind == Irregular {
					g.agree(c)
				}
				g.comm(cfg.Comm, c.CLine, c, string(c.Kind))
			}
		case *Wait:
			for _, c := range n.Comms {
				g.comm(cfg.CommOver, c.COLine, c, "")
			}
		case *Done:
			for _, c := range n.Comms {
				g.comm(cfg.UseOver, c.UOLine, c, "")
			}
		case *Region:
			g.region(n)
		case *Combine:
			for _, red := range n.Reduce {
				g.b.Node(cfg.Reduce, red.Line, red.ID, red.What()).Flavour = red.Name
			}
		case *Loop:
			g.begin(n.Do, ir.StmtString(n.Do))
			g.nodes(n.Body)
			g.b.EndLoop()
		case *WhileLoop:
			g.whileLoop(n)
		case *Branch:
			g.p.conds[g.b.BeginIf(n.If.Pos.Line, ir.ExprString(n.If.Cond))] = n.If.Cond
			g.nodes(n.Then)
			if len(n.Else) > 0 {
				g.b.Else()
				g.nodes(n.Else)
			}
			g.b.EndIf()
		case *Simple:
			g.stmt(n.Stmt)
		}
	}
}

// whileLoop has its condition behind the communications that feed it.
func (g *graphBuilder) whileLoop(n *WhileLoop) {
	if len(n.Pre) == 0 {
		g.begin(n.While, ir.StmtString(n.While))
		g.nodes(n.Body)
		g.b.EndLoop()
		return
	}
	l := g.b.BeginEndless(n.While.Pos.Line, "do while")
	g.loops[n.While] = l
	g.p.loops[l] = n.While
	g.nodes(n.Pre)
	g.b.BeginIf(n.While.Pos.Line, ".not. ("+ir.ExprString(n.While.Cond)+")")
	g.used(n)
	g.b.Exit(l)
	g.b.EndIf()
	g.used(n)
	g.nodes(n.Body)
	g.b.EndLoop()
}

// used ends the communications that feed the condition.
func (g *graphBuilder) used(n *WhileLoop) {
	for _, c := range n.Used {
		g.comm(cfg.UseOver, c.UOLine, c, "")
	}
}

func (g *graphBuilder) begin(s ir.Stmt, text string) {
	var l *cfg.Loop
	if w, ok := s.(*ir.While); ok {
		if c, ok := w.Cond.(*ir.Const); ok && c.Bool {
			l = g.b.BeginEndless(s.Position().Line, text)
		}
	}
	if l == nil {
		l = g.b.BeginLoop(s.Position().Line, text)
	}
	if d, ok := s.(*ir.Do); ok {
		l.Index, l.Lo, l.Hi, l.Step = d.Index.Name, ir.ExprString(d.Lo), ir.ExprString(d.Hi), ir.ExprString(d.Step)
	}
	g.loops[s] = l
	g.p.loops[l] = s
}

// region is what lies between communications; its control flow is each PE's own.
func (g *graphBuilder) region(r *Region) {
	if r.Pipe != nil {
		for _, c := range r.Pipe.Comms {
			g.comm(cfg.Comm, c.CLine, c, "recv")
			g.comm(cfg.CommOver, c.COLine, c, "")
		}
	}
	for _, s := range r.Stmts {
		g.stmt(s)
	}
	if r.Pipe != nil {
		for _, c := range r.Pipe.Comms {
			g.comm(cfg.Comm, endLine(r), c, "send")
			g.comm(cfg.UseOver, endLine(r), c, "")
		}
	}
}

func (g *graphBuilder) stmt(s ir.Stmt) {
	line := s.Position().Line
	switch s := s.(type) {
	case *ir.Do, *ir.While:
		g.begin(s, ir.StmtString(s))
		for _, b := range ir.Bodies(s)[0] {
			g.stmt(b)
		}
		g.b.EndLoop()
	case *ir.If:
		g.b.BeginIf(line, ir.ExprString(s.Cond))
		for _, b := range s.Then {
			g.stmt(b)
		}
		if len(s.Else) > 0 {
			g.b.Else()
			for _, b := range s.Else {
				g.stmt(b)
			}
		}
		g.b.EndIf()
	case *ir.Critical:
		g.p.stmts[g.b.Node(cfg.Stmt, line, 0, ir.StmtString(s))] = s
		for _, b := range s.Body {
			g.stmt(b)
		}
	case *ir.Exit:
		g.b.Exit(g.loops[s.Loop])
	case *ir.Cycle:
		g.b.Cycle(g.loops[s.Loop])
	case *ir.Stop:
		g.b.Node(cfg.Stmt, line, 0, ir.StmtString(s)).Flavour = cfg.Stop
		g.b.Stop()
	default:
		g.p.stmts[g.b.Node(cfg.Stmt, line, 0, ir.StmtString(s))] = s
	}
}
