package traces

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// Comparison is two runs side by side.
type Comparison struct {
	Runs  [2]Run        `json:"runs"`
	Lines []*Difference `json:"lines"` // those that differ most first
	both  *Trace
}

// Run is what is known of one of the runs.
type Run struct {
	Name    string   `json:"name"`
	Program string   `json:"program"`
	PEs     int      `json:"pes"`
	Seconds float64  `json:"seconds"`
	Events  int      `json:"events"`
	Notes   []string `json:"notes,omitempty"`
}

// Difference is a region, or an activity of a site, in both runs.
type Difference struct {
	What  string     `json:"what"`
	Lines string     `json:"lines"`
	Count [2]int     `json:"count"` // of all PEs
	Self  [2]float64 `json:"self"`  // seconds of a PE on average, without regions and messages inside
}

// more is how many seconds the second run took longer.
func (d *Difference) more() float64 { return d.Self[1] - d.Self[0] }

// Compare compares two traces, which have names.
func Compare(a, b *Trace, names [2]string) *Comparison {
	for i := range names {
		names[i] = source.Printable(names[i])
	}
	c := &Comparison{Lines: []*Difference{}, both: beside(a, b, names)}
	known := map[[2]string]*Difference{}
	for run, t := range []*Trace{a, b} {
		r := &c.Runs[run]
		*r = Run{Name: names[run], Program: t.Program, PEs: t.PEs, Seconds: t.Seconds, Notes: t.Notes()}
		of := func(e *tracefile.Event) *Difference {
			key := [2]string{t.name(e), t.linesOf(e)}
			if known[key] == nil {
				known[key] = &Difference{What: key[0], Lines: key[1]}
				c.Lines = append(c.Lines, known[key])
			}
			return known[key]
		}
		for pe, list := range t.PE {
			r.Events += len(list)
			t.walk(pe, func(i, around int) {
				e := &list[i]
				seconds := float64(e.Took) / 1e9 / float64(t.PEs)
				d := of(e)
				d.Count[run]++
				d.Self[run] += seconds
				if around >= 0 {
					of(&list[around]).Self[run] -= seconds
				}
			})
		}
	}
	slices.SortFunc(c.Lines, func(x, y *Difference) int {
		return cmp.Or(cmp.Compare(math.Abs(y.more()), math.Abs(x.more())), cmp.Compare(x.What, y.What), cmp.Compare(x.Lines, y.Lines))
	})
	return c
}

// beside is a trace with the PEs of both runs. Regions and sites that look the same are one.
func beside(a, b *Trace, names [2]string) *Trace {
	d := a.Definitions
	d.Program, d.PEs, d.Seconds = names[0]+" and "+names[1], a.PEs+b.PEs, max(a.Seconds, b.Seconds)
	d.Regions, d.Sites = slices.Clone(a.Regions), slices.Clone(a.Sites)
	d.Hosts, d.Iterations = nil, 0
	d.Kept = slices.Concat(a.Kept, b.Kept)
	t := &Trace{File: &tracefile.File{Definitions: d}}
	regions, sites := make([]int, len(b.Regions)), make([]int, len(b.Sites))
	for i, r := range b.Regions {
		if r.Parent >= 0 {
			r.Parent = regions[r.Parent]
		}
		if regions[i] = slices.Index(t.Regions, r); regions[i] < 0 {
			regions[i] = len(t.Regions)
			t.Regions = append(t.Regions, r)
		}
	}
	for i, s := range b.Sites {
		same := func(x tracefile.SiteDef) bool {
			return x.File == s.File && x.Line == s.Line && x.Kind == s.Kind && x.Reference == s.Reference
		}
		if sites[i] = slices.IndexFunc(t.Sites, same); sites[i] < 0 {
			sites[i] = len(t.Sites)
			t.Sites = append(t.Sites, s)
		}
	}
	for i := range t.Sites {
		t.Sites[i].Counts = nil // those of one of the runs
	}
	t.PE = slices.Clone(a.PE)
	for _, list := range b.PE {
		moved := slices.Clone(list)
		for i := range moved {
			e := &moved[i]
			switch {
			case e.Kind == tracefile.Region:
				e.ID = regions[e.ID]
			case e.ID >= 0:
				e.ID = sites[e.ID]
			}
			if e.Peer >= 0 {
				e.Peer += a.PEs
			}
		}
		t.PE = append(t.PE, moved)
	}
	t.match()
	for run, x := range []*Trace{a, b} {
		for pe := range x.PEs {
			t.lanes = append(t.lanes, names[run]+": "+x.laneName(pe))
			t.numbers = append(t.numbers, x.number(pe))
		}
	}
	return t
}

// JSON writes it as an object of JSON.
func (c *Comparison) JSON(w io.Writer) error {
	j := json.NewEncoder(w)
	j.SetIndent("", " ")
	return j.Encode(c)
}

// Text writes it as a table.
func (c *Comparison) Text(w io.Writer) error {
	for i, r := range c.Runs {
		fmt.Fprintf(w, "run %d, %s: %s on %d PEs, %s, %d events\n", i+1, r.Name, r.Program, r.PEs, tracefile.Duration(r.Seconds), r.Events)
		for _, n := range r.Notes {
			fmt.Fprintf(w, "  %s\n", n)
		}
	}
	fmt.Fprintf(w, "\ncount: of all PEs; self: time of a PE on average, without regions and messages inside\n")
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "line\tcount 1\tcount 2\tself 1\tself 2\tdifference\t\n")
	for _, d := range c.Lines {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%s\t%s\t  %s\n", d.Lines, d.Count[0], d.Count[1], tracefile.Duration(d.Self[0]), tracefile.Duration(d.Self[1]), signed(d.more()), d.What)
	}
	return tw.Flush()
}

// signed is a difference of times.
func signed(s float64) string {
	if s < 0 {
		return "-" + tracefile.Duration(-s)
	}
	return "+" + tracefile.Duration(s)
}

// Page writes a page with the lanes of both runs on one axis of time, as Timeline does.
func (c *Comparison) Page(out io.Writer) error {
	return c.both.page(out, "Timeline of "+c.both.Program, func(w io.Writer) {
		for _, r := range c.Runs {
			fmt.Fprintf(w, "<p>%s: %s on %d PEs, %s, %d events</p>\n", html.EscapeString(r.Name), html.EscapeString(r.Program), r.PEs, tracefile.Duration(r.Seconds), r.Events)
			for _, n := range r.Notes {
				fmt.Fprintf(w, "<p>%s: %s</p>\n", html.EscapeString(r.Name), html.EscapeString(n))
			}
		}
	}, func(w io.Writer) {
		fmt.Fprint(w, "<h2>Time of a PE on average, without regions and messages inside</h2>\n<div class=wide><table><thead><tr><th scope=col class=path>what<th scope=col>line")
		for _, r := range c.Runs {
			fmt.Fprintf(w, "<th scope=col>count, %[1]s<th scope=col>self, %[1]s", html.EscapeString(r.Name))
		}
		fmt.Fprint(w, "<th scope=col>difference</tr></thead>\n")
		for _, d := range c.Lines {
			fmt.Fprintf(w, "<tr><td class=path><button>%s</button><td>%s<td>%d<td>%s<td>%d<td>%s<td>%s</tr>\n", html.EscapeString(d.What), html.EscapeString(d.Lines),
				d.Count[0], tracefile.Duration(d.Self[0]), d.Count[1], tracefile.Duration(d.Self[1]), signed(d.more()))
		}
		fmt.Fprint(w, "</table></div>\n")
	})
}
