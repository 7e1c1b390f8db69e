package verify

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/examples/randprog"
)

// RandomOptions say which random programs to verify.
type RandomOptions struct {
	Options
	Programs int
	Seed     uint64        // of the first
	Shrink   time.Duration // how long to shrink one that fails; 0: not
}

// Generated returns the random program of a seed. The three generators take turns:
// many ways to communicate, rounds of exchanges, and loops with branches and jumps.
func Generated(seed uint64) randprog.Program {
	switch seed % 3 {
	case 0:
		return randprog.Sample(max(seed, 1))
	case 1:
		return randprog.Rounds(seed)
	}
	return randprog.Loops(seed)
}

// Failing is a random program with a fault.
type Failing struct {
	Seed   uint64
	Plan   plan.Kind
	PEs    int
	Source string
	Input  string
	Fault  error
	Shrunk bool // Source is what is left of it
}

// RandomReport is what verifying random programs has found.
type RandomReport struct {
	RandomOptions
	Reference string
	Runs      int
	Totals    map[plan.Kind]*Counts
	Failing   []Failing // at most one of each program, in order
}

// OK reports whether nothing was wrong.
func (r *RandomReport) OK() bool { return len(r.Failing) == 0 }

// batch is how many programs are built as one: building one after the other takes
// longer than running them.
const batch = 20

// Random verifies random programs as File does a program. The first that fails is
// shrunk.
func Random(table *driver.Table, o RandomOptions) (*RandomReport, error) {
	r := &RandomReport{RandomOptions: o, Totals: map[plan.Kind]*Counts{}}
	for _, k := range o.Plans {
		r.Totals[k] = &Counts{}
	}
	dir, err := os.MkdirTemp("", "spmdc-verify-")
	if err != nil {
		return nil, driver.Usagef("check the disk", "%v", err)
	}
	defer os.RemoveAll(dir)
	for first := 0; first < o.Programs; first += batch {
		sub := filepath.Join(dir, fmt.Sprint(first))
		if err := r.batch(table, sub, first, min(batch, o.Programs-first)); err != nil {
			return nil, err
		}
	}
	if len(r.Failing) > 0 && o.Shrink > 0 {
		r.shrink(table, dir, &r.Failing[0])
	}
	return r, nil
}

// sample is a random program with what it should print.
type sample struct {
	randprog.Program
	seed uint64
	want *Outcome
}

// variant is the name in a bundle of a program under a plan.
func variant(seed uint64, k plan.Kind) string { return fmt.Sprintf("%d.%s", seed, k) }

