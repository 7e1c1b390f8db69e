package proof

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Obligation is what has to be shown: that each use of what communication Use brings
// into a slot is over before Put fills the slot again, as far as the producers know.
type Obligation struct {
	// Use and Put are numbers of communications, from 1. They are the same, but where
	// communications fill the same cells. A Put of 0 stands for nodes that are given by
	// name: what overwrites the source of gets.
	Use, Put int
	// Ring is the number of slots that the communication fills in turn, from 1, of which
	// there are several only where it is alone.
	Ring int
	// Staged: the slots are staging buffers, free when their values are copied out at CO;
	// else slots are free at UO.
	Staged bool
}

// Shared is the obligation of communications with one slot, that may fill the same cells.
func Shared(use, put int) Obligation { return Obligation{use, put, 1, false} }

// Ring is the obligation of a communication that is alone in filling its slots.
func Ring(comm, slots int, staged bool) Obligation { return Obligation{comm, comm, slots, staged} }

// String is "use 1 put 2", "use 1 put 1, ring of 2, staged".
func (o Obligation) String() string {
	s := fmt.Sprintf("use %d put %d", o.Use, o.Put)
	if o.Ring > 1 {
		s += fmt.Sprintf(", ring of %d", o.Ring)
	}
	if o.Staged {
		s += ", staged"
	}
	return s
}

// Own reports whether the slots belong to the communication alone.
func (o Obligation) Own() bool { return o.Ring > 1 || o.Staged }

// Ends reports whether a node ends the use of the value that came last.
func (o Obligation) Ends(n *cfg.Node) bool {
	return n.Ref == o.Use && (n.Kind == cfg.UseOver && !o.Staged || n.Kind == cfg.CommOver && o.Staged)
}

// The flavours of the C nodes of a pipelined communication: it is received at the first
// and put at the second.
const (
	recv = "recv"
	send = "send"
)

// Puts reports whether n is where communication r puts.
func Puts(n *cfg.Node, r int) bool {
	return n.Kind == cfg.Comm && n.Ref == r && n.Flavour != recv
}

// MaxPEs is the largest number of PEs of a finite proof: sets of PEs are words, bit p for
// PE p.
const MaxPEs = 64

// The PEs of the symbolic domain.
const (
	Consumer   uint64 = 1 << iota // each consumer, of its own use
	Next                          // all who put to it at the next put
	Everybody                     // all PEs, as there was no use
	firstRelay                    // the receivers of relay 1, and so on
)

// Relay is the PEs that a chain of messages reaches from the consumer: those to whom Comm
// goes from the consumer or, with a From above 0, from those of that relay of the same
// list, which comes before.
type Relay struct{ From, Comm int }

// MaxRelays is the most relays of a certificate.
const MaxRelays = 61

// RelayPEs is the member of a set of PEs for relay number i, from 1.
func RelayPEs(i int) uint64 { return firstRelay << (i - 1) }

// Sequences are sequences of communications that answer a put together (Theorem 3).
type Sequences struct {
	Relays []Relay
	Ends   []Kill // by their last ones
}

// MakeSequences has the beginnings of sequences in common.
func MakeSequences(sequences [][]int) *Sequences {
	c := &Sequences{}
	for _, s := range sequences {
		from, last := 0, len(s)-1
		for _, y := range s[:last] {
			r := Relay{from, y}
			i := slices.Index(c.Relays, r)
			if i < 0 {
				if len(c.Relays) == MaxRelays {
					return c
				}
				c.Relays, i = append(c.Relays, r), len(c.Relays)
			}
			from = i + 1
		}
		c.Ends = append(c.Ends, Kill{s[last], 1, from})
	}
	return c
}

// Fact says that PEs are known to be after the use of a value at the PE At, and of all
// values that were in the same slot before. With Under they will be when that
// communication has arrived.
type Fact struct {
	Under, Generation, At int
	PEs                   uint64
}

// The Under of facts of the finite domain that are not about slots. Of PEs that are Over
// the use of the latest value has ended; for those that are Idle the next end of a use
// ends none.
const (
	Over = -2
	Idle = -1
)

func compareFacts(f, g Fact) int {
	return cmp.Or(f.Under-g.Under, f.Generation-g.Generation, f.At-g.At)
}

// Claim is facts that hold on every path to a point, ascending, each kind of fact once.
// A claim is not changed once it is made.
type Claim []Fact

// has are those of the PEs of f of which the claim has the fact.
func (c Claim) has(f Fact) uint64 {
	if len(c) <= 8 {
		for _, g := range c {
			if g.Under == f.Under && g.Generation == f.Generation && g.At == f.At {
				return g.PEs & f.PEs
			}
		}
		return 0
	}
	i, found := slices.BinarySearchFunc(c, f, compareFacts)
	if !found {
		return 0
	}
	return c[i].PEs & f.PEs
}

// MakeClaim orders facts and takes those of a kind together.
func MakeClaim(facts ...Fact) Claim {
	facts = slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return f.PEs == 0 })
	slices.SortFunc(facts, compareFacts)
	out := Claim(facts[:0])
	for _, f := range facts {
		if k := len(out) - 1; k >= 0 && compareFacts(out[k], f) == 0 {
			out[k].PEs |= f.PEs
			continue
		}
		out = append(out, f)
	}
	return out
}

// within reports whether d has all facts of c.
func (c Claim) within(d Claim) bool {
	for _, f := range c {
		if d.has(f) != f.PEs {
			return false
		}
	}
	return true
}

// Span is the claim for the points From to To.
type Span struct {
	From, To int
	Claim    Claim
}

// Kill is a communication of which a symbolic proof takes for granted that it answers the
// put that comes as number Nth behind it, from 1: for each pair of PEs with a message p
// to q of that put there was a message q to p, or p = q. With Via it does so for those of
// that relay, in whose messages, one after another, q comes to p.
type Kill struct{ Comm, Nth, Via int }

// Certificate is a proof that obligations are met: of the uses of one communication,
// before the puts of one or, in the finite domain, several. It claims no more than these
// need.
type Certificate struct {
	Use    int
	Puts   []int // ascending
	Ring   int
	Staged bool
	// On are the copies and messages for one number of PEs. Nil: the proof holds for any
	// number, and points are the nodes of the graph.
	On     *Unfolding
	Claims []Span // by ascending points; of others nothing is claimed
	// Kills of a symbolic proof, ascending.
	Kills []Kill
	// Relays are the beginnings of the chains that Kills end. Each of their communications
	// has the same messages whenever it is executed in the outermost loop around Put.
	Relays []Relay
}

// Obligation is that before the puts of a communication.
func (c *Certificate) Obligation(put int) Obligation {
	return Obligation{c.Use, put, c.Ring, c.Staged}
}

// Chains are the sequences of communications that the certificate counts on.
func (c *Certificate) Chains() (out [][]int) {
	for _, k := range c.Kills {
		if k.Via == 0 {
			continue
		}
		chain := []int{k.Comm}
		for i := k.Via; i > 0; i = c.Relays[i-1].From {
			chain = append([]int{c.Relays[i-1].Comm}, chain...)
		}
		out = append(out, chain)
	}
	return out
}

// at is the claim for a point.
func (c *Certificate) at(point int) Claim {
	i, found := slices.BinarySearchFunc(c.Claims, point, func(s Span, p int) int {
		switch {
		case s.To < p:
			return -1
		case s.From > p:
			return 1
		}
		return 0
	})
	if !found {
		return nil
	}
	return c.Claims[i].Claim
}
