package linalg_test

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/ir/depend"
	. "github.com/spmdc/spmdc/procfunc/linalg"
)

// transform is the map with the given integer coefficients, row by row.
func transform(cols int, offset []Triplet, coef ...int64) Transform {
	return NewTransform(cols, offset, func(i, j int) *big.Rat { return rat(coef[i*cols+j], 1) })
}

func points(cs ...int64) []Triplet {
	var ps []Triplet
	for _, c := range cs {
		ps = append(ps, Point(Integer(c)))
	}
	return ps
}

// Figure 5 of the paper, and what it says of NextProducers there.
func TestTransformString(t *testing.T) {
	n := lin(0, "n", 1)
	for _, c := range []struct {
		t    Transform
		want string
	}{
		{transform(2, []Triplet{Point(Integer(-1)), U()}, 0, 1, 0, 0), "[ 0 1 -1 ]\n[ 0 0  U ]\n[ 0 0  1 ]"},
		{transform(2, points(1, 0), 1, 0, 0, 1), "[ 1 0 1 ]\n[ 0 1 0 ]\n[ 0 0 1 ]"},
		{transform(1, []Triplet{Range(Integer(1), n, 2)}, 0), "[ 0 1:n:2 ]\n[ 0     1 ]"},
		{Everywhere(1, 2), "[ 0 0 U ]\n[ 0 0 1 ]"},
		{IdentityTransform(1), "[ 1 0 ]\n[ 0 1 ]"},
		{transform(1, []Triplet{U()}, 7), "[ 0 U ]\n[ 0 1 ]"}, // U absorbs the coefficient
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestTransformProduct(t *testing.T) {
	fig5 := transform(2, []Triplet{Point(Integer(-1)), U()}, 0, 1, 0, 0)
	back := transform(2, points(0, 1), 0, 0, 1, 0) // (i,·) to (0, i+1)
	got, exact := back.Mul(fig5)
	if want := "[ 0 0 0 ]\n[ 0 1 0 ]\n[ 0 0 1 ]"; got.String() != want || !exact {
		t.Errorf("got\n%v\nwant\n%s", got, want)
	}
	// A U that is used makes the row U; one that is not leaves it alone.
	if got, _ := fig5.Mul(fig5); got.String() != "[ 0 0 U ]\n[ 0 0 U ]\n[ 0 0 1 ]" {
		t.Errorf("got\n%v", got)
	}
	third := NewTransform(1, points(0), func(int, int) *big.Rat { return rat(1, 3) })
	if got, _ := third.Mul(transform(1, points(6), 3)); got.String() != "[ 1 2 ]\n[ 0 1 ]" {
		t.Errorf("got\n%v", got)
	}
	if got := fig5.Hull(IdentityTransform(2)); !got.Equal(Everywhere(2, 2)) {
		t.Errorf("got\n%v", got)
	}
	if got := fig5.Hull(fig5); !got.Equal(fig5) {
		t.Errorf("got\n%v", got)
	}
}

// The three ways in which the paper lets a row pass, and how each fails.
func TestCovers(t *testing.T) {
	n := lin(0, "n", 1)
	all, tail := Range(Integer(1), n, 1), Range(Integer(2), n, 1)
	id, next := IdentityTransform(1), transform(1, points(1), 1)
	for _, c := range []struct {
		t, next Transform
		domain  Triplet
		rule    Rule
	}{
		{id, id, all, 1},
		{transform(1, []Triplet{Range(Integer(-1), Integer(1), 1)}, 1), id, all, 1}, // 0 is in -1:1
		{transform(1, points(1), 1), id, all, 0},
		{transform(1, points(1), 1), next, all, 1},
		{id, next, all, 0},
		{transform(1, points(0), 2), id, all, 0},
		{Everywhere(1, 1), id, U(), 2},
		{transform(1, []Triplet{all}, 0), id, tail, 3},
		{transform(1, []Triplet{tail}, 0), id, all, 0},
		{transform(1, []Triplet{Range(Integer(2), n.Add(Integer(1)), 1)}, 0), next, all, 3},
		{transform(1, []Triplet{all}, 0), id, U(), 0},
		{transform(1, points(3), 0), transform(1, points(3), 0), all, 1},
		{id, Everywhere(1, 1), all, 0},
	} {
		rules, ok := c.t.Covers(c.next, []Triplet{c.domain}, Triplet.WithinPrinted)
		if ok != (c.rule != 0) || rules[0] != c.rule {
			t.Errorf("\n%v\ncovers\n%v\non %v by rule %d, want %d", c.t, c.next, c.domain, rules[0], c.rule)
		}
	}
	if _, ok := id.Covers(IdentityTransform(2), nil, Triplet.WithinPrinted); ok {
		t.Error("transforms of different shape cover each other")
	}
}

// TestTransformsAgainstEnumeration: products and the superset test are those of
// the sets of positions that the transforms give.
func TestTransformsAgainstEnumeration(t *testing.T) {
	effort.Checks(t, effort.Of(100, 30))
	covered := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) Transform {
			offset := []Triplet{small().Draw(t, label+" 1"), small().Draw(t, label+" 2")}
			if rapid.IntRange(0, 4).Draw(t, label+" U") == 0 {
				offset[rapid.IntRange(0, 1).Draw(t, label+" which")] = U()
			}
			coef := make([]int64, 4)
			for k := range coef {
				coef[k] = rapid.SampledFrom([]int64{0, 0, 1, 1, -1, 2}).Draw(t, fmt.Sprint(label, " coef ", k))
			}
			return transform(2, offset, coef...)
		}
		a, b := draw("a"), draw("b")
		switch rapid.IntRange(0, 3).Draw(t, "alike") {
		case 0:
			b = a
		case 1: // the same coefficients, and offsets in part
			b = NewTransform(2, []Triplet{b.Offset(0), a.Offset(1)}, a.Coef)
		}
		image := func(m Transform, p [2]int64) (rows [2]Triplet) {
			for i := range rows {
				rows[i] = m.Offset(i)
				for j := range p {
					rows[i] = rows[i].Shift(Integer(p[j]).Scale(m.Coef(i, j)))
				}
			}
			return rows
		}
		product, _ := a.Mul(b)
		domain := []Triplet{Range(Integer(0), Integer(2), 1), Range(Integer(-1), Integer(1), 1)}
		_, covers := a.Covers(b, domain, func(x, y Triplet) bool { return x.Within(y, depend.Infeasible) })
		if covers {
			covered++
		}
		for p0 := int64(0); p0 <= 2; p0++ {
			for p1 := int64(-1); p1 <= 1; p1++ {
				p := [2]int64{p0, p1}
				pb, pa, prod := image(b, p), image(a, p), image(product, p)
				empty := len(elements(pb[0])) == 0 || len(elements(pb[1])) == 0
				for i := range prod {
					if covers && !empty && !pb[i].Within(pa[i], depend.Infeasible) {
						t.Fatalf("\n%v\nis said to cover\n%v\nbut not in row %d at %v", a, b, i+1, p)
					}
				}
				if pb[0].All || pb[1].All {
					continue
				}
				for _, q0 := range elements(pb[0]) {
					for _, q1 := range elements(pb[1]) {
						for i, q := range image(a, [2]int64{q0, q1}) {
							if !q.All && !subset(elements(q), elements(prod[i])) {
								t.Fatalf("\n%v\ntimes\n%v\ngives\n%v\nwhich lacks %v in row %d at %v", a, b, product, q, i+1, p)
							}
						}
					}
				}
			}
		}
	})
	if covered == 0 && !testing.Short() { // of few there may be none
		t.Error("no transform covered another: the test saw nothing")
	}
}
