package verify

import (
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/effort"
)

// TestRandomStrips is a short form of spmdc verify --random=N --strip=2 --mutations=2.
func TestRandomStrips(t *testing.T) {
	effort.Full(t, "programs in strips run in package dataflow too")
	const programs = 8
	r, err := Random(withTools(t), RandomOptions{Programs: programs, Seed: 1000, Hold: 1, Options: Options{
		PEs: []int{2, 3, 4}, Plans: []plan.Kind{plan.Elide}, Limit: time.Minute, Mutations: 2, Compile: driver.Options{Strip: 2},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || r.Runs != 3*programs {
		var b strings.Builder
		r.Write(&b)
		t.Error(b.String())
	}
}
