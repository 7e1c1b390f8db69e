package comm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// sample has one of everything that TestMachineNotices spoils.
const sample = `program sample
  implicit none
  integer, parameter :: n = 12
  integer :: a(n), b(n), c(n), r(n), z(n,n), y(n,n), ia(n), i, j, k, s
!HPF$ PROCESSORS p(2,2)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
!HPF$ ALIGN c(i) WITH a(i)
!HPF$ ALIGN ia(i) WITH a(i)
!HPF$ DISTRIBUTE z(BLOCK,BLOCK) ONTO p
!HPF$ ALIGN r(i) WITH z(i,*)
!HPF$ ALIGN y(i,*) WITH a(i)
  do i = 1, n
    a(i) = i
    b(i) = 2 * i
    c(i) = 3 * i
    ia(i) = mod(5 * i, n) + 1
  end do
  do j = 1, n
    do i = 1, n
      z(i,j) = i * j
    end do
  end do
  do i = 1, n
    r(i) = i
  end do
  do i = 2, n
    b(i) = a(i-1)
  end do
  do i = 2, n
    c(i) = mod(2 * c(i-1) + 1, 97)
  end do
  do i = 1, n
    a(i) = z(i,i)
  end do
  s = 0
  do i = 1, n
    s = s + r(i)
  end do
  do i = 1, n
    b(i) = a(ia(i))
  end do
  do i = 1, n
    a(ia(i)) = a(i) + s
  end do
  do k = 1, 3
    do i = 1, n - 1
      b(i) = a(i+1)
    end do
    a(4) = b(3) + k
  end do
  do j = 1, n
    do i = 1, n
      y(i,j) = i * i + j
    end do
  end do
  do j = 2, n
    do i = 2, n
      y(i,j) = mod(2 * y(i-1,j) + y(i,j-1), 97)
    end do
  end do
  print *, a(n), b(1), y(n,n)
end program
`

