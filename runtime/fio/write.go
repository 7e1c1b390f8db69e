package fio

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/spmdc/spmdc/runtime/record"
)

// Writer lays out items by a format.
type Writer struct {
	cursor
	style
	text []byte // the records so far, with their ends
	base int    // where the record in hand begins in text
	pos  int    // the column of it, from 0, that is next
	end  int    // the column behind the last character that was put
	n    int    // items so far

	records [][]byte // those that have ended, with split
	split   bool
}

// NewWriter begins a statement that writes by f.
func NewWriter(f *Format) *Writer { return &Writer{cursor: *newCursor(f)} }

// For sets how the unit treats values, and returns w.
func (w *Writer) For(m record.Modes) *Writer {
	w.plus, w.comma, w.round = m.Plus, m.Comma, m.Round
	return w
}

// Over lets the statement begin in front of rest, what an earlier one with ADVANCE='NO' has left
// of the record behind its position, and returns w.
func (w *Writer) Over(rest []byte) *Writer {
	w.text = append(w.text, rest...)
	return w
}

// Split makes w keep its records apart, for Records, and returns it.
func (w *Writer) Split() *Writer {
	w.split = true
	return w
}

// Records ends the statement and returns the records that it has written.
func (w *Writer) Records() [][]byte {
	w.finish()
	w.newRecord()
	return w.records
}

// Text is what a statement that writes items by f writes: records, each with its
// end.
func (f *Format) Text(items ...any) []byte {
	w := NewWriter(f)
	w.Add(items...)
	return w.End()
}

// Add writes items: int32, int, float32, float64, bool, string, and complex64 and complex128,
// of which each part has a descriptor. It panics with an
// *Error where the format does not fit one.
func (w *Writer) Add(items ...any) {
	for _, item := range items {
		switch z := item.(type) {
		case complex64:
			w.Add(real(z), imag(z))
			continue
		case complex128:
			w.Add(real(z), imag(z))
			continue
		}
		w.n++
		w.item(w.find(), item)
	}
}

// find executes what stands in front of the descriptor of the next item.
func (w *Writer) find() *edit {
	for {
		x := w.next()
		switch {
		case x == nil:
			if err := w.revert(); err != nil {
				panic(err)
			}
			w.newRecord()
		case x.kind > data:
			return x
		default:
			w.control(x)
		}
	}
}

// End ends the statement and returns what it has written.
func (w *Writer) End() []byte {
	w.finish()
	w.newRecord()
	return w.text
}

// Stay ends the statement, but not the record: text is what stands in front of the position,
// rest what T or TL has left behind it. A position in front of the last character that was put
// is not taken, as in gfortran.
func (w *Writer) Stay() (text, rest []byte) {
	w.finish()
	w.pos = max(w.pos, w.end)
	w.put(nil)
	at := w.base + w.pos
	return w.text[:at], w.text[at:]
}

// Record ends the statement, which must have written one record of at most n
// characters, and returns that.
func (w *Writer) Record(n int) string {
	w.finish()
	if w.base > 0 || len(w.text) > n {
		panic(&Error{Offset: -1, Status: statusEndRecord, Text: "End of record", Msg: fmt.Sprintf("end of record: more is written than the string of %d characters holds", n),
			Help: "declare a longer CHARACTER variable"})
	}
	return string(w.text)
}

// RecordsOf ends the statement and returns old, which is records of n characters, with what
// was written in place of the first ones.
func (w *Writer) RecordsOf(n int, old string) string {
	return record.Fill(w.End(), n, old)
}

// Record is Writer.Record of a statement that writes items by f.
func (f *Format) Record(n int, items ...any) string {
	w := NewWriter(f)
	w.Add(items...)
	return w.Record(n)
}

// finish executes what stands behind the last item, up to the next descriptor of
// one.
func (w *Writer) finish() {
	for {
		x := w.next()
		if x == nil || x.kind > data || x.kind == colon {
			return
		}
		w.control(x)
	}
}

func (w *Writer) newRecord() {
	if w.split {
		w.records = append(w.records, bytes.Clone(w.text[w.base:]))
	}
	w.text = append(w.text, '\n')
	w.base, w.pos, w.end = len(w.text), 0, 0
}

// control executes a descriptor that takes no item.
func (w *Writer) control(x *edit) {
	switch x.kind {
	case literal:
		w.put([]byte(x.text))
	case slash:
		w.newRecord()
	default:
		w.style.control(x, &w.pos, 0)
	}
}

