package randprog

import (
	"fmt"
	"slices"
	"strings"
)

// family is arrays of one template that begin or end at different positions of it: at
// one position there may be an element of the one and none of the other.
type family struct {
	*kern
	kind      kind
	template  *template
	axis      int    // of the template, along which they differ
	coef, off int    // iteration i is at position coef*i+off of that axis
	lo, hi    int    // iterations of the largest
	across    bounds // of the other dimension of those of rank 2
}

// member is an array of a family; a guest lies elsewhere.
type member struct {
	*array
	along  int // the dimension along which the family differs
	shift  int // its element of iteration i is i+shift
	lo, hi int // the iterations that have one
}

// family makes a template for arrays of up to the given rank.
func (k *kern) family(rank int) *family {
	u := k.u
	f := &family{kern: k, kind: k.numeric()}
	f.template = k.newTemplate(u, 1+u.pick(rank))
	f.axis = u.pick(len(f.template.dims))
	f.coef = oneOf(u, 1, 1, 2, 3, 1, -1)
	f.off = oneOf(u, 0, 1, -2, 4)
	f.lo = oneOf(u, 1, 0, -1, 2)
	f.hi = f.lo + 3 + u.pick(8)
	f.across = bounds{lo: oneOf(u, 1, 1, 0), hi: 2 + u.pick(4)}
	return f
}

// member adds an array with elements for the iterations lo to hi.
func (f *family) member(rank, lo, hi int, guest bool) *member {
	u := f.u
	m := &member{along: u.pick(rank), shift: oneOf(u, 0, 0, 1, -1, 2), lo: lo, hi: hi}
	m.array = &array{name: f.fresh("part"), kind: f.kind, u: u.fork(), dims: make([]bounds, rank)}
	m.tier = tier{bound: 999}
	if f.kind == realKind {
		m.tier = tier{frac: 8, bound: 256}
	}
	for d := range m.dims {
		m.dims[d] = f.across
	}
	m.dims[m.along] = bounds{lo: lo + m.shift, hi: hi + m.shift}
	if !guest {
		m.place = f.place(m)
	}
	f.use(m.array)
	return m
}

// place aligns m so that the element of iteration i is where those of all others are.
func (f *family) place(m *member) place {
	u := f.u
	p := place{kind: aligned, target: f.template, source: make([]bool, m.rank()), subs: make([]alignSub, len(f.template.dims)), colons: u.chance(1, 2)}
	for d := range p.subs {
		switch {
		case d == f.axis:
			p.source[m.along] = true
			p.subs[d] = alignSub{dim: m.along, coef: f.coef, off: f.off - f.coef*m.shift}
		case m.rank() == 1:
			p.subs[d] = oneOf(u, alignSub{star: true}, alignSub{off: f.across.lo})
		default:
			p.source[1-m.along] = true
			p.subs[d] = alignSub{dim: 1 - m.along, coef: 1}
		}
	}
	f.template.cover(m.array, p.subs)
	return p
}

// smaller adds an array that begins later than the largest, or ends earlier.
func (f *family) smaller(rank int) *member {
	u := f.u
	lo, hi := f.lo+oneOf(u, 1, 0, 2, 1), f.hi-oneOf(u, 0, 1, 2)
	if lo == f.lo && hi == f.hi {
		hi--
	}
	return f.member(rank, lo, max(lo, hi), false)
}

// elem is the element of m at a subscript: of iteration i, where it is "i" and its shift.
func (f *family) elem(m *member, at, across string) val {
	subs := make([]string, m.rank())
	for d := range subs {
		subs[d] = across
	}
	subs[m.along] = at
	return f.kern.elem(m.array, subs...)
}

// at is the element of m of the iteration t after i, an index or the name of a scalar.
func (f *family) at(m *member, i string, t int, across string) val {
	o := t + m.shift
	return f.elem(m, affine(1, i, fmt.Sprint(abs(o)), o), across)
}

// slack is how far beyond all iterations of a family what it reads has elements.
const slack = 3

// reader adds an array that all may read: beyond their ends too.
func (f *family) reader(rank int) *member {
	guest := f.u.chance(1, 3)
	return f.member(rank, f.lo-slack, f.hi+slack, guest)
}

// read draws what is read of src in iteration i: mostly at a distance, which is the
// second result.
func (f *family) read(src *member, i, across string) (val, int) {
	u := f.u
	switch u.pick(8) {
	case 1:
		return f.elem(src, fmt.Sprint(f.lo+src.shift+u.pick(3)), across), 0
	case 2:
		o := f.lo + f.hi + src.shift
		return f.elem(src, affine(-1, i, fmt.Sprint(abs(o)), o), across), 0
	}
	t := oneOf(u, 1, -1, 2, 1, -1, 0, -2)
	return f.at(src, i, t, across), t
}

