package spmd

import (
	"fmt"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// shadowCases are arrays whose overlaps are filled: of one to three
// dimensions, distributed in all or some, aligned in every way.
var shadowCases = []struct {
	name   string
	m      dist.Map
	grid   []int
	shadow [][2]int
}{
	{"1-D", axes(block(1, 13, 0)), []int{4}, [][2]int{{1, 1}}},
	{"1-D one-sided", axes(block(0, 9, 0)), []int{4}, [][2]int{{0, 2}}},
	{"1-D wide", axes(block(1, 20, 0)), []int{2}, [][2]int{{3, 2}}},
	{"1-D of two elements", axes(block(1, 2, 0)), []int{4}, [][2]int{{1, 1}}},
	{"1-D reversed", dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: 12, Grid: 0, Format: dist.Block, TLo: 1, THi: 12, A: -1, B: 13}}}, []int{4}, [][2]int{{1, 2}}},
	{"1-D stretched", dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: 6, Grid: 0, Format: dist.Block, TLo: 1, THi: 13, A: 2}}}, []int{4}, [][2]int{{1, 1}}},
	{"1-D shorter than its template", dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: 8, Grid: 0, Format: dist.Block, TLo: 1, THi: 16, A: 1}}}, []int{4}, [][2]int{{1, 1}}},
	{"2-D", axes(block(1, 9, 0), block(0, 7, 1)), []int{2, 2}, [][2]int{{1, 1}, {1, 1}}},
	{"2-D permuted", axes(block(1, 6, 1), block(1, 8, 0)), []int{2, 2}, [][2]int{{1, 1}, {2, 1}}},
	{"2-D collapsed", axes(whole(1, 5), block(1, 9, 0)), []int{4}, [][2]int{{0, 0}, {1, 1}}},
	{"2-D replicated", axes(block(1, 9, 0)), []int{2, 2}, [][2]int{{1, 1}}},
	{"2-D fixed", dist.Map{Axes: []dist.Axis{block(1, 9, 1)}, Fixed: []dist.Fixed{{Grid: 0, Format: dist.Block, TLo: 1, THi: 4, Pos: 3}}}, []int{2, 2}, [][2]int{{1, 1}}},
	{"3-D", axes(block(1, 5, 0), block(1, 6, 1), block(0, 4, 2)), []int{2, 2, 2}, [][2]int{{1, 1}, {1, 1}, {1, 1}}},
	{"3-D two distributed", axes(block(1, 5, 1), whole(1, 3), block(0, 6, 0)), []int{2, 2}, [][2]int{{1, 1}, {0, 0}, {1, 1}}},
}

// overlapBox is the whole piece of a PE with its overlap, as far as the
// overlap's width reaches from owned elements: corners included.
func overlapBox(l *dist.Layout, q int, shadow [][2]int) Box {
	box := ownedBox(l, q)
	for d := range box {
		box[d] = box[d].Grow(shadow[d][0], shadow[d][1])
	}
	return box
}

// inside reports whether x lies in the declared bounds.
func inside(l *dist.Layout, x []int) bool {
	for d, ax := range l.Axes {
		if x[d] < ax.Lo || x[d] > ax.Hi {
			return false
		}
	}
	return true
}

func TestShadowExchange(t *testing.T) {
	for _, c := range shadowCases {
		for _, np := range peCounts {
			for _, mode := range []Mode{Handshake, Elided} {
				t.Run(fmt.Sprintf("%s/%d/%d", c.name, np, mode), func(t *testing.T) {
					shadowExchange(t, np, mode, c.m, c.grid, c.shadow)
				})
			}
		}
	}
}

