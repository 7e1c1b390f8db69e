package traces

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/page"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// The page has a lane for each PE, in which regions lie below those around them, and lines
// from what sends a message to the wait for it; and the sums of the summary as tables. Its
// script draws what is in view. All texts of the source go through the escapes of HTML, or, in
// the data of the script, of JSON, in which there is no < or &.

//go:embed page/page.css
var timelineStyle string

//go:embed page/page.js
var timelineScript string

const timelineKind = "timeline"

// TimelineBegins is how such a page begins.
var TimelineBegins = page.Begin(timelineKind)

// How many events a page has: of more the longest; and how many iterations. It is then less than
// 3 MB.
const (
	mostDrawn  = 50_000
	mostListed = 2000
)

// pageData is what the script works with. A lane is ten numbers for each event: kind, id, how long
// after the event before it began, how long it took, depth, PE and index of the partner or -1, bytes,
// the other PE, number.
type pageData struct {
	Names   []string   `json:"names"` // of lanes
	Alike   []int      `json:"alike"` // by lane: the first one that is like it
	View    string     `json:"view"`  // where the events of other times are, "": there are no others
	From    int64      `json:"from"`
	To      int64      `json:"to"`
	Kinds   []string   `json:"kinds"`
	Colours []string   `json:"colours"`
	Ends    []bool     `json:"ends"` // by kind: waits for a message
	Regions []pageName `json:"regions"`
	Sites   []pageName `json:"sites"`
	Lanes   [][]int64  `json:"lanes"`
	PEs     []int      `json:"pes"`   // numbers of the lanes
	Hosts   []int      `json:"hosts"` // by lane: the first PE on the host; null: all are on one
	// Flows are what the lanes have not; null: the lanes have all messages.
	Flows  []int64 `json:"flows"`
	Partly bool    `json:"partly"` // they are of some messages only
	// Phases are four numbers for each iteration: its number, when it began, what it took, the
	// region of its loop. One in Stride is there; in all there were Iterations.
	Phases     []int64 `json:"phases"`
	Stride     int64   `json:"stride"`
	Iterations int64   `json:"iterations"`
	// Path is the critical path: for each step the lane, and from when to when.
	Path []int64 `json:"path"`
}

// phaseList is iterations as a page has them.
func phaseList(list []tracefile.Event) []int64 {
	out := make([]int64, 0, 4*len(list))
	for _, e := range list {
		out = append(out, int64(e.Number), e.Began, e.Took, int64(e.ID))
	}
	return out
}

// nearest is the index of the iteration whose number is nearest.
func nearest(list []tracefile.Event, number int64) int {
	at := sort.Search(len(list), func(i int) bool { return int64(list[i].Number) >= number })
	if at == len(list) || at > 0 && number-int64(list[at-1].Number) < int64(list[at].Number)-number {
		at--
	}
	return at
}

type pageName struct {
	Name  string `json:"name"`
	Lines string `json:"lines"`
	// Of a site: ready messages that were left out, and that were sent.
	Elided int64 `json:"elided,omitempty"`
	Ready  int64 `json:"ready,omitempty"`
}

// colours of kinds; regions have one by their number.
var colours = map[tracefile.Kind]string{
	tracefile.Put: "#3fa66b", tracefile.Get: "#6bbf59", tracefile.Ready: "#2f8f9d", tracefile.WaitReady: "#c77dca", tracefile.Arrival: "#e4572e",
	tracefile.Reduction: "#e9a23b", tracefile.Broadcast: "#d9c24a", tracefile.Barrier: "#d0585f", tracefile.Lock: "#a46a3f", tracefile.Elided: "#8a8f98",
}

// Timeline writes the page.
func (t *Trace) Timeline(out io.Writer) error {
	s := t.Summarise()
	_, path := t.criticalPath()
	for _, x := range path.Steps {
		t.steps = append(t.steps, int64(x.PE), int64(math.Round(x.From*1e9)), int64(math.Round(x.To*1e9)))
	}
	return t.page(out, "Timeline of "+t.Program, func(w io.Writer) {
		fmt.Fprintf(w, "<p>%d PEs, %s, %d events</p>\n", t.PEs, tracefile.Duration(t.Seconds), s.Events)
		for _, n := range s.Notes {
			fmt.Fprintf(w, "<p>%s</p>\n", html.EscapeString(n))
		}
	}, func(w io.Writer) {
		table := func(title string, list []*Sum) {
			if len(list) == 0 {
				return
			}
			fmt.Fprintf(w, "<h2>%s</h2>\n<div class=wide><table><thead><tr><th scope=col class=path>what<th scope=col>line<th scope=col>count<th scope=col>total<th scope=col>self<th scope=col>blocked<th scope=col>imbalance</tr></thead>\n", title)
			for _, x := range list {
				fmt.Fprintf(w, "<tr><td class=path><button>%s</button><td>%s<td>%d<td>%s<td>%s<td>%s<td>%s</tr>\n", html.EscapeString(x.What), html.EscapeString(x.Lines), x.Count,
					tracefile.Duration(x.Total), tracefile.Duration(x.Self), tracefile.Duration(x.Blocked), html.EscapeString(x.imbalance(t.laneName)))
			}
			fmt.Fprint(w, "</table></div>\n")
		}
		table("Regions: counts of all PEs, times of each PE on average", s.Regions)
		table("Waits, and what was elided: counts of all PEs, times of each PE on average", s.Waits)
	})
}

