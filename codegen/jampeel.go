package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// In a triangle the statements beside the inner loop may use what the inner loop stores in
// iterations of the loop around that come before:
//
//	do j = 1, n
//	   s = e(j)
//	   do k = j + 1, n
//	      s = s + z(k,j)*d(k)
//	      e(k) = e(k) + z(k,j)*d(j)
//	   end do
//	   e(j) = s
//	end do
//
// Of the iterations of j that are computed at once, each first executes the statements before
// the inner loop, and of this loop the iterations that the last of them does not have: its
// head. What is left of the inner loop is the same for all, and the kernel:
//
//	s = e(j);   do k = j+1, j+7 ...   // of j
//	s = e(j+1); do k = j+2, j+7 ...   // of j + 1
//	...
//	s = e(j+7)                        // of j + 7
//	kernel of k = j+8, n              // of all
//	e(j) = s                          // of j, and so on
//
// The kernel touches other elements than the statements and the heads, as their subscripts
// show. Each value is computed in the order of the source.

// peels reports whether heads may be executed so.
func (g *gen) peels(n nest, r *comm.Region) bool {
	o, d := n.o, n.d
	b := g.prog.Info.Bounds(d)
	if by, ok := g.steps(o, r); !ok || by != 1 || g.step(d) != 1 || r.Shares(d) || g.parts[d] != "" || !b.LoOK || !b.HiOK {
		return false
	}
	first, ok := b.Lo.Sub(linalg.Var(o.Index.Name)) // of k, behind j
	if !ok || first.Uses(o.Index.Name) || b.Hi.Uses(o.Index.Name) {
		return false
	}
	changed := g.prog.Modified(o)
	steady := func(f linalg.Affine) bool {
		for _, name := range f.Vars() {
			if changed[g.symbols[name]] {
				return false
			}
		}
		return true
	}
	if !steady(first) || !steady(b.Hi) {
		return false
	}
	beside := touched(append(n.before[:len(n.before):len(n.before)], n.after...))
	inside := touched([]ir.Stmt{d})
	for _, sym := range g.prog.IR.Symbols {
		switch {
		case !changed[sym] || sym == o.Index || sym == d.Index || !beside[sym] && !inside[sym]:
		case sym.IsArray():
			if !g.apartByIndex(n, sym) && !g.apartByHead(n, sym, first) {
				return false
			}
		default:
			class := g.prog.Info.Class(o, sym)
			if class != scalar.Private && class != scalar.PrivateLast ||
				(class == scalar.PrivateLast || beside[sym] && inside[sym]) && !assigned(n.before, sym, false) {
				return false
			}
		}
	}
	return true
}

// apartByHead reports whether in some dimension of an array all subscripts beside the inner
// loop are j and a constant, and all inside of it k and a constant, where k begins so far
// behind j that they are never equal.
func (g *gen) apartByHead(n nest, array *ir.Symbol, first linalg.Affine) bool {
	for dim := range array.Dims {
		beside, one := g.distances(append(n.before[:len(n.before):len(n.before)], n.after...), array, dim, n.o.Index)
		inside, two := g.distances(n.d.Body, array, dim, n.d.Index)
		if !one || !two || inside == nil {
			continue
		}
		if beside == nil {
			return true
		}
		// The first k, and its constant, less that of j.
		far, ok := first.Add(*inside)
		if ok {
			far, ok = far.Sub(*beside)
		}
		if ok && far.IsConst() && far.C > 0 {
			return true
		}
	}
	return false
}

// distances is how far the subscripts of an array in a dimension, in statements, are behind
// an index: nil if it has none there; it fails where they are not all the same constant.
func (g *gen) distances(list []ir.Stmt, array *ir.Symbol, dim int, index *ir.Symbol) (by *linalg.Affine, ok bool) {
	ok = true
	ir.WalkExprs(list, func(_ ir.Stmt, e ir.Expr) bool {
		r, is := e.(*ir.Ref)
		if !is || r.Sym != array {
			return true
		}
		f, linear := g.prog.Affine(r.Subs[dim])
		rest, fits := f.Sub(linalg.Var(index.Name))
		if ok = ok && linear && fits && rest.IsConst() && (by == nil || rest.Equal(*by)); ok {
			by = &rest
		}
		return true
	})
	return by, ok
}

// peeled makes a kernel of what is left of the inner loop behind the heads.
func (g *gen) peeled(nest nest, r *comm.Region, n int) *vectorLoop {
	l, ok := g.jamLoop(nest.o, r, n)
	if !ok {
		return &vectorLoop{why: "its step is not known"}
	}
	v := &vectorLoop{loop: nest.d, jam: &jam{before: nest.before, loops: []jamLoop{l}, peel: true}}
	v.build(g, r)
	return v
}

// from emits where the inner loop begins in the last of the copies.
func (j *jam) from(g *gen, d *ir.Do) {
	g.serial++
	j.rest = fmt.Sprintf("restN%d", g.serial)
	g.out.at = d.Pos.Line
	j.indexed(g, len(j.loops[0].shifts)-1, func() { g.out.p("%s := %s", j.rest, g.position(d.Lo)) })
}

// head emits the head of the inner loop in the copy in which the indices are.
func (j *jam) head(g *gen, d *ir.Do, r *comm.Region) {
	g.serial++
	part := fmt.Sprintf("headN%d", g.serial)
	g.out.at = d.Pos.Line
	g.out.p("%s := dist.Range(%s, min(%s, %s-1), 1)", part, g.position(d.Lo), g.position(d.Hi), j.rest)
	g.parts[d] = part
	v := g.vectors[d]
	g.vectors[d] = &vectorLoop{loop: d, why: "it is short"}
	if !g.leafLoop(d, r) {
		g.openLoop(d, r)
		g.stmts(d.Body, r)
		g.closeLoop(d)
	}
	g.vectors[d] = v
	delete(g.parts, d)
}

// tail emits the kernel of what is left.
func (j *jam) tail(g *gen, v *vectorLoop) {
	d := v.loop
	g.serial++
	part := fmt.Sprintf("tailN%d", g.serial)
	g.out.at = d.Pos.Line
	g.out.p("%s := dist.Range(%s, %s, 1)", part, j.rest, g.position(d.Hi))
	g.parts[d] = part
	g.kernelLoop(v)
	delete(g.parts, d)
}
