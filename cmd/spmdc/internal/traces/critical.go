package traces

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sort"
	"text/tabwriter"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// The critical path goes back from the end of the PE that ends last. Where that PE waited for
// another one, the path goes on at the other: at the put or the ready message that ended the
// wait, or where the last PE came to a reduction or barrier, or the sender to a broadcast. So
// what lies on it is what the run would be shorter without, if nothing else were as long.
//
// Blame is the time of each wait, up to when the other PE did what ended it, on what that PE
// executed meanwhile; where that one waited too, on what was executed by the PE that it waited for.

// Critical is what lies on the path, and what is to blame for waits.
type Critical struct {
	Program string  `json:"program"`
	PEs     int     `json:"pes"`
	Length  float64 `json:"length"` // seconds of the path
	Waited  float64 `json:"waited"` // seconds of all waits of all PEs
	Jumps   int     `json:"jumps"`  // from PE to PE
	// WithoutReady is how long the run would take if no ready message had to be waited for;
	// nil: there is none, or it is not known.
	WithoutReady *float64 `json:"withoutReady,omitempty"`
	Notes        []string `json:"notes,omitempty"`
	Parts        []*Part  `json:"parts"`
	Steps        []Step   `json:"steps"` // of the path, from the beginning of the run

	WithSteps bool `json:"-"` // Text lists them too

	laneName func(pe int) string
}

// Part is a region, or the messages of a site.
type Part struct {
	What  string  `json:"what"`
	Lines string  `json:"lines"`
	Path  float64 `json:"path"`  // seconds on the path
	PE    int     `json:"pe"`    // the one on which most of these were
	Blame float64 `json:"blame"` // seconds that other PEs waited meanwhile
	// Without is how long the run would take if this took no time, of the mostReplayed parts
	// with most on the path that are no waits.
	Without *float64 `json:"without,omitempty"`

	path []float64 // by PE
}

// Step is a part of the path that lies on one PE, between two jumps.
type Step struct {
	PE int `json:"pe"`
	// From and To are seconds since the beginning of the run.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// What and Lines are the region, or the messages, that took most of it.
	What  string `json:"what"`
	Lines string `json:"lines"`
	// Wait is the end of a wait for the PE of the step before, with which this one begins;
	// "": it is the first.
	Wait string `json:"wait,omitempty"`
}

// piece is a time in which a PE executes nothing that is inside of an event.
type piece struct {
	from, to int64
	event    *tracefile.Event
	index    int // of the event
}

// pieces divides the time of a PE.
func (t *Trace) pieces(pe int) (list []piece) {
	var open []int
	var at int64
	until := func(now int64) {
		if n := len(open); n > 0 && now > at {
			list = append(list, piece{at, now, &t.PE[pe][open[n-1]], open[n-1]})
		}
		at = now
	}
	t.nested(pe, func(i int, now int64) {
		until(now)
		open = append(open, i)
	}, func(_ int, now int64) {
		until(now)
		open = open[:len(open)-1]
	})
	return list
}

// meeting is what all PEs do together.
type meeting struct {
	kind   tracefile.Kind
	site   int
	number uint64
}

// criticalPath is the work of finding it.
type criticalPath struct {
	*Trace
	pieces   [][]piece
	waits    [][]int // by PE: indices of events, in order
	meetings map[meeting]Place
	parts    map[[2]int]*Part // by kind and ID
}

// Critical finds the critical path, and what the run would take without parts of it.
func (t *Trace) Critical() *Critical {
	c, out := t.criticalPath()
	c.whatIf(out)
	return out
}

