// Package procfunc computes the processor functions of communications (Gupta and
// Schonberg, POPL 1996, section 3.2): who sends, who receives, and who receives
// from whom, and decides with them which communication makes the ready messages
// of which other one superfluous.
//
// In
//
//	!HPF$ DISTRIBUTE a(BLOCK)
//	do t = 1, m
//	   do i = 2, n
//	      b(i) = a(i-1)        ! C_1: position i-1 sends to position i
//	   end do
//	   do i = 1, n-1
//	      a(i) = b(i+1)        ! C_2: position i+1 sends to position i
//	   end do
//	end do
//
// every receiver of C_1 sends, in C_2, to the position that it received from:
// when C_1 comes again, its sender has heard from each receiver, and knows
// that the value before is used up. C_2 kills the synchronisation of C_1.
//
// Positions are template positions ("virtual processors"). A message between
// two positions implies a message between their owners, or that the owner is
// the same. Positions are compared only within one Space.
//
// Two rules decide every approximation. What has to be ordered is
// over-approximated: the positions of the communication whose ready message is
// to go. What orders it is under-approximated: the positions of the killer.
package procfunc
