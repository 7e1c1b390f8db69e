package spmd

import (
	"fmt"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
	"pgregory.net/rapid"
)

// tempCase is a communication into a temporary: x in need(q) is the element of
// the source at subs(x).
type tempCase struct {
	name string
	m    dist.Map // of the source
	grid []int
	need func(pe *PE, q, step int) Box
	subs func(step int) []Sub
	rank int // of the index space
}

// consumerOf is the index space distributed by rows of another array.
func consumerOf(m dist.Map, grid ...int) func(pe *PE, q, step int) Box {
	return func(pe *PE, q, step int) Box {
		return ownedBox(dist.NewLayout(m, pe.Grid(grid...)), q)
	}
}

// everywhere is the same box on every PE.
func everywhere(box ...dist.Triplet) func(pe *PE, q, step int) Box {
	return func(*PE, int, int) Box { return Box(box) }
}

func always(subs ...Sub) func(int) []Sub { return func(int) []Sub { return subs } }

var square = axes(block(1, 8, 0), block(1, 8, 1))

var tempCases = []tempCase{
	{"transpose", square, []int{2, 2}, consumerOf(square, 2, 2), always(Sub{1, 1, 0}, Sub{0, 1, 0}), 2},
	{"transpose of columns", axes(whole(1, 6), block(1, 9, 0)), []int{4}, consumerOf(axes(block(1, 9, 0), whole(1, 6)), 4), always(Sub{1, 1, 0}, Sub{0, 1, 0}), 2},
	{"block to cyclic", axes(block(1, 17, 0)), []int{4}, consumerOf(axes(cyclic(1, 17, 0)), 4), always(Sub{0, 1, 0}), 1},
	{"cyclic to block", axes(cyclic(0, 17, 0)), []int{4}, consumerOf(axes(block(0, 17, 0)), 4), always(Sub{0, 1, 0}), 1},
	{"reversed", axes(cyclic(1, 13, 0)), []int{4}, consumerOf(axes(block(1, 13, 0)), 4), always(Sub{0, -1, 14}), 1},
	{"strided", axes(block(1, 25, 0)), []int{4}, consumerOf(axes(block(1, 12, 0)), 4), always(Sub{0, 2, 1}), 1},
	{"strided cyclic", axes(cyclic(1, 25, 0)), []int{4}, consumerOf(axes(cyclic(0, 8, 0)), 4), always(Sub{0, 3, 1}), 1},
	{"diagonal", square, []int{2, 2}, consumerOf(axes(cyclic(1, 8, 0)), 4), always(Sub{0, 1, 0}, Sub{0, 1, 0}), 1},
	{"antidiagonal", square, []int{2, 2}, consumerOf(axes(block(1, 8, 0)), 4), always(Sub{0, 1, 0}, Sub{0, -1, 9}), 1},
	{"diagonal of cyclic", axes(cyclic(1, 9, 0), cyclic(0, 8, 1)), []int{2, 2}, everywhere(dist.Range(1, 8, 1)), always(Sub{0, 1, 1}, Sub{0, 1, 0}), 1},
	{"row", square, []int{2, 2}, everywhere(dist.Range(1, 8, 1)), func(step int) []Sub { return []Sub{{-1, 0, step + 1}, {0, 1, 0}} }, 1},
	{"column", square, []int{2, 2}, everywhere(dist.Range(1, 8, 1)), func(step int) []Sub { return []Sub{{0, 1, 0}, {-1, 0, 8 - step}} }, 1},
	{"triangle's column", axes(whole(1, 9), cyclic(1, 9, 0)), []int{4}, func(pe *PE, q, step int) Box { return Box{dist.Range(step+1, 9, 1)} }, func(step int) []Sub { return []Sub{{0, 1, 0}, {-1, 0, step + 1}} }, 1},
	{"element", axes(block(1, 8, 0)), []int{4}, everywhere(dist.Single(1)), func(step int) []Sub { return []Sub{{-1, 0, 2*step + 1}} }, 1},
	{"element, index space of rank 0", axes(block(1, 8, 0)), []int{4}, func(*PE, int, int) Box { return Box{} }, func(step int) []Sub { return []Sub{{-1, 0, 2*step + 1}} }, 0},
	{"element for one PE", axes(block(1, 8, 0)), []int{4}, func(pe *PE, q, step int) Box {
		if q == step%pe.N() {
			return Box{dist.Single(7)}
		}
		return nil
	}, always(Sub{0, 1, -2}), 1},
	{"replicated source", axes(whole(1, 8)), []int{4}, everywhere(dist.Range(1, 8, 1)), always(Sub{0, 1, 0}), 1},
	{"source replicated along a grid dimension", axes(block(1, 8, 1)), []int{2, 2}, everywhere(dist.Range(1, 8, 1)), always(Sub{0, 1, 0}), 1},
	{"source on one grid line", dist.Map{Axes: []dist.Axis{block(1, 8, 1)}, Fixed: []dist.Fixed{{Grid: 0, Format: dist.Cyclic, TLo: 1, THi: 9, Pos: 5}}}, []int{2, 2}, everywhere(dist.Range(2, 7, 1)), always(Sub{0, 1, 0}), 1},
	{"beyond the bounds", axes(block(1, 8, 0)), []int{4}, everywhere(dist.Range(-3, 12, 1)), always(Sub{0, 1, 0}), 1},
	{"axis without subscript", axes(block(1, 8, 0)), []int{4}, consumerOf(square, 2, 2), always(Sub{1, 1, 0}), 2},
	{"empty", axes(block(1, 8, 0)), []int{4}, everywhere(dist.Triplet{}), always(Sub{0, 1, 0}), 1},
	{"rank 3 permuted", axes(block(1, 4, 0), cyclic(1, 5, 1), whole(1, 3)), []int{2, 2}, consumerOf(axes(whole(1, 3), block(1, 4, 1), block(1, 5, 0)), 2, 2), always(Sub{1, 1, 0}, Sub{2, 1, 0}, Sub{0, 1, 0}), 3},
}

