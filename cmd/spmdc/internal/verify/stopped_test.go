package verify

import "testing"

// TestStopped: a status other than 0 is the program's wish if STOP is all that it
// says, from however many images, and gfortran's backtrace behind ERROR STOP.
func TestStopped(t *testing.T) {
	for _, c := range []struct {
		status int
		stderr string
		want   bool
	}{
		{0, "", true},
		{0, "anything\n", true},
		{7, "STOP 7\n", true},
		{1, "ERROR STOP \n", true},
		{5, "STOP 0\nSTOP 5\nERROR STOP text\n", true},
		{1, "ERROR STOP 1\n\nError termination. Backtrace:\n#0  0x7f in ???\n", true},
		{1, "", false},
		{1, "st.f90:5: image 1: integer divide by zero\n", false},
		{1, "STOP two\nst.f90:5: deadlock: an image has stopped while others wait for it\n", false},
	} {
		o := Outcome{Status: c.status, Stderr: c.stderr}
		if o.stopped() != c.want {
			t.Errorf("status %d, %q: %v, want %v", c.status, c.stderr, o.stopped(), c.want)
		}
	}
}
