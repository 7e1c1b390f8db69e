package plan_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/procfunc"
)

// makePlan plans the program text.
func makePlan(t testing.TB, text string, k plan.Kind) *plan.Plan {
	t.Helper()
	return plan.Make(front.Must(t, front.SPMD, text), k)
}

// guessPlan plans the program text by guessed relations.
func guessPlan(t testing.TB, text string, k plan.Kind, seed uint64) *plan.Plan {
	t.Helper()
	c := makePlan(t, text, plan.Handshake).Program
	if k == plan.Elide {
		return plan.Search(c, guesses{c, seed}, plan.Options{Relations: func(c *comm.Program, _ *cfg.Graph) plan.Relations { return guesses{c, seed} }})
	}
	return plan.MakeWith(c, k, guesses{c, seed})
}

// programs are those of the neighbours' tests and the examples, by name.
func programs(t testing.TB) map[string]string {
	t.Helper()
	return golden.Programs(t, "../../examples/*/*.hpf", "../../cfg/comm/testdata/want/*.hpf", "../../cfg/comm/testdata/*.txtar", "testdata/*.txtar")
}

// ordinary are the programs with few enough communications for tests that spoil
// each part of a plan in turn.
func ordinary(t testing.TB) map[string]string {
	t.Helper()
	all := programs(t)
	counted.Do(func() {
		for name, text := range all {
			if len(makePlan(t, text, plan.Handshake).Slots) > 45 {
				many = append(many, name)
			}
		}
	})
	for _, name := range many {
		delete(all, name)
	}
	return all
}

var (
	counted sync.Once
	many    []string // programs that are not ordinary
)

// sketch is the text of a plan, taken apart so that a test can spoil it. Nodes,
// and with them the claims of proofs, are numbered by where they stand.
type sketch struct {
	kind    plan.Kind
	slots   []string       // the slot lines
	planes  map[int]string // what is said of planes or executions, by slot
	proofs  []sketchProof
	ages    []sketchAges
	classes []string
	loops   []string
	nodes   []sketchNode
}

type sketchNode struct {
	text  string // without number and successors
	succs []int
}

// sketchAges is a proof over ages, with a claim for each node by age.
type sketchAges struct {
	put    int
	claims [][]plan.Claim
	kills  []plan.Answer
	asks   []int
}

// sketchProof is a proof with a claim for each node.
type sketchProof struct {
	use, put int
	claims   []plan.Claim
	kills    []int
}

