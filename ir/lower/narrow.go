package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// INTEGER(1) and INTEGER(2) become INTEGER, and all kinds of LOGICAL one: the passes behind know these
// only. A variable holds a number that its kind has, and what may leave the range is wrapped. With
// INTEGER(1) variables, from
//
//	k = k + 1_1        comes        k = ieor(iand(k + 1, 255), 128) - 128
//
// Files have values of the kinds that the program declares, which Symbol.Stored keeps for READ; of the
// items of output "stored" makes values of these kinds.

// narrow makes the whole program so.
func (l *lowerer) narrow() {
	n := &narrowing{}
	for _, s := range l.prog.Symbols {
		n.symbol(s)
	}
	n.list(l.prog.Body)
}

// narrowing is what is known of the statement in hand.
type narrowing struct {
	unformatted bool // it is an unformatted WRITE
}

// isNarrow reports whether t is a kind of INTEGER that becomes INTEGER.
func isNarrow(t ir.Type) bool { return t.IsInteger() && t < ir.Integer }

// widened is what a value of type t becomes.
func widened(t ir.Type) ir.Type {
	switch {
	case isNarrow(t):
		return ir.Integer
	case t.IsLogical():
		return ir.Logical
	}
	return t
}

func (n *narrowing) symbol(s *ir.Symbol) {
	if s == nil || widened(s.Type) == s.Type {
		return
	}
	s.Stored, s.Type = s.Type, widened(s.Type)
	if c, ok := s.Init.(*ir.Const); ok {
		n.constant(c)
	}
	for _, v := range s.Values {
		n.constant(v.Const)
	}
}

func (n *narrowing) constant(c *ir.Const) { c.Typ = widened(c.Typ) }

func (n *narrowing) list(list []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) bool {
		n.unformatted = false
		switch s := s.(type) {
		case *ir.Assign:
			s.RHS, s.LHS = n.expr(s.RHS), n.expr(s.LHS)
			return true
		case *ir.Do:
			n.symbol(s.Index)
		case *ir.Print:
			n.unformatted = s.Unformatted
			for i, e := range s.Items {
				s.Items[i] = n.stored(e)
			}
			n.unformatted = false
		case *ir.Read:
			for _, v := range s.Items {
				n.expr(v)
			}
			for _, y := range append(append(append([]*ir.Symbol{s.Iostat}, s.Got...), s.Vectors...), s.GotVectors...) {
				n.symbol(y)
			}
		case *ir.Allocate:
			n.symbol(s.Sym)
		case *ir.Collective:
			n.expr(s.Scalar)
		}
		replaceExprs(s, n.expr)
		return true
	})
}

// stored is item e of output, which is to be written as a value of its kind.
func (n *narrowing) stored(e ir.Expr) ir.Expr {
	if d, ok := e.(*ir.ImpliedDo); ok {
		n.symbol(d.Index)
		d.Typ = widened(d.Typ)
		d.Lo, d.Hi, d.Step = n.expr(d.Lo), n.expr(d.Hi), n.expr(d.Step)
		for i, x := range d.Items {
			d.Items[i] = n.stored(x)
		}
		return d
	}
	t := e.Type()
	x := n.expr(e)
	if !isNarrow(t) && !(n.unformatted && t.IsLogical() && t != ir.Logical) {
		return x
	}
	size := &ir.Const{X: ir.X{Pos: e.Position(), Typ: ir.Integer}, Int: t.Bytes()}
	return &ir.Call{X: ir.X{Pos: e.Position(), Typ: x.Type()}, Name: "stored", Args: []ir.Expr{x, size}}
}

