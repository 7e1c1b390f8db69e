package examples_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
)

func numeric(name string) example {
	dir := "testdata/numbers/"
	return example{name: name, source: dir + name + ".hpf", out: dir + name + ".out"}
}

// sourcesOf are the sources of such programs, by name.
func sourcesOf(names ...string) map[string]string {
	sources := map[string]string{}
	for _, name := range names {
		sources[name] = numeric(name).source
	}
	return sources
}

// checkNumbers runs e under plans, and a check build of the first where all is to be tried.
func checkNumbers(t *testing.T, e example, plans ...string) {
	type variant struct {
		plan  string
		flags []string
	}
	var variants []variant
	if effort.All() {
		variants = append(variants, variant{plans[0], []string{"--check"}})
	}
	for _, plan := range plans {
		variants = append(variants, variant{plan: plan})
	}
	for _, v := range variants {
		t.Run(strings.Join(append(v.flags, v.plan), " "), func(t *testing.T) {
			t.Parallel()
			sameProgram(t, e.source, v.plan, v.flags...)
			program := build(t, e.source, v.plan, v.flags...)
			for _, n := range []int{1, 2, 3, 5} {
				e.check(t, program, n)
			}
		})
	}
}

// checkBoth is checkNumbers, and checks that what e is to print is what gfortran's program
// prints.
func checkBoth(t *testing.T, e example, plans ...string) {
	checkNumbers(t, e, plans...)
	t.Run("gfortran", func(t *testing.T) {
		t.Parallel()
		checkGfortran(t, e)
	})
}

// TestBoundsThatChange: loops that change what their bounds read.
func TestBoundsThatChange(t *testing.T) {
	checkBoth(t, numeric("bounds"), chosenPlans()...)
}

// TestParity: colours of a grid by remainders, and pairs that are exchanged.
func TestParity(t *testing.T) {
	checkBoth(t, numeric("parity"), chosenPlans()...)
}

// TestBlockCyclic: arrays that are dealt out in blocks, CYCLIC(k).
func TestBlockCyclic(t *testing.T) {
	checkBoth(t, numeric("blockcyclic"), chosenPlans()...)
}

// TestBeyond: a reduction over two arrays, of which one has more elements.
func TestBeyond(t *testing.T) {
	checkBoth(t, numeric("beyond"), plans[0])
}

// TestGuardedExtremes: NaNs in "if (e > s) s = e".
func TestGuardedExtremes(t *testing.T) {
	checkBoth(t, numeric("guarded"), plans[0])
}

// TestNaNLoses states the rule for NaNs and zeros in max and min, which gfortran
// does not have: every line says T.
func TestNaNLoses(t *testing.T) {
	checkNumbers(t, numeric("nan"), plans[0])
}

// TestShortCircuit: what .and. and .or. do not need is not evaluated, and a reduction
// divides by nothing that the loop would not have divided by.
func TestShortCircuit(t *testing.T) {
	e := numeric("short")
	checkNumbers(t, e, plans[0])
	// gfortran evaluates both sides. It is told not to by IFs.
	t.Run("gfortran", func(t *testing.T) {
		t.Parallel()
		text, err := os.ReadFile(e.source)
		if err != nil {
			t.Fatal(err)
		}
		and := regexp.MustCompile(`(?m)^ *(\w+) = (\w+) \.and\. `)
		or := regexp.MustCompile(`(?m)^ *(\w+) = (\w+) \.or\. `)
		if len(and.FindAll(text, -1)) < 4 || len(or.FindAll(text, -1)) < 2 {
			t.Fatalf("%s has not the form that the test knows", e.source)
		}
		text = and.ReplaceAll(text, []byte("if ($1) $2 = "))
		text = or.ReplaceAll(text, []byte("if (.not. $1) $2 = "))
		e.source = filepath.Join(t.TempDir(), "ifs.hpf")
		if err := os.WriteFile(e.source, text, 0o666); err != nil {
			t.Fatal(err)
		}
		checkGfortran(t, e)
	})
}

// TestOwnersThatAreNot: a communication replaces another only if its consumers are there: at
// one position of a template an array may have an element where another one has none.
func TestOwnersThatAreNot(t *testing.T) {
	checkBoth(t, numeric("owners"), chosenPlans()...)
}

