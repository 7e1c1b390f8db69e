package comm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/runtime/dist"
)

// randomStencil writes nests over BLOCK arrays of rank 1 to 3 that read several
// neighbours, diagonal ones and far ones too: shapes that coalescing takes
// together. Extents are small, so that blocks are often narrower than the
// distances, and PEs own nothing.
func randomStencil(t *rapid.T) string {
	g := &generator{t: t}
	rank := g.int(1, 3, "rank")
	extent := make([]int, rank)
	all := make([]string, rank)
	colons := make([]string, rank)
	format := make([]string, rank)
	divided := 0
	for d := range extent {
		extent[d] = g.int(7, 11-rank, "extent")
		all[d] = fmt.Sprint(extent[d])
		colons[d] = stencilIndices[d]
		format[d] = g.of("format", "BLOCK", "BLOCK", "BLOCK", "BLOCK", "*")
		if format[d] == "BLOCK" {
			divided++
		}
	}
	if divided == 0 {
		format[0], divided = "BLOCK", 1
	}
	g.line("program stencil")
	g.indent++
	g.line("implicit none")
	dims := strings.Join(all, ",")
	g.line("integer :: a(%s), b(%s), c(%s), i, j, k, it, m, s, v, i1, j1, k1", dims, dims, dims)
	onto := ""
	if g.odds(60, "arrangement") {
		shape := make([]string, divided)
		for d := range shape {
			shape[d] = fmt.Sprint(g.int(1, 3, "processors"))
		}
		g.line("!HPF$ PROCESSORS p(%s)", strings.Join(shape, ","))
		onto = " ONTO p"
	}
	index := strings.Join(colons, ",")
	if g.odds(20, "long template") {
		// Blocks need not start where the array does, and some are past its end.
		long, at := make([]string, rank), make([]string, rank)
		for d := range extent {
			long[d] = fmt.Sprint(extent[d] + 5)
			v := stencilIndices[d]
			at[d] = g.of("align", v, v+"+2", v+"+5", fmt.Sprintf("%d-%s", extent[d]+1, v))
		}
		g.line("!HPF$ TEMPLATE t(%s)", strings.Join(long, ","))
		g.line("!HPF$ DISTRIBUTE t(%s)%s", strings.Join(format, ","), onto)
		g.line("!HPF$ ALIGN a(%s) WITH t(%s)", index, strings.Join(at, ","))
	} else {
		g.line("!HPF$ DISTRIBUTE a(%s)%s", strings.Join(format, ","), onto)
	}
	g.line("!HPF$ ALIGN b(%s) WITH a(%s)", index, index)
	g.line("!HPF$ ALIGN c(%s) WITH a(%s)", index, index)
	g.line("m = %d", g.int(4, slices.Min(extent)-3, "m"))
	g.line("s = 0")
	for d := rank - 1; d >= 0; d-- {
		g.line("do %s = 1, %d", stencilIndices[d], extent[d])
	}
	g.line("a(%s) = mod(7*%s, 31)", index, strings.Join(colons, " + 5*"))
	g.line("b(%s) = mod(3*%s, 29)", index, strings.Join(colons, " + 11*"))
	g.line("c(%s) = 0", index)
	for range rank {
		g.line("end do")
	}
	again := g.odds(50, "again")
	if again {
		g.line("do it = 1, %d", g.int(2, 3, "sweeps"))
		g.indent++
	}
	for range g.int(1, 3, "nests") {
		g.stencilNest(extent, format)
	}
	if again {
		g.indent--
		g.line("end do")
	}
	g.line("print *, s")
	g.indent--
	g.line("end program")
	return g.out.String()
}

var stencilIndices = []string{"i", "j", "k"}

