package ast

// Children are the expressions that x consists of, those that are absent left out.
func Children(x Expr) []Expr {
	var out []Expr
	add := func(list ...Expr) {
		for _, e := range list {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	switch x := x.(type) {
	case *Index:
		add(x.Args...)
	case *Triplet:
		add(x.Lo, x.Hi, x.Step)
	case *Substring:
		add(x.Base, x.Lo, x.Hi)
	case *CoIndex:
		add(x.Base)
		add(x.Images...)
	case *Component:
		add(x.Base)
		add(x.Args...)
	case *Unary:
		add(x.X)
	case *Binary:
		add(x.X, x.Y)
	case *Paren:
		add(x.X)
	case *Complex:
		add(x.Re, x.Im)
	case *Array:
		add(x.Items...)
	case *AltReturn:
	case *Keyword:
		add(x.X)
	case *ImpliedDo:
		add(x.Items...)
		add(x.Lo, x.Hi, x.Step)
	}
	return out
}

// Bodies are the statement lists of a construct.
func Bodies(s Stmt) []*[]Stmt {
	switch s := s.(type) {
	case *Do:
		return []*[]Stmt{&s.Body}
	case *DoWhile:
		return []*[]Stmt{&s.Body}
	case *Forall:
		return []*[]Stmt{&s.Body}
	case *Critical:
		return []*[]Stmt{&s.Body}
	case *Block:
		return []*[]Stmt{&s.Body}
	case *Associate:
		return []*[]Stmt{&s.Body}
	case *If:
		var list []*[]Stmt
		for i := range s.Arms {
			list = append(list, &s.Arms[i].Body)
		}
		return append(list, &s.Else)
	case *Select:
		var list []*[]Stmt
		for i := range s.Cases {
			list = append(list, &s.Cases[i].Body)
		}
		return list
	}
	return nil
}
