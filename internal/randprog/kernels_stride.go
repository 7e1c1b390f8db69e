package randprog

import "fmt"

// strides combines elements with others whose distance is a variable, in loops whose steps
// are multiples of it, as cyclic reduction does.
func strides(k *kern) {
	u := k.u
	kd := k.numeric()
	a, b := k.arr(kd, 1), k.arr(kd, 1)
	lo, hi := max(a.dims[0].lo, b.dims[0].lo), min(a.dims[0].hi, b.dims[0].hi)
	m := k.scalarVar(intKind, "m", "1", tier{bound: 24}) // 3, doubled three times
	at := func(x *array, sign string) val { return k.elem(x, "i"+sign) }
	behind, ahead := " - "+m.name, " + "+m.name
	list := []val{at(a, ""), at(oneOf(u, a, b), behind)}
	if u.chance(1, 3) {
		k.feat("strides:only behind")
	} else {
		list = append(list, at(oneOf(u, a, b), ahead))
	}
	times := 2
	switch u.pick(4) {
	case 1:
		k.feat("strides:every one")
		times = 1
	case 2:
		times = 3
	}
	from := fmt.Sprintf("%s + %d*%s", k.spell(u, lo), 1+u.pick(2), m.name)
	to := fmt.Sprintf("%s - %s", k.spell(u, hi), m.name)
	header := fmt.Sprintf("do i = %s, %s, %d*%s", from, to, times, m.name)
	if u.chance(1, 4) {
		k.feat("strides:backward")
		header = fmt.Sprintf("do i = %s, %s, -%d*%s", to, from, times, m.name)
	}
	lines := []string{k.set(a, at(a, ""), u.combine(list))}
	if u.chance(1, 3) {
		lines = append(lines, k.set(b, at(b, ""), u.combine([]val{at(b, ""), at(a, behind)})))
	}
	loop := doBlock(header, lines)
	k.emit(fmt.Sprintf("%s = %d", m.name, 1+u.pick(3)))
	if u.chance(1, 2) {
		k.feat("strides:doubled")
		loop = k.inTime(append(loop, fmt.Sprintf("%s = 2*%s", m.name, m.name)))
	}
	k.emit(loop...)
}
