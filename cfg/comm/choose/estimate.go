package choose

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Estimate is what the search for transformations knows of the cost of a program: one row
// for each loop outside of regions, and each loop nest that is a region.
type Estimate struct {
	PEs   int
	Rows  []Row
	Total Cost
}

// Row is a loop with all that is inside of it.
type Row struct {
	Line, Depth int
	Text        string // the loop
	How         string // how the PEs execute it
	Cost        Cost
	Comms       []*comm.Comm // that it waits for
	Reduces     []*comm.Reduction
}

// NewEstimate estimates what a run of p on some number of PEs costs each of them; 0 stands for
// the number that the search supposes.
func NewEstimate(p *comm.Program, pes int) *Estimate {
	if pes == 0 {
		pes = guessPEs
	}
	w := newWeigher(p, float64(pes))
	e := &Estimate{PEs: pes}
	var top Row
	e.list(w, p.Body, 0, &top)
	e.Total = top.Cost
	return e
}

// add makes r hold what inner has too.
func (r *Row) add(inner Row) {
	r.Cost = r.Cost.plus(inner.Cost)
	r.Comms = append(r.Comms, inner.Comms...)
	r.Reduces = append(r.Reduces, inner.Reduces...)
}

// list adds the rows of nodes, and what they cost to sum. What is sent before a loop is
// sent for its sake, and what is combined behind it is combined for it.
func (e *Estimate) list(w *weigher, nodes []comm.Node, depth int, sum *Row) {
	var before Row
	last := -1 // the row of the node before
	open := func(s ir.Stmt, how string) int {
		text, _, _ := strings.Cut(ir.StmtString(s), "   !")
		e.Rows = append(e.Rows, Row{Line: s.Position().Line, Depth: depth, Text: text, How: how})
		return len(e.Rows) - 1
	}
	fill := func(at int, inner Row) {
		e.Rows[at].add(before)
		e.Rows[at].add(inner)
		sum.add(before)
		sum.add(inner)
		before, last = Row{}, at
	}
	for _, n := range nodes {
		var inner Row
		switch n := n.(type) {
		case *comm.Post:
			before.Cost = before.Cost.plus(w.node(n))
			before.Comms = append(before.Comms, n.Comms...)
			continue
		case *comm.Wait, *comm.Done:
			continue
		case *comm.Combine:
			inner.Cost, inner.Reduces = w.node(n), n.Reduce
			if last >= 0 {
				e.Rows[last].add(inner)
			}
			sum.add(inner)
			continue
		case *comm.Region:
			inner.Cost = w.node(n)
			if d, ok := n.Stmts[0].(*ir.Do); ok {
				if n.Pipe != nil {
					inner.Comms = n.Pipe.Comms
				}
				fill(open(d, how(n)), inner)
				continue
			}
		case *comm.Loop:
			how := "together"
			if n.Do.Gathered != "" {
				how = "together, on gathered arrays"
			}
			at := open(n.Do, how)
			trips, known := w.trip(n.Do)
			leave := w.enter(n.Do)
			e.inside(w, trips, known, n.Body, depth+1, &inner)
			leave()
			fill(at, inner)
			continue
		case *comm.WhileLoop:
			at := open(n.While, "together")
			e.inside(w, GuessTrip, false, append(append([]comm.Node(nil), n.Pre...), n.Body...), depth+1, &inner)
			fill(at, inner)
			continue
		case *comm.Branch:
			inner.Cost = w.all(Cost{rest: entryCost})
			p := w.probability(n.If.Cond)
			w.with(p, true, func() { e.list(w, n.Then, depth, &inner) })
			w.with(1-p, true, func() { e.list(w, n.Else, depth, &inner) })
		}
		sum.add(before)
		sum.add(inner)
		before, last = Row{}, -1
	}
	sum.add(before)
}

// inside adds the rows of the body of a loop.
func (e *Estimate) inside(w *weigher, trips float64, known bool, body []comm.Node, depth int, sum *Row) {
	outer := w.kept
	w.kept = !w.reduces(body)
	w.with(trips, known, func() { e.list(w, body, depth, sum) })
	w.kept = outer
}

// how says who executes a region.
func how(r *comm.Region) string {
	d, _ := r.Stmts[0].(*ir.Do)
	switch {
	case d != nil && d.Gathered != "" && !r.Loops():
		return "by all, on gathered arrays"
	case r.Fallback:
		return "by all, on gathered arrays"
	case r.Pipe != nil && r.Pipe.Blocks != nil:
		return "in a pipeline of blocks"
	case r.Pipe != nil:
		return "one PE after another"
	case r.Loops() && shared(r, r.Stmts):
		return "divided"
	case r.Loops():
		return "divided in part"
	case len(r.Guard) > 0:
		return "by some"
	}
	return "by all"
}

// shared reports whether each innermost loop is divided among the PEs, or in one that is.
func shared(r *comm.Region, list []ir.Stmt) bool {
	all := true
	ir.Walk(list, func(s ir.Stmt) bool {
		d, ok := s.(*ir.Do)
		if ok && r.Shares(d) {
			return false
		}
		all = all && !(ok && !ir.HasLoop(d.Body))
		return all
	})
	return all
}

