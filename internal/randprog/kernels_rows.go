package randprog

import "fmt"

// rows changes each row, or each column, of an array by elements of its own, in an order
// that is known at run time.
func rows(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.arr(kd, 2)
	i, j := &lvar{name: "i"}, &lvar{name: "j"}
	d := u.pick(2) // i selects the row, of dimension d
	other := a.dims[1-d]
	at := func(sub string) val {
		subs := []string{"", ""}
		subs[d], subs[1-d] = k.sub(a, d, i, 0), sub
		return k.elem(a, subs...)
	}
	// j runs over the row; what it is exchanged with is somewhere in it.
	k.sub(a, 1-d, j, 0)
	somewhere := fmt.Sprintf("%d + mod(%d*(%s) + %d, %d)", other.lo, 1+u.pick(5), affine(1, "j", fmt.Sprint(abs(other.lo)), -other.lo), u.pick(4), other.extent())
	x, y := at("j"), at(somewhere)
	lines := []string{k.set(a, y, u.combine([]val{x, y}))}
	if u.chance(1, 2) {
		k.feat("rows:swapped")
		t := k.temp(kd, 0)
		lines = []string{t.name + " = " + target(x), target(x) + " = " + target(y), target(y) + " = " + t.name}
	}
	if u.chance(1, 2) {
		k.feat("rows:with a vector")
		v := k.arr(kd, 1)
		e := k.ref(v, []*lvar{i})
		lines = append(lines, k.set(v, e, u.combine([]val{e, x})))
	}
	inner := doBlock(k.header(j, true), lines)
	header := k.header(i, !u.chance(1, 2))
	if i.step < 0 {
		k.feat("rows:backward")
	}
	nest := doBlock(header, inner)
	if u.chance(1, 3) {
		k.feat("rows:in a time loop")
		nest = k.inTime(nest)
	}
	k.emit(nest...)
}
