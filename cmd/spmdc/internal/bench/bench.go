// Package bench times an emitted program against others that compute the same: what
// gfortran makes of the source, and programs written by hand.
//
// All run in rounds, each once in a round and in an order that changes at random; what is
// shown are medians, and the medians of the ratios of times that were taken in one round.
package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/rounds"
)

// Options say what is timed.
type Options struct {
	PEs       []int         // numbers of PEs, of threads, and of MPI processes; nil: 1 and 2
	Peers     []string      // see Known; nil: those that there are
	Runs      int           // of each program, behind one that warms up; at least 1
	Set       []Setting     // other values of PARAMETERs
	Tolerance float64       // relative, for double precision numbers in outputs; 0: compare.Default
	Limit     time.Duration // for one run
	Launch    driver.Launch // with MPI the program is timed in one process, and in those that mpirun starts
	Profile   bool          // it is timed also while it measures itself
	Context   context.Context
}

// Contender is a program on a number of PEs.
type Contender struct {
	Name    string    `json:"name"`
	PEs     int       `json:"pes"`
	How     string    `json:"how"`         // it was built
	Own     bool      `json:"own_seconds"` // the program says how long it took
	Seconds []float64 `json:"seconds"`
	Median  float64   `json:"median"`
	Spread  float64   `json:"spread"` // half the distance of the quartiles, in seconds
	Best    float64   `json:"best"`

	env     []string
	args    []string
	stats   string     // the file in which the program says its seconds; "": it may print them
	plain   *Contender // the same program, which measures nothing
	profile string     // the file in which it writes what it measures; "": it measures nothing
	lasts   float64    // see Measuring
	output  string     // of the first run
}

// Title names it in texts.
func (c *Contender) Title() string {
	if c.PEs == 0 {
		return c.Name
	}
	return fmt.Sprintf("%s on %d", c.Name, c.PEs)
}

// Report is what was measured.
type Report struct {
	File       string       `json:"file"`
	Set        []string     `json:"set"`
	Runs       int          `json:"runs"`
	System     string       `json:"system"`
	Processors int          `json:"processors"`
	Contenders []*Contender `json:"contenders"`
	// Ratios[i][k] is the median over rounds of the time of contender i over that of k.
	Ratios [][]float64 `json:"ratios"`
	// Measuring is what a profile costs, with Options.Profile: an entry for each contender that writes one.
	Measuring []Measuring `json:"measuring,omitempty"`
	// OneWay is how many seconds a word takes from one processor to another, at the
	// beginning of each round: median, least, most.
	OneWay [3]float64 `json:"oneWay"`
	// Busy is how many processors others kept busy meanwhile, less than 0 if that is not known.
	Busy     float64  `json:"busy"`
	Warnings []string `json:"warnings"`

	images bool // what programs print depends on the number of PEs, and their lines have no order
}

// Measuring is the time of a program that measures itself over that of the same program without.
type Measuring struct {
	Name   string  `json:"name"`   // of the program, with its number of PEs
	Ratio  float64 `json:"ratio"`  // the median of the rounds
	Spread float64 `json:"spread"` // half the distance of the quartiles of the ratios of the rounds
	Error  float64 `json:"error"`  // about that of the median: Spread over the root of the rounds
	Lasts  float64 `json:"lasts"`  // seconds of a PE from one region or activity to the next, on average
}

// busy is from how many processors on, kept busy by others, a machine is not quiet.
const busy = 0.05

