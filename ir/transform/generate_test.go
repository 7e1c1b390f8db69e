package transform_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// generator writes random programs of loop nests. All subscripts are in bounds:
// indices stay between -8 and 16, and arrays are larger than what is added.
type generator struct {
	t     *rapid.T
	b     strings.Builder
	scope []string // indices of the loops around
	left  int      // statements
	label int
	names []string // labels of the loops around, "" for none
	ends  []string // first and last values of their indices
}

func (g *generator) pick(n int) int        { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }
func (g *generator) of(x ...string) string { return x[g.pick(len(x))] }

func randomProgram(t *rapid.T) string {
	g := &generator{t: t, left: 26}
	fmt.Fprintf(&g.b, `program p
  integer :: a(-40:60), b(-40:60), e(-40:60), c(-40:60,-40:60), d(-40:60,-40:60)
  integer :: i, j, k, m, n, x, y, s, t, w(-40:60)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(20-i)
!HPF$ DISTRIBUTE c(BLOCK,*)
!HPF$ DISTRIBUTE d(*,CYCLIC)
  do i = -40, 60
    w(i) = modulo(5*i, 7)
  end do
  n = %d
  m = %d
`, g.pick(8), g.pick(8))
	for range 1 + g.pick(3) {
		g.loop(1)
	}
	items := []string{"n"}
	for _, s := range []string{"i", "j", "k", "m", "x", "y"} {
		if g.pick(4) == 0 {
			items = append(items, s)
		}
	}
	fmt.Fprintf(&g.b, "  print *, %s\nend program p\n", strings.Join(items, ", "))
	return g.b.String()
}

func (g *generator) line(depth int, format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
}

func (g *generator) block(depth int) {
	for n := 1 + g.pick(4); n > 0 && g.left > 0; n-- {
		g.statement(depth)
	}
}

func (g *generator) statement(depth int) {
	g.left--
	switch k := g.pick(29); {
	case k >= 28:
		g.picked(depth)
	case k >= 27:
		g.alternation(depth)
	case k >= 25:
		g.pairs(depth)
	case k >= 23:
		g.nest(depth)
	case k >= 20:
		g.accumulation(depth)
	case k < 9:
		g.line(depth, "%s = mod(%s, 97)", g.element(), g.value())
	case k < 12:
		g.line(depth, "%s = mod(%s, 97)", g.of("x", "y"), g.value())
	case k < 13:
		// m bounds loops, guards them, and accumulates; it stays small.
		g.line(depth, "m = %s", g.of(g.bound(), "max(m, "+g.bound()+")", "min("+g.bound()+", m)", "min(m + 1, 7)"))
	case k < 15:
		g.loop(depth)
	case k < 17:
		g.line(depth, "if (%s) then", g.condition())
		g.block(depth + 1)
		if g.pick(2) == 0 {
			g.line(depth, "else")
			g.block(depth + 1)
		}
		g.line(depth, "end if")
	case k < 19:
		g.guarded(depth)
	default:
		if at := g.pick(len(g.names)); g.names[at] != "" {
			g.line(depth, "if (%s) %s %s", g.condition(), g.of("exit", "cycle"), g.names[at])
		}
	}
}

// nest is loops in one another with elements of two dimensions inside.
func (g *generator) nest(depth int) {
	before := len(g.scope)
	for n := 2 + g.pick(2); n > 0; n-- {
		v := g.free()
		if v == "" {
			break
		}
		lo, hi := g.of("1", "2", "n", "m", g.bound()), g.of("5", "4", "n", "m", g.bound())
		if step := g.of("", "", ", 2", ", -1", ", -2"); strings.HasPrefix(step, ", -") {
			g.line(depth+len(g.scope)-before, "do %s = %s, %s%s", v, hi, lo, step)
		} else {
			g.line(depth+len(g.scope)-before, "do %s = %s, %s%s", v, lo, hi, step)
		}
		g.scope, g.names, g.ends = append(g.scope, v), append(g.names, ""), append(g.ends, lo, hi)
	}
	sub := func() string { return g.scope[g.pick(len(g.scope))] + g.of("", "", " + 1", " - 1") }
	wide := func() string { return g.of("c", "d") + "(" + sub() + "," + sub() + ")" }
	inner := depth + len(g.scope) - before
	for range 1 + g.pick(2) {
		g.left--
		if g.pick(5) == 0 {
			g.line(inner, "x = %s", wide())
			g.line(inner, "%s = mod(x + %s, 97)", wide(), wide())
			continue
		}
		g.line(inner, "%s = mod(%s, 97)", wide(), g.of(wide()+" + "+wide(), wide(), g.value()))
	}
	for len(g.scope) > before {
		g.line(depth+len(g.scope)-before-1, "end do")
		g.scope, g.names, g.ends = g.scope[:len(g.scope)-1], g.names[:len(g.names)-1], g.ends[:len(g.ends)-2]
	}
}

