package scan_test

import (
	"testing"

	"github.com/spmdc/spmdc/parser/scan"
)

func TestClassify(t *testing.T) {
	kind := func(k scan.Kind) scan.Stmt { return scan.Stmt{Kind: k} }
	for _, tt := range []struct {
		text string
		want scan.Stmt
	}{
		// No word is reserved: what looks like an assignment is one.
		{"if = 3", kind(scan.Assignment)},
		{"if (i) = 3", kind(scan.Assignment)},
		{"do = 4", kind(scan.Assignment)},
		{"doi = 1.5", kind(scan.Assignment)},
		{"end = 5", kind(scan.Assignment)},
		{"real(i) = x", kind(scan.Assignment)},
		{"print(1)(2:3) = x", kind(scan.Assignment)},
		{"a%b = 3", kind(scan.Assignment)},
		{"x = a == b", kind(scan.Assignment)},
		{"p => q", kind(scan.PointerAssign)},
		{"i == 3", kind(scan.Unknown)},

		{"do i = 1, 3", kind(scan.Do)},
		{"do 10 i = 1, 3", kind(scan.Do)},
		{"do 10, i = 1, 3", kind(scan.Do)},
		{"do", kind(scan.Do)},
		{"do while (x)", kind(scan.DoWhile)},
		{"do 10 while (x)", kind(scan.DoWhile)},
		{"do while = 1, 3", kind(scan.Do)},
		{"do concurrent (i=1:3)", kind(scan.DoConcurrent)},
		{"do concurrent = 1, 3", kind(scan.Do)},

		{"if (a) then", kind(scan.IfThen)},
		{"if (a(1)) x = 3", kind(scan.IfStmt)},
		{"if (a) then = 3", kind(scan.IfStmt)},
		{"if (a) stop", kind(scan.IfStmt)},
		{"if (a > b then", kind(scan.IfThen)},
		{"if (i) 10, 20, 30", scan.Stmt{Kind: scan.ArithmeticIf, Word: "if"}},
		{"else", kind(scan.Else)},
		{"else x", kind(scan.Else)},
		{"else if (a) then", kind(scan.ElseIf)},
		{"elseif (a) then", kind(scan.ElseIf)},
		{"else where", kind(scan.Elsewhere)},
		{"elsewhere (a > 1)", kind(scan.Elsewhere)},
		{"end where", kind(scan.EndWhere)},
		{"endforall", kind(scan.EndForall)},

		{"end", kind(scan.End)},
		{"end do", kind(scan.EndDo)},
		{"enddo", kind(scan.EndDo)},
		{"end if", kind(scan.EndIf)},
		{"endif", kind(scan.EndIf)},
		{"end program p", kind(scan.EndProgram)},
		{"endprogram", kind(scan.EndProgram)},
		{"end subroutine s", kind(scan.EndUnit)},
		{"endsubroutine", kind(scan.EndUnit)},
		{"end file 3", scan.Stmt{Kind: scan.FileStmt, Word: "endfile"}},

		{"integer i", kind(scan.TypeDecl)},
		{"real*8 x", kind(scan.TypeDecl)},
		{"double precision x", kind(scan.TypeDecl)},
		{"doubleprecision x", kind(scan.TypeDecl)},
		{"real function f(x)", kind(scan.Function)},
		{"real(8) function f(x)", kind(scan.Function)},
		{"real*8 function f(x)", kind(scan.Function)},
		{"double precision function f(x)", kind(scan.Function)},
		{"real function", kind(scan.TypeDecl)},
		{"recursive subroutine s", kind(scan.Subroutine)},
		{"pure real function f(x)", kind(scan.Function)},
		{"double complex z", kind(scan.TypeDecl)},
		{"implicit none", kind(scan.ImplicitNone)},
		{"implicit real (a-h)", kind(scan.Implicit)},

		{"read *, x", kind(scan.Read)},
		{"read '(a)', x", kind(scan.Read)},
		{"read(*,*) x", kind(scan.ReadParen)},
		{"print *", kind(scan.Print)},
		{"write(*,*) x", kind(scan.Write)},
		{"stop 3", kind(scan.Stop)},
		{"error stop", kind(scan.ErrorStop)},

		{"call s(x)", kind(scan.Call)},
		{"go to 10", scan.Stmt{Kind: scan.Goto, Word: "go"}},
		{"goto 10", scan.Stmt{Kind: scan.Goto, Word: "goto"}},
		{"select case (i)", scan.Stmt{Kind: scan.SelectCase, Word: "select"}},
		{"selectcase (i)", scan.Stmt{Kind: scan.SelectCase, Word: "selectcase"}},
		{"block data", kind(scan.BlockData)},
		{"module procedure f", kind(scan.ModuleProcedure)},
		{"procedure(f), pointer :: g", kind(scan.Procedure)},
		{"abstract interface", kind(scan.Interface)},
		{"block", kind(scan.Block)},
		{"block data x", kind(scan.BlockData)},
		{"end associate a", kind(scan.EndAssociate)},
		{"where (a > 0)", kind(scan.Where)},
		{"where(1) = 2", kind(scan.Assignment)},
		{"forall (i=1:3)", kind(scan.Forall)},
		{"type(t) :: x", kind(scan.TypeDecl)},
		{"type, extends(s) :: t", kind(scan.TypeDef)},
		{"type is (t)", kind(scan.TypeGuard)},
		{"class default", kind(scan.TypeGuard)},
		{"select type (x => y)", kind(scan.SelectType)},
		{"enum, bind(c)", kind(scan.Enum)},
		{"enumerator :: a = 1", kind(scan.Enumerator)},
		{"end enum", kind(scan.EndEnum)},
		{"submodule (m) s", kind(scan.Submodule)},
		{"module pure function f(x)", kind(scan.Function)},
		{"module subroutine s", kind(scan.Subroutine)},
		{"end procedure p", kind(scan.EndUnit)},
		{"end type t", kind(scan.EndType)},

		{"foo bar", kind(scan.Unknown)},
		{"foo(3)", kind(scan.Unknown)},
		{"= 3", kind(scan.Unknown)},
		{"x = (3", kind(scan.Assignment)},
		{"x(3 = 4", kind(scan.Unknown)},

		{"outer: do i = 1, 3", scan.Stmt{Kind: scan.Do, Name: "outer"}},
		{"x: if (a) then", scan.Stmt{Kind: scan.IfThen, Name: "x"}},
	} {
		lines, _ := prescan(tt.text)
		toks, _ := lines[0].Tokens(nil)
		got := scan.Classify(toks)
		if got.Kind != tt.want.Kind || got.Name != tt.want.Name || tt.want.Word != "" && got.Word != tt.want.Word {
			t.Errorf("%q: kind %d, name %q, word %q; want %d, %q, %q",
				tt.text, got.Kind, got.Name, got.Word, tt.want.Kind, tt.want.Name, tt.want.Word)
		}
	}
}

