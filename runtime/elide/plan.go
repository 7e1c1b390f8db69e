package elide

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/outfile"
)

// What the files of this package begin with, by which they are known.
const (
	LogWord  = "barriers-log"
	PlanWord = "barriers-plan"

	LogVersion  = 3
	PlanVersion = 1

	oldPlanWord = "elide-plan" // of earlier versions of spmdc; the rest is the same
)

// Verdict is what a plan says about the contexts that end in a suffix.
type Verdict string

const (
	// Elide: barriers in these contexts are elided.
	Elide Verdict = "elide"
	// Candidate: training found them redundant; nobody has validated it.
	Candidate Verdict = "candidate"
	// Reject: validation failed with them elided.
	Reject Verdict = "reject"
	// Never: they are not elided, whatever other entries say or a run learns.
	Never Verdict = "never"
)

// Entry is one statement of a plan.
type Entry struct {
	Verdict  Verdict
	Suffix   Path
	Barriers uint64   // barriers of the training runs in these contexts; 0 if unknown
	Contexts int      // contexts that this suffix stands for; 0 if unknown
	Comment  []string // lines before it, without '#'
	Note     string   // comment on its line, without '#'
}

// Plan is what a run knows in advance about contexts. Its file is made to be
// read, edited and compared:
//
//	barriers-plan 1
//	program shallow 4f2a9c
//
//	# the library synchronises again on entry
//	elide 512 in 83: matmul.f90:4 > sync.f90:7
//	candidate 12 in 2: ^ > main.f90:9 > sync.f90:7  # only from the main program
//	never: restart.f90:20 > sync.f90:7
//
// A path goes from the outer call to the barrier. It covers all contexts that
// end in it; one that begins with ^ covers the one context that it is. "512 in
// 83", barriers and contexts in training, may be left out. Of entries that cover
// a context never is the strongest; elide comes next; the others do nothing.
type Plan struct {
	Program string // version of the program; empty fits any
	Entries []Entry
	Tail    []string // comment lines after the last entry
}

// Problem is one thing wrong in a file, with what to do about it.
type Problem struct {
	File    string
	Line    int
	Message string
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message) }

// Problems is the error of a file that cannot be read: at most ten.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems ends the reading of a file.
const maxProblems = 10

// Lines reads the lines of a plan or a log, and collects what is wrong with them.
type Lines struct {
	Number   int // of the line read last
	scanner  *bufio.Scanner
	file     string
	problems Problems
}

// NewLines reads r. file is its name in Problems.
func NewLines(file string, r io.Reader) *Lines {
	l := &Lines{scanner: bufio.NewScanner(r), file: file}
	l.scanner.Buffer(nil, 1<<24) // a context may be thousands of calls
	return l
}

// Next is the next line without surrounding space; false at the end.
func (l *Lines) Next() (string, bool) {
	if len(l.problems) == maxProblems || !l.scanner.Scan() {
		return "", false
	}
	l.Number++
	return strings.TrimSpace(l.scanner.Text()), true
}

// Wrong notes a problem of the line read last.
func (l *Lines) Wrong(format string, args ...any) {
	l.problems = append(l.problems, Problem{l.file, l.Number, fmt.Sprintf(format, args...)})
}

// Err is what is wrong so far; nil for nothing.
func (l *Lines) Err() error {
	if err := l.scanner.Err(); err != nil {
		return fmt.Errorf("%s: %w", l.file, err)
	}
	if len(l.problems) > 0 {
		return l.problems
	}
	return nil
}

// Header checks the first line of a file. Nothing is said of the lines of a file that
// is another one.
func (l *Lines) Header(line, word string, version int, what string) (ok bool) {
	got, found := strings.CutPrefix(line, word+" ")
	switch {
	case !found:
		l.Wrong("this is no %s: its first line must be \"%s %d\"", what, word, version)
	case strings.TrimSpace(got) != strconv.Itoa(version):
		l.Wrong("version %s of a %s is unknown here: make it again with this version, which writes %d", got, what, version)
	default:
		return true
	}
	return false
}

// ReadPlan reads a plan. file is its name in errors, which are Problems.
func ReadPlan(file string, r io.Reader) (*Plan, error) {
	in := NewLines(file, r)
	p := &Plan{}
	lines := map[string]int{} // of suffixes
	var comment []string
	headed := false
	for {
		line, more := in.Next()
		switch {
		case !more:
			if !headed && in.Err() == nil {
				in.Wrong("the file has no statements: a plan begins with \"%s %d\"", PlanWord, PlanVersion)
			}
			p.Tail = comment
			return p, in.Err()
		case line == "":
		case line[0] == '#':
			comment = append(comment, line[1:])
		case !headed:
			headed = true
			if rest, old := strings.CutPrefix(line, oldPlanWord+" "); old {
				line = PlanWord + " " + rest
			}
			if !in.Header(line, PlanWord, PlanVersion, "plan of barriers") {
				return p, in.Err()
			}
		case line == "program" || strings.HasPrefix(line, "program "):
			if p.Program != "" {
				in.Wrong("a second program: leave one")
			}
			if p.Program = strings.TrimSpace(line[len("program"):]); p.Program == "" {
				in.Wrong("the program has no name: write one, or delete the line and the plan fits any")
			}
		default:
			e, err := parseEntry(line)
			if err != nil {
				in.Wrong("%v", err)
				break
			}
			key := e.Suffix.String()
			if before, twice := lines[key]; twice {
				in.Wrong("%s has an entry in line %d already: delete one of them", key, before)
				break
			}
			lines[key] = in.Number
			e.Comment, comment = comment, nil
			p.Entries = append(p.Entries, e)
		}
	}
}

