package comm

import "slices"

// InTurn is a copy of p in which the communications of some groups complete one
// after another: for
//
//	Post  #1 shift a(i-1), #2 shift a(i+1)
//	Wait  #1, #2
//
// it has
//
//	Post  #1
//	Wait  #1
//	Post  #2
//	Wait  #2
//
// A message of the second then says that its sender has the first. What goes to
// opposite neighbours is taken apart and nothing else: what travels as one message
// still does. turn picks groups; those that Turns does not divide stay as they
// are. Communications, regions and statements are those of p.
func (p *Program) InTurn(turn func(*Post) bool) *Program {
	q := *p
	q.stmts, q.loops = nil, nil
	q.Body = inTurn(p.Body, turn)
	return &q
}

func inTurn(list []Node, turn func(*Post) bool) []Node {
	var out []Node
	for i := 0; i < len(list); i++ {
		switch n := list[i].(type) {
		case *Post:
			turns := n.Turns()
			if i+1 == len(list) || len(turns) < 2 || !turn(n) {
				break
			}
			w, ok := list[i+1].(*Wait)
			if !ok || !slices.Equal(n.Comms, w.Comms) {
				break
			}
			for _, t := range turns {
				out = append(out, &Post{t}, &Wait{slices.Clone(t)})
			}
			i++
			continue
		case *Loop:
			c := *n
			c.Body = inTurn(n.Body, turn)
			out = append(out, &c)
			continue
		case *WhileLoop:
			c := *n
			c.Pre, c.Body = inTurn(n.Pre, turn), inTurn(n.Body, turn)
			out = append(out, &c)
			continue
		case *Branch:
			c := *n
			c.Then, c.Else = inTurn(n.Then, turn), inTurn(n.Else, turn)
			out = append(out, &c)
			continue
		}
		out = append(out, list[i])
	}
	return out
}

// Turns divides the group into turns, none of which goes to two opposite
// neighbours: each set that travels together joins the first turn in which nothing
// comes from the other side. A group with irregular communications is one turn:
// their start orders all PEs.
func (p *Post) Turns() [][]*Comm {
	if slices.ContainsFunc(p.Comms, func(c *Comm) bool { return c.Kind == Irregular }) {
		return [][]*Comm{p.Comms}
	}
	var turns [][]*Comm
	for _, set := range p.Together() {
		at := 0
		for at < len(turns) && slices.ContainsFunc(turns[at], func(c *Comm) bool { return c.opposes(set[0]) }) {
			at++
		}
		if at == len(turns) {
			turns = append(turns, nil)
		}
		turns[at] = append(turns[at], set...)
	}
	return turns
}

// opposes reports whether c and d come into overlaps on one arrangement from
// opposite sides along some dimension of it.
func (c *Comm) opposes(d *Comm) bool {
	if !c.Overlap || !d.Overlap || c.Array.Mapping.Grid != d.Array.Mapping.Grid {
		return false
	}
	x, y := c.directions(), d.directions()
	for i := range x {
		if x[i]*y[i] < 0 {
			return true
		}
	}
	return false
}

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
