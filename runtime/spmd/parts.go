package spmd

import (
	"math"

	"github.com/spmdc/spmdc/runtime/transport"
)

// Parts is a place for each element of a distributed array on each PE, where PEs accumulate
// into elements that others own:
//
//	fParts.Start(0)
//	for k := range node {
//		fParts.Data[fParts.At1(node[k])] += x
//	}
//	spmd.SumParts(pe, 6, fParts)
//
// Elements begin with their values at their owners, and with the neutral value elsewhere. In
// the end each owner combines what the PEs have of its elements, in the order of PEs. A PE that
// runs alone accumulates into the array itself.
type Parts[T element] struct {
	View[T]

	pe   *PE
	of   *Array[T]
	all  [2]transport.Slice[T] // of the latest two reductions, since others may still read the last one
	n    int                   // elements that the PE owns
	in   transport.Move        // their way from the array
	own  transport.Move        // from the parts to a list
	out  transport.Move        // from a list to the array
	fold fold[T]
}

// NewParts makes the parts of an array.
func NewParts[T element](pe *PE, a *Array[T]) *Parts[T] {
	p := &Parts[T]{pe: pe, of: a}
	p.fold.check, p.fold.own = pe.prog.Check, &p.own
	return p
}

// Start begins to accumulate, where zero is the neutral value.
func (p *Parts[T]) Start(zero T) {
	if p.pe.n == 1 {
		p.View = p.of.View
		return
	}
	p.lay()
	all := &p.all[1-p.fold.turn]
	all.Data = resized(p.pe, all.Data, cells(p.Dims))
	for i := range all.Data {
		all.Data[i] = zero
	}
	if p.n > 0 {
		transport.Copy(all.Data, p.of.Data, &p.in)
	}
	p.Data = all.Data
}

// StartMax begins to accumulate the largest values, StartMin the smallest: from NaN, which
// loses against any number, or from the integer at that end of the type.
func StartMax[T number](p *Parts[T]) { p.Start(last[T](false)) }

// StartMin: see StartMax.
func StartMin[T number](p *Parts[T]) { p.Start(last[T](true)) }

// last is NaN, or the largest integer of a type, or the smallest.
func last[T number](largest bool) T {
	nan := math.NaN()
	if x := T(nan); x != x {
		return x
	}
	x := T(1)
	for x > 0 {
		x += x
	}
	if largest {
		x--
	}
	return x
}

// lay lays the elements out within the bounds that the array has now.
func (p *Parts[T]) lay() {
	a := p.of
	dims := make([]Dim, len(a.Dims))
	for d, ax := range a.Layout.Axes {
		dims[d] = Dim{Lo: ax.Lo, Step: 1, N: max(0, ax.Hi-ax.Lo+1)}
	}
	pack(dims)
	p.setDims(dims)
	p.in, p.own, p.out, p.n = transport.Move{}, transport.Move{}, transport.Move{}, 0
	if !a.lies {
		return
	}
	n := 1
	for d, own := range a.own {
		if own.N == 0 {
			return
		}
		home := &a.Dims[d]
		here, by := own.Step*dims[d].Stride, home.at(own.Lo+own.Step)-home.at(own.Lo)
		p.in.Src += home.at(own.Lo)
		p.in.Dst += dims[d].at(own.Lo)
		p.in.Loop(own.N, by, here)
		p.own.Loop(own.N, here, n)
		p.out.Loop(own.N, n, by)
		n *= own.N
	}
	p.own.Src, p.out.Dst, p.n = p.in.Dst, p.in.Src, n
}

// SumParts makes each element of the array the sum of what the PEs have of it.
func SumParts[T summable](pe *PE, site int, p *Parts[T]) {
	p.combine(site, adding, combine[T](&sums))
}

// ProdParts makes each element of the array the product of what the PEs have of it.
func ProdParts[T summable](pe *PE, site int, p *Parts[T]) {
	p.combine(site, multiplying, combine[T](&products))
}

// MaxParts makes each element of the array the largest that a PE has of it, by the rule of
// Larger.
func MaxParts[T number](pe *PE, site int, p *Parts[T]) {
	p.combine(site, wordwise, combine[T](&maxima))
}

// MinParts makes each element of the array the smallest that a PE has of it, by the rule of
// Smaller.
func MinParts[T number](pe *PE, site int, p *Parts[T]) {
	p.combine(site, wordwise, combine[T](&minima))
}

// AndParts makes each element of the array true if it is true on all PEs.
func AndParts(pe *PE, site int, p *Parts[bool]) {
	p.combine(site, wordwise, func(a, b uint64) uint64 { return a & b })
}

// OrParts makes each element of the array true if it is true on some PE.
func OrParts(pe *PE, site int, p *Parts[bool]) {
	p.combine(site, wordwise, func(a, b uint64) uint64 { return a | b })
}

// combine ends the accumulation. All PEs take part; it orders all PEs.
func (p *Parts[T]) combine(site int, how manner, words func(acc, word uint64) uint64) {
	pe, f := p.pe, &p.fold
	c := pe.count(site)
	c.Calls++
	if pe.n == 1 {
		return
	}
	if f.how, f.words = how, words; wordsOf[T]() > 1 {
		f.words = nil
	}
	x := f.room(pe, p.n)
	f.picked = resized(pe, f.picked, p.n)
	all := &p.all[f.turn]
	c.Data += int64(pe.n - 1)
	c.Bytes += int64((len(all.Data) - p.n) * all.ElemSize())
	pe.t.ReduceAll(site, all, f)
	pe.acks.met()
	pe.synchronised()
	if p.n > 0 {
		transport.Copy(p.of.Data, f.total(x), &p.out)
	}
}
