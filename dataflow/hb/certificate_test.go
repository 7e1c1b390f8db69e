package hb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// proved is a certificate with the fixpoint that it was cut out of.
type proved struct {
	*proof.Certificate
	fix *states
}

// certificates are those for all items of an abstract program that are free.
func (p *program) certificates(t *testing.T, sys *System) (out []proved) {
	t.Helper()
	v := &Prover{s: newSolver(sys)}
	v.unfold()
	checked, err := v.unfolding.Check(p.Graph)
	if err != nil {
		t.Fatal(err)
	}
	cutter := checked.NewCutter()
	for x := 1; x <= p.Comms(); x++ {
		for _, it := range p.layout().items(x, p.Aliases(x)) {
			o := it.how.of(it.use)
			fix := newSolver(sys).solve(v.s.rules(o))
			if fix.verdict(x) == synch.NeedsSync {
				continue
			}
			have := &states{at: make([]*state, len(v.order))}
			have.start(fix, v)
			c, err := cutter.Finite(o, []int{x}, have)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, proved{c, have})
		}
	}
	return out
}

// TestCertificates: of every fixpoint there is a certificate that is accepted; one that
// claims more than the fixpoint has is refused, and nearly every one that lacks a fact.
func TestCertificates(t *testing.T) {
	checked, broken, short, complete := 0, 0, 0, 0
	for i := range 300 {
		ap, how, rng := programNumber(21, i)
		p := &program{Built: abstract.Build(ap), slots: how}
		if i%4 == 3 {
			p.countReady()
		}
		for _, unfold := range []bool{false, true} {
			if unfold && i%5 > 0 {
				continue
			}
			sys := p.system(unfold, i%2 == 0)
			for _, c := range p.certificates(t, sys) {
				checked++
				k := proof.NewChecker(p.Graph)
				if err := k.Check(c.Certificate); err != nil {
					t.Fatalf("program %d: %v\nslots %v\n%v", i, err, how, p.Built)
				}
				claims := c.Claims
				if c.more(rng) {
					if k.Check(c.Certificate) == nil {
						t.Fatalf("program %d: %v claims more than the greatest fixpoint, and is accepted", i, c.Certificate)
					}
					broken++
				}
				c.Claims = claims
				if c.less(rng) {
					if k.Check(c.Certificate) == nil {
						complete++
					} else {
						short++
					}
				}
			}
		}
	}
	t.Logf("%d certificates; %d refused that claim more, %d that lack a fact, %d accepted", checked, broken, short, complete)
	if checked < 500 || broken < 200 || short < 200 || complete*20 > short {
		t.Errorf("%d certificates, %d with more, %d with less refused, %d accepted", checked, broken, short, complete)
	}
}

// more adds a fact that the fixpoint does not have.
func (c *proved) more(rng *rand.Rand) bool {
	for range 50 {
		if len(c.Claims) == 0 {
			return false
		}
		i := rng.IntN(len(c.Claims))
		s := c.Claims[i]
		f := proof.Fact{Generation: rng.IntN(c.Ring), At: rng.IntN(c.On.PEs), PEs: 1 << rng.IntN(c.On.PEs)}
		if c.fix.Has(s.From, f) == 0 {
			c.Claims = slices.Clone(c.Claims)
			c.Claims[i].Claim = proof.MakeClaim(append(slices.Clone(s.Claim), f)...)
			return true
		}
	}
	return false
}

// less takes a fact away.
func (c *proved) less(rng *rand.Rand) bool {
	if len(c.Claims) == 0 {
		return false
	}
	i := rng.IntN(len(c.Claims))
	claim := slices.Clone(c.Claims[i].Claim)
	f := &claim[rng.IntN(len(claim))]
	f.PEs &= f.PEs - 1
	c.Claims = slices.Clone(c.Claims)
	c.Claims[i].Claim = proof.MakeClaim(claim...)
	return true
}
