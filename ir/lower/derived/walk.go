package derived

import "github.com/spmdc/spmdc/parser/ast"

// expressions are the expressions of a statement, those of the statements inside left out, in
// the order in which they are evaluated; none is nil.
func expressions(s ast.Stmt) []*ast.Expr {
	var out []*ast.Expr
	add := func(list ...*ast.Expr) {
		for _, x := range list {
			if *x != nil {
				out = append(out, x)
			}
		}
	}
	all := func(list []ast.Expr) {
		for i := range list {
			add(&list[i])
		}
	}
	control := func(c *ast.Control) {
		add(&c.Unit, &c.Format)
		for i := range c.Specs {
			add(&c.Specs[i].X)
		}
	}
	switch s := s.(type) {
	case *ast.Assign:
		add(&s.LHS, &s.RHS)
	case *ast.Do:
		add(&s.Lo, &s.Hi, &s.Step)
	case *ast.DoWhile:
		add(&s.Cond)
	case *ast.Forall:
		for i := range s.Indices {
			add(&s.Indices[i].Lo, &s.Indices[i].Hi, &s.Indices[i].Step)
		}
		add(&s.Mask)
	case *ast.If:
		for i := range s.Arms {
			add(&s.Arms[i].Cond)
		}
	case *ast.Print:
		control(&s.Control)
		all(s.Items)
	case *ast.Read:
		control(&s.Control)
		all(s.Items)
	case *ast.FileStmt:
		control(&s.Control)
		all(s.Items)
	case *ast.Stop:
		add(&s.Code)
	case *ast.Sync:
		all(s.Images)
		all(s.Status)
	case *ast.Critical:
		all(s.Status)
	case *ast.Allocate:
		all(s.Args)
	case *ast.Associate:
		for i := range s.Names {
			add(&s.Names[i].X)
		}
	case *ast.Call:
		add(&s.Of)
		all(s.Args)
	case *ast.Return:
		add(&s.X)
	case *ast.ComputedGoto:
		add(&s.X)
	case *ast.ArithmeticIf:
		add(&s.X)
	case *ast.Select:
		add(&s.X)
		for i := range s.Cases {
			for k := range s.Cases[i].Values {
				add(&s.Cases[i].Values[k].Lo, &s.Cases[i].Values[k].Hi)
			}
		}
	case *ast.TypeDecl:
		add(&s.Type.Kind, &s.Type.Len)
		dims := func(list []ast.DimSpec) {
			for i := range list {
				add(&list[i].Lo, &list[i].Hi)
			}
		}
		dims(s.Dimension)
		for i := range s.Entities {
			dims(s.Entities[i].Dims)
			add(&s.Entities[i].Len, &s.Entities[i].Init)
		}
	case *ast.ParameterStmt:
		for i := range s.Names {
			add(&s.Names[i].Init)
		}
	case *ast.DimensionStmt:
		for i := range s.Entities {
			for k := range s.Entities[i].Dims {
				add(&s.Entities[i].Dims[k].Lo, &s.Entities[i].Dims[k].Hi)
			}
		}
	case *ast.Data:
		for i := range s.Sets {
			all(s.Sets[i].Objects)
		}
	}
	return out
}

