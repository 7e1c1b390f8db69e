package barriers

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
)

// ParseLog reads a log. file is its name in errors, which are elide.Problems.
func ParseLog(file string, r io.Reader) (*elide.Log, error) {
	in := elide.NewLines(file, r)
	l := &elide.Log{Calls: map[string]string{}}
	headed := false
	for {
		line, more := in.Next()
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case !more:
			if in.Err() == nil && (!headed || len(l.PEs) == 0) {
				in.Wrong("the log is not whole: it must begin with \"%s %d\" and have a line \"pes\"; run the training again", elide.LogWord, elide.LogVersion)
			}
			return l, in.Err()
		case line == "" || line[0] == '#':
		case !headed:
			headed = true
			if !in.Header(line, elide.LogWord, elide.LogVersion, "log of barriers") {
				return l, in.Err()
			}
		default:
			if err := parseLine(l, word, rest); err != nil {
				in.Wrong("%v", err)
			}
		}
	}
}

// parseLine reads one line of a log, which begins with word.
func parseLine(l *elide.Log, word, rest string) (err error) {
	ok := true
	switch word {
	case "program":
		l.Program = rest
	case "run":
		l.Run = rest
	case "mode":
		if l.Mode, ok = elide.ParseMode(rest); !ok {
			return fmt.Errorf("%q is no mode: write learn, plan or audit", rest)
		}
	case "pes":
		for _, f := range strings.Fields(rest) {
			n, err := strconv.Atoi(f)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of PEs: write for example pes 4", f)
			}
			l.PEs = append(l.PEs, n)
		}
	case "agreements":
		if l.Agreements, err = strconv.ParseUint(rest, 10, 64); err != nil {
			return fmt.Errorf("%q is no number of agreements: write a whole number", rest)
		}
	case "call":
		for at, r := range rest { // a procedure may have a colon in it, as "main (app.c:31)"
			if r != ':' {
				continue
			}
			if p, more, err := elide.ParsePath(rest[at+1:]); err == nil && len(p) == 1 && more == "" {
				l.Calls[p[0]] = rest[:at]
				return nil
			}
		}
		return fmt.Errorf("%q is no call: write call procedure: file:line", rest)
	default:
		c, err := parseContext(word + " " + rest)
		if err != nil {
			return err
		}
		l.Contexts = append(l.Contexts, c)
	}
	return nil
}

// parseContext reads "barriers executed redundant table1 broken steady ms state: path [# note]".
func parseContext(line string) (c elide.LogContext, err error) {
	head, tail, found := strings.Cut(line, ":")
	words := strings.Fields(head)
	if !found || len(words) != 8 {
		return c, fmt.Errorf("%q is no context: write seven numbers, the state, a colon, and the calls: 12 12 12 11 0 12 0.021 audited: a > b", line)
	}
	for i, n := range []*uint64{&c.Barriers, &c.Executed, &c.Redundant, &c.Ideal, &c.Broken, &c.Steady} {
		if *n, err = strconv.ParseUint(words[i], 10, 64); err != nil {
			return c, fmt.Errorf("%q is no number of barriers: write a whole number", words[i])
		}
	}
	if c.Executed > c.Barriers || c.Redundant > c.Barriers {
		return c, fmt.Errorf("%q: of %d barriers more are executed or redundant: run the training again", line, c.Barriers)
	}
	ms, err := strconv.ParseFloat(words[6], 64)
	if err != nil || !(ms >= 0 && ms < 1e12) {
		return c, fmt.Errorf("%q is no time in milliseconds: write a number", words[6])
	}
	c.Time = time.Duration(ms * float64(time.Millisecond))
	why, ok := elide.ParseWhy(words[7])
	if !ok {
		return c, fmt.Errorf("%q is no state of a context: run the training again", words[7])
	}
	c.Why = why
	c.Path, tail, err = elide.ParsePath(tail)
	c.Note = strings.TrimPrefix(strings.TrimPrefix(tail, "#"), " ")
	return c, err
}

// Merge is the log of all runs together. An error says that a run is there twice, or
// that logs are of different programs.
func Merge(logs []*elide.Log) (*elide.Log, error) {
	if len(logs) == 0 {
		return nil, fmt.Errorf("no training logs: run the program in training first")
	}
	merged := &elide.Log{Program: logs[0].Program, Mode: logs[0].Mode, Calls: map[string]string{}}
	at := map[string]int{}
	var runs []string
	for _, l := range logs {
		if l.Program != merged.Program {
			return nil, fmt.Errorf("logs are of different programs, %q and %q: classify each program alone", merged.Program, l.Program)
		}
		for run := range strings.SplitSeq(l.Run, "+") {
			if slices.Contains(runs, run) {
				return nil, fmt.Errorf("run %s is there twice: give each log once", run)
			}
			runs = append(runs, run)
		}
		for _, n := range l.PEs {
			if !slices.Contains(merged.PEs, n) {
				merged.PEs = append(merged.PEs, n)
			}
		}
		merged.Agreements += l.Agreements
		for label, proc := range l.Calls {
			merged.Calls[label] = proc
		}
		for _, c := range l.Contexts {
			key := c.Path.String()
			n, ok := at[key]
			if !ok {
				at[key] = len(merged.Contexts)
				merged.Contexts = append(merged.Contexts, c)
				continue
			}
			sum := &merged.Contexts[n]
			switch one, other := sum.Steady < sum.Executed, c.Steady < c.Executed; {
			case !one && !other:
				sum.Steady += c.Steady
			case one && other:
				sum.Steady = max(sum.Steady, c.Steady)
			case other:
				sum.Steady = c.Steady
			}
			sum.Add(&c.Counts)
			if c.Why == elide.Misaligned {
				sum.Why = c.Why
			}
		}
	}
	slices.Sort(merged.PEs)
	merged.Run = strings.Join(runs, "+")
	merged.Sort()
	return merged, nil
}
