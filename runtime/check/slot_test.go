package check

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// idle is a transport that does nothing.
type idle struct {
	transport.Transport
	pe int
}

func (t idle) PE() int { return t.pe }

func (idle) Alloc(int) unsafe.Pointer { return nil }

// pair is two communications on two PEs, as PE 0 and PE 1 see them.
func pair(reads Reads) (on [2][2]*Slot) {
	l := NewLedger(2)
	for pe := range on {
		m := l.Monitor(idle{pe: pe})
		for c := range on[pe] {
			on[pe][c] = m.Slot(c, fmt.Sprint("memory ", c), 1, reads)
		}
	}
	return on
}

func box(lo, hi int) []dist.Triplet { return []dist.Triplet{dist.Range(lo, hi, 1)} }

// describe is a violation in short.
func describe(v *Violation) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("put %d epoch %d, use %d epoch %d over %d flag %v", v.Put.Site, v.Epoch, v.Use.Site, v.UseEpoch, v.OverEpoch, v.Flag)
}

func expect(t *testing.T, got *Violation, want string) {
	t.Helper()
	if describe(got) != want {
		t.Errorf("%q, want %q", describe(got), want)
	}
}

// round is an epoch of a communication in which PE 0 puts to PE 1, as far as
// PE 0 is concerned.
func round(s *Slot, epoch uint64, cells []dist.Triplet) *Violation {
	s.Need(epoch, 1, cells)
	v := s.Put(epoch, 1, cells)
	s.Arrived(epoch)
	s.Over(epoch)
	return v
}

func TestPutAfterUse(t *testing.T) {
	on := pair(nil)
	p, q := on[0][0], on[1][0]
	expect(t, round(p, 1, box(1, 2)), "")
	expect(t, round(p, 2, box(1, 2)), "put 0 epoch 2, use 0 epoch 1 over 0 flag false")
	q.Arrived(1)
	expect(t, p.Put(2, 1, box(1, 2)), "put 0 epoch 2, use 0 epoch 1 over 0 flag false")
	q.Over(1)
	q.Arrived(2)
	q.Over(2)
	expect(t, round(p, 3, box(1, 2)), "")
	// A use that is not over on the putting PE itself is not asked for.
	p.Need(4, 1, box(1, 2))
	q.Arrived(3)
	q.Over(3)
	expect(t, p.Put(4, 1, box(1, 2)), "")
}

// An epoch in which PE 1 needs nothing holds nothing: it may be behind.
func TestPutAfterNothing(t *testing.T) {
	on := pair(nil)
	p, q := on[0][0], on[1][0]
	for e := uint64(1); e <= 3; e++ {
		p.Arrived(e)
		p.Over(e)
	}
	expect(t, round(p, 4, box(1, 1)), "")
	for e := uint64(5); e <= 7; e++ {
		p.Over(e)
	}
	p.Need(8, 1, box(1, 1))
	expect(t, p.Put(8, 1, box(1, 1)), "put 0 epoch 8, use 0 epoch 4 over 0 flag false")
	q.Arrived(4)
	q.Over(4)
	expect(t, p.Put(8, 1, box(1, 1)), "")
}

// Communications in one memory are checked against each other, cell by cell; the
// flag is that of each one.
func TestPutIntoSharedMemory(t *testing.T) {
	on := pair(func(q int, have, cells []dist.Triplet) bool { return !have[0].Intersect(cells[0]).Empty() })
	for pe := range on {
		on[pe][1].Join(on[pe][0])
	}
	a, b := on[0][0], on[0][1]
	expect(t, round(a, 1, box(1, 2)), "")
	expect(t, round(b, 1, box(3, 4)), "")
	expect(t, b.Put(2, 1, box(2, 3)), "put 1 epoch 2, use 1 epoch 1 over 0 flag false")
	expect(t, b.Put(2, 1, box(2, 2)), "put 1 epoch 2, use 0 epoch 1 over 0 flag false")
	on[1][0].Over(1)
	expect(t, b.Put(2, 1, box(2, 2)), "put 1 epoch 2, use 1 epoch 1 over 0 flag true")
	on[1][1].Arrived(1)
	expect(t, b.Put(2, 1, box(2, 2)), "")
	expect(t, a.Put(2, 1, box(4, 4)), "put 0 epoch 2, use 1 epoch 1 over 0 flag false")
}

// The record of needs is as long as PEs are apart: epochs with one need are one
// entry, and what is known to be over on the other PE goes.
func TestNeedsAreForgotten(t *testing.T) {
	on := pair(func(q int, have, cells []dist.Triplet) bool { return !have[0].Intersect(cells[0]).Empty() })
	p, q := on[0][0], on[1][0]
	for e := uint64(1); e <= 100; e++ {
		p.Need(e, 1, box(1, 100-int(e)/10))
		p.Over(e)
		q.Over(e)
		if e == 50 {
			p.monitor.clock[1] = 45 // of 50 steps
		}
	}
	if n := len(p.needs[1]); n != 7 { // 40-49, 50-59, ..., 90-99, 100
		t.Errorf("%d needs kept: %v", n, p.needs[1])
	}
	// A use of more cells stands for those before it.
	p.Need(101, 1, box(1, 100))
	p.Over(101)
	if n := len(p.needs[1]); n != 1 {
		t.Errorf("%d needs kept: %v", n, p.needs[1])
	}
}

// Three slots in one memory know each other, each once.
func TestJoin(t *testing.T) {
	m := NewLedger(1).Monitor(idle{})
	var list []*Slot
	for i := range 3 {
		s := m.Slot(i, "m", 1, nil)
		if i > 0 {
			s.Join(list[0])
		}
		list = append(list, s)
	}
	for _, s := range list {
		seen := map[*Slot]bool{}
		for _, x := range s.aliases {
			if seen[x] {
				t.Errorf("slot %d knows %d twice", s.Site, x.Site)
			}
			seen[x] = true
		}
		if len(seen) != 3 {
			t.Errorf("slot %d knows %d of 3", s.Site, len(seen))
		}
	}
}
