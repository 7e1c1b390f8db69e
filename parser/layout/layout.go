// Package layout formats source files: from either source form to either, with blocks
// indented. Comments, blank lines, the breaks between lines and the blanks inside of
// statements stay; the breaks move only where a line is too long. From
//
//	c     the middle
//	      DO10I=1,N
//	      X(I)=1.5   ! a half more
//	   10 CONTINUE
//
// comes, in free form,
//
//	!     the middle
//	DO 10 I=1,N
//	  X(I)=1.5   ! a half more
//	10 CONTINUE
//
// To format a file again changes nothing.
package layout

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/load"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// Options say what a file is to look like.
type Options struct {
	From, To scan.Form
	Indent   int // blanks for each level
	// ReadFile reads a file that is included; nil: there are none.
	ReadFile func(path string) ([]byte, error)
}

// ErrDefect is the error of a result that is not the same program: a defect of this package.
var ErrDefect = errors.New("the formatted text is not the same program")

// Format returns the text of the file called name in another layout. The list has the errors
// for which there is none: text that is not of the source form, and what the other
// form cannot express. An error is ErrDefect.
func Format(name string, text []byte, o Options) (string, *source.List, error) {
	file := source.NewFile(name, text)
	diags := source.NewList(file)
	all := file.Physical()
	pre := preprocessorLines(all)
	lines := o.From.Lines(without(all, pre), diags)
	if diags.Err() != nil {
		return "", diags, nil
	}
	f := &formatter{Options: o, fixed: isFixed(o.To), dense: isFixed(o.From), diags: diags, source: all,
		rows: make([][]*row, len(all)+1), touched: map[int]int{}}
	for i := range lines {
		f.statement(&lines[i])
	}
	if diags.Err() != nil {
		return "", diags, nil
	}
	f.outline(pre)
	out := f.print()

	again := source.NewFile(name, []byte(out))
	result := source.NewList(again)
	all = again.Physical()
	printed := o.To.Lines(without(all, preprocessorLines(all)), result)
	if result.Err() != nil {
		for _, d := range result.Diags {
			if d.Severity == source.Error {
				diags.Errorf(source.BadContinuation, source.Pos{Line: 1, Col: 1}, "the file has no %s form: %s", formName(o.To), d.Msg).
					WithHelp("split the statement, or write the other form")
				return "", diags, nil
			}
		}
	}
	if !slices.EqualFunc(lines, printed, sameStatement) {
		return "", diags, ErrDefect
	}
	if want, ok := tree(name, text, o.From, o.ReadFile); ok { // else its errors are not those of the layout
		got, ok := tree(name, []byte(out), o.To, o.ReadFile)
		if at := included(lines, file.Physical()); (!ok || got != want) && at.IsValid() {
			diags.Errorf(source.BadInclude, at, "what is included here is another text in %s form", formName(o.To)).
				WithHelp("put the text in place, or write it so that both forms read the same: & in column 6 and behind column 72")
			return "", diags, nil
		}
		if !ok || got != want {
			return "", diags, ErrDefect
		}
	}
	return out, diags, nil
}

func isFixed(f scan.Form) bool { return f == scan.Form(scan.FixedForm{}) }

func formName(f scan.Form) string {
	if isFixed(f) {
		return "fixed"
	}
	return "free"
}

