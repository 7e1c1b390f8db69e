package simulate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Model is what a prediction counts with.
type Model struct {
	Machine
	// Work is how long a PE computes a region, in seconds, with the values that scalars
	// have; own is how many iterations of a loop are its own, false for a loop that is not
	// divided.
	Work func(r *comm.Region, values map[string]int64, own func(*ir.Do) (float64, bool)) float64
	// Trips is how often a loop runs whose end depends on data.
	Trips int
	// Reads are the values of INTEGER variables that the program reads.
	Reads map[string]int64
	// Block is how many iterations the blocks of pipelines have, as for the code; 0: as the
	// program would choose.
	Block int
}

// Prediction is what a run would take.
type Prediction struct {
	PEs      int
	Seconds  float64 // from begin to end
	Computed float64 // seconds that a PE computes, on average
	Sites    []Traffic
	Total    Traffic
	// Sampled: some iterations of long loops stand for those between them, and the counts
	// are estimates. Guessed are the lines of what was supposed, in words.
	Sampled bool
	Guessed []string
}

// Traffic is the messages of a communication or reduction, of all PEs together.
type Traffic struct {
	Comm   *comm.Comm      // or
	Reduce *comm.Reduction // one of them; neither for a sum
	Data   float64         // data messages and gets
	Ready  float64         // ready messages, and completion acknowledgements
	Bytes  float64         // in data messages
}

func (t *Traffic) add(u Traffic, k float64) {
	t.Data += k * u.Data
	t.Ready += k * u.Ready
	t.Bytes += k * u.Bytes
}

// Of the long loops some iterations are executed that stand for all: strata of them, where
// more than exactWork PEs and iterations would have to be looked at. An exchange of more
// than mostPairs messages is not looked at one by one.
const (
	exactWork = 1 << 21
	strata    = 8
	mostPairs = 1 << 19
)

// Predict executes the communications of p on a number of PEs, each with a clock of its own,
// and without the computation but for the time that it takes. A PE is busy for o with each message
// that it sends or receives, and waits for what has not come; a reduction is a tree.
func Predict(p *plan.Plan, pes int, m Model) (*Prediction, error) {
	if p.Program.IR.SPMD {
		return nil, fmt.Errorf("the messages of a program with coarrays are known only as it runs")
	}
	t := &timed{Model: m, plan: p, pes: pes, scale: float64(pes), clock: make([]float64, pes), port: make([]float64, pes),
		sites: make([]Traffic, 1+len(p.Program.Comms)+len(p.Program.Reduces)), slots: make([]slot, len(p.Slots)+1),
		flights: map[*comm.Comm]*flight{}, gets: map[*comm.Comm][]procfunc.Count{}, posts: map[*comm.Post]*posting{}, works: map[*comm.Region]*working{},
		acks: map[procfunc.Pair]int{}, guessed: map[string]bool{}}
	for i := range p.Slots {
		s := &p.Slots[i]
		t.slots[i+1] = slot{ready: s.Ready, over: make([]int, max(1, s.Ring))}
		if slices.Contains(s.At, pes) {
			t.slots[i+1].ready = plan.Never
		}
		t.counts = t.counts || t.slots[i+1].ready == plan.OnDemand
	}
	t.walker = walker{program: p.Program, random: rand.New(rand.NewPCG(1, 1)), values: map[string]int64{}, left: math.MaxInt, assigns: func(ir.Stmt) {}, visit: t.visit}
	t.space = procfunc.NewPESpace(pes, p.Program.IR.Ends, t.value)
	t.nodes(p.Program.Body)
	if t.err != nil {
		return nil, t.err
	}
	out := &Prediction{PEs: pes, Seconds: slices.Max(t.clock), Computed: t.computed / float64(pes), Sampled: t.sampled}
	for i := range t.sites {
		u := &t.sites[i]
		out.Total.add(*u, 1)
		switch k := i - 1 - len(p.Program.Comms); {
		case i == 0:
			continue
		case k >= 0:
			u.Reduce = p.Program.Reduces[k]
		default:
			u.Comm = p.Program.Comms[i-1]
		}
		out.Sites = append(out.Sites, *u)
	}
	for g := range t.guessed {
		out.Guessed = append(out.Guessed, g)
	}
	slices.Sort(out.Guessed)
	return out, nil
}

