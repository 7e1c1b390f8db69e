package solve_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// set is a set of nodes by ID; the graphs of these tests have fewer than 64.
type set uint64

func with(s set, n *cfg.Node) set { return s | 1<<n.ID }

func (s set) String() string {
	var out []string
	for ; s != 0; s &= s - 1 {
		out = append(out, fmt.Sprint(bits.TrailingZeros64(uint64(s))))
	}
	return strings.Join(out, " ")
}

// passed asks which nodes some path has passed.
var passed = solve.Problem[set]{
	Transfer: func(n *cfg.Node, in set) set { return with(in, n) },
	Meet:     func(a, b set) set { return a | b },
	Equal:    func(a, b set) bool { return a == b },
}

// always asks which nodes every path has passed: the dominators.
var always = solve.Problem[set]{
	Top:      ^set(0),
	Transfer: func(n *cfg.Node, in set) set { return with(in, n) },
	Meet:     func(a, b set) set { return a & b },
	Equal:    func(a, b set) bool { return a == b },
}

func ExampleRoundRobin() {
	g, err := cfg.Parse(`
loop L1
0 entry -> 1
1 loop in L1 -> 2 3
2 stmt in L1 -> 1
3 exit
`)
	if err != nil {
		panic(err)
	}
	s := solve.RoundRobin(solve.New(g), passed, solve.Options[set]{Record: true})
	for i, h := range s.History {
		fmt.Printf("sweep %d: in front of 1: %v; behind 2: %v; behind 3: %v\n", i+1, h.In[1], h.Out[2], h.Out[3])
	}
	fmt.Println("sweeps:", s.Sweeps)
	// Output:
	// sweep 1: in front of 1: 0; behind 2: 0 1 2; behind 3: 0 1 3
	// sweep 2: in front of 1: 0 1 2; behind 2: 0 1 2; behind 3: 0 1 2 3
	// sweep 3: in front of 1: 0 1 2; behind 2: 0 1 2; behind 3: 0 1 2 3
	// sweeps: 3
}

// graphs are small structured programs: loops, endless ones too, branches, EXIT
// and CYCLE to any enclosing loop, STOP.
func graphs() *rapid.Generator[*cfg.Graph] {
	return rapid.Custom(func(t *rapid.T) *cfg.Graph {
		b := cfg.NewBuilder()
		left := rapid.IntRange(1, 14).Draw(t, "size")
		var block func(loops []*cfg.Loop)
		block = func(loops []*cfg.Loop) {
			for range rapid.IntRange(1, 3).Draw(t, "statements") {
				if left--; left < 0 {
					return
				}
				switch rapid.IntRange(0, 7).Draw(t, "statement") {
				case 0:
					loopOf(b, b.BeginLoop(0, ""), loops, block)
				case 1:
					loopOf(b, b.BeginEndless(0, ""), loops, block)
				case 2, 3:
					b.BeginIf(0, "")
					block(loops)
					if rapid.Bool().Draw(t, "else") {
						b.Else()
						block(loops)
					}
					b.EndIf()
				case 4:
					if len(loops) > 0 {
						l := rapid.SampledFrom(loops).Draw(t, "target")
						if rapid.Bool().Draw(t, "cycle") {
							b.Cycle(l)
						} else {
							b.Exit(l)
						}
					}
				case 5:
					if rapid.IntRange(0, 3).Draw(t, "stop") == 0 {
						b.Stop()
					}
				default:
					b.Node(cfg.Stmt, 0, 0, "")
				}
			}
		}
		block(nil)
		return b.Finish()
	})
}

// loopOf fills a loop that has begun, and ends it.
func loopOf(b *cfg.Builder, l *cfg.Loop, loops []*cfg.Loop, block func([]*cfg.Loop)) {
	block(append(slices.Clone(loops), l))
	b.EndLoop()
}

// reached are the nodes that can be reached from start along next, start included.
func reached(start *cfg.Node, next func(*cfg.Node) []*cfg.Node) set {
	var seen set
	work := []*cfg.Node{start}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen>>n.ID&1 == 0 {
			seen = with(seen, n)
			work = append(work, next(n)...)
		}
	}
	return seen
}

