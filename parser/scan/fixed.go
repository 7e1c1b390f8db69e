package scan

import (
	"strings"

	"github.com/spmdc/spmdc/parser/source"
)

// The columns of a line of fixed form, counted from 1.
const (
	markColumn  = 6  // a blank or 0: the line begins a statement; anything else continues one
	firstColumn = 7  // of the text of a statement
	lastColumn  = 72 // what stands behind is comment
)

// FixedForm is the fixed source form of FORTRAN 77. Blanks have no meaning
// outside strings: the text of its lines has none, and Tokens finds the words
// that run together.
type FixedForm struct{}

// Lines implements Form.
func (FixedForm) Lines(text []source.Physical, diags *source.List) []Line {
	p := fixed{diags: diags, lines: make([]Line, 0, len(text))}
	for _, ph := range text {
		p.physical(ph)
	}
	p.finish()
	return p.lines
}

// fixed is the state between two physical lines of fixed form.
type fixed struct {
	diags *source.List
	lines []Line

	// The statement that may still be continued.
	open      bool
	directive bool
	broken    bool
	text      strings.Builder
	parts     []part
	label     int
	labelPos  source.Pos
	labelEnd  source.Pos
	count     int  // of its continuation lines
	quote     byte // of the string that is open, or 0
	quotePos  source.Pos
	hollerith int  // how many characters of a Hollerith constant are missing
	gap       bool // blanks stand behind the last byte of the text
	column    int  // of the next byte of the line, were it longer
	end       source.Pos
	separated bool // it stands behind a semicolon

	hidden source.Pos // of the directive that ended the last statement
}

// physical takes in one line.
func (p *fixed) physical(ph source.Physical) {
	raw := ph.Text
	if skipBlank(raw, 0) == len(raw) {
		return
	}
	sentinel := 0
	switch raw[0] {
	case '#':
		preprocessorLine(p.diags, ph)
		return
	case 'c', 'C', '*', '!':
		if sentinel = Sentinel(raw); sentinel == 0 {
			return
		}
	}
	directive := sentinel > 0
	f := fieldsOf(ph, sentinel)
	switch k := skipBlank(raw, f.body); {
	case !f.continued && (k == len(raw) || raw[k] == '!' || f.column+k-f.body > lastColumn) && f.digits == "" && f.odd < 0:
		inlineDirective(p.diags, ph, k)
		return
	case f.continued:
		if p.resume(ph, f, directive) {
			p.body(ph, f)
		}
		return
	}
	p.finish()
	if directive && len(p.lines) > 0 && !p.lines[len(p.lines)-1].Directive {
		p.hidden = ph.At(0)
	} else if !directive {
		p.hidden = source.Pos{}
	}
	p.open, p.directive, p.end = true, directive, ph.At(0)
	p.takeLabel(ph, f)
	p.body(ph, f)
}

// fields are what stands in the first six columns of a line.
type fields struct {
	digits    string // of the label, without blanks
	from, to  int    // where the label stands
	odd       int    // where something else stands, or -1
	continued bool
	mark      int // where the mark of the continuation stands
	body      int // where the text begins, or a comment in front of column 6
	column    int // the column of raw[body]
}

// fieldsOf takes the first six columns of a line apart, in a directive behind
// its sentinel. A tab in them goes to
// column 7; a digit from 1 to 9 behind it marks a continuation.
func fieldsOf(ph source.Physical, sentinel int) fields {
	raw := ph.Text
	f := fields{odd: -1, column: 1, from: -1}
	if sentinel > 0 {
		f.body, f.column = sentinel, sentinel+1
	}
	for f.body < len(raw) && f.column < markColumn {
		i, c := f.body, raw[f.body]
		switch {
		case c == '\t':
			return f.behindTab(raw)
		case c == ' ' || c == '\r':
		case c == '!':
			return f
		case isDigit(c):
			if f.from < 0 {
				f.from = i
			}
			f.digits, f.to = f.digits+raw[i:i+1], i+1
		default:
			if f.odd < 0 {
				f.odd = i
			}
		}
		f.body++
		f.column++
	}
	if f.body == len(raw) {
		return f
	}
	switch c := raw[f.body]; {
	case c == '\t':
		return f.behindTab(raw)
	case c != ' ' && c != '0' && c != '\r':
		f.continued, f.mark = true, f.body
	}
	f.body++
	f.column++
	return f
}