func TestTemporaries(t *testing.T) {
	for _, c := range tempCases {
		for _, np := range peCounts {
			for _, mode := range []Mode{Handshake, Elided} {
				for _, check := range []bool{true, false} {
					t.Run(fmt.Sprintf("%s/%d/%d/%t", c.name, np, mode, check), func(t *testing.T) { c.run(t, np, mode, check) })
				}
			}
		}
	}
}

// byAll reports whether all PEs need the same.
func (c *tempCase) byAll(pe *PE, step int) bool {
	first := slices.Clone(c.need(pe, 0, step))
	for q := range pe.N() {
		if box := c.need(pe, q, step); box == nil || !slices.Equal(first, box) {
			return false
		}
	}
	return true
}

// hull is a box that has what all PEs need: the axes that are the same for all, and the others
// whole.
func (c *tempCase) hull(pe *PE, step int) Box {
	var hull Box
	for q := range pe.N() {
		for d, x := range c.need(pe, q, step) {
			switch {
			case d == len(hull):
				hull = append(hull, x)
			case hull[d] != x:
				hull[d] = dist.All()
			}
		}
	}
	return hull
}

func (c *tempCase) run(t testing.TB, np int, mode Mode, check bool) {
	p := sites(8)
	p.Check = check
	_, stats := executed(t, p, np, "", func(pe *PE) {
		l := dist.NewLayout(c.m, pe.Grid(c.grid...))
		a := NewArray[float64](pe, "a", l, nil)
		tmp := NewTemp[float64](pe, c.rank, 400)
		comm := NewComm(pe, 0, a, tmp).Sync(mode)
		pe.Start()
		for step := range 4 {
			if mode == Elided {
				pe.Barrier(1)
			}
			set(a, step)
			subs := c.subs(step)
			if step%2 == 1 && c.byAll(pe, step) {
				comm.NeedsAll(c.need(pe, 0, step), subs...)
			} else {
				if comm.Within(nil); step > 1 {
					comm.Within(c.hull(pe, step))
				}
				comm.Needs(func(q int) Box { return c.need(pe, q, step) }, subs...)
			}
			comm.Post()
			comm.Wait()
			each(c.need(pe, pe.ID(), step), func(x []int) {
				idx := make([]int, len(subs))
				for d, s := range subs {
					idx[d] = s.Off
					if s.Axis >= 0 {
						idx[d] += s.Coef * x[s.Axis]
					}
				}
				if !inside(l, idx) {
					return
				}
				if got, want := tmp.Data[tmp.At(x...)], value(step, idx...); got != want {
					t.Errorf("%s: PE %d of %d step %d: at %v is %g, want a%v = %g", c.name, pe.ID(), np, step, x, got, idx, want)
				}
			})
			comm.Done()
		}
	})
	if n := stats.Site(0).Data; np == 1 && n != 0 {
		t.Errorf("one PE sent %d messages", n)
	}
}

