package elide

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spmdc/spmdc/runtime/outfile"
)

// Format is the form of a report.
type Format string

const (
	Text Format = "txt"  // tables
	JSON Format = "json" // everything, for tools
	HTML Format = "html" // a page that needs no network
)

// begins is what reports begin with, by which they are known.
var begins = []string{"barriers of ", "{\n  \"program\": ", pageBegin}

// Writable reports by its error why a report should not be written to a file.
func Writable(name string) error { return outfile.Check(name, begins...) }

// WriteFile writes the report into a file, in place of another report at most.
func (r *Report) WriteFile(name string, f Format) error {
	return outfile.Write(name, begins, func(w io.Writer) error { return r.Write(w, f) })
}

// Write writes the report.
func (r *Report) Write(w io.Writer, f Format) error {
	b := bufio.NewWriter(w)
	switch f {
	case Text:
		r.text(b)
	case JSON:
		r.json(b)
	case HTML:
		r.html(b)
	default:
		return fmt.Errorf("there is no report in form %q: choose txt, json or html", f)
	}
	return b.Flush()
}

// doing is what the run did with barriers, in words.
func (m Mode) doing() string {
	switch m {
	case Online:
		return "learned and elided"
	case ByPlan:
		return "elided by plan"
	}
	return "audited, nothing elided"
}

func (r *Report) text(w io.Writer) {
	t := &r.Total
	fmt.Fprintf(w, "barriers of %s on %d PEs, %s\n", r.Program, r.PEs, r.Mode.doing())
	fmt.Fprintf(w, "  %d barriers in %d contexts, of these executed %d, elided %d (%.1f %%)\n", t.Before, len(r.Contexts), t.After, t.Elided(), share(t.Elided(), t.Before))
	fmt.Fprintf(w, "  redundant by the summaries before them (Table 3) %d (%.1f %%), missed of these %d; redundant by Table 1 %d (%.1f %%)\n",
		t.Redundant, share(t.Redundant, t.Before), t.Redundant-t.Elided(), t.Ideal, share(t.Ideal, t.Before))
	if t.Time > 0 {
		fmt.Fprintf(w, "  time in executed barriers, mean of the PEs: %s\n", milliseconds(t.Time))
	}
	if len(r.Subcontexts) > 0 {
		fmt.Fprintf(w, "\nsubcontexts that were redundant whenever they came:\n")
		tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(tw, "share\tbefore\tafter\tms\tcontexts\t  subcontext\n")
		for i := range r.Subcontexts {
			s := &r.Subcontexts[i]
			fmt.Fprintf(tw, "%.1f %%\t%d\t%d\t%s\t%d\t  %v\n", share(s.Before, t.Before), s.Before, s.After, number(s.Time), s.Contexts, s.Suffix)
		}
		tw.Flush()
	}
	fmt.Fprintf(w, "\ncontexts:\n")
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "share\tbefore\tafter\tredundant\tms\tstate\t  context\n")
	for i := range r.Contexts {
		c := &r.Contexts[i]
		fmt.Fprintf(tw, "%.1f %%\t%d\t%d\t%d\t%s\t%v\t  %v%s\n", share(c.Before, t.Before), c.Before, c.After, c.Redundant, number(c.Time), c.Why, c.Path, note(c.Note))
	}
	tw.Flush()
}

func note(s string) string {
	if s == "" {
		return ""
	}
	return "  (" + s + ")"
}

// number is a duration in milliseconds, "-" if it was not measured.
func number(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", d.Seconds()*1e3)
}

func milliseconds(d time.Duration) string { return number(d) + " ms" }

// json writes an object with the fields of the report; times are in seconds.
func (r *Report) json(w io.Writer) {
	row := func(c *ReportRow) string {
		return fmt.Sprintf(`"before": %d, "after": %d, "redundant": %d, "table1": %d, "share": %.6f, "seconds": %.9f`,
			c.Before, c.After, c.Redundant, c.Ideal, share(c.Before, r.Total.Before)/100, c.Time.Seconds())
	}
	fmt.Fprintf(w, "{\n  \"program\": %s, \"pes\": %d, \"mode\": %s,\n  \"total\": {%s},\n", outfile.Quote(r.Program), r.PEs, outfile.Quote(r.Mode.doing()), row(&r.Total))
	fmt.Fprintf(w, "  \"subcontexts\": [")
	for i := range r.Subcontexts {
		s := &r.Subcontexts[i]
		fmt.Fprintf(w, "%s\n    {\"path\": %s, \"contexts\": %d, %s}", comma(i), pathJSON(s.Suffix), s.Contexts, row(&s.ReportRow))
	}
	fmt.Fprintf(w, "\n  ],\n  \"contexts\": [")
	for i := range r.Contexts {
		c := &r.Contexts[i]
		fmt.Fprintf(w, "%s\n    {\"path\": %s, \"state\": %s, \"note\": %s, %s}", comma(i), pathJSON(c.Path), outfile.Quote(c.Why.String()), outfile.Quote(c.Note), row(&c.ReportRow))
	}
	fmt.Fprintf(w, "\n  ]\n}\n")
}

func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

func pathJSON(p Path) string {
	list := make([]string, len(p))
	for i, s := range p {
		list[i] = outfile.Quote(s)
	}
	return "[" + strings.Join(list, ", ") + "]"
}
