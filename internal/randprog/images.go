package randprog

import (
	"fmt"
	"strings"
)

// Images returns a program with coarrays. Its images work in phases, between which all wait for
// each other: each computes with what it has itself, gets from others what nobody changes, puts
// what nobody else puts or reads, or all do something collective:
//
//	sync all
//	w2(1:4) = c1(3:6)[right]
//	sync all
//	c1(2)[left]%x1 = 0.5d0*w2(1)
//
// So what every image prints does not depend on which of them is fast. It reads no input.
func Images(seed uint64) Program {
	w := wordsOf(seed)
	m := &images{gen: &gen{features: map[string]int{}, usedSizes: map[string]bool{}, pool: map[slot][]*array{}}, u: w.unit()}
	return m.program(seed)
}

// images is the state of one generation.
type images struct {
	*gen
	u        *unit
	coarrays []*coarray
	locals   []string // declarations of other variables
	outputs  []string
	lines    []string
	own      *record
}

// coarray is a coarray, or with local the variable of each image that is like one.
type coarray struct {
	leaf   // of intrinsic type; with of, only the shape counts
	local  bool
	bounds string // of the images
}

// imageFeatures are what some hundred programs of Images cover, the phases aside.
var imageFeatures = []string{
	"coarray:allocatable", "coarray:character", "coarray:complex", "coarray:integer", "coarray:integer(8)", "coarray:logical", "coarray:of a type", "coarray:real",
	"coarray:single precision", "coarray:two codimensions", "coarray:other cobound", "get:component", "get:object", "get:section", "put:component", "put:object",
	"put:section", "reduce:of integers", "reduce:of reals",
}

func (m *images) emit(format string, args ...any) {
	m.lines = append(m.lines, fmt.Sprintf(format, args...))
}

// wait lets all images wait for each other.
func (m *images) wait() { m.emit("sync all") }

// coarray declares a coarray, or a variable that is like one.
func (m *images) coarray() *coarray {
	u := m.u
	c := &coarray{}
	c.tier = tier{4, 64}
	switch u.pick(9) {
	case 0, 1:
		c.kind, c.tier = intKind, tier{bound: 999}
		m.feat("coarray:integer")
	case 2:
		m.feat("coarray:real")
	case 3:
		c.kind, c.tier = complexKind, complexTier
		m.feat("coarray:complex")
	case 4:
		c.kind = logKind
		m.feat("coarray:logical")
	case 5:
		c.length = 1 + u.pick(6)
		m.feat("coarray:character")
	case 6:
		c.single, c.tier = true, tier{3, 32}
		m.feat("coarray:single precision")
	case 7:
		if m.own == nil {
			mod := &module{name: m.fresh("kinds")}
			m.modules, m.uses = append(m.modules, mod), append(m.uses, "use "+mod.name)
			for {
				if m.own = m.newRecord(u.fork(), mod, nil, nil); !m.own.allocates() {
					break
				}
				mod.records = nil
			}
		}
		c.of = m.own
		m.feat("coarray:of a type")
	case 8:
		c.kind, c.long, c.tier = intKind, true, tier{bound: 999}
		m.feat("coarray:integer(8)")
	}
	rank := u.pick(3)
	if c.length > 0 || c.kind == complexKind {
		rank = max(rank, 1) // gfortran takes no parts of single texts, and wrong ones of single complex numbers
	}
	for range rank {
		lo := oneOf(u, 1, 1, 0, -1)
		c.dims = append(c.dims, bounds{lo: lo, hi: lo + 8 + u.pick(3)})
		if len(c.dims) == 2 {
			c.dims[1].hi = lo + 2
		}
	}
	c.name = m.fresh("c")
	c.bounds = "*"
	switch u.pick(6) {
	case 1:
		c.bounds = "2, *"
		m.feat("coarray:two codimensions")
	case 2:
		c.bounds = "0:*"
		m.feat("coarray:other cobound")
	}
	if c.bounds != "0:*" && u.chance(1, 3) {
		c.alloc = true
		m.feat("coarray:allocatable")
	}
	m.coarrays = append(m.coarrays, c)
	m.declare(c)
	m.fill(c)
	m.print(c)
	return c
}

