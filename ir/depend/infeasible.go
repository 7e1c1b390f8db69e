package depend

import "github.com/spmdc/spmdc/procfunc/linalg"

// Infeasible reports whether it is proved that no integer values of the
// variables make every form of eqs zero and every form of ineqs at least zero.
// False means that there are such values, or that the search was given up.
//
// An implication is the infeasibility of its negation: "n >= 2 implies
// 2*n >= 4" is Infeasible(nil, {n - 2, 3 - 2*n}).
func Infeasible(eqs, ineqs []linalg.Affine) bool {
	columns := map[string]int{}
	for _, forms := range [][]linalg.Affine{eqs, ineqs} {
		for _, f := range forms {
			for _, v := range f.Vars() {
				if _, seen := columns[v]; !seen {
					columns[v] = len(columns)
				}
			}
		}
	}
	y, s := &system{n: len(columns)}, newSolver()
	rows := func(forms []linalg.Affine) []row {
		var rs []row
		for _, f := range forms {
			r := y.zero()
			r[y.n] = s.add(0, f.C)
			for v, c := range f.T {
				if c != 0 {
					r[columns[v]] = s.add(0, c)
				}
			}
			rs = append(rs, r)
		}
		return rs
	}
	y.eq, y.ge = rows(eqs), rows(ineqs)
	return s.solve(y) == empty
}
