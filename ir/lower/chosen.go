package lower

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// Where DIM or BACK of a function is not known before run time, an IF chooses between the calls with each
// value that it may have. What is returned goes to an array with room for all of them:
//
//	sum(a, dim=k)     if (k == 1) then;  t(1:size(a,2)) = sum(a, dim=1)
//	                  else if (k == 2) then;  t(1:size(a,1)) = sum(a, dim=2)
//	                  else error stop
//
// All other arguments are evaluated once, in front.

// choice is a call of a function, of which an argument is a choice.
type choice struct {
	l     *lowerer
	e     *ast.Index
	args  map[string]ast.Expr // by name
	names []string            // in order
	which string              // DIM or BACK
	rank  int                 // of the first argument
	value ir.Expr             // of the choice
	pre   *[]ir.Stmt
}

// chosen lowers the call e, if an argument that is a constant elsewhere is none here (found): to
// an array, or to a value; to neither after an error.
func (l *lowerer) chosen(e *ast.Index, pre *[]ir.Stmt) (a *argument, x ir.Expr, found bool) {
	c := &choice{l: l, e: e, pre: pre}
	if !c.sort() || !c.find() {
		return nil, nil, false
	}
	if !c.fix() {
		return nil, bad(e.Pos), true
	}
	a, x = c.cases()
	return a, x, true
}

// sort finds the arguments of the functions that have such ones.
func (c *choice) sort() bool {
	l, e := c.l, c.e
	if arrayReductions[e.Name] != nil {
		r := l.reductionArguments(e, false)
		if r == nil {
			return false
		}
		c.names = arrayReductions[e.Name]
		c.args = map[string]ast.Expr{"dim": r.dim, "mask": r.mask, "kind": r.kind, "back": r.back, "value": r.value, "vector_b": r.y}
		c.args[c.names[0]] = r.x
		return true
	}
	switch e.Name {
	case "cshift":
		c.names = []string{"array", "shift", "dim"}
	case "eoshift":
		c.names = []string{"array", "shift", "boundary", "dim"}
	case "spread":
		c.names = []string{"source", "dim", "ncopies"}
	default:
		return false
	}
	list := l.ordered(e, 2, c.names...)
	if list == nil {
		return false
	}
	c.args = map[string]ast.Expr{}
	for i, name := range c.names {
		c.args[name] = list[i]
	}
	return true
}

// find finds the argument that is no constant.
func (c *choice) find() bool {
	if c.l.phantom {
		return false
	}
	for _, which := range []string{"dim", "back"} {
		e := c.args[which]
		if e == nil {
			continue
		}
		var is bool
		c.l.aside(func() {
			x := c.l.expr(e)
			is = !isBad(x) && !isConstant(x) && (which == "dim" && x.Type().IsInteger() || which == "back" && x.Type().IsLogical())
		})
		if is {
			c.which, c.rank = which, c.l.rank(c.args[c.names[0]])
			return c.rank > 0 || c.e.Name == "spread"
		}
	}
	return false
}

// fix evaluates the arguments: what is left of them are names.
func (c *choice) fix() bool {
	l := c.l
	for _, name := range c.names {
		e := c.args[name]
		if e == nil || name == "kind" {
			continue
		}
		if l.firstPart(e) != nil {
			a := l.valueOf(e, c.pre)
			if a == nil {
				return false
			}
			c.args[name] = l.named(a, a.name, e.Position())
			continue
		}
		x := l.expr(e)
		if isBad(x) {
			return false
		}
		if isConstant(x) && name != c.which {
			continue
		}
		t := l.local(name, x.Type(), e.Position())
		if t.Type == ir.Character {
			t.Len = l.charLen(x)
		}
		l.names[t.Name], l.captured[t] = t, true
		*c.pre = append(*c.pre, l.set(t, x, e.Position()))
		c.args[name] = &ast.Ident{XBase: ast.XBase{Pos: e.Position(), End: e.EndPosition()}, Name: t.Name}
		if name == c.which {
			c.value = varOf(t, e.Position())
		}
	}
	return true
}

// with is the call with a value of the choice.
func (c *choice) with(value ast.Expr) *ast.Index {
	out := *c.e
	out.Args = nil
	for _, name := range c.names {
		x := c.args[name]
		if name == c.which {
			x = value
		}
		if x != nil {
			out.Args = append(out.Args, &ast.Keyword{XBase: c.e.XBase, Name: name, X: x})
		}
	}
	return &out
}

// alternative is what the call is with one value.
type alternative struct {
	when ir.Expr
	body []ir.Stmt
	a    *argument
	x    ir.Expr // where it is no array
}