func succs(n *cfg.Node) []*cfg.Node { return n.Succs }
func preds(n *cfg.Node) []*cfg.Node { return n.Preds }

// TestFixpoints: both strategies, in whatever order, find what is known otherwise:
// the nodes that lead to a node, and its dominators.
func TestFixpoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		forward := solve.New(g)
		shuffled, err := solve.NewOrdered(g, rapid.Permutation(g.RPO()).Draw(t, "order"))
		if err != nil {
			t.Fatal(err)
		}
		from := reached(g.Entry, succs)
		dom := g.Dominators()
		for _, f := range []*solve.Flow{forward, shuffled} {
			for _, strategy := range []func(p solve.Problem[set]) *solve.Solution[set]{
				func(p solve.Problem[set]) *solve.Solution[set] { return solve.RoundRobin(f, p, solve.Options[set]{}) },
				func(p solve.Problem[set]) *solve.Solution[set] { return solve.InnerFirst(f, p, 100, false) },
			} {
				some, every := strategy(passed), strategy(always)
				if !some.Converged || !every.Converged {
					t.Fatalf("no fixpoint\n%v", g)
				}
				for _, n := range g.Nodes {
					if from>>n.ID&1 == 0 {
						if some.Out[n.ID] != 0 || every.Out[n.ID] != ^set(0) {
							t.Fatalf("node %d is not reached but has %v and %v\n%v", n.ID, some.Out[n.ID], every.Out[n.ID], g)
						}
						continue
					}
					var leading, dominators set
					leading = reached(n, preds) & from
					for _, m := range g.Nodes {
						if dom.Dominates(m, n) {
							dominators = with(dominators, m)
						}
					}
					if some.Out[n.ID] != leading || every.Out[n.ID] != dominators {
						t.Fatalf("behind node %d: %v and %v, want %v and %v\n%v", n.ID, some.Out[n.ID], every.Out[n.ID], leading, dominators, g)
					}
				}
			}
		}
	})
}

// TestSweeps: the number of sweeps is within the bound, and without loops two.
func TestSweeps(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		f := solve.New(g)
		s := solve.RoundRobin(f, passed, solve.Options[set]{Record: true})
		if s.Sweeps > f.Bound(len(g.Nodes)) {
			t.Fatalf("%d sweeps, bound %d\n%v", s.Sweeps, f.Bound(len(g.Nodes)), g)
		}
		if len(g.BackEdges()) == 0 && s.Sweeps != 2 {
			t.Fatalf("%d sweeps over a graph without back edges\n%v", s.Sweeps, g)
		}
		if f.Bound(1) != len(uniqueBack(g))+2 {
			t.Fatalf("bound %d for %d back edges\n%v", f.Bound(1), len(uniqueBack(g)), g)
		}
		if len(s.History) != s.Sweeps {
			t.Fatalf("%d sweeps recorded of %d", len(s.History), s.Sweeps)
		}
		last := s.History[s.Sweeps-1]
		if !slices.Equal(last.In, s.In) || !slices.Equal(last.Out, s.Out) {
			t.Fatalf("the last sweep left %v, the solution is %v", last, s)
		}
		if before := s.History[s.Sweeps-2]; !slices.Equal(before.Out, s.Out) {
			t.Fatalf("the last sweep changed something")
		}
		most = max(most, s.Sweeps)
	})
	if most < 3 {
		t.Errorf("never more than %d sweeps", most)
	}
}

// uniqueBack are the back edges, two between the same nodes counted once.
func uniqueBack(g *cfg.Graph) map[[2]int]bool {
	ends := map[[2]int]bool{}
	for _, e := range g.BackEdges() {
		ends[[2]int{e.From.ID, e.To().ID}] = true
	}
	return ends
}

