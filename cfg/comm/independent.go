package comm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// WarnIgnored warns of every INDEPENDENT of the source whose loop is not divided among the
// PEs, wherever the calls of a procedure have put it: the reason is the one that
// explain gives. Where no array is distributed, package mapping warns of that instead.
func (p *Program) WarnIgnored(diags *source.List) {
	if !slices.ContainsFunc(p.IR.Symbols, (*ir.Symbol).Distributed) {
		return
	}
	const change = "remove the directive, or what the reason names; explain FILE comm has the reasons for all loops"
	gathered := map[ir.Stmt]string{} // why, for loops on gathered arrays and those inside
	ir.Walk(p.IR.Body, func(s ir.Stmt) bool {
		d, ok := s.(*ir.Do)
		if ok && d.Gathered != "" {
			ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
				gathered[s] = d.Gathered
				return true
			})
		}
		return true
	})
	seen := map[source.Pos]bool{}
	warn := func(d *ir.Do, why, help string) {
		in := d.Independent
		if in == nil || seen[in.Pos] {
			return
		}
		seen[in.Pos] = true
		if reason := gathered[d]; reason != "" {
			why, help = reason, change
		}
		if arrays := namesOf(in.New, (*ir.Symbol).Distributed); arrays != "" {
			why = "NEW(" + arrays + ") of a distributed array makes no copy of it for each PE; " + why
			help = "remove the directives that map " + arrays + ": each PE then has a copy of its own"
		} else if arrays := namesOf(in.New, func(s *ir.Symbol) bool { return s.IsArray() && !p.Modified(d)[s] }); arrays != "" {
			why = "NEW(" + arrays + ") makes no copies, as that is an argument, or not assigned; " + why
			help = "declare " + arrays + " in the procedure: what is passed as an argument belongs to the caller"
		}
		diags.Warnf(source.NotHonoured, in.Pos, "INDEPENDENT is not made use of, the loop in line %d is not divided: %s", d.Pos.Line, why).WithHelp("%s", help)
	}
	for _, n := range p.nodes() {
		switch n := n.(type) {
		case *Loop:
			warn(n.Do, p.Notes[n.Do], change)
		case *Region:
			if n.Loops() && n.Pipe == nil {
				continue // divided, if not by the loop with the directive, then by one beside it
			}
			ir.Walk(n.Stmts, func(s ir.Stmt) bool {
				d, ok := s.(*ir.Do)
				switch {
				case !ok || d.Independent == nil:
					return true
				case n.Pipe != nil:
					c := n.Pipe.Comms[0]
					warn(d, fmt.Sprintf("it reads %s of earlier iterations (line %d), so that the PEs execute it one after another", ir.ExprString(c.Refs[0]), c.Line), "remove the directive")
				case n.Fallback:
					warn(d, n.Why, change)
				case len(n.Guard) > 0:
					warn(d, "all of it belongs to the same PEs", "distribute the dimension that the loop runs over")
				default:
					warn(d, "it assigns to no distributed array", "distribute what the loop assigns to, or remove the directive")
				}
				return false
			})
		}
	}
}

func namesOf(list []*ir.Symbol, of func(*ir.Symbol) bool) string {
	var names []string
	for _, s := range list {
		if of(s) {
			names = append(names, s.Source())
		}
	}
	return strings.Join(names, ", ")
}

// nodes are all nodes of the SPMD form in the order of the source.
func (p *Program) nodes() []Node { return Within(p.Body...) }
