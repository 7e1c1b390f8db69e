package codegen

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// openLoop emits the head of a counted loop: over the PE's own iterations if
// the region divides the loop, else over all. It returns the number of braces
// that closeLoop closes.
func (g *gen) openLoop(d *ir.Do, r *comm.Region) int {
	var part []comm.Constraint
	if r != nil {
		part = r.Part[d]
	}
	if part != nil {
		step := g.step(d)
		it := g.ownIterations(d, part)
		k := g.names.sym(d.Index)
		g.saveFinal(d)
		g.label(d, d.Name)
		g.out.p("for it, t := %s, 0; t < it.N; t++ {", it)
		g.bound[d.Index]++
		g.index = append(g.index, len(g.out.lines))
		if step > 0 {
			g.out.p("%s := it.Lo + t*it.Step", k)
		} else {
			g.out.p("%s := it.Hi() - t*it.Step", k)
		}
		return 1
	}
	g.index = append(g.index, -1)
	g.plainLoop(d)
	return 1
}

// ownIterations renders the iterations of d in which this PE owns part.
func (g *gen) ownIterations(d *ir.Do, part []comm.Constraint) string {
	if own := g.parts[d]; own != "" {
		return own
	}
	all := fmt.Sprintf("dist.Range(%s, %s, %d)", g.expr(d.Lo), g.expr(d.Hi), g.step(d))
	return g.owned(part, d.Index.Name, "pe.ID()", all)
}

// step is the constant step of a loop, 0 if it has none.
func (g *gen) step(d *ir.Do) int {
	if f, ok := g.prog.Affine(d.Step); ok && f.IsConst() {
		return int(f.C)
	}
	return 0
}

// advance is how a loop over k with a constant step goes on, and how k compares with the
// end as long as it does.
func advance(k string, step int) (inc, cmp string) {
	switch {
	case step == 1:
		return k + "++", "<="
	case step == -1:
		return k + "--", ">="
	case step < 0:
		return fmt.Sprintf("%s -= %d", k, -step), ">="
	}
	return fmt.Sprintf("%s += %d", k, step), "<="
}

// plainLoop emits the head of a loop that is executed in full.
func (g *gen) plainLoop(d *ir.Do) {
	k := g.names.sym(d.Index)
	lo, hi := g.expr(d.Lo), g.expr(d.Hi)
	step := g.step(d)
	if own := g.parts[d]; own != "" {
		lo, hi = own+".Lo", own+".Hi()"
		if step < 0 {
			lo, hi = hi, lo
		}
	}
	outside := g.outlives(d)
	decl, head := ":=", k
	if outside {
		decl, head = "=", g.scalar(d.Index)
	}
	inc, cmp := advance(k, step)
	switch {
	case step == 0 && outside:
		g.serial++
		at, by, n := fmt.Sprintf("%sLo%d", k, g.serial), fmt.Sprintf("%sStep%d", k, g.serial), fmt.Sprintf("%sTrips%d", k, g.serial)
		st := g.expr(d.Step)
		g.out.p("%s, %s, %s := %s, %s, spmd.Count(%s, %s, %s)", at, by, n, lo, st, lo, hi, st)
		g.out.p("%s = %s", head, at)
		g.label(d, d.Name)
		g.out.p("for ; %s > 0; %s, %s = %s-1, %s+%s {", n, n, k, n, k, by)
	case step == 0:
		g.label(d, d.Name)
		st := g.expr(d.Step)
		g.out.p("for %s, step, trips := %s, %s, spmd.Count(%s, %s, %s); trips > 0; %s, trips = %s+step, trips-1 {", k, lo, st, lo, hi, st, k, k)
	case cheap(d.Hi):
		g.label(d, d.Name)
		g.out.p("for %s %s %s; %s %s %s; %s {", head, decl, lo, k, cmp, hi, inc)
	case outside:
		g.serial++
		to := fmt.Sprintf("%sHi%d", k, g.serial)
		g.out.p("%s := %s", to, hi)
		g.label(d, d.Name)
		g.out.p("for %s = %s; %s %s %s; %s {", head, lo, k, cmp, to, inc)
	default:
		g.label(d, d.Name)
		g.out.p("for %s, end := %s, %s; %s %s end; %s {", k, lo, hi, k, cmp, inc)
	}
	if !outside {
		g.bound[d.Index]++
	}
}

// outlives reports whether the index is used behind its loop, with the value
// that ended it.
func (g *gen) outlives(d *ir.Do) bool {
	return g.prog.LiveAfter(d, d.Index)
}