// pairs is a loop whose iterations assign two elements, mostly of their own.
func (g *generator) pairs(depth int) {
	v := g.free()
	if v == "" {
		return
	}
	g.left -= 3
	step := g.of("2", "2", "3", "-2", "1")
	lo, hi := g.of("1", "n", "1 + mod(m, 2)"), g.of("9", "m + 6")
	if step == "-2" {
		lo, hi = hi, lo
	}
	g.line(depth, "do %s = %s, %s, %s", v, lo, hi, step)
	one, two := "a("+v+")", g.of("a("+v+" + 1)", "a("+v+" + 1)", "b("+v+" + 1)", "b("+v+")", "e("+v+")")
	if g.pick(4) == 0 {
		g.line(depth+1, "s = s + 1")
	}
	if g.pick(2) == 0 {
		g.line(depth+1, "if (%s > %s) then", one, g.of(two, "20"))
		g.line(depth+2, "x = %s", one)
		g.line(depth+2, "%s = %s", one, two)
		g.line(depth+2, "%s = x%s", two, g.of("", " + "+v, " + b("+v+" + 2)"))
		if g.pick(3) == 0 {
			g.line(depth+1, "else")
			g.line(depth+2, "%s = mod(%s + 1, 97)", two, two)
		}
		g.line(depth+1, "end if")
	} else {
		g.line(depth+1, "y = %s", two)
		g.line(depth+1, "%s = mod(%s + %s, 97)", two, one, g.of("y", "3*y", "d("+v+",2)"))
		g.line(depth+1, "%s = y", one)
	}
	g.line(depth, "end do")
}

// alternation is a loop in which a variable flips between two values, mostly neighbours.
func (g *generator) alternation(depth int) {
	v, s := g.free(), g.of("s", "t")
	if v == "" {
		return
	}
	g.left -= 3
	sum := g.of("3", "3", "1", "-1", "2")
	if g.pick(4) > 0 {
		g.line(depth, "%s = %s", s, g.of("1", "2", "0", "-1"))
	}
	g.line(depth, "do %s = %s, %s%s", v, g.bound(), g.bound(), g.of("", "", ", -1", ", 2", ", -3"))
	g.scope, g.names, g.ends = append(g.scope, v), append(g.names, ""), append(g.ends, "1", "1")
	if g.pick(4) == 0 {
		g.line(depth+1, "if (%s) %s", g.condition(), g.of("cycle", "exit"))
	}
	g.line(depth+1, "%s = mod(%s + %s, 97)", g.element(), g.element(), s)
	g.line(depth+1, "%s = %s - %s", s, sum, s)
	if g.pick(3) == 0 {
		g.line(depth+1, "%s = mod(%s - %s, 97)", g.element(), g.element(), s)
	}
	g.scope, g.names, g.ends = g.scope[:len(g.scope)-1], g.names[:len(g.names)-1], g.ends[:len(g.ends)-2]
	g.line(depth, "end do")
	if g.pick(2) == 0 {
		g.line(depth, "%s = %s", g.element(), s)
	}
}

// picked is a loop whose subscripts need an element that mostly stays the same.
func (g *generator) picked(depth int) {
	v := g.free()
	if v == "" {
		return
	}
	g.left -= 2
	element := "w(" + g.of("m", "n", "3", v) + ")"
	if element == "w("+v+")" {
		g.line(depth, "do %s = %s, 6", v, g.of("0", "2"))
	} else {
		g.line(depth, "do %s = %s, %s", v, g.of(element, "1", "m"), g.bound())
	}
	g.line(depth+1, "%s = mod(%s + %s, 97)", g.of("a("+v+")", "b("+v+" + 1)", "e("+element+")"), g.of("a", "b", "e")+"("+v+g.of(" - ", " + ")+element+")", g.value())
	if g.pick(3) == 0 {
		g.line(depth+1, "if (%s) w(%d) = %d", g.condition(), g.pick(8), g.pick(7))
	}
	g.line(depth, "end do")
}

