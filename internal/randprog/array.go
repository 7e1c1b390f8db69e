package randprog

import (
	"fmt"
	"strings"
)

// bounds is the declared range of a dimension; text is as it is written.
type bounds struct {
	lo, hi int
	text   string
}

func (b bounds) extent() int { return b.hi - b.lo + 1 }

// array is an array of the program. Only those that a kernel uses are declared.
type array struct {
	name     string
	kind     kind
	single   bool // REAL instead of DOUBLE PRECISION
	long     bool // INTEGER(8)
	special  bool // may hold NaN, infinities and zeros of both signs
	empty    bool // has no elements
	private  bool // has values in the iterations of its kernel's loop alone
	open     bool // its bounds are not known before run time, see openArrays
	named    bool // perhaps assigned to by its name
	own      bool // its kernel allocates it, and deallocates it
	dims     []bounds
	tier     tier
	u        *unit
	used     bool
	unmapped bool // replicated by decision of its kernel
	index    bool // holds subscripts: its values stay within the bounds of another array
	init     []string
	place    place
	seq      int // order of first use
}

func (a *array) rank() int { return len(a.dims) }

func (a *array) elements() int {
	n := 1
	for _, d := range a.dims {
		n *= d.extent()
	}
	return n
}

// slot names the arrays that a program may have, by kind and rank.
var slots = []struct {
	kind   kind
	rank   int
	single bool
	names  string
}{
	{realKind, 1, false, "a b c d"},
	{realKind, 2, false, "aa bb cc dd"},
	{realKind, 3, false, "aaa bbb ccc"},
	{intKind, 1, false, "ia ib ic"},
	{intKind, 2, false, "iaa ibb icc"},
	{intKind, 3, false, "iaaa ibbb iccc"},
	{logKind, 1, false, "la lb"},
	{logKind, 2, false, "laa lbb"},
	{logKind, 3, false, "laaa lbbb"},
	{realKind, 1, true, "fa fb"},
	{realKind, 2, true, "faa"},
}

// size is a PARAMETER that array bounds are written with.
type size struct {
	name  string
	value int
}

// bound writes the value x, with one of sizes when that is near.
func (g *gen) spell(u *unit, x int) string {
	var near []size
	for _, s := range g.sizes {
		if abs(x-s.value) <= 2 {
			near = append(near, s)
		}
	}
	if len(near) == 0 || u.chance(1, 4) {
		return fmt.Sprint(x)
	}
	s := near[u.pick(len(near))]
	g.useSize(s.name)
	return offset(s.name, x-s.value)
}

// offset writes name+d.
func offset(name string, d int) string {
	switch {
	case d == 0:
		return name
	case d > 0:
		return fmt.Sprintf("%s+%d", name, d)
	}
	return fmt.Sprintf("%s-%d", name, -d)
}

// newArray makes the array of a slot from the choices of u.
func (g *gen) newArray(u *unit, name string, k kind, rank int, single bool) *array {
	a := &array{name: name, kind: k, single: single, u: u}
	for d := range rank {
		var s size
		switch {
		case rank == 3:
			s = oneOf(u, g.sizes[2], g.sizes[1])
			if s.value > 8 {
				s = g.sizes[2]
			}
		case d == 1:
			s = oneOf(u, g.sizes[0], g.sizes[1], g.sizes[0])
		default:
			s = oneOf(u, g.sizes[0], g.sizes[0], g.sizes[0], g.sizes[1])
		}
		lo := oneOf(u, 1, 1, 1, 0, -1, 2, -3, 5)
		n := s.value + oneOf(u, 0, 0, 1, 2)
		a.dims = append(a.dims, bounds{lo: lo, hi: lo + n - 1})
	}
	switch {
	case k == intKind:
		a.tier.bound = oneOf(u, 99, 999, 20)
	case single:
		a.tier = tier{frac: 3, bound: 32}
	case k == realKind:
		a.tier = oneOf(u, tier{4, 64}, tier{8, 256}, tier{12, 64}, tier{3, 16})
	}
	return a
}

// use marks a as part of the program. A mapping that its kernel has given it stays.
func (g *gen) use(a *array) *array {
	if !a.used {
		a.used = true
		a.seq = len(g.arrays)
		g.arrays = append(g.arrays, a)
		for d := range a.dims {
			b := &a.dims[d]
			hi := g.spell(a.u, b.hi)
			switch {
			case b.lo == 1 && !a.u.chance(1, 8):
				b.text = hi
			default:
				b.text = fmt.Sprintf("%d:%s", b.lo, hi)
			}
			if b.lo != 1 {
				g.feat("array:lower bound not 1")
			}
		}
		names := [...]string{"real", "integer", "logical", "complex"}
		g.feat(fmt.Sprintf("array:%s rank %d", names[a.kind], a.rank()))
		if a.single {
			g.feat("array:single precision")
		}
		if !a.unmapped && a.place.kind == replicated {
			g.placeArray(a)
		}
	}
	return a
}

