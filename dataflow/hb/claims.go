package hb

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/exact"
)

// Claims is what has to hold in front of the copies for the uses of a communication
// to be over before the puts of some others, or its own, for which Free has said
// so; and no more than that: going back from the puts it notes, of what the fixpoint
// has, what the conclusion follows from.
func (p *Prover) Claims(use, slotCount int, staged bool, forPuts []int) (exact.Use, error) {
	r := p.s.rules(use, slots{slotCount, staged})
	f := p.s.solve(r)
	d := &demands{fixpoint: f, need: make([]*demand, len(p.System.Graph.Nodes)), states: make([]*state, len(p.System.Graph.Nodes))}
	for _, put := range forPuts {
		for _, n := range p.s.nodes[put] {
			if !puts(n) {
				continue
			}
			want := d.none()
			copy(want.known[(r.b-1)*r.words:], p.s.need[n])
			if err := d.add(n, want); err != nil {
				return exact.Use{}, err
			}
		}
	}
	for len(d.work) > 0 {
		n := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		for _, m := range n.Preds {
			if err := d.add(m, d.before(m, d.need[n.ID])); err != nil {
				return exact.Use{}, err
			}
		}
	}
	out := exact.Use{Comm: use, Slots: slotCount, Staged: staged}
	for i, id := range p.order {
		c := d.claim(d.need[id])
		if i == 0 || c == nil { // the entry needs no claim
			continue
		}
		if k := len(out.Claims) - 1; k >= 0 && out.Claims[k].To == i-1 && equalClaim(out.Claims[k].Claim, c) {
			out.Claims[k].To = i
			continue
		}
		out.Claims = append(out.Claims, exact.Span{From: i, To: i, Claim: c})
	}
	return out, nil
}

func equalClaim(a, b *exact.Claim) bool {
	return a.Over == b.Over && a.Idle == b.Idle && slices.Equal(a.Facts, b.Facts)
}

// demand is what has to hold in front of a node: known and what is under way as in
// a state; over are PEs with no use that goes on, idle those of which the next end
// of a use ends none.
type demand struct {
	known      []uint64
	flights    []flight
	over, idle uint64
}

type demands struct {
	*fixpoint
	need   []*demand // by node; nil: nothing
	states []*state  // in front of nodes, as far as needed
	work   []*cfg.Node
}

func (d *demands) none() *demand { return &demand{known: make([]uint64, d.b*d.words)} }

// state is the fixpoint in front of a node.
func (d *demands) state(n *cfg.Node) *state {
	if d.states[n.ID] == nil {
		unit := d.s.flow.Unit(n)
		v := top
		if unit != nil {
			v = d.sol.In[unit[0].ID]
		}
		for _, m := range unit {
			if m == n {
				break
			}
			v = d.apply(v, m)
		}
		d.states[n.ID] = &v
	}
	return d.states[n.ID]
}

// full is what a state knows, with everybody where it keeps nothing.
func (d *demands) full(s *state) []uint64 {
	out := slices.Clone(s.known)
	for len(out) < d.b*d.words {
		out = append(out, d.rules.full[len(out)%d.words])
	}
	return out
}

// flight is what the arrival of y lets PEs know, in a state.
func (d *demands) flight(s *state, y int) []uint64 {
	out := make([]uint64, d.b*d.words)
	for _, f := range s.flights {
		if f.ref == y {
			copy(out, f.known)
		}
	}
	return out
}

// add adds to what has to hold in front of n, which the fixpoint has.
func (d *demands) add(n *cfg.Node, want *demand) error {
	have := d.need[n.ID]
	if have == nil {
		have = d.none()
	}
	sum := &demand{known: either(have.known, want.known), flights: have.flights, over: have.over | want.over, idle: have.idle | want.idle}
	for _, f := range want.flights {
		known := f.known
		for _, g := range sum.flights {
			if g.ref == f.ref {
				known = either(known, g.known)
			}
		}
		sum.flights = with(sum.flights, flight{f.ref, known})
	}
	if d.need[n.ID] != nil && sum.equal(d.need[n.ID]) || d.need[n.ID] == nil && sum.equal(d.none()) {
		return nil
	}
	if len(n.Preds) == 0 && n != d.sys.Graph.Entry {
		return nil // it is never reached
	}
	in := d.state(n)
	known := d.full(in)
	ok := in.live&sum.over == 0 && in.held&sum.idle == 0 && within(sum.known, known)
	for _, f := range sum.flights {
		ok = ok && within(f.known, either(known, d.flight(in, f.ref)))
	}
	if !ok {
		return fmt.Errorf("hb: %s (node %d) is asked for more than the fixpoint of the uses of #%d has", n.Name(), n.ID, d.use)
	}
	d.need[n.ID] = sum
	d.work = append(d.work, n)
	return nil
}

func within(a, b []uint64) bool {
	for w, x := range a {
		if x&^b[w] != 0 {
			return false
		}
	}
	return true
}

func (x *demand) equal(y *demand) bool {
	return x.over == y.over && x.idle == y.idle && slices.Equal(x.known, y.known) &&
		slices.EqualFunc(x.flights, y.flights, func(f, g flight) bool { return f.ref == g.ref && slices.Equal(f.known, g.known) })
}

