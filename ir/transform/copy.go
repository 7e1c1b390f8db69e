package transform

import (
	"github.com/spmdc/spmdc/ir"
)

// Substitute returns a copy of body in which New of each change stands in place
// of its Old, wherever that is in body; none of the changes is to a statement
// inside that of another. EXIT and CYCLE name the loops of the copy. Of says which loop of
// body, or of a New, each loop of the copy is a copy of.
func Substitute(body []ir.Stmt, changes ...*Change) (out []ir.Stmt, of map[ir.Stmt]ir.Stmt) {
	cp := ir.NewCopier()
	for _, c := range changes {
		cp.With[c.Old] = c.New
	}
	out = cp.Block(body)
	of = make(map[ir.Stmt]ir.Stmt, len(cp.Loops))
	for from, to := range cp.Loops {
		of[to] = from
	}
	return out, of
}

// Size is the number of statements in body, those inside statements included.
func Size(body []ir.Stmt) int {
	n := 0
	ir.Walk(body, func(ir.Stmt) bool { n++; return true })
	return n
}
