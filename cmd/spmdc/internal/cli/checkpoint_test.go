package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAgain: a run that is started again goes on from a checkpoint of its own, not from
// one that another run has left there.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "ckpt")
	put := func() { // as checkpoints are written
		if err := os.WriteFile(file+".new", []byte("checkpoint"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	restarts := func(again func(int64) ([]string, error)) bool {
		t.Helper()
		args, err := again(7)
		if err != nil || !slices.Contains(args, "-shown") || args[0] != "-n=3" {
			t.Fatalf("%q, %v", args, err)
		}
		return slices.Contains(args, "-restart")
	}
	f := checkpointFlags{Checkpoint: file}
	for _, old := range []bool{false, true} {
		again := f.again([]string{"-n=3"}, nil)
		if restarts(again) {
			t.Errorf("old checkpoint %v: the run goes on from a checkpoint that it has not taken", old)
		}
		put()
		for range 2 {
			if !restarts(again) {
				t.Errorf("old checkpoint %v: the run does not go on from its checkpoint", old)
			}
			put()
		}
	}
	f.Restart = true
	if !slices.Contains(f.args(), "-restart") {
		t.Error("the first start goes on from the checkpoint")
	}
}
