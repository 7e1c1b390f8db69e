package procfunc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"pgregory.net/rapid"
)

// generator writes a random program of nests with affine references over
// mapped arrays: what it moves is decided by subscripts, alignments, formats and
// loops; the values are of no interest.
type generator struct {
	t      *rapid.T
	indent int
	grid   int  // rank of the processor arrangement
	plain  bool // mostly identity alignment and stride 1, so that overlaps serve
	arrays []genArray
	loops  []genLoop // around what is written now
	body   strings.Builder
}

type genArray struct {
	name   string
	rank   int
	lo, hi []int // what the subscripts reach
}

// genLoop is a loop, with the least and greatest value of its index.
type genLoop struct {
	index  string
	lo, hi int
}

// int is a number lo..hi, all equally likely: rapid's own ranges prefer small
// ones, which would make most programs alike.
func (g *generator) int(lo, hi int, label string) int {
	n, bits := hi-lo+1, 3
	for 1<<bits < 8*n {
		bits++
	}
	x := 0
	for _, b := range rapid.SliceOfN(rapid.Bool(), bits, bits).Draw(g.t, label) {
		if x *= 2; b {
			x++
		}
	}
	return lo + x%n
}

// odds is true in so many of 100 cases, and false in the simplest one.
func (g *generator) odds(percent int, label string) bool { return g.int(0, 99, label) >= 100-percent }

func of[T any](g *generator, label string, choices ...T) T {
	return choices[g.int(0, len(choices)-1, label)]
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.body, "%s%s\n", strings.Repeat("  ", g.indent+1), fmt.Sprintf(format, args...))
}

func program(t *rapid.T) string {
	g := &generator{t: t}
	g.grid, g.plain = of(g, "grid", 1, 1, 2), g.odds(40, "plain")
	for i := range g.int(2, 4, "arrays") {
		rank := g.int(1, 2, "rank")
		if g.plain && g.odds(75, "rank of the grid") {
			rank = g.grid
		}
		g.arrays = append(g.arrays, genArray{name: string(rune('a' + i)), rank: rank})
	}
	for i := range g.arrays {
		a := &g.arrays[i]
		for range a.rank {
			a.lo, a.hi = append(a.lo, 1), append(a.hi, 2)
		}
	}
	g.line("m = %d", g.int(0, 4, "m"))
	g.line("l = 0")
	g.outer(g.int(0, 2, "depth"))
	if g.odds(60, "tight") {
		wide := append([]genArray(nil), g.arrays...)
		g.tighten()
		text := g.text()
		if _, err := tryAnalyze(text); err == nil {
			return text
		}
		g.arrays = wide // a constant out of bounds is refused, also where it is never read
	}
	return g.text()
}

func (g *generator) text() string {
	return "program brute\n  implicit none\n" + g.declarations() + g.body.String() + "end program brute\n"
}

// tighten gives the arrays the bounds that the accesses need and no more, found
// by running the program without mapping: then the box around a triangle of
// iterations reaches out of an array.
func (g *generator) tighten() {
	d := "  integer :: i, j, k, l, m, t\n"
	for _, a := range g.arrays {
		d += fmt.Sprintf("  integer :: %s(%s)\n", a.name, strings.Join([]string{"-99:99", "-99:99"}[:a.rank], ","))
	}
	body := ""
	for _, line := range strings.SplitAfter(g.body.String(), "\n") {
		if !strings.Contains(line, updated) { // these take the bounds that there are
			body += line
		}
	}
	f, err := tryAnalyze("program brute\n  implicit none\n" + d + body + "end program brute\n")
	if err != nil {
		g.t.Fatal(err)
	}
	m, err := run(f, 1)
	if err != nil {
		g.t.Fatal(err)
	}
	for i := range g.arrays {
		if a := &g.arrays[i]; m.lo[a.name] != nil {
			a.lo, a.hi = m.lo[a.name], m.hi[a.name]
		}
	}
}

// updated marks the lines of update.
const updated = " ! update"

