package spmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// stripped repeats a loop over the columns of a, in strips of size columns, of which
// every PE reads all rows. before comes before a gets its next values.
func stripped(t *testing.T, m dist.Map, size int, mode Mode, tells, down bool, before func(pe *PE, c *Comm[float64])) func(*PE) {
	return func(pe *PE) {
		l := dist.NewLayout(m, pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, nil)
		temp := NewTemps[float64](pe, 2, 8*min(size, 10), 2)
		c := NewComm(pe, 0, a, temp).Sync(mode).InStrips()
		if tells {
			c.Completing()
		}
		pe.Start()
		for step := range 4 {
			set(a, step)
			columns := dist.Range(1, 10-step, 1)
			strip := columns.Strip
			if down {
				strip = columns.StripDown
			}
			c.NeedsStrips(func(q, k int) Box { return pe.Box(dist.Range(1, 8, 1), strip(k, size)) })
			c.Post()
			c.Wait()
			for k := range columns.Strips(size) {
				c.Fetch(k)
				each(Box{dist.Range(1, 8, 1), strip(k, size)}, func(x []int) {
					if got := temp.Data[temp.At(x...)]; got != value(step, x...) {
						t.Errorf("%d PEs, PE %d, step %d: a%v is %g, not %g", pe.N(), pe.ID(), step, x, got, value(step, x...))
					}
				})
			}
			c.Done()
			before(pe, c)
		}
	}
}

var stripMaps = map[string]dist.Map{
	"rows":    axes(block(1, 8, 0), whole(1, 10)),
	"columns": axes(whole(1, 8), block(1, 10, 0)),
	"cyclic":  axes(whole(1, 8), cyclic(1, 10, 0)),
}

// TestStripsBringWhatIsNeeded: whoever owns the first strip, each PE finds the values
// of this step, on any number of PEs, with one strip and with many.
func TestStripsBringWhatIsNeeded(t *testing.T) {
	for name, m := range stripMaps {
		for _, np := range peCounts {
			for _, size := range []int{1, 3, 9, 20} {
				spmd(t, np, "", stripped(t, m, size, Handshake, true, size == 3, func(_ *PE, c *Comm[float64]) { c.Settle(7) }))
				_, stats := spmd(t, np, "", stripped(t, m, size, Elided, false, false, func(pe *PE, c *Comm[float64]) {
					Sum(pe, 1, 1) // everybody is done
					c.Settle(7)
				}))
				if n := stats.Total().Ready; n != 0 {
					t.Errorf("%s on %d PEs, strips of %d: %d ready messages", name, np, size, n)
				}
			}
		}
	}
}

// TestStripMessages: an owner sends one message to each PE, whether it has elements of
// the first strip or not, and the later strips are gets; each PE tells each owner once
// that it is done, and does not if there is one strip only.
func TestStripMessages(t *testing.T) {
	settle := func(_ *PE, c *Comm[float64]) { c.Settle(7) }
	for _, c := range []struct {
		size        int
		data, ready int64
	}{
		// Steps have 10, 9, 8 and 7 columns, of which PE 1 owns those from 6 on.
		{10, 4 * 2, 4 * 2},
		{5, 4*2 + 4, 4*2 + 4*2},
		// Of strips of 4 columns the second has some of both PEs, the third some of PE 1.
		{4, 4*2 + 4*2 + 2, 4*2 + 4*2},
	} {
		_, stats := spmd(t, 2, "", stripped(t, stripMaps["columns"], c.size, Handshake, true, false, settle))
		if got := stats.Total(); got.Data != c.data || got.Ready != c.ready {
			t.Errorf("strips of %d: %d data messages and %d ready messages, want %d and %d", c.size, got.Data, got.Ready, c.data, c.ready)
		}
	}
}

// TestOverwrittenSourceIsReported: an owner that overwrites what others get, without
// knowing that they are done, is reported in every run; and with a PE that is slow
// where it happens.
func TestOverwrittenSourceIsReported(t *testing.T) {
	if raceDetector {
		t.Skip("what is reported races by design")
	}
	for _, np := range []int{2, 3, 4} {
		for _, hold := range []string{"", fmt.Sprint(np - 1)} {
			err := heldRun(t, np, hold, "", func(pe *PE) {
				stripped(&testing.T{}, stripMaps["rows"], 3, Handshake, false, false, func(_ *PE, c *Comm[float64]) { c.Settle(7) })(pe)
			})
			if err == nil || !strings.Contains(err.Error(), "overwriting, in line 7, the elements of a that others get, for #1 test r0(i) (line 100) in epoch ") {
				t.Errorf("on %d PEs, held %q: %v", np, hold, err)
			}
			if hold != "" && err != nil && !strings.Contains(err.Error(), " comes too early: PE ") {
				t.Errorf("on %d PEs with PE %s held: %v", np, hold, err)
			}
			if err := heldRun(t, np, hold, "", stripped(t, stripMaps["rows"], 3, Handshake, true, false, func(_ *PE, c *Comm[float64]) { c.Settle(7) })); err != nil {
				t.Errorf("on %d PEs, held %q: %v", np, hold, err)
			}
		}
	}
}

// TestManyStripsTakeNoMemory: what is kept of the strips of a communication does not
// grow with their number, which is high where they are to save memory; and those that
// it is not kept of bring what is needed, also when the loop comes again.
func TestManyStripsTakeNoMemory(t *testing.T) {
	const columns = 3 * keptFetches
	for _, np := range []int{2, 3} {
		spmd(t, np, "", func(pe *PE) {
			a := NewArray[float64](pe, "a", dist.NewLayout(axes(cyclic(1, columns, 0)), pe.Grid(np)), nil)
			temp := NewTemps[float64](pe, 1, 1, 1)
			c := NewComm(pe, 0, a, temp).Sync(Handshake).InStrips().Completing()
			pe.Start()
			for step := range 3 {
				set(a, step)
				all := dist.Range(1, columns-step, 1)
				c.NeedsStrips(func(q, k int) Box { return pe.Box(all.Strip(k, 1)) })
				c.Post()
				c.Wait()
				for k := range all.Strips(1) {
					c.Fetch(k)
					if got := temp.Data[temp.At(k+1)]; got != value(step, k+1) {
						t.Errorf("%d PEs, PE %d, step %d: a(%d) is %g, not %g", np, pe.ID(), step, k+1, got, value(step, k+1))
					}
				}
				c.Done()
				c.Settle(7)
			}
			if n := len(c.strips.fetches); n != keptFetches {
				t.Errorf("%d PEs, PE %d: %d strips are described, not %d", np, pe.ID(), n, keptFetches)
			}
		})
	}
}