// TestNeedOutside: check builds find a need that is not where all needs are said to be.
func TestNeedOutside(t *testing.T) {
	fails(t, 4, "", func(pe *PE) {
		a := NewArray[float64](pe, "a", dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(0)), nil)
		c := NewComm(pe, 0, a, NewTemp[float64](pe, 1, 16))
		pe.Start()
		c.Within(pe.Box(dist.Range(1, 6, 1))).Needs(func(q int) Box { return pe.Box(dist.Range(1, 4+q, 1)) })
		c.Post()
	}, "a need outside of what all PEs need")
}

// A source on every PE costs no messages.
func TestReplicatedSourceIsLocal(t *testing.T) {
	_, stats := spmd(t, 4, "", func(pe *PE) {
		a := NewLocal[float64](pe, "a", [2]int{1, 8})
		tmp := NewTemp[float64](pe, 1, 8)
		comm := NewComm(pe, 0, a, tmp)
		pe.Start()
		set(a, 0)
		comm.Needs(func(int) Box { return Box{dist.Range(1, 8, 1)} })
		comm.Post()
		comm.Wait()
		for i := 1; i <= 8; i++ {
			if tmp.Data[tmp.At1(i)] != value(0, i) {
				t.Errorf("element %d is %g", i, tmp.Data[tmp.At1(i)])
			}
		}
	})
	if c := stats.Site(0); c.Data != 0 || c.Ready != 0 {
		t.Errorf("%d data and %d ready messages", c.Data, c.Ready)
	}
}

// Any source mapping, any consumers, any subscripts.
func TestAnyTemporary(t *testing.T) {
	bounds := rapid.IntRange(1, 9)
	axis := func(r *rapid.T, grid int) dist.Axis {
		lo := rapid.IntRange(-2, 2).Draw(r, "lo")
		ax := dist.Axis{Lo: lo, Hi: lo + bounds.Draw(r, "extent") - 1, Grid: grid, A: 1}
		ax.Format = rapid.SampledFrom([]dist.Format{dist.Collapsed, dist.Block, dist.Blocks(3), dist.Cyclic}).Draw(r, "format")
		ax.A = rapid.SampledFrom([]int{1, 1, 2, -1, -3}).Draw(r, "stride")
		ax.B = rapid.IntRange(-3, 3).Draw(r, "offset")
		p, q := ax.A*ax.Lo+ax.B, ax.A*ax.Hi+ax.B
		ax.TLo, ax.THi = min(p, q)-rapid.IntRange(0, 2).Draw(r, "before"), max(p, q)+rapid.IntRange(0, 2).Draw(r, "after")
		return ax
	}
	rapid.Check(t, func(r *rapid.T) {
		np := rapid.IntRange(1, 6).Draw(r, "np")
		grid := []int{2, 2}
		perm := rapid.SampledFrom([][]int{{0, 1}, {1, 0}}).Draw(r, "perm")
		src := axes(axis(r, perm[0]), axis(r, perm[1]))
		if rapid.Bool().Draw(r, "one axis") {
			src.Axes = src.Axes[:1]
			if rapid.Bool().Draw(r, "fixed") {
				src.Fixed = []dist.Fixed{{Grid: perm[1], Format: dist.Block, TLo: 1, THi: 5, Pos: rapid.IntRange(1, 5).Draw(r, "pos")}}
			}
		}
		user := axes(axis(r, 0), axis(r, 1))
		var subs []Sub
		for range src.Axes {
			s := Sub{rapid.IntRange(-1, 1).Draw(r, "axis"), rapid.IntRange(-2, 2).Draw(r, "coef"), rapid.IntRange(-4, 9).Draw(r, "off")}
			subs = append(subs, s)
		}
		c := tempCase{"random", src, grid, consumerOf(user, grid...), always(subs...), 2}
		c.run(raw{t, r}, np, Handshake, rapid.Bool().Draw(r, "check"))
	})
}

