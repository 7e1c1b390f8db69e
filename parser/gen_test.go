package parser_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/parser/ast"
)

// treeGen draws trees as the parser makes them: with Paren nodes where the
// text needs parentheses, and labels that are used once.
type treeGen struct {
	t     *rapid.T
	label int
	named int // constructs so far that have names
}

// genFile draws a whole program. It need not make sense: names are not
// declared, types do not fit.
var genFile = rapid.Custom(func(t *rapid.T) *ast.File {
	g := &treeGen{t: t}
	f := &ast.File{Name: "gen.hpf", Program: g.unit(ast.MainUnit, 1)}
	for range g.int(0, 1) {
		f.Modules = append(f.Modules, g.unit(ast.ModuleUnit, 2))
	}
	for range g.int(0, 2) {
		f.Procedures = append(f.Procedures, g.procedure(1))
	}
	for range g.int(0, 1) {
		u := &ast.Program{Kind: ast.BlockDataUnit, Name: g.name()}
		for range g.int(0, 3) {
			u.Spec = append(u.Spec, g.storage())
		}
		f.BlockData = append(f.BlockData, u)
	}
	return f
})

// unit draws a unit of the kind; procedures nest in it to the depth.
func (g *treeGen) unit(kind ast.UnitKind, depth int) *ast.Program {
	u := &ast.Program{Kind: kind, Name: g.name()}
	for range g.int(0, 1) {
		use := &ast.Use{Module: ast.Name{Name: g.name()}, Nature: g.pick("", "intrinsic", "non_intrinsic"), Only: g.bool()}
		for _, n := range g.names() {
			renamed := ast.UseName{Name: n}
			if !use.Only || g.bool() {
				renamed.Of = ast.Name{Name: g.name()}
			}
			use.Names = append(use.Names, renamed)
		}
		u.Spec = append(u.Spec, use)
	}
	for range g.int(0, 4) {
		u.Spec = append(u.Spec, g.spec())
	}
	if kind == ast.ModuleUnit && g.bool() {
		u.Spec = append(u.Spec, &ast.Access{Access: g.pick("public", "private"), Names: g.names()}, &ast.Access{Access: "private"})
	}
	if kind != ast.ModuleUnit {
		u.Body = g.block(2)
	}
	if depth > 0 {
		for range g.int(0, 2) {
			u.Contains = append(u.Contains, g.procedure(depth-1))
		}
	}
	return u
}

func (g *treeGen) procedure(depth int) *ast.Program {
	kind := ast.SubroutineUnit
	if g.bool() {
		kind = ast.FunctionUnit
	}
	u := g.unit(kind, depth)
	u.Pure, u.Args = g.bool(), g.names()
	for range g.int(0, 2) {
		switch names := append(g.names(), ast.Name{Name: g.name()}); g.int(0, 3) {
		case 0:
			u.Spec = append(u.Spec, &ast.Intent{Intent: g.pick("in", "out", "inout"), Names: names})
		case 1:
			u.Spec = append(u.Spec, &ast.External{Intrinsic: g.bool(), Names: names})
		case 2:
			u.Spec = append(u.Spec, &ast.Inherit{Names: names})
		default:
			u.Spec = append(u.Spec, &ast.TypeDecl{Type: ast.TypeSpec{Name: "real"}, HasColons: true, Intent: g.pick("", "in", "inout"), External: g.bool(),
				Entities: []ast.Entity{{Name: g.name(), Dims: []ast.DimSpec{{}, {Lo: g.expr(1)}}}}})
		}
	}
	if kind == ast.FunctionUnit && g.bool() {
		u.Prefix = &ast.TypeSpec{Name: g.pick("real", "logical"), Kind: g.expr(1)}
		u.Result = ast.Name{Name: g.name()}
	}
	return u
}

// args draws actual arguments, sections among them.
func (g *treeGen) args() []ast.Expr {
	var out []ast.Expr
	for range g.int(0, 3) {
		switch g.int(0, 3) {
		case 0:
			out = append(out, &ast.Index{Name: g.name(), Args: []ast.Expr{&ast.Triplet{Lo: g.expr(1)}, g.expr(1)}})
		case 1:
			out = append(out, &ast.Index{Name: g.name(), Args: []ast.Expr{&ast.Triplet{Hi: g.expr(1), Step: g.expr(1)}}})
		case 2:
			out = append(out, &ast.Keyword{Name: g.name(), X: g.expr(2)})
		default:
			out = append(out, g.expr(2))
		}
	}
	return out
}

