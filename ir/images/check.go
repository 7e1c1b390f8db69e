package images

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// check reports what s itself does with distributed arrays that cannot be the same
// on all images.
func (w *walker) check(s ir.Stmt, st state, c control) {
	a := mentionsMapped(s)
	if a == nil {
		return
	}
	report := func(pos source.Pos, format string, args ...any) *source.Diag {
		return w.diags.Errorf(source.OutsideSubset, pos, format, args...).
			WithNote(a.Pos, "%s is distributed by a directive", a.Source())
	}
	if w.reported[reason{a.Source(), source.Pos{}}] {
		return // its bounds are wrong
	}
	if c.apart {
		if !w.first(a, c.why) {
			return
		}
		report(s.Position(), "not all images come to this use of %s, or not equally often", a.Source()).
			WithNote(c.why, "here the images part").
			WithHelp("move it to where all images come; every image computes all of a distributed array")
		return
	}
	switch s := s.(type) {
	case *ir.Assign:
		w.checkAssign(s, a, st, report)
	case *ir.Do, *ir.While, *ir.If:
		if anyValue(ir.Exprs(s), st) {
			report(s.Position(), "%s stands here beside a value that differs among images", a.Source()).
				WithHelp("assign the element of %s to a variable first", a.Source())
		}
	default:
		report(s.Position(), "%s cannot stand in this statement in a program with coarrays", a.Source()).
			WithHelp("assign what is needed of %s to a variable, or to an array without directives", a.Source())
	}
}

// reason is why uses of an array are reported: where the images part, or, without a place, its
// allocation.
type reason struct {
	array string
	why   source.Pos
}

// first reports whether nothing has been reported of the array for this reason.
func (w *walker) first(a *ir.Symbol, why source.Pos) bool {
	r := reason{a.Source(), why}
	if w.reported[r] {
		return false
	}
	w.reported[r] = true
	return true
}

func (w *walker) checkAssign(s *ir.Assign, a *ir.Symbol, st state, report func(source.Pos, string, ...any) *source.Diag) {
	to := ir.Target(s.LHS)
	switch {
	case isCoRef(s.LHS):
		report(s.Pos, "%s cannot be sent to another image as it is", a.Source()).
			WithHelp("assign the element of %s to a variable, and send that", a.Source())
	case !anyValue(operands(s), st):
	case to.Distributed():
		report(s.Pos, "the value for %s, or which of its elements gets it, differs among images", to.Source()).
			WithHelp("compute it from what is the same on all images, such as the result of co_sum or co_broadcast")
	default:
		report(s.Pos, "%s stands here beside a value that differs among images", a.Source()).
			WithHelp("assign the element of %s to a variable in a statement of its own; a sum over %s begins with what is the same on all images", a.Source(), a.Source())
	}
}

func isCoRef(e ir.Expr) bool { _, ok := e.(*ir.CoRef); return ok }
