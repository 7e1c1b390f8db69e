package choose

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// Check proves that the chosen program is well formed: no statement and no
// expression occurs twice, and EXIT and CYCLE name a loop around them.
func (r *Result) Check() error {
	c := &checker{stmts: map[ir.Stmt]bool{}, exprs: map[ir.Expr]bool{}}
	c.block(r.IR.Body, nil)
	return c.err
}

type checker struct {
	stmts map[ir.Stmt]bool
	exprs map[ir.Expr]bool
	err   error
}

func (c *checker) fail(at ir.Stmt, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("line %d, %s: %s", at.Position().Line, ir.StmtString(at), fmt.Sprintf(format, args...))
	}
}

func (c *checker) block(body []ir.Stmt, loops []ir.Stmt) {
	for _, s := range body {
		if c.stmts[s] {
			c.fail(s, "the statement occurs twice")
		}
		c.stmts[s] = true
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				if c.exprs[e] {
					c.fail(s, "the expression %s occurs twice", ir.ExprString(e))
				}
				c.exprs[e] = true
				return true
			})
		}
		inner := loops
		switch s := s.(type) {
		case *ir.Do, *ir.While:
			inner = append(loops[:len(loops):len(loops)], s)
		case *ir.Exit:
			c.jump(s, s.Loop, loops)
		case *ir.Cycle:
			c.jump(s, s.Loop, loops)
		}
		for _, b := range ir.Bodies(s) {
			c.block(b, inner)
		}
	}
}

func (c *checker) jump(s, loop ir.Stmt, loops []ir.Stmt) {
	for _, l := range loops {
		if l == loop {
			return
		}
	}
	c.fail(s, "its loop is not around it")
}
