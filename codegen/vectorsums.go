package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
)

// findSums makes reductions of the scalars that the loop accumulates, and checks that the
// others live in one iteration.
func (v *vectorLoop) findSums() {
	g, d := v.leaf.g, v.loop
	for _, sym := range g.prog.IR.Symbols {
		if !v.leaf.varies[sym] || sym == d.Index || v.nested && !named(v.leaf.body, sym) {
			continue
		}
		switch g.prog.Info.Class(d, sym) {
		case scalar.Private:
			continue
		case scalar.Reduced:
		case scalar.PrivateLast:
			if v.ends(sym) {
				continue
			}
			v.no("the last value of %s is used behind it", sym.Name)
			return
		default:
			v.waits = sym.Type.Part().IsReal()
			v.no("%s passes from one iteration to the next", sym.Name)
			return
		}
		red, ok := g.prog.Info.ReductionOf(d, sym)
		t, known := vectorType(sym.Type.Part())
		if !ok || !known || sym.Type == ir.Logical || sym.Type.IsComplex() && (red.Op != scalar.Add || v.leaf.g.opt.FP == Strict) {
			v.no("%s is a reduction of another type", sym.Name)
			return
		}
		fold := kernel.Sum
		switch red.Op {
		case scalar.Add:
		case scalar.Mul:
			fold = kernel.Product
		case scalar.Max:
			fold = kernel.Largest
		case scalar.Min:
			fold = kernel.Smallest
		}
		real := sym.Type.Part().IsReal() && fold <= kernel.Product
		if real && v.short() {
			v.no("%s is added up in the order of the source", sym.Name)
			return
		}
		for _, s := range red.Stmts {
			// Of zeros with two signs the first counts there.
			if c, ok := s.(*ir.If); ok && sym.Type.IsReal() && !magnitude(c.Then[0].(*ir.Assign).RHS) {
				v.no("%s is assigned under an IF, where max and min would do", sym.Name)
				return
			}
		}
		add := func(imag bool) *kernel.Node {
			i := v.reduce(t, fold, real)
			v.sums = append(v.sums, vectorSum{sym: sym, op: red.Op, imag: imag, line: red.Stmts[0].Position().Line, copy: v.copy})
			return v.k.Acc(i)
		}
		x := vectorValue{re: add(false)}
		if sym.Type.IsComplex() {
			x.im = add(true)
		}
		v.env[sym] = x
	}
}

// reduce adds a reduction to the kernel: an ordered one for a sum or product of reals where
// that is asked for.
func (v *vectorLoop) reduce(t kernel.Type, fold kernel.Fold, real bool) int {
	name := fmt.Sprintf("r%d", len(v.sums)+1)
	if real && v.leaf.g.opt.FP == Strict {
		return v.k.Ordered(name, t)
	}
	return v.k.Reduce(name, t, fold)
}

// short reports whether this is a loop over the entries of a row of a sparse matrix and the
// like: subscripts, or bounds, are elements of arrays, and little is computed for each entry.
// Its sums keep the order of the source, and it is no kernel for them.
func (v *vectorLoop) short() bool {
	if effort(v.loop.Body) >= fewEntries {
		return false
	}
	if len(ir.ExprRefs(v.loop.Lo))+len(ir.ExprRefs(v.loop.Hi)) > 0 {
		return true
	}
	picks := func(e ir.Expr) bool { return len(ir.ExprRefs(e)) > 0 && !v.fixed(e) }
	found := false
	ir.WalkExprs(v.loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && !found {
			found = slices.ContainsFunc(r.Subs, picks)
		}
		return !found
	})
	return found
}

// fewEntries is the effort for an entry from which on a loop over few of them is worth a kernel.
const fewEntries = 24

// A loop with others unrolled in it accumulates into so many elements at most, and computes so
// much for each, as one over the pairs of a particle does: they are added up in the order of
// the source.
const (
	mostElementSums = 8
	sumEffort       = 8
)

// effort is about how long an iteration takes, in additions.
func effort(body []ir.Stmt) int {
	sum := 0
	ir.WalkExprs(body, func(_ ir.Stmt, e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Bin:
			sum++
			if e.Op == ir.Div || e.Op == ir.Pow {
				sum += 3
			}
		case *ir.Call:
			sum += 4
		}
		return true
	})
	return sum
}

