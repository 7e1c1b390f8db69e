package load

import (
	"fmt"
	"maps"
	"strings"

	"github.com/spmdc/spmdc/parser/source"
)

// macros are the object macros that are defined at a place.
type macros struct {
	values  map[string]string
	comment bool   // a comment of C is open
	work    int    // macros replaced in the line in hand
	cycle   string // a macro that stands for itself, found in the line in hand
}

// maxWork bounds how many macros are replaced in one line: those in the values
// of others multiply.
const maxWork = 10_000

// predefined are the macros that gfortran has too, and one that identifies spmdc.
var predefined = map[string]string{"__GFORTRAN__": "1", "_LANGUAGE_FORTRAN": "1", "__spmdc__": "1"}

// newMacros are those of the command line, NAME or NAME=VALUE.
func newMacros(define []string) *macros {
	m := &macros{values: maps.Clone(predefined)}
	for _, d := range define {
		name, value, found := strings.Cut(d, "=")
		if !found {
			value = "1"
		}
		m.values[name] = value
	}
	return m
}

// defined reports whether a name is that of a macro.
func (m *macros) defined(name string) bool {
	_, ok := m.values[name]
	return ok || name == "__LINE__" || name == "__FILE__"
}

// piece is text that takes the place of a macro, or is itself part of the line.
type piece struct {
	text strings.Builder
	cols []int // of each byte
}

func (p *piece) add(s string, col int, step int) {
	for i := range len(s) {
		p.text.WriteByte(s[i])
		p.cols = append(p.cols, col+i*step)
	}
}

// expand replaces the macros in a line, and removes the comments of C. What
// stands in strings stays. All of what takes the place of a macro has the place
// of its name.
func (m *macros) expand(f *source.File, ph source.Physical) source.Physical {
	var out piece
	raw := ph.Text
	changed := false
	m.work, m.cycle = 0, ""
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case m.comment:
			end := strings.Index(raw[i:], "*/")
			changed = true
			if end < 0 {
				i = len(raw)
				break
			}
			m.comment = false
			i += end + 2
		case strings.HasPrefix(raw[i:], "/*"):
			m.comment, changed = true, true
			i += 2
		case c == '\'' || c == '"':
			n := strings.IndexByte(raw[i+1:], c)
			end := len(raw)
			if n >= 0 {
				end = i + 1 + n + 1
			}
			out.add(raw[i:end], ph.At(i).Col, 1)
			i = end
		case isNameByte(c) && !isDigit(c): // also behind digits: 1.0_WP
			n := nameLen(raw[i:])
			word := raw[i : i+n]
			value, ok := m.value(f, ph, word, nil)
			if !ok {
				out.add(word, ph.At(i).Col, 1)
			} else {
				changed = true
				out.add(value, ph.At(i).Col, 0)
			}
			i += n
		default:
			out.add(raw[i:i+1], ph.At(i).Col, 1)
			i++
		}
	}
	if !changed {
		return ph
	}
	return source.Physical{Line: ph.Line, Text: out.text.String(), Cols: append(out.cols, ph.At(len(raw)).Col)}
}

// value returns what takes the place of a word, if it is a macro. A macro in its
// own value, which active lists, is an error.
func (m *macros) value(f *source.File, ph source.Physical, word string, active []string) (string, bool) {
	for _, a := range active {
		if a == word {
			m.cycle = word
			return "", false
		}
	}
	name, line := f.Place(ph.Line)
	switch word {
	case "__LINE__":
		return fmt.Sprint(line), true
	case "__FILE__":
		return `"` + name + `"`, true
	}
	text, ok := m.values[word]
	if m.work++; !ok || m.work > maxWork {
		return "", false
	}
	var b strings.Builder
	active = append(active, word)
	for i := 0; i < len(text) && b.Len() < maxExpansion; {
		c := text[i]
		if c == '\'' || c == '"' {
			n := strings.IndexByte(text[i+1:], c) + 2
			if n == 1 {
				n = len(text) - i
			}
			b.WriteString(text[i : i+n])
			i += n
			continue
		}
		if !isNameByte(c) || isDigit(c) {
			b.WriteByte(c)
			i++
			continue
		}
		n := nameLen(text[i:])
		inner, ok := m.value(f, ph, text[i:i+n], active)
		if !ok {
			inner = text[i : i+n]
		}
		b.WriteString(inner)
		i += n
	}
	return b.String(), true
}

// maxExpansion bounds the text that takes the place of one macro.
const maxExpansion = 10_000

// isNameByte reports whether c may stand in a name or number.
func isNameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// nameLen is the length of the name or number at the beginning of s.
func nameLen(s string) int {
	n := 0
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	return n
}
