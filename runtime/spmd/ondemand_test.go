package spmd

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// noting is a program that a seed picks: shifts in both directions, alone, at once
// or as one message; broadcasts of an element, whose owner changes; a pipeline; and
// now and then a reduction or a barrier. All communications leave out the ready
// messages to those to whom the consumer has sent something. spoil is called once the
// communications are made.
func noting(t *testing.T, seed uint64, spoil func(pe *PE), end func(pe *PE)) func(*PE) {
	const n, steps = 12, 40
	return func(pe *PE) {
		random := rand.New(rand.NewPCG(seed, 1)) // the same on all PEs
		l := dist.NewLayout(axes(block(1, n, 0)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
		b := NewArray[float64](pe, "b", l, [][2]int{{1, 0}})
		slots := func() int { return 1 + random.IntN(4) }
		left := NewStaged(pe, 0, a, slots(), 0).OnDemand()
		right := NewStaged(pe, 1, a, slots(), 0).OnDemand()
		tmp := NewTemps[float64](pe, 0, 1, slots())
		one := NewComm(pe, 2, a, tmp).OnDemand()
		pipe := NewStaged(pe, 3, b, slots(), 0).OnDemand()
		with := pe.MessageGroup(left, right)
		if spoil != nil {
			spoil(pe)
		}
		pe.Start()
		// Less than a neighbour has makes pairs that send to each other in one
		// direction only.
		most := 1 + random.IntN(n)
		toRight := func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0).Intersect(dist.Range(1, most, 1))) }
		toLeft := func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(0, 1)) }
		own := a.Owned(0)
		for step := range steps {
			set(a, step)
			switch random.IntN(7) {
			case 0:
				left.Needs(toRight)
				left.Post()
				left.Wait()
				left.Done()
			case 1:
				right.Needs(toLeft)
				right.Post()
				right.Wait()
				right.Done()
			case 2:
				left.Needs(toRight)
				left.Post()
				right.Needs(toLeft)
				right.Post()
				left.Wait()
				right.Wait()
				if i := own.Hi() + 1; own.N > 0 && i <= n && a.Data[a.At1(i)] != value(step, i) {
					t.Errorf("PE %d step %d: a(%d) = %g", pe.ID(), step, i, a.Data[a.At1(i)])
				}
				left.Done()
				right.Done()
			case 3:
				left.Needs(toRight)
				right.Needs(toLeft)
				with.Post()
				left.Wait()
				right.Wait()
				left.Done()
				right.Done()
			case 4:
				k := 1 + random.IntN(n)
				one.Needs(func(q int) Box { return pe.Box() }, Sub{-1, 0, k})
				one.Post()
				one.Wait()
				if got := tmp.Data[0]; got != value(step, k) {
					t.Errorf("PE %d step %d: a(%d) = %g, want %g", pe.ID(), step, k, got, value(step, k))
				}
				one.Done()
			case 5:
				pipe.NeedsFrom(0, 1, func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0).Intersect(dist.Range(1, n, 1))) })
				pipe.PipeRecv()
				for i := own.Lo; i < own.Lo+own.N; i++ {
					b.Data[b.At1(i)] = 1
					if i > 1 {
						b.Data[b.At1(i)] += b.Data[b.At1(i-1)]
					}
					if got := b.Data[b.At1(i)]; got != float64(i) {
						t.Errorf("PE %d step %d: b(%d) = %g", pe.ID(), step, i, got)
					}
				}
				pe.PipeSend(pipe)
				pipe.Done()
			case 6:
				if random.IntN(2) == 0 {
					Sum(pe, 3, 1)
				} else {
					pe.Barrier(3)
				}
			}
		}
		if end != nil {
			end(pe)
		}
	}
}

