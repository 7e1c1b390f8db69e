package verify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/randprog"
)

// shrink makes the program of a failure as small as it can in the time.
func (r *RandomReport) shrink(table *driver.Table, dir string, f *Failing) {
	kind, how := faultKind(f.Fault), manner(f.Fault)
	serial := 0
	o := r.RandomOptions
	o.Hold = 0
	own := f.Options
	own.Prove, own.Plans = own.proved(), []plan.Kind{f.Plan}
	if kind == Wrong && f.Plan != plan.Handshake {
		own.Plans = []plan.Kind{plan.Handshake, f.Plan} // to compare with where there is no gfortran
	}
	if f.PEs > 0 {
		o.PEs = []int{f.PEs}
	}
	fails := func(source string) error {
		serial++
		sub := filepath.Join(dir, fmt.Sprintf("shrink%d", serial))
		defer os.RemoveAll(sub)
		one := newReport(o)
		s := &sample{seed: f.Seed, options: own, Program: randprog.Program{Source: source, Input: f.Input}}
		mains := map[string][]byte{}
		x := one.emit(table, s, mains)
		if x == nil {
			program, err := driver.Bundle(sub, mains, o.Launch.Transport)
			if err != nil {
				x = &Failing{Way: f.Way, Fault: err}
			} else if _, err := one.expect(sub, []*sample{s}); err != nil {
				return nil // no valid program any more
			} else {
				server := &server{bundle: program, limit: o.Limit, launch: o.Launch}
				defer server.end()
				x = one.run(server, s, newTally())
			}
		}
		if x != nil && x.Way == f.Way && manner(x.Fault) == how {
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
	if f.Kind == Violation && (strings.Contains(text, "comes too early") || strings.Contains(text, "is not ordered")) {
		return "nothing orders a put" // which of the two is said depends on who was fast
	}
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
