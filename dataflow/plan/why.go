package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// WhyShared says what the analysis found for a slot; against is the communication
// whose use nothing is known to order before its puts, 0 if there is none.
func (p *Plan) WhyShared(s *Slot, against int) string {
	switch {
	case against == s.Comm.ID:
		return "ready message: nothing is known to order its last use before the next put"
	case against > 0:
		return "ready message: nothing is known to order the last use of " + p.Reference(against) + ", in the same cells, before the next put"
	case s.Verdict == synch.Once:
		return "once: nothing has used the slot when it is put, and it is put only once"
	}
	var between []*cfg.Node
	chains := ""
	for i := range s.Proofs {
		between = append(between, s.Proofs[i].Witnesses(p.Graph)...)
		for _, c := range s.Proofs[i].Chains() {
			chains += fmt.Sprintf("; each of %s passes the acknowledgement on to the next", numbered(c))
		}
	}
	what := "every use"
	if len(s.Proofs) > 1 {
		what = "every use of these cells"
	}
	if len(between) == 0 {
		return "no ready message: no use of the slot comes before a put that could overwrite it"
	}
	return "no ready message: " + p.orders(between, what) + chains
}

// numbered is "#2, #3".
func numbered(comms []int) string { return "#" + proof.Numbers(comms, ", #") }

// WhyRing is why for a slot with a proof over generations; between is what orders its uses.
func (p *Plan) WhyRing(s *Slot, between []*cfg.Node) string {
	what := "every copy from the staging buffer"
	switch {
	case s.Staged && s.Ring > 1:
		what = "every copy from a staging buffer"
	case s.Planes != nil:
		what = "every use of a plane"
	case !s.Staged:
		what = "every use of a slot"
	}
	if len(between) == 0 {
		return fmt.Sprintf("no ready message: at most %d executions, each with a slot of its own", s.Ring)
	}
	why := "no ready message: " + p.orders(between, what) + " into it"
	if s.Planes != nil {
		why += "; " + s.Planes.why()
	}
	return why
}

// Say is what the slot is, in words.
func (s *Slot) Say() string {
	text := s.Slots()
	if s.Strip != nil {
		text += fmt.Sprintf(", in strips of %d", s.Strip.Size)
	}
	return text + [...]string{"", ", on demand", ", a ready message before every put"}[s.Ready]
}

// orders says that the given nodes order what before the next put.
func (p *Plan) orders(nodes []*cfg.Node, what string) string {
	var names []string
	for _, n := range nodes {
		if name := p.Program.Witness(n); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch last := len(names) - 1; {
	case last == 0 && nodes[0].Kind == cfg.CommOver:
		return fmt.Sprintf("%s goes from every user to the next producers, and so orders %s before the next put", names[0], what)
	case last == 0:
		return fmt.Sprintf("%s orders %s before the next put", names[0], what)
	default:
		return fmt.Sprintf("%s or %s, whichever comes on the way, orders %s before the next put", strings.Join(names[:last], ", "), names[last], what)
	}
}

// Reference names communication r: "#5 (broadcast of d(k), line 90)".
func (p *Plan) Reference(r int) string { return p.Slots[r-1].Comm.Title() }
