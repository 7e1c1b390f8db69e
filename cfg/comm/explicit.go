package comm

import "github.com/spmdc/spmdc/ir"

// explicit is the SPMD form of a program with coarrays, which is in that form as
// it stands: every image executes every statement on variables of its own, and
// communicates where the program says so. There is one region for each statement
// of the unit; control flow inside is each image's own.
func explicit(body []ir.Stmt) []Node {
	var list []Node
	for _, s := range body {
		list = append(list, &Region{Stmts: []ir.Stmt{s}})
	}
	return list
}
