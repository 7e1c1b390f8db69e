package comm

import "slices"

// Stays reports whether the elements, more than one, that c brings to a temporary stay as they are in their
// array from its Post to its Done, so that a PE which has them all may read them there:
//
//	Post  #1 a(i-d)
//	Wait  #1
//	do i = d + 1, n ... b(i) = a(i-d)
//	Done  #1
func (p *Program) Stays(c *Comm) bool {
	several := slices.ContainsFunc(c.Axes, func(ax Axis) bool { return ax.All || len(ax.Terms) > 0 })
	if !several || c.RootOnly || c.Overlap || c.Subs != nil || c.Kind == Irregular || c.Kind == Whole || c.Kind == Pipeline || c.pipe {
		return false
	}
	list, at := p.find(p.Body, c)
	if list == nil {
		return false
	}
	for _, n := range list[at+1:] {
		switch n := n.(type) {
		case *Post, *Wait, *Start:
		case *Done:
			if slices.Contains(n.Comms, c) {
				return true
			}
		case *Region:
			if slices.Contains(n.StoreBack, c) {
				return false
			}
			for _, s := range n.Stmts {
				if p.Modified(s)[c.Array] {
					return false
				}
			}
		case *Loop:
			if p.Modified(n.Do)[c.Array] {
				return false
			}
		default:
			return false
		}
	}
	return false
}
