package plan_test

import (
	"flag"
	"fmt"
	"math/rand"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/examples/randprog"
	"github.com/spmdc/spmdc/internal/randomhpf"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/procfunc"
)

var (
	yardPrograms = flag.Int("yard", 60, "random programs of TestYardstick")
	yardSeed     = flag.Uint64("yardseed", 1, "the first")
	yardRuns     = flag.Int("yardruns", 8, "sampled executions each")
	yardKind     = flag.Int("yardkind", -1, "only this generator")
	yardShow     = flag.Bool("yardshow", false, "show what is missed")
)

func front(text string) (*comm.Program, error) {
	tree, diags := parser.Parse("in.hpf", []byte(text))
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	p := lower.Lower(tree, diags)
	mapping.Resolve(p, diags)
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	c := choose.Choose(p, scalar.Analyze(p), choose.Options{})
	return comm.Analyze(c.IR, c.Info), nil
}

type yard struct{ safe, elided, again, elidedAgain int }

func (y *yard) add(o plan.Observed) bool {
	if !o.Puts || o.Early {
		return true
	}
	y.safe++
	if !o.Told {
		y.elided++
	}
	if o.Again {
		y.again++
		if !o.Told {
			y.elidedAgain++
		}
	}
	return !o.Told
}

func (y *yard) String() string {
	return fmt.Sprintf("%d of %d = %.1f %%; into used slots %d of %d = %.1f %%", y.elided, y.safe, 100*float64(y.elided)/float64(max(1, y.safe)),
		y.elidedAgain, y.again, 100*float64(y.elidedAgain)/float64(max(1, y.again)))
}

func TestYardstick(t *testing.T) {
	var known, symbolic, list [4]yard
	for i := range *yardPrograms {
		seed := *yardSeed + uint64(i)
		if *yardKind >= 0 && int(seed%4) != *yardKind {
			continue
		}
		var text string
		kind := int(seed % 4)
		switch kind {
		case 0:
			text = randprog.Sample(max(seed, 1)).Source
		case 1:
			text = randprog.Rounds(seed).Source
		case 2:
			text = randprog.Loops(seed).Source
		case 3:
			text = randomhpf.Program(rand.New(rand.NewSource(int64(seed))))
		}
		c, err := front(text)
		if err != nil {
			t.Fatal(err)
		}
		f := procfunc.Analyze(c, c.Graph())
		sym := plan.Search(c, f, plan.Options{})
		all := make([]plan.Observed, len(sym.Slots))
		listed := plan.Search(c, f, plan.Options{PEs: []int{2, 3, 4, 5, 6, 7, 8}})
		for np := 2; np <= 8; np++ {
			for _, o := range listed.Observe(np, *yardRuns, seed) {
				list[kind].add(o)
			}
			for x, o := range sym.Observe(np, *yardRuns, seed) {
				all[x].Puts = all[x].Puts || o.Puts
				all[x].Again = all[x].Again || o.Again
				all[x].Early = all[x].Early || o.Early
				all[x].Told = all[x].Told || o.Told
			}
			p := plan.Search(c, f, plan.Options{PEs: []int{np}})
			for x, o := range p.Observe(np, *yardRuns, seed) {
				if !known[kind].add(o) && *yardShow {
					fmt.Printf("MISS known seed %d PEs %d %s | %s\n", seed, np, p.Comment(p.Slots[x].Comm), "")
				}
				if o.Early && !o.Told {
					t.Errorf("seed %d, %d PEs: #%d is early\n%s", seed, np, x+1, text)
				}
			}
		}
		for x, o := range all {
			if !symbolic[kind].add(o) && *yardShow {
				fmt.Printf("MISS symbolic seed %d %s\n", seed, sym.Comment(sym.Slots[x].Comm))
			}
		}
	}
	for k, name := range []string{"sample", "rounds", "loops", "hpf"} {
		t.Logf("%-8s known    %v", name, &known[k])
		t.Logf("%-8s list     %v", name, &list[k])
		t.Logf("%-8s symbolic %v", name, &symbolic[k])
	}
}

func TestYardDump(t *testing.T) {
	seed := *yardSeed
	switch seed % 4 {
	case 0:
		fmt.Println(randprog.Sample(max(seed, 1)).Source)
	case 1:
		fmt.Println(randprog.Rounds(seed).Source)
	case 2:
		fmt.Println(randprog.Loops(seed).Source)
	case 3:
		fmt.Println(randomhpf.Program(rand.New(rand.NewSource(int64(seed)))))
	}
}
