package procfunc

import (
	"math/big"
	"strconv"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// entry is one coordinate of VPROCS(p1, ..., pk): U, or a form over scalars,
// loop indices and Vars.
type entry struct {
	all  bool
	form linalg.Form
}

func entries(ps []Pos) []entry {
	es := make([]entry, len(ps))
	for i, p := range ps {
		es[i] = entry{all: p.Kind != At, form: linalg.FormOf(p.Form)}
	}
	return es
}

// figure4 is the computation of ReceiveFrom in the paper's Figure 4, for one
// communication in which p sends to q for all values of vars.
//
//  1. VPROCS(p) sends to VPROCS(q): given.
//  2. traverse chooses a traversal loop for each dimension of p.
//  3. solve turns p_i = gamma_i*L_i + delta_i into L_i = (p_i - delta_i)/gamma_i.
//  4. rows substitutes these in q, and expands the other loop indices to their
//     bounds.
//
// In one dimension with p = c_B*a2*i + c_B*b2 + o_B and q = c_A*a1*i + c_A*b1 +
// o_A this is q = C*p + D with C = c_A*a1/(c_B*a2) and
//
//	D = c_A*b1 + o_A - c_A*a1*(c_B*b2 + o_B)/(c_B*a2)
//
// The paper prints D without the factor c_A*a1 in the last summand. For A(2i) =
// B(i+1), which goes from p = i+1 to q = 2i = 2p - 2, that would give 2p - 1;
// the matrices of its Figure 5 have the factor.
type figure4 struct {
	p, q []entry
	vars []Var

	// traversal is the index into vars of the loop chosen for each dimension of
	// p, -1 where there is none.
	traversal []int
	// solved holds, for indices that follow from p, their forms over the
	// variables producerVar(i), scalars and the remaining indices.
	solved map[string]linalg.Form
}

// producerVar stands for p_i, i from 0; no name of a program has such a form.
func producerVar(i int) string { return "\x00p" + strconv.Itoa(i) }

// receiveFrom runs the algorithm. exact reports that the pairs (p, q) with p a
// producer and q in ReceiveFrom(p) are the messages and nothing else, as long
// as no loop is empty.
func receiveFrom(p, q []entry, vars []Var) (t linalg.Transform, traversal []int, exact bool) {
	f := &figure4{p: p, q: q, vars: vars, solved: map[string]linalg.Form{}}
	f.traverse()
	f.solve()
	t, exact = f.rows()
	return t, f.traversal, exact && f.product()
}

// traverse chooses the traversal loops: each drives its dimension of p and some
// dimension of q, no two dimensions have the same, and there are as many of
// them as possible: a largest matching of dimensions and loops, grown by
// augmenting paths. Of equal choices it takes a loop whose bounds are not known,
// since the others can be expanded, then the outermost one.
func (f *figure4) traverse() {
	var order []int
	for _, unknown := range []bool{true, false} {
		for v := range f.vars {
			if f.vars[v].Unknown == unknown && f.drivesConsumer(v) {
				order = append(order, v)
			}
		}
	}
	owner := map[int]int{} // loop: the dimension that has it
	var place func(d int, tried map[int]bool) bool
	place = func(d int, tried map[int]bool) bool {
		for _, v := range order {
			if tried[v] || f.p[d].all || !f.p[d].form.Uses(f.vars[v].Name) {
				continue
			}
			tried[v] = true
			if have, taken := owner[v]; !taken || place(have, tried) {
				owner[v] = d
				return true
			}
		}
		return false
	}
	f.traversal = make([]int, len(f.p))
	for d := range f.p {
		f.traversal[d] = -1
		place(d, map[int]bool{})
	}
	for v, d := range owner {
		f.traversal[d] = v
	}
}

func (f *figure4) drivesConsumer(v int) bool {
	for _, q := range f.q {
		if !q.all && q.form.Uses(f.vars[v].Name) {
			return true
		}
	}
	return false
}

// solve is Gauss-Jordan elimination: delta_i may mention the loops chosen for
// other dimensions. A dimension that says nothing new, as the second of
// VPROCS(i+j, 2*i+2*j), leaves its loop to be expanded.
func (f *figure4) solve() {
	for d := range f.p {
		if f.traversal[d] < 0 {
			continue
		}
		form := f.p[d].form
		for v, s := range f.solved {
			form = form.Subst(v, s)
		}
		name := f.vars[f.traversal[d]].Name
		if !form.Uses(name) {
			f.traversal[d] = -1
			continue
		}
		gamma := form.Coef(name)
		delta := form.Subst(name, linalg.Form{})
		index := linalg.FormOf(linalg.Var(producerVar(d))).Sub(delta).Scale(gamma.Inv(gamma))
		for v, s := range f.solved {
			f.solved[v] = s.Subst(name, index)
		}
		f.solved[name] = index
	}
}

// rows is step 4: the entries of the matrix.
func (f *figure4) rows() (t linalg.Transform, exact bool) {
	exact = true
	offset := make([]linalg.Triplet, len(f.q))
	coef := make([][]*big.Rat, len(f.q))
	for i, q := range f.q {
		coef[i] = make([]*big.Rat, len(f.p))
		form := q.form
		for v, s := range f.solved {
			form = form.Subst(v, s)
		}
		for j := range f.p {
			coef[i][j] = form.Coef(producerVar(j))
			form = form.Subst(producerVar(j), linalg.Form{})
		}
		var ok bool
		offset[i], ok = expand(entry{q.all, form}, f.vars)
		exact = exact && ok
		if up, same := offset[i].Ascending(); same {
			offset[i] = up
		}
	}
	return linalg.NewTransform(len(f.p), offset, func(i, j int) *big.Rat { return coef[i][j] }), exact
}

// product reports whether the relation is the product of what the matrix
// describes dimension by dimension: each dimension of p is driven by at most
// one loop and each loop drives at most one of them, so that every position of
// the box of producers is one and p determines these loops; each other loop
// drives at most one dimension of q.
func (f *figure4) product() bool {
	uses := func(es []entry, name string) int {
		n := 0
		for _, e := range es {
			if !e.all && e.form.Uses(name) {
				n++
			}
		}
		return n
	}
	for _, p := range f.p {
		loops := 0
		for _, v := range f.vars {
			if !p.all && p.form.Uses(v.Name) {
				loops++
			}
		}
		if loops > 1 {
			return false
		}
	}
	for _, v := range f.vars {
		inP, inQ := uses(f.p, v.Name), uses(f.q, v.Name)
		if inP > 1 || inP == 0 && inQ > 1 {
			return false
		}
	}
	return true
}

// expand replaces the indices of vars in a position by all their values. The
// set is a superset; exact reports that it is known to be no more, as long as
// no loop is empty.
func expand(e entry, vars []Var) (set linalg.Triplet, exact bool) {
	if e.all {
		return linalg.U(), true
	}
	form := e.form
	var ranges []linalg.Triplet
	for _, v := range vars {
		k := form.Coef(v.Name)
		if k.Sign() == 0 {
			continue
		}
		form = form.Subst(v.Name, linalg.Form{})
		if v.Unknown || v.Step == 0 {
			return linalg.U(), false
		}
		ranges = append(ranges, v.set().Image(k, linalg.Form{}))
	}
	set, exact = linalg.Point(form), true
	for _, r := range ranges {
		var ok bool
		set, ok = r.Plus(set)
		exact = exact && ok
	}
	return set, exact
}

// set is the values of an index whose bounds are known.
func (v Var) set() linalg.Triplet {
	return linalg.Range(linalg.FormOf(v.Lo), linalg.FormOf(v.Hi), v.Step)
}
