package elide

import (
	"encoding/binary"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
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
	c := &model{trace: w.trace, fine: w.fine, pes: slices.Clone(w.pes), net: NewInProcess(len(w.pes))}
	for pe := range c.pes {
		m := *w.pes[pe].m
		m.records = slices.Clone(m.records)
		m.tree.nodes, m.tree.table = slices.Clone(m.tree.nodes), slices.Clone(m.tree.table) // frames do not change
		c.pes[pe].m = &m
		c.pes[pe].log = slices.Clone(c.pes[pe].log)
		shared := c.net[pe].InProcess
		*c.net[pe] = *w.net[pe]
		c.net[pe].InProcess = shared
	}
	for i := range c.net[0].slots {
		from, to := &w.net[0].slots[i], &c.net[0].slots[i]
		to.word.Store(from.word.Load())
		to.vote = from.vote
	}
	return c
}

// key tells states apart: all that later steps or the final check depend on.
func (w *model) key() string {
	var b []byte
	put := func(xs ...uint64) {
		for _, x := range xs {
			b = binary.AppendUvarint(b, x)
		}
	}
	for pe := range w.pes {
		p := &w.pes[pe]
		m := p.m
		put(uint64(p.pc), uint64(p.phase), uint64(p.polled), uint64(p.entered), uint64(m.summary), m.seq, m.last, uint64(m.now), uint64(m.at), uint64(len(p.log)))
		for _, v := range w.net[pe].vote {
			put(uint64(v))
		}
		for _, e := range p.log {
			put(uint64(e))
		}
		for i := range m.records {
			put(uint64(m.records[i].remaining), uint64(m.records[i].why), uint64(m.records[i].vetoes))
		}
		n := w.net[pe]
		put(n.gen, n.word, n.access, flag(n.differ), flag(n.full))
	}
	for i := range w.net[0].slots {
		s := &w.net[0].slots[i]
		put(s.word.Load())
		for _, v := range s.vote {
			put(uint64(v))
		}
	}
	return string(b)
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
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
		if p.m.arrive(c, &vote) {
			p.log = append(p.log, elided)
			p.pc++
		} else {
			w.post(pe, vote)
		}
	case waiting:
		for p.polled < len(w.pes) {
			w.net[pe].poll(p.polled)
			if p.polled++; w.fine && p.polled < len(w.pes) {
				return
			}
		}
		if w.net[pe].conclude() {
			p.polled = 0
			return
		}
		switch {
		case !p.m.conclude(&w.net[pe].vote):
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
	w.net[pe].post(&v)
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

// verdict is what must come of a trace.
type verdict struct {
	fails   bool
	barrier int // number of the first disputed op, from 1
}

// reference says it from the definition, with all PEs in lock step and one
// global notion of what is known of a context: elided when it was private often
// enough in a row, and PEs never met in it from elsewhere.
func reference(tr trace, c config, planned map[Site]bool) verdict {
	type known struct {
		private, need, vetoes int
		elided, never         bool
	}
	contexts := map[Site]*known{}
	at := func(s Site) *known {
		k := contexts[s]
		if k == nil {
			k = &known{need: int(c.threshold), elided: planned[s], never: !c.online && !planned[s]}
			contexts[s] = k
		}
		return k
	}
	armed := len(planned) > 0
	summary := make([]Access, len(tr))
	for pe := range summary {
		summary[pe] = Private
	}
	seq := 0 // counts as machines do
	for i := 0; ; i++ {
		ended, coll := 0, 0
		for pe := range tr {
			switch {
			case i == len(tr[pe]):
				ended++
			case tr[pe][i].collective:
				coll++
			}
		}
		if ended == len(tr) {
			return verdict{}
		}
		if coll == len(tr) && !armed {
			for pe := range tr {
				summary[pe] = min(summary[pe], tr[pe][i].access)
			}
			continue
		}
		seq++
		if ended > 0 || coll > 0 && coll < len(tr) {
			return verdict{true, seq}
		}
		var elide, broke, private, aligned = 0, 0, 0, true
		for pe := range tr {
			o := tr[pe][i]
			if summary[pe] = min(summary[pe], o.access); summary[pe] == Private {
				private++
			}
			aligned = aligned && o.site == tr[0][i].site
			switch {
			case o.collective || !at(o.site).elided:
			case summary[pe] == Private:
				elide++
			default:
				broke++
			}
		}
		switch {
		case elide == len(tr):
			continue // nobody had accessed anything
		case elide > 0, broke > 0 && broke < len(tr), !aligned && (broke > 0 || coll > 0):
			return verdict{true, seq}
		}
		for pe := range tr {
			summary[pe] = Private
		}
		k := at(tr[0][i].site)
		switch {
		case coll > 0:
		case !aligned:
			for pe := range tr {
				at(tr[pe][i].site).never = true
			}
		case broke > 0:
			if c.pessimistic {
				k.elided, k.never = false, true
			}
		case k.never:
		case private < len(tr):
			if k.private = 0; c.relearn == 0 {
				k.never = true
			}
			k.need = int(c.relearn) << k.vetoes
			k.vetoes++
		default:
			if k.private++; k.private >= k.need {
				k.elided, armed = true, true
			}
		}
	}
}

// checkEnd compares an end of a trace with what must come of it, and, if it did
// not fail, looks for accesses of two PEs that the barriers of the program
// order and the executed ones do not.
func checkEnd(t *testing.T, w *model, want verdict) {
	if fails := w.pes[0].phase == failed; fails != want.fails {
		t.Fatalf("%v: misspeculation reported %t, must be %t", w.trace, fails, want.fails)
	}
	if want.fails {
		for pe := range w.pes {
			if got := w.net[pe].vote.firstSeq(); got != uint64(want.barrier) {
				t.Fatalf("%v: PE %d reports barrier %d, must be %d", w.trace, pe, got, want.barrier)
			}
		}
		return
	}
	for p, ops := range w.trace {
		for q := range w.trace {
			if p == q {
				continue
			}
			if !slices.Equal(w.pes[p].log, w.pes[q].log) {
				t.Fatalf("%v: PEs %d, %d executed different barriers", w.trace, p, q)
			}
			for i := range ops {
				for j := i + 1; j <= len(ops); j++ {
					after := Remote
					if j < len(ops) {
						after = w.trace[q][j].access
					}
					before := ops[i].access
					conflict := before != Private && after != Private && (before == Remote || after == Remote)
					if conflict && orderedByProgram(ops, i, j) && !slices.Contains(w.pes[p].log[i:j], executed) {
						t.Fatalf("%v: PE %d before op %d and PE %d before op %d are not ordered, and nothing is reported", w.trace, p, i, q, j)
					}
				}
			}
		}
	}
}

// orderedByProgram: is one of the ops i..j-1 a barrier?
func orderedByProgram(ops []op, i, j int) bool {
	return slices.ContainsFunc(ops[i:j], func(o op) bool { return !o.collective })
}

// setting is one way to run traces.
type setting struct {
	name string
	config
	plan map[Site]bool
}

func (s setting) withPlan() config {
	c := s.config
	c.begin = func(path []Site) Why {
		if s.plan[path[0]-1] {
			return Planned
		}
		return 0
	}
	return c
}

func settings() []setting {
	a, ab := map[Site]bool{0: true}, map[Site]bool{0: true, 1: true}
	return []setting{
		{"threshold 1", config{threshold: 1, online: true}, nil},
		{"threshold 2", config{threshold: 2, online: true}, nil},
		{"relearn", config{threshold: 1, relearn: 1, online: true}, nil},
		{"plan of A", config{threshold: 1}, a},
		{"plan of A and B, pessimistic", config{threshold: 1, pessimistic: true}, ab},
		{"plan of A, the rest online", config{threshold: 1, online: true, relearn: 2}, a},
	}
}

// all calls visit with every list of n elements of choices.
func all(n int, choices []op, visit func([]op)) {
	list := make([]op, n)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			visit(list)
			return
		}
		for _, c := range choices {
			list[i] = c
			fill(i + 1)
		}
	}
	fill(0)
}

