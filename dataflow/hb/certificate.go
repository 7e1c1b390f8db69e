package hb

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Certificate is the proof that the uses of one communication are over before
// the puts of another one into the slots: what holds in front of every node, on
// all paths that lead there. Check verifies it node by node, without knowing how
// it was found.
type Certificate struct {
	Use, Put int
	Slots    int
	Staged   bool
	// Exact: System has the messages of the number of PEs at hand, and Claims are
	// by the nodes of its graph. Else Forms are by the nodes of the program's graph.
	System *System
	Claims []Claim
	Forms  []Form
	// Kills are the communications y of which Forms take for granted that whenever
	// Put comes after y, for each message p to q of Put there was the message q to
	// p of y. Stable takes for granted that Put has the same messages each time.
	Kills  []int
	Stable bool
}

// Claim is what is known in front of a node about the uses of a communication,
// for each consumer.
type Claim struct {
	Posted bool // there may have been a use
	// Known is, by age and consumer, the PEs that are known to be after the use of
	// that age, bit by bit. Beyond the last age in the list everybody is.
	Known [][]uint64
	// Flights is the same for each communication under way: whom its arrival lets
	// know. Others let nobody know of the ages in Known.
	Flights map[int][][]uint64
	// Live are the consumers that may be using the latest value, Held those of which
	// the next UO is the end of a use.
	Live, Held uint64
}

// Form is what is known in front of a node, for all consumers and any number of
// PEs: by age, whether the use is over, the next producers know, everybody knows;
// Unused if there was none.
type Form struct {
	Posted bool
	Ages   []Level
	// Under is, by age, the killers under way.
	Under [][]int
}

// Level is how much is known of one age, in ascending order.
type Level = level

// The levels.
const (
	InUse    Level = inUse
	Over     Level = isOver
	ToldNext Level = toldNext
	ToldAll  Level = toldAll
	Unused   Level = unused
)

// Certificates are the proofs for the puts of communication r, one for each
// Result.Proofs; nil where it needs ready messages.
func (a *Analysis) Certificates(r int) []*Certificate {
	res := a.Comms[r-1]
	if res.Against != 0 {
		return nil
	}
	var out []*Certificate
	for _, p := range res.Proofs {
		it := item{p.Use, slots{n: 1}}
		if a.layout.own(r) {
			it.how = a.layout[r-1]
		}
		c := &Certificate{Use: p.Use, Put: r, Slots: it.how.n, Staged: it.how.staged}
		if p.Exact {
			c.System = a.System
			a.exact.certify(c, it)
		} else {
			a.forms.certify(c, it)
		}
		out = append(out, c)
	}
	return out
}

func (s *solver) certify(c *Certificate, it item) {
	f := s.solve(s.rules(it.use, it.how))
	c.Claims = make([]Claim, len(s.sys.Graph.Nodes))
	for _, first := range s.flow.Order() {
		v := f.sol.In[first.ID]
		for _, n := range s.flow.Unit(first) {
			c.Claims[n.ID] = s.claim(v)
			v = f.apply(v, n)
		}
	}
}

// claim unpacks a state.
func (s *solver) claim(v state) Claim {
	unpack := func(known []uint64) [][]uint64 {
		var out [][]uint64
		for ; len(known) > 0; known = known[s.pack.words:] {
			age := make([]uint64, s.sys.PEs)
			for q := range age {
				age[q] = s.pack.of(known, q)
			}
			out = append(out, age)
		}
		return out
	}
	c := Claim{Posted: v.posted, Known: unpack(v.known), Live: v.live, Held: v.held, Flights: map[int][][]uint64{}}
	for _, f := range v.flights {
		c.Flights[f.ref] = unpack(f.known)
	}
	return c
}

func (s *symbolic) certify(c *Certificate, it item) {
	p := s.solve(it, c.Put, false)
	c.Stable = p.stable
	c.Slots = p.how.n
	for _, n := range s.f.Graph.Nodes {
		v := p.at(n)
		f := Form{Posted: v.posted, Ages: slices.Clone(v.level[:p.how.n]), Under: make([][]int, p.how.n)}
		for _, k := range v.under {
			for a := range f.Under {
				if k.ages>>a&1 != 0 {
					f.Under[a] = append(f.Under[a], k.ref)
				}
			}
			if !slices.Contains(c.Kills, k.ref) {
				c.Kills = append(c.Kills, k.ref)
			}
		}
		c.Forms = append(c.Forms, f)
	}
	slices.Sort(c.Kills)
}

// String is like "use 1 put 1, 2 slots, exact".
func (c *Certificate) String() string {
	how := "by forms"
	if c.System != nil {
		how = fmt.Sprintf("for %d PEs", c.System.PEs)
	}
	return fmt.Sprintf("use %d put %d, %d slots, staged %v, %s", c.Use, c.Put, c.Slots, c.Staged, how)
}

// Check reports the first node at which the certificate does not follow from what
// comes before it. g is the program's graph, for certificates by forms; what
// these take for granted is for others to check, and so is System.
func (c *Certificate) Check(g *cfg.Graph) error {
	if c.System == nil {
		return c.checkForms(g)
	}
	return c.checkClaims()
}
