package spmd

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// provoke is the flags of check builds: what makes runs slow where it matters, or
// takes witnesses away, and what records them.
type provoke struct {
	holds  check.Holds
	lates  check.Lates
	mute   mutes
	freeze freeze
	trace  string
}

// define adds the flags.
func (v *provoke) define(flags *flag.FlagSet) {
	flags.Var(&v.holds, "hold", "for debugging, `PE,COMM,EPOCH`: the PE stops when communication COMM (1 is the first) has arrived\n"+
		"for the EPOCH-th time, until no other PE can move, but no longer than "+holdLimit.String()+": a put that nothing orders\n"+
		"after the use of that value then comes too early, and is reported. PE alone: it stops at every\n"+
		"arrival. random,SEED: PEs stop at places that the seed picks. May be given more than once")
	flags.Var(&v.lates, "late", "for debugging, `PE,COMM,EPOCH`: what the PE puts when communication COMM comes for the EPOCH-th\n"+
		"time arrives only when no PE can move, but no later than after "+holdLimit.String()+". May be given more than once")
	flags.Var(&v.mute, "mute", "for debugging, `COMM`: what communication or reduction COMM brings comes without what its senders know.\n"+
		"The program does the same, but what only that communication orders is reported. May be given more than once")
	flags.StringVar(&v.trace, "record", "", "write what every PE did to `FILE`")
	flags.Var(&v.freeze, "freeze", "run the program once more for each PE, which stops wherever data have arrived until no other PE\n"+
		"can move (of many arrivals of one communication it takes some): nothing may come meanwhile, and all\n"+
		"runs must print the same. -freeze=0,2: only for these PEs")
}

// apply makes p do what the flags say, on n PEs. The error names the flag of which
// it can be said beforehand that it cannot mean anything.
func (v *provoke) apply(p *Program, n int) error {
	for _, pe := range v.holds.PEs() {
		if pe >= n {
			return fmt.Errorf("-hold %s: there is no PE %d: the last one is %d", &v.holds, pe, n-1)
		}
	}
	for _, pe := range v.lates.PEs() {
		if pe >= n {
			return fmt.Errorf("-late %s: there is no PE %d: the last one is %d", &v.lates, pe, n-1)
		}
	}
	for _, pe := range v.freeze.only {
		if pe >= n {
			return fmt.Errorf("-freeze=%s: there is no PE %d: the last one is %d", &v.freeze, pe, n-1)
		}
	}
	if v.freeze.on && !v.holds.Empty() {
		return fmt.Errorf("-hold %s: -freeze says itself where PEs stop: give only one of them", &v.holds)
	}
	for _, site := range v.mute {
		if site >= len(p.Sites) {
			return fmt.Errorf("-mute %d: %s", site+1, p.noSite(site))
		}
	}
	p.Holds, p.Lates, p.Mute = &v.holds, &v.lates, v.mute
	if v.freeze.on {
		p.freeze = &v.freeze
	}
	return nil
}

// open opens the file of the trace; the caller closes it.
func (v *provoke) open(p *Program) (close func(), err error) {
	if v.trace == "" {
		return func() {}, nil
	}
	if err := outfile.Check(v.trace, check.TraceWord); err != nil {
		return nil, fmt.Errorf("-record=%s: %w", v.trace, err)
	}
	f, err := os.Create(v.trace)
	if err != nil {
		return nil, fmt.Errorf("-record: %w", err)
	}
	p.Trace = f
	return func() { f.Close() }, nil // Run has reported a failed write
}

// noSite says why there is no communication at a site.
func (p *Program) noSite(site int) string {
	if site < len(p.Sites) {
		return fmt.Sprintf("%s brings no data that a PE waits for", p.call(site))
	}
	if len(p.Sites) == 0 {
		return fmt.Sprintf("there is no communication %d: the program has none", site+1)
	}
	return fmt.Sprintf("there is no communication %d: the last one is %s", site+1, p.call(len(p.Sites)-1))
}

// UsageError is what is wrong with the command line of a program, and its remedy: it asks
// for what does not go together, or for what the program does not have.
type UsageError struct {
	Text string
	Hint string // may be empty
}

func (e *UsageError) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + "\n  " + e.Hint
}

// askedFor checks, when all communications are known, that those exist which PEs
// are to stop at or to be late with.
func (pe *PE) askedFor() {
	o := pe.orders
	if o == nil || pe.id != 0 {
		return
	}
	known := o.Monitor.Sites()
	for _, x := range []struct {
		flag  string
		text  string
		sites []int
	}{{"-hold", o.holds.String(), o.holds.Sites()}, {"-late", o.lates.String(), o.lates.Sites()}} {
		for _, site := range x.sites {
			if !slices.Contains(known, site) {
				pe.t.Abort(&UsageError{Text: fmt.Sprintf("%s %s: %s", x.flag, x.text, pe.prog.noSite(site))})
			}
		}
	}
}

// mutes are sites, given as numbers from 1. It is a flag.Value.
type mutes []int

func (m *mutes) Set(text string) error {
	site, err := strconv.Atoi(strings.TrimPrefix(text, "#"))
	if err != nil || site < 1 {
		return fmt.Errorf("%q is no communication: want a number from 1", text)
	}
	*m = append(*m, site-1)
	return nil
}

func (m *mutes) String() string {
	list := make([]int, len(*m))
	for i, site := range *m {
		list[i] = site + 1
	}
	return indices(list)
}

// freeze says whether there is a freeze test, and of which PEs. It is a flag.Value.
type freeze struct {
	on   bool
	only []int // empty: all
}

func (f *freeze) Set(text string) error {
	f.on, f.only = text != "false", nil
	if text == "true" || text == "false" {
		return nil
	}
	for word := range strings.SplitSeq(text, ",") {
		pe, err := strconv.Atoi(word)
		if err != nil || pe < 0 {
			return fmt.Errorf("%q is no PE: want a number from 0", word)
		}
		f.only = append(f.only, pe)
	}
	return nil
}

func (f *freeze) String() string {
	if f.on && f.only == nil {
		return "true"
	}
	return indices(f.only)
}

// IsBoolFlag lets -freeze stand without a list.
func (f *freeze) IsBoolFlag() bool { return true }

// pes are the PEs to hold, of n.
func (f *freeze) pes(n int) []int {
	if f != nil && f.only != nil {
		return f.only
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
