package inproc

import (
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// Agree is a barrier that combines votes: each PE raises a flag of its own, with the
// vote in it, and looks at those of the others. It needs no patience: when PEs wait
// for what will not come the run ends.
func (p *PE) Agree(site int, v *[agree.Words]int64, _ time.Duration) error {
	if p.w.several() {
		p.agreeFar(site, v)
		return nil
	}
	x := p.party
	x.Post((*agree.Vote)(v))
	if p.w.n == 2 { // the loop below, for what must be fast
		p.wakeAll(x.Published())
		flag, least := x.Flag(1 - p.id)
		p.await(flag, least, site, transport.WaitAgreement, 1-p.id)
		x.Poll(1 - p.id)
		if !x.Conclude() {
			return nil
		}
	}
	if p.w.spin == 0 {
		p.agreeParked(site)
		return nil
	}
	for again := true; again; again = x.Conclude() {
		p.wakeAll(x.Published())
		for k := 1; k < p.w.n; k++ {
			q := p.id + k
			if q >= p.w.n {
				q -= p.w.n
			}
			if !x.Poll(q) {
				flag, least := x.Flag(q)
				p.await(flag, least, site, transport.WaitAgreement, q)
				x.Poll(q)
			}
		}
	}
	return nil
}

// agreeParked is Agree where PEs park at once. To wait for each of the others in
// turn would be to park for each of them; so they wait together for the last, as in
// Barrier.
func (p *PE) agreeParked(site int) {
	w, x := p.w, p.party
	for again := true; again; again = x.Conclude() {
		p.rounds++
		if int(w.voted.Add(1)) == w.n {
			w.voted.Store(0)
			x.Decide(w.n)
			w.polled.Swap(p.rounds)
			p.wakeAll(&w.polled)
		} else {
			p.await(&w.polled, p.rounds, site, transport.WaitAgreement, -1)
			x.Adopt()
		}
	}
}

// Gather returns the data of all PEs.
func (p *PE) Gather(site int, data []byte) ([][]byte, error) {
	if p.w.several() {
		return p.gatherFar(site, data), nil
	}
	p.brought = p.w.lend(data)
	p.Barrier(site) // all have written
	var all [][]byte
	for _, q := range p.w.pes {
		all = append(all, p.w.keep(q.brought))
	}
	p.Barrier(site) // all have read
	p.w.takeBack(p.brought)
	return all, nil
}