// outer writes loops that all PEs follow together, with nests inside.
func (g *generator) outer(depth int) {
	if depth == 0 {
		for range g.int(1, 3, "nests") {
			g.nest()
		}
		return
	}
	index := []string{"t", "k"}[len(g.loops)]
	if inner := len(g.loops) > 0 && g.loops[len(g.loops)-1].index == "l"; !inner && g.odds(12, "while") {
		// l counts, but nothing says so.
		index = "l"
		g.line("l = 0")
		g.line("do while (l < 3)")
		g.indent++
		g.line("l = l + 1")
		g.loops = append(g.loops, genLoop{"l", 1, 3})
	} else {
		g.open(index, depth)
	}
	outer := len(g.loops)
	switch g.int(0, 9, "shape") {
	case 0, 4: // an iteration may pass by
		if outer > 1 && g.odds(50, "by the outer index") {
			index = g.loops[0].index
		}
		g.line("if (mod(%s, 2) == 0) then", index)
		g.indent++
		g.outer(depth - 1)
		g.indent--
		g.line("end if")
	case 1:
		g.line("if (%s == %d) cycle", index, g.int(1, 3, "cycle"))
		g.outer(depth - 1)
	case 2:
		if g.odds(40, "exit") {
			g.line("if (%s == %d) exit", index, g.int(1, 3, "exit"))
		}
		g.outer(depth - 1)
	case 3:
		g.nest()
		g.outer(depth - 1)
	default:
		g.outer(depth - 1)
	}
	if g.odds(70, "update") {
		g.update()
	}
	g.loops = g.loops[:outer-1]
	g.indent--
	g.line("end do")
	if g.odds(25, "behind") {
		g.nest()
	}
}

// open writes the head of a loop.
func (g *generator) open(index string, depth int) {
	lo, hi, step := g.int(0, 2, index+" lo"), 0, of(g, index+" step", 1, 1, 1, 2, -1, -2)
	hi = lo + g.int(0, 3, index+" trips")
	from, to := fmt.Sprint(lo), fmt.Sprint(hi)
	low, high := lo, hi
	if len(g.loops) > 0 && g.odds(30, index+" triangular") {
		o := g.loops[len(g.loops)-1]
		switch {
		case depth > 0 && g.odds(30, index+" now and then"): // zero times now and then
			to, low, high = fmt.Sprintf("%d - 9*mod(%s, 2)", hi, o.index), lo, hi
			step = max(step, -step)
		case g.odds(50, index+" side"):
			from, low, high = o.index, min(o.lo, hi), max(o.hi, hi)
		default:
			to, low, high = o.index, min(lo, o.lo), max(lo, o.hi)
		}
	} else if g.odds(15, index+" symbolic") {
		to, high = "m", max(lo, 4)
	}
	if step < 0 {
		from, to = to, from
	}
	g.line("do %s = %s, %s%s", index, from, to, map[bool]string{true: fmt.Sprintf(", %d", step)}[step != 1])
	g.indent++
	g.loops = append(g.loops, genLoop{index, low, high})
}

// nest writes one or two loops around an assignment that reads other arrays, and
// sometimes the same nest with the assignment turned round, which answers it.
func (g *generator) nest() {
	switch {
	case g.plain && g.odds(8, "recurrence"):
		g.recurrence()
		return
	case g.plain && g.odds(30, "stencil"):
		g.stencil()
		return
	}
	left := g.int(0, len(g.arrays)-1, "left")
	right := g.int(0, len(g.arrays)-1, "right")
	if right == left && !g.odds(map[bool]int{true: 60, false: 15}[g.plain], "same array") {
		right = (left + 1) % len(g.arrays)
	}
	outer, start := len(g.loops), g.body.Len()
	depth := g.int(1, 2, "nest")
	for n := range depth {
		g.open([]string{"i", "j"}[n], 0)
	}
	head := g.body.String()[start:]
	guard := ""
	if g.odds(20, "guarded") {
		// The subscripts are in bounds only where the condition holds.
		l := &g.loops[outer]
		guard = fmt.Sprintf("if (%s > %d) ", l.index, l.lo)
		l.lo++
		l.hi = max(l.lo, l.hi)
	}
	target, source, more := g.ref(left), g.ref(right), ""
	if g.odds(25, "two terms") {
		more = " + " + g.ref(g.int(0, len(g.arrays)-1, "third"))
	}
	g.line("%s%s = %s%s", guard, target, source, more)
	end := func() {
		for range depth {
			g.indent--
			g.line("end do")
		}
	}
	end()
	if left != right && guard == "" && g.odds(40, "answer") {
		g.body.WriteString(head)
		g.indent += depth
		g.line("%s = %s", source, target)
		end()
	}
	g.loops = g.loops[:outer]
}

