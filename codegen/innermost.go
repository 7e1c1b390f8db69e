package codegen

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// Loop says what became of an innermost loop of the source, or of a loop in which all
// others are unrolled.
type Loop struct {
	Line     int
	Call     *ir.Site // the call whose procedure it is part of, nil in the main program
	Kernel   string   // the name of its kernel; "" for none
	Unrolled []int    // the lines of the loops in it, of a kernel
	Strips   []int    // the lines of the loops in it that are executed for many of its iterations at once, in kernels
	Why      string   // it is none
	Alone    bool     // it is the form for a PE that runs alone
}

// innermost lists the innermost loops that were emitted, in the order of the source. One
// that a PE which runs alone executes in another form follows in that form, if it is another
// kernel or none.
func (g *gen) innermost() []Loop {
	var list []Loop
	ir.Walk(g.prog.IR.Body, func(s ir.Stmt) bool {
		d, ok := s.(*ir.Do)
		if !ok {
			return true
		}
		l, listed := became(d, g.vectors[d])
		if listed {
			list = append(list, l)
		}
		if serial, ok := became(d, g.serialVectors[d]); ok && (!listed || serial.Kernel != l.Kernel || serial.Why != l.Why) {
			serial.Alone = true
			list = append(list, serial)
		}
		return true
	})
	return list
}

// became says what became of loop d, of which v decides, if it is listed.
func became(d *ir.Do, v *vectorLoop) (l Loop, ok bool) {
	if v == nil || v.part || v.nest != nil && v.nest.beside > 0 {
		return Loop{}, false
	}
	if v.as != nil {
		v = v.as
	}
	flat := v.k != nil && v.flat != nil
	if !flat && v.nest == nil && slices.ContainsFunc(d.Body, func(s ir.Stmt) bool { _, inner := s.(*ir.Do); return inner }) {
		return Loop{}, false
	}
	l = Loop{Line: d.Pos.Line, Call: d.CallSite(), Why: v.why}
	if v.k != nil {
		l.Kernel = v.k.Name
	}
	if flat {
		for _, inner := range v.flat.loops {
			l.Unrolled = append(l.Unrolled, inner.Pos.Line)
		}
	}
	if v.nest != nil {
		l.Kernel, l.Why = v.nest.kernels()[0].k.Name, ""
		for _, inner := range v.nest.inner {
			l.Strips = append(l.Strips, inner.Pos.Line)
		}
	}
	if v.rows != "" {
		l.Kernel, l.Why = v.rows, ""
	}
	return l, true
}