// stencilNest writes one nest. All its subscripts are within the bounds.
func (g *generator) stencilNest(extent []int, format []string) {
	rank := len(extent)
	far := g.int(1, 3, "farthest")
	from, to := g.of("from", "a", "b"), "c"
	if g.odds(30, "copy back") {
		from, to = "c", g.of("to", "a", "b")
	}
	at := make([]string, rank) // the subscripts of what is assigned
	var close []string
	for d := rank - 1; d >= 0; d-- {
		v := stencilIndices[d]
		lo, hi := 4, extent[d]-3
		at[d] = v
		switch k := g.int(0, 9, "loop"); {
		case k == 0 && d < rank-1: // one row: its owners alone
			at[d] = g.of("row", "m", fmt.Sprint(lo))
			continue
		case k == 1:
			g.line("do %s = %d, %d, -1", v, hi, lo)
		case k == 2:
			g.line("do %s = %d, %d, 2", v, lo, hi)
		case k == 3:
			g.line("do %s = m, %d", v, hi)
		default:
			g.line("do %s = %d, %d", v, lo, hi)
		}
		close = append(close, "end do")
	}
	point := func(distance []int) string {
		subs := make([]string, rank)
		for d := range subs {
			subs[d] = at[d]
			if distance[d] != 0 {
				subs[d] = fmt.Sprintf("%s%+d", at[d], distance[d])
			}
		}
		return fmt.Sprintf("%s(%s)", from, strings.Join(subs, ","))
	}
	var terms []string
	if g.odds(25, "all neighbours") {
		each(box(rank, -1, 1), func(x []int) {
			terms = append(terms, point(x))
		})
	} else {
		distance := make([]int, rank)
		for range g.int(1, 6, "points") {
			for d := range distance {
				distance[d] = g.int(-far, far, "distance")
				if format[d] == "*" && g.odds(50, "not here") {
					distance[d] = 0
				}
			}
			terms = append(terms, point(distance))
		}
	}
	for i := range terms {
		if g.odds(50, "factor") {
			terms[i] = fmt.Sprintf("%d*%s", g.int(2, 9, "weight"), terms[i])
		}
	}
	target := fmt.Sprintf("%s(%s)", to, strings.Join(at, ","))
	sum := strings.Join(terms, " + ")
	switch {
	case g.odds(25, "short loops"):
		g.shortLoops(from, at, target, far)
	case g.odds(10, "conditional"):
		g.line("if (mod(%s, 3) /= 1) %s = mod(%s, 97)", point(make([]int, rank)), target, sum)
	case g.odds(20, "two statements"):
		g.line("%s = mod(%s, 97)", target, terms[0])
		g.line("%s = mod(%s + %s, 97)", target, target, sum)
	default:
		g.line("%s = mod(%s, 97)", target, sum)
	}
	if g.odds(15, "sum") {
		g.line("s = s + %s", target)
	}
	for _, c := range close {
		g.line("%s", c)
	}
}

// shortLoops writes a statement over neighbours that loops inside of the nest name.
func (g *generator) shortLoops(from string, at []string, target string, far int) {
	subs := slices.Clone(at)
	g.line("v = 0")
	loops := 0
	for d := range at {
		if g.odds(40, "no loop here") {
			continue
		}
		x := stencilIndices[d] + "1"
		lo, hi := g.int(-far, 0, "from"), g.int(0, far, "to")
		switch g.int(0, 4, "short loop") {
		case 0:
			g.line("do %s = %d, %d, -1", x, hi, lo)
		case 1:
			g.line("do %s = %d, %d, 2", x, lo, hi)
		default:
			g.line("do %s = %d, %d", x, lo, hi)
		}
		subs[d] += "+" + x
		loops++
	}
	element := fmt.Sprintf("%s(%s)", from, strings.Join(subs, ","))
	if g.odds(20, "conditional") {
		g.line("if (mod(%s, 3) /= 1) v = v + %s", element, element)
	} else {
		g.line("v = v + %d*%s", g.int(1, 9, "weight"), element)
	}
	for range loops {
		g.line("end do")
	}
	g.line("%s = mod(v, 97)", target)
}

// TestRandomStencils is TestRandomPrograms for stencils. Besides it counts: what
// is left of a group of shifts is never more than one per direction, and where
// diagonals are forwarded, fewer.
func TestRandomStencils(t *testing.T) {
	checkRandom(t, randomStencil, 8, "shift", "wide shift", "forwarding", "forwarding two dimensions", "two phases", "three phases", "guarded consumers", "divided region", "values for several regions")
}

// TestForwardedCornersOfSmallBlocks runs the full stencil of each rank on arrays and
// grids of every small size: blocks of one element, narrower than the distance,
// PEs that own nothing, grids refitted to one row.
func TestForwardedCornersOfSmallBlocks(t *testing.T) {
	for _, width := range []int{1, 2, 3} {
		for _, n := range []int{2*width + 1, 2*width + 2, 3*width + 2} {
			for _, text := range []string{fullStencil(2, n, width), filter(n, width)} {
				p := analyze(t, text)
				shifts := slices.DeleteFunc(slices.Clone(p.Comms), func(c *comm.Comm) bool { return c.Kind != comm.Shift })
				// In smaller arrays what is near the border is never assigned, and its
				// communication leaves the loop.
				if n > 3*width && len(shifts) != 4 {
					t.Errorf("width %d: %d shifts, want 4\n%s", width, len(shifts), p.Explain())
				}
				for np := 1; np <= 9; np++ {
					if d := compare(text, np); d != "" {
						t.Errorf("width %d, %d elements, %d PEs: %s", width, n, np, d)
					}
				}
			}
		}
	}
	text := fullStencil(3, 4, 1)
	if p := analyze(t, text); len(p.Comms) != 6 {
		t.Errorf("%d communications for 26 neighbours, want 6", len(p.Comms))
	}
	for _, np := range []int{1, 2, 4, 8, 12} {
		if d := compare(text, np); d != "" {
			t.Errorf("3 dimensions, %d PEs: %s", np, d)
		}
	}
}

// box is lo..hi in each of rank dimensions.
func box(rank, lo, hi int) []dist.Triplet {
	return slices.Repeat([]dist.Triplet{dist.Range(lo, hi, 1)}, rank)
}

