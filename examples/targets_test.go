package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
)

// kernelPrograms have loops that become vector kernels, loops around others that do, and
// nests over the rows of sparse matrices.
var kernelPrograms = []string{"rows", "kernels", "nests", "strides", "functions", "alone", "rings", "parity", "chains", "blocks", "steps", "tails", "cutoff", "listed", "handover", "complexkernels", "complexplaces", "crowds", "longdivision"}

// TestKernels: they compute what gfortran's programs do.
func TestKernels(t *testing.T) {
	for _, name := range kernelPrograms {
		t.Run(name, func(t *testing.T) {
			e := numeric(name)
			checkBoth(t, e, plans[0])
		})
	}
}

// forms are the ways to build a program that give the same bits: in each line the first is
// compared with the others.
var forms = [][]string{
	{"--target=go", "--target=avx2", "--target=avx512", "--check"},
	{"--target=go --fp=fast", "--target=avx2 --fp=fast", "--target=auto --fp=fast", "--check --fp=fast"},
	{"--target=go --fp=strict", "--fp=strict", "--check --fp=strict"},
}

// TestTargets: all targets, and builds with checks, print the same digits on a number of PEs.
func TestTargets(t *testing.T) {
	t.Parallel()
	type one struct {
		name, input string
		wraps       bool
	}
	var cases []one
	sources := map[string]string{}
	sample := effort.Sample(8)
	for _, name := range kernelPrograms {
		if !sample() {
			continue
		}
		cases = append(cases, one{name: name})
		sources[name] = numeric(name).source
	}
	dir := t.TempDir()
	forms := forms[:effort.Of(len(forms), 1)]
	assembly := 0
	for _, form := range slices.Concat(forms...) {
		if !strings.Contains(form, "--target=go") && !strings.Contains(form, "--check") {
			assembly++
		}
	}
	for seed := range effort.Of(8, 0) {
		p := randprog.Sample(uint64(500 + seed))
		c := one{fmt.Sprintf("random%d", seed), p.Input, p.Wraps}
		sources[c.name] = filepath.Join(dir, c.name+".hpf")
		if err := os.WriteFile(sources[c.name], []byte(p.Source), 0o666); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	program := variants(t, sources, slices.Concat(forms...))
	called, rows := 0, 0
	for _, c := range cases {
		for _, form := range slices.Concat(forms...) {
			_, text := program(c.name, form)
			called += strings.Count(string(text), "VZEROUPPER")
			if c.name == "rows" {
				rows += strings.Count(string(text), "TEXT ·rows")
			}
		}
	}
	if called < 4*assembly*(len(cases)-1) {
		t.Errorf("%d programs have %d kernels in assembly", len(cases), called)
	}
	if rows != 13*assembly { // five of them once more, for a PE that runs alone
		t.Errorf("%d nests over rows in assembly, want 13 in each of %d forms", rows, assembly)
	}
	if runtime.GOARCH != "amd64" {
		t.Log("the assembly is for amd64: only Go was compared")
	}
	for _, c := range cases {
		for _, line := range forms {
			for _, n := range []string{"1", "3"} {
				want := ""
				for i, form := range line {
					if c.wraps && strings.Contains(form, "--check") {
						continue // it reports integers that wrap
					}
					p, _ := program(c.name, form)
					got, err := command(c.input, p, "-n", n)
					if err != nil {
						t.Errorf("%s %s on %s PEs: %v", c.name, form, n, err)
					}
					if i == 0 {
						want = got
					} else if got != want {
						t.Errorf("%s %s on %s PEs prints\n%swith %s\n%s", c.name, form, n, got, line[0], want)
					}
				}
			}
		}
	}
}
