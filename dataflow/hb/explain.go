package hb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// Hop is a step by which a PE gets to know that a use is over.
type Hop struct {
	From, To int // PEs; equal for the end of the use itself
	Node     *cfg.Node
}

// Chain is how PE p, when it puts to PE q, knows that q's use of the slot is over:
// the shortest chain of messages on the shortest path to the put for which there
// is one, the end of the use first. It is nil if no use comes before a put, no
// such message is put, or the certificate is by forms.
func (c *Certificate) Chain(p, q int) []Hop {
	if c.System == nil {
		return nil
	}
	for _, n := range c.System.Graph.Nodes {
		if puts(n) && n.Ref == c.Put && c.Claims[n.ID].Posted && c.System.May[n.ID].Has(p, q) {
			if hops := c.search(trace{n.ID, p, c.Slots - 1, 0}, q); hops != nil {
				return hops
			}
		}
	}
	return nil
}

// trace is a fact that is followed back: in front of a node PE pe knows of the
// use of an age, or will when communication ref arrives.
type trace struct{ node, pe, age, ref int }

// search goes back from a fact to the end of the use at q.
func (c *Certificate) search(start trace, q int) []Hop {
	type step struct {
		to  trace // the fact that this one leads to
		hop *Hop
	}
	from := map[trace]step{start: {}}
	work := []trace{start}
	for len(work) > 0 {
		t := work[0]
		work = work[1:]
		for _, m := range c.System.Graph.Nodes[t.node].Preds {
			if m.Ref == c.Use && t.age == 0 && t.ref == 0 && t.pe == q &&
				(m.Kind == cfg.UseOver && !c.Staged || m.Kind == cfg.CommOver && c.Staged) {
				hops := []Hop{{q, q, m}}
				for at := t; at != start; at = from[at].to {
					if h := from[at].hop; h != nil {
						hops = append(hops, *h)
					}
				}
				return hops
			}
			for _, b := range c.before(t, m, q) {
				if _, seen := from[b]; seen {
					continue
				}
				s := step{to: t}
				switch {
				case t.ref != 0 && b.ref == 0:
					s.hop = &Hop{b.pe, t.pe, m}
				case b.pe != t.pe:
					s.hop = &Hop{b.pe, t.pe, m}
				}
				from[b] = s
				work = append(work, b)
			}
		}
	}
	return nil
}

// before is the facts in front of m any of which gives t behind it.
func (c *Certificate) before(t trace, m *cfg.Node, q int) []trace {
	in := c.Claims[m.ID]
	var out []trace
	add := func(b trace) {
		b.node = m.ID
		known := in.Known
		if b.ref != 0 {
			if known = in.Flights[b.ref]; known == nil {
				return
			}
		}
		if in.Posted && c.knows(known, b.age, b.pe, q) {
			out = append(out, b)
		}
	}
	if puts(m) && m.Ref == c.Use {
		if t.age == 0 {
			return nil
		}
		t.age--
	}
	ends := m.Ref == c.Use && (m.Kind == cfg.UseOver && !c.Staged || m.Kind == cfg.CommOver && c.Staged)
	if ends && t.age == 0 {
		return nil
	}
	switch {
	case t.ref != 0 && m.Kind == cfg.Comm && m.Ref == t.ref && m.Flavour != send:
		for s := range c.System.PEs {
			if c.System.Must[m.ID].Has(s, t.pe) {
				add(trace{pe: s, age: t.age})
			}
		}
		return out
	case m.Kind == cfg.CommOver && t.ref == 0:
		add(t)
		t.ref = m.Ref
	case t.ref == 0 && (m.Kind == cfg.Reduce || m.Kind == cfg.Barrier):
		add(t)
		for s := range c.System.PEs {
			if s != t.pe {
				add(trace{pe: s, age: t.age})
			}
		}
		return out
	}
	add(t)
	return out
}

// Why says for people why communication r needs no ready message, or which one it
// needs.
func (a *Analysis) Why(r int) string {
	res := a.Comms[r-1]
	switch {
	case res.Against != 0:
		return a.missing(r, res.Against)
	case res.Verdict == synch.Once:
		return "nothing has used the slot when it is put"
	}
	var parts []string
	for _, c := range a.Certificates(r) {
		if s := a.chain(c); s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	if parts == nil {
		return "no use of the slot comes before a put that could overwrite it"
	}
	return strings.Join(parts, "; ")
}

// chain is an example of the longest chain that a certificate needs.
func (a *Analysis) chain(c *Certificate) string {
	if c.System == nil {
		var names []string
		for _, y := range c.Kills {
			names = append(names, a.reference(y))
		}
		for _, n := range a.Functions.Graph.Nodes {
			f := c.Forms[n.ID]
			if n.Kind == cfg.Reduce && f.Posted && slices.ContainsFunc(f.Ages, func(l Level) bool { return l == Over || l == ToldNext }) {
				names = append(names, a.Functions.Program.Teller(n))
			}
		}
		if names == nil {
			return ""
		}
		return "every use is known to the next producers by " + strings.Join(names, " or ")
	}
	var longest []Hop
	seen := map[[2]int]bool{}
	for _, n := range c.System.Graph.Nodes {
		if !puts(n) || n.Ref != c.Put || !c.Claims[n.ID].Posted {
			continue
		}
		c.System.May[n.ID].Each(func(p, q int) {
			if seen[[2]int{p, q}] {
				return
			}
			seen[[2]int{p, q}] = true
			if hops := c.Chain(p, q); len(hops) > len(longest) {
				longest = hops
			}
		})
	}
	if longest == nil {
		return ""
	}
	text := fmt.Sprintf("PE %d is done with the value of %s in line %d", longest[0].To, a.reference(c.Use), longest[0].Node.Line)
	for _, h := range longest[1:] {
		text += fmt.Sprintf(", %s tells PE %d", a.Functions.Program.Teller(h.Node), h.To)
	}
	return text + fmt.Sprintf(", which puts #%d", c.Put)
}

// missing is a pair of PEs for which nothing orders a use before the put.
func (a *Analysis) missing(r, use int) string {
	if a.System != nil {
		how := slots{n: 1}
		if a.layout.own(r) {
			how = a.layout[r-1]
		}
		f := a.exact.solve(a.exact.rules(use, how))
		for _, n := range a.exact.nodes[r] {
			if !puts(n) {
				continue
			}
			in := f.at(n)
			last := f.age(&in, how.n-1)
			if !in.posted || last == nil {
				continue
			}
			text := ""
			a.System.May[n.ID].Each(func(p, q int) {
				if text == "" && f.of(last, q)>>p&1 == 0 {
					text = fmt.Sprintf("when PE %d puts to PE %d in line %d, nothing need have told it that PE %d is done with the value of %s", p, q, n.Line, q, a.reference(use))
				}
			})
			if text != "" {
				return text
			}
		}
	}
	return "nothing orders every use of " + a.reference(use) + " before the next put"
}

// reference names communication r: "#5 (broadcast of d(k), line 90)".
func (a *Analysis) reference(r int) string { return a.Functions.Program.Comms[r-1].Title() }
