package spmd

import (
	"time"

	"github.com/spmdc/spmdc/runtime/dist"
)

// All PEs come to the same size of the blocks of a pipeline, without a message: everything in
// it is the same on all, also the time that a message takes, which PE 0 has measured.

const (
	// operationTime is about what an operation or a reference takes, and entryTime what it
	// takes to begin another piece of an inner loop, whose elements nobody has fetched from
	// memory yet, in ns.
	operationTime, entryTime = 0.5, 100
	// scheduleTime is about what a PE takes to find out what a block has, in ns.
	scheduleTime = 500
	// latencies, in ns, are the bounds of what is believed of a measurement, and the one
	// that check builds take, which measure none.
	leastLatency, mostLatency, someLatency = 100, 50_000, 500
)

// BlockSize is the number of iterations of which a pipeline of n iterations should send the
// results at a time, on PEs of which so many are one behind the other. operations are those
// of an iteration, and entries how often a block begins the loop, on all of them together.
// There are at most so many blocks.
func (pe *PE) BlockSize(n, most, pes, operations, entries int) int {
	if n <= 1 || pes <= 1 {
		return max(1, n)
	}
	each := operationTime * float64(max(1, operations)) / float64(pes)
	cost := pe.latency() + scheduleTime + entryTime*float64(entries)/float64(pes)
	return dist.BlockSize(n, most, float64(pes-1), each, cost)
}

// latency is what a message takes, in ns: half of what the fastest of some reductions takes
// that PE 0 makes with all others when it is asked for the first time.
func (pe *PE) latency() float64 {
	if pe.messageTime > 0 {
		return pe.messageTime
	}
	pe.messageTime = someLatency
	if pe.prog.Check {
		return pe.messageTime
	}
	first := func(acc, _ uint64) uint64 { return acc }
	least := uint64(mostLatency)
	for range 8 {
		start := time.Now()
		pe.t.Reduce(0, 0, first)
		least = min(least, uint64(time.Since(start).Nanoseconds())/2)
	}
	least = pe.t.Reduce(0, max(leastLatency, least), first)
	pe.messageTime = float64(least)
	return pe.messageTime
}
