package lower

import "github.com/spmdc/spmdc/ir"

// Arrays that hold numbers of several types. Lowering makes of a variable of type REAL that
// shares storage with one of type INTEGER references of type REAL to an INTEGER array. They
// become what moves the bits: with r = x_storage(3), from
//
//	r = 2 * r
//
// comes x_storage(3) = transfer(2 * transfer(x_storage(3))).

// bitwise puts the transfers into list, and into the statements inside of those in list.
func bitwise(list []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			s.RHS = bits(s.RHS)
			if r, ok := s.LHS.(*ir.Ref); ok && r.Typ != r.Sym.Type {
				s.RHS = &ir.Call{X: ir.X{Pos: r.Pos, Typ: r.Sym.Type}, Name: "transfer", Args: []ir.Expr{s.RHS}}
				r.Typ = r.Sym.Type
			}
			s.LHS = bits(s.LHS)
		case *ir.Do:
			s.Lo, s.Hi, s.Step = bits(s.Lo), bits(s.Hi), bits(s.Step)
		case *ir.While:
			s.Cond = bits(s.Cond)
		case *ir.If:
			s.Cond = bits(s.Cond)
		case *ir.Print:
			s.Unit, s.Format = bits(s.Unit), bits(s.Format)
			allBits(s.Given)
			allBits(s.Items)
		case *ir.Read:
			s.From, s.Format = bits(s.From), bits(s.Format)
			allBits(s.Given)
		case *ir.Stop:
			s.Code = bits(s.Code)
		case *ir.Allocate:
			allBits(s.Ends)
		case *ir.Transfer:
			s.Image = bits(s.Image)
		case *ir.Sync:
			allBits(s.Images)
		case *ir.Collective:
			s.Image = bits(s.Image)
		}
		return true
	})
}

func allBits(list []ir.Expr) {
	for i, e := range list {
		list[i] = bits(e)
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
		held := *r
		held.Typ = r.Sym.Type
		allBits(held.Subs)
		return &ir.Call{X: ir.X{Pos: r.Pos, Typ: r.Typ, Raw: r.Raw}, Name: "transfer", Args: []ir.Expr{&held}}
	})
}
