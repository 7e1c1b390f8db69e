// Package randprog makes random programs of the core language: valid Fortran
// with mapping directives, for comparing spmdc with a Fortran compiler.
//
// A program declares a few arrays, maps them in random ways, gives every
// element a value, and then runs a random sequence of kernels. A kernel is a
// small piece of code around one thing that a compiler for distributed memory
// must get right: a shift, a reduction, a carried dependence, a permuted
// scatter, an EXIT that depends on distributed data, and so on. At the end the
// program prints checksums and elements of all arrays, and the scalars:
//
//	!HPF$ TEMPLATE t1(0:12)
//	!HPF$ ALIGN a(i) WITH t1(i-1)
//	!HPF$ DISTRIBUTE t1(CYCLIC)
//	      ...
//	      do i = 2, n
//	         a(i) = 0.5d0*(b(i-1) + b(i+1))
//	      end do
//
// By construction every program stays in bounds, reads nothing undefined,
// divides by no zero and overflows nowhere. Real values are multiples of a
// small power of two and bounded, see val, so that sums are exact and any order
// of a reduction gives the same digits.
package randprog

import (
	"fmt"
	"sort"
	"strings"
)

// Program is a generated program.
type Program struct {
	Source   string         // free-form source text
	Input    string         // what it reads from standard input
	Features map[string]int // how often each feature occurs, see Required
	Wraps    bool           // INTEGER(4) arithmetic that wraps: --check reports it
	Images   bool           // it has coarrays, and no input
	Special  bool           // NaN and infinities, made by dividing by zero
}

// focus is the number of kernels that Sample and Arrays prescribe.
const focus = 3

// Sample returns the program that belongs to seed. Consecutive seeds prescribe all
// kernels in turn, so that a few dozen programs have used each.
func Sample(seed uint64) Program { return generate(wordsOf(seed), inTurn(kernels, seed)) }

// inTurn returns the kernels of a table that seed prescribes: focus of them, and with
// consecutive seeds all.
func inTurn(table []kernel, seed uint64) []kernel {
	var must []kernel
	for i := range uint64(focus) {
		must = append(must, table[(seed*focus+i)%uint64(len(table))])
	}
	return must
}

// With returns a program that holds the named kernels, and others.
func With(seed uint64, names ...string) Program {
	var must []kernel
	for _, name := range names {
		must = append(must, kernelNamed(name))
	}
	return generate(wordsOf(seed), must)
}

// gen is the state of one generation.
type gen struct {
	features  map[string]int
	sizes     []size
	usedSizes map[string]bool
	pool      map[slot][]*array
	arrays    []*array // used ones in order of first use
	grids     []*grid
	templates []*template
	scalars   []*scalar
	head      []string // READ statements at the start
	headIn    []string // the records they read
	input     []string // records read later
	body      []string
	serial    int

	procedures []*callee
	modules    []*module
	records    []*record
	objects    []*object
	uses       []string // USE statements of the program

	wraps, special bool // see Program
}

type slot struct {
	kind   kind
	rank   int
	single bool
}

// scalar is a variable of the program.
type scalar struct {
	name    string
	decl    string // type
	start   string // initial value, or "" when none is needed
	private bool   // its value is not printed: it may be undefined after a loop
	val     val    // what is known of its value
	read    bool   // read at the start and never changed; it holds value
	value   int
}

func (g *gen) feat(name string) { g.features[name]++ }

func (g *gen) useSize(name string) { g.usedSizes[name] = true }

// fresh returns a new name.
func (g *gen) fresh(prefix string) string {
	g.serial++
	return fmt.Sprintf("%s%d", prefix, g.serial)
}

// kindNames are the types of scalars.
var kindNames = [...]string{"real(8)", "integer", "logical", "complex(8)"}

// scalarVar declares a printed scalar with an initial value.
func (g *gen) scalarVar(k kind, prefix, start string, t tier) *scalar {
	decl := kindNames[k]
	s := &scalar{name: g.fresh(prefix), decl: decl, start: start}
	s.val = val{text: s.name, kind: k, frac: t.frac, bound: t.bound}
	g.scalars = append(g.scalars, s)
	return s
}

// private declares or reuses a scalar that kernels set before they read it.
func (g *gen) private(k kind, name string, t tier) *scalar {
	for _, s := range g.scalars {
		if s.name == name {
			return s
		}
	}
	s := &scalar{name: name, decl: kindNames[k], private: true}
	s.val = val{text: name, kind: k, frac: t.frac, bound: t.bound}
	g.scalars = append(g.scalars, s)
	return s
}

// runtime returns an integer variable that is read from input and holds x.
func (g *gen) runtime(x int) string {
	for _, s := range g.scalars {
		if s.read && s.value == x {
			return s.name
		}
	}
	s := g.scalarVar(intKind, "n", "", tier{bound: abs(x)})
	s.read, s.value = true, x
	g.head = append(g.head, s.name)
	g.headIn = append(g.headIn, fmt.Sprint(x))
	g.feat("read:bounds")
	return s.name
}

