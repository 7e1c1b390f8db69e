package parser_test

import (
	"fmt"

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
			u.Spec = append(u.Spec, &ast.Inherit{Names: names}, &ast.Dynamic{Names: names})
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
		if g.bool() {
			return []ast.Stmt{&ast.ChangeTeam{Base: g.base(), Name: g.construct(), Team: g.variable(2), Body: g.block(depth - 1)}}
		}
		return []ast.Stmt{&ast.Critical{Base: g.base(), Name: g.construct(), Body: g.block(depth - 1)}}
	case 0:
		do := g.do(depth)
		if do.Var.Name != "" && g.bool() {
			if g.bool() {
				return []ast.Stmt{&ast.Remap{Directive: g.align()}, &ast.Remap{Directive: g.distribute()}}
			}
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
	s := &ast.Sync{Base: base, What: g.pick("all", "memory", "images", "event post", "event wait", "lock", "unlock", "team", "form team", "fail image")}
	switch {
	case s.What == "form team":
		s.Images = []ast.Expr{g.expr(2), g.variable(2)}
		return s
	case s.OfVariable(), s.What == "team":
		s.Images = []ast.Expr{g.variable(2)}
		return s
	}
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
