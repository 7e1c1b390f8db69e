// Package structure gives the statements of a unit that jump (GO TO in its forms,
// arithmetic IF, END= and ERR=, alternate returns, EXIT from an IF) the structure of
// blocks, loops and IFs, which is all that later passes know.
//
// From
//
//	   i = 1
//	10 if (i > n) go to 20
//	   s = s + f(i)
//	   i = i + 1
//	   go to 10
//	20 continue
//
// comes a loop with its condition in front:
//
//	i = 1
//	Loop while (.not. (i > n))
//	   s = s + f(i)
//	   i = i + 1
//
// The statements become a graph (graph.go), which is made reducible (reducible.go) and
// written in the order of its dominator tree (emit.go), as in N. Ramsey, "Beyond Relooper:
// recursive translation of unstructured control flow to structured control flow", ICFP
// 2022: a node with several ways to it stands behind a block that jumps leave, one with ways
// back to it begins a loop. Beyond that paper, what is not in a loop is put behind it and not
// into it, and a jump becomes EXIT or CYCLE of a loop of the source where that leads to the
// same place (resolve.go). A DO loop stays as it is: its body is a graph of its own, with jumps
// out of it, and only a loop into which something jumps is taken apart.
//
// Statements without jumps are not touched.
package structure

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// What structured statements consist of beside those of package ast.
type (
	// Block is a list that a Leave may leave.
	Block struct {
		ast.Base
		Body []ast.Stmt
		to   *node
	}
	// Loop repeats Body while Cond holds, nil for always.
	Loop struct {
		ast.Base
		Cond   ast.Expr
		Body   []ast.Stmt
		header *node
		// Entries is how many places of the source lead into the loop from outside; where
		// it is more than one, a variable says at the head of the loop which place is next.
		Entries int
	}
	// Leave goes behind Of, which is a *Block or a loop: *Loop, *ast.Do or *ast.DoWhile.
	Leave struct {
		ast.Base
		Of ast.Stmt
	}
	// Repeat goes on with the next iteration of the loop Of.
	Repeat struct {
		ast.Base
		Of ast.Stmt
	}
	// Let gives a variable that the source does not have a value. The first one makes the
	// variable, with the type of the value.
	Let struct {
		ast.Base
		Name string
		X    ast.Expr
	}
	// jump is a way to a node, until it is known how to write it.
	jump struct {
		ast.Base
		to *node
	}
)

// Report takes an error; its result takes help and notes.
type Report func(code source.Code, pos source.Pos, format string, args ...any) *source.Diag

// Unit returns the statements of u without jumps. Errors, as of labels that are missing, go
// to report.
func Unit(u *ast.Program, report Report) []ast.Stmt {
	return list(u.Body, u.Formats, report)
}

func list(body []ast.Stmt, formats []*ast.Format, report Report) []ast.Stmt {
	s := survey(body)
	if len(s.jumps) == 0 {
		return body
	}
	if !s.check(formats, report) {
		return nil
	}
	b := &builder{surveyed: s, regions: map[ast.Stmt]*region{}, regionOf: map[ast.Stmt]*node{}, made: map[*ast.If]bool{},
		next: map[ast.Stmt]*node{}, behind: map[ast.Stmt]*node{}}
	top := b.region(nil, body)
	e := &emitter{builder: b}
	out := e.region(top)
	return e.resolve(out, fall{top.end: true})
}
