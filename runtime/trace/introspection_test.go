package trace

import (
	"math"
	"testing"
	"time"
)

// nested is a table of so many regions: the program, a loop i, and a loop i in that for each other
// one, in lines of their own.
func nested(n int) []Region {
	list := []Region{{-1, "program", "p", 1, n}, {0, "loop", "i", 2, n}}
	for i := len(list); i < n; i++ {
		list = append(list, Region{1, "loop", "i", i + 1, i + 1})
	}
	return list
}

// TestIntrospection: what the program is told while it runs are the sums that the profile has;
// regions inside of one of the same name do not count twice.
func TestIntrospection(t *testing.T) {
	with(t, 2, 4, 1, func(r *Recorder) {
		r.table, r.clock = nested(4), readClock()
		time.Sleep(20 * time.Millisecond) // the rate is known well
		outer, inner := r.RegionID(" I "), r.RegionID("4")
		if outer == 0 || inner == 0 || outer == inner || r.RegionID("i") != outer || r.RegionID("j") != 0 {
			t.Errorf("the regions are %d, %d, %d", outer, inner, r.RegionID("j"))
		}
		r.Enter(1)
		for range 5 {
			r.Enter(3)
			r.Barrier(0)
			r.Leave()
		}
		if r.RegionCount(outer) != 0 || r.RegionCount(inner) != 5 {
			t.Errorf("%d and %d executions, want 0 and 5", r.RegionCount(outer), r.RegionCount(inner))
		}
		r.Leave()
		barrier := r.ActivityID("barrier")
		rate := r.clock.rate() / 1e9
		for what, pair := range map[string][2]float64{
			"seconds": {r.RegionSeconds(outer), float64(r.regions[1].Total) * rate},
			"blocked": {r.RegionBlocked(inner), float64(r.regions[3].Blocked) * rate},
			"waits":   {r.ActivitySeconds(barrier), float64(r.acts[r.index(Barrier, 0)].Total) * rate},
			"most":    {r.ActivityMost(barrier), float64(r.acts[r.index(Barrier, 0)].Most) * rate},
		} {
			if pair[1] <= 0 || math.Abs(pair[0]-pair[1]) > 0.05*pair[1] {
				t.Errorf("%s: %g, want %g", what, pair[0], pair[1])
			}
		}
		if r.RegionCount(outer) != 1 || r.ActivityCalls(barrier) != 5 || r.ActivityBytes(barrier) != 0 || r.ActivityLeast(barrier) > r.ActivityMost(barrier) {
			t.Errorf("%d executions, %d barriers", r.RegionCount(outer), r.ActivityCalls(barrier))
		}
		for _, id := range []int32{-1, 0, 3, 1 << 30} {
			if r.RegionCount(id) != 0 || r.RegionSeconds(id) != 0 || id != 3 && r.ActivityCalls(id) != 0 {
				t.Errorf("region or activity %d is there", id)
			}
		}
	})
	with(t, 1, 4, 1, func(r *Recorder) {
		r.table, r.clock = []Region{{-1, "program", "p", 1, 9}, {0, "input", "", 2, 2}, {0, "output", "", 3, 3}, {0, "output", "", 4, 4}}, readClock()
		in, out := r.ActivityID("Input"), r.ActivityID(" output")
		for i, ticks := range []int64{70, 20, 50} {
			r.enter(2+i%2, 100)
			r.leave(100 + ticks)
		}
		s := r.activity(out)
		if in == out || r.ActivityCalls(in) != 0 || r.ActivityCalls(out) != 3 || s.Total != 140 || s.Least != 20 || s.Most != 70 || r.ActivityBytes(out) != 0 {
			t.Errorf("input is %d, output %d: %+v", in, out, s)
		}
	})
	var none *Recorder
	if none.RegionID("i")+none.ActivityID("put") != 0 || none.RegionSeconds(1)+none.ActivityMost(1) != 0 || none.ActivityBytes(1) != 0 {
		t.Error("something is measured without a recorder")
	}
}

// BenchmarkLookUp is a look-up by number among 20,000 regions, each with a name of its own.
func BenchmarkLookUp(b *testing.B) {
	const n = 20_000
	with(b, 1, n, 0, func(r *Recorder) {
		r.table, r.clock = nested(n), readClock()
		ids := make([]int32, 0, n)
		for _, line := range []string{"5", "999", "12000", "19999"} {
			ids = append(ids, r.RegionID(line))
			r.regions[r.groups[len(ids)-1][0]].Total = 5
		}
		for i := 0; b.Loop(); i++ {
			r.RegionSeconds(ids[i&3])
		}
	})
}
