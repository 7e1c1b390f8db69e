package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
)

// TestSlots: stages, rings of temporaries and ready messages on demand in the emitted
// program.
func TestSlots(t *testing.T) {
	const text = `program p
 integer :: i, t
 double precision :: a(1:16), b(1:16), c(1:16)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN (i) WITH a(i) :: b, c
 do i = 1, 16
  a(i) = i
 end do
 do t = 1, 30
  do i = 2, 15
   b(i) = a(i-1) + a(i+1)
  end do
  do i = 1, 16
   a(i) = 0.5d0*b(i)
  end do
  do i = 1, 16
   c(i) = a(17-i)
  end do
 end do
 print *, a(7), c(8)
end program
`
	code := emit(t, "in.hpf", text, plan.Elide, codegen.Options{})
	for _, want := range []string{
		"// Plan: elide.",
		"c1 := spmd.NewStaged[float64](pe, 0, a, 2, 0).OnDemand()",
		"c2 := spmd.NewStaged[float64](pe, 1, a, 2, 0).OnDemand()",
		"t3 := spmd.NewTemps[float64](pe, 1,",
		"c3 := spmd.NewComm(pe, 2, a, t3).Sync(spmd.Elided)",
	} {
		if !strings.Contains(code, want) {
			t.Errorf("%q is not in\n%s", want, code)
		}
	}
	handshake := emit(t, "in.hpf", text, plan.Handshake, codegen.Options{})
	for _, no := range []string{"NewStaged", "NewTemps", "OnDemand"} {
		if strings.Contains(handshake, no) {
			t.Errorf("%s in a program of plan handshake", no)
		}
	}
}

// TestElidedOn: the numbers of PEs on which there are no ready messages, in a program
// that has them on others.
func TestElidedOn(t *testing.T) {
	const text = `program p
 integer :: i, k
 double precision :: a(1:12), b(1:12)
!HPF$ DISTRIBUTE a(CYCLIC)
!HPF$ ALIGN b(i) WITH a(i)
 do i = 1, 12
  a(i) = i
  b(i) = 0
 end do
 do k = 1, 11
  do i = 1, 12
   b(i) = b(i) + a(k)
  end do
  a(k+1) = 2*a(k+1)
 end do
 print *, b(7)
end program
`
	c := front.Must(t, front.SPMD, text)
	made := search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{PEs: []int{2, 3}})
	if err := verify.Plan(made); err != nil {
		t.Fatal(err)
	}
	code, err := emitMain(made, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"t1 := spmd.NewTemps[float64](pe, 1,",
		"c1 := spmd.NewComm(pe, 0, a, t1).InPlace()\n",
		"c1.ElidedOn(2, 3).OnDemand() // no ready messages on so many PEs\n",
	} {
		if !strings.Contains(string(code), want) {
			t.Errorf("%q is not in\n%s", want, code)
		}
	}
}