// page writes a page with the lanes of all PEs, head above them and tables below.
func (t *Trace) page(out io.Writer, title string, head, tables func(io.Writer)) error {
	w := bufio.NewWriter(out)
	d, shortest := t.pageData()
	d.Alike = t.alike()
	page.Head(w, timelineKind, title, timelineStyle)
	fmt.Fprintf(w, "<h1>%s</h1>\n", html.EscapeString(title))
	head(w)
	if shortest > 0 {
		fmt.Fprintf(w, "<p>Only the longest events are drawn, which take %s and more; the tables have all.</p>\n", tracefile.Duration(float64(shortest)/1e9))
	}
	if t.view != "" {
		fmt.Fprintf(w, "<p id=note role=status>%s</p>\n", html.EscapeString(t.note))
	}
	fmt.Fprint(w, `<div id="tools" role="toolbar" aria-label="View"><button id="in">zoom in</button><button id="out">zoom out</button><button id="all">all</button>`,
		`<button id="before">earlier</button><button id="behind">later</button><label>find <input id="search" type="search" placeholder="name, or line 12"></label><button id="next">next</button><output id="found"></output>`,
		`<label>PEs <input id="pes" size="8" placeholder="0-3, 7"></label><button id="fold" aria-pressed="false">fold alike</button>`)
	if len(t.Phases) > 0 {
		fmt.Fprint(w, `<label>iteration <input id="iteration" type="number" min="1"></label><output id="phase"></output>`)
	}
	if t.steps != nil {
		fmt.Fprint(w, `<button id="path" aria-pressed="false">critical path</button>`)
	}
	fmt.Fprint(w, "</div>\n")
	fmt.Fprint(w, `<p>In the timeline: <kbd>←</kbd> <kbd>→</kbd> events of a PE, <kbd>↑</kbd> <kbd>↓</kbd> PEs, <kbd>Enter</kbd> the other end of a message, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom, `,
		`<kbd>Shift</kbd> and <kbd>←</kbd> <kbd>→</kbd> earlier and later, <kbd>n</kbd> <kbd>N</kbd> next and previous found, <kbd>f</kbd> one lane for all PEs that are alike, <kbd>i</kbd> <kbd>I</kbd> next and previous iteration, <kbd>c</kbd> critical path; drag, and turn the wheel with <kbd>Shift</kbd>.</p>`, "\n")
	fmt.Fprint(w, `<div id="timeline" tabindex="0" role="application" aria-roledescription="timeline" aria-label="What each PE did. Arrow keys go from event to event." aria-describedby="chosen"><canvas aria-hidden="true"></canvas></div>`, "\n")
	fmt.Fprint(w, `<div id="hint" aria-hidden="true" hidden></div><div id="chosen" role="status" aria-live="polite">No event is chosen.</div>`, "\n<p class=key>")
	for k := range tracefile.Kinds {
		if colours[k] != "" {
			fmt.Fprintf(w, `<span><b style="background:%s"></b>%s</span> `, colours[k], k)
		}
	}
	fmt.Fprint(w, "<span>regions are blue or violet</span></p>\n")
	fmt.Fprint(w, `<section id="communication" aria-labelledby="communicated"><h2 id="communicated">Messages between PEs, of the time in view</h2>`,
		`<div role="radiogroup" aria-label="Measure"><label><input type="radio" name="measure" value="messages" checked> messages</label> <label><input type="radio" name="measure" value="bytes"> bytes</label></div>`,
		`<p id="flows" role="status"></p><div class=pair><svg id="circle" role="img" aria-label="Messages between PEs as chords of a circle; the table has the same." viewBox="-260 -260 520 520"></svg><div id="matrix"></div></div></section>`, "\n")
	tables(w)
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "<script type=\"application/json\" id=\"data\">%s</script>\n<script>\n%s</script>\n", text, timelineScript)
	page.End(w)
	return w.Flush()
}