// TestPart: seeds and a part of the graph save work and change no value that was
// asked for, also in memory that another problem has used.
func TestPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		f := solve.New(g)
		from := reached(g.Entry, succs)
		// Which marked nodes has a path passed? Unmarked ones do nothing.
		marks := set(rapid.Uint64().Draw(t, "marks")) & from
		p := passed
		p.Transfer = func(n *cfg.Node, in set) set { return in | marks&(1<<n.ID) }
		target := g.Nodes[rapid.IntRange(0, len(g.Nodes)-1).Draw(t, "target")]
		within, seeds := make([]bool, len(g.Nodes)), []*cfg.Node{}
		for _, n := range g.Nodes {
			within[n.ID] = reached(target, preds)>>n.ID&1 != 0
			if marks>>n.ID&1 != 0 {
				seeds = append(seeds, n)
			}
		}
		all := solve.RoundRobin(f, p, solve.Options[set]{})
		used := solve.RoundRobin(f, passed, solve.Options[set]{Record: true})
		part := solve.RoundRobin(f, p, solve.Options[set]{Seeds: seeds, Within: within, Reuse: used})
		for _, n := range g.Nodes {
			switch {
			case within[n.ID] && (part.In[n.ID] != all.In[n.ID] || part.Out[n.ID] != all.Out[n.ID]):
				t.Fatalf("node %d: %v and %v in part, %v and %v in all\n%v", n.ID, part.In[n.ID], part.Out[n.ID], all.In[n.ID], all.Out[n.ID], g)
			case !within[n.ID] && part.Out[n.ID] != 0:
				t.Fatalf("node %d was left out but has %v\n%v", n.ID, part.Out[n.ID], g)
			}
		}
		if part.Visits > all.Visits || part.History != nil {
			t.Fatalf("%d visits in part, %d in all; history %v", part.Visits, all.Visits, part.History)
		}
	})
}

// nest is two loops, one in the other.
const nest = `
loop L1
loop L2 in L1
0 entry -> 1
1 loop in L1 -> 2 5
2 loop in L2 -> 3 4
3 stmt in L2 -> 2
4 stmt in L1 -> 1
5 exit
`

