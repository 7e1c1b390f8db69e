package fio

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// Text is a CHARACTER variable as an item of input.
type Text interface {
	Len() int
	Set(s string)
}

// Noted is an item of input that takes a note of having got a value.
type Noted interface {
	Item() any
	Note()
}

// reader reads items of records by a format.
type reader struct {
	cursor
	style  // of the numbers: scale and comma
	src    *record.Source
	record string
	pos    int
	left   int  // the position that T counts from: where a statement with ADVANCE='NO' has ended, or 0
	zeros  bool // blanks stand for zeros
	begun  bool
	short  bool // with ADVANCE='NO': the record ended inside an item
	n      int  // items so far
}

// Reader begins a statement that reads by f, and returns the function that reads items
// of the records of src: *int32, *int, *float32, *float64, *bool, a Text, or a
// Noted of these. With stay more items of the statement follow in the next call. It
// returns what is wrong: an *Error, or a *record.Error at the end of the file.
func (f *Format) Reader(src *record.Source) func(stay bool, items ...any) error {
	r := &reader{cursor: *newCursor(f), style: style{comma: src.Comma}, src: src, zeros: src.Zeros}
	return r.read
}

func (r *reader) read(stay bool, items ...any) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Error:
			err = v
		case *record.Error:
			err = v
		default:
			panic(v)
		}
	}()
	if !r.begun {
		r.begun = true
		if r.src.Held {
			r.record, r.pos, r.src.Held = r.src.Record, r.src.Pos, false
			r.left = r.pos
		} else {
			r.advance()
		}
	}
	for _, item := range items {
		if noted, ok := item.(Noted); ok {
			r.value(noted.Item())
			noted.Note()
		} else {
			r.value(item)
		}
	}
	if stay {
		return nil
	}
	for x := r.cursor.next(); x != nil && x.kind < data && x.kind != colon; x = r.cursor.next() {
		r.control(x)
	}
	if r.src.Stays {
		r.src.Held, r.src.Record, r.src.Pos = true, r.record, r.pos
	}
	return nil
}

// value reads an item. Each part of a COMPLEX one has a descriptor.
func (r *reader) value(item any) {
	switch z := item.(type) {
	case *complex64:
		re, im := real(*z), imag(*z)
		r.value(&re)
		*z = complex(re, im)
		r.value(&im)
		*z = complex(re, im)
		return
	case *complex128:
		re, im := real(*z), imag(*z)
		r.value(&re)
		*z = complex(re, im)
		r.value(&im)
		*z = complex(re, im)
		return
	}
	r.n++
	r.item(r.find(), item)
	if r.short {
		panic(&record.Error{Status: record.EndRecord, Text: "End of record",
			Msg: "end of record: item " + strconv.Itoa(r.n) + " of READ with ADVANCE='NO' goes on behind it", Help: "use EOR= or IOSTAT= to handle it"})
	}
}

func (r *reader) advance() {
	rec, ok := r.src.Next()
	if !ok {
		panic(record.PastEnd(r.src.Name))
	}
	r.record, r.pos, r.left = rec, 0, 0
}

// find executes what stands in front of the descriptor of the next item.
func (r *reader) find() *edit {
	for {
		x := r.cursor.next()
		switch {
		case x == nil:
			if err := r.revert(); err != nil {
				panic(err)
			}
			r.advance()
		case x.kind > data:
			return x
		default:
			r.control(x)
		}
	}
}

func (r *reader) control(x *edit) {
	switch x.kind {
	case literal:
		panic(&Error{Offset: x.at, Msg: "a string in a format for input", Status: statusFormat, Help: "write nX to pass over characters"})
	case slash:
		r.advance()
	case blankNull:
		r.zeros = false
	case blankZero:
		r.zeros = true
	case rounding:
		r.src.Round = x.text[0]
	default:
		r.style.control(x, &r.pos, r.left)
	}
}

// field takes the next w columns. A comma ends the field of a number before that.
func (r *reader) field(w int, commas bool) string {
	start := min(r.pos, len(r.record))
	s := r.record[start:min(start+w, len(r.record))]
	if commas && !r.src.InString {
		separator := byte(',')
		if r.comma {
			separator = ';'
		}
		if i := strings.IndexByte(s, separator); i >= 0 {
			r.pos += i + 1
			r.src.Chars += i
			return s[:i]
		}
	}
	r.src.Chars += len(s)
	if r.pos += w; len(s) < w {
		if r.src.NoPad && !r.src.Stays {
			panic(&record.Error{Status: record.EndRecord, Text: "End of record", Msg: "end of record: it is shorter than the format, with PAD='NO'", Help: "open the file with pad='yes'"})
		}
		r.short = r.src.Stays
	}
	return s
}

