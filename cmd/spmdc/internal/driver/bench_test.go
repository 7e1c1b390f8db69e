package driver

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/effort"
)

// longProgram is a program of about n lines: nests of every kind, one after
// another, over a few arrays.
func longProgram(n int) string {
	var b strings.Builder
	b.WriteString(`program long
  implicit none
  integer, parameter :: m = 40
  double precision :: a(m,m), b(m,m), c(m,m), x(m), s
  integer :: i, j, it
!HPF$ PROCESSORS p(2, number_of_processors()/2)
!HPF$ DISTRIBUTE a(BLOCK,BLOCK) ONTO p
!HPF$ ALIGN b(i,j) WITH a(i,j)
!HPF$ ALIGN c(i,j) WITH a(j,i)
!HPF$ ALIGN x(i) WITH a(i,*)
  s = 0.0d0
  do j = 1, m
    x(j) = j
    do i = 1, m
      a(i,j) = i + j
      b(i,j) = i - j
      c(i,j) = i * j
    end do
  end do
`)
	kinds := []string{
		`  do j = 2, m - 1
    do i = 2, m - 1
      b(i,j) = 0.25d0 * (a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))
    end do
  end do
  do j = 2, m - 1
    do i = 2, m - 1
      a(i,j) = b(i,j)
    end do
  end do
`, `  do j = 1, m
    do i = 1, m
      c(i,j) = a(i,j) + b(j,i)
    end do
  end do
`, `  do it = 1, 3
    do j = 1, m
      do i = 1, m
        s = s + a(i,j) * x(i)
      end do
    end do
    do i = 1, m
      x(i) = x(i) / (1.0d0 + abs(s)) + %d
    end do
  end do
`, `  do j = 1, m
    do i = 2, m
      a(i,j) = a(i-1,j) * 0.5d0 + c(i,j)
    end do
  end do
  if (s > 1.0d6) then
    s = s / 2
    x(%d) = s
  end if
`}
	for i := 0; strings.Count(b.String(), "\n") < n-2; i++ {
		kind := kinds[i%len(kinds)]
		if strings.Contains(kind, "%d") {
			kind = fmt.Sprintf(kind, i%40+1)
		}
		b.WriteString(kind)
	}
	b.WriteString("  print *, s, a(3,4), b(5,6), c(7,8)\nend program long\n")
	return b.String()
}

// BenchmarkCompile compiles 2,000 lines; it has to take less than a second.
func BenchmarkCompile(b *testing.B) {
	text := longProgram(2000)
	lines := strings.Count(text, "\n")
	table := Passes()
	var c *Compilation
	for b.Loop() {
		c = New("long.hpf", []byte(text), Options{})
		if err := table.Run(c, RunOptions{}); err != nil {
			b.Fatal(err, c.Diags.Err())
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
	for _, t := range c.Timings {
		b.ReportMetric(float64(t.Run)/float64(time.Millisecond), t.Pass+"-ms")
	}
}

// allocated is how many bytes f allocates: work that can be compared on a busy
// machine. The benchmarks show the time.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLongProgram: work grows with the program, not with its square, which would be 16
// times.
func TestLongProgram(t *testing.T) {
	bytes := func(lines int) float64 {
		c := New("long.hpf", []byte(longProgram(lines)), Options{})
		return float64(allocated(func() {
			if err := Passes().Run(c, RunOptions{}); err != nil {
				t.Fatal(err, c.Diags.Err())
			}
		}))
	}
	lines := effort.Of(500, 200)
	small, large := bytes(lines), bytes(4*lines)
	t.Logf("%.0f MB for %d lines, %.0f MB for %d", small/1e6, lines, large/1e6, 4*lines)
	if large > 8*small {
		t.Errorf("four times the lines allocate %.1f times as much", large/small)
	}
}
