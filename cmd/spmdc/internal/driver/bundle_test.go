package driver

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrefixed(t *testing.T) {
	const text = `package main

import "github.com/spmdc/spmdc/runtime/spmd"

var program = spmd.Program{Name: "run"} // program

func main() { spmd.Main(program, run) }

func run(pe *spmd.PE) {
	x := pe.program + half(1)
	for half := range x.half.run {
		_ = func(run int) int { return run + half }
	}
}

func half(x int) int { const program = 2; return x / program }
`
	got, err := prefixed([]byte(text), "p7_")
	want := strings.NewReplacer("var program", "var p7_program", "func main", "func p7_main", "(program, run)", "(p7_program, p7_run)",
		"func run", "func p7_run", "+ half", "+ p7_half", "for half", "for p7_half", "(run int", "(p7_run int", "return run", "return p7_run",
		"func half", "func p7_half", "const program", "const p7_program", "x / program", "x / p7_program").Replace(text)
	if err != nil || string(got) != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, got, want)
	}
	if _, err := prefixed([]byte("package main\nvar x = 'ab"), "p_"); err == nil {
		t.Error("what is no Go is taken")
	}
}

// A bundle runs each of its programs, whatever the others call their functions.
func TestBundle(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal(err)
	}
	mains := map[string][]byte{}
	for _, name := range []string{"one", "two"} {
		c := New(name+".hpf", []byte("program "+name+"\n  print *, '"+name+"'\nend program\n"), Options{})
		if err := Passes().Run(c, RunOptions{}); err != nil {
			t.Fatal(err)
		}
		mains[name] = c.Code
	}
	program, err := Bundle(filepath.Join(t.TempDir(), "bundle"), mains)
	if err != nil {
		t.Fatal(err)
	}
	var requests []byte
	for _, name := range []string{"two", "one"} {
		requests = binary.AppendUvarint(requests, 4)
		for _, w := range []string{name, "", "-n", "1"} {
			requests = append(binary.AppendUvarint(requests, uint64(len(w))), w...)
		}
	}
	cmd := exec.Command(program)
	cmd.Stdin = bytes.NewReader(requests)
	out, err := cmd.CombinedOutput()
	one, two := bytes.Index(out, []byte(" one\n")), bytes.Index(out, []byte(" two\n"))
	if err != nil || two < 0 || one < two {
		t.Errorf("%v: %q", err, out)
	}
	mains["three"] = []byte("package main\n\nvar program, run = 1, 2\n")
	if _, err := Bundle(filepath.Join(t.TempDir(), "bundle"), mains); err == nil || !strings.Contains(err.Error(), "the Go compiler refuses the emitted program") {
		t.Errorf("a bundle that is no Go program: %v", err)
	}
}
