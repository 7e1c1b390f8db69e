package parser_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/internal/sourceform"
)

// TestFormsWithGfortran: gfortran too reads the same program in both forms, so
// that what Print writes is fixed form and not only what the scanner takes for it.
func TestFormsWithGfortran(t *testing.T) {
	effort.Tool(t, "gfortran", "gfortran")
	dir := t.TempDir()
	names := regexp.MustCompile(`(?m)^.*(free|fixed)\.f.*$`)
	dump := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("gfortran", "-w", "-fsyntax-only", "-fdump-fortran-original", path).CombinedOutput()
		if err != nil {
			t.Fatalf("gfortran: %v\n%s\n%s", err, out, text)
		}
		if len(out) < 1000 {
			t.Fatalf("gfortran shows no tree: %s", out)
		}
		return names.ReplaceAllString(string(out), "")
	}
	for seed := range uint64(effort.Of(100, 6)) {
		free := randprog.Sample(seed).Source
		if seed%2 == 1 {
			free = randprog.Arrays(seed).Source
		}
		want := dump("free.f90", free)
		for file, print := range map[string]func(string, sourceform.Source) string{"fixed.f": sourceform.Fixed, "free.f90": sourceform.Free} {
			text := print(free, rand.New(rand.NewPCG(seed, 1)))
			if file == "free.f90" { // gfortran takes no tab behind PRINT
				text = strings.ReplaceAll(text, "\t", " ")
			}
			if diff := cmp.Diff(want, dump(file, text)); diff != "" {
				t.Fatalf("%s, %s\n%s", fmt.Sprint(seed), diff, text)
			}
		}
	}
}
