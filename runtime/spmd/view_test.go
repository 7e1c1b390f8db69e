package spmd

import (
	"slices"
	"testing"
)

// TestEvery: the loop that Every is made for visits exactly the elements at,
// at+by, ..., n of them, whatever the sign of by, with a count and without; and a
// part that would leave the data, or stand still, panics before the loop.
func TestEvery(t *testing.T) {
	const size = 12
	v := View[int]{Data: make([]int, size)}
	for i := range v.Data {
		v.Data[i] = i
	}
	fits, fails := 0, 0
	for at := -3; at < size+3; at++ {
		for by := -5; by <= 5; by++ {
			for n := 1; n <= size+1; n++ {
				var want []int
				for e := range n {
					want = append(want, at+e*by)
				}
				last := want[n-1]
				if by == 0 && n > 1 || min(at, last) < 0 || max(at, last) >= size {
					fails++
					func() {
						defer func() {
							if recover() == nil {
								t.Errorf("Every(%d, %d, %d) of %d elements does not panic", at, n, by, size)
							}
						}()
						v.Every(at, n, by)
					}()
					continue
				}
				fits++
				part, k, step := v.Every(at, n, by)
				var got, counted []int
				first := k
				for ; k < uint(len(part)) && len(got) <= n; k += step {
					got = append(got, part[k])
				}
				for e, k := 0, first; e < n && k < uint(len(part)); e, k = e+1, k+step {
					counted = append(counted, part[k])
				}
				if !slices.Equal(got, want) || !slices.Equal(counted, want) {
					t.Errorf("Every(%d, %d, %d): a loop over it visits %v, want %v", at, n, by, got, want)
				}
				if bound := max(at, last) - min(at, last) + 1; len(part) != bound {
					t.Errorf("Every(%d, %d, %d) has %d elements, want %d", at, n, by, len(part), bound)
				}
			}
		}
	}
	if fits < 200 || fails < 200 {
		t.Errorf("%d parts fit and %d do not: the ranges above are wrong", fits, fails)
	}
}
