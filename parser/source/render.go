package source

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxErrors is how many errors Render shows: more than these are rarely read,
// and often follow from the first ones.
const maxErrors = 10

// style holds the escape sequences of a rendering; all are empty without
// colour.
type style struct {
	bold, err, warn, note, help, caret, off string
}

func newStyle(color bool) style {
	if !color {
		return style{}
	}
	return style{
		bold:  "\x1b[1m",
		err:   "\x1b[1;31m",
		warn:  "\x1b[1;35m",
		note:  "\x1b[1;36m",
		help:  "\x1b[1;32m",
		caret: "\x1b[1;32m",
		off:   "\x1b[0m",
	}
}

// Render writes the diagnostics in the order of the list, each in the form
//
//	jacobi.hpf:12:7: error: unknown distribution format BLOK [unknown-distribution]
//	!HPF$ DISTRIBUTE a(BLOK)
//	                   ^~~~
//	help: write BLOCK, CYCLIC or *
//
// and stops behind ten errors with a line that says how many are left. A nil
// file means the list's own.
func (l *List) Render(w io.Writer, file *File, color bool) error {
	if file == nil {
		file = l.File
	}
	if file == nil {
		file = NewFile("", nil)
	}
	r := renderer{w: bufio.NewWriter(w), file: file, style: newStyle(color)}
	shown := 0
	for _, d := range l.Diags {
		if d.Severity == Error {
			if shown == maxErrors {
				rest := l.Errors() - shown
				fmt.Fprintf(r.w, "... and %d more\n", rest)
				break
			}
			shown++
		}
		r.diag(d)
	}
	return r.w.Flush()
}

type renderer struct {
	w     *bufio.Writer
	file  *File
	style style
}

func (r *renderer) diag(d *Diag) {
	s := r.style
	sev := s.err
	if d.Severity == Warning {
		sev = s.warn
	}
	fmt.Fprintf(r.w, "%s%s%s %s%s:%s %s%s%s [%s]\n",
		s.bold, r.place(d.Pos), s.off, sev, d.Severity, s.off, s.bold, r.message(d.Msg), s.off, d.Code)
	r.snippet(d.Pos, d.End)
	for _, n := range d.Notes {
		fmt.Fprintf(r.w, "%s%s%s %snote:%s %s\n", s.bold, r.place(n.Pos), s.off, s.note, s.off, r.message(n.Msg))
		r.snippet(n.Pos, Pos{})
	}
	if d.Help != "" {
		fmt.Fprintf(r.w, "%shelp:%s %s\n", s.help, s.off, r.message(d.Help))
	}
}

func (r *renderer) place(p Pos) string {
	if !p.IsValid() {
		return Printable(r.file.Name) + ":"
	}
	name, line := r.file.Place(p.Line)
	return fmt.Sprintf("%s:%d:%d:", Printable(name), line, p.Col)
}

// snippet shows the line of pos with a caret under its column and a tilde
// under each further character up to end; a span over several lines is cut at
// the end of its first.
func (r *renderer) snippet(pos, end Pos) {
	if !pos.IsValid() {
		return
	}
	line := r.file.Line(pos.Line)
	if strings.TrimSpace(line) == "" {
		return
	}
	from := max(0, min(pos.Col-1, len(line)))
	to := from + 1
	switch {
	case end.Line > pos.Line:
		to = len(strings.TrimRight(line, " \t&"))
	case end.Line == pos.Line:
		to = end.Col - 1
	}
	to = min(to, len(line))

	line, from, to = window(line, from, to)
	fmt.Fprintf(r.w, "%s\n", PrintableText(line))
	// A tab before the caret is repeated, so that both lines are indented
	// alike whatever the width of a tab is.
	var pad strings.Builder
	for _, c := range line[:from] {
		if c == '\t' {
			pad.WriteByte('\t')
		} else {
			pad.WriteByte(' ')
		}
	}
	tail := 0
	if to > from+1 {
		tail = utf8.RuneCountInString(line[from:to]) - 1
	}
	fmt.Fprintf(r.w, "%s%s^%s%s\n", pad.String(), r.style.caret, strings.Repeat("~", max(tail, 0)), r.style.off)
}

// Of a line so many bytes are shown at most, of these so many before the caret; and so
// many of a message.
const (
	maxLine    = 200
	maxBefore  = 80
	maxMessage = 1000
)

const ellipsis = "..."

// window cuts out of a long line what stands around the part from:to, and returns
// where that part is in it.
func window(line string, from, to int) (string, int, int) {
	if len(line) <= maxLine {
		return line, from, to
	}
	if first := boundary(line, from-maxBefore); first > len(ellipsis) {
		line = ellipsis + line[first:]
		from, to = from-first+len(ellipsis), to-first+len(ellipsis)
	}
	if last := boundary(line, maxLine); last < len(line) {
		line = line[:last] + ellipsis
		to = min(to, last)
	}
	return line, from, to
}

// boundary is where the rune begins that byte i of s is of.
func boundary(s string, i int) int {
	i = max(0, min(i, len(s)))
	for k := i; k > max(0, i-utf8.UTFMax); k-- {
		if k == len(s) || utf8.RuneStart(s[k]) {
			return k
		}
	}
	return i
}

// message is a message as it is shown.
func (r *renderer) message(s string) string {
	s = r.file.Spell(s)
	if len(s) > maxMessage {
		s = s[:boundary(s, maxMessage)] + ellipsis
	}
	return PrintableText(s)
}

// linesIn finds the numbers of lines in a text.
var linesIn = regexp.MustCompile(`\b([Ll]ines? )(\d+(?:(?:-|, | and )\d+)*)`)

// numberIn finds numbers.
var numberIn = regexp.MustCompile(`\d+`)

// Spell replaces in a text the numbers of lines that f does not have itself:
// "line 1000017" becomes "line 17 of b.f90".
func (f *File) Spell(s string) string {
	if len(f.parts) == 0 {
		return s
	}
	return linesIn.ReplaceAllStringFunc(s, func(found string) string {
		return numberIn.ReplaceAllStringFunc(found, func(digits string) string {
			n, err := strconv.Atoi(digits)
			if err != nil || f.Part(n) == f {
				return digits
			}
			name, line := f.Place(n)
			return fmt.Sprintf("%d of %s", line, strings.Map(inText, name))
		})
	})
}

// inText makes a name fit for any text that Spell may get, such as a page of HTML
// or a string in a program.
func inText(c rune) rune {
	if strings.ContainsRune("\"'`\\<>&", c) {
		return '?'
	}
	return printable(c)
}

// PrintableText is Printable for texts of several lines, with tabs.
func PrintableText(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return c
		}
		return printable(c)
	}, s)
}

// Printable makes text from outside, such as the name of a file, fit to be shown, and to
// stand in a comment: what could upset a terminal, end a line, or turn round the order of
// letters becomes a question mark, one rune for one rune.
func Printable(s string) string { return strings.Map(printable, s) }

func printable(c rune) rune {
	if !unicode.IsPrint(c) {
		return '?'
	}
	return c
}
