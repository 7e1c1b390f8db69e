package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/internal/irtest"
)

// TestGolden compares the typed program ("ir") and the diagnostics ("errors").
func TestGolden(t *testing.T) {
	irtest.Golden(t, []string{"ir", "errors"}, func(t *testing.T, in string) map[string]string {
		p, diags := irtest.Lower(t, in)
		got := map[string]string{"errors": irtest.Report(diags)}
		if !diags.HasErrors() {
			var b strings.Builder
			if err := ir.Fprint(&b, p); err != nil {
				t.Fatal(err)
			}
			got["ir"] = b.String()
			checkNodes(t, p)
			checkAgain(t, p, b.String(), in)
		}
		return got
	})
}

// checkAgain lowers the dump of p, which is Fortran, and expects the same dump
// but for the line numbers: nothing that the program says gets lost.
func checkAgain(t *testing.T, p *ir.Program, dump, in string) {
	t.Helper()
	if strings.Contains(in, "integer(8)") {
		return // the typed program does not tell the kinds of INTEGER apart
	}
	if p.SPMD {
		return // sections are dumped by extents
	}
	for _, s := range p.Symbols {
		if s.Temp {
			return // has no Fortran name
		}
	}
	for _, d := range p.HPF {
		if d.Kind == ir.AlignDirective && d.Symbol == nil {
			return // a template that stands for a dummy argument
		}
	}
	strip := func(dump string) string {
		var b strings.Builder
		for line := range strings.Lines(dump) {
			_, text, _ := strings.Cut(line, "| ")
			text, _, _ = strings.Cut(text, "   ! ") // remarks
			b.WriteString(strings.TrimRight(text, "\n") + "\n")
		}
		return b.String()
	}
	var again strings.Builder
	if err := ir.Fprint(&again, irtest.Program(t, strip(dump))); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strip(dump), strip(again.String())); d != "" {
		t.Errorf("lowering the dump (-first +second):\n%s", d)
	}
}

// checkNodes verifies what every pass relies on: nodes are distinct, types are
// valid, operands of an operation agree, subscripts are INTEGER and as many as the
// array has dimensions.
func checkNodes(t *testing.T, p *ir.Program) {
	t.Helper()
	seen := map[ir.Expr]bool{}
	ir.WalkExprs(p.Body, func(s ir.Stmt, e ir.Expr) bool {
		at := fmt.Sprintf("line %d: %s", s.Position().Line, ir.ExprString(e))
		if seen[e] {
			t.Errorf("%s: the node occurs twice", at)
		}
		seen[e] = true
		if e.Type() == ir.Invalid {
			t.Errorf("%s: no type", at)
		}
		if !e.Position().IsValid() {
			t.Errorf("%s: no position", at)
		}
		switch e := e.(type) {
		case *ir.Ref:
			if len(e.Subs) != len(e.Sym.Dims) {
				t.Errorf("%s: %d subscripts", at, len(e.Subs))
			}
			for _, sub := range e.Subs {
				if !sub.Type().IsInteger() {
					t.Errorf("%s: subscript of type %s", at, sub.Type())
				}
			}
		case *ir.CoRef:
			if !e.Sym.Coarray || len(e.Subs) != len(e.Sym.Dims) || !e.Image.Type().IsInteger() {
				t.Errorf("%s: not an element of a coarray on an image", at)
			}
		case *ir.Bin:
			if l, r := e.L.Type(), e.R.Type(); l != r && (e.Op != ir.Pow || !r.IsInteger()) {
				t.Errorf("%s: operands of type %s and %s", at, l, r)
			}
		}
		return true
	})
	ir.Walk(p.Body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok && a.LHS.Type() != a.RHS.Type() {
			t.Errorf("line %d: %s assigned to %s", a.Pos.Line, a.RHS.Type(), a.LHS.Type())
		}
		return true
	})
}

// TestImagesAnywhere: one mention of images, in whatever statement, makes the program one
// that every image executes; a procedure of that name is no mention.
func TestImagesAnywhere(t *testing.T) {
	for body, want := range map[string]bool{
		"select case (this_image())\ncase default\nend select":                                    true,
		"write (10 + this_image(), *) 1":                                                          true,
		"go to (10, 10), num_images()\n10 continue":                                               true,
		"if (this_image() - 1) 10, 10, 10\n10 continue":                                           true,
		"c = (1.0, 2.0)\nif (real(c)*num_images() > 0.0) continue":                                true,
		"associate (me => this_image())\nend associate":                                           true,
		"do while (num_images() < 0)\nend do":                                                     true,
		"if (i > 1) then\nelse if (i < this_image()) then\nend if":                                true,
		"i = max(1, [num_images()])":                                                              true,
		"sync all":                                                                                true,
		"block\ninteger :: a(num_images())\na = 1\nend block":                                     true,
		"block\ninteger :: a(2)\na = team_number()\nend block":                                    true,
		"i = num_images\ncontains\nsubroutine f\nend subroutine":                                  false,
		"i = this_image()\ncontains\ninteger function this_image()\nthis_image = 1\nend function": false,
	} {
		decls := "integer :: i\ncomplex :: c\n"
		if strings.Contains(body, "= num_images\n") {
			decls += "integer :: num_images\nnum_images = 1\n"
		}
		p, diags := irtest.Lower(t, "program p\n"+decls+"i = 0\n"+body+"\nend program p\n")
		if p.SPMD != want {
			t.Errorf("%s\nimages: %v, want %v (%v)", body, p.SPMD, want, irtest.Report(diags))
		}
	}
}

// TestOrderOfSymbols: a program has its symbols in one order, whatever that of maps is.
func TestOrderOfSymbols(t *testing.T) {
	const in = "program p\nuse, intrinsic :: iso_fortran_env\nuse, intrinsic :: iso_c_binding\nprint *, real_kinds, character_kinds, logical_kinds, integer_kinds, c_int, c_long\nend program p\n"
	names := func() (list []string) {
		for _, s := range irtest.Program(t, in).Symbols {
			list = append(list, s.Name)
		}
		return list
	}
	want := names()
	for range 20 {
		if diff := cmp.Diff(want, names()); diff != "" {
			t.Fatal(diff)
		}
	}
}
