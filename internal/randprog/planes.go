package randprog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Planes makes programs that keep old and new values in planes of one array, which
// change places in each iteration; or in some only, or twice, or not on every way
// through the iteration. Whether an exchange always fills another plane than the one
// before decides whether the overlap may be taken for several slots; whether the two are
// always different, whether the sweep is a pipeline. Everything is INTEGER, and the
// program prints a few numbers:
//
//	tloop: do t = 1, 6
//	!HPF$ INDEPENDENT
//	  do i = 2, n - 1
//	    a(i,new) = mod(a(i-1,old) + 2*a(i+1,old), 97)
//	  end do
//	  if (mod(t, 3) == 1) cycle tloop
//	  w = old;  old = new;  new = w
//	end do tloop
func Planes(seed uint64) Program {
	p := &planes{r: rand.New(rand.NewPCG(seed, 29))}
	return Program{Source: p.program()}
}

type planes struct {
	r    *rand.Rand
	flat bool // planes of rank 2
	// independent says that the sweep is called INDEPENDENT; else the compiler has to
	// find out that the planes differ, if they do.
	independent bool
}

// chance is true in x of y cases.
func (p *planes) chance(x, y int) bool { return p.r.IntN(y) < x }

func (p *planes) one(list ...string) string { return list[p.r.IntN(len(list))] }

// when is a condition that is the same on all PEs.
func (p *planes) when() string {
	return p.one("mod(t, 2) == 0", "t == 3", "mod(t + k, 3) == 1", "t == 1", "t + k == 4", "count > 4")
}

func (p *planes) program() string {
	p.flat = p.chance(1, 3)
	p.independent = p.chance(1, 2)
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	n := 8 + p.r.IntN(7)
	line("program planes\n  implicit none\n  integer, parameter :: n = %d", n)
	line("  integer :: i, j, k, t, s, old, new, w, third, count")
	if p.flat {
		line("  integer :: a(n,n,3), c(n,n)\n!HPF$ PROCESSORS q(2,2)\n!HPF$ DISTRIBUTE a(BLOCK,BLOCK,*) ONTO q\n!HPF$ ALIGN c(i,j) WITH a(i,j,*)")
		line("  do j = 1, n\n  do i = 1, n\n    a(i,j,1) = i + j\n    a(i,j,2) = i * j\n    a(i,j,3) = i - j\n    c(i,j) = 0\n  end do\n  end do")
	} else {
		line("  integer :: a(n,3), c(n)\n!HPF$ DISTRIBUTE a(BLOCK,*)\n!HPF$ ALIGN c(i) WITH a(i,*)")
		line("  do i = 1, n\n    a(i,1) = i\n    a(i,2) = 2 * i\n    a(i,3) = 20 - i\n    c(i) = 0\n  end do")
	}
	line("  s = 0\n  count = 0\n  old = 1\n  new = 2\n  third = 3\n  k = 0")
	outer := p.chance(1, 3)
	if outer {
		line("  do k = 1, %d", 1+p.r.IntN(3))
		if p.chance(1, 2) {
			line("  old = 1\n  new = 2\n  third = 3")
		}
	}
	line("  tloop: do t = 1, %d", 3+p.r.IntN(5))
	swap := p.swap()
	head, tail := "", swap
	switch k := p.r.IntN(14); {
	case k > 7 && !p.independent && p.chance(1, 3): // once they are the same
		tail = swap + "    if (" + p.when() + ") new = old\n"
	case k == 0: // once they stay
		tail = "    if (" + p.when() + ") then\n" + swap + "    end if\n"
	case k == 1: // once they change places twice
		tail = swap + "    if (" + p.when() + ") then\n" + swap + "    end if\n"
	case k == 2:
		tail = "    if (" + p.when() + ") cycle tloop\n" + swap
	case k == 3:
		tail = swap + "    if (" + p.when() + ") cycle tloop\n    s = s + 1\n"
	case k == 4:
		tail = swap + "    if (" + p.when() + ") exit tloop\n"
	case k == 5:
		tail = swap + "    if (" + p.when() + ") then\n      old = 1\n      new = 2\n      third = 3\n    end if\n"
	case k == 6:
		head, tail = "    old = mod(t, 2) + 1\n    new = "+p.one("3 - old", "mod(t + 1, 2) + 1")+"\n", ""
	case k == 7:
		head, tail = fmt.Sprintf("    count = count + %d\n    old = mod(count, 2) + 1\n    new = 3 - old\n", 1+p.r.IntN(3)), ""
	}
	b.WriteString(head)
	b.WriteString(p.sweep())
	if p.chance(1, 4) {
		b.WriteString(p.extra())
	}
	line("    count = count + 1")
	b.WriteString(tail)
	line("  end do tloop")
	if outer {
		line("  end do")
	}
	if p.flat {
		line("  do j = 1, n\n  do i = 1, n\n    s = s + i * a(i,j,1) + j * a(i,j,2) + a(i,j,3) + c(i,j)\n  end do\n  end do")
	} else {
		line("  do i = 1, n\n    s = s + i * a(i,1) + 3 * a(i,2) + a(i,3) + c(i)\n  end do")
	}
	line("  print *, s, old, new\nend program")
	return b.String()
}

