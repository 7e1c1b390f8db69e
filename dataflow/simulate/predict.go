package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
	"github.com/spmdc/spmdc/procfunc/linalg"
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
	// Record takes what each PE does, as the actions of a time-independent trace (Desprez, Markomanolis,
	// Quinson, Suter, PMBS'11), which SimGrid's smpirun -replay executes; nil: nobody does. Then all
	// iterations are executed. The host computes 10⁹ operations in a second, and data types are bytes.
	Record func(pe int, action string)
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
	if m.Record != nil {
		for i := range p.Slots {
			if p.Slots[i].Strip != nil {
				return nil, fmt.Errorf("line %d: a PE that fetches elements has no form in a trace of messages", p.Program.Comms[i].Line)
			}
		}
		m.begins(pes)
	}
	t := &timed{Model: m, due: make([]float64, pes), plan: p, pes: pes, scale: float64(pes), clock: make([]float64, pes), port: make([]float64, pes),
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
	t.walker = walker{program: p.Program, random: rand.New(rand.NewPCG(1, 1)), values: map[string]int64{}, left: math.MaxInt, assigns: func(ir.Stmt) {}, visit: t.visit, unknown: t.trips, repeat: t.iterate}
	t.space = procfunc.NewPESpace(pes, p.Program.IR.Ends, t.value)
	t.nodes(p.Program.Body)
	if m.Record != nil {
		for q := range pes {
			t.act(q, "finalize")
		}
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
	due      []float64 // by PE: seconds of computation that are not recorded yet
	computed float64
	sites    []Traffic // by number, those of reductions behind those of communications
	slots    []slot    // by number of the communication
	flights  map[*comm.Comm]*flight
	gets     map[*comm.Comm][]procfunc.Count
	posts    map[*comm.Post]*posting
	works    map[*comm.Region]*working
	read     []string // names of the values that were read, since it was emptied
	entries  []entry  // scratch of bundles, as what follows
	sorted   []entry
	starts   []int
	sampled  bool
	guessed  map[string]bool

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
	switch n := n.(type) {
	case *comm.Post:
		t.post(n)
	case *comm.Wait:
		t.wait(n.Comms)
	case *comm.Done:
		t.done(n.Comms)
	case *comm.Barrier:
		t.actAll("barrier")
		t.barrier()
	case *comm.Combine:
		t.combine(n)
	case *comm.Region:
		t.region(n)
		for _, s := range n.Stmts {
			t.assign(s)
		}
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

// trips is how many iterations a loop is taken to have.
func (t *timed) trips(line int) int {
	t.guess(line, "the loop is taken to have %d iterations", t.Trips)
	return t.Trips
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
		return ends(n.While, t.nodes(n.Body))
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
	return t.iterate(t.trips(n.While.Pos.Line), once)
}

// iterate executes so many iterations of a loop: all, or of each stratum two, of which the
// second stands for the others.
func (t *timed) iterate(trips int, iteration func(k int) (more bool, out *jump)) *jump {
	outer := t.scale
	defer func() { t.scale = outer }()
	if t.Record != nil || t.scale*float64(trips) <= exactWork || trips <= 3*strata {
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
