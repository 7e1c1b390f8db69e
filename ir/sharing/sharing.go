// Package sharing lets arrays of procedures that are never in use at once be one array.
//
// A procedure stands in place of each call, with variables of its own. In
//
//	call relax(u, n)        relax_w
//	do k = 1, 10
//	   call relax(v, n)     relax_w_2
//	   call smooth(v, n)    in which relax is called: relax_w_3
//	end do
//
// array w of relax is undefined when a call begins, and again when it ends. No call is inside
// of another one of these, so that the three are one array, as they are where procedures are
// called: later passes see one variable with more uses, and need not know why.
//
// Only arrays that are distributed are shared: of those that every PE has, it is proved call by
// call that they are private to iterations (package scalar), and most are small.
package sharing

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// Share replaces distributed arrays of p by others of the same procedure and name, with the same
// type, shape and mapping, of calls that are over when their own begin. Those that are
// replaced are no symbols of the program any more; the others say so in Also. The
// mappings are resolved.
func Share(p *ir.Program) {
	fit := candidates(p)
	by := map[string][]*group{}
	into := map[*ir.Symbol]*ir.Symbol{}
	p.Symbols = slices.DeleteFunc(p.Symbols, func(s *ir.Symbol) bool {
		if !fit[s] {
			return false
		}
		k := key(s)
		for _, g := range by[k] {
			if g.takes(s) {
				into[s] = g.array
				return true
			}
		}
		by[k] = append(by[k], &group{s, []*ir.Site{s.Site}})
		return false
	})
	if len(into) == 0 {
		return
	}
	ir.WalkExprs(p.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && into[r.Sym] != nil {
			r.Sym = into[r.Sym]
		}
		return true
	})
}

// group is an array with the calls that have it.
type group struct {
	array *ir.Symbol
	sites []*ir.Site
}

// takes reports whether s is the array of g from now on.
func (g *group) takes(s *ir.Symbol) bool {
	for _, site := range g.sites {
		if inside(site, s.Site) || inside(s.Site, site) {
			return false
		}
	}
	g.sites = append(g.sites, s.Site)
	g.array.Also = append(g.array.Also, s.Site)
	return true
}

// inside reports whether call a is call b, or is executed by it.
func inside(a, b *ir.Site) bool {
	for a != nil && a != b {
		a = a.Parent
	}
	return a == b
}

// key is the same for arrays that may be one.
func key(s *ir.Symbol) string {
	m := s.Mapping
	return fmt.Sprint(s.Site.Callee, " ", s.Local, " ", s.Type, s.Len, s.Stored, s.Dims, s.Shadow, m.Grid.ID, m.Map)
}

// candidates are the distributed arrays of calls that nothing mentions outside of their
// call, nor otherwise than element by element.
func candidates(p *ir.Program) map[*ir.Symbol]bool {
	fit := map[*ir.Symbol]bool{}
	for _, s := range p.Symbols {
		fit[s] = s.IsArray() && s.Site != nil && s.Distributed() && !s.Placed() && !s.Param && !s.Temp && !s.Coarray && s.Init == nil && s.Values == nil
	}
	ir.Walk(p.Body, func(at ir.Stmt) bool {
		if _, plain := at.(*ir.Assign); !plain {
			for _, s := range ir.Assigned(at) {
				delete(fit, s)
			}
		}
		if d, ok := at.(*ir.Do); ok && d.Independent != nil {
			for _, s := range slices.Concat(d.Independent.New, d.Independent.Reduction) {
				delete(fit, s)
			}
		}
		for _, e := range ir.Exprs(at) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				switch e := e.(type) {
				case *ir.Ref:
					if fit[e.Sym] && !inside(at.CallSite(), e.Sym.Site) {
						delete(fit, e.Sym)
					}
				case *ir.Var:
					delete(fit, e.Sym)
				case *ir.CoRef:
					delete(fit, e.Sym)
				case *ir.Call:
					if e.Resident != nil {
						delete(fit, e.Resident.Array)
					}
				}
				return true
			})
		}
		return true
	})
	return fit
}
