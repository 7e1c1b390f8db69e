package elide

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spmdc/spmdc/runtime/outfile"
)

// Log is what became of the barriers of a run: reports and plans are made of it, by the
// command. Its file:
//
//	barriers-log 3
//	program shallow 4f2a9c
//	run 20260728-1203
//	mode audit
//	pes 4
//	agreements 1
//	call step: main.f90:3
//	# barriers executed redundant table1 broken steady ms state: context  # what it stands before
//	12 12 12 11 0 12 0.021 audited: main.f90:3 > lib.f90:10  # shift u(i-1)
type Log struct {
	Program    string
	Run        string // names the run
	Mode       Mode
	PEs        []int // of the run; of several runs, where logs are merged
	Agreements uint64
	Calls      map[string]string // by label of a call: the procedure that is called, as far as known
	Contexts   []LogContext      // in the order of their paths
}

// LogContext is what a run saw of one calling context of barriers.
type LogContext struct {
	Path Path
	Note string // what the barrier stands before, in words; may be empty
	Why  Why
	Counts
	// Steady is how many executed barriers were redundant before the first one that was not: all if
	// each was. It says which thresholds suit a program, where nothing was elided.
	Steady uint64
}

// AlwaysRedundant reports whether all barriers in the context were redundant by Table 3.
func (c *LogContext) AlwaysRedundant() bool {
	return c.Redundant > 0 && c.Redundant == c.Barriers && c.Why != Misaligned
}

// Counts counts barriers: of the program, each counted once, not once per PE.
type Counts struct {
	Barriers  uint64        // executed or elided
	Executed  uint64        // of these
	Redundant uint64        // elided, or executed although the global summary was N (Table 3)
	Ideal     uint64        // redundant by Table 1
	Broken    uint64        // executed because all PEs broke consensus
	Time      time.Duration // in barriers that were executed, the mean of the PEs; 0 if not measured
}

// Elided is the number of barriers that were left out.
func (c *Counts) Elided() uint64 { return c.Barriers - c.Executed }

// Add adds the counts of other barriers.
func (c *Counts) Add(o *Counts) {
	c.Barriers += o.Barriers
	c.Executed += o.Executed
	c.Redundant += o.Redundant
	c.Ideal += o.Ideal
	c.Broken += o.Broken
	c.Time += o.Time
}

// Remark is what the owner of engines knows of a context and the engine does not.
type Remark struct {
	Note string
	Time time.Duration // in its barriers, on this PE
}

// NewLog makes the log of a run that has ended, from the engines of all its PEs. remark,
// which may be nil, says more of a context on a PE.
func NewLog(engines []*Engine, remark func(pe int, c Context) Remark) *Log {
	parts := make([]Part, len(engines))
	for pe, e := range engines {
		var own func(Context) Remark
		if remark != nil {
			own = func(c Context) Remark { return remark(pe, c) }
		}
		parts[pe] = NewPart(e, own)
	}
	return engines[0].Log(parts)
}

// Part is what one PE has of the log of a run that has ended. Parts of other processes come as JSON:
// paths, which have most of it, are written by the numbers of their labels.
type Part struct {
	Agreements uint64
	Labels     []string // of sites
	Contexts   []PartContext
}

// PartContext is what one PE has of a context; its path is in Sites.
type PartContext struct {
	LogContext
	Hash  uint64 // of the context
	Sites []int  // indices into Labels
}

// NewPart makes the part of an engine; remark may be nil.
func NewPart(e *Engine, remark func(Context) Remark) Part {
	p := Part{Agreements: e.m.totals.agreements}
	at := map[Site]int{}
	for i := range e.m.tree.nodes {
		k := e.m.tree.nodes[i].record
		if k == 0 {
			continue
		}
		rec, more := &e.m.records[k], &e.m.asides[k]
		c := PartContext{Hash: rec.hash, LogContext: LogContext{Why: rec.why, Steady: more.steady, Counts: Counts{
			Barriers:  rec.executed + rec.elided,
			Executed:  rec.executed,
			Redundant: more.private + rec.elided,
			Ideal:     more.ideal,
			Broken:    uint64(more.broken),
		}}}
		for _, s := range e.m.tree.Sites(Context(i)) {
			n, ok := at[s]
			if !ok {
				n = len(p.Labels)
				at[s] = n
				p.Labels = append(p.Labels, e.options.Label(s))
			}
			c.Sites = append(c.Sites, n)
		}
		if remark != nil {
			r := remark(Context(i))
			c.Note, c.Time = r.Note, r.Time
		}
		p.Contexts = append(p.Contexts, c)
	}
	return p
}

// Log makes the log of the run of the parts of all PEs, by PE. Where contexts align all PEs
// count the same; what PEs met in from different contexts counts in that of PE 0.
func (e *Engine) Log(parts []Part) *Log {
	l := &Log{Program: e.options.Program, Mode: e.options.Mode, PEs: []int{len(parts)}, Calls: map[string]string{}}
	at := map[uint64]int{} // by hash
	for pe, p := range parts {
		l.Agreements = max(l.Agreements, p.Agreements)
		for _, own := range p.Contexts {
			n, ok := at[own.Hash]
			if !ok {
				at[own.Hash] = len(l.Contexts)
				if pe > 0 { // PE 0 was in another context each time, and has counted the barrier there
					own.Counts, own.Steady = Counts{Time: own.Time}, 0
				}
				own.Path = make(Path, len(own.Sites))
				for i, s := range own.Sites {
					own.Path[i] = p.Labels[s]
				}
				l.Contexts = append(l.Contexts, own.LogContext)
				continue
			}
			c := &l.Contexts[n]
			if own.Why == Misaligned {
				c.Why = Misaligned
			}
			c.Note = own.Note
			c.Time += own.Time
		}
	}
	for i := range l.Contexts {
		l.Contexts[i].Time /= time.Duration(len(parts))
	}
	l.Sort()
	return l
}

// Sort puts the contexts in the order of their paths.
func (l *Log) Sort() {
	slices.SortFunc(l.Contexts, func(a, b LogContext) int { return slices.Compare(a.Path, b.Path) })
}

// WriteFile writes the log into a file, in place of another log at most.
func (l *Log) WriteFile(name string) error {
	return outfile.Write(name, []string{LogWord}, l.Write)
}

// Write writes the log.
func (l *Log) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s %d\nprogram %s\nrun %s\nmode %v\npes", LogWord, LogVersion, l.Program, l.Run, l.Mode)
	for _, n := range l.PEs {
		fmt.Fprintf(b, " %d", n)
	}
	fmt.Fprintf(b, "\nagreements %d\n", l.Agreements)
	for _, label := range slices.Sorted(maps.Keys(l.Calls)) {
		fmt.Fprintf(b, "call %s: %v\n", l.Calls[label], Path{label})
	}
	fmt.Fprintln(b, "# barriers executed redundant table1 broken steady ms state: context  # what the barrier stands before")
	for _, c := range l.Contexts {
		fmt.Fprintf(b, "%d %d %d %d %d %d %.6f %v: %v", c.Barriers, c.Executed, c.Redundant, c.Ideal, c.Broken, c.Steady, 1e3*c.Time.Seconds(), c.Why, c.Path)
		if c.Note != "" {
			fmt.Fprintf(b, "  # %s", c.Note)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}
