package spmd

import (
	"encoding/binary"
	"fmt"
	"math"
)

// What one PE gives all others, and is no array, goes as bytes: values of the types of
// items of READ, and lists of them, each with a letter for its type in front.

// packed is values as bytes.
func packed(values ...any) []byte { return appendValue(nil, values) }

// unpacked is the values that were packed.
func unpacked(b []byte) []any {
	v, _ := takeValue(b)
	return v.([]any)
}

func appendValue(b []byte, v any) []byte {
	word := binary.NativeEndian.AppendUint64
	switch v := v.(type) {
	case nil:
		return append(b, '-')
	case bool:
		return append(b, 'b', byte(fromBool(v)))
	case int:
		return word(append(b, 'l'), uint64(v))
	case int32:
		return word(append(b, 'i'), uint64(v))
	case float64:
		return word(append(b, 'd'), math.Float64bits(v))
	case float32:
		return word(append(b, 'r'), fromSingle(v))
	case complex128:
		return word(word(append(b, 'w'), math.Float64bits(real(v))), math.Float64bits(imag(v)))
	case complex64:
		return word(word(append(b, 'z'), fromSingle(real(v))), fromSingle(imag(v)))
	case string:
		return append(word(append(b, 'c'), uint64(len(v))), v...)
	case []any:
		b = word(append(b, '['), uint64(len(v)))
		for _, x := range v {
			b = appendValue(b, x)
		}
		return b
	case notedValue:
		return appendValue(appendValue(append(b, 'n'), v.got), v.value)
	case textPart:
		return appendValue(append(b, 't'), []any{v.lo, v.hi, v.text})
	}
	panic(fmt.Sprintf("no bytes for a %T", v))
}

func takeValue(b []byte) (v any, rest []byte) {
	letter := b[0]
	b = b[1:]
	word := func() uint64 {
		w := binary.NativeEndian.Uint64(b)
		b = b[8:]
		return w
	}
	switch letter {
	case '-':
	case 'b':
		return b[0] != 0, b[1:]
	case 'l':
		v = int(word())
	case 'i':
		v = int32(word())
	case 'd':
		v = double(word())
	case 'r':
		v = single(word())
	case 'w':
		re := double(word())
		v = complex(re, double(word()))
	case 'z':
		re := single(word())
		v = complex(re, single(word()))
	case 'c':
		n := word()
		return string(b[:n]), b[n:]
	case '[':
		list := make([]any, word())
		for i := range list {
			list[i], b = takeValue(b)
		}
		v = list
	case 'n':
		var got, value any
		got, b = takeValue(b)
		value, b = takeValue(b)
		v = notedValue{got.(bool), value.([]any)}
	case 't':
		var parts any
		parts, b = takeValue(b)
		p := parts.([]any)
		v = textPart{p[0].(int), p[1].(int), p[2].(string)}
	default:
		panic(fmt.Sprintf("no value begins with %q", letter))
	}
	return v, b
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
