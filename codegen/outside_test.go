package codegen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

const (
	vectors = "vectors" // a, b and c of 8 elements, all distributed alike
	planes  = "planes"  // g and h of 6 by 8, whose rows are distributed
)

// A bounded program reads k and executes statements that stay within all bounds for
// one value, and just do not for the other.
type bounded struct {
	name, arrays   string
	declarations   string
	body           string
	inside, beyond int
	message        string // for beyond
}

var boundeds = []bounded{
	{"scalar", vectors, "", "a(k) = 3", 8, 99, "20: PE 0: index out of range: a(k), dimension 1 is 99"},
	{"scalarlow", vectors, "", "a(k) = 3", 1, 0, "20: PE 0: index out of range: a(k), dimension 1 is 0"},
	{"scalarread", vectors, "", "s = a(k)", 8, 9, "20: PE 0: index out of range: a(k), dimension 1 is 9"},
	{"offset", vectors, "", "a(2*k+1) = 3", 3, 4, "20: PE 0: index out of range: a(2*k+1), dimension 1 is 9"},
	{"loop", vectors, "", `do i=1,k
 a(i)=i
end do`, 8, 9, "21: PE 0: index out of range: a(i), dimension 1 is 9"},
	{"looplow", vectors, "", `do i=k,8
 a(i)=i
end do`, 1, 0, "21: PE 0: index out of range: a(i), dimension 1 is 0"},
	{"loopread", vectors, "", `do i=1,k
 a(i)=b(i)
end do`, 8, 9, "21: PE 0: index out of range: b(i), dimension 1 is 9"},
	{"zerotrip", vectors, "", `do i=100,k
 a(i)=b(i)
end do`, 99, 100, "21: PE 0: index out of range: b(i), dimension 1 is 100"},
	{"down", vectors, "", `do i=8,k,-1
 a(i)=i
end do`, 1, -1, "21: PE 0: index out of range: a(i), dimension 1 is -1"},
	{"strided", vectors, "", `do i=1,k,3
 a(i)=i
end do`, 9, 10, "21: PE 0: index out of range: a(i), dimension 1 is 10"},
	{"downstride", vectors, "", `do i=8,k,-3
 a(i)=i
end do`, 0, -1, "21: PE 0: index out of range: a(i), dimension 1 is -1"},
	{"varstep", vectors, "", `m=k
do i=2,8,m
 a(i)=i
end do
do i=1,3
 a(i*m)=1
end do`, 2, 3, "25: PE 0: index out of range: a(sub.1), dimension 1 is 9"},
	{"negcoef", vectors, "", `do i=1,k
 a(9-i)=i
end do`, 8, 9, "21: PE 0: index out of range: a(9-i), dimension 1 is 0"},
	{"shift", vectors, "", `do i=2,k
 a(i)=b(i+1)
end do`, 7, 8, "21: PE 0: index out of range: b(i+1), dimension 1 is 9"},
	{"shiftlow", vectors, "", `do i=k,8
 a(i)=b(i-1)
end do`, 2, 1, "21: PE 0: index out of range: b(i-1), dimension 1 is 0"},
	{"remap", vectors, "", `do i=1,k
 a(i)=b(2*i)
end do`, 4, 5, "21: PE 0: index out of range: b(2*i), dimension 1 is 10"},
	{"reverse", vectors, "", `do i=1,8
 a(i)=b(k-i)
end do`, 9, 10, "21: PE 0: index out of range: b(k-i), dimension 1 is 9"},
	{"bcast", vectors, "", `do i=1,8
 a(i)=b(k)
end do`, 8, 9, "21: PE 0: index out of range: b(k), dimension 1 is 9"},
	{"gather", vectors, "integer ix(8)", `do i=1,8
 ix(i)=i
end do
ix(3)=k
do i=1,8
 a(i)=b(ix(i))
end do`, 8, 9, "26: PE 0: index out of range: b(ix(i)), dimension 1 is 9"},
	{"scatter", vectors, "integer ix(8)", `do i=1,8
 ix(i)=i
end do
ix(3)=k
do i=1,8
 a(ix(i))=i
end do`, 8, 9, "26: PE 0: index out of range: a(sub.1), dimension 1 is 9"},
	{"scatterdist", vectors, `integer jx(8)
!HPF$ ALIGN jx(i) WITH a(i)`, `do i=1,8
 jx(i)=i
end do
jx(3)=k
do i=1,8
 a(jx(i))=i
end do`, 8, 9, "27: PE 0: index out of range: a(sub.1), dimension 1 is 9"},
	{"gatherdist", vectors, `integer jx(8)
!HPF$ ALIGN jx(i) WITH a(i)`, `do i=1,8
 jx(i)=i
end do
jx(3)=k
do i=1,8
 a(i)=b(jx(i))
end do`, 8, 0, "index out of range: b(jx(i)), dimension 1 is 0"},
	{"gathercond", vectors, `integer jx(8)
!HPF$ ALIGN jx(i) WITH a(i)`, `do i=1,8
 jx(i)=i
end do
do i=1,8
 if (b(jx(i))>=0) a(i+k)=b(jx(i))
end do`, 0, 1, "26: PE 0: index out of range: a(i+k), dimension 1 is 9"},
	{"indexpriv", vectors, "integer ix(8)", `do i=1,8
 ix(i)=i
end do
ix(8)=k
do i=1,8
 m=ix(i)
 a(m)=i
end do`, 8, 9, "27: PE 0: index out of range: a(m), dimension 1 is 9"},
	{"sum", vectors, "", `do i=1,k
 s=s+a(i)
end do`, 8, 9, "21: PE 0: index out of range: a(i), dimension 1 is 9"},
	{"max", vectors, "", `do i=1,k
 s=max(s,a(i)*b(i))
end do`, 8, 9, "21: PE 0: index out of range: a(i), dimension 1 is 9"},
	{"dot", vectors, "", `do i=1,8
 s=s+a(i)*b(i+k)
end do`, 0, 1, "21: PE 0: index out of range: b(i+k), dimension 1 is 9"},
	{"pipe", vectors, "", `do i=2,k
 a(i)=a(i-1)+b(i)
end do`, 8, 9, "21: PE 0: index out of range: b(i), dimension 1 is 9"},
	{"pipelow", vectors, "", `do i=k,8
 a(i)=a(i-1)+b(i)
end do`, 2, 1, "21: PE 0: index out of range: a(i-1), dimension 1 is 0"},
	{"guardidx", vectors, "", `do i=0,9
 if (i>=1 .and. i<=k) a(i)=i
end do`, 8, 9, "21: PE 0: index out of range: a(i), dimension 1 is 9"},
	{"guardcycle", vectors, "", `do i=0,9
 if (i<1) cycle
 if (i>k) cycle
 a(i)=i
end do`, 8, 9, "23: PE 0: index out of range: a(i), dimension 1 is 9"},
	{"guardexit", vectors, "", `do i=1,20
 if (i>k) exit
 a(i)=i
end do`, 8, 9, "22: PE 0: index out of range: a(i), dimension 1 is 9"},
	{"guarddata", vectors, "", `b(k)=100
do i=1,8
 if (b(i)>50) a(i-1)=i
end do`, 2, 1, "22: PE 0: index out of range: a(i-1), dimension 1 is 0"},
	{"guarddatafar", vectors, "", `b(k)=100
do i=1,8
 if (b(i)>50) a(i+3)=i
end do`, 5, 6, "22: PE 0: index out of range: a(i+3), dimension 1 is 9"},
	{"guardelse", vectors, "", `b(k)=100
do i=1,8
 if (b(i)<50) then
  c(i)=i
 else
  a(i+3)=i
 end if
end do`, 5, 6, "25: PE 0: index out of range: a(i+3), dimension 1 is 9"},
	{"guardread", vectors, "", `b(k)=100
do i=1,8
 if (b(i)>50) c(i)=a(i+3)
end do`, 5, 6, "22: PE 0: index out of range: a(i+3), dimension 1 is 9"},
	{"andguard", vectors, "", `do i=1,8
 if (i<=k) then
 if (b(i+1)>0) c(i)=1
 end if
end do`, 7, 8, "22: PE 0: index out of range: b(i+1), dimension 1 is 9"},
	{"whole2", planes, "", `do j=1,8
 do i=1,k
  g(i,j)=i
 end do
end do`, 6, 7, "22: PE 0: index out of range: g(i,j), dimension 1 is 7"},
	{"collapsed", planes, "", `do j=1,k
 do i=1,6
  g(i,j)=i
 end do
end do`, 8, 9, "22: PE 0: index out of range: g(i,j), dimension 2 is 9"},
	{"collapsedread", planes, "", `do j=1,8
 do i=1,6
  g(i,j)=h(i,j+k)
 end do
end do`, 0, 1, "22: PE 0: index out of range: h(i,j+k), dimension 2 is 9"},
	{"row", planes, "", `do j=1,8
 g(k,j)=j
end do`, 6, 7, "21: PE 0: index out of range: g(k,j), dimension 1 is 7"},
	{"column", planes, "", `do i=1,6
 g(i,k)=j
end do`, 8, 0, "21: PE 0: index out of range: g(i,k), dimension 2 is 0"},
	{"triangle", planes, "", `do j=1,6
 do i=j,k
  g(i,j)=i
 end do
end do`, 6, 7, "22: PE 0: index out of range: g(i,j), dimension 1 is 7"},
	{"triangle2", planes, "", `do j=1,6
 do i=1,j
  g(i+k,j)=i
 end do
end do`, 0, 1, "22: PE 0: index out of range: g(i+k,j), dimension 1 is 7"},
	{"coupled", planes, "", `do j=1,k
 do i=1,3
  g(i,i+j)=i
 end do
end do`, 5, 6, "22: PE 0: index out of range: g(i,i+j), dimension 2 is 9"},
	{"diagonal", planes, "", `do j=1,k
 g(j,j)=j
end do`, 6, 7, "21: PE 0: index out of range: g(j,j), dimension 1 is 7"},
	{"replread", vectors, "", `do i=1,8
 a(i)=w(i+k)
end do`, 0, 1, "21: PE 0: index out of range: w(i+k), dimension 1 is 9"},
	{"replwrite", vectors, "", `do i=1,8
 w(i+k)=i
end do`, 0, 1, "21: PE 0: index out of range: w(i+k), dimension 1 is 9"},
	{"carried", vectors, "", `m=0
do i=1,8
 m=m+1
 a(m+k)=i
end do`, 0, 1, "23: PE 0: index out of range: a(m+k), dimension 1 is 9"},
	{"while", vectors, "", `m=0
do while (m<k)
 m=m+1
 a(m)=b(1)
end do`, 8, 9, "23: PE 0: index out of range: a(m), dimension 1 is 9"},
	{"fallback", vectors, "", `do i=1,k
 a(i)=a(9-i)+b(i)
end do`, 8, 9, "21: PE 0: index out of range: a(9-i), dimension 1 is 0"},
	{"storeback", vectors, "", `do i=1,8
 a(mod(i*3,8)+k)=i
end do`, 1, 2, "21: PE 0: index out of range: a(sub.1), dimension 1 is 9"},
	{"called", vectors, "", "call put(a,k)", 8, 9, "28: PE 0: index out of range: a(put_i), dimension 1 is 9"},
	{"calledshape", vectors, "", "call low(a,k)", 7, 8, "36: PE 0: index out of range: a(low_i+1), dimension 1 is 9"},
	{"twolines", vectors, "", `a(1)=1
do i=1,k
 c(i)=b(i)
 a(i)=c(i)+1
end do`, 8, 9, "22: PE 0: index out of range: b(i), dimension 1 is 9"},
	{"shorter", vectors, `real(8) d(5)
!HPF$ ALIGN d(i) WITH a(i)`, `do i=1,k
 d(i)=i
end do`, 5, 6, "23: PE 0: index out of range: d(i), dimension 1 is 6"},
	{"strali", vectors, `real(8) d(3)
!HPF$ ALIGN d(i) WITH a(2*i+1)`, `do i=1,k
 d(i)=b(i)
end do`, 3, 4, "23: PE 0: index out of range: d(i), dimension 1 is 4"},
	{"negali", vectors, `real(8) d(-1:3)
!HPF$ ALIGN d(i) WITH a(6-i)`, `do i=k,3
 d(i)=b(i+2)
end do`, -1, -2, "23: PE 0: index out of range: b(i+2), dimension 1 is 0"},
	{"one", vectors, `real(8) d(1)
!HPF$ DISTRIBUTE d(%[1]s)`, `do i=1,k
 d(i)=i
end do`, 1, 2, "23: PE 0: index out of range: d(i), dimension 1 is 2"},
	{"outerloop", vectors, "", `do j=1,3
 do i=1,j+k
  a(i)=b(i)
 end do
end do`, 5, 6, "22: PE 0: index out of range: b(i), dimension 1 is 9"},
	{"print", vectors, "", "print *, a(k)", 8, 9, "20: PE 0: index out of range: a(k), dimension 1 is 9"},
	{"printimplied", vectors, "", "print *, (a(i),i=1,k)", 8, 9, "20: PE 0: index out of range: a(i), dimension 1 is 9"},
	{"ifcond", vectors, "", "if (a(k)>3) s=1", 8, 9, "20: PE 0: index out of range: a(k), dimension 1 is 9"},
}

