package verify

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Whatever a bundle does instead of replying is a fault of the program, and the next
// run has another process.
func TestServerEnds(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("it needs /bin/sh")
	}
	for _, c := range []struct {
		script string
		kind   FaultKind
		text   string
	}{
		{"exec sleep 60", Hang, "no end within 200ms"},
		{"echo oh dear >&2; exit 2", Violation, "oh dear"},
		{`printf '\001\001x'; exec sleep 60`, Violation, "1 words"},
		{`printf '\004\001x\001x\001x\001x'; exec sleep 60`, Violation, "invalid syntax"},
		{`printf '\001\377\377\377\377\377\377\001'; exec sleep 60`, Violation, "too long"},
	} {
		bundle := filepath.Join(t.TempDir(), "bundle")
		if err := os.WriteFile(bundle, []byte("#!/bin/sh\n"+c.script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		s := &server{bundle: bundle, limit: 200 * time.Millisecond}
		if c.kind != Hang {
			s.limit = time.Minute
		}
		for range 2 {
			_, _, err := s.run("x", nil)
			var f *Fault
			if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(f.Text, c.text) || s.cmd != nil {
				t.Errorf("%s: %v, want %v: %s", c.script, err, c.kind, c.text)
			}
		}
	}
	s := &server{bundle: filepath.Join(t.TempDir(), "none"), limit: time.Second}
	var f *Fault
	if _, _, err := s.run("x", nil); err == nil || errors.As(err, &f) {
		t.Errorf("no bundle: %v", err)
	}
}

// The PEs that are held belong to the seed, and are as many as were asked for.
func TestHeld(t *testing.T) {
	r := newReport(RandomOptions{Hold: 2})
	seen := map[int]bool{}
	for seed := range uint64(40) {
		held := r.held(seed, 5)
		if len(held) != 2 || held[0] >= held[1] || held[0] < 0 || held[1] > 4 || list(held) != list(r.held(seed, 5)) {
			t.Errorf("seed %d: %v", seed, held)
		}
		seen[held[0]] = true
	}
	if len(seen) != 4 || r.held(1, 2) != nil || newReport(RandomOptions{}).held(1, 5) != nil {
		t.Errorf("the first of two of five PEs: %v", seen)
	}
}

// A long run says how far it is, and an interrupted one how to go on.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	r := newReport(RandomOptions{Programs: 1000, Seed: 50, Progress: &out})
	p := newProgress(r)
	r.Add(&Tally{Programs: 250, Runs: 2000, Faults: map[string]int{Hang.String(): 1}})
	r.Failing = []Failing{{Seed: 77, Fault: &Fault{Hang, "no end"}}}
	p.show() // it is too early
	p.start, p.last = p.start.Add(-500*time.Second), p.last.Add(-time.Minute)
	p.show()
	want := "spmdc: 250 of 1000 programs, 2000 runs, 1 failed; 2.000 s each, 25m0s left; next is --seed=300\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	r.Write(&out)
	for _, want := range []string{"250 random programs from seed 50 on", "interrupted: --seed=300 --random=750 goes on", "1 hangs", "seed 77"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}