func takeApart(t testing.TB, text string) *sketch {
	t.Helper()
	d, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s := &sketch{kind: d.Kind, planes: map[int]string{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		number, rest, _ := strings.Cut(line, " ")
		switch number {
		case "plan", "proof", "tried", "ages", "barrier", "#":
			continue
		case "alternates", "times":
			s.planes[len(s.slots)] = line
			continue
		case "slot":
			s.slots = append(s.slots, line)
			continue
		case "class":
			s.classes = append(s.classes, line)
			continue
		case "loop":
			s.loops = append(s.loops, line)
			continue
		}
		n := sketchNode{text: rest}
		if at := strings.LastIndex(rest, " ->"); at >= 0 {
			n.text = rest[:at]
			for _, f := range strings.Fields(rest[at+3:]) {
				var succ int
				if _, err := fmt.Sscan(f, &succ); err != nil {
					t.Fatal(err)
				}
				n.succs = append(n.succs, succ)
			}
		}
		s.nodes = append(s.nodes, n)
	}
	for _, slot := range d.Slots {
		if p := slot.Proof; p != nil {
			sp := sketchAges{put: p.Comm, kills: p.Kills, asks: p.Asks}
			for _, list := range p.Ages {
				sp.claims = append(sp.claims, spread(list, len(s.nodes)))
			}
			s.ages = append(s.ages, sp)
		}
	}
	for _, p := range d.Proofs {
		sp := sketchProof{use: p.Use, put: p.Put, claims: spread(p.Claims, len(s.nodes)), kills: p.Kills}
		s.proofs = append(s.proofs, sp)
	}
	return s
}

// spread has the claims of a list, by node.
func spread(list []plan.Span, nodes int) []plan.Claim {
	out := make([]plan.Claim, nodes)
	for _, run := range list {
		for id := run.From; id <= run.To; id++ {
			out[id] = run.Claim
		}
	}
	return out
}

// packed is the list again.
func packed(claims []plan.Claim) (out []plan.Span) {
	for id, c := range claims {
		switch k := len(out) - 1; {
		case c.Level == plan.Sync:
		case k >= 0 && out[k].To == id-1 && sameClaim(out[k].Claim, c):
			out[k].To = id
		default:
			out = append(out, plan.Span{From: id, To: id, Claim: c})
		}
	}
	return out
}

// String puts the text together again, with nodes numbered as they stand.
func (s *sketch) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", s.kind)
	for i, line := range s.slots {
		b.WriteString(line + "\n")
		if p := s.planes[i+1]; p != "" {
			b.WriteString(p + "\n")
		}
		for _, p := range s.proofs {
			if p.put == i+1 {
				b.WriteString(p.String() + "\n")
			}
		}
		for _, p := range s.ages {
			if p.put == i+1 {
				b.WriteString(p.String() + "\n")
			}
		}
	}
	for _, line := range append(s.classes[:len(s.classes):len(s.classes)], s.loops...) {
		b.WriteString(line + "\n")
	}
	for i, n := range s.nodes {
		fmt.Fprintf(&b, "%d %s", i, n.text)
		if len(n.succs) > 0 {
			b.WriteString(" ->")
		}
		for _, x := range n.succs {
			fmt.Fprintf(&b, " %d", x)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (p *sketchProof) String() string {
	q := plan.Proof{Use: p.use, Put: p.put, Kills: p.kills, Claims: packed(p.claims)}
	return q.String()
}

func (p *sketchAges) String() string {
	q := plan.SlotProof{Comm: p.put, Kills: p.kills, Asks: p.asks}
	for _, claims := range p.claims {
		q.Ages = append(q.Ages, packed(claims))
	}
	return q.String()
}

// changed is p with another claim.
func (p sketchAges) changed(age, node int, to plan.Claim) sketchAges {
	p.claims = slices.Clone(p.claims)
	p.claims[age] = slices.Clone(p.claims[age])
	p.claims[age][node] = to
	return p
}

// clone copies s. Claims and kills are replaced by a spoiler, never changed.
func (s *sketch) clone() *sketch {
	c := &sketch{kind: s.kind, planes: maps.Clone(s.planes), slots: slices.Clone(s.slots), proofs: slices.Clone(s.proofs), ages: slices.Clone(s.ages), classes: slices.Clone(s.classes), loops: s.loops}
	for _, n := range s.nodes {
		c.nodes = append(c.nodes, sketchNode{n.text, slices.Clone(n.succs)})
	}
	return c
}

// drop takes out node i, which has one successor.
func (s *sketch) drop(i int) {
	to := s.nodes[i].succs[0]
	for k := range s.nodes {
		for j, x := range s.nodes[k].succs {
			if x == i {
				x = to
			}
			if x > i {
				x--
			}
			s.nodes[k].succs[j] = x
		}
	}
	s.nodes = slices.Delete(s.nodes, i, i+1)
	for k := range s.proofs {
		s.proofs[k].claims = slices.Delete(slices.Clone(s.proofs[k].claims), i, i+1)
	}
	for k := range s.ages {
		s.ages[k].claims = slices.Clone(s.ages[k].claims)
		for a, c := range s.ages[k].claims {
			s.ages[k].claims[a] = slices.Delete(slices.Clone(c), i, i+1)
		}
	}
}

// insert puts a node on all edges to node i, which becomes node i+1 and its first
// successor. What was claimed of node i is claimed of the new node too.
func (s *sketch) insert(i int, text string) {
	for k := range s.nodes {
		for j, x := range s.nodes[k].succs {
			if x > i {
				s.nodes[k].succs[j]++
			}
		}
	}
	s.nodes = slices.Insert(s.nodes, i, sketchNode{text, []int{i + 1}})
	for k := range s.proofs {
		c := s.proofs[k].claims
		s.proofs[k].claims = slices.Insert(slices.Clone(c), i, c[i])
	}
	for k := range s.ages {
		s.ages[k].claims = slices.Clone(s.ages[k].claims)
		for a, c := range s.ages[k].claims {
			s.ages[k].claims[a] = slices.Insert(slices.Clone(c), i, c[i])
		}
	}
}

// find lists the nodes whose text starts with a prefix.
func (s *sketch) find(prefix string) []int {
	var out []int
	for i, n := range s.nodes {
		if strings.HasPrefix(n.text, prefix+" ") || n.text == prefix {
			out = append(out, i)
		}
	}
	return out
}

// guesses stand for the relations of a program where only the way from them to
// the plan is tested: a communication kills what a throw of dice says, and those
// that fill one array's overlap share their cells.
type guesses struct {
	p    *comm.Program
	seed uint64
}

func (g guesses) Classes() [][]int { return procfunc.Analyze(g.p, g.p.Graph()).Classes() }

func (g guesses) Shared() [][]int { return procfunc.Analyze(g.p, g.p.Graph()).Shared() }

func (g guesses) Items() [][2]int { return procfunc.Analyze(g.p, g.p.Graph()).Items() }

func (g guesses) Kills(y, use, put int) bool {
	return rand.New(rand.NewPCG(g.seed, uint64(y)<<32|uint64(put))).IntN(3) > 0
}

func (g guesses) KillsAfter(y, put, nth int) bool {
	dice := rand.New(rand.NewPCG(g.seed+100*uint64(nth-1), uint64(y)<<32|uint64(put)))
	if g.seed%2 == 0 { // little is proved, so that pairs of PEs are asked
		return dice.IntN(8) == 0
	}
	return dice.IntN(3) > 0
}

func (g guesses) Alike(y, put int) bool {
	return rand.New(rand.NewPCG(g.seed+1000, uint64(y)<<32|uint64(put))).IntN(3) > 0
}

func (g guesses) AnswersAll(y, x int) bool { return g.Alike(x, x) && g.Kills(y, x, x) }

func (g guesses) Answers(y, put int) bool { return true }

func (g guesses) LiteralKills(y, x int) bool { return g.Kills(y, x, x) }
