package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
)

// SlotProof is the certificate that communication Comm, whose slots are its own,
// may put without ready messages: what holds on entry to each node, on all paths
// that lead there, of the value that came last (age 0), of the one before (age 1),
// and so on, an age for each slot. As in a Proof no more is claimed than the
// conclusion needs.
//
// The next put is into the slot of the value of the highest age.
//
// The proof is one for each pair of PEs p and q with a message p -> q. With Asks
// it holds for those pairs only between which each of these communications goes
// from q to p; the others have ready messages. The messages of these
// communications are the same whenever they are executed in the outermost loop
// around Comm, so that both PEs know at any time which pairs these are.
type SlotProof struct {
	Comm  int
	Ages  [][]Span
	Kills []Answer
	Asks  []int
}

// counts reports whether the proof takes for granted that a message of
// communication y answers the put that comes as number nth behind it.
func (p *SlotProof) counts(y, nth int) bool {
	return slices.Contains(p.Kills, Answer{y, nth}) || slices.Contains(p.Asks, y)
}

// Answer says of which messages of communication Comm a proof takes for granted
// that they answer the put that comes as number Nth behind them, from 1: for each
// pair of PEs with a message p -> q of that put there was the message q -> p, or
// p = q.
type Answer struct{ Comm, Nth int }

func (a Answer) String() string { return fmt.Sprintf("%d@%d", a.Comm, a.Nth) }

// countsSince is counts for that number or a later one.
func (p *SlotProof) countsSince(y, nth int) bool {
	for ; nth <= len(p.Ages); nth++ {
		if p.counts(y, nth) {
			return true
		}
	}
	return false
}

// claims unpacks the proof for a graph: by node, then by age.
func (p *SlotProof) claims(g *cfg.Graph) ([][]Claim, error) {
	out := make([][]Claim, len(g.Nodes))
	cells := make([]Claim, len(g.Nodes)*len(p.Ages))
	for id := range out {
		out[id] = cells[id*len(p.Ages):][:len(p.Ages):len(p.Ages)]
	}
	for a, list := range p.Ages {
		one := Proof{Claims: list}
		claims, err := one.claims(g)
		if err != nil {
			return nil, fmt.Errorf("age %d: %w", a, err)
		}
		for id, c := range claims {
			out[id][a] = c
		}
	}
	return out, nil
}

// String is the line of the text form:
//
//	ages 3: 4-9 NoSync, 10-12 CS; 4-9 NoSync, 10 NoSyncP{5} kills 5@1 asks 6
func (p *SlotProof) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ages %d:", p.Comm)
	for a, list := range p.Ages {
		if a > 0 {
			b.WriteByte(';')
		}
		writeSpans(&b, list)
	}
	for i, k := range p.Kills {
		if i == 0 {
			b.WriteString(" kills")
		}
		fmt.Fprintf(&b, " %v", k)
	}
	if len(p.Asks) > 0 {
		b.WriteString(" asks " + numbers(p.Asks, " "))
	}
	return b.String()
}

// parseSlotProof reads what String writes.
func parseSlotProof(line string) (*SlotProof, error) {
	bad := func(what, found string) (*SlotProof, error) {
		return nil, fmt.Errorf("%s %q, want \"ages COMM: NODES LEVEL, ...; NODES LEVEL, ... kills COMM@NTH ... asks COMM ...\"", what, found)
	}
	head, rest, ok := strings.Cut(line, ":")
	f := strings.Fields(head)
	if !ok || len(f) != 2 || f[0] != "ages" {
		return bad("found", line)
	}
	p := &SlotProof{}
	var err error
	if p.Comm, err = strconv.Atoi(f[1]); err != nil {
		return bad("number", head)
	}
	rest, asks, _ := strings.Cut(rest, " asks ")
	for _, k := range strings.Fields(asks) {
		y, err := strconv.Atoi(k)
		if err != nil {
			return bad("asks", asks)
		}
		p.Asks = append(p.Asks, y)
	}
	rest, kills, _ := strings.Cut(rest, " kills ")
	for _, k := range strings.Fields(kills) {
		y, nth, ok := strings.Cut(k, "@")
		var a Answer
		var err1, err2 error
		a.Comm, err1 = strconv.Atoi(y)
		a.Nth, err2 = strconv.Atoi(nth)
		if !ok || err1 != nil || err2 != nil {
			return bad("kills", kills)
		}
		p.Kills = append(p.Kills, a)
	}
	for _, age := range strings.Split(rest, ";") {
		list, wrong, ok := parseSpans(age)
		if !ok {
			return bad("claim", wrong)
		}
		p.Ages = append(p.Ages, list)
	}
	return p, nil
}

