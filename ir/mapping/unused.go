package mapping

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// WarnUnused warns of directives that have no effect at all, because they distribute no
// array. The program is resolved; where that gave errors nothing more is said.
func WarnUnused(p *ir.Program, diags *source.List) {
	if p == nil || diags.HasErrors() || slices.ContainsFunc(p.Symbols, (*ir.Symbol).Distributed) {
		return
	}
	var first source.Pos
	see := func(pos source.Pos) {
		if !first.IsValid() || pos.Line < first.Line {
			first = pos
		}
	}
	for _, d := range p.HPF {
		see(d.Pos)
	}
	ir.Walk(p.Body, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok && d.Independent != nil && d.Independent.Pos != d.Pos { // else it is DO CONCURRENT
			see(d.Independent.Pos)
		}
		return true
	})
	if first.IsValid() {
		diags.Warnf(source.NotHonoured, first, "the program has directives, but distributes no array: every PE executes all of it").
			WithHelp("write !HPF$ DISTRIBUTE name(BLOCK) for the arrays that its loops run over")
	}
}
