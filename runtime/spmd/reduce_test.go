package spmd

import (
	"math"
	"math/rand"
	"testing"
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
