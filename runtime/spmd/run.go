package spmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/snapshot"
	"github.com/spmdc/spmdc/runtime/transport"
)

// PE is a processing element, as the program that runs on it sees itself.
// Its methods are called by the goroutine of that PE only.
type PE struct {
	t     transport.Transport
	id, n int
	prog  *Program

	next        []int               // PEs that PipeSend puts to
	counts      []Counts            // per site; the last entry is for site -1
	out         *output             // shared; used by PE 0
	random      random              // used by PE 0, and by images
	reading     *readStatement      // the READ that further calls go on with
	goesOn      bool                // the next call that reads is not the last of its statement
	files       Files               // of PE 0, of every image; nil: the program has none
	from        *int                // the unit of the next READ; nil: standard input
	with        Transfer            // of the next READ or WRITE on a unit
	variables   []groupVariable     // of the NAMELIST group that is read next
	recordsOf   int                 // how long the records are that the next READ of a string takes it for, or 0
	outcome     outcome             // of the last statement that keeps its errors
	record      []byte              // of an image: what it has written of a record
	rests       map[int][]byte      // by unit: what a WRITE with ADVANCE='NO' has left of its record behind its position
	in          *input              // shared; used by PE 0
	stops       *stops              // shared; where STOP is noted
	axes        []dist.Triplet      // see Box
	orders      *orders             // in check builds
	observed    transport.Transport // see Observed
	elisions    elisions            // observed, nil if barriers that are left out do not matter
	images      *images             // in a program with coarrays
	messageTime float64             // see latency; 0: not measured yet
	arrays      int                 // large ones so far, see stagger
	shared      *shared             // nil: it has everything itself
	layouts     int                 // layouts so far
	terms       terms               // reductions that travel together
	acks        *acks               // what communications with ready messages on demand look up
	marks       marks               // what it did since the last barrier
	engine      *elide.Engine       // nil: all barriers are executed
	places      []elide.Place       // by site, those of its barriers; 0: not met yet
	elided      *elided             // with the engine
	ended       atomic.Bool         // of a run with elision: it has returned, and others may look
	// A test failed that fails on all PEs.
	together bool
	meeting  *atomic.Int64 // the site, plus 1, of the checkpoint whose other PEs it waits for; for deadlock

	state    []saved          // what a checkpoint holds, see keep
	resuming *snapshot.Reader // of the checkpoint to go on from: the variables

	// The reductions of COMPLEX scalars.
	single onePair[complex64]
	double onePair[complex128]
}

// ID is the number of this PE, from 0.
func (pe *PE) ID() int { return pe.id }

// N is the number of PEs.
func (pe *PE) N() int { return pe.n }

// Grid is the shape of a PROCESSORS arrangement on the PEs that there are: the
// declared one if it fits, else one of the same rank that does (dist.Fit).
func (pe *PE) Grid(declared ...int) dist.Grid { return dist.Fit(declared, pe.n) }

// Start ends the construction of arrays and communications. Each PE calls it
// once, before the first communication.
func (pe *PE) Start() {
	pe.askedFor()
	if pe.prog.Coarray {
		pe.images = newImages(pe)
	}
	pe.t.Start()
}

// Barrier returns when every PE has called it, unless the run elides it.
func (pe *PE) Barrier(site int) {
	if pe.engine != nil {
		pe.barrier(site) // the engine counts
		return
	}
	c := pe.count(site)
	c.Calls++
	pe.t.Barrier(site)
	pe.acks.met()
}

