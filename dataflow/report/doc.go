// Package report explains to people what a plan does about the synchronisation of every
// communication, and why: its processor functions, the values of the analysis at
// the nodes that matter, the verdict of the plan beside those of the analysis as it
// was printed and of its sound form, and the reason, which is one of these:
//
//	NoSync  a chain on every path from the use to the put that overwrites, through a
//	        reduction or barrier or through a message in the other direction; with
//	        several slots from the put two or more executions before, followed by
//	        the generations of values
//	Once    no path leads back to the put
//	Sync    a path on which nothing is known to order use and put, an execution that
//	        shows that nothing does, if one is found, what lies on the path and why
//	        that proves nothing, what lies beside it, and what to change; each change
//	        has been tried, in a copy of the graph or by making the plan anew
//
// Analyze prepares; Build collects the reasons as plain data (Report); Text, DOT
// and HTML render them. In
//
//	1 do t = 1, n
//	2    b(2:m) = a(1:m-1)        ! C_1 to the right
//	3    a(1:m-1) = b(2:m)        ! C_2 to the left
//	4 end do
//
// the chain of C_1 is: UO_1 (line 2), every PE q that received a(i-1) is done with
// it; C_2 (line 3), each q sends to the p that will put to it; CO_2 (line 3), p
// knows; C_1 (line 2), in the next iteration of t p puts again.
package report
