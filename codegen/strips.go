package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
)

// A loop for which a communication brings its elements strip by strip is divided into
// strips:
//
//	for strip, all := 0, dist.Range(1, n, 1); strip < all.Strips(64); strip++ {
//		c3.Fetch(strip)
//		part := all.Strip(strip, 64)
//		for j := part.Lo; j <= part.Hi(); j++ {
//			...
//		}
//	}

// strip is how a communication is stripped, nil if it is not.
func (g *gen) strip(c *comm.Comm) *plan.Strip {
	if c.ID == 0 || g.alonePE { // the section of a reduction; no communication
		return nil
	}
	return g.plan.Slots[c.ID-1].Strip
}

// stripped are the communications that bring their elements in strips of loop d.
func (g *gen) stripped(d *ir.Do) []*comm.Comm {
	var list []*comm.Comm
	for _, c := range g.prog.Comms {
		if s := g.strip(c); s != nil && s.Loop == d {
			list = append(list, c)
		}
	}
	return list
}

// part renders one strip of the iterations all.
func part(s *plan.Strip, all, number string) string { return stripText(all, number, s.Size, s.Down) }

// stripText renders a strip of so many of the iterations all, from the last one if these go
// down.
func stripText(all, number string, size int, down bool) string {
	method := "Strip"
	if down {
		method = "StripDown"
	}
	return fmt.Sprintf("%s.%s(%s, %d)", all, method, number, size)
}

// inStrips emits loop d, of region r if it is part of one, by emit; in strips if some
// communication wants that.
func (g *gen) inStrips(d *ir.Do, r *comm.Region, emit func()) {
	defer g.sums(d, r)()
	list := g.stripped(d)
	if len(list) == 0 {
		emit()
		return
	}
	first := g.strip(list[0])
	all := fmt.Sprintf("dist.Range(%s, %s, %d)", g.position(d.Lo), g.position(d.Hi), g.step(d))
	if first.Divided {
		all = g.ownIterations(d, r.Part[d])
	}
	g.out.at = d.Pos.Line
	n := list[0].ID
	strip, whole, own := g.names.fresh(fmt.Sprintf("strip%d", n)), g.names.fresh(fmt.Sprintf("all%d", n)), g.names.fresh(fmt.Sprintf("part%d", n))
	g.out.p("// In strips of %d iterations, for each of which a PE gets what it needs.", first.Size)
	g.out.p("for %s, %s := 0, %s; %s < %s.Strips(%d); %s++ {", strip, whole, all, strip, whole, first.Size, strip)
	for _, c := range list {
		g.out.p("%s.Fetch(%s)", g.comms[c], strip)
	}
	g.out.p("%s := %s", own, part(first, whole, strip))
	g.parts[d] = own
	emit()
	delete(g.parts, d)
	g.out.p("}")
}

// stripOf is what a need says of the iterations of range r on PE q, in a closure with
// the number of the strip.
func (g *gen) stripOf(s *plan.Strip, r *comm.Range) string {
	all := fmt.Sprintf("dist.Range(%s, %s, %d)", g.affine(r.Lo), g.affine(r.Hi), r.Step)
	if s.Divided {
		return part(s, g.owned(r.Cons, r.Index, "q", all), "strip")
	}
	return g.owned(r.Cons, r.Index, "q", part(s, all, "strip"))
}

// settle emits, before statements that all PEs come to, that nobody gets any more
// what they may overwrite: PEs that tell it are waited for. Check builds also check
// it where nobody does.
func (g *gen) settle(stmts ...ir.Stmt) {
	for _, c := range g.prog.Comms {
		s := g.strip(c)
		if s == nil || !s.Completes && !g.opt.Check {
			continue
		}
		if line := assigns(stmts, c.Array); line > 0 {
			g.out.at = stmts[0].Position().Line
			g.out.p("%s.Settle(%d) // before %s is overwritten", g.comms[c], line, c.Array.Name)
		}
	}
}

// assigns is the first line in which statements may assign elements of an array; 0 if
// they do not.
func assigns(stmts []ir.Stmt, array *ir.Symbol) (line int) {
	ir.Walk(stmts, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok && line == 0 && comm.Assigns(a, array) {
			line = a.Pos.Line
		}
		return line == 0
	})
	return line
}
