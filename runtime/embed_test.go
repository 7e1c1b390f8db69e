package runtime

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The embedded files are all sources of the library on disk, unchanged.
func TestFilesAreTheSources(t *testing.T) {
	files := Files()
	seen := 0
	for _, dir := range []string{"check", "dist", "elementary", "elide", "files", "fio", "outfile", "record", "shell", "snapshot", "spmd", "trace", "trace/tracefile", "transport", "transport/agree", "transport/inproc", "transport/mpi", "vector"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.[gs]*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			if strings.HasSuffix(p, "_test.go") {
				continue
			}
			seen++
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			name := "runtime/" + filepath.ToSlash(p)
			if string(files[name]) != string(text) {
				t.Errorf("%s is not embedded as it is", name)
			}
		}
	}
	if seen != len(files) || seen < 10 {
		t.Errorf("%d files embedded, %d on disk", len(files), seen)
	}
}

// An emitted module stands alone: the library imports the standard library and
// its own packages, which are all embedded.
func TestFilesImportOnlyEachOther(t *testing.T) {
	files := Files()
	for name, text := range files {
		if filepath.Ext(name) == ".s" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			dir, own := strings.CutPrefix(p, module)
			if !own {
				if strings.Contains(strings.Split(p, "/")[0], ".") {
					t.Errorf("%s imports %s", name, p)
				}
				continue
			}
			found := false
			for other := range files {
				found = found || filepath.ToSlash(filepath.Dir(other)) == dir
			}
			if !found {
				t.Errorf("%s imports %s, which is not embedded", name, p)
			}
		}
	}
}

// TestFilesFor: a source gets the packages that it imports, and what these import, and no
// others.
func TestFilesFor(t *testing.T) {
	folders := func(imports ...string) map[string]bool {
		text := "package main\n"
		for _, p := range imports {
			text += "import _ " + strconv.Quote(p) + "\n"
		}
		list := map[string]bool{}
		for name := range FilesFor([]byte(text)) {
			list[filepath.ToSlash(filepath.Dir(name))] = true
		}
		return list
	}
	if got := folders("math"); len(got) != 0 {
		t.Errorf("the standard library needs %v", got)
	}
	if got := folders("fmt", module+"runtime/vector"); len(got) != 1 || !got["runtime/vector"] {
		t.Errorf("package vector needs %v", got)
	}
	got := folders(module + "runtime/spmd")
	for _, dir := range []string{"runtime/spmd", "runtime/dist", "runtime/transport/inproc", "runtime/outfile", "runtime/record"} {
		if !got[dir] {
			t.Errorf("package spmd comes without %s", dir)
		}
	}
	if got["runtime/vector"] || got["runtime/elementary"] {
		t.Errorf("package spmd comes with %v", got)
	}
}
