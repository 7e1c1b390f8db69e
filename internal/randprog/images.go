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

// phases are what the images do.
var phases = []struct {
	name string
	make func(m *images)
}{
	{"phase:alone", (*images).alone},
	{"phase:get", (*images).get},
	{"phase:put", (*images).put},
	{"phase:all to all", (*images).exchange},
	{"phase:collective", (*images).collective},
	{"phase:critical", (*images).critical},
	{"phase:lock", (*images).lock},
	{"phase:event", (*images).event},
	{"phase:atomic", (*images).atomic},
	{"phase:chain", (*images).chain},
	{"phase:team", (*images).team},
	{"phase:inquiry", (*images).inquiry},
	{"phase:procedure", (*images).procedure},
	{"phase:reduce", (*images).reduce},
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
	for range u.pick(3) {
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

// alone computes with what each image has.
func (m *images) alone() {
	c := m.some()
	w := m.like(c)
	p := m.values(c, w)
	lines := []string{m.stored(p, c, m.element(c, "")), m.stored(p, w, w.running())}
	m.lines = append(m.lines, m.over(c, lines...)...)
	if m.u.chance(1, 2) {
		m.lines = append(m.lines, ifBlock(fmt.Sprintf("me == %s", oneOf(m.u, "1", "np", "2")), []string{m.stored(p, c, m.element(c, ""))}, nil)...)
	}
}

// other is an image that is another one for each image.
func (m *images) other() string { return oneOf(m.u, "right", "left", "right", "np + 1 - me") }

// part is a section of c in each dimension, for two arrays of one shape.
func (m *images) part(c *coarray) string {
	var list []string
	for d, b := range c.dims {
		n := 2 + m.u.pick(b.extent()-1)
		lo := b.lo + m.u.pick(b.extent()-n+1)
		switch m.u.pick(5) {
		case 1:
			list = append(list, ":")
		case 2:
			if d == 0 {
				list = append(list, fmt.Sprintf("%d:%d:2", lo, lo+n-1))
				continue
			}
			fallthrough
		default:
			list = append(list, fmt.Sprintf("%d:%d", lo, lo+n-1))
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// get reads what others have.
func (m *images) get() {
	u := m.u
	c := m.some()
	w := m.like(c)
	m.wait()
	for range 1 + u.pick(3) {
		image := c.at(m.other())
		if u.chance(1, 4) {
			image = c.at(oneOf(u, "1", "np"))
		}
		switch {
		case c.of != nil && u.chance(1, 2):
			m.feat("get:component")
			for _, l := range c.of.leaves() {
				if u.chance(1, 2) {
					at := l.element(u, "?")
					m.emit("%s = %s", strings.Replace(at, "?", m.element(w, ""), 1), strings.Replace(at, "?", m.element(c, image), 1))
				}
			}
		case c.of != nil:
			m.feat("get:object")
			m.emit("%s = %s", m.element(w, ""), m.element(c, image))
		case len(c.dims) > 0 && u.chance(1, 2):
			m.feat("get:section")
			part := m.part(c)
			m.emit("%s%s = %s%s%s", w.name, part, c.name, part, image)
		case len(c.dims) > 0 && u.chance(1, 2):
			m.lines = append(m.lines, m.over(c, fmt.Sprintf("%s = %s%s", w.running(), c.running(), image))...)
		default:
			m.emit("%s = %s", m.element(w, ""), m.element(c, image))
		}
	}
	m.wait()
}

// put writes what others have: one image for each.
func (m *images) put() {
	u := m.u
	c := m.some()
	w := m.like(c)
	m.wait()
	image := c.at(m.other())
	for range 1 + u.pick(3) {
		switch {
		case c.of != nil && u.chance(1, 2):
			m.feat("put:component")
			m.emit("%s", m.stored(m.values(w), c, m.element(c, image)))
		case c.of != nil:
			m.feat("put:object")
			m.emit("%s = %s", m.element(c, image), m.element(w, ""))
		case len(c.dims) > 0 && u.chance(1, 2):
			m.feat("put:section")
			part := m.part(c)
			m.emit("%s%s%s = %s%s", c.name, part, image, w.name, part)
		default:
			m.emit("%s", m.stored(m.values(w), c, m.element(c, image)))
		}
	}
	m.wait()
}

// exchange lets each image put into all.
func (m *images) exchange() {
	u := m.u
	c := &coarray{bounds: "*"}
	c.name, c.kind, c.tier = m.fresh("c"), oneOf(u, intKind, realKind), tier{4, 64}
	c.dims = []bounds{{lo: 1, hi: 16}}
	m.declare(c)
	m.fill(c)
	m.print(c)
	m.wait()
	value := u.fit(m.values().value(u, c.kind), c.tier).text
	m.lines = append(m.lines, doBlock("do k = 1, np", []string{fmt.Sprintf("%s(me)[k] = %s", c.name, value)})...)
	m.wait()
	s := m.number(c.kind)
	m.lines = append(m.lines, doBlock("do k = 1, np", []string{fmt.Sprintf("%s = %s + %s(%s)[k]", s, s, c.name, oneOf(u, "me", "k", "1"))})...)
	m.wait()
}

// number declares a variable of each image, which is printed.
func (m *images) number(kd kind) string {
	s := m.fresh("s")
	m.locals = append(m.locals, typeWords[kd]+" :: "+s)
	m.emit("%s = %s", s, zero(kd))
	m.outputs = append(m.outputs, fmt.Sprintf("print *, 'image', me, '%s', %s", s, s))
	return s
}

// counter declares a coarray of one number, which is printed.
func (m *images) counter(word string) string {
	s := m.fresh("n")
	m.locals = append(m.locals, word+", save :: "+s+"[*]")
	m.emit("%s = 0", s)
	m.outputs = append(m.outputs, fmt.Sprintf("print *, 'image', me, '%s', %s", s, s))
	return s
}

// collective is one of the collective subroutines.
func (m *images) collective() {
	u := m.u
	kd := oneOf(u, intKind, realKind, complexKind)
	c := &coarray{bounds: "*"}
	c.name, c.kind, c.tier, c.local = m.fresh("v"), kd, tier{4, 64}, true
	if u.chance(1, 2) {
		c.dims = []bounds{{lo: 1, hi: 5}}
	}
	m.declare(c)
	m.fill(c)
	m.print(c)
	name := oneOf(u, "co_sum", "co_broadcast", "co_max", "co_min")
	if kd == complexKind {
		name = oneOf(u, "co_sum", "co_broadcast")
	}
	m.feat("collective:" + name)
	if name == "co_broadcast" {
		m.emit("call co_broadcast(%s, source_image=%s)", c.name, oneOf(u, "1", "np"))
		return
	}
	if u.chance(1, 3) {
		m.emit("call %s(%s, result_image=%s)", name, c.name, oneOf(u, "1", "np"))
		m.emit("%s = 0", c.name) // what the others have is not defined
		return
	}
	m.emit("call %s(%s)", name, c.name)
}

// reduce is CO_REDUCE with a function of the program.
func (m *images) reduce() {
	u := m.u
	kd := oneOf(u, intKind, realKind)
	m.feat("reduce:of " + [...]string{"reals", "integers"}[kd])
	mod := &module{name: m.fresh("ops")}
	f := m.fresh("join")
	c := &callee{}
	c.add("pure function %s(x, y) result(z)", f)
	c.add("%s, intent(in) :: x, y", typeWords[kd])
	c.add("%s :: z", typeWords[kd])
	if kd == intKind {
		c.add("z = %s", oneOf(u, "x + y", "max(x, y)", "ieor(x, y)", "mod(x*y, 7)"))
	} else {
		c.add("z = %s", oneOf(u, "x + y", "min(x, y)", "max(abs(x), abs(y))"))
	}
	c.add("end function %s", f)
	mod.procedures = c.lines
	m.modules, m.uses = append(m.modules, mod), append(m.uses, "use "+mod.name)
	s := m.number(kd)
	m.emit("%s = %s", s, u.fit(m.values().value(u, kd), tier{4, 64}).text)
	m.emit("call co_reduce(%s, %s)", s, f)
}

// critical changes a number of one image in turn.
func (m *images) critical() {
	n := m.counter("integer")
	m.wait()
	m.emit("critical")
	m.emit("%s[1] = %s[1] + %s", n, n, m.u.fit(m.values().value(m.u, intKind), tier{bound: 50}).text)
	m.emit("end critical")
	m.wait()
}

// lock is critical with a lock.
func (m *images) lock() {
	n, l := m.counter("integer"), m.fresh("l")
	m.locals = append(m.locals, "type(lock_type), save :: "+l+"[*]")
	image := oneOf(m.u, "1", "np")
	m.wait()
	m.emit("lock (%s[%s])", l, image)
	m.emit("%s[%s] = %s[%s] + %s", n, image, n, image, m.u.fit(m.values().value(m.u, intKind), tier{bound: 50}).text)
	m.emit("unlock (%s[%s])", l, image)
	m.wait()
}

// event lets each image wait for what another has posted.
func (m *images) event() {
	u := m.u
	n, e := m.counter("integer"), m.fresh("e")
	m.locals = append(m.locals, "type(event_type), save :: "+e+"[*]")
	m.emit("%s = %s", n, u.fit(m.values().value(u, intKind), tier{bound: 50}).text)
	m.wait()
	times := 1 + u.pick(2)
	s := m.number(intKind)
	for range times {
		m.emit("event post (%s[right])", e)
	}
	if times > 1 {
		m.emit("event wait (%s, until_count=%d)", e, times)
	} else {
		m.emit("event wait (%s)", e)
	}
	m.emit("%s = %s[left]", s, n)
	m.wait()
}

// atomic has atomic subroutines.
func (m *images) atomic() {
	u := m.u
	n := m.counter("integer(atomic_int_kind)")
	m.wait()
	name := oneOf(u, "define", "add", "or", "define")
	value, image := "me", oneOf(u, "1", "np")
	switch name {
	case "or":
		value = "2**mod(me, 8)"
	case "define":
		image = "right"
	}
	m.emit("call atomic_%s(%s[%s], %s)", name, n, image, value)
	m.wait()
	s := m.number(intKind)
	m.emit("call atomic_ref(%s, %s[%s])", s, n, image)
	m.wait()
}

// chain adds up from image to image.
func (m *images) chain() {
	n := m.counter("integer")
	m.emit("%s = %s", n, m.u.fit(m.values().value(m.u, intKind), tier{bound: 50}).text)
	m.wait()
	m.emit("if (me > 1) then")
	m.emit("   sync images (me - 1)")
	m.emit("   %s = %s + %s[me - 1]", n, n, n)
	m.emit("end if")
	m.emit("if (me < np) sync images (me + 1)")
	m.wait()
}

// team divides the images.
func (m *images) team() {
	u := m.u
	t, n := m.fresh("t"), m.counter("integer")
	m.locals = append(m.locals, "type(team_type) :: "+t)
	s, x := m.number(intKind), m.number(intKind)
	m.emit("%s = %s", n, u.fit(m.values().value(u, intKind), tier{bound: 50}).text)
	m.emit("form team (1 + %s, %s)", oneOf(u, "mod(me, 2)", "(me - 1)/2", "min(me, 2)"), t)
	m.emit("change team (%s)", t)
	m.emit("%s = 100*this_image() + num_images()", s)
	m.emit("%s = me", x)
	m.emit("call %s(%s)", oneOf(u, "co_sum", "co_max"), x)
	if u.chance(1, 2) {
		m.emit("sync all")
		m.emit("%s = %s + %s[num_images()]", s, s, n)
		m.emit("sync all")
	}
	m.emit("end team")
	m.wait()
}

// inquiry prints what images are.
func (m *images) inquiry() {
	c := m.some()
	m.outputs = append(m.outputs, fmt.Sprintf("print *, 'image', me, this_image(%s), lcobound(%s), ucobound(%s)", c.name, c.name, c.name))
	first := map[string]string{"*": "1", "0:*": "0", "2, *": "1, 1"}[c.bounds]
	m.outputs = append(m.outputs, fmt.Sprintf("print *, 'image', me, image_index(%s, [%s]), image_index(%s, this_image(%s))", c.name, first, c.name, c.name))
}

// procedure passes a coarray to a procedure, which communicates.
func (m *images) procedure() {
	u := m.u
	kd := oneOf(u, intKind, realKind)
	c := &coarray{bounds: "*"}
	c.name, c.kind, c.tier = m.fresh("c"), kd, tier{4, 64}
	c.dims = []bounds{{lo: 1, hi: 6 + u.pick(4)}}
	c.alloc = u.chance(1, 3)
	m.declare(c)
	m.fill(c)
	m.print(c)
	mod := &module{name: m.fresh("work")}
	f := m.fresh("step")
	p := &callee{}
	recursive := u.chance(1, 4)
	head := oneOf(u, "", "recursive ")
	if recursive {
		head = "recursive "
	}
	p.add("%ssubroutine %s(x, n, from, s)", head, f)
	p.add("integer, intent(in) :: n, from")
	p.add("%s :: x(%s)[*]", typeWords[kd], oneOf(u, ":", "n"))
	p.add("%s, intent(inout), optional :: s", typeWords[kd])
	p.add("%s :: y(n)", typeWords[kd])
	element := func(text string) val { return val{text: text, kind: kd, frac: 4, bound: 64} }
	p.add("sync all")
	p.add("y = x(1:n)[from]")
	p.add("sync all")
	p.add("x(2:n) = %s", u.fit(u.combine([]val{element("y(2:n)"), element("x(1:n-1)")}), c.tier).text)
	p.add("if (present(s)) s = s + y(1)")
	if recursive {
		p.add("if (n > 4) call %s(x, n - 2, from, s)", f)
	}
	p.add("end subroutine %s", f)
	mod.procedures = p.lines
	m.modules, m.uses = append(m.modules, mod), append(m.uses, "use "+mod.name)
	s := m.number(kd)
	for range 1 + u.pick(2) {
		m.emit("call %s(%s, %d, %s%s)", f, c.name, c.dims[0].hi, m.other(), oneOf(u, ", "+s, "", ", s="+s))
	}
}

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