// timed is an execution with clocks.
type timed struct {
	Model
	walker
	plan     *plan.Plan
	space    *procfunc.PESpace
	pes      int
	scale    float64 // PEs and iterations that one execution of what is at hand stands for
	clock    []float64
	port     []float64 // by PE: when it can send the next message
	computed float64
	sites    []Traffic // by number, those of reductions behind those of communications
	slots    []slot    // by number of the communication
	flights  map[*comm.Comm]*flight
	gets     map[*comm.Comm][]procfunc.Count
	posts    map[*comm.Post]*posting
	works    map[*comm.Region]*working
	read     []string // names of the values that were read, since it was emptied
	sampled  bool
	guessed  map[string]bool
	err      error

	// The ready messages on demand, as the run time decides: events, up to which of them
	// everybody has an acknowledgement of everything, and, for a pair, From one of what To did.
	counts   bool
	now, all int
	acks     map[procfunc.Pair]int
}

// slot is what happened to the slots of a communication.
type slot struct {
	ready  plan.Ready
	over   []int // by slot: the event that ended its use; InUse before that
	epoch  int
	posted int
}

// bundle is a message from one PE to another, with the parts that members of a group have
// in it.
type bundle struct {
	from, to int
	parts    []part
	bytes    float64
	arrives  float64
}

type part struct {
	member int
	bytes  float64
}

// flight is the messages of a group that have been sent.
type flight struct {
	set      []*comm.Comm
	messages []bundle
	over     bool // they have been waited for
}

// posting is what the messages of a post are where scalars have certain values.
type posting struct {
	flights []*flight // of a set whose messages are too many, or not known: without messages
	gets    map[*comm.Comm][]procfunc.Count
	under   map[string]int64
}

// working is how long the PEs compute a region where scalars have certain values.
type working struct {
	times []float64
	under map[string]int64
}

// value is that of a scalar.
func (t *timed) value(name string) (int64, bool) {
	t.read = append(t.read, name)
	v, ok := t.values[name]
	return v, ok
}

// eval is the value of a form, false if it has none.
func (t *timed) eval(f linalg.Affine) (int64, bool) {
	known := true
	v, ok := f.Eval(func(name string) int64 {
		x, ok := t.value(name)
		known = known && ok
		return x
	})
	return v, ok && known
}

// same reports whether scalars have the values that they had.
func (t *timed) same(under map[string]int64) bool {
	for name, v := range under {
		if x, ok := t.values[name]; !ok || x != v {
			return false
		}
	}
	return true
}

// dependsOn is what has been read.
func (t *timed) dependsOn() map[string]int64 {
	under := map[string]int64{}
	for _, name := range t.read {
		if v, ok := t.values[name]; ok {
			under[name] = v
		}
	}
	return under
}

func (t *timed) guess(line int, format string, args ...any) {
	t.guessed[fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...)] = true
}

// visit executes a node; false leaves it to the walker.
func (t *timed) visit(n comm.Node) (bool, *jump) {
	if t.err != nil {
		return true, &jump{}
	}
	switch n := n.(type) {
	case *comm.Post:
		t.post(n)
	case *comm.Wait:
		t.wait(n.Comms)
	case *comm.Done:
		t.done(n.Comms)
	case *comm.Barrier:
		t.meet(t.tree(t.pes, 0))
	case *comm.Combine:
		t.combine(n)
	case *comm.Region:
		t.region(n)
		for _, s := range n.Stmts {
			t.assign(s)
		}
	case *comm.Loop:
		return true, t.doLoop(n)
	case *comm.WhileLoop:
		return true, t.whileLoop(n)
	case *comm.Branch:
		if _, known := t.program.Truth(n.If.Cond, t.values); known {
			return false, nil
		}
		then := !leaves(n.Then)
		t.guess(n.If.Pos.Line, "the condition is taken to be %v", map[bool]string{true: "true", false: "false"}[then])
		if then {
			return true, t.nodes(n.Then)
		}
		return true, t.nodes(n.Else)
	case *comm.Simple:
		s, ok := n.Stmt.(*ir.Read)
		if !ok {
			return false, nil
		}
		for sym := range t.program.Modified(s) {
			delete(t.values, sym.Name)
		}
		for _, v := range s.Items {
			if x, given := t.Reads[v.Sym.Name]; given {
				t.values[v.Sym.Name] = x
			}
		}
	default:
		return false, nil
	}
	return true, nil
}

