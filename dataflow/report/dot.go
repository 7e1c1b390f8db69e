package report

import (
	"bytes"
	"fmt"

	"github.com/spmdc/spmdc/cfg"
)

// fills are the colours of communication nodes by verdict, for C, CO and UO from
// dark to light. Sync has a thick border besides, for those who see no colours.
var fills = map[string][3]string{
	"NoSync": {"#7fd6a0", "#b8e8ca", "#dcf4e5"},
	"Once":   {"#8fbdf0", "#bfd9f7", "#dfecfb"},
	"Sync":   {"#f59a4c", "#f9c596", "#fce3cb"},
}

// DOT is the graph, which the report must be about, in the language of graphviz,
// with communication nodes coloured by verdict.
func (r *Report) DOT(g *cfg.Graph) string {
	var b bytes.Buffer
	// A buffer takes everything.
	_ = g.WriteDOTWith(&b, func(n *cfg.Node) string {
		if n.Kind != cfg.Comm && n.Kind != cfg.CommOver && n.Kind != cfg.UseOver {
			return ""
		}
		c := &r.Communications[n.Ref-1]
		width := 1
		if c.Verdict == "Sync" {
			width = 3
		}
		about := c.Verdict
		if form := c.Slot.form(); form != "" {
			about += ", " + form
		}
		return fmt.Sprintf("fillcolor=%q, penwidth=%d, tooltip=%q", fills[c.Verdict][n.Kind-cfg.Comm], width, about)
	})
	return b.String()
}
