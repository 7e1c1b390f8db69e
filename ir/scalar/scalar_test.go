package scalar_test

import (
	"fmt"
	"strings"
	"testing"

	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/scalar"
)

// TestGolden shows, for every array element, its subscripts as affine forms, and
// for every loop its bounds and the class of each scalar that it changes.
func TestGolden(t *testing.T) {
	irtest.Golden(t, []string{"facts"}, func(t *testing.T, in string) map[string]string {
		p := irtest.Program(t, in)
		return map[string]string{"facts": facts(p, scalar.Analyze(p))}
	})
}

func facts(p *ir.Program, info *scalar.Info) string {
	var b strings.Builder
	ir.Walk(p.Body, func(s ir.Stmt) bool {
		line := s.Position().Line
		if d, ok := s.(*ir.Do); ok {
			bounds := info.Bounds(d)
			fmt.Fprintf(&b, "%d: do %s = %s, %s, %d\n", line, d.Index.Name, form(bounds.Lo.String(), bounds.LoOK), form(bounds.Hi.String(), bounds.HiOK), bounds.Step)
			for _, sym := range p.Symbols {
				if info.Modified(d)[sym] && !sym.IsArray() {
					text := info.Class(d, sym).String()
					if r, ok := info.ReductionOf(d, sym); ok {
						text += " " + r.Op.String()
					}
					if why, at := info.Why(d, sym); info.Class(d, sym) == scalar.Carried {
						text += fmt.Sprintf(": %s (line %d)", why, at.Line)
					}
					fmt.Fprintf(&b, "      %s %s\n", sym.Name, text)
				}
			}
		}
		for _, r := range ir.Refs(s) {
			parts := make([]string, len(r.Subs))
			for i, sub := range r.Subs {
				f, ok := info.Affine(sub)
				parts[i] = form(f.String(), ok)
			}
			fmt.Fprintf(&b, "%d: %s = %s(%s)\n", line, ir.ExprString(r), r.Sym.Name, strings.Join(parts, ", "))
		}
		return true
	})
	return b.String()
}

func form(text string, ok bool) string {
	if !ok {
		return "?"
	}
	return text
}
