package elide

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// The model checker: PEs are machines, the ones that Engine runs, over the
// in-process transport, taken apart into its steps. explore visits every state
// that any interleaving of those steps reaches.

// op is one operation of a PE: accesses, then a barrier in a context, or a
// collective operation.
type op struct {
	access     Access
	site       Site
	collective bool
}

// trace is what the PEs do; after its last op a PE accesses R, and ends.
type trace [][]op

func (tr trace) String() string {
	var b strings.Builder
	for pe, ops := range tr {
		fmt.Fprintf(&b, "PE %d:", pe)
		for _, o := range ops {
			name := string(rune('A' + o.site))
			if o.collective {
				name = "collective"
			}
			fmt.Fprintf(&b, " %v %s", o.access, name)
		}
		b.WriteString("; ")
	}
	return b.String()
}

// event is how one op of a PE went.
type event byte

const (
	passed event = iota // a collective without an agreement
	elided
	executed
)

type modelPE struct {
	m       *machine
	pc      int // ops done
	phase   byte
	polled  int // PEs polled, in phase waiting
	log     []event
	entered int // collectives entered
}

// Phases of a PE.
const (
	running byte = iota
	waiting      // in an agreement
	inside       // in a collective
	done
	failed
)

type model struct {
	trace trace
	fine  bool // each vote is read in a step of its own, else all in one
	pes   []modelPE
	net   []*InProcessPE
}

func newModel(tr trace, c config, planned bool) *model {
	w := &model{trace: tr, pes: make([]modelPE, len(tr)), net: NewInProcess(len(tr))}
	for pe := range w.pes {
		w.pes[pe].m = newMachine(c, planned)
	}
	return w
}

func (w *model) clone() *model {
	c := &model{trace: w.trace, fine: w.fine, pes: slices.Clone(w.pes), net: inProcess(agree.Clone(w.parties()))}
	for pe := range c.pes { // machines share the contexts of elided barriers, which only reports read
		m := *w.pes[pe].m
		m.records, m.asides = slices.Clone(m.records), slices.Clone(m.asides)
		m.tree.nodes, m.tree.table = slices.Clone(m.tree.nodes), slices.Clone(m.tree.table) // frames do not change
		c.pes[pe].m = &m
		c.pes[pe].log = slices.Clone(c.pes[pe].log)
	}
	return c
}

// key distinguishes states: all that later steps or the final check depend on.
func (w *model) key() string {
	b := make([]byte, 0, 512)
	put := func(xs ...uint64) {
		for _, x := range xs {
			b = binary.AppendUvarint(b, x)
		}
	}
	for pe := range w.pes {
		p := &w.pes[pe]
		m := p.m
		put(uint64(p.pc), uint64(p.phase), uint64(p.polled), uint64(p.entered), uint64(m.summary), m.seq, m.last, uint64(m.now), uint64(m.there), uint64(m.at), uint64(len(p.log)))
		for _, e := range p.log {
			put(uint64(e))
		}
		for i := range m.records {
			put(uint64(m.records[i].remaining), uint64(m.records[i].why), uint64(m.records[i].vetoes))
		}
	}
	return string(agree.State(b, w.parties()))
}

// parties are the ends of the exchange.
func (w *model) parties() []*agree.Party {
	list := make([]*agree.Party, len(w.net))
	for pe, n := range w.net {
		list[pe] = n.Party
	}
	return list
}

// enabled reports whether a PE has a step now.
func (w *model) enabled(pe int) bool {
	p := &w.pes[pe]
	switch p.phase {
	case running:
		return true
	case waiting:
		if w.fine {
			return w.net[pe].arrived(p.polled)
		}
		for q := range w.pes {
			if !w.net[pe].arrived(q) {
				return false
			}
		}
		return true
	case inside:
		for q := range w.pes {
			if w.pes[q].entered < p.entered {
				return false
			}
		}
		return true
	}
	return false
}

