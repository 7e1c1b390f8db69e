package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/effort"
)

// seeds choose the guessed relations that each program is planned by.
var seeds = []uint64{1, 2, 3, 4}

// eachQuietPlan calls f for plans of all programs, by guessed relations.
func eachQuietPlan(t *testing.T, f func(name string, s *sketch)) {
	all := ordinary(t)
	sample := effort.Sample(2)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, seed := range seeds {
			if !sample() {
				continue
			}
			f(fmt.Sprintf("%s, seed %d", name, seed), takeApart(t, guessPlan(t, all[name], plan.PopL96, seed).Explain()))
		}
	}
}

// TestAccepts: the verifier accepts every plan that Make makes of any relations,
// and its text says all of it.
func TestAccepts(t *testing.T) {
	levels, kills := map[plan.Level]int{}, 0
	eachQuietPlan(t, func(name string, s *sketch) {
		if err := verify(t, s); err != nil {
			t.Errorf("%s: %v\n%s", name, err, s)
		}
		for _, p := range s.proofs {
			kills += len(p.kills)
			for _, c := range p.claims {
				levels[c.Level]++
			}
		}
	})
	for l := plan.CS; l <= plan.Unposted; l++ {
		if levels[l] < 20 {
			t.Errorf("only %d claims of %v: the programs do not show that proofs with it are accepted", levels[l], l)
		}
	}
	if kills < 75 {
		t.Errorf("the proofs use only %d kills", kills)
	}
}

// stillProved reports whether the analysis itself, run on the spoilt graph with
// the kills that the spoilt proofs name, still proves every quiet slot: then the
// spoilt plan is right, and may be accepted.
func stillProved(t *testing.T, s *sketch) bool {
	t.Helper()
	d, err := plan.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Proofs {
		if !d.Slots[p.Put-1].Ready && resolve(d, &p).Verdict(d.Graph) == synch.NeedsSync {
			return false
		}
	}
	return true
}

// resolve analyses the item of a proof anew.
func resolve(d *plan.Document, p *plan.Proof) *synch.Solution {
	kills := func(y, use, put int) bool { return slices.Contains(p.Kills, y) }
	return synch.Solve(d.Graph, synch.Item{Use: p.Use, Put: p.Put}, kills, false)
}

// rejects fails the test when the verifier accepts a plan that nothing proves.
// It reports whether the plan was rejected.
func rejects(t *testing.T, name, what string, s *sketch) bool {
	t.Helper()
	if verify(t, s) != nil {
		return true
	}
	if !stillProved(t, s) {
		t.Errorf("%s: accepted: %s\n%s", name, what, s)
	}
	return false
}

