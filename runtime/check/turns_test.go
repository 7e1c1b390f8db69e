package check

import "testing"

// TestTurnsDeepDown: iterations of loops without index are counted at any depth, from 1 for
// each execution of the loop.
func TestTurnsDeepDown(t *testing.T) {
	for _, first := range []int{0, maxDepth - 1, maxDepth, maxDepth + 3} {
		m := &Monitor{trace: &trace{}}
		for depth := range first {
			m.Turn(depth)
		}
		m.trace.text.Reset()
		m.Turn(first)
		m.Turn(first + 1)
		m.Turn(first + 1)
		m.Turn(first) // leaves the inner loop
		m.Turn(first + 1)
		m.Leave(first)
		m.Turn(first)
		want := ""
		for _, x := range [][2]int{{0, 1}, {1, 1}, {1, 2}, {0, 2}, {1, 1}, {0, 1}} {
			want += string((&trace{}).said(first+x[0], x[1]))
		}
		if got := m.trace.text.String(); got != want {
			t.Errorf("from depth %d:\n%s\nwant\n%s", first, got, want)
		}
	}
}

func (t *trace) said(depth, index int) []byte {
	t.loop(depth, index)
	return t.text.Bytes()
}