// TestNeighboursOfOthers: an overlap serves references from the positions of other arrays.
func TestNeighboursOfOthers(t *testing.T) { checkBoth(t, numeric("neighbours"), chosenPlans()...) }

// TestPlanesThatMayBeOne: a kernel is used where they are two.
func TestPlanesThatMayBeOne(t *testing.T) { checkBoth(t, numeric("planes"), plans[0]) }

// TestDistances: kernels take the iterations of which all elements are there, and conditions
// keep the others from those that are not.
func TestDistances(t *testing.T) { checkBoth(t, numeric("distances"), plans[0]) }

// TestArgmin: loops in strips that accumulate, too.
func TestArgmin(t *testing.T) { checkBoth(t, numeric("argmin"), plans[0]) }

// TestPlaces: extremes that PEs find in their parts, with the places where they are.
func TestPlaces(t *testing.T) { checkBoth(t, numeric("places"), plans[0]) }

// TestTexts: parts of texts are assigned and compared in loops.
func TestTexts(t *testing.T) { checkBoth(t, numeric("texts"), plans[0]) }

// TestTextParts: parts of texts are kept while loops change the texts.
func TestTextParts(t *testing.T) { checkBoth(t, numeric("textparts"), plans[0]) }

// TestSingleElements: an element that is alone on its PE is found from iterations in which
// there is none.
func TestSingleElements(t *testing.T) { checkBoth(t, numeric("single"), chosenPlans()...) }

// TestAlone: loops that one PE executes without communications, on 1 PE and on more.
func TestAlone(t *testing.T) { checkBoth(t, numeric("alone"), chosenPlans()...) }

// TestExtremesOfColumns: what the largest and smallest values of columns are that one kernel
// computes at once.
func TestExtremesOfColumns(t *testing.T) { checkBoth(t, numeric("extremes"), plans[0]) }

// TestFunctions: functions, rounding and LOGICAL arrays in loops that are kernels, of all
// arguments.
func TestFunctions(t *testing.T) { checkBoth(t, numeric("functions"), plans[0]) }

// TestCarried: values that one iteration leaves for the next.
func TestCarried(t *testing.T) { checkBoth(t, numeric("carried"), plans[0]) }

// TestSkewed: loops of which PEs have other iterations each time.
func TestSkewed(t *testing.T) { checkBoth(t, numeric("skewed"), plans[0]) }

// TestStepped: sums and extremes in loops of which all PEs execute every iteration.
func TestStepped(t *testing.T) { checkBoth(t, numeric("stepped"), plans[0]) }

// TestFused: nests that are fused, in strips of all sizes, compute what they do
// one after another. Three rows of nests stand in the form of a loop for one PE too.
func TestFused(t *testing.T) {
	for name, want := range map[string][2]int{"turns": {8, 0}, "turnsums": {13, 1}, "turnbounds": {1, 0}} {
		e := numeric(name)
		t.Run(name, func(t *testing.T) {
			code, err := shared.bundles.emitted(e.source, plans[0])
			if err != nil {
				t.Fatal(err)
			}
			rows := bytes.Count(code, []byte("fused in strips"))
			shared := bytes.Count(code, []byte("pe.ReductionStrip("))
			if got := [2]int{rows, shared}; got != want {
				t.Errorf("%v rows of nests, of which with reductions in strips, want %v", got, want)
			}
			checkBoth(t, e, plans[0])
		})
	}
	t.Run("strips", func(t *testing.T) {
		t.Parallel()
		names := []string{"turnbounds", "turns", "turnsums"}[:effort.Of(3, 1)]
		forms := []string{"--strip=2", "--strip=none", "--strip=1", "--strip=3"}[:effort.Of(4, 2)]
		program := variants(t, sourcesOf(names...), forms)
		for _, name := range names {
			for _, form := range forms {
				for _, n := range []int{1, 2, 3, 5} {
					p, _ := program(name, form)
					numeric(name).check(t, p, n)
				}
			}
		}
	})
}

