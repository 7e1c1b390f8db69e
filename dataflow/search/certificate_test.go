package search_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/effort"
)

// seeds choose the guessed relations that each program is planned by.
var seeds = []uint64{1, 2, 3, 4}[:effort.Of(4, 2)]

// eachGuessedPlan calls f for plans of a kind of all programs, by guessed relations, that
// have proofs.
func eachGuessedPlan(t *testing.T, k plan.Kind, f func(name string, s *sketch)) {
	all := ordinary(t)
	sample := effort.Sample(2)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, seed := range seeds {
			if k == plan.PopL96 && !sample() {
				continue
			}
			if s := takeApart(t, guessPlan(t, all[name], k, seed)); len(s.proofs) > 0 {
				f(fmt.Sprintf("%s, seed %d", name, seed), s)
			}
		}
	}
}

// truth analyses the obligation of a proof anew, with what the proof counts on.
func (p *sketchProof) truth(d *plan.Plan) (proof.Fixpoint, synch.Verdict) {
	counts := func(y, nth int) bool {
		return slices.Contains(p.Kills, proof.Kill{Comm: y, Nth: nth})
	}
	solver := synch.NewSolver(d.Graph)
	if p.ring() {
		sol := solver.SolveRing(proof.Ring(p.Use, p.Ring, p.Staged), func(y, put, nth int) bool { return counts(y, nth) }, false)
		return sol, sol.Verdict(d.Graph)
	}
	sol := solver.Solve(proof.Shared(p.Use, p.put()), func(y, put, nth int) bool { return counts(y, nth) }, false)
	return sol, sol.Verdict(d.Graph)
}

// TestAccepts: the verifier accepts every plan that is made of any relations.
func TestAccepts(t *testing.T) {
	values, kills := map[string]int{}, 0
	for _, k := range []plan.Kind{plan.PopL96, plan.Elide} {
		eachGuessedPlan(t, k, func(name string, s *sketch) {
			if err := check(t, s); err != nil {
				t.Errorf("%s: %v\n%s", name, err, s.document(t).Graph)
			}
			for _, p := range s.proofs {
				kills += len(p.Kills)
				for _, c := range p.claims {
					for _, f := range c {
						values[fmt.Sprintf("%t %d", f.Under > 0, f.PEs)]++
					}
				}
			}
		})
	}
	for _, v := range []string{"false 1", "false 2", "false 3", "false 4", "true 2"} {
		if values[v] < 20 {
			t.Errorf("only %d claims of %s: the programs do not show that proofs with it are accepted", values[v], v)
		}
	}
	if kills < 75 {
		t.Errorf("the proofs use only %d kills", kills)
	}
}

// stillProved reports whether the analysis itself, run on the spoilt graph with the kills
// that the spoilt proofs name, still proves every slot without ready messages: then the
// spoilt plan is right, and may be accepted.
func stillProved(t *testing.T, s *sketch) bool {
	t.Helper()
	d := s.document(t)
	for i := range s.proofs {
		p := &s.proofs[i]
		if _, v := p.truth(d); s.slots[p.put()-1].Ready == plan.Never && v == synch.NeedsSync {
			return false
		}
	}
	return true
}

// rejects reports whether a spoilt plan is rejected, which it has to be unless it is
// still right.
func rejects(t *testing.T, name, what string, s *sketch) bool {
	t.Helper()
	if check(t, s) != nil {
		return true
	}
	if !stillProved(t, s) {
		t.Errorf("%s: accepted: %s\n%s", name, what, s.document(t).Graph)
	}
	return false
}

// has reports whether a claim has all of a fact.
func has(c proof.Claim, f proof.Fact) bool {
	return slices.ContainsFunc(c, func(g proof.Fact) bool {
		return g.Under == f.Under && g.Generation == f.Generation && g.At == f.At && f.PEs&^g.PEs == 0
	})
}

// used are the nodes that a proof needs: behind which it claims more than in front.
func (p *sketchProof) used(s *sketch) []int {
	var out []int
	for i, n := range s.nodes {
		kind, _, _ := strings.Cut(n.text, " ")
		if kind != "reduce" && kind != "comm" && kind != "commover" || reference(n.text) == fmt.Sprint(p.Use) || reference(n.text) == fmt.Sprint(p.put()) {
			continue
		}
		more := func(x int) bool {
			return slices.ContainsFunc(p.claims[x], func(f proof.Fact) bool { return !has(p.claims[i], f) })
		}
		if len(p.claims[i]) > 0 && slices.ContainsFunc(n.succs, more) {
			out = append(out, i)
		}
	}
	return out
}

