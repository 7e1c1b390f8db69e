package randprog

import (
	"fmt"
	"strings"
)

// record is a derived type of the program, which a module of its own has.
type record struct {
	name   string
	parent *record // that it extends; nil: none
	parts  []component
	bound  []string // the part behind CONTAINS
	module *module
	has    map[string]string // names of the procedures that it has got, by what they do
}

// component is a component of a type.
type component struct {
	name   string
	kind   kind
	single bool
	long   bool    // INTEGER(8)
	length int     // of a text, which its kind says nothing of; 0: no text
	of     *record // nil: of intrinsic type
	dims   []bounds
	alloc  bool   // allocatable; dims is what it is allocated with, wherever that is
	start  string // initial value; "": none
	tier   tier
}

// leaf is a component of intrinsic type as an object has it, through components of
// derived types and elements of them.
type leaf struct {
	component
	path string // "%inner(2)%x"
}

// declare writes the declaration of c.
func (c *component) declare() string {
	t := [...]string{"real(8)", "integer", "logical", "complex(8)"}[c.kind]
	switch {
	case c.of != nil:
		t = "type(" + c.of.name + ")"
	case c.length > 0:
		t = fmt.Sprintf("character(len=%d)", c.length)
	case c.single:
		t = "real"
	}
	shape := ""
	for d, b := range c.dims {
		switch {
		case c.alloc:
			shape += ", :"
		case b.lo == 1:
			shape += fmt.Sprintf(", %d", b.hi)
		default:
			shape += fmt.Sprintf(", %d:%d", b.lo, b.hi)
		}
		if d == len(c.dims)-1 {
			shape = "(" + shape[2:] + ")"
		}
	}
	if c.alloc {
		t += ", allocatable"
	}
	if c.start != "" {
		shape += " = " + c.start
	}
	return t + " :: " + c.name + shape
}

// declare writes the definition of r.
func (r *record) declare() []string {
	head := "type :: " + r.name
	if r.parent != nil {
		head = fmt.Sprintf("type, extends(%s) :: %s", r.parent.name, r.name)
	}
	lines := []string{head}
	for i := range r.parts {
		lines = append(lines, "   "+r.parts[i].declare())
	}
	if len(r.bound) > 0 {
		lines = append(lines, "contains")
		for _, l := range r.bound {
			lines = append(lines, "   "+l)
		}
	}
	return append(lines, "end type "+r.name)
}

// components are those of r, and in front of them those that it inherits.
func (r *record) components() []component {
	if r.parent == nil {
		return r.parts
	}
	return append(append([]component(nil), r.parent.components()...), r.parts...)
}

// expand lists the components of r as an object has them: visit is called for each of
// them, in front of what is inside of it.
func (r *record) expand(path string, visit func(path string, c component)) {
	for _, c := range r.components() {
		at := path + "%" + c.name
		visit(at, c)
		if c.of == nil {
			continue
		}
		for _, subs := range tuples(c.dims) {
			c.of.expand(at+subs, visit)
		}
	}
}

// leaves are the components of intrinsic type.
func (r *record) leaves() (out []leaf) {
	r.expand("", func(path string, c component) {
		if c.of == nil {
			out = append(out, leaf{c, path})
		}
	})
	return out
}

// allocates reports whether any component is allocatable.
func (r *record) allocates() bool {
	found := false
	r.expand("", func(_ string, c component) { found = found || c.alloc })
	return found
}

// tuples lists the subscripts of all elements, in array order: "(1,2)"; of a scalar "".
func tuples(dims []bounds) []string {
	list := []string{""}
	for d := len(dims) - 1; d >= 0; d-- {
		var next []string
		for _, rest := range list {
			for x := dims[d].lo; x <= dims[d].hi; x++ {
				next = append(next, fmt.Sprintf(",%d%s", x, rest))
			}
		}
		list = next
	}
	if len(dims) == 0 {
		return list
	}
	for i := range list {
		list[i] = "(" + list[i][1:] + ")"
	}
	return list
}

