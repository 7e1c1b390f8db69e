package cfg

import "fmt"

// Builder makes a graph from structured statements in source order. It keeps a
// current point: where control is after what was built so far. Behind EXIT,
// CYCLE and STOP there is no such point; nodes built there are unreachable, get
// ID -1 and stay out of the graph, with their loops.
//
//	b := cfg.NewBuilder()
//	l := b.BeginLoop(1, "do i = 2, n")
//	l.Index, l.Lo, l.Hi, l.Step = "i", "2", "n", "1"
//	b.Node(cfg.Stmt, 2, 0, "a(i) = b(i-1)")
//	b.BeginIf(3, "a(i) > top")
//	b.Exit(l)
//	b.EndIf()
//	b.EndLoop()
//	g := b.Finish()
//
// Calls that do not nest are mistakes of the caller and panic.
type Builder struct {
	g     *Graph
	exit  *Node
	at    []edge   // the current point: edges that still need an end
	loop  *Loop    // innermost open loop
	open  []*frame // open IFs and loops, innermost last
	stops []edge
}

// edge is the successor number slot of from.
type edge struct {
	from *Node
	slot int
}

// frame is an open IF or loop.
type frame struct {
	// A loop:
	loop          *Loop
	exits, cycles []edge
	// An IF:
	branch   *Node
	thenEnds []edge
	inElse   bool
	live     bool // the branch or head is reachable
}

// NewBuilder starts a graph at its entry.
func NewBuilder() *Builder {
	b := &Builder{g: &Graph{}, exit: &Node{ID: -1, Kind: Exit}}
	entry := &Node{Kind: Entry, Succs: make([]*Node, 1)}
	b.g.Entry, b.g.Exit = entry, b.exit
	b.g.Nodes = []*Node{entry}
	b.at = []edge{{entry, 0}}
	return b
}

// Reachable reports whether control can reach the current point.
func (b *Builder) Reachable() bool { return len(b.at) > 0 }

// Node adds a node of a kind with one successor at the current point and moves
// behind it. Flavour may be set on the result.
func (b *Builder) Node(kind Kind, line, ref int, text string) *Node {
	switch kind {
	case Entry, Exit, Branch, LoopHead:
		panic(fmt.Sprintf("cfg: Node cannot make a node of kind %v", kind))
	}
	return b.add(&Node{Kind: kind, Line: line, Ref: ref, Text: text}, 1)
}

// add puts n with succs successors at the current point, and moves the point to
// its first successor.
func (b *Builder) add(n *Node, succs int) *Node {
	n.Loop = b.loop
	n.Succs = make([]*Node, succs)
	if !b.Reachable() {
		n.ID = -1
		return n
	}
	n.ID = len(b.g.Nodes)
	b.g.Nodes = append(b.g.Nodes, n)
	connect(b.at, n)
	b.at = []edge{{n, 0}}
	return n
}

func connect(edges []edge, to *Node) {
	for _, e := range edges {
		e.from.Succs[e.slot] = to
	}
}

// meet moves to where all the edges come together, at a Join if there are two or
// more.
func (b *Builder) meet(edges []edge) {
	b.at = edges
	if len(edges) > 1 {
		b.Node(Join, 0, 0, "")
	}
}

// BeginLoop starts a loop that tests before each iteration, and may so run zero
// times. The result is the handle for Exit and Cycle; the caller may set its
// index and bounds.
func (b *Builder) BeginLoop(line int, text string) *Loop { return b.begin(line, text, 2) }

// BeginEndless starts a loop that only EXIT and STOP leave: there is no path
// from the head to what follows.
func (b *Builder) BeginEndless(line int, text string) *Loop { return b.begin(line, text, 1) }

func (b *Builder) begin(line int, text string, succs int) *Loop {
	l := &Loop{Parent: b.loop, Line: line}
	b.loop = l
	f := &frame{loop: l, live: b.Reachable()}
	b.open = append(b.open, f)
	l.Head = b.add(&Node{Kind: LoopHead, Line: line, Text: text}, succs)
	if f.live {
		b.g.Loops = append(b.g.Loops, l)
		l.ID = len(b.g.Loops)
	}
	return l
}

// EndLoop closes the innermost construct, which must be a loop, and moves behind
// it.
func (b *Builder) EndLoop() {
	f := b.pop()
	if f.loop == nil {
		panic("cfg: EndLoop closes an IF")
	}
	b.loop = f.loop.Parent
	connect(b.at, f.loop.Head)
	connect(f.cycles, f.loop.Head)
	var after []edge
	if f.live && len(f.loop.Head.Succs) == 2 {
		after = []edge{{f.loop.Head, 1}}
	}
	b.meet(append(after, f.exits...))
}

// BeginIf starts a conditional; what follows is built where the condition holds.
func (b *Builder) BeginIf(line int, text string) *Node {
	f := &frame{live: b.Reachable()}
	f.branch = b.add(&Node{Kind: Branch, Line: line, Text: text}, 2)
	b.open = append(b.open, f)
	return f.branch
}

// Else moves to where the condition of the innermost IF fails.
func (b *Builder) Else() {
	if len(b.open) == 0 || b.open[len(b.open)-1].branch == nil || b.open[len(b.open)-1].inElse {
		panic("cfg: Else without an IF")
	}
	f := b.open[len(b.open)-1]
	f.inElse = true
	f.thenEnds = b.at
	b.at = f.fails()
}

// fails is the edge taken when the condition fails.
func (f *frame) fails() []edge {
	if !f.live {
		return nil
	}
	return []edge{{f.branch, 1}}
}

// EndIf closes the innermost construct, which must be an IF, and moves behind
// it.
func (b *Builder) EndIf() {
	f := b.pop()
	if f.branch == nil {
		panic("cfg: EndIf closes a loop")
	}
	if !f.inElse {
		f.thenEnds = b.at
		b.at = f.fails()
	}
	b.meet(append(f.thenEnds[:len(f.thenEnds):len(f.thenEnds)], b.at...))
}

func (b *Builder) pop() *frame {
	if len(b.open) == 0 {
		panic("cfg: nothing is open")
	}
	f := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	return f
}

// Exit leads from the current point behind loop l, which must be open.
func (b *Builder) Exit(l *Loop) {
	f := b.frame(l)
	f.exits = append(f.exits, b.at...)
	b.at = nil
}

// Cycle leads from the current point to the head of loop l, which must be open.
func (b *Builder) Cycle(l *Loop) {
	f := b.frame(l)
	f.cycles = append(f.cycles, b.at...)
	b.at = nil
}

func (b *Builder) frame(l *Loop) *frame {
	for _, f := range b.open {
		if f.loop == l && l != nil {
			return f
		}
	}
	panic("cfg: EXIT or CYCLE of a loop that is not open")
}

// Stop leads from the current point to the end of the unit.
func (b *Builder) Stop() {
	b.stops = append(b.stops, b.at...)
	b.at = nil
}

// Finish ends the graph at the current point. The builder is not used again.
func (b *Builder) Finish() *Graph {
	if len(b.open) > 0 {
		panic(fmt.Sprintf("cfg: %d constructs are still open", len(b.open)))
	}
	connect(b.at, b.exit)
	connect(b.stops, b.exit)
	b.exit.ID = len(b.g.Nodes)
	b.g.Nodes = append(b.g.Nodes, b.exit)
	b.g.finish()
	return b.g
}
