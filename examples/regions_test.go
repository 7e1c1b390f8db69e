package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// marked has regions where a PE executes loops, branches and procedures on its own. In front of each stands how often
// an image executes it, as the counters say that gfortran's program has in their place.
const marked = `program marked
  implicit none
  integer :: i, j, t, k, a(20)[*], c
  real(8) :: s, x(40), y(40)
  s = 0; a = 0; c = 0
  do i = 1, 40
!40
!SPMD$ REGION fill
    x(i) = i
    y(i) = 1d0/i
!SPMD$ END REGION
  end do
  do t = 1, 5
    do i = 1, 10
!50
!SPMD$ REGION small
      call small(i, s)
!SPMD$ END REGION
    end do
    do j = 1, 3
!15
!SPMD$ REGION inner
      do i = 1, 40
        x(i) = x(i)*0.5d0 + y(i)
      end do
!SPMD$ END REGION
      do i = 1, 40
!600
!SPMD$ REGION leaf
        s = s + x(i)*y(i)
!SPMD$ END REGION
      end do
    end do
    if (t > 2) then
!3
!SPMD$ REGION branch
      c = c + 1
!SPMD$ END REGION
    else
!2
!SPMD$ REGION other
      if (t > 1) c = c + 2
!SPMD$ END REGION
    end if
    k = 0
    outer: do while (k < 6)
      k = k + 1
!25
!SPMD$ REGION leaving
      do i = 1, 5
!45
!SPMD$ REGION deep
        if (k == 3) cycle outer
        if (k == 5) exit outer
        if (i == k) exit
        c = c + 1
!SPMD$ END REGION
        c = c + 1
      end do
!SPMD$ END REGION
    end do outer
    sync all
  end do
  do k = 1, 2
    do j = 1, 3
!6
!SPMD$ REGION unrolled
      c = c + j
!SPMD$ END REGION
    end do
  end do
  print *, s, c
contains
  subroutine small(k, s)
    integer, intent(in) :: k
    real(8), intent(inout) :: s
    integer :: i
!50
!SPMD$ REGION body
    s = s*0.5d0 + 1d0/k
    if (mod(k, 2) == 0) return
    do i = 1, 3
!75
!SPMD$ REGION lowest
      if (i == 2) cycle
      s = s + i
!SPMD$ END REGION
    end do
!SPMD$ END REGION
  end subroutine
end program
`

// many are the calls of a small procedure that each image of manyCalls makes, in 100 rounds.
var many = effort.Of(10_000_000, 1_000_000)

const manyRounds = 100

// manyCalls calls a small procedure, in a region. Ten of the calls take 100 us and more. Rounds take up to 20 ms besides, so that
// what other programs of the machine do is no outlier, and the 40th and the 80th take 300 ms.
func manyCalls() string {
	return strings.NewReplacer("ROUNDS", fmt.Sprint(manyRounds), "EACH", fmt.Sprint(many/manyRounds), "TENTH", fmt.Sprint(many/10)).Replace(`program calls
  implicit none
  integer :: i, t
  real(8) :: s
  s = 0
  do t = 1, ROUNDS
    do i = 1, EACH
!SPMD$ REGION small
      call small(EACH*(t - 1) + i, s)
!SPMD$ END REGION
    end do
    call spin(1000*(1 + mod(7*t, 20)))
    if (mod(t, 40) == 0) call spin(300000)
    sync all
  end do
  print *, s > 0
contains
  subroutine small(k, s)
    integer, intent(in) :: k
    real(8), intent(inout) :: s
    s = s*0.5d0 + 1d0/k
    if (mod(k, TENTH) == 0) call spin(100)
  end subroutine
` + spin + `
end program
`)
}

// TestRegions: directives REGION are measured wherever they stand, whatever becomes of the loops around; they do not change what
// is computed. Filters keep of many executions those that they are said to keep.
func TestRegions(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	arrays := strings.NewReplacer("(20)[*]", "(20)", "    sync all\n", "").Replace(marked)
	plain := strings.ReplaceAll(marked, "!SPMD$", "!")
	of := ownBundle(t, source{"marked.f90", marked, plans[0]}, source{"marked.hpf", arrays, plans[0]}, source{"plain.f90", plain, plans[0]}, source{"calls.f90", manyCalls(), plans[0]})
	t.Run("marked", func(t *testing.T) {
		lines := strings.Split(marked, "\n")
		want := map[string]int64{}
		for i, line := range lines {
			if name, ok := strings.CutPrefix(line, "!SPMD$ REGION "); ok {
				var n int64
				if _, err := fmt.Sscanf(lines[i-1], "!%d", &n); err != nil {
					t.Fatal(err)
				}
				want[name] = n
			}
		}
		printed := run(t, "", of("plain.f90"), "-n", "1")
		for _, name := range []string{"marked.f90", "marked.hpf"} {
			for n := 1; n <= 3; n++ {
				file := filepath.Join(t.TempDir(), "profile")
				if got := run(t, "", of(name), "-n", fmt.Sprint(n), "-profile="+file); n == 1 && got != printed {
					t.Errorf("%s prints %s, and without regions %s", name, got, printed)
				}
				var p measuredRun
				readJSON(t, file, &p)
				found := 0
				for _, r := range p.Regions {
					if r.Kind != "region" {
						continue
					}
					found++
					for pe, s := range r.PEs {
						if s.Count != want[r.Name] {
							t.Errorf("%s, PE %d of %d: region %s was executed %d times, want %d", name, pe, n, r.Name, s.Count, want[r.Name])
						}
					}
				}
				if found != len(want) {
					t.Errorf("%s: %d regions, want %d", name, found, len(want))
				}
			}
		}
	})
	t.Run("calls", func(t *testing.T) { filtered(t, of("calls.f90")) })
}

