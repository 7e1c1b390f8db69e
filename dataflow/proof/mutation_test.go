package proof_test

import (
	"math/rand"
	randv2 "math/rand/v2"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/hb"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/procfunc"
)

// proved is proofs over one unfolding.
type proved struct {
	*proof.Unfolding
	graph *cfg.Graph
	list  []*proof.Certificate // each about the puts of one communication
}

// prove makes the proofs of a random program for a number of PEs: of each
// communication against itself, with slots of each form that does.
func prove(t *testing.T, seed int64, pes int) *proved {
	t.Helper()
	c := front.Must(t, front.SPMD, randprog.Subscripts(rand.New(rand.NewSource(seed))))
	f := procfunc.Analyze(c, c.Graph())
	prover := hb.NewProver(f, pes)
	out := &proved{Unfolding: prover.Unfolding(), graph: f.Graph}
	add := func(o proof.Obligation, put int) {
		if !prover.Free(o, []int{put})[0] {
			return
		}
		c, err := prover.Certificate(o, []int{put})
		if err != nil {
			t.Fatal(err)
		}
		out.list = append(out.list, c)
	}
	for _, it := range f.Items() {
		add(proof.Shared(it[0], it[1]), it[1])
	}
	for x := 1; x <= len(c.Comms); x++ {
		for _, o := range []proof.Obligation{proof.Ring(x, 1, true), proof.Ring(x, 2, false), proof.Ring(x, 2, true), proof.Ring(x, 3, false)} {
			add(o, x)
		}
	}
	return out
}

// clone copies all that mutate changes.
func (p *proved) clone() *proved {
	u := *p.Unfolding
	u.Copies, u.Sent = slices.Clone(u.Copies), slices.Clone(u.Sent)
	out := &proved{&u, p.graph, nil}
	for _, c := range p.list {
		d := *c
		d.On, d.Claims = &u, nil
		for _, s := range c.Claims {
			s.Claim = slices.Clone(s.Claim)
			d.Claims = append(d.Claims, s)
		}
		out.list = append(out.list, &d)
	}
	return out
}

// accepted reports whether certificate number i holds.
func (p *proved) accepted(i int) bool { return proof.NewChecker(p.graph).Check(p.list[i]) == nil }

// early looks for a path on which a put comes before the use is over.
func (p *proved) early(i int, rng *randv2.Rand) bool {
	for range 12 {
		if newWalk(p.Unfolding, p.graph, p.list[i], p.list[i].Puts[0]).path(rng, 300) {
			return true
		}
	}
	return false
}

// TestProofs: what hb proves is accepted, also when read from its text, and no path
// contradicts it.
func TestProofs(t *testing.T) {
	rng := randv2.New(randv2.NewPCG(1, 2))
	uses, claims := 0, 0
	for seed := range int64(40) {
		p := prove(t, seed, 2+int(seed)%5)
		for i := range p.list {
			uses++
			claims += len(p.list[i].Claims)
			if !p.accepted(i) {
				t.Errorf("seed %d: not accepted: %v\n%v", seed, p.list[i], p.Unfolding)
			}
			if p.early(i, rng) {
				t.Errorf("seed %d: a put comes early: %v\n%v", seed, p.list[i], p.Unfolding)
			}
		}
	}
	if uses < 300 || claims < 1000 {
		t.Errorf("only %d uses with %d claims", uses, claims)
	}
}

var mutationSeeds = effort.Of(90, 25)

