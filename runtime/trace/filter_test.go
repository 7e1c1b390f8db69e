package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// keptNumbers are the numbers of the executions of a region at depth 2 that are kept.
func keptNumbers(r *Recorder) (list []uint64) {
	for _, block := range r.events.levels[2].blocks {
		for _, e := range block {
			list = append(list, e.number)
		}
	}
	return list
}

// iterations executes a loop, region 1, with region 2 in each iteration, which takes so long.
func iterations(r *Recorder, f filter, n int, length func(i int) int64) {
	r.events, r.filter = newBuffer(defaultMemory<<20), f
	now := int64(1000)
	r.enter(1, now)
	for i := range n {
		r.next(now)
		r.enter(2, now)
		now += length(i)
		r.leave(now)
	}
	r.leave(now)
}

// TestOutliers: exactly those iterations are kept, on all PEs, that are long or short on one.
func TestOutliers(t *testing.T) {
	planted := map[int]int{100: 0, 500: 2, 501: 1, 999: 1} // iteration and PE
	f := everything
	f.outliers, f.verdicts = 3, newVerdicts(3)
	for pe, r := range with(t, 3, 3, 0, func(r *Recorder) {
		iterations(r, f, 1000, func(i int) int64 {
			length := 1000 + int64(7*i%13)
			if at, ok := planted[i]; ok && at == r.PE() {
				length = []int64{length * 3, length / 2}[at%2]
			}
			return length
		})
	}) {
		r.events.settle(f.verdicts)
		if got := keptNumbers(r); !slices.Equal(got, []uint64{100, 500, 501, 999}) {
			t.Errorf("PE %d keeps iterations %v", pe, got)
		}
		if l := r.events.levels[2]; l.unselected != 996 || len(r.events.undecided) > 0 || r.events.heldNow != 0 {
			t.Errorf("PE %d: %d are left out, %d not decided, %d blocks held", pe, l.unselected, len(r.events.undecided), r.events.heldNow)
		}
	}
}

// TestHeldBound: events that are held for a PE that is late take no more than half of the memory,
// and what there is no room for is counted.
func TestHeldBound(t *testing.T) {
	v := newVerdicts(2)
	b := newBuffer(8 * blockBytes)
	b.hold()
	const n = 10 * blockEvents
	for i := range uint64(n) {
		b.add(2, event{number: i})
	}
	b.held()
	v.end(0, true)
	b.settle(v)
	if len(b.levels[2].blocks) != 0 {
		t.Error("an iteration is kept that PE 1 has not ended")
	}
	v.end(1, false)
	b.settle(v)
	if kept, dropped := b.counts(); kept[2] != n*4/10 || kept[2]+dropped[2] != n || b.bytes > 8*blockBytes {
		t.Errorf("%d are kept, %d dropped, of %d; %d bytes", kept[2], dropped[2], n, b.bytes)
	}
}

// TestEvery: one iteration in so many is kept.
func TestEvery(t *testing.T) {
	f := everything
	f.every = 250
	r := with(t, 1, 3, 0, func(r *Recorder) { iterations(r, f, 1000, func(int) int64 { return 5 }) })[0]
	if got := keptNumbers(r); !slices.Equal(got, []uint64{0, 250, 500, 750}) {
		t.Errorf("iterations %v are kept", got)
	}
}

// TestLeast: of ten million calls of a small procedure those are kept that take longer, and
// all others are counted.
func TestLeast(t *testing.T) {
	f := everything
	f.least = 1000
	const calls, long = 10_000_000, 123_457
	r := with(t, 1, 3, 0, func(r *Recorder) {
		iterations(r, f, calls, func(i int) int64 {
			if i%long == 7 {
				return 1000
			}
			return 999
		})
	})[0]
	got := keptNumbers(r)
	for i, n := range got {
		if n != uint64(long*i+7) {
			t.Fatalf("call %d is kept", n)
		}
	}
	if want := calls/long + 1; len(got) != want || r.events.levels[2].unselected != int64(calls-want) {
		t.Errorf("%d calls are kept and %d left out, want %d and %d", len(got), r.events.levels[2].unselected, want, calls-want)
	}
}