// TestNobodyEvaluates: what a condition reads is sent only in iterations that somebody
// executes, and counts as a message only there.
func TestNobodyEvaluates(t *testing.T) {
	checkBoth(t, numeric("nobody"), chosenPlans()...)
}

// TestPairs: sums under conditions are computed by owners that each iteration has.
func TestPairs(t *testing.T) {
	checkBoth(t, numeric("pairs"), chosenPlans()...)
}

// TestInPlace: what one PE reads in place, others copy.
func TestInPlace(t *testing.T) {
	checkBoth(t, numeric("inplace"), chosenPlans()...)
}

// TestVariableSteps: whoever owns an element executes its iteration, whatever the step.
func TestVariableSteps(t *testing.T) {
	checkBoth(t, numeric("steps"), chosenPlans()...)
}

// TestPeriodic: scalars that flip between two values.
func TestPeriodic(t *testing.T) {
	checkBoth(t, numeric("periodic"), chosenPlans()...)
}

// TestRedistributed: rows that are the work of one PE each, on copies of the arrays.
func TestRedistributed(t *testing.T) {
	checkBoth(t, numeric("redistribute"), chosenPlans()...)
}

// TestDoublingSteps: steps and distances that are multiples of one variable.
func TestDoublingSteps(t *testing.T) {
	checkBoth(t, numeric("doubling"), chosenPlans()...)
}

// TestListsThatStay: lists of irregular communications are made anew where what they depend
// on may have changed, and only there.
func TestListsThatStay(t *testing.T) {
	e := numeric("lists")
	checkNumbers(t, e, chosenPlans()...)
	t.Run("kept", func(t *testing.T) {
		t.Parallel()
		code, err := shared.bundles.emitted(e.source, plans[0])
		if err != nil {
			t.Fatal(err)
		}
		// Of lines 21 and 79, the latter over two loops.
		got := regexp.MustCompile(`// nothing that the list depends on changes in the loop of line (\d+)`).FindAllStringSubmatch(string(code), -1)
		if len(got) != 2 || got[0][1] != "19" || got[1][1] != "75" {
			t.Errorf("lists that stay: %v", got)
		}
	})
	t.Run("gfortran", func(t *testing.T) {
		t.Parallel()
		checkGfortran(t, e)
	})
}

// TestOrderOnOnePE: with --fp=strict on one PE every bit is that of the order of the source.
func TestOrderOnOnePE(t *testing.T) {
	names := []string{"order", "chains", "triangles", "blocks"}[:effort.Of(4, 1)]
	for _, name := range names {
		t.Run(name+" gfortran", func(t *testing.T) {
			t.Parallel()
			checkGfortran(t, numeric(name))
		})
	}
	t.Run("bits", func(t *testing.T) {
		t.Parallel()
		forms := []string{"--fp=strict --check", "--fp=strict --target=go", "--fp=strict --target=avx2", "--fp=strict --target=avx512"}
		program := variants(t, sourcesOf(names...), forms)
		for _, name := range names {
			for _, form := range forms {
				p, _ := program(name, form)
				got := run(t, "", p, "-n", "1")
				if err := compare.Outputs(numeric(name).want(t), got, compare.Tolerance{}); err != nil {
					t.Errorf("%s %s: %v", name, form, err)
				}
			}
		}
	})
}

// TestArrays: assignments of arrays and sections, WHERE, FORALL, DO CONCURRENT, and
// functions of arrays, with and without distribution.
func TestArrays(t *testing.T) {
	for _, name := range []string{"arraysections", "where", "arraymasks", "arrayfunctions"} {
		t.Run(name, func(t *testing.T) { checkBoth(t, numeric(name), chosenPlans()...) })
	}
}

// TestZeroKeepsItsSign: a sum that starts from -0.0 and adds -0.0 stays -0.0, on
// any number of PEs, and on those that own nothing.
func TestZeroKeepsItsSign(t *testing.T) {
	checkBoth(t, numeric("zeros"), plans[0])
}

