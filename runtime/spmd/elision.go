package spmd

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
)

// Elision says what a run does with barriers that order nothing (see package
// elide): those of HPF programs under the plan barrier, and SYNC ALL.
type Elision struct {
	Mode      elide.Mode
	Threshold int         // private executions before a context is elided; 0: the default
	Relearn   int         // as in elide.Options
	Plan      *elide.Plan // what is elided from the start, and what never; may be nil
	Blacklist string      // file in which contexts that failed are kept, or ""
	Timed     bool        // measure the time in barriers

	forbidden elide.Plan // contexts that failed
}

// leavesOut reports whether barriers may be left out that are needed, which is found
// out later.
func (e *Elision) leavesOut() bool { return e != nil && e.Mode != elide.Audit }

// speculative is the misspeculation that ended a run; nil if something else did.
func speculative(err error) *elide.Misspeculation {
	var m *elide.Misspeculation
	if errors.As(err, &m) && m.Speculative() {
		return m
	}
	return nil
}

// elided is what a PE knows of the elision of its barriers.
type elided struct {
	names   *contexts
	spent   []time.Duration           // by site, in barriers that were executed; nil: not measured
	counted map[elide.Place][2]uint64 // barriers, and those left out, that are in the counters of sites
	watched bool                      // somebody sees what PE 0 prints at once
}

// contexts names the calls and barriers of a program: two calls are the same site
// if they stand at the same place of the source, whatever path leads there.
type contexts struct {
	labels []string // by elide.Site
	procs  []string // by elide.Site, the procedure that is called there, or ""
	paths  [][]elide.Site
}

// newContexts makes the calling context of each site of the program.
func newContexts(p *Program) *contexts {
	type place struct{ line, col int }
	x := &contexts{paths: make([][]elide.Site, len(p.Sites))}
	numbers := map[place]elide.Site{}
	columns := map[int]int{} // by line: places
	var places []place
	number := func(line, col int) elide.Site {
		at := place{line, col}
		n, ok := numbers[at]
		if !ok {
			n = elide.Site(len(places))
			numbers[at] = n
			places = append(places, at)
			x.procs = append(x.procs, "")
			columns[line]++
		}
		return n
	}
	for k, s := range p.Sites {
		for _, c := range p.Path(k) {
			n := number(c.Line, c.Col)
			x.procs[n] = c.Proc
			x.paths[k] = append(x.paths[k], n)
		}
		x.paths[k] = append(x.paths[k], number(s.Line, s.Col))
	}
	for _, at := range places {
		label := fmt.Sprintf("%s:%d", p.File, at.line)
		if columns[at.line] > 1 {
			label += fmt.Sprintf(":%d", at.col)
		}
		x.labels = append(x.labels, label)
	}
	return x
}

// outside is the path of a site that the program does not have.
var outside = []elide.Site{1 << 32}

func (x *contexts) path(site int) []elide.Site {
	if site < 0 || site >= len(x.paths) {
		return outside
	}
	return x.paths[site]
}

// named is all contexts of the program, as plans name them.
func (x *contexts) named() []elide.Path {
	list := []elide.Path{{x.label(outside[0])}}
	for _, path := range x.paths {
		var named elide.Path
		for _, s := range path {
			named = append(named, x.label(s))
		}
		list = append(list, named)
	}
	return list
}

func (x *contexts) label(s elide.Site) string {
	if int(s) >= len(x.labels) {
		return "program"
	}
	return x.labels[s]
}

// options are those of the engines; an error says why the plan does not fit.
func (p *Program) options(x *contexts) (elide.Options, error) {
	e := p.Elide
	o := elide.Options{
		Mode: e.Mode, Threshold: e.Threshold, Relearn: e.Relearn,
		Label: x.label, Program: p.Version,
	}
	pinned := map[elide.Site]bool{}
	for k, s := range p.Sites {
		if s.Pinned {
			path := x.path(k)
			pinned[path[len(path)-1]] = true
		}
	}
	if len(pinned) > 0 {
		o.Pinned = func(s elide.Site) bool { return pinned[s] }
	}
	plan := &elide.Plan{Program: p.Version}
	if e.Plan != nil {
		if err := e.Plan.For(p.Version); err != nil {
			return o, err
		}
		plan.Entries = append(plan.Entries, e.Plan.Entries...)
	}
	plan.Entries = append(plan.Entries, e.forbidden.Entries...)
	o.Plan = plan
	return o, nil
}

