package dist

import "math"

// MostBlocks is how many blocks an execution of a pipeline has at most: each has flags of its
// own.
const MostBlocks = 64

// LeastBlock is the work in ns below which no block of a pipeline is worth while, whatever
// messages cost.
const LeastBlock = 2000

// BlockSize is the number of iterations of which a pipeline of n iterations should send the
// results at a time, in at most so many blocks. A pipeline in blocks of b iterations is over
// when the first block has come to the last PE and this has executed all. With behind PEs
// behind the first one, each for the work of an iteration on one PE, and cost for what a
// block costs, both in ns,
//
//	T(b) = (n/b + behind) (b each + cost)
//
// is least for b = sqrt(n cost / (behind each)). Blocks that gain less than a tenth are not
// made: the size is n then.
func BlockSize(n, most int, behind, each, cost float64) int {
	count := float64(n)
	b := max(math.Sqrt(count*cost/(behind*each)), LeastBlock/each)
	size := max(int(min(b, count)), (n+most-1)/most)
	took := func(b float64) float64 { return (math.Ceil(count/b) + behind) * (b*each + cost) }
	if took(float64(size)) > 0.9*took(count) {
		return n
	}
	return size
}