func (g *treeGen) int(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(g.t, "n") }

func (g *treeGen) bool() bool { return rapid.Bool().Draw(g.t, "flag") }

func (g *treeGen) pick(words ...string) string { return rapid.SampledFrom(words).Draw(g.t, "word") }

// name draws a name; many are words of the language, none of which is
// reserved.
func (g *treeGen) name() string {
	return g.pick("a", "b_2", "x", "i", "n", "if", "do", "end", "print", "real", "then", "else", "read",
		"while", "data", "stop", "function", "block", "a_name_that_is_as_long_as_names_may_be_in_fortran_which_is_lots")
}

func (g *treeGen) nextLabel() int {
	g.label++
	return g.label
}

// base draws a statement label now and then.
func (g *treeGen) base() ast.Base {
	if g.int(0, 9) == 0 {
		return ast.Base{Label: g.nextLabel()}
	}
	return ast.Base{}
}

func (g *treeGen) entities(withDims bool) []ast.Entity {
	var out []ast.Entity
	for range g.int(1, 4) {
		e := ast.Entity{Name: g.name()}
		if withDims {
			e.Dims = g.dims()
		}
		out = append(out, e)
	}
	return out
}

func (g *treeGen) dims() []ast.DimSpec {
	var out []ast.DimSpec
	for range g.int(1, 3) {
		d := ast.DimSpec{Hi: g.expr(2)}
		if g.bool() {
			d.Lo = g.expr(1)
		}
		out = append(out, d)
	}
	return out
}

// codims draws codimensions: the last is a star.
func (g *treeGen) codims() []ast.DimSpec {
	last := ast.DimSpec{Hi: &ast.Ident{Name: "*"}}
	if g.bool() {
		last.Lo = g.expr(1)
	}
	if g.bool() {
		return []ast.DimSpec{last}
	}
	return append(g.dims(), last)
}

func (g *treeGen) names() []ast.Name {
	var out []ast.Name
	for range g.int(0, 3) {
		out = append(out, ast.Name{Name: g.name()})
	}
	return out
}

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

func (g *treeGen) block(depth int) []ast.Stmt {
	var out []ast.Stmt
	for range g.int(0, 3) {
		out = append(out, g.stmts(depth)...)
	}
	return out
}

// forall draws a FORALL or DO CONCURRENT.
func (g *treeGen) forall(depth int) ast.Stmt {
	s := &ast.Forall{Base: g.base()}
	for range g.int(1, 3) {
		x := ast.ForallIndex{Var: ast.Name{Name: g.name()}, Lo: g.expr(2), Hi: g.expr(2)}
		if g.bool() {
			x.Step = g.expr(2)
		}
		s.Indices = append(s.Indices, x)
	}
	if g.bool() {
		s.Mask = g.expr(3)
	}
	switch g.int(0, 2) {
	case 0:
		s.OneLine, s.Body = true, []ast.Stmt{g.assign(ast.Base{})}
		return s
	case 1:
		s.Concurrent = true
		if g.bool() {
			s.Local, s.LocalInit = g.names(), g.names()
		}
	}
	s.Name, s.Body = g.construct(), g.block(depth-1)
	return s
}

// stmts draws a statement, with its directive when it has one.
func (g *treeGen) stmts(depth int) []ast.Stmt {
	if depth == 0 {
		return []ast.Stmt{g.action(g.base())}
	}
	switch g.int(0, 10) {
	case 10:
		return []ast.Stmt{g.selectCase(depth)}
	case 8:
		s := &ast.If{Base: g.base(), Where: true, HasElse: g.bool()}
		if s.OneLine = !s.HasElse && g.bool(); s.OneLine {
			s.Arms = []ast.IfArm{{Cond: g.expr(3), Body: []ast.Stmt{g.assign(ast.Base{})}}}
			return []ast.Stmt{s}
		}
		s.Name = g.construct()
		for range g.int(1, 3) {
			s.Arms = append(s.Arms, ast.IfArm{Cond: g.expr(3), Body: g.block(depth - 1)})
		}
		if s.HasElse {
			s.Else = g.block(depth - 1)
		}
		return []ast.Stmt{s}
	case 9:
		return []ast.Stmt{g.forall(depth)}
	case 7:
		return []ast.Stmt{&ast.Critical{Base: g.base(), Name: g.construct(), Body: g.block(depth - 1)}}
	case 0:
		do := g.do(depth)
		if do.Var.Name != "" && g.bool() {
			return []ast.Stmt{&ast.Independent{Loops: g.names(), New: g.names(), Reduction: g.names()}, do}
		}
		return []ast.Stmt{do}
	case 1:
		d := &ast.DoWhile{Base: g.base(), Name: g.construct(), Cond: g.expr(3), Body: g.block(depth - 1)}
		d.TermLabel = g.terminal(d.Name, &d.Body)
		return []ast.Stmt{d}
	case 2:
		s := &ast.If{Base: g.base(), Name: g.construct(), HasElse: g.bool()}
		for range g.int(1, 3) {
			s.Arms = append(s.Arms, ast.IfArm{Cond: g.expr(3), Body: g.block(depth - 1)})
		}
		if s.HasElse {
			s.Else = g.block(depth - 1)
		}
		return []ast.Stmt{s}
	case 3:
		return []ast.Stmt{&ast.If{Base: g.base(), OneLine: true,
			Arms: []ast.IfArm{{Cond: g.expr(3), Body: []ast.Stmt{g.action(ast.Base{})}}}}}
	}
	return []ast.Stmt{g.action(g.base())}
}

