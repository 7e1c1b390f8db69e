package codegen

import (
	"fmt"
	"go/token"
	"math"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// openLoop emits the head of a counted loop: over the PE's own iterations if
// the region divides the loop, else over all.
func (g *gen) openLoop(d *ir.Do, r *comm.Region) {
	var part []comm.Constraint
	if r != nil {
		part = r.Part[d]
	}
	if r != nil && r.Picks[d] != nil {
		own := g.listOwn(d, r.Picks[d])
		g.saveFinal(d)
		g.label(d, d.Name)
		g.out.p("for t := range %s {", own)
		g.bound[d.Index]++
		g.index = append(g.index, len(g.out.lines))
		g.out.p("%s := %s[t]", g.names.sym(d.Index), own)
		return
	}
	if part != nil {
		it := g.ownIterations(d, part)
		g.saveFinal(d)
		g.label(d, d.Name)
		g.index = append(g.index, len(g.out.lines)+1)
		g.overIterations(d, it)
		g.bound[d.Index]++
		return
	}
	g.index = append(g.index, -1)
	g.plainLoop(d)
}

// overIterations emits the head of a loop over iterations of d, and the definition of its
// index.
func (g *gen) overIterations(d *ir.Do, it string) {
	g.out.p("for it, t := %s, 0; t < it.N; t++ {", it)
	k := g.names.sym(d.Index)
	switch step := g.step(d); {
	case step > 0:
		g.out.p("%s := it.Lo + t*it.Step", k)
	case step == 0:
		g.out.p("%s := it.Nth(t, %s)", k, g.position(d.Step))
	default:
		g.out.p("%s := it.Hi() - t*it.Step", k)
	}
}

// ownIterations renders the iterations of d in which this PE owns part.
func (g *gen) ownIterations(d *ir.Do, part []comm.Constraint) string {
	if own := g.parts[d]; own != "" {
		return own
	}
	all := fmt.Sprintf("dist.Range(%s, %s, %s)", g.position(d.Lo), g.position(d.Hi), g.stepText(d))
	return g.owned(part, d.Index.Name, "pe.ID()", all)
}

// stepText is the step of a loop as an int.
func (g *gen) stepText(d *ir.Do) string {
	if step := g.step(d); step != 0 {
		return fmt.Sprint(step)
	}
	return g.position(d.Step)
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

// plainLoop emits the head of a loop that is executed in full. An index that is used
// behind the loop is the variable of the program; any other is a Go int of the loop.
func (g *gen) plainLoop(d *ir.Do) {
	k := g.names.sym(d.Index)
	step := g.step(d)
	from, to, by := g.position(d.Lo), g.position(d.Hi), g.stepText(d)
	lo, hi := from, to
	outside := g.outlives(d)
	if outside {
		lo, hi = g.expr(d.Lo), g.expr(d.Hi)
	}
	if own := g.parts[d]; own != "" {
		from, to = own+".Lo", own+".Hi()"
		if step < 0 {
			from, to = to, from
		}
		if lo, hi = from, to; outside && d.Index.Type == ir.Integer {
			lo, hi = "int32("+from+")", "int32("+to+")"
		}
	}
	inc, cmp := advance(k, step)
	switch ends := step != 0 && g.compares(d, outside); {
	case !ends && outside:
		// All is evaluated before the index changes.
		head := g.scalar(d.Index)
		g.serial++
		n := fmt.Sprintf("%sTrips%d", k, g.serial)
		if step == 0 {
			st := fmt.Sprintf("%sStep%d", k, g.serial)
			g.out.p("%s, %s := %s, spmd.Count(%s, %s, %s)", st, n, g.typed(d.Step), from, to, by)
			by = st
		} else {
			g.out.p("%s := spmd.Count(%s, %s, %s)", n, from, to, by)
		}
		g.label(d, d.Name)
		g.out.p("for %s = %s; %s > 0; %s, %s = %s-1, %s+%s {", head, lo, n, n, k, n, k, by)
	case !ends:
		g.label(d, d.Name)
		g.out.p("for %s, step, trips := %s, %s, spmd.Count(%s, %s, %s); trips > 0; %s, trips = %s+step, trips-1 {", k, lo, by, lo, hi, by, k, k)
	case outside:
		head := g.scalar(d.Index)
		g.label(d, d.Name)
		g.out.p("for %s = %s; %s %s %s; %s {", head, lo, k, cmp, hi, inc)
	case cheap(d.Hi):
		g.label(d, d.Name)
		g.out.p("for %s := %s; %s %s %s; %s {", k, lo, k, cmp, hi, inc)
	default:
		g.label(d, d.Name)
		g.out.p("for %s, end := %s, %s; %s %s end; %s {", k, lo, hi, k, cmp, inc)
	}
	if !outside {
		g.bound[d.Index]++
	}
}

// compares reports whether a loop ends when its index, that of the program if it lies
// outside of the loop, has passed the end: whether there is room behind the end in its
// Go type, and no iteration changes it.
func (g *gen) compares(d *ir.Do, outside bool) bool {
	step := g.step(d)
	if c, ok := folded(d.Hi); ok {
		if outside && d.Index.Type == ir.Integer {
			return d.Index.Type.Wrap(c.Int+step) == c.Int+step
		}
		return moderate(d.Hi) && max(step, -step) < 1<<61
	}
	if outside {
		return d.Index.Type == ir.Long && moderate(d.Hi) && cheap(d.Hi) && max(step, -step) < 1<<61
	}
	return moderate(d.Hi) && max(step, -step) < 1<<61
}

// moderate reports whether an INTEGER expression surely has less than 62 bits.
func moderate(e ir.Expr) bool {
	if c, ok := folded(e); ok {
		return max(c.Int, -c.Int) < 1<<61 && c.Int != math.MinInt
	}
	if e.Type() == ir.Integer {
		return true
	}
	c, ok := e.(*ir.Conv)
	return ok && c.E.Type() == ir.Integer
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
		case *ir.Conv:
			ok = ok && x.Typ == ir.Long && x.E.Type() == ir.Integer
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
		if d.Index.Type == ir.Integer {
			name = "int32(" + name + ")"
		}
		g.out.p("%s = %s", g.scalar(d.Index), name)
		delete(g.final, d)
	}
}

// finalIndex is the value that ends a loop.
func (g *gen) finalIndex(d *ir.Do) string {
	lo, by := g.position(d.Lo), g.stepText(d)
	trips := fmt.Sprintf("spmd.Count(%s, %s, %s)", lo, g.position(d.Hi), by)
	if g.step(d) == 0 {
		by = "(" + by + ")"
	}
	return fmt.Sprintf("%s + %s*%s", lo, trips, by)
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
	name = strings.ReplaceAll(name, "%", "_") // that of a procedure which the source does not have
	if token.IsKeyword(name) {
		name += "_"
	}
	l := name
	for i := 2; g.labels[l] != nil; i++ {
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
		g.out.p("%s := %s.Data[%s.At[%s]]", v, g.comms[c], g.comms[c], g.counter(c))
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

// iteration reports to the run time, in check builds, in which iteration of a loop all
// PEs are: that of an index, or with nil the next one. What it returns is called
// behind the loop.
func (g *gen) iteration(index *ir.Symbol) (leave func()) {
	begin, leave := g.iterationOnce(index)
	if begin != nil {
		begin()
	}
	return leave
}

// iterationOnce is iteration for a loop whose first iteration may begin in its midst:
// begin emits what an iteration begins with, or is nil.
func (g *gen) iterationOnce(index *ir.Symbol) (begin, leave func()) {
	if !g.opt.Check || g.prog.IR.SPMD {
		return nil, func() {}
	}
	depth := g.around
	g.around++
	begin = func() {
		if index == nil {
			g.out.p("pe.Turn(%d)", depth)
			return
		}
		g.reads(index)
		g.out.p("pe.Loop(%d, %s)", depth, g.variable(index.Name))
	}
	return begin, func() {
		g.around--
		g.out.p("pe.Leave(%d)", depth)
	}
}

// forCond drops the condition of an endless loop.
func forCond(s string) string {
	if s == "true" {
		return ""
	}
	return s
}
