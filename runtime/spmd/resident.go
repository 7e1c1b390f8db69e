package spmd

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/runtime/dist"
)

// Resident is x, in check builds, where the RESIDENT in a line says that element idx of array name lies with the PEs
// of home: one that is read with one of them at least, and one that is assigned with no others. It panics if
// that is wrong.
func Resident[T any](x T, name string, idx []int, assigned bool, line int, of, home dist.Seats) T {
	some, other := false, -1
	for pe := range of.Grid.Size() {
		if of.Has(pe) {
			if home.Has(pe) {
				some = true
			} else if other < 0 {
				other = pe
			}
		}
	}
	if other < 0 || some && !assigned {
		return x
	}
	panic(&Fault{
		Msg:  fmt.Sprintf("%s(%s) is not resident, as line %d says that it is: it lies on PE %d, and PE %d executes the statement", name, strings.Trim(strings.ReplaceAll(fmt.Sprint(idx), " ", ","), "[]"), line, other, home.First()),
		Hint: "name another home in ON HOME, or leave the array out of RESIDENT",
	})
}
