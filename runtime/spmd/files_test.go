package spmd

import (
	"bytes"
	"strings"
	"testing"
)

// TestFiles: messages and statistics name the file of a line in a program of several.
func TestFiles(t *testing.T) {
	p := &Program{File: "a.f90", Files: []File{{"b.f90", 1_000_000}, {"c.inc", 2_000_000}},
		Sites: []Site{{Line: 7, Kind: "shift", Ref: "x"}, {ID: 1, Line: 1_000_009, Kind: "sum", Ref: "s"}, {ID: 2, Line: 2_000_001, Kind: "max", Ref: "m"}}}
	for site, want := range []string{"a.f90:7", "b.f90:9", "c.inc:1"} {
		if got := place(p, site); got != want {
			t.Errorf("site %d is at %s, want %s", site, got, want)
		}
		if got := p.errorAt(site, 1, "odd").Error(); got != want+": PE 1: odd" {
			t.Errorf("site %d: %s", site, got)
		}
	}
	if got, want := p.call(1), "#2 sum s (line 9 of b.f90)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s := &Stats{Sites: p.Sites, Files: p.Files, PEs: [][]Counts{{{Calls: 1}, {Calls: 1}, {}, {}}}}
	var b bytes.Buffer
	s.Table(&b)
	if text := b.String(); !strings.Contains(text, " 7  ") || !strings.Contains(text, " 9 of b.f90  ") {
		t.Errorf("the table does not name the files:\n%s", text)
	}
}
