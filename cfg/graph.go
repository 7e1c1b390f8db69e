// Package cfg is the control-flow graph of a program unit: single statements,
// branches and loops, and the communication nodes that the analyses of
// synchronisation reason about. It knows nothing of syntax trees: nodes carry
// source lines and texts, and a graph can be read from its text form, so that
// every later package is tested without the parser.
//
// The source
//
//	1 do i = 2, n
//	2    a(i) = b(i-1)
//	3    if (a(i) > top) exit
//	4 end do
//	5 print *, a(n)
//
// with the element b(i-1) fetched in each iteration is the graph
//
//	loop L1 line 1 index "i" lo "2" hi "n" step "1"
//	0 entry -> 1
//	1 loop line 1 in L1 "do i = 2, n" -> 2 6
//	2 comm line 2 in L1 ref 1 shift "b(i-1)" -> 3
//	3 commover line 2 in L1 ref 1 -> 4
//	4 stmt line 2 in L1 "a(i) = b(i-1)" -> 5
//	5 branch line 3 in L1 "a(i) > top" -> 6 1
//	6 join -> 7
//	7 stmt line 5 "print *, a(n)" -> 8
//	8 exit
//
// Loops are while-shaped: the head tests, so that a loop may run zero times.
// Branches and loop heads have their successors in the order (condition holds,
// condition fails); for a head these are the body and what follows the loop.
package cfg

import "fmt"

// Kind says what a node does.
type Kind uint8

const (
	Entry    Kind = iota
	Exit          // end of the unit; STOP leads here too
	Stmt          // an ordinary statement
	Branch        // two successors: condition holds, condition fails
	LoopHead      // the test of a loop; one successor only in an endless loop
	Join          // paths meet; does nothing
	Comm          // C_r: the data of communication r is sent
	CommOver      // CO_r: the data has to have arrived
	UseOver       // UO_r: this instance's data is dead
	Reduce        // a reduction over all PEs
	Barrier       // a barrier of all PEs
)

// kindNames are the words of the text form.
var kindNames = [...]string{"entry", "exit", "stmt", "branch", "loop", "join", "comm", "commover", "useover", "reduce", "barrier"}

func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// IsComm reports whether nodes of kind k take part in communication, and so are
// passed by all PEs together.
func (k Kind) IsComm() bool { return k >= Comm && k <= Barrier }

// Stop is the flavour of a statement that ends the program. It leads to Exit.
const Stop = "stop"

// Node is one point of the program. The pointer is its identity.
type Node struct {
	ID   int // position in Graph.Nodes; -1 when unreachable, hence not in a graph
	Kind Kind
	Line int // source line, 0 when there is none
	Ref  int // number of the communication, 0 when the node belongs to none
	// Flavour tells communications of one kind apart: "shift", "broadcast",
	// "recv" and "send" of a pipelined loop. Of statements it is Stop or empty. Empty
	// when there is nothing to add.
	Flavour string
	Text    string // source text of the statement, condition or reference

	// Succs has the order given in the package comment. Preds has one entry per
	// incoming edge, by the ID of the predecessor.
	Succs, Preds []*Node
	// Loop is the innermost loop that the node is written in, nil for none. A
	// head lies in its own loop, a node on the way to EXIT in the loop it leaves.
	Loop *Loop
}

// Name is the usual short name: "C_1", "CO_1" and "UO_1" for the nodes of
// communication 1, and kind and ID, "stmt 4", for other nodes.
func (n *Node) Name() string {
	switch n.Kind {
	case Comm:
		return fmt.Sprintf("C_%d", n.Ref)
	case CommOver:
		return fmt.Sprintf("CO_%d", n.Ref)
	case UseOver:
		return fmt.Sprintf("UO_%d", n.Ref)
	}
	return fmt.Sprintf("%v %d", n.Kind, n.ID)
}

// Loop is a loop as written. Index, Lo, Hi and Step are source texts, empty for
// loops without an index.
type Loop struct {
	ID                  int // position in Graph.Loops plus 1
	Head                *Node
	Parent              *Loop // enclosing loop, nil for none
	Line                int
	Index, Lo, Hi, Step string
	Body                map[*Node]bool // all nodes written in the loop, head and inner loops included
}

// Contains reports whether inner is l or a loop in l.
func (l *Loop) Contains(inner *Loop) bool {
	for ; inner != nil; inner = inner.Parent {
		if inner == l {
			return true
		}
	}
	return false
}