func parse(t *testing.T, text string) *cfg.Graph {
	t.Helper()
	g, err := cfg.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestLimit: a transfer without a fixpoint ends at the limit, and says so.
func TestLimit(t *testing.T) {
	f := solve.New(parse(t, "loop L1\n0 entry -> 1\n1 loop in L1 -> 2 3\n2 stmt in L1 -> 1\n3 exit\n"))
	// Node 2 turns what it gets over: the meet with its own result never settles.
	flips := solve.Problem[bool]{
		Transfer: func(n *cfg.Node, in bool) bool { return in != (n.ID == 2) },
		Meet:     func(a, b bool) bool { return a != b },
		Equal:    func(a, b bool) bool { return a == b },
	}
	if s := solve.InnerFirst(f, flips, 7, false); s.Converged || s.Sweeps != 7 {
		t.Errorf("inner loops first: converged %v after %d sweeps", s.Converged, s.Sweeps)
	}
	if s := solve.RoundRobin(f, flips, solve.Options[bool]{Limit: 7}); s.Converged || s.Sweeps != 7 {
		t.Errorf("round robin: converged %v after %d sweeps", s.Converged, s.Sweeps)
	}
	if s := solve.RoundRobin(f, passed, solve.Options[set]{Limit: 100}); !s.Converged || s.Sweeps > 100 {
		t.Errorf("with a fixpoint: converged %v after %d sweeps", s.Converged, s.Sweeps)
	}
}

// TestInnerFirst records the order of the visits: each pass over the outer loop
// repeats the inner one until it is stable.
func TestInnerFirst(t *testing.T) {
	f := solve.New(parse(t, nest))
	var visits []string
	p := passed
	p.Transfer = func(n *cfg.Node, in set) set {
		visits = append(visits, fmt.Sprint(n.ID))
		return with(in, n)
	}
	s := solve.InnerFirst(f, p, 100, true)
	// Entry; 1, then 2 3 twice more until stable, then 4; again, with what came
	// over the outer back edge; a last time without change; then what follows.
	want := "0 | 1 2 3 2 3 2 3 4 | 1 2 3 2 3 4 | 1 2 3 4 | 5"
	if got := strings.Join(visits, " "); got != strings.ReplaceAll(want, "| ", "") {
		t.Errorf("visited %s, want %s", got, want)
	}
	if s.Sweeps != 3 || s.Visits != len(visits) || !s.Converged {
		t.Errorf("%d sweeps, %d visits, converged %v", s.Sweeps, s.Visits, s.Converged)
	}
	if len(s.History) != 4 { // three passes over the outer loop, and the end
		t.Errorf("%d snapshots", len(s.History))
	}
}

// TestOrders: orders that are none are refused.
func TestOrders(t *testing.T) {
	g := parse(t, nest)
	other := parse(t, nest)
	order := g.RPO()
	endless := parse(t, "loop L1\n0 entry -> 1\n1 loop in L1 -> 1\n2 exit\n")
	for _, c := range []struct {
		name, want string
		g          *cfg.Graph
		order      []*cfg.Node
	}{
		{"all", "", g, order},
		{"twice", "has node 2 twice", g, append(slices.Clone(order), order[2])},
		{"of another graph", "outside of the graph", g, other.RPO()},
		{"without the entry", "lacks the entry", g, order[1:]},
		{"without a node", "lacks node", g, order[:len(order)-1]},
		{"with what cannot be reached", "cannot be reached", endless, endless.Nodes},
	} {
		_, err := solve.NewOrdered(c.g, c.order)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) && c.want != "" {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestBlocks: blocks are the longest chains, each reachable node is in one, and
// solving by blocks gives the values of solving by nodes.
func TestBlocks(t *testing.T) {
	longest := 0
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		nodes, blocks := solve.New(g), solve.NewBlocks(g)
		seen := set(0)
		for _, first := range blocks.Order() {
			unit := blocks.Unit(first)
			longest = max(longest, len(unit))
			for i, n := range unit {
				if seen>>n.ID&1 != 0 {
					t.Fatalf("node %d is in two blocks\n%v", n.ID, g)
				}
				seen = with(seen, n)
				if i > 0 && (distinct(n.Preds) != 1 || distinct(unit[i-1].Succs) != 1 || unit[i-1].Succs[0] != n) {
					t.Fatalf("node %d follows node %d in a block\n%v", n.ID, unit[i-1].ID, g)
				}
			}
			if first != g.Entry && distinct(first.Preds) == 1 && distinct(first.Preds[0].Succs) == 1 {
				t.Fatalf("node %d starts a block but has only node %d in front\n%v", first.ID, first.Preds[0].ID, g)
			}
		}
		if seen != reached(g.Entry, succs) {
			t.Fatalf("blocks have %v\n%v", seen, g)
		}
		p := always
		p.Transfer = func(first *cfg.Node, in set) set {
			for _, n := range blocks.Unit(first) {
				in = with(in, n)
			}
			return in
		}
		want := solve.RoundRobin(nodes, always, solve.Options[set]{})
		for _, got := range []*solve.Solution[set]{solve.RoundRobin(blocks, p, solve.Options[set]{}), solve.InnerFirst(blocks, p, 100, false)} {
			for _, first := range blocks.Order() {
				unit := blocks.Unit(first)
				if got.In[first.ID] != want.In[first.ID] || got.Out[first.ID] != want.Out[unit[len(unit)-1].ID] {
					t.Fatalf("block of node %d: %v and %v, want %v and %v\n%v", first.ID, got.In[first.ID], got.Out[first.ID], want.In[first.ID], want.Out[unit[len(unit)-1].ID], g)
				}
			}
		}
	})
	if longest < 3 {
		t.Errorf("no block has more than %d nodes", longest)
	}
}

// distinct is the number of different nodes in a list.
func distinct(l []*cfg.Node) int {
	var s set
	for _, n := range l {
		s = with(s, n)
	}
	return bits.OnesCount64(uint64(s))
}

// TestUntil: the work ends with the visit that says so.
func TestUntil(t *testing.T) {
	f := solve.New(parse(t, nest))
	enough := false
	p := passed
	p.Transfer = func(n *cfg.Node, in set) set {
		enough = enough || n.ID == 3 && in>>3&1 != 0 // around the inner loop
		return with(in, n)
	}
	s := solve.RoundRobin(f, p, solve.Options[set]{Until: &enough})
	if s.Converged || s.Sweeps != 2 || s.Out[3]>>4&1 == 0 || s.Out[5]>>4&1 != 0 {
		t.Errorf("converged %v after %d sweeps; behind 3 %v, behind 5 %v", s.Converged, s.Sweeps, s.Out[3], s.Out[5])
	}
}
