package randprog

import "fmt"

// columnsAtOnce has nests of which several columns may be computed at once: the inner
// loop is over the rows of matrices, in triangles too; each column has a sum, or statements
// of its own, or adds to a vector of all.
//
//	do j = 1, 7
//	   s = 0
//	   do i = j, 12
//	      s = s + z(i,j)*w(i)
//	      e(i) = e(i) + z(i,j)*v(j)
//	   end do
//	   y(j) = s
//	end do
//
// All values are small integers.
func columnsAtOnce(k *kern) {
	u := k.u
	kd := oneOf(u, realKind, realKind, realKind, intKind)
	cols := 5 + u.pick(8)
	rows := cols + 4 + u.pick(9)
	filled := func(extents ...int) *array {
		a := &array{name: k.fresh("at"), kind: kd, u: u.fork(), tier: tier{frac: 12, bound: 1 << 24}}
		for _, n := range extents {
			a.dims = append(a.dims, bounds{lo: 1, hi: n})
		}
		return k.use(a)
	}
	z, b, w, e, v, y := filled(rows, cols), filled(rows, cols), filled(rows), filled(rows), filled(cols), filled(cols)
	index := func() string {
		name := k.fresh("i")
		k.private(intKind, name, tier{})
		return name
	}
	i, j, l := index(), index(), index()
	s := k.scalarVar(kd, "s", zero(kd), tier{frac: 12, bound: 1 << 24})
	f := k.scalarVar(kd, "f", zero(kd), tier{frac: 12, bound: 1 << 24})
	at := func(a *array, subs ...string) string { return k.elem(a, subs...).text }
	set := func(to, x string) string { return to + " = " + x }
	value := func(format string, args ...any) string {
		if kd == realKind {
			return "dble(" + fmt.Sprintf(format, args...) + ")"
		}
		return fmt.Sprintf(format, args...)
	}

	all := func(index string, n int) string { return fmt.Sprintf("do %s = 1, %d", index, n) }
	k.emit(doBlock(all(i, rows), []string{
		set(at(w, i), value("mod(3*%s, 5) - 2", i)), set(at(e, i), value("mod(%s, 3)", i)),
	})...)
	k.emit(doBlock(all(j, cols), append([]string{
		set(at(v, j), value("mod(2*%s, 5) - 2", j)), set(at(y, j), value("0")),
	}, doBlock(all(i, rows), []string{
		set(at(z, i, j), value("mod(%s + 2*%s, 5) - 2", i, j)), set(at(b, i, j), value("mod(2*%s + %s, 3) - 1", i, j)),
	})...))...)

	over := func(body []string) []string {
		header := fmt.Sprintf("do %s = 1, %d", j, cols)
		if u.chance(1, 5) {
			header = fmt.Sprintf("do %s = %d, 1, -1", j, cols)
			k.feat("columns:backward")
		}
		return doBlock(header, body)
	}
	inner := func() string {
		from, to := "1", fmt.Sprint(rows)
		if u.chance(3, 5) {
			k.feat("columns:triangle")
			switch u.pick(5) {
			case 0:
				from = j
			case 1:
				from = j + " + 1"
			case 2:
				to = j
			case 3:
				to = fmt.Sprintf("%d - %s", rows-u.pick(2), j)
			case 4:
				from = fmt.Sprintf("%d - %s", cols+1+u.pick(2), j)
			}
		} else if u.chance(1, 3) {
			from = "2"
		}
		return fmt.Sprintf("do %s = %s, %s", i, from, to)
	}
	for range 1 + u.pick(3) {
		switch u.pick(10) {
		case 0: // a sum for each column
			k.feat("columns:sum")
			body := []string{set(s.name, s.name+" + "+at(z, i, j)+"*"+at(w, i))}
			if u.chance(1, 2) {
				body = append(body, set(at(e, i), at(e, i)+" + "+at(z, i, j)+"*"+at(v, j)))
			}
			lines := append([]string{set(s.name, value("%d", u.pick(3)))}, doBlock(inner(), body)...)
			k.emit(over(append(lines, set(at(y, j), at(y, j)+" + "+s.name)))...)
		case 1: // of two vectors
			k.feat("columns:update")
			body := []string{set(at(z, i, j), at(z, i, j)+" - "+f.name+"*"+at(w, i)+" + "+at(v, j)+"*"+at(b, i, j))}
			k.emit(over(append([]string{set(f.name, at(v, j)+" + 1")}, doBlock(inner(), body)...))...)
		case 2: // a product of matrices
			k.feat("columns:tile")
			if u.chance(1, 2) { // of so many rows that few columns fit in a cache
				k.feat("columns:blocks")
				tall := 9000
				z, b := filled(tall, cols), filled(tall, cols)
				k.emit(doBlock(all(j, cols), doBlock(all(i, tall), []string{
					set(at(z, i, j), value("mod(%s + 2*%s, 5) - 2", i, j)), set(at(b, i, j), value("mod(2*%s + %s, 3) - 1", i, j)),
				}))...)
				body := []string{set(at(z, i, j), at(z, i, j)+" - "+at(b, i, l)+"*"+at(v, l))}
				k.emit(over(doBlock(all(l, cols), doBlock(all(i, tall), body)))...)
				break
			}
			body := []string{set(at(z, i, j), at(z, i, j)+" + "+at(b, i, l)+"*"+at(v, l))}
			k.emit(over(doBlock(all(l, cols), doBlock(fmt.Sprintf("do %s = %d, %d", i, 1+u.pick(2), rows), body)))...)
		case 3: // into an element
			k.feat("columns:element")
			body := []string{set(at(y, j), at(y, j)+" + "+at(b, i, j)+"*"+at(w, i))}
			k.emit(over(doBlock(inner(), body))...)
		case 4: // from the last column to the next
			k.feat("columns:carried")
			body := []string{set(at(e, i), at(e, i)+" + "+at(b, i, j)+"*"+f.name)}
			lines := append([]string{set(f.name, at(v, j))}, doBlock(inner(), body)...)
			k.emit(over(append(lines, set(at(v, j), at(v, j)+" - "+f.name)))...)
		case 5: // an extreme of all columns, which is in one of them; neighbours share what they read
			op := oneOf(u, "max", "min")
			k.feat("columns:" + op)
			k.emit(set(at(z, fmt.Sprint(2+u.pick(rows-2)), fmt.Sprint(1+u.pick(cols))), value("%d", map[string]int{"max": 40, "min": -40}[op])),
				set(s.name, value("%d", u.pick(3))))
			x := at(z, i, j+" - 1") + " + " + at(z, i, j+" + 1") + " - " + at(w, i)
			body := []string{set(s.name, op+"("+s.name+", "+x+")")}
			if u.chance(1, 2) {
				body = []string{set(at(b, i, j), x), set(s.name, op+"("+s.name+", "+at(b, i, j)+")")}
			}
			k.emit(doBlock(fmt.Sprintf("do %s = 2, %d", j, cols-1), doBlock(fmt.Sprintf("do %s = 2, %d", i, rows), body))...)
			k.emit(set(at(y, fmt.Sprint(1+u.pick(cols))), s.name))
		case 6: // of rows that go along with the column, so that PEs have others in each
			k.feat("columns:skewed")
			row := fmt.Sprintf("%s + %s - 1", i, j)
			body := []string{set(at(b, row, j), oneOf(u, at(w, i)+" + "+at(v, j), at(z, row, j), at(b, row, j)+" - "+at(w, i)))}
			k.emit(over(doBlock(fmt.Sprintf("do %s = 1, %d", i, rows-cols+1), body))...)
		case 8: // of a triangle, whose columns begin with what those before have added
			k.feat("columns:peeled")
			behind := oneOf(u, "", " + 1", " - 1")
			k.emit(doBlock(fmt.Sprintf("do %s = 2, %d", j, cols), append([]string{set(s.name, at(e, j+behind)+" + "+at(z, j, j)+"*"+at(w, j))},
				append(doBlock(fmt.Sprintf("do %s = %s, %d", i, j+oneOf(u, "", " + 1", " + 2"), rows), []string{
					set(s.name, s.name+" + "+at(z, i, j)+"*"+at(w, i)), set(at(e, i), at(e, i)+" + "+at(z, i, j)+"*"+at(v, j)),
				}), set(at(e, j), s.name))...))...)
		case 7: // of two columns, which may have two owners
			op := oneOf(u, "max", "min")
			k.feat("columns:stepped")
			body := []string{
				set(f.name, at(v, j)+" - "+at(w, i)), set(at(b, i, j), f.name), set(at(z, i, j+" + 1"), f.name+" + 1"),
				set(s.name, op+"("+s.name+", "+f.name+")"),
			}
			k.emit(set(s.name, value("%d", map[string]int{"max": -40, "min": 40}[op])))
			k.emit(doBlock(fmt.Sprintf("do %s = 1, %d", j, cols-1), doBlock(all(i, rows), body))...)
			k.emit(set(at(y, fmt.Sprint(1+u.pick(cols))), s.name))
		case 9: // of whose scalar nobody uses the value
			k.feat("columns:unused")
			unused := k.fresh("unused")
			k.private(kd, unused, tier{})
			body := []string{set(unused, oneOf(u, value("%s", j), value("%s + %s", i, j), at(z, i, j)+" - "+at(v, j), f.name))}
			switch u.pick(4) {
			case 0:
				k.emit(over(doBlock(inner(), body))...)
			case 1:
				body = append(body, set(at(b, i, j), at(w, i)+" - "+at(b, i, j)))
				k.emit(over(doBlock(all(i, rows), body))...)
			default:
				k.emit(doBlock(all(i, rows), doBlock(all(j, cols), body))...)
			}
		}
	}
}
