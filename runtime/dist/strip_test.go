package dist

import "testing"

// TestStrips: strips of a set follow each other, from the one end or the other, and
// have all its elements.
func TestStrips(t *testing.T) {
	for _, set := range []Triplet{{}, Single(5), Range(1, 10, 1), Range(-3, 20, 4), Range(1, 12, 3)} {
		for n := 1; n <= 12; n++ {
			up, down := []int{}, []int{}
			for k := range set.Strips(n) {
				u, d := set.Strip(k, n), set.StripDown(k, n)
				if u.N < 1 || u.N > n || d.N != u.N {
					t.Fatalf("%v: strip %d of %d elements: %v, %v", set, k, n, u, d)
				}
				for i := range u.N {
					up, down = append(up, u.Lo+i*u.Step), append(down, d.Hi()-i*d.Step)
				}
			}
			if len(up) != set.N {
				t.Fatalf("%v in strips of %d has %d elements", set, n, len(up))
			}
			for i := range up {
				if want := set.Lo + i*set.Step; up[i] != want || down[set.N-1-i] != want {
					t.Errorf("%v in strips of %d: element %d is %d, from above %d", set, n, i, up[i], down[set.N-1-i])
				}
			}
			if set.Strip(-1, n) != set || set.StripDown(-1, n) != set {
				t.Errorf("%v: all of it is something else", set)
			}
			if k := set.Strips(n); !set.Strip(k, n).Empty() || !set.StripDown(k, n).Empty() {
				t.Errorf("%v: there is a strip %d of %d", set, k, n)
			}
		}
	}
}
