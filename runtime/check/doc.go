// Package check verifies, while a program runs, what its synchronisation plan
// promised. Programs that are compiled with --check use it; in others it is not
// called.
//
// A put writes cells on another PE and the flag that tells of its arrival. It
// must not come before that PE is done with what the cells held: invariant I1.
// A plan may leave out the ready message that says so, if it has a proof that
// other messages do. The proof is made for all runs; the check is made of each
// put of this run, from two records:
//
//	Ledger  how far each PE has come with each communication: arrival (CO,
//	        CommOver) and end of use (UO, UseOver), by epochs
//	Slot    one PE's own record of what each other PE needed, epoch by epoch
//	Source  one PE's own record of who gets elements from its memory, which it may not
//	        overwrite before they are done
//
// All PEs execute the same communications in the same order. So when PE p puts,
// every use that is over on p itself has to be over on the target too, as far as
// it was of the same cells:
//
//	PE 0                            PE 1
//	C_1 put epoch 1   ───────────►  CO_1 epoch 1
//	UO_1                            … (slow)
//	C_1 put epoch 2   ──── I1: 1 use is over on PE 0, none on PE 1
//	                                UO_1
//
// What is reported has happened: it needs the slow PE to be slow. Hold makes a
// PE so: it stops between CO and UO until nobody else can move, which gives
// every put that is not ordered after that UO the time to come.
package check
