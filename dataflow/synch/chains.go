package synch

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// Theorem 3 in the data flow. A chain of communications carries what the consumer knows to
// the next producers by way of others, its relays: the receivers of the first message
// know when that has arrived, and what they send after that makes it known to the next ones. So a
// state says, besides the value, of which relays the PEs know that the use is over, and of
// which they will when the message that makes them one has arrived. In
//
//	C_1 p to p+2   CO_1   use   UO_1
//	C_2 p to p-1   CO_2   use   UO_2
//	C_3 p to p-1   CO_3   use   UO_3
//
// the values of communication 1, with the chain of 2 and 3, are
//
//	UO_1 CS · C_2 Cons · CO_2 Cons+>1 · UO_2 Cons+1 · C_3 Cons+1 · CO_3 NoSyncP{3}+1 · UO_3 NoSync+1
//
// Relay 1 are the receivers of C_2. A state has relays from Cons on; at U everybody knows.

// flying and arrived are the numbers in State.Relays that stand for relay i, from 1.
func flying(i int) int  { return 2 * i }
func arrived(i int) int { return 2*i + 1 }

// Through gives a solver that counts on sequences of communications, which are not
// pipelined, for one obligation with one slot that others may fill too; it serves in place
// of s, not at the same time. It is s itself if there are no sequences but with a
// communication of the obligation.
func (s *Solver) Through(o proof.Obligation, sequences [][]int) *Solver {
	sequences = slices.DeleteFunc(slices.Clone(sequences), func(c []int) bool { return slices.Contains(c, o.Use) || slices.Contains(c, o.Put) })
	if o.Own() || len(sequences) == 0 {
		return s
	}
	out := *s
	out.chains = proof.MakeSequences(sequences)
	return &out
}

// Sequences are those that the solver counts on, nil for none.
func (s *Solver) Sequences() *proof.Sequences { return s.chains }

// singleForm is the form of values for one slot.
func (s *Solver) singleForm() *form[State] {
	if s.chains == nil {
		return &single
	}
	f := single
	f.apply = func(in State, n *cfg.Node, o proof.Obligation, kills Kills) State {
		return chained(in, SynchApply(in, n, o, kills), n, o, s.chains)
	}
	f.settled = func(v State) bool { return v.Value < Cons || v.Value == U }
	return &f
}

// chained is what chains add to the transfer of a node, which makes out of in.
func chained(in, out State, n *cfg.Node, o proof.Obligation, c *proof.Sequences) State {
	out.Relays = Tags{}
	if in.Value < Cons || in.Value == U || out.Value < Cons || out.Value == U || o.Ends(n) {
		return out
	}
	out.Relays = in.Relays
	switch n.Kind {
	case cfg.Comm:
		if n.Ref == o.Put { // other PEs are the next producers, and what is under way was not meant for them
			out.Relays = only(in.Relays, func(r int) bool { return r%2 == 1 })
			return out
		}
		if n.Ref == o.Use || n.Flavour == recv || n.Flavour == send {
			return out
		}
		for _, k := range c.Ends {
			if k.Comm == n.Ref && out.pending() && in.Relays.Has(arrived(k.Via)) {
				out.Value, out.Tags = NoSyncP, out.Tags.With(n.Ref)
			}
		}
		for i, r := range c.Relays {
			if r.Comm == n.Ref && (r.From == 0 || in.Relays.Has(arrived(r.From))) {
				out.Relays = out.Relays.With(flying(i + 1))
			}
		}
	case cfg.CommOver:
		for i, r := range c.Relays {
			if f := flying(i + 1); r.Comm == n.Ref && in.Relays.Has(f) {
				out.Relays = only(out.Relays, func(m int) bool { return m != f }).With(arrived(i + 1))
			}
		}
	}
	return out
}

// only has those members of t that keep says.
func only(t Tags, keep func(int) bool) Tags {
	return pack(slices.DeleteFunc(t.Refs(), func(r int) bool { return !keep(r) }))
}

// relayed are those members of a set of relays' PEs that a state has, as flying or arrived.
func (s State) relayed(set uint64, number func(int) int) uint64 {
	out := uint64(0)
	for ; set != 0; set &= set - 1 {
		one := set & -set
		if i := bits.TrailingZeros64(one/proof.RelayPEs(1)) + 1; s.Relays.Has(number(i)) {
			out |= one
		}
	}
	return out
}

// relaysText is "+1" where relay 1 knows, "+>1" where it will.
func relaysText(t Tags) string {
	var b strings.Builder
	for _, r := range t.Refs() {
		if r%2 == 0 {
			b.WriteString("+>")
		} else {
			b.WriteByte('+')
		}
		fmt.Fprint(&b, r/2)
	}
	return b.String()
}