// Measure builds the program of c and its peers, and times them. stdin is read once, and
// given to every run. An error is one of the command, or of the program's text, which c
// then has diagnosed; a program that fails, or prints something else than the first, is one.
func Measure(table *driver.Table, c *driver.Compilation, stdin io.Reader, o Options) (*Report, error) {
	if o.PEs == nil {
		o.PEs = []int{1, 2}
	}
	text, err := Apply(c.File, c.Text, o.Set)
	if err != nil {
		return nil, err
	}
	c.Text = text
	if err := table.Run(c, driver.RunOptions{StopAfter: "ir"}); err != nil {
		return nil, err
	}
	var input []byte
	if c.IR.Reads() && stdin != nil {
		if input, err = io.ReadAll(stdin); err != nil {
			return nil, driver.Usagef("check where the input comes from", "cannot read standard input: %v", err)
		}
	}
	dir, err := os.MkdirTemp("", "spmdc-bench-")
	if err != nil {
		return nil, driver.Usagef("check the disk", "%v", err)
	}
	defer os.RemoveAll(dir)
	r := &Report{File: c.File, Set: []string{}, Runs: o.Runs, System: runtime.GOOS + " " + runtime.GOARCH, Processors: runtime.NumCPU(), Warnings: []string{}}
	for _, s := range o.Set {
		r.Set = append(r.Set, s.Name+"="+s.Value)
	}
	if err := r.peers(dir, c, o); err != nil {
		return nil, err
	}
	if err := r.emitted(table, dir, c, o); err != nil {
		return nil, err
	}
	r.images = c.IR.SPMD
	return r, r.time(input, o)
}

// emitted adds the program of spmdc on each number of PEs, compiled for it as run does.
func (r *Report) emitted(table *driver.Table, dir string, c *driver.Compilation, o Options) error {
	cache, err := driver.OpenCache()
	if err != nil {
		return err
	}
	name := "spmdc"
	if c.Options.Sync != "" && c.Options.Sync != "elide" {
		name += " " + string(c.Options.Sync)
	}
	b := driver.Builder{Table: table, Cache: cache, Host: true}
	type form struct {
		driver.Transport
		profiled bool
	}
	forms := []form{{driver.InProcess, false}}
	mpi := o.Launch.Transport != driver.InProcess
	if mpi {
		forms = append(forms, form{o.Launch.Transport, false})
	}
	if o.Profile {
		for _, f := range forms {
			forms = append(forms, form{f.Transport, true})
		}
	}
	first := true
	for _, n := range o.PEs {
		for _, f := range forms {
			t := f.Transport
			one := c
			if !first || c.Options.PEs != nil {
				one = c.Again(c.Options)
			}
			first = false
			one.Options.PEs, one.Options.Transport, one.Options.Regions = []int{n}, t, f.profiled
			program, err := b.Program(one)
			if one != c && one.Diags != nil {
				c.Diags = one.Diags
			}
			if err != nil {
				return err
			}
			x := &Contender{Name: name, PEs: n, How: fmt.Sprintf("spmdc run -n %d", n), args: []string{"-n", strconv.Itoa(n)}}
			if f.profiled {
				x.profile = filepath.Join(dir, "profile")
				x.Name += ", profile"
				x.How += " --profile"
				x.args = append(x.args, "-profile="+x.profile)
			}
			if mpi || o.Profile { // starting mpirun, and writing a profile, takes longer than many programs run
				x.stats = filepath.Join(dir, fmt.Sprintf("stats%d", len(r.Contenders)))
				x.args = append(x.args, "-stats-json="+x.stats)
			}
			if t != driver.InProcess {
				x.Name += ", mpi"
				if o.Launch.Each > 1 {
					x.Name += fmt.Sprintf(", %d per process", o.Launch.Each)
				}
				x.How += " " + strings.Join(o.Launch.Flags(), " ")
				if program, x.args, x.env, err = o.Launch.Command(program, n, x.args); err != nil {
					return err
				}
			}
			x.args = append([]string{program}, x.args...)
			if f.profiled {
				x.plain = r.Contenders[len(r.Contenders)-len(forms)/2] // the second half of forms is the first one, profiled
			}
			r.Contenders = append(r.Contenders, x)
		}
	}
	return nil
}