// findElements makes reductions of the elements that the loop accumulates: all others of the
// array that the loop mentions are different ones.
func (v *vectorLoop) findElements() {
	l := v.leaf
	first := len(v.sums)
	l.findAlone(v.all)
	ir.Walk(v.leaf.body, func(s ir.Stmt) bool {
		a, ok := s.(*ir.Assign)
		if !ok || v.why != "" {
			return v.why == ""
		}
		r, ok := a.LHS.(*ir.Ref)
		if !ok {
			return true
		}
		f, ok := v.refs[r]
		if !ok || uses(f, v.loop.Index.Name) || !l.alone[f.object] && !v.others(f, a.RHS) || v.jam != nil && !v.jam.moves(f) {
			return true
		}
		f = v.shifted(f)
		op, ok := accumulates(a.RHS, r)
		t, known := vectorType(r.Sym.Type)
		switch {
		case !ok || !known || t == kernel.Mask || v.flat != nil && !r.Sym.Type.IsReal():
			v.no("all iterations assign %s", ir.ExprString(r))
		case r.Sym.Type.IsReal() && v.short():
			v.no("%s is added up in the order of the source", ir.ExprString(r))
		case v.elements[f.place()] == nil:
			var i int
			if name := fmt.Sprintf("r%d", len(v.sums)+1); v.flat != nil {
				i = v.k.Ordered(name, t) // as in the loops that are unrolled here
			} else {
				i = v.reduce(t, map[scalar.Op]kernel.Fold{scalar.Add: kernel.Sum, scalar.Mul: kernel.Product}[op], r.Sym.Type.IsReal())
			}
			v.sums = append(v.sums, vectorSum{sym: r.Sym, ref: r, op: op, line: a.Pos.Line, copy: v.copy})
			v.elements[f.place()] = v.k.Acc(i)
		case v.sums[v.elements[f.place()].N].op != op:
			v.no("%s is both a sum and a product", ir.ExprString(r))
		}
		return true
	})
	elements := 0
	for _, sum := range v.sums[first:] {
		if sum.ref != nil {
			elements++
		}
	}
	if v.flat != nil && elements > 0 && v.why == "" && (elements > mostElementSums || effort(v.leaf.body) < sumEffort*elements) {
		v.no("all iterations assign %s", v.sums[len(v.sums)-1].name())
	}
	// Any other mention would see a partial value.
	for _, sum := range v.sums[first:] {
		if sum.ref == nil {
			continue
		}
		place := v.shifted(v.refs[sum.ref]).place()
		is := func(r *ir.Ref) bool { return v.refs[r].ref != nil && v.shifted(v.refs[r]).place() == place }
		n, assigned := 0, 0
		ir.WalkExprs(v.leaf.body, func(_ ir.Stmt, e ir.Expr) bool {
			if r, ok := e.(*ir.Ref); ok && is(r) {
				n++
			}
			return true
		})
		ir.Walk(v.leaf.body, func(s ir.Stmt) bool {
			if a, ok := s.(*ir.Assign); ok {
				if r, ok := a.LHS.(*ir.Ref); ok && is(r) {
					assigned++
				}
			}
			return true
		})
		if n != 2*assigned {
			v.no("%s is used before it is added up", sum.name())
		}
	}
}

// others reports whether all elements of the object of f that the body mentions, but f, are
// different from it in all iterations, and e accumulates into f.
func (v *vectorLoop) others(f leafRef, e ir.Expr) bool {
	_, ok := accumulates(e, f.ref)
	ok = ok && v.jam == nil && (!f.conditional || v.exists(f.ref))
	ok = ok && slices.ContainsFunc(ir.ExprRefs(e), func(r *ir.Ref) bool { return v.refs[r].at(f) })
	ir.WalkExprs(v.leaf.body, func(_ ir.Stmt, e ir.Expr) bool {
		r, is := e.(*ir.Ref)
		if !is || !ok || v.leaf.object(r) != f.object {
			return ok
		}
		other, linear := v.refs[r]
		ok = linear && (other.at(f) || v.depends(f, other, 0).Answer == depend.No)
		return ok
	})
	return ok
}

// updates gives the sums of a copy, from the first on, their new values.
func (v *vectorLoop) updates(first int) {
	for i, s := range v.sums[first:] {
		x := v.env[s.sym].re
		if s.imag {
			x = v.env[s.sym].im
		}
		if s.ref != nil {
			x = v.elements[v.shifted(v.refs[s.ref]).place()]
		}
		if x == nil {
			v.no("%s is not assigned", s.name())
			return
		}
		x = v.k.InWindow(v.window(v.copy), x, v.k.Acc(first+i))
		if !v.k.Reductions[first+i].Ordered {
			v.k.Update(first+i, x)
		} else if !v.k.UpdateInOrder(first+i, x) {
			v.no("%s is added up in the order of the source", s.name())
			return
		}
	}
}

// accumulates recognises the right side of r = r op e, where e does not mention r's array
// again and nothing but op stands above r.
func accumulates(e ir.Expr, r *ir.Ref) (op scalar.Op, ok bool) {
	mentions := func(e ir.Expr) bool {
		return slices.ContainsFunc(ir.ExprRefs(e), func(x *ir.Ref) bool { return x.Sym == r.Sym })
	}
	first := true
	for {
		for {
			u, is := e.(*ir.Un)
			if !is || u.Op != ir.Group {
				break
			}
			e = u.E
		}
		if x, is := e.(*ir.Ref); is {
			return op, !first && x.Sym == r.Sym
		}
		b, is := e.(*ir.Bin)
		if !is {
			return op, false
		}
		this := scalar.Add
		switch b.Op {
		case ir.Add, ir.Sub:
		case ir.Mul:
			this = scalar.Mul
		default:
			return op, false
		}
		left, right := mentions(b.L), mentions(b.R)
		if !first && this != op || left == right || right && b.Op == ir.Sub {
			return op, false
		}
		op, first = this, false
		if e = b.L; right {
			e = b.R
		}
	}
}

// magnitude reports whether e is never -0.0.
func magnitude(e ir.Expr) bool {
	c, ok := ir.Ungrouped(e).(*ir.Call)
	return ok && c.Name == "abs"
}

// interleaved reports whether the loop has floating-point sums or products: their order
// is that of the kernel in all builds.
func (v *vectorLoop) interleaved() bool {
	for i := range v.sums {
		if v.splits(i) {
			return true
		}
	}
	return false
}

// complexSums reports whether a sum is COMPLEX.
func (v *vectorLoop) complexSums() bool {
	return slices.ContainsFunc(v.sums, func(s vectorSum) bool { return s.imag })
}

// splits reports whether a reduction has partial values whose order matters.
func (v *vectorLoop) splits(i int) bool {
	return v.k != nil && !v.k.Reductions[i].Ordered && v.sums[i].sym.Type.Part().IsReal() && v.sums[i].op <= scalar.Mul
}
