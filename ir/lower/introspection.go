package lower

import "github.com/spmdc/spmdc/ir"

// The functions of module spmd say what the program has measured of itself. They are
// statements like READ, see systemCalls.

// spmdFunctions are in the table of intrinsics.
var spmdFunctions = map[string]intrinsicFunc{
	"spmd_region_id":        measured("name", ir.Character, ir.Integer),
	"spmd_region_count":     measured("id", ir.Integer, ir.Long),
	"spmd_region_seconds":   measured("id", ir.Integer, ir.Double),
	"spmd_region_blocked":   measured("id", ir.Integer, ir.Double),
	"spmd_activity_id":      measured("name", ir.Character, ir.Integer),
	"spmd_activity_calls":   measured("id", ir.Integer, ir.Long),
	"spmd_activity_seconds": measured("id", ir.Integer, ir.Double),
	"spmd_activity_least":   measured("id", ir.Integer, ir.Double),
	"spmd_activity_most":    measured("id", ir.Integer, ir.Double),
	"spmd_activity_bytes":   measured("id", ir.Integer, ir.Long),
}

// measured is a function of one argument.
func measured(param string, takes, gives ir.Type) intrinsicFunc {
	return intrinsicFunc{[]string{param}, func(l *lowerer, c *call) ir.Expr {
		if c.args[0].Type() != takes {
			return l.wrong(c, 0, takes.String())
		}
		if l.impure(c.name, c.Pos) {
			return bad(c.Pos)
		}
		t := l.temp("measured", gives, 0, c.Pos)
		v := func() *ir.Var { return &ir.Var{X: ir.X{Pos: c.Pos, Typ: t.Type}, Sym: t} }
		l.prelude = append(l.prelude, &ir.Read{S: ir.S{Pos: c.Pos}, What: c.name + " " + param + " value", Given: []ir.Expr{c.args[0]}, Items: []*ir.Var{v()}})
		return v()
	}}
}
