package driver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that a signal ends is started again, one that ends itself is not, whatever
// its status; what it has written is counted.
func TestSupervise(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("it needs /bin/sh")
	}
	for _, c := range []struct {
		name, script string
		times        int
		status       int
		out          string
		starts       int
		refuse       error
	}{
		{"killed once", `printf "<$*>"; test $# -gt 1 || kill -9 $$`, 3, 0, "<first><again 7>", 2, nil},
		{"killed always", `printf "<$*>"; kill -9 $$`, 2, 137, "<first><again 7><again 16>", 3, nil},
		{"aborted", `printf x; test $# -gt 1 || kill -6 $$`, 1, 0, "xx", 2, nil},
		{"ended by its user", `kill -15 $$`, 3, 143, "", 1, nil},
		{"its own status", `exit 137`, 3, 137, "", 1, nil},
		{"not possible", `kill -9 $$`, 3, 137, "", 1, errors.New("no input")},
	} {
		file := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+c.script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		var out, errs, note bytes.Buffer
		starts := 1
		status, err := Supervise(file, []string{"first"}, Stdio{Out: &out, Err: &errs}, c.times, func(shown int64) ([]string, error) {
			if c.refuse == nil {
				starts++
			}
			return []string{"again", fmt.Sprint(shown)}, c.refuse
		}, &note)
		if err != nil || status != c.status || out.String() != c.out || starts != c.starts {
			t.Errorf("%s: status %d, %v, output %q, %d starts\n%s", c.name, status, err, out.String(), starts, note.String())
		}
		if c.refuse != nil && !strings.Contains(note.String(), "cannot be started again: no input") {
			t.Errorf("%s: %s", c.name, note.String())
		}
	}
}

// What mpirun has started is started again if it has not said that it came to its end, whatever the status.
func TestSuperviseMPI(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("it needs /bin/sh")
	}
	for _, c := range []struct {
		name, script string
		status       int
		starts       int
	}{
		{"failed once", `test "$1" = again || exit 1; echo 0 >$SPMD_ENDING`, 0, 2},
		{"failed, it says", `echo 1 failed >$SPMD_ENDING; exit 1`, 1, 3},
		{"failed, and mpirun does not say so", `echo 1 failed >$SPMD_ENDING`, 1, 3},
		{"failed always", `exit 137`, 137, 3},
		{"stopped", `echo 7 >$SPMD_ENDING; exit 7`, 7, 1},
		{"usage", `echo 2 >$SPMD_ENDING; exit 2`, 2, 1},
	} {
		starts := 1
		status, err := SuperviseMPI("/bin/sh", []string{"-c", c.script, "sh", "first"}, Stdio{Out: io.Discard, Err: io.Discard}, 2, func(int64) ([]string, error) {
			starts++
			return []string{"-c", c.script, "sh", "again"}, nil
		}, io.Discard)
		if err != nil || status != c.status || starts != c.starts {
			t.Errorf("%s: status %d, %v, %d starts", c.name, status, err, starts)
		}
	}
}
