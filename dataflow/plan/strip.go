package plan

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/ir"
)

// Strip is how a temporary is filled strip by strip (comm.Strips): the first strip is
// put, with the message that there is anyway, the later ones are got from the memory
// of the owners. So nothing of what is proved of the slots changes, which only are
// smaller. But a get is a use of the source: before an owner overwrites it, it has to
// know that the value is dead on all PEs that get some of its elements.
type Strip struct {
	*comm.Strips
	Size int // iterations
	// Writes are the nodes of the graph that may assign elements of the source, by ID.
	Writes []int
	// Completes: each PE sends the owners a completion acknowledgement at UO. Else Proof says
	// that other messages are one,
	// before each of Writes.
	Completes bool
	Proof     *proof.Certificate
}

// Writes are the nodes at which elements of an array may be assigned.
func (p *Plan) Writes(array *ir.Symbol) []int {
	var out []int
	for _, n := range p.Graph.Nodes {
		if n.Kind != cfg.Stmt {
			continue
		}
		if s := p.Program.Stmt(n); s != nil && comm.Assigns(s, array) {
			out = append(out, n.ID)
		}
	}
	return out
}

// cells says in words what there is of a temporary.
func (s *Strip) cells() string {
	return fmt.Sprintf(", a strip of %d iterations of %s", s.Size, s.Loop.Index.Name)
}

// WhyStrip says what happens to the source.
func (p *Plan) WhyStrip(s *Strip) string {
	text := fmt.Sprintf("in strips of %d iterations of %s: the first is put, the others are got; ", s.Size, s.Loop.Index.Name)
	name := s.Comm.Array.Name
	if s.Completes {
		return text + fmt.Sprintf("when it is done with them, each PE sends the owners a completion acknowledgement, for which they wait before they overwrite %s", name)
	}
	if s.Proof == nil {
		return text + "nothing is proved of these"
	}
	if between := s.Proof.Witnesses(p.Graph); len(between) > 0 {
		return text + strings.ReplaceAll(p.orders(between, "every get"), "the next put", name+" is overwritten")
	}
	return text + fmt.Sprintf("%s is not overwritten behind them", name)
}

// String is the line of the text form that describes strips:
//
//	strips 3 64 j completes: 31 35
//	strips 3 64 j proof: 31 35; 4-9 NoSync, 13 Cons kills 5
//
// The numbers behind the colon are the nodes that may assign elements of the source.
func (s *Strip) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "strips %d %d %s ", s.Comm.ID, s.Size, s.Loop.Index.Name)
	if s.Completes {
		b.WriteString("completes:")
	} else {
		b.WriteString("proof:")
	}
	if len(s.Writes) > 0 {
		b.WriteString(" " + proof.Numbers(s.Writes, " "))
	}
	if !s.Completes {
		b.WriteString(";" + s.Proof.Body())
	}
	return b.String()
}