// stencil reads several neighbours, corners too.
func (g *generator) stencil() {
	left := g.int(0, len(g.arrays)-1, "left")
	from := &g.arrays[(left+1)%len(g.arrays)]
	to := &g.arrays[left]
	if to.rank != from.rank {
		to = from
	}
	outer := len(g.loops)
	names := []string{"i", "j"}[:from.rank]
	for _, n := range names {
		g.open(n, 0)
	}
	at := func(a *genArray, by func() int) string {
		var subs []string
		for d, n := range names {
			l, k := g.loops[outer+d], by()
			subs = append(subs, fmt.Sprintf("%s%+d", n, k))
			a.lo[d], a.hi[d] = min(a.lo[d], l.lo+k), max(a.hi[d], l.hi+k)
		}
		return fmt.Sprintf("%s(%s)", a.name, strings.Join(subs, ","))
	}
	target := at(to, func() int { return 0 })
	var terms []string
	for range g.int(1, 6, "neighbours") {
		terms = append(terms, at(from, func() int { return g.int(-1, 1, "distance") }))
	}
	g.line("%s = %s", target, strings.Join(terms, " + "))
	for range names {
		g.indent--
		g.line("end do")
	}
	g.loops = g.loops[:outer]
}

// recurrence is a loop whose values pass from PE to PE.
func (g *generator) recurrence() {
	outer := len(g.loops)
	g.open("i", 0)
	l := g.loops[outer]
	a := &g.arrays[g.int(0, len(g.arrays)-1, "array")]
	d := of(g, "distance", -1, 1)
	rest := strings.Repeat(",1", a.rank-1)
	a.lo[0], a.hi[0] = min(a.lo[0], l.lo-1), max(a.hi[0], l.hi+1)
	g.line("%s(i%s) = %s(i%+d%s)", a.name, rest, a.name, d, rest)
	g.indent--
	g.line("end do")
	g.loops = g.loops[:outer]
}

// ref is a reference with affine subscripts; the array's bounds grow to hold it.
func (g *generator) ref(n int) string {
	a := &g.arrays[n]
	subs := make([]string, a.rank)
	low, high := 0, 0 // of the first subscript
	for d := range subs {
		c := g.int(-2, 3, "constant")
		text, lo, hi := "", c, c
		add := func(k int, l genLoop) {
			text += fmt.Sprintf("%+d*%s", k, l.index)
			lo += min(k*l.lo, k*l.hi)
			hi += max(k*l.lo, k*l.hi)
		}
		if !g.odds(12, "constant subscript") {
			// Mostly an inner index, sometimes an outer one, or two.
			inner := g.loops[max(0, len(g.loops)-2):]
			k, l := of(g, "coefficient", 1, 1, 1, -1, 2, -2), inner[g.int(0, len(inner)-1, "index")]
			if g.plain && g.odds(90, "plain subscript") {
				k, l = 1, inner[min(d, len(inner)-1)]
			}
			add(k, l)
			if g.odds(map[bool]int{true: 5, false: 25}[g.plain], "second index") {
				add(of(g, "coefficient", 1, -1), g.loops[g.int(0, len(g.loops)-1, "index")])
			}
		}
		if d == 1 && g.odds(15, "diagonal") {
			subs[d] = subs[0]
			a.lo[d], a.hi[d] = min(a.lo[d], low), max(a.hi[d], high)
			continue
		}
		low, high = lo, hi
		subs[d] = strings.TrimPrefix(text, "+") + fmt.Sprintf("%+d", c)
		a.lo[d], a.hi[d] = min(a.lo[d], lo), max(a.hi[d], hi)
	}
	return fmt.Sprintf("%s(%s)", a.name, strings.Join(subs, ","))
}

// update changes arrays in place, so that what reads them stays in the loop.
func (g *generator) update() {
	for _, a := range g.arrays {
		if !g.odds(70, "update") {
			continue
		}
		var subs []string
		for d := range a.rank {
			v := []string{"i", "j"}[d]
			subs = append(subs, v)
			g.line("do %s = lbound(%s,%d), ubound(%s,%d)%s", v, a.name, d+1, a.name, d+1, updated)
			g.indent++
		}
		g.line("%s(%s) = %s(%s) + 1%s", a.name, strings.Join(subs, ","), a.name, strings.Join(subs, ","), updated)
		for range a.rank {
			g.indent--
			g.line("end do%s", updated)
		}
	}
}

