package randprog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Jumps makes programs whose control flow is drawn: GO TO in its forms, arithmetic IF,
// loops with terminal labels, and EXIT and CYCLE, between statements that compute with
// scalars and with distributed arrays. Labels outside of all loops and branches can be
// jumped to from everywhere, those at the end of a loop from inside of it, so that loops
// made by jumps cross each other and have several entries. Each way back counts f, and the
// program ends when that is large:
//
//	20 continue
//	   f = f + 1; if (f > 60) goto 9999
//	   do i = 2, n
//	      a(i) = mod(a(i) + b(i-1) + s, 97)
//	   end do
//	   if (a(3) > 50) goto 40
//	   goto (20, 30), mod(s, 3)
func Jumps(seed uint64) Program {
	g := &jumps{r: rand.New(rand.NewPCG(seed, 0x6a756d7073)), features: map[string]int{}}
	var b strings.Builder
	const n = 9
	fmt.Fprintf(&b, "program jumps\n  implicit none\n  integer, parameter :: n = %d\n", n)
	fmt.Fprintf(&b, "  integer :: a(n), b(n), i, s, f, k, i1, i2\n")
	if g.r.IntN(4) > 0 {
		fmt.Fprintf(&b, "!HPF$ DISTRIBUTE a(%s)\n!HPF$ ALIGN b(i) WITH a(i)\n", []string{"BLOCK", "CYCLIC"}[g.r.IntN(2)])
		g.feat("distributed arrays")
	}
	fmt.Fprintf(&b, "  do i = 1, n\n    a(i) = 3*i\n    b(i) = 20 - i\n  end do\n  s = %d\n  f = 0\n  k = 0\n", g.r.IntN(50))
	for i := range 2 + g.r.IntN(6) {
		g.top = append(g.top, 10*(i+1))
	}
	targets := append([]int{last}, g.top...)
	if g.r.IntN(2) == 0 {
		fmt.Fprintf(&b, "  goto %d\n", g.top[g.r.IntN(len(g.top))])
		g.feat("into the midst at the start")
	}
	for _, label := range g.top {
		g.line(0, "%d continue", label)
		g.line(0, "f = f + 1; if (f > %d) goto %d", mostRounds, last)
		for range 1 + g.r.IntN(4) {
			g.statement(2, 0, targets)
		}
	}
	b.WriteString(g.out.String())
	fmt.Fprintf(&b, "%d print *, s, f\n  print *, a\n  print *, b\nend program\n", last)
	return Program{Source: b.String(), Features: g.features}
}

const (
	last       = 9999 // the label of the end
	mostRounds = 60   // how often ways back are gone
)

// jumpForms are what some hundred programs of Jumps have.
var jumpForms = []string{
	"jump:distributed arrays", "jump:into the midst at the start", "jump:goto", "jump:goto under an IF", "jump:out of a branch",
	"jump:out of a loop", "jump:to the end of a loop", "jump:arithmetic IF", "jump:computed", "jump:assigned", "jump:on an element",
	"jump:branch", "jump:loop", "jump:loop with a label", "jump:loops that share a label", "jump:cases", "jump:exit and cycle", "jump:exit of a branch",
}

type jumps struct {
	r        *rand.Rand
	out      strings.Builder
	top      []int // labels outside of everything
	serial   int
	inside   int // loops and branches around
	loops    int // around
	features map[string]int
}

func (g *jumps) feat(name string) { g.features["jump:"+name]++ }

func (g *jumps) line(depth int, format string, args ...any) {
	fmt.Fprintf(&g.out, strings.Repeat("  ", depth+1)+format+"\n", args...)
}

// fresh is a new label.
func (g *jumps) fresh() int {
	g.serial++
	return 1000 + g.serial
}

func (g *jumps) condition() string {
	switch g.r.IntN(6) {
	case 0:
		g.feat("on an element")
		return fmt.Sprintf("%s(%d) > %d", g.array(), 1+g.r.IntN(9), g.r.IntN(97))
	case 1:
		return fmt.Sprintf("s > %d", g.r.IntN(200))
	case 2:
		return "mod(f, 2) == 0"
	case 3:
		return fmt.Sprintf("mod(s + f, 3) /= %d", g.r.IntN(3))
	}
	return fmt.Sprintf("mod(s, %d) == %d", 2+g.r.IntN(4), g.r.IntN(3))
}

func (g *jumps) array() string { return []string{"a", "b"}[g.r.IntN(2)] }

// target is one of the labels that can be jumped to.
func (g *jumps) target(targets []int) int {
	t := targets[g.r.IntN(len(targets))]
	switch {
	case t > 1000 && t != last:
		g.feat("to the end of a loop")
	case g.loops > 0:
		g.feat("out of a loop")
	case g.inside > 0:
		g.feat("out of a branch")
	}
	return t
}