func TestClassifyDirective(t *testing.T) {
	for text, want := range map[string]scan.Kind{
		"!HPF$ PROCESSORS p(4)":        scan.Processors,
		"!HPF$ template t(4)":          scan.Template,
		"!hpf$ Align a(i) with t(i)":   scan.Align,
		"!HPF$ DISTRIBUTE a(BLOCK)":    scan.Distribute,
		"!HPF$INDEPENDENT, NEW(x)":     scan.Independent,
		"!HPF$ INDEPENDANT":            scan.UnknownDirective,
		"!HPF$ 3":                      scan.UnknownDirective,
		"  !HPF$   PROCESSORS :: p(4)": scan.Processors,
	} {
		lines, _ := prescan(text)
		if len(lines) != 1 || !lines[0].Directive {
			t.Errorf("%q: not a directive", text)
			continue
		}
		toks, _ := lines[0].Tokens(nil)
		if got := scan.ClassifyDirective(toks).Kind; got != want {
			t.Errorf("%q: kind %d, want %d", text, got, want)
		}
	}
}

// TestRest: the statement of an IF begins behind the closing parenthesis.
func TestRest(t *testing.T) {
	lines, _ := prescan("if (a(i) > (b)) x = 3")
	toks, _ := lines[0].Tokens(nil)
	s := scan.Classify(toks)
	if s.Kind != scan.IfStmt || s.Toks[s.Rest].Value != "x" {
		t.Errorf("kind %d, rest %q", s.Kind, s.Toks[s.Rest].Value)
	}
}
