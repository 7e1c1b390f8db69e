package spmd

import (
	"bufio"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// Counts is what one site did on one PE.
type Counts struct {
	Calls int64 // executions
	Data  int64 // data messages sent, and gets
	Ready int64 // ready messages sent, and messages that gets are over
	Bytes int64 // in data messages sent
	Waits int64 // waits, for data or ready messages, that were not over at once
	// Elided is the ready messages that a handshake needs, and that were left out.
	Elided int64
	// Barriers is the barriers that were left out, of a run with Program.Elide. They are among Calls.
	Barriers int64
}

func (c *Counts) add(d Counts) {
	c.Calls += d.Calls
	c.Data += d.Data
	c.Ready += d.Ready
	c.Bytes += d.Bytes
	c.Waits += d.Waits
	c.Elided += d.Elided
	c.Barriers += d.Barriers
}

// Stats is what the sites of a program did in one run. PEs count for
// themselves, in memory of their own: a shared counter would order PEs that the
// program does not order, and hide races from the race detector.
type Stats struct {
	Sites []Site
	PEs   [][]Counts // [pe][site]; one entry past the sites for calls without one
	Files []File     // of the program
	Held  int        // how often PEs were held, see Program.Holds

	file string // the source

	pes    []*PE              // of a run with Program.Elide
	others map[int]elide.Part // of the PEs of other processes
}

// Barriers is what became of barriers in a run with Program.Elide; nil for another.
func (s *Stats) Barriers() *elide.Log {
	if s.pes == nil {
		return nil
	}
	return barriers(s.pes, s.others)
}

// Site is the sum over all PEs of what a site did.
func (s *Stats) Site(site int) Counts {
	var sum Counts
	for _, counts := range s.PEs {
		sum.add(counts[site])
	}
	return sum
}

// Total is the sum over all PEs and sites.
func (s *Stats) Total() Counts {
	var sum Counts
	for _, counts := range s.PEs {
		for _, c := range counts {
			sum.add(c)
		}
	}
	return sum
}

// Table writes one line for each site that did something, and the total.
// Messages are sums over the PEs; times is how often each PE came by. Of a run with
// Program.Elide it has the barriers that were left out, too, on all PEs.
func (s *Stats) Table(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	row := func(line, what string, c Counts) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t", line, c.Calls/int64(max(1, len(s.PEs))), c.Data, c.Ready, c.Elided, c.Bytes, c.Waits)
		if s.pes != nil {
			fmt.Fprintf(tw, "%d\t", c.Barriers)
		}
		fmt.Fprintf(tw, "  %s\n", what)
	}
	fmt.Fprintf(tw, "line\ttimes\tdata\tready\telided\tbytes\twaits\t")
	if s.pes != nil {
		fmt.Fprintf(tw, "elided barriers\t")
	}
	fmt.Fprintf(tw, "  communication\n")
	p := &Program{Files: s.Files}
	for i, site := range s.Sites {
		if c := s.Site(i); c != (Counts{}) {
			row(p.line(site.Line), site.Kind+" "+site.Ref, c)
		}
	}
	if c := s.Site(len(s.Sites)); c != (Counts{}) {
		row("-", "other", c)
	}
	row("", "total, "+fmt.Sprint(len(s.PEs))+" PEs", s.Total())
	tw.Flush()
}

// Place is the file in which a line of a site stands, and the number of the line there.
func (s *Stats) Place(line int) (string, int) {
	return (&Program{File: s.file, Files: s.Files}).Place(line)
}

// statsWord is how a file with statistics begins.
const statsWord = `{"spmdc": "stats 1",`

// Measured is what a run measured besides what it counted, as members of objects of JSON: text
// such as `"seconds": 1`, or "".
type Measured interface {
	Word() string         // the first member of a file with both, with the brace in front and the comma behind
	Site(site int) string // of a site
	Rest() string         // of the run
}

// WriteJSON writes what Table shows as an object of JSON: program, pes, seconds (how long
// the run took), sites, and total. A site has line, column, kind, reference, times, data,
// ready, bytes, waits, elided, and elidedBarriers in a run with Program.Elide; it is there if it
// did something. What was measured besides, if anything, is in the same objects.
func (s *Stats) WriteJSON(w io.Writer, program string, took time.Duration, more Measured) error {
	b := bufio.NewWriter(w)
	counts := func(c Counts) {
		fmt.Fprintf(b, `"times": %d, "data": %d, "ready": %d, "bytes": %d, "waits": %d, "elided": %d`, c.Calls/int64(max(1, len(s.PEs))), c.Data, c.Ready, c.Bytes, c.Waits, c.Elided)
		if s.pes != nil {
			fmt.Fprintf(b, `, "elidedBarriers": %d`, c.Barriers)
		}
	}
	word := statsWord
	if more != nil {
		word = more.Word()
	}
	member := func(text string) {
		if text != "" {
			b.WriteString(", " + text)
		}
	}
	fmt.Fprintf(b, "%s\n \"program\": %s, \"pes\": %d, \"seconds\": %.6f,\n \"sites\": [", word, outfile.Quote(program), len(s.PEs), took.Seconds())
	separator := "\n  "
	for i, site := range s.Sites {
		if c := s.Site(i); c != (Counts{}) {
			fmt.Fprintf(b, "%s{\"line\": %d, \"column\": %d, \"kind\": %s, \"reference\": %s, ", separator, site.Line, site.Col, outfile.Quote(site.Kind), outfile.Quote(site.Ref))
			counts(c)
			if more != nil {
				member(more.Site(i))
			}
			b.WriteString("}")
			separator = ",\n  "
		}
	}
	b.WriteString("],\n \"total\": {")
	counts(s.Total())
	b.WriteString("}")
	if more != nil {
		member(more.Rest())
	}
	b.WriteString("}\n")
	return b.Flush()
}

// count is this PE's counters of a site.
func (pe *PE) count(site int) *Counts {
	if site < 0 || site >= len(pe.prog.Sites) {
		return &pe.counts[len(pe.counts)-1]
	}
	return &pe.counts[site]
}
