package codegen

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// bound is an INTEGER expression of the row: an element of it, or what is the same in all
// rows, plus a constant.
func (n *rowNest) bound(e ir.Expr) *rowVal {
	const most = 1 << 30
	switch x := e.(type) {
	case *ir.Un:
		if x.Op == ir.Group {
			return n.bound(x.E)
		}
	case *ir.Conv:
		if x.E.Type() == ir.Integer {
			return n.bound(x.E)
		}
	case *ir.Bin:
		c, ok := folded(x.R)
		if !ok || x.Op != ir.Add && x.Op != ir.Sub || max(c.Int, -c.Int) > most {
			break
		}
		v := n.bound(x.L)
		if v == nil {
			return nil
		}
		w := *v
		if w.bound.C += c.Int; x.Op == ir.Sub {
			w.bound.C -= 2 * c.Int
		}
		return &w
	case *ir.Ref:
		f, ok := n.row.linear(x)
		if !ok || x.Sym.Type != ir.Integer {
			return n.no("a bound that is no element of the row")
		}
		i, ok := n.element(f)
		if !ok {
			return n.no("a bound that is no element of the row")
		}
		return &rowVal{bound: kernel.RowBound{Field: i}}
	case *ir.Var:
		if v := n.env[x.Sym.Name]; v != nil && v.node == nil {
			return v
		}
	}
	if !n.same(e) || !moderate(e) {
		return n.no("a bound of another kind")
	}
	text := n.g.position(e)
	return &rowVal{bound: kernel.RowBound{Field: n.field("int "+text, kernel.RowParam, kernel.I64, rowField{text: text})}}
}

// same reports whether e has one value in all rows and entries, and can be evaluated before
// them.
func (n *rowNest) same(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Const:
		case *ir.Var:
			ok = ok && e.Sym != n.outer.Index && e.Sym != n.inner.Index && !n.row.varies[e.Sym]
		case *ir.Un:
		case *ir.Bin:
			ok = ok && (e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

var rowOps = map[ir.Op]kernel.Op{ir.Add: kernel.Add, ir.Sub: kernel.Sub, ir.Mul: kernel.Mul, ir.Div: kernel.Div}

// value is an expression of DOUBLE PRECISION; INTEGERs are elements that are converted.
func (n *rowNest) value(e ir.Expr) *rowVal {
	if e.Type() != ir.Double {
		return n.no("a value of another type")
	}
	if n.same(e) {
		text := unfused(e, n.g.expr(e))
		return loaded(n.field("float "+text, kernel.RowParam, kernel.F64, rowField{text: text}))
	}
	switch e := e.(type) {
	case *ir.Var:
		if x := n.env[e.Sym.Name]; x != nil && x.node != nil {
			return x
		}
	case *ir.Un:
		if e.Op == ir.Group {
			return n.value(e.E)
		}
	case *ir.Bin:
		op, ok := rowOps[e.Op]
		if !ok {
			break
		}
		x := n.value(e.L)
		if x == nil {
			return nil
		}
		y := n.value(e.R)
		if y == nil {
			return nil
		}
		return &rowVal{node: &kernel.RowNode{Op: op, Args: []*kernel.RowNode{x.node, y.node}}}
	case *ir.Conv:
		if x, ok := e.E.(*ir.Ref); ok && x.Sym.Type == ir.Integer {
			return n.reference(x, kernel.I32)
		}
	case *ir.Ref:
		return n.reference(e, kernel.F64)
	}
	return n.no("an operation of another kind")
}

// loaded is an element of a field.
func loaded(field int) *rowVal { return &rowVal{node: &kernel.RowNode{Op: kernel.Load, Field: field}} }

// reference is an element of an array of type t: of the row, of an entry, or picked by one.
func (n *rowNest) reference(e *ir.Ref, t kernel.Type) *rowVal {
	if acc := n.g.prog.Access[e]; acc != nil && acc.Mode == comm.Walk {
		if c := acc.Comm; n.within && !n.g.inRuns(c) && c.Walk[len(c.Walk)-1] == n.inner {
			return loaded(n.field("list "+c.Name(), kernel.RowList, t, rowField{list: c}))
		}
		return n.no("a list of another loop")
	}
	if f, ok := n.row.linear(e); ok && !slices.ContainsFunc(f.subs, func(s linalg.Affine) bool { return s.Uses(n.inner.Index.Name) }) {
		if x := n.env[f.place()]; x != nil {
			return x
		}
		if i, ok := n.element(f); ok {
			return loaded(i)
		}
		return n.no("an element of another kind")
	}
	if !n.within {
		return n.no("an element of another kind")
	}
	if i, ok := n.entryOf(e, t); ok {
		return loaded(i)
	}
	return n.picked(e, t)
}

// picked is an element of type t whose only subscript is an INTEGER of the entry.
func (n *rowNest) picked(r *ir.Ref, t kernel.Type) *rowVal {
	if len(r.Subs) != 1 || !n.entry.counted(r) {
		return n.no("a reference of another kind")
	}
	sub := r.Subs[0]
	for {
		if x, ok := sub.(*ir.Un); ok && x.Op == ir.Group {
			sub = x.E
		} else if x, ok := sub.(*ir.Conv); ok && x.E.Type() == ir.Integer {
			sub = x.E
		} else {
			break
		}
	}
	by, ok := sub.(*ir.Ref)
	if !ok {
		return n.no("a subscript that is no entry")
	}
	pick, ok := n.entryOf(by, kernel.I32)
	if !ok {
		return n.no("a subscript that is no entry")
	}
	f := leafRef{ref: r, object: n.entry.object(r), subs: []linalg.Affine{linalg.Const(0)}}
	i := n.field("table "+f.object, kernel.RowTable, t, rowField{f: f})
	return &rowVal{node: &kernel.RowNode{Op: kernel.Load, Field: i, Pick: pick}}
}
