package spmd

import (
	"fmt"
	"io"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

func TestReductions(t *testing.T) {
	for _, np := range peCounts {
		spmd(t, np, "", func(pe *PE) {
			id := pe.ID()
			tri := np * (np + 1) / 2
			check := func(what string, got, want any) {
				if got != want {
					t.Errorf("%s on PE %d of %d is %v, want %v", what, id, np, got, want)
				}
			}
			check("sum of integers", Sum(pe, 0, id+1), tri)
			check("sum of reals", Sum(pe, 0, float64(id)+0.5), float64(tri)-float64(np)*0.5)
			check("sum of singles", Sum(pe, 0, float32(id+1)), float32(tri))
			check("sum of negatives", Sum(pe, 0, -id-1), -tri)
			check("product", Prod(pe, 0, 2), 1<<np)
			check("product of reals", Prod(pe, 0, -0.5), math.Pow(-0.5, float64(np)))
			check("product of singles", Prod(pe, 0, float32(2)), float32(int(1)<<np))
			check("max", Max(pe, 0, -id), 0)
			check("max of reals", Max(pe, 0, float64(id)), float64(np-1))
			check("max of singles", Max(pe, 0, float32(-id)-1), float32(-1))
			check("min", Min(pe, 0, -id), 1-np)
			check("min of reals", Min(pe, 0, 3-float64(id)), float64(4-np))
			check("min of singles", Min(pe, 0, float32(id)), float32(0))
			check("and", And(pe, 0, true), true)
			check("and with one false", And(pe, 0, id != np-1), false)
			check("or", Or(pe, 0, id == np-1), true)
			check("or of none", Or(pe, 0, false), false)
			nan := math.NaN()
			if id == 0 || np == 1 {
				nan = 7
			}
			check("max with NaN", Max(pe, 0, nan), 7.0)
			check("min with NaN", Min(pe, 0, nan), 7.0)
			check("max of infinities", Max(pe, 0, math.Inf(id%2*2-1)), math.Inf(min(np-1, 1)*2-1))
		})
	}
}

// Every PE has the same bits, namely those of the sum in the order of PE ids,
// in every run.
func TestReductionsAreBitIdentical(t *testing.T) {
	for _, np := range peCounts {
		r := rand.New(rand.NewSource(int64(np)))
		parts := make([]float64, np)
		want := 0.0
		for p := range parts {
			parts[p] = (r.Float64() - 0.5) * math.Pow(10, float64(r.Intn(30)-15))
			if p == 0 {
				want = parts[p]
			} else {
				want += parts[p]
			}
		}
		for range 5 {
			spmd(t, np, "", func(pe *PE) {
				for range 20 {
					got := Sum(pe, 0, parts[pe.ID()])
					if math.Float64bits(got) != math.Float64bits(want) {
						t.Errorf("PE %d of %d: sum %x, want %x", pe.ID(), np, got, want)
					}
				}
			})
		}
	}
}

func TestBroadcast(t *testing.T) {
	for _, np := range peCounts {
		spmd(t, np, "", func(pe *PE) {
			// Many more than fit in flight, from roots that run ahead.
			for k := range 300 {
				root := k / 7 % np
				mine := -1
				if pe.ID() == root {
					mine = k
				}
				if got := Bcast(pe, 0, root, mine); got != k {
					t.Errorf("broadcast %d reaches PE %d of %d as %d", k, pe.ID(), np, got)
				}
			}
			root := np - 1
			id := pe.ID()
			if x := Bcast(pe, 0, root, float64(id)+0.25); x != float64(root)+0.25 {
				t.Errorf("real: %v", x)
			}
			if x := Bcast(pe, 0, root, float32(id)); x != float32(root) {
				t.Errorf("single: %v", x)
			}
			if x := Bcast(pe, 0, root, id == root); !x {
				t.Errorf("logical: %v", x)
			}
			if x := Bcast(pe, 0, root, string(rune('a'+id))); x != string(rune('a'+root)) {
				t.Errorf("string: %v", x)
			}
		})
	}
}

// After a barrier every PE sees what all others wrote before it.
func TestBarrier(t *testing.T) {
	for _, np := range peCounts {
		cells := make([]int, np*16) // a plain slice: the race detector watches
		spmd(t, np, "", func(pe *PE) {
			for step := 1; step <= 50; step++ {
				cells[pe.ID()*16] = step
				pe.Barrier(0)
				for q := range np {
					if cells[q*16] != step {
						t.Errorf("PE %d sees %d from PE %d in step %d", pe.ID(), cells[q*16], q, step)
					}
				}
				pe.Barrier(0)
			}
		})
	}
}

// TestReductionsOfElements: each element of the box, whatever part of the array it is, gets
// the value that a reduction of it alone gives, and no other element changes.
func TestReductionsOfElements(t *testing.T) {
	boxes := [][2]dist.Triplet{
		{dist.Range(1, 6, 1), dist.Range(-1, 3, 1)},
		{dist.Range(2, 4, 1), dist.Range(0, 2, 1)},
		{dist.Range(3, 3, 1), dist.Range(-1, 3, 1)},
		{dist.Range(2, 9, 1), dist.Range(-4, 0, 1)}, // not all of it in the array
		{dist.Range(4, 3, 1), dist.Range(0, 2, 1)},  // nothing
		{dist.Range(1, 5, 2), dist.Range(0, 0, 1)},
	}
	everyBuild(t, func(t *testing.T, run func(np int, body func(pe *PE))) {
		for _, np := range peCounts {
			run(np, func(pe *PE) {
				id := pe.ID()
				a := NewLocal[float64](pe, "a", [2]int{1, 6}, [2]int{-1, 3})
				b := NewLocal[bool](pe, "b", [2]int{0, 9})
				n := NewLocal[int32](pe, "n", [2]int{0, 9})
				value := func(q, i int) float64 { return float64((q*7+i*3)%11-5) / 3 }
				for k, box := range boxes {
					for op, reduce := range []func(){
						func() { SumElements(pe, 0, a, pe.Box(box[0], box[1])) },
						func() { ProdElements(pe, 0, a, pe.Box(box[0], box[1])) },
						func() { MaxElements(pe, 0, a, pe.Box(box[0], box[1])) },
						func() { MinElements(pe, 0, a, pe.Box(box[0], box[1])) },
					} {
						for i := range a.Data {
							a.Data[i] = value(id, i)
						}
						reduce()
						for i, got := range a.Data {
							row, col := i%6+1, i/6-1
							want := value(id, i)
							if all := box[0].Hull(dist.Triplet{}); !all.Empty() && all.Contains(row) && box[1].Contains(col) {
								want = value(0, i)
								for q := 1; q < np; q++ {
									x := value(q, i)
									want = []float64{want + x, want * x, max(want, x), min(want, x)}[op]
								}
							}
							if got != want {
								t.Errorf("box %d, operation %d: a(%d,%d) is %v on PE %d of %d, want %v", k, op, row, col, got, id, np, want)
							}
						}
					}
				}
				all := dist.Range(0, 9, 1)
				for i := range b.Data {
					b.Data[i] = i%np != id
					n.Data[i] = int32(id - i)
				}
				AndElements(pe, 0, b, pe.Box(all))
				for i, got := range b.Data {
					if want := false; got != want {
						t.Errorf("b(%d) is %v on PE %d of %d", i, got, id, np)
					}
					b.Data[i] = i < np && i == id
				}
				OrElements(pe, 0, b, pe.Box(all))
				SumElements(pe, 0, n, pe.Box(all))
				for i, got := range b.Data {
					if want := i < np; got != want {
						t.Errorf("b(%d) is %v on PE %d of %d", i, got, id, np)
					}
					if want := int32(np*(np-1)/2 - np*i); n.Data[i] != want {
						t.Errorf("n(%d) is %d on PE %d of %d, want %d", i, n.Data[i], id, np, want)
					}
				}
			})
		}
	})
}

// everyBuild runs a test with check builds and with plain ones.
func everyBuild(t *testing.T, test func(t *testing.T, run func(np int, body func(pe *PE)))) {
	for _, checked := range []bool{true, false} {
		t.Run(fmt.Sprintf("check=%v", checked), func(t *testing.T) {
			test(t, func(np int, body func(pe *PE)) {
				p := sites(8)
				p.Check = checked
				if _, err := Run(p, np, strings.NewReader(""), io.Discard, body); err != nil {
					t.Fatalf("on %d PEs: %v", np, err)
				}
			})
		})
	}
}

// TestElementsWithoutValue: in check builds an element that some PE has no value of has
// none behind a reduction, nor gets one from a neutral value; sums have to fit.
func TestElementsWithoutValue(t *testing.T) {
	for _, np := range peCounts {
		spmd(t, np, "", func(pe *PE) {
			a := NewLocal[float64](pe, "a", [2]int{1, 4})
			n := NewLocal[int32](pe, "n", [2]int{1, 1})
			a.Data[1], a.Data[2] = 1, 2
			if pe.ID() == np-1 {
				undefine(a.Data[2:3])
			}
			if pe.ID() != 0 {
				FillElements(pe, a, 0, pe.Box(dist.Range(1, 3, 1)))
			}
			SumElements(pe, 0, a, pe.Box(dist.Range(1, 3, 1)))
			for i, want := range []bool{true, false, true, true} {
				if got := undefined(a.Data[i]); got != want {
					t.Errorf("a(%d) has no value: %v on PE %d of %d, want %v", i+1, got, pe.ID(), np, want)
				}
			}
			if a.Data[1] != 1 {
				t.Errorf("a(2) is %v on PE %d of %d", a.Data[1], pe.ID(), np)
			}
			// The sum fits, though that of PE 0 and PE 1 does not.
			n.Data[0] = []int32{math.MaxInt32 - 5, 7, -9, 1, 1, 1, 1, 1}[pe.ID()%8]
			if np == 3 {
				SumElements(pe, 0, n, pe.Box(dist.Range(1, 1, 1)))
				if n.Data[0] != math.MaxInt32-7 {
					t.Errorf("n(1) is %d", n.Data[0])
				}
			}
		})
	}
}
