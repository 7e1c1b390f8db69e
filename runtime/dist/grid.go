package dist

import "fmt"

// Grid is the shape of a PROCESSORS arrangement. The product of its entries is
// the number of PEs. PE ids count from 0 and are column-major: the first grid
// dimension varies fastest, as in Fortran's array element order.
type Grid []int

// Size is the number of PEs of the grid.
func (g Grid) Size() int {
	n := 1
	for _, extent := range g {
		n *= extent
	}
	return n
}

// Coord is the coordinate, from 0, of a PE in a grid dimension, from 0.
func (g Grid) Coord(pe, dim int) int {
	for _, extent := range g[:dim] {
		pe /= extent
	}
	return pe % g[dim]
}

// PE is the id of the PE with the given coordinates, one for each dimension.
func (g Grid) PE(coords ...int) int {
	pe, weight := 0, 1
	for d, extent := range g {
		pe += coords[d] * weight
		weight *= extent
	}
	return pe
}

// Fit makes a PROCESSORS arrangement of np PEs. The declared shape is kept if
// it multiplies to np (entries below 1 count as 1). Otherwise the rank is kept
// and np is factored as evenly as its divisors allow, larger factors where the
// larger declared extents are: 4 x 2 on 6 PEs becomes 3 x 2, on 7 PEs 7 x 1.
// The result depends on the arguments only. It panics if np < 1.
func Fit(declared []int, np int) Grid {
	if np < 1 {
		panic(fmt.Sprintf("dist: a grid of %d PEs", np))
	}
	shape := make(Grid, max(1, len(declared)))
	size := 1
	for d := range shape {
		shape[d] = 1
		if d < len(declared) {
			shape[d] = max(1, declared[d])
		}
		if size <= np { // beyond it the product cannot match any more
			size *= min(shape[d], np+1)
		}
	}
	if size == np {
		return shape
	}
	factors := evenFactors(np, len(shape))
	// Hand out the factors, which descend, by descending declared extent; the
	// earlier dimension first where extents are equal.
	fitted := make(Grid, len(shape))
	for _, f := range factors {
		best := -1
		for d := range shape {
			if fitted[d] == 0 && (best < 0 || shape[d] > shape[best]) {
				best = d
			}
		}
		fitted[best] = f
	}
	return fitted
}

// evenFactors writes n as a product of rank factors, descending, with the
// smallest sum: the most even split that the divisors of n allow.
func evenFactors(n, rank int) []int {
	if rank == 1 {
		return []int{n}
	}
	var best []int
	bestSum := 0
	for f := n; f >= 1; f-- {
		if n%f != 0 || !atMost(n/f, f, rank-1) {
			continue
		}
		rest := evenFactors(n/f, rank-1)
		if rest[0] > f {
			continue // not descending: found again with another first factor
		}
		sum := f
		for _, r := range rest {
			sum += r
		}
		if best == nil || sum < bestSum {
			best, bestSum = append([]int{f}, rest...), sum
		}
	}
	return best
}

// atMost reports whether n <= f**k, without overflow: else f cannot be the
// largest of the k+1 factors.
func atMost(n, f, k int) bool {
	for ; k > 0 && n > 1; k-- {
		n = (n + f - 1) / f
	}
	return n <= 1
}
