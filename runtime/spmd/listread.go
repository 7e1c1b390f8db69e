package spmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// listWord is what gfortran calls a value of a type in IOMSG.
var listWord = map[string]string{"REAL": "real number", "COMPLEX": "complex value"}

// listReader reads the items of one list-directed READ. Values are separated
// by blanks, ends of lines, or a comma with blanks around it; r*v stands for r
// times v, two separators in a row and r* for values that leave their items as
// they are; a slash leaves all further items as they are.
type listReader struct {
	src   *record.Source
	group bool // of a NAMELIST group: "!" begins a comment

	line   string
	pos    int
	begun  bool // a line has been read
	ended  bool // by a slash
	items  int  // so far
	repeat int  // how many more items take the value
	value  listValue
}

// newListReader reads from src: first what an earlier READ has left of a record.
func newListReader(src *record.Source) *listReader {
	r := &listReader{src: src}
	if src.Held {
		r.line, r.pos, r.begun, src.Held = src.Record, min(src.Pos, len(src.Record)), true, false
	}
	return r
}

// listValue is one value of the input.
type listValue struct {
	text   string
	null   bool // leave the item as it is
	quoted bool
}

// read reads items, with those of further calls. What follows the last one on its line
// is skipped.
func (r *listReader) read(items []any) *readError {
	if len(items) == 0 && !r.begun {
		return r.advance()
	}
	for k, item := range unnoted(items) {
		if r.ended {
			return nil
		}
		if r.repeat == 0 {
			end, err := r.fetch(r.items > 0, item)
			if err != nil {
				return err
			}
			if r.ended = end; end {
				return nil
			}
		}
		r.items++
		r.repeat--
		if r.value.null {
			continue
		}
		switch item.(type) {
		case *float32, *float64, *complex64, *complex128:
			if err := r.src.Nearest(); err != nil {
				return asReadError("", err)
			}
		}
		if what, status := r.value.assign(item); what != "" {
			return &readError{
				status: status,
				msg:    fmt.Sprintf("cannot read %q as %s (item %d of READ, %s)", r.value.text, what, r.items, r.src.Place()),
				text:   r.value.badText(what, r.items),
				hint:   "correct the input, or use IOSTAT= to handle it",
			}
		}
		note(items[k])
	}
	return nil
}

// advance goes to the next line.
func (r *listReader) advance() *readError {
	line, ok := r.src.Next()
	if !ok {
		return asReadError("", record.PastEnd(r.src.Name))
	}
	r.line, r.pos, r.begun = line, 0, true
	return nil
}

// skipBlanks goes to the next character that is not blank, over ends of lines.
func (r *listReader) skipBlanks() *readError {
	for {
		for r.begun && r.pos < len(r.line) {
			switch c := r.line[r.pos]; {
			case c == '!' && r.group:
				r.pos = len(r.line)
			case c != ' ' && c != '\t' && c != '\r':
				return nil
			default:
				r.pos++
			}
		}
		if err := r.advance(); err != nil {
			return err
		}
	}
}

// fetch reads the next value and its repeat count. end reports a slash.
func (r *listReader) fetch(separated bool, item any) (end bool, err *readError) {
	if err := r.skipBlanks(); err != nil {
		return false, err
	}
	if separated && r.isComma(r.line[r.pos]) {
		r.pos++
		if err := r.skipBlanks(); err != nil {
			return false, err
		}
	}
	r.repeat, r.value = 1, listValue{}
	switch c := r.line[r.pos]; {
	case r.isComma(c):
		r.value.null = true
		return false, nil
	case c == '/':
		return true, nil
	}
	if count, width := repeatCount(r.line[r.pos:]); width > 0 {
		r.repeat = count
		r.pos += width
		if r.pos == len(r.line) || r.isSeparator(r.line[r.pos]) {
			r.value.null = true
			return false, nil
		}
	}
	_, text := item.(*String)
	if c := r.line[r.pos]; text && (c == '\'' || c == '"') {
		return false, r.quoted(c)
	}
	if isPair(item) && r.line[r.pos] == '(' {
		return false, r.pair()
	}
	start := r.pos
	for r.pos < len(r.line) && !r.isSeparator(r.line[r.pos]) {
		r.pos++
	}
	r.value.text = r.line[start:r.pos]
	switch item.(type) {
	case *float32, *float64:
		r.value.text = r.point(r.value.text)
	}
	return false, nil
}