// where lets lines be executed only in iterations that have an element of m, of those
// from first to last. With last they are the end of an iteration. Values that exist in
// all iterations may add to the condition.
func (f *family) where(m *member, i string, first, last int, end bool, lines []string, data ...val) []string {
	u := f.u
	var in, out []string
	if m.lo > first {
		x := f.limit(m.lo)
		in = append(in, oneOf(u, i+" >= "+x, i+" > "+fmt.Sprint(m.lo-1), x+" <= "+i))
		out = append(out, i+" < "+x)
	}
	if m.hi < last {
		x := f.limit(m.hi)
		in = append(in, oneOf(u, i+" <= "+x, i+" < "+fmt.Sprint(m.hi+1), x+" >= "+i))
		out = append(out, i+" > "+x)
	}
	if len(in) == 0 {
		return lines
	}
	form := u.pick(9)
	switch {
	case form == 1:
		f.feat("ends:nested guards")
		for _, c := range in {
			lines = ifBlock(c, lines, nil)
		}
		if len(data) > 0 {
			lines = ifBlock(u.compare(data[0]).text, lines, nil)
		}
		return lines
	case form == 2 && end:
		f.feat("ends:cycle")
		return append(ifBlock(strings.Join(out, " .or. "), []string{"cycle"}, nil), lines...)
	case form == 3:
		f.feat("ends:negated guard")
		return ifBlock(".not. ("+strings.Join(out, " .or. ")+")", lines, nil)
	case form == 4 || form == 5:
		f.feat("ends:guard on data")
		return ifBlock(f.mask(m, i)+" > 0", lines, nil)
	case form == 6:
		f.feat("ends:else")
		return ifBlock(strings.Join(out, " .or. "), []string{f.count()}, lines)
	case form == 7 && len(data) > 0:
		f.feat("ends:chain")
		in = slices.Insert(in, u.pick(len(in)+1), u.compare(data[0]).text)
	}
	return ifBlock(strings.Join(in, " .and. "), lines, nil)
}

// limit writes a bound of a guard, which now and then is known at run time only.
func (f *family) limit(x int) string {
	if f.u.chance(1, 6) {
		f.feat("ends:limit from input")
		return f.runtime(x)
	}
	return f.spell(f.u, x)
}

// mask makes an array that is positive in some iterations, all of which have an element
// of m, and returns its element of iteration i.
func (f *family) mask(m *member, i string) string {
	u := f.u
	a := &array{name: f.fresh("mask"), kind: intKind, u: u.fork(), dims: []bounds{{lo: f.lo - 1, hi: f.hi + 1}}, tier: tier{bound: 9}}
	if u.chance(1, 2) {
		a.place = f.place(&member{array: a, lo: f.lo - 1, hi: f.hi + 1})
	}
	f.use(a)
	ref := a.name + "(i)"
	a.init = f.allElements(a,
		fmt.Sprintf("%s = mod(i + 9, %d)", ref, 2+u.pick(4)),
		fmt.Sprintf("if (i < %d .or. i > %d) %s = 0", m.lo, m.hi, ref))
	return a.name + "(" + i + ")"
}

// count is a statement that only counts.
func (f *family) count() string {
	m := f.private(intKind, "nout", tier{})
	m.private, m.start = false, "0"
	return m.name + " = " + m.name + " + 1"
}

// endForms are the variants of differentEnds.
var endForms = []string{
	"ends:one nest", "ends:nest each", "ends:one nest and the largest again", "ends:read and written", "ends:beyond all",
	"ends:nested guards", "ends:cycle", "ends:negated guard", "ends:guard on data", "ends:else", "ends:chain", "ends:limit from input",
}

// differentEnds computes arrays that begin and end at different positions of a template
// from the same elements, in loops that run over more than some of them have.
func differentEnds(rank int) func(k *kern) {
	return func(k *kern) {
		u := k.u
		f := k.family(rank)
		large := f.member(rank, f.lo, f.hi, false)
		list := []*member{large, f.smaller(rank)}
		if u.chance(1, 3) {
			list = append(list, f.smaller(rank))
		}
		first, last := f.lo, f.hi
		apart := u.chance(3, 4)
		var src *member
		if apart {
			src = f.reader(1 + u.pick(rank))
		}
		var x val
		if apart {
			x, _ = f.read(src, "i", "j")
			if u.chance(1, 4) {
				k.feat("ends:beyond all")
				first, last = first-u.pick(2), last+1
			}
		} else {
			k.feat("ends:read and written")
			t := oneOf(u, 1, -1, -1, 2)
			x = f.at(large, "i", t, "j")
			first, last = max(first, first-t), min(last, last-t)
		}
		// statement is that of one array; more of them may be in an iteration.
		statement := func(m *member, end bool) []string {
			y := x
			if apart && u.chance(1, 4) {
				y, _ = f.read(src, "i", "j")
			}
			lhs := f.at(m, "i", 0, "j")
			e := []val{y}
			if u.chance(1, 2) {
				e = append(e, lhs)
			}
			return f.where(m, "i", first, last, end, []string{k.set(m.array, lhs, u.combine(e))}, x)
		}
		nest := func(list ...*member) []string {
			i := &lvar{name: "i", lo: first, hi: last, set: true}
			j := &lvar{name: "j", lo: f.across.lo, hi: f.across.hi, set: true}
			var body []string
			for n, m := range list {
				body = append(body, statement(m, n == len(list)-1)...)
			}
			plain := u.chance(1, 2)
			// What is counted is not independent.
			parallel := apart && !slices.ContainsFunc(body, func(l string) bool { return strings.Contains(l, "nout = ") })
			return k.nest([]*lvar{i, j}[:rank], body, how{parallel: parallel, plain: plain})
		}
		shuffled := slices.Clone(list)
		for n := range shuffled {
			o := n + u.pick(len(shuffled)-n)
			shuffled[n], shuffled[o] = shuffled[o], shuffled[n]
		}
		var lines []string
		switch u.pick(4) {
		case 0:
			k.feat("ends:one nest")
			lines = nest(shuffled...)
		case 1:
			k.feat("ends:one nest and the largest again")
			lines = append(nest(shuffled...), nest(large)...)
		default:
			k.feat("ends:nest each")
			for _, m := range shuffled {
				lines = append(lines, nest(m)...)
			}
		}
		if u.chance(1, 3) {
			lines = k.inTime(lines)
		}
		k.emit(lines...)
	}
}

