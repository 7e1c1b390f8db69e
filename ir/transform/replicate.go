package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Replicate makes a nest for each kind of owners of the elements that an iteration of a
// nest assigns: all of the iteration is computed in each, and kept is what its owners have.
// In
//
//	do i = 1, n-1, 2
//	   if (x(i) > x(i+1)) then
//	      t = x(i)
//	      x(i) = x(i+1)
//	      x(i+1) = t
//	   end if
//	end do
//
// no two iterations touch the same element, but x(i) and x(i+1) may have two owners. In
//
//	do i = 1, n-1, 2                    do i = 1, n-1, 2
//	   one = x(i)                          one = before(i)
//	   two = x(i+1)                        two = x(i+1)
//	   before(i) = one
//	   if (one > two) then                 if (one > two) then
//	      t = one                             t = one
//	      one = two                           one = two
//	      two = t                             two = t
//	   end if                              end if
//	   x(i) = one                          x(i+1) = two
//	end do                              end do
//
// each nest is divided among the PEs. An array like "before" has the mapping of the one
// whose values it keeps for the nests behind.
func (a *Analysis) Replicate(loop *ir.Do) (*Change, error) {
	r, err := a.replication(loop)
	if err != nil {
		return nil, err
	}
	if err := r.apart(); err != nil {
		return nil, err
	}
	return r.change(), nil
}

// Replicable reports whether Replicate does not refuse loop.
func (a *Analysis) Replicable(loop *ir.Do) bool {
	r, err := a.replication(loop)
	return err == nil && r.apart() == nil
}

// maxKinds is how often an iteration may be computed.
const maxKinds = 3

// replication is the work of Replicate.
type replication struct {
	a        *Analysis
	nest     []*ir.Do
	elements []*element
	kinds    int
	reduced  map[ir.Stmt]bool // what only the first nest does
}

// element is one that each iteration assigns, or may assign, and surely reads or assigns.
type element struct {
	ref   *ir.Ref
	text  string     // of ref: other references to the same element have it, too
	kind  int        // which nest assigns it
	value *ir.Symbol // of it, within an iteration
	saved *ir.Symbol // what it was before the nests; nil if that is of no use
}

// replication finds the elements, and refuses nests that are not of the form.
func (a *Analysis) replication(loop *ir.Do) (*replication, error) {
	r := &replication{a: a, nest: perfect(loop), reduced: map[ir.Stmt]bool{}}
	for _, d := range r.nest {
		if err := cheapBounds(d); err != nil {
			return nil, err
		}
	}
	body := r.nest[len(r.nest)-1].Body
	if 2*Size(body) > maxPeel {
		return nil, refuse("its body has more than %d statements", maxPeel/2)
	}
	if err := r.collect(body); err != nil {
		return nil, err
	}
	if r.kinds < 2 {
		return nil, refuse("all that it assigns has the same owners")
	}
	if r.kinds > maxKinds {
		return nil, refuse("what it assigns has more than %d kinds of owners", maxKinds)
	}
	var sure []string
	for _, ref := range a.surelyAccessed(body) {
		sure = append(sure, ir.ExprString(ref))
	}
	for _, e := range r.elements {
		if !slices.Contains(sure, e.text) {
			return nil, refuse("%s in line %d is not accessed in each iteration", e.text, e.ref.Pos.Line)
		}
		if v := r.unsteady(e); v != "" {
			return nil, refuse("%s in line %d depends on %s, which it changes", e.text, e.ref.Pos.Line, v)
		}
	}
	return r, r.scalars()
}

// collect finds the elements that body assigns.
func (r *replication) collect(body []ir.Stmt) error {
	var why error
	var kinds []string
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.If:
		case *ir.Assign:
			ref, ok := s.LHS.(*ir.Ref)
			if !ok {
				_, ok = s.LHS.(*ir.Var)
			} else if ok = ref.Sym.Distributed(); ok {
				text := ir.ExprString(ref)
				if slices.ContainsFunc(r.elements, func(e *element) bool { return e.text == text }) {
					break
				}
				_, at := r.a.positions(ref, s, r.nest[0])
				if !slices.Contains(kinds, at) {
					kinds = append(kinds, at)
				}
				r.elements = append(r.elements, &element{ref: ref, text: text, kind: slices.Index(kinds, at)})
			}
			if !ok && why == nil {
				why = refuse("line %d assigns neither a scalar nor an element of a distributed array", s.Pos.Line)
			}
		default:
			if why == nil {
				why = refuse("line %d is neither an assignment nor an IF", s.Position().Line)
			}
		}
		return why == nil
	})
	r.kinds = len(kinds)
	return why
}

