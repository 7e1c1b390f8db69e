package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestLog: what several campaigns have done is summed, and the next goes on behind
// the last seed.
func TestLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	report := newReport(RandomOptions{Options: Options{PEs: []int{1, 2}}})
	lots := []struct {
		version string
		first   uint64
		Tally
		failing []*Failing
	}{
		{"one", 1, Tally{Programs: 10, Runs: 20, Totals: map[plan.Kind]*Counts{plan.Elide: {Data: 100, Ready: 3}}, Features: map[string]int{"build:plain": 4}}, nil},
		{"one", 11, Tally{Programs: 5, Runs: 10, Plain: 2, Totals: map[plan.Kind]*Counts{plan.Elide: {Data: 7}, plan.Barrier: {Data: 1}}, Features: map[string]int{"build:plain": 1}}, nil},
		{"two", 30, Tally{Programs: 2, Runs: 1, Faults: map[string]int{Hang.String(): 1}}, []*Failing{{Seed: 31, Way: Way{Plan: plan.Elide}, PEs: 2, Fault: &Fault{Hang, "no end"}}}},
	}
	for _, x := range lots {
		log, err := OpenLog(file)
		if err != nil {
			t.Fatal(err)
		}
		log.version = x.version
		if err := log.add(report, &batch{tally: &x.Tally, failing: x.failing}, x.first); err != nil {
			t.Fatal(err)
		}
	}
	log, err := OpenLog(file)
	if err != nil {
		t.Fatal(err)
	}
	if log.Next() != 32 || log.OK() {
		t.Errorf("next seed %d, all right: %v", log.Next(), log.OK())
	}
	var text strings.Builder
	if err := log.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"17 random programs, on 1,2 PEs: 31 runs, 2 of plain builds\n", "one: seeds 1-15\n", "two: seeds 30-31\n",
		"elide      3 ready messages (0 of them redundant in their runs) for 107 data messages", "build: plain 5\n",
		"0 wrong outputs, 1 hangs", "spmdc verify --random=1 --seed=31 --no-draw --sync=elide -n 2 --prove=none: hang: no end\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if err := os.WriteFile(file, []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(file); err == nil || !strings.Contains(err.Error(), ":1: this is no line of a log") {
		t.Errorf("not a log: %v", err)
	}
	if log, err := OpenLog(filepath.Join(t.TempDir(), "none")); err != nil || log.Next() != 1 || !log.OK() {
		t.Errorf("no log yet: %v", err)
	}
}
