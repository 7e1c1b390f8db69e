package randprog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Loops makes programs in which communications repeat: in a loop over t, and loops
// over k inside of it, with branches, zero-trip loops, CYCLE and EXIT. Nothing else
// decides whether a ready message can be left out. Everything is INTEGER, and the
// program prints one number:
//
//	tloop: do t = 1, 5
//	  do i = 2, 12
//	    a(i) = mod(a(i) + b(i-1), 97)
//	  end do
//	  if (mod(t, 2) == 0) cycle tloop
//	  m = mod(t, 3)
//	end do tloop
func Loops(seed uint64) Program { return Program{Source: loopProgram(seed)} }

func loopProgram(seed uint64) string {
	g := &loops{r: rand.New(rand.NewPCG(seed, 17)), index: []string{"t"}}
	g.plane = g.r.IntN(3) == 0
	body := g.block(1+g.r.IntN(3), 2)
	var b strings.Builder
	fmt.Fprintf(&b, "program loops\n  implicit none\n  integer, parameter :: n = %d\n", g.n())
	dims, format := "(n)", []string{"BLOCK", "CYCLIC"}[g.r.IntN(2)]
	if g.plane {
		dims, format = "(n,n)", format+","+[]string{"BLOCK", "CYCLIC"}[g.r.IntN(2)]
	}
	fmt.Fprintf(&b, "  integer :: a%s, b%s, c%s, i, j, k, m, s, t\n", dims, dims, dims)
	switch {
	case g.plane:
		fmt.Fprintf(&b, "!HPF$ PROCESSORS q(2,2)\n!HPF$ DISTRIBUTE a(%s) ONTO q\n", format)
		for _, x := range []string{"b", "c"} {
			fmt.Fprintf(&b, "!HPF$ ALIGN %s(i,j) WITH a(%s)\n", x, []string{"i,j", "i,j", "j,i"}[g.r.IntN(3)])
		}
		b.WriteString("  do j = 1, n\n  do i = 1, n\n    a(i,j) = i + j\n    b(i,j) = i * j\n    c(i,j) = i - j\n  end do\n  end do\n")
	default:
		fmt.Fprintf(&b, "!HPF$ TEMPLATE v(n+1)\n!HPF$ DISTRIBUTE v(%s)\n", format)
		for _, x := range []string{"a", "b", "c"} {
			fmt.Fprintf(&b, "!HPF$ ALIGN %s(i) WITH v(%s)\n", x, []string{"i", "i", "i", "i+1", "n+1-i"}[g.r.IntN(5)])
		}
		b.WriteString("  do i = 1, n\n    a(i) = i\n    b(i) = 2 * i\n    c(i) = 20 - i\n  end do\n")
	}
	b.WriteString("  m = 0\n  s = 0\n  tloop: do t = 1, 5\n" + body + "    m = mod(t, 3)\n  end do tloop\n")
	if g.plane {
		b.WriteString("  do j = 1, n\n  do i = 1, n\n    s = s + i * a(i,j) + j * b(i,j) + c(i,j)\n  end do\n  end do\n")
	} else {
		b.WriteString("  do i = 1, n\n    s = s + i * a(i) + 3 * b(i) + c(i) * 7 * i\n  end do\n")
	}
	b.WriteString("  print *, s\nend program\n")
	return b.String()
}

type loops struct {
	r      *rand.Rand
	plane  bool     // arrays of rank 2
	index  []string // of the loops around
	serial int
}

func (g *loops) n() int {
	if g.plane {
		return 6
	}
	return 12
}

func (g *loops) array() string { return []string{"a", "b", "c"}[g.r.IntN(3)] }

// two different arrays.
func (g *loops) two() (x, y string) {
	for x, y = g.array(), g.array(); x == y; y = g.array() {
	}
	return x, y
}

