package dist

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// elements enumerates a triplet by its definition.
func elements(t Triplet) []int {
	var list []int
	for k := range max(0, t.N) {
		list = append(list, t.Lo+k*t.Step)
	}
	return list
}

// small is all triplets with small parameters, the empty one once.
func small() []Triplet {
	list := []Triplet{{}}
	for lo := -5; lo <= 5; lo++ {
		for step := 1; step <= 6; step++ {
			for n := 1; n <= 4; n++ {
				if n > 1 || step == 1 {
					list = append(list, Triplet{lo, step, n})
				}
			}
		}
	}
	return list
}

// fromSet is the canonical triplet of an ascending list in arithmetic progression.
func fromSet(t *testing.T, list []int) Triplet {
	t.Helper()
	switch len(list) {
	case 0:
		return Triplet{}
	case 1:
		return Triplet{list[0], 1, 1}
	}
	got := Triplet{list[0], list[1] - list[0], len(list)}
	if !slices.Equal(elements(got), list) {
		t.Fatalf("%v is not a progression", list)
	}
	return got
}

func TestRangeIsTheSetOfDO(t *testing.T) {
	for lo := -7; lo <= 7; lo++ {
		for hi := -7; hi <= 7; hi++ {
			for step := -5; step <= 5; step++ {
				if step == 0 {
					continue
				}
				var want []int
				for i := lo; step > 0 && i <= hi || step < 0 && i >= hi; i += step {
					want = append(want, i)
				}
				slices.Sort(want)
				if got := Range(lo, hi, step); got != fromSet(t, want) {
					t.Errorf("Range(%d,%d,%d) = %+v, want %v", lo, hi, step, got, want)
				}
			}
		}
	}
}

func TestRangeGuardsOverflow(t *testing.T) {
	all := Range(math.MinInt, math.MaxInt, 1)
	if all.Empty() || all.Hi() < 0 || all.Lo > 0 {
		t.Errorf("the range of all integers is %+v", all)
	}
	if got := Range(math.MaxInt, math.MinInt, math.MinInt); got.N != 1 {
		t.Errorf("one step of -MinInt: %+v", got)
	}
	if got := Range(3, math.MaxInt, math.MaxInt); got != Single(3) {
		t.Errorf("one step of MaxInt: %+v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("step 0 did not panic")
		}
	}()
	Range(1, 2, 0)
}

func TestContainsAndIndex(t *testing.T) {
	for _, s := range small() {
		list := elements(s)
		for i := -40; i <= 40; i++ {
			k := slices.Index(list, i)
			if s.Contains(i) != (k >= 0) {
				t.Errorf("%v contains %d: %v", s, i, s.Contains(i))
			}
			if k >= 0 && s.Index(i) != k {
				t.Errorf("%v: index of %d is %d, want %d", s, i, s.Index(i), k)
			}
		}
		if s.N > 0 && s.Hi() != list[len(list)-1] {
			t.Errorf("%v: Hi %d", s, s.Hi())
		}
	}
}

func TestIntersectExact(t *testing.T) {
	for _, a := range small() {
		for _, b := range small() {
			var want []int
			for _, i := range elements(a) {
				if b.Contains(i) {
					want = append(want, i)
				}
			}
			if got := a.Intersect(b); got != fromSet(t, want) {
				t.Fatalf("%v & %v = %+v, want %v", a, b, got, want)
			}
		}
	}
}

func TestPreimageAndImageExact(t *testing.T) {
	for _, s := range small() {
		for a := -6; a <= 6; a++ {
			for b := -4; b <= 4; b++ {
				var image []int
				for _, x := range elements(s) {
					if !slices.Contains(image, a*x+b) {
						image = append(image, a*x+b)
					}
				}
				slices.Sort(image)
				if got := s.Image(a, b); got != fromSet(t, image) {
					t.Fatalf("%d*(%v)+%d = %+v, want %v", a, s, b, got, image)
				}
				if a == 0 {
					continue
				}
				var pre []int
				for x := -50; x <= 50; x++ {
					if s.Contains(a*x + b) {
						pre = append(pre, x)
					}
				}
				if got := s.Preimage(a, b); got != fromSet(t, pre) {
					t.Fatalf("{x: %d*x+%d in %v} = %+v, want %v", a, b, s, got, pre)
				}
			}
		}
	}
}

func TestHullAndGrow(t *testing.T) {
	for _, a := range small() {
		for _, b := range small() {
			both := append(elements(a), elements(b)...)
			want := Triplet{}
			if len(both) > 0 {
				want = Range(slices.Min(both), slices.Max(both), 1)
			}
			if got := a.Hull(b); got != want {
				t.Fatalf("hull of %v and %v is %+v, want %+v", a, b, got, want)
			}
		}
		grown := a.Grow(2, 1)
		want := len(elements(a)) + 3
		if a.Empty() {
			want = 0
		}
		if grown.N != want || !a.Empty() && (grown.Index(a.Lo) != 2 || !grown.Contains(a.Hi())) {
			t.Errorf("%v grown by 2 and 1 is %+v", a, grown)
		}
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		t    Triplet
		want string
	}{{Triplet{}, "empty"}, {Single(-3), "-3"}, {Range(1, 4, 1), "1:4"}, {Range(9, 1, -4), "1:9:4"}} {
		if got := c.t.String(); got != c.want {
			t.Errorf("%+v prints %q, want %q", c.t, got, c.want)
		}
	}
}

