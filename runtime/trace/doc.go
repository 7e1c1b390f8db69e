// Package trace measures where the time of a run goes. Programs have it that were
// compiled with the option profile; others neither import it nor have calls of it.
//
// The compiler divides such a program into regions: the program itself, the procedures
// that are called, the loops that communicate and the outermost ones of the others, input
// and output. A region is known by a small number; the table of regions gives its lines in
// the source, and the region around it, which is also the path of calls that leads to it.
//
//	regions := trace.Of(pe)
//	regions.Enter(2)       // the loop over j in lines 39 to 44
//	for j := ... {
//	}
//	regions.Leave()
//
// What PEs do with each other is measured at the transport, by activity: put, get, ready
// message, and the waits. An activity belongs to the site of its communication, and its
// time is not that of the region around it but of its own.
//
// Each PE has a Recorder, which it alone uses while the program runs. A run without
// -profile and -trace has none: then Of is nil, and Enter and Leave do nothing. What is
// counted (executions, messages, bytes) comes from spmd.Stats, and is not counted here a
// second time.
package trace