// pageData is the events of the page. If it does not have all it has those that took shortest
// or longer.
func (t *Trace) pageData() (d *pageData, shortest int64) {
	d = &pageData{Names: []string{}, Kinds: []string{}, Regions: []pageName{}, Sites: []pageName{}, Lanes: [][]int64{}}
	for k := range tracefile.Kinds {
		d.Kinds, d.Colours, d.Ends = append(d.Kinds, k.String()), append(d.Colours, colours[k]), append(d.Ends, k == tracefile.Arrival || k == tracefile.WaitReady)
	}
	for i := range t.Regions {
		d.Regions = append(d.Regions, pageName{Name: t.Name(i), Lines: t.Lines(i)})
	}
	for i := range t.Sites {
		x := pageName{Name: t.SiteName(i), Lines: t.SiteLine(i), Elided: t.Sites[i].Elided()}
		for _, c := range t.Sites[i].Counts {
			x.Ready += c.Ready
		}
		d.Sites = append(d.Sites, x)
	}
	var all []int64
	for _, list := range t.PE {
		for _, e := range list {
			if len(all) == 0 || e.Began < d.From {
				d.From = e.Began
			}
			d.To = max(d.To, e.Began+e.Took)
			all = append(all, e.Took)
		}
	}
	if t.span != nil {
		d.From, d.To = t.span[0], t.span[1]
	}
	d.To, d.View = max(d.To, d.From+1), t.view
	d.Iterations, d.Stride, d.Hosts, d.Path = t.File.Iterations, 1, t.Hosts, t.steps
	d.Phases = phaseList(some(t.Phases, mostListed))
	if len(t.Phases) > 1 {
		d.Stride = int64(t.Phases[1].Number - t.Phases[0].Number)
	}
	if len(all) > mostDrawn {
		slices.Sort(all)
		shortest = all[len(all)-mostDrawn] + 1 // of many that are as long none
		d.Flows = t.communication(d.From, d.To).list()
	}
	if t.flows != nil {
		d.Flows, d.Partly = t.flows.list(), t.partly
	}
	index := map[Place]int64{}
	for pe, list := range t.PE {
		for i, n := 0, int64(0); i < len(list); i++ {
			if list[i].Took >= shortest {
				index[Place{pe, i}] = n
				n++
			}
		}
	}
	for pe, list := range t.PE {
		d.Names, d.PEs = append(d.Names, t.laneName(pe)), append(d.PEs, t.number(pe))
		lane, last := []int64{}, d.From
		depth := make([]int64, len(list))
		t.walk(pe, func(i, around int) {
			e := &list[i]
			if around >= 0 {
				depth[i] = depth[around] + 1
			}
			if e.Took < shortest {
				return
			}
			ppe, at := int64(-1), int64(-1)
			if p, ok := t.Partner[Place{pe, i}]; ok {
				if n, ok := index[p]; ok {
					ppe, at = int64(p.PE), n
				}
			}
			lane = append(lane, int64(e.Kind), int64(e.ID), e.Began-last, e.Took, depth[i], ppe, at, e.Bytes, int64(e.Peer), int64(e.Number))
			last = e.Began
		})
		d.Lanes = append(d.Lanes, lane)
	}
	return d, shortest
}

// likeness is by how much of the time of the run two PEs that are alike differ at most.
const likeness = 0.1

// alike is for each PE the first one that spends its time alike: on each region, on the messages of
// each site, and on all waits, so long that all differences are a tenth of the run at most. What
// a PE waits for first is often chance.
func (t *Trace) alike() []int {
	type what struct {
		kind tracefile.Kind
		id   int
	}
	of := func(e *tracefile.Event) what {
		if e.Kind.Blocks() {
			return what{tracefile.Arrival, 0}
		}
		return what{e.Kind, e.ID}
	}
	var firsts []int
	list, self := make([]int, len(t.PE)), make([]map[what]int64, len(t.PE))
	var longest int64
	for pe, events := range t.PE {
		self[pe] = map[what]int64{}
		t.walk(pe, func(i, around int) {
			e := &events[i]
			self[pe][of(e)] += e.Took
			if around >= 0 {
				self[pe][of(&events[around])] -= e.Took
			}
			longest = max(longest, e.Took)
		})
	}
	differ := func(a, b map[what]int64) (sum int64) {
		for k, x := range a {
			sum += max(x-b[k], b[k]-x)
		}
		for k, x := range b {
			if _, both := a[k]; !both {
				sum += x
			}
		}
		return sum
	}
	for pe := range t.PE {
		at := slices.IndexFunc(firsts, func(first int) bool {
			return t.lanes == nil && float64(differ(self[first], self[pe])) <= likeness*float64(longest)
		})
		if at < 0 {
			at, firsts = len(firsts), append(firsts, pe)
		}
		list[pe] = firsts[at]
	}
	return list
}
