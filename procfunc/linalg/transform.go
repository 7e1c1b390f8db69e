package linalg

import (
	"fmt"
	"math/big"
	"strings"
)

// Transform is a map from positions of a processor grid to sets of positions,
// the (k+1)x(k+1) matrix of the paper's section 3.2: a position p of k
// dimensions, written (p_1, ..., p_k, 1), goes to all q with
//
//	q_i = T(i,1)*p_1 + ... + T(i,k)*p_k + some element of T(i,k+1)
//
// The coefficients are exact rationals. The last column holds triplets: single
// positions, lo:hi:step, or U. A row whose last entry is U has coefficients 0,
// for U absorbs what is added to it. Positions that are no integers do not
// exist: the rows [ 1/2 0 ] takes the odd positions nowhere.
//
// It is immutable. Grids of producers and consumers may differ in rank.
type Transform struct {
	coef   [][]*big.Rat // rows x cols
	offset []Triplet    // rows
	cols   int
}

// NewTransform makes the transform of len(offset) rows over cols dimensions
// from the coefficient in row i and column j, both from 0, and the offsets. It
// keeps the coefficients, which must not be written to later.
func NewTransform(cols int, offset []Triplet, coef func(i, j int) *big.Rat) Transform {
	t := Transform{offset: append([]Triplet(nil), offset...), cols: cols}
	for i := range offset {
		row := make([]*big.Rat, cols)
		for j := range row {
			if row[j] = zero; !offset[i].All {
				row[j] = coef(i, j)
			}
		}
		t.coef = append(t.coef, row)
	}
	return t
}

// IdentityTransform takes every position of k dimensions to itself.
func IdentityTransform(k int) Transform {
	offset := make([]Triplet, k)
	for i := range offset {
		offset[i] = Point(Integer(0))
	}
	return NewTransform(k, offset, func(i, j int) *big.Rat {
		if i == j {
			return one
		}
		return new(big.Rat)
	})
}

// Everywhere takes every position of cols dimensions to every position of rows.
func Everywhere(rows, cols int) Transform {
	offset := make([]Triplet, rows)
	for i := range offset {
		offset[i] = U()
	}
	return NewTransform(cols, offset, nil)
}

// Rows is the number of dimensions that positions are taken to, Cols that they
// are taken from; the homogeneous row and column are not counted.
func (t Transform) Rows() int { return len(t.offset) }
func (t Transform) Cols() int { return t.cols }

// Coef is a copy of the coefficient in row i and column j, both from 0.
func (t Transform) Coef(i, j int) *big.Rat { return new(big.Rat).Set(t.coef[i][j]) }

// Offset is the last entry of row i, from 0.
func (t Transform) Offset(i int) Triplet { return t.offset[i] }

// Row is row i applied to sets, one for each column: a superset of what q_i can
// be for p in their product; exact reports that it is known to be no more.
func (t Transform) Row(i int, p []Triplet) (q Triplet, exact bool) {
	q, exact = t.offset[i], true
	for j, k := range t.coef[i] {
		if k.Sign() != 0 {
			var ok bool
			image := p[j]
			if k.Cmp(one) != 0 {
				image = image.Image(k, Form{})
			}
			q, ok = q.Plus(image)
			exact = exact && ok
		}
	}
	return q, exact
}

// Mul is the product t*u: u first, then t. Sums of two triplets are supersets
// where exact is false; see Triplet.Plus. It panics unless t has as many
// columns as u has rows.
func (t Transform) Mul(u Transform) (product Transform, exact bool) {
	if t.cols != u.Rows() {
		panic(fmt.Sprintf("linalg: product of transforms of %d and %d dimensions", t.cols, u.Rows()))
	}
	exact = true
	offset := make([]Triplet, t.Rows())
	for i := range offset {
		var ok bool
		offset[i], ok = t.Row(i, u.offset)
		exact = exact && ok
	}
	product = NewTransform(u.cols, offset, func(i, j int) *big.Rat {
		sum := zero
		for m, k := range t.coef[i] {
			if x := u.coef[m][j]; k.Sign() != 0 && x.Sign() != 0 {
				x = new(big.Rat).Mul(k, x)
				sum = x.Add(x, sum)
			}
		}
		return sum
	})
	return product, exact
}