// element picks an element of the leaf of an object.
func (l leaf) element(u *unit, object string) string {
	all := tuples(l.dims)
	return object + l.path + all[u.pick(len(all))]
}

// newRecord makes a type with random components; some have the type inner, if there is one.
func (g *gen) newRecord(u *unit, m *module, parent, inner *record) *record {
	r := &record{name: g.fresh("t"), parent: parent, module: m, has: map[string]string{}}
	number := 0
	name := func(prefix string) string {
		number++
		if parent != nil {
			return fmt.Sprintf("%s%dx", prefix, number)
		}
		return fmt.Sprintf("%s%d", prefix, number)
	}
	add := func(c component) {
		switch u.pick(7) {
		case 1, 2:
			c.dims = []bounds{{lo: oneOf(u, 1, 1, 0, -1)}}
			c.dims[0].hi = c.dims[0].lo + 1 + u.pick(3)
			g.feat("component:array")
		case 3:
			c.dims = []bounds{{lo: 1, hi: 2}, {lo: oneOf(u, 1, 0), hi: 2}}
			g.feat("component:array of rank 2")
		case 4:
			if u.chance(1, 2) && c.length == 0 {
				c.dims, c.alloc = []bounds{{lo: 1, hi: 1 + u.pick(4)}}, true
				g.feat("component:allocatable")
			}
		}
		if !c.alloc && c.of == nil && u.chance(1, 3) {
			switch {
			case c.length > 0:
				c.start = "'xy'"
			case c.kind == logKind:
				c.start = ".true."
			case c.kind == complexKind:
				c.start = "(0.5d0, -1.0d0)"
			case c.kind == intKind:
				c.start = "4"
			default:
				c.start = "1.5"
			}
			g.feat("component:initial value")
		}
		r.parts = append(r.parts, c)
	}
	add(component{name: name("x"), kind: realKind, tier: oneOf(u, tier{4, 64}, tier{8, 128})})
	add(component{name: name("n"), kind: intKind, tier: tier{bound: oneOf(u, 99, 999)}})
	for range u.pick(4) {
		switch u.pick(7) {
		case 0:
			add(component{name: name("x"), kind: realKind, tier: tier{6, 64}})
		case 1:
			add(component{name: name("l"), kind: logKind})
			g.feat("component:logical")
		case 2:
			add(component{name: name("z"), kind: complexKind, tier: complexTier})
			g.feat("component:complex")
		case 3:
			add(component{name: name("s"), length: 1 + u.pick(6)})
			g.feat("component:character")
		case 4:
			add(component{name: name("f"), kind: realKind, single: true, tier: tier{3, 32}})
			g.feat("component:single precision")
		case 5:
			add(component{name: name("n"), kind: intKind, tier: tier{bound: 20}})
		case 6:
			if inner != nil {
				add(component{name: name("t"), of: inner})
				g.feat("component:of a type")
			}
		}
	}
	m.records = append(m.records, r)
	return r
}

// record is a type of the program: one that it has, or a new one.
func (k *kern) record() *record {
	if len(k.records) > 0 && (len(k.records) == 3 || k.u.chance(1, 2)) {
		return k.records[k.u.pick(len(k.records))]
	}
	m := &module{name: k.fresh("kinds")}
	k.modules, k.uses = append(k.modules, m), append(k.uses, "use "+m.name)
	u := k.u.fork()
	var inner *record
	if u.chance(1, 2) {
		inner = k.newRecord(u, m, nil, nil)
	}
	r := k.newRecord(u, m, nil, inner)
	k.records = append(k.records, r)
	return r
}

// add adds a procedure to the module of r.
func (r *record) add(c *callee) { r.module.procedures = append(r.module.procedures, c.lines...) }

