package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/procfunc"
)

// makePlan plans the program text.
func makePlan(t testing.TB, text string, k plan.Kind) *plan.Plan {
	t.Helper()
	c := front.Must(t, front.SPMD, text)
	return search.Make(c, k, procfunc.Analyze(c, c.Graph()), search.Options{})
}

// guessPlan plans the program text by guessed relations.
func guessPlan(t testing.TB, text string, k plan.Kind, seed uint64) *plan.Plan {
	t.Helper()
	c := makePlan(t, text, plan.Handshake).Program
	if k == plan.Elide {
		return search.Make(c, plan.Elide, guesses{c, seed, seed%2 == 0}, search.Options{Relations: func(c *comm.Program, _ *cfg.Graph) search.Relations { return guesses{c, seed, seed%2 == 0} }})
	}
	return search.Make(c, k, guesses{c, seed, false}, search.Options{})
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

// sketch is a plan taken apart so that a test can spoil it. Nodes, and with them the
// claims of proofs, are numbered by where they stand.
type sketch struct {
	kind    plan.Kind
	slots   []plan.Slot
	proofs  []sketchProof
	classes [][]int
	loops   []string
	nodes   []sketchNode
}

type sketchNode struct {
	text  string // without number and successors
	succs []int
}

// sketchProof is a certificate for any number of PEs with a claim for each node.
type sketchProof struct {
	proof.Certificate // without Claims
	claims            []proof.Claim
}

func (p *sketchProof) put() int { return p.Puts[0] }

// ring reports whether the slots are the communication's own.
func (p *sketchProof) ring() bool { return p.Obligation(p.put()).Own() }

func takeApart(t testing.TB, of *plan.Plan) *sketch {
	t.Helper()
	d := of
	s := &sketch{kind: d.Kind, slots: slices.Clone(d.Slots), classes: d.Classes}
	for line := range strings.Lines(d.Graph.String()) {
		line = strings.TrimSuffix(line, "\n")
		number, rest, _ := strings.Cut(line, " ")
		if number == "loop" {
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
	for i := range s.slots {
		for _, c := range s.slots[i].Proofs {
			p := sketchProof{Certificate: *c, claims: make([]proof.Claim, len(s.nodes))}
			for _, run := range c.Claims {
				for id := run.From; id <= run.To; id++ {
					p.claims[id] = run.Claim
				}
			}
			s.proofs = append(s.proofs, p)
		}
		s.slots[i].Proofs = nil
	}
	return s
}

// certificate is the proof again.
func (p *sketchProof) certificate() *proof.Certificate {
	c := p.Certificate
	c.Claims = nil
	for id, claim := range p.claims {
		switch k := len(c.Claims) - 1; {
		case len(claim) == 0:
		case k >= 0 && c.Claims[k].To == id-1 && slices.Equal(c.Claims[k].Claim, claim):
			c.Claims[k].To = id
		default:
			c.Claims = append(c.Claims, proof.Span{From: id, To: id, Claim: claim})
		}
	}
	return &c
}

// document puts the plan together again, with nodes numbered as they stand.
func (s *sketch) document(t testing.TB) *plan.Plan {
	t.Helper()
	var b strings.Builder
	for _, line := range s.loops {
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
	g, err := cfg.Parse(b.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	d := &plan.Plan{Kind: s.kind, Slots: slices.Clone(s.slots), Classes: s.classes, Graph: g}
	for i := range s.proofs {
		p := s.proofs[i].certificate()
		if put := s.proofs[i].put(); put <= len(d.Slots) {
			slot := &d.Slots[put-1]
			slot.Proofs = append(slices.Clone(slot.Proofs), p)
		}
	}
	return d
}

// changed is p with another claim.
func (p sketchProof) changed(node int, to proof.Claim) sketchProof {
	p.claims = slices.Clone(p.claims)
	p.claims[node] = to
	return p
}

// clone copies s. Claims and kills are replaced by a spoiler, never changed.
func (s *sketch) clone() *sketch {
	c := &sketch{kind: s.kind, slots: slices.Clone(s.slots), proofs: slices.Clone(s.proofs), classes: slices.Clone(s.classes), loops: s.loops}
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
	few  bool // little is proved
}

func (g guesses) Classes() [][]int { return procfunc.Analyze(g.p, g.p.Graph()).Classes() }

func (g guesses) Shared() [][]int { return procfunc.Analyze(g.p, g.p.Graph()).Shared() }

func (g guesses) Items() [][2]int { return procfunc.Analyze(g.p, g.p.Graph()).Items() }

func (g guesses) KillsAfter(y, put, nth int) bool {
	dice := rand.New(rand.NewPCG(g.seed+100*uint64(nth-1), uint64(y)<<32|uint64(put)))
	if g.few {
		return dice.IntN(8) == 0
	}
	return dice.IntN(3) > 0
}

func (g guesses) AnswersAll(y, x int) bool { return g.KillsAfter(y, x, 1) }

func (g guesses) Chains(int) [][]int { return nil }

func (g guesses) LiteralKills(pes, y, x int) bool { return g.KillsAfter(y, x, 1) }

// copied is a plan whose slots a test may change.
func copied(p *plan.Plan) *plan.Plan {
	q := *p
	q.Slots = slices.Clone(p.Slots)
	return &q
}