// declarations come last: by then the bounds are known.
func (g *generator) declarations() string {
	var d strings.Builder
	out := func(format string, args ...any) { fmt.Fprintf(&d, format+"\n", args...) }
	out("  integer :: i, j, k, l, m, t")
	for _, a := range g.arrays {
		var dims []string
		for k := range a.rank {
			dims = append(dims, fmt.Sprintf("%d:%d", a.lo[k], a.hi[k]))
		}
		out("  integer :: %s(%s)", a.name, strings.Join(dims, ","))
	}
	shape := []string{"number_of_processors()"}
	if g.grid == 2 {
		shape = []string{"2", "2"}
	}
	// Alignments first, for the template has to hold them.
	tlo, thi := make([]int, g.grid), make([]int, g.grid)
	for k := range tlo {
		tlo[k], thi[k] = 1, 2
	}
	var aligns []string
	for _, a := range g.arrays {
		some := map[bool]int{true: 3, false: 12}[g.plain]
		if g.odds(some, "replicated array") {
			continue
		}
		if g.odds(some, "own distribution") && a.rank >= g.grid {
			formats := make([]string, a.rank)
			for k := range formats {
				formats[k] = "*"
				if k < g.grid {
					formats[k] = g.format()
				}
			}
			aligns = append(aligns, fmt.Sprintf("!HPF$ DISTRIBUTE %s(%s) ONTO p", a.name, strings.Join(formats, ",")))
			continue
		}
		src, dst := make([]string, a.rank), make([]string, g.grid)
		for k := range src {
			src[k] = "*"
		}
		dims := rapid.Permutation([]int{0, 1}[:a.rank]).Draw(g.t, "dimensions")
		plain := g.plain && g.odds(90, "plain alignment")
		if plain {
			dims = []int{0, 1}[:a.rank]
		}
		for k := range dst {
			switch {
			case k >= len(dims) || g.odds(some, "not varied"):
				dst[k] = "*"
				if g.odds(50, "constant") {
					x := g.int(-3, 9, "position")
					dst[k] = fmt.Sprint(x)
					tlo[k], thi[k] = min(tlo[k], x), max(thi[k], x)
				}
			default:
				dim := dims[k]
				v := string(rune('i' + dim))
				src[dim] = v
				c, o := of(g, "stride", 1, 1, 1, -1, 2, -2, 3), g.int(-2, 2, "offset")
				if plain {
					c, o = 1, 0
				}
				dst[k] = fmt.Sprintf("%d*%s%+d", c, v, o)
				x, y := c*a.lo[dim]+o, c*a.hi[dim]+o
				tlo[k], thi[k] = min(tlo[k], x, y), max(thi[k], x, y)
			}
		}
		aligns = append(aligns, fmt.Sprintf("!HPF$ ALIGN %s(%s) WITH v(%s)", a.name, strings.Join(src, ","), strings.Join(dst, ",")))
	}
	var dims, formats []string
	for k := range tlo {
		dims, formats = append(dims, fmt.Sprintf("%d:%d", tlo[k], thi[k])), append(formats, g.format())
	}
	out("!HPF$ PROCESSORS p(%s)", strings.Join(shape, ","))
	out("!HPF$ TEMPLATE v(%s)", strings.Join(dims, ","))
	out("!HPF$ DISTRIBUTE v(%s) ONTO p", strings.Join(formats, ","))
	for _, l := range aligns {
		out("%s", l)
	}
	return d.String()
}

func (g *generator) format() string {
	if g.plain {
		return "BLOCK"
	}
	return of(g, "format", "BLOCK", "BLOCK", "CYCLIC")
}

// TestAgainstEnumeration is the proof of relations, matrices and kills: random
// programs, executed on small grids.
func TestAgainstEnumeration(t *testing.T) {
	count := seen{}
	effort.Checks(t, effort.Of(600, 200)) // of fewer, the rare cases are missing
	rapid.Check(t, func(t *rapid.T) {
		text := program(t)
		f, err := tryAnalyze(text)
		if err != nil {
			t.Fatalf("%v%s", err, front.Numbered(text))
		}
		count["programs"]++
		for _, c := range f.Program.Comms {
			count["kind "+string(c.Kind)]++
		}
		for _, np := range []int{2, 3, 4} {
			if err := check(f, np, count); err != nil {
				t.Fatalf("%v\n%s", err, front.Numbered(text))
			}
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("%v", count)
	if count["programs"] < 600 {
		return // too few to be sure of the rare cases
	}
	for _, what := range []string{"must with messages", "exact matrices", "reads by position", "next producers that move",
		"over the back edge of an outer loop", "of a later iteration", "kills with messages", "kind remap", "kind shift", "kind pipeline", "kind broadcast", "kind allgather"} {
		if count[what] == 0 {
			t.Errorf("no %s: the test did not see it", what)
		}
	}
}
