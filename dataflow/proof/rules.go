package proof

import (
	"math/bits"

	"github.com/spmdc/spmdc/cfg"
)

// domain is what the symbolic and the finite domain differ in.
type domain interface {
	// size is the number of points. Point 0 is the entry.
	size() int
	node(point int) *cfg.Node
	// succs are the points that come next, on their own or as nodes.
	succs(point int) []int
	// everyone is all who may know.
	everyone() uint64
	// users are those, among consumers, that may use what the C node at a point brings.
	users(point int) uint64
	// senders are those of whom each is certain to send PE pe a message at a C node,
	// that answers, if it matters, the put that is number nth from there.
	senders(point, pe, nth int) uint64
	// goals calls do with the facts that have to hold where communication put fills the
	// slots of a generation.
	goals(put, generation int, do func(point int, f Fact))
	// begins reports whether a use begins at n, a node of the communication of the uses.
	begins(n *cfg.Node) bool
	// forgets reports whether other PEs are the next producers behind n.
	forgets(n *cfg.Node) bool
	// name is for messages.
	name(point int) string
	sayPEs(set uint64) string
}

// source is what gives a fact behind a point: for PEs in covers it is enough that from
// holds in front of it; of the same PE, or, with any, of any PE that it names. If it
// names none nothing has to hold. also, where it names PEs, has to hold as well.
type source struct {
	covers     uint64
	from, also Fact
	any        bool
	by         Kill // the message that does it, in the symbolic domain
}

// rules is the transfer for the uses of one communication.
type rules struct {
	domain
	Obligation // whose Put does not matter
	list       []source
	between    []source
}

func (r *rules) add(s source) { r.list = append(r.list, s) }

// same: the fact in front of the point gives it behind.
func (r *rules) same(f Fact) { r.add(source{covers: f.PEs, from: f}) }

// sources lists what gives a fact behind a point, what is preferred first. The list is
// valid until the next call.
func (r *rules) sources(point int, f Fact) []source {
	r.list = r.list[:0]
	if f.Under > 0 { // what is known need not be under way
		r.transfer(point, Fact{0, f.Generation, f.At, f.PEs})
	}
	r.transfer(point, f)
	return r.list
}

// transfer is the one statement of what nodes do to knowledge.
func (r *rules) transfer(point int, f Fact) {
	n := r.node(point)
	switch n.Kind {
	case cfg.Comm:
		r.comm(point, n, f)
		return
	case cfg.CommOver:
		if !r.Ends(n) {
			r.arrival(n.Ref, f)
			return
		}
		// The message arrives, then the value is copied out.
		before := len(r.list)
		r.end(f)
		r.between = append(r.between[:0], r.list[before:]...)
		r.list = r.list[:before]
		for _, s := range r.between {
			if s.from.PEs == 0 {
				r.add(s)
				continue
			}
			k := len(r.list)
			r.arrival(n.Ref, s.from)
			for i := k; i < len(r.list); i++ {
				r.list[i].also = s.also
			}
		}
		return
	case cfg.UseOver:
		if r.Ends(n) {
			r.end(f)
			return
		}
	case cfg.Reduce, cfg.Barrier:
		if f.Under == 0 {
			// Everybody knows what anybody knew.
			all := f
			if all.PEs = r.everyone(); r.unused() != 0 {
				all.PEs = Consumer | Next | Everybody // of relays there may be none
			}
			r.add(source{covers: f.PEs &^ r.unused(), from: all, any: true})
			f.PEs &= r.unused()
		}
	}
	r.same(f)
}

// keeps reports whether the only source of a fact behind n, and of what is known of the
// same use, is the fact in front of it. It is a short cut: most nodes have nothing to do
// with most facts.
func (r *rules) keeps(n *cfg.Node, f Fact) bool {
	switch n.Kind {
	case cfg.Comm:
		return n.Ref != r.Use && n.Ref != f.Under && !r.forgets(n)
	case cfg.UseOver:
		return !r.Ends(n)
	}
	return !n.Kind.IsComm()
}

// unused is Everybody in the symbolic domain: that there was no use is not learned.
func (r *rules) unused() uint64 {
	if _, symbolic := r.domain.(*symbolic); symbolic {
		return Everybody
	}
	return 0
}

// holds are those of the PEs of f of which a claim has the fact. Where there was no use
// everything holds.
func (r *rules) holds(c Claim, f Fact) uint64 {
	if never := r.unused(); never != 0 && c.has(Fact{Generation: f.Generation, PEs: never}) != 0 {
		return f.PEs
	}
	return c.has(f)
}

// arrival is CO_y.
func (r *rules) arrival(y int, f Fact) {
	switch f.Under {
	case y: // nothing of it is under way any more
	case 0:
		r.same(f)
		r.add(source{covers: f.PEs, from: Fact{y, f.Generation, f.At, f.PEs}})
	default:
		r.same(f)
	}
}

// end is the end of the use of the value that came last, by each consumer: it knows, and
// nobody else does any more, unless the use had ended before.
func (r *rules) end(f Fact) {
	switch {
	case f.Under == Over:
		r.add(source{covers: f.PEs})
	case f.Under == Idle || f.Generation > 0:
		r.same(f)
	default:
		self := uint64(0)
		if f.Under == 0 {
			self = f.PEs & (1 << f.At)
			r.add(source{covers: self})
		}
		f.PEs &^= self
		r.add(source{covers: f.PEs, from: f, also: Fact{Under: Idle, PEs: 1 << f.At}})
	}
}

// comm is C_y: its messages leave, with what their senders know; then, if it is the
// communication of the uses and puts, its value is the youngest.
func (r *rules) comm(point int, n *cfg.Node, f Fact) {
	nth := r.Ring - f.Generation
	switch {
	case n.Ref == r.Use && r.begins(n):
		users := r.users(point)
		switch {
		case f.Under == Over || f.Under == Idle:
			// Users who may not be done with the value before are not distinguished.
			f.PEs &^= users
			r.add(source{covers: f.PEs, from: Fact{Under: Over, PEs: f.PEs}})
			return
		case f.Generation > 0:
			f.Generation--
		case users>>f.At&1 != 0:
			return
		default:
			// Who does not take part has used the slot when it was filled last.
			f.Generation = r.Ring - 1
		}
	case r.forgets(n):
		if f.Under != 0 {
			return
		}
		never := f
		never.PEs = Everybody
		r.add(source{covers: f.PEs & Next, from: never, any: true})
		f.PEs &^= Next
		r.same(f)
		return
	}
	if f.Under != n.Ref || n.Flavour == send {
		r.same(f)
		return
	}
	for set := f.PEs; set != 0; set &= set - 1 {
		pe := bits.TrailingZeros64(set)
		who := r.senders(point, pe, nth)
		s, symbolic := r.domain.(*symbolic)
		if !symbolic && who != 0 {
			r.add(source{covers: 1 << pe, from: Fact{0, f.Generation, f.At, who}, any: true})
			continue
		}
		for ; who != 0; who &= who - 1 {
			one := who & -who
			r.add(source{covers: 1 << pe, from: Fact{0, f.Generation, f.At, one}, any: true, by: s.counted(n.Ref, nth, pe, one)})
		}
	}
}
