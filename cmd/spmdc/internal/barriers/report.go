package barriers

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/page"
	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// Report is a log for people and tools.
type Report struct {
	*elide.Log
	Total elide.Counts
	// Subcontexts are the shortest ends of contexts that distinguish those that were
	// redundant whenever they were executed from the others (Algorithm 2), those
	// with most barriers first.
	Subcontexts []Subcontext
}

// NewReport makes the report of a log.
func NewReport(log *elide.Log) *Report {
	r := &Report{Log: log, Subcontexts: Subcontexts(log)}
	for i := range log.Contexts {
		r.Total.Add(&log.Contexts[i].Counts)
	}
	return r
}

// Format is the form of a report.
type Format string

const (
	Text Format = "txt"  // tables
	JSON Format = "json" // everything, for tools
	HTML Format = "html" // a page that needs no network
)

// begins is what reports begin with, by which they are known.
var begins = []string{"barriers of ", "{\n  \"program\": ", page.Begin(pageKind)}

// FormatOf is the form of a report that the name of its file asks for, if it can be
// written there.
func FormatOf(name string) (Format, error) {
	format := Format(strings.TrimPrefix(filepath.Ext(name), "."))
	if format != Text && format != JSON && format != HTML {
		return format, fmt.Errorf("the name does not say the form of the report: let it end in .txt, .json or .html")
	}
	return format, outfile.Check(name, begins...)
}

// WriteFile writes the report into a file, in place of another report at most.
func (r *Report) WriteFile(name string) error {
	format, err := FormatOf(name)
	if err != nil {
		return err
	}
	return outfile.Write(name, begins, func(w io.Writer) error { return r.Write(w, format) })
}

// Write writes the report.
func (r *Report) Write(w io.Writer, f Format) error {
	var b strings.Builder
	switch f {
	case Text:
		r.text(&b)
	case HTML:
		r.html(&b)
	case JSON:
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(r.data()); err != nil {
			return err
		}
	default:
		return fmt.Errorf("there is no report in form %q: choose txt, json or html", f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// jsonRow is counts in JSON; times are in seconds.
type jsonRow struct {
	Barriers  uint64  `json:"barriers"`
	Executed  uint64  `json:"executed"`
	Redundant uint64  `json:"redundant"`
	Table1    uint64  `json:"table1"`
	Broken    uint64  `json:"broken_consensus"`
	Share     float64 `json:"share"`
	Seconds   float64 `json:"seconds"`
}

type jsonContext struct {
	Path       elide.Path `json:"path"`
	Procedures []string   `json:"procedures,omitempty"` // called by the calls of the path, as far as known
	State      string     `json:"state,omitempty"`
	Note       string     `json:"note,omitempty"`
	Contexts   int        `json:"contexts,omitempty"`
	jsonRow
}

type jsonReport struct {
	Program     string        `json:"program"`
	PEs         []int         `json:"pes"`
	Mode        string        `json:"mode"`
	Total       jsonRow       `json:"total"`
	Subcontexts []jsonContext `json:"subcontexts"`
	Contexts    []jsonContext `json:"contexts"`
}

func (r *Report) data() jsonReport {
	row := func(c *elide.Counts) jsonRow {
		return jsonRow{c.Barriers, c.Executed, c.Redundant, c.Ideal, c.Broken, share(c.Barriers, r.Total.Barriers) / 100, c.Time.Seconds()}
	}
	d := jsonReport{Program: r.Program, PEs: r.PEs, Mode: r.Mode.String(), Total: row(&r.Total), Subcontexts: []jsonContext{}, Contexts: []jsonContext{}}
	for i := range r.Subcontexts {
		s := &r.Subcontexts[i]
		d.Subcontexts = append(d.Subcontexts, jsonContext{Path: s.Suffix, Procedures: r.procedures(s.Suffix), Contexts: s.Contexts, jsonRow: row(&s.Counts)})
	}
	for i := range r.Contexts {
		c := &r.Contexts[i]
		d.Contexts = append(d.Contexts, jsonContext{Path: c.Path, Procedures: r.procedures(c.Path), State: c.Why.String(), Note: c.Note, jsonRow: row(&c.Counts)})
	}
	return d
}

// procedures are those that the calls of a path call.
func (r *Report) procedures(p elide.Path) (list []string) {
	for _, label := range p {
		if proc := r.Calls[label]; proc != "" {
			list = append(list, proc)
		}
	}
	return list
}

// share is n of all in percent.
func share(n, all uint64) float64 { return 100 * float64(n) / float64(max(all, 1)) }