// checkSlots wants, for a communication with slots of its own that puts without
// ready messages, an inductive proof over the ages of its values.
func (d *Document) checkSlots(put *cfg.Node, s *SlotText) error {
	p := s.Proof
	if p == nil {
		return fmt.Errorf("line %d: %s puts without ready message, and no proof says that its slots are free by then", put.Line, put.Name())
	}
	if s.Staged && (put.Flavour == "recv" || put.Flavour == "send") {
		return fmt.Errorf("line %d: %s is pipelined, so what comes goes where it is used, and not into a stage", put.Line, put.Name())
	}
	if !s.Staged && slices.ContainsFunc(d.Classes, func(c []int) bool { return slices.Contains(c, s.ID) }) {
		return fmt.Errorf("line %d: %s fills the cells of others too, and has a proof over its own values only", put.Line, put.Name())
	}
	if len(p.Ages) != s.Count {
		return fmt.Errorf("line %d: %s has %d slots, and a proof over %d ages", put.Line, put.Name(), s.Count, len(p.Ages))
	}
	if err := d.checkAges(p, s.Staged); err != nil {
		return fmt.Errorf("line %d: %s puts without ready message: the proof over its slots fails: %w", put.Line, put.Name(), err)
	}
	return nil
}

// checkAges checks that the claims of p hold along every edge, U at the entry
// aside, and that they suffice wherever p.Comm puts.
func (d *Document) checkAges(p *SlotProof, staged bool) error {
	at, err := p.claims(d.Graph)
	if err != nil {
		return err
	}
	for _, k := range p.Kills {
		if k.Nth < 1 || k.Nth > len(p.Ages) || k.Comm == p.Comm && k.Nth == len(p.Ages) {
			return fmt.Errorf("#%d cannot answer the put that comes as number %d", k.Comm, k.Nth)
		}
		if k.Comm != p.Comm {
			if err := d.mayKill(k.Comm, &Proof{Use: p.Comm, Put: p.Comm}); err != nil {
				return err
			}
		}
	}
	for _, y := range p.Asks {
		if err := d.mayAsk(y, p.Comm); err != nil {
			return err
		}
	}
	oldest := len(p.Ages) - 1
	for _, n := range d.Graph.Nodes {
		for a, c := range at[n.ID] {
			for _, tag := range c.Tags {
				// A tag may have become one when the value was younger.
				if !p.countsSince(tag, oldest+1-a) {
					return fmt.Errorf("node %d counts at age %d on a message of #%d, which is not among its kills", n.ID, a, tag)
				}
			}
		}
		if puts(n, p.Comm) && at[n.ID][oldest].Level < NoSync {
			return fmt.Errorf("%v at age %d where %s puts, NoSync or U wanted", at[n.ID][oldest], oldest, n.Name())
		}
		out := p.pass(at[n.ID], n, staged)
		for _, s := range n.Succs {
			for a, c := range at[s.ID] {
				if !atMost(c, out[a]) {
					return fmt.Errorf("node %d claims %v at age %d, but only %v comes from node %d (%s)", s.ID, c, a, out[a], n.ID, n.Name())
				}
			}
		}
	}
	return nil
}

// mayAsk wants y in the same outermost loop as x: there it is always the same. x may
// ask itself when it has an older value.
func (d *Document) mayAsk(y, x int) error {
	if y != x {
		if err := d.mayKill(y, &Proof{Use: x, Put: x}); err != nil {
			return err
		}
	}
	loop := func(r int) (out *cfg.Loop) {
		for _, n := range d.Graph.Nodes {
			if puts(n, r) {
				for l := n.Loop; l != nil; l = l.Parent {
					out = l
				}
			}
		}
		return out
	}
	if l := loop(y); l == nil || l != loop(x) {
		return fmt.Errorf("#%d asks #%d, which is not in the same outermost loop", x, y)
	}
	return nil
}

// pass is what holds behind n, by age, when in holds before it.
func (p *SlotProof) pass(in []Claim, n *cfg.Node, staged bool) []Claim {
	out := slices.Clone(in)
	pending := func(c Claim) bool { return c.Level == Cons || c.Level == NoSyncP }
	switch n.Kind {
	case cfg.Reduce, cfg.Barrier:
		for a, c := range out {
			if pending(c) {
				out[a] = Claim{Level: NoSync}
			}
		}
		return out
	case cfg.CommOver:
		for a, c := range out {
			if c.Level == NoSyncP && slices.Contains(c.Tags, n.Ref) {
				out[a] = Claim{Level: NoSync}
			}
		}
	case cfg.Comm:
		if n.Flavour == "recv" {
			return out
		}
		if n.Ref == p.Comm {
			// The value that goes is the oldest; the others take its place one by one.
			if in[len(in)-1].Level < NoSync {
				return make([]Claim, len(in))
			}
			out[0] = Claim{Level: CS}
			for a := 1; a < len(out); a++ {
				if out[a] = in[a-1]; out[a].Level == CS {
					out[a] = Claim{}
				}
			}
		}
		if n.Flavour == "send" {
			return out
		}
		for a, c := range out {
			if pending(c) && p.counts(n.Ref, len(out)-a) && !slices.Contains(c.Tags, n.Ref) {
				tags := append(slices.Clone(c.Tags), n.Ref)
				slices.Sort(tags)
				out[a] = Claim{Level: NoSyncP, Tags: tags}
			}
		}
		return out
	}
	// The end of a use: of a staged value when it is copied away, else UO.
	ends := cfg.UseOver
	if staged {
		ends = cfg.CommOver
	}
	if n.Kind == ends && n.Ref == p.Comm && out[0].Level != Sync && out[0].Level != Unposted {
		out[0] = Claim{Level: Cons}
	}
	return out
}
