package replay

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// twoPuts is a run in which PE 0 puts twice to PE 1, which answers in between or
// not.
func twoPuts(slot, cells2, between0, between1 string) string {
	return fmt.Sprintf(`spmdc trace 1, 2 PEs
pe 0
slot 1 1 %[1]s
slot 2 2 1 whole
i 0 1
p 1 1 1 0 2:1
o 1 1
u 1 1
%[3]si 0 2
p 1 2 1 %[2]s
o 1 2
u 1 2
pe 1
slot 1 1 %[1]s
slot 2 2 1 whole
c 1 1
g 1 1 0
o 1 1
u 1 1
%[4]sc 1 2
g 1 2 0
o 1 2
u 1 2
`, slot, cells2, between0, between1)
}

func read(t *testing.T, text string) *Trace {
	t.Helper()
	tr, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestUnordered(t *testing.T) {
	const put = "[{1 2 0 1}]"
	for name, c := range map[string]struct {
		slot, cells2, between0, between1 string
		o                                Options
		want                             string
	}{
		"nothing":                     {"1 whole", "0 2:1", "", "", Options{}, put},
		"a reduction":                 {"1 whole", "0 2:1", "k 4\n", "k 4\n", Options{}, "[]"},
		"a reduction that is muted":   {"1 whole", "0 2:1", "k 4\n", "k 4\n", Options{Mute: map[int]bool{5: true}}, put},
		"another one is muted":        {"1 whole", "0 2:1", "k 4\n", "k 4\n", Options{Mute: map[int]bool{4: true}}, "[]"},
		"an answer":                   {"1 whole", "0 2:1", "g 2 1 1\n", "p 2 1 0 0\n", Options{}, "[]"},
		"an answer that is muted":     {"1 whole", "0 2:1", "g 2 1 1\n", "p 2 1 0 0\n", Options{Mute: map[int]bool{2: true}}, put},
		"a ready message":             {"1 whole", "0 2:1", "w 1 2 1\n", "r 1 2 0\n", Options{}, "[]"},
		"ready messages do not count": {"1 whole", "0 2:1", "w 1 2 1\n", "r 1 2 0\n", Options{NoReady: true}, put},
		"a broadcast to PE 0":         {"1 whole", "0 2:1", "b 4 1\n", "b 4 1\n", Options{}, "[]"},
		"a broadcast to PE 1":         {"1 whole", "0 2:1", "b 4 0\n", "b 4 0\n", Options{}, put},
		"two slots":                   {"2 whole", "0 2:1", "", "", Options{}, "[]"},
		"two slots of the same cells": {"2 cells", "0 2:1", "", "", Options{}, put},
		"two slots of other cells":    {"2 cells", "2 2:1", "", "", Options{}, "[]"},
		"other cells, but one flag":   {"1 cells", "2 2:1", "", "", Options{}, put},
	} {
		tr := read(t, twoPuts(c.slot, c.cells2, c.between0, c.between1))
		if got := fmt.Sprint(tr.Unordered(c.o)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if !tr.Replay(Options{}).Complete {
			t.Errorf("%s: not complete", name)
		}
	}
	if tr := read(t, strings.Replace(twoPuts("1 whole", "0", "", ""), "p 1 2 1 0", "p 1 3 1 0", 1)); tr.Replay(Options{}).Complete {
		t.Error("what nobody sent has arrived, and the trace is complete")
	}
}

// Two communications fill cells of one array: a put is ordered after the uses of
// both, as far as they are of its cells.
func TestSharedMemory(t *testing.T) {
	for cells, want := range map[string]string{"0 2:1": "[{2 1 0 1}]", "1 2:3": "[{2 1 0 1}]", "2 3:2": "[]", "4 2:-3": "[{2 1 0 1}]"} {
		tr := read(t, `spmdc trace 1, 2 PEs
pe 0
slot 1 1 1 cells
slot 2 1 1 cells
p 1 1 1 0 2:1
o 1 1
u 1 1
p 2 1 1 `+cells+`
pe 1
g 1 1 0
o 1 1
u 1 1
g 2 1 0
`)
		if got := fmt.Sprint(tr.Unordered(Options{})); got != want {
			t.Errorf("cells %s: %s, want %s", cells, got, want)
		}
	}
}

// What a PE copies into an overlap, from a stage that communication 1 fills, is in use
// there when communication 2 puts into the overlap. The stage is another memory.
func TestCopies(t *testing.T) {
	for cells, want := range map[string]string{"0 2:1": "[{2 1 0 1}]", "4 2:1": "[]"} {
		tr := read(t, `spmdc trace 1, 2 PEs
pe 0
slot 1 1 1 whole
slot -1 -1 1 cells
slot 2 -1 1 cells
p 1 1 1 8 2:1
o 1 1
u 1 1
o -1 1
u -1 1
p 2 1 1 `+cells+`
pe 1
c 1 1
g 1 1 0
o 1 1
u 1 1
y -1 1 1 2:-1
o -1 1
u -1 1
g 2 1 0
`)
		if got := fmt.Sprint(tr.Unordered(Options{})); got != want {
			t.Errorf("cells %s: %s, want %s", cells, got, want)
		}
		if !tr.Replay(Options{}).Complete {
			t.Errorf("cells %s: not complete", cells)
		}
	}
}

// A ready message is redundant when all that it lets go is ordered without it.
func TestRedundant(t *testing.T) {
	for name, c := range map[string]struct {
		between0, between1 string
		ready, redundant   int
	}{
		"none":                           {"", "", 0, 0},
		"needed":                         {"w 1 2 1\n", "r 1 2 0\n", 1, 0},
		"behind a reduction":             {"k 4\nw 1 2 1\n", "k 4\nr 1 2 0\n", 1, 1},
		"one message, half of it needed": {"w 1 2 1\nw 2 1 1\np 2 1 1 0\n", "a 2\nr 1 2 0\nr 2 1 0\ng 2 1 0\n", 1, 0},
		"the other way round":            {"w 2 1 1\nw 1 2 1\np 2 1 1 0\n", "a 2\nr 2 1 0\nr 1 2 0\ng 2 1 0\n", 1, 0},
		"two messages":                   {"w 1 2 1\nw 2 1 1\np 2 1 1 0\n", "r 1 2 0\nr 2 1 0\ng 2 1 0\n", 2, 1},
	} {
		tr := read(t, twoPuts("1 whole", "0 2:1", c.between0, c.between1))
		if ready, redundant := tr.Redundant(); ready != c.ready || redundant != c.redundant {
			t.Errorf("%s: %d of %d, want %d of %d", name, redundant, ready, c.redundant, c.ready)
		}
	}
}

func TestReportedAndSites(t *testing.T) {
	tr := read(t, twoPuts("1 whole", "0 2:1", "v 1 2 1 1 1\nk 4\nb 6 0\n", "k 4\nb 6 0\n"))
	if got := fmt.Sprint(tr.Reported()); got != "[{1 2 0 1}]" {
		t.Error(got)
	}
	if got := tr.Sites(); !reflect.DeepEqual(got, []int{1, 5, 7}) {
		t.Error(got)
	}
}

func TestRead(t *testing.T) {
	const head = "spmdc trace 1, 2 PEs\npe 0\nslot 1 1 1 whole\n"
	for text, want := range map[string]string{
		"":                              "the trace is empty",
		"trace\n":                       `line 1: found "trace", expected the first line of a trace`,
		head + "p 1\n":                  "line 4: too few numbers",
		head + "q 1 2\n":                "line 4: no event",
		head + "u 2 1\n":                "line 4: no such communication",
		head + "y 1 1\n":                "line 4: too few numbers",
		head + "g 1 1 2\n":              "line 4: no such PE",
		head + "u 1 x\n":                `line 4: "x" is no number`,
		head + "pe 2\n":                 "line 4: no such PE",
		head + "i 1 1\n":                "line 4: no iteration",
		head + "slot 1 1 0 whole\n":     "line 4: no instance of the memory",
		head + "slot 1 2 1 whole\n":     "line 4: another PE says otherwise",
		head + "slot 1 2\n":             "line 4: no slot",
		"spmdc trace 1, 2 PEs\nu 1 1\n": "line 2: no PE before it",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