// before is what has to hold in front of n for want to hold behind it. Where there
// is a choice, what is known is preferred to what is under way, and the least that
// the fixpoint has.
func (d *demands) before(n *cfg.Node, want *demand) *demand {
	in := d.state(n)
	known := d.full(in)
	out := &demand{known: slices.Clone(want.known), over: want.over, idle: want.idle}
	for _, f := range want.flights {
		out.flights = with(out.flights, flight{f.ref, slices.Clone(f.known)})
	}
	// What everybody knows behind n need not be under way there.
	after := d.apply(*in, n)
	knows := d.full(&after)
	for i := range out.flights {
		f := &out.flights[i]
		for w, x := range f.known {
			out.known[w] |= x & knows[w]
			f.known[w] &^= knows[w]
		}
	}
	switch n.Kind {
	case cfg.Comm:
		d.beforeComm(n, out, known)
	case cfg.CommOver:
		if d.staged && n.Ref == d.use {
			d.beforeEnd(out)
		}
		var told []uint64
		for w, x := range out.known {
			told = append(told, x&^known[w])
			out.known[w] &= known[w]
		}
		out.flights = with(out.flights, flight{n.Ref, told})
	case cfg.UseOver:
		if !d.staged && n.Ref == d.use {
			d.beforeEnd(out)
		}
	case cfg.Reduce, cfg.Barrier:
		d.beforeAll(out, known)
	}
	list := out.flights
	out.flights = nil
	for _, f := range list {
		out.flights = with(out.flights, f)
	}
	return out
}

// beforeAll asks for one PE for each use of which somebody has to know, the user
// itself if it does.
func (d *demands) beforeAll(out *demand, known []uint64) {
	for a := range d.b {
		ask := out.known[a*d.words : (a+1)*d.words]
		have := known[a*d.words : (a+1)*d.words]
		for q := range d.pes {
			w, bit := d.place(q)
			who := ask[w] >> bit & everyone(d.pes)
			has := have[w] >> bit & everyone(d.pes)
			if who == 0 || has == 0 {
				continue
			}
			one := has & -has
			if has>>q&1 != 0 {
				one = 1 << q
			}
			ask[w] = ask[w]&^(who<<bit) | one<<bit
		}
	}
}

// beforeEnd undoes the end of a use: the user knows of it, and of others whose use
// ended before there is what there was.
func (d *demands) beforeEnd(out *demand) {
	out.over = 0
	strip := func(known []uint64, self bool) {
		for q := range d.pes {
			w, bit := d.place(q)
			if self {
				known[w] &^= 1 << (bit + q)
			}
			if known[w]>>bit&everyone(d.pes) != 0 {
				out.idle |= 1 << q
			}
		}
	}
	strip(out.known, true)
	for _, f := range out.flights {
		strip(f.known, true)
	}
}

// beforeComm undoes a C node: the put, which made all uses older, then the messages
// that took along what their senders know.
func (d *demands) beforeComm(n *cfg.Node, out *demand, known []uint64) {
	if n.Ref == d.use && puts(n) {
		younger := func(ask []uint64) []uint64 {
			back := make([]uint64, len(ask))
			copy(back, ask[d.words:])
			for w := range d.words {
				back[(d.b-1)*d.words+w] |= ask[w]
			}
			return back
		}
		out.known = younger(out.known)
		for i := range out.flights {
			out.flights[i].known = younger(out.flights[i].known)
		}
		out.over |= out.idle
		out.idle = 0
	}
	if n.Flavour == send {
		return
	}
	must := d.sys.Must[n.ID]
	for _, f := range out.flights {
		if f.ref != n.Ref {
			continue
		}
		for a := range d.b {
			for q := range d.pes {
				w, bit := d.place(q)
				w += a * d.words
				for who := f.known[w] >> bit & everyone(d.pes); who != 0; who &= who - 1 {
					if s := d.sender(must, bits.TrailingZeros64(who), q, known[w]>>bit); s >= 0 {
						out.known[w] |= 1 << (bit + s)
					}
				}
			}
		}
	}
	out.flights = without(out.flights, n.Ref)
}

// sender is a PE that knows and tells p, the user q itself if it does; -1 if none.
func (d *demands) sender(must Messages, p, q int, knows uint64) int {
	if must.Has(q, p) && knows>>q&1 != 0 {
		return q
	}
	for s := range d.pes {
		if must.Has(s, p) && knows>>s&1 != 0 {
			return s
		}
	}
	return -1
}

// claim unpacks a demand; nil for none.
func (d *demands) claim(x *demand) *exact.Claim {
	if x == nil {
		return nil
	}
	c := &exact.Claim{Over: x.over, Idle: x.idle}
	add := func(under int, known []uint64) {
		for a := range d.b {
			for q := range d.pes {
				if who := d.of(known[a*d.words:(a+1)*d.words], q); who != 0 {
					c.Facts = append(c.Facts, exact.Fact{Under: under, Age: a, At: q, PEs: who})
				}
			}
		}
	}
	add(0, x.known)
	for _, f := range x.flights {
		add(f.ref, f.known)
	}
	if len(c.Facts) == 0 && c.Over == 0 && c.Idle == 0 {
		return nil
	}
	return c
}
