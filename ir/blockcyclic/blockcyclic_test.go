package blockcyclic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/blockcyclic"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/runtime/dist"
	"pgregory.net/rapid"
)

// divided is the program of text with its CYCLIC(k) divided, and the warnings.
func divided(t testing.TB, text string) (*ir.Program, string) {
	t.Helper()
	p, diags := irtest.Lower(t, text)
	mapping.Resolve(p, diags)
	if diags.HasErrors() {
		t.Fatalf("unexpected errors:\n%s\n%s", irtest.Report(diags), text)
	}
	blockcyclic.Divide(p, diags)
	return p, irtest.Report(diags)
}

func TestGolden(t *testing.T) {
	irtest.Golden(t, []string{"out", "warnings"}, func(t *testing.T, in string) map[string]string {
		p, warnings := divided(t, in)
		return map[string]string{"out": text(p) + "\n" + mapping.Explain(p, 3), "warnings": warnings}
	})
}

func text(p *ir.Program) string {
	var b strings.Builder
	_ = ir.Fprint(&b, p)
	return b.String()
}

// TestSameOutput: a program prints the same with its CYCLIC(k) divided as it is.
func TestSameOutput(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		in := random(rt)
		want := interp.New(irtest.Program(t, in), 1, 1_000_000)
		if failed := want.Run(); failed != "" {
			rt.Fatalf("%s\n%s", failed, in)
		}
		p, warnings := divided(t, in)
		if warnings != "" {
			rt.Fatalf("%s\n%s", warnings, in)
		}
		for _, s := range p.Symbols {
			if s.Mapping != nil && slices.ContainsFunc(s.Mapping.Map.Axes, func(ax dist.Axis) bool { return ax.Format.BlockLength() > 0 }) {
				rt.Fatalf("%s is not divided", s.Name)
			}
		}
		got := interp.New(p, 1, 1_000_000)
		if failed := got.Run(); failed != "" {
			rt.Fatalf("%s\n%s\n%s", failed, in, text(p))
		}
		if w, g := fmt.Sprint(want.Out), fmt.Sprint(got.Out); w != g {
			rt.Fatalf("printed %s, want %s\n%s\n%s", g, w, in, text(p))
		}
		ir.Walk(p.Body, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Do:
				if strings.HasSuffix(s.Index.Name, ".block") {
					seen["loop over blocks"]++
				}
			case *ir.Assign:
				if r, ok := s.LHS.(*ir.Ref); ok && !strings.Contains(ir.ExprString(r), "mod") {
					seen["affine subscripts"]++
				}
			case *ir.If:
				if strings.Contains(ir.ExprString(s.Cond), ".block") {
					seen["guarded piece"]++
				}
			}
			return true
		})
	})
	for _, what := range []string{"loop over blocks", "affine subscripts", "guarded piece"} {
		if seen[what] == 0 {
			t.Errorf("no program has a %s", what)
		}
	}
}

type writer struct {
	t *rapid.T
	b strings.Builder
}

func (w *writer) pick(n int) int        { return rapid.IntRange(0, n-1).Draw(w.t, "pick") }
func (w *writer) of(x ...string) string { return x[w.pick(len(x))] }