// checkTraces explores traces from generate in every setting.
func checkTraces(t *testing.T, fine bool, generate func(visit func(trace))) {
	for _, s := range settings() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := s.withPlan()
			traces, states, fails := 0, 0, 0
			generate(func(tr trace) {
				want := reference(tr, c, s.plan)
				traces++
				if want.fails {
					fails++
				}
				w := newModel(tr, c, len(s.plan) > 0)
				w.fine = fine
				states += explore(t, w, func(end *model) { checkEnd(t, end, want) })
			})
			t.Logf("%d traces, %d misspeculate, %d states", traces, fails, states)
			if fails == 0 || fails == traces {
				t.Errorf("%d of %d traces fail: the checker decides nothing", fails, traces)
			}
		})
	}
}

// aligned generates traces in which n PEs come to the same barriers, with all
// combinations of accesses.
func aligned(n, length int, sites []op, accesses []Access) func(visit func(trace)) {
	return func(visit func(trace)) {
		all(length, sites, func(ops []op) {
			total := 1
			for range n * length {
				total *= len(accesses)
			}
			for code := range total {
				tr := make(trace, n)
				for pe := range tr {
					tr[pe] = slices.Clone(ops)
					for i := range tr[pe] {
						tr[pe][i].access = accesses[code%len(accesses)]
						code /= len(accesses)
					}
				}
				visit(tr)
			}
		})
	}
}

