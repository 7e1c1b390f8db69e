package transform

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// Substitute returns a copy of body in which New of each change stands in place
// of its Old, wherever that is in body; none of the changes is to a statement
// inside that of another. EXIT and CYCLE name the loops of the copy. Of says which loop of
// body, or of a New, each loop of the copy is a copy of.
func Substitute(body []ir.Stmt, changes ...*Change) (out []ir.Stmt, of map[ir.Stmt]ir.Stmt) {
	cp := newCopier()
	for _, c := range changes {
		cp.with[c.Old] = c.New
	}
	out = cp.block(body)
	of = make(map[ir.Stmt]ir.Stmt, len(cp.loops))
	for from, to := range cp.loops {
		of[to] = from
	}
	return out, of
}

// Copy returns a copy of body.
func Copy(body []ir.Stmt) []ir.Stmt { return newCopier().block(body) }

// copier copies statements. Jumps to loops that it has copied go to the copies,
// others stay as they are.
type copier struct {
	loops map[ir.Stmt]ir.Stmt
	with  map[ir.Stmt][]ir.Stmt // copied in place of a statement
}

func newCopier() *copier {
	return &copier{loops: map[ir.Stmt]ir.Stmt{}, with: map[ir.Stmt][]ir.Stmt{}}
}

func (c *copier) block(body []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range body {
		if with, ok := c.with[s]; ok {
			out = append(out, c.block(with)...)
			continue
		}
		out = append(out, c.stmt(s))
	}
	return out
}

func (c *copier) stmt(s ir.Stmt) ir.Stmt {
	switch s := s.(type) {
	case *ir.Do:
		return c.do(s, c.block)
	case *ir.While:
		n := &ir.While{S: s.S, Name: s.Name, Cond: ir.Clone(s.Cond), End: s.End}
		c.loops[s] = n
		n.Body = c.block(s.Body)
		return n
	case *ir.If:
		return &ir.If{S: s.S, Cond: ir.Clone(s.Cond), Then: c.block(s.Then), Else: c.block(s.Else)}
	case *ir.Exit:
		return &ir.Exit{S: s.S, Loop: c.target(s.Loop)}
	case *ir.Cycle:
		return &ir.Cycle{S: s.S, Loop: c.target(s.Loop)}
	}
	return simple(s)
}

// do copies a loop; body makes the copy of its body.
func (c *copier) do(s *ir.Do, body func([]ir.Stmt) []ir.Stmt) *ir.Do {
	n := &ir.Do{S: s.S, Name: s.Name, Index: s.Index, Lo: ir.Clone(s.Lo), Hi: ir.Clone(s.Hi), Step: ir.Clone(s.Step), Independent: s.Independent, Gathered: s.Gathered, End: s.End}
	c.loops[s] = n
	n.Body = body(s.Body)
	return n
}

func (c *copier) target(loop ir.Stmt) ir.Stmt {
	if n, ok := c.loops[loop]; ok {
		return n
	}
	return loop
}

// simple copies a statement that is no control flow.
func simple(s ir.Stmt) ir.Stmt {
	switch s := s.(type) {
	case *ir.Assign:
		return &ir.Assign{S: s.S, LHS: ir.Clone(s.LHS), RHS: ir.Clone(s.RHS)}
	case *ir.Print:
		n := *s
		n.Unit, n.Format, n.Items = ir.Clone(s.Unit), ir.Clone(s.Format), cloneAll(s.Items)
		n.Given = cloneAll(s.Given)
		return &n
	case *ir.Read:
		n := *s
		n.Format, n.Given, n.Got, n.Items = ir.Clone(s.Format), cloneAll(s.Given), slices.Clone(s.Got), nil
		if s.From != nil {
			n.From = ir.Clone(s.From)
		}
		for _, v := range s.Items {
			n.Items = append(n.Items, ir.Clone(v).(*ir.Var))
		}
		return &n
	case *ir.Stop:
		n := &ir.Stop{S: s.S, Error: s.Error, Quiet: s.Quiet}
		if s.Code != nil {
			n.Code = ir.Clone(s.Code)
		}
		return n
	case *ir.Allocate:
		return &ir.Allocate{S: s.S, Sym: s.Sym, Free: s.Free, Ends: cloneAll(s.Ends)}
	case *ir.Checkpoint:
		return &ir.Checkpoint{S: s.S}
	}
	panic("transform: a statement of unknown kind")
}

func cloneAll(list []ir.Expr) []ir.Expr {
	var out []ir.Expr
	for _, e := range list {
		out = append(out, ir.Clone(e))
	}
	return out
}

// Size is the number of statements in body, those inside statements included.
func Size(body []ir.Stmt) int {
	n := 0
	ir.Walk(body, func(ir.Stmt) bool { n++; return true })
	return n
}