// TestRejectsWithoutWitness: no plan passes from which a message or reduction
// that a proof uses is gone, moved behind a branch, or moved in front of the end
// of the use.
func TestRejectsWithoutWitness(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many plans")
	}
	tried, rejected := map[string]int{}, map[string]int{}
	try := func(name, what string, s *sketch) {
		tried[what]++
		if rejects(t, name, what, s) {
			rejected[what]++
		}
	}
	eachGuessedPlan(t, plan.PopL96, func(name string, s *sketch) {
		done := map[string]bool{} // a node may be used by many proofs
		once := func(what string, node int) bool {
			key := fmt.Sprint(what, node)
			if done[key] {
				return false
			}
			done[key] = true
			return true
		}
		for _, p := range s.proofs {
			for _, i := range p.used(s) {
				kind, _, _ := strings.Cut(s.nodes[i].text, " ")
				if once("dropped", i) {
					c := s.clone()
					c.drop(i)
					try(name, "dropped "+kind, c)
				}
				if once("behind a branch", i) {
					c := s.clone()
					c.insert(i, "branch"+loop(s.nodes[i].text)+` "maybe"`)
					c.nodes[i].succs = append(c.nodes[i].succs, c.nodes[i+1].succs[0])
					try(name, kind+" behind a branch", c)
				}
				if kind == "comm" && once("whole", i) {
					c := s.clone()
					ref := reference(s.nodes[i].text)
					for k := len(c.nodes) - 1; k >= 0; k-- {
						if f, _, _ := strings.Cut(c.nodes[k].text, " "); (f == "comm" || f == "commover" || f == "useover") && reference(c.nodes[k].text) == ref {
							c.drop(k)
						}
					}
					try(name, "dropped communication", c)
				}
			}
			try(name, "use ends after the witness", lateUse(s, &p))
		}
	})
	for _, what := range []string{"dropped reduce", "dropped comm", "dropped commover", "dropped communication",
		"reduce behind a branch", "comm behind a branch", "commover behind a branch", "use ends after the witness"} {
		if rejected[what] < effort.Of(15, 10) || rejected[what]*2 < tried[what] {
			t.Errorf("%s: %d of %d plans rejected", what, rejected[what], tried[what])
		}
	}
	t.Logf("rejected %v\nof %v", rejected, tried)
}

// lateUse moves the end of the use in front of the put: it then comes behind
// whatever the proof counted on.
func lateUse(s *sketch, p *sketchProof) *sketch {
	c := s.clone()
	var text string
	for i := len(c.nodes) - 1; i >= 0; i-- {
		if strings.HasPrefix(c.nodes[i].text, "useover ") && reference(c.nodes[i].text) == fmt.Sprint(p.Use) {
			text = c.nodes[i].text
			c.drop(i)
		}
	}
	for i := range c.nodes {
		if n := c.nodes[i].text; strings.HasPrefix(n, "comm ") && reference(n) == fmt.Sprint(p.put()) && !strings.Contains(n, " send ") {
			c.insert(i, strings.Replace(text, loop(text)+" ref", loop(n)+" ref", 1)) // it may be in another loop
			break
		}
	}
	return c
}

// TestRejectsSpoiltProofs: a proof that lacks something, or that claims more than the
// analysis finds, fails.
func TestRejectsSpoiltProofs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many plans")
	}
	tried, forms := map[string]int{}, map[string]int{}
	must := func(name, what string, s *sketch, want string) {
		t.Helper()
		tried[what]++
		if err := check(t, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s: %v, want %q\n%s", name, what, err, want, s.document(t).Graph)
		}
	}
	sample := effort.Sample(3)
	for _, k := range []plan.Kind{plan.PopL96, plan.Elide} {
		eachGuessedPlan(t, k, func(name string, s *sketch) {
			if k == plan.PopL96 && !sample() {
				return
			}
			for i, slot := range s.slots {
				if k == plan.PopL96 && slot.Ready != plan.Never {
					c := s.clone()
					c.slots[i].Ready = plan.Never
					must(name, "dropped ready message", c, "no proof says that")
				}
			}
			for i, p := range s.proofs {
				if k == plan.Elide && !p.ring() {
					continue // as in popl96
				}
				if p.ring() {
					forms[fmt.Sprintf("%d %t", p.Ring, p.Staged)]++
				}
				spoilProof(t, name, s, i, must)
				raise(t, name, s, i, tried)
			}
		})
	}
	for what, want := range map[string]int{"dropped ready message": 50, "dropped proof": 100, "dropped kill": 50, "dropped fact": 300, "one more in the class": 50, "raised": 500, "other slots": 50} {
		if tried[what] < effort.Of(want, want/8) {
			t.Errorf("%s: only %d plans were spoilt so", what, tried[what])
		}
	}
	for form, want := range map[string]int{"1 true": 50, "2 true": 5, "2 false": 20} {
		if forms[form] < effort.Of(want, want/2) {
			t.Errorf("only %d proofs over slots %s", forms[form], form)
		}
	}
	t.Logf("tried %v\nof rings %v", tried, forms)
}

