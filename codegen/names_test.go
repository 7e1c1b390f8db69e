package codegen_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/effort"
)

// roles is a program in which each kind of object has a name of its own, and in
// which the emitted code needs as many names as possible itself: closures with
// captured scalars, leaf loops of all kinds, temporaries, lists, labels, input.
const roles = `program prog1
  implicit none
  integer, parameter :: n = 9
  integer :: arr1(n), arr2(n), arr3(n,n), arr4(n) = 3, scal1, scal2, idx1, idx2, idx3, io1
  character(len=8) :: text1
  real(8) :: real1(n), real2
!HPF$ PROCESSORS procs1(2,2)
!HPF$ TEMPLATE temp1(n,n)
!HPF$ DISTRIBUTE temp1(BLOCK,CYCLIC) ONTO procs1
!HPF$ DISTRIBUTE arr1(BLOCK)
!HPF$ ALIGN arr2(idx1) WITH arr1(idx1)
!HPF$ ALIGN real1(idx1) WITH arr1(idx1)
!HPF$ ALIGN arr3(idx1,idx2) WITH temp1(idx1,idx2)
  read (*, *, iostat=io1) scal1, text1
  scal2 = scal1 + n
  do idx1 = 1, n
    arr1(idx1) = idx1
    arr2(idx1) = arr4(idx1) + scal1
    real1(idx1) = sqrt(dble(idx1))
  end do
  do idx2 = 1, n
    do idx1 = 1, n
      arr3(idx1,idx2) = idx1 * idx2
    end do
  end do
  loop1: do idx3 = 1, n - 1
    loop2: do idx2 = 1, n
      arr1(idx2) = arr1(idx2) + arr3(idx3,idx2) + arr3(idx2,idx2)
      if (arr1(3) > 40) cycle loop1
      if (arr1(4) > 50) exit loop1
      if (scal2 > 900) exit loop2
    end do loop2
    arr2(idx3) = arr1(idx3+1)
    do idx1 = 2, n, 2
      arr2(idx1) = arr1(arr2(1)) + mod(scal1, 3)
    end do
  end do loop1
  do idx1 = 2, n
    arr1(idx1) = arr1(idx1-1) + 1
  end do
  real2 = 0
  do idx1 = n, 1, -1
    real2 = max(real2, real1(idx1))
    arr1(idx1) = mod(arr2(n+1-idx1) + scal2, 97)
  end do
  do while (arr1(scal2) > 3 .and. scal1 > 0)
    scal1 = scal1 - 1
    scal2 = scal2 - abs(scal1)
  end do
  do idx1 = scal1, scal2, n - 8
    arr1(arr2(idx1)) = arr1(idx1)
  end do
  print *, 'text', scal1, idx1, real2, text1(2:3), (arr1(idx2), idx2 = 1, n)
  if (scal1 > 10) stop 3
end program
`

// role are the names in it, one of each kind.
var role = []string{"prog1", "arr1", "arr2", "arr3", "arr4", "scal1", "scal2", "idx1", "idx2", "idx3", "io1", "text1", "real2", "procs1", "temp1", "real1", "loop1", "loop2"}

// intrinsics that the program uses.
var intrinsics = []string{"sqrt", "dble", "mod", "max", "abs", "real", "char"}

// TestNames gives each object of a program each name that means something to
// Go or to the emitted code: the result is a program that Go takes, and nothing
// but names differs.
func TestNames(t *testing.T) {
	if testing.Short() {
		t.Skip("long: hundreds of programs")
	}
	words := map[string]bool{}
	for k := token.Token(0); k < 200; k++ {
		if k.IsKeyword() {
			words[k.String()] = true
		}
	}
	for _, name := range types.Universe.Names() {
		words[name] = true
	}
	plain := emit(t, "in.hpf", roles, plan.Handshake, codegen.Options{})
	p, err := check(t, plain)
	if err != nil {
		t.Fatalf("%v\n%s", err, plain)
	}
	ast.Inspect(p.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			words[id.Name] = true
		}
		return true
	})
	for _, own := range []string{"init", "main", "run", "spmd", "dist", "math", "pe", "q", "it", "c1", "t1", "list1", "t_", "t__", "pe_"} {
		words[own] = true
	}
	fortran := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	tried := 0
	for i, w := range slices.Sorted(maps.Keys(words)) {
		w = strings.ToLower(w)
		if !fortran.MatchString(w) || slices.Contains(role, w) || w == "n" {
			continue
		}
		for k, r := range role {
			if (i+k)%effort.Of(7, 21) != 0 {
				continue // every name in some roles, every role with some names
			}
			tried++
			text := regexp.MustCompile(`\b`+r+`\b`).ReplaceAllString(roles, w)
			code, err := tryEmit("in.hpf", text, plan.Handshake, codegen.Options{})
			if err != nil {
				// A name hides the intrinsic that the program uses.
				if !slices.Contains(intrinsics, w) {
					t.Errorf("%s is called %s: %v", r, w, err)
				}
				continue
			}
			if _, err := check(t, code); err != nil {
				t.Errorf("%s is called %s: %v", r, w, err)
			}
		}
	}
	if tried < effort.Of(250, 80) {
		t.Errorf("only %d programs", tried)
	}
}

