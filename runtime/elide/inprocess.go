package elide

import (
	"runtime"
	"sync/atomic"
	"time"
)

// InProcess is the transport between PEs that are goroutines of one process. An
// agreement is all-to-all: each PE publishes its vote once and reads those of
// the others, so that it costs one transfer of a cache line per pair of PEs and
// no more hops than a barrier.
type InProcess struct {
	slots   []slot // by PE and parity of the generation: slots[2*pe+gen%2]
	data    [][]byte
	aborted atomic.Bool
}

// slot is a cache line: the generation is written after the vote that it
// covers, and read before. Two slots per PE are enough: nobody publishes
// generation g+2 before all have published g+1, hence read all of g.
type slot struct {
	gen  atomic.Uint64
	vote Vote
	_    [8]byte
}

// InProcessPE is one PE's end of a InProcess.
type InProcessPE struct {
	*InProcess
	pe  int
	gen uint64
	_   [104]byte // no other PE's in the same cache lines
}

// NewInProcess returns the transports of n PEs that share this process.
func NewInProcess(n int) []*InProcessPE {
	l := &InProcess{slots: make([]slot, 2*n), data: make([][]byte, n)}
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
	for q := range p.data {
		if q == p.pe {
			continue
		}
		if !p.arrived(q) {
			if err := p.wait(q, patience); err != nil {
				return err
			}
		}
		v.Combine(p.voteOf(q))
	}
	return nil
}

// post publishes this PE's vote in the next agreement.
func (p *InProcessPE) post(v *Vote) {
	p.gen++
	s := p.slot(p.pe)
	v.copyTo(&s.vote)
	s.gen.Store(p.gen)
}

// arrived reports whether PE q has published its vote in this agreement.
func (p *InProcessPE) arrived(q int) bool { return p.slot(q).gen.Load() == p.gen }

// voteOf is the vote of PE q, which has arrived.
func (p *InProcessPE) voteOf(q int) *Vote { return &p.slot(q).vote }

func (p *InProcessPE) slot(q int) *slot { return &p.slots[2*q+int(p.gen&1)] }

// wait returns when PE q has arrived. It spins, and gives the processor away
// often, because there may be more PEs than processors.
func (p *InProcessPE) wait(q int, patience time.Duration) error {
	var deadline time.Time
	if patience > 0 {
		deadline = time.Now().Add(patience)
	}
	for i := 1; !p.arrived(q); i++ {
		if i%32 != 0 {
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
