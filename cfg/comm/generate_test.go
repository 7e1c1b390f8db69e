package comm_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// generator writes a random program, as Fortran text: mapped INTEGER arrays,
// set to definite values, then nests that read them in all the ways that make
// communication. Subscripts stay in bounds by construction.
type generator struct {
	t      *rapid.T
	out    strings.Builder
	indent int
	arrays []genArray
	loops  []genLoop // open ones
	temps  []string  // INTEGER scalars that are defined here
	while  int       // open DO WHILE loops
	budget int       // pieces left
}

type genArray struct {
	name   string
	lo, hi []int
}

// genLoop is an open loop; its index is within lo..hi.
type genLoop struct {
	index  string
	lo, hi int
}

// Every dimension of every array holds these: values of index arrays.
const safeLo, safeHi = 2, 6

// Replicated arrays to accumulate into have the bounds 0:sumsHi.
const sumsHi = 7

func randomProgram(t *rapid.T) string {
	g := &generator{t: t, budget: 14}
	g.line("program random")
	g.indent++
	g.line("implicit none")
	g.line("integer :: i, j, k, l, m, n, it, jt, kt, w, s, x, y, top")
	g.line("integer :: q(0:%d), r(0:%d,0:%d)", sumsHi, sumsHi, sumsHi)
	g.declare()
	g.initialise()
	g.temps = []string{"n", "m"}
	for range g.int(1, 4, "pieces") {
		g.piece(0)
	}
	if g.odds(40, "sums at the end") {
		g.sums()
	}
	g.line("print *, n, m, s, top, (q(i), i = 0, %d), (r(i,%d), i = 0, %d)", sumsHi, g.int(0, sumsHi, "column"), sumsHi)
	g.line("print *, %s, %s", g.element(g.array()), g.element(g.array()))
	a := g.array()
	sub := make([]string, len(a.lo))
	for d := range sub {
		sub[d] = fmt.Sprint(g.int(a.lo[d], a.hi[d], "printed"))
	}
	if d := g.int(0, len(sub)-1, "printed dimension"); true {
		sub[d] = "i"
		g.line("print *, (%s(%s), i = %d, %d, %d)", a.name, strings.Join(sub, ","), a.lo[d], a.hi[d], g.int(1, 3, "print step"))
	}
	g.indent--
	g.line("end program")
	return g.out.String()
}

func (g *generator) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !strings.HasPrefix(text, "!") {
		text = strings.Repeat("  ", g.indent) + text
	}
	for len(text) > 110 {
		at := strings.LastIndex(text[:110], " + ") + 2
		g.out.WriteString(text[:at] + " &\n")
		text = "      " + text[at:]
	}
	g.out.WriteString(text + "\n")
}

func (g *generator) int(lo, hi int, what string) int { return rapid.IntRange(lo, hi).Draw(g.t, what) }

// odds is true n times of 100.
func (g *generator) odds(n int, what string) bool { return g.int(0, 99, what) < n }

func (g *generator) of(what string, list ...string) string {
	return list[g.int(0, len(list)-1, what)]
}

// piece writes a statement at the level that all PEs follow together, or a
// sequential loop or branch around a few.
func (g *generator) piece(depth int) {
	if g.budget--; g.budget < 0 {
		g.line("s = s + 1")
		return
	}
	k := g.int(0, 19, "piece")
	if depth >= 2 && k >= 12 {
		k = g.int(0, 11, "piece")
	}
	switch {
	case k < 2:
		g.accumulator()
	case k < 5:
		g.sums()
	case k < 10:
		g.nest()
	case k == 10:
		g.line("%s = mod(%s, 97)", g.element(g.array()), g.value(2))
	case k == 11:
		g.line("s = mod(%s, 97)", g.value(2))
	case k < 15:
		index := []string{"it", "jt", "kt"}[depth]
		g.line("do %s = 1, %d", index, g.int(1, 3, "sweeps"))
		g.enter(index, 1, 3)
		g.pieces(depth)
		if g.odds(25, "exit") {
			g.line("if (mod(%s, 3) == 1) %s", g.value(1), g.of("jump", "exit", "cycle"))
			g.piece(depth + 1)
		}
		g.leave()
		g.line("end do")
	case k < 17:
		g.line("if (mod(%s, 2) == 0) then", g.value(1))
		g.indent++
		g.pieces(depth)
		if g.odds(50, "else") {
			g.indent--
			g.line("else")
			g.indent++
			g.pieces(depth)
		}
		g.indent--
		g.line("end if")
	case k < 19:
		// A loop of its own over elements: k steps, whatever is inside.
		lo, hi := g.int(safeLo, 4, "from"), g.int(4, safeHi, "to")
		if g.taken("k") {
			g.nest()
			return
		}
		g.line("do k = %d, %d", lo, hi)
		g.enter("k", lo, hi)
		g.pieces(depth)
		g.leave()
		g.line("end do")
	case g.while > 0: // it has the only counter
		g.nest()
	default:
		g.line("w = 0")
		g.line("do while (w < %d .and. %s > -5)", g.int(1, 3, "turns"), g.value(1))
		g.indent++
		g.line("w = w + 1")
		g.while++
		g.pieces(depth)
		g.while--
		g.indent--
		g.line("end do")
	}
}