// unsteady names what the subscripts of e read and an iteration may change.
func (r *replication) unsteady(e *element) string {
	changed := r.a.info.Modified(r.nest[len(r.nest)-1])
	index := func(sym *ir.Symbol) bool {
		return slices.ContainsFunc(r.nest, func(d *ir.Do) bool { return d.Index == sym })
	}
	bad := ""
	for _, s := range e.ref.Subs {
		ir.WalkExpr(s, func(x ir.Expr) bool {
			var sym *ir.Symbol
			switch x := x.(type) {
			case *ir.Var:
				sym = x.Sym
			case *ir.Ref:
				sym = x.Sym
			}
			if sym != nil && changed[sym] && !index(sym) {
				bad = sym.Name
			}
			return bad == ""
		})
	}
	return bad
}

// scalars refuses what would be changed once by each nest.
func (r *replication) scalars() error {
	inner := r.nest[len(r.nest)-1]
	for _, red := range r.a.info.Reductions(r.nest[0]) {
		for _, s := range red.Stmts {
			r.reduced[s] = true
		}
	}
	var why error
	ir.Walk(inner.Body, func(s ir.Stmt) bool {
		if r.reduced[s] {
			return false
		}
		as, ok := s.(*ir.Assign)
		if !ok || why != nil {
			return why == nil
		}
		if v, ok := as.LHS.(*ir.Var); ok && (r.a.info.Class(r.nest[0], v.Sym) != scalar.Private || r.a.info.LiveAfter(r.nest[0], v.Sym)) {
			why = refuse("%s in line %d keeps its value from one iteration to the next, or for use behind the loop", v.Sym.Name, as.Pos.Line)
		}
		return why == nil
	})
	return why
}

// apart refuses the nest unless no two iterations touch the same of the elements, which
// each reads and assigns once whatever its conditions say, and nothing else in an iteration
// touches them.
func (r *replication) apart() error {
	loop := r.nest[0]
	outer := len(r.a.around[loop])
	occs := r.a.occurrences(loop)
	pairs := 0
	for _, x := range occs {
		x.conds, x.conditional = nil, false
		for _, y := range occs {
			y.conds, y.conditional = nil, false
			if x.ref.Sym != y.ref.Sym || !x.write && !y.write {
				continue
			}
			if x.ref.Sym.IsOpen() {
				return refuse("only the run knows the bounds of %s", x.ref.Sym.Source())
			}
			if pairs++; pairs > maxPairs {
				return refuse("it has more than %d pairs of references to test", maxPairs)
			}
			res := r.a.depends(x, y, loop, outer+len(r.nest))
			carried := slices.ContainsFunc(res.Levels, func(l int) bool { return l != 0 })
			if res.Answer != depend.No && (carried || ir.ExprString(x.ref) != ir.ExprString(y.ref)) {
				return refuse("%s in line %d and %s in line %d may touch the same element: %s",
					ir.ExprString(x.ref), x.stmt.Position().Line, ir.ExprString(y.ref), y.stmt.Position().Line, res.Why)
			}
		}
	}
	return nil
}

