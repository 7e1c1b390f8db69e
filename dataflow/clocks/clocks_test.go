package clocks_test

import (
	"fmt"
	"testing"

	"github.com/spmdc/spmdc/dataflow/clocks"
)

// The example of the package, then a chain over PE 1 and a meeting.
func TestClocks(t *testing.T) {
	c := clocks.New(3)
	want := func(what, clocks string) {
		t.Helper()
		if got := fmt.Sprint(c); got != clocks {
			t.Errorf("%s: %s, want %s", what, got, clocks)
		}
	}
	c.Tick(0, 1)
	c.Tick(1, 1)
	first := c.Leave(0)
	c.Tick(0, 2)
	c.Arrive(1, first)
	want("a message", "[[2 0 0] [1 1 0] [0 0 0]]")
	c.Arrive(2, c.Leave(1))
	want("a chain", "[[2 0 0] [1 1 0] [1 1 0]]")
	c.Tick(2, 5)
	c.Meet()
	want("all meet", "[[2 1 5] [2 1 5] [2 1 5]]")
}

func TestMeeting(t *testing.T) {
	c := clocks.New(2)
	var m clocks.Meeting
	if _, over := m.Over(); over {
		t.Error("nobody has come, and the meeting is over")
	}
	c.Tick(0, 3)
	m.Come(c, 0)
	c.Tick(0, 4) // behind it: not known by the meeting, also if PE 0 comes again
	m.Come(c, 0)
	if _, over := m.Over(); over {
		t.Error("one of two has come, and the meeting is over")
	}
	m.Come(c, 1)
	if known, over := m.Over(); !over || fmt.Sprint(known) != "[3 0]" {
		t.Error(known, over)
	}
}
