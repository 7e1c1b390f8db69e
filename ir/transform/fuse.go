package transform

import "slices"

// component is a set of parts that stay together, in source order.
type component struct {
	parts []int
	kind  string
}

// components are the sets of parts that are tied in a circle, in source order
// of their first parts. Free parts are in none.
func (d *distribution) components() []component {
	reach := make([][]bool, d.n)
	for i := range reach {
		reach[i] = make([]bool, d.n)
		for j := range reach[i] {
			reach[i][j] = i == j || d.ties[i][j] != ""
		}
	}
	for k := range d.n {
		for i := range d.n {
			for j := range d.n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	var list []component
	seen := map[int]bool{}
	for i := range d.n {
		if _, free := d.free[i]; free || seen[i] {
			continue
		}
		c := component{kind: anybody}
		for j := i; j < d.n; j++ {
			if _, free := d.free[j]; free || !reach[i][j] || !reach[j][i] {
				continue
			}
			seen[j] = true
			c.parts = append(c.parts, j)
			switch k := d.kinds[j]; {
			case k == anybody:
			case c.kind == anybody:
				c.kind = k
			case c.kind != k:
				c.kind = "mixed"
			}
		}
		if d.exchanges(c, c) {
			c.kind += ", in sequence" // the PEs wait for one another
		}
		list = append(list, c)
	}
	return list
}

// before reports whether a part of x must not come in a later loop than a part
// of y.
func (d *distribution) before(x, y component) bool {
	for _, i := range x.parts {
		for _, j := range y.parts {
			if d.ties[i][j] != "" {
				return true
			}
		}
	}
	return false
}

// exchanges reports whether x and y, in one loop, would exchange elements.
func (d *distribution) exchanges(x, y component) bool {
	for _, i := range x.parts {
		for _, j := range y.parts {
			if d.apart[i][j] || d.apart[j][i] {
				return true
			}
		}
	}
	return false
}

// fuse deals the components out to loops. Each, in an order that the ties allow,
// goes to the first loop of its kind that is not before those of its
// predecessors; it opens a new one at the end where there is none.
func (d *distribution) fuse(list []component) [][]component {
	type group struct {
		kind string
		in   []component
	}
	var groups []group
	at := make([]int, len(list)) // group of each component, -1: not yet
	for i := range at {
		at[i] = -1
	}
	fits := func(g group, c component) bool {
		if g.kind != c.kind && g.kind != anybody && c.kind != anybody {
			return false
		}
		return !slices.ContainsFunc(g.in, func(x component) bool { return d.exchanges(x, c) })
	}
	for done := 0; done < len(list); done++ {
		// The first in source order whose predecessors are all placed; the ties
		// between components have no circles.
		next, first := -1, 0
		for i := range list {
			if at[i] >= 0 {
				continue
			}
			ready, least := true, 0
			for j := range list {
				if j == i || !d.before(list[j], list[i]) {
					continue
				}
				ready = ready && at[j] >= 0
				least = max(least, at[j])
			}
			if ready {
				next, first = i, least
				break
			}
		}
		c, g := list[next], first
		for g < len(groups) && !fits(groups[g], c) {
			g++
		}
		if g == len(groups) {
			groups = append(groups, group{kind: c.kind})
		}
		if groups[g].kind == anybody {
			groups[g].kind = c.kind
		}
		groups[g].in = append(groups[g].in, c)
		at[next] = g
	}
	var out [][]component
	for _, g := range groups {
		out = append(out, g.in)
	}
	return out
}
