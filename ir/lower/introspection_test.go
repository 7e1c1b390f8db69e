package lower

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/fortran"
)

// TestSPMDModule: the module for other compilers has the same functions.
func TestSPMDModule(t *testing.T) {
	text := string(fortran.SPMD)
	for name, f := range spmdFunctions {
		if !strings.Contains(text, "function "+name+"("+f.params[0]+") result(value)") {
			t.Errorf("module spmd of package fortran has no function %s(%s)", name, f.params[0])
		}
	}
	if n := strings.Count(text, "end function"); n != len(spmdFunctions) {
		t.Errorf("module spmd of package fortran has %d functions, want %d", n, len(spmdFunctions))
	}
}
