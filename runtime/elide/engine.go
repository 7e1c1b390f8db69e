package elide

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// Mode is what the engine does with barriers.
type Mode uint8

const (
	// Online learns and elides by Algorithm 1; contexts that a plan names are
	// elided from the start.
	Online Mode = iota + 1
	// ByPlan elides what the plan names and learns nothing.
	ByPlan
	// Audit elides nothing and counts what could be: training and audit.
	Audit
)

var modes = []string{"", "learn", "plan", "audit"}

func (m Mode) String() string { return modes[m] }

// ParseMode is the Mode that String gives as s.
func ParseMode(s string) (m Mode, ok bool) {
	i := slices.Index(modes, s)
	return Mode(max(i, 0)), i > 0
}

// DefaultThreshold is the number of private executions after which a context is
// elided: the paper's, which found seven to be the most that NWChem needs.
const DefaultThreshold = 10

// Options configure an Engine. They are the same on all PEs; Start finds out if
// they are not.
type Options struct {
	Mode Mode
	// Threshold is the number of consecutive executions with global summary N,
	// the first one included, after which a context is elided; 0 is
	// DefaultThreshold. (Algorithm 1 as printed does not count the first: its
	// threshold is one less.)
	Threshold int
	// Relearn, if above 0, lets a context that was necessary be learned again:
	// it is elided after so many consecutive private executions, twice as many
	// after each further disappointment. 0: necessary once is necessary for
	// ever, as in Algorithm 1.
	Relearn int
	// Pessimistic makes a context necessary when all PEs broke consensus in it.
	// The paper, and the default, expects it to be private again or broken by
	// all again.
	Pessimistic bool
	// Plan says which contexts are elided (Online, ByPlan) and which never
	// (blacklist). It may be nil, except in ByPlan.
	Plan *Plan
	// Pinned reports whether the barriers of a site must never be elided,
	// because something else rests on them. It may be nil.
	Pinned func(Site) bool
	// Label is the name of a site in plans, logs and reports: unique and the
	// same in every run of one version of the program. nil names it by number.
	Label func(Site) string
	// Program names the version of the program; a plan for another is refused.
	Program string
	// Patience bounds the wait of a PE that breaks consensus, if above 0.
	// Other waits are never bounded: a slow PE is not a misspeculation. It is
	// needed only where PEs wait for each other in ways of which neither the
	// engine nor its transport knows.
	Patience time.Duration
}

// Engine elides the barriers of one PE. Its methods are called by that PE only.
type Engine struct {
	m       machine
	t       Transport
	options Options
	plan    *verdicts // nil: it has no entries
	vote    Vote      // in an agreement; here so that it is not allocated for each
	site    int       // see At
	voting  bool      // in an agreement, or left in the middle of one
	failed  error
	_       [128]byte // no other PE's fields in the same cache lines
}

// New returns the engine of one PE. It panics if the options contradict
// themselves in a way that no input of a user can cause; a plan of another
// program is an error.
func New(t Transport, o Options) (*Engine, error) {
	switch {
	case o.Mode < Online || o.Mode > Audit:
		panic("elide: no such mode")
	case o.Threshold < 0 || o.Relearn < 0:
		return nil, errors.New("elide: threshold and re-learning count must not be negative")
	case o.Mode == ByPlan && o.Plan == nil:
		return nil, errors.New("elide: no plan to elide by")
	}
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	o.Threshold, o.Relearn = min(o.Threshold, rankNecessary-1), min(o.Relearn, rankNecessary-1)
	if o.Label == nil {
		o.Label = func(s Site) string { return fmt.Sprintf("site%d", s) }
	}
	e := &Engine{t: t, options: o}
	planned := false
	if o.Plan != nil {
		if err := o.Plan.For(o.Program); err != nil {
			return nil, err
		}
		if len(o.Plan.Entries) > 0 {
			e.plan = o.Plan.verdicts()
		}
		planned = o.Mode != Audit && o.Plan.Count(Elide) > 0
	}
	e.m = *newMachine(config{
		threshold:   int32(o.Threshold),
		relearn:     int32(o.Relearn),
		pessimistic: o.Pessimistic,
		online:      o.Mode == Online,
		audit:       o.Mode == Audit,
		begin:       e.begin,
	}, planned)
	return e, nil
}

