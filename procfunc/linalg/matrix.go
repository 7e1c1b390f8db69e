package linalg

import (
	"fmt"
	"math/big"
	"strings"
)

// Matrix is a dense matrix of exact rationals with at least one row and one
// column. It is immutable: operations return new matrices and the entries
// handed out are copies. The zero Matrix has no shape and is only fit to be
// assigned to.
type Matrix struct {
	rows, cols int
	a          []*big.Rat // row by row; never nil, never shared with a caller
}

// NewMatrix returns the rows x cols matrix with the given integer entries, row
// by row. It panics unless there are rows*cols of them.
func NewMatrix(rows, cols int, entries ...int64) Matrix {
	if len(entries) != rows*cols {
		panic(fmt.Sprintf("linalg: %d entries for a %d x %d matrix", len(entries), rows, cols))
	}
	return build(rows, cols, func(i, j int) *big.Rat {
		return new(big.Rat).SetInt64(entries[i*cols+j])
	})
}

// MatrixOf returns the rows x cols matrix whose entry in row i and column j,
// both from 0, is entry(i, j), which is copied.
func MatrixOf(rows, cols int, entry func(i, j int) *big.Rat) Matrix {
	return build(rows, cols, func(i, j int) *big.Rat { return new(big.Rat).Set(entry(i, j)) })
}

// Identity returns the n x n identity matrix.
func Identity(n int) Matrix {
	return build(n, n, func(i, j int) *big.Rat {
		if i == j {
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	})
}

// build is MatrixOf for entries that the matrix may keep.
func build(rows, cols int, entry func(i, j int) *big.Rat) Matrix {
	if rows < 1 || cols < 1 {
		panic(fmt.Sprintf("linalg: no %d x %d matrix", rows, cols))
	}
	m := Matrix{rows, cols, make([]*big.Rat, rows*cols)}
	for i := range rows {
		for j := range cols {
			m.a[i*cols+j] = entry(i, j)
		}
	}
	return m
}

// Rows is the number of rows.
func (m Matrix) Rows() int { return m.rows }

// Cols is the number of columns.
func (m Matrix) Cols() int { return m.cols }

// At is a copy of the entry in row i and column j, both from 0.
func (m Matrix) At(i, j int) *big.Rat { return new(big.Rat).Set(m.at(i, j)) }

func (m Matrix) at(i, j int) *big.Rat {
	if i < 0 || i >= m.rows || j < 0 || j >= m.cols {
		panic(fmt.Sprintf("linalg: entry (%d, %d) of a %d x %d matrix", i, j, m.rows, m.cols))
	}
	return m.a[i*m.cols+j]
}

// Equal reports whether m and b have the same shape and entries.
func (m Matrix) Equal(b Matrix) bool {
	if m.rows != b.rows || m.cols != b.cols {
		return false
	}
	for k := range m.a {
		if m.a[k].Cmp(b.a[k]) != 0 {
			return false
		}
	}
	return true
}

// Mul returns the product m*b. It panics unless m has as many columns as b has
// rows.
func (m Matrix) Mul(b Matrix) Matrix {
	if m.cols != b.rows {
		panic(fmt.Sprintf("linalg: product of %d x %d and %d x %d matrices", m.rows, m.cols, b.rows, b.cols))
	}
	var prod big.Rat
	return build(m.rows, b.cols, func(i, j int) *big.Rat {
		sum := new(big.Rat)
		for k := range m.cols {
			sum.Add(sum, prod.Mul(m.at(i, k), b.at(k, j)))
		}
		return sum
	})
}

// Inverse returns the inverse of m, or false when m is not square or singular.
// It is Gauss-Jordan elimination; exact arithmetic needs no pivoting for
// accuracy, so the first nonzero pivot of a column serves.
func (m Matrix) Inverse() (Matrix, bool) {
	if m.rows != m.cols {
		return Matrix{}, false
	}
	n := m.rows
	left := MatrixOf(n, n, m.at)
	right := Identity(n)
	for c := range n {
		p := c
		for p < n && left.at(p, c).Sign() == 0 {
			p++
		}
		if p == n {
			return Matrix{}, false
		}
		left.swapRows(p, c)
		right.swapRows(p, c)
		inv := new(big.Rat).Inv(left.at(c, c))
		left.scaleRow(c, inv)
		right.scaleRow(c, inv)
		for r := range n {
			if r == c || left.at(r, c).Sign() == 0 {
				continue
			}
			k := new(big.Rat).Neg(left.at(r, c))
			left.addRow(r, c, k)
			right.addRow(r, c, k)
		}
	}
	return right, true
}

// The row operations work in place; only Inverse uses them, on its own copies.

func (m Matrix) row(i int) []*big.Rat { return m.a[i*m.cols : (i+1)*m.cols] }

func (m Matrix) swapRows(i, j int) {
	if i == j {
		return
	}
	a, b := m.row(i), m.row(j)
	for k := range a {
		a[k], b[k] = b[k], a[k]
	}
}

func (m Matrix) scaleRow(i int, k *big.Rat) {
	for _, x := range m.row(i) {
		x.Mul(x, k)
	}
}

// addRow adds k times row j to row i.
func (m Matrix) addRow(i, j int, k *big.Rat) {
	a, b := m.row(i), m.row(j)
	var prod big.Rat
	for c := range a {
		a[c].Add(a[c], prod.Mul(k, b[c]))
	}
}

// Apply returns m times the column vector x. It panics unless x has as many
// entries as m has columns.
func (m Matrix) Apply(x []*big.Rat) []*big.Rat {
	if len(x) != m.cols {
		panic(fmt.Sprintf("linalg: a %d x %d matrix applied to %d entries", m.rows, m.cols, len(x)))
	}
	y := m.Mul(MatrixOf(len(x), 1, func(i, _ int) *big.Rat { return x[i] }))
	return y.a
}

// String writes one row per line, "[ 1/2 -3 ]", columns aligned on the right,
// without a final newline.
func (m Matrix) String() string {
	width := make([]int, m.cols)
	for i := range m.rows {
		for j := range m.cols {
			width[j] = max(width[j], len(m.at(i, j).RatString()))
		}
	}
	var b strings.Builder
	for i := range m.rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte('[')
		for j := range m.cols {
			fmt.Fprintf(&b, " %*s", width[j], m.at(i, j).RatString())
		}
		b.WriteString(" ]")
	}
	return b.String()
}