// Equal reports whether t and u have the same shape and entries.
func (t Transform) Equal(u Transform) bool {
	if t.cols != u.cols || t.Rows() != u.Rows() {
		return false
	}
	for i := range t.coef {
		if !t.offset[i].Equal(u.offset[i]) || !t.sameRow(u, i) {
			return false
		}
	}
	return true
}

func (t Transform) sameRow(u Transform, i int) bool {
	for j := range t.coef[i] {
		if cmp(t.coef[i][j], u.coef[i][j]) != 0 {
			return false
		}
	}
	return true
}

func (t Transform) constantRow(i int) bool {
	for _, k := range t.coef[i] {
		if k.Sign() != 0 {
			return false
		}
	}
	return true
}

// Hull is the smallest transform of this shape known to contain both: a row in
// which they differ is U.
func (t Transform) Hull(u Transform) Transform {
	offset := append([]Triplet(nil), t.offset...)
	for i := range offset {
		if !t.offset[i].Equal(u.offset[i]) || !t.sameRow(u, i) {
			offset[i] = U()
		}
	}
	return NewTransform(t.cols, offset, t.Coef)
}

// Rule is the reason why a row of one transform contains that of another: the
// number of the condition in the paper's Check for Condition 3, 0 for none.
type Rule int

// Covers is the paper's Check for Condition 3, for next in the place of the
// identity matrix (section 4): t takes every position of domain to a superset
// of what next takes it to, if for each row i
//
//  1. the coefficients are equal, and next's offset is inside t's; or
//  2. t's offset is U; or
//  3. t's coefficients are 0, and what next makes of domain in this dimension
//     is inside t's offset.
//
// With next the identity these are the three conditions as printed. within says
// when one triplet is inside another. The rules say for each row which
// condition holds; ok is false when some row has none.
func (t Transform) Covers(next Transform, domain []Triplet, within func(a, b Triplet) bool) (rules []Rule, ok bool) {
	if t.Rows() != next.Rows() || t.cols != next.cols {
		return nil, false
	}
	ok = true
	for i := range t.offset {
		rule := Rule(0)
		switch {
		case t.offset[i].All:
			rule = 2
		case t.sameRow(next, i) && within(next.offset[i], t.offset[i]):
			rule = 1
		case t.constantRow(i):
			if image, _ := next.Row(i, domain); within(image, t.offset[i]) {
				rule = 3
			}
		}
		rules, ok = append(rules, rule), ok && rule != 0
	}
	return rules, ok
}

// Cells are the entries as texts, the homogeneous row included.
func (t Transform) Cells() [][]string {
	var cells [][]string
	for i := range t.coef {
		row := make([]string, 0, t.cols+1)
		for _, k := range t.coef[i] {
			row = append(row, k.RatString())
		}
		cells = append(cells, append(row, t.offset[i].String()))
	}
	last := make([]string, t.cols+1)
	for j := range last {
		last[j] = "0"
	}
	last[t.cols] = "1"
	return append(cells, last)
}

// String writes one row per line, "[ 0 1 -1 ]", columns aligned on the right,
// without a final newline.
func (t Transform) String() string {
	return Grid(t.Cells())
}

// Grid writes the entries of a matrix, one row per line in brackets, columns
// aligned on the right, without a final newline. Rows are equally long.
func Grid(cells [][]string) string {
	width := make([]int, len(cells[0]))
	for _, row := range cells {
		for j, s := range row {
			width[j] = max(width[j], len(s))
		}
	}
	var lines []string
	for _, row := range cells {
		line := "["
		for j, s := range row {
			line += fmt.Sprintf(" %*s", width[j], s)
		}
		lines = append(lines, line+" ]")
	}
	return strings.Join(lines, "\n")
}