func (t *Trace) criticalPath() (*criticalPath, *Critical) {
	c := &criticalPath{Trace: t, meetings: map[meeting]Place{}, parts: map[[2]int]*Part{}}
	out := &Critical{Program: t.Program, PEs: t.PEs, Notes: t.Notes(), Parts: []*Part{}, Steps: []Step{}, laneName: t.laneName}
	pe, now := 0, int64(-1)
	for p, list := range t.PE {
		c.pieces = append(c.pieces, t.pieces(p))
		var waits []int
		for i, e := range list {
			if e.Kind.Blocks() {
				waits = append(waits, i)
			}
			if m := (meeting{e.Kind, e.ID, e.Number}); e.Kind.Collective() && (e.Kind != tracefile.Broadcast || e.Peer == p) {
				if last, ok := c.meetings[m]; !ok || t.PE[last.PE][last.Index].Began < e.Began {
					c.meetings[m] = Place{p, i}
				}
			}
			if end := e.Began + e.Took; end > now {
				pe, now = p, end
			}
		}
		c.waits = append(c.waits, waits)
	}
	for p, waits := range c.waits {
		for _, i := range waits {
			e := &t.PE[p][i]
			out.Waited += float64(e.Took) / 1e9
			if q, until, ok := c.waitedFor(p, i); ok {
				c.blame(q, e.Began, until, t.PEs)
			}
		}
	}
	// step adds a step of the path, which begins with the end of a wait from a time on; nil: it
	// begins with the PE.
	step := func(p int, from, to int64, wait *tracefile.Event) {
		took := map[*Part]float64{}
		began := from
		if wait != nil {
			took[c.part(wait)] += float64(wait.Began + wait.Took - from)
			began = wait.Began + wait.Took
		}
		c.during(p, began, to, func(x piece) { took[c.part(x.event)] += float64(x.to - x.from) })
		s := Step{PE: p, From: float64(from) / 1e9, To: float64(to) / 1e9}
		most := -1.0
		for x, ns := range took {
			x.Path += ns / 1e9
			if x.path == nil {
				x.path = make([]float64, t.PEs)
			}
			x.path[p] += ns / 1e9
			if ns > most || ns == most && x.What+x.Lines < s.What+s.Lines {
				most, s.What, s.Lines = ns, x.What, x.Lines
			}
		}
		if wait != nil {
			s.Wait = c.name(wait)
		}
		out.Steps = append(out.Steps, s)
	}
	end := now
	for p := pe; ; {
		// The last wait that had ended, and that was for another PE.
		list := t.PE[p]
		n := sort.Search(len(c.waits[p]), func(k int) bool { e := list[c.waits[p][k]]; return e.Began+e.Took > now })
		jumped := false
		for n--; n >= 0; n-- {
			e := &list[c.waits[p][n]]
			if q, until, ok := c.waitedFor(p, c.waits[p][n]); ok && until < now {
				step(p, until, now, e)
				p, now, jumped = q, until, true
				out.Jumps++
				break
			}
		}
		if !jumped {
			if len(list) > 0 {
				step(p, list[0].Began, now, nil)
				out.Length = float64(end-list[0].Began) / 1e9
			}
			break
		}
	}
	slices.Reverse(out.Steps)
	for _, x := range c.parts {
		for p, seconds := range x.path {
			if seconds > x.path[x.PE] {
				x.PE = p
			}
		}
		out.Parts = append(out.Parts, x)
	}
	slices.SortFunc(out.Parts, func(a, b *Part) int {
		return cmp.Or(cmp.Compare(b.Path, a.Path), cmp.Compare(b.Blame, a.Blame), cmp.Compare(a.What, b.What), cmp.Compare(a.Lines, b.Lines))
	})
	return c, out
}

// waitedFor is the PE that a PE waited for in an event, and until when at most; not ok: it did
// not wait, or what it waited for is not in the trace.
func (c *criticalPath) waitedFor(pe, i int) (q int, until int64, ok bool) {
	e := &c.PE[pe][i]
	from, ok := c.Partner[Place{pe, i}]
	if e.Kind.Collective() {
		from, ok = c.meetings[meeting{e.Kind, e.ID, e.Number}]
	}
	if !ok || from.PE == pe {
		return 0, 0, false
	}
	s := &c.PE[from.PE][from.Index]
	until = s.Began
	if !e.Kind.Collective() {
		until += s.Took
	}
	until = min(until, e.Began+e.Took)
	return from.PE, until, until > e.Began
}

// part is what a region, or a site with a kind of event, has got.
func (c *criticalPath) part(e *tracefile.Event) *Part {
	key := [2]int{int(e.Kind), e.ID}
	if c.parts[key] == nil {
		x := &Part{What: c.name(e), Lines: c.linesOf(e)}
		c.parts[key] = x
	}
	return c.parts[key]
}

// linesOf is the lines of an event.
func (t *Trace) linesOf(e *tracefile.Event) string {
	if e.Kind == tracefile.Region {
		return t.Lines(e.ID)
	}
	return t.SiteLine(e.ID)
}

