package codegen_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/front"
)

// kernelProgram is a program with one loop of interest, in line 15 behind those that
// give values.
const kernelProgram = `program p
  implicit none
  integer, parameter :: n = 40
  integer :: i, j, k, m, l(n), q
  real(8) :: a(n,n), b(n,n), g(n,n,2), x(n), y(n), e(n), s, t, z
  logical :: f(n)
!HPF$ DISTRIBUTE a(*,BLOCK)
!HPF$ ALIGN b(i,j) WITH a(i,j)
!HPF$ ALIGN g(i,j,*) WITH a(i,j)
  read *, m, k, q
  s = 0
  t = 0


%s
  print *, s, t, a(1,1), b(1,1), x(1), y(1), e(1), l(1), f(1)
end program
`

// TestWhatIsAKernel: which loops are kernels, and why others are none.
func TestWhatIsAKernel(t *testing.T) {
	for _, c := range []struct{ loop, why string }{
		{"do i = 1, n\n x(i) = x(i) + y(i)\n end do", ""},
		{"do i = 1, m\n x(i) = x(i)*s + y(i)\n end do", ""},
		{"do i = 2, n\n x(i) = x(i-1) + y(i)\n end do", "x(i-1) may be x(i) of an earlier iteration"},
		{"do i = 1, n - 1\n x(i) = x(i+1) + y(i)\n end do", ""},
		{"do i = 1, n\n x(i) = x(m)\n end do", ""}, // in two loops
		{"do i = 1, n\n x(i) = x(m)\n y(i) = 1\n end do", "x(m) may be x(i) of some iteration"},
		{"do i = 11, n\n x(i) = x(i-10) + x(3)\n end do", "x(i-10) may be x(i) of an earlier iteration"},
		{"do i = 1, n - 10\n x(i) = x(i+10)\n y(i) = x(i)\n end do", ""},
		{"do i = 1, n\n x(i) = y(i)\n x(n+1-i) = 1\n end do", "x(i) and x(41-i) may be one element"},
		{"do i = 1, n, 2\n x(i) = y(i)\n end do", ""},
		{"do i = 1, n - 1, 2\n z = x(i)\n x(i) = x(i+1)\n x(i+1) = z\n end do", ""},
		{"do i = 1, n - 2, 2\n x(i) = x(i+2)\n x(i+1) = x(i)\n end do", ""},
		{"do i = 3, n, 2\n x(i) = x(i-2) + 1\n end do", "x(i-2) may be x(i) of an earlier iteration"},
		{"do i = 2 + mod(m, 2), n - 1, 2\n x(i) = x(i-1) + x(i+1)\n end do", ""},
		{"do i = n, 1, -1\n x(i) = y(i) + e(n+1-i)\n end do", ""},
		{"do i = n - 1, 1, -1\n x(i) = x(i+1) + 1\n end do", "x(i+1) may be x(i) of an earlier iteration"},
		{"do i = 1, n, 3\n s = s + x(i)\n end do", ""},
		{"do i = n, 1, -2\n s = s + x(i)\n end do", ""},
		{"do i = 1, n, m\n x(i) = sqrt(y(i))*e(i) + 1/y(i)\n end do", ""},
		{"do i = m, n, 2*m\n x(i) = sqrt(x(i-m)/y(i) + x(i+m)*2)/e(i) + exp(x(i+m))\n end do", ""},
		{"do i = m, n, m\n x(i) = (x(i-m)/y(i) + x(i+m))/e(i)\n end do", "x(i-m) may be x(i) of an earlier iteration"},
		{"do i = 1, n, m\n s = s + x(i)*y(i)\n end do", "its step is not constant"},
		{"do i = 1, n\n s = s + x(n+1-i)*y(i)\n end do", ""},
		{"do i = 1, n\n y(i) = x(i)*a(k,i)\n end do", ""},
		{"do i = 2, n - 1\n if (mod(i + k, 2) == m) x(i) = x(i-1) + x(i+1)\n end do", ""},
		{"do i = 4, n\n if (mod(i + k, 3) == m) x(i) = x(i-3) + 1\n end do", "x(i-3) may be x(i) of an earlier iteration"},
		{"do i = 2, n - 1\n if (mod(i, 2) == 0) then\n x(i) = x(i-1)\n else\n x(i) = x(i+1)\n end if\n end do", "x(i-1) may be x(i) of an earlier iteration"},
		{"do i = 2, n - 1\n if (i < k) x(i) = y(i)\n if (i > k) y(i) = x(i-1)\n end do", ""},
		{"do i = 2, n - 1\n if (i < k) x(i) = y(i)\n if (i >= k) y(i) = x(i-1)\n end do", "x(i-1) may be x(i) of an earlier iteration"},
		{"do i = 1, n\n b(i,3) = a(mod(i, n) + 1,7)*2\n end do", ""}, // from the temporary of a communication
		{"do i = 1, n\n a(k,i) = 1\n end do", "a(k,i) does not go through consecutive elements, and little is computed with it"},
		{"do i = 1, n\n l(i) = l(i)/3 + mod(i, 7)\n end do", ""},
		{"do i = 1, n\n l(i) = l(i)/m\n end do", "l(i)/m divides integers"},
		{"do i = 1, n\n x(i) = exp(x(i)) + log(y(i))\n end do", ""},
		{"do i = 1, n\n x(i) = tan(x(i))**x(i+1) + atan2(sin(x(i)), cos(y(i)))\n end do", ""},
		{"do i = 1, n\n x(i) = x(i)**1.5d0\n end do", ""},
		{"do i = 1, n\n l(i) = nint(x(i)) + floor(y(i)) - ceiling(x(i)) + modulo(l(i), 3) + l(i)**2\n end do", ""},
		{"do i = 1, n\n x(i) = mod(x(i), y(i)) + modulo(x(i), 2.5d0) + dim(x(i), y(i)) + x(i)**l(i) + aint(y(i)) + anint(x(i))\n end do", ""},
		{"do i = 1, n\n if (btest(l(i), 3)) x(i) = y(i)\n end do", ""},
		{"do i = 1, n\n f(i) = x(i) > y(i) .and. .not. f(i)\n end do", ""},
		{"do i = 1, n\n if (f(i)) x(i) = merge(y(i), x(i), f(i) .or. x(i) < 0)\n end do", ""},
		{"do i = 1, n\n l(i) = popcnt(l(i))\n end do", "popcnt is no function of kernels"},
		{"do i = 1, n\n x(i) = y(l(i))\n end do", ""},
		{"do i = 1, n\n x(i) = x(l(i))\n end do", "x(i) may be an element that another subscript picks"},
		{"do i = 1, n\n s = s + x(l(i))\n end do", "s is added up in the order of the source"},
		{"do i = 1, n\n s = x(i)\n end do", "the last value of s is used behind it"},
		{"do i = 1, n\n t = x(i)*s\n y(i) = t + s\n s = t\n end do", "s passes from one iteration to the next"},
		{"do i = 1, n\n s = s + x(i)\n t = max(t, x(i))\n end do", ""},
		{"do i = 1, n\n if (x(i) > s) s = x(i)\n end do", "s is assigned under an IF, where max and min would do"},
		{"do i = 1, n\n if (abs(x(i)) > s) s = abs(x(i))\n end do", ""},
		{"do i = 1, n\n if (i > 3) x(i) = y(i-3)\n end do", ""},
		{"do i = 1, n\n if (x(i) > 0) x(i) = y(q)\n end do", "y(q) must be evaluated where its condition holds alone"},
		{"do i = 1, 4\n x(i) = y(i)\n end do", "it has 4 iterations"},
		{"do i = 1, n\n e(3) = e(3) + x(i)\n end do", ""},
		{"do i = 1, n\n e(3) = e(3) + x(i)*e(3)\n end do", "all iterations assign e(3)"},
		{"do i = 1, n\n e(3) = x(i)\n end do", "all iterations assign e(3)"},
		{"do i = 1, n\n e(3) = e(3) + x(i)\n y(i) = e(3)\n end do", "e(3) is used before it is added up"},
		{"do i = 1, n\n e(3) = e(3) + x(i)*e(4)\n end do", "e(3) is the same element in all iterations"},
		{"do j = 1, n\n do i = 2, n\n a(i,j) = a(i-1,j)\n end do\n end do", "a(i-1,j) may be a(i,j) of an earlier iteration; 4 iterations of the loop in line 15 take turns"},
		{"do j = 1, n\n do i = 1, n\n a(i,j) = a(i,j) + b(i,j)**3*2\n end do\n end do", ""},
		{"do i = 2, n\n a(m,i) = a(m,i-1)*a(k,q)\n s = max(s, a(m,i))\n end do", "PEs have to do with each other in its iterations"},
		// Planes that change places.
		{"q = 1\n k = 2\n do j = 1, 9\n do i = 1, n\n a(i,k) = a(i,q)*t\n s = max(s, abs(a(i,k) - a(i,q)))\n end do\n q = k\n k = 3 - k\n end do", ""},
		{"do j = 1, n\n do i = 1, n\n g(i,j,k) = g(i,j,q)*t\n s = max(s, abs(g(i,j,k) - g(i,j,q)))\n end do\n end do", ""}, // if they are two
		{"do j = 1, n\n do i = 2, n\n g(i,j,k) = g(i-1,j,k)*t\n end do\n end do", "g(i-1,j,k) may be g(i,j,k) of an earlier iteration; 4 iterations of the loop in line 15 take turns"},
		// Loops around short ones.
		{"do i = 3, n - 2\n z = 0\n do k = -2, 2\n z = z + e(k+3)*x(i+k)\n end do\n y(i) = z\n end do", ""},
		{"do i = 3, n - 2\n z = 0\n do k = -2, 2\n do q = -abs(k), abs(k), 2\n z = z + x(i+k)*q\n end do\n end do\n y(i) = z*k\n end do", ""},
		{"do i = 3, n - 2\n if (x(i) > 0) then\n do k = 2, 1, -1\n y(i) = y(i) + e(k)*x(i-k)\n end do\n end if\n end do", ""},
		{"do i = 3, n - 2\n do k = 0, 2\n if (k == 1) s = s + x(i+k)\n end do\n end do", ""},
		{"do i = 3, n\n do k = 1, 2\n y(i) = y(i) + y(i-k)\n end do\n end do", "it has 2 iterations"},
		{"do i = 1, n\n do k = 1, m\n y(i) = y(i) + e(k)\n end do\n end do", ""},
		{"do i = 1, n\n do k = 1, 5\n y(k) = y(k) + e(i)\n end do\n end do", "it has 5 iterations"},
		// Elements of arrays that are private to the iterations.
		{"do i = 1, n\n do k = 1, 3\n e(k) = x(i)*k\n end do\n do k = 1, 2\n y(i) = y(i) + e(k)*e(k+1)\n end do\n end do\n e = 0", ""},
		{"do i = 1, n\n z = 0\n do k = 1, 3\n z = z + (x(i) - e(k))**2/(e(k) + x(i)) + sqrt(x(i)*e(k))\n end do\n do k = 1, 2\n y(k) = y(k) + z*e(k)\n end do\n end do", ""},
		{"do i = 1, n\n z = 0\n do k = 1, m\n if (x(i) > z) z = z*0.5d0 + k\n end do\n y(i) = z\n end do", ""}, // several kernels
		{"do i = 1, n\n z = 0\n do k = 1, m\n if (x(i) > z) z = z*0.5d0 + k\n end do\n if (z > 1) s = s + z\n q = max(q, i)\n end do", ""},
		{"do i = 1, n\n z = 0\n s = s + x(i)\n do k = 1, m\n if (x(i) > z) z = z*0.5d0 + k\n end do\n s = s + z\n end do", "z passes from one iteration to the next"},
		{"do i = 1, n\n do k = 1, i\n y(i) = y(i) + a(i,k)*e(k)\n end do\n end do", ""},
		{"do i = 2, n\n do k = 1, m\n y(i) = y(i-1)*e(k)\n end do\n end do", "y(i) is the same element in all iterations"},
		{"do i = 1, n\n do k = 1, 65\n y(i) = y(i) + 1\n end do\n end do", ""},
		{"do i = 1, n\n do k = 1, 2\n y(i) = y(i) + 0.5d0**k\n end do\n end do", ""},
	} {
		p, err := front.SPMD("in.hpf", fmt.Sprintf(kernelProgram, c.loop))
		if err != nil {
			t.Fatalf("%s: %v", c.loop, err)
		}
		var verdicts []string
		for _, o := range []codegen.Options{{Target: kernel.Auto}, {Target: kernel.Go}, {Check: true}} {
			_, loops, err := codegen.EmitFiles(search.Make(p, plan.Handshake, nil, search.Options{}), o)
			if err != nil {
				t.Fatalf("%s: %v", c.loop, err)
			}
			found := false
			for _, l := range loops {
				if l.Line >= 15 {
					found = true
					verdicts = append(verdicts, l.Why)
				}
			}
			if !found {
				t.Errorf("%s: the loop is not listed", c.loop)
			}
		}
		for _, v := range verdicts {
			if v != c.why {
				t.Errorf("%s:\n%q, want %q", c.loop, verdicts, c.why)
				break
			}
		}
	}
}

