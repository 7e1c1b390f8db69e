package randprog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Rounds makes programs for the analyses of synchronisation. Where Gen tries many
// ways of communicating, each for a time or two, a program of Rounds does little
// else than communicate, again and again: rounds of exchanges that answer each
// other or do not, under loops, guards, CYCLE and EXIT, between arrays that lie
// alike:
//
//	do it = 1, 5
//	   do i = 2, n
//	      a(i) = mod(b(i-1) + 3, 1000)
//	   end do
//	   if (mod(it,2) == 1) then
//	      do i = 1, n
//	         b(i) = mod(a(n+1-i) + it, 1000)
//	      end do
//	   end if
//	end do
//
// Everything is INTEGER, and values stay below 1000.
func Rounds(seed uint64) Program {
	r := &rounds{random: rand.New(rand.NewPCG(seed, 0x726f756e6473)), features: map[string]int{}}
	return r.program()
}

type rounds struct {
	random   *rand.Rand
	features map[string]int
	text     strings.Builder
	depth    int
	loops    []string // indices of the sequential loops around
	size     int      // extent of the vectors
	side     int      // extent of the matrices
	plane    bool     // matrices too
	left     int      // kernels still to write
	listed   bool     // an index array ix, 1 to size
	calls    bool     // of procedure push
	parts    []part   // vectors that begin later or end earlier
}

// part is a vector with the elements lo to hi, which lie as those of a do.
type part struct {
	name   string
	lo, hi int
}

func (r *rounds) line(format string, args ...any) {
	r.text.WriteString(strings.Repeat("  ", r.depth+1))
	fmt.Fprintf(&r.text, format, args...)
	r.text.WriteByte('\n')
}

func (r *rounds) pick(words ...string) string { return words[r.random.IntN(len(words))] }

// two picks two different arrays.
func (r *rounds) two(words ...string) (string, string) {
	i := r.random.IntN(len(words))
	k := (i + 1 + r.random.IntN(len(words)-1)) % len(words)
	return words[i], words[k]
}

func (r *rounds) program() Program {
	r.size, r.side, r.plane = 8+r.random.IntN(13), 5+r.random.IntN(6), r.random.IntN(2) == 0
	n, m := r.size, r.side
	fmt.Fprintf(&r.text, "program random\n")
	r.line("implicit none")
	r.line("integer :: a(%d), b(%d), c(%d), d(%d)", n, n, n, n)
	if r.plane {
		r.line("integer :: u(%d,%d), v(%d,%d), w(%d,%d)", m, m, m, m, m, m)
	}
	r.listed, r.calls = r.random.IntN(4) == 0, r.random.IntN(4) == 0
	if r.listed {
		r.line("integer :: ix(%d)", n)
	}
	if r.random.IntN(2) == 0 {
		r.parts = []part{{"p", 2 + r.random.IntN(4), n - r.random.IntN(3)}, {"q", 1 + r.random.IntN(2), n - 1 - r.random.IntN(n/2)}}
	}
	for _, p := range r.parts {
		r.line("integer :: %s(%d:%d)", p.name, p.lo, p.hi)
	}
	r.line("integer :: i, j, k1, k2, k3, s")
	r.line("logical :: l")
	r.directives()
	r.loop("i", "1", fmt.Sprint(n), func() {
		r.line("a(i) = 3*i")
		r.line("b(i) = 7*i + 1")
		r.line("c(i) = i*i")
		r.line("d(i) = 5*i + 2")
		if r.listed {
			r.line("ix(i) = mod(5*i, %d) + 1", n)
		}
	})
	for _, p := range r.parts {
		r.loop("i", fmt.Sprint(p.lo), fmt.Sprint(p.hi), func() { r.line("%s(i) = 11*i", p.name) })
	}
	if r.plane {
		r.loop("j", "1", fmt.Sprint(m), func() {
			r.loop("i", "1", fmt.Sprint(m), func() {
				r.line("u(i,j) = 10*i + j")
				r.line("v(i,j) = i + 10*j")
				r.line("w(i,j) = i*j")
			})
		})
	}
	r.line("s = 0")
	r.left = 4 + r.random.IntN(6)
	for r.left > 0 {
		r.sequential()
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		r.line("print *, (%s(i), i = 1, %d)", name, n)
	}
	for _, p := range r.parts {
		r.line("print *, (%s(i), i = %d, %d)", p.name, p.lo, p.hi)
	}
	if r.plane {
		for _, name := range []string{"u", "v", "w"} {
			r.loop("j", "1", fmt.Sprint(m), func() { r.line("print *, (%s(i,j), i = 1, %d)", name, m) })
		}
	}
	r.line("print *, s")
	fmt.Fprintf(&r.text, "end program random\n")
	if r.calls {
		r.procedure()
	}
	return Program{Source: r.text.String(), Features: r.features}
}

