package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Explain describes the mapping of every array of p, one line each, grids
// first. With np above 0 the elements that each of np PEs owns follow, by
// dimension.
//
//	grid p(2,2), line 4
//	u(1:64,1:64)  line 6: i -> p dim 1 BLOCK 1:64, j -> p dim 2 BLOCK 1:64
//	x(1:64)       replicated
//
// Behind an array of a procedure that calls share (package sharing) stand the other calls.
func Explain(p *ir.Program, np int) string {
	var b strings.Builder
	for _, g := range p.Grids {
		fmt.Fprintf(&b, "grid %s", gridText(g))
		if np > 0 {
			fmt.Fprintf(&b, ", on %d PEs %v", np, []int(Shape(g, np)))
		}
		fmt.Fprintf(&b, ", line %d\n", g.Pos.Line)
	}
	width := 0
	for _, s := range p.Symbols {
		if s.IsArray() {
			width = max(width, len(declared(s)))
		}
	}
	for _, s := range p.Symbols {
		if !s.IsArray() {
			continue
		}
		fmt.Fprintf(&b, "%-*s  %s\n", width, declared(s), Describe(s))
		for _, call := range s.Also {
			fmt.Fprintf(&b, "   also of %s\n", call)
		}
		if np > 0 && s.Mapping != nil {
			owned(&b, s, np)
		}
	}
	return b.String()
}

func declared(s *ir.Symbol) string { return s.Name + "(" + ir.BoundsString(s.Dims) + ")" }

func gridText(g *ir.Grid) string {
	if g.Name == "" {
		return fmt.Sprintf("of rank %d (implied)", g.Rank)
	}
	parts := make([]string, len(g.Shape))
	for i, e := range g.Shape {
		parts[i] = ir.ExprString(e)
	}
	return g.Name + "(" + strings.Join(parts, ",") + ")"
}

// Describe says in one line how array s is mapped: for each dimension the grid
// dimension, format, and position in the template; then where the whole array
// is fixed, and along which grid dimensions it is replicated.
func Describe(s *ir.Symbol) string {
	m := s.Mapping
	if m == nil {
		return "replicated"
	}
	grid := m.Grid.Name
	if grid == "" {
		grid = "grid"
	}
	var parts []string
	named := make([]bool, m.Grid.Rank)
	for d, ax := range m.Map.Axes {
		if ax.Grid < 0 {
			parts = append(parts, indexName(d)+" whole")
			continue
		}
		named[ax.Grid] = true
		text := fmt.Sprintf("%s -> %s dim %d %s %s:%s", indexName(d), grid, ax.Grid+1, ax.Format, ir.EndString(ax.TLo), ir.EndString(ax.THi))
		if ax.A != 1 || ax.B != 0 {
			text += " at " + ir.AlignSub{Dummy: indexName(d), Coef: ax.A, Off: ax.B}.String()
		}
		parts = append(parts, text)
	}
	for _, f := range m.Map.Fixed {
		named[f.Grid] = true
		parts = append(parts, fmt.Sprintf("at position %d of %s dim %d %s %s:%s", f.Pos, grid, f.Grid+1, f.Format, ir.EndString(f.TLo), ir.EndString(f.THi)))
	}
	for d, ok := range named {
		if !ok {
			parts = append(parts, fmt.Sprintf("replicated along %s dim %d", grid, d+1))
		}
	}
	return fmt.Sprintf("line %d: %s", m.Pos.Line, strings.Join(parts, ", "))
}

// indexName names the subscript of dimension d as a program would: i, j, k.
func indexName(d int) string { return string(rune('i' + d)) }

// owned lists what each PE owns.
func owned(b *strings.Builder, s *ir.Symbol, np int) {
	if s.Placed() {
		b.WriteString("   what each PE owns is known when it is allocated\n")
		return
	}
	if slices.ContainsFunc(s.Mapping.Map.Axes, func(ax dist.Axis) bool { return ax.Format.BlockLength() > 0 }) {
		b.WriteString("   what each PE owns is known when its blocks are dimensions (package ir/blockcyclic)\n")
		return
	}
	l := dist.NewLayout(s.Mapping.Map, Shape(s.Mapping.Grid, np))
	for pe := range np {
		text := ""
		for d := range s.Dims {
			own := l.Owned(pe, d)
			if own.Empty() {
				text = ", nothing"
				break
			}
			text += ", " + rangeText(own)
		}
		fmt.Fprintf(b, "   PE %d: %s\n", pe, text[2:])
	}
}

// rangeText writes a triplet that is not empty as Fortran does.
func rangeText(t dist.Triplet) string {
	switch {
	case t.N == 1:
		return fmt.Sprint(t.Lo)
	case t.Step == 1:
		return fmt.Sprintf("%d:%d", t.Lo, t.Hi())
	}
	return fmt.Sprintf("%d:%d:%d", t.Lo, t.Hi(), t.Step)
}
