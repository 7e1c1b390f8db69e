//go:build unix

package driver

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStartForeign: a command that ends without a word does not end spmdc without one.
func TestStartForeign(t *testing.T) {
	for _, c := range []struct {
		script, want string
		status       int
	}{
		{"exit 0", "", 0},
		{"exit 3", "spmdc: sh ended with status 3\n", 3},
		{"kill -TERM $$", "spmdc: sh was ended by a signal (terminated)\n", 143},
	} {
		var errors strings.Builder
		status, err := StartForeign("sh", []string{"-c", c.script}, Stdio{Err: &errors})
		if err != nil || status != c.status || errors.String() != c.want {
			t.Errorf("%s: status %d, error %v, text %q, want %d and %q", c.script, status, err, &errors, c.status, c.want)
		}
	}
	watch := func(*os.Process, <-chan struct{}) {
		time.Sleep(100 * time.Millisecond)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}
	var f *Failure
	if _, err := StartForeign("sleep", []string{"60"}, Stdio{Watch: watch}); !errors.As(err, &f) || f.Status != 143 {
		t.Errorf("of a signal to spmdc there is %v, want its status", err)
	}
}
