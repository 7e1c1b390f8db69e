package spmd

import (
	"encoding/binary"

	"github.com/spmdc/spmdc/runtime/snapshot"
)

// Repeated is an item of READ that stands for many: an element of each of several arrays, as often
// as it says.
type Repeated struct {
	n       int
	vectors []Column
}

// Column is an array of which a READ sets elements, with an array of notes.
type Column interface {
	item(i int) any
	// save writes the first n elements and notes, restore reads them.
	save(w *snapshot.Writer, n int)
	restore(r *snapshot.Reader, n int)
}

// Times makes an item of n elements of each of vectors.
func Times(n int, vectors ...Column) *Repeated { return &Repeated{max(0, n), vectors} }

// items are those from element lo, from 0, to in front of element hi.
func (v *Repeated) items(lo, hi int) []any {
	list := make([]any, 0, (hi-lo)*len(v.vectors))
	for i := lo; i < hi; i++ {
		for _, c := range v.vectors {
			list = append(list, c.item(i))
		}
	}
	return list
}

// piece is how many elements of an array are handed to a reader at once.
const piece = 4096

// repeated is the one item of list, if it stands for many.
func repeated(list []any) (*Repeated, bool) {
	if len(list) != 1 {
		return nil, false
	}
	v, ok := list[0].(*Repeated)
	return v, ok
}

// countItems is the number of values that items get.
func countItems(items []any) int {
	if v, ok := repeated(items); ok {
		return v.n * len(v.vectors)
	}
	return len(items)
}

func (v *Repeated) save() string {
	w := &snapshot.Writer{}
	for _, c := range v.vectors {
		c.save(w, v.n)
	}
	return string(w.Bytes())
}

func (v *Repeated) restore(s string) {
	r := snapshot.NewReader([]byte(s))
	for _, c := range v.vectors {
		c.restore(r, v.n)
	}
}

// readable is a type of numbers or LOGICAL.
type readable interface {
	int | int32 | float32 | float64 | complex64 | complex128 | bool
}

type vector[T readable] struct {
	x     []T
	got   []bool
	bytes int // where they are those of a Stored, else 0
}

// Vector makes a column of an array of numbers or LOGICAL.
func Vector[T readable](x []T, got []bool) Column { return &vector[T]{x, got, 0} }

// StoredVector makes a column of an array of which files have so many bytes for each element.
func StoredVector[T int32 | bool](x []T, got []bool, bytes int) Column {
	return &vector[T]{x, got, bytes}
}

func (v *vector[T]) item(i int) any {
	var item any = &v.x[i]
	if v.bytes > 0 {
		item = Stored(item, v.bytes)
	}
	return Note(&v.got[i], item)
}

func (v *vector[T]) save(w *snapshot.Writer, n int) {
	w.Text(string(bytesOf(v.x[:n])))
	w.Text(string(bytesOf(v.got[:n])))
}

func (v *vector[T]) restore(r *snapshot.Reader, n int) {
	setBytes(v.x[:n], r.Text())
	setBytes(v.got[:n], r.Text())
}

// bytesOf is the bytes of numbers, the lowest first.
func bytesOf[T readable](x []T) []byte {
	var of any = x
	if list, ok := any(x).([]int); ok { // of a size that package binary does not take
		long := make([]int64, len(list))
		for i, n := range list {
			long[i] = int64(n)
		}
		of = long
	}
	b, err := binary.Append(nil, binary.LittleEndian, of)
	if err != nil {
		panic(err)
	}
	return b
}

// setBytes sets x to what bytesOf was given.
func setBytes[T readable](x []T, s string) {
	if list, ok := any(x).([]int); ok {
		long := make([]int64, len(list))
		decode(s, long)
		for i, n := range long {
			list[i] = int(n)
		}
		return
	}
	decode(s, x)
}

func decode(s string, to any) {
	if _, err := binary.Decode([]byte(s), binary.LittleEndian, to); err != nil {
		panic(err)
	}
}

type texts struct {
	x      []string
	length int
	got    []bool
}

// Texts makes a column of an array of texts of a length.
func Texts(x []string, length int, got []bool) Column { return &texts{x, length, got} }

func (v *texts) item(i int) any { return Note(&v.got[i], Str(&v.x[i], v.length)) }

func (v *texts) save(w *snapshot.Writer, n int) {
	for _, s := range v.x[:n] {
		w.Text(s)
	}
	w.Text(string(bytesOf(v.got[:n])))
}

func (v *texts) restore(r *snapshot.Reader, n int) {
	for i := range v.x[:n] {
		v.x[i] = r.Text()
	}
	setBytes(v.got[:n], r.Text())
}