// TestPieces: iterations that touch elements which are not there are no part of a call, if
// it is not seen that all are there.
func TestPieces(t *testing.T) {
	for loop, pieces := range map[string]bool{
		"do i = 1, n\n if (i > m) x(i) = y(i-m)\n end do":     true,
		"do i = 1, n\n if (i < n) x(i) = y(i+1)\n end do":     true,
		"do i = 1, n\n if (i /= m) x(i) = y(m-i)\n end do":    true,
		"do i = 1, n - 1\n if (i < k) x(i) = y(i+1)\n end do": false,
		"do i = 1, n\n if (x(i) > 0) x(i) = y(i)\n end do":    false,
	} {
		code := emit(t, "in.hpf", fmt.Sprintf(kernelProgram, loop), plan.Handshake, codegen.Options{Target: kernel.Auto})
		if got := strings.Contains(code, "y.Before(0)"); got != pieces {
			t.Errorf("%s: pieces %v, want %v", loop, got, pieces)
		}
	}
}

// TestJam: how many iterations of the loops around a kernel are one call, in the order of
// the text.
func TestJam(t *testing.T) {
	at := regexp.MustCompile(`// (\d+) iterations at once`)
	for _, c := range []struct {
		nest string
		want string
	}{
		{"do j = 2, n - 1\n do i = 2, n - 1\n b(i,j) = a(i-1,j) + a(i+1,j) + a(i,j)\n end do\n end do", ""}, // no load is saved
		{"do j = 2, n - 1\n do i = 1, n\n b(i,j) = a(i,j-1) + a(i,j+1) + g(i,j,1)\n end do\n end do", "4"},
		{"do j = 2, n - 1\n do i = 1, n\n b(i,j) = a(i,j-1) + a(i,j+1) + g(i,j,1) + g(i,j,2)\n end do\n end do", ""}, // 18 places
		{"do j = 1, n\n do k = 1, n\n do i = 1, n\n b(i,j) = b(i,j) + x(i)*y(k)\n end do\n end do\n end do", "8"},
		{"do j = 1, n\n do i = 1, n\n a(i,j) = a(i,j) - x(i)*e(j)\n end do\n end do", "4"},
		{"do j = 1, n\n do i = 2, n\n a(i,j) = a(i,j) - x(i)*a(1,j)\n end do\n end do", "4"},
		{"do j = 1, n\n do i = j, n\n a(i,j) = a(i,j) - x(i)*e(j)\n end do\n end do", "4"}, // a triangle
		{"do j = 1, n\n t = 0\n do i = j, n\n t = t + a(i,j)*x(i)\n end do\n y(j) = t\n end do", "4"},
		{"do j = 1, n\n t = e(j)\n do i = 1, n\n x(i) = x(i) + a(i,j)*t\n end do\n end do", "8"},
		{"do j = 1, n\n t = x(j)\n do i = 1, n\n x(i) = x(i) + a(i,j)*t\n end do\n end do", ""}, // of the iteration before
		{"do j = 1, n\n do i = j, min(n, j + 20)\n x(i) = x(i) + a(i,j)*e(j)\n end do\n end do", ""},
		{"do k = 1, n - 1\n do i = 2, n\n x(i-1) = x(i)*e(k) + y(i)\n end do\n end do", ""},
		{"do j = 1, n\n do k = 2, n\n do i = 2, n\n b(i,j) = b(i,j) + x(i)*b(1,j)\n end do\n end do\n end do", "8"},
		{"do j = 1, n\n do k = 2, n\n do i = 1, n\n b(i,j) = b(i,j) + a(i,k)*e(k)\n end do\n end do\n end do", "4 4 8"}, // a tile
		{"do j = 1, n\n do k = j, n\n do i = 1, n\n b(i,j) = b(i,j) + a(i,k)*e(k)\n end do\n end do\n end do", "8"},
		{"do k = 1, n\n do j = 1, n\n do i = 1, n\n b(i,j) = b(i,j) + a(i,k)*e(k)\n end do\n end do\n end do", "4"},
		{"do k = 1, 9\n do j = 1, 9\n do i = 1, n\n if (a(i,k) > a(i,j)) b(i,1) = a(i,k)\n end do\n end do\n end do", "8"},
		{"do k = 1, 9\n do j = 1, 9\n do i = 1, n\n b(i,j+k) = b(i,j+k)*e(k) + x(i)\n end do\n end do\n end do", "4"},
		{"do j = 1, n\n do k = 2, n\n do i = 1, n\n b(i,j) = b(i,j) + x(i)*b(1,j)\n end do\n end do\n end do", ""},
		// Each iteration waits for the one before, so that some of the loop around take turns.
		{"do j = 1, n\n do i = 2, n\n b(i,j) = b(i-1,j)*s + a(i,j)\n end do\n end do", "4"},
		{"do j = 1, n\n z = e(j)\n do i = 1, n\n z = z*s + a(i,j)\n b(i,j) = z\n end do\n b(1,j) = z\n end do", "4"},
		{"do j = 1, n\n b(n,j) = 0\n do i = n - 1, 1, -1\n b(i,j) = a(i,j) - e(i)*b(i+1,j)\n end do\n end do", "4"},
		{"do j = 1, n - 2\n do i = 2, n\n b(i,j) = (b(i-1,j)*s + a(i,j) + a(i,j+1) + a(i,j+2) + g(i,j,1) + g(i,j,2) + x(i))/e(i)\n end do\n end do", "2"},
		{"do j = 2, n\n do i = 2, n\n b(i,j) = b(i-1,j)*s + b(i,j-1)\n end do\n end do", "4"}, // each behind the one before
		{"do j = 2, n\n do i = 2, n - 1\n b(i,j) = b(i-1,j)*s + b(i+1,j-1)\n z = max(z, b(i,j))\n end do\n end do", "4"},
		{"do j = 2, n\n do i = 9, n - 7\n b(i,j) = b(i-1,j)*s + b(i+7,j-1)\n end do\n end do", ""}, // too far behind
		{"do j = 2, n\n do i = 2, n\n b(i,j) = b(i-1,j)*s + b(j,i)\n end do\n end do", ""},
		{"do j = 1, n\n do i = 2, j\n b(i,j) = b(i-1,j)*s + a(i,j)\n end do\n end do", ""},                      // not equally long
		{"do j = 1, n\n do i = 2, n\n b(i,j) = b(i-1,j)*s + a(i,j)\n end do\n s = s + e(j)\n end do", ""},       // s goes on
		{"do j = 1, n\n do i = 2, n\n b(i,j) = b(i-1,j)*0.5d0 + a(i,j)\n s = s + b(i,j)\n end do\n end do", ""}, // in order
		{"do j = 1, n\n do i = 2, n\n b(i,j) = b(i-1,j)*s + x(l(i))\n end do\n end do", ""},
	} {
		code := emit(t, "in.hpf", fmt.Sprintf(kernelProgram, c.nest), plan.Handshake, codegen.Options{Target: kernel.Auto})
		var numbers []string
		for _, m := range at.FindAllStringSubmatch(code, -1) {
			numbers = append(numbers, m[1])
		}
		got := strings.Join(numbers, " ")
		if got != c.want {
			t.Errorf("%s:\n%q at once, want %q\n%s", c.nest, got, c.want, code[strings.Index(code, "func run"):])
		}
	}
}