// copyStmt is s with expressions and lists of its own, but for the lists of statements.
func copyStmt(s ast.Stmt) ast.Stmt {
	list := func(x []ast.Expr) []ast.Expr { return append([]ast.Expr(nil), x...) }
	control := func(c ast.Control) ast.Control {
		c.Specs = append([]ast.Spec(nil), c.Specs...)
		return c
	}
	dims := func(d []ast.DimSpec) []ast.DimSpec { return append([]ast.DimSpec(nil), d...) }
	entities := func(list []ast.Entity) []ast.Entity {
		out := append([]ast.Entity(nil), list...)
		for i := range out {
			out[i].Dims = dims(out[i].Dims)
		}
		return out
	}
	switch s := s.(type) {
	case *ast.Assign:
		c := *s
		return &c
	case *ast.Do:
		c := *s
		return &c
	case *ast.DoWhile:
		c := *s
		return &c
	case *ast.Forall:
		c := *s
		c.Indices = append([]ast.ForallIndex(nil), s.Indices...)
		return &c
	case *ast.If:
		c := *s
		c.Arms = append([]ast.IfArm(nil), s.Arms...)
		return &c
	case *ast.Print:
		c := *s
		c.Control, c.Items = control(s.Control), list(s.Items)
		return &c
	case *ast.Read:
		c := *s
		c.Control, c.Items = control(s.Control), list(s.Items)
		return &c
	case *ast.FileStmt:
		c := *s
		c.Control, c.Items = control(s.Control), list(s.Items)
		return &c
	case *ast.Stop:
		c := *s
		return &c
	case *ast.Sync:
		c := *s
		c.Images, c.Status = list(s.Images), list(s.Status)
		return &c
	case *ast.Allocate:
		c := *s
		c.Args = list(s.Args)
		return &c
	case *ast.Critical:
		c := *s
		c.Status = list(s.Status)
		return &c
	case *ast.Block:
		c := *s
		return &c
	case *ast.Associate:
		c := *s
		c.Names = append([]ast.Association(nil), s.Names...)
		return &c
	case *ast.Call:
		c := *s
		c.Args = list(s.Args)
		return &c
	case *ast.Return:
		c := *s
		return &c
	case *ast.ComputedGoto:
		c := *s
		return &c
	case *ast.ArithmeticIf:
		c := *s
		return &c
	case *ast.Select:
		c := *s
		c.Cases = append([]ast.Case(nil), s.Cases...)
		for i := range c.Cases {
			c.Cases[i].Values = append([]ast.CaseValue(nil), c.Cases[i].Values...)
		}
		return &c
	case *ast.TypeDecl:
		c := *s
		c.Dimension, c.Entities = dims(s.Dimension), entities(s.Entities)
		return &c
	case *ast.ParameterStmt:
		c := *s
		c.Names = entities(s.Names)
		return &c
	case *ast.DimensionStmt:
		c := *s
		c.Entities = entities(s.Entities)
		return &c
	case *ast.Data:
		c := *s
		c.Sets = append([]ast.DataSet(nil), s.Sets...)
		for i := range c.Sets {
			c.Sets[i].Objects = list(c.Sets[i].Objects)
		}
		return &c
	}
	return s
}

// clone is x with nodes of its own.
func clone(x ast.Expr) ast.Expr {
	return rebuilt(x, func(y ast.Expr) ast.Expr { return clone(y) })
}

// rebuilt is a copy of x whose parts are what f makes of those of x.
func rebuilt(x ast.Expr, f func(ast.Expr) ast.Expr) ast.Expr {
	part := func(y ast.Expr) ast.Expr {
		if y == nil {
			return nil
		}
		return f(y)
	}
	parts := func(list []ast.Expr) []ast.Expr {
		var out []ast.Expr
		for _, y := range list {
			out = append(out, part(y))
		}
		return out
	}
	switch x := x.(type) {
	case *ast.IntLit:
		c := *x
		return &c
	case *ast.RealLit:
		c := *x
		return &c
	case *ast.StringLit:
		c := *x
		return &c
	case *ast.LogicalLit:
		c := *x
		return &c
	case *ast.Ident:
		c := *x
		return &c
	case *ast.Index:
		c := *x
		c.Args = parts(x.Args)
		return &c
	case *ast.Triplet:
		c := *x
		c.Lo, c.Hi, c.Step = part(x.Lo), part(x.Hi), part(x.Step)
		return &c
	case *ast.Substring:
		c := *x
		c.Base, c.Lo, c.Hi = part(x.Base), part(x.Lo), part(x.Hi)
		return &c
	case *ast.CoIndex:
		c := *x
		c.Base, c.Images = part(x.Base), parts(x.Images)
		return &c
	case *ast.Component:
		c := *x
		c.Base, c.Args = part(x.Base), parts(x.Args)
		return &c
	case *ast.Unary:
		c := *x
		c.X = part(x.X)
		return &c
	case *ast.Binary:
		c := *x
		c.X, c.Y = part(x.X), part(x.Y)
		return &c
	case *ast.Paren:
		c := *x
		c.X = part(x.X)
		return &c
	case *ast.Complex:
		c := *x
		c.Re, c.Im = part(x.Re), part(x.Im)
		return &c
	case *ast.Array:
		c := *x
		c.Items = parts(x.Items)
		return &c
	case *ast.ImpliedDo:
		c := *x
		c.Items, c.Lo, c.Hi, c.Step = parts(x.Items), part(x.Lo), part(x.Hi), part(x.Step)
		return &c
	case *ast.Keyword:
		c := *x
		c.X = part(x.X)
		return &c
	}
	return x
}
