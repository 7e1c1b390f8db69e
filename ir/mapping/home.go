package mapping

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// homes honours ON HOME (High Performance Fortran 2.0, section 9.2). The owners of what a statement assigns
// execute it; where ON HOME names others, they assign to an array that lies as the home does, from where the
// value is copied:
//
//	!HPF$ ON HOME (b(i+1))
//	a(i) = f(c(i))              home.1(i+1) = f(c(i))
//	                            a(i) = home.1(i+1)
//
// What is said of scalars is honoured of sums and the like alone, whose parts the owners of the home compute: any
// other scalar is computed by the PEs that use it.
func (r *resolver) homes() {
	found := false
	ir.Walk(r.p.Body, func(s ir.Stmt) bool {
		found = found || s.OnHome() != nil
		return !found
	})
	if !found {
		return
	}
	h := &homes{r: r, templates: map[*ir.Symbol]bool{}}
	r.p.Body = h.list(r.p.Body, nil)
	ir.Walk(r.p.Body, func(s ir.Stmt) bool {
		s.SetOnHome(nil)
		return true
	})
	r.p.Symbols = slices.DeleteFunc(r.p.Symbols, func(s *ir.Symbol) bool { return h.templates[s] })
	r.p.Symbols = append(r.p.Symbols, h.made...)
}

type homes struct {
	r         *resolver
	made      []*ir.Symbol
	templates map[*ir.Symbol]bool // arrays that stand for templates
}

