package randprog

import (
	"fmt"
	"strings"
)

// privateArray has an array that each iteration sets before it uses it, and that nobody
// uses behind the loop; mostly NEW says so.
//
//	!HPF$ INDEPENDENT, NEW(w1, k, i)
//	do j = 1, n
//	   do k = 1, m
//	      w1(k) = bb(k, j)
//	   end do
//	   do i = 1, n
//	      aa(i, j) = aa(i, j) + w1(1 + mod(i, m))
//	   end do
//	end do
func privateArray(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 2), k.arr(kd, 2)
	vs := k.vars(3)
	at := u.pick(2) // the dimension that the outer loop runs over
	outer, inner, fill := vs[at], vs[1-at], vs[2]
	lhs := k.ref(a, vs[:2])
	along := u.chance(3, 4) // else w is computed from single elements
	if !along {
		fill.narrow(1, 0, 1, 3+u.pick(3))
	}
	element := func(shift int) val {
		subs := make([]string, 2)
		subs[at] = k.sub(b, at, outer, shift)
		if along {
			subs[1-at] = k.sub(b, 1-at, fill, 0)
		} else {
			subs[1-at] = k.inside(b.dims[1-at])
		}
		return k.elem(b, subs...)
	}
	x := u.combine([]val{element(0), element(oneOf(u, 0, 0, 1, -1))})
	w := k.use(&array{name: k.fresh("w"), kind: kd, u: u.fork(), dims: []bounds{{lo: fill.lo, hi: fill.hi}}, tier: b.tier, unmapped: true, private: true})
	own := k.elem(w, fill.name)
	lines := doBlock(k.header(fill, true), []string{k.set(w, own, x)})
	if fill.lo < fill.hi && u.chance(1, 3) {
		// A piece of it, and the rest from what is before.
		k.feat("new array:in pieces")
		mid := fill.lo + u.pick(fill.hi-fill.lo)
		lines = doBlock(fmt.Sprintf("do %s = %d, %d", fill.name, fill.lo, mid), []string{k.set(w, own, x)})
		rest := u.combine([]val{x, k.elem(w, fill.name+" - 1")})
		lines = append(lines, doBlock(fmt.Sprintf("do %s = %d, %d", fill.name, mid+1, fill.hi), []string{k.set(w, own, rest)})...)
	}
	if u.chance(1, 3) {
		k.feat("new array:set twice")
		again := []string{k.set(w, own, u.combine([]val{own, number(kd, 2)}))}
		if u.chance(1, 2) {
			again = ifBlock(fmt.Sprintf("mod(abs(%s), 2) == %d", outer.name, u.pick(2)), again, nil)
		}
		lines = append(lines, doBlock(k.header(fill, true), again)...)
	}
	private := []string{w.name, fill.name, inner.name}
	if u.chance(1, 4) {
		// A second one, for the first: of one element.
		k.feat("new array:from another")
		v := k.use(&array{name: k.fresh("w"), kind: kd, u: u.fork(), dims: []bounds{{lo: 2, hi: 2}}, tier: b.tier, unmapped: true, private: true})
		first := k.elem(v, "2")
		lines = append(lines, k.set(v, first, k.elem(w, fmt.Sprint(w.dims[0].hi))))
		lhsAgain := k.elem(w, fmt.Sprint(w.dims[0].lo))
		lines = append(lines, k.set(w, lhsAgain, u.combine([]val{first, lhsAgain})))
		private = append(private, v.name)
	}
	sub := fmt.Sprintf("%d + mod(abs(%s), %d)", w.dims[0].lo, inner.name, w.dims[0].extent())
	if u.chance(1, 2) {
		sub = k.sub(w, 0, inner, 0)
	}
	uses := []string{k.set(a, lhs, u.combine([]val{lhs, k.elem(w, sub)}))}
	lines = append(lines, doBlock(k.header(inner, false), uses)...)
	lines = doBlock(k.header(outer, false), lines)
	if u.chance(4, 5) {
		k.feat("new array:in NEW")
		lines = append([]string{"!HPF$ INDEPENDENT, NEW(" + strings.Join(private, ", ") + ")"}, lines...)
	}
	k.emit(lines...)
}
