package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// svg draws the graph. Boxes, rows and edges carry the numbers of their nodes, so
// that the page can mark paths and show values; a pill is a link that selects
// its communication. Colours come from the page's style.
func (r *Report) svg() string {
	d := r.Graph.layout()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg id="graph" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="group" aria-label="control-flow graph">`, d.width, d.height, d.width, d.height)
	b.WriteString(`<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>`)
	for _, e := range d.edges {
		class := "edge"
		if e.back {
			class += " back"
		}
		fmt.Fprintf(&b, `<path class="%s" data-e="%d-%d" d="%s" marker-end="url(#arrow)"/>`, class, e.from, e.at, e.path())
		if e.label != "" {
			p := e.points[0]
			fmt.Fprintf(&b, `<text class="branch" x="%.1f" y="%.1f">%s</text>`, p[0]+4, p[1]+11, e.label)
		}
		if e.stub {
			p := e.points[len(e.points)-1]
			fmt.Fprintf(&b, `<text class="branch" x="%.1f" y="%.1f">exit</text>`, p[0]+4, p[1])
		}
	}
	for _, bl := range d.blocks {
		r.drawBlock(&b, bl)
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// path is the curve of an edge.
func (e *drawnEdge) path() string {
	const turn = 12.0
	p := e.points
	var b strings.Builder
	fmt.Fprintf(&b, "M%.1f %.1f", p[0][0], p[0][1])
	// along goes from point to point.
	along := func(from, to int) {
		for i := from; i < to; i++ {
			u, v := p[i-1], p[i]
			if math.Abs(u[0]-v[0]) < 0.5 {
				fmt.Fprintf(&b, "L%.1f %.1f", v[0], v[1])
				continue
			}
			m := (u[1] + v[1]) / 2
			fmt.Fprintf(&b, "C%.1f %.1f %.1f %.1f %.1f %.1f", u[0], m, v[0], m, v[0], v[1])
		}
	}
	if e.stub || !e.up() {
		along(1, len(p))
		return b.String()
	}
	// Out below, beside the layers up, and in from above.
	last := len(p) - 1
	low, high := p[1], p[last-1]
	in := p[last][0] + math.Copysign(10, high[0]-p[last][0])
	fmt.Fprintf(&b, "C%.1f %.1f %.1f %.1f %.1f %.1f", p[0][0], low[1]+2*turn, low[0], low[1]+2*turn, low[0], low[1])
	along(2, last)
	fmt.Fprintf(&b, "C%.1f %.1f %.1f %.1f %.1f %.1f", high[0], high[1]-2*turn, in, p[last][1]-2*turn, in, p[last][1])
	return b.String()
}

// up reports whether the edge goes beside its layers, upwards.
func (e *drawnEdge) up() bool {
	return len(e.points) > 3 && e.points[1][1] > e.points[len(e.points)-2][1] || len(e.points) == 4 && e.points[1][1] >= e.points[2][1]
}

func (r *Report) drawBlock(b *strings.Builder, bl *block) {
	left := bl.x - bl.w/2
	first := &r.Graph.Nodes[bl.nodes[0]]
	class := "box"
	if first.Kind == "loop" || first.Kind == "join" && len(bl.nodes) == 1 {
		class += " " + first.Kind
	}
	last := &r.Graph.Nodes[bl.nodes[len(bl.nodes)-1]]
	if last.Kind == "branch" {
		class += " branches"
	}
	radius := 5
	if class == "box join" {
		radius = 6
	}
	fmt.Fprintf(b, `<g class="%s"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%d"/>`, class, left, bl.y, bl.w, bl.h, radius)
	y := bl.y + padding
	for _, row := range bl.rows {
		h := row.height()
		mid := y + h/2
		if row.pills {
			x := left + padding
			for _, id := range row.nodes {
				r.drawPill(b, id, x, mid)
				x += pillWidth(&r.Graph.Nodes[id]) + pillGap
			}
		} else if row.text != "" {
			n := &r.Graph.Nodes[row.nodes[0]]
			fmt.Fprintf(b, `<text class="row %s" data-n="%d" data-line="%d" x="%.1f" y="%.1f"><title>%s</title>%s</text>`,
				n.Kind, n.ID, n.Line, left+padding, mid+4, html.EscapeString(r.title(n)), html.EscapeString(row.text))
		}
		if row.text != "" || row.pills {
			fmt.Fprintf(b, `<text class="value" data-v="%d" x="%.1f" y="%.1f"></text>`, row.nodes[len(row.nodes)-1], left+bl.w-6, mid+4)
		}
		y += h
	}
	b.WriteString(`</g>`)
}

func (r *Report) drawPill(b *strings.Builder, id int, x, mid float64) {
	n := &r.Graph.Nodes[id]
	w, h := pillWidth(n), pillHeight-2
	shape := fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.0f"/><text x="%.1f" y="%.1f">%s</text><title>%s</title>`,
		x, mid-h/2, w, h, h/2, x+w/2, mid+4, html.EscapeString(pillText(n)), html.EscapeString(r.title(n)))
	if n.Kind == "reduce" || n.Kind == "barrier" {
		fmt.Fprintf(b, `<g class="pill collective" data-n="%d" data-line="%d">%s</g>`, id, n.Line, shape)
		return
	}
	c := &r.Communications[n.Ref-1]
	fmt.Fprintf(b, `<a href="#c%d" class="pill %s %s" data-n="%d" data-c="%d" data-line="%d" aria-label="%s">%s</a>`,
		n.Ref, strings.ToLower(c.Verdict), n.Kind, id, n.Ref, n.Line,
		html.EscapeString(fmt.Sprintf("%s, %s, line %d: %s", n.Name, strings.Join(c.References, ", "), n.Line, c.Verdict)), shape)
}

// title is what a node says when the pointer rests on it.
func (r *Report) title(n *Node) string {
	text := n.Name
	if n.Text != "" && n.Kind != "reduce" {
		text += ": " + n.Text
	}
	if n.Line > 0 {
		text += fmt.Sprintf(" (line %d)", n.Line)
	}
	return text
}
