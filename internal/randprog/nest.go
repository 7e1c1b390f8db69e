package randprog

import (
	"fmt"
	"strings"
)

// kern is the state of one kernel.
type kern struct {
	*gen
	u      *unit
	chosen map[*array]bool
	lines  []string
}

func (k *kern) emit(lines ...string) { k.lines = append(k.lines, lines...) }

// arr returns an array of the kind and rank that this kernel has not used yet.
func (k *kern) arr(kd kind, rank int) *array {
	key := slot{kind: kd, rank: rank}
	if kd == realKind && rank < 3 && k.u.chance(1, 12) {
		key.single = true
	}
	if a := k.unused(key); a != nil {
		return k.take(a)
	}
	key.single = false
	if a := k.unused(key); a != nil {
		return k.take(a)
	}
	panic(fmt.Sprintf("randprog: a kernel wants more than %d arrays of kind %d, rank %d", len(k.pool[key]), kd, rank))
}

// unused returns an array of the pool that the kernel has not chosen, or nil.
func (k *kern) unused(key slot) *array {
	list := k.pool[key]
	first := k.u.pick(len(list))
	for i := range list {
		if a := list[(first+i)%len(list)]; !k.chosen[a] {
			return a
		}
	}
	return nil
}

func (k *kern) take(a *array) *array {
	k.chosen[a] = true
	return k.use(a)
}

// numeric is the kind of a kernel that is about values in general.
func (k *kern) numeric() kind { return oneOf(k.u, realKind, realKind, intKind) }

// lvar is a loop variable; the references that use it narrow its range so that
// all of them are in bounds.
type lvar struct {
	name   string
	lo, hi int
	set    bool
	anchor int // lower bound of the first dimension it ran over

	// After header: the values it takes.
	first, last, step int
}

func (v *lvar) trips() int {
	if v.step == 0 {
		return 0
	}
	return max(0, (v.last-v.first+v.step)/v.step)
}

// vars returns new loop variables i, j and k, or the first of them.
func (k *kern) vars(n int) []*lvar {
	var vs []*lvar
	for _, name := range indexNames[:n] {
		vs = append(vs, &lvar{name: name})
	}
	return vs
}

