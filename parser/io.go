package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// The grammars of input and output.
type (
	printStmt struct {
		Format format   `parser:"'print' @@"`
		Items  []ioItem `parser:"( ',' @@ ( ',' @@ )* )?"`
	}
	writeStmt struct {
		Control []control `parser:"'write' '(' @@ ( ',' @@ )* ')'"`
		Items   []ioItem  `parser:"( @@ ( ',' @@ )* )?"`
	}
	readStmt struct {
		Format format   `parser:"'read' @@"`
		Items  []ioItem `parser:"( ',' @@ ( ',' @@ )* )?"`
	}
	readParenStmt struct {
		Control []control `parser:"'read' '(' @@ ( ',' @@ )* ')'"`
		Items   []ioItem  `parser:"( @@ ( ',' @@ )* )?"`
	}
	// format is * or a format; Tok is where it begins.
	format struct {
		Star *lexer.Token `parser:"( @'*'"`
		X    *expr        `parser:"| @@ )"`
	}
	// control is one entry of the list behind WRITE or READ.
	control struct {
		Key   *lexer.Token `parser:"( (?= Ident '=') @Ident '=' )?"`
		Value format       `parser:"@@"`
	}
)

const (
	standardInput  = "5" // the unit that gfortran reads standard input from
	standardOutput = "6"
)

func (g *printStmt) build(p *parser, base ast.Base) ast.Stmt {
	if !p.notLabel(&g.Format) {
		return nil
	}
	return &ast.Print{Base: base, Format: g.Format.X.orNil(), Items: items(g.Items)}
}

func (g *writeStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Print{Base: base, Write: true, Items: items(g.Items)}
	hasFormat, ok := false, p.controlOnce(g.Control)
	for i := range g.Control {
		c := &g.Control[i]
		switch c.key(i) {
		case "unit":
			if c.Value.Star == nil && !isInt(c.Value.X.X, standardOutput) {
				p.outside(c.Value.pos(), "output to anything but standard output is outside the subset", "write(*,*) items")
				ok = false
			}
		case "fmt":
			hasFormat = true
			s.Format = c.Value.X.orNil()
			ok = p.notLabel(&c.Value) && ok
		default:
			p.badControl(c, "write(*,*) items, or write(*,'(a)') text")
			ok = false
		}
	}
	if ok && !hasFormat {
		p.outside(base.Pos, "output without a format is outside the subset", "write(*,*) items")
		ok = false
	}
	if !ok {
		return nil
	}
	return s
}

func (g *readStmt) build(p *parser, base ast.Base) ast.Stmt {
	if !p.notLabel(&g.Format) || !p.variables(g.Items) {
		return nil
	}
	return &ast.Read{Base: base, Format: g.Format.X.orNil(), Items: items(g.Items)}
}

func (g *readParenStmt) build(p *parser, base ast.Base) ast.Stmt {
	const form = "read(*,* [, iostat=variable] [, end=label]) variables"
	s := &ast.Read{Base: base, Paren: true, Items: items(g.Items)}
	hasFormat, ok := false, p.controlOnce(g.Control) && p.variables(g.Items)
	for i := range g.Control {
		c := &g.Control[i]
		v := c.Value.X.orNil()
		switch key := c.key(i); key {
		case "unit":
			switch {
			case v == nil || isInt(v, standardInput):
			case isVariable(v):
				s.Unit = v
			default:
				p.outside(c.Value.pos(), "input from anything but standard input and character variables is outside the subset", form)
				ok = false
			}
		case "fmt":
			hasFormat, s.Format = true, v
			ok = p.notLabel(&c.Value) && ok
		case "iostat":
			if s.Iostat = v; v == nil || !isVariable(v) {
				p.diags.Errorf(source.Syntax, c.Value.pos(), "IOSTAT needs a variable").WithHelp("the form is: %s", form)
				ok = false
			}
		case "end":
			lit, isLit := v.(*ast.IntLit)
			if !isLit {
				p.diags.Errorf(source.BadLabel, c.Value.pos(), "END= needs a label").WithHelp("the form is: %s", form)
				ok = false
				break
			}
			s.End = p.labelValue(&lexer.Token{Value: lit.Text, Pos: position(lit.Pos)})
			ok = ok && s.End != 0
		default:
			p.badControl(c, form)
			ok = false
		}
	}
	if ok && !hasFormat {
		p.outside(base.Pos, "input without a format is outside the subset", form)
		ok = false
	}
	if !ok {
		return nil
	}
	return s
}

// key is what entry i of a control list is for: the first two entries may be
// written without a word.
func (c *control) key(i int) string {
	switch {
	case c.Key != nil:
		return c.Key.Value
	case i == 0:
		return "unit"
	case i == 1:
		return "fmt"
	}
	return ""
}

// controlOnce reports an entry that a control list has twice.
func (p *parser) controlOnce(list []control) bool {
	seen := map[string]bool{}
	for i := range list {
		c := &list[i]
		key := c.key(i)
		if key != "" && seen[key] {
			p.diags.Errorf(source.Syntax, c.Value.pos(), "%s= is given twice", strings.ToUpper(key)).
				WithHelp("remove one")
			return false
		}
		seen[key] = true
	}
	return true
}

func (f *format) pos() source.Pos {
	if f.Star != nil {
		return startOf(f.Star)
	}
	return f.X.X.Position()
}

func position(p source.Pos) lexer.Position { return lexer.Position{Line: p.Line, Column: p.Col} }

func (p *parser) outside(pos source.Pos, msg, form string) {
	p.diags.Errorf(source.OutsideSubset, pos, "%s", msg).WithHelp("write: %s", form)
}

func (p *parser) badControl(c *control, form string) {
	if c.Key == nil {
		p.diags.Errorf(source.Syntax, c.Value.pos(), "this is neither unit nor format").WithHelp("write: %s", form)
		return
	}
	p.diags.Add(problem(source.OutsideSubset, c.Key, strings.ToUpper(c.Key.Value)+"= is outside the subset").
		WithHelp("write: %s", form))
}

// notLabel reports a format that is the label of a FORMAT statement.
func (p *parser) notLabel(f *format) bool {
	if f.X == nil {
		return true
	}
	if lit, ok := f.X.X.(*ast.IntLit); ok {
		p.diags.Errorf(source.OutsideSubset, lit.Pos, "FORMAT statements are outside the subset").
			WithEnd(lit.End).WithHelp("write * for list-directed form, or '(a)' for one CHARACTER item")
		return false
	}
	return true
}

// variables reports items of READ that cannot take a value.
func (p *parser) variables(list []ioItem) bool {
	ok := true
	var check func(x ast.Expr)
	check = func(x ast.Expr) {
		if do, isDo := x.(*ast.ImpliedDo); isDo {
			for _, item := range do.Items {
				check(item)
			}
			return
		}
		if !isVariable(x) {
			p.diags.Errorf(source.Syntax, x.Position(), "only variables can be read").WithEnd(x.EndPosition()).
				WithHelp("read into a variable, and compute with that")
			ok = false
		}
	}
	for _, item := range list {
		check(item.X)
	}
	return ok
}

// isVariable reports whether x has the form of a variable.
func isVariable(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.Index, *ast.Substring, *ast.CoIndex:
		return true
	}
	return false
}

func isInt(x ast.Expr, text string) bool {
	lit, ok := x.(*ast.IntLit)
	return ok && lit.Text == text && lit.Kind == ""
}

func items(list []ioItem) []ast.Expr {
	var out []ast.Expr
	for _, item := range list {
		out = append(out, item.X)
	}
	return out
}
