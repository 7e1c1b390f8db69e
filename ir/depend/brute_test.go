package depend

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// instance is one run of an access: its iteration of each loop, counted from
// the start, its indices, and the element it touches.
type instance struct {
	trips, index, element []int64
}

// enumerate runs an access for given parameters. It is a literal reading of the
// definitions of Loop and Access and shares no code with the tests it checks.
func enumerate(a Access, params map[string]int64) []instance {
	var all []instance
	env := map[string]int64{}
	for v, x := range params {
		env[v] = x
	}
	var value func(f linalg.Affine) int64
	value = func(f linalg.Affine) int64 {
		sum := f.C
		for v, c := range f.T {
			x := env[v]
			if q, ok := a.Quotients[v]; ok {
				x = value(q.Of) / q.By
				if !q.Trunc && x*q.By > value(q.Of) {
					x--
				}
			}
			sum += c * x
		}
		return sum
	}
	var nest func(k int, trips []int64)
	nest = func(k int, trips []int64) {
		if k < len(a.Loops) {
			l := a.Loops[k]
			if l.By != nil {
				l.Step = value(*l.By)
			}
			start, end := value(l.Lo[0]), value(l.Hi[0])
			for _, f := range l.Lo[1:] {
				start = pickBound(l.Step > 0, start, value(f))
			}
			for _, f := range l.Hi[1:] {
				end = pickBound(l.Step < 0, end, value(f))
			}
			n := int64(0)
			for i := start; l.Step > 0 && i <= end || l.Step < 0 && i >= end; i += l.Step {
				env[l.Index] = i
				nest(k+1, append(slices.Clone(trips), n))
				n++
			}
			return
		}
		runs := func(forms []linalg.Affine) bool {
			return !slices.ContainsFunc(forms, func(g linalg.Affine) bool { return value(g) < 0 })
		}
		if !runs(a.Guard) {
			return
		}
		for _, either := range a.When {
			if !slices.ContainsFunc(either, runs) {
				return
			}
		}
		in := instance{trips: trips}
		for _, l := range a.Loops {
			in.index = append(in.index, env[l.Index])
		}
		for _, f := range a.Subs {
			in.element = append(in.element, value(*f))
		}
		all = append(all, in)
	}
	nest(0, nil)
	return all
}

func pickBound(larger bool, a, b int64) int64 {
	if larger {
		return max(a, b)
	}
	return min(a, b)
}

// observed is what enumeration finds: the levels at which a dependence happens,
// and per common loop the distances seen.
type observed struct {
	levels    map[int]bool
	distances []map[int64]bool
}

func (o *observed) record(src, dst Access, common, outer int, params map[string]int64) {
	sources := enumerate(src, params)
	for _, d := range enumerate(dst, params) {
		for _, s := range sources {
			if !slices.Equal(s.element, d.element) || !slices.Equal(s.index[:outer], d.index[:outer]) {
				continue
			}
			level := 0
			for k := range common {
				if s.trips[k] != d.trips[k] {
					if s.trips[k] < d.trips[k] {
						level = k + 1
					} else {
						level = -1
					}
					break
				}
			}
			if level < 0 || level == 0 && src.Order >= dst.Order {
				continue
			}
			o.levels[level] = true
			for k := range common {
				o.distances[k][d.index[k]-s.index[k]] = true
			}
		}
	}
}

// pair is a random question.
type pair struct {
	src, dst      Access
	common, outer int
}

// among draws evenly from lo to hi. Rapid's own integer ranges favour numbers
// near zero, which makes most loops empty and most subscripts constant.
func among(t *rapid.T, what string, lo, hi int64) int64 {
	return lo + int64(rapid.Uint64().Draw(t, what)*0x9e3779b97f4a7c15>>33)%(hi-lo+1)
}