// Measured is what a run counted: the object that --stats-json writes, or --profile, which
// has times too.
type Measured struct {
	Format  string `json:"spmdc"`
	Program string `json:"program"`
	PEs     int    `json:"pes"`
	Sites   []struct {
		Line, Column int
		Kind         string
		Reference    string
		Data, Ready  float64
		Bytes, Waits float64
		Activities   []struct {
			Activity string
			PEs      []struct{ Seconds float64 }
		}
	} `json:"sites"`
	Regions []struct {
		Parent, Line, Joined int // Joined: the line in all files together, if that is another number
		Kind                 string
		PEs                  []struct{ Seconds float64 }
	} `json:"regions"`
	Seconds float64 `json:"seconds"`
}

// Formats of files that Measured is read from.
const formatStats, formatProfile = "stats 1", "profile 1"

// ReadMeasured reads what a run counted.
func ReadMeasured(text []byte) (*Measured, error) {
	m := &Measured{}
	if err := json.Unmarshal(text, m); err != nil || m.Format != formatStats && m.Format != formatProfile || m.PEs < 1 {
		return nil, errors.New("the file is not what --profile or --stats-json writes")
	}
	return m, nil
}

// Timed reports whether m has times.
func (m *Measured) Timed() bool { return m.Format == formatProfile }

// Counted is what one PE did on average for a row.
type Counted struct {
	Messages, Bytes, Waits float64
	// Seconds is how long the loop took, Blocked how long of the run was spent in waits
	// for its messages. Both are 0 if the run was not timed.
	Seconds, Blocked float64
}

// Of is what one PE did on average for a row.
func (m *Measured) Of(r Row) (c Counted) {
	wanted := map[string]bool{}
	for _, c := range r.Comms {
		wanted[fmt.Sprint(c.Line, " ", c.Col, " ", c.Kind)] = true
	}
	for _, x := range r.Reduces {
		wanted[fmt.Sprint(x.Line, " ", 1, " ", x.Name)] = true
	}
	for _, s := range m.Sites {
		if !wanted[fmt.Sprint(s.Line, " ", s.Column, " ", s.Kind)] {
			continue
		}
		c.Messages += s.Data + s.Ready
		c.Bytes += s.Bytes
		c.Waits += s.Waits
		for _, a := range s.Activities {
			switch a.Activity {
			case "put", "get", "ready":
				continue
			}
			for _, pe := range a.PEs {
				c.Blocked += pe.Seconds
			}
		}
	}
	for _, x := range m.Regions {
		if line := max(x.Joined, x.Line); x.Kind != "loop" && r.Line > 0 || x.Parent >= 0 && r.Line == 0 || line != r.Line && r.Line > 0 {
			continue
		}
		for _, pe := range x.PEs {
			c.Seconds += pe.Seconds
		}
	}
	k := float64(m.PEs)
	return Counted{c.Messages / k, c.Bytes / k, c.Waits / k, c.Seconds / k, c.Blocked / k}
}

// Text is the table, with m, unless it is nil, next to the estimates.
func (e *Estimate) Text(m *Measured) string {
	var b strings.Builder
	fmt.Fprintf(&b, "estimated for each of %d PEs; cost is in messages, of which each takes as long as some %.0f statements\n", e.PEs, messageCost/statementCost)
	if m != nil {
		fmt.Fprintf(&b, "measured: for each of %d PEs, in a run of %.3f s\n", m.PEs, m.Seconds)
	}
	b.WriteString("\n")
	tw := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	head := "line\tstatements\tmessages\tbytes\twaits\tcost\t"
	if m != nil {
		head += "measured messages\tbytes\twaits\t"
		if m.Timed() {
			head += "blocked ms\tloop ms\t"
		}
	}
	fmt.Fprintln(tw, head+"  loop")
	row := func(line, text string, r Row) {
		about := ""
		if r.Cost.Guessed {
			about = "~"
		}
		fmt.Fprintf(tw, "%s\t%s%s\t%s\t%s\t%s\t%s\t", line, about, count(r.Cost.Statements), count(r.Cost.Messages), count(r.Cost.Bytes), count(r.Cost.Waits), count(r.Cost.Total()))
		if m != nil {
			c := m.Of(r)
			fmt.Fprintf(tw, "%s\t%s\t%s\t", count(c.Messages), count(c.Bytes), count(c.Waits))
			if m.Timed() {
				fmt.Fprintf(tw, "%.3f\t%s\t", c.Blocked*1e3, loopTime(c.Seconds))
			}
		}
		fmt.Fprintf(tw, "  %s\n", text)
	}
	var total Row
	total.Cost = e.Total
	for _, r := range e.Rows {
		row(fmt.Sprint(r.Line), fmt.Sprintf("%s%s: %s", strings.Repeat("  ", r.Depth), r.Text, r.How), r)
		if r.Depth == 0 {
			total.Comms = append(total.Comms, r.Comms...)
			total.Reduces = append(total.Reduces, r.Reduces...)
		}
	}
	row("", "the program", total)
	tw.Flush()
	if e.Total.Guessed {
		fmt.Fprintf(&b, "\n~ loops of unknown bounds count as %g iterations\n", GuessTrip)
	}
	return b.String()
}

// loopTime is the time of a loop in milliseconds; a loop that is fused with
// another one, or is part of one that a PE executes alone, has none of its own.
func loopTime(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", seconds*1e3)
}

// count is a number with three digits at least where it is small.
func count(x float64) string {
	if x != 0 && x < 10 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