// begin is what options and plan say about a context that is met first.
func (e *Engine) begin(sites []Site) Why {
	if e.options.Pinned != nil && e.options.Pinned(sites[len(sites)-1]) {
		return Pinned
	}
	if e.plan == nil {
		return 0
	}
	switch e.plan.of(e.path(sites)) {
	case Never:
		return Blacklisted
	case Elide:
		return Planned
	}
	return 0
}

// path is the labels of sites.
func (e *Engine) path(sites []Site) Path {
	p := make(Path, len(sites))
	for i, s := range sites {
		p[i] = e.options.Label(s)
	}
	return p
}

// Start makes sure that all PEs have the same options, plan and program. All
// PEs call it before anything else.
func (e *Engine) Start() error {
	h := fnv.New64a()
	o := &e.options
	fmt.Fprintln(h, o.Mode, o.Threshold, o.Relearn, o.Pessimistic, o.Program)
	if o.Plan != nil {
		if err := o.Plan.Write(h); err != nil {
			return err
		}
	}
	v := &e.vote
	v.set(int64(Private), h.Sum64(), 0, rankStrict)
	if err := e.t.Agree(e.site, (*[Words]int64)(v), 0); err != nil {
		return err
	}
	if !v.sameContext() {
		return e.fail(errors.New("elide: PEs were started with different plans, options or versions of the program: give all of them the same"))
	}
	return nil
}

// Enter records a call from site; Leave the return from it.
func (e *Engine) Enter(site Site) { e.m.tree.Enter(site) }

// Leave records the return from the last call.
func (e *Engine) Leave() { e.m.tree.Leave() }

// Tree is the calling contexts of this PE.
func (e *Engine) Tree() *Tree { return &e.m.tree }

// Mark notes an access since the last barrier. It is made before the next
// barrier; no access may be missed, too many cost only elision. What a PE reads
// in memory that others put into counts as Local.
func (e *Engine) Mark(a Access) { e.m.summary = e.m.summary.Meet(a) }

// At says where the PE is, in terms of the transport and its messages.
func (e *Engine) At(site int) { e.site = site }

// Barrier is a barrier at site under the calls entered. If it elides the
// barrier it returns at once, without synchronisation; else all PEs have called
// it when it returns. An error is a *Misspeculation or one of the transport; the
// run cannot go on then. All PEs that still call the engine get it.
func (e *Engine) Barrier(site Site) error { return e.BarrierAt(e.m.tree.At(site)) }

// BarrierAt is a barrier in context c, which is one of the tree of this engine.
func (e *Engine) BarrierAt(c Context) error {
	_, err := e.BarrierIn(e.m.place(c))
	return err
}

// Place is where the barriers of context c are, for BarrierIn.
func (e *Engine) Place(c Context) Place { return e.m.place(c) }

// Barriers is how often this PE has come to a barrier at a place, and how often it has elided it.
func (e *Engine) Barriers(k Place) (all, elided uint64) {
	r := &e.m.records[k]
	return r.executed + r.elided, r.elided
}

// Remaining is how many private executions of barriers at a place are missing before this PE elides them when it has
// made no shared access; 0: it does so; math.MaxInt32: never. That changes only in a barrier at this place.
func (e *Engine) Remaining(k Place) int32 { return e.m.records[k].remaining }

// Unmet is what is Remaining of a context that is met first and of which no plan says anything.
func (e *Engine) Unmet() int32 {
	if e.m.online {
		return e.m.threshold
	}
	return rankNecessary
}

