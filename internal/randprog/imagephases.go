package randprog

import (
	"fmt"
	"strings"
)

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
	{"phase:components of each image's own", (*images).ownComponents},
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

// ownComponents has a coarray with allocatable components, which each image allocates with other bounds,
// and which others read and change.
func (m *images) ownComponents() {
	u := m.u
	kd := oneOf(u, intKind, realKind)
	mod := &module{name: m.fresh("kinds")}
	r, x := m.fresh("t"), m.fresh("c")
	mod.spec = append(mod.spec, "type :: "+r, "   integer :: n = 0", "   "+typeWords[kd]+", allocatable :: a(:), b(:,:)", "end type "+r)
	m.modules, m.uses = append(m.modules, mod), append(m.uses, "use "+mod.name)
	m.locals = append(m.locals, fmt.Sprintf("type(%s), save :: %s[*]", r, x))
	s := m.number(kd)
	by := 2 + u.pick(3)
	value := func(text string) string {
		return u.fit(u.convert(val{text: "mod(" + text + ", 13)", kind: intKind, bound: 12}, kd), tier{4, 64}).text
	}
	add := func(format string, args ...any) { m.emit("%s = %s + %s", s, s, fmt.Sprintf(format, args...)) }
	for range 1 + u.pick(2) {
		m.emit("%s%%n = me + %d", x, by)
		m.emit("allocate (%s%%a(%s%%n), %s%%b(0:me, 2))", x, x, x)
		m.lines = append(m.lines, doBlock(fmt.Sprintf("do i = 1, %s%%n", x), []string{fmt.Sprintf("%s%%a(i) = %s", x, value("me*3 + i"))})...)
		m.emit("%s%%b = %s", x, value("me + 4"))
		m.wait()
		p := m.other()
		for range 1 + u.pick(3) {
			switch u.pick(4) {
			case 0:
				add("%s[%s]%%a(2)", x, p)
			case 1:
				add("sum(%s[%s]%%a(1:%d))", x, p, 1+u.pick(3))
			case 2:
				add("%s[%s]%%b(1, 2)", x, p)
			case 3:
				m.emit("if (allocated(%s[%s]%%a)) %s = %s + 1", x, p, s, s)
			}
		}
		m.wait()
		if u.chance(2, 3) {
			m.emit("%s[%s]%%a(%d) = %s", x, p, 1+u.pick(3), value("me + 5"))
			m.wait()
		}
		add("sum(%s%%a) + sum(%s%%b)", x, x)
		m.emit("deallocate (%s%%a, %s%%b)", x, x)
		m.wait()
	}
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