// accumulator writes a loop, or two, that accumulate into a scalar which is their
// bound too, and perhaps the condition around them.
func (g *generator) accumulator() {
	if g.taken("i") || g.taken("j") {
		g.nest()
		return
	}
	v := g.of("accumulator", "s", "top")
	if g.odds(70, "small") {
		g.line("%s = %d", v, g.int(0, 6, "start"))
	}
	guard := g.odds(30, "guard")
	if guard {
		g.line("if (%s < %d) then", v, g.int(3, 200, "limit"))
		g.indent++
	}
	nested := g.odds(30, "two loops")
	for _, index := range []string{"i", "j"}[:1+g.int(0, 1, "loops")] {
		bound := fmt.Sprintf("min(%d, max(%d, %s))", safeHi, safeLo, v)
		if nested && index == "i" {
			bound = fmt.Sprint(safeHi)
		}
		g.line("do %s = %s", index, g.of("bounds", fmt.Sprintf("%d, %s", safeLo, bound), fmt.Sprintf("%s, %d", bound, safeHi),
			fmt.Sprintf("%s, %d, -1", bound, safeLo), fmt.Sprintf("%d, %s, %s - %d", safeLo, bound, bound, safeLo-1)))
		g.enter(index, safeLo, safeHi)
	}
	e := g.element(g.array())
	switch g.int(0, 5, "operator") {
	case 0:
		g.line("%s = %s - %s", v, v, e)
	case 1:
		g.line("%s = max(%s, %s)", v, v, e)
	case 2:
		g.line("%s = min(%s, %s)", v, e, v)
	case 3:
		g.line("if (%s > %s) %s = %s", e, v, v, e)
	default:
		g.line("%s = %s + %s", v, v, e)
	}
	for len(g.loops) > 0 && (g.taken("i") || g.taken("j")) {
		g.leave()
		g.line("end do")
	}
	if guard {
		g.indent--
		g.line("end if")
	}
}