// statement prints a statement or construct, with at most deep levels in it.
func (g *jumps) statement(deep, depth int, targets []int) {
	block := func(n int, targets []int) {
		for range 1 + g.r.IntN(n) {
			g.statement(deep-1, depth+1, targets)
		}
	}
	switch kind := g.r.IntN(16); {
	case kind < 5:
		g.compute(depth)
	case kind < 7:
		g.feat("goto under an IF")
		g.line(depth, "if (%s) goto %d", g.condition(), g.target(targets))
	case kind == 7:
		// What is behind it has a label, or nobody would come there.
		g.feat("goto")
		g.line(depth, "goto %d", g.target(targets))
		g.line(0, "%d continue", g.fresh())
	case kind == 8:
		g.feat("arithmetic IF")
		g.line(depth, "if (mod(s, %d) - %d) %d, %d, %d", 2+g.r.IntN(4), g.r.IntN(3), g.target(targets), g.target(targets), g.target(targets))
		g.line(0, "%d continue", g.fresh())
	case kind == 9:
		g.feat("computed")
		list := fmt.Sprint(g.target(targets))
		for range g.r.IntN(3) {
			list += fmt.Sprintf(", %d", g.target(targets))
		}
		g.line(depth, "goto (%s), mod(s, 4)", list)
	case kind == 10:
		g.feat("assigned")
		x, y := g.target(targets), g.target(targets)
		g.line(depth, "assign %d to k", x)
		g.line(depth, "if (%s) assign %d to k", g.condition(), y)
		g.line(depth, "if (%s) goto k, (%d, %d)", g.condition(), x, y)
	case kind == 11 && g.loops > 0:
		g.feat("exit and cycle")
		g.line(depth, "if (%s) %s", g.condition(), []string{"exit", "cycle"}[g.r.IntN(2)])
	case deep == 0:
		g.compute(depth)
	case kind == 12:
		g.loop(deep, depth, targets)
	case kind == 13:
		g.feat("cases")
		g.line(depth, "select case (mod(s, 5))")
		g.inside++
		for _, c := range g.r.Perm(5)[:1+g.r.IntN(3)] {
			g.line(depth, "case (%d)", c)
			block(2, targets)
		}
		if g.r.IntN(2) == 0 {
			g.line(depth, "case default")
			block(1, targets)
		}
		g.inside--
		g.line(depth, "end select")
	default:
		g.feat("branch")
		g.serial++
		name := fmt.Sprintf("b%d", g.serial)
		g.line(depth, "%s: if (%s) then", name, g.condition())
		g.inside++
		block(3, targets)
		if g.r.IntN(3) == 0 {
			g.feat("exit of a branch")
			g.line(depth+1, "if (%s) exit %s", g.condition(), name)
			block(1, targets)
		}
		if g.r.IntN(2) == 0 {
			if g.r.IntN(3) == 0 {
				g.line(depth, "else if (%s) then", g.condition())
				block(1, targets)
			}
			g.line(depth, "else")
			block(2, targets)
		}
		g.inside--
		g.line(depth, "end if %s", name)
	}
}

// loop prints a loop with labels at its end.
func (g *jumps) loop(deep, depth int, targets []int) {
	g.feat("loop")
	index, end := fmt.Sprintf("i%d", deep), g.fresh()
	labelled := g.r.IntN(2) == 0
	shared := labelled && deep == 2 && g.r.IntN(3) == 0
	switch {
	case shared:
		g.feat("loops that share a label")
		g.line(depth, "do %d i2 = 1, %d", end, g.r.IntN(3))
		g.line(depth+1, "s = mod(s + i2, 211)")
		g.line(depth+1, "do %d i1 = 1, %d", end, g.r.IntN(4))
		deep--
	case labelled:
		g.feat("loop with a label")
		g.line(depth, "do %d %s = 1, %d", end, index, g.r.IntN(5))
	default:
		g.line(depth, "do %s = 1, %d", index, g.r.IntN(5))
	}
	g.inside++
	g.loops++
	within := targets
	if !shared { // the end of two loops is not to be jumped to from the outer one
		within = append(append([]int(nil), targets...), end, end)
	}
	for range 1 + g.r.IntN(3) {
		g.statement(deep-1, depth+1, within)
	}
	g.line(depth+1, "f = f + 1; if (f > %d) goto %d", mostRounds, last)
	for range g.r.IntN(2) {
		g.statement(deep-1, depth+1, within)
	}
	g.line(0, "%d continue", end)
	if !labelled {
		g.line(depth, "end do")
	}
	g.loops--
	g.inside--
}

// compute prints a statement, or a loop, without jumps.
func (g *jumps) compute(depth int) {
	x, y := "a", "b"
	if g.r.IntN(2) == 0 {
		x, y = y, x
	}
	switch g.r.IntN(6) {
	case 0:
		o := 1 - 2*g.r.IntN(2)
		g.line(depth, "do i = 2, n - 1")
		g.line(depth, "  %s(i) = mod(%s(i) + %s(i%+d) + s, 97)", x, x, y, o)
		g.line(depth, "end do")
	case 1:
		g.line(depth, "s = mod(s + %s(%d), 211)", x, 1+g.r.IntN(9))
	case 2:
		g.line(depth, "%s(%d) = mod(%s(%d) + s, 97)", x, 1+g.r.IntN(9), y, 1+g.r.IntN(9))
	case 3:
		g.line(depth, "print *, %d, s, f", g.fresh())
	case 4:
		g.line(depth, "s = mod(s + sum(%s(2:n:%d)), 211)", x, 1+g.r.IntN(3))
	default:
		g.line(depth, "s = mod(s*%d + %d, 211)", 1+g.r.IntN(7), 1+g.r.IntN(50))
	}
}
