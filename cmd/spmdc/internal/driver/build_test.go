package driver

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/parser/source"
)

// echo is a table with one pass: the source is the program, and a source with
// the word WARN gives a warning. runs counts how often it ran.
func echo(runs *int) *Table {
	return &Table{Passes: []Pass{{Name: "code", Doc: "d", Run: func(c *Compilation) error {
		*runs++
		c.Diags = source.NewList(source.NewFile(c.File, c.Text))
		text, _, _ := strings.Cut(string(c.Text), "! ")
		if strings.Contains(string(c.Text), "WARN") {
			c.Diags.Warnf(source.Syntax, source.Pos{Line: 1, Col: 1}, "odd")
		}
		c.Code = []byte(text)
		return nil
	}}}}
}

// TestBuilderDoesNothingTwice: an unchanged source runs neither passes nor Go,
// a source that gives the same program runs no Go, and a program with warnings
// has the same ones again.
func TestBuilderDoesNothingTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds programs")
	}
	const prog = "package main\n\nfunc main() {}\n"
	cache := testCache(t)
	runs := 0
	b := &Builder{Table: echo(&runs), Cache: cache}
	program := func(text string, o Options) string {
		t.Helper()
		path, err := b.Program(New("p.hpf", []byte(text), o))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := program(prog, Options{})
	if again := program(prog, Options{}); again != first || runs != 1 {
		t.Errorf("unchanged: program %s (was %s), passes ran %d times, want 1", again, first, runs)
	}
	if other := program(prog+"! a comment\n", Options{}); other != first || runs != 2 {
		t.Errorf("changed comment: program %s (was %s), passes ran %d times, want 2", other, first, runs)
	}
	var told []string
	for range 2 {
		var b2 strings.Builder
		c := New("p.hpf", []byte(prog+"! WARN\n"), Options{})
		if _, err := b.Program(c); err != nil {
			t.Fatal(err)
		}
		if err := c.Report(&b2, ReportOptions{}); err != nil {
			t.Fatal(err)
		}
		told = append(told, b2.String())
	}
	if runs != 3 || told[0] != told[1] || !strings.Contains(told[0], "1:1: warning: odd") {
		t.Errorf("with a warning the passes ran %d times, want 1, and tell %q", runs-2, told)
	}
	program(prog, Options{Check: true})
	if runs != 4 {
		t.Error("other options did not run the passes")
	}
	if other := program("package main\n\nfunc main() { println() }\n", Options{}); other == first {
		t.Error("another program is the same file")
	}
	b.Fresh = true
	if program(prog, Options{}); runs != 6 {
		t.Error("Fresh did not run the passes")
	}
}

func TestBuilderReportsPrograms(t *testing.T) {
	runs := 0
	table := echo(&runs)
	table.Passes[0].Run = func(c *Compilation) error {
		c.Diags = source.NewList(source.NewFile(c.File, c.Text))
		c.Diags.Errorf(source.Syntax, source.Pos{Line: 1, Col: 1}, "bad")
		return nil
	}
	b := &Builder{Table: table, Cache: testCache(t)}
	if _, err := b.Program(New("p.hpf", nil, Options{})); !errors.Is(err, ErrDiagnosed) {
		t.Errorf("error %v, want ErrDiagnosed", err)
	}
	entries, _ := filepath.Glob(filepath.Join(b.Cache.Dir, "*", "*"))
	if len(entries) > 0 {
		t.Errorf("in the cache: %v", entries)
	}
}

// TestCopyProgram: what spmdc has built is replaced, also behind a link, and nothing
// else, executable or not.
func TestCopyProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions")
	}
	runs := 0
	b := &Builder{Table: echo(&runs), Cache: testCache(t)}
	prog, err := b.Program(New("p.hpf", []byte("package main\n\nimport _ \""+bundle.Path+"/runtime/dist\"\n\nfunc main() {}\n"), Options{}))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, link := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	if err := os.Symlink("out", link); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "empty"), "")
	for _, name := range []string{out, out, link, filepath.Join(dir, "empty"), os.DevNull} {
		if err := CheckProgramTarget(name); err != nil {
			t.Fatal(err)
		}
		if err := CopyProgram(prog, name); err != nil {
			t.Fatal(err)
		}
	}
	st, err := os.Stat(out)
	if err != nil || st.Mode().Perm()&0o100 == 0 {
		t.Errorf("%v, %v: not executable", st, err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v: the link has been replaced", st, err)
	}
	write(t, filepath.Join(dir, "source.hpf"), "program\n")
	write(t, filepath.Join(dir, "script"), "#!/bin/sh\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(filepath.Join(dir, "script"), 0o755), os.Link(filepath.Join(dir, "script"), filepath.Join(dir, "hard")),
		os.Symlink("script", filepath.Join(dir, "soft")), os.Symlink(self, filepath.Join(dir, "go-program"))); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"source.hpf", "script", "hard", "soft", "go-program", ".", "nope/out", "source.hpf/out"} {
		for _, err := range []error{CheckProgramTarget(filepath.Join(dir, bad)), CopyProgram(prog, filepath.Join(dir, bad))} {
			var f *Failure
			if !errors.As(err, &f) || f.Status != StatusUsage || f.Remedy == "" {
				t.Errorf("%s: %v, want a usage error with a remedy", bad, err)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestVersion: the commit is said, and whether it is the whole truth.
func TestVersion(t *testing.T) {
	revision, clean, changed := debug.BuildSetting{Key: "vcs.revision", Value: "3c816fe"}, debug.BuildSetting{Key: "vcs.modified", Value: "false"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for want, settings := range map[string][]debug.BuildSetting{
		"commit not recorded":         {{Key: "GOOS", Value: "linux"}},
		"commit 3c816fe":              {revision, clean},
		"commit 3c816fe with changes": {revision, changed},
	} {
		if got := commitOf(settings, "commit not recorded"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