func (r *rounds) directives() {
	format := r.pick("BLOCK", "BLOCK", "CYCLIC")
	fmt.Fprintf(&r.text, "!HPF$ TEMPLATE t1(%d)\n!HPF$ DISTRIBUTE t1(%s)\n", r.size+2, format)
	all := []string{"a", "b", "c", "d"}
	for _, p := range r.parts {
		all = append(all, p.name)
	}
	shared := r.pick("i", "i+1")
	for _, name := range all {
		align := shared
		if len(r.parts) == 0 || r.random.IntN(5) == 0 {
			align = r.pick("i", "i", "i+1")
		}
		if name == "d" {
			align = r.pick(align, fmt.Sprintf("%d-i", r.size+1))
		}
		fmt.Fprintf(&r.text, "!HPF$ ALIGN %s(i) WITH t1(%s)\n", name, align)
	}
	if r.listed {
		fmt.Fprintf(&r.text, "!HPF$ ALIGN ix(i) WITH t1(i)\n")
	}
	if !r.plane {
		return
	}
	shape := r.pick("BLOCK,BLOCK", "BLOCK,BLOCK", "BLOCK,*", "CYCLIC,BLOCK")
	fmt.Fprintf(&r.text, "!HPF$ DISTRIBUTE u(%s)\n!HPF$ ALIGN v(i,j) WITH u(i,j)\n!HPF$ ALIGN w(i,j) WITH u(%s)\n", shape, r.pick("i,j", "i,j", "j,i"))
}

// procedure writes what the program calls: its arrays lie as the actual ones do, so
// that each call communicates in its own way, from where the loops around it are.
func (r *rounds) procedure() {
	r.text.WriteString(`subroutine push(x, y, m, d)
  implicit none
  integer :: m, d, i
  integer :: x(m), y(m)
  if (x(2) > 900) return
  do i = 3, m
    x(i) = mod(x(i) + y(i-2) + d, 1000)
  end do
  do i = 1, m - 1
    y(i) = mod(x(i+1) + 1, 1000)
  end do
end subroutine push
`)
}

// condition is one that all PEs know: from an index, from a sum, or from an element
// that its owner tells them.
func (r *rounds) condition(at string) string {
	switch r.random.IntN(4) {
	case 0:
		r.features["rounds:condition on a sum"]++
		return fmt.Sprintf("s > %d", 200+r.random.IntN(500))
	case 1:
		r.features["rounds:condition on an element"]++
		return fmt.Sprintf("%s(%s) > %d", r.pick("a", "b", "c"), r.index(), 100+r.random.IntN(600))
	}
	r.features["rounds:condition on an index"]++
	return fmt.Sprintf("mod(%s,2) == %d", at, r.random.IntN(2))
}

// loop writes a counted loop.
func (r *rounds) loop(index, lo, hi string, body func()) {
	r.line("do %s = %s, %s", index, lo, hi)
	r.depth++
	body()
	r.depth--
	r.line("end do")
}

// sequential writes a loop of rounds.
func (r *rounds) sequential() {
	index := fmt.Sprintf("k%d", len(r.loops)+1)
	lo, hi := "1", fmt.Sprint(2+r.random.IntN(4))
	if len(r.loops) > 0 && r.random.IntN(3) == 0 {
		outer := r.loops[len(r.loops)-1]
		if r.random.IntN(2) == 0 {
			hi = outer
		} else {
			lo, hi = outer, "3" // may have no iterations
		}
		r.features["rounds:bounds of an outer index"]++
	}
	r.features["rounds:loop"]++
	r.loop(index, lo, hi, func() {
		r.loops = append(r.loops, index)
		for range 2 + r.random.IntN(4) {
			r.item()
		}
		r.loops = r.loops[:len(r.loops)-1]
	})
}