// Graph is a control-flow graph. Every node but Exit is reachable from Entry;
// Exit is not when the program never ends.
type Graph struct {
	Nodes       []*Node // by ID: Entry first, Exit last, between them in source order
	Entry, Exit *Node
	Loops       []*Loop // by ID, outer ones before inner ones
}

// finish derives what follows from Nodes, Succs and Node.Loop: predecessors and
// loop bodies.
func (g *Graph) finish() {
	for _, n := range g.Nodes {
		n.Preds = nil
	}
	for _, n := range g.Nodes {
		for _, s := range n.Succs {
			s.Preds = append(s.Preds, n)
		}
	}
	for _, l := range g.Loops {
		l.Body = map[*Node]bool{}
	}
	for _, n := range g.Nodes {
		for l := n.Loop; l != nil; l = l.Parent {
			l.Body[n] = true
		}
	}
}

// Check reports the first breach of the rules that this package promises for
// graphs, nil when there is none. Passes that change a graph are verified by it.
func (g *Graph) Check() error {
	if len(g.Nodes) < 2 || g.Nodes[0] != g.Entry || g.Nodes[len(g.Nodes)-1] != g.Exit {
		return fmt.Errorf("a graph starts with entry and ends with exit")
	}
	if err := g.checkLoops(); err != nil {
		return err
	}
	for i, n := range g.Nodes {
		if n.ID != i {
			return fmt.Errorf("node %d stands at position %d", n.ID, i)
		}
		if err := g.checkNode(n); err != nil {
			return err
		}
	}
	seen := map[*Node]bool{}
	for _, n := range g.RPO() {
		seen[n] = true
	}
	for _, n := range g.Nodes {
		if !seen[n] && n != g.Exit {
			return fmt.Errorf("node %d is unreachable", n.ID)
		}
	}
	return nil
}

func (g *Graph) checkLoops() error {
	for i, l := range g.Loops {
		switch {
		case l.ID != i+1:
			return fmt.Errorf("loop L%d stands at position %d", l.ID, i+1)
		case l.Parent != nil && (l.Parent.ID >= l.ID || l.Parent.ID < 1 || g.Loops[l.Parent.ID-1] != l.Parent):
			return fmt.Errorf("loop L%d stands before its parent", l.ID)
		case l.Head == nil:
			return fmt.Errorf("loop L%d has no head", l.ID)
		case l.Head.ID < 0 || l.Head.ID >= len(g.Nodes) || g.Nodes[l.Head.ID] != l.Head:
			return fmt.Errorf("the head of loop L%d is outside of the graph", l.ID)
		}
	}
	return nil
}

func (g *Graph) checkNode(n *Node) error {
	least, most := 1, 1
	switch n.Kind {
	case Exit:
		least, most = 0, 0
	case Branch:
		least, most = 2, 2
	case LoopHead:
		most = 2
	}
	if len(n.Succs) < least || len(n.Succs) > most {
		return fmt.Errorf("node %d, %v, has %d successors", n.ID, n.Kind, len(n.Succs))
	}
	if (n.Kind == Entry) != (n == g.Entry) || (n.Kind == Exit) != (n == g.Exit) {
		return fmt.Errorf("node %d is of kind %v; the first node and no other is entry, the last and no other exit", n.ID, n.Kind)
	}
	if l := n.Loop; l != nil && (l.ID < 1 || l.ID > len(g.Loops) || g.Loops[l.ID-1] != l) {
		return fmt.Errorf("node %d lies in a loop outside of the graph", n.ID)
	}
	if n.Kind == LoopHead && (n.Loop == nil || n.Loop.Head != n) {
		return fmt.Errorf("node %d is not the head of the loop it lies in", n.ID)
	}
	if n.Loop != nil && n.Loop.Head.Kind != LoopHead {
		return fmt.Errorf("node %d, the head of loop L%d, is of kind %v", n.Loop.Head.ID, n.Loop.ID, n.Loop.Head.Kind)
	}
	return g.checkSuccs(n)
}

// checkSuccs wants edges to stay in the graph and to enter loops at their heads.
func (g *Graph) checkSuccs(n *Node) error {
	for _, s := range n.Succs {
		if s.ID < 0 || s.ID >= len(g.Nodes) || g.Nodes[s.ID] != s {
			return fmt.Errorf("node %d has a successor outside of the graph", n.ID)
		}
		if s == g.Entry {
			return fmt.Errorf("node %d leads back to entry", n.ID)
		}
		for l := s.Loop; l != nil && !l.Contains(n.Loop); l = l.Parent {
			if l.Head != s {
				return fmt.Errorf("node %d enters loop L%d at node %d, not at its head", n.ID, l.ID, s.ID)
			}
		}
	}
	return nil
}
