package plan

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
)

// Planes says that successive executions of communication Comm fill different planes
// of an overlap. So the overlap is two slots by itself, without a staging buffer and
// without a copy: a put need not come behind the use of the last value, only behind
// that of the one before, which a proof over two generations shows.
//
// The subscript need not return to the same two values: when execution e puts, that the
// use of e-2 is over is proved, and so are all uses before, which every PE ends in order.
type Planes struct {
	Comm int
	comm.PlaneSub
}

// String is the line of the text form: "alternates 1 in 3: iold".
func (p *Planes) String() string {
	return fmt.Sprintf("alternates %d in %d: %v", p.Comm, p.Dim, p.Sub)
}

// why says what the slots are.
func (p *Planes) why() string {
	return fmt.Sprintf("successive executions fill different planes, as %v alternates in dimension %d", p.Sub, p.Dim)
}

// PlanesOf is a dimension in which successive executions of c are proved to fill
// different planes; nil if there is none. c has to be alone in its cells, as the planes
// of others say nothing.
func (p *Plan) PlanesOf(c *comm.Comm) *Planes {
	if slices.ContainsFunc(p.Classes, func(g []int) bool { return slices.Contains(g, c.ID) }) {
		return nil
	}
	for _, sub := range c.PlaneSubs() {
		if p.Program.Alternates(p.Graph, c, sub.Sub) {
			return &Planes{c.ID, sub}
		}
	}
	return nil
}