// StatementStart returns where the text of a line of fixed form begins that has
// no label and continues nothing, -1 for another line.
func StatementStart(ph source.Physical) int {
	if ph.Text == "" || strings.IndexByte("cC*!#", ph.Text[0]) >= 0 {
		return -1
	}
	f := fieldsOf(ph, 0)
	if f.continued || f.digits != "" || f.odd >= 0 {
		return -1
	}
	return f.body
}

func (f fields) behindTab(raw string) fields {
	f.body++
	f.column = firstColumn
	if f.body < len(raw) && '1' <= raw[f.body] && raw[f.body] <= '9' {
		f.continued, f.mark = true, f.body
		f.body++
	}
	return f
}

// resume begins a continuation line, and reports whether its text is to be
// taken in.
func (p *fixed) resume(ph source.Physical, f fields, directive bool) bool {
	at := ph.At(f.mark)
	switch {
	case directive && p.open && p.directive, !directive && p.open && !p.directive:
	case !directive && p.hidden.IsValid():
		p.diags.Errorf(source.BadContinuation, p.hidden, "a directive stands inside a continued statement").
			WithNote(at, "the statement is continued here").
			WithHelp("move the directive in front of the statement")
		return false
	case f.odd >= 0:
		p.diags.Add(noLabel(ph, f))
		return false
	default:
		what := "a statement"
		if directive {
			what = "a directive"
		}
		p.diags.Errorf(source.BadContinuation, at, "column %d marks a continuation line, but there is no line that %s could be continued from", markColumn, what).
			WithHelp("leave column %d blank, or begin %s in front of this line", markColumn, what)
		return false
	}
	switch {
	case f.odd >= 0, f.digits != "":
		from := f.odd
		if from < 0 {
			from = f.from
		}
		p.fail(source.BadContinuation, ph.At(from), "columns 1 to 5 of a continuation line are not blank").
			WithHelp("a label stands on the first line of its statement")
	case p.separated && p.text.Len() == 0:
		p.fail(source.BadContinuation, at, "the line is continued behind a semicolon").
			WithHelp("remove the semicolon, or begin a new statement")
	}
	if p.count++; p.count == maxContinuations+1 {
		p.fail(source.BadContinuation, at, "more than %d continuation lines", maxContinuations).
			WithHelp("split the statement")
	}
	// A string goes on behind the blanks that fill the line before.
	for ; p.column <= lastColumn; p.column++ {
		p.gap = true
		if p.hollerith > 0 {
			p.hollerith--
		} else if p.quote == 0 {
			continue
		}
		p.add(" ", p.end)
	}
	return true
}

// takeLabel takes the label of a line that begins a statement.
func (p *fixed) takeLabel(ph source.Physical, f fields) {
	if f.odd >= 0 {
		p.diags.Add(noLabel(ph, f))
		p.broken = true
		return
	}
	if f.digits == "" {
		return
	}
	for _, c := range f.digits {
		p.label = p.label*10 + int(c-'0')
	}
	p.labelPos, p.labelEnd = ph.At(f.from), ph.At(f.to-1)
	p.labelEnd.Col++
	if p.label == 0 {
		p.fail(source.BadLabel, p.labelPos, "label %s is zero", f.digits).
			WithEnd(p.labelEnd).WithHelp("labels are 1 to 99999")
	}
}

// noLabel is the error of a line whose first five columns hold something else
// than a label, as those of a program in free form do.
func noLabel(ph source.Physical, f fields) *source.Diag {
	d := &source.Diag{Code: source.BadLabel, Pos: ph.At(f.odd), Msg: "columns 1 to 5 hold something that is no label"}
	return d.WithEnd(ph.At(min(f.body, len(ph.Text)))).
		WithHelp("in fixed form statements begin in column %d, and comments with C, * or ! in column 1; a program in free form is compiled with --form=free", firstColumn)
}

// fail reports what is wrong with the open statement, unless something was
// before.
func (p *fixed) fail(code source.Code, pos source.Pos, format string, args ...any) *source.Diag {
	if p.broken {
		return &source.Diag{}
	}
	p.broken = true
	return p.diags.Errorf(code, pos, format, args...)
}