// sums writes loops that accumulate into elements of a replicated array.
func (g *generator) sums() {
	if g.taken("i") || g.taken("j") || g.taken("k") {
		g.nest()
		return
	}
	// The subscripts of what accumulates: of the outer loops, of none, of data.
	subs := []string{g.of("first", "j", "j", "j", "n", "2", "j - 1", "j - 1", "ia(j)", "ia(i)", "i")}
	name := "q"
	if g.odds(30, "rank 2") {
		name, subs = "r", append(subs, g.of("second", "j", "k", "k", "m", "1"))
	}
	distributed := g.odds(30, "distributed")
	if distributed {
		a := g.array()
		name, subs = a.name, nil
		for d := range a.lo {
			subs = append(subs, g.of("picked", "ia(i)", "ia(i)", "ia(j)", []string{"i", "j", "k"}[d]))
		}
	}
	lhs := fmt.Sprintf("%s(%s)", name, strings.Join(subs, ","))
	g.line("do k = %d, %d", safeLo, safeHi)
	g.enter("k", safeLo, safeHi)
	g.line("do j = %s", g.of("range", fmt.Sprintf("%d, %d", safeLo, safeHi), fmt.Sprintf("%d, n", safeLo), fmt.Sprintf("%d, %d, -2", safeHi, safeLo)))
	g.enter("j", safeLo, safeHi)
	if !distributed && g.odds(75, "start") && !strings.Contains(lhs, "i)") && !strings.Contains(lhs, "i,") {
		g.line("%s = %s", lhs, g.of("from", "0", "0", "j", "k - 7", g.element(g.array())))
	}
	g.line("do i = %s", g.of("range", fmt.Sprintf("%d, %d", safeLo, safeHi), fmt.Sprintf("%d, m", safeLo), "j, 6"))
	g.enter("i", safeLo, safeHi)
	op := g.of("operator", "+", "+", "-", "max", "min")
	if distributed {
		op = g.of("operator", "+", "-", "max", "min")
	}
	a := g.array()
	others := slices.DeleteFunc(slices.Clone(g.arrays), func(a genArray) bool { return a.name == name })
	if distributed && len(others) > 0 { // what accumulates is used for nothing else
		a = others[g.int(0, len(others)-1, "other")]
	}
	for range g.int(1, 2, "terms") {
		e := g.element(a)
		if g.odds(75, "an element of each iteration") {
			indices := []string{"i", "j", "k"}[:len(a.lo)]
			if g.odds(40, "turned") {
				slices.Reverse(indices)
			}
			e = fmt.Sprintf("%s(%s)", a.name, strings.Join(indices, ","))
		}
		if distributed { // nothing else keeps it small
			e = fmt.Sprintf("mod(%s, 97)", e)
		}
		line := fmt.Sprintf("%s = %s %s %s", lhs, lhs, op, e)
		if len(op) > 1 {
			line = fmt.Sprintf("%s = %s(%s, %s)", lhs, op, e, lhs)
		}
		if g.odds(20, "sometimes") {
			line = fmt.Sprintf("if (mod(%s, 3) == 0) %s", g.value(1), line)
		}
		g.line("%s", line)
	}
	if g.odds(15, "more") {
		g.assignment()
	}
	for range 3 {
		g.leave()
		g.line("end do")
	}
	if g.odds(50, "kept small") {
		g.line("do i = 0, %d", sumsHi)
		g.line("  q(i) = mod(q(i), 97)")
		g.line("end do")
		g.line("s = mod(s + r(%d, 3), 97)", g.int(0, sumsHi, "row"))
	}
}

func (g *generator) pieces(depth int) {
	for range g.int(1, 3, "statements") {
		if g.while > 0 && depth >= 1 {
			g.nest()
			continue
		}
		g.piece(depth + 1)
	}
}

func (g *generator) enter(index string, lo, hi int) {
	g.loops = append(g.loops, genLoop{index, lo, hi})
	g.indent++
}

func (g *generator) leave() {
	g.loops = g.loops[:len(g.loops)-1]
	g.indent--
}

func (g *generator) taken(index string) bool {
	for _, l := range g.loops {
		if l.index == index {
			return true
		}
	}
	return false
}

// nest writes a nest of loops with a few assignments inside.
func (g *generator) nest() {
	var free []string
	for _, v := range []string{"i", "j", "k", "l"} {
		if !g.taken(v) {
			free = append(free, v)
		}
	}
	depth := min(g.int(1, 3, "depth"), len(free))
	for d := range depth {
		g.open(free[d])
		if d+1 < depth && g.odds(20, "imperfect") {
			g.assignment()
		}
	}
	for range g.int(1, 3, "body") {
		g.body(1)
	}
	for range depth {
		g.leave()
		g.line("end do")
		if len(g.loops) > 0 && g.odds(10, "behind") && g.taken(free[0]) {
			g.assignment()
		}
	}
}