// during calls f for what a PE executed in a time.
func (c *criticalPath) during(pe int, from, to int64, f func(piece)) {
	list := c.pieces[pe]
	n := sort.Search(len(list), func(k int) bool { return list[k].to > from })
	for ; n < len(list) && list[n].from < to; n++ {
		f(piece{max(from, list[n].from), min(to, list[n].to), list[n].event, list[n].index})
	}
}

// blame adds a time in which others waited for a PE to what is to blame. Waits for each other
// are followed through as many PEs as there are.
func (c *criticalPath) blame(pe int, from, to int64, depth int) {
	c.during(pe, from, to, func(p piece) {
		if p.event.Kind.Blocks() && depth > 0 {
			if q, until, ok := c.waitedFor(pe, p.index); ok && until > p.from {
				until = min(until, p.to)
				c.blame(q, p.from, until, depth-1)
				p.from = until
			}
		}
		if p.to > p.from {
			c.part(p.event).Blame += float64(p.to-p.from) / 1e9
		}
	})
}

// mostReplayed is the number of parts of which Critical says what the run would be without.
const mostReplayed = 20

// whatIf says how long the run would take without some parts.
func (c *criticalPath) whatIf(out *Critical) {
	r, ok := c.newReplay()
	if !ok {
		out.Notes = append(out.Notes, "waits of the trace are for each other: what the run would take without a part is not known")
		return
	}
	without := func(free func(e *tracefile.Event) bool) *float64 {
		took, ok := r.run(free)
		if !ok {
			return nil
		}
		seconds := max(0, out.Length+float64(took-r.measure)/1e9)
		return &seconds
	}
	ready := false
	keys := map[*Part][2]int{}
	for key, x := range c.parts {
		keys[x] = key
	}
	n := 0
	for _, x := range out.Parts {
		key := keys[x]
		kind := tracefile.Kind(key[0])
		ready = ready || kind == tracefile.WaitReady
		if kind.Blocks() || n == mostReplayed {
			continue
		}
		n++
		x.Without = without(func(e *tracefile.Event) bool { return e.Kind == kind && e.ID == key[1] })
	}
	if ready {
		out.WithoutReady = without(func(e *tracefile.Event) bool { return e.Kind == tracefile.WaitReady })
	}
}

// JSON writes it as an object of JSON.
func (c *Critical) JSON(w io.Writer) error {
	j := json.NewEncoder(w)
	j.SetIndent("", " ")
	return j.Encode(c)
}

// Text writes it as a table.
func (c *Critical) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s on %d PEs: the critical path takes %s, and goes %d times from PE to PE; all waits of all PEs take %s\n", c.Program, c.PEs, tracefile.Duration(c.Length), c.Jumps, tracefile.Duration(c.Waited))
	for _, n := range c.Notes {
		fmt.Fprintln(w, n)
	}
	if c.WithoutReady != nil {
		fmt.Fprintf(w, "without waits for ready messages the run would take %s\n", tracefile.Duration(*c.WithoutReady))
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\nline\ton the path\t%\tmost on\tothers waited\t% of waits\trun without\t  ")
	for _, x := range c.Parts {
		without, most := "", ""
		if x.Path > 0 {
			most = c.laneName(x.PE)
		}
		if x.Without != nil {
			without = tracefile.Duration(*x.Without)
		}
		fmt.Fprintf(tw, "%s\t%s\t%.1f\t%s\t%s\t%.1f\t%s\t  %s\n", x.Lines, tracefile.Duration(x.Path), 100*x.Path/max(c.Length, 1e-12), most, tracefile.Duration(x.Blame), 100*x.Blame/max(c.Waited, 1e-12), without, x.What)
	}
	if err := tw.Flush(); err != nil || !c.WithSteps {
		return err
	}
	fmt.Fprintln(w, "\nsteps of the path, each on one PE, and what took most of each")
	tw = tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "on\tfrom\tfor\tline\t  ")
	for _, s := range c.Steps {
		what := s.What
		if s.Wait != "" && s.Wait != s.What {
			what += ", after " + s.Wait
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t  %s\n", c.laneName(s.PE), tracefile.Duration(s.From), tracefile.Duration(s.To-s.From), s.Lines, what)
	}
	return tw.Flush()
}
