package spmd

import (
	"bytes"
	"strings"
	"testing"
)

// What is to be provoked must exist: a PE that is not there would never stop, and
// the run would seem to show something.
func TestWhatIsAskedForExists(t *testing.T) {
	p := sites(3)
	body := shifts(Handshake, nil)
	for args, want := range map[string]string{
		"-n 2 -hold 1":             "",
		"-n 2 -hold 1,1,3":         "",
		"-n 2 -hold random,3":      "",
		"-n 2 -late 0,1,3":         "",
		"-n 2 -mute 3":             "",
		"-n 2 -freeze":             "",
		"-n 2 -freeze=1,0":         "",
		"-n 2 -hold 2":             "test: -hold 2: there is no PE 2: the last one is 1",
		"-n 2 -hold 0,1,1 -hold 7": "test: -hold 0,1,1 7: there is no PE 7: the last one is 1",
		"-n 2 -hold 1,4,1":         "test: -hold 1,4,1: there is no communication 4: the last one is #3 test r2(i) (line 102)",
		"-n 2 -hold 1,2,1":         "test: -hold 1,2,1: #2 test r1(i) (line 101) brings no data that a PE waits for",
		"-n 2 -freeze -hold 1,2,1": "test: -hold 1,2,1: -freeze says itself where PEs stop: give only one of them",
		"-n 2 -late 2,1,1":         "test: -late 2,1,1: there is no PE 2: the last one is 1",
		"-n 2 -late 1,9,1":         "test: -late 1,9,1: there is no communication 9: the last one is #3 test r2(i) (line 102)",
		"-n 2 -mute 4":             "test: -mute 4: there is no communication 4: the last one is #3 test r2(i) (line 102)",
		"-n 2 -freeze=2":           "test: -freeze=2: there is no PE 2: the last one is 1",
	} {
		var out, errs bytes.Buffer
		status := run(p, strings.Fields(args), nil, &out, &errs, body)
		wantStatus := exitOK
		if want != "" {
			wantStatus = exitUsage
		}
		if got := strings.TrimSuffix(errs.String(), "\n"); got != want || status != wantStatus {
			t.Errorf("%s: status %d: %s\nwant %s", args, status, got, want)
		}
	}
	for args, want := range map[string]string{
		"-freeze=x":  `"x" is no PE: want a number from 0`,
		"-freeze=-1": `"-1" is no PE: want a number from 0`,
		"-mute x":    `"x" is no communication: want a number from 1`,
	} {
		var out, errs bytes.Buffer
		if status := run(p, strings.Fields(args), nil, &out, &errs, body); status != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: status %d: %s", args, status, errs.String())
		}
	}
	none := Program{Name: "test", File: "prog.hpf", Check: true}
	var out, errs bytes.Buffer
	if run(none, []string{"-n", "1", "-hold", "0,1,1"}, nil, &out, &errs, func(pe *PE) { pe.Start() }) != exitUsage || !strings.Contains(errs.String(), "the program has none") {
		t.Errorf("a program without communications: %s", errs.String())
	}
}

// -freeze with a list holds these PEs and no others.
func TestFreezeOfSome(t *testing.T) {
	for args, want := range map[string]string{
		"-n 4 -stats -freeze":     "PEs were held 20 times",
		"-n 4 -stats -freeze=3,1": "PEs were held 10 times",
	} {
		var out, errs bytes.Buffer
		if status := run(sites(1), strings.Fields(args), nil, &out, &errs, shifts(Handshake, nil)); status != 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: status %d: %s", args, status, errs.String())
		}
	}
}
