package kernel

import "fmt"

// A kernel with columns takes a loop around it along: its iterations are computed cols
// times, and each time the streams begin so many elements later as x1By and so on say. Its
// parameters are the same for all columns; it has no reductions and no windows.

// columnFields declares the number of columns in the argument.
func (k *Kernel) columnFields(l *layout, field func(size int, format string, args ...any) int) {
	if !k.Columns {
		return
	}
	if len(k.Reductions)+k.windows > 0 {
		panic("kernel: columns with reductions or windows")
	}
	l.cols = field(8, "cols int // how often")
	l.by = make([]int, len(k.Streams))
	for i, s := range k.Streams {
		l.by[i] = field(8, "%sBy int // elements from one column to the next", s.Name)
	}
}

// nextColumn ends a column.
func (a *assembler) nextColumn(p func(string, ...any)) {
	for i, s := range a.k.Streams {
		reg, place := a.bases[i], a.far[i]
		if reg == "" {
			reg = regA
			p("\tMOVQ %d(SP), %s", place, reg)
		}
		p("\tMOVQ %d(%s), R14", a.l.by[i], regArg)
		p("\tLEAQ (%s)(R14*%d), %s", reg, s.Type.memory(), reg)
		if a.bases[i] == "" {
			p("\tMOVQ %s, %d(SP)", reg, place)
		}
	}
	p("\tSUBQ $1, %d(%s)", a.l.cols, regArg)
	p("\tJGT column")
}

// column is the Go of where a stream's column begins.
func (k *Kernel) column(stream int) string {
	if !k.Columns {
		return ""
	}
	return fmt.Sprintf("column*a.%sBy+", k.Streams[stream].Name)
}