func generate(w words, must []kernel) Program {
	g := &gen{features: map[string]int{}, usedSizes: map[string]bool{}, pool: map[slot][]*array{}}
	u := w.unit()
	small := []int{4, 5, 3, 6, 7, 8, 9, 10, 11, 12, 2, 1}
	g.sizes = []size{
		{"n", oneOf(u, small...)},
		{"m", oneOf(u, small...)},
		{"l", oneOf(u, 3, 4, 5, 2, 6, 1)},
	}
	if u.chance(1, 8) {
		g.sizes[0].value = 13 + u.pick(28)
		g.feat("size:large")
	}
	for i := range g.sizes {
		// Distinct, so that a bound can be written in one way by its size.
		for j := range i {
			if g.sizes[i].value == g.sizes[j].value {
				g.sizes[i].value++
				break
			}
		}
		if g.sizes[i].value < 4 {
			g.feat("size:fewer elements than PEs")
		}
	}
	for _, s := range slots {
		for _, name := range strings.Fields(s.names) {
			key := slot{s.kind, s.rank, s.single}
			g.pool[key] = append(g.pool[key], g.newArray(w.unit(), name, s.kind, s.rank, s.single))
		}
	}
	for _, k := range must {
		g.run(k, w.unit())
	}
	for range w.unit().pick(6) {
		u := w.unit()
		g.run(kernels[u.pick(len(kernels))], u)
	}
	last := w.unit()
	g.epilogue(last)
	allocations := g.openArrays(w.unit())
	return g.assemble(last, allocations)
}

// assemble puts the parts in order, what allocates arrays first.
func (g *gen) assemble(u *unit, body []string) Program {
	var spec []string
	for _, a := range g.arrays {
		body = append(body, g.initialise(a)...)
	}
	for _, o := range g.objects {
		body = append(body, o.initialise(g)...)
	}
	body = append(body, g.body...)
	body = append(body, g.output(u)...)
	for _, o := range g.objects {
		body = append(body, o.output(g, u)...)
	}
	dirs := g.directives(u)
	var arrays []string
	for _, a := range g.arrays {
		arrays = append(arrays, strings.Split(a.declare(), "\n")...)
	}

	for _, s := range g.sizes {
		if g.usedSizes[s.name] {
			if u.chance(1, 5) {
				spec = append(spec, "integer "+s.name, fmt.Sprintf("parameter (%s = %d)", s.name, s.value))
			} else {
				spec = append(spec, fmt.Sprintf("integer, parameter :: %s = %d", s.name, s.value))
			}
		}
	}
	spec = append(spec, arrays...)
	for _, o := range g.objects {
		spec = append(spec, o.declare())
		if o.directive != "" {
			dirs = append(dirs, o.directive)
		}
	}
	var starts []string
	byType := map[string][]string{"integer": {"i", "j", "k"}}
	for _, s := range g.scalars {
		byType[s.decl] = append(byType[s.decl], s.name)
		if s.start != "" {
			starts = append(starts, fmt.Sprintf("%s = %s", s.name, s.start))
		}
	}
	var types []string
	for t := range byType {
		types = append(types, t)
	}
	sort.Strings(types)
	for _, t := range types {
		spec = append(spec, t+" :: "+strings.Join(byType[t], ", "))
	}

	// A record for every two variables.
	var head, records []string
	for i := 0; i < len(g.head); i += 2 {
		j := min(i+2, len(g.head))
		head = append(head, oneOf(u, "read *, ", "read (*, *) ")+strings.Join(g.head[i:j], ", "))
		records = append(records, strings.Join(g.headIn[i:j], " "))
	}
	records = append(records, g.input...)

	var text strings.Builder
	g.moduleTexts(&text)
	text.WriteString("program random\n")
	lines := append(append(g.uses, "implicit none"), spec...)
	lines = append(append(append(append(lines, dirs...), starts...), head...), body...)
	for _, l := range lines {
		text.WriteString(wrap(indent(l)))
	}
	inside := false
	for _, c := range g.procedures {
		if c.internal {
			if !inside {
				text.WriteString("contains\n")
			}
			inside = true
			for _, l := range c.lines {
				text.WriteString(wrap(indent(l)))
			}
		}
	}
	text.WriteString("end program random\n")
	for _, c := range g.procedures {
		if !c.internal {
			for _, l := range c.lines {
				text.WriteString(wrap(indent(l)))
			}
		}
	}
	in := ""
	if len(records) > 0 {
		in = strings.Join(records, "\n") + "\n"
	}
	return Program{Source: text.String(), Input: in, Features: g.features, Wraps: g.wraps, Special: g.special}
}

// moduleTexts writes the modules.
func (g *gen) moduleTexts(text *strings.Builder) {
	for _, m := range g.modules {
		fmt.Fprintf(text, "module %s\n", m.name)
		part := append([]string{"implicit none"}, m.spec...)
		for _, r := range m.records {
			part = append(part, r.declare()...)
		}
		part = append(part, m.behind...)
		if len(m.procedures) > 0 {
			part = append(part, "contains")
		}
		for _, l := range append(part, m.procedures...) {
			text.WriteString(wrap(indent(l)))
		}
		fmt.Fprintf(text, "end module %s\n", m.name)
	}
}

// lineLimit is where a statement is continued; the language allows 132 columns.
const lineLimit = 100

// wrap breaks a long statement with "&", outside of quotes: at a blank, or else
// behind a parenthesis.
func wrap(l string) string {
	var out strings.Builder
	for len(l) > lineLimit && !strings.HasPrefix(l, "!") {
		blank, paren, quoted := 0, 0, false
		for i := range lineLimit {
			switch {
			case l[i] == '\'':
				quoted = !quoted
			case quoted:
			case l[i] == ' ' && strings.TrimSpace(l[:i]) != "":
				blank = i
			case l[i] == '(':
				paren = i + 1
			}
		}
		cut := blank
		if cut == 0 {
			cut = paren
		}
		if cut == 0 {
			break
		}
		out.WriteString(l[:cut] + " &\n")
		l = "      " + strings.TrimSpace(l[cut:])
	}
	out.WriteString(l + "\n")
	return out.String()
}
