// Package agree is a barrier that is also a reduction: each PE brings a vote of a few
// words, and all get the minimum of each word. It is for PEs that share memory, and does
// everything but the waiting, which a transport of such PEs adds. A PE's steps are
//
//	p.Post(vote)
//	again: for every other PE q, when Flag(q) has been reached: p.Poll(q)
//	if p.Conclude() { goto again }
//
// after which the vote is what all agreed on. Where PEs wait for the last of them to
// post instead, that one does p.Decide in place of the polls, and the others p.Adopt.
//
// Nearly always all PEs bring the same vote but for the first word, which is small. So each
// PE first publishes one word, with this and a digest of the rest, and reads those
// of the others: an agreement then costs no more than a barrier, one transfer of
// a cache line per pair of PEs. If the digests differ, which all PEs see alike,
// they exchange the whole votes in a second round. That unequal votes have equal
// digests has probability 2⁻⁴⁵.
package agree

import (
	"sync/atomic"
	"unsafe"
)

// Words is the number of words of a vote.
const Words = 6

// Vote is what a PE brings to an agreement, and what comes out of it:
//
//	0     a number of firstBits bits
//	1, 2  a word, and its complement: the minima then give the least and the greatest
//	3, 4  another word, and its complement
//	5     a third word
//
// Word 1 is a hash; words 3 and 5 are numbers, which the digest spreads over all bits.
type Vote [Words]int64

// copyTo copies v to w. It goes word by word: the processor would stall where a copy of
// words just written loads two of them at once.
func (v *Vote) copyTo(w *Vote) {
	w[0], w[1], w[2], w[3], w[4], w[5] = v[0], v[1], v[2], v[3], v[4], v[5]
}

// digest is digestBits bits that differ for votes that differ in more than the first
// word. The multiples of the golden ratio keep counts apart, whose difference would have
// to exceed 2⁴⁴ for two digests to be the same.
func (v *Vote) digest() uint64 {
	h := uint64(v[1]) + uint64(v[3])*0x9e3779b97f4a7c15 + uint64(v[5])*0xd6e8feb86659fd93
	return h >> (64 - digestBits)
}

// Combine makes v the word-wise minimum of v and w.
func (v *Vote) Combine(w *Vote) {
	for i := range v {
		v[i] = min(v[i], w[i])
	}
}

// Exchange is the agreements of some PEs.
type Exchange struct {
	slots    []slot // by PE and parity of the generation: slots[2*pe+gen%2]
	outcomes *[2]outcome
}

// outcome is what the PE that came last found in a generation, by its parity.
type outcome struct {
	first  uint64
	differ bool
	vote   Vote // in a second round
	_      [64]byte
}

// slot is what a PE publishes in a generation: a word, on a cache line that only
// it writes, and in a second round the vote, written before the word. Two slots
// per PE are enough: nobody publishes generation g+2 before all have published
// g+1, hence read all of g.
type slot struct {
	word atomic.Uint64 // generation, first word of the vote, digest
	_    [56]byte
	vote Vote
	_    [16]byte
}

// Layout of a word. A slot holds its generation or the one two before, so that
// the low bits of the generation distinguish them.
const (
	digestBits = 45
	firstBits  = 3
	genShift   = digestBits + firstBits
)

// Party is one PE's end of an Exchange.
type Party struct {
	*Exchange
	pe     int
	gen    uint64
	word   uint64    // published last
	first  uint64    // least of the words polled
	differ bool      // a digest was another
	full   bool      // in the second round
	vote   *Vote     // posted, and what becomes of it
	_      [128]byte // no other PE's fields in the same cache line
}

// NewExchange returns the ends of n PEs.
func NewExchange(n int) []*Party {
	x := &Exchange{slots: make([]slot, 2*n), outcomes: new([2]outcome)}
	list := make([]*Party, n)
	for i := range list {
		list[i] = &Party{Exchange: x, pe: i}
	}
	return list
}

// Size is how many bytes hold the Exchange of n PEs which are processes of their own.
func Size(n int) uintptr { return unsafe.Sizeof([2]outcome{}) + uintptr(2*n)*unsafe.Sizeof(slot{}) }

// On is the end of PE pe of an Exchange of n PEs in memory that they share, of Size(n)
// bytes and zero in the beginning.
func On(memory unsafe.Pointer, n, pe int) *Party {
	x := &Exchange{outcomes: (*[2]outcome)(memory)}
	x.slots = unsafe.Slice((*slot)(unsafe.Add(memory, unsafe.Sizeof(*x.outcomes))), 2*n)
	return &Party{Exchange: x, pe: pe}
}

// Post begins an agreement. The vote belongs to the Party until its end.
func (p *Party) Post(v *Vote) {
	p.vote = v
	p.full = false
	p.publish(uint64(v[0])<<digestBits | v.digest())
}

// publish begins a round. The low bits of word are what the others read. An
// exchange, not a store, as whoever wakes the waiting wants it (see the transport
// in package inproc); on amd64 the one costs what the other does.
func (p *Party) publish(word uint64) {
	p.gen++
	p.first, p.differ = word>>digestBits, false
	p.word = p.gen<<genShift | word
	p.slot(p.pe).word.Swap(p.word)
}

// Vote is the vote posted last, and when the agreement is over what came out of it.
func (p *Party) Vote() *Vote { return p.vote }

// Published is the flag that this PE has raised for the others to see.
func (p *Party) Published() *atomic.Uint64 { return &p.slot(p.pe).word }

// Flag is the flag that shows whether PE q is in this round: its value v has
// int64(v-least) >= 0 then, and not before.
func (p *Party) Flag(q int) (flag *atomic.Uint64, least uint64) {
	return &p.slot(q).word, p.word >> genShift << genShift
}

// Poll takes what PE q published in this round; false if it has not yet.
func (p *Party) Poll(q int) bool {
	s := p.slot(q)
	w := s.word.Load()
	switch {
	case (w^p.word)>>genShift != 0:
		return false
	case p.full:
		p.vote.Combine(&s.vote)
	default:
		p.first = min(p.first, w>>digestBits&(1<<firstBits-1))
		p.differ = p.differ || (w^p.word)&(1<<digestBits-1) != 0
	}
	return true
}

// Decide polls all n PEs, which all have published in this round.
func (p *Party) Decide(n int) {
	for q := range n {
		if q != p.pe {
			p.Poll(q)
		}
	}
	o := &p.outcomes[p.gen&1]
	o.first, o.differ = p.first, p.differ
	if p.full {
		p.vote.copyTo(&o.vote)
	}
}

// Adopt takes what another PE has decided in this round: digests that are not all
// the same differ from any of them, its own or this one's.
func (p *Party) Adopt() {
	o := &p.outcomes[p.gen&1]
	p.first, p.differ = o.first, o.differ
	if p.full {
		o.vote.copyTo(p.vote)
	}
}

// Conclude ends a round in which all other PEs were polled, or their outcome adopted. It reports whether
// another follows; if not, the vote posted is now what all agreed on.
func (p *Party) Conclude() (again bool) {
	switch {
	case p.full:
		return false
	case !p.differ:
		p.vote[0] = int64(p.first)
		return false
	}
	p.full = true
	p.vote.copyTo(&p.slots[2*p.pe+int((p.gen+1)&1)].vote)
	p.publish(0)
	return true
}

func (p *Party) slot(q int) *slot { return &p.slots[2*q+int(p.gen&1)] }
