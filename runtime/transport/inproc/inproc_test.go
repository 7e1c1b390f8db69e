package inproc

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/transport"
)

func stuck(waits []transport.Wait) error { return fmt.Errorf("stuck: %+v", waits) }

// everyPolicy runs f with PEs that spin and with PEs that park at once, of each kind.
func everyPolicy(t *testing.T, f func(t *testing.T)) {
	for _, procs := range []int{1, 8} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			old := runtime.GOMAXPROCS(procs)
			defer runtime.GOMAXPROCS(old)
			everyKind(t, f)
		})
	}
}

// A token goes round a ring of PEs; each puts it into its neighbour's memory,
// which the race detector watches.
func TestPutRing(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		const n, rounds = 4, 200
		err := run(n, stuck, func(pe transport.Transport) {
			in := ints(pe, 0, 0)
			b := pe.Register(0, in)
			pe.Start()
			out := &transport.Slice[int]{Data: make([]int, 1)}
			left, right := (pe.PE()+n-1)%n, (pe.PE()+1)%n
			for e := uint64(1); e <= rounds; e++ {
				out.Data[0] = 100*int(e) + pe.PE()
				pe.Ready(0, b, left, e)
				pe.AwaitReady(0, b, right, e)
				pe.Put(0, b, right, e, out, &transport.Move{Dst: 1})
				out.Data[0] = -1 // free again after Put
				pe.Await(0, b, left, e)
				if in.Data[1] != 100*int(e)+left {
					t.Errorf("PE %d epoch %d: %d", pe.PE(), e, in.Data[1])
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// One message fills several buffers, and each keeps its own flags: the consumer
// waits for them one by one, and finds all that was copied.
func TestPutAll(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		const n = 3
		rounds := uint64(fewer(200))
		err := run(n, stuck, func(pe transport.Transport) {
			words := ints(pe, make([]int, n)...)
			reals := transport.Memory(&transport.Slice[float64]{}).At(0, ints(pe, make([]int, 2*n)...).Bytes()).(*transport.Slice[float64])
			bw, br := pe.Register(0, words), pe.Register(1, reals)
			pe.Start()
			ow, or := &transport.Slice[int]{Data: make([]int, 1)}, &transport.Slice[float64]{Data: make([]float64, 1)}
			for e := uint64(1); e <= rounds; e++ {
				// The second buffer has an epoch of its own.
				slots := []transport.Slot{{Buffer: bw, Epoch: e}, {Buffer: br, Epoch: 7 * e}}
				ow.Data[0], or.Data[0] = 100*int(e)+pe.PE(), float64(e)+0.5
				for k := 1; k < n; k++ {
					pe.ReadyAll(0, (pe.PE()+k)%n, slots)
				}
				for k := 1; k < n; k++ {
					q := (pe.PE() + k) % n
					for _, s := range slots {
						pe.AwaitReady(0, s.Buffer, q, s.Epoch)
					}
					pe.PutAll(0, q, []transport.Part{
						{Slot: slots[0], Src: ow, Move: &transport.Move{Dst: pe.PE()}},
						{Slot: slots[1], Src: or, Move: &transport.Move{Dst: n + pe.PE()}},
					})
				}
				ow.Data[0], or.Data[0] = -1, -1 // free again after PutAll
				for k := 1; k < n; k++ {
					q := (pe.PE() + k) % n
					pe.Await(0, bw, q, e)
					pe.Await(0, br, q, 7*e)
					if words.Data[q] != 100*int(e)+q || reals.Data[n+q] != float64(e)+0.5 {
						t.Errorf("PE %d epoch %d: %d and %g from PE %d", pe.PE(), e, words.Data[q], reals.Data[n+q], q)
					}
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Flags belong to one producer and one consumer: a consumer of many producers
// distinguishes them, in whatever order they come.
func TestFlagsArePerPair(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		for _, n := range []int{5, 20} { // with and without padding between flags
			err := run(n, stuck, func(pe transport.Transport) {
				in := ints(pe, make([]int, n)...)
				b := pe.Register(0, in)
				pe.Start()
				me := pe.PE()
				for e := uint64(1); e <= uint64(fewer(20)); e++ {
					if me == 0 {
						for q := n - 1; q > 0; q-- {
							pe.Ready(0, b, q, e)
						}
						for q := 1; q < n; q++ {
							pe.Await(0, b, q, e)
							if in.Data[q] != int(e)*q {
								t.Errorf("epoch %d: PE %d sent %d", e, q, in.Data[q])
							}
						}
						continue
					}
					pe.AwaitReady(0, b, 0, e)
					out := &transport.Slice[int]{Data: []int{int(e) * me}}
					pe.Put(0, b, 0, e, out, &transport.Move{Dst: me})
				}
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// The waiter of epoch 1 must not be content with epoch 2.
func TestEpochsCompareEqual(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		for _, ready := range []bool{false, true} {
			err := run(2, stuck, func(pe transport.Transport) {
				m := ints(pe, 0)
				b := pe.Register(7, m)
				pe.Start()
				if pe.PE() == 0 {
					if ready {
						pe.Ready(7, b, 1, 2)
					} else {
						pe.Put(7, b, 1, 2, m, &transport.Move{})
					}
					return
				}
				if ready {
					pe.AwaitReady(7, b, 0, 1)
				} else {
					pe.Await(7, b, 0, 1)
				}
				t.Error("epoch 2 was taken for epoch 1")
			})
			var over *transport.Overrun
			if !errors.As(err, &over) || over.PE != 1 || over.Site != 7 || over.From != 0 || over.Want != 1 || over.Got != 2 {
				t.Errorf("error %v", err)
			}
		}
	})
}

func TestGetAndRebind(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		err := run(3, stuck, func(pe transport.Transport) {
			m := &transport.Slice[int]{}
			b := pe.Register(0, m)
			pe.Start()
			pe.Rebind(b, ints(pe, 10*pe.PE(), 10*pe.PE()+1))
			pe.Barrier(0)
			got := &transport.Slice[int]{Data: make([]int, 2)}
			for q := range 3 {
				move := transport.Move{Src: 0, Dst: 0}
				move.Loop(2, 1, 1)
				pe.Get(0, b, q, got, &move)
				if got.Data[0] != 10*q || got.Data[1] != 10*q+1 {
					t.Errorf("PE %d gets %v from PE %d", pe.PE(), got.Data, q)
				}
			}
			pe.Barrier(0)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// All collectives, mixed, in both waiting policies.
func TestCollectives(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		const n = 5
		data := make([]int, n)
		err := run(n, stuck, func(pe transport.Transport) {
			for k := range fewer(200) {
				data[pe.PE()] = k
				got := pe.Reduce(1, uint64(pe.PE()+k), func(a, b uint64) uint64 { return a + b })
				if got != uint64(n*(n-1)/2+n*k) {
					t.Errorf("reduction %d: %d", k, got)
				}
				root := k % n
				if got := pe.Broadcast(2, root, uint64(pe.PE())); got != uint64(root) {
					t.Errorf("broadcast %d: %d", k, got)
				}
				if got := string(pe.Share(3, root, []byte(fmt.Sprint(pe.PE())))); got != fmt.Sprint(root) {
					t.Errorf("share %d: %v", k, got)
				}
				for q := range n { // the reduction ordered these writes before
					if data[q] != k {
						t.Errorf("PE %d sees %d of PE %d in step %d", pe.PE(), data[q], q, k)
					}
				}
				pe.Barrier(4)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// folder adds up what it is given and notes from whom.
type folder struct {
	sum   []int
	from  []int
	apart bool
}

// Take takes what another folder has got.
func (f *folder) Take(other transport.Folder) {
	o := other.(*folder)
	copy(f.sum, o.sum)
	f.from = append(f.from, o.from...)
}

func (f *folder) Alike() bool { return !f.apart }

func (f *folder) Fold(pe int, part transport.Memory) {
	f.from = append(f.from, pe)
	for i, x := range part.(*transport.Slice[int]).Data {
		f.sum[i] += x
	}
}

// TestReduceAll: contributions come in the order of PEs, from two memories in turn that
// their PE overwrites as early as it may.
func TestReduceAll(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		for n := range 7 {
			reduceAll(t, n+1)
		}
	})
}

func reduceAll(t *testing.T, n int) {
	const size = 7
	err := run(n, stuck, func(pe transport.Transport) {
		var own [2]transport.Slice[int]
		for i := range own {
			own[i].Data = make([]int, size)
		}
		for k := range fewer(300) {
			part := &own[k%2]
			for i := range part.Data {
				part.Data[i] = (pe.PE()+1)*(i+k) + i
			}
			f := &folder{sum: make([]int, size), apart: k%3 == 0}
			pe.ReduceAll(1, part, f)
			for i, got := range f.sum {
				if want := n*(n+1)/2*(i+k) + n*i; got != want {
					t.Errorf("element %d of reduction %d is %d on PE %d, want %d", i, k, got, pe.PE(), want)
				}
			}
			if !slices.Equal(f.from, []int{0, 1, 2, 3, 4, 5, 6}[:n]) {
				t.Errorf("contributions come from %v", f.from)
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestReduceAllDiverged: PEs that meet in different reductions end the run.
func TestReduceAllDiverged(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		err := run(2, stuck, func(pe transport.Transport) {
			pe.ReduceAll(3+pe.PE(), &transport.Slice[int]{Data: []int{1}}, &folder{sum: make([]int, 1)})
		})
		var diverged *transport.Diverged
		if !errors.As(err, &diverged) {
			t.Errorf("the run ends with %v", err)
		}
	})
}

func TestUnhandledPanicEndsTheRun(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		err := run(3, stuck, func(pe transport.Transport) {
			if pe.PE() == 2 {
				panic("oh")
			}
			pe.Barrier(0)
		})
		if err == nil || err.Error() != "PE 2: oh" {
			t.Errorf("error %v", err)
		}
	})
}

// The watchdog sees a deadlock in both policies, and what each PE waits for.
func TestWatchdog(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		err := run(3, stuck, func(pe transport.Transport) {
			b := pe.Register(4, &transport.Slice[int]{})
			pe.Start()
			switch pe.PE() {
			case 0:
				pe.Await(4, b, 1, 1)
			case 1:
				pe.AwaitReady(5, b, 0, 1)
			}
		})
		want := []string{
			fmt.Sprintf("{PE:0 Returned:false Kind:%d Site:4 On:1}", transport.WaitArrival),
			fmt.Sprintf("{PE:1 Returned:false Kind:%d Site:5 On:0}", transport.WaitReady),
			"{PE:2 Returned:true ",
		}
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("error %v, want %s", err, w)
			}
		}
	})
}
