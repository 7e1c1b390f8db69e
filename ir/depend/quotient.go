package depend

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// quotient is the value of q as a row, or false when it uses an index outside of its
// loop. In
//
//	do i = 2 + mod(j, 2), n, 2
//
// the first value is 2 + j - 2*q, where q is a column of its own with
// 0 <= j - 2*q <= 1 if j is seen not to be negative. If it is seen not to be positive,
// -1 <= j - 2*q <= 0; and if neither is, -1 <= j - 2*q <= 1: then q has values that j/2
// has not.
func (p *problem) quotient(s *side, q linalg.Quotient) (row, bool) {
	of, ok := p.form(s, q.Of)
	if !ok {
		return nil, false
	}
	key := fmt.Sprint(of, q.By, q.Trunc)
	if have := p.quotients[key]; have != nil {
		return have, true
	}
	col := p.nextCol
	r := p.column()
	p.quotients[key] = r
	rest := p.solver.combine(1, of, -q.By, r)
	up, down := true, false // the remainder may be positive, negative
	if q.Trunc {
		up, down = p.possible(of, 1), p.possible(of, -1)
	}
	limit := func(sign int64, may bool) {
		room := p.solver.combine(-sign, rest, 0, nil)
		if may {
			room[p.sys.n] = p.solver.add(room[p.sys.n], q.By-1)
		}
		p.atLeast(room, p.sys.zero(), false)
	}
	limit(1, up)
	limit(-1, down)
	if up && down {
		p.loose[col] = true
		p.doubt("the sign of %v is unknown", q.Of)
	}
	return r, true
}

// possible reports whether sign*r may be greater than 0 as far as is known by now. Last
// values that hinge on parameters do not count, so that certain can do without them.
func (p *problem) possible(r row, sign int64) bool {
	sys := &system{n: p.sys.n, eq: p.sys.eq}
	for i, g := range p.sys.ge {
		if !p.last[i] || !p.usesParams(g) {
			sys.ge = append(sys.ge, g)
		}
	}
	sys = sys.clone()
	more := p.solver.combine(sign, r, 0, nil)
	more[sys.n] = p.solver.add(more[sys.n], -1)
	sys.ge = append(sys.ge, more)
	return newSolver().solve(sys) != empty
}

// Rounding lists what holds of the quotients that eqs and ineqs use, as forms that are
// at least zero where those of eqs are zero and those of ineqs at least zero: it is
// appended to ineqs for Infeasible.
func Rounding(quotients linalg.Quotients, eqs, ineqs []linalg.Affine) []linalg.Affine {
	var more []linalg.Affine
	keep := func(f linalg.Affine, ok bool) {
		if ok { // else one thing less is known
			more = append(more, f)
		}
	}
	never := func(f linalg.Affine, ok bool) bool {
		return ok && Infeasible(eqs, slices.Concat(ineqs, more, []linalg.Affine{f}))
	}
	for _, name := range quotients.Used(slices.Concat(eqs, ineqs)...) {
		q := quotients[name]
		rest, ok := q.Of.Sub(linalg.Term(q.By, name))
		if !ok {
			continue
		}
		up, down := true, false
		if q.Trunc {
			minus, ok := q.Of.Scale(-1)
			down = !ok || !never(minus.Sub(linalg.Const(1)))
			up = !never(q.Of.Sub(linalg.Const(1)))
		}
		most := func(may bool) linalg.Affine {
			if may {
				return linalg.Const(q.By - 1)
			}
			return linalg.Const(0)
		}
		keep(most(up).Sub(rest))
		keep(most(down).Add(rest))
	}
	return more
}
