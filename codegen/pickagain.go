package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// An element that subscripts pick, which an iteration assigns and reads, is found once:
//
//	place(key(i)) = place(key(i)) + 1          placeN4At := placeN3At + int(keyN1[t])
//	rank(i) = place(key(i))                    placeN2[placeN4At] = placeN2[placeN4At] + 1
//	                                           rankN5[t] = placeN2[placeN4At]
//
// Go's compiler would load key(i) again behind each store, and test the index again.

// picksAgain finds such elements among those that picks has addressed.
func (l *leaf) picksAgain() {
	g := l.g
	for i, s := range l.body {
		set, ok := s.(*ir.Assign)
		if !ok {
			continue
		}
		r, ok := set.LHS.(*ir.Ref)
		p, picked := g.picked[r]
		if !ok || !picked {
			continue
		}
		same := l.sameElement(r, l.body[i:])
		if len(same) < 2 { // none where an earlier statement has found it
			continue
		}
		l.n++
		at := fmt.Sprintf("%sN%dAt", l.object(r), l.n)
		g.prefix[set] = func() { g.out.p("%s := %s", at, g.pickedIndex(r, p)) }
		l.indexed = append(l.indexed, set)
		for _, e := range same {
			g.leaf[e] = fmt.Sprintf("%s[%s]", p.slice, at)
		}
	}
}

// sameElement lists the references to the element r, which the first of the statements
// assigns, up to one that changes what its subscripts depend on.
func (l *leaf) sameElement(r *ir.Ref, list []ir.Stmt) (same []*ir.Ref) {
	g := l.g
	depends := map[*ir.Symbol]bool{}
	for _, s := range r.Subs {
		ir.WalkExpr(s, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Var:
				depends[e.Sym] = true
			case *ir.Ref:
				depends[e.Sym] = true
			}
			return true
		})
	}
	text, from := ir.ExprString(r), g.picked[r]
	for _, s := range list {
		if changes(targets(s), depends) {
			break
		}
		ir.WalkExprs([]ir.Stmt{s}, func(_ ir.Stmt, e ir.Expr) bool {
			if x, ok := e.(*ir.Ref); ok && l.picked[x] && g.leaf[x] == "" && g.picked[x].same(from) && ir.ExprString(x) == text {
				same = append(same, x)
			}
			return true
		})
	}
	return same
}

// targets are the variables that s assigns.
func targets(s ir.Stmt) map[*ir.Symbol]bool {
	out := map[*ir.Symbol]bool{}
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			out[ir.Target(a.LHS)] = true
		}
		return true
	})
	return out
}
