package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// The loops of a long program that take many lines of Go are functions, phases:
//
//	f, g = func(f, g float64, i int, l int32) (float64, float64) {
//		for block4N, t := dist.Range(1, int(l), 1), 0; t < block4N.N; { // 4 iterations at once
//			...
//		}
//		return f, g
//	}(f, g, i, l)
//
// Of a function with more than 5000 nodes, Go's compiler puts next to nothing in line of what
// it calls: a loop over columns spends a tenth of its time in calls that look up an address. A
// phase gets the scalars that it mentions, and returns those that it changes: scalars that
// functions share would lie in memory.
//
// In a very long program short loops are functions too, if they assign elements alone: the time
// that Go's compiler takes for a function grows faster than its length.

const (
	phaseLines  = 25  // of a loop, from which on it is a phase
	longText    = 350 // lines of a program, from which on it has phases
	longProgram = 200 // loops of a very long one
)

// phases drops what begins and ends phases if the program is not long. Barriers do not count,
// so that all plans have the same phases.
func (g *gen) phases() []line {
	lines := g.out.lines
	if len(lines)-g.barrierLines >= longText {
		return lines
	}
	return slices.DeleteFunc(lines, func(l line) bool { return l.phase })
}

// phase makes the lines from first on, which region r has become, a function if they may be
// one and are worth it.
func (g *gen) phase(r *comm.Region, first int) {
	if g.opt.Check || g.prog.IR.SPMD || !separable(r) || first == len(g.out.lines) {
		return
	}
	n, at := len(g.out.lines)-first, g.out.lines[first].at
	changed := g.changed(r)
	switch {
	case n >= phaseLines:
		params, given, results, types := g.passed(changed, g.out.lines[first:])
		head, returns := fmt.Sprintf("func(%s) {", params), ""
		if results != "" {
			head = fmt.Sprintf("%s = func(%s) (%s) {", results, params, types)
			returns = "return " + results
		}
		g.out.lines = slices.Insert(g.out.lines, first, line{text: head, at: at, phase: true})
		if returns != "" {
			g.out.lines = append(g.out.lines, line{text: returns, at: at, phase: true})
		}
		g.out.lines = append(g.out.lines, line{text: fmt.Sprintf("}(%s)", given), at: at, phase: true})
	case g.loops >= longProgram && len(changed) == 0:
		g.out.lines = slices.Insert(g.out.lines, first, line{text: "pe.Apart(func() {", at: at})
		g.out.p("})")
	}
}

// separable reports whether a region has loops, and nothing but these, assignments and IFs, so
// that it is left at its end alone.
func separable(r *comm.Region) bool {
	if len(r.Picks) > 0 {
		return false // the lists of iterations lie outside
	}
	for _, c := range r.Comms {
		if c.Kind == comm.Irregular {
			return false // its counter lies outside
		}
	}
	loops, ok := false, true
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		switch s.(type) {
		case *ir.Assign, *ir.If:
		case *ir.Do:
			loops = true
		default:
			ok = false
		}
		return ok
	})
	return loops && ok
}

// changed are the scalars that a region gives values that are used behind it, in the order of
// the program's symbols: all that it assigns, but for indices of loops that end with them.
func (g *gen) changed(r *comm.Region) (list []*ir.Symbol) {
	local := map[*ir.Symbol]bool{}
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok {
			if old, known := local[d.Index]; !known || old {
				local[d.Index] = !g.outlives(d)
			}
		}
		return true
	})
	modified := map[*ir.Symbol]bool{}
	for _, s := range r.Stmts {
		for v := range g.prog.Modified(s) {
			modified[v] = !v.IsArray() && !local[v]
		}
	}
	for _, s := range g.prog.IR.Symbols {
		if modified[s] {
			list = append(list, s)
		}
	}
	return list
}

// passed renders what a phase with these lines gets, as parameters and as arguments, and what
// it returns, by names and by types.
func (g *gen) passed(changed []*ir.Symbol, body []line) (params, given, results, types string) {
	words := map[string]bool{}
	identifiers(words, body)
	var list [4][]string
	for _, s := range g.prog.IR.Symbols {
		name, t := g.names.sym(s), goType(s.Type)
		if s.IsArray() || !words[name] || g.bound[s] == 0 && !g.declared[s] {
			continue // of the latter the phase has a variable of its own
		}
		if g.bound[s] > 0 {
			t = "int" // the index of a loop around
		}
		list[0], list[1] = append(list[0], name+" "+t), append(list[1], name)
		if slices.Contains(changed, s) {
			list[2], list[3] = append(list[2], name), append(list[3], t)
		}
	}
	join := func(i int) string { return strings.Join(list[i], ", ") }
	return join(0), join(1), join(2), join(3)
}