// begin makes the engine of a PE, with which all PEs begin together.
func (pe *PE) begin(x *contexts, o elide.Options) {
	var err error
	if pe.prog.process.machine != nil {
		o.Plan, err = pe.sharedPlan(o.Plan)
	}
	var e *elide.Engine
	if err == nil {
		e, err = elide.New(pe.t, o)
	}
	if err == nil {
		err = e.Start()
	}
	if err != nil {
		pe.Abort(-1, "%v", err)
	}
	pe.engine, pe.places = e, make([]elide.Place, len(pe.prog.Sites))
	pe.elided = &elided{names: x, counted: map[elide.Place][2]uint64{}, watched: pe.out.lines}
	if pe.prog.process.machine != nil {
		pe.elided.watched = pe.t.Broadcast(-1, 0, fromBool(pe.out.lines)) != 0
	}
	if pe.prog.Elide.Timed {
		pe.elided.spent = make([]time.Duration, len(pe.prog.Sites)+1)
	}
}

// sharedPlan is the plan of PE 0, whose process alone has read the files.
func (pe *PE) sharedPlan(own *elide.Plan) (*elide.Plan, error) {
	var text bytes.Buffer
	if pe.id == 0 {
		if err := own.Write(&text); err != nil {
			return nil, err
		}
	}
	return elide.ReadPlan("the plan of PE 0", bytes.NewReader(pe.t.Share(-1, 0, text.Bytes())))
}

// context is the calling context of a site.
func (pe *PE) context(site int) elide.Context {
	return pe.engine.Tree().Path(pe.elided.names.path(site))
}

// place is that of the barriers at a site.
func (pe *PE) place(site int) elide.Place {
	if site < 0 || site >= len(pe.places) {
		return pe.engine.Place(pe.context(site))
	}
	k := pe.places[site]
	if k == 0 {
		k = pe.engine.Place(pe.context(site))
		pe.places[site] = k
	}
	return k
}

// barrier is a barrier that may be elided.
func (pe *PE) barrier(site int) {
	e := pe.engine
	if pe.marks.touched != 0 {
		e.Mark(pe.TakeAccess())
	}
	e.At(site)
	var k elide.Place
	if uint(site) < uint(len(pe.places)) {
		k = pe.places[site]
	}
	if k == 0 || pe.elided.spent != nil {
		pe.slowBarrier(site)
		return
	}
	executed, err := e.BarrierIn(k)
	if err != nil || executed && pe.acks != nil {
		pe.passed(site, err)
	}
	if !executed && pe.elisions != nil {
		pe.elisions.Elided(site)
	}
}

// slowBarrier is barrier for a place that is met first, and with a clock.
func (pe *PE) slowBarrier(site int) {
	k, begin := pe.place(site), time.Now()
	executed, err := pe.engine.BarrierIn(k)
	if spent := pe.elided.spent; executed && spent != nil {
		if site < 0 || site >= len(spent) {
			site = len(spent) - 1
		}
		spent[site] += time.Since(begin)
	}
	switch {
	case executed:
		pe.passed(site, err)
	case pe.elisions != nil:
		pe.elisions.Elided(site)
	}
}

// passed is what follows a barrier that was executed.
func (pe *PE) passed(site int, err error) {
	if err != nil {
		pe.misspeculated(site, err)
	}
	pe.acks.met()
}

// countBarriers adds the barriers that the engine has counted, since the last call,
// to the counters of their sites; those of sites that are one context, to the first.
func (pe *PE) countBarriers() {
	for site, k := range pe.places {
		if k != 0 {
			all, elided := pe.engine.Barriers(k)
			before := pe.elided.counted[k]
			pe.counts[site].Calls += int64(all - before[0])
			pe.counts[site].Barriers += int64(elided - before[1])
			pe.elided.counted[k] = [2]uint64{all, elided}
		}
	}
}

// Settle is a barrier that is never elided: behind it all PEs know that every
// barrier elided before was rightly so.
func (pe *PE) Settle(site int) {
	if pe.engine == nil {
		pe.t.Barrier(site)
		pe.acks.met()
		return
	}
	pe.engine.At(site)
	pe.engine.Mark(pe.TakeAccess())
	if err := pe.engine.SettleAt(pe.context(site)); err != nil {
		pe.misspeculated(site, err)
	}
	pe.acks.met()
}

// synchronised tells that an operation has ordered all PEs completely.
func (pe *PE) synchronised() {
	if pe.engine != nil {
		pe.TakeAccess()
		pe.engine.Synchronised()
	}
}

// finish is the end of the program on this PE: all PEs come here, or one of them
// waits in a barrier that another has passed.
func (pe *PE) finish() {
	if pe.engine == nil {
		return
	}
	pe.engine.At(-1)
	pe.engine.Mark(pe.TakeAccess())
	if err := pe.engine.Finish(); err != nil {
		pe.misspeculated(-1, err)
	}
}

