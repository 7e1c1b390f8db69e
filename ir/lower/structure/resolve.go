package structure

import (
	"maps"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
)

// fall are the nodes to which control falls at the end of a list.
type fall map[*node]bool

// scope is a block or loop around the statement in hand.
type scope struct {
	stmt  ast.Stmt
	next  fall // of a loop: where REPEAT goes
	exit  fall // where LEAVE goes
	used  *bool
	moved map[*node]*node // of a loop that is a region: its jumps out, as the graph around has them
}

func (f fall) with(n *node) fall {
	g := maps.Clone(f)
	if g == nil {
		g = fall{}
	}
	g[n] = true
	return g
}

// resolve writes the jumps of a list, at whose end control falls to the nodes at, and
// removes the blocks that nothing leaves.
func (e *emitter) resolve(list []ast.Stmt, at fall) []ast.Stmt {
	var out []ast.Stmt
	for i, s := range list {
		after := fall{}
		if rest := list[i+1:]; len(rest) == 0 {
			after = at
		} else if j, ok := rest[0].(*jump); ok {
			to := e.goal(j.to)
			if at[to] {
				after = at
			}
			after = after.with(to)
		}
		switch s := s.(type) {
		case *jump:
			out = append(out, e.jump(s, at)...)
		case *Block:
			used := false
			e.around = append(e.around, scope{stmt: s, exit: fall{s.to: true}, used: &used})
			s.Body = e.resolve(s.Body, after.with(s.to))
			e.around = e.around[:len(e.around)-1]
			if used {
				out = append(out, s)
			} else {
				out = append(out, s.Body...)
			}
		case *Loop:
			e.around = append(e.around, scope{stmt: s, next: fall{s.header: true}, exit: after})
			s.Body = e.resolve(s.Body, fall{s.header: true})
			e.around = e.around[:len(e.around)-1]
			s.condition()
			out = append(out, s)
		case *ast.If:
			out = append(out, e.ifs(s, after)...)
		case *ast.Select:
			for k := range s.Cases {
				s.Cases[k].Body = e.resolve(s.Cases[k].Body, after)
			}
			out = append(out, s)
		default:
			e.inner(s, after)
			out = append(out, s)
		}
	}
	return out
}

// inner writes the body of s if that is a region.
func (e *emitter) inner(s ast.Stmt, after fall) {
	n := e.regionOf[s]
	if n == nil {
		return
	}
	r := n.loop
	sc := scope{stmt: s, next: fall{}, exit: after, moved: map[*node]*node{}}
	for i, to := range n.escape {
		sc.moved[to] = n.succ[1+i]
	}
	body := e.region(r)
	at := fall{r.end: true}
	switch s.(type) {
	case *ast.Do, *ast.DoWhile:
		sc.next = at
	case *ast.Forall:
		sc.exit = nil
	default: // it is executed once
		sc.exit, at = nil, after.with(r.end)
	}
	e.around = append(e.around, sc)
	*ast.Bodies(s)[0] = e.resolve(body, at)
	e.around = e.around[:len(e.around)-1]
}

// goal is what the jump to n from the place in hand goes to: the graphs around may have put
// another node in front of it, or left it out.
func (e *emitter) goal(n *node) *node {
	for i := len(e.around) - 1; i >= 0; i-- {
		if m := e.around[i].moved[n]; m != nil {
			n = m
		}
	}
	return n
}

// jump writes a jump at a place from where control falls to the nodes at.
func (e *emitter) jump(j *jump, at fall) []ast.Stmt {
	to := e.goal(j.to)
	if at[to] {
		return nil
	}
	for i := len(e.around) - 1; i >= 0; i-- {
		switch sc := e.around[i]; {
		case sc.exit[to]:
			if sc.used != nil {
				*sc.used = true
			}
			return []ast.Stmt{&Leave{j.Base, sc.stmt}}
		case sc.next[to]:
			return []ast.Stmt{&Repeat{j.Base, sc.stmt}}
		}
	}
	panic("structure: a jump to a node that is not around")
}

// ifs writes an IF that a node ends with, or one of the source. What a branch leaves out stands
// behind the IF and not in its ELSE.
func (e *emitter) ifs(s *ast.If, after fall) []ast.Stmt {
	if !e.made[s] {
		return []ast.Stmt{s}
	}
	then, other := e.resolve(s.Arms[0].Body, after), e.resolve(s.Else, after)
	switch {
	case len(then) == 0 && len(other) == 0:
		if plain(s.Arms[0].Cond) {
			return nil
		}
	case len(then) == 0:
		s.Arms[0].Cond = not(s.Arms[0].Cond)
		then, other = other, nil
	}
	s.Arms[0].Body = then
	s.Else, s.HasElse = nil, false
	if leaves(then) {
		return append([]ast.Stmt{s}, other...)
	}
	if leaves(other) {
		s.Arms[0].Cond, s.Arms[0].Body = not(s.Arms[0].Cond), other
		return append([]ast.Stmt{s}, then...)
	}
	s.Else, s.HasElse = other, len(other) > 0
	return []ast.Stmt{s}
}

// leaves reports whether list consists of a jump.
func leaves(list []ast.Stmt) bool {
	if len(list) != 1 {
		return false
	}
	switch list[0].(type) {
	case *Leave, *Repeat:
		return true
	}
	return false
}

// plain reports whether evaluating x has no effect.
func plain(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.IntLit, *ast.RealLit, *ast.LogicalLit, *ast.StringLit:
		return true
	case *ast.Unary:
		return plain(x.X)
	case *ast.Paren:
		return plain(x.X)
	case *ast.Binary:
		return plain(x.X) && plain(x.Y)
	}
	return false
}

// opposite are the comparisons that hold where others do not, unless there is a NaN.
var opposite = map[string]string{"==": "/=", "/=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

func not(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.Paren:
		return not(x.X)
	case *ast.Unary:
		if x.Op == ".not." {
			return x.X
		}
	case *ast.Binary:
		id, _ := x.X.(*ast.Ident)
		status := id != nil && strings.HasPrefix(id.Name, "status%")
		if op := opposite[x.Op]; op != "" && (status || op == "==" || op == "/=") {
			y := *x
			y.Op = op
			return &y
		}
	}
	base := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	return &ast.Unary{XBase: base, Op: ".not.", X: &ast.Paren{XBase: base, X: x}}
}

// condition takes the test at the beginning of a loop, where it has one, as its condition.
func (l *Loop) condition() {
	if len(l.Body) == 0 {
		return
	}
	test, ok := l.Body[0].(*ast.If)
	if !ok || test.Where || len(test.Arms) != 1 {
		return
	}
	leave := func(list []ast.Stmt) bool {
		if len(list) != 1 {
			return false
		}
		s, ok := list[0].(*Leave)
		return ok && s.Of == ast.Stmt(l)
	}
	if leave(test.Arms[0].Body) {
		l.Cond = not(test.Arms[0].Cond)
		l.Body = append(test.Else, l.Body[1:]...)
	}
}