// item writes a kernel, or a construct around some.
func (r *rounds) item() {
	at := r.loops[len(r.loops)-1]
	switch k := r.random.IntN(12); {
	case k == 0 && len(r.loops) < 3:
		r.sequential()
	case k == 1:
		r.features["rounds:guard"]++
		r.line("if (%s) then", r.condition(at))
		r.depth++
		r.kernel()
		r.kernel()
		r.depth--
		if r.random.IntN(2) == 0 {
			r.line("else")
			r.depth++
			r.kernel()
			r.depth--
		}
		r.line("end if")
	case k == 2:
		r.features["rounds:cycle"]++
		if r.random.IntN(2) == 0 {
			r.line("if (%s) cycle", r.condition(at))
		} else {
			r.line("if (%s == %d) cycle", at, 1+r.random.IntN(4))
		}
	case k == 3:
		r.features["rounds:exit"]++
		r.line("if (%s) exit", r.pick(at+" == 4", "s > 900", r.pick("a", "b", "c")+"(2) > 950"))
	case k == 4 && r.random.IntN(3) == 0:
		r.features["rounds:stop"]++
		r.line("if (%s) then", r.condition(at))
		r.line("  print *, s, a(1), b(%d)", r.size)
		r.line("  stop")
		r.line("end if")
	case k < 7:
		r.exchange()
	default:
		r.kernel()
	}
}

// exchange writes two kernels of which the second sends back to where the first
// came from, or almost.
func (r *rounds) exchange() {
	r.left--
	x, y := r.two("a", "b", "c")
	n, d := r.size, 1+r.random.IntN(2)
	e := d
	if r.random.IntN(3) == 0 {
		e = 3 - d
	}
	switch r.random.IntN(4) {
	case 0, 1:
		r.features["rounds:there and back"]++
		r.loop("i", fmt.Sprint(1+d), fmt.Sprint(n), func() { r.line("%s(i) = mod(%s(i-%d) + 1, 1000)", x, y, d) })
		r.loop("i", "1", fmt.Sprint(n-e), func() { r.line("%s(i) = mod(%s(i+%d) + 2, 1000)", y, x, e) })
	case 2:
		r.features["rounds:mirrors"]++
		r.loop("i", "1", fmt.Sprint(n), func() { r.line("%s(i) = mod(%s(%d-i) + 1, 1000)", x, y, n+1) })
		r.loop("i", "1", fmt.Sprint(n), func() { r.line("%s(i) = mod(%s(%d-i) + 2, 1000)", y, x, n+1) })
	case 3:
		r.features["rounds:to all and back"]++
		at := r.index()
		back := at
		if r.random.IntN(3) == 0 {
			back = r.index()
		}
		r.loop("i", "1", fmt.Sprint(n), func() { r.line("%s(i) = mod(%s(i) + %s(%s), 1000)", x, x, y, at) })
		r.line("%s(%s) = mod(%s(%s) + 1, 1000)", y, back, x, r.index())
	}
}

// index is an expression within 1 to 4, or 1 to the number of rounds.
func (r *rounds) index() string {
	at := r.pick(r.loops...)
	return r.pick(at, at+"+1", fmt.Sprintf("%d-%s", r.size, at), "3")
}

