package ir

import (
	"math"
	"slices"
	"strings"
)

// Walk visits body in source order, each statement before the statements
// inside it. Where visit returns false the statements inside are skipped.
func Walk(body []Stmt, visit func(Stmt) bool) {
	for _, s := range body {
		if !visit(s) {
			continue
		}
		for _, inner := range Bodies(s) {
			Walk(inner, visit)
		}
	}
}

// HasLoop reports whether there is a loop in body: DO or DO WHILE.
func HasLoop(body []Stmt) bool {
	found := false
	Walk(body, func(s Stmt) bool {
		switch s.(type) {
		case *Do, *While:
			found = true
		}
		return !found
	})
	return found
}

// Checkpoints reports whether the program has a checkpoint.
func (p *Program) Checkpoints() bool {
	found := false
	Walk(p.Body, func(s Stmt) bool {
		_, is := s.(*Checkpoint)
		found = found || is
		return !found
	})
	return found
}

// Bodies returns the statement lists inside s: the body of a loop, the two
// branches of an IF, nothing for other statements.
func Bodies(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *Do:
		return [][]Stmt{s.Body}
	case *While:
		return [][]Stmt{s.Body}
	case *If:
		return [][]Stmt{s.Then, s.Else}
	case *Critical:
		return [][]Stmt{s.Body}
	}
	return nil
}

// ReplaceBodies puts with(list) in the place of each statement list inside s.
func ReplaceBodies(s Stmt, with func([]Stmt) []Stmt) {
	switch s := s.(type) {
	case *Do:
		s.Body = with(s.Body)
	case *While:
		s.Body = with(s.Body)
	case *If:
		s.Then, s.Else = with(s.Then), with(s.Else)
	case *Critical:
		s.Body = with(s.Body)
	}
}

// Jumps reports whether s holds an EXIT or a CYCLE.
func Jumps(s Stmt) bool {
	found := false
	Walk([]Stmt{s}, func(s Stmt) bool {
		switch s.(type) {
		case *Exit, *Cycle:
			found = true
		}
		return !found
	})
	return found
}

// Ungrouped is e without the parentheses around it.
func Ungrouped(e Expr) Expr {
	for {
		u, ok := e.(*Un)
		if !ok || u.Op != Group {
			return e
		}
		e = u.E
	}
}

// Exprs returns the expressions that s itself evaluates, in order of
// evaluation; those of statements inside s are not among them. The target of an
// assignment comes last, the items of a READ are left out: they are written, and
// hold no subscripts.
func Exprs(s Stmt) []Expr {
	switch s := s.(type) {
	case *Assign:
		return []Expr{s.RHS, s.LHS}
	case *Do:
		return []Expr{s.Lo, s.Hi, s.Step}
	case *While:
		return []Expr{s.Cond}
	case *If:
		return []Expr{s.Cond}
	case *Print:
		return append(append(present(s.Unit, s.Format), s.Given...), s.Items...)
	case *Read:
		return append(present(s.From, s.Format, s.Times), s.Given...)
	case *Stop:
		if s.Code != nil {
			return []Expr{s.Code}
		}
	case *Allocate:
		return s.Ends
	case *Transfer:
		return append(append(s.Local.Exprs(), s.Remote.Exprs()...), s.Image)
	case *Sync:
		return append(slices.Clone(s.Images), s.Set.Exprs()...)
	case *Collective:
		list := s.Part.Exprs()
		if s.Part == nil {
			list = []Expr{s.Scalar}
		}
		if s.Image != nil {
			list = append(list, s.Image)
		}
		return list
	}
	return nil
}

// present are those of list that are not nil.
func present(list ...Expr) []Expr {
	return slices.DeleteFunc(list, func(e Expr) bool { return e == nil })
}

// Internal reports whether s reads from a string.
func (s *Read) Internal() bool { return s.From != nil && s.From.Type() == Character }

// IsNamelist reports whether format is that of a NAMELIST group.
func IsNamelist(format Expr) bool {
	c, ok := format.(*Const)
	return ok && strings.HasPrefix(c.Str, "&")
}

// IsNamelist reports whether s reads a NAMELIST group.
func (s *Read) IsNamelist() bool { return IsNamelist(s.Format) }

// Asks reports whether the program calls one of the intrinsic subroutines.
func (p *Program) Asks(names ...string) (found bool) {
	Walk(p.Body, func(s Stmt) bool {
		if r, ok := s.(*Read); ok && r.What != "" {
			name, _, _ := strings.Cut(r.What, " ")
			found = found || slices.Contains(names, name)
		}
		return !found
	})
	return found
}