// object is a variable of a derived type; its array has the name and the bounds.
type object struct {
	*array
	rec        *record
	attributes string
	directive  string
}

// object is a variable of type r that this kernel has not used yet, of the rank; distributed
// as often as not.
func (k *kern) object(r *record, rank int) *object {
	for _, o := range k.objects {
		if o.rec == r && o.rank() == rank && !k.chosen[o.array] && k.u.chance(2, 3) {
			k.chosen[o.array] = true
			return o
		}
	}
	u := k.u.fork()
	o := &object{array: &array{name: k.fresh("o"), u: u}, rec: r}
	for d := range rank {
		lo := oneOf(u, 1, 1, 0, -1, 2)
		n := 5 + u.pick(8)
		if d > 0 {
			n = 3 + u.pick(4)
		}
		o.dims = append(o.dims, bounds{lo: lo, hi: lo + n - 1})
	}
	k.chosen[o.array] = true
	k.objects = append(k.objects, o)
	if rank > 0 && u.chance(1, 4) {
		o.attributes = ", allocatable"
		k.feat("object:allocatable")
	}
	if rank > 0 && u.chance(3, 4) {
		formats := oneOf(u, "BLOCK", "CYCLIC", "BLOCK", "CYCLIC(2)")
		if rank == 2 {
			formats = oneOf(u, "BLOCK, *", "*, BLOCK", "BLOCK, BLOCK", "CYCLIC, BLOCK", "*, CYCLIC")
		}
		o.directive = fmt.Sprintf("!HPF$ DISTRIBUTE %s(%s)", o.name, formats)
		k.feat("object:distributed")
		for _, p := range k.objects {
			if p != o && p.directive != "" && p.rank() == rank && p.attributes == o.attributes && sameBounds(p.dims, o.dims) && u.chance(1, 2) {
				o.directive = fmt.Sprintf("!HPF$ ALIGN %s(%s) WITH %s(%s)", o.name, subscripts(rank), p.name, subscripts(rank))
				k.feat("object:aligned")
				break
			}
		}
	}
	k.feat(fmt.Sprintf("object:rank %d", rank))
	return o
}

// declare writes the declaration of o.
func (o *object) declare() string {
	return fmt.Sprintf("type(%s)%s :: %s%s", o.rec.name, o.attributes, o.name, o.shape(o.attributes != ""))
}

