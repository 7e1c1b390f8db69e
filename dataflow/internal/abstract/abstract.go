// Package abstract makes random programs that consist of control flow and
// communications with concrete messages for every iteration, and nothing else.
// Analyses of synchronisation are tested on them: executions can be replayed
// without the front end, and every path is short.
package abstract

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/spmdc/spmdc/cfg"
)

// MaxPEs is the largest number of PEs of an abstract program.
const MaxPEs = 5

// Relation is a set of messages p to q between different PEs.
type Relation uint32

// Message is the relation of one message.
func Message(p, q int) Relation { return 1 << (p*MaxPEs + q) }

func (r Relation) Has(p, q int) bool { return r&Message(p, q) != 0 }

// Each calls do for every message, by sender, then receiver.
func (r Relation) Each(do func(p, q int)) {
	for ; r != 0; r &= r - 1 {
		i := bits.TrailingZeros32(uint32(r))
		do(i/MaxPEs, i%MaxPEs)
	}
}

// Reversed has q to p for every p to q.
func (r Relation) Reversed() (out Relation) {
	r.Each(func(p, q int) { out |= Message(q, p) })
	return out
}

func (r Relation) String() string {
	if r == 0 {
		return "nothing"
	}
	var s []string
	r.Each(func(p, q int) { s = append(s, fmt.Sprintf("%d>%d", p, q)) })
	return strings.Join(s, " ")
}

// StmtKind is a kind of statements.
type StmtKind uint8

// The kinds, with the fields that they use. C, CO and UO are the nodes at which a
// communication is posted, has arrived and is dead.
const (
	Loop       StmtKind = iota // Body, Least to Most iterations; Endless: until a jump
	If                         // Body or Other
	Exit                       // EXIT of Target
	Cycle                      // CYCLE of Target
	Stop                       // STOP
	Group                      // Comms: C of all, Flight, CO of all, Body, UO of all
	Pipe                       // Comms, pipelined, in one region
	Reduce                     // a reduction over all PEs
	Barrier                    // a barrier
	UsedTwice                  // as Group, with Other and the UO nodes a second time
	UsedEither                 // as Group, with the UO nodes in both branches of an IF
	OneOf                      // as Group, but the first C in THEN and the others in ELSE, and Other between their CO
)

// Stmt is a statement of an abstract program.
type Stmt struct {
	Kind        StmtKind
	Body, Other []*Stmt
	Flight      []*Stmt // between C and CO; no jumps
	Least, Most int     // iterations of a loop, at most MaxTrips
	Endless     bool
	Target      *Stmt // of a jump; without effect where it is not an enclosing loop
	Comms       []*Communication
}

// MaxTrips is the most iterations that a loop is given. In endless loops the
// iterations from this one on are taken for one.
const MaxTrips = 3

// Communication is one reference: its cells and its messages.
type Communication struct {
	Class int // 0 for cells of its own; others share the cells of their class
	Shape *Shape
}

// Program is an abstract program.
type Program struct {
	PEs  int
	Body []*Stmt
}

// Built is a program with its graph.
type Built struct {
	*Program
	Graph    *cfg.Graph
	Loops    []*Stmt               // by ID-1 of the graph's loops
	comms    []*Communication      // by number-1, those that cannot be reached included
	pipes    map[*cfg.Node]*Region // by the first node of the region
	inner    map[*cfg.Node]bool    // the other nodes of pipelined regions
	classes  [][]int               // by number-1, the communications that fill the same cells, itself included
	open     map[*Stmt]*cfg.Loop
	b        *cfg.Builder
	unfolded *Space
}

// Build makes the graph.
func Build(p *Program) *Built {
	b := &Built{Program: p, pipes: map[*cfg.Node]*Region{}, inner: map[*cfg.Node]bool{}, open: map[*Stmt]*cfg.Loop{}, b: cfg.NewBuilder()}
	made := map[*cfg.Loop]*Stmt{}
	b.list(p.Body, made)
	b.Graph = b.b.Finish()
	for _, l := range b.Graph.Loops {
		b.Loops = append(b.Loops, made[l])
	}
	for x := range b.comms {
		b.classes = append(b.classes, b.aliases(x+1))
	}
	return b
}

func (b *Built) list(l []*Stmt, made map[*cfg.Loop]*Stmt) {
	for _, s := range l {
		b.stmt(s, made)
	}
}

func (b *Built) stmt(s *Stmt, made map[*cfg.Loop]*Stmt) {
	switch s.Kind {
	case Loop:
		var l *cfg.Loop
		if s.Endless {
			l = b.b.BeginEndless(0, "do")
		} else {
			l = b.b.BeginLoop(0, fmt.Sprintf("do %d to %d times", s.Least, s.Most))
		}
		b.open[s], made[l] = l, s
		b.list(s.Body, made)
		delete(b.open, s)
		b.b.EndLoop()
	case If:
		b.b.BeginIf(0, "")
		b.list(s.Body, made)
		if len(s.Other) > 0 {
			b.b.Else()
			b.list(s.Other, made)
		}
		b.b.EndIf()
	case Exit:
		if l := b.open[s.Target]; l != nil {
			b.b.Exit(l)
		}
	case Cycle:
		if l := b.open[s.Target]; l != nil {
			b.b.Cycle(l)
		}
	case Stop:
		b.b.Stop()
	case Reduce:
		b.b.Node(cfg.Reduce, 0, 1, "")
	case Barrier:
		b.b.Node(cfg.Barrier, 0, 0, "")
	case Pipe:
		b.pipe(s)
	default:
		b.group(s, made)
	}
}

