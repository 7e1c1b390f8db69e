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