// With steps near the limits the intersection has at most one element, and the
// arithmetic must not overflow on the way to it.
func TestIntersectLargeSteps(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		big := rapid.IntRange(1, limit/2)
		s, u := big.Draw(r, "s"), big.Draw(r, "u")
		lo := rapid.IntRange(-limit/2, limit/2)
		a := Range(lo.Draw(r, "alo"), limit, s)
		b := Range(lo.Draw(r, "blo"), limit, u)
		got := a.Intersect(b)
		if got != b.Intersect(a) {
			t.Fatalf("%+v & %+v is not symmetric", a, b)
		}
		if got.N > 0 && !(a.Contains(got.Lo) && b.Contains(got.Lo) && a.Contains(got.Hi()) && b.Contains(got.Hi())) {
			t.Fatalf("%+v & %+v = %+v, which is not in both", a, b, got)
		}
		if s > limit/64 { // few elements: enumerate
			n := 0
			for _, i := range elements(a) {
				if b.Contains(i) {
					n++
				}
			}
			if got.N != n {
				t.Fatalf("%+v & %+v = %+v, want %d elements", a, b, got, n)
			}
		}
	})
}

// Cut leaves no number out, and ends the first part at the first of the numbers.
func TestCut(t *testing.T) {
	all := Range(3, 30, 3)
	for _, at := range [][]int{nil, {0}, {3}, {4}, {12}, {27}, {30}, {31}, {12, 6}, {12, 7, 31}} {
		var got []int
		parts := 0
		for it, rest := all.Cut(at...); it.N > 0; it, rest = rest.Cut(at...) {
			parts++
			for k := range it.N {
				x := it.Lo + k*it.Step
				got = append(got, x)
				for _, y := range at {
					if x == y && k != it.N-1 {
						t.Errorf("Cut(%v): %d is in the midst of %v", at, x, it)
					}
				}
			}
		}
		if len(got) != all.N || got[0] != all.Lo || got[len(got)-1] != all.Hi() {
			t.Errorf("Cut(%v) gives %v", at, got)
		}
		inside := 0
		for _, y := range at {
			if all.Contains(y) && y != all.Hi() {
				inside++
			}
		}
		if parts != inside+1 {
			t.Errorf("Cut(%v): %d parts", at, parts)
		}
	}
}

// TestLag: the parts that lag behind strips are all of the set, none twice, and what is in
// one is moved by the distance from its strip.
func TestLag(t *testing.T) {
	for n := range 12 {
		all := Range(3, 3+2*(n-1), 2)
		for size := 1; size <= 5; size++ {
			for by := range 4 {
				for _, down := range []bool{false, true} {
					strip, lag, dir := all.Strip, all.Lag, 1
					if down {
						strip, lag, dir = all.StripDown, all.LagDown, -1
					}
					seen := map[int]int{}
					for k := range all.Strips(size) {
						own := strip(k, size)
						for x := range each(lag(k, size, by)) {
							seen[x]++
							if written := x - dir*2*by; all.Contains(written) && !own.Contains(written) {
								t.Errorf("%v, strip %d of %d, %d behind, down %v: %d is not of the strip", all, k, size, by, down, x)
							}
						}
					}
					for x := range each(all) {
						if seen[x] != 1 {
							t.Errorf("%v, strips of %d, %d behind, down %v: %d is in %d parts", all, size, by, down, x, seen[x])
						}
					}
					if len(seen) != max(0, all.N) {
						t.Errorf("%v, strips of %d, %d behind, down %v: %v", all, size, by, down, seen)
					}
				}
			}
		}
	}
}

func each(t Triplet) map[int]bool {
	out := map[int]bool{}
	for k := range max(0, t.N) {
		out[t.Lo+k*t.Step] = true
	}
	return out
}

// TestBehind: a nest that stays behind another one gets every iteration once, in order, and
// none before the other is so far ahead.
func TestBehind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		triplet := func(name string) Triplet {
			return Range(rapid.IntRange(-5, 20).Draw(t, name), rapid.IntRange(-5, 30).Draw(t, name), rapid.IntRange(1, 4).Draw(t, name))
		}
		all, mine := triplet("first"), triplet("second")
		size, delay := rapid.IntRange(1, 9).Draw(t, "size"), rapid.IntRange(0, 3).Draw(t, "delay")
		var got []int
		rest := mine
		for strip, last := 0, false; !last; strip++ {
			last = strip+1 >= all.Strips(size)
			done := all.Strip(strip, size)
			var part Triplet
			part, rest = rest.Behind(done, delay, last)
			for i := range part.N {
				got = append(got, part.Lo+i*part.Step)
				if x := part.Lo + i*part.Step; !last && x+delay > done.Hi() {
					t.Fatalf("%d comes when the first has done %d", x, done.Hi())
				}
			}
			if !last && !rest.Empty() && rest.Lo+delay <= done.Hi() {
				t.Fatalf("%d waits though the first has done %d", rest.Lo, done.Hi())
			}
		}
		var want []int
		for i := range mine.N {
			want = append(want, mine.Lo+i*mine.Step)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v and %v in strips of %d: %v, want %v", all, mine, size, got, want)
		}
	})
}

// TestNth: the iterations of a loop, in its order.
func TestNth(t *testing.T) {
	for _, c := range [][3]int{{1, 10, 3}, {10, 1, -3}, {5, 5, -1}, {7, 2, -1}, {0, 12, 4}} {
		x := c[0]
		all := Range(c[0], c[1], c[2])
		for k := range all.N {
			if got := all.Nth(k, c[2]); got != x {
				t.Errorf("iteration %d of %v is %d, not %d", k, c, got, x)
			}
			x += c[2]
		}
	}
}