// shape is the list of bounds, or of colons.
func (o *object) shape(deferred bool) string {
	if o.rank() == 0 {
		return ""
	}
	var list []string
	for _, b := range o.dims {
		if deferred {
			list = append(list, ":")
		} else {
			list = append(list, fmt.Sprintf("%d:%d", b.lo, b.hi))
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// running is the element of o with the names of the indices as subscripts.
func (o *object) running() string {
	if o.rank() == 0 {
		return o.name
	}
	return o.name + "(" + subscripts(o.rank()) + ")"
}

// initialise allocates o and gives it values, but not always to what has initial ones.
func (o *object) initialise(g *gen) (lines []string) {
	u := o.u
	if o.attributes != "" && o.rank() > 0 {
		lines = append(lines, fmt.Sprintf("allocate (%s%s)", o.name, o.shape(false)))
	}
	index := "3"
	if o.rank() > 0 {
		index = "i"
		for d := 1; d < o.rank(); d++ {
			index += fmt.Sprintf(" + %d*%s", d+1, indexNames[d])
		}
	}
	return append(lines, g.allElements(o.array, o.rec.fill(u, o.running(), index)...)...)
}

// fill gives all components of an object values, from an index.
func (r *record) fill(u *unit, object, index string) (lines []string) {
	r.expand("", func(path string, c component) {
		at := object + path
		if c.alloc {
			lines = append(lines, fmt.Sprintf("allocate (%s(%d))", at, c.dims[0].hi))
		}
		if c.of != nil || c.start != "" && u.chance(1, 2) {
			return
		}
		value := func(by int) string {
			of := fmt.Sprintf("%d*(%s) + %d", 1+u.pick(5), index, by)
			switch {
			case c.length > 0:
				return fmt.Sprintf("achar(97 + mod(abs(%s), 26))//'%s'", of, oneOf(u, "", "b", "xyz"))
			case c.kind == logKind:
				return fmt.Sprintf("mod(abs(%s), 3) == 1", of)
			case c.kind == intKind:
				return fmt.Sprintf("mod(%s, 11)", of)
			case c.kind == complexKind:
				return fmt.Sprintf("cmplx(dble(mod(%s, 9))*0.5d0, %s, kind=8)", of, dyadic(by-1, 2))
			}
			return fmt.Sprintf("dble(mod(%s, 13))*0.25d0", of)
		}
		lines = append(lines, at+" = "+value(u.pick(5)))
		if all := tuples(c.dims); len(c.dims) > 0 {
			for i := range min(2, len(all)) {
				lines = append(lines, at+all[(i*3)%len(all)]+" = "+value(i+2))
			}
		}
	})
	return lines
}

// output prints what o has.
func (o *object) output(g *gen, u *unit) (lines []string) {
	weight := "(1 + mod(abs(i), 5))"
	if o.rank() == 0 {
		weight = "1"
	}
	first, last := o.name, o.name
	if o.rank() > 0 {
		var lo, hi []string
		for _, b := range o.dims {
			lo, hi = append(lo, fmt.Sprint(b.lo)), append(hi, fmt.Sprint(b.hi))
		}
		first, last = o.name+"("+strings.Join(lo, ",")+")", o.name+"("+strings.Join(hi, ",")+")"
	}
	for _, l := range o.rec.leaves() {
		at := o.running() + l.path
		array := len(l.dims) > 0
		sum := func(x string) string {
			if array {
				return "sum(" + x + ")"
			}
			return x
		}
		check, line, format := "", "", "print *, '%s', %s"
		switch {
		case l.length > 0:
			lines = append(lines, fmt.Sprintf("print *, '%s', '|', %s, '|', %s", o.name+l.path, first+l.path, l.element(u, last)))
			continue
		case l.kind == logKind:
			check = g.private(intKind, "icheck", tier{}).name
			lines = append(lines, check+" = 0")
			if array {
				line = fmt.Sprintf("%s = %s + %s*count(%s)", check, check, weight, at)
			} else {
				line = fmt.Sprintf("if (%s) %s = %s + %s", at, check, check, weight)
			}
		case l.kind == intKind:
			check = g.private(intKind, "icheck", tier{}).name
			lines = append(lines, check+" = 0")
			line = fmt.Sprintf("%s = %s + %s*%s", check, check, weight, sum(at))
		case l.kind == complexKind:
			check = g.private(complexKind, "zcheck", tier{}).name
			lines = append(lines, check+" = (0.0d0, 0.0d0)")
			line = fmt.Sprintf("%s = %s + dble(%s)*%s", check, check, weight, sum(at))
		default:
			check = g.private(realKind, "check", tier{}).name
			lines = append(lines, check+" = 0.0d0")
			if l.single {
				at = "dble(" + at + ")"
			}
			line = fmt.Sprintf("%s = %s + dble(%s)*%s", check, check, weight, sum(at))
		}
		lines = append(lines, g.allElements(o.array, line)...)
		lines = append(lines, fmt.Sprintf(format, o.name+l.path, check))
	}
	if !o.rec.allocates() && u.chance(1, 2) {
		lines = append(lines, "print *, "+last)
		g.feat("object:printed as a whole")
	}
	return lines
}

// pool is what expressions are made of: components of objects, and other values.
type pool struct {
	numbers         []val
	truths          []string
	texts, complexs []string
}

// object adds the components of an object of type r.
func (p *pool) object(u *unit, r *record, object string) {
	for _, l := range r.leaves() {
		at := l.element(u, object)
		switch {
		case l.length > 0:
			p.texts = append(p.texts, at)
			p.numbers = append(p.numbers, val{text: "ichar(" + at + "(1:1))", kind: intKind, bound: 127})
		case l.kind == logKind:
			p.truths = append(p.truths, at)
		case l.kind == complexKind:
			p.complexs = append(p.complexs, at)
			for _, part := range []string{"dble", "aimag"} {
				p.numbers = append(p.numbers, val{text: part + "(" + at + ")", frac: l.tier.frac, bound: l.tier.bound})
			}
		case l.single:
			p.numbers = append(p.numbers, val{text: "dble(" + at + ")", frac: l.tier.frac, bound: l.tier.bound})
		default:
			p.numbers = append(p.numbers, val{text: at, kind: l.kind, frac: l.tier.frac, bound: l.tier.bound})
		}
	}
}

// value makes an expression of a kind, of up to three values.
func (p *pool) value(u *unit, kd kind) val {
	var list []val
	for range 1 + u.pick(3) {
		list = append(list, u.convert(p.numbers[u.pick(len(p.numbers))], kd))
	}
	return u.combine(list)
}

// truth makes a condition.
func (p *pool) truth(u *unit) string {
	if len(p.truths) > 0 && u.chance(1, 2) {
		return oneOf(u, "", ".not. ") + p.truths[u.pick(len(p.truths))]
	}
	return u.compare(p.numbers[u.pick(len(p.numbers))]).text
}

// store assigns to a component.
func (p *pool) store(u *unit, l leaf, to string) string {
	switch {
	case l.length > 0:
		if len(p.texts) > 0 && u.chance(1, 2) {
			return fmt.Sprintf("%s = %s", to, p.texts[u.pick(len(p.texts))])
		}
		return fmt.Sprintf("%s = achar(97 + mod(abs(%s), 26))//'%s'", to, p.value(u, intKind).text, oneOf(u, "", "q", "rst"))
	case l.kind == logKind:
		return fmt.Sprintf("%s = %s", to, p.truth(u))
	case l.kind == complexKind:
		if len(p.complexs) > 0 && u.chance(1, 2) {
			z := p.complexs[u.pick(len(p.complexs))]
			return fmt.Sprintf("%s = %s", to, oneOf(u, z, "conjg("+z+")", "-"+z, "cmplx(aimag("+z+"), -dble("+z+"), kind=8)"))
		}
		return fmt.Sprintf("%s = cmplx(%s, %s, kind=8)", to, u.fit(p.value(u, realKind), l.tier).text, u.fit(p.value(u, realKind), l.tier).text)
	}
	return fmt.Sprintf("%s = %s", to, u.fit(p.value(u, l.kind), l.tier).text)
}

// stores assigns to some components of an object of type r.
func (p *pool) stores(u *unit, r *record, object string, most int) (lines []string) {
	list := r.leaves()
	for range 1 + u.pick(most) {
		l := list[u.pick(len(list))]
		lines = append(lines, p.store(u, l, l.element(u, object)))
	}
	return lines
}

// constructor is a value of type r made of components.
func (p *pool) constructor(u *unit, r *record) string {
	var list []string
	keywords := false
	for _, c := range r.components() {
		value := ""
		if c.of != nil {
			value = p.constructor(u, c.of)
		} else {
			_, value, _ = strings.Cut(p.store(u, leaf{component: c}, ""), " = ")
		}
		if c.alloc {
			if c.single {
				value = "real(" + value + ")"
			}
			value = "[" + value + strings.Repeat(", "+value, c.dims[0].hi-1) + "]"
		}
		if keywords = keywords || len(list) > 0 && u.chance(1, 8); keywords {
			value = c.name + "=" + value
		}
		list = append(list, value)
	}
	return r.name + "(" + strings.Join(list, ", ") + ")"
}
