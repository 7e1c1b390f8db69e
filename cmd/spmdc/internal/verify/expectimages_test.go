package verify

import (
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
)

// TestRandomImages is a short form of spmdc verify --random=N --generator=images.
func TestRandomImages(t *testing.T) {
	effort.Full(t, "long: two compilers, and processes for each image")
	effort.Tool(t, "caf", "open-coarrays-bin")
	r, err := Random(withTools(t), RandomOptions{Programs: 28, Seed: 1, Generator: "images", Draw: true, Options: Options{
		PEs: []int{1, 3}, Limit: time.Minute,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() {
		t.Errorf("seed %d: %v\n%s", r.Failing[0].Seed, r.Failing[0].Fault, r.Failing[0].Source)
	}
	if n := r.Features["compared:with OpenCoarrays"]; n < 28 {
		t.Errorf("%d of %d runs are compared with OpenCoarrays, want at least half", n, r.Runs)
	}
}

// TestMarks separates what programs print by the lines that the main program writes.
func TestMarks(t *testing.T) {
	got := mark.Split("#0\n a\n#1\n#12\n # 3\n b#4\n", -1)
	if want := "| a\n|| # 3\n b#4\n"; strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
	if text := randprog.MainOfImages(2); !strings.Contains(text, "call random1\n") {
		t.Errorf("no call of the second program:\n%s", text)
	}
}