// body takes in the text of a line from column 7 to 72.
func (p *fixed) body(ph source.Physical, f fields) {
	raw, column := ph.Text, f.column
	i := f.body
	for ; i < len(raw) && column <= lastColumn; i, column = i+1, column+1 {
		c := raw[i]
		switch {
		case p.hollerith > 0:
			p.hollerith--
			p.add(raw[i:i+1], ph.At(i))
		case p.quote != 0:
			p.add(raw[i:i+1], ph.At(i))
			if c == p.quote {
				p.quote = 0
			}
		case isBlank(c):
			p.gap = true
			continue
		case c == '!':
			inlineDirective(p.diags, ph, i)
			p.column, p.gap = lastColumn+1, true
			return
		case c == ';':
			directive := p.directive
			p.finish()
			p.open, p.directive, p.separated, p.end = true, directive, true, ph.At(i)
			continue
		default:
			p.significant(ph, i)
		}
		p.gap = false
	}
	p.column, p.end = column, ph.At(i)
}

// significant takes in a byte that is not blank and in no string.
func (p *fixed) significant(ph source.Physical, i int) {
	c := ph.Text[i]
	switch {
	case c == '\'' || c == '"':
		// Two strings with a blank between are two strings, not one with a quote.
		if s := p.text.String(); p.gap && s != "" && s[len(s)-1] == c {
			p.add(" ", ph.At(i))
		}
		p.quote, p.quotePos = c, ph.At(i)
	case c|0x20 == 'h':
		p.hollerith = hollerithLen(p.text.String())
	}
	p.add(ph.Text[i:i+1], ph.At(i))
}

// hollerithLen is how many characters belong to the Hollerith constant whose H
// stands behind text: 5 in FORMAT(5H. It is 0 where the H belongs to a name, as
// in REAL*8 H.
func hollerithLen(text string) int {
	from := len(text)
	for from > 0 && isDigit(text[from-1]) {
		from--
	}
	if from == 0 || from == len(text) || len(text)-from > 3 {
		return 0
	}
	switch c := text[from-1]; {
	case isLetter(c), c == '_', c == '.':
		return 0
	case c == '*' && typeWord(fold(text[:from-1])):
		return 0
	}
	n := 0
	for _, c := range text[from:] {
		n = n*10 + int(c-'0')
	}
	return n
}

// add appends s, which stands at pos.
func (p *fixed) add(s string, pos source.Pos) {
	if p.count > maxContinuations {
		return
	}
	n, k := p.text.Len(), len(p.parts)-1
	if k < 0 || p.parts[k].pos.Line != pos.Line || p.parts[k].pos.Col+n-p.parts[k].off != pos.Col {
		p.parts = append(p.parts, part{n, pos})
	}
	p.text.WriteString(s)
}

// finish closes the open statement and makes a Line of it unless it is empty.
func (p *fixed) finish() {
	line := Line{Directive: p.directive, Broken: p.broken, Dense: true, Text: p.text.String(),
		Label: p.label, LabelPos: p.labelPos, parts: append([]part(nil), p.parts...)}
	switch {
	case !p.open || p.broken:
	case p.quote != 0:
		p.diags.Errorf(source.UnterminatedString, p.quotePos, "the string that begins here does not end").
			WithHelp("close it with %c; what stands behind column %d is not part of the line", p.quote, lastColumn)
		line.Broken = true
	case line.Text == "" && p.label != 0:
		p.diags.Errorf(source.BadLabel, p.labelPos, "label %d has no statement", p.label).
			WithEnd(p.labelEnd).WithHelp("put CONTINUE behind it")
		line.Broken = true
	}
	if p.open && (line.Text != "" || line.Broken) {
		if line.parts == nil {
			line.parts = []part{{0, p.labelPos}}
		}
		if !line.parts[0].pos.IsValid() {
			line.parts[0].pos = p.end
		}
		line.first = line.parts[0].pos
		p.lines = append(p.lines, line)
	}
	*p = fixed{diags: p.diags, lines: p.lines, parts: p.parts[:0], hidden: p.hidden}
}
