// Package simulate executes the communications of a program on a few PEs: control flow and
// the scalars that decide it, with input that is made up, and with every message
// enumerated. Vector clocks say which uses of slots each PE knows to be over.
//
// An execution can show that something is not ordered, never that it always is. What it is
// watched for:
//
//	dataflow/verify  that it contradicts a proof
//	Observe          which puts come early, and which wait (the precision of the analysis)
//	Examples         a put that needs its ready message, for people
//	Count            how many ready messages are left on demand, with each number of slots
//
// In
//
//	do t = 1, 2
//	   b(2:n) = a(1:n-1)      ! #1, on 2 PEs: 0 -> 1
//	end do
//
// the second put of PE 0 comes when PE 1 is done with the first value, which nothing has
// acknowledged to PE 0: its clock for PE 1 is 0, and the use ended at event 3.
package simulate
