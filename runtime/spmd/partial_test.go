package spmd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestFoldSum: sums have the order of Fold, bit for bit, and the neutral values of a sum
// and a product leave no trace.
func TestFoldSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	add := func(x, y float64) float64 { return x + y }
	for range 200 {
		for _, n := range []int{1, 2, 16, 32} {
			p, q := make([]float64, n), make([]float64, n)
			for i := range p {
				p[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(20)))
				q[i] = p[i]
			}
			if got, want := FoldSum(p), Fold(q, add); got != want {
				t.Fatalf("%d values: %v, want %v", n, got, want)
			}
		}
	}
	zero := math.Copysign(0, -1)
	var p [16]float64
	Spread(p[:], zero)
	if x := FoldSum(p[:]); !math.Signbit(x) || x != 0 || Changed(p[:], zero) {
		t.Errorf("the sum of nothing is %v", x)
	}
	p[5] = 0
	if !Changed(p[:], zero) {
		t.Error("0.0 is taken for -0.0")
	}
	Spread(p[:], 1)
	if x := FoldProduct(p[:]); x != 1 {
		t.Errorf("the product of nothing is %v", x)
	}
	p[3], p[9] = 3, 5
	if x := FoldProduct(p[:]); x != 15 {
		t.Errorf("product %v", x)
	}
	var k [32]int32
	Spread(k[:], math.MaxInt32)
	if x := FoldSum(k[:]); x != -32 {
		t.Errorf("integers wrap to %d", x)
	}
}

// TestRow: rows of pieces of BLOCK and CYCLIC axes, overlap included, begin with 0 and
// are consecutive.
func TestRow(t *testing.T) {
	for _, format := range []dist.Format{dist.Block, dist.Blocks(8), dist.Cyclic} {
		if _, err := Run(sites(1), 3, nil, nil, func(pe *PE) {
			shadow := [][2]int{{0, 0}}
			if format.IsBlock() {
				shadow[0] = [2]int{2, 1}
			}
			a := NewArray[float64](pe, "a", dist.NewLayout(dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: 20, Grid: 0, Format: format, TLo: 1, THi: 20, A: 1}}}, pe.Grid(0)), shadow)
			pe.Start()
			own := a.Owned(0)
			for k := range own.N {
				i := own.Lo + k*own.Step
				if a.Row(0, i) != a.At1(i) || k > 0 && a.Row(0, i) != a.Row(0, i-own.Step)+1 {
					t.Errorf("%v on PE %d: row of %d is %d", format, pe.ID(), i, a.Row(0, i))
				}
			}
		}); err != nil {
			t.Error(err)
		}
	}
}

// TestApart: elements of two columns, and of a piece.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		at, n int
		want  bool
	}{{0, 10, true}, {-1, 3, false}, {1, 10, false}, {9, 1, true}, {10, 0, true}} {
		if Within(c.at, c.n, 10) != c.want {
			t.Errorf("Within(%d, %d, 10) is %t", c.at, c.n, !c.want)
		}
	}
	for _, c := range []struct {
		a, b, n int
		want    bool
	}{{0, 0, 1, false}, {0, 1, 1, true}, {5, 1, 4, true}, {5, 1, 5, false}, {1, 5, 4, true}, {1, 4, 4, false}} {
		if Apart(c.a, c.b, c.n) != c.want {
			t.Errorf("Apart(%d, %d, %d) is %t", c.a, c.b, c.n, !c.want)
		}
	}
}
