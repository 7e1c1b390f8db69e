package spmd

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spmdc/spmdc/runtime/record"
)

// output is the buffered standard output, and the standard error output of the
// program itself. PE 0 alone writes to it; the lock is for the end of an aborted run,
// when PE 0 may still be writing.
type output struct {
	mu     sync.Mutex
	w      io.Writer
	errors io.Writer // the standard error output
	buf    []byte
	turns  []int // where in buf the other of the two begins: the first part is for w
	err    error
	closed bool
	lines  bool // write each record at once: somebody is watching

	hold  bool   // write only what release lets out
	made  passed // the program's output so far
	shown int64  // of its bytes, how many an earlier part of the run has written

	// others shows what PEs that are processes of their own have printed since it was
	// called last; nil: there are none.
	others func(show func(text []byte, errors bool))
}

const outputBuffer = 1 << 16

// newOutput buffers what goes to w, unless that is a terminal.
func newOutput(w io.Writer) *output {
	o := &output{w: w, errors: os.Stderr}
	if f, ok := w.(*os.File); ok {
		st, err := f.Stat()
		o.lines = err == nil && st.Mode()&os.ModeCharDevice != 0
	}
	return o
}

func (o *output) write(b []byte) { o.writeTo(false, b) }

// writeTo writes to the standard output or to the standard error output.
func (o *output) writeTo(errors bool, b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.takeLocked()
	o.append(b, errors)
}

// take buffers what other PEs have printed.
func (o *output) take() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.takeLocked()
}

func (o *output) takeLocked() {
	if o.others != nil {
		o.others(o.append)
	}
}

func (o *output) append(b []byte, errors bool) {
	if o.closed {
		return
	}
	o.made.add(b)
	if old := o.shown - (o.made.bytes - int64(len(b))); old > 0 {
		b = b[min(old, int64(len(b))):] // the run has been at this point before
	}
	if errors != (len(o.turns)%2 == 1) {
		o.turns = append(o.turns, len(o.buf))
	}
	o.buf = append(o.buf, b...)
	if !o.hold && (o.lines || len(o.buf) >= outputBuffer) {
		o.flushLocked()
	}
}

// flush writes what is buffered, so that a prompt is seen before the program
// waits for the answer.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.hold {
		o.flushLocked()
	}
}

// release writes what has been printed, which is known to be right, and with force
// sees to it that it lasts.
func (o *output) release(force bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
	if f, ok := o.w.(*os.File); ok && force && o.err == nil {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			o.err = f.Sync()
		}
	}
	return o.err
}

// written is how much of the program's output has been written.
func (o *output) written() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(o.shown, o.made.bytes-int64(len(o.buf)))
}

// drop forgets what is held, at the end of a run.
func (o *output) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.made.bytes -= int64(len(o.buf))
	o.buf, o.turns = o.buf[:0], o.turns[:0]
}

func (o *output) flushLocked() {
	w, other := o.w, o.errors
	for from, i := 0, 0; i <= len(o.turns); i++ {
		to := len(o.buf)
		if i < len(o.turns) {
			to = o.turns[i]
		}
		if to > from && o.err == nil && w != nil {
			_, o.err = w.Write(o.buf[from:to])
		}
		from, w, other = to, other, w
	}
	o.buf, o.turns = o.buf[:0], o.turns[:0]
}

// end makes writes do nothing from now on.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// close writes what is left.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.flushLocked()
	return o.err
}

// The units that are there without OPEN.
const (
	unitError  = 0
	unitInput  = 5
	unitOutput = 6
)

// Write writes text, which is records with their ends; the last one may go on in the
// next Write or Print. PE 0 alone calls it, in a program with coarrays every image.
func (pe *PE) Write(text []byte) { pe.WriteTo(unitOutput, text) }

// WriteTo is Write to a unit.
func (pe *PE) WriteTo(unit int, text []byte) {
	if rest := pe.Rest(unit); rest != nil {
		if k := bytes.IndexByte(text, '\n'); k < len(rest) { // the record ends behind the rest
			text = slices.Concat(text[:k], rest[k:], text[k:])
		}
	}
	if pe.toFile(unit) {
		if err := pe.files.Write(pe.takeWith(unit), text); err != nil {
			panic(err)
		}
		return
	}
	if unit != unitError && unit != unitOutput {
		panic(&record.Error{Status: record.BadAction, Text: "Cannot write to file opened for READ", Msg: fmt.Sprintf("WRITE to unit %d", unit),
			Help: "write to unit 6 (standard output) or 0 (standard error output), or open a file"})
	}
	pe.with = Transfer{}
	pe.emit(unit == unitError, text)
}