// TestMachineNotices spoils the SPMD form in one place and expects the machine
// to say what went wrong: without this, its silence about the compiler's own
// forms would say little.
func TestMachineNotices(t *testing.T) {
	of := func(p *comm.Program, kind comm.Kind) *comm.Comm {
		for _, c := range p.Comms {
			if c.Kind == kind {
				return c
			}
		}
		t.Fatalf("no communication of kind %s", kind)
		return nil
	}
	node := func(p *comm.Program, is func(n comm.Node) bool) int {
		n := slices.IndexFunc(p.Body, is)
		if n < 0 {
			t.Fatal("no such node")
		}
		return n
	}
	drop := func(is func(n comm.Node) bool) func(p *comm.Program) {
		return func(p *comm.Program) {
			n := node(p, is)
			p.Body = slices.Delete(slices.Clone(p.Body), n, n+1)
		}
	}
	regions := func(visit func(r *comm.Region)) func(p *comm.Program) {
		return func(p *comm.Program) {
			for _, n := range p.Body {
				if r, ok := n.(*comm.Region); ok {
					visit(r)
				}
			}
		}
	}
	blocked := func(visit func(b *comm.Blocks, c *comm.Comm)) func(p *comm.Program) {
		return regions(func(r *comm.Region) {
			if r.Pipe != nil && r.Pipe.Blocks != nil {
				visit(r.Pipe.Blocks, r.Pipe.Comms[0])
			}
		})
	}
	if d := compare(sample, 4); d != "" {
		t.Fatal(d)
	}
	for _, c := range []struct {
		name  string
		spoil func(p *comm.Program)
		want  string
	}{
		{"an axis is off by one", func(p *comm.Program) { of(p, comm.Shift).Axes[0].Off.C++ }, "which it neither owns nor was sent"},
		{"a range ends too early", func(p *comm.Program) { of(p, comm.Shift).Ranges[0].Hi = linalg.Const(7) }, "which it neither owns nor was sent"},
		{"consumers are others", func(p *comm.Program) { of(p, comm.Remap).Ranges[0].Cons[0].Sub.C++ }, "which it neither owns nor was sent"},
		{"a coupled subscript is wrong", func(p *comm.Program) { of(p, comm.Remap).Subs[0].Off.C++ }, "finds dimension 1 at"},
		{"no C", drop(func(n comm.Node) bool { _, is := n.(*comm.Post); return is }), "was not posted"},
		{"no CO", drop(func(n comm.Node) bool { _, is := n.(*comm.Wait); return is }), "is not live"},
		{"no UO", drop(func(n comm.Node) bool { _, is := n.(*comm.Done); return is }), "is live at the end"},
		{"UO before the use", func(p *comm.Program) {
			n := node(p, func(n comm.Node) bool { _, is := n.(*comm.Done); return is })
			p.Body[n-1], p.Body[n] = p.Body[n], p.Body[n-1]
		}, "is not live"},
		{"C leaves a loop that writes", func(p *comm.Program) {
			n := node(p, func(n comm.Node) bool { _, is := n.(*comm.Loop); return is })
			l := p.Body[n].(*comm.Loop)
			p.Body = slices.Concat(p.Body[:n], l.Body[:2], p.Body[n:n+1], l.Body[3:4], p.Body[n+1:])
			l.Body = slices.Concat(l.Body[2:3], l.Body[4:])
		}, "a[4] is"},
		{"iterations of others", regions(func(r *comm.Region) { r.Part = nil }), "which it does not own"},
		{"a guard is lost", func(p *comm.Program) {
			l := p.Body[node(p, func(n comm.Node) bool { _, is := n.(*comm.Loop); return is })].(*comm.Loop)
			for _, n := range l.Body {
				if r, ok := n.(*comm.Region); ok {
					r.Guard = nil
				}
			}
		}, "line 50, which it "},
		{"copies are counted twice", func(p *comm.Program) { p.Reduces[0].Lead = nil }, "prints"},
		{"a reduction is forgotten", drop(func(n comm.Node) bool { _, is := n.(*comm.Combine); return is }), "prints"},
		{"partial values do not start", drop(func(n comm.Node) bool { _, is := n.(*comm.Start); return is }), "has no partial values"},
		{"the pipeline runs backwards", regions(func(r *comm.Region) {
			if r.Pipe != nil {
				r.Pipe.Dir = -r.Pipe.Dir
			}
		}), "which it neither owns nor was sent"},
		{"blocks lag too far behind", blocked(func(b *comm.Blocks, c *comm.Comm) { b.Behind[c]++ }), "prints"},
		{"blocks go the other way", blocked(func(b *comm.Blocks, _ *comm.Comm) { b.Down = !b.Down }), "prints"},
		{"no pipeline", regions(func(r *comm.Region) { r.Pipe = nil }), "which it neither owns nor was sent"},
		{"owners keep nothing", regions(func(r *comm.Region) { r.StoreBack = nil }), "prints"},
		{"a list without one loop", func(p *comm.Program) { of(p, comm.Irregular).Walk[0].Hi = of(p, comm.Irregular).Walk[0].Lo }, "want"},
		{"an access says own", func(p *comm.Program) {
			for _, a := range p.Access {
				if a.Comm != nil && a.Comm.Kind == comm.Remap {
					a.Mode = comm.Own
				}
			}
		}, "which it neither owns nor was sent"},
		{"an access is missing", func(p *comm.Program) { delete(p.Access, of(p, comm.Shift).Refs[0]) }, "has no access"},
		{"no cells for the overlap", func(p *comm.Program) {
			for s := range p.Shadow {
				p.Shadow[s] = [][2]int{{0, 0}}
			}
		}, "has no cell for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := compare(sample, 4, c.spoil)
			if !strings.Contains(d, c.want) || d == "" {
				t.Errorf("the machine says %q, want %q", d, c.want)
			}
		})
	}
}
