package simulate

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
)

const (
	// TracedSpeed is how many operations a host computes in a second, by which a trace expresses times.
	TracedSpeed = 1e9
	// tracedByte is the data type of bytes in a trace.
	tracedByte = 6
)

// A communication has a tag for its data, and one for its ready messages.
func dataTag(c *comm.Comm) int  { return 2 * c.ID }
func readyTag(c *comm.Comm) int { return 2*c.ID + 1 }

// begins records that all PEs begin.
func (m *Model) begins(pes int) {
	for q := range pes {
		m.Record(q, fmt.Sprintf("%d init", q))
	}
}

// act records an action of PE q, behind what it has computed. Somebody must want that.
func (t *timed) act(q int, format string, args ...any) {
	if t.due[q] > 0 {
		t.Record(q, fmt.Sprintf("%d compute %.0f", q, t.due[q]*TracedSpeed))
		t.due[q] = 0
	}
	t.Record(q, fmt.Sprintf("%d "+format, append([]any{q}, args...)...))
}

// actAll records an action of all PEs.
func (t *timed) actAll(format string, args ...any) {
	for q := 0; q < t.pes && t.Record != nil; q++ {
		t.act(q, format, args...)
	}
}

// computes records that PE q computes.
func (t *timed) computes(q int, seconds float64) { t.due[q] += seconds }

// sends records a message, which its sender does not wait for.
func (t *timed) sends(from, to, tag int, bytes float64) {
	if t.Record != nil {
		t.act(from, "send %d %d %.0f %d", to, tag, bytes, tracedByte)
	}
}

// receives records that PE to waits for a message.
func (t *timed) receives(to, from, tag int, bytes float64) {
	if t.Record != nil {
		t.act(to, "recv %d %d %.0f %d", from, tag, bytes, tracedByte)
	}
}
