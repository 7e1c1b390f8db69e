package comm_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// randomRecurrence writes loops over BLOCK arrays that read elements up to three
// away from the one that they assign, in the same array and in others.
func randomRecurrence(t *rapid.T) string {
	g := &generator{t: t}
	n := g.int(8, 20, "n")
	rank := g.int(1, 2, "rank")
	dims, ref := "n", func(name, i, j string) string { return name + "(" + i + ")" }
	if rank == 2 {
		dims, ref = "n,n", func(name, i, j string) string { return fmt.Sprintf("%s(%s,%s)", name, i, j) }
		if g.odds(50, "columns") {
			ref = func(name, i, j string) string { return fmt.Sprintf("%s(%s,%s)", name, j, i) }
		}
	}
	g.line("program recurrence")
	g.indent++
	g.line("implicit none")
	g.line("integer, parameter :: n = %d", n)
	g.line("integer :: a(%s), b(%s), i, j, it, s, x", dims, dims)
	g.recurrenceMapping(n, rank)
	for _, name := range []string{"a", "b"} {
		g.line("do i = 1, n")
		if rank == 1 {
			g.line("  %s = mod(%d * i, 31)", ref(name, "i", ""), g.int(1, 5, "factor"))
		} else {
			g.line("do j = 1, n")
			g.line("  %s = mod(%d * i + j, 31)", ref(name, "i", "j"), g.int(1, 5, "factor"))
			g.line("end do")
		}
		g.line("end do")
	}
	g.line("s = 0")
	for range g.int(1, 2, "sweeps") {
		g.sweep(n, rank, ref)
	}
	g.line("print *, s")
	g.indent--
	g.line("end program")
	return g.out.String()
}

// recurrenceMapping maps a, and b in the same place or another.
func (g *generator) recurrenceMapping(n, rank int) {
	list := func(one string) string {
		if rank == 1 {
			return one
		}
		return g.of("formats", one+",*", "*,"+one, one+","+one)
	}
	index := "i"
	if rank == 2 {
		index = "i,j"
	}
	switch g.int(0, 4, "mapping") {
	case 0: // reversed, or a part of a longer template
		if rank == 1 {
			g.line("!HPF$ TEMPLATE t(%d)", n+6)
			g.line("!HPF$ DISTRIBUTE t(BLOCK)")
			g.line("!HPF$ ALIGN a(i) WITH t(%s)", g.of("align", "i", "i+3", "i+6", fmt.Sprintf("%d-i", n+1), fmt.Sprintf("%d-i", n+5)))
			break
		}
		fallthrough
	default:
		g.line("!HPF$ DISTRIBUTE a(%s)", list(g.of("format", "BLOCK", "BLOCK", "BLOCK", "CYCLIC")))
	}
	if g.odds(80, "aligned") {
		g.line("!HPF$ ALIGN b(%s) WITH a(%s)", index, index)
	} else {
		g.line("!HPF$ DISTRIBUTE b(%s)", list("BLOCK"))
	}
}

// sweep writes a nest with recurrences. All its subscripts are within 1..n.
func (g *generator) sweep(n, rank int, ref func(name, i, j string) string) {
	near := func(v string) string { return offset(v, g.int(-3, 3, "distance")) }
	element := func() string { return ref(g.of("array", "a", "a", "a", "b"), near("i"), near("j")) }
	again := g.odds(30, "again")
	if again {
		g.line("do it = 1, 2")
	}
	loop := func(v string) {
		if g.odds(35, "down") {
			g.line("do %s = %d, %d, %d", v, n-g.int(3, 4, "from"), g.int(4, 5, "to"), -g.int(1, 2, "step"))
		} else {
			g.line("do %s = %d, %d, %d", v, g.int(4, 5, "from"), n-g.int(3, 4, "to"), g.int(1, 2, "step"))
		}
	}
	depth := 1
	loop("i")
	if rank == 2 {
		if depth = 2; g.odds(50, "exchanged") {
			loop("j")
		} else {
			// j outside: written again in the other order.
			text := g.out.String()
			at := strings.LastIndex(strings.TrimRight(text, "\n"), "\n") + 1
			head := text[at:]
			g.out.Reset()
			g.out.WriteString(text[:at])
			loop("j")
			g.out.WriteString(head)
		}
	}
	if g.odds(20, "private") {
		g.line("x = %s", element())
		g.line("%s = mod(x + %s, 97)", ref("a", "i", "j"), element())
	}
	if g.odds(20, "conditional") {
		g.line("if (mod(%s, 3) /= 1) %s = mod(%s + 1, 97)", element(), ref("a", "i", "j"), element())
	}
	terms := []string{element()}
	for range g.int(0, 2, "terms") {
		terms = append(terms, element())
	}
	g.line("%s = mod(%s, 97)", ref("a", "i", "j"), strings.Join(terms, " + "))
	if g.odds(25, "second") {
		g.line("%s = mod(%s + %s, 97)", ref("b", "i", "j"), element(), element())
	}
	if g.odds(15, "sum") {
		g.line("s = s + %s", ref("a", "i", "j"))
	}
	for range depth {
		g.line("end do")
	}
	if again {
		g.line("end do")
	}
}