// pairs draws two accesses of up to three loops each, with bounds that may use
// outer indices and the parameters n and m when symbolic is set. With rounded, bounds,
// subscripts and guards have quotients and remainders.
func pairs(symbolic, rounded bool) *rapid.Generator[pair] {
	return rapid.Custom(func(t *rapid.T) pair {
		quotients := linalg.Quotients{}
		linear := func(what string, vars []string, c int64) linalg.Affine {
			f := linalg.Const(among(t, what, -c, c))
			for _, v := range vars {
				if among(t, "use "+v, 0, 2) == 0 {
					f, _ = f.Add(linalg.Term(among(t, "times "+v, -3, 3), v))
				}
			}
			return f
		}
		affine := func(what string, vars []string, c int64) linalg.Affine {
			f := linear(what, vars, c)
			if !rounded || among(t, "round", 0, 2) > 0 {
				return f
			}
			by, trunc := rapid.SampledFrom([]int64{2, 2, 3, 4}).Draw(t, "by"), rapid.Bool().Draw(t, "towards 0")
			if among(t, "whole", 0, 2) == 0 {
				f, _ = quotients.Divide(f, by, trunc)
			} else {
				f, _ = quotients.Remainder(f, by, trunc)
			}
			if rapid.Bool().Draw(t, "and more") {
				f, _ = f.Add(linear(what, vars, c))
			}
			return f
		}
		var params []string
		if symbolic {
			params = []string{"n", "m"}
		}
		loop := func(index string, scope []string) Loop {
			l := Loop{Index: index, Step: rapid.SampledFrom([]int64{1, 1, 1, 2, 3, -1, -2}).Draw(t, "step")}
			for range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "bounds") {
				lo := linear("lo", nil, 2)
				if rounded {
					lo = affine("lo", scope, 2)
				}
				if len(scope) > 0 && rapid.Bool().Draw(t, "triangular") {
					lo, _ = lo.Add(linalg.Term(rapid.SampledFrom([]int64{1, 1, -1}).Draw(t, "slope"), rapid.SampledFrom(scope).Draw(t, "of")))
				}
				hi, _ := lo.Add(linalg.Const(among(t, "length", -1, 6)))
				if among(t, "own end", 0, 5) == 0 {
					hi = affine("hi", scope, 4)
				}
				if l.Step < 0 {
					lo, hi = hi, lo
				}
				l.Lo, l.Hi = append(l.Lo, lo), append(l.Hi, hi)
			}
			return l
		}
		var p pair
		scope := slices.Clone(params)
		p.common = int(among(t, "common", 0, 2))
		p.outer = int(among(t, "outer", 0, int64(p.common)))
		var shared []Loop
		for k := range p.common {
			shared = append(shared, loop([]string{"i", "j"}[k], scope))
			scope = append(scope, shared[k].Index)
		}
		rank := among(t, "rank", 1, 2)
		draw := func(order int) Access {
			a := Access{Loops: slices.Clone(shared), Order: order, Quotients: quotients}
			own := slices.Clone(scope)
			if among(t, "own loop", 0, 2) == 0 {
				a.Loops = append(a.Loops, loop("k", scope))
				own = append(own, "k")
			}
			for range rank {
				f := affine("subscript", own, 4)
				a.Subs = append(a.Subs, &f)
			}
			if among(t, "guarded", 0, 3) == 0 {
				a.Guard = append(a.Guard, affine("guard", own, 2))
			}
			if rounded && among(t, "conditions", 0, 2) == 0 {
				f, one := affine("condition", own, 2), linalg.Const(1)
				minus, _ := f.Scale(-1)
				less, _ := minus.Sub(one)
				greater, _ := f.Sub(one)
				if rapid.Bool().Draw(t, "equal") {
					a.When = append(a.When, [][]linalg.Affine{{f, minus}})
				} else {
					a.When = append(a.When, [][]linalg.Affine{{less}, {greater}})
				}
			}
			return a
		}
		p.src = draw(1)
		p.dst = draw(int(2 * among(t, "order", 0, 1)))
		// Mostly a subscript of dst is a shifted one of src, as in programs.
		for k, f := range p.src.Subs {
			if !f.Uses("k") && among(t, "related", 0, 3) > 0 {
				g, _ := f.Add(linalg.Const(among(t, "shift", -2, 2)))
				p.dst.Subs[k] = &g
			}
		}
		return p
	})
}

// checkAgainst fails when r misses something that was observed.
func checkAgainst(t *rapid.T, p pair, r Result, o observed) {
	for l := range o.levels {
		if !slices.Contains(r.Levels, l) {
			t.Fatalf("level %d happens, levels %v, answer %v: %s", l, r.Levels, r.Answer, r.Why)
		}
	}
	for k := range p.common {
		if r.Answer == No || r.Distance[k] == nil {
			continue
		}
		for d := range o.distances[k] {
			if d != *r.Distance[k] {
				t.Fatalf("loop %d: distance %d happens, %d claimed", k+1, d, *r.Distance[k])
			}
		}
	}
}

func (p pair) observe(values ...map[string]int64) observed {
	o := observed{levels: map[int]bool{}}
	for range p.common {
		o.distances = append(o.distances, map[int64]bool{})
	}
	for _, v := range values {
		o.record(p.src, p.dst, p.common, p.outer, v)
	}
	return o
}

// TestNumericBoundsAreDecidedExactly compares with enumeration where all bounds
// are numbers: nothing is missed, nothing is invented, and Maybe is rare.
func TestNumericBoundsAreDecidedExactly(t *testing.T) {
	// Not all: a stride from one of several starts is not modelled exactly.
	t.Run("affine", func(t *testing.T) { decidedExactly(t, pairs(false, false), 95, 70) })
	// Nor remainders of what may have either sign.
	t.Run("rounded", func(t *testing.T) { decidedExactly(t, pairs(false, true), 95, 55) })
}

