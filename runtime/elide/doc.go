// Package elide skips barriers that order nothing, and finds out when it was
// wrong. It follows Chabbi et al., Barrier Elision for Production Parallel
// Programs (PPoPP 2015), whose terms it uses. It knows nothing of the program
// but its call sites, accesses and barriers, and of the machine only a Transport.
//
// # Terms
//
// A barrier is known by its calling context: the calls from the main program to
// the barrier (Tree, Path). What a PE accesses between two barriers is summarised
// by one Access: N (private memory only), L (its own part of shared memory), R
// (memory of another PE). The global summary is the lowest of all PEs.
//
//   - Table 1 decides from the global summaries before and after a barrier whether
//     it is redundant. It needs the future, so that it is the oracle here (reports
//     count by it), not the rule.
//   - Table 3 looks only at what was before: a barrier is redundant if the global
//     summary is N. Such a deletion changes nothing for later barriers.
//   - Algorithm 1 learns during the run (mode Online): an executed barrier is a
//     reduction of the summaries, and a context that gave N often enough is elided
//     from then on without any communication. A PE that then comes to it with
//     another summary breaks consensus and goes into the reduction all the same.
//     If all PEs do (status CB everywhere) all is well; if some do, speculation
//     has failed, and all PEs get a Misspeculation.
//   - Algorithm 2 finds in the logs of training runs (mode Audit) the shortest ends
//     of contexts, subcontexts, that distinguish redundant barriers from necessary ones.
//     The command does that, and tests them one by one; a run then elides by the
//     Plan (mode ByPlan, or together with Online).
//
// # Example
//
// A library synchronises on entry and exit, as it cannot know its callers:
//
//	 1  subroutine scale(x)      ! a and b are clients
//	 2     sync all
//	 3     x(:) = 2*x(:)         ! x is a coarray: L
//	 4     sync all
//	 5  end
//	...
//	10  call scale(x)            ! a: x(1)[2] was written before
//	20  call scale(x)            ! b: nothing shared happens between these two
//	21  call scale(x)
//
// Training sees these contexts, with the global summary before each:
//
//	R  10 > 2      N  20 > 2 after another scale's barrier, and nothing since
//	L  10 > 4      L  20 > 4
//	               N  21 > 2
//	               L  21 > 4
//
// RBC is {20 > 2, 21 > 2}, NRBC the rest; "2" ends contexts of both, so Algorithm
// 2 gives 20 > 2 and 21 > 2. Were lines 20 and 21 in a procedure with a hundred
// callers, these two lines of the plan would stand for two hundred contexts.
//
//	tree      main ─┬─ 10 ─┬─ 2  R                  barriers-plan 1
//	                │      └─ 4  L                  elide 40 in 1: c.f90:20 > s.f90:2
//	                ├─ 20 ─┬─ 2  N  elided          elide 40 in 1: c.f90:21 > s.f90:2
//	                │      └─ 4  L
//	                └─ 21 ─ ...
//
// A PE does, with sites by number,
//
//	e.Enter(20)         // call scale
//	err := e.Barrier(2) // elided, or executed by all
//	e.Mark(elide.Local) // x(:) = ...
//	err = e.Barrier(4)
//	e.Leave()
//	...
//	err = e.Finish()    // the last chance to find a misspeculation
//
// # What is guaranteed
//
// If every access that is not private is marked before the next barrier, and all
// PEs came to the end without an error, every access was ordered with those of
// other PEs as if no barrier had been elided. Otherwise every PE that still calls
// the engine gets the error, in the same agreement; where PEs wait for each other
// outside of it they call Collective first, or the transport finds that others
// will not come to a waiting PE (Transport.Agree).
//
// Algorithm 1 as printed leaves gaps, which are closed here: a PE that skips to
// the end hangs the others (Finish is an agreement); only PEs that break consensus
// check its outcome (all do); after barriers met in different contexts PEs can
// hold different counts for one context, so that one elides what another takes
// part in (the greatest count wins, see Vote). Contexts that were misaligned are
// never elided.
package elide
