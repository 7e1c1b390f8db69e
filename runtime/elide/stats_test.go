package elide

import (
	"cmp"
	"slices"
	"unsafe"
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

// byBarriers orders contexts: most barriers first, then the path.
func byBarriers(a, b ContextStats) int {
	return cmp.Or(cmp.Compare(b.Executed+b.Elided, a.Executed+a.Elided), slices.Compare(a.Path, b.Path))
}

// recordBytes is the size of what is kept of a context.
const recordBytes = int(unsafe.Sizeof(record{}) + unsafe.Sizeof(aside{}))

// Bytes is the memory that the nodes take, in bytes.
func (t *Tree) Bytes() int { return cap(t.nodes)*int(unsafe.Sizeof(node{})) + len(t.table)*4 }