// point is a number with a decimal point, where the input has a comma.
func (r *listReader) point(s string) string {
	if !r.src.Comma {
		return s
	}
	return record.SwapPoint(s)
}

const mostRepeats = 200000000 // of gfortran's library

// countOf is the number that the digits at the beginning of s are, +Inf for one that is too large.
func countOf(s string) float64 {
	n, _ := strconv.ParseFloat(s[:len(s)-len(strings.TrimLeft(s, "0123456789"))], 64)
	return n
}

// badText is gfortran's IOMSG for a value that item n, of the type what, cannot take.
func (v *listValue) badText(what string, n int) string {
	digit := v.text != "" && v.text[0] >= '0' && v.text[0] <= '9'
	integer := strings.HasPrefix(what, "INTEGER")
	switch {
	case digit && strings.HasPrefix(strings.TrimLeft(v.text, "0"), "*"):
		return fmt.Sprintf("Zero repeat count in item %d of list input", n)
	case integer && strings.Trim(strings.TrimLeft(v.text, "+-"), "0123456789") == "":
		return fmt.Sprintf("Integer overflow while reading item %d", n)
	case integer:
		return fmt.Sprintf("Bad integer for item %d in list input", n)
	case what == "COMPLEX" && v.text != "" && v.text[0] != '(' && strings.Contains(v.text, " "):
		return fmt.Sprintf("Bad complex floating point number for item %d", n)
	case digit && (what == "COMPLEX" || what == "LOGICAL") && countOf(v.text) > mostRepeats:
		return fmt.Sprintf("Repeat count overflow in item %d of list input", n)
	case digit && (what == "COMPLEX" || what == "LOGICAL"):
		return fmt.Sprintf("Bad repeat count in item %d of list input", n)
	case what == "LOGICAL":
		return fmt.Sprintf("Bad logical value while reading item %d", n)
	}
	return fmt.Sprintf("Bad %s in item %d of list input", listWord[what], n)
}

// isPair reports whether an item is COMPLEX.
func isPair(item any) bool {
	switch item.(type) {
	case *complex64, *complex128:
		return true
	}
	return false
}

// pair reads (re,im), with blanks and ends of lines around each part; its text is "re im", or
// begins with the parenthesis where that is no COMPLEX number.
func (r *listReader) pair() *readError {
	whole := r.line[r.pos:]
	r.pos++
	var parts [2]string
	for i := range parts {
		if err := r.skipBlanks(); err != nil {
			return err
		}
		start := r.pos
		inside := false // of NAN(...)
		for ; r.pos < len(r.line) && !r.isSeparator(r.line[r.pos]); r.pos++ {
			c := r.line[r.pos]
			if c == ')' && !inside {
				break
			}
			inside = c == '(' || inside && c != ')'
		}
		parts[i] = r.point(r.line[start:r.pos])
		if err := r.skipBlanks(); err != nil {
			return err
		}
		if c := r.line[r.pos]; i == 0 && !r.isComma(c) || i == 1 && c != ')' {
			r.value.text = whole
			return nil
		}
		r.pos++
	}
	if r.value.text = parts[0] + " " + parts[1]; r.group {
		return nil // a name may follow at once
	}
	return r.separated("Bad complex value in item %d of list input")
}

