package dist

import (
	"fmt"
	"slices"
	"testing"
)

// ownerCoord is the definition of the formats, position by position.
func ownerCoord(f Format, tlo, thi, pos, np int) int {
	if f == Cyclic {
		return (pos - tlo) % np
	}
	if sizes := f.Sizes(); len(sizes) == np {
		at := pos - tlo
		for coord, n := range sizes[:np-1] {
			if at < n {
				return coord
			}
			at -= n
		}
		return np - 1
	}
	size := max(1, f.Size()) // the smallest block size from this one on with which np blocks hold everything
	for size*np < thi-tlo+1 {
		size++
	}
	return (pos - tlo) / size
}

// owns is the definition of ownership: every grid dimension that the mapping
// names agrees.
func owns(m Map, g Grid, pe int, idx []int) bool {
	for d, ax := range m.Axes {
		if ax.Grid >= 0 && ax.Format != Collapsed &&
			ownerCoord(ax.Format, ax.TLo, ax.THi, ax.A*idx[d]+ax.B, g[ax.Grid]) != g.Coord(pe, ax.Grid) {
			return false
		}
	}
	for _, f := range m.Fixed {
		if f.Grid >= 0 && f.Format != Collapsed &&
			ownerCoord(f.Format, f.TLo, f.THi, f.Pos, g[f.Grid]) != g.Coord(pe, f.Grid) {
			return false
		}
	}
	return true
}

// everyElement calls f with the subscripts of every element.
func everyElement(m Map, f func(idx []int)) {
	idx := make([]int, len(m.Axes))
	var walk func(d int)
	walk = func(d int) {
		if d == len(idx) {
			f(idx)
			return
		}
		for i := m.Axes[d].Lo; i <= m.Axes[d].Hi; i++ {
			idx[d] = i
			walk(d + 1)
		}
	}
	walk(0)
}

// verify compares a layout with the enumeration.
func verify(t *testing.T, m Map, g Grid) {
	t.Helper()
	l := NewLayout(m, g)
	np, rank := g.Size(), len(m.Axes)
	counted := make([]int, np)
	elements := 0
	everyElement(m, func(idx []int) {
		elements++
		for pe := range np {
			want := owns(m, g, pe, idx)
			if l.Owns(pe, idx...) != want {
				t.Fatalf("%+v on %v: PE %d owns %v: %v, want %v", m, g, pe, idx, !want, want)
			}
			inProduct := true
			for d := range rank {
				own := l.Owned(pe, d)
				if !own.Contains(idx[d]) {
					inProduct = false
					continue
				}
				// Local and global index are inverse.
				if k := own.Index(idx[d]); k < 0 || k >= own.N || own.Lo+k*own.Step != idx[d] {
					t.Fatalf("%+v on %v: PE %d: local index of %d is %d", m, g, pe, idx[d], k)
				}
			}
			if rank > 0 && inProduct != want {
				t.Fatalf("%+v on %v: PE %d: %v in the product of owned sets: %v", m, g, pe, idx, inProduct)
			}
			if want {
				counted[pe]++
			}
		}
		// Exactly one owner serves each consumer: the one in its replica.
		for consumer := range np {
			serves := -1
			for pe := range np {
				if l.Owns(pe, idx...) && l.ReplicaFor(pe, consumer) {
					if serves >= 0 {
						t.Fatalf("%+v on %v: %v is served to PE %d by %d and %d", m, g, idx, consumer, serves, pe)
					}
					serves = pe
				}
			}
			if serves < 0 || l.OwnerFor(consumer, idx) != serves {
				t.Fatalf("%+v on %v: %v is served to PE %d by %d, OwnerFor says %d", m, g, idx, consumer, serves, l.OwnerFor(consumer, idx))
			}
			if l.Owns(consumer, idx...) && serves != consumer {
				t.Fatalf("%+v on %v: PE %d is served its own %v by PE %d", m, g, consumer, idx, serves)
			}
		}
	})
	// Extents add up: the products of extents are what each PE owns, and
	// together they are all elements, once for each replica.
	total := 0
	for pe := range np {
		n := 1
		for d := range rank {
			own := l.Owned(pe, d)
			n *= own.N
			if own != Range(own.Lo, own.Hi(), max(1, own.Step)) && !own.Empty() {
				t.Fatalf("%+v on %v: PE %d: %+v is not canonical", m, g, pe, own)
			}
			if !l.Holds(pe) && !own.Empty() {
				t.Fatalf("%+v on %v: PE %d does not hold the array and owns %v", m, g, pe, own)
			}
		}
		if rank == 0 && !l.Holds(pe) {
			n = 0
		}
		if n != counted[pe] {
			t.Fatalf("%+v on %v: PE %d owns %d elements, the extents say %d", m, g, pe, counted[pe], n)
		}
		total += counted[pe]
	}
	replicas := 1
	for _, dim := range l.replicated {
		replicas *= g[dim]
	}
	if total != elements*replicas {
		t.Fatalf("%+v on %v: %d elements in %d replicas, %d are owned", m, g, elements, replicas, total)
	}
}

