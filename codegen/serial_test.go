package codegen_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/procfunc"
)

// TestSerial: in the form of a loop for a PE that runs alone there is no communication, no
// question who owns an element, and no temporary; loops in it may be kernels; and labels are
// its own.
func TestSerial(t *testing.T) {
	c, err := front.SPMD("p.hpf", `program p
  implicit none
  integer, parameter :: n = 100
  double precision :: x(n), y(n), a(n,n), s
  integer :: i, j, k, h
!HPF$ DISTRIBUTE a(BLOCK,*)
!HPF$ ALIGN x(i) WITH a(i,*)
!HPF$ ALIGN y(i) WITH a(i,*)
  read *, h
outer: do k = 1, 100
    do i = h, n, 2
      x(i) = y(i) - x(i-h)
      do j = 1, n
        a(i,j) = a(i,j) + x(i)*y(j)
      end do
      s = 0
      do j = 1, n
        s = s + a(j,i)*y(j)
      end do
      if (x(i) > 100) cycle outer
      y(i) = s
    end do
    do i = h, n, 2
      x(i) = x(i) + x(i-h)
    end do
  end do outer
  print *, x(1), y(1)
end program p
`)
	if err != nil {
		t.Fatal(err)
	}
	choose.MarkSerial(c)
	plain, err := emitMain(search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{}), codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := check(t, string(plain)); err != nil {
		t.Error(err)
	}
	files, loops, err := codegen.EmitFiles(search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{}), codegen.Options{Target: kernel.Auto})
	if err != nil {
		t.Fatal(err)
	}
	code := string(files["main.go"])
	_, serial, ok := strings.Cut(code, "if pe.N() == 1 {")
	if !ok {
		t.Fatalf("there is no form for one PE:\n%s", code)
	}
	serial, other, _ := strings.Cut(serial, "\n\t} else {\n")
	if bad := regexp.MustCompile(`Post|Wait|Done|Holds|Iters|pe\.ID|spmd\.Sum|\bt\d+\.`).FindString(serial); bad != "" {
		t.Errorf("the form for one PE has %s:\n%s", bad, serial)
	}
	if !strings.Contains(serial, "kernelL") {
		t.Errorf("it has no kernel:\n%s", serial)
	}
	if !strings.Contains(other, ".Post()") || !strings.Contains(other, "outer2:") {
		t.Errorf("the other form has no communication, or no label:\n%s", other)
	}
	alone := 0
	for _, l := range loops {
		if l.Alone {
			alone++
		}
	}
	if alone == 0 {
		t.Errorf("no loop is listed for one PE: %+v", loops)
	}
}

// TestRandomRings: random programs have kernels that load at once what an index picks, and
// loops that a PE which runs alone executes in a form of its own.
func TestRandomRings(t *testing.T) {
	const programs = 30
	rows, loops := 0, 0
	for seed := range uint64(programs) {
		p := randprog.With(seed, "gather", "control by distributed data")
		c, err := front.SPMD("random.hpf", p.Source)
		if err != nil {
			t.Fatal(err)
		}
		choose.MarkSerial(c)
		files, _, err := codegen.EmitFiles(search.Make(c, plan.Handshake, nil, search.Options{}), codegen.Options{Target: kernel.AVX512})
		if err != nil {
			t.Fatal(err)
		}
		loops += strings.Count(string(files["main.go"]), "if pe.N() == 1 {")
		if regexp.MustCompile(`(?m)^pick\d+:`).Match(files["kernels_amd64.s"]) {
			rows++
		}
	}
	t.Logf("%d of %d programs have such kernels, %d such loops", rows, programs, loops)
	if rows < 3 || loops < 3 {
		t.Errorf("%d of %d programs have such kernels, %d such loops", rows, programs, loops)
	}
}
