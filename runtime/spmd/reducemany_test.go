package spmd

import (
	"math"
	"strings"
	"testing"
)

// TestReduceAll: terms that travel together give what each gives alone, with the same bits.
func TestReduceAll(t *testing.T) {
	everyBuild(t, func(t *testing.T, run func(np int, body func(pe *PE))) {
		for _, np := range peCounts {
			run(np, func(pe *PE) {
				id := pe.ID()
				for k := range 40 {
					d, f, i, l, b := math.Pow(-1.1, float64(k*id)), float32(id)+0.25, id-k, int32(id*k), (id+k)%3 == 0
					pe.ReduceAll(1, SumOf(d), ProdOf(f), MaxOf(i), MinOf(l), AndOf(b), OrOf(b), MaxOf(d))
					d1, f1, i1, l1, b1, b2, d2 := Reduced(pe, 0, d), Reduced(pe, 1, f), Reduced(pe, 2, i), Reduced(pe, 3, l), Reduced(pe, 4, b), Reduced(pe, 5, b), Reduced(pe, 6, d)
					if d1 != Sum(pe, 0, d) || f1 != Prod(pe, 0, f) || i1 != Max(pe, 0, i) || l1 != Min(pe, 0, l) ||
						b1 != And(pe, 0, b) || b2 != Or(pe, 0, b) || d2 != Max(pe, 0, d) {
						t.Errorf("PE %d of %d, round %d: %v %v %v %v %v %v %v", id, np, k, d1, f1, i1, l1, b1, b2, d2)
					}
				}
			})
		}
	})
}

// TestPlaces: of equal extremes that one counts whose place is least, and what is combined in
// front and behind is what it is.
func TestPlaces(t *testing.T) {
	everyBuild(t, func(t *testing.T, run func(np int, body func(pe *PE))) {
		for _, np := range peCounts {
			run(np, func(pe *PE) {
				id := pe.ID()
				for k := range 40 {
					value := func(id int) float64 { return float64((id + k) % 3) }
					place := func(id int) (int32, int) { return int32((id * 5) % 4), -id }
					big, i, j := value(0), int32(0), 0
					i, j = place(0)
					small, l := int32(value(0)), 100
					for q := range np {
						x, y := place(q)
						if v := value(q); v > big || v == big && (x < i || x == i && y < j) {
							big, i, j = v, x, y
						}
						if v := int32(value(q)); v < small || v == small && 100-q < l {
							small, l = v, 100-q
						}
					}
					x, y := place(id)
					s, v, w, m, even := id, value(id), int32(value(id)), 100-id, id%2 == 0
					pe.ReduceAll(1, SumOf(s), MaxAt(v, 2), PlaceOf(x), PlaceOf(y), MinAt(w, 1), PlaceOf(m), PlaceOf(even), MaxOf(s))
					v, x, y, w, m, even = Reduced(pe, 1, v), Reduced(pe, 2, x), Reduced(pe, 3, y), Reduced(pe, 4, w), Reduced(pe, 5, m), Reduced(pe, 6, even)
					if v != big || x != i || y != j || w != small || m != l || even != (l%2 == 0) || Reduced(pe, 0, s) != np*(np-1)/2 || Reduced(pe, 7, s) != np-1 {
						t.Errorf("PE %d of %d, round %d: %v at %v %v, %v at %v %v; want %v at %v %v, %v at %v", id, np, k, v, x, y, w, m, even, big, i, j, small, l)
					}
				}
			})
		}
	})
}

// TestReduceAllWithoutValue: what nobody has given a value has none behind it, and the
// results of 32 bits have to fit.
func TestReduceAllWithoutValue(t *testing.T) {
	for _, np := range peCounts {
		spmd(t, np, "", func(pe *PE) {
			x, n := []float64{0}, []int32{0}
			undefine(x)
			undefine(n)
			pe.ReduceAll(0, SumOf(x[0]), MaxOf(n[0]), SumOf(1.0))
			if !undefined(Reduced(pe, 0, x[0])) || !undefined(Reduced(pe, 1, n[0])) || Reduced(pe, 2, 1.0) != float64(np) {
				t.Errorf("PE %d of %d: %v %v", pe.ID(), np, Reduced(pe, 0, x[0]), Reduced(pe, 1, n[0]))
			}
		})
	}
	p := sites(2)
	p.Check = true
	_, err := Run(p, 2, nil, nil, func(pe *PE) {
		pe.Start()
		pe.ReduceAll(0, SumOf(int32(math.MaxInt32)), SumOf(1.0))
		Reduced(pe, 0, int32(0))
	})
	if err == nil || !strings.Contains(err.Error(), "the sum or product over all PEs") {
		t.Errorf("a sum that does not fit: %v", err)
	}
}