// spoilProof spoils proof number i in every way that a verifier has to notice.
func spoilProof(t *testing.T, name string, s *sketch, i int, must func(name, what string, s *sketch, want string)) {
	p := s.proofs[i]
	with := func(q sketchProof) *sketch {
		c := s.clone()
		c.proofs[i] = q
		return c
	}
	c := s.clone()
	c.proofs = slices.Delete(c.proofs, i, i+1)
	must(name, "dropped proof", c, "no proof says that")
	for k := range p.Kills {
		q := p
		q.Kills = slices.Delete(slices.Clone(p.Kills), k, k+1)
		must(name, "dropped kill", with(q), "fails")
	}
	for id, claim := range p.claims {
		if id > 0 && slices.Equal(claim, p.claims[id-1]) {
			continue
		}
		for k, f := range claim {
			if f.PEs&(f.PEs-1) == 0 { // of several facts in one each may follow from the others
				must(name, "dropped fact", with(p.changed(id, slices.Delete(slices.Clone(claim), k, k+1))), "fails")
			}
		}
	}
	if p.ring() {
		for _, change := range []func(l *plan.Slot){
			func(l *plan.Slot) { l.Ring++ },
			func(l *plan.Slot) { l.Staged = !l.Staged },
		} {
			c := s.clone()
			change(&c.slots[p.put()-1])
			must(name, "other slots", c, "proof")
		}
		return
	}
	// Any communication that leads to the put could be one more user of its cells; one
	// that does not needs no proof.
	for other := range s.slots {
		if other+1 == p.put() || s.has(other+1, p.put()) {
			continue
		}
		c := s.clone()
		c.classes = append(c.classes, []int{min(other+1, p.put()), max(other+1, p.put())})
		if check(t, c) != nil {
			must(name, "one more in the class", c, "")
			break
		}
	}
}

func (s *sketch) has(use, put int) bool {
	return slices.ContainsFunc(s.proofs, func(p sketchProof) bool { return p.Use == use && p.put() == put })
}

// raise claims more where the claims of a proof change: what the analysis does not find
// must not be accepted.
func raise(t *testing.T, name string, s *sketch, i int, tried map[string]int) {
	t.Helper()
	p := s.proofs[i]
	truth, v := p.truth(s.document(t))
	if v == synch.NeedsSync {
		t.Errorf("%s: the analysis does not find what is claimed by %v", name, p.certificate())
	}
	for id := 1; id < len(p.claims); id++ {
		if slices.Equal(p.claims[id], p.claims[id-1]) {
			continue
		}
		for g := range p.Ring {
			facts := []proof.Fact{{Generation: g, PEs: proof.Consumer}, {Generation: g, PEs: proof.Next}, {Generation: g, PEs: proof.Everybody}}
			for _, k := range p.Kills {
				facts = append(facts, proof.Fact{Under: k.Comm, Generation: g, PEs: proof.Next})
			}
			for _, f := range facts {
				known := f
				known.Under = 0
				if truth.Has(id, f)|truth.Has(id, known) != 0 {
					continue
				}
				tried["raised"]++
				c := s.clone()
				c.proofs[i] = p.changed(id, proof.MakeClaim(append(slices.Clone(p.claims[id]), f)...))
				if check(t, c) == nil {
					t.Errorf("%s: %v: accepted: %+v at node %d", name, p.certificate(), f, id)
				}
			}
		}
	}
}
