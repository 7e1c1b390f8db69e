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

type stmtKind uint8

const (
	doLoop     stmtKind = iota // body, least to most iterations; endless: until a jump
	ifElse                     // body or other
	exitLoop                   // EXIT of target
	cycleLoop                  // CYCLE of target
	stop                       // STOP
	group                      // comms: C of all, flight, CO of all, body, UO of all
	pipe                       // comms, pipelined, in one region
	reduce                     // a reduction over all PEs
	barrier                    // a barrier
	usedTwice                  // as group, with other and the UO nodes a second time
	usedEither                 // as group, with the UO nodes in both branches of an IF
	oneOf                      // as group, but the first C in THEN and the others in ELSE, and other between their CO
)

// stmt is a statement of an abstract program.
type stmt struct {
	kind        stmtKind
	body, other []*stmt
	flight      []*stmt // between C and CO; no jumps
	least, most int     // iterations of a loop, at most maxTrips
	endless     bool
	target      *stmt // of a jump; without effect where it is not an enclosing loop
	comms       []*communication
}

// MaxTrips is the most iterations that a loop is given. In endless loops the
// iterations from this one on are taken for one.
const MaxTrips = 3

// communication is one reference: its cells and its messages.
type communication struct {
	class int // 0 for cells of its own; others share the cells of their class
	shape *shape
}

// Program is an abstract program.
type Program struct {
	PEs  int
	body []*stmt
}

// Built is a program with its graph.
type Built struct {
	*Program
	Graph    *cfg.Graph
	comms    []*communication    // by number-1, those that cannot be reached included
	loops    []*stmt             // by ID-1 of the graph's loops
	pipes    map[*cfg.Node]*stmt // by the first node of the region
	inner    map[*cfg.Node]bool  // the other nodes of pipelined regions
	first    map[*stmt]int       // number of the first communication of a pipelined region
	classes  [][]int             // by number-1, the communications that fill the same cells, itself included
	open     map[*stmt]*cfg.Loop
	b        *cfg.Builder
	unfolded *Space
}

// Build makes the graph.
func Build(p *Program) *Built {
	b := &Built{Program: p, pipes: map[*cfg.Node]*stmt{}, inner: map[*cfg.Node]bool{}, first: map[*stmt]int{}, open: map[*stmt]*cfg.Loop{}, b: cfg.NewBuilder()}
	made := map[*cfg.Loop]*stmt{}
	b.list(p.body, made)
	b.Graph = b.b.Finish()
	for _, l := range b.Graph.Loops {
		b.loops = append(b.loops, made[l])
	}
	for x := range b.comms {
		b.classes = append(b.classes, b.mates(x+1))
	}
	return b
}

func (b *Built) list(l []*stmt, made map[*cfg.Loop]*stmt) {
	for _, s := range l {
		b.stmt(s, made)
	}
}

func (b *Built) stmt(s *stmt, made map[*cfg.Loop]*stmt) {
	switch s.kind {
	case doLoop:
		var l *cfg.Loop
		if s.endless {
			l = b.b.BeginEndless(0, "do")
		} else {
			l = b.b.BeginLoop(0, fmt.Sprintf("do %d to %d times", s.least, s.most))
		}
		b.open[s], made[l] = l, s
		b.list(s.body, made)
		delete(b.open, s)
		b.b.EndLoop()
	case ifElse:
		b.b.BeginIf(0, "")
		b.list(s.body, made)
		if len(s.other) > 0 {
			b.b.Else()
			b.list(s.other, made)
		}
		b.b.EndIf()
	case exitLoop:
		if l := b.open[s.target]; l != nil {
			b.b.Exit(l)
		}
	case cycleLoop:
		if l := b.open[s.target]; l != nil {
			b.b.Cycle(l)
		}
	case stop:
		b.b.Stop()
	case reduce:
		b.b.Node(cfg.Reduce, 0, 1, "")
	case barrier:
		b.b.Node(cfg.Barrier, 0, 0, "")
	case pipe:
		b.pipe(s)
	default:
		b.group(s, made)
	}
}

