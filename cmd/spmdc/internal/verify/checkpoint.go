package verify

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

// restarts runs a check build, by run, on n PEs with checkpoints, and again in parts: each is
// stopped behind a checkpoint, and the next goes on from there. Together they must
// print what the run in one piece prints, and send the same messages. places picks
// the checkpoints; most is how many chains of parts are run. With images lines come in
// any order.
func restarts(run runner, dir string, input []byte, n int, want *Outcome, places *rand.Rand, most int, images bool) error {
	folder, err := os.MkdirTemp(dir, "checkpoints")
	if err != nil {
		return driver.Usagef("check the disk", "%v", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "file")
	args := []string{"-n", strconv.Itoa(n), "-stats", "-checkpoint", file, "-checkpoint-sync=false"}
	part := func(more ...string) (*Outcome, error) {
		got, _, err := run(input, append(append([]string(nil), args...), more...)...)
		if err == nil && got.Status != 0 && !stopLine.MatchString(got.Stderr) {
			err = &Fault{Violation, strings.TrimSpace(got.Stderr)}
		}
		return got, err
	}
	whole, err := part()
	if err != nil {
		return err
	}
	if want != nil {
		err := same(want, whole)
		if images {
			err = judge(whole, want)
		}
		if err != nil {
			return &Fault{Wrong, "with checkpoints: " + err.Error()}
		}
	}
	if _, err := os.Stat(file); err != nil {
		return nil // none is ever taken
	}
	if whole.Status == 0 && sent(whole) == "" {
		return errors.New("no statistics")
	}
	next := 0
	for k := range most {
		var chain []string
		output := filepath.Join(folder, fmt.Sprint("output", k))
		next += 1 + places.IntN(3)
		at, more := next, []string{"-output", output}
		for {
			got, err := part(append(more, "-stop-after-checkpoint", strconv.Itoa(at))...)
			chain = append(chain, strconv.Itoa(at))
			if err != nil {
				return inParts(err, chain)
			}
			if strings.Contains(got.Stderr, stoppedBehind) {
				more = []string{"-output", output, "-restart"}
				at += 1 + places.IntN(9)
				continue
			}
			if len(chain) == 1 {
				return nil // the run has no more checkpoints
			}
			text, err := os.ReadFile(output)
			if err != nil {
				return err
			}
			got.Stdout = string(text)
			if printed(got, images) != printed(whole, images) || got.Status != whole.Status {
				return inParts(&Fault{Wrong, fmt.Sprintf("exit status %d, and printed is\n%s\nwhere the run in one piece has %d\n%s", got.Status, text, whole.Status, whole.Stdout)}, chain)
			}
			if a, b := sent(whole), sent(got); a != b {
				return inParts(&Fault{Wrong, fmt.Sprintf("data and ready messages, %s, are not those of the run in one piece, %s", b, a)}, chain)
			}
			break
		}
	}
	return nil
}

// untraced is a runner that starts a program as a process of its own, or as several, and records
// nothing: recorded are runs in one piece. The first arguments of its runs are -n and the number of
// PEs; name is ahead of them, if it is not empty.
func untraced(ctx context.Context, limit time.Duration, launch driver.Launch, program, name string) runner {
	return func(input []byte, args ...string) (*Outcome, []byte, error) {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return nil, nil, err
		}
		if name != "" {
			args = append([]string{name}, args...)
		}
		if launch.Transport == driver.InProcess {
			got, err := execute(ctx, limit, input, program, args...)
			return got, nil, err
		}
		mpirun, args, env, err := launch.Command(program, n, args)
		if err != nil {
			return nil, nil, err
		}
		ending, setting, err := driver.NewEnding()
		if err != nil {
			return nil, nil, err
		}
		defer ending.Close()
		got, err := execute(ctx, limit, input, "env", slices.Concat(env, []string{setting, mpirun}, args)...)
		if err == nil { // what mpirun loses of an error, it loses in a run under the verifier too
			status, missing := ending.Corrected(got.Status, got.Stderr == "", args)
			got.Status, got.Stderr = status, got.Stderr+missing
		}
		return got, nil, err
	}
}

