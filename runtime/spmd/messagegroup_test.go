package spmd

import (
	"fmt"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestMessageGroup posts three communications of two element types as one set, with
// every mixture of modes: an overlap filled from the left, that of another array, and a
// temporary. All values arrive, messages to the same PE are one, and each ready
// message carries those slots that need it.
func TestMessageGroup(t *testing.T) {
	for _, np := range peCounts {
		for modes := range 8 {
			t.Run(fmt.Sprintf("%d/%03b", np, modes), func(t *testing.T) { together(t, np, modes) })
		}
	}
}

func together(t *testing.T, np, modes int) {
	const n, steps = 13, 4
	mode := func(i int) Mode {
		if modes>>i&1 == 1 {
			return Elided
		}
		return Handshake
	}
	_, stats := spmd(t, np, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, n, 0)), pe.Grid(0))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
		b := NewArray[int](pe, "b", l, [][2]int{{2, 0}})
		all := NewTemp[int](pe, 1, n)
		ca := NewComm(pe, 0, a, nil).Sync(mode(0))
		cb := NewComm(pe, 1, b, nil).Sync(mode(1))
		call := NewComm(pe, 2, b, all).Sync(mode(2))
		set3 := pe.MessageGroup(ca, cb, call)
		pe.Start()
		for step := range steps {
			if modes != 0 {
				pe.Barrier(3) // the last values have been used everywhere
			}
			set(a, step)
			each(ownedBox(l, pe.ID()), func(x []int) { b.Data[b.At(x...)] = 100*step + x[0] })
			// The need changes in the third step, and with it who sends.
			last := n - 6*(step/2)
			call.Needs(func(q int) Box { return pe.Box(dist.Range(1, last, 1)) })
			ca.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			cb.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(2, 0)) })
			set3.Post()
			ca.Wait()
			cb.Wait()
			call.Wait()
			own := l.Owned(pe.ID(), 0)
			for i := own.Lo; i <= own.Hi() && own.N > 0; i++ {
				for near := max(1, i-2); near <= i; near++ {
					if near >= i-1 && near >= own.Lo-1 && a.Data[a.At(near)] != value(step, near) {
						t.Errorf("PE %d step %d: a(%d) = %g", pe.ID(), step, near, a.Data[a.At(near)])
					}
					if got := b.Data[b.At(near)]; got != 100*step+near {
						t.Errorf("PE %d step %d: b(%d) = %d", pe.ID(), step, near, got)
					}
				}
			}
			for i := 1; i <= last; i++ {
				if got := all.Data[all.At(i)]; got != 100*step+i {
					t.Errorf("PE %d step %d: %d of all is %d", pe.ID(), step, i, got)
				}
			}
			ca.Done()
			cb.Done()
			call.Done()
		}
	})
	var sum Counts
	for site := range 3 {
		sum.add(stats.Site(site))
	}
	// Everybody who owns something sends to everybody: in the temporary's part if
	// in no other.
	pairs := 0
	l := dist.NewLayout(axes(block(1, n, 0)), dist.Grid{np})
	for p := range np {
		for q := range np {
			for step := range steps {
				left := l.Owned(q, 0).Grow(2, 0).Intersect(l.Owned(p, 0))
				first := dist.Range(1, n-6*(step/2), 1).Intersect(l.Owned(p, 0))
				if p != q && (!left.Empty() || !first.Empty()) {
					pairs++
				}
			}
		}
	}
	if sum.Data != int64(pairs) {
		t.Errorf("%d data messages, want one per pair: %d", sum.Data, pairs)
	}
	switch {
	case modes == 0 && sum.Ready != sum.Data:
		t.Errorf("%d ready messages for %d data messages", sum.Ready, sum.Data)
	case modes == 7 && sum.Ready != 0:
		t.Errorf("%d ready messages, none is needed", sum.Ready)
	case sum.Ready > sum.Data:
		t.Errorf("%d ready messages for %d data messages", sum.Ready, sum.Data)
	}
	// Bytes are counted where they belong.
	if c := stats.Site(2); np > 1 && c.Bytes == 0 {
		t.Error("the temporary's elements are not counted as its own")
	}
}

// TestMessageGroupAllocatesNothing: as long as the needs stay the same, posting a set
// allocates no memory.
func TestMessageGroupAllocatesNothing(t *testing.T) {
	spmd(t, 1, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(0))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
		left, right := NewComm(pe, 0, a, nil), NewComm(pe, 1, a, nil)
		both := pe.MessageGroup(left, right)
		pe.Start()
		allocs := testing.AllocsPerRun(100, func() {
			left.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			right.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(0, 1)) })
			both.Post()
			left.Wait()
			right.Wait()
			left.Done()
			right.Done()
		})
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}
