package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
)

// wrapped are programs whose INTEGER arithmetic overflows, and whether the outputs beside
// them are those of gfortran -fwrapv: that does not end loops in steps of one at the
// largest value of their kind.
var wrapped = map[string]bool{"operators.hpf": true, "random.hpf": true, "loops.hpf": false, "images.f90": false}

// TestWrapping: INTEGER of both kinds wraps in every operation, on any number of PEs,
// under all plans.
func TestWrapping(t *testing.T) {
	for name := range wrapped {
		source := filepath.Join("testdata", "wrap", name)
		want, err := os.ReadFile(beside(source, ".out"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, plan := range chosenPlans() {
				if i > 0 && filepath.Ext(name) != ".hpf" {
					break
				}
				program := build(t, source, plan)
				for _, n := range []int{1, 2, 3, 7} {
					got := run(t, beside(source, ".in"), program, "-n", fmt.Sprint(n))
					if err := compare.Outputs(string(want), got, compare.Default); err != nil {
						t.Errorf("%s on %d PEs: %v", plan, n, err)
					}
				}
			}
		})
	}
}

// TestWrappingGfortran: the outputs of TestWrapping are gfortran's.
func TestWrappingGfortran(t *testing.T) {
	effort.Tool(t, "gfortran", "gfortran")
	for name, same := range wrapped {
		if !effort.Share(name, 2) {
			continue
		}
		source := filepath.Join("testdata", "wrap", name)
		program := filepath.Join(t.TempDir(), "program")
		out, err := exec.Command("gfortran", "-x", "f95", "-ffree-form", "-fcoarray=single", "-fwrapv", "-o", program, source).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if !same && name != "images.f90" {
			continue
		}
		want, err := os.ReadFile(beside(source, ".out"))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		if text, err := os.ReadFile(beside(source, ".in")); err == nil {
			cmd.Stdin = strings.NewReader(string(text))
		}
		got, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := compare.Outputs(string(want), string(got), compare.Default); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOverflowChecked: --check reports the operation that overflows INTEGER(4), also where
// its value goes into something larger. Without it nothing is reported.
func TestOverflowChecked(t *testing.T) {
	source := filepath.Join("testdata", "wrap", "overflow.hpf")
	checked, plain := build(t, source, plans[0], "--check"), build(t, source, plans[0])
	for i, want := range []string{
		"17: n+1 is 2147483648", "18: m-1 is -2147483649", "19: n*2 is 4294967294", "20: -m is 2147483648",
		"21: abs(m) is 2147483648", "22: n**2 is too large", "23: 2**(n/69273666) is too large", "24: w is 2147483648",
		"25: w is 2147483648", "26: x is 3e+09", "27: nint(x) is 3000000000", "28: floor(-x) is -3000000000",
		"29: sign(m,1) is 2147483648", "30: dim(n,m) is 4294967295", "31: m/(m/n) is 2147483648", "32: n+1 is 2147483648",
		"33: n*2 is 4294967294", "36: a(k)*a(k) is 4294967296", "",
	} {
		input := filepath.Join(t.TempDir(), "input")
		if err := os.WriteFile(input, fmt.Appendln(nil, i+1), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := tryRun(input, checked, "-n", "2")
		switch line, what, fails := strings.Cut(want, ": "); {
		case !fails && (err != nil || out != " no overflow\n"):
			t.Errorf("case %d: %q, %v", i+1, out, err)
		case fails && (err == nil || !strings.Contains(err.Error(), "overflow.hpf:"+line+": PE ") || !strings.Contains(err.Error(), "integer overflow: "+what+"\n")):
			t.Errorf("case %d: %v, want %q", i+1, err, want)
		}
		if i+1 == 17 {
			continue // the value that wraps is no subscript where subscripts are sums
		}
		if out, err := tryRun(input, plain, "-n", "2"); err != nil || out != " no overflow\n" {
			t.Errorf("case %d without --check: %q, %v", i+1, out, err)
		}
	}
}
