package ir

import "slices"

// Copy returns a copy of body.
func Copy(body []Stmt) []Stmt { return NewCopier().Block(body) }

// Copier copies statements. Jumps to loops that it has copied go to the copies,
// others stay as they are.
type Copier struct {
	Loops map[Stmt]Stmt   // the copy of each loop that was copied
	With  map[Stmt][]Stmt // copied in place of a statement
	Expr  func(Expr) Expr // copies expressions; nil: Clone
}

// NewCopier returns one that has copied nothing yet.
func NewCopier() *Copier {
	return &Copier{Loops: map[Stmt]Stmt{}, With: map[Stmt][]Stmt{}}
}

// Block copies statements.
func (c *Copier) Block(body []Stmt) []Stmt {
	var out []Stmt
	for _, s := range body {
		if with, ok := c.With[s]; ok {
			out = append(out, c.Block(with)...)
			continue
		}
		out = append(out, c.Stmt(s))
	}
	return out
}

// Stmt copies a statement with what is inside.
func (c *Copier) Stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Do:
		return c.Do(s, c.Block)
	case *While:
		n := &While{S: s.S, Name: s.Name, Cond: c.expr(s.Cond), End: s.End}
		c.Loops[s] = n
		n.Body = c.Block(s.Body)
		return n
	case *If:
		return &If{S: s.S, Cond: c.expr(s.Cond), Then: c.Block(s.Then), Else: c.Block(s.Else)}
	case *Exit:
		return &Exit{S: s.S, Loop: c.Target(s.Loop)}
	case *Cycle:
		return &Cycle{S: s.S, Loop: c.Target(s.Loop)}
	}
	return c.simple(s)
}

// Do copies a loop; body makes the copy of its body.
func (c *Copier) Do(s *Do, body func([]Stmt) []Stmt) *Do {
	n := &Do{S: s.S, Name: s.Name, Index: s.Index, Lo: c.expr(s.Lo), Hi: c.expr(s.Hi), Step: c.expr(s.Step), Independent: s.Independent, Gathered: s.Gathered, End: s.End}
	c.Loops[s] = n
	n.Body = body(s.Body)
	return n
}

// Target is the loop that a jump to loop goes to in the copy.
func (c *Copier) Target(loop Stmt) Stmt {
	if n, ok := c.Loops[loop]; ok {
		return n
	}
	return loop
}

func (c *Copier) expr(e Expr) Expr {
	if c.Expr == nil {
		return Clone(e)
	}
	return c.Expr(e)
}

// simple copies a statement that is no control flow.
func (c *Copier) simple(s Stmt) Stmt {
	switch s := s.(type) {
	case *Assign:
		return &Assign{S: s.S, LHS: c.expr(s.LHS), RHS: c.expr(s.RHS), Step: s.Step}
	case *Print:
		n := *s
		n.Unit, n.Format, n.Items = c.expr(s.Unit), c.expr(s.Format), c.exprs(s.Items)
		n.Given = c.exprs(s.Given)
		return &n
	case *Read:
		n := *s
		n.Format, n.Given, n.Got, n.Items = c.expr(s.Format), c.exprs(s.Given), slices.Clone(s.Got), nil
		if s.From != nil {
			n.From = c.expr(s.From)
		}
		if s.Times != nil {
			n.Times = c.expr(s.Times)
		}
		for _, v := range s.Items {
			n.Items = append(n.Items, c.expr(v).(*Var))
		}
		return &n
	case *Stop:
		n := &Stop{S: s.S, Error: s.Error, Quiet: s.Quiet}
		if s.Code != nil {
			n.Code = c.expr(s.Code)
		}
		return n
	case *Allocate:
		return &Allocate{S: s.S, Sym: s.Sym, Free: s.Free, Keep: s.Keep, Ends: c.exprs(s.Ends), Followers: s.Followers}
	case *Remap:
		return &Remap{S: s.S, Directive: s.Directive}
	case *Checkpoint:
		return &Checkpoint{S: s.S}
	}
	panic("ir: a statement of unknown kind")
}

func (c *Copier) exprs(list []Expr) []Expr {
	var out []Expr
	for _, e := range list {
		out = append(out, c.expr(e))
	}
	return out
}
