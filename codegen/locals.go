package codegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// Elements of a small array that is private to the iterations of a loop, as a work array of a
// finite element is, are variables of the iteration where all subscripts are known once the
// loops inside are unrolled:
//
//	do e = 1, ne                          b_1 = y(node(2,e)) - y(node(3,e))
//	   b(1) = y(node(2,e)) - y(node(3,e)) b_2 = y(node(3,e)) - y(node(1,e))
//	   b(2) = y(node(3,e)) - y(node(1,e)) ke_1_1 = b_1*b_1
//	   do i = 1, 2                        ke_1_2 = b_1*b_2
//	      do j = 1, 2                     ...
//	         ke(i,j) = b(i)*b(j)
//	      end do
//	   end do
//	   ...
//
// They stay in registers then, and the loop may be a kernel. Nobody needs the array behind the loop.

// mostLocals is the number of elements of an array that are variables, at most.
const mostLocals = 64

// locals are the variables, by array and element.
type locals map[*ir.Symbol]map[string]*ir.Symbol

// scalarArrays lists the arrays of which all elements that body mentions can be variables of an
// iteration of d: body is that of d without the loops in it.
func (g *gen) scalarArrays(d *ir.Do, body []ir.Stmt) locals {
	if g.prog.IR.SPMD {
		return nil
	}
	list, not := locals{}, map[*ir.Symbol]bool{}
	ir.WalkExprs(body, func(_ ir.Stmt, e ir.Expr) bool {
		r, ok := e.(*ir.Ref)
		if !ok || not[r.Sym] {
			return true
		}
		if list[r.Sym] == nil {
			_, number := vectorType(r.Sym.Type)
			if !number || r.Sym.Distributed() || r.Sym.Coarray || !slices.Contains(g.prog.Private(d), r.Sym) && !g.prog.Info.PrivateArray(d, r.Sym) {
				not[r.Sym] = true
				return true
			}
			list[r.Sym] = map[string]*ir.Symbol{}
		}
		subs, inside := elementOf(r)
		if acc := g.access(r); !inside || acc != nil && acc.Comm != nil {
			not[r.Sym] = true
			return true
		}
		list[r.Sym][subs] = g.localOf(r.Sym, subs)
		not[r.Sym] = len(list[r.Sym]) > mostLocals
		return true
	})
	maps.DeleteFunc(list, func(sym *ir.Symbol, _ map[string]*ir.Symbol) bool { return not[sym] })
	return list
}

// elementOf names the element of an array that a reference with constant subscripts is to, if there is one.
func elementOf(r *ir.Ref) (subs string, inside bool) {
	var list []string
	for d, e := range r.Subs {
		c, ok := constantOf(e)
		b := r.Sym.Dims[d]
		if !ok || b.Open() || c.Int < b.Lo || c.Int > b.Hi {
			return "", false
		}
		list = append(list, fmt.Sprint(c.Int))
	}
	return strings.Join(list, ","), true
}

// localOf is the variable for an element, always the same one.
func (g *gen) localOf(array *ir.Symbol, subs string) *ir.Symbol {
	name := fmt.Sprintf("%s(%s)", array.Name, subs)
	of := g.locals[array]
	if of == nil {
		of = map[string]*ir.Symbol{}
		g.locals[array] = of
	}
	if of[subs] == nil {
		of[subs] = &ir.Symbol{Name: name, Type: array.Type, Temp: true}
		g.names.of[of[subs]] = g.names.fresh(array.Name + "_" + strings.NewReplacer(",", "_", "-", "m").Replace(subs))
	}
	return of[subs]
}

// of is the variable that a reference is to, or nil.
func (l locals) of(r *ir.Ref) *ir.Symbol {
	if l[r.Sym] == nil {
		return nil
	}
	subs, _ := elementOf(r)
	return l[r.Sym][subs]
}

// isLocal reports whether sym is such a variable.
func (f *flattened) isLocal(sym *ir.Symbol) bool {
	for _, of := range f.locals {
		for _, v := range of {
			if v == sym {
				return true
			}
		}
	}
	return false
}

// symbols lists the variables, by name.
func (l locals) symbols() (list []*ir.Symbol) {
	for _, of := range l {
		for _, sym := range of {
			list = append(list, sym)
		}
	}
	slices.SortFunc(list, func(x, y *ir.Symbol) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// used is body without the assignments to variables that nothing in it uses. Where one was the only
// use of another variable, assignments to that go too.
func (l locals) used(body []ir.Stmt) []ir.Stmt {
	mine := map[*ir.Symbol]bool{}
	for _, sym := range l.symbols() {
		mine[sym] = true
	}
	for dropped := true; dropped; {
		uses := usedIn(body)
		dropped = false
		var keep func(list []ir.Stmt) []ir.Stmt
		keep = func(list []ir.Stmt) (out []ir.Stmt) {
			for _, s := range list {
				switch s := s.(type) {
				case *ir.Assign:
					if v, ok := s.LHS.(*ir.Var); ok && mine[v.Sym] && !uses[v.Sym] {
						dropped = true
						continue
					}
				case *ir.If:
					s.Then, s.Else = keep(s.Then), keep(s.Else)
				}
				out = append(out, s)
			}
			return out
		}
		body = keep(body)
	}
	return body
}

// usedIn are the variables that a statement of body reads, or that are in a subscript.
func usedIn(body []ir.Stmt) map[*ir.Symbol]bool {
	uses := map[*ir.Symbol]bool{}
	see := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if v, ok := e.(*ir.Var); ok {
				uses[v.Sym] = true
			}
			return true
		})
	}
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			see(s.RHS)
			if r, ok := s.LHS.(*ir.Ref); ok {
				see(r)
			}
		case *ir.If:
			see(s.Cond)
		}
		return true
	})
	return uses
}

// flatten has the leaf's body be that of f.
func (l *leaf) flatten(f *flattened) {
	l.flat = f
	if f == nil {
		return
	}
	l.body = f.body
	for _, sym := range f.locals.symbols() {
		l.varies[sym] = true
	}
}

// declareLocals emits the variables of an iteration. What it returns removes those that
// nothing has used since.
func (l *leaf) declareLocals() (end func()) {
	g := l.g
	if l.flat == nil || l.flat.locals == nil {
		return func() {}
	}
	list, at := l.flat.locals.symbols(), len(g.out.lines)
	for _, sym := range list {
		name := g.names.sym(sym)
		g.partial[sym] = func() string { return name }
		g.out.p("var %s %s", name, goType(sym.Type))
	}
	return func() {
		for i, sym := range slices.Backward(list) {
			g.dropUnused(at+i, g.names.sym(sym))
			delete(g.partial, sym)
		}
	}
}
