package parser_test

import "github.com/spmdc/spmdc/parser/ast"

// storage draws a statement about types, storage or initial values.
func (g *treeGen) storage() ast.Stmt {
	names := func() []ast.Name { return append(g.names(), ast.Name{Name: g.name()}) }
	object := func() ast.Expr {
		element := &ast.Index{Name: g.name(), Args: []ast.Expr{g.expr(1)}}
		switch g.int(0, 3) {
		case 0:
			return &ast.Ident{Name: g.name()}
		case 1:
			return &ast.Substring{Base: element, Lo: g.expr(1)}
		}
		return element
	}
	switch g.int(0, 5) {
	case 0:
		s := &ast.Implicit{}
		for range g.int(1, 2) {
			r := ast.ImplicitRule{Type: ast.TypeSpec{Name: g.pick("integer", "real", "complex", "logical", "double precision")}}
			if g.bool() && r.Type.Name != "double precision" {
				r.Type.Kind = g.expr(1)
			}
			for range g.int(1, 2) {
				from := byte(g.int('a', 'z'))
				r.Letters = append(r.Letters, ast.LetterRange{From: from, To: byte(g.int(int(from), 'z'))})
			}
			s.Rules = append(s.Rules, r)
		}
		return s
	case 1:
		s := &ast.Data{}
		for range g.int(1, 2) {
			set := ast.DataSet{Objects: []ast.Expr{object()}, Values: g.values()}
			if g.bool() {
				set.Objects = append(set.Objects, &ast.ImpliedDo{Items: []ast.Expr{object()}, Var: ast.Name{Name: g.name()}, Lo: g.expr(1), Hi: g.expr(1)})
			}
			s.Sets = append(s.Sets, set)
		}
		return s
	case 2:
		s := &ast.Save{}
		if g.bool() {
			s.Names, s.Blocks = g.names(), g.names()
		}
		return s
	case 4:
		s := &ast.Namelist{}
		for range g.int(1, 3) {
			group := ast.NamelistGroup{Names: names()}
			group.Name.Name = g.name()
			s.Groups = append(s.Groups, group)
		}
		return s
	case 3:
		s := &ast.Common{}
		for range g.int(1, 3) {
			b := ast.CommonBlock{Entities: g.entities(g.bool())}
			if g.bool() {
				b.Name.Name = g.name()
			}
			s.Blocks = append(s.Blocks, b)
		}
		return s
	}
	s := &ast.Equivalence{}
	for range g.int(1, 2) {
		s.Groups = append(s.Groups, []ast.Expr{object(), &ast.Ident{Name: names()[0].Name}})
	}
	return s
}

// values draws the values of DATA.
func (g *treeGen) values() []ast.DataValue {
	var out []ast.DataValue
	for range g.int(1, 3) {
		v := ast.DataValue{X: &ast.RealLit{Text: "1.5"}}
		switch g.int(0, 3) {
		case 0:
			v.X = &ast.Unary{Op: "-", X: v.X}
		case 1:
			v.X = &ast.Complex{Re: v.X, Im: &ast.Unary{Op: "-", X: v.X}}
		case 2:
			v.X = &ast.Ident{Name: g.name()}
		}
		if g.bool() {
			v.Repeat = &ast.IntLit{Text: "12"}
		}
		out = append(out, v)
	}
	return out
}

func (g *treeGen) spec() ast.Stmt {
	switch g.int(0, 9) {
	case 9:
		return g.storage()
	case 8:
		d := &ast.TypeDecl{Type: ast.TypeSpec{Name: "real"}, HasColons: true, Entities: g.entities(g.bool())}
		if g.bool() {
			d.Codimension = g.codims()
		}
		for i := range d.Entities {
			if g.bool() {
				d.Entities[i].Codims = g.codims()
			}
		}
		return d
	case 0:
		s := &ast.ParameterStmt{}
		for range g.int(1, 3) {
			s.Names = append(s.Names, ast.Entity{Name: g.name(), Init: g.expr(3)})
		}
		return s
	case 1:
		return &ast.DimensionStmt{Entities: g.entities(true)}
	case 2:
		return &ast.Processors{Entities: g.entities(g.bool())}
	case 3:
		return &ast.Template{Entities: g.entities(true)}
	case 4:
		return g.align()
	case 5:
		return g.distribute()
	}
	return g.typeDecl()
}

func (g *treeGen) typeDecl() ast.Stmt {
	d := &ast.TypeDecl{Parameter: g.bool(), Save: g.bool(), Entities: g.entities(false)}
	d.Type.Name = g.pick("integer", "real", "logical", "double precision", "character", "complex")
	size := func() ast.Expr {
		switch d.Type.Star = g.bool(); {
		case !d.Type.Star:
			return g.expr(1)
		case d.Type.Name == "character" && g.bool():
			return &ast.Ident{Name: "*"}
		}
		return &ast.IntLit{Text: "8"}
	}
	switch d.Type.Name {
	case "character":
		if g.bool() {
			d.Type.Len = size()
		}
	case "double precision":
	default:
		if g.bool() {
			d.Type.Kind = size()
		}
	}
	if g.bool() {
		d.Dimension = g.dims()
	}
	d.HasColons = d.Parameter || d.Save || d.Dimension != nil || g.bool()
	for i := range d.Entities {
		e := &d.Entities[i]
		if g.bool() {
			e.Dims = g.dims()
		}
		if d.Type.Name == "character" && g.bool() {
			e.Len = &ast.IntLit{Text: "5"}
		}
		if d.HasColons && g.bool() {
			e.Init = g.expr(3)
		} else if !d.HasColons && g.bool() {
			e.Data = g.values()
		}
	}
	return d
}

func (g *treeGen) align() ast.Stmt {
	a := &ast.Align{Target: g.name(), Colons: g.bool(), HasList: g.bool()}
	a.Alignees = g.entities(false)
	if !a.Colons {
		a.Alignees = a.Alignees[:1]
	}
	if a.HasList {
		for range g.int(1, 3) {
			switch g.int(0, 3) {
			case 0:
				a.Source = append(a.Source, ast.AlignSub{Star: true})
			case 1:
				a.Source = append(a.Source, ast.AlignSub{Colon: true})
			default:
				a.Source = append(a.Source, ast.AlignSub{Name: g.name()})
			}
		}
	}
	for range g.int(0, 3) {
		switch g.int(0, 3) {
		case 0:
			a.TargetSubs = append(a.TargetSubs, ast.AlignTarget{Star: true})
		case 1:
			a.TargetSubs = append(a.TargetSubs, ast.AlignTarget{Colon: true})
		default:
			a.TargetSubs = append(a.TargetSubs, ast.AlignTarget{Expr: g.expr(2)})
		}
	}
	return a
}

func (g *treeGen) distribute() ast.Stmt {
	d := &ast.Distribute{Colons: g.bool(), Distributees: g.entities(false)}
	if !d.Colons {
		d.Distributees = d.Distributees[:1]
	}
	for range g.int(1, 3) {
		d.Formats = append(d.Formats, ast.DistFormat{Name: g.pick("block", "cyclic", "*")})
	}
	if g.bool() {
		d.Onto = g.name()
	}
	return d
}