// misspeculated ends the run.
func (pe *PE) misspeculated(site int, err error) {
	var m *elide.Misspeculation
	if errors.As(err, &m) {
		pe.t.Abort(pe.prog.misspeculation(m, nil))
	}
	pe.t.Abort(pe.errorAt(site, err.Error()))
}

// standings are where those PEs of this process stood that have ended.
func standings(pes []*PE) (list []elide.Standing) {
	for _, pe := range pes {
		if pe == nil || pe.engine == nil || !pe.ended.Load() {
			continue
		}
		pe.engine.Mark(pe.TakeAccess())
		list = append(list, pe.engine.Standing())
	}
	return list
}

// autopsy finds out whether a failed run has failed because a barrier was elided
// that was needed.
func autopsy(p *Program, stood []elide.Standing, err error) error {
	var known *elide.Misspeculation
	if errors.As(err, &known) || len(stood) == 0 {
		return err
	}
	if m := elide.Autopsy(stood); m != nil {
		return p.misspeculation(m, err)
	}
	return err
}

// misspeculation is the error of a run that elided a barrier which was needed;
// cause is what ended it, if that was something else.
func (p *Program) misspeculation(m *elide.Misspeculation, cause error) *Error {
	m.Images = p.Coarray
	e := &Error{File: p.File, PE: -1, Msg: m.Error(), cause: m}
	if cause != nil {
		e.Msg += "\n  found because: " + cause.Error()
	}
	if !m.Speculative() {
		return e
	}
	if p.Elide.Blacklist == "" {
		e.Hint = "with --barriers-blacklist=FILE such contexts are remembered, and not elided again"
		return e
	}
	return e
}

// Forbid makes sure that a run of the same program does not elide again what m
// shows to be needed, and notes it in the blacklist, if there is one. It returns
// how many contexts are new: with none another run may fail in the same way.
func (p *Program) Forbid(m *elide.Misspeculation) (added int, err error) {
	e := p.Elide
	e.forbidden.Program = p.Version
	added = e.forbidden.Forbid(m.Blacklist(), m.Kind.String())
	if e.Blacklist == "" || added == 0 {
		return added, nil
	}
	return added, e.forbidden.WriteFile(e.Blacklist)
}

// logPart is what this PE has of the log of a run that has ended.
func (pe *PE) logPart() elide.Part {
	remarks := map[elide.Context]elide.Remark{}
	for site, k := range pe.places {
		if k == 0 {
			continue
		}
		c := pe.context(site)
		m := remarks[c]
		if m.Note == "" {
			m.Note = strings.TrimSpace(pe.prog.Sites[site].Kind + " " + pe.prog.Sites[site].Ref)
		}
		if spent := pe.elided.spent; spent != nil {
			m.Time += spent[site]
		}
		remarks[c] = m
	}
	return elide.NewPart(pe.engine, func(c elide.Context) elide.Remark { return remarks[c] })
}

// barriers is the log of a run that has ended. PE 0 is one of this process; others has the parts
// of those of other processes.
func barriers(pes []*PE, others map[int]elide.Part) *elide.Log {
	parts := make([]elide.Part, len(pes))
	for i, pe := range pes {
		if pe.engine != nil {
			parts[i] = pe.logPart()
		} else {
			parts[i] = others[i]
		}
	}
	l := pes[0].engine.Log(parts)
	x := pes[0].elided.names
	for n, proc := range x.procs {
		if proc != "" {
			l.Calls[x.labels[n]] = proc
		}
	}
	return l
}

// elidedElsewhere is what the process of PE 0 gets from others about barriers.
type elidedElsewhere struct {
	Failed *elide.Misspeculation // by which the run has ended there
	Stood  []elide.Standing      // of a run that has failed
	Parts  map[int]elide.Part    // of the log, by PE
}

// elidedHere is what this process has for PE 0; err is how the run has ended here.
func elidedHere(p *Program, pes []*PE, err error) string {
	if p.Elide == nil {
		return ""
	}
	var here elidedElsewhere
	if err != nil {
		errors.As(err, &here.Failed)
		here.Stood = standings(pes)
	} else if p.Elide.Timed {
		here.Parts = map[int]elide.Part{}
		for q, pe := range pes {
			if pe != nil {
				here.Parts[q] = pe.logPart()
			}
		}
	}
	return p.process.machine.Text(&here)
}

// add adds what another process has sent. Its misspeculation is the error of the run if there is no other.
func (e *elidedElsewhere) add(p *Program, text string) {
	if p.Elide == nil {
		return
	}
	var other elidedElsewhere
	p.process.machine.Value(text, &other)
	if e.Failed == nil {
		e.Failed = other.Failed
	}
	e.Stood = append(e.Stood, other.Stood...)
	for q, part := range other.Parts {
		e.Parts[q] = part
	}
}
