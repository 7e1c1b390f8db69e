package synch

import (
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/internal/effort"
)

// mutations break one rule of the sound form each. A campaign that did not
// notice would say nothing about the rules that stand.
var mutations = []struct {
	name string
	make func(r *rules)
}{
	{"CS above Cons, as in Table 1", func(r *rules) {
		r.meet = func(a, b State) State {
			rank := [...]int{Sync: 0, Cons: 1, NoSyncP: 2, NoSync: 3, CS: 4, U: 5}
			if a.Value == b.Value {
				return SynchMeet(a, b)
			}
			if rank[a.Value] < rank[b.Value] {
				return a
			}
			return b
		}
	}},
	{"C of a proved communication starts no new round", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if puts(n, it.Use) && in.Value == NoSync {
				return in
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"tags united where paths meet", func(r *rules) {
		r.meet = func(a, b State) State {
			if a.Value == NoSyncP && b.Value == NoSyncP {
				return State{Value: NoSyncP, Tags: a.Tags.Union(b.Tags)}
			}
			return SynchMeet(a, b)
		}
	}},
	{"where paths meet the higher value", func(r *rules) {
		r.meet = func(a, b State) State {
			if a.Value != U && b.Value != U && SynchMeet(a, b) == a {
				return b
			}
			return SynchMeet(a, b)
		}
	}},
	{"a communication kills its own requirement, and the verdict is read behind C", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if puts(n, it.Use) && it.Use == it.Put && in.Value == Cons && kills(n.Ref, it.Put, 1) {
				return State{Value: NoSyncP, Tags: MakeTags(n.Ref)}
			}
			return SynchApply(in, n, it, kills)
		}
		r.read = func(in, out State) Verdict {
			if out.Value == Sync || out.Value == Cons || in.Value == CS {
				return NeedsSync
			}
			return NoReady
		}
	}},
	{"any arrival counts", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if n.Kind == cfg.CommOver && in.Value == NoSyncP {
				return State{Value: NoSync}
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"a killer counts when it is posted", func(r *rules) {
		r.read = func(in, _ State) Verdict {
			if in.Value == NoSyncP {
				return NoReady
			}
			return verdict(in.Value)
		}
	}},
	{"a killer counts before the use is over", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if n.Kind == cfg.Comm && n.Ref != it.Use && n.Ref != it.Put && in.Value == CS {
				in = State{Value: Cons}
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"a collective counts before the use is over", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if (n.Kind == cfg.Reduce || n.Kind == cfg.Barrier) && in.Value == CS {
				return State{Value: NoSync}
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"a put into the cells leaves proved what was proved for it", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if it.Use != it.Put && puts(n, it.Put) {
				return in
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"a use after the first of a round is none", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if n.Kind == cfg.UseOver && in.Value != CS {
				return in
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"the use by another communication in the same cells is no matter", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if it.Use != it.Put {
				return in
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"what another communication puts into the cells is dead at once", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if out := SynchApply(in, n, it, kills); it.Use == it.Put || out.Value != CS {
				return out
			}
			return State{Value: Cons}
		}
	}},
	{"pipelined communications kill", func(r *rules) {
		r.apply = func(in State, n *cfg.Node, it proof.Obligation, kills Kills) State {
			if n.Kind == cfg.Comm && n.Flavour == recv && n.Ref != it.Use && n.Ref != it.Put {
				m := *n
				m.Flavour = ""
				n = &m
			}
			return SynchApply(in, n, it, kills)
		}
	}},
	{"it is enough that some consumer answers", func(r *rules) {
		r.kills = func(b *built) Kills {
			return b.killsBy(func(must, may abstract.Relation, _, _ abstract.Iteration) bool {
				for p := range b.PEs {
					sends, answered := false, false
					for q := range b.PEs {
						sends = sends || may.Has(p, q)
						answered = answered || may.Has(p, q) && must.Has(q, p)
					}
					if sends && !answered {
						return false
					}
				}
				return true
			})
		}
	}},
	{"relations compared by name", func(r *rules) {
		r.kills = func(b *built) Kills {
			return b.killsBy(func(must, may abstract.Relation, v, w abstract.Iteration) bool {
				return v != w || may.Reversed()&^must == 0
			})
		}
	}},
	{"messages that may be sent count as sent", func(r *rules) {
		r.kills = func(b *built) Kills {
			return func(y, put, _ int) bool {
				ok := true
				b.following(y, put, func(v, w abstract.Iteration) {
					answers, _ := b.Messages(y, v)
					may, _ := b.Messages(put, w)
					ok = ok && may.Reversed()&^answers == 0
				})
				return ok
			}
		}
	}},
	{"only messages that are certain need an answer", func(r *rules) {
		r.kills = func(b *built) Kills {
			return func(y, put, _ int) bool {
				ok := true
				b.following(y, put, func(v, w abstract.Iteration) {
					_, answers := b.Messages(y, v)
					_, must := b.Messages(put, w)
					ok = ok && must.Reversed()&^answers == 0
				})
				return ok
			}
		}
	}},
}

// killsBy tests all pairs of instances that follow each other with test, which
// gets what y is certain to send and what put may send.
func (b *built) killsBy(test func(must, may abstract.Relation, v, w abstract.Iteration) bool) Kills {
	type pair struct{ y, put int }
	known := map[pair]bool{}
	return func(y, put, _ int) bool {
		k, ok := known[pair{y, put}]
		if ok {
			return k
		}
		k = true
		b.following(y, put, func(v, w abstract.Iteration) {
			_, must := b.Messages(y, v)
			may, _ := b.Messages(put, w)
			k = k && test(must, may, v, w)
		})
		known[pair{y, put}] = k
		return k
	}
}

// TestMutations: the campaign catches every broken rule, by executions.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many mutations")
	}
	const most = 20000
	missing := map[int]bool{}
	sample := effort.Sample(3)
	for k := range mutations {
		if sample() {
			missing[k] = true
		}
	}
	for i := 0; i < most && len(missing) > 0; i++ {
		p, rng := programNumber(1, i)
		b := build(p)
		o := b.observe(rng, 20, pathLimit)
		for k, m := range mutations {
			if !missing[k] {
				continue
			}
			r := soundRules()
			m.make(r)
			if b.contradicted(r.verdicts(b), o.early) != nil {
				t.Logf("%-70s caught by program %d", m.name, i)
				delete(missing, k)
			}
		}
	}
	for k := range missing {
		t.Errorf("%q is not caught in %d programs", mutations[k].name, most)
	}
}

// TestRulesAsPackaged: the rules that mutations start from are the analysis.
func TestRulesAsPackaged(t *testing.T) {
	for i := range 100 {
		p, _ := programNumber(5, i)
		b := build(p)
		if got, want := soundRules().verdicts(b), sound(b); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("program %d: %v by its rules, %v by the solver\n%v", i, got, want, b)
		}
	}
}
