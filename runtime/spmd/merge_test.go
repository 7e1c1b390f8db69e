package spmd

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestMergedSections: sets of communications into one overlap, of random boxes that
// change now and then, on one- and two-dimensional grids, with stages and without. In
// builds without checks what can be one box travels as one, with one flag for each
// message; every PE then has what it needs, and no cell that nobody needed was touched.
func TestMergedSections(t *testing.T) {
	fewer := 0
	for seed := range 24 {
		for _, np := range []int{2, 3, 4, 6} {
			bytes := [2]int64{}
			messages := [2]int64{}
			for k, check := range []bool{true, false} {
				c := merged(t, seed, np, check)
				bytes[k], messages[k] = c.Bytes, c.Data
			}
			if messages[0] != messages[1] || bytes[1] > bytes[0] {
				t.Errorf("seed %d, %d PEs: %d messages of %d bytes, and with checks %d of %d", seed, np, messages[1], bytes[1], messages[0], bytes[0])
			}
			if bytes[1] < bytes[0] {
				fewer++
			}
		}
	}
	if fewer < 10 {
		t.Errorf("sections were merged in %d runs only", fewer)
	}
}

func merged(t *testing.T, seed, np int, check bool) Counts {
	const n, steps = 12, 9
	r := rand.New(rand.NewSource(int64(seed)))
	staged, flat := r.Intn(2) == 0, r.Intn(2) == 0
	size := 2 + r.Intn(4)
	// offsets[period][member]: the reference a(i+offset), for i in ranges.
	type ref struct{ di, dj, lo, hi int }
	refs := make([][]ref, 3)
	for p := range refs {
		for range size {
			lo := 2 + r.Intn(3)
			refs[p] = append(refs[p], ref{r.Intn(3) - 1, r.Intn(3) - 1, lo, lo + r.Intn(n-lo)})
		}
	}
	order := r.Perm(size)
	prog := sites(8)
	prog.Check = check
	stats, err := Run(prog, np, nil, nil, func(pe *PE) {
		m := axes(block(1, n, 0), block(1, n, 1))
		grid := pe.Grid(0, 0)
		if flat {
			m, grid = axes(whole(1, n), block(1, n, 0)), pe.Grid(0)
		}
		l := dist.NewLayout(m, grid)
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}, {1, 1}})
		var members []*Comm[float64]
		var travellers []traveller
		for range size {
			var c *Comm[float64]
			if staged {
				c = NewStaged(pe, 0, a, 2, -1)
			} else {
				c = NewComm(pe, 0, a, nil)
			}
			members, travellers = append(members, c), append(travellers, c.Sync(Elided))
		}
		all := pe.MessageGroup(travellers...)
		pe.Start()
		need := func(x ref, q int) Box {
			return pe.Box(l.Owned(q, 0).Intersect(dist.Range(x.lo, x.hi, 1)).Image(1, x.di), l.Owned(q, 1).Intersect(dist.Range(2, n-1, 1)).Image(1, x.dj))
		}
		for step := range steps {
			list := refs[step/3%3]
			if step%3 == 0 {
				for k, c := range members {
					c.Needs(func(q int) Box { return need(list[k], q) })
				}
			}
			for at := range a.Data {
				a.Data[at] = -1
			}
			set(a, step)
			pe.Barrier(1)
			all.Post()
			for _, k := range order {
				members[k].Wait()
			}
			wanted := map[string]bool{}
			for _, x := range list {
				each(need(x, pe.ID()), func(idx []int) { wanted[fmt.Sprint(idx)] = true })
			}
			pe.Barrier(2) // direct puts of others have come
			each(Box{dist.Range(1, n, 1), dist.Range(1, n, 1)}, func(idx []int) {
				inside := true
				for d, i := range idx {
					inside = inside && a.Dims[d].holds(i, i)
				}
				if !inside {
					return
				}
				want := value(step, idx...)
				if !wanted[fmt.Sprint(idx)] && !a.Owns(idx...) {
					want = -1
				}
				if got := a.Data[a.At(idx...)]; got != want {
					t.Errorf("seed %d, %d PEs, check %t: PE %d step %d: a%v = %g, want %g", seed, np, check, pe.ID(), step, idx, got, want)
				}
			})
			for _, c := range members {
				c.Done()
			}
			pe.Barrier(3)
		}
	})
	if err != nil {
		t.Fatalf("seed %d, %d PEs, check %t, staged %t: %v", seed, np, check, staged, err)
	}
	return stats.Site(0)
}
