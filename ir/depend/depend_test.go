package depend

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// form reads "2*i - n + 3".
func form(text string) linalg.Affine {
	sum := linalg.Const(0)
	text = strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "-", "+-")
	for term := range strings.SplitSeq(text, "+") {
		if term == "" {
			continue
		}
		k, name := int64(1), term
		if c, v, ok := strings.Cut(term, "*"); ok {
			k, _ = strconv.ParseInt(c, 10, 64)
			name = v
		} else if c, err := strconv.ParseInt(term, 10, 64); err == nil {
			k, name = c, ""
		} else if v, neg := strings.CutPrefix(term, "-"); neg {
			k, name = -1, v
		}
		var ok bool
		if name == "" {
			sum, ok = sum.Add(linalg.Const(k))
		} else {
			sum, ok = sum.Add(linalg.Term(k, name))
		}
		if !ok {
			panic("overflow in " + text)
		}
	}
	return sum
}

func forms(text, sep string) []linalg.Affine {
	var fs []linalg.Affine
	for f := range strings.SplitSeq(text, sep) {
		if f != "" {
			fs = append(fs, form(f))
		}
	}
	return fs
}

// access reads loops like "i = 1, n; j = n, 1, -1" and subscripts like
// "i, j-1", where "?" is a subscript or step that is unknown. Bounds that all
// hold are separated by "|".
func access(loops, subs string, order int) Access {
	a := Access{Order: order}
	for l := range strings.SplitSeq(loops, ";") {
		index, rest, ok := strings.Cut(l, "=")
		if !ok {
			continue
		}
		part := strings.Split(rest, ",")
		loop := Loop{Index: strings.TrimSpace(index), Lo: forms(part[0], "|"), Hi: forms(part[1], "|"), Step: 1}
		if len(part) == 3 {
			var err error
			if loop.Step, err = strconv.ParseInt(strings.TrimSpace(part[2]), 10, 64); err != nil {
				by := form(part[2])
				loop.By = &by
			}
		}
		a.Loops = append(a.Loops, loop)
	}
	for s := range strings.SplitSeq(subs, ",") {
		if strings.TrimSpace(s) == "?" {
			a.Subs = append(a.Subs, nil)
		} else {
			f := form(s)
			a.Subs = append(a.Subs, &f)
		}
	}
	return a
}

// show writes a result as "yes 1,0 (1,0)": answer, levels, distances, with "!"
// behind a certain answer.
func show(r Result) string {
	if r.Answer == No {
		return "no"
	}
	var levels, dist []string
	for _, l := range r.Levels {
		levels = append(levels, strconv.Itoa(l))
	}
	for _, d := range r.Distance {
		if d == nil {
			dist = append(dist, "*")
		} else {
			dist = append(dist, strconv.FormatInt(*d, 10))
		}
	}
	mark := ""
	if r.Certain {
		mark = "!"
	}
	return fmt.Sprintf("%v%s %s (%s)", r.Answer, mark, strings.Join(levels, ","), strings.Join(dist, ","))
}