// stoppedBehind is what a program says that -stop-after-checkpoint has ended.
const stoppedBehind = ": stopped behind checkpoint "

// printed is what a run printed; the lines of images in one order.
func printed(o *Outcome, images bool) string {
	if !images {
		return o.Stdout
	}
	lines := strings.Split(o.Stdout, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// inParts says of a fault in which run it came up.
func inParts(err error, chain []string) error {
	if f, ok := err.(*Fault); ok {
		return &Fault{f.Kind, fmt.Sprintf("stopped behind checkpoints %s, and gone on: %s", strings.Join(chain, ", "), f.Text)}
	}
	return err
}

// stopLine is what STOP and ERROR STOP say, behind notes and the table of statistics.
var stopLine = regexp.MustCompile(`(?m)^(ERROR )?STOP`)

// totals are the data and the ready messages in the last line of the table of statistics.
var totals = regexp.MustCompile(`(?m)^ *\d+ +(\d+) +(\d+) [ \d]+ total, `)

// sent is the numbers of messages of a run; "" if it ended without its statistics.
func sent(o *Outcome) string {
	if m := totals.FindStringSubmatch(o.Stderr); m != nil {
		return m[1] + " and " + m[2]
	}
	return ""
}

var (
	doLine      = regexp.MustCompile(`(?i)^(\w+ *: *)?do\b`)
	endDoLine   = regexp.MustCompile(`(?i)^end ?do\b`)
	independent = regexp.MustCompile(`(?i)^!hpf\$ *independent`)
	executable  = regexp.MustCompile(`(?i)^((\w+ *: *)?do\b|if *\(|read\b|print\b|write\b|call\b|\w+(\(.*\))? *= )`)
	declaration = regexp.MustCompile(`(?i)^(integer|real|double|logical|character|parameter|dimension|implicit|use|program|subroutine|function|contains)\b`)
	unitBegins  = regexp.MustCompile(`(?i)^(program|subroutine|[a-z0-9() ]*function)\b`)
	unitEnds    = regexp.MustCompile(`(?i)^(contains|end (program|subroutine|function))\b`)
)

// WithCheckpoints puts calls of spmd_checkpoint at random places into a program that
// has a statement on each line.
func WithCheckpoints(source string, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	lines := strings.Split(source, "\n")
	var out []string
	var places []int // in out: a call may come in front
	body, continued, nest, pending := false, false, 0, false
	for _, l := range lines {
		text := strings.TrimSpace(l)
		if !body && executable.MatchString(text) && !declaration.MatchString(text) && !continued {
			body = true
		}
		if body && !continued && nest == 0 && !pending && !strings.HasPrefix(text, "!") {
			places = append(places, len(out))
		}
		out = append(out, l)
		switch {
		case independent.MatchString(text):
			pending = true
		case doLine.MatchString(text) && (pending || nest > 0):
			nest, pending = nest+1, false
		case endDoLine.MatchString(text) && nest > 0:
			nest--
		case unitEnds.MatchString(text):
			body = false
		case unitBegins.MatchString(text) && !continued && !body:
			if !strings.HasSuffix(text, "&") {
				out = append(out, "  use spmd")
			}
		}
		continued = strings.HasSuffix(text, "&")
	}
	chosen := map[int]bool{}
	for range 1 + random.IntN(4) {
		if len(places) > 0 {
			chosen[places[random.IntN(len(places))]] = true
		}
	}
	var b strings.Builder
	for i, l := range out {
		if chosen[i] {
			b.WriteString("  call spmd_checkpoint()\n")
		}
		b.WriteString(l)
		if i < len(out)-1 {
			b.WriteString("\n")
		}
	}
	return b.String()
}