// time runs all.
func (r *Report) time(input []byte, o Options) error {
	var oneWay []float64
	last := -1
	all, own, known := load()
	start := time.Now()
	times, err := rounds.Run(len(r.Contenders), o.Runs, func(i, round int) (float64, error) {
		if round != last {
			last = round
			oneWay = append(oneWay, OneWay())
		}
		return r.Contenders[i].run(input, o)
	})
	if err != nil {
		return err
	}
	r.Busy = -1
	if all2, own2, _ := load(); known {
		r.Busy = max(0, (all2-all)-(own2-own)) / time.Since(start).Seconds()
	}
	tolerance := compare.Default
	if o.Tolerance > 0 {
		tolerance = compare.Tolerance{Double: o.Tolerance, Single: max(o.Tolerance, compare.Default.Single)}
	}
	for i, c := range r.Contenders {
		c.Seconds = times[i]
		c.Median, c.Spread, c.Best = rounds.Quantile(c.Seconds, 0.5), rounds.Spread(c.Seconds), slices.Min(c.Seconds)
		first, differ := r.Contenders[0], compare.Outputs
		if r.images {
			same := func(x *Contender) bool { return x.PEs == c.PEs }
			first, differ = r.Contenders[slices.IndexFunc(r.Contenders, same)], compare.Lines
			if first == c && !slices.ContainsFunc(r.Contenders[i+1:], same) {
				r.Warnings = append(r.Warnings, fmt.Sprintf("what %s prints is compared with nothing: no other program runs on as many images", c.Title()))
			}
		}
		if err := differ(first.output, c.output, tolerance); err != nil {
			return &driver.Failure{Status: driver.StatusProgram, Text: fmt.Sprintf("%s and %s do not print the same: %v", first.Title(), c.Title(), err),
				Remedy: "programs that compute something else cannot be compared; --tolerance=1e-6 allows for other orders of additions"}
		}
	}
	for _, c := range r.Contenders {
		row := make([]float64, len(r.Contenders))
		for k, d := range r.Contenders {
			row[k], _ = rounds.Ratio(c.Seconds, d.Seconds)
		}
		r.Ratios = append(r.Ratios, row)
	}
	for _, c := range r.Contenders {
		if c.profile != "" {
			ratio, spread := rounds.Ratio(c.Seconds, c.plain.Seconds)
			r.Measuring = append(r.Measuring, Measuring{c.plain.Title(), ratio, spread, spread / math.Sqrt(float64(o.Runs)), c.lasts})
		}
	}
	r.OneWay = [3]float64{rounds.Quantile(oneWay, 0.5), slices.Min(oneWay), slices.Max(oneWay)}
	r.warn()
	return nil
}

// warn says what speaks against the figures.
func (r *Report) warn() {
	say := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case r.Busy < 0:
		say("whether the machine was quiet is not known here")
	case r.Busy > busy:
		say("others kept %.2f processors busy meanwhile: repeat it on a quiet machine", r.Busy)
	}
	if r.OneWay[2] > 2*r.OneWay[1] {
		say("the distance of the processors changed meanwhile, from %s to %s", short(r.OneWay[1]), short(r.OneWay[2]))
	}
	for _, c := range r.Contenders {
		if c.Spread > 0.1*c.Median {
			say("the times of %s differ by more than a tenth", c.Title())
		}
		if c.Median < 0.02 {
			say("%s takes %s: much of that is starting it", c.Title(), short(c.Median))
		}
		if c.PEs > r.Processors {
			say("%s: there are %d processors", c.Title(), r.Processors)
		}
	}
}

// ownSeconds is how a program says on standard error how long it took, if that is less
// than the time between its start and its end: those that mpiexec starts.
var ownSeconds = regexp.MustCompile(`(?m)^ *seconds +([0-9][0-9.Ee+-]*) *$`)

