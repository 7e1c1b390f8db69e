// Package proof states what has to be shown for a put to go without a ready message,
// how a proof of that is written down, and when such a certificate holds. It does not
// know how certificates are found: package synch finds them for any number of PEs,
// package hb for one; it shares no code with either.
//
// # The obligation
//
// Communication Use brings a value into a slot of a consumer, where it is used until UO,
// or, in a staging buffer, until it has been copied out at CO. Communication Put later
// fills the same slot. Before each of these puts the producer has to be after the use on
// the consumer. With a ring of n slots it is the put n generations later that fills the
// slot again: generation 0 is the value that came last, generation n-1 the one whose slot
// the next put fills, and each put makes all values one generation older, also for what
// is said of them by messages under way.
//
// # Knowledge
//
// A fact says that PEs are known to be after the use at a consumer, for a generation of
// values, or that they will be when a communication under way has arrived. There are two
// domains of facts:
//
//   - finite, for a given number of PEs: consumers are PEs, and so are those who know. The
//     graph is unfolded into copies of its nodes, with the messages of each.
//   - symbolic, for any number: all consumers are alike, and three stand for all who may
//     know: the consumer itself; the next producers, all those who put to it at the next
//     put; and everybody, as long as the slot has not been used. The values of the paper
//     are sets of these facts: nothing is known at Sync and CS; at Cons the consumer
//     knows; at NoSyncP{y} the next producers will when y has arrived; at NoSync they do;
//     at U everybody does.
//
// # The transfer
//
// What holds behind a node is stated once for both domains, fact by fact, as the facts in
// front of it of which each is enough (sources). The effects are these:
//
//	C_y       the receivers of y will know what its senders know, when y has arrived
//	CO_y      they do
//	UO        the consumer itself knows that its use is over, and nobody else any more
//	reduction, barrier: if anybody knows, everybody does
//	C_use     all values are one generation older; of the new one nobody knows anything
//	C_put     the next put has other next producers (symbolic; of another communication)
//
// In the finite domain y goes to those to whom its messages are certain to go; where its
// ready messages are counted on, these go from its receivers to its senders likewise. In the
// symbolic domain it goes from the consumer to the next producers if it is one of the
// kills of the certificate: for each pair p to q of the put to come it then went from q
// to p, which package procfunc shows by algebra and the certificate takes for granted.
// Several communications may do so together, one after another: then those who receive
// the first ones, the relays, are further PEs of the symbolic domain, and the last is a
// kill by way of a relay. The other assumptions are that the graph is that of the program (package plan follows
// the program for the copies and messages of an unfolding), and that CO and UO follow C on
// every path, which the plan's verifier checks.
//
// # Certificates
//
// A certificate has the facts that hold in front of some points, nodes or copies: it is
// inductive if each of them has a source in front of each point that leads there, and it
// discharges the obligation if its facts in front of each put are enough. Check tests
// that. Cut makes a certificate out of a fixpoint: it goes back from the puts and keeps of
// each fact one source that the fixpoint has, by the same statement of the transfer, so
// that no fact of a certificate is idle. For
//
//	do t = 1, m
//	   C_1 p to p+1    C_2 p to p-1    CO_1    CO_2    use    UO_1    UO_2
//	end do
//
// on three PEs, with two slots for #1, the unfolding and the certificate are
//
//	on 3 PEs: 0>1; 1>2,9; 2-8>1; 9
//	sent 1 at 2: 0>1 1>2 to 1-2
//	sent 2 at 3: 1>0 2>1 to 0-1
//	known 1*2: 1-2 0@1:1 0@2:2 1@1:0 1@2:1; 3 1@1:1 1@2:2; 4 2>1@1:0 2>1@2:1; ...
//
// The copies follow each other as the first line says: 0 goes on to 1, 1 to 2 or 9, 2 to
// 3 and so on up to 8, which goes on to 1. In front of copies 1 and 2, PE 1 is after its
// use of the value that came last (generation 0, 0@1:1), and PE 0 after that of the one
// before at PE 1 (1@1:0), which it learned from #2. In front of 4 that message is under
// way (2>1@1:0). The put of #1 at 2 fills the slot of generation 1, which is free.
//
// For any number of PEs the certificate is, by nodes of the graph,
//
//	proof 1 1*2: 1-2 Cons|NoSync, 3 -|Cons, 4-5 -|NoSyncP{2}, 6-7 -|NoSync, 8 Cons|NoSync kills 2@1
package proof