// construct is the name of a construct, "" for none; no two have the same.
func (g *treeGen) construct() string {
	name := g.pick("", "", "outer", "if")
	if name != "" {
		g.named++
		name += fmt.Sprint(g.named)
	}
	return name
}

func (g *treeGen) do(depth int) *ast.Do {
	d := &ast.Do{Base: g.base(), Name: g.construct()}
	if g.int(0, 4) > 0 {
		d.Var = ast.Name{Name: g.name()}
		d.Lo, d.Hi = g.expr(2), g.expr(2)
		if g.bool() {
			d.Step = g.expr(2)
		}
	}
	d.Body = g.block(depth - 1)
	d.TermLabel = g.terminal(d.Name, &d.Body)
	return d
}

// terminal ends the body of some loops without a name with a label, which it returns.
func (g *treeGen) terminal(name string, body *[]ast.Stmt) int {
	if name != "" || g.int(0, 3) > 0 {
		return 0
	}
	label := g.nextLabel()
	*body = append(*body, &ast.Continue{Base: ast.Base{Label: label}})
	return label
}

// action draws a statement that an IF may have on its line.
func (g *treeGen) action(base ast.Base) ast.Stmt {
	switch g.int(0, 20) {
	case 20:
		return g.file(base)
	case 13:
		return g.sync(base)
	case 14:
		return &ast.Goto{Base: base, To: g.target()}
	case 15:
		return &ast.ComputedGoto{Base: base, To: []ast.Target{g.target(), g.target()}, X: g.expr(2)}
	case 16:
		s := &ast.AssignedGoto{Base: base, Var: ast.Name{Name: g.name()}}
		if g.bool() {
			s.To = []ast.Target{g.target(), g.target()}
		}
		return s
	case 17:
		return &ast.ArithmeticIf{Base: base, X: g.expr(2), To: [3]ast.Target{g.target(), g.target(), g.target()}}
	case 18:
		return &ast.LabelAssign{Base: base, To: g.target(), Var: ast.Name{Name: g.name()}}
	case 19:
		s := &ast.Pause{Base: base}
		if g.bool() {
			s.Code = g.expr(1)
		}
		return s
	case 0:
		return &ast.Exit{Base: base, Name: g.construct()}
	case 1:
		return &ast.Cycle{Base: base, Name: g.construct()}
	case 2:
		s := &ast.Print{Base: base, Write: g.bool(), Items: g.items(false)}
		if g.bool() {
			s.Format = g.pickExpr(g.str(), &ast.Ident{Name: g.name()})
		}
		return s
	case 3:
		return g.read(base)
	case 4:
		s := &ast.Stop{Base: base, Error: g.bool()}
		if g.bool() {
			s.Code = g.expr(2)
		}
		return s
	case 5:
		return &ast.Continue{Base: base}
	case 6:
		return &ast.Call{Base: base, Proc: ast.Name{Name: g.name()}, Args: g.args()}
	case 7:
		return &ast.Return{Base: base}
	}
	return g.assign(base)
}

func (g *treeGen) target() ast.Target { return ast.Target{Label: g.int(1, 99999)} }

