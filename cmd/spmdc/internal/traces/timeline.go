package traces

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"

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

// mostDrawn is how many events a page has: of more the longest. It is then some 3 MB.
const mostDrawn = 60_000

// pageData is what the script works with. A lane is ten numbers for each event: kind, id,
// began, took, depth, PE and index of the partner or -1, bytes, the other PE, number.
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
}

type pageName struct {
	Name  string `json:"name"`
	Lines string `json:"lines"`
}

// colours of kinds; regions have one by their number.
var colours = map[tracefile.Kind]string{
	tracefile.Put: "#3fa66b", tracefile.Get: "#6bbf59", tracefile.Ready: "#2f8f9d", tracefile.WaitReady: "#c77dca", tracefile.Arrival: "#e4572e",
	tracefile.Reduction: "#e9a23b", tracefile.Broadcast: "#d9c24a", tracefile.Barrier: "#d0585f", tracefile.Lock: "#a46a3f",
}

// Timeline writes the page.
func (t *Trace) Timeline(out io.Writer) error {
	s := t.Summarise()
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
			fmt.Fprintf(w, "<h2>%s</h2>\n<table><thead><tr><th scope=col class=path>what<th scope=col>line<th scope=col>count<th scope=col>total<th scope=col>self<th scope=col>blocked<th scope=col>imbalance</tr></thead>\n", title)
			for _, x := range list {
				fmt.Fprintf(w, "<tr><td class=path><button>%s</button><td>%s<td>%d<td>%s<td>%s<td>%s<td>%s</tr>\n", html.EscapeString(x.What), html.EscapeString(x.Lines), x.Count,
					tracefile.Duration(x.Total), tracefile.Duration(x.Self), tracefile.Duration(x.Blocked), html.EscapeString(x.imbalance(t.laneName)))
			}
			fmt.Fprint(w, "</table>\n")
		}
		table("Regions, times of each PE on average", s.Regions)
		table("Waits, times of each PE on average", s.Waits)
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
		`<button id="fold" aria-pressed="false">fold alike</button></div>`, "\n")
	fmt.Fprint(w, `<p>In the timeline: <kbd>←</kbd> <kbd>→</kbd> events of a PE, <kbd>↑</kbd> <kbd>↓</kbd> PEs, <kbd>Enter</kbd> the other end of a message, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom, `,
		`<kbd>Shift</kbd> and <kbd>←</kbd> <kbd>→</kbd> earlier and later, <kbd>n</kbd> <kbd>N</kbd> next and last found, <kbd>f</kbd> one lane for all PEs that are alike; drag, and turn the wheel with <kbd>Shift</kbd>.</p>`, "\n")
	fmt.Fprint(w, `<div id="timeline" tabindex="0" role="application" aria-roledescription="timeline" aria-label="What each PE did. Arrow keys go from event to event." aria-describedby="chosen"><canvas aria-hidden="true"></canvas></div>`, "\n")
	fmt.Fprint(w, `<div id="chosen" role="status" aria-live="polite">No event is chosen.</div>`, "\n<p class=key>")
	for k := tracefile.Put; k <= tracefile.Lock; k++ {
		fmt.Fprintf(w, `<b style="background:%s"></b>%s`, colours[k], k)
	}
	fmt.Fprint(w, "; regions are blue</p>\n")
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
	for k := tracefile.Region; k <= tracefile.ReadyPart; k++ {
		d.Kinds, d.Colours, d.Ends = append(d.Kinds, k.String()), append(d.Colours, colours[k]), append(d.Ends, k == tracefile.Arrival || k == tracefile.WaitReady)
	}
	for i := range t.Regions {
		d.Regions = append(d.Regions, pageName{t.Name(i), t.Lines(i)})
	}
	for i := range t.Sites {
		d.Sites = append(d.Sites, pageName{t.SiteName(i), t.SiteLine(i)})
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
	if len(all) > mostDrawn {
		slices.Sort(all)
		shortest = all[len(all)-mostDrawn] + 1 // of many that are as long none
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
		d.Names = append(d.Names, t.laneName(pe))
		lane := []int64{}
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
			lane = append(lane, int64(e.Kind), int64(e.ID), e.Began, e.Took, depth[i], ppe, at, e.Bytes, int64(e.Peer), int64(e.Number))
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
