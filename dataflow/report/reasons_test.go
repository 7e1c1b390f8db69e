package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// TestReasons checks every reason that is given for the examples against the
// program: paths are paths, chains are what the verdict rests on and enough for
// it, gaps are gaps.
func TestReasons(t *testing.T) {
	count := map[string]int{}
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			x := builtWith(t, name)
			a, r := x.a, x.r
			for _, c := range r.Communications {
				for _, o := range c.Obligations {
					count[o.Verdict]++
					it := proof.Shared(o.Use, o.Put)
					if o.Own {
						count["ring"]++
						checkAged(t, a, &o)
						continue
					}
					switch {
					case o.Verdict == "NoSync" && len(o.Chains) > 0 && o.Gap == nil && o.Once == "":
						checkChains(t, a, it, o.Chains)
					case o.Verdict == "Sync" && o.Gap != nil && o.Chains == nil && o.Once == "":
						checkGap(t, a, it, o.Gap)
					case o.Verdict == "Once" && o.Once != "" && o.Chains == nil && o.Gap == nil:
						checkOnce(t, a, it)
					default:
						t.Errorf("use %d put %d: verdict %s with the reasons of another one", o.Use, o.Put, o.Verdict)
					}
				}
			}
		})
	}
	if count["NoSync"] < 20 || count["Sync"] < 10 || count["Once"] < 20 || count["ring"] < 10 {
		t.Errorf("too little was checked: %v", count)
	}
	t.Logf("obligations: %v", count)
}