// open opens a loop over index: constant bounds, bounds from an outer index or
// a scalar, steps of both signs.
func (g *generator) open(index string) {
	lo, hi := g.int(0, 4, "lo"), g.int(4, 9, "hi")
	tlo, thi := fmt.Sprint(lo), fmt.Sprint(hi)
	switch g.int(0, 9, "bounds") {
	case 0, 1:
		if n := len(g.loops); n > 0 {
			o := g.loops[n-1]
			if g.odds(50, "upper triangle") {
				tlo, lo = o.index, o.lo
				hi = max(hi, lo)
				thi = fmt.Sprint(hi)
			} else {
				thi, hi = o.index+"-1", o.hi-1
				lo = min(lo, hi)
				tlo = fmt.Sprint(lo)
			}
		}
	case 2:
		thi, hi = "n", safeHi
		lo = min(lo, safeLo)
		tlo = fmt.Sprint(lo)
	case 3:
		thi, hi = fmt.Sprintf("min(%d, %s)", safeHi, g.element(g.array())), safeHi
		lo = min(lo, safeLo)
		tlo = fmt.Sprint(lo)
	}
	step := []int{1, 1, 1, 1, 2, -1, -1, -2, 3}[g.int(0, 8, "step")]
	switch {
	case step == 1:
		g.line("do %s = %s, %s", index, tlo, thi)
	case step > 0:
		g.line("do %s = %s, %s, %d", index, tlo, thi, step)
	default:
		g.line("do %s = %s, %s, %d", index, thi, tlo, step)
	}
	g.enter(index, lo, hi)
}

// body writes one statement of a nest.
func (g *generator) body(depth int) {
	switch k := g.int(0, 20, "statement"); {
	case k < 11 || depth > 2:
		g.assignment()
	case k < 13:
		g.line("s = s + %s", g.value(2))
	case k == 13:
		g.line("top = max(top, %s)", g.value(2))
	case k < 16:
		g.line("x = mod(%s, 31)", g.value(2))
		g.temps = append(g.temps, "x")
		g.assignment()
		g.temps = g.temps[:len(g.temps)-1]
	case k < 18:
		g.line("if (mod(%s, 3) /= 1) then", g.value(1))
		g.indent++
		g.body(depth + 1)
		if g.odds(40, "else") {
			g.indent--
			g.line("else")
			g.indent++
			g.body(depth + 1)
		}
		g.indent--
		g.line("end if")
	case k == 18:
		// A recurrence in a scalar over an inner loop.
		if g.taken("l") {
			g.assignment()
			return
		}
		g.line("y = %s", g.value(1))
		g.open("l")
		g.line("y = y + %s", g.value(2))
		g.leave()
		g.line("end do")
		g.line("%s = mod(y, 89)", g.element(g.array()))
	case k == 19:
		g.line("if (mod(%s, 5) == 4) %s", g.value(1), g.of("jump", "cycle", "cycle", "exit"))
	default:
		// A scalar that bounds and subscripts use changes under way.
		g.line("%s = %d + modulo(%s, %d)", g.of("scalar", "n", "m"), safeLo, g.value(1), safeHi-safeLo+1)
	}
}

func (g *generator) assignment() {
	a := g.array()
	if len(g.loops) > 0 && g.odds(30, "stencil") {
		target, others := g.stencil(a)
		g.line("%s = mod(%s + %s, 97)", target, others, g.value(1))
		return
	}
	g.line("%s = mod(%s, 97)", g.element(a), g.value(2))
}

// stencil is an element that follows the loops, and the sum of some of its
// neighbours in the same array or another of the same rank.
func (g *generator) stencil(a genArray) (target, others string) {
	b := g.array()
	if len(b.lo) != len(a.lo) {
		b = a
	}
	subs := make([]string, len(a.lo))
	near := make([][]string, g.int(1, 3, "points"))
	for d := range subs {
		lo, hi := max(a.lo[d], b.lo[d]), min(a.hi[d], b.hi[d])
		n := len(g.loops) - 1 - d
		if n < 0 {
			subs[d] = fmt.Sprint(g.int(lo, hi, "subscript"))
			for p := range near {
				near[p] = append(near[p], subs[d])
			}
			continue
		}
		l := g.loops[n]
		least, most := lo-l.lo, hi-l.hi
		if least > most {
			subs[d] = g.safe(l)
			for p := range near {
				near[p] = append(near[p], subs[d])
			}
			continue
		}
		at := max(least, min(most, 0))
		subs[d] = offset(l.index, at)
		for p := range near {
			near[p] = append(near[p], offset(l.index, max(least, min(most, at+g.int(-1, 1, "neighbour")))))
		}
	}
	points := make([]string, len(near))
	for p := range near {
		points[p] = fmt.Sprintf("%s(%s)", b.name, strings.Join(near[p], ","))
	}
	return fmt.Sprintf("%s(%s)", a.name, strings.Join(subs, ",")), strings.Join(points, " + ")
}

