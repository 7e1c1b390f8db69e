package trace

import (
	"testing"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

// with runs body on n PEs, each with a recorder of so many regions and sites, and returns
// these.
func with(t testing.TB, n, regions, sites int, body func(r *Recorder)) []*Recorder {
	t.Helper()
	all := make([]*Recorder, n)
	err := inproc.Run(n, func([]transport.Wait) error { return nil }, func(tr transport.Transport) {
		r := newRecorder(tr, regions, sites)
		all[tr.PE()] = r
		tr.Start()
		body(r)
		r.end()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNesting: each execution of a region counts once, whatever way it is left, and what is
// inside of it is not part of its own time.
func TestNesting(t *testing.T) {
	r := with(t, 1, 4, 0, func(r *Recorder) {
		for range 3 {
			r.Enter(1)
			r.Enter(2)
			r.Leave()
			r.Enter(2)
			r.Enter(3)
			r.LeaveTo(1)
			r.Leave()
		}
		r.Enter(1)
		r.Enter(2) // left by the end of the program
	})[0]
	for region, want := range []int64{1, 4, 7, 3} {
		if got := r.regions[region].Count; got != want {
			t.Errorf("region %d: %d executions, want %d", region, got, want)
		}
	}
	var self int64
	for i, s := range r.regions {
		self += s.Total - s.Inner
		if s.Inner > s.Total || s.Least > s.Most || s.Most > s.Total {
			t.Errorf("region %d: %+v", i, s)
		}
	}
	if all := r.regions[0].Total; self != all {
		t.Errorf("the regions themselves took %d ticks, the program %d", self, all)
	}
}

// TestActivities: what a PE does with others is measured at its site, is no time of the
// region around it, and is blocked time of that if it is a wait.
func TestActivities(t *testing.T) {
	const site = 1
	for pe, r := range with(t, 3, 2, 2, func(r *Recorder) {
		r.Enter(1)
		for range 5 {
			r.Barrier(site)
		}
		if got := r.Broadcast(-1, 0, uint64(r.PE()+7)); got != 7 {
			t.Errorf("broadcast of %d", got)
		}
		r.Leave()
	}) {
		barriers, broadcasts := r.acts[r.index(Barrier, site)], r.acts[r.index(Broadcast, -1)]
		if barriers.Count != 5 || broadcasts.Count != 1 {
			t.Errorf("PE %d: %d barriers and %d broadcasts, want 5 and 1", pe, barriers.Count, broadcasts.Count)
		}
		if waits := barriers.Total + broadcasts.Total; r.regions[1].Blocked != waits || r.regions[1].Inner != waits || r.regions[0].Blocked != 0 {
			t.Errorf("PE %d: blocked for %d ticks of %d, and the program for %d", pe, r.regions[1].Blocked, waits, r.regions[0].Blocked)
		}
	}
}

// TestNone: without a recorder nothing is measured, and nothing fails.
func TestNone(t *testing.T) {
	var r *Recorder
	r.Enter(1)
	r.LeaveTo(0)
	r.Leave()
}

// BenchmarkRegion is what the two events of a region take.
func BenchmarkRegion(b *testing.B) {
	with(b, 1, 2, 0, func(r *Recorder) {
		for b.Loop() {
			r.Enter(1)
			r.Leave()
		}
	})
}

// BenchmarkNone is the same in a run that measures nothing.
func BenchmarkNone(b *testing.B) {
	var r *Recorder
	for b.Loop() {
		r.Enter(1)
		r.Leave()
	}
}