// cheap reports whether testing bound e anew in every iteration costs no more than
// keeping its value, which the loop does not change.
func cheap(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Var, *ir.Const, *ir.Un:
		case *ir.Bin:
			ok = ok && (x.Op == ir.Add || x.Op == ir.Sub)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// closeLoop ends what openLoop began.
func (g *gen) closeLoop(d *ir.Do) {
	at := g.index[len(g.index)-1]
	g.index = g.index[:len(g.index)-1]
	k := g.names.sym(d.Index)
	if at >= 0 {
		g.dropUnused(at, k)
	}
	g.out.p("}")
	if at >= 0 || !g.outlives(d) {
		g.bound[d.Index]--
	}
	if at >= 0 {
		g.setFinal(d)
	}
}

// saveFinal computes, before a loop whose index is local to it, the value that
// the index has behind it, where that is used.
func (g *gen) saveFinal(d *ir.Do) {
	if !g.outlives(d) || g.bound[d.Index] > 0 {
		return
	}
	g.serial++
	name := fmt.Sprintf("%sEnd%d", g.names.sym(d.Index), g.serial)
	g.final[d] = name
	g.out.p("%s := %s", name, g.finalIndex(d))
}

func (g *gen) setFinal(d *ir.Do) {
	if name := g.final[d]; name != "" {
		g.out.p("%s = %s", g.scalar(d.Index), name)
		delete(g.final, d)
	}
}

// finalIndex is the value that ends a loop.
func (g *gen) finalIndex(d *ir.Do) string {
	return fmt.Sprintf("%s + spmd.Count(%s, %s, %d)*%d", g.atLeast(d.Lo, precAdd), g.expr(d.Lo), g.expr(d.Hi), g.step(d), g.step(d))
}

// dropUnused removes the definition in line at if nothing behind it uses name.
func (g *gen) dropUnused(at int, name string) {
	if !g.mentioned(at+1, name) {
		g.out.lines = append(g.out.lines[:at], g.out.lines[at+1:]...)
	}
}

// mentioned reports whether a line from at on uses name.
func (g *gen) mentioned(at int, name string) bool { return mentionedIn(g.out.lines[at:], name) }

// label emits a Go label where EXIT or CYCLE of an inner loop names this one.
func (g *gen) label(loop ir.Stmt, name string) {
	if !g.labelled[loop] {
		return
	}
	if name == "" {
		name = fmt.Sprintf("loop%d", loop.Position().Line)
	}
	if token.IsKeyword(name) {
		name += "_"
	}
	l := name
	for i := 2; g.labels[l] != nil && g.labels[l] != loop; i++ {
		l = fmt.Sprintf("%s%d", name, i)
	}
	g.labels[l] = loop
	g.labelOf[loop] = l
	g.out.p("%s:", l)
}

func (g *gen) target(loop ir.Stmt) string {
	if l := g.labelOf[loop]; l != "" {
		return " " + l
	}
	return ""
}

// findLabels marks the loops that EXIT or CYCLE leaves from a deeper loop.
func (g *gen) findLabels(body []ir.Stmt, around []ir.Stmt) {
	for _, s := range body {
		inner := around
		switch s := s.(type) {
		case *ir.Do, *ir.While:
			inner = append(append([]ir.Stmt(nil), around...), s)
		case *ir.Exit:
			if around[len(around)-1] != s.Loop {
				g.labelled[s.Loop] = true
			}
		case *ir.Cycle:
			if around[len(around)-1] != s.Loop {
				g.labelled[s.Loop] = true
			}
		}
		for _, b := range ir.Bodies(s) {
			g.findLabels(b, inner)
		}
		if leaves(s) {
			return // the rest is not emitted
		}
	}
}

// walks takes the next element of each irregular communication that is listed
// once per iteration of d.
func (g *gen) walks(d *ir.Do, r *comm.Region) {
	for _, c := range g.walksOf(d, r) {
		v := "val" + strings.ToUpper(c.Name())
		g.walked[c] = v
		g.out.p("%s := %s.Data[%s]", v, g.comms[c], g.counter(c))
		g.out.p("%s++", g.counter(c))
	}
}

// walksOf are the irregular communications that are listed once per iteration
// of d.
func (g *gen) walksOf(d *ir.Do, r *comm.Region) []*comm.Comm {
	var list []*comm.Comm
	if r != nil {
		for _, c := range r.Comms {
			if c.Kind == comm.Irregular && c.Walk[len(c.Walk)-1] == d {
				list = append(list, c)
			}
		}
	}
	return list
}