// WriteOpen writes what w has of a WRITE with ADVANCE='NO' to a unit, and keeps what that leaves of
// the record behind its position.
func (pe *PE) WriteOpen(unit int, w interface{ Stay() (text, rest []byte) }) {
	text, rest := w.Stay()
	pe.WriteTo(unit, text)
	if len(rest) > 0 {
		if pe.rests == nil {
			pe.rests = map[int][]byte{}
		}
		pe.rests[unit] = rest
	}
}

// Rest takes what WriteOpen has kept of the record of a unit, nil for nothing.
func (pe *PE) Rest(unit int) []byte {
	rest := pe.rests[unit]
	delete(pe.rests, unit)
	return rest
}

// writeRest writes what WriteOpen has kept, where the record ends without another WRITE.
func (pe *PE) writeRest(unit int) {
	if rest := pe.Rest(unit); rest != nil {
		pe.WriteTo(unit, rest)
	}
}

// emit writes text. An image keeps what it writes of a record until that ends, so that
// the records of images do not mix.
func (pe *PE) emit(errors bool, text []byte) {
	if pe.prog.Coarray && !errors {
		text = append(pe.record, text...)
		whole := bytes.LastIndexByte(text, '\n') + 1
		pe.record = bytes.Clone(text[whole:])
		text = text[:whole]
	}
	if len(text) > 0 {
		pe.out.writeTo(errors, text)
	}
}

// endRecord writes what an image has written to the standard output of a record that has not ended.
func (pe *PE) endRecord() {
	pe.out.write(pe.record)
	pe.record = nil
}

// Line is a record of list-directed output under construction, laid out as
// gfortran does. Records are not broken, as gfortran does not break them on
// standard output.
type Line struct {
	pe      *PE
	unit    int
	buf     []byte
	started bool
	text    bool // the last item was a string
	modes   record.Modes
}

// For sets how values are treated, and returns l.
func (l *Line) For(m record.Modes) *Line {
	l.modes = m
	return l
}

// NewLine starts a record. PE 0 alone calls it.
func (pe *PE) NewLine() *Line { return pe.NewLineTo(unitOutput) }

// NewLineTo starts a record of a unit.
func (pe *PE) NewLineTo(unit int) *Line { return &Line{pe: pe, unit: unit} }

// NewText starts a record that becomes a string.
func NewText() *Line { return &Line{} }

// Text ends the record and returns it; it may have n characters.
func (l *Line) Text(n int) string {
	if len(l.buf) > n {
		panic(&record.Error{Status: record.EndRecord, Text: "End of record", Msg: fmt.Sprintf("end of record: %d characters are written to a string of %d", len(l.buf), n),
			Help: "declare a longer CHARACTER variable"})
	}
	return string(l.buf)
}

// RecordsOf ends the record and returns old, which is records of n characters, with it in
// place of the first.
func (l *Line) RecordsOf(n int, old string) string {
	return record.Fill(append(l.buf, '\n'), n, old)
}

// Add appends items: int32 as INTEGER(4), int as INTEGER(8), float32 as REAL(4), float64 as REAL(8),
// complex64 as COMPLEX(4), complex128 as COMPLEX(8), bool as LOGICAL, string as CHARACTER.
func (l *Line) Add(items ...any) {
	for _, item := range items {
		s, text := item.(string)
		// A record starts with a blank. Items are separated by one, but
		// adjacent strings without delimiters are not.
		if !l.started || !text || !l.text || l.modes.Delim != 0 {
			l.buf = append(l.buf, ' ')
		}
		l.started, l.text = true, text
		switch item := item.(type) {
		case string:
			l.string(s)
		case int8:
			l.buf = appendRight(l.buf, l.sign(item < 0)+strconv.Itoa(int(item)), 4)
		case int16:
			l.buf = appendRight(l.buf, l.sign(item < 0)+strconv.Itoa(int(item)), 6)
		case int32:
			l.buf = appendRight(l.buf, l.sign(item < 0)+strconv.Itoa(int(item)), 11)
		case int:
			l.buf = appendRight(l.buf, l.sign(item < 0)+strconv.Itoa(item), 20)
		case float64:
			l.buf = appendReal(l.buf, item, 64, l.modes)
		case float32:
			l.buf = appendReal(l.buf, float64(item), 32, l.modes)
		case complex128:
			l.buf = appendComplex(l.buf, item, 64, l.modes)
		case complex64:
			l.buf = appendComplex(l.buf, complex128(item), 32, l.modes)
		case bool:
			if item {
				l.buf = append(l.buf, 'T')
			} else {
				l.buf = append(l.buf, 'F')
			}
		default:
			panic(fmt.Sprintf("print of a %T", item))
		}
	}
}

