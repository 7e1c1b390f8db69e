package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// resident renders the test of RESIDENT, which ir/mapping has made.
func (g *gen) resident(e *ir.Call) string {
	args := e.Args[3:]
	next := func() ir.Expr {
		x := args[0]
		args = args[1:]
		return x
	}
	number := func() int { return next().(*ir.Const).Int }
	line := number()
	subs := make([]string, number())
	for k := range subs {
		subs[k] = g.position(next())
	}
	seats := func() string {
		grid := g.grids[g.prog.IR.Grids[number()]]
		list := make([]string, number())
		for k := range list {
			dim, format, tlo, thi := number(), dist.Format(number()), g.end(number()), g.end(number())
			lo := g.position(next())
			list[k] = fmt.Sprintf("{Dim: %d, Format: %s, TLo: %s, THi: %s, Lo: %s, Hi: %s}", dim, distFormat(format), tlo, thi, lo, g.position(next()))
		}
		return fmt.Sprintf("dist.Seats{Grid: %s, At: []dist.Seat{%s}}", grid, strings.Join(list, ", "))
	}
	of := seats()
	home := seats()
	return fmt.Sprintf("spmd.Resident(%s, %q, []int{%s}, %t, %d, %s, %s)", g.typed(e.Args[0]), e.Args[1].(*ir.Const).Str, strings.Join(subs, ", "), e.Args[2].(*ir.Const).Bool, line, of, home)
}