// place is a subscript that names one element.
func (g *loops) place() string {
	switch g.r.IntN(4) {
	case 0:
		return g.index[g.r.IntN(len(g.index))]
	case 1:
		return g.index[g.r.IntN(len(g.index))] + "+1"
	}
	return fmt.Sprint(1 + g.r.IntN(g.n()))
}

// span is a range of elements such that i+off is one too.
func (g *loops) span(off int) (lo, hi int) {
	lo, hi = max(1, 1-off), min(g.n(), g.n()-off)
	if g.r.IntN(3) == 0 {
		lo = min(hi, lo+g.r.IntN(3))
		hi = max(lo, hi-g.r.IntN(3))
	}
	return lo, hi
}

func (g *loops) offset() int { return (1 + g.r.IntN(2)) * (1 - 2*g.r.IntN(2)) }

// block is n statements, with at most deep levels of control in them. What goes
// one way often comes back later, perhaps past the wrong branch or too early.
func (g *loops) block(n, deep int) string {
	var list, back []string
	for range n {
		if g.r.IntN(2) == 0 {
			there, answer := g.exchange()
			list = append(list, there)
			back = append(back, answer)
			continue
		}
		list = append(list, g.statement(deep))
	}
	for _, answer := range back {
		if deep > 0 && g.r.IntN(5) == 0 {
			answer = fmt.Sprintf("    if (mod(t, 2) == 0) then\n%s    end if\n", answer)
		}
		at := g.r.IntN(len(list) + 1)
		list = append(list[:at], append([]string{answer}, list[at:]...)...)
	}
	return strings.Join(list, "")
}

// exchange is a statement and one whose messages go the other way.
func (g *loops) exchange() (there, answer string) {
	x, y := g.two()
	n, o := g.n(), g.offset()
	if g.plane {
		shift := func(x, y string, o int, first bool) string {
			lo, hi := max(1, 1-o), min(n, n-o)
			if first {
				return fmt.Sprintf("    do j = 1, n\n    do i = %d, %d\n      %s(i,j) = mod(%s(i,j) + %s(i%+d,j), 97)\n    end do\n    end do\n", lo, hi, x, x, y, o)
			}
			return fmt.Sprintf("    do j = %d, %d\n    do i = 1, n\n      %s(i,j) = mod(%s(i,j) + %s(i,j%+d), 97)\n    end do\n    end do\n", lo, hi, x, x, y, o)
		}
		first := g.r.IntN(2) == 0
		return shift(x, y, o, first), shift(y, x, -o, first)
	}
	if g.r.IntN(3) == 0 {
		p, q := g.place(), g.place()
		set := func(x, p, y, q string) string {
			return fmt.Sprintf("    %s(%s) = mod(%s(%s) + %s(%s) + 1, 97)\n", x, p, x, p, y, q)
		}
		return set(x, p, y, q), set(y, q, x, p)
	}
	shift := func(x, y string, o int) string {
		return fmt.Sprintf("    do i = %d, %d\n      %s(i) = mod(%s(i) + %s(i%+d), 97)\n    end do\n", max(1, 1-o), min(n, n-o), x, x, y, o)
	}
	return shift(x, y, o), shift(y, x, -o)
}

func (g *loops) statement(deep int) string {
	if deep > 0 && g.r.IntN(4) == 0 {
		return g.control(deep)
	}
	if g.plane {
		return g.planeStatement()
	}
	x, y := g.two()
	loop := func(lo, hi int, at, from string) string {
		return fmt.Sprintf("    do i = %d, %d\n      %s(%s) = mod(%s(%s) + %s(%s) + i, 97)\n    end do\n", lo, hi, x, at, x, at, y, from)
	}
	switch g.r.IntN(10) {
	case 0, 1, 2, 3:
		o := g.offset()
		lo, hi := g.span(o)
		return loop(lo, hi, "i", fmt.Sprintf("i%+d", o))
	case 4:
		return loop(1, 12, "i", "n+1-i")
	case 5:
		lo, hi := g.span(0)
		return loop(lo, hi, "i", g.place())
	case 6:
		return loop(1, 5, "2*i", "i+2")
	case 7:
		p, q := g.place(), g.place()
		return fmt.Sprintf("    %s(%s) = mod(%s(%s) + %s(%s) + 1, 97)\n", x, p, x, p, y, q)
	case 8:
		if g.r.IntN(2) == 0 {
			return fmt.Sprintf("    s = 0\n    do i = 1, n\n      s = s + %s(i)\n    end do\n    %s(t) = mod(s, 97)\n", x, x)
		}
	}
	return fmt.Sprintf("    %s(%s) = mod(%s(t) + t, 97)\n", x, "t", x)
}

