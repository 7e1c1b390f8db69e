package barriers

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spmdc/spmdc/runtime/elide"
)

// Advice is what thresholds would have done in training runs (section 4 of the paper): contexts are
// elided after so many barriers that were redundant.
type Advice struct {
	Barriers uint64
	// Least is the smallest threshold by which no context would have been elided that was needed later.
	Least int
	At    []Outcome
}

// Outcome is what one threshold would have done.
type Outcome struct {
	Threshold int
	Elided    uint64 // barriers
	Broken    int    // contexts that would have been elided, and were needed later
}

// thresholds are those of the table, besides the least that breaks nothing.
var thresholds = []int{1, 2, 3, 5, 7, 10, 15, 20, 50, 100}

// Advise makes the advice of logs of runs in which nothing was elided. An error names one that is none.
func Advise(logs []*elide.Log) (*Advice, error) {
	a := &Advice{Least: 1}
	for _, l := range logs {
		if l.Mode != elide.Audit {
			return nil, fmt.Errorf("run %s has elided barriers, so that its log does not say when contexts become stable: give logs of training", l.Run)
		}
		for _, c := range l.Contexts {
			a.Barriers += c.Barriers
			if c.Steady < c.Barriers {
				a.Least = max(a.Least, int(c.Steady)+1)
			}
		}
	}
	list := append(slices.Clone(thresholds), a.Least)
	slices.Sort(list)
	for _, t := range slices.Compact(list) {
		o := Outcome{Threshold: t}
		for _, l := range logs {
			for _, c := range l.Contexts {
				if c.Steady < uint64(t) || c.Why == elide.Misaligned {
					continue
				}
				o.Elided += c.Steady - uint64(t)
				if c.Steady < c.Barriers {
					o.Broken++
				}
			}
		}
		a.At = append(a.At, o)
	}
	return a, nil
}

// Write writes the advice as a table.
func (a *Advice) Write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "threshold\telided\tshare\tcontexts broken\t\n")
	for _, o := range a.At {
		mark := ""
		if o.Threshold == a.Least {
			mark = "  the least that breaks none"
		}
		fmt.Fprintf(tw, "%d\t%d\t%.1f %%\t%d\t%s\n", o.Threshold, o.Elided, share(o.Elided, a.Barriers), o.Broken, mark)
	}
	return tw.Flush()
}
