package trace

import (
	"math"

	"github.com/spmdc/spmdc/runtime/spmd"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Region is a piece of the source program whose time is measured.
type Region struct {
	Parent     int    // the region around it, an index into the table; -1: none
	Kind       string // program, procedure, region, loop, input, output, checkpoint
	Name       string // of the program or procedure; of a loop what it runs over
	Line, Last int    // of the source, numbered as in sites
}

// Activity is what a PE does with others.
type Activity uint8

// The activities are the kinds of events of tracefile, without regions and parts of messages.
const (
	Put Activity = iota
	Get
	Ready
	WaitReady
	Arrival
	Reduction
	Broadcast
	Barrier
	Lock
	Elided // barriers that were left out
	activities
)

func (a Activity) String() string { return kindOf(a).String() }

// blocks reports whether the time of an activity is that of a wait.
func (a Activity) blocks() bool { return kindOf(a).Blocks() }

// Sum is what executions of a region or an activity took, in ticks.
type Sum struct {
	Count       int64
	Total       int64
	Inner       int64 // of regions and activities inside
	Least, Most int64
	Blocked     int64 // of a region: waits in it, not those of regions inside
}

// add adds an execution; inner is what of it regions and activities inside took.
func (s *Sum) add(ticks, inner int64) {
	if s.Count == 0 || ticks < s.Least {
		s.Least = ticks
	}
	s.Most = max(s.Most, ticks)
	s.Count++
	s.Total += ticks
	s.Inner += inner
}

// Recorder measures what one PE does. It is the transport that the PE uses.
type Recorder struct {
	transport.Transport

	regions []Sum
	acts    []Sum // by activity, and site + 1: a site has few activities, and many sites have the same
	open    []frame
	events  *buffer // nil: sums alone

	sums  [activities]Sum   // of all sites
	moved [activities]int64 // bytes

	table     []Region // with clock, ids and groups for the introspection
	clock     clock
	ids       map[string]int32
	groups    []group
	transfers [len(transfers)]group // regions of input and output
	rate      float64               // seconds of a tick
	rated     int64                 // when that was measured, from clock on

	filter     filter
	in         []bool // regions that are kept with all inside; nil: all
	loop       int    // the depth of the loop whose iterations are counted; 0: it is in none
	began      int64  // its iteration
	number     int64  // of it in the loop, from 0
	trips      int64  // of the loop that is entered next; 0: not known
	iterations int64  // of all loops
	waited     int64  // ticks of all waits
	live       *live  // nil: nobody looks
	apart      *apart // nil: all PEs are in this process
	agrees     bool   // with those of other processes, which iterations are kept
	loops      []running
}

// frame is a region that has not ended.
type frame struct {
	region int
	began  int64
	inner  int64
}

// mostNested is how many regions are open at a time as a rule.
const mostNested = 32

func newRecorder(t transport.Transport, regions, sites int) *Recorder {
	r := &Recorder{
		Transport: t,
		filter:    everything,
		// The unused capacity keeps the sums of PEs off each other's cache lines.
		regions: make([]Sum, regions, regions+2),
		acts:    make([]Sum, (sites+1)*int(activities), (sites+1)*int(activities)+2),
		open:    make([]frame, 0, mostNested),
	}
	r.enter(0, ticks())
	return r
}

// Of is the recorder of a PE, nil where nothing is measured.
func Of(pe *spmd.PE) *Recorder {
	switch r := pe.Observed().(type) {
	case *Recorder:
		return r
	case *locking:
		return r.Recorder
	}
	return nil
}

// everything is the filter that keeps all.
var everything = filter{rule: rule{regions: true, messages: true, waits: true, depth: math.MaxInt}, every: 1}

// Next begins the next iteration of the loop that was entered last, the outermost one.
func (r *Recorder) Next() {
	if r == nil {
		return
	}
	r.next(ticks())
}

func (r *Recorder) next(now int64) {
	if depth := len(r.open) - 1; r.loop == depth {
		r.endIteration(now)
		r.number++
	} else {
		r.loop, r.number = depth, 0
		if r.live != nil {
			r.live.trips.Store(r.trips)
			r.live.entered.Store(now)
		}
		r.trips = 0
	}
	r.began = now
	r.iterations++
	if r.live != nil {
		r.show(now)
	}
	switch {
	case r.events == nil:
	case r.filter.outliers > 0:
		r.events.hold()
	default:
		r.events.off = r.number%r.filter.every != 0
	}
}

// Trips says how many iterations the loop has that begins.
func (r *Recorder) Trips(n int) {
	if r != nil {
		r.trips = int64(n)
	}
}

// show says where the PE is, when an iteration begins.
func (r *Recorder) show(now int64) {
	r.live.region.Store(int64(r.open[r.loop].region))
	r.live.iteration.Store(r.number)
	r.live.blocked.Store(r.waited)
	r.live.now.Store(now)
}

// endIteration ends an iteration.
func (r *Recorder) endIteration(now int64) {
	if r.events == nil {
		return
	}
	if r.PE() == 0 {
		r.events.iterate(event{kind: tracefile.Iteration, id: int32(r.open[r.loop].region), began: r.began, took: now - r.began, number: uint64(r.iterations - 1), peer: -1})
	}
	r.events.off = false
	if r.filter.outliers == 0 {
		return
	}
	region := r.open[r.loop].region
	if r.loops == nil {
		r.loops = make([]running, len(r.regions))
	}
	r.events.held()
	r.filter.verdicts.end(r.PE(), r.loops[region].outlier(float64(now-r.began), r.filter.outliers))
	r.events.settle(r.filter.verdicts)
}

// Enter begins a region inside of the one that was entered last.
func (r *Recorder) Enter(region int) {
	if r != nil {
		r.enter(region, ticks())
	}
}

// Leave ends the region that was entered last.
func (r *Recorder) Leave() {
	if r != nil {
		r.leave(ticks())
	}
}

// LeaveTo ends regions until only so many are open, that of the program aside.
func (r *Recorder) LeaveTo(depth int) {
	if r == nil {
		return
	}
	now := ticks() // all of them end at once
	for len(r.open) > depth+1 {
		r.leave(now)
	}
}

func (r *Recorder) enter(region int, now int64) {
	r.open = append(r.open, frame{region: region, began: now})
}

func (r *Recorder) leave(now int64) {
	last := len(r.open) - 1
	if last > 0 && last == r.loop {
		r.endIteration(now)
		r.loop = 0
	}
	f := &r.open[last]
	took := now - f.began
	sum := &r.regions[f.region]
	if r.events != nil {
		r.keep(min(last, depths-1), event{kind: tracefile.Region, id: int32(f.region), began: f.began, took: took, number: uint64(sum.Count), peer: -1})
	}
	sum.add(took, f.inner)
	r.open = r.open[:last]
	if last > 0 {
		r.open[last-1].inner += took
	}
}

// end ends all regions.
func (r *Recorder) end() {
	now := ticks()
	for len(r.open) > 0 {
		r.leave(now)
	}
	if v := r.filter.verdicts; v != nil && !v.apart {
		v.ended[r.PE()].Store(math.MaxInt64)
	}
}

// keep puts an event into the buffer if it is selected.
func (r *Recorder) keep(level int, e event) {
	last := len(r.open) - 1
	if !r.filter.keeps(level, &e) || r.in != nil && (last < 0 || !r.in[r.open[last].region]) {
		r.events.levels[level].unselected++
		return
	}
	r.events.add(level, e)
}

// message is what is known of an activity besides its site.
type message struct {
	peer   int // -1: none
	buffer transport.Buffer
	epoch  uint64
	bytes  int
}

// did adds a message that began at a time and is over now.
func (r *Recorder) did(a Activity, site int, began int64, m message) {
	took := r.took(a, site, began)
	r.moved[a] += int64(m.bytes)
	if r.events != nil {
		r.keep(depths, event{kind: kindOf(a), id: int32(site), began: began, took: took, number: m.epoch, peer: int32(m.peer), buffer: int32(m.buffer), bytes: int64(m.bytes)})
	}
}

// met is did for what all PEs do together, and for gets, which have no epoch: executions are
// numbered from 0.
func (r *Recorder) met(a Activity, site int, began int64, m message) {
	m.epoch = uint64(r.acts[r.index(a, site)].Count)
	r.did(a, site, began, m)
}

// part keeps a further part of a message.
func (r *Recorder) part(kind tracefile.Kind, site int, m message) {
	if kind == tracefile.PutPart {
		r.moved[Put] += int64(m.bytes)
	}
	if r.events == nil {
		return
	}
	r.keep(depths, event{kind: kind, id: int32(site), began: ticks(), number: m.epoch, peer: int32(m.peer), buffer: int32(m.buffer), bytes: int64(m.bytes)})
}

// kindOf is an activity as an event.
func kindOf(a Activity) tracefile.Kind {
	if a == Elided {
		return tracefile.Elided
	}
	return tracefile.Put + tracefile.Kind(a)
}

// took adds an activity to the sums, and returns how long it took.
func (r *Recorder) took(a Activity, site int, began int64) int64 {
	took := ticks() - began
	r.acts[r.index(a, site)].add(took, 0)
	r.sums[a].add(took, 0)
	if last := len(r.open) - 1; last >= 0 {
		f := &r.open[last]
		f.inner += took
		if a.blocks() {
			r.waited += took
			r.regions[f.region].Blocked += took
		}
	}
	return took
}

// index is where the sum of an activity of a site is.
func (r *Recorder) index(a Activity, site int) int {
	all := len(r.acts) / int(activities)
	if site < 0 || site+1 >= all {
		return int(a) * all
	}
	return int(a)*all + site + 1
}