// step does the next step of a PE, which is enabled.
func (w *model) step(pe int) {
	p := &w.pes[pe]
	switch p.phase {
	case running:
		if p.pc == len(w.trace[pe]) {
			p.m.summary = p.m.summary.Meet(Remote)
			var vote Vote
			p.m.arriveEnd(&vote)
			w.post(pe, vote)
			return
		}
		o := w.trace[pe][p.pc]
		p.m.summary = p.m.summary.Meet(o.access)
		c := p.m.tree.Path([]Site{o.site + 1})
		if o.collective {
			if !p.m.armed {
				w.enter(pe, passed)
			} else {
				var vote Vote
				p.m.arriveCollective(c, &vote)
				w.post(pe, vote)
			}
			return
		}
		var vote Vote
		if p.m.arrive(p.m.place(c), &vote) {
			p.log = append(p.log, elided)
			p.pc++
		} else {
			w.post(pe, vote)
		}
	case waiting:
		for p.polled < len(w.pes) {
			w.net[pe].Poll(p.polled)
			if p.polled++; w.fine && p.polled < len(w.pes) {
				return
			}
		}
		if w.net[pe].Conclude() {
			p.polled = 0
			return
		}
		switch {
		case !p.m.conclude((*Vote)(w.net[pe].Vote())):
			p.phase = failed
		case p.m.at == atEnd:
			p.phase = done
		case p.m.at == atCollective:
			w.enter(pe, executed)
		default:
			p.log = append(p.log, executed)
			p.pc++
			p.phase = running
		}
	case inside:
		p.phase = running
		p.pc++
	}
}

func (w *model) post(pe int, v Vote) {
	p := &w.pes[pe]
	w.net[pe].Post((*agree.Vote)(&v))
	p.phase, p.polled = waiting, 0
}

func (w *model) enter(pe int, how event) {
	p := &w.pes[pe]
	p.log = append(p.log, how)
	p.entered++
	p.phase = inside
}

// explore visits all states; each end must be one of all PEs done or all failed,
// and check is called with it. It returns the number of states.
func explore(t *testing.T, w *model, check func(end *model)) int {
	seen := map[string]bool{}
	stack := []*model{w}
	for len(stack) > 0 {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		checkInvariant(t, w)
		moved := false
		for pe := range w.pes {
			if !w.enabled(pe) {
				continue
			}
			next := w.clone()
			next.step(pe)
			moved = true
			if key := next.key(); !seen[key] {
				seen[key] = true
				stack = append(stack, next)
			}
		}
		if moved {
			continue
		}
		for pe := range w.pes {
			if w.pes[pe].phase != w.pes[0].phase || w.pes[pe].phase != done && w.pes[pe].phase != failed {
				t.Fatalf("hang: %v: PE 0 in phase %d, PE %d in phase %d", w.trace, w.pes[0].phase, pe, w.pes[pe].phase)
			}
		}
		check(w)
	}
	return len(seen) + 1
}

// checkInvariant: of PEs that have met equally often, a context that both know is
// elided on both or on neither, and either both are armed or neither is.
func checkInvariant(t *testing.T, w *model) {
	for p := range w.pes {
		for q := range p {
			a, b := w.pes[p].m, w.pes[q].m
			if a.last != b.last || w.pes[p].phase == failed || w.pes[q].phase == failed {
				continue
			}
			if a.armed != b.armed {
				t.Fatalf("%v: PE %d armed %t, PE %d %t", w.trace, p, a.armed, q, b.armed)
			}
			for _, n := range a.tree.nodes[1:] {
				c := b.tree.find(n.hash)
				if c == 0 || n.record == 0 || b.tree.nodes[c].record == 0 {
					continue
				}
				if (a.records[n.record].remaining == 0) != (b.records[b.tree.nodes[c].record].remaining == 0) {
					t.Fatalf("%v: context %c is elided on one of PE %d, %d", w.trace, 'A'+n.site-1, p, q)
				}
			}
		}
	}
}
