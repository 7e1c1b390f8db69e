package inproc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// An agreement gives all PEs the minimum of each word, whether votes differ only in
// their first word or in all. It orders memory as a barrier does.
func TestAgree(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 3, 7} {
			rounds := fewer(300)
			shared := make([]int, n)
			err := run(n, stuck, func(pe transport.Transport) {
				for r := range rounds {
					shared[pe.PE()] = r
					v := [agree.Words]int64{int64((pe.PE() + r) % 3), 5, ^5, int64(r), ^int64(r), ^7}
					want := [agree.Words]int64{int64(min(2, r%3)), 5, ^5, int64(r), ^int64(r), ^7}
					for q := range n {
						want[0] = min(want[0], int64((q+r)%3))
					}
					if r%50 == 3 { // each PE is elsewhere; hashes of contexts are far apart
						at := func(q int) int64 { return int64(5-q) << 40 }
						v[1], v[2] = at(pe.PE()), ^at(pe.PE())
						want[1], want[2] = at(n-1), ^at(0)
					}
					if err := pe.Agree(0, &v, 0); err != nil || v != want {
						t.Errorf("%d PEs, round %d: %v, %v, want %v", n, r, err, v, want)
						return
					}
					if q := (pe.PE() + 1) % n; shared[q] != r {
						t.Errorf("%d PEs, round %d: PE %d has written %d", n, r, q, shared[q])
					}
					if r%3 == 0 {
						pe.Barrier(0) // nobody writes before all have read
					} else if err := pe.Agree(0, &[agree.Words]int64{}, 0); err != nil {
						t.Error(err)
					}
				}
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// Everyone gets what everyone gives.
func TestGather(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		for range fewer(20) {
			err := run(5, stuck, func(pe transport.Transport) {
				for r := range 10 {
					all, err := pe.Gather(0, fmt.Appendf(nil, "%d of %d", r, pe.PE()))
					for q, got := range all {
						if want := fmt.Sprintf("%d of %d", r, q); err != nil || string(got) != want {
							t.Errorf("%v, %q, want %q", err, got, want)
						}
					}
				}
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// A PE that waits in an agreement for one that waits for something else, or has
// ended, is found.
func TestAgreementStuck(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		for name, other := range map[string]func(pe transport.Transport){
			"barrier": func(pe transport.Transport) { pe.Barrier(7) },
			"end":     func(transport.Transport) {},
		} {
			err := run(3, stuck, func(pe transport.Transport) {
				if pe.PE() == 1 {
					other(pe)
					return
				}
				var v [agree.Words]int64
				if err := pe.Agree(4, &v, 0); err != nil {
					t.Error(err)
				}
				t.Error("an agreement without PE 1")
			})
			on := 1
			if runtime.GOMAXPROCS(0) < 3 && (kind == goroutines || kind == processes || kind == pairs) {
				on = -1 // they wait together for all
			}
			want := fmt.Sprintf("Kind:%d Site:4 On:%d}", transport.WaitAgreement, on)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	})
}
