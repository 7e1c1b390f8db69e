package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// Location is an extreme that a loop finds with the place where it is:
//
//	if (a(i,j) > big) then
//	   big = a(i,j)
//	   ibig = i
//	   jbig = j
//	end if
//
// The comparison is strict, so that of several equal values the first one counts, and
// nothing else in the loop mentions these scalars.
type Location struct {
	Extreme *ir.Symbol
	Op      Op // Max or Min
	Stmt    *ir.If
	Places  []PlaceValue
}

// PlaceValue is a scalar that gets a value with the extreme. Index is the loop index that this
// is, nil if it is something else.
type PlaceValue struct {
	Sym, Index *ir.Symbol
}

// LocationOf returns the extreme with a place that sym is or belongs to, if
// Class(loop, sym) is Located.
func (in *Info) LocationOf(loop *ir.Do, sym *ir.Symbol) (*Location, bool) {
	v := in.verdict(loop, sym)
	return v.location, v.class == Located
}

// Locations lists the extremes with places of loop in the order of their statements.
func (in *Info) Locations(loop *ir.Do) []*Location {
	var list []*Location
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if c, ok := s.(*ir.If); ok {
			if l := location(c); l != nil {
				if l, ok := in.LocationOf(loop, l.Extreme); ok && l.Stmt == c {
					list = append(list, l)
				}
			}
		}
		return true
	})
	return list
}

// located recognises the extreme with a place that sym is or belongs to.
func (in *Info) located(loop *ir.Do, sym *ir.Symbol) *Location {
	var found *Location
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if c, ok := s.(*ir.If); ok && found == nil {
			if l := location(c); l != nil && slices.Contains(l.symbols(), sym) {
				found = l
			}
		}
		return found == nil
	})
	if found == nil {
		return nil
	}
	only := func(s ir.Stmt) bool {
		return !slices.ContainsFunc(found.symbols(), func(sym *ir.Symbol) bool { return mentions(s, sym) })
	}
	ok := only(loop)
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if s == ir.Stmt(found.Stmt) {
			return false
		}
		ok = ok && only(s)
		return ok
	})
	if !ok {
		return nil
	}
	return found
}

// locatedTypes are those that a reduction carries as one word.
var locatedTypes = []ir.Type{ir.Double, ir.Real, ir.Integer, ir.Long, ir.Logical}

// symbols are the scalars that l gives values.
func (l *Location) symbols() []*ir.Symbol {
	list := []*ir.Symbol{l.Extreme}
	for _, p := range l.Places {
		list = append(list, p.Sym)
	}
	return list
}

// location recognises the statement.
func location(s *ir.If) *Location {
	if len(s.Then) < 2 || len(s.Else) != 0 {
		return nil
	}
	l := &Location{Stmt: s}
	for _, t := range s.Then {
		a, ok := t.(*ir.Assign)
		if !ok {
			return nil
		}
		v, ok := a.LHS.(*ir.Var)
		if !ok || a.Step || v.Sym.IsArray() {
			return nil
		}
		c := *s
		c.Then = []ir.Stmt{a}
		if op, extreme := guardedExtreme(&c, v.Sym); extreme {
			if l.Extreme != nil || !strict(s.Cond) {
				return nil
			}
			l.Extreme, l.Op = v.Sym, op
			continue
		}
		l.Places = append(l.Places, PlaceValue{v.Sym, indexIn(a.RHS)})
	}
	if l.Extreme == nil {
		return nil
	}
	all := l.symbols()
	for i, sym := range all {
		if slices.Contains(all[:i], sym) || !slices.Contains(locatedTypes, sym.Type) || sym == l.Extreme && sym.Type == ir.Logical {
			return nil
		}
	}
	for _, t := range s.Then {
		a := t.(*ir.Assign)
		for _, sym := range all {
			if ir.Mentions(a.RHS, sym) || ir.Target(a.LHS) != l.Extreme && !simple(a.RHS) {
				return nil
			}
		}
	}
	return l
}

// strict reports whether a comparison is false of equal values.
func strict(e ir.Expr) bool {
	c, ok := ungroup(e).(*ir.Bin)
	return ok && (c.Op == ir.Gt || c.Op == ir.Lt)
}

// simple reports whether e mentions no elements of arrays.
func simple(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e.(type) {
		case *ir.Var, *ir.Const, *ir.Un, *ir.Bin, *ir.Conv, *ir.Call:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// indexIn is the variable that e is, as a whole number, or nil.
func indexIn(e ir.Expr) *ir.Symbol {
	switch e := ungroup(e).(type) {
	case *ir.Var:
		if e.Sym.Type.IsInteger() {
			return e.Sym
		}
	case *ir.Conv:
		if e.Typ.IsInteger() {
			return indexIn(e.E)
		}
	}
	return nil
}
