// Package transport is the narrow interface between the run-time library and
// whatever carries its messages. Package inproc implements it over goroutines;
// a message-passing library can stand behind it without a change to emitted
// programs.
//
// The model is one-sided. Every PE registers the same buffers in the same
// order; a buffer has, on each PE, memory and two flags for each other PE:
//
//	arrival[p]  epoch of the last put of p into this buffer here
//	ready[c]    epoch that c has declared its instance of the buffer free for
//
// A producer waits for ready[c], puts, and the put sets arrival[p] on the
// consumer, which waits for it. Flags belong to one producer-consumer pair, and
// both sides compare epochs for equality: a flag that ran ahead means that a
// message overtook its consumer, and ends the run with an error instead of
// being taken for the one waited for.
//
// Every call that can wait or fail carries a site id, an index into the
// program's table of communication sites, which error messages and statistics
// map to source lines.
package transport

import (
	"time"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// Buffer names a registered buffer; the same number on all PEs.
type Buffer int

// Slot is one instance of a buffer between a producer and a consumer.
type Slot struct {
	Buffer Buffer
	Epoch  uint64
}

// Part is a section that travels with others to the same PE: what it fills, and
// what it is copied from.
type Part struct {
	Slot
	Src    Memory
	Move   *Move
	NoFlag bool // its flag is not set: that of another part of the message stands for it
}

// Transport is what one PE sees of the machine. Its methods are called by that
// PE only. A call that waits unwinds the PE by a private panic when the run has
// been aborted (see Unwind).
type Transport interface {
	// PE is this PE's id, from 0; N the number of PEs.
	PE() int
	N() int

	// Alloc is zeroed memory of so many bytes, on cache lines of its own, that buffers may
	// have; nil where any memory of the process will do. What it holds must have no pointers.
	// Free takes it back, and whatever else is none of it as a no-op.
	Alloc(bytes int) unsafe.Pointer
	Free(memory unsafe.Pointer)

	// Register adds a symmetric buffer. Collective: all PEs register the same
	// buffers in the same order, then call Start.
	Register(site int, m Memory) Buffer
	// Rebind replaces this PE's memory of b. No put may be under way: the
	// caller separates it from puts by a Barrier.
	Rebind(b Buffer, m Memory)
	// Start ends registration. No put may precede it.
	Start()

	// Put copies a section of src, which is local, into the instance of b on
	// PE to, then sets the arrival flag there to epoch. On return src may be
	// overwritten.
	Put(site int, b Buffer, to int, epoch uint64, src Memory, m *Move)
	// PutAll is one message that carries several sections to the same PE: it
	// copies each as Put does, then sets the flags, but for parts with NoFlag.
	PutAll(site, to int, parts []Part)
	// Get copies a section of the instance of b on PE from into dst. It is
	// the caller's obligation that the owner does not write it meanwhile.
	Get(site int, b Buffer, from int, dst Memory, m *Move)
	// Ready sends a ready message to PE to: it may put instance epoch of b here.
	Ready(site int, b Buffer, to int, epoch uint64)
	// ReadyAll is one message that declares several slots free to the same PE.
	ReadyAll(site, to int, slots []Slot)
	// AwaitReady waits until PE from has declared b ready for epoch.
	// It reports whether it had to wait.
	AwaitReady(site int, b Buffer, from int, epoch uint64) (waited bool)
	// Await waits until the put of PE from for epoch has arrived in b.
	// It reports whether it had to wait.
	Await(site int, b Buffer, from int, epoch uint64) (waited bool)

	// Reduce combines one word of every PE, from PE 0 upwards, and returns the
	// same word on all PEs. All take part; it orders all PEs.
	Reduce(site int, word uint64, combine func(acc, word uint64) uint64) uint64
	// ReduceAll hands to f, on every PE, what each PE passes as own, from PE 0 upwards, or
	// the folder of a PE that has got all of it. All take part; it orders all PEs. Nobody
	// may change own, or what f holds, before the caller's next ReduceAll has got to all
	// contributions: each PE has two of both, used alternately.
	ReduceAll(site int, own Memory, f Folder)
	// Broadcast returns on every PE the word that root passes.
	Broadcast(site, root int, word uint64) uint64
	// Share returns on every PE the bytes that root passes; nobody may change them.
	Share(site, root int, data []byte) []byte
	// Barrier returns when all PEs have called it.
	Barrier(site int)
	// Complete returns when all that this PE has put lies in the memory of the others, so that
	// a later synchronisation with any PE orders it. A put that is awaited does not need it.
	// What it has put to PE but may be under way still, and comes there before whatever it sends that PE
	// later; -1 is no PE.
	Complete(site, but int)

	// Agree is a barrier that replaces *v by the word-wise minimum of the votes
	// of all PEs (see package agree), and Gather returns the data of all PEs, by PE;
	// nobody may change these. Where a PE does not come, Agree may give up after patience.
	Agree(site int, v *[agree.Words]int64, patience time.Duration) error
	Gather(site int, data []byte) ([][]byte, error)

	// Abort ends the run with err, unless another error came first, and
	// unwinds the calling PE. It does not return.
	Abort(err error)
	// Aborted reports whether some PE has aborted the run.
	Aborted() bool
}

// Folder takes the contributions to a reduction one after another.
type Folder interface {
	// Fold gets what PE pe contributed, which it may read until it returns.
	Fold(pe int, part Memory)
	// Take gets, instead of all contributions, the folder of another PE, which has got
	// them. It may read that until it returns.
	Take(other Folder)
	// Alike reports whether all PEs get the same out of the contributions; if not, Take is
	// not called.
	Alike() bool
}

// Slow is implemented by transports that can find out when no PE can move. What it
// does makes the slowest of all schedules, for debugging: neither a stop nor a
// message under way is taken for a deadlock.
type Slow interface {
	// Stall stops this PE until every other one waits, has returned or stalls
	// too, or limit has passed.
	Stall(limit time.Duration)
	// PutLate is Put, but the message arrives only when no PE can move, or limit
	// has passed. Nobody may write src any more.
	PutLate(site int, b Buffer, to int, epoch uint64, src Memory, m *Move, limit time.Duration)
}

// Locker is implemented by transports that let one PE at a time into a part of the
// program, on which a PE can wait for what any other does there, and see which have finished.
type Locker interface {
	// Lock returns when this PE alone has the lock; PEs get it in the order in
	// which they ask. What earlier holders did before Unlock is visible.
	Lock(site, lock int)
	Unlock(site, lock int)
	// Near reports whether PE pe is on this host.
	Near(pe int) bool
	// Finish says that this PE has come to the end of the program.
	Finish()
	// AwaitReadyOrEnd is AwaitReady that returns also when PE from, which is near, has finished
	// and sends nothing any more; then ended is set.
	AwaitReadyOrEnd(site int, b Buffer, from int, epoch uint64) (ended bool)
	// Ended reports whether PE pe, which is near, has finished.
	Ended(pe int) bool
	// Notify sends PE to a notice.
	Notify(to int)
	// AwaitNotice waits until more than seen notices have come to this PE, and returns how many have.
	AwaitNotice(site int, seen uint64) uint64
}

// Distant is implemented by transports some of whose PEs may have no memory in common, so
// that messages go between them.
type Distant interface {
	// Far reports whether PE q has no memory in common with this one.
	Far(q int) bool
	// Attach sends a note to a far PE, which comes there before whatever this PE sends it
	// later, and which what Noted names gets, whoever carries it.
	Attach(to int, note []byte)
	Noted(take func(from int, note []byte))
}

// Receiver is Memory that must know of the puts into it that come from far PEs: instead of
// CopyFrom, Land is called.
type Receiver interface {
	Land(from int, epoch uint64, src Memory, m *Move)
}

// Unwind is the panic value by which PEs leave a run that another PE aborted.
// Whoever starts PEs recovers it; nobody else should.
type Unwind struct{}

// WaitKind is what a PE waits for.
type WaitKind uint8

const (
	WaitArrival   WaitKind = iota + 1 // a put of PE On
	WaitReady                         // the ready message of PE On
	WaitBarrier                       // the other PEs, in a barrier
	WaitReduction                     // the contribution of PE On to a reduction
	WaitResult                        // the result of a reduction, from PE On
	WaitBroadcast                     // the word broadcast by PE On
	WaitCredit                        // PE On, which is many broadcasts behind
	WaitLock                          // a lock, which PE On holds
	WaitNotice                        // a notice of any PE
	WaitAgreement                     // PE On, or the others, in a barrier that PEs may elide
)

// Wait is one entry of a deadlock report: what a PE waits for, or that it has
// returned from the program.
type Wait struct {
	PE       int
	Returned bool
	Kind     WaitKind
	Site     int
	On       int // the PE waited for; -1: all that do not wait for the same
}
