package search

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
)

// Relations is what the proofs need to know of the messages of a program.
// *procfunc.Functions answers it.
type Relations interface {
	// Classes are the numbers of communications that may fill the same cells, with
	// those that may do so with these; each communication is in one.
	Classes() [][]int
	// Shared are groups of two and more communications that may fill the same cells,
	// each two of a group; a communication may be in several, or none.
	Shared() [][]int
	// Items lists the pairs (use, put) of one class for which it has to be shown
	// that the use is over before the put.
	Items() [][2]int
	// KillsAfter is a synch.Kills.
	KillsAfter(y, put, nth int) bool
	// AnswersAll reports whether each execution of y answers all executions of x in the
	// outermost loop around both, which have the same messages.
	AnswersAll(y, x int) bool
	// Chains are the sequences of communications that kill together, each complete before
	// the next starts, what none of them kills alone (Theorem 3).
	Chains(put int) [][]int
	// LiteralKills is the paper's own test, for popl96-literal; with a number of PEs above
	// 0 for that number.
	LiteralKills(pes, y, x int) bool
}

// Options are for plan elide; popl96 and popl96-literal have the PEs too.
type Options struct {
	// Memory is how many bytes the slots that the plan adds may take on one PE, for
	// whatever number of PEs; 0 stands for DefaultMemory, less for none at all.
	Memory int64
	// PEs are the numbers of PEs that the program is to run on in particular: ready
	// messages that are needed on other numbers only are left out there.
	PEs []int
	// BarrierThreshold is how many ready messages a nest may need each time that it is
	// executed, by estimate, before a barrier in it is tried; 0 stands for
	// DefaultBarrierThreshold, less for no barriers.
	BarrierThreshold float64
	// Strip, above 0, fills every temporary that can be in strips of so many iterations
	// of the loop that uses it; below 0 none. With 0 strips are tried where several slots
	// would make ready messages unnecessary and do not fit the memory.
	Strip int
	// Relations are those of a program and its graph; nil stands for procfunc.Analyze.
	Relations func(*comm.Program, *cfg.Graph) Relations
}

// DefaultBarrierThreshold is the bound on ready messages of a nest where none is given.
const DefaultBarrierThreshold = 100

// DefaultMemory is the bound on added slots where none is given: 64 MB per PE.
const DefaultMemory = 64 << 20
