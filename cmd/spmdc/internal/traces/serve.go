package traces

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// Server shows a trace that is too big for a page, as pages on the loop-back address whose
// script asks for what is in view. Of the file the chunks are read that a view needs.
type Server struct {
	f          *tracefile.File
	begin, end int64
	events     int64
	phases     []tracefile.Event // iterations, of many some
}

// mostRead is how many chunks are read for a view, of 16384 events at most each.
const mostRead = 48

// mostServed is how many events a view has.
const mostServed = 20_000

// mostPhases is how many iterations are held.
const mostPhases = 100_000

// View is the events of a time.
type View struct {
	Lanes  [][]int64 `json:"lanes"` // as in a page, and so are Flows and Partly
	Flows  []int64   `json:"flows"`
	Partly bool      `json:"partly"`
	Note   string    `json:"note"` // what of the time is not in Lanes
}

// NewServer reads the definitions and the index of a trace in a file, which stays open.
func NewServer(file *os.File) (*Server, error) {
	f, err := definitions(file)
	if err != nil {
		return nil, err
	}
	s := &Server{f: f}
	for i, c := range f.Chunks {
		if i == 0 || c.From < s.begin {
			s.begin = c.From
		}
		s.end = max(s.end, c.To)
		if c.Level != tracefile.Iterations {
			s.events += int64(c.Events)
		}
	}
	s.end = max(s.end, s.begin+1)
	var iterations []tracefile.Chunk
	for _, c := range f.Chunks {
		if c.Level == tracefile.Iterations {
			iterations = append(iterations, c)
		}
	}
	lists, err := s.read(iterations, s.begin, s.end)
	s.phases = some(slices.Concat(lists...), mostPhases)
	return s, err
}

// readingOrder is the order in which levels are read: messages come behind the outermost regions.
func readingOrder(level int) int {
	const outer = 3
	switch {
	case level == tracefile.Messages:
		return outer
	case level >= outer:
		return level + 1
	}
	return level
}

// chunks are those that are read for a time, and how many events are in all that lie in it.
func (s *Server) chunks(from, to int64) (list []tracefile.Chunk, events int64) {
	byRank := map[int][]tracefile.Chunk{}
	for _, c := range s.f.Chunks {
		if c.Level != tracefile.Iterations && c.From <= to && c.To >= from {
			byRank[readingOrder(c.Level)] = append(byRank[readingOrder(c.Level)], c)
			events += int64(c.Events)
		}
	}
	ranks := make([]int, 0, len(byRank))
	for r := range byRank {
		ranks = append(ranks, r)
	}
	slices.Sort(ranks)
	for _, r := range ranks {
		list = append(list, some(byRank[r], mostRead-len(list))...) // spread over the time and the PEs
	}
	return list, events
}

// trace is what is read of a time, as far as a view has room for it.
func (s *Server) trace(from, to int64) (t *Trace, note string, err error) {
	chunks, there := s.chunks(from, to)
	t = &Trace{File: s.f, PE: make([][]tracefile.Event, s.f.PEs), span: &[2]int64{s.begin, s.end}}
	lists, err := s.read(chunks, from, to)
	if err != nil {
		return nil, "", err
	}
	var read int64
	var took []int64
	for i, c := range chunks {
		read += int64(c.Events)
		for j := range lists[i] {
			took = append(took, lists[i][j].Took)
		}
	}
	t.flows = flows{}
	for i, c := range chunks {
		for _, e := range lists[i] {
			t.flows.add(c.PE, &e, from, to)
		}
	}
	found, drawn, shortest, ties := len(took), len(took), int64(0), len(took)
	if found > mostServed { // of those that are as long as the shortest, as many as there is room for
		drawn = mostServed
		slices.Sort(took)
		shortest = took[found-mostServed]
		longer, _ := slices.BinarySearch(took, shortest+1)
		ties = mostServed - (found - longer)
	}
	for i, c := range chunks {
		for _, e := range lists[i] {
			if e.Took == shortest {
				if ties == 0 {
					continue
				}
				ties--
			}
			if e.Took >= shortest {
				t.PE[c.PE] = append(t.PE[c.PE], e)
			}
		}
	}
	for _, events := range t.PE {
		slices.SortStableFunc(events, before)
	}
	t.match()
	t.partly = read < there
	switch {
	case t.partly:
		note = fmt.Sprintf("%d events are drawn, of some %d of this time: zoom in for more", drawn, there)
	case found > drawn:
		note = fmt.Sprintf("the longest %d of %d events of this time are drawn: zoom in for more", drawn, found)
	default:
		note = fmt.Sprintf("all %d events of this time are drawn", found)
	}
	return t, note, nil
}

// read reads chunks, several at a time, and returns the events of each that lie in a time.
func (s *Server) read(chunks []tracefile.Chunk, from, to int64) ([][]tracefile.Event, error) {
	lists, errs := make([][]tracefile.Event, len(chunks)), make([]error, len(chunks))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(chunks); i = int(next.Add(1)) - 1 {
				lists[i], errs[i] = s.f.Events(chunks[i])
				lists[i] = slices.DeleteFunc(lists[i], func(e tracefile.Event) bool { return e.Began > to || e.Began+e.Took < from })
			}
		})
	}
	all.Wait()
	return lists, errors.Join(errs...)
}

// some is at most so many of a list, spread over it.
func some[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, most)
	for i := range out {
		out[i] = list[i*len(list)/most]
	}
	return out
}

// View is what is to be seen from one time to another.
func (s *Server) View(from, to int64) (*View, error) {
	t, note, err := s.trace(from, to)
	if err != nil {
		return nil, err
	}
	d, _ := t.pageData()
	return &View{Lanes: d.Lanes, Flows: d.Flows, Partly: d.Partly, Note: note}, nil
}

// Page writes the page, with the view of the whole time.
func (s *Server) Page(w io.Writer) error {
	t, note, err := s.trace(s.begin, s.end)
	if err != nil {
		return err
	}
	t.view, t.note, t.Phases = "view", note, s.phases
	return t.page(w, "Timeline of "+t.Program, func(w io.Writer) {
		fmt.Fprintf(w, "<p>%d PEs, %s, %d events</p>\n", t.PEs, tracefile.Duration(t.Seconds), s.events)
		for _, n := range t.Notes() {
			fmt.Fprintf(w, "<p>%s</p>\n", html.EscapeString(n))
		}
	}, func(io.Writer) {})
}

// ServeHTTP answers requests of this machine that name it by its address: a page of another
// site, which may have a name for that address, gets nothing.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if host, _, err := net.SplitHostPort(r.Host); err != nil || host != "127.0.0.1" && host != "localhost" {
		http.Error(w, "the page is at 127.0.0.1", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet {
		http.Error(w, "there is nothing to change here", http.StatusMethodNotAllowed)
		return
	}
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := s.Page(w); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	case "/view":
		from, err1 := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
		to, err2 := strconv.ParseInt(r.URL.Query().Get("to"), 10, 64)
		if err1 != nil || err2 != nil || from > to {
			http.Error(w, "a view is from one time to another, in nanoseconds", http.StatusBadRequest)
			return
		}
		v, err := s.View(from, to)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // who asked may be gone
	case "/iteration":
		n, err := strconv.ParseInt(r.URL.Query().Get("number"), 10, 64)
		if err != nil || len(s.phases) == 0 {
			http.Error(w, "an iteration has a number", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(phaseList(s.phases[nearest(s.phases, n):][:1]))
	default:
		http.NotFound(w, r)
	}
}
