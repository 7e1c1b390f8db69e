package dist

// Seat is one dimension of a grid, with the positions Lo to Hi of a template dimension that is dealt out to it.
type Seat struct {
	Dim      int
	Format   Format
	TLo, THi int
	Lo, Hi   int
}

// Seats are the PEs of a grid that own an element, or a part of a section: those that have one of the
// positions in each of the dimensions At.
type Seats struct {
	Grid Grid
	At   []Seat
}

// Has reports whether pe is one of them.
func (s *Seats) Has(pe int) bool {
	for _, x := range s.At {
		found := false
		for pos := x.Lo; pos <= x.Hi && !found; pos++ {
			found = x.coord(pos, s.Grid[x.Dim]) == s.Grid.Coord(pe, x.Dim)
		}
		if !found {
			return false
		}
	}
	return true
}

// First is the first of them, -1 if there is none.
func (s *Seats) First() int {
	for pe := range s.Grid.Size() {
		if s.Has(pe) {
			return pe
		}
	}
	return -1
}

func (x *Seat) coord(pos, np int) int {
	if k := x.Format.BlockLength(); k > 0 {
		return (pos - x.TLo) / k % np
	}
	return CoordOf(x.Format, x.TLo, x.THi, pos, np)
}
