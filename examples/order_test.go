package examples_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
)

var (
	heldSeeds = flag.Int("holds", 1, "how many choices of places to hold PEs at, per program and number of PEs")
)

// heldPEs are the numbers of PEs that programs run on while some are held.
var heldPEs = []int{2, 3, 5}

// holdings is what runs with held PEs did.
type holdings struct {
	mu             sync.Mutex
	programs, runs int
	data, ready    int // messages
}

// run executes a check build with PEs stopping between CO and UO at places that
// seeds pick. Each put is checked to come after the last use of its cells on the
// target; none may be early, and the answers are those of a free run.
func (h *holdings) run(t *testing.T, input string, program program, want string) {
	t.Helper()
	for _, n := range heldPEs {
		for seed := range *heldSeeds {
			hold := fmt.Sprintf("random,%d", 1000*n+seed)
			out, stats, err := heldRun(input, program, "-n", fmt.Sprint(n), "-hold", hold, "-stats")
			if err != nil {
				t.Errorf("%d PEs, -hold %s: %v", n, hold, err)
				continue
			}
			if err := compare.Outputs(want, out, compare.Default); err != nil {
				t.Errorf("%d PEs, -hold %s: %v", n, hold, err)
			}
			h.mu.Lock()
			h.runs++
			h.data += stats.data
			h.ready += stats.ready
			h.mu.Unlock()
		}
	}
	h.mu.Lock()
	h.programs++
	h.mu.Unlock()
}

// heldCounts is the total line of a table of statistics.
type heldCounts struct{ data, ready int }

// heldRun runs a program that writes statistics, and nothing else, on stderr.
func heldRun(input string, program program, args ...string) (string, heldCounts, error) {
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := program.CommandContext(ctx, args...)
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", heldCounts{}, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	m := total.FindStringSubmatch(lines[len(lines)-1])
	if m == nil {
		return "", heldCounts{}, fmt.Errorf("no statistics:\n%s", stderr.Bytes())
	}
	data, err1 := strconv.Atoi(m[1])
	ready, err2 := strconv.Atoi(m[2])
	if err1 != nil || err2 != nil {
		return "", heldCounts{}, fmt.Errorf("no numbers in %q", lines[len(lines)-1])
	}
	return stdout.String(), heldCounts{data, ready}, nil
}

// report logs the totals. Runs in which every put has its ready message would
// show nothing.
func (h *holdings) report(t *testing.T) {
	t.Helper()
	t.Logf("%d programs, %d runs with PEs held: %d data messages, %d ready messages, no put too early", h.programs, h.runs, h.data, h.ready)
	if h.runs > 0 && h.ready >= h.data {
		t.Errorf("no ready message is left out: %d for %d data messages", h.ready, h.data)
	}
}

// TestHeldExamples: in the examples, whose ready messages are left out as far as
// that is proved, no put comes early however PEs are held.
func TestHeldExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	t.Parallel()
	var h holdings
	t.Run("example", func(t *testing.T) {
		for _, e := range append(examples(t), stencils) {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				input := ""
				if e.input != "" {
					text, err := os.ReadFile(e.input)
					if err != nil {
						t.Fatal(err)
					}
					input = string(text)
				}
				for _, plan := range plans[:effort.Of(2, 1)] {
					h.run(t, input, build(t, e.source, plan, "--check"), e.want(t))
				}
			})
		}
	})
	h.report(t)
}