// filtered runs manyCalls: memory is bounded, and messages stay longest; -trace-min leaves the long calls, and -trace-outliers the
// long rounds, the same on all images.
func filtered(t *testing.T, program program) {
	const n = 2
	// traced is a trace, its size in bytes, and the numbers of the calls and of the barriers in it, by image.
	traced := func(flags ...string) (f *tracefile.File, size int64, small, barriers [n][]int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "trace")
		run(t, "", program, append([]string{"-n", fmt.Sprint(n), "-trace=" + file}, flags...)...)
		x, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		st, err := x.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if f, err = tracefile.Read(x, st.Size()); err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Chunks {
			list, err := f.Events(c)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				switch {
				case e.Kind == tracefile.Region && f.Regions[e.ID].Kind == "region":
					small[c.PE] = append(small[c.PE], int(e.Number))
				case e.Kind == tracefile.Barrier && e.ID >= 0:
					barriers[c.PE] = append(barriers[c.PE], int(e.Number))
				}
			}
		}
		return f, st.Size(), small, barriers
	}

	f, _, _, barriers := traced("-trace-memory=1")
	for pe, k := range f.Kept {
		all := k.Events
		for _, d := range k.Dropped {
			all += d.Events
		}
		if k.Memory > 1<<20 || all < int64(many) || len(barriers[pe]) != manyRounds {
			t.Errorf("image %d: %d bytes, %d events, and %d of %d barriers are there", pe+1, k.Memory, all, len(barriers[pe]), manyRounds)
		}
	}

	f, all, small, _ := traced("-trace-memory=4000")
	for pe, k := range f.Kept {
		if len(k.Dropped) > 0 || len(small[pe]) != many {
			t.Fatalf("image %d: %d of %d calls are there, %+v are dropped", pe+1, len(small[pe]), many, k.Dropped)
		}
	}
	_, size, small, _ := traced("-trace-min=1us")
	if size > all/50 {
		t.Errorf("%d bytes of %d are left", size, all)
	}
	for pe, list := range small {
		for call := many / 10; call <= many; call += many / 10 {
			if !slices.Contains(list, call-1) {
				t.Errorf("image %d: call %d is not kept", pe+1, call)
			}
		}
	}
	t.Logf("-trace-min=1us leaves %d of %d bytes", size, all)

	// Other programs may make rounds long too, and then hide that these are, though not each time.
	want := []int{39, 79}
	for attempt := 1; ; attempt++ {
		_, _, _, barriers := traced("-trace-outliers=3")
		kept := barriers[0]
		for _, list := range barriers {
			if !slices.Equal(list, kept) {
				t.Fatalf("images keep different rounds: %v", barriers)
			}
		}
		missing := slices.ContainsFunc(want, func(round int) bool { return !slices.Contains(kept, round) })
		if !missing && len(kept) <= manyRounds/10 {
			break
		}
		if attempt == 5 {
			t.Fatalf("the rounds that are kept are %v, want %v", kept, want)
		}
	}
}

// source is a program of a test, and the plan that it is compiled with.
type source struct{ name, text, plan string }

// ownBundle builds programs that can measure themselves, and returns each by its name.
func ownBundle(t *testing.T, all ...source) (of func(name string) program) {
	t.Helper()
	dir := t.TempDir()
	texts := make([][]byte, len(all))
	err := each(len(all), func(i int) (err error) {
		file := filepath.Join(dir, all[i].name)
		if err = os.WriteFile(file, []byte(all[i].text), 0o666); err == nil {
			texts[i], err = emit(file, all[i].plan, "--profile")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mains := map[string][]byte{}
	for i, s := range all {
		mains[s.name] = texts[i]
	}
	path, err := bundletest.Build(filepath.Join(dir, "bundle"), mains)
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) program { return bundletest.Program{Path: path, Name: name} }
}