// Run runs body on np PEs. Standard output is complete when it returns, also
// with an error: *Error for a fault of the program, *StopError for a STOP that
// has a code or a message.
func Run(p Program, np int, stdin io.Reader, stdout io.Writer, body func(*PE)) (*Stats, error) {
	if np < 1 {
		return nil, fmt.Errorf("%s: %d processing elements: at least 1 is needed", p.Name, np)
	}
	out := p.process.output(stdout)
	if p.stderr != nil && p.process.rank == 0 {
		out.errors = p.stderr
	}
	in := newInput(stdin, out)
	ended := &stops{by: make([]*StopError, np)}
	calls := make([]atomic.Int64, np)
	if p.keeper != nil && p.process.rank == 0 {
		var err error
		if in, err = p.keeper.open(stdin, out); err != nil {
			return nil, err
		}
	}
	if out.others != nil {
		end := make(chan struct{})
		defer close(end)
		go out.collect(end)
	}
	// What is printed behind an elided barrier may be wrong. Images print in any order,
	// so that what comes behind a checkpoint cannot be told from what comes again.
	out.hold = p.process.rank == 0 && (p.Elide.leavesOut() || p.keeper != nil && p.Coarray)
	pes := make([]*PE, np)
	tables := &shared{pieces: map[pieces][]Dim{}}
	// What check builds follow is messages of which all PEs know when they come. Where there are
	// several processes each PE has a ledger.
	var ledgers []*check.Ledger
	monitored := p.Check && !p.Coarray
	switch {
	case !monitored:
	case p.process.machine != nil:
		ledgers = make([]*check.Ledger, np)
	default:
		ledgers = slices.Repeat([]*check.Ledger{check.NewLedger(np)}, np)
		if p.Trace != nil {
			ledgers[0].Trace()
		}
	}
	var names *contexts
	var options elide.Options
	if p.Elide != nil {
		names = newContexts(&p)
		var err error
		if options, err = p.options(names); err != nil {
			return nil, &Error{File: p.File, PE: -1, Msg: err.Error()}
		}
	}
	err := p.process.run(np, func(waits []transport.Wait) error { return deadlock(&p, atCheckpoints(waits, calls)) }, func(t transport.Transport) {
		pe := &PE{
			t: t, id: t.PE(), n: np, prog: &p, out: out, in: in, stops: ended, meeting: &calls[t.PE()], shared: tables,
			// The unused capacity keeps the counters of PEs off each
			// other's cache lines.
			counts: make([]Counts, len(p.Sites)+1, len(p.Sites)+4),
			axes:   make([]dist.Triplet, 0, transport.MaxRank),
		}
		if p.carrier != nil {
			pe.t = p.carrier(t)
		}
		if monitored {
			if ledgers[pe.id] == nil {
				ledgers[pe.id] = check.NewLedger(np)
			}
			monitor := ledgers[pe.id].Monitor(pe.t, p.Mute...)
			pe.t = monitor
			pe.orders = &orders{Monitor: monitor, first: map[transport.Memory]*check.Slot{}, holds: p.Holds, lates: p.Lates}
		}
		defer p.observe(pe)()
		if p.NewFiles != nil && (p.Coarray || pe.id == 0) {
			pe.files = p.NewFiles()
		}
		pes[pe.id] = pe
		if p.Elide != nil {
			defer func() { pe.ended.Store(true) }()
		}
		defer pe.endOutput()
		defer pe.recover()
		if p.Elide != nil {
			pe.begin(names, options)
		}
		body(pe)
		if l, ok := pe.t.(transport.Locker); ok && p.Coarray {
			l.Finish()
		}
		pe.finish()
	})
	// From here on a PE that an abort left behind can no longer write.
	if p.process.machine == nil {
		out.end()
	}
	err = endFiles(&p, pes, err)
	if err == nil && monitored {
		err = audit(&p, ledgers)
	}
	if err != nil {
		err = located(&p, err)
	}
	elsewhere := elidedElsewhere{Parts: map[int]elide.Part{}}
	if p.process.machine != nil {
		if err = p.process.conclude(&p, out, pes, ended, &elsewhere, err); p.process.rank != 0 {
			return nil, nil
		}
	}
	if err != nil && p.Elide != nil {
		err = autopsy(&p, append(standings(pes), elsewhere.Stood...), err)
		if p.Elide.leavesOut() && speculative(err) != nil {
			out.drop()
		}
	}
	if err != nil && p.Coarray && !(p.Elide.leavesOut() && speculative(err) != nil) {
		err = ended.before(err)
	}
	werr := out.close()
	if p.keeper != nil {
		p.keeper.shown = out.written()
	}
	if err != nil {
		return nil, err
	}
	stats := &Stats{Sites: p.Sites, Files: p.Files, file: p.File}
	for _, pe := range pes {
		pe.countBarriers()
		stats.PEs = append(stats.PEs, pe.counts)
		if pe.orders != nil {
			stats.Held += pe.orders.held
		}
	}
	if p.Elide != nil {
		stats.pes, stats.others = pes, elsewhere.Parts
	}
	if werr != nil {
		return stats, &Error{File: p.File, PE: -1, Msg: "cannot write standard output: " + werr.Error()}
	}
	if stop := ended.all(p.Coarray); stop != nil {
		return stats, stop
	}
	return stats, nil
}

