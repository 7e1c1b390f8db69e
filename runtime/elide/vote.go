package elide

import "math"

// Words is the number of words of a vote.
const Words = 6

// Vote is what a PE brings to an agreement, and what comes out of it: the
// word-wise minimum over all PEs. One message so carries the global summary and
// shows whether all PEs stand at the same place. Negation is bitwise (^x grows
// as x falls, and unlike -x it exists for every x), so that a word and its
// complement give the minimum and the maximum over the PEs.
//
//	0  summary: R=0 L=1 N=2, and 3, 4 for a broken consensus in which the PE's
//	   own summary is R, L: the minimum is above 2 only if all broke it (CB)
//	1  hash of the calling context
//	2  ^hash
//	3  sequence number of the barrier
//	4  ^sequence number
//	5  ^rank: the greatest rank wins
type Vote [Words]int64

// Words of a vote.
const (
	wordAccess = iota
	wordHash
	wordNotHash
	wordSeq
	wordNotSeq
	wordNotRank
)

// broken is added to the summary of a PE that breaks consensus; R and L become
// greater than any summary.
const broken = 3

// The rank of a vote says what the PE holds of its context. Below these it is
// the number of private executions that are missing before the context is
// elided. The greatest wins: what one PE knows of a context, that it is
// necessary or not aligned, binds all that meet in it. Without this PEs whose
// barriers once met in different contexts would hold different counts, and one
// would elide a context that another takes part in.
const (
	// rankNecessary: the PE takes part in this context for ever.
	rankNecessary = math.MaxInt32
	// rankStrict: the PE can only meet others at the very same place: it breaks
	// consensus, begins another collective, or has ended.
	rankStrict = rankNecessary + 1
)

// set fills in a vote. It goes word by word: the processor would stall
// where a copy of words just written loads two of them at once.
func (v *Vote) set(access int64, hash, seq uint64, rank int64) {
	v[wordAccess] = access
	v[wordHash], v[wordNotHash] = int64(hash), ^int64(hash)
	v[wordSeq], v[wordNotSeq] = int64(seq), ^int64(seq)
	v[wordNotRank] = ^rank
}

// apart makes the vote one of PEs with other hashes.
func (v *Vote) apart() { v[wordNotHash] ^= 1 }

// sameContext reports whether all PEs voted with the same hash.
func (v *Vote) sameContext() bool { return v[wordHash] == ^v[wordNotHash] }

// sameSeq reports whether all PEs voted at the same barrier number.
func (v *Vote) sameSeq() bool { return v[wordSeq] == ^v[wordNotSeq] }

// firstSeq is the lowest barrier number.
func (v *Vote) firstSeq() uint64 { return uint64(v[wordSeq]) }

// rank is the greatest rank.
func (v *Vote) rank() int64 { return ^v[wordNotRank] }

// allBroke reports whether every PE broke consensus.
func (v *Vote) allBroke() bool { return v[wordAccess] >= broken }

// access is the global summary.
func (v *Vote) access() Access {
	if v.allBroke() {
		return Access(v[wordAccess] - broken)
	}
	return Access(v[wordAccess])
}
