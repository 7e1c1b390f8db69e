package randprog

import (
	"fmt"
	"math/rand"
	"strings"
)

// subscriptWriter makes random programs of nests around parallel loops.
type subscriptWriter struct {
	*rand.Rand
	b     strings.Builder
	index []string // of the sequential loops around
	depth int
	twoD  bool
}

const subscriptHeader = ` integer :: t, k, l, i, j, m, f
 double precision :: a(-40:60), b(-40:60), c(-40:60), s
 double precision :: d(2:8), e(3:20)
 double precision :: x(-40:60,-40:60), y(-40:60,-40:60), r(-40:60), w(-40:60)
`

func (w *subscriptWriter) pick(s ...string) string { return s[w.Intn(len(s))] }

// Subscripts writes a program in which subscripts, alignments, formats and loops decide what
// is moved: for analyses, and for front.Trace, which runs its control flow. It reads m and f.
// Its arrays have no values, and some subscripts lie outside of them: it is not to be executed.
func Subscripts(rng *rand.Rand) string { return (&subscriptWriter{Rand: rng}).program() }

func (w *subscriptWriter) program() string {
	w.b.WriteString("program p\n" + subscriptHeader)
	format := w.pick("BLOCK", "BLOCK", "CYCLIC")
	second := w.pick("BLOCK", "CYCLIC", "*")
	fmt.Fprintf(&w.b, "!HPF$ TEMPLATE v(-200:200)\n!HPF$ DISTRIBUTE v(%s)\n", format)
	plain := w.Intn(3) > 0
	align := func(name string) {
		if plain {
			fmt.Fprintf(&w.b, "!HPF$ ALIGN %s(i) WITH v(i)\n", name)
			return
		}
		fmt.Fprintf(&w.b, "!HPF$ ALIGN %s(i) WITH v(%s)\n", name, w.pick("i", "i", "i", "i+1", "2*i", "-i", "3-2*i"))
	}
	align("a")
	align("b")
	align("c")
	w.b.WriteString("!HPF$ ALIGN d(i) WITH v(i)\n!HPF$ ALIGN e(i) WITH v(i)\n")
	fmt.Fprintf(&w.b, "!HPF$ DISTRIBUTE x(%s,%s)\n", format, second)
	fmt.Fprintf(&w.b, "!HPF$ ALIGN y(i,j) WITH x(%s)\n", w.pick("i,j", "i,j", "j,i", "i,*", "*,j"))
	fmt.Fprintf(&w.b, "!HPF$ ALIGN r(i) WITH x(%s)\n", w.pick("i,*", "*,i", "i,3"))
	w.twoD = w.Intn(3) == 0
	w.b.WriteString(" read *, m, f\n a = 0\n")
	text := strings.ReplaceAll(w.b.String(), " a = 0\n", "")
	w.b.Reset()
	w.b.WriteString(text)
	w.loop("t")
	w.b.WriteString("end program\n")
	return w.b.String()
}

func (w *subscriptWriter) loop(index string) {
	w.b.WriteString(" do " + index + " = " + w.pick("1, m", "1, 3", "m, 1, -1", "1, m, 2", "4, 1, -2") + "\n")
	w.index = append(w.index, index)
	w.body()
	w.index = w.index[:len(w.index)-1]
	w.b.WriteString(" end do\n")
}

func (w *subscriptWriter) body() {
	n := 2 + w.Intn(3)
	for range n {
		switch k := w.Intn(10); {
		case k == 0 && len(w.index) < 3:
			w.loop([]string{"t", "k", "l"}[len(w.index)])
		case k == 1 && w.depth < 2:
			w.depth++
			w.b.WriteString(" if (mod(" + w.index[len(w.index)-1] + ",2) == " + w.pick("0", "1", "f") + ") then\n")
			w.body()
			w.b.WriteString(" end if\n")
			w.depth--
		case k == 2:
			arr := w.pick("a", "b", "c")
			w.b.WriteString(" s = 0\n do i = 1, 9\n s = s + " + arr + "(i)\n end do\n")
		case k < 6:
			w.answer()
		default:
			w.nest()
		}
	}
}