// swap lets the planes change places.
func (p *planes) swap() string {
	return p.one(
		"    w = old\n    old = new\n    new = w\n",
		"    old = 3 - old\n    new = 3 - new\n",
		"    w = old\n    old = new\n    new = third\n    third = w\n",
		"    w = new\n    new = old\n    old = w\n",
	)
}

// sweep computes the new plane from neighbours in the old one.
func (p *planes) sweep() string {
	far := p.one("1", "1", "1", "2")
	var terms []string
	switch {
	case !p.flat && p.chance(1, 5):
		terms = []string{"a(i-1,old)"}
	case !p.flat:
		terms = []string{"a(i-1,old)", "2*a(i+" + far + ",old)"}
	default:
		terms = []string{"a(i-1,j,old)", "2*a(i+1,j,old)", "a(i,j-1,old)", "3*a(i,j+1,old)"}
		if p.chance(1, 2) {
			terms = append(terms, "a(i-1,j+1,old)", "a(i+1,j+1,old)", "a(i-1,j-1,old)", "a(i+1,j-1,old)")
		}
	}
	sum := strings.Join(terms, " + &\n        ")
	directive := ""
	if p.independent {
		directive = "!HPF$ INDEPENDENT\n"
	}
	if p.flat {
		return directive + "    do j = 2, n - 1\n" + directive + "    do i = 2, n - 1\n      a(i,j,new) = mod(" + sum + ", 97)\n    end do\n    end do\n"
	}
	return directive + "    do i = 2, n - " + far + "\n      a(i,new) = mod(" + sum + ", 97)\n    end do\n"
}

// extra uses the planes once more, be it the new one.
func (p *planes) extra() string {
	if p.flat {
		return p.one(
			"    do j = 1, n\n    do i = 2, n\n      c(i,j) = mod(c(i,j) + a(i-1,j,new), 97)\n    end do\n    end do\n",
			"    do j = 1, n\n    do i = 1, n\n      s = s + a(i,j,old)\n    end do\n    end do\n",
			"    do j = 1, n\n    do i = 1, n - 1\n      c(i,j) = mod(c(i,j) + a(i+1,j,old), 97)\n    end do\n    end do\n",
		)
	}
	return p.one(
		"    do i = 2, n\n      c(i) = mod(c(i) + a(i-1,new), 97)\n    end do\n",
		"    do i = 1, n\n      s = s + a(i,old)\n    end do\n",
		"    do i = 1, n - 1\n      c(i) = mod(c(i) + a(i+1,old), 97)\n    end do\n",
		"    if ("+p.when()+") then\n    do i = 2, n\n      c(i) = a(i-1,third)\n    end do\n    end if\n",
	)
}
