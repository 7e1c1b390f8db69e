package comm_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
	"pgregory.net/rapid"
)

// TestRandomPrograms executes the SPMD form of random programs on random
// numbers of PEs. The machine brings each PE exactly what the communications
// say that it needs, and lets it read nothing else: so needs cover what is
// read, every value is there between CO and UO and is the one that the
// sequential program has, and what owners hold in the end is right.
func TestRandomPrograms(t *testing.T) {
	checkRandom(t, randomProgram, 7,
		"shift", "broadcast", "remap", "allgather", "gather", "whole", "sum", "consumers by range", "guarded consumers", "coupled subscripts",
		"divided region", "guarded region", "region of all", "fallback", "hoisted", "loop of all", "branch of all", "unknown range", "values for several regions",
		"reduction of elements", "started elements", "reduction of elements at their owners")
}

// checkRandom checks random programs on up to so many PEs. Three hundred programs have
// communications and regions of the given kinds; a generator that lost one would
// test less than it says. Most days try a hundred.
func checkRandom(t *testing.T, generate func(t *rapid.T) string, most int, kinds ...string) {
	t.Helper()
	effort.Checks(t, effort.Of(300, 100))
	seen := coverage{}
	rapid.Check(t, func(t *rapid.T) {
		text := generate(t)
		np := rapid.IntRange(1, most).Draw(t, "PEs")
		var rules []string
		if d := compare(text, np, seen.program, func(p *comm.Program) { rules = broken(p) }); d != "" {
			t.Fatalf("%d PEs: %s\n%s", np, d, front.Numbered(text))
		}
		if len(rules) > 0 {
			t.Fatalf("%s\n%s", strings.Join(rules, "\n"), front.Numbered(text))
		}
	})
	if t.Failed() || !effort.All() { // few programs need not have all
		return
	}
	for _, kind := range kinds {
		if seen[kind] == 0 {
			t.Errorf("no program had: %s", kind)
		}
	}
}

// TestRandomRecurrences is TestRandomPrograms for loops that carry dependences
// over a BLOCK dimension: pipelines of both directions, with overlaps wider than
// blocks, with blocks that own nothing, and what looks like a pipeline and is
// none.
func TestRandomRecurrences(t *testing.T) {
	checkRandom(t, randomRecurrence, 7, "pipelined region", "pipeline", "shift", "divided region")
}

// broken lists the rules of the SPMD form that p breaks.
func broken(p *comm.Program) []string {
	var out []string
	for _, k := range plan.Kinds {
		if err := verify.Plan(search.Make(p, k, procfunc.Analyze(p, p.Graph()), search.Options{})); err != nil {
			out = append(out, "plan "+string(k)+": "+err.Error())
		}
	}
	if err := p.Graph().Check(); err != nil {
		out = append(out, "graph: "+err.Error())
	}
	for i, c := range p.Comms {
		if c.ID != i+1 {
			out = append(out, "the IDs of communications are not 1, 2, ...")
			break
		}
	}
	for i, r := range p.Reduces {
		if r.ID != len(p.Comms)+1+i {
			out = append(out, "the IDs of reductions do not follow those of communications")
			break
		}
	}
	known := map[*comm.Comm]bool{}
	for _, c := range p.Comms {
		known[c] = true
	}
	ir.WalkExprs(p.IR.Body, func(s ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && r.Sym.Distributed() {
			switch a := p.Access[r]; {
			case a == nil:
				out = append(out, ir.ExprString(r)+" has no access")
			case a.Comm != nil && !known[a.Comm]:
				out = append(out, ir.ExprString(r)+" waits for a communication that is not in the list")
			case a.Comm == nil && a.Mode != comm.Own && a.Mode != comm.Part:
				out = append(out, ir.ExprString(r)+" reads a temporary that nothing fills")
			}
		}
		return true
	})
	return out
}

// TestNeedsAreExact: where subscripts are affine and the loops rectangular, no
// element moves that its PE does not read.
func TestNeedsAreExact(t *testing.T) {
	for _, name := range []string{"shift_1d", "shift_2d", "shift_3d", "broadcast", "transpose", "strided", "diagonal", "pipeline", "print", "align"} {
		in := golden.Read(t, "testdata/"+name+".txtar").Files[0].Text
		for _, np := range []int{2, 3, 4, 7} {
			m := runSPMD(analyze(t, in), np)
			for _, c := range m.p.Comms {
				if m.unread[c] > 0 {
					t.Errorf("%s: on %d PEs, %d of the %d elements of #%d, %s in line %d, are not read", name, np, m.unread[c], m.moved[c], c.ID, ir.ExprString(c.Refs[0]), c.Line)
				}
			}
		}
	}
}
