package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// A selection says beforehand which events of a run go into its trace. Iterations are those of
// the outermost loops in which PEs have to do with each other.
type selection struct {
	what     string        // rules for each PE, see parseRules
	least    time.Duration // regions that are shorter are left out
	every    int           // one iteration in so many is kept
	outliers float64       // iterations are kept whose length differs by so many standard deviations; 0: all
	profile  string        // regions that are short and frequent in that profile are left out
}

// filter is a selection for one PE.
type filter struct {
	rule
	least    int64  // ticks
	skip     []bool // by region; nil: none
	profiled bool   // the process of PE 0 has it
	every    int64
	outliers float64
	verdicts *verdicts // of all PEs, or of one whose others are in other processes; nil: no outliers are looked for
}

// rule is what of a PE is kept.
type rule struct {
	regions, messages, waits bool
	depth                    int    // of regions that are kept at most
	within                   string // the name of a region, or its line: only what is in it; "": all
}

// Sizes from which a region of a profile has no events: executions of a PE, and their mean.
const (
	frequent = 1000
	short    = time.Microsecond
)

// parseRules reads rules, which stand with ; between. A rule is a list of what is kept with
// commas between, behind PEs and a colon if it is not for all other PEs:
//
//	0,4-7:regions,messages,waits;regions,depth=2
//
// The words are regions, messages (put, get, ready message), waits (for messages and all PEs),
// depth=N (regions of at most that depth: the program has 0), region=NAME (only what is in
// regions of that name, or that begin in that line).
func parseRules(text string, n int) ([]rule, error) {
	rules := make([]rule, n)
	given := make([]bool, n)
	var rest *rule
	for _, part := range strings.Split(text, ";") {
		pes, words, behind := strings.Cut(part, ":")
		if !behind {
			words = part
		}
		r := rule{depth: math.MaxInt}
		for _, word := range strings.Split(words, ",") {
			name, value, valued := strings.Cut(strings.TrimSpace(word), "=")
			depth, err := strconv.Atoi(value)
			switch {
			case name == "regions" && !valued:
				r.regions = true
			case name == "messages" && !valued:
				r.messages = true
			case name == "waits" && !valued:
				r.waits = true
			case name == "depth" && err == nil && depth >= 0:
				r.regions, r.depth = true, depth
			case name == "region" && value != "":
				r.within = value
			default:
				return nil, fmt.Errorf("%q is not known", strings.TrimSpace(word))
			}
		}
		if !r.regions && !r.messages && !r.waits {
			r.regions, r.messages, r.waits = true, true, true
		}
		if !behind {
			if rest != nil {
				return nil, errors.New("two rules are for all other PEs")
			}
			rest = &r
			continue
		}
		for _, span := range strings.Split(pes, ",") {
			from, to, isRange := strings.Cut(strings.TrimSpace(span), "-")
			if !isRange {
				to = from
			}
			a, err1 := strconv.Atoi(from)
			b, err2 := strconv.Atoi(to)
			if err1 != nil || err2 != nil || a < 0 || b < a {
				return nil, fmt.Errorf("%q is no PE, and no range of PEs", span)
			}
			for pe := a; pe <= min(b, n-1); pe++ {
				if given[pe] {
					return nil, fmt.Errorf("two rules are for PE %d", pe)
				}
				rules[pe], given[pe] = r, true
			}
		}
	}
	for pe := range rules {
		if !given[pe] && rest != nil {
			rules[pe] = *rest
		}
	}
	return rules, nil
}

// skipped are the regions that a profile shows to be short and frequent. The profile must be
// one of the same program.
func skipped(file string, regions []Region) ([]bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, err
	}
	var p struct {
		Regions []struct {
			Kind, Name string
			PEs        []struct {
				Count   int64
				Seconds float64
			}
		}
	}
	if !strings.HasPrefix(string(text), profileWord) || json.Unmarshal(text, &p) != nil {
		return nil, errors.New("it is no profile")
	}
	if len(p.Regions) != len(regions) {
		return nil, errors.New("it is a profile of another program, or of other options")
	}
	skip := make([]bool, len(regions))
	for i, r := range p.Regions {
		if r.Kind != regions[i].Kind || r.Name != regions[i].Name {
			return nil, errors.New("it is a profile of another program, or of other options")
		}
		skip[i] = i > 0
		var most int64
		for _, s := range r.PEs {
			most = max(most, s.Count)
			skip[i] = skip[i] && s.Seconds <= float64(s.Count)*short.Seconds()
		}
		skip[i] = skip[i] && most >= frequent
	}
	return skip, nil
}

