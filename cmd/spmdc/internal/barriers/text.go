package barriers

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
)

// doing is what the run did with barriers, in words.
func doing(m elide.Mode) string {
	switch m {
	case elide.Online:
		return "learned and elided"
	case elide.ByPlan:
		return "elided by plan"
	}
	return "audited, nothing elided"
}

// numbers are numbers of PEs as text.
func numbers(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ", ")
}

// named is a path with the procedures that its calls call.
func (r *Report) named(p elide.Path) string {
	parts := make([]string, len(p))
	for i, label := range p {
		parts[i] = p[i : i+1].String()
		if i > 0 && label == elide.Start {
			parts[i] = fmt.Sprintf("%q", label) // a call of that name
		}
		if proc := r.Calls[label]; proc != "" {
			parts[i] += " " + proc
		}
	}
	return strings.Join(parts, " > ")
}

func (r *Report) text(w io.Writer) {
	t := &r.Total
	fmt.Fprintf(w, "barriers of %s on %s PEs, %s\n", r.Program, numbers(r.PEs), doing(r.Mode))
	fmt.Fprintf(w, "  %d barriers in %d contexts, of these executed %d, elided %d (%.1f %%)\n", t.Barriers, len(r.Contexts), t.Executed, t.Elided(), share(t.Elided(), t.Barriers))
	fmt.Fprintf(w, "  redundant by the summaries before them (Table 3) %d (%.1f %%), missed of these %d; redundant by Table 1 %d (%.1f %%)\n",
		t.Redundant, share(t.Redundant, t.Barriers), t.Redundant-t.Elided(), t.Ideal, share(t.Ideal, t.Barriers))
	if t.Broken > 0 {
		fmt.Fprintf(w, "  consensus was broken %d times, by all PEs each time: these barriers were executed although their contexts are elided\n", t.Broken)
	}
	if t.Time > 0 {
		fmt.Fprintf(w, "  time in executed barriers, mean of the PEs: %s ms\n", number(t.Time))
	}
	if len(r.Subcontexts) > 0 {
		fmt.Fprintf(w, "\nsubcontexts that were redundant each time:\n")
		tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(tw, "share\tbarriers\texecuted\tms\tcontexts\t  subcontext\n")
		for i := range r.Subcontexts {
			s := &r.Subcontexts[i]
			fmt.Fprintf(tw, "%.1f %%\t%d\t%d\t%s\t%d\t  %s\n", share(s.Barriers, t.Barriers), s.Barriers, s.Executed, number(s.Time), s.Contexts, r.named(s.Suffix))
		}
		tw.Flush()
	}
	fmt.Fprintf(w, "\ncontexts:\n")
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "share\tbarriers\texecuted\tredundant\tbroken\tms\tstate\t  context\n")
	for i := range r.Contexts {
		c := &r.Contexts[i]
		fmt.Fprintf(tw, "%.1f %%\t%d\t%d\t%d\t%d\t%s\t%v\t  %s%s\n", share(c.Barriers, t.Barriers), c.Barriers, c.Executed, c.Redundant, c.Broken, number(c.Time), c.Why, r.named(c.Path), note(c.Note))
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

// WriteCandidates writes what a plan could elide of a training log: by subcontext
// (Figures 5 to 8 of the paper) the barriers, their share, the contexts, and the calls.
func (r *Report) WriteCandidates(w io.Writer) error {
	var found uint64
	for _, s := range r.Subcontexts {
		found += s.Barriers
	}
	t := &r.Total
	var b strings.Builder
	fmt.Fprintf(&b, "%d barriers in %d contexts; redundant %d (%.1f %%), of these in contexts that are always redundant %d (%.1f %%)\n",
		t.Barriers, len(r.Contexts), t.Redundant, share(t.Redundant, t.Barriers), found, share(found, t.Barriers))
	if len(r.Subcontexts) > 0 {
		fmt.Fprintf(&b, "%10s %7s %9s  %s\n", "barriers", "share", "contexts", "subcontext")
	}
	for _, s := range r.Subcontexts {
		fmt.Fprintf(&b, "%10d %5.1f %% %9d  %s\n", s.Barriers, share(s.Barriers, t.Barriers), s.Contexts, r.named(s.Suffix))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