// leaves reports whether a list may end a loop or the program.
func leaves(list []comm.Node) bool {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Simple:
			switch n.Stmt.(type) {
			case *ir.Exit, *ir.Cycle, *ir.Stop:
				return true
			}
		case *comm.Branch:
			if leaves(n.Then) || leaves(n.Else) {
				return true
			}
		}
	}
	return false
}

// doLoop executes a counted loop.
func (t *timed) doLoop(n *comm.Loop) *jump {
	name := n.Do.Index.Name
	lo, ok1 := t.program.Int(n.Do.Lo, t.values)
	hi, ok2 := t.program.Int(n.Do.Hi, t.values)
	step, ok3 := t.program.Int(n.Do.Step, t.values)
	trips := t.Trips
	known := ok1 && ok2 && ok3 && step != 0
	if known {
		trips = int(max(0, (hi-lo+step)/step))
	} else {
		t.guess(n.Do.Pos.Line, "the loop is taken to have %d iterations", trips)
		delete(t.values, name)
	}
	j := t.iterate(trips, func(k int) (more bool, out *jump) {
		if known {
			t.values[name] = lo + int64(k)*step
		}
		return t.ends(n.Do, t.nodes(n.Body))
	})
	if delete(t.values, name); known && j == nil {
		t.values[name] = lo + int64(trips)*step
	}
	return j
}

// ends says whether a loop goes on behind an iteration that ended with j.
func (t *timed) ends(loop ir.Stmt, j *jump) (more bool, out *jump) {
	switch {
	case t.err != nil:
		return false, &jump{}
	case j == nil || j.loop == loop && j.again:
		return true, nil
	case j.loop == loop:
		return false, nil
	}
	return false, j
}

// whileLoop executes a loop of which the condition decides, or, where that depends on data,
// the model.
func (t *timed) whileLoop(n *comm.WhileLoop) *jump {
	holds, known := t.program.Truth(n.While.Cond, t.values)
	once := func(int) (more bool, out *jump) {
		if j := t.nodes(n.Pre); j != nil {
			return false, j
		}
		holds, known = t.program.Truth(n.While.Cond, t.values)
		t.done(n.Used)
		if known && !holds {
			return false, nil
		}
		return t.ends(n.While, t.nodes(n.Body))
	}
	if known && len(n.Pre) == 0 {
		for k := 0; ; k++ {
			if more, out := once(k); !more {
				return out
			}
			if !known {
				break
			}
		}
	}
	t.guess(n.While.Pos.Line, "the loop is taken to have %d iterations", t.Trips)
	return t.iterate(t.Trips, once)
}

// iterate executes so many iterations of a loop: all, or of each stratum two, of which the
// second stands for the others.
func (t *timed) iterate(trips int, iteration func(k int) (more bool, out *jump)) *jump {
	outer := t.scale
	defer func() { t.scale = outer }()
	if t.scale*float64(trips) <= exactWork || trips <= 3*strata {
		t.scale *= float64(max(1, trips))
		for k := range trips {
			if more, out := iteration(k); !more {
				return out
			}
		}
		return nil
	}
	t.sampled = true
	t.scale *= 2 * strata
	before := make([]float64, t.pes)
	sites := make([]Traffic, len(t.sites))
	for s := range strata {
		first, last := s*trips/strata, (s+1)*trips/strata
		at := (first + last) / 2
		if more, out := iteration(at - 1); !more {
			return out
		}
		copy(before, t.clock)
		copy(sites, t.sites)
		computed := t.computed
		if more, out := iteration(at); !more {
			return out
		}
		k := float64(last - first - 2)
		t.computed += k * (t.computed - computed)
		for i := range t.sites {
			u := t.sites[i]
			u.add(sites[i], -1)
			t.sites[i].add(u, k)
		}
		// The clocks go on as that of the PE which is last: what it does the others wait for.
		took := k * (slices.Max(t.clock) - slices.Max(before))
		for q := range t.clock {
			t.clock[q] += took
			t.port[q] += took
		}
		moved := map[*flight]bool{}
		for _, f := range t.flights {
			if !moved[f] {
				moved[f] = true
				for i := range f.messages {
					f.messages[i].arrives += took
				}
			}
		}
	}
	return nil
}

