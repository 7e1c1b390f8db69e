package sharing_test

import (
	"fmt"
	"strings"
	"testing"

	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/sharing"
	"github.com/spmdc/spmdc/runtime/dist"
	"pgregory.net/rapid"
)

func resolved(t testing.TB, in string) *ir.Program {
	t.Helper()
	p, diags := irtest.Lower(t, in)
	mapping.Resolve(p, diags)
	if diags.HasErrors() {
		t.Fatalf("unexpected errors:\n%s\n%s", irtest.Report(diags), in)
	}
	return p
}

func TestGolden(t *testing.T) {
	irtest.Golden(t, []string{"mapping"}, func(t *testing.T, in string) map[string]string {
		p := resolved(t, in)
		sharing.Share(p)
		return map[string]string{"mapping": mapping.Explain(p, 0)}
	})
}

// TestSameOutput: a program prints the same with its arrays shared as it does without, whichever
// procedures call which.
func TestSameOutput(t *testing.T) {
	shared, nested := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		in := random(rt)
		want := interp.New(resolved(t, in), 1, 1_000_000)
		if failed := want.Run(); failed != "" {
			rt.Fatalf("%s\n%s", failed, in)
		}
		p := resolved(t, in)
		before := len(p.Symbols)
		sharing.Share(p)
		shared += before - len(p.Symbols)
		for _, s := range p.Symbols {
			if s.Site != nil && s.Site.Parent != nil && len(s.Also) > 0 {
				nested++
			}
		}
		got := interp.New(p, 1, 1_000_000)
		if failed := got.Run(); failed != "" {
			rt.Fatalf("%s\n%s", failed, in)
		}
		if w, g := fmt.Sprint(want.Out), fmt.Sprint(got.Out); w != g {
			rt.Fatalf("printed %s, want %s\n%s", g, w, in)
		}
	})
	if shared == 0 || nested == 0 {
		t.Errorf("%d arrays are shared, %d of calls inside of others", shared, nested)
	}
}

// TestInside: a call of a procedure inside of another call of it has its own array.
func TestInside(t *testing.T) {
	outer := &ir.Site{Callee: "p"}
	inner := &ir.Site{ID: 1, Callee: "p", Parent: outer}
	behind := &ir.Site{ID: 2, Callee: "p"}
	p := &ir.Program{Sites: []*ir.Site{outer, inner, behind}}
	m := &ir.Mapping{Grid: &ir.Grid{Rank: 1}, Map: dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: 8, Grid: 0, Format: dist.Block, TLo: 1, THi: 8, A: 1}}}}
	for _, site := range p.Sites {
		s := &ir.Symbol{Name: fmt.Sprint("w", site.ID), Type: ir.Real, Dims: []ir.Bound{{Lo: 1, Hi: 8}}, Site: site, Mapping: m}
		p.Symbols = append(p.Symbols, s)
		one := func() ir.Expr { return &ir.Const{X: ir.X{Typ: ir.Integer}, Int: 1} }
		p.Body = append(p.Body, &ir.Assign{S: ir.S{Site: site}, LHS: &ir.Ref{X: ir.X{Typ: ir.Real}, Sym: s, Subs: []ir.Expr{one()}}, RHS: &ir.Const{X: ir.X{Typ: ir.Real}}})
	}
	sharing.Share(p)
	var got []string
	for _, s := range p.Body {
		got = append(got, ir.Target(s.(*ir.Assign).LHS).Name)
	}
	if want := "[w0 w1 w0]"; fmt.Sprint(got) != want || len(p.Symbols) != 2 {
		t.Errorf("the arrays are %v, %d symbols; want %s", got, len(p.Symbols), want)
	}
}

// random writes a program of procedures p1 to p4, of which each may call the ones behind it,
// among what it does with its own array.
func random(t *rapid.T) string {
	var b strings.Builder
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
	fmt.Fprintf(&b, "program main\ninteger :: a(8), k\n!HPF$ DISTRIBUTE a(BLOCK)\ndo k = 1, 8\n   a(k) = k\nend do\n")
	for range 1 + pick(4) {
		fmt.Fprintf(&b, "call p%d(a)\n", 1+pick(4))
	}
	fmt.Fprintf(&b, "do k = 1, 2\n   call p%d(a)\n   call p%d(a)\nend do\ndo k = 1, 8\n   print *, a(k)\nend do\ncontains\n", 1+pick(4), 1+pick(4))
	for p := 1; p <= 4; p++ {
		fmt.Fprintf(&b, "subroutine p%d(a)\ninteger :: a(8), w(8), i\n!HPF$ INHERIT a\n!HPF$ DISTRIBUTE w(BLOCK)\n", p)
		fmt.Fprintf(&b, "do i = 1, 8\n   w(i) = a(9-i) + %d*i\nend do\n", 1+pick(9))
		for range pick(3) {
			if p < 4 {
				fmt.Fprintf(&b, "call p%d(%s)\n", p+1+pick(4-p), []string{"a", "w"}[pick(2)])
			}
			fmt.Fprintf(&b, "do i = 1, 8\n   a(i) = mod(a(i) + w(9-i), 1000)\nend do\n")
		}
		fmt.Fprintf(&b, "do i = 1, 8\n   a(i) = mod(a(i) + w(i), 1000)\nend do\nend subroutine\n")
	}
	b.WriteString("end program\n")
	return b.String()
}
