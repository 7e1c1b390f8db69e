package examples_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
)

// formPrograms are the programs of testdata/forms, of one file or several, of either
// source form; NAME.out is what gfortran's program prints. The files stand in an
// order in which gfortran can compile them: spmdc gets them the other way round.
var formPrograms = []struct {
	name  string
	files []string
	flags []string
}{
	{"heat", []string{"heat/heat.f"}, nil},
	{"modules", []string{"modules/modules.f90"}, nil},
	{"odd", []string{"odd/odd.f"}, nil},
	{"several", []string{"several/sizes.f90", "several/tables.F90", "several/main.F"}, nil},
	{"parts", []string{"parts/main.f", "parts/procedures.f"}, nil},
	{"several-big", []string{"several/sizes.f90", "several/tables.F90", "several/main.F"}, []string{"-DBIG", "-DCUBES=1", "-DN=12"}},
}

// TestForms: programs of all source forms, of several files, with files that they
// include and lines for the preprocessor, print what gfortran's programs print.
func TestForms(t *testing.T) {
	texts := map[string][]byte{}
	for _, p := range formPrograms {
		for _, check := range [][]string{nil, {"--check"}}[:effort.Of(2, 1)] {
			files := slices.Clone(formPaths(p.files))
			slices.Reverse(files)
			args := slices.Concat([]string{"explain", "--verify-passes"}, check, p.flags, files, []string{"code"})
			texts[strings.Join(append([]string{p.name}, check...), " ")] = spmdc(t, args...)
		}
	}
	path, err := bundletest.Build(t.TempDir(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for name := range texts {
		base, _, _ := strings.Cut(name, " ")
		want, err := os.ReadFile("testdata/forms/" + base + ".out")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"1", "2", "5"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			out, err := bundletest.Program{Path: path, Name: name}.CommandContext(ctx, "-n", n).Output()
			cancel()
			if err != nil {
				t.Errorf("%s on %s PEs: %v\n%s", name, n, err, out)
			} else if err := compare.Outputs(string(want), string(out), compare.Default); err != nil {
				t.Errorf("%s on %s PEs: %v", name, n, err)
			}
		}
	}
}

// TestFormsOutputs: the expected outputs are gfortran's.
func TestFormsOutputs(t *testing.T) {
	effort.Tool(t, "gfortran", "gfortran")
	for _, p := range formPrograms {
		if !effort.Share(p.name, 3) && !*update {
			continue
		}
		dir := t.TempDir()
		program := filepath.Join(dir, "program")
		args := slices.Concat(p.flags, []string{"-O1", "-ffp-contract=off", "-J", dir, "-Itestdata/forms/several/inc", "-o", program}, formPaths(p.files))
		if out, err := exec.Command("gfortran", args...).CombinedOutput(); err != nil {
			t.Fatalf("gfortran: %v\n%s", err, out)
		}
		out, err := exec.Command(program).Output()
		if err != nil {
			t.Fatal(err)
		}
		file := "testdata/forms/" + p.name + ".out"
		if *update {
			if err := os.WriteFile(file, out, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != string(out) {
			t.Errorf("%s is not what gfortran's program prints: %v", file, err)
		}
	}
}

// formPaths are the paths of files of testdata/forms.
func formPaths(files []string) []string {
	var out []string
	for _, f := range files {
		out = append(out, "testdata/forms/"+f)
	}
	return out
}
