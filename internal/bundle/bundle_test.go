package bundle

import (
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
	const other = "package main\n\nfunc main() { half(program) }\n"
	own := Split(Join(map[string][]byte{"main.go": []byte(text), "x.go": []byte(other), "x.s": []byte("TEXT ·half(SB)\n")}))
	err := prefixed(own, "p7_")
	got := own["main.go"]
	if x := string(own["x.go"]) + string(own["x.s"]); x != "package main\n\nfunc p7_main() { p7_half(p7_program) }\nTEXT ·p7_half(SB)\n" {
		t.Errorf("other files:\n%s", x)
	}
	want := strings.NewReplacer("var program", "var p7_program", "func main", "func p7_main", "(program, run)", "(p7_program, p7_run)",
		"func run", "func p7_run", "+ half", "+ p7_half", "for half", "for p7_half", "(run int", "(p7_run int", "return run", "return p7_run",
		"func half", "func p7_half", "const program", "const p7_program", "x / program", "x / p7_program").Replace(text)
	if err != nil || string(got) != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, got, want)
	}
	if err := prefixed(map[string][]byte{"main.go": []byte("package main\nvar x = 'ab")}, "p_"); err == nil {
		t.Error("what is no Go is taken")
	}
}
