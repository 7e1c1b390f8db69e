package scan

import (
	"strings"

	"github.com/spmdc/spmdc/parser/source"
)

const (
	sentinel = "!hpf$"
	// maxColumns is the length of a free form line; gfortran refuses longer
	// ones, unless what is too much is comment.
	maxColumns = 132
	// maxContinuations is gfortran's limit; Fortran 95 asks for 39.
	maxContinuations = 255
	maxLabelDigits   = 5
)

// FreeForm is the free source form of Fortran 90.
type FreeForm struct{}

// Lines implements Form.
func (FreeForm) Lines(f *source.File, diags *source.List) []Line {
	p := prescan{file: f, diags: diags, lines: make([]Line, 0, f.Lines())}
	for n := 1; n <= f.Lines(); n++ {
		p.physical(n, f.Line(n))
	}
	p.endOfFile()
	return p.lines
}

// prescan is the state between two physical lines.
type prescan struct {
	file  *source.File
	diags *source.List
	lines []Line

	open      bool // a statement has begun and is not complete
	directive bool // what is open is a directive
	broken    bool // what is open has been complained about
	text      string
	parts     []part
	amp       source.Pos // of the & that continues the open statement
	count     int        // of continuation lines of the open statement
	quote     byte       // of the string that is open at the &, or 0
	quotePos  source.Pos
}

// physical takes in line n of the file.
func (p *prescan) physical(n int, raw string) {
	i := skipBlank(raw, 0)
	if i == len(raw) {
		return
	}
	isDirective := false
	switch {
	case raw[i] == '!':
		if !hasSentinel(raw[i:]) {
			return
		}
		isDirective = true
		if p.open && !p.directive {
			p.diags.Errorf(source.BadContinuation, source.Pos{Line: n, Col: i + 1},
				"a directive stands inside a continued statement").
				WithEnd(source.Pos{Line: n, Col: i + 1 + len(sentinel)}).
				WithNote(p.amp, "the statement is continued here").
				WithHelp("move the directive in front of the statement")
			return
		}
		i = skipBlank(raw, i+len(sentinel))
	case raw[0] == '#':
		p.diags.Errorf(source.OutsideSubset, source.Pos{Line: n, Col: 1}, "preprocessor line").
			WithEnd(source.Pos{Line: n, Col: len(raw) + 1}).
			WithHelp("run the preprocessor first, or remove the line")
		return
	case p.open && p.directive:
		p.diags.Errorf(source.BadContinuation, p.amp, "the directive is continued, but the next line is not a directive").
			WithNote(source.Pos{Line: n, Col: i + 1}, "this line follows").
			WithHelp("begin the continuation with !HPF$, or remove the &")
		p.broken = true
		p.finish()
	}
	if p.open {
		i = p.resume(n, raw, i)
	}
	p.directive = isDirective
	p.body(n, raw, i)
}

// resume begins a continuation line whose first byte that is not blank is
// raw[i], and returns where its text begins.
func (p *prescan) resume(n int, raw string, i int) int {
	if p.count++; p.count == maxContinuations+1 {
		p.diags.Errorf(source.BadContinuation, source.Pos{Line: n, Col: i + 1},
			"more than %d continuation lines", maxContinuations).
			WithHelp("split the statement")
		p.broken = true
	}
	if i < len(raw) && raw[i] == '&' {
		return i + 1
	}
	if p.quote != 0 && !p.broken {
		p.diags.Errorf(source.BadContinuation, source.Pos{Line: n, Col: i + 1},
			"a string is continued here, but the line does not begin with &").
			WithNote(p.quotePos, "the string begins here").
			WithHelp("begin the line with &; the string goes on right behind it")
		p.broken = true
	}
	// Without a leading & the line break separates tokens.
	p.add(" ", source.Pos{Line: n, Col: i + 1})
	return i
}

// body takes in the text of a physical line from raw[from], up to a comment.
func (p *prescan) body(n int, raw string, from int) {
	at := func(i int) source.Pos { return source.Pos{Line: n, Col: i + 1} }
	start, end := from, len(raw) // raw[start:end] is not yet added
	p.open = true
scan:
	for i := from; i < len(raw); i++ {
		c := raw[i]
		switch {
		case p.quote != 0:
			if c == p.quote {
				p.quote = 0
			} else if c == '&' && skipBlank(raw, i+1) == len(raw) {
				p.add(raw[start:i], at(start))
				p.amp = at(i)
				p.tooLong(n, i+1)
				return
			}
		case c == '\'' || c == '"':
			p.quote, p.quotePos = c, at(i)
		case c == '!':
			end = i
			p.inlineDirective(raw, i, at)
			break scan
		case c == ';':
			p.add(raw[start:i], at(start))
			p.finish()
			start = i + 1
			p.open = true
		case c == '&':
			k := skipBlank(raw, i+1)
			if k == len(raw) || raw[k] == '!' {
				if k < len(raw) {
					p.inlineDirective(raw, k, at)
				}
				p.add(raw[start:i], at(start))
				p.amp = at(i)
				p.tooLong(n, i+1)
				return
			}
			if !p.broken {
				p.diags.Errorf(source.BadContinuation, at(i), "& in the middle of a line").
					WithHelp("a & that continues a line is its last character but for a comment")
				p.broken = true
			}
		}
	}
	if p.quote != 0 {
		if !p.broken {
			p.diags.Errorf(source.UnterminatedString, p.quotePos, "the string that begins here does not end").
				WithEnd(source.Pos{Line: n, Col: len(raw) + 1}).
				WithHelp("close it with %c on this line, or continue it with & at the end of the line and & at the beginning of the next", p.quote)
		}
		p.broken = true
	}
	p.add(raw[start:end], at(start))
	p.tooLong(n, len(strings.TrimRight(raw[:end], " \t\f\r")))
	p.finish()
}

