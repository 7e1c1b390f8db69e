package elide

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/outfile"
)

// LogContext is what training saw of one context.
type LogContext struct {
	Path       Path
	Private    uint64 // barriers that were redundant by Table 3
	Necessary  uint64 // barriers that were not
	Misaligned bool   // PEs met in it from different contexts: it is necessary
}

// Redundant reports whether it was redundant whenever it was executed.
func (c *LogContext) Redundant() bool {
	return c.Private > 0 && c.Necessary == 0 && !c.Misaligned
}

// Log is what training runs saw: of one PE of one run as written, of all PEs of
// all runs when merged. Its file:
//
//	elide-log 1
//	program shallow 4f2a9c
//	run 20260728-1203
//	pe 0 of 4
//	# redundant necessary: context
//	12 0: main.f90:3 > lib.f90:10
//	3 4 misaligned: main.f90:4 > lib.f90:10
type Log struct {
	Program  string
	Run      string // names the run, the same on all its PEs; empty when merged
	PE, PEs  int
	Contexts []LogContext // in the order of their paths
}

// Log is what this PE has seen. The run should have been one in mode Audit:
// elided barriers count as redundant ones.
func (e *Engine) Log(run string) *Log {
	l := &Log{Program: e.options.Program, Run: run, PE: e.t.PE(), PEs: e.t.N()}
	for _, n := range e.m.tree.nodes {
		if n.record == 0 {
			continue
		}
		r, more := &e.m.records[n.record], &e.m.asides[n.record]
		l.Contexts = append(l.Contexts, LogContext{
			Path:       e.path(e.m.tree.Sites(e.m.tree.find(n.hash))),
			Private:    more.private + r.elided,
			Necessary:  r.executed - more.private,
			Misaligned: r.why == Misaligned,
		})
	}
	l.sort()
	return l
}

func (l *Log) sort() {
	slices.SortFunc(l.Contexts, func(a, b LogContext) int { return slices.Compare(a.Path, b.Path) })
}

// WriteFile writes the log into a file, in place of another log at most.
func (l *Log) WriteFile(name string) error {
	return outfile.Write(name, []string{LogWord}, l.Write)
}

// Write writes the log as ReadLog reads it.
func (l *Log) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, LogWord+" 1\nprogram %s\nrun %s\npe %d of %d\n# redundant necessary: context\n", l.Program, l.Run, l.PE, l.PEs)
	for _, c := range l.Contexts {
		fmt.Fprintf(b, "%d %d", c.Private, c.Necessary)
		if c.Misaligned {
			fmt.Fprint(b, " misaligned")
		}
		fmt.Fprintf(b, ": %v\n", c.Path)
	}
	return b.Flush()
}

// ReadLog reads a log. file is its name in errors, which are Problems.
func ReadLog(file string, r io.Reader) (*Log, error) {
	s := newScanner(file, r)
	l := &Log{}
	headed := false
	for {
		line, more := s.next()
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case !more:
			if len(s.problems) == 0 && (!headed || l.PEs == 0) {
				s.wrong("the log is not whole: it must begin with \"elide-log 1\" and say \"pe P of N\"; run the training again")
			}
			return l, s.end()
		case line == "" || line[0] == '#':
		case !headed:
			headed = true
			if !s.header(line, LogWord, "training log") {
				return l, s.end()
			}
		case word == "program":
			l.Program = rest
		case word == "run":
			l.Run = rest
		case word == "pe":
			if _, err := fmt.Sscanf(rest, "%d of %d", &l.PE, &l.PEs); err != nil || l.PE < 0 || l.PE >= l.PEs {
				s.wrong("%q is no PE: write pe 0 of 4", rest)
				l.PEs = max(l.PEs, 1)
			}
		default:
			c, err := parseLogContext(line)
			if err != nil {
				s.wrong("%v", err)
				break
			}
			l.Contexts = append(l.Contexts, c)
		}
	}
}

func parseLogContext(line string) (c LogContext, err error) {
	head, tail, found := strings.Cut(line, ":")
	words := strings.Fields(head)
	if found && len(words) == 3 && words[2] == "misaligned" {
		c.Misaligned = true
		words = words[:2]
	}
	if !found || len(words) != 2 {
		return c, fmt.Errorf("%q is no context: write redundant and necessary barriers, a colon, and the calls: 12 0: a > b", line)
	}
	for i, n := range []*uint64{&c.Private, &c.Necessary} {
		if *n, err = strconv.ParseUint(words[i], 10, 64); err != nil {
			return c, fmt.Errorf("%q is no number of barriers: write a whole number", words[i])
		}
	}
	c.Path, _, err = parsePath(tail)
	return c, err
}

// Merge is the log of all runs together. The logs of one run, which its PEs
// wrote, count as one: every PE saw the same barriers. An error tells that logs
// are missing, doubled, or of different programs.
func Merge(logs []*Log) (*Log, error) {
	if len(logs) == 0 {
		return nil, fmt.Errorf("no training logs: run the program in training first")
	}
	type run struct {
		contexts map[string]LogContext
		seen     map[int]bool
		pes      int
	}
	runs := map[string]*run{}
	for _, l := range logs {
		if l.Program != logs[0].Program {
			return nil, fmt.Errorf("logs are of different programs, %q and %q: classify each program alone", logs[0].Program, l.Program)
		}
		r := runs[l.Run]
		if r == nil {
			r = &run{map[string]LogContext{}, map[int]bool{}, l.PEs}
			runs[l.Run] = r
		}
		switch {
		case r.pes != l.PEs:
			return nil, fmt.Errorf("run %s has logs of %d and of %d PEs: give each run a name of its own", l.Run, r.pes, l.PEs)
		case r.seen[l.PE]:
			return nil, fmt.Errorf("run %s has two logs of PE %d: give each run a name of its own", l.Run, l.PE)
		}
		r.seen[l.PE] = true
		for _, c := range l.Contexts {
			old := r.contexts[c.Path.String()]
			r.contexts[c.Path.String()] = LogContext{c.Path, max(old.Private, c.Private), max(old.Necessary, c.Necessary), old.Misaligned || c.Misaligned}
		}
	}
	sum := map[string]LogContext{}
	for name, r := range runs {
		if len(r.seen) != r.pes {
			return nil, fmt.Errorf("run %s has logs of %d PEs and ran on %d: give all of them, a missing one may hold what makes a barrier necessary", name, len(r.seen), r.pes)
		}
		for key, c := range r.contexts {
			old := sum[key]
			sum[key] = LogContext{c.Path, old.Private + c.Private, old.Necessary + c.Necessary, old.Misaligned || c.Misaligned}
		}
	}
	merged := &Log{Program: logs[0].Program, PEs: 1}
	for _, c := range sum {
		merged.Contexts = append(merged.Contexts, c)
	}
	merged.sort()
	return merged, nil
}

// Barriers is the number of barriers in the log, and how many were redundant by
// Table 3.
func (l *Log) Barriers() (all, redundant uint64) {
	for _, c := range l.Contexts {
		all += c.Private + c.Necessary
		redundant += c.Private
	}
	return all, redundant
}
