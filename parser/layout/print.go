package layout

import (
	"fmt"
	"math"
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
)

const (
	freeWidth = 130 // of a line: with a blank and & it has 132 columns
	textBegin = 6   // columns in front of the text of a line of fixed form
	textEnd   = 72

	continuationIndent = 4  // at least so far are the lines indented that continue a statement
	deepest            = 60 // columns are the most that blocks are indented
	deepestFixed       = 24
)

// printed is a line of the result.
type printed struct {
	code    string
	comment string
	column  int  // of the comment in the source
	gap     int  // in front of it
	broken  bool // the line is one of several for a line of the source
}

// print prints the rows.
func (f *formatter) print() string {
	var out []printed
	for _, r := range f.all {
		switch {
		case r.verbatim != "":
			out = append(out, printed{code: r.verbatim})
		case len(r.pieces) == 0:
			out = append(out, printed{code: f.alone(r)})
		default:
			lines := f.code(r)
			for i, l := range lines {
				// The gap in the source counts the blanks at the end of a Hollerith constant.
				p := printed{code: strings.TrimRight(l, " \t"), broken: len(lines) > 1}
				if i == len(lines)-1 {
					p.comment, p.column, p.gap = r.comment, r.commentCol, max(1, r.commentGap)
				}
				out = append(out, p)
			}
		}
	}
	f.align(out)
	var b strings.Builder
	for _, p := range out {
		b.WriteString(strings.TrimRight(p.code, " \t"))
		b.WriteByte('\n')
	}
	return b.String()
}

// align puts comments behind their lines. Those that stand in one column in the source do so
// in the result.
func (f *formatter) align(out []printed) {
	for i := 0; i < len(out); {
		end := i + 1
		if out[i].comment != "" && !out[i].broken {
			for end < len(out) && out[end].comment != "" && !out[end].broken && out[end].column == out[i].column {
				end++
			}
		}
		column, gap := 0, 0
		for k, p := range out[i:end] {
			column = max(column, runes(p.code))
			if k == 0 || p.gap < gap {
				gap = p.gap
			}
		}
		for k := i; k < end; k++ {
			if p := &out[k]; p.comment != "" {
				p.code += strings.Repeat(" ", column+gap-runes(p.code)) + p.comment
			}
		}
		i = end
	}
}

// alone is a comment on a line of its own. What began a directive behind other text, where it
// was none, must not begin one here.
func (f *formatter) alone(r *row) string {
	text := r.comment
	if text == "" {
		return ""
	}
	if scan.Sentinel(text) > 0 {
		text = "! " + text[1:]
	}
	if r.commentCol == 1 || f.fixed && strings.Contains(strings.SplitN(text, " ", 2)[0], "$") {
		return text
	}
	return strings.Repeat(" ", f.indentOf(r.level)+r.indent) + text
}

// indentOf is the first column, from 0, of statements at a level.
func (f *formatter) indentOf(level int) int {
	if f.fixed {
		return textBegin + min(level*f.Indent, deepestFixed)
	}
	return min(level*f.Indent, deepest)
}

// code prints a row with statements, as several lines if it is too long.
func (f *formatter) code(r *row) []string {
	w := writer{f: f, directive: r.directive, base: f.indentOf(r.level)}
	if r.directive != "" {
		if w.base = len(r.directive) + 1; f.fixed {
			w.base = textBegin
		}
	}
	label := ""
	if r.label != 0 {
		label = fmt.Sprint(r.label)
	}
	if r.continues {
		w.base = r.head.indent
		w.begin(w.base+max(continuationIndent, min(r.column-r.head.column, deepest)), true)
	} else {
		if label != "" {
			w.base = max(w.base, len(label)+1)
		}
		w.begin(w.base, false)
		w.line = label + w.line[len(label):]
	}
	w.from = len(w.line)
	behind := 0 // statements that have begun
	for i, p := range r.pieces {
		if p.first {
			if i > 0 {
				w.line += ";"
				if p.gap = 1; w.full(p) {
					w.lines = append(w.lines, w.line[:len(w.line)-1])
					w.base = f.indentOf(r.stmts[behind].level)
					w.begin(w.base, false)
					p.gap = 0
				}
			}
			behind++
		}
		if w.put(p); p.first {
			w.base = w.from
		}
	}
	r.indent = w.base
	if r.open && !f.fixed {
		w.line += " &"
	}
	return append(w.lines, w.line)
}

// writer breaks lines that are too long.
type writer struct {
	f         *formatter
	directive string
	base      int // where the statement begins
	lines     []string
	line      string
	from      int // where the text of line begins
}

// begin begins a line whose text is to begin in a column.
func (w *writer) begin(column int, continued bool) {
	prefix := ""
	switch {
	case w.f.fixed && continued && w.directive != "":
		prefix = w.directive + "&"
	case w.f.fixed && continued:
		prefix = "     &"
	case w.directive != "":
		prefix = w.directive + " "
	}
	w.line = prefix + strings.Repeat(" ", max(0, column-len(prefix)))
	w.from = len(w.line)
}

func (w *writer) limit() int {
	switch {
	case w.f.fixed:
		return textEnd
	case w.directive != "":
		return math.MaxInt // of any length in free form
	}
	return freeWidth
}

// full reports whether there is no room for a piece.
func (w *writer) full(p piece) bool {
	return len(w.line)+p.gap+len(p.text) > w.limit()
}

// put prints a piece, behind a break if it does not fit. What fits on no line is cut where it stands.
func (w *writer) put(p piece) {
	further := w.base + continuationIndent
	if empty := len(w.line) == w.from; w.full(p) && further+len(p.text) <= w.limit() && !(empty && w.from <= further) {
		if !empty && !w.f.fixed {
			w.line += " &"
		}
		if !empty {
			w.lines = append(w.lines, w.line)
		}
		w.begin(further, true)
		p.gap = 0
	}
	w.line += strings.Repeat(" ", p.gap)
	text := p.text
	for len(w.line)+len(text) > w.limit() {
		cut := max(0, w.limit()-len(w.line))
		if w.f.fixed {
			w.lines = append(w.lines, w.line+text[:cut])
			w.begin(textBegin, true)
		} else {
			for cut > 1 && text[cut-1] == text[cut] && strings.IndexByte(`'"`, text[cut]) >= 0 {
				cut--
			}
			w.lines = append(w.lines, w.line+text[:cut]+"&")
			w.begin(further, true)
			w.line += "&"
		}
		text = text[cut:]
	}
	w.line += text
}
