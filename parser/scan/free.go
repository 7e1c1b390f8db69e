package scan

import (
	"strings"

	"github.com/spmdc/spmdc/parser/source"
)

const (
	// maxColumns is the length of a free form line; gfortran refuses longer
	// ones, unless what is too much is comment.
	maxColumns = 132
	// maxContinuations is gfortran's limit; Fortran 95 asks for 39.
	maxContinuations = 255
	maxLabelDigits   = 5
)

// sentinels begin directives: those of HPF, and of spmdc.
var sentinels = []string{"!hpf$", "!spmd$"}

// FreeForm is the free source form of Fortran 90.
type FreeForm struct{}

// Lines implements Form.
func (FreeForm) Lines(text []source.Physical, diags *source.List) []Line {
	p := prescan{diags: diags, lines: make([]Line, 0, len(text))}
	for _, ph := range text {
		p.physical(ph)
	}
	p.endOfFile()
	return p.lines
}

// prescan is the state between two physical lines.
type prescan struct {
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

// physical takes in one line.
func (p *prescan) physical(ph source.Physical) {
	raw := ph.Text
	i := skipBlank(raw, 0)
	if i == len(raw) {
		return
	}
	isDirective := false
	switch {
	case raw[i] == '!':
		sentinel := Sentinel(raw[i:])
		if sentinel == 0 {
			return
		}
		isDirective = true
		if p.open && !p.directive {
			p.diags.Errorf(source.BadContinuation, ph.At(i), "a directive stands inside a continued statement").
				WithEnd(ph.At(i+sentinel)).
				WithNote(p.amp, "the statement is continued here").
				WithHelp("move the directive in front of the statement")
			return
		}
		i = skipBlank(raw, i+sentinel)
	case raw[0] == '#':
		preprocessorLine(p.diags, ph)
		return
	case p.open && p.directive:
		p.diags.Errorf(source.BadContinuation, p.amp, "the directive is continued, but the next line is not a directive").
			WithNote(ph.At(i), "this line follows").
			WithHelp("begin the continuation with !HPF$, or remove the &")
		p.broken = true
		p.finish()
	}
	if p.open {
		i = p.resume(ph, i)
	}
	p.directive = isDirective
	p.body(ph, i)
}

// preprocessorLine complains of a line for the preprocessor in a file that is
// not preprocessed. A preprocessor that was there before leaves lines like
// # 12 "file", which say nothing to the program.
func preprocessorLine(diags *source.List, ph source.Physical) {
	if i := skipBlank(ph.Text, 1); i < len(ph.Text) && isDigit(ph.Text[i]) {
		return
	}
	diags.Errorf(source.Preprocessor, ph.At(0), "a preprocessor line in a file that is not preprocessed").
		WithEnd(ph.At(len(ph.Text))).
		WithHelp("files named .F, .FOR, .FTN, .F90, .F95, .F03 and .F08 are preprocessed: rename the file, or remove the line")
}

// resume begins a continuation line whose first byte that is not blank is
// byte i, and returns where its text begins.
func (p *prescan) resume(ph source.Physical, i int) int {
	raw := ph.Text
	if p.count++; p.count == maxContinuations+1 {
		p.diags.Errorf(source.BadContinuation, ph.At(i),
			"more than %d continuation lines", maxContinuations).
			WithHelp("split the statement")
		p.broken = true
	}
	if i < len(raw) && raw[i] == '&' {
		return i + 1
	}
	if p.quote != 0 && !p.broken {
		p.diags.Errorf(source.BadContinuation, ph.At(i),
			"a string is continued here, but the line does not begin with &").
			WithNote(p.quotePos, "the string begins here").
			WithHelp("begin the line with &; the string goes on right behind it")
		p.broken = true
	}
	// Without a leading & the line break separates tokens.
	p.addAt(" ", ph.At(i))
	return i
}

// body takes in the text of a physical line from its byte from on, up to a comment.
func (p *prescan) body(ph source.Physical, from int) {
	raw := ph.Text
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
				p.add(ph, start, i)
				p.amp = ph.At(i)
				p.tooLong(ph, i+1)
				return
			}
		case c == '\'' || c == '"':
			p.quote, p.quotePos = c, ph.At(i)
		case c|0x20 == 'h' && i > start && isDigit(raw[i-1]):
			if n := hollerithLen(p.text + raw[start:i]); i+n < len(raw) {
				i += n
			}
		case c == '!':
			end = i
			inlineDirective(p.diags, ph, i)
			break scan
		case c == ';':
			p.add(ph, start, i)
			p.finish()
			start = i + 1
			p.open = true
		case c == '&':
			k := skipBlank(raw, i+1)
			if k == len(raw) || raw[k] == '!' {
				if k < len(raw) {
					inlineDirective(p.diags, ph, k)
				}
				p.add(ph, start, i)
				p.amp = ph.At(i)
				p.tooLong(ph, i+1)
				return
			}
			if !p.broken {
				p.diags.Errorf(source.BadContinuation, ph.At(i), "& in the middle of a line").
					WithHelp("a & that continues a line is its last character but for a comment")
				p.broken = true
			}
		}
	}
	if p.quote != 0 {
		if !p.broken {
			p.diags.Errorf(source.UnterminatedString, p.quotePos, "the string that begins here does not end").
				WithEnd(ph.At(len(raw))).
				WithHelp("close it with %c on this line, or continue it with & at the end of the line and & at the beginning of the next", p.quote)
		}
		p.broken = true
	}
	p.add(ph, start, end)
	p.tooLong(ph, len(strings.TrimRight(raw[:end], " \t\f\r")))
	p.finish()
}

// inlineDirective warns of a directive behind a statement, at byte i: such a
// one is a comment, which its writer can hardly have meant.
func inlineDirective(diags *source.List, ph source.Physical, i int) {
	if i == len(ph.Text) || ph.Text[i] != '!' {
		return
	}
	if sentinel := Sentinel(ph.Text[i:]); sentinel > 0 {
		diags.Warnf(source.BadDirective, ph.At(i), "a directive behind other text is only a comment").
			WithEnd(ph.At(i + sentinel)).
			WithHelp("give it a line of its own, in front of the statement that it is for")
	}
}

// tooLong complains of a line whose text, without comment, is end bytes long.
// A directive is a comment to Fortran and may be of any length.
func (p *prescan) tooLong(ph source.Physical, end int) {
	if end > maxColumns && !p.directive && !p.broken {
		p.diags.Errorf(source.Syntax, ph.At(maxColumns),
			"the line has %d columns, of %d that Fortran allows", end, maxColumns).
			WithEnd(ph.At(end)).
			WithHelp("continue the statement on the next line with &")
		p.broken = true
	}
}

// add appends bytes from to to of a line to the open statement.
func (p *prescan) add(ph source.Physical, from, to int) {
	for from < to {
		run := ph.Run(from, to)
		p.addAt(ph.Text[from:run], ph.At(from))
		from = run
	}
}

// addAt appends s, which stands at pos, to the open statement.
func (p *prescan) addAt(s string, pos source.Pos) {
	if p.count > maxContinuations {
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

// Sentinel is the length of the sentinel that s, which begins a comment, begins with; 0: it
// begins no directive.
func Sentinel(s string) int {
	for _, sentinel := range sentinels {
		if len(s) >= len(sentinel) && strings.EqualFold(s[1:len(sentinel)], sentinel[1:]) {
			return len(sentinel)
		}
	}
	return 0
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
