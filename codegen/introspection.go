package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// introspects reports whether a statement is a function of module spmd that says what the
// program has measured of itself.
func introspects(s *ir.Read) bool { return strings.HasPrefix(s.What, "spmd_") }

// introspect emits it: spmd_region_seconds is RegionSeconds of the recorder, and a zero where
// nothing is measured. An image gets its own value; PEs that execute one program get that of
// PE 0.
func (g *gen) introspect(s *ir.Read, to string) {
	name, _, _ := strings.Cut(s.What, " ")
	value := fmt.Sprintf("%s(0)", goType(s.Items[0].Sym.Type))
	if r := g.regions.recorder; r != "" {
		var method strings.Builder
		for _, word := range strings.Split(strings.TrimPrefix(name, "spmd_"), "_") {
			if word == "id" {
				word = "ID"
			}
			method.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		value = fmt.Sprintf("%s(%s.%s(%s))", goType(s.Items[0].Sym.Type), r, method.String(), g.typed(s.Given[0]))
	}
	if !g.prog.IR.SPMD {
		value = fmt.Sprintf("spmd.OfFirst(pe, %d, %s)", g.readSite(s), value)
	}
	g.out.p("%s = %s", to, value)
}
