package hb

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// certificates are those for all items of an abstract program that are free.
func (p *program) certificates(sys *System) []*Certificate {
	s := newSolver(sys)
	var out []*Certificate
	for x := 1; x <= p.Comms(); x++ {
		for _, it := range p.layout().items(x, p.Mates(x)) {
			if s.solve(s.rules(it.use, it.how)).verdict(x) == synch.NeedsSync {
				continue
			}
			c := &Certificate{Use: it.use, Put: x, Slots: it.how.n, Staged: it.how.staged, System: sys}
			s.certify(c, it)
			out = append(out, c)
		}
	}
	return out
}

// TestCertificates: every fixpoint is inductive by the rules as the verifier has
// them, and certificates that claim more are refused.
func TestCertificates(t *testing.T) {
	checked, broken, harmless := 0, 0, 0
	for i := range 300 {
		ap, how, rng := programNumber(21, i)
		p := &program{abstract.Build(ap), how}
		for _, unfold := range []bool{false, true} {
			if unfold && i%5 > 0 {
				continue
			}
			sys := p.system(unfold, i%2 == 0)
			for _, c := range p.certificates(sys) {
				checked++
				if err := c.Check(nil); err != nil {
					t.Fatalf("program %d: %v\nslots %v\n%v", i, err, how, p.Built)
				}
				if !tamper(c, rng) {
					continue
				}
				if err := c.Check(nil); err != nil {
					broken++
				} else {
					harmless++
				}
			}
		}
	}
	t.Logf("%d certificates; %d refused that claim more", checked, broken)
	if checked < 500 || broken < 200 {
		t.Errorf("%d certificates, %d broken ones: too few", checked, broken)
	}
	if harmless > 0 {
		t.Errorf("%d certificates with more than the greatest fixpoint were accepted", harmless)
	}
}

// tamper adds one thing that is known at one node. The claims were the greatest
// ones that are inductive, so that any more are not.
func tamper(c *Certificate, rng *rand.Rand) bool {
	nodes := c.System.Graph.Nodes
	for range 50 {
		n := nodes[rng.IntN(len(nodes))]
		known := c.Claims[n.ID].Known
		if len(known) == 0 || !c.Claims[n.ID].Posted {
			continue
		}
		a, q, p := rng.IntN(len(known)), rng.IntN(c.System.PEs), rng.IntN(c.System.PEs)
		if known[a][q]>>p&1 == 0 {
			known[a][q] |= 1 << p
			return true
		}
	}
	return false
}

// TestCertificatesOfExamples: the same for programs, with and without the number
// of PEs; each has a reason.
func TestCertificatesOfExamples(t *testing.T) {
	exact, forms := 0, 0
	for _, path := range examples(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := functions(t, string(text))
		for _, np := range []int{0, 2, 4} {
			for _, slots := range []int{1, 2} {
				a := Analyze(f, Options{PEs: np, Slots: func(int) int { return slots }, Staged: func(r int) bool { return r%5 == 0 }})
				for r := range a.Comms {
					for _, c := range a.Certificates(r + 1) {
						if err := c.Check(f.Graph); err != nil {
							t.Errorf("%s, %d PEs: %v", path, np, err)
						}
						if c.System == nil {
							forms++
							for i := range c.Forms {
								if fm := &c.Forms[i]; fm.Posted && fm.Ages[0] < ToldAll {
									fm.Ages[0] = ToldAll
									if c.Check(f.Graph) == nil && f.Graph.Nodes[i].Kind != cfg.Exit {
										t.Errorf("%s: %v claims more at %s, and is accepted", path, c, f.Graph.Nodes[i].Name())
									}
									break
								}
							}
						} else {
							exact++
						}
					}
					why := a.Why(r + 1)
					if why == "" || strings.Contains(why, "%!") {
						t.Errorf("%s, %d PEs: #%d has the reason %q", path, np, r+1, why)
					}
				}
			}
		}
	}
	t.Logf("%d exact certificates, %d by forms", exact, forms)
	if exact == 0 || forms == 0 {
		t.Errorf("nothing was checked")
	}
}

// TestChain: the left and the right neighbour tell each other, two rounds on.
func TestChain(t *testing.T) {
	text, err := os.ReadFile("../../examples/grid/grid.hpf")
	if err != nil {
		t.Fatal(err)
	}
	a := Analyze(functions(t, string(text)), Options{PEs: 4, Slots: func(int) int { return 2 }})
	if got, want := a.Why(1), "PE 1 is done with the value of #1 (shift of grid(i-1,j,iold), line 37) in line 43, #2 (shift of grid(i+1,j,iold), line 40) tells PE 0, which puts #1"; got != want {
		t.Errorf("two slots: %s\nexpected %s", got, want)
	}
	a = Analyze(a.Functions, Options{PEs: 4})
	if got, want := a.Why(1), "when PE 0 puts to PE 1 in line 30, nothing need have told it that PE 1 is done with the value of #1 (shift of grid(i-1,j,iold), line 37)"; got != want {
		t.Errorf("one slot: %s\nexpected %s", got, want)
	}
}