// quoted reads a string in quotes, which may continue over lines; a doubled
// quote stands for one.
func (r *listReader) quoted(quote byte) *readError {
	r.value.quoted = true
	r.pos++
	var b strings.Builder
	for {
		i := strings.IndexByte(r.line[r.pos:], quote)
		if i < 0 {
			b.WriteString(r.line[r.pos:])
			if err := r.advance(); err != nil {
				return err
			}
			continue
		}
		b.WriteString(r.line[r.pos : r.pos+i])
		r.pos += i + 1
		if r.pos == len(r.line) || r.line[r.pos] != quote {
			r.value.text = b.String()
			return r.separated("Invalid string input in item %d")
		}
		b.WriteByte(quote)
		r.pos++
	}
}

// separated reports what follows a closing quote or parenthesis without a separator; text is
// gfortran's IOMSG, of the number of the item.
func (r *listReader) separated(text string) *readError {
	if r.pos == len(r.line) || r.isSeparator(r.line[r.pos]) {
		return nil
	}
	return &readError{
		status: iostatBad,
		msg:    fmt.Sprintf("text behind %q (%s)", r.value.text, r.src.Place()),
		text:   fmt.Sprintf(text, r.items+1),
		hint:   "put a blank or a comma between two values",
	}
}

// repeatCount is the count of a prefix r*, and its width, or 0.
func repeatCount(s string) (count, width int) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 || i == len(s) || s[i] != '*' {
		return 0, 0
	}
	n, err := strconv.Atoi(s[:i])
	if err != nil || n == 0 {
		return 0, 0
	}
	return n, i + 1
}

func (r *listReader) isSeparator(c byte) bool {
	return c == ' ' || c == '\t' || r.isComma(c) || c == '/' || c == '\r' || c == '!' && r.group
}

// isComma reports whether c separates like a comma; gfortran takes a semicolon
// for one too. With DECIMAL='COMMA' that is the only one.
func (r *listReader) isComma(c byte) bool { return c == ',' && !r.src.Comma || c == ';' }

// assign sets an item to the value. If it cannot, it returns the name of the
// item's type and the status.
func (v *listValue) assign(item any) (what string, status int) {
	ok, bits := true, 32
	if s, is := item.(*record.Stored); is {
		item, bits = s.Item, 8*s.Bytes
	}
	switch item := item.(type) {
	case *int32:
		what = "INTEGER"
		n, err := strconv.ParseInt(v.text, 10, bits)
		if ok = err == nil; ok {
			*item = int32(n)
		}
	case *int:
		what = "INTEGER(8)"
		n, err := strconv.ParseInt(v.text, 10, 64)
		if ok = err == nil; ok {
			*item = int(n)
		}
	case *float64:
		what = "REAL"
		var x float64
		if x, ok = record.ParseReal(v.text, 64, nil); ok {
			*item = x
		}
	case *float32:
		what = "REAL"
		var x float64
		if x, ok = record.ParseReal(v.text, 32, nil); ok {
			*item = float32(x)
		}
	case *complex128:
		what = "COMPLEX"
		var re, im float64
		if re, im, ok = parsePair(v.text, 64); ok {
			*item = complex(re, im)
		}
	case *complex64:
		what = "COMPLEX"
		var re, im float64
		if re, im, ok = parsePair(v.text, 32); ok {
			*item = complex64(complex(re, im))
		}
	case *bool:
		what = "LOGICAL"
		t := strings.TrimPrefix(v.text, ".")
		if ok = t != "" && strings.ContainsRune("tTfF", rune(t[0])); ok {
			*item = t[0] == 't' || t[0] == 'T'
		}
	case *String:
		*item.s = Pad(v.text, item.length)
	default:
		panic(fmt.Sprintf("read into a %T", item))
	}
	if ok {
		return "", 0
	}
	return what, iostatBad
}

// parsePair reads the parts of a COMPLEX number.
func parsePair(s string, bits int) (re, im float64, ok bool) {
	first, second, two := strings.Cut(s, " ")
	re, okRe := record.ParseReal(first, bits, nil)
	im, okIm := record.ParseReal(second, bits, nil)
	return re, im, two && okRe && okIm
}
