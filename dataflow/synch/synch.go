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
//	NoSyncP   … and a message that will tell the producers is on its way
//	NoSync    … and has arrived: the producers know
//	U         the communication has not been seen yet
package synch

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg"
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
// when Value is not NoSyncP. States are comparable with ==.
type State struct {
	Value Value
	Tags  Tags
}

// String is the paper's name of the value, with the tags where there are any.
func (s State) String() string {
	if s.Tags.Empty() {
		return s.Value.String()
	}
	return s.Value.String() + s.Tags.String()
}

// Item is an obligation: on every PE the value that communication Use brought
// has to be dead before communication Put puts into the same cells. Both are
// numbers of communications, from 1. For a temporary of its own the only item is
// (x, x); communications that fill the same overlap cells have all pairs. (The
// paper has one state per reference: two references to one overlap cell, say
// two a(i-1) with a assigned between them, then never check each other.)
type Item struct{ Use, Put int }

// String is "use 1 put 2".
func (it Item) String() string { return fmt.Sprintf("use %d put %d", it.Use, it.Put) }

// Kills is the test of Conditions 2 and 3 of Theorem 2 in the form that is
// needed for soundness: it reports whether in every pair of an instance of y and
// the next instance of put that can follow it, for every message p to q that put
// may send, y is certain to send from q to p. It is asked for y other than
// use and put, and never for a pipelined y.
//
// The paper tests the consumers of the instance that is over; quantifying over
// the messages that come makes it irrelevant which instances were guarded,
// empty, or different, and along which back edge the next one is reached.
type Kills func(y, use, put int) bool

// puts reports whether n is where communication r puts. A pipelined
// communication has two C nodes; at the one of flavour "recv" it only waits.
func puts(n *cfg.Node, r int) bool {
	return n.Kind == cfg.Comm && n.Ref == r && n.Flavour != recv
}

// The flavours of the C nodes of a pipelined communication.
const (
	recv = "recv"
	send = "send"
)

// SynchApply is the transfer function: what is known behind n when in is known
// in front of it (Figure 7, in its sound form).
//
// At the C node of the item's put (which for use = put starts the next round):
// NoSync or U is what was to be shown, everything else becomes Sync and stays
// so. At the C node of another communication a killer becomes a tag; it stops
// being one at its CO, where its arrival is knowledge, or when the round ends.
// Reductions and barriers order all PEs at once.
func SynchApply(in State, n *cfg.Node, it Item, kills Kills) State {
	switch n.Kind {
	case cfg.Comm:
		switch n.Ref {
		case it.Use:
			return applyUse(in, n, it)
		case it.Put:
			return applyPut(in, n)
		}
		return applyKill(in, n, it, kills)
	case cfg.CommOver:
		if in.Value == NoSyncP && in.Tags.Has(n.Ref) {
			return State{Value: NoSync}
		}
	case cfg.UseOver:
		// Above Cons only if the use is said to be over twice in one round: what
		// was shown then held for the first time only.
		if n.Ref == it.Use && in.Value != Sync && in.Value != U {
			return State{Value: Cons}
		}
	case cfg.Reduce, cfg.Barrier:
		if in.Value == Cons || in.Value == NoSyncP {
			return State{Value: NoSync}
		}
	}
	return in
}

// applyUse is C_use: a new value comes into the slot.
func applyUse(in State, n *cfg.Node, it Item) State {
	if it.Use != it.Put {
		// Whether use itself may put is the matter of other items. On each PE the
		// end of this use comes after the end of the one before, so that one is
		// forgotten.
		if in.Value == Sync {
			return in
		}
		return State{Value: CS}
	}
	if n.Flavour == recv {
		return in // the put is further down
	}
	if in.Value == U || in.Value == NoSync {
		return State{Value: CS}
	}
	return State{Value: Sync}
}

// applyPut is C_put with a put other than the use: the slot no longer holds the
// value, but its last use remains what further puts have to come after, also to
// other PEs and from other PEs than those of this instance.
func applyPut(in State, n *cfg.Node) State {
	switch {
	case n.Flavour == recv || in.Value == U:
		return in
	case in.Value == NoSync:
		return State{Value: Cons}
	}
	return State{Value: Sync}
}

// applyKill is C_y of a communication that may be a killer.
func applyKill(in State, n *cfg.Node, it Item, kills Kills) State {
	if in.Value != Cons && in.Value != NoSyncP || n.Flavour == recv || n.Flavour == send {
		return in
	}
	if in.Tags.Has(n.Ref) || !kills(n.Ref, it.Use, it.Put) {
		return in
	}
	return State{NoSyncP, in.Tags.With(n.Ref)}
}

// SynchMeet is what is known where two paths meet: the lower of the two values;
// of two NoSyncP what both wait for, and Cons if that is nothing, since then no
// single arrival tells the producers whichever way control came.
func SynchMeet(a, b State) State {
	switch {
	case a == b || a.Value < b.Value:
		return a
	case b.Value < a.Value:
		return b
	}
	tags := a.Tags.Intersect(b.Tags)
	if tags.Empty() {
		return State{Value: Cons}
	}
	return State{a.Value, tags}
}
