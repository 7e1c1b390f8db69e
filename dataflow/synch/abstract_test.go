package synch

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/spmdc/spmdc/cfg"
)

// Abstract programs: control flow and communications with concrete messages for
// every iteration, and nothing else. They are what the analysis is tested on.

// maxPEs is the largest number of PEs of an abstract program.
const maxPEs = 5

// relation is a set of messages p to q between different PEs.
type relation uint32

func message(p, q int) relation { return 1 << (p*maxPEs + q) }

func (r relation) has(p, q int) bool { return r&message(p, q) != 0 }

// each calls do for every message, by sender, then receiver.
func (r relation) each(do func(p, q int)) {
	for ; r != 0; r &= r - 1 {
		i := bits.TrailingZeros32(uint32(r))
		do(i/maxPEs, i%maxPEs)
	}
}

// reversed has q to p for every p to q.
func (r relation) reversed() (out relation) {
	r.each(func(p, q int) { out |= message(q, p) })
	return out
}

func (r relation) String() string {
	if r == 0 {
		return "nothing"
	}
	var s []string
	r.each(func(p, q int) { s = append(s, fmt.Sprintf("%d>%d", p, q)) })
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

// maxTrips is the most iterations that a loop is given. In endless loops the
// iterations from this one on are taken for one.
const maxTrips = 3

// communication is one reference: its cells and its messages.
type communication struct {
	class int // 0 for cells of its own; others share the cells of their class
	shape *shape
}

// program is an abstract program.
type program struct {
	pes  int
	body []*stmt
}

// built is a program with its graph.
type built struct {
	*program
	graph    *cfg.Graph
	comms    []*communication    // by number-1, those that cannot be reached included
	loops    []*stmt             // by ID-1 of the graph's loops
	pipes    map[*cfg.Node]*stmt // by the first node of the region
	inner    map[*cfg.Node]bool  // the other nodes of pipelined regions
	first    map[*stmt]int       // number of the first communication of a pipelined region
	classes  [][]int             // by number-1, the communications that fill the same cells, itself included
	open     map[*stmt]*cfg.Loop
	b        *cfg.Builder
	unfolded *space
}

func build(p *program) *built {
	b := &built{program: p, pipes: map[*cfg.Node]*stmt{}, inner: map[*cfg.Node]bool{}, first: map[*stmt]int{}, open: map[*stmt]*cfg.Loop{}, b: cfg.NewBuilder()}
	made := map[*cfg.Loop]*stmt{}
	b.list(p.body, made)
	b.graph = b.b.Finish()
	for _, l := range b.graph.Loops {
		b.loops = append(b.loops, made[l])
	}
	for x := range b.comms {
		b.classes = append(b.classes, b.mates(x+1))
	}
	return b
}

func (b *built) list(l []*stmt, made map[*cfg.Loop]*stmt) {
	for _, s := range l {
		b.stmt(s, made)
	}
}

func (b *built) stmt(s *stmt, made map[*cfg.Loop]*stmt) {
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

func (b *built) group(s *stmt, made map[*cfg.Loop]*stmt) {
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
func (b *built) pipe(s *stmt) {
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
func (b *built) mates(x int) []int {
	c := b.comms[x-1].class
	var out []int
	for m := range b.comms {
		if m+1 == x || c != 0 && b.comms[m].class == c {
			out = append(out, m+1)
		}
	}
	return out
}

// iteration has, by ID-1 of the graph's loops, the number of the current
// iteration from 0; 0 for loops that control is not in.
type iteration [maxLoops]uint8

// maxLoops is the most loops that a program has.
const maxLoops = 6

// at gives a loop's iteration; 0 for nil and for loops that are not there.
func (b *built) at(v iteration) func(*stmt) int {
	return func(s *stmt) int {
		for i, l := range b.loops {
			if l == s {
				return int(v[i])
			}
		}
		return 0
	}
}

// may and must are the messages that communication r may send in iteration v, and
// those of them that it is certain to send.
func (b *built) messages(r int, v iteration) (may, must relation) {
	return b.comms[r-1].shape.messages(b.pes, b.at(v))
}

// String is the graph in text form and the messages of all communications.
func (b *built) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d PEs\n%v", b.pes, b.graph)
	for i, l := range b.loops {
		if !l.endless {
			fmt.Fprintf(&out, "L%d: %d to %d iterations\n", i+1, l.least, l.most)
		}
	}
	for _, s := range b.states().list {
		n := b.graph.Nodes[s.node]
		if !puts(n, n.Ref) {
			continue
		}
		may, must := b.messages(n.Ref, s.at)
		fmt.Fprintf(&out, "%s class %d iteration %v: %v", n.Name(), b.comms[n.Ref-1].class, s.at[:len(b.loops)], may)
		if may != must {
			fmt.Fprintf(&out, "; certain: %v", must)
		}
		out.WriteByte('\n')
	}
	return out.String()
}
