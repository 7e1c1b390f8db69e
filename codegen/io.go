package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// printOwn emits PRINT for every image.
func (g *gen) printOwn(s *ir.Print) {
	at := len(g.out.lines)
	g.print(s)
	if len(g.out.lines)-at > 1 { // the record is a variable
		g.out.lines = append(g.out.lines[:at], append([]line{{text: "{", at: s.Pos.Line}}, g.out.lines[at:]...)...)
		g.out.p("}")
	}
}

func (g *gen) print(s *ir.Print) {
	implied := false
	for _, e := range s.Items {
		_, is := e.(*ir.ImpliedDo)
		implied = implied || is
	}
	if s.FormatA {
		g.out.p("pe.PrintA(%s)", g.expr(s.Items[0]))
		return
	}
	if !implied {
		items := make([]string, len(s.Items))
		for i, e := range s.Items {
			items[i] = g.typed(e)
		}
		g.out.p("pe.Print(%s)", strings.Join(items, ", "))
		return
	}
	g.out.p("record := pe.NewLine()")
	for _, e := range s.Items {
		g.item(e)
	}
	g.out.p("record.End()")
}

func (g *gen) item(e ir.Expr) {
	d, ok := e.(*ir.ImpliedDo)
	if !ok {
		g.out.p("record.Add(%s)", g.typed(e))
		return
	}
	lo, hi, step := g.position(d.Lo), g.position(d.Hi), g.position(d.Step)
	g.bound[d.Index]++
	k := g.names.sym(d.Index)
	g.out.p("for %s, step, trips := %s, %s, spmd.Count(%s, %s, %s); trips > 0; %s, trips = %s+step, trips-1 {", k, lo, step, lo, hi, step, k, k)
	for _, x := range d.Items {
		g.item(x)
	}
	g.out.p("}")
	g.bound[d.Index]--
}

// readStmt emits READ: PE 0 reads, all get the values. The variables are passed
// through copies so that they need not live in memory.
func (g *gen) readStmt(s *ir.Read) {
	var syms []*ir.Symbol
	seen := map[*ir.Symbol]bool{}
	addr := func(y *ir.Symbol) string {
		if !seen[y] {
			seen[y] = true
			syms = append(syms, y)
		}
		p := "&" + g.names.sym(y) + "In"
		if y.Type == ir.Character {
			return fmt.Sprintf("spmd.Str(%s, %d)", p, y.Len)
		}
		return p
	}
	iostat := "nil"
	if s.Iostat != nil {
		iostat = addr(s.Iostat)
	}
	var args []string
	for i, v := range s.Items {
		a := addr(v.Sym)
		if s.Got != nil && s.Got[i] != nil {
			a = fmt.Sprintf("spmd.Note(%s, %s)", addr(s.Got[i]), a)
		}
		args = append(args, a)
	}
	var in, outer, before, behind []string
	for _, y := range syms {
		x, name := g.scalar(y), g.names.sym(y)+"In"
		g.reads(y)
		in, outer = append(in, name), append(outer, x)
		if y == s.Iostat && y.Type == ir.Integer { // the run time has it as an int
			x, name = "int("+x+")", "int32("+name+")"
		}
		before, behind = append(before, x), append(behind, name)
	}
	if len(in) > 0 {
		g.out.p("{")
		g.out.p("%s := %s", strings.Join(in, ", "), strings.Join(before, ", "))
	}
	list := ""
	if len(args) > 0 {
		list = ", " + strings.Join(args, ", ")
	}
	switch {
	case s.FormatA:
		g.out.p("pe.ReadA(%d, %s, %s)", g.readSite(s), iostat, args[0])
	case s.From != nil:
		g.out.p("pe.ReadInternal(%d, %s, %s%s)", g.readSite(s), g.expr(s.From), iostat, list)
	default:
		g.out.p("pe.Read(%d, %s%s)", g.readSite(s), iostat, list)
	}
	if len(in) > 0 {
		g.out.p("%s = %s", strings.Join(outer, ", "), strings.Join(behind, ", "))
		g.out.p("}")
	}
}
