package codegen

import (
	"fmt"
	"math"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// neutral is the value that leaves others as they are in a sum or product: -0.0 in
// a sum of reals, since -0.0 + -0.0 is -0.0. It is "" for reductions in which a
// value may occur any number of times.
func neutral(red *comm.Reduction) string {
	k := ir.Const{X: ir.X{Typ: red.Sym.Type}}
	switch red.Name {
	case "sum":
		k.Float = math.Copysign(0, -1)
		if red.Sym.Type.IsComplex() {
			k.Imag = k.Float
		}
	case "product":
		k.Int, k.Float = 1, 1
	default:
		return ""
	}
	s, _ := constant(&k)
	return s
}

// idle reports whether each PE may start to accumulate from e, which is the neutral value
// zero, or the 0.0 of a sum, of which the sum over the PEs is 0.0 too.
func idle(e ir.Expr, zero string) bool {
	c, ok := e.(*ir.Const)
	if !ok {
		return false
	}
	text, _ := constant(c)
	one, _ := constant(&ir.Const{X: ir.X{Typ: c.Typ}, Int: 1, Float: 1})
	return text == zero || c.Typ.Part().IsReal() && c.Float == 0 && c.Imag == 0 && zero != one
}

// startReductions prepares for the partial values that PEs compute. They are
// combined in the order of PEs, so that of PE 0 starts from the value before,
// and those of sums and products on other PEs from the neutral value: on
// one PE everything is computed in the order of the source. In check builds a value
// that is undefined stays so on all PEs, until a statement wants to add to it.
func (g *gen) startReductions(n *comm.Start) {
	for _, red := range n.Reduce {
		zero := neutral(red)
		g.out.at = red.At().Position().Line
		if red.Parted {
			switch red.Name {
			case "and":
				zero = "true"
			case "or":
				zero = "false"
			case "max", "min":
				g.out.p("spmd.Start%s(%s) // the owners start from the values before", reduceFunc[red.Name], g.partsOf(red.Sym))
				continue
			}
			g.out.p("%s.Start(%s) // the owners start from the values before", g.partsOf(red.Sym), zero)
			continue
		}
		if zero == "" {
			continue
		}
		if red.Sym.IsArray() {
			for _, s := range red.Starts {
				g.starts[s] = zero
			}
			g.out.p("if pe.ID() != 0 {\nspmd.FillElements(pe, %s, %s, %s) // PE 0 starts from the values before\n}", g.names.sym(red.Sym), zero, g.section(red))
			continue
		}
		g.out.p("if pe.ID() != 0%s {\n%s = %s // PE 0 starts from the value before\n}", g.ifDefined(red.Sym), g.scalar(red.Sym), zero)
	}
}

// ifDefined is a further condition, in check builds: that s has a value.
func (g *gen) ifDefined(s *ir.Symbol) string {
	name := g.scalar(s)
	if g.load(&ir.Var{X: ir.X{Typ: s.Type}, Sym: s}) == name {
		return ""
	}
	return fmt.Sprintf(" && spmd.Defined(%s)", name)
}

func (g *gen) finishReductions(n *comm.Combine) {
	for _, red := range n.Reduce {
		g.out.at = n.Behind.Position().Line
		g.countOnce(red)
	}
	for _, set := range n.MessageGroups() {
		red := set[0]
		switch {
		case red.Parted:
			g.out.p("spmd.%sParts(pe, %d, %s) // #%d %s over all PEs, element by element: each owner takes what all others have",
				reduceFunc[red.Name], g.reduceSite(red), g.partsOf(red.Sym), red.ID, red.Name)
		case red.Sym.IsArray():
			for _, s := range red.Starts {
				delete(g.starts, s)
			}
			g.out.p("spmd.%sElements(pe, %d, %s, %s) // #%d %s over all PEs, element by element: each PE takes what all others have",
				reduceFunc[red.Name], g.reduceSite(red), g.names.sym(red.Sym), g.section(red), red.ID, red.Name)
		case len(set) > 1:
			g.combineTogether(set)
		default:
			s := g.scalar(red.Sym)
			g.out.p("%s = spmd.%s(pe, %d, %s) // #%d %s over all PEs: gathered and broadcast, each half acknowledges the other",
				s, reduceFunc[red.Name], g.reduceSite(red), s, red.ID, red.Name)
		}
	}
}

// partsOf is the Go name of the parts of a distributed array.
func (g *gen) partsOf(s *ir.Symbol) string {
	if g.partsNames[s] == "" {
		g.partsNames[s] = g.names.fresh(s.Name + "Parts")
	}
	return g.partsNames[s]
}

// object is the Go name of what the element of r lies in, if that is no communication: the
// array, or the parts of it.
func (g *gen) object(r *ir.Ref) string {
	if g.inParts(r) {
		return g.partsOf(r.Sym)
	}
	return g.names.sym(r.Sym)
}

// inParts reports whether r is accumulated into in parts.
func (g *gen) inParts(r *ir.Ref) bool {
	acc := g.access(r)
	return acc != nil && acc.Mode == comm.Part
}

// mapping is how the elements of what r lies in are distributed; nil if all are there.
func (g *gen) mapping(r *ir.Ref) *ir.Mapping {
	if g.alonePE || g.inParts(r) {
		return nil
	}
	return r.Sym.Mapping
}

// countOnce makes a partial value that the PEs along some grid dimensions have in common
// count once.
func (g *gen) countOnce(red *comm.Reduction) {
	array := red.Sym.IsArray()
	s := g.names.sym(red.Sym)
	if !array {
		s = g.scalar(red.Sym)
		g.reads(red.Sym)
	}
	zero := neutral(red)
	if zero == "" || len(red.Lead) == 0 {
		return
	}
	tests := make([]string, len(red.Lead))
	for k, d := range red.Lead {
		tests[k] = fmt.Sprintf("%s.Coord(pe.ID(), %d) != 0", g.grids[d.Grid], d.Dim)
	}
	test, defined, leave := strings.Join(tests, " || "), "", fmt.Sprintf("%s = %s", s, zero)
	if array {
		leave = fmt.Sprintf("spmd.FillElements(pe, %s, %s, %s)", s, zero, g.section(red))
	} else {
		defined = g.ifDefined(red.Sym)
	}
	if len(tests) > 1 && defined != "" {
		test = "(" + test + ")"
	}
	g.out.p("if %s%s {\n// The PEs along the other grid dimensions computed the same: one of them counts.\n%s\n}", test, defined, leave)
}

// combineTogether emits reductions of scalars that are one message.
func (g *gen) combineTogether(set []*comm.Reduction) {
	var what, terms, names, values []string
	for i, red := range set {
		s := g.scalar(red.Sym)
		what = append(what, fmt.Sprintf("#%d %s", red.ID, red.Name))
		term := fmt.Sprintf("spmd.%sOf(%s)", reduceFunc[red.Name], s)
		if red.Places > 0 {
			term = fmt.Sprintf("spmd.%sAt(%s, %d)", reduceFunc[red.Name], s, red.Ties)
		}
		terms = append(terms, term)
		names = append(names, s)
		values = append(values, fmt.Sprintf("spmd.Reduced(pe, %d, %s)", i, s))
	}
	g.out.p("pe.ReduceAll(%d, %s) // %s over all PEs, together: each PE takes what all others have",
		g.reduceSite(set[0]), strings.Join(terms, ", "), strings.Join(what, ", "))
	g.out.p("%s = %s", strings.Join(names, ", "), strings.Join(values, ", "))
}

// section renders the elements of a replicated array that a reduction combines.
func (g *gen) section(red *comm.Reduction) string {
	axes := make([]string, len(red.Sym.Dims))
	for _, box := range red.Section {
		for d, ax := range box {
			text := g.axis(&comm.Comm{Array: red.Sym}, d, ax)
			if s, ok := g.sections[red]; ok && s.axis == d {
				text = s.text
			}
			switch {
			case axes[d] == "":
				axes[d] = text
			case axes[d] != text:
				axes[d] = fmt.Sprintf("%s.Hull(%s)", axes[d], text)
			}
		}
	}
	return fmt.Sprintf("pe.Box(%s)", strings.Join(axes, ", "))
}
