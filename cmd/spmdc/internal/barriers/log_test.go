package barriers

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/runtime/elide"
)

// A log is what it was when it has been written and read.
func TestLogRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		log := randomLog(rng)
		log.Program, log.Run, log.PEs, log.Agreements = "shallow 4f2a", "r 1", []int{2, 4}, 3
		log.Calls["a.f90:3"], log.Calls["b > c"] = "step", "relax"
		for i := range log.Contexts {
			c := &log.Contexts[i]
			c.Broken, c.Ideal, c.Time = uint64(i), c.Redundant, time.Duration(i)*time.Microsecond
			c.Note = []string{"", "shift u(i-1) # 2", "x"}[i%3]
		}
		log.Sort()
		var b bytes.Buffer
		if err := log.Write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		back, err := ParseLog("x", &b)
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if diff := cmp.Diff(log, back); diff != "" {
			t.Fatalf("%s\n%s", diff, text)
		}
	}
}

func TestLogErrors(t *testing.T) {
	const head = "barriers-log 3\npes 1\n"
	for text, want := range map[string]string{
		"":                                      "not whole",
		"barriers-log 3\n":                      "run the training again",
		"barriers-log 1\npes 1\n":               "version 1",
		"barriers-plan 1\npes 1\n":              "no log of barriers",
		"elide-log 1\npe 0 of 1\n":              "no log of barriers",
		"barriers-log 3\npes 0\n":               "is no number of PEs",
		head + "mode wild\n":                    "is no mode",
		head + "agreements x\n":                 "is no number of agreements",
		head + "call x\n":                       "is no call",
		head + "12: a > b\n":                    "x:3: \"12: a > b\" is no context",
		head + "1 x 1 1 0 0 0 audited: a > b\n": "\"x\" is no number",
		head + "1 1 1 1 0 0 x audited: a > b\n": "\"x\" is no time",
		head + "1 1 1 1 0 0 0 wild: a > b\n":    "\"wild\" is no state",
		head + "1 1 1 1 0 0 0 audited: a >\n":   "a call is missing",
		head + "1 2 1 1 0 0 0 audited: a\n":     "more are executed",
	} {
		if _, err := ParseLog("x", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestMerge(t *testing.T) {
	odd := counted(1, 0, "b")
	odd.Why = elide.Misaligned
	logs := []*elide.Log{
		{Program: "p", Run: "1", PEs: []int{2}, Agreements: 1, Calls: map[string]string{"a": "f"}, Contexts: []elide.LogContext{counted(3, 0, "a"), counted(2, 0, "b")}},
		{Program: "p", Run: "2", PEs: []int{1}, Agreements: 2, Contexts: []elide.LogContext{counted(4, 1, "a"), odd, counted(9, 0, "d")}},
		{Program: "p", Run: "3", PEs: []int{2}},
	}
	m, err := Merge(logs)
	if err != nil {
		t.Fatal(err)
	}
	both := counted(3, 0, "b")
	both.Why = elide.Misaligned
	want := &elide.Log{Program: "p", Run: "1+2+3", PEs: []int{1, 2}, Agreements: 3, Calls: map[string]string{"a": "f"},
		Contexts: []elide.LogContext{counted(7, 1, "a"), both, counted(9, 0, "d")}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	other := *logs[2]
	other.Program = "q"
	for want, bad := range map[string][]*elide.Log{
		"no training logs":     nil,
		"different programs":   {logs[0], &other},
		"run 2 is there twice": {logs[1], m},
	} {
		if _, err := Merge(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The plan of the worked example of package elide, from the log of its training.
func TestWorkedExample(t *testing.T) {
	log, err := ParseLog("log", strings.NewReader(`barriers-log 3
program v1
run 1
mode audit
pes 2
40 40 0 0 0 0 0 audited: c.f90:10 > s.f90:2
40 40 0 0 0 0 0 audited: c.f90:10 > s.f90:4
40 40 40 40 0 40 0 audited: c.f90:20 > s.f90:2
40 40 0 0 0 0 0 audited: c.f90:20 > s.f90:4
40 40 40 40 0 40 0 audited: c.f90:21 > s.f90:2
40 40 0 0 0 0 0 audited: c.f90:21 > s.f90:4
`))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Classify(log).Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = "barriers-plan 1\nprogram v1\ncandidate 40 in 1: c.f90:20 > s.f90:2\ncandidate 40 in 1: c.f90:21 > s.f90:2\n"
	if b.String() != want {
		t.Errorf("plan:\n%s", b.String())
	}
}
