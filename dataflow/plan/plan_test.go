package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
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

// TestPlansOfAllPrograms: every plan that Make makes is accepted by the
// verifier, and its text says all of it.
func TestPlansOfAllPrograms(t *testing.T) {
	for name, text := range programs(t) {
		for _, k := range plan.Kinds {
			p := makePlan(t, text, k)
			if err := p.Verify(); err != nil {
				t.Errorf("%s, %s: %v", name, k, err)
			}
			explained := p.Explain()
			d, err := plan.Parse(explained)
			if err != nil {
				t.Errorf("%s, %s: %v", name, k, err)
				continue
			}
			if diff := cmp.Diff(explained, d.String()); diff != "" {
				t.Errorf("%s, %s: read and written again (-was +is):\n%s", name, k, diff)
			}
			if d.Kind != k || len(d.Slots) != len(p.Slots) || len(d.Graph.Nodes) != len(p.Graph.Nodes) {
				t.Errorf("%s, %s: read as plan %s with %d slots and %d nodes", name, k, d.Kind, len(d.Slots), len(d.Graph.Nodes))
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
				if s.Ready != ready || p.Ready(s.Comm) != s.Ready {
					t.Errorf("%s, %s: ready message of #%d, %v: %t", name, k, s.Comm.ID, s.Verdict, s.Ready)
				}
				if proved := len(s.Proofs) > 0 || s.Ages != nil || s.Times > 0; proved != (proves && !s.Ready) {
					t.Errorf("%s, %s: #%d, ready %t, has %d proofs", name, k, s.Comm.ID, s.Ready, len(s.Proofs))
				}
				said := strings.Contains(p.Comment(s.Comm), "; ready message")
				if said != s.Ready || strings.Contains(p.Comment(s.Comm), "\n") {
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

func TestParseErrors(t *testing.T) {
	const graph = "0 entry -> 1\n1 exit\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "line 1: the graph is missing"},
		{"no plan line", "slot 1 ready x\n" + graph, `line 1: found "slot 1 ready x", want "plan KIND"`},
		{"plan of no kind", "plan\n" + graph, `line 1: found "plan", want "plan KIND"`},
		{"two kinds", "plan barrier barrier\n" + graph, `line 1: found "plan barrier barrier", want "plan KIND"`},
		{"unknown kind", "plan hope\n" + graph, `line 1: unknown plan "hope": choose elide, popl96, handshake or barrier`},
		{"no graph", "plan barrier\n", "line 2: the graph is missing"},
		{"no graph behind slots", "plan barrier\nslot 1 quiet shift of a\n", "line 3: the graph is missing"},
		{"slot without text", "plan barrier\nslot 1 quiet\n" + graph, `line 2: found "slot 1 quiet", want "slot NUMBER ready|quiet|staged|alternating|unheard TEXT"`},
		{"slot of no mood", "plan barrier\nslot 1 maybe shift of a\n" + graph, "line 2: " + wantMood("maybe")},
		{"too many slots", "plan elide\nslot 1 quiet*65 shift of a\n" + graph, "line 2: " + wantMood("quiet*65")},
		{"far too many slots", "plan elide\nslot 1 unheard*65 shift of a\n" + graph, "line 2: " + wantMood("unheard*65")},
		{"slots of no number", "plan elide\nslot 1 staged*x shift of a\n" + graph, "line 2: " + wantMood("staged*x")},
		{"ages before a slot", "plan elide\nages 1: 0 U\n" + graph, `line 2: "ages 1: 0 U" does not follow a slot`},
		{"ages of another slot", "plan elide\nslot 1 staged x\nages 2: 0 U\n" + graph, "line 3: a proof over the slots of #2 does not follow its slot"},
		{"ages twice", "plan elide\nslot 1 staged x\nages 1: 0 U\nages 1: 0 U\n" + graph, "line 4: a second proof over the slots of #1"},
		{"ages without colon", "plan elide\nslot 1 staged x\nages 1\n" + graph, "line 3: " + wantAges("found", "ages 1")},
		{"ages of no number", "plan elide\nslot 1 staged x\nages one: 0 U\n" + graph, "line 3: " + wantAges("number", "ages one")},
		{"ages with a bad claim", "plan elide\nslot 1 staged*2 x\nages 1: 0 U; 0 Sure\n" + graph, "line 3: " + wantAges("claim", " 0 Sure")},
		{"kills of no instance", "plan elide\nslot 1 staged x\nages 1: 0 U kills 2\n" + graph, "line 3: " + wantAges("kills", "2")},
		{"asks of no number", "plan elide\nslot 1 staged x\nages 1: 0 U asks all\n" + graph, "line 3: " + wantAges("asks", "all")},
		{"slot without number", "plan barrier\nslot one quiet shift of a\n" + graph, `line 2: slot "one" out of order, want 1`},
		{"slot twice", "plan barrier\nslot 1 quiet x\nslot 1 quiet x\n" + graph, `line 3: slot "1" out of order, want 2`},
		{"slot left out", "plan barrier\nslot 2 quiet x\n" + graph, `line 2: slot "2" out of order, want 1`},
		{"proof before its slot", "plan popl96\nproof 1 1: 0 U\nslot 1 quiet x\n" + graph, "line 2: a proof about the puts of #1 does not follow its slot"},
		{"proof of another slot", "plan popl96\nslot 1 quiet x\nslot 2 quiet x\nproof 1 1: 0 U\n" + graph, "line 4: a proof about the puts of #1 does not follow its slot"},
		{"proof twice", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 U\nproof 1 1: 0 U\n" + graph, "line 4: a second proof 1 1"},
		{"proof without colon", "plan popl96\nslot 1 quiet x\nproof 1 1 0 U\n" + graph, "line 3: " + wantProof("found", "proof 1 1 0 U")},
		{"proof of no number", "plan popl96\nslot 1 quiet x\nproof one 1: 0 U\n" + graph, "line 3: " + wantProof("numbers", "proof one 1")},
		{"claim without level", "plan popl96\nslot 1 quiet x\nproof 1 1: 0\n" + graph, "line 3: " + wantProof("claim", " 0")},
		{"claim of no level", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 Sure\n" + graph, "line 3: " + wantProof("claim", " 0 Sure")},
		{"claim of nothing", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 Sync\n" + graph, "line 3: " + wantProof("claim", " 0 Sync")},
		{"claim of no node", "plan popl96\nslot 1 quiet x\nproof 1 1: x U\n" + graph, "line 3: " + wantProof("claim", " x U")},
		{"claim of a negative node", "plan popl96\nslot 1 quiet x\nproof 1 1: -1 U\n" + graph, "line 3: " + wantProof("claim", " -1 U")},
		{"tags without braces", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 NoSyncP\n" + graph, "line 3: " + wantProof("claim", " 0 NoSyncP")},
		{"tags open", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 NoSyncP{2\n" + graph, "line 3: " + wantProof("claim", " 0 NoSyncP{2")},
		{"tags out of order", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 NoSyncP{3,2}\n" + graph, "line 3: " + wantProof("claim", " 0 NoSyncP{3,2}")},
		{"tags of another level", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 Cons{2}\n" + graph, "line 3: " + wantProof("claim", " 0 Cons{2}")},
		{"kills of no number", "plan popl96\nslot 1 quiet x\nproof 1 1: 0 U kills all\n" + graph, "line 3: " + wantProof("kills", "all")},
		{"class of one", "plan popl96\nslot 1 quiet x\nclass 1\n" + graph, `line 3: found "class 1", want at least two members`},
		{"class of no slot", "plan popl96\nslot 1 quiet x\nclass 1 2\n" + graph, `line 3: class member "2": want the numbers of slots, ascending`},
		{"class out of order", "plan popl96\nslot 1 quiet x\nslot 2 quiet x\nclass 2 1\n" + graph, `line 4: class member "1": want the numbers of slots, ascending`},
		// The graph's own reader counts from the graph's first line.
		{"bad graph", "plan barrier\nslot 1 quiet x\n0 entry -> 2\n1 exit\n", "graph that starts in line 3: line 1: successor 2 does not exist"},
		{"slot behind the graph", "plan barrier\n" + graph + "slot 1 quiet x\n", `graph that starts in line 2: line 3: found slot, expected a node number or "loop"`},
	} {
		d, err := plan.Parse(c.text)
		if err == nil {
			t.Errorf("%s: read as\n%v", c.name, d)
		} else if err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// wantProof is the error of a proof line that cannot be read.
func wantProof(what, found string) string {
	return fmt.Sprintf("%s %q, want \"proof USE PUT: NODES LEVEL, ... kills NUMBERS\"", what, found)
}

func wantAges(what, found string) string {
	return fmt.Sprintf("%s %q, want \"ages COMM: NODES LEVEL, ...; NODES LEVEL, ... kills COMM@NTH ... asks COMM ...\"", what, found)
}

func wantMood(found string) string {
	return fmt.Sprintf("found %q, want ready, quiet, staged, ready-staged, unheard or unheard-staged, with *2 to *64 for several slots, or alternating*2", found)
}

// TestSmallestPlan: a program without communication.
func TestSmallestPlan(t *testing.T) {
	d, err := plan.Parse("plan handshake\n0 entry -> 1\n1 exit\n")
	if err != nil || d.Kind != plan.Handshake || len(d.Slots) != 0 || len(d.Graph.Nodes) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := d.Verify(); err != nil {
		t.Error(err)
	}
}
