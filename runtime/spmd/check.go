package spmd

import (
	"fmt"
	"math"
	"strconv"
)

// The undefined values of check builds: arrays and scalars hold them until they
// are assigned, and Def recognises them. A program that computes exactly this
// NaN, or this integer, would be blamed wrongly; no arithmetic makes this payload, and
// the integers are none that programs single out.
var (
	UndefFloat64 = math.Float64frombits(undefDouble)
	UndefFloat32 = math.Float32frombits(undefSingle)

	UndefComplex128 = complex(UndefFloat64, UndefFloat64)
	UndefComplex64  = complex(UndefFloat32, UndefFloat32)
)

const (
	UndefInt    = -6_148_914_691_236_517_205
	UndefInt32  = -1_846_287_341
	UndefString = ""

	undefDouble uint64 = 0x7ff8_5d3a_11de_f001
	undefSingle uint32 = 0x7fc5_d3a1
)

// undefine fills data with the undefined value of its type, if it has one.
func undefine[T any](data []T) {
	switch data := any(data).(type) {
	case []float64:
		fill(data, UndefFloat64)
	case []float32:
		fill(data, UndefFloat32)
	case []complex128:
		fill(data, UndefComplex128)
	case []complex64:
		fill(data, UndefComplex64)
	case []int:
		fill(data, UndefInt)
	case []int32:
		fill(data, UndefInt32)
	case []string:
		fill(data, UndefString)
	}
}

// Undefine takes the values of all elements that this PE has, in check builds: those of
// an array that is private to the iterations of a loop.
func (a *Array[T]) Undefine() { undefine(a.Data) }

func fill[T any](data []T, x T) {
	for i := range data {
		data[i] = x
	}
}

// Def is x, which must have been assigned: it panics if x is the undefined
// value of its type. what names it as the source does. LOGICAL values have no
// undefined value.
func Def[T any](x T, what string) T {
	if undefined(x) {
		panic(&Fault{Msg: what + " is used before it has a value", Hint: "assign it first"})
	}
	return x
}

// Defined reports whether x is other than the undefined value of its type.
func Defined[T any](x T) bool { return !undefined(x) }

// undefined reports whether x is the undefined value of its type.
func undefined[T any](x T) bool {
	switch x := any(x).(type) {
	case float64:
		return math.Float64bits(x) == undefDouble
	case float32:
		return math.Float32bits(x) == undefSingle
	case complex128:
		return undefined(real(x)) || undefined(imag(x))
	case complex64:
		return undefined(real(x)) || undefined(imag(x))
	case int:
		return x == UndefInt
	case int32:
		return x == UndefInt32
	case string:
		return x == UndefString
	}
	return false
}

// Idx is the subscript i, which must lie in the declared bounds lo..hi. what
// names it: "a(i), dimension 1".
func Idx(i, lo, hi int, what string) int {
	if i < lo || i > hi {
		panic(&Fault{
			Msg:  fmt.Sprintf("index out of range: %s is %d", what, i),
			Hint: fmt.Sprintf("the declared bounds are %d:%d", lo, hi),
		})
	}
	return i
}

// Idx is the function Idx for what all PEs execute with the same values: all of them
// fail, and PE 0 tells.
func (pe *PE) Idx(i, lo, hi int, what string) int {
	if i < lo || i > hi {
		pe.together = true
	}
	return Idx(i, lo, hi, what)
}

// Element is x, an element that was fetched by its subscripts, which were tested.
func Element[T any](x T, _ ...int) T { return x }

// Ends is the first and the last value of `DO i = lo, hi, step`, as many as there are.
func Ends(lo, hi, step int) []int {
	switch n := Count(lo, hi, step); n {
	case 0:
		return nil
	case 1:
		return []int{lo}
	default:
		return []int{lo, lo + (n-1)*step}
	}
}

// Fails reports whether a test of subscripts fails, without telling. All PEs call it
// together.
func (pe *PE) Fails(tests func()) (failed bool) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Fault, noCharacter:
			failed, pe.together = true, false
		default:
			panic(v)
		}
	}()
	tests()
	return false
}

// Fetch is an element, from the PE that owns it. All PEs call it together. It is of
// check builds, and no message that a proof counts on.
func (a *Array[T]) Fetch(idx ...int) T {
	root := a.Layout.OwnerFor(0, idx)
	var x T
	if a.pe.id == root {
		off := 0
		for d, dim := range a.geo.piece(root) {
			off += dim.at(idx[d])
		}
		x = a.Data[off]
	}
	return Bcast(a.pe, -1, root, x)
}

// Int32 is x as an INTEGER(4), in which it must fit. what is the operation that makes it.
func Int32(x int, what string) int32 {
	if x != int(int32(x)) {
		overflow(what, strconv.Itoa(x))
	}
	return int32(x)
}

// Pow32 is PowInt of an INTEGER(4), which must fit in one.
func Pow32(x int32, n int, what string) int32 {
	if x >= -1 && x <= 1 || n < 0 {
		return PowInt(x, n)
	}
	y := 1
	for range n { // ends within 31 steps
		if y *= int(x); y != int(int32(y)) {
			overflow(what, "too large")
		}
	}
	return int32(y)
}

// Trunc32 is Trunc to an INTEGER(4), in which x must fit.
func Trunc32[F floating](x F, what string) int32 {
	if n := Trunc[int](x); n == int(int32(n)) {
		return int32(n)
	}
	overflow(what, strconv.FormatFloat(float64(x), 'g', -1, 64))
	return 0
}

func overflow(what, value string) {
	panic(&Fault{
		Msg:  fmt.Sprintf("integer overflow: %s is %s", what, value),
		Hint: fmt.Sprintf("INTEGER holds %d to %d", math.MinInt32, math.MaxInt32),
	})
}