// batch verifies some programs.
func (r *RandomReport) batch(table *driver.Table, dir string, first, count int) error {
	defer os.RemoveAll(dir)
	var list []*sample
	before := len(r.Failing)
	mains := map[string][]byte{}
	for i := range count {
		s := &sample{seed: r.Seed + uint64(first+i)}
		s.Program = Generated(s.seed)
		for _, k := range r.Plans {
			code, err := r.compile(table, s, k)
			if err != nil {
				r.Failing = append(r.Failing, Failing{Seed: s.seed, Plan: k, Source: s.Source, Input: s.Input, Fault: err})
				s = nil
				break
			}
			mains[variant(s.seed, k)] = code
		}
		if s != nil {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil
	}
	program, err := driver.Bundle(dir, mains)
	var refused *driver.Failure
	switch {
	case err == nil:
	case !errors.As(err, &refused) || refused.Status != driver.StatusInternal:
		return err
	case count == 1:
		s := list[0]
		r.Failing = append(r.Failing, Failing{Seed: s.seed, Plan: r.Plans[0], Source: s.Source, Input: s.Input, Fault: err})
		return nil
	default: // which of them?
		r.Failing = r.Failing[:before]
		if err := r.batch(table, dir+"a", first, count/2); err != nil {
			return err
		}
		return r.batch(table, dir+"b", first+count/2, count-count/2)
	}
	if err := r.expect(dir, list); err != nil {
		return err
	}
	failing := make([]*Failing, len(list))
	var mu sync.Mutex
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				failing[i] = r.verify(dir, program, list[i], &mu)
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	group.Wait()
	for _, f := range failing {
		if f != nil {
			r.Failing = append(r.Failing, *f)
		}
	}
	return nil
}

// compile emits the check build of a plan.
func (r *RandomReport) compile(table *driver.Table, s *sample, k plan.Kind) ([]byte, error) {
	o := r.Compile
	o.Sync, o.Check = k, true
	c := driver.New("random.hpf", []byte(s.Source), o)
	if err := table.Run(c, driver.RunOptions{Verify: true}); err != nil {
		if errors.Is(err, driver.ErrDiagnosed) {
			var text strings.Builder
			if err := c.Report(&text, false); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("the program is refused:\n%s", text.String())
		}
		return nil, err
	}
	return c.Code, nil
}

// verify runs one program in every way, up to its first fault.
func (r *RandomReport) verify(dir, program string, s *sample, mu *sync.Mutex) *Failing {
	want := s.want
	for _, k := range r.Plans {
		for _, n := range r.PEs {
			c, got, err := check(dir, r.Limit, []byte(s.Input), n, want, program, variant(s.seed, k))
			mu.Lock()
			r.Runs++
			r.Totals[k].add(c)
			mu.Unlock()
			if err != nil {
				return &Failing{Seed: s.seed, Plan: k, PEs: n, Source: s.Source, Input: s.Input, Fault: err}
			}
			if want == nil {
				want = got
			}
		}
	}
	return nil
}

var (
	programLine = regexp.MustCompile(`(?m)\Aprogram \w+\n`)
	endLine     = regexp.MustCompile(`(?m)^end program( \w+)?\n`)
	external    = regexp.MustCompile(`(?m)^ *subroutine (\w+)\(`)
)

// expect runs gfortran's programs, which are compiled as one: each becomes a
// subroutine, and the number of the one to call is the first record of the input.
func (r *RandomReport) expect(dir string, list []*sample) error {
	var text strings.Builder
	text.WriteString("program all\n  integer :: which\n  read *, which\n  select case (which)\n")
	for i := range list {
		fmt.Fprintf(&text, "  case (%d)\n    call random%d\n", i, i)
	}
	text.WriteString("  end select\nend program all\n")
	for i, s := range list {
		end := endLine.FindStringIndex(s.Source)
		if !programLine.MatchString(s.Source) || end == nil {
			return fmt.Errorf("seed %d: not a program:\n%s", s.seed, s.Source)
		}
		body, procedures := programLine.ReplaceAllString(s.Source[:end[0]], ""), s.Source[end[1]:]
		// External procedures have one space of names for all programs.
		for _, m := range external.FindAllStringSubmatch(procedures, -1) {
			own, other := regexp.MustCompile(`\b`+m[1]+`\b`), fmt.Sprintf("%s_%d", m[1], i)
			body, procedures = own.ReplaceAllString(body, other), own.ReplaceAllString(procedures, other)
		}
		fmt.Fprintf(&text, "subroutine random%d\n%send subroutine random%d\n%s", i, body, i, procedures)
	}
	source := filepath.Join(dir, "all.f90")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		return driver.Usagef("check the disk", "%v", err)
	}
	program, err := gfortran(source, filepath.Join(dir, "all"))
	if err != nil {
		return err
	}
	if r.Reference = fmt.Sprintf("plan %s on %d PEs", r.Plans[0], r.PEs[0]); program == "" {
		return nil
	}
	r.Reference = "gfortran"
	for i, s := range list {
		want, err := execute(r.Limit, fmt.Appendf(nil, "%d\n%s", i, s.Input), program)
		if err != nil {
			return fmt.Errorf("seed %d: gfortran's program: %w\n%s", s.seed, err, s.Source)
		}
		if !want.stopped() {
			return fmt.Errorf("seed %d: gfortran's program: %s\n%s", s.seed, want.Stderr, s.Source)
		}
		s.want = want
	}
	return nil
}

