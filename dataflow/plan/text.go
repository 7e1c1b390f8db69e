package plan

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/ir"
)

// Explain is the text of stage plan: the slots, each followed by the proofs that
// make its ready messages unnecessary, and in plan elide by what was tried; the
// barriers that were tried; the classes of communications that may fill the same
// cells; then the graph with communication nodes. It is for people and tests.
func (p *Plan) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", p.Kind)
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	for i := range p.Slots {
		s := &p.Slots[i]
		fmt.Fprintf(&b, "slot %d %v %s of %s, line %d: %s # %s\n", s.Comm.ID, s.Form, s.Comm.Kind, ir.ExprString(s.Comm.Refs[0]), s.Comm.Line, s.Cells, p.Why(s.Comm))
		for _, t := range s.Tried {
			fmt.Fprintf(&b, "tried %v\n", t)
		}
		for _, c := range s.Proofs {
			fmt.Fprintln(&b, c)
		}
		if s.Planes != nil {
			fmt.Fprintln(&b, s.Planes)
		}
		if s.Strip != nil {
			fmt.Fprintln(&b, s.Strip)
		}
		if len(s.At) > 0 {
			fmt.Fprintf(&b, "elided on %s PEs\n", proof.Numbers(s.At, " "))
		}
	}
	for _, f := range p.Fenced {
		fmt.Fprintf(&b, "barrier %s\n", f)
	}
	for _, c := range p.Classes {
		fmt.Fprintf(&b, "class %s\n", proof.Numbers(c, " "))
	}
	for _, f := range p.Finite {
		b.WriteString(f.String())
		for _, c := range f.Certificates {
			fmt.Fprintln(&b, c)
		}
	}
	b.WriteString(p.Graph.String())
	return b.String()
}
