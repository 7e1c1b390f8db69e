package transform_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/transform"
)

// TestRandomPrograms: whatever is not refused leaves the arrays of a random
// program, and what it prints, as they are: each change alone, and several one
// after another.
func TestRandomPrograms(t *testing.T) {
	effort.Checks(t, 300) // of a hundred, a few only have a kind that is rare
	done := map[transform.Kind]int{}
	programs, several := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text := randomProgram(rt)
		p := program(t, text)
		before, failed := run(p)
		if failed != "" {
			rt.Skip(failed)
		}
		programs++
		check := func(q *ir.Program, c *transform.Change) {
			after, failed := run(q)
			d := "the changed program fails: " + failed
			if failed == "" {
				d = differ(p, before, after)
			}
			if d != "" {
				rt.Fatalf("line %d, %s: %s: %s\n%s\n%s", c.Old.Position().Line, c.Kind, c.What, d, front.Numbered(text), statements(t, q))
			}
			if d := shared(p, q); d != "" {
				rt.Fatal(d)
			}
		}
		for _, c := range changes(p) {
			done[c.Kind]++
			check(substitute(p, c), c)
		}
		q := p
		for n := range 5 {
			list := changes(q)
			if len(list) == 0 {
				break
			}
			if n == 1 {
				several++
			}
			c := list[rapid.IntRange(0, len(list)-1).Draw(rt, "change")]
			q = substitute(q, c)
			check(q, c)
		}
	})
	t.Logf("%d programs: %v; several changes in %d", programs, done, several)
	if t.Failed() || testing.Short() { // few programs need not have all
		return
	}
	for _, kind := range transform.Kinds {
		if done[kind] == 0 {
			t.Errorf("no program had something to do for %q", kind)
		}
	}
	if several == 0 {
		t.Error("no program had several changes")
	}
}

// changes are all possible changes of p.
func changes(p *ir.Program) []*transform.Change {
	a := analysis(p)
	var list []*transform.Change
	for _, s := range inside(p.Body) {
		for _, kind := range transform.Kinds {
			if c, err := apply(a, kind, s); err == nil && c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// shared names a node that two programs have in common, or one of them twice:
// facts are keyed by nodes.
func shared(programs ...*ir.Program) string {
	stmts, exprs := map[ir.Stmt]bool{}, map[ir.Expr]bool{}
	text := ""
	for _, p := range programs {
		ir.Walk(p.Body, func(s ir.Stmt) bool {
			if stmts[s] {
				text = fmt.Sprintf("line %d, %s occurs twice", s.Position().Line, ir.StmtString(s))
			}
			stmts[s] = true
			return true
		})
		ir.WalkExprs(p.Body, func(s ir.Stmt, e ir.Expr) bool {
			if exprs[e] {
				text = fmt.Sprintf("line %d, %s: %s occurs twice", s.Position().Line, ir.StmtString(s), ir.ExprString(e))
			}
			exprs[e] = true
			return true
		})
	}
	return text
}
