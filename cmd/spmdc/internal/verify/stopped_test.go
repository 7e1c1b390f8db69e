package verify

import (
	"testing"

	"github.com/spmdc/spmdc/internal/randprog"
)

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

// TestExpects: a program that a signal ends, as gfortran's own faults make it, is counted, and there is nothing to compare with; what
// its checks find in a random program is an error.
func TestExpects(t *testing.T) {
	for _, c := range []struct {
		want           Outcome
		crashed, fails bool
	}{
		{Outcome{Stdout: "1\n"}, false, false},
		{Outcome{Status: 3, Stderr: "STOP 3\n"}, false, false},
		{Outcome{Status: -1, Stderr: "free(): double free detected in tcache 2\n"}, true, false},
		{Outcome{Status: 2, Stderr: "At line 9 of file all.f90\nFortran runtime error: Index '7' of dimension 1 of array 'a' above upper bound of 6\n"}, false, true},
	} {
		s := &sample{Program: randprog.Program{Features: map[string]int{}}}
		err := s.expects(&c.want)
		if (err != nil) != c.fails || (s.Features[crashed] > 0) != c.crashed || (s.want != nil) != (!c.crashed && !c.fails) {
			t.Errorf("%+v: %v, %v, %v", c.want, s.want, s.Features, err)
		}
	}
}