// TestMangledNamesStayApart: a name that is changed does not meet another.
func TestMangledNamesStayApart(t *testing.T) {
	code := emit(t, "in.hpf", `program p
  implicit none
  integer :: t, t_, t__, func, func_, pe, pe_, sub_1, a(5), a_, i
  t = 1; t_ = 2; t__ = 3; func = 4; func_ = 5; pe = 6; pe_ = 7; sub_1 = 8; a_ = 9
  do i = 1, 5
    a(i) = t + t_ * 10 + t__ * 100
  end do
  print *, t, t_, t__, func, func_, pe, pe_, sub_1, a_, a(5)
end program
`, plan.Handshake, codegen.Options{})
	p, err := check(t, code)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{} // Go name -> value
	ast.Inspect(p.file, func(n ast.Node) bool {
		if as, ok := n.(*ast.AssignStmt); ok && as.Tok == token.ASSIGN {
			if id, ok := as.Lhs[0].(*ast.Ident); ok {
				if lit, ok := as.Rhs[0].(*ast.BasicLit); ok {
					values[id.Name] += lit.Value
				}
			}
		}
		return true
	})
	if len(values) != 9 {
		t.Errorf("nine scalars became %v", values)
	}
	for name, v := range values {
		if len(v) != 1 {
			t.Errorf("%s takes the values %s", name, v)
		}
	}
}

// TestTextStaysText: what a source says in strings, and what constants amount
// to, is never more than text in the Go program.
func TestTextStaysText(t *testing.T) {
	evil := []string{
		`"`, `\`, "`", `\"`, `%d%s%!`, `*/ panic(1) /*`, `// panic`, `"); panic("x`, `{{.}}`, `//line x:1`,
		`${i}`, "\u2028", "é",
	}
	for _, text := range evil {
		quoted := strings.ReplaceAll(text, "'", "''")
		code := emit(t, "in.hpf", fmt.Sprintf("program p\n  character(len=40) :: s\n  s = '%s'\n  print *, '%s', s\nend program\n", quoted, quoted), plan.Handshake, codegen.Options{})
		p, err := check(t, code)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := calls(p); !slices.Equal(got, []string{"spmd.Main", "pe.Start", "spmd.Pad", "pe.ID", "pe.Print"}) {
			t.Errorf("%q: the program calls %v", text, got)
		}
	}
	// Control characters come from CHAR; they are in a subscript, and so in
	// every explanation of the communication.
	for _, c := range []int{0, 9, 10, 12, 13, 27, 127, 133, 255} {
		code := emit(t, "in.hpf", fmt.Sprintf(`program p
  implicit none
  integer :: a(8), b(8), i
  character(len=4) :: s
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
  s = 'abcd'
  do i = 1, 8
    a(i) = i
  end do
  do i = 1, 7
    b(i) = a(i+index(s, char(%d)//'panic("injected") // '))
  end do
  do i = 1, 7
    b(i+index(s, char(%d)//'panic("injected") // ')) = a(i)
  end do
  print *, b(3+index(s, char(%d)//'panic("injected") // '))
end program
`, c, c, c), plan.Handshake, codegen.Options{})
		p, err := check(t, code)
		if err != nil {
			t.Errorf("char(%d): %v\n%s", c, err, code)
			continue
		}
		if slices.Contains(calls(p), "panic") {
			t.Errorf("char(%d): the program calls panic:\n%s", c, code)
		}
	}
}

// TestFileNames: the name of the file is text as well, in a comment, in a
// literal and in //line directives.
func TestFileNames(t *testing.T) {
	text := "program p\n  integer :: i, a(4)\n  do i = 1, 4\n    a(i) = i\n  end do\n  print *, a(2)\nend program\n"
	for _, file := range []string{"a b.hpf", "a\nfunc init() { panic(1) }\n.hpf", "a\rb.hpf", "*/.hpf", `q"uote.hpf`, "ünï.hpf", "a:12:7.hpf", "\xff.hpf", "\u2028.hpf", "\ufeffa.hpf", "\u202eb.hpf", "\x1b[2J.hpf", "\u0085.hpf"} {
		code := emit(t, file, text, plan.Handshake, codegen.Options{})
		p, err := check(t, code)
		if err != nil {
			t.Errorf("%q: %v", file, err)
			continue
		}
		if i := strings.IndexFunc(string(code), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q: the program has %q in it", file, code[i:i+3])
		}
		if n := len(p.file.Decls); n != 4 {
			t.Errorf("%q: %d declarations, want import, program, main and run", file, n)
		}
	}
}

// calls lists the functions that a program calls, in order, conversions aside.
func calls(p *typed) []string {
	var out []string
	ast.Inspect(p.file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !p.info.Types[c.Fun].IsType() {
			out = append(out, types.ExprString(c.Fun))
		}
		return true
	})
	return out
}
