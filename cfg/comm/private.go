package comm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// An array that NEW names has a value of its own in each iteration, which is undefined
// when the iteration begins and when it has ended. If it is not distributed, every PE
// has a copy, and that is the one of the iterations that the PE executes:
//
//	!HPF$ INDEPENDENT, NEW(w)
//	do j = 1, n                       by the owner of b(:,j)
//	   do k = 1, m
//	      w(k) = a(k,j)               by whoever executes iteration j
//	   end do
//	   do i = 1, n
//	      b(i,j) = w(ip(i))
//	   end do
//	end do
//
// So has an array whose elements each iteration is proved to assign before it uses them,
// and that nobody uses behind the loop as it left them, and an array of a procedure that
// each iteration calls (scalar.Info.PrivateArray).
//
// A distributed array has no such copies: each element is at its owner, with its value
// in the order of the source, as if NEW did not name it.

// Private lists the arrays of which each iteration of d has a value of its own, as NEW
// says.
func (p *Program) Private(d *ir.Do) []*ir.Symbol {
	if d.Independent == nil || p.IR.SPMD {
		return nil
	}
	var list []*ir.Symbol
	for _, sym := range d.Independent.New {
		if sym.IsArray() && !sym.Distributed() && !slices.Contains(list, sym) {
			list = append(list, sym)
		}
	}
	return list
}

// private is the innermost of loops to whose iterations array sym is private, nil if it
// is to none.
func (a *analyzer) private(sym *ir.Symbol, loops []ir.Stmt) *ir.Do {
	for _, l := range slices.Backward(loops) {
		d, ok := l.(*ir.Do)
		if ok && !sym.Distributed() && (slices.Contains(a.out.Private(d), sym) || a.info.PrivateArray(d, sym)) {
			return d
		}
	}
	return nil
}

// privateArray says why PEs that execute a part of the region cannot assign private
// array sym in s, inside of loops: what an iteration computes is all of it used by the
// PE that executes that iteration.
func (t *attempt) privateArray(s ir.Stmt, sym *ir.Symbol, loops []ir.Stmt) string {
	owner := t.a.private(sym, loops)
	if owner == nil {
		return "" // then nobody executes a part of the loops around
	}
	if t.divided() && !slices.Contains(t.a.out.Private(owner), sym) {
		t.proved = append(t.proved, privacy{owner, sym})
	}
	for _, l := range loops[slices.Index(loops, ir.Stmt(owner)):] {
		if d, ok := l.(*ir.Do); ok && d != owner && t.region.Shares(d) {
			return fmt.Sprintf("%s in line %d is private to the iterations of the loop in line %d, and that in line %d is divided", sym.Name, s.Position().Line, owner.Pos.Line, d.Pos.Line)
		}
	}
	return ""
}

// fetches says why a region is none in which c would bring what a private array is
// computed from, unless NEW says that it is private: all PEs compute the array together
// from what each has. What subscripts pick is listed by each PE for the iterations that it
// executes, and nothing else comes; and what is the same in all iterations of a loop that
// they divide comes once for all of them.
func (t *attempt) fetches(o occurrence, c *Comm) string {
	as, ok := o.stmt.(*ir.Assign)
	if !ok || c.Overlap || c.Kind == Irregular {
		return ""
	}
	for _, l := range o.loops {
		if d, ok := l.(*ir.Do); ok && t.region.Shares(d) && t.same(o.ref, d) {
			return ""
		}
	}
	sym := ir.Target(as.LHS)
	if slices.ContainsFunc(t.proved, func(x privacy) bool { return x.sym == sym }) {
		return fmt.Sprintf("each PE would fetch %s in line %d, to compute all of %s", ir.ExprString(o.ref), o.stmt.Position().Line, sym.Name)
	}
	return ""
}

// same reports whether ref is to the same elements in all iterations of d.
func (t *attempt) same(ref *ir.Ref, d *ir.Do) bool {
	return !slices.ContainsFunc(ref.Subs, func(e ir.Expr) bool {
		f, ok := t.a.affine(e)
		return !ok || slices.ContainsFunc(f.Vars(), func(name string) bool {
			sym := t.a.symbols[name]
			inside := slices.ContainsFunc(d.Body, func(s ir.Stmt) bool { return indexIn(s, sym) })
			return sym == nil || t.variant[sym] && !inside
		})
	})
}

// indexIn reports whether sym is the index of a loop in s.
func indexIn(s ir.Stmt, sym *ir.Symbol) (found bool) {
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		d, ok := s.(*ir.Do)
		found = found || ok && d.Index == sym
		return !found
	})
	return found
}

// privacy is an array that is proved to be private to the iterations of a loop, in a
// region that the PEs divide.
type privacy struct {
	loop *ir.Do
	sym  *ir.Symbol
}

// Proved lists the arrays that are private to the iterations of d although NEW does not
// say so, where that is made use of, by name.
func (p *Program) Proved(d *ir.Do) (list []*ir.Symbol) {
	for _, x := range p.proved {
		if x.loop == d && !slices.Contains(list, x.sym) {
			list = append(list, x.sym)
		}
	}
	slices.SortFunc(list, func(x, y *ir.Symbol) int { return cmp.Compare(x.Name, y.Name) })
	return list
}

// explainPrivate lists the loops with private arrays.
func (p *Program) explainPrivate(b *strings.Builder) {
	var lines []string
	ir.Walk(p.IR.Body, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok {
			add := func(list []*ir.Symbol, why string) {
				if names := namesOf(list, (*ir.Symbol).IsArray); names != "" {
					lines = append(lines, fmt.Sprintf("line %d, do %s: %s, %s", d.Pos.Line, d.Index.Name, names, why))
				}
			}
			add(p.Private(d), "by NEW")
			add(p.Proved(d), "of which it uses nothing that was there before")
		}
		return true
	})
	section(b, "arrays of which each iteration has a value of its own", lines)
}
