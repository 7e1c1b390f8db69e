package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// A reduction is finished where its value is needed, and not before: in
//
//	do j = 2, n - 1               all PEs together, since the rows are pipelined
//	   do i = 2, n - 1            each its rows
//	      change = max(change, abs(a(i-1,j) + a(i+1,j-1) - 2*a(i,j)))
//	      a(i,j) = ...
//	   end do
//	end do
//	if (change < eps) exit
//
// the PEs keep their partial values over all iterations of j, and combine them once
// behind the loop.

// partial puts Start in front of what make makes of it, and Combine behind; s is the
// statement behind which that stands.
func partial(reduced []*Reduction, s ir.Stmt, make func(inner []Node) []Node) []Node {
	if len(reduced) == 0 {
		return make(nil)
	}
	return append(make([]Node{&Start{reduced}}), &Combine{reduced, s})
}

// At is the statement in front of which r starts and behind which it is combined: a
// loop that all PEs execute together, or the outermost one of its region.
func (r *Reduction) At() ir.Stmt { return r.at }

// finishBehind takes out of the body of loop those reductions whose scalar nothing in
// it mentions but the statements of the reduction themselves. They are combined behind
// the loop, whatever iterations and branches it executes, so nothing may lead past it
// to other statements. Of several reductions into one scalar one is left.
func (a *analyzer) finishBehind(loop ir.Stmt, body []Node) (moved []*Reduction, rest []Node) {
	of := map[*ir.Symbol][]*Reduction{}
	var order []*ir.Symbol
	combined(body, func(r *Reduction) {
		if of[r.Sym] == nil {
			order = append(order, r.Sym)
		}
		of[r.Sym] = append(of[r.Sym], r)
	})
	gone := map[*Reduction]bool{}
	for _, sym := range order {
		list := of[sym]
		if why := a.keeps(loop, list); why != "" {
			for _, r := range list {
				if r.KeptIn == nil {
					r.KeptIn, r.Kept = loop, why
				}
			}
			continue
		}
		first := list[0]
		for _, r := range list {
			gone[r] = true
			if r != first {
				first.Stmts = slices.Concat(first.Stmts, r.Stmts)
			}
		}
		first.Moved, first.at, first.KeptIn, first.Kept = loop, loop, nil, ""
		moved = append(moved, first)
	}
	if len(moved) == 0 {
		return nil, body
	}
	return moved, withoutReductions(body, gone)
}

// combined calls f for each reduction of a list of nodes.
func combined(list []Node, f func(*Reduction)) {
	for _, n := range Within(list...) {
		if n, ok := n.(*Combine); ok {
			for _, r := range n.Reduce {
				f(r)
			}
		}
	}
}

// keeps says why the reductions of one scalar in loop stay in it, "" if they need not.
func (a *analyzer) keeps(loop ir.Stmt, list []*Reduction) string {
	sym := list[0].Sym
	if sym.IsArray() {
		return fmt.Sprintf("%s is an array", sym.Name)
	}
	all, other := a.info.Accumulated(loop, sym)
	switch {
	case other == loop:
		return fmt.Sprintf("the loop depends on %s", sym.Name)
	case other != nil:
		return fmt.Sprintf("line %d needs or changes %s", other.Position().Line, sym.Name)
	case jumpsOut(loop):
		return "EXIT or CYCLE leads out of the loop"
	case checkpoints(loop):
		return "a checkpoint is taken in the loop"
	}
	for _, s := range all.Stmts {
		if !slices.ContainsFunc(list, func(r *Reduction) bool { return slices.Contains(r.Stmts, s) }) {
			return fmt.Sprintf("the value of %s in line %d is computed by all PEs", sym.Name, s.Position().Line)
		}
	}
	if all.Op.Counts() {
		for _, r := range list[1:] {
			if !slices.Equal(r.Lead, list[0].Lead) {
				return fmt.Sprintf("the parts of %s that lines %d and %d compute have different numbers of copies", sym.Name, list[0].Line, r.Line)
			}
		}
	}
	return ""
}

// withoutReductions is list without the starts and ends of some reductions.
func withoutReductions(list []Node, gone map[*Reduction]bool) []Node {
	keep := func(list []*Reduction) []*Reduction {
		return slices.DeleteFunc(slices.Clone(list), func(r *Reduction) bool { return gone[r] })
	}
	var rest []Node
	for _, n := range list {
		switch n := n.(type) {
		case *Start:
			if k := keep(n.Reduce); len(k) > 0 {
				rest = append(rest, &Start{k})
			}
			continue
		case *Combine:
			if k := keep(n.Reduce); len(k) > 0 {
				rest = append(rest, &Combine{k, n.Behind})
			}
			continue
		}
		rewrite(n, func(l []Node) []Node { return withoutReductions(l, gone) })
		rest = append(rest, n)
	}
	return rest
}
