package spmd

import "math"

// number is the types that have a largest and a smallest, summable those that have sums and
// products, element all those of which a reduction combines the elements of arrays.
type (
	number   interface{ integer | floating }
	pair     interface{ complex64 | complex128 }
	summable interface{ number | pair }
	element  interface{ summable | bool }
)

// All-PE reductions gather the contributions at PE 0, combine them there in the
// order of PE ids, and hand the same bits to every PE, so that control that
// depends on the result stays single-valued. The order, and hence the rounding,
// depends on the number of PEs only.
//
// They need no ready message: a PE contributes again only after it has read
// the last result, and the next result is made only after every PE has
// contributed again. Each half of a reduction answers the other. Every PE takes
// part in every reduction, even with nothing to add; plans rely on that.

// Sum is the sum of x over all PEs.
func Sum[T summable](pe *PE, site int, x T) T { return reduce(pe, site, x, adding, &sums) }

// Prod is the product of x over all PEs.
func Prod[T summable](pe *PE, site int, x T) T { return reduce(pe, site, x, multiplying, &products) }

// Max is the largest x of all PEs, by the rule of Larger.
func Max[T number](pe *PE, site int, x T) T { return reduce(pe, site, x, wordwise, &maxima) }

// Min is the smallest x of all PEs, by the rule of Smaller.
func Min[T number](pe *PE, site int, x T) T { return reduce(pe, site, x, wordwise, &minima) }

// And reports whether x is true on all PEs.
func And(pe *PE, site int, x bool) bool {
	return pe.reduce(site, fromBool(x), func(a, b uint64) uint64 { return a & b }) != 0
}

// Or reports whether x is true on some PE.
func Or(pe *PE, site int, x bool) bool {
	return pe.reduce(site, fromBool(x), func(a, b uint64) uint64 { return a | b }) != 0
}

// operation is one reduction on the bit patterns of each element type.
type operation struct {
	ints, singles, doubles func(acc, word uint64) uint64
}

var (
	sums = operation{
		func(a, b uint64) uint64 { return a + b },
		func(a, b uint64) uint64 { return fromSingle(single(a) + single(b)) },
		func(a, b uint64) uint64 { return math.Float64bits(double(a) + double(b)) },
	}
	products = operation{
		func(a, b uint64) uint64 { return a * b },
		func(a, b uint64) uint64 { return fromSingle(single(a) * single(b)) },
		func(a, b uint64) uint64 { return math.Float64bits(double(a) * double(b)) },
	}
	maxima = operation{
		func(a, b uint64) uint64 { return uint64(max(int(a), int(b))) },
		func(a, b uint64) uint64 { return fromSingle(Larger(single(a), single(b))) },
		func(a, b uint64) uint64 { return math.Float64bits(Larger(double(a), double(b))) },
	}
	minima = operation{
		func(a, b uint64) uint64 { return uint64(min(int(a), int(b))) },
		func(a, b uint64) uint64 { return fromSingle(Smaller(single(a), single(b))) },
		func(a, b uint64) uint64 { return math.Float64bits(Smaller(double(a), double(b))) },
	}
)

func double(w uint64) float64     { return math.Float64frombits(w) }
func single(w uint64) float32     { return math.Float32frombits(uint32(w)) }
func fromSingle(x float32) uint64 { return uint64(math.Float32bits(x)) }

