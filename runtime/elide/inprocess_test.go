package elide

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// errAborted is the error of an agreement in a run that another PE has ended.
var errAborted = errors.New("the run was aborted")

// InProcess is a transport for tests of the engine alone, between PEs that are
// goroutines of one process and share nothing else.
type InProcess struct {
	data    [][]byte
	spins   int // polls before the first wait
	aborted atomic.Bool
}

// InProcessPE is one PE's end of an InProcess.
type InProcessPE struct {
	*InProcess
	*agree.Party
	pe int
}

// NewInProcess returns the transports of n PEs that share this process.
func NewInProcess(n int) []*InProcessPE { return inProcess(agree.NewExchange(n)) }

// inProcess returns the transports over the ends of an exchange.
func inProcess(parties []*agree.Party) []*InProcessPE {
	n := len(parties)
	l := &InProcess{data: make([][]byte, n)}
	if n <= runtime.GOMAXPROCS(0) {
		l.spins = patientPolls
	}
	pes := make([]*InProcessPE, n)
	for i, p := range parties {
		pes[i] = &InProcessPE{InProcess: l, Party: p, pe: i}
	}
	return pes
}

// PE is this PE's id.
func (p *InProcessPE) PE() int { return p.pe }

// N is the number of PEs.
func (p *InProcessPE) N() int { return len(p.data) }

// Abort ends the run: all who wait in an agreement, now or later, return
// errAborted.
func (l *InProcess) Abort() { l.aborted.Store(true) }

// Agree implements Transport.
func (p *InProcessPE) Agree(_ int, v *[Words]int64, patience time.Duration) error {
	p.Post((*agree.Vote)(v))
	for again := true; again; {
		for q := range p.data {
			if q != p.pe && !p.Poll(q) {
				if err := p.wait(q, patience); err != nil {
					return err
				}
				p.Poll(q)
			}
		}
		again = p.Conclude()
	}
	return nil
}

// arrived reports whether PE q is in this round.
func (p *InProcessPE) arrived(q int) bool {
	flag, least := p.Flag(q)
	return int64(flag.Load()-least) >= 0
}

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
			return errAborted
		}
		if i%1024 == 0 && patience > 0 && time.Now().After(deadline) {
			return ErrStalled
		}
		runtime.Gosched()
	}
	return nil
}

// Gather implements Transport.
func (p *InProcessPE) Gather(_ int, data []byte) ([][]byte, error) {
	p.data[p.pe] = data
	var v [Words]int64
	if err := p.Agree(0, &v, 0); err != nil { // all have written
		return nil, err
	}
	all := append([][]byte(nil), p.data...)
	if err := p.Agree(0, &v, 0); err != nil { // all have read
		return nil, err
	}
	return all, nil
}