// string appends s, between delimiters where the unit has some: these are doubled in s.
func (l *Line) string(s string) {
	if l.modes.Delim == 0 {
		l.buf = append(l.buf, s...)
		return
	}
	d := string(l.modes.Delim)
	l.buf = append(append(append(l.buf, d...), strings.ReplaceAll(s, d, d+d)...), d...)
}

// sign is the plus sign of a number, where the unit shows it.
func (l *Line) sign(negative bool) string {
	if l.modes.Plus && !negative {
		return "+"
	}
	return ""
}

// End writes the record.
func (l *Line) End() {
	l.buf = append(l.buf, '\n')
	l.pe.WriteTo(l.unit, l.buf)
	l.buf, l.started, l.text = l.buf[:0], false, false
}

// Print writes one list-directed record. PE 0 alone calls it.
func (pe *PE) Print(items ...any) {
	l := pe.NewLine()
	l.Add(items...)
	l.End()
}

// appendRight appends s in a field of the given width.
func appendRight(buf []byte, s string, width int) []byte {
	for n := width - len(s); n > 0; n-- {
		buf = append(buf, ' ')
	}
	return append(buf, s...)
}

// appendComplex appends (re,im), right in a field that holds the fields of both parts, which
// are written without blanks.
func appendComplex(buf []byte, z complex128, bits int, m record.Modes) []byte {
	width, separator := 2*25+3, byte(',')
	if bits == 32 {
		width = 2*16 + 3
	}
	if m.Comma {
		separator = ';'
	}
	var scratch [80]byte
	s := append(scratch[:0], '(')
	for i, x := range []float64{real(z), imag(z)} {
		s = appendNumber(s, x, bits, m, true)
		s = append(s, [2]byte{separator, ')'}[i])
	}
	return appendRight(buf, string(s), width)
}

// appendReal appends x in gfortran's list-directed form, which is the edit
// descriptor 1PGw.d: w is 25 and d 17 digits for REAL(8), 16 and 9 for REAL(4).
// Numbers from 0.1 up to 10**d take the F form, followed by as many blanks as
// an exponent would take, others the E form.
func appendReal(buf []byte, x float64, bits int, m record.Modes) []byte {
	return appendNumber(buf, x, bits, m, false)
}

// appendNumber is appendReal, or with tight the form of the parts of a COMPLEX number: without
// blanks, with one more digit in the E form, and a short infinity.
func appendNumber(buf []byte, x float64, bits int, m record.Modes, tight bool) []byte {
	width, digits, exponent, infinity := 25, 17, 5, "Infinity"
	if bits == 32 {
		width, digits, exponent = 16, 9, 4
	}
	if tight {
		width, infinity = 0, "Inf"
	}
	var scratch [48]byte
	s := scratch[:0]
	switch negative := math.Signbit(x); {
	case math.IsNaN(x):
		return appendRight(buf, "NaN", width)
	case negative:
		s = append(s, '-')
	case m.Plus:
		s = append(s, '+')
	}
	if math.IsInf(x, 0) {
		return appendRight(buf, string(s)+infinity, width)
	}
	first := len(s) // digit
	round := record.OfMagnitude(m.Round, math.Signbit(x))
	x = math.Abs(x)
	s = record.AppendFloat(s, x, 'e', digits-1, round)
	mark := len(s) - 1 // of the e
	for s[mark] != 'e' {
		mark--
	}
	exp, _ := strconv.Atoi(string(s[mark+1:]))
	behind := ""
	if x == 0 || exp >= -1 && exp < digits {
		if x == 0 {
			exp = 0
		}
		s = record.AppendFloat(s[:first], x, 'f', digits-1-exp, round)
		if exp == digits-1 {
			s = append(s, '.')
		}
		if width, behind = width-exponent, "     "[:exponent]; tight {
			behind = ""
		}
	} else {
		if tight {
			s = record.AppendFloat(s[:first], x, 'e', digits, round)
			mark = bytes.IndexByte(s, 'e')
			exp, _ = strconv.Atoi(string(s[mark+1:]))
		}

		s = append(s[:mark], 'E')
		if exp < 0 {
			s, exp = append(s, '-'), -exp
		} else {
			s = append(s, '+')
		}
		for _, unit := range []int{100, 10, 1}[5-exponent:] {
			s = append(s, byte('0'+exp/unit%10))
		}
	}
	if m.Comma {
		s[bytes.IndexByte(s, '.')] = ','
	}
	return append(appendRight(buf, string(s), width), behind...)
}