// shrink makes the program of a failure as small as it can in the time.
func (r *RandomReport) shrink(table *driver.Table, dir string, f *Failing) {
	kind, how := faultKind(f.Fault), manner(f.Fault)
	serial := 0
	one := RandomReport{RandomOptions: r.RandomOptions}
	one.Plans = []plan.Kind{f.Plan}
	if kind == Wrong && f.Plan != plan.Handshake {
		one.Plans = []plan.Kind{plan.Handshake, f.Plan} // to compare with where there is no gfortran
	}
	if f.PEs > 0 {
		one.PEs = []int{f.PEs}
	}
	fails := func(source string) error {
		serial++
		sub := filepath.Join(dir, fmt.Sprintf("shrink%d", serial))
		defer os.RemoveAll(sub)
		s := &sample{seed: f.Seed, Program: randprog.Program{Source: source, Input: f.Input}}
		mains := map[string][]byte{}
		for _, k := range one.Plans {
			code, err := one.compile(table, s, k)
			if err != nil {
				if manner(err) == how {
					return err
				}
				return nil
			}
			mains[variant(s.seed, k)] = code
		}
		program, err := driver.Bundle(sub, mains)
		if err != nil && manner(err) == how {
			return err
		}
		if err != nil || one.expect(sub, []*sample{s}) != nil {
			return nil // no valid program any more
		}
		one.Totals = map[plan.Kind]*Counts{}
		for _, k := range one.Plans {
			one.Totals[k] = &Counts{}
		}
		var mu sync.Mutex
		if x := one.verify(sub, program, s, &mu); x != nil && x.Plan == f.Plan && manner(x.Fault) == how {
			return x.Fault
		}
		return nil
	}
	source, err := Shrink(f.Source, fails, time.Now().Add(r.Shrink))
	if err != nil {
		f.Source, f.Fault, f.Shrunk = source, err, true
	}
}

// numbers are what differs between faults of one manner.
var numbers = regexp.MustCompile(`[0-9]+`)

// manner is what a fault has in common with those that are like it: its kind, and
// but for wrong outputs what is said first, up to the name of a reference.
func manner(err error) string {
	var f *Fault
	if !errors.As(err, &f) {
		text := numbers.ReplaceAllString(err.Error(), "#")
		lines := strings.SplitN(text, "\n", 3) // the Go compiler may have several errors
		return strings.Join(lines[:min(2, len(lines))], " ")
	}
	if f.Kind == Wrong {
		return f.Kind.String()
	}
	text, _, _ := strings.Cut(f.Text, "\n")
	var words []string
	for _, w := range strings.Fields(text) {
		if !strings.ContainsAny(w, "(),:'") {
			words = append(words, numbers.ReplaceAllString(w, "#"))
		}
	}
	return f.Kind.String() + " " + strings.Join(words, " ")
}

// faultKind is the kind of a fault; 0 for a program that is not compiled.
func faultKind(err error) FaultKind {
	var f *Fault
	if errors.As(err, &f) {
		return f.Kind
	}
	return 0
}

// Write writes the report: totals, and the programs that failed.
func (r *RandomReport) Write(w io.Writer) error {
	kinds := map[string]int{}
	for _, f := range r.Failing {
		name := "not compiled"
		if k := faultKind(f.Fault); k > 0 {
			name = k.String()
		}
		kinds[name]++
	}
	fmt.Fprintf(w, "%d random programs from seed %d on, on %s PEs, outputs compared with %s: %d runs\n", r.Programs, r.Seed,
		strings.Trim(strings.ReplaceAll(fmt.Sprint(r.PEs), " ", ","), "[]"), r.Reference, r.Runs)
	for _, k := range r.Plans {
		c := r.Totals[k]
		fmt.Fprintf(w, "  %-9s  %d ready messages (%d of them redundant in their runs) for %d data messages; PEs held %d times\n", k, c.Ready, c.Redundant, c.Data, c.Held)
	}
	_, err := fmt.Fprintf(w, "%d violations, %d wrong outputs, %d hangs, %d missed by the checker, %d not compiled\n", kinds[Violation.String()], kinds[Wrong.String()],
		kinds[Hang.String()], kinds[Disagree.String()], kinds["not compiled"])
	for i, f := range r.Failing {
		fmt.Fprintf(w, "\nseed %d, %s on %d PEs: %v\n", f.Seed, f.Plan, f.PEs, f.Fault)
		if i == 0 {
			how := "the program"
			if f.Shrunk {
				how = "shrunk"
			}
			fmt.Fprintf(w, "\n%s:\n%s", how, f.Source)
			if f.Input != "" {
				fmt.Fprintf(w, "\nits input:\n%s", f.Input)
			}
		}
		if i == mostFailing {
			_, err = fmt.Fprintf(w, "\nand %d more\n", len(r.Failing)-i-1)
			break
		}
	}
	return err
}

// mostFailing is how many failures are shown.
const mostFailing = 10