// like declares a variable of each image that is as c is, without being a coarray, and gives it values.
func (m *images) like(c *coarray) *coarray {
	w := *c
	w.name, w.local, w.alloc = m.fresh("w"), true, false
	m.declare(&w)
	m.fill(&w)
	m.print(&w)
	return &w
}

// declare declares c.
func (m *images) declare(c *coarray) {
	d := c.component
	d.start = ""
	word := d.declare()
	word = word[:strings.Index(word, "::")]
	if c.long {
		word = "integer(8) "
	}
	shape, images := "", ""
	if len(c.dims) > 0 {
		var list []string
		for _, b := range c.dims {
			if c.alloc {
				list = append(list, ":")
			} else {
				list = append(list, fmt.Sprintf("%d:%d", b.lo, b.hi))
			}
		}
		shape = "(" + strings.Join(list, ", ") + ")"
	}
	switch {
	case c.local:
	case c.alloc:
		images = "[:" + strings.Repeat(", :", strings.Count(c.bounds, ",")) + "]"
		word = strings.Replace(word, ", allocatable", "", 1)
		m.locals = append(m.locals, fmt.Sprintf("%s, allocatable, save :: %s%s%s", strings.TrimSpace(word), c.name, shape, images))
		return
	default:
		images = "[" + c.bounds + "]"
	}
	m.locals = append(m.locals, fmt.Sprintf("%s, save :: %s%s%s", strings.TrimSpace(word), c.name, shape, images))
}

// over wraps lines in loops over the elements of c.
func (m *images) over(c *coarray, lines ...string) []string {
	for d, b := range c.dims {
		lines = doBlock(fmt.Sprintf("do %s = %d, %d", indexNames[d], b.lo, b.hi), lines)
	}
	return lines
}

// running is the element of c for the indices.
func (c *coarray) running() string {
	if len(c.dims) == 0 {
		return c.name
	}
	return c.name + "(" + subscripts(len(c.dims)) + ")"
}

// fill allocates c and gives its elements values that depend on the image.
func (m *images) fill(c *coarray) {
	if c.alloc {
		var list []string
		for _, b := range c.dims {
			list = append(list, fmt.Sprintf("%d:%d", b.lo, b.hi))
		}
		shape := ""
		if len(list) > 0 {
			shape = "(" + strings.Join(list, ", ") + ")"
		}
		m.emit("allocate (%s%s[%s])", c.name, shape, c.bounds)
	}
	index := "me + 1"
	for d := range c.dims {
		index += fmt.Sprintf(" + %d*%s", d+1, indexNames[d])
	}
	if c.of != nil {
		m.lines = append(m.lines, m.over(c, c.of.fill(m.u, c.running(), index)...)...)
		return
	}
	p := &pool{numbers: []val{{text: "mod(" + index + ", 13)", kind: intKind, bound: 12}}}
	m.lines = append(m.lines, m.over(c, p.store(m.u, c.leaf, c.running()))...)
}

// print prints a sum of what c has at the end, and an element.
func (m *images) print(c *coarray) {
	leaves := []leaf{c.leaf}
	if c.of != nil {
		leaves = c.of.leaves()
	}
	for _, l := range leaves {
		path := l.path
		at := c.running() + path
		inner := c.of != nil && len(l.dims) > 0
		sum := func(x string) string {
			if inner {
				return "sum(" + x + ")"
			}
			return x
		}
		line := ""
		check := "rcheck"
		switch {
		case l.length > 0:
			m.outputs = append(m.outputs, m.over(c, fmt.Sprintf("print *, 'image', me, '%s', '|', %s, '|'", c.name+path, at))...)
			continue
		case l.kind == logKind:
			check = "icheck"
			line = fmt.Sprintf("if (%s) icheck = icheck + 1 + mod(abs(i), 3)", at)
			if inner {
				line = fmt.Sprintf("icheck = icheck + count(%s)", at)
			}
		case l.kind == intKind:
			check = "icheck"
			line = fmt.Sprintf("icheck = icheck + (1 + mod(abs(i), 3))*int(%s)", sum(at))
		case l.kind == complexKind:
			check = "zcheck"
			line = fmt.Sprintf("zcheck = zcheck + dble(1 + mod(abs(i), 3))*%s", sum(at))
		default:
			line = fmt.Sprintf("rcheck = rcheck + dble(1 + mod(abs(i), 3))*%s", sum("dble("+at+")"))
		}
		m.outputs = append(m.outputs, check+" = 0", "i = 1")
		m.outputs = append(m.outputs, m.over(c, line)...)
		m.outputs = append(m.outputs, fmt.Sprintf("print *, 'image', me, '%s', %s", c.name+path, check))
	}
}

