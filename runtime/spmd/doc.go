// Package spmd is what emitted programs run on: processing elements (PEs),
// distributed arrays, communication, reductions, and Fortran's input, output
// and arithmetic.
//
// The loop
//
//	do i = 2, n-1
//	   b(i) = a(i-1) + a(i+1)
//	end do
//
// with a and b distributed BLOCK becomes, on every PE,
//
//	left.Post(func(q int) spmd.Box { return pe.Box(a.Layout.Owned(q, 0).Grow(1, 1)) })
//	left.Wait()
//	for i := mine.Lo; i <= mine.Hi(); i++ { // mine := b.Iters(pe.ID(), 0, 1, 0, dist.Range(2, n-1, 1))
//		b.Data[b.At1(i)] = a.Data[a.At1(i-1)] + a.Data[a.At1(i+1)]
//	}
//	left.Done()
//
// where left fills the overlap of a. All PEs run the same text and pass the
// same communications in the same order (single-valued control); a
// communication tells what each PE needs, and the library works out in closed
// form who sends what.
//
// Programs with coarrays (Program.Coarray) have control flow of their own on every
// PE, which is called an image there and counted from 1. They communicate by
// Coarray.Load, Store, Get and Put, and order what they do by SyncAll, SyncImages,
// Lock and the collectives CoSum, CoMax, CoMin and CoBroadcast.
//
// A fault on one PE ends the whole run with one error that names the PE and the
// source line; so does a deadlock.
package spmd
