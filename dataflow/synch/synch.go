// Package synch decides which communications need no ready messages, by the
// six-valued data-flow analysis of Gupta and Schonberg, "Static Analysis to
// Reduce Synchronization Costs in Data-Parallel Programs" (POPL'96), section 3.3.
// It has the analysis twice: a sound form, SynchApply, SynchMeet and Solve, and
// the printed one, LiteralApply, LiteralMeet and SolveLiteral, which is kept to
// show what was printed and what is wrong with it. literal.go lists the
// differences.
//
// A communication x puts data into a slot on its consumers. Before the next put
// into that slot the consumer q must be done with what is there, and the
// producer p must know. If some other communication y sends from q to p after
// q's last use and before p's put, then p knows, and no message "ready" is
// needed: y kills the requirement of x. In
//
//	do t = 1, n
//	   C_1  left neighbour's b        CO_1   use   UO_1
//	   C_2  right neighbour's c       CO_2   use   UO_2
//	end do
//
// the values of communication 1 in front of each node, at the fixpoint, are
//
//	C_1 NoSync · CO_1 CS · UO_1 CS · C_2 Cons · CO_2 NoSyncP{2} · UO_2 NoSync
//
// and C_1 finds NoSync: its consumer, the right neighbour, has sent to it since.
//
// The values of an item, in ascending order:
//
//	Sync      a put may come before the use is over
//	CS        communication seen: posted, and not yet used up
//	Cons      the use is over, which only the consumer knows
//	NoSyncP   … and a message that will acknowledge it to the producers is on its way
//	NoSync    … and has arrived: the producers know
//	U         the communication has not been seen yet
package synch

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// Value is one of the six values of the analysis.
type Value uint8

// In ascending order of the sound form. The order of the printed Table 1 is
// another one, see LiteralMeet.
const (
	Sync Value = iota
	CS
	Cons
	NoSyncP
	NoSync
	U
)

var valueNames = [...]string{"Sync", "CS", "Cons", "NoSyncP", "NoSync", "U"}

// String gives the paper's name.
func (v Value) String() string {
	if int(v) >= len(valueNames) {
		return fmt.Sprintf("value %d", uint8(v))
	}
	return valueNames[v]
}

// State is what is known about an item at a point of the program. Tags says
// which communications are on their way; in the sound form it is empty exactly
// when Value is not NoSyncP. Relays says of the beginnings of chains (chains.go) who knows
// that the use is over; it is empty below Cons and at U. States are comparable with ==.
type State struct {
	Value  Value
	Tags   Tags
	Relays Tags
}

// String is the paper's name of the value, with the tags where there are any.
func (s State) String() string {
	text := s.Value.String()
	if !s.Tags.Empty() {
		text += s.Tags.String()
	}
	return text + relaysText(s.Relays)
}

// Kills is the test of Conditions 2 and 3 of Theorem 2 in the form that is
// needed for soundness: it reports whether in every pair of an instance of y and
// the instance of put that comes as number nth behind it, from 1, for every message
// p to q that put may send, y is certain to send from q to p. It is asked for y other
// than the use and the put, but for older generations of a communication's own values,
// and never for a pipelined y.
//
// The paper tests the consumers of the instance that is over; quantifying over
// the messages that come makes it irrelevant which instances were guarded,
// empty, or different, and along which back edge the next one is reached.
type Kills func(y, put, nth int) bool

// puts reports whether n is where communication r puts. A pipelined
// communication has two C nodes; at the one of flavour "recv" it only waits.
func puts(n *cfg.Node, r int) bool { return proof.Puts(n, r) }

// The flavours of the C nodes of a pipelined communication.
const (
	recv = "recv"
	send = "send"
)

// SynchApply is the transfer function for an obligation with one slot: what is known
// behind n when in is known in front of it (Figure 7, in its sound form).
//
// At the C node of the put (which for use = put starts the next round): NoSync or U is
// what was to be shown, everything else becomes Sync and stays so. At the C node of
// another communication a killer becomes a tag; it stops being one at its CO, where its
// arrival is knowledge, or when the round ends. Reductions and barriers order all PEs at
// once.
func SynchApply(in State, n *cfg.Node, o proof.Obligation, kills Kills) State {
	return applied(in, n, o, kills, nil)
}

// applied is SynchApply with chains of communications that are counted on, nil for none.
func applied(in State, n *cfg.Node, o proof.Obligation, kills Kills, chains *proof.Sequences) State {
	v := [1]State{in}
	pass(v[:], n, o, kills, chains)
	return v[0]
}

// SynchMeet is what is known where two paths meet: the lower of the two values;
// of two NoSyncP what both wait for, and Cons if that is nothing, since then no
// single arrival acknowledges to the producers whichever way control came.
func SynchMeet(a, b State) State {
	switch {
	case a == b || b.Value == U:
		return a
	case a.Value == U:
		return b
	}
	relays := a.Relays.Intersect(b.Relays)
	switch {
	case a.Value < b.Value:
		return State{a.Value, a.Tags, relays}
	case b.Value < a.Value:
		return State{b.Value, b.Tags, relays}
	}
	tags := a.Tags.Intersect(b.Tags)
	if tags.Empty() && a.Value == NoSyncP {
		return State{Value: Cons, Relays: relays}
	}
	return State{a.Value, tags, relays}
}