// some is a coarray of the program.
func (m *images) some() *coarray {
	if len(m.coarrays) == 0 || len(m.coarrays) < 4 && m.u.chance(1, 2) {
		return m.coarray()
	}
	return m.coarrays[m.u.pick(len(m.coarrays))]
}

// at is the selector of image p of c.
func (c *coarray) at(p string) string {
	switch c.bounds {
	case "2, *":
		return fmt.Sprintf("[mod(%s-1, 2)+1, (%s-1)/2+1]", p, p)
	case "0:*":
		return fmt.Sprintf("[%s-1]", p)
	}
	return "[" + p + "]"
}

// element picks an element of c, with the selector of an image, "" for none.
func (m *images) element(c *coarray, image string) string {
	all := tuples(c.dims)
	return c.name + all[m.u.pick(len(all))] + image
}

// values are numbers to compute with: of variables that nobody changes from outside.
func (m *images) values(list ...*coarray) *pool {
	p := &pool{numbers: []val{{text: "me", kind: intKind, bound: 64}, {text: "np", kind: intKind, bound: 64}}}
	for _, c := range list {
		at := m.element(c, "")
		if c.of != nil {
			p.object(m.u, c.of, at)
			continue
		}
		l := c.leaf
		l.dims = nil
		l.path = ""
		r := &record{parts: []component{l.component}}
		q := &pool{}
		q.object(m.u, r, "?")
		text := func(s string) string { return strings.ReplaceAll(s, "?%"+l.name, at) }
		for _, v := range q.numbers {
			if v.text = text(v.text); c.long {
				v.text = "int(" + v.text + ")"
			}
			p.numbers = append(p.numbers, v)
		}
		for _, s := range q.truths {
			p.truths = append(p.truths, text(s))
		}
		for _, s := range q.texts {
			p.texts = append(p.texts, text(s))
		}
		for _, s := range q.complexs {
			p.complexs = append(p.complexs, text(s))
		}
	}
	return p
}

// stored assigns to an element of c, or of one of its components.
func (m *images) stored(p *pool, c *coarray, to string) string {
	l := c.leaf
	if c.of != nil {
		list := c.of.leaves()
		l = list[m.u.pick(len(list))]
		to = l.element(m.u, to)
	}
	if l.length > 0 && strings.Contains(to, "[") && len(p.texts) > 0 { // OpenCoarrays puts blanks for what is no variable
		return to + " = " + p.texts[m.u.pick(len(p.texts))]
	}
	return p.store(m.u, l, to)
}

// program has some of the phases that it is the turn of seed to have, and others.
func (m *images) program(seed uint64) Program {
	for i := range uint64(focus) {
		k := phases[(seed*focus+i)%uint64(len(phases))]
		m.feat(k.name)
		k.make(m)
	}
	for range m.u.pick(5) {
		k := phases[m.u.pick(len(phases))]
		m.feat(k.name)
		k.make(m)
	}
	m.wait()
	var text strings.Builder
	m.moduleTexts(&text)
	text.WriteString("program random\n")
	lines := append([]string{"use iso_fortran_env"}, m.uses...)
	lines = append(lines, "implicit none")
	lines = append(lines, m.locals...)
	lines = append(lines, "integer :: i, j, k, me, np, left, right, icheck", "real(8) :: rcheck", "complex(8) :: zcheck",
		"me = this_image()", "np = num_images()", "right = mod(me, np) + 1", "left = mod(me + np - 2, np) + 1")
	for _, l := range append(append(lines, m.lines...), m.outputs...) {
		text.WriteString(wrap(indent(l)))
	}
	text.WriteString("end program random\n")
	return Program{Source: text.String(), Features: m.features, Images: true}
}
