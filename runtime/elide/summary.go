package elide

import (
	"cmp"
	"slices"
	"time"
)

// Report is what became of the barriers of a run, or what could have become of
// them: for people and tools.
type Report struct {
	Program  string
	PEs      int
	Mode     Mode
	Total    ReportRow
	Contexts []ReportContext // in the order of their paths
	// Subcontexts are the shortest ends of contexts that tell those that were
	// redundant whenever they were executed from the others (Algorithm 2), those
	// with most barriers first.
	Subcontexts []Subcontext
	Agreements  uint64
	Calls       map[string]string // by label of a call: what is called, as far as known
}

// ReportRow counts barriers: of the program, each counted once, not once per PE.
type ReportRow struct {
	Before    uint64        // barriers of the program, executed or elided
	After     uint64        // of these, executed
	Redundant uint64        // elided, or executed although the global summary was N (Table 3)
	Ideal     uint64        // redundant by Table 1
	Time      time.Duration // in barriers that were executed, the mean of the PEs; 0 if not measured
}

// Elided is the number of barriers that were left out.
func (r *ReportRow) Elided() uint64 { return r.Before - r.After }

func (r *ReportRow) add(c *ReportRow) {
	r.Before += c.Before
	r.After += c.After
	r.Redundant += c.Redundant
	r.Ideal += c.Ideal
	r.Time += c.Time
}

// ReportContext is one calling context of barriers.
type ReportContext struct {
	Path Path
	Note string // what the barrier stands before, in words; may be empty
	Why  Why
	ReportRow
	misaligned bool
}

// Subcontext is the contexts that end in one suffix.
type Subcontext struct {
	Suffix   Path
	Contexts int
	ReportRow
}

// Told is what the owner of engines knows of a context and the engine does not.
type Told struct {
	Note string
	Time time.Duration // in its barriers, on this PE
}

// NewReport makes the report of a run that has ended, from the engines of all its
// PEs. told, which may be nil, tells more of a context on a PE.
func NewReport(engines []*Engine, told func(pe int, c Context) Told) *Report {
	first := engines[0]
	r := &Report{Program: first.options.Program, PEs: len(engines), Mode: first.options.Mode, Calls: map[string]string{}}
	at := map[string]int{}
	for pe, e := range engines {
		r.Agreements = max(r.Agreements, e.m.totals.agreements)
		for i := range e.m.tree.nodes {
			k := e.m.tree.nodes[i].record
			if k == 0 {
				continue
			}
			rec, more := &e.m.records[k], &e.m.asides[k]
			path := e.path(e.m.tree.Sites(Context(i)))
			key := path.String()
			n, ok := at[key]
			if !ok {
				n = len(r.Contexts)
				at[key] = n
				r.Contexts = append(r.Contexts, ReportContext{Path: path, Why: rec.why})
			}
			c := &r.Contexts[n]
			// Where contexts align all PEs count the same.
			c.Before = max(c.Before, rec.executed+rec.elided)
			c.After = max(c.After, rec.executed)
			c.Redundant = max(c.Redundant, more.private+rec.elided)
			c.Ideal = max(c.Ideal, more.ideal)
			c.misaligned = c.misaligned || rec.why == Misaligned
			if told != nil {
				t := told(pe, Context(i))
				c.Note = t.Note
				c.Time += t.Time
			}
		}
	}
	slices.SortFunc(r.Contexts, func(a, b ReportContext) int { return slices.Compare(a.Path, b.Path) })
	for i := range r.Contexts {
		c := &r.Contexts[i]
		c.Time /= time.Duration(r.PEs)
		r.Total.add(&c.ReportRow)
	}
	r.group()
	return r
}

// Log is the report as a training log of one run, all PEs of it together.
func (r *Report) Log(run string) *Log {
	l := &Log{Program: r.Program, Run: run, PE: 0, PEs: 1}
	for _, c := range r.Contexts {
		l.Contexts = append(l.Contexts, LogContext{Path: c.Path, Private: c.Redundant, Necessary: c.Before - c.Redundant, Misaligned: c.misaligned})
	}
	return l
}

// group finds the subcontexts.
func (r *Report) group() {
	plan := Classify(r.Log(""))
	root := plan.trie()
	sums := map[string]*Subcontext{}
	for i := range r.Contexts {
		c := &r.Contexts[i]
		if c.misaligned || c.Redundant == 0 || c.Redundant != c.Before {
			continue
		}
		suffix := root.covering(c.Path)
		s := sums[suffix.String()]
		if s == nil {
			s = &Subcontext{Suffix: suffix}
			sums[suffix.String()] = s
		}
		s.Contexts++
		s.add(&c.ReportRow)
	}
	for _, s := range sums {
		r.Subcontexts = append(r.Subcontexts, *s)
	}
	slices.SortFunc(r.Subcontexts, func(a, b Subcontext) int {
		return cmp.Or(cmp.Compare(b.Before, a.Before), slices.Compare(a.Suffix, b.Suffix))
	})
}

// covering is the shortest suffix in the trie of a context that has one there.
func (t *trie) covering(context Path) Path {
	whole := context.whole()
	for i, label := range slices.Backward(whole) {
		if t = t.outer[label]; t == nil {
			break
		}
		if t.says != "" {
			return whole[i:]
		}
	}
	return whole
}

// share is n of all in percent.
func share(n, all uint64) float64 { return 100 * float64(n) / float64(max(all, 1)) }