// list places the statements of a list inside of loops.
func (h *homes) list(list []ir.Stmt, loops []*ir.Do) (out []ir.Stmt) {
	for _, s := range list {
		inner := loops
		if d, ok := s.(*ir.Do); ok {
			inner = append(slices.Clip(loops), d)
		}
		ir.ReplaceBodies(s, func(body []ir.Stmt) []ir.Stmt { return h.list(body, inner) })
		on := s.OnHome()
		if h.r.p.Asserts {
			h.residents(s, on)
		}
		var home *ir.Place
		for ; on != nil; on = on.Outer {
			if on.Home != nil && on.Home.Ref.Sym.Temp {
				h.templates[on.Home.Ref.Sym] = true
			}
			if home == nil {
				home = on.Home
			}
		}
		if as, ok := s.(*ir.Assign); ok && home != nil && home.Ref.Sym.Distributed() {
			out = append(out, h.split(as, home, loops)...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// split is what as becomes when the owners of home are to execute it.
func (h *homes) split(as *ir.Assign, home *ir.Place, loops []*ir.Do) []ir.Stmt {
	term := &as.RHS
	var lhs []ir.Expr
	switch l := as.LHS.(type) {
	case *ir.Ref:
		if sameOwners(l, home) || isNew(l.Sym, loops) || !l.Sym.Distributed() && !reads(as.RHS) {
			return []ir.Stmt{as}
		}
		lhs = l.Subs
	case *ir.Var:
		if term = accumulated(l, as.RHS); term == nil || !reads(*term) {
			return []ir.Stmt{as}
		}
		for _, ref := range ir.ExprRefs(*term) {
			if sameOwners(ref, home) {
				return []ir.Stmt{as}
			}
		}
		for _, d := range loops { // the elements of the sum: one for each iteration
			lhs = append(lhs, &ir.Var{X: ir.X{Pos: as.Pos, Typ: d.Index.Type}, Sym: d.Index})
		}
	default:
		return []ir.Stmt{as}
	}
	t, subs := h.array(as, home, lhs, loops, (*term).Type())
	if t == nil {
		return []ir.Stmt{as}
	}
	at := func() *ir.Ref {
		ref := &ir.Ref{X: ir.X{Pos: as.Pos, Typ: t.Type}, Sym: t}
		for _, e := range subs {
			ref.Subs = append(ref.Subs, ir.Clone(e))
		}
		return ref
	}
	there := &ir.Assign{S: as.S, LHS: at(), RHS: *term}
	*term = at()
	return []ir.Stmt{there, as}
}

// array makes the array for the values that as assigns, with the subscripts of the element for one value. It has the dimensions
// of the home, and one for each of the subscripts lhs that depends on a loop of which the home does not. It is nil, with
// a warning, where the bounds are not known.
func (h *homes) array(as *ir.Assign, home *ir.Place, lhs []ir.Expr, loops []*ir.Do, typ ir.Type) (*ir.Symbol, []ir.Expr) {
	of := home.Ref.Sym
	t := &ir.Symbol{Name: h.name(), Pos: as.Pos, Type: typ, Dims: slices.Clone(of.Dims), Temp: true, Site: as.Site}
	t.Local = fmt.Sprintf("values of line %d at the home", as.Pos.Line)
	m := *of.Mapping
	m.Map.Axes = slices.Clone(m.Map.Axes)
	subs := slices.Clone(home.Ref.Subs)
	known := !of.IsOpen() && len(m.Ends) == 0
	for k, e := range lhs {
		for _, d := range loops {
			if !ir.Mentions(e, d.Index) || slices.ContainsFunc(home.Ref.Subs, func(x ir.Expr) bool { return ir.Mentions(x, d.Index) }) {
				continue
			}
			b, ok := span(as, k, d)
			if !ok {
				known = false
			}
			t.Dims = append(t.Dims, b)
			m.Map.Axes = append(m.Map.Axes, dist.Axis{Lo: b.Lo, Hi: b.Hi, Grid: -1, Format: dist.Collapsed, TLo: b.Lo, THi: b.Hi, A: 1})
			subs = append(subs, e)
			break
		}
	}
	if !known {
		h.r.diags.Warnf(source.NotHonoured, home.Ref.Pos, "ON HOME of %s, whose bounds are not known before run time: line %d is executed where it assigns", of.Source(), as.Pos.Line).
			WithHelp("declare the array with constant bounds, or let ON HOME name what is assigned; the results are the same")
		return nil, nil
	}
	if as.LHS.Type() == ir.Character {
		t.Len = ir.Target(as.LHS).Len
	}
	t.Mapping = &m
	h.made = append(h.made, t)
	return t, subs
}

// span is what subscript k of the left side of as, or the index of d, which counts for a scalar, ranges over.
func span(as *ir.Assign, k int, d *ir.Do) (ir.Bound, bool) {
	if l, ok := as.LHS.(*ir.Ref); ok {
		return l.Sym.Dims[k], !l.Sym.Dims[k].Open()
	}
	lo, okLo := d.Lo.(*ir.Const)
	hi, okHi := d.Hi.(*ir.Const)
	if !okLo || !okHi {
		return ir.Bound{}, false
	}
	return ir.Bound{Lo: min(lo.Int, hi.Int), Hi: max(lo.Int, hi.Int)}, true
}

// name is a name for an array, with a dot as no name of the source has it.
func (h *homes) name() string {
	for i := len(h.made) + 1; ; i++ {
		name := fmt.Sprintf("home.%d", i)
		if !slices.ContainsFunc(h.r.p.Symbols, func(s *ir.Symbol) bool { return s.Name == name }) {
			return name
		}
	}
}

// isNew reports whether INDEPENDENT of one of loops gives each iteration an array s of its own.
func isNew(s *ir.Symbol, loops []*ir.Do) bool {
	return slices.ContainsFunc(loops, func(d *ir.Do) bool { return d.Independent != nil && slices.Contains(d.Independent.New, s) })
}

// reads reports whether e reads a distributed array.
func reads(e ir.Expr) bool {
	return slices.ContainsFunc(ir.ExprRefs(e), func(r *ir.Ref) bool { return r.Sym.Distributed() })
}

// accumulated is the term that rhs adds to v, or combines with it in another way; nil if it does neither.
func accumulated(v *ir.Var, rhs ir.Expr) *ir.Expr {
	isV := func(e ir.Expr) bool { x, ok := ir.Ungrouped(e).(*ir.Var); return ok && x.Sym == v.Sym }
	pick := func(a, b *ir.Expr) *ir.Expr {
		switch {
		case isV(*a) && !ir.Mentions(*b, v.Sym):
			return b
		case isV(*b) && !ir.Mentions(*a, v.Sym):
			return a
		}
		return nil
	}
	switch e := rhs.(type) {
	case *ir.Bin:
		switch e.Op {
		case ir.Add, ir.Mul:
			return pick(&e.L, &e.R)
		case ir.Sub:
			if isV(e.L) && !ir.Mentions(e.R, v.Sym) {
				return &e.R
			}
		}
	case *ir.Call:
		if (e.Name == "max" || e.Name == "min") && len(e.Args) == 2 {
			return pick(&e.Args[0], &e.Args[1])
		}
	}
	return nil
}

// position is where a subscript of an axis lies on a grid dimension.
type position struct {
	axis dist.Axis // as far as it says how positions are dealt out
	sub  ir.Expr   // of an axis; nil: at position axis.B
	any  bool      // a section: anywhere
}

// positions are the places of an element, by grid dimension.
func positions(ref *ir.Ref, last []ir.Expr) map[int]position {
	out := map[int]position{}
	for d, ax := range ref.Sym.Mapping.Map.Axes {
		if ax.Grid >= 0 {
			out[ax.Grid] = position{axis: ax, sub: ref.Subs[d], any: last != nil && last[d] != nil}
		}
	}
	for _, f := range ref.Sym.Mapping.Map.Fixed {
		out[f.Grid] = position{axis: dist.Axis{Format: f.Format, TLo: f.TLo, THi: f.THi, A: 0, B: f.Pos}}
	}
	return out
}

// sameOwners reports whether the PEs that own ref are seen to be owners of home.
func sameOwners(ref *ir.Ref, home *ir.Place) bool {
	if !ref.Sym.Distributed() || ref.Sym.Mapping.Grid != home.Ref.Sym.Mapping.Grid {
		return false
	}
	mine := positions(ref, nil)
	for g, p := range positions(home.Ref, home.Last) {
		if q, ok := mine[g]; !p.any && (!ok || !p.same(q)) {
			return false
		}
	}
	return true
}

// same reports whether p and q are seen to be the same position.
func (p position) same(q position) bool {
	if p.axis.Format != q.axis.Format || p.axis.TLo != q.axis.TLo || p.axis.THi != q.axis.THi {
		return false
	}
	if p.sub != nil && q.sub != nil && p.axis.A == q.axis.A && p.axis.B == q.axis.B && ir.Same(p.sub, q.sub) {
		return true
	}
	a, okA := p.form()
	b, okB := q.form()
	return okA && okB && a.Equal(b)
}

// form is the template position.
func (p position) form() (linalg.Affine, bool) {
	f, ok := linalg.Const(0), true
	if p.sub != nil {
		if f, ok = ir.Affine(p.sub, func(s *ir.Symbol) (linalg.Affine, bool) { return linalg.Var(s.Name), true }); !ok {
			return f, false
		}
	}
	if f, ok = f.Scale(int64(p.axis.A)); !ok {
		return f, false
	}
	return f.Add(linalg.Const(int64(p.axis.B)))
}

// residents has what RESIDENT says of the elements that s accesses tested: each lies with a PE of the home, and each
// copy of one that is assigned does.
func (h *homes) residents(s ir.Stmt, on *ir.On) {
	for ; on != nil; on = on.Outer {
		home := on.Home
		for o := on.Outer; o != nil && home == nil; o = o.Outer {
			home = o.Home
		}
		if !on.Resident || home == nil || !home.Ref.Sym.Distributed() {
			continue
		}
		tested := func(ref *ir.Ref) bool {
			return ref.Sym.Distributed() && !sameOwners(ref, home) && (len(on.Objects) == 0 || slices.ContainsFunc(on.Objects, func(p *ir.Place) bool { return has(p, ref) }))
		}
		read := func(e ir.Expr) ir.Expr {
			var with func(e ir.Expr) ir.Expr
			with = func(e ir.Expr) ir.Expr {
				ref, ok := e.(*ir.Ref)
				if !ok || !tested(ref) {
					return nil
				}
				return h.resident(ir.Rebuild(ref, func(x ir.Expr) ir.Expr { return ir.Rewrite(x, with) }), ref, home, on, false)
			}
			return ir.Rewrite(e, with)
		}
		switch s := s.(type) {
		case *ir.Assign:
			s.RHS = read(s.RHS)
			if ref, ok := s.LHS.(*ir.Ref); ok && tested(ref) {
				s.RHS = h.resident(s.RHS, ref, home, on, true)
			}
		case *ir.If:
			s.Cond = read(s.Cond)
		}
	}
}

// has reports whether ref is the element that RESIDENT names as p, or may be one of the section.
func has(p *ir.Place, ref *ir.Ref) bool {
	if p.Ref.Sym != ref.Sym {
		return false
	}
	for d, last := range p.Last {
		if last == nil && !ir.Same(p.Ref.Subs[d], ref.Subs[d]) {
			return false
		}
	}
	return true
}

// resident is value, where the run time tests that ref lies at home.
func (h *homes) resident(value ir.Expr, ref *ir.Ref, home *ir.Place, on *ir.On, assigned bool) ir.Expr {
	args := []ir.Expr{value}
	for _, e := range ref.Subs {
		args = append(args, ir.Clone(e))
	}
	for _, e := range home.Ref.Subs {
		args = append(args, ir.Clone(e))
	}
	for d, e := range home.Last {
		if e == nil {
			e = home.Ref.Subs[d]
		}
		args = append(args, ir.Clone(e))
	}
	return &ir.Call{X: ir.X{Pos: value.Position(), Typ: value.Type()}, Name: "resident", Args: args,
		Resident: &ir.Resident{Array: ref.Sym, Assigned: assigned, Line: on.Pos.Line, Of: ref.Sym.Mapping, Home: home.Ref.Sym.Mapping}}
}
