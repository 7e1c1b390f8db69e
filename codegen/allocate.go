package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// end renders an end of a dimension: a number, or the scalar that an open one stands for.
func (g *gen) end(n int) string {
	k, off, open := ir.Open(n)
	if !open {
		return fmt.Sprint(n)
	}
	e := g.prog.IR.Ends[k]
	text := fmt.Sprintf("int(%s)", g.scalar(e))
	g.reads(e)
	switch {
	case off > 0:
		return fmt.Sprintf("%s+%d", text, off)
	case off < 0:
		return fmt.Sprintf("%s-%d", text, -off)
	}
	return text
}

// bounds renders the bounds of s as arguments of the run time.
func (g *gen) bounds(s *ir.Symbol) string {
	list := make([]string, len(s.Dims))
	for i, b := range s.Dims {
		list[i] = fmt.Sprintf("[2]int{%s, %s}", g.end(b.Lo), g.end(b.Hi))
	}
	return strings.Join(list, ", ")
}

// unallocated are the bounds that s has from the beginning: those of no elements where
// they are open.
func unallocated(s *ir.Symbol) []ir.Bound {
	if !s.IsOpen() {
		return s.Dims
	}
	none := make([]ir.Bound, len(s.Dims))
	for i := range none {
		none[i] = ir.Bound{Lo: 1, Hi: 0}
	}
	return none
}

// allocateMapped emits ALLOCATE or DEALLOCATE of an array that is distributed.
func (g *gen) allocateMapped(s *ir.Allocate, m dist.Map) {
	name := g.names.sym(s.Sym)
	if s.Free {
		g.out.p("%s.Vacate()", name)
		return
	}
	g.out.p("%s.Place(%s)", name, g.mapOf(m, g.end))
	for _, f := range s.Followers {
		if f.Mapping != nil {
			g.out.p("%s.Follow(%s)", g.names.sym(f), g.mapOf(f.Mapping.Map, g.end))
		}
	}
}

// allocate emits ALLOCATE or DEALLOCATE.
func (g *gen) allocate(s *ir.Allocate) {
	name := g.names.sym(s.Sym)
	if m := s.Sym.Mapping; m != nil {
		g.allocateMapped(s, m.Map)
		return
	}
	if s.Together() {
		verb, bounds := "Allocate", ", "+g.bounds(s.Sym)
		if s.Free {
			verb, bounds = "Deallocate", ""
		}
		g.out.p("%s.%s(%d%s)", name, verb, g.imageSites[s], bounds)
		return
	}
	if s.Free {
		g.out.p("%s.Free()", name)
		return
	}
	blank := s.Sym.Type == ir.Character && s.Sym.Len > 0 && !g.opt.Check
	switch {
	case s.Keep && blank:
		g.out.p("spmd.Blank(%s.Extend(%s), %d)", name, g.bounds(s.Sym), s.Sym.Len)
	case s.Keep:
		g.out.p("%s.Extend(%s)", name, g.bounds(s.Sym))
	default:
		g.out.p("%s.Resize(%s)", name, g.bounds(s.Sym))
		if blank {
			g.out.p("spmd.Blank(%s.Data, %d)", name, s.Sym.Len)
		}
	}
}