// Assigned lists the scalars and arrays that s itself changes, statements inside s
// aside.
func Assigned(s Stmt) []*Symbol {
	switch s := s.(type) {
	case *Assign:
		return []*Symbol{Target(s.LHS)}
	case *Do:
		return []*Symbol{s.Index}
	case *Read:
		var list []*Symbol
		for _, v := range s.Items {
			list = append(list, v.Sym)
		}
		for _, got := range s.Got {
			if got != nil {
				list = append(list, got)
			}
		}
		if s.Iostat != nil {
			list = append(list, s.Iostat)
		}
		return append(append(list, s.Vectors...), s.GotVectors...)
	case *Allocate:
		return []*Symbol{s.Sym}
	case *Transfer:
		return []*Symbol{s.Target()}
	case *Collective:
		return []*Symbol{s.Target()}
	}
	return nil
}

// Children returns the operands of e in order of evaluation.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Ref:
		return e.Subs
	case *CoRef:
		return append(slices.Clone(e.Subs), e.Image)
	case *Substr:
		return []Expr{e.Base, e.Lo, e.Hi}
	case *Bin:
		return []Expr{e.L, e.R}
	case *Un:
		return []Expr{e.E}
	case *Conv:
		return []Expr{e.E}
	case *Call:
		return e.Args
	case *ImpliedDo:
		return append([]Expr{e.Lo, e.Hi, e.Step}, e.Items...)
	}
	return nil
}

// WalkExpr visits e and its operands, each node before its operands. Where
// visit returns false the operands are skipped.
func WalkExpr(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, c := range Children(e) {
		WalkExpr(c, visit)
	}
}

// WalkExprs visits every expression node of body, statements inside
// statements included, together with the statement that evaluates it.
func WalkExprs(body []Stmt, visit func(Stmt, Expr) bool) {
	Walk(body, func(s Stmt) bool {
		for _, e := range Exprs(s) {
			WalkExpr(e, func(e Expr) bool { return visit(s, e) })
		}
		return true
	})
}

// Refs returns the array elements that s itself mentions, reads before the
// element that it assigns; those of statements inside s are not among them.
// An element in a subscript comes after the element whose subscript it is.
func Refs(s Stmt) []*Ref {
	var refs []*Ref
	for _, e := range Exprs(s) {
		refs = append(refs, ExprRefs(e)...)
	}
	return refs
}

// ExprRefs returns the array elements in e.
func ExprRefs(e Expr) []*Ref {
	var refs []*Ref
	WalkExpr(e, func(e Expr) bool {
		if r, ok := e.(*Ref); ok {
			refs = append(refs, r)
		}
		return true
	})
	return refs
}

// Mentions reports whether e uses the variable or array sym. The index of an
// implied DO hides a variable of the same name in the items.
func Mentions(e Expr, sym *Symbol) bool {
	switch e := e.(type) {
	case *Var:
		return e.Sym == sym
	case *Ref:
		if e.Sym == sym {
			return true
		}
	case *CoRef:
		if e.Sym == sym {
			return true
		}
	case *ImpliedDo:
		if e.Index == sym {
			return Mentions(e.Lo, sym) || Mentions(e.Hi, sym) || Mentions(e.Step, sym)
		}
	}
	for _, c := range Children(e) {
		if Mentions(c, sym) {
			return true
		}
	}
	return false
}

// Target returns the symbol that an assignment to lhs changes.
func Target(lhs Expr) *Symbol {
	switch lhs := lhs.(type) {
	case *Var:
		return lhs.Sym
	case *Ref:
		return lhs.Sym
	case *CoRef:
		return lhs.Sym
	case *Substr:
		return Target(lhs.Base)
	}
	return nil
}