// unaligned generates traces in which every PE does anything of up to length ops.
func unaligned(n, least, most int, choices []op) func(visit func(trace)) {
	var lists [][]op
	for length := least; length <= most; length++ {
		all(length, choices, func(ops []op) { lists = append(lists, slices.Clone(ops)) })
	}
	return func(visit func(trace)) {
		tr := make(trace, n)
		var fill func(pe int)
		fill = func(pe int) {
			if pe == n {
				visit(tr)
				return
			}
			for _, l := range lists {
				tr[pe] = l
				fill(pe + 1)
			}
		}
		fill(0)
	}
}

// deep explores longer traces, for a minute instead of seconds.
var deep = flag.Bool("deep", false, "explore longer traces in the model checker")

var (
	barriersAB = []op{{site: 0}, {site: 1}}
	withColl   = []op{{site: 0}, {site: 1}, {site: 2, collective: true}}
	anyOp      = []op{{Private, 0, false}, {Private, 1, false}, {Remote, 0, false}, {Remote, 1, false}}
	privateOp  = []op{{Private, 0, false}, {Private, 1, false}}
)

// No hang, no missed misspeculation, no false one, in any interleaving.
func TestModelAligned2(t *testing.T) {
	if *deep {
		checkTraces(t, false, aligned(2, 4, barriersAB, []Access{Private, Remote}))
		return
	}
	checkTraces(t, false, aligned(2, 3, barriersAB, []Access{Private, Remote}))
	checkTraces(t, false, aligned(2, 4, barriersAB[:1], []Access{Private, Remote}))
}

func TestModelAligned2Local(t *testing.T) {
	checkTraces(t, false, aligned(2, 3, barriersAB[:1], []Access{Private, Local, Remote}))
}

func TestModelAligned3(t *testing.T) {
	checkTraces(t, false, aligned(3, 3, barriersAB[:1], []Access{Private, Remote}))
}

// The same down to the single reads of the transport: a PE may run far ahead
// while another has read half of the votes.
func TestModelTransport(t *testing.T) {
	checkTraces(t, true, aligned(2, 3, barriersAB, []Access{Private, Remote}))
	checkTraces(t, true, func(visit func(trace)) {
		aligned(3, 2, barriersAB[:1], []Access{Private, Remote})(func(tr trace) {
			for pe := range tr { // one private barrier first, so that threshold 2 is reached
				tr[pe] = append([]op{{Private, 0, false}}, tr[pe]...)
			}
			visit(tr)
		})
	})
}

func TestModelCollectives(t *testing.T) {
	checkTraces(t, false, aligned(2, 3, withColl, []Access{Private, Remote}))
}

// PEs whose barriers are in different contexts, and of different number.
func TestModelUnaligned2(t *testing.T) {
	if *deep {
		checkTraces(t, false, unaligned(2, 0, 3, anyOp))
		return
	}
	checkTraces(t, false, unaligned(2, 0, 3, anyOp[:3]))
}

func TestModelUnaligned3(t *testing.T) {
	checkTraces(t, false, unaligned(3, 0, 2, anyOp[:3]))
}

// Long enough that PEs meet in a context in which only some of them were
// misaligned before, and learn it.
func TestModelUnalignedThenLearned(t *testing.T) {
	checkTraces(t, false, func(visit func(trace)) {
		unaligned(3, 3, 3, privateOp)(func(tr trace) {
			visit(tr)
			broke := trace{slices.Clone(tr[0]), tr[1], tr[2]}
			broke[0][2].access = Remote
			visit(broke)
		})
	})
}

// A PE goes into a collective where another has a barrier. Without elision that
// is a hang of the program; with a plan it is found.
func TestModelUnalignedCollectives(t *testing.T) {
	for _, s := range settings() {
		if len(s.plan) == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			fails := 0
			unaligned(2, 0, 2, append(slices.Clone(anyOp), op{Private, 2, true}))(func(tr trace) {
				want := reference(tr, s.withPlan(), s.plan)
				if want.fails {
					fails++
				}
				explore(t, newModel(tr, s.withPlan(), true), func(end *model) { checkEnd(t, end, want) })
			})
			if fails == 0 {
				t.Error("no trace fails")
			}
		})
	}
}
