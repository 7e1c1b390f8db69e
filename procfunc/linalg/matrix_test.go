package linalg

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestMatrixString(t *testing.T) {
	half, _ := NewMatrix(2, 2, 2, 0, 0, -10).Inverse()
	for _, c := range []struct {
		m    Matrix
		want string
	}{
		{Identity(2), "[ 1 0 ]\n[ 0 1 ]"},
		{half, "[ 1/2     0 ]\n[   0 -1/10 ]"},
		{NewMatrix(1, 3, 1, -20, 3), "[ 1 -20 3 ]"},
	} {
		if got := c.m.String(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// The position map of A(2*i) = B(i+1): the owner p = 2i of A's element receives
// from p' = i + 1, so p' = (p+2)/2, and inverted p = 2p' - 2.
func TestMatrixOfAStridedShift(t *testing.T) {
	toB := MatrixOf(2, 2, func(i, j int) *big.Rat {
		return [][]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 1)}, {new(big.Rat), big.NewRat(1, 1)}}[i][j]
	})
	inv, ok := toB.Inverse()
	if want := NewMatrix(2, 2, 2, -2, 0, 1); !ok || !inv.Equal(want) {
		t.Fatalf("inverse is\n%v\nwant\n%v", inv, want)
	}
	got := toB.Apply([]*big.Rat{big.NewRat(6, 1), big.NewRat(1, 1)})
	if got[0].Cmp(big.NewRat(4, 1)) != 0 || got[1].Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("A's position 6 receives from %v, want 4", got[0])
	}
}

func TestMatrixWithoutInverse(t *testing.T) {
	for _, m := range []Matrix{
		NewMatrix(2, 2, 1, 2, 2, 4),
		NewMatrix(1, 1, 0),
		NewMatrix(2, 3, 1, 0, 0, 0, 1, 0),
	} {
		if inv, ok := m.Inverse(); ok {
			t.Errorf("\n%v\nhas the inverse\n%v", m, inv)
		}
	}
}

func TestMatrixEntriesAreCopies(t *testing.T) {
	m := Identity(1)
	m.At(0, 0).SetInt64(5)
	x := big.NewRat(1, 1)
	n := MatrixOf(1, 1, func(_, _ int) *big.Rat { return x })
	x.SetInt64(7)
	if !m.Equal(Identity(1)) || !n.Equal(Identity(1)) {
		t.Errorf("a caller changed a matrix: %v %v", m, n)
	}
}

func TestMatrixShapeMistakesPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"entries": func() { NewMatrix(2, 2, 1) },
		"empty":   func() { Identity(0) },
		"product": func() { Identity(2).Mul(Identity(3)) },
		"apply":   func() { Identity(2).Apply(nil) },
		"at":      func() { NewMatrix(2, 2, 1, 2, 3, 4).At(0, 2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestMatrixLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		draw := func(name string) Matrix {
			return NewMatrix(n, n, rapid.SliceOfN(rapid.Int64Range(-3, 3), n*n, n*n).Draw(t, name)...)
		}
		a, b, c := draw("a"), draw("b"), draw("c")
		if !a.Mul(b).Mul(c).Equal(a.Mul(b.Mul(c))) {
			t.Fatal("the product is not associative")
		}
		if !a.Mul(Identity(n)).Equal(a) || !Identity(n).Mul(a).Equal(a) {
			t.Fatal("the identity changes a")
		}
		inv, ok := a.Inverse()
		if ok && (!inv.Mul(a).Equal(Identity(n)) || !a.Mul(inv).Equal(Identity(n))) {
			t.Fatalf("\n%v\nis no inverse of\n%v", inv, a)
		}
		binv, bok := b.Inverse()
		if abinv, abok := a.Mul(b).Inverse(); abok != (ok && bok) {
			t.Fatal("a product is invertible exactly when its factors are")
		} else if abok && !abinv.Equal(binv.Mul(inv)) {
			t.Fatal("the inverse of a*b is not b^-1 * a^-1")
		}
	})
}
