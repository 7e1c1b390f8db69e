package elide

import (
	"fmt"
	"io"
)

// AuditReport writes what a plan could elide of a training log: by subcontext
// (Figures 5 to 8 of the paper) the barriers, their share, the contexts, and the
// calls. It is text for people; plan is that of Classify.
func AuditReport(w io.Writer, log *Log, plan *Plan) error {
	all, private := log.Barriers()
	var found uint64
	for _, e := range plan.Entries {
		found += e.Barriers
	}
	percent := func(n uint64) float64 { return 100 * float64(n) / float64(max(all, 1)) }
	if _, err := fmt.Fprintf(w, "%d barriers in %d contexts; redundant %d (%.1f %%), of these in contexts that are always redundant %d (%.1f %%)\n",
		all, len(log.Contexts), private, percent(private), found, percent(found)); err != nil {
		return err
	}
	if len(plan.Entries) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "%10s %7s %9s  %s\n", "barriers", "share", "contexts", "subcontext"); err != nil {
		return err
	}
	for _, e := range plan.Entries {
		if _, err := fmt.Fprintf(w, "%10d %5.1f %% %9d  %v\n", e.Barriers, percent(e.Barriers), e.Contexts, e.Suffix); err != nil {
			return err
		}
	}
	return nil
}