// kernels of Rounds by name, vectors first.
func (r *rounds) kernel() {
	r.left--
	if len(r.parts) > 0 && r.random.IntN(4) == 0 {
		r.partKernel()
		return
	}
	if r.plane && r.random.IntN(2) == 0 {
		r.planeKernel()
		return
	}
	x, y := r.two("a", "b", "c", "d")
	add := r.random.IntN(9)
	all := func(lo, hi int, format string, args ...any) {
		r.loop("i", fmt.Sprint(lo), fmt.Sprint(hi), func() { r.line(format, args...) })
	}
	n, d := r.size, 1+r.random.IntN(2)
	switch k := r.random.IntN(12); k {
	case 8:
		r.features["rounds:pipeline"]++
		if r.random.IntN(2) == 0 {
			all(1+d, n, "%s(i) = mod(%s(i-%d) + %s(i), 1000)", x, x, d, y)
		} else {
			r.loop("i", fmt.Sprint(n-d), "1, -1", func() { r.line("%s(i) = mod(%s(i+%d) + %s(i), 1000)", x, x, d, y) })
		}
	case 9:
		r.features["rounds:one overlap twice"]++
		z := r.pick("a", "b", "c", "d")
		all(1+d, n, "%s(i) = mod(%s(i-%d) + %d, 1000)", x, y, d, add)
		if r.random.IntN(2) == 0 {
			r.line("if (%s) then", r.condition(r.loops[len(r.loops)-1]))
			r.depth++
			all(2, n, "%s(i) = mod(%s(i-1) + %s(i), 1000)", z, y, z)
			r.depth--
			r.line("end if")
		} else {
			all(2, n, "%s(i) = mod(%s(i) + 1, 1000)", y, y)
			all(3, n, "%s(i) = mod(%s(i-2) + %s(i), 1000)", x, y, x)
		}
	case 10:
		if !r.listed {
			r.left++
			r.kernel()
			return
		}
		if r.random.IntN(3) == 0 {
			r.features["rounds:list changed"]++
			all(1, n, "ix(i) = %d - ix(i)", n+1)
		}
		r.features["rounds:irregular"]++
		all(1, n, "%s(i) = mod(%s(ix(i)) + %d, 1000)", x, y, add)
	case 11:
		if !r.calls {
			r.left++
			r.kernel()
			return
		}
		r.features["rounds:call"]++
		r.line("call push(%s, %s, %d, %d)", x, y, n, add)
	case 0:
		r.features["rounds:shift up"]++
		all(1+d, n, "%s(i) = mod(%s(i-%d) + %d, 1000)", x, y, d, add)
	case 1:
		r.features["rounds:shift down"]++
		all(1, n-d, "%s(i) = mod(%s(i+%d) + %d, 1000)", x, y, d, add)
	case 2:
		r.features["rounds:both sides"]++
		if r.random.IntN(2) == 0 {
			all(3, n-1, "%s(i) = mod(%s(i-1) + %s(i-2) + %s(i+1), 1000)", x, y, y, y)
		} else {
			all(2, n-1, "%s(i) = mod(%s(i-1) + %s(i+1), 1000)", x, y, y)
		}
	case 3:
		r.features["rounds:mirror"]++
		all(1, n, "%s(i) = mod(%s(%d-i) + %d, 1000)", x, y, n+1, add)
	case 4:
		r.features["rounds:broadcast"]++
		all(1, n, "%s(i) = mod(%s(i) + %s(%s), 1000)", x, x, y, r.index())
	case 5:
		r.features["rounds:to one owner"]++
		r.line("%s(%s) = mod(%s(%s) + %d, 1000)", x, r.index(), y, r.index(), add)
	case 6:
		r.features["rounds:reduction"]++
		switch r.random.IntN(4) {
		case 0:
			r.line("s = %d", r.random.IntN(500))
			all(1, n, "s = %s(s, %s(i))", r.pick("max", "min"), x)
		case 1:
			word := r.pick(".and.", ".or.")
			r.line("l = %s", r.pick(".true.", ".false."))
			all(1, n, "l = l %s %s(i) > %d", word, x, 10*add)
			r.line("if (l) s = mod(s + 1, 1000)")
		default:
			r.line("s = 0")
			all(1, n, "s = s + %s(i)", x)
			r.line("s = mod(s, 1000)")
		}
	case 7:
		r.features["rounds:gather and scatter"]++
		r.line("%s(%s) = mod(%s(%s) + 1, 1000)", x, r.index(), y, r.index())
		all(1, n, "%s(i) = mod(%s(i) + %s(%s), 1000)", y, y, x, r.index())
	}
}