// axes is every alignment of small array dimensions with a grid dimension:
// offsets, strides of both signs, templates larger than what is aligned.
func axes(grid int) []Axis {
	list := []Axis{{Lo: -1, Hi: 3, Grid: -1, A: 1}, {Lo: 1, Hi: 4, Grid: grid, Format: Collapsed, TLo: 1, THi: 4, A: 1}}
	for _, f := range []Format{Block, Cyclic, Blocks(3), GenBlocks(2, 0, 9), GenBlocks(0, 3, 1, 1, 0, 2), GenBlocks(12)} {
		for _, bounds := range [][2]int{{1, 1}, {1, 7}, {0, 9}, {-3, 2}} {
			for _, a := range []int{1, 2, 3, -1, -2} {
				for _, margin := range [][2]int{{0, 0}, {2, 1}} {
					first, last := a*bounds[0], a*bounds[1]
					tlo, thi := min(first, last)-margin[0], max(first, last)+margin[1]
					for _, shift := range []int{0, 4} {
						list = append(list, Axis{bounds[0], bounds[1], grid, f, tlo + shift, thi + shift, a, shift})
					}
				}
			}
		}
	}
	return list
}

func TestLayoutOfRank1(t *testing.T) {
	for np := 1; np <= 12; np++ { // up to more PEs than elements
		for _, ax := range axes(0) {
			verify(t, Map{Axes: []Axis{ax}}, Grid{np})
		}
	}
}

func TestLayoutOfRank2(t *testing.T) {
	// Every third alignment on each grid dimension, in both orders
	// (permutation), on grids as declared and refitted.
	for _, g := range []Grid{{1, 1}, {2, 2}, {3, 2}, {1, 5}, Fit([]int{2, 2}, 7)} {
		for i, first := range axes(0) {
			for j, second := range axes(1) {
				if (i+j)%17 != 0 {
					continue
				}
				verify(t, Map{Axes: []Axis{first, second}}, g)
				verify(t, Map{Axes: []Axis{second, first}}, g)
			}
		}
	}
}

func TestReplicatedAndFixed(t *testing.T) {
	for _, g := range []Grid{{1, 1}, {2, 3}, {4, 2}, {7, 1}, {2, 2, 2}} {
		for _, ax := range axes(0) {
			if ax.Lo != 0 && ax.Lo != -1 {
				continue
			}
			verify(t, Map{Axes: []Axis{ax}}, g) // replicated along the others
			for pos := 1; pos <= 5; pos++ {
				for _, f := range []Format{Block, Cyclic, Blocks(2), GenBlocks(1, 4), GenBlocks(2, 0, 3), Collapsed} {
					verify(t, Map{Axes: []Axis{ax}, Fixed: []Fixed{{Grid: 1, Format: f, TLo: 1, THi: 5, Pos: pos}}}, g)
				}
			}
		}
		verify(t, Map{}, g) // a scalar on all PEs
		verify(t, Map{Fixed: []Fixed{{Grid: 0, Format: Cyclic, TLo: 0, THi: 9, Pos: 7}}}, g)
	}
}

