package codegen_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

// texts has long CHARACTER values, few of which are written out; %s is the length of one.
const texts = `program texts
  implicit none
  character(len=%s) :: c
  character(len=100000) :: d = 'abc'
  character(len=60000), parameter :: e = 'xy'
  character(len=1000) :: f
  c = 'hello'
  f = e
  print *, len(d), len_trim(c), c(1:5), len_trim(d), f(1:2), len_trim(f)
  d = e // e // 'z'
  print *, len(e//e//'z'), len_trim(d), d(60001:60002)
  f = adjustr(e)
  print *, len_trim(f), c == 'hello', e//e == 'xy', 'xy' // e == 'xyx', e // 'a' > 'xy'
  c(len(c):len(c)) = 'e'
  print *, len_trim(c) - len(c), index(c, 'e', .true.) - len(c), index(c, 'e')
end program
`

// TestLongTexts: a program whose texts are long is not, and is not long to make.
func TestLongTexts(t *testing.T) {
	for _, check := range []bool{false, true} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code := emit(t, "texts.hpf", fmt.Sprintf(texts, "10**8"), plan.Elide, codegen.Options{Check: check})
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 50<<20 {
			t.Errorf("making it takes %d bytes", n)
		}
		if strings.Contains(code, strings.Repeat(" ", 256)) || len(code) > 20_000 {
			t.Errorf("%d bytes, or long runs of blanks", len(code))
		}
	}
}

// TestLimits: arrays at the ends of the largest templates, stretched over all of one,
// and with far bounds of their own, and programs with long texts compute what
// gfortran's programs do.
func TestLimits(t *testing.T) {
	const source = `program far
  implicit none
  integer(8), parameter :: m = %s
  integer(8) :: i
  integer :: k
  real(8) :: a(m+1:m+10), b(m+1:m+10), s
!%sHPF$ TEMPLATE t(%s)
!%sHPF$ ALIGN a(i) WITH t(%s)
!HPF$ ALIGN b(i) WITH a(i)
!HPF$ DISTRIBUTE %s
  do i = m + 1, m + 10
    a(i) = (i-m)**2
    b(i) = 0
  end do
  do i = m + 2, m + 9
    b(i) = a(i-1) + 2*a(i+1)
  end do
  do i = m + 2, m + 9
    b(i) = b(i) + b(i-1)
  end do
  k = 0
  do while (k < 3)
    k = k + 1
    do i = m + 1, m + k
      b(i) = a(m+10-k) + b(i)
    end do
  end do
  s = 0
  do i = m + 1, m + 10
    s = s + b(i)*(i-m)
  end do
  print *, s, b(m+3), b(m+10)
end program
`
	if testing.Short() {
		t.Skip("long: it builds programs")
	}
	mains := map[string][]byte{}
	add := func(bounds, template, align string) {
		for _, format := range []string{"BLOCK", "CYCLIC"} {
			skip, what := "", "t"
			if template == "" {
				skip, what = " ", "a"
			}
			src := fmt.Sprintf(source, bounds, skip, template, skip, align, what+"("+format+")")
			name := fmt.Sprintf("far%d", len(mains))
			mains[name] = []byte(emit(t, name+".hpf", src, plan.Elide, codegen.Options{Check: true}))
		}
	}
	add("0", "281474976710656_8", "i + 281474976710646_8")
	add("-281474976710656_8", "", "i")
	if effort.All() {
		add("0", "-281474976710655_8:0", "-i - 281474976710645_8")
		add("0", "281474976710656_8", "28147497671065_8*i")
		add("0", "281474976710656_8", "-28147497671065_8*i + 281474976710651_8")
		add("281474976710646_8", "", "i")
	}
	mains["texts"] = []byte(emit(t, "texts.hpf", fmt.Sprintf(texts, "10**7"), plan.Elide, codegen.Options{}))
	// Of so many loops, those that assign elements alone are functions of their own.
	long, pairs := strings.Builder{}, 120
	long.WriteString("program long\n  integer, parameter :: n = 30\n  integer :: i\n  real(8) :: a(n), b(n), s\n!HPF$ DISTRIBUTE a(BLOCK)\n!HPF$ ALIGN b(i) WITH a(i)\n" +
		"  do i = 1, n\n    a(i) = i\n    b(i) = 0\n  end do\n  s = 0\n")
	for k := range pairs {
		fmt.Fprintf(&long, "  do i = 2, n\n    b(i) = a(i-1) + %d\n  end do\n  do i = n - 1, 1, -1\n    if (b(i) > 2) a(i) = b(i+1)\n  end do\n  do i = 1, n\n    s = s + a(i)\n  end do\n", k)
	}
	long.WriteString("  print *, s, a(7), b(30)\nend program\n")
	mains["long"] = []byte(emit(t, "long.hpf", long.String(), plan.Elide, codegen.Options{}))
	if n := strings.Count(string(mains["long"]), "pe.Apart(func() {"); n < 2*pairs || n > 2*pairs+1 {
		t.Errorf("%d loops of the long program are functions", n)
	}
	if !effort.All() {
		delete(mains, "long") // takes seconds to compile
	}
	program, err := bundletest.Build(t.TempDir(), mains)
	if err != nil {
		t.Fatal(err)
	}
	const far = "21885.000000000000 104.00000000000000 0.0000000000000000" // gfortran's
	for name := range mains {
		want := far
		switch name {
		case "long":
			want = "8119121.0000000000 7147.0000000000000 7169.0000000000000" // gfortran's
		case "texts":
			want = "100000 5 hello 3 xy 2 120001 60002 xy 0 T F F T 0 0 2" // gfortran's too
		}
		for _, n := range []string{"1", "3", "4", "7"} {
			stdout, stderr, err := run(t, program, "", name, "-n", n)
			if got := strings.Join(strings.Fields(stdout), " "); err != nil || got != want {
				t.Errorf("%s on %s PEs: %v, prints %q, want %q\n%s", name, n, err, got, want, stderr)
			}
		}
	}
}
