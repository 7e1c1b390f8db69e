package verify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/replay"
)

// The mutations of a run take witnesses away: what some communications and
// reductions bring is delivered without what their senders know (-mute). The
// program does the same as before, so that the run as it was recorded shows which
// puts nothing orders then; the checker must report these and no others.

// Mutations is what mutations have shown.
type Mutations struct {
	Runs      int
	Unordered int // of the runs: those in which some put was not ordered
	Puts      int // all such puts
}

func (m *Mutations) add(o Mutations) {
	m.Runs += o.Runs
	m.Unordered += o.Unordered
	m.Puts += o.Puts
}

// String is "12 mutations, 3 of them leave 7 puts unordered".
func (m Mutations) String() string {
	return fmt.Sprintf("%d mutations, %d of them leave %d puts unordered: the checker reports these and no others", m.Runs, m.Unordered, m.Puts)
}

// mutations picks at most count sets of sites: each site alone first, if there is
// room for all of them, and then some by chance; else one or the other.
func mutations(sites []int, count int, random *rand.Rand) (sets [][]int) {
	if len(sites) == 0 {
		return nil
	}
	if count >= len(sites) {
		for _, s := range sites {
			sets = append(sets, []int{s})
		}
		// All sets of so few sites are soon used up.
		count = min(count, len(sites)+1<<min(len(sites), 20)-1)
	}
	for len(sets) < count {
		if count < len(sites) && random.IntN(2) == 0 {
			sets = append(sets, []int{sites[random.IntN(len(sites))]})
			continue
		}
		var some []int
		for _, s := range sites {
			if random.IntN(2) == 0 {
				some = append(some, s)
			}
		}
		if len(some) > 0 {
			sets = append(sets, some)
		}
	}
	return sets
}

// mutate runs a program on n PEs once for each mutation of a recorded run. The error
// is a *Fault where checker and replay differ.
func mutate(run runner, input []byte, n int, whole *replay.Trace, count int, random *rand.Rand) (found Mutations, err error) {
	for _, sites := range mutations(whole.Sites(), count, random) {
		args := []string{"-n", strconv.Itoa(n)}
		mute := map[int]bool{}
		for _, s := range sites {
			args = append(args, "-mute", strconv.Itoa(s))
			mute[s] = true
		}
		got, text, err := run(input, args...)
		if err != nil {
			return found, err
		}
		t, err := replay.Read(bytes.NewReader(text))
		if err != nil {
			return found, fmt.Errorf("the trace: %w", err)
		}
		reports := strings.Contains(got.Stderr, unorderedPut)
		if !reports && !got.stopped() {
			return found, &Fault{Violation, "without the clocks of " + "#" + proof.Numbers(sites, ", #") + ": " + strings.TrimSpace(got.Stderr)}
		}
		reported, want := t.Reported(), whole.Unordered(replay.Options{Mute: mute})
		if !slices.Equal(reported, want) || reports != (len(want) > 0) {
			return found, &Fault{Disagree, fmt.Sprintf("without the clocks of %s the checker reports %d puts, and a replay finds %d: %s", "#"+proof.Numbers(sites, ", #"), len(reported), len(want), difference(reported, want))}
		}
		found.Runs++
		found.Puts += len(want)
		if len(want) > 0 {
			found.Unordered++
		}
	}
	return found, nil
}

// unorderedPut is in the message of a put that nothing orders.
const unorderedPut = " is not ordered: "

// difference names a put that is in one list only.
func difference(reported, want []replay.Put) string {
	say := func(who string, p replay.Put) string {
		return fmt.Sprintf("only the %s has that of #%d in epoch %d from PE %d to PE %d", who, p.Comm, p.Epoch, p.From, p.To)
	}
	for _, p := range reported {
		if !slices.Contains(want, p) {
			return say("checker", p)
		}
	}
	for _, p := range want {
		if !slices.Contains(reported, p) {
			return say("replay", p)
		}
	}
	return "the exit status is that of the other case"
}
