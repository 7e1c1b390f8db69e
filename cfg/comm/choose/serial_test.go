package choose

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/front"
)

// TestMarkSerial: a loop is emitted for a PE that runs alone too where communications would
// cost it more than a tenth of the work; the outermost such loop, but with nothing in it that
// is only computed.
func TestMarkSerial(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       []string // the lines that are marked, as they begin
	}{
		{"broadcasts in each iteration", `
  do i = h, n, h
    x(i) = y(i) - x(i-h)
  end do`, []string{"do i = h"}},
		{"little between two exchanges", `
  do k = 1, 100
    do i = 2, 9
      y(i) = x(i-1) + x(i+1)
    end do
    do i = 2, 9
      x(i) = y(i)
    end do
  end do`, []string{"do k"}},
		{"much between two exchanges", `
  do k = 1, 100
    do i = 2, n - 1
      y(i) = x(i-1) + x(i+1)
    end do
    do i = 2, n - 1
      x(i) = y(i)
    end do
  end do`, nil},
		{"beside loops that are divided", `
  do k = 1, 100
    do j = 1, n
      do i = 1, n
        a(i,j) = a(i,j) + x(i)
      end do
    end do
    do i = h, n, h
      x(i) = y(i) - x(i-h)
    end do
  end do`, []string{"do i = h"}},
		{"nothing beside them", `
  do k = 1, 100
    do i = h, n, h
      x(i) = y(i) - x(i-h)
    end do
  end do`, []string{"do k"}},
		{"copies of all elements", `
  do k = 1, 10
    h = 2**k
!HPF$ INDEPENDENT
    do i = 2*h, n, h
      x(i) = x(i) + x(i-h)
    end do
  end do`, []string{"do k"}},
		{"a condition of elements", `
  k = 1
  do while (x(k) < x(k+1))
    x(k) = x(k) + 1
    k = k + 1
  end do`, []string{"do while"}},
		{"with a checkpoint", `
  do k = 1, 100
    do i = h, n, h
      x(i) = y(i) - x(i-h)
    end do
    call spmd_checkpoint()
  end do`, []string{"do i = h"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			text := `program p
  use spmd
  implicit none
  integer, parameter :: n = 10000
  double precision :: x(n), y(n), a(n,n)
  integer :: i, j, k, h
!HPF$ DISTRIBUTE x(BLOCK)
!HPF$ ALIGN y(i) WITH x(i)
!HPF$ ALIGN a(i,j) WITH x(i)
  read *, h` + x.body + `
  print *, x(1), y(1), a(1,1)
end program p
`
			c, err := front.SPMD("p.hpf", text)
			if err != nil {
				t.Fatal(err)
			}
			MarkSerial(c)
			lines := strings.Split(text, "\n")
			var got []string
			for _, n := range marked(c.Body) {
				got = append(got, strings.TrimSpace(lines[n-1]))
			}
			if len(got) != len(x.want) {
				t.Fatalf("marked: %q, want those that begin with %q", got, x.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], x.want[i]) {
					t.Errorf("marked: %q, want one that begins with %q", got[i], x.want[i])
				}
			}
		})
	}
}

// TestSerialRoom: no more text than serialText is emitted twice.
func TestSerialRoom(t *testing.T) {
	var b strings.Builder
	b.WriteString("program p\n  double precision :: x(100)\n  integer :: i, h\n!HPF$ DISTRIBUTE x(BLOCK)\n  read *, h\n")
	for range 300 {
		b.WriteString("  do i = h + 1, 100, h\n    x(i) = x(i-h)\n  end do\n")
	}
	b.WriteString("  print *, x(1)\nend program p\n")
	c, err := front.SPMD("p.hpf", b.String())
	if err != nil {
		t.Fatal(err)
	}
	MarkSerial(c)
	if got := len(marked(c.Body)); got != serialText/2 {
		t.Errorf("%d loops of two statements are marked, want %d", got, serialText/2)
	}
}

// marked are the lines of the loops with Serial.
func marked(list []comm.Node) (lines []int) {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Loop:
			if n.Serial {
				lines = append(lines, n.Do.Pos.Line)
			}
			lines = append(lines, marked(n.Body)...)
		case *comm.WhileLoop:
			if n.Serial {
				lines = append(lines, n.While.Pos.Line)
			}
			lines = append(lines, marked(n.Body)...)
		case *comm.Branch:
			lines = append(lines, marked(n.Then)...)
			lines = append(lines, marked(n.Else)...)
		}
	}
	return lines
}