// folded are expressions with operands in place of $1 and $2: as constants, which
// the compiler folds, and as variables.
var folded = []struct {
	text     string
	operands []string // "x y", of one type
}{
	{"$1", []string{"-0d0", "0d0", "-0.0", "7"}},
	{"-$1", []string{"0d0", "-0d0", "0.0", "1.5d0"}},
	{"-($1)", []string{"0d0", "-0d0", "0.0"}},
	{"abs($1)", []string{"-0d0", "-2.5d0", "-0.0", "-3"}},
	{"aint($1)", []string{"-0.5d0", "0.5d0", "-2.7d0", "-0d0", "-0.5"}},
	{"anint($1)", []string{"-0.4d0", "-0.5d0", "0.5d0", "2.5d0", "-2.5d0", "0.49999999999999994d0", "-0.4"}},
	{"nint($1)", []string{"-0.4d0", "-0.5d0", "2.5d0", "-2.5d0", "0.49999999999999994d0", "2.5"}},
	{"floor($1)", []string{"-0.5d0", "-2d0", "2.5d0", "-0d0", "-0.5"}},
	{"ceiling($1)", []string{"-0.5d0", "-2d0", "2.5d0", "-0d0", "-0.5"}},
	{"int($1)", []string{"-0.5d0", "-2.7d0", "2.7d0", "2.7"}},
	{"real($1)", []string{"-0d0", "0.1d0", "16777217", "33554435", "-7"}},
	{"dble($1)", []string{"-0.0", "0.1", "7"}},
	{"sqrt($1)", []string{"-0d0", "2d0", "2.0", "0.0"}},
	{"exp($1)", []string{"-0d0", "1d0", "1.0"}},
	{"sin($1)", []string{"-0d0", "1d0", "1.0"}},
	{"atan($1)", []string{"-0d0", "1d0"}},
	{"log($1)", []string{"1d0", "10d0", "10.0"}},
	{"$1 + $2", []string{"-0d0 -0d0", "-0d0 0d0", "0d0 -0d0", "1d0 -1d0", "0.1 0.2"}},
	{"$1 - $2", []string{"-0d0 0d0", "0d0 0d0", "-0d0 -0d0", "0.3 0.1"}},
	{"$1*$2", []string{"-1d0 0d0", "-0d0 -3d0", "0.0 -2.0", "0.1 0.3"}},
	{"$1/$2", []string{"-0d0 3d0", "0d0 -3d0", "1d0 3d0", "1.0 3.0", "-7 2"}},
	{"mod($1, $2)", []string{"-3d0 3d0", "3d0 -3d0", "-5d0 3d0", "5d0 -3d0", "-0d0 3d0", "-3.0 3.0", "5.3 0.7", "-7 3", "7 -3"}},
	{"modulo($1, $2)", []string{"-3d0 3d0", "3d0 -3d0", "-5d0 3d0", "5d0 -3d0", "-0d0 3d0", "0d0 -3d0", "-3.0 3.0", "5.3 -0.7", "-7 3", "7 -3"}},
	{"sign($1, $2)", []string{"2d0 -0d0", "-2d0 0d0", "0d0 -1d0", "-0d0 1d0", "2.0 -0.0", "3 -1", "-3 0"}},
	{"dim($1, $2)", []string{"1d0 3d0", "3d0 1d0", "-0d0 0d0", "2d0 2d0", "1.5 0.5", "2 5"}},
	{"atan2($1, $2)", []string{"-0d0 -1d0", "0d0 -1d0", "-0d0 1d0", "1d0 -0d0", "1.0 2.0"}},
	{"max($1, $2)", []string{"1d0 2d0", "-1.5 -2.5", "3 5"}},
	{"min($1, $2)", []string{"1d0 2d0", "-1.5 -2.5", "3 5"}},
	{"$1**2", []string{"-0d0", "1.1d0", "0.3", "-7"}},
	{"$1**3", []string{"-0d0", "1.1d0", "0.3", "-7"}},
	{"$1**7", []string{"-0d0", "1.1d0", "0.3", "-3"}},
	{"$1**(-3)", []string{"1.1d0", "0.3", "-2"}},
	{"$1**0", []string{"-0d0", "0d0", "0.0", "5"}},
	{"$1**1.5d0", []string{"0d0", "1.1d0", "3.7d-200", "5d200"}},
	{"$1**2.5", []string{"0.3", "2d0", "1d-130"}},
	{"$1**(-3.5d0)", []string{"1.1d0", "0.3", "1d95", "1d-80"}},
	{"$1**$2", []string{"1.1d0 0.5d0", "0.3 1.7", "0d0 2d0", "2 10"}},
}

