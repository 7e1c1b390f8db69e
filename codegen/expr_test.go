package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// declarations are the variables of the expressions below; a variable whose
// name ends in r takes the result.
const declarations = `program expressions
  implicit none
  integer :: i, j, k, kr, ia(9)
  integer(8) :: w, wr
  real :: r, s, u, rr
  real(8) :: a, b, c, x, xr, xa(9), m2(9,9)
  logical :: p, o, l, lr
  character(len=4) :: d, e, cr
`

// expressions: an assignment in Fortran, and its right side in Go.
var expressions = []struct{ fortran, want string }{
	// Precedence: the parentheses that Go needs, and no others.
	{"kr = i + j * k", "i + j*k"},
	{"kr = (i + j) * k", "(i + j) * k"},
	{"kr = i - (j - k)", "i - (j - k)"},
	{"kr = (i - j) - k", "(i - j) - k"},
	{"kr = i - j - k", "i - j - k"},
	{"kr = i / (j * k)", "i / (j * k)"},
	{"kr = i / j * k", "i / j * k"},
	{"kr = i * (j / k)", "i * (j / k)"},
	{"kr = mod(i, j) * k", "i % j * k"},
	{"kr = k * mod(i, j)", "k * (i % j)"},
	{"kr = mod(i + j, k)", "(i + j) % k"},
	{"kr = mod(i, j - k)", "i % (j - k)"},
	{"lr = i + j > k * 2", "i+j > k*2"},
	{"lr = p .and. o .or. l", "p && o || l"},
	{"lr = p .and. (o .or. l)", "p && (o || l)"},
	{"lr = .not. p .and. o", "!p && o"},
	{"lr = .not. (p .and. o)", "!(p && o)"},
	{"lr = .not. i > j", "!(i > j)"},
	{"lr = p .eqv. o .or. l", "p == (o || l)"},
	{"lr = i < j .eqv. k < i", "i < j == (k < i)"},
	{"lr = p .neqv. o", "p != o"},
	{"lr = i /= j", "i != j"},
	{"kr = iand(i, j) + k", "i&j + k"},
	{"kr = ior(i, j) * k", "(i | j) * k"},
	{"kr = ieor(i, j + k)", "i ^ (j + k)"},
	{"kr = not(i)", "^i"},

	// Unary minus binds like addition in Fortran, tightest in Go.
	{"kr = -i", "-i"},
	{"kr = -i + j", "-i + j"},
	{"kr = -i * j", "-(i * j)"},
	{"kr = -(i + j)", "-(i + j)"},
	{"kr = i - (-j)", "i - -j"},
	{"kr = -(-i)", "-(-i)"},
	{"kr = -mod(i, j)", "-(i % j)"},
	{"xr = -x**2", "float64(-(x * x))"},
	{"xr = (-x)**2", "float64(elementary.Square(-x))"},

	// Powers: products where gfortran makes them, else a function.
	{"kr = i**2", "i * i"},
	{"kr = i**3", "i * i * i"},
	{"kr = j / i**2", "j / (i * i)"},
	{"kr = i**j", "spmd.PowInt(i, int(j))"},
	{"kr = 2**i", "spmd.PowInt(int32(2), int(i))"},
	{"kr = (i + j)**2", "spmd.PowInt((i + j), 2)"},
	{"kr = i**j**k", "spmd.PowInt(i, int(spmd.PowInt(j, int(k))))"},
	{"xr = x**(-1)", "float64(elementary.Powi(x, -1))"},
	{"xr = x**4", "float64(elementary.Fourth(x))"},
	{"xr = x**0.5d0", "float64(float64(elementary.Pow(x, 0.5)))"},
	{"xr = x**1.5d0", "float64(elementary.PowHalf(x, 1))"},
	{"xr = x**(-2.5)", "float64(elementary.PowHalf(x, -3))"},
	{"rr = r**3.5", "float32(float32(elementary.PowHalf(float64(r), 3)))"},
	{"xr = x**4.5d0", "float64(float64(elementary.Pow(x, 4.5)))"},
	{"xr = 2.0d0**i", "float64(elementary.Powi(float64(2.0), int(i)))"},
	{"rr = r**s", "float32(float32(elementary.Pow(float64(r), float64(s))))"},
	{"rr = r**2", "float32(r * r)"},

	// A product is rounded before it is added, and before it is stored, from
	// where a later statement might add it.
	{"xr = a * b + c", "float64(a*b) + c"},
	{"xr = c + a * b", "c + float64(a*b)"},
	{"xr = a * b - c * x", "float64(a*b) - float64(c*x)"},
	{"xr = c - (a * b)", "c - float64(a*b)"},
	{"xr = -(a * b) + c", "float64(-(a * b)) + c"},
	{"xr = a * b", "float64(a * b)"},
	{"xr = -a * b", "float64(-(a * b))"},
	{"xr = x**2 + c", "float64(x*x) + c"},
	{"xr = x**3", "float64(x * x * x)"},
	{"xr = a * b * c + x", "float64(a*b*c) + x"},
	{"xr = a * b / c + x", "a*b/c + x"},
	{"xr = (a + b) * (a - b)", "float64((a + b) * (a - b))"},
	{"xr = a + b + a * b", "a + b + float64(a*b)"},
	{"xr = xa(i) * xa(j) + m2(i,j)", "float64(xa.Data[xa.At1(int(i))]*xa.Data[xa.At1(int(j))]) + m2.Data[m2.At2(int(i), int(j))]"},
	{"xr = sqrt(a * b + c)", "math.Sqrt(float64(a*b) + c)"},
	{"xr = abs(a * b)", "math.Abs(float64(a * b))"},
	{"rr = r * s + u", "float32(r*s) + u"},
	{"kr = i * j + k", "i*j + k"},

	// Division of INTEGERs is Go's: towards zero.
	{"kr = i / j", "i / j"},
	{"kr = -i / j", "-(i / j)"},
	{"kr = 7 / 2", "3"},
	{"kr = (-7) / 2", "-3"},
	{"kr = -7 / 2", "-3"},
	{"xr = 7 / 2", "3.0"},
	{"xr = i / 2", "float64(i / 2)"},

	// Constants: folded as Fortran folds them, in its types, and written so that
	// Go reads the same value.
	{"xr = 1.0d0 / 3.0d0", "0.3333333333333333"},
	{"xr = 0.1", "0.10000000149011612"},
	{"xr = 0.1d0 + 0.2d0", "0.30000000000000004"},
	{"rr = 0.1 + 0.2", "0.3"},
	{"rr = 1.0 / 3.0", "0.33333334"},
	{"rr = 16777216.0 + 1.0", "1.6777216e+07"},
	{"xr = 1.0d300", "1e+300"},
	{"xr = 2", "2.0"},
	{"xr = -2", "-2.0"},
	{"xr = a - (-2.0d0)", "a - -2.0"},
	{"xr = -0.0d0", "math.Copysign(0, -1)"},
	{"kr = 2147483647", "2147483647"},
	{"kr = -2147483647 - 1", "-2147483648"},
	{"wr = 2147483647_8 + 1", "2147483648"},
	{"kr = 2**10", "1024"},
	{"kr = mod(-7, 3)", "-1"},
	{"kr = max(3, 5) + i", "5 + i"},
	{"lr = 3 > 2", "true"},

	// Conversions: explicit, and towards zero.
	{"xr = i", "float64(i)"},
	{"xr = a + i", "a + float64(i)"},
	{"xr = r", "float64(r)"},
	{"xr = a * r", "float64(a * float64(r))"},
	{"rr = a", "float32(a)"},
	{"kr = int(a)", "spmd.Trunc[int32](a)"},
	{"kr = a", "spmd.Trunc[int32](a)"},
	{"rr = r + a", "float32(float64(r) + a)"},
	{"rr = i * r", "float32(float32(i) * r)"},
	{"wr = w + i", "w + int(i)"},
	{"xr = dble(r * s)", "float64(r * s)"},
	{"kr = nint(x)", "spmd.Nint[int32](x)"},

	// Intrinsics.
	{"xr = sqrt(x)", "math.Sqrt(x)"},
	{"rr = sqrt(r)", "float32(math.Sqrt(float64(r)))"},
	{"xr = max(x, 1.0d0)", "spmd.Larger(x, float64(1.0))"},
	{"kr = max(i, j, k)", "max(i, j, k)"},
	{"kr = min(i, 3)", "min(i, 3)"},
	{"kr = abs(i)", "spmd.Abs(i)"},
	{"xr = sign(x, a)", "math.Copysign(x, a)"},
	{"kr = sign(i, j)", "spmd.Sign(i, j)"},
	{"xr = mod(x, a)", "elementary.Mod(x, a)"},
	{"kr = modulo(i, j)", "spmd.Modulo(i, j)"},
	{"kr = number_of_processors()", "int32(pe.N())"},
	{"xr = merge(a, b, p)", "spmd.Merge(a, b, p)"},
	{"kr = ia(ia(i) + 1)", "ia.Data[ia.At1(int(ia.Data[ia.At1(int(i))])+1)]"},

	// CHARACTER: padded to its length, compared as if padded.
	{"cr = 'ab'", `"ab  "`},
	{"cr = d // e", `spmd.Pad(d+e, 4)`},
	{"cr = d(2:3)", "spmd.Pad(spmd.Substr(d, 2, 3), 4)"},
	{"lr = d == e", "spmd.SameStr(d, e)"},
	{"lr = d < 'b'", `spmd.CmpStr(d, "b") < 0`},
	{"cr = '\"`\\'", "\"\\\"`\\\\ \""},
	{"kr = ichar(d(1:1))", "int32(spmd.At(d, 1))"},
}

// expressionProgram has an assignment per line and prints the results.
func expressionProgram() string {
	var b strings.Builder
	b.WriteString(declarations)
	for _, e := range expressions {
		fmt.Fprintf(&b, "  %s\n", e.fortran)
	}
	b.WriteString("  print *, kr, wr, rr, xr, lr, cr\nend program\n")
	return b.String()
}

func TestExpressions(t *testing.T) {
	code := emit(t, "e.hpf", expressionProgram(), plan.Handshake, codegen.Options{})
	_, body, _ := strings.Cut(code, "func run(")
	var got []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if target, value, ok := strings.Cut(line, " = "); ok && len(target) == 2 && strings.HasSuffix(target, "r") {
			got = append(got, target+" = "+value)
		}
	}
	if len(got) != len(expressions) {
		t.Fatalf("%d assignments for %d expressions:\n%s", len(got), len(expressions), body)
	}
	for i, e := range expressions {
		target, _, _ := strings.Cut(e.fortran, " = ")
		if want := target + " = " + e.want; got[i] != want {
			t.Errorf("%s\n got %s\nwant %s", e.fortran, got[i], want)
		}
	}
	if _, err := check(t, code); err != nil {
		t.Error(err)
	}
}
