package elide

import (
	"runtime"
	"sync/atomic"
	"time"
)

// InProcess is the transport between PEs that are goroutines of one process.
//
// Nearly always all PEs bring the same vote but for the summary. So each PE first
// publishes one word, with the summary and a digest of the rest, and reads those
// of the others: an agreement then costs no more than a barrier, one transfer of
// a cache line per pair of PEs. If the digests differ, which all PEs see alike,
// they exchange the whole votes in a second round. That unequal votes have equal
// digests has probability 2⁻⁴⁵.
type InProcess struct {
	slots   []slot // by PE and parity of the generation: slots[2*pe+gen%2]
	data    [][]byte
	spins   int // polls before the first wait
	aborted atomic.Bool
}

// slot is what a PE publishes in a generation: a word, on a cache line that only
// it writes, and in a second round the vote, written before the word. Two slots
// per PE are enough: nobody publishes generation g+2 before all have published
// g+1, hence read all of g.
type slot struct {
	word atomic.Uint64 // generation, summary, digest
	_    [56]byte
	vote Vote
	_    [16]byte
}

// Layout of a word. A slot holds its generation or the one two before, so that
// its low bits tell them apart.
const (
	digestBits = 45
	accessBits = 3
	genShift   = digestBits + accessBits
)

// InProcessPE is one PE's end of an InProcess.
type InProcessPE struct {
	*InProcess
	pe     int
	gen    uint64
	word   uint64 // published last
	access uint64 // least of the words polled
	differ bool   // a digest was another
	full   bool   // in the second round
	vote   Vote
	_      [64]byte // no other PE's fields in the same cache line
}

// NewInProcess returns the transports of n PEs that share this process.
func NewInProcess(n int) []*InProcessPE {
	l := &InProcess{slots: make([]slot, 2*n), data: make([][]byte, n)}
	if n <= runtime.GOMAXPROCS(0) {
		l.spins = patientPolls
	}
	pes := make([]*InProcessPE, n)
	for i := range pes {
		pes[i] = &InProcessPE{InProcess: l, pe: i}
	}
	return pes
}

// PE is this PE's id.
func (p *InProcessPE) PE() int { return p.pe }

// N is the number of PEs.
func (p *InProcessPE) N() int { return len(p.data) }

// Abort ends the run: all who wait in an agreement, now or later, return
// ErrAborted.
func (l *InProcess) Abort() { l.aborted.Store(true) }

// Agree implements Transport.
func (p *InProcessPE) Agree(v *Vote, patience time.Duration) error {
	p.post(v)
	for again := true; again; {
		for q := range p.data {
			if !p.poll(q) {
				if err := p.wait(q, patience); err != nil {
					return err
				}
				p.poll(q)
			}
		}
		again = p.conclude()
	}
	p.vote.copyTo(v)
	return nil
}

// The steps of an agreement: post, poll of every PE until it gives true,
// conclude; polls and conclude again as long as conclude gives true.

// post begins an agreement.
func (p *InProcessPE) post(v *Vote) {
	v.copyTo(&p.vote)
	p.full = false
	h := uint64(v[wordHash]) ^ uint64(v[wordSeq])*0x9e3779b97f4a7c15 ^ uint64(v[wordNotRank])*0xbf58476d1ce4e5b9
	h = (h ^ h>>32) * 0x94d049bb133111eb
	p.publish(uint64(v[wordAccess])<<digestBits | h>>(64-digestBits))
}

// publish begins a round. The low bits of word are what the others read.
func (p *InProcessPE) publish(word uint64) {
	p.gen++
	p.access, p.differ = 1<<accessBits, false
	p.word = p.gen<<genShift | word
	p.slot(p.pe).word.Store(p.word)
}

// arrived reports whether PE q is in this round.
func (p *InProcessPE) arrived(q int) bool {
	return (p.slot(q).word.Load()^p.word)>>genShift == 0
}

// poll takes what PE q published in this round; false if it has not yet.
func (p *InProcessPE) poll(q int) bool {
	s := p.slot(q)
	w := s.word.Load()
	switch {
	case (w^p.word)>>genShift != 0:
		return false
	case p.full:
		p.vote.Combine(&s.vote)
	default:
		p.access = min(p.access, w>>digestBits&(1<<accessBits-1))
		p.differ = p.differ || (w^p.word)&(1<<digestBits-1) != 0
	}
	return true
}

// conclude ends a round in which all PEs were polled. It reports whether another
// follows; if not, p.vote is what all agreed on.
func (p *InProcessPE) conclude() (again bool) {
	switch {
	case p.full:
		return false
	case !p.differ:
		p.vote[wordAccess] = int64(p.access)
		return false
	}
	p.full = true
	p.vote.copyTo(&p.slots[2*p.pe+int((p.gen+1)&1)].vote)
	p.publish(0)
	return true
}

func (p *InProcessPE) slot(q int) *slot { return &p.slots[2*q+int(p.gen&1)] }

// patientPolls is how many polls a PE makes before it gives the processor away for
// the first time. That costs more than a barrier, so it must not happen to a PE
// that is a little early, unless there are more PEs than processors.
const patientPolls = 400

// wait returns when PE q has arrived.
func (p *InProcessPE) wait(q int, patience time.Duration) error {
	var deadline time.Time
	if patience > 0 {
		deadline = time.Now().Add(patience)
	}
	for i := 1; !p.arrived(q); i++ {
		if i < p.spins || i%32 != 0 {
			continue
		}
		if p.aborted.Load() {
			return ErrAborted
		}
		if i%1024 == 0 && patience > 0 && time.Now().After(deadline) {
			return ErrStalled
		}
		runtime.Gosched()
	}
	return nil
}

// Gather implements Transport.
func (p *InProcessPE) Gather(data []byte) ([][]byte, error) {
	p.data[p.pe] = data
	var v Vote
	if err := p.Agree(&v, 0); err != nil { // all have written
		return nil, err
	}
	all := append([][]byte(nil), p.data...)
	if err := p.Agree(&v, 0); err != nil { // all have read
		return nil, err
	}
	return all, nil
}
