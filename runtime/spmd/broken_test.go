package spmd

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// broken is a transport that does wrong with the put of one epoch by one PE.
type broken struct {
	transport.Transport
	fault string
	epoch uint64
	held  []func() // puts to be made later
	when  string   // the call that makes them
}

func (b *broken) release(at string) {
	if b.when != at {
		return
	}
	list := b.held
	b.held = nil
	for _, put := range list {
		put()
	}
}

func (b *broken) Put(site int, buf transport.Buffer, to int, epoch uint64, src transport.Memory, m *transport.Move) {
	b.carry(epoch, func() { b.Transport.Put(site, buf, to, epoch, src, m) })
}

func (b *broken) PutAll(site, to int, parts []transport.Part) {
	list := append([]transport.Part(nil), parts...)
	b.carry(parts[0].Epoch, func() { b.Transport.PutAll(site, to, list) })
}

func (b *broken) carry(epoch uint64, put func()) {
	if epoch != b.epoch {
		put()
		b.release("put")
		return
	}
	switch b.fault {
	case "drop":
	case "twice":
		put()
		put()
	case "again behind the next", "again at the next wait":
		put()
		b.held = append(b.held, put)
	default:
		b.held = append(b.held, put)
	}
}

func (b *broken) Await(site int, buf transport.Buffer, from int, epoch uint64) bool {
	b.release("wait")
	return b.Transport.Await(site, buf, from, epoch)
}

func (b *broken) AwaitReady(site int, buf transport.Buffer, from int, epoch uint64) bool {
	b.release("wait")
	return b.Transport.AwaitReady(site, buf, from, epoch)
}

func (b *broken) Barrier(site int) {
	b.release("wait")
	b.Transport.Barrier(site)
}

func (b *broken) Reduce(site int, word uint64, combine func(acc, word uint64) uint64) uint64 {
	b.release("wait")
	return b.Transport.Reduce(site, word, combine)
}

// faults are what a transport may do wrong, when it makes up for it, and what is
// said then, one of several things: what comes first depends on who is fast (a put
// that comes again behind the next sets the flag back, which the PE that waits for
// the next may see before the record of puts is looked at). (A
// message that is slow and else right is tried by TestPutsAreChecked.)
var faults = []struct {
	fault, when string
	want        []string
}{
	{"drop", "", []string{"for data of", "overrun"}},
	{"twice", "", []string{"has landed twice"}},
	{"again behind the next", "put", []string{"has landed behind that of epoch", "overrun"}},
	{"again at the next wait", "wait", []string{"has landed twice"}},
	{"behind the next", "put", []string{"has landed behind", "overrun", "for data of", "before PE 1 has seen"}},
	{"at the next wait, when the source is another one", "wait", []string{"is not what PE 0 sent"}},
}

// TestBrokenTransports: a transport that drops, repeats, reorders or delays puts is
// found out, with the place of the put: no wrong answer, no hang.
func TestBrokenTransports(t *testing.T) {
	for _, f := range faults {
		for _, np := range []int{2, 3} {
			for epoch := uint64(1); epoch <= 4; epoch++ {
				for _, how := range []string{"handshake", "barrier", "together"} {
					name := fmt.Sprintf("%s, %d PEs, epoch %d, %s", f.fault, np, epoch, how)
					out, err := brokenRun(t, name, f.fault, f.when, np, epoch, how)
					want, _ := brokenRun(t, name, "", "", np, 0, how)
					switch {
					case err == nil:
						t.Errorf("%s: not found out: %q, want %q", name, out, want)
					case out != "" && out != want:
						t.Errorf("%s: a wrong answer: %q, want %q", name, out, want)
					case !strings.Contains(err.Error(), "prog.hpf:10"):
						t.Errorf("%s: without a place: %v", name, err)
					default:
						said := false
						for _, w := range f.want {
							said = said || strings.Contains(err.Error(), w)
						}
						if !said {
							t.Errorf("%s: %v\nwant one of %q", name, err, f.want)
						}
					}
				}
			}
		}
	}
}

// brokenRun shifts an array to the right, five times, where PE 0 has a broken
// transport, and prints the sum of what came.
func brokenRun(t *testing.T, name, fault, when string, np int, epoch uint64, how string) (string, error) {
	t.Helper()
	p := sites(4)
	p.carrier = func(tr transport.Transport) transport.Transport {
		if fault == "" || tr.PE() != 0 {
			return tr
		}
		return &broken{Transport: tr, fault: fault, epoch: epoch, when: when}
	}
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() {
		_, err := Run(p, np, nil, &out, func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 12, 0)), pe.Grid(pe.N()))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
			b := NewArray[float64](pe, "b", l, [][2]int{{1, 0}})
			mode := Handshake
			if how == "barrier" {
				mode = Elided
			}
			x, y := NewComm(pe, 0, a, nil).Sync(mode), NewComm(pe, 1, b, nil).Sync(mode)
			both := pe.MessageGroup(x, y)
			pe.Start()
			need := func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) }
			sum := 0.0
			// One round more than epochs that go wrong: what was held must land.
			for step := range 6 {
				set(a, step)
				set(b, step+10)
				if how != "handshake" {
					pe.Barrier(2)
				}
				if how == "together" {
					x.Needs(need)
					y.Needs(need)
					both.Post()
					x.Wait()
					y.Wait()
				} else {
					x.Needs(need)
					x.Post()
					x.Wait()
				}
				if lo := l.Owned(pe.ID(), 0).Lo; lo > 1 {
					sum += a.Data[a.At1(lo-1)]
					if how == "together" {
						sum += b.Data[b.At1(lo-1)]
					}
				}
				x.Done()
				if how == "together" {
					y.Done()
				}
			}
			sum = Sum(pe, 3, sum)
			if pe.ID() == 0 {
				pe.Print(sum)
			}
		})
		done <- err
	}()
	select {
	case err := <-done:
		return out.String(), err
	case <-time.After(30 * time.Second):
		t.Fatalf("%s: no end", name)
	}
	return "", nil
}
