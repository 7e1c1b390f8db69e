package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/parser/source"
)

func render(t *testing.T, l *source.List, color bool) string {
	t.Helper()
	var b strings.Builder
	if err := l.Render(&b, nil, color); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func at(line, col int) source.Pos { return source.Pos{Line: line, Col: col} }

func TestRender(t *testing.T) {
	const text = "first line\n\tx = größe + 1\nshort\n\n"
	for _, tt := range []struct {
		name string
		add  func(l *source.List)
		want string
	}{
		{"caret", func(l *source.List) {
			l.Errorf(source.Syntax, at(1, 7), "bad %s", "word")
		}, `a.hpf:1:7: error: bad word [syntax]
first line
      ^
`},
		{"underline, notes and help", func(l *source.List) {
			l.Warnf(source.BadDirective, at(1, 7), "bad word").WithEnd(at(1, 11)).
				WithNote(at(3, 1), "see %d", 3).WithHelp("write %q", "row")
		}, `a.hpf:1:7: warning: bad word [bad-directive]
first line
      ^~~~
a.hpf:3:1: note: see 3
short
^
help: write "row"
`},
		{"a tab stays a tab, and a letter of two bytes is one column", func(l *source.List) {
			l.Errorf(source.Syntax, at(2, 6), "name").WithEnd(at(2, 13))
		}, "a.hpf:2:6: error: name [syntax]\n\tx = größe + 1\n\t    ^~~~~\n"},
		{"a span over lines ends with its first", func(l *source.List) {
			l.Errorf(source.Syntax, at(1, 7), "long").WithEnd(at(3, 2))
		}, `a.hpf:1:7: error: long [syntax]
first line
      ^~~~
`},
		{"behind the end of the line", func(l *source.List) {
			l.Errorf(source.Syntax, at(3, 40), "far").WithEnd(at(3, 80))
		}, `a.hpf:3:40: error: far [syntax]
short
     ^
`},
		{"an empty line is not shown", func(l *source.List) {
			l.Errorf(source.Syntax, at(4, 1), "empty")
		}, "a.hpf:4:1: error: empty [syntax]\n"},
		{"no place", func(l *source.List) {
			l.Errorf(source.Syntax, source.Pos{}, "all of it")
		}, "a.hpf: error: all of it [syntax]\n"},
	} {
		l := source.NewList(source.NewFile("a.hpf", []byte(text)))
		tt.add(l)
		if diff := cmp.Diff(tt.want, render(t, l, false)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestRenderControlCharacters(t *testing.T) {
	l := source.NewList(source.NewFile("a", []byte("x\x1b[2J = 1\n")))
	l.Errorf(source.Syntax, at(1, 1), "bad")
	if got := render(t, l, false); strings.Contains(got, "\x1b") {
		t.Errorf("the source's escape reaches the terminal: %q", got)
	}
}

// Names and messages are text from outside as well: nothing in them reaches the terminal
// that could end a line, or turn round the order of letters.
func TestRenderNames(t *testing.T) {
	l := source.NewList(source.NewFile("a\u202e\ufeff\x1b[2J\u0085\nb.hpf", []byte("x\u202e = 1\u009b2J\n")))
	l.Errorf(source.Syntax, at(1, 1), "bad \u202ename\x1b").WithHelp("write \u2066a").WithNote(at(1, 1), "see \u202e")
	want := `a???[2J??b.hpf:1:1: error: bad ?name? [syntax]
x? = 1?2J
^
a???[2J??b.hpf:1:1: note: see ?
x? = 1?2J
^
help: write ?a
`
	if diff := cmp.Diff(want, render(t, l, false)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of a long line the part around the caret is shown.
func TestRenderLongLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		line string
		col  int
		end  int
		want string // of the line shown
	}{
		{"at the beginning", "ab = 3" + strings.Repeat("é", 2e5), 1, 3, "ab = 3"},
		{"in the middle", strings.Repeat("é", 2e5) + "ab = 3" + strings.Repeat("é", 2e5), 4e5 + 1, 4e5 + 3, "éab = 3é"},
		{"at the end", strings.Repeat("é", 2e5) + "ab", 4e5 + 1, 4e5 + 3, "éab"},
		{"a long part", "ab" + strings.Repeat("x", 1e6), 1, 1e6, "abxxx"},
		{"no text", strings.Repeat("\x80", 1e6) + "ab", 1e6 + 1, 1e6 + 3, "ab"},
	} {
		l := source.NewList(source.NewFile("a", []byte(tt.line+"\n")))
		l.Errorf(source.Syntax, at(1, tt.col), "%s", strings.Repeat("m", 1e6)).WithEnd(at(1, tt.end))
		lines := strings.Split(render(t, l, false), "\n")
		if len(lines) != 4 || len(lines[0]) > 1100 || len(lines[1]) > 700 || len(lines[2]) > 700 || !strings.Contains(lines[1], tt.want) {
			t.Errorf("%s: %d lines, of %d, %d and %d bytes\n%s", tt.name, len(lines), len(lines[0]), len(lines[1]), len(lines[2]), lines[1])
			continue
		}
		caret := strings.Index(lines[2], "^") // one blank for each letter before it
		if shown := []rune(lines[1]); string(shown[caret:caret+2]) != "ab" {
			t.Errorf("%s: the caret is under %q", tt.name, string(shown[caret:caret+2]))
		}
	}
}

func TestRenderColor(t *testing.T) {
	l := source.NewList(source.NewFile("a", []byte("x = 1\n")))
	l.Errorf(source.Syntax, at(1, 1), "bad")
	got := render(t, l, true)
	if !strings.Contains(got, "\x1b[1;31merror:\x1b[0m") {
		t.Errorf("no red error in %q", got)
	}
	if plain := render(t, l, false); strings.Contains(plain, "\x1b") {
		t.Errorf("escapes without colour: %q", plain)
	}
}

func TestRenderStopsAfterTenErrors(t *testing.T) {
	l := source.NewList(source.NewFile("a", []byte(strings.Repeat("x\n", 20))))
	for i := 1; i <= 13; i++ {
		l.Errorf(source.Syntax, at(i, 1), "error %d", i)
		l.Warnf(source.Syntax, at(i, 1), "warning %d", i)
	}
	got := render(t, l, false)
	if !strings.Contains(got, "error 10 ") || strings.Contains(got, "error 11 ") {
		t.Errorf("not ten errors:\n%s", got)
	}
	if !strings.HasSuffix(got, "\n... and 3 more\n") {
		t.Errorf("the rest is not counted:\n%s", got)
	}
	if !strings.Contains(got, "warning 9 ") {
		t.Errorf("warnings count as errors:\n%s", got)
	}
}

func TestSortIsStable(t *testing.T) {
	l := source.NewList(nil)
	for i, p := range []source.Pos{at(2, 1), at(1, 5), at(2, 1), at(1, 2)} {
		l.Errorf(source.Syntax, p, "%d", i)
	}
	l.Sort()
	var got []string
	for _, d := range l.Diags {
		got = append(got, d.Msg)
	}
	if want := []string{"3", "1", "0", "2"}; !cmp.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestErr(t *testing.T) {
	l := source.NewList(source.NewFile("a.hpf", nil))
	l.Warnf(source.BadDirective, at(1, 1), "only a warning")
	if l.HasErrors() || l.Err() != nil {
		t.Errorf("a warning is an error: %v", l.Err())
	}
	for i, want := range []string{
		"a.hpf:3:7: first [syntax]",
		"a.hpf:3:7: first [syntax] (and 1 more)",
	} {
		l.Errorf(source.Syntax, at(3, 7), "%s", []string{"first", "second"}[i])
		if got := fmt.Sprint(l.Err()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var d *source.Diag
	if !errors.As(l.Err(), &d) || d.Code != source.Syntax {
		t.Errorf("the error does not unwrap to its diagnostic")
	}
}

// Diagnostics as JSON: a line each, with places in the files that they are of.
func TestRenderJSON(t *testing.T) {
	l := source.NewList(source.NewFile("a.f90", []byte("program a\n  x = <1>\nend\n")))
	l.Errorf(source.Syntax, source.Pos{Line: 2, Col: 7}, "found <1>").WithEnd(source.Pos{Line: 2, Col: 10}).WithHelp("write %d", 1).WithNote(source.Pos{Line: 1, Col: 1}, "it begins here")
	l.Warnf(source.Slow, source.Pos{}, "slow")
	var b strings.Builder
	if err := l.RenderJSON(&b); err != nil {
		t.Fatal(err)
	}
	const want = `{"file":"a.f90","line":2,"column":7,"end_line":2,"end_column":10,"severity":"error","code":"syntax","message":"found <1>","help":"write 1","notes":[{"file":"a.f90","line":1,"column":1,"message":"it begins here"}]}
{"file":"a.f90","severity":"warning","code":"slow","message":"slow"}
`
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
}