// sameBits tells 0.0 from -0.0.
func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// Same reports whether a and b are the same expression, position aside, so
// that they have equal values where no variable changes in between.
func Same(a, b Expr) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a := a.(type) {
	case *Const:
		b, ok := b.(*Const)
		return ok && a.Int == b.Int && sameBits(a.Float, b.Float) && sameBits(a.Imag, b.Imag) && a.Bool == b.Bool && a.Str == b.Str
	case *Var:
		b, ok := b.(*Var)
		return ok && a.Sym == b.Sym
	case *Ref:
		b, ok := b.(*Ref)
		return ok && a.Sym == b.Sym && sameList(a.Subs, b.Subs)
	case *CoRef:
		b, ok := b.(*CoRef)
		return ok && a.Sym == b.Sym && sameList(a.Subs, b.Subs) && Same(a.Image, b.Image)
	case *Substr:
		b, ok := b.(*Substr)
		return ok && Same(a.Base, b.Base) && Same(a.Lo, b.Lo) && Same(a.Hi, b.Hi)
	case *Bin:
		b, ok := b.(*Bin)
		return ok && a.Op == b.Op && Same(a.L, b.L) && Same(a.R, b.R)
	case *Un:
		b, ok := b.(*Un)
		return ok && a.Op == b.Op && Same(a.E, b.E)
	case *Conv:
		b, ok := b.(*Conv)
		return ok && Same(a.E, b.E)
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Name == b.Name && a.Resident == b.Resident && sameList(a.Args, b.Args)
	}
	return false
}

func sameList(a, b []Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Clone copies e, so that the copy has nodes of its own.
func Clone(e Expr) Expr { return Rewrite(e, func(Expr) Expr { return nil }) }

// Rewrite copies e with what with returns, unless it is nil, in place of parts of it.
func Rewrite(e Expr, with func(Expr) Expr) Expr {
	if x := with(e); x != nil {
		return x
	}
	return Rebuild(e, func(x Expr) Expr { return Rewrite(x, with) })
}

// Rebuild copies e with what part makes of each of its operands in their places.
func Rebuild(e Expr, part func(Expr) Expr) Expr {
	parts := func(list []Expr) []Expr {
		out := make([]Expr, len(list))
		for i, e := range list {
			out[i] = part(e)
		}
		return out
	}
	switch e := e.(type) {
	case *Const:
		c := *e
		return &c
	case *Var:
		c := *e
		return &c
	case *Ref:
		return &Ref{X: e.X, Sym: e.Sym, Subs: parts(e.Subs)}
	case *CoRef:
		return &CoRef{X: e.X, Sym: e.Sym, Subs: parts(e.Subs), Image: part(e.Image)}
	case *Substr:
		return &Substr{X: e.X, Base: part(e.Base), Lo: part(e.Lo), Hi: part(e.Hi)}
	case *Bin:
		return &Bin{X: e.X, Op: e.Op, L: part(e.L), R: part(e.R)}
	case *Un:
		return &Un{X: e.X, Op: e.Op, E: part(e.E)}
	case *Conv:
		return &Conv{X: e.X, E: part(e.E)}
	case *Call:
		return &Call{X: e.X, Name: e.Name, Args: parts(e.Args), Resident: e.Resident}
	case *ImpliedDo:
		return &ImpliedDo{X: e.X, Items: parts(e.Items), Index: e.Index, Lo: part(e.Lo), Hi: part(e.Hi), Step: part(e.Step)}
	}
	return e
}

// fileWords are the statements on files.
var fileWords = []string{"open", "close", "inquire", "rewind", "backspace", "endfile", "flush"}

// Files reports whether the program uses units that are connected to files, or may do so.
func (p *Program) Files() (found bool) {
	Walk(p.Body, func(s Stmt) bool {
		switch s := s.(type) {
		case *Print:
			c, isConst := s.Unit.(*Const)
			found = found || s.Unit != nil && (!isConst || c.Int != 0) || s.Unformatted
		case *Read:
			found = found || s.What == "" && s.From != nil && !s.Internal() || s.Unformatted
		}
		return !found
	})
	return found || p.Asks(fileWords...)
}

// Reads reports whether the program reads standard input.
func (p *Program) Reads() (found bool) {
	Walk(p.Body, func(s Stmt) bool {
		if r, ok := s.(*Read); ok && !r.Internal() && r.What == "" {
			found = true
		}
		return !found
	})
	return found
}

// MarkVarying marks the expressions in body that read a distributed array as varying, and
// no others.
func MarkVarying(body []Stmt) {
	var visit func(e Expr) bool
	visit = func(e Expr) bool {
		v := false
		if r, ok := e.(*Ref); ok {
			v = r.Sym.Distributed()
		}
		for _, c := range Children(e) {
			v = visit(c) || v
		}
		e.MarkVarying(v)
		return v
	}
	Walk(body, func(s Stmt) bool {
		for _, e := range Exprs(s) {
			visit(e)
		}
		return true
	})
}
