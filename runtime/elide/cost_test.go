package elide_test

import (
	"errors"
	"testing"

	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

// BenchmarkCost is the cost of single operations on one PE, where no barrier waits:
// what the engine adds to a barrier that is executed, and what is left of one that
// is elided.
func BenchmarkCost(b *testing.B) {
	for _, op := range []struct {
		name      string
		threshold int
		do        func(t transport.Transport, e *elide.Engine) error
	}{
		{"plain", 1, func(t transport.Transport, e *elide.Engine) error { t.Barrier(0); return nil }},
		{"executed", 1, func(t transport.Transport, e *elide.Engine) error {
			e.Mark(elide.Remote)
			_, err := e.BarrierIn(1)
			return err
		}},
		{"elided", 1, func(t transport.Transport, e *elide.Engine) error { _, err := e.BarrierIn(1); return err }},
		{"enter-leave", 1, func(t transport.Transport, e *elide.Engine) error { e.Enter(7); e.Leave(); return nil }},
		{"mark", 1, func(t transport.Transport, e *elide.Engine) error { e.Mark(elide.Local); return nil }},
	} {
		b.Run(op.name, func(b *testing.B) {
			err := inproc.Run(1, func([]transport.Wait) error { return errors.New("deadlock") }, func(t transport.Transport) {
				e, err := elide.New(t, elide.Options{Mode: elide.Online, Threshold: op.threshold})
				if err != nil {
					t.Abort(err)
				}
				e.Place(e.Tree().Path([]elide.Site{1}))
				for b.Loop() {
					if err := op.do(t, e); err != nil {
						t.Abort(err)
					}
				}
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
