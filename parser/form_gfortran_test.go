package parser_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/fixedform"
	"github.com/spmdc/spmdc/internal/randprog"
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
	for seed := range uint64(effort.Of(100, 8)) {
		free := randprog.Sample(seed).Source
		fixed := fixedform.Print(free, rand.New(rand.NewPCG(seed, 1)))
		if diff := cmp.Diff(dump("free.f90", free), dump("fixed.f", fixed)); diff != "" {
			t.Fatalf("%s\n%s", fmt.Sprint(seed, diff), fixed)
		}
	}
}
