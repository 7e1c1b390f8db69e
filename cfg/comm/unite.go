package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// unite lets reductions travel together: those of neighbouring nests become one, at the
// end of the last nest, where nothing in front of that needs a value of the first ones:
//
//	do i = 1, n
//	   s = s + a(i)*b(i)
//	end do
//	do i = 1, n                   each PE goes on with its iterations,
//	   a(i) = 2*a(i)
//	   big = max(big, abs(a(i)))
//	end do
//	if (big > s) ...              and both values are combined here
//
// Partial values may stay apart for as long as nothing mentions the scalar. Those of
// INTEGER stay where they are: bounds and subscripts may depend on them by way of other
// variables.
func unite(list []Node) []Node {
	var out []Node
	for i, n := range list {
		if c, ok := n.(*Combine); ok {
			if next := c.joins(list[i+1:]); next != nil {
				next.Reduce = append(slices.Clone(c.Reduce), next.Reduce...)
				continue
			}
		}
		rewrite(n, unite)
		out = append(out, n)
	}
	return out
}

// joins is the next place among the nodes behind n where values are combined, if those of
// n can wait for it.
func (n *Combine) joins(behind []Node) *Combine {
	for _, r := range n.Reduce {
		if r.Sym.IsArray() || r.Sym.Type.IsInteger() {
			return nil
		}
	}
	takes := func(s *ir.Symbol) bool {
		return slices.ContainsFunc(n.Reduce, func(r *Reduction) bool { return r.Sym == s })
	}
	for _, next := range behind {
		switch next := next.(type) {
		case *Combine:
			if slices.ContainsFunc(next.Reduce, func(r *Reduction) bool { return takes(r.Sym) }) {
				return nil
			}
			return next
		case *Region:
			leaves := func(s ir.Stmt) bool { return jumpsOut(s) || checkpoints(s) }
			if next.Fallback || next.Pipe != nil || mentioned(next.Stmts, takes) || slices.ContainsFunc(next.Stmts, leaves) {
				return nil
			}
		case *Post:
			if slices.ContainsFunc(next.Comms, func(c *Comm) bool { return c.Kind == Irregular }) {
				return nil
			}
		case *Start, *Wait, *Done:
		default:
			return nil
		}
	}
	return nil
}

// mentioned reports whether a statement reads or changes such a symbol.
func mentioned(list []ir.Stmt, which func(*ir.Symbol) bool) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) bool {
		found = found || slices.ContainsFunc(ir.Assigned(s), which)
		return !found
	})
	ir.WalkExprs(list, func(_ ir.Stmt, e ir.Expr) bool {
		if v, ok := e.(*ir.Var); ok {
			found = found || which(v.Sym)
		}
		return !found
	})
	return found
}

// MessageGroups divides what is combined into sets of which each is one message: the scalars,
// and each array. A COMPLEX scalar, which is two words, is one alone.
func (n *Combine) MessageGroups() [][]*Reduction {
	var sets [][]*Reduction
	at := -1 // of the scalars
	for _, r := range n.Reduce {
		switch {
		case r.Sym.IsArray() || r.Sym.Type.IsComplex() || at < 0:
			if !r.Sym.IsArray() && !r.Sym.Type.IsComplex() {
				at = len(sets)
			}
			sets = append(sets, []*Reduction{r})
		default:
			sets[at] = append(sets[at], r)
		}
	}
	return sets
}