// text is the program with the arrays distributed by format, or, with format "", the
// subroutine for gfortran.
func (b *bounded) text(format string) string {
	var s strings.Builder
	unit := "program p"
	if format == "" {
		unit, format = "subroutine "+b.name+"_test", "BLOCK"
	}
	fmt.Fprintf(&s, "%s\nimplicit none\ninteger i,j,k,m\nreal(8) s,w(8)\n", unit)
	fill := ""
	if b.arrays == vectors {
		fmt.Fprintf(&s, "real(8) a(8),b(8),c(8)\n!HPF$ DISTRIBUTE a(%s)\n!HPF$ ALIGN b(i) WITH a(i)\n!HPF$ ALIGN c(i) WITH a(i)\n", format)
		fill = "do i=1,8\n a(i)=i\n b(i)=i\n c(i)=i\nend do\n"
	} else {
		fmt.Fprintf(&s, "real(8) g(6,8),h(6,8)\n!HPF$ DISTRIBUTE g(%s,*)\n!HPF$ ALIGN h(i,j) WITH g(i,j)\n", format)
		fill = "do j=1,8\n do i=1,6\n  g(i,j)=i+j\n  h(i,j)=i-j\n end do\nend do\n"
	}
	if b.declarations != "" {
		s.WriteString(strings.ReplaceAll(b.declarations, "%[1]s", format) + "\n")
	}
	fmt.Fprintf(&s, "read *,k\ns=0\nm=1\ndo i=1,8\n w(i)=i\nend do\n%s%s\nprint *,'end',s\n", fill, b.body)
	if strings.HasPrefix(b.body, "call") {
		s.WriteString(procedures)
	}
	kind, _, _ := strings.Cut(unit, " ")
	fmt.Fprintf(&s, "end %s\n", kind)
	return s.String()
}

