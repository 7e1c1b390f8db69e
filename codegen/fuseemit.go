package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// emitFused emits a row of nests; nest emits one of them.
func (g *gen) emitFused(row *fusedRow, nest func(n *fusedNest)) {
	first := row.nests[0]
	g.out.at = first.d.Pos.Line
	defer g.measuredRow(row)()
	g.serial++
	serial := g.serial
	name := func(what string, k int) string { return fmt.Sprintf("%sF%d_%d", what, serial, k+1) }
	var lines []string
	for _, n := range row.nests {
		lines = append(lines, fmt.Sprint(n.d.Pos.Line))
	}
	g.out.p("// The loops in lines %s, fused in strips.", strings.Join(lines, ", "))
	for k, n := range row.nests {
		g.out.p("%s := %s", name("all", k), g.ownIterations(n.d, n.r.Part[n.d]))
	}
	size, strip, last := name("size", 0), name("strip", 0), name("last", 0)
	g.out.p("%s := %s", size, g.stripSize(row, name("all", 0)))
	handed := g.handovers(row)
	g.openWindows(handed, serial, size)
	g.out.p("for %s, %s := 0, false; !%s; %s++ {", strip, last, last, strip)
	g.out.p("%s = %s+1 >= %s.Strips(%s)", last, strip, name("all", 0), size)
	for k, n := range row.nests {
		part := name("part", k)
		if k == 0 {
			g.out.p("%s := %s.Strip(%s, %s)", part, name("all", 0), strip, size)
			g.slideWindows(handed, serial, part)
		} else {
			g.out.p("var %s dist.Triplet", part)
			g.out.p("%s, %s = %s.Behind(%s, %d, %s)", part, name("all", k), name("all", k), name("part", 0), n.delay, last)
		}
		// A loop that is executed in full goes from the first to the last of its iterations.
		whole := len(n.r.Part[n.d]) == 0
		if whole {
			g.out.p("if %s.N > 0 {", part)
		}
		around := g.parts[n.d]
		g.parts[n.d] = part
		nest(n)
		if g.parts[n.d] = around; around == "" {
			delete(g.parts, n.d)
		}
		if whole {
			g.out.p("}")
		}
		if len(n.dones) > 0 {
			g.out.p("if %s {", last)
			for _, d := range n.dones {
				g.done(d)
			}
			g.out.p("}")
		}
		for _, c := range n.combines {
			g.combineStrip(c, n.d, part)
		}
	}
	g.out.p("}")
	g.closeWindows(handed, serial)
}

// combineStrip emits the reductions of c for a strip of d.
func (g *gen) combineStrip(c *comm.Combine, d *ir.Do, part string) {
	for _, red := range c.Reduce {
		k := g.stripAxis(d, red)
		text := part
		if off := red.Section[0][k].Off.C; off != 0 {
			text = fmt.Sprintf("%s.Image(1, %d)", part, off)
		}
		g.sections[red] = sectionPart{axis: k, text: text}
	}
	g.finishReductions(c)
	for _, red := range c.Reduce {
		delete(g.sections, red)
	}
}

// sectionPart is what a dimension of the section of a reduction is while only a strip of it
// is combined.
type sectionPart struct {
	axis int
	text string
}

// fusedRegions emits a row of nests that are regions.
func (g *gen) fusedRegions(row *fusedRow) {
	for _, n := range row.before {
		g.startReductions(n)
	}
	for _, n := range row.nests {
		g.settle(n.d)
	}
	g.emitFused(row, func(n *fusedNest) {
		g.called(n.r)
		g.alone(n.r)
	})
	for _, n := range row.behind {
		switch n := n.(type) {
		case *comm.Done:
			g.done(n)
		case *comm.Combine:
			g.finishReductions(n)
		}
	}
}

// stripSize renders how many iterations of the first of a row of nests are a strip: what
// they touch of an array should fit in the cache. all has its iterations.
func (g *gen) stripSize(row *fusedRow, all string) string {
	n := row.nests[0]
	if g.opt.Strip > 0 {
		return fmt.Sprint(g.opt.Strip)
	}
	combines := slices.ContainsFunc(row.nests, func(n *fusedNest) bool { return len(n.combines) > 0 })
	for _, pass := range []func(e fusedRef) bool{
		func(e fusedRef) bool { return e.write && g.runsOver(n.d, e.ref) },
		func(e fusedRef) bool { return g.runsOver(n.d, e.ref) },
		func(e fusedRef) bool { return e.write },
	} {
		for _, e := range g.elements(n.d) {
			k := g.followed(n.d, e.ref)
			if acc := g.access(e.ref); k < 0 || acc != nil && acc.Mode == comm.Temp || !pass(e) {
				continue
			}
			if combines {
				return g.sharedSize(e.ref, k, all)
			}
			return fmt.Sprintf("spmd.StripSize(%s.Stride(%d, 1))", g.names.sym(e.ref.Sym), k)
		}
	}
	return "spmd.StripSize(1)"
}

// sharedSize is stripSize where all PEs have the same strips: it depends on nothing that is
// another on each. Elements of r follow the loop in dimension k.
func (g *gen) sharedSize(r *ir.Ref, k int, all string) string {
	elements, divided := 1, false
	for d, b := range r.Sym.Dims[:k] {
		elements *= b.Nominal()
		divided = divided || r.Sym.Mapping != nil && r.Sym.Mapping.Map.Axes[d].Grid >= 0
	}
	if divided {
		return fmt.Sprintf("pe.ReductionStrip(%s.N, (%d+pe.N()-1)/pe.N())", all, elements)
	}
	return fmt.Sprintf("pe.ReductionStrip(%s.N, %d)", all, elements)
}