func (b *Built) group(s *Stmt, made map[*cfg.Loop]*Stmt) {
	first := len(b.comms) + 1
	b.comms = append(b.comms, s.Comms...)
	some := func(kind cfg.Kind, from, to int) {
		for i := from; i < to; i++ {
			b.b.Node(kind, 0, first+i, "")
		}
	}
	all := func(kind cfg.Kind) { some(kind, 0, len(s.Comms)) }
	if s.Kind == OneOf {
		b.b.BeginIf(0, "")
		some(cfg.Comm, 0, 1)
		b.b.Else()
		some(cfg.Comm, 1, len(s.Comms))
		b.b.EndIf()
		b.list(s.Flight, made)
		some(cfg.CommOver, 0, 1)
		b.list(s.Other, made)
		some(cfg.CommOver, 1, len(s.Comms))
	} else {
		all(cfg.Comm)
		b.list(s.Flight, made)
		all(cfg.CommOver)
	}
	b.list(s.Body, made)
	if s.Kind == UsedEither {
		b.b.BeginIf(0, "")
		all(cfg.UseOver)
		b.list(s.Other, made)
		b.b.Else()
		all(cfg.UseOver)
		b.b.EndIf()
		return
	}
	all(cfg.UseOver)
	if s.Kind == UsedTwice {
		b.list(s.Other, made)
		all(cfg.UseOver)
	}
}

// pipe builds a pipelined region as cfg/comm does: everything is received, the
// region runs, everything is sent on.
func (b *Built) pipe(s *Stmt) {
	region := &Region{len(b.comms) + 1, len(s.Comms), s.Comms[0].Shape.Ahead}
	b.comms = append(b.comms, s.Comms...)
	var nodes []*cfg.Node
	add := func(kind cfg.Kind, i int, flavour string) {
		n := b.b.Node(kind, 0, region.First+i, "")
		n.Flavour = flavour
		nodes = append(nodes, n)
	}
	for i := range s.Comms {
		add(cfg.Comm, i, recv)
		add(cfg.CommOver, i, "")
	}
	for i := range s.Comms {
		add(cfg.Comm, i, send)
		add(cfg.UseOver, i, "")
	}
	b.pipes[nodes[0]] = region
	for _, n := range nodes[1:] {
		b.inner[n] = true
	}
}

// aliases lists the communications that fill the same cells as x, x included.
func (b *Built) aliases(x int) []int {
	c := b.comms[x-1].Class
	var out []int
	for m := range b.comms {
		if m+1 == x || c != 0 && b.comms[m].Class == c {
			out = append(out, m+1)
		}
	}
	return out
}

// Iteration has, by ID-1 of the graph's loops, the number of the current
// iteration from 0; 0 for loops that control is not in.
type Iteration [maxLoops]uint8

// maxLoops is the most loops that a program has.
const maxLoops = 6

// at gives a loop's iteration; 0 for nil and for loops that are not there.
func (b *Built) at(v Iteration) func(*Stmt) int {
	return func(s *Stmt) int {
		for i, l := range b.Loops {
			if l == s {
				return int(v[i])
			}
		}
		return 0
	}
}

// Messages gives the messages that communication r may send in iteration v, and
// those of them that it is certain to send.
func (b *Built) Messages(r int, v Iteration) (may, must Relation) {
	return b.comms[r-1].Shape.messages(b.PEs, b.at(v))
}

// Mapped gives what communication r maps to what in iteration v, as the paper has
// it: Messages, and those of a PE to itself, which needs values of its own.
func (b *Built) Mapped(r int, v Iteration) Relation {
	may, _ := b.comms[r-1].Shape.pairs(b.PEs, b.at(v))
	return may
}

// String is the graph in text form and the messages of all communications.
func (b *Built) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d PEs\n%v", b.PEs, b.Graph)
	for i, l := range b.Loops {
		if !l.Endless {
			fmt.Fprintf(&out, "L%d: %d to %d iterations\n", i+1, l.Least, l.Most)
		}
	}
	for _, s := range b.States().List {
		n := b.Graph.Nodes[s.Node]
		if !Puts(n) {
			continue
		}
		may, must := b.Messages(n.Ref, s.At)
		fmt.Fprintf(&out, "%s class %d iteration %v: %v", n.Name(), b.comms[n.Ref-1].Class, s.At[:len(b.Loops)], may)
		if may != must {
			fmt.Fprintf(&out, "; certain: %v", must)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// Puts reports whether n is where its communication puts. At the C node of
// flavour "recv" of a pipelined communication it only waits.
func Puts(n *cfg.Node) bool { return n.Kind == cfg.Comm && n.Flavour != recv }

// The flavours of the C nodes of a pipelined communication.
const (
	recv = "recv"
	send = "send"
)

// Comms is the number of communications, those that cannot be reached included.
func (b *Built) Comms() int { return len(b.comms) }

// Aliases lists the communications that fill the same cells as x, x included.
func (b *Built) Aliases(x int) []int { return b.classes[x-1] }

// Region is a pipelined region: the communications First to First+Count-1, which
// go to higher PEs if Ahead is 1, to lower ones if it is -1.
type Region struct{ First, Count, Ahead int }

// Pipe is the pipelined region that starts at n, nil if none does.
func (b *Built) Pipe(n *cfg.Node) *Region { return b.pipes[n] }

// Inner reports whether n lies in a pipelined region and does not start it.
func (b *Built) Inner(n *cfg.Node) bool { return b.inner[n] }
