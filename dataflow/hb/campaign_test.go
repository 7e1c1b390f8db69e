package hb

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/effort"
)

var (
	graphs = flag.Int("graphs", effort.Of(600, 300), "random programs in TestRandomPrograms")
	seed   = flag.Uint64("seed", 1, "of the random programs; 0 for a fresh one")
	paths  = flag.Int("paths", 200, "sampled executions of each random program")
)

// pathLimit is the most states that a sampled path has.
const pathLimit = 300

// programNumber makes program number i of a campaign, and the source of its
// paths.
func programNumber(seed uint64, i int) (*abstract.Program, []slots, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	p := abstract.Generate(rng)
	how := make([]slots, abstract.Build(p).Comms())
	for x := range how {
		how[x] = slots{n: 1}
		if rng.IntN(2) == 0 {
			how[x] = slots{1 + rng.IntN(3), rng.IntN(3) == 0}
		}
	}
	return p, how, rng
}

// system unfolds an abstract program, or, if it is not to be unfolded, takes the
// union of all iterations for what may be sent and the intersection for what is
// certain. strict says that every PE uses what a communication brings.
func (p *program) system(unfold, strict bool) (sys *System) {
	u := &unfolding{of: p.Graph}
	states := p.States()
	defer func() { sys.Ready = p.ready }()
	if unfold {
		for i, s := range states.List {
			u.add(p.Graph.Nodes[s.Node])
			u.succs[i] = states.Next[i]
		}
		sys = u.system(p.PEs)
	} else {
		sys = newSystem(p.Graph, p.PEs)
	}
	seen := map[int]bool{}
	for i, s := range states.List {
		n := p.Graph.Nodes[s.Node]
		if n.Kind != cfg.Comm {
			continue
		}
		may, must := p.rows(n.Ref, s.At)
		if !unfold {
			i = s.Node
			if seen[i] {
				oldMay, oldMust := sys.May[i], sys.Must[i]
				for q := range may {
					if oldMay != nil {
						may[q] |= oldMay[q]
					}
					if oldMust != nil {
						must[q] &= oldMust[q]
					}
				}
			}
			seen[i] = true
		}
		sys.set(sys.Graph.Nodes[i], may, must, users(may, p.PEs, strict))
	}
	return sys
}

func users(may Messages, pes int, strict bool) uint64 {
	if strict {
		return everyone(pes)
	}
	var set uint64
	for _, to := range may {
		set |= to
	}
	return set
}

// rows is the messages of communication x in an iteration.
func (p *program) rows(x int, at abstract.Iteration) (may, must Messages) {
	a, b := p.Messages(x, at)
	may, must = make(Messages, p.PEs), make(Messages, p.PEs)
	a.Each(func(s, d int) { may[s] |= 1 << d })
	b.Each(func(s, d int) { must[s] |= 1 << d })
	return may, must
}

// layout is that of the analysis.
func (p *program) layout() layout { return p.slots }

// verdicts are those on the communications of a program, by number-1.
func (p *program) verdicts(sys *System) []synch.Verdict {
	s := newSolver(sys)
	fixed := map[item]bool{}
	out := make([]synch.Verdict, p.Comms())
	for x := range out {
		out[x] = synch.Once
	}
	for x := 1; x <= p.Comms(); x++ {
		for _, it := range p.layout().items(x, p.Aliases(x)) {
			fixed[it] = true
		}
	}
	for it := range fixed {
		f := s.solve(s.rules(it.how.of(it.use)))
		for _, put := range p.Aliases(it.use) {
			if slices.Contains(p.layout().items(put, p.Aliases(put)), it) {
				out[put-1] = min(out[put-1], f.verdict(put))
			}
		}
	}
	return out
}

func (p *program) observe(rng *rand.Rand, strict bool, paths int) *observed {
	o := newObserved(p.Comms())
	for range paths {
		path := p.States().Walk(rng, pathLimit)
		newReplay(p, rng, strict, o).run(path)
	}
	return o
}

// tally counts verdicts on references that sent something on some path.
type tally struct {
	references, safe, repeated  int
	once, noSync                int
	kept, keptRepeated, refuted int
}

func (t *tally) add(v []synch.Verdict, o *observed) {
	for x := range v {
		if !o.put[x] {
			continue
		}
		t.references++
		switch v[x] {
		case synch.Once:
			t.once++
		case synch.NoReady:
			t.noSync++
		}
		free := v[x] != synch.NeedsSync
		if o.early[x] {
			if free {
				t.refuted++
			}
			continue
		}
		t.safe++
		if free {
			t.kept++
		}
		if o.repeated[x] {
			t.repeated++
			if free {
				t.keptRepeated++
			}
		}
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("elided %d (%d Once, %d NoSync) of %d references, %d refuted; of %d safe on every sampled path %s, of %d safe ones that put into used slots %s",
		t.once+t.noSync, t.once, t.noSync, t.references, t.refuted, t.safe, percent(t.kept, t.safe), t.repeated, percent(t.keptRepeated, t.repeated))
}

func percent(a, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(of))
}

// TestRandomPrograms replays sampled executions of random abstract programs with
// vector clocks. No put that the analysis elides may come too early. For many
// programs, other ones each time:
//
//	go test ./dataflow/hb -run TestRandomPrograms -v -graphs=10000 -seed=0
func TestRandomPrograms(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", *seed)
	var tallies [2][2]tally
	for i := range *graphs {
		ap, how, rng := programNumber(*seed, i)
		p := &program{Built: abstract.Build(ap), slots: how}
		if i%4 == 3 {
			p.countReady()
		}
		for k, strict := range []bool{false, true} {
			o := p.observe(rng, strict, *paths)
			for j, unfold := range []bool{false, true} {
				v := p.verdicts(p.system(unfold, strict))
				tallies[k][j].add(v, o)
				for x := range v {
					if o.early[x] && v[x] != synch.NeedsSync {
						t.Fatalf("seed %d program %d: communication %d is %v, but a put came too early (strict %v, unfolded %v, counting on ready messages of %v)\nslots %v\n%v\nsmaller: %s",
							*seed, i, x+1, v[x], strict, unfold, p.ready, how, p.Built, report(ap, how, analysed(unfold, strict), strict))
					}
				}
			}
		}
	}
	for k, who := range []string{"receivers use", "all PEs use"} {
		for j, form := range []string{"as written", "unfolded"} {
			t.Logf("%s, %s: %v", who, form, &tallies[k][j])
		}
	}
	if *graphs < 500 || *paths < 100 {
		return // too few for the shares to mean anything
	}
	for k, who := range tallies {
		if who[1].kept*100 < who[1].safe*97 {
			t.Errorf("%s of the safe references are elided, less than 97 %% (%d)", percent(who[1].kept, who[1].safe), k)
		}
	}
}