func TestClassics(t *testing.T) {
	for _, c := range []struct {
		name             string
		srcLoops, src    string
		dstLoops, dst    string
		dstFirst         bool // dst is textually before src
		common, outer    int
		want, wantReason string
	}{
		{"recurrence, flow", "i=2,n", "i", "i=2,n", "i-1", true, 1, 0, "yes! 1 (1)", "carried by loop i with distance 1"},
		{"recurrence, anti", "i=2,n", "i-1", "i=2,n", "i", false, 1, 0, "no", "the same element is touched only in the opposite order"},
		{"same element", "i=1,n", "i", "i=1,n", "i", false, 1, 0, "yes! 0 (0)", "in the same iteration"},
		{"same element, dst first", "i=1,n", "i", "i=1,n", "i", true, 1, 0, "no", "the same element is touched only in the same iteration"},
		{"every iteration writes one element", "i=1,n", "5", "i=1,n", "5", true, 1, 0, "yes! 1 (*)", "carried by loop i"},
		{"ZIV", "i=1,n", "3", "i=1,n", "4", false, 1, 0, "no", "subscripts never equal: 3 and 4"},
		{"symbolic ZIV", "i=1,n", "m", "i=1,n", "m+1", false, 1, 0, "no", "subscripts never equal: m and m + 1"},
		{"parity", "i=1,n", "2*i", "i=1,n", "2*i+1", false, 1, 0, "no", "subscripts never equal: 2*i and 2*i' + 1 differ by an odd number"},
		{"GCD", "i=1,n", "6*i, i", "i=1,n", "4*i+3, i", false, 1, 0, "no", "subscripts 1 never equal: 6*i and 4*i' + 3 differ by an odd number"},
		{"GCD of 3", "i=1,n;j=1,n", "3*i+6*j", "i=1,n;j=1,n", "3*j+1", false, 2, 0, "no", "subscripts never equal: 3*i + 6*j and 3*j' + 1 differ by no multiple of 3"},
		{"red after black", "i=1,n,2", "i", "i=1,n,2", "i+1", false, 1, 0, "no", "subscripts never equal: i and i' + 1 differ by an odd number"},
		{"red-black in the plane", "i=2,n;j=2,n,2", "i, j", "i=2,n;j=2,n,2", "i, j-1", false, 2, 0, "no", "subscripts 2 never equal: j and j' - 1 differ by an odd number"},
		{"red-black, sweeps with their own start", "i=2,n;j=s,n,2", "i, j", "i=2,n;j=s,n,2", "i, j+1", false, 2, 0, "no", "subscripts 2 never equal: j and j' + 1 differ by an odd number"},
		{"stride 2, distance 2", "i=1,n,2", "i", "i=1,n,2", "i-2", true, 1, 0, "yes! 1 (2)", ""},
		{"out of range", "i=1,10", "i", "i=1,10", "i+10", false, 1, 0, "no", "subscripts never equal within the loop bounds: i and i' + 10"},
		{"half and half", "i=1,m", "i", "i=1,m", "i+m", false, 1, 0, "no", "subscripts never equal within the loop bounds: i and i' + m"},
		{"mirror", "i=1,n", "i", "i=1,n", "n+1-i", false, 1, 0, "yes 1,0 (*)", "carried by loop i, for some values of the parameters"},
		{"weak crossing at 6", "i=1,5", "i", "i=1,5", "12-i", false, 1, 0, "no", ""},
		{"symbolic offset unknown", "i=1,n", "i", "i=1,n", "i-m", false, 1, 0, "yes 1,0 (*)", ""},
		{"forward substituted l = i-1", "i=2,n", "i-1", "i=2,n", "i", false, 1, 0, "no", ""},
		{"loop never runs", "i=5,4", "i", "i=5,4", "i", false, 1, 0, "no", "the accesses never both run"},
		{"row and column", "i=1,n", "i, 1", "i=1,n", "1, i", false, 1, 0, "yes! 0 (0)", ""},
		{"transpose of a triangle", "i=1,n;j=1,i-1", "i, j", "i=1,n;j=1,i-1", "j, i", false, 2, 0, "no", ""},

		// do k / do j = k+1,n / do i = k+1,n: a(i,j) = a(i,j) - a(i,k)*a(k,j)
		{"LU: the update reaches the pivot column", "k=1,n;j=k+1,n;i=k+1,n", "i, j", "k=1,n;j=k+1,n;i=k+1,n", "i, k", true, 3, 0, "yes! 1 (*,*,0)", ""},
		{"LU: within one k nothing does", "k=1,n;j=k+1,n;i=k+1,n", "i, j", "k=1,n;j=k+1,n;i=k+1,n", "i, k", true, 3, 1, "no", "subscripts 2 never equal within the loop bounds: j and k"},
		{"LU: nor the pivot row", "k=1,n;j=k+1,n;i=k+1,n", "i, j", "k=1,n;j=k+1,n;i=k+1,n", "k, j", true, 3, 1, "no", ""},
		{"LU: the column is scaled before", "k=1,n;i=k+1,n", "i, k", "k=1,n;j=k+1,n;i=k+1,n", "i, k", false, 1, 0, "yes! 0 (0)", ""},

		// do i = n,2,-1 (l = i-1) / do j = 1,l ... do k = j,l: z(k,j) = z(k,j) - ...
		{"tred2: the triangle below the diagonal", "i=n,2,-1;j=1,i-1;k=j,i-1", "k, j", "i=n,2,-1;j=1,i-1;k=j,i-1", "k, j", true, 3, 0, "yes! 1 (*,0,0)", ""},
		{"tred2: within one i", "i=n,2,-1;j=1,i-1;k=j,i-1", "k, j", "i=n,2,-1;j=1,i-1;k=j,i-1", "k, j", true, 3, 1, "no", ""},
		{"tred2: z(i,j) = 0 after z(k,j), k < i", "i=n,2,-1;j=1,i-1;k=j,i-1", "k, j", "i=n,2,-1;j=1,i-1", "i, j", false, 2, 1, "no", ""},
		{"tred2: d(j) = z(l,j) after z(k,j)", "i=n,2,-1;j=1,i-1;k=j,i-1", "k, j", "i=n,2,-1;j=1,i-1", "i-1, j", false, 2, 1, "yes 0 (0,0)", ""},
		{"tred2: e(k), k > j, after e(j)", "i=n,2,-1;j=1,i-1", "j", "i=n,2,-1;j=1,i-1;k=j+1,i-1", "k", false, 2, 1, "no", ""},
		{"tred2: e(k) = e(k) + .. reaches e(j)", "i=n,2,-1;j=1,i-1;k=j+1,i-1", "k", "i=n,2,-1;j=1,i-1", "j", true, 2, 1, "yes! 2 (0,*)", "carried by loop j"},
		{"tred2: h = d(i) after d(j), j < i", "i=n,2,-1;j=1,i-1", "j", "i=n,2,-1", "i", true, 1, 0, "yes 1 (*)", ""},
		{"tred2: d(i) = h is above what later steps read", "i=n,2,-1", "i", "i=n,2,-1;j=1,i-1", "j", false, 1, 0, "no", ""},

		// a(i,j) = a(i-1,j) + a(i,j-1)
		{"wavefront from the north", "i=2,n;j=2,n", "i, j", "i=2,n;j=2,n", "i-1, j", true, 2, 0, "yes! 1 (1,0)", ""},
		{"wavefront from the west", "i=2,n;j=2,n", "i, j", "i=2,n;j=2,n", "i, j-1", true, 2, 0, "yes! 2 (0,1)", ""},
		{"from the north-east", "i=2,n;j=2,n", "i, j", "i=2,n;j=2,n", "i-1, j+1", true, 2, 0, "yes! 1 (1,-1)", ""},
		{"from the south, old value", "i=2,n;j=2,n", "i+1, j", "i=2,n;j=2,n", "i, j", false, 2, 0, "yes! 1 (1,0)", ""},
		{"backwards", "i=n,1,-1", "i", "i=n,1,-1", "i+1", true, 1, 0, "yes! 1 (-1)", ""},
		{"backwards, never", "i=n,1,-1", "i", "i=n,1,-1", "i-1", true, 1, 0, "no", ""},

		// Sibling loops of one name under a common time loop: jacobi.
		{"jacobi: copy-back after the read", "t=1,m;i=2,n-1", "i-1", "t=1,m;i=2,n-1", "i", false, 1, 0, "yes! 1,0 (*)", ""},
		{"jacobi: copy-back before the next read", "t=1,m;i=2,n-1", "i", "t=1,m;i=2,n-1", "i+1", true, 1, 0, "yes! 1 (*)", ""},
		{"planes", "t=1,m;i=2,n-1", "1, i", "t=1,m;i=2,n-1", "2, i", false, 1, 0, "no", "subscripts 1 never equal: 1 and 2"},
		{"matmul", "i=1,n;j=1,n;k=1,n", "i, j", "i=1,n;j=1,n;k=1,n", "i, j", true, 3, 0, "yes! 3 (0,0,*)", "carried by loop k"},

		// Things that are not known.
		{"unknown subscript", "i=1,n", "?", "i=1,n", "i", false, 1, 0, "maybe 1,0 (*)", "possibly carried by loop i: subscript 1 is not affine"},
		{"unknown subscript beside one that decides", "i=1,n", "?, 1", "i=1,n", "i, 2", false, 1, 0, "no", ""},
		{"unknown bound", "i=1,", "i", "i=1,", "i-1", true, 1, 0, "maybe 1 (1)", "possibly carried by loop i with distance 1: a bound of loop i is unknown"},
		{"unknown step", "i=1,n,0", "i", "i=1,n,0", "i-1", true, 1, 0, "maybe 1 (1)", "possibly carried by loop i with distance 1: the step of loop i is unknown"},
		{"unknown step, same element", "i=1,n,0", "i", "i=1,n,0", "i", true, 1, 0, "no", ""},
		{"cyclic reduction", "i=2*h,n,2*h", "i", "i=2*h,n,2*h", "i-h", true, 1, 0, "no", "subscripts never equal: i and -h + i' differ by an odd number"},
		{"cyclic reduction, from h", "i=h,n,2*h", "i", "i=h,n,2*h", "i+h", false, 1, 0, "no", ""},
		{"a recurrence with a distance", "i=2*h,n,h", "i", "i=2*h,n,h", "i-h", true, 1, 0, "maybe 1 (*)", "possibly carried by loop i: the step of loop i is not constant"},
		{"backwards by a multiple", "i=n,h,-2*h", "i", "i=n,h,-2*h", "i-2*h", true, 1, 0, "no", "the same element is touched only in the opposite order"},
		{"two nests that halve what is left", "i=h,n,2*h", "i", "j=2*h,n,2*h", "j", false, 0, 0, "no", ""},
		{"a step of another variable", "i=2*h,n,2*m", "i", "i=2*h,n,2*m", "i-h", true, 1, 0, "maybe 1 (*)", ""},
		{"a step, and one more", "i=2*h,n,2*h", "i", "i=2*h,n,2*h", "i-h-1", true, 1, 0, "maybe 1 (*)", ""},
		{"the same element of a row", "j=1,n;i=h,n,2*h", "i, j", "j=1,n;i=h,n,2*h", "i, j-1", true, 2, 0, "maybe 1 (1,*)", ""},
		{"unknown start of stride 2", "i=,n,2", "i", "i=,n,2", "i+1", true, 1, 0, "no", ""},
		{"two bounds at once", "i=1|m,n|5", "i", "i=1|m,n|5", "i+4", false, 1, 0, "no", ""},
		{"two bounds with room", "i=1|m,n|5", "i+3", "i=1|m,n|5", "i", false, 1, 0, "yes 1 (3)", ""},
		{"index used after its loop", "i=1,n;j=1,n", "j", "i=1,n", "j", false, 1, 0, "maybe 1,0 (*)", ""},
		{"no common loop", "i=1,n", "i", "j=1,n", "j+m", false, 0, 0, "yes 0 ()", "in the same iteration, for some values of the parameters"},
		{"no common loop, dst first", "i=1,n", "i", "j=1,n", "j", true, 0, 0, "no", "src does not run before dst"},
		{"scalar", "i=1,n", "7", "i=1,n", "7", false, 1, 1, "yes! 0 (0)", ""},
	} {
		src, dst := access(c.srcLoops, c.src, 1), access(c.dstLoops, c.dst, 2)
		if c.dstFirst {
			dst.Order = 0
		}
		r := Depends(src, dst, c.common, c.outer)
		if got := show(r); got != c.want || c.wantReason != "" && r.Why != c.wantReason {
			t.Errorf("%s:\n got %s: %s\nwant %s: %s", c.name, got, r.Why, c.want, c.wantReason)
		}
		wantLevel := -1
		if len(r.Levels) > 0 {
			wantLevel = r.Levels[0]
		}
		if r.Level != wantLevel || r.Why == "" {
			t.Errorf("%s: level %d of %v, reason %q", c.name, r.Level, r.Levels, r.Why)
		}
	}
}

