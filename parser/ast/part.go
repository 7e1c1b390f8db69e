package ast

import "strings"

// The parts of a COMPLEX number are references to functions, which no program has names for,
// and an assignment to a part is one to the number:
//
//	x = z%im           Index{"%im", [z]}
//	z%re = x           z = Index{"%re=", [z, x]}

// Part is the part that x takes of its argument, "" where x does not.
func (x *Index) Part() string {
	if name, ok := strings.CutPrefix(x.Name, "%"); ok && !strings.HasSuffix(name, "=") {
		return name
	}
	return ""
}

// Replaced makes an assignment of s, which may be one to a part of a COMPLEX number.
func (s *Assign) Replaced() *Assign {
	part, ok := s.LHS.(*Index)
	if !ok || part.Part() == "" {
		return s
	}
	whole := &Index{XBase: part.XBase, NamePos: part.NamePos, Name: part.Name + "=", Args: []Expr{part.Args[0], s.RHS}}
	return &Assign{Base: s.Base, LHS: part.Args[0], RHS: whole}
}

// written is s as the source has it.
func (s *Assign) written() (lhs, rhs Expr) {
	if whole, ok := s.RHS.(*Index); ok && strings.HasPrefix(whole.Name, "%") && strings.HasSuffix(whole.Name, "=") {
		return &Index{XBase: whole.XBase, NamePos: whole.NamePos, Name: strings.TrimSuffix(whole.Name, "="), Args: whole.Args[:1]}, whole.Args[1]
	}
	return s.LHS, s.RHS
}