// meet is a barrier or reduction: nobody goes on before all have come, and then only after
// some time.
func (t *timed) meet(took float64) {
	all := slices.Max(t.clock) + took
	for q := range t.clock {
		t.clock[q] = all
	}
	if t.counts {
		t.now++
		t.all = t.now
	}
}

// combine is the reductions that stand at one place.
func (t *timed) combine(n *comm.Combine) {
	for _, r := range n.Reduce {
		delete(t.values, r.Sym.Name)
	}
	for _, set := range n.MessageGroups() {
		red := set[0]
		at := &t.sites[red.ID]
		others, bytes := float64(t.pes-1), 8*float64(len(set))
		if red.Sym.IsArray() {
			count, known := t.combined(red)
			if !known {
				t.guess(red.Line, "the elements that are combined are taken to be %.0f", count)
			}
			bytes = count * float64(red.Sym.Type.Size())
		}
		if len(set) > 1 || red.Sym.IsArray() {
			at.add(Traffic{Data: others * float64(t.pes), Bytes: others * float64(t.pes) * bytes}, 1)
		} else {
			at.add(Traffic{Data: 2 * others, Bytes: 2 * others * bytes}, 1)
		}
		t.meet(2 * t.tree(t.pes, bytes))
	}
}

// combined is how many elements a reduction combines.
func (t *timed) combined(r *comm.Reduction) (float64, bool) {
	box, known := t.space.Combined(r)
	return elements(box), known
}

// done is the end of the uses of what communications brought, but for what has been copied.
func (t *timed) done(comms []*comm.Comm) {
	for _, c := range comms {
		if !t.plan.Slots[c.ID-1].Staged {
			t.free(c)
		}
	}
}

// free is the end of a use.
func (t *timed) free(c *comm.Comm) {
	s := &t.slots[c.ID]
	if s.ready == plan.OnDemand && s.epoch > 0 {
		t.now++
		s.over[s.epoch%len(s.over)] = t.now
	}
}

// post sends the messages of a group of communications.
func (t *timed) post(n *comm.Post) {
	p := t.posting(n)
	for _, f := range p.flights {
		if f.messages == nil {
			t.exchange(f.set)
			continue
		}
		t.send(f.set, f.messages)
		f.over = false
		for _, c := range f.set {
			t.flights[c], t.gets[c] = f, p.gets[c]
		}
	}
}

// posting finds the messages of a group.
func (t *timed) posting(n *comm.Post) *posting {
	if p := t.posts[n]; p != nil && t.same(p.under) {
		return p
	}
	t.read = t.read[:0]
	p := &posting{gets: map[*comm.Comm][]procfunc.Count{}}
	known := true
	for _, set := range n.MessageGroups() {
		f := &flight{set: set, messages: t.bundles(set)}
		known = known && f.messages != nil
		p.flights = append(p.flights, f)
		for _, c := range set {
			if x := t.plan.Slots[c.ID-1].Strip; x != nil {
				p.gets[c] = t.space.Gets(x.Strips, x.Size)
			}
		}
	}
	if p.under = t.dependsOn(); known {
		t.posts[n] = p
	}
	return p
}