// inlineDirective warns of a directive behind a statement: such a one is a
// comment, which its writer can hardly have meant.
func (p *prescan) inlineDirective(raw string, i int, at func(int) source.Pos) {
	if hasSentinel(raw[i:]) {
		p.diags.Warnf(source.BadDirective, at(i), "a directive behind other text is only a comment").
			WithEnd(at(i + len(sentinel))).
			WithHelp("give it a line of its own, in front of the statement that it is for")
	}
}

// tooLong complains of a line whose text, without comment, is end bytes long.
// A directive is a comment to Fortran and may be of any length.
func (p *prescan) tooLong(n, end int) {
	if end > maxColumns && !p.directive && !p.broken {
		p.diags.Errorf(source.Syntax, source.Pos{Line: n, Col: maxColumns + 1},
			"the line has %d columns, of %d that Fortran allows", end, maxColumns).
			WithEnd(source.Pos{Line: n, Col: end + 1}).
			WithHelp("continue the statement on the next line with &")
		p.broken = true
	}
}

// add appends s, which stands at pos, to the open statement.
func (p *prescan) add(s string, pos source.Pos) {
	if s == "" || p.count > maxContinuations {
		return
	}
	p.parts = append(p.parts, part{len(p.text), pos})
	if p.text == "" {
		p.text = s // shares the memory of the file
	} else {
		p.text += s
	}
}

// finish closes the open statement and makes a Line of it unless it is empty.
func (p *prescan) finish() {
	text := strings.TrimRight(p.text, " \t\f\r")
	from := skipBlank(text, 0)
	if from < len(text) {
		line := Line{Directive: p.directive, Broken: p.broken, Text: text}
		if len(p.parts) == 1 {
			line.first = p.parts[0].pos
		} else {
			line.parts = append([]part(nil), p.parts...)
		}
		if !p.directive {
			from = p.label(&line, from)
		}
		if line.Text = text[from:]; line.Text != "" || line.Broken {
			line.shift(from)
			p.lines = append(p.lines, line)
		}
	}
	p.open, p.broken, p.text, p.parts = false, false, "", p.parts[:0]
	p.count, p.quote = 0, 0
}

// label takes a label from line.Text[from:] and returns where the statement
// behind it begins.
func (p *prescan) label(line *Line, from int) int {
	end := from
	for end < len(line.Text) && isDigit(line.Text[end]) {
		end++
	}
	if end == from {
		return from
	}
	digits := line.Text[from:end]
	line.LabelPos = line.Pos(from)
	for _, c := range strings.TrimLeft(digits, "0") {
		line.Label = line.Label*10 + int(c-'0')
		if line.Label >= 100000 {
			break
		}
	}
	next := skipBlank(line.Text, end)
	var d *source.Diag
	switch {
	case line.Broken:
		return next
	case next == len(line.Text):
		d = p.diags.Errorf(source.BadLabel, line.LabelPos, "label %s has no statement", digits).
			WithHelp("put CONTINUE behind it")
	case len(digits) > maxLabelDigits:
		d = p.diags.Errorf(source.BadLabel, line.LabelPos, "label %s has more than %d digits", digits, maxLabelDigits)
	case line.Label == 0:
		d = p.diags.Errorf(source.BadLabel, line.LabelPos, "label %s is zero", digits).
			WithHelp("labels are 1 to 99999")
	case next == end:
		d = p.diags.Errorf(source.BadLabel, line.LabelPos, "label %s is not followed by a blank", digits)
	default:
		return next
	}
	d.WithEnd(line.Pos(end))
	line.Broken = true
	return next
}

// shift adapts the provenance to a Text that has lost its first n bytes.
func (l *Line) shift(n int) {
	if l.parts == nil {
		l.first.Col += n
		return
	}
	for i := range l.parts {
		l.parts[i].off -= n
	}
	for len(l.parts) > 1 && l.parts[1].off <= 0 {
		l.parts = l.parts[1:]
	}
	l.first = source.Pos{Line: l.parts[0].pos.Line, Col: l.parts[0].pos.Col - l.parts[0].off}
}

// endOfFile complains of a statement that is still open.
func (p *prescan) endOfFile() {
	if !p.open {
		return
	}
	if !p.broken {
		p.diags.Errorf(source.BadContinuation, p.amp, "the line is continued, but the file ends").
			WithHelp("remove the &, or complete the statement")
		p.broken = true
	}
	p.finish()
}

func hasSentinel(s string) bool {
	return len(s) >= len(sentinel) && strings.EqualFold(s[:len(sentinel)], sentinel)
}

func skipBlank(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\f' || c == '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
