package verify

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/randprog"
)

// A program whose analysis were wrong about its messages would be reported in its
// first run, whatever its plan and whether that plan used the relation or not.
func TestWrongRelationIsReported(t *testing.T) {
	const source = `program p
  implicit none
  integer, parameter :: n = 12
  integer :: a(n), b(n), i, t
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
  do i = 1, n
    a(i) = i
    b(i) = 0
  end do
  do t = 1, 3
    do i = 2, n
      b(i) = a(i-1)
    end do
    do i = 1, n
      a(i) = b(i)
    end do
  end do
  print *, (a(i), i = 1, n)
end program
`
	right := "{At: spmd.Form{-1, 1}, Format: dist.Block, TLo: 1, THi: 12}"
	o := Options{PEs: []int{3}, Plans: []plan.Kind{plan.Elide}, Limit: time.Minute}
	s := &sample{seed: 1, options: o, Program: randprog.Program{Source: source}}
	r := newReport(RandomOptions{Options: o})
	code, err := r.compile(driver.Passes(), s, Way{Plan: plan.Elide})
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(code, []byte(right)); n != 1 {
		t.Fatalf("%d times %s in\n%s", n, right, code)
	}
	wrong := map[string]string{
		"the other neighbour": strings.Replace(right, "-1, 1", "1, 1", 1),
		"an element further":  strings.Replace(right, "-1, 1", "-6, 1", 1),
		"another format":      strings.Replace(right, "Block", "Cyclic", 1),
		"right":               right,
	}
	mains := map[string][]byte{}
	for name, place := range wrong {
		mains[name] = bytes.Replace(code, []byte(right), []byte(place), 1)
	}
	const next = "{Own: true, Lo: spmd.Form{0}, Hi: spmd.Form{0}, Step: 1}"
	if n := bytes.Count(code, []byte(next)); n < 1 {
		t.Fatalf("%d times %s in\n%s", n, next, code)
	}
	mains["the next producer"] = bytes.Replace(code, []byte(next), []byte(strings.ReplaceAll(next, "Form{0}", "Form{1}")), 1)
	bundle, err := driver.Bundle(filepath.Join(t.TempDir(), "bundle"), mains, driver.InProcess)
	if err != nil {
		t.Fatal(err)
	}
	server := &server{bundle: bundle, limit: time.Minute}
	defer server.end()
	for name := range mains {
		run := func(input []byte, args ...string) (*Outcome, []byte, error) { return server.run(name, input, args...) }
		x := trial{run: run, n: 3}
		_, _, err := x.check()
		var f *Fault
		if name == "right" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if !errors.As(err, &f) || f.Kind != Violation || !strings.Contains(f.Text, ": the analysis ") || !strings.Contains(f.Text, "random.hpf:13") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
