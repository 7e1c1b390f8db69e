package spmd

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/runtime/snapshot"
)

// What one PE gives all others, and is no array, goes as bytes: values of the types of
// items of READ, and lists of them, each with a letter for its type in front.

// packed is values as bytes.
func packed(values ...any) []byte {
	w := &snapshot.Writer{}
	packValue(w, values)
	return w.Bytes()
}

// unpacked is the values that were packed.
func unpacked(b []byte) []any { return unpackValue(snapshot.NewReader(b)).([]any) }

func packValue(w *snapshot.Writer, v any) {
	number := func(letter int, words ...uint64) {
		w.Int(letter)
		for _, word := range words {
			w.Uint64(word)
		}
	}
	list := func(letter int, values ...any) {
		w.Int(letter)
		w.Int(len(values))
		for _, x := range values {
			packValue(w, x)
		}
	}
	switch v := v.(type) {
	case nil:
		number('-')
	case bool:
		number('b', fromBool(v))
	case int:
		number('l', uint64(v))
	case int32:
		number('i', uint64(v))
	case float64:
		number('d', math.Float64bits(v))
	case float32:
		number('r', fromSingle(v))
	case complex128:
		number('w', math.Float64bits(real(v)), math.Float64bits(imag(v)))
	case complex64:
		number('z', fromSingle(real(v)), fromSingle(imag(v)))
	case string:
		w.Int('c')
		w.Text(v)
	case []any:
		list('[', v...)
	case notedValue:
		list('n', v.got, v.value)
	case textPart:
		list('t', v.lo, v.hi, v.text)
	default:
		panic(fmt.Sprintf("no bytes for a %T", v))
	}
}

func unpackValue(r *snapshot.Reader) any {
	list := func() []any {
		values := make([]any, r.Int())
		for i := range values {
			values[i] = unpackValue(r)
		}
		return values
	}
	switch letter := r.Int(); letter {
	case '-':
		return nil
	case 'b':
		return r.Bool()
	case 'l':
		return r.Int()
	case 'i':
		return int32(r.Uint64())
	case 'd':
		return double(r.Uint64())
	case 'r':
		return single(r.Uint64())
	case 'w':
		re := double(r.Uint64())
		return complex(re, double(r.Uint64()))
	case 'z':
		re := single(r.Uint64())
		return complex(re, single(r.Uint64()))
	case 'c':
		return r.Text()
	case '[':
		return list()
	case 'n':
		v := list()
		return notedValue{v[0].(bool), v[1].([]any)}
	case 't':
		v := list()
		return textPart{v[0].(int), v[1].(int), v[2].(string)}
	default:
		panic(fmt.Sprintf("no value begins with %q", rune(letter)))
	}
}

// values is a readError as values: none for nil.
func (e *readError) values() []any {
	if e == nil {
		return nil
	}
	return []any{e.status, e.msg, e.hint, e.text}
}

func readErrorOf(v any) *readError {
	list := v.([]any)
	if len(list) == 0 {
		return nil
	}
	return &readError{status: list[0].(int), msg: list[1].(string), hint: list[2].(string), text: list[3].(string)}
}