// raw lets a rapid check use helpers that take a testing.TB.
type raw struct {
	testing.TB
	r *rapid.T
}

func (w raw) Errorf(format string, args ...any) { w.r.Errorf(format, args...) }
func (w raw) Fatalf(format string, args ...any) { w.r.Fatalf(format, args...) }
func (w raw) Helper()                           {}

func TestTemporaryTooSmall(t *testing.T) {
	fails(t, 2, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 16, 0)), pe.Grid(2))
		a := NewArray[float64](pe, "a", l, nil)
		tmp := NewTemp[float64](pe, 1, 15)
		c := NewComm(pe, 1, a, tmp)
		pe.Start()
		c.Needs(func(int) Box { return Box{dist.Range(1, 16, 1)} })
		c.Post()
	}, "prog.hpf:101: PE ", "internal error", "16 elements are needed, the temporary holds 15")
}

func TestPostBeforeDone(t *testing.T) {
	fails(t, 2, "", func(pe *PE) {
		a := NewLocal[float64](pe, "a", [2]int{1, 2})
		c := NewComm(pe, 1, a, NewTemp[float64](pe, 1, 15))
		pe.Start()
		for range 2 {
			c.Needs(func(int) Box { return Box{dist.Range(1, 2, 1)} })
			c.Post()
			c.Wait()
		}
	}, "prog.hpf:101: PE ", "internal error", "previous value is in use")
}

// Two communications may take turns in one temporary.
func TestSharedTemporary(t *testing.T) {
	spmd(t, 3, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 9, 0)), pe.Grid(3))
		a := NewArray[float64](pe, "a", l, nil)
		tmp := NewTemp[float64](pe, 1, 9)
		low, high := NewComm(pe, 0, a, tmp), NewComm(pe, 1, a, tmp)
		pe.Start()
		set(a, 0)
		for range 3 {
			for k, c := range []*Comm[float64]{low, high} {
				lo := 1 + 5*k
				c.Needs(func(int) Box { return Box{dist.Range(lo, lo+3, 1)} })
				c.Post()
				c.Wait()
				for i := lo; i < lo+4; i++ {
					if tmp.Data[tmp.At1(i)] != value(0, i) {
						t.Errorf("element %d is %g", i, tmp.Data[tmp.At1(i)])
					}
				}
				c.Done()
			}
		}
	})
}

// TestInPlace: a PE that runs alone reads the source itself, several read copies.
func TestInPlace(t *testing.T) {
	for _, n := range []int{1, 2} {
		spmd(t, n, "", func(pe *PE) {
			l := dist.NewLayout(axes(cyclic(1, 9, 0)), pe.Grid(n))
			a := NewArray[float64](pe, "a", l, nil)
			tmp := NewTemp[float64](pe, 1, 9)
			c, copying := NewComm(pe, 0, a, tmp).InPlace(), NewComm(pe, 1, a, tmp)
			pe.Start()
			set(a, 0)
			for _, c := range []*Comm[float64]{c, copying, c} {
				c.Needs(func(int) Box { return Box{dist.Range(2, 7, 1)} })
				c.Post()
				c.Wait()
				for i := 2; i <= 7; i++ {
					if tmp.Data[tmp.At1(i)] != value(0, i) {
						t.Errorf("%d PEs: element %d is %g", n, i, tmp.Data[tmp.At1(i)])
					}
				}
				if is := &tmp.Data[tmp.At1(3)] == &a.Data[a.At1(3)]; is != (n == 1 && c != copying) {
					t.Errorf("%d PEs: a view: %v", n, is)
				}
				c.Done()
			}
		})
	}
}
