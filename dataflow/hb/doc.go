// Package hb proves, by what happens before what, which communications need no
// ready messages. It sees more than package synch: chains of messages over
// several PEs, messages of which each answers only some of the pairs, and slots
// that are used in turn.
//
// For the uses of one communication's slots it follows which PEs are known to be
// after the use on each consumer q: q itself behind UO; whoever gets a message
// that was sent by one of them; all, behind a reduction or barrier. A put needs no
// ready message when everybody who may put to q is among them, b rounds later if
// there are b slots. In
//
//	do t = 1, m
//	   C_1 p to p+1    C_2 p to p-1    CO_1    CO_2    use    UO_1    UO_2
//	end do
//
// on PEs 0 1 2, the PEs that are known to be after the use of the value of #1 at
// PE 1, for the latest instance and the one before, are
//
//	C_1 {1} {0 1 2} · C_2 {} {1} · CO_1 {} {1} · CO_2 {} {1 2} · UO_1 {} {0 1 2} · UO_2 {1} {0 1 2}
//
// With one slot C_1 finds {1}, and PE 0 needs a ready message. With two it finds
// {0 1 2}: the message of C_2, sent in the round after the use, has acknowledged it to PE 0.
//
// The number of PEs is known here, the sets are sets of PEs, and exact. The graph is
// unfolded by what the iterations of its loops do: a loop with known bounds has a copy for
// each different set of messages, and these follow each other as the iterations do
// (phases.go, unfold.go). If there are too many iterations to look at, or a communication
// depends on a value that is not known, what it may send is everything and what is certain
// is nothing. If there are too many copies, the union of all iterations is what it may
// send, and the intersection what is certain.
//
// Either way what has to be ordered is over-approximated, and what orders it
// under-approximated. All transfers are monotone, and the verdicts are those of
// the greatest fixpoint. Certificates are cut out of it by package proof, which checks
// them too, with a statement of the transfer of its own.
package hb
