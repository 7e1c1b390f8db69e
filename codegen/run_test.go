package codegen_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/golden"
)

// faults fails in the way that its input chooses. "! FAULT n" marks the line
// that fault n must be reported at.
const faults = `program faults
  implicit none
  integer, parameter :: n = 12
  integer :: a(n), b(n), z(n), g(n,n), which, zero, m, i, j, s
  real(8) :: x(n), y(n), v(n), t
!HPF$ PROCESSORS p(2,2)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
!HPF$ DISTRIBUTE g(BLOCK,BLOCK) ONTO p
  read *, which, zero, m
  do i = 1, n
    a(i) = i
    z(i) = i
    b(i) = n - i
    x(i) = i
    y(i) = 0
  end do
  s = 0
  if (which == 1) then
    do i = 1, n

      ! A leaf loop on distributed arrays.
      b(i) = a(i) + 1
      a(i) = b(i) / zero       ! FAULT 1
      b(i) = a(i)
    end do
  end if
  if (which == 2) then
    do i = 1, n
      z(i) = z(i) + 1
      y(i) = x(i) * 2
      if (z(i) > 3) then
        s = s + 1
        z(i) = mod(i, zero)    ! FAULT 2
      end if
      y(i) = y(i) + 1
    end do
  end if
  if (which == 3) then
    s = s + 1
    do i = 1, m
      x(i) = i                 ! FAULT 3
      z(i) = 2 * i
    end do
  end if
  if (which == 4) then
    s = 4
    z(3) = 3
    z(m) = 1                   ! FAULT 4
    z(4) = 4
  end if
  if (which == 5) then
    do i = 1, m
      s = s + i
      z(2*i) = s               ! FAULT 5
      x(i) = s
    end do
  end if
  if (which == 6) then
    do j = 1, n
      do i = 1, n
          g(i,j) = i &           ! FAULT 6
               * j / (j &
               - j * (1 - zero))
      end do
    end do
  end if
  if (which == 10) s = 1 / zero      ! FAULT 10
  if (which == 11) then
    do i = 1, n
      if (x(i) > 0) y(i+m) = x(i)    ! FAULT 11
    end do
  end if
  if (which == 7) then
    do while (s < 100)
      s = s + 1
      if (s / (10 - s) > 100) exit   ! FAULT 7
    end do
  end if
  if (which == 8) then
    do i = 1, n
      s = s + a(i) / (a(i) - m)      ! FAULT 8
    end do
  end if
  if (which == 9) then
    do i = 2, n
      a(i) = a(i-1) / zero + b(i)    ! FAULT 9
    end do
  end if
  if (which == 12) then
    z(5) = m
    do i = 1, n
      t = 0
      do j = 1, 5
        t = t + x(j)*y(z(j))         ! FAULT 12
      end do
      v(i) = t
    end do
  end if
  if (which == 13) then
    z(3) = m
    do i = 1, 5
      t = 0
      do j = z(i), z(i+1)
        t = t + x(j)                 ! FAULT 13
      end do
      v(i) = t
    end do
  end if
  print *, 'no fault', s, v(2)
end program
`

// named is a program whose names are Go's; it prints what it would print under
// any other names.
const named = `program select
  implicit none
  integer, parameter :: nil = 8
  integer :: func(nil), type(nil), string(nil), range, len, go, map, iota, pe, spmd, t, it, end
!HPF$ PROCESSORS chan(number_of_processors())
!HPF$ DISTRIBUTE func(BLOCK) ONTO chan
!HPF$ ALIGN type(range) WITH func(range)
  do range = 1, nil
    func(range) = range
    type(range) = 2 * range
    string(range) = 3
  end do
  len = 0
  default: do go = 1, nil
    switch: do map = 1, nil
      if (map == 3) cycle default
      if (go == 5) exit default
      len = len + 1
    end do switch
  end do default
  iota = 0
  do t = 1, nil - 1
    type(t) = func(t+1)
  end do
  do it = 1, nil
    iota = iota + type(it) * string(it)
  end do
  do while (func(2) < 9)
    do pe = 1, nil
      func(pe) = func(pe) + 1
    end do
  end do
  spmd = func(5)
  end = spmd + 1
  print *, 'for i := range math.Pi {', len, iota, spmd, end, func(nil)
end program
`

// records writes records with implied DO in loops, also unrolled ones.
const records = `program records
  implicit none
  character(12) :: line, all(3)
  integer :: a(3), i, j
  a = [(10*i, i = 1, 3)]
  do i = 1, 2
    write (line, '(4i3)') a, i
  end do
  print *, line
  do i = 1, 300
    write (line, '(4i3)') (a(j) + 1, j = 3, 1, -1), mod(i, 100)
    if (i < 4) all(i) = line
  end do
  print *, line, all
end program
`

