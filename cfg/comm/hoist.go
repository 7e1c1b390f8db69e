package comm

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

func affineVar(s *ir.Symbol) linalg.Affine { return linalg.Var(s.Name) }

// isTemp reports whether v is a scalar that assign made for a subscript.
func isTemp(v string) bool { return strings.HasPrefix(v, tempPrefix) }

// Affines lists every affine form that c's consumers and elements depend on, the ends of open
// bounds in the layouts among them.
func (c *Comm) Affines() []linalg.Affine {
	var out []linalg.Affine
	for _, ax := range c.Axes {
		if !ax.All {
			out = append(out, ax.Off)
		}
	}
	for _, s := range c.Subs {
		out = append(out, s.Off)
	}
	for _, r := range c.Ranges {
		if !r.Unknown || r.By != nil {
			out = append(out, r.Lo, r.Hi)
		}
		if r.By != nil {
			out = append(out, *r.By)
		}
		for _, k := range r.Cons {
			f, _ := k.Sub.Subst(r.Index, linalg.Const(0))
			out = append(out, f)
		}
	}
	for _, k := range c.Guard {
		if k.Axis >= 0 {
			out = append(out, k.Sub)
		}
	}
	for _, s := range c.placed() {
		for _, e := range s.Mapping.Ends {
			out = append(out, affineVar(e))
		}
	}
	return out
}

// placed are the arrays with open bounds whose layouts c depends on.
func (c *Comm) placed() (out []*ir.Symbol) {
	take := func(s *ir.Symbol) {
		if s.Distributed() && len(s.Mapping.Ends) > 0 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	take(c.Array)
	for _, k := range c.Guard {
		take(k.Array)
	}
	for _, r := range c.Ranges {
		for _, k := range r.Cons {
			take(k.Array)
		}
	}
	return out
}

// LaidOut reports whether a statement allocates an array whose layout c depends on: of an irregular
// one, whose subscripts are found by a walk over any arrays, any of them.
func (c *Comm) LaidOut(s ir.Stmt) bool {
	found := false
	arrays := c.placed()
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		a, ok := s.(*ir.Allocate)
		found = found || ok && !a.Free && (slices.Contains(arrays, a.Sym) || c.Kind == Irregular && a.Sym.Distributed())
		return !found
	})
	return found
}

// Varies reports whether the elements that c moves depend on the index of r.
func (c *Comm) Varies(r *Range) bool {
	for _, ax := range c.Axes {
		for _, t := range ax.Terms {
			if t.Range == r {
				return true
			}
		}
	}
	return false
}

// over widens c to all iterations of l, if that can be said in terms known
// before l. It reports false, and leaves c alone, if not.
func (c *Comm) over(a *analyzer, l ir.Stmt) bool {
	if c.LaidOut(l) {
		return false
	}
	d, ok := l.(*ir.Do)
	if !ok {
		return true // a WHILE loop has no index to widen over
	}
	v := d.Index.Name
	uses := false
	for _, f := range c.Affines() {
		uses = uses || f.Uses(v)
	}
	if !uses {
		return true
	}
	t := &attempt{a: a, region: &Region{}}
	rv := t.rangeOf(d.Index, d.Lo, d.Hi, d.Step, nil)
	rv.Loop = d
	if rv.Unknown {
		return false
	}
	outer := map[string]*Range{v: rv}

	// Work on copies, commit at the end.
	var guard []Constraint
	for _, k := range c.Guard {
		if k.Axis >= 0 && k.Sub.Uses(v) {
			rv.Cons = append(rv.Cons, k)
		} else {
			guard = append(guard, k)
		}
	}
	copies := map[*Range]*Range{}
	var ranges []*Range
	for _, r := range c.Ranges {
		n := *r
		for _, k := range r.Cons {
			if k.Axis >= 0 && k.Sub.Uses(v) {
				return false
			}
		}
		if r.By != nil && (r.Lo.Uses(v) || r.Hi.Uses(v) || r.By.Uses(v)) {
			n.By = nil
		}
		if !r.Unknown && (r.Lo.Uses(v) || r.Hi.Uses(v)) {
			if r.Step != 1 {
				// The start of a strided range moves with v.
				if r.Step < 0 {
					n.Lo, n.Hi = n.Hi, n.Lo
				}
				n.Step = 1
			}
			var ok1, ok2 bool
			n.Lo, ok1 = widest(n.Lo, outer, -1)
			n.Hi, ok2 = widest(n.Hi, outer, +1)
			if !ok1 || !ok2 {
				return false
			}
		}
		copies[r] = &n
		ranges = append(ranges, &n)
	}
	ranges = append(ranges, rv)
	var axes []Axis
	for _, ax := range c.Axes {
		n := Axis{Off: ax.Off, All: ax.All}
		for _, term := range ax.Terms {
			n.Terms = append(n.Terms, AxisTerm{copies[term.Range], term.Coef})
		}
		if k := ax.Off.Coef(v); !ax.All && k != 0 {
			n.Terms = append(n.Terms, AxisTerm{rv, int(k)})
			n.Off, _ = n.Off.Subst(v, linalg.Const(0))
		}
		axes = append(axes, n)
	}
	var subs []SubMap
	added := -1
	for _, s := range c.Subs {
		k := s.Off.Coef(v)
		if k == 0 {
			subs = append(subs, s)
			continue
		}
		if s.Axis >= 0 {
			return false
		}
		if added < 0 {
			added = len(axes)
			axes = append(axes, Axis{Terms: []AxisTerm{{rv, 1}}})
		}
		off, _ := s.Off.Subst(v, linalg.Const(0))
		subs = append(subs, SubMap{Axis: added, Coef: int(k), Off: off})
	}
	c.Guard, c.Ranges, c.Axes, c.Subs = guard, ranges, axes, subs
	if !c.Overlap && c.Subs == nil {
		c.decouple()
	}
	if c.Kind == Broadcast {
		c.Kind = AllGather
		if len(rv.Cons) > 0 {
			c.Kind = Remap
		}
	}
	return true
}

