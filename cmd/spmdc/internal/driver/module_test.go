package driver

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestProgramName(t *testing.T) {
	for path, want := range map[string]string{
		"jacobi.hpf":          "jacobi",
		"/a/b.c/Tred2.F90":    "tred2",
		"my prog (2).hpf":     "my-prog--2",
		".hpf":                "program",
		"été.f90":             "t",
		"a.b.hpf":             "a-b",
		"-rf.hpf":             "rf",
		"../x_1.hpf":          "x_1",
		"\"; import os\".hpf": "import-os",
	} {
		if got := ProgramName(path); got != want {
			t.Errorf("ProgramName(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestReserved: the names that are no module paths are exactly the one-word
// packages of the standard library, and the words of the go command.
func TestReserved(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range strings.Fields(string(out)) {
		if !strings.Contains(p, "/") && !slices.Contains(reserved, p) {
			t.Errorf("package %s of the standard library is not reserved", p)
		}
	}
	for _, word := range []string{"all", "std", "cmd", "tool", "work", "c"} {
		if modulePathOf(word) == word {
			t.Errorf("%s is taken as a module path", word)
		}
	}
	if got := modulePathOf("jacobi"); got != "jacobi" {
		t.Errorf("modulePathOf(jacobi) = %s", got)
	}
}

func TestReadSourceRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"fixed.f", "FIXED.F", "prog.c", "noext", "bad\nname.hpf"} {
		write(t, filepath.Join(dir, name), "end\n")
	}
	tests := []struct{ path, want string }{
		{"nope.hpf", "no such file"},
		{"", "is a folder"},
		{"fixed.f", "fixed form is not supported yet"},
		{"FIXED.F", "fixed form is not supported yet"},
		{"prog.c", `unknown extension ".c"`},
		{"noext", "no extension"},
		{"bad\nname.hpf", "control characters"},
		{"fixed.f/x.hpf", "not a directory"},
	}
	for _, test := range tests {
		_, err := ReadSource(filepath.Join(dir, test.path))
		f, ok := err.(*Failure)
		if !ok || f.Status != StatusUsage || f.Remedy == "" || !strings.Contains(f.Text, test.want) {
			t.Errorf("ReadSource(%q): %v, want a usage error with a remedy and %q", test.path, err, test.want)
		}
	}
	for _, ext := range freeForm {
		path := filepath.Join(dir, "ok"+ext)
		write(t, path, "end\n")
		if text, err := ReadSource(path); err != nil || string(text) != "end\n" {
			t.Errorf("ReadSource(%q) = %q, %v", path, text, err)
		}
	}
}
