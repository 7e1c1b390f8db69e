package traces

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// Summary is the sums of a trace.
type Summary struct {
	Program    string             `json:"program"`
	PEs        int                `json:"pes"`
	Seconds    float64            `json:"seconds"`
	Events     int                `json:"events"`
	Notes      []string           `json:"notes,omitempty"` // what is not in the trace
	Energy     *tracefile.Energy  `json:"energy,omitempty"`
	Network    *tracefile.Network `json:"network,omitempty"`
	Iterations int64              `json:"iterations"` // of the outermost loops
	Regions    []*Sum             `json:"regions"`
	Waits      []*Sum             `json:"waits"` // by site and kind, and what was elided
	// Messages and Bytes are what one PE sent to another, or got from it: by the PE that
	// has the data, and the one that gets them.
	Messages  [][]int64 `json:"messages"`
	Bytes     [][]int64 `json:"bytes"`
	Unmatched int       `json:"unmatched"` // waits whose message is not in the trace

	laneName func(pe int) string
}

// Sum is a region, or the waits of a site.
type Sum struct {
	What  string `json:"what"`
	Lines string `json:"lines"`
	Count int    `json:"count"` // of all PEs
	// Seconds of a PE on average: all, and without regions and messages inside; of a region
	// the waits in it. Most is the greatest self of a PE, that of PE Where.
	Total   float64 `json:"total"`
	Self    float64 `json:"self"`
	Blocked float64 `json:"blocked"`
	Most    float64 `json:"most"`
	Where   int     `json:"where"`

	self []int64 // by PE
}

// Imbalance is by how much the mean over the PEs falls short of the PE with most.
func (s *Sum) Imbalance() float64 {
	if s.Most <= 0 {
		return 0
	}
	return (s.Most - s.Self) / s.Most
}

// imbalance is the same in words, with the PE that has most.
func (s *Sum) imbalance(laneName func(int) string) string {
	text := fmt.Sprintf("%.0f %%", 100*s.Imbalance())
	if s.Imbalance() >= 0.1 {
		text += ", " + laneName(s.Where)
	}
	return text
}

// Summarise adds up a trace.
func (t *Trace) Summarise() *Summary {
	s := &Summary{Program: t.Program, PEs: t.PEs, Seconds: t.Seconds, Notes: t.Notes(), Energy: t.Energy, Network: t.Network, Iterations: t.Iterations, Regions: []*Sum{}, Waits: []*Sum{}, Messages: matrix(t.PEs), Bytes: matrix(t.PEs), laneName: t.laneName}
	regions := make([]*Sum, len(t.Regions))
	for i := range regions {
		regions[i] = &Sum{What: t.Name(i), Lines: t.Lines(i), self: make([]int64, t.PEs)}
	}
	type cause struct {
		site int
		kind tracefile.Kind
	}
	waits := map[cause]*Sum{}
	for pe, list := range t.PE {
		s.Events += len(list)
		t.walk(pe, func(i, around int) {
			e := &list[i]
			if around >= 0 {
				r := regions[list[around].ID]
				r.self[pe] -= e.Took
				if e.Kind.Blocks() {
					r.Blocked += float64(e.Took) / 1e9
				}
			}
			x := (*Sum)(nil)
			switch {
			case e.Kind == tracefile.Region:
				x = regions[e.ID]
			case e.Kind.Blocks() || e.Kind == tracefile.Elided:
				c := cause{e.ID, e.Kind}
				if waits[c] == nil {
					waits[c] = &Sum{What: e.Kind.String() + ": " + t.SiteName(e.ID), Lines: t.SiteLine(e.ID), self: make([]int64, t.PEs)}
				}
				x = waits[c]
			}
			if x != nil {
				x.Count++
				x.Total += float64(e.Took) / 1e9
				x.self[pe] += e.Took
			}
			if e.Kind == tracefile.Arrival || e.Kind == tracefile.WaitReady {
				if _, ok := t.Partner[Place{pe, i}]; !ok {
					s.Unmatched++
				}
			}
			if e.Peer < 0 {
				return
			}
			from, to := pe, e.Peer
			switch e.Kind {
			case tracefile.Get:
				from, to = to, from
				fallthrough
			case tracefile.Put:
				s.Messages[from][to]++
				fallthrough
			case tracefile.PutPart:
				s.Bytes[from][to] += e.Bytes
			}
		})
	}
	for _, r := range regions {
		s.Regions = finished(s.Regions, r, t.PEs)
	}
	for i := range t.Sites {
		elided := &Sum{What: tracefile.ReadyElided + ": " + t.SiteName(i), Lines: t.SiteLine(i), Count: int(t.Sites[i].Elided())}
		s.Waits = finished(s.Waits, elided, t.PEs)
	}
	for _, w := range waits {
		s.Waits = finished(s.Waits, w, t.PEs)
	}
	for _, list := range [][]*Sum{s.Regions, s.Waits} {
		slices.SortStableFunc(list, func(a, b *Sum) int {
			return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Lines, b.Lines), cmp.Compare(a.What, b.What))
		})
	}
	return s
}

