package comm

// StageAxis is an array dimension along which everything that c, which fills an
// overlap, brings lies outside of what the PE owns; -1 if there is none.
func (c *Comm) StageAxis() int {
	for d, ax := range c.Array.Mapping.Map.Axes {
		if ax.Grid >= 0 && c.Reach(d)&Inside == 0 {
			return d
		}
	}
	return -1
}

// StageCells bounds, for all numbers of PEs, how many elements c, which fills an
// overlap, brings to one PE.
func (p *Program) StageCells(c *Comm) int64 {
	shadow := p.Shadow[c.Array]
	width := func(d int) int64 {
		if shadow == nil {
			return 0
		}
		return int64(shadow[d][0] + shadow[d][1])
	}
	slab := func(d int) int64 {
		n := width(d)
		for e, dim := range c.Array.Dims {
			if e != d {
				n *= int64(dim.Extent()) + width(e)
			}
		}
		return n
	}
	if d := c.StageAxis(); d >= 0 {
		return slab(d)
	}
	n := int64(0)
	for d := range c.Array.Dims {
		n += slab(d)
	}
	return n
}

// TempCells bounds, for all numbers of PEs, how many elements the temporary of c
// holds on one PE.
func (c *Comm) TempCells() int64 {
	n := int64(1)
	for d := range c.Axes {
		n *= int64(c.TempExtent(d))
	}
	return n
}

// TempExtent is the most elements that a PE may need along axis d of the index
// space of c: what keeps every subscript within the bounds of the array.
func (c *Comm) TempExtent(d int) int {
	ax := c.Axes[d]
	if c.Subs == nil {
		if ax.All || len(ax.Terms) > 0 {
			return max(0, c.Array.Dims[d].Extent())
		}
		return 1
	}
	most, found := 1, false
	for k, s := range c.Subs {
		if s.Axis != d {
			continue
		}
		n := (c.Array.Dims[k].Extent()-1)/max(1, s.Coef, -s.Coef) + 1
		if !found || n < most {
			most, found = n, true
		}
	}
	return max(0, most)
}
