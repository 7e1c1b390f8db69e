package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
)

// kernelPrograms have loops that become vector kernels, loops around others that do, and
// nests over the rows of sparse matrices.
var kernelPrograms = []string{"kernels", "nests", "rows", "strides", "functions", "alone", "rings", "parity", "chains", "blocks", "steps", "tails"}

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
		name, source, input string
		wraps               bool
	}
	var cases []one
	for _, name := range kernelPrograms {
		cases = append(cases, one{name: name, source: numeric(name).source})
	}
	dir := t.TempDir()
	for seed := range effort.Of(8, 1) {
		p := randprog.Sample(uint64(500 + seed))
		source := filepath.Join(dir, fmt.Sprintf("random%d.hpf", seed))
		if err := os.WriteFile(source, []byte(p.Source), 0o666); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, one{filepath.Base(source), source, p.Input, p.Wraps})
	}
	mains := map[string][]byte{}
	called, rows := 0, 0
	name := func(c one, form string) string { return c.name + " " + form }
	for _, c := range cases {
		for _, line := range forms {
			for _, form := range line {
				text, err := emit(c.source, plans[0], strings.Fields(form)...)
				if err != nil {
					t.Fatalf("%s %s: %v", c.name, form, err)
				}
				mains[name(c, form)] = text
				called += strings.Count(string(text), "VZEROUPPER")
				if c.name == "rows" {
					rows += strings.Count(string(text), "TEXT ·rows")
				}
			}
		}
	}
	if called < 20*(len(cases)-1) {
		t.Errorf("%d programs have %d kernels in assembly", len(cases), called)
	}
	if rows != 5*5 {
		t.Errorf("%d nests over rows in assembly, want 5 in each of 5 forms", rows)
	}
	path, err := bundle.Build(filepath.Join(dir, "bundle"), mains)
	if err != nil {
		t.Fatal(err)
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
					got, err := command(c.input, bundle.Program{Path: path, Name: name(c, form)}, "-n", n)
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