func (b *Built) group(s *stmt, made map[*cfg.Loop]*stmt) {
	first := len(b.comms) + 1
	b.comms = append(b.comms, s.comms...)
	some := func(kind cfg.Kind, from, to int) {
		for i := from; i < to; i++ {
			b.b.Node(kind, 0, first+i, "")
		}
	}
	all := func(kind cfg.Kind) { some(kind, 0, len(s.comms)) }
	if s.kind == oneOf {
		b.b.BeginIf(0, "")
		some(cfg.Comm, 0, 1)
		b.b.Else()
		some(cfg.Comm, 1, len(s.comms))
		b.b.EndIf()
		b.list(s.flight, made)
		some(cfg.CommOver, 0, 1)
		b.list(s.other, made)
		some(cfg.CommOver, 1, len(s.comms))
	} else {
		all(cfg.Comm)
		b.list(s.flight, made)
		all(cfg.CommOver)
	}
	b.list(s.body, made)
	if s.kind == usedEither {
		b.b.BeginIf(0, "")
		all(cfg.UseOver)
		b.list(s.other, made)
		b.b.Else()
		all(cfg.UseOver)
		b.b.EndIf()
		return
	}
	all(cfg.UseOver)
	if s.kind == usedTwice {
		b.list(s.other, made)
		all(cfg.UseOver)
	}
}

// pipe builds a pipelined region as cfg/comm does: everything is received, the
// region runs, everything is sent on.
func (b *Built) pipe(s *stmt) {
	b.first[s] = len(b.comms) + 1
	b.comms = append(b.comms, s.comms...)
	var nodes []*cfg.Node
	add := func(kind cfg.Kind, i int, flavour string) {
		n := b.b.Node(kind, 0, b.first[s]+i, "")
		n.Flavour = flavour
		nodes = append(nodes, n)
	}
	for i := range s.comms {
		add(cfg.Comm, i, recv)
		add(cfg.CommOver, i, "")
	}
	for i := range s.comms {
		add(cfg.Comm, i, send)
		add(cfg.UseOver, i, "")
	}
	b.pipes[nodes[0]] = s
	for _, n := range nodes[1:] {
		b.inner[n] = true
	}
}

// mates lists the communications that fill the same cells as x, x included.
func (b *Built) mates(x int) []int {
	c := b.comms[x-1].class
	var out []int
	for m := range b.comms {
		if m+1 == x || c != 0 && b.comms[m].class == c {
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
func (b *Built) at(v Iteration) func(*stmt) int {
	return func(s *stmt) int {
		for i, l := range b.loops {
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
	return b.comms[r-1].shape.Messages(b.PEs, b.at(v))
}

// String is the graph in text form and the messages of all communications.
func (b *Built) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d PEs\n%v", b.PEs, b.Graph)
	for i, l := range b.loops {
		if !l.endless {
			fmt.Fprintf(&out, "L%d: %d to %d iterations\n", i+1, l.least, l.most)
		}
	}
	for _, s := range b.States().List {
		n := b.Graph.Nodes[s.Node]
		if !Puts(n) {
			continue
		}
		may, must := b.Messages(n.Ref, s.At)
		fmt.Fprintf(&out, "%s class %d Iteration %v: %v", n.Name(), b.comms[n.Ref-1].class, s.At[:len(b.loops)], may)
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

// Mates lists the communications that fill the same cells as x, x included.
func (b *Built) Mates(x int) []int { return b.classes[x-1] }

// Region is a pipelined region: the communications First to First+Count-1, which
// go to higher PEs if Ahead is 1, to lower ones if it is -1.
type Region struct{ First, Count, Ahead int }

// Pipe is the pipelined region that starts at n, nil if none does. Inner reports
// whether n is another node of one.
func (b *Built) Pipe(n *cfg.Node) *Region {
	s := b.pipes[n]
	if s == nil {
		return nil
	}
	return &Region{b.first[s], len(s.comms), s.comms[0].shape.ahead}
}

// Inner reports whether n lies in a pipelined region and does not start it.
func (b *Built) Inner(n *cfg.Node) bool { return b.inner[n] }