// selectCase draws a SELECT CASE.
func (g *treeGen) selectCase(depth int) ast.Stmt {
	s := &ast.Select{Base: g.base(), Name: g.construct(), X: g.expr(2)}
	for range g.int(0, 3) {
		c := ast.Case{Values: []ast.CaseValue{{Lo: g.expr(1)}}, Body: g.block(depth - 1)}
		for range g.int(0, 2) {
			v := ast.CaseValue{Lo: g.expr(1), Range: true}
			if g.bool() {
				v.Hi = g.expr(1)
			} else if g.bool() {
				v.Lo, v.Hi = nil, g.expr(1)
			}
			c.Values = append(c.Values, v)
		}
		s.Cases = append(s.Cases, c)
	}
	if g.bool() {
		s.Cases = append(s.Cases, ast.Case{Body: g.block(depth - 1)})
	}
	return s
}

func (g *treeGen) assign(base ast.Base) ast.Stmt {
	return &ast.Assign{Base: base, LHS: g.variable(2), RHS: g.expr(3)}
}

func (g *treeGen) sync(base ast.Base) ast.Stmt {
	s := &ast.Sync{Base: base, What: g.pick("all", "memory", "images")}
	if s.What == "images" && g.bool() {
		s.List = g.bool()
		s.Images = []ast.Expr{g.expr(2)}
		if s.List {
			s.Images = append(s.Images, g.expr(1))
		} else if a, ok := s.Images[0].(*ast.Array); ok {
			s.Images[0] = &ast.Paren{X: a}
		}
	}
	return s
}

func (g *treeGen) read(base ast.Base) ast.Stmt {
	s := &ast.Read{Base: base, Paren: g.bool(), Items: g.items(true)}
	if g.bool() {
		s.Format = g.str()
	}
	if !s.Paren {
		return s
	}
	if g.bool() {
		s.Unit = g.variable(1)
	}
	s.Control = g.control(s.Control, "iostat", "size", "rec", "advance")
	if s.Unformatted {
		s.Format = nil
	}
	if g.bool() {
		s.End, s.Eor = g.int(1, 99999), g.int(0, 1)*g.int(1, 99999)
	}
	return s
}

// control draws entries with keys and adds them to c.
func (g *treeGen) control(c ast.Control, keys ...string) ast.Control {
	for _, key := range keys {
		if g.int(0, 2) == 0 {
			c.Specs = append(c.Specs, ast.Spec{Key: key, X: g.variable(1)})
		}
	}
	c.Unformatted = c.Unit != nil && g.int(0, 4) == 0 // unit * needs a format
	return c
}

func (g *treeGen) file(base ast.Base) ast.Stmt {
	s := &ast.FileStmt{Base: base, Word: g.pick("open", "close", "rewind", "inquire")}
	switch s.Word {
	case "open":
		s.Control = g.control(s.Control, "file", "status", "newunit")
	case "inquire":
		s.Control = g.control(s.Control, "file", "exist", "name", "iostat")
	default:
		s.Control = g.control(s.Control, "iostat", "iomsg")
	}
	s.Unformatted = false
	if len(s.Specs) == 0 || g.bool() {
		s.Unit = g.expr(1)
	}
	return s
}

// items draws a list for PRINT or READ.
func (g *treeGen) items(variables bool) []ast.Expr {
	var out []ast.Expr
	for range g.int(0, 3) {
		switch {
		case g.int(0, 4) == 0:
			do := &ast.ImpliedDo{Var: ast.Name{Name: g.name()}, Lo: g.expr(1), Hi: g.expr(1)}
			for len(do.Items) == 0 {
				do.Items = g.items(variables)
			}
			if g.bool() {
				do.Step = g.expr(1)
			}
			out = append(out, do)
		case variables:
			out = append(out, g.variable(2))
		default:
			out = append(out, g.expr(3))
		}
	}
	return out
}

func (g *treeGen) pickExpr(list ...ast.Expr) ast.Expr { return list[g.int(0, len(list)-1)] }

func (g *treeGen) str() ast.Expr {
	value := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "B", " ", "'", `"`, "&", "!", ";", "ö", ",", "a long part of a string",
	}), 0, 30).Draw(g.t, "value"), "")
	return &ast.StringLit{Value: value, Quote: g.pick("'", `"`)[0]}
}

func (g *treeGen) variable(depth int) ast.Expr {
	if g.int(0, 5) == 0 {
		x := &ast.CoIndex{Base: g.local(depth), Images: []ast.Expr{g.expr(depth - 1)}}
		if g.bool() {
			x.Images = append(x.Images, g.expr(1))
		}
		return x
	}
	return g.local(depth)
}