// bundles are the messages of a set, by sender, and then in the order in which it sends
// them; nil if they are not known, or too many to be looked at one by one.
func (t *timed) bundles(set []*comm.Comm) []bundle {
	type entry struct {
		procfunc.Pair
		member int
		box    []dist.Triplet
	}
	var list []entry
	for k, c := range set {
		if !t.space.Sections(c, func(p, q int, section []dist.Triplet) bool {
			list = append(list, entry{procfunc.Pair{From: p, To: q}, k, slices.Clone(section)})
			return len(list) <= mostPairs
		}) || len(list) > mostPairs {
			return nil
		}
	}
	distance := func(e *entry) int { return (e.To - e.From + t.pes) % t.pes }
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(a.From-b.From, distance(&a)-distance(&b), a.member-b.member)
	})
	out := []bundle{}
	for i := 0; i < len(list); {
		b := bundle{from: list[i].From, to: list[i].To}
		first := i
		for ; i < len(list) && list[i].Pair == list[first].Pair; i++ {
			e := &list[i]
			c := set[e.member]
			b.parts = append(b.parts, part{member: e.member})
			size := float64(c.Array.Type.Size())
			// Sections of one overlap that are a box together travel as that box.
			at := slices.IndexFunc(list[first:i], func(x entry) bool {
				d := set[x.member]
				return x.box != nil && c.Overlap && d.Overlap && c.Array == d.Array && dist.Join(x.box, e.box)
			})
			if at >= 0 {
				e.box = nil
				b.parts[at].bytes = elements(list[first+at].box) * size
			} else {
				b.parts[i-first].bytes = elements(e.box) * size
			}
		}
		for _, x := range b.parts {
			b.bytes += x.bytes
		}
		out = append(out, b)
	}
	return out
}

func elements(box []dist.Triplet) float64 {
	n := 1.0
	for _, t := range box {
		n *= float64(t.N)
	}
	return n
}

// exchange is a set of communications whose messages are not looked at: each PE gets what
// it wants from all others, and as much from each.
func (t *timed) exchange(set []*comm.Comm) {
	others := float64(t.pes - 1)
	for _, c := range set {
		t.begin(c)
		size, known := t.space.Wanted(c)
		if !known {
			size, _ = t.space.Size(c.Array)
			size /= float64(t.pes)
			t.guess(c.Line, "each PE is taken to send all others a part of %s", c.Array.Name)
		}
		bytes := size * float64(c.Array.Type.Size()) / float64(t.pes) // of a message
		data := others * float64(t.pes)
		t.sites[c.ID].add(Traffic{Data: data, Bytes: data * bytes}, 1)
		l := &t.Network
		if t.PerHost == 0 || t.pes <= t.PerHost {
			l = &t.Host
		}
		took := l.Latency + others*(max(l.Gap, 2*l.Overhead)+l.PerByte*bytes)
		if all := slices.Max(t.clock) + took; c.Kind == comm.Irregular {
			t.meet(took)
		} else {
			for q := range t.clock {
				t.clock[q] = all
			}
		}
	}
}

// begin is the start of an execution of c, as the run time counts events, and says of which
// messages the slot takes a ready message.
func (t *timed) begin(c *comm.Comm) (needs func(from, to int) bool) {
	s := &t.slots[c.ID]
	s.epoch++
	if t.counts {
		t.now++
		s.posted = t.now
	}
	switch s.ready {
	case plan.Always:
		return func(int, int) bool { return true }
	case plan.OnDemand:
		at := s.epoch % len(s.over)
		over := s.over[at]
		s.over[at] = InUse
		if s.epoch <= len(s.over) || t.all >= over {
			return nil
		}
		return func(from, to int) bool { return t.acks[procfunc.Pair{From: from, To: to}] < over }
	}
	return nil
}

// send sends the messages of a set: first the consumers send what ready messages there are,
// then the producers put.
func (t *timed) send(set []*comm.Comm, list []bundle) {
	var ready []float64 // by message, when its ready message has come; -1: none
	for k, c := range set {
		needs := t.begin(c)
		if needs == nil {
			continue
		}
		if len(ready) == 0 {
			ready = slices.Repeat([]float64{-1}, len(list))
		}
		for i := range list {
			b := &list[i]
			if !b.has(k) || !needs(b.from, b.to) {
				continue
			}
			if t.slots[c.ID].ready == plan.OnDemand {
				t.acknowledge(b.from, b.to, t.now)
			}
			if ready[i] < 0 {
				t.sites[c.ID].Ready++
				l := t.link(b.to, b.from)
				t.clock[b.to] += l.Overhead
				ready[i] = t.clock[b.to] + l.Latency
			}
		}
	}
	for i := range list {
		b := &list[i]
		if len(ready) > 0 && ready[i] >= 0 {
			t.clock[b.from] = max(t.clock[b.from], ready[i])
		}
		t.put(b)
		for _, x := range b.parts {
			t.sites[set[x.member].ID].Bytes += x.bytes
		}
		t.sites[set[b.parts[0].member].ID].Data++
	}
}

