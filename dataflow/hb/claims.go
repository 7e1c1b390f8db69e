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
	if p.scratch == nil {
		n := len(p.System.Graph.Nodes)
		p.scratch = &demands{need: make([]*demand, n), states: make([]*state, n)}
	}
	d := p.scratch
	d.fixpoint = f
	d.empty = *d.none()
	defer d.forget()
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
	var last *demand
	for i, id := range p.order {
		x := d.need[id]
		if i == 0 || x == nil { // the entry needs no claim
			continue
		}
		if k := len(out.Claims) - 1; k >= 0 && out.Claims[k].To == i-1 && (x == last || x.equal(last)) {
			out.Claims[k].To = i
			continue
		}
		last = x
		out.Claims = append(out.Claims, exact.Span{From: i, To: i, Claim: d.claim(x)})
	}
	return out, nil
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
	empty  demand
	asked  []*cfg.Node // nodes with needs
	known  []*cfg.Node // nodes with states
}

// forget makes room for the next use.
func (d *demands) forget() {
	for _, n := range d.asked {
		d.need[n.ID] = nil
	}
	for _, n := range d.known {
		d.states[n.ID] = nil
	}
	d.asked, d.known, d.work = d.asked[:0], d.known[:0], d.work[:0]
}

func (d *demands) none() *demand { return &demand{known: make([]uint64, d.b*d.words)} }

// state is the fixpoint in front of a node.
func (d *demands) state(n *cfg.Node) *state {
	if d.states[n.ID] == nil {
		unit := d.s.flow.Unit(n)
		if unit == nil { // never reached
			d.note(n, top)
			return d.states[n.ID]
		}
		v := d.sol.In[unit[0].ID]
		for _, m := range unit {
			d.note(m, v)
			v = d.apply(v, m)
		}
	}
	return d.states[n.ID]
}

func (d *demands) note(n *cfg.Node, v state) {
	d.states[n.ID] = &v
	d.known = append(d.known, n)
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

// add adds to what has to hold in front of n, which the fixpoint has. Demands are not
// changed once they are made, and shared by nodes that pass them on.
func (d *demands) add(n *cfg.Node, want *demand) error {
	have := d.need[n.ID]
	switch {
	case have == want || have == nil && want.equal(&d.empty):
		return nil
	case len(n.Preds) == 0 && n != d.sys.Graph.Entry:
		return nil // it is never reached
	case have != nil:
		sum := have.plus(want)
		if sum.equal(have) {
			return nil
		}
		want = sum
	}
	if n.Kind.IsComm() {
		in := d.state(n)
		known := d.full(in)
		ok := in.live&want.over == 0 && in.held&want.idle == 0 && within(want.known, known)
		for _, f := range want.flights {
			ok = ok && within(f.known, either(known, d.flight(in, f.ref)))
		}
		if !ok {
			return fmt.Errorf("hb: %s (node %d) is asked for more than the fixpoint of the uses of #%d has", n.Name(), n.ID, d.use)
		}
	}
	if have == nil {
		d.asked = append(d.asked, n)
	}
	d.need[n.ID] = want
	d.work = append(d.work, n)
	return nil
}

// plus is both demands together.
func (x *demand) plus(y *demand) *demand {
	sum := &demand{known: either(x.known, y.known), flights: x.flights, over: x.over | y.over, idle: x.idle | y.idle}
	for _, f := range y.flights {
		known := f.known
		for _, g := range sum.flights {
			if g.ref == f.ref {
				known = either(known, g.known)
			}
		}
		sum.flights = with(sum.flights, flight{f.ref, known})
	}
	return sum
}

// passes reports whether n makes nothing of what has to hold behind it.
func (d *demands) passes(n *cfg.Node, want *demand) bool {
	switch n.Kind {
	case cfg.Comm, cfg.CommOver:
		return n.Ref != d.use && !slices.ContainsFunc(want.flights, func(f flight) bool { return f.ref == n.Ref }) &&
			(n.Kind == cfg.Comm || within(want.known, d.full(d.state(n))))
	case cfg.UseOver:
		return n.Ref != d.use
	}
	return !n.Kind.IsComm()
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
	if d.passes(n, want) {
		return want
	}
	in := d.state(n)
	known := d.full(in)
	out := &demand{known: slices.Clone(want.known), over: want.over, idle: want.idle}
	for _, f := range want.flights {
		out.flights = with(out.flights, flight{f.ref, slices.Clone(f.known)})
	}
	if len(out.flights) > 0 {
		// What is known behind n need not be under way there.
		after := d.apply(*in, n)
		knows := d.full(&after)
		for i := range out.flights {
			f := &out.flights[i]
			for w, x := range f.known {
				out.known[w] |= x & knows[w]
				f.known[w] &^= knows[w]
			}
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

// claim unpacks a demand.
func (d *demands) claim(x *demand) *exact.Claim {
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
	return c
}