// endOutput writes what PE pe has of records that have not ended.
func (pe *PE) endOutput() {
	for _, unit := range slices.Sorted(maps.Keys(pe.rests)) {
		pe.writeRest(unit)
	}
	pe.endRecord()
}

// endFiles closes the files of all PEs; err is how the run has ended.
func endFiles(p *Program, pes []*PE, err error) error {
	for _, pe := range pes {
		if pe == nil || pe.files == nil {
			continue
		}
		if ferr := pe.files.End(); ferr != nil && err == nil {
			err = &Error{File: p.File, PE: -1, Msg: ferr.Error()}
		}
	}
	return err
}

// audit is what a check build finds when all PEs have ended.
func audit(p *Program, ledgers []*check.Ledger) error {
	var terr error
	if p.Trace != nil {
		if terr = ledgers[0].WriteTrace(p.Trace); terr != nil {
			terr = &Error{File: p.File, PE: -1, Msg: "cannot write the trace: " + terr.Error()}
		}
	}
	ledgers = slices.DeleteFunc(slices.Compact(ledgers), func(l *check.Ledger) bool { return l == nil })
	for _, l := range ledgers {
		if v := l.Fault(); v != nil {
			return v
		}
	}
	var all []error
	for _, l := range ledgers {
		for _, v := range l.Strays() {
			if len(all) < mostErrors {
				all = append(all, p.violation(v))
			}
		}
	}
	if len(all) > 0 {
		return errors.Join(all...)
	}
	return terr
}

// mostErrors is how many errors of one run are shown.
const mostErrors = 10

// Abort ends the whole run with an error at a site and does not return.
func (pe *PE) Abort(site int, format string, args ...any) {
	pe.t.Abort(pe.errorAt(site, fmt.Sprintf(format, args...)))
}

// internal aborts because the plan or the library is wrong, not the program.
func (pe *PE) internal(site int, format string, args ...any) {
	e := pe.errorAt(site, "internal error: "+fmt.Sprintf(format, args...))
	e.Hint = "this is a defect of the compiler or of its run-time library; please report it"
	pe.t.Abort(e)
}

// errorAt is an error of this PE at a site.
func (pe *PE) errorAt(site int, msg string) *Error {
	return pe.prog.errorAt(site, pe.id, msg)
}

func (p *Program) errorAt(site, pe int, msg string) *Error {
	e := &Error{File: p.File, PE: pe, Images: p.Coarray, Msg: msg}
	if site >= 0 && site < len(p.Sites) {
		e.File, e.Line = p.Place(p.Sites[site].Line)
	}
	return e
}

// located gives errors of the transport a source line.
func located(p *Program, err error) error {
	at := func(pe, site int, msg string) *Error {
		e := &Error{File: p.File, PE: pe, Images: p.Coarray, Msg: msg}
		if site >= 0 && site < len(p.Sites) {
			e.File, e.Line = p.Place(p.Sites[site].Line)
			if ref := p.Sites[site].Ref; ref != "" {
				e.Msg += " (" + ref + ")"
			}
		}
		return e
	}
	var over *transport.Overrun
	var lost *transport.Lost
	var div *transport.Diverged
	var bad *check.Violation
	var ways *check.Divergence
	switch {
	case errors.As(err, &bad):
		return p.violation(bad)
	case errors.As(err, &ways):
		return p.divergence(ways)
	case errors.As(err, &lost):
		if lost.Site < 0 {
			return &Error{File: p.File, PE: lost.PE, Images: p.Coarray, Msg: lost.Error()}
		}
		return at(lost.PE, lost.Site, lost.Error())
	case errors.As(err, &over):
		return at(over.PE, over.Site, over.Error())
	case errors.As(err, &div):
		return at(div.PE, div.Site, fmt.Sprintf("internal error: control diverged: PE %d is at %s", div.Other, place(p, div.OtherSite)))
	}
	return err
}