// hoist takes communications out of loop l whose values no iteration changes:
// they move before the loop, for all its iterations at once.
func (a *analyzer) hoist(l ir.Stmt, body []Node) (hoisted []*Comm, rest []Node) {
	out := map[*Comm]bool{}
	var occs []occurrence
	for _, n := range body {
		p, ok := n.(*Post)
		if !ok {
			continue
		}
		if occs == nil {
			occs = a.occurrences(l)
		}
		for _, c := range p.Comms {
			if a.hoistable(c, l, occs) && c.over(a, l) {
				out[c] = true
				c.Partial = true // not every iteration need read it
				c.CLine = l.Position().Line
				hoisted = append(hoisted, c)
			}
		}
	}
	if len(out) == 0 {
		return nil, body
	}
	keep := func(list []*Comm) []*Comm {
		var k []*Comm
		for _, c := range list {
			if !out[c] {
				k = append(k, c)
			}
		}
		return k
	}
	return hoisted, without(body, keep)
}

// without is list with the groups of communications reduced by keep.
func without(list []Node, keep func([]*Comm) []*Comm) []Node {
	var rest []Node
	for _, n := range list {
		switch n := n.(type) {
		case *Post:
			if k := keep(n.Comms); len(k) > 0 {
				rest = append(rest, &Post{k})
			}
		case *Wait:
			if k := keep(n.Comms); len(k) > 0 {
				rest = append(rest, &Wait{k})
			}
		case *Done:
			if k := keep(n.Comms); len(k) > 0 {
				rest = append(rest, &Done{k})
			}
		case *Branch:
			n.Then, n.Else = without(n.Then, keep), without(n.Else, keep)
			rest = append(rest, n)
		default:
			rest = append(rest, n)
		}
	}
	return rest
}

// hoistable reports whether no iteration of l writes what a later one reads
// through c, and whether c's elements are known before l.
func (a *analyzer) hoistable(c *Comm, l ir.Stmt, occs []occurrence) bool {
	if c.pipe || c.Kind == Irregular {
		return false
	}
	variant := a.modified(l)
	refs := map[*ir.Ref]bool{}
	for _, r := range c.Refs {
		refs[r] = true
	}
	found := 0
	for _, r := range occs {
		if !refs[r.ref] || r.write {
			continue
		}
		found++
		for _, w := range occs {
			if !w.write || w.ref.Sym != c.Array {
				continue
			}
			if a.flow(w, r, l, variant).Answer != depend.No {
				return false
			}
		}
	}
	if found != len(c.Refs) {
		return false
	}
	// Everything but l's own index must keep its value.
	var index *ir.Symbol
	if d, ok := l.(*ir.Do); ok {
		index = d.Index
	}
	for _, f := range c.Affines() {
		for v := range f.T {
			if s := a.symbols[v]; f.Uses(v) && s != index && variant[s] {
				return false
			}
		}
	}
	return true
}