// TestRules: each PE has its own.
func TestRules(t *testing.T) {
	all := rule{regions: true, messages: true, waits: true, depth: everything.depth}
	within := all
	within.within = "solve"
	flat := rule{regions: true, depth: 1}
	waits := rule{waits: true, depth: everything.depth}
	for text, want := range map[string][]rule{
		"waits":                           {waits, waits, waits},
		"0,2:depth=1; region=solve":       {flat, within, flat},
		"1-9:regions,messages,waits":      {{}, all, all},
		"waits;2:waits,messages, regions": {waits, waits, all},
	} {
		if got, err := parseRules(text, 3); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %+v", text, err, got)
		}
	}
	for text, want := range map[string]string{
		"": `"" is not known`, "put": `"put" is not known`, "depth=-1": "not known", "waits;regions": "two rules are for all other PEs",
		"0:waits;0-1:waits": "two rules are for PE 0", "2-1:waits": `"2-1" is no PE`, "x:waits": `"x" is no PE`, "regions=3": "not known",
	} {
		if got, err := parseRules(text, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %+v, want %s", text, err, got, want)
		}
	}
}

// TestInside: a region is selected by its name or line, with all that is in it.
func TestInside(t *testing.T) {
	regions := []Region{{-1, "program", "p", 1, 99}, {0, "procedure", "solve", 5, 5}, {1, "loop", "i", 30, 40}, {0, "loop", "j", 50, 60}}
	for name, want := range map[string][]bool{"SOLVE": {false, true, true, false}, "50": {false, false, false, true}, "p": {true, true, true, true}} {
		if got, err := inside(name, regions); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, err, got)
		}
	}
	if _, err := inside("other", regions); err == nil {
		t.Error("there is a region other")
	}
}

// TestSkipped: regions that are short and frequent in a profile are left out.
func TestSkipped(t *testing.T) {
	regions := []Region{{-1, "program", "p", 1, 99}, {0, "loop", "i", 5, 9}, {0, "loop", "j", 15, 19}, {0, "loop", "k", 25, 29}}
	profile := func(last string) string {
		text := profileWord + ` "regions": [`
		for i, r := range regions {
			kind := r.Kind
			if i == len(regions)-1 {
				kind = last
			}
			count, seconds := []int{1, 1000, 1000, 999}[i], []float64{1, 0.9e-3, 1.1e-3, 1e-6}[i]
			text += fmt.Sprintf(`{"kind": %q, "name": %q, "pes": [{"count": 0, "seconds": 0}, {"count": %d, "seconds": %g}]}, `, kind, r.Name, count, seconds)
		}
		file := filepath.Join(t.TempDir(), "profile")
		if err := os.WriteFile(file, []byte(strings.TrimSuffix(text, ", ")+"]}"), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if got, err := skipped(profile("loop"), regions); err != nil || !slices.Equal(got, []bool{false, true, false, false}) {
		t.Errorf("%v: %v are left out", err, got)
	}
	for file, want := range map[string]string{profile("input"): "another program", filepath.Join(t.TempDir(), "absent"): "no such file", os.Args[0]: "no profile"} {
		if _, err := skipped(file, regions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestIterations: iterations of PE 0 are in the buffer, whatever is selected, and of many those
// whose numbers are multiples of a power of two, in a sixteenth of the memory.
func TestIterations(t *testing.T) {
	f := everything
	f.every = 250
	for pe, r := range with(t, 2, 3, 0, func(r *Recorder) { iterations(r, f, 1000, func(int) int64 { return 5 }) }) {
		if want := []int{1000, 0}[pe]; len(r.events.iterations) != want {
			t.Errorf("PE %d has %d iterations, want %d", pe, len(r.events.iterations), want)
		}
	}
	r := with(t, 1, 3, 0, func(r *Recorder) { iterations(r, f, 3_000_000, func(int) int64 { return 5 }) })[0]
	b := r.events
	if n := len(b.iterations); n > b.mostKept || n < b.mostKept/2 || b.bytes > defaultMemory<<20 || int64(b.mostKept)*blockBytes/blockEvents > defaultMemory<<20/16 {
		t.Errorf("%d iterations are kept, of %d, in %d bytes", n, b.mostKept, b.bytes)
	}
	for i, e := range b.iterations {
		if e.number != uint64(i)*b.stride || e.began != 1000+5*int64(e.number) || e.took != 5 || e.id != 1 {
			t.Fatalf("iteration %d: %+v", i, e)
		}
	}
}