// checkPath wants edges between nodes that follow each other.
func checkPath(t *testing.T, g *cfg.Graph, path []int) []*cfg.Node {
	t.Helper()
	var nodes []*cfg.Node
	for i, id := range path {
		n := g.Nodes[id]
		if i > 0 && !slices.Contains(nodes[i-1].Succs, n) {
			t.Errorf("the path %v has no edge from %d to %d", path, path[i-1], id)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// without is the graph with some collectives turned into ordinary statements.
func without(t *testing.T, g *cfg.Graph, drop func(*cfg.Node) bool) *cfg.Graph {
	t.Helper()
	h, err := cfg.Parse(g.String())
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range h.Nodes {
		if (n.Kind == cfg.Reduce || n.Kind == cfg.Barrier) && drop(g.Nodes[i]) {
			n.Kind = cfg.Stmt
		}
	}
	return h
}

func checkChains(t *testing.T, a *report.Analysis, it proof.Obligation, chains []report.Chain) {
	t.Helper()
	named := map[int]bool{}  // collectives, by node
	killer := map[int]bool{} // communications
	for _, c := range chains {
		path := checkPath(t, a.Graph, c.Path)
		if n := path[0]; n.Kind != cfg.UseOver || n.Ref != it.Use {
			if n.Kind != cfg.Comm || n.Ref != it.Put || it.Use == it.Put {
				t.Errorf("%v: a chain starts at %s", it, n.Name())
			}
		}
		if n := path[len(path)-1]; n.Kind != cfg.Comm || n.Ref != it.Put || n.Flavour == "recv" {
			t.Errorf("%v: a chain ends at %s", it, n.Name())
		}
		// Along the path alone the verdict holds too.
		state := synch.State{Value: synch.CS}
		if path[0].Kind == cfg.Comm {
			state = synch.State{Value: synch.NoSync}
		}
		for _, n := range path[:len(path)-1] {
			state = synch.SynchApply(state, n, it, a.Functions.KillsAfter)
		}
		if state.Value != synch.NoSync {
			t.Errorf("%v: at the end of the chain %v is known", it, state)
		}
		for _, h := range c.Hops {
			n := a.Graph.Nodes[h.Node]
			if !slices.Contains(c.Path, h.Node) {
				t.Errorf("%v: the hop %s is not on the path", it, h.Name)
			}
			switch {
			case n.Kind == cfg.Reduce || n.Kind == cfg.Barrier:
				named[n.ID] = true
			case n.Kind == cfg.CommOver:
				killer[n.Ref] = true
			}
		}
	}
	// What is named is needed: without all of it nothing orders use and put.
	// What is named is enough.
	kills := func(keep bool) synch.Kills {
		return func(y, put, nth int) bool { return killer[y] == keep && a.Functions.KillsAfter(y, put, nth) }
	}
	enough := without(t, a.Graph, func(n *cfg.Node) bool { return !named[n.ID] })
	if v := synch.NewSolver(enough).Solve(it, kills(true), false).Verdict(enough); v != synch.NoReady {
		t.Errorf("%v: with what the chains name alone the verdict is %v", it, v)
	}
	// Without what is named the put may find other proofs, but not at the places
	// where the chains are: some chain has to go.
	rest := without(t, a.Graph, func(n *cfg.Node) bool { return named[n.ID] })
	s := synch.NewSolver(rest).Solve(it, kills(false), false)
	for _, c := range chains {
		if w := c.Hops[len(c.Hops)-2]; s.In[w.Node].Value != synch.U && s.In[w.Node].Value < synch.NoSync && s.Out[w.Node].Value == synch.NoSync {
			t.Errorf("%v: %s is named, and knowledge arises there without it", it, w.Name)
		}
	}
}

// checkAged follows the paths of chains over the slots of one communication: each
// goes from a put over the end of its use to the put into the same slot, and along
// it the end of the use becomes known.
func checkAged(t *testing.T, a *report.Analysis, o *report.Obligation) {
	t.Helper()
	slots := proof.Ring(o.Put, o.Slots, o.Staged)
	if (o.Chains == nil) != (o.Once != "") || o.Verdict != "NoSync" {
		t.Errorf("%d: the reasons do not belong together: %+v", o.Put, o)
	}
	for _, ch := range o.Chains {
		path := checkPath(t, a.Graph, ch.Path)
		put := a.Functions.Put(o.Put)
		if path[0] != put || path[len(path)-1] != put {
			t.Errorf("%d: a chain goes from %s to %s", o.Put, path[0].Name(), path[len(path)-1].Name())
		}
		u := synch.State{Value: synch.U}
		state, puts := synch.Generations{u, u, u, u}, 0
		for _, n := range path[:len(path)-1] {
			if n == put {
				puts++
			}
			state = synch.Apply(state, n, slots, a.Functions.KillsAfter)
		}
		if v := state[o.Slots-1].Value; puts != o.Slots || v != synch.NoSync {
			t.Errorf("%d: at the end of a chain with %d puts %v is known", o.Put, puts, v)
		}
		roles := ""
		at := 0
		for _, h := range ch.Hops {
			roles += h.Role + " "
			i := slices.Index(ch.Path[at:], h.Node)
			if i < 0 {
				t.Errorf("%d: the hop %s is not on the path, or out of order", o.Put, h.Name)
				break
			}
			at += i
		}
		if roles != "before use witness known put " && roles != "before use witness put " {
			t.Errorf("%d: the hops are %s", o.Put, roles)
		}
	}
}

func checkGap(t *testing.T, a *report.Analysis, it proof.Obligation, gap *report.Gap) {
	t.Helper()
	if len(gap.Path) == 0 {
		t.Errorf("%v: there is no path", it)
		return
	}
	path := checkPath(t, a.Graph, gap.Path)
	if n := path[0]; n.Ref != it.Use {
		t.Errorf("%v: the path starts at %s", it, n.Name())
	}
	if n := path[len(path)-1]; n != a.Functions.Put(it.Put) {
		t.Errorf("%v: the path ends at %s", it, n.Name())
	}
	state := synch.State{Value: synch.CS}
	passed := map[int]bool{}
	for i, n := range path[:len(path)-1] {
		if i > 0 || n.Kind != cfg.Comm {
			state = synch.SynchApply(state, n, it, a.Functions.KillsAfter)
		}
		if n.Kind == cfg.Comm && n.Flavour != "recv" && n.Ref != it.Use && n.Ref != it.Put {
			passed[n.ID] = true
		}
	}
	if state.Value == synch.NoSync || state.Value == synch.U || state.String() != gap.State {
		t.Errorf("%v: at the end of the path %v is known, the report says %s", it, state, gap.State)
	}
	for _, p := range gap.Passed {
		if !passed[p.Node] || p.Why == "" {
			t.Errorf("%v: %s is not on the path, or has no reason", it, p.Name)
		}
		delete(passed, p.Node)
	}
	for n := range passed {
		t.Errorf("%v: nothing is said about %s on the path", it, a.Graph.Nodes[n].Name())
	}
	for _, m := range gap.Missed {
		if slices.Contains(gap.Path, m.Node) {
			t.Errorf("%v: %s is said to lie beside the path", it, m.Name)
		}
	}
	if len(gap.Steps) < 2 || len(gap.Hints) == 0 || gap.Consumer == "" || gap.Producer == "" {
		t.Errorf("%v: the reason is not complete: %+v", it, gap)
	}
}

// checkOnce looks for a path from the use to the put.
func checkOnce(t *testing.T, a *report.Analysis, it proof.Obligation) {
	t.Helper()
	put := a.Functions.Put(it.Put)
	seen := map[*cfg.Node]bool{}
	var work []*cfg.Node
	for _, n := range a.Graph.Nodes {
		// What a pipeline receives was put by the PE before at its own send, which is put.
		if n.Kind == cfg.Comm && n.Ref == it.Use && !(it.Use == it.Put && n.Flavour == "recv") {
			work = append(work, n)
		}
	}
	for len(work) > 0 {
		n := work[0]
		work = work[1:]
		for _, s := range n.Succs {
			if s == put {
				t.Errorf("%v: a path leads from the use to the put", it)
				return
			}
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
}

// A report names what is on the path and what beside it, and only what helps.
func TestHints(t *testing.T) {
	const head = `program p
  integer, parameter :: n = 40
  double precision :: a(n), b(n), c(n), s
  integer :: i, t
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN (i) WITH a(i) :: b, c
`
	const fill = `  do i = 1, n
    a(i) = i
    b(i) = 1
    c(i) = 2
  end do
  s = 0
`
	for _, test := range []struct {
		name, body string
		ref        string // of the communication that is looked at
		want, not  []string
	}{
		{"two reversals posted together answer each other one after another, or with two slots", `  do t = 1, 5
    do i = 1, n
      b(i) = a(n+1-i) + c(n+1-i)
    end do
    do i = 1, n
      a(i) = b(i)
      c(i) = b(i)
    end do
  end do
`, "a(41-i)", []string{"--sync=elide: 2 slots in turn (true)", "C_2 (line 14) would do if it came behind the use, after line 16 (true)", "a reduction or barrier of all PEs at the start of each iteration of t (line 13), which would do for C_2 too (true)"}, nil},
		{"the second of two reversals", `  do t = 1, 5
    do i = 1, n
      b(i) = a(n+1-i) + c(n+1-i)
    end do
    do i = 1, n
      a(i) = b(i)
      c(i) = b(i)
    end do
  end do
`, "c(41-i)", []string{"C_1 would do if it were complete before C_2 is posted: one after another instead of both together (true)"}, nil},
		{"a shift in one direction is not", `  do t = 1, 5
    do i = 2, n - 1
      b(i) = a(i-1)
    end do
    do i = 2, n - 1
      a(i) = b(i)
    end do
  end do
`, "a(i-1)", []string{"a reduction or barrier of all PEs at the start of each iteration of t (line 13) (true)"}, []string{"slots", "one after another"}},
		{"a reduction on the shorter way", `  do t = 1, 5
    do i = 2, n - 1
      b(i) = a(i-1)
    end do
    if (s < 3) then
      do i = 1, n
        c(i) = c(i) + 1
        s = s + c(i)
      end do
    else
      s = s - 1
      s = s / 2
      s = s + 1
      s = s * 2
      s = s - 1
      s = s / 2
    end if
    do i = 2, n - 1
      a(i) = b(i)
    end do
  end do
`, "a(i-1)", []string{"do the sum of s (line 20) also where s < 3.0d0 (line 17) does not hold, as on this path (true)"}, []string{"slots"}},
		{"a reduction in one branch", `  do t = 1, 5
    do i = 2, n - 1
      b(i) = a(i-1)
    end do
    if (s < 3) then
      do i = 1, n
        c(i) = c(i) + 1
        s = s + c(i)
      end do
    end if
    do i = 2, n - 1
      a(i) = b(i)
    end do
  end do
`, "a(i-1)", []string{"do the sum of s (line 20) also where s < 3.0d0 (line 17) does not hold, as on this path (true)"}, []string{"slots"}},
	} {
		a := analyzeWith(t, head+fill+test.body+"  print *, s\nend program p\n", plan.PopL96, choose.Options{})
		r := a.Build("p.hpf", true)
		var hints string
		for _, c := range r.Communications {
			if c.References[0] == test.ref {
				if c.Verdict != "Sync" {
					t.Fatalf("%s: the verdict is %s", test.name, c.Verdict)
				}
				o := c.Obligations[0]
				checkGap(t, a, proof.Shared(o.Use, o.Put), o.Gap)
				for _, h := range o.Gap.Hints {
					hints += fmt.Sprintf("%s (%t)\n", h.Text, h.Tried)
				}
			}
		}
		for _, w := range test.want {
			if !strings.Contains(hints, w) {
				t.Errorf("%s: the hints lack %q:\n%s", test.name, w, hints)
			}
		}
		for _, w := range test.not {
			if strings.Contains(hints, w) {
				t.Errorf("%s: the hints have %q:\n%s", test.name, w, hints)
			}
		}
	}
}