// change writes the nests.
func (r *replication) change() *Change {
	c := &Change{Kind: Replicate, Old: r.nest[0]}
	saved := map[*ir.Symbol]*ir.Symbol{}
	var texts []string
	for _, e := range r.elements {
		sym := e.ref.Sym
		e.value = &ir.Symbol{Name: r.a.freshName(sym.Name + ".value"), Pos: sym.Pos, Type: sym.Type, Len: sym.Len, Site: sym.Site}
		r.a.symbols[e.value.Name] = e.value
		c.Symbols = append(c.Symbols, e.value)
		texts = append(texts, e.text)
		if e.kind == r.kinds-1 {
			continue
		}
		if saved[sym] == nil {
			saved[sym] = &ir.Symbol{Name: r.a.freshName(sym.Name + ".before"), Local: sym.Source() + " before the loop", Pos: sym.Pos, Type: sym.Type, Len: sym.Len, Dims: sym.Dims, Temp: true, Site: sym.Site, Mapping: sym.Mapping}
			r.a.symbols[saved[sym].Name] = saved[sym]
			c.Symbols = append(c.Symbols, saved[sym])
		}
		e.saved = saved[sym]
	}
	for kind := range r.kinds {
		c.New = append(c.New, r.copy(kind))
	}
	c.What = fmt.Sprintf("computed by the owners of each of %s", strings.Join(texts, ", "))
	return c
}

// freshName is prefix with a number, such that no symbol has it.
func (a *Analysis) freshName(prefix string) string {
	for i := 1; ; i++ {
		if name := fmt.Sprintf("%s%d", prefix, i); a.symbols[name] == nil {
			return name
		}
	}
}

// copy is the nest that assigns the elements of one kind.
func (r *replication) copy(kind int) ir.Stmt {
	cp := ir.NewCopier()
	for s := range r.reduced {
		if kind > 0 {
			cp.With[s] = nil
		}
	}
	assign := func(s ir.Stmt, l, e ir.Expr) ir.Stmt {
		return &ir.Assign{S: ir.S{Pos: s.Position(), Site: s.CallSite()}, LHS: l, RHS: e}
	}
	inner := r.nest[len(r.nest)-1]
	body := func(list []ir.Stmt) []ir.Stmt {
		var first, last []ir.Stmt
		for _, e := range r.elements {
			x := ir.X{Pos: e.ref.Pos, Typ: e.ref.Typ, Raw: true}
			value := func() ir.Expr { return &ir.Var{X: x, Sym: e.value} }
			of := func(sym *ir.Symbol) ir.Expr { // it may have no value yet, where the iteration reads none
				ref := ir.Clone(e.ref).(*ir.Ref)
				ref.Sym, ref.Raw = sym, true
				return ref
			}
			from := e.ref.Sym
			if e.kind < kind {
				from = e.saved
			}
			first = append(first, assign(list[0], value(), of(from)))
			if e.kind == kind {
				if e.saved != nil {
					last = append(last, assign(list[0], of(e.saved), value()))
				}
			}
		}
		first = append(first, last...)
		out := cp.Block(list)
		for _, e := range r.elements {
			if e.kind == kind {
				x := ir.X{Pos: e.ref.Pos, Typ: e.ref.Typ, Raw: true}
				out = append(out, assign(list[len(list)-1], ir.Clone(e.ref), &ir.Var{X: x, Sym: e.value}))
			}
		}
		r.promote(out[:len(out)-r.count(kind)])
		return append(first, out...)
	}
	var build func(k int) ir.Stmt
	build = func(k int) ir.Stmt {
		return cp.Do(r.nest[k], func(list []ir.Stmt) []ir.Stmt {
			if r.nest[k] == inner {
				return body(list)
			}
			return []ir.Stmt{build(k + 1)}
		})
	}
	return build(0)
}

// count is how many elements are of a kind.
func (r *replication) count(kind int) int {
	n := 0
	for _, e := range r.elements {
		if e.kind == kind {
			n++
		}
	}
	return n
}

// promote puts the values in the place of the elements in body.
func (r *replication) promote(body []ir.Stmt) {
	swap := func(e ir.Expr) ir.Expr {
		ref, ok := e.(*ir.Ref)
		if !ok {
			return nil
		}
		text := ir.ExprString(ref)
		for _, x := range r.elements {
			if x.text == text {
				return &ir.Var{X: ir.X{Pos: ref.Pos, Typ: ref.Typ}, Sym: x.value}
			}
		}
		return nil
	}
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			s.LHS, s.RHS = ir.Rewrite(s.LHS, swap), ir.Rewrite(s.RHS, swap)
		case *ir.If:
			s.Cond = ir.Rewrite(s.Cond, swap)
		}
		return true
	})
}