// fullStencil is two sweeps of a stencil of all neighbours up to width away in an
// n x n ... array.
func fullStencil(rank, n, width int) string {
	var b strings.Builder
	index := strings.Join(stencilIndices[:rank], ",")
	dims := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d,", n), rank), ",")
	blocks := strings.TrimSuffix(strings.Repeat("BLOCK,", rank), ",")
	fmt.Fprintf(&b, "program full\n  implicit none\n  integer :: a(%s), b(%s), i, j, k, it\n", dims, dims)
	fmt.Fprintf(&b, "!HPF$ DISTRIBUTE a(%s)\n!HPF$ ALIGN b(%s) WITH a(%s)\n", blocks, index, index)
	nest := func(lo, hi int, body string) {
		for d := rank - 1; d >= 0; d-- {
			fmt.Fprintf(&b, "  do %s = %d, %d\n", stencilIndices[d], lo, hi)
		}
		fmt.Fprintf(&b, "    %s\n", body)
		b.WriteString(strings.Repeat("  end do\n", rank))
	}
	nest(1, n, fmt.Sprintf("a(%s) = mod(7*%s, 31)", index, strings.Join(stencilIndices[:rank], " + 5*")))
	b.WriteString("  do it = 1, 2\n")
	var terms []string
	each(box(rank, -width, width), func(x []int) {
		subs := make([]string, rank)
		for d := range subs {
			subs[d] = offset(stencilIndices[d], x[d])
		}
		terms = append(terms, fmt.Sprintf("%d*a(%s)", len(terms)%7+1, strings.Join(subs, ",")))
	})
	nest(1+width, n-width, fmt.Sprintf("b(%s) = mod(%s, 97)", index, strings.Join(terms, " + &\n      ")))
	nest(1+width, n-width, fmt.Sprintf("a(%s) = b(%s)", index, index))
	b.WriteString("  end do\nend program\n")
	return b.String()
}

// filter is fullStencil of rank 2 with the neighbours in short loops.
func filter(n, width int) string {
	return fmt.Sprintf(`program filter
  implicit none
  integer :: a(%[1]d,%[1]d), b(%[1]d,%[1]d), i, j, p, q, s, it
!HPF$ DISTRIBUTE a(BLOCK,BLOCK)
!HPF$ ALIGN b(i,j) WITH a(i,j)
  do j = 1, %[1]d
  do i = 1, %[1]d
    a(i,j) = mod(7*i + 5*j, 31)
  end do
  end do
  do it = 1, 2
  do j = %[3]d, %[4]d
  do i = %[3]d, %[4]d
    s = 0
    do q = -%[2]d, %[2]d
      do p = %[2]d, -%[2]d, -1
        s = s + (p + 2*q + 7)*a(i+p,j+q)
      end do
    end do
    b(i,j) = mod(s, 97)
  end do
  end do
  do j = %[3]d, %[4]d
  do i = %[3]d, %[4]d
    a(i,j) = b(i,j)
  end do
  end do
  end do
end program
`, n, width, width+1, n-width)
}

// TestMachineNoticesPhases: the machine sees when a phase starts too early, comes
// too late, or brings too little for the next to forward.
func TestMachineNoticesPhases(t *testing.T) {
	text := fullStencil(2, 9, 1)
	loop := func(p *comm.Program) *comm.Loop {
		for _, n := range p.Body {
			if l, ok := n.(*comm.Loop); ok {
				return l
			}
		}
		t.Fatal("no loop")
		return nil
	}
	for _, c := range []struct {
		name  string
		spoil func(p *comm.Program)
		want  string
	}{
		{"nothing", func(*comm.Program) {}, ""},
		{"both phases at once", func(p *comm.Program) {
			b := loop(p).Body
			b[1], b[2] = b[2], b[1]
		}, "which no complete communication brought it"},
		{"the second phase first", func(p *comm.Program) {
			b := loop(p).Body
			b[0], b[1], b[2], b[3] = b[2], b[3], b[0], b[1]
		}, "which no complete communication brought it"},
		{"the first phase ends before the second", func(p *comm.Program) {
			l := loop(p)
			first := l.Body[0].(*comm.Post).Comms
			l.Body = slices.Insert(slices.Clone(l.Body), 2, comm.Node(&comm.Done{Comms: first}))
		}, "which no complete communication brought it"},
		{"producers get only what they read", func(p *comm.Program) {
			// The own rows of the first phase, cut to those of the iterations.
			for _, c := range p.Comms[:2] {
				r := c.Axes[1].Terms[0].Range
				r.Lo.C++
				r.Hi.C--
			}
		}, "which no complete communication brought it"},
		{"no corners", func(p *comm.Program) {
			for _, c := range p.Comms[2:4] {
				c.Axes[0].Terms = c.Axes[0].Terms[:1]
				c.Forward = nil
			}
		}, "which it neither owns nor was sent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := compare(text, 9, c.spoil)
			if !strings.Contains(d, c.want) || (d == "") != (c.want == "") {
				t.Errorf("the machine says %q, want %q", d, c.want)
			}
		})
	}
}