// local draws a variable of this image.
func (g *treeGen) local(depth int) ast.Expr {
	id := &ast.Ident{Name: g.name()}
	switch g.int(0, 3) {
	case 0:
		return id
	case 1:
		return g.substring(id, depth)
	}
	x := &ast.Index{Name: id.Name}
	for range g.int(0, 3) {
		x.Args = append(x.Args, g.expr(depth-1))
	}
	if g.int(0, 3) == 0 {
		return g.substring(x, depth)
	}
	return x
}

func (g *treeGen) substring(base ast.Expr, depth int) ast.Expr {
	s := &ast.Substring{Base: base}
	if g.bool() {
		s.Lo = g.expr(depth - 1)
	}
	if g.bool() {
		s.Hi = g.expr(depth - 1)
	}
	return s
}

// levels are the operators of Fortran from the weakest to the strongest.
var levels = [][]string{
	{".eqv.", ".neqv."}, {".or."}, {".and."}, {".not."}, {"==", "/=", "<", "<=", ">", ">="},
	{"//"}, {"+", "-"}, {"*", "/"}, {"**"},
}

const (
	levelNot, levelRel, levelAdd, levelPower = 3, 4, 6, 8
	levelPrimary                             = 9
)

func levelOf(x ast.Expr) int {
	op := ""
	switch x := x.(type) {
	case *ast.Binary:
		op = x.Op
	case *ast.Unary:
		if op = x.Op; op != ".not." {
			return levelAdd
		}
	}
	for level, ops := range levels {
		for _, o := range ops {
			if o == op {
				return level
			}
		}
	}
	return levelPrimary
}

// atLeast puts x into parentheses when it binds less than level.
func atLeast(level int, x ast.Expr) ast.Expr {
	if levelOf(x) < level {
		return &ast.Paren{X: x}
	}
	return x
}

func (g *treeGen) expr(depth int) ast.Expr {
	if depth <= 0 {
		return g.pickExpr(&ast.Ident{Name: g.name()}, &ast.IntLit{Text: "42"})
	}
	switch g.int(0, 10) {
	case 10:
		if g.bool() {
			return &ast.Index{Name: ast.OperatorName(".inv."), Args: []ast.Expr{&ast.Paren{X: g.expr(depth - 1)}}}
		}
		x := &ast.Index{Name: ast.OperatorName(g.pick(".dot.", ".cross.")), Args: []ast.Expr{g.expr(depth - 1), atLeast(0, g.expr(depth-1))}}
		return &ast.Paren{X: x}
	case 0:
		return &ast.IntLit{Text: g.pick("0", "1", "123456789"), Kind: g.pick("", "", "8", "ik")}
	case 1:
		return &ast.RealLit{Text: g.pick("1.", ".5", "1.5", "1e3", "1.e-3", "2.d0", "3.5d+10"), Kind: g.pick("", "", "8", "dp")}
	case 2:
		return g.str()
	case 3:
		return &ast.LogicalLit{Value: g.bool()}
	case 4, 5:
		return g.variable(depth)
	case 6:
		if g.bool() {
			return &ast.Unary{Op: ".not.", X: atLeast(levelRel, g.expr(depth-1))}
		}
		return &ast.Unary{Op: g.pick("-", "+"), X: atLeast(levelAdd+1, g.expr(depth-1))}
	case 7:
		return &ast.Index{Name: g.name(), Args: []ast.Expr{g.expr(depth - 1), &ast.Keyword{Name: g.name(), X: g.expr(depth - 1)}}}
	case 8:
		switch g.int(0, 3) {
		case 0:
			return &ast.Complex{Re: g.expr(depth - 1), Im: g.expr(depth - 1)}
		case 1:
			x := &ast.Array{Brackets: g.bool(), Items: []ast.Expr{g.expr(depth - 1), g.expr(depth - 1)}}
			if g.bool() {
				x.Type = &ast.TypeSpec{Name: g.pick("integer", "real"), Kind: g.expr(1)}
			}
			if g.bool() {
				x.Items[1] = &ast.ImpliedDo{Items: []ast.Expr{x.Items[1]}, Var: ast.Name{Name: g.name()}, Lo: g.expr(1), Hi: g.expr(1)}
			}
			return x
		}
		return &ast.Paren{X: g.expr(depth - 1)}
	}
	level := g.int(0, len(levels)-1)
	if level == levelNot {
		level++
	}
	left, right := level, level+1
	switch level {
	case levelRel:
		left = right
	case levelPower:
		left, right = right, left
	}
	return &ast.Binary{Op: g.pick(levels[level]...), X: atLeast(left, g.expr(depth-1)), Y: atLeast(right, g.expr(depth-1))}
}
