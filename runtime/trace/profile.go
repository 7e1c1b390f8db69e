package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spmdc/spmdc/runtime/outfile"
	"github.com/spmdc/spmdc/runtime/spmd"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// profile is what the PEs of a run measured.
type profile struct {
	*tracefile.Definitions
	regions   []Region
	stats     *spmd.Stats
	recorders []*Recorder
	tick      float64 // in seconds
	took      time.Duration
}

// profileWord is how a file with a profile begins: that of spmd.Stats, with more in it.
const profileWord = `{"spmdc": "profile 1",`

// row is a line of the table: a region, or an activity of a site.
type row struct {
	line, what  string
	count       float64 // of a PE, on average
	total, self float64 // seconds of a PE, on average
	blocked     float64
	most        float64 // the greatest self of a PE
	where       int     // that PE
	shortest    float64 // of all executions, in seconds
	longest     float64
}

// imbalance is how much less than the PE that took longest the others took on average, as a
// share of what that one took.
func (r *row) imbalance() float64 {
	if r.most <= 0 {
		return 0
	}
	return (r.most - r.self) / r.most
}

// imbalance is that of a row in words, with the PE that took longest.
func (p *profile) imbalance(r *row) string {
	text := fmt.Sprintf("%.0f %%", 100*r.imbalance())
	switch {
	case r.imbalance() < 0.1:
		return text
	case p.Images:
		return fmt.Sprintf("%s, image %d", text, r.where+1)
	}
	return fmt.Sprintf("%s, PE %d", text, r.where)
}

// collect makes the row of what one PE after another gives.
func (p *profile) collect(line, what string, of func(*Recorder) Sum) *row {
	r := &row{line: line, what: what}
	first := true
	for pe, rec := range p.recorders {
		s := of(rec)
		if s.Count == 0 {
			continue
		}
		self := float64(s.Total-s.Inner) * p.tick
		r.count += float64(s.Count)
		r.total += float64(s.Total) * p.tick
		r.self += self
		r.blocked += float64(s.Blocked) * p.tick
		if self > r.most {
			r.most, r.where = self, pe
		}
		r.longest = max(r.longest, float64(s.Most)*p.tick)
		if least := float64(s.Least) * p.tick; first || least < r.shortest {
			r.shortest, first = least, false
		}
	}
	n := float64(len(p.recorders))
	r.count, r.total, r.self, r.blocked = r.count/n, r.total/n, r.self/n, r.blocked/n
	return r
}

// rows are those of all that happened, those that took longest themselves first.
func (p *profile) rows() []*row {
	var rows []*row
	add := func(r *row) {
		if r.count > 0 {
			rows = append(rows, r)
		}
	}
	for i := range p.regions {
		add(p.collect(p.Lines(i), p.Name(i), func(r *Recorder) Sum { return r.regions[i] }))
	}
	for site := -1; site < len(p.stats.Sites); site++ {
		for a := range activities {
			add(p.collect(p.SiteLine(site), a.String()+": "+p.SiteName(site), func(r *Recorder) Sum { return r.acts[r.index(a, site)] }))
		}
		if site >= 0 {
			elided := float64(p.stats.Site(site).Elided) / float64(len(p.recorders))
			add(&row{line: p.SiteLine(site), what: tracefile.ReadyElided + ": " + p.SiteName(site), count: elided})
		}
	}
	slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Compare(b.self, a.self) })
	return rows
}

// table writes a line for each region and each activity of a site that took time.
func (p *profile) table(w io.Writer) {
	rows := p.rows()
	var all float64
	for _, r := range rows {
		all += r.self
	}
	fmt.Fprintf(w, "%d PEs, %s; times of each PE on average; %%: of self; imbalance: by how much the others fell short of the PE that took longest\n",
		len(p.recorders), tracefile.Duration(p.took.Seconds()))
	fmt.Fprintln(w, p.Energy.Text(p.Iterations))
	fmt.Fprintln(w, p.Network.Text(p.Iterations))
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "line\tcount\ttotal\tself\t%\tblocked\tleast\tmost\timbalance\t  region or activity\n")
	for _, r := range rows {
		blocked := ""
		if r.blocked > 0 {
			blocked = tracefile.Duration(r.blocked)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t%s\t  %s\n", r.line, count(r.count), tracefile.Duration(r.total), tracefile.Duration(r.self),
			100*r.self/max(all, 1e-12), blocked, tracefile.Duration(r.shortest), tracefile.Duration(r.longest), p.imbalance(r), r.what)
	}
	tw.Flush()
}

// count is a mean of counts in text.
func count(n float64) string {
	if n == float64(int64(n)) {
		return fmt.Sprint(int64(n))
	}
	return fmt.Sprintf("%.1f", n)
}

// As JSON a profile is the statistics of the run; sites have their activities besides, and
// the run its regions. Each is a list of what every PE did, in seconds.

func (p *profile) Word() string { return profileWord }

func (p *profile) Site(site int) string {
	var b strings.Builder
	separator := `"activities": [`
	for a := range activities {
		pes, any := p.perPE(func(r *Recorder) Sum { return r.acts[r.index(a, site)] }, false)
		if !any {
			continue
		}
		fmt.Fprintf(&b, "%s{\"activity\": %s, \"pes\": [%s]}", separator, outfile.Quote(a.String()), pes)
		separator = ", "
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + "]"
}

func (p *profile) Rest() string {
	var b strings.Builder
	b.WriteString("\n \"regions\": [")
	separator := "\n  "
	for i, g := range p.regions {
		pes, _ := p.perPE(func(r *Recorder) Sum { return r.regions[i] }, true)
		d := p.Regions[i]
		fmt.Fprintf(&b, "%s{\"id\": %d, \"parent\": %d, \"kind\": %s, \"name\": %s, \"file\": %s, \"line\": %d, \"last\": %d, ",
			separator, i, g.Parent, outfile.Quote(g.Kind), outfile.Quote(g.Name), outfile.Quote(d.File), d.Line, d.Last)
		if d.Line != g.Line { // in the numbering of sites, which goes on from file to file
			fmt.Fprintf(&b, "\"joined\": %d, ", g.Line)
		}
		fmt.Fprintf(&b, "\"pes\": [%s]}", pes)
		separator = ",\n  "
	}
	b.WriteString("]")
	energy, _ := json.Marshal(p.Energy)
	network, _ := json.Marshal(p.Network)
	fmt.Fprintf(&b, ",\n \"energy\": %s, \"network\": %s, \"iterations\": %d", energy, network, p.Iterations)
	if other := p.Site(-1); other != "" {
		fmt.Fprintf(&b, ",\n \"other\": {%s}", other) // of no site
	}
	return b.String()
}

// perPE is one object for each PE; any: something happened on one of them.
func (p *profile) perPE(of func(*Recorder) Sum, region bool) (text string, any bool) {
	list := make([]string, len(p.recorders))
	for i, r := range p.recorders {
		s := of(r)
		any = any || s.Count > 0
		t := func(ticks int64) float64 { return float64(ticks) * p.tick }
		list[i] = fmt.Sprintf(`{"count": %d, "seconds": %.9f, "least": %.9f, "most": %.9f`, s.Count, t(s.Total), t(s.Least), t(s.Most))
		if region {
			list[i] += fmt.Sprintf(`, "self": %.9f, "blocked": %.9f`, t(s.Total-s.Inner), t(s.Blocked))
		}
		list[i] += "}"
	}
	return strings.Join(list, ", "), any
}
