package linalg

import (
	"fmt"
	"maps"
	"slices"
)

// Quotient is an integer variable that stands for a rounded quotient, so that
// remainders are forms: mod(e, 2) is e - 2*q, with q the quotient e/2 rounded
// towards 0, and modulo(e, 2) is the same with q rounded down.
type Quotient struct {
	Of    Affine // may use quotients, too
	By    int64  // at least 2
	Trunc bool   // rounded towards 0, as "/" of Fortran is; else down
}

// Name is that of q as a variable: equal quotients have equal names, and no
// variable of a program has one of them.
func (q Quotient) Name() string {
	if q.Trunc {
		return fmt.Sprintf("((%v)/%d)", q.Of, q.By)
	}
	return fmt.Sprintf("floor((%v)/%d)", q.Of, q.By)
}

// Quotients gives the variables that are quotients their meaning.
type Quotients map[string]Quotient

// Divide is f/by for by > 0, as a form that may use a quotient, of which qs takes
// note; false when a coefficient overflows.
func (qs Quotients) Divide(f Affine, by int64, trunc bool) (Affine, bool) {
	whole, rest := f.split(by)
	switch {
	case rest.IsConst() && rest.C == 0:
		return whole, true
	case f.IsConst() && trunc:
		return Const(f.C / by), true
	case rest.IsConst() && !trunc:
		return whole, true // 0 <= rest < by
	case trunc:
		// A sum is rounded as one: (1 - 2)/2 is 0, and 1/2 - 1 is -1.
		whole, rest = Affine{}, f
	}
	q := Quotient{Of: rest, By: by, Trunc: trunc}
	name := q.Name()
	qs[name] = q
	return whole.Add(Var(name))
}

// split returns forms with f = by*whole + rest, the coefficients of rest from 0 to
// by - 1.
func (f Affine) split(by int64) (whole, rest Affine) {
	whole, rest = Const(FloorDiv(f.C, by)), Affine{C: f.C, T: maps.Clone(f.T)}
	rest.C -= by * whole.C
	for v, k := range f.T {
		d := FloorDiv(k, by)
		if rest.T[v] -= by * d; d != 0 {
			if whole.T == nil {
				whole.T = map[string]int64{}
			}
			whole.T[v] = d
		}
	}
	rest.T = canonical(rest.T)
	return whole, rest
}

// Remainder is f less by times f/by, for by > 0.
func (qs Quotients) Remainder(f Affine, by int64, trunc bool) (Affine, bool) {
	q, ok := qs.Divide(f, by, trunc)
	if !ok {
		return Affine{}, false
	}
	return f.AddScaled(q, -by)
}

// Used lists the quotients that forms use, each behind those that it uses itself.
func (qs Quotients) Used(forms ...Affine) []string {
	var names []string
	var visit func(f Affine)
	visit = func(f Affine) {
		for _, v := range f.Vars() {
			if q, ok := qs[v]; ok && !slices.Contains(names, v) {
				visit(q.Of)
				names = append(names, v)
			}
		}
	}
	for _, f := range forms {
		visit(f)
	}
	return names
}

// Vars lists the variables that the value of f depends on, which are no quotients.
func (qs Quotients) Vars(f Affine) []string {
	var vars []string
	for _, v := range f.Vars() {
		if q, ok := qs[v]; ok {
			vars = append(vars, qs.Vars(q.Of)...)
		} else {
			vars = append(vars, v)
		}
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

// Bound is a form without quotients that is nowhere greater than f (side -1), or nowhere
// less (side 1): of 2 + mod(j, 2) it is 2, or 3. False if there is none among the forms
// with integer coefficients.
func (qs Quotients) Bound(f Affine, side int) (Affine, bool) {
	for {
		names := qs.Used(f)
		if len(names) == 0 {
			return f, true
		}
		name := names[len(names)-1] // used by no other quotient of f
		q, k := qs[name], f.Coef(name)
		if k%q.By != 0 {
			return Affine{}, false
		}
		// By times the quotient is Of less a remainder, which is from lo to hi.
		lo, hi := int64(0), q.By-1
		if q.Trunc {
			lo = -hi
		}
		k /= q.By
		rest := lo
		if (k > 0) == (side < 0) {
			rest = hi
		}
		by, ok := q.Of.Sub(Const(rest))
		if !ok {
			return Affine{}, false
		}
		f, _ = f.Subst(name, Affine{})
		if f, ok = f.AddScaled(by, k); !ok {
			return Affine{}, false
		}
	}
}

// Rename returns f with every variable v that is no quotient replaced by to(v); made
// takes note of the quotients of these. It is false on overflow.
func (qs Quotients) Rename(f Affine, to func(string) string, made Quotients) (Affine, bool) {
	out := Const(f.C)
	for _, v := range f.Vars() {
		w := to(v)
		if q, ok := qs[v]; ok {
			of, fine := qs.Rename(q.Of, to, made)
			if !fine {
				return Affine{}, false
			}
			q.Of = of
			w = q.Name()
			made[w] = q
		}
		var ok bool
		if out, ok = out.AddScaled(Var(w), f.Coef(v)); !ok {
			return Affine{}, false
		}
	}
	return out, true
}

// Eval is the value of f where every variable v that is no quotient has the value
// at(v), or false on overflow.
func (qs Quotients) Eval(f Affine, at func(string) int64) (int64, bool) {
	fine := true
	sum, ok := f.Eval(func(v string) int64 {
		q, rounded := qs[v]
		if !rounded {
			return at(v)
		}
		of, ok := qs.Eval(q.Of, at)
		fine = fine && ok
		if q.Trunc {
			return of / q.By
		}
		return FloorDiv(of, q.By)
	})
	return sum, ok && fine
}
