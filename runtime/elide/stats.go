package elide

import (
	"fmt"
	"io"
	"slices"
)

// ContextStats is what became of the barriers of one context on one PE.
type ContextStats struct {
	Path     Path
	Why      Why
	Executed uint64 // all PEs met
	Elided   uint64
	Private  uint64 // executed although global summary N: missed by the engine
	Ideal    uint64 // redundant by Table 1, executed or elided
	Learning uint64 // executed while being learned
	Broken   uint64 // consensus broken by all PEs: executed, and recovered
}

// Stats is what became of the barriers of one PE. Where contexts align, the
// counts are the same on all PEs.
type Stats struct {
	ContextStats                // sums; Path and Why are empty
	Contexts     []ContextStats // most barriers first
	ElidedIn     int            // contexts in which a barrier was elided
	Agreements   uint64         // for collectives and the end
	Misaligned   uint64         // barriers at which PEs met from different contexts
	Relearned    uint64         // times that a necessary context became elided
	Bytes        int            // memory of contexts and what is known of them
}

// Redundant is the number of barriers that Table 3 allows to delete: those that
// were elided, and those that were executed and missed.
func (c *ContextStats) Redundant() uint64 { return c.Elided + c.Private }

// Stats counts what happened so far.
func (e *Engine) Stats() *Stats {
	m := &e.m
	s := &Stats{
		Agreements: m.totals.agreements, Misaligned: m.totals.misaligned, Relearned: m.totals.relearned,
		Bytes: m.tree.Bytes() + cap(m.records)*recordBytes,
	}
	for i := range m.tree.nodes {
		k := m.tree.nodes[i].record
		if k == 0 {
			continue
		}
		r, more := &m.records[k], &m.asides[k]
		c := ContextStats{
			Path: e.path(m.tree.Sites(Context(i))), Why: r.why, Executed: r.executed, Elided: r.elided, Private: more.private,
			Ideal: more.ideal, Learning: uint64(more.learning), Broken: uint64(more.broken),
		}
		s.Contexts = append(s.Contexts, c)
		s.Executed += c.Executed
		s.Elided += c.Elided
		s.Private += c.Private
		s.Ideal += c.Ideal
		s.Learning += c.Learning
		s.Broken += c.Broken
		if c.Elided > 0 {
			s.ElidedIn++
		}
	}
	slices.SortFunc(s.Contexts, byBarriers)
	return s
}

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
