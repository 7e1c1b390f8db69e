package search_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/golden"
)

// TestGolden compares the plans of the programs in testdata/*.txtar. go test
// -update rewrites them.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		var got []golden.File
		for _, k := range plan.Kinds {
			got = append(got, golden.File{Name: string(k), Text: makePlan(t, a.Files[0].Text, k).Explain()})
		}
		a.Compare(t, got...)
	})
}

// TestPlansOfAllPrograms: every plan that Make makes is accepted by the verifier.
func TestPlansOfAllPrograms(t *testing.T) {
	for name, text := range programs(t) {
		if !effort.Share(name, 3) {
			continue
		}
		for _, k := range plan.Kinds {
			p := makePlan(t, text, k)
			if err := verify.Plan(p); err != nil {
				t.Errorf("%s, %s: %v", name, k, err)
			}
		}
	}
}

// TestSynchronisation: popl96 and elide have a ready message where the verdict is Sync, and
// proofs elsewhere, elide never more of them than popl96; handshake has a ready message for every put and no
// barrier; barrier has one before each group of communications and before each
// pipelined region, and no ready message.
func TestSynchronisation(t *testing.T) {
	for name, text := range programs(t) {
		if !effort.Share(name, 3) {
			continue
		}
		for _, k := range plan.Kinds {
			p := makePlan(t, text, k)
			barriers, groups := 0, 0
			pipe := false // within the receives before a pipelined region
			for _, n := range p.Graph.Nodes {
				switch {
				case n.Kind == cfg.Barrier:
					barriers++
				case n.Kind == cfg.Comm && n.Flavour == "send":
				case n.Kind == cfg.Comm && n.Flavour == "recv":
					if !pipe {
						groups++
					}
					pipe = true
				case n.Kind == cfg.Reduce && n.Flavour == comm.Agree, n.Kind == cfg.Comm && string(comm.Irregular) == n.Flavour:
					// The two belong together, and form groups without others.
					if n.Kind == cfg.Reduce && n.Preds[0].Kind != cfg.Comm {
						groups++
					}
				case n.Kind == cfg.Comm && n.Preds[0].Kind != cfg.Comm:
					groups++
				case n.Kind == cfg.CommOver && pipe:
				default:
					pipe = false
				}
			}
			want := 0
			if k == plan.Barrier {
				want = groups
			}
			if barriers != want {
				t.Errorf("%s, %s: %d barriers for %d groups, want %d", name, k, barriers, groups, want)
			}
			for _, s := range p.Slots {
				proves := k == plan.PopL96 || k == plan.Elide
				ready := k == plan.Handshake || proves && s.Verdict == synch.NeedsSync
				if (s.Ready != plan.Never) != ready {
					t.Errorf("%s, %s: ready message of #%d, %v: %v", name, k, s.Comm.ID, s.Verdict, s.Form)
				}
				if proved := len(s.Proofs) > 0; proved != (proves && s.Ready == plan.Never) {
					t.Errorf("%s, %s: #%d, %v, has %d proofs", name, k, s.Comm.ID, s.Form, len(s.Proofs))
				}
				said := strings.Contains(p.Comment(s.Comm), "; ready message")
				if said != (s.Ready != plan.Never) || strings.Contains(p.Comment(s.Comm), "\n") {
					t.Errorf("%s, %s: the comment is %q", name, k, p.Comment(s.Comm))
				}
			}
		}
	}
}

func TestParseKind(t *testing.T) {
	for _, k := range plan.Kinds {
		if got, err := plan.ParseKind(string(k)); err != nil || got != k {
			t.Errorf("ParseKind(%q) = %q, %v", k, got, err)
		}
	}
	if _, err := plan.ParseKind("hope"); err == nil || err.Error() != `unknown plan "hope": choose elide, popl96, handshake or barrier` {
		t.Errorf("ParseKind(hope): %v", err)
	}
}

// TestSmallestPlan: a program without communication.
func TestSmallestPlan(t *testing.T) {
	if err := verify.Plan(byHand(t, plan.Handshake, "", "", "0 entry -> 1\n1 exit\n")); err != nil {
		t.Error(err)
	}
}
