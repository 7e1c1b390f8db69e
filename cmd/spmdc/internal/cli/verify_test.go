package cli

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
)

// TestDrawnOptionsAreFlags: the flags that are shown with a program that fails give
// back the options that were drawn for it.
func TestDrawnOptionsAreFlags(t *testing.T) {
	random := verify.RandomOptions{Draw: true, Options: verify.Options{PEs: []int{1, 2, 5}}}
	for seed := range uint64(300) {
		want := random.Drawn(seed)
		var g struct {
			Verify verifyCmd `cmd:""`
		}
		k, err := kong.New(&g, kong.Vars{"plans": "", "targets": "", "kinds": "", "memory": "", "barriers": ""})
		if err != nil {
			t.Fatal(err)
		}
		args := append([]string{"verify", "x.hpf", "--limit=0s", "-n", "1,2,5"}, want.Flags()...)
		if _, err := k.Parse(args); err != nil {
			t.Fatal(err)
		}
		got, err := g.Verify.options()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		got.Plans = want.Plans
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-drawn +parsed):\n%s", args, diff)
		}
	}
}
