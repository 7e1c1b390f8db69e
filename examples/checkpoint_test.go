package examples_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
)

var kills = flag.Int("kills", 0, "how often a run that takes checkpoints is killed (default 12, and 40 with SPMDC_REQUIRE=all)")

// TestKilled kills a program that takes checkpoints at random moments, and starts it
// again, until it has come to its end some times: whatever was under way, the last
// checkpoint is whole, and the output is complete.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	n := *kills
	if n == 0 {
		n = effort.Of(40, 6)
	}
	program := build(t, "plate/plate.hpf", "elide")
	dir := t.TempDir()
	file, printed := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "output")
	want, err := os.ReadFile("plate/plate.out")
	if err != nil {
		t.Fatal(err)
	}
	input, err := os.ReadFile("plate/plate.in")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	reach := 40 * time.Millisecond // how late a run is killed at most: about as long as it takes
	killed, gone, ends := 0, 0, 0
	for killed < n || ends == 0 || gone == 0 && killed < 10*n {
		cmd := program.Command("-n", "2", "-checkpoint", file, "-restart", "-output", printed)
		cmd.Stdin = bytes.NewReader(input)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var timer *time.Timer
		if killed < n || gone == 0 {
			timer = time.AfterFunc(time.Duration(random.Int64N(int64(reach))), func() { cmd.Process.Kill() })
		}
		err := cmd.Wait()
		if timer != nil {
			timer.Stop()
		}
		note := stderr.String()
		if strings.Contains(note, "plate: going on from checkpoint ") {
			gone++
		}
		if strings.Contains(note, "cannot") || strings.Contains(note, "internal") {
			t.Fatalf("killed %d times: %v\n%s", killed, err, note)
		}
		if err == nil {
			ends++
			got, err := os.ReadFile(printed)
			if err != nil {
				t.Fatal(err)
			}
			if err := compare.Outputs(string(want), string(got), compare.Default); err != nil {
				t.Fatalf("killed %d times: %v\n%s", killed, err, note)
			}
			for _, name := range []string{file, printed} {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		if cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("killed %d times: %v\n%s", killed, err, note)
		}
		killed++
		if killed > ends*8+8 || killed > 3 && gone == 0 { // the machine is slow: let runs get somewhere
			reach *= 2
		}
	}
	t.Logf("killed %d times, gone on from a checkpoint %d times, at the end %d times", killed, gone, ends)
	if gone == 0 {
		t.Error("no run has gone on from a checkpoint")
	}
}

// TestMisspeculationIsRepaired: a run that leaves out a barrier which it turns out to
// need goes on, without being asked, from its last checkpoint, or from the beginning
// if it has taken none, and does not leave it out again. What it prints is what it
// prints with all barriers, once; a run without checkpoints prints nothing wrong.
func TestMisspeculationIsRepaired(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	repeat := effort.Of(15, 3)
	program := build(t, "testdata/elide/latesaved.hpf", "barrier")
	dir := t.TempDir()
	for _, test := range []struct {
		name, input string
		from        string // of what is said
	}{
		{"from a checkpoint", "61 33 17 6\n5\n", "latesaved: going on from checkpoint "},
		{"from the beginning", "61 33 17 50\n5\n", "latesaved: no checkpoint has been taken: starting from the beginning"},
	} {
		command := func(args ...string) (string, string, int) {
			cmd := program.Command(append([]string{"-n", "4"}, args...)...)
			cmd.Stdin = bytes.NewReader([]byte(test.input))
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.Run()
			return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
		}
		want, _, status := command()
		if status != 0 {
			t.Fatalf("%s: status %d", test.name, status)
		}
		wrong := 0
		for range repeat {
			file := filepath.Join(dir, "checkpoint")
			os.Remove(file)
			got, note, status := command("-barriers=learn", "-checkpoint", file)
			if got != want || status != 0 {
				t.Fatalf("%s: status %d, printed\n%swant\n%s%s", test.name, status, got, want, note)
			}
			if strings.Contains(note, "misspeculation") {
				wrong++
				if !strings.Contains(note, test.from) || !strings.Contains(note, "latesaved: starting again without leaving out 1 barrier context") {
					t.Fatalf("%s: %s", test.name, note)
				}
			}
			if got, note, status := command("-barriers=learn"); status == 4 && got != "" || status != 4 && got != want {
				t.Fatalf("%s: without checkpoints: status %d, printed\n%s%s", test.name, status, got, note)
			}
		}
		if wrong == 0 {
			t.Errorf("%s: no run has left out a barrier wrongly", test.name)
		}
	}
}
