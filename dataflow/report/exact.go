package report

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
)

// mostChains is how many pairs of PEs are followed in a program for one number of
// PEs.
const mostChains = 400

// exact says, for each number of PEs on which the plan needs no ready messages of
// communication r, though it does on others, how the producers know: the longest
// chain of messages that some pair of PEs needs.
func (b *builder) exact(r int, slot *plan.Slot) []Exact {
	out := []Exact{}
	for _, pes := range slot.At {
		e := Exact{PEs: pes, Hops: []ExactHop{}}
		longest := 0
		for _, c := range b.a.Plan.On(pes, r) {
			chains, err := b.checker.Chains(c)
			if err != nil {
				panic(fmt.Sprintf("report: a certificate of the plan: %v", err)) // the verifier has accepted it
			}
			chains.Each(r, mostChains, func(p, q int, hops []proof.Hop) {
				e.Pairs++
				if len(hops) > 2 { // the end of the use, the message that acknowledges
					e.Longer++
				}
				if len(hops) > longest {
					longest, e.Hops = len(hops), b.exactHops(c.Use, r, p, hops)
				}
			})
		}
		out = append(out, e)
	}
	return out
}

// exactHops is a chain from the end of a use on, to PE p, which puts.
func (b *builder) exactHops(use, r, p int, hops []proof.Hop) []ExactHop {
	var out []ExactHop
	for i, h := range hops {
		n := b.g.Nodes[h.Node]
		text := ""
		switch {
		case i == 0:
			text = fmt.Sprintf("PE %d is done with %s", h.To, b.refText(use))
		case h.Ready:
			text = fmt.Sprintf("the ready message for %s, from PE %d, lets PE %d know", b.refText(n.Ref), h.From, h.To)
		case isCollective(n):
			text = fmt.Sprintf("PE %d learns it from PE %d, as all do", h.To, h.From)
		default:
			text = fmt.Sprintf("%s, from PE %d, lets PE %d know", b.refText(n.Ref), h.From, h.To)
		}
		out = append(out, ExactHop{point(n), h.From, h.To, text})
	}
	put := b.f.Put(r)
	return append(out, ExactHop{point(put), p, hops[0].To, fmt.Sprintf("PE %d puts %s to PE %d", p, b.refText(r), hops[0].To)})
}

// String is "on 4 PEs (12 pairs, 4 of them over other PEs)".
func (e Exact) String() string {
	text := fmt.Sprintf("on %d PEs", e.PEs)
	switch {
	case e.Pairs == 0:
		return text + " no use comes before a put that overwrites it"
	case e.Longer == 0:
		return fmt.Sprintf("%s each of the %d pairs of PEs has an acknowledgement; one is", text, e.Pairs)
	}
	return fmt.Sprintf("%s %d of the %d pairs of PEs have their acknowledgement by way of other PEs; the longest is", text, e.Longer, e.Pairs)
}

// onPEs is "on 2, 3 and 4 PEs".
func onPEs(pes []int) string {
	var names []string
	for _, n := range pes {
		names = append(names, fmt.Sprint(n))
	}
	return "on " + list(names, "and") + " PEs"
}

// triedPEs are the numbers of PEs that a hint tries.
var triedPEs = []int{2, 3, 4, 8}

// known is the hint to make the program for a number of PEs: the plan is made anew
// for a few.
func (d *counterexample) known() *Hint {
	a := d.b.a
	if a.Plan.Kind != plan.Elide || len(a.options.Search.PEs) > 0 {
		return nil
	}
	if d.b.knownPlans == nil {
		for _, n := range triedPEs {
			o := a.options.Search
			o.PEs = []int{n}
			d.b.knownPlans = append(d.b.knownPlans, search.Make(a.source.f.Program, plan.Elide, a.source.f, o))
		}
	}
	var pes []int
	var forms []string
	for i, p := range d.b.knownPlans {
		slot := &p.Slots[d.it.Put-1]
		if !slices.Contains(slot.At, triedPEs[i]) {
			continue
		}
		pes = append(pes, triedPEs[i])
		if say := slot.Form.Slots(); !slices.Contains(forms, say) {
			forms = append(forms, say)
		}
	}
	if pes == nil {
		return nil
	}
	text := fmt.Sprintf("the number of PEs, if it is known (-n): %s no ready message is needed", onPEs(pes))
	if !slices.Equal(forms, []string{"one slot"}) {
		text += ", with " + list(forms, "or")
	}
	return &Hint{text, true}
}
