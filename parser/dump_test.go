package parser_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// writeTree writes a tree, one node per line: the part of its parent that it
// is, its type, its place as line:column, and what it says itself. From
// "a(i) = -1" comes
//
//	Assign 3:1
//	  lhs Index 3:1 a
//	    arg Ident 3:3 i
//	  rhs Unary 3:8 -
//	    IntLit 3:9 1
func writeTree(w io.Writer, f *ast.File) error {
	d := dumper{w: bufio.NewWriter(w)}
	d.node("", "File", source.Pos{}, f.Name)
	d.down(func() {
		for _, u := range f.Modules {
			d.program(u)
		}
		if f.Program != nil {
			d.program(f.Program)
		}
		for _, u := range f.Procedures {
			d.program(u)
		}
		for _, u := range f.BlockData {
			d.program(u)
		}
	})
	return d.w.Flush()
}

type dumper struct {
	w     *bufio.Writer
	depth int
}

func (d *dumper) down(f func()) {
	d.depth++
	f()
	d.depth--
}

// node writes one line; role, pos and the texts may be empty.
func (d *dumper) node(role, kind string, pos source.Pos, texts ...string) {
	d.w.WriteString(strings.Repeat("  ", d.depth))
	if role != "" && kind != "" {
		role += " "
	}
	d.w.WriteString(role + kind)
	if pos.IsValid() {
		fmt.Fprintf(d.w, " %d:%d", pos.Line, pos.Col)
	}
	for _, t := range texts {
		if t != "" {
			d.w.WriteString(" " + t)
		}
	}
	d.w.WriteString("\n")
}

func (d *dumper) program(p *ast.Program) {
	kind := p.Kind.String()
	d.node("", kind[:1]+strings.ToLower(kind[1:]), p.Pos, p.Name, flag(p.Pure, "pure"), ends(p.EndPos))
	d.down(func() {
		if p.Prefix != nil {
			d.node("type", p.Prefix.Name, source.Pos{}, flag(p.Prefix.Star, "star"))
			d.down(func() {
				d.expr("kind", p.Prefix.Kind)
				d.expr("len", p.Prefix.Len)
			})
		}
		d.names("dummy", p.Args)
		if p.Result.Name != "" {
			d.names("result", []ast.Name{p.Result})
		}
		d.list("spec", p.Spec)
		d.list("body", p.Body)
		for _, in := range p.Contains {
			d.program(in)
		}
	})
}

// list writes statements below a line that says what they are.
func (d *dumper) list(role string, stmts []ast.Stmt) {
	d.node(role, fmt.Sprintf("(%d)", len(stmts)), source.Pos{})
	d.down(func() {
		for _, s := range stmts {
			d.stmt(s)
		}
	})
}

