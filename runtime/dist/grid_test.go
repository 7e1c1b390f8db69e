package dist

import (
	"slices"
	"testing"
)

func TestFitKeepsRankAndSize(t *testing.T) {
	for np := 1; np <= 64; np++ {
		for _, declared := range [][]int{nil, {4}, {2, 2}, {4, 2}, {0, -3}, {1, 1000}, {2, 2, 2}, {1, 4, 2}, {3, 1, 1, 2}} {
			g := Fit(declared, np)
			if g.Size() != np || len(g) != max(1, len(declared)) {
				t.Errorf("Fit(%v, %d) = %v", declared, np, g)
			}
			if !slices.Equal(g, Fit(declared, np)) {
				t.Errorf("Fit(%v, %d) is not deterministic", declared, np)
			}
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		declared []int
		np       int
		want     Grid
	}{
		{[]int{4}, 7, Grid{7}},
		{[]int{4, 2}, 8, Grid{4, 2}}, // fits as declared
		{[]int{1, 8}, 8, Grid{1, 8}},
		{[]int{4, 2}, 6, Grid{3, 2}},
		{[]int{2, 4}, 6, Grid{2, 3}}, // larger factor where declared larger
		{[]int{4, 2}, 7, Grid{7, 1}},
		{[]int{2, 2}, 12, Grid{4, 3}},
		{[]int{2, 2}, 72, Grid{9, 8}},
		{[]int{2, 2, 2}, 30, Grid{5, 3, 2}},
		{[]int{2, 0}, 2, Grid{2, 1}}, // NUMBER_OF_PROCESSORS()/4 on few PEs
		{[]int{1 << 40, 1 << 40}, 4, Grid{2, 2}},
	} {
		if got := Fit(c.declared, c.np); !slices.Equal(got, c.want) {
			t.Errorf("Fit(%v, %d) = %v, want %v", c.declared, c.np, got, c.want)
		}
	}
}

// No factorisation of the same rank is more even than the one chosen.
func TestFitIsAsEvenAsPossible(t *testing.T) {
	for np := 1; np <= 48; np++ {
		got := Fit([]int{-1, -1, -1}, np)
		if np == 1 {
			continue
		}
		for a := 1; a <= np; a++ {
			for b := 1; a*b <= np; b++ {
				if np%(a*b) == 0 && a+b+np/a/b < got[0]+got[1]+got[2] {
					t.Errorf("Fit on %d PEs = %v, more even is %d x %d x %d", np, got, a, b, np/a/b)
				}
			}
		}
	}
}

func TestCoordinatesAreColumnMajor(t *testing.T) {
	g := Grid{3, 2, 2}
	pe := 0
	for k := range g[2] {
		for j := range g[1] {
			for i := range g[0] {
				if g.Coord(pe, 0) != i || g.Coord(pe, 1) != j || g.Coord(pe, 2) != k || g.PE(i, j, k) != pe {
					t.Errorf("PE %d: coordinates %d %d %d, want %d %d %d", pe, g.Coord(pe, 0), g.Coord(pe, 1), g.Coord(pe, 2), i, j, k)
				}
				pe++
			}
		}
	}
}
