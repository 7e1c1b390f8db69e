package comm

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// walkable reports whether the elements of an irregular reference can be
// listed before the region: it is reached in every iteration, exactly once,
// and its subscripts use nothing that the region changes.
func (t *attempt) walkable(o occurrence, exec []Constraint) bool {
	if o.conditional || o.print || len(o.loops) == 0 || len(o.implied) > 0 {
		return false
	}
	index := map[*ir.Symbol]bool{}
	for _, l := range o.loops {
		d, ok := l.(*ir.Do)
		if !ok {
			return false
		}
		for _, e := range []ir.Expr{d.Lo, d.Hi, d.Step} {
			if !t.listable(e, o.stmt, exec, index) {
				return false
			}
		}
		index[d.Index] = true
		if k := t.region.Picks[d]; k != nil {
			index[k.Var()] = true
		}
	}
	for _, l := range o.loops {
		leaves := false
		ir.Walk([]ir.Stmt{l}, func(s ir.Stmt) bool {
			switch s.(type) {
			case *ir.Exit, *ir.Cycle:
				leaves = true
			}
			return true
		})
		if leaves {
			return false
		}
	}
	for _, e := range o.ref.Subs {
		if !t.listable(e, o.stmt, exec, index) {
			return false
		}
	}
	return true
}

// listable reports whether e, which is evaluated in s by the PEs exec, can be evaluated
// before the region.
func (t *attempt) listable(e ir.Expr, s ir.Stmt, exec []Constraint, index map[*ir.Symbol]bool) bool {
	ok := true
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Var:
			ok = ok && (index[x.Sym] || !t.variant[x.Sym])
		case *ir.Ref:
			// One level: what the subscript itself reads is found by an
			// ordinary communication that completes first.
			ok = ok && !t.variant[x.Sym]
			for _, sub := range x.Subs {
				f, aff := t.a.affine(sub)
				ok = ok && (aff || !x.Sym.Distributed()) && (!aff || t.indexOnly(f, index))
				if d, _ := t.picking(f, t.loopsOf[s]); aff && d != nil && x.Sym.Distributed() {
					ok = ok && t.atHome(x, s, exec)
				}
			}
		case *ir.Bin:
			ok = ok && x.Op != ir.And && x.Op != ir.Or
		}
		return ok
	})
	return ok
}

func (t *attempt) indexOnly(f linalg.Affine, index map[*ir.Symbol]bool) bool {
	for v := range f.T {
		s := t.a.symbols[v]
		if f.Uses(v) && !index[s] && t.variant[s] {
			return false
		}
	}
	return true
}
