package codegen_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// Go may fuse a product with an addition, "possibly across statements", unless
// the product is converted to its type. So the product of floats that no
// multiplication, division or comparison uses must stand in a conversion.

// unrounded lists the products in p that could be fused.
func unrounded(p *typed) []string {
	var out []string
	var stack []ast.Node
	ast.Inspect(p.file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if b, ok := n.(*ast.BinaryExpr); ok && b.Op == token.MUL && isFloat(p.info.TypeOf(b)) && p.info.Types[b].Value == nil && !rounded(p, stack) {
			out = append(out, fmt.Sprintf("%v: %s", p.fset.Position(b.Pos()), types.ExprString(b)))
		}
		stack = append(stack, n)
		return true
	})
	return out
}

func isFloat(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// rounded reports whether the innermost of the nodes around a product that does
// more than change its sign rounds it, or adds nothing to it.
func rounded(p *typed, stack []ast.Node) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.UnaryExpr:
			continue
		case *ast.CallExpr:
			// A conversion. Functions may be inlined, so that a call is none, but
			// for those that take the value as an interface.
			tv := p.info.Types[n.Fun]
			if f, ok := tv.Type.(*types.Signature); ok && f.Params().Len() > 0 {
				last := f.Params().At(f.Params().Len() - 1).Type()
				return f.Variadic() && types.IsInterface(last.(*types.Slice).Elem()) || types.IsInterface(last)
			}
			return tv.IsType() && isFloat(tv.Type)
		case *ast.BinaryExpr:
			switch n.Op {
			case token.MUL, token.QUO, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				return true
			}
		}
		return false
	}
	return false
}

func TestNothingIsFused(t *testing.T) {
	programs := corpus(t)
	programs["expressions"] = expressionProgram()
	products := 0
	for name, text := range programs {
		for _, o := range []codegen.Options{{}, {Check: true}} {
			code := emit(t, filepath.Base(name), text, plan.Handshake, o)
			p, err := check(t, code)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			products += strings.Count(code, "*")
			for _, u := range unrounded(p) {
				t.Errorf("%s, check %t: could be fused: %s", name, o.Check, u)
			}
		}
	}
	if products < 100 {
		t.Errorf("only %d products in all programs", products)
	}
}

// TestUnroundedNotices: what TestNothingIsFused is there to notice.
func TestUnroundedNotices(t *testing.T) {
	const head = "package main\n\nfunc main() { println(f(1, 2, 3)) }\n\nfunc f(a, b, c float64) float64 {\n"
	for body, bad := range map[string]bool{
		"return a*b + c":                             true,
		"x := a * b\nreturn x + c":                   true,
		"return c - (a * b)":                         true,
		"return c + -(a * b)":                        true,
		"return max(a*b, c) + c":                     true,
		"return float64(a*b) + c":                    false,
		"x := float64(a * b)\nreturn x + c":          false,
		"return float64(a*b*c) + c":                  false,
		"return a*b/c + c":                           false,
		"return float64(-(a * b)) + c":               false,
		"if a*b > c {\nreturn 1\n}\nreturn c":        false,
		"return float64(2*3) + c":                    false,
		"i := int(a)\nreturn float64(i*i+i) + c + b": false,
	} {
		p, err := check(t, head+body+"\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if got := unrounded(p); (len(got) > 0) != bad {
			t.Errorf("%q: found %v, want any: %t", body, got, bad)
		}
	}
}

// TestCompilerFusesNothing looks at what the compiler makes for a machine that
// has fused instructions: none, where the plain text has one.
func TestCompilerFusesNothing(t *testing.T) {
	fused := regexp.MustCompile(`\bFN?M(ADD|SUB)[SD]\b`)
	assembly := func(body string) string {
		dir := t.TempDir()
		text := "package p\n\nfunc f(a, b, c, x float64, r, s, u float32) (xr float64, rr float32) {\n" + body + "\nreturn\n}\n"
		file := filepath.Join(dir, "p.go")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "tool", "compile", "-p", "p", "-S", "-o", filepath.Join(dir, "p.o"), file)
		cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go tool compile: %v\n%s%s", err, text, out)
		}
		return string(out)
	}
	if !fused.MatchString(assembly("xr = a * b\nxr = xr + c")) {
		t.Fatal("the compiler fuses nothing on arm64, not even across statements: this test shows nothing")
	}
	// Each value is stored and then added to, as another statement might.
	var body strings.Builder
	n := 0
	for _, e := range expressions {
		target, _, _ := strings.Cut(e.fortran, " = ")
		if (target != "xr" && target != "rr") || regexp.MustCompile(`spmd|elementary|math|Data|\b[ijkwdepql]\b`).MatchString(e.want) {
			continue
		}
		n++
		fmt.Fprintf(&body, "%s = %s\n%s = %s + %s\n", target, e.want, target, target, map[string]string{"xr": "c", "rr": "u"}[target])
	}
	if n < 20 {
		t.Fatalf("only %d expressions", n)
	}
	if m := fused.FindString(assembly(body.String())); m != "" {
		t.Errorf("%s in\n%s", m, body.String())
	}
}
