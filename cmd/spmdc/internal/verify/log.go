package verify

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

// Log is a file that keeps what campaigns of random programs have done, a line of
// JSON for each batch. A campaign that is stopped, in whatever way, loses no more than
// the batch it is at; a later one goes on behind the last seed, and all are summed.
type Log struct {
	file    string
	version string // of spmdc
	records []Record
}

// Record is a line of a log: programs of consecutive seeds.
type Record struct {
	Version   string // of spmdc
	Generator string `json:",omitempty"`
	First     uint64 // seed
	PEs       []int
	Tally
	Failing []string `json:",omitempty"`
}

// version is that of this program: of a development version also what distinguishes it from
// others.
func version() string {
	v := driver.Version()
	file, err := os.Executable()
	if err != nil {
		return v
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return v
	}
	return fmt.Sprintf("%s, program %.12x", v, sha256.Sum256(text))
}

// next is the seed behind the last.
func (r *Record) next() uint64 { return r.First + uint64(r.Programs) }

// OpenLog reads a log; that of a file that does not exist is empty.
func OpenLog(file string) (*Log, error) {
	l := &Log{file: file, version: version()}
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, driver.Usagef("name a file that can be read and written", "cannot read the log: %v", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for n := 1; lines.Scan(); n++ {
		r := Record{Tally: *newTally()}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Version == "" || r.Programs < 1 {
			return nil, driver.Usagef("take the line out, or name another file", "%s:%d: this is no line of a log of spmdc verify", file, n)
		}
		l.records = append(l.records, r)
	}
	return l, nil
}

// Next is the seed behind the last one that the log has; 1 for an empty log.
func (l *Log) Next() uint64 {
	next := uint64(1)
	for _, r := range l.records {
		next = max(next, r.next())
	}
	return next
}

// Generator is that of the programs that the log has.
func (l *Log) Generator() string {
	if len(l.records) == 0 {
		return ""
	}
	return l.records[0].Generator
}

// add appends what a batch has come to, if there is a log.
func (l *Log) add(report *RandomReport, done *batch, first uint64) error {
	if l == nil {
		return nil
	}
	r := Record{Version: l.version, Generator: report.Generator, First: first, PEs: report.PEs, Tally: *done.tally}
	for _, f := range done.failing {
		fault, _, _ := strings.Cut(f.Fault.Error(), "\n")
		r.Failing = append(r.Failing, fmt.Sprintf("%s: %s", f.command(&report.RandomOptions), fault))
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(l.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = file.Write(append(line, '\n'))
		err = cmp.Or(err, file.Close())
	}
	if err != nil {
		return driver.Usagef("name a file that can be written", "cannot write the log: %v", err)
	}
	l.records = append(l.records, r)
	return nil
}

// OK reports whether no program of the log has a fault.
func (l *Log) OK() bool {
	return !slices.ContainsFunc(l.records, func(r Record) bool { return r.failed() > 0 })
}

// Write writes the sum of a log: which seeds were verified by which version, what the
// runs have done, and what the programs cover of all that their generators make.
func (l *Log) Write(w io.Writer) error {
	sum := newTally()
	seeds := map[string][]seedRange{} // by version
	pes := map[string]bool{}
	var failing []string
	for i := range l.records {
		r := &l.records[i]
		sum.Add(&r.Tally)
		seeds[r.Version] = append(seeds[r.Version], seedRange{r.First, r.next()})
		pes[list(r.PEs)] = true
		failing = append(failing, r.Failing...)
	}
	fmt.Fprintf(w, "%s: %d random programs%s, on %s PEs: %d runs, %d of plain builds\n", l.file, sum.Programs, of(l.Generator()), strings.Join(slices.Sorted(maps.Keys(pes)), " and "), sum.Runs, sum.Plain)
	for _, version := range slices.Sorted(maps.Keys(seeds)) {
		fmt.Fprintf(w, "  %s: seeds %s\n", version, ranges(seeds[version]))
	}
	sum.writeTotals(w)
	sum.writeBuilds(w)
	if l.Generator() != "" {
		sum.writeCoverage(w)
	}
	var missing []string
	all := required(l.Generator(), sum.Programs)
	for _, name := range all {
		if sum.Features[name] == 0 {
			missing = append(missing, name)
		}
	}
	fmt.Fprintf(w, "  %d of the %d features that so many programs must have", len(all)-len(missing), len(all))
	if len(missing) > 0 {
		fmt.Fprintf(w, "; missing: %s", strings.Join(missing, ", "))
	}
	fmt.Fprintf(w, "\n%s\n", sum.verdict())
	for _, f := range failing {
		fmt.Fprintf(w, "  %s\n", f)
	}
	return nil
}

// seedRange is the seeds from the first on, up to the next.
type seedRange struct{ first, next uint64 }

// ranges writes seeds as 1-20, 31-40.
func ranges(list []seedRange) string {
	slices.SortFunc(list, func(a, b seedRange) int { return cmp.Compare(a.first, b.first) })
	var words []string
	for i := 0; i < len(list); {
		r := list[i]
		for i++; i < len(list) && list[i].first == r.next; i++ {
			r.next = list[i].next
		}
		words = append(words, fmt.Sprintf("%d-%d", r.first, r.next-1))
	}
	return strings.Join(words, ", ")
}