// put sends a message.
func (t *timed) put(b *bundle) {
	l := t.link(b.from, b.to)
	start := max(t.clock[b.from], t.port[b.from])
	t.clock[b.from] = start + l.Overhead
	if l == &t.Host { // the PE copies the elements itself
		t.clock[b.from] += l.PerByte * b.bytes
	}
	t.port[b.from] = start + max(l.Gap, l.Overhead) + l.PerByte*b.bytes
	b.arrives = start + l.Overhead + l.Latency + l.PerByte*b.bytes
}

func (b *bundle) has(member int) bool {
	return slices.ContainsFunc(b.parts, func(x part) bool { return x.member == member })
}

// wait is the arrival of what a group has sent.
func (t *timed) wait(comms []*comm.Comm) {
	for _, c := range comms {
		f := t.flights[c]
		if f == nil {
			continue
		}
		member := slices.Index(f.set, c)
		for i := range f.messages {
			b := &f.messages[i]
			if !f.over {
				t.clock[b.to] = max(t.clock[b.to], b.arrives) + t.link(b.from, b.to).Overhead
			}
			if t.counts && b.has(member) {
				t.acknowledge(b.to, b.from, t.slots[c.ID].posted)
			}
		}
		f.over = true
		delete(t.flights, c)
		if t.plan.Slots[c.ID-1].Staged {
			t.free(c)
		}
		for _, g := range t.gets[c] {
			l := t.link(g.From, g.To)
			t.sites[c.ID].Data += float64(g.N)
			t.clock[g.To] += float64(g.N) * 2 * (l.Latency + l.Overhead)
			if t.plan.Slots[c.ID-1].Strip.Completes {
				t.sites[c.ID].Ready++
			}
		}
	}
}

// acknowledge notes that PE p has an acknowledgement of what q did up to an event.
func (t *timed) acknowledge(p, q, event int) {
	pair := procfunc.Pair{From: p, To: q}
	t.acks[pair] = max(t.acks[pair], event)
}

// maxShares is how many loops of a region are looked at PE by PE.
const maxShares = 6

// working is how long the PEs compute a region.
func (t *timed) working(r *comm.Region) []float64 {
	if w := t.works[r]; w != nil && t.same(w.under) {
		return w.times
	}
	t.read = t.read[:0]
	w := &working{times: make([]float64, t.pes)}
	var loops []*ir.Do
	var shares []func(q int) int
	inside := map[string]bool{} // indices of loops of the region, which are half-way
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		d, ok := s.(*ir.Do)
		if !ok {
			return true
		}
		b := t.program.Info.Bounds(d)
		if !b.LoOK || !b.HiOK || b.Step == 0 {
			return true
		}
		if len(r.Part[d]) > 0 && len(loops) < maxShares {
			own, known := t.space.Iterations(&comm.Range{Index: d.Index.Name, Lo: b.Lo, Hi: b.Hi, Step: int(b.Step), Cons: r.Part[d]})
			if known {
				loops, shares = append(loops, d), append(shares, own)
			}
		}
		lo, ok1 := t.eval(b.Lo)
		hi, ok2 := t.eval(b.Hi)
		if _, has := t.values[d.Index.Name]; ok1 && ok2 && !has {
			t.values[d.Index.Name] = (lo + hi) / 2
			inside[d.Index.Name] = true
		}
		return true
	})
	owns, known := t.space.Owners(r.Guard)
	w.under = t.dependsOn()
	for name := range inside {
		delete(w.under, name)
		delete(t.values, name)
	}
	took := map[[maxShares]int]float64{}
	var share [maxShares]int
	own := func(d *ir.Do) (float64, bool) {
		k := slices.Index(loops, d)
		if k < 0 {
			return 0, false
		}
		return float64(share[k]), true
	}
	for q := range w.times {
		if known && !owns(q) {
			continue
		}
		for k, f := range shares {
			share[k] = f(q)
		}
		x, ok := took[share]
		if !ok {
			x = t.Work(r, t.values, own)
			took[share] = x
		}
		w.times[q] = x
	}
	t.works[r] = w
	return w.times
}