// Arrive begins a barrier at a place for a caller that takes the vote to the others itself: if it is not elided the
// caller replaces the vote by the minimum, and calls Conclude, with the error of the agreement. patience is that of Transport.Agree.
func (e *Engine) Arrive(k Place) (v *[Words]int64, patience time.Duration, elided bool) {
	if e.m.arrive(k, &e.vote) {
		return nil, 0, true
	}
	return (*[Words]int64)(&e.vote), e.patience(), false
}

// Met notes a barrier at a place at which all PEs have met, in the same context or not, with the global summary before it and
// the greatest of what their Remaining was, for a caller that has voted without Arrive. No PE broke consensus.
func (e *Engine) Met(k Place, before Access, rank int32, same bool) {
	e.m.arrive(k, &e.vote)
	e.vote.set(int64(before), e.m.records[k].hash, e.m.seq, int64(rank))
	if !same {
		e.vote.apart()
	}
	e.m.conclude(&e.vote)
}

// Program is the version of the program, as the options name it.
func (e *Engine) Program() string { return e.options.Program }

// BarrierIn is BarrierAt for a context whose place is known: what programs do whose
// contexts are known before they run. It reports whether all PEs have met.
func (e *Engine) BarrierIn(k Place) (executed bool, err error) {
	if e.m.arrive(k, &e.vote) {
		return false, nil
	}
	return true, e.agree()
}

// Collective is called before another collective operation of all PEs at site,
// one in which they wait for each other. It makes sure that none of them waits
// in a barrier instead: without elision it costs nothing, and once a context is
// elided an agreement. Other collectives need it too where a PE could wait for
// one that waits in a barrier.
func (e *Engine) Collective(site Site) error {
	if !e.m.armed {
		return e.failed
	}
	return e.Settle(site)
}

// Settle is a barrier that is always executed: when it returns, everything that
// was elided before was rightly so. A checkpoint is preceded by one.
func (e *Engine) Settle(site Site) error { return e.SettleAt(e.m.tree.At(site)) }

// SettleAt is Settle in context c.
func (e *Engine) SettleAt(c Context) error {
	e.m.arriveCollective(c, &e.vote)
	return e.agree()
}

// Synchronised notes that a collective has ended that orders all
// accesses of all PEs before it with those after: one of all PEs in which each
// waits for every other, such as an all-gather or all-reduce. The summary begins
// anew, so that a barrier right after it is redundant (Figure 7 of the paper).
// All PEs call it, and each has called Collective before the operation.
func (e *Engine) Synchronised() { e.m.synchronised() }

// Finish is the end of the program: every PE calls it last, however it ends.
// After it all speculation of the run is known to have been right.
func (e *Engine) Finish() error {
	e.m.arriveEnd(&e.vote)
	return e.agree()
}

// patience is how long this PE waits for the others.
func (e *Engine) patience() time.Duration {
	if e.vote[wordAccess] >= broken {
		return e.options.Patience
	}
	return 0
}

// agree takes e.vote to the others.
func (e *Engine) agree() error {
	if e.failed != nil {
		return e.failed
	}
	e.voting = true
	return e.Conclude(e.t.Agree(e.site, (*[Words]int64)(&e.vote), e.patience()))
}

// Conclude ends what Arrive has begun; err is the error of the agreement.
func (e *Engine) Conclude(err error) error {
	e.voting = true
	if err != nil {
		if errors.Is(err, ErrStalled) {
			err = e.stalled()
		}
		return e.fail(err)
	}
	if !e.m.conclude(&e.vote) {
		return e.fail(e.misspeculated(&e.vote))
	}
	e.voting = false
	return nil
}

// fail makes err the result of this and every later call: with summary R no
// barrier is elided any more, and agree does not go to the others again.
func (e *Engine) fail(err error) error {
	e.failed = err
	e.m.summary = Remote
	return err
}
