package barriers

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/page"
	"github.com/spmdc/spmdc/runtime/elide"
)

// The page shows the tree of calls that lead to barriers, as Figures 5 to 8 of the
// paper do: each call with the barriers below it as a bar, as long as their share
// of all barriers, of which the parts that were elided, redundant and needed have
// colours of their own.

// branch is a call in that tree, or with Why a barrier.
type branch struct {
	label    string
	context  *elide.LogContext // of a barrier
	row      elide.Counts      // of all barriers below
	children []*branch
}

func (b *branch) child(label string) *branch {
	for _, c := range b.children {
		if c.label == label {
			return c
		}
	}
	c := &branch{label: label}
	b.children = append(b.children, c)
	return c
}

// tree is the calls, those with most barriers first.
func (r *Report) tree() *branch {
	root := &branch{label: r.Program}
	for i := range r.Contexts {
		c := &r.Contexts[i]
		b := root
		b.row.Add(&c.Counts)
		for _, label := range c.Path {
			b = b.child(label)
			b.row.Add(&c.Counts)
		}
		b.context = c
	}
	root.sort()
	return root
}

func (b *branch) sort() {
	slices.SortStableFunc(b.children, func(x, y *branch) int { return cmp.Compare(y.row.Barriers, x.row.Barriers) })
	for _, c := range b.children {
		c.sort()
	}
}

// pageKind is what makes a report of a page.
const pageKind = "barriers"

const pageStyle = `.row { display: grid; grid-template-columns: minmax(16em, 1fr) 16em 5em 6em 6em 7em 6em; gap: 0 .8em; align-items: center; padding: .1em 0; border-bottom: 1px solid var(--line) }
.row span { text-align: right; font-variant-numeric: tabular-nums } .row .name { text-align: left; overflow-wrap: anywhere } .row .name i { color: var(--dim); font-style: normal }
.head { color: var(--dim) }
summary { cursor: pointer; list-style: none } summary::-webkit-details-marker { display: none }
summary .name::before { content: "▸ "; color: var(--dim) } details[open] > summary .name::before { content: "▾ " } .leaf .name::before { content: "· "; color: var(--dim) }
.bar { display: flex; height: .8em; background: none } .bar b { height: 100% }
.elided { background: var(--elided) } .redundant { background: var(--redundant) } .needed { background: var(--needed) }
.key b { display: inline-block; width: 1em; height: .8em; margin: 0 .3em 0 1em }
`

func (r *Report) html(w io.Writer) {
	t := &r.Total
	title := "Barriers of " + r.Program
	page.Head(w, pageKind, title, pageStyle)
	fmt.Fprintf(w, "<h1>%s</h1>\n<p>%s PEs, %s</p>\n", html.EscapeString(title), numbers(r.PEs), doing(r.Mode))
	fmt.Fprintf(w, "<table><tr><th>barriers<th>executed<th>elided<th>redundant<th>by Table 1<th>contexts<th>ms in barriers</tr>\n")
	fmt.Fprintf(w, "<tr><td>%d<td>%d<td>%d (%.1f %%)<td>%d (%.1f %%)<td>%d (%.1f %%)<td>%d<td>%s</tr></table>\n",
		t.Barriers, t.Executed, t.Elided(), share(t.Elided(), t.Barriers), t.Redundant, share(t.Redundant, t.Barriers), t.Ideal, share(t.Ideal, t.Barriers), len(r.Contexts), number(t.Time))
	if t.Broken > 0 {
		fmt.Fprintf(w, "<p>Consensus was broken %d times, by all PEs each time: these barriers were executed although their contexts are elided.</p>\n", t.Broken)
	}
	fmt.Fprintf(w, "<p class=key>A bar is the barriers below a call: <b class=elided></b>elided <b class=redundant></b>redundant, and executed <b class=needed></b>needed</p>\n")

	if len(r.Subcontexts) > 0 {
		fmt.Fprintf(w, "<h2>Subcontexts that were redundant each time</h2>\n<table><tr><th>share<th>barriers<th>executed<th>ms<th>contexts<th class=path>calls, and the barrier</tr>\n")
		for i := range r.Subcontexts {
			s := &r.Subcontexts[i]
			fmt.Fprintf(w, "<tr><td>%.1f %%<td>%d<td>%d<td>%s<td>%d<td class=path>%s</tr>\n",
				share(s.Barriers, t.Barriers), s.Barriers, s.Executed, number(s.Time), s.Contexts, html.EscapeString(r.named(s.Suffix)))
		}
		fmt.Fprintf(w, "</table>\n")
	}
	fmt.Fprintf(w, "<h2>Calling contexts</h2>\n<div class=\"row head\"><span class=name>call or barrier</span><span></span><span>share</span><span>barriers</span><span>executed</span><span>redundant</span><span>ms</span></div>\n")
	r.branch(w, r.tree(), 0)
	page.End(w)
}

// openLevels is how far the tree is unfolded at first.
const openLevels = 4

func (r *Report) branch(w io.Writer, b *branch, depth int) {
	name := html.EscapeString(b.label)
	if proc := r.Calls[b.label]; proc != "" && len(b.children) > 0 {
		name += " <i>calls " + html.EscapeString(proc) + "</i>"
	}
	if c := b.context; c != nil {
		name += " <i>" + html.EscapeString(c.Why.String()+note(c.Note)) + "</i>"
		if c.Broken > 0 {
			name += fmt.Sprintf(" <i>consensus broken %d times</i>", c.Broken)
		}
	}
	part := func(class string, n uint64) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("<b class=%s style=\"width:%.2f%%\" title=\"%d %s\"></b>", class, share(n, r.Total.Barriers), n, class)
	}
	row := fmt.Sprintf("<span class=name style=\"padding-left:%.1fem\">%s</span><span class=bar>%s%s%s</span><span>%.1f %%</span><span>%d</span><span>%d</span><span>%.1f %%</span><span>%s</span>",
		1.2*float64(depth), name, part("elided", b.row.Elided()), part("redundant", b.row.Redundant-b.row.Elided()), part("needed", b.row.Barriers-b.row.Redundant),
		share(b.row.Barriers, r.Total.Barriers), b.row.Barriers, b.row.Executed, share(b.row.Redundant, b.row.Barriers), number(b.row.Time))
	if len(b.children) == 0 {
		fmt.Fprintf(w, "<div class=\"row leaf\">%s</div>\n", row)
		return
	}
	open := ""
	if depth < openLevels {
		open = " open"
	}
	fmt.Fprintf(w, "<details%s><summary><div class=row>%s</div></summary>\n", open, row)
	for _, c := range b.children {
		r.branch(w, c, depth+1)
	}
	fmt.Fprintf(w, "</details>\n")
}
