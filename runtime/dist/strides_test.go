package dist

import "testing"

// TestNextStride: no two elements share a place, columns that are long enough begin on cache
// lines, and their distances are not multiples of what crowds a cache; short ones have no
// gaps.
func TestNextStride(t *testing.T) {
	for _, size := range []int{1, 4, 8, 16} {
		for _, n := range [][]int{{3, 100}, {64, 64}, {256, 256}, {100, 3}, {1000, 1000}, {128, 128, 128}, {2, 2, 512}, {512}, {1, 512, 4}, {130, 3, 0}} {
			stride, inner := 1, 1 // inner: elements up to here
			for d := range n {
				if stride < inner {
					t.Errorf("%v of %d bytes: stride %d of axis %d, which %d elements lie in", n, size, stride, d, inner)
				}
				bytes := stride * size
				switch {
				case d == 0 || n[d-1] == 1:
				case inner*size < worthwhile && stride != inner:
					t.Errorf("%v of %d bytes: a gap on axis %d", n, size, d)
				case inner*size >= worthwhile && (bytes%line != 0 || bytes%crowded == 0):
					t.Errorf("%v of %d bytes: %d bytes from one to the next on axis %d", n, size, bytes, d)
				}
				inner = stride * max(1, n[d])
				stride = NextStride(stride, n[d], size)
			}
		}
	}
}
