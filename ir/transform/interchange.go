package transform

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Interchange puts the loops of a perfect nest in the order of memory, as far as the
// dependences allow: innermost goes the loop whose iterations use neighbouring
// elements, outermost that whose iterations use what lies farthest apart (S. Carr,
// K. S. McKinley and C.-W. Tseng, ASPLOS 1994, section 3). The nest begins with loop;
// its bounds do not depend on its own indices.
//
// Every element has the values of the original, in the same order: instances of two
// references that may touch one element keep their order.
func (a *Analysis) Interchange(loop *ir.Do) (*Change, error) {
	nest := perfect(loop)
	if len(nest) < 2 {
		return nil, refuse("its body is not one loop")
	}
	order := a.memoryOrder(nest)
	if order == nil {
		return nil, refuse("the innermost loop goes through memory as well as another would")
	}
	if err := a.rectangular(nest); err != nil {
		return nil, err
	}
	why := a.reversed(nest, order)
	if why != nil && len(nest) > 2 { // the others as they were
		last := order[len(order)-1]
		order = append(slices.DeleteFunc(identityOrder(len(nest)), func(k int) bool { return k == last }), last)
		why = a.reversed(nest, order)
	}
	if why != nil {
		return nil, why
	}
	cp := ir.NewCopier()
	body := func([]ir.Stmt) []ir.Stmt { return cp.Block(nest[len(nest)-1].Body) }
	var names []string
	for _, k := range slices.Backward(order) {
		inner := body
		body = func([]ir.Stmt) []ir.Stmt { return []ir.Stmt{cp.Do(nest[k], inner)} }
		names = append(names, nest[k].Index.Name)
	}
	slices.Reverse(names)
	return &Change{Kind: Interchange, Old: loop, New: body(nil), What: "the loops in the order " + strings.Join(names, ", ")}, nil
}

// Misordered reports whether the nest that begins with loop does not go through memory
// as Interchange would have it.
func (a *Analysis) Misordered(loop *ir.Do) bool {
	nest := perfect(loop)
	return len(nest) > 1 && a.memoryOrder(nest) != nil
}

// perfect is loop, and the loops of which each is all of the body of the one before.
func perfect(loop *ir.Do) []*ir.Do {
	nest := []*ir.Do{loop}
	for len(loop.Body) == 1 {
		inner, ok := loop.Body[0].(*ir.Do)
		if !ok {
			break
		}
		loop = inner
		nest = append(nest, loop)
	}
	return nest
}

func identityOrder(n int) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

// farPrice is what a reference costs whose neighbouring iterations use elements that
// are far apart, where one of neighbouring elements costs 1.
const farPrice = 8

// Strides is what one iteration of loop costs in access to memory if it is the innermost
// one: nothing for a reference that does not depend on it, 1 for one that goes through
// neighbouring elements, and more for others.
func Strides(info *scalar.Info, loop *ir.Do, body []ir.Stmt) int {
	cost := 0
	ir.WalkExprs(body, func(_ ir.Stmt, e ir.Expr) bool {
		r, ok := e.(*ir.Ref)
		if !ok {
			return true
		}
		price := 0
		for d, s := range r.Subs {
			f, ok := info.Affine(s)
			k := f.Coef(loop.Index.Name)
			switch {
			case ok && k == 0:
			case ok && d == 0 && (k == 1 || k == -1):
				price = max(price, 1)
			case ok || mentionsVar(s, loop.Index):
				price = farPrice
			}
		}
		cost += price
		return true
	})
	return cost
}

func mentionsVar(e ir.Expr, sym *ir.Symbol) bool {
	found := false
	ir.WalkExpr(e, func(x ir.Expr) bool {
		v, ok := x.(*ir.Var)
		found = found || ok && v.Sym == sym
		return !found
	})
	return found
}

// memoryOrder is the order of memory of the loops of a nest, by their numbers; nil if the
// innermost loop is as good as any.
func (a *Analysis) memoryOrder(nest []*ir.Do) []int {
	inner := nest[len(nest)-1]
	var costs []int
	for _, d := range nest {
		c := Strides(a.info, d, inner.Body)
		if c == 0 { // it repeats the rest
			c = math.MaxInt
		}
		costs = append(costs, c)
	}
	if slices.Min(costs) == costs[len(costs)-1] {
		return nil
	}
	order := identityOrder(len(nest))
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(costs[y], costs[x]) })
	return order
}

