package synch

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// A communication may have several slots: its instance e puts into slot e mod b,
// so that it has to come after the use of instance e-b only. What is known is
// then kept by generation: of the value that came last, generation 0, of the one before,
// generation 1, up to b-1. In
//
//	do t = 1, n
//	   C_1  left neighbour's a        C_2  right neighbour's a
//	   CO_1   CO_2   use   UO_1   UO_2
//	end do
//
// neither of the two answers the other with one slot, since it is posted before
// the value is used. With two, the values of communication 1 in front of each
// node, at the fixpoint, are (generation 0, then 1)
//
//	C_1 Cons NoSync · C_2 CS Cons · CO_1 CS NoSyncP{2} · CO_2 CS NoSyncP{2} · UO_1 CS NoSync
//
// and C_1 finds NoSync at generation 1: the message of the right neighbour in this round
// acknowledges what it was done with in the round before.

// MaxRing is the most slots whose generations the analysis distinguishes.
const MaxRing = 4

// Generations is a State per generation, the youngest first. Those that a ring does not
// have stay U. Values are comparable with ==.
type Generations [MaxRing]State

// unseen is what holds at the entry.
var unseen = Generations{{Value: U}, {Value: U}, {Value: U}, {Value: U}}

// Apply is SynchApply for a ring of several slots, or staging buffers.
//
// At the C node that puts, the slot is that of the oldest value, so it has to be NoSync or
// U. Then all values are one generation older, and generation 0 is the new one. A value of
// generation g is overwritten by the instance of C that comes as number b-g from now on:
// about that one a killer is asked. A tag stays a tag when its value grows older, as the
// messages that it stands for are under way all the same, and what they answer comes
// nearer by one. From then on C itself may be a killer of the older values: its messages
// carry what the senders know.
func Apply(in Generations, n *cfg.Node, o proof.Obligation, kills Kills) Generations {
	pass(in[:o.Ring], n, o, kills, nil)
	return in
}

// pass is the transfer, for the generations of a ring. With chains, which go with one
// generation, states have relays too.
func pass(v []State, n *cfg.Node, o proof.Obligation, kills Kills, chains *proof.Sequences) {
	switch n.Kind {
	case cfg.Comm:
		comm(v, n, o, kills, chains)
		return
	case cfg.CommOver:
		for g, s := range v {
			if s.Value == NoSyncP && s.Tags.Has(n.Ref) {
				s = State{Value: NoSync, Relays: s.Relays}
			}
			v[g] = s.relayed(n.Ref, chains)
		}
	case cfg.Reduce, cfg.Barrier:
		for g, s := range v {
			if s.pending() {
				v[g] = State{Value: NoSync, Relays: s.Relays}
			}
		}
	}
	// Above Cons only if the use is said to be over twice in one round: what was shown
	// then held for the first time only.
	if o.Ends(n) && v[0].Value != Sync && v[0].Value != U {
		v[0] = State{Value: Cons}
	}
}

// pending reports whether messages and collectives of others change s.
func (s State) pending() bool { return s.Value == Cons || s.Value == NoSyncP }

// comm is a C node.
func comm(v []State, n *cfg.Node, o proof.Obligation, kills Kills, chains *proof.Sequences) {
	switch {
	case n.Ref == o.Use && o.Use != o.Put:
		// Whether the use itself may be put is the matter of other obligations. On each PE
		// the end of this use comes after the end of the one before, so that one is
		// forgotten.
		if v[0].Value != Sync {
			v[0] = State{Value: CS}
		}
		return
	case n.Flavour == recv:
		return // a pipelined one puts further down, and kills nothing
	case n.Ref == o.Put && o.Use != o.Put:
		v[0] = overwritten(v[0])
		return
	case n.Ref == o.Use:
		older(v)
	}
	if n.Flavour == send {
		return
	}
	for g, s := range v {
		if s.pending() && !s.Tags.Has(n.Ref) && kills(n.Ref, o.Put, len(v)-g) {
			s.Value, s.Tags = NoSyncP, s.Tags.With(n.Ref)
		}
		if n.Ref != o.Put {
			s = s.relaying(n.Ref, chains)
		}
		v[g] = s
	}
}

// overwritten is C_put with a put other than the use: the slot no longer holds the
// value, but its last use remains what further puts have to come after, also to
// other PEs and from other PEs than those of this instance.
func overwritten(s State) State {
	switch s.Value {
	case U:
		return s
	case NoSync: // what is under way was not meant for the next producers
		return State{Value: Cons, Relays: only(s.Relays, func(r int) bool { return r%2 == 1 })}
	}
	return State{Value: Sync}
}

// older is the put of the communication itself: a new value comes, and all others are one
// generation older.
func older(v []State) {
	oldest := v[len(v)-1].Value
	if oldest != U && oldest != NoSync {
		clear(v) // Sync
		return
	}
	copy(v[1:], v)
	v[0] = State{Value: CS}
	for g := 1; g < len(v); g++ {
		if v[g].Value == CS { // the use of this value is not distinguished from the next one's
			v[g] = State{Value: Sync}
		}
	}
}

// Meet is SynchMeet, generation by generation: each path that comes here is one on which
// what is known of each holds.
func Meet(a, b Generations) Generations {
	if a == b {
		return a
	}
	for i := range a {
		a[i] = SynchMeet(a[i], b[i])
	}
	return a
}
