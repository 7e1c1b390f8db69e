package depend

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// fixed is the reason why subscripts that no loop changes are never equal (ZIV): they
// differ by a constant. It is "" otherwise. For most accesses of loops that were
// unrolled this decides, before there is a system to solve.
func fixed(src, dst Access) string {
	varies := func(a Access, v string) bool {
		_, quotient := a.Quotients[v]
		return quotient || slices.ContainsFunc(a.Loops, func(l Loop) bool { return l.Index == v })
	}
	for dim := range min(len(src.Subs), len(dst.Subs)) {
		a, b := src.Subs[dim], dst.Subs[dim]
		if a == nil || b == nil || a.C == b.C || !maps.Equal(a.T, b.T) {
			continue
		}
		same := true
		for v := range a.T {
			same = same && !varies(src, v) && !varies(dst, v)
		}
		if same {
			p := &problem{src: src, dst: dst}
			return fmt.Sprintf("%s never equal: %v and %v", p.these(dim), a, b)
		}
	}
	return ""
}

// screen looks at each dimension without bounds or order and returns the reason
// why subscripts can never be equal: they differ by a constant, or a divisor of
// all coefficients does not divide the constant (GCD). It returns "" otherwise.
func (p *problem) screen() string {
	for _, e := range p.subEq {
		c := e.r[p.sys.n]
		g := e.r.gcd()
		a, b := p.subscripts(e.dim)
		switch {
		case g == 0 && c != 0:
			return fmt.Sprintf("%s never equal: %s and %s", p.these(e.dim), a, b)
		case g == 2 && c%g != 0:
			return fmt.Sprintf("%s never equal: %s and %s differ by an odd number", p.these(e.dim), a, b)
		case g != 0 && c%g != 0:
			return fmt.Sprintf("%s never equal: %s and %s differ by no multiple of %d", p.these(e.dim), a, b, g)
		}
	}
	return ""
}

// whyNever is the reason when no two instances at all touch the same element.
func (p *problem) whyNever() string {
	bounds := &system{n: p.sys.n, ge: p.sys.ge}
	if newSolver().solve(bounds.clone()) == empty {
		return "the accesses never both run"
	}
	for _, e := range p.subEq {
		one := &system{n: p.sys.n, eq: []row{e.r}, ge: p.sys.ge}
		if newSolver().solve(one.clone()) == empty {
			a, b := p.subscripts(e.dim)
			return fmt.Sprintf("%s never equal within the loop bounds: %s and %s", p.these(e.dim), a, b)
		}
	}
	return "the subscripts are never all equal at once"
}

// whyNotInOrder is the reason when no level remains.
func (p *problem) whyNotInOrder(base *system) string {
	if len(p.candidates()) == 0 {
		return "src does not run before dst"
	}
	if newSolver().solve(base.clone()) == empty {
		return p.whyNever()
	}
	if v, _ := p.level(base, 0); v != empty {
		return "the same element is touched only in the same iteration"
	}
	return "the same element is touched only in the opposite order"
}

// whyMaybe is the reason why nothing is proved.
func (p *problem) whyMaybe(r Result) string {
	doubt := p.inexact
	if doubt == "" {
		doubt = "too many constraints"
	}
	return fmt.Sprintf("possibly %s: %s", p.carrier(r), doubt)
}

// whyYes tells where the dependence is.
func (p *problem) whyYes(r Result) string {
	if r.Certain {
		return p.carrier(r)
	}
	return p.carrier(r) + ", for some values of the parameters"
}

// carrier describes the outermost level and, where known, its distance.
func (p *problem) carrier(r Result) string {
	if r.Level == 0 {
		return "in the same iteration"
	}
	l := p.dst.Loops[r.Level-1]
	text := "carried by loop " + l.Index
	if d := r.Distance[r.Level-1]; d != nil {
		text += fmt.Sprintf(" with distance %d", *d)
	}
	return text
}

// these names the subscripts of dimension dim, from 0.
func (p *problem) these(dim int) string {
	if len(p.src.Subs) == 1 {
		return "subscripts"
	}
	return fmt.Sprintf("subscripts %d", dim+1)
}

// subscripts returns both subscripts of a dimension as text.
func (p *problem) subscripts(dim int) (src, dst string) {
	prime := map[string]bool{}
	for _, l := range p.dst.Loops[p.outer:] {
		prime[l.Index] = true
	}
	return primed(*p.src.Subs[dim], nil), primed(*p.dst.Subs[dim], prime)
}

// primed prints f with a prime on the names in prime.
func primed(f linalg.Affine, prime map[string]bool) string {
	g, ok := f.Rename(func(v string) string {
		if prime[v] {
			return v + "'"
		}
		return v
	})
	if !ok {
		return f.String() // cannot happen: distinct names stay distinct
	}
	return g.String()
}