// rectangular refuses nests whose loops cannot stand in another order whatever the data are.
func (a *Analysis) rectangular(nest []*ir.Do) error {
	outer, inner := nest[0], nest[len(nest)-1]
	changed := a.info.Modified(outer)
	for _, d := range nest {
		b := a.info.Bounds(d)
		if !b.Affine() {
			return refuse("the bounds of the loop in line %d are not known well enough", d.Pos.Line)
		}
		for _, f := range []linalg.Affine{b.Lo, b.Hi} {
			for _, v := range f.Vars() {
				if changed[a.symbols[v]] {
					return refuse("the bounds of the loop in line %d depend on %s", d.Pos.Line, v)
				}
			}
		}
	}
	for _, x := range nest {
		for _, d := range nest {
			if a.info.LiveAfter(outer, x.Index) && !a.runsWith(d, outer) {
				return refuse("%s, the index of the loop in line %d, is used behind the nest, and the loop in line %d may have no iteration", x.Index.Name, x.Pos.Line, d.Pos.Line)
			}
		}
	}
	if err := onlyComputes(inner.Body); err != nil {
		return err
	}
	for _, sym := range slices.SortedFunc(maps.Keys(changed), func(x, y *ir.Symbol) int { return cmp.Compare(x.Name, y.Name) }) {
		if sym.IsArray() || slices.ContainsFunc(nest, func(d *ir.Do) bool { return d.Index == sym }) {
			continue
		}
		for _, d := range nest {
			if a.info.Class(d, sym) != scalar.Private {
				return refuse("%s has values that depend on the order of the iterations", sym.Name)
			}
		}
	}
	return nil
}

// runsWith reports whether the first iteration of d surely exists where outer, a loop
// around it on whose index its bounds do not depend, begins.
func (a *Analysis) runsWith(d, outer *ir.Do) bool { return a.at(outer).run(a.info.Bounds(d)) }

// onlyComputes refuses statements that leave a loop or whose order others see.
func onlyComputes(body []ir.Stmt) error {
	var why error
	inside := map[ir.Stmt]bool{}
	ir.Walk(body, func(s ir.Stmt) bool {
		line := s.Position().Line
		switch s := s.(type) {
		case *ir.Do, *ir.While:
			inside[s] = true
		case *ir.Assign, *ir.If:
		case *ir.Exit:
			if !inside[s.Loop] {
				why = refuse("EXIT in line %d ends a loop of the nest", line)
			}
		case *ir.Cycle:
			if !inside[s.Loop] {
				why = refuse("CYCLE in line %d belongs to a loop of the nest", line)
			}
		default:
			why = refuse("the statement in line %d is executed in the order of the iterations", line)
		}
		return why == nil
	})
	return why
}

// reversed refuses the order if instances of references that may touch one element would
// come in another order.
func (a *Analysis) reversed(nest []*ir.Do, order []int) error {
	loop := nest[0]
	// INDEPENDENT of a loop that goes outward promises something of fewer pairs of iterations.
	for at, k := range order {
		if nest[k].Independent == nil {
			continue
		}
		if in := nest[k].Independent; len(in.New)+len(in.Reduction) > 0 {
			return refuse("the directive of the loop in line %d has clauses", nest[k].Pos.Line)
		}
		for j := range k {
			if nest[j].Independent == nil && slices.Index(order, j) > at {
				return refuse("INDEPENDENT of the loop in line %d says nothing of it outside of that in line %d", nest[k].Pos.Line, nest[j].Pos.Line)
			}
		}
	}
	occs := a.occurrences(loop)
	written := map[*ir.Symbol]bool{}
	for _, o := range occs {
		written[o.ref.Sym] = written[o.ref.Sym] || o.write
	}
	pairs := 0
	for _, x := range occs {
		for _, y := range occs {
			if x.ref.Sym != y.ref.Sym || !x.write && !y.write {
				continue
			}
			if pairs++; pairs > maxPairs {
				return refuse("it has more than %d pairs of references to test", maxPairs)
			}
			if a.exchanged(x, y, nest, order) {
				return refuse("%s in line %d and %s in line %d may touch the same element, in the other order then",
					ir.ExprString(x.ref), x.stmt.Position().Line, ir.ExprString(y.ref), y.stmt.Position().Line)
			}
		}
	}
	return nil
}