// oneOfDifferentEnds computes single elements, rows or columns of such arrays: where an
// index or a scalar is at one of their ends, or outside of it.
func oneOfDifferentEnds(k *kern) {
	u := k.u
	f := k.family(2)
	list := []*member{f.member(1+u.pick(2), f.lo, f.hi, false), f.smaller(1 + u.pick(2))}
	large, small := list[0], list[1]
	src := large
	far := 0 // how far beyond the largest an index may be
	if u.chance(2, 3) {
		src, far = f.reader(1+u.pick(2)), 1
	}
	k.feat("ends:window")
	// around is iterations near an end of the smaller one.
	around := func() (int, int) {
		at := oneOf(u, small.lo-1, small.hi+1, small.lo, small.hi, large.lo, large.hi)
		at = min(max(at, f.lo-far), f.hi+far)
		return at, min(at+oneOf(u, 0, 0, 1, 3), f.hi+far)
	}
	column := fmt.Sprint(f.across.lo + u.pick(f.across.extent()))
	i, t := "i", oneOf(u, 1, -1, 2, -2)
	scalar := u.chance(1, 3)
	if scalar {
		i = k.private(intKind, k.fresh("at"), tier{}).name
		k.feat("ends:scalar index")
	}
	// statement is that of m in iterations first to last.
	statement := func(m *member, first, last int) []string {
		lo, hi := m.lo, m.hi // that have the elements
		x := f.at(src, i, t, column)
		y := f.at(src, i, t, "j")
		if src == large {
			lo, hi = max(lo, large.lo, large.lo-t), min(hi, large.hi, large.hi-t)
		}
		if lo > hi {
			return nil
		}
		only := &member{array: m.array, along: m.along, shift: m.shift, lo: lo, hi: hi}
		data := []val{x}
		if src == large {
			data = nil // not in all iterations
		}
		if m.rank() == 2 && u.chance(2, 3) {
			k.feat("ends:row or column")
			lhs := f.at(m, i, 0, "j")
			e := []val{y}
			if u.chance(1, 2) {
				e = append(e, lhs)
			}
			inner := doBlock(fmt.Sprintf("do j = %d, %d", f.across.lo, f.across.hi), []string{k.set(m.array, lhs, u.combine(e))})
			return f.where(only, i, first, last, false, inner, data...)
		}
		lhs := f.at(m, i, 0, column)
		e := []val{x}
		if u.chance(1, 2) {
			e = append(e, lhs)
		}
		return f.where(only, i, first, last, false, []string{k.set(m.array, lhs, u.combine(e))}, data...)
	}
	part := func(list ...*member) []string {
		first, last := around()
		if scalar {
			last = first
		}
		var body []string
		for _, m := range list {
			body = append(body, statement(m, first, last)...)
		}
		if scalar {
			set := fmt.Sprintf("%s = %d", i, first)
			if u.chance(1, 3) {
				set = fmt.Sprintf("%s = %s", i, k.runtime(first))
			}
			return append([]string{set}, body...)
		}
		if u.chance(1, 3) {
			return doBlock(fmt.Sprintf("do i = %d, %d, -1", last, first), body)
		}
		return doBlock(fmt.Sprintf("do i = %d, %d", first, last), body)
	}
	var lines []string
	for range 2 + u.pick(3) {
		switch u.pick(4) {
		case 0:
			lines = append(lines, part(small, large)...)
		case 1:
			lines = append(lines, part(large)...)
		default:
			lines = append(lines, part(small)...)
			lines = append(lines, part(large)...)
		}
	}
	if u.chance(1, 2) {
		lines = k.inTime(lines)
	}
	k.emit(lines...)
}

// inTime is a time loop around lines.
func (k *kern) inTime(lines []string) []string {
	it := k.fresh("it")
	k.private(intKind, it, tier{})
	k.feat("loop:time loop")
	return doBlock(fmt.Sprintf("do %s = 1, %d", it, 2+k.u.pick(2)), lines)
}
