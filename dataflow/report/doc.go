// Package report tells people what the analysis of synchronisation found, and
// why: for every communication its processor functions, the values of the
// analysis at every node and sweep, the verdict of the sound form beside that of
// the printed one, and the reason, which is one of three:
//
//	NoSync  a chain on every path from the use to the next put, through a
//	        reduction or through a message in the other direction
//	Once    no path leads back to the put
//	Sync    a path on which nothing orders them, what lies on it and why that
//	        proves nothing, what lies beside it, and what to change
//
// Analyze decides; Build collects the reasons as plain data (Report); Text, DOT
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
