package examples_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/dataflow/replay"
	"github.com/spmdc/spmdc/internal/effort"
)

var mutated = flag.Int("mutated", 5, "in how many ways TestMutations changes the run of an example")

// traced runs a check build that writes a trace. Muted communications deliver
// data without what their senders know, which changes nothing but what the checker
// can count on; so the run ends well, or with its reports of unordered puts.
func traced(program program, input string, args ...string) (t *replay.Trace, reports bool, err error) {
	dir, err := os.MkdirTemp(shared.dir, "trace")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "trace")
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := program.CommandContext(ctx, append(args, "-record", file)...)
	if input != "" {
		in, err := os.Open(input)
		if err != nil {
			return nil, false, err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && bytes.Contains(stderr.Bytes(), []byte(" is not ordered: ")) {
		reports, err = true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, false, err
	}
	t, err = replay.Read(bytes.NewReader(text))
	return t, reports, err
}

// TestMutations: when the data of one communication, or the contributions to a reduction, are delivered without the
// sender's clock, or those of several, the checker reports a put exactly when a replay
// of the run finds that the other messages do not order it. For every example, under
// plan elide on 3 PEs, and some communications and reductions of it; spmdc verify FILE
// --mutations=K does so for all plans and numbers of PEs.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	t.Parallel()
	var mu sync.Mutex
	var runs, found, clean, puts int
	sample := effort.Sample(2)
	t.Run("example", func(t *testing.T) {
		for _, e := range append(examples(t), stencils) {
			if !sample() {
				continue
			}
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				program := build(t, e.source, plans[0], "--check")
				const n = 3
				whole, reports, err := traced(program, e.input, "-n", fmt.Sprint(n))
				if err != nil {
					t.Fatalf("%d PEs: %v", n, err)
				}
				if bad := whole.Unordered(replay.Options{}); reports || len(bad) > 0 || !whole.Replay(replay.Options{}).Complete {
					t.Errorf("%d PEs: reports %v, the replay finds %v", n, reports, bad)
				}
				for _, sites := range mutations(whole.Sites(), *mutated) {
					args, mute := []string{"-n", fmt.Sprint(n)}, map[int]bool{}
					for _, y := range sites {
						args = append(args, "-mute", fmt.Sprint(y))
						mute[y] = true
					}
					muted, reports, err := traced(program, e.input, args...)
					if err != nil {
						t.Fatalf("%d PEs, %v without clocks: %v", n, sites, err)
					}
					got, want := muted.Reported(), whole.Unordered(replay.Options{Mute: mute})
					if !slices.Equal(got, want) || reports != (len(want) > 0) {
						t.Errorf("%d PEs, %v without clocks: %d puts reported, %d in the replay: %v", n, sites, len(got), len(want), firstDifference(got, want))
					}
					mu.Lock()
					runs, puts = runs+1, puts+len(got)
					if len(want) > 0 {
						found++
					} else {
						clean++
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d mutations: %d leave %d puts unordered, %d none; checker and replay agree on each", runs, found, puts, clean)
	if found == 0 || clean == 0 {
		t.Error("the mutations show nothing")
	}
}

// mutations are the sites one by one, and some sets of them: few communications have
// a single one that orders them. Of all these there are so many, picked at random.
func mutations(sites []int, most int) (sets [][]int) {
	random := rand.New(rand.NewPCG(1, uint64(len(sites))))
	for _, y := range sites {
		sets = append(sets, []int{y})
	}
	for k := range 2 * min(3, len(sites)) {
		var some []int
		for _, y := range sites {
			if random.IntN(4) > k/2 { // 3, 2, or 1 of 4
				some = append(some, y)
			}
		}
		if len(some) > 1 {
			sets = append(sets, some)
		}
	}
	random.Shuffle(len(sets), func(i, k int) { sets[i], sets[k] = sets[k], sets[i] })
	return sets[:min(most, len(sets))]
}

// firstDifference names a put that is in one sorted list only.
func firstDifference(got, want []replay.Put) string {
	for _, p := range got {
		if !slices.Contains(want, p) {
			return fmt.Sprintf("only the checker reports %+v", p)
		}
	}
	for _, p := range want {
		if !slices.Contains(got, p) {
			return fmt.Sprintf("only the replay finds %+v", p)
		}
	}
	return "none"
}