// decidedExactly checks that at least the given percentages of independent and dependent
// pairs are proved.
func decidedExactly(t *testing.T, pairs *rapid.Generator[pair], proofs, confirmations int) {
	var independent, proved, dependent, confirmed int
	rapid.Check(t, func(t *rapid.T) {
		for range 30 {
			p := pairs.Draw(t, "pair")
			o := p.observe(nil)
			r := Depends(p.src, p.dst, p.common, p.outer)
			checkAgainst(t, p, r, o)
			switch {
			case len(o.levels) > 0:
				dependent++
				if r.Answer == Yes {
					confirmed++
				}
			case r.Answer == Yes:
				t.Fatalf("claims a dependence that does not happen: %s", r.Why)
			case len(enumerate(p.src, nil)) > 0 && len(enumerate(p.dst, nil)) > 0:
				independent++ // and not only because nothing runs
				if r.Answer == No {
					proved++
				}
			}
		}
	})
	t.Logf("independent: %d of %d proved; dependent: %d of %d proved", proved, independent, confirmed, dependent)
	if testing.Short() {
		return // too few to count
	}
	if independent < 100 || dependent < 40 || proved*100 < independent*proofs || confirmed*100 < dependent*confirmations {
		t.Errorf("too few cases are decided: independent %d of %d, dependent %d of %d", proved, independent, confirmed, dependent)
	}
}

// TestSymbolicBoundsAreSafe compares with enumeration over small values of the
// parameters: No is never wrong, levels and distances hold for every value.
func TestSymbolicBoundsAreSafe(t *testing.T) {
	var values []map[string]int64
	for n := int64(-2); n <= 5; n++ {
		for m := int64(-1); m <= 2; m++ {
			values = append(values, map[string]int64{"n": n, "m": m})
		}
	}
	var found independences
	rapid.Check(t, func(t *rapid.T) {
		p := pairs(true, rapid.Bool().Draw(t, "rounded")).Draw(t, "pair")
		found.compare(t, p, values)
	})
	found.want(t, 2)
}

// TestStepsAreSafe compares with enumeration where steps are multiples of a parameter.
func TestStepsAreSafe(t *testing.T) {
	var values []map[string]int64
	for _, h := range []int64{1, 2, 3, 5, -1, -2} {
		for n := int64(0); n <= 12; n += 3 {
			values = append(values, map[string]int64{"h": h, "n": n})
		}
	}
	var found independences
	rapid.Check(t, func(t *rapid.T) {
		around := func(what string, vars ...string) linalg.Affine {
			f := linalg.Const(among(t, what, -1, 1) * among(t, what+" at all", 0, 1))
			for _, v := range vars {
				f, _ = f.Add(linalg.Term(among(t, what+" "+v, -2, 2), v))
			}
			return f
		}
		loop := func(index string) Loop {
			by := linalg.Term(rapid.SampledFrom([]int64{1, 2, 2, 3, -1, -2}).Draw(t, "by"), "h")
			lo, hi := around("lo", "h"), around("hi", "h", "n")
			return Loop{Index: index, Lo: []linalg.Affine{lo}, Hi: []linalg.Affine{hi}, By: &by}
		}
		p := pair{common: int(among(t, "common", 0, 1))}
		p.outer = int(among(t, "outer", 0, int64(p.common)))
		shared := loop("i")
		draw := func(order int) Access {
			l := shared
			if p.common == 0 {
				l = loop("i")
			}
			f := around("subscript", "h")
			f, _ = f.Add(linalg.Term(rapid.SampledFrom([]int64{1, 1, 1, -1, 2}).Draw(t, "coefficient"), "i"))
			return Access{Loops: []Loop{l}, Order: order, Subs: []*linalg.Affine{&f}}
		}
		p.src = draw(1)
		p.dst = draw(int(2 * among(t, "order", 0, 1)))
		found.compare(t, p, values)
	})
	found.want(t, 3)
}

