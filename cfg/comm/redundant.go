package comm

import (
	"cmp"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// redundant removes communications whose values are already there: an earlier
// one, which is passed on every way, brought them or more, and nothing that they
// depend on has been assigned since. The references read the earlier one's
// values, whose life grows to the end of the later one's.
//
//	do i = 2, n                        Post #1   a(i-1)
//	   b(i) = a(i-1)                   ...
//	end do                             region, b
//	do i = 3, n                        region, c: reads what #1 brought
//	   c(i) = a(i-1)                   Done #1
//	end do
//
// The owners' elements are the same at both times, so every PE finds in place of
// the later values the equal earlier ones.
func (a *analyzer) redundant(body []Node) []Node {
	r := &remover{a: a, by: map[*Comm]*Comm{}, ends: map[*Comm]int{}}
	everyList(body, func(at any, comms *[]*Comm) {
		if _, region := at.(*Region); !region {
			for _, c := range *comms {
				r.ends[c]++
			}
		}
	})
	body = r.list(body, nil)
	if len(r.by) == 0 {
		return body
	}
	for x := range r.by {
		r.by[x] = r.root(x)
	}
	for x, c := range r.by {
		for _, ref := range x.Refs {
			c.addRef(ref)
		}
	}
	for c := range r.providers() {
		slices.SortStableFunc(c.Refs[1:], func(x, y *ir.Ref) int { return before(x, y) })
	}
	for _, acc := range a.out.Access {
		if c := r.by[acc.Comm]; c != nil {
			acc.Comm = c
		}
	}
	everyList(body, func(at any, comms *[]*Comm) {
		if region, ok := at.(*Region); ok {
			for i, c := range region.Comms {
				if p := r.by[c]; p != nil {
					region.Comms[i] = p
				}
			}
			return
		}
		*comms = r.kept(*comms)
	})
	return prune(body, r.kept)
}

// before orders references by their places, then, as a procedure may be called several
// times, by their text.
func before(x, y *ir.Ref) int {
	if c := cmp.Or(cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col)); c != 0 {
		return c
	}
	return cmp.Compare(ir.ExprString(x), ir.ExprString(y))
}

type remover struct {
	a    *analyzer
	by   map[*Comm]*Comm // removed -> the one that brings its values
	ends map[*Comm]int   // how many nodes end it
}

func (r *remover) providers() map[*Comm]bool {
	out := map[*Comm]bool{}
	for _, c := range r.by {
		out[c] = true
	}
	return out
}

// kept is list without what was removed.
func (r *remover) kept(list []*Comm) []*Comm {
	var out []*Comm
	for _, c := range list {
		if r.by[c] == nil {
			out = append(out, c)
		}
	}
	return out
}

// list looks through nodes that are executed one after the other. available
// are the communications that were passed before and whose values hold.
func (r *remover) list(nodes []Node, available []*Comm) []Node {
	available = slices.Clone(available)
	hold := func(written map[*ir.Symbol]bool) {
		available = slices.DeleteFunc(available, func(c *Comm) bool { return r.changes(c, written) })
	}
	var posted []*Comm
	for i, n := range nodes {
		switch n := n.(type) {
		case *Post:
			for _, x := range n.Comms {
				if c := provider(available, x); c != nil {
					r.by[x] = c
				}
			}
			for k, x := range n.Comms {
				if c := r.within(n, k); c != nil && r.by[x] == nil && r.endsIn(nodes[i:], c) {
					r.by[x] = c
				}
			}
			for _, x := range n.Comms {
				if r.by[x] == nil && r.endsIn(nodes[i:], x) {
					available, posted = append(available, x), append(posted, x)
				}
			}
		case *Region:
			hold(r.written(n))
		case *Loop:
			hold(r.written(n))
			n.Body = r.list(n.Body, available)
		case *WhileLoop:
			hold(r.written(n))
			n.Pre, n.Body = r.list(n.Pre, available), r.list(n.Body, available)
		case *Branch:
			n.Then, n.Else = r.list(n.Then, available), r.list(n.Else, available)
			hold(r.written(n))
		case *Simple:
			hold(r.written(n))
		}
	}
	for _, c := range posted {
		nodes = r.prolong(nodes, c)
	}
	return nodes
}

func provider(available []*Comm, x *Comm) *Comm {
	for _, c := range available {
		if c.covers(x) {
			return c
		}
	}
	return nil
}

// within finds in a group one that makes its k-th communication needless: of two
// that cover each other the first stays.
func (r *remover) within(p *Post, k int) *Comm {
	x := p.Comms[k]
	for j, c := range p.Comms {
		if j != k && r.by[c] == nil && c.covers(x) && !(x.covers(c) && j > k) {
			return c
		}
	}
	return nil
}

// endsIn reports whether one of nodes is the only end of c, so that it can be
// moved.
func (r *remover) endsIn(nodes []Node, c *Comm) bool {
	return r.ends[c] == 1 && slices.ContainsFunc(nodes, func(n Node) bool {
		d, ok := n.(*Done)
		return ok && slices.Contains(d.Comms, c)
	})
}

// root is the one that stays in place of x.
func (r *remover) root(x *Comm) *Comm {
	for r.by[x] != nil {
		x = r.by[x]
	}
	return x
}

// prolong moves the end of c, which stands in nodes, behind those that it
// replaces.
func (r *remover) prolong(nodes []Node, c *Comm) []Node {
	last := -1
	for x := range r.by {
		if r.root(x) == c {
			last = max(last, endIn(nodes, x))
		}
	}
	at := -1
	for i, n := range nodes {
		if d, ok := n.(*Done); ok && slices.Contains(d.Comms, c) {
			at = i
		}
	}
	if last <= at {
		return nodes
	}
	d := nodes[at].(*Done)
	d.Comms = slices.DeleteFunc(slices.Clone(d.Comms), func(x *Comm) bool { return x == c })
	if d, ok := nodes[last].(*Done); ok {
		d.Comms = append(d.Comms, c)
		return nodes
	}
	return slices.Insert(slices.Clone(nodes), last+1, Node(&Done{[]*Comm{c}}))
}

// endIn is the last of nodes that has an end of x in it, or -1.
func endIn(nodes []Node, x *Comm) int {
	last := -1
	for i := range nodes {
		everyList(nodes[i:i+1], func(at any, comms *[]*Comm) {
			if _, region := at.(*Region); !region && slices.Contains(*comms, x) {
				last = i
			}
		})
	}
	return last
}

// changes reports whether the elements that c brought, or which they are, depend
// on one of the symbols.
func (r *remover) changes(c *Comm, written map[*ir.Symbol]bool) bool {
	if written[c.Array] {
		return true
	}
	for _, f := range c.Affines() {
		if r.a.changes(f, written) {
			return true
		}
	}
	return false
}

// written is the set of symbols that n may assign.
func (r *remover) written(n Node) map[*ir.Symbol]bool {
	out := map[*ir.Symbol]bool{}
	for _, n := range Within(n) {
		if n, ok := n.(*Loop); ok {
			out[n.Do.Index] = true
		}
		for _, s := range statements(n) {
			maps.Copy(out, r.a.modified(s))
		}
	}
	return out
}

// prune is list with every group reduced by keep, at every depth.
func prune(list []Node, keep func([]*Comm) []*Comm) []Node {
	for _, n := range list {
		rewrite(n, func(l []Node) []Node { return prune(l, keep) })
	}
	return without(list, keep)
}
