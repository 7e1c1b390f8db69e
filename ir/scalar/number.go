package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// number is what is known of an integer: nothing, its residue by a modulus, or its
// value. The zero value is nothing.
type number struct {
	kind  numberKind
	value int64 // of a residue from 0 to the modulus - 1
}

type numberKind uint8

const (
	unknown numberKind = iota
	residue
	exact
)

// largest is the largest value that is kept as such. Beyond it an INTEGER(4) may wrap,
// which leaves residues alone only where the modulus is a power of two.
const largest = largestConstant

// most is how many values an expression may have before it is taken for unknown.
const most = 8

// numbers does arithmetic with residues by a modulus.
type numbers struct{ modulus int64 }

func (m numbers) wraps() bool { return m.modulus&(m.modulus-1) == 0 }

// of is the exact number v, or what is kept of it.
func (m numbers) of(v int64) number {
	switch {
	case v >= -largest && v <= largest:
		return number{exact, v}
	case m.wraps():
		return m.residue(v)
	}
	return number{}
}

func (m numbers) residue(v int64) number {
	return number{residue, (v%m.modulus + m.modulus) % m.modulus}
}

// coarse is what is known of x by its residue alone.
func (m numbers) coarse(x number) number {
	if x.kind == exact {
		return m.residue(x.value)
	}
	return x
}

// may reports whether x and y may be the same, and whether they may differ.
func (m numbers) may(x, y number) (same, differ bool) {
	switch {
	case x.kind == exact && y.kind == exact:
		return x.value == y.value, x.value != y.value
	case x.kind == unknown || y.kind == unknown:
		return true, true
	}
	return m.coarse(x) == m.coarse(y), true
}

// combine is x op y. With another modulus than a power of two nothing is known of
// products, and of sums unless one operand is a small constant: they might wrap, as
// those of random number generators do.
func (m numbers) combine(op ir.Op, x, y number) number {
	if x.kind == exact && y.kind == exact {
		switch {
		case op == ir.Add:
			return m.of(x.value + y.value)
		case op == ir.Sub:
			return m.of(x.value - y.value)
		case op == ir.Mul:
			return m.of(x.value * y.value)
		case op == ir.Div && y.value != 0:
			return number{exact, x.value / y.value}
		}
		return number{}
	}
	a, b := m.coarse(x), m.coarse(y)
	known := a.kind == residue && b.kind == residue
	switch {
	case !m.wraps() && (op == ir.Mul || !factor(x) && !factor(y)):
	case op == ir.Add && known:
		return m.residue(a.value + b.value)
	case op == ir.Sub && known:
		return m.residue(a.value - b.value)
	case op == ir.Mul && (known || a == number{residue, 0} || b == number{residue, 0}):
		return m.residue(a.value * b.value) // 0 times anything is 0
	}
	return number{}
}

// factor reports whether x is a constant as the factors of affine forms are.
func factor(x number) bool {
	return x.kind == exact && max(x.value, -x.value) <= largestFactor
}

// remainder lists the values of mod(x, y), or of modulo(x, y) if floor is set; nil if
// they are not known.
func (m numbers) remainder(x, y number, floor bool) []number {
	if y.kind != exact || y.value == 0 || floor && y.value < 0 {
		return nil
	}
	n := max(y.value, -y.value)
	switch {
	case x.kind == exact:
		r := x.value % y.value
		if floor && r < 0 {
			r += n
		}
		return []number{{exact, r}}
	case x.kind == residue && m.modulus%n == 0:
		r := x.value % n
		if floor || r == 0 {
			return []number{{exact, r}}
		}
		return []number{{exact, r}, {exact, r - n}} // of a positive number, of a negative one
	}
	return nil
}

// each lists f of all pairs of xs and ys, without repetition; nil if one of them is
// not known, or they are too many.
func each(xs, ys []number, f func(x, y number) []number) []number {
	var out []number
	for _, x := range xs {
		for _, y := range ys {
			list := f(x, y)
			if len(list) == 0 {
				return nil
			}
			for _, z := range list {
				if z.kind == unknown {
					return nil
				}
				if !slices.Contains(out, z) {
					out = append(out, z)
				}
			}
		}
	}
	if len(out) > most {
		return nil
	}
	return out
}
