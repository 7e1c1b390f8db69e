package verify

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/effort"
	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/ir"
)

// coverage counts what programs have, as the compiler sees it: communications by
// kind, by what is around the place where they start, and by what plan elide does.
type coverage map[string]int

// few is what few programs must have, in at least so many places.
var few = map[string]int{
	"kind shift": 50, "kind broadcast": 50, "kind remap": 50, "kind gather": 50, "kind allgather": 20,
	"kind irregular": 5, "kind pipeline": 5, "kind whole": 5,
	"reduction sum": 20, "reduction max": 2, "reduction min": 2, "reduction and": 1, "reduction or": 1, "reduction product": 1,
	"reduction behind a loop of all": 3, "reduction in each iteration of a loop": 10, "pipeline in blocks": 3,
	"starts in 0 loops": 50, "starts in 1 loops": 50, "starts in 2 loops": 20, "starts in 3 loops": 3,
	"starts in a WHILE": 1, "starts under a condition on scalars": 20, "starts under a condition on distributed data": 10,
	"starts behind an exit": 10, "starts behind a cycle": 10,
	"exit on distributed data": 2, "exit on scalars": 10, "cycle on scalars": 10, "cycle on distributed data": 2,
	"loop that never runs": 1, "loop with bounds of variables": 10, "stop": 1,
	"overlap that two communications fill": 10, "overlap that three communications fill": 2,
	"two distances in one overlap": 2, "forwarded corners": 1, "pieces that all PEs execute": 2,
	"programs with procedures": 10, "calls": 20, "programs with input": 5,
	"plan: once": 50, "plan: no ready message": 50, "plan: ready message": 20, "plan: stages": 5, "plan: several slots": 5, "plan: on demand": 5,
}

// sampled is how many programs the counts are of.
const sampled = 150

func TestCoverage(t *testing.T) {
	effort.Full(t, "what the programs have changes with their generator")
	all := coverage{}
	table := driver.Passes()
	for seed := range uint64(sampled) {
		p := Generated(seed + 1)
		c := driver.New("random.hpf", []byte(p.Source), driver.Options{Sync: plan.Elide})
		if err := table.Run(c, driver.RunOptions{StopAfter: "plan"}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed+1, err, p.Source)
		}
		all.program(c)
		if p.Input != "" {
			all["programs with input"]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%6d  %s", all[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(few)) {
		if all[name] < few[name] {
			t.Errorf("%d random programs have %q %d times, expected at least %d", sampled, name, all[name], few[name])
		}
	}
}

func (v coverage) program(c *driver.Compilation) {
	p := c.Plan.Program
	for _, x := range p.Comms {
		v["kind "+string(x.Kind)]++
		if len(x.Forward) > 0 {
			v["forwarded corners"]++
		}
		for _, w := range x.Window {
			if w[1] > w[0] && x.Overlap {
				v["two distances in one overlap"]++
				break
			}
		}
	}
	for _, x := range p.Reduces {
		v["reduction "+x.Name]++
		switch {
		case x.Moved != nil:
			v["reduction behind a loop of all"]++
		case x.KeptIn != nil:
			v["reduction in each iteration of a loop"]++
		}
	}
	for _, class := range c.Functions.Classes() {
		if len(class) > 1 {
			v["overlap that two communications fill"]++
		}
		if len(class) > 2 {
			v["overlap that three communications fill"]++
		}
	}
	for i := range c.Plan.Slots {
		s := &c.Plan.Slots[i]
		switch {
		case s.Ready != plan.Never:
			v["plan: ready message"]++
		case s.Verdict == synch.Once:
			v["plan: once"]++
		default:
			v["plan: no ready message"]++
		}
		if s.Staged {
			v["plan: stages"]++
		}
		if s.Ring > 1 {
			v["plan: several slots"]++
		}
		if s.Ready == plan.OnDemand {
			v["plan: on demand"]++
		}
	}
	if n := len(p.IR.Sites); n > 0 {
		v["programs with procedures"]++
		v["calls"] += n
	}
	ir.Walk(p.IR.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Do:
			own := p.Info.Bounds(s)
			switch {
			case !own.LoOK || !own.HiOK:
			case !own.Lo.IsConst() || !own.Hi.IsConst():
				v["loop with bounds of variables"]++
			case own.Step > 0 && own.Lo.C > own.Hi.C || own.Step < 0 && own.Lo.C < own.Hi.C:
				v["loop that never runs"]++
			}
		case *ir.Stop:
			v["stop"]++
		}
		return true
	})
	w := walker{v, p}
	w.nodes(p.Body, place{})
}

// place is what is around a node of the SPMD form.
type place struct {
	loops         int
	while, exits  bool
	scalars, data bool // conditions
	cycles        bool
}

type walker struct {
	coverage
	p *comm.Program
}

// nodes counts what starts in a list, and where. It returns the place behind it: a
// jump makes what follows in its loop conditional.
func (w *walker) nodes(list []comm.Node, at place) place {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Post:
			w.starts(len(n.Comms), at)
		case *comm.Region:
			if n.Fallback {
				w.coverage["pieces that all PEs execute"]++
			}
			if n.Pipe != nil {
				if b := n.Pipe.Blocks; b != nil {
					w.coverage["pipeline in blocks"]++
				}
				w.starts(len(n.Pipe.Comms), at)
			}
		case *comm.Loop:
			in := at
			in.loops++
			w.nodes(n.Body, in)
		case *comm.WhileLoop:
			in := at
			in.loops, in.while = in.loops+1, true
			w.nodes(n.Pre, in)
			w.nodes(n.Body, in)
		case *comm.Branch:
			in, kind := at, "scalars"
			if w.distributed(n.If.Cond) {
				in.data, kind = true, "distributed data"
			} else {
				in.scalars = true
			}
			for _, branch := range [][]comm.Node{n.Then, n.Else} {
				behind := w.nodes(branch, in)
				at.exits, at.cycles = at.exits || behind.exits, at.cycles || behind.cycles
				for _, x := range branch {
					if s, ok := x.(*comm.Simple); ok {
						w.coverage[jump(s)+" on "+kind]++
					}
				}
			}
		case *comm.Simple:
			switch jump(n) {
			case "exit":
				at.exits = true
			case "cycle":
				at.cycles = true
			}
		}
	}
	return at
}

func jump(n *comm.Simple) string {
	switch n.Stmt.(type) {
	case *ir.Exit:
		return "exit"
	case *ir.Cycle:
		return "cycle"
	}
	return "other statement"
}

func (w *walker) starts(n int, at place) {
	w.coverage[fmt.Sprintf("starts in %d loops", min(at.loops, 3))] += n
	for name, is := range map[string]bool{
		"in a WHILE": at.while, "under a condition on scalars": at.scalars, "under a condition on distributed data": at.data,
		"behind an exit": at.exits, "behind a cycle": at.cycles,
	} {
		if is {
			w.coverage["starts "+name] += n
		}
	}
}

// distributed reports whether a condition reads what communications bring.
func (w *walker) distributed(x ir.Expr) bool {
	return len(w.reads(x)) > 0
}

// reads lists the references of an expression that a communication serves.
func (w *walker) reads(x ir.Expr) (refs []*ir.Ref) {
	ir.WalkExpr(x, func(e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && w.p.Access[r] != nil && w.p.Access[r].Comm != nil {
			refs = append(refs, r)
		}
		return true
	})
	return refs
}