// TestFused: with fast, in all forms of a kernel and nowhere else, and with the others never.
func TestFused(t *testing.T) {
	text := fmt.Sprintf(kernelProgram, "do i = 1, n\n x(i) = x(i)*s + y(i)\n end do\n s = s*t + x(1)\n do i = 2, n\n y(i) = y(i-1)*s + x(i)\n end do")
	for _, o := range []codegen.Options{{}, {Check: true}, {Target: kernel.Auto}, {FP: codegen.Fast}, {FP: codegen.Fast, Check: true}, {FP: codegen.Fast, Target: kernel.Auto}} {
		p, err := front.SPMD("in.hpf", text)
		if err != nil {
			t.Fatal(err)
		}
		files, _, err := codegen.EmitFiles(search.Make(p, plan.Handshake, nil, search.Options{}), o)
		if err != nil {
			t.Fatal(err)
		}
		all := string(files["main.go"]) + string(files["kernels.go"])
		want := 0
		if o.FP == codegen.Fast {
			want = 1
		}
		if n := strings.Count(all, "math.FMA("); n != want {
			t.Errorf("%+v: %d sums are fused, want %d", o, n, want)
		}
		if n := strings.Count(string(files["kernels_amd64.s"]), "VFMADD"); (n > 0) != (want > 0 && o.Target != "") {
			t.Errorf("%+v: %d fused instructions", o, n)
		}
	}
}