func TestGuardsDecide(t *testing.T) {
	// if (j > i) a(j) = ... a(i)
	src, dst := access("i=1,n;j=1,n", "j", 2), access("i=1,n;j=1,n", "i", 1)
	if r := Depends(src, dst, 2, 1); r.Answer != Yes {
		t.Errorf("without the guard: %v, %s", r.Answer, r.Why)
	}
	src.Guard = forms("j-i-1", "|")
	if r := Depends(src, dst, 2, 1); r.Answer != No {
		t.Errorf("with the guard: %v, %s", r.Answer, r.Why)
	}
}

func TestPartialAccessIsNeverProved(t *testing.T) {
	src, dst := access("i=2,n", "i", 2), access("i=2,n", "i-1", 1)
	src.Partial = true
	if r := Depends(src, dst, 1, 0); show(r) != "maybe 1 (1)" {
		t.Errorf("got %s, %s", show(r), r.Why)
	}
}

func TestHugeCoefficientsGiveUp(t *testing.T) {
	big := linalg.Term(math.MaxInt64/2+1, "i")
	src, dst := access("i=-9,9", "i", 1), access("i=-9,9", "i", 2)
	src.Subs = []*linalg.Affine{&big}
	src.Loops[0].Step = 3
	dst.Loops[0].Step = 3
	if r := Depends(src, dst, 1, 0); show(r) != "maybe 1,0 (*)" || r.Why != "coefficients too large" {
		t.Errorf("got %s, %s", show(r), r.Why)
	}
	min := linalg.Const(math.MinInt64)
	src.Subs, dst.Subs = []*linalg.Affine{&min}, []*linalg.Affine{&min}
	if r := Depends(src, dst, 1, 0); r.Answer != Maybe {
		t.Errorf("got %s, %s", show(r), r.Why)
	}
}

