package spmd

import "github.com/spmdc/spmdc/runtime/transport"

// A reduction of elements combines, for each element of a section of a replicated array,
// the values that the PEs have of it, in the order of PEs, and leaves the same bits on
// every PE: one operation for what would be one reduction for each element. Every PE
// takes part, with an empty section too, and like that of a scalar it orders all PEs.

// SumElements makes each element of the box the sum of what the PEs have there.
func SumElements[T summable](pe *PE, site int, a *Array[T], box Box) {
	reduceElements(pe, site, a, box, adding, combine[T](&sums))
}

// ProdElements makes each element of the box the product of what the PEs have there.
func ProdElements[T summable](pe *PE, site int, a *Array[T], box Box) {
	reduceElements(pe, site, a, box, multiplying, combine[T](&products))
}

// MaxElements makes each element of the box the largest that a PE has there, by the rule
// of Larger.
func MaxElements[T number](pe *PE, site int, a *Array[T], box Box) {
	reduceElements(pe, site, a, box, wordwise, combine[T](&maxima))
}

// MinElements makes each element of the box the smallest that a PE has there, by the rule
// of Smaller.
func MinElements[T number](pe *PE, site int, a *Array[T], box Box) {
	reduceElements(pe, site, a, box, wordwise, combine[T](&minima))
}

// AndElements makes each element of the box true if it is true on all PEs.
func AndElements(pe *PE, site int, a *Array[bool], box Box) {
	reduceElements(pe, site, a, box, wordwise, func(a, b uint64) uint64 { return a & b })
}

// OrElements makes each element of the box true if it is true on some PE.
func OrElements(pe *PE, site int, a *Array[bool], box Box) {
	reduceElements(pe, site, a, box, wordwise, func(a, b uint64) uint64 { return a | b })
}

// FillElements stores x in the elements of the box; in check builds those that have no
// value yet stay without one.
func FillElements[T any](pe *PE, a *Array[T], x T, box Box) {
	var m transport.Move
	if !a.boxed(box, &m) {
		return
	}
	at := m.Src
	offsets(&m, m.Rank-1, at, func(at int) {
		if !pe.prog.Check || !undefined(a.Data[at]) {
			a.Data[at] = x
		}
	})
}

// offsets calls f with the offsets of the elements that m names at its source, up to a level
// of its loops.
func offsets(m *transport.Move, level, at int, f func(at int)) {
	if level < 0 {
		f(at)
		return
	}
	for range m.N[level] {
		offsets(m, level-1, at, f)
		at += m.SrcStride[level]
	}
}

// boxed describes the elements of a box that the array has: from where they lie to a
// run without gaps. It reports false if there are none.
func (a *Array[T]) boxed(box Box, m *transport.Move) bool {
	*m = transport.Move{}
	n := 1
	for d := range box {
		dim := &a.Dims[d]
		lo, hi := max(box[d].Lo, dim.Lo), min(box[d].Hi(), dim.Lo+dim.N-1)
		if box[d].Empty() || hi < lo {
			return false
		}
		m.Src += (lo - dim.Lo) * dim.Stride
		m.Loop(hi-lo+1, dim.Stride, n)
		n *= hi - lo + 1
	}
	return true
}

// fold is a reduction of elements that is under way.
type fold[T element] struct {
	parts [2]part[T] // of the latest two, since others may still read what the last one made
	turn  int        // which of them is at hand, the same on all PEs
	how   manner
	words func(acc, word uint64) uint64 // nil for values of several words, which how says all of
	check bool
	// own, unless it is nil, names the elements of contributions that this PE combines, and where
	// each is in its sum; picked is room for them.
	own    *transport.Move
	picked []T
}

// part is what a PE has of one reduction.
type part[T element] struct {
	own    transport.Slice[T] // what it contributes
	sum    []T                // of all contributions so far
	exact  []uint64           // in check builds: sum, in words, so that only the result has to fit
	result []T                // in check builds: what came out
}

// Take takes the sum of another PE.
func (f *fold[T]) Take(other transport.Folder) {
	mine, theirs := &f.parts[f.turn], &other.(*fold[T]).parts[f.turn]
	copy(mine.sum, theirs.sum)
	copy(mine.exact, theirs.exact)
}

// Alike reports whether all PEs combine all elements.
func (f *fold[T]) Alike() bool { return f.own == nil }

// Fold takes the contribution of PE pe.
func (f *fold[T]) Fold(pe int, part transport.Memory) {
	x, all := part.(*transport.Slice[T]).Data, &f.parts[f.turn]
	if f.own != nil {
		x = f.owned(x)
	}
	switch {
	case f.check:
		for i, x := range x {
			switch {
			case pe == 0 && f.words == nil:
				all.sum[i] = x
			case pe == 0:
				all.exact[i], all.sum[i] = toWord(x), x
			case undefined(x) || undefined(all.sum[i]):
				all.sum[i] = x
				undefine(all.sum[i : i+1])
			case f.words == nil:
				f.how.into(all.sum[i:i+1], []T{x})
			default:
				all.exact[i] = f.words(all.exact[i], toWord(x))
			}
		}
	case pe == 0:
		copy(all.sum, x)
	case f.how != wordwise:
		f.how.into(all.sum, x)
	default:
		for i, x := range x {
			all.sum[i] = fromWord[T](f.words(toWord(all.sum[i]), toWord(x)))
		}
	}
}

