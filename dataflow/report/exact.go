package report

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/hb"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// mostChains is how many pairs of PEs are followed in a program for one number of
// PEs.
const mostChains = 400

// exact tells, for each number of PEs on which the plan needs no ready messages of
// communication r, though it does on others, how the producers know: the longest
// chain of messages that some pair of PEs needs.
func (b *builder) exact(r int, slot *plan.Slot) []Exact {
	out := []Exact{}
	for _, pes := range slot.At {
		e := Exact{PEs: pes, Hops: []ExactHop{}}
		longest := 0
		for _, c := range b.happensBefore(pes).Certificates(r) {
			if c.System == nil {
				continue
			}
			asked := map[[2]int]bool{}
			for _, n := range c.System.Graph.Nodes {
				if n.Kind != cfg.Comm || n.Ref != r || n.Flavour == "recv" || !c.Claims[n.ID].Posted {
					continue
				}
				c.System.May[n.ID].Each(func(p, q int) {
					if asked[[2]int{p, q}] || len(asked) > mostChains {
						return
					}
					asked[[2]int{p, q}] = true
					hops := c.Chain(p, q)
					if len(hops) == 0 {
						return
					}
					e.Pairs++
					if len(hops) > 2 { // the end of the use, the message of an answer
						e.Longer++
					}
					if len(hops) > longest {
						longest, e.Hops = len(hops), b.exactHops(c, p, hops)
					}
				})
			}
		}
		out = append(out, e)
	}
	return out
}

// happensBefore is the analysis for a number of PEs, with the slots of the plan.
func (b *builder) happensBefore(pes int) *hb.Analysis {
	if b.before == nil {
		b.before = map[int]*hb.Analysis{}
	}
	if b.before[pes] == nil {
		slots := b.a.Plan.Slots
		b.before[pes] = hb.Analyze(b.f, hb.Options{
			PEs:    pes,
			Slots:  func(put int) int { return slots[put-1].Count },
			Staged: func(put int) bool { return slots[put-1].Staged },
		})
	}
	return b.before[pes]
}

// exactHops tells a chain, the end of the use first, to PE p, which puts.
func (b *builder) exactHops(c *hb.Certificate, p int, hops []hb.Hop) []ExactHop {
	var out []ExactHop
	add := func(n *cfg.Node, from, to int, text string) {
		out = append(out, ExactHop{Point{c.System.Origin[n.ID], nodeName(n), n.Line}, from, to, text})
	}
	for i, h := range hops {
		switch {
		case i == 0:
			add(h.Node, h.From, h.To, fmt.Sprintf("PE %d is done with %s", h.To, b.refText(c.Use)))
		case isCollective(h.Node):
			add(h.Node, h.From, h.To, fmt.Sprintf("PE %d learns it from PE %d, as all do", h.To, h.From))
		default:
			add(h.Node, h.From, h.To, fmt.Sprintf("%s, from PE %d, lets PE %d know", b.refText(h.Node.Ref), h.From, h.To))
		}
	}
	put := b.f.Put(c.Put)
	return append(out, ExactHop{point(put), p, hops[0].To, fmt.Sprintf("PE %d puts %s to PE %d", p, b.refText(c.Put), hops[0].To)})
}

// String is "on 4 PEs (12 pairs, 4 of them over other PEs)".
func (e Exact) String() string {
	text := fmt.Sprintf("on %d PEs", e.PEs)
	switch {
	case e.Pairs == 0:
		return text + " no use comes before a put that overwrites it"
	case e.Longer == 0:
		return fmt.Sprintf("%s each of the %d pairs of PEs has an answer; one is", text, e.Pairs)
	}
	return fmt.Sprintf("%s %d of the %d pairs of PEs have their answer by way of other PEs; the longest is", text, e.Longer, e.Pairs)
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
func (d *detour) known() *Hint {
	a := d.b.a
	if a.Plan.Kind != plan.Elide || len(a.options.Search.PEs) > 0 {
		return nil
	}
	if d.b.knownPlans == nil {
		for _, n := range triedPEs {
			o := a.options.Search
			o.PEs = []int{n}
			d.b.knownPlans = append(d.b.knownPlans, plan.Search(a.source.f.Program, a.source.f, o))
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
		if say := slot.SaySlots(); !slices.Contains(forms, say) {
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
