package spmd

import "github.com/spmdc/spmdc/runtime/transport"

// Reductions that stand together are one operation, with one message where each alone
// would have one:
//
//	pe.ReduceAll(7, spmd.SumOf(s), spmd.MaxOf(big))
//	s, big = spmd.Reduced(pe, 0, s), spmd.Reduced(pe, 1, big)
//
// Each value is combined as by Sum, Max, and so on: in the order of PEs, with the same
// bits on every PE.

// Term is a value to be combined with those of the other PEs, and how.
type Term struct {
	word    uint64
	combine func(acc, word uint64) uint64
	// first, of an extreme with its place: whether values, of which those of the place follow,
	// come before others. place is a value of one.
	first func(values, others []uint64) bool
	place bool
	// undefined: nobody has added to what has no value, as far as this PE can tell.
	undefined bool
}

// SumOf is a term of which the sum is wanted.
func SumOf[T number](x T) Term { return term(x, &sums) }

// ProdOf is a term of which the product is wanted.
func ProdOf[T number](x T) Term { return term(x, &products) }

// MaxOf is a term of which the largest is wanted, by the rule of Larger.
func MaxOf[T number](x T) Term { return term(x, &maxima) }

// MinOf is a term of which the smallest is wanted, by the rule of Smaller.
func MinOf[T number](x T) Term { return term(x, &minima) }

// AndOf is a term of which is wanted whether it is true on all PEs.
func AndOf(x bool) Term {
	return Term{word: fromBool(x), combine: func(a, b uint64) uint64 { return a & b }}
}

// OrOf is a term of which is wanted whether it is true on some PE.
func OrOf(x bool) Term {
	return Term{word: fromBool(x), combine: func(a, b uint64) uint64 { return a | b }}
}

func term[T number](x T, op *operation) Term {
	return Term{word: toWord(x), combine: combine[T](op), undefined: undefined(x)}
}

// MaxAt is a term of which the largest is wanted, with its place: the terms PlaceOf that
// follow, which have the values that they have on the PE where it is. Of equal values that is
// the PE where the first ties values of the place, all INTEGER, are least, compared one after
// another. A NaN is larger than nothing.
func MaxAt[T number](x T, ties int) Term {
	return at(x, ties, func(a, b T) bool { return a > b })
}

// MinAt is MaxAt for the smallest; nothing is larger than a NaN.
func MinAt[T number](x T, ties int) Term {
	return at(x, ties, func(a, b T) bool { return a < b })
}

// PlaceOf is a value of the place of the extreme in front of it.
func PlaceOf[T number | bool](x T) Term { return Term{word: toWord(x), place: true} }

func at[T number](x T, ties int, better func(a, b T) bool) Term {
	return Term{word: toWord(x), undefined: undefined(x), first: func(values, others []uint64) bool {
		v, o := fromWord[T](values[0]), fromWord[T](others[0])
		if v != o {
			return better(v, o)
		}
		for i := 1; i <= ties; i++ {
			if v, o := int(values[i]), int(others[i]); v != o {
				return v < o
			}
		}
		return false
	}}
}

// ReduceAll combines several terms over all PEs. Every PE takes part, with the same kinds
// of terms; it orders all PEs.
func (pe *PE) ReduceAll(site int, terms ...Term) {
	f := &pe.terms
	f.list = append(f.list[:0], terms...)
	f.turn = 1 - f.turn
	f.all[f.turn] = resized(pe, f.all[f.turn], len(terms))
	own := &f.own[f.turn]
	own.Data = own.Data[:0]
	for i := range f.list {
		own.Data = append(own.Data, f.list[i].word)
	}
	c := pe.count(site)
	c.Calls++
	c.Data += int64(pe.n - 1)
	c.Bytes += int64((pe.n - 1) * 8 * len(terms))
	pe.t.ReduceAll(site, own, f)
	pe.acks.met()
	pe.synchronised()
}

// Reduced is the result of term i of the last ReduceAll; x is what this PE passed.
func Reduced[T number | bool](pe *PE, i int, x T) T {
	f := &pe.terms
	if pe.prog.Check && f.list[i].undefined {
		return x
	}
	if _, ok := any(x).(int32); ok && pe.prog.Check {
		Int32(int(f.all[f.turn][i]), "the sum or product over all PEs")
	}
	return fromWord[T](f.all[f.turn][i])
}

// terms are the reductions of ReduceAll.
type terms struct {
	own  [2]transport.Slice[uint64] // what this PE contributes, to the latest two
	all  [2][]uint64                // what came out of these, which others may still read
	turn int                        // which of the two is at hand, the same on all PEs
	list []Term
}

// Take takes what another PE has combined.
func (f *terms) Take(other transport.Folder) { copy(f.all[f.turn], other.(*terms).all[f.turn]) }

// Alike reports that all PEs get the same.
func (f *terms) Alike() bool { return true }

// Fold takes the contribution of PE pe.
func (f *terms) Fold(pe int, part transport.Memory) {
	all, words := f.all[f.turn], part.(*transport.Slice[uint64]).Data
	if pe == 0 {
		copy(all, words)
		return
	}
	for i := 0; i < len(words); i++ {
		t := &f.list[i]
		if t.first == nil {
			all[i] = t.combine(all[i], words[i])
			continue
		}
		end := i + 1
		for end < len(words) && f.list[end].place {
			end++
		}
		if t.first(words[i:end], all[i:end]) {
			copy(all[i:end], words[i:end])
		}
		i = end - 1
	}
}