// parseEntry reads "verdict [N in M]: path [# note]".
func parseEntry(line string) (e Entry, err error) {
	head, tail, found := strings.Cut(line, ":")
	words := strings.Fields(head)
	if len(words) == 0 {
		return e, errors.New("a verdict is missing before the colon: write elide, candidate, reject or never")
	}
	switch e.Verdict = Verdict(words[0]); e.Verdict {
	case Elide, Candidate, Reject, Never:
	default:
		return e, fmt.Errorf("%q is no verdict: write elide, candidate, reject or never", words[0])
	}
	if !found {
		return e, fmt.Errorf("%s of what? write %s: a > b > c", e.Verdict, e.Verdict)
	}
	if len(words) > 1 {
		if len(words) != 4 || words[2] != "in" {
			return e, fmt.Errorf("%q is no count: write %s 512 in 83: path (barriers in contexts), or %s: path", strings.Join(words[1:], " "), e.Verdict, e.Verdict)
		}
		if e.Barriers, err = strconv.ParseUint(words[1], 10, 64); err != nil {
			return e, fmt.Errorf("%q is no number of barriers: write a whole number", words[1])
		}
		if e.Contexts, err = strconv.Atoi(words[3]); err != nil || e.Contexts < 0 {
			return e, fmt.Errorf("%q is no number of contexts: write a whole number", words[3])
		}
	}
	e.Suffix, tail, err = ParsePath(tail)
	if tail != "" {
		e.Note = strings.TrimRight(tail[1:], " \t")
	}
	return e, err
}

// Write writes the plan as ReadPlan reads it.
func (p *Plan) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, PlanWord, PlanVersion)
	if p.Program != "" {
		fmt.Fprintln(b, "program", p.Program)
	}
	for _, e := range p.Entries {
		if len(e.Comment) > 0 {
			fmt.Fprintln(b)
		}
		for _, c := range e.Comment {
			fmt.Fprintln(b, "#"+c)
		}
		fmt.Fprint(b, e.Verdict)
		if e.Barriers > 0 || e.Contexts > 0 {
			fmt.Fprintf(b, " %d in %d", e.Barriers, e.Contexts)
		}
		fmt.Fprintf(b, ": %v", e.Suffix)
		if e.Note != "" {
			fmt.Fprint(b, "  #", e.Note)
		}
		fmt.Fprintln(b)
	}
	for _, c := range p.Tail {
		fmt.Fprintln(b, "#"+c)
	}
	return b.Flush()
}

// For is an error if the plan is one for another program than that of the name.
func (p *Plan) For(program string) error {
	if p.Program == "" || p.Program == program {
		return nil
	}
	return fmt.Errorf("the plan is for program %q, this is %q: train and classify again, or change the plan's line \"program\" if you know that its contexts are the same", p.Program, program)
}

// Strangers are the entries whose suffix ends none of the contexts.
func (p *Plan) Strangers(contexts []Path) (list []Entry) {
	ends := map[string]bool{} // those of contexts, of the lengths that entries have
	lengths := map[int]bool{}
	for _, e := range p.Entries {
		lengths[len(e.Suffix)] = true
	}
	for _, c := range contexts {
		c = c.Whole()
		for n := range lengths {
			if n <= len(c) {
				ends[c[len(c)-n:].String()] = true
			}
		}
	}
	for _, e := range p.Entries {
		if !ends[e.Suffix.String()] {
			list = append(list, e)
		}
	}
	return list
}

// Forbid adds entries that forbid the contexts with these paths, and returns how
// many were not forbidden before. The note says why.
func (p *Plan) Forbid(contexts []Path, note string) (added int) {
	for _, c := range contexts {
		e := Entry{Verdict: Never, Suffix: c.Whole(), Note: " " + note}
		key := e.Suffix.String()
		i := slices.IndexFunc(p.Entries, func(old Entry) bool { return old.Suffix.String() == key })
		switch {
		case i < 0:
			p.Entries = append(p.Entries, e)
		case p.Entries[i].Verdict == Never:
			continue
		default:
			p.Entries[i].Verdict, p.Entries[i].Note = Never, e.Note
		}
		added++
	}
	return added
}

// Count is the number of entries with verdict v.
func (p *Plan) Count(v Verdict) (n int) {
	for _, e := range p.Entries {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// Warning says of a plan, called name, that it elides nothing because no candidate of it was
// tested, and what to do, for which command is "spmdc barriers" or "spmdc mpi"; it is "" if the
// plan elides something, or has no candidates.
func (p *Plan) Warning(name, command string) string {
	n := p.Count(Candidate)
	if n == 0 || p.Count(Elide) > 0 {
		return ""
	}
	return fmt.Sprintf("%s: warning: nothing is elided: the %d candidates were not tested\n  test them with %s validate, or let %s classify --accept elide them untested", name, n, command, command)
}

// ReadPlanFile reads the plan in a file.
func ReadPlanFile(name string) (*Plan, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadPlan(name, f)
}

// WriteFile writes the plan into a file, in place of another plan at most.
func (p *Plan) WriteFile(name string) error {
	return outfile.Write(name, []string{PlanWord, oldPlanWord}, p.Write)
}