// answer writes two nests of which the second goes the way of the first back,
// perhaps not all of it.
func (w *subscriptWriter) answer() {
	if w.twoD {
		from, to := w.pick("i-1,j", "i,j+1", "j,i", w.place()+",j", "i,"+w.place()), "i,j"
		bounds := w.pick("2, 7", "1, m")
		for range 2 {
			fmt.Fprintf(&w.b, " do j = %s\n do i = %s\n x(%s) = y(%s) + 1\n end do\n end do\n", bounds, bounds, to, from)
			from, to = to, from
			if w.Intn(3) == 0 {
				bounds = w.pick("1, 8", "3, 6", "1, m+1")
			}
		}
		return
	}
	x := w.place()
	pairs := [][2]string{{"i", "i-1"}, {"i+1", "i"}, {"i", "9-i"}, {"i", "2*i"}, {"2*i+1", "i"}, {"i", x}, {x, "i"}, {"i", "i+2"}, {"-i", "i"}}
	p := pairs[w.Intn(len(pairs))]
	bounds := w.pick("2, 8", "1, m", "8, 2, -1", "1, 9, 2")
	for range 2 {
		// Under a condition what lies outside of the array is not sent.
		cond, names := "", []string{"a", "b", "c"}
		if w.Intn(3) == 0 {
			cond, names = "if (mod(i,2) == 0) ", []string{"a", "b", "c", "d", "e"}
		}
		fmt.Fprintf(&w.b, " do i = %s\n %s%s(%s) = %s(%s) + 1\n end do\n", bounds, cond, w.pick(names...), p[0], w.pick(names...), p[1])
		p[0], p[1] = p[1], p[0]
		switch w.Intn(5) {
		case 0:
			bounds = w.pick("1, 9", "3, 7", "1, m+1", "0, m")
		case 1:
			y := w.place()
			p[0], p[1] = strings.ReplaceAll(p[0], x, y), strings.ReplaceAll(p[1], x, y)
		}
	}
}

// place is a subscript that the sequential loops around give.
func (w *subscriptWriter) place() string {
	x := w.index[w.Intn(len(w.index))]
	return w.pick(x, x+"-1", x+"+1", "3", "m", "2*"+x, "5-"+x)
}

func (w *subscriptWriter) nest() {
	if w.twoD {
		l := w.pick("x(i,j)", "x(i,j)", "y(i,j)", "y(j,i)")
		rr := w.pick("x(i-1,j)", "x(i+1,j)", "x(i,j-1)", "y(i,j+1)", "x(j,i)", "y(i,j)", "y(i-1,j)", "x("+w.place()+",j)", "x(i,"+w.place()+")",
			"r(i)", "r(j)", "y("+w.place()+","+w.place()+")", "x(i-1,j-1)", "a(i)", "w(i)")
		if w.Intn(5) == 0 {
			l = "r(i)"
			rr = w.pick("x(i,"+w.place()+")", "y(j,i)", "x(i,j)", "r(i-1)", "r("+w.place()+")")
		}
		fmt.Fprintf(&w.b, " do j = %s\n do i = %s\n %s = %s + 1\n end do\n end do\n", w.pick("2, 7", "1, m", "1, 8"), w.pick("2, 7", "1, m+2", "1, "+w.index[0]), l, rr)
		return
	}
	sub := func() string { return w.pick("i", "i", "i-1", "i+1", "i+2", "2*i", "9-i", "2*i+1", "-i") }
	l, rr := w.pick("a", "b", "c"), w.pick("a", "b", "c")
	switch w.Intn(6) {
	case 0:
		fmt.Fprintf(&w.b, " %s(%s) = %s(%s) + 1\n", l, w.place(), rr, w.place())
	case 1:
		fmt.Fprintf(&w.b, " do i = %s\n %s(%s) = %s(%s) + 1\n end do\n", w.pick("1, 9", "1, m", "2, 12, 2"), l, sub(), rr, w.place())
	case 2:
		fmt.Fprintf(&w.b, " s = %s(%s)\n", rr, w.place())
	default:
		fmt.Fprintf(&w.b, " do i = %s\n %s(%s) = %s(%s) + 1\n end do\n", w.pick("1, 9", "2, 8", "1, m", "9, 1, -1", "1, 11, 2", w.index[0]+", 9"), l, sub(), rr, sub())
	}
}