func (g *loops) planeStatement() string {
	x, y := g.two()
	nest := func(ilo, ihi, jlo, jhi int, from string) string {
		return fmt.Sprintf("    do j = %d, %d\n    do i = %d, %d\n      %s(i,j) = mod(%s(i,j) + %s(%s) + i, 97)\n    end do\n    end do\n", jlo, jhi, ilo, ihi, x, x, y, from)
	}
	n := g.n()
	switch g.r.IntN(8) {
	case 0, 1:
		o := g.offset()
		lo, hi := g.span(o)
		return nest(lo, hi, 1, n, fmt.Sprintf("i%+d,j", o))
	case 2, 3:
		o := g.offset()
		lo, hi := g.span(o)
		return nest(1, n, lo, hi, fmt.Sprintf("i,j%+d", o))
	case 4:
		return nest(1, n, 1, n, []string{"j,i", "n+1-i,j", "n+1-j,i"}[g.r.IntN(3)])
	case 5:
		return nest(1, n, 1, n, []string{g.place() + ",j", "i," + g.place(), g.place() + "," + g.place()}[g.r.IntN(3)])
	case 6:
		p, q := g.place(), g.place()
		return fmt.Sprintf("    do i = 1, n\n      %s(i,%s) = mod(%s(i,%s) + %s(i,%s), 97)\n    end do\n", x, p, x, p, y, q)
	}
	return fmt.Sprintf("    %s(t,%s) = mod(%s(t,t) + t, 97)\n", x, "t", x)
}

// condition is one on the index t, or on an element that its owner tells all PEs.
func (g *loops) condition() string {
	if g.r.IntN(4) > 0 {
		return fmt.Sprintf("mod(t, %d) == %d", 2+g.r.IntN(2), g.r.IntN(2))
	}
	at := g.place()
	if g.plane {
		at += "," + g.place()
	}
	return fmt.Sprintf("%s(%s) > %d", g.array(), at, 20+g.r.IntN(50))
}

// control is a branch, a loop over k, or a jump.
func (g *loops) control(deep int) string {
	cond := g.condition()
	switch g.r.IntN(5) {
	case 0, 1:
		text := fmt.Sprintf("    if (%s) then\n%s", cond, g.block(1+g.r.IntN(2), deep-1))
		if g.r.IntN(2) == 0 {
			text += "    else\n" + g.block(1, deep-1)
		}
		return text + "    end if\n"
	case 2, 3:
		if len(g.index) > 1 {
			return g.block(1, 0)
		}
		g.index = append(g.index, "k")
		g.serial++
		name := fmt.Sprintf("k%d", g.serial)
		text := fmt.Sprintf("    %s: do k = 1, %s\n%s", name, []string{"2", "3", "m"}[g.r.IntN(3)], g.block(1+g.r.IntN(2), deep-1))
		if g.r.IntN(3) == 0 {
			text += fmt.Sprintf("    if (mod(t + k, 3) == 0) %s\n%s", []string{"exit " + name, "cycle " + name, "cycle tloop"}[g.r.IntN(3)], g.block(1, 0))
		}
		g.index = g.index[:1]
		return text + "    end do " + name + "\n"
	}
	return fmt.Sprintf("    if (%s) %s tloop\n", cond, []string{"cycle", "cycle", "cycle", "exit"}[g.r.IntN(4)])
}
