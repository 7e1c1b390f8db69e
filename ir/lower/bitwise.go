package lower

import "github.com/spmdc/spmdc/ir"

// Arrays that hold numbers of several types. Lowering makes of a variable of type REAL that
// shares storage with one of type INTEGER references of type REAL to an INTEGER array. They
// become what moves the bits: with r = x_storage(3), from
//
//	r = 2 * r
//
// comes x_storage(3) = transfer(2 * transfer(x_storage(3))).

// Where COMPLEX numbers share storage with reals the elements are their parts: a COMPLEX
// reference is to its real part, behind which its imaginary part is, and from z = 2*z comes
//
//	t = 2*cmplx(z_storage(1), z_storage(2))
//	z_storage(1) = real(t)
//	z_storage(2) = aimag(t)

// bitwise is list with the transfers, also in the statements inside of those in list.
func (l *lowerer) bitwise(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		if as, ok := s.(*ir.Assign); ok {
			out = append(out, l.bitwiseAssign(as)...)
			continue
		}
		ir.ReplaceBodies(s, l.bitwise)
		replaceExprs(s, bits)
		out = append(out, s)
	}
	return out
}

// bitwiseAssign is bitwise of an assignment.
func (l *lowerer) bitwiseAssign(s *ir.Assign) []ir.Stmt {
	r, ok := s.LHS.(*ir.Ref)
	s.RHS = bits(s.RHS)
	switch {
	case ok && isPair(r):
		t := l.local("pair", r.Typ, r.Pos)
		out := one(&ir.Assign{S: s.S, LHS: &ir.Var{X: ir.X{Pos: r.Pos, Typ: r.Typ}, Sym: t}, RHS: s.RHS})
		for k, name := range []string{"real", "aimag"} {
			x := &ir.Call{X: ir.X{Pos: r.Pos, Typ: r.Typ.Part()}, Name: name, Args: []ir.Expr{&ir.Var{X: ir.X{Pos: r.Pos, Typ: r.Typ}, Sym: t}}}
			out = append(out, l.bitwiseAssign(&ir.Assign{S: s.S, LHS: partOf(r, k), RHS: x})...)
		}
		return out
	case ok && r.Typ != r.Sym.Type:
		s.RHS = &ir.Call{X: ir.X{Pos: r.Pos, Typ: r.Sym.Type}, Name: "transfer", Args: []ir.Expr{s.RHS}}
		r.Typ = r.Sym.Type
	}
	s.LHS = bits(s.LHS)
	return one(s)
}

// isPair reports whether r is a COMPLEX number in an array of parts.
func isPair(r *ir.Ref) bool { return r.Typ.IsComplex() && !r.Sym.Type.IsComplex() }

// partOf is the element that holds the real part, 0, or the imaginary part, 1, of r.
func partOf(r *ir.Ref, k int) *ir.Ref {
	p := &ir.Ref{X: r.X, Sym: r.Sym}
	p.Typ = r.Typ.Part()
	sub := ir.Clone(r.Subs[0])
	if c, ok := sub.(*ir.Const); ok {
		c.Int += k
	} else if k > 0 {
		sub = &ir.Bin{X: ir.X{Pos: r.Pos, Typ: sub.Type()}, Op: ir.Add, L: sub, R: &ir.Const{X: ir.X{Pos: r.Pos, Typ: sub.Type()}, Int: k}}
	}
	p.Subs = []ir.Expr{sub}
	return p
}

// replaceExprs replaces the expressions of a statement other than an assignment, but for those of statements
// inside of it.
func replaceExprs(s ir.Stmt, with func(ir.Expr) ir.Expr) {
	each := func(list []ir.Expr) { replaceAll(list, with) }
	switch s := s.(type) {
	case *ir.Do:
		s.Lo, s.Hi, s.Step = with(s.Lo), with(s.Hi), with(s.Step)
	case *ir.While:
		s.Cond = with(s.Cond)
	case *ir.If:
		s.Cond = with(s.Cond)
	case *ir.Print:
		s.Unit, s.Format = with(s.Unit), with(s.Format)
		each(s.Given)
		each(s.Items)
	case *ir.Read:
		s.From, s.Format, s.Times = with(s.From), with(s.Format), with(s.Times)
		each(s.Given)
	case *ir.Stop:
		s.Code = with(s.Code)
	case *ir.Allocate:
		each(s.Ends)
	case *ir.Transfer:
		s.Image = with(s.Image)
		replaceInSection(s.Local, with)
		replaceInSection(s.Remote, with)
	case *ir.Sync:
		each(s.Images)
		replaceInSection(s.Set, with)
	case *ir.Collective:
		s.Image = with(s.Image)
		replaceInSection(s.Part, with)
	}
}

func replaceInSection(s *ir.Section, with func(ir.Expr) ir.Expr) {
	if s == nil {
		return
	}
	for k := range s.Dims {
		d := &s.Dims[k]
		d.Lo, d.N, d.Step = with(d.Lo), with(d.N), with(d.Step)
	}
}

func replaceAll(list []ir.Expr, with func(ir.Expr) ir.Expr) {
	for i, e := range list {
		list[i] = with(e)
	}
}

// bits is e with the transfers, nil for nil.
func bits(e ir.Expr) ir.Expr {
	if e == nil {
		return nil
	}
	return ir.Rewrite(e, func(x ir.Expr) ir.Expr {
		r, ok := x.(*ir.Ref)
		if !ok || r.Typ == r.Sym.Type {
			return nil
		}
		if isPair(r) {
			return &ir.Call{X: ir.X{Pos: r.Pos, Typ: r.Typ, Raw: r.Raw}, Name: "cmplx", Args: []ir.Expr{bits(partOf(r, 0)), bits(partOf(r, 1))}}
		}
		held := *r
		held.Typ = r.Sym.Type
		replaceAll(held.Subs, bits)
		return &ir.Call{X: ir.X{Pos: r.Pos, Typ: r.Typ, Raw: r.Raw}, Name: "transfer", Args: []ir.Expr{&held}}
	})
}
