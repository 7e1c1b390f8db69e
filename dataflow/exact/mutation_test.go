package exact_test

import (
	"iter"
	"math/rand"
	randv2 "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/exact"
	"github.com/spmdc/spmdc/dataflow/hb"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randomhpf"
	"github.com/spmdc/spmdc/procfunc"
)

// proved is a proof with what it concludes.
type proved struct {
	*exact.Proof
	graph *cfg.Graph
	puts  []int // for which each of Uses is over
}

// prove makes the proofs of a random program for a number of PEs: of each
// communication against itself, with slots of each form that does.
func prove(t *testing.T, seed int64, pes int) proved {
	t.Helper()
	c := front.Must(t, front.SPMD, randomhpf.Program(rand.New(rand.NewSource(seed))))
	f := procfunc.Analyze(c, c.Graph())
	prover := hb.NewProver(f, pes)
	out := proved{Proof: prover.Proof(), graph: f.Graph}
	for _, it := range f.Items() {
		if prover.Free(it[0], 1, false, it[1:])[0] {
			out.add(t, prover, it[0], 1, false, it[1])
		}
	}
	for x := 1; x <= len(c.Comms); x++ {
		for _, form := range []struct {
			slots  int
			staged bool
		}{{1, true}, {2, false}, {2, true}, {3, false}} {
			if prover.Free(x, form.slots, form.staged, []int{x})[0] {
				out.add(t, prover, x, form.slots, form.staged, x)
			}
		}
	}
	return out
}

func (p *proved) add(t *testing.T, prover *hb.Prover, use, slots int, staged bool, put int) {
	t.Helper()
	u, err := prover.Claims(use, slots, staged, []int{put})
	if err != nil {
		t.Fatal(err)
	}
	if p.Find(use, slots, staged) == nil {
		p.Uses, p.puts = append(p.Uses, u), append(p.puts, put)
	}
}

// accepted reports whether use number i of a proof is checked to be over in time.
func (p *proved) accepted(i int) bool {
	one := *p.Proof
	one.Uses = p.Uses[i : i+1]
	c, err := one.Check(p.graph)
	return err == nil && c.Orders(one.Uses[0].Comm, one.Uses[0].Slots, one.Uses[0].Staged, p.puts[i]) == nil
}

// early looks for a path on which a put comes before the use is over.
func (p *proved) early(i int, rng *randv2.Rand) bool {
	for range 12 {
		if newWalk(p.Proof, p.graph, p.Uses[i], p.puts[i]).path(rng, 300) {
			return true
		}
	}
	return false
}

// again reads the text of a proof.
func again(t *testing.T, p *exact.Proof) *exact.Proof {
	t.Helper()
	var out *exact.Proof
	for line := range lines(p.String()) {
		var err error
		if out, err = exact.ParseLine(line, out); err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
	}
	return out
}

// TestProofs: what hb proves is accepted, also when read from its text, and no path
// contradicts it.
func TestProofs(t *testing.T) {
	rng := randv2.New(randv2.NewPCG(1, 2))
	uses, claims := 0, 0
	for seed := range int64(40) {
		p := prove(t, seed, 2+int(seed)%5)
		text := p.String()
		if p.Proof = again(t, p.Proof); p.String() != text {
			t.Fatalf("seed %d: read as\n%v\nwritten\n%s", seed, p.Proof, text)
		}
		for i := range p.Uses {
			uses++
			claims += len(p.Uses[i].Claims)
			if !p.accepted(i) {
				t.Errorf("seed %d: #%d is not accepted\n%v", seed, p.puts[i], p.Proof)
			}
			if p.early(i, rng) {
				t.Errorf("seed %d: a put of #%d comes early\n%v", seed, p.puts[i], p.Proof)
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
			if len(p.Uses) == 0 {
				break
			}
			m := proved{again(t, p.Proof), p.graph, p.puts}
			i := rng.IntN(len(m.Uses))
			what := mutate(m.Proof, i, rng)
			for range 4 { // what is wrong may be so for another use
				ok := m.accepted(i)
				if what == "" || ok && kept[what] > 50 && rng.IntN(8) > 0 { // walks are dear
					break
				}
				if m.early(i, rng) {
					spoilt[what]++
					if ok {
						t.Fatalf("seed %d: %s, and #%d puts early on a path\n%v", seed, what, m.puts[i], m.Proof)
					}
					break
				}
				if ok {
					kept[what]++
				} else {
					lost[what]++
				}
				i = (i + 1) % len(m.Uses)
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
		for i := range p.Uses {
			m := proved{again(t, p.Proof), p.graph, p.puts}
			if len(m.Uses[i].Claims) == 0 {
				continue
			}
			c := m.Uses[i].Claims[rng.IntN(len(m.Uses[i].Claims))].Claim
			if len(c.Facts) == 0 {
				continue
			}
			f := &c.Facts[rng.IntN(len(c.Facts))]
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
func mutate(p *exact.Proof, use int, rng *randv2.Rand) string {
	s := &p.Sent[rng.IntN(len(p.Sent))]
	from, to := rng.IntN(p.PEs), rng.IntN(p.PEs)
	clone := func(m exact.Messages) exact.Messages {
		if len(m) == 0 {
			return make(exact.Messages, p.PEs)
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
		u := &p.Uses[use]
		if len(u.Claims) == 0 {
			return ""
		}
		k := rng.IntN(len(u.Claims))
		u.Claims = slices.Delete(slices.Clone(u.Claims), k, k+1)
		return "claim lost"
	default:
		u := &p.Uses[use]
		if u.Slots == 1 {
			return ""
		}
		u.Slots--
		for _, c := range u.Claims {
			c.Claim.Facts = slices.DeleteFunc(c.Claim.Facts, func(f exact.Fact) bool { return f.Age >= u.Slots })
		}
		return "slot less"
	}
}

func lines(text string) iter.Seq[string] {
	return strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n")
}
