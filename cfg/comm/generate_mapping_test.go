package comm_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// declare writes arrays and their mapping.
func (g *generator) declare() {
	names := []string{"a", "b", "c", "d"}
	g.line("integer :: ia(%d:%d)", safeLo, safeHi)
	for _, name := range names[:g.int(2, 4, "arrays")] {
		a := genArray{name: name}
		var dims []string
		for range g.int(1, 3, "rank")%3 + 1 {
			lo, hi := g.int(0, safeLo, "lower"), safeHi+g.int(0, 3, "upper")
			a.lo, a.hi = append(a.lo, lo), append(a.hi, hi)
			dims = append(dims, fmt.Sprintf("%d:%d", lo, hi))
		}
		g.arrays = append(g.arrays, a)
		g.line("integer :: %s(%s)", name, strings.Join(dims, ","))
	}
	rank := g.int(1, 2, "grid")
	if rank == 1 {
		g.line("!HPF$ PROCESSORS p(number_of_processors())")
		g.line("!HPF$ TEMPLATE t(1:30)")
	} else {
		g.line("!HPF$ PROCESSORS p(2,2)")
		g.line("!HPF$ TEMPLATE t(1:30,1:30)")
	}
	formats := make([]string, rank)
	for d := range formats {
		formats[d] = g.of("format", "BLOCK", "BLOCK", "CYCLIC")
	}
	g.line("!HPF$ DISTRIBUTE t(%s) ONTO p", strings.Join(formats, ","))
	if g.odds(30, "index array") {
		g.line("!HPF$ DISTRIBUTE ia(%s)", g.of("format", "BLOCK", "CYCLIC"))
	}
	for i, a := range g.arrays {
		g.mapping(a, i, rank)
	}
}

// mapping maps array number i.
func (g *generator) mapping(a genArray, i, grid int) {
	rank := len(a.lo)
	switch k := g.int(0, 9, "mapping"); {
	case k == 0 && i > 0: // replicated
	case k <= 3:
		g.distribute(a, grid)
	case k <= 5 && i > 0 && len(g.arrays[0].lo) == rank:
		// Aligned with the first array, an offset within its bounds away.
		var src, dst []string
		for d, v := range []string{"i", "j", "k"}[:rank] {
			b := g.arrays[0]
			off := 0
			if lo, hi := b.lo[d]-a.lo[d], b.hi[d]-a.hi[d]; lo <= hi {
				off = g.int(lo, hi, "offset")
			} else {
				g.distribute(a, grid)
				return
			}
			src, dst = append(src, v), append(dst, fmt.Sprintf("%s%+d", v, off))
		}
		g.line("!HPF$ ALIGN %s(%s) WITH %s(%s)", a.name, strings.Join(src, ","), g.arrays[0].name, strings.Join(dst, ","))
	default:
		// With the template: any dimension on any template dimension.
		src := make([]string, rank)
		for d := range src {
			src[d] = "*"
		}
		dst := make([]string, grid)
		dims := rapid.Permutation([]int{0, 1, 2}[:rank]).Draw(g.t, "dimensions")
		for td := range dst {
			switch {
			case td >= len(dims):
				dst[td] = g.of("rest", "*", fmt.Sprint(g.int(1, 30, "position")))
			case g.odds(12, "replicated"):
				dst[td] = "*"
			case g.odds(8, "constant"):
				dst[td] = fmt.Sprint(g.int(1, 30, "position"))
			default:
				d := dims[td]
				v := string(rune('i' + d))
				src[d] = v
				coef := []int{1, 1, 1, -1, 2, -2}[g.int(0, 5, "stride")]
				lo, hi := coef*a.lo[d], coef*a.hi[d]
				if coef < 0 {
					lo, hi = hi, lo
				}
				dst[td] = fmt.Sprintf("%d*%s%+d", coef, v, g.int(1-lo, 30-hi, "offset"))
			}
		}
		g.line("!HPF$ ALIGN %s(%s) WITH t(%s)", a.name, strings.Join(src, ","), strings.Join(dst, ","))
	}
}

// distribute writes a DISTRIBUTE of its own for a.
func (g *generator) distribute(a genArray, grid int) {
	formats := make([]string, len(a.lo))
	left := grid
	for d := range formats {
		formats[d] = "*"
		if left > 0 && (len(formats)-d <= left || g.odds(60, "divided")) {
			formats[d] = g.of("format", "BLOCK", "BLOCK", "CYCLIC")
			left--
		}
	}
	onto := " ONTO p"
	if left > 0 {
		onto = "" // fewer dimensions than p has: a grid of its own
	}
	g.line("!HPF$ DISTRIBUTE %s(%s)%s", a.name, strings.Join(formats, ","), onto)
}

// initialise gives everything a value.
func (g *generator) initialise() {
	g.line("do i = %d, %d", safeLo, safeHi)
	g.line("  ia(i) = %d + mod(%d*i, %d)", safeLo, g.int(1, 4, "spread"), safeHi-safeLo+1)
	g.line("end do")
	for n, a := range g.arrays {
		var sub, sum []string
		for d := range a.lo {
			v := string(rune('i' + d))
			g.line("do %s = %d, %d", v, a.lo[d], a.hi[d])
			sub, sum = append(sub, v), append(sum, fmt.Sprintf("%d*%s", 1+n+3*d, v))
		}
		g.line("%s(%s) = %s", a.name, strings.Join(sub, ","), strings.Join(sum, "+"))
		for range a.lo {
			g.line("end do")
		}
	}
	g.line("do i = 0, %d", sumsHi)
	g.line("  q(i) = 5*i")
	g.line("  do j = 0, %d", sumsHi)
	g.line("    r(j,i) = j - i")
	g.line("  end do")
	g.line("end do")
	g.line("n = %d", g.int(safeLo, safeHi, "n"))
	g.line("m = %d", g.int(safeLo, safeHi, "m"))
	g.line("s = 0")
	g.line("top = -99")
	g.line("w = 0")
}
