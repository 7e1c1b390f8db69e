package traces

import (
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// A replay computes how long the run would have taken if some of what PEs execute had taken no
// time: every PE executes what it did, in its order, and waits for the same messages and
// meetings, as long as it has to. What a wait took besides, once what it was for was there,
// stays.

// step is something that a PE does: it computes for a time, or sends, or waits.
type step struct {
	event  *tracefile.Event // the innermost around
	took   int64            // computing; of a wait what it took once what it was for was there
	sent   Place            // what is sent behind; PE -1: nothing
	wait   Place            // what is sent before; PE -1: nothing
	meets  bool             // all PEs are waited for
	id     meeting
	passes bool // of meets: it does not wait, as the sender of a broadcast
}

var nowhere = Place{PE: -1}

// replay is the steps of all PEs.
type replay struct {
	*criticalPath
	steps   [][]step
	sizes   map[meeting]int // PEs that take part
	measure int64           // how long a replay without changes takes
}

// newReplay prepares replays. ok: there is one without changes.
func (c *criticalPath) newReplay() (r *replay, ok bool) {
	r = &replay{criticalPath: c, sizes: map[meeting]int{}}
	for pe := range c.PE {
		r.steps = append(r.steps, r.stepsOf(pe))
	}
	r.measure, ok = r.run(func(*tracefile.Event) bool { return false })
	return r, ok
}

func (r *replay) stepsOf(pe int) (steps []step) {
	list := r.PE[pe]
	var open []int
	var last int64
	compute := func(now int64) {
		if n := len(open); n > 0 && now > last && !r.waits(pe, open[n-1]) {
			steps = append(steps, step{event: &list[open[n-1]], took: now - last, sent: nowhere, wait: nowhere})
		}
		last = now
	}
	r.nested(pe, func(i int, now int64) {
		compute(now)
		open = append(open, i)
		if !r.waits(pe, i) {
			return
		}
		e := &list[i]
		s := step{event: e, took: e.Took, sent: nowhere, wait: nowhere}
		var until int64
		if e.Kind.Collective() {
			s.meets, s.id = true, meeting{e.Kind, e.ID, e.Number}
			s.passes = e.Kind == tracefile.Broadcast && e.Peer == pe
			at := r.meetings[s.id]
			until = r.PE[at.PE][at.Index].Began
			r.sizes[s.id]++
		} else {
			s.wait = r.Partner[Place{pe, i}]
			from := &r.PE[s.wait.PE][s.wait.Index]
			until = from.Began + from.Took
		}
		if !s.passes {
			s.took = e.Began + e.Took - min(max(until, e.Began), e.Began+e.Took)
		}
		steps = append(steps, s)
	}, func(i int, now int64) {
		compute(now)
		open = open[:len(open)-1]
		switch e := &list[i]; e.Kind {
		case tracefile.Put, tracefile.PutPart, tracefile.Ready, tracefile.ReadyPart:
			steps = append(steps, step{event: e, sent: Place{pe, i}, wait: nowhere})
		}
	})
	return steps
}

// waits reports whether an event is a wait for something that is in the trace.
func (r *replay) waits(pe, i int) bool {
	e := &r.PE[pe][i]
	if e.Kind.Collective() {
		_, ok := r.meetings[meeting{e.Kind, e.ID, e.Number}]
		return ok
	}
	if e.Kind != tracefile.Arrival && e.Kind != tracefile.WaitReady {
		return false
	}
	_, ok := r.Partner[Place{pe, i}]
	return ok
}

// run is how long the run takes if what is free takes no time, and a free wait is none. Not ok:
// waits are for each other.
func (r *replay) run(free func(e *tracefile.Event) bool) (took int64, ok bool) {
	type met struct {
		came int
		root bool // the sender of a broadcast has come
		last int64
	}
	sent, meetings := map[Place]int64{}, map[meeting]*met{}
	next, now, came := make([]int, len(r.steps)), make([]int64, len(r.steps)), make([]bool, len(r.steps))
	for pe, list := range r.PE {
		if len(list) > 0 {
			now[pe] = list[0].Began
		}
	}
	begin := now[0]
	for _, at := range now {
		begin = min(begin, at)
	}
	// advance executes a step, unless it has to wait for another PE.
	advance := func(pe int, s *step) bool {
		at, isFree := &now[pe], free(s.event)
		switch {
		case s.meets:
			m := meetings[s.id]
			if m == nil {
				m = &met{}
				meetings[s.id] = m
			}
			if !came[pe] {
				came[pe] = true
				m.came++
				m.root = m.root || s.passes
				if s.passes || s.id.kind != tracefile.Broadcast {
					m.last = max(m.last, *at)
				}
			}
			if !s.passes {
				if s.id.kind == tracefile.Broadcast && !m.root || s.id.kind != tracefile.Broadcast && m.came < r.sizes[s.id] {
					return false
				}
				*at = max(*at, m.last)
			}
			came[pe] = false
		case s.wait.PE >= 0:
			if isFree {
				return true
			}
			arrives, done := sent[s.wait]
			if !done {
				return false
			}
			*at = max(*at, arrives)
		case s.sent.PE >= 0:
			sent[s.sent] = *at
			return true
		}
		if !isFree {
			*at += s.took
		}
		return true
	}
	for again := true; again; {
		again = false
		for pe, steps := range r.steps {
			for next[pe] < len(steps) && advance(pe, &steps[next[pe]]) {
				next[pe]++
				again = true
			}
		}
	}
	end := begin
	for pe, steps := range r.steps {
		if next[pe] < len(steps) {
			return 0, false
		}
		end = max(end, now[pe])
	}
	return end - begin, true
}