// zeros are expressions for which Fortran leaves the sign of the result open.
var zeros = []string{"max(-0d0, 0d0) > 0d0", "max(0d0, -0d0) > 0d0", "min(0d0, -0d0) < 0d0", "min(-0d0, 0d0) < 0d0", "max(-0.0, 0.0) > 0.0"}

// values writes a program that sets c to each expression of constants and v to the
// same of variables, and then executes show.
func values(show func(text, typ string) string) string {
	var decl, code strings.Builder
	i := 0
	for _, f := range folded {
		for _, operands := range f.operands {
			i++
			typ := "real(8)"
			c, v := f.text, f.text
			for k, x := range strings.Fields(operands) {
				switch {
				case strings.Contains(x, "d"):
				case strings.Contains(x, "."):
					typ = "real"
				default:
					typ = "integer"
				}
				hole, name := fmt.Sprintf("$%d", k+1), fmt.Sprintf("x%d_%d", i, k+1)
				fmt.Fprintf(&decl, "  %s :: %s\n", typ, name)
				fmt.Fprintf(&code, "  %s = %s\n", name, x)
				c = strings.ReplaceAll(c, hole, "("+x+")")
				v = strings.ReplaceAll(v, hole, name)
			}
			fmt.Fprintf(&code, "  c = dble(%s)\n  v = dble(%s)\n  %s\n", c, v, show(c, typ))
		}
	}
	return "program values\n  implicit none\n  real(8) :: c, v\n" + decl.String() + code.String() + "end program\n"
}

// TestFoldedAsComputed: constant expressions have the bits that they have at run
// time, signs of zeros included; and both have the values and signs of gfortran's.
func TestFoldedAsComputed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	equal := values(func(text, _ string) string {
		return fmt.Sprintf("if (c /= v .or. sign(1d0, c) /= sign(1d0, v)) print *, '%s', c, v", text)
	})
	rule := "program rule\n  real(8) :: m, p\n"
	for _, z := range zeros {
		call, rest, _ := strings.Cut(z, ") ")
		args := strings.Split(call[strings.Index(call, "(")+1:], ", ")
		rule += fmt.Sprintf("  m = %s\n  p = %s\n  print *, sign(1d0, dble(%s))) %c 0, sign(1d0, %sm, p)) %c 0\n", args[0], args[1], call, rest[0], call[:4], rest[0])
	}
	all := write("values.f90", values(func(_, typ string) string {
		if typ == "real" { // as many digits as it has
			return "print *, real(c), real(v), sign(1d0, c), sign(1d0, v)"
		}
		return "print *, c, v, sign(1d0, c), sign(1d0, v)"
	}))
	sources := []string{write("equal.f90", equal), write("rule.f90", rule+"end program\n"), all}
	path, err := bundled(filepath.Join(dir, "bundle"), sources, plans[0])
	if err != nil {
		t.Fatal(err)
	}
	if out := run(t, "", bundletest.Program{Path: path, Name: sources[0]}, "-n", "1"); out != "" {
		t.Errorf("folded, and computed:\n%s", out)
	}
	if out := run(t, "", bundletest.Program{Path: path, Name: sources[1]}, "-n", "1"); strings.Contains(out, "F") || strings.Count(out, "T") != 2*len(zeros) {
		t.Errorf("zeros in max and min: %s\n%s", out, rule)
	}
	t.Run("gfortran", func(t *testing.T) {
		effort.Tool(t, "gfortran", "gfortran")
		bin := filepath.Join(dir, "gfortran")
		if out, err := exec.Command("gfortran", "-w", "-o", bin, all).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want, err := exec.Command(bin).Output()
		if err != nil {
			t.Fatal(err)
		}
		got := run(t, "", bundletest.Program{Path: path, Name: all}, "-n", "1")
		if err := compare.Outputs(string(want), got, compare.Default); err != nil {
			t.Error(err)
		}
	})
}