// partKernel computes a part and mostly a whole vector, too, from the same elements of
// another one, where there is more than the part has.
func (r *rounds) partKernel() {
	p := r.parts[r.random.IntN(len(r.parts))]
	x, y := r.two("a", "b", "c", "d")
	n, add := r.size, r.random.IntN(9)
	d := 1 + r.random.IntN(2)
	lo, hi, at := 1+d, n, fmt.Sprintf("-%d", d) // of what is read
	if r.random.IntN(2) == 0 {
		lo, hi, at = 1, n-d, fmt.Sprintf("+%d", d)
	}
	inside := func(i string) string {
		list := []string{fmt.Sprintf("%s >= %d", i, p.lo), fmt.Sprintf("%s <= %d", i, p.hi)}
		if r.random.IntN(3) == 0 {
			list = append(list, fmt.Sprintf("%s(%s) > %d", r.pick(x, y), i, 100+r.random.IntN(400)))
		}
		return strings.Join(list, " .and. ")
	}
	whole := func() {
		r.loop("i", fmt.Sprint(lo), fmt.Sprint(hi), func() { r.line("%s(i) = mod(%s(i%s) + %d, 1000)", y, x, at, add) })
	}
	guarded := fmt.Sprintf("%s(i) = mod(%s(i) + %s(i%s), 1000)", p.name, p.name, x, at)
	switch r.random.IntN(5) {
	case 0:
		r.features["rounds:part in one loop"]++
		r.loop("i", fmt.Sprint(lo), fmt.Sprint(hi), func() {
			r.line("if (%s) %s", inside("i"), guarded)
			r.line("%s(i) = mod(%s(i%s) + %d, 1000)", y, x, at, add)
		})
	case 1:
		r.features["rounds:part under another condition"]++
		r.loop("i", fmt.Sprint(lo), fmt.Sprint(hi), func() {
			// The condition is about an element that another PE may have.
			r.line("if (%s(i%s) > %d) then", x, at, r.random.IntN(600))
			r.line("  if (%s) %s", inside("i"), guarded)
			r.line("end if")
		})
	case 2, 3:
		r.features["rounds:part and one element"]++
		k := r.pick(r.loops...) // at most 5
		r.line("if (%s) %s(%s) = mod(%s(%s+%d) + %d, 1000)", inside(k), p.name, k, x, k, d, add)
		r.line("%s(%s) = mod(%s(%s+%d) + 1, 1000)", y, k, x, k, d)
	default:
		r.features["rounds:part and whole"]++
		r.loop("i", fmt.Sprint(lo), fmt.Sprint(hi), func() { r.line("if (%s) %s", inside("i"), guarded) })
		whole()
	}
}

func (r *rounds) planeKernel() {
	x, y := r.two("u", "v", "w")
	m, add := r.side, r.random.IntN(9)
	all := func(lo, hi int, format string, args ...any) {
		r.loop("j", fmt.Sprint(lo), fmt.Sprint(hi), func() {
			r.loop("i", fmt.Sprint(lo), fmt.Sprint(hi), func() { r.line(format, args...) })
		})
	}
	at := r.pick(r.loops...)
	switch r.random.IntN(8) {
	case 7:
		r.features["rounds:plane pipeline"]++
		more := r.pick(x+"(i,j-1)", x+"(i-1,j-1)", x+"(i+1,j)", y+"(i,j)")
		r.loop("j", "2", fmt.Sprint(m-1), func() {
			r.loop("i", "2", fmt.Sprint(m-1), func() {
				r.line("%s(i,j) = mod(%s(i-1,j) + %s + %d, 1000)", x, x, more, add)
				if add > 5 {
					r.line("s = max(s, %s(i,j))", x)
				}
			})
		})
	case 6:
		r.features["rounds:corners"]++
		all(2, m-1, "%s(i,j) = mod(%s(i-1,j-1) + %s(i-1,j) + %s(i,j-1) + %s(%s), 1000)", x, y, y, y, y, r.pick("i+1,j", "i+1,j+1", "i,j"))
	case 0:
		r.features["rounds:transpose"]++
		all(1, m, "%s(i,j) = mod(%s(j,i) + %d, 1000)", x, y, add)
	case 1:
		r.features["rounds:plane shift"]++
		all(2, m-1, "%s(i,j) = mod(%s(%s) + %d, 1000)", x, y, r.pick("i-1,j", "i+1,j", "i,j-1", "i,j+1", "i-1,j+1"), add)
	case 2:
		r.features["rounds:five points"]++
		all(2, m-1, "%s(i,j) = mod(%s(i-1,j) + %s(i+1,j) + %s(i,j-1) + %s(i,j+1), 1000)", x, y, y, y, y)
	case 3:
		r.features["rounds:row or column"]++
		all(1, m, "%s(i,j) = mod(%s(i,j) + %s(%s), 1000)", x, x, y, r.pick("i,"+at, at+",j"))
	case 4:
		r.features["rounds:plane reduction"]++
		r.line("s = 0")
		all(1, m, "s = s + %s(i,j)", x)
		r.line("s = mod(s, 1000)")
	case 5:
		r.features["rounds:plane mirror"]++
		all(1, m, "%s(i,j) = mod(%s(%d-i,j) + %d, 1000)", x, y, m+1, add)
	}
}
