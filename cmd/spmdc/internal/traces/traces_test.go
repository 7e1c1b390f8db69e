package traces

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// hostile is a text that does harm where it is taken for markup, for a formula, or for the end
// of a string.
const hostile = "</script><img src=x onerror=alert(1)>\"'&`\\,=1+1\r\n\x00\x1b[31m"

// twoPEs is a trace in which PE 1 waits for a put of PE 0, which is late by 700 ns:
//
//	PE 0   program 0..1000, loop 100..800, put 800..810, reduction 900..1000
//	PE 1   program 0..1000, wait for arrival 100..820, reduction 830..1000
func twoPEs(t *testing.T, name string) *Trace {
	t.Helper()
	d := &tracefile.Definitions{
		Program: name, PEs: 2, Seconds: 1e-6, Iterations: 3,
		Regions: []tracefile.RegionDef{{Parent: -1, Kind: "program", Name: name, File: "a.hpf", Line: 1, Last: 20}, {Parent: 0, Kind: "loop", Name: "i", File: "a.hpf", Line: 5, Last: 7}},
		Sites: []tracefile.SiteDef{{File: "a.hpf", Line: 9, Kind: "shift", Reference: "u(i-1)" + name, Counts: make([]tracefile.Count, 2)},
			{File: "a.hpf", Line: 12, Kind: "sum", Reference: "s", Counts: make([]tracefile.Count, 2)}},
		Kept: []tracefile.Kept{{Every: 1}, {Every: 1}},
	}
	event := func(kind tracefile.Kind, id int, began, ended int64, number uint64, peer int, bytes int64) tracefile.Event {
		return tracefile.Event{Kind: kind, ID: id, Began: began, Took: ended - began, Number: number, Peer: peer, Bytes: bytes}
	}
	var b bytes.Buffer
	w := tracefile.NewWriter(&b, d)
	for pe := range 2 {
		w.Events(pe, 0, []tracefile.Event{event(tracefile.Region, 0, 0, 1000, 0, -1, 0)})
	}
	w.Events(0, 1, []tracefile.Event{event(tracefile.Region, 1, 100, 800, 0, -1, 0)})
	w.Events(0, tracefile.Messages, []tracefile.Event{event(tracefile.Put, 0, 800, 810, 1, 1, 80), event(tracefile.Reduction, 1, 900, 1000, 0, -1, 0)})
	w.Events(1, tracefile.Messages, []tracefile.Event{event(tracefile.Arrival, 0, 100, 820, 1, 0, 0), event(tracefile.Reduction, 1, 830, 1000, 0, -1, 0)})
	w.Events(0, tracefile.Iterations, []tracefile.Event{event(tracefile.Iteration, 1, 0, 500, 0, -1, 0), event(tracefile.Iteration, 1, 500, 900, 1, -1, 0), event(tracefile.Iteration, 1, 900, 1000, 2, -1, 0)})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	trace, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// TestSummary: the sums are those of the events.
func TestSummary(t *testing.T) {
	s := twoPEs(t, "two").Summarise()
	want := map[string][3]float64{ // total, self, blocked of a PE, in ns
		"program two":                       {1000, (1000 - 700 - 10 - 100 + 1000 - 720 - 170) / 2.0, (100 + 720 + 170) / 2.0},
		"loop i":                            {350, 350, 0},
		"wait for arrival: shift u(i-1)two": {360, 360, 0},
		"reduction: sum s":                  {135, 135, 0},
	}
	got := 0
	for _, x := range append(s.Regions, s.Waits...) {
		w, ok := want[x.What]
		if !ok {
			t.Errorf("%q is not expected", x.What)
			continue
		}
		got++
		for i, v := range []float64{x.Total, x.Self, x.Blocked} {
			if d := v*1e9 - w[i]; d > 1e-3 || d < -1e-3 {
				t.Errorf("%s: total, self, blocked = %g, %g, %g s, want %v ns", x.What, x.Total, x.Self, x.Blocked, w)
				break
			}
		}
	}
	if got != len(want) {
		t.Errorf("%d sums, want %d", got, len(want))
	}
	if s.Messages[0][1] != 1 || s.Bytes[0][1] != 80 || s.Messages[1][0] != 0 || s.Unmatched != 0 || s.Events != 7 {
		t.Errorf("messages %v, bytes %v, %d unmatched, %d events", s.Messages, s.Bytes, s.Unmatched, s.Events)
	}
	var b strings.Builder
	if err := s.Text(&b); err != nil || !strings.Contains(b.String(), "  loop i\n") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

// TestNotes: what is missing is said.
func TestNotes(t *testing.T) {
	trace := twoPEs(t, "two")
	if n := trace.Notes(); n != nil {
		t.Errorf("%q of a trace that is whole", n)
	}
	trace.Cut = "why"
	trace.Kept[1] = tracefile.Kept{Every: 4, Dropped: []tracefile.Dropped{{Level: 2, Events: 5}, {Level: 3, Events: 6}, {Level: tracefile.Messages, Events: 7}}}
	all := strings.Join(trace.Notes(), "\n")
	for _, want := range []string{"(why)", "PE 1: 11 executions of regions are left out, of depth 2 and more", "PE 1: 7 events of messages are left out: those of one epoch in 4"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
}
