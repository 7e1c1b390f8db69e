// Package golden compares what a package makes of something with a file in
// testdata. With -update the file is written instead.
//
// Most such files are archives in the txtar format:
//
//	Why the rest of this is right.
//	-- in --
//	print *, 1
//	-- out --
//	what the package under test makes of it
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Text compares got with the file path.
func Text(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(lines(readFile(t, path)), lines(got)); d != "" {
		t.Errorf("%s (-want +got; go test -update rewrites it):\n%s", path, d)
	}
}

// lines makes differences show as lines.
func lines(text string) []string { return strings.SplitAfter(text, "\n") }

// File is one file of an archive.
type File struct{ Name, Text string }

// Archive is a golden file that holds others.
type Archive struct {
	Comment string // what stands before the first file
	Files   []File // at least one
	path    string
}

// Read reads an archive, which holds something.
func Read(t testing.TB, path string) *Archive {
	t.Helper()
	text := txtar.Parse([]byte(readFile(t, path)))
	if len(text.Files) == 0 {
		t.Fatalf("%s: an archive without files", path)
	}
	a := &Archive{Comment: string(text.Comment), path: path}
	for _, f := range text.Files {
		a.Files = append(a.Files, File{f.Name, string(f.Data)})
	}
	return a
}

// Each runs a subtest for each archive that pattern matches, of which there are
// some.
func Each(t *testing.T, pattern string, do func(t *testing.T, a *Archive)) {
	t.Helper()
	for _, path := range match(t, pattern) {
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) { do(t, Read(t, path)) })
	}
}

// Compare wants the archive to hold its first file and got, and nothing else.
func (a *Archive) Compare(t testing.TB, got ...File) {
	t.Helper()
	a.compare(t, append(a.Files[:1:1], got...))
}

func (a *Archive) compare(t testing.TB, files []File) {
	t.Helper()
	text := txtar.Archive{Comment: []byte(a.Comment)}
	for _, f := range files {
		text.Files = append(text.Files, txtar.File{Name: f.Name, Data: []byte(f.Text)})
	}
	Text(t, a.path, string(txtar.Format(&text)))
}

// Pairs is Each for archives of several inputs, the files whose names begin with
// "in". Behind each stands what f makes of its name and text, by the name "want" and
// the rest of the name: want.hpf of in.hpf, want2.hpf of in2.hpf.
func Pairs(t *testing.T, pattern string, f func(t *testing.T, name, text string) string) {
	t.Helper()
	Each(t, pattern, func(t *testing.T, a *Archive) {
		var files []File
		for _, in := range a.Files {
			if rest, ok := strings.CutPrefix(in.Name, "in"); ok {
				files = append(files, in, File{"want" + rest, f(t, in.Name, in.Text)})
			}
		}
		a.compare(t, files)
	})
}

// Programs gives the texts of the files that the patterns match, by path with
// slashes; of an archive that is its first file.
func Programs(t testing.TB, patterns ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range patterns {
		for _, path := range match(t, pattern) {
			name := filepath.ToSlash(path)
			if filepath.Ext(path) == ".txtar" {
				all[name] = Read(t, path).Files[0].Text
			} else {
				all[name] = readFile(t, path)
			}
		}
	}
	return all
}

func match(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	return paths
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// Wanted is the texts of the !WANT comment of a line of source: what a test wants
// to be said about that line.
func Wanted(line string) (texts []string, err error) {
	_, comment, ok := strings.Cut(line, "!WANT")
	if !ok {
		return nil, nil
	}
	for _, q := range quoted.FindAllString(comment, -1) {
		s, err := strconv.Unquote(q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q, err)
		}
		texts = append(texts, s)
	}
	if len(texts) == 0 || strings.TrimSpace(quoted.ReplaceAllString(comment, "")) != "" {
		return nil, fmt.Errorf("after !WANT: found %q, expected quoted texts", strings.TrimSpace(comment))
	}
	return texts, nil
}