func TestIters(t *testing.T) {
	loops := []Triplet{{}, Range(1, 9, 1), Range(-4, 12, 3), Range(10, 2, -2), Single(3)}
	for np := 1; np <= 5; np++ {
		for k, ax := range axes(0) {
			if k%3 != 0 {
				continue
			}
			l := NewLayout(Map{Axes: []Axis{ax}}, Grid{np})
			for _, loop := range loops {
				for a := -2; a <= 2; a++ {
					for b := -3; b <= 3; b++ {
						for pe := range np {
							var want []int
							for _, x := range elements(loop) {
								if l.Owned(pe, 0).Contains(a*x + b) {
									want = append(want, x)
								}
							}
							if got := l.Iters(pe, 0, a, b, loop); !slices.Equal(elements(got), want) {
								t.Fatalf("%+v on %d PEs, PE %d: iterations of %v with %d*x+%d: %v, want %v", ax, np, pe, loop, a, b, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Every element within the overlap's width of an index that sits in the PE's
// part of the template has a cell, and there are no more than the array needs.
func TestStorageCoversTheOverlap(t *testing.T) {
	for np := 1; np <= 8; np++ {
		for _, ax := range axes(0) {
			if !ax.Format.IsBlock() {
				continue
			}
			l := NewLayout(Map{Axes: []Axis{ax}}, Grid{np})
			for pe := range np {
				for _, w := range [][2]int{{0, 0}, {1, 0}, {0, 2}, {2, 1}} {
					cells := l.Storage(pe, 0, w[0], w[1])
					own := l.Owned(pe, 0)
					if cells.Step > 1 || cells.N > own.N+w[0]+w[1] {
						t.Fatalf("%+v on %d PEs, PE %d: cells %v for %v with overlap %v", ax, np, pe, cells, own, w)
					}
					for i := ax.Lo; i <= ax.Hi; i++ {
						near := false
						// i is needed if an index of the PE's part, in
						// the array or beyond its ends, is near enough.
						for x := ax.Lo - 40; x <= ax.Hi+40; x++ {
							pos := ax.A*x + ax.B
							inside := pos >= ax.TLo && pos <= ax.THi && ownerCoord(ax.Format, ax.TLo, ax.THi, pos, np) == pe
							near = near || inside && i >= x-w[0] && i <= x+w[1]
						}
						if near && !cells.Contains(i) {
							t.Fatalf("%+v on %d PEs, PE %d, overlap %v: no cell for %d in %v", ax, np, pe, w, i, cells)
						}
					}
				}
			}
		}
	}
}

// A PE between the end of a short array and the end of its template owns
// nothing, and still has a cell for its left neighbour's last element.
func TestStorageBeyondShortArray(t *testing.T) {
	l := NewLayout(Map{Axes: []Axis{{Lo: 1, Hi: 8, Grid: 0, Format: Block, TLo: 1, THi: 16, A: 1}}}, Grid{4})
	if own := l.Owned(2, 0); !own.Empty() {
		t.Fatalf("PE 2 owns %v", own)
	}
	if cells := l.Storage(2, 0, 1, 1); !cells.Contains(8) {
		t.Errorf("PE 2 stores %v, want 8 among them", cells)
	}
}

func TestMappingsThatDoNotFit(t *testing.T) {
	ax := Axis{Lo: 1, Hi: 4, Grid: 0, Format: Block, TLo: 1, THi: 4, A: 1}
	for name, m := range map[string]Map{
		"unknown grid dimension":    {Axes: []Axis{{Lo: 1, Hi: 4, Grid: 1, Format: Block, TLo: 1, THi: 4, A: 1}}},
		"grid dimension used twice": {Axes: []Axis{ax, ax}},
		"alignment stride 0":        {Axes: []Axis{{Lo: 1, Hi: 4, Grid: 0, Format: Block, TLo: 1, THi: 4}}},
		"fixed on a used dimension": {Axes: []Axis{ax}, Fixed: []Fixed{{Grid: 0, Format: Block, TLo: 1, THi: 4, Pos: 1}}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			NewLayout(m, Grid{4})
		}()
	}
	cyclic := NewLayout(Map{Axes: []Axis{{Lo: 1, Hi: 4, Grid: 0, Format: Cyclic, TLo: 1, THi: 4, A: 1}}}, Grid{4})
	defer func() {
		if recover() == nil {
			t.Error("overlap on a CYCLIC axis: accepted")
		}
	}()
	cyclic.Storage(0, 0, 1, 0)
}

func ExampleLayout_Owned() {
	u := Axis{Lo: 0, Hi: 9, Grid: 0, Format: Block, TLo: 1, THi: 10, A: 1, B: 1}
	l := NewLayout(Map{Axes: []Axis{u}}, Grid{4})
	for pe := range 4 {
		fmt.Println(pe, l.Owned(pe, 0))
	}
	u.Format = Cyclic
	l = NewLayout(Map{Axes: []Axis{u}}, Grid{4})
	fmt.Println(1, l.Owned(1, 0), "iterations", l.Iters(1, 0, 1, 1, Range(1, 8, 1)))
	// Output:
	// 0 0:2
	// 1 3:5
	// 2 6:8
	// 3 9
	// 1 1:9:4 iterations 4:8:4
}