// preprocessorLines are the lines that the preprocessor reads, with those that continue them.
func preprocessorLines(all []source.Physical) []bool {
	pre := make([]bool, len(all))
	for i, ph := range all {
		pre[i] = strings.HasPrefix(ph.Text, "#") || i > 0 && pre[i-1] && strings.HasSuffix(all[i-1].Text, `\`)
	}
	return pre
}

// tree is the syntax tree of a file as text, without FORMAT statements, whose text may differ;
// ok is false if the file has errors, as one without a main program.
func tree(name string, text []byte, form scan.Form, read func(string) ([]byte, error)) (_ string, ok bool) {
	file, diags := parser.ParseProgram(load.Read([]load.Text{{Name: name, Text: text}}, load.Options{Form: form, ReadFile: read}))
	var strip func(units []*ast.Program)
	strip = func(units []*ast.Program) {
		for _, u := range units {
			u.Formats = nil
			strip(u.Contains)
		}
	}
	strip(file.Modules)
	strip(file.Procedures)
	strip([]*ast.Program{file.Program})
	return ast.Unparse(file), diags.Err() == nil
}

// included is the place of the first line that includes a file.
func included(lines []scan.Line, all []source.Physical) source.Pos {
	for i := range lines {
		if toks, _ := lines[i].Tokens(nil); toks[0].Value == "include" && len(toks) > 1 && toks[1].Type == scan.String {
			return lines[i].Pos(0)
		}
	}
	for _, ph := range all {
		if text, ok := strings.CutPrefix(ph.Text, "#"); ok && strings.HasPrefix(strings.TrimLeft(text, " \t"), "include") {
			return ph.At(0)
		}
	}
	return source.Pos{}
}

// without are the lines that the preprocessor leaves.
func without(all []source.Physical, pre []bool) []source.Physical {
	var code []source.Physical
	for i, ph := range all {
		if !pre[i] {
			code = append(code, ph)
		}
	}
	return code
}

// sameStatement reports whether two lines have the same tokens, but for where words end: this
// depends on the source form.
func sameStatement(a, b scan.Line) bool {
	return a.Label == b.Label && a.Directive == b.Directive && essence(&a) == essence(&b)
}

// essence is the text of a line without blanks that mean nothing.
func essence(l *scan.Line) string {
	toks, wrong := l.Tokens(nil)
	if wrong != nil {
		return strings.Join(strings.Fields(strings.ToLower(l.Text)), "")
	}
	var b strings.Builder
	for _, t := range toks {
		if t.Type == scan.Hollerith && isFormat(l) {
			t.Value = quoted(t.Value)
		}
		b.WriteString(t.Value)
	}
	return b.String()
}

// quoted is a Hollerith constant as a string.
func quoted(hollerith string) string {
	_, text, _ := strings.Cut(strings.Replace(hollerith, "h", "H", 1), "H")
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// isFormat reports whether a line is a FORMAT statement, whose words are no words of Fortran.
func isFormat(l *scan.Line) bool {
	const word = "format"
	return l.Label != 0 && len(l.Text) > len(word) && strings.EqualFold(l.Text[:len(word)], word) &&
		strings.HasPrefix(strings.TrimLeft(l.Text[len(word):], " \t"), "(")
}

// piece is a token in a line of the result.
type piece struct {
	text  string
	gap   int  // blanks in front of it
	whole bool // a string, of which every character counts
	first bool // of its statement
	start source.Pos
	last  int // line of the source that it ends on
}

// stmt is a statement that begins in a row.
type stmt struct {
	scan.Stmt
	label, level int
}

// row is a line of the result before it is too long.
type row struct {
	label     int
	directive string // its sentinel
	pieces    []piece
	continues bool // the first piece is not the first of its statement
	open      bool // the statement of the last piece goes on in another row
	head      *row // of a row that continues: where the statement begins
	stmts     []stmt

	verbatim   string // a line for the preprocessor
	comment    string
	commentCol int // its column in the source, from 1
	commentGap int // blanks in front of it in the source

	level  int // of blocks
	indent int // column of the first piece, from 0
	column int // in the source, of the first piece
}

func (r *row) empty() bool { return len(r.pieces) == 0 && r.comment == "" && r.verbatim == "" }

type formatter struct {
	Options
	fixed, dense bool // the forms of the result and of the source
	diags        *source.List
	source       []source.Physical
	rows         [][]*row    // by line of the source
	touched      map[int]int // how many bytes of a line of the source statements reach to
	all          []*row      // in the order of the result
}

// row returns the row for a statement, or the rest of one, at a line of the source.
func (f *formatter) row(line int, own bool) *row {
	if n := len(f.rows[line]); n > 0 && !own {
		return f.rows[line][n-1]
	}
	r := &row{}
	f.rows[line] = append(f.rows[line], r)
	return r
}

// statement makes pieces of a statement, each in the row of its line.
func (f *formatter) statement(l *scan.Line) {
	for i := range len(l.Text) {
		p := l.Pos(i)
		f.touched[p.Line] = max(f.touched[p.Line], p.Col)
	}
	toks, wrong := l.Tokens(nil)
	var s scan.Stmt
	if l.Directive {
		s = scan.ClassifyDirective(toks)
	} else {
		s = scan.Classify(toks)
	}
	pieces := f.pieces(l, toks)
	if wrong != nil {
		pieces = verbatim(l)
	}
	var head, at *row
	for i, p := range pieces {
		if i > 0 && p.start.Line == pieces[i-1].last {
			at.pieces = append(at.pieces, p)
			continue
		}
		r := f.row(p.start.Line, i == 0 && (l.Label != 0 || l.Directive) && f.begun(p.start.Line))
		if i == 0 {
			head = r
			if len(r.pieces) == 0 {
				r.label = l.Label
				if l.Directive {
					r.directive = sentinel(f.source[p.start.Line-1].Text)
				}
			}
			r.stmts = append(r.stmts, stmt{Stmt: s, label: l.Label})
			p.first = true
		} else {
			p.gap, at.open = 0, true
			if len(r.pieces) == 0 {
				r.continues, r.head, r.directive = true, head, head.directive
			}
		}
		at = r
		r.pieces = append(r.pieces, p)
	}
}

// sentinel is the one that a line of the source begins with, with ! in front.
func sentinel(raw string) string {
	raw = strings.TrimLeft(raw, " \t")
	return "!" + raw[1:scan.Sentinel(raw)]
}

// begun reports whether a line of the source has a statement already.
func (f *formatter) begun(line int) bool {
	n := len(f.rows[line])
	return n > 0 && len(f.rows[line][n-1].pieces) > 0
}

// pieces makes a piece of each token.
func (f *formatter) pieces(l *scan.Line, toks []lexer.Token) []piece {
	format := isFormat(l)
	var out []piece
	end := source.Pos{} // behind the token before
	for i, t := range toks[:len(toks)-1] {
		off := t.Pos.Offset
		p := piece{text: l.Text[off : off+len(t.Value)], whole: t.Type == scan.String || t.Type == scan.Hollerith, start: l.Pos(off)}
		switch {
		case t.Type == scan.Hollerith && !f.fixed && format:
			p.text = quoted(p.text)
		case t.Type == scan.Ident && l.Dense:
			if n := scan.Joint(t.Value); n > 0 && (apart(l, off+n) || t.Value == "errorstop") {
				p.text = p.text[:n] + " " + p.text[n:]
			}
		}
		if i > 0 && p.start.Line == end.Line {
			p.gap = max(0, p.start.Col-end.Col)
			left, right := l.Text[off-1], l.Text[off]
			if l.Dense && isWord(left) && isWord(right) {
				if p.gap = max(1, p.gap); format {
					p.gap = 0
				}
			}
			if last := out[len(out)-1].text; p.whole && last[len(last)-1] == p.text[0] {
				p.gap = max(1, p.gap)
			}
		}
		end = l.Pos(off + len(t.Value) - 1)
		p.last = end.Line
		end.Col++
		if i > 0 && t.Type == scan.Ident && scan.Joint(toks[i-1].Value+t.Value) == len(toks[i-1].Value) {
			last := &out[len(out)-1]
			if last.last = p.last; !l.Dense || apart(l, off) {
				last.text += " "
			}
			last.text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}

// verbatim makes a piece of each line of a statement whose tokens are not those of Fortran, as
// the preprocessor may have some.
func verbatim(l *scan.Line) []piece {
	var out []piece
	from := 0
	for i := 1; i <= len(l.Text); i++ {
		if i < len(l.Text) && l.Pos(i).Line == l.Pos(from).Line {
			continue
		}
		if text := strings.TrimSpace(l.Text[from:i]); text != "" {
			out = append(out, piece{text: text, start: l.Pos(from), last: l.Pos(from).Line})
		}
		from = i
	}
	return out
}

// apart reports whether something stands in front of byte off of a line in the source.
func apart(l *scan.Line, off int) bool {
	before, at := l.Pos(off-1), l.Pos(off)
	return before.Line != at.Line || before.Col+1 != at.Col
}

func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// outline puts the rows in order, with comments and blank lines, and finds the level of each.
func (f *formatter) outline(pre []bool) {
	blocks := nest{fixed: f.fixed}
	var open *row // its statement goes on
	for i, ph := range f.source {
		if pre[i] {
			f.all = append(f.all, &row{verbatim: ph.Text})
			blocks.preprocessor(ph.Text)
			continue
		}
		rows := f.rows[ph.Line]
		c := f.comment(ph)
		if len(rows) == 0 {
			_, part := f.touched[ph.Line] // of a string
			switch {
			case c.text == "" && (part || open != nil):
				continue
			case c.text != "" && open != nil && c.column > 1:
				c.level, c.indent = open.level, continuationIndent
			default:
				c.level = blocks.level()
			}
			f.all = append(f.all, &row{comment: c.text, commentCol: c.column, level: c.level, indent: c.indent})
			continue
		}
		for _, r := range rows {
			r.column = width(ph.Text, r.pieces[0].start.Col)
			r.level = blocks.level()
			for k := range r.stmts {
				r.stmts[k].level = blocks.take(r.stmts[k].Stmt, r.stmts[k].label)
			}
			if !r.continues {
				r.level = r.stmts[0].level
			}
			if open = nil; r.open {
				open = r
				if len(r.stmts) == 0 {
					open = r.head
				}
			}
		}
		last := rows[len(rows)-1]
		last.comment, last.commentCol, last.commentGap = c.text, c.column, c.gap
		f.all = append(f.all, rows...)
	}
	for len(f.all) > 0 && f.all[len(f.all)-1].empty() {
		f.all = f.all[:len(f.all)-1]
	}
	for len(f.all) > 0 && f.all[0].empty() {
		f.all = f.all[1:]
	}
}

// comment is what a line of the source has behind its statements.
type comment struct {
	text          string
	column, gap   int
	level, indent int
}

// sequenceColumns are those of the numbers that cards had, behind the text of a line.
const sequenceColumns = 8

// comment finds the comment of a line. Card numbers behind column 72 are none.
func (f *formatter) comment(ph source.Physical) comment {
	raw := ph.Text
	from, end := f.touched[ph.Line], len(raw) // raw[from:] is behind the statements
	if f.dense {
		if from == 0 && raw != "" && strings.IndexByte("cC*", raw[0]) >= 0 {
			if !f.fixed {
				raw = "!" + raw[1:]
			}
			if k := byteAt(raw, textEnd); isCard(strings.TrimRight(raw[k:], " \t\r\f")) {
				raw = raw[:k]
			}
			return comment{text: strings.TrimRight(raw, " \t\r\f"), column: 1}
		}
		end = byteAt(raw, textEnd)
	}
	from = min(from, end)
	at := from + strings.IndexByte(raw[from:end], '!')
	if at < from {
		return cardText(raw, end)
	}
	return commentAt(raw, at, raw[at:])
}

// commentAt is the comment that begins at a byte of a line.
func commentAt(raw string, at int, text string) comment {
	before := strings.TrimRight(raw[:at], " \t\r\f")
	column := width(raw, at+1)
	return comment{text: strings.TrimRight(text, " \t\r\f"), column: column, gap: column - width(before, len(before)+1)}
}

// isCard reports whether text is the number of a card, and no end of a comment.
func isCard(text string) bool {
	if len(text) != sequenceColumns {
		return false
	}
	for i := range len(text) {
		if digit := '0' <= text[i] && text[i] <= '9'; !digit && (i >= sequenceColumns/2 || !isWord(text[i])) {
			return false
		}
	}
	return true
}

// cardText is what stands behind column 72, as a comment unless it is the number of a card.
func cardText(raw string, from int) comment {
	text := strings.TrimSpace(raw[from:])
	switch {
	case text == "", text[0] != '!' && len(text) <= sequenceColumns && !strings.ContainsAny(text, " \t"):
		return comment{}
	case text[0] == '!':
		return commentAt(raw, from+strings.IndexByte(raw[from:], '!'), text)
	}
	return commentAt(raw, from, "! "+text)
}

// width is the column of byte col of a line, both counted from 1, with tabs to every eighth column.
func width(raw string, col int) int {
	w := 0
	for i, c := range raw {
		if i+1 >= col {
			break
		}
		if w++; c == '\t' {
			w = (w + 7) / 8 * 8
		}
	}
	return w + 1 + max(0, col-1-len(raw))
}

// byteAt is the index of the byte that stands in column col+1 of a line of fixed form.
func byteAt(raw string, col int) int {
	if tab := strings.IndexByte(raw, '\t'); tab >= 0 && tab < 6 {
		col -= 6 - (tab + 1)
	}
	return min(col, len(raw))
}

func runes(s string) int { return utf8.RuneCountInString(s) }