func shadowExchange(t *testing.T, np int, mode Mode, m dist.Map, grid []int, shadow [][2]int) {
	_, stats := spmd(t, np, "", func(pe *PE) {
		l := dist.NewLayout(m, pe.Grid(grid...))
		a := NewArray[float64](pe, "a", l, shadow)
		c := NewComm(pe, 0, a, nil).Sync(mode)
		pe.Start()
		need := func(q int) Box { return overlapBox(l, q, shadow) }
		for step := range 5 {
			if mode == Elided {
				pe.Barrier(1) // the last values have been used everywhere
			}
			set(a, step)
			c.Needs(need)
			c.Post()
			c.Wait()
			each(need(pe.ID()), func(x []int) {
				if inside(l, x) && a.Data[a.At(x...)] != value(step, x...) {
					t.Errorf("PE %d step %d: a%v = %g, want %g", pe.ID(), step, x, a.Data[a.At(x...)], value(step, x...))
				}
			})
			c.Done()
		}
	})
	counts := stats.Site(0)
	switch {
	case np == 1 && counts.Data != 0:
		t.Errorf("one PE sent %d messages", counts.Data)
	case mode == Handshake && counts.Ready != counts.Data, mode == Elided && counts.Ready != 0:
		t.Errorf("%d ready messages for %d data messages", counts.Ready, counts.Data)
	}
}

// A 1-D exchange on P PEs sends 2(P-1) messages of one element per step.
func TestShadowMessagesAreMinimal(t *testing.T) {
	_, stats := spmd(t, 4, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(4))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
		c := NewComm(pe, 0, a, nil)
		pe.Start()
		for range 10 {
			c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 1)) })
			c.Post()
			c.Wait()
			c.Done()
		}
	})
	want := Counts{Calls: 40, Data: 60, Ready: 60, Bytes: 480}
	got := stats.Site(0)
	got.Waits = 0
	if got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

// Ten Jacobi sweeps equal the sequential ones bit by bit.
func TestJacobi(t *testing.T) {
	const n, sweeps = 11, 10
	seq := make([][n + 1]float64, n+1)
	for i := 1; i <= n; i++ {
		for j := 1; j <= n; j++ {
			seq[i][j] = value(0, i, j)
		}
	}
	for range sweeps {
		next := make([][n + 1]float64, n+1)
		copy(next, seq)
		for i := 2; i < n; i++ {
			for j := 2; j < n; j++ {
				next[i][j] = (seq[i-1][j] + seq[i+1][j] + seq[i][j-1] + seq[i][j+1]) / 4
			}
		}
		seq = next
	}
	for _, np := range peCounts {
		spmd(t, np, "", func(pe *PE) {
			l := dist.NewLayout(axes(block(1, n, 0), block(1, n, 1)), pe.Grid(2, 2))
			wide := [][2]int{{1, 1}, {1, 1}}
			u := NewArray[float64](pe, "u", l, wide)
			w := NewArray[float64](pe, "w", l, nil)
			c := NewComm(pe, 0, u, nil)
			pe.Start()
			set(u, 0)
			rows := u.Iters(pe.ID(), 0, 1, 0, dist.Range(2, n-1, 1))
			cols := u.Iters(pe.ID(), 1, 1, 0, dist.Range(2, n-1, 1))
			for range sweeps {
				c.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 1), l.Owned(q, 1).Grow(1, 1)) })
				c.Post()
				c.Wait()
				each(Box{rows, cols}, func(x []int) {
					i, j := x[0], x[1]
					w.Data[w.At2(i, j)] = (u.Data[u.At2(i-1, j)] + u.Data[u.At2(i+1, j)] + u.Data[u.At2(i, j-1)] + u.Data[u.At2(i, j+1)]) / 4
				})
				c.Done()
				each(Box{rows, cols}, func(x []int) { u.Data[u.At2(x[0], x[1])] = w.Data[w.At2(x[0], x[1])] })
			}
			each(ownedBox(l, pe.ID()), func(x []int) {
				if got := u.Data[u.At(x...)]; got != seq[x[0]][x[1]] {
					t.Errorf("%d PEs: u%v = %g, want %g", np, x, got, seq[x[0]][x[1]])
				}
			})
		})
	}
}

func TestNeedOutsideTheShadow(t *testing.T) {
	body := func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(4))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
		c := NewComm(pe, 3, a, nil)
		pe.Start()
		c.Needs(func(q int) Box { return Box{l.Owned(q, 0).Grow(2, 2)} })
		c.Post()
		c.Wait()
	}
	fails(t, 4, "", body, "prog.hpf:103: PE ", "internal error", "outside its overlap")
}
