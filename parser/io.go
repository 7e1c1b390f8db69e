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
	fileStmt struct {
		Word    *lexer.Token `parser:"( @( 'open' | 'close' | 'inquire' | 'rewind' | 'backspace' | 'endfile' | 'flush' ) | 'end' 'file' )"`
		Control []control    `parser:"( '(' @@ ( ',' @@ )* ')'"`
		Unit    *expr        `parser:"| @@ )"`
		Items   []ioItem     `parser:"( @@ ( ',' @@ )* )?"`
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

// Forms of the statements, for messages.
const (
	writeForm = "write(unit, format [, iostat=variable] [, advance='no'] [, rec=number]) items, or write(unit) items"
	readForm  = "read(unit, format [, iostat=variable] [, end=label] [, err=label] [, rec=number]) variables, or read(unit) variables"
)

// transferKeys are the entries of READ and WRITE beside unit and format, and endings
// those that name a label or get the outcome.
var (
	transferKeys = []string{"rec", "pos", "advance", "decimal", "sign", "round", "blank", "delim", "pad"}
	endings      = []string{"iostat", "iomsg", "err"}
)

func (g *writeStmt) build(p *parser, base ast.Base) ast.Stmt {
	c, ok := p.controls(g.Control, writeForm, true, transferKeys, endings)
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
	c, ok := p.controls(g.Control, readForm, true, transferKeys, endings, []string{"size", "end", "eor"})
	if !p.variables(g.Items) || !ok {
		return nil
	}
	return &ast.Read{Base: base, Paren: true, Control: c, Items: items(g.Items)}
}

// fileForms are the statements on files: how they are written, and what their lists may
// have beside the unit.
var fileForms = map[string]struct {
	form string
	keys []string
}{
	"open": {"open(unit, file='name' [, status='old'] [, form='unformatted'] [, access='direct', recl=length] [, iostat=variable])",
		[]string{"file", "status", "access", "form", "recl", "action", "position", "newunit", "blank", "delim", "pad", "sign", "decimal", "round", "encoding", "asynchronous"}},
	"close":     {"close(unit [, status='delete'] [, iostat=variable])", []string{"status"}},
	"rewind":    {"rewind unit  or  rewind(unit [, iostat=variable])", nil},
	"backspace": {"backspace unit  or  backspace(unit [, iostat=variable])", nil},
	"endfile":   {"endfile unit  or  endfile(unit [, iostat=variable])", nil},
	"flush":     {"flush unit  or  flush(unit [, iostat=variable])", nil},
	"inquire":   {"inquire(unit, opened=variable, ...)  or  inquire(file='name', exist=variable, ...)  or  inquire(iolength=variable) items", append([]string{"file"}, inquiries...)},
}

// inquiries are the entries of INQUIRE that get a value.
var inquiries = []string{"iolength", "exist", "opened", "number", "named", "name", "access", "sequential", "direct", "form", "formatted", "unformatted",
	"recl", "nextrec", "blank", "position", "action", "read", "write", "readwrite", "delim", "pad", "stream", "pos", "size", "encoding", "sign", "decimal", "round", "asynchronous", "pending"}

func (g *fileStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.FileStmt{Base: base, Word: "endfile", Items: items(g.Items)}
	if g.Word != nil {
		s.Word = g.Word.Value
	}
	if g.Unit != nil {
		s.Unit = g.Unit.X
		return s
	}
	f := fileForms[s.Word]
	var ok bool
	s.Control, ok = p.controls(g.Control, f.form, false, f.keys, endings)
	if len(s.Items) > 0 && s.Spec("iolength") == nil {
		p.diags.Errorf(source.Syntax, s.Items[0].Position(), "items behind %s", strings.ToUpper(s.Word)).WithHelp("the form is: %s", f.form)
		ok = false
	}
	if !ok {
		return nil
	}
	return s
}

// getsValue are the entries that name a variable, beside those of INQUIRE.
var getsValue = []string{"iostat", "iomsg", "newunit", "size"}

// controls makes sense of the list behind READ or WRITE (transfer), or of a statement on
// files. form is how the statement is written, may are the entries that it may have beside
// the unit, and the format of a transfer.
func (p *parser) controls(list []control, form string, transfer bool, may ...[]string) (c ast.Control, ok bool) {
	ok = p.controlOnce(list, transfer)
	hasFormat := false
	inquires := slices.ContainsFunc(may, func(keys []string) bool { return slices.Contains(keys, "iolength") })
	wrong := func(e *control, format string, args ...any) {
		p.diags.Errorf(source.Syntax, e.Value.pos(), format, args...).WithHelp("the form is: %s", form)
		ok = false
	}
	for i := range list {
		e := &list[i]
		v := e.Value.X.orNil()
		switch key := e.key(i, transfer); {
		case key == "unit":
			if c.Unit = v; v == nil && !transfer {
				wrong(e, "* is no unit that can be opened, closed or positioned")
			}
		case transfer && key == "fmt":
			hasFormat, c.Format = true, v
		case transfer && key == "nml":
			if _, isName := v.(*ast.Ident); !isName {
				wrong(e, "NML= needs the name of a NAMELIST group")
			}
			hasFormat, c.Format = true, v
		case !slices.ContainsFunc(may, func(keys []string) bool { return slices.Contains(keys, key) }):
			p.badControl(e, form, may...)
			ok = false
		case key == "end" || key == "err" || key == "eor":
			label := p.controlLabel(e, form)
			switch key {
			case "end":
				c.End = label
			case "err":
				c.Err = label
			default:
				c.Eor = label
			}
			ok = ok && label != 0
		case v == nil:
			wrong(e, "* is no value of %s=", strings.ToUpper(key))
		case (slices.Contains(getsValue, key) || inquires && slices.Contains(inquiries, key)) && !isVariable(v):
			wrong(e, "%s needs a variable", strings.ToUpper(key))
		default:
			c.Specs = append(c.Specs, ast.Spec{Key: key, X: v})
		}
	}
	c.Unformatted = transfer && !hasFormat
	if ok && c.Unformatted && c.Unit == nil {
		wrong(&list[0], "unit * needs a format, or * for list-directed form")
	}
	return c, ok
}

// controlLabel is the label that an entry names, 0 after an error.
func (p *parser) controlLabel(e *control, form string) int {
	lit, isLit := e.Value.X.orNil().(*ast.IntLit)
	if !isLit {
		p.diags.Errorf(source.BadLabel, e.Value.pos(), "%s= needs a label", strings.ToUpper(e.Key.Value)).WithHelp("the form is: %s", form)
		return 0
	}
	return p.labelValue(&lexer.Token{Value: lit.Text, Pos: position(lit.Pos)})
}

// key is what entry i of a control list is for: the unit, and the format of a transfer,
// may be written without a word.
func (c *control) key(i int, transfer bool) string {
	switch {
	case c.Key != nil:
		return c.Key.Value
	case i == 0:
		return "unit"
	case i == 1 && transfer:
		return "fmt"
	}
	return ""
}

// controlOnce reports an entry that a control list has twice.
func (p *parser) controlOnce(list []control, transfer bool) bool {
	seen := map[string]bool{}
	for i := range list {
		c := &list[i]
		key := c.key(i, transfer)
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

// badControl reports an entry that a statement of the form does not have; may are those that it has.
func (p *parser) badControl(c *control, form string, may ...[]string) {
	if c.Key == nil {
		p.diags.Errorf(source.Syntax, c.Value.pos(), "this is neither unit nor format").WithHelp("write: %s", form)
		return
	}
	key := c.Key.Value
	if near := source.Nearest(key, slices.Concat(slices.Concat(may...), []string{"unit", "fmt", "nml", "iostat", "iomsg", "err"})...); near != "" {
		p.diags.Add(problem(source.Syntax, c.Key, "there is no "+strings.ToUpper(key)+"= in this statement").WithHelp("did you mean %s=?", strings.ToUpper(near)))
		return
	}
	p.diags.Add(problem(source.OutsideSubset, c.Key, strings.ToUpper(key)+"= is not supported in this statement").
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
	case *ast.Ident, *ast.Index, *ast.Substring, *ast.CoIndex, *ast.Component:
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
	if err != nil {
		if end = scan.ClosingText(l.Text[at:]); end == 0 {
			end = len(l.Text) - at
		}
	}
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
