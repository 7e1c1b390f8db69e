package report

import (
	"fmt"
	"slices"
)

// planSays is what the plans do, in a line.
var planSays = map[string]string{
	"elide":          "no ready message where it is proved that other messages say the same, if need be with several slots",
	"popl96":         "no ready message where it is proved for one slot and the exchanges as they stand",
	"handshake":      "a ready message before every put",
	"barrier":        "no ready messages, but a barrier of all PEs before each group of communications",
	"popl96-literal": "the analysis as it was printed, which has errors",
}

// table is that of the paper's section 5, with a column for each form of the
// analysis.
func (t *text) table() {
	forms := t.r.Table
	row := func(name string, cell func(Total) string) []string {
		out := []string{name}
		for _, f := range forms {
			out = append(out, fmt.Sprintf("%7s", cell(f)))
		}
		return out
	}
	number := func(of func(Total) int) func(Total) string {
		return func(f Total) string { return fmt.Sprint(of(f)) }
	}
	rows := [][]string{
		row("", func(f Total) string { return f.Form }),
		row("communications", number(func(f Total) int { return f.Communications })),
		row("NoSync: repeated, no ready messages", number(func(f Total) int { return f.NoSync })),
		row("once: never put twice", number(func(f Total) int { return f.Once })),
		row("Sync: ready messages", number(func(f Total) int { return f.Sync })),
		row("  of them on demand", number(func(f Total) int { return f.OnDemand })),
		row("eliminated", eliminated),
		row("reductions and barriers besides", func(Total) string { return fmt.Sprint(len(t.r.Collectives)) }),
	}
	if len(t.r.PEs) > 0 {
		rows = slices.Insert(rows, len(rows)-2, row("  of Sync: none "+onPEs(t.r.PEs), number(func(f Total) int { return f.ElidedOn })))
	}
	for _, l := range columns(rows) {
		t.line("%s", l)
	}
	for _, f := range t.r.Fences {
		took := "not taken"
		if f.Chosen {
			took = "taken"
		}
		t.wrap("", fmt.Sprintf("a barrier before C_%d (line %d), where %.4g ready messages are expected: cost %.4g instead of %.4g, %s", f.Before, f.Line, f.Messages, f.With, f.Without, took))
	}
	t.line("")
	t.wrap("", "literal is the printed algorithm, whose verdicts prove nothing; popl96 is its sound form, with one slot for each "+
		"communication; elide takes several where that helps. on demand: a consumer sends a ready message only if it has sent the producer "+
		"no other message since its last use of the slot, which both note.")
	t.wrap("", costs)
	t.wrap("", fmt.Sprintf("sweeps of %s: at most %d; the last one of each analysis changes nothing, it only confirms", sweptBy(t.r.Plan), t.r.Sweeps))
}

// sweptBy names the analysis whose sweeps a plan's report shows.
func sweptBy(plan string) string {
	switch plan {
	case "popl96-literal":
		return "the printed analysis"
	case "elide":
		return "the sound analysis, with the slots of plan elide"
	}
	return "the sound analysis, with one slot"
}

// costs says what the search compares.
const costs = "Costs are in messages over the whole program: a ready message 1, a copy out of a staging buffer 0.1, on demand 0.03, " +
	"a barrier 2, each times the expected executions, and something for memory."

// eliminated is the share of communications without ready messages.
func eliminated(f Total) string {
	if f.Communications == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(f.NoSync+f.Once)/float64(f.Communications))
}

// form is what there is to say of a slot besides its verdict, "" for a single one.
func (s *Slot) form() string {
	text := ""
	if s.Say != "one slot" && (!s.Ready || s.Count > 1 || s.Staged) {
		text = s.Say
	}
	if len(s.ElidedOn) > 0 {
		if text != "" {
			text += "; "
		}
		text += "none " + onPEs(s.ElidedOn)
	}
	return text
}

// besides says what the reasons are about that stand behind how a ready message is
// left out for some PEs, or on some numbers of PEs; "" where they are all there is.
func (c *Communication) besides() string {
	switch {
	case !c.Slot.Ready && len(c.Exact) > 0:
		return "on other numbers of PEs"
	case c.Slot.Ready && (c.OnDemand != nil || len(c.Exact) > 0):
		return "why it is not proved for all numbers of PEs that none is needed, with one slot"
	}
	return ""
}
