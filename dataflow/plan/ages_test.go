package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/procfunc"
)

// eachAgedPlan calls f for elide plans of all programs, by guessed relations,
// that have stages or several slots.
func eachAgedPlan(t *testing.T, f func(name string, s *sketch)) {
	all := ordinary(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, seed := range seeds {
			if s := takeApart(t, guessPlan(t, all[name], plan.Elide, seed).Explain()); len(s.ages) > 0 {
				f(fmt.Sprintf("%s, seed %d", name, seed), s)
			}
		}
	}
}

// agedTruth analyses the slots of a proof anew, with what it counts on.
func agedTruth(t *testing.T, s *sketch, p sketchAges) (*synch.AgedSolution, *plan.Document) {
	t.Helper()
	d, err := plan.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	kills := func(y, put, nth int) bool {
		return slices.Contains(p.asks, y) || slices.Contains(p.kills, plan.Answer{Comm: y, Nth: nth})
	}
	slot := d.Slots[p.put-1]
	return synch.NewSolver(d.Graph).SolveAged(synch.Slots{Comm: p.put, Count: slot.Count, Staged: slot.Staged}, kills), d
}

// TestAgedPlans: the verifier accepts every proof over ages that the search makes
// of any relations; and none that lacks something, or claims more than the
// analysis finds.
func TestAgedPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many plans")
	}
	tried := map[string]int{}
	moods := map[string]int{}
	must := func(name, what string, s *sketch, p sketchAges, want string) {
		t.Helper()
		tried[what]++
		if err := verify(t, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: #%d %s: %v, want %q\n%s", name, p.put, what, err, want, s)
		}
	}
	eachAgedPlan(t, func(name string, s *sketch) {
		if err := verify(t, s); err != nil {
			t.Errorf("%s: %v\n%s", name, err, s)
			return
		}
		for i, p := range s.ages {
			line := s.slots[p.put-1]
			mood := strings.Fields(line)[2]
			moods[mood]++
			with := func(q sketchAges) *sketch {
				c := s.clone()
				c.ages[i] = q
				return c
			}
			c := s.clone()
			c.ages = slices.Delete(c.ages, i, i+1)
			must(name, "dropped proof", c, p, "no proof says that")
			for k := range p.kills {
				q := p
				q.kills = slices.Delete(slices.Clone(p.kills), k, k+1)
				must(name, "dropped kill", with(q), p, "fails")
			}
			for k := range p.asks {
				q := p
				q.asks = slices.Delete(slices.Clone(p.asks), k, k+1)
				must(name, "dropped ask", with(q), p, "fails")
			}
			truth, d := agedTruth(t, s, p)
			if v := truth.Verdict(d.Graph); v == synch.NeedsSync {
				t.Errorf("%s: the analysis does not find what is claimed of #%d\n%s", name, p.put, s)
			}
			for age, claims := range p.claims {
				for id, claim := range claims {
					changes := id == 0 || !sameClaim(claim, claims[id-1])
					if claim.Level != plan.Sync && changes {
						must(name, "dropped claim", with(p.changed(age, id, plan.Claim{})), p, "fails")
					}
					for l := claim.Level + 1; changes && id > 0 && l <= plan.Unposted; l++ {
						if more := (plan.Claim{Level: l}); l != plan.NoSyncP && !claimed(more, truth.In[id][age]) {
							must(name, "raised", with(p.changed(age, id, more)), p, "fails")
						}
					}
				}
			}
			// One slot less than the proof needs, or what it is proved for not said.
			word := map[string]string{"staged*2": "staged", "staged*3": "staged*2", "quiet*2": "quiet", "quiet*3": "quiet*2", "staged": "staged*2"}[mood]
			if word != "" {
				c := s.clone()
				c.slots[p.put-1] = strings.Replace(line, " "+mood+" ", " "+word+" ", 1)
				must(name, "other number of slots", c, p, "a proof over")
			}
			witnesses(t, name, s, p, tried)
		}
	})
	t.Logf("plans %v\ntried %v", moods, tried)
	for what, want := range map[string]int{"dropped proof": 50, "dropped kill": 20, "dropped ask": 15, "dropped claim": 300, "raised": 300, "other number of slots": 50, "dropped witness": 50} {
		if tried[what] < want {
			t.Errorf("%s: only %d plans were spoilt so", what, tried[what])
		}
	}
	for mood, want := range map[string]int{"staged": 50, "staged*2": 5, "quiet*2": 20, "quiet": 3} {
		if moods[mood] < want {
			t.Errorf("only %d slots are %s", moods[mood], mood)
		}
	}
}

// witnesses drops each message or reduction from the plan: unless the analysis
// proves the rest, it is rejected.
func witnesses(t *testing.T, name string, s *sketch, p sketchAges, tried map[string]int) {
	t.Helper()
	for i, n := range s.nodes {
		kind, _, _ := strings.Cut(n.text, " ")
		if kind != "reduce" && kind != "commover" || reference(n.text) == fmt.Sprint(p.put) {
			continue
		}
		c := s.clone()
		c.drop(i)
		at := slices.IndexFunc(c.ages, func(q sketchAges) bool { return q.put == p.put })
		truth, d := agedTruth(t, c, c.ages[at])
		if truth.Verdict(d.Graph) != synch.NeedsSync {
			continue
		}
		tried["dropped witness"]++
		if verify(t, c) == nil {
			t.Errorf("%s: accepted without node %d %q\n%s", name, i, n.text, s)
		}
	}
}

