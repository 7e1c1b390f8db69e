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
// overlap, brings to one PE; it estimates where bounds are open.
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
				n *= int64(dim.Nominal()) + width(e)
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
// holds on one PE; it estimates where bounds are open.
func (c *Comm) TempCells() int64 {
	n := int64(1)
	for d := range c.Axes {
		n *= int64(c.TempExtent(d))
	}
	return n
}

// TempExtent is the most elements that a PE may need along axis d of the index
// space of c: what keeps every subscript within the bounds of the array. It is an
// estimate where these are open.
func (c *Comm) TempExtent(d int) int {
	dim, by := c.TempExtentIn(d)
	if dim < 0 {
		return 1
	}
	return max(0, (c.Array.Dims[dim].Nominal()-1)/by+1)
}