// accumulation is a loop that accumulates into a variable, which is used behind it.
func (g *generator) accumulation(depth int) {
	v, s := g.free(), g.of("s", "t")
	if v == "" {
		return
	}
	g.left -= 2
	if g.pick(8) > 0 {
		g.line(depth, "%s = %s", s, g.value())
	}
	g.line(depth, "do %s = %s, %s", v, g.bound(), g.bound())
	g.scope, g.names, g.ends = append(g.scope, v), append(g.names, ""), append(g.ends, "1", "1")
	for range 1 + g.pick(2) {
		switch g.pick(4) {
		case 0:
			g.line(depth+1, "%s = %s - %s", s, s, g.element())
		case 1:
			g.line(depth+1, "%s = mod(%s, 97)", g.element(), g.value())
		default:
			g.line(depth+1, "%s = %s + %s", s, g.element(), s)
		}
	}
	g.scope, g.names, g.ends = g.scope[:len(g.scope)-1], g.names[:len(g.names)-1], g.ends[:len(g.ends)-2]
	g.line(depth, "end do")
	g.line(depth, "%s = mod(%s, 97)", g.element(), g.of(s, s, s+" + "+g.element()))
}

// guarded is a loop behind a condition that often is the one under which it runs.
func (g *generator) guarded(depth int) {
	v := g.free()
	if v == "" {
		return
	}
	lo, hi := g.bound(), g.bound()
	g.line(depth, "if (%s) then", g.of(lo+" <= "+hi, lo+" < "+hi, hi+" >= "+lo, ".not. "+hi+" < "+lo))
	g.body(depth+1, v, lo, hi, "")
	g.line(depth, "end if")
}

// free is an index that no loop around has, or "".
func (g *generator) free() string {
	if len(g.scope) == 3 {
		return ""
	}
	all := []string{"i", "j", "k"}
	at := g.pick(3)
	for strings.Contains(strings.Join(g.scope, ""), all[at]) {
		at = (at + 1) % 3
	}
	return all[at]
}

func (g *generator) loop(depth int) {
	v := g.free()
	if v == "" {
		return
	}
	lo, hi := g.bound(), g.bound()
	step := g.of("", "", "", ", -1", ", 2", ", -3")
	g.body(depth, v, lo, hi, step)
}

func (g *generator) body(depth int, v, lo, hi, step string) {
	name := ""
	if g.pick(3) == 0 {
		g.label++
		name = fmt.Sprintf("loop%d", g.label)
	}
	head := ""
	if name != "" {
		head = name + ": "
	}
	g.line(depth, "%sdo %s = %s, %s%s", head, v, lo, hi, step)
	g.scope, g.names, g.ends = append(g.scope, v), append(g.names, name), append(g.ends, lo, hi)
	g.block(depth + 1)
	g.scope, g.names, g.ends = g.scope[:len(g.scope)-1], g.names[:len(g.names)-1], g.ends[:len(g.ends)-2]
	g.line(depth, "end do %s", name)
}

// bound is an affine form that stays small.
func (g *generator) bound() string {
	if len(g.scope) > 0 && g.pick(2) == 0 {
		return g.scope[g.pick(len(g.scope))] + g.of("", " + 1", " - 1")
	}
	return g.of("1", "2", "n", "n", "n - 1", "6", "3", "m", "m")
}

func (g *generator) condition() string {
	if g.pick(4) == 0 {
		return g.element() + " > 3"
	}
	l := g.bound()
	switch g.pick(6) {
	case 0:
		l = "m"
	case 1, 2, 3, 4: // one that the first or last iteration may decide
		if n := len(g.scope); n > 0 {
			at := g.pick(n)
			return g.scope[at] + g.of(" < ", " > ", " <= ", " >= ", " == ", " /= ") + g.ends[2*at+g.pick(2)] + g.of("", "", " + 1", " - 1", " + 2")
		}
	}
	return l + g.of(" < ", " <= ", " > ", " >= ", " == ", " /= ") + g.bound()
}

func (g *generator) subscript() string {
	s := g.of("1", "n", "m", "3")
	if len(g.scope) > 0 && g.pick(5) > 0 {
		s = g.scope[g.pick(len(g.scope))]
	}
	return s + g.of("", "", "", " + 1", " - 1", " + 2")
}

func (g *generator) element() string {
	switch g.pick(5) {
	case 0:
		return "a(" + g.subscript() + ")"
	case 1:
		return "b(" + g.subscript() + ")"
	case 2:
		return "c(" + g.subscript() + "," + g.subscript() + ")"
	case 3:
		return "d(" + g.subscript() + "," + g.subscript() + ")"
	}
	return "e(" + g.subscript() + ")"
}

func (g *generator) value() string {
	term := func() string {
		switch g.pick(4) {
		case 0:
			return g.of("x", "y", "m", "2", "n")
		case 1:
			if len(g.scope) > 0 {
				return g.scope[g.pick(len(g.scope))]
			}
		}
		return g.element()
	}
	return term() + g.of(" + ", " - ", " * ") + term()
}