// TestCasesAreSafe compares with enumeration over the values of the parameters that one
// of several cases allows: DependsIn misses no dependence, and finds many pairs
// independent that Depends cannot.
func TestCasesAreSafe(t *testing.T) {
	proved, more := 0, 0
	property := func(t *rapid.T) {
		for range 10 {
			p := pairs(true, false).Draw(t, "pair")
			src, dst := form("n"), form("m") // as of planes
			p.src.Subs, p.dst.Subs = append(p.src.Subs, &src), append(p.dst.Subs, &dst)
			less := func(text string, c int64) linalg.Affine {
				f, _ := form(text).Sub(linalg.Const(c))
				return f
			}
			var cases [][]linalg.Affine
			var values []map[string]int64
			for range among(t, "cases", 1, 3) {
				// In each case n has a value or is odd or even, m too, or m is n and something.
				n, m := among(t, "n", -2, 3), among(t, "m", -2, 3)
				one := []linalg.Affine{less("n", n)}
				kind := among(t, "kind", 0, 3)
				switch kind {
				case 0:
					one = append(one, less("m", m))
				case 1:
					one = []linalg.Affine{less("n - 2*q", n), less("m - 2*r", m)}
				case 2:
					one = []linalg.Affine{less("m - n", m)}
				}
				cases = append(cases, one)
				for x := int64(-3); x <= 4; x++ {
					for y := int64(-3); y <= 4; y++ {
						if [...]bool{x == n && y == m, (x-n)%2 == 0 && (y-m)%2 == 0, y-x == m, x == n}[kind] {
							values = append(values, map[string]int64{"n": x, "m": y})
						}
					}
				}
			}
			o := p.observe(values...)
			r := DependsIn(cases, p.src, p.dst, p.common, p.outer)
			checkAgainst(t, p, r, o)
			if r.Answer == No {
				proved++
				if Depends(p.src, p.dst, p.common, p.outer).Answer != No {
					more++
				}
			}
		}
	}
	rapid.Check(t, property)
	t.Logf("%d proved independent, %d of them by the cases", proved, more)
	if more < 10 && !testing.Short() { // too few to count
		t.Errorf("only %d of %d are proved independent by the cases", more, proved)
	}
}

// TestInfeasibleAgainstEnumeration checks small systems in a box, where the
// search must be decisive, too.
func TestInfeasibleAgainstEnumeration(t *testing.T) {
	vars := []string{"x", "y", "z"}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string) linalg.Affine {
			f := linalg.Const(rapid.Int64Range(-12, 12).Draw(t, what))
			for _, v := range vars {
				f, _ = f.Add(linalg.Term(rapid.Int64Range(-7, 7).Draw(t, v), v))
			}
			return f
		}
		var eqs, ineqs []linalg.Affine
		for range rapid.IntRange(0, 1).Draw(t, "equations") {
			eqs = append(eqs, draw("equation"))
		}
		for range rapid.IntRange(1, 4).Draw(t, "inequalities") {
			ineqs = append(ineqs, draw("inequality"))
		}
		for _, v := range vars {
			ineqs = append(ineqs, form(v+" + 3"), form("3 - "+v))
		}
		solvable := false
		at := map[string]int64{}
		value := func(v string) int64 { return at[v] }
		for i := range int64(7 * 7 * 7) {
			at["x"], at["y"], at["z"] = i%7-3, i/7%7-3, i/49-3
			holds := true
			for _, f := range eqs {
				x, _ := f.Eval(value)
				holds = holds && x == 0
			}
			for _, f := range ineqs {
				x, _ := f.Eval(value)
				holds = holds && x >= 0
			}
			solvable = solvable || holds
		}
		if got := Infeasible(eqs, ineqs); got == solvable {
			t.Fatalf("%v == 0, %v >= 0: infeasible %v, solvable %v", eqs, ineqs, got, solvable)
		}
	})
}

// BenchmarkDepends is the update of LU against its pivot column, which takes
// the whole way through bounds of a triangular nest.
func BenchmarkDepends(b *testing.B) {
	src := access("k=1,n;j=k+1,n;i=k+1,n", "i, j", 2)
	dst := access("k=1,n;j=k+1,n;i=k+1,n", "i, k", 1)
	for b.Loop() {
		if r := Depends(src, dst, 3, 0); r.Answer != Yes {
			b.Fatal(r.Why)
		}
	}
}

// independences counts the pairs that have no dependence for any of the values that are
// tried, and those of them that are proved to have none for all.
type independences struct{ without, proved int }

// compare compares the answer for a pair with what its iterations do.
func (c *independences) compare(t *rapid.T, p pair, values []map[string]int64) {
	o := p.observe(values...)
	r := Depends(p.src, p.dst, p.common, p.outer)
	checkAgainst(t, p, r, o)
	if len(o.levels) == 0 {
		c.without++
		if r.Answer == No {
			c.proved++
		}
	}
}

// want wants one in so many proved.
func (c *independences) want(t *testing.T, of int) {
	t.Logf("%d of %d without a dependence for small parameters are proved for all", c.proved, c.without)
	if c.proved*of < c.without {
		t.Errorf("only %d of %d are proved independent", c.proved, c.without)
	}
}
