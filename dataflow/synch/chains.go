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
		return applied(in, n, o, kills, s.chains)
	}
	f.settled = func(v State) bool { return v.Value < Cons || v.Value == U }
	return &f
}

// relaying is what the messages of communication y make of s: they end a chain where their
// senders know, and are relays of it where theirs do.
func (s State) relaying(y int, c *proof.Sequences) State {
	if c == nil || s.Value < Cons || s.Value == U {
		return s
	}
	before := s.Relays
	for _, k := range c.Ends {
		if k.Comm == y && s.pending() && before.Has(arrived(k.Via)) {
			s.Value, s.Tags = NoSyncP, s.Tags.With(y)
		}
	}
	for i, r := range c.Relays {
		if r.Comm == y && (r.From == 0 || before.Has(arrived(r.From))) {
			s.Relays = s.Relays.With(flying(i + 1))
		}
	}
	return s
}

// relayed is the arrival of communication y.
func (s State) relayed(y int, c *proof.Sequences) State {
	if c == nil {
		return s
	}
	before := s.Relays
	for i, r := range c.Relays {
		if f := flying(i + 1); r.Comm == y && before.Has(f) {
			s.Relays = only(s.Relays, func(m int) bool { return m != f }).With(arrived(i + 1))
		}
	}
	return s
}

// only has those members of t that keep says.
func only(t Tags, keep func(int) bool) Tags {
	if t.Empty() {
		return t
	}
	return pack(slices.DeleteFunc(t.Refs(), func(r int) bool { return !keep(r) }))
}

// relays are those members of a set of relays' PEs that a state has, as flying or arrived.
func (s State) relays(set uint64, number func(int) int) uint64 {
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