// TestOnDemandInAnyOrder: whatever the order of communications, no put comes early, also when
// PEs are slow; what each PE has noted of its messages to another is what that one
// has noted; and there are fewer ready messages than puts into used slots.
func TestOnDemandInAnyOrder(t *testing.T) {
	var mu sync.Mutex
	var ready, data int64
	for seed := range uint64(20) {
		for _, np := range []int{2, 3, 4} {
			notes := make([]*acks, np)
			end := func(pe *PE) {
				mu.Lock()
				defer mu.Unlock()
				notes[pe.id] = pe.acks
			}
			_, stats := spmd(t, np, "", noting(t, seed, nil, end))
			for p := range np {
				for q := range np {
					if p != q && (notes[p].received[q] != notes[q].sent[p] || notes[p].now != notes[q].now || notes[p].all != notes[q].all) {
						t.Errorf("seed %d, %d PEs: PE %d notes %+v, PE %d %+v", seed, np, p, notes[p], q, notes[q])
					}
				}
			}
			for site := range 4 {
				ready, data = ready+stats.Site(site).Ready, data+stats.Site(site).Data
			}
			for _, holds := range []string{"1", fmt.Sprintf("random,%d", seed)} {
				wantError(t, heldRun(t, np, holds, "", noting(t, seed, nil, nil)), "")
			}
		}
	}
	t.Logf("%d ready messages for %d data messages", ready, data)
	if ready == 0 || ready*2 > data {
		t.Errorf("%d ready messages for %d data messages", ready, data)
	}
}

// TestWrongAcknowledgements: when PEs believe to have acknowledgements that they do not have, the check finds
// it; so does it when they forget when a use was over.
func TestWrongAcknowledgements(t *testing.T) {
	if raceDetector {
		t.Skip("puts that come too early are data races, which is what the test is about")
	}
	for what, spoil := range map[string]func(pe *PE){
		"all acknowledged": func(pe *PE) {
			for p := range pe.n {
				pe.acks.received[p], pe.acks.sent[p] = inUse-1, inUse-1
			}
		},
		"PE 1 acknowledged": func(pe *PE) {
			if pe.id != 1 {
				pe.acks.received[1] = inUse - 1
			} else {
				for p := range pe.acks.sent {
					pe.acks.sent[p] = inUse - 1
				}
			}
		},
	} {
		found := 0
		for seed := range uint64(20) {
			if err := heldRun(t, 3, "random,1 1", "", noting(t, seed, spoil, nil)); err != nil {
				if !strings.Contains(err.Error(), "comes too early") && !strings.Contains(err.Error(), "is not ordered") {
					t.Fatalf("%s, seed %d: %v", what, seed, err)
				}
				found++
			}
		}
		t.Logf("%s: found in %d of 20 programs", what, found)
		if found < 10 {
			t.Errorf("%s: found in %d of 20 programs only", what, found)
		}
	}
}

// TestOnDemandByForce: with ready messages forced there is one before every put.
func TestOnDemandByForce(t *testing.T) {
	p := sites(8)
	p.Handshake = true
	stats, err := Run(p, 3, nil, nil, noting(t, 3, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	var ready, data int64
	for site := range 3 {
		ready, data = ready+stats.Site(site).Ready, data+stats.Site(site).Data
	}
	if ready != data || data == 0 {
		t.Errorf("%d ready messages for %d data messages", ready, data)
	}
}

// TestOneReadyMessageForMany: of two broadcasts in a loop, always from PE 0, with one
// slot each, only the first needs ready messages: they tell of the second's last use
// too. With a message back in between neither needs any.
func TestOneReadyMessageForMany(t *testing.T) {
	const np, rounds = 3, 10
	for _, answered := range []bool{false, true} {
		body := func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 9, 0)), pe.Grid(np))
			a := NewArray[float64](pe, "a", l, nil)
			x := NewComm(pe, 0, a, NewTemp[float64](pe, 0, 1)).OnDemand()
			y := NewComm(pe, 1, a, NewTemp[float64](pe, 0, 1)).OnDemand()
			back := NewComm(pe, 2, a, NewTemp[float64](pe, 1, 9)).Sync(Elided)
			pe.Start()
			for range rounds {
				for _, c := range []*Comm[float64]{x, y} {
					c.Needs(func(int) Box { return pe.Box() }, Sub{-1, 0, 1})
					c.Post()
					c.Wait()
					c.Done()
				}
				if answered {
					back.Needs(func(q int) Box {
						if q != 0 {
							return nil
						}
						return pe.Box(dist.Range(1, 9, 1))
					})
					back.Post()
					back.Wait()
					back.Done()
				}
			}
		}
		_, stats := spmd(t, np, "", body)
		want := int64((rounds - 1) * (np - 1))
		if answered {
			want = 0
		}
		if x, y := stats.Site(0), stats.Site(1); x.Ready != want || y.Ready != 0 || x.Data != rounds*(np-1) || y.Data != x.Data {
			t.Errorf("answered %t: %+v and %+v, want %d ready messages and none", answered, x, y, want)
		}
		wantError(t, heldRun(t, np, "1 2", "", body), "")
	}
}
