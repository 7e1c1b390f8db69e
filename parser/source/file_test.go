package source_test

import (
	"testing"

	"github.com/spmdc/spmdc/parser/source"
)

func TestFileLines(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		lines      []string
	}{
		{"empty", "", []string{""}},
		{"one line", "a\n", []string{"a"}},
		{"no final newline", "a\nbc", []string{"a", "bc"}},
		{"carriage returns", "a\r\nbc\r\n", []string{"a", "bc"}},
		{"empty lines", "\n\na\n\n", []string{"", "", "a", ""}},
		{"byte order mark", "\xef\xbb\xbfa\n", []string{"a"}},
	} {
		f := source.NewFile("x", []byte(tt.text))
		if f.Lines() != len(tt.lines) {
			t.Errorf("%s: %d lines, want %d", tt.name, f.Lines(), len(tt.lines))
			continue
		}
		for i, want := range tt.lines {
			if got := f.Line(i + 1); got != want {
				t.Errorf("%s: line %d is %q, want %q", tt.name, i+1, got, want)
			}
		}
		if f.Line(0) != "" || f.Line(len(tt.lines)+1) != "" {
			t.Errorf("%s: a line outside the file has text", tt.name)
		}
	}
}

func TestFilePos(t *testing.T) {
	f := source.NewFile("x", []byte("ab\ncd\n"))
	for offset, want := range []source.Pos{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {2, 4}} {
		if got := f.Pos(offset); got != want {
			t.Errorf("offset %d: %v, want %v", offset, got, want)
		}
	}
	if got, want := f.Pos(100), f.Pos(6); got != want {
		t.Errorf("offset behind the end: %v, want %v", got, want)
	}
}

func TestPosBefore(t *testing.T) {
	ordered := []source.Pos{{}, {1, 1}, {1, 2}, {2, 1}, {10, 1}}
	for i, p := range ordered {
		for j, q := range ordered {
			if got, want := p.Before(q), i < j; got != want {
				t.Errorf("%v before %v: %v", p, q, got)
			}
		}
		if got, want := p.IsValid(), i > 0; got != want {
			t.Errorf("%v is valid: %v", p, got)
		}
	}
}

// TestParts: lines of texts that are added have numbers of their own, which are shown
// as file and line.
func TestParts(t *testing.T) {
	f := source.NewFile("a.f90", []byte("one\ntwo\n"))
	b := f.Add("b.inc", []byte("first\nsecond"))
	c := f.Add("c.inc", nil)
	for _, tt := range []struct {
		line       int
		name, text string
		shown      int
	}{
		{2, "a.f90", "two", 2},
		{3, "a.f90", "", 3},
		{b.First(), "b.inc", "first", 1},
		{b.First() + 1, "b.inc", "second", 2},
		{b.First() + 2, "b.inc", "", 3},
		{c.First(), "c.inc", "", 1},
	} {
		name, line := f.Place(tt.line)
		if name != tt.name || line != tt.shown || f.Line(tt.line) != tt.text {
			t.Errorf("line %d is %s:%d %q, want %s:%d %q", tt.line, name, line, f.Line(tt.line), tt.name, tt.shown, tt.text)
		}
	}
	if b.First() != 1_000_001 || c.First() != 2_000_001 || b.Physical()[1].Line != b.First()+1 {
		t.Errorf("the parts begin with lines %d and %d", b.First(), c.First())
	}
	text := "lines 1000002-1000003, 2 and 2000001, line 7; 1000001 elements"
	if got, want := f.Spell(text), "lines 2 of b.inc-3 of b.inc, 2 and 1 of c.inc, line 7; 1000001 elements"; got != want {
		t.Errorf("%s\n got %s\nwant %s", text, got, want)
	}
	odd := source.NewFile("a.f90", nil)
	odd.Add("x\"\\<b>\n.inc", []byte("one"))
	if got, want := odd.Spell("line 1000001"), "line 1 of x???b??.inc"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	l := source.NewList(f)
	l.Errorf(source.Syntax, at(b.First()+1, 3), "odd").WithNote(at(1, 1), "see line %d", b.First())
	if got, want := render(t, l, false), "b.inc:2:3: error: odd [syntax]\nsecond\n  ^\na.f90:1:1: note: see line 1 of b.inc\none\n^\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got, want := l.Err().Error(), "b.inc:2:3: odd [syntax]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPhysical: places in a line in which the preprocessor has replaced something.
func TestPhysical(t *testing.T) {
	p := source.Physical{Text: "a=100+b", Line: 7, Cols: []int{1, 2, 3, 3, 3, 4, 5, 6}}
	for i, want := range []int{1, 2, 3, 3, 3, 4, 5, 6, 7} {
		if got := p.At(i); got != at(7, want) {
			t.Errorf("byte %d is at %v, want column %d", i, got, want)
		}
	}
	if p.Run(0, 7) != 3 || p.Run(3, 7) != 4 || p.Run(4, 7) != 7 {
		t.Errorf("runs end at %d, %d and %d", p.Run(0, 7), p.Run(3, 7), p.Run(4, 7))
	}
}