// TestMutations spoils parts of proofs that are right: messages, who uses what they
// bring, ways to go, claims. What is still accepted must have no path on which a
// put comes early. Of the mutations that have such a path there are enough to tell.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many mutations")
	}
	rng := randv2.New(randv2.NewPCG(3, 4))
	spoilt, kept, lost := map[string]int{}, map[string]int{}, map[string]int{}
	for seed := range int64(mutationSeeds) {
		p := prove(t, seed, 2+int(seed)%3)
		for range 150 {
			if len(p.list) == 0 {
				break
			}
			m := p.clone()
			i := rng.IntN(len(m.list))
			what := m.mutate(i, rng)
			for range 4 { // what is wrong may be so for another use
				ok := m.accepted(i)
				if what == "" || ok && kept[what] > 50 && rng.IntN(8) > 0 { // walks are dear
					break
				}
				if m.early(i, rng) {
					spoilt[what]++
					if ok {
						t.Fatalf("seed %d: %s, and a put comes early on a path: %v\n%v", seed, what, m.list[i], m.Unfolding)
					}
					break
				}
				if ok {
					kept[what]++
				} else {
					lost[what]++
				}
				i = (i + 1) % len(m.list)
			}
		}
	}
	t.Logf("with an early put, all refused: %v; other refused: %v; accepted: %v", spoilt, lost, kept)
	for what, least := range map[string]int{"certain message lost": 5, "put more": 10, "user more": 1, "slot less": 10} {
		if spoilt[what] < effort.Of(least, least/5) {
			t.Errorf("only %d mutations %q let a put come early", spoilt[what], what)
		}
	}
}

// TestClaims: a claim more than what proofs have is refused, unless it follows: all
// claims together, and those of the copies in front of them, are then what holds on
// every path.
func TestClaims(t *testing.T) {
	rng := randv2.New(randv2.NewPCG(5, 6))
	refused := 0
	for seed := range int64(30) {
		p := prove(t, seed, 3)
		for i := range p.list {
			m := p.clone()
			if len(m.list[i].Claims) == 0 {
				continue
			}
			c := m.list[i].Claims[rng.IntN(len(m.list[i].Claims))].Claim
			f := &c[rng.IntN(len(c))]
			f.PEs |= 1 << rng.IntN(3)
			if !m.accepted(i) {
				refused++
			}
		}
	}
	if refused < 50 {
		t.Errorf("only %d claims refused", refused)
	}
}

// mutate changes something and says what, "" if nothing.
func (p *proved) mutate(use int, rng *randv2.Rand) string {
	s := &p.Sent[rng.IntN(len(p.Sent))]
	from, to := rng.IntN(p.PEs), rng.IntN(p.PEs)
	clone := func(m proof.Messages) proof.Messages {
		if len(m) == 0 {
			return make(proof.Messages, p.PEs)
		}
		return slices.Clone(m)
	}
	switch rng.IntN(8) {
	case 0, 6:
		if len(s.Must) == 0 || s.Must[from] == 0 {
			return ""
		}
		s.Must = clone(s.Must)
		s.Must[from] = 0
		return "certain message lost"
	case 1, 7:
		if from == to {
			return ""
		}
		s.May = clone(s.May)
		s.May[from] |= 1 << to
		return "put more"
	case 2:
		s.Users |= 1 << to
		return "user more"
	case 3:
		i, k := rng.IntN(len(p.Copies)), rng.IntN(len(p.Copies))
		for _, n := range p.Copies[i].Succs {
			if p.Copies[n].Node == p.Copies[k].Node && !slices.Contains(p.Copies[i].Succs, k) {
				p.Copies[i].Succs = append(slices.Clone(p.Copies[i].Succs), k)
				return "edge more"
			}
		}
		// Most nodes have one copy: back to some other place that follows in the graph.
		return ""
	case 4:
		u := p.list[use]
		if len(u.Claims) == 0 {
			return ""
		}
		k := rng.IntN(len(u.Claims))
		u.Claims = slices.Delete(slices.Clone(u.Claims), k, k+1)
		return "claim lost"
	default:
		u := p.list[use]
		if u.Ring == 1 {
			return ""
		}
		u.Ring--
		for i, c := range u.Claims {
			u.Claims[i].Claim = slices.DeleteFunc(c.Claim, func(f proof.Fact) bool { return f.Generation >= u.Ring })
		}
		return "slot less"
	}
}