func TestRanksThatDifferAreUnknown(t *testing.T) {
	r := Depends(access("i=1,n", "i", 1), access("i=1,n", "i, 1", 2), 1, 0)
	if r.Answer != Maybe || !strings.Contains(r.Why, "1 and 2 subscripts") {
		t.Errorf("got %s, %s", show(r), r.Why)
	}
}

func TestMisuseOfCommonPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Depends(access("i=1,n", "i", 1), access("", "1", 2), 1, 0)
}

func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		eqs, ineqs string
		want       bool
	}{
		{"", "", false},
		{"1", "", true},
		{"2*i - 1", "", true},
		{"2*i + 4*j - 6", "", false},
		{"6*i + 10*j + 15*k - 1", "", false},
		{"i - j", "i - j - 1", true},
		{"", "n - 2|3 - 2*n", true},
		{"", "n - 2|4 - 2*n", false},
		{"", "2*i - 3|5 - 2*i", false},        // i = 2
		{"", "3*i - 4|5 - 3*i", true},         // between 4/3 and 5/3
		{"", "-1*n + 10*n - 9|n|0 - n", true}, // n >= 1 and n <= 0
		{"", "2*x - 3*y|3*y + 1 - 2*x|x - 1|3 - x", false},
		// Pugh's example: a rational area without an integer point.
		{"", "11*x + 13*y - 27|45 - 11*x - 13*y|7*x - 9*y + 10|4 - 7*x + 9*y", true},
		// Narrow strips: 5*x is 1 or 2 more than a multiple of 7 for x = 10.
		{"", "5*x - 7*y - 1|7*y + 2 - 5*x|x - 10|12 - x", false},
		{"", "5*x - 7*y - 1|7*y + 2 - 5*x|x - 11|12 - x", true},
	} {
		if got := Infeasible(forms(c.eqs, "|"), forms(c.ineqs, "|")); got != c.want {
			t.Errorf("%s == 0, %s >= 0: infeasible is %v, want %v", c.eqs, c.ineqs, got, c.want)
		}
	}
}

// TestSearchLimit solves a dense system that grows beyond the limits: the
// verdict has to be "unknown", after a bounded number of rows.
func TestSearchLimit(t *testing.T) {
	y := &system{n: 12}
	for i := range int64(40) {
		r := y.zero()
		for j := range int64(12) {
			r[j] = (i*31+j*j*17)%23 - 11
		}
		r[12] = -7
		y.ge = append(y.ge, r)
	}
	s := newSolver()
	if v := s.solve(y); v != unknown || !s.failed {
		t.Errorf("verdict %v after %d rows", v, s.work)
	}
	if s.work > 2*maxWork {
		t.Errorf("%d rows made, limit %d", s.work, maxWork)
	}
}
