package driver

import (
	"fmt"
	"strings"
	"testing"
)

// TestStartMPI: a process that is killed before anybody can say so is reported, with the
// status of mpirun; what the program has said itself is not said again.
func TestStartMPI(t *testing.T) {
	for script, want := range map[string]string{
		"exit 137":             "spmdc: a process was ended by a signal (killed) before the program began\n",
		"echo x >&2; exit 137": "x\n",
		"exit 3":               "",
		"exit 130":             "",
	} {
		var errs strings.Builder
		status, err := StartMPI("/bin/sh", []string{"-c", script}, Stdio{Err: &errs})
		if err != nil || errs.String() != want || !strings.HasSuffix(script, fmt.Sprint(" ", status)) {
			t.Errorf("%s: status %d, %q, %v, want %q", script, status, errs.String(), err, want)
		}
	}
}