func matrix(n int) [][]int64 {
	m := make([][]int64, n)
	for i := range m {
		m[i] = make([]int64, n)
	}
	return m
}

// finished adds a sum to a list, if there is anything in it.
func finished(list []*Sum, x *Sum, pes int) []*Sum {
	if x.Count == 0 {
		return list
	}
	for pe, ns := range x.self {
		took := float64(ns) / 1e9
		x.Self += took
		if took > x.Most {
			x.Most, x.Where = took, pe
		}
	}
	k := float64(pes)
	x.Total, x.Self, x.Blocked = x.Total/k, x.Self/k, x.Blocked/k
	return append(list, x)
}

// JSON writes a summary as an object of JSON.
func (s *Summary) JSON(w io.Writer) error {
	j := json.NewEncoder(w)
	j.SetIndent("", " ")
	return j.Encode(s)
}

// mostInMatrix is the number of PEs up to which the text has matrices.
const mostInMatrix = 16

// Text writes a summary as tables.
func (s *Summary) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s on %d PEs: %s, %d events\n", s.Program, s.PEs, tracefile.Duration(s.Seconds), s.Events)
	for _, n := range s.Notes {
		fmt.Fprintln(w, n)
	}
	if s.Energy != nil {
		fmt.Fprintln(w, s.Energy.Text(s.Iterations))
	}
	if s.Network != nil {
		fmt.Fprintln(w, s.Network.Text(s.Iterations))
	}
	table := func(title string, list []*Sum, regions bool) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s; counts of all PEs, times of each PE on average\n", title)
		tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		head := "line\tcount\tself\t% of run\timbalance\t"
		if regions {
			head = "line\tcount\ttotal\tself\t% of run\tblocked\timbalance\t"
		}
		fmt.Fprintln(tw, head+"  ")
		for _, x := range list {
			share := fmt.Sprintf("%.1f", 100*x.Self/max(s.Seconds, 1e-12))
			if regions {
				fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t  %s\n", x.Lines, x.Count, tracefile.Duration(x.Total), tracefile.Duration(x.Self), share, tracefile.Duration(x.Blocked), x.imbalance(s.laneName), x.What)
			} else {
				fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\t  %s\n", x.Lines, x.Count, tracefile.Duration(x.Self), share, x.imbalance(s.laneName), x.What)
			}
		}
		tw.Flush()
	}
	table("regions", s.Regions, true)
	table("waits, and what was elided", s.Waits, false)
	s.matrices(w)
	if s.Unmatched > 0 {
		fmt.Fprintf(w, "\n%d waits are for messages that are not in the trace\n", s.Unmatched)
	}
	return nil
}

func (s *Summary) matrices(w io.Writer) {
	var all int64
	for _, row := range s.Messages {
		for _, n := range row {
			all += n
		}
	}
	if all == 0 {
		return
	}
	if s.PEs > mostInMatrix {
		fmt.Fprintf(w, "\n%d data messages; --format=json has them by PE\n", all)
		return
	}
	table := func(title string, m [][]int64) {
		fmt.Fprintf(w, "\n%s from the one of the row to the one of the column\n", title)
		tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		for q := range m {
			fmt.Fprint(tw, "\t", s.laneName(q))
		}
		fmt.Fprintln(tw, "\t")
		for p, row := range m {
			fmt.Fprintf(tw, "%s\t", s.laneName(p))
			for _, n := range row {
				fmt.Fprintf(tw, "%d\t", n)
			}
			fmt.Fprintln(tw)
		}
		tw.Flush()
	}
	table("data messages", s.Messages)
	table("bytes", s.Bytes)
}
