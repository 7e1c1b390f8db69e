package replay

import (
	"cmp"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/dataflow/clocks"
)

// Options say which messages of a run count as witnesses of an order.
type Options struct {
	Mute    map[int]bool // not the messages of these communications but ready ones, nor these reductions, by number
	NoReady bool         // no ready message
}

// Put names a put of a run; with the negative number of a communication the overwriting
// of elements of PE From that PE To got for it in that epoch.
type Put struct {
	Comm     int
	Epoch    uint64
	From, To int
}

func comparePuts(a, b Put) int {
	return cmp.Or(cmp.Compare(a.Comm, b.Comm), cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// Result is what a replay finds.
type Result struct {
	// Unordered are the puts of the run, sorted, that the messages which count do not
	// order after the last use of their cells on the target, as far as that use is
	// over on the sender; or after the target has seen the arrival of the sender's
	// last put.
	Unordered []Put
	// Complete: every event of the run has its cause in the run. What arrived was
	// sent, and PEs met. Traces of runs that succeeded are complete.
	Complete bool
}

// Replay replays the run.
func (t *Trace) Replay(o Options) Result {
	r := newRun(t, o)
	r.index()
	for r.advance() {
	}
	slices.SortFunc(r.found, comparePuts)
	complete := true
	for p, at := range r.at {
		complete = complete && at == len(t.lists[p])
	}
	return Result{r.found, complete}
}

// Unordered is Replay without the question whether the run is complete.
func (t *Trace) Unordered(o Options) []Put { return t.Replay(o).Unordered }

// Reported lists the puts that the run itself reported as not ordered.
func (t *Trace) Reported() []Put {
	var out []Put
	for p, list := range t.lists {
		for _, e := range list {
			if e.op == 'v' {
				out = append(out, Put{e.comm, e.epoch, p, e.pe})
			}
		}
	}
	slices.SortFunc(out, comparePuts)
	return slices.Compact(out)
}

// Redundant counts the ready messages of a run, and those that nobody had to wait
// for: without any ready message, all puts that they let go would still have been
// ordered, by data messages and collective operations of this run. (The same may
// not hold of another run, with other input: so a sound plan needs them.) A message that
// gets are over is a ready message too, and not asked for.
func (t *Trace) Redundant() (ready, redundant int) {
	any := slices.ContainsFunc(t.lists, func(list []event) bool {
		return slices.ContainsFunc(list, func(e event) bool { return e.op == 'r' || e.op == 'd' })
	})
	if !any {
		return 0, 0
	}
	needed := map[Put]bool{}
	for _, p := range t.Unordered(Options{NoReady: true}) {
		needed[p] = true
	}
	for p, list := range t.lists {
		wanted := true // a slot of the message at hand waits for it
		for _, e := range list {
			if e.op == 'd' {
				ready++
			}
			if e.op != 'r' {
				continue
			}
			if e.lead {
				if !wanted {
					redundant++
				}
				ready, wanted = ready+1, false
			}
			wanted = wanted || needed[Put{e.comm, e.epoch, e.pe, p}]
		}
		if !wanted {
			redundant++
		}
	}
	return ready, redundant
}

// run is a replay. Events of a PE are numbered from 1.
type run struct {
	*Trace
	o     Options
	at    []int // events that each PE has executed
	knows clocks.Clocks

	sent       map[message]clocks.Clock
	met, casts []int // barriers and reductions, broadcasts that each PE has passed
	meetings   []*clocks.Meeting
	broadcasts []clocks.Clock // nil: not sent so far
	over       map[place]int  // number of the event that ended a use
	arrived    map[place]int
	uses       map[memory][]use  // ascending epochs
	last       map[way]uint64    // epoch of the last put
	ended      map[place]bool    // uses that are over, so far
	latest     map[memory]uint64 // the last epoch of them
	found      []Put
}

func newRun(t *Trace, o Options) *run {
	return &run{
		Trace: t, o: o, at: make([]int, t.PEs), knows: clocks.New(t.PEs), met: make([]int, t.PEs), casts: make([]int, t.PEs),
		sent: map[message]clocks.Clock{}, over: map[place]int{}, arrived: map[place]int{},
		uses: map[memory][]use{}, last: map[way]uint64{}, ended: map[place]bool{}, latest: map[memory]uint64{},
	}
}

// message is one from a PE to another; sort says which: that of the event that sends
// it.
type message struct {
	Put
	sort byte
}

// place is a node's execution on a PE.
type place struct {
	comm  int
	epoch uint64
	pe    int
}

// memory is what a communication fills on a PE; use is an epoch in which that PE
// uses it.
type memory struct{ comm, pe int }

type use struct {
	epoch uint64
	cells []cells // what came
}

// way is from one PE to another, into an instance of a memory.
type way struct{ comm, from, to, instance int }

// index notes down when uses end, and what is used.
func (r *run) index() {
	for p, list := range r.lists {
		for i, e := range list {
			switch e.op {
			case 'u':
				r.over[place{e.comm, e.epoch, p}] = i + 1
			case 'o':
				r.arrived[place{e.comm, e.epoch, p}] = i + 1
			case 'c':
				if r.Comms[e.comm].Whole {
					r.use(memory{e.comm, p}, e.epoch, nil)
				}
			case 'y':
				r.use(memory{e.comm, p}, e.epoch, &e.cells)
			case 'p':
				if !r.Comms[e.comm].Whole {
					r.use(memory{e.comm, e.pe}, e.epoch, &e.cells)
				}
			}
		}
	}
}

func (r *run) use(m memory, epoch uint64, c *cells) {
	list := r.uses[m]
	// Events of one PE come in ascending epochs.
	k, there := slices.BinarySearchFunc(list, epoch, func(u use, epoch uint64) int { return cmp.Compare(u.epoch, epoch) })
	if !there {
		list = slices.Insert(list, k, use{epoch: epoch})
	}
	if c != nil {
		list[k].cells = append(list[k].cells, *c)
	}
	r.uses[m] = list
}

// advance executes the events of all PEs as far as they go, once around; it
// reports whether any went.
func (r *run) advance() bool {
	moved := false
	for p := range r.PEs {
		for r.at[p] < len(r.lists[p]) && r.execute(p, &r.lists[p][r.at[p]]) {
			moved = true
		}
	}
	return moved
}

// execute executes the next event of p, unless it has to wait for another.
func (r *run) execute(p int, e *event) bool {
	switch e.op {
	case 'g', 'w', 'e':
		clock, ok := r.sent[message{Put{e.comm, e.epoch, e.pe, p}, sentBy[e.op]}]
		if !ok {
			return false
		}
		if e.op == 'g' && !r.o.Mute[e.comm] || e.op == 'w' && !r.o.NoReady || e.op == 'e' && !r.o.Mute[e.comm] {
			r.knows.Arrive(p, clock)
		}
	case 'k':
		if !r.meet(p, r.o.Mute[e.comm+1]) {
			return false
		}
	case 'b':
		k := r.casts[p]
		if e.pe == p {
			for len(r.broadcasts) <= k {
				r.broadcasts = append(r.broadcasts, nil)
			}
			r.broadcasts[k] = r.knows.Leave(p)
		} else if len(r.broadcasts) <= k || r.broadcasts[k] == nil {
			return false
		} else if !r.o.Mute[e.comm+1] {
			r.knows.Arrive(p, r.broadcasts[k])
		}
		r.casts[p]++
	}
	r.at[p]++
	r.knows.Tick(p, r.at[p])
	switch e.op {
	case 'u':
		r.ended[place{e.comm, e.epoch, p}] = true
		r.latest[memory{e.comm, p}] = e.epoch
	case 'p':
		r.put(p, e)
		r.sent[message{Put{e.comm, e.epoch, p, e.pe}, e.op}] = r.knows.Leave(p)
	case 'r', 'd':
		r.sent[message{Put{e.comm, e.epoch, p, e.pe}, e.op}] = r.knows.Leave(p)
	case 'x':
		for _, g := range e.gets {
			if at, ok := r.over[g]; !ok || at > r.knows[p][g.pe] {
				r.found = append(r.found, Put{e.comm, g.epoch, p, g.pe})
			}
		}
	}
	return true
}

// sentBy is, by event that receives a message, the one that sends it.
var sentBy = map[byte]byte{'g': 'p', 'w': 'r', 'e': 'd'}

// meet is a barrier or reduction: p has come, and goes on when all have.
func (r *run) meet(p int, muted bool) bool {
	k := r.met[p]
	for len(r.meetings) <= k {
		r.meetings = append(r.meetings, &clocks.Meeting{})
	}
	r.meetings[k].Come(r.knows, p)
	known, over := r.meetings[k].Over()
	if !over {
		return false
	}
	if !muted {
		r.knows.Arrive(p, known)
	}
	r.met[p]++
	return true
}

// put finds whether the put of p is ordered.
func (r *run) put(p int, e *event) {
	c := r.Comms[e.comm]
	known := r.knows[p][e.pe]
	free := true
	for _, m := range r.Comms {
		if m.Memory == c.Memory {
			free = free && r.free(p, e, c, m, known)
		}
	}
	w := way{e.comm, p, e.pe, int(e.epoch % uint64(c.Depth))}
	if last := r.last[w]; last > 0 {
		at, ok := r.arrived[place{e.comm, last, e.pe}]
		free = free && ok && at <= known
	}
	r.last[w] = e.epoch
	if !free {
		r.found = append(r.found, Put{e.comm, e.epoch, p, e.pe})
	}
}

// free reports whether every use of m on the target that is over on p is known to p
// to be over there, as far as it is of the cells of the put.
func (r *run) free(p int, e *event, c, m *Comm, known int) bool {
	list := r.uses[memory{m.Number, e.pe}]
	behind, _ := slices.BinarySearchFunc(list, r.latest[memory{m.Number, p}]+1, func(u use, epoch uint64) int { return cmp.Compare(u.epoch, epoch) })
	for k := behind - 1; k >= 0; k-- {
		u := &list[k]
		if m == c && c.Whole && u.epoch%uint64(c.Depth) != e.epoch%uint64(c.Depth) || !r.ended[place{m.Number, u.epoch, p}] {
			continue
		}
		if at, ok := r.over[place{m.Number, u.epoch, e.pe}]; ok && at <= known {
			return true // so are those before it
		}
		if m.Whole || slices.ContainsFunc(u.cells, e.cells.meet) {
			return false
		}
	}
	return true
}

// Sites lists the numbers of the communications, reductions and broadcasts that
// the run has come by.
func (t *Trace) Sites() []int {
	seen := map[int]bool{}
	for _, list := range t.lists {
		for _, e := range list {
			switch e.op {
			case 'g':
				seen[e.comm] = true
			case 'k', 'b':
				seen[e.comm+1] = true
			}
		}
	}
	delete(seen, 0)
	return slices.Sorted(maps.Keys(seen))
}