// control executes a descriptor that is the same in input and output, where pos is the
// column that is next, and left the one in front of which T and TL do not go. In input the sign and the rounding change nothing.
func (st *style) control(x *edit, pos *int, left int) {
	switch x.kind {
	case scale:
		st.scale = x.n
	case space, tabRight:
		*pos += x.n
	case tab:
		*pos = left + x.n - 1
	case tabLeft:
		*pos = max(*pos-x.n, left)
	case signPlus:
		st.plus = true
	case signSuppress, signDefault:
		st.plus = false
	case decimalComma:
		st.comma = true
	case decimalPoint:
		st.comma = false
	case rounding:
		st.round = x.text[0]
	}
}

// put writes s at the position, over what is there.
func (w *Writer) put(s []byte) {
	at := w.base + w.pos
	w.text = appendBlanks(w.text, at-len(w.text))
	n := copy(w.text[at:], s)
	w.text = append(w.text, s[n:]...)
	w.pos += len(s)
	w.end = w.pos
}

func (w *Writer) item(x *edit, item any) {
	var scratch [80]byte
	switch v := item.(type) {
	case string:
		if x.kind != editA && x.kind != editG {
			w.mismatch(x, "CHARACTER")
		}
		w.put(character(scratch[:0], v, x.w))
	case int8:
		w.put(w.whole(scratch[:0], x, int64(v), 8))
	case int16:
		w.put(w.whole(scratch[:0], x, int64(v), 16))
	case int32:
		w.put(w.whole(scratch[:0], x, int64(v), 32))
	case int:
		w.put(w.whole(scratch[:0], x, int64(v), 64))
	case float32:
		w.put(w.float(scratch[:0], x, float64(v), 32))
	case float64:
		w.put(w.float(scratch[:0], x, v, 64))
	case bool:
		w.put(w.logical(scratch[:0], x, v))
	default:
		panic(fmt.Sprintf("output of a %T", item))
	}
}

func (w *Writer) mismatch(x *edit, typ string) {
	panic(&Error{Offset: x.at, Status: statusFormat,
		Msg:  fmt.Sprintf("%s does not take item %d, which is %s", kindName[x.kind], w.n, typ),
		Help: "use the descriptor of its type: I for INTEGER, F, E, ES or G for REAL, L for LOGICAL, A for CHARACTER"})
}

// character appends s by Aw, or A where w is not positive.
func character(dst []byte, s string, w int) []byte {
	if w <= 0 {
		return append(dst, s...)
	}
	if len(s) > w {
		return append(dst, s[:w]...)
	}
	return append(appendBlanks(dst, w-len(s)), s...)
}

func (w *Writer) whole(dst []byte, x *edit, n int64, bits int) []byte {
	switch x.kind {
	case editI:
		return w.integer(dst, n, x.w, x.d)
	case editG:
		return w.integer(dst, n, x.w, -1)
	case editB, editO, editZ:
		u := uint64(n)
		if bits < 64 {
			u &= 1<<bits - 1
		}
		return pattern(dst, x, u)
	case editA:
		return character(dst, string(bytesOf(uint64(n), bits)), x.w)
	}
	w.mismatch(x, "INTEGER")
	return nil
}

func (w *Writer) float(dst []byte, x *edit, v float64, bits int) []byte {
	switch x.kind {
	case editF, editE, editD, editEN, editES, editG:
		if x.d < 0 && x.w != 0 {
			panic(&Error{Offset: x.at, Status: statusFormat, Msg: fmt.Sprintf("G%d without digits for item %d, which is REAL", x.w, w.n), Help: "write Gw.d"})
		}
		return w.real(dst, v, bits, x)
	case editB, editO, editZ:
		return pattern(dst, x, bitsOf(v, bits))
	case editA:
		return character(dst, string(bytesOf(bitsOf(v, bits), bits)), x.w)
	}
	w.mismatch(x, "REAL")
	return nil
}

func (w *Writer) logical(dst []byte, x *edit, v bool) []byte {
	if x.kind != editL && x.kind != editG {
		w.mismatch(x, "LOGICAL")
	}
	dst = appendBlanks(dst, x.w-1)
	if v {
		return append(dst, 'T')
	}
	return append(dst, 'F')
}

// pattern appends bits by B, O or Z.
func pattern(dst []byte, x *edit, u uint64) []byte {
	base := map[kind]int{editB: 2, editO: 8, editZ: 16}[x.kind]
	digits := []byte(strconv.FormatUint(u, base))
	for i, c := range digits {
		if c >= 'a' {
			digits[i] = c - 'a' + 'A'
		}
	}
	return appendInteger(dst, "", string(digits), u == 0, x.w, x.d)
}

func bitsOf(v float64, bits int) uint64 {
	if bits == 32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// bytesOf is how a number lies in memory.
func bytesOf(u uint64, bits int) []byte {
	b := make([]byte, bits/8)
	for i := range b {
		b[i] = byte(u >> (8 * i))
	}
	return b
}