// expr is e, nil for nil.
func (n *narrowing) expr(e ir.Expr) ir.Expr {
	if e == nil {
		return nil
	}
	t := e.Type()
	switch e := e.(type) {
	case *ir.Const:
		n.constant(e)
	case *ir.Var:
		n.symbol(e.Sym)
		e.Typ = widened(t)
	case *ir.Ref:
		n.symbol(e.Sym)
		e.Typ = widened(t)
		replaceAll(e.Subs, n.expr)
	case *ir.CoRef:
		n.symbol(e.Sym)
		e.Typ = widened(t)
		replaceAll(e.Subs, n.expr)
		e.Image = n.expr(e.Image)
	case *ir.Substr:
		e.Base, e.Lo, e.Hi = n.expr(e.Base), n.expr(e.Lo), n.expr(e.Hi)
	case *ir.Un:
		e.E, e.Typ = n.expr(e.E), widened(t)
		if e.Op == ir.Neg {
			return wrapped(e, t)
		}
	case *ir.Bin:
		e.L, e.R, e.Typ = n.expr(e.L), n.expr(e.R), widened(t)
		if c, ok := e.R.(*ir.Const); e.Op != ir.Div || !ok || c.Int == -1 {
			return wrapped(e, t)
		}
	case *ir.Conv:
		from := e.E.Type()
		if e.E = n.expr(e.E); isNarrow(t) && t < from {
			e.Typ = ir.Integer
			if e.E.Type() == ir.Integer {
				return wrapped(e.E, t)
			}
			return wrapped(e, t)
		}
		if e.Typ = widened(t); e.Typ == e.E.Type() {
			return e.E
		}
	case *ir.Call:
		return n.call(e)
	}
	return e
}

// call is a function, whose arguments and value have one type where they are of bits.
func (n *narrowing) call(e *ir.Call) ir.Expr {
	t := e.Typ
	if strings.HasSuffix(e.Name, "write") || strings.HasSuffix(e.Name, "writerecords") {
		for i, a := range e.Args {
			e.Args[i] = n.stored(a)
		}
		return e
	}
	of := ir.Invalid // the type of the first argument
	if len(e.Args) > 0 {
		of = e.Args[0].Type()
	}
	replaceAll(e.Args, n.expr)
	e.Typ = widened(t)
	if isNarrow(of) {
		switch e.Name {
		case "ishft":
			if by, ok := constOf(e.Args[1]); !ok || by < 0 {
				e.Args[0] = lowBits(e.Args[0], of)
			}
		case "popcnt", "leadz":
			e.Args[0] = lowBits(e.Args[0], of)
		case "trailz":
			e.Args[0] = bitCallOf("ior", e.Args[0], 1<<(8*of.Bytes()))
		}
	}
	switch e.Name {
	case "leadz":
		if isNarrow(of) {
			return &ir.Bin{X: e.X, Op: ir.Sub, L: e, R: integerConst(e, 32-8*of.Bytes())}
		}
	case "max", "min", "merge", "mod", "modulo", "iand", "ior", "ieor", "not":
		return e
	}
	return wrapped(e, t)
}

func integerConst(at ir.Expr, n int) *ir.Const { return intConstOf(ir.Integer, n, at.Position()) }

func bitCallOf(name string, x ir.Expr, n int) ir.Expr {
	return &ir.Call{X: ir.X{Pos: x.Position(), Typ: ir.Integer}, Name: name, Args: []ir.Expr{x, integerConst(x, n)}}
}

// lowBits is the bits of x that a value of type t has.
func lowBits(x ir.Expr, t ir.Type) ir.Expr { return bitCallOf("iand", x, 1<<(8*t.Bytes())-1) }

// wrapped is what a variable of type t holds when INTEGER x is stored in it.
func wrapped(x ir.Expr, t ir.Type) ir.Expr {
	if !isNarrow(t) {
		return x
	}
	if c, ok := x.(*ir.Const); ok {
		c.Int = t.Wrap(c.Int)
		return c
	}
	sign := 1 << (8*t.Bytes() - 1)
	return &ir.Bin{X: ir.X{Pos: x.Position(), Typ: ir.Integer}, Op: ir.Sub, L: bitCallOf("ieor", lowBits(x, t), sign), R: integerConst(x, sign)}
}
