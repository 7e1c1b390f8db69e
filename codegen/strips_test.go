package codegen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
)

// inStrips is the Go program of text with all temporaries in strips that can be, and
// how many there are.
func inStrips(t *testing.T, file, text string, size int, o codegen.Options) (code string, strips int) {
	t.Helper()
	c, err := front.SPMD(file, text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	p := search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{Strip: size})
	for i := range p.Slots {
		if p.Slots[i].Strip != nil {
			strips++
		}
	}
	out, err := emitMain(p, o)
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, out)
	}
	return string(out), strips
}

// TestStrips: loops that all PEs execute, that are divided among them, and that go
// down.
func TestStrips(t *testing.T) {
	program := func(loop string) string {
		return `program p
 integer :: i, j, strip
 double precision :: a(20,20), b(20,20)
!HPF$ DISTRIBUTE a(BLOCK,*)
!HPF$ ALIGN b(i,j) WITH a(i,j)
 read *, strip
 do j = 1, 20
  do i = 1, 20
   a(i,j) = i + j
   b(i,j) = 1
  end do
 end do
` + loop + `
 do j = 1, strip
  do i = 1, 20
   a(i,j) = b(i,j)
  end do
 end do
 print *, a(1,1)
end program
`
	}
	for _, c := range []struct {
		loop string
		want []string
	}{
		{"do j = 1, strip\n do i = 1, 20\n b(i,j) = b(i,j) + a(j,i)\n end do\n end do", []string{
			"t1 := spmd.NewTemp[float64](pe, 2, 6*min(20, b.Owned(0).N))",
			".InStrips().Completing()\n",
			"// #1 ", "c1.NeedsStrips(func(q, strip int) spmd.Box {",
			"return pe.Box(dist.Range(1, int(strip_), 1).Strip(strip, 6), b.Iters(q, 0, 1, 0, dist.Range(1, 20, 1)))\n",
			"for strip1, all1 := 0, dist.Range(1, int(strip_), 1); strip1 < all1.Strips(6); strip1++ {\n",
			"c1.Fetch(strip1)\n", "part1 := all1.Strip(strip1, 6)\n", "for j := part1.Lo; j <= part1.Hi(); j++ {\n",
			"c1.Done()\n", "c1.Settle(20) // before a is overwritten\n",
		}},
		{"do j = 19, 1, -2\n do i = 1, 20\n b(i,j) = b(i,j) + a(j,i)\n end do\n end do", []string{
			"return pe.Box(dist.Range(19, 1, -2).StripDown(strip, 6), ",
			"part1 := all1.StripDown(strip1, 6)\n", "for j := part1.Hi(); j >= part1.Lo; j -= 2 {\n",
		}},
		{"do i = 1, 20\n do j = 1, 20\n b(i,j) = b(i,j) + a(j,i)\n end do\n end do", []string{
			"return pe.Box(dist.Range(1, 20, 1), b.Iters(q, 0, 1, 0, dist.Range(1, 20, 1)).Strip(strip, 6))\n",
			"for strip1, all1 := 0, b.Iters(pe.ID(), 0, 1, 0, dist.Range(1, 20, 1)); strip1 < all1.Strips(6); strip1++ {\n",
			"for it, t := part1, 0; t < it.N; t++ {\n",
		}},
	} {
		code, _ := inStrips(t, "p.hpf", program(c.loop), 6, codegen.Options{})
		at := 0
		var plain []string
		for line := range strings.Lines(code) {
			if !strings.HasPrefix(line, "//line") {
				plain = append(plain, strings.TrimSpace(line))
			}
		}
		text := strings.Join(plain, "\n") + "\n"
		for _, w := range c.want {
			k := strings.Index(text[at:], w)
			if k < 0 {
				t.Fatalf("%s\nhas not, in this order, %q:\n%s", c.loop, w, code)
			}
			at += k
		}
		if _, err := check(t, code); err != nil {
			t.Errorf("%s\n%v\n%s", c.loop, err, code)
		}
	}
}

// TestStripsAreGo: programs with strips have no errors that the Go compiler has, with
// checks and without.
func TestStripsAreGo(t *testing.T) {
	programs := corpus(t)
	names := make([]string, 0, len(programs))
	for name := range programs {
		names = append(names, name)
	}
	slices.Sort(names)
	all := 0
	for i, name := range names {
		code, n := inStrips(t, name, programs[name], 1+i%4, codegen.Options{Check: i%2 == 0})
		if all += n; n == 0 {
			continue
		}
		if _, err := check(t, code); err != nil {
			t.Errorf("%s: %v\n%s", name, err, code)
		}
	}
	t.Logf("%d programs, %d temporaries in strips", len(names), all)
	if all < effort.Of(20, 5) {
		t.Error("there is nothing to check")
	}
}
