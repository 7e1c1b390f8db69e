package dist

import (
	"slices"
	"testing"
)

// Plus holds every sum, starts and ends with one, and no coarser progression
// holds them all.
func TestPlusHoldsEverySum(t *testing.T) {
	for _, a := range small() {
		for _, b := range small() {
			var sums []int
			for _, x := range elements(a) {
				for _, y := range elements(b) {
					sums = append(sums, x+y)
				}
			}
			got := a.Plus(b)
			if len(sums) == 0 {
				if got != (Triplet{}) {
					t.Fatalf("%v + %v = %+v, want nothing", a, b, got)
				}
				continue
			}
			step := 0
			for _, s := range sums {
				if !got.Contains(s) {
					t.Fatalf("%v + %v = %v lacks %d", a, b, got, s)
				}
				if d := s - got.Lo; d > 0 {
					step = gcd(d, step)
				}
			}
			if got.Lo != slices.Min(sums) || got.Hi() != slices.Max(sums) || got.Step != max(step, 1) {
				t.Fatalf("%v + %v = %v, want ends %d and %d, step %d", a, b, got, slices.Min(sums), slices.Max(sums), step)
			}
		}
	}
}
