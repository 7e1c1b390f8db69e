package codegen

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
)

// A barrier is known to the run time by its calling context. Calls are compiled in
// place, so that the context is that of the code which is emitted: the site of the
// barrier, one for each copy, leads to the calls around it.

// findBarriers collects the sites of the plan's barriers: each stands before
// communications and has the site of the first.
func (g *gen) findBarriers() {
	g.barriers = map[int]*comm.Comm{}
	for _, n := range comm.Within(g.prog.Body...) {
		if n, ok := n.(*comm.Barrier); ok {
			g.barriers[g.site(n.Before)] = n.Before
		}
	}
}

// barrierSite is what the entry of a site says about a barrier there. A plan other
// than barrier has barriers only where its proofs need them.
func (g *gen) barrierSite(site int) string {
	c := g.barriers[site]
	if c == nil {
		return ""
	}
	text := ""
	if c.Region != nil && len(c.Region.Stmts) > 0 {
		if call := c.Region.Stmts[0].CallSite(); call != nil {
			text = fmt.Sprintf(", Call: %d", call.ID+1)
		}
	}
	if g.plan.Kind != plan.Barrier {
		text += ", Pinned: true"
	}
	return text
}

// calls emits the calls that lead to sites.
func (g *gen) calls() {
	if len(g.prog.IR.Sites) == 0 {
		return
	}
	g.out.p("Calls: []spmd.Call{")
	for _, s := range g.prog.IR.Sites {
		parent := 0
		if s.Parent != nil {
			parent = s.Parent.ID + 1
		}
		g.out.p("{Line: %d, Col: %d, Proc: %q, Parent: %d},", s.Pos.Line, s.Pos.Col, s.Callee, parent)
	}
	g.out.p("},")
}

// version emits, for programs with barriers, the calls that lead to sites, and
// the name of this version of the program: of the source file, its text, and what
// the compiler made of it as far as barriers go.
func (g *gen) version() {
	if len(g.barriers) == 0 && !g.syncsAll {
		return
	}
	if !g.prog.IR.SPMD { // programs with coarrays have the calls in any case
		g.calls()
	}
	sum := sha256.Sum256([]byte(filepath.Base(g.prog.IR.File) + "\n" + g.opt.Source + "\n" + strings.Join(g.versions, "\n") + "\n" + pathsOf(g.prog.IR.Sites)))
	g.out.p("Version: %q,", fmt.Sprintf("%s %x", g.prog.IR.Name, sum[:6]))
}

func pathsOf(calls []*ir.Site) string {
	var b strings.Builder
	for _, s := range calls {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}