// typeName is the type as declared.
func (a *array) typeName(u *unit) string {
	switch {
	case a.long:
		return "integer(8)"
	case a.kind == intKind:
		return "integer"
	case a.kind == logKind:
		return "logical"
	case a.kind == complexKind && a.single:
		return "complex"
	case a.kind == complexKind:
		return oneOf(u, "complex(8)", "complex(kind=8)")
	case a.single:
		return "real"
	}
	return oneOf(u, "real(8)", "double precision")
}

// declare writes the declaration of a in one of its forms, one of which has
// two lines.
func (a *array) declare() string {
	if a.open {
		return a.declareOpen()
	}
	var dims []string
	for _, d := range a.dims {
		dims = append(dims, d.text)
	}
	list := strings.Join(dims, ", ")
	t := a.typeName(a.u)
	switch a.u.pick(5) {
	case 1:
		return fmt.Sprintf("%s, dimension(%s) :: %s", t, list, a.name)
	case 2:
		return fmt.Sprintf("%s %s(%s)", t, a.name, list)
	case 3:
		return fmt.Sprintf("%s %s\ndimension %s(%s)", t, a.name, a.name, list)
	}
	return fmt.Sprintf("%s :: %s(%s)", t, a.name, list)
}

// indexNames are the loop variables of initialisation and output.
var indexNames = []string{"i", "j", "k"}

// subscripts returns "i, j" for rank 2.
func subscripts(rank int) string { return strings.Join(indexNames[:rank], ", ") }

// allElements wraps body in loops over the whole of a.
func (g *gen) allElements(a *array, body ...string) []string {
	for d := range a.dims {
		b := a.dims[d]
		body = doBlock(fmt.Sprintf("do %s = %d, %s", indexNames[d], b.lo, g.spell(a.u, b.hi)), body)
	}
	return body
}

// initialise gives every element of a a value from its subscripts.
func (g *gen) initialise(a *array) []string {
	switch {
	case a.init != nil:
		return a.init
	case a.empty || a.private || a.own:
		return nil
	case a.special:
		return g.specialInit(a)
	}
	mix := func(factors ...int) string {
		var terms []string
		for d := range a.dims {
			terms = append(terms, fmt.Sprintf("%d*%s", factors[d]+a.u.pick(3), indexNames[d]))
		}
		return strings.Join(terms, " + ")
	}
	ref := fmt.Sprintf("%s(%s)", a.name, subscripts(a.rank()))
	var rhs string
	switch {
	case a.kind == logKind:
		rhs = fmt.Sprintf("mod(%s, 3) == %d", mix(1, 2, 4), a.u.pick(3)-1)
	case a.kind == intKind:
		rhs = fmt.Sprintf("mod(%s + %d, 13) - %d", mix(3, 5, 7), a.u.pick(9), a.u.pick(6))
	case a.kind == complexKind:
		rhs = fmt.Sprintf("cmplx(dble(mod(%s, 11) - 3)*0.5d0, dble(mod(%s, 7))*0.25d0 - 0.5d0, kind=%s)", mix(2, 7), mix(5, 3), map[bool]string{true: "4", false: "8"}[a.single])
	case a.u.chance(1, 2):
		rhs = fmt.Sprintf("dble(mod(%s, 17))*0.25d0 - 1.5d0", mix(5, 3, 2))
		if a.tier.bound < 8 {
			rhs = "dble(" + indexNames[0] + ")*0.25d0"
		}
	default:
		rhs = fmt.Sprintf("dble(mod(%s, 11) - 3)*0.5d0", mix(2, 7, 3))
	}
	return g.allElements(a, ref+" = "+rhs)
}

// doBlock returns header, the indented body, and END DO.
func doBlock(header string, body []string) []string {
	out := []string{header}
	for _, l := range body {
		out = append(out, indent(l))
	}
	end := "end do"
	if name, _, ok := strings.Cut(header, ": do"); ok {
		end += " " + name
	}
	return append(out, end)
}

// ifBlock returns an IF construct; otherwise may be empty.
func ifBlock(cond string, then, otherwise []string) []string {
	if len(otherwise) == 0 && len(then) == 1 && len(cond)+len(then[0]) < 60 && isSimple(then[0]) {
		return []string{fmt.Sprintf("if (%s) %s", cond, then[0])}
	}
	out := []string{fmt.Sprintf("if (%s) then", cond)}
	for _, l := range then {
		out = append(out, indent(l))
	}
	if len(otherwise) > 0 {
		out = append(out, "else")
		for _, l := range otherwise {
			out = append(out, indent(l))
		}
	}
	return append(out, "end if")
}

// isSimple reports whether line may follow IF on the same line.
func isSimple(line string) bool {
	return !strings.HasPrefix(line, "if ") && !strings.HasPrefix(line, "do ") && !strings.Contains(line, ": do")
}

// indent moves a line to the right; directives stay at the margin.
func indent(l string) string {
	if strings.HasPrefix(l, "!") {
		return l
	}
	return "   " + l
}
