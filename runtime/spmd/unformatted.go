package spmd

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/spmdc/spmdc/runtime/record"
)

// Bytes is an unformatted record under construction: items as they lie in memory.
type Bytes struct{ buf []byte }

// NewBytes starts a record.
func NewBytes() *Bytes { return &Bytes{} }

// Add appends items, those that Line.Add takes. A LOGICAL has four bytes.
func (r *Bytes) Add(items ...any) {
	for _, item := range items {
		switch v := item.(type) {
		case int32:
			r.buf = binary.LittleEndian.AppendUint32(r.buf, uint32(v))
		case int:
			r.buf = binary.LittleEndian.AppendUint64(r.buf, uint64(v))
		case float32:
			r.buf = binary.LittleEndian.AppendUint32(r.buf, math.Float32bits(v))
		case float64:
			r.buf = binary.LittleEndian.AppendUint64(r.buf, math.Float64bits(v))
		case complex64:
			r.Add(real(v), imag(v))
		case complex128:
			r.Add(real(v), imag(v))
		case bool:
			r.Add(int32(truth(v)))
		case int8:
			r.buf = append(r.buf, byte(v))
		case int16:
			r.buf = binary.LittleEndian.AppendUint16(r.buf, uint16(v))
		case Logical1:
			r.Add(int8(truth(bool(v))))
		case Logical2:
			r.Add(int16(truth(bool(v))))
		case Logical8:
			r.Add(truth(bool(v)))
		case string:
			r.buf = append(r.buf, v...)
		default:
			panic(fmt.Sprintf("unformatted output of a %T", item))
		}
	}
}

// Logical1, Logical2 and Logical8 are the kinds of LOGICAL that have another size in a record.
type (
	Logical1 bool
	Logical2 bool
	Logical8 bool
)

// truth is how .true. is stored.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Bytes ends the record.
func (r *Bytes) Bytes() []byte { return r.buf }

// takeItem reads an item of READ.
func takeItem(src *record.Source, item any) error {
	if n, ok := item.(*Noted); ok {
		item = n.item
	}
	size := 4
	switch v := item.(type) {
	case *record.Stored:
		size = v.Bytes
	case *int, *float64, *complex64:
		size = 8
	case *complex128:
		size = 16
	case *String:
		size = v.length
	}
	b, err := src.Take(size)
	if err != nil {
		return err
	}
	switch v := item.(type) {
	case *record.Stored:
		unused := 32 - min(32, 8*size)
		n := int32(0)
		for k := range min(4, size) {
			n |= int32(b[k]) << (8 * k)
		}
		switch x := v.Item.(type) {
		case *int32:
			*x = n << unused >> unused
		case *bool:
			*x = n != 0
		}
	case *int32:
		*v = int32(binary.LittleEndian.Uint32(b))
	case *int:
		*v = int(binary.LittleEndian.Uint64(b))
	case *float32:
		*v = math.Float32frombits(binary.LittleEndian.Uint32(b))
	case *float64:
		*v = math.Float64frombits(binary.LittleEndian.Uint64(b))
	case *complex64:
		*v = complex(math.Float32frombits(binary.LittleEndian.Uint32(b)), math.Float32frombits(binary.LittleEndian.Uint32(b[4:])))
	case *complex128:
		*v = complex(math.Float64frombits(binary.LittleEndian.Uint64(b)), math.Float64frombits(binary.LittleEndian.Uint64(b[8:])))
	case *bool:
		*v = binary.LittleEndian.Uint32(b) != 0
	case *String:
		v.Set(string(b))
	default:
		panic(fmt.Sprintf("unformatted input into a %T", item))
	}
	return nil
}
