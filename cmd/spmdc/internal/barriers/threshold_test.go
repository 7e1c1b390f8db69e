package barriers

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/elide"
)

// The advice is what Algorithm 1 does with each threshold, context by context.
func TestAdvise(t *testing.T) {
	// Whether each barrier of a context was redundant.
	runs := map[string]string{"always": strings.Repeat("N", 30), "late": "NNNNNNRNNNNNNNNNNNN", "never": "RRRR", "short": "NN"}
	log := &elide.Log{Mode: elide.Audit}
	for name, run := range runs {
		c := counted(uint64(strings.Count(run, "N")), uint64(strings.Count(run, "R")), name)
		c.Steady = uint64(len(run) - len(strings.TrimLeft(run, "N")))
		log.Contexts = append(log.Contexts, c)
	}
	a, err := Advise([]*elide.Log{log})
	if err != nil || a.Least != 7 || a.Barriers != 55 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, o := range a.At {
		want := Outcome{Threshold: o.Threshold}
		for _, run := range runs {
			count := 0
			for _, s := range run {
				if count == o.Threshold {
					if s == 'R' {
						want.Broken++
						break
					}
					want.Elided++
				} else if count++; s == 'R' {
					break
				}
			}
		}
		if o != want {
			t.Errorf("%+v, want %+v", o, want)
		}
	}
	log.Mode = elide.Online
	if _, err := Advise([]*elide.Log{log}); err == nil {
		t.Error("a log of a run that elides is accepted")
	}
}
