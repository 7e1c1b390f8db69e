//go:build unix

package verify

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestInterruptKeepsLog: what was verified before an interrupt is in the log, and the
// next call goes on behind it.
func TestInterruptKeepsLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(file)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if text, _ := os.ReadFile(file); len(text) > 0 {
				break
			}
		}
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	ctx, stop := driver.Interruptible()
	defer stop()
	const seed, programs = 501, 60 // the first has rounds
	r, err := Random(driver.Passes(), RandomOptions{Programs: programs, Seed: seed, Log: log, batch: 1,
		Options: Options{PEs: []int{2}, Plans: []plan.Kind{plan.Barrier}, Limit: time.Minute, Context: ctx}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted() || r.Tally.Programs == 0 || r.Tally.Programs == programs {
		t.Errorf("%d of %d programs, interrupted: %v", r.Tally.Programs, programs, r.Interrupted())
	}
	again, err := OpenLog(file)
	if err != nil {
		t.Fatal(err)
	}
	if again.Next() != seed+uint64(r.Tally.Programs) {
		t.Errorf("%d programs from seed %d on, and the log goes on with %d", r.Tally.Programs, seed, again.Next())
	}
}