// random writes a program whose subscripts are in bounds: indices are between 1 and n, and arrays
// reach from -2*n to 3*n.
func random(t *rapid.T) string {
	w := &writer{t: t}
	n := 5 + w.pick(17)
	k, stride := 2+w.pick(6), 1+w.pick(2)
	fmt.Fprintf(&w.b, `program main
integer, parameter :: n = %d
integer :: a(-2*n:3*n), b(-2*n:3*n), e(-2*n:3*n), c(-2*n:3*n,-2*n:3*n), p(n)
integer :: i, j, m, l, s
!HPF$ TEMPLATE t(%d:%d)
!HPF$ ALIGN a(i) WITH t(%s%d*i%+d)
!HPF$ ALIGN b(i) WITH t(i%+d)
!HPF$ DISTRIBUTE t(CYCLIC(%d))
!HPF$ DISTRIBUTE e(CYCLIC(%d))
!HPF$ DISTRIBUTE c(%s)
do i = -2*n, 3*n
 a(i) = i
 b(i) = 2*i
 e(i) = 7 - i
 do j = -2*n, 3*n
  c(j,i) = i + 3*j
 end do
end do
do i = 1, n
 p(i) = 1 + mod(i*5, n)
end do
m = %d
l = 1 + mod(m, 3)
`, n, -6*n-9, 6*n+9+w.pick(5), w.of("", "", "-"), stride, w.pick(3)*stride, w.pick(9)-4, k*stride, 2+w.pick(8),
		w.of("CYCLIC(2),CYCLIC(3)", "*,CYCLIC(4)", "CYCLIC(5),BLOCK", "BLOCK,CYCLIC(3)", "CYCLIC,CYCLIC(2)"), 1+w.pick(n))
	for range 1 + w.pick(3) {
		w.nest(n)
	}
	w.b.WriteString(`s = 0
do i = -2*n, 3*n
 s = mod(7*s + a(i) + 3*b(i) + 5*e(i), 100003)
 do j = -2*n, 3*n
  s = mod(3*s + c(i,j), 100003)
 end do
end do
print *, s, i, j, m
end program main
`)
	return w.b.String()
}

// loop writes the head of a loop from 1 to n at most, in which around is an index.
func (w *writer) loop(index, around string, n int) {
	lo, hi := w.of("1", "2", fmt.Sprint(1+w.pick(n)), "l", around), w.of("n", "n-1", fmt.Sprint(1+w.pick(n)), "m", around)
	switch w.pick(8) {
	case 0:
		fmt.Fprintf(&w.b, "do %s = %s, %s, %d\n", index, hi, lo, -1-w.pick(4))
	case 1:
		fmt.Fprintf(&w.b, "do %s = %s, %s, %d\n", index, lo, hi, 2+w.pick(4))
	default:
		fmt.Fprintf(&w.b, "do %s = %s, %s\n", index, lo, hi)
	}
}

func (w *writer) nest(n int) {
	w.loop("i", "3", n)
	if w.pick(4) == 0 {
		fmt.Fprintf(&w.b, " %s = %s\n", w.element("i", "i"), w.value("i", "i"))
		if w.pick(2) == 0 {
			fmt.Fprintf(&w.b, " if (a(i) > %d) %s\n", w.pick(40), w.of("cycle", "exit"))
		}
	}
	if w.pick(2) == 0 {
		w.loop("j", "i", n)
		for range 1 + w.pick(2) {
			fmt.Fprintf(&w.b, "  %s = %s\n", w.element("i", "j"), w.value("i", "j"))
		}
		w.b.WriteString(" end do\n")
	}
	for range w.pick(3) {
		fmt.Fprintf(&w.b, " %s = %s\n", w.element("i", "i"), w.value("i", "i"))
	}
	w.b.WriteString("end do\n")
	if w.pick(3) == 0 {
		w.b.WriteString("print *, i, j\n")
	}
}

func (w *writer) subscript(i, j string) string {
	x := w.of(i, j)
	return w.of(x, x, x, x+"-1", x+"+1", x+"+2", x+"-3", "2*"+x, "2*"+x+"-1", "3*"+x+"-2", "4-"+x, "n+1-"+x, "1-2*"+x, i+"+"+j, "p("+x+")", "l", "3")
}

func (w *writer) element(i, j string) string {
	if w.pick(3) == 0 {
		return fmt.Sprintf("c(%s,%s)", w.subscript(i, i), w.subscript(j, j))
	}
	return fmt.Sprintf("%s(%s)", w.of("a", "a", "b", "e"), w.subscript(i, j))
}

func (w *writer) value(i, j string) string {
	v := fmt.Sprintf("mod(%s + 3*%s, 9973)", w.element(i, j), w.element(i, j))
	if w.pick(2) == 0 {
		v += " + " + w.of(i, j, "m", "l")
	}
	return v
}