// TestEmittedModules runs emitted programs that fail, or have names of Go's. With all to
// be tried they are one module that go vet sees and the user's go build builds; else they
// are a bundle.
func TestEmittedModules(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds programs")
	}
	mains := map[string]string{
		"faults":  emit(t, "src/faults.hpf", faults, plan.Handshake, codegen.Options{}),
		"barrier": emit(t, "src/faults.hpf", faults, plan.Barrier, codegen.Options{}),
		"vector":  emitAll(t, "src/faults.hpf", faults, codegen.Options{Target: kernel.Auto}),
		"records": emit(t, "src/records.hpf", records, plan.Handshake, codegen.Options{}),
		"named":   emit(t, "select.hpf", named, plan.Handshake, codegen.Options{}),
	}
	for _, name := range []string{"stencil", "reduction", "guarded", "strides"} {
		mains[name] = golden.Read(t, "testdata/"+name+".txtar").Files[1].Text
	}
	program := builtOf(t, mains, "faults", "barrier", "vector", "records", "named", "strides")
	t.Run("records", func(t *testing.T) {
		for _, n := range []string{"1", "3"} {
			stdout, stderr, err := program("records", "", "-n", n)
			got := strings.Join(strings.Fields(stdout), " ")
			if want := "10 20 30 2 31 21 11 0 31 21 11 1 31 21 11 2 31 21 11 3"; err != nil || got != want { // gfortran's
				t.Errorf("on %s PEs: %v, prints %q, want %q\n%s", n, err, got, want, stderr)
			}
		}
	})
	t.Run("names", func(t *testing.T) {
		for _, n := range []string{"1", "3"} {
			stdout, stderr, err := program("named", "", "-n", n)
			got := strings.Join(strings.Fields(stdout), " ")
			if want := "for i := range math.Pi { 8 153 12 13 15"; err != nil || got != want {
				t.Errorf("on %s PEs: %v, prints %q, want %q\n%s", n, err, got, want, stderr)
			}
		}
	})
	t.Run("strides", func(t *testing.T) {
		for _, n := range []string{"1", "2", "3", "4", "7"} {
			stdout, stderr, err := program("strides", "", "-n", n)
			got := strings.Join(strings.Fields(stdout), " ")
			if want := "25820 2 -924 24"; err != nil || got != want { // gfortran's
				t.Errorf("on %s PEs: %v, prints %q, want %q\n%s", n, err, got, want, stderr)
			}
		}
	})
	t.Run("faults", func(t *testing.T) {
		for _, c := range []struct {
			input, want string
		}{
			{"1 0 0", "integer divide by zero"},
			{"2 0 0", "integer divide by zero"},
			{"3 1 13", "slice bounds out of range"},
			{"4 1 14", "index out of range"},
			{"5 1 7", "slice bounds out of range"},
			{"6 0 0", "integer divide by zero"},
			{"7 0 0", "integer divide by zero"},
			{"8 0 5", "integer divide by zero"},
			{"9 0 0", "integer divide by zero"},
			{"10 0 0", "integer divide by zero"},
			{"11 0 3", "index out of range"},
			{"12 0 13", "index out of range"},
			{"12 0 -7", "index out of range"},
			{"13 0 13", "slice bounds out of range"},
		} {
			number, _, _ := strings.Cut(c.input, " ")
			for name, n := range map[string]string{"faults": "1", "barrier": "3", "vector": "1"} {
				stdout, stderr, err := program(name, c.input, "-n", n)
				want := fmt.Sprintf(`^faults\.hpf:%d: PE \d: .*%s`, markedLine(t, "! FAULT "+number), c.want)
				if err == nil || !regexp.MustCompile(want).MatchString(stderr) || strings.Contains(stdout, "no fault") {
					t.Errorf("fault %s on %s PEs: %v\nstdout %q\nstderr %q\nwant %s", number, n, err, stdout, stderr, want)
				}
			}
		}
		for _, input := range []string{"0 0 0", "6 1 1", "8 1 99", "3 1 12", "12 0 12", "13 0 12"} {
			if stdout, stderr, err := program("faults", input, "-n", "2"); err != nil || !strings.Contains(stdout, "no fault") {
				t.Errorf("input %q: %v\n%s%s", input, err, stdout, stderr)
			}
		}
	})
}

// builtOf builds those of mains that are named, and returns how one of them is run.
func builtOf(t *testing.T, mains map[string]string, names ...string) func(name, input string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	if !effort.All() {
		texts := map[string][]byte{}
		for _, name := range names {
			texts[name] = []byte(mains[name])
		}
		path, err := bundletest.Build(t.TempDir(), texts)
		if err != nil {
			t.Fatal(err)
		}
		return func(name, input string, args ...string) (stdout, stderr string, err error) {
			return run(t, path, input, append([]string{name}, args...)...)
		}
	}
	dir := module(t, mains)
	if out, err := bundletest.Go(dir, "vet", "-trimpath", "./..."); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", "bin/"}
	for _, name := range names {
		args = append(args, "./"+name)
	}
	if out, err := bundletest.Go(dir, args...); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return func(name, input string, args ...string) (stdout, stderr string, err error) {
		return run(t, filepath.Join(dir, "bin", name), input, args...)
	}
}

// emitAll is a program in all its files, as package bundle has it.
func emitAll(t testing.TB, file, text string, o codegen.Options) string {
	t.Helper()
	p, err := front.SPMD(file, text)
	if err != nil {
		t.Fatal(err)
	}
	files, _, err := codegen.EmitFiles(search.Make(p, plan.Handshake, nil, search.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	return string(bundle.Join(files))
}

// markedLine is the number of the line of faults that ends in the mark.
func markedLine(t *testing.T, mark string) int {
	t.Helper()
	for i, line := range strings.Split(faults, "\n") {
		if strings.HasSuffix(line, mark) {
			return i + 1
		}
	}
	t.Fatalf("no line has %q", mark)
	return 0
}
