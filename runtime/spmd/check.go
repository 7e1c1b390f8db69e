package spmd

import (
	"fmt"
	"math"
)

// The undefined values of check builds: arrays and scalars hold them until they
// are assigned, and Def recognises them. A program that computes exactly this
// NaN, or this integer, would be blamed wrongly; no Fortran program of 32-bit
// integers can, and no arithmetic makes this payload.
var (
	UndefFloat64 = math.Float64frombits(undefDouble)
	UndefFloat32 = math.Float32frombits(undefSingle)
)

const (
	UndefInt    = math.MinInt
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
	case []int:
		fill(data, UndefInt)
	}
}

func fill[T any](data []T, x T) {
	for i := range data {
		data[i] = x
	}
}

// Def is x, which must have been assigned: it panics if x is the undefined
// value of its type. what names it as the source does. LOGICAL values have no
// undefined value.
func Def[T any](x T, what string) T {
	undefined := false
	switch x := any(x).(type) {
	case float64:
		undefined = math.Float64bits(x) == undefDouble
	case float32:
		undefined = math.Float32bits(x) == undefSingle
	case int:
		undefined = x == UndefInt
	case string:
		undefined = x == UndefString
	}
	if undefined {
		panic(&Fault{Msg: what + " is used before it has a value", Hint: "assign it first"})
	}
	return x
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
		case *Fault:
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

// Int32 is x, which must be a value of INTEGER(4). what names the expression.
func Int32(x int, what ...string) int {
	if x != int(int32(x)) {
		name := "the result"
		if len(what) > 0 {
			name = what[0]
		}
		panic(&Fault{
			Msg:  fmt.Sprintf("integer overflow: %s is %d", name, x),
			Hint: fmt.Sprintf("INTEGER holds %d to %d", math.MinInt32, math.MaxInt32),
		})
	}
	return x
}