func (r *reader) item(x *edit, item any) {
	bits := 32
	if s, is := item.(*record.Stored); is {
		item, bits = s.Item, 8*s.Bytes
	}
	switch v := item.(type) {
	case *int32:
		unused := 32 - bits
		*v = int32(r.whole(x, bits)) << unused >> unused
	case *int:
		*v = int(r.whole(x, 64))
	case *float32:
		*v = float32(r.float(x, 32))
	case *float64:
		*v = r.float(x, 64)
	case *bool:
		*v = r.logical(x)
	case Text:
		if x.kind != editA && x.kind != editG {
			r.mismatch(x, "CHARACTER")
		}
		w := x.w
		if w <= 0 {
			w = v.Len()
		}
		s := r.field(w, false)
		v.Set(s[max(len(s)-v.Len(), 0):])
	default:
		panic(fmt.Sprintf("input into a %T", item))
	}
}

func (r *reader) mismatch(x *edit, typ string) {
	panic(&Error{Offset: x.at, Status: statusFormat,
		Msg:  fmt.Sprintf("%s does not take item %d, which is %s", kindName[x.kind], r.n, typ),
		Help: "use the descriptor of its type: I for INTEGER, F, E or G for REAL, L for LOGICAL, A for CHARACTER"})
}

func (r *reader) bad(field, typ string) {
	panic(&Error{Offset: -1, Status: statusValue, Text: map[string]string{"INTEGER": "Bad value during integer read",
		"REAL": "Bad value during floating point read", "LOGICAL": "Bad value on logical read"}[typ], Msg: fmt.Sprintf("cannot read %q as %s (item %d of READ)", field, typ, r.n),
		Help: "correct the input or the format, or use IOSTAT= to handle it"})
}

// blanks is the field without the blanks that mean nothing, with zeros for others.
func (r *reader) blanks(field string) string {
	s := strings.Trim(field, " \t")
	if r.zeros {
		s = strings.TrimLeft(field, " \t")
		return strings.ReplaceAll(s, " ", "0")
	}
	return strings.ReplaceAll(s, " ", "")
}

func (r *reader) width(x *edit) int {
	if x.w <= 0 {
		panic(&Error{Offset: x.at, Status: statusFormat, Msg: kindName[x.kind] + " without a width in a format for input", Help: "write the number of columns"})
	}
	return x.w
}

func (r *reader) whole(x *edit, bits int) int64 {
	base := 10
	switch x.kind {
	case editI, editG:
	case editA:
		return int64(r.bytes(x, bits/8))
	case editB:
		base = 2
	case editO:
		base = 8
	case editZ:
		base = 16
	default:
		r.mismatch(x, "INTEGER")
	}
	field := r.field(r.width(x), true)
	s := r.blanks(field)
	if s == "" {
		return 0
	}
	if base != 10 {
		u, err := strconv.ParseUint(s, base, bits)
		if err != nil {
			r.bad(field, "INTEGER")
		}
		return int64(u)
	}
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		r.bad(field, "INTEGER")
	}
	return n
}

// bytes is a number by A: its n bytes are characters, blanks where the field has fewer.
func (r *reader) bytes(x *edit, n int) uint64 {
	w := x.w
	if w <= 0 {
		w = n
	}
	s := r.field(w, false)
	b := append([]byte(s[max(len(s)-n, 0):]), "        "...)
	return binary.LittleEndian.Uint64(append(b[:n:n], make([]byte, 8-n)...))
}

func (r *reader) float(x *edit, bits int) float64 {
	switch x.kind {
	case editF, editE, editD, editEN, editES, editG:
	case editA, editB, editO, editZ:
		u := uint64(r.whole(x, bits))
		if bits == 32 {
			return float64(math.Float32frombits(uint32(u)))
		}
		return math.Float64frombits(u)
	default:
		r.mismatch(x, "REAL")
	}
	if err := r.src.Nearest(); err != nil {
		panic(err)
	}
	field := r.field(r.width(x), true)
	s := r.blanks(field)
	if s == "" {
		return 0
	}
	v, ok := r.parse(s, x.d, bits)
	if !ok {
		r.bad(field, "REAL")
	}
	return v
}

// parse reads a number: without a point its last d digits stand behind one, and
// without an exponent the scale factor counts.
func (r *reader) parse(s string, d, bits int) (float64, bool) {
	switch s {
	case "+", "-": // gfortran takes a sign alone
		return 0, true
	}
	if r.comma {
		s = record.SwapPoint(s)
	}
	return record.ParseReal(s, bits, &record.Implied{Scale: r.scale, Decimals: max(d, 0)})
}

func (r *reader) logical(x *edit) bool {
	if x.kind != editL && x.kind != editG {
		r.mismatch(x, "LOGICAL")
	}
	field := r.field(r.width(x), true)
	s := strings.ToUpper(strings.TrimPrefix(strings.TrimLeft(field, " \t"), "."))
	switch {
	case strings.HasPrefix(s, "T"):
		return true
	case strings.HasPrefix(s, "F"):
		return false
	}
	r.bad(field, "LOGICAL")
	return false
}
