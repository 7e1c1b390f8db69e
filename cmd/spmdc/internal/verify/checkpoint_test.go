package verify

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

// withTools makes the cache of programs one of the test's own.
func withTools(t *testing.T) *driver.Table {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal(err)
	}
	bundletest.Runtime(t)
	t.Setenv("SPMDC_CACHE", t.TempDir())
	return driver.Passes()
}

// TestPlaces stops programs behind their checkpoints, which are everywhere that one
// can be, and lets them go on.
func TestPlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	table := withTools(t)
	for _, c := range []struct {
		file, input string
		plans       []plan.Kind
	}{
		{"places.hpf", "9 4\n5\n", []plan.Kind{plan.Elide}},
		{"images.f90", "7\n", []plan.Kind{plan.Elide}},
	}[:effort.Of(2, 1)] {
		text, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		source := driver.New(c.file, text, driver.Options{})
		r, err := File(table, source, strings.NewReader(c.input), Options{
			PEs: []int{3}, Plans: c.plans, Limit: time.Minute, Checkpoints: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Rows)+len(r.Images) != len(c.plans) {
			t.Errorf("%s: %d runs, want %d", c.file, len(r.Rows)+len(r.Images), len(c.plans))
		}
		if images := strings.HasSuffix(c.file, ".f90"); images != (len(r.Images) > 0) {
			t.Errorf("%s: %d runs of images", c.file, len(r.Images))
		}
		for _, x := range r.Images {
			if x.Fault != nil {
				t.Errorf("%s on %d images: %v", c.file, x.Images, x.Fault)
			}
		}
		for _, x := range r.Rows {
			if x.Fault != nil {
				t.Errorf("%s, %s on %d PEs: %v", c.file, x.Plan, x.PEs, x.Fault)
			}
		}
	}
}

// TestRandomCheckpoints is a short form of spmdc verify --random=N --checkpoints.
func TestRandomCheckpoints(t *testing.T) {
	effort.Full(t, "TestPlaces is a program with more places")
	const programs = 3
	r, err := Random(withTools(t), RandomOptions{Programs: programs, Seed: 4, Options: Options{
		PEs: []int{3}, Plans: []plan.Kind{plan.Elide}, Limit: time.Minute, Checkpoints: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || r.Runs != programs {
		var b strings.Builder
		r.Write(&b)
		t.Error(b.String())
	}
}

// Calls come between statements of the program and its procedures, and nowhere inside
// loops that are INDEPENDENT.
func TestWithCheckpoints(t *testing.T) {
	const source = `program random
  implicit none
  integer :: i, &
     j
!HPF$ DISTRIBUTE a(BLOCK)
  i = 1
!HPF$ INDEPENDENT
  do i = 1, 3
    do j = 1, 3
      a(j) = 1
    end do
  end do
  if (i > &
      3) then
    j = 2
  end if
contains
  subroutine inner(k)
    integer :: k
    k = 3
  end subroutine inner
end program random
subroutine outer(k)
  integer :: k
  do
    exit
  end do
end subroutine outer
`
	before := map[string]bool{} // the lines that some call stands in front of
	for seed := range uint64(400) {
		lines := strings.Split(WithCheckpoints(source, seed), "\n")
		for i, l := range lines {
			if strings.Contains(l, "call spmd_checkpoint()") {
				before[strings.TrimSpace(lines[i+1])] = true
			}
		}
		if got := strings.Join(lines, "\n"); !strings.Contains(got, "program random\n  use spmd\n  implicit none\n") ||
			!strings.Contains(got, "subroutine outer(k)\n  use spmd\n") || !strings.HasSuffix(got, "end subroutine outer\n") {
			t.Fatal(got)
		}
	}
	for l, want := range map[string]bool{
		"i = 1": true, "if (i > &": true, "j = 2": true, "end if": true, "contains": true, "k = 3": true, "end subroutine inner": true,
		"do": true, "exit": true, "end do": true, "end subroutine outer": true,
		"3) then": false, "do i = 1, 3": false, "do j = 1, 3": false, "a(j) = 1": false, "implicit none": false, "integer :: k": false, "j": false,
		"!HPF$ INDEPENDENT": false, "program random": false, "subroutine inner(k)": false,
	} {
		if before[l] != want {
			t.Errorf("a call in front of %q: %t, want %t", l, before[l], want)
		}
	}
}
