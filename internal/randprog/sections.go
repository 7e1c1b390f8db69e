package randprog

import (
	"fmt"
	"strings"
)

// extents chooses a shape that is a section of all arrays given, of one rank.
func (k *kern) extents(list ...*array) []int {
	var n []int
	for d := range list[0].dims {
		least := list[0].dims[d].extent()
		for _, a := range list[1:] {
			least = min(least, a.dims[d].extent())
		}
		n = append(n, k.some(least))
	}
	return n
}

// some is a number of elements, up to most: often all of them.
func (k *kern) some(most int) int {
	if k.u.chance(1, 3) {
		return most
	}
	return 1 + k.u.pick(most)
}

// section writes a section of a with the extents n, as far as a whole or strided one fits in.
func (k *kern) section(a *array, n ...int) val {
	var subs []string
	whole := true
	for d, b := range a.dims {
		s := k.triplet(b, n[d])
		whole = whole && s == ":"
		subs = append(subs, s)
	}
	if whole && k.u.chance(2, 3) {
		k.feat("section:whole array")
		a.named = true
		v := val{text: a.name, kind: a.kind, frac: a.tier.frac, bound: a.tier.bound}
		if a.single {
			v.text = "dble(" + v.text + ")"
		}
		return v
	}
	return k.elem(a, subs...)
}

// triplet writes n subscripts within b.
func (k *kern) triplet(b bounds, n int) string {
	u := k.u
	step := oneOf(u, 1, 1, 1, 1, -1, 2, 3, -2)
	for n > 1 && (n-1)*abs(step)+1 > b.extent() {
		step = oneOf(u, 1, -1)
	}
	room := b.extent() - (n-1)*abs(step)
	first := b.lo + u.pick(room)
	last := first + (n-1)*abs(step)
	if step == 1 && first == b.lo && last == b.hi && u.chance(3, 4) {
		return ":"
	}
	if step < 0 {
		first, last = last, first
	}
	symbolic := u.chance(1, 8)
	lo, hi := k.bound(first, symbolic), k.bound(last, symbolic)
	switch {
	case symbolic:
		k.feat("section:bounds that are read")
	case step == 1 && last == b.hi && u.chance(1, 3):
		hi = ""
	case step == 1 && first == b.lo && u.chance(1, 3):
		lo = ""
	}
	if step == 1 {
		return lo + ":" + hi
	}
	k.feat("section:strided")
	return fmt.Sprintf("%s:%s:%d", lo, hi, step)
}

// masked makes a mask of the shape n, of one of the values given or of a LOGICAL array.
func (k *kern) masked(n []int, values ...val) string {
	if k.u.chance(1, 4) {
		a := k.arr(logKind, len(n))
		fits := true
		for d := range n {
			fits = fits && n[d] <= a.dims[d].extent()
		}
		if fits {
			k.feat("section:logical mask")
			return k.section(a, n...).text
		}
	}
	out := k.u.compare(values[k.u.pick(len(values))]).text
	if k.u.chance(1, 4) {
		out = fmt.Sprintf("%s .and. %s", out, k.u.compare(values[0]).text)
	}
	return out
}

// clamped keeps a value that may be huge within the bounds of a tier.
func clamped(v val, t tier) val {
	b := fmt.Sprint(t.bound)
	if v.kind == realKind {
		b = dyadic(t.bound, 0)
	}
	return val{text: fmt.Sprintf("max(-%s, min(%s, %s))", b, b, v.text), kind: v.kind, frac: v.frac, bound: t.bound}
}

// without is a list without element d.
func without(n []int, d int) []int {
	out := append([]int(nil), n[:d]...)
	return append(out, n[d+1:]...)
}

// lower is an array of the kind that has room for the extents n.
func (k *kern) lower(kd kind, n ...int) *array {
	a := k.arr(kd, len(n))
	for d, b := range a.dims {
		if n[d] > b.extent() {
			// One more of the right shape.
			c := &array{name: k.fresh("sec"), kind: kd, u: k.u.fork(), tier: a.tier}
			for d, b := range a.dims {
				c.dims = append(c.dims, bounds{lo: b.lo, hi: b.lo + max(n[d], b.extent()) - 1})
			}
			return k.use(c)
		}
	}
	return a
}

// call writes a function of values.
func call(name string, args ...string) string { return name + "(" + strings.Join(args, ", ") + ")" }