// alternatives are all of them; nil after an error.
func (c *choice) alternatives() (list []alternative) {
	l, pos := c.l, c.e.Pos
	add := func(when ir.Expr, value ast.Expr) bool {
		alt := alternative{when: when}
		call := c.with(value)
		if l.hasArrayValue(call) {
			if alt.a = l.valueOf(call, &alt.body); alt.a == nil {
				return false
			}
		} else if _, alt.x = l.reduce(call, goal{}, &alt.body); isBad(alt.x) {
			return false
		}
		list = append(list, alt)
		return true
	}
	if c.which == "back" {
		for _, b := range []bool{true, false} {
			when := ir.Clone(c.value)
			if !b {
				when = l.not(when)
			}
			if !add(when, &ast.LogicalLit{XBase: c.e.XBase, Value: b}) {
				return nil
			}
		}
		return list
	}
	last := c.rank
	if c.e.Name == "spread" {
		last++
	}
	for d := range last {
		if !add(isEqual(ir.Clone(c.value), intConstOf(c.value.Type(), d+1, pos)), &ast.IntLit{XBase: c.e.XBase, Text: fmt.Sprint(d + 1)}) {
			return nil
		}
	}
	return list
}

// cases makes the IF.
func (c *choice) cases() (*argument, ir.Expr) {
	l, pos := c.l, c.e.Pos
	list := c.alternatives()
	if list == nil {
		return nil, bad(pos)
	}
	var to *argument
	var scalar *ir.Symbol
	if list[0].a != nil {
		if to = c.room(list); to == nil {
			return nil, bad(pos)
		}
	} else {
		scalar = l.local(c.e.Name, list[0].x.Type(), pos)
	}
	var out []ir.Stmt
	if c.which == "dim" {
		text := fmt.Sprintf("line %d: DIM of %s is not from 1 to %d", pos.Line, strings.ToUpper(c.e.Name), len(list))
		out = one(&ir.Stop{S: ir.S{Pos: pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}, Str: text}})
	}
	for i := len(list) - 1; i >= 0; i-- {
		alt := list[i]
		if to != nil {
			ctx := l.elements(alt.a.shape.n, pos, &alt.body)
			alt.body = append(alt.body, l.nest(ctx, &ir.Assign{S: ir.S{Pos: pos}, LHS: l.elementOf(to, ctx, pos), RHS: l.elementOf(alt.a, ctx, pos)}, pos))
		} else {
			alt.body = append(alt.body, l.set(scalar, alt.x, pos))
		}
		out = one(&ir.If{S: ir.S{Pos: pos}, Cond: alt.when, Then: alt.body, Else: out})
	}
	*c.pre = append(*c.pre, out...)
	if to != nil {
		return to, nil
	}
	return nil, varOf(scalar, pos)
}

// room is the array for the value of any of the alternatives, before they are evaluated: its
// extents are those of the one that is chosen.
func (c *choice) room(list []alternative) *argument {
	l, pos := c.l, c.e.Pos
	first := list[0].a
	ctx := &elemental{limit: make([]int, len(first.shape.n)), pos: pos, pre: c.pre}
	for k := range first.shape.n {
		var n ir.Expr
		known := true
		for i := len(list) - 1; i >= 0; i-- {
			have := c.extents(list[i], i)[k]
			size, ok := constOf(have)
			known = known && ok
			ctx.limit[k] = max(ctx.limit[k], size)
			if n == nil || sameValue(n, have) {
				n = ir.Clone(have)
				continue
			}
			t := max(n.Type(), have.Type())
			n = &ir.Call{X: ir.X{Pos: pos, Typ: t}, Name: "merge", Args: []ir.Expr{l.convert(ir.Clone(have), t), l.convert(n, t), ir.Clone(list[i].when)}}
		}
		if !known {
			ctx.limit[k] = 0
		}
		ctx.n = append(ctx.n, l.fixed(n, "extent", pos, c.pre))
	}
	return l.room(ctx, first.typ, first.view.base.Len, pos)
}

// extents are those of alternative alt, the one with number i, of what is known in front of it.
func (c *choice) extents(alt alternative, i int) []ir.Expr {
	if c.which == "back" {
		return alt.a.shape.n
	}
	var n []ir.Expr
	if x := c.args[c.names[0]]; c.l.firstPart(x) != nil {
		n = c.l.shapes[c.l.lookup(x.(*ast.Ident).Name)].n
	}
	var out []ir.Expr
	switch {
	case c.e.Name == "spread":
		x := c.l.expr(c.args["ncopies"])
		out = append(append(append(out, n[:i]...), c.l.atLeast0(x, c.e.Pos)), n[i:]...)
	case arrayReductions[c.e.Name] != nil:
		out = append(append(out, n[:i]...), n[i+1:]...)
	default:
		out = n
	}
	return out
}
