package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// independent resolves the names of an INDEPENDENT directive.
func (l *lowerer) independent(d *ast.Independent) *ir.Independent {
	out := &ir.Independent{Pos: d.Pos}
	for _, n := range d.New {
		if s := l.symbol(n.Name, n.Pos); s.Type != ir.Invalid && !s.Param {
			out.New = append(out.New, s)
		}
	}
	for _, n := range d.Reduction {
		s := l.symbol(n.Name, n.Pos)
		switch {
		case s.Type == ir.Invalid || s.Param:
		case slices.Contains(out.New, s):
			l.errorf(codeDirective, n.Pos, "%s stands in NEW and in REDUCTION: a value of each iteration is no sum over them", n.Name).
				WithHelp("remove it from one of them")
		default:
			out.Reduction = append(out.Reduction, s)
		}
	}
	return out
}

// nestList is an INDEPENDENT with a list of loops, "INDEPENDENT (j, i)", while the
// nest is lowered that it is about.
type nestList struct {
	directive *ast.Independent
	found     []string // the loops of the list that are there
}

// beginNest begins the nest of an INDEPENDENT with a list of loops. The function
// that it returns ends it, and reports loops that are not there.
func (l *lowerer) beginNest(d *ast.Independent) (end func()) {
	outer := l.listed
	list := &nestList{directive: d}
	l.listed = list
	return func() {
		l.listed = outer
		for _, n := range d.Loops {
			if !slices.Contains(list.found, n.Name) {
				l.diags.Warnf(source.BadDirective, n.Pos, "the nest behind INDEPENDENT has no loop over %s", n.Name).
					WithHelp("in parentheses behind INDEPENDENT stand variables of the loops that follow")
			}
		}
	}
}

// listedIn is the directive of the loop over a variable that the list of its nest
// names, or nil. What is NEW is so in each of the loops; a reduction is one of the
// outermost.
func (l *lowerer) listedIn(variable string) *ast.Independent {
	list := l.listed
	if list == nil || !slices.ContainsFunc(list.directive.Loops, func(n ast.Name) bool { return n.Name == variable }) {
		return nil
	}
	d := &ast.Independent{Base: list.directive.Base}
	for _, n := range list.directive.New {
		if n.Name != variable {
			d.New = append(d.New, n)
		}
	}
	if len(list.found) == 0 {
		d.Reduction = list.directive.Reduction
	}
	if list.found = append(list.found, variable); len(list.found) == len(list.directive.Loops) {
		d.On = list.directive.On // of an iteration of all loops
	}
	return d
}