// region is what the PEs compute on their own, or one after another.
func (t *timed) region(r *comm.Region) {
	times := t.working(r)
	for _, x := range times {
		t.computed += x
	}
	if r.Pipe == nil {
		for q, x := range times {
			t.clock[q] += x
		}
		return
	}
	t.pipeline(r, times)
}

// pipeline is a region of which each PE receives values of those before it: all at once, or
// block by block. PEs with the same coordinate are independent.
func (t *timed) pipeline(r *comm.Region, times []float64) {
	list := t.bundles(r.Pipe.Comms)
	blocks := t.blocks(r, times)
	for _, c := range r.Pipe.Comms {
		if t.begin(c) != nil {
			t.guess(c.Line, "ready messages of a pipeline are taken to come in time")
		}
	}
	before := make([][]*bundle, t.pes) // by receiver
	for i := range list {
		b := &list[i]
		before[b.to] = append(before[b.to], b)
		c := r.Pipe.Comms[b.parts[0].member]
		t.sites[c.ID].Data += blocks
		for _, x := range b.parts {
			t.sites[r.Pipe.Comms[x.member].ID].Bytes += x.bytes
		}
		if t.slots[c.ID].ready == plan.Always {
			t.sites[c.ID].Ready += blocks
			t.clock[b.to] += blocks * t.link(b.from, b.to).Overhead
		}
	}
	first, last := slices.Clone(t.clock), slices.Clone(t.clock)
	done := make([]bool, t.pes)
	var finish func(q int)
	finish = func(q int) {
		if done[q] {
			return
		}
		done[q] = true
		piece := times[q] / blocks
		begin, busy := t.clock[q], times[q]
		end := 0.0
		for _, b := range before[q] {
			finish(b.from)
			l := t.link(b.from, b.to)
			came := l.Latency + 2*l.Overhead + l.PerByte*b.bytes/blocks
			begin = max(begin, first[b.from]+came)
			end = max(end, last[b.from]+came+piece)
			busy += 2 * l.Overhead * blocks
		}
		first[q] = begin + piece
		last[q] = max(begin+busy, end)
	}
	for q := range done {
		finish(q)
	}
	copy(t.clock, last)
	if t.counts {
		t.now++
		for i := range list {
			t.acknowledge(list[i].to, list[i].from, t.now)
		}
	}
	for _, c := range r.Pipe.Comms {
		if t.plan.Slots[c.ID-1].Staged {
			t.free(c)
		}
	}
}

// mostBlocks is how many blocks the code of a pipeline has at most.
const mostBlocks = 64

// blocks is in how many pieces the PEs of a pipeline pass on what they have.
func (t *timed) blocks(r *comm.Region, times []float64) float64 {
	b := r.Pipe.Blocks
	if b == nil || t.Block < 0 {
		return 1
	}
	bounds := t.program.Info.Bounds(b.Loop)
	lo, ok1 := t.eval(bounds.Lo)
	hi, ok2 := t.eval(bounds.Hi)
	if !ok1 || !ok2 || bounds.Step == 0 {
		t.guess(b.Loop.Pos.Line, "the pipeline is taken to have %d blocks", mostBlocks)
		return mostBlocks
	}
	n := float64(max(1, (hi-lo+bounds.Step)/bounds.Step))
	if t.Block > 0 {
		return math.Ceil(n / float64(t.Block))
	}
	// T(size) = (n/size + behind) (size*each + cost) is least for this size.
	behind := math.Pow(float64(t.pes), 1/float64(len(t.space.Shape(r.Pipe.Comms[0].Array)))) - 1
	each, cost := slices.Max(times)/n, t.Host.Latency+t.Host.Overhead
	if behind <= 0 || each <= 0 {
		return 1
	}
	t.guess(b.Loop.Pos.Line, "the pipeline has as many blocks as would take least time")
	return min(mostBlocks, max(1, math.Ceil(n/max(1, math.Sqrt(n*cost/(behind*each))))))
}
