package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// View is which parts of a report the text has, and how.
type View struct {
	Color bool
	Brief bool // the summary and the table, without the communications
	// Only, where it is not empty, selects communications: "#4", or those of a line, "50".
	Only string
}

// mostRemaining is how many communications with ready messages the summary lists.
const mostRemaining = 6

// summary begins the text: how many communications send ready messages, which, and what
// would change that.
func (t *text) summary() {
	elided, once := 0, 0
	var remaining []*Communication
	for i := range t.r.Communications {
		c := &t.r.Communications[i]
		switch {
		case c.Slot.Ready:
			remaining = append(remaining, c)
		case c.Verdict == "Once":
			once++
		default:
			elided++
		}
	}
	t.wrap("summary: ", fmt.Sprintf("%s: %d without a ready message, %d executed once, %d that may send one; %s",
		count(len(t.r.Communications), "communication"), elided, once, len(remaining), count(len(t.r.Collectives), "reduction or barrier")))
	// What sends the most certain messages comes first.
	slices.SortStableFunc(remaining, func(a, b *Communication) int { return a.rank() - b.rank() })
	for _, c := range remaining[:min(len(remaining), mostRemaining)] {
		t.wrap(fmt.Sprintf("  #%-3d line %-4d ", c.ID, c.Line), fmt.Sprintf("%s of %s: %s; %s", c.Kind, c.References[0], c.sends(), c.advice()))
	}
	if k := len(remaining) - mostRemaining; k > 0 {
		t.line("  and %d more", k)
	}
	t.line("")
}

// count is "1 reduction", "2 reductions".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	first, rest, more := strings.Cut(what, " ")
	if more {
		return fmt.Sprintf("%d %ss %ss", n, first, rest)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// rank orders by how many ready messages are certain: before every put, from some
// consumers.
func (c *Communication) rank() int {
	if c.OnDemand != nil {
		return 1
	}
	return 0
}

// sends says when ready messages are sent.
func (c *Communication) sends() string {
	text := "a ready message before every put"
	if c.OnDemand != nil {
		text = "a ready message on demand"
	}
	if len(c.Slot.ElidedOn) > 0 {
		text += ", none " + onPEs(c.Slot.ElidedOn)
	}
	return text
}

// advice is the first change that removes the ready messages, one that was tried if there
// is one.
func (c *Communication) advice() string {
	for _, tried := range []bool{true, false} {
		for _, o := range c.Obligations {
			if o.Gap == nil {
				continue
			}
			for _, h := range o.Gap.Hints {
				if h.Tried == tried {
					return "to change: " + h.Text
				}
			}
		}
	}
	return "no change was found"
}

// selects reports whether a view shows a communication.
func (v View) selects(c *Communication) bool {
	if ref, ok := strings.CutPrefix(v.Only, "#"); ok {
		return ref == strconv.Itoa(c.ID)
	}
	n, err := strconv.Atoi(v.Only)
	return v.Only == "" || err == nil && slices.Contains(c.Lines, n)
}

// check wants a communication that the view selects.
func (v View) check(r *Report) error {
	if v.Only == "" || slices.ContainsFunc(r.Communications, func(c Communication) bool { return v.selects(&c) }) {
		return nil
	}
	var have []string
	for _, c := range r.Communications {
		have = append(have, fmt.Sprintf("#%d (line %d)", c.ID, c.Line))
	}
	if have == nil {
		return fmt.Errorf("there is no communication %s: the program has none", v.Only)
	}
	return fmt.Errorf("there is no communication %s: give #NUMBER or a line of %s", v.Only, list(have, "or"))
}

// collectives lists the reductions and barriers as communications of all PEs.
func (t *text) collectives() {
	if len(t.r.Collectives) == 0 {
		return
	}
	t.line("reductions and barriers, in which every PE takes part; each is C, CO and UO in one node:")
	width := 0
	for _, c := range t.r.Collectives {
		width = max(width, len([]rune(bare(c.Name))))
	}
	for _, c := range t.r.Collectives {
		name := bare(c.Name)
		where := fmt.Sprintf("C, CO, UO line %d", c.Line)
		if l := t.r.Graph.Nodes[c.Node].Loop; l > 0 {
			where += " · in " + t.loop(l)
		}
		t.wrap(fmt.Sprintf("  %s%s  ", name, strings.Repeat(" ", width-len([]rune(name)))), where+" · Producers U · Consumers U · U -> U")
	}
	t.line("")
}
