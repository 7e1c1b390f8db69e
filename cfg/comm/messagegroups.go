package comm

import (
	"fmt"
	"slices"
)

// MessageGroups divides the group into sets whose messages to the same PE travel as one
// (message aggregation), in the order in which they are posted. In one set
// are temporaries, and overlaps that are filled from the same side: what goes to
// opposite neighbours never meets. A group with irregular communications stays
// apart, in its order: their start orders all PEs. Each member keeps its
// identity: its slot and flags, what is proved of it, and its explanation.
func (p *Post) MessageGroups() [][]*Comm {
	at := map[string]int{}
	var sets [][]*Comm
	ordered := slices.ContainsFunc(p.Comms, func(c *Comm) bool { return c.Kind == Irregular })
	for i, c := range p.Comms {
		key := "temporaries"
		switch {
		case ordered:
			key = fmt.Sprint(i)
		case c.Overlap:
			key = c.side()
		}
		if _, ok := at[key]; !ok {
			at[key] = len(sets)
			sets = append(sets, nil)
		}
		sets[at[key]] = append(sets[at[key]], c)
	}
	return sets
}

// side is equal for overlaps that come from the same neighbours.
func (c *Comm) side() string {
	return fmt.Sprintf("side of grid %d", c.Array.Mapping.Grid.ID) + fmt.Sprint(c.directions())
}

// directions says, per dimension of the arrangement, from which side an overlap
// comes: -1, +1, or 0 for neither or both.
func (c *Comm) directions() []int {
	m := c.Array.Mapping
	dirs := make([]int, m.Grid.Rank)
	for d, w := range c.Window {
		ax := m.Map.Axes[d]
		if ax.Grid < 0 {
			continue
		}
		// What a later phase reaches into on both sides does not say where it
		// comes from: forwarded dimensions are the consumer's own.
		if w[0]*w[1] > 0 || w[0] == w[1] {
			dirs[ax.Grid] = sign(w[0] + w[1])
			if ax.A < 0 {
				dirs[ax.Grid] = -dirs[ax.Grid]
			}
		}
	}
	for _, d := range c.Forward {
		if g := m.Map.Axes[d].Grid; g >= 0 {
			dirs[g] = 0
		}
	}
	return dirs
}