func offset(index string, off int) string {
	if off == 0 {
		return index
	}
	return fmt.Sprintf("%s%+d", index, off)
}

// value is an INTEGER expression with up to terms references.
func (g *generator) value(terms int) string {
	var parts []string
	for range g.int(1, terms+1, "terms") {
		switch g.int(0, 7, "operand") {
		case 0:
			parts = append(parts, fmt.Sprint(g.int(1, 9, "number")))
		case 1:
			if len(g.loops) > 0 {
				parts = append(parts, g.loops[g.int(0, len(g.loops)-1, "index")].index)
				continue
			}
			fallthrough
		case 2:
			if len(g.temps) > 0 {
				parts = append(parts, g.temps[g.int(0, len(g.temps)-1, "scalar")])
				continue
			}
			fallthrough
		default:
			parts = append(parts, g.element(g.array()))
		}
	}
	return strings.Join(parts, " + ")
}

func (g *generator) array() genArray { return g.arrays[g.int(0, len(g.arrays)-1, "array")] }

// element is an element of a with subscripts in bounds.
func (g *generator) element(a genArray) string {
	subs := make([]string, len(a.lo))
	for d := range subs {
		subs[d] = g.subscript(a.lo[d], a.hi[d], d)
	}
	return fmt.Sprintf("%s(%s)", a.name, strings.Join(subs, ","))
}

// subscript is an expression within lo..hi for dimension d.
func (g *generator) subscript(lo, hi, d int) string {
	if len(g.loops) == 0 || g.odds(10, "constant subscript") {
		if g.odds(30, "scalar subscript") {
			return g.of("scalar", "n", "m")
		}
		return fmt.Sprint(g.int(lo, hi, "subscript"))
	}
	// The usual choice: the loops in order, innermost first.
	l := g.loops[max(0, len(g.loops)-1-d)]
	if g.odds(30, "another loop") {
		l = g.loops[g.int(0, len(g.loops)-1, "loop")]
	}
	switch k := g.int(0, 19, "shape"); {
	case k < 14:
		return g.linear(1, l, lo, hi)
	case k < 16:
		return g.linear(-1, l, lo, hi)
	case k == 16:
		return g.linear(2, l, lo, hi)
	case k == 17:
		// ia(i), with i clipped by mod to what ia has.
		return fmt.Sprintf("ia(%s)", g.safe(l))
	case k == 18 && len(g.loops) > 1:
		o := g.loops[g.int(0, len(g.loops)-1, "second loop")]
		if o.index != l.index && o.hi+l.hi-(o.lo+l.lo) <= hi-lo {
			return fmt.Sprintf("%s+%s%+d", o.index, l.index, g.int(lo-o.lo-l.lo, hi-o.hi-l.hi, "offset"))
		}
	}
	return g.safe(l)
}

// linear is coef*index+off within lo..hi, or a clipped index if no off is.
func (g *generator) linear(coef int, l genLoop, lo, hi int) string {
	from, to := coef*l.lo, coef*l.hi
	if coef < 0 {
		from, to = to, from
	}
	if lo-from > hi-to {
		return g.safe(l)
	}
	off := g.int(lo-from, hi-to, "offset")
	if coef == 1 && lo-from <= 0 && hi-to >= 0 && g.odds(50, "straight") {
		off = 0
	}
	if coef == 1 {
		return offset(l.index, off)
	}
	return fmt.Sprintf("%d*%s%+d", coef, l.index, off)
}

// safe is a subscript that every dimension has: the index itself where it stays
// in range, else a constant or a value that is not affine.
func (g *generator) safe(l genLoop) string {
	switch {
	case l.lo >= safeLo && l.hi <= safeHi:
		return l.index
	case g.odds(25, "modulo"):
		return fmt.Sprintf("%d+mod(%s,%d)", safeLo, l.index, safeHi-safeLo+1)
	}
	return fmt.Sprint(g.int(safeLo, safeHi, "subscript"))
}