func fromBool(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

// toWord and fromWord carry values as words, but for COMPLEX ones, which do not fit.
func toWord[T element](x T) uint64 {
	switch x := any(x).(type) {
	case float64:
		return math.Float64bits(x)
	case float32:
		return fromSingle(x)
	case int:
		return uint64(x)
	case int32:
		return uint64(x) // with its sign, so that words compare and add as ints
	case bool:
		return fromBool(x)
	}
	panic("unreachable")
}

func fromWord[T element](w uint64) T {
	var x T
	switch p := any(&x).(type) {
	case *float64:
		*p = double(w)
	case *float32:
		*p = single(w)
	case *int:
		*p = int(w)
	case *int32:
		*p = int32(w)
	case *bool:
		*p = w != 0
	}
	return x
}

// wordsOf is how many words hold a value: two that of COMPLEX, one for each part. wordOf is
// one of them, setWord replaces one.
func wordsOf[T element]() int {
	switch any(*new(T)).(type) {
	case complex64, complex128:
		return 2
	}
	return 1
}

func wordOf[T element](x T, k int) uint64 {
	switch z := any(x).(type) {
	case complex128:
		return toWord([2]float64{real(z), imag(z)}[k])
	case complex64:
		return toWord([2]float32{real(z), imag(z)}[k])
	}
	return toWord(x)
}

func setWord[T element](x *T, k int, w uint64) {
	switch z := any(x).(type) {
	case *complex128:
		parts := [2]float64{real(*z), imag(*z)}
		parts[k] = double(w)
		*z = complex(parts[0], parts[1])
	case *complex64:
		parts := [2]float32{real(*z), imag(*z)}
		parts[k] = single(w)
		*z = complex(parts[0], parts[1])
	default:
		*x = fromWord[T](w)
	}
}

// combine is the operation on words that hold values of type T, or the parts of one.
func combine[T element](op *operation) func(acc, word uint64) uint64 {
	switch any(*new(T)).(type) {
	case float64, complex128:
		return op.doubles
	case float32, complex64:
		return op.singles
	}
	return op.ints
}

func reduce[T summable](pe *PE, site int, x T, how manner, op *operation) T {
	switch x := any(x).(type) {
	case complex64:
		return any(pe.single.reduce(pe, site, x, how)).(T)
	case complex128:
		return any(pe.double.reduce(pe, site, x, how)).(T)
	}
	if pe.prog.Check && undefined(x) {
		// Nobody has added to what has no value: it is undefined on all PEs, and stays so.
		pe.reduce(site, 0, func(a, _ uint64) uint64 { return a })
		return x
	}
	all := pe.reduce(site, toWord(x), combine[T](op))
	if _, ok := any(x).(int32); ok && pe.prog.Check {
		Int32(int(all), "the sum or product over all PEs")
	}
	return fromWord[T](all)
}

// reduce counts and performs a reduction of words.
func (pe *PE) reduce(site int, word uint64, combine func(acc, word uint64) uint64) uint64 {
	c := pe.count(site)
	c.Calls++
	pe.collective(c, 0, 8)
	if pe.id != 0 {
		c.Data++
		c.Bytes += 8
	}
	all := pe.t.Reduce(site, word, combine)
	pe.acks.met()
	pe.synchronised()
	return all
}

// collective counts the messages by which root hands something to all others.
func (pe *PE) collective(c *Counts, root int, bytes int64) {
	if pe.id == root {
		c.Data += int64(pe.n - 1)
		c.Bytes += int64(pe.n-1) * bytes
	}
}

// Bcast returns root's x on every PE.
func Bcast[T any](pe *PE, site int, root int, x T) T {
	c := pe.count(site)
	c.Calls++
	pe.collective(c, root, 8)
	switch x := any(x).(type) {
	case float64:
		return any(double(pe.t.Broadcast(site, root, math.Float64bits(x)))).(T)
	case float32:
		return any(single(pe.t.Broadcast(site, root, fromSingle(x)))).(T)
	case int:
		return any(int(pe.t.Broadcast(site, root, uint64(x)))).(T)
	case int32:
		return any(int32(pe.t.Broadcast(site, root, uint64(x)))).(T)
	case bool:
		return any(pe.t.Broadcast(site, root, fromBool(x)) != 0).(T)
	}
	var own []byte
	if pe.id == root {
		own = packed(x)
	}
	return unpacked(pe.t.Share(site, root, own))[0].(T)
}
