package randprog

import "fmt"

// accumulated accumulates into one scalar over the iterations of a time loop, in nests
// that carry dependences or not. In some programs nothing else mentions the scalar
// before the loop ends; in others it is read or set in its midst, or decides an EXIT:
//
//	do it1 = 1, 3
//	   do j = 2, n
//	      do i = 2, n
//	         s1 = max(s1, a(i,j))
//	         a(i,j) = 0.5d0*(a(i-1,j) + a(i,j-1))
//	      end do
//	   end do
//	   if (mod(it1, 2) == 0) then
//	      do i = 1, n
//	         s1 = max(s1, b(i))
//	      end do
//	   end if
//	end do
func accumulated(k *kern) {
	u := k.u
	kd := k.numeric()
	form := oneOf(u, "sum", "max", "if", "any")
	it := k.fresh("it")
	k.private(intKind, it, tier{})
	trips := 2 + u.pick(3)
	limit := tier{frac: 12, bound: 1 << 10}
	var s *scalar
	if form == "any" {
		s = k.scalarVar(logKind, "q", ".false.", tier{})
	} else {
		s = k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: 1 << 10})
	}
	// extreme is fixed: by another operator it would be no reduction.
	extreme := oneOf(u, "max", "min")
	add := func(e val) []string {
		switch form {
		case "sum":
			e = u.fit(e, limit)
			return []string{fmt.Sprintf("%s = %s + %s", s.name, s.name, e.paren())}
		case "max":
			return []string{fmt.Sprintf("%s = %s(%s, %s)", s.name, extreme, s.name, u.fit(e, limit).text)}
		case "if":
			e = u.fit(e, limit)
			return ifBlock(fmt.Sprintf("%s > %s", e.text, s.name), []string{fmt.Sprintf("%s = %s", s.name, e.text)}, nil)
		}
		return []string{fmt.Sprintf("%s = %s .or. (%s)", s.name, s.name, u.compare(e).text)}
	}
	count := 0
	counted := func(vs []*lvar) {
		n := 1
		for _, v := range vs {
			n *= max(1, v.hi-v.lo+1)
		}
		count += n * trips
	}

	// A nest that carries dependences, and accumulates on the way.
	a := k.arr(kd, 2)
	vs := k.vars(2)
	lhs := k.ref(a, vs)
	list := []val{k.ref(a, vs, -1, 0), k.ref(a, vs, 0, -1)}
	switch u.pick(5) {
	case 1:
		list = list[:1]
		k.feat("accumulate:along one dimension")
	case 2:
		list = append(list, k.ref(a, vs, 1, 0), k.ref(a, vs, 0, 1))
	case 3:
		list = append(list, k.ref(a, vs, 1, -1))
		k.feat("accumulate:loops that cannot be exchanged")
	case 4:
		list = append(list, k.ref(a, vs, -1, -1))
	}
	store := k.set(a, lhs, u.combine(list))
	lines := append(add(lhs), store)
	if u.chance(1, 2) {
		lines = append([]string{store}, add(lhs)...)
	}
	counted(vs)
	body := k.nest(vs, lines, how{plain: u.chance(2, 3)})

	// Another that accumulates too, on some iterations perhaps.
	if u.chance(1, 2) {
		b := k.arr(kd, 1)
		ws := k.vars(1)
		more := add(k.ref(b, ws))
		counted(ws)
		second := k.nest(ws, more, how{})
		if u.chance(1, 2) {
			second = ifBlock(fmt.Sprintf("mod(%s, 2) == %d", it, u.pick(2)), second, nil)
			k.feat("accumulate:under a condition")
		}
		body = append(body, second...)
		k.feat("accumulate:by two nests")
	}
	if form == "sum" {
		s.val.bound = count << 10
	}

	first := ".false."
	if form != "any" {
		first = number(kd, oneOf(u, 0, -4, 4)).text
		s.val.bound += 4
	}
	k.emit(fmt.Sprintf("%s = %s", s.name, first))

	// What else the loop does.
	header := fmt.Sprintf("do %s = 1, %d", it, trips)
	switch u.pick(6) {
	case 1:
		var m *scalar
		if form == "any" {
			m = k.scalarVar(logKind, "q", ".false.", tier{})
		} else {
			m = k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: s.val.bound})
		}
		body = append(body, fmt.Sprintf("%s = %s", m.name, s.name))
		k.feat("accumulate:read in the midst")
	case 2:
		if form == "any" {
			body = append(body, fmt.Sprintf("if (%s) exit", s.name))
		} else {
			body = append(body, fmt.Sprintf("if (%s > %s) exit", s.name, number(kd, 4).text))
		}
		k.feat("accumulate:exit by its value")
	case 3:
		body = append(body, fmt.Sprintf("if (%s >= %s) exit", it, k.runtime(2+u.pick(2))))
		k.feat("accumulate:exit")
	case 4:
		body = append([]string{fmt.Sprintf("if (mod(%s, 2) == %d) cycle", it, u.pick(2))}, body...)
		k.feat("accumulate:cycle")
	case 5:
		// The loop around goes on to its next iteration past the end of this one.
		name := k.fresh("sweeps")
		last := k.fresh("it")
		k.private(intKind, last, tier{})
		body = append(body, fmt.Sprintf("if (%s >= %s) cycle %s", it, k.runtime(2), name))
		count *= 2
		if form == "sum" {
			s.val.bound = count<<10 + 4
		}
		k.emit(doBlock(fmt.Sprintf("%s: do %s = 1, 2", name, last), doBlock(header, body))...)
		k.feat("accumulate:jump past the end")
		return
	}
	if u.chance(1, 5) {
		// A reset makes it one reduction for each iteration.
		body = append([]string{fmt.Sprintf("%s = %s", s.name, first)}, body...)
		k.feat("accumulate:set in each iteration")
	}
	k.emit(doBlock(header, body)...)
}

// located finds an extreme with the place where it is. The comparison may be strict or not,
// and the place may lack an index:
//
//	do j = 1, n
//	   do i = 1, n
//	      if (a(i,j) < s1) then
//	         s1 = a(i,j)
//	         at1 = i
//	         at2 = j
//	      end if
//	   end do
//	end do
func located(k *kern) {
	u := k.u
	kd := k.numeric()
	a := k.arr(kd, 1+u.pick(2))
	vs := k.vars(len(a.dims))
	limit := tier{frac: 12, bound: 1 << 10}
	s := k.scalarVar(kd, "s", zero(kd), limit)
	e := u.fit(k.ref(a, vs), limit)
	op := oneOf(u, "<", ">", "<", ">", "<=")
	found := []string{fmt.Sprintf("%s = %s", s.name, e.text)}
	for _, v := range vs {
		p := k.scalarVar(intKind, "at", "0", tier{bound: max(1, abs(v.lo), abs(v.hi))})
		if u.chance(1, 8) {
			k.feat("located:without an index")
			continue
		}
		found = append(found, fmt.Sprintf("%s = %s", p.name, v.name))
	}
	if op == "<=" {
		k.feat("located:the last of equal ones")
	}
	if len(vs) > 1 {
		k.feat("located:in two loops")
	}
	k.emit(fmt.Sprintf("%s = %s", s.name, number(kd, oneOf(u, 0, -4, 4)).text))
	k.emit(k.nest(vs, ifBlock(fmt.Sprintf("%s %s %s", e.text, op, s.name), found, nil), how{plain: u.chance(2, 3)})...)
}
