package driver

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/parser/scan"
)

func TestProgramName(t *testing.T) {
	for path, want := range map[string]string{
		"jacobi.hpf":                      "jacobi",
		"/a/b.c/Tred2.F90":                "tred2",
		"my prog (2).hpf":                 "my-prog--2",
		".hpf":                            "program",
		"été.f90":                         "t",
		"a.b.hpf":                         "a-b",
		"-rf.hpf":                         "rf",
		"../x_1.hpf":                      "x_1",
		"\"; import os\".hpf":             "import-os",
		strings.Repeat("x", 250) + ".hpf": strings.Repeat("x", 100),
	} {
		if got := ProgramName(path); got != want {
			t.Errorf("ProgramName(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestModulePaths: the go command takes the path of every module, also where the program
// is called as a package of the standard library, a word of its own or a device.
func TestModulePaths(t *testing.T) {
	names := strings.Fields(`all std cmd tool work c main test internal vendor example command-line-arguments
		aux con prn nul com1 com9 lpt1 go toolchain module require replace spmdc fmt unsafe 1 a_test windows amd64`)
	names = append(names, ProgramName(strings.Repeat("Long", 60)+".hpf"), ProgramName("\u202e.hpf"))
	for _, name := range names {
		if !effort.Share(name, 8) {
			continue
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module "+modulePathOf(name)+"\n\ngo "+goVersion+"\n")
		write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
		cmd := exec.Command("go", "list", "-mod=mod", "-deps", ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "\n"+modulePathOf(name)+"\n") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestReadSourceRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"prog.c", "noext", "bad\nname.hpf"} {
		write(t, filepath.Join(dir, name), "end\n")
	}
	tests := []struct{ path, want string }{
		{"nope.hpf", "no such file"},
		{"", "is a folder"},
		{"prog.c", `unknown extension ".c"`},
		{"noext", "no extension"},
		{"bad\nname.hpf", "control characters"},
		{"prog.c/x.hpf", "not a directory"},
	}
	for _, test := range tests {
		_, err := ReadSource(filepath.Join(dir, test.path), "")
		f, ok := err.(*Failure)
		if !ok || f.Status != StatusUsage || f.Remedy == "" || !strings.Contains(f.Text, test.want) {
			t.Errorf("ReadSource(%q): %v, want a usage error with a remedy and %q", test.path, err, test.want)
		}
	}
	for _, ext := range slices.Concat(scan.FreeExtensions, scan.FixedExtensions) {
		path := filepath.Join(dir, "ok"+ext)
		write(t, path, "end\n")
		if text, err := ReadSource(path, ""); err != nil || string(text) != "end\n" {
			t.Errorf("ReadSource(%q) = %q, %v", path, text, err)
		}
	}
}
