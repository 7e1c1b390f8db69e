// Package snapshot is the form in which the state of a program is kept: a file
// that is either whole or not there, and the words in it.
//
//	w := &snapshot.Writer{}
//	w.Int(epoch)
//	snapshot.Put(w, a.Data)
//	err := snapshot.Commit("run.ckpt", [][]byte{w.Bytes()}, true, nil)
//
// and later
//
//	parts, err := snapshot.Open("run.ckpt")
//	r := snapshot.NewReader(parts[0])
//	epoch = r.Int()
//	snapshot.Fill(r, a.Data)
//	err = r.Err()
//
// What is written must be read in the same order and by the same types.
package snapshot

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"
)

// Writer collects words, in the byte order of the machine.
type Writer struct{ buf []byte }

// Bytes is what has been written.
func (w *Writer) Bytes() []byte { return w.buf }

// Uint64 writes a word.
func (w *Writer) Uint64(x uint64) { w.buf = binary.NativeEndian.AppendUint64(w.buf, x) }

// Int writes an integer.
func (w *Writer) Int(x int) { w.Uint64(uint64(x)) }

// Bool writes a truth value.
func (w *Writer) Bool(x bool) {
	if x {
		w.Uint64(1)
	} else {
		w.Uint64(0)
	}
}

// Text writes a string.
func (w *Writer) Text(s string) {
	w.Int(len(s))
	w.buf = append(w.buf, s...)
}

// Put writes the elements of s, bit for bit. T holds no pointers, or is string.
func Put[T any](w *Writer, s []T) {
	w.Int(len(s))
	if words, ok := any(s).([]string); ok {
		for _, x := range words {
			w.Text(x)
		}
		return
	}
	w.buf = append(w.buf, raw(s)...)
}

// raw is the memory of s.
func raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// Reader takes words from what a Writer has written. The first thing that does not
// fit makes all that follows zero, and Err tells of it.
type Reader struct {
	buf []byte
	err error
}

// NewReader reads what Writer.Bytes gave.
func NewReader(b []byte) *Reader { return &Reader{buf: b} }

// Err is the first error, also that something is left.
func (r *Reader) Err() error {
	if r.err == nil && len(r.buf) > 0 {
		return fmt.Errorf("%d bytes are left over", len(r.buf))
	}
	return r.err
}

// Failed reports whether something has not fitted so far.
func (r *Reader) Failed() bool { return r.err != nil }

// Fail records an error, unless there is one.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.buf = nil
}

func (r *Reader) take(n int) []byte {
	if n < 0 || n > len(r.buf) {
		r.Fail("%d bytes are wanted, %d are left", n, len(r.buf))
		return nil
	}
	b := r.buf[:n]
	r.buf = r.buf[n:]
	return b
}

// Uint64 reads a word.
func (r *Reader) Uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.NativeEndian.Uint64(b)
	}
	return 0
}

// Int reads an integer.
func (r *Reader) Int() int { return int(r.Uint64()) }

// Bool reads a truth value.
func (r *Reader) Bool() bool { return r.Uint64() != 0 }

// Text reads a string.
func (r *Reader) Text() string { return string(r.take(r.Int())) }

// Fill reads as many elements as s has.
func Fill[T any](r *Reader, s []T) {
	if n := r.Int(); n != len(s) {
		r.Fail("%d elements are wanted, %d are there", len(s), n)
		return
	}
	fill(r, s)
}

// List reads elements into s, whose length and storage change as needed.
func List[T any](r *Reader, s []T) []T {
	n := r.Int()
	var zero T
	if size := int(unsafe.Sizeof(zero)); n < 0 || size > 0 && n > len(r.buf)/min(size, 8) {
		r.Fail("%d elements are wanted, %d bytes are left", n, len(r.buf))
		return s[:0]
	}
	s = slices.Grow(s[:0], n)[:n]
	fill(r, s)
	return s
}

func fill[T any](r *Reader, s []T) {
	if words, ok := any(s).([]string); ok {
		for i := range words {
			words[i] = r.Text()
		}
		return
	}
	copy(raw(s), r.take(len(raw(s))))
}
