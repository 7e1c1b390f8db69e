package depend

import (
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// mostAlternatives is how many accesses stand for one under conditions.
const mostAlternatives = 8

// alternatives are accesses without When that run, together, where a does. A
// condition that would make them too many is left out.
func (a Access) alternatives() []Access {
	when := slices.Clone(a.When)
	a.When = nil
	// Those of one alternative first: they are always expressed.
	slices.SortStableFunc(when, func(x, y [][]linalg.Affine) int { return len(x) - len(y) })
	all := []Access{a}
	for _, either := range when {
		full := len(all)*len(either) > mostAlternatives
		var next []Access
		for _, b := range all {
			if full {
				b.Partial = true
				next = append(next, b)
				continue
			}
			for _, forms := range either {
				c := b
				c.Guard = append(slices.Clip(b.Guard), forms...)
				next = append(next, c)
			}
		}
		all = next
	}
	return all
}

// union is the answer to a question that was asked in parts.
func union(parts []Result) Result {
	if len(parts) == 0 {
		return Result{Level: -1, Why: "the accesses never both run"}
	}
	r := parts[0]
	for _, p := range parts[1:] {
		r = either(r, p)
	}
	return r
}

// either is what holds of two parts together.
func either(a, b Result) Result {
	switch {
	case b.Answer == No:
		return a
	case a.Answer == No:
		return b
	case b.Answer == Yes && a.Answer != Yes:
		a, b = b, a
	}
	r := Result{Answer: a.Answer, Certain: a.Certain || b.Certain, Why: a.Why, Distance: slices.Clone(a.Distance)}
	for k, d := range b.Distance {
		if have := r.Distance[k]; have == nil || d == nil || *have != *d {
			r.Distance[k] = nil
		}
	}
	for _, l := range append(slices.Clone(a.Levels), b.Levels...) {
		if l > 0 && !slices.Contains(r.Levels, l) {
			r.Levels = append(r.Levels, l)
		}
	}
	slices.Sort(r.Levels)
	if slices.Contains(a.Levels, 0) || slices.Contains(b.Levels, 0) {
		r.Levels = append(r.Levels, 0)
	}
	r.Level = r.Levels[0]
	return r
}
