package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// resident renders the test of RESIDENT.
func (g *gen) resident(e *ir.Call) string {
	r := e.Resident
	of, home := len(r.Of.Map.Axes), len(r.Home.Map.Axes)
	subs := make([]string, len(e.Args)-1)
	for k, x := range e.Args[1:] {
		subs[k] = g.position(x)
	}
	return fmt.Sprintf("spmd.Resident(%s, %q, []int{%s}, %t, %d, %s, %s)", g.typed(e.Args[0]), r.Array.Source(), strings.Join(subs[:of], ", "), r.Assigned, r.Line,
		g.seats(r.Of, subs[:of], subs[:of]), g.seats(r.Home, subs[of:of+home], subs[of+home:]))
}

// seats are the owners of elements whose subscripts go from first to last.
func (g *gen) seats(m *ir.Mapping, first, last []string) string {
	var list []string
	seat := func(dim int, format, tlo, thi, lo, hi string) {
		list = append(list, fmt.Sprintf("{Dim: %d, Format: %s, TLo: %s, THi: %s, Lo: %s, Hi: %s}", dim, format, tlo, thi, lo, hi))
	}
	for d, ax := range m.Map.Axes {
		if ax.Grid < 0 {
			continue
		}
		lo, hi := first[d], last[d]
		if ax.A < 0 {
			lo, hi = hi, lo
		}
		at := func(sub string) string { return fmt.Sprintf("%d*(%s)+%d", ax.A, sub, ax.B) }
		seat(ax.Grid, distFormat(ax.Format), g.end(ax.TLo), g.end(ax.THi), at(lo), at(hi))
	}
	for _, f := range m.Map.Fixed {
		pos := fmt.Sprint(f.Pos)
		seat(f.Grid, distFormat(f.Format), g.end(f.TLo), g.end(f.THi), pos, pos)
	}
	return fmt.Sprintf("dist.Seats{Grid: %s, At: []dist.Seat{%s}}", g.grids[m.Grid], strings.Join(list, ", "))
}
