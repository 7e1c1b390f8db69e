package driver

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/licences"
	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime"
)

// goVersion is the language version of emitted modules.
const goVersion = "1.26"

// markerName is the file by which spmdc knows a folder that it wrote, and
// which files in it are its own.
const markerName = ".spmdc"

// Tree is the content of a folder to be written: slash-separated relative
// paths to file contents.
type Tree map[string][]byte

// Paths returns the paths of t, sorted.
func (t Tree) Paths() []string { return slices.Sorted(maps.Keys(t)) }

// Module is the emitted Go module of the compilation: main.go, the run-time
// packages that it imports as a module of their own below ./spmdc, the source
// for reference, and the marker. It builds with the Go toolchain alone.
// c.Code must have been emitted; pes is the number of PEs that the README
// suggests, 0 for none.
func Module(c *Compilation, pes int) Tree {
	name := ProgramName(c.File)
	t := Tree{
		"main.go":          c.Code,
		"README.txt":       readme(c, name, pes),
		sourceCopy(c.File): c.Text,
	}
	for _, p := range c.Program().File.Parts()[1:] {
		if file := path.Join("source", filepath.Base(p.Name)); t[file] == nil {
			t[file] = []byte(p.Text)
		}
	}
	maps.Copy(t, c.Kernels)
	if c.Options.Transport != InProcess {
		t[transportFile] = []byte(mpiImport)
	}
	var sources [][]byte
	for p, text := range t {
		if path.Ext(p) == ".go" {
			sources = append(sources, text)
		}
	}
	maps.Copy(t, bundle.Module(modulePathOf(name), goVersion, runtime.FilesFor(sources...)))
	t["go.mod"] = append([]byte("// Written by spmdc; compiling again replaces this folder's generated files.\n"), t["go.mod"]...)
	t[bundle.Folder+"/LICENSE"] = licences.Own
	t[markerName] = marker(t)
	return t
}

// modulePathOf is the path of the module of a program. The prefix keeps it apart from
// packages of the standard library, words of the go command and names of devices, none
// of which can be the path of a module, and the program of go build from the folder of
// the run-time packages.
func modulePathOf(name string) string { return "hpf-" + name }

// sourceCopy is where the module keeps the HPF source: beside main.go, where
// debuggers look for the file that the //line directives name. Fortran's own
// extensions would make the go command refuse the folder, so such a file goes
// one folder down.
func sourceCopy(file string) string {
	base := filepath.Base(file)
	if filepath.Ext(base) == ".hpf" {
		return base
	}
	return path.Join("source", base)
}

// SuggestedPEs is the number of PEs with which messages show how to run a
// program: the user's, or a few when the user gave none.
func SuggestedPEs(n int) int {
	if n > 0 {
		return n
	}
	return 4
}

func readme(c *Compilation, name string, pes int) []byte {
	n := SuggestedPEs(pes)
	var b bytes.Buffer
	fmt.Fprintf(&b, `This folder is the Go program that spmdc made from %s.

  go run . -n %d        run it on %d processing elements (PEs)
  go run . -h          its options
  go build             make the program ./%s

It needs the Go toolchain (%s or later) and nothing else, no network either.

  main.go              the program; "//line" comments point into the source
  %-20s the source
  spmdc/               the run-time packages that the program uses, with their licence
  .spmdc               which files here are generated; compiling again replaces them
`, source.Printable(filepath.Base(c.File)), n, n, modulePathOf(name), goVersion, source.Printable(sourceCopy(c.File)))
	if c.Options.Transport != InProcess {
		fmt.Fprintf(&b, `
For MPI, whose compiler mpicc it then needs:

  CGO_ENABLED=1 CC=mpicc go build -tags mpi
  mpirun -n %d ./%s
`, n, modulePathOf(name))
	}
	fmt.Fprintf(&b, "\nMade with --sync=%s", c.Options.Sync)
	if c.Options.Check {
		b.WriteString(" and --check: array bounds and undefined values are checked as it runs")
	}
	b.WriteString(".\n")
	return b.Bytes()
}

const markerHead = "Folder written by spmdc. Compiling again replaces the files named here and keeps all others.\n"

func marker(t Tree) []byte {
	var b bytes.Buffer
	b.WriteString(markerHead)
	for _, p := range t.Paths() {
		fmt.Fprintf(&b, "%s\n", p)
	}
	return b.Bytes()
}

// ownFiles reads a marker back: the paths that spmdc wrote.
func ownFiles(marker []byte) (own map[string]bool, ok bool) {
	rest, ok := bytes.CutPrefix(marker, []byte(markerHead))
	if !ok {
		return nil, false
	}
	own = map[string]bool{markerName: true}
	for line := range strings.Lines(string(rest)) {
		own[strings.TrimSuffix(line, "\n")] = true
	}
	return own, true
}
