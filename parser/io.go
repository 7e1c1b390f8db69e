package parser

import (
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/fio"
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

func (g *printStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Print{Base: base, Control: ast.Control{Format: g.Format.X.orNil()}, Items: items(g.Items)}
}

func (g *writeStmt) build(p *parser, base ast.Base) ast.Stmt {
	c, ok := p.controls(g.Control, base.Pos, "write(unit, format [, advance='no'] [, iostat=variable]) items", "advance", "iostat", "iomsg", "err")
	if !ok {
		return nil
	}
	return &ast.Print{Base: base, Write: true, Control: c, Items: items(g.Items)}
}

func (g *readStmt) build(p *parser, base ast.Base) ast.Stmt {
	if !p.variables(g.Items) {
		return nil
	}
	return &ast.Read{Base: base, Control: ast.Control{Format: g.Format.X.orNil()}, Items: items(g.Items)}
}

func (g *readParenStmt) build(p *parser, base ast.Base) ast.Stmt {
	c, ok := p.controls(g.Control, base.Pos, "read(unit, format [, iostat=variable] [, end=label] [, err=label]) variables", "iostat", "iomsg", "end", "err")
	if !p.variables(g.Items) || !ok {
		return nil
	}
	return &ast.Read{Base: base, Paren: true, Control: c, Items: items(g.Items)}
}

// controls makes sense of the list behind READ or WRITE, whose form is form and which
// may have the given entries beside unit and format.
func (p *parser) controls(list []control, pos source.Pos, form string, may ...string) (c ast.Control, ok bool) {
	ok = p.controlOnce(list)
	hasFormat := false
	for i := range list {
		e := &list[i]
		v := e.Value.X.orNil()
		switch key := e.key(i); {
		case key == "unit":
			c.Unit = v
		case key == "fmt":
			hasFormat, c.Format = true, v
		case !slices.Contains(may, key):
			p.badControl(e, form)
			ok = false
		case key == "advance":
			if c.Advance = v; v == nil {
				p.diags.Errorf(source.Syntax, e.Value.pos(), "ADVANCE needs 'yes' or 'no'").WithHelp("the form is: %s", form)
				ok = false
			}
		case key == "iostat" || key == "iomsg":
			if v == nil || !isVariable(v) {
				p.diags.Errorf(source.Syntax, e.Value.pos(), "%s needs a variable", strings.ToUpper(key)).WithHelp("the form is: %s", form)
				ok = false
			}
			if key == "iostat" {
				c.Iostat = v
			} else {
				c.Iomsg = v
			}
		default:
			lit, isLit := v.(*ast.IntLit)
			if !isLit {
				p.diags.Errorf(source.BadLabel, e.Value.pos(), "%s= needs a label", strings.ToUpper(key)).WithHelp("the form is: %s", form)
				ok = false
				break
			}
			label := p.labelValue(&lexer.Token{Value: lit.Text, Pos: position(lit.Pos)})
			if key == "end" {
				c.End = label
			} else {
				c.Err = label
			}
			ok = ok && label != 0
		}
	}
	if ok && !hasFormat {
		p.outside(pos, "input and output without a format is outside the subset", form)
		ok = false
	}
	return c, ok
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

func items(list []ioItem) []ast.Expr {
	var out []ast.Expr
	for _, item := range list {
		out = append(out, item.X)
	}
	return out
}

// formatStmt takes in a FORMAT statement. Its text is not made of tokens: it has
// strings in which blanks count, and 1X is no name. It reports whether l is one.
func (p *parser) formatStmt(l *scan.Line) bool {
	const word = "format"
	if l.Directive || len(l.Text) < len(word) || !strings.EqualFold(l.Text[:len(word)], word) {
		return false
	}
	at := len(word) + strings.IndexByte(l.Text[len(word):], '(')
	if at < len(word) || strings.TrimLeft(l.Text[len(word):at], " \t") != "" {
		return false
	}
	_, end, err := fio.ParsePrefix(l.Text[at:])
	rest := strings.TrimLeft(l.Text[at+end:], " \t")
	if strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "%") || l.Label == 0 && err != nil {
		return false
	}
	base := ast.Base{Pos: l.Pos(0), Label: l.Label}
	var bad *fio.Error
	switch {
	case errors.As(err, &bad):
		p.diags.Errorf(source.BadIO, l.Pos(at+bad.Offset), "%s", bad.Msg).WithHelp("%s", bad.Help)
		return true
	case rest != "":
		p.diags.Errorf(source.Syntax, l.Pos(len(l.Text)-len(rest)), "text behind the parenthesis that closes the FORMAT").WithHelp("remove it")
		return true
	case l.Label == 0:
		p.diags.Errorf(source.BadLabel, base.Pos, "FORMAT without a label").WithHelp("write 10 format(...), and the label in READ, WRITE or PRINT")
		return true
	}
	p.uniqueLabel(base)
	p.prog.Formats = append(p.prog.Formats, &ast.Format{Base: base, Text: l.Text[at:]})
	return true
}