func (d *dumper) stmt(s ast.Stmt) {
	role := ""
	if l := s.StmtLabel(); l != 0 {
		role = fmt.Sprintf("[%d]", l)
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", s), "*ast.")
	d.node(role, kind, s.Position(), stmtText(s)...)
	d.down(func() { d.parts(s) })
}

// stmtText is what a statement's own line says.
func stmtText(s ast.Stmt) []string {
	switch s := s.(type) {
	case *ast.TypeDecl:
		return []string{s.Type.Name, flag(s.Type.Star, "star"), flag(s.Parameter, "parameter"), flag(s.Save, "save"), flag(s.External, "external"), s.Intent, s.Access, flag(s.HasColons, "::")}
	case *ast.External:
		return []string{flag(s.Intrinsic, "intrinsic"), s.Interface.Name}
	case *ast.Intent:
		return []string{s.Intent}
	case *ast.Use:
		return []string{s.Nature, s.Module.Name, flag(s.Only, "only")}
	case *ast.Access:
		return []string{s.Access}
	case *ast.Call:
		return []string{s.Proc.Name}
	case *ast.Align:
		return []string{"with", s.Target, flag(s.Colons, "::")}
	case *ast.Distribute:
		if s.Onto != "" {
			return []string{"onto", s.Onto, flag(s.Colons, "::")}
		}
		return []string{flag(s.Colons, "::")}
	case *ast.Do:
		term := ""
		if s.TermLabel != 0 {
			term = fmt.Sprintf("to label %d", s.TermLabel)
		}
		return []string{s.Name, s.Var.Name, term, ends(s.EndPos)}
	case *ast.DoWhile:
		return []string{s.Name, ends(s.EndPos)}
	case *ast.If:
		return []string{s.Name, flag(s.OneLine, "one line"), ends(s.EndPos)}
	case *ast.Exit:
		return []string{s.Name}
	case *ast.Cycle:
		return []string{s.Name}
	case *ast.Print:
		return []string{flag(s.Write, "write")}
	case *ast.Read:
		end := ""
		if s.End != 0 {
			end = fmt.Sprintf("end=%d", s.End)
		}
		return []string{flag(s.Paren, "()"), end}
	case *ast.Stop:
		return []string{flag(s.Error, "error")}
	case *ast.Sync:
		return []string{s.What, flag(s.List, "[]")}
	case *ast.Critical:
		return []string{s.Name, ends(s.EndPos)}
	case *ast.ChangeTeam:
		return []string{s.Name, ends(s.EndPos)}
	}
	return nil
}

func flag(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func ends(p source.Pos) string {
	if !p.IsValid() {
		return ""
	}
	return fmt.Sprintf("ends %d:%d", p.Line, p.Col)
}

// parts writes what a statement consists of.
func (d *dumper) parts(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.TypeDecl:
		d.expr("kind", s.Type.Kind)
		d.expr("len", s.Type.Len)
		d.dims("dim", s.Dimension)
		d.dims("codim", s.Codimension)
		d.entities("entity", s.Entities)
	case *ast.ParameterStmt:
		d.entities("constant", s.Names)
	case *ast.DimensionStmt:
		d.entities("entity", s.Entities)
	case *ast.AllocatableStmt:
		d.entities("entity", s.Entities)
	case *ast.Allocate:
		d.exprs("arg", s.Args)
	case *ast.Implicit:
		for _, r := range s.Rules {
			d.node("type", r.Type.Name, source.Pos{}, flag(r.Type.Star, "star"))
			d.down(func() {
				d.expr("kind", r.Type.Kind)
				d.expr("len", r.Type.Len)
				for _, rng := range r.Letters {
					d.node("letters", string([]byte{rng.From, '-', rng.To}), rng.Pos)
				}
			})
		}
	case *ast.Data:
		for _, set := range s.Sets {
			d.exprs("object", set.Objects)
			d.values(set.Values)
		}
	case *ast.Save:
		d.names("name", s.Names)
		d.names("block", s.Blocks)
	case *ast.Common:
		for _, b := range s.Blocks {
			d.names("block", []ast.Name{b.Name})
			d.entities("entity", b.Entities)
		}
	case *ast.Namelist:
		for _, g := range s.Groups {
			d.names("group", []ast.Name{g.Name})
			d.names("name", g.Names)
		}
	case *ast.Equivalence:
		for _, group := range s.Groups {
			d.node("group", "", source.Pos{})
			d.down(func() { d.exprs("name", group) })
		}
	case *ast.Processors:
		d.entities("arrangement", s.Entities)
	case *ast.Template:
		d.entities("template", s.Entities)
	case *ast.Align:
		d.align(s)
	case *ast.Distribute:
		d.entities("array", s.Distributees)
		for _, f := range s.Formats {
			d.node("format", strings.ToUpper(f.Name), f.Pos)
			d.down(func() { d.expr("size", f.Arg) })
		}
	case *ast.Intent:
		d.names("dummy", s.Names)
	case *ast.External:
		d.names("procedure", s.Names)
	case *ast.Use:
		for _, n := range s.Names {
			d.names("name", []ast.Name{n.Name})
			if n.Of.Name != "" {
				d.names("of", []ast.Name{n.Of})
			}
		}
	case *ast.Access:
		d.names("name", s.Names)
	case *ast.Dynamic:
		d.names("object", s.Names)
	case *ast.Remap:
		d.list("directive", []ast.Stmt{s.Directive})
	case *ast.Inherit:
		d.names("dummy", s.Names)
	case *ast.Call:
		d.exprs("arg", s.Args)
	case *ast.Independent:
		d.names("loop", s.Loops)
		d.names("new", s.New)
		d.names("reduction", s.Reduction)
	case *ast.Assign:
		d.expr("lhs", s.LHS)
		d.expr("rhs", s.RHS)
	case *ast.Do:
		d.control(s.Lo, s.Hi, s.Step)
		d.list("body", s.Body)
	case *ast.DoWhile:
		d.expr("while", s.Cond)
		d.list("body", s.Body)
	case *ast.Forall:
		for _, x := range s.Indices {
			d.control(x.Lo, x.Hi, x.Step)
		}
		d.expr("mask", s.Mask)
		d.names("local", s.Local)
		d.names("local_init", s.LocalInit)
		d.list("body", s.Body)
	case *ast.If:
		for _, a := range s.Arms {
			d.expr("if", a.Cond)
			d.list("then", a.Body)
		}
		if s.HasElse {
			d.list("else", s.Else)
		}
	case *ast.Print:
		d.expr("format", s.Format)
		d.exprs("item", s.Items)
	case *ast.Read:
		d.expr("unit", s.Unit)
		d.expr("format", s.Format)
		for _, x := range s.Specs {
			d.expr(x.Key, x.X)
		}
		d.exprs("item", s.Items)
	case *ast.Stop:
		d.expr("code", s.Code)
	case *ast.Sync:
		d.exprs("image", s.Images)
	case *ast.Critical:
		d.list("body", s.Body)
	case *ast.ChangeTeam:
		d.expr("team", s.Team)
		for _, n := range s.Names {
			d.exprs(n.Name.Name, n.Codims)
			d.expr("is", n.X)
		}
		d.exprs("status", s.Status)
		d.list("body", s.Body)
		d.exprs("end", s.EndStatus)
	}
}

func (d *dumper) align(s *ast.Align) {
	d.entities("array", s.Alignees)
	if s.HasList {
		for _, a := range s.Source {
			d.node("source", alignMark(a.Star, a.Colon, a.Name), a.Pos)
		}
	}
	for _, t := range s.TargetSubs {
		if t.Expr != nil {
			d.expr("target", t.Expr)
		} else {
			d.node("target", alignMark(t.Star, t.Colon, ""), t.Pos)
		}
	}
}

func alignMark(star, colon bool, name string) string {
	switch {
	case star:
		return "*"
	case colon:
		return ":"
	}
	return name
}

func (d *dumper) entities(role string, list []ast.Entity) {
	for _, e := range list {
		d.node(role, e.Name, e.Pos)
		d.down(func() {
			d.dims("dim", e.Dims)
			d.dims("codim", e.Codims)
			d.expr("len", e.Len)
			d.expr("init", e.Init)
			d.values(e.Data)
		})
	}
}

func (d *dumper) values(list []ast.DataValue) {
	for _, v := range list {
		d.expr("repeat", v.Repeat)
		d.expr("value", v.X)
	}
}

func (d *dumper) dims(role string, dims []ast.DimSpec) {
	for _, dim := range dims {
		d.node(role, "", dim.Pos)
		d.down(func() {
			d.expr("lo", dim.Lo)
			d.expr("hi", dim.Hi)
		})
	}
}

func (d *dumper) names(role string, names []ast.Name) {
	for _, n := range names {
		d.node(role, n.Name, n.Pos)
	}
}

func (d *dumper) control(lo, hi, step ast.Expr) {
	d.expr("from", lo)
	d.expr("to", hi)
	d.expr("step", step)
}

func (d *dumper) exprs(role string, list []ast.Expr) {
	for _, x := range list {
		d.expr(role, x)
	}
}

// expr writes an expression and its operands; nothing for one that is absent.
func (d *dumper) expr(role string, x ast.Expr) {
	if x == nil {
		return
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", x), "*ast.")
	text := ""
	var below func()
	switch x := x.(type) {
	case *ast.IntLit, *ast.RealLit, *ast.StringLit, *ast.LogicalLit:
		text = ast.UnparseExpr(x)
	case *ast.Ident:
		text = x.Name
	case *ast.Index:
		text = x.Name
		below = func() { d.exprs("arg", x.Args) }
	case *ast.Triplet:
		below = func() { d.control(x.Lo, x.Hi, x.Step) }
	case *ast.Substring:
		below = func() {
			d.expr("of", x.Base)
			d.expr("from", x.Lo)
			d.expr("to", x.Hi)
		}
	case *ast.CoIndex:
		below = func() {
			d.expr("of", x.Base)
			d.exprs("image", x.Images)
		}
	case *ast.Unary:
		text = x.Op
		below = func() { d.expr("", x.X) }
	case *ast.Binary:
		text = x.Op
		below = func() {
			d.expr("", x.X)
			d.expr("", x.Y)
		}
	case *ast.Paren:
		below = func() { d.expr("", x.X) }
	case *ast.Complex:
		below = func() {
			d.expr("re", x.Re)
			d.expr("im", x.Im)
		}
	case *ast.Array:
		if x.Type != nil {
			text = x.Type.Name
		}
		below = func() { d.exprs("item", x.Items) }
	case *ast.ImpliedDo:
		text = x.Var.Name
		below = func() {
			d.control(x.Lo, x.Hi, x.Step)
			d.exprs("item", x.Items)
		}
	case *ast.AltReturn:
		text = fmt.Sprint(x.To.Label)
	case *ast.Keyword:
		text = x.Name
		below = func() { d.expr("", x.X) }
	}
	d.node(role, kind, x.Position(), text)
	if below != nil {
		d.down(below)
	}
}