const procedures = `contains
subroutine put(x,n)
real(8) x(8)
integer n,i
!HPF$ INHERIT x
do i=1,n
 x(i)=i
end do
end subroutine
subroutine low(x,n)
real(8) x(0:)
integer n,i
!HPF$ INHERIT x
do i=0,n
 x(i)=i
end do
end subroutine
`

// TestOutOfBounds: a check build reports each subscript out of bounds, on any number of
// PEs, once, the same way, and no other. gfortran with -fcheck=all finds the same.
func TestOutOfBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds programs")
	}
	mains := map[string][]byte{}
	formats := func(i int) []string { // both, or one for this program and the other for the next
		k := i % 2
		return []string{"BLOCK", "CYCLIC", "BLOCK"}[k:][:effort.Of(2, 1)]
	}
	boundeds := slices.DeleteFunc(slices.Clone(boundeds), func(b bounded) bool { return !effort.Share(b.name, 3) })
	for i, b := range boundeds {
		for _, format := range formats(i) {
			mains[strings.ToLower(b.name+"_"+format)] = []byte(emit(t, "p.hpf", b.text(format), plan.Elide, codegen.Options{Check: true}))
		}
	}
	dir := t.TempDir()
	all, err := bundletest.Build(dir, mains)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range boundeds {
		for _, format := range formats(i) {
			name := strings.ToLower(b.name + "_" + format)
			numbers := []string{"1", "3", "11"}
			if format == "CYCLIC" {
				numbers = []string{"4"}
			}
			for _, n := range numbers {
				stdout, stderr, err := run(t, all, fmt.Sprint(b.inside), name, "-n", n)
				if err != nil || !strings.Contains(stdout, "end") {
					t.Errorf("%s on %s PEs, k = %d: %v\n%s", name, n, b.inside, err, stderr)
				}
				stdout, stderr, err = run(t, all, fmt.Sprint(b.beyond), name, "-n", n)
				if err == nil || !strings.Contains(stderr, b.message+"\n  the declared bounds are ") || strings.Count(stderr, "\n") != 2 {
					t.Errorf("%s on %s PEs, k = %d: %v\n%s%swant %s", name, n, b.beyond, err, stdout, stderr, b.message)
				}
			}
		}
	}
	t.Run("gfortran", func(t *testing.T) {
		effort.Tool(t, "gfortran", "gfortran")
		var text strings.Builder
		text.WriteString("program all\ncharacter(len=40) name\nread '(a)', name\nselect case (name)\n")
		for _, b := range boundeds {
			fmt.Fprintf(&text, "case ('%s')\ncall %s_test\n", b.name, b.name)
		}
		text.WriteString("end select\nend program\n")
		for _, b := range boundeds {
			text.WriteString(b.text(""))
		}
		source, program := filepath.Join(dir, "all.f90"), filepath.Join(dir, "all.out")
		if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("gfortran", "-w", "-fcheck=all", "-fno-backtrace", source, "-o", program).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, b := range boundeds {
			stdout, stderr, err := run(t, program, fmt.Sprintf("%s\n%d\n", b.name, b.inside))
			if err != nil || !strings.Contains(stdout, "end") {
				t.Errorf("%s, k = %d: %v\n%s", b.name, b.inside, err, stderr)
			}
			if _, stderr, err = run(t, program, fmt.Sprintf("%s\n%d\n", b.name, b.beyond)); err == nil || !strings.Contains(stderr, "bound") {
				t.Errorf("%s, k = %d: gfortran says %v\n%s", b.name, b.beyond, err, stderr)
			}
		}
	})
}