// inside reports for each region whether it is, or lies in, one of a name or line.
func inside(name string, regions []Region) ([]bool, error) {
	in := make([]bool, len(regions))
	for i, r := range regions {
		in[i] = strings.EqualFold(r.Name, name) || strconv.Itoa(r.Line) == name || r.Parent >= 0 && in[r.Parent]
	}
	if !slices.Contains(in, true) {
		return nil, fmt.Errorf("there is no region %s", name)
	}
	return in, nil
}

// keeps reports whether an event of a level is kept.
func (f *filter) keeps(level int, e *event) bool {
	switch {
	case e.kind == tracefile.Region:
		return f.regions && level <= f.depth && e.took >= f.least && (f.skip == nil || !f.skip[e.id])
	case e.kind.Blocks() || e.kind == tracefile.Elided:
		return f.waits
	}
	return f.messages
}

// verdicts are what the PEs find of iterations. Iterations are numbered as they begin, from 0,
// over the whole run: all PEs execute the same. An iteration is kept if any PE finds that it is
// an outlier, which is decided when all have ended it.
type verdicts struct {
	ended []atomic.Int64 // by PE: iterations that it has ended, or will never begin

	mu       sync.Mutex
	outliers map[int64]bool

	apart  bool  // it is of one PE
	agreed int64 // then: iterations of which it is known what all PEs find
}

func newVerdicts(n int) *verdicts {
	return &verdicts{ended: make([]atomic.Int64, n), outliers: map[int64]bool{}}
}

// end takes what a PE finds of the next iteration.
func (v *verdicts) end(pe int, outlier bool) {
	if v.apart {
		pe = 0
	}
	if outlier {
		v.mu.Lock()
		v.outliers[v.ended[pe].Load()] = true
		v.mu.Unlock()
	}
	v.ended[pe].Add(1)
}

// decided is how many iterations all PEs have ended.
func (v *verdicts) decided() int64 {
	if v.apart {
		return v.agreed
	}
	n := int64(math.MaxInt64)
	for i := range v.ended {
		n = min(n, v.ended[i].Load())
	}
	return n
}

// kept reports whether an iteration is kept that is decided.
func (v *verdicts) kept(iteration int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.outliers[iteration]
}

// agreedAt is how many iterations PEs in several processes decide about at a time.
const agreedAt = 32

// agree finds, where all PEs have met, what the others find of the last iterations. All have
// ended as many.
func (r *Recorder) agree() {
	if !r.agrees {
		return
	}
	v := r.filter.verdicts
	for v.ended[0].Load()-v.agreed >= agreedAt {
		var found uint64
		for i := range int64(agreedAt) {
			if v.outliers[v.agreed+i] {
				found |= 1 << i
			}
		}
		found = r.Transport.Reduce(-1, found, func(a, b uint64) uint64 { return a | b })
		for i := range int64(agreedAt) {
			if found>>i&1 != 0 {
				v.outliers[v.agreed+i] = true
			}
		}
		v.agreed += agreedAt
	}
}

// running are the mean and the variance of what came so far.
// Source: B. P. Welford, Note on a method for calculating corrected sums of squares and
// products, Technometrics 4 (1962).
type running struct {
	n        int64
	mean, m2 float64
}

// first is how many iterations only make the mean, and are left out.
const first = 8

// outlier reports whether x differs from the mean of those before by more than so many
// standard deviations, and adds it to them.
func (r *running) outlier(x, deviations float64) bool {
	d := x - r.mean
	far := r.n >= first && math.Abs(d) > deviations*math.Sqrt(r.m2/float64(r.n))
	r.n++
	r.mean += d / float64(r.n)
	r.m2 += d * (x - r.mean)
	return far
}