// exchanged reports whether an instance of x may touch the element of an instance of y
// that comes behind it, and before it in the new order.
func (a *Analysis) exchanged(x, y occurrence, nest []*ir.Do, order []int) bool {
	loop := nest[0]
	from, to := a.access(x, loop), a.access(y, loop)
	prime := map[string]string{} // what differs between the instances
	rename := func(acc depend.Access, mark string) (names func(string) string) {
		for _, l := range acc.Loops[len(a.around[loop]):] {
			prime[l.Index] = l.Index
		}
		return func(v string) string {
			if _, ok := prime[v]; ok {
				return v + mark
			}
			return v
		}
	}
	of, by := rename(from, " 1"), rename(to, " 2")
	quotients := linalg.Quotients{}
	renamed := func(f linalg.Affine, to func(string) string) (linalg.Affine, bool) {
		return from.Quotients.Rename(f, to, quotients)
	}
	var eqs, ineqs []linalg.Affine
	ok := true
	keep := func(list *[]linalg.Affine, f linalg.Affine, fine bool) {
		ok = ok && fine
		*list = append(*list, f)
	}
	for d := range from.Subs {
		if from.Subs[d] == nil || to.Subs[d] == nil {
			continue
		}
		f, ok1 := renamed(*from.Subs[d], of)
		g, ok2 := renamed(*to.Subs[d], by)
		diff, ok3 := f.Sub(g)
		keep(&eqs, diff, ok1 && ok2 && ok3)
	}
	for i, acc := range []depend.Access{from, to} {
		name := of
		if i == 1 {
			name = by
		}
		for _, l := range acc.Loops {
			if l.Step == 0 {
				continue
			}
			index := linalg.Var(name(l.Index))
			for n, bounds := range [][]linalg.Affine{l.Lo, l.Hi} {
				for _, b := range bounds {
					b, ok1 := renamed(b, name)
					gap, ok2 := index.Sub(b)
					if (n == 0) != (l.Step > 0) {
						gap, ok2 = b.Sub(index)
					}
					keep(&ineqs, gap, ok1 && ok2)
				}
			}
		}
	}
	if !ok {
		return true
	}
	ineqs = append(ineqs, depend.Rounding(quotients, eqs, ineqs)...)
	// behind: iteration b of loop k comes behind iteration a.
	behind := func(k int, a, b func(string) string) linalg.Affine {
		i := nest[k].Index.Name
		f, _ := linalg.Var(b(i)).Sub(linalg.Var(a(i)))
		step := from.Loops[len(from.Loops)-1].Step
		for _, l := range from.Loops {
			if l.Index == i {
				step = l.Step
			}
		}
		if step < 0 {
			f, _ = f.Scale(-1)
		}
		f, _ = f.Sub(linalg.Const(1))
		return f
	}
	equal := func(k int) linalg.Affine {
		i := nest[k].Index.Name
		f, _ := linalg.Var(of(i)).Sub(linalg.Var(by(i)))
		return f
	}
	var cases [][]linalg.Affine
	if names := depend.Parameters(from, to); names != nil {
		cases = a.info.Cases(loop, names)
	}
	for old := range nest {
		if nest[old].Independent != nil {
			continue // as it says
		}
		for later := range order {
			zero, least := slices.Clone(eqs), slices.Clone(ineqs)
			for k := range old {
				zero = append(zero, equal(k))
			}
			for _, k := range order[:later] {
				zero = append(zero, equal(k))
			}
			least = append(least, behind(old, of, by), behind(order[later], by, of))
			if depend.Infeasible(zero, least) {
				continue
			}
			possible := len(cases) == 0
			for _, c := range cases {
				possible = possible || !depend.Infeasible(append(slices.Clip(zero), c...), least)
			}
			if possible {
				return true
			}
		}
	}
	return false
}