// used lists the nodes that a proof cannot do without: more is claimed behind
// them than in front.
func (p *sketchProof) used(s *sketch) []int {
	var out []int
	for i, n := range s.nodes {
		kind, _, _ := strings.Cut(n.text, " ")
		if kind != "reduce" && kind != "comm" && kind != "commover" || reference(n.text) == fmt.Sprint(p.use) || reference(n.text) == fmt.Sprint(p.put) {
			continue
		}
		for _, x := range n.succs {
			a, b := p.claims[i], p.claims[x]
			if a.Level != plan.Sync && (b.Level > a.Level || b.Level == plan.NoSyncP && len(b.Tags) > len(a.Tags)) {
				out = append(out, i)
				break
			}
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
	eachQuietPlan(t, func(name string, s *sketch) {
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
		if rejected[what] < 15 || rejected[what]*2 < tried[what] {
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
		if strings.HasPrefix(c.nodes[i].text, "useover ") && reference(c.nodes[i].text) == fmt.Sprint(p.use) {
			text = c.nodes[i].text
			c.drop(i)
		}
	}
	for i := range c.nodes {
		if n := c.nodes[i].text; strings.HasPrefix(n, "comm ") && reference(n) == fmt.Sprint(p.put) && !strings.Contains(n, " send ") {
			c.insert(i, strings.Replace(text, loop(text)+" ref", loop(n)+" ref", 1)) // it may be in another loop
			break
		}
	}
	return c
}

// TestRejectsSpoiltProofs: a proof that lacks something, or that claims more
// than the analysis finds, fails.
func TestRejectsSpoiltProofs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many plans")
	}
	tried := map[string]int{}
	must := func(name, what string, s *sketch, want string) {
		t.Helper()
		tried[what]++
		if err := verify(t, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s: %v, want %q\n%s", name, what, err, want, s)
		}
	}
	sample := effort.Sample(3)
	eachQuietPlan(t, func(name string, s *sketch) {
		if !sample() {
			return
		}
		for i, line := range s.slots {
			if strings.Fields(line)[2] == "ready" {
				c := s.clone()
				c.slots[i] = strings.Replace(line, " ready ", " quiet ", 1)
				must(name, "dropped ready message", c, "no proof says that")
			}
		}
		for i, p := range s.proofs {
			c := s.clone()
			c.proofs = slices.Delete(c.proofs, i, i+1)
			must(name, "dropped proof", c, "no proof says that the value of")
			for k := range p.kills {
				c := s.clone()
				c.proofs[i].kills = slices.Delete(slices.Clone(p.kills), k, k+1)
				must(name, "dropped kill", c, "fails")
			}
			for id, claim := range p.claims {
				if claim.Level != plan.Sync && (id == 0 || !sameClaim(claim, p.claims[id-1])) {
					c := s.clone()
					c.proofs[i].claims = slices.Clone(p.claims)
					c.proofs[i].claims[id] = plan.Claim{}
					must(name, "dropped claim", c, "fails")
				}
			}
			// Any communication that leads to the put could be one more user of
			// its cells; one that does not needs no proof.
			for other := range s.slots {
				if other+1 == p.put || s.has(other+1, p.put) {
					continue
				}
				c := s.clone()
				c.classes = append(c.classes, fmt.Sprintf("class %d %d", min(other+1, p.put), max(other+1, p.put)))
				if verify(t, c) != nil {
					must(name, "one more in the class", c, "no proof says that")
					break
				}
			}
			raise(t, name, s, i, tried)
		}
	})
	for what, want := range map[string]int{"dropped ready message": 50, "dropped proof": 100, "dropped kill": 50, "dropped claim": 300, "one more in the class": 50, "raised": 500} {
		if tried[what] < effort.Of(want, want/4) {
			t.Errorf("%s: only %d plans were spoilt so", what, tried[what])
		}
	}
	t.Logf("tried %v", tried)
}

func (s *sketch) has(use, put int) bool {
	return slices.ContainsFunc(s.proofs, func(p sketchProof) bool { return p.use == use && p.put == put })
}

func sameClaim(a, b plan.Claim) bool { return a.Level == b.Level && slices.Equal(a.Tags, b.Tags) }

// raise claims more where the claims of a proof change: what the analysis does
// not find must not be accepted.
func raise(t *testing.T, name string, s *sketch, i int, tried map[string]int) {
	t.Helper()
	p := s.proofs[i]
	d, err := plan.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	truth := resolve(d, &plan.Proof{Use: p.use, Put: p.put, Kills: p.kills}).In
	for id := 1; id < len(p.claims); id++ {
		if sameClaim(p.claims[id], p.claims[id-1]) {
			continue
		}
		for l := p.claims[id].Level + 1; l <= plan.Unposted; l++ {
			claim := plan.Claim{Level: l}
			if l == plan.NoSyncP {
				if len(p.kills) == 0 {
					continue
				}
				claim.Tags = p.kills
			}
			if claimed(claim, truth[id]) {
				continue
			}
			tried["raised"]++
			c := s.clone()
			c.proofs[i].claims = slices.Clone(p.claims)
			c.proofs[i].claims[id] = claim
			if verify(t, c) == nil {
				t.Errorf("%s: proof %d %d: accepted: %v at node %d, where %v holds", name, p.use, p.put, claim, id, truth[id])
			}
		}
	}
}

// claimed reports whether a claim follows from what the analysis finds.
func claimed(c plan.Claim, found synch.State) bool {
	if c.Level == plan.NoSyncP && found.Value == synch.NoSyncP {
		return synch.MakeTags(c.Tags...).Within(found.Tags)
	}
	return c.Level.String() == found.Value.String() || int(c.Level) < int(found.Value)
}

// TestPassIsTheTransfer: what the verifier lets through a node is what the
// transfer function of the analysis makes of it, for all states and kinds of
// nodes. The verifier's rules are written independently.
func TestPassIsTheTransfer(t *testing.T) {
	var states []plan.Claim
	for l := plan.Sync; l <= plan.Unposted; l++ {
		if l != plan.NoSyncP {
			states = append(states, plan.Claim{Level: l})
		}
	}
	for _, tags := range [][]int{{3}, {4}, {3, 4}} {
		states = append(states, plan.Claim{Level: plan.NoSyncP, Tags: tags})
	}
	var nodes []*cfg.Node
	for _, k := range []cfg.Kind{cfg.Stmt, cfg.Branch, cfg.LoopHead, cfg.Join, cfg.Reduce, cfg.Barrier} {
		nodes = append(nodes, &cfg.Node{Kind: k})
	}
	for ref := 1; ref <= 4; ref++ {
		nodes = append(nodes, &cfg.Node{Kind: cfg.CommOver, Ref: ref}, &cfg.Node{Kind: cfg.UseOver, Ref: ref})
		for _, flavour := range []string{"shift", "recv", "send"} {
			if ref < 3 || flavour == "shift" {
				nodes = append(nodes, &cfg.Node{Kind: cfg.Comm, Ref: ref, Flavour: flavour})
			}
		}
	}
	for _, item := range []synch.Item{{Use: 1, Put: 1}, {Use: 1, Put: 2}} {
		for _, killers := range [][]int{nil, {3}, {4}, {3, 4}} {
			p := &plan.Proof{Use: item.Use, Put: item.Put, Kills: killers}
			for _, c := range states {
				for _, n := range nodes {
					in := synch.State{Value: synch.Value(c.Level), Tags: synch.MakeTags(c.Tags...)}
					want := synch.SynchApply(in, n, item, func(y, _, _ int) bool { return slices.Contains(killers, y) })
					got := plan.Pass(p, c, n)
					if got.Level.String() != want.Value.String() || !slices.Equal(got.Tags, want.Tags.Refs()) && len(got.Tags)+want.Tags.Len() > 0 {
						t.Errorf("%v, kills %v: %v through %s %s: %v, want %v", item, killers, c, n.Name(), n.Flavour, got, want)
					}
				}
			}
		}
	}
}

// TestProofsByHand: small plans with their proofs, right and wrong, and what the
// verifier says.
func TestProofsByHand(t *testing.T) {
	const (
		// x is repeated, and a reduction follows its use.
		reduced = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 6
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 reduce line 5 in L1 ref 9 sum "s" -> 1
6 exit
`
		// The reduction lies on one way round only.
		branched = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 7
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 branch line 5 in L1 -> 6 1
6 reduce line 5 in L1 ref 9 sum "s" -> 1
7 exit
`
		// y answers x, in the same round or with x posted before y has arrived.
		answered = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 8
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 comm line 6 in L1 ref 2 shift "b(i+1)" -> 6
6 commover line 6 in L1 ref 2 -> 7
7 useover line 7 in L1 ref 2 -> 1
8 exit
`
		early = `
loop L1
0 entry -> 1
1 comm line 2 ref 2 shift "b(i+1)" -> 2
2 loop in L1 -> 3 6
3 comm line 3 in L1 ref 1 shift "a(i-1)" -> 4
4 commover line 3 in L1 ref 1 -> 5
5 useover line 4 in L1 ref 1 -> 2
6 commover line 6 ref 2 -> 7
7 useover line 7 ref 2 -> 8
8 exit
`
		pipelined = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 9
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 comm line 6 in L1 ref 2 recv "b(i+1)" -> 6
6 commover line 6 in L1 ref 2 -> 7
7 comm line 7 in L1 ref 2 send "b(i+1)" -> 8
8 useover line 7 in L1 ref 2 -> 1
9 exit
`
		// x itself is pipelined: it puts behind the loop that uses what came.
		pipe = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 7
2 comm line 3 in L1 ref 1 recv "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 comm line 4 in L1 ref 1 send "a(i-1)" -> 5
5 useover line 4 in L1 ref 1 -> 6
6 reduce line 5 in L1 ref 9 sum "s" -> 1
7 exit
`
		// Two communications into the same cells, one behind the other.
		shared = `
0 entry -> 1
1 comm line 3 ref 1 shift "a(i-1)" -> 2
2 commover line 3 ref 1 -> 3
3 useover line 4 ref 1 -> 4
4 reduce line 5 ref 9 sum "s" -> 5
5 comm line 6 ref 2 shift "a(i-1)" -> 6
6 commover line 6 ref 2 -> 7
7 useover line 7 ref 2 -> 8
8 exit
`
	)
	const right = "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons\n"
	const answer = "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 6 NoSyncP{2}, 7 NoSync"
	for _, c := range []struct{ name, slots, proofs, graph, want string }{
		{"a reduction in each round", "quiet", right, reduced, ""},
		{"more is claimed than need be, and true", "quiet", "proof 1 1: 0 U, 1-2 NoSync, 3-4 CS, 5 Cons\n", reduced, ""},
		{"no proof", "quiet", "", reduced, "line 3: C_1 puts without ready message, and no proof says that the value of #1 is dead by then"},
		{"an empty proof", "quiet", "proof 1 1:\n", reduced, "Sync where C_1 puts, NoSync or U wanted"},
		{"Cons is not enough", "quiet", "proof 1 1: 0-2 Cons, 5 Cons\n", reduced, "Cons where C_1 puts"},
		{"the use forgotten", "quiet", "proof 1 1: 0-6 NoSync\n", reduced, "node 3 claims NoSync, but only CS comes from node 2 (C_1)"},
		{"once, in a loop", "quiet", "proof 1 1: 0-2 U, 3-4 CS, 5 Cons\n", reduced, "node 1 claims U, but only NoSync comes from node 5"},
		{"a claim about no node", "quiet", "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 7 U\n", reduced, "nodes ascend from 0 to 6"},
		{"claims out of order", "quiet", "proof 1 1: 3-4 CS, 0-2 NoSync, 5 Cons\n", reduced, "nodes ascend from 0 to 6"},
		{"a reduction on one way only", "quiet", "proof 1 1: 0-2 NoSync, 3-4 CS, 5-6 Cons\n", branched, "node 1 claims NoSync, but only Cons comes from node 5"},
		{"an answer", "quiet ready", answer + " kills 2\n", answered, ""},
		{"an answer that is not among the kills", "quiet ready", answer + "\n", answered, "node 6 claims NoSyncP{2}, but only Cons comes from node 5 (C_2)"},
		{"a message that is not among the kills", "quiet", "proof 1 1: 0 NoSyncP{2}, 1-2 NoSync, 3-4 CS, 5 Cons\n", reduced, "node 0 counts on a message of #2, which is not among its kills"},
		{"an answer that nobody sends", "quiet ready", answer + " kills 2 3\n", answered, "there is no communication #3"},
		{"its own messages", "quiet ready", answer + " kills 1 2\n", answered, "#1 counts on its own messages"},
		{"an answer sent, and not there yet", "quiet ready", "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 6-7 NoSync kills 2\n", answered, "node 6 claims NoSync, but only NoSyncP{2} comes from node 5 (C_2)"},
		{"an answer from before the use", "quiet ready", "proof 1 1: 0-1 NoSync, 2-3 NoSync, 4 CS, 5 CS kills 2\n", early, "node 2 claims NoSync, but only Cons comes from node 5 (UO_1)"},
		{"a pipelined answer", "quiet ready", "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 6 NoSyncP{2}, 7-8 NoSync kills 2\n", pipelined, "#2 is pipelined"},
		{"pipelined, a reduction in each round", "quiet", "proof 1 1: 0-4 NoSync, 5 CS, 6 Cons\n", pipe, ""},
		{"pipelined, the put taken for where it waits", "quiet", "proof 1 1: 0-2 NoSync, 3-5 CS, 6 Cons\n", pipe, "CS where C_1 puts"},
		{"shared cells", "ready quiet", "proof 1 2: 0-1 CS, 2-3 CS, 4 Cons, 5 NoSync\nclass 1 2\n", shared, ""},
		{"shared cells, a proof for itself only", "ready quiet", "proof 2 2: 0-5 U\nclass 1 2\n", shared, "no proof says that the value of #1 is dead"},
		{"shared cells, of which the class does not know", "ready quiet", "proof 2 2: 0-5 U\n", shared, ""},
		{"shared cells, use under way", "ready quiet", "proof 1 2: 0-1 CS, 2-4 CS, 5 NoSync\nclass 1 2\n", shared, "node 5 claims NoSync, but only CS comes from node 4"},
	} {
		text := "plan popl96\n"
		proofs, class, _ := strings.Cut(c.proofs, "class")
		for i, mood := range strings.Fields(c.slots) {
			text += fmt.Sprintf("slot %d %s shift of a\n", i+1, mood)
			if mood == "quiet" {
				text += proofs
			}
		}
		if class != "" {
			text += "class" + class
		}
		d, err := plan.Parse(text + strings.TrimLeft(c.graph, "\n"))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		err = d.Verify()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
