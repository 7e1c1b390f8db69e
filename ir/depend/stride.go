package depend

// product is a column that stands for the product of two others: of a parameter, which
// is not zero, and of the iteration number of a loop whose step is a multiple of it.
type product struct{ parameter, trips int }

// multiple is the parameter, as a column, of which the step of l is a multiple, and by
// how much; -1 where it is none.
//
// In
//
//	do i = 2*h, n, 2*h
//	   a(i) = a(i) + a(i-h)
//	end do
//
// i is 2*h + 2*h*t, so that the equation of the subscripts, for iterations t and u, is
// 2*h*(u-t) - h = 0. A step is never zero, nor is h; divided by h, the equation says that
// 2*(u-t) = 1, which has no solution.
func (p *problem) multiple(l Loop) (column int, by int64) {
	if l.Step != 0 || l.By == nil || l.By.C != 0 {
		return -1, 0
	}
	vars := l.By.Vars()
	if len(vars) != 1 {
		return -1, 0
	}
	column, ok := p.params[vars[0]]
	if !ok {
		return -1, 0
	}
	return column, l.By.Coef(vars[0])
}

// product is the column for parameter times trips, which is a column itself.
func (p *problem) product(trips row, parameter int) row {
	r := p.column()
	for col, c := range trips[:p.sys.n] {
		if c != 0 {
			p.products[p.nextCol-1] = product{parameter, col}
		}
	}
	return r
}

// divided is the equation r divided by a parameter, if each of its terms is a multiple of
// the same one that a step is made of; else it is r.
func (p *problem) divided(r row) row {
	if r[p.sys.n] != 0 {
		return r
	}
	by, products := -1, false
	for col, c := range r[:p.sys.n] {
		if c == 0 {
			continue
		}
		of := col
		if x, ok := p.products[col]; ok {
			of, products = x.parameter, true
		}
		if by >= 0 && of != by {
			return r
		}
		by = of
	}
	if !products {
		return r
	}
	q := p.sys.zero()
	for col, c := range r[:p.sys.n] {
		if x, ok := p.products[col]; ok {
			q[x.trips] = p.solver.add(q[x.trips], c)
		} else {
			q[p.sys.n] = p.solver.add(q[p.sys.n], c)
		}
	}
	return q
}
