package transform_test

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
)

// run executes p, in which every cell has a value of its own, so that one that is read
// unwritten shows; the text says why it was given up.
func run(p *ir.Program) (m *interp.Machine, failed string) {
	m = interp.New(p, 1, 200_000)
	for k, s := range p.Symbols {
		initial := func(i int) float64 {
			if s.Type.IsOrdered() {
				return float64((i*7+k*3)%11 - 4)
			}
			return float64((i + k) % 2)
		}
		if s.IsArray() {
			for i := range m.Arrays[s].Data {
				m.Arrays[s].Data[i] = initial(i)
			}
		} else {
			m.Values[s] = initial(0)
		}
	}
	return m, string(m.Run())
}

// differ names the first thing in which two runs of programs with the same
// symbols differ: output, then cells of arrays. What a scalar holds in the end
// matters where it is printed.
func differ(p *ir.Program, a, b *interp.Machine) string {
	if x, y := fmt.Sprint(a.Out), fmt.Sprint(b.Out); x != y {
		return fmt.Sprintf("printed %s, want %s", y, x)
	}
	for _, s := range p.Symbols {
		if a.Arrays[s] == nil { // a scalar, or an array that a change has made
			continue
		}
		for i, v := range a.Arrays[s].Data {
			w := b.Arrays[s].Data[i]
			same := math.Float64bits(v) == math.Float64bits(w) || math.IsNaN(v) && math.IsNaN(w)
			if !same && !(v == w && s.Type.IsInteger()) { // which have one zero
				return fmt.Sprintf("cell %d of %s is %v, want %v", i, s.Name, w, v)
			}
		}
	}
	return ""
}