// run is one run, and how many seconds it took.
func (c *Contender) run(input []byte, o Options) (float64, error) {
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	within := ctx
	if o.Limit > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, o.Limit)
		defer cancel()
	}
	cmd := exec.CommandContext(within, c.args[0], c.args[1:]...)
	driver.Grouped(cmd)
	cmd.WaitDelay = 3 * time.Second
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdin = bytes.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := driver.RunTied(cmd)
	took := time.Since(start).Seconds()
	if within.Err() != nil && cmd.Process != nil {
		driver.KillGroup(cmd) // what did not end when it was interrupted
	}
	if f := driver.InterruptedBy(ctx); f != nil {
		return 0, f
	}
	fails := func(format string, args ...any) error {
		return &driver.Failure{Status: driver.StatusProgram, Text: c.Title() + ": " + fmt.Sprintf(format, args...), Remedy: "programs that fail cannot be timed"}
	}
	var exit *exec.ExitError
	switch {
	case within.Err() != nil:
		return 0, fails("no end within %v", o.Limit)
	case errors.As(err, &exit):
		return 0, fails("%v\n%s", err, strings.TrimSpace(stderr.String()))
	case err != nil:
		return 0, fails("%v", err)
	}
	said := stderr.Bytes()
	if c.stats != "" {
		text, err := os.ReadFile(c.stats)
		var stats struct{ Seconds float64 }
		if err == nil {
			err = json.Unmarshal(text, &stats)
		}
		if err != nil {
			return 0, fails("it has left no statistics: %v", err)
		}
		said = fmt.Appendf(nil, "seconds %v", stats.Seconds)
	}
	if m := ownSeconds.FindSubmatch(said); m != nil {
		if s, err := strconv.ParseFloat(string(m[1]), 64); err == nil && s > 0 {
			took, c.Own = s, true
		}
	}
	if c.output == "" {
		c.output = stdout.String()
	}
	if c.profile != "" {
		if c.lasts, err = lasting(c.profile, c.PEs); err != nil {
			return 0, fails("it has left no profile: %v", err)
		}
	}
	return took, nil
}

// lasting is how many seconds pass in a PE of a run with a profile from one region or activity to the next.
func lasting(profile string, pes int) (float64, error) {
	type counted struct{ PEs []struct{ Count int64 } }
	type site struct{ Activities []counted }
	var p struct {
		Seconds float64
		Regions []counted
		Sites   []site
		Other   site
	}
	text, err := os.ReadFile(profile)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return 0, err
	}
	all := p.Regions
	for _, s := range append(p.Sites, p.Other) {
		all = append(all, s.Activities...)
	}
	var events int64
	for _, c := range all {
		for _, pe := range c.PEs {
			events += pe.Count
		}
	}
	return p.Seconds * float64(pes) / float64(events), nil
}

// Setting is another value of a PARAMETER.
type Setting struct{ Name, Value string }

var number = regexp.MustCompile(`(?i)^[-+]?(\d+\.?\d*|\.\d+)([ed][-+]?\d+)?(_\w+)?$`)

// ParseSetting reads name=value.
func ParseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !regexp.MustCompile(`^[A-Za-z]\w*$`).MatchString(name) || !number.MatchString(value) {
		return Setting{}, driver.Usagef("write for example --set=n=2000", "--set=%s: expected the name of a PARAMETER, and a number", text)
	}
	return Setting{name, value}, nil
}

// Apply gives PARAMETERs of a source other values. Each must be given one in one place.
func Apply(file string, text []byte, settings []Setting) ([]byte, error) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	// What is named stands behind :: or PARAMETER, and before a comment.
	statement := regexp.MustCompile(`(?i)^([^!'"]*\bparameter\b(?:[^!'":]*::)?)([^!]*)`)
	for k, s := range settings {
		if slices.ContainsFunc(settings[:k], func(t Setting) bool { return strings.EqualFold(t.Name, s.Name) }) {
			return nil, driver.Usagef("give each one value", "--set=%s=%s: %s is set twice", s.Name, s.Value, s.Name)
		}
		value := regexp.MustCompile(`(?i)(\b` + regexp.QuoteMeta(s.Name) + `\s*=\s*)[-+]?[.\d][\w.]*(?:[-+]\d+)?(\s*(?:[,)&;]|$))`)
		found := 0
		for i, line := range lines {
			m := statement.FindSubmatch(line)
			if m == nil {
				continue
			}
			code := bytes.TrimRight(m[2], "\r\n")
			found += len(value.FindAll(code, -1))
			lines[i] = slices.Concat(m[1], value.ReplaceAll(code, []byte("${1}"+s.Value+"${2}")), line[len(m[1])+len(code):])
		}
		if found != 1 {
			return nil, driver.Usagef("give it a value in one line with PARAMETER, as in: integer, parameter :: n = 100",
				"%s: --set=%s=%s: there are %d PARAMETERs of this name whose value is a number", filepath.Base(file), s.Name, s.Value, found)
		}
	}
	return bytes.Join(lines, nil), nil
}