// owned is the elements of a contribution that this PE combines, one after another.
func (f *fold[T]) owned(x []T) []T {
	n := len(f.parts[f.turn].sum)
	if n == 0 {
		return nil
	}
	if m := f.own; m.Rank == 0 || m.Rank == 1 && m.SrcStride[0] == 1 {
		return x[m.Src:][:n]
	}
	transport.Copy(f.picked, x, f.own)
	return f.picked
}

// room makes room for a reduction of n elements.
func (f *fold[T]) room(pe *PE, n int) *part[T] {
	f.turn = 1 - f.turn
	x := &f.parts[f.turn]
	x.sum = resized(pe, x.sum, n)
	if f.check {
		x.exact, x.result = resized(pe, x.exact, n), resized(pe, x.result, n)
	}
	return x
}

// total ends a reduction: it is what came out.
func (f *fold[T]) total(x *part[T]) []T {
	if !f.check {
		return x.sum
	}
	x.finish(f.words != nil)
	return x.result
}

// finish ends a reduction of a check build; exact reports whether the sums are in words.
func (x *part[T]) finish(exact bool) {
	if !exact {
		copy(x.result, x.sum)
		return
	}
	for i, w := range x.exact[:len(x.sum)] {
		if x.result[i] = x.sum[i]; undefined(x.sum[i]) {
			continue
		}
		if _, ok := any(x.sum[i]).(int32); ok {
			Int32(int(w), "the sum or product over all PEs")
		}
		x.result[i] = fromWord[T](w)
	}
}

func reduceElements[T element](pe *PE, site int, a *Array[T], box Box, how manner, words func(acc, word uint64) uint64) {
	f, _ := a.fold.(*fold[T])
	if f == nil {
		f = &fold[T]{check: pe.prog.Check}
		a.fold = f
	}
	var m transport.Move
	n := 0
	if a.boxed(box, &m) {
		n = m.Count()
	}
	if f.how, f.words = how, words; wordsOf[T]() > 1 {
		f.words = nil
	}
	f.combine(pe, site, a.Data, &m, n)
}

// combine combines the n elements of data that m names.
func (f *fold[T]) combine(pe *PE, site int, data []T, m *transport.Move, n int) {
	x := f.room(pe, n)
	own := &x.own
	own.Data = resized(pe, own.Data, n)
	if n > 0 {
		transport.Copy(own.Data, data, m)
	}

	c := pe.count(site)
	c.Calls++
	c.Data += int64(pe.n - 1)
	c.Bytes += int64((pe.n - 1) * n * own.ElemSize())
	pe.t.ReduceAll(site, own, f)
	pe.acks.met()
	pe.synchronised()

	if n > 0 {
		back := *m
		back.Src, back.Dst, back.SrcStride, back.DstStride = m.Dst, m.Src, m.DstStride, m.SrcStride
		transport.Copy(data, f.total(x), &back)
	}
}

// resized is s with n elements, of any value.
func resized[T any](pe *PE, s []T, n int) []T {
	if cap(s) < n {
		return Room[T](pe, n+n/4)[:n]
	}
	return s[:n]
}

// manner is how contributions are combined: those that are most frequent without a call for
// each element. It is no function, since one with a type parameter would be allocated.
type manner uint8

const (
	wordwise manner = iota
	adding
	multiplying
)

// into makes acc = acc op x; both are slices of the same type of numbers.
func (k manner) into(acc, x any) {
	switch acc := acc.(type) {
	case []float64:
		combineInto(k, acc, x.([]float64))
	case []float32:
		combineInto(k, acc, x.([]float32))
	case []int:
		combineInto(k, acc, x.([]int))
	case []int32:
		combineInto(k, acc, x.([]int32))
	case []complex128:
		pairsInto(k, acc, x.([]complex128), mul128)
	case []complex64:
		pairsInto(k, acc, x.([]complex64), mul64)
	}
}

func combineInto[T number](k manner, acc, x []T) {
	if k == adding {
		addInto(acc, x)
	} else {
		multiplyInto(acc, x)
	}
}

func addInto[T number](acc, x []T) {
	x = x[:len(acc)]
	for i := range acc {
		acc[i] += x[i]
	}
}

func multiplyInto[T number](acc, x []T) {
	x = x[:len(acc)]
	for i := range acc {
		acc[i] *= x[i]
	}
}

func pairsInto[T pair](k manner, acc, x []T, multiply func(x, y T) T) {
	x = x[:len(acc)]
	if k == adding {
		for i := range acc {
			acc[i] += x[i]
		}
		return
	}
	for i := range acc {
		acc[i] = multiply(acc[i], x[i])
	}
}

// onePair is the reduction of a COMPLEX scalar, which is that of one element.
type onePair[T pair] struct{ fold fold[T] }

func (o *onePair[T]) reduce(pe *PE, site int, x T, how manner) T {
	o.fold.how, o.fold.check = how, pe.prog.Check
	box := [1]T{x}
	o.fold.combine(pe, site, box[:], &transport.Move{}, 1)
	return box[0]
}

// mul64 and mul128 are elementary.Mul64 and Mul128, in copy: every program comes with this
// package, and only those that compute with elementary functions with that one.
func mul64(x, y complex64) complex64 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float32(a*c)-float32(b*d), float32(a*d)+float32(b*c))
}

func mul128(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}