// narrow keeps c*v+o within lo..hi.
func (v *lvar) narrow(c, o, lo, hi int) {
	l, h := floorDiv(lo-o+abs(c)-1, abs(c)), floorDiv(hi-o, abs(c))
	if c < 0 {
		// -|c|*v >= lo-o and <= hi-o
		l, h = floorDiv(o-hi+abs(c)-1, abs(c)), floorDiv(o-lo, abs(c))
	}
	if !v.set {
		v.lo, v.hi, v.set, v.anchor = l, h, true, lo
		return
	}
	v.lo, v.hi = max(v.lo, l), min(v.hi, h)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// sub writes the subscript of dimension d of a that runs with v, shifted by s
// from the natural place: the same number, or the same distance from the lower
// bound when the ranges have little in common.
func (k *kern) sub(a *array, d int, v *lvar, s int) string {
	b := a.dims[d]
	o := k.offset(b, v, s)
	v.narrow(1, o, b.lo, b.hi)
	return affine(1, v.name, fmt.Sprint(abs(o)), o)
}

// offset is what such a subscript adds to v.
func (k *kern) offset(b bounds, v *lvar, s int) int {
	if v.set {
		lo, hi := max(v.lo, b.lo-s), min(v.hi, b.hi-s)
		if 3*(hi-lo+1) < 2*min(v.hi-v.lo+1, b.extent()) {
			return b.lo - v.anchor + s
		}
	}
	return s
}

// subBy writes a subscript with coefficient c, for strided and reversed access.
func (k *kern) subBy(a *array, d int, v *lvar, c, s int) string {
	b := a.dims[d]
	lo := b.lo
	if v.set {
		lo = v.lo
	}
	var o int
	if c > 0 {
		o = b.lo - c*lo + s
	} else {
		o = b.hi - c*lo - s
	}
	v.narrow(c, o, b.lo, b.hi)
	text := fmt.Sprint(abs(o))
	if o > 0 {
		text = k.spell(k.u, o)
	}
	return affine(c, v.name, text, o)
}

// ref writes an element of a, one subscript per loop variable in order, with
// the shifts given (or none).
func (k *kern) ref(a *array, vs []*lvar, shifts ...int) val {
	var subs []string
	for d := range a.dims {
		s := 0
		if d < len(shifts) {
			s = shifts[d]
		}
		subs = append(subs, k.sub(a, d, vs[d], s))
	}
	return k.elem(a, subs...)
}

// elem is the value of an element of a; single precision is widened.
func (k *kern) elem(a *array, subs ...string) val {
	v := val{text: fmt.Sprintf("%s(%s)", a.name, strings.Join(subs, ", ")), kind: a.kind, frac: a.tier.frac, bound: a.tier.bound}
	switch {
	case a.single && a.kind == complexKind:
		v.text = "cmplx(" + v.text + ", kind=8)"
	case a.single:
		v.text = "dble(" + v.text + ")"
	}
	return v
}

// target is the element as the left side of an assignment.
func target(v val) string {
	if inner, ok := strings.CutPrefix(v.text, "dble("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	if inner, ok := strings.CutPrefix(v.text, "cmplx("); ok {
		return strings.TrimSuffix(inner, ", kind=8)")
	}
	return v.text
}

// point writes an element of a with constant subscripts.
func (k *kern) point(a *array) val {
	var subs []string
	for _, b := range a.dims {
		subs = append(subs, k.inside(b))
	}
	return k.elem(a, subs...)
}

// inside writes a value within b: a number, a PARAMETER, or a variable that is
// read.
func (k *kern) inside(b bounds) string {
	x := b.lo + k.u.pick(b.extent())
	if k.u.chance(1, 6) {
		return k.runtime(x)
	}
	return k.spell(k.u, x)
}

// set writes the assignment of v to the element lhs of a.
func (k *kern) set(a *array, lhs val, v val) string {
	if a.kind != logKind {
		v = k.u.convert(v, a.kind)
	}
	return target(lhs) + " = " + k.u.fit(v, a.tier).text
}

// header writes the DO statement of v in one of its forms, all within the
// range. With plain the range is run over upwards in steps of 1.
func (k *kern) header(v *lvar, plain bool) string {
	if !v.set {
		v.lo, v.hi, v.set = 1, 3, true
	}
	u := k.u
	lo, hi, step := v.lo, v.hi, 1
	form := u.pick(12)
	if plain {
		form = 0
	}
	symbolic := false
	switch form {
	case 1:
		lo++
	case 2:
		hi--
	case 3:
		symbolic = true
		if hi-lo > 2 {
			lo, hi = lo+1, hi-1
		}
		k.feat("loop:symbolic bounds")
	case 4:
		step = oneOf(u, 2, 3)
		k.feat("loop:step")
	case 5:
		lo, hi, step = hi, lo, -1
		k.feat("loop:negative step")
	case 6:
		lo, hi, step = hi, lo, -2
		k.feat("loop:negative step")
	case 7:
		if lo <= hi && u.chance(1, 3) {
			lo, hi = hi, lo-1
		}
	}
	v.first, v.last, v.step = lo, hi, step
	if v.trips() == 0 {
		k.feat("loop:zero trips")
	}
	l, h := k.bound(lo, symbolic), k.bound(hi, symbolic)
	if step == 1 {
		return fmt.Sprintf("do %s = %s, %s", v.name, l, h)
	}
	return fmt.Sprintf("do %s = %s, %s, %d", v.name, l, h, step)
}

// bound writes a loop bound.
func (k *kern) bound(x int, symbolic bool) string {
	if symbolic {
		return k.runtime(x)
	}
	return k.spell(k.u, x)
}

// how says how a nest is to be written.
type how struct {
	parallel  bool     // the iterations of all loops are independent
	private   []string // set before use in every iteration
	reduction []string // reduced over all iterations
	plain     bool     // full range upwards
	fixed     bool     // loops in the order given, rectangular
}

// nest wraps body in loops over vs, the first outermost. The order may be
// changed, the inner loop may become triangular or banded, and the directive
// INDEPENDENT is added where it is true.
func (k *kern) nest(vs []*lvar, body []string, h how) []string {
	u := k.u
	vs = append([]*lvar(nil), vs...)
	if !h.fixed && len(vs) > 1 && u.chance(1, 2) {
		// Mostly column order as Fortran programmers write it.
		for i, j := 0, len(vs)-1; i < j; i, j = i+1, j-1 {
			vs[i], vs[j] = vs[j], vs[i]
		}
	}
	var headers []string
	for d, v := range vs {
		if d > 0 && !h.fixed && !h.plain && u.chance(1, 8) {
			headers = append(headers, k.triangular(vs[d-1], v))
		} else {
			headers = append(headers, k.header(v, h.plain))
		}
	}
	directive := ""
	if (h.parallel || len(h.reduction) > 0) && u.chance(1, 2) {
		directive = "!HPF$ INDEPENDENT"
		k.feat("independent:plain")
		private := append([]string(nil), h.private...)
		for _, v := range vs[1:] {
			private = append(private, v.name)
		}
		if len(private) > 0 {
			directive += ", NEW(" + strings.Join(private, ", ") + ")"
			k.feat("independent:new")
		}
		if len(h.reduction) > 0 {
			directive += ", REDUCTION(" + strings.Join(h.reduction, ", ") + ")"
			k.feat("independent:reduction")
		}
	}
	for d := len(vs) - 1; d >= 0; d-- {
		body = doBlock(headers[d], body)
		if d == 0 && directive != "" {
			body = append([]string{directive}, body...)
		}
	}
	return body
}

// triangular writes the loop of v with a bound that depends on the outer o,
// whose header is written already.
func (k *kern) triangular(o, v *lvar) string {
	if !v.set {
		return k.header(v, true)
	}
	k.feat("loop:triangular")
	first, last := min(o.first, o.last), max(o.first, o.last)
	lo, hi := k.spell(k.u, v.lo), k.spell(k.u, v.hi)
	v.first, v.last, v.step = v.lo, v.hi, 1
	dependent := func(c int) string { return affine(1, o.name, fmt.Sprint(abs(c)), c) }
	switch k.u.pick(4) {
	case 0: // from the diagonal on; c keeps the start in range
		c := max(v.lo-first, 0)
		return fmt.Sprintf("do %s = %s, %s", v.name, dependent(c), hi)
	case 1:
		c := min(v.hi-last, 0)
		return fmt.Sprintf("do %s = %s, %s", v.name, lo, dependent(c))
	case 2:
		c := min(v.hi-last, -1)
		return fmt.Sprintf("do %s = %s, %s, -1", v.name, dependent(c), lo)
	}
	k.feat("loop:banded")
	return fmt.Sprintf("do %s = max(%s, %s), min(%s, %s)", v.name, lo, dependent(-1), hi, dependent(1))
}

// condition makes a logical expression, from an element or from subscripts.
func (k *kern) condition(vs []*lvar, data ...val) string {
	u := k.u
	var list []string
	for _, d := range data {
		if d.kind == logKind {
			list = append(list, d.text)
		} else {
			list = append(list, u.compare(d).text)
		}
		k.feat("if:on distributed data")
	}
	if len(vs) > 0 && (len(list) == 0 || u.chance(1, 3)) {
		v := vs[u.pick(len(vs))]
		switch u.pick(4) {
		case 0:
			list = append(list, fmt.Sprintf("mod(%s, 2) == 0", v.name))
		case 1:
			list = append(list, fmt.Sprintf("%s /= %d", v.name, v.lo+u.pick(4)))
		case 2:
			list = append(list, fmt.Sprintf("%s > %d", v.name, v.lo+u.pick(3)))
		case 3:
			if len(vs) > 1 {
				list = append(list, fmt.Sprintf("%s %s %s", vs[0].name, oneOf(u, "<", "==", "/=", ">="), vs[1].name))
			} else {
				list = append(list, fmt.Sprintf("%s <= %d", v.name, v.hi-u.pick(3)))
			}
		}
		k.feat("if:on subscripts")
	}
	out := list[0]
	if u.chance(1, 6) {
		out = ".not. (" + out + ")"
	}
	for _, x := range list[1:] {
		k.feat("if:.and./.or.")
		op := oneOf(u, " .and. ", " .or. ")
		out = "(" + out + ")" + op + "(" + x + ")"
	}
	return out
}

// guard puts lines under a condition now and then.
func (k *kern) guard(lines []string, vs []*lvar, data ...val) []string {
	if !k.u.chance(1, 4) {
		return lines
	}
	return ifBlock(k.condition(vs, data...), lines, nil)
}