// TestPassAgesIsTheTransfer: what the verifier lets through a node, by age, is
// what the transfer function of the analysis makes of it. Its rules are written
// independently.
func TestPassAgesIsTheTransfer(t *testing.T) {
	states := []plan.Claim{{Level: plan.Sync}, {Level: plan.CS}, {Level: plan.Cons}, {Level: plan.NoSyncP, Tags: []int{2}}, {Level: plan.NoSyncP, Tags: []int{1, 3}}, {Level: plan.NoSync}, {Level: plan.Unposted}}
	var nodes []*cfg.Node
	for _, k := range []cfg.Kind{cfg.Stmt, cfg.Branch, cfg.Reduce, cfg.Barrier} {
		nodes = append(nodes, &cfg.Node{Kind: k})
	}
	for ref := 1; ref <= 3; ref++ {
		nodes = append(nodes, &cfg.Node{Kind: cfg.CommOver, Ref: ref}, &cfg.Node{Kind: cfg.UseOver, Ref: ref})
		for _, flavour := range []string{"shift", "recv", "send"} {
			nodes = append(nodes, &cfg.Node{Kind: cfg.Comm, Ref: ref, Flavour: flavour})
		}
	}
	checked := 0
	for count := 1; count <= 3; count++ {
		var vectors [][]plan.Claim
		var fill func(v []plan.Claim)
		fill = func(v []plan.Claim) {
			if len(v) == count {
				vectors = append(vectors, slices.Clone(v))
				return
			}
			for _, c := range states {
				fill(append(v, c))
			}
		}
		fill(nil)
		for _, staged := range []bool{false, true} {
			for _, kills := range [][]plan.Answer{nil, {{Comm: 2, Nth: 1}}, {{Comm: 2, Nth: 2}, {Comm: 3, Nth: 1}}, {{Comm: 1, Nth: 1}}} {
				p := &plan.SlotProof{Comm: 1, Ages: make([][]plan.Span, count), Kills: kills, Asks: []int{3}[:len(kills)%2]}
				test := func(y, put, nth int) bool {
					if put != 1 || nth < 1 || nth > count || y == 1 && nth == count {
						t.Fatalf("kills is asked for %d, put %d, number %d of %d", y, put, nth, count)
					}
					return slices.Contains(p.Asks, y) || slices.Contains(kills, plan.Answer{Comm: y, Nth: nth})
				}
				for _, v := range vectors {
					in := synch.Aged{{Value: synch.U}, {Value: synch.U}, {Value: synch.U}, {Value: synch.U}}
					for a, c := range v {
						in[a] = synch.State{Value: synch.Value(c.Level), Tags: synch.MakeTags(c.Tags...)}
					}
					for _, n := range nodes {
						checked++
						want := synch.AgedApply(in, n, synch.Slots{Comm: 1, Count: count, Staged: staged}, test)
						for a, got := range plan.PassAges(p, v, n, staged) {
							w := want[a]
							if got.Level.String() != w.Value.String() || !slices.Equal(got.Tags, w.Tags.Refs()) && len(got.Tags)+w.Tags.Len() > 0 {
								t.Fatalf("%d slots, staged %t, kills %v: %v through %s %s: %v at age %d, want %v", count, staged, kills, v, n.Name(), n.Flavour, got, a, w)
							}
						}
					}
				}
			}
		}
	}
	if checked < 50000 {
		t.Errorf("only %d cases", checked)
	}
}

// agedLiar says that communication y answers put whenever it comes, which is not
// proved, and else nothing but what is.
type agedLiar struct {
	*procfunc.Functions
	y, put int
}

func (l agedLiar) KillsAfter(y, put, nth int) bool {
	return y == l.y && put == l.put || l.Functions.KillsAfter(y, put, nth)
}

func (l agedLiar) Alike(y, put int) bool { return false }

// TestExamplesContradictAgedLies is TestExamplesContradictLies for stages and
// several slots.
func TestExamplesContradictAgedLies(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many plans")
	}
	var l lies
	all := ordinary(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := makePlan(t, all[name], plan.PopL96)
		f := procfunc.Analyze(p.Program, p.Graph)
		for put := range p.Slots {
			for y := range p.Slots {
				if y == put || !p.Slots[put].Ready || f.KillsAfter(y+1, put+1, 1) || l.told > effort.Of(120, 55) {
					continue
				}
				lied := plan.Search(p.Program, agedLiar{f, y + 1, put + 1}, plan.Options{Relations: func(c *comm.Program, g *cfg.Graph) plan.Relations {
					return agedLiar{procfunc.Analyze(c, g), y + 1, put + 1}
				}})
				ages := lied.Slots[put].Ages
				if ages == nil || !slices.ContainsFunc(ages.Kills, func(k plan.Answer) bool { return k.Comm == y+1 }) {
					continue // the lie does not help
				}
				l.tell(t, name, y+1, put+1, lied)
			}
		}
	}
	l.check(t)
}
