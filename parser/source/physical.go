package source

// Physical is one line of text as a source form reads it.
type Physical struct {
	Text string
	Line int // its number in the File
	// Cols[i] is the column in the File of byte i of Text, and of what stands
	// behind the last byte; nil when that is i+1, as it is unless the
	// preprocessor has replaced something.
	Cols []int
}

// At returns the place of byte i of the line, which may lie behind its end.
func (p Physical) At(i int) Pos {
	if p.Cols == nil {
		return Pos{Line: p.Line, Col: i + 1}
	}
	last := len(p.Cols) - 1
	return Pos{Line: p.Line, Col: p.Cols[min(i, last)] + max(0, i-last)}
}

// Run returns the end, at most to, of the bytes from byte from on that stand
// beside each other in the File too.
func (p Physical) Run(from, to int) int {
	if p.Cols == nil {
		return to
	}
	end := from + 1
	for end < to && p.Cols[end] == p.Cols[end-1]+1 {
		end++
	}
	return end
}

// Physical returns the lines of f as they are, without what was added to it.
func (f *File) Physical() []Physical {
	lines := make([]Physical, f.Lines())
	for i := range lines {
		n := f.First() + i
		lines[i] = Physical{Text: f.Line(n), Line: n}
	}
	return lines
}
