package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Around a kernel of several iterations there may be statements before and behind the inner
// loop. Those before it are executed for all iterations, then the kernel, then those behind
// it for all:
//
//	do j = 1, n                       for ... {
//	   s = 0                              s = 0.0
//	   do k = 1, n                        sN1 := s       // of j
//	      s = s + a(k,j)*x(k)             s = 0.0
//	   end do                             sN2 := s       // of j + 1
//	   y(j) = s                           ... // one kernel with two sums
//	end do                                s = sN1
//	                                      s = s + spmd.FoldSum(...)
//	                                      y.Data[y.At1(j)] = s
//	                                      ...
//
// This changes no value where they do not touch what the kernel of another iteration
// stores, and the other way round.

// nest is a loop around a leaf loop.
type nest struct {
	o, d          *ir.Do
	before, after []ir.Stmt // beside d
}

// nestOf recognises a loop with one leaf loop in it, beside assignments and IFs.
func nestOf(o *ir.Do) (n nest, ok bool) {
	at := -1
	for i, s := range o.Body {
		if _, is := s.(*ir.Do); is {
			if at >= 0 {
				return n, false
			}
			at = i
		}
	}
	if at < 0 {
		return n, false
	}
	n = nest{o, o.Body[at].(*ir.Do), o.Body[:at], o.Body[at+1:]}
	return n, isLeaf(n.d.Body) && isLeaf(n.before) && isLeaf(n.after)
}

// touched are the scalars and arrays that statements mention.
func touched(list []ir.Stmt) map[*ir.Symbol]bool {
	set := map[*ir.Symbol]bool{}
	ir.WalkExprs(list, func(_ ir.Stmt, e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var:
			set[e.Sym] = true
		case *ir.Ref:
			set[e.Sym] = true
		}
		return true
	})
	return set
}

// assigned reports whether statements themselves assign a scalar.
func assigned(list []ir.Stmt, sym *ir.Symbol, under bool) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			if v, ok := s.LHS.(*ir.Var); ok && v.Sym == sym {
				return true
			}
		case *ir.If:
			if under && (assigned(s.Then, sym, true) || assigned(s.Else, sym, true)) {
				return true
			}
		}
	}
	return false
}

// separates reports whether the statements beside the loop of a nest may be executed for
// several iterations before, and behind, the loop of all of them.
func (g *gen) separates(n nest) bool {
	if len(n.before)+len(n.after) == 0 {
		return true
	}
	loop := []ir.Stmt{n.d}
	parts := []map[*ir.Symbol]bool{touched(n.before), touched(loop), touched(n.after)}
	changed := g.prog.Modified(n.o)
	for _, sym := range g.prog.IR.Symbols {
		in := 0
		for _, p := range parts {
			if p[sym] {
				in++
			}
		}
		switch {
		case in < 2 || !changed[sym] || sym == n.o.Index || sym == n.d.Index:
		case sym.IsArray():
			if !g.apartByIndex(n, sym) {
				return false
			}
		default:
			switch g.prog.Info.Class(n.o, sym) {
			case scalar.Private:
			case scalar.PrivateLast:
				if !assigned(n.before, sym, false) {
					return false
				}
			default:
				return false
			}
		}
	}
	// The inner loop, and what it touches, must be the same for all.
	ok := true
	names := func(e ir.Expr) {
		f, linear := g.prog.Affine(e)
		if !linear {
			return // such a reference is of no kernel
		}
		for _, name := range f.Vars() {
			ok = ok && !assigned(n.before, g.symbols[name], true)
		}
	}
	names(n.d.Lo)
	names(n.d.Hi)
	ir.WalkExprs(n.d.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, is := e.(*ir.Ref); is {
			for _, s := range r.Subs {
				names(s)
			}
		}
		return true
	})
	return ok
}

// apartByIndex reports whether each iteration of a nest touches elements of an array of its
// own: in some dimension all subscripts are one, which moves with the index.
func (g *gen) apartByIndex(n nest, array *ir.Symbol) bool {
	var refs []*ir.Ref
	ir.WalkExprs(n.o.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && r.Sym == array {
			refs = append(refs, r)
		}
		return true
	})
	changed := g.prog.Modified(n.o)
	for d := range refs[0].Subs {
		first, ok := g.prog.Affine(refs[0].Subs[d])
		if !ok || !first.Uses(n.o.Index.Name) {
			continue
		}
		for _, name := range first.Vars() {
			ok = ok && (name == n.o.Index.Name || !changed[g.symbols[name]])
		}
		for _, r := range refs[1:] {
			f, linear := g.prog.Affine(r.Subs[d])
			ok = ok && linear && f.Equal(first)
		}
		if ok {
			return true
		}
	}
	return false
}

// given are the scalars that statements before the loop of a nest give a value for it, or for
// those behind it.
func (g *gen) given(n nest) []*ir.Symbol {
	var list []*ir.Symbol
	later := touched(append([]ir.Stmt{n.d}, n.after...))
	for _, sym := range g.prog.IR.Symbols {
		if !sym.IsArray() && later[sym] && assigned(n.before, sym, true) {
			list = append(list, sym)
		}
	}
	return list
}

// nested emits several iterations of a nest at once.
func (g *gen) nested(n nest, v *vectorLoop, r *comm.Region) {
	keep := g.given(n)
	v.jam.saved = map[*ir.Symbol][]string{}
	if v.jam.peel {
		v.jam.from(g, n.d)
	}
	for c := range v.copies() {
		v.jam.indexed(g, c, func() {
			g.stmts(n.before, r)
			if v.jam.peel && c+1 < v.copies() {
				v.jam.head(g, n.d, r)
			}
			for _, sym := range keep {
				name := g.names.fresh(fmt.Sprintf("%sOf%d", g.names.sym(sym), c+1))
				g.out.p("%s := %s", name, g.load(&ir.Var{X: ir.X{Typ: sym.Type}, Sym: sym}))
				v.jam.saved[sym] = append(v.jam.saved[sym], name)
			}
			for i, s := range v.sums {
				if s.copy == c && !v.k.Reductions[i].Ordered {
					g.out.at = n.d.Pos.Line
					g.startSum(v, i)
				}
			}
		})
	}
	first := len(g.out.lines)
	if v.jam.peel {
		v.jam.tail(g, v)
	} else {
		g.kernelLoop(v)
	}
	for c := range v.copies() {
		v.jam.indexed(g, c, func() {
			for _, sym := range keep {
				summed := slices.ContainsFunc(v.sums, func(s vectorSum) bool { return s.sym == sym && s.ref == nil })
				if summed || touched(n.after)[sym] {
					g.out.p("%s = %s", g.scalar(sym), v.jam.saved[sym][c])
				}
			}
			for i, s := range v.sums {
				if s.copy == c && !v.k.Reductions[i].Ordered {
					g.out.at = s.line
					g.fold(s, g.partialName(v, i))
				}
			}
			g.stmts(n.after, r)
		})
	}
	for _, names := range v.jam.saved {
		for _, name := range names {
			if !mentionedIn(g.out.lines[first:], name) {
				g.out.p("_ = %s", name)
			}
		}
	}
	v.jam.saved = nil
}
